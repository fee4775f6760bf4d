//! Changing or cancelling a recurring booking: one booking, one and all after it, or all upcoming ones. Past bookings
//! stay, and so does a booking that was changed individually.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Path, Success, Write, answer, operation};
use spotter_kernel::{
    Change, Date, Event, Key, Patch, Problem, Result,
    id::{CoachId, LocationId},
    text::{Text, WallTime},
};
use spotter_people::coaches::Coach;
use spotter_store::Json;

use crate::{
    booking::Booking,
    cancellation::{self, Cancellation},
    correcting,
    create::{BookingDraft, bookable_type, look_up_slot},
    days,
    effects::CalendarEffect,
    events::CalendarEvent,
    recurrence::RecurrenceChanges,
    recurring_bookings::{RecurringBooking, SeriesAnswer, SeriesPath, check_place},
    rescheduling::{Move, move_to},
    rules::CalendarRule,
    series::{
        ClassSeriesStatus, OnConflict, SeriesScope, SkippedDate, affected_from, check_conflicts,
        check_next, in_moving_order,
    },
    types::EventType,
    vocabulary::{CancelledBy, FreedSeat, Placement, RecurringBookingId},
};

/// The changes of a series, and the bookings that they apply to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RecurringBookingChanges")]
struct SeriesChanges {
    /// Scope: one, one and all after it, or all upcoming ones.
    scope: SeriesScope,
    /// Date of the occurrence in the recurrence; absent for `all`.
    occurrence_date: Option<Date>,
    /// Dates and local time; for `this`, the time only.
    #[serde(default)]
    recurrence: RecurrenceChanges,
    /// Coach who leads the appointments from then on.
    #[serde(default)]
    coach_id: Change<CoachId>,
    /// Where the appointments are held from then on.
    #[serde(default)]
    location_id: Patch<LocationId>,
    /// Note of staff on its bookings.
    #[serde(default)]
    note: Patch<Text<1000>>,
    /// How conflicts are handled: refuse the change, or skip new dates and leave existing bookings
    /// in place; `refuse` when absent.
    on_conflict: Option<OnConflict>,
}

fn update_recurring_booking(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(change): Body<SeriesChanges>,
) -> Result<ChangedAnswer> {
    let mut before = active(cx, at)?;
    if let Some(coach) = change.coach_id.clone().value() {
        Coach::find_assignable(cx, coach)?;
    }
    if change.scope == SeriesScope::This {
        change_one(cx, &before, change)?;
        return Ok(ChangedAnswer { recurring_booking: before, cancelled_bookings: 0 });
    }
    let (scope, date) = (change.scope, change.occurrence_date);
    let turn = before.state().plan_change(scope, date, change.recurrence, cx.now())?;
    let (from, mut next) = (turn.from, before.clone());
    change.coach_id.apply(&mut next.coach_id);
    change.location_id.apply(&mut next.location_id);
    change.note.map(Into::into).apply(&mut next.note);
    let event_type = bookable_type(cx, before.event_type_id)?;
    check_place(cx, &event_type, next.coach_id, next.location_id)?;
    let on_conflict = change.on_conflict.unwrap_or(OnConflict::Refuse);
    let after = match before.next_id {
        Some(id) => Some(RecurringBooking::find(cx, id)?),
        None => None,
    };
    let after = after.filter(|after| after.status == ClassSeriesStatus::Active);
    let begins = after.map(|after| after.recurrence.0.start_date);
    check_next(&turn.recurrence, turn.through, begins)?;
    if turn.splits {
        next.recurring_booking_id = RecurringBookingId(cx.new_id());
        next.previous_id = Some(before.recurring_booking_id);
    }
    next.recurrence = Json(turn.recurrence);
    next.made_through = turn.through;
    let moves =
        turn.moves || next.coach_id != before.coach_id || next.location_id != before.location_id;
    let (mut conflicts, cancelled_bookings) =
        carry_over(cx, &before, &next, from, &turn.diff.gone, moves)?;
    conflicts.extend(next.book(cx, turn.diff.added)?);
    conflicts.sort_unstable_by_key(|skipped| skipped.date);
    check_conflicts(on_conflict, &conflicts)?;
    next.skipped = Json(conflicts);
    if turn.splits {
        let was = before.clone();
        let (recurrence, skipped, made_through) = was.state().before(from);
        (before.recurrence, before.skipped) = (Json(recurrence), Json(skipped));
        before.made_through = made_through;
        before.next_id = Some(next.recurring_booking_id);
        before.keep_extending(cx)?;
        before.save(cx, &was)?;
        (next.version, next.created_at, next.updated_at) = (1, cx.now(), cx.now());
        next.create(cx)?;
        next.publish(cx, vec!["recurringBooking".to_owned()])?;
    } else {
        next.save(cx, &before)?;
    }
    next.keep_extending(cx)?;
    cx.describe_count(cancelled_bookings, || CalendarEffect::DroppedDatesCancelled {
        bookings: cancelled_bookings,
    });
    Ok(ChangedAnswer { recurring_booking: next, cancelled_bookings })
}

