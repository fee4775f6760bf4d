//! The facts of an operation that take one of a few values: how it is called, and what stands before and after it.

use std::fmt;

/// The HTTP methods that operations use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Read.
    Get,
    /// Create, or act.
    Post,
    /// Replace.
    Put,
    /// Change in part.
    Patch,
    /// Delete.
    Delete,
}

impl Method {
    /// As it stands in a request line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The API that an operation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// `/public/v1`, for integrations.
    Public,
    /// `/app/v1`, for coaches and clients.
    App,
}

impl Surface {
    /// What the operation's path stands under.
    pub const fn base(self) -> &'static str {
        match self {
            Self::Public => "/public/v1",
            Self::App => "/app/v1",
        }
    }
}

/// Whether assistants, and pages where it takes something from somebody, tell what an operation will do before it is
/// confirmed: it deletes, archives, cancels, revokes, costs something or writes to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// It is done at once.
    None,
    /// Its effects are previewed, and confirmed by a token.
    Required,
}

/// Whether a person types their password again on a page before an operation: it shows a secret, gives power, sends
/// data elsewhere, or hands out much at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reauthentication {
    /// Being signed in is enough.
    None,
    /// Unless they have done so a moment ago.
    Required,
}

/// What of an answer nobody else is to know, so that the stored copy is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Nothing.
    None,
    /// Credentials, at these places of the answer; pages show them once.
    Credentials(&'static [&'static str]),
    /// The address of a page where somebody pays.
    PaymentPage,
}

/// Whether an operation is about a client's health, beside the scopes that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthData {
    /// As its scope says.
    ByScope,
    /// Always.
    Always,
    /// Some of its records are, and it looks itself.
    ByRecord,
}
