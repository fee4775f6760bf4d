//! Forms and check-ups: what is asked, and what was answered.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    parts::{
        fields::{Form, behind},
        lists::{empty, facts, pager, state, table},
        shell::Shown,
        told::Told,
    },
    visit::{Ask, Visit},
};

fn tabs(cx: &Visit<'_, '_>, here: &str) -> Markup {
    html! {
        nav.tabs aria-label=(cx.say.forms()) {
            @for (path, label) in [("", cx.say.forms()), ("/checkups", cx.say.checkups())] {
                a href={ "/console/forms" (path) } aria-current=[(path == here).then_some("page")] { (label) }
            }
        }
    }
}

/// `/console/forms`
pub(super) fn list(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told =
        cx.ask(Ask::of("list_forms").with("limit", 50).with("page", cx.place.asked("page")))?;
    let say = cx.say;
    let rows: Vec<Vec<Markup>> = told.list("forms").iter().map(|form| {
        let at = || vec![("formId", form.text("formId").to_owned())];
        vec![
            html! { b { (form.text("name")) } @if form.has("description") { br; span.quiet { (form.text("description")) } } },
            html! { (say.term(form.text("kind"))) },
            html! { (form.int("version")) },
            state(cx, form.text("status")),
            html! {
                @if form.has("draftVersion") { (Form::about(cx, "publish_form", at()).button(say.publish())) }
                @if form.text("status") == "published" { (behind(say.archive(), Form::about(cx, "archive_form", at()).danger(say.archive()))) }
            },
        ]
    }).collect();
    let main = html! {
        (tabs(cx, ""))
        @if rows.is_empty() { (empty(say.no_forms(), None)) }
        @else { (table(say.forms(), &[say.name(), say.kind(), say.version(), say.status(), ""], rows)) (pager(cx, &told)) }
    };
    Ok(Shown::new(say.forms(), main))
}

/// `/console/forms/checkups`
pub(super) fn checkups(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let status = cx.place.asked("status").to_owned();
    let ask = Ask::of("list_checkups").with("limit", 50).with("status", &status);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let mut rows = Vec::new();
    for checkup in told.list("checkups") {
        let client = cx.client(checkup.text("clientId"))?;
        let written = &cx.written;
        rows.push(vec![
            html! { a href={ "/console/forms/checkups/" (checkup.text("checkupId")) } { (client) } },
            html! { (checkup.text("formName")) },
            html! { (checkup.instant("submittedAt").or(checkup.instant("createdAt")).map(|at| written.instant(at)).unwrap_or_default()) },
            html! { (state(cx, checkup.text("status"))) @if checkup.is("flagged") { " " span.state.bad { (cx.say.flagged()) } } },
        ]);
    }
    let say = cx.say;
    let main = html! {
        (tabs(cx, "/checkups"))
        form.filters method="get" {
            label { (say.status())
                select name="status" { option value="" { (say.all()) } @for word in ["assigned", "in_progress", "submitted", "reviewed", "cancelled", "expired"] { option value=(word) selected[word == status] { (say.term(word)) } } }
            }
            button.plain type="submit" { (say.filter()) }
        }
        @if rows.is_empty() { (empty(say.nothing_waits(), None)) }
        @else { (table(say.checkups(), &[say.client(), say.form(), say.when(), say.status()], rows)) (pager(cx, &told)) }
    };
    Ok(Shown::new(say.checkups(), main))
}

/// What was answered, in a word.
fn answered(cx: &Visit<'_, '_>, answer: &Value) -> String {
    match answer.at("value") {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => cx.say.yes().to_owned(),
        Value::Bool(false) => cx.say.no().to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => cx.written.number(number.as_f64().unwrap_or_default(), 2),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Object(fields) => {
            let words = fields
                .values()
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            words.collect::<Vec<_>>().join(" ")
        }
    }
}

/// `/console/forms/checkups/{checkupId}`: what was answered, beside what was answered the last time.
pub(super) fn checkup(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let id = cx.place.param("checkupId").to_owned();
    let told = cx.ask(Ask::of("get_checkup").at("checkupId", &id))?;
    let checkup = told.at("checkup").clone();
    let client_id = checkup.text("clientId").to_owned();
    let client = cx.client(&client_id)?;
    let before = Ask::of("list_checkups")
        .with("clientId", &client_id)
        .with("formId", checkup.text("formId"))
        .with("limit", 20);
    let before = cx.ask(before)?;
    let earlier = before.list("checkups").iter().find(|one| {
        one.has("submittedAt") && one.text("submittedAt") < checkup.text("submittedAt")
    });
    let last = match earlier {
        Some(one) => Some(cx.ask(Ask::of("get_checkup").at("checkupId", one.text("checkupId")))?),
        None => None,
    };
    let (say, written) = (cx.say, &cx.written);
    let rows: Vec<Vec<Markup>> = told.list("answers").iter().map(|answer| {
        let same = last.as_ref().and_then(|last| last.list("answers").iter().find(|own| own.text("questionId") == answer.text("questionId")));
        vec![
            html! { (answer.text("label")) },
            html! { b { (answered(cx, answer)) } @if answer.is("flagged") { " " span.state.bad { (say.flagged()) } } },
            html! { span.quiet { (same.map(|same| answered(cx, same)).unwrap_or_default()) } },
        ]
    }).collect();
    let at = || vec![("checkupId", id.clone())];
    let main = html! {
        section.card {
            (facts(vec![
                (say.client(), html! { a href={ "/console/clients/" (client_id) "/forms" } { (client) } }),
                (say.status(), state(cx, checkup.text("status"))),
                (say.submitted(), html! { (checkup.instant("submittedAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                (say.due(), html! { (checkup.instant("dueAt").map(|at| written.instant(at)).unwrap_or_default()) }),
            ]))
        }
        @if !rows.is_empty() { (table(say.answers(), &[say.question(), say.answer(), say.last_time()], rows)) }
        @if checkup.has("review") { section.card { h2 { (say.review()) } p { (checkup.text("review")) } } }
        @if checkup.text("status") == "submitted" {
            section.card { h2 { (say.review()) } (Form::about(cx, "review_checkup", at()).area("review", say.your_words()).send(say.review_it())) }
        }
    };
    let acts = html! {
        @if matches!(checkup.text("status"), "assigned" | "in_progress") {
            (behind(say.cancel(), Form::about(cx, "cancel_checkup", at()).danger(say.cancel())))
        }
    };
    Ok(Shown::new(checkup.text("formName"), main).acts(acts))
}
