//! The days of a coach or a limited location: a row for each UTC day, with every occupied span packed into it. Rows
//! are made ahead, because updating an existing row touches no index, and bookings on different days never block each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use spotter_contract::{Area, Read, Timer, Write};
use spotter_kernel::{
    Id, Result, Timestamp,
    id::{CoachId, LocationId},
};
use spotter_store::{Prefetch, params, statements};

use crate::{
    busy::{Busy, BusySpan, days_of},
    hours::{Span, merged},
    requests,
};

/// How many days ahead there are rows.
const AHEAD_DAYS: i64 = 125;
/// Most events of a location that are reread when it becomes limited.
const EVENTS_MAX: i64 = 20_000;

const DAY: i64 = 86_400_000;

/// What takes the time of each owner within a range, but for one thing, in the order of the owners.
pub fn busy_spans(
    cx: &mut Read,
    owners: &[Id],
    range: Span,
    than: Option<Id>,
) -> Result<Vec<Vec<Span>>> {
    let prefetched = prefetch_busy_spans(cx, owners, range)?;
    awaited_busy_spans(cx, prefetched, than)
}

/// Requests the occupied spans of each owner before they are needed.
pub fn prefetch_busy_spans(
    cx: &mut Read,
    owners: &[Id],
    range: Span,
) -> Result<Vec<Prefetch<(Vec<u8>,)>>> {
    let days = days_of(range);
    let call = |owner: &Id| cx.prefetch(READ, params![owner, days.start(), days.end()]);
    owners.iter().map(call).collect()
}

/// The requested spans, in the order of the owners.
pub fn awaited_busy_spans(
    cx: &mut Read,
    request: Vec<Prefetch<(Vec<u8>,)>>,
    than: Option<Id>,
) -> Result<Vec<Vec<Span>>> {
    let found: Result<Vec<_>> = request.into_iter().map(|request| cx.awaited(request)).collect();
    let spans = |rows: Vec<(Vec<u8>,)>| {
        let mut taken: Vec<BusySpan> = rows
            .into_iter()
            .flat_map(|(packed,)| Busy::unpack(&packed).others(than).collect::<Vec<_>>())
            .collect();
        // A span over midnight is stored on both days.
        taken.sort_unstable();
        taken.dedup();
        taken.into_iter().map(|taken| taken.span).collect()
    };
    Ok(found?.into_iter().map(spans).collect())
}

/// The same for one owner, as spans in order and without overlaps.
pub fn busy(cx: &mut Read, coach: CoachId, range: Span, than: Option<Id>) -> Result<Vec<Span>> {
    let taken = busy_spans(cx, &[coach.0], range, than)?;
    Ok(merged(taken.into_iter().flatten().collect()))
}

/// Locks the days around some starts, of their coaches and of one who takes over, in one fixed order: transactions
/// that change the same days wait for each other and cannot deadlock.
pub fn hold(
    cx: &mut Write,
    starts: impl Iterator<Item = (CoachId, Timestamp)>,
    next: CoachId,
) -> Result<()> {
    let days = starts.flat_map(|(coach, at)| {
        // Whatever a start is moved by, and needs around it, is within a day.
        let around = days_of(Span::new(at.plus_days(-1), at.plus_days(2)));
        around.flat_map(move |day| [(coach.0, day), (next.0, day)])
    });
    let days: BTreeSet<(Id, i64)> = days.collect();
    days.into_iter().try_for_each(|(owner, day)| cx.defer(HOLD, params![owner, day]))
}

/// Takes time of an owner.
pub fn take(cx: &mut Write, owner: impl Into<Id>, taken: BusySpan) -> Result<()> {
    let owner = owner.into();
    for day in days_of(taken.span) {
        let row: Option<(Vec<u8>,)> = cx.one(FIND, params![owner, day])?;
        let mut busy = row.as_ref().map(|(packed,)| Busy::unpack(packed)).unwrap_or_default();
        busy.add(taken)?;
        let save = if row.is_some() { SAVE } else { ADD };
        cx.defer(save, params![owner, day, busy.packed()])?;
    }
    Ok(())
}

