//! Forms that clients are given: general ones and intakes here, check-ups in [`checkups`](crate::checkups).

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, OptionalBody, Path, Read, Success, Write, answer, listed, operation,
    path,
};
use spotter_kernel::{
    Event, Key, Problem, Result, Timestamp,
    id::ClientId,
    text::{Text, quoted},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, Json, List, filters, lists};

use crate::{
    assignment::{
        Assignment, AssignmentId, AssignmentOptions, AssignmentStatus, AssignmentView, TALLY,
        check_times,
    },
    draft,
    effects::FormEffect,
    form::{Form, FormId, FormKind},
    review::{Review, review},
    rules::FormRule,
    submission::Submission,
};

/// Most submissions of an assignment.
const SUBMISSIONS_MAX: i64 = 20;

listed!(Assignments { form_assignments: AssignmentView });

filters! {
    struct Filters {
        /// Assignments with this status.
        status: AssignmentStatus => "status = ?", tallied;
        /// Assignments of forms of this kind.
        kind: FormKind => "kind = ?";
        /// Check-ups assigned or changed at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_form_assignments(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Assignments> {
    Client::find(cx, at.client_id)?;
    let is_silent = cx.includes_health() && cx.lacks_consent(at.client_id)?;
    let list = if is_silent { &GENERAL } else { &LIST };
    let page = cx.page_under(list, &[at.client_id.bind()], &wanted, page)?;
    Ok(page.map(Assignment::into_view).into())
}

path!(
    /// An assignment in a path.
    pub(super) AssignmentPath {
        /// Client that the form is assigned to.
        client_id: ClientId,
        /// Assignment of the form.
        assignment_id: AssignmentId,
    }
);

answer!(pub(super) AssignmentAnswer { form_assignment: AssignmentView });

impl From<Assignment> for AssignmentAnswer {
    fn from(given: Assignment) -> Self {
        Self { form_assignment: given.into_view() }
    }
}

fn get_form_assignment(cx: &mut Read, Path(at): Path<AssignmentPath>) -> Result<AssignmentAnswer> {
    Ok(Assignment::find(cx, at.client_id, at.assignment_id)?.into())
}

/// The form to assign to a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewFormAssignment")]
struct NewAssignment {
    /// A published form of the kind general or intake.
    form_id: FormId,
    /// Due date; later answers are accepted.
    due_at: Option<Timestamp>,
    /// Deadline after which it cannot be answered.
    expires_at: Option<Timestamp>,
    /// Message to the client.
    message: Option<Text<2000>>,
}

fn assign_form(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewAssignment>,
) -> Result<AssignmentAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let (form, version) = Form::published(cx, new.form_id, &[FormKind::General, FormKind::Intake])?;
    check_times(cx.now(), new.due_at, new.expires_at)?;
    let how = AssignmentOptions {
        message: new.message.map(Into::into),
        due_at: new.due_at,
        expires_at: new.expires_at,
        ..AssignmentOptions::default()
    };
    cx.describe_effect(|| FormEffect::FormAssigned { name: quoted(&client.name()) });
    Ok(Assignment::give(cx, &client, &form, version, how)?.into())
}

fn cancel_form_assignment(
    cx: &mut Write,
    Path(at): Path<AssignmentPath>,
) -> Result<AssignmentAnswer> {
    let before = Assignment::find(cx, at.client_id, at.assignment_id)?;
    if before.kind == FormKind::Checkup {
        return Err(Key::NotFound.into());
    }
    Ok(Assignment::cancel(cx, &before)?.into())
}

/// The new dates of a form.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "FormReopening")]
struct Reopening {
    /// Due time.
    due_at: Option<Timestamp>,
    /// Deadline after which it cannot be answered.
    expires_at: Option<Timestamp>,
}

