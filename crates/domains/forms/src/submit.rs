//! Answering: a client reads the questions, saves a draft, and submits it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, OptionalBody, Path, Read, Success, Write, answer, operation};
use spotter_kernel::{Event, Key, Locale, Phrase, Problem, Result, Rule, Timestamp};
use spotter_store::Json;

use crate::{
    answer::{Measure, MissingAnswer, SubmittedAnswers, is_flagged, missing, relevant, wrong},
    assign::AssignmentPath,
    assignment::{Assignment, AssignmentStatus, AssignmentView, SubmissionId},
    draft::{self, AnswerDraft},
    file::FormFile,
    form::Form,
    question::{Answers, Question, QuestionType, visible},
    submission::{AnsweredQuestion, Submission},
};

/// Saved answers that are not submitted yet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FormDraft {
    /// Answers by question id.
    #[schemars(with = "SubmittedAnswers")]
    answers: Answers,
    /// When they were saved; null before the first save.
    saved_at: Option<Timestamp>,
    /// The ids of the questions that are shown with these answers, in order.
    #[serde(rename = "shown")]
    visible: Vec<String>,
    /// Required questions without an answer.
    missing: Vec<MissingAnswer>,
}

impl FormDraft {
    fn of(questions: &[Question], draft: Option<AnswerDraft>, locale: Locale) -> Self {
        let saved_at = draft.as_ref().map(|draft| draft.saved_at);
        let answers = draft.map(|draft| draft.answers.0).unwrap_or_default();
        let view = visible(questions, &answers);
        Self {
            visible: view.iter().map(|question| question.question_id.to_string()).collect(),
            missing: missing(questions, &answers)
                .into_iter()
                .map(|(question_id, rule)| MissingAnswer {
                    question_id,
                    rule: Phrase::from(rule).text(locale).to_owned(),
                })
                .collect(),
            answers,
            saved_at,
        }
    }
}

answer!(DraftAnswer {
    form_assignment: AssignmentView,
    /// Questions of the assigned version.
    questions: Vec<Question>,
    draft: FormDraft,
});

fn get_form_draft(cx: &mut Read, Path(at): Path<AssignmentPath>) -> Result<DraftAnswer> {
    let given = Assignment::find(cx, at.client_id, at.assignment_id)?;
    let version = Form::at_version(cx, given.form_id, given.form_version)?;
    let draft = draft::find(cx, given.assignment_id)?;
    let draft = FormDraft::of(&version.questions, draft, cx.caller().locale);
    let questions = match cx.by_staff() {
        true => version.questions,
        false => version.questions.into_iter().map(Question::for_clients).collect(),
    };
    Ok(DraftAnswer { form_assignment: given.into_view(), questions, draft })
}

/// Answers to save as a draft.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "FormDraftChanges")]
struct DraftAnswers {
    /// Answers by question id; absent questions are unanswered.
    answers: SubmittedAnswers,
}

answer!(SavedAnswer { form_assignment: AssignmentView, draft: FormDraft });

/// An assignment that can be answered, with its questions.
fn open(cx: &mut Read, at: &AssignmentPath) -> Result<(Assignment, Vec<Question>)> {
    let given = Assignment::find(cx, at.client_id, at.assignment_id)?;
    given.check_open()?;
    given.check_consent(cx)?;
    // Its timer may be late.
    if given.expires_at.is_some_and(|at| at <= cx.now()) {
        return Err(Problem::conflict("expiresAt", Rule::Passed));
    }
    let version = Form::at_version(cx, given.form_id, given.form_version)?;
    Ok((given, version.questions))
}

fn save_form_draft(
    cx: &mut Write,
    Path(at): Path<AssignmentPath>,
    Body(submitted): Body<DraftAnswers>,
) -> Result<SavedAnswer> {
    let (before, questions) = open(cx, &at)?;
    let answers = draft::checked(cx, &before, &questions, &submitted.answers.0)?;
    let mut given = before.clone();
    given.status = AssignmentStatus::InProgress;
    cx.set_audit_target("form_assignment", given.assignment_id, ["draft"]);
    let draft = draft::save(cx, &before, &questions, answers)?;
    given.save(cx, &before)?;
    let draft = FormDraft::of(&questions, Some(draft), cx.caller().locale);
    Ok(SavedAnswer { form_assignment: given.into_view(), draft })
}

/// The answers to submit.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "NewFormSubmission")]
struct NewSubmission {
    /// All answers, by the questions' ids; those that were saved when absent.
    answers: Option<SubmittedAnswers>,
}

