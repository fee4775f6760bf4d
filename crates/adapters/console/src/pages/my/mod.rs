//! The pages of a client, who has them on a phone: what comes, what to do, what there is.

pub(super) mod forms;
pub(super) mod training;

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{
    booking, bookings,
    client::{consents, progress::shared_progress},
    money as bills,
};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        format::JsonFields,
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/my`
pub(super) fn home(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, now) = (cx.own_id(), cx.written.now);
    let next = ApiCall::of("list_bookings")
        .with("status", "booked")
        .with("from", now)
        .with("to", now.plus_days(60))
        .with("limit", 100);
    let next = cx.call(next)?.list("bookings").last().cloned();
    let coach = match &next {
        Some(next) => cx.coach(next.text("coachId"))?,
        None => String::new(),
    };
    let training = training::planned(cx, 1)?;
    let credits =
        cx.call_if_allowed(ApiCall::of("get_credits").at("clientId", &own))?.unwrap_or_default();
    let unread = cx.call_if_allowed(ApiCall::of("count_unread"))?.unwrap_or_default();
    let forms = cx
        .call_if_allowed(
            ApiCall::of("list_form_assignments").at("clientId", &own).with("limit", 20),
        )?
        .unwrap_or_default();
    let waits = forms
        .list("formAssignments")
        .iter()
        .filter(|form| matches!(form.text("status"), "assigned" | "in_progress"))
        .count() as i64;
    let due = cx
        .call_if_allowed(ApiCall::of("list_invoices").with("status", "open").with("limit", 1))?
        .unwrap_or_default();
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        section.card.hero #next data-live="booking" {
            h2 { (t.next_visit()) }
            @match &next {
                Some(booking) => { p { b { (bookings::when(cx, booking)) } br; (booking.text("name")) " · " (coach) } a href="/my/bookings" { (t.bookings()) } }
                None => { p.quiet { (t.nothing_booked()) } a.button href="/my/book" { (t.book()) } }
            }
        }
        section.card {
            h2 { (t.todays_workout()) }
            @if training.is_empty() { p.quiet { (t.no_workout()) } }
            ul.rows { @for item in &training { (training::workout(cx, item)) } }
        }
        div.figures {
            @for pool in credits.list("credits") { div.figure { b { (written.count(pool.int("available"))) } (t.credits()) } }
            a.figure href="/my/messages" { b { (written.count(unread.int("unreadMessages"))) } (t.unread()) }
            @if waits > 0 { a.figure href="/my/forms" { b { (written.count(waits)) } (if waits == 1 { t.form_waits() } else { t.forms_wait() }) } }
            @if due.int("total") > 0 { a.figure href="/my/invoices" { b { (written.count(due.int("total"))) } (t.open_invoices()) } }
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
    let (answer, all, tabs) = bookings::by_when(cx, ApiCall::of("list_bookings"))?;
    let mut rows = Vec::new();
    for booking in &all {
        let coach = cx.coach(booking.text("coachId"))?;
        let coming = booking.instant("startsAt").is_some_and(|at| at > cx.written.now);
        let what = match (coming, booking.text("attendanceStatus")) {
            (false, marked) if booking.text("status") == "booked" && marked != "expected" => marked,
            _ => booking.text("status"),
        };
        let preview = match coming && booking.text("status") == "booked" {
            true => cancellation_cost(cx, booking),
            false => Markup::default(),
        };
        rows.push(vec![
            html! { (bookings::when(cx, booking)) },
            html! { (booking.text("name")) },
            html! { (coach) },
            html! { (state(cx, what)) @if booking.has("waitlistPosition") { br; span.quiet { (cx.strings.place_in_line(&booking.int("waitlistPosition").to_string())) } } },
            html! { (bookings::offered(cx, booking)) (preview) @if booking.text("status") != "offered" { (bookings::cancelling(cx, booking)) } },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs)
        div #bookings data-live="booking" {
            @if rows.is_empty() { (empty(t.nothing_booked(), Some(("/my/book", t.book())))) }
            @else { (table(t.bookings(), &[t.when(), t.what(), t.coach(), t.status(), ""], rows)) }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(t.bookings(), main).acts(html! { a.button href="/my/book" { (t.book()) } }))
}

/// What calling a booking off would cost now, as its own rules say.
fn cancellation_cost(cx: &PageContext<'_, '_>, booking: &Value) -> Markup {
    let policy = booking.at("policy");
    let Some(at) = booking.instant("startsAt") else { return Markup::default() };
    let window = policy.int("cancellationWindowMinutes");
    let late =
        policy.has("cancellationWindowMinutes") && cx.written.now > at.plus_seconds(-window * 60);
    let fee = policy.at("lateFee");
    html! {
        @if late && fee.is_object() { p.quiet { (cx.strings.late_costs(&cx.written.money(fee.int("amount"), fee.text("currency")))) } }
        @else if policy.has("cancellationWindowMinutes") {
            p.quiet { (cx.strings.free_until(&cx.written.instant(at.plus_seconds(-window * 60)))) }
        }
    }
}

/// `/my/progress`
pub(super) fn progress(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let main = shared_progress(cx, &own, Markup::default())?;
    Ok(View::new(cx.strings.progress(), main))
}

/// `/my/consents`: what somebody agreed to, and what is kept of them.
pub(super) fn consents(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let (health, data) = (consents::health(cx, &own)?, consents::data(cx, &own)?);
    let t = cx.strings;
    let main = html! {
        (health)
        section.card { h2 { (t.your_data()) } (data) }
    };
    Ok(View::new(t.consents(), main))
}

/// `/my/invoices`
pub(super) fn invoices(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let answer = cx.list(ApiCall::of("list_invoices"))?;
    let subscriptions = cx
        .call_if_allowed(ApiCall::of("list_subscriptions").with("limit", 20))?
        .unwrap_or_default();
    let rows = bills::rows(cx, &answer, false)?;
    let requests = cx
        .call_if_allowed(
            ApiCall::of("list_payment_requests").with("status", "open").with("limit", 20),
        )?
        .unwrap_or_default();
    let credits =
        cx.call_if_allowed(ApiCall::of("get_credits").at("clientId", &own))?.unwrap_or_default();
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        @for request in requests.list("paymentRequests") {
            div.notice.warn { (request.text("description")) ": " b { (written.money(request.int("amount"), request.text("currency"))) } " "
                a.button href=(request.text("payUrl")) data-hx-boost="false" { (t.pay()) } }
        }
        section.card {
            h2 { (t.membership()) }
            @if subscriptions.list("subscriptions").is_empty() { p.quiet { (t.no_membership()) } }
            @for subscription in subscriptions.list("subscriptions") { (bills::course(cx, subscription)) }
            @for pool in credits.list("credits") { p { (t.credits()) ": " b.number { (written.count(pool.int("available"))) } } }
        }
        h2 { (t.invoices()) }
        @if rows.is_empty() { p.quiet { (t.no_invoices()) } }
        @else { (table(t.invoices(), &bills::columns(t, false), rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.invoices(), main))
}
