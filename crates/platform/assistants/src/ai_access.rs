//! Whether a client's own assistants are admitted. The company's switch and policy apply to all clients; a manager
//! may decide otherwise for one, and a client may switch their own access off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ErasureAction, ErasureRule, ExportSection, Path, Read, Write, answer, operation,
};
use spotter_kernel::{Problem, Result, Timestamp, id::ClientId};
use spotter_store::{params, record, statements, values, words};

use super::{
    grants,
    modules::{GrantSubject, Module},
    policy,
};
use crate::rules::AssistantRule;
use spotter_people::clients::{Client, ClientPath};

words! {
    /// Whether a client's assistants are admitted: by the company's policy, or by a decision about this client.
    pub enum AiAccess { Default = "default", On = "on", Off = "off" }
}

record! {
    /// The decisions about a client's assistants.
    #[derive(Debug, Clone, PartialEq)]
    struct AiAccessChoice {
        client_id: ClientId,
        ai_access: AiAccess,
        updated_at: Timestamp,
    }
}

/// Whether a client's assistants have access, and to which modules.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClientAiAccess {
    client_id: ClientId,
    /// `default` for the company's policy, `on`, or `off`.
    ai_access: AiAccess,
    /// Whether they are admitted after all rules: the company's switches and policy, and that the client is active.
    is_let_in: bool,
    /// Modules that the client may allow; empty if assistants are not allowed.
    modules: Vec<Module>,
    /// Instant of the last change; null before the first.
    updated_at: Option<Timestamp>,
}

impl ClientAiAccess {
    fn of(cx: &mut Read, client: &Client, submitted: Option<AiAccessChoice>) -> Result<Self> {
        let features = cx.caller().features;
        let is_on = features.mcp && features.client_ai && client.is_active();
        let modules = policy::for_client(cx, client.client_id)?.filter(|_| is_on);
        let modules = modules.unwrap_or_default();
        Ok(Self {
            client_id: client.client_id,
            ai_access: submitted
                .as_ref()
                .map_or(AiAccess::Default, |submitted| submitted.ai_access),
            is_let_in: !modules.is_empty(),
            modules,
            updated_at: submitted.map(|submitted| submitted.updated_at),
        })
    }
}

answer!(AiAccessAnswer { ai_access: ClientAiAccess });

fn get_ai_access(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<AiAccessAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let choice = cx.one(FIND, params![at.client_id])?;
    Ok(AiAccessAnswer { ai_access: ClientAiAccess::of(cx, &client, choice)? })
}

/// The access of a client's assistants.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ClientAiAccessChanges")]
struct NewAiAccess {
    /// Clients can only set `off`, for themselves.
    ai_access: AiAccess,
}

fn set_ai_access(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewAiAccess>,
) -> Result<AiAccessAnswer> {
    let client = Client::find(cx, at.client_id)?;
    if !cx.by_staff() && new.ai_access != AiAccess::Off {
        return Err(Problem::invalid("aiAccess", AssistantRule::AiTurnedOffByCompany));
    }
    let choice =
        AiAccessChoice { client_id: at.client_id, ai_access: new.ai_access, updated_at: cx.now() };
    cx.set_audit_target("client", at.client_id, ["aiAccess"]);
    cx.execute(FORGET, params![at.client_id])?;
    cx.execute(INSERT, &choice.params())?;
    if new.ai_access == AiAccess::Off {
        grants::end_all(cx, GrantSubject::Client, at.client_id.0)?;
    } else {
        grants::cut_down(cx, at.client_id)?;
    }
    Ok(AiAccessAnswer { ai_access: ClientAiAccess::of(cx, &client, Some(choice))? })
}

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::gone("client_ai_access", ErasureAction::By(FORGET))];

/// What of it a client's data exports hold.
const EXPORTS: &[ExportSection] = &[ExportSection::of("ai-access", "get_ai_access")];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).erases(TRACES).exports(EXPORTS).operations([
        operation!(app GET "/clients/{clientId}/ai-access", Coach, get_ai_access)
            .summary("Get a client's assistant access")
            .describe("Returns whether assistants may act for the client.")
            .for_client(&[]),
        operation!(app PUT "/clients/{clientId}/ai-access", Manager, set_ai_access)
            .summary("Set a client's assistant access")
            .describe(
                "`off` ends the client's grants at once. Clients may turn it off for themselves; \
                 only the company can turn it on again.",
            )
            .for_client(&[]),
    ])
}

statements! {
    FIND = "SELECT ", AiAccessChoice::COLUMNS, " FROM client_ai_access WHERE company_id = ?1 AND client_id = ?2";
    INSERT = "INSERT INTO client_ai_access ", values!(AiAccessChoice);
    FORGET = "DELETE FROM client_ai_access WHERE company_id = ?1 AND client_id = ?2";
}
