//! Operations of documents: list, link, file, update, archive and restore.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_company::uploads::{self, AttachedFile, UploadId};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Event, Key, Patch, Problem, Result, Rule, Timestamp,
    id::ClientId,
    text::{self, Name, quoted},
};
use spotter_people::clients::Client;
use spotter_store::{List, filters, lists};

use crate::{
    document::{Document, DocumentId, DocumentSource, DocumentStatus, DocumentType, TALLIES},
    effects::DocumentEffect,
    folder::FolderId,
    link::Link,
    rules::DocumentRule,
};

listed!(Documents { documents: Document });

filters! {
    struct Filters {
        /// Documents of this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Documents in this status.
        status: DocumentStatus => "status = ?", tallied;
        /// Documents in this folder.
        folder_id: FolderId => "folder_id = ?";
        /// Documents of this type.
        r#type: DocumentType => "type = ?";
        /// Documents that expire before this date.
        expires_before: Date => "expires_on < ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_documents(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Documents> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    if cx.calling_client().is_some() {
        wanted.status = Some(DocumentStatus::Active);
    }
    let list = match (cx.may_know_of_health(), cx.includes_health()) {
        (false, _) => &PLAIN,
        (true, true) => &CONSENTED,
        (true, false) => &LIST,
    };
    Ok(cx.page(list, &wanted, page)?.into())
}

path!(DocumentPath { document_id: DocumentId });

answer!(pub(super) DocumentAnswer { document: Document });

fn get_document(cx: &mut Read, Path(at): Path<DocumentPath>) -> Result<DocumentAnswer> {
    Ok(DocumentAnswer { document: Document::find(cx, at.document_id)? })
}

fn name_required() -> Problem {
    Problem::field(Key::DocumentNameRequired, "name", Rule::Required)
}

fn type_required() -> Problem {
    Problem::field(Key::DocumentTypeRequired, "type", Rule::Required)
}

fn url_required() -> Problem {
    Problem::field(Key::DocumentUrlInvalid, "url", Rule::Required)
}

/// The document to create from an upload.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewDocument {
    /// Display name of the document.
    #[schemars(required, with = "Name<200>")]
    #[serde(default, deserialize_with = "text::given")]
    name: Option<Name<200>>,
    /// Type of document. `DOCUMENT_TYPE_REQUIRED` when absent or null.
    #[schemars(required, with = "DocumentType")]
    r#type: Option<DocumentType>,
    /// An https address, which is never fetched. `DOCUMENT_URL_INVALID` when absent or null.
    #[schemars(required, with = "Link")]
    url: Option<Link>,
    /// Id of the client; a document of the company when absent.
    client_id: Option<ClientId>,
    /// Its folder; the top level when absent.
    folder_id: Option<FolderId>,
    /// The last date on which it holds.
    expires_on: Option<Date>,
}

/// Common fields of a new document.
struct New {
    name: String,
    r#type: DocumentType,
    client_id: Option<ClientId>,
    folder_id: Option<FolderId>,
    expires_on: Option<Date>,
}

