//! Stripe: real cards and accounts. The forms of requests and answers are in [`objects`], the HTTP in [`wire`]; here
//! are the calls.
//!
//! Payments are PaymentIntents, confirmed off-session; pages are Checkout Sessions. Each has our id in its metadata,
//! and each request uses our id as its idempotency key, which Stripe honours for a day. After that a payment is
//! searched for by its metadata.

mod objects;
mod wire;

use spotter_billing::{
    collecting::{
        method::MethodType,
        provider::{
            ChargeOutcome, ChargedMethod, Dispute, Notice, Order, PaymentResult, ProviderAccount,
            RefundOrder, RefundResult, SetUp, SetupOrder,
        },
    },
    ids::PaymentId,
    payments::payment::FailureCode,
};
use spotter_kernel::Result;

use crate::ProviderAnswer;
use objects::{
    ABANDONED, CheckoutSession, DisputeObject, ObjectId, PAGE, PAYMENT, PaymentIntent, REFUND,
    StripeEvent, StripeList, StripeRefund, units,
};
use wire::{StripeError, Wire};

/// The header of a notice's signature.
pub const SIGNATURE_HEADER: &str = "stripe-signature";

/// Stripe's address.
pub const ADDRESS: &str = "https://api.stripe.com";

const CHARGE: [(&str, &str); 1] = [("expand[]", "latest_charge")];
const PAID: [(&str, &str); 1] = [("expand[]", "payment_intent.latest_charge")];
const LEFT: [(&str, &str); 1] = [("expand[]", "setup_intent.payment_method")];

/// Stripe.
#[derive(Clone)]
pub struct Stripe {
    wire: Wire,
}

/// An answer that leaves the outcome unknown.
fn unknown_outcome(trouble: StripeError) -> String {
    trouble.to_string()
}

/// A Stripe id as part of a path; `None` where it is malformed.
fn path_segment(reference: &str) -> Option<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!reference.is_empty() && reference.bytes().all(plain)).then_some(reference)
}

const fn word(kind: MethodType) -> &'static str {
    match kind {
        MethodType::Card => "card",
        MethodType::SepaDebit => "sepa_debit",
    }
}

/// A request that was refused; nothing was charged.
fn not_charged(code: FailureCode) -> PaymentResult {
    ChargeOutcome::Failed(code).into()
}

impl Stripe {
    /// Stripe at an address.
    pub fn new(address: &str) -> Result<Self> {
        Ok(Self { wire: Wire::new(address)? })
    }

    /// Charges a card or an account.
    pub async fn charge(
        &self,
        account: &ProviderAccount,
        order: &Order,
        charged: &ChargedMethod,
    ) -> PaymentResult {
        let Some(amount) = units(order.amount, order.currency) else {
            return not_charged(FailureCode::ProviderError);
        };
        let (id, amount) = (order.payment.to_string(), amount.to_string());
        let metadata = format!("metadata[{PAYMENT}]");
        let currency = order.currency.code().to_lowercase();
        let mut form = vec![
            ("amount", amount.as_str()),
            ("currency", &currency),
            ("payment_method", &charged.token),
            ("payment_method_types[0]", word(charged.kind)),
            ("description", &order.description),
            ("confirm", "true"),
            ("off_session", "true"),
            (&metadata, &id),
            CHARGE[0],
        ];
        form.extend(charged.customer.as_deref().map(|customer| ("customer", customer)));
        let sent =
            self.wire.post::<PaymentIntent>(&account.keys.secret, "payment_intents", &id, &form);
        match sent.await {
            Ok(intent) => self.without_its_client(account, &intent).await,
            Err(StripeError::Said(refusal)) if refusal.is_final() => PaymentResult {
                outcome: ChargeOutcome::Failed(refusal.failure()),
                reference: refusal.payment_intent.map(|intent| intent.id),
                money: None,
            },
            Err(StripeError::Said(refusal)) if refusal.is_refused_at_the_door() => {
                ChargeOutcome::NotTaken(refusal.message).into()
            }
            Err(trouble) => ChargeOutcome::Unknown(unknown_outcome(trouble)).into(),
        }
    }

    /// The state of an off-session payment; one that requires action by its absent client is cancelled.
    async fn without_its_client(
        &self,
        account: &ProviderAccount,
        intent: &PaymentIntent,
    ) -> PaymentResult {
        if !intent.wants_its_client() {
            return intent.result();
        }
        let path = format!("payment_intents/{}/cancel", intent.id);
        let key = format!("cancel-{}", intent.id);
        let form = [("cancellation_reason", ABANDONED)];
        let cancelled = self.wire.post::<PaymentIntent>(&account.keys.secret, &path, &key, &form);
        let reference = Some(intent.id.clone());
        let outcome = match cancelled.await {
            Ok(_) => ChargeOutcome::Failed(FailureCode::AuthenticationRequired),
            Err(trouble) => ChargeOutcome::Unknown(unknown_outcome(trouble)),
        };
        PaymentResult { outcome, reference, money: None }
    }

