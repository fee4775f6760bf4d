//! Giving the credits of a sale, each once, and letting them lapse.

use spotter_contract::{Area, Read, Timer, Write};
use spotter_kernel::{Date, Event, Id, Result, Timestamp, id::ClientId};
use spotter_store::{params, statements};

use crate::{
    company_day,
    credits::{
        grants::CreditGrant,
        letters,
        lot::{CreditLot, EntryKind, LotChangeCause, LotSource, LotStatus},
    },
    ids::{ClientProductId, CreditLotId},
    sales::client_product::ClientProduct,
};

/// Grants due credits; promised ones become active.
pub fn give(cx: &mut Write, product: &ClientProduct, grants: &[CreditGrant]) -> Result<()> {
    for (grant, known) in grants.iter().zip(existing_lots(cx, product.client_product_id, grants)?) {
        let mut lot = match known {
            Some(lot) if lot.status != LotStatus::Promised => continue,
            Some(mut lot) => {
                lot.status = LotStatus::Active;
                lot.write(cx)?;
                lot
            }
            None => open_lot(cx, product, grant, LotStatus::Active)?,
        };
        lot.publish(cx, Event::CreditAssigned, EntryKind::Grant, lot.granted, None)?;
        repay_debt(cx, &mut lot)?;
        expire_later(cx, &lot)?;
    }
    Ok(())
}

/// Credits that will be given, written down before their day so that a booking after it can hold them.
pub fn promise(cx: &mut Write, product: &ClientProduct, grant: &CreditGrant) -> Result<CreditLot> {
    if let Some(lot) =
        existing_lots(cx, product.client_product_id, std::slice::from_ref(grant))?.remove(0)
    {
        return Ok(lot);
    }
    let lot = open_lot(cx, product, grant, LotStatus::Promised)?;
    expire_later(cx, &lot)?;
    Ok(lot)
}

/// The lots of grants that were written down.
fn existing_lots(
    cx: &mut Read,
    product: ClientProductId,
    grants: &[CreditGrant],
) -> Result<Vec<Option<CreditLot>>> {
    let params = grants.iter().map(|grant| {
        let pool = grant.pool.as_deref().unwrap_or_default();
        params![product, pool, grant.number()]
            .iter()
            .map(|value| value.clone().into_owned())
            .collect()
    });
    cx.one_each(BY_GRANT, params)
}

fn open_lot(
    cx: &mut Write,
    product: &ClientProduct,
    grant: &CreditGrant,
    status: LotStatus,
) -> Result<CreditLot> {
    let id = CreditLotId(cx.new_id());
    CreditLot { status, ..new_lot(id, product, grant, cx.now()) }
        .open(cx, &LotChangeCause::default())
}

/// The active lot of a grant, not stored yet.
pub fn new_lot(
    credit_lot_id: CreditLotId,
    product: &ClientProduct,
    grant: &CreditGrant,
    now: Timestamp,
) -> CreditLot {
    CreditLot {
        credit_lot_id,
        client_id: product.client_id,
        client_product_id: Some(product.client_product_id),
        pool_key: grant.pool.clone(),
        grant_number: Some(grant.number()),
        source: LotSource::Product,
        status: LotStatus::Active,
        granted: grant.credits,
        remaining: grant.credits,
        held: 0,
        valid_from: grant.on,
        valid_until: grant.until,
        created_at: now,
        updated_at: now,
    }
}

/// Settles credit debt with new credits of the same pool.
pub fn repay_debt(cx: &mut Write, lot: &mut CreditLot) -> Result<()> {
    for mut debt in debts(cx, lot.client_id)? {
        let owed = -debt.available();
        if debt.pool_key != lot.pool_key || owed <= 0 {
            continue;
        }
        let paid = owed.min(lot.available());
        if paid > 0 {
            lot.change(cx, EntryKind::Settle, -paid, &LotChangeCause::default())?;
            debt.change(cx, EntryKind::Settle, paid, &LotChangeCause::default())?;
        }
    }
    Ok(())
}

/// Moves the validity of a purchase's credits by a number of days: a pause adds days, and one that ends early removes
/// some. Promised credits are promised again on the new dates.
pub fn shift(cx: &mut Write, product: ClientProductId, from: Date, days: i64) -> Result<()> {
    for mut lot in CreditLot::given_by(cx, product)? {
        let Some(until) = lot.valid_until.filter(|until| *until > from) else { continue };
        match lot.status {
            LotStatus::Promised => lot.close(cx, EntryKind::Revoke, &LotChangeCause::default())?,
            LotStatus::Active | LotStatus::Suspended => {
                lot.valid_until = until.plus_days(days);
                lot.write(cx)?;
                expire_later(cx, &lot)?;
            }
            LotStatus::Used | LotStatus::Expired | LotStatus::Revoked => {}
        }
    }
    Ok(())
}

/// The debt lots of a client: bookings without credits.
fn debts(cx: &mut Read, client: ClientId) -> Result<Vec<CreditLot>> {
    cx.all(DEBTS, params![client])
}

/// Schedules the expiry of a lot.
pub fn expire_later(cx: &mut Write, lot: &CreditLot) -> Result<()> {
    let Some(until) = lot.valid_until else { return Ok(()) };
    let due_at = company_day(cx, until)?;
    letters::tell_of_end(cx, lot)?;
    cx.set_timer(&EXPIRE_CREDITS, lot.credit_lot_id, due_at)
}

fn expire_credits(cx: &mut Write, lot: Id) -> Result<()> {
    let Some(mut lot) = CreditLot::some(cx, &[lot])?.pop() else { return Ok(()) };
    let due_at = match lot.valid_until {
        Some(until) => company_day(cx, until)?,
        None => return Ok(()),
    };
    if due_at > cx.now() {
        // A pause has moved it.
        return cx.set_timer(&EXPIRE_CREDITS, lot.credit_lot_id, due_at);
    }
    lot.close(cx, EntryKind::Expire, &LotChangeCause::default())
}

static EXPIRE_CREDITS: Timer =
    Timer::new("expire_credits", "Expire credits", expire_credits).emits(&[Event::CreditRevoked]);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&EXPIRE_CREDITS])
}

statements! {
    BY_GRANT = "SELECT ", CreditLot::COLUMNS, " FROM credit_lot WHERE company_id = ?1 \
        AND client_product_id = ?2 AND COALESCE(pool_key, '') = ?3 AND grant_number = ?4";
    DEBTS = "SELECT ", CreditLot::COLUMNS, " FROM credit_lot WHERE company_id = ?1 AND client_id = ?2 \
        AND status = 'active' AND source = 'debt' ORDER BY credit_lot_id LIMIT 20";
}