fn save_file(
    cx: &mut Write,
    new: New,
    url: Option<Link>,
    file: Option<AttachedFile>,
) -> Result<Document> {
    let (created_by_type, created_by) = cx.maker();
    let document = Document {
        document_id: DocumentId(cx.new_id()),
        client_id: new.client_id,
        folder_id: new.folder_id,
        name: new.name,
        r#type: new.r#type,
        source: if file.is_some() { DocumentSource::File } else { DocumentSource::Link },
        url: url.map(Into::into),
        media_type: file.as_ref().map(|file| file.media_type),
        size_bytes: file.as_ref().map(|file| file.size),
        upload_id: file.as_ref().map(|file| file.upload_id),
        file_name: file.map(|file| file.file_name),
        expires_on: new.expires_on,
        status: DocumentStatus::Active,
        archived_at: None,
        created_by_type,
        created_by,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    if let Some(client) = document.client_id {
        Client::find(cx, client)?;
    }
    document.insert(cx)?;
    Ok(document)
}

fn link_document(cx: &mut Write, Body(new): Body<NewDocument>) -> Result<DocumentAnswer> {
    let NewDocument { name, r#type, url, client_id, folder_id, expires_on } = new;
    let name = name.ok_or_else(name_required)?.into();
    let r#type = r#type.ok_or_else(type_required)?;
    let url = url.ok_or_else(url_required)?;
    let new = New { name, r#type, client_id, folder_id, expires_on };
    Ok(DocumentAnswer { document: save_file(cx, new, Some(url), None)? })
}

/// The new file of a document.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewDocumentFile")]
struct NewFile {
    /// A file that the caller has sent to `/uploads`.
    upload_id: UploadId,
    /// Name; the file's name when absent.
    name: Option<Name<200>>,
    /// Type of document. `DOCUMENT_TYPE_REQUIRED` when absent or null.
    #[schemars(required, with = "DocumentType")]
    r#type: Option<DocumentType>,
    /// Id of the client; the company's own document when absent, or the client's own if a client
    /// files it.
    client_id: Option<ClientId>,
    /// Its folder; the top level when absent.
    folder_id: Option<FolderId>,
    /// The last date on which it holds.
    expires_on: Option<Date>,
}

fn file_document(cx: &mut Write, Body(new): Body<NewFile>) -> Result<DocumentAnswer> {
    let r#type = new.r#type.ok_or_else(type_required)?;
    let client_id = cx.narrowed(new.client_id)?;
    let file = uploads::attach(cx, new.upload_id)
        .map_err(|none| none.missing("uploadId", DocumentRule::NotSentFile))?;
    let name = new.name.map_or_else(|| file.file_name.clone(), Into::into);
    let NewFile { folder_id, expires_on, .. } = new;
    let new = New { name, r#type, client_id, folder_id, expires_on };
    Ok(DocumentAnswer { document: save_file(cx, new, None, Some(file))? })
}

/// The fields of a document to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct DocumentChanges {
    #[serde(deserialize_with = "text::replaced_text")]
    name: Patch<Name<200>>,
    r#type: Patch<DocumentType>,
    /// Address of a link.
    url: Patch<Link>,
    /// Id of the client; only for documents of the company, and final.
    client_id: Change<ClientId>,
    folder_id: Patch<FolderId>,
    expires_on: Patch<Date>,
}

impl DocumentChanges {
    fn is_empty(&self) -> bool {
        let texts = self.name.is_said() || self.r#type.is_said() || self.url.is_said();
        let places = self.client_id.is_said() || self.folder_id.is_said();
        !(texts || places || self.expires_on.is_said())
    }
}

/// What a field that cannot be cleared becomes.
fn set<T>(change: Patch<T>, to: &mut T, required: fn() -> Problem) -> Result<()> {
    match change {
        Patch::Absent => {}
        Patch::Clear => return Err(required()),
        Patch::Set(value) => *to = value,
    }
    Ok(())
}

fn update_document(
    cx: &mut Write,
    Path(at): Path<DocumentPath>,
    Body(change): Body<DocumentChanges>,
) -> Result<DocumentAnswer> {
    let before = Document::in_use(cx, at.document_id)?;
    if change.is_empty() {
        return Err(Key::DocumentNothingToUpdate.into());
    }
    let mut document = before.clone();
    set(change.name.map(Into::into), &mut document.name, name_required)?;
    set(change.r#type, &mut document.r#type, type_required)?;
    match (change.url, document.source) {
        (Patch::Absent, _) => {}
        (Patch::Clear, _) => return Err(url_required()),
        (Patch::Set(_), DocumentSource::File) => {
            return Err(Problem::conflict("url", DocumentRule::GivenForFile));
        }
        (Patch::Set(url), DocumentSource::Link) => document.url = Some(url.into()),
    }
    match (change.client_id.value(), document.client_id) {
        (Some(client), None) => document.client_id = Some(Client::find(cx, client)?.client_id),
        (Some(client), Some(own)) if client != own => {
            return Err(Problem::conflict("clientId", DocumentRule::OfClientAlready));
        }
        _ => {}
    }
    change.folder_id.apply(&mut document.folder_id);
    change.expires_on.apply(&mut document.expires_on);
    document.check(cx)?;
    // Whatever it is called from now on, it was about health.
    if before.is_about_health() {
        document.client_id.map_or(Ok(()), |client| cx.check_consent(client))?;
    }
    document.save(cx, &before, Event::DocumentUpdated)?;
    Ok(DocumentAnswer { document })
}

fn archive_document(cx: &mut Write, Path(at): Path<DocumentPath>) -> Result<DocumentAnswer> {
    let before = Document::find(cx, at.document_id)?;
    let mut document = before.clone();
    if document.is_active() {
        document.status = DocumentStatus::Archived;
        document.archived_at = Some(cx.now());
    }
    cx.describe_effect(|| DocumentEffect::DocumentArchived { name: quoted(&document.name) });
    cx.as_of(before.updated_at);
    document.save(cx, &before, Event::DocumentArchived)?;
    Ok(DocumentAnswer { document })
}

fn restore_document(cx: &mut Write, Path(at): Path<DocumentPath>) -> Result<DocumentAnswer> {
    let before = Document::find(cx, at.document_id)?;
    let mut document = before.clone();
    before.check(cx)?;
    (document.status, document.archived_at) = (DocumentStatus::Active, None);
    document.save(cx, &before, Event::DocumentUpdated)?;
    Ok(DocumentAnswer { document })
}

/// Fields that clients do not see: the folder.
pub(super) const STAFFS: &[&str] = &["folderId"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    const REQUIRED: &[Key] =
        &[Key::DocumentNameRequired, Key::DocumentTypeRequired, Key::ScopesHealthConsentRequired];
    Area::default().lists(lists()).operations([
        operation!(GET "/documents", DocumentsRead, list_documents)
            .summary("List documents")
            .describe(
                "Returns documents newest first. Integrations without health-data consent see no \
                 `medical` documents; clients see their own that are not archived.",
            )
            .for_own(STAFFS),
        operation!(GET "/documents/{documentId}", DocumentsRead, get_document)
            .summary("Get a document")
            .describe(
                "Returns a document's metadata. The file itself is available through the \
                 application API.",
            )
            .for_own(STAFFS),
        operation!(POST "/documents", DocumentsWrite, link_document)
            .about_health_by_record()
            .summary("Link a document")
            .describe("Adds a document that is stored elsewhere, for a client or for the company.")
            .created()
            .emits(&[Event::DocumentLinked])
            .always(&[])
            .fails(REQUIRED),
        operation!(app POST "/document-files", Coach, file_document)
            .about_health_by_record()
            .summary("Create a document from a file")
            .describe("Creates a document from an uploaded file.")
            .created()
            .for_own(STAFFS)
            .emits(&[Event::DocumentLinked])
            .always(&[])
            .fails(&[Key::DocumentTypeRequired, Key::NotFound, Key::ScopesHealthConsentRequired]),
        operation!(PATCH "/documents/{documentId}", DocumentsWrite, update_document)
            .about_health_by_record()
            .summary("Update a document")
            .describe("Changes a document's metadata or folder.")
            .emits(&[Event::DocumentLinked, Event::DocumentUpdated])
            .always(&[Event::DocumentUpdated])
            .fails(&[
                Key::DocumentNameRequired,
                Key::DocumentTypeRequired,
                Key::DocumentNothingToUpdate,
                Key::ScopesHealthConsentRequired,
                Key::ApiError,
            ]),
        operation!(POST "/documents/{documentId}/archive", DocumentsWrite, archive_document)
            .success(Success::Archived)
            .about_health_by_record()
            .summary("Archive a document")
            .describe(
                "Archives a document, which can be restored. Archiving again changes nothing.",
            )
            .emits(&[Event::DocumentArchived])
            .confirmation(),
        operation!(POST "/documents/{documentId}/restore", DocumentsWrite, restore_document)
            .success(Success::Restored)
            .about_health_by_record()
            .summary("Restore a document")
            .describe("Restores an archived document.")
            .emits(&[Event::DocumentUpdated]),
    ])
}

lists! {
    /// Every document, newest first.
    LIST: List<Document, Filters> =
        List::new("document WHERE company_id = ?1", "document_id DESC").tallied(TALLIES[0]);
    /// The same without those about health.
    PLAIN: List<Document, Filters> =
        List::new("document WHERE company_id = ?1 AND type <> 'medical'", "document_id DESC")
            .tallied(TALLIES[1]);
    /// The same with health documents of clients who consent to storing health data.
    CONSENTED: List<Document, Filters> = List::new(
        concat!(
            "document WHERE company_id = ?1 AND (type <> 'medical' OR client_id IS NULL OR ",
            spotter_people::consented_to!("document"),
            ")"
        ),
        "document_id DESC",
    );
}