    /// The state of a payment, by its Stripe id, its page, or our id in its metadata.
    pub async fn find(
        &self,
        account: &ProviderAccount,
        payment: PaymentId,
        reference: Option<&str>,
    ) -> ProviderAnswer<Option<PaymentResult>> {
        match reference.and_then(path_segment) {
            Some(page) if page.starts_with("cs_") => {
                self.session(account, page, &PAID).await.map(|session| Some(session.result()))
            }
            own => match self.intent(account, payment, own).await? {
                // Of a page only what it was left with has a name of its own.
                Some(intent) if own.is_some() && !intent.wants_its_client() => {
                    Ok(Some(intent.result_after_page()))
                }
                Some(intent) => Ok(Some(self.without_its_client(account, &intent).await)),
                None => Ok(None),
            },
        }
    }

    async fn intent(
        &self,
        account: &ProviderAccount,
        payment: PaymentId,
        reference: Option<&str>,
    ) -> ProviderAnswer<Option<PaymentIntent>> {
        let secret = &account.keys.secret;
        if let Some(reference) = reference {
            let path = format!("payment_intents/{reference}");
            return self.wire.get(secret, &path, &CHARGE).await.map(Some).map_err(unknown_outcome);
        }
        let query = format!("metadata[\"{PAYMENT}\"]:\"{payment}\"");
        let query = [("query", query.as_str()), ("expand[]", "data.latest_charge")];
        let found =
            self.wire.get::<StripeList<PaymentIntent>>(secret, "payment_intents/search", &query);
        let found = found.await.map_err(unknown_outcome)?.data;
        Ok(found.into_iter().find(|intent| intent.payment() == Some(payment)))
    }

    async fn session(
        &self,
        account: &ProviderAccount,
        page: &str,
        query: &wire::FormBody<'_>,
    ) -> ProviderAnswer<CheckoutSession> {
        let path = format!("checkout/sessions/{page}");
        self.wire.get(&account.keys.secret, &path, query).await.map_err(unknown_outcome)
    }

    /// Closes the page of a payment unless it was paid; returns the payment's state.
    pub async fn cancel(
        &self,
        account: &ProviderAccount,
        payment: PaymentId,
        reference: Option<&str>,
    ) -> ProviderAnswer<Option<PaymentResult>> {
        // Nobody was redirected to a page without an id.
        let Some(page) = reference.and_then(path_segment) else { return Ok(None) };
        if !page.starts_with("cs_") {
            return self.find(account, payment, reference).await;
        }
        let (path, key) = (format!("checkout/sessions/{page}/expire"), format!("expire-{page}"));
        match self.wire.post::<CheckoutSession>(&account.keys.secret, &path, &key, &[]).await {
            Ok(session) => Ok(Some(session.result())),
            // It is over already, or paid.
            Err(StripeError::Said(refusal)) if refusal.is_final() => {
                self.find(account, payment, reference).await
            }
            Err(trouble) => Err(unknown_outcome(trouble)),
        }
    }

    /// The page on which a payment is made, and what it is called.
    pub async fn pay_page(
        &self,
        account: &ProviderAccount,
        order: &Order,
        back: &str,
    ) -> ProviderAnswer<(String, String)> {
        let amount = units(order.amount, order.currency)
            .ok_or("Stripe does not take such an amount of this currency")?;
        let (id, amount) = (order.payment.to_string(), amount.to_string());
        let currency = order.currency.code().to_lowercase();
        let metadata = format!("payment_intent_data[metadata][{PAYMENT}]");
        let on_page = format!("payment_intent_data[metadata][{PAGE}]");
        let form = [
            ("mode", "payment"),
            ("client_reference_id", id.as_str()),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", &currency),
            ("line_items[0][price_data][unit_amount]", &amount),
            ("line_items[0][price_data][product_data][name]", &order.description),
            ("payment_intent_data[description]", &order.description),
            (&metadata, &id),
            (&on_page, "yes"),
            ("success_url", back),
            ("cancel_url", back),
        ];
        self.open_page(account, &format!("page-{id}"), &form).await.map_err(unknown_outcome)
    }

