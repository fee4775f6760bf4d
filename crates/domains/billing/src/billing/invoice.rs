//! Invoices and the credit notes that correct them: the record, its API form, and how its balance changes. An issued
//! document is never edited.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Address;
use spotter_contract::{Area, Payload, Read, Write};
use spotter_kernel::{
    Date, Event, Key, Problem, Result, Timestamp,
    id::{ClientId, LocationId},
    money::{Currency, Percentage},
};
use spotter_store::{Json, mark, params, record, set, statements, values, words};

use crate::{
    billing::tax::{RateTotal, VatCategory},
    catalogue::product::ProductId,
    ids::{ClientProductId, InvoiceId, SubscriptionId},
    payments::allocation,
    rules::BillingRule,
};

words! {
    /// Whether it bills something or reverses a bill.
    pub enum InvoiceKind { Invoice = "invoice", CreditNote = "credit_note" }
}

words! {
    /// Current status.
    pub enum InvoiceStatus {
        Open = "open",
        Overdue = "overdue",
        Paid = "paid",
        Cancelled = "cancelled",
        Uncollectible = "uncollectible",
    }
}

words! {
    /// How an invoice is collected: by charging the payment method when it is due, or by the client paying it.
    pub enum Collection { Automatic = "automatic", Manual = "manual" }
}

/// A buyer or seller as printed on an invoice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    /// Display name.
    pub name: String,
    /// Contact person, for businesses.
    #[serde(default)]
    pub contact_name: Option<String>,
    /// Postal address.
    pub address: Option<Address>,
    /// ISO 3166-1 alpha-2 code of their country, where it is known.
    #[serde(default)]
    pub country: Option<String>,
    /// Email address.
    pub email: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// The VAT identification number.
    pub vat_number: Option<String>,
    /// Tax number other than a VAT number, such as a Steuernummer, an ABN or a GSTIN.
    #[serde(default)]
    pub tax_number: Option<String>,
    /// Company registration number.
    pub registration_number: Option<String>,
    /// The account to pay to.
    pub iban: Option<String>,
    /// BIC of the bank.
    pub bic: Option<String>,
}

/// A line to bill.
#[derive(Debug, Clone, PartialEq)]
pub struct BillLine {
    /// The product that was sold, if any.
    pub product_id: Option<ProductId>,
    /// Description for the client.
    pub description: String,
    /// Number of units.
    pub quantity: i64,
    /// The amount of all of them with tax; negative for a deduction.
    pub gross: i64,
    /// The rate of the tax in it.
    pub vat_percentage: Percentage,
}

/// Lines of the invoice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceLine {
    /// The product; null for fees and for credit notes of a whole amount.
    pub product_id: Option<ProductId>,
    /// Description for the client.
    pub description: String,
    /// Number of units.
    pub quantity: i64,
    /// The amount with tax.
    pub gross: i64,
    /// The amount without tax.
    pub net: i64,
    /// VAT in minor units.
    pub tax: i64,
    /// The rate of the tax in percent.
    pub vat_percentage: Percentage,
    /// The VAT category; null on invoices that were issued before it was recorded.
    #[serde(default)]
    pub vat_category: Option<VatCategory>,
}

