//! Clients' consent to what is kept of their health. Where a company asks for it, nothing new is written of the
//! health of a client who has not given it, and nothing of it leaves the company: neither by the Public API nor
//! through assistants nor in events. The client and their coaches go on reading what there is.

use std::collections::BTreeSet;

use serde_json::Value;
use spotter_kernel::{Id, Key, Problem, Result, id::ClientId};

use crate::{
    caller::{Actor, Caller},
    context::Read,
    facts::Method,
    operation::Operation,
};

/// The port to whoever knows what clients have consented to.
pub trait Consents: Send + Sync {
    /// Whether the company asks for consent and this client has not given it; nobody's where there is no
    /// such client.
    fn lacks(&self, cx: &mut Read, client: ClientId) -> Result<bool>;
    /// Whether this client is erased.
    fn is_erased(&self, cx: &mut Read, client: ClientId) -> Result<bool>;
}

const RULE: &str = "The client has not consented to what is kept of their health.";

impl Operation {
    /// Refuses a request about the health of the client whom its path names, where their consent is
    /// missing. What names none asks by itself.
    pub fn check_consent(&self, cx: &mut Read, client: Option<&str>) -> Result<()> {
        let writes = self.writes && self.method != Method::Delete;
        let is_asked = self.is_about_health() && (writes || leaves(cx.caller()));
        match client.and_then(Id::parse).map(ClientId).filter(|_| is_asked) {
            Some(client) => cx.check_consent(client),
            None => Ok(()),
        }
    }
}

impl Operation {
    /// Refuses to tell an answer once more that was told before a client of whom it tells was erased, or took their
    /// consent back.
    pub fn check_replay(&self, cx: &mut Read, answer: &str) -> Result<()> {
        if !answer.contains("\"clientId\"") {
            return Ok(());
        }
        let mut clients = BTreeSet::new();
        named_clients(&serde_json::from_str(answer).map_err(Problem::internal)?, &mut clients);
        let is_asked = self.may_be_about_health() && leaves(cx.caller());
        for client in clients {
            if cx.consents()?.is_erased(cx, client)? {
                return Err(Key::ClientNotFound.into());
            }
            if is_asked {
                cx.check_consent(client)?;
            }
        }
        Ok(())
    }
}

/// The clients whom an answer names.
fn named_clients(value: &Value, found: &mut BTreeSet<ClientId>) {
    match value {
        Value::Object(fields) => {
            let id = fields.get("clientId").and_then(Value::as_str);
            found.extend(id.and_then(Id::parse).map(ClientId));
            fields.values().for_each(|field| named_clients(field, found));
        }
        Value::Array(all) => all.iter().for_each(|one| named_clients(one, found)),
        _ => {}
    }
}

/// Whether what a caller is told leaves the company.
fn leaves(caller: &Caller) -> bool {
    matches!(caller.actor, Actor::ApiClient { .. }) || caller.delegation.is_some()
}

impl Read<'_, '_> {
    /// Whether a client's consent is missing.
    pub fn lacks_consent(&mut self, client: ClientId) -> Result<bool> {
        // Who calls knows whether their company asks for it; what happens by itself does not.
        let is_known = !matches!(self.caller().actor, Actor::System);
        if is_known && !self.caller().features.health_consent {
            return Ok(false);
        }
        self.consents()?.lacks(self, client)
    }

    /// Refuses what needs a client's consent, where that is missing.
    pub fn check_consent(&mut self, client: ClientId) -> Result<()> {
        match self.lacks_consent(client)? {
            true => Err(Problem::with_message(Key::ScopesHealthConsentRequired, RULE)),
            false => Ok(()),
        }
    }

    /// Whether what the caller is told leaves the company, and clients are asked whether it may.
    pub fn tells_with_consent(&self) -> bool {
        self.caller().features.health_consent && leaves(self.caller())
    }

    /// A record about a client's health, for whoever may be told of it; for others there is none.
    pub fn if_consented<T>(&mut self, record: T, whose: fn(&T) -> Option<ClientId>) -> Result<T> {
        match whose(&record).filter(|_| self.tells_with_consent()) {
            Some(client) if self.lacks_consent(client)? => Err(Key::NotFound.into()),
            _ => Ok(record),
        }
    }
}
