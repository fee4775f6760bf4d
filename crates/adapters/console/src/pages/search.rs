//! Search over clients, invoices, products, programmes, forms and pages.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{api, page_context::PageContext, parts::shell::View};

/// Records of a kind that are shown.
const MOST: i64 = 8;

/// Results under a heading, each with its address and label.
struct ResultGroup(&'static str, Vec<(String, String)>);

/// `/console/find`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let wanted: String = cx.place.parameter("q").trim().chars().take(100).collect();
    let t = cx.strings;
    let mut found = Vec::new();
    if !wanted.is_empty() {
        let folded = wanted.to_lowercase();
        let ways = super::navigation(cx).iter().filter(|way| cx.may_call(way.needs));
        let ways = ways.map(|way| (way.path.to_owned(), (way.label)(t).to_owned()));
        let fits = |label: &str| label.to_lowercase().contains(&folded);
        found.push(ResultGroup(t.pages_found(), ways.filter(|(_, label)| fits(label)).collect()));
        let answer = cx.call_or_empty(api::list_clients().search(&wanted).limit(MOST))?;
        let clients = answer.clients().iter().map(|client| {
            let archived = if client.archived_at().is_some() { t.term("archived") } else { "" };
            let label = format!("{} {} {archived}", client.full_name(), client.email());
            (format!("/console/clients/{}", client.client_id()), label.trim().to_owned())
        });
        found.push(ResultGroup(t.clients(), clients.collect()));
        // A number that nothing begins with is found whole.
        let number: String = wanted.chars().take(40).collect();
        let answer = cx.call_or_empty(api::list_invoices().number(number).limit(MOST))?;
        let invoices = answer.invoices().iter().map(|invoice| {
            (
                format!("/console/money/invoices/{}", invoice.invoice_id()),
                invoice.number().to_owned(),
            )
        });
        found.push(ResultGroup(t.invoices(), invoices.collect()));
        let answer = cx.call_or_empty(api::list_products().search(&wanted).limit(MOST))?;
        let products = answer.products().iter().map(|product| {
            (format!("/console/products/{}", product.product_id()), cx.localized(product.name()))
        });
        found.push(ResultGroup(t.products(), products.collect()));
        let templates = api::list_workout_templates().search(&wanted).limit(MOST);
        let answer = cx.call_or_empty(templates)?;
        let templates = answer.templates().iter().map(|template| {
            (format!("/console/programmes/{}", template.id()), template.name().to_owned())
        });
        found.push(ResultGroup(t.programmes(), templates.collect()));
        let coaches = cx.coach_choices()?;
        let coaches = coaches.into_iter().filter(|(_, label)| fits(label));
        let to = |(id, label)| (format!("/console/settings/coaches/{id}"), label);
        found.push(ResultGroup(t.coaches(), coaches.map(to).collect()));
        let types = cx.event_type_choices()?;
        let types = types.into_iter().filter(|(_, label)| fits(label));
        let to = |(id, label)| (format!("/console/settings/event-types/{id}"), label);
        found.push(ResultGroup(t.event_types(), types.map(to).collect()));
        let answer = cx.call_or_empty(api::list_forms().limit(100))?;
        let forms = answer.forms().iter().filter(|form| fits(form.name()));
        let forms = forms
            .map(|form| (format!("/console/forms/{}", form.form_id()), form.name().to_owned()));
        found.push(ResultGroup(t.forms(), forms.collect()));
    }
    let none = found.iter().all(|ResultGroup(_, all)| all.is_empty());
    let main = html! {
        form.filters method="get" role="search" {
            label.wide {
                (t.find_anything())
                input type="search" name="q" value=(wanted) autocomplete="off" autofocus;
            }
            button.plain type="submit" { (t.find()) }
        }
        @if none && !wanted.is_empty() { p { (t.nothing_found(&wanted)) } }
        @for group in &found { (group_list(group)) }
    };
    Ok(View::new(t.find(), main))
}

fn group_list(ResultGroup(heading, all): &ResultGroup) -> Markup {
    html! {
        @if !all.is_empty() {
            section.card {
                h2 { (heading) }
                ul.rows {
                    @for (address, label) in all {
                        li { a.grow href=(address) { (label) } }
                    }
                }
            }
        }
    }
}
