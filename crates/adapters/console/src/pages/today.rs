//! The day at a glance: who comes, what waits, and a button for each.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result};

use super::{follow_ups::waiting, setup_steps::first_steps};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::Form,
        format::JsonFields,
        lists::{empty, state},
        shell::View,
    },
};

/// The bookings of a day, the earliest first.
pub(super) fn bookings_on(
    cx: &mut PageContext<'_, '_>,
    date: Date,
    call: ApiCall,
) -> Result<Vec<Value>> {
    let zone = &cx.written.zone;
    let (from, to) = (date.start_in(zone), date.tomorrow().start_in(zone));
    let query = call.with("from", from).with("to", to).with("limit", 100);
    let answer = cx.call(query)?;
    let mut all = answer.list("bookings").to_vec();
    all.sort_by(|one, other| one.text("startsAt").cmp(other.text("startsAt")));
    Ok(all)
}

/// A button that says that somebody came, and another that they did not: by their name, and with the place that one
/// goes on from once it is pressed.
pub(super) fn attendance(cx: &PageContext<'_, '_>, booking: &Value, recipient: &str) -> Markup {
    let id = booking.text("bookingId").to_owned();
    let marked = booking.text("attendanceStatus");
    // Somebody may be early by an hour.
    let near =
        booking.instant("startsAt").is_some_and(|at| at <= cx.written.now.plus_seconds(3_600));
    if booking.text("status") != "booked" || marked == "expected" && !near {
        return state(cx, booking.text("status"));
    }
    let mark = |status: &str| {
        let back = cx.place.address();
        let page = back.split('#').next().unwrap_or_default();
        Form::about(cx, "set_booking_attendance", vec![("bookingId", id.clone())])
            .next(format!("{page}#seat-{id}"))
            .labelled_for(recipient)
            .hidden("attendanceStatus", status)
    };
    if marked != "expected" {
        return html! {
            div.buttons id={ "seat-" (id) } tabindex="-1" { (state(cx, marked)) (mark("expected").button(cx.strings.undo())) }
        };
    }
    html! {
        div.buttons id={ "seat-" (id) } tabindex="-1" {
            (mark("attended").send(cx.strings.check_in()))
            (mark("no_show").button(cx.strings.no_show()))
        }
    }
}

/// `/console`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let today = cx.written.today();
    let own = cx.own_id();
    let mut call = ApiCall::of("list_bookings").with("status", "booked");
    let mine = !cx.manages() || cx.place.parameter("whose") == "mine";
    if mine {
        call = call.with("coachId", &own);
    }
    let bookings = bookings_on(cx, today, call)?;
    let unread =
        cx.call_if_allowed(ApiCall::of("count_unread"))?.unwrap_or_default().int("unreadMessages");
    let waiting = waiting(cx, if mine { &own } else { "" })?;
    let first_steps = first_steps(cx)?;
    let month = today.first_of_month();
    let revenue = cx.call_if_allowed(
        ApiCall::of("get_revenue_report")
            .with("from", month)
            .with("to", today)
            .with("groupBy", "month"),
    )?;
    let members = cx.call_if_allowed(
        ApiCall::of("list_clients").with("memberStatus", "active").with("limit", 1),
    )?;
    cx.know_clients(&bookings)?;
    let mut rows = Vec::new();
    for booking in &bookings {
        let client = cx.client(booking.text("clientId"))?;
        let coach = cx.coach(booking.text("coachId"))?;
        rows.push((booking, client, coach));
    }
    let (t, written) = (cx.strings, &cx.written);
    let came = bookings.iter().filter(|booking| booking.text("attendanceStatus") == "attended");
    let main = html! {
        @if let Some(steps) = first_steps { (steps) }
        div.figures {
            div.figure { b { (written.count(bookings.len() as i64)) } (t.bookings_today()) }
            div.figure { b { (written.count(came.count() as i64)) } (t.checked_in()) }
            a.figure href="/console/messages" { b { (written.count(unread)) } (t.unread()) }
            @if let Some(members) = &members {
                a.figure href="/console/clients?memberStatus=active" { b { (written.count(members.int("total"))) } (t.active_members()) }
            }
            @if let Some(revenue) = &revenue {
                @for total in revenue.list("report.totals") {
                    a.figure href="/console/reports/revenue" {
                        b { (written.money(total.int("netCollected"), total.text("currency"))) } (t.collected_this_month())
                    }
                }
            }
        }
        div.grid {
            section.card {
                h2 { (t.attention()) }
                (waiting)
            }
            section.card {
                h2 { (t.quickly()) }
                div.buttons {
                    a.button href="/console/clients/new" { (t.add_client()) }
                    a.button.plain href="/console/calendar/book" { (t.book()) }
                    a.button.plain href="/console/clients" { (t.find_client()) }
                }
            }
        }
        div.heading {
            h2 { (written.day(today)) }
            @if cx.manages() {
                nav.buttons aria-label=(t.whose()) {
                    a.button.plain href="/console" aria-current=[(!mine).then_some("true")] { (t.everybodys()) }
                    a.button.plain href="/console?whose=mine" aria-current=[mine.then_some("true")] { (t.mine()) }
                }
            }
        }
        @if rows.is_empty() { (empty(t.nobody_today(), Some(("/console/calendar/book", t.book())))) }
        @else {
            section.card {
                ul.rows #agenda data-live="booking" {
                    @for (booking, client, coach) in &rows {
                        li {
                            b.number { (booking.instant("startsAt").map(|at| written.time(at)).unwrap_or_default()) }
                            span.grow {
                                a href={ "/console/clients/" (booking.text("clientId")) } { (client) }
                                br;
                                span.quiet { (booking.text("name")) " · " (coach) }
                            }
                            (attendance(cx, booking, client))
                        }
                    }
                }
            }
        }
    };
    Ok(View::new(t.today(), main))
}
