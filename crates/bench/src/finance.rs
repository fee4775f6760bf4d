//! Memberships that renew at one instant, years of invoices, and invoices on paper.

use reqwest::Method;
use serde_json::{Value, json};
use spotter_kernel::{Date, Id, Problem, Timestamp, id::CompanyId};
use spotter_store::{Sql, Tx, params};

use crate::{
    Outcome, company,
    crowd::Place,
    due::{self, Watched},
    filling, receiver,
    service::{Api, Service, print_times, row},
};

/// Rows that are written by one transaction.
const STEP: u64 = 2_000;
/// How long it takes from the filling to the instant, in seconds.
const AHEAD: i64 = 12;
/// Number of requests for each list, and for each file.
const TIMES: usize = 300;
const TIMES_ON_PAPER: usize = 100;

/// The copied range.
#[derive(Clone, Copy)]
pub struct Template {
    /// Whose it is.
    pub company: CompanyId,
    client: Id,
    sale: Id,
    /// What was sold.
    pub product: Id,
    course: Id,
    invoice: Id,
    /// The company's date.
    today: Date,
}

fn id(output: &Value, place: &str) -> Outcome<Id> {
    Ok(output.pointer(place).and_then(Value::as_str).and_then(Id::parse).ok_or("no id")?)
}

/// A weekly membership that was sold six days ago, and its bill.
pub async fn template(api: &Api, place: &Place) -> Outcome<Template> {
    let client = json!({"firstName": "Anna", "lastName": "Template"});
    let made = api.ask(Method::POST, "/clients", Some(client)).await?;
    let client = id(&made, "/client/clientId")?;
    let product = json!({"productType": "Membership", "name": {"en": "Weekly"}, "price": 1250,
        "vatPercentage": 21, "period": "Week", "autoRenew": true});
    let made = api.ask_as_manager(Method::POST, "/products", Some(product)).await?;
    let product = id(&made, "/product/productId")?;
    let sold = json!({"productId": product.to_string()});
    let path = format!("/finance/clients/{client}/memberships");
    let made = api.ask(Method::POST, &path, Some(sold)).await?;
    let today = made.pointer("/subscription/startDate").and_then(Value::as_str);
    Ok(Template {
        company: company(&place.data)?,
        client,
        sale: id(&made, "/clientProduct/clientProductId")?,
        product,
        course: id(&made, "/subscription/subscriptionId")?,
        invoice: id(&made, "/invoice/invoiceId")?,
        today: today.and_then(Date::parse).ok_or("no date")?,
    })
}

/// A number of memberships that renew at one instant, and others' waiting time beside them.
pub async fn renewals(mut service: Service, place: Place, count: u64) -> Outcome {
    let api = service.start().await?;
    let template = template(&api, &place).await?;
    let own = template.company;
    service.kill()?;
    let at = Timestamp::from_millis(receiver::now()).plus_seconds(AHEAD + count as i64 / 1_500);
    let db = filling::open(place.location.clone()).await?;
    for from in (0..count).step_by(STEP as usize) {
        let to = count.min(from + STEP);
        db.write(move |tx| {
            (from..to).try_for_each(|number| renewing(tx, template, own, at, number))
        })
        .await?;
    }
    db.close().await?;
    let watched = Watched { name: "renewals", count: due::TIMERS_DUE };
    due::watch(&watched, &mut service, place.location, at, count).await?.1
}

/// The ids of a copy: each kind of record has a minute of its own.
fn copy_of(at: Timestamp, kind: i64, number: u64) -> Id {
    let mut own = [0; 6];
    own.copy_from_slice(&number.to_be_bytes()[2..]);
    Id::new(at.plus_seconds(-60 * kind), own)
}

/// A copy of the membership, and of who pays for it, in a company that has its product.
pub fn renewing(
    tx: &mut Tx<'_>,
    of: Template,
    to: CompanyId,
    at: Timestamp,
    number: u64,
) -> Result<(), Problem> {
    let [client, sale, subscription] = [1, 2, 3].map(|kind| copy_of(at, kind, number));
    let begun = of.today.plus_days(-7).unwrap_or(of.today);
    tx.defer(CLIENT, params![of.company, client, of.client, to])?;
    tx.defer(SALE, params![of.company, sale, of.sale, client, subscription, begun, to])?;
    let course = params![of.company, subscription, of.course, client, sale, begun, of.today, to];
    tx.defer(COURSE, course)?;
    tx.defer(TIMER, params![to, sale, at])
}

/// The bill of the week before of such a membership, which is paid: indexes and the series of numbers are those of a company that
/// has billed before.
pub fn billed_before(
    tx: &mut Tx<'_>,
    of: Template,
    to: CompanyId,
    at: Timestamp,
    number: u64,
) -> Result<(), Problem> {
    let [client, sale, subscription, bill] = [1, 2, 3, 4].map(|kind| copy_of(at, kind, number));
    let begun = of.today.plus_days(-7).unwrap_or(of.today);
    let (year, named) =
        (i64::from(of.today.0.year()), format!("INV-{}-{number:06}", of.today.0.year()));
    tx.defer(SERIES, params![to, year, number as i64, begun])?;
    let paid = params![
        of.company,
        bill,
        of.invoice,
        named,
        to,
        client,
        sale,
        subscription,
        begun,
        of.today
    ];
    tx.defer(BILLED_BEFORE, paid)
}

