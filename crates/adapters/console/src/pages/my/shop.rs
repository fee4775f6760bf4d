//! What clients buy by themselves: the shop, a product, an order; and a class to book, through the shop where credits are
//! missing.

use maud::{Markup, html};
use serde_json::json;
use spotter_kernel::Result;

use crate::{
    api::{self, Slot},
    page_context::PageContext,
    pages::{bookings::when, settings::site::payment_choices},
    parts::{
        cancellation,
        fields::Form,
        lists::empty,
        offers::{ProductTerms, groups, terms},
        shell::View,
    },
};

/// `/my/shop`: what is sold, and orders that wait for their payment.
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let credits = cx.call_or_empty(api::get_credits(&own))?;
    let available: i64 = credits.credits().iter().map(|pool| pool.available()).sum();
    let orders =
        cx.call_or_empty(api::list_shop_orders(&own).status("awaiting_payment").limit(10))?;
    let offers = offers(cx, "")?;
    let t = cx.strings;
    let main = html! {
        p.quiet { (t.credits()) ": " (cx.written.count(available)) }
        @if !orders.shop_orders().is_empty() {
            section.card {
                h2 { (t.waiting_for_payment()) }
                ul.rows {
                    @for order in orders.shop_orders() {
                        li {
                            span.grow { b { (order.name()) } br; (cx.written.money(order.amount(), order.currency())) }
                            a.button href={ "/my/orders/" (order.shop_order_id()) } { (t.pay()) }
                        }
                    }
                }
            }
        }
        (offers)
    };
    Ok(View::new(t.shop(), main))
}

