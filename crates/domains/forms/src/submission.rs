//! Submissions: immutable answers to one version of a form.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use spotter_contract::{
    Area, ListQuery, Path, Read, Write, admission::Forms, answer, listed, operation, path,
};
use spotter_kernel::{Id, Key, Result, Timestamp, id::ClientId};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{
    Bind, Json, List, filters, lists, of_tally, params, record, statements, values,
};

use crate::{
    answer::is_flagged,
    assignment::{Assignment, AssignmentId, AssignmentOptions, SubmissionId},
    form::{Form, FormId, FormKind},
    question::{Answers, Question, QuestionType},
    rules::FormRule,
};

record! {
    /// A submitted form with its answers.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "FormSubmission")]
    pub struct Submission {
        /// Client who answered.
        pub client_id: ClientId,
        /// Id of the submission.
        pub submission_id: SubmissionId,
        /// Assignment that was answered.
        pub assignment_id: AssignmentId,
        pub form_id: FormId,
        /// The version that was answered.
        pub form_version: i64,
        /// Name of the form when it was assigned.
        pub form_name: String,
        /// Whether it is general, an intake or a check-up.
        pub kind: FormKind,
        /// Answers by question id.
        #[serde(skip)]
        pub answers: Json<Answers>,
        /// Whether an answer is flagged for a coach.
        pub flagged: bool,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
        pub submitted_by_type: String,
        pub submitted_by: Option<Id>,
        pub submitted_at: Timestamp,
    }
}

record! {
    /// A submitted form, without its answers.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct FormSubmissionSummary {
        client_id: ClientId,
        submission_id: SubmissionId,
        assignment_id: AssignmentId,
        form_id: FormId,
        form_version: i64,
        /// Name of the form when it was assigned.
        form_name: String,
        /// Whether an answer is flagged for a coach.
        flagged: bool,
        submitted_at: Timestamp,
    }
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FormAnswer")]
pub struct AnsweredQuestion {
    question_id: String,
    r#type: QuestionType,
    /// Text of the question.
    label: String,
    /// By the question's type: a text, a number, true or false, a date, an `optionId` or a list of them,
    /// `{value, unit}` or `{components, unit}` of a measurement, `{fileId, fileName, mediaType, sizeBytes}` of a file.
    value: Value,
    /// Whether the answer is flagged for a coach.
    flagged: bool,
}

/// The subject of the totals of a client's submissions of general forms.
pub const TALLY: &str = "form_submissions";

impl Submission {
    /// Inserts a new record.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.defer(INSERT, &self.params())?;
        if self.kind == FormKind::General {
            let subjects = BTreeSet::from([of_tally(TALLY, &[self.client_id.bind()])]);
            cx.recount(&BTreeSet::new(), &subjects)?;
        }
        Ok(())
    }

    /// A submission of an assignment: the given one, or the last.
    pub fn of(cx: &mut Read, of: &Assignment, id: Option<SubmissionId>) -> Result<Option<Self>> {
        let Some(id) = id.or(of.submission_id) else { return Ok(None) };
        let found: Option<Self> = cx.one(FIND, params![of.client_id, id])?;
        let found = found.filter(|found| found.assignment_id == of.assignment_id);
        found.map(Some).ok_or_else(|| Key::NotFound.into())
    }

    /// The answers, in the order of the questions.
    pub fn answered(&self, cx: &mut Read) -> Result<Vec<AnsweredQuestion>> {
        let version = Form::at_version(cx, self.form_id, self.form_version)?;
        let output = |question: &Question| {
            let value = self.answers.0.get(&*question.question_id)?.clone();
            Some(AnsweredQuestion {
                question_id: question.question_id.to_string(),
                r#type: question.r#type,
                label: question.label.to_string(),
                flagged: is_flagged(question, &value),
                value,
            })
        };
        Ok(version.questions.iter().filter_map(output).collect())
    }
}

listed!(Submissions { submissions: FormSubmissionSummary });

