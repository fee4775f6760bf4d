//! One class or appointment: who has booked it, and what moves it, changes it or calls it off.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Result, Timestamp, text::WallTime};

use crate::{
    field_kind::FieldKind,
    page_context::{ApiCall, PageContext},
    pages::{
        bookings::{cancelling, when},
        clients::{find_clients, finder},
        today,
    },
    parts::{
        fields::{Form, disclosure},
        format::{JsonFields, name},
        lists::{empty, facts, state, table},
        shell::View,
    },
};

/// What moves a booking to another time, where it can be.
fn moving(cx: &PageContext<'_, '_>, booking: &Value, of_class: bool) -> Markup {
    let Some(at) = booking.instant("startsAt").filter(|at| *at > cx.written.now) else {
        return Markup::default();
    };
    if booking.text("status") != "booked" || !cx.may("reschedule_booking") {
        return Markup::default();
    }
    // A class is dragged as a whole.
    let (local, dragged) = match of_class {
        true => (local_of(cx, at), false),
        false => new_start(cx, at),
    };
    let form = Form::about(
        cx,
        "reschedule_booking",
        vec![("bookingId", booking.text("bookingId").to_owned())],
    );
    let form = form.moment("startsAt", cx.strings.new_time(), &local).next("/console/calendar");
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
    html! { @if count > 0 { p.notice { (cx.strings.booked_come_along(&cx.written.count(count))) } } }
}

/// What changes a class that is to come, or moves it.
fn changing(cx: &mut PageContext<'_, '_>, event: &Value) -> Result<Markup> {
    let at = event.instant("startsAt").filter(|at| *at > cx.written.now);
    let open = event.text("kind") == "class" && event.text("status") == "scheduled";
    let Some(at) = at.filter(|_| open && cx.may("update_calendar_event")) else {
        return Ok(Markup::default());
    };
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let (t, (local, dragged)) = (cx.strings, new_start(cx, at));
    let id = event.text("calendarEventId").to_owned();
    let form = Form::about(cx, "update_calendar_event", vec![("calendarEventId", id.clone())])
        .from(event)
        .next(format!("/console/calendar/events/{id}"))
        .moment("startsAt", t.starts_at(), &local)
        .text("name", t.name())
        .choice("coachId", t.coach(), &coaches)
        .choice("locationId", t.location(), &locations)
        .text("capacity", t.seats());
    let form = if dragged {
        form
    } else {
        form.unchanged(&FieldKind::LocalTime.name_of("startsAt"), &local)
    };
    let form = form.send(t.save());
    let form = html! { (booked(cx, event.int("seatsTaken"))) (form) };
    Ok(if dragged {
        html! { section.card { h2 { (t.move_class()) } (form) } }
    } else {
        disclosure(t.change(), form)
    })
}

/// `/console/calendar/events/{calendarEventId}`
pub(in crate::pages) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("calendarEventId").to_owned();
    let answer = cx.call(ApiCall::of("get_calendar_event").at("calendarEventId", &id))?;
    let event = answer["calendarEvent"].clone();
    let bookings =
        cx.call(ApiCall::of("list_bookings").with("calendarEventId", &id).with("limit", 100))?;
    let mut bookings = bookings.list("bookings").to_vec();
    // Who comes, who is offered a seat, the line as it stands, who called off.
    bookings.sort_by_key(|one| {
        let order = ["booked", "offered", "waitlisted"];
        let at = order.iter().position(|status| *status == one.text("status"));
        (at.unwrap_or(order.len()), one.int("waitlistPosition"))
    });
    let (coach, location) =
        (cx.coach(event.text("coachId"))?, cx.location(event.text("locationId"))?);
    cx.know_clients(&bookings)?;
    let of_class = event.text("kind") == "class";
    let mut rows = Vec::new();
    for booking in &bookings {
        let client = cx.client(booking.text("clientId"))?;
        rows.push(vec![
            html! { a href={ "/console/clients/" (booking.text("clientId")) } { (client) } },
            today::attendance(cx, booking, &client),
            html! { @if booking.has("waitlistPosition") { (cx.strings.place_in_line(&booking.int("waitlistPosition").to_string())) } },
            html! { (moving(cx, booking, of_class)) (cancelling(cx, booking)) },
        ]);
    }
    let t = cx.strings;
    let coming = event.instant("startsAt").is_some_and(|at| at > cx.written.now);
    let found = find_clients(cx)?;
    let (change, dragged) = (changing(cx, &event)?, cx.place.date("to").is_some());
    let main = html! {
        @if dragged { (change) }
        section.card {
            (facts(vec![
                (t.when(), html! { (when(cx, &event)) }),
                (t.coach(), html! { (coach) }),
                (t.location(), html! { (location) }),
                (t.seats(), html! { (event.int("seatsTaken")) " / " (event.int("capacity")) }),
                (t.waiting_list(), html! { @if event.int("waitlisted") > 0 { (event.int("waitlisted")) } }),
                (t.status(), html! { (state(cx, event.text("status"))) }),
            ]))
        }
        div #people data-live="booking" {
            @if rows.is_empty() { (empty(t.nobody_booked(), None)) }
            @else { (table(t.bookings(), &[t.client(), t.status(), t.waiting_list(), ""], rows)) }
        }
        @if coming && event.text("status") == "scheduled" {
            section.card {
                h2 { (t.book_somebody()) }
                (finder(cx, "search"))
                ul.rows { @for client in &found {
                    li { span.grow { (name(client)) br; span.quiet { (client.text("email")) } }
                        (Form::of(cx, "create_booking").hidden("calendarEventId", &*id).hidden("clientId", client.text("clientId"))
                            .hidden("capacityAction", "waitlist").next(format!("/console/calendar/events/{id}")).send(t.book())) }
                } }
            }
        }
    };
    let acts = html! {
        @if !dragged { (change) }
        @if coming && event.text("status") == "scheduled" {
            (disclosure(t.call_off(), html! {
                p { (t.call_off_means()) }
                (Form::about(cx, "cancel_calendar_event", vec![("calendarEventId", id.clone())]).previewed().text("reason", t.reason()).danger(t.call_off()))
                @if event.has("eventSeriesId") && cx.may("cancel_event_series") {
                    p { (t.series_means()) " " a href={ "/console/calendar/series/" (event.text("eventSeriesId")) } { (t.weekly_classes()) } }
                    (Form::about(cx, "cancel_event_series", vec![("eventSeriesId", event.text("eventSeriesId").to_owned())]).previewed().hidden("scope", "following")
                        .hidden("occurrenceDate", event.text("occurrenceDate")).text("reason", t.reason()).next("/console/calendar").danger(t.call_off_series()))
                }
            }))
        }
    };
    Ok(View::new(event.text("name"), main).acts(acts))
}
