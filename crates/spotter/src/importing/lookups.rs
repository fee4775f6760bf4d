//! What rows are interpreted with: the company's currency, clock and country, and the records that rows name, each
//! read by an operation as the author of the import.

use serde::{Deserialize, de::IntoDeserializer};
use serde_json::Value;
use spotter_billing::catalogue::vocabulary::Period;
use spotter_contract::{Arguments, Content};
use spotter_imports::{
    Import, ImportRow,
    fields::RecordReference,
    row::{KnownRecords, ReadingRules},
};
use spotter_kernel::{Date, Problem, Result, TimeZone, money::Currency};
use spotter_store::Tx;

use super::{
    ImportRun, Importer,
    row_operation::{Author, found},
};

/// Addresses that are looked up at once.
const BATCH: usize = 100;
/// Pages of a list of records that rows may name; of a hundred each.
const PAGES_MAX: i64 = 20;

impl Importer {
    /// A read as the author, for each of several queries.
    async fn look_up(&self, author: &Author, id: &str, queries: Vec<String>) -> Result<Vec<Value>> {
        let (operation, author) = (found(&self.table, id)?, author.clone());
        let read = move |tx: &mut Tx<'_>| {
            let caller = author.caller(tx)?;
            let expected = |query: &String| {
                let body = Content::Nothing;
                let arguments = Arguments { path: vec![], query: query.clone(), body };
                author.call(tx, &caller, &operation, arguments)
            };
            queries.iter().map(expected).collect()
        };
        self.db.read(read).await
    }

    pub(super) async fn rules(&self, author: &Author, import: &Import) -> Result<ReadingRules> {
        let output = self.look_up(author, "get_company_settings", vec![String::new()]).await?;
        let company = output.first().map_or(&Value::Null, |output| &output["company"]);
        let text = |name: &str| company[name].as_str();
        let currency = text("currency").and_then(Currency::parse);
        let zone = text("timeZone").and_then(TimeZone::parse).unwrap_or(TimeZone::UTC);
        Ok(ReadingRules {
            kind: import.kind,
            columns: import.fields(),
            meanings: import.meanings(),
            date_order: import.date_order,
            member_status: import.member_status.clone(),
            currency: currency.ok_or_else(|| Problem::internal("a company without a currency"))?,
            country: text("country").map(str::to_owned),
            today: zone.date_at(self.env.clock.now()),
            sold_from,
        })
    }

    /// The records that rows name.
    pub(super) async fn load_records(
        &self,
        run: &ImportRun,
        rows: &[ImportRow],
    ) -> Result<KnownRecords> {
        let mut known = KnownRecords::default();
        let mut addresses: Vec<&str> = Vec::new();
        let mut listed: Vec<RecordReference> = Vec::new();
        for (named, name) in rows.iter().flat_map(|row| run.rules.find_reference(&row.cells.0)) {
            if named == RecordReference::Client {
                addresses.push(name);
            } else if !listed.contains(&named) {
                listed.push(named);
                self.list(&run.author, named, &mut known).await?;
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        for addresses in addresses.chunks(BATCH) {
            self.find_clients(&run.author, addresses, &mut known).await?;
        }
        Ok(known)
    }

    async fn find_clients(
        &self,
        author: &Author,
        addresses: &[&str],
        known: &mut KnownRecords,
    ) -> Result<()> {
        // No address of a client is as long as what cannot be searched for.
        let sought = addresses.iter().filter(|address| address.chars().count() <= 100);
        let query = |address: &&str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("search", address).append_pair("archived", "false").finish()
        };
        let output = self.look_up(author, "list_clients", sought.map(query).collect()).await?;
        for client in output.iter().flat_map(|output| output["clients"].as_array()).flatten() {
            let own = client["email"].as_str().unwrap_or_default();
            if addresses.iter().any(|address| own.eq_ignore_ascii_case(address)) {
                known.add(
                    RecordReference::Client,
                    own,
                    client["clientId"].as_str().unwrap_or_default(),
                );
            }
        }
        Ok(())
    }

    async fn list(
        &self,
        author: &Author,
        named: RecordReference,
        known: &mut KnownRecords,
    ) -> Result<()> {
        let (operation, filter, list, id) = match named {
            RecordReference::Coach => ("list_coaches", "", "coaches", "coachId"),
            RecordReference::Location => ("list_locations", "", "locations", "locationId"),
            RecordReference::Membership => {
                ("list_products", "productType=Membership&archived=false&", "products", "productId")
            }
            RecordReference::Client => return Ok(()),
        };
        for page in 1..=PAGES_MAX {
            let query = format!("{filter}limit=100&page={page}");
            let output = self.look_up(author, operation, vec![query]).await?;
            let output = output.into_iter().next().unwrap_or_default();
            for record in output[list].as_array().into_iter().flatten() {
                let id = record[id].as_str().unwrap_or_default();
                names(record).iter().for_each(|name| known.add(named, name, id));
                known.add_period(id, record["period"].as_str().unwrap_or_default());
            }
            if output["hasNextPage"] != true {
                break;
            }
        }
        Ok(())
    }
}

/// From where a membership is sold that has begun: see [`SoldFrom`](spotter_imports::row::SoldFrom).
fn sold_from(began: Date, period: &str, today: Date) -> Date {
    let period: std::result::Result<_, serde::de::value::Error> =
        Period::deserialize(period.into_deserializer());
    let period = period.unwrap_or(Period::None);
    if began >= today {
        return began;
    }
    match period.around(began, today) {
        (_, start, _) if start == today => start,
        (.., next) => next,
    }
}

/// What a record may be called.
fn names(record: &Value) -> Vec<String> {
    let text = |name: &str| record[name].as_str().unwrap_or_default();
    let mut names = vec![text("email").to_owned()];
    match &record["name"] {
        Value::String(name) => names.push(name.clone()),
        Value::Object(texts) => {
            names.extend(texts.values().filter_map(Value::as_str).map(str::to_owned));
        }
        // A coach is also found by their first name where it is unique.
        _ => names.extend([
            format!("{} {}", text("firstName"), text("lastName")),
            text("firstName").to_owned(),
        ]),
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_membership_that_began_long_ago_is_sold_from_its_next_period() {
        let date = |text| Date::parse(text).unwrap();
        for (began, period, starts) in [
            ("2023-01-31", "Month", "2026-11-30"),
            ("2024-03-25", "Month", "2026-11-25"),
            ("2026-10-26", "Month", "2026-11-26"),
            ("2026-10-24", "Month", "2026-12-24"),
            ("2019-12-01", "Year", "2026-12-01"),
            ("2026-11-01", "FourWeeks", "2026-11-29"),
            ("2027-02-01", "Month", "2027-02-01"),
        ] {
            let output = sold_from(date(began), period, date("2026-11-25"));
            assert_eq!(output, date(starts), "{began} {period}");
        }
    }
}