    /// The page on which a card or an account is left, and what it is called.
    pub async fn setup_page(
        &self,
        account: &ProviderAccount,
        order: &SetupOrder,
        back: &str,
    ) -> ProviderAnswer<(String, String)> {
        let (id, client) = (order.setup.to_string(), order.client.to_string());
        let form = [("name", order.name.as_str()), ("metadata[spotter_client]", &client)];
        let key = format!("customer-{id}");
        let made = self.wire.post::<ObjectId>(&account.keys.secret, "customers", &key, &form);
        let customer = made.await.map_err(unknown_outcome)?.id;
        let mut form = vec![
            ("mode", "setup"),
            ("client_reference_id", id.as_str()),
            ("customer", &customer),
            ("success_url", back),
            ("cancel_url", back),
            ("payment_method_types[0]", word(MethodType::Card)),
        ];
        let cards_alone = form.clone();
        form.push(("payment_method_types[1]", word(MethodType::SepaDebit)));
        match self.open_page(account, &format!("setup-{id}"), &form).await {
            // An account may take no direct debits.
            Err(StripeError::Said(refusal)) if refusal.status == 400 => self
                .open_page(account, &format!("card-{id}"), &cards_alone)
                .await
                .map_err(unknown_outcome),
            opened => opened.map_err(unknown_outcome),
        }
    }

    async fn open_page(
        &self,
        account: &ProviderAccount,
        key: &str,
        form: &wire::FormBody<'_>,
    ) -> wire::StripeResult<(String, String)> {
        let made =
            self.wire.post::<CheckoutSession>(&account.keys.secret, "checkout/sessions", key, form);
        let session = made.await?;
        let none = || StripeError::Silent("Stripe's page has no address".to_owned());
        Ok((session.url.ok_or_else(none)?, session.id))
    }

    /// What came of such a page.
    pub async fn find_setup(
        &self,
        account: &ProviderAccount,
        reference: Option<&str>,
    ) -> ProviderAnswer<SetUp> {
        let Some(page) = reference.and_then(path_segment) else { return Ok(SetUp::Waiting) };
        let session = self.session(account, page, &LEFT).await?;
        Ok(session.left().map_or(SetUp::Waiting, SetUp::Done))
    }

    /// Sends money back.
    pub async fn refund(&self, account: &ProviderAccount, order: &RefundOrder) -> RefundResult {
        let returned = self.send_back(account, order).await;
        returned.unwrap_or_else(RefundResult::Unknown)
    }

    async fn send_back(
        &self,
        account: &ProviderAccount,
        order: &RefundOrder,
    ) -> ProviderAnswer<RefundResult> {
        let reference = order.reference.as_deref().and_then(path_segment);
        let reference = reference.filter(|own| !own.starts_with("cs_"));
        let Some(intent) = self.intent(account, order.payment, reference).await? else {
            return Err("Stripe does not find the payment".to_owned());
        };
        let (secret, id) = (&account.keys.secret, order.refund.to_string());
        // A key expires after a day: an earlier refund is found in the list of refunds.
        let query = [("payment_intent", intent.id.as_str()), ("limit", "100")];
        let before = self.wire.get::<StripeList<StripeRefund>>(secret, "refunds", &query);
        let before = before.await.map_err(unknown_outcome)?.data;
        let refund = match before.into_iter().find(|refund| refund.is(&id)) {
            Some(refund) => refund,
            None => {
                let Some(amount) = units(order.amount, order.currency) else {
                    return Ok(RefundResult::Refused("there is no such amount".to_owned()));
                };
                let (amount, metadata) = (amount.to_string(), format!("metadata[{REFUND}]"));
                let form =
                    [("payment_intent", intent.id.as_str()), ("amount", &amount), (&metadata, &id)];
                match self.wire.post::<StripeRefund>(secret, "refunds", &id, &form).await {
                    Ok(refund) => refund,
                    Err(StripeError::Said(refusal)) if refusal.is_final() => {
                        return Ok(RefundResult::Refused(refusal.message));
                    }
                    Err(trouble) => return Err(unknown_outcome(trouble)),
                }
            }
        };
        Ok(match refund.status.as_deref() {
            Some("failed" | "canceled") => {
                RefundResult::Refused("the bank has refused it".to_owned())
            }
            _ => RefundResult::Done,
        })
    }

    /// A chargeback.
    pub async fn dispute(
        &self,
        account: &ProviderAccount,
        reference: &str,
    ) -> ProviderAnswer<Option<Dispute>> {
        let Some(reference) = path_segment(reference) else { return Ok(None) };
        let path = format!("disputes/{reference}");
        let query = [("expand[]", "payment_intent"), ("expand[]", "charge")];
        let found = self.wire.get::<DisputeObject>(&account.keys.secret, &path, &query).await;
        found.map(|dispute| dispute.to_dispute()).map_err(unknown_outcome)
    }
}

/// Reads a notice whose signature is valid; `None` where it is about something else.
pub fn read_notice(body: &str) -> std::result::Result<Option<Notice>, &'static str> {
    if wire::has_nul(body.as_bytes()) {
        return Err("it has a NUL in it");
    }
    let event: StripeEvent =
        serde_json::from_str(body).map_err(|_| "it is no event of Stripe's")?;
    Ok(event.notice())
}
