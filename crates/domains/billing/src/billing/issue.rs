//! Issuing: the only way to create an invoice or a credit note, with its number, its tax, and the allocation of
//! earlier overpayments.

use spotter_company::company::Company;
use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, Event, Result, id::ClientId, money::Currency};
use spotter_people::clients::Client;
use spotter_store::{Json, params, statements};

use super::{dunning, letters};
use crate::{
    billing::{
        billing_details::BillingDetails,
        charge::{self, Charge},
        invoice::{BillLine, Collection, Invoice, InvoiceKind, InvoiceLine, InvoiceStatus, Party},
        tax,
    },
    collecting::collection,
    ids::{ClientProductId, InvoiceId, SubscriptionId},
    payments::allocation,
    settings::FinanceSettings,
};

/// An invoice to issue.
#[derive(Debug, Clone)]
pub struct Bill {
    /// Client who is billed.
    pub client_id: ClientId,
    /// In which currency.
    pub currency: Currency,
    /// What is charged, one entry per product, fee or correction.
    pub lines: Vec<BillLine>,
    /// How the invoice is collected.
    pub collection: Collection,
    /// The days that are billed.
    pub period: Option<(Date, Date)>,
    /// What begins on a later day is due then.
    pub due_from: Option<Date>,
    /// The membership that it bills.
    pub subscription_id: Option<SubscriptionId>,
    /// The purchase that it bills, if any.
    pub client_product_id: Option<ClientProductId>,
    /// Whether the fees that wait for the client's next invoice are lines of it.
    pub with_fees: bool,
}

/// The lines of an invoice with their tax, and their totals.
pub struct InvoiceTotals {
    /// What is charged, one entry per product, fee or correction.
    pub lines: Vec<InvoiceLine>,
    /// Amounts by VAT rate.
    pub taxes: Vec<tax::RateTotal>,
    /// Amount excluding VAT, in minor units.
    pub net: i64,
    /// VAT in minor units.
    pub tax: i64,
    /// Amount including VAT, in minor units.
    pub gross: i64,
}

/// Works out the tax of a bill.
pub fn totals(state: &tax::TaxStatus, lines: &[BillLine]) -> InvoiceTotals {
    let of = |line: &BillLine| (line.gross, state.of(line.vat_percentage));
    let amounts: Vec<_> = lines.iter().map(of).collect();
    let (taxes, nets) = tax::split(state, &amounts);
    let lines = lines
        .iter()
        .zip(amounts.iter().zip(nets))
        .map(|(line, ((_, (category, rate)), net))| InvoiceLine {
            product_id: line.product_id,
            description: line.description.clone(),
            quantity: line.quantity,
            gross: line.gross,
            net,
            tax: line.gross - net,
            vat_percentage: *rate,
            vat_category: Some(*category),
        })
        .collect();
    let sum = |of: fn(&tax::RateTotal) -> i64| taxes.iter().map(of).sum();
    let (net, tax, gross) = (sum(|one| one.net), sum(|one| one.tax), sum(|one| one.gross));
    InvoiceTotals { lines, taxes, net, tax, gross }
}

/// Who issues bills, and how.
pub struct Issuer {
    company: Company,
    settings: FinanceSettings,
}

impl Issuer {
    /// The company of a caller.
    pub fn find(cx: &mut Read) -> Result<Self> {
        Ok(Self { company: Company::find(cx)?, settings: FinanceSettings::find(cx)? })
    }

    /// The company's date.
    fn today(&self, cx: &Read) -> Date {
        self.company.zone().date_at(cx.now())
    }
}

/// A bill as it would be issued now: with the fees that wait for one, its tax and its due date.
pub struct InvoiceDraft {
    issuer: Issuer,
    fees: Vec<Charge>,
    /// Its totals.
    pub totals: InvoiceTotals,
    /// When it is due.
    pub due_date: Date,
}

