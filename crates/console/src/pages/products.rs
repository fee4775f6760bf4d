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
    let (say, written) = (cx.say, &cx.written);
    let rows: Vec<Vec<Markup>> = answer.list("products").iter().map(|product| vec![
        html! { a href={ "/console/products/" (product.text("productId")) } { b { (cx.localized(product.at("name"))) } } },
        html! { (say.term(product.text("productType"))) },
        html! { span.number { (written.money(product.int("price"), product.text("currency"))) @if product.text("period") != "None" { " / " (say.term(product.text("period"))) } } },
        html! { (say.term(product.text("visibility"))) },
        html! { @if product.is("isArchived") { (state(cx, "archived")) } },
    ]).collect();
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (say.search()) input type="search" name="search" value=(place.parameter("search")) maxlength="100"; }
            label { (say.kind())
                select name="productType" { option value="" { (say.all()) } @for word in KINDS { option value=(word) selected[place.parameter("productType") == word] { (say.term(word)) } } }
            }
            label { (say.archived())
                select name="archived" { option value="" { (say.no()) } option value="true" selected[place.parameter("archived") == "true"] { (say.yes()) } }
            }
            button.plain type="submit" { (say.filter()) }
        }
        @if rows.is_empty() { (empty(say.no_products(), None)) }
        @else { (table(say.products(), &[say.name(), say.kind(), say.price(), say.visibility(), ""], rows)) (pager(cx, &answer)) }
    };
    let acts = html! {
        @if cx.may("order_products") { a.button.plain href="/console/products/order" { (say.order_of_products()) } }
        @if cx.may("create_product") { a.button href="/console/products/new" { (say.add_product()) } }
    };
    Ok(View::new(say.products(), main).acts(acts))
}

/// The fields of a product of a kind: what each kind has besides its name, price and place.
fn fields<'f>(
    cx: &PageContext<'_, '_>,
    mut form: Form<'f>,
    (kind, product): (&str, &Value),
) -> Form<'f> {
    let say = cx.say;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, say.term(word))).collect()
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
            .text(&format!("name.{language}"), &label(say.name()))
            .area(&format!("description.{language}"), &label(say.description()));
    }
    let form = form
        .money("price", say.price())
        .helped("vatPercentage", say.vat(), say.vat_help())
        .choice("visibility", say.visibility(), &words(&VISIBILITIES));
    match kind {
        "Membership" => form
            .choice("period", say.billed_every(), &words(&PERIODS[1..]))
            .check("autoRenew", say.renews_by_itself())
            .choice("cancellationNoticePeriod", say.notice_period(), &words(&PERIODS))
            .check("assignCredits", say.gives_credits())
            .text("credits", say.credits()),
        "CreditPack" => {
            form.unchanged_hidden("assignCredits", "true").text("credits", say.credits())
        }
        "DayPass" | "WeekPass" => form.text("daysUsable", say.days_usable()),
        _ => form,
    }
}

/// `/console/products/new`
pub(super) fn new(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (say, request) = (cx.say, cx.place.parameter("kind"));
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
        (by_word(cx, (say.kind(), "kind", kind), &KINDS))
        section.card { (fields(cx, form, (kind, &usual)).send(say.add_product())) }
    };
    Ok(View::new(say.add_product(), main))
}

/// `/console/products/{productId}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("productId").to_owned();
    let answer = cx.call(ApiCall::of("get_product").at("productId", &id))?;
    let product: Value = answer["product"].clone();
    let title = cx.localized(product.at("name"));
    let say = cx.say;
    let at = || vec![("productId", id.clone())];
    let form = Form::about(cx, "update_product", at()).from(&product);
    let main = html! {
        p { (say.term(product.text("productType"))) @if product.is("isArchived") { " " (state(cx, "archived")) } }
        (preview(cx, &product))
        @if cx.may("update_product") { section.card { (fields(cx, form, (product.text("productType"), &product)).send(say.save())) } }
    };
    let acts = html! {
        @if cx.may("archive_product") {
            @if product.is("isArchived") { (Form::about(cx, "restore_product", at()).button(say.restore())) }
            @else { (Form::about(cx, "archive_product", at()).previewed().danger(say.archive())) }
        }
    };
    Ok(View::new(title, main).acts(acts))
}

/// A product as clients read of it.
fn preview(cx: &PageContext<'_, '_>, product: &Value) -> Markup {
    let (say, written) = (cx.say, &cx.written);
    let description = cx.localized(product.at("description"));
    html! {
        section.card aria-label=(say.preview()) {
            h2 { (cx.localized(product.at("name"))) }
            @for line in description.lines() { p { (line) } }
            p { b.number { (written.money(product.int("price"), product.text("currency"))) }
                @if product.text("period") != "None" { " / " (say.term(product.text("period"))) } }
            ul {
                @if product.is("assignCredits") && product.int("credits") > 0 { li { (say.credits()) ": " (written.count(product.int("credits"))) } }
                @if product.int("daysUsable") > 0 { li { (say.days_usable()) ": " (written.count(product.int("daysUsable"))) } }
                @if product.is("autoRenew") { li { (say.renews_by_itself()) } }
                @if product.text("cancellationNoticePeriod") != "None" { li { (say.notice_period()) ": " (say.term(product.text("cancellationNoticePeriod"))) } }
            }
            p.quiet { (say.visibility()) ": " (say.term(product.text("visibility"))) }
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
    let say = cx.say;
    let written = |order: Vec<&Value>| {
        let form = Form::of(cx, "order_products").hidden("shelf", shelf);
        order.into_iter().fold(form, |form, one| form.hidden("productIds", one.text("productId")))
    };
    let main = html! {
        (by_word(cx, (say.kind(), "shelf", shelf), &SHELVES.map(|(own, _)| own)))
        @if own.is_empty() { (empty(say.no_products(), None)) }
        ul.rows.card {
            @for (at, product) in own.iter().enumerate() {
                li {
                    span.grow { b { (cx.localized(product.at("name"))) } " " span.quiet { (say.term(product.text("visibility"))) } }
                    div.buttons {
                        @if at > 0 { (written(swapped(&own, at, at - 1)).button(say.move_up())) }
                        @if at + 1 < own.len() { (written(swapped(&own, at, at + 1)).button(say.move_down())) }
                    }
                }
            }
        }
    };
    let acts = html! { a.button.plain href="/console/products" { (say.back()) } };
    Ok(View::new(say.order_of_products(), main).acts(acts))
}
