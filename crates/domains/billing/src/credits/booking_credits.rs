//! Billing's implementation of the port for bookings: credits of a booking are held, consumed, returned or forfeited
//! in the booking's own transaction.

use std::collections::BTreeSet;

use spotter_contract::{
    Area, Read, Write,
    entitlement::{
        BookingEntitlement, Entitlement, EntitlementSource, EntitlementState, Entitlements,
        ForfeitReason, ReleaseReason,
    },
};
use spotter_kernel::{Date, Event, Id, Money, Result, Timestamp, id::ClientId};
use spotter_store::{Bind, params, record, statements};

use crate::{
    billing::{charge, credit_notes},
    catalogue::vocabulary::ProductType,
    credits::{
        credit_selection::{AvailableCredits, Cover, CreditSource, CreditUse},
        grant,
        lot::{CreditLot, EntryKind, LotChangeCause, LotSource, LotStatus},
    },
    ids::{ClientProductId, CreditLotId},
    memberships::subscription::Subscription,
    sales::client_product::{ClientProduct, ClientProductStatus},
};

/// What bookings take of what clients have paid for.
pub struct Ledger;

record! {
    /// What a booking takes from one source.
    #[derive(Debug, Clone, PartialEq)]
    struct CreditHold {
        booking_id: Id,
        part_id: Id,
        client_id: ClientId,
        source: EntitlementSource,
        client_product_id: Option<ClientProductId>,
        day: Date,
        units: i64,
        state: EntitlementState,
    }
}

/// Days around which holds of passes are read: no pass is longer.
const PASS_DAYS: i64 = 1_100;

impl AvailableCredits {
    /// All that a client has, but for what one booking takes of it.
    pub fn of(cx: &mut Read, client: ClientId, but: Option<Id>) -> Result<Self> {
        let products = ClientProduct::in_use(cx, client)?;
        let subscriptions = Subscription::running_of(cx, client)?;
        let mut means =
            Self { products, subscriptions, lots: CreditLot::of(cx, client)?, ..Self::default() };
        let passes = means.products.iter().filter(|one| one.terms.0.days_usable > 0);
        let ids: Vec<_> = passes.map(|one| one.client_product_id).collect();
        let from = cx.today()?.plus_days(-PASS_DAYS);
        let params = ids.iter().map(|id| vec![id.bind().into_owned(), from.bind().into_owned()]);
        let days: Vec<Vec<(Date, Id)>> = cx.all_each(DAYS_OF, params)?;
        for (id, days) in ids.into_iter().zip(days) {
            let of = days.into_iter().filter(|(_, booking)| Some(*booking) != but);
            means.days.insert(id, of.map(|(day, _)| day).collect::<BTreeSet<_>>());
        }
        if let Some(booking) = but {
            for hold in holds(cx, booking)?.iter().filter(|hold| hold.is_held()) {
                let own = means.lots.iter_mut().find(|lot| lot.credit_lot_id.0 == hold.part_id);
                if let Some(lot) = own {
                    lot.held -= hold.units;
                }
            }
        }
        Ok(means)
    }
}

impl CreditHold {
    fn is_held(&self) -> bool {
        self.state == EntitlementState::Held
    }

    fn is_of_credits(&self) -> bool {
        self.source == EntitlementSource::Credits
    }
}

fn holds(cx: &mut Read, booking: Id) -> Result<Vec<CreditHold>> {
    cx.all(OF_BOOKING, params![booking])
}

fn source(cover: &Cover) -> EntitlementSource {
    match cover {
        Cover::Membership(_) => EntitlementSource::Membership,
        Cover::Pass(_) => EntitlementSource::Pass,
        Cover::Credits(_) => EntitlementSource::Credits,
    }
}

impl Entitlements for Ledger {
    fn quote(
        &self,
        cx: &mut Read,
        taking: &BookingEntitlement,
        at: &[Timestamp],
    ) -> Result<Vec<Option<Entitlement>>> {
        if taking.units == 0 {
            return Ok(vec![Some(Entitlement::NONE); at.len()]);
        }
        let means = AvailableCredits::of(cx, taking.client, Some(taking.booking))?;
        let zone = cx.zone()?;
        let quoted = at.iter().map(|at| {
            let cover = means.cover(zone.date_at(*at), taking.units, &taking.pools)?;
            let (source, units) = (source(&cover), taking.units);
            Some(Entitlement { source, units, state: EntitlementState::Held })
        });
        Ok(quoted.collect())
    }

