//! A form: its name and versions. A published version never changes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, id_type};
use spotter_store::{Json, params, record, set, statements, stored_ids, values, words};

use crate::{
    question::{Question, QuestionType},
    rules::FormRule,
};

id_type!(
    /// A form.
    FormId,
    RequestInvalid
);
stored_ids!(FormId);

words! {
    /// The purpose of a form: general, intake, or check-up.
    pub enum FormKind { General = "general", Intake = "intake", Checkup = "checkup" }
}

impl FormKind {
    /// Whether it asks about health.
    pub const fn is_about_health(self) -> bool {
        matches!(self, Self::Intake | Self::Checkup)
    }
}

words! {
    /// Whether a form can be given to clients: not before it was published, and not once it is archived.
    pub enum FormStatus { Draft = "draft", Published = "published", Archived = "archived" }
}

record! {
    /// A form.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Form {
        /// Id of the form.
        pub form_id: FormId,
        /// Display name.
        pub name: String,
        /// Internal description.
        pub description: Option<String>,
        /// Kind of form; it cannot be changed.
        pub kind: FormKind,
        pub status: FormStatus,
        /// The newest version that was published; null before the first.
        pub version: Option<i64>,
        /// The version that is being written; null where nothing waits to be published.
        pub draft_version: Option<i64>,
        /// The types of all questions that were ever published, by their ids.
        #[serde(skip)]
        pub question_types: Json<BTreeMap<String, QuestionType>>,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
        pub created_by_type: String,
        pub created_by: Option<Id>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

/// A version of a form: the record.
pub struct FormVersion {
    /// Version number, from 1.
    pub version: i64,
    /// Its questions.
    pub questions: Vec<Question>,
    /// When it was published; it can be changed before.
    pub published_at: Option<Timestamp>,
}

impl Form {
    /// The form with this id.
    pub fn find(cx: &mut Read, id: FormId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// A form that clients can be given, of one of these kinds, and the version that they are given.
    pub fn published(cx: &mut Read, id: FormId, kinds: &[FormKind]) -> Result<(Self, i64)> {
        let form = Self::find(cx, id).map_err(|none| none.missing("formId", FormRule::NotForm))?;
        if !kinds.contains(&form.kind) {
            let words: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
            return Err(Problem::invalid(
                "formId",
                FormRule::OtherFormKind { kind: words.join(" or ") },
            ));
        }
        match (form.status, form.version) {
            (FormStatus::Published, Some(version)) => Ok((form, version)),
            _ => Err(Problem::conflict("formId", FormRule::NotPublishedForm)),
        }
    }

    /// A version of the form.
    pub fn at_version(cx: &mut Read, id: FormId, version: i64) -> Result<FormVersion> {
        let found: Option<(Json<Vec<Question>>, Option<Timestamp>)> =
            cx.one(VERSION, params![id, version])?;
        let (Json(questions), published_at) = found.ok_or(Key::NotFound)?;
        Ok(FormVersion { version, questions, published_at })
    }

    /// Refuses to reuse a question's id for a question of another type.
    pub fn check_types(&self, questions: &[Question]) -> Result<()> {
        for (number, question) in questions.iter().enumerate() {
            let was = self.question_types.0.get(&*question.question_id);
            if let Some(was) = was.filter(|was| **was != question.r#type) {
                let field = format!("questions[{number}].questionId");
                return Err(Problem::invalid(
                    &field,
                    FormRule::QuestionIdTaken { kind: was.word() },
                ));
            }
        }
        Ok(())
    }

    /// Writes a new one down, with its first version.
    pub fn insert(&self, cx: &mut Write, questions: &[Question]) -> Result<()> {
        cx.set_audit_target("form", self.form_id, ["form"]);
        cx.defer(INSERT, &self.params())?;
        self.draft(cx, questions)
    }

    /// Keeps questions as the version that is being written.
    pub fn draft(&self, cx: &mut Write, questions: &[Question]) -> Result<()> {
        let Some(version) = self.draft_version else { return Ok(()) };
        let questions = Json(questions.to_vec());
        cx.defer(DRAFT, params![self.form_id, version, questions])
    }

    /// The version that was being written can be answered from now on, and never changes again.
    pub fn publish_draft(&self, cx: &mut Write, version: i64) -> Result<()> {
        let now = cx.now();
        cx.defer(PUBLISH, params![self.form_id, version, now])
    }

    /// Writes a change down; whether there was one.
    pub fn save(&mut self, cx: &mut Write, before: &Self, more: &[&str]) -> Result<bool> {
        let mut changed = self.changed(before);
        changed.retain(|name| !matches!(name.as_str(), "questionTypes" | "draftVersion"));
        changed.extend(more.iter().map(|name| (*name).to_owned()));
        let Some(now) = cx.audit_fields("form", self.form_id, changed) else { return Ok(false) };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())?;
        Ok(true)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    FIND = "SELECT ", Form::COLUMNS, " FROM form WHERE company_id = ?1 AND form_id = ?2";
    VERSION = "SELECT questions, published_at FROM form_version \
        WHERE company_id = ?1 AND form_id = ?2 AND version = ?3";
    INSERT = "INSERT INTO form ", values!(Form);
    SAVE = "UPDATE form SET ", set!(Form), " WHERE company_id = ?1 AND form_id = ?2";
    DRAFT = "INSERT INTO form_version (company_id, form_id, version, questions) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (company_id, form_id, version) DO UPDATE SET questions = excluded.questions \
        WHERE form_version.published_at IS NULL";
    PUBLISH = "UPDATE form_version SET published_at = ?4 \
        WHERE company_id = ?1 AND form_id = ?2 AND version = ?3 AND published_at IS NULL";
}