answer!(
    /// A series that was changed.
    ChangedAnswer {
        /// The series.
        recurring_booking: RecurringBooking,
        /// Bookings of dates that are gone, which were cancelled.
        cancelled_bookings: u64,
    }
);

/// The series with this id, if it is active.
fn active(cx: &mut Write, at: SeriesPath) -> Result<RecurringBooking> {
    let series = RecurringBooking::find(cx, at.recurring_booking_id)?;
    if series.status == ClassSeriesStatus::Cancelled {
        return Err(Problem::conflict("status", CalendarRule::CancelledAlready));
    }
    Ok(series)
}

/// Applies a changed series to its bookings from a date on: those on dropped dates are cancelled, the others moved.
/// Bookings that could not be moved are reported and keep their time.
fn carry_over(
    cx: &mut Write,
    series: &RecurringBooking,
    next: &RecurringBooking,
    from: Date,
    gone: &BTreeSet<Date>,
    moves: bool,
) -> Result<(Vec<SkippedDate>, u64)> {
    let bookings = RecurringBooking::to_come(cx, series.recurring_booking_id)?;
    let starts = bookings.iter().map(|booking| (booking.coach_id, booking.starts_at));
    days::hold(cx, starts, next.coach_id)?;
    let (mut kept, mut cancelled) = (Vec::new(), 0);
    for booking in bookings {
        match booking.occurrence_date {
            Some(date) if date < from => {}
            Some(date) if !gone.contains(&date) || booking.is_exception => {
                kept.push((date, booking));
            }
            _ => {
                cancelled += 1;
                let cancellation = Cancellation::now(cx, &booking, None);
                cancellation::cancelled(cx, &booking, cancellation, FreedSeat::Promote)?;
            }
        }
    }
    let event_type = EventType::of(cx, next.event_type_id)?;
    let kept = in_moving_order(kept, |date, booking| {
        next.recurrence.0.starts_at(*date) > booking.starts_at && !booking.is_exception
    });
    let mut conflicts = Vec::new();
    for (date, was) in kept {
        let mut booking = was.clone();
        booking.recurring_booking_id = Some(next.recurring_booking_id);
        if !was.is_exception {
            booking.note.clone_from(&next.note);
        }
        if moves && !was.is_exception {
            let booking_draft = next.draft(cx, &event_type, date)?;
            if booking_draft.class == Some(was.calendar_event_id) {
                // Its class has been moved there already, and has taken it along.
                booking.save(cx, &was, Event::BookingUpdated)?;
                continue;
            }
            match moved(cx, &was, &event_type, booking_draft, false)? {
                Placement::Placed(_) => continue,
                Placement::Blocked(reasons) => {
                    booking.is_exception = true;
                    conflicts.push(SkippedDate { date, reasons, stays: true });
                }
            }
        }
        booking.save(cx, &was, Event::BookingUpdated)?;
    }
    Ok((conflicts, cancelled))
}

/// Moves a booking to the slot of a draft.
fn moved(
    cx: &mut Write,
    before: &Booking,
    event_type: &EventType,
    draft: BookingDraft,
    is_exception: bool,
) -> Result<Placement<Booking>> {
    let (than, moved) = (Some(before.calendar_event_id.0), Some(before.booking_id));
    let draft = BookingDraft { than, moved, ..draft };
    let slot = match look_up_slot(cx, event_type, &draft)? {
        Placement::Placed(slot) => slot,
        Placement::Blocked(reasons) => return Ok(Placement::Blocked(reasons)),
    };
    let event = CalendarEvent::find(cx, before.calendar_event_id)?;
    // Series belong to staff, also when an integration changes them.
    let by = match cancellation::side(cx, None) {
        CancelledBy::Client if cx.by_staff() => CancelledBy::Company,
        by => by,
    };
    let to = Move { event_type, draft: &draft, slot, is_exception, by };
    let moved = move_to(cx, before, event, to)?;
    Ok(Placement::Placed(moved))
}

