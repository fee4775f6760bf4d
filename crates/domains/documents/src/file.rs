//! The files of documents, fetched at signed addresses by people alone.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::uploads::{MediaType, StoredFile};
use spotter_contract::{Area, Download, DownloadSource, Path, Read, answer, operation, path};
use spotter_kernel::{Id, Key, Result, Timestamp};

use crate::document::{Document, DocumentId};

static FILE: Download = Download {
    place: ("/files/documents/", ""),
    operation: "get_document_file",
    seconds: 300,
    read: find_file,
};

/// The file of a document that the caller may see.
pub fn find_file(cx: &mut Read, id: Id) -> Result<DownloadSource> {
    let document = Document::find(cx, DocumentId(id))?;
    let (Some(upload), Some(name), Some(media_type)) =
        (document.upload_id, document.file_name, document.media_type)
    else {
        return Err(Key::NotFound.into());
    };
    let stored = StoredFile { company: cx.company(), upload };
    Ok(DownloadSource::Kept { name, media_type: media_type.word(), key: stored.key() })
}

/// The download of a document.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentFile {
    document_id: DocumentId,
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

path!(DocumentPath { document_id: DocumentId });

answer!(FileAnswer { document_file: DocumentFile });

fn get_document_file(cx: &mut Read, Path(at): Path<DocumentPath>) -> Result<FileAnswer> {
    let document = Document::find(cx, at.document_id)?;
    let (Some(file_name), Some(media_type), Some(size_bytes)) =
        (document.file_name, document.media_type, document.size_bytes)
    else {
        return Err(Key::DocumentNotFound.into());
    };
    let (url, url_expires_at) = FILE.address(cx, document.document_id)?;
    let document_id = document.document_id;
    let document_file =
        DocumentFile { document_id, file_name, media_type, size_bytes, url, url_expires_at };
    Ok(FileAnswer { document_file })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().downloads(&[&FILE]).operations([
        operation!(app GET "/documents/{documentId}/file", Coach, get_document_file)
            .summary("Get a document's file")
            .without_etag()
            .describe(
                "Returns a URL that serves the file for five minutes without a token. Links have \
                 no file.",
            )
            .for_own(&[]),
    ])
}
