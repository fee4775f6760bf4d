//! The bank's books: payments, pages, refunds and disputes, by the references that it was given.

use spotter_billing::{
    collecting::{
        methods::SandboxToken,
        provider::{
            ChargeOutcome, ChargebackKind, ChargebackStatus, Dispute, NoticeAbout, Order,
            RefundOrder,
        },
    },
    ids::PaymentId,
    payments::payment::{FailureCode, PaymentKind},
};
use spotter_kernel::{Id, Result, Timestamp, id::CompanyId, money::Currency};
use spotter_store::{Agenda, Bind, Tx, params, record, set, statements, values, words};

/// The bank's queue in the agenda.
pub(super) const QUEUE: &str = "sandbox";

/// How long the bank takes for what takes time, in seconds.
pub const BANK_SECONDS: i64 = 5;
/// How long a page is open, in minutes.
const PAGE_MINUTES: i64 = 30;
/// How long a company can show that it is in the right, in days.
const EVIDENCE_DAYS: i64 = 7;

words! {
    /// The status of a payment at the bank.
    pub enum BankState {
        Waiting = "waiting",
        Processing = "processing",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

words! {
    /// What the bank does next by itself.
    pub enum NextStep {
        Succeed = "succeed",
        Fail = "fail",
        Dispute = "dispute",
        DisputeInVain = "dispute_in_vain",
        Return = "return",
        Close = "close",
    }
}

record! {
    /// A payment as the bank keeps it.
    #[derive(Clone, Debug)]
    pub struct BankPayment {
        pub reference: String,
        pub token: Option<String>,
        pub amount: i64,
        pub currency: Currency,
        pub state: BankState,
        pub failure: Option<FailureCode>,
        pub refunded: i64,
        pub return_url: Option<String>,
        pub description: String,
        pub next: Option<NextStep>,
        pub next_at: Option<Timestamp>,
        pub created_at: Timestamp,
    }
}

record! {
    /// A page on which something is left.
    #[derive(Clone, Debug)]
    pub struct BankSetup {
        pub reference: String,
        token: Option<String>,
        pub return_url: String,
        created_at: Timestamp,
    }
}

record! {
    /// A dispute, or a direct debit that was returned. Its reference is the payment's.
    #[derive(Clone, Debug)]
    pub struct BankDispute {
        pub reference: String,
        kind: ChargebackKind,
        amount: i64,
        currency: Currency,
        pub state: ChargebackStatus,
        evidence_due_at: Option<Timestamp>,
        pub next: Option<NextStep>,
        pub next_at: Option<Timestamp>,
    }
}

impl BankSetup {
    /// The token of the saved method.
    pub fn token(&self) -> Option<SandboxToken> {
        self.token.as_deref().and_then(SandboxToken::parse)
    }
}

impl BankDispute {
    /// Its form for billing.
    pub fn into_dispute(self) -> Option<Dispute> {
        let reason = match self.kind {
            ChargebackKind::Dispute => "fraudulent",
            ChargebackKind::DebitReturn => "returned",
        };
        Some(Dispute {
            payment: PaymentId(Id::parse(&self.reference)?),
            reference: self.reference,
            kind: self.kind,
            amount: self.amount,
            currency: self.currency,
            reason: reason.to_owned(),
            status: self.state,
            evidence_due_at: self.evidence_due_at,
        })
    }
}

impl BankPayment {
    fn new(order: &Order, now: Timestamp) -> Self {
        Self {
            reference: order.payment.to_string(),
            token: None,
            amount: order.amount,
            currency: order.currency,
            state: BankState::Waiting,
            failure: None,
            refunded: 0,
            return_url: None,
            description: order.description.clone(),
            next: None,
            next_at: None,
            created_at: now,
        }
    }

    /// Its form for billing.
    pub fn outcome(&self) -> ChargeOutcome {
        let token = self.token.as_deref().and_then(SandboxToken::parse);
        let kind = token.map_or(PaymentKind::Card, |token| token.facts().kind.into());
        match self.state {
            BankState::Waiting => ChargeOutcome::Waiting,
            BankState::Processing => ChargeOutcome::Processing(kind),
            BankState::Succeeded => ChargeOutcome::Succeeded(kind),
            BankState::Failed => {
                ChargeOutcome::Failed(self.failure.unwrap_or(FailureCode::ProviderError))
            }
            BankState::Cancelled => ChargeOutcome::Cancelled,
        }
    }

    /// What a token does to it, with its holder there or not.
    pub fn take(&mut self, token: SandboxToken, holder_is_there: bool, now: Timestamp) {
        self.token = Some(token.word().to_owned());
        self.next = None;
        let mut fails = |code| {
            self.failure = Some(code);
            BankState::Failed
        };
        self.state = match token {
            SandboxToken::Declined => fails(FailureCode::Declined),
            SandboxToken::Insufficient => fails(FailureCode::InsufficientFunds),
            SandboxToken::Expired => fails(FailureCode::MethodExpired),
            SandboxToken::Action if !holder_is_there => fails(FailureCode::AuthenticationRequired),
            SandboxToken::SlowOk | SandboxToken::SlowFail => BankState::Processing,
            SandboxToken::Ok
            | SandboxToken::Action
            | SandboxToken::LostAnswer
            | SandboxToken::Chargeback
            | SandboxToken::ChargebackWon
            | SandboxToken::Return => BankState::Succeeded,
        };
        self.next = match token {
            SandboxToken::SlowOk => Some(NextStep::Succeed),
            SandboxToken::SlowFail => Some(NextStep::Fail),
            SandboxToken::Chargeback => Some(NextStep::Dispute),
            SandboxToken::ChargebackWon => Some(NextStep::DisputeInVain),
            SandboxToken::Return => Some(NextStep::Return),
            _ => None,
        };
        self.next_at = self.next.map(|_| now.plus_seconds(BANK_SECONDS));
    }

    /// Saves it and queues a notice.
    pub fn save(&self, tx: &mut Tx<'_>, company: CompanyId) -> Result<()> {
        tx.execute(SAVE_PAYMENT, &self.row(company))?;
        self.next_at.iter().for_each(|at| tx.note_due(QUEUE, *at));
        self.queue_notice(tx, company)
    }

    fn queue_notice(&self, tx: &mut Tx<'_>, company: CompanyId) -> Result<()> {
        // A state is announced once.
        let notice = format!("{}-{}", self.reference, self.state.word());
        queue_notice(tx, company, &notice, NoticeAbout::Payment, &self.reference)
    }

    fn row(&self, company: CompanyId) -> Vec<spotter_store::Value<'_>> {
        let mut row = vec![company.bind().into_owned()];
        row.extend(self.params());
        row
    }
}

/// Queues a notice.
pub fn queue_notice(
    tx: &mut Tx<'_>,
    company: CompanyId,
    notice: &str,
    about: NoticeAbout,
    reference: &str,
) -> Result<()> {
    tx.note_due(QUEUE, Agenda::AT_ONCE);
    tx.execute(ADD_NOTICE, params![company, notice, about, reference]).map(drop)
}

/// A payment by its reference.
pub fn payment(
    tx: &mut Tx<'_>,
    company: CompanyId,
    reference: &str,
) -> Result<Option<BankPayment>> {
    tx.one(PAYMENT, params![company, reference])
}

/// A page by its reference.
pub fn setup(tx: &mut Tx<'_>, company: CompanyId, reference: &str) -> Result<Option<BankSetup>> {
    tx.one(SETUP, params![company, reference])
}

/// A dispute by its reference.
pub fn dispute(
    tx: &mut Tx<'_>,
    company: CompanyId,
    reference: &str,
) -> Result<Option<BankDispute>> {
    tx.one(DISPUTE, params![company, reference])
}

/// Charges a token, under the order's reference once; and whether the answer is lost.
pub fn charge(
    tx: &mut Tx<'_>,
    company: CompanyId,
    order: &Order,
    token: &str,
    now: Timestamp,
) -> Result<(BankPayment, bool)> {
    if let Some(known) = payment(tx, company, &order.payment.to_string())? {
        return Ok((known, false));
    }
    let mut new = BankPayment::new(order, now);
    match SandboxToken::parse(token) {
        Some(token) => new.take(token, false, now),
        None => (new.state, new.failure) = (BankState::Failed, Some(FailureCode::MethodRevoked)),
    }
    tx.execute(NEW_PAYMENT, &new.row(company))?;
    new.next_at.iter().for_each(|at| tx.note_due(QUEUE, *at));
    new.queue_notice(tx, company)?;
    Ok((new, token == SandboxToken::LostAnswer.word()))
}

/// Opens the page of a payment, once.
pub fn open_page(
    tx: &mut Tx<'_>,
    company: CompanyId,
    order: &Order,
    back: &str,
    now: Timestamp,
) -> Result<()> {
    if payment(tx, company, &order.payment.to_string())?.is_some() {
        return Ok(());
    }
    let mut new = BankPayment::new(order, now);
    new.return_url = Some(back.to_owned());
    new.next = Some(NextStep::Close);
    new.next_at = Some(now.plus_seconds(60 * PAGE_MINUTES));
    tx.execute(NEW_PAYMENT, &new.row(company)).map(drop)
}

/// Closes the page of a payment that was not made.
pub fn close(tx: &mut Tx<'_>, company: CompanyId, reference: &str) -> Result<Option<BankPayment>> {
    let Some(mut found) = payment(tx, company, reference)? else { return Ok(None) };
    if found.state == BankState::Waiting {
        found.state = BankState::Cancelled;
        (found.next, found.next_at) = (None, None);
        found.save(tx, company)?;
    }
    Ok(Some(found))
}

/// Opens the page of a setup, once.
pub fn open_setup(
    tx: &mut Tx<'_>,
    company: CompanyId,
    reference: &str,
    back: &str,
    now: Timestamp,
) -> Result<()> {
    if setup(tx, company, reference)?.is_some() {
        return Ok(());
    }
    tx.execute(NEW_SETUP, params![company, reference, None::<String>, back, now]).map(drop)
}

/// Leaves a token on the page of a setup.
pub fn leave(
    tx: &mut Tx<'_>,
    company: CompanyId,
    reference: &str,
    token: SandboxToken,
) -> Result<()> {
    if tx.execute(LEAVE, params![company, reference, token])? > 0 {
        queue_notice(tx, company, reference, NoticeAbout::Setup, reference)?;
    }
    Ok(())
}

/// Sends money back, under the refund's reference once; whether it could.
pub fn refund(tx: &mut Tx<'_>, company: CompanyId, order: &RefundOrder) -> Result<bool> {
    let (reference, of) = (order.refund.to_string(), order.payment.to_string());
    if tx.one::<(i64,)>(REFUND, params![company, reference])?.is_some() {
        return Ok(true);
    }
    let Some(mut paid) = payment(tx, company, &of)? else { return Ok(false) };
    // A charged-back amount is not available for a refund.
    let taken = dispute(tx, company, &of)?.filter(|own| own.state != ChargebackStatus::Won);
    let left = paid.amount - paid.refunded - taken.map_or(0, |own| own.amount);
    if paid.state != BankState::Succeeded || order.amount > left {
        return Ok(false);
    }
    paid.refunded += order.amount;
    tx.execute(SAVE_PAYMENT, &paid.row(company))?;
    tx.execute(NEW_REFUND, params![company, reference, of, order.amount])?;
    Ok(true)
}

/// Opens a dispute of a payment, or returns it.
pub fn take_back(
    tx: &mut Tx<'_>,
    company: CompanyId,
    of: &BankPayment,
    step: NextStep,
    now: Timestamp,
) -> Result<()> {
    let (kind, state) = match step {
        NextStep::Return => (ChargebackKind::DebitReturn, ChargebackStatus::Lost),
        _ => (ChargebackKind::Dispute, ChargebackStatus::Open),
    };
    if of.amount <= of.refunded {
        return Ok(());
    }
    let is_open = state == ChargebackStatus::Open;
    let evidence = is_open.then(|| now.plus_days(EVIDENCE_DAYS));
    let (next, next_at) = match step {
        NextStep::Dispute => (Some(NextStep::Fail), evidence),
        NextStep::DisputeInVain => (Some(NextStep::Succeed), Some(now.plus_seconds(BANK_SECONDS))),
        _ => (None, None),
    };
    let dispute = BankDispute {
        reference: of.reference.clone(),
        kind,
        amount: of.amount - of.refunded,
        currency: of.currency,
        state,
        evidence_due_at: evidence,
        next,
        next_at,
    };
    let mut row = params![company].to_vec();
    row.extend(dispute.params());
    tx.execute(NEW_DISPUTE, &row)?;
    queue_dispute_notice(tx, company, &dispute)
}

/// Decides a dispute.
pub fn decide(
    tx: &mut Tx<'_>,
    company: CompanyId,
    mut dispute: BankDispute,
    state: ChargebackStatus,
) -> Result<()> {
    dispute.state = state;
    (dispute.next, dispute.next_at) = (None, None);
    let mut row = params![company].to_vec();
    row.extend(dispute.params());
    tx.execute(SAVE_DISPUTE, &row)?;
    queue_dispute_notice(tx, company, &dispute)
}

fn queue_dispute_notice(tx: &mut Tx<'_>, company: CompanyId, dispute: &BankDispute) -> Result<()> {
    let notice = format!("{}-dispute-{}", dispute.reference, dispute.state.word());
    queue_notice(tx, company, &notice, NoticeAbout::Dispute, &dispute.reference)
}

statements! {
    PAYMENT = "SELECT ", BankPayment::COLUMNS, " FROM sandbox_payment \
        WHERE company_id = ?1 AND reference = ?2";
    NEW_PAYMENT = "INSERT INTO sandbox_payment ", values!(BankPayment);
    SAVE_PAYMENT = "UPDATE sandbox_payment SET ", set!(BankPayment),
        " WHERE company_id = ?1 AND reference = ?2";
    SETUP = "SELECT ", BankSetup::COLUMNS, " FROM sandbox_setup WHERE company_id = ?1 AND reference = ?2";
    NEW_SETUP = "INSERT INTO sandbox_setup ", values!(BankSetup);
    LEAVE = "UPDATE sandbox_setup SET token = ?3 \
        WHERE company_id = ?1 AND reference = ?2 AND token IS NULL";
    REFUND = "SELECT amount FROM sandbox_refund WHERE company_id = ?1 AND reference = ?2";
    NEW_REFUND = "INSERT INTO sandbox_refund (company_id, reference, payment, amount) \
        VALUES (?1, ?2, ?3, ?4)";
    DISPUTE = "SELECT ", BankDispute::COLUMNS, " FROM sandbox_dispute \
        WHERE company_id = ?1 AND reference = ?2";
    NEW_DISPUTE = "INSERT INTO sandbox_dispute ", values!(BankDispute);
    SAVE_DISPUTE = "UPDATE sandbox_dispute SET ", set!(BankDispute),
        " WHERE company_id = ?1 AND reference = ?2";
    ADD_NOTICE = "INSERT INTO sandbox_notice (company_id, notice, about, reference) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (company_id, notice) DO NOTHING";
}
