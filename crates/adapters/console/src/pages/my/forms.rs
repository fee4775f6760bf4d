//! What a client hands in: forms, and files.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    field_kind::FieldKind,
    files::ANSWER,
    page_context::{ApiCall, PageContext},
    pages::documents::{document, file_form},
    parts::{
        fields::{Form, Upload, disclosure},
        format::JsonFields,
        lists::{empty, pager, state},
        measures,
        shell::View,
    },
    request_body,
};

/// `/my/forms`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let answer = cx.list(ApiCall::of("list_form_assignments").at("clientId", &own))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        @if answer.list("formAssignments").is_empty() { (empty(t.no_forms(), None)) }
        ul.rows.card {
            @for one in answer.list("formAssignments") {
                li {
                    span.grow { b { (one.text("formName")) } br; span.quiet { (one.text("message")) " " (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) } }
                    @if matches!(one.text("status"), "assigned" | "in_progress") { a.button href={ "/my/forms/" (one.text("assignmentId")) } { (t.fill_in()) } }
                    @else { (state(cx, one.text("status"))) }
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(t.forms(), main))
}

/// `/my/files`
pub(in crate::pages) fn files(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_documents"))?;
    let t = cx.strings;
    let main = html! {
        (disclosure(t.send_file(), file_form(cx, None)))
        @if answer.list("documents").is_empty() { (empty(t.no_files(), None)) }
        ul.rows.card { @for one in answer.list("documents") { (document(cx, one)) } }
        (pager(cx, &answer))
    };
    Ok(View::new(t.files(), main))
}

/// `/my/forms/{assignmentId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("assignmentId").to_owned());
    let mut answer =
        cx.call(ApiCall::of("get_form_draft").at("clientId", &own).at("assignmentId", &id))?;
    name_units(cx, &mut answer["questions"])?;
    let assignment = answer.at("formAssignment").clone();
    let t = cx.strings;
    let at = || vec![("clientId", own.clone()), ("assignmentId", id.clone())];
    let open = matches!(assignment.text("status"), "assigned" | "in_progress");
    let view: Vec<&str> = answer.list("draft.shown").iter().filter_map(Value::as_str).collect();
    // What was typed and not taken stands in place of what is kept.
    let mut answers = answer.at("draft.answers").clone();
    let typed = cx.typed("save_form_draft");
    if let (Some(kept), Some(typed)) = (answers.as_object_mut(), typed.at("answers").as_object()) {
        kept.extend(typed.clone());
    }
    let mut form = Form::about(cx, "save_form_draft", at());
    if answer.list("questions").iter().any(|question| question.text("type") == "file") {
        form = form.with_files();
    }
    for question in answer.list("questions") {
        if question.text("showWhen").is_empty() && !question.at("showWhen").is_object()
            || view.contains(&question.text("questionId"))
        {
            let place = format!("answers.{}", question.text("questionId"));
            form = form.with_label(&place, question.text("label"));
            form = form.content(question_field(cx, question, &answers));
        }
    }
    let main = html! {
        @if assignment.has("message") { p { (assignment.text("message")) } }
        @if open {
            section.card { (form.send(t.save_answers())) }
            @if answer.list("draft.missing").is_empty() {
                section.card { p { (if answer.at("draft.answers").as_object().is_some_and(|given| !given.is_empty()) { t.all_answered() } else { t.none_needed() }) } (Form::about(cx, "submit_form", at()).next("/my/forms").send(t.hand_in())) }
            } @else {
                p.quiet { (t.still_missing(&cx.written.count(answer.list("draft.missing").len() as i64))) }
            }
        } @else { p { (state(cx, assignment.text("status"))) } }
    };
    Ok(View::new(assignment.text("formName"), main))
}

