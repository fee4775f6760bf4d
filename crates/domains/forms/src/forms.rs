//! Forms: written, published, archived.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Query, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Many, Patch, Problem, Result, Rule, Timestamp, number,
    text::{Name, Text},
};
use spotter_store::{Json, List, filters, lists, params, statements};

use crate::{
    form::{self, Form, FormId, FormKind, FormStatus},
    question::{QUESTIONS_MAX, Question, QuestionType, checked},
    rules::FormRule,
};

/// Most forms of a company that are not archived.
const FORMS_MAX: i64 = 500;
/// Most versions of a form.
const VERSIONS_MAX: i64 = 1_000;
/// Most questions that all versions of a form have had together.
const IDS_MAX: usize = 2_000;

listed!(Forms { forms: Form });

filters! {
    struct Filters {
        /// Forms in this status.
        status: FormStatus => "status = ?";
        /// Forms of this kind.
        kind: FormKind => "kind = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_forms(cx: &mut Read, ListQuery(wanted, page): ListQuery<Filters>) -> Result<Forms> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(FormPath { form_id: FormId });

/// The version to return.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct VersionFilter {
    /// A version of the form; the newest that was published when absent, or else the one that is being written.
    #[serde(deserialize_with = "version")]
    #[schemars(range(min = 1, max = 1000))]
    version: Option<i64>,
}

fn version<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::deserialize_within(d, 1..=VERSIONS_MAX).map(Some)
}

/// The questions of a version of a form.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FormVersion {
    /// Version number, from 1.
    version: i64,
    /// When it was published; null of the one that is being written.
    published_at: Option<Timestamp>,
    questions: Vec<Question>,
}

answer!(FormAnswer {
    form: Form,
    /// A version of the form.
    form_version: FormVersion,
});

fn view(form: Form, of: form::FormVersion) -> FormAnswer {
    let form::FormVersion { version, questions, published_at } = of;
    FormAnswer { form, form_version: FormVersion { version, published_at, questions } }
}

fn get_form(
    cx: &mut Read,
    Path(at): Path<FormPath>,
    Query(which): Query<VersionFilter>,
) -> Result<FormAnswer> {
    let form = Form::find(cx, at.form_id)?;
    let newest = form.version.or(form.draft_version).unwrap_or(1);
    let of = Form::at_version(cx, form.form_id, which.version.unwrap_or(newest))?;
    Ok(view(form, of))
}

/// Refuses questions that cannot be asked of a form's clients.
fn checked_for(cx: &mut Read, kind: FormKind, questions: &[Question]) -> Result<()> {
    checked(questions)?;
    for (number, question) in questions.iter().enumerate() {
        if let Some(measured) = &question.measurement_type {
            let field = format!("questions[{number}].measurementType");
            if kind == FormKind::General {
                return Err(Problem::invalid(&field, FormRule::HealthOfGeneral));
            }
            cx.activity()?.check_type(cx, measured, &field)?;
        }
    }
    Ok(())
}

/// The form to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewForm {
    /// Display name.
    name: Name<120>,
    /// Purpose.
    description: Option<Text<2000>>,
    /// Kind; it cannot be changed.
    kind: FormKind,
    /// Questions in order.
    #[serde(default)]
    questions: Many<Question, 0, QUESTIONS_MAX>,
}

fn create_form(cx: &mut Write, Body(new): Body<NewForm>) -> Result<FormAnswer> {
    checked_for(cx, new.kind, &new.questions)?;
    let there: Option<(i64,)> = cx.one(COUNT, params![])?;
    if there.is_some_and(|(count,)| count >= FORMS_MAX) {
        return Err(Problem::conflict("name", FormRule::TooManyForms { max: FORMS_MAX }));
    }
    let (created_by_type, created_by) = cx.maker();
    let form = Form {
        form_id: FormId(cx.new_id()),
        name: new.name.into(),
        description: new.description.map(Into::into),
        kind: new.kind,
        status: FormStatus::Draft,
        version: None,
        draft_version: Some(1),
        question_types: Json(BTreeMap::new()),
        created_by_type,
        created_by,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    form.insert(cx, &new.questions)?;
    let questions = new.questions.into_vec();
    Ok(view(form, form::FormVersion { version: 1, questions, published_at: None }))
}

/// The fields of a form to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct FormChanges {
    name: Change<Name<120>>,
    description: Patch<Text<2000>>,
    /// All questions in order; replaces the draft. Clients see them after publication.
    questions: Change<Many<Question, 0, QUESTIONS_MAX>>,
}

