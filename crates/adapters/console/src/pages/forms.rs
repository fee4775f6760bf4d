//! Forms and check-ups: what is asked, and what was answered.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    field_kind::FieldKind,
    files::ANSWER,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{self, empty, facts, pager, state, swapped, table, without},
        shell::View,
    },
    record_version::FormSource,
};

fn tabs(cx: &PageContext<'_, '_>, here: &str) -> Markup {
    let t = cx.strings;
    let pages = [("", t.forms(), ""), ("/checkups", t.checkups(), "")];
    lists::tabs(cx, (t.forms(), "/console/forms", here), &pages)
}

/// `/console/forms`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_forms"))?;
    let t = cx.strings;
    let rows: Vec<Vec<Markup>> = answer.list("forms").iter().map(|form| {
        let at = || vec![("formId", form.text("formId").to_owned())];
        vec![
            html! { a href={ "/console/forms/" (form.text("formId")) } { b { (form.text("name")) } } @if form.has("description") { br; span.quiet { (form.text("description")) } } },
            html! { (t.term(form.text("kind"))) },
            html! { (form.int("version")) },
            state(cx, form.text("status")),
            html! {
                @if form.has("draftVersion") { (Form::about(cx, "publish_form", at()).button(t.publish())) }
                @if form.text("status") == "published" { (disclosure(t.archive(), Form::about(cx, "archive_form", at()).danger(t.archive()))) }
            },
        ]
    }).collect();
    let main = html! {
        (tabs(cx, ""))
        @if rows.is_empty() { (empty(t.no_forms(), None)) }
        @else { (table(t.forms(), &[t.name(), t.kind(), t.version(), t.status(), ""], rows)) (pager(cx, &answer)) }
    };
    let kinds = ["general", "intake", "checkup"].map(|word| (word, t.term(word)));
    let new = Form::of(cx, "create_form")
        .text("name", t.name())
        .area("description", t.about())
        .choice("kind", t.kind(), &kinds);
    let acts = html! {
        @if cx.may("create_form") { (disclosure(t.add_form(), new.next("/console/forms/{form.formId}").send(t.add_form()))) }
    };
    Ok(View::new(t.forms(), main).acts(acts))
}

/// Where the questions of a form stand.
const QUESTIONS: &str = "formVersion.questions";

/// `/console/forms/{formId}`: its questions, each to be changed, moved and taken out; and what clients will see.
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("formId").to_owned();
    let mut query = ApiCall::of("get_form").at("formId", &id);
    let mut answer = cx.call(query.clone())?;
    // What is being written is changed; what was published before stands beside it.
    if answer.at("form").has("draftVersion") {
        query = query.with("version", answer.int("form.draftVersion"));
        answer = cx.call(query.clone())?;
    }
    let form = answer.at("form").clone();
    let mut view = answer.at(QUESTIONS).clone();
    super::my::forms::name_units(cx, &mut view)?;
    let view = view.as_array().cloned().unwrap_or_default();
    let all: Vec<Value> = answer.list(QUESTIONS).to_vec();
    let types = cx
        .call_if_allowed(ApiCall::of("list_measurement_types").with("limit", 100))?
        .unwrap_or_default();
    let measured: Vec<(String, String)> = types
        .list("measurementTypes")
        .iter()
        .map(|one| (one.text("type").to_owned(), one.text("label").to_owned()))
        .collect();
    let t = cx.strings;
    let at = || vec![("formId", id.clone())];
    let open = form.text("status") != "archived" && cx.may("update_form");
    let made = FormSource::of(&query, &["form.draftVersion", QUESTIONS], &answer);
    // The questions are written whole; each button writes what they would be after it.
    let written = |list: Vec<&Value>| {
        let list = Value::Array(list.into_iter().cloned().collect());
        let form = Form::about(cx, "update_form", at()).based_on(&made);
        form.hidden(&FieldKind::Json.name_of("questions"), list.to_string())
    };
    let main = html! {
        p { (state(cx, form.text("status"))) " " span.quiet { (t.term(form.text("kind"))) } }
        @if form.has("draftVersion") && form.has("version") { div.notice.warn { (t.draft_waits()) } }
        @if all.is_empty() { p.quiet { (t.no_questions()) } }
        @for (place, question) in all.iter().enumerate() {
            section.card {
                p.quiet { (place + 1) " · " (t.term(question.text("type"))) @if question.is("required") { " · " (t.required_answer()) } }
                h2 { (question.text("label")) }
                @if question.has("help") { p { (question.text("help")) } }
                @if !question.list("options").is_empty() { ul { @for option in question.list("options") { li { (option.text("label")) @if option.is("flag") { " " span.state.bad { (t.flagged()) } } } } } }
                @if open {
                    div.buttons {
                        (disclosure(t.edit(), editor(cx, (at(), &made, &answer), Some(place), &measured)))
                        @if place > 0 { (written(swapped(&all, place, place - 1)).button(t.move_up())) }
                        @if place + 1 < all.len() { (written(swapped(&all, place, place + 1)).button(t.move_down())) }
                        (written(without(&all, place)).danger(t.remove()))
                    }
                }
            }
        }
        @if open { section.card { h2 { (t.add_question()) } (editor(cx, (at(), &made, &answer), None, &measured)) } }
        (disclosure(t.preview(), html! { section.card { @for question in &view { (super::my::forms::question_field(cx, question, &Value::Null)) } } }))
    };
    let acts = html! {
        @if form.has("draftVersion") && open { (Form::about(cx, "publish_form", at()).send(t.publish())) }
        @if open { (disclosure(t.edit(), Form::about(cx, "update_form", at()).from(&form).text("name", t.name()).area("description", t.about()).send(t.save()))) }
    };
    Ok(View::new(form.text("name"), main).acts(acts))
}

