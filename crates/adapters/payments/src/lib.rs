//! Payment providers. [`Providers`] implements what billing asks of one; [`jobs`] charges and refunds, [`payment_webhooks`] leads clients
//! to providers' pages and receives notices, [`sandbox`] is a test bank, [`stripe`] moves real money.

mod jobs;
mod payment_webhooks;
pub mod sandbox;
mod signature;
pub mod stripe;

use spotter_billing::{
    collecting::provider::{
        ChargedMethod, Dispute, Notice, Order, PaymentResult, ProviderAccount, ProviderName,
        RefundOrder, RefundResult, SetUp, SetupOrder,
    },
    ids::{PaymentId, PaymentSetupId},
};
use spotter_contract::{Area, Env, Read, Write};
use spotter_kernel::{Event, Problem, Result, id::CompanyId};
use spotter_store::Db;

pub use jobs::workers;
pub use payment_webhooks::router;

use sandbox::Bank;
use stripe::Stripe;

/// Everybody who fetches money.
#[derive(Clone)]
pub struct Providers {
    db: Db,
    env: Env,
    bank: Bank,
    stripe: Stripe,
}

/// A provider's answer to a query, or why it is unknown.
pub type ProviderAnswer<T> = std::result::Result<T, String>;

impl Providers {
    /// The providers of an installation; `stripe` is Stripe's base address.
    pub fn new(db: Db, env: Env, stripe: &str) -> Result<Self> {
        let bank = Bank::new(db.clone(), env.clone());
        Ok(Self { db, env, bank, stripe: Stripe::new(stripe)? })
    }

    /// The bank for trying things out.
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// Charges a card or an account; under the payment's id once.
    async fn charge(
        &self,
        account: &ProviderAccount,
        order: &Order,
        charged: &ChargedMethod,
    ) -> PaymentResult {
        match account.provider {
            ProviderName::Sandbox => self.bank.charge(account.company, order, charged).await.into(),
            ProviderName::Stripe => self.stripe.charge(account, order, charged).await,
        }
    }

    /// The state of a payment at the provider, by its reference if known; `None` where the provider does not know it.
    async fn find(
        &self,
        account: &ProviderAccount,
        payment: PaymentId,
        reference: Option<&str>,
    ) -> ProviderAnswer<Option<PaymentResult>> {
        match account.provider {
            ProviderName::Sandbox => {
                let found = self.bank.find(account.company, payment).await;
                found.map(|found| found.map(PaymentResult::from))
            }
            ProviderName::Stripe => self.stripe.find(account, payment, reference).await,
        }
    }

    /// Closes the page of a payment unless it was paid; returns the payment's state.
    async fn cancel(
        &self,
        account: &ProviderAccount,
        payment: PaymentId,
        reference: Option<&str>,
    ) -> ProviderAnswer<Option<PaymentResult>> {
        match account.provider {
            ProviderName::Sandbox => {
                let closed = self.bank.cancel(account.company, payment).await;
                closed.map(|closed| closed.map(PaymentResult::from))
            }
            ProviderName::Stripe => self.stripe.cancel(account, payment, reference).await,
        }
    }

    /// The page on which a payment is made, and what the provider calls it.
    async fn pay_page(
        &self,
        account: &ProviderAccount,
        order: &Order,
        back: &str,
    ) -> ProviderAnswer<(String, String)> {
        match account.provider {
            ProviderName::Sandbox => self.bank.pay_page(account.company, order, back).await,
            ProviderName::Stripe => self.stripe.pay_page(account, order, back).await,
        }
    }

    /// The page on which a card or an account is left, and what the provider calls it.
    async fn setup_page(
        &self,
        account: &ProviderAccount,
        order: &SetupOrder,
        back: &str,
    ) -> ProviderAnswer<(String, String)> {
        match account.provider {
            ProviderName::Sandbox => self.bank.setup_page(account.company, order, back).await,
            ProviderName::Stripe => self.stripe.setup_page(account, order, back).await,
        }
    }

    /// What came of such a page, which the provider may call so.
    async fn find_setup(
        &self,
        account: &ProviderAccount,
        setup: PaymentSetupId,
        reference: Option<&str>,
    ) -> ProviderAnswer<SetUp> {
        match account.provider {
            ProviderName::Sandbox => self.bank.find_setup(account.company, setup).await,
            ProviderName::Stripe => self.stripe.find_setup(account, reference).await,
        }
    }

    /// Sends money back; under the refund's id once.
    async fn refund(&self, account: &ProviderAccount, order: &RefundOrder) -> RefundResult {
        match account.provider {
            ProviderName::Sandbox => self.bank.refund(account.company, order).await,
            ProviderName::Stripe => self.stripe.refund(account, order).await,
        }
    }

    /// A chargeback.
    async fn dispute(
        &self,
        account: &ProviderAccount,
        reference: &str,
    ) -> ProviderAnswer<Option<Dispute>> {
        match account.provider {
            ProviderName::Sandbox => self.bank.dispute(account.company, reference).await,
            ProviderName::Stripe => self.stripe.dispute(account, reference).await,
        }
    }

    /// The content of a provider's notice after verifying its sender; otherwise what is wrong with it. `None` where
    /// it is about something else.
    fn read_notice(
        &self,
        account: &ProviderAccount,
        header: impl Fn(&str) -> Option<String>,
        body: &str,
    ) -> std::result::Result<Option<Notice>, &'static str> {
        let (name, read): (_, fn(&str) -> _) = match account.provider {
            ProviderName::Sandbox => (sandbox::SIGNATURE_HEADER, sandbox::read_notice),
            ProviderName::Stripe => (stripe::SIGNATURE_HEADER, stripe::read_notice),
        };
        let given = header(name).unwrap_or_default();
        signature::verify(&account.keys.notices, &given, body, self.env.clock.now())?;
        read(body)
    }

    /// Reads as the system.
    async fn read<T: Send + 'static>(
        &self,
        company: CompanyId,
        question: impl Fn(&mut Read) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let env = self.env.clone();
        let request = self.db.read(move |tx| {
            let caller = spotter_contract::Caller::new(company, spotter_contract::Actor::System);
            question(&mut Read::new(tx, &caller, env.clock.now()).with_env(&env))
        });
        request.await
    }

    /// Writes as the system, under a name for the audit log.
    async fn write<T: Send + 'static>(
        &self,
        company: CompanyId,
        operation: &'static str,
        events: &'static [Event],
        change: impl Fn(&mut Write) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let env = self.env.clone();
        let written = self.db.write(move |tx| {
            let mut made = None;
            Write::as_system(tx, &env, company, operation, events, |cx| {
                made = Some(change(cx)?);
                Ok(())
            })?;
            made.ok_or_else(|| Problem::internal("a step made nothing"))
        });
        written.await
    }
}

/// The area's operations and tables.
pub fn area() -> Area {
    sandbox::area()
}
