//! A client's forms and files.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    api::{self, Answer, FormVersionQuestion as Question, List},
    field_kind::FieldKind,
    files::ANSWER,
    page_context::PageContext,
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
    let answer = cx.list(api::list_form_assignments(&own))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        @if answer.form_assignments().is_empty() { (empty(t.no_forms(), None)) }
        ul.rows.card {
            @for one in answer.form_assignments() {
                li {
                    span.grow {
                        b { (one.form_name()) }
                        br;
                        span.quiet { (one.message()) " " (written.instant(one.created_at())) }
                    }
                    @if matches!(one.status(), "assigned" | "in_progress") {
                        a.button href={ "/my/forms/" (one.assignment_id()) } { (t.fill_in()) }
                    } @else {
                        (state(cx, one.status()))
                    }
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(t.forms(), main))
}

/// `/my/files`
pub(in crate::pages) fn files(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_documents())?;
    let t = cx.strings;
    let main = html! {
        (disclosure(t.send_file(), file_form(cx, None)))
        @if answer.documents().is_empty() { (empty(t.no_files(), None)) }
        ul.rows.card { @for one in answer.documents() { (document(cx, one)) } }
        (pager(cx, &answer))
    };
    Ok(View::new(t.files(), main))
}

/// `/my/forms/{assignmentId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("assignmentId").to_owned());
    let answer = cx.call(api::get_form_draft(&own, &id))?;
    let units = MeasuredUnits::read(cx, answer.questions())?;
    let assignment = answer.form_assignment();
    let t = cx.strings;
    let open = matches!(assignment.status(), "assigned" | "in_progress");
    let view: Vec<&str> = answer.draft().shown().iter().collect();
    // Refused values replace saved ones.
    let mut answers = answer.draft().answers().clone();
    let typed = cx.typed("save_form_draft");
    if let (Some(kept), Some(typed)) = (answers.as_object_mut(), typed["answers"].as_object()) {
        kept.extend(typed.clone());
    }
    let mut form = Form::of(cx, api::save_form_draft(&own, &id));
    if answer.questions().iter().any(|question| question.r#type() == "file") {
        form = form.with_files();
    }
    for question in answer.questions() {
        if question.show_when().is_null() || view.contains(&question.question_id()) {
            let place = format!("answers.{}", question.question_id());
            form = form.with_label(&place, question.label());
            form = form.content(question_field(cx, question, &units, &answers));
        }
    }
    let main = html! {
        @if !assignment.message().is_empty() { p { (assignment.message()) } }
        @if open {
            section.card { (form.send(t.save_answers())) }
            @if answer.draft().missing().is_empty() {
                section.card {
                    p {
                        (if answer
                            .draft()
                            .answers()
                            .as_object()
                            .is_some_and(|given| !given.is_empty())
                        {
                            t.all_answered()
                        } else {
                            t.none_needed()
                        })
                    }
                    (Form::of(cx, api::submit_form(&own, &id)).next("/my/forms").send(t.hand_in()))
                }
            } @else {
                p.quiet {
                    (t.still_missing(&cx.written.count(answer.draft().missing().len() as i64)))
                }
            }
        } @else {
            p { (state(cx, assignment.status())) }
        }
    };
    Ok(View::new(assignment.form_name(), main))
}

/// In which units questions that ask for a measurement are answered.
pub(in crate::pages) struct MeasuredUnits {
    types: Answer<api::ListMeasurementTypes>,
    system: &'static str,
}

impl MeasuredUnits {
    /// The units for some questions; nothing is read where none asks for a measurement.
    pub(in crate::pages) fn read(
        cx: &mut PageContext<'_, '_>,
        questions: List<'_, Question<'_>>,
    ) -> Result<Self> {
        if questions.iter().all(|question| question.r#type() != "measurement") {
            return Ok(Self { types: Answer::default(), system: "metric" });
        }
        let system = cx.units()?;
        let types = cx.call_or_empty(api::list_measurement_types().limit(100))?;
        Ok(Self { types, system })
    }

    /// The units for a question, the one that is offered first at first.
    fn of(&self, question: Question<'_>) -> Vec<&str> {
        if question.r#type() != "measurement" {
            return Vec::new();
        }
        let mut types = self.types.measurement_types().iter();
        let own = types.find(|own| own.r#type() == question.measurement_type());
        own.map(|own| measures::units(own, self.system)).unwrap_or_default()
    }
}

/// A question with its present answer.
pub(in crate::pages) fn question_field(
    cx: &PageContext<'_, '_>,
    question: Question<'_>,
    units: &MeasuredUnits,
    answers: &Value,
) -> Markup {
    let id = question.question_id();
    let units = units.of(question);
    let name = format!("answers.{id}");
    let answer = &answers[id];
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
    let label = question.label();
    let t = cx.strings;
    let choices = |kind: &str| {
        html! {
            fieldset.field {
                legend { (label) }
                @if kind == "checkbox" {
                    input type="hidden" name=(FieldKind::Choices.name_of(&name)) value="";
                }
                @for option in question.options() {
                    label.check {
                        input
                            type=(kind)
                            name=(if kind == "checkbox" {
                                FieldKind::Choices.name_of(&name)
                            } else {
                                name.clone()
                            })
                            value=(option.option_id())
                            checked[chosen(option.option_id())];
                        (option.label())
                    }
                }
            }
        }
    };
    match question.r#type() {
        "statement" => html! { p { (label) } },
        "single_choice" => choices("radio"),
        "multi_choice" => choices("checkbox"),
        "boolean" | "consent" => html! {
            fieldset.field {
                legend { (label) }
                label.check {
                    input
                        type="radio"
                        name=(FieldKind::Boolean.name_of(&name))
                        value="true"
                        checked[answer == &Value::Bool(true)];
                    (t.yes())
                }
                label.check {
                    input
                        type="radio"
                        name=(FieldKind::Boolean.name_of(&name))
                        value="false"
                        checked[answer == &Value::Bool(false)];
                    (t.no())
                }
            }
        },
        "scale" => {
            let least = question.min().unwrap_or_default() as i64;
            let most = question.max().unwrap_or_default() as i64;
            html! {
                fieldset.field {
                    legend { (label) }
                    div.times {
                        @for step in least..=most.min(least + 20) {
                            label.check {
                                input
                                    type="radio"
                                    name=(FieldKind::Number.name_of(&name))
                                    value=(step)
                                    checked[answer.as_f64() == Some(step as f64)];
                                (step)
                            }
                        }
                    }
                }
            }
        }
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
                    @if !question.help().is_empty() { p.help { (question.help()) } }
                    @if kind == "file" {
                        @if !answer.text("fileId").is_empty() {
                            p {
                                a href={ (ANSWER) (cx.own_id()) "/" (answer.text("fileId")) } {
                                    (answer.text("fileName"))
                                }
                            }
                            input
                                type="hidden"
                                name={ (name) ".fileId" }
                                value=(answer.text("fileId"));
                        }
                        p.help { (t.file_help()) }
                        input
                            id=(name)
                            type="file"
                            name=(Upload::Answer.kind().name_of(&name))
                            accept=(Upload::Answer.accepts());
                    } @else {
                        input
                            id=(name)
                            type=(input)
                            step=[(input == "number").then_some("any")]
                            name=(field)
                            value=(if kind == "measurement" {
                                answer["value"].to_string().replace("null", "")
                            } else {
                                text()
                            });
                    }
                    @if !units.is_empty() {
                        select name={ (request_body::UNIT) (name) } aria-label=(t.units()) {
                            @for unit in &units {
                                option value=(unit) selected[answer.text("unit") == *unit] {
                                    (unit)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
