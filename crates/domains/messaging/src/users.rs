//! Who takes part in conversations: coaches and clients, called users where either may be meant.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Read};
use spotter_kernel::{
    Id, Key, Problem, Result,
    id::{ClientId, CoachId},
};
use spotter_people::{
    clients::Client,
    coaches::{Coach, CoachStatus},
};
use spotter_store::words;

words! {
    /// Whether a user is a coach or a client.
    pub enum UserRole { Coach = "Coach", Client = "Client" }
}

/// A coach or a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    /// The coach's or the client's record.
    pub user_id: Id,
    /// Which of both.
    pub role: UserRole,
}

impl User {
    /// The one who calls.
    pub fn from_caller(cx: &Read) -> Result<Self> {
        match cx.caller().actor {
            Actor::Coach { id, .. } => Ok(Self { user_id: id.0, role: UserRole::Coach }),
            Actor::Client { id, .. } => Ok(Self { user_id: id.0, role: UserRole::Client }),
            _ => Err(Key::Forbidden.into()),
        }
    }

    /// The user with this id, if they can take part in a conversation with `with`: a coach who can
    /// sign in or, for coaches, a client who is not archived.
    pub fn find(cx: &mut Read, id: Id, with: Self) -> Result<Self> {
        let coach = found(Coach::find(cx, CoachId(id)))?;
        if coach.is_some_and(|coach| coach.status == CoachStatus::Active) {
            return Ok(Self { user_id: id, role: UserRole::Coach });
        }
        // Clients do not know of each other.
        if with.role == UserRole::Coach {
            let client = found(Client::find(cx, ClientId(id)))?;
            if client.is_some_and(|client| !client.is_archived()) {
                return Ok(Self { user_id: id, role: UserRole::Client });
            }
        }
        Err(Key::NotFound.into())
    }
}

fn found<T>(looked_up: Result<T>) -> Result<Option<T>> {
    match looked_up {
        Ok(value) => Ok(Some(value)),
        Err(Problem { status: 404, .. }) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// The sender or participant.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct MessagingUser {
    /// The coach's or the client's id.
    user_id: Id,
    role: UserRole,
    /// First and last name.
    name: String,
}

/// The sender or participant, without a name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct UserFacts {
    /// The coach's or the client's id.
    user_id: Id,
    role: UserRole,
}

impl From<User> for UserFacts {
    fn from(User { user_id, role }: User) -> Self {
        Self { user_id, role }
    }
}

/// What users are called today.
#[derive(Default)]
pub struct Names(BTreeMap<Id, String>);

impl Names {
    /// Asks ahead for a user's name.
    pub fn ask_ahead(cx: &mut Read, User { user_id, role }: User) -> Result<()> {
        match role {
            UserRole::Coach => Coach::ask_ahead_name(cx, CoachId(user_id)),
            UserRole::Client => Client::ask_ahead_name(cx, ClientId(user_id)),
        }
    }

    /// Looks names up, all in one go.
    pub fn of(cx: &mut Read, users: impl IntoIterator<Item = User>) -> Result<Self> {
        let users: BTreeSet<User> = users.into_iter().collect();
        let ids =
            |role| users.iter().filter(move |user| user.role == role).map(|user| user.user_id);
        let coaches: Vec<_> = ids(UserRole::Coach).map(CoachId).collect();
        let clients: Vec<_> = ids(UserRole::Client).map(ClientId).collect();
        let mut names = BTreeMap::new();
        for (CoachId(id), name) in coaches.iter().zip(Coach::names(cx, &coaches)?) {
            names.insert(*id, name.unwrap_or_default());
        }
        for (ClientId(id), name) in clients.iter().zip(Client::names(cx, &clients)?) {
            names.insert(*id, name.unwrap_or_default());
        }
        Ok(Self(names))
    }

    /// A user's name; empty where it is unknown.
    pub fn name(&self, user: User) -> &str {
        self.0.get(&user.user_id).map_or("", String::as_str)
    }

    /// A user with their name.
    pub fn person(&self, User { user_id, role }: User) -> MessagingUser {
        MessagingUser { user_id, role, name: self.0.get(&user_id).cloned().unwrap_or_default() }
    }
}