filters! {
    struct Filters {
        /// Submissions of this form.
        form_id: FormId => "form_id = ?";
        /// Submitted at or after this instant.
        submitted_from: Timestamp => "submitted_at >= ?";
    }
}

fn list_form_submissions(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Submissions> {
    Client::find(cx, at.client_id)?;
    Ok(cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?.into())
}

path!(SubmissionPath { client_id: ClientId, submission_id: SubmissionId });

answer!(SubmissionAnswer {
    submission: Submission,
    /// Answers in the order of the form, without hidden and unanswered questions.
    answers: Vec<AnsweredQuestion>,
});

fn get_form_submission(cx: &mut Read, Path(at): Path<SubmissionPath>) -> Result<SubmissionAnswer> {
    Client::find(cx, at.client_id)?;
    let found: Option<Submission> = cx.one(FIND, params![at.client_id, at.submission_id])?;
    let found = found.filter(|found| found.kind == FormKind::General);
    let submission = found.ok_or(Key::NotFound)?;
    let answers = submission.answered(cx)?;
    Ok(SubmissionAnswer { submission, answers })
}

/// Fields that clients do not see.
const STAFFS: &[&str] = &["flagged"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/clients/{clientId}/form-submissions", FormsRead, list_form_submissions)
            .summary("List a client's form submissions")
            .describe(
                "Returns submissions of general forms, newest first. Intakes and check-ups are at \
                 `/intakes` and `/checkups`, with scopes of their own.",
            )
            .for_client(STAFFS),
        operation!(GET "/clients/{clientId}/form-submissions/{submissionId}", FormsRead, get_form_submission)
            .summary("Get a form submission")
            .describe("Returns the answers of a general form, each with its question.")
            .for_client(STAFFS),
    ])
}

lists! {
    /// A client's submissions of general forms, the newest first.
    LIST: List<FormSubmissionSummary, Filters> = List::new(
        "form_submission WHERE company_id = ?1 AND client_id = ?2 AND kind = 'general'",
        "submission_id DESC",
    ).tallied(TALLY);
}

/// What doors may ask about forms.
pub struct SubmittedForms;

impl Forms for SubmittedForms {
    fn check_form(&self, cx: &mut Read, form: Id, field: &str) -> Result<()> {
        let rule = FormRule::OtherCompanysForm;
        Form::find(cx, FormId(form)).map(drop).map_err(|none| none.missing(field, rule))
    }

    fn assign(&self, cx: &mut Write, client: ClientId, form: Id) -> Result<()> {
        let client = Client::find(cx, client)?;
        match Form::published(cx, FormId(form), &[FormKind::General, FormKind::Intake]) {
            Ok((form, version)) => {
                let how = AssignmentOptions::default();
                Assignment::give(cx, &client, &form, version, how).map(drop)
            }
            Err(problem) if problem.status < 500 => Ok(()),
            Err(problem) => Err(problem),
        }
    }

    fn has_answered(&self, cx: &mut Read, client: ClientId, form: Id) -> Result<bool> {
        let found: Option<(i64,)> = cx.one(HAS_ANSWERED, params![client, form])?;
        Ok(found.is_some())
    }

    fn who_answered(&self, cx: &mut Read, form: Id) -> Result<Vec<ClientId>> {
        let found: Vec<(ClientId,)> = cx.all(WHO_ANSWERED, params![form])?;
        Ok(found.into_iter().map(|(client,)| client).collect())
    }
}

statements! {
    HAS_ANSWERED = "SELECT CAST(1 AS BIGINT) FROM form_submission WHERE company_id = ?1 AND client_id = ?2 \
        AND form_id = ?3 LIMIT 1";
    WHO_ANSWERED = "SELECT DISTINCT client_id FROM form_submission WHERE company_id = ?1 AND form_id = ?2 \
        LIMIT 100000";
    FIND = "SELECT ", Submission::COLUMNS, " FROM form_submission \
        WHERE company_id = ?1 AND client_id = ?2 AND submission_id = ?3";
    INSERT = "INSERT INTO form_submission ", values!(Submission);
}
