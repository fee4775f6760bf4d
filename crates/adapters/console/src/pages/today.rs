//! The day at a glance: who comes, what waits, and a button for each.

use maud::{Markup, html};
use spotter_kernel::{Date, Result};

use super::{follow_ups::waiting, setup_steps::first_steps};
use crate::{
    api::{self, Answer, Call},
    page_context::PageContext,
    parts::{
        fields::Form,
        lists::{empty, state},
        shell::View,
    },
};

/// The bookings of a day.
pub(super) fn bookings_on(
    cx: &mut PageContext<'_, '_>,
    date: Date,
    call: Call<api::ListBookings>,
) -> Result<Answer<api::ListBookings>> {
    let zone = &cx.written.zone;
    let (from, to) = (date.start_in(zone), date.tomorrow().start_in(zone));
    cx.call(call.from(from).to(to).limit(100))
}

/// Whether a booking can be marked: clients may be an hour early.
fn may_come(cx: &PageContext<'_, '_>, booking: api::Booking<'_>) -> bool {
    booking.starts_at() <= cx.written.now.plus_seconds(3_600)
}

/// Buttons to check a client in or mark a no-show, with the anchor to return to.
pub(super) fn attendance(
    cx: &PageContext<'_, '_>,
    booking: api::Booking<'_>,
    recipient: &str,
) -> Markup {
    let id = booking.booking_id().to_owned();
    let marked = booking.attendance_status();
    if booking.status() != "booked" || marked == "expected" && !may_come(cx, booking) {
        return state(cx, booking.status());
    }
    let mark = |status: &str| {
        let back = cx.place.address();
        let page = back.split('#').next().unwrap_or_default();
        Form::of(cx, api::set_booking_attendance(&id))
            .next(format!("{page}#seat-{id}"))
            .labelled_for(recipient)
            .hidden("attendanceStatus", status)
    };
    if marked != "expected" {
        return html! {
            div.buttons id={ "seat-" (id) } tabindex="-1" {
                (state(cx, marked))
                (mark("expected").button(cx.strings.undo()))
            }
        };
    }
    html! {
        div.buttons id={ "seat-" (id) } tabindex="-1" {
            (mark("attended").send(cx.strings.check_in()))
            (mark("no_show").button(cx.strings.no_show()))
        }
    }
}

/// Marks everybody of a class who is still expected as present.
pub(super) fn check_in_all(
    cx: &PageContext<'_, '_>,
    event: &str,
    bookings: &[api::Booking<'_>],
) -> Markup {
    let is_expected = |booking: &&api::Booking<'_>| {
        booking.status() == "booked"
            && booking.attendance_status() == "expected"
            && may_come(cx, **booking)
    };
    let expected: Vec<_> = bookings.iter().filter(is_expected).collect();
    if expected.len() < 2 {
        return Markup::default();
    }
    let mut form = Form::of(cx, api::set_event_attendance(event));
    for (at, booking) in expected.iter().enumerate() {
        form = form
            .hidden(&format!("attendance.{at}.bookingId"), booking.booking_id())
            .hidden(&format!("attendance.{at}.attendanceStatus"), "attended");
    }
    form.send(cx.strings.check_in_all())
}

