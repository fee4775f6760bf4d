//! Callers, and what an operation requires of its caller.

use spotter_kernel::{
    Gate, Id, Locale, Problem, Result, Rule, Scope, ScopeSet,
    id::{ClientId, CoachId, CompanyId},
};
use spotter_store::{Bind, words};

use crate::{features::Features, operation::Operation};

words! {
    /// What a coach may do in the back office; each role may do what those before it may: a Coach
    /// works with clients, a Manager runs the company, an Admin also makes managers and admins.
    pub enum Role { Coach = "Coach", Manager = "Manager", Admin = "Admin" }
}

/// The person or program on whose behalf a request runs.
#[derive(Clone, Debug)]
pub enum Actor {
    /// An integration.
    ApiClient {
        /// Its record.
        id: Id,
        /// What its token allows.
        scopes: ScopeSet,
        /// Whether it has the health-data consent.
        health_data: bool,
        /// Whether it has the private-communication consent.
        private_communication: bool,
    },
    /// A signed-in coach.
    Coach {
        /// The coach.
        id: CoachId,
        /// The coach's role.
        role: Role,
        /// The session that the token belongs to.
        session: Id,
    },
    /// A signed-in client.
    Client {
        /// The client.
        id: ClientId,
        /// The session that the token belongs to.
        session: Id,
    },
    /// A door, gate or turnstile.
    Device {
        /// The device.
        id: Id,
        /// The digest of the key that it has shown.
        key: [u8; 32],
    },
    /// A stranger who looks at the company's public site.
    Visitor,
    /// The operator, by the command line or a background job.
    System,
}

impl Actor {
    /// The kind of actor, as audit rows and histories call it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ApiClient { .. } => "api_client",
            Self::Coach { .. } => "coach",
            Self::Client { .. } => "client",
            Self::Device { .. } => "device",
            Self::Visitor => "visitor",
            Self::System => "system",
        }
    }

    /// The actor's record.
    pub const fn id(&self) -> Option<Id> {
        match self {
            Self::ApiClient { id, .. } => Some(*id),
            Self::Coach { id, .. } => Some(id.0),
            Self::Client { id, .. } => Some(id.0),
            Self::Device { id, .. } => Some(*id),
            Self::Visitor | Self::System => None,
        }
    }
}

/// What a person has delegated to an assistant.
#[derive(Clone, Debug)]
pub struct Delegation {
    /// The grant or key through which it acts.
    pub through: Id,
    /// The scopes of what it may do.
    pub scopes: ScopeSet,
    /// The ids of the operations of each of its modules.
    pub tools: Vec<&'static [&'static str]>,
    /// Whether it may change nothing.
    pub read_only: bool,
}

impl Delegation {
    /// Checks that an operation was delegated: by its scope or, without a contract scope, by its module.
    pub(crate) fn check(&self, operation: &Operation) -> Result<()> {
        let is_tool = || self.tools.iter().any(|tools| tools.contains(&operation.id));
        match operation.access {
            Access::Scope(scope) if self.scopes.contains(scope) => Ok(()),
            Access::Scope(scope) => Err(lacks(&[scope])),
            // Of scopes, those that write are left out where nothing may be changed.
            _ if is_tool() && !(operation.writes && self.read_only) => Ok(()),
            _ => Err(spotter_kernel::Key::Forbidden.into()),
        }
    }
}

/// An actor within a company: the only way to a company's data.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The company, derived from the token.
    pub company: CompanyId,
    /// Who acts.
    pub actor: Actor,
    /// Features of the company.
    pub features: Features,
    /// Through what the actor acts, where they do not do so themselves.
    pub delegation: Option<Delegation>,
    /// Whether they are to add a second step to their sign-in before anything else.
    pub owes_second_step: bool,
    /// The language of sentences in answers: English but for pages, which are read by people.
    pub locale: Locale,
}

impl Caller {
    /// The id by which rate limits, keys and shares are separated: of the coach, client or integration, else of the
    /// company.
    pub fn rate_limit_id(&self) -> Id {
        self.actor.id().unwrap_or(self.company.0)
    }

    /// The operator, a job, or a person who is signing in: without features.
    pub fn new(company: CompanyId, actor: Actor) -> Self {
        Self {
            company,
            actor,
            features: Features::default(),
            delegation: None,
            owes_second_step: false,
            locale: Locale::English,
        }
    }

    /// Refuses callers who must set up their second step first.
    pub fn check_second_step(&self) -> Result<()> {
        if !self.owes_second_step {
            return Ok(());
        }
        Err(Problem::because(spotter_kernel::Key::Forbidden, Rule::SecondStepFirst))
    }
}

