//! What the business sells.

use maud::{Markup, html};
use serde_json::{Value, json};
use spotter_kernel::Result;

use crate::{
    api::{self, Json},
    page_context::PageContext,
    parts::{
        fields::Form,
        format::JsonFields,
        lists::{by_word, empty, pager, state, swapped, table},
        offers::{ProductTerms, terms},
        shell::View,
    },
};

const KINDS: [&str; 5] = ["Membership", "CreditPack", "DayPass", "WeekPass", "Other"];
const VISIBILITIES: [&str; 5] =
    ["Visible", "VisibleInStore", "VisibleInStoreAndApp", "VisibleInApp", "HideProduct"];
const PERIODS: [&str; 7] = ["None", "Week", "FourWeeks", "Month", "Quarter", "HalfYear", "Year"];

/// `/console/products`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let call = api::list_products()
        .search(place.parameter("search").trim())
        .product_type(place.parameter("productType").trim())
        .visibility(place.parameter("visibility").trim());
    let answer = cx.list(call.archived(place.parameter("archived") == "true"))?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = answer
        .products()
        .iter()
        .map(|product| {
            vec![
                html! {
                    a href={ "/console/products/" (product.product_id()) } {
                        b { (cx.localized(product.name())) }
                    }
                },
                html! { (t.term(product.product_type())) },
                html! {
                    span.number {
                        (written.money(product.price(), product.currency()))
                        @if product.period() != "None" { " / " (t.term(product.period())) }
                    }
                },
                html! { (t.term(product.visibility())) },
                html! { @if product.is_archived() { (state(cx, "archived")) } },
            ]
        })
        .collect();
    let main = html! {
        form.filters method="get" role="search" {
            label.wide {
                (t.search())
                input type="search" name="search" value=(place.parameter("search")) maxlength="100";
            }
            label {
                (t.kind())
                select name="productType" {
                    option value="" { (t.all()) }
                    @for word in KINDS {
                        option value=(word) selected[place.parameter("productType") == word] {
                            (t.term(word))
                        }
                    }
                }
            }
            label {
                (t.archived())
                select name="archived" {
                    option value="" { (t.no()) }
                    option value="true" selected[place.parameter("archived") == "true"] {
                        (t.yes())
                    }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.no_products(), None))
        } @else {
            (table(t.products(), &[t.name(), t.kind(), t.price(), t.visibility(), ""], rows))
            (pager(cx, &answer))
        }
    };
    let acts = html! {
        @if cx.may(api::OrderProducts) {
            a.button.plain href="/console/products/order" { (t.order_of_products()) }
        }
        @if cx.may(api::CreateProduct) {
            a.button href="/console/products/new" { (t.add_product()) }
        }
    };
    Ok(View::new(t.products(), main).acts(acts))
}

/// The fields of a product of a kind: what each kind has besides its name, price and place.
fn fields<'f>(
    cx: &PageContext<'_, '_>,
    mut form: Form<'f>,
    kind: &str,
    product: &Value,
) -> Form<'f> {
    let t = cx.strings;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, t.term(word))).collect()
    };
    // Both are written whole: the business's own language first, then whichever else there is.
    let own = cx.person.company.language.as_str();
    let others =
        ["name", "description"].into_iter().filter_map(|field| product.at(field).as_object());
    let mut languages: Vec<&str> =
        others.flat_map(|texts| texts.keys()).map(String::as_str).collect();
    languages.push(own);
    languages.sort_unstable_by_key(|language| (*language != own, *language));
    languages.dedup();
    for language in languages {
        let label = |label: &str| match language == own {
            true => label.to_owned(),
            false => format!("{label} ({language})"),
        };
        form = form
            .text(&format!("name.{language}"), &label(t.name()))
            .area(&format!("description.{language}"), &label(t.description()));
    }
    let form = form
        .money("price", t.price())
        .helped("vatPercentage", t.vat(), t.vat_help())
        .choice("visibility", t.visibility(), &words(&VISIBILITIES));
    match kind {
        "Membership" => form
            .choice("period", t.billed_every(), &words(&PERIODS[1..]))
            .check("autoRenew", t.renews_by_itself())
            .choice("cancellationNoticePeriod", t.notice_period(), &words(&PERIODS))
            .check("assignCredits", t.gives_credits())
            .text("credits", t.credits()),
        "CreditPack" => form.unchanged_hidden("assignCredits", "true").text("credits", t.credits()),
        "DayPass" | "WeekPass" => form.text("daysUsable", t.days_usable()),
        _ => form,
    }
}

