//! Forms and check-ups: questions and answers.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::my::forms::{MeasuredUnits, question_field};
use crate::{
    api::{self, Answer, FormVersionQuestion as Question, Json, List},
    field_kind::FieldKind,
    files::ANSWER,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{self, empty, facts, pager, state, swapped, table, without},
        measures,
        shell::View,
    },
    record_version::FormSource,
};

fn tabs(cx: &PageContext<'_, '_>, here: &str) -> Markup {
    let t = cx.strings;
    let pages = [("", t.forms(), ""), ("/checkups", t.checkups(), "")];
    lists::tabs(cx, t.forms(), "/console/forms", here, &pages)
}

/// `/console/forms`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_forms())?;
    let t = cx.strings;
    let rows: Vec<Vec<Markup>> = answer
        .forms()
        .iter()
        .map(|form| {
            vec![
                html! {
                    a href={ "/console/forms/" (form.form_id()) } { b { (form.name()) } }
                    @if !form.description().is_empty() { br; span.quiet { (form.description()) } }
                },
                html! { (t.term(form.kind())) },
                html! { (form.version().unwrap_or_default()) },
                state(cx, form.status()),
                html! {
                    @if form.draft_version().is_some() {
                        (Form::of(cx, api::publish_form(form.form_id())).button(t.publish()))
                    }
                    @if form.status() == "published" {
                        (disclosure(
                            t.archive(),
                            Form::of(cx, api::archive_form(form.form_id())).danger(t.archive()),
                        ))
                    }
                },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, ""))
        @if rows.is_empty() {
            (empty(t.no_forms(), None))
        } @else {
            (table(t.forms(), &[t.name(), t.kind(), t.version(), t.status(), ""], rows))
            (pager(cx, &answer))
        }
    };
    let kinds = ["general", "intake", "checkup"].map(|word| (word, t.term(word)));
    let new = Form::of(cx, api::create_form())
        .text("name", t.name())
        .area("description", t.about())
        .choice("kind", t.kind(), &kinds);
    let acts = html! {
        @if cx.may(api::CreateForm) {
            (disclosure(t.add_form(), new.next("/console/forms/{form.formId}").send(t.add_form())))
        }
    };
    Ok(View::new(t.forms(), main).acts(acts))
}

/// Where an answer has the questions of a form.
const QUESTIONS: &str = "formVersion.questions";

