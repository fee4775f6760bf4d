//! What is sold: prices, and a product.

use maud::{Markup, html};
use spotter_kernel::{Key, Result};

use super::{
    context::SiteContext,
    layout::{SiteView, member_link},
    structured_data,
};
use crate::{
    api::{self, SiteProduct},
    parts::offers::{ProductTerms, groups, terms},
};

/// `/prices`: what is sold.
pub(super) fn prices(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let answer = cx.call(api::list_site_products(&cx.slug))?;
    let t = cx.strings;
    let all: Vec<SiteProduct<'_>> = answer.products().iter().collect();
    let (trials, others): (Vec<_>, Vec<_>) = all.iter().copied().partition(|own| own.trial());
    let main = html! {
        @if all.is_empty() { div.empty { p { (t.nothing_here()) } } }
        @if !trials.is_empty() { h2 { (t.try_it()) } (offers(cx, &trials)) }
        @for (label, kinds) in groups(t) {
            @let own: Vec<_> = others.iter().copied().filter(|own| kinds.contains(&own.product_type())).collect();
            @if !own.is_empty() { h2 { (label) } (offers(cx, &own)) }
        }
    };
    let facts = all.iter().map(|own| structured_data::product(cx, *own)).collect();
    let description = format!("{} · {}", t.prices(), cx.gym().name());
    Ok(SiteView::new(t.prices(), description, main).with_facts(facts))
}

fn offers(cx: &SiteContext<'_, '_>, products: &[SiteProduct<'_>]) -> Markup {
    html! {
        ul.offers {
            @for own in products {
                li {
                    h3 { (cx.localized(own.name())) }
                    (facts(cx, *own))
                    a.button href=(cx.to(&format!("/prices/{}", own.product_id()))) {
                        (cx.strings.choose_this())
                        span.hidden { " " (cx.localized(own.name())) }
                    }
                }
            }
        }
    }
}

/// The price of a product and what it gives.
fn facts(cx: &SiteContext<'_, '_>, product: SiteProduct<'_>) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let own = ProductTerms {
        credits: product.credits(),
        days_usable: product.days_usable(),
        auto_renew: product.auto_renew(),
        notice_period: product.cancellation_notice_period(),
    };
    html! {
        p.amount {
            @if product.price() == 0 { (t.free_of_charge()) }
            @else { (written.money(product.price(), product.currency())) }
            @if product.product_type() == "Membership" { small { " / " (t.term(product.period())) } }
        }
        (terms(written, own))
    }
}

/// `/prices/{productId}`: a product, and how it is bought.
pub(super) fn product(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let id = cx.place.param("productId").to_owned();
    let answer = cx.call(api::list_site_products(&cx.slug))?;
    let found = answer.products().iter().find(|own| own.product_id() == id);
    let own = found.ok_or(Key::NotFound)?;
    let (t, name) = (cx.strings, cx.localized(own.name()));
    let description = cx.localized(own.description());
    let main = html! {
        section.card {
            @for line in description.lines() { p { (line) } }
            (facts(cx, own))
            div.buttons {
                @if cx.is_open() {
                    a.button href=(cx.out_to(&format!("/join?product={id}"))) target=[cx.target()] {
                        (t.buy_as_new())
                    }
                }
                a.button.plain
                    href=(member_link(&format!("/my/shop/{id}")))
                    rel="nofollow"
                    target=[cx.target()]
                { (t.buy_as_member()) }
            }
        }
    };
    let price = cx.written.money(own.price(), own.currency());
    let facts = vec![structured_data::product(cx, own)];
    Ok(SiteView::new(name.clone(), format!("{name}: {price}"), main).with_facts(facts))
}
