//! Check-ups: recurring forms, assigned by hand or by a series.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, OptionalBody, Path, Query, Read, Success, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{
    Event, Id, Key, Patch, Problem, Result, Timestamp,
    id::ClientId,
    span::Span,
    text::{Text, quoted},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{List, filters, lists, params, statements};

use crate::{
    assignment::{
        Assignment, AssignmentId, AssignmentOptions, AssignmentStatus, Checkup, check_times,
    },
    effects::FormEffect,
    form::{Form, FormId, FormKind},
    intakes::{STAFFS, SubmissionFilter, submission_of},
    review::{Review, review},
    rules::FormRule,
    series::{CheckupRecurrence, Series, SeriesId},
    submission::{AnsweredQuestion, Submission},
};

listed!(Checkups { checkups: Checkup });

filters! {
    struct Filters {
        /// Check-ups of this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Check-ups in this status.
        status: AssignmentStatus => "status = ?", tallied;
        /// Check-ups with this form.
        form_id: FormId => "form_id = ?";
        /// Check-ups of this series.
        series_id: SeriesId => "series_id = ?";
        /// Check-ups assigned or changed at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_checkups(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Checkups> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    let list = if cx.includes_health() { &CONSENTED } else { &LIST };
    Ok(cx.page(list, &wanted, page)?.map(Assignment::checkup).into())
}

path!(CheckupPath { checkup_id: AssignmentId });

answer!(CheckupDetails {
    checkup: Checkup,
    /// The submission; null before the first.
    submission: Option<Submission>,
    /// Answers in the order of the form, without hidden and unanswered questions.
    answers: Vec<AnsweredQuestion>,
});

fn get_checkup(
    cx: &mut Read,
    Path(at): Path<CheckupPath>,
    Query(which): Query<SubmissionFilter>,
) -> Result<CheckupDetails> {
    let given = Assignment::find_kind(cx, at.checkup_id, FormKind::Checkup)?;
    let (submission, answers) = submission_of(cx, &given, &which)?;
    Ok(CheckupDetails { checkup: given.checkup(), submission, answers })
}

/// The check-up to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewCheckup {
    /// A published form of the kind checkup.
    form_id: FormId,
    /// Due date; later answers are accepted.
    due_at: Option<Timestamp>,
    /// Instant at which the check-up expires; not allowed with `recurrence`.
    expires_at: Option<Timestamp>,
    /// Message to the client.
    message: Option<Text<2000>>,
    /// Recurrence of the check-up; none when absent. An unanswered check-up expires when the next
    /// one is assigned.
    recurrence: Option<CheckupRecurrence>,
}

answer!(CheckupAnswer { checkup: Checkup });

fn assign_checkup(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewCheckup>,
) -> Result<CheckupAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let (form, version) = Form::published(cx, new.form_id, &[FormKind::Checkup])?;
    check_times(cx.now(), new.due_at, new.expires_at)?;
    let mut how = AssignmentOptions {
        message: new.message.map(Into::into),
        due_at: new.due_at,
        expires_at: new.expires_at,
        ..AssignmentOptions::default()
    };
    cx.describe_effect(|| FormEffect::CheckupAssigned { name: quoted(&client.name()) });
    if let Some(recurrence) = &new.recurrence {
        cx.describe_effect(|| FormEffect::CheckupRecurs);
        if new.expires_at.is_some() {
            return Err(Problem::invalid("expiresAt", FormRule::ExpiryOfRecurring));
        }
        how.series_id = Some(Series::start(cx, &client, form.form_id, recurrence, &how)?);
    }
    Ok(CheckupAnswer { checkup: Assignment::give(cx, &client, &form, version, how)?.checkup() })
}

/// The fields of a check-up to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct CheckupChanges {
    /// Due time.
    due_at: Patch<Timestamp>,
    /// Deadline after which it cannot be answered.
    expires_at: Patch<Timestamp>,
}

