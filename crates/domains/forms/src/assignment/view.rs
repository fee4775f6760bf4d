//! How an assignment is shown: in answers and in events.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::Payload;
use spotter_kernel::{Event, Id, Timestamp, id::ClientId};

use super::{AssignmentId, AssignmentResult, AssignmentState, SubmissionId};
use crate::{
    form::{FormId, FormKind},
    series::SeriesId,
};

/// A form assigned to a client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FormAssignment")]
pub struct AssignmentView {
    pub(super) assignment_id: AssignmentId,
    /// Whether it is general, an intake or a check-up.
    pub(super) kind: FormKind,
    /// The coach's review of a general form, visible to the client. Reviews of intakes and check-
    /// ups are in those records.
    pub(super) review: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    pub(super) reviewed_by_type: Option<String>,
    pub(super) reviewed_by: Option<Id>,
    #[serde(flatten)]
    pub(super) standing: AssignmentState,
}

/// An intake form of a client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Intake {
    /// The `assignmentId` of events.
    pub(super) intake_id: AssignmentId,
    #[serde(flatten)]
    pub(super) standing: AssignmentState,
    #[serde(flatten)]
    pub(super) outcome: AssignmentResult,
}

/// A check-up of a client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkup {
    /// The `assignmentId` of events.
    pub(super) checkup_id: AssignmentId,
    /// The series that it is of; null where it does not recur.
    pub(super) series_id: Option<SeriesId>,
    #[serde(flatten)]
    pub(super) standing: AssignmentState,
    #[serde(flatten)]
    pub(super) outcome: AssignmentResult,
}

/// The payload of the event that a form was assigned, without answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormAssigned {
    pub(super) client_id: ClientId,
    /// The `intakeId` or `checkupId` of intakes and check-ups.
    pub(super) assignment_id: AssignmentId,
    /// Whether it is general, an intake or a check-up.
    pub(super) kind: FormKind,
    pub(super) form_id: FormId,
    pub(super) form_version: i64,
    /// The series of check-ups that it is of.
    pub(super) series_id: Option<SeriesId>,
    /// Due time.
    pub(super) due_at: Option<Timestamp>,
}

impl Payload for FormAssigned {
    const EVENTS: &'static [Event] = &[Event::FormAssigned, Event::CheckupAssigned];
}

/// The payload of the event that a form was submitted, without answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormSubmitted {
    pub(super) client_id: ClientId,
    /// The `intakeId` or `checkupId` of intakes and check-ups.
    pub(super) assignment_id: AssignmentId,
    pub(super) submission_id: SubmissionId,
    /// Whether it is general, an intake or a check-up.
    pub(super) kind: FormKind,
    pub(super) form_id: FormId,
    pub(super) form_version: i64,
    pub(super) submitted_at: Timestamp,
}

impl Payload for FormSubmitted {
    const EVENTS: &'static [Event] =
        &[Event::FormSubmitted, Event::IntakeSubmitted, Event::CheckupSubmitted];
}