record! {
    /// An invoice or a credit note.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Invoice {
        /// Id of the invoice.
        pub invoice_id: InvoiceId,
        /// Invoice number, without gaps within a series and year.
        pub number: String,
        /// `INV` for invoices, `CN` for credit notes.
        pub series: String,
        /// Invoice or credit note.
        pub kind: InvoiceKind,
        /// Current status.
        pub status: InvoiceStatus,
        /// How the invoice is collected.
        pub collection: Collection,
        /// Client who is billed.
        pub client_id: ClientId,
        /// The membership that it bills.
        pub subscription_id: Option<SubscriptionId>,
        /// The sold product of this invoice.
        pub client_product_id: Option<ClientProductId>,
        /// The invoice that a credit note corrects.
        pub corrects_invoice_id: Option<InvoiceId>,
        /// The client's home location on the day of issue.
        pub home_location_id: Option<LocationId>,
        /// ISO 4217 code of every amount, which are in its minor units.
        pub currency: Currency,
        /// The company's date on which it was issued.
        pub issue_date: Date,
        /// The last date on which it is paid in time.
        pub due_date: Date,
        /// The first day that is billed.
        pub period_start: Option<Date>,
        /// The first day after the billed period.
        pub period_end: Option<Date>,
        /// The amount without tax.
        pub net_total: i64,
        /// VAT in minor units.
        pub tax_total: i64,
        /// The amount with tax.
        pub gross_total: i64,
        /// Paid amount.
        pub paid_total: i64,
        /// Amount paid from the client's balance when the invoice was issued.
        pub prepaid_total: i64,
        /// Total of credit notes for this invoice.
        pub credited_total: i64,
        /// Outstanding amount.
        pub balance: i64,
        /// The seller on the day of issue.
        pub seller: Json<Party>,
        /// The buyer on the day of issue.
        pub buyer: Json<Party>,
        /// What is charged, one entry per product, fee or correction.
        pub lines: Json<Vec<InvoiceLine>>,
        /// Amounts by VAT rate.
        pub taxes: Json<Vec<RateTotal>>,
        /// Reason for the credit note.
        pub reason: Option<String>,
        /// ISO 639-1 code of the language that it is written in: the client's on the day of issue.
        pub language: String,
        /// When it was sent last.
        pub sent_at: Option<Timestamp>,
        /// Number of reminders sent to the client.
        pub reminder_count: i64,
        /// Days after its due date up to which dunning has run.
        #[serde(skip)]
        pub chased_days: i64,
        /// The company's date on which it last took a step.
        #[serde(skip)]
        pub chased_on: Option<Date>,
        /// When it was fully paid.
        pub paid_at: Option<Timestamp>,
        /// When it was cancelled.
        pub cancelled_at: Option<Timestamp>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The effect of a change of the balance on an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvoiceTransition {
    /// Nothing changed.
    Nothing,
    /// It is paid.
    Paid,
    /// Nothing was paid, and nothing is owed any more.
    Cancelled,
    /// It was paid, and is owed again.
    Owed,
}

/// The payload of every invoice event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceEvent {
    invoice_id: InvoiceId,
    /// As printed; unique within the company.
    number: String,
    /// Invoice or credit note.
    kind: InvoiceKind,
    status: InvoiceStatus,
    client_id: ClientId,
    subscription_id: Option<SubscriptionId>,
    client_product_id: Option<ClientProductId>,
    corrects_invoice_id: Option<InvoiceId>,
    currency: Currency,
    gross_total: i64,
    /// Outstanding amount.
    balance: i64,
    issue_date: Date,
    due_date: Date,
    reminder_count: i64,
    paid_at: Option<Timestamp>,
    cancelled_at: Option<Timestamp>,
}

impl Payload for InvoiceEvent {
    const EVENTS: &'static [Event] = &[
        Event::InvoiceCreated,
        Event::InvoiceSent,
        Event::InvoiceOverdue,
        Event::InvoiceCancelled,
        Event::InvoicePaid,
    ];
}

/// The subject of the total of all invoices.
pub const TALLY: &str = "invoices";

