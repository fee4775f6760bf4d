//! Files that answer a question: sent before, kept with the answers, fetched at signed addresses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spotter_company::uploads::{self, MediaType, StoredFile, UploadId};
use spotter_contract::{
    Area, Download, DownloadSource, Path, Read, Write, answer, operation, path,
};
use spotter_kernel::{Id, Key, Result, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{params, record, statements, stored_ids, values};

use crate::{
    answer::{FileReference, wrong},
    assignment::AssignmentId,
    rules::FormRule,
};

id_type!(
    /// A file that answers a question.
    FormFileId,
    RequestInvalid
);
stored_ids!(FormFileId);

record! {
    /// A file: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct FormFile {
        /// Id of the file.
        pub file_id: FormFileId,
        /// Client who uploaded it.
        pub client_id: ClientId,
        /// What it belongs to.
        pub assignment_id: AssignmentId,
        upload_id: UploadId,
        file_name: String,
        media_type: MediaType,
        size_bytes: i64,
        /// Whether it was submitted; it stays from then on.
        pub submitted: bool,
        created_at: Timestamp,
    }
}

/// How long addresses are good, in seconds.
const SECONDS: i64 = 300;

static FILE: Download = Download {
    place: ("/files/form-answers/", ""),
    operation: "get_form_file",
    seconds: SECONDS,
    read: FormFile::find_file,
};

impl FormFile {
    /// The file of an answer: a stored one, or a new upload that is stored now.
    pub fn answered(
        cx: &mut Write,
        client: ClientId,
        assignment: AssignmentId,
        question: &str,
        sent: FileReference,
    ) -> Result<Self> {
        let id = match sent {
            FileReference::File(id) => {
                let found: Option<Self> = cx.one(FIND, params![id])?;
                let rule = FormRule::OtherFile;
                return found
                    .filter(|file| file.assignment_id == assignment)
                    .ok_or_else(|| wrong(question, rule));
            }
            FileReference::Upload(id) => id,
        };
        // Saving the same upload again uses the stored file.
        if let Some(there) = cx.one(BY_UPLOAD, params![assignment, id])? {
            return Ok(there);
        }
        let rule = FormRule::NotFreshUpload;
        let attached = uploads::attach(cx, id)
            .map_err(|none| none.missing(&format!("answers.{question}"), rule))?;
        let file = Self {
            file_id: FormFileId(cx.new_id()),
            client_id: client,
            assignment_id: assignment,
            upload_id: attached.upload_id,
            file_name: attached.file_name,
            media_type: attached.media_type,
            size_bytes: attached.size,
            submitted: false,
            created_at: cx.now(),
        };
        cx.defer(INSERT, &file.params())?;
        Ok(file)
    }

    /// Its form in an answer.
    pub fn answer_value(&self) -> Value {
        json!({"fileId": self.file_id, "fileName": self.file_name, "mediaType": self.media_type,
            "sizeBytes": self.size_bytes})
    }

    /// Which file a kept answer is.
    pub fn id_in(answer: &Value) -> Option<FormFileId> {
        FormFileId::deserialize(answer.get("fileId")?).ok()
    }

    /// Keeps these files of an assignment, and deletes the others that were never submitted. Submitted files stay.
    pub fn attach(
        cx: &mut Write,
        of: AssignmentId,
        these: &[FormFileId],
        submitted: bool,
    ) -> Result<()> {
        let all: Vec<Self> = cx.all(OF_ASSIGNMENT, params![of])?;
        for file in all.iter().filter(|file| !file.submitted) {
            match these.contains(&file.file_id) {
                true if submitted => cx.defer(SUBMIT, params![file.file_id])?,
                true => {}
                false => {
                    uploads::discard(cx, file.upload_id)?;
                    cx.defer(DELETE, params![file.file_id])?;
                }
            }
        }
        Ok(())
    }

    /// The file of an answer that the caller may see.
    pub fn find_file(cx: &mut Read, id: Id) -> Result<DownloadSource> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        let file = cx.own(found, |file| file.client_id)?;
        let stored = StoredFile { company: cx.company(), upload: file.upload_id };
        let media_type = file.media_type.word();
        Ok(DownloadSource::Kept { name: file.file_name, media_type, key: stored.key() })
    }
}

/// A file uploaded as an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FormFile")]
struct FormFileView {
    file_id: FormFileId,
    client_id: ClientId,
    assignment_id: AssignmentId,
    file_name: String,
    media_type: MediaType,
    /// Length of the content in bytes.
    size_bytes: i64,
    /// Download address, valid while the caller may read the file. Anyone who has it can download
    /// the file.
    url: String,
    /// Instant until which the address is valid: five minutes.
    url_expires_at: Timestamp,
}

path!(FilePath { client_id: ClientId, file_id: FormFileId });

answer!(FileAnswer { file: FormFileView });

fn get_form_file(cx: &mut Read, Path(at): Path<FilePath>) -> Result<FileAnswer> {
    Client::find(cx, at.client_id)?;
    let found: Option<FormFile> = cx.one(FIND, params![at.file_id])?;
    let file = found.filter(|file| file.client_id == at.client_id).ok_or(Key::NotFound)?;
    let (url, url_expires_at) = FILE.address(cx, file.file_id)?;
    let FormFile { file_id, client_id, assignment_id, file_name, media_type, size_bytes, .. } =
        file;
    let file = FormFileView {
        file_id,
        client_id,
        assignment_id,
        file_name,
        media_type,
        size_bytes,
        url,
        url_expires_at,
    };
    Ok(FileAnswer { file })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).downloads(&[&FILE]).operations([
        operation!(app GET "/clients/{clientId}/form-files/{fileId}", Coach, get_form_file)
            .summary("Get a file of an answer")
            .without_etag()
            .describe("Returns a URL that serves the file for five minutes without a token.")
            .for_client(&[]),
    ])
}

statements! {
    FIND = "SELECT ", FormFile::COLUMNS, " FROM form_file WHERE company_id = ?1 AND file_id = ?2";
    BY_UPLOAD = "SELECT ", FormFile::COLUMNS, " FROM form_file \
        WHERE company_id = ?1 AND assignment_id = ?2 AND upload_id = ?3";
    OF_ASSIGNMENT = "SELECT ", FormFile::COLUMNS, " FROM form_file \
        WHERE company_id = ?1 AND assignment_id = ?2 ORDER BY file_id LIMIT 5000";
    INSERT = "INSERT INTO form_file ", values!(FormFile);
    SUBMIT = "UPDATE form_file SET submitted = TRUE WHERE company_id = ?1 AND file_id = ?2";
    DELETE = "DELETE FROM form_file WHERE company_id = ?1 AND file_id = ?2 AND submitted = FALSE";
}
