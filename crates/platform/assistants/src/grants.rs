//! Grants: what people have granted assistants, to be listed, restricted and revoked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, Effect, ErasureAction, ErasureRule, ListQuery, Offboarding, Path, Read,
    Role, Success, UpdatedFrom, Write, answer, listed, operation, path,
};
use spotter_kernel::{Change, Id, Key, Problem, Result, Timestamp, id::ClientId, id_type};
use spotter_store::{
    Bind, Json, List, column_from, lists, params, parts, record, statements, stored_ids, values,
};

use super::{
    modules::{GrantSubject, Module},
    policy, tokens,
};
use crate::{effects::AssistantEffect, rules::AssistantRule};
use spotter_company::company::Company;
use spotter_people::identity::{accounts::Subject, sessions};

id_type!(
    /// A person's grant to an assistant.
    GrantId,
    RequestInvalid
);
stored_ids!(GrantId);
column_from! { Module: String, Module::parse; }

record! {
    /// An assistant's access to a person's data.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "AssistantGrant")]
    pub struct Grant {
        /// The grant's id.
        pub grant_id: GrantId,
        /// Whether it acts for the company or for a client.
        pub subject: GrantSubject,
        /// The manager or the client who allowed it.
        pub subject_id: Id,
        /// OAuth client of the assistant.
        pub client_id: String,
        /// Name that the assistant gave; not verified.
        pub client_name: String,
        /// Modules that it may use.
        pub modules: Json<Vec<Module>>,
        /// Whether it may only read.
        pub read_only: bool,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
        /// When it was revoked.
        pub revoked_at: Option<Timestamp>,
        /// When the assistant last requested an access token, which it does every hour in use.
        pub last_used_at: Option<Timestamp>,
    }
}

