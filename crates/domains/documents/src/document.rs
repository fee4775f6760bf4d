//! A document: the record, who may see it, and how a change is saved and announced.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::uploads::{MediaType, UploadId};
use spotter_contract::{Area, Payload, Read, Write};
use spotter_kernel::{
    Date, Event, Id, Key, Problem, Result, Rule, Timestamp, id::ClientId, id_type,
};
use spotter_store::{Bind, params, record, set, statements, stored_ids, subject, values, words};

use crate::{
    expiry,
    folder::{Folder, FolderId},
    rules::DocumentRule,
};

id_type!(
    /// A document.
    DocumentId,
    InvalidDocumentId,
    DocumentNotFound
);
stored_ids!(DocumentId);

words! {
    /// The type of a document. `medical` ones do not exist for callers without access to health data.
    pub enum DocumentType {
        Contract = "contract",
        Waiver = "waiver",
        Medical = "medical",
        Id = "id",
        Plan = "plan",
        Other = "other",
    }
}

words! {
    /// Where a document is: elsewhere, or kept here.
    pub enum DocumentSource { Link = "link", File = "file" }
}

words! {
    /// Whether a document is in use.
    pub enum DocumentStatus { Active = "active", Archived = "archived" }
}

record! {
    /// A document, without its file.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Document {
        /// Id of the document.
        pub document_id: DocumentId,
        /// Id of the client; null for the company's documents.
        pub client_id: Option<ClientId>,
        /// Its folder; null at the top level.
        pub folder_id: Option<FolderId>,
        /// Display name.
        pub name: String,
        /// What the document is.
        pub r#type: DocumentType,
        /// Whether it is a file or a link.
        pub source: DocumentSource,
        /// Address of the link; null for files, which are downloaded in the app.
        pub url: Option<String>,
        /// File name; null for links.
        pub file_name: Option<String>,
        /// Media type of the file, such as `application/pdf`; null for links.
        pub media_type: Option<MediaType>,
        /// File size in bytes; null for links.
        pub size_bytes: Option<i64>,
        #[serde(skip)]
        pub upload_id: Option<UploadId>,
        /// The last date on which it holds.
        pub expires_on: Option<Date>,
        /// Whether it is active or archived.
        pub status: DocumentStatus,
        /// When it was archived.
        pub archived_at: Option<Timestamp>,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
        pub created_by_type: String,
        /// The creator.
        pub created_by: Option<Id>,
        /// When it was uploaded.
        pub created_at: Timestamp,
        /// When it was changed last.
        pub updated_at: Timestamp,
    }
}

/// The payload of every document event, without names and addresses.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentEvent {
    document_id: DocumentId,
    client_id: Option<ClientId>,
    folder_id: Option<FolderId>,
    status: DocumentStatus,
    /// In `document.updated` alone: the fields that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for DocumentEvent {
    const EVENTS: &'static [Event] =
        &[Event::DocumentLinked, Event::DocumentUpdated, Event::DocumentArchived];
}

/// The total of all documents, and of those that are not about health.
pub const TALLIES: [&str; 2] = ["documents", "plainDocuments"];

