//! The timeline: every step of a client's way through the company, from the client's own history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, ListQuery, Path, Read, Write, listed, operation};
use spotter_kernel::{Id, Result, Timestamp, id::ClientId};
use spotter_store::{Bind, Json, List, NoFilters, lists, params, record, statements, words};

use super::{record::Client, search::ClientPath};

words! {
    /// What happened.
    pub enum StepType {
        Created = "created",
        Approved = "relationship_approved",
        Rejected = "relationship_rejected",
        Invited = "invited",
        PortalOpened = "portal_opened",
        CoachAssigned = "coach_assigned",
        Archived = "archived",
        Restored = "restored",
        SignInAddressRequested = "sign_in_address_requested",
        SignInAddressConfirmed = "sign_in_address_confirmed",
    }
}

/// The value of a field before and after a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FieldChange")]
struct Change {
    /// The field's name.
    field: String,
    /// The value before; `null` where there was none.
    from: Option<String>,
    /// The value after; `null` where there is none.
    to: Option<String>,
}

/// A step to be recorded.
pub(crate) struct NewStep {
    kind: StepType,
    changes: Vec<Change>,
}

impl NewStep {
    /// A step that needs no more telling.
    pub(crate) fn new(kind: StepType) -> Self {
        Self { kind, changes: Vec::new() }
    }

    /// A step that moved the client's statuses or coach.
    pub(super) fn moved(kind: StepType, before: &Client, after: &Client) -> Self {
        let facts = |client: &Client| {
            [
                ("relationshipStatus", Some(client.relationship_status.word().to_owned())),
                ("memberStatus", Some(client.member_status.word().to_owned())),
                ("portalAccessStatus", Some(client.portal_access_status.word().to_owned())),
                ("assignedCoachId", client.assigned_coach_id.map(|id| id.to_string())),
            ]
        };
        let changes = facts(before)
            .into_iter()
            .zip(facts(after))
            .filter(|((_, from), (_, to))| from != to)
            .map(|((field, from), (_, to))| Change { field: field.to_owned(), from, to })
            .collect();
        Self { kind, changes }
    }

    /// Writes the step into the client's history.
    pub(crate) fn record(self, cx: &mut Write, client: ClientId) -> Result<()> {
        let (id, actor) = (cx.new_id(), &cx.caller().actor);
        let changes = Json(self.changes);
        cx.defer(RECORD, params![client, id, self.kind, actor, actor.id(), changes])
    }
}

record! {
    /// A step of a client's way.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct StepRow {
        step_id: Id,
        r#type: StepType,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
        actor_type: String,
        actor_id: Option<Id>,
        changes: Json<Vec<Change>>,
    }
}

/// A step in a client's lifecycle.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LifecycleStep")]
struct StepView {
    #[serde(flatten)]
    step: StepRow,
    at: Timestamp,
}

listed!(Timeline { steps: StepView });

fn get_client_timeline(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Timeline> {
    Client::find(cx, at.client_id)?;
    let steps = cx.page_under(&LIST, &[at.client_id.bind()], &NoFilters {}, page)?;
    Ok(steps.map(|step| StepView { at: step.step_id.created_at(), step }).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/clients/{clientId}/timeline", ClientTimelineRead, get_client_timeline)
            .summary("List a client's lifecycle steps")
            .describe(
                "Returns the steps of the client's relationship with the company, newest first.",
            )
            .tagged("Client timeline"),
    ])
}

lists! {
    /// One client's steps, newest first; a client takes few.
    LIST: List<StepRow> =
        List::new("client_step WHERE company_id = ?1 AND client_id = ?2", "step_id DESC");
}

statements! {
    RECORD = "INSERT INTO client_step (company_id, client_id, step_id, type, actor_type, actor_id, changes) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
}
