//! What a client was given to answer: which version of which form, until when, and how far it has come.

mod view;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Effect, Offboarding, Read, Timer, Write};
use spotter_kernel::{Event, Id, Key, Problem, Result, Rule, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{
    Bind, of_tally, params, record, set, statements, stored_ids, subject, values, words,
};

use crate::{
    draft,
    effects::FormEffect,
    form::{Form, FormId, FormKind},
    letters,
    rules::FormRule,
    series::SeriesId,
};
pub use view::{AssignmentView, Checkup, Intake};
use view::{FormAssigned, FormSubmitted};

id_type!(
    /// What a client was given to answer; an intake and a check-up are called by it, too.
    AssignmentId,
    RequestInvalid
);
stored_ids!(AssignmentId);
id_type!(
    /// A client's submission.
    SubmissionId,
    RequestInvalid
);
stored_ids!(SubmissionId);

/// Most open forms of a client.
const OPEN_MAX: i64 = 200;
/// How far ahead an instant may be: ten years and some days, in milliseconds.
const AHEAD_MILLIS: i64 = 3_660 * 86_400_000;

words! {
    /// The status of an assignment: assigned, begun, submitted, reviewed, cancelled, or expired.
    pub enum AssignmentStatus {
        Assigned = "assigned",
        InProgress = "in_progress",
        Submitted = "submitted",
        Reviewed = "reviewed",
        Cancelled = "cancelled",
        Expired = "expired",
    }
}

record! {
    /// An assignment: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Assignment {
        /// Id of the assignment.
        pub assignment_id: AssignmentId,
        /// Who is to answer.
        pub client_id: ClientId,
        /// The form.
        pub form_id: FormId,
        /// Which version of it; it stays.
        pub form_version: i64,
        /// What the form was called.
        pub form_name: String,
        /// Whether it is general, an intake or a check-up.
        pub kind: FormKind,
        /// How far it has come.
        pub status: AssignmentStatus,
        /// Message to the client.
        pub message: Option<String>,
        /// What kind of caller gave it.
        pub assigned_by_type: String,
        /// Who gave it.
        pub assigned_by: Option<Id>,
        /// Due time.
        pub due_at: Option<Timestamp>,
        /// Deadline after which it cannot be answered.
        pub expires_at: Option<Timestamp>,
        /// The series of check-ups that it is of.
        pub series_id: Option<SeriesId>,
        /// Id of the latest submission.
        pub submission_id: Option<SubmissionId>,
        /// Number of submissions.
        pub submissions: i64,
        /// When it was last submitted.
        pub submitted_at: Option<Timestamp>,
        /// Whether the last submission is flagged for a coach.
        pub flagged: bool,
        /// The coach's review.
        pub review: Option<String>,
        /// What kind of caller reviewed it.
        pub reviewed_by_type: Option<String>,
        /// Who reviewed it.
        pub reviewed_by: Option<Id>,
        /// When.
        pub reviewed_at: Option<Timestamp>,
        /// When it was given.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The API form of an assignment of any kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct AssignmentState {
    client_id: ClientId,
    form_id: FormId,
    /// The version that the client answers; it stays when the form is changed.
    form_version: i64,
    /// Name of the form when it was assigned.
    form_name: String,
    status: AssignmentStatus,
    /// Message to the client.
    message: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    assigned_by_type: String,
    assigned_by: Option<Id>,
    /// Due date; later answers are accepted.
    due_at: Option<Timestamp>,
    /// Deadline after which it cannot be answered.
    expires_at: Option<Timestamp>,
    /// When it was last submitted.
    submitted_at: Option<Timestamp>,
    /// When a coach reviewed it.
    reviewed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The API form of an assignment's result.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct AssignmentResult {
    /// Id of the latest submission.
    submission_id: Option<SubmissionId>,
    /// Whether an answer is flagged for a coach.
    flagged: bool,
    /// The coach's review, visible to the client.
    review: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    reviewed_by_type: Option<String>,
    reviewed_by: Option<Id>,
}

/// The subject of the totals of what clients were given.
pub const TALLY: &str = "form_assignments";

/// How something is given.
#[derive(Debug, Clone, Default)]
pub struct AssignmentOptions {
    /// A message to the client.
    pub message: Option<String>,
    /// Due time.
    pub due_at: Option<Timestamp>,
    /// Deadline after which it cannot be answered.
    pub expires_at: Option<Timestamp>,
    /// The series that it is of.
    pub series_id: Option<SeriesId>,
    /// The assigner, where there is no caller.
    pub by: Option<(String, Option<Id>)>,
}

/// The subject of the totals of intakes, and of check-ups.
pub fn tally_of(kind: FormKind) -> Option<&'static str> {
    match kind {
        FormKind::General => None,
        FormKind::Intake => Some("intakes"),
        FormKind::Checkup => Some("checkups"),
    }
}

