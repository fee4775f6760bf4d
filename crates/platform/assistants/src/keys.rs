//! Static keys for scripts: made by a manager, acting for them, shown once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, Effect, ListQuery, Offboarding, Path, Read, Success, UpdatedFrom, Write,
    answer, listed, operation, path, vault,
};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp, id::CoachId, id_type, limits::MCP_KEY_DAYS_DEFAULT,
    number::BoundedInteger, secret::CredentialKind, text::Name,
};
use spotter_store::{Json, List, lists, params, record, statements, stored_ids, values};

use super::modules::{GrantSubject, Module};
use crate::{effects::AssistantEffect, rules::AssistantRule};
use spotter_company::company::Company;

id_type!(
    /// A static key of the MCP server.
    McpKeyId,
    RequestInvalid
);
stored_ids!(McpKeyId);

/// Most keys of a company that are neither revoked nor expired.
const KEYS_MAX: i64 = 50;

record! {
    /// A static key for the MCP server.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct McpKey {
        /// The key's id.
        pub key_id: McpKeyId,
        name: String,
        /// The manager who created it, for whom it acts.
        pub coach_id: CoachId,
        /// Modules that it may use.
        pub modules: Json<Vec<Module>>,
        /// Whether it may only read.
        pub read_only: bool,
        /// The key's last four characters.
        last4: String,
        /// Instant at which the key expires.
        pub expires_at: Timestamp,
        created_at: Timestamp,
        updated_at: Timestamp,
        /// When it was revoked.
        pub revoked_at: Option<Timestamp>,
    }
}

impl McpKey {
    fn find(cx: &mut Read, id: McpKeyId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }
}

listed!(McpKeys { keys: McpKey });

fn list_mcp_keys(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<McpKeys> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

/// The MCP key to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewMcpKey {
    name: Name<120>,
    /// Modules of the company.
    #[schemars(length(min = 1))]
    modules: Vec<Module>,
    /// Whether it may only read.
    #[serde(default)]
    read_only: bool,
    /// Days until the key expires; 90 when absent.
    expires_in_days: Option<BoundedInteger<1, 365>>,
}

/// The created key.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MadeMcpKey {
    key: McpKey,
    /// The key itself, shown this once.
    secret: String,
}

fn create_mcp_key(cx: &mut Write, Body(new): Body<NewMcpKey>) -> Result<MadeMcpKey> {
    let Actor::Coach { id: coach_id, .. } = cx.caller().actor else {
        return Err(Key::Forbidden.into());
    };
    if !cx.caller().features.mcp {
        return Err(Key::CompanyMcpFeatureDisabled.into());
    }
    let of_company = |module: &Module| module.subject() == GrantSubject::Company;
    if new.modules.is_empty() || !new.modules.iter().all(of_company) {
        return Err(Problem::invalid("modules", AssistantRule::NoCoaches));
    }
    let now = cx.now();
    let active: Option<(i64,)> = cx.one(ACTIVE, params![now])?;
    if active.is_some_and(|(count,)| count >= KEYS_MAX) {
        return Err(Problem::conflict("keys", AssistantRule::TooManyKeys { max: KEYS_MAX }));
    }
    let secret = cx.new_credential(CredentialKind::McpKey);
    let days = new.expires_in_days.map_or(MCP_KEY_DAYS_DEFAULT, |days| days.0);
    let text = secret.expose();
    let key = McpKey {
        key_id: McpKeyId(cx.new_id()),
        name: new.name.into(),
        coach_id,
        modules: Json(new.modules),
        read_only: new.read_only,
        last4: text[text.len() - 4..].to_owned(),
        expires_at: now.plus_days(days),
        created_at: now,
        updated_at: now,
        revoked_at: None,
    };
    cx.set_audit_target("mcp_key", key.key_id, ["key"]);
    let digest = vault::digest(&secret);
    let mut row = key.params();
    row.push(spotter_store::Bind::bind(&digest));
    cx.defer(INSERT, &row)?;
    Ok(MadeMcpKey { secret: text.to_owned(), key })
}

path!(McpKeyPath { key_id: McpKeyId });

answer!(McpKeyAnswer { key: McpKey });

fn revoke_mcp_key(cx: &mut Write, Path(at): Path<McpKeyPath>) -> Result<McpKeyAnswer> {
    let before = McpKey::find(cx, at.key_id)?;
    let mut key = before.clone();
    key.revoked_at = key.revoked_at.or(Some(cx.now()));
    if let Some(now) = cx.audit_fields("mcp_key", at.key_id, key.changed(&before)) {
        key.updated_at = now;
        cx.defer(REVOKE, params![at.key_id, now])?;
    }
    Ok(McpKeyAnswer { key })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).ends(ENDINGS).operations([
        operation!(app GET "/company/mcp/keys", Manager, list_mcp_keys)
            .summary("List MCP keys")
            .describe("Returns keys without their secrets."),
        operation!(app POST "/company/mcp/keys", Manager, create_mcp_key)
            .success(Success::Added)
            .summary("Create an MCP key")
            .describe(
                "Creates a key that acts for the calling manager, for scripts. It is shown once.",
            )
            .created()
            .secret(&["secret"])
            .fails(&[Key::CompanyMcpFeatureDisabled, Key::ApiError]),
        operation!(app POST "/company/mcp/keys/{keyId}/revoke", Manager, revoke_mcp_key)
            .success(Success::Revoked)
            .summary("Revoke an MCP key")
            .describe("The key stops working at once."),
    ])
}

const ENDINGS: &[Effect] = &[
    Effect::new(
        Offboarding::CoachDeactivated,
        || AssistantEffect::CoachKeysRevoked.into(),
        revoke_of_coach,
    ),
    Effect::new(
        Offboarding::RoleLowered,
        || AssistantEffect::ManagerKeysRevoked.into(),
        revoke_of_coach,
    ),
    Effect::new(
        Offboarding::AssistantsOff,
        || AssistantEffect::AllKeysSwitchedOff.into(),
        |cx, _| {
            let now = cx.now();
            match Company::find(cx)?.features().mcp {
                true => Ok(0),
                false => cx.execute(REVOKE_ALL, params![now]),
            }
        },
    ),
];

fn revoke_of_coach(cx: &mut Write, id: Id) -> Result<u64> {
    let now = cx.now();
    cx.execute(REVOKE_OF_COACH, params![id, now])
}

lists! {
    /// Every key, newest first.
    LIST: List<McpKey, UpdatedFrom> = List::new("mcp_key WHERE company_id = ?1", "key_id DESC");
}

statements! {
    FIND = "SELECT ", McpKey::COLUMNS, " FROM mcp_key WHERE company_id = ?1 AND key_id = ?2";
    pub(super) BY_DIGEST = "SELECT ", McpKey::COLUMNS, " FROM mcp_key WHERE company_id = ?1 AND digest = ?2";
    ACTIVE = "SELECT COUNT(*) FROM mcp_key WHERE company_id = ?1 AND revoked_at IS NULL AND expires_at > ?2";
    INSERT = "INSERT INTO mcp_key ", values!(McpKey, digest);
    REVOKE_OF_COACH = "UPDATE mcp_key SET revoked_at = ?3, updated_at = ?3 \
        WHERE company_id = ?1 AND coach_id = ?2 AND revoked_at IS NULL";
    REVOKE_ALL = "UPDATE mcp_key SET revoked_at = ?2, updated_at = ?2 WHERE company_id = ?1 AND revoked_at IS NULL";
    REVOKE = "UPDATE mcp_key SET revoked_at = ?3, updated_at = ?3 WHERE company_id = ?1 AND key_id = ?2";
}
