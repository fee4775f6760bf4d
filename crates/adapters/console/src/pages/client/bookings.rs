//! What a client has booked, and what they come to every week.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    page_context::PageContext,
    pages::{
        bookings,
        calendar::{self, series},
        today,
    },
    parts::{
        fields::{Form, disclosure},
        lists::{empty, pager, table},
        shell::View,
    },
};

/// `/console/clients/{clientId}/bookings`
pub(in crate::pages) fn bookings(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "bookings")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let (answer, when) = bookings::by_when(cx, api::list_bookings().client_id(id))?;
    let mut rows = Vec::new();
    for booking in bookings::in_order(cx, &answer) {
        let coach = cx.coach(booking.coach_id())?;
        rows.push(vec![
            html! {
                a href={ "/console/calendar/events/" (booking.calendar_event_id()) } {
                    (bookings::when(cx, booking.starts_at()))
                }
            },
            html! { (booking.name()) },
            html! { (coach) },
            today::attendance(cx, booking, &bookings::when(cx, booking.starts_at())),
            bookings::cancelling(cx, booking),
        ]);
    }
    let weekly = weekly(cx, id, client.archived_at().is_some())?;
    let t = cx.strings;
    let columns = [t.when(), t.what(), t.coach(), t.status(), ""];
    let main = html! {
        (tabs)
        p { a.button href={ "/console/calendar/book?clientId=" (id) } { (t.book()) } }
        (weekly)
        (when)
        @if rows.is_empty() {
            (empty(t.nothing_booked(), None))
        } @else {
            (table(t.bookings(), &columns, rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(client.full_name(), main))
}

/// What the client comes to every week, and the form of more of it.
fn weekly(cx: &mut PageContext<'_, '_>, id: &str, archived: bool) -> Result<Markup> {
    let call = api::list_recurring_bookings().client_id(id).status("active");
    let Some(answer) = cx.call_if_allowed(call.limit(20))? else {
        return Ok(Markup::default());
    };
    let types = calendar::types(cx, "appointment")?;
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.location_choices()?;
    let (t, written) = (cx.strings, &cx.written);
    let called = |all: &[(String, String)], id: &str| {
        all.iter().find(|(own, _)| own == id).map(|(_, name)| name.clone()).unwrap_or_default()
    };
    let (today, usual) = (cx.written.today(), series::from_today(cx));
    // Series that are over need no button to end them.
    let own = answer.recurring_bookings().iter();
    let own: Vec<_> = own
        .filter(|one| one.recurrence().until_date().is_none_or(|until| until >= today))
        .collect();
    let form = Form::of(cx, api::create_recurring_booking())
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
                ul.rows {
                    @for one in own {
                        li {
                            div.grow {
                                b { (series::days(cx, one.recurrence())) }
                                " " (called(&types, one.event_type_id())) br;
                                span.quiet {
                                    (called(&coaches, one.coach_id()))
                                    @if let Some(until) = one.recurrence().until_date() {
                                        " · " (t.until()) " " (written.date(until))
                                    }
                                }
                                (series::left_out(cx, one.skipped()))
                            }
                            @if cx.may(api::CancelRecurringBooking) {
                                (disclosure(
                                    t.end_it(),
                                    Form::of(
                                        cx,
                                        api::cancel_recurring_booking(one.recurring_booking_id()),
                                    )
                                    .hidden("scope", "all")
                                    .text("reason", t.reason())
                                    .danger(t.end_weekly()),
                                ))
                            }
                        }
                    }
                }
            }
        }
        @if !archived && !types.is_empty() && cx.may(api::CreateRecurringBooking) {
            (disclosure(t.book_weekly(), series::weekly(cx, form).send(t.book_weekly())))
        }
    })
}
