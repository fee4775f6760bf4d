//! The pages of a client, who has them on a phone: what comes, what to do, what there is.

pub(super) mod forms;
pub(super) mod shop;
pub(super) mod training;
pub(super) mod workout;
mod workout_exercises;

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{
    booking, bookings,
    client::{consents, progress::shared_progress},
    money::{invoices as bills, memberships::membership},
};
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::Form,
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// The visits that the first page shows.
const NEXT_VISITS: usize = 3;

/// `/my`
pub(super) fn home(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, now) = (cx.own_id(), cx.written.now);
    let next = api::list_bookings().status("booked").from(now).to(now.plus_days(60)).limit(100);
    let answer = cx.call(next)?;
    let mut next = Vec::new();
    for booking in answer.bookings().iter().rev().take(NEXT_VISITS) {
        next.push((booking, cx.coach(booking.coach_id())?));
    }
    let calendar = training::planned(cx, 1)?;
    let training = calendar.calendar().items();
    let credits = cx.call_or_empty(api::get_credits(&own))?;
    let unread = cx.call_or_empty(api::count_unread())?;
    let forms = cx.call_or_empty(api::list_form_assignments(&own).limit(20))?;
    let waits = forms
        .form_assignments()
        .iter()
        .filter(|form| matches!(form.status(), "assigned" | "in_progress"))
        .count() as i64;
    let due = cx.call_or_empty(api::list_invoices().status("open").limit(1))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        section.card.hero #next data-live="booking" {
            h2 { (t.next_visit()) }
            @if next.is_empty() { p.quiet { (t.nothing_booked()) } }
            ul.rows {
                @for (booking, coach) in &next {
                    li {
                        span.grow {
                            a href="/my/bookings" { b { (bookings::when(cx, booking.starts_at())) } }
                            br; (booking.name()) " · " (coach)
                            (cancellation_cost(cx, *booking))
                        }
                        (bookings::cancelling(cx, *booking))
                    }
                }
            }
            div.buttons {
                a.button href="/my/book" { (t.book()) }
                @if !next.is_empty() { a.button.plain href="/my/bookings" { (t.bookings()) } }
            }
        }
        section.card {
            h2 { (t.todays_workout()) }
            @if training.is_empty() { p.quiet { (t.no_workout()) } }
            ul.rows { @for item in training { (training::workout(cx, item)) } }
        }
        div.figures {
            @for pool in credits.credits() {
                div.figure { b { (written.count(pool.available())) } (t.credits()) }
            }
            a.figure href="/my/messages" {
                b { (written.count(unread.unread_messages())) }
                (t.unread())
            }
            @if waits > 0 {
                a.figure href="/my/forms" {
                    b { (written.count(waits)) }
                    (if waits == 1 { t.form_waits() } else { t.forms_wait() })
                }
            }
            @if due.total() > 0 {
                a.figure href="/my/invoices" {
                    b { (written.count(due.total())) }
                    (t.open_invoices())
                }
            }
        }
    };
    Ok(View::new(t.hello(&cx.person.name), main))
}

/// `/my/book`
pub(super) fn book(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let main = booking::slots(cx, None, "/my/bookings")?;
    Ok(View::new(cx.strings.book(), main))
}

