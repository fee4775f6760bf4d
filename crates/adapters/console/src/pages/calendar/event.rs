//! One class or appointment: who has booked it, and what moves it, changes it or calls it off.

use maud::{Markup, html};
use spotter_kernel::{Result, Timestamp, text::WallTime};

use crate::{
    api,
    field_kind::FieldKind,
    page_context::PageContext,
    pages::{
        announcements,
        bookings::{cancelling, when},
        clients::{find_clients, finder},
        today,
    },
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, state_of, table},
        shell::View,
    },
};

/// What moves a booking to another time, where it can be.
fn moving(cx: &PageContext<'_, '_>, booking: api::Booking<'_>, of_class: bool) -> Markup {
    let (at, is_booked) = (booking.starts_at(), booking.status() == "booked");
    if at <= cx.written.now || !is_booked || !cx.may(api::RescheduleBooking) {
        return Markup::default();
    }
    // A class is dragged as a whole.
    let (local, dragged) = match of_class {
        true => (local_of(cx, at), false),
        false => new_start(cx, at),
    };
    let form = Form::of(cx, api::reschedule_booking(booking.booking_id()));
    let form = form
        .moment("startsAt", cx.strings.new_time(), &local)
        .text("message", cx.strings.mail_sentence())
        .next("/console/calendar");
    let send = form.send(cx.strings.move_booking());
    if dragged { send } else { disclosure(cx.strings.move_booking(), send) }
}

/// When something begins, as fields hold it.
fn local_of(cx: &PageContext<'_, '_>, at: Timestamp) -> String {
    format!("{}T{}", cx.written.zone.date_at(at), cx.written.time(at))
}

/// When something is to begin that began then, by the clock on the wall; and whether it was dragged there, to another day or
/// to another hour of one, which is confirmed.
fn new_start(cx: &PageContext<'_, '_>, at: Timestamp) -> (String, bool) {
    let written = &cx.written;
    let (to, hour) = (cx.place.date("to"), WallTime::parse(cx.place.parameter("at")));
    let time = hour.map_or_else(|| written.time(at), |hour| hour.to_string());
    (format!("{}T{time}", to.unwrap_or(written.zone.date_at(at))), to.is_some())
}

/// What a change means for those who have booked.
pub(super) fn booked(cx: &PageContext<'_, '_>, count: i64) -> Markup {
    html! {
        @if count > 0 { p.notice { (cx.strings.booked_come_along(&cx.written.count(count))) } }
    }
}

/// What changes a class that is to come, or moves it.
fn changing(cx: &mut PageContext<'_, '_>, event: api::CalendarEvent<'_>) -> Result<Markup> {
    let at = event.starts_at();
    let is_open = event.kind() == "class" && event.status() == "scheduled";
    if at <= cx.written.now || !is_open || !cx.may(api::UpdateCalendarEvent) {
        return Ok(Markup::default());
    }
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.location_choices()?;
    let (t, (local, dragged)) = (cx.strings, new_start(cx, at));
    let id = event.calendar_event_id().to_owned();
    let form = Form::of(cx, api::update_calendar_event(&id))
        .from(event)
        .next(format!("/console/calendar/events/{id}"))
        .moment("startsAt", t.starts_at(), &local)
        .text("name", t.name())
        .choice("coachId", t.coach(), &coaches)
        .choice("locationId", t.location(), &locations)
        .text("capacity", t.seats())
        .text("message", t.mail_sentence());
    let form = if dragged {
        form
    } else {
        form.unchanged(&FieldKind::LocalTime.name_of("startsAt"), &local)
    };
    let form = form.send(t.save());
    let form = html! { (booked(cx, event.seats_taken())) (form) };
    Ok(if dragged {
        html! { section.card { h2 { (t.move_class()) } (form) } }
    } else {
        disclosure(t.change(), form)
    })
}

