//! A payment request: the record, its API form, and how it follows its invoice.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Payload, Read, Timer, Write, vault::digest};
use spotter_kernel::{
    Event, Id, Key, Problem, Result, Timestamp,
    id::ClientId,
    money::Currency,
    secret::{Credential, CredentialKind},
};
use spotter_store::{params, record, set, statements, values, words};

use super::{page::PAGE, payment::Payment};
use crate::{
    billing::invoice::Invoice,
    collecting::charging,
    ids::{InvoiceId, PaymentRequestId},
};

words! {
    /// Current status.
    pub enum PaymentRequestStatus {
        Open = "open",
        Paid = "paid",
        Cancelled = "cancelled",
        Expired = "expired",
    }
}

record! {
    /// A request to pay.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct PaymentRequest {
        /// Id of the payment request.
        pub payment_request_id: PaymentRequestId,
        /// The client who is to pay.
        pub client_id: ClientId,
        /// The invoice that it is for.
        pub invoice_id: Option<InvoiceId>,
        /// Amount in minor units of the currency.
        pub amount: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// Description for the client.
        pub description: String,
        /// Current status.
        pub status: PaymentRequestStatus,
        /// What its address ends with, sealed.
        #[serde(skip)]
        pub token: Vec<u8>,
        /// The key of its page.
        #[serde(skip)]
        pub digest: Vec<u8>,
        /// Instant at which the request expires.
        pub expires_at: Timestamp,
        /// When it was paid.
        pub paid_at: Option<Timestamp>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The default number of days that a request can be paid.
pub const OPEN_DAYS: i64 = 30;

/// What a client is to pay.
pub struct RequestedPayment {
    /// The client who is to pay.
    pub client_id: ClientId,
    /// The invoice that it is for.
    pub invoice_id: Option<InvoiceId>,
    /// Amount in minor units.
    pub amount: i64,
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
    /// Description for the client.
    pub description: String,
    /// Instant at which the request expires.
    pub expires_at: Timestamp,
}

/// The payload of every payment request event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequestEvent {
    payment_request_id: PaymentRequestId,
    client_id: ClientId,
    invoice_id: Option<InvoiceId>,
    /// Amount in minor units of the currency.
    amount: i64,
    currency: Currency,
    status: PaymentRequestStatus,
    expires_at: Timestamp,
    paid_at: Option<Timestamp>,
}

impl Payload for PaymentRequestEvent {
    const EVENTS: &'static [Event] =
        &[Event::PaymentRequestCreated, Event::PaymentRequestCancelled];
}

/// The subject of the total of all requests to pay.
pub const TALLY: &str = "paymentRequests";

