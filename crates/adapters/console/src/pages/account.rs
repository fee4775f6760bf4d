//! One's own account: how pages look, where one is signed in, how one signs in, and the way out.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    act::CHANGE_PASSWORD,
    api::{self, Answer},
    api_call::ApiCall,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::facts,
        qr,
        shell::View,
    },
    session::{DISPLAY, sign_out_form},
    words::Locale,
};

/// A short name of a browser, by its user agent.
fn browser(agent: &str) -> String {
    let named = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| agent.contains(mark)).map_or("", |(_, name)| *name)
    };
    // User agents name their predecessors, too, so the newest is searched first.
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
    let answer = cx.call(api::list_sessions())?;
    let step = cx.call(api::get_second_step())?;
    let step = step.second_step();
    let (t, written) = (cx.strings, &cx.written);
    // Password managers ask for the name that goes with it.
    let username = html! {
        input type="text" name="-username" value=(cx.person.email) autocomplete="username" hidden;
    };
    let password = Form::of(cx, ApiCall::of(CHANGE_PASSWORD))
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
            form method="post" action=(DISPLAY) data-hx-boost="false" {
                input type="hidden" name="then" value=(cx.place.path);
                div.field {
                    label for="language" { (t.language()) }
                    select #language name="language" {
                        @for language in Locale::ALL {
                            option value=(language.code()) selected[language == t.0] {
                                (language.name())
                            }
                        }
                    }
                }
                div.field {
                    label for="theme" { (t.theme()) }
                    select #theme name="theme" {
                        option value="" { (t.as_device()) }
                        option value="light" selected[cx.display.dark == Some(false)] { (t.light()) }
                        option value="dark" selected[cx.display.dark == Some(true)] { (t.dark()) }
                    }
                }
                div.field {
                    label for="units" { (t.units()) }
                    select #units name="units" {
                        option value="" { (t.as_business()) }
                        option value="metric" selected[cx.display.imperial == Some(false)] {
                            (t.units_metric())
                        }
                        option value="imperial" selected[cx.display.imperial == Some(true)] {
                            (t.units_imperial())
                        }
                    }
                }
                button type="submit" { (t.save()) }
            }
        }
        section.card {
            h2 { (t.signed_in_at()) }
            ul.rows {
                @for one in answer.sessions() {
                    li {
                        span.grow {
                            @if one.kind() == "app" { (t.app()) } @else { (browser(one.browser())) }
                            @if one.is_current() { " (" (t.this_one()) ")" }
                            br;
                            span.quiet {
                                (t.since()) " " (written.instant(one.created_at()))
                                @if let Some(seen) = one.last_seen_at() {
                                    " · " (t.last_used()) " " (written.instant(seen))
                                }
                            }
                        }
                        @if !one.is_current() {
                            (Form::of(cx, api::end_session(one.session_id())).button(t.sign_out()))
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (t.second_step()) }
            p {
                @if step.is_on() {
                    (t.second_step_on()) " " (written.instant(step.enabled_at()))
                } @else {
                    (t.second_step_means())
                }
            }
            p { a.button.plain href={ (super::account(cx)) "/second-step" } { (t.second_step()) } }
        }
        section.card { (disclosure(t.change_password(), password.send(t.change_password()))) }
        (sign_out_form(&cx.csrf(), t.sign_out()))
    };
    Ok(View::new(t.account(), main))
}

/// `/console/account/second-step`, `/my/account/second-step`
pub(super) fn second_step(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_second_step())?;
    let step = answer.second_step();
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        @if step.is_demanded() && !step.is_on() { div.notice.warn { (t.second_step_demanded()) } }
        section.card {
            p { (t.second_step_means()) }
            @if step.is_on() {
                (facts(vec![
                    (t.second_step_on(), html! { (written.instant(step.enabled_at())) }),
                    (t.recovery_codes_left(), html! { (step.recovery_codes_left()) }),
                ]))
            } @else if step.is_pending() {
                p { (t.second_step_pending()) }
                (confirm_code(cx))
                (Form::of(cx, api::begin_second_step()).button(t.begin_anew()))
            } @else {
                (Form::of(cx, api::begin_second_step()).send(t.set_up_second_step()))
            }
        }
        @if step.is_on() {
            div.buttons {
                (disclosure(
                    t.new_recovery_codes(),
                    Form::of(cx, api::replace_recovery_codes()).send(t.new_recovery_codes()),
                ))
                (disclosure(
                    t.switch_off(),
                    Form::of(cx, api::delete_second_step()).danger(t.switch_off()),
                ))
            }
        }
    };
    Ok(View::new(t.second_step(), main))
}

/// The form of the first code, which switches the second step on.
fn confirm_code(cx: &PageContext<'_, '_>) -> Markup {
    Form::of(cx, api::enable_second_step())
        .of_type("text", "code", cx.strings.code_of_app(), "one-time-code")
        .send(cx.strings.confirm_code())
}

/// What an authenticator is given, shown this once.
pub(super) fn authenticator(
    cx: &PageContext<'_, '_>,
    answer: &Answer<api::BeginSecondStep>,
) -> View {
    let t = cx.strings;
    let main = html! {
        section.card {
            p { (t.scan_code()) }
            (qr(t.second_step(), answer.uri()))
            code.secret #authenticator-secret { (answer.secret()) }
            p { button.plain type="button" data-copy="authenticator-secret" { (t.copy()) } }
            (confirm_code(cx))
        }
    };
    View::new(t.second_step(), main)
}
