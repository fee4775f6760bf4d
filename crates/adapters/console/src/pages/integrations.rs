//! API clients: what other programs may do, in plain words.

use maud::{Markup, html};
use spotter_kernel::{Gate, Result, Scope};

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
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
    let answer = cx.list(ApiCall::of("list_api_clients"))?;
    let coaches = cx.coaches_to_plan()?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = answer.list("clients").iter().map(|client| vec![
        html! { a href={ "/console/integrations/" (client.text("id")) } { b { (client.text("name")) } } },
        html! { code { (client.text("clientId").chars().take(12).collect::<String>()) "…" } },
        html! { span.number { (written.count(client.list("scopes").len() as i64)) } },
        html! { (client.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) },
        state(cx, client.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_api_client")
        .next("/console/integrations/{client.id}")
        .text("name", t.name())
        .choice("defaultAssignedCoachId", t.new_clients_go_to(), &coaches)
        .check("consents.healthData", t.may_read_health())
        .check("consents.privateCommunication", t.may_read_messages())
        .any("scopes", t.scopes(), &scopes(cx));
    let main = html! {
        p { (t.integrations_are()) " " a href="/docs" { (t.reference()) } }
        @if rows.is_empty() { (empty(t.no_integrations(), None)) }
        @else { (table(t.integrations(), &[t.name(), t.client_id(), t.scopes(), t.since(), t.status()], rows)) (pager(cx, &answer)) }
        section.card { (disclosure(t.add_integration(), form.send(t.add_integration()))) }
    };
    Ok(View::new(t.integrations(), main))
}

/// `/console/integrations/{id}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let answer = cx.call(ApiCall::of("get_api_client").at("id", &id))?;
    let client = answer.at("client").clone();
    let (t, written) = (cx.strings, &cx.written);
    let at = || vec![("id", id.clone())];
    let active = client.text("status") == "active";
    let main = html! {
        section.card {
            (facts(vec![
                (t.client_id(), html! { code { (client.text("clientId")) } }),
                (t.status(), state(cx, client.text("status"))),
                (t.secret(), html! { "…" (client.text("secret.last4")) }),
                (t.rotated(), html! { (client.instant("secret.rotatedAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                (t.since(), html! { (client.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }),
            ]))
        }
        @if active {
            section.card {
                h2 { (t.may_do()) }
                (Form::about(cx, "update_api_client", at()).from(&client).text("name", t.name())
                    .check("consents.healthData", t.may_read_health())
                    .check("consents.privateCommunication", t.may_read_messages())
                    .any("scopes", t.scopes(), &scopes(cx)).send(t.save()))
            }
        }
    };
    let acts = html! {
        @if active {
            (disclosure(t.new_secret(), html! {
                p { (t.new_secret_means()) }
                (Form::about(cx, "rotate_api_client_secret", at()).danger(t.new_secret()))
            }))
            (disclosure(t.revoke(), html! {
                p { (t.revoke_means()) }
                (Form::about(cx, "revoke_api_client", at()).danger(t.revoke()))
            }))
        }
    };
    Ok(View::new(client.text("name"), main).acts(acts))
}
