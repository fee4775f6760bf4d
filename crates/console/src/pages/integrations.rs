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
        Gate::HealthData => cx.say.needs_health(),
        Gate::PrivateCommunication => cx.say.needs_private(),
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
    let (say, written) = (cx.say, &cx.written);
    let rows: Vec<Vec<Markup>> = answer.list("clients").iter().map(|client| vec![
        html! { a href={ "/console/integrations/" (client.text("id")) } { b { (client.text("name")) } } },
        html! { code { (client.text("clientId").chars().take(12).collect::<String>()) "…" } },
        html! { span.number { (written.count(client.list("scopes").len() as i64)) } },
        html! { (client.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) },
        state(cx, client.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_api_client")
        .next("/console/integrations/{client.id}")
        .text("name", say.name())
        .choice("defaultAssignedCoachId", say.new_clients_go_to(), &coaches)
        .check("consents.healthData", say.may_read_health())
        .check("consents.privateCommunication", say.may_read_messages())
        .any("scopes", say.scopes(), &scopes(cx));
    let main = html! {
        p { (say.integrations_are()) " " a href="/docs" { (say.reference()) } }
        @if rows.is_empty() { (empty(say.no_integrations(), None)) }
        @else { (table(say.integrations(), &[say.name(), say.client_id(), say.scopes(), say.since(), say.status()], rows)) (pager(cx, &answer)) }
        section.card { (disclosure(say.add_integration(), form.send(say.add_integration()))) }
    };
    Ok(View::new(say.integrations(), main))
}

/// `/console/integrations/{id}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let answer = cx.call(ApiCall::of("get_api_client").at("id", &id))?;
    let client = answer.at("client").clone();
    let (say, written) = (cx.say, &cx.written);
    let at = || vec![("id", id.clone())];
    let active = client.text("status") == "active";
    let main = html! {
        section.card {
            (facts(vec![
                (say.client_id(), html! { code { (client.text("clientId")) } }),
                (say.status(), state(cx, client.text("status"))),
                (say.secret(), html! { "…" (client.text("secret.last4")) }),
                (say.rotated(), html! { (client.instant("secret.rotatedAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                (say.since(), html! { (client.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }),
            ]))
        }
        @if active {
            section.card {
                h2 { (say.may_do()) }
                (Form::about(cx, "update_api_client", at()).from(&client).text("name", say.name())
                    .check("consents.healthData", say.may_read_health())
                    .check("consents.privateCommunication", say.may_read_messages())
                    .any("scopes", say.scopes(), &scopes(cx)).send(say.save()))
            }
        }
    };
    let acts = html! {
        @if active {
            (disclosure(say.new_secret(), html! {
                p { (say.new_secret_means()) }
                (Form::about(cx, "rotate_api_client_secret", at()).danger(say.new_secret()))
            }))
            (disclosure(say.revoke(), html! {
                p { (say.revoke_means()) }
                (Form::about(cx, "revoke_api_client", at()).danger(say.revoke()))
            }))
        }
    };
    Ok(View::new(client.text("name"), main).acts(acts))
}
