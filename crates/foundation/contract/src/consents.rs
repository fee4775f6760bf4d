//! Clients' consent to storing health data. Where a company requires it, no new health data of a client without
//! consent is stored, and none leaves the company: neither by the Public API nor through assistants nor in events.
//! The client and their coaches can still read what exists.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use spotter_kernel::{Event, Id, Key, Problem, Result, Rule, id::ClientId};

use crate::{
    caller::{Actor, Caller},
    context::Read,
    facts::Method,
    operation::Operation,
};

/// Reads clients' consents.
pub trait ConsentReader: Send + Sync {
    /// Whether the company requires consent and this client has not given it; false without such a client.
    fn lacks(&self, cx: &mut Read, client: ClientId) -> Result<bool>;
    /// Whether this client is erased.
    fn is_erased(&self, cx: &mut Read, client: ClientId) -> Result<bool>;
}

impl Operation {
    /// Refuses a request about the health of the client in its path without their consent. Operations without a
    /// client in their path check themselves.
    pub fn check_consent(&self, cx: &mut Read, client: Option<&str>) -> Result<()> {
        let writes = self.writes && self.method != Method::Delete;
        let needs_consent = self.is_about_health() && (writes || leaves(cx.caller()));
        match client.and_then(Id::parse).map(ClientId).filter(|_| needs_consent) {
            Some(client) => cx.check_consent(client),
            None => Ok(()),
        }
    }
}

impl Operation {
    /// Refuses to replay an answer about a client who was erased or has withdrawn consent since.
    pub fn check_replay(&self, cx: &mut Read, answer: &str) -> Result<()> {
        if !answer.contains("\"clientId\"") {
            return Ok(());
        }
        let mut clients = BTreeSet::new();
        named_clients(&serde_json::from_str(answer).map_err(Problem::internal)?, &mut clients);
        let needs_consent = self.may_be_about_health() && leaves(cx.caller());
        for client in clients {
            if cx.consents()?.is_erased(cx, client)? {
                return Err(Key::ClientNotFound.into());
            }
            if needs_consent {
                cx.check_consent(client)?;
            }
        }
        Ok(())
    }
}

/// Ids of clients in an answer.
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

/// Whether answers to a caller leave the company.
fn leaves(caller: &Caller) -> bool {
    matches!(caller.actor, Actor::ApiClient { .. }) || caller.delegation.is_some()
}

impl Read<'_, '_> {
    /// Whether a client's consent is missing.
    pub fn lacks_consent(&mut self, client: ClientId) -> Result<bool> {
        // Callers know the company's features; the system does not.
        let is_known = !matches!(self.caller().actor, Actor::System);
        if is_known && !self.caller().features.health_consent {
            return Ok(false);
        }
        self.consents()?.lacks(self, client)
    }

    /// Refuses what needs a client's consent, where that is missing.
    pub fn check_consent(&mut self, client: ClientId) -> Result<()> {
        match self.lacks_consent(client)? {
            true => Err(Problem::because(Key::ScopesHealthConsentRequired, Rule::NoHealthConsent)),
            false => Ok(()),
        }
    }

    /// Whether an event is about the health of a client whose consent is missing by now.
    pub fn lacks_consent_for(&mut self, event: Event, data: &Map<String, Value>) -> Result<bool> {
        let client = data.get("clientId").and_then(Value::as_str).and_then(Id::parse);
        client
            .filter(|_| event.is_about_health())
            .map_or(Ok(false), |id| self.lacks_consent(ClientId(id)))
    }

    /// Whether answers to the caller leave the company and require clients' consent.
    pub fn includes_health(&self) -> bool {
        self.caller().features.health_consent && leaves(self.caller())
    }

    /// A record about a client's health, if the caller may read it.
    pub fn if_consented<T>(&mut self, record: T, whose: fn(&T) -> Option<ClientId>) -> Result<T> {
        match whose(&record).filter(|_| self.includes_health()) {
            Some(client) if self.lacks_consent(client)? => Err(Key::NotFound.into()),
            _ => Ok(record),
        }
    }
}
