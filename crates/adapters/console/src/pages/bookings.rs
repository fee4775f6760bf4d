//! Bookings as pages show them: when they are, those to come and those that were, and what takes or calls one off.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, ListPage, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
    },
};

/// When something is, by the clock of where it is.
pub(super) fn when(cx: &PageContext<'_, '_>, booked: &Value) -> String {
    let Some(at) = booked.instant("startsAt") else { return String::new() };
    let written = &cx.written;
    format!("{}, {}", written.day(written.zone.date_at(at)), written.time(at))
}

/// What calls a booking off, where it can be.
pub(super) fn cancelling(cx: &PageContext<'_, '_>, booking: &Value) -> Markup {
    let coming = booking.instant("startsAt").is_some_and(|at| at > cx.written.now);
    let open = matches!(booking.text("status"), "booked" | "waitlisted" | "offered");
    if !(coming && open && cx.may("cancel_booking")) {
        return Markup::default();
    }
    let id = booking.text("bookingId").to_owned();
    let form = Form::about(cx, "cancel_booking", vec![("bookingId", id)]);
    disclosure(
        cx.strings.cancel(),
        form.text("reason", cx.strings.reason()).danger(cx.strings.cancel_booking()),
    )
}

/// What takes a seat that is offered to whoever waited, or hands it on, and until when.
pub(super) fn offered(cx: &PageContext<'_, '_>, booking: &Value) -> Markup {
    let until = booking.instant("offerExpiresAt");
    let (Some(until), "offered") = (until, booking.text("status")) else {
        return Markup::default();
    };
    let at = || vec![("bookingId", booking.text("bookingId").to_owned())];
    html! {
        p { (cx.strings.offered_until(&cx.written.instant(until))) }
        div.buttons {
            (Form::about(cx, "accept_offered_seat", at()).send(cx.strings.take_seat()))
            (Form::about(cx, "decline_offered_seat", at()).button(cx.strings.hand_on()))
        }
    }
}

/// Bookings to come, the next first, or those that are over, the last first, as somebody has chosen; with the tabs of both.
pub(super) fn by_when(
    cx: &mut PageContext<'_, '_>,
    call: ApiCall,
) -> Result<(ListPage, Vec<Value>, Markup)> {
    let (now, past) = (cx.written.now, cx.place.parameter("when") == "past");
    let call = match past {
        true => call.with("to", now),
        false => call.with("from", now),
    };
    let answer = cx.list(call)?;
    let mut all = answer.list("bookings").to_vec();
    if !past {
        // What was called off stands below what takes place.
        all.sort_by_key(|one| (one.text("status") == "cancelled", one.text("startsAt").to_owned()));
    }
    let (t, to) =
        (cx.strings, |when: &str| cx.place.with_parameters(&[("when", when), ("page", "")]));
    let tabs = html! {
        nav.tabs aria-label=(t.bookings()) {
            a href=(to("")) aria-current=[(!past).then_some("page")] { (t.upcoming()) }
            a href=(to("past")) aria-current=[past.then_some("page")] { (t.past()) }
        }
    };
    Ok((answer, all, tabs))
}
