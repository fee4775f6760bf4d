//! Bringing clients in: portal invitations, and relationships that wait for approval.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Path, Success, Write, operation};
use spotter_kernel::{Event, Key, Problem, Result, id::ClientId};

use super::{
    lifecycle::LifecycleAnswer,
    record::{Client, Lifecycle, PortalAccessStatus, RelationshipStatus},
    search::ClientPath,
    timeline::{NewStep, StepType},
};
use crate::{
    effects::PeopleEffect,
    identity::accounts::{self, Invitation, Subject},
    rules::PeopleRule,
};
use spotter_mail::Recipient;

/// The client's statuses and the invitation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InvitedClient {
    lifecycle: Lifecycle,
    /// The invitation, sent to the client's email address.
    pub invitation: Invitation,
}

/// Invites a client to the portal and announces it.
pub fn invite(cx: &mut Write, id: ClientId) -> Result<InvitedClient> {
    let before = Client::find(cx, id)?;
    let mut client = before.clone();
    let Some(email) = client.email.clone() else {
        return Err(Key::ClientEmailRequiredForInvite.into());
    };
    if client.relationship_status != RelationshipStatus::Active {
        return Err(Problem::conflict("relationshipStatus", PeopleRule::NotActiveToInvite));
    }
    if client.portal_access_status == PortalAccessStatus::Active {
        return Err(Problem::conflict("portalAccessStatus", PeopleRule::HasPortalAccess));
    }
    client.portal_access_status = PortalAccessStatus::Invited;
    client.save(cx, &before)?;
    cx.set_audit_target("client", id, ["invitation"]);
    let (name, language) = (client.first_name(), client.language());
    let to = Recipient {
        email: &email,
        name,
        language,
        client: Some(client.client_id),
        signs_in: false,
    };
    let invitation = accounts::invite(cx, Subject::Client, id.0, to)?;
    NewStep::moved(StepType::Invited, &before, &client).record(cx, id)?;
    cx.emit(Event::ClientInvited, &client.event())?;
    if client.portal_access_status != before.portal_access_status {
        cx.emit(Event::ClientPortalAccessChanged, &client.event())?;
    }
    Ok(InvitedClient { lifecycle: client.lifecycle(), invitation })
}

/// Invites a client who has just confirmed their address, and so needs no letter: what sets the password is handed over.
pub fn invite_confirmed(cx: &mut Write, before: &Client) -> Result<Invitation> {
    let (email, id) = (before.email().ok_or(Key::ClientEmailRequiredForInvite)?, before.client_id);
    let invitation = accounts::invite_confirmed(cx, Subject::Client, id.0, email)?;
    let mut client = before.clone();
    client.portal_access_status = PortalAccessStatus::Invited;
    client.save(cx, before)?;
    NewStep::moved(StepType::Invited, before, &client).record(cx, id)?;
    cx.emit(Event::ClientInvited, &client.event())?;
    if client.portal_access_status != before.portal_access_status {
        cx.emit(Event::ClientPortalAccessChanged, &client.event())?;
    }
    Ok(invitation)
}

fn invite_client(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<InvitedClient> {
    invite(cx, at.client_id)
}

/// Gives an invited client access to the portal, once the invitation is accepted; returns the
/// address that the client signs in with.
pub fn open_portal(cx: &mut Write, id: ClientId) -> Result<String> {
    let before = Client::find(cx, id)?;
    let mut client = before.clone();
    let email = client.email.clone().ok_or(Key::ClientEmailRequiredForInvite)?;
    client.portal_access_status = PortalAccessStatus::Active;
    client.save(cx, &before)?;
    if client.portal_access_status != before.portal_access_status {
        NewStep::moved(StepType::PortalOpened, &before, &client).record(cx, id)?;
        cx.emit(Event::ClientPortalAccessChanged, &client.event())?;
    }
    Ok(email)
}

fn decide(
    cx: &mut Write,
    id: ClientId,
    to: RelationshipStatus,
    step: StepType,
    event: Event,
) -> Result<LifecycleAnswer> {
    let before = Client::find(cx, id)?;
    if before.relationship_status != RelationshipStatus::Pending {
        return Err(Problem::conflict("relationshipStatus", PeopleRule::NotPendingClient));
    }
    let mut client = before.clone();
    client.relationship_status = to;
    client.save(cx, &before)?;
    NewStep::moved(step, &before, &client).record(cx, id)?;
    cx.emit(event, &client.event())?;
    Ok(LifecycleAnswer { lifecycle: client.lifecycle() })
}

fn approve_client_relationship(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
) -> Result<LifecycleAnswer> {
    let (to, step) = (RelationshipStatus::Active, StepType::Approved);
    decide(cx, at.client_id, to, step, Event::ClientRelationshipApproved)
}

fn reject_client_relationship(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
) -> Result<LifecycleAnswer> {
    let (to, step) = (RelationshipStatus::Rejected, StepType::Rejected);
    cx.describe_effect(|| PeopleEffect::ClientRejected);
    decide(cx, at.client_id, to, step, Event::ClientRelationshipRejected)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/clients/{clientId}/invite", ClientOnboardingWrite, invite_client)
            .success(Success::Invited)
            .summary("Invite a client to the portal")
            .describe(
                "Mails the client an invitation. If the installation sends no mail, the response \
                 contains the invitation's token once. Inviting again replaces the open \
                 invitation.",
            )
            .emits(&[Event::ClientInvited, Event::ClientPortalAccessChanged])
            .secret(&["invitation.token"])
            .fails(&[Key::ClientEmailRequiredForInvite, Key::ApiError]),
        operation!(POST "/clients/{clientId}/relationship/approve", ClientOnboardingWrite,
            approve_client_relationship)
        .success(Success::Approved)
        .summary("Approve a relationship")
        .describe("Activates a pending relationship between the client and the company.")
        .emits(&[Event::ClientRelationshipApproved])
        .fails(&[Key::ApiError]),
        operation!(POST "/clients/{clientId}/relationship/reject", ClientOnboardingWrite,
            reject_client_relationship)
        .success(Success::Rejected)
        .summary("Reject a relationship")
        .describe("Declines a pending relationship between the client and the company.")
        .emits(&[Event::ClientRelationshipRejected])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}
