//! Changes of a series of classes: which classes move, and which stay.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Body, Path, Write};
use spotter_kernel::{
    Change, Date, Patch, Problem, Result,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::Name,
};
use spotter_store::Json;

use super::{ChangedAnswer, EventSeries, SeriesPath, active};
use crate::{
    booking::{self},
    classes::{CallingOff, altered, call_off, check_coach},
    days,
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::Span,
    recurrence::RecurrenceChanges,
    rules::CalendarRule,
    series::{
        ClassSeriesStatus, OnConflict, SeriesScope, SkippedDate, check_conflicts, check_next,
        in_moving_order,
    },
    vocabulary::{EventSeriesId, Placement},
};

/// The changes of a class series, and the classes that they apply to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EventSeriesChanges {
    /// Scope of the change: one class and all after it, or all upcoming ones; a single class is
    /// changed as a calendar event.
    pub(super) scope: SeriesScope,
    /// Date of the occurrence in the recurrence; absent for `all`.
    pub(super) occurrence_date: Option<Date>,
    /// Dates of the recurrence and its local time.
    #[serde(default)]
    pub(super) recurrence: RecurrenceChanges,
    #[serde(default)]
    pub(super) name: Change<Name<120>>,
    #[serde(default)]
    pub(super) coach_id: Change<CoachId>,
    #[serde(default)]
    pub(super) location_id: Patch<LocationId>,
    #[serde(default)]
    pub(super) duration_minutes: Change<BoundedInteger<5, 1_440>>,
    /// Number of seats. More seats promote from the waiting list; fewer seats cancel no booking.
    #[serde(default)]
    pub(super) capacity: Change<BoundedInteger<1, 1_000>>,
    /// How conflicts are handled: refuse the change, or skip new dates and leave existing classes
    /// in place; `refuse` when absent.
    pub(super) on_conflict: Option<OnConflict>,
}

pub(super) fn update_event_series(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(change): Body<EventSeriesChanges>,
) -> Result<ChangedAnswer> {
    if change.scope == SeriesScope::This {
        return Err(Problem::invalid("scope", CalendarRule::OneClassOfSeries));
    }
    let mut before = active(cx, at)?;
    let (scope, date) = (change.scope, change.occurrence_date);
    let turn = before.state().plan_change(scope, date, change.recurrence, cx.now())?;
    let (from, mut next) = (turn.from, before.clone());
    change.name.apply(&mut next.name);
    change.coach_id.apply(&mut next.coach_id);
    change.location_id.apply(&mut next.location_id);
    change.duration_minutes.apply(&mut next.duration_minutes);
    change.capacity.apply(&mut next.capacity);
    let on_conflict = change.on_conflict.unwrap_or(OnConflict::Refuse);
    let after = match before.next_id {
        Some(id) => Some(EventSeries::find(cx, id)?),
        None => None,
    };
    let after = after.filter(|after| after.status == ClassSeriesStatus::Active);
    let begins = after.map(|after| after.recurrence.0.start_date);
    check_next(&turn.recurrence, turn.through, begins)?;
    if next.coach_id != before.coach_id {
        check_coach(cx, next.coach_id)?;
    }
    if turn.splits {
        next.event_series_id = EventSeriesId(cx.new_id());
        next.previous_id = Some(before.event_series_id);
    }
    next.recurrence = Json(turn.recurrence);
    next.made_through = turn.through;
    let carried = carry_over(cx, &before, &next, from, &turn.diff.gone)?;
    let mut conflicts = carried.conflicts;
    conflicts.extend(next.create_classes(cx, turn.diff.added)?);
    conflicts.sort_unstable_by_key(|skipped| skipped.date);
    check_conflicts(on_conflict, &conflicts)?;
    next.skipped = Json(conflicts);
    if turn.splits {
        let was = before.clone();
        let (recurrence, skipped, made_through) = was.state().before(from);
        (before.recurrence, before.skipped) = (Json(recurrence), Json(skipped));
        before.made_through = made_through;
        before.next_id = Some(next.event_series_id);
        before.keep_extending(cx)?;
        before.save(cx, &was)?;
        (next.version, next.created_at, next.updated_at) = (1, cx.now(), cx.now());
        next.create(cx)?;
    } else {
        next.save(cx, &before)?;
    }
    next.keep_extending(cx)?;
    let overlapping_bookings = booking::elsewhere(cx, &carried.moved)?;
    let (cancelled_classes, cancelled_bookings) =
        (carried.cancelled_classes, carried.cancelled_bookings);
    cx.describe_count(cancelled_classes, || CalendarEffect::ClassesCancelled {
        classes: cancelled_classes,
        bookings: cancelled_bookings,
    });
    Ok(ChangedAnswer {
        event_series: next,
        overlapping_bookings,
        cancelled_classes,
        cancelled_bookings,
    })
}

/// The result of changing the classes of a series.
#[derive(Default)]
pub(super) struct SeriesUpdate {
    /// Dates whose class could not be moved and keeps its time.
    pub(super) conflicts: Vec<SkippedDate>,
    /// Classes that were moved.
    pub(super) moved: Vec<CalendarEvent>,
    pub(super) cancelled_classes: u64,
    pub(super) cancelled_bookings: u64,
}

/// Applies a changed series to its classes from a date on: classes on dropped dates are cancelled, except for
/// exceptions, which stay as they were edited; the others are changed.
pub(super) fn carry_over(
    cx: &mut Write,
    series: &EventSeries,
    next: &EventSeries,
    from: Date,
    gone: &BTreeSet<Date>,
) -> Result<SeriesUpdate> {
    let events = CalendarEvent::of_series(cx, series.event_series_id)?;
    let starts = events.iter().map(|event| (event.coach_id, event.starts_at));
    days::hold(cx, starts, next.coach_id)?;
    let (mut kept, mut carried) = (Vec::new(), SeriesUpdate::default());
    for mut event in events {
        match event.occurrence_date {
            Some(date) if date < from => {}
            Some(date) if !gone.contains(&date) || event.is_exception => kept.push((date, event)),
            _ => {
                carried.cancelled_bookings += call_off(cx, &mut event, CallingOff::default())?;
                carried.cancelled_classes += 1;
            }
        }
    }
    let kept = in_moving_order(kept, |date, event: &CalendarEvent| {
        next.recurrence.0.starts_at(*date) > event.starts_at && !event.is_exception
    });
    for (date, was) in kept {
        let mut event = was.clone();
        event.event_series_id = Some(next.event_series_id);
        if !was.is_exception {
            event.starts_at = next.recurrence.0.starts_at(date);
            event.ends_at = Span::from_minutes(event.starts_at, next.duration_minutes).end;
            event.name.clone_from(&next.name);
            event.capacity = next.capacity;
            event.coach_id = next.coach_id;
            event.location_id = next.location_id;
        }
        if event == was {
            continue;
        }
        match altered(cx, &was, event, false)? {
            Placement::Placed(event) if event.moves > was.moves => carried.moved.push(event),
            Placement::Placed(_) => {}
            Placement::Blocked(reasons) => {
                let mut stays = was.clone();
                stays.event_series_id = Some(next.event_series_id);
                stays.is_exception = true;
                altered(cx, &was, stays, true)?;
                carried.conflicts.push(SkippedDate { date, reasons, stays: true });
            }
        }
    }
    Ok(carried)
}
