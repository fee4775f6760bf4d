//! What people may do through the operations that integrations have: coaches by their role, clients by
//! the row of the operation, and with themselves as its subject.

use serde_json::Value;
use spotter_kernel::{Id, Key, Problem, Result, Rule, Scope, id::ClientId, scope::Staff};

use crate::{
    caller::{Actor, Caller, Role},
    context::Read,
};

impl Role {
    /// The least role that reaches operations of a scope; nothing if no coach does.
    pub const fn least_for(scope: Scope) -> Option<Self> {
        match scope.staff() {
            Staff::Nobody => None,
            Staff::Coach => Some(Self::Coach),
            Staff::Manager => Some(Self::Manager),
        }
    }

    /// Admits a coach with this role to operations of a scope, or returns the required role.
    pub(crate) fn check(self, scope: Scope) -> Result<()> {
        match Self::least_for(scope) {
            Some(least) if self >= least => Ok(()),
            Some(least) => Err(least.is_needed()),
            None => Err(Key::Forbidden.into()),
        }
    }

    /// The refusal of a lower role.
    pub(crate) fn is_needed(self) -> Problem {
        Problem::because(Key::Forbidden, Rule::RoleNeeded { role: self.word() })
    }
}

/// Of what a client of the company is given, where a row grants them an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSubject {
    /// Of the client that the path names, who must be the caller.
    Named,
    /// Of the caller's own records: the operation finds and lists no others ([`Read::subject_client`],
    /// [`Read::own`]).
    Own,
    /// Of the company, as every client may know it.
    Company,
}

impl DataSubject {
    /// As in the documentation.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Named => "themselves",
            Self::Own => "their own",
            Self::Company => "all",
        }
    }
}

impl Read<'_, '_> {
    /// The client who calls, where one does.
    pub fn calling_client(&self) -> Option<ClientId> {
        match self.caller().actor {
            Actor::Client { id, .. } => Some(id),
            _ => None,
        }
    }

    /// The caller as a record keeps who has made it: what kind of caller, and which.
    pub fn maker(&self) -> (String, Option<Id>) {
        let actor = &self.caller().actor;
        (actor.kind().to_owned(), actor.id())
    }

    /// Whether the caller may know of clients' medical documents: of integrations, those that have the consent, and
    /// no assistant.
    pub fn may_know_of_health(&self) -> bool {
        let caller = self.caller();
        caller.delegation.is_none()
            && !matches!(caller.actor, Actor::ApiClient { health_data: false, .. })
    }

    /// Whether staff call: coaches, integrations, the operator.
    pub fn by_staff(&self) -> bool {
        !matches!(self.caller().actor, Actor::Client { .. } | Actor::Visitor)
    }

    /// The client of a request: the caller, or the one named by staff. Clients can only name themselves.
    pub fn subject_client(&self, named: Option<ClientId>) -> Result<ClientId> {
        self.refuse_visitor()?;
        match (self.calling_client(), named) {
            (Some(own), Some(named)) if own != named => Err(Key::ClientNotFound.into()),
            (Some(own), _) => Ok(own),
            (None, Some(named)) => Ok(named),
            (None, None) => Err(Problem::invalid("clientId", Rule::Required)),
        }
    }

    /// The client by which a list is filtered: the one named by staff, and always the caller if it is a client.
    pub fn narrowed(&self, request: Option<ClientId>) -> Result<Option<ClientId>> {
        self.refuse_visitor()?;
        match self.calling_client() {
            Some(_) => self.subject_client(request).map(Some),
            None => Ok(request),
        }
    }

    /// Refuses a stranger, for whom there are no records of clients.
    fn refuse_visitor(&self) -> Result<()> {
        match self.caller().actor {
            Actor::Visitor => Err(Key::Forbidden.into()),
            _ => Ok(()),
        }
    }

    /// Refuses a client who sends fields for staff: each field with whether it was sent.
    pub fn check_staff_fields(&self, fields: &[(&str, bool)]) -> Result<()> {
        match fields.iter().find(|(_, submitted)| *submitted) {
            Some((field, _)) if !self.by_staff() => Err(staff_only(field)),
            _ => Ok(()),
        }
    }

    /// A record of a client, which does not exist for another one.
    pub fn own<T>(&self, record: T, of: impl Fn(&T) -> ClientId) -> Result<T> {
        self.refuse_visitor()?;
        match self.calling_client() {
            Some(own) if own != of(&record) => Err(Key::NotFound.into()),
            _ => Ok(record),
        }
    }
}

fn staff_only(field: &str) -> Problem {
    Problem::invalid(field, Rule::StaffOnly)
}

/// What a row grants the company's clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAccess {
    /// Of what they are given.
    pub subject: DataSubject,
    /// Fields that are staff's alone: answers come without them, and requests with them are refused.
    pub staffs: &'static [&'static str],
    /// Fields of a request that are staff's alone to say, and that everybody may read.
    pub said_by_staff: &'static [&'static str],
}

impl ClientAccess {
    /// Refuses a client's request about another client, who does not exist for them, or with fields for staff.
    pub(crate) fn check<'n>(
        &self,
        caller: &Caller,
        subject: Option<&str>,
        mut fields: impl Iterator<Item = &'n str>,
    ) -> Result<()> {
        let Actor::Client { id, .. } = caller.actor else { return Ok(()) };
        if self.subject == DataSubject::Named && subject != Some(id.to_string().as_str()) {
            return Err(Key::ClientNotFound.into());
        }
        match fields.find(|field| self.is_staff_field(field)) {
            Some(field) => Err(staff_only(field)),
            None => Ok(()),
        }
    }

    /// Whether a client cannot say a field of a request.
    pub fn is_staff_field(&self, field: &str) -> bool {
        self.staffs.contains(&field) || self.said_by_staff.contains(&field)
    }

    /// An answer as a client is given it.
    pub(crate) fn visible(&self, data: String) -> Result<String> {
        if self.staffs.is_empty() {
            return Ok(data);
        }
        let mut output: Value = serde_json::from_str(&data).map_err(Problem::internal)?;
        self.strip(&mut output);
        Ok(output.to_string())
    }

    fn strip(&self, data: &mut Value) {
        match data {
            Value::Object(fields) => {
                self.staffs.iter().for_each(|name| drop(fields.remove(*name)));
                fields.values_mut().for_each(|value| self.strip(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.strip(item)),
            _ => {}
        }
    }

    /// The schema of an answer for clients and staff: fields for staff may be absent.
    pub fn without_staff_only(&self, mut schema: Value) -> Value {
        self.relax(&mut schema);
        schema
    }

    fn relax(&self, schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                if let Some(Value::Array(required)) = fields.get_mut("required") {
                    required.retain(|name| !self.staffs.iter().any(|own| name == own));
                }
                fields.values_mut().for_each(|part| self.relax(part));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.relax(item)),
            _ => {}
        }
    }

    /// A schema of an answer that clients alone are given.
    pub fn strip_schema(&self, schema: &mut Value) {
        self.relax(schema);
        self.strip_properties(schema);
    }

    fn strip_properties(&self, schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                    self.staffs.iter().for_each(|name| drop(properties.remove(*name)));
                }
                fields.values_mut().for_each(|part| self.strip_properties(part));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.strip_properties(item)),
            _ => {}
        }
    }
}