/// A company with a few invoices, and then with many: its list, page by page, and one PDF.
pub async fn invoices(mut service: Service, place: Place, count: u64) -> Outcome {
    let api = service.start().await?;
    let template = template(&api, &place).await?;
    service.kill()?;
    let few = count / 100;
    fill(&place, template, 0, few).await?;
    let mut api = service.start().await?;
    let before = lists(&api, few).await?;
    service.kill()?;
    fill(&place, template, few, count).await?;
    api = service.start().await?;
    let after = lists(&api, count).await?;
    for ((name, few), (_, many)) in before.iter().zip(&after) {
        row(
            &format!("invoices, {name}, times the p50 of a hundredth"),
            format_args!("{:.2}", many / few),
        );
    }
    let path = format!("/finance/invoices/{}/pdf", template.invoice);
    print_times("an invoice on paper", api.fetch_often(&path, TIMES_ON_PAPER).await?);
    service.kill()
}

async fn lists(api: &Api, count: u64) -> Outcome<Vec<(&'static str, f64)>> {
    let far = format!("/finance/invoices?limit=20&page={}", count / 40);
    let mut output = Vec::new();
    for (name, path) in [
        ("page 1", "/finance/invoices?limit=20"),
        ("page 1 of those that are open", "/finance/invoices?limit=20&status=open"),
        ("the page in the middle", far.as_str()),
    ] {
        let label = format!("{count} invoices, {name}");
        output.push((name, print_times(&label, api.fetch_often(path, TIMES).await?)));
    }
    Ok(output)
}

async fn fill(place: &Place, of: Template, from: u64, to: u64) -> Outcome {
    let db = filling::open(place.location.clone()).await?;
    let at = Timestamp::from_millis(receiver::now());
    for from in (from..to).step_by(STEP as usize) {
        let to = to.min(from + STEP);
        db.write(move |tx| {
            (from..to).try_for_each(|number| {
                let copy = copy_of(at.plus_seconds(-60 * number as i64), 1, number);
                let named = format!("BENCH-{number:09}");
                tx.tally(of.company, &spotter_store::mark("invoices", copy), 1)?;
                tx.defer(INVOICE, params![of.company, copy, of.invoice, named])
            })?;
            let added = (to - from) as i64;
            tx.tally(of.company, "invoices", added)?;
            tx.tally(of.company, "invoices?status=open", added)
        })
        .await?;
    }
    db.close().await
}

const CLIENT: Sql =
    Sql("INSERT INTO client (company_id, client_id, first_name, last_name, opt_ins, \
    relationship_status, member_status, portal_access_status, tags, created_at, updated_at) \
    SELECT ?4, ?2, first_name, last_name, opt_ins, relationship_status, member_status, \
    portal_access_status, tags, created_at, updated_at \
    FROM client WHERE company_id = ?1 AND client_id = ?3");
const SALE: Sql = Sql(
    "INSERT INTO client_product (company_id, client_product_id, client_id, product_id, \
    product_type, name, terms, subscription_id, status, valid_from, days_used, granted_until, created_at, \
    updated_at) SELECT ?7, ?2, ?4, product_id, product_type, name, terms, ?5, status, ?6, days_used, \
    granted_until, created_at, updated_at \
    FROM client_product WHERE company_id = ?1 AND client_product_id = ?3",
);
const COURSE: Sql = Sql("INSERT INTO subscription (company_id, subscription_id, client_id, \
    client_product_id, product_id, name, status, price, currency, vat_percentage, period, auto_renew, \
    notice_period, collection, start_date, anchor_date, paid_until, next_billing_date, pauses, \
    skipped_periods, created_at, updated_at) SELECT ?8, ?2, ?4, ?5, product_id, name, status, \
    price, currency, vat_percentage, period, auto_renew, notice_period, collection, ?6, ?6, ?7, ?7, \
    pauses, skipped_periods, created_at, updated_at \
    FROM subscription WHERE company_id = ?1 AND subscription_id = ?3");
const TIMER: Sql = Sql("INSERT INTO timer (company_id, kind, subject, due_at, attempts) \
    VALUES (?1, 'turn_sale', ?2, ?3, 0)");
const INVOICE: Sql = Sql(
    "INSERT INTO invoice (company_id, invoice_id, number, series, kind, status, \
    collection, client_id, currency, issue_date, due_date, net_total, tax_total, gross_total, paid_total, \
    credited_total, balance, seller, buyer, lines, taxes, language, reminder_count, chased_days, created_at, \
    updated_at) SELECT company_id, ?2, ?4, series, kind, status, collection, client_id, currency, \
    issue_date, due_date, net_total, tax_total, gross_total, paid_total, credited_total, balance, seller, \
    buyer, lines, taxes, language, reminder_count, chased_days, created_at, updated_at \
    FROM invoice WHERE company_id = ?1 AND invoice_id = ?3",
);
const SERIES: Sql =
    Sql("INSERT INTO invoice_series (company_id, series, year, last_number, last_date) \
    VALUES (?1, 'INV', ?2, ?3, ?4) ON CONFLICT (company_id, series, year) \
    DO UPDATE SET last_number = excluded.last_number");
const BILLED_BEFORE: Sql = Sql(
    "INSERT INTO invoice (company_id, invoice_id, number, series, kind, status, \
    collection, client_id, client_product_id, subscription_id, period_start, period_end, currency, issue_date, due_date, \
    net_total, tax_total, gross_total, paid_total, credited_total, balance, seller, buyer, lines, taxes, language, \
    reminder_count, chased_days, paid_at, created_at, updated_at) SELECT ?5, ?2, ?4, series, kind, 'paid', \
    collection, ?6, ?7, ?8, ?9, ?10, currency, ?9, ?9, net_total, tax_total, gross_total, gross_total, credited_total, 0, \
    seller, buyer, lines, taxes, language, reminder_count, chased_days, updated_at, created_at, updated_at \
    FROM invoice WHERE company_id = ?1 AND invoice_id = ?3",
);