/// The form of a question: of one that is there, or of a new one.
fn editor(
    cx: &PageContext<'_, '_>,
    (at, made, answer): (Vec<(&'static str, String)>, &FormSource, &Value),
    place: Option<usize>,
    measured: &[(String, String)],
) -> Markup {
    let (t, all) = (cx.strings, answer.list(QUESTIONS));
    let own = place.map(|place| all[place].clone()).unwrap_or_default();
    let kind = own.text("type").to_owned();
    let mut part = own.clone();
    if place.is_some() {
        part["options"] = crate::questions::lines(&own).into();
        part["shownIf"] = if own.has("showWhen") || own.at("showWhen").is_object() {
            "-".into()
        } else {
            Value::Null
        };
    }
    if place.is_none() {
        part = serde_json::json!({"type": "text"});
    }
    let record = serde_json::json!({"question": part});
    let list = Value::Array(all.to_vec()).to_string();
    let name = place.map_or_else(|| "new".to_owned(), |place| place.to_string());
    let form = Form::with_key(cx, &name, "update_form", at).based_on(made);
    let form = form.hidden(&FieldKind::Question.name_of("questions"), list).from(&record);
    let of = |kinds: &[&str]| place.is_none() || kinds.contains(&kind.as_str());
    let types = [
        "text",
        "number",
        "boolean",
        "date",
        "single_choice",
        "multi_choice",
        "scale",
        "measurement",
        "file",
        "consent",
        "statement",
    ];
    let form = match place {
        Some(place) => form.hidden("question.place", place.to_string()),
        None => {
            form.choice("question.type", t.question_type(), &types.map(|word| (word, t.term(word))))
        }
    };
    let mut form = form
        .text("question.label", t.question())
        .area("question.help", t.help_text())
        .check("question.required", t.required_answer());
    if of(&["single_choice", "multi_choice"]) {
        form = form.area_helped("question.options", t.options(), t.question_options_help());
    }
    if of(&["number", "scale", "multi_choice"]) {
        form = form.text("question.min", t.least()).text("question.max", t.most());
    }
    if of(&["measurement"]) {
        form = form.choice("question.measurementType", t.measured(), measured);
    }
    let before = &all[..place.unwrap_or(all.len())];
    let mut earlier: Vec<(&str, &str)> =
        before.iter().map(|one| (one.text("questionId"), one.text("label"))).collect();
    if part.text("shownIf") == "-" {
        earlier.insert(0, ("-", t.standing()));
    }
    if !earlier.is_empty() {
        form = form
            .choice("question.shownIf", t.shown_if(), &earlier)
            .text("question.shownValue", t.shown_value());
    }
    form.send(if place.is_some() { t.save() } else { t.add_question() })
}

/// `/console/forms/checkups`
pub(super) fn checkups(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let status = cx.place.parameter("status").to_owned();
    let answer = cx.list(ApiCall::of("list_checkups").with("status", &status))?;
    cx.know_clients(answer.list("checkups"))?;
    let mut rows = Vec::new();
    for checkup in answer.list("checkups") {
        let client = cx.client(checkup.text("clientId"))?;
        let written = &cx.written;
        rows.push(vec![
            html! { a href={ "/console/forms/checkups/" (checkup.text("checkupId")) } { (client) } },
            html! { (checkup.text("formName")) },
            html! { (checkup.instant("submittedAt").or(checkup.instant("createdAt")).map(|at| written.instant(at)).unwrap_or_default()) },
            html! { (state(cx, checkup.text("status"))) @if checkup.is("flagged") { " " span.state.bad { (cx.strings.flagged()) } } },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/checkups"))
        form.filters method="get" {
            label { (t.status())
                select name="status" { option value="" { (t.all()) } @for word in ["assigned", "in_progress", "submitted", "reviewed", "cancelled", "expired"] { option value=(word) selected[word == status] { (t.term(word)) } } }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.nothing_waits(), None)) }
        @else { (table(t.checkups(), &[t.client(), t.form(), t.when(), t.status()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.checkups(), main))
}

/// The questions of the version of a form that was answered, by which options are called what they were.
pub(super) fn questions(cx: &mut PageContext<'_, '_>, given: &Value) -> Result<Vec<Value>> {
    let call = ApiCall::of("get_form").at("formId", given.text("formId"));
    let answer =
        cx.call_if_allowed(call.with("version", given.int("formVersion")))?.unwrap_or_default();
    Ok(answer.list("formVersion.questions").to_vec())
}

/// What was answered, in a word: of options, what they are called.
pub(super) fn answered(
    cx: &PageContext<'_, '_>,
    client: &str,
    answer: &Value,
    questions: &[Value],
) -> Markup {
    let value = answer.at("value");
    match value.text("fileId") {
        "" => html! { (written_out(cx, answer, questions)) },
        file => {
            html! { a href={ (ANSWER) (client) "/" (file) } data-hx-boost="false" { (value.text("fileName")) } }
        }
    }
}

fn written_out(cx: &PageContext<'_, '_>, answer: &Value, questions: &[Value]) -> String {
    let question = questions.iter().find(|own| own.text("questionId") == answer.text("questionId"));
    let called = |id: &str| {
        let option = question.and_then(|question| {
            question.list("options").iter().find(|own| own.text("optionId") == id)
        });
        option.map_or(id, |option| option.text("label")).to_owned()
    };
    match answer.at("value") {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => cx.strings.yes().to_owned(),
        Value::Bool(false) => cx.strings.no().to_owned(),
        Value::String(text) => called(text),
        Value::Number(number) => cx.written.number(number.as_f64().unwrap_or_default(), 2),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).map(called).collect::<Vec<_>>().join(", ")
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
pub(super) fn checkup(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("checkupId").to_owned();
    let output = cx.call(ApiCall::of("get_checkup").at("checkupId", &id))?;
    let checkup = output.at("checkup").clone();
    let client_id = checkup.text("clientId").to_owned();
    let client = cx.client(&client_id)?;
    let before = ApiCall::of("list_checkups")
        .with("clientId", &client_id)
        .with("formId", checkup.text("formId"))
        .with("limit", 20);
    let before = cx.call(before)?;
    let earlier = before.list("checkups").iter().find(|one| {
        one.has("submittedAt") && one.text("submittedAt") < checkup.text("submittedAt")
    });
    let last = match earlier {
        Some(one) => {
            Some(cx.call(ApiCall::of("get_checkup").at("checkupId", one.text("checkupId")))?)
        }
        None => None,
    };
    let questions = questions(cx, &checkup)?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = output.list("answers").iter().map(|answer| {
        let same = last.as_ref().and_then(|last| last.list("answers").iter().find(|own| own.text("questionId") == answer.text("questionId")));
        vec![
            html! { (answer.text("label")) },
            html! { b { (answered(cx, &client_id, answer, &questions)) } @if answer.is("flagged") { " " span.state.bad { (t.flagged()) } } },
            html! { span.quiet { (same.map(|same| answered(cx, &client_id, same, &questions)).unwrap_or_default()) } },
        ]
    }).collect();
    let at = || vec![("checkupId", id.clone())];
    let main = html! {
        section.card {
            (facts(vec![
                (t.client(), html! { a href={ "/console/clients/" (client_id) "/forms" } { (client) } }),
                (t.status(), state(cx, checkup.text("status"))),
                (t.submitted(), html! { (checkup.instant("submittedAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                (t.due(), html! { (checkup.instant("dueAt").map(|at| written.instant(at)).unwrap_or_default()) }),
            ]))
        }
        @if !rows.is_empty() { (table(t.answers(), &[t.question(), t.answer(), t.last_time()], rows)) }
        @if checkup.has("review") { section.card { h2 { (t.review()) } p { (checkup.text("review")) } } }
        @if checkup.text("status") == "submitted" {
            section.card { h2 { (t.review()) } (Form::about(cx, "review_checkup", at()).area("review", t.your_words()).send(t.review_it())) }
        }
    };
    let acts = html! {
        @if matches!(checkup.text("status"), "assigned" | "in_progress") {
            (disclosure(t.cancel(), Form::about(cx, "cancel_checkup", at()).danger(t.cancel())))
        }
    };
    Ok(View::new(checkup.text("formName"), main).acts(acts))
}
