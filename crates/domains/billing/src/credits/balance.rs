//! Credits for integrations, staff and clients: balances by pool, every change, and adjustments.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, ListQuery, Path, Read, Write, answer, listed, operation};
use spotter_kernel::{
    Date, Event, Key, Problem, Result, Rule,
    id::ClientId,
    number::BoundedInteger,
    text::{Text, quoted},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, filters, lists};

use super::{
    credit_selection::AvailableCredits,
    grant,
    lot::{CreditEntry, CreditLot, EntryKind, LotChangeCause, LotSource, LotStatus},
};
use crate::{catalogue::pools, effects::BillingEffect, ids::CreditLotId, rules::BillingRule};

/// A client's credits of one pool.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreditPoolBalance")]
struct PoolBalance {
    /// The pool; null for credits that pay for everything.
    pool_key: Option<String>,
    /// Credits that can be used today.
    available: i64,
    /// Credits held by upcoming bookings.
    held: i64,
    /// Credits used beyond the balance; the next grant settles them.
    debt: i64,
    /// Number of credits by which the balance may fall below zero.
    allowance: i64,
}

answer!(CreditsAnswer { client_id: ClientId, credits: Vec<PoolBalance>, lots: Vec<CreditLot> });

/// A client's balance of each pool on a day: general credits first, then the pools by key.
fn balances(means: &AvailableCredits, today: Date) -> Vec<PoolBalance> {
    let mut pools: BTreeMap<Option<String>, PoolBalance> = BTreeMap::new();
    let general = pools.entry(None).or_default();
    general.debt = means.debt();
    general.allowance = means.allowance(today);
    for lot in &means.lots {
        let pool = pools.entry(lot.pool_key.clone()).or_default();
        pool.held += lot.held;
        if lot.status == LotStatus::Active && lot.is_good_on(today) {
            pool.available += lot.available().max(0);
        }
    }
    pools.into_iter().map(|(pool_key, pool)| PoolBalance { pool_key, ..pool }).collect()
}

fn view(cx: &mut Read, client_id: ClientId) -> Result<CreditsAnswer> {
    let today = cx.today()?;
    let means = AvailableCredits::of(cx, client_id, None)?;
    Ok(CreditsAnswer { client_id, credits: balances(&means, today), lots: means.lots })
}

fn get_credits(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<CreditsAnswer> {
    Client::find(cx, at.client_id)?;
    view(cx, at.client_id)
}

listed!(CreditEntries { entries: CreditEntry });

filters! {
    struct EntryFilters {
        /// Changes of these credits.
        credit_lot_id: CreditLotId => "credit_lot_id = ?";
        /// Entries of this kind.
        kind: EntryKind => "kind = ?";
    }
}

fn list_credit_entries(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<EntryFilters>,
) -> Result<CreditEntries> {
    Client::find(cx, at.client_id)?;
    let client = at.client_id.bind().into_owned();
    Ok(cx.page_under(&ENTRIES, &[client], &wanted, page)?.into())
}

/// A manual change of credits.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewCreditAdjustment")]
struct NewAdjustment {
    /// Credits to add; negative to remove.
    amount: BoundedInteger<-10_000, 10_000>,
    /// The pool; credits that pay for everything when absent.
    pool_key: Option<Text<60>>,
    /// First day after the validity of added credits; unlimited when absent.
    valid_until: Option<Date>,
    /// Why the balance is adjusted.
    reason: Option<Text<500>>,
}

fn adjust_credits(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewAdjustment>,
) -> Result<CreditsAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let today = cx.today()?;
    let amount = new.amount.0;
    if amount == 0 {
        return Err(Problem::invalid("amount", BillingRule::Zero));
    }
    if new.valid_until.is_some_and(|until| amount < 0 || until <= today) {
        return Err(Problem::invalid("validUntil", BillingRule::CreditExpiry));
    }
    if client.is_archived() {
        return Err(Problem::conflict("clientId", Rule::Archived));
    }
    cx.set_audit_target("client", client.client_id, ["credits"]);
    let name = quoted(&client.name());
    let pool_key: Option<String> = new.pool_key.map(Into::into);
    let because = LotChangeCause { booking: None, reason: new.reason.map(Into::into) };
    if amount > 0 {
        pool_key.as_deref().map_or(Ok(()), |key| pools::check_given(cx, key))?;
        cx.describe_effect(|| BillingEffect::CreditsGiven { name: name.to_string(), amount });
        give(cx, at.client_id, amount, pool_key, new.valid_until, &because)?;
    } else {
        cx.describe_effect(|| BillingEffect::CreditsTaken {
            amount: -amount,
            name: name.to_string(),
        });
        take(cx, at.client_id, -amount, pool_key, &because)?;
    }
    view(cx, at.client_id)
}

fn give(
    cx: &mut Write,
    client_id: ClientId,
    amount: i64,
    pool_key: Option<String>,
    valid_until: Option<Date>,
    because: &LotChangeCause,
) -> Result<()> {
    let lot = CreditLot {
        credit_lot_id: CreditLotId(cx.new_id()),
        client_id,
        client_product_id: None,
        pool_key,
        grant_number: None,
        source: LotSource::Adjustment,
        status: LotStatus::Active,
        granted: amount,
        remaining: amount,
        held: 0,
        valid_from: cx.today()?,
        valid_until,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    let mut lot = lot.open(cx, because)?;
    lot.publish(cx, Event::CreditAdjusted, EntryKind::Grant, amount, None)?;
    grant::expire_later(cx, &lot)?;
    grant::repay_debt(cx, &mut lot)
}

fn take(
    cx: &mut Write,
    client_id: ClientId,
    amount: i64,
    pool_key: Option<String>,
    because: &LotChangeCause,
) -> Result<()> {
    let (mut lots, today) = (CreditLot::of(cx, client_id)?, cx.today()?);
    lots.retain(|lot| {
        let is_open = lot.status == LotStatus::Active && !lot.has_ended_on(today);
        is_open && lot.pool_key == pool_key && lot.available() > 0
    });
    let there: i64 = lots.iter().map(CreditLot::available).sum();
    if amount > there {
        return Err(Problem::conflict("amount", BillingRule::TooManyTaken { there }));
    }
    let mut left = amount;
    for mut lot in lots {
        let taken = left.min(lot.available());
        if taken == 0 {
            break;
        }
        left -= taken;
        lot.change(cx, EntryKind::Adjust, -taken, because)?;
        lot.publish(cx, Event::CreditAdjusted, EntryKind::Adjust, -taken, None)?;
    }
    Ok(())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/clients/{clientId}/credits", FinanceCreditsRead, get_credits)
            .summary("Get a client's credits")
            .describe(
                "Returns the bookable balance of each credit pool and the lots it consists of.",
            )
            .for_client(&[]),
        operation!(GET "/finance/clients/{clientId}/credits/entries", FinanceCreditsRead,
            list_credit_entries)
        .summary("List credit entries")
        .describe("Returns every change of a client's credits, latest first.")
        .for_client(&["reason"]),
        operation!(POST "/finance/clients/{clientId}/credits/adjustments", FinanceCreditsWrite,
            adjust_credits)
        .summary("Adjust a client's credits")
        .describe(
            "Grants credits, or deducts them with a negative amount. Never deducts more than \
                 the client has; credits held by bookings stay.",
        )
        .created()
        .emits(&[Event::CreditAdjusted])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}

lists! {
    /// Every change of a client's credits, the latest first.
    ENTRIES: List<CreditEntry, EntryFilters> = List::new(
        "credit_entry WHERE company_id = ?1 AND client_id = ?2",
        "credit_entry_id DESC",
    );
}
