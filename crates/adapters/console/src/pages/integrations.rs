//! API clients: what other programs may do, in plain words.

use maud::{Markup, html};
use spotter_kernel::{Gate, Result, Scope, secret::EnvironmentMode};

use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// Every scope with what it is for, and what it takes besides.
fn scopes(cx: &PageContext<'_, '_>) -> Vec<(&'static str, String)> {
    let gate = |scope: &Scope| match scope.gate() {
        Gate::None => "",
        Gate::HealthData => cx.strings.needs_health(),
        Gate::PrivateCommunication => cx.strings.needs_private(),
    };
    Scope::ALL
        .iter()
        .map(|scope| {
            let name = scope.name();
            match gate(scope) {
                "" => (name, name.to_owned()),
                gate => (name, format!("{name} · {gate}")),
            }
        })
        .collect()
}

/// `/console/integrations`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_api_clients())?;
    let coaches = cx.coaches_to_plan()?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = answer.clients().iter().map(|client| vec![
        html! { a href={ "/console/integrations/" (client.id()) } { b { (client.name()) } } },
        html! { code { (client.client_id().chars().take(12).collect::<String>()) "…" } },
        html! { span.number { (written.count(client.scopes().len() as i64)) } },
        html! { (written.instant(client.created_at())) },
        state(cx, client.status()),
    ]).collect();
    let form = Form::of(cx, api::create_api_client())
        .next("/console/integrations/{client.id}")
        .text("name", t.name())
        .choice("defaultAssignedCoachId", t.new_clients_go_to(), &coaches)
        .check("consents.healthData", t.may_read_health())
        .check("consents.privateCommunication", t.may_read_messages())
        .any("scopes", t.scopes(), &scopes(cx));
    let main = html! {
        p { (t.integrations_are()) " " a href="/docs/api" { (t.reference()) } }
        p {
            a href="/console/test-environment" {
                @if cx.state.env.mode == EnvironmentMode::Test {
                    (t.test_clock())
                } @else {
                    (t.test_environment())
                }
            }
        }
        @if rows.is_empty() {
            (empty(t.no_integrations(), None))
        } @else {
            (table(
                t.integrations(),
                &[t.name(), t.client_id(), t.scopes(), t.since(), t.status()],
                rows,
            ))
            (pager(cx, &answer))
        }
        section.card { (disclosure(t.add_integration(), form.send(t.add_integration()))) }
    };
    Ok(View::new(t.integrations(), main))
}

/// `/console/integrations/{id}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let answer = cx.call(api::get_api_client(&id))?;
    let client = answer.client();
    let (t, written) = (cx.strings, &cx.written);
    let active = client.status() == "active";
    let main = html! {
        section.card {
            (facts(vec![
                (t.client_id(), html! { code { (client.client_id()) } }),
                (t.status(), state(cx, client.status())),
                (t.secret(), html! { "…" (client.secret().last4()) }),
                (t.rotated(), html! { (written.instant(client.secret().rotated_at())) }),
                (t.since(), html! { (written.instant(client.created_at())) }),
            ]))
        }
        @if active {
            section.card {
                h2 { (t.may_do()) }
                (Form::of(cx, api::update_api_client(&id))
                    .from(client)
                    .text("name", t.name())
                    .check("consents.healthData", t.may_read_health())
                    .check("consents.privateCommunication", t.may_read_messages())
                    .any("scopes", t.scopes(), &scopes(cx))
                    .send(t.save()))
            }
        }
    };
    let acts = html! {
        @if active {
            (disclosure(t.new_secret(), html! {
                p { (t.new_secret_means()) }
                (Form::of(cx, api::rotate_api_client_secret(&id)).danger(t.new_secret()))
            }))
            (disclosure(t.revoke(), html! {
                p { (t.revoke_means()) }
                (Form::of(cx, api::revoke_api_client(&id)).danger(t.revoke()))
            }))
        }
    };
    Ok(View::new(client.name(), main).acts(acts))
}