/// Works a bill out, without issuing it.
pub fn draft(cx: &mut Read, bill: &Bill) -> Result<InvoiceDraft> {
    let issuer = Issuer::find(cx)?;
    let settings = &issuer.settings;
    let fees = match bill.with_fees {
        true => charge::waiting(cx, bill.client_id, bill.currency)?,
        false => Vec::new(),
    };
    let mut lines = bill.lines.clone();
    lines.extend(charge::lines(cx, &fees, settings.fee_vat_percentage)?);
    let today = issuer.today(cx);
    let due = match bill.collection {
        Collection::Automatic => today,
        Collection::Manual => today.plus_days(settings.payment_days).unwrap_or(today),
    };
    let due_date = bill.due_from.map_or(due, |from| from.max(due));
    let state = tax_status(settings, &BillingDetails::find(cx, bill.client_id)?);
    Ok(InvoiceDraft { totals: totals(&state, &lines), issuer, fees, due_date })
}

/// What decides of which category of VAT a bill's lines are.
fn tax_status(settings: &FinanceSettings, details: &BillingDetails) -> tax::TaxStatus {
    let seller = &settings.seller.0;
    let is_registered = seller.vat_number.is_some();
    tax::TaxStatus {
        is_registered,
        has_tax_number: is_registered || seller.tax_number.is_some(),
        exemption_reason: seller.vat_exemption_reason.as_deref().map(str::to_owned),
        is_reversed: details.reverse_charge,
    }
}

/// Asks ahead for what issuing a client's invoice reads.
pub fn ask_ahead(cx: &mut Read, client: ClientId, currency: Currency) -> Result<()> {
    Company::ask_ahead(cx)?;
    FinanceSettings::ask_ahead(cx)?;
    Client::ask_ahead(cx, client)?;
    BillingDetails::ask_ahead(cx, client)?;
    charge::ask_ahead(cx, client, currency)?;
    allocation::ask_ahead(cx, client, currency)?;
    cx.ask_ahead(LATEST_NUMBER, params![INVOICES])
}

/// Issues an invoice, pays it from the client's earlier overpayments, and mails it.
pub fn issue(cx: &mut Write, bill: &Bill) -> Result<Invoice> {
    let (invoice, settings) = issue_unmailed(cx, bill)?;
    letters::post(cx, &invoice, &settings)?;
    Ok(invoice)
}

/// The same without the mail, which says whether the invoice is paid, for who pays it in the same step.
pub fn issue_unmailed(cx: &mut Write, bill: &Bill) -> Result<(Invoice, FinanceSettings)> {
    ask_ahead(cx, bill.client_id, bill.currency)?;
    let InvoiceDraft { issuer, fees, totals, due_date } = draft(cx, bill)?;
    let invoice_id = InvoiceId(cx.new_id());
    charge::bill(cx, &fees, invoice_id)?;
    let calculation = InvoiceCalculation {
        kind: InvoiceKind::Invoice,
        totals,
        due_date,
        corrects: None,
        reason: None,
    };
    let mut invoice = write(cx, invoice_id, &issuer, bill, calculation)?;
    invoice.publish(cx, Event::InvoiceCreated)?;
    match invoice.status {
        InvoiceStatus::Paid => invoice.publish(cx, Event::InvoicePaid)?,
        _ => {
            allocation::prepay(cx, &mut invoice)?;
            dunning::schedule(cx, &invoice, &issuer.settings)?;
            collection::collect(cx, &invoice)?;
        }
    }
    Ok((invoice, issuer.settings))
}

/// The computed part of an invoice or credit note before it is stored.
pub struct InvoiceCalculation {
    /// Invoice or credit note.
    pub kind: InvoiceKind,
    /// Its totals.
    pub totals: InvoiceTotals,
    /// When it is due.
    pub due_date: Date,
    /// The invoice that a credit note corrects.
    pub corrects: Option<InvoiceId>,
    /// Why a credit note is issued.
    pub reason: Option<String>,
}

/// The series of invoices.
const INVOICES: &str = "INV";