impl Invoice {
    /// The invoice with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: InvoiceId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        cx.own(found, |invoice| invoice.client_id)
    }

    /// The invoice with this id, if that is one's id.
    pub fn find_external(cx: &mut Read, id: InvoiceId) -> Result<Option<Self>> {
        cx.one(FIND, params![id])
    }

    /// The invoice after the client's unallocated money has been applied to it; called before anything follows from a
    /// debt.
    pub fn still_due(cx: &mut Write, id: InvoiceId) -> Result<Self> {
        let found = Self::find(cx, id)?;
        if !found.is_unpaid() {
            return Ok(found);
        }
        match allocation::apply_unallocated(cx, found.client_id, found.currency)? {
            true => Self::find(cx, id),
            false => Ok(found),
        }
    }

    /// Whether it has a balance to pay.
    pub fn is_unpaid(&self) -> bool {
        matches!(self.status, InvoiceStatus::Open | InvoiceStatus::Overdue)
    }

    /// An invoice of a client that something is left to pay of.
    pub fn payable(cx: &mut Read, id: InvoiceId, client: ClientId) -> Result<Self> {
        let rule = || BillingRule::OtherClientsInvoice;
        let found = Self::find(cx, id).map_err(|none| none.missing("invoiceId", rule()))?;
        if found.client_id != client {
            return Err(Problem::field(Key::NotFound, "invoiceId", rule()));
        }
        let owed = found.is_unpaid() || found.status == InvoiceStatus::Uncollectible;
        if found.kind != InvoiceKind::Invoice || !owed {
            return Err(Problem::conflict("invoiceId", BillingRule::NothingToPay));
        }
        Ok(found)
    }

    /// A client's bills of a currency that something is left to pay of, the oldest due first.
    pub fn due_of(cx: &mut Read, client: ClientId, currency: Currency) -> Result<Vec<Self>> {
        cx.all(DUE, params![client, currency])
    }

    /// The subjects of the totals that count it.
    fn subjects(&self) -> BTreeSet<String> {
        let subjects = crate::subjects(TALLY, self.status.word(), self.client_id);
        subjects.into_iter().chain([mark(TALLY, self.invoice_id.0)]).collect()
    }

    /// Inserts a new record.
    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("invoice", self.invoice_id, ["invoice"]);
        cx.defer(INSERT, &self.params())?;
        self.update_metrics(cx, None)?;
        cx.recount(&BTreeSet::new(), &self.subjects())
    }

    /// Saves the changes.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("invoice", self.invoice_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())?;
        self.update_metrics(cx, Some(before))?;
        cx.recount(&before.subjects(), &self.subjects())
    }

    /// Adds to the paid and the credited amount (negative to subtract), derives balance and status, and emits an
    /// event where the status changes.
    pub fn weigh(&mut self, cx: &mut Write, paid: i64, credited: i64) -> Result<InvoiceTransition> {
        let before = &self.clone();
        self.paid_total += paid;
        self.credited_total += credited;
        self.balance = self.gross_total - self.paid_total - self.credited_total;
        let was_paid = before.status == InvoiceStatus::Paid;
        let turned = match (self.balance, was_paid) {
            (1.., true) => InvoiceTransition::Owed,
            (..=0, false) if self.paid_total == 0 => InvoiceTransition::Cancelled,
            (..=0, false) => InvoiceTransition::Paid,
            _ => InvoiceTransition::Nothing,
        };
        let now = Some(cx.now());
        let event = match turned {
            InvoiceTransition::Nothing => None,
            InvoiceTransition::Owed => {
                (self.status, self.paid_at) = (InvoiceStatus::Open, None);
                None
            }
            InvoiceTransition::Cancelled => {
                (self.status, self.cancelled_at) = (InvoiceStatus::Cancelled, now);
                Some(Event::InvoiceCancelled)
            }
            InvoiceTransition::Paid => {
                (self.status, self.paid_at) = (InvoiceStatus::Paid, now);
                Some(Event::InvoicePaid)
            }
        };
        self.save(cx, before)?;
        event.map_or(Ok(()), |event| self.publish(cx, event))?;
        Ok(turned)
    }

    /// Emits the event.
    pub fn publish(&self, cx: &mut Write, event: Event) -> Result<()> {
        let payload = InvoiceEvent {
            invoice_id: self.invoice_id,
            number: self.number.clone(),
            kind: self.kind,
            status: self.status,
            client_id: self.client_id,
            subscription_id: self.subscription_id,
            client_product_id: self.client_product_id,
            corrects_invoice_id: self.corrects_invoice_id,
            currency: self.currency,
            gross_total: self.gross_total,
            balance: self.balance,
            issue_date: self.issue_date,
            due_date: self.due_date,
            reminder_count: self.reminder_count,
            paid_at: self.paid_at,
            cancelled_at: self.cancelled_at,
        };
        cx.emit(event, &payload).map(drop)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<InvoiceEvent>()
}

statements! {
    FIND = "SELECT ", Invoice::COLUMNS, " FROM invoice WHERE company_id = ?1 AND invoice_id = ?2";
    DUE = "SELECT ", Invoice::COLUMNS, " FROM invoice WHERE company_id = ?1 AND client_id = ?2 \
        AND balance > 0 AND currency = ?3 AND status IN ('open', 'overdue') \
        ORDER BY due_date, invoice_id LIMIT 1000";
    INSERT = "INSERT INTO invoice ", values!(Invoice);
    SAVE = "UPDATE invoice SET ", set!(Invoice), " WHERE company_id = ?1 AND invoice_id = ?2";
}