/// `/console/products/new`
pub(super) fn new(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (t, request) = (cx.strings, cx.place.parameter("kind"));
    let kind = KINDS.into_iter().find(|own| *own == request).unwrap_or("Membership");
    // What most mean by each.
    let usual = match kind {
        "Membership" => {
            json!({
                "visibility": "Visible",
                "period": "Month",
                "autoRenew": true,
                "cancellationNoticePeriod": "Month",
            })
        }
        "DayPass" | "WeekPass" => json!({"visibility": "Visible", "daysUsable": 1}),
        _ => json!({"visibility": "Visible"}),
    };
    let form = Form::of(cx, api::create_product())
        .from(&usual)
        .next("/console/products/{product.productId}")
        .hidden("productType", kind);
    let main = html! {
        (by_word(cx, t.kind(), "kind", kind, &KINDS))
        section.card { (fields(cx, form, kind, &usual).send(t.add_product())) }
    };
    Ok(View::new(t.add_product(), main))
}

/// `/console/products/{productId}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("productId").to_owned();
    let answer = cx.call(api::get_product(&id))?;
    let product = answer.product();
    let title = cx.localized(product.name());
    let t = cx.strings;
    let form = Form::of(cx, api::update_product(&id)).from(product);
    let main = html! {
        p {
            (t.term(product.product_type()))
            @if product.is_archived() { " " (state(cx, "archived")) }
        }
        (preview(cx, product))
        @if cx.may(api::UpdateProduct) {
            section.card {
                (fields(cx, form, product.product_type(), product.json()).send(t.save()))
            }
        }
    };
    let acts = html! {
        @if cx.may(api::ArchiveProduct) {
            @if product.is_archived() {
                (Form::of(cx, api::restore_product(&id)).button(t.restore()))
            } @else {
                (Form::of(cx, api::archive_product(&id)).previewed().danger(t.archive()))
            }
        }
    };
    Ok(View::new(title, main).acts(acts))
}

/// A product as clients read of it.
fn preview(cx: &PageContext<'_, '_>, product: api::Product<'_>) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let description = cx.localized(product.description());
    let gives = ProductTerms {
        credits: if product.assign_credits() { product.credits() } else { 0 },
        days_usable: product.days_usable(),
        auto_renew: product.auto_renew(),
        notice_period: product.cancellation_notice_period(),
    };
    html! {
        section.card aria-label=(t.preview()) {
            h2 { (cx.localized(product.name())) }
            @for line in description.lines() { p { (line) } }
            p {
                b.number { (written.money(product.price(), product.currency())) }
                @if product.period() != "None" { " / " (t.term(product.period())) }
            }
            (terms(written, gives))
            p.quiet { (t.visibility()) ": " (t.term(product.visibility())) }
        }
    }
}

/// The shelves with their own order, and their kinds of products.
const SHELVES: [(&str, &[&str]); 4] = [
    ("Memberships", &["Membership"]),
    ("CreditPacks", &["CreditPack"]),
    ("Passes", &["DayPass", "WeekPass"]),
    ("Others", &["Other"]),
];

/// `/console/products/order`: the order of products for clients.
pub(super) fn order(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let request = cx.place.parameter("shelf");
    let (shelf, kinds) = SHELVES.into_iter().find(|(own, _)| *own == request).unwrap_or(SHELVES[0]);
    let pages = cx.pages(&api::list_products().archived(false), 10)?;
    let own = pages.iter().flat_map(|page| page.products());
    let own: Vec<_> = own.filter(|product| kinds.contains(&product.product_type())).collect();
    let t = cx.strings;
    let written = |order: Vec<&api::Product<'_>>| {
        let form = Form::of(cx, api::order_products()).hidden("shelf", shelf);
        order.into_iter().fold(form, |form, one| form.hidden("productIds", one.product_id()))
    };
    let main = html! {
        (by_word(cx, t.kind(), "shelf", shelf, &SHELVES.map(|(own, _)| own)))
        @if own.is_empty() { (empty(t.no_products(), None)) }
        ul.rows.card {
            @for (at, product) in own.iter().enumerate() {
                li {
                    span.grow {
                        b { (cx.localized(product.name())) }
                        " "
                        span.quiet { (t.term(product.visibility())) }
                    }
                    div.buttons {
                        @if at > 0 { (written(swapped(&own, at, at - 1)).button(t.move_up())) }
                        @if at + 1 < own.len() {
                            (written(swapped(&own, at, at + 1)).button(t.move_down()))
                        }
                    }
                }
            }
        }
    };
    let acts = html! { a.button.plain href="/console/products" { (t.back()) } };
    Ok(View::new(t.order_of_products(), main).acts(acts))
}
