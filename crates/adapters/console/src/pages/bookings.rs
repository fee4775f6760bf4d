//! Bookings as pages show them: when they are, those to come and those that were, and what takes or calls one off.

use maud::{Markup, html};
use spotter_kernel::{Result, Timestamp};

use crate::{
    api::{self, Call},
    page_context::{ListPage, PageContext},
    parts::fields::{Form, disclosure},
};

/// The day and the time at which something starts.
pub(super) fn when(cx: &PageContext<'_, '_>, at: Timestamp) -> String {
    let written = &cx.written;
    format!("{}, {}", written.day(written.zone.date_at(at)), written.time(at))
}

/// What calls a booking off, where it can be.
pub(super) fn cancelling(cx: &PageContext<'_, '_>, booking: api::Booking<'_>) -> Markup {
    let coming = booking.starts_at() > cx.written.now;
    let open = matches!(booking.status(), "booked" | "waitlisted" | "offered");
    if !(coming && open && cx.may(api::CancelBooking)) {
        return Markup::default();
    }
    let t = cx.strings;
    let form = Form::of(cx, api::cancel_booking(booking.booking_id()));
    let form = match cx.is_client() {
        true => form.text("reason", t.reason_for_coach()),
        false => form.text("reason", t.reason_for_records()).text("message", t.mail_sentence()),
    };
    disclosure(t.cancel(), form.danger(t.cancel_booking()))
}

/// Buttons to accept or decline an offered seat, with its deadline.
pub(super) fn offered(cx: &PageContext<'_, '_>, booking: api::Booking<'_>) -> Markup {
    let until = booking.offer_expires_at();
    let (Some(until), "offered") = (until, booking.status()) else {
        return Markup::default();
    };
    html! {
        p { (cx.strings.offered_until(&cx.written.instant(until))) }
        div.buttons {
            (Form::of(cx, api::accept_offered_seat(booking.booking_id()))
                .send(cx.strings.take_seat()))
            (Form::of(cx, api::decline_offered_seat(booking.booking_id()))
                .button(cx.strings.hand_on()))
        }
    }
}

/// The bookings of a list as a page shows them: cancelled ones below those that take place, unless it shows past ones.
pub(super) fn in_order<'a>(
    cx: &PageContext<'_, '_>,
    answer: &'a ListPage<api::ListBookings>,
) -> Vec<api::Booking<'a>> {
    let mut bookings: Vec<_> = answer.bookings().iter().collect();
    if cx.place.parameter("when") != "past" {
        bookings.sort_by_key(|booking| (booking.status() == "cancelled", booking.starts_at()));
    }
    bookings
}

/// Upcoming bookings, the next first, or past ones, the latest first, by the parameter `when`; and the tabs of both.
pub(super) fn by_when(
    cx: &mut PageContext<'_, '_>,
    call: Call<api::ListBookings>,
) -> Result<(ListPage<api::ListBookings>, Markup)> {
    let (now, past) = (cx.written.now, cx.place.parameter("when") == "past");
    let call = match past {
        true => call.to(now),
        false => call.from(now),
    };
    let answer = cx.list(call)?;
    let (t, to) =
        (cx.strings, |when: &str| cx.place.with_parameters(&[("when", when), ("page", "")]));
    let tabs = html! {
        nav.tabs aria-label=(t.bookings()) {
            a href=(to("")) aria-current=[(!past).then_some("page")] { (t.upcoming()) }
            a href=(to("past")) aria-current=[past.then_some("page")] { (t.past()) }
        }
    };
    Ok((answer, tabs))
}
