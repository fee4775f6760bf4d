//! Cards and accounts as integrations, staff and clients see them.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, UpdatedFrom, Write, answer, listed, operation, path,
};
use spotter_kernel::{Key, Problem, Result, Rule, id::ClientId};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, lists, words};

use super::{
    connection,
    method::{self, MethodFacts, MethodStatus, MethodType, PaymentMethod},
    provider::ProviderName,
};
use crate::{
    billing::invoice::Collection, effects::BillingEffect, ids::PaymentMethodId, rules::BillingRule,
};

words! {
    /// How a card or account of the sandbox behaves when it is charged: it pays at once (`sandbox_ok`), is declined,
    /// lacks funds, has expired, or requires authentication (`sandbox_declined`, `sandbox_insufficient`,
    /// `sandbox_expired`, `sandbox_action`); it pays or fails after some seconds (`sandbox_slow_ok`,
    /// `sandbox_slow_fail`); it pays while the answer is lost (`sandbox_lost_answer`); it pays and is disputed after
    /// some seconds, which the company wins or loses (`sandbox_chargeback_won`, `sandbox_chargeback`), or is returned
    /// as a direct debit (`sandbox_return`).
    pub enum SandboxToken {
        Ok = "sandbox_ok",
        Declined = "sandbox_declined",
        Insufficient = "sandbox_insufficient",
        Expired = "sandbox_expired",
        Action = "sandbox_action",
        SlowOk = "sandbox_slow_ok",
        SlowFail = "sandbox_slow_fail",
        LostAnswer = "sandbox_lost_answer",
        Chargeback = "sandbox_chargeback",
        ChargebackWon = "sandbox_chargeback_won",
        Return = "sandbox_return",
    }
}

impl SandboxToken {
    /// The card or account of the sandbox that does so.
    pub fn facts(self) -> MethodFacts {
        let is_card = !matches!(self, Self::SlowOk | Self::SlowFail | Self::Return);
        MethodFacts {
            kind: if is_card { MethodType::Card } else { MethodType::SepaDebit },
            brand: is_card.then(|| "sandbox".to_owned()),
            last4: if is_card { "4242" } else { "3000" }.to_owned(),
            exp_month: is_card.then_some(12),
            exp_year: is_card.then_some(2099),
            holder_name: None,
            customer: None,
            token: self.word().to_owned(),
        }
    }
}

listed!(PaymentMethods { payment_methods: PaymentMethod });

fn list_payment_methods(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<PaymentMethods> {
    let client = Client::find(cx, at.client_id)?.client_id;
    Ok(cx.page_under(&LIST, &[client.bind()], &wanted, page)?.into())
}

/// A payment method of the sandbox provider.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewPaymentMethod")]
struct NewMethod {
    /// A token of the sandbox that decides how charges end.
    sandbox_token: SandboxToken,
}

answer!(MethodAnswer { payment_method: PaymentMethod });

fn add_sandbox_method(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewMethod>,
) -> Result<MethodAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let provider = required_provider(cx)?;
    if provider != ProviderName::Sandbox {
        return Err(Problem::conflict("paymentProvider", BillingRule::NotSandbox));
    }
    check_room(cx, client.client_id)?;
    let payment_method = method::store(cx, client.client_id, provider, &new.sandbox_token.facts())?;
    Ok(MethodAnswer { payment_method })
}

/// The company's provider, or the refusal of what needs one.
pub fn required_provider(cx: &mut Read) -> Result<ProviderName> {
    let rule = BillingRule::NoProvider;
    connection::provider(cx)?.ok_or_else(|| Problem::conflict("paymentProvider", rule))
}

/// Refuses automatic collection where the client has no chargeable method.
pub fn check_collection(
    cx: &mut Read,
    client: ClientId,
    collection: Collection,
    named: Option<PaymentMethodId>,
) -> Result<()> {
    if let Some(id) = named {
        let rule = || BillingRule::OtherPaymentMethod;
        let found = PaymentMethod::find(cx, id);
        let method = found.map_err(|none| none.missing("paymentMethodId", rule()))?;
        if method.client_id != client {
            return Err(Problem::field(Key::NotFound, "paymentMethodId", rule()));
        }
    }
    if collection == Collection::Manual {
        return Ok(());
    }
    let (provider, today) = (required_provider(cx)?, cx.today()?);
    let method = PaymentMethod::of(cx, client, named)?;
    match method.is_some_and(|own| own.provider == provider && !own.is_over(today)) {
        true => Ok(()),
        false => Err(Problem::conflict("paymentMethodId", BillingRule::NotChargeableByItself)),
    }
}

/// Refuses one card or account too many of a client.
pub fn check_room(cx: &mut Read, client: ClientId) -> Result<()> {
    const MOST: usize = 20;
    let active = PaymentMethod::all_of(cx, client)?;
    let count = active.iter().filter(|one| one.status == MethodStatus::Active).count();
    match count < MOST && active.len() < 100 {
        true => Ok(()),
        false => {
            Err(Problem::conflict("paymentMethods", BillingRule::TooManyMethods { max: MOST }))
        }
    }
}

path!(MethodPath { payment_method_id: PaymentMethodId });

fn make_payment_method_default(cx: &mut Write, Path(at): Path<MethodPath>) -> Result<MethodAnswer> {
    let before = PaymentMethod::find(cx, at.payment_method_id)?;
    if before.status != MethodStatus::Active {
        return Err(Problem::conflict("status", Rule::Inactive));
    }
    Ok(MethodAnswer { payment_method: method::make_default(cx, before)? })
}

fn revoke_payment_method(cx: &mut Write, Path(at): Path<MethodPath>) -> Result<MethodAnswer> {
    let before = PaymentMethod::find(cx, at.payment_method_id)?;
    if before.status == MethodStatus::Revoked {
        return Ok(MethodAnswer { payment_method: before });
    }
    cx.as_of(before.updated_at);
    cx.describe_effect(|| BillingEffect::MethodRemoved { last4: before.last4.to_string() });
    Ok(MethodAnswer { payment_method: method::end(cx, &before, MethodStatus::Revoked)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/clients/{clientId}/payment-methods", FinancePaymentMethodsRead,
            list_payment_methods)
        .summary("List a client's payment methods")
        .describe("Returns masked cards and bank accounts, latest first.")
        .for_client(&[]),
        operation!(app POST "/finance/clients/{clientId}/payment-methods", Manager, add_sandbox_method)
            .summary("Add a sandbox payment method")
            .describe(
                "Adds a test card or account. Clients add real payment methods on the page of a \
                 payment setup.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(app POST "/finance/payment-methods/{paymentMethodId}/default", Manager,
            make_payment_method_default)
        .summary("Set the default payment method")
            .describe("Charges this method where no other is named.")
        .for_own(&[])
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/payment-methods/{paymentMethodId}/revoke", Manager,
            revoke_payment_method)
        .success(Success::Revoked)
        .summary("Revoke a payment method")
        .describe(
                "Stops charging a payment method. Memberships that are collected automatically \
                 need another one for their next invoice.",
            )
        .for_own(&[])
        .confirmation(),
    ])
}

lists! {
    /// A client's cards and accounts, the latest first.
    LIST: List<PaymentMethod, UpdatedFrom> = List::new(
        "payment_method WHERE company_id = ?1 AND client_id = ?2",
        "payment_method_id DESC",
    );
}
