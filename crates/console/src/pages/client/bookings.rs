//! What a client has booked, and what they come to every week.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{Head, head};
use crate::{
    pages::{booking, calendar, today},
    parts::{
        fields::{Form, behind},
        lists::{empty, pager, table},
        shell::Shown,
        told::{Told, name},
    },
    visit::{Ask, Visit},
};

/// `/console/clients/{clientId}/bookings`
pub(in crate::pages) fn bookings(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "bookings")?;
    let told = cx.list(Ask::of("list_bookings").with("clientId", &id))?;
    let mut rows = Vec::new();
    for booking in told.list("bookings") {
        let coach = cx.coach(booking.text("coachId"))?;
        rows.push(vec![
            html! { a href={ "/console/calendar/events/" (booking.text("calendarEventId")) } { (booking::when(cx, booking)) } },
            html! { (booking.text("name")) },
            html! { (coach) },
            today::attendance(cx, booking),
            booking::cancelling(cx, booking),
        ]);
    }
    let weekly = weekly(cx, &id, client.has("archivedAt"))?;
    let say = cx.say;
    let columns = [say.when(), say.what(), say.coach(), say.status(), ""];
    let main = html! {
        (tabs)
        p { a.button href={ "/console/calendar/book?clientId=" (id) } { (say.book()) } }
        (weekly)
        @if rows.is_empty() { (empty(say.nothing_booked(), None)) }
        @else { (table(say.bookings(), &columns, rows)) (pager(cx, &told)) }
    };
    Ok(Shown::new(name(&client), main))
}

/// What the client comes to every week, and the form of more of it.
fn weekly(cx: &mut Visit<'_, '_>, id: &str, archived: bool) -> Result<Markup> {
    let ask = Ask::of("list_recurring_bookings").with("clientId", id).with("status", "active");
    let Some(told) = cx.ask_if(ask.with("limit", 20))? else { return Ok(Markup::default()) };
    let types = cx.ask(Ask::of("list_event_types").with("limit", 100))?;
    let types: Vec<(String, String)> = types
        .list("eventTypes")
        .iter()
        .filter(|kind| kind.text("kind") == "appointment" && kind.text("status") == "active")
        .map(|kind| (kind.text("eventTypeId").to_owned(), kind.text("name").to_owned()))
        .collect();
    let coaches =
        cx.choices(Ask::of("list_coaches").with("status", "active"), ("coaches", "coachId"))?;
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let (say, written) = (cx.say, &cx.written);
    let called = |all: &[(String, String)], id: &str| {
        all.iter().find(|(own, _)| own == id).map(|(_, name)| name.clone()).unwrap_or_default()
    };
    let days = |one: &Value| -> String {
        let days = one.list("recurrence.weekdays").iter().filter_map(Value::as_i64);
        days.map(|day| say.weekday(day)).collect::<Vec<_>>().join(", ")
    };
    let form = Form::of(cx, "create_recurring_booking")
        .hidden("clientId", id)
        .hidden("onConflict", "skip")
        .choice("eventTypeId", say.what(), &types)
        .choice("coachId", say.coach(), &coaches)
        .choice("locationId", say.location(), &locations);
    Ok(html! {
        @if !told.list("recurringBookings").is_empty() {
            section.card {
                h2 { (say.every_week()) }
                ul.rows { @for one in told.list("recurringBookings") {
                    li {
                        span.grow { b { (days(one)) " " (one.text("recurrence.startTime")) } " " (called(&types, one.text("eventTypeId")))
                            br; span.quiet { (called(&coaches, one.text("coachId")))
                                @if let Some(until) = one.date("recurrence.untilDate") { " · " (say.until()) " " (written.date(until)) }
                                @let skipped = one.list("skipped").iter().filter_map(|left| left.date("date")).map(|date| written.date(date)).collect::<Vec<_>>();
                                @if !one.list("skipped").is_empty() { br; (say.left_out(&written.count(one.list("skipped").len() as i64))) " " (skipped.join(", ")) } } }
                        @if cx.may("cancel_recurring_booking") {
                            (behind(say.end_it(), Form::about(cx, "cancel_recurring_booking", vec![("recurringBookingId", one.text("recurringBookingId").to_owned())])
                                .hidden("scope", "all").text("reason", say.reason()).danger(say.end_weekly())))
                        }
                    }
                } }
            }
        }
        @if !archived && !types.is_empty() && cx.may("create_recurring_booking") {
            (behind(say.book_weekly(), calendar::weekly(cx, form).send(say.book_weekly())))
        }
    })
}