/// What an operation requires of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// An API client whose token has the scope, with the consent of a gated scope; a coach whose role has it; a
    /// client, where the row grants it.
    Scope(Scope),
    /// A coach with at least this role.
    Coach(Role),
    /// Any signed-in coach or client.
    SignedIn,
    /// A signed-in client.
    Client,
    /// An access device, by its key.
    Device,
    /// Anybody, without a token: the path names the company by the address of its public site.
    Visitor,
}

/// The refusal of a token without some scopes.
fn lacks(scopes: &[Scope]) -> Problem {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
    let what = if names.len() == 1 { "scope" } else { "scopes" };
    let text = format!("The token lacks the {what} {}.", names.join(", "));
    let mut problem = Problem::with_message(spotter_kernel::Key::ScopesInsufficient, text);
    problem.details = Some(serde_json::json!({"requiredScopes": names}));
    problem
}

impl Access {
    /// Admits a caller with all of some scopes, or returns the missing ones.
    pub fn check_all(caller: &Caller, wanted: impl IntoIterator<Item = Scope>) -> Result<()> {
        let wanted: Vec<Scope> = wanted.into_iter().collect();
        if let Actor::ApiClient { scopes, .. } = &caller.actor {
            let missing: Vec<Scope> =
                wanted.iter().copied().filter(|scope| !scopes.contains(*scope)).collect();
            if !missing.is_empty() {
                return Err(lacks(&missing));
            }
        }
        wanted.into_iter().try_for_each(|scope| Self::Scope(scope).check(caller))
    }

    /// Admits the caller, or returns why not. An assistant's delegation is checked before
    /// ([`Operation::admit`](crate::Operation::admit)).
    pub fn check(self, caller: &Caller) -> Result<()> {
        use spotter_kernel::Key;
        match (self, &caller.actor) {
            (
                Self::Scope(scope),
                Actor::ApiClient { scopes, health_data, private_communication, .. },
            ) => {
                if !scopes.contains(scope) {
                    return Err(lacks(&[scope]));
                }
                let consented = match scope.gate() {
                    Gate::None => true,
                    Gate::HealthData => *health_data,
                    Gate::PrivateCommunication => *private_communication,
                };
                if consented { Ok(()) } else { Err(scope.gate().at_use().into()) }
            }
            (Self::Scope(scope), Actor::Coach { role, .. }) => role.check(scope),
            // Which operations a client reaches, their rows say.
            (Self::Scope(_), Actor::Client { .. }) => Ok(()),
            (Self::Coach(least), Actor::Coach { role, .. }) if *role >= least => Ok(()),
            (Self::SignedIn, Actor::Coach { .. } | Actor::Client { .. }) => Ok(()),
            (Self::Client, Actor::Client { .. }) => Ok(()),
            (Self::Device, Actor::Device { .. }) => Ok(()),
            // Who is signed in may know what strangers know.
            (Self::Visitor, Actor::Visitor | Actor::Coach { .. } | Actor::Client { .. }) => Ok(()),
            (Self::Coach(least), Actor::Coach { .. }) => Err(least.is_needed()),
            _ => Err(Key::Forbidden.into()),
        }
    }
}

impl Bind for Actor {
    fn bind(&self) -> spotter_store::Value<'_> {
        spotter_store::Value::Text(self.kind().into())
    }
}

#[cfg(test)]
mod tests {
    use spotter_kernel::{Key, Timestamp};

    use super::*;

    fn client(scopes: &[Scope], health_data: bool) -> Caller {
        let id = Id::new(Timestamp::from_millis(1), [0; 6]);
        let scopes = ScopeSet::of(scopes.iter().copied());
        let actor = Actor::ApiClient { id, scopes, health_data, private_communication: false };
        Caller::new(CompanyId(id), actor)
    }

    #[test]
    fn a_scope_needs_its_consent_too() {
        let access = Access::Scope(Scope::GoalsRead);
        let key = |caller| access.check(&caller).unwrap_err().key;
        assert_eq!(key(client(&[Scope::ClientsRead], true)), Key::ScopesInsufficient);
        assert_eq!(key(client(&[Scope::GoalsRead], false)), Key::ScopesHealthConsentRequired);
        assert!(access.check(&client(&[Scope::GoalsRead], true)).is_ok());
        assert!(Access::SignedIn.check(&client(&[Scope::GoalsRead], true)).is_err());
    }
}
