//! Archiving and restoring clients, and who and what they are assigned.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, Offboarding, OptionalBody, Path, Success, Write, answer, operation,
};
use spotter_kernel::{
    Event, Key, Many, Problem, Result,
    id::{ClientId, CoachId},
    text::{Text, quoted},
};

use super::{
    UPDATED,
    profile::folded_tags,
    record::{Client, Lifecycle, MemberStatus, RelationshipStatus},
    search::{ClientAnswer, ClientPath},
    timeline::{NewStep, StepType},
};
use crate::{coaches::Coach, effects::PeopleEffect, rules::PeopleRule};

/// Why a client is archived, and when their memberships end. `archiveReason` takes precedence where
/// both reasons are given.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClientArchival {
    reason: Option<Text<500>>,
    archive_reason: Option<Text<500>>,
    /// Memberships end as if they were cancelled today, by their terms, and are billed until then; without it they
    /// end now.
    end_of_term: bool,
}

answer!(
    /// The client's statuses.
    pub(super) LifecycleAnswer {
        lifecycle: Lifecycle,
    }
);

/// Archives a client and announces it; an archived client stays as it is. Memberships end now, or at the end of
/// their terms, until when they make the client a member.
pub fn archive(
    cx: &mut Write,
    id: ClientId,
    reason: Option<String>,
    end_of_term: bool,
) -> Result<Client> {
    let before = Client::find(cx, id)?;
    let mut client = before.clone();
    if client.is_archived() {
        cx.set_audit_target("client", id, Vec::<String>::new());
        cx.describe_effect(|| PeopleEffect::ClientArchivedAlready { name: quoted(&client.name()) });
        return Ok(client);
    }
    client.relationship_status = RelationshipStatus::Archived;
    if client.is_member() && !end_of_term {
        client.member_status = MemberStatus::Former;
    }
    client.archived_at = Some(cx.now());
    client.archive_reason = reason;
    client.save(cx, &before)?;
    cx.as_of(before.updated_at());
    cx.describe_effect(|| PeopleEffect::ClientArchived { name: quoted(&client.name()) });
    cx.end(Offboarding::ClientArchived, id)?;
    match end_of_term {
        true => cx.end(Offboarding::ClientLeavesAtTerm, id)?,
        false => cx.end(Offboarding::ClientLeavesAtOnce, id)?,
    }
    let client = Client::find(cx, id)?;
    NewStep::moved(StepType::Archived, &before, &client).record(cx, id)?;
    cx.emit(Event::ClientArchived, &client.event())?;
    Ok(client)
}

fn archive_client(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    OptionalBody(why): OptionalBody<ClientArchival>,
) -> Result<LifecycleAnswer> {
    let reason = why.archive_reason.or(why.reason).map(Into::into);
    Ok(LifecycleAnswer {
        lifecycle: archive(cx, at.client_id, reason, why.end_of_term)?.lifecycle(),
    })
}

fn restore_client(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<LifecycleAnswer> {
    let before = Client::find(cx, at.client_id)?;
    let mut client = before.clone();
    if client.is_archived() {
        client.relationship_status = RelationshipStatus::Active;
        client.archived_at = None;
        client.archive_reason = None;
        NewStep::moved(StepType::Restored, &before, &client).record(cx, client.client_id)?;
    }
    client.update(cx, &before)?;
    Ok(LifecycleAnswer { lifecycle: client.lifecycle() })
}

/// The coach to assign to a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CoachAssignment {
    /// Id of the coach to assign.
    #[schemars(required, with = "CoachId")]
    coach_id: Option<CoachId>,
}

/// Gives a client to a coach and announces the change.
pub fn assign_coach(cx: &mut Write, id: ClientId, coach: CoachId) -> Result<Client> {
    let before = Client::find(cx, id)?;
    Coach::find_assignable(cx, coach)?;
    let mut client = before.clone();
    client.assigned_coach_id = Some(coach);
    save_assignments(cx, &before, &mut client)?;
    Ok(client)
}

/// Saves the coach and the tags of a client, and announces the change.
pub(super) fn save_assignments(cx: &mut Write, before: &Client, client: &mut Client) -> Result<()> {
    if client.assigned_coach_id != before.assigned_coach_id {
        NewStep::moved(StepType::CoachAssigned, before, client).record(cx, client.client_id)?;
    }
    client.update(cx, before)
}

fn assign_client_coach(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(wanted): Body<CoachAssignment>,
) -> Result<ClientAnswer> {
    Client::find(cx, at.client_id)?;
    let coach = wanted
        .coach_id
        .ok_or_else(|| Problem::field(Key::CoachRequired, "coachId", PeopleRule::CoachRequired))?;
    Ok(ClientAnswer { client: assign_coach(cx, at.client_id, coach)? })
}

/// The tags of a client; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClientTags {
    /// At most 50 tags, replacing those before; kept in lower case.
    tags: Many<Text<60>, 0, 50>,
}

fn set_client_tags(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(wanted): Body<ClientTags>,
) -> Result<ClientAnswer> {
    let before = Client::find(cx, at.client_id)?;
    let mut client = before.clone();
    client.tags = folded_tags(wanted.tags);
    client.update(cx, &before)?;
    Ok(ClientAnswer { client })
}

/// What archiving announces, with all that ends with it.
pub(super) const ARCHIVES: &[Event] = &[
    Event::ClientArchived,
    Event::BookingCancelled,
    Event::BookingUpdated,
    Event::BookingRequestRejected,
    Event::RecurringBookingChanged,
    Event::ClientProductRevoked,
    Event::SubscriptionCancelled,
    Event::SubscriptionChanged,
    Event::InvoiceCreated,
    Event::InvoicePaid,
    Event::InvoiceCancelled,
    Event::CreditAssigned,
    Event::PaymentRequestCreated,
    Event::PaymentRequestCancelled,
    Event::CreditAdjusted,
    Event::CreditRevoked,
    Event::ClientUpdated,
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/clients/{clientId}/archive", ClientsWrite, archive_client)
            .success(Success::Archived)
            .summary("Archive a client")
            .describe(
                "Archives the relationship between the company and the client; the records stay. \
                 Memberships end now, or at the end of their terms with `endOfTerm`. Archiving \
                 again returns the first archive unchanged.",
            )
            .emits(ARCHIVES)
            .always(&[Event::ClientArchived])
            .confirmation(),
        operation!(POST "/clients/{clientId}/restore", ClientsWrite, restore_client)
            .success(Success::Restored)
            .summary("Restore a client")
            .describe(
                "Reactivates an archived relationship. `memberStatus` stays as archiving left it.",
            )
            .emits(UPDATED)
            .fails(&[Key::ApiError]),
        operation!(PUT "/clients/{clientId}/coach", ClientsWrite, assign_client_coach)
            .success(Success::Assigned)
            .summary("Assign a coach")
            .describe("Sets the client's assigned coach.")
            .emits(UPDATED)
            .fails(&[Key::CoachRequired]),
        operation!(PUT "/clients/{clientId}/tags", ClientsWrite, set_client_tags)
            .summary("Set a client's tags")
            .describe("Replaces all tags of the client.")
            .emits(UPDATED),
    ])
}
