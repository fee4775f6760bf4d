//! What the business sells.

use maud::{Markup, html};
use serde_json::{Value, json};
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::Form,
        format::JsonFields,
        lists::{by_word, empty, pager, state, swapped, table},
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
    let call =
        ApiCall::of("list_products").filtered(place, &["search", "productType", "visibility"]);
    let answer = cx.list(call.with("archived", place.parameter("archived") == "true"))?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = answer.list("products").iter().map(|product| vec![
        html! { a href={ "/console/products/" (product.text("productId")) } { b { (cx.localized(product.at("name"))) } } },
        html! { (t.term(product.text("productType"))) },
        html! { span.number { (written.money(product.int("price"), product.text("currency"))) @if product.text("period") != "None" { " / " (t.term(product.text("period"))) } } },
        html! { (t.term(product.text("visibility"))) },
        html! { @if product.is("isArchived") { (state(cx, "archived")) } },
    ]).collect();
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (t.search()) input type="search" name="search" value=(place.parameter("search")) maxlength="100"; }
            label { (t.kind())
                select name="productType" { option value="" { (t.all()) } @for word in KINDS { option value=(word) selected[place.parameter("productType") == word] { (t.term(word)) } } }
            }
            label { (t.archived())
                select name="archived" { option value="" { (t.no()) } option value="true" selected[place.parameter("archived") == "true"] { (t.yes()) } }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.no_products(), None)) }
        @else { (table(t.products(), &[t.name(), t.kind(), t.price(), t.visibility(), ""], rows)) (pager(cx, &answer)) }
    };
    let acts = html! {
        @if cx.may("order_products") { a.button.plain href="/console/products/order" { (t.order_of_products()) } }
        @if cx.may("create_product") { a.button href="/console/products/new" { (t.add_product()) } }
    };
    Ok(View::new(t.products(), main).acts(acts))
}

/// The fields of a product of a kind: what each kind has besides its name, price and place.
fn fields<'f>(
    cx: &PageContext<'_, '_>,
    mut form: Form<'f>,
    (kind, product): (&str, &Value),
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
            json!({"visibility": "Visible", "period": "Month", "autoRenew": true, "cancellationNoticePeriod": "Month"})
        }
        "DayPass" | "WeekPass" => json!({"visibility": "Visible", "daysUsable": 1}),
        _ => json!({"visibility": "Visible"}),
    };
    let form = Form::of(cx, "create_product")
        .from(&usual)
        .next("/console/products/{product.productId}")
        .hidden("productType", kind);
    let main = html! {
        (by_word(cx, (t.kind(), "kind", kind), &KINDS))
        section.card { (fields(cx, form, (kind, &usual)).send(t.add_product())) }
    };
    Ok(View::new(t.add_product(), main))
}

/// `/console/products/{productId}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("productId").to_owned();
    let answer = cx.call(ApiCall::of("get_product").at("productId", &id))?;
    let product: Value = answer["product"].clone();
    let title = cx.localized(product.at("name"));
    let t = cx.strings;
    let at = || vec![("productId", id.clone())];
    let form = Form::about(cx, "update_product", at()).from(&product);
    let main = html! {
        p { (t.term(product.text("productType"))) @if product.is("isArchived") { " " (state(cx, "archived")) } }
        (preview(cx, &product))
        @if cx.may("update_product") { section.card { (fields(cx, form, (product.text("productType"), &product)).send(t.save())) } }
    };
    let acts = html! {
        @if cx.may("archive_product") {
            @if product.is("isArchived") { (Form::about(cx, "restore_product", at()).button(t.restore())) }
            @else { (Form::about(cx, "archive_product", at()).previewed().danger(t.archive())) }
        }
    };
    Ok(View::new(title, main).acts(acts))
}

/// A product as clients read of it.
fn preview(cx: &PageContext<'_, '_>, product: &Value) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let description = cx.localized(product.at("description"));
    html! {
        section.card aria-label=(t.preview()) {
            h2 { (cx.localized(product.at("name"))) }
            @for line in description.lines() { p { (line) } }
            p { b.number { (written.money(product.int("price"), product.text("currency"))) }
                @if product.text("period") != "None" { " / " (t.term(product.text("period"))) } }
            ul {
                @if product.is("assignCredits") && product.int("credits") > 0 { li { (t.credits()) ": " (written.count(product.int("credits"))) } }
                @if product.int("daysUsable") > 0 { li { (t.days_usable()) ": " (written.count(product.int("daysUsable"))) } }
                @if product.is("autoRenew") { li { (t.renews_by_itself()) } }
                @if product.text("cancellationNoticePeriod") != "None" { li { (t.notice_period()) ": " (t.term(product.text("cancellationNoticePeriod"))) } }
            }
            p.quiet { (t.visibility()) ": " (t.term(product.text("visibility"))) }
        }
    }
}

/// The shelves on which products stand in an order of their own, with their kinds.
const SHELVES: [(&str, &[&str]); 4] = [
    ("Memberships", &["Membership"]),
    ("CreditPacks", &["CreditPack"]),
    ("Passes", &["DayPass", "WeekPass"]),
    ("Others", &["Other"]),
];

/// `/console/products/order`: in which order clients see what is sold.
pub(super) fn order(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let request = cx.place.parameter("shelf");
    let (shelf, kinds) = SHELVES.into_iter().find(|(own, _)| *own == request).unwrap_or(SHELVES[0]);
    let mut own = Vec::new();
    for page in 1..=10 {
        let query = ApiCall::of("list_products").with("archived", false).with("limit", 100);
        let answer = cx.call(query.with("page", page))?;
        own.extend(answer.list("products").to_vec());
        if !answer.is("hasNextPage") {
            break;
        }
    }
    own.retain(|product| kinds.contains(&product.text("productType")));
    let t = cx.strings;
    let written = |order: Vec<&Value>| {
        let form = Form::of(cx, "order_products").hidden("shelf", shelf);
        order.into_iter().fold(form, |form, one| form.hidden("productIds", one.text("productId")))
    };
    let main = html! {
        (by_word(cx, (t.kind(), "shelf", shelf), &SHELVES.map(|(own, _)| own)))
        @if own.is_empty() { (empty(t.no_products(), None)) }
        ul.rows.card {
            @for (at, product) in own.iter().enumerate() {
                li {
                    span.grow { b { (cx.localized(product.at("name"))) } " " span.quiet { (t.term(product.text("visibility"))) } }
                    div.buttons {
                        @if at > 0 { (written(swapped(&own, at, at - 1)).button(t.move_up())) }
                        @if at + 1 < own.len() { (written(swapped(&own, at, at + 1)).button(t.move_down())) }
                    }
                }
            }
        }
    };
    let acts = html! { a.button.plain href="/console/products" { (t.back()) } };
    Ok(View::new(t.order_of_products(), main).acts(acts))
}
