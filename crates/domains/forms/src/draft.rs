//! Drafts: answers that are saved and not submitted yet.

use spotter_contract::{Area, Read, Write, activity::MeasuredValue};
use spotter_kernel::{Problem, Result, Timestamp, id::ClientId};
use spotter_store::{Json, params, record, statements, values};

use crate::{
    answer::{CheckedAnswer, Measure, check, wrong},
    assignment::{Assignment, AssignmentId},
    file::{FormFile, FormFileId},
    question::{Answers, Question, QuestionType},
    rules::FormRule,
};

/// Most bytes of all answers together.
const BYTES_MAX: usize = 256 * 1024;

record! {
    /// Answers that were saved.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AnswerDraft {
        assignment_id: AssignmentId,
        client_id: ClientId,
        /// Answers by question id.
        pub answers: Json<Answers>,
        /// When they were saved.
        pub saved_at: Timestamp,
    }
}

/// The saved draft, if any.
pub fn find(cx: &mut Read, of: AssignmentId) -> Result<Option<AnswerDraft>> {
    cx.one(FIND, params![of])
}

/// The measurements among answers, for the area that records them.
pub fn measured<'m>(question: &'m Question, measure: &'m Measure) -> MeasuredValue<'m> {
    MeasuredValue {
        r#type: question.measurement_type.as_deref().unwrap_or_default(),
        value: measure.value,
        components: measure.components.as_ref().map(|two| (two.systolic, two.diastolic)),
        unit: measure.unit.as_deref(),
    }
}

/// Answers in their stored form, once each fits its question: files exist, and measurements can be recorded.
pub fn checked(
    cx: &mut Write,
    of: &Assignment,
    questions: &[Question],
    submitted: &Answers,
) -> Result<Answers> {
    let mut kept = Answers::new();
    for (id, value) in submitted {
        let question = questions.iter().find(|question| *question.question_id == **id);
        let question = question.ok_or_else(|| wrong(id, FormRule::UnknownQuestion))?;
        let value = match check(question, value).map_err(|rule| wrong(id, rule))? {
            CheckedAnswer::Nothing => continue,
            CheckedAnswer::Plain(value) => value,
            CheckedAnswer::Measured(measure) => {
                let field = format!("answers.{id}");
                cx.activity()?.check_answer(cx, &measured(question, &measure), &field)?;
                serde_json::to_value(measure).map_err(Problem::internal)?
            }
            CheckedAnswer::Sent(sent) => {
                FormFile::answered(cx, of.client_id, of.assignment_id, id, sent)?.answer_value()
            }
        };
        kept.insert(id.clone(), value);
    }
    let size = serde_json::to_vec(&kept).map_err(Problem::internal)?.len();
    match size > BYTES_MAX {
        true => Err(Problem::invalid("answers", FormRule::DraftTooLarge { max: 262144 })),
        false => Ok(kept),
    }
}

/// The files among answers.
pub fn files(questions: &[Question], answers: &Answers) -> Vec<FormFileId> {
    let files = questions.iter().filter(|question| question.r#type == QuestionType::File);
    files.filter_map(|question| FormFile::id_in(answers.get(&*question.question_id)?)).collect()
}

/// Saves answers, in the place of those before.
pub fn save(
    cx: &mut Write,
    of: &Assignment,
    questions: &[Question],
    answers: Answers,
) -> Result<AnswerDraft> {
    FormFile::attach(cx, of.assignment_id, &files(questions, &answers), false)?;
    let draft = AnswerDraft {
        assignment_id: of.assignment_id,
        client_id: of.client_id,
        answers: Json(answers),
        saved_at: cx.now(),
    };
    cx.defer(SAVE, &draft.params())?;
    Ok(draft)
}

/// Deletes the draft, and files that were never submitted.
pub fn forget(cx: &mut Write, of: AssignmentId) -> Result<()> {
    FormFile::attach(cx, of, &[], false)?;
    cx.defer(FORGET, params![of])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    FIND = "SELECT ", AnswerDraft::COLUMNS, " FROM form_draft WHERE company_id = ?1 AND assignment_id = ?2";
    SAVE = "INSERT INTO form_draft ", values!(AnswerDraft), " ON CONFLICT (company_id, assignment_id) \
        DO UPDATE SET answers = excluded.answers, saved_at = excluded.saved_at";
    FORGET = "DELETE FROM form_draft WHERE company_id = ?1 AND assignment_id = ?2";
}
