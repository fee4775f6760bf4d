//! The list of clients and the form that creates one.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::announcements::composing;
use crate::{
    api::{self, Answer},
    page_context::PageContext,
    parts::{
        fields::{Form, Ticks},
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/clients`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let query = api::list_clients()
        .search(cx.place.parameter("search").trim())
        .member_status(cx.place.parameter("memberStatus").trim())
        .relationship_status(cx.place.parameter("relationshipStatus").trim())
        .coach_id(cx.place.parameter("coachId").trim())
        .tag(cx.place.parameter("tag").trim());
    let archived = cx.place.parameter("archived") == "true";
    let newest = cx.place.parameter("sort") == "newest";
    let order = if newest { "newest" } else { "name" };
    let answer = cx.list(query.archived(archived).sort(order))?;
    let coaches = cx.coach_choices()?;
    let tags = cx.call(api::list_client_tags().limit(100))?;
    let ids: Vec<_> = answer.clients().iter().map(|client| client.client_id()).collect();
    let ids = ids.join(",");
    let (mut visits, mut balances) = (Answer::default(), Answer::default());
    if !ids.is_empty() {
        visits = cx.call(api::list_client_visits().client_ids(&ids))?;
        balances = cx.call(api::list_client_balances().client_ids(&ids))?;
    }
    let mut names = Vec::new();
    for client in answer.clients() {
        names.push(cx.coach(client.assigned_coach_id())?);
    }
    let form = Form::of(cx, api::change_clients())
        .previewed()
        .list("addTags", cx.strings.add_tags(), cx.strings.tags_help(), [])
        .list("removeTags", cx.strings.remove_tags(), "", [])
        .choice("coachId", cx.strings.coach(), &coaches)
        .check("archive", cx.strings.archive())
        .text("archiveReason", cx.strings.archive_reason())
        .check("endOfTerm", cx.strings.end_of_term());
    let writing = cx.place.parameter("act") == "write" && cx.may(api::CreateAnnouncement);
    let ticks = match writing {
        true => Ticks::new(Some(composing(cx, "clients")), "audience.clientIds", cx.strings)
            .bringing(cx.place.parameter("ticked")),
        false => Ticks::new(cx.may(api::ChangeClients).then_some(form), "clientIds", cx.strings),
    };
    let mut rows = Vec::new();
    for ((index, client), coach) in answer.clients().iter().enumerate().zip(names) {
        let written = &cx.written;
        // One for each requested client, in the same order.
        let visit = visits.client_visits().get(index);
        let last_visit = visit.and_then(|visit| visit.last_visit_at());
        let next_visit = visit.and_then(|visit| visit.next_visit_at());
        let balances = balances.client_balances().get(index).into_iter();
        let owed = balances.flat_map(|own| own.balances()).filter(|own| own.owed() > 0);
        rows.push(vec![
            ticks.tick(client.client_id(), &client.full_name()),
            html! {
                span.whole {
                    a href={ "/console/clients/" (client.client_id()) } { b { (client.full_name()) } }
                    br;
                    span.quiet {
                        (match client.email().is_empty() {
                            true => client.phone(),
                            false => client.email(),
                        })
                    }
                }
            },
            match client.relationship_status() {
                pending @ "pending" => state(cx, pending),
                _ => state(cx, client.member_status()),
            },
            html! { span.whole { (coach) } },
            html! { @for tag in client.tags() { span.state { (tag) } " " } },
            html! { span.whole { (written.date(last_visit.map(|at| written.zone.date_at(at)))) } },
            html! { span.whole { (written.date(next_visit.map(|at| written.zone.date_at(at)))) } },
            html! {
                @for sum in owed { span.number { (written.money(sum.owed(), sum.currency())) } " " }
            },
        ]);
    }
    let (t, place) = (cx.strings, cx.place);
    let columns = [
        t.tick(),
        t.name(),
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
            label.wide {
                (t.search())
                input
                    type="search"
                    name="search"
                    value=(place.parameter("search"))
                    autocomplete="off";
            }
            label {
                (t.status())
                select name="memberStatus" {
                    option value="" { (t.all()) }
                    @for word in ["lead", "active", "paused", "former"] {
                        option value=(word) selected[chosen("memberStatus", word)] {
                            (t.term(word))
                        }
                    }
                }
            }
            label {
                (t.coach())
                select name="coachId" {
                    option value="" { (t.all()) }
                    @for (id, coach) in &coaches {
                        option value=(id) selected[chosen("coachId", id)] { (coach) }
                    }
                }
            }
            label {
                (t.tag())
                select name="tag" {
                    option value="" { (t.all()) }
                    @for tag in tags.tags() {
                        option value=(tag.tag()) selected[chosen("tag", tag.tag())] { (tag.tag()) }
                    }
                }
            }
            label {
                (t.archived())
                select name="archived" {
                    option value="" { (t.no()) }
                    option value="true" selected[archived] { (t.yes()) }
                }
            }
            label {
                (t.sorted_by())
                select name="sort" {
                    option value="" { (t.name()) }
                    option value="newest" selected[newest] { (t.newest_first()) }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.no_clients(), Some(("/console/clients/new", t.add_client()))))
        } @else {
            @if writing {
                (ticks.act_now(t.write_to_ticked(), t.send()))
            } @else {
                div.buttons {
                    (ticks.act(t.with_ticked(), t.change()))
                    @if cx.may(api::CreateAnnouncement) {
                        a.button.plain
                            href=(place.with_parameters(&[("act", "write")]))
                            data-brings="clientIds"
                        {
                            (t.write_to_ticked())
                        }
                    }
                }
            }
            (table(t.clients(), &columns, rows))
            (pager(cx, &answer))
        }
    };
    let acts = html! {
        @if cx.may(api::CreateImport) { a.button.plain href="/console/imports" { (t.import()) } }
        a.button href="/console/clients/new" { (t.add_client()) }
    };
    Ok(View::new(t.clients(), main).acts(acts))
}

/// `/console/clients/new`
pub(super) fn new(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.location_choices()?;
    let t = cx.strings;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, t.term(word))).collect()
    };
    let form = Form::of(cx, api::create_client())
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
            @for (name, value) in cx.place.query.iter().filter(|(name, _)| name != field) {
                input type="hidden" name=(name) value=(value);
            }
            label.wide {
                (cx.strings.find_client())
                input
                    type="search"
                    name=(field)
                    value=(cx.place.parameter(field))
                    autocomplete="off";
            }
            button.plain type="submit" { (cx.strings.search()) }
        }
    }
}

/// The clients that the finder has found.
pub(super) fn find_clients(cx: &mut PageContext<'_, '_>) -> Result<Answer<api::ListClients>> {
    match cx.place.parameter("search") {
        "" => Ok(Answer::default()),
        search => cx.call(api::list_clients().search(search).archived(false).limit(8)),
    }
}
