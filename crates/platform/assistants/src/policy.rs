//! What a company lets its clients' assistants reach, and of which clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Offboarding, Read, Write, answer, operation};
use spotter_kernel::{Problem, Result, id::ClientId};
use spotter_store::{Json, params, statements, words};

use super::{
    ai_access::AiAccess,
    modules::{GrantSubject, Module},
};
use crate::rules::AssistantRule;

words! {
    /// The clients whose assistants are admitted, unless decided otherwise for a client.
    pub enum Clients { All = "all", Chosen = "chosen" }
}

/// The modules that a client may grant: those of the company's policy, all of the client's where it has none; none
/// where this client's assistants are not admitted.
pub(super) fn for_client(cx: &mut Read, client: ClientId) -> Result<Option<Vec<Module>>> {
    type Found = (Option<Json<Vec<Module>>>, Option<Clients>, Option<AiAccess>);
    let found: Option<Found> = cx.one(FOR_CLIENT, params![client])?;
    let (modules, clients, access) = found.unwrap_or_default();
    let is_let_in = match access.unwrap_or(AiAccess::Default) {
        AiAccess::Default => clients != Some(Clients::Chosen),
        AiAccess::On => true,
        AiAccess::Off => false,
    };
    Ok(is_let_in.then(|| modules.map_or_else(all, |Json(modules)| modules)))
}

fn all() -> Vec<Module> {
    Module::of(GrantSubject::Client).collect()
}

/// The access of clients' assistants in a company.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AiPolicy")]
struct Policy {
    /// Modules of clients; where empty, no client's assistant is admitted.
    client_modules: Vec<Module>,
    /// `chosen` for clients whose `aiAccess` is `on`.
    clients: Clients,
}

/// The access of clients' assistants in a company.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AiPolicyChanges")]
struct NewPolicy {
    /// Modules of clients; none to let no assistant of a client's in.
    client_modules: Vec<Module>,
    /// `chosen` for clients whose `aiAccess` is `on`; `all` when absent.
    clients: Option<Clients>,
}

answer!(PolicyAnswer { policy: Policy });

fn get_mcp_policy(cx: &mut Read) -> Result<PolicyAnswer> {
    let found: Option<(Json<Vec<Module>>, Clients)> = cx.one(FIND, params![])?;
    let (client_modules, clients) =
        found.map_or_else(|| (all(), Clients::All), |(Json(modules), clients)| (modules, clients));
    Ok(PolicyAnswer { policy: Policy { client_modules, clients } })
}

fn set_mcp_policy(cx: &mut Write, Body(new): Body<NewPolicy>) -> Result<PolicyAnswer> {
    let clients = new.clients.unwrap_or(Clients::All);
    let mut policy = Policy { client_modules: new.client_modules, clients };
    if policy.client_modules.iter().any(|module| module.subject() != GrantSubject::Client) {
        return Err(Problem::invalid("clientModules", AssistantRule::NotClientModules));
    }
    policy.client_modules.sort();
    policy.client_modules.dedup();
    let (company, now) = (cx.company(), cx.now());
    cx.set_audit_target("company", company, ["mcpPolicy"]);
    cx.execute(SET, params![Json(&policy.client_modules), policy.clients, now])?;
    cx.end(Offboarding::AssistantsOff, company.0)?;
    Ok(PolicyAnswer { policy })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/company/mcp/policy", Manager, get_mcp_policy)
            .summary("Get the policy for clients' assistants")
            .describe("Returns which modules clients' assistants may use, and for which clients."),
        operation!(app PUT "/company/mcp/policy", Manager, set_mcp_policy)
            .reauthentication()
            .summary("Set the policy for clients' assistants")
            .describe(
                "Grants that exceed the policy are reduced to it, and end where nothing is left; \
                 extending them needs a new consent.",
            ),
    ])
}

statements! {
    FIND = "SELECT client_modules, clients FROM mcp_policy WHERE company_id = ?1";
    FOR_CLIENT = "SELECT p.client_modules, p.clients, a.ai_access FROM company c \
        LEFT JOIN mcp_policy p ON p.company_id = c.company_id \
        LEFT JOIN client_ai_access a ON a.company_id = c.company_id AND a.client_id = ?2 \
        WHERE c.company_id = ?1";
    SET = "INSERT INTO mcp_policy (company_id, client_modules, clients, updated_at) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (company_id) DO UPDATE SET client_modules = excluded.client_modules, \
        clients = excluded.clients, updated_at = excluded.updated_at";
}