/// Changes one occurrence, which is an exception from then on.
fn change_one(cx: &mut Write, series: &RecurringBooking, change: SeriesChanges) -> Result<()> {
    let date = affected_from(&series.recurrence.0, change.scope, change.occurrence_date)?;
    let mut live = RecurringBooking::to_come(cx, series.recurring_booking_id)?.into_iter();
    let own = date.and_then(|date| {
        live.find(|booking| booking.occurrence_date == Some(date)).map(|own| (date, own))
    });
    let rule = CalendarRule::NotBookedToCome;
    let none = || Problem::field(Key::NotFound, "occurrenceDate", rule);
    let (date, before) = own.ok_or_else(none)?;
    let time: Option<WallTime> = change.recurrence.time_of_one()?;
    let mut note = before.note.clone();
    change.note.map(Into::into).apply(&mut note);
    if time.is_none() && !change.coach_id.is_said() && !change.location_id.is_said() {
        let mut booking = before.clone();
        booking.note = note;
        return booking.save(cx, &before, Event::BookingUpdated);
    }
    let starts_at = match time {
        Some(time) => date.at(&time, &series.recurrence.0.time_zone),
        None => before.starts_at,
    };
    let (mut coach, mut location) = (before.coach_id, before.location_id);
    change.coach_id.apply(&mut coach);
    change.location_id.apply(&mut location);
    if (starts_at, coach, location) == (before.starts_at, before.coach_id, before.location_id) {
        let mut booking = before.clone();
        booking.note = note;
        return booking.save(cx, &before, Event::BookingUpdated);
    }
    let event_type = bookable_type(cx, series.event_type_id)?;
    let draft =
        BookingDraft { coach: Some(coach), location, note, ..series.draft_at(starts_at, date) };
    let draft = series.in_class(cx, &event_type, draft)?;
    match moved(cx, &before, &event_type, draft, true)? {
        Placement::Placed(_) => Ok(()),
        Placement::Blocked(reasons) => {
            check_conflicts(OnConflict::Refuse, &[SkippedDate { date, reasons, stays: true }])
        }
    }
}

/// Which bookings of a series are cancelled.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RecurringBookingCancellation {
    /// Scope: one, one and all after it, or all upcoming ones.
    scope: SeriesScope,
    /// Date of the occurrence in the recurrence; absent for `all`.
    occurrence_date: Option<Date>,
    /// Reason; stored with the bookings, not sent to the client.
    reason: Option<Text<500>>,
}

fn cancel_recurring_booking(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(cancel): Body<RecurringBookingCancellation>,
) -> Result<SeriesAnswer> {
    let before = active(cx, at)?;
    let mut series = before.clone();
    let date = affected_from(&series.recurrence.0, cancel.scope, cancel.occurrence_date)?;
    let from = date.unwrap_or(series.recurrence.0.start_date);
    let reason: Option<String> = cancel.reason.map(Into::into);
    let mut ended = 0;
    for booking in RecurringBooking::to_come(cx, series.recurring_booking_id)? {
        if cancel.scope.means(booking.occurrence_date, from) {
            let cancellation = Cancellation::now(cx, &booking, reason.clone());
            cancellation::cancelled(cx, &booking, cancellation, FreedSeat::Promote)?;
            ended += 1;
        }
    }
    match before.state().left(cancel.scope, from) {
        Some((recurrence, made_through)) => {
            series.recurrence = Json(recurrence);
            series.made_through = made_through;
        }
        None => series.status = ClassSeriesStatus::Cancelled,
    }
    series.keep_extending(cx)?;
    cx.describe_count(ended, || CalendarEffect::BookingsCancelled { bookings: ended });
    cx.as_of(before.updated_at);
    series.save(cx, &before)?;
    Ok(SeriesAnswer { recurring_booking: series })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(PATCH "/recurring-bookings/{recurringBookingId}", RecurringBookingsWrite,
            update_recurring_booking)
        .summary("Update a recurring booking")
        .describe(
            "`this` changes one of its bookings, `following` makes a series of its own of one and all \
             after it, `all` changes what is to come; `startDate` follows to the first of them. Bookings \
             of dates that stay keep their ids, dates that are gone are cancelled and counted in \
             `cancelledBookings`, new ones booked; what was changed, moved or cancelled by itself, or left out, stays \
             so, on dates that are gone as well.",
        )
        .emits(correcting![RecurringBookingChanged, BookingCreated, BookingCancelled])
        .always(&[])
        .fails(&[
            Key::AvailabilitySlotNotBookable,
            Key::DateRangeOrderInvalid,
            Key::DateRangeTooLarge,
            Key::ApiError,
            Key::CompanyNotFound,
        ])
        .confirmation(),
        operation!(POST "/recurring-bookings/{recurringBookingId}/cancel", RecurringBookingsWrite,
            cancel_recurring_booking)
        .success(Success::Cancelled)
        .summary("Cancel a recurring booking")
            .describe(
                "Cancels one occurrence, one and all following, or all that are still to come.",
            )
        .emits(correcting![RecurringBookingChanged, BookingCancelled])
        .always(&[Event::RecurringBookingChanged])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}