    fn hold(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement> {
        let none = Entitlement { units: taking.units, ..Entitlement::NONE };
        if taking.units == 0 {
            return Ok(none);
        }
        let day = cx.zone()?.date_at(taking.at);
        let known = holds(cx, taking.booking)?;
        if let Some(first) = known.iter().find(|hold| hold.is_held()) {
            if known.iter().filter(|hold| hold.is_held()).all(|hold| hold.day == day) {
                return Ok(Entitlement { source: first.source, state: first.state, ..none });
            }
            self.release(cx, taking, ReleaseReason::Corrected)?;
        }
        let means = AvailableCredits::of(cx, taking.client, None)?;
        // Staff booked it although nothing covers it.
        let Some(cover) = means.cover(day, taking.units, &taking.pools) else { return Ok(none) };
        let source = source(&cover);
        match cover {
            Cover::Membership(product) | Cover::Pass(product) => {
                put(cx, taking, source, product.0, Some(product), day, taking.units)?;
            }
            Cover::Credits(parts) => {
                for part in parts {
                    hold_part(cx, &means, taking, &part, day)?;
                }
            }
        }
        Ok(Entitlement { source, state: EntitlementState::Held, ..none })
    }

    fn consume(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement> {
        consume_held(cx, taking, EntitlementState::Consumed)
    }

    fn release(
        &self,
        cx: &mut Write,
        taking: &BookingEntitlement,
        why: ReleaseReason,
    ) -> Result<Entitlement> {
        let because = LotChangeCause::of(taking.booking);
        for hold in holds(cx, taking.booking)? {
            if hold.state == EntitlementState::Released {
                continue;
            }
            if hold.is_of_credits() {
                give_back(cx, &hold, why, &because)?;
            }
            mark(cx, &hold, EntitlementState::Released)?;
        }
        entries_of(cx, taking)
    }

    fn forfeit(
        &self,
        cx: &mut Write,
        taking: &BookingEntitlement,
        why: ForfeitReason,
        fee: Option<&Money>,
    ) -> Result<Entitlement> {
        if let Some(fee) = fee {
            charge::add(cx, taking.client, taking.booking, why, fee)?;
        }
        consume_held(cx, taking, EntitlementState::Forfeited)
    }

    fn reinstate(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement> {
        for billed in charge::undo(cx, taking.booking)? {
            credit_notes::take_back_fee(cx, &billed)?;
        }
        let because = LotChangeCause::of(taking.booking);
        let known = holds(cx, taking.booking)?;
        for hold in &known {
            let used =
                matches!(hold.state, EntitlementState::Consumed | EntitlementState::Forfeited);
            if used && hold.is_of_credits() {
                let lots = CreditLot::some(cx, &[hold.part_id])?;
                for mut lot in lots {
                    lot.change(cx, EntryKind::Consume, -hold.units, &because)?;
                }
            }
            if used {
                mark(cx, hold, EntitlementState::Held)?;
            }
        }
        follow_use(cx, &known)?;
        if entries_of(cx, taking)?.state == EntitlementState::Released {
            // It was excused: it is held again, of whatever there is now.
            return self.hold(cx, taking);
        }
        entries_of(cx, taking)
    }
}

/// Uses a day of a pass, today, for a visit; once for a visit.
pub fn use_day(cx: &mut Write, client: ClientId, pass: ClientProductId, visit: Id) -> Result<()> {
    if holds(cx, visit)?.iter().any(|hold| hold.client_product_id == Some(pass)) {
        return Ok(());
    }
    let taking =
        BookingEntitlement { booking: visit, client, units: 1, pools: Vec::new(), at: cx.now() };
    let (source, day) = (EntitlementSource::Pass, cx.today()?);
    put(cx, &taking, source, pass.0, Some(pass), day, taking.units)?;
    consume_held(cx, &taking, EntitlementState::Consumed).map(drop)
}

/// Gives back what bookings hold of a sale from a day on, which has ended or rests then. Who calls has the
/// bookings covered by something else, or cancelled.
pub fn release_cover(cx: &mut Write, product: ClientProductId, from: Date) -> Result<()> {
    let held: Vec<CreditHold> = cx.all(HELD_FROM, params![product, from])?;
    for hold in held {
        if hold.is_of_credits() {
            give_back(cx, &hold, ReleaseReason::CalledOff, &LotChangeCause::of(hold.booking_id))?;
        }
        mark(cx, &hold, EntitlementState::Released)?;
    }
    Ok(())
}

/// Updates the use of a purchase: the days of a pass, or all credits of a pack.
fn follow_use(cx: &mut Write, holds: &[CreditHold]) -> Result<()> {
    let sold = holds.iter().filter(|hold| hold.source != EntitlementSource::Membership);
    let sold: BTreeSet<ClientProductId> = sold.filter_map(|hold| hold.client_product_id).collect();
    for id in sold {
        let before = ClientProduct::find(cx, id)?;
        let mut product = before.clone();
        let is_used = match product.product_type {
            ProductType::DayPass | ProductType::WeekPass => {
                let days: Option<(i64,)> = cx.one(DAYS_USED, params![id])?;
                product.days_used = days.map_or(0, |(days,)| days);
                product.terms.0.days_usable > 0 && product.days_used >= product.terms.0.days_usable
            }
            ProductType::CreditPack => {
                CreditLot::given_by(cx, id)?.iter().all(|lot| lot.status == LotStatus::Used)
            }
            ProductType::Membership | ProductType::Other => false,
        };
        product.status = match (product.status, is_used) {
            (ClientProductStatus::Active, true) => ClientProductStatus::Used,
            (ClientProductStatus::Used, false) => ClientProductStatus::Active,
            (status, _) => status,
        };
        product.save(cx, &before)?;
    }
    Ok(())
}

/// Turns held credits into used ones.
fn consume_held(
    cx: &mut Write,
    taking: &BookingEntitlement,
    state: EntitlementState,
) -> Result<Entitlement> {
    let because = LotChangeCause::of(taking.booking);
    let mut held = holds(cx, taking.booking)?;
    held.retain(CreditHold::is_held);
    for hold in &held {
        if hold.is_of_credits() {
            for mut lot in CreditLot::some(cx, &[hold.part_id])? {
                lot.change(cx, EntryKind::Consume, hold.units, &because)?;
            }
        }
        mark(cx, hold, state)?;
    }
    follow_use(cx, &held)?;
    entries_of(cx, taking)
}

/// The ledger entries of a booking.
fn entries_of(cx: &mut Read, taking: &BookingEntitlement) -> Result<Entitlement> {
    let units = taking.units;
    let known = holds(cx, taking.booking)?;
    let latest =
        known.iter().find(|hold| hold.state != EntitlementState::Released).or(known.first());
    Ok(latest.map_or(Entitlement { units, ..Entitlement::NONE }, |hold| Entitlement {
        source: hold.source,
        units,
        state: hold.state,
    }))
}

fn hold_part(
    cx: &mut Write,
    means: &AvailableCredits,
    taking: &BookingEntitlement,
    part: &CreditUse,
    day: Date,
) -> Result<()> {
    let mut lot = match &part.of {
        CreditSource::Lot(id) => CreditLot::some(cx, &[id.0])?.pop(),
        CreditSource::Promised(at, grant) => Some(grant::promise(cx, &means.products[*at], grant)?),
        CreditSource::Debt => Some(debt_of(cx, means, taking.client, day)?),
    };
    let Some(lot) = &mut lot else { return Ok(()) };
    lot.change(cx, EntryKind::Hold, part.units, &LotChangeCause::of(taking.booking))?;
    lot.publish(cx, Event::CreditAdjusted, EntryKind::Hold, part.units, Some(taking.booking))?;
    let (id, product) = (lot.credit_lot_id.0, lot.client_product_id);
    put(cx, taking, EntitlementSource::Credits, id, product, day, part.units)
}

/// The lot that counts bookings without credits.
fn debt_of(
    cx: &mut Write,
    means: &AvailableCredits,
    client: ClientId,
    day: Date,
) -> Result<CreditLot> {
    if let Some(known) = means.lots.iter().find(|lot| lot.source == LotSource::Debt) {
        return Ok(known.clone());
    }
    let lot = CreditLot {
        credit_lot_id: CreditLotId(cx.new_id()),
        client_id: client,
        client_product_id: None,
        pool_key: None,
        grant_number: None,
        source: LotSource::Debt,
        status: LotStatus::Active,
        granted: 0,
        remaining: 0,
        held: 0,
        valid_from: day,
        valid_until: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    lot.open(cx, &LotChangeCause::default())
}

/// Returns the credits that a booking took from a lot. Where the lot has ended since, credits of a booking that the
/// company cancelled come back as a new lot, and others lapse.
fn give_back(
    cx: &mut Write,
    hold: &CreditHold,
    why: ReleaseReason,
    because: &LotChangeCause,
) -> Result<()> {
    let Some(mut lot) = CreditLot::some(cx, &[hold.part_id])?.pop() else { return Ok(()) };
    if matches!(hold.state, EntitlementState::Consumed | EntitlementState::Forfeited) {
        lot.change(cx, EntryKind::Consume, -hold.units, because)?;
    }
    lot.change(cx, EntryKind::Release, hold.units, because)?;
    let today = cx.today()?;
    let is_over = matches!(lot.status, LotStatus::Expired | LotStatus::Revoked);
    if !is_over {
        let kind = EntryKind::Release;
        return lot.publish(cx, Event::CreditAdjusted, kind, hold.units, Some(hold.booking_id));
    }
    let kind = match lot.status {
        LotStatus::Expired => EntryKind::Expire,
        _ => EntryKind::Revoke,
    };
    let was_revoked = lot.status == LotStatus::Revoked;
    lot.change(cx, kind, hold.units, because)?;
    if why != ReleaseReason::CalledOff || was_revoked {
        return lot.publish(cx, Event::CreditRevoked, kind, hold.units, Some(hold.booking_id));
    }
    // As long as it would have been good after the day of the class, and a week at the least.
    let left = lot.valid_until.map_or(0, |until| hold.day.days_until(until)).max(RETURNED_DAYS_MIN);
    let returned = CreditLot {
        credit_lot_id: CreditLotId(cx.new_id()),
        grant_number: None,
        source: LotSource::Returned,
        status: LotStatus::Active,
        granted: hold.units,
        remaining: hold.units,
        held: 0,
        valid_from: today,
        valid_until: today.plus_days(left),
        created_at: cx.now(),
        updated_at: cx.now(),
        ..lot
    };
    let returned = returned.open(cx, because)?;
    grant::expire_later(cx, &returned)?;
    returned.publish(
        cx,
        Event::CreditAdjusted,
        EntryKind::Release,
        hold.units,
        Some(hold.booking_id),
    )
}

/// Minimum number of days that returned credits are valid.
const RETURNED_DAYS_MIN: i64 = 7;

fn put(
    cx: &mut Write,
    taking: &BookingEntitlement,
    source: EntitlementSource,
    part: Id,
    product: Option<ClientProductId>,
    day: Date,
    units: i64,
) -> Result<()> {
    let (booking, client, now) = (taking.booking, taking.client, cx.now());
    cx.defer(
        PUT,
        params![booking, part, client, source, product, day, units, EntitlementState::Held, now],
    )
}

fn mark(cx: &mut Write, hold: &CreditHold, state: EntitlementState) -> Result<()> {
    let now = cx.now();
    cx.defer(MARK, params![hold.booking_id, hold.part_id, state, now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    OF_BOOKING = "SELECT ", CreditHold::COLUMNS, " FROM entitlement_hold WHERE company_id = ?1 AND booking_id = ?2 \
        ORDER BY part_id LIMIT 200";
    DAYS_USED = "SELECT COUNT(DISTINCT day) FROM entitlement_hold WHERE company_id = ?1 \
        AND client_product_id = ?2 AND state IN ('consumed', 'forfeited')";
    DAYS_OF = "SELECT day, booking_id FROM entitlement_hold WHERE company_id = ?1 AND client_product_id = ?2 \
        AND day >= ?3 AND state <> 'released' ORDER BY day LIMIT 2000";
    HELD_FROM = "SELECT ", CreditHold::COLUMNS, " FROM entitlement_hold WHERE company_id = ?1 \
        AND client_product_id = ?2 AND day >= ?3 AND state = 'held' ORDER BY day, booking_id LIMIT 2000";
    PUT = "INSERT INTO entitlement_hold (company_id, booking_id, part_id, client_id, source, \
        client_product_id, day, units, state, created_at, updated_at) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10) \
        ON CONFLICT (company_id, booking_id, part_id) DO UPDATE SET day = excluded.day, \
        units = excluded.units, state = excluded.state, updated_at = excluded.updated_at";
    MARK = "UPDATE entitlement_hold SET state = ?4, updated_at = ?5 \
        WHERE company_id = ?1 AND booking_id = ?2 AND part_id = ?3";
}
