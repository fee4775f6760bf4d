//! One's own account: how pages look, and the way out.

use maud::html;
use spotter_kernel::Result;

use crate::{
    parts::{fields::Form, lists::facts, shell::Shown, told::Told},
    session::{TASTE, sign_out_form},
    visit::{Ask, Visit},
    words::Language,
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
pub(super) fn show(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.ask(Ask::of("list_sessions"))?;
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        section.card {
            (facts(vec![
                (say.name(), html! { (cx.person.name) }),
                (say.email(), html! { (cx.person.email) }),
                (say.business(), html! { (cx.person.company.name) }),
            ]))
        }
        section.card {
            h2 { (say.how_it_looks()) }
            form method="post" action=(TASTE) data-hx-boost="false" {
                input type="hidden" name="then" value=(cx.place.path);
                div.field {
                    label for="language" { (say.language()) }
                    select #language name="language" {
                        @for language in Language::ALL { option value=(language.code()) selected[language == say.0] { (language.name()) } }
                    }
                }
                div.field {
                    label for="theme" { (say.theme()) }
                    select #theme name="theme" {
                        option value="" { (say.as_device()) }
                        option value="light" selected[cx.taste.dark == Some(false)] { (say.light()) }
                        option value="dark" selected[cx.taste.dark == Some(true)] { (say.dark()) }
                    }
                }
                button type="submit" { (say.save()) }
            }
        }
        section.card {
            h2 { (say.signed_in_at()) }
            ul.rows {
                @for one in told.list("sessions") {
                    li {
                        span.grow {
                            @if one.text("kind") == "app" { (say.app()) } @else { (browser(one.text("browser"))) }
                            @if one.is("isCurrent") { " (" (say.this_one()) ")" }
                            br; span.quiet { (say.since()) " " (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default())
                                @if let Some(seen) = one.instant("lastSeenAt") { " · " (say.last_used()) " " (written.instant(seen)) } }
                        }
                        @if !one.is("isCurrent") {
                            (Form::about(cx, "end_session", vec![("sessionId", one.text("sessionId").to_owned())]).button(say.sign_out()))
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (say.password()) }
            p { a href="/forgot-password" { (say.new_password()) } }
            (sign_out_form(&cx.csrf(), say.sign_out()))
        }
    };
    Ok(Shown::new(say.account(), main))
}
