//! What a company lets its clients' assistants reach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Read, Write, answer, operation};
use spotter_kernel::{Problem, Result};
use spotter_store::{Json, params, statements};

use super::modules::{GrantSubject, Module};

/// The modules that clients may allow; all of theirs where the company has not said.
pub(super) fn client_modules(cx: &mut Read) -> Result<Vec<Module>> {
    let found: Option<(Json<Vec<Module>>,)> = cx.one(FIND, params![])?;
    Ok(found.map_or_else(|| Module::of(GrantSubject::Client).collect(), |(modules,)| modules.0))
}

/// What a company lets its clients' assistants reach.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Policy {
    /// Modules of clients; none to let no assistant of a client's in.
    client_modules: Vec<Module>,
}

answer!(PolicyAnswer { policy: Policy });

fn get_mcp_policy(cx: &mut Read) -> Result<PolicyAnswer> {
    Ok(PolicyAnswer { policy: Policy { client_modules: client_modules(cx)? } })
}

fn set_mcp_policy(cx: &mut Write, Body(mut policy): Body<Policy>) -> Result<PolicyAnswer> {
    if policy.client_modules.iter().any(|module| module.subject() != GrantSubject::Client) {
        return Err(Problem::invalid("clientModules", "must be modules of clients"));
    }
    policy.client_modules.sort();
    policy.client_modules.dedup();
    let (company, now) = (cx.company(), cx.now());
    cx.touch("company", company, ["mcpPolicy"]);
    cx.defer(SET, params![Json(&policy.client_modules), now])?;
    Ok(PolicyAnswer { policy })
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/company/mcp/policy", Manager, get_mcp_policy)
            .summary("Get what clients' assistants may reach"),
        operation!(app PUT "/company/mcp/policy", Manager, set_mcp_policy)
            .summary("Set what clients' assistants may reach")
            .describe("Grants that go further are kept to it from the next request on."),
    ])
}

statements! {
    FIND = "SELECT client_modules FROM mcp_policy WHERE company_id = ?1";
    SET = "INSERT INTO mcp_policy (company_id, client_modules, updated_at) VALUES (?1, ?2, ?3) \
        ON CONFLICT (company_id) DO UPDATE SET client_modules = excluded.client_modules, \
        updated_at = excluded.updated_at";
}