/// Refuses times that have passed, are too far ahead, or in the wrong order.
pub fn check_times(
    now: Timestamp,
    due: Option<Timestamp>,
    expires: Option<Timestamp>,
) -> Result<()> {
    for (field, at) in [("dueAt", due), ("expiresAt", expires)] {
        match at {
            Some(at) if at <= now => return Err(Problem::invalid(field, Rule::NotInFuture)),
            Some(at) if at.millis() - now.millis() > AHEAD_MILLIS => {
                return Err(Problem::invalid(field, FormRule::TenYears));
            }
            _ => {}
        }
    }
    match due.zip(expires) {
        Some((due, expires)) if expires < due => {
            Err(Problem::field(Key::DateRangeOrderInvalid, "expiresAt", FormRule::BeforeDueAt))
        }
        _ => Ok(()),
    }
}

impl Assignment {
    /// What a client was given, of any kind.
    pub fn find(cx: &mut Read, client: ClientId, id: AssignmentId) -> Result<Self> {
        Client::find(cx, client)?;
        let found: Option<Self> = cx.one(FIND, params![id])?;
        let found = found.filter(|found| found.client_id == client).ok_or(Key::NotFound)?;
        cx.if_consented(found, |own| Some(own.client_id).filter(|_| own.kind.is_about_health()))
    }

