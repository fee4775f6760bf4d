//! Payments: received and pending money, its allocation to invoices, and refunds.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Payload, Read, Write};
use spotter_kernel::{
    Date, Event, Key, Result, Timestamp,
    id::{ClientId, LocationId},
    money::{Currency, Money},
};
use spotter_store::{mark, params, record, set, statements, values, words};

use crate::{
    collecting::method::MethodType,
    ids::{InvoiceId, PaymentId, PaymentMethodId, PaymentRequestId},
};

words! {
    /// The status of a payment: *pending* until the provider has it, *processing* while the bank has it; the others
    /// are final.
    pub enum PaymentStatus {
        Pending = "pending",
        Processing = "processing",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

words! {
    /// What requested it: automatic collection, a payment request, or staff who took the money.
    pub enum PaymentSource { Automatic = "automatic", Request = "request", Manual = "manual" }
}

words! {
    /// Payment method type.
    pub enum PaymentKind {
        Card = "card",
        SepaDebit = "sepa_debit",
        Ideal = "ideal",
        BankTransfer = "bank_transfer",
        Cash = "cash",
    }
}

impl From<MethodType> for PaymentKind {
    fn from(method: MethodType) -> Self {
        match method {
            MethodType::Card => Self::Card,
            MethodType::SepaDebit => Self::SepaDebit,
        }
    }
}

words! {
    /// Error code of the failure.
    pub enum FailureCode {
        Declined = "declined",
        InsufficientFunds = "insufficient_funds",
        MethodExpired = "method_expired",
        AuthenticationRequired = "authentication_required",
        MethodRevoked = "method_revoked",
        NotSent = "not_sent",
        ProviderError = "provider_error",
    }
}

record! {
    /// Money that came or is to come.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Payment {
        /// Id of the payment.
        pub payment_id: PaymentId,
        /// The client who pays.
        pub client_id: ClientId,
        /// The invoice that it is for; it may pay others with what that one does not need.
        pub invoice_id: Option<InvoiceId>,
        /// The payment request that it answers.
        pub payment_request_id: Option<PaymentRequestId>,
        /// The payment method that was charged.
        pub payment_method_id: Option<PaymentMethodId>,
        /// Amount in minor units of the currency.
        pub amount: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// Current status.
        pub status: PaymentStatus,
        /// Who started the payment.
        pub source: PaymentSource,
        /// Payment method type.
        pub kind: PaymentKind,
        /// Amount not allocated to an invoice yet; it pays the client's next invoice.
        pub unallocated: i64,
        /// Refunded amount.
        pub refunded_total: i64,
        /// Amount charged back.
        pub disputed_total: i64,
        /// Error code of the failure.
        pub failure_code: Option<FailureCode>,
        /// 1 for the first attempt to be paid.
        pub attempt: i64,
        /// Reference in the accounts, such as a transaction id.
        pub reference: Option<String>,
        /// The cash that was handed over, of which the rest was given back; null unless it was recorded.
        pub amount_received: Option<i64>,
        /// When it became final.
        pub settled_at: Option<Timestamp>,
        /// The company's date on which it did.
        #[serde(skip)]
        pub settled_on: Option<Date>,
        /// The client's home location on that date.
        #[serde(skip)]
        pub home_location_id: Option<LocationId>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

record! {
    /// Amounts allocated to invoices.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[schemars(inline)]
    #[serde(rename_all = "camelCase")]
    pub struct Allocation {
        /// What the amount pays.
        pub invoice_id: InvoiceId,
        /// Amount in minor units of the payment's currency.
        pub amount: i64,
    }
}

/// The payload of every payment event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentEvent {
    payment_id: PaymentId,
    client_id: ClientId,
    invoice_id: Option<InvoiceId>,
    payment_request_id: Option<PaymentRequestId>,
    /// Amount in minor units of the currency.
    amount: i64,
    currency: Currency,
    status: PaymentStatus,
    source: PaymentSource,
    /// Payment method type.
    kind: PaymentKind,
    failure_code: Option<FailureCode>,
    /// 1 for the first attempt to be paid.
    attempt: i64,
    settled_at: Option<Timestamp>,
}

impl Payload for PaymentEvent {
    const EVENTS: &'static [Event] = &[Event::PaymentSucceeded, Event::PaymentFailed];
}

/// The subject of the total of all payments.
pub const TALLY: &str = "payments";

impl Payment {
    /// The payment with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: PaymentId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        cx.own(found, |payment| payment.client_id)
    }

    /// Its amount and currency.
    pub fn money(&self) -> Money {
        Money { amount: self.amount, currency: self.currency }
    }

    /// A new payment that a client is to make: only client, amount and source are known.
    pub fn to_come(
        cx: &mut Write,
        client_id: ClientId,
        money: Money,
        source: PaymentSource,
    ) -> Self {
        Self {
            payment_id: PaymentId(cx.new_id()),
            client_id,
            invoice_id: None,
            payment_request_id: None,
            payment_method_id: None,
            amount: money.amount,
            currency: money.currency,
            status: PaymentStatus::Pending,
            source,
            kind: PaymentKind::Card,
            unallocated: 0,
            refunded_total: 0,
            disputed_total: 0,
            failure_code: None,
            attempt: 1,
            reference: None,
            amount_received: None,
            settled_at: None,
            settled_on: None,
            home_location_id: None,
            created_at: cx.now(),
            updated_at: cx.now(),
        }
    }

    /// Asks ahead for the unfinished payment of an invoice.
    pub fn ask_ahead_unfinished(cx: &mut Read, invoice: InvoiceId) -> Result<()> {
        cx.ask_ahead(UNFINISHED, params![invoice])
    }

    /// The unfinished payment of an invoice; there is at most one.
    pub fn unfinished(cx: &mut Read, invoice: InvoiceId) -> Result<Option<Self>> {
        cx.one(UNFINISHED, params![invoice])
    }

    /// The unfinished payment of a payment request.
    pub fn answering(cx: &mut Read, request: PaymentRequestId) -> Result<Option<Self>> {
        cx.one(ANSWERING, params![request])
    }

    /// The last that was to answer a request to pay, whatever became of it.
    pub fn latest_answering(cx: &mut Read, request: PaymentRequestId) -> Result<Option<Self>> {
        cx.one(LATEST_ANSWERING, params![request])
    }

    /// Whether the client makes it on a page, so that nothing is charged without them.
    pub fn is_by_page(&self) -> bool {
        self.source == PaymentSource::Request && self.payment_method_id.is_none()
    }

    /// Whether only a chargeback or a refund can still change it.
    pub fn is_final(&self) -> bool {
        !matches!(self.status, PaymentStatus::Pending | PaymentStatus::Processing)
    }

    /// The amount that can be refunded.
    pub fn refundable(&self) -> i64 {
        match self.status {
            PaymentStatus::Succeeded => self.amount - self.refunded_total - self.disputed_total,
            _ => 0,
        }
    }

    /// The subjects of the totals that count it.
    fn subjects(&self) -> BTreeSet<String> {
        let subjects = crate::subjects(TALLY, self.status.word(), self.client_id);
        subjects.into_iter().chain([mark(TALLY, self.payment_id.0)]).collect()
    }

    /// Inserts a new record.
    pub fn insert(&mut self, cx: &mut Write) -> Result<()> {
        self.update_metrics(cx, None)?;
        cx.set_audit_target("payment", self.payment_id, ["payment"]);
        cx.defer(INSERT, &self.params())?;
        cx.recount(&BTreeSet::new(), &self.subjects())
    }

    /// Saves the changes.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("payment", self.payment_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        self.update_metrics(cx, Some(before))?;
        cx.defer(SAVE, &self.params())?;
        cx.recount(&before.subjects(), &self.subjects())
    }

    /// Emits the event.
    pub fn publish(&self, cx: &mut Write, event: Event) -> Result<()> {
        let payload = PaymentEvent {
            payment_id: self.payment_id,
            client_id: self.client_id,
            invoice_id: self.invoice_id,
            payment_request_id: self.payment_request_id,
            amount: self.amount,
            currency: self.currency,
            status: self.status,
            source: self.source,
            kind: self.kind,
            failure_code: self.failure_code,
            attempt: self.attempt,
            settled_at: self.settled_at,
        };
        cx.emit(event, &payload).map(drop)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<PaymentEvent>()
}

statements! {
    FIND = "SELECT ", Payment::COLUMNS, " FROM payment WHERE company_id = ?1 AND payment_id = ?2";
    UNFINISHED = "SELECT ", Payment::COLUMNS, " FROM payment WHERE company_id = ?1 AND invoice_id = ?2 \
        AND status IN ('pending', 'processing')";
    ANSWERING = "SELECT ", Payment::COLUMNS, " FROM payment WHERE company_id = ?1 \
        AND payment_request_id = ?2 AND status IN ('pending', 'processing')";
    LATEST_ANSWERING = "SELECT ", Payment::COLUMNS, " FROM payment WHERE company_id = ?1 \
        AND payment_request_id = ?2 ORDER BY payment_id DESC LIMIT 1";
    INSERT = "INSERT INTO payment ", values!(Payment);
    SAVE = "UPDATE payment SET ", set!(Payment), " WHERE company_id = ?1 AND payment_id = ?2";
}
