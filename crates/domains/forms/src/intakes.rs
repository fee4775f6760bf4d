//! Intakes: forms for new clients.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, ListQuery, Path, Query, Read, answer, listed, operation, path};
use spotter_kernel::{Key, Result, Timestamp, id::ClientId};
use spotter_store::{List, filters, lists};

use crate::{
    assignment::{Assignment, AssignmentId, AssignmentStatus, Intake, SubmissionId},
    form::{FormId, FormKind},
    submission::{AnsweredQuestion, Submission},
};

listed!(Intakes { intakes: Intake });

filters! {
    struct Filters {
        /// Intakes of this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Intakes in this status.
        status: AssignmentStatus => "status = ?", tallied;
        /// Intakes with this form.
        form_id: FormId => "form_id = ?";
        /// Check-ups assigned or changed at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_intakes(cx: &mut Read, ListQuery(mut wanted, page): ListQuery<Filters>) -> Result<Intakes> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    let list = if cx.includes_health() { &CONSENTED } else { &LIST };
    Ok(cx.page(list, &wanted, page)?.map(Assignment::intake).into())
}

path!(IntakePath { intake_id: AssignmentId });

/// Which submission to return.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct SubmissionFilter {
    /// Id of the submission; the latest when absent.
    pub(super) submission_id: Option<SubmissionId>,
}

answer!(IntakeAnswer {
    intake: Intake,
    /// The submission; null before the first.
    submission: Option<Submission>,
    /// Answers in the order of the form, without hidden and unanswered questions.
    answers: Vec<AnsweredQuestion>,
});

/// A submission of an assignment, with its answers.
pub(super) fn submission_of(
    cx: &mut Read,
    of: &Assignment,
    which: &SubmissionFilter,
) -> Result<(Option<Submission>, Vec<AnsweredQuestion>)> {
    let submission = Submission::of(cx, of, which.submission_id)?;
    let answers = submission.as_ref().map(|handed| handed.answered(cx)).transpose()?;
    Ok((submission, answers.unwrap_or_default()))
}

fn get_intake(
    cx: &mut Read,
    Path(at): Path<IntakePath>,
    Query(which): Query<SubmissionFilter>,
) -> Result<IntakeAnswer> {
    let given = Assignment::find_kind(cx, at.intake_id, FormKind::Intake)?;
    let (submission, answers) = submission_of(cx, &given, &which)?;
    Ok(IntakeAnswer { intake: given.intake(), submission, answers })
}

/// Fields that clients do not see.
pub(super) const STAFFS: &[&str] = &["flagged"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/intakes", IntakesRead, list_intakes)
            .summary("List intakes")
            .describe("Returns intakes newest first, without answers.")
            .for_own(STAFFS),
        operation!(GET "/intakes/{intakeId}", IntakesRead, get_intake)
            .summary("Get an intake")
            .describe(
                "Returns one intake with the latest submission: each answer with its question.",
            )
            .for_own(STAFFS)
            .fails(&[Key::NotFound]),
    ])
}

lists! {
    /// Every intake, the newest first.
    LIST: List<Assignment, Filters> = List::new(
        "form_assignment WHERE company_id = ?1 AND kind = 'intake'", "assignment_id DESC",
    ).tallied("intakes");
    /// Of clients who consent to storing health data.
    CONSENTED: List<Assignment, Filters> = List::new(
        concat!(
            "form_assignment WHERE company_id = ?1 AND kind = 'intake' AND ",
            spotter_people::consented_to!("form_assignment")
        ),
        "assignment_id DESC",
    );
}
