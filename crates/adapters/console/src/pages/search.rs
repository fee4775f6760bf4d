//! Finding anything: people, what is sold, programmes, forms, and pages.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        format::{JsonFields, name},
        shell::View,
    },
};

/// Records of a kind that are shown.
const MOST: i64 = 8;

/// What is found under a heading: an address and a label each.
struct ResultGroup(&'static str, Vec<(String, String)>);

/// `/console/find`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let wanted: String = cx.place.parameter("q").trim().chars().take(100).collect();
    let t = cx.strings;
    let mut found = Vec::new();
    if !wanted.is_empty() {
        let folded = wanted.to_lowercase();
        let ways = super::navigation(cx).iter().filter(|way| cx.may(way.needs));
        let ways = ways.map(|way| (way.path.to_owned(), (way.label)(t).to_owned()));
        let fits = |label: &str| label.to_lowercase().contains(&folded);
        found.push(ResultGroup(t.pages_found(), ways.filter(|(_, label)| fits(label)).collect()));
        let searched = |operation: &'static str| {
            ApiCall::of(operation).with("search", &wanted).with("limit", MOST)
        };
        let answer = cx.call_if_allowed(searched("list_clients"))?.unwrap_or_default();
        let label = |client: &Value| {
            let archived = if client.has("archivedAt") { t.term("archived") } else { "" };
            format!("{} {} {archived}", name(client), client.text("email")).trim().to_owned()
        };
        found.push(ResultGroup(
            t.clients(),
            listed(&answer, ("clients", "clientId"), "/console/clients/", label),
        ));
        // A number that nothing begins with is found whole.
        let number: String = wanted.chars().take(40).collect();
        let answer = ApiCall::of("list_invoices").with("number", number).with("limit", MOST);
        let answer = cx.call_if_allowed(answer)?.unwrap_or_default();
        let label = |invoice: &Value| invoice.text("number").to_owned();
        found.push(ResultGroup(
            t.invoices(),
            listed(&answer, ("invoices", "invoiceId"), "/console/money/invoices/", label),
        ));
        let answer = cx.call_if_allowed(searched("list_products"))?.unwrap_or_default();
        let label = |product: &Value| cx.localized(product.at("name"));
        found.push(ResultGroup(
            t.products(),
            listed(&answer, ("products", "productId"), "/console/products/", label),
        ));
        let answer = cx.call_if_allowed(searched("list_workout_templates"))?.unwrap_or_default();
        let label = |template: &Value| template.text("name").to_owned();
        found.push(ResultGroup(
            t.programmes(),
            listed(&answer, ("templates", "_id"), "/console/programmes/", label),
        ));
        let coaches = cx.choices(ApiCall::of("list_coaches"), ("coaches", "coachId"))?;
        let coaches = coaches.into_iter().filter(|(_, label)| fits(label));
        let to = |(id, label)| (format!("/console/settings/coaches/{id}"), label);
        found.push(ResultGroup(t.coaches(), coaches.map(to).collect()));
        let types = cx.choices(ApiCall::of("list_event_types"), ("eventTypes", "eventTypeId"))?;
        let types = types.into_iter().filter(|(_, label)| fits(label));
        let to = |(id, label)| (format!("/console/settings/event-types/{id}"), label);
        found.push(ResultGroup(t.event_types(), types.map(to).collect()));
        let forms = cx.choices(ApiCall::of("list_forms"), ("forms", "formId"))?;
        let forms = forms.into_iter().filter(|(_, label)| fits(label));
        let to = |(id, label)| (format!("/console/forms/{id}"), label);
        found.push(ResultGroup(t.forms(), forms.map(to).collect()));
    }
    let none = found.iter().all(|ResultGroup(_, all)| all.is_empty());
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (t.find_anything()) input type="search" name="q" value=(wanted) autocomplete="off" autofocus; }
            button.plain type="submit" { (t.find()) }
        }
        @if none && !wanted.is_empty() { p { (t.nothing_found(&wanted)) } }
        @for group in &found { (group_list(group)) }
    };
    Ok(View::new(t.find(), main))
}

fn listed(
    answer: &Value,
    (list, id): (&str, &str),
    base: &str,
    label: impl Fn(&Value) -> String,
) -> Vec<(String, String)> {
    let each = answer.list(list).iter();
    each.map(|record| (format!("{base}{}", record.text(id)), label(record))).collect()
}

fn group_list(ResultGroup(heading, all): &ResultGroup) -> Markup {
    html! {
        @if !all.is_empty() {
            section.card { h2 { (heading) } ul.rows { @for (address, label) in all { li { a.grow href=(address) { (label) } } } } }
        }
    }
}