/// The products that clients see, each leading to its page, and from there back to a class.
fn offers(cx: &mut PageContext<'_, '_>, class: &str) -> Result<Markup> {
    let pages = cx.pages(&api::browse_products(), 3)?;
    let all: Vec<api::Product<'_>> = pages.iter().flat_map(|page| page.products()).collect();
    let t = cx.strings;
    let query = if class.is_empty() { String::new() } else { format!("?class={class}") };
    Ok(html! {
        @if all.is_empty() { (empty(t.no_products(), None)) }
        // What gives nothing to book with is not offered for a class.
        @let groups = groups(t).into_iter().filter(|(_, kinds)| class.is_empty() || *kinds != ["Other"]);
        @for (label, kinds) in groups {
            @let own: Vec<_> = all.iter().filter(|one| kinds.contains(&one.product_type())).collect();
            @if !own.is_empty() {
                section.card {
                    h2 { (label) }
                    ul.rows {
                        @for one in own {
                            li {
                                span.grow {
                                    b { (cx.localized(one.name())) } br;
                                    span.quiet { (price(cx, *one)) }
                                }
                                a.button.plain href={ "/my/shop/" (one.product_id()) (query) } {
                                    (t.choose_this())
                                    span.hidden { " " (cx.localized(one.name())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn price(cx: &PageContext<'_, '_>, product: api::Product<'_>) -> Markup {
    html! {
        @if product.price() == 0 { (cx.strings.free_of_charge()) }
        @else { (cx.written.money(product.price(), product.currency())) }
        @if product.product_type() == "Membership" { " / " (cx.strings.term(product.period())) }
    }
}

/// `/my/shop/{productId}`: a product, and how it is paid.
pub(in crate::pages) fn product(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("productId").to_owned();
    let class = cx.place.parameter("class").to_owned();
    let answer = cx.call(api::browse_product(&id))?;
    let product = answer.product();
    let site = cx.call(api::get_site())?;
    let site = site.site();
    let t = cx.strings;
    let choices: Vec<(&str, &str)> = site
        .payment_choices()
        .iter()
        .filter_map(|word| payment_choices(t).into_iter().find(|(own, _)| *own == word))
        .collect();
    let description = cx.localized(product.description());
    let first = json!({"paymentChoice": choices.first().map(|(word, _)| *word)});
    let form = Form::of(cx, api::create_shop_order(&cx.own_id()))
        .from(&first)
        .next("/my/orders/{shopOrder.shopOrderId}")
        .hidden("productId", &id);
    let form = if class.is_empty() { form } else { form.hidden("calendarEventId", &class) };
    let form = match choices.as_slice() {
        _ if product.price() == 0 => form,
        [] => form,
        choices => form.choice("paymentChoice", t.how_to_pay(), choices),
    };
    let gives = ProductTerms {
        credits: product.credits(),
        days_usable: product.days_usable(),
        auto_renew: product.auto_renew(),
        notice_period: product.cancellation_notice_period(),
    };
    let button = if product.price() == 0 { t.take_it() } else { t.buy() };
    let main = html! {
        section.card {
            @for line in description.lines() { p { (line) } }
            p { b.number { (price(cx, product)) } }
            (terms(&cx.written, gives))
            @if !class.is_empty() { p.notice { (t.class_is_booked_with_it()) } }
            @if choices.is_empty() && product.price() > 0 { p.notice { (t.buy_at_desk()) } }
            @else if cx.may(api::CreateShopOrder) { (form.send(button)) }
        }
    };
    let back = html! { a.button.plain href="/my/shop" { (t.back()) } };
    Ok(View::new(cx.localized(product.name()), main).acts(back))
}

/// `/my/orders/{shopOrderId}`: what came of an order.
pub(in crate::pages) fn order(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("shopOrderId").to_owned());
    let answer = cx.call(api::get_shop_order(&own, &id))?;
    let order = answer.shop_order();
    let t = cx.strings;
    let status = order.status();
    let main = html! {
        section.card {
            p { b { (order.name()) } " · " (cx.written.money(order.amount(), order.currency())) }
            @match status {
                "awaiting_payment" => {
                    @if let Some(until) = order.seat_held_until() {
                        p.notice { (t.seat_is_held_until(&cx.written.time(until))) }
                    } @else if order.booking_status() == "not_held" {
                        p.notice.warn { (t.no_seat_is_held()) }
                    }
                    div.buttons {
                        @if !order.pay_url().is_empty() {
                            a.button href=(order.pay_url()) data-hx-boost="false" { (t.pay()) }
                        }
                        (Form::of(cx, api::cancel_shop_order(&own, &id)).next("/my/shop").button(t.cancel_order()))
                    }
                }
                "paid" => {
                    p.notice role="status" { (t.order_is_processed()) }
                    p { a.button.plain href=(cx.place.address()) { (t.refresh()) } }
                }
                "completed" => {
                    p.notice role="status" { (t.order_is_completed()) }
                    @if order.payment_choice() != "online" && order.amount() > 0 {
                        p { (t.order_is_to_pay(&cx.written.money(order.amount(), order.currency()))) }
                    }
                }
                "failed" => { p.notice.warn { (t.order_failed()) } }
                _ => { p.notice { (t.order_is_over()) } }
            }
            @match order.booking_status() {
                "booked" => {
                    p { (t.class_is_booked()) }
                    p { a.button href="/my/bookings" { (t.bookings()) } }
                }
                "requested" => { p { (t.class_is_requested()) } }
                "refused" => {
                    p.notice.warn { (t.class_was_not_booked()) }
                    p { a.button href="/my/book" { (t.book()) } }
                }
                _ => {}
            }
            @if status == "completed" && !order.invoice_id().is_empty() {
                p { a href="/my/invoices" { (t.invoices()) } }
            }
        }
    };
    Ok(View::new(t.order(), main))
}

/// `/my/classes/{calendarEventId}`: a class to book, with what is missing for it.
pub(in crate::pages) fn class(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("calendarEventId").to_owned();
    let site = cx.call(api::get_site())?;
    let answer = cx.call(api::get_site_class(site.site().slug(), &id))?;
    let class = answer.class();
    let bookings = cx.call(api::list_bookings().calendar_event_id(&id).limit(10))?;
    let live = bookings
        .bookings()
        .iter()
        .any(|booking| matches!(booking.status(), "booked" | "offered" | "waitlisted"));
    let slots = cx.call(
        api::list_slots()
            .event_type_id(class.event_type_id())
            .from(class.starts_at())
            .to(class.starts_at().plus_seconds(60)),
    )?;
    let slot = slots.slots().iter().find(|slot| slot.calendar_event_id() == id);
    let missing = slot.is_some_and(|slot| slot.reasons().contains("not_entitled"));
    let offers = if missing && !live { offers(cx, &id)? } else { Markup::default() };
    let t = cx.strings;
    let main = html! {
        section.card {
            p { b { (when(cx, class.starts_at())) } br; (class.coach_name())
                @if !class.location_name().is_empty() { " · " (class.location_name()) } }
            @for line in class.description().lines() { p { (line) } }
            @if class.credits() > 0 { p { (t.takes_credits(&cx.written.count(class.credits()))) } }
            @if let Some(until) = answer.seat_held_until().filter(|_| !live) {
                p.notice role="status" { (t.seat_is_held_until(&cx.written.time(until))) }
            }
            @if live {
                p.notice { (t.class_is_booked()) }
                p { a.button href="/my/bookings" { (t.bookings()) } }
            } @else if let Some(slot) = slot {
                (booking(cx, slot, class.has_waitlist()))
                @if slot.bookable() { (cancellation::terms(&cx.written, slot.cancellation())) }
            } @else {
                p.quiet { (t.class_cannot_be_booked()) }
            }
        }
        @if missing && !live {
            h2 { (t.credits_are_missing()) }
            (offers)
        }
    };
    Ok(View::new(class.name(), main))
}

/// The button that books a class or joins its waiting list; or why it cannot be booked.
fn booking(cx: &PageContext<'_, '_>, slot: Slot<'_>, waits: bool) -> Markup {
    let t = cx.strings;
    let form = Form::of(cx, api::create_booking())
        .next("/my/bookings")
        .hidden("calendarEventId", slot.calendar_event_id());
    let reasons: Vec<&str> = slot.reasons().iter().collect();
    match reasons.as_slice() {
        [] => form.send(t.book_it()),
        ["full"] if waits => form.hidden("capacityAction", "waitlist").send(t.wait_for_it()),
        reasons => html! {
            p.quiet { (reasons.iter().map(|word| t.term(word)).collect::<Vec<_>>().join(", ")) }
        },
    }
}