/// A form that can be changed.
fn writable(cx: &mut Read, id: FormId) -> Result<Form> {
    let form = Form::find(cx, id)?;
    match form.status {
        FormStatus::Archived => Err(Problem::conflict("status", Rule::Archived)),
        FormStatus::Draft | FormStatus::Published => Ok(form),
    }
}

fn update_form(
    cx: &mut Write,
    Path(at): Path<FormPath>,
    Body(change): Body<FormChanges>,
) -> Result<FormAnswer> {
    let before = writable(cx, at.form_id)?;
    let mut form = before.clone();
    change.name.apply(&mut form.name);
    change.description.map(Into::into).apply(&mut form.description);
    let last = before.draft_version.or(before.version).unwrap_or(1);
    let mut of = Form::at_version(cx, form.form_id, last)?;
    let mut more: &[&str] = &[];
    if let Some(questions) = change.questions.value().map(Many::into_vec)
        && questions != of.questions
    {
        checked_for(cx, form.kind, &questions)?;
        form.check_types(&questions)?;
        if before.draft_version.is_none() {
            if last >= VERSIONS_MAX {
                return Err(Problem::conflict(
                    "questions",
                    FormRule::TooManyVersions { max: VERSIONS_MAX },
                ));
            }
            of.version = last + 1;
            form.draft_version = Some(of.version);
        }
        (of.questions, of.published_at, more) = (questions, None, &["questions"]);
        form.draft(cx, &of.questions)?;
    }
    form.save(cx, &before, more)?;
    Ok(view(form, of))
}

fn publish_form(cx: &mut Write, Path(at): Path<FormPath>) -> Result<FormAnswer> {
    let before = writable(cx, at.form_id)?;
    let mut form = before.clone();
    let last = before.draft_version.or(before.version).unwrap_or(1);
    let mut of = Form::at_version(cx, form.form_id, last)?;
    if before.draft_version.is_none() {
        form.save(cx, &before, &[])?;
        return Ok(view(form, of));
    }
    if !of.questions.iter().any(Question::is_presentable) {
        return Err(Problem::conflict("questions", FormRule::NothingAsked));
    }
    let types = of.questions.iter().map(|one| (one.question_id.to_string(), one.r#type));
    form.question_types.0.extend(types.collect::<BTreeMap<String, QuestionType>>());
    if form.question_types.0.len() > IDS_MAX {
        return Err(Problem::conflict("questions", FormRule::TooManyQuestionIds { max: IDS_MAX }));
    }
    (form.status, form.version, form.draft_version) = (FormStatus::Published, Some(last), None);
    form.publish_draft(cx, last)?;
    form.save(cx, &before, &[])?;
    of.published_at = Some(cx.now());
    Ok(view(form, of))
}

fn archive_form(cx: &mut Write, Path(at): Path<FormPath>) -> Result<FormAnswer> {
    let before = Form::find(cx, at.form_id)?;
    let mut form = before.clone();
    form.status = FormStatus::Archived;
    form.save(cx, &before, &[])?;
    let last = form.version.or(form.draft_version).unwrap_or(1);
    let of = Form::at_version(cx, form.form_id, last)?;
    Ok(view(form, of))
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/forms", FormsRead, list_forms)
            .summary("List forms")
            .describe("Returns forms newest first, without their questions."),
        operation!(GET "/forms/{formId}", FormsRead, get_form).summary("Get a form").describe(
            "Returns a form with the questions of one version. A published version never \
                 changes.",
        ),
        operation!(app POST "/forms", Coach, create_form)
            .success(Success::Added)
            .summary("Create a form")
            .describe("Creates a draft. It can be assigned once it is published.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(app PATCH "/forms/{formId}", Coach, update_form)
            .summary("Update a form")
            .describe(
                "Changes the draft. Published questions stay unchanged in their version; changes \
                 become the next one. A question keeps its `questionId` and type; a different \
                 type needs a different id.",
            )
            .fails(&[Key::ApiError]),
        operation!(app POST "/forms/{formId}/publish", Coach, publish_form)
            .success(Success::Published)
            .summary("Publish a form")
            .describe(
                "Publishes the draft as a new version. Existing assignments keep their version.",
            )
            .fails(&[Key::ApiError]),
        operation!(app POST "/forms/{formId}/archive", Coach, archive_form)
            .success(Success::Archived)
            .summary("Archive a form")
            .describe(
                "Prevents new assignments and ends recurring check-ups with it. Existing \
                 assignments can still be answered.",
            ),
    ])
}

lists! {
    /// Every form, newest first; a company has few.
    LIST: List<Form, Filters> = List::new("form WHERE company_id = ?1", "form_id DESC");
}

statements! {
    COUNT = "SELECT COUNT(*) FROM form WHERE company_id = ?1 AND status <> 'archived'";
}
