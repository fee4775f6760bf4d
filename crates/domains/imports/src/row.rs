//! A row of a file as the body of an operation.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use spotter_kernel::{Date, Phrase, Rule, money::Currency};
use spotter_store::words;

use crate::{
    fields::{BEGAN, CellFormat, Field, ImportKind, NOTE, RecordReference, Words, folded},
    import::folded_value,
    rules::ImportRule,
};

words! {
    /// Order of day and month in dates that end with the year.
    pub enum DateOrder { DayFirst = "day_first", MonthFirst = "month_first" }
}

/// The records that are there, by what rows call them.
#[derive(Clone, Debug, Default)]
pub struct KnownRecords {
    records: HashMap<(RecordReference, String), Option<String>>,
    /// The periods of memberships, by the product.
    periods: HashMap<String, String>,
}

impl KnownRecords {
    /// Adds a record under a name; two under one name are neither's.
    pub fn add(&mut self, named: RecordReference, name: &str, id: &str) {
        if name.trim().is_empty() {
            return;
        }
        let known = self.records.entry((named, folded_name(name)));
        known
            .and_modify(|own| {
                if own.as_deref() != Some(id) {
                    *own = None;
                }
            })
            .or_insert_with(|| Some(id.to_owned()));
    }

    /// Adds the period of a membership, by its product.
    pub fn add_period(&mut self, product: &str, period: &str) {
        self.periods.insert(product.to_owned(), period.to_owned());
    }

    /// Whether a name was looked up.
    pub fn has(&self, named: RecordReference, name: &str) -> bool {
        self.records.contains_key(&(named, folded_name(name)))
    }

    fn find(&self, named: RecordReference, name: &str) -> Result<&str, ImportRule> {
        match (self.records.get(&(named, folded_name(name))), named) {
            (Some(Some(id)), _) => Ok(id),
            (Some(None), _) => Err(ImportRule::Ambiguous),
            (None, RecordReference::Coach) => Err(ImportRule::UnknownCoachName),
            (None, RecordReference::Location) => Err(ImportRule::UnknownLocationName),
            (None, RecordReference::Membership) => Err(ImportRule::UnknownMembershipName),
            (None, RecordReference::Client) => Err(ImportRule::UnknownClientEmail),
        }
    }
}

fn folded_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// How rows are read.
#[derive(Clone, Debug)]
pub struct ReadingRules {
    /// What they are.
    pub kind: ImportKind,
    /// What each column is; nothing where it is left out.
    pub columns: Vec<Option<String>>,
    /// The meaning of values, for each column.
    pub meanings: Vec<BTreeMap<String, String>>,
    /// How dates are written.
    pub date_order: DateOrder,
    /// What clients are who say nothing of it.
    pub member_status: Option<String>,
    /// What amounts are in.
    pub currency: Currency,
    /// Where addresses are that do not say so.
    pub country: Option<String>,
    /// The date by the company's clock.
    pub today: Date,
    /// From where a membership is sold that has begun.
    pub sold_from: SoldFrom,
}

/// From where a membership is sold that began on a date and is paid for so often, today: the start of its first period that
/// has not begun yet.
pub type SoldFrom = fn(began: Date, period: &str, today: Date) -> Date;

/// What a row amounts to: an operation, and another about the record that it makes.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRequest {
    /// The path parameters of the operation.
    pub path: Vec<(String, String)>,
    /// Its body.
    pub body: Value,
    /// A note about the client that it creates.
    pub note: Option<String>,
    /// Invalid fields of the row that are left out.
    pub left_out: Vec<FieldError>,
}

/// A field of a row that is not in order, and the rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// The field; empty where the row as a whole is refused.
    pub field: String,
    /// What it must be.
    pub rule: Phrase,
}

impl FieldError {
    /// A field and the rule that it breaks.
    pub fn new(field: &str, rule: impl Into<Phrase>) -> Self {
        Self { field: field.to_owned(), rule: rule.into() }
    }

    /// Several as one text: the rule of the first, with the others after it, each behind its field.
    pub fn joined(errors: &[Self]) -> Option<String> {
        let (first, others) = errors.split_first()?;
        let others = others.iter().map(|error| format!("; {} {}", error.field, error.rule));
        Some(first.rule.to_string() + &others.collect::<String>())
    }
}

