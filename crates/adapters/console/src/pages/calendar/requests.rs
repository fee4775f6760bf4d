//! Requests to book that wait for approval.

use maud::html;
use spotter_kernel::Result;

use crate::{
    api,
    page_context::PageContext,
    pages::bookings::when,
    parts::{
        fields::Form,
        lists::{by_word, empty, pager, state, table},
        shell::View,
    },
};

/// `/console/calendar/requests`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let status = match cx.place.parameter("status") {
        "" => "pending",
        status => status,
    };
    let answer = cx.list(api::list_booking_requests().status(status))?;
    let types = cx.event_type_choices()?;
    cx.know_clients(answer.booking_requests().iter().map(|one| one.client_id()))?;
    let mut rows = Vec::new();
    for request in answer.booking_requests() {
        let (client, coach) = (cx.client(request.client_id())?, cx.coach(request.coach_id())?);
        let id = request.booking_request_id();
        let kind = types
            .iter()
            .find(|(own, _)| own == request.event_type_id())
            .map_or("", |(_, name)| name);
        rows.push(vec![
            html! { (when(cx, request.starts_at())) },
            html! { a href={ "/console/clients/" (request.client_id()) } { (client) } },
            html! { (kind) },
            html! { (coach) },
            html! {
                @if request.status() == "pending" {
                    div.buttons {
                        (Form::of(cx, api::approve_booking_request(id)).send(cx.strings.approve()))
                        (Form::of(cx, api::reject_booking_request(id)).button(cx.strings.reject()))
                    }
                } @else {
                    (state(cx, request.status()))
                }
            },
        ]);
    }
    let t = cx.strings;
    let columns = [t.when(), t.client(), t.what(), t.coach(), t.status()];
    let main = html! {
        (by_word(cx, t.status(), "status", status, &["pending", "approved", "rejected"]))
        div #requests data-live="booking" {
            @if rows.is_empty() {
                (empty(t.nothing_waits(), None))
            } @else {
                (table(t.booking_requests(), &columns, rows))
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(t.booking_requests(), main))
}
