//! The sandbox: a test bank with its own books and transactions, where no money moves. A token says how a card or
//! account behaves; what the bank decides later it does by itself ([`days`]) and announces in signed notices. It
//! honours idempotency keys, as real providers do. Its books are in [`books`], its pages in [`pages`].

mod books;
mod days;
mod pages;
pub mod played;

use spotter_billing::{
    collecting::provider::{
        ChargeOutcome, ChargedMethod, Dispute, Notice, NoticeAbout, Order, RefundOrder,
        RefundResult, SetUp, SetupOrder,
    },
    ids::{PaymentId, PaymentSetupId},
};
use spotter_contract::{Area, Env};
use spotter_kernel::{Problem, Result, id::CompanyId};
use spotter_store::Db;

use crate::ProviderAnswer;
pub use days::next_due;
pub(crate) use pages::routes;

/// The header of a notice's signature.
pub const SIGNATURE_HEADER: &str = "sandbox-signature";

/// The bank.
#[derive(Clone)]
pub struct Bank {
    db: Db,
    env: Env,
}

/// An answer of the bank that leaves the outcome unknown.
fn unknown_outcome(problem: Problem) -> String {
    problem.to_string()
}

impl Bank {
    /// The bank of an installation.
    pub(crate) fn new(db: Db, env: Env) -> Self {
        Self { db, env }
    }

    /// Charges a card or an account.
    pub(crate) async fn charge(
        &self,
        company: CompanyId,
        order: &Order,
        charged: &ChargedMethod,
    ) -> ChargeOutcome {
        let (order, token, now) = (order.clone(), charged.token.clone(), self.env.clock.now());
        let done = self.db.write(move |tx| books::charge(tx, company, &order, &token, now)).await;
        match done {
            Ok((_, true)) => ChargeOutcome::Unknown("the bank's answer was lost".to_owned()),
            Ok((payment, false)) => payment.outcome(),
            Err(problem) => ChargeOutcome::Unknown(unknown_outcome(problem)),
        }
    }

    /// The state of a payment.
    pub(crate) async fn find(
        &self,
        company: CompanyId,
        payment: PaymentId,
    ) -> ProviderAnswer<Option<ChargeOutcome>> {
        let reference = payment.to_string();
        let found = self.db.read(move |tx| books::payment(tx, company, &reference)).await;
        found.map(|found| found.map(|payment| payment.outcome())).map_err(unknown_outcome)
    }

    /// Closes the page of a payment that was not made.
    pub(crate) async fn cancel(
        &self,
        company: CompanyId,
        payment: PaymentId,
    ) -> ProviderAnswer<Option<ChargeOutcome>> {
        let reference = payment.to_string();
        let closed = self.db.write(move |tx| books::close(tx, company, &reference)).await;
        closed.map(|found| found.map(|payment| payment.outcome())).map_err(unknown_outcome)
    }

    /// Opens a page on which a payment is made.
    pub(crate) async fn pay_page(
        &self,
        company: CompanyId,
        order: &Order,
        back: &str,
    ) -> ProviderAnswer<(String, String)> {
        let (order, back, now) = (order.clone(), back.to_owned(), self.env.clock.now());
        let reference = order.payment.to_string();
        let opened = self.db.write(move |tx| books::open_page(tx, company, &order, &back, now));
        opened.await.map_err(unknown_outcome)?;
        let url = self.page_address("payments", company, &reference).map_err(unknown_outcome)?;
        Ok((url, reference))
    }

    /// Opens a page on which a card or an account is left.
    pub(crate) async fn setup_page(
        &self,
        company: CompanyId,
        order: &SetupOrder,
        back: &str,
    ) -> ProviderAnswer<(String, String)> {
        let (reference, back, now) =
            (order.setup.to_string(), back.to_owned(), self.env.clock.now());
        let kept = reference.clone();
        let opened = self.db.write(move |tx| books::open_setup(tx, company, &kept, &back, now));
        opened.await.map_err(unknown_outcome)?;
        let url = self.page_address("setups", company, &reference).map_err(unknown_outcome)?;
        Ok((url, reference))
    }

    /// What came of such a page.
    pub(crate) async fn find_setup(
        &self,
        company: CompanyId,
        setup: PaymentSetupId,
    ) -> ProviderAnswer<SetUp> {
        let reference = setup.to_string();
        let found = self.db.read(move |tx| books::setup(tx, company, &reference)).await;
        let token = found.map_err(unknown_outcome)?.and_then(|setup| setup.token());
        Ok(token.map_or(SetUp::Waiting, |token| SetUp::Done(token.facts())))
    }

    /// Sends money back.
    pub(crate) async fn refund(&self, company: CompanyId, order: &RefundOrder) -> RefundResult {
        let order = order.clone();
        let done = self.db.write(move |tx| books::refund(tx, company, &order)).await;
        match done {
            Ok(true) => RefundResult::Done,
            Ok(false) => RefundResult::Refused("the payment has no such money left".to_owned()),
            Err(problem) => RefundResult::Unknown(unknown_outcome(problem)),
        }
    }

    /// A chargeback.
    pub(crate) async fn dispute(
        &self,
        company: CompanyId,
        reference: &str,
    ) -> ProviderAnswer<Option<Dispute>> {
        let reference = reference.to_owned();
        let found = self.db.read(move |tx| books::dispute(tx, company, &reference)).await;
        found.map(|found| found.and_then(|kept| kept.into_dispute())).map_err(unknown_outcome)
    }
}

/// The content of a notice.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NoticePayload {
    notice: String,
    about: String,
    reference: String,
}

/// Reads a notice whose signature is valid.
pub(crate) fn read_notice(body: &str) -> std::result::Result<Option<Notice>, &'static str> {
    let payload: NoticePayload =
        serde_json::from_str(body).map_err(|_| "it is no notice of the sandbox")?;
    let about = NoticeAbout::parse(&payload.about).filter(|about| *about != NoticeAbout::Page);
    let about = about.ok_or("it is about nothing that is known")?;
    Ok(Some(Notice { event: payload.notice, about, reference: payload.reference }))
}

/// The bank's statements.
pub(crate) fn area() -> Area {
    Area::join([Area::of(books::STATEMENTS), Area::of(days::STATEMENTS)])
}

impl Bank {
    /// The address of a page, which cannot be guessed from a reference.
    fn page_address(&self, kind: &str, company: CompanyId, reference: &str) -> Result<String> {
        let seal = self.seal(kind, company, reference)?;
        let address = &self.env.address;
        Ok(format!("{address}/sandbox-bank/{kind}/{company}/{reference}/{seal}"))
    }

    fn seal(&self, kind: &str, company: CompanyId, reference: &str) -> Result<String> {
        let signed = self
            .env
            .vault
            .sign("sandbox page", format!("{kind}/{company}/{reference}").as_bytes())?;
        Ok(signed.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}