/// The rows of a day: a class once, with those who come, and each appointment.
fn agenda(
    cx: &mut PageContext<'_, '_>,
    date: Date,
    bookings: &[api::Booking<'_>],
    coach: &str,
) -> Result<Vec<Markup>> {
    let zone = &cx.written.zone;
    let (from, to) = (date.start_in(zone), date.tomorrow().start_in(zone));
    let call = api::list_calendar_events().from(from).to(to).status("scheduled").coach_id(coach);
    let classes = cx.call(call.limit(100))?;
    let mut rows = Vec::new();
    for class in classes.calendar_events().iter().filter(|event| event.kind() == "class") {
        let own: Vec<_> = bookings
            .iter()
            .copied()
            .filter(|booking| booking.calendar_event_id() == class.calendar_event_id())
            .collect();
        let mut people = Vec::new();
        for booking in own.iter().copied() {
            people.push((booking, cx.client(booking.client_id())?));
        }
        let coach = cx.coach(class.coach_id())?;
        let id = class.calendar_event_id();
        let row = html! {
            li.class id={ "class-" (id) } {
                b.number { (cx.written.time(class.starts_at())) }
                span.grow {
                    a href={ "/console/calendar/events/" (id) } { b { (class.name()) } }
                    " "
                    span.number { (class.seats_taken()) "/" (class.capacity()) }
                    br;
                    span.quiet { (coach) }
                }
                (check_in_all(cx, id, &own))
                @if !people.is_empty() {
                    ul.rows.people {
                        @for (booking, client) in &people {
                            li {
                                a.grow href={ "/console/clients/" (booking.client_id()) } { (client) }
                                (attendance(cx, *booking, client))
                            }
                        }
                    }
                }
            }
        };
        rows.push((class.starts_at(), row));
    }
    let is_class = |id: &str| {
        let mut events = classes.calendar_events().iter();
        events.any(|event| event.kind() == "class" && event.calendar_event_id() == id)
    };
    for booking in bookings.iter().filter(|booking| !is_class(booking.calendar_event_id())) {
        let (client, coach) = (cx.client(booking.client_id())?, cx.coach(booking.coach_id())?);
        let row = html! {
            li {
                b.number { (cx.written.time(booking.starts_at())) }
                span.grow {
                    a href={ "/console/clients/" (booking.client_id()) } { (client) }
                    br;
                    span.quiet { (booking.name()) " · " (coach) }
                }
                (attendance(cx, *booking, &client))
            }
        };
        rows.push((booking.starts_at(), row));
    }
    rows.sort_by_key(|(at, _)| *at);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// `/console`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let today = cx.written.today();
    let own = cx.own_id();
    let mut call = api::list_bookings().status("booked");
    let mine = !cx.manages() || cx.place.parameter("whose") == "mine";
    if mine {
        call = call.coach_id(&own);
    }
    let answer = bookings_on(cx, today, call)?;
    let mut bookings: Vec<_> = answer.bookings().iter().collect();
    bookings.sort_by_key(|booking| booking.starts_at());
    let unread = cx.call_or_empty(api::count_unread())?.unread_messages();
    let waiting = waiting(cx, if mine { &own } else { "" })?;
    let first_steps = first_steps(cx)?;
    let month = today.first_of_month();
    let revenue =
        cx.call_if_allowed(api::get_revenue_report().from(month).to(today).group_by("month"))?;
    let members =
        cx.call_if_allowed(api::list_clients().member_status("active").archived(false).limit(1))?;
    cx.know_clients(bookings.iter().map(|booking| booking.client_id()))?;
    let rows = agenda(cx, today, &bookings, if mine { &own } else { "" })?;
    let (t, written) = (cx.strings, &cx.written);
    let came = bookings.iter().filter(|booking| booking.attendance_status() == "attended");
    let main = html! {
        @if let Some(steps) = first_steps { (steps) }
        div.figures {
            div.figure { b { (written.count(bookings.len() as i64)) } (t.bookings_today()) }
            div.figure { b { (written.count(came.count() as i64)) } (t.checked_in()) }
            a.figure href="/console/messages" { b { (written.count(unread)) } (t.unread()) }
            @if let Some(members) = &members {
                a.figure href="/console/clients?memberStatus=active" {
                    b { (written.count(members.total())) }
                    (t.active_members())
                }
            }
            @if let Some(revenue) = &revenue {
                @for total in revenue.report().totals() {
                    a.figure href="/console/reports/revenue" {
                        b { (written.money(total.net_collected(), total.currency())) }
                        (t.collected_this_month())
                    }
                }
            }
        }
        div.grid {
            section.card { h2 { (t.attention()) } (waiting) }
            section.card {
                h2 { (t.quick_actions()) }
                div.buttons {
                    @if cx.may(api::CreateDeskSale) {
                        a.button href="/console/sell" { (t.sell()) }
                    }
                    a.button.plain href="/console/clients/new" { (t.add_client()) }
                    a.button.plain href="/console/calendar/book" { (t.book()) }
                    a.button.plain href="/console/clients" { (t.find_client()) }
                }
            }
        }
        div.heading {
            h2 { (written.day(today)) }
            @if cx.manages() {
                nav.buttons aria-label=(t.whose()) {
                    a.button.plain href="/console" aria-current=[(!mine).then_some("true")] {
                        (t.everything())
                    }
                    a.button.plain
                        href="/console?whose=mine"
                        aria-current=[mine.then_some("true")]
                    {
                        (t.mine())
                    }
                }
            }
        }
        @if rows.is_empty() {
            (empty(t.nobody_today(), Some(("/console/calendar/book", t.book()))))
        } @else {
            section.card {
                ul.rows #agenda data-live="booking" {
                    @for row in &rows { (row) }
                }
            }
        }
    };
    Ok(View::new(t.today(), main))
}