impl Document {
    /// The document with this id, if the caller may see it.
    pub fn find(cx: &mut Read, id: DocumentId) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        let known = |document: &Self| match cx.calling_client() {
            Some(own) => document.client_id == Some(own) && document.is_active(),
            None => !document.is_about_health() || cx.may_know_of_health(),
        };
        let found = found.filter(known).ok_or(Key::DocumentNotFound)?;
        cx.if_consented(found, |own| own.client_id.filter(|_| own.is_about_health()))
            .map_err(|_| Key::DocumentNotFound.into())
    }

    /// The document with this id, which is in use.
    pub fn in_use(cx: &mut Read, id: DocumentId) -> Result<Self> {
        let document = Self::find(cx, id)?;
        match document.is_active() {
            true => Ok(document),
            false => Err(Problem::conflict("status", Rule::Archived)),
        }
    }

    /// Whether it is about a client's health.
    pub fn is_about_health(&self) -> bool {
        self.r#type == DocumentType::Medical
    }

    /// Whether no event about it leaves the company.
    fn is_silent(&self, cx: &mut Read) -> Result<bool> {
        match self.client_id.filter(|_| self.is_about_health()) {
            Some(client) => cx.lacks_consent(client),
            None => Ok(false),
        }
    }

    /// Whether it is not archived.
    pub fn is_active(&self) -> bool {
        self.status == DocumentStatus::Active
    }

    /// Refuses values that the caller may not set or that refer to nothing.
    pub fn check(&self, cx: &mut Read) -> Result<()> {
        if self.is_about_health() {
            if !cx.may_know_of_health() {
                return Err(Key::ScopesHealthConsentRequired.into());
            }
            self.client_id.map_or(Ok(()), |client| cx.check_consent(client))?;
        }
        if let Some(folder) = self.folder_id {
            Folder::find(cx, folder)
                .map_err(|none| none.missing("folderId", DocumentRule::UnknownFolder))?;
        }
        Ok(())
    }

    /// What it is counted under.
    fn subjects(&self) -> BTreeSet<String> {
        let plain = !self.is_about_health();
        let mut all = BTreeSet::new();
        for tally in TALLIES.iter().take(if plain { 2 } else { 1 }) {
            all.extend([(*tally).to_owned(), subject(tally, "status", &self.status.bind())]);
            all.extend(self.client_id.map(|client| subject(tally, "clientId", &client.bind())));
        }
        all
    }

    /// The payload of its events.
    fn event(&self, changed_fields: Vec<String>) -> DocumentEvent {
        let Self { document_id, client_id, folder_id, status, .. } = *self;
        DocumentEvent { document_id, client_id, folder_id, status, changed_fields }
    }

    /// Keeps a new one.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        self.check(cx)?;
        cx.set_audit_target("document", self.document_id, ["document"]);
        cx.recount(&BTreeSet::new(), &self.subjects())?;
        cx.defer(INSERT, &self.params())?;
        expiry::plan(cx, None, self)?;
        match self.client_id {
            Some(_) => cx.emit(Event::DocumentLinked, &self.event(Vec::new())).map(drop),
            None => Ok(()),
        }
    }

    /// Deletes it without an event.
    pub fn delete(&self, cx: &mut Write) -> Result<()> {
        cx.recount(&self.subjects(), &BTreeSet::new())?;
        expiry::forget(cx, self)?;
        cx.defer(DELETE, params![self.document_id])
    }

    /// Saves a change and emits this event, and a second one where the document was also linked to a client.
    pub fn save(&mut self, cx: &mut Write, before: &Self, event: Event) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("document", self.document_id, changed.clone()) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.recount(&before.subjects(), &self.subjects())?;
        cx.defer(SAVE, &self.params())?;
        expiry::plan(cx, Some(before), self)?;
        if self.is_silent(cx)? {
            return Ok(());
        }
        let (linked, rest): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|field| field == "clientId");
        if !linked.is_empty() {
            cx.emit(Event::DocumentLinked, &self.event(Vec::new()))?;
        }
        match event {
            _ if rest.is_empty() => {}
            Event::DocumentUpdated => drop(cx.emit(event, &self.event(rest))?),
            _ => drop(cx.emit(event, &self.event(Vec::new()))?),
        }
        Ok(())
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<DocumentEvent>()
}

statements! {
    /// A document by its id.
    pub FIND = "SELECT ", Document::COLUMNS, " FROM document WHERE company_id = ?1 AND document_id = ?2";
    DELETE = "DELETE FROM document WHERE company_id = ?1 AND document_id = ?2";
    INSERT = "INSERT INTO document ", values!(Document);
    SAVE = "UPDATE document SET ", set!(Document), " WHERE company_id = ?1 AND document_id = ?2";
}