/// `/console/calendar/events/{calendarEventId}`
pub(in crate::pages) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("calendarEventId").to_owned();
    let answer = cx.call(api::get_calendar_event(&id))?;
    let event = answer.calendar_event();
    let booked = cx.call(api::list_bookings().calendar_event_id(&id).limit(100))?;
    let mut bookings: Vec<_> = booked.bookings().iter().collect();
    // Booked clients first, then offered seats, the waiting list in order, and cancelled ones.
    bookings.sort_by_key(|one| {
        let order = ["booked", "offered", "waitlisted"];
        let at = order.iter().position(|status| *status == one.status());
        (at.unwrap_or(order.len()), one.waitlist_position())
    });
    let (coach, location) = (cx.coach(event.coach_id())?, cx.location(event.location_id())?);
    cx.know_clients(bookings.iter().map(|booking| booking.client_id()))?;
    let of_class = event.kind() == "class";
    let check_in_all = today::check_in_all(cx, &id, &bookings);
    let mut rows = Vec::new();
    for booking in bookings {
        let client = cx.client(booking.client_id())?;
        rows.push(vec![
            html! { a href={ "/console/clients/" (booking.client_id()) } { (client) } },
            today::attendance(cx, booking, &client),
            html! {
                @if let Some(place) = booking.waitlist_position() {
                    (cx.strings.place_in_line(&place.to_string()))
                }
            },
            html! { (moving(cx, booking, of_class)) (cancelling(cx, booking)) },
        ]);
    }
    let t = cx.strings;
    let coming = event.starts_at() > cx.written.now;
    let found = find_clients(cx)?;
    let (change, dragged) = (changing(cx, event)?, cx.place.date("to").is_some());
    let main = html! {
        @if dragged { (change) }
        section.card {
            (facts(vec![
                (t.when(), html! { (when(cx, event.starts_at())) }),
                (t.coach(), html! { (coach) }),
                (t.location(), html! { (location) }),
                (t.seats(), html! { (event.seats_taken()) " / " (event.capacity()) }),
                (t.waiting_list(), html! {
                    @if event.waitlisted() > 0 { (event.waitlisted()) }
                }),
                (t.status(), html! { (state_of(cx, "event", event.status())) }),
            ]))
        }
        div #people data-live="booking" {
            @if of_class { (check_in_all) }
            @if rows.is_empty() {
                (empty(t.nobody_booked(), None))
            } @else {
                (table(t.bookings(), &[t.client(), t.status(), t.waiting_list(), ""], rows))
            }
        }
        @if coming && event.status() == "scheduled" {
            section.card {
                h2 { (t.book_somebody()) }
                (finder(cx, "search"))
                ul.rows {
                    @for client in found.clients() {
                        li {
                            span.grow { (client.full_name()) br; span.quiet { (client.email()) } }
                            (Form::of(cx, api::create_booking())
                                .hidden("calendarEventId", &*id)
                                .hidden("clientId", client.client_id())
                                .hidden("capacityAction", "waitlist")
                                .next(format!("/console/calendar/events/{id}"))
                                .send(t.book()))
                        }
                    }
                }
            }
        }
    };
    let acts = html! {
        @if !dragged { (change) }
        @if event.seats_taken() > 0 && event.status() == "scheduled" && cx.may(api::CreateAnnouncement) {
            (disclosure(
                t.announce_to_class(),
                announcements::composing(cx, "class")
                    .hidden("audience.calendarEventId", &*id)
                    .send(t.send()),
            ))
        }
        @if coming && event.status() == "scheduled" {
            (disclosure(t.cancel_class(), html! {
                p { (t.cancel_class_means()) }
                (Form::of(cx, api::cancel_calendar_event(&id))
                    .previewed()
                    .text("reason", t.reason())
                    .text("message", t.mail_sentence())
                    .danger(t.cancel_class()))
                @if !event.event_series_id().is_empty() && cx.may(api::CancelEventSeries) {
                    p {
                        (t.series_means()) " "
                        a href={ "/console/calendar/series/" (event.event_series_id()) } {
                            (t.weekly_classes())
                        }
                    }
                    (Form::of(cx, api::cancel_event_series(event.event_series_id()))
                        .previewed()
                        .hidden("scope", "following")
                        .hidden(
                            "occurrenceDate",
                            event
                                .occurrence_date()
                                .map(|date| date.to_string())
                                .unwrap_or_default(),
                        )
                        .text("reason", t.reason())
                        .text("message", t.mail_sentence())
                        .next("/console/calendar")
                        .danger(t.cancel_following()))
                }
            }))
        }
    };
    Ok(View::new(event.name(), main).acts(acts))
}