/// `/my/bookings`
pub(super) fn bookings(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (answer, tabs) = bookings::by_when(cx, api::list_bookings())?;
    let mut rows = Vec::new();
    for booking in bookings::in_order(cx, &answer) {
        let coach = cx.coach(booking.coach_id())?;
        let coming = booking.starts_at() > cx.written.now;
        let what = match (coming, booking.attendance_status()) {
            (false, marked) if booking.status() == "booked" && marked != "expected" => marked,
            _ => booking.status(),
        };
        let preview = match coming && booking.status() == "booked" {
            true => cancellation_cost(cx, booking),
            false => Markup::default(),
        };
        rows.push(vec![
            html! { (bookings::when(cx, booking.starts_at())) },
            html! { (booking.name()) },
            html! { (coach) },
            html! {
                (state(cx, what))
                @if let Some(place) = booking.waitlist_position() {
                    br;
                    span.quiet { (cx.strings.place_in_line(&place.to_string())) }
                }
            },
            html! {
                (bookings::offered(cx, booking))
                (preview)
                @if booking.status() != "offered" { (bookings::cancelling(cx, booking)) }
            },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs)
        div #bookings data-live="booking" {
            @if rows.is_empty() {
                (empty(t.nothing_booked(), Some(("/my/book", t.book()))))
            } @else {
                (table(t.bookings(), &[t.when(), t.what(), t.coach(), t.status(), ""], rows))
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(t.bookings(), main).acts(html! { a.button href="/my/book" { (t.book()) } }))
}

/// What calling a booking off would cost now, as its own rules say.
fn cancellation_cost(cx: &PageContext<'_, '_>, booking: api::Booking<'_>) -> Markup {
    let Some(window) = booking.policy().cancellation_window_minutes() else {
        return Markup::default();
    };
    let free_until = booking.starts_at().plus_seconds(-window * 60);
    let is_late = cx.written.now > free_until;
    html! {
        @if let (true, Some(fee)) = (is_late, booking.policy().late_fee()) {
            p.quiet { (cx.strings.late_costs(&cx.written.money(fee.amount(), fee.currency()))) }
        } @else {
            p.quiet { (cx.strings.free_until(&cx.written.instant(free_until))) }
        }
    }
}

/// `/my/progress`
pub(super) fn progress(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let main = shared_progress(cx, &own)?;
    Ok(View::new(cx.strings.progress(), main))
}

/// `/my/consents`: a client's consents and data.
pub(super) fn consents(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let mail = consents::notifications(cx, &own)?;
    let devices = notified_devices(cx)?;
    let (health, data) = (consents::health(cx, &own)?, consents::data(cx, &own)?);
    let t = cx.strings;
    let main = html! {
        div.grid { (mail) (devices) }
        (health)
        section.card { h2 { (t.your_data()) } (data) }
    };
    Ok(View::new(t.consents(), main))
}

/// The devices that show notifications, and the button that adds this one; a script fills in its form.
fn notified_devices(cx: &mut PageContext<'_, '_>) -> Result<Markup> {
    let answer = cx.call(api::list_push_subscriptions())?;
    let (t, written) = (cx.strings, &cx.written);
    let turning_on = Form::of(cx, api::create_push_subscription())
        .hidden("endpoint", "")
        .hidden("keys.p256dh", "")
        .hidden("keys.auth", "");
    Ok(html! {
        section.card #devices data-push=(answer.application_server_key()) {
            h2 { (t.device_notifications()) }
            p.quiet { (t.device_notifications_mean()) }
            ul.rows {
                @for device in answer.push_subscriptions() {
                    li {
                        span.grow {
                            (device.push_service()) br;
                            span.quiet { (written.instant(device.created_at())) }
                        }
                        (Form::of(cx, api::delete_push_subscription(device.push_subscription_id()))
                            .labelled_for(device.push_service())
                            .button(t.turn_off()))
                    }
                }
            }
            div hidden data-push-state="ready" { (turning_on.send(t.notify_this_device())) }
            p.notice.warn hidden data-push-state="denied" { (t.notifications_blocked()) }
            p.quiet hidden data-push-state="missing" { (t.notifications_missing()) }
            noscript { p.quiet { (t.notifications_missing()) } }
        }
    })
}

/// `/my/invoices`
pub(super) fn invoices(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let answer = cx.list(api::list_invoices())?;
    let subscriptions = cx.call_or_empty(api::list_subscriptions().limit(20))?;
    let rows = bills::rows(cx, &answer, false)?;
    let requests = cx.call_or_empty(api::list_payment_requests().status("open").limit(20))?;
    let credits = cx.call_or_empty(api::get_credits(&own))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        @for request in requests.payment_requests() {
            div.notice.warn {
                (request.description()) ": "
                b { (written.money(request.amount(), request.currency())) }
                " "
                a.button href=(request.pay_url()) data-hx-boost="false" { (t.pay()) }
            }
        }
        section.card {
            h2 { (t.membership()) }
            @if subscriptions.subscriptions().is_empty() { p.quiet { (t.no_membership()) } }
            @for subscription in subscriptions.subscriptions() { (membership(cx, subscription)) }
            @for pool in credits.credits() {
                p { (t.credits()) ": " b.number { (written.count(pool.available())) } }
            }
        }
        h2 { (t.invoices()) }
        @if rows.is_empty() {
            p.quiet { (t.no_invoices()) }
        } @else {
            (table(t.invoices(), &bills::columns(t, false), rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.invoices(), main))
}