fn reopen_form_assignment(
    cx: &mut Write,
    Path(at): Path<AssignmentPath>,
    OptionalBody(until): OptionalBody<Reopening>,
) -> Result<AssignmentAnswer> {
    let before = Assignment::find(cx, at.client_id, at.assignment_id)?;
    before.check_consent(cx)?;
    match before.status {
        AssignmentStatus::Submitted | AssignmentStatus::Reviewed | AssignmentStatus::Expired => {}
        _ => {
            return Err(Problem::conflict("status", FormRule::NotReopenable));
        }
    }
    if before.submissions >= SUBMISSIONS_MAX {
        return Err(Problem::conflict(
            "status",
            FormRule::ReopenedTooOften { max: SUBMISSIONS_MAX },
        ));
    }
    check_times(cx.now(), until.due_at, until.expires_at)?;
    let mut open = before.clone();
    open.status = AssignmentStatus::Assigned;
    (open.due_at, open.expires_at) = (until.due_at, until.expires_at);
    open.flagged = false;
    (open.review, open.reviewed_at) = (None, None);
    (open.reviewed_by_type, open.reviewed_by) = (None, None);
    // The last submission stays, and the client continues from it.
    if let Some(last) = Submission::of(cx, &before, None)?
        && before.status != AssignmentStatus::Expired
    {
        let version = Form::at_version(cx, before.form_id, before.form_version)?;
        let Json(answers) = last.answers;
        draft::save(cx, &before, &version.questions, answers)?;
    }
    open.save(cx, &before)?;
    Ok(open.into())
}

fn review_form_assignment(
    cx: &mut Write,
    Path(at): Path<AssignmentPath>,
    OptionalBody(submitted): OptionalBody<Review>,
) -> Result<AssignmentAnswer> {
    let before = Assignment::find(cx, at.client_id, at.assignment_id)?;
    Ok(review(cx, &before, submitted)?.into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/clients/{clientId}/form-assignments", FormsRead, list_form_assignments)
            .summary("List a client's form assignments")
            .describe(
                "Returns forms of every kind that were assigned to the client, newest first, \
                 without answers.",
            )
            .for_client(&[]),
        operation!(GET "/clients/{clientId}/form-assignments/{assignmentId}", FormsRead, get_form_assignment)
            .summary("Get a form assignment")
            .describe("Returns one assignment with its status and due date.")
            .for_client(&[]),
        operation!(POST "/clients/{clientId}/form-assignments", FormAssignmentsWrite, assign_form)
            .success(Success::Assigned)
            .about_health_by_record().summary("Assign a form")
            .describe(
                "Assigns a general form or an intake; assign check-ups at \
                 `/clients/{clientId}/checkups`. The client answers the version that is published \
                 now, even if the form changes later.",
            )
            .created()
            .emits(&[Event::FormAssigned])
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid, Key::NotFound, Key::ScopesHealthConsentRequired])
            .confirmation(),
        operation!(POST "/clients/{clientId}/form-assignments/{assignmentId}/cancel", FormAssignmentsWrite,
            cancel_form_assignment)
        .success(Success::Cancelled)
        .about_health_by_record().summary("Cancel a form assignment")
        .describe(
                "Cancels a general form or an intake that is not answered yet and discards the \
                 client's draft.",
            )
        .fails(&[Key::ApiError])
        .confirmation(),
        operation!(app POST "/clients/{clientId}/form-assignments/{assignmentId}/reopen", Coach,
            reopen_form_assignment)
        .about_health_by_record().summary("Reopen a form assignment")
        .describe(
                "Lets a client answer a submitted or expired assignment again. The submission \
                 stays; the client continues from its answers and submits anew.",
            )
        .fails(&[Key::ApiError, Key::DateRangeOrderInvalid, Key::ScopesHealthConsentRequired]),
        operation!(app POST "/clients/{clientId}/form-assignments/{assignmentId}/review", Coach,
            review_form_assignment)
        .about_health_by_record().summary("Review a submission")
        .describe(
                "Stores a coach's review, which the client can read. Reviewing again replaces the \
                 text.",
            )
        .fails(&[Key::ApiError, Key::ScopesHealthConsentRequired]),
    ])
}

lists! {
    /// What a client was given, the newest first.
    LIST: List<Assignment, Filters> = List::new(
        "form_assignment WHERE company_id = ?1 AND client_id = ?2", "assignment_id DESC",
    ).tallied(TALLY);
    /// The same without health forms.
    GENERAL: List<Assignment, Filters> = List::new(
        "form_assignment WHERE company_id = ?1 AND client_id = ?2 AND kind = 'general'", "assignment_id DESC",
    );
}
