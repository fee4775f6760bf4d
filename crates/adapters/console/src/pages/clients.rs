//! Clients: found, and made.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::Form,
        format::{JsonFields, name},
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/clients`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let query = ApiCall::of("list_clients")
        .filtered(cx.place, &["search", "memberStatus", "coachId", "tag"]);
    let archived = cx.place.parameter("archived") == "true";
    let answer = cx.list(query.with("archived", archived))?;
    let coaches = cx.choices(ApiCall::of("list_coaches"), ("coaches", "coachId"))?;
    let tags = cx.call(ApiCall::of("list_client_tags").with("limit", 100))?;
    let ids: Vec<_> = answer.list("clients").iter().map(|client| client.text("clientId")).collect();
    let of_all = |operation| ApiCall::of(operation).with("clientIds", ids.join(","));
    let (mut visits, mut balances) = (Value::Null, Value::Null);
    if !ids.is_empty() {
        visits = cx.call(of_all("list_client_visits"))?;
        balances = cx.call(of_all("list_client_balances"))?;
    }
    let mut rows = Vec::new();
    for (index, client) in answer.list("clients").iter().enumerate() {
        let coach = cx.coach(client.text("assignedCoachId"))?;
        let written = &cx.written;
        let visit = |name| visits.instant(&format!("clientVisits.{index}.{name}"));
        let date = |at| written.date(written.zone.date_at(at));
        let owed = balances.list(&format!("clientBalances.{index}.balances"));
        rows.push(vec![
            html! { a href={ "/console/clients/" (client.text("clientId")) } { b { (name(client)) } } },
            html! { (client.text("email")) @if client.has("phone") { br; span.quiet { (client.text("phone")) } } },
            state(cx, client.text("memberStatus")),
            html! { (coach) },
            html! { @for tag in client.list("tags") { span.state { (tag.as_str().unwrap_or_default()) } " " } },
            html! { (visit("lastVisitAt").map(date).unwrap_or_default()) },
            html! { (visit("nextVisitAt").map(|at| written.instant(at)).unwrap_or_default()) },
            html! { @for sum in owed { @if sum.int("owed") > 0 { span.number { (written.money(sum.int("owed"), sum.text("currency"))) } " " } } },
        ]);
    }
    let (t, place) = (cx.strings, cx.place);
    let columns = [
        t.name(),
        t.contact(),
        t.status(),
        t.coach(),
        t.tags(),
        t.last_visit(),
        t.next_visit(),
        t.owes(),
    ];
    let chosen = |name: &str, value: &str| place.parameter(name) == value;
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (t.search()) input type="search" name="search" value=(place.parameter("search")) autocomplete="off"; }
            label { (t.status())
                select name="memberStatus" {
                    option value="" { (t.all()) }
                    @for word in ["lead", "active", "paused", "former"] {
                        option value=(word) selected[chosen("memberStatus", word)] { (t.term(word)) }
                    }
                }
            }
            label { (t.coach())
                select name="coachId" {
                    option value="" { (t.all()) }
                    @for (id, coach) in &coaches { option value=(id) selected[chosen("coachId", id)] { (coach) } }
                }
            }
            label { (t.tag())
                select name="tag" {
                    option value="" { (t.all()) }
                    @for tag in tags.list("tags") {
                        option value=(tag.text("tag")) selected[chosen("tag", tag.text("tag"))] { (tag.text("tag")) }
                    }
                }
            }
            label { (t.archived())
                select name="archived" {
                    option value="" { (t.no()) }
                    option value="true" selected[archived] { (t.yes()) }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.no_clients(), Some(("/console/clients/new", t.add_client())))) }
        @else { (table(t.clients(), &columns, rows)) (pager(cx, &answer)) }
    };
    let acts = html! {
        @if cx.may("create_import") { a.button.plain href="/console/imports" { (t.import()) } }
        a.button href="/console/clients/new" { (t.add_client()) }
    };
    Ok(View::new(t.clients(), main).acts(acts))
}

/// `/console/clients/new`
pub(super) fn new(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let t = cx.strings;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, t.term(word))).collect()
    };
    let form = Form::of(cx, "create_client")
        .next("/console/clients/{client.clientId}")
        .text("firstName", t.first_name())
        .text("lastName", t.last_name())
        .of_type("email", "email", t.email(), "off")
        .of_type("tel", "phone", t.phone(), "off")
        .text("dateOfBirth", t.date_of_birth())
        .choice("memberStatus", t.status(), &words(&["lead", "active"]))
        .choice("assignedCoachId", t.coach(), &coaches)
        .choice("homeLocationId", t.location(), &locations)
        .helped("source", t.source(), t.source_help());
    Ok(View::new(t.add_client(), html! { section.card { (form.send(t.add_client())) } }))
}

/// A field that finds clients.
pub(super) fn finder(cx: &PageContext<'_, '_>, field: &str) -> Markup {
    html! {
        form.filters method="get" role="search" {
            @for (name, value) in cx.place.query.iter().filter(|(name, _)| name != field) { input type="hidden" name=(name) value=(value); }
            label.wide { (cx.strings.find_client()) input type="search" name=(field) value=(cx.place.parameter(field)) autocomplete="off"; }
            button.plain type="submit" { (cx.strings.search()) }
        }
    }
}

pub(super) fn find_clients(cx: &mut PageContext<'_, '_>) -> Result<Vec<Value>> {
    match cx.place.parameter("search") {
        "" => Ok(Vec::new()),
        search => {
            let query = ApiCall::of("list_clients")
                .with("search", search)
                .with("archived", false)
                .with("limit", 8);
            Ok(cx.call(query)?.list("clients").to_vec())
        }
    }
}