/// Writes a bill or a credit note under the next number of its series.
pub fn write(
    cx: &mut Write,
    invoice_id: InvoiceId,
    issuer: &Issuer,
    bill: &Bill,
    calculation: InvoiceCalculation,
) -> Result<Invoice> {
    let InvoiceCalculation { kind, totals, due_date, corrects, reason } = calculation;
    let (Issuer { company, settings }, client) = (issuer, Client::find(cx, bill.client_id)?);
    let details = BillingDetails::find(cx, bill.client_id)?;
    let today = issuer.today(cx);
    let series = match kind {
        InvoiceKind::Invoice => INVOICES,
        InvoiceKind::CreditNote => "CN",
    };
    let (number, issue_date) = next_number(cx, series, today)?;
    // An invoice over nothing is paid, and a credit note is settled with the invoice that it corrects.
    let is_bill = kind == InvoiceKind::Invoice;
    let status = match is_bill && totals.gross > 0 {
        true => InvoiceStatus::Open,
        false => InvoiceStatus::Paid,
    };
    let (from, until) = bill.period.unzip();
    let language = client.language().map_or_else(|| company.language.clone(), str::to_owned);
    let invoice = Invoice {
        invoice_id,
        number,
        series: series.to_owned(),
        kind,
        status,
        collection: bill.collection,
        client_id: bill.client_id,
        subscription_id: bill.subscription_id,
        client_product_id: bill.client_product_id,
        corrects_invoice_id: corrects,
        home_location_id: client.home_location_id(),
        currency: bill.currency,
        issue_date,
        due_date: due_date.max(issue_date),
        period_start: from,
        period_end: until,
        net_total: totals.net,
        tax_total: totals.tax,
        gross_total: totals.gross,
        paid_total: 0,
        prepaid_total: 0,
        credited_total: 0,
        balance: if is_bill { totals.gross } else { 0 },
        seller: Json(seller(company, settings)),
        buyer: Json(buyer(&client, &details)),
        lines: Json(totals.lines),
        taxes: Json(totals.taxes),
        reason,
        language,
        sent_at: None,
        reminder_count: 0,
        chased_days: 0,
        chased_on: None,
        paid_at: (is_bill && status == InvoiceStatus::Paid).then(|| cx.now()),
        cancelled_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    invoice.insert(cx)?;
    Ok(invoice)
}

/// The next number of a series, such as INV-2026-000042, and the date of issue: a year's numbers have no gap, and no
/// date is before that of the previous number.
fn next_number(cx: &mut Write, series: &'static str, today: Date) -> Result<(String, Date)> {
    let latest: Option<(i64, i64, Date)> = cx.one(LATEST_NUMBER, params![series])?;
    let date = latest.map_or(today, |(_, _, last_date)| today.max(last_date));
    let year = i64::from(date.0.year());
    let number = match latest {
        Some((in_year, last, _)) if in_year == year => last + 1,
        _ => 1,
    };
    cx.defer(TAKE_NUMBER, params![series, year, number, date])?;
    Ok((format!("{series}-{year}-{number:06}"), date))
}

fn seller(company: &Company, settings: &FinanceSettings) -> Party {
    let own = &settings.seller.0;
    let text = |text: &str| text.to_owned();
    Party {
        name: own.name.as_deref().map_or_else(|| company.name.clone(), text),
        address: own.address.clone(),
        country: match &own.address {
            Some(address) => Some(text(&address.country)),
            None => company.country.clone(),
        },
        email: own.email.as_deref().map(text),
        phone: own.phone.as_deref().map(text),
        contact_name: None,
        vat_number: own.vat_number.as_deref().map(text),
        tax_number: own.tax_number.as_deref().map(text),
        registration_number: own.registration_number.as_deref().map(text),
        iban: own.iban.as_deref().map(text),
        bic: own.bic.as_deref().map(text),
    }
}

/// Who is billed: the client, or the business that the client is the contact of.
fn buyer(client: &Client, details: &BillingDetails) -> Party {
    let own = details.address.as_ref().map(|address| &address.0);
    let address = own.or_else(|| client.address()).cloned();
    let business = details.company_name.clone();
    Party {
        contact_name: business.is_some().then(|| client.name()),
        name: business.unwrap_or_else(|| client.name()),
        country: address.as_ref().map(|address| address.country.to_string()),
        address,
        email: client.email().map(str::to_owned),
        vat_number: details.vat_number.clone(),
        registration_number: details.registration_number.clone(),
        ..Party::default()
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    LATEST_NUMBER = "SELECT year, last_number, last_date FROM invoice_series \
        WHERE company_id = ?1 AND series = ?2 ORDER BY year DESC LIMIT 1";
    TAKE_NUMBER = "INSERT INTO invoice_series (company_id, series, year, last_number, last_date) \
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (company_id, series, year) \
        DO UPDATE SET last_number = excluded.last_number, last_date = excluded.last_date";
}