/// `/console/forms/{formId}`: its questions, each to be changed, moved and taken out; and what clients will see.
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("formId").to_owned();
    let mut query = api::get_form(&id);
    let mut answer = cx.call(query.clone())?;
    // The draft is edited; the published version is shown beside it.
    if let Some(draft) = answer.form().draft_version() {
        query = query.version(draft);
        answer = cx.call(query.clone())?;
    }
    let form = answer.form();
    let questions = answer.form_version().questions();
    let units = MeasuredUnits::read(cx, questions)?;
    let all: Vec<_> = questions.iter().collect();
    let types = cx.call_or_empty(api::list_measurement_types().limit(100))?;
    let measured: Vec<(String, String)> = types
        .measurement_types()
        .iter()
        .map(|one| (one.r#type().to_owned(), measures::label(cx.strings, one).to_owned()))
        .collect();
    let t = cx.strings;
    let open = form.status() != "archived" && cx.may(api::UpdateForm);
    let made = FormSource::of(&query, &["form.draftVersion", QUESTIONS], &answer);
    // The questions are written whole; each button writes what they would be after it.
    let written = |list: Vec<&Question<'_>>| {
        let list = Value::Array(list.into_iter().map(|own| own.json().clone()).collect());
        let form = Form::of(cx, api::update_form(&id)).based_on(&made);
        form.hidden(&FieldKind::Json.name_of("questions"), list.to_string())
    };
    let main = html! {
        p { (state(cx, form.status())) " " span.quiet { (t.term(form.kind())) } }
        @if form.draft_version().is_some() && form.version().is_some() {
            div.notice.warn { (t.draft_waits()) }
        }
        @if all.is_empty() { p.quiet { (t.no_questions()) } }
        @for (place, question) in all.iter().enumerate() {
            section.card {
                p.quiet {
                    (place + 1) " · " (t.term(question.r#type()))
                    @if question.required() { " · " (t.required_answer()) }
                }
                h2 { (question.label()) }
                @if !question.help().is_empty() { p { (question.help()) } }
                @if !question.options().is_empty() {
                    ul {
                        @for option in question.options() {
                            li {
                                (option.label())
                                @if option.flag() == Some(true) {
                                    " "
                                    span.state.bad { (t.flagged()) }
                                }
                            }
                        }
                    }
                }
                @if open {
                    div.buttons {
                        (disclosure(
                            t.edit(),
                            editor(cx, &id, &made, questions, Some(place), &measured),
                        ))
                        @if place > 0 {
                            (written(swapped(&all, place, place - 1)).button(t.move_up()))
                        }
                        @if place + 1 < all.len() {
                            (written(swapped(&all, place, place + 1)).button(t.move_down()))
                        }
                        (written(without(&all, place)).danger(t.remove()))
                    }
                }
            }
        }
        @if open {
            section.card {
                h2 { (t.add_question()) }
                (editor(cx, &id, &made, questions, None, &measured))
            }
        }
        (disclosure(t.preview(), html! {
            section.card {
                @for question in &all { (question_field(cx, *question, &units, &Value::Null)) }
            }
        }))
    };
    let acts = html! {
        @if form.draft_version().is_some() && open {
            (Form::of(cx, api::publish_form(&id)).send(t.publish()))
        }
        @if open {
            (disclosure(
                t.edit(),
                Form::of(cx, api::update_form(&id))
                    .from(form)
                    .text("name", t.name())
                    .area("description", t.about())
                    .send(t.save()),
            ))
        }
    };
    Ok(View::new(form.name(), main).acts(acts))
}

/// The form of a question: an existing or a new one.
fn editor(
    cx: &PageContext<'_, '_>,
    form_id: &str,
    made: &FormSource,
    questions: List<'_, Question<'_>>,
    place: Option<usize>,
    measured: &[(String, String)],
) -> Markup {
    let t = cx.strings;
    let own = place.and_then(|place| questions.get(place));
    let kind = own.map_or("", |own| own.r#type());
    let is_conditional = own.is_some_and(|own| !own.show_when().is_null());
    let mut part = serde_json::json!({"type": "text"});
    if let Some(own) = own {
        part = own.json().clone();
        part["options"] = crate::questions::lines(own.json()).into();
        part["shownIf"] = if is_conditional { "-".into() } else { Value::Null };
    }
    let record = serde_json::json!({"question": part});
    let list: Vec<_> = questions.iter().map(|own| own.json()).collect();
    let list = serde_json::json!(list).to_string();
    let name = place.map_or_else(|| "new".to_owned(), |place| place.to_string());
    let form = Form::with_key(cx, &name, api::update_form(form_id)).based_on(made);
    let form = form.hidden(&FieldKind::Question.name_of("questions"), list).from(&record);
    let of = |kinds: &[&str]| place.is_none() || kinds.contains(&kind);
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
    let before = questions.iter().take(place.unwrap_or(questions.len()));
    let mut earlier: Vec<(&str, &str)> =
        before.map(|one| (one.question_id(), one.label())).collect();
    if is_conditional {
        earlier.insert(0, ("-", t.as_it_is_now()));
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
    let answer = cx.list(api::list_checkups().status(&status))?;
    cx.know_clients(answer.checkups().iter().map(|one| one.client_id()))?;
    let mut rows = Vec::new();
    for checkup in answer.checkups() {
        let client = cx.client(checkup.client_id())?;
        let written = &cx.written;
        rows.push(vec![
            html! { a href={ "/console/forms/checkups/" (checkup.checkup_id()) } { (client) } },
            html! { (checkup.form_name()) },
            html! { (written.instant(checkup.submitted_at().or(Some(checkup.created_at())))) },
            html! {
                (state(cx, checkup.status()))
                @if checkup.flagged() { " " span.state.bad { (cx.strings.flagged()) } }
            },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/checkups"))
        form.filters method="get" {
            label {
                (t.status())
                select name="status" {
                    option value="" { (t.all()) }
                    @for word in [
                        "assigned",
                        "in_progress",
                        "submitted",
                        "reviewed",
                        "cancelled",
                        "expired",
                    ]
                    {
                        option value=(word) selected[word == status] { (t.term(word)) }
                    }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.nothing_waits(), None))
        } @else {
            (table(t.checkups(), &[t.client(), t.form(), t.when(), t.status()], rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.checkups(), main))
}

/// The questions of the version of a form that was answered, by which options are called what they were.
pub(super) fn questions(
    cx: &mut PageContext<'_, '_>,
    form_id: &str,
    version: i64,
) -> Result<Answer<api::GetForm>> {
    cx.call_or_empty(api::get_form(form_id).version(version))
}

/// An answer as text: options by their label.
pub(super) fn answered(
    cx: &PageContext<'_, '_>,
    client: &str,
    answer: api::FormAnswer<'_>,
    questions: List<'_, Question<'_>>,
) -> Markup {
    // A value is of the type of its question; a file is an object.
    let value = answer.value();
    match value.text("fileId") {
        "" => html! { (written_out(cx, answer, questions)) },
        file => html! {
            a href={ (ANSWER) (client) "/" (file) } data-hx-boost="false" {
                (value.text("fileName"))
            }
        },
    }
}

fn written_out(
    cx: &PageContext<'_, '_>,
    answer: api::FormAnswer<'_>,
    questions: List<'_, Question<'_>>,
) -> String {
    let question = questions.iter().find(|own| own.question_id() == answer.question_id());
    let called = |id: &str| {
        let option = question
            .and_then(|question| question.options().iter().find(|own| own.option_id() == id));
        option.map_or(id, |option| option.label()).to_owned()
    };
    match answer.value() {
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

/// `/console/forms/checkups/{checkupId}`: the answers beside the previous ones.
pub(super) fn checkup(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("checkupId").to_owned();
    let output = cx.call(api::get_checkup(&id))?;
    let checkup = output.checkup();
    let client_id = checkup.client_id().to_owned();
    let client = cx.client(&client_id)?;
    let before = api::list_checkups().client_id(&client_id).form_id(checkup.form_id()).limit(20);
    let before = cx.call(before)?;
    let earlier = before
        .checkups()
        .iter()
        .find(|one| one.submitted_at().is_some() && one.submitted_at() < checkup.submitted_at());
    let last = match earlier {
        Some(one) => Some(cx.call(api::get_checkup(one.checkup_id()))?),
        None => None,
    };
    let questions = questions(cx, checkup.form_id(), checkup.form_version())?;
    let questions = questions.form_version().questions();
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = output.answers().iter().map(|answer| {
        let earlier = last.iter().flat_map(|last| last.answers());
        let same = earlier.into_iter().find(|own| own.question_id() == answer.question_id());
        vec![
            html! { (answer.label()) },
            html! {
                b { (answered(cx, &client_id, answer, questions)) }
                @if answer.flagged() { " " span.state.bad { (t.flagged()) } }
            },
            html! {
                span.quiet {
                    (same.map(|same| answered(cx, &client_id, same, questions)).unwrap_or_default())
                }
            },
        ]
    }).collect();
    let main = html! {
        section.card {
            (facts(vec![
                (t.client(), html! {
                    a href={ "/console/clients/" (client_id) "/forms" } { (client) }
                }),
                (t.status(), state(cx, checkup.status())),
                (t.submitted(), html! { (written.instant(checkup.submitted_at())) }),
                (t.due(), html! { (written.instant(checkup.due_at())) }),
            ]))
        }
        @if !rows.is_empty() {
            (table(t.answers(), &[t.question(), t.answer(), t.last_time()], rows))
        }
        @if !checkup.review().is_empty() {
            section.card { h2 { (t.review()) } p { (checkup.review()) } }
        }
        @if checkup.status() == "submitted" {
            section.card {
                h2 { (t.review()) }
                (Form::of(cx, api::review_checkup(&id))
                    .area("review", t.your_words())
                    .send(t.review_it()))
            }
        }
    };
    let acts = html! {
        @if matches!(checkup.status(), "assigned" | "in_progress") {
            (disclosure(t.cancel(), Form::of(cx, api::cancel_checkup(&id)).danger(t.cancel())))
        }
    };
    Ok(View::new(checkup.form_name(), main).acts(acts))
}
