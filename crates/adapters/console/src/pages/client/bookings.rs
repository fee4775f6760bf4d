//! What a client has booked, and what they come to every week.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{Head, head};
use crate::{
    page_context::{ApiCall, PageContext},
    pages::{
        bookings,
        calendar::{self, series},
        today,
    },
    parts::{
        fields::{Form, disclosure},
        format::{JsonFields, name},
        lists::{empty, pager, table},
        shell::View,
    },
};

/// `/console/clients/{clientId}/bookings`
pub(in crate::pages) fn bookings(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "bookings")?;
    let (answer, all, when) =
        bookings::by_when(cx, ApiCall::of("list_bookings").with("clientId", &id))?;
    let mut rows = Vec::new();
    for booking in &all {
        let coach = cx.coach(booking.text("coachId"))?;
        rows.push(vec![
            html! { a href={ "/console/calendar/events/" (booking.text("calendarEventId")) } { (bookings::when(cx, booking)) } },
            html! { (booking.text("name")) },
            html! { (coach) },
            today::attendance(cx, booking, &bookings::when(cx, booking)),
            bookings::cancelling(cx, booking),
        ]);
    }
    let weekly = weekly(cx, &id, client.has("archivedAt"))?;
    let t = cx.strings;
    let columns = [t.when(), t.what(), t.coach(), t.status(), ""];
    let main = html! {
        (tabs)
        p { a.button href={ "/console/calendar/book?clientId=" (id) } { (t.book()) } }
        (weekly)
        (when)
        @if rows.is_empty() { (empty(t.nothing_booked(), None)) }
        @else { (table(t.bookings(), &columns, rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(name(&client), main))
}

/// What the client comes to every week, and the form of more of it.
fn weekly(cx: &mut PageContext<'_, '_>, id: &str, archived: bool) -> Result<Markup> {
    let call = ApiCall::of("list_recurring_bookings").with("clientId", id).with("status", "active");
    let Some(answer) = cx.call_if_allowed(call.with("limit", 20))? else {
        return Ok(Markup::default());
    };
    let types = calendar::types(cx, "appointment")?;
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let (t, written) = (cx.strings, &cx.written);
    let called = |all: &[(String, String)], id: &str| {
        all.iter().find(|(own, _)| own == id).map(|(_, name)| name.clone()).unwrap_or_default()
    };
    let (today, usual) = (cx.written.today(), series::from_today(cx));
    // What is over waits for nobody to end it.
    let own = answer.list("recurringBookings").iter();
    let own: Vec<&Value> = own
        .filter(|one| one.date("recurrence.untilDate").is_none_or(|until| until >= today))
        .collect();
    let form = Form::of(cx, "create_recurring_booking")
        .from(&usual)
        .hidden("clientId", id)
        .hidden("onConflict", "skip")
        .choice("eventTypeId", t.what(), &types)
        .choice("coachId", t.coach(), &coaches)
        .choice("locationId", t.location(), &locations);
    Ok(html! {
        @if !own.is_empty() {
            section.card {
                h2 { (t.every_week()) }
                ul.rows { @for one in own {
                    li {
                        div.grow { b { (series::days(cx, one.at("recurrence"))) } " " (called(&types, one.text("eventTypeId")))
                            br; span.quiet { (called(&coaches, one.text("coachId")))
                                @if let Some(until) = one.date("recurrence.untilDate") { " · " (t.until()) " " (written.date(until)) } }
                            (series::left_out(cx, one)) }
                        @if cx.may("cancel_recurring_booking") {
                            (disclosure(t.end_it(), Form::about(cx, "cancel_recurring_booking", vec![("recurringBookingId", one.text("recurringBookingId").to_owned())])
                                .hidden("scope", "all").text("reason", t.reason()).danger(t.end_weekly())))
                        }
                    }
                } }
            }
        }
        @if !archived && !types.is_empty() && cx.may("create_recurring_booking") {
            (disclosure(t.book_weekly(), series::weekly(cx, form).send(t.book_weekly())))
        }
    })
}