impl ReadingRules {
    /// The cells that columns of a field hold, of one row.
    pub fn cell<'c>(&'c self, field: &str, cells: &'c [String]) -> Option<&'c str> {
        let at = self.columns.iter().position(|own| own.as_deref() == Some(field))?;
        let cell = cells.get(at)?;
        let meant = self.meanings.get(at).and_then(|own| own.get(&folded_value(cell)));
        Some(meant.unwrap_or(cell).as_str()).filter(|cell| !cell.is_empty())
    }

    /// Who a row is of, by name.
    pub fn person(&self, cells: &[String]) -> String {
        let part = |field| self.cell(field, cells).unwrap_or_default();
        let whole = [part("firstName"), part("lastName"), part("name")].join(" ");
        folded_name(&whole)
    }

    /// An existing record that a row names.
    pub fn find_reference<'c>(&'c self, cells: &'c [String]) -> Vec<(RecordReference, &'c str)> {
        let named = self.kind.fields().iter().filter_map(|field| match field.reading {
            CellFormat::Named(named) => Some((named, self.cell(field.name, cells)?)),
            _ => None,
        });
        named.collect()
    }

    /// The request of a row, without fields that were found invalid before.
    pub fn request(
        &self,
        cells: &[String],
        known: &KnownRecords,
        without: &[FieldError],
    ) -> Result<RowRequest, Vec<FieldError>> {
        let mut left_out = without.to_vec();
        let mut body = self.body(cells, known, &mut left_out)?;
        let mut taken = |name: &str| match body.as_object_mut()?.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let note = taken(NOTE);
        let mut calls = RowRequest { path: Vec::new(), body: Value::Null, note, left_out };
        if self.kind == ImportKind::Memberships {
            calls.path.extend(taken("clientId").map(|client| ("clientId".to_owned(), client)));
        }
        calls.body = body;
        Ok(calls)
    }

    /// The body that a row amounts to. What the operation itself can judge is left to it; what need not be there and is not
    /// in order is left out.
    fn body(
        &self,
        cells: &[String],
        known: &KnownRecords,
        left_out: &mut Vec<FieldError>,
    ) -> Result<Value, Vec<FieldError>> {
        let mut body = Value::Object(Map::new());
        let mut wrongs: Vec<FieldError> = Vec::new();
        let is_out = |left_out: &[FieldError], field: &Field| {
            left_out.iter().any(|wrong| field.goes_with(&wrong.field))
        };
        for field in self.kind.fields() {
            let Some(cell) = self.cell(field.name, cells) else { continue };
            if is_out(left_out, field) {
                continue;
            }
            match self.put(&mut body, field, cell, known) {
                Ok(()) => {}
                Err(wrong) if self.kind.can_do_without(&wrong.field) => left_out.push(wrong),
                Err(wrong) => wrongs.push(wrong),
            }
        }
        if body["address"].is_object() && body["address"]["country"].is_null() {
            match &self.country {
                Some(country) => body["address"]["country"] = country.clone().into(),
                // An address is had whole.
                None => {
                    let rule = ImportRule::NeededOfCompany;
                    left_out.push(FieldError::new("address.country", rule));
                    body["address"] = Value::Null;
                }
            }
        }
        if self.kind == ImportKind::Clients
            && body["memberStatus"].is_null()
            && let Some(status) = &self.member_status
        {
            body["memberStatus"] = status.clone().into();
        }
        if let Some(began) = body.as_object_mut().and_then(|body| body.remove(BEGAN))
            && body["startsOn"].is_null()
            && let Some(began) = began.as_str().and_then(Date::parse)
        {
            let product = body["productId"].as_str().unwrap_or_default();
            let period = known.periods.get(product).map_or("", String::as_str);
            let starts_on = (self.sold_from)(began, period, self.today);
            body["startsOn"] = json!(starts_on.to_string());
            // Who began on the 31st goes on being billed on it, wherever there is one.
            if began <= starts_on {
                body["anchorDate"] = json!(began.to_string());
            }
        }
        let output = |name: &str| wrongs.iter().any(|wrong| wrong.field == name);
        let lacks =
            |field: &&Field| field.required && body[field.name].is_null() && !output(field.name);
        let lacking = self.kind.fields().iter().filter(lacks);
        let lacking: Vec<FieldError> =
            lacking.map(|field| FieldError::new(field.name, ImportRule::Needed)).collect();
        wrongs.extend(lacking);
        if wrongs.is_empty() { Ok(body) } else { Err(wrongs) }
    }

    fn put(
        &self,
        body: &mut Value,
        field: &Field,
        cell: &str,
        known: &KnownRecords,
    ) -> Result<(), FieldError> {
        let value = match field.reading {
            CellFormat::Text if field.name == "address.country" => country(cell).into(),
            CellFormat::Text => cell.into(),
            CellFormat::WholeName => {
                let (first, last) = cell.split_once(' ').unwrap_or((cell, ""));
                for (name, part) in [("firstName", first), ("lastName", last.trim())] {
                    if body[name].is_null() && !part.is_empty() {
                        body[name] = part.into();
                    }
                }
                return Ok(());
            }
            CellFormat::Date | CellFormat::Began => match date(cell, self.date_order) {
                Some(date) => json!(date.to_string()),
                None => return Err(FieldError::new(field.name, ImportRule::NotCellDate)),
            },
            CellFormat::Money => match self.currency.read(cell) {
                Some(amount) => json!(amount),
                None => return Err(FieldError::new(field.name, Rule::NotAmount)),
            },
            CellFormat::Tags => {
                let tags = cell.split([',', ';']).map(str::trim).filter(|tag| !tag.is_empty());
                tags.collect()
            }
            CellFormat::Word(words) => match word_of(words, cell) {
                Some(word) => word.into(),
                None => {
                    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    let rule = Rule::NotOneOf { words: all.join(", ") };
                    return Err(FieldError::new(field.name, rule));
                }
            },
            CellFormat::Named(named) => match known.find(named, cell) {
                Ok(id) => id.into(),
                Err(rule) => return Err(FieldError::new(field.name, rule)),
            },
        };
        match field.name.split_once('.') {
            Some((whole, part)) => body[whole][part] = value,
            None => body[field.name] = value,
        }
        Ok(())
    }
}

