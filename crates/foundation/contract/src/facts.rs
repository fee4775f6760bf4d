//! Enumerated facts of an operation: its method, and what is required before and after it.

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
    /// As in a request line.
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
    /// The prefix of the operation's path.
    pub const fn base(self) -> &'static str {
        match self {
            Self::Public => "/public/v1",
            Self::App => "/app/v1",
        }
    }
}

/// Whether an operation must be previewed and confirmed by assistants, and on pages if it takes something from
/// others: it deletes, archives, cancels, revokes, costs something or sends messages.
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

/// Secrets in an answer, because of which the stored copy is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Nothing.
    None,
    /// Credentials, at these places of the answer; pages show them once.
    Credentials(&'static [&'static str]),
    /// The address of a payment page.
    PaymentPage,
}

/// Whether an operation is about a client's health, beside the scopes that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthData {
    /// As its scope requires.
    ByScope,
    /// Always.
    Always,
    /// Some of its records are, and it looks itself.
    ByRecord,
}