impl PaymentRequest {
    /// The request with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: PaymentRequestId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        cx.own(found, |request| request.client_id)
    }

    /// The request whose page a key opens.
    pub fn opened_by(cx: &mut Read, credential: &Credential) -> Result<Option<Self>> {
        cx.one(BY_DIGEST, params![digest(credential).to_vec()])
    }

    /// Whether it can be paid.
    pub fn is_open(&self) -> bool {
        self.status == PaymentRequestStatus::Open
    }

    /// The address of its page.
    pub fn page(&self, cx: &Read) -> Result<Option<String>> {
        let text = cx.unsealed(&self.token)?;
        let text = String::from_utf8(text).map_err(Problem::internal)?;
        let credential = Credential::parse(CredentialKind::PayPage, &text);
        let installation = cx.address()?;
        Ok(credential.map(|credential| PAGE.address(installation, &credential)))
    }

    /// Creates a payment request.
    pub fn create(cx: &mut Write, new: RequestedPayment) -> Result<Self> {
        let credential = cx.new_credential(CredentialKind::PayPage);
        let request = Self {
            payment_request_id: PaymentRequestId(cx.new_id()),
            client_id: new.client_id,
            invoice_id: new.invoice_id,
            amount: new.amount,
            currency: new.currency,
            description: new.description,
            status: PaymentRequestStatus::Open,
            token: cx.env().vault.seal(credential.expose().as_bytes(), &*cx.env().entropy)?,
            digest: digest(&credential).to_vec(),
            expires_at: new.expires_at,
            paid_at: None,
            created_at: cx.now(),
            updated_at: cx.now(),
        };
        request.insert(cx)?;
        request.publish(cx, Event::PaymentRequestCreated)?;
        Ok(request)
    }

    /// The request for the whole balance of an invoice; creates one where there is none.
    pub fn for_balance_due(cx: &mut Write, invoice: &Invoice) -> Result<Self> {
        let open: Vec<Self> = cx.all(OPEN_OF, params![invoice.invoice_id])?;
        let whole = open.into_iter().find(|request| request.amount == invoice.balance);
        if let Some(request) = whole {
            return Ok(request);
        }
        let requested = RequestedPayment {
            client_id: invoice.client_id,
            invoice_id: Some(invoice.invoice_id),
            amount: invoice.balance,
            currency: invoice.currency,
            description: invoice.number.clone(),
            expires_at: cx.now().plus_days(OPEN_DAYS),
        };
        Self::create(cx, requested)
    }

    fn subjects(&self) -> BTreeSet<String> {
        crate::subjects(TALLY, self.status.word(), self.client_id)
    }

    /// Writes a new one down, and has it end in time.
    fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("payment_request", self.payment_request_id, ["paymentRequest"]);
        cx.defer(INSERT, &self.params())?;
        cx.set_timer(&EXPIRE_REQUEST, self.payment_request_id, self.expires_at)?;
        cx.recount(&BTreeSet::new(), &self.subjects())
    }

    /// Ends it.
    pub fn end(&self, cx: &mut Write, status: PaymentRequestStatus) -> Result<Self> {
        let mut request = self.clone();
        request.status = status;
        request.updated_at = cx.now();
        if status == PaymentRequestStatus::Paid {
            request.paid_at = Some(cx.now());
        }
        cx.defer(SAVE, &request.params())?;
        cx.clear_timer(&EXPIRE_REQUEST, self.payment_request_id)?;
        if let Some(payment) = Payment::answering(cx, self.payment_request_id)? {
            charging::close_page(cx, &payment)?;
        }
        cx.recount(&self.subjects(), &request.subjects())?;
        if status != PaymentRequestStatus::Paid {
            request.publish(cx, Event::PaymentRequestCancelled)?;
        }
        Ok(request)
    }

    /// Emits the event.
    pub fn publish(&self, cx: &mut Write, event: Event) -> Result<()> {
        let payload = PaymentRequestEvent {
            payment_request_id: self.payment_request_id,
            client_id: self.client_id,
            invoice_id: self.invoice_id,
            amount: self.amount,
            currency: self.currency,
            status: self.status,
            expires_at: self.expires_at,
            paid_at: self.paid_at,
        };
        cx.emit(event, &payload).map(drop)
    }
}

/// Lowers a request to what is left to pay of its invoice.
pub fn lower(cx: &mut Write, invoice: InvoiceId, balance: i64) -> Result<()> {
    let now = cx.now();
    if let Some(payment) = Payment::unfinished(cx, invoice)?.filter(|own| own.amount > balance) {
        charging::close_page(cx, &payment)?;
    }
    cx.defer(LOWER, params![invoice, balance, now])
}

/// Ends the open requests for a settled invoice.
pub fn end_with(cx: &mut Write, invoice: InvoiceId, status: PaymentRequestStatus) -> Result<()> {
    let open: Vec<PaymentRequest> = cx.all(OPEN_OF, params![invoice])?;
    open.iter().try_for_each(|request| request.end(cx, status).map(drop))
}

fn expire_request(cx: &mut Write, id: Id) -> Result<()> {
    let request = PaymentRequest::find(cx, PaymentRequestId(id))?;
    match request.is_open() {
        true => request.end(cx, PaymentRequestStatus::Expired).map(drop),
        false => Ok(()),
    }
}

static EXPIRE_REQUEST: Timer =
    Timer::new("expire_payment_request", "Expire a payment request", expire_request)
        .emits(&[Event::PaymentRequestCancelled]);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<PaymentRequestEvent>().timers(&[&EXPIRE_REQUEST])
}

statements! {
    FIND = "SELECT ", PaymentRequest::COLUMNS, " FROM payment_request \
        WHERE company_id = ?1 AND payment_request_id = ?2";
    BY_DIGEST = "SELECT ", PaymentRequest::COLUMNS, " FROM payment_request \
        WHERE company_id = ?1 AND digest = ?2";
    OPEN_OF = "SELECT ", PaymentRequest::COLUMNS, " FROM payment_request \
        WHERE company_id = ?1 AND invoice_id = ?2 AND status = 'open' ORDER BY payment_request_id LIMIT 100";
    LOWER = "UPDATE payment_request SET amount = ?3, updated_at = ?4 WHERE company_id = ?1 \
        AND invoice_id = ?2 AND status = 'open' AND amount > ?3";
    INSERT = "INSERT INTO payment_request ", values!(PaymentRequest);
    SAVE = "UPDATE payment_request SET ", set!(PaymentRequest),
        " WHERE company_id = ?1 AND payment_request_id = ?2";
}
