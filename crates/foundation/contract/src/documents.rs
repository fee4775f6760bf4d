//! Documents that whoever knows their address may read, as programs do that cannot sign in: the address
//! holds a credential, so it is nowhere but with whom it was given to.

use spotter_kernel::{
    Id, Result,
    secret::{Credential, CredentialKind},
};

use crate::context::Read;

/// A document behind an address of its own.
pub struct Document {
    /// Where it stands, and what its reader's address ends with: `/calendars/`, `.ics`.
    pub place: (&'static str, &'static str),
    /// What opens it.
    pub kind: CredentialKind,
    /// Its media type.
    pub media_type: &'static str,
    /// How long a reader may keep it before it asks again, in seconds.
    pub keep_seconds: u32,
    /// The document, or nothing where the credential opens none any more.
    pub read: fn(&mut Read, &Credential) -> Result<Option<ReaderDocument>>,
}

/// A document, and for whom.
pub struct ReaderDocument {
    /// Whom its readings are counted for.
    pub reader: Id,
    /// What it says.
    pub content: Vec<u8>,
}

impl Document {
    /// The address of one, below that of the installation.
    pub fn address(&self, installation: &str, credential: &Credential) -> String {
        let (place, end) = self.place;
        format!("{installation}{place}{}{end}", credential.expose())
    }

    /// The credential in what stands after its place.
    pub fn credential(&self, name: &str) -> Option<Credential> {
        Credential::parse(self.kind, name.strip_suffix(self.place.1)?)
    }
}