impl Grant {
    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("mcp_grant", self.grant_id, ["grant"]);
        cx.defer(INSERT, &self.params())
    }

    /// Asks ahead for a grant.
    pub(super) fn ask_ahead(cx: &mut Read, id: GrantId) -> Result<()> {
        cx.ask_ahead(FIND, params![id])
    }

    /// The grant with this id.
    pub fn find(cx: &mut Read, id: GrantId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// One that the caller may look after: managers all of the company's, others their own.
    fn own(cx: &mut Read, id: GrantId) -> Result<Self> {
        let grant = Self::find(cx, id)?;
        let actor = &cx.caller().actor;
        let manages = matches!(actor, Actor::Coach { role, .. } if *role >= Role::Manager);
        if manages || actor.id() == Some(grant.subject_id) {
            Ok(grant)
        } else {
            Err(Key::NotFound.into())
        }
    }

    /// Whether the person who gave it may still sign in with the same role, and the company still admits their
    /// assistants.
    pub(super) fn is_of_use(&self, cx: &mut Read) -> Result<bool> {
        let subject = match self.subject {
            GrantSubject::Company => Subject::Coach,
            GrantSubject::Client => Subject::Client,
        };
        let features = Company::find(cx)?.features();
        match sessions::admit(cx, subject, self.subject_id, self.grant_id.0)
            .map(|admitted| admitted.actor)
        {
            // What a manager allowed is not a coach's to use.
            Ok(Actor::Coach { role, .. }) => Ok(features.mcp && role >= Role::Manager),
            Ok(Actor::Client { id, .. }) if features.mcp && features.client_ai => {
                Ok(policy::for_client(cx, id)?.is_some())
            }
            Ok(_) => Ok(false),
            Err(problem) if problem.status < 500 => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    /// Notes that it is used.
    pub(super) fn used(&self, cx: &mut Write) -> Result<()> {
        let now = cx.now();
        cx.defer(USED, params![self.grant_id, now])
    }

    /// Ends earlier grants of the same person to the same assistant, which has connected again.
    pub(super) fn replace(&self, cx: &mut Write) -> Result<()> {
        let of = params![self.client_id, self.subject, self.subject_id];
        let before: Vec<(GrantId,)> = cx.all(EARLIER, of)?;
        before.into_iter().try_for_each(|(id,)| end(cx, id).map(drop))
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("mcp_grant", self.grant_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.facts())
    }
}

listed!(Grants { grants: Grant });

fn list_mcp_grants(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Grants> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

fn list_own_mcp_grants(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Grants> {
    let (subject, id) = match cx.caller().actor {
        Actor::Client { id, .. } => (GrantSubject::Client, id.0),
        Actor::Coach { id, .. } => (GrantSubject::Company, id.0),
        _ => return Err(Key::Forbidden.into()),
    };
    Ok(cx.page_under(&LIST_OF_SUBJECT, &[subject.bind(), id.bind()], &wanted, page)?.into())
}

path!(GrantPath { grant_id: GrantId });

answer!(GrantAnswer { grant: Grant });

/// A reduced access of an assistant.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "AssistantGrantChanges")]
struct GrantLimits {
    /// Modules to keep.
    modules: Change<Vec<Module>>,
    /// Whether it is read-only; that cannot be reversed.
    read_only: Change<bool>,
}

fn limit_mcp_grant(
    cx: &mut Write,
    Path(at): Path<GrantPath>,
    Body(limits): Body<GrantLimits>,
) -> Result<GrantAnswer> {
    let before = Grant::own(cx, at.grant_id)?;
    let mut grant = before.clone();
    limits.modules.map(Json).apply(&mut grant.modules);
    limits.read_only.apply(&mut grant.read_only);
    let fewer = !grant.modules.0.is_empty()
        && grant.modules.0.iter().all(|module| before.modules.0.contains(module));
    if !fewer {
        return Err(Problem::invalid("modules", AssistantRule::MoreThanGranted));
    }
    if before.read_only && !grant.read_only {
        return Err(Problem::invalid("readOnly", AssistantRule::ConsentWidened));
    }
    grant.save(cx, &before)?;
    Ok(GrantAnswer { grant })
}

/// Revokes all grants of a leaving person.
const ENDINGS: &[Effect] = &[
    Effect::new(
        Offboarding::ClientArchived,
        || AssistantEffect::ClientGrantsRevoked.into(),
        |cx, id| end_all(cx, GrantSubject::Client, id),
    ),
    Effect::new(
        Offboarding::CoachDeactivated,
        || AssistantEffect::CoachGrantsRevoked.into(),
        |cx, id| end_all(cx, GrantSubject::Company, id),
    ),
    Effect::new(
        Offboarding::RoleLowered,
        || AssistantEffect::ManagerGrantsRevoked.into(),
        |cx, id| end_all(cx, GrantSubject::Company, id),
    ),
    Effect::new(
        Offboarding::AssistantsOff,
        || AssistantEffect::GrantsRevoked.into(),
        |cx, _| revoke_disallowed_grants(cx),
    ),
];

/// Ends grants that the company's switches and policy do not allow any more, and restricts those that exceed them:
/// switching on again does not restore them.
fn revoke_disallowed_grants(cx: &mut Write) -> Result<u64> {
    let features = Company::find(cx)?.features();
    let mut ended = 0;
    for (grant, subject, id) in cx.all::<(GrantId, GrantSubject, Id)>(ALL_OPEN, params![])? {
        let is_on = features.mcp && (subject == GrantSubject::Company || features.client_ai);
        ended += match (is_on, subject) {
            (false, _) => end(cx, grant).map(|_| 1)?,
            (true, GrantSubject::Client) => cut_down_one(cx, grant, ClientId(id))?,
            (true, GrantSubject::Company) => 0,
        };
    }
    Ok(ended)
}

/// Cuts what a client has allowed down to what they may allow now.
pub(super) fn cut_down(cx: &mut Write, client: ClientId) -> Result<()> {
    let open: Vec<(GrantId,)> = cx.all(OPEN, params![GrantSubject::Client, client.0])?;
    open.into_iter().try_for_each(|(grant,)| cut_down_one(cx, grant, client).map(drop))
}

/// Cuts a client's grant down; 1 where nothing is left of it.
fn cut_down_one(cx: &mut Write, id: GrantId, client: ClientId) -> Result<u64> {
    let allowed = policy::for_client(cx, client)?.unwrap_or_default();
    let before = Grant::find(cx, id)?;
    let mut grant = before.clone();
    grant.modules.0.retain(|module| allowed.contains(module));
    if grant.modules.0.is_empty() {
        return end(cx, id).map(|_| 1);
    }
    grant.save(cx, &before)?;
    Ok(0)
}

/// Revokes all grants of a person.
pub(super) fn end_all(cx: &mut Write, subject: GrantSubject, id: Id) -> Result<u64> {
    let open: Vec<(GrantId,)> = cx.all(OPEN, params![subject, id])?;
    let (now, count) = (cx.now(), open.len() as u64);
    for (grant,) in open {
        cx.defer(REVOKE, params![grant, now])?;
        tokens::revoke_all(cx, grant)?;
    }
    Ok(count)
}

/// Ends a grant and its tokens.
pub(super) fn end(cx: &mut Write, id: GrantId) -> Result<Grant> {
    let before = Grant::find(cx, id)?;
    let mut grant = before.clone();
    grant.revoked_at = grant.revoked_at.or(Some(cx.now()));
    grant.save(cx, &before)?;
    tokens::revoke_all(cx, id)?;
    Ok(grant)
}

fn revoke_mcp_grant(cx: &mut Write, Path(at): Path<GrantPath>) -> Result<GrantAnswer> {
    let grant = Grant::own(cx, at.grant_id)?;
    Ok(GrantAnswer { grant: end(cx, grant.grant_id)? })
}

/// Erasure of clients' rows; a grant comes after the rows that refer to it.
const TRACES: &[ErasureRule] = &[
    ErasureRule::gone("mcp_code", ErasureAction::By(CODES)),
    ErasureRule::gone("mcp_token", ErasureAction::By(TOKENS)),
    ErasureRule::gone("mcp_grant", ErasureAction::By(GRANTS)),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).ends(ENDINGS).erases(TRACES).operations([
        operation!(app GET "/company/mcp/grants", Manager, list_mcp_grants)
            .summary("List the company's assistant grants")
            .describe("Returns what assistants may do for the company's people."),
        operation!(app GET "/mcp/grants", SignedIn, list_own_mcp_grants)
            .summary("List own assistant grants")
            .describe("Returns what the caller has allowed assistants."),
        operation!(app PATCH "/mcp/grants/{grantId}", SignedIn, limit_mcp_grant)
            .summary("Restrict an assistant's grant")
            .describe(
                "Removes modules from a grant: the caller's own or, for managers, the company's.",
            ),
        operation!(app POST "/mcp/grants/{grantId}/revoke", SignedIn, revoke_mcp_grant)
            .success(Success::Revoked)
            .summary("Revoke an assistant's grant")
            .describe("The assistant's tokens stop working at once."),
    ])
}

lists! {
    /// Every grant of the company, newest first.
    LIST: List<Grant, UpdatedFrom> = List::new("mcp_grant WHERE company_id = ?1", "grant_id DESC");

    /// The grants of a person, newest first.
    LIST_OF_SUBJECT: List<Grant, UpdatedFrom> = List::new(
        "mcp_grant WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3",
        "grant_id DESC",
    );
}

parts! {
    Grant by grant_id without subject, subject_id, client_id, client_name, created_at, last_used_at;
    FACTS facts: modules, read_only, updated_at, revoked_at;
}

statements! {
    INSERT = "INSERT INTO mcp_grant ", values!(Grant);
    FIND = "SELECT ", Grant::COLUMNS, " FROM mcp_grant WHERE company_id = ?1 AND grant_id = ?2";
    USED = "UPDATE mcp_grant SET last_used_at = ?3 WHERE company_id = ?1 AND grant_id = ?2";
    EARLIER = "SELECT grant_id FROM mcp_grant WHERE company_id = ?1 AND client_id = ?2 \
        AND subject = ?3 AND subject_id = ?4 AND revoked_at IS NULL";
    OPEN = "SELECT grant_id FROM mcp_grant WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND revoked_at IS NULL";
    ALL_OPEN = "SELECT grant_id, subject, subject_id FROM mcp_grant WHERE company_id = ?1 AND revoked_at IS NULL \
        ORDER BY grant_id LIMIT 100000";
    REVOKE = "UPDATE mcp_grant SET revoked_at = ?3, updated_at = ?3 WHERE company_id = ?1 AND grant_id = ?2";
    CODES = "DELETE FROM mcp_code WHERE company_id = ?1 AND grant_id IN (SELECT grant_id FROM mcp_grant \
        WHERE company_id = ?1 AND subject = 'client' AND subject_id = ?2)";
    TOKENS = "DELETE FROM mcp_token WHERE company_id = ?1 AND grant_id IN (SELECT grant_id FROM mcp_grant \
        WHERE company_id = ?1 AND subject = 'client' AND subject_id = ?2)";
    GRANTS = "DELETE FROM mcp_grant WHERE company_id = ?1 AND subject = 'client' AND subject_id = ?2";
    SAVE = "UPDATE mcp_grant SET ", Grant::FACTS, " WHERE company_id = ?1 AND grant_id = ?2";
}
