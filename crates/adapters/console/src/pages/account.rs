//! One's own account: how pages look, where one is signed in, how one signs in, and the way out.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    act::CHANGE_PASSWORD,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::facts,
        qr,
        shell::View,
    },
    session::{TASTE, sign_out_form},
    words::Locale,
};

/// What a browser is, in a word or two, by what it says of itself.
fn browser(agent: &str) -> String {
    let named = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| agent.contains(mark)).map_or("", |(_, name)| *name)
    };
    // Each says that it is also what came before it, so the newest name is looked for first.
    let program = named(&[
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = named(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (program, system) {
        ("", _) => agent.chars().take(40).collect(),
        (program, "") => program.to_owned(),
        (program, system) => format!("{program}, {system}"),
    }
}

/// `/console/account`, `/my/account`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("list_sessions"))?;
    let step = cx.call(ApiCall::of("get_second_step"))?;
    let step = step.at("secondStep");
    let (t, written) = (cx.strings, &cx.written);
    // Password managers ask for the name that goes with it.
    let username = html! { input type="text" name="-username" value=(cx.person.email) autocomplete="username" hidden; };
    let password = Form::of(cx, CHANGE_PASSWORD)
        .content(username)
        .of_type("password", "currentPassword", t.current_password(), "current-password")
        .of_type("password", "newPassword", t.new_password_label(), "new-password");
    let main = html! {
        section.card {
            (facts(vec![
                (t.name(), html! { (cx.person.name) }),
                (t.email(), html! { (cx.person.email) }),
                (t.business(), html! { (cx.person.company.name) }),
            ]))
        }
        section.card {
            h2 { (t.how_it_looks()) }
            form method="post" action=(TASTE) data-hx-boost="false" {
                input type="hidden" name="then" value=(cx.place.path);
                div.field {
                    label for="language" { (t.language()) }
                    select #language name="language" {
                        @for language in Locale::ALL { option value=(language.code()) selected[language == t.0] { (language.name()) } }
                    }
                }
                div.field {
                    label for="theme" { (t.theme()) }
                    select #theme name="theme" {
                        option value="" { (t.as_device()) }
                        option value="light" selected[cx.taste.dark == Some(false)] { (t.light()) }
                        option value="dark" selected[cx.taste.dark == Some(true)] { (t.dark()) }
                    }
                }
                div.field {
                    label for="units" { (t.units()) }
                    select #units name="units" {
                        option value="" { (t.as_business()) }
                        option value="metric" selected[cx.taste.imperial == Some(false)] { (t.units_metric()) }
                        option value="imperial" selected[cx.taste.imperial == Some(true)] { (t.units_imperial()) }
                    }
                }
                button type="submit" { (t.save()) }
            }
        }
        section.card {
            h2 { (t.signed_in_at()) }
            ul.rows {
                @for one in answer.list("sessions") {
                    li {
                        span.grow {
                            @if one.text("kind") == "app" { (t.app()) } @else { (browser(one.text("browser"))) }
                            @if one.is("isCurrent") { " (" (t.this_one()) ")" }
                            br; span.quiet { (t.since()) " " (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default())
                                @if let Some(seen) = one.instant("lastSeenAt") { " · " (t.last_used()) " " (written.instant(seen)) } }
                        }
                        @if !one.is("isCurrent") {
                            (Form::about(cx, "end_session", vec![("sessionId", one.text("sessionId").to_owned())]).button(t.sign_out()))
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (t.second_step()) }
            p { @if step.is("isOn") { (t.second_step_on()) " " (step.instant("enabledAt").map(|at| written.instant(at)).unwrap_or_default()) }
                @else { (t.second_step_means()) } }
            p { a.button.plain href={ (super::account(cx)) "/second-step" } { (t.second_step()) } }
        }
        section.card { (disclosure(t.change_password(), password.send(t.change_password()))) }
        (sign_out_form(&cx.csrf(), t.sign_out()))
    };
    Ok(View::new(t.account(), main))
}

/// `/console/account/second-step`, `/my/account/second-step`
pub(super) fn second_step(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("get_second_step"))?;
    let step = answer.at("secondStep");
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        @if step.is("isDemanded") && !step.is("isOn") { div.notice.warn { (t.second_step_demanded()) } }
        section.card {
            p { (t.second_step_means()) }
            @if step.is("isOn") {
                (facts(vec![
                    (t.second_step_on(), html! { (step.instant("enabledAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                    (t.recovery_codes_left(), html! { (step.int("recoveryCodesLeft")) }),
                ]))
            } @else if step.is("isPending") {
                p { (t.second_step_pending()) }
                (confirm_code(cx))
                (Form::of(cx, "begin_second_step").button(t.begin_anew()))
            } @else {
                (Form::of(cx, "begin_second_step").send(t.set_up_second_step()))
            }
        }
        @if step.is("isOn") {
            div.buttons {
                (disclosure(t.new_recovery_codes(), Form::of(cx, "replace_recovery_codes").send(t.new_recovery_codes())))
                (disclosure(t.switch_off(), Form::of(cx, "delete_second_step").danger(t.switch_off())))
            }
        }
    };
    Ok(View::new(t.second_step(), main))
}

/// The form of the first code, which switches the second step on.
fn confirm_code(cx: &PageContext<'_, '_>) -> Markup {
    Form::of(cx, "enable_second_step")
        .of_type("text", "code", cx.strings.code_of_app(), "one-time-code")
        .send(cx.strings.confirm_code())
}

/// What an authenticator is given, shown this once.
pub(super) fn authenticator(cx: &PageContext<'_, '_>, answer: &Value) -> View {
    let t = cx.strings;
    let main = html! {
        section.card {
            p { (t.scan_code()) }
            (qr(t.second_step(), answer.text("uri")))
            code.secret #authenticator-secret { (answer.text("secret")) }
            p { button.plain type="button" data-copy="authenticator-secret" { (t.copy()) } }
            (confirm_code(cx))
        }
    };
    View::new(t.second_step(), main)
}
