//! Forms and check-ups: what is asked, and what was answered.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
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
    let say = cx.say;
    let pages = [("", say.forms(), ""), ("/checkups", say.checkups(), "")];
    lists::tabs(cx, (say.forms(), "/console/forms", here), &pages)
}

/// `/console/forms`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_forms"))?;
    let say = cx.say;
    let rows: Vec<Vec<Markup>> = answer.list("forms").iter().map(|form| {
        let at = || vec![("formId", form.text("formId").to_owned())];
        vec![
            html! { a href={ "/console/forms/" (form.text("formId")) } { b { (form.text("name")) } } @if form.has("description") { br; span.quiet { (form.text("description")) } } },
            html! { (say.term(form.text("kind"))) },
            html! { (form.int("version")) },
            state(cx, form.text("status")),
            html! {
                @if form.has("draftVersion") { (Form::about(cx, "publish_form", at()).button(say.publish())) }
                @if form.text("status") == "published" { (disclosure(say.archive(), Form::about(cx, "archive_form", at()).danger(say.archive()))) }
            },
        ]
    }).collect();
    let main = html! {
        (tabs(cx, ""))
        @if rows.is_empty() { (empty(say.no_forms(), None)) }
        @else { (table(say.forms(), &[say.name(), say.kind(), say.version(), say.status(), ""], rows)) (pager(cx, &answer)) }
    };
    let kinds = ["general", "intake", "checkup"].map(|word| (word, say.term(word)));
    let new = Form::of(cx, "create_form")
        .text("name", say.name())
        .area("description", say.about())
        .choice("kind", say.kind(), &kinds);
    let acts = html! {
        @if cx.may("create_form") { (disclosure(say.add_form(), new.next("/console/forms/{form.formId}").send(say.add_form()))) }
    };
    Ok(View::new(say.forms(), main).acts(acts))
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
    let say = cx.say;
    let at = || vec![("formId", id.clone())];
    let open = form.text("status") != "archived" && cx.may("update_form");
    let made = FormSource::of(&query, &["form.draftVersion", QUESTIONS], &answer);
    // The questions are written whole; each button writes what they would be after it.
    let written = |list: Vec<&Value>| {
        let list = Value::Array(list.into_iter().cloned().collect());
        let form = Form::about(cx, "update_form", at()).based_on(&made);
        form.hidden("questions:json", list.to_string())
    };
    let main = html! {
        p { (state(cx, form.text("status"))) " " span.quiet { (say.term(form.text("kind"))) } }
        @if form.has("draftVersion") && form.has("version") { div.notice.warn { (say.draft_waits()) } }
        @if all.is_empty() { p.quiet { (say.no_questions()) } }
        @for (place, question) in all.iter().enumerate() {
            section.card {
                p.quiet { (place + 1) " · " (say.term(question.text("type"))) @if question.is("required") { " · " (say.required_answer()) } }
                h2 { (question.text("label")) }
                @if question.has("help") { p { (question.text("help")) } }
                @if !question.list("options").is_empty() { ul { @for option in question.list("options") { li { (option.text("label")) @if option.is("flag") { " " span.state.bad { (say.flagged()) } } } } } }
                @if open {
                    div.buttons {
                        (disclosure(say.edit(), editor(cx, (at(), &made, &answer), Some(place), &measured)))
                        @if place > 0 { (written(swapped(&all, place, place - 1)).button(say.move_up())) }
                        @if place + 1 < all.len() { (written(swapped(&all, place, place + 1)).button(say.move_down())) }
                        (written(without(&all, place)).danger(say.remove()))
                    }
                }
            }
        }
        @if open { section.card { h2 { (say.add_question()) } (editor(cx, (at(), &made, &answer), None, &measured)) } }
        (disclosure(say.preview(), html! { section.card { @for question in &view { (super::my::forms::asked(cx, question, &Value::Null)) } } }))
    };
    let acts = html! {
        @if form.has("draftVersion") && open { (Form::about(cx, "publish_form", at()).send(say.publish())) }
        @if open { (disclosure(say.edit(), Form::about(cx, "update_form", at()).from(&form).text("name", say.name()).area("description", say.about()).send(say.save()))) }
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
    let (say, all) = (cx.say, answer.list(QUESTIONS));
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
    let form = form.hidden("questions:question", list).from(&record);
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
        None => form.choice(
            "question.type",
            say.question_type(),
            &types.map(|word| (word, say.term(word))),
        ),
    };
    let mut form = form
        .text("question.label", say.question())
        .area("question.help", say.help_text())
        .check("question.required", say.required_answer());
    if of(&["single_choice", "multi_choice"]) {
        form = form.area_helped("question.options", say.options(), say.question_options_help());
    }
    if of(&["number", "scale", "multi_choice"]) {
        form = form.text("question.min", say.least()).text("question.max", say.most());
    }
    if of(&["measurement"]) {
        form = form.choice("question.measurementType", say.measured(), measured);
    }
    let before = &all[..place.unwrap_or(all.len())];
    let mut earlier: Vec<(&str, &str)> =
        before.iter().map(|one| (one.text("questionId"), one.text("label"))).collect();
    if part.text("shownIf") == "-" {
        earlier.insert(0, ("-", say.standing()));
    }
    if !earlier.is_empty() {
        form = form
            .choice("question.shownIf", say.shown_if(), &earlier)
            .text("question.shownValue", say.shown_value());
    }
    form.send(if place.is_some() { say.save() } else { say.add_question() })
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
        @else { (table(say.checkups(), &[say.client(), say.form(), say.when(), say.status()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(say.checkups(), main))
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
        Value::Bool(true) => cx.say.yes().to_owned(),
        Value::Bool(false) => cx.say.no().to_owned(),
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
    let (say, written) = (cx.say, &cx.written);
    let rows: Vec<Vec<Markup>> = output.list("answers").iter().map(|answer| {
        let same = last.as_ref().and_then(|last| last.list("answers").iter().find(|own| own.text("questionId") == answer.text("questionId")));
        vec![
            html! { (answer.text("label")) },
            html! { b { (answered(cx, &client_id, answer, &questions)) } @if answer.is("flagged") { " " span.state.bad { (say.flagged()) } } },
            html! { span.quiet { (same.map(|same| answered(cx, &client_id, same, &questions)).unwrap_or_default()) } },
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
            (disclosure(say.cancel(), Form::about(cx, "cancel_checkup", at()).danger(say.cancel())))
        }
    };
    Ok(View::new(checkup.text("formName"), main).acts(acts))
}