/// The word that people mean by what they write.
pub(crate) fn word_of(words: Words, cell: &str) -> Option<&'static str> {
    let written = folded_value(cell);
    let fits =
        |(word, others): &&(&str, &[&str])| *word == written || others.contains(&written.as_str());
    words.iter().find(fits).map(|(word, _)| *word)
}

/// A country from its name in a neighbouring country's language; otherwise unchanged, for the operation to judge.
fn country(cell: &str) -> String {
    let code = match folded(cell).as_str() {
        "nederland" | "the netherlands" | "netherlands" | "holland" | "niederlande" => "NL",
        "belgië" | "belgie" | "belgium" | "belgique" | "belgien" => "BE",
        "deutschland" | "germany" | "duitsland" => "DE",
        "österreich" | "austria" | "oostenrijk" => "AT",
        "france" | "frankrijk" | "frankreich" => "FR",
        "united kingdom" | "uk" | "great britain" | "england" => "GB",
        "united states" | "usa" | "united states of america" => "US",
        _ => return cell.to_uppercase(),
    };
    code.to_owned()
}

/// A date: year first whatever the order, or with the year last.
pub fn date(text: &str, order: DateOrder) -> Option<Date> {
    // Spreadsheets add the time of midnight.
    let text = text.split(['T', ' ']).next().unwrap_or(text);
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let (year, month, day) = match (first.len(), order) {
        (4, _) => (*first, *second, *third),
        (_, DateOrder::DayFirst) => (*third, *second, *first),
        (_, DateOrder::MonthFirst) => (*third, *first, *second),
    };
    let short = |part: &str| matches!(part.len(), 1 | 2);
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let fits = year.len() == 4 && short(month) && short(day);
    if !fits || ![year, month, day].into_iter().all(digits) {
        return None;
    }
    Date::parse(&format!("{year}-{month:0>2}-{day:0>2}"))
}

/// How dates are written of which these are some: by the first that can be meant one way alone.
pub fn guess_order<'c>(cells: impl IntoIterator<Item = &'c str>) -> DateOrder {
    for cell in cells {
        let days = date(cell, DateOrder::DayFirst);
        let months = date(cell, DateOrder::MonthFirst);
        match (days, months) {
            (Some(_), None) => return DateOrder::DayFirst,
            (None, Some(_)) => return DateOrder::MonthFirst,
            _ => {}
        }
    }
    DateOrder::DayFirst
}

#[cfg(test)]
mod tests;