answer!(SubmittedAnswer {
    form_assignment: AssignmentView,
    submission: Submission,
    /// Answers in the order of the form, without hidden and unanswered questions.
    answers: Vec<AnsweredQuestion>,
});

/// Records measurements of a submission; submitting again corrects them.
fn measure(cx: &mut Write, of: &Assignment, question: &Question, answers: &Answers) -> Result<()> {
    let Some(answer) = answers.get(&*question.question_id) else { return Ok(()) };
    let measure: Measure = serde_json::from_value(answer.clone()).map_err(Problem::internal)?;
    let external_id = format!("form:{}:{}", of.assignment_id, &*question.question_id);
    let measured = draft::measured(question, &measure);
    cx.activity()?.answered(cx, of.client_id, &measured, &external_id)
}

fn submit_form(
    cx: &mut Write,
    Path(at): Path<AssignmentPath>,
    OptionalBody(handed): OptionalBody<NewSubmission>,
) -> Result<SubmittedAnswer> {
    let (before, questions) = open(cx, &at)?;
    let answers = match handed.answers {
        Some(answers) => answers.0,
        None => {
            draft::find(cx, before.assignment_id)?.map(|draft| draft.answers.0).unwrap_or_default()
        }
    };
    let answers = draft::checked(cx, &before, &questions, &answers)?;
    if let Some((question, rule)) = missing(&questions, &answers).into_iter().next() {
        return Err(wrong(&question, rule));
    }
    let answers = relevant(&questions, &answers);
    for question in questions.iter().filter(|one| one.r#type == QuestionType::Measurement) {
        measure(cx, &before, question, &answers)?;
    }
    let is_flagged = |question: &Question| {
        answers.get(&*question.question_id).is_some_and(|answer| is_flagged(question, answer))
    };
    let (submitted_by_type, submitted_by) = cx.maker();
    let submission = Submission {
        client_id: before.client_id,
        submission_id: SubmissionId(cx.new_id()),
        assignment_id: before.assignment_id,
        form_id: before.form_id,
        form_version: before.form_version,
        form_name: before.form_name.clone(),
        kind: before.kind,
        flagged: questions.iter().any(is_flagged),
        answers: Json(answers),
        submitted_by_type,
        submitted_by,
        submitted_at: cx.now(),
    };
    FormFile::attach(
        cx,
        before.assignment_id,
        &draft::files(&questions, &submission.answers.0),
        true,
    )?;
    submission.insert(cx)?;
    draft::forget(cx, before.assignment_id)?;
    let mut given = before.clone();
    given.status = AssignmentStatus::Submitted;
    given.submission_id = Some(submission.submission_id);
    given.submissions += 1;
    given.submitted_at = Some(cx.now());
    given.flagged = submission.flagged;
    given.save(cx, &before)?;
    given.publish_submitted(cx, submission.submission_id)?;
    let answers = submission.answered(cx)?;
    Ok(SubmittedAnswer { form_assignment: given.into_view(), submission, answers })
}

/// Fields that clients do not see.
const STAFFS: &[&str] = &["flagged"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(app GET "/clients/{clientId}/form-assignments/{assignmentId}/draft", Coach, get_form_draft)
            .summary("Get a form draft")
            .describe("Returns the questions and the answers saved so far.")
            .for_client(&[]),
        operation!(app PUT "/clients/{clientId}/form-assignments/{assignmentId}/draft", Coach, save_form_draft)
            .about_health_by_record().summary("Save a form draft")
            .describe(
                "Saves all answers without submitting them: each must fit its question, and none \
                 is required. Returns which questions are shown and what is missing. Upload files \
                 to `POST /uploads` first.",
            )
            .for_client(&[])
            .fails(&[Key::ApiError, Key::NotFound, Key::ScopesHealthConsentRequired]),
        operation!(app POST "/clients/{clientId}/form-assignments/{assignmentId}/submit", Coach, submit_form)
            .success(Success::Submitted)
            .about_health_by_record().summary("Submit a form")
            .describe(
                "Submits the answers. Every required question that is shown must be answered; \
                 answers to hidden questions are dropped. Measured values become measurements of \
                 the client.",
            )
            .for_client(STAFFS)
            .emits(&[
                Event::FormSubmitted,
                Event::IntakeSubmitted,
                Event::CheckupSubmitted,
                Event::MeasurementCreated,
                Event::MeasurementUpdated,
                Event::GoalUpdated,
            ])
            .always(&[Event::FormSubmitted])
            .fails(&[Key::ApiError, Key::NotFound, Key::ScopesHealthConsentRequired]),
    ])
}
