//! Documents that anyone with their address may read, such as calendar feeds: the address contains a credential and
//! is shown only to its owner.

use spotter_kernel::{
    Id, Result,
    secret::{Credential, CredentialKind},
};

use crate::context::Read;

/// A document behind an address of its own.
pub struct LinkedDocument {
    /// The beginning and the end of its path: `/calendars/`, `.ics`.
    pub place: (&'static str, &'static str),
    /// What opens it.
    pub kind: CredentialKind,
    /// Its media type.
    pub media_type: &'static str,
    /// Seconds for which a reader may cache it.
    pub keep_seconds: u32,
    /// The document, or nothing where the credential opens none any more.
    pub read: fn(&mut Read, &Credential) -> Result<Option<ReaderDocument>>,
}

/// A document and its reader.
pub struct ReaderDocument {
    /// The caller whose reads are counted.
    pub reader: Id,
    /// Its content.
    pub content: Vec<u8>,
}

impl LinkedDocument {
    /// The address of one, below that of the installation.
    pub fn address(&self, installation: &str, credential: &Credential) -> String {
        let (place, end) = self.place;
        format!("{installation}{place}{}{end}", credential.expose())
    }

    /// The credential in the path.
    pub fn credential(&self, name: &str) -> Option<Credential> {
        Credential::parse(self.kind, name.strip_suffix(self.place.1)?)
    }
}