/// Says of each question that asks for a measurement in which units it is answered.
pub(in crate::pages) fn name_units(
    cx: &mut PageContext<'_, '_>,
    questions: &mut Value,
) -> Result<()> {
    let all = questions.as_array_mut().into_iter().flatten();
    let mut request: Vec<_> = all.filter(|one| one.text("type") == "measurement").collect();
    if request.is_empty() {
        return Ok(());
    }
    let system = cx.units()?;
    let types = ApiCall::of("list_measurement_types").with("limit", 100);
    let types = cx.call_if_allowed(types)?.unwrap_or_default();
    for question in &mut request {
        let mut types = types.list("measurementTypes").iter();
        let kind = types.find(|own| own.text("type") == question.text("measurementType"));
        let units = kind.map(|own| measures::units(own, system)).unwrap_or_default();
        question["units"] = units.into();
    }
    Ok(())
}

/// A question with what was answered so far.
pub(in crate::pages) fn question_field(
    cx: &PageContext<'_, '_>,
    question: &Value,
    answers: &Value,
) -> Markup {
    let id = question.text("questionId");
    let name = format!("answers.{id}");
    let answer = answers.at(id);
    let text = || {
        answer.as_str().map_or_else(
            || if answer.is_null() { String::new() } else { answer.to_string() },
            str::to_owned,
        )
    };
    let chosen = |option: &str| {
        answer.as_str() == Some(option)
            || answer.as_array().is_some_and(|all| all.iter().any(|one| one == option))
    };
    let label = question.text("label");
    let t = cx.strings;
    let choices = |kind: &str| {
        html! {
            fieldset.field {
                legend { (label) }
                @if kind == "checkbox" { input type="hidden" name=(FieldKind::Choices.name_of(&name)) value=""; }
                @for option in question.list("options") {
                    label.check {
                        input type=(kind) name=(if kind == "checkbox" { FieldKind::Choices.name_of(&name) } else { name.clone() }) value=(option.text("optionId")) checked[chosen(option.text("optionId"))];
                        (option.text("label"))
                    }
                }
            }
        }
    };
    match question.text("type") {
        "statement" => html! { p { (label) } },
        "single_choice" => choices("radio"),
        "multi_choice" => choices("checkbox"),
        "boolean" | "consent" => html! {
            fieldset.field {
                legend { (label) }
                label.check { input type="radio" name=(FieldKind::Boolean.name_of(&name)) value="true" checked[answer == &Value::Bool(true)]; (t.yes()) }
                label.check { input type="radio" name=(FieldKind::Boolean.name_of(&name)) value="false" checked[answer == &Value::Bool(false)]; (t.no()) }
            }
        },
        "scale" => html! {
            fieldset.field {
                legend { (label) }
                div.times {
                    @for step in question.int("min")..=question.int("max").min(question.int("min") + 20) {
                        label.check { input type="radio" name=(FieldKind::Number.name_of(&name)) value=(step) checked[answer.as_f64() == Some(step as f64)]; (step) }
                    }
                }
            }
        },
        kind => {
            let (input, field) = match kind {
                "number" => ("number", FieldKind::Number.name_of(&name)),
                "date" => ("date", name.clone()),
                "measurement" => ("number", FieldKind::Number.name_of(format!("{name}.value"))),
                _ => ("text", name.clone()),
            };
            html! {
                div.field {
                    label for=(name) { (label) }
                    @if question.has("help") { p.help { (question.text("help")) } }
                    @if kind == "file" {
                        @if answer.has("fileId") {
                            p { a href={ (ANSWER) (cx.own_id()) "/" (answer.text("fileId")) } { (answer.text("fileName")) } }
                            input type="hidden" name={ (name) ".fileId" } value=(answer.text("fileId"));
                        }
                        p.help { (t.file_help()) }
                        input id=(name) type="file" name=(Upload::Answer.kind().name_of(&name)) accept=(Upload::Answer.accepts());
                    } @else { input id=(name) type=(input) step=[(input == "number").then_some("any")] name=(field) value=(if kind == "measurement" { answer.at("value").to_string().replace("null", "") } else { text() }); }
                    @if !question.list("units").is_empty() {
                        select name={ (request_body::UNIT) (name) } aria-label=(t.units()) {
                            @for unit in question.list("units").iter().filter_map(Value::as_str) {
                                option value=(unit) selected[answer.text("unit") == unit] { (unit) }
                            }
                        }
                    }
                }
            }
        }
    }
}
