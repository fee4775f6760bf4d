//! What clients ask to book, where somebody decides.

use maud::html;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    pages::bookings::when,
    parts::{
        fields::Form,
        format::JsonFields,
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
    let answer = cx.list(ApiCall::of("list_booking_requests").with("status", status))?;
    let types = cx.choices(ApiCall::of("list_event_types"), ("eventTypes", "eventTypeId"))?;
    cx.know_clients(answer.list("bookingRequests"))?;
    let mut rows = Vec::new();
    for request in answer.list("bookingRequests") {
        let (client, coach) =
            (cx.client(request.text("clientId"))?, cx.coach(request.text("coachId"))?);
        let id = request.text("bookingRequestId");
        let kind = types
            .iter()
            .find(|(own, _)| own == request.text("eventTypeId"))
            .map_or("", |(_, name)| name);
        let at = || vec![("bookingRequestId", id.to_owned())];
        rows.push(vec![
            html! { (when(cx, request)) },
            html! { a href={ "/console/clients/" (request.text("clientId")) } { (client) } },
            html! { (kind) },
            html! { (coach) },
            html! {
                @if request.text("status") == "pending" {
                    div.buttons {
                        (Form::about(cx, "approve_booking_request", at()).send(cx.strings.approve()))
                        (Form::about(cx, "reject_booking_request", at()).button(cx.strings.reject()))
                    }
                } @else { (state(cx, request.text("status"))) }
            },
        ]);
    }
    let t = cx.strings;
    let columns = [t.when(), t.client(), t.what(), t.coach(), t.status()];
    let main = html! {
        (by_word(cx, (t.status(), "status", status), &["pending", "approved", "rejected"]))
        div #requests data-live="booking" {
            @if rows.is_empty() { (empty(t.nothing_waits(), None)) }
            @else { (table(t.booking_requests(), &columns, rows)) }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(t.booking_requests(), main))
}