    /// An intake or a check-up that the caller may see.
    pub fn find_kind(cx: &mut Read, id: AssignmentId, kind: FormKind) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        let found = found.filter(|found| found.kind == kind).ok_or(Key::NotFound)?;
        let own = cx.own(found, |found| found.client_id)?;
        cx.if_consented(own, |own| Some(own.client_id))
    }

    /// Assigns a form to a client; the assignment keeps its version.
    pub fn give(
        cx: &mut Write,
        client: &Client,
        form: &Form,
        form_version: i64,
        how: AssignmentOptions,
    ) -> Result<Self> {
        if client.is_archived() {
            return Err(Problem::conflict("clientId", Rule::Archived));
        }
        let client_id = client.client_id;
        if form.kind.is_about_health() {
            cx.check_consent(client_id)?;
        }
        let open: Option<(i64,)> = cx.one(COUNT_OPEN, params![client_id])?;
        if open.is_some_and(|(count,)| count >= OPEN_MAX) {
            let rule = FormRule::TooManyOpenForms { max: OPEN_MAX };
            return Err(Problem::conflict("clientId", rule));
        }
        let (assigned_by_type, assigned_by) = how.by.unwrap_or_else(|| cx.maker());
        let given = Self {
            assignment_id: AssignmentId(cx.new_id()),
            client_id,
            form_id: form.form_id,
            form_version,
            form_name: form.name.clone(),
            kind: form.kind,
            status: AssignmentStatus::Assigned,
            message: how.message,
            assigned_by_type,
            assigned_by,
            due_at: how.due_at,
            expires_at: how.expires_at,
            series_id: how.series_id,
            submission_id: None,
            submissions: 0,
            submitted_at: None,
            flagged: false,
            review: None,
            reviewed_by_type: None,
            reviewed_by: None,
            reviewed_at: None,
            created_at: cx.now(),
            updated_at: cx.now(),
        };
        cx.set_audit_target("form_assignment", given.assignment_id, ["formAssignment"]);
        cx.defer(INSERT, &given.params())?;
        cx.recount(&BTreeSet::new(), &given.tallies())?;
        given.watch(cx)?;
        letters::tell_later(cx, &given)?;
        let event = match given.kind {
            FormKind::Checkup => Event::CheckupAssigned,
            FormKind::General | FormKind::Intake => Event::FormAssigned,
        };
        let payload = FormAssigned {
            client_id,
            assignment_id: given.assignment_id,
            kind: given.kind,
            form_id: given.form_id,
            form_version,
            series_id: given.series_id,
            due_at: given.due_at,
        };
        cx.emit(event, &payload)?;
        Ok(given)
    }

    /// Refuses to store health data without the client's consent.
    pub fn check_consent(&self, cx: &mut Read) -> Result<()> {
        match self.kind.is_about_health() {
            true => cx.check_consent(self.client_id),
            false => Ok(()),
        }
    }

    /// Whether it can be answered.
    pub fn is_open(&self) -> bool {
        matches!(self.status, AssignmentStatus::Assigned | AssignmentStatus::InProgress)
    }

    /// Refuses what cannot be answered any more.
    pub fn check_open(&self) -> Result<()> {
        match self.is_open() {
            true => Ok(()),
            false => Err(Problem::conflict("status", FormRule::NotAnswerable)),
        }
    }

    /// Has its end noticed, where it has one.
    pub fn watch(&self, cx: &mut Write) -> Result<()> {
        match self.expires_at.filter(|_| self.is_open()) {
            Some(at) => cx.set_timer(&EXPIRE, self.assignment_id, at),
            None => cx.clear_timer(&EXPIRE, self.assignment_id),
        }
    }

    /// Writes a change down; whether there was one.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<bool> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("form_assignment", self.assignment_id, changed) else {
            return Ok(false);
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())?;
        cx.recount(&before.tallies(), &self.tallies())?;
        if (self.expires_at, self.is_open()) != (before.expires_at, before.is_open()) {
            self.watch(cx)?;
        }
        Ok(true)
    }

    /// Cancels it; the draft is deleted.
    pub fn cancel(cx: &mut Write, before: &Self) -> Result<Self> {
        if before.status == AssignmentStatus::Cancelled {
            return Ok(before.clone());
        }
        before.check_open()?;
        let mut called_off = before.clone();
        called_off.status = AssignmentStatus::Cancelled;
        draft::forget(cx, before.assignment_id)?;
        called_off.save(cx, before)?;
        Ok(called_off)
    }

    /// Emits the event of a submission.
    pub fn publish_submitted(&self, cx: &mut Write, submission: SubmissionId) -> Result<()> {
        let event = match self.kind {
            FormKind::General => Event::FormSubmitted,
            FormKind::Intake => Event::IntakeSubmitted,
            FormKind::Checkup => Event::CheckupSubmitted,
        };
        let payload = FormSubmitted {
            client_id: self.client_id,
            assignment_id: self.assignment_id,
            submission_id: submission,
            kind: self.kind,
            form_id: self.form_id,
            form_version: self.form_version,
            submitted_at: cx.now(),
        };
        cx.emit(event, &payload).map(drop)
    }

    /// Some of what a client was given.
    pub fn some_of(cx: &mut Read, client: Id, most: usize) -> Result<Vec<Self>> {
        cx.all(SOME_OF, params![client, most as i64])
    }

    /// Takes it away.
    pub fn delete(&self, cx: &mut Write) -> Result<()> {
        cx.recount(&self.tallies(), &BTreeSet::new())?;
        cx.clear_timer(&EXPIRE, self.assignment_id)?;
        cx.defer(DELETE, params![self.assignment_id])
    }

    fn tallies(&self) -> BTreeSet<String> {
        let own = of_tally(TALLY, &[self.client_id.bind()]);
        let mut all = BTreeSet::from([subject(&own, "status", &self.status.bind()), own]);
        if let Some(kind) = tally_of(self.kind) {
            all.extend([
                subject(kind, "clientId", &self.client_id.bind()),
                subject(kind, "status", &self.status.bind()),
                kind.to_owned(),
            ]);
        }
        all
    }

    fn into_state(self) -> (AssignmentState, AssignmentResult) {
        let state = AssignmentState {
            client_id: self.client_id,
            form_id: self.form_id,
            form_version: self.form_version,
            form_name: self.form_name,
            status: self.status,
            message: self.message,
            assigned_by_type: self.assigned_by_type,
            assigned_by: self.assigned_by,
            due_at: self.due_at,
            expires_at: self.expires_at,
            submitted_at: self.submitted_at,
            reviewed_at: self.reviewed_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        };
        let outcome = AssignmentResult {
            submission_id: self.submission_id,
            flagged: self.flagged,
            review: self.review,
            reviewed_by_type: self.reviewed_by_type,
            reviewed_by: self.reviewed_by,
        };
        (state, outcome)
    }

    /// Its entry in the list of all assignments.
    pub fn into_view(self) -> AssignmentView {
        let (assignment_id, kind) = (self.assignment_id, self.kind);
        let (state, outcome) = self.into_state();
        let is_general = kind == FormKind::General;
        AssignmentView {
            assignment_id,
            kind,
            review: outcome.review.filter(|_| is_general),
            reviewed_by_type: outcome.reviewed_by_type.filter(|_| is_general),
            reviewed_by: outcome.reviewed_by.filter(|_| is_general),
            standing: state,
        }
    }

    /// As an intake.
    pub fn intake(self) -> Intake {
        let intake_id = self.assignment_id;
        let (state, outcome) = self.into_state();
        Intake { intake_id, standing: state, outcome }
    }

    /// As a check-up.
    pub fn checkup(self) -> Checkup {
        let (checkup_id, series_id) = (self.assignment_id, self.series_id);
        let (state, outcome) = self.into_state();
        Checkup { checkup_id, series_id, standing: state, outcome }
    }
}

