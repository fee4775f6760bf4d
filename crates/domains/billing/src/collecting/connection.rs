//! Through which provider a company collects money.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Read, Write, answer, operation};
use spotter_kernel::{
    Key, Problem, Result, Timestamp,
    secret::{EnvironmentMode, random_text},
    text::Text,
};
use spotter_store::{params, record, set, statements, values};

use super::provider::{Keys, ProviderAccount, ProviderName};
use crate::{
    effects::BillingEffect,
    ids::{PaymentId, RefundId},
    rules::BillingRule,
};

record! {
    /// A company's connection to a provider.
    #[derive(Clone)]
    struct Connection {
        provider: ProviderName,
        keys: Vec<u8>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The payment provider of a company.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PaymentProvider {
    /// Provider; `sandbox` is for testing and moves no money.
    provider: ProviderName,
    /// Address to which the provider sends notices.
    notice_url: String,
    /// Whether its notices can be verified and are accepted; otherwise it is queried, hourly or daily.
    takes_notices: bool,
    /// When it was created.
    created_at: Timestamp,
    /// When its keys were last changed.
    updated_at: Timestamp,
}

answer!(ProviderAnswer {
    /// The payment provider; null without one.
    payment_provider: Option<PaymentProvider>,
});

impl Connection {
    fn keys(&self, cx: &Read) -> Result<Keys> {
        let keys = cx.unsealed(&self.keys)?;
        serde_json::from_slice(&keys).map_err(Problem::internal)
    }
}

/// The account that the company collects with; `None` where it collects by hand.
pub fn account(cx: &mut Read) -> Result<Option<ProviderAccount>> {
    let found: Option<Connection> = cx.one(FIND, params![])?;
    let opened = |found: Connection| {
        let keys = found.keys(cx)?;
        Ok(ProviderAccount { company: cx.company(), provider: found.provider, keys })
    };
    found.map(opened).transpose()
}

/// The provider's name, where the company has one.
pub fn provider(cx: &mut Read) -> Result<Option<ProviderName>> {
    Ok(cx.one::<Connection>(FIND, params![])?.map(|found| found.provider))
}

fn view(cx: &mut Read) -> Result<ProviderAnswer> {
    let found: Option<Connection> = cx.one(FIND, params![])?;
    let Some(found) = found else { return Ok(ProviderAnswer { payment_provider: None }) };
    let (provider, company) = (found.provider, cx.company());
    let payment_provider = PaymentProvider {
        provider,
        notice_url: format!("{}/providers/{}/{company}", cx.address()?, provider.word()),
        takes_notices: !found.keys(cx)?.notices.is_empty(),
        created_at: found.created_at,
        updated_at: found.updated_at,
    };
    Ok(ProviderAnswer { payment_provider: Some(payment_provider) })
}

fn get_payment_provider(cx: &mut Read) -> Result<ProviderAnswer> {
    view(cx)
}

/// The payment provider to connect.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewPaymentProvider")]
struct NewProvider {
    /// Name of the provider.
    provider: ProviderName,
    /// The API key of Stripe: a secret key (`sk_…`) or a restricted one (`rk_…`).
    secret_key: Option<Text<500>>,
    /// The signing secret (`whsec_…`) of the endpoint `noticeUrl` in Stripe's dashboard. Unchanged
    /// when absent; notices are refused until it is set.
    signing_secret: Option<Text<500>>,
}

impl NewProvider {
    /// The account's keys: the given ones, or the stored ones.
    fn keys(self, cx: &Write, before: Option<Keys>) -> Result<Keys> {
        let text = |given: Option<Text<500>>| given.map(String::from);
        let (secret, notices) = (text(self.secret_key), text(self.signing_secret));
        let is_key = |key: &Option<String>, beginnings: &[&str]| {
            key.as_ref().is_none_or(|key| {
                beginnings.iter().any(|beginning| key.starts_with(beginning))
                    && key.bytes().all(|byte| byte.is_ascii_graphic())
            })
        };
        match self.provider {
            ProviderName::Sandbox => {
                for (field, given) in [("secretKey", &secret), ("signingSecret", &notices)] {
                    if given.is_some() {
                        return Err(Problem::field(
                            Key::RequestInvalid,
                            field,
                            BillingRule::SandboxKeys,
                        ));
                    }
                }
                // The sandbox has no outside provider: its secrets are made here.
                let new = || random_text(&*cx.env().entropy);
                Ok(Keys { secret: new(), notices: new() })
            }
            ProviderName::Stripe => {
                if cx.mode() == EnvironmentMode::Test {
                    return Err(Problem::invalid("provider", BillingRule::SandboxAlone));
                }
                if !is_key(&secret, &["sk_", "rk_"]) {
                    return Err(Problem::field(
                        Key::RequestInvalid,
                        "secretKey",
                        BillingRule::NotStripeKey,
                    ));
                }
                if !is_key(&notices, &["whsec_"]) {
                    return Err(Problem::field(
                        Key::RequestInvalid,
                        "signingSecret",
                        BillingRule::NotStripeWebhookSecret,
                    ));
                }
                let (old_secret, old_notices) =
                    before.map_or((None, None), |keys| (Some(keys.secret), Some(keys.notices)));
                let secret = secret.or(old_secret).ok_or_else(|| {
                    Problem::field(Key::RequestInvalid, "secretKey", BillingRule::StripeKeyRequired)
                })?;
                Ok(Keys { secret, notices: notices.or(old_notices).unwrap_or_default() })
            }
        }
    }
}

/// Whether two of Stripe's keys are known to open the same account: they are the same, or of one mode and name the
/// same account, as keys do behind their kind.
fn is_same_account(one: &str, other: &str) -> bool {
    const ACCOUNT: usize = 16;
    let parts = |key: &str| {
        let (_, rest) = key.split_once('_')?;
        let (mode, own) = rest.split_once('_')?;
        (own.len() > 2 * ACCOUNT)
            .then(|| Some((mode.to_owned(), own.get(..ACCOUNT)?.to_owned())))?
    };
    one == other || parts(one).is_some_and(|of| Some(of) == parts(other))
}

/// Refuses to change the account while the current one has an open payment. Refunds do not matter: no other account
/// has their payment.
fn check_nothing_was_sent(cx: &mut Read) -> Result<()> {
    match cx.one::<(PaymentId,)>(SENT, params![])? {
        Some(_) => Err(Problem::conflict("secretKey", BillingRule::OtherStripeAccount)),
        None => Ok(()),
    }
}

/// Refuses to leave a provider while money is on its way through it.
fn check_nothing_under_way(cx: &mut Read) -> Result<()> {
    let paying = cx.one::<(PaymentId,)>(UNDER_WAY, params![])?.is_some();
    if paying || cx.one::<(RefundId,)>(RETURNING, params![])?.is_some() {
        return Err(Problem::conflict("paymentProvider", BillingRule::MoneyUnderWay));
    }
    Ok(())
}

fn connect_payment_provider(
    cx: &mut Write,
    Body(new): Body<NewProvider>,
) -> Result<ProviderAnswer> {
    let before: Option<Connection> = cx.one(FIND, params![])?;
    let provider = new.provider;
    let same = before.as_ref().filter(|before| before.provider == provider);
    let old = same.map(|same| same.keys(cx)).transpose()?;
    let keys = new.keys(cx, old.clone())?;
    let same =
        |old: &Keys| provider != ProviderName::Stripe || is_same_account(&old.secret, &keys.secret);
    match old {
        None if before.is_some() => check_nothing_under_way(cx)?,
        Some(old) if !same(&old) => check_nothing_was_sent(cx)?,
        _ => {}
    }
    let keys = serde_json::to_vec(&keys).map_err(Problem::internal)?;
    let connection = Connection {
        provider,
        keys: cx.env().vault.seal(&keys, &*cx.env().entropy)?,
        created_at: before.map_or(cx.now(), |before| before.created_at),
        updated_at: cx.now(),
    };
    let company = cx.company();
    cx.set_audit_target("company", company, ["paymentProvider"]);
    cx.defer(SAVE, &connection.params())?;
    view(cx)
}

/// Connects the sandbox, where nothing is connected yet.
pub fn connect_sandbox(cx: &mut Write) -> Result<()> {
    let (provider, secret_key, signing_secret) = (ProviderName::Sandbox, None, None);
    let new = NewProvider { provider, secret_key, signing_secret };
    connect_payment_provider(cx, Body(new)).map(drop)
}

fn disconnect_payment_provider(cx: &mut Write) -> Result<ProviderAnswer> {
    if cx.one::<Connection>(FIND, params![])?.is_none() {
        return Err(Key::NotFound.into());
    }
    check_nothing_under_way(cx)?;
    let company = cx.company();
    cx.describe_effect(|| BillingEffect::CollectionStops);
    cx.set_audit_target("company", company, ["paymentProvider"]);
    cx.defer(REMOVE, params![])?;
    Ok(ProviderAnswer { payment_provider: None })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/company/payment-provider", Manager, get_payment_provider)
            .summary("Get the payment provider")
            .describe("Returns the connected provider."),
        operation!(app PUT "/company/payment-provider", Manager, connect_payment_provider)
            .reauthentication()
            .summary("Connect a payment provider")
            .describe(
                "Connects a provider that collects payments. The sandbox is a test bank: its \
                 cards succeed, are declined, answer late or are disputed, and no money moves. \
                 Stripe needs a secret key of the company's own account, and an endpoint for \
                 `noticeUrl` in its dashboard.",
            )
            .fails(&[Key::ApiError]),
        operation!(app DELETE "/company/payment-provider", Manager, disconnect_payment_provider)
            .reauthentication()
            .summary("Disconnect the payment provider")
            .describe(
                "Returns to collecting by hand. Clients' cards and accounts are kept, and not \
                 charged.",
            )
            .fails(&[Key::NotFound, Key::ApiError]),
    ])
}