fn update_checkup(
    cx: &mut Write,
    Path(at): Path<CheckupPath>,
    Body(change): Body<CheckupChanges>,
) -> Result<CheckupAnswer> {
    let before = Assignment::find_kind(cx, at.checkup_id, FormKind::Checkup)?;
    before.check_open()?;
    before.check_consent(cx)?;
    let mut checkup = before.clone();
    change.due_at.apply(&mut checkup.due_at);
    change.expires_at.apply(&mut checkup.expires_at);
    let new = |is: Option<Timestamp>, was: Option<Timestamp>| is.filter(|_| is != was);
    check_times(
        cx.now(),
        new(checkup.due_at, before.due_at),
        new(checkup.expires_at, before.expires_at),
    )?;
    if checkup.due_at.zip(checkup.expires_at).is_some_and(|(due, expires)| expires < due) {
        return Err(Problem::field(Key::DateRangeOrderInvalid, "expiresAt", FormRule::BeforeDueAt));
    }
    checkup.save(cx, &before)?;
    Ok(CheckupAnswer { checkup: checkup.checkup() })
}

fn cancel_checkup(cx: &mut Write, Path(at): Path<CheckupPath>) -> Result<CheckupAnswer> {
    let before = Assignment::find_kind(cx, at.checkup_id, FormKind::Checkup)?;
    Ok(CheckupAnswer { checkup: Assignment::cancel(cx, &before)?.checkup() })
}

fn review_checkup(
    cx: &mut Write,
    Path(at): Path<CheckupPath>,
    OptionalBody(submitted): OptionalBody<Review>,
) -> Result<CheckupAnswer> {
    let before = Assignment::find_kind(cx, at.checkup_id, FormKind::Checkup)?;
    Ok(CheckupAnswer { checkup: review(cx, &before, submitted)?.checkup() })
}

/// What other areas may ask about check-ups.
pub struct AssignedCheckups;

impl spotter_contract::activity::Checkups for AssignedCheckups {
    fn given(&self, cx: &mut Read, client: ClientId, span: Span) -> Result<(i64, i64)> {
        let (first, last) = (Id::first_at(span.start), Id::first_at(span.end));
        Ok(cx.one(GIVEN, params![client, first, last])?.unwrap_or((0, 0)))
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/checkups", CheckupsRead, list_checkups)
            .summary("List check-ups")
            .describe("Returns check-ups newest first, without answers.")
            .for_own(STAFFS),
        operation!(GET "/checkups/{checkupId}", CheckupsRead, get_checkup)
            .summary("Get a check-up")
            .describe(
                "Returns one check-up with the latest submission: each answer with its question.",
            )
            .for_own(STAFFS)
            .fails(&[Key::NotFound]),
        operation!(POST "/clients/{clientId}/checkups", CheckupsWrite, assign_checkup)
            .success(Success::Assigned)
            .summary("Assign a check-up")
            .describe(
                "Assigns a check-up now and, with a recurrence, again on the same weekday or day \
                 of the month at the same local time.",
            )
            .created()
            .emits(&[Event::CheckupAssigned])
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid, Key::NotFound])
            .confirmation(),
        operation!(PATCH "/checkups/{checkupId}", CheckupsWrite, update_checkup)
            .summary("Change a check-up's due date")
            .describe("Sets until when the check-up is to be answered.")
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid, Key::NotFound]),
        operation!(POST "/checkups/{checkupId}/cancel", CheckupsWrite, cancel_checkup)
            .success(Success::Cancelled)
            .summary("Cancel a check-up")
            .describe(
                "Cancels a check-up that is not answered yet and discards the client's draft. Its \
                 series continues.",
            )
            .fails(&[Key::ApiError, Key::NotFound])
            .confirmation(),
        operation!(POST "/checkups/{checkupId}/review", CheckupsWrite, review_checkup)
            .summary("Review a check-up")
            .describe(
                "Stores the coach's review, which the client can read. Reviewing again replaces \
                 the text.",
            )
            .fails(&[Key::ApiError, Key::NotFound]),
    ])
}

lists! {
    /// Every check-up, the newest first.
    LIST: List<Assignment, Filters> = List::new(
        "form_assignment WHERE company_id = ?1 AND kind = 'checkup'", "assignment_id DESC",
    ).tallied("checkups");
    /// Of clients who consent to storing health data.
    CONSENTED: List<Assignment, Filters> = List::new(
        concat!(
            "form_assignment WHERE company_id = ?1 AND kind = 'checkup' AND ",
            spotter_people::consented_to!("form_assignment")
        ),
        "assignment_id DESC",
    );
}

statements! {
    GIVEN = "SELECT COUNT(*), COUNT(submitted_at) FROM form_assignment WHERE company_id = ?1 AND client_id = ?2 \
        AND assignment_id >= ?3 AND assignment_id < ?4 AND kind = 'checkup'";
}