/// Gives back what something has taken of an owner.
pub fn give_back(cx: &mut Write, owner: impl Into<Id>, taken: BusySpan) -> Result<()> {
    let owner = owner.into();
    for day in days_of(taken.span) {
        let row: Option<(Vec<u8>,)> = cx.one(FIND, params![owner, day])?;
        if let Some((packed,)) = row {
            let mut busy = Busy::unpack(&packed);
            if !busy.remove(taken.by) {
                continue;
            }
            cx.defer(SAVE, params![owner, day, busy.packed()])?;
        }
    }
    Ok(())
}

/// Makes the rows of an owner for the days to come, today and every day from now on.
pub fn prepare(cx: &mut Write, owner: Id) -> Result<()> {
    let today = cx.now().millis().div_euclid(DAY);
    let nothing: &[u8] = &[];
    cx.defer(PREPARE, params![owner, today, today + AHEAD_DAYS, nothing])?;
    cx.set_timer(&PREPARE_DAYS, owner, cx.now().plus_days(1))
}

/// Packs what takes the room of a location that is limited from now on: events, and what requests hold.
pub fn pack_location(cx: &mut Write, location: LocationId) -> Result<()> {
    let today = cx.now().millis().div_euclid(DAY);
    // What reaches into today began at most a day before it.
    let from = Timestamp::from_millis((today - 1) * DAY);
    let events: Vec<(Id, Timestamp, Timestamp)> =
        cx.all(EVENTS, params![location, from, EVENTS_MAX])?;
    let events =
        events.into_iter().map(|(by, start, end)| BusySpan { span: Span::new(start, end), by });
    let mut days = BTreeMap::<i64, Busy>::new();
    for taken in events.chain(requests::held_at(cx, location)?) {
        for day in days_of(taken.span).filter(|day| *day >= today) {
            days.entry(day).or_default().add(taken)?;
        }
    }
    cx.execute(FORGET, params![location, today])?;
    for (day, busy) in days {
        cx.execute(ADD, params![location, day, busy.packed()])?;
    }
    Ok(())
}

fn prepare_days(cx: &mut Write, owner: Id) -> Result<()> {
    prepare(cx, owner)
}

static PREPARE_DAYS: Timer =
    Timer::new("prepare_days", "Prepare one more day of a coach's calendar", prepare_days);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&PREPARE_DAYS])
}

statements! {
    READ = "SELECT busy FROM calendar_day WHERE company_id = ?1 AND owner_id = ?2 \
        AND day >= ?3 AND day <= ?4 ORDER BY day";
    FIND = "SELECT busy FROM calendar_day WHERE company_id = ?1 AND owner_id = ?2 AND day = ?3";
    ADD = "INSERT INTO calendar_day (company_id, owner_id, day, busy) VALUES (?1, ?2, ?3, ?4)";
    HOLD = "UPDATE calendar_day SET busy = busy WHERE company_id = ?1 AND owner_id = ?2 AND day = ?3";
    SAVE = "UPDATE calendar_day SET busy = ?4 WHERE company_id = ?1 AND owner_id = ?2 AND day = ?3";
    FORGET = "DELETE FROM calendar_day WHERE company_id = ?1 AND owner_id = ?2 AND day >= ?3";
    PREPARE = "INSERT INTO calendar_day (company_id, owner_id, day, busy) \
        WITH RECURSIVE days (day) AS (SELECT CAST(?3 AS BIGINT) \
            UNION ALL SELECT day + 1 FROM days WHERE day < ?4) \
        SELECT ?1, ?2, day, ?5 FROM days WHERE TRUE ON CONFLICT DO NOTHING";
    EVENTS = "SELECT calendar_event_id, starts_at, ends_at FROM calendar_event WHERE company_id = ?1 \
        AND location_id = ?2 AND starts_at >= ?3 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?4";
}