statements! {
    FIND = "SELECT ", Connection::COLUMNS, " FROM payment_provider WHERE company_id = ?1";
    SAVE = "INSERT INTO payment_provider ", values!(Connection),
        " ON CONFLICT (company_id) DO UPDATE SET ", set!(Connection);
    REMOVE = "DELETE FROM payment_provider WHERE company_id = ?1";
    UNDER_WAY = "SELECT payment_id FROM payment WHERE company_id = ?1 \
        AND status IN ('pending', 'processing') LIMIT 1";
    SENT = "SELECT p.payment_id FROM payment p JOIN provider_payment k ON k.company_id = p.company_id \
        AND k.payment_id = p.payment_id WHERE p.company_id = ?1 AND p.status IN ('pending', 'processing') \
        AND k.sent_at IS NOT NULL LIMIT 1";
    RETURNING = "SELECT refund_id FROM refund WHERE company_id = ?1 AND status = 'pending' LIMIT 1";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_account_are_recognized() {
        let key = |kind: &str, account: &str, rest: &str| format!("{kind}_{account}{rest}");
        let (own, other) = ("51AbCdEfGhIjKlMn", "51ZzCdEfGhIjKlMn");
        let rest = "0123456789012345678901234567890123456789";
        let first = key("sk_live", own, rest);
        assert!(is_same_account(&first, &first) && is_same_account("sk_test_x", "sk_test_x"));
        assert!(is_same_account(&first, &key("rk_live", own, &rest.replace('0', "9"))));
        for strange in [key("sk_live", other, rest), key("sk_test", own, rest), "sk_live_x".into()]
        {
            assert!(!is_same_account(&first, &strange), "{strange}");
        }
        assert!(!is_same_account("sk_test_x", "sk_test_y"));
    }
}