/// Expires it. The draft is kept, for a coach who reopens it.
pub fn expire(cx: &mut Write, id: AssignmentId) -> Result<()> {
    let found: Option<Assignment> = cx.one(FIND, params![id])?;
    let Some(before) = found.filter(Assignment::is_open) else { return Ok(()) };
    let mut over = before.clone();
    over.status = AssignmentStatus::Expired;
    over.save(cx, &before).map(drop)
}

fn expire_form(cx: &mut Write, id: Id) -> Result<()> {
    expire(cx, AssignmentId(id))
}

static EXPIRE: Timer = Timer::new("expire_form", "Expire a form assignment", expire_form);

/// Cancels the open assignments of a leaving client.
fn end_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let open: Vec<Assignment> = cx.all(OPEN, params![client])?;
    for before in &open {
        Assignment::cancel(cx, before)?;
    }
    Ok(open.len() as u64)
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ClientArchived,
    || FormEffect::FormsCalledOff.into(),
    end_of_client,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .tells::<FormAssigned>()
        .tells::<FormSubmitted>()
        .timers(&[&EXPIRE])
        .ends(ENDS)
}

statements! {
    FIND = "SELECT ", Assignment::COLUMNS, " FROM form_assignment \
        WHERE company_id = ?1 AND assignment_id = ?2";
    COUNT_OPEN = "SELECT COUNT(*) FROM form_assignment WHERE company_id = ?1 AND client_id = ?2 \
        AND status IN ('assigned', 'in_progress')";
    OPEN = "SELECT ", Assignment::COLUMNS, " FROM form_assignment WHERE company_id = ?1 AND client_id = ?2 \
        AND status IN ('assigned', 'in_progress') ORDER BY assignment_id LIMIT 200";
    SOME_OF = "SELECT ", Assignment::COLUMNS, " FROM form_assignment WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY assignment_id LIMIT ?3";
    DELETE = "DELETE FROM form_assignment WHERE company_id = ?1 AND assignment_id = ?2";
    INSERT = "INSERT INTO form_assignment ", values!(Assignment);
    SAVE = "UPDATE form_assignment SET ", set!(Assignment), " WHERE company_id = ?1 AND assignment_id = ?2";
}
