//! Uploaded files: which are accepted, who may use them, and when they are deleted. Their bytes are in the file store
//! under [`StoredFile`]'s key; here are their records.
//!
//! A file is uploaded, stored, and attached to something within a day or deleted. A file with an expiry is unused, so
//! that a crash between the database and the files leaves nothing that is not deleted later.

use std::borrow::Cow;

use crate::{companies::ERASING, rules::CompanyRule};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use spotter_contract::{Area, ErasureRule, Write};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp, id::CompanyId, id_type, problem::refuse, text::Text,
};
use spotter_store::{Tx, params, parts, record, statements, stored_ids, values, words};

id_type!(
    /// An uploaded file.
    UploadId,
    RequestInvalid
);
stored_ids!(UploadId);

/// How long a file may take to arrive.
pub const ARRIVAL_SECONDS: i64 = 3_600;
/// How long a file waits to be attached.
const WAIT_SECONDS: i64 = 86_400;
/// How long an expired file is kept, for a reader that saw it before.
const MARGIN_SECONDS: i64 = 300;
/// Most files that one sweep forgets.
pub const SWEEP: i64 = 100;

words! {
    /// The kinds of files that may be sent, by their media types.
    pub enum MediaType {
        Jpeg = "image/jpeg",
        Png = "image/png",
        Webp = "image/webp",
        Gif = "image/gif",
        Mp4 = "video/mp4",
        QuickTime = "video/quicktime",
        Webm = "video/webm",
        Mp3 = "audio/mpeg",
        M4a = "audio/mp4",
        Ogg = "audio/ogg",
        Wav = "audio/wav",
        Pdf = "application/pdf",
    }
}

/// What people see a file as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// Moving pictures.
    Video,
    /// Sound.
    Audio,
    /// Pages to read.
    Document,
}

impl MediaType {
    /// What people see it as.
    pub const fn kind(self) -> MediaKind {
        match self {
            Self::Jpeg | Self::Png | Self::Webp | Self::Gif => MediaKind::Image,
            Self::Mp4 | Self::QuickTime | Self::Webm => MediaKind::Video,
            Self::Mp3 | Self::M4a | Self::Ogg | Self::Wav => MediaKind::Audio,
            Self::Pdf => MediaKind::Document,
        }
    }
}

/// What a file is called: 1 to 200 characters, none of which leads elsewhere or is invisible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(Text<200>);

impl From<FileName> for String {
    fn from(name: FileName) -> Self {
        name.0.into()
    }
}

impl<'de> Deserialize<'de> for FileName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let name = Text::deserialize(d)?;
        let plain = |c: char| !c.is_control() && !"/\\".contains(c);
        if name.chars().all(plain) && name.chars().any(|c| c != '.') {
            Ok(Self(name))
        } else {
            let rule = CompanyRule::NotFileName;
            Err(refuse(Key::RequestInvalid, rule))
        }
    }
}

impl JsonSchema for FileName {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "FileName".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 1, "maxLength": 200,
            "pattern": "^[^/\\\\\\x00-\\x1f]+$"})
    }
}

words! {
    /// The purpose of a file: an attachment, or a progress photo or a picture of the public site, which are re-encoded.
    pub enum Purpose {
        Attachment = "attachment",
        ProgressPhoto = "progress_photo",
        SitePicture = "site_picture",
    }
}

impl Purpose {
    /// Whether it is a picture that is re-encoded: nothing of the file but what is seen is kept.
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::ProgressPhoto | Self::SitePicture)
    }
}

words! {
    /// The status of a file.
    enum UploadStatus {
        Arriving = "arriving",
        Stored = "stored",
        Attached = "attached",
        Discarded = "discarded",
    }
}

record! {
    /// The record of a file.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Upload {
        upload_id: UploadId,
        #[serde(skip)]
        owner_id: Id,
        file_name: String,
        media_type: MediaType,
        /// Size in bytes.
        size: i64,
        #[serde(skip)]
        status: UploadStatus,
        created_at: Timestamp,
        /// Until when it can be attached.
        expires_at: Option<Timestamp>,
        /// What it was sent for.
        purpose: Purpose,
        /// Of a re-encoded picture, in pixels.
        width: Option<i64>,
        /// Of a re-encoded picture, in pixels.
        height: Option<i64>,
        #[serde(skip)]
        thumbnail_id: Option<UploadId>,
    }
}

/// A file that belongs to something.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachedFile {
    /// The file.
    pub upload_id: UploadId,
    /// Display name.
    pub file_name: String,
    /// What it is.
    pub media_type: MediaType,
    /// Size in bytes.
    pub size: i64,
}

/// A picture that belongs to something, and its thumbnail.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachedPicture {
    /// The picture.
    pub upload_id: UploadId,
    /// Its thumbnail.
    pub thumbnail_id: UploadId,
    /// Of the picture, in bytes.
    pub size: i64,
    /// In pixels.
    pub width: i64,
    /// In pixels.
    pub height: i64,
}

/// The properties of a re-encoded picture.
#[derive(Clone, Copy, Debug)]
pub struct PictureDetails {
    /// Its thumbnail.
    pub thumbnail: UploadId,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// The key of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The company.
    pub company: CompanyId,
    /// The file.
    pub upload: UploadId,
}

impl StoredFile {
    /// The key among all the installation's files.
    pub fn key(&self) -> String {
        format!("{}/{}", self.company, self.upload)
    }
}

/// Notes that a file begins to arrive.
pub fn create(
    cx: &mut Write,
    file_name: FileName,
    media_type: MediaType,
    purpose: Purpose,
) -> Result<UploadId> {
    let owner_id = cx.caller().actor.id().ok_or(Key::Forbidden)?;
    let (upload_id, now) = (UploadId(cx.new_id()), cx.now());
    let expires_at = Some(now.plus_seconds(ARRIVAL_SECONDS));
    let upload = Upload {
        upload_id,
        owner_id,
        file_name: file_name.into(),
        media_type,
        size: 0,
        status: UploadStatus::Arriving,
        created_at: now,
        expires_at,
        purpose,
        width: None,
        height: None,
        thumbnail_id: None,
    };
    cx.set_audit_target("upload", upload_id, ["upload"]);
    cx.defer(BEGIN, &upload.params())?;
    Ok(upload_id)
}

/// Records that a file is complete.
pub fn complete(
    cx: &mut Write,
    id: UploadId,
    size: i64,
    drawn: Option<PictureDetails>,
) -> Result<Upload> {
    let found: Option<Upload> = cx.one(FIND, params![id])?;
    let mut upload = found
        .filter(|upload| upload.status == UploadStatus::Arriving)
        .ok_or_else(|| Problem::internal("a file that nobody sent has arrived"))?;
    upload.size = size;
    if let Some(PictureDetails { thumbnail, width, height }) = drawn {
        upload.thumbnail_id = Some(thumbnail);
        (upload.width, upload.height) = (Some(width.into()), Some(height.into()));
    }
    upload.status = UploadStatus::Stored;
    upload.expires_at = Some(cx.now().plus_seconds(WAIT_SECONDS));
    cx.set_audit_target("upload", id, ["size"]);
    upload.save(cx)?;
    Ok(upload)
}

/// Notes that a file is not to be kept.
pub fn discard(cx: &mut Write, id: UploadId) -> Result<()> {
    let expires_at = cx.now();
    cx.defer(DISCARD, params![id, UploadStatus::Discarded, expires_at])
}

/// Takes a file of the caller's for something that the caller writes; it is taken once.
pub fn attach(cx: &mut Write, id: UploadId) -> Result<AttachedFile> {
    let upload = take(cx, id, Purpose::Attachment)?;
    let Upload { upload_id, file_name, media_type, size, .. } = upload;
    Ok(AttachedFile { upload_id, file_name, media_type, size })
}

/// Takes a picture for the company's public site. Its thumbnail is not used there, and deleted.
pub fn attach_site_picture(cx: &mut Write, id: UploadId) -> Result<()> {
    let picture = attach_picture(cx, id, Purpose::SitePicture)?;
    discard(cx, picture.thumbnail_id)
}

/// The same of a picture, with its thumbnail.
pub fn attach_picture(cx: &mut Write, id: UploadId, purpose: Purpose) -> Result<AttachedPicture> {
    let upload = take(cx, id, purpose)?;
    let (Some(thumbnail), Some((width, height))) =
        (upload.thumbnail_id, upload.width.zip(upload.height))
    else {
        return Err(Key::NotFound.into());
    };
    take(cx, thumbnail, purpose)?;
    let Upload { upload_id, size, .. } = upload;
    Ok(AttachedPicture { upload_id, thumbnail_id: thumbnail, size, width, height })
}

fn take(cx: &mut Write, id: UploadId, purpose: Purpose) -> Result<Upload> {
    let (owner, now) = (cx.caller().actor.id(), cx.now());
    let found: Option<Upload> = cx.one(FIND, params![id])?;
    let mut upload = found
        .filter(|upload| Some(upload.owner_id) == owner && upload.status == UploadStatus::Stored)
        .filter(|upload| upload.expires_at.is_some_and(|at| at > now))
        .filter(|upload| upload.purpose == purpose)
        .ok_or(Key::NotFound)?;
    (upload.status, upload.expires_at) = (UploadStatus::Attached, None);
    upload.save(cx)?;
    Ok(upload)
}

impl Upload {
    /// Which file it is.
    pub fn id(&self) -> UploadId {
        self.upload_id
    }

    fn save(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.state())
    }
}

/// Unused files, to be deleted and then [forgotten](forget).
pub fn expired(tx: &mut Tx, now: Timestamp) -> Result<Vec<StoredFile>> {
    let before = now.plus_seconds(-MARGIN_SECONDS);
    let rows: Vec<(CompanyId, UploadId)> = tx.all(EXPIRED, params![before, SWEEP])?;
    Ok(rows.into_iter().map(|(company, upload)| StoredFile { company, upload }).collect())
}

/// The files that records of all companies refer to, but for those of companies that are being erased, whose files go first; read
/// in parts.
pub fn attached(tx: &mut Tx) -> Result<Vec<StoredFile>> {
    let (mut all, mut after) = (Vec::new(), (String::new(), String::new()));
    loop {
        let some: Vec<(CompanyId, UploadId)> =
            tx.all(ATTACHED, params![after.0, after.1, SWEEP, ERASING])?;
        let is_last = (some.len() as i64) < SWEEP;
        if let Some((company, upload)) = some.last() {
            after = (company.to_string(), upload.to_string());
        }
        all.extend(some.into_iter().map(|(company, upload)| StoredFile { company, upload }));
        if is_last {
            return Ok(all);
        }
    }
}

/// The files that records of one company refer to.
pub fn attached_of(tx: &mut Tx, company: CompanyId) -> Result<Vec<StoredFile>> {
    let (mut all, mut after): (Vec<StoredFile>, _) = (Vec::new(), String::new());
    loop {
        let some: Vec<(UploadId,)> = tx.all(ATTACHED_OF, params![company, after, SWEEP])?;
        let is_last = (some.len() as i64) < SWEEP;
        all.extend(some.into_iter().map(|(upload,)| StoredFile { company, upload }));
        match all.last() {
            Some(last) if !is_last => after = last.upload.to_string(),
            _ => return Ok(all),
        }
    }
}

/// Whether there is a record of a file.
pub fn is_known(tx: &mut Tx, stored: StoredFile) -> Result<bool> {
    let found: Option<(UploadId,)> = tx.one(IS_KNOWN, params![stored.company, stored.upload])?;
    Ok(found.is_some())
}

/// Deletes the record of a file whose bytes are deleted.
pub fn forget(tx: &mut Tx, stored: StoredFile) -> Result<()> {
    tx.defer(FORGET, params![stored.company, stored.upload])
}

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::stays(
    "upload",
    "Uploaded and unused files, for a day at most; all others are deleted with their records.",
)];

/// The operations and statements of this module.
pub fn area() -> Area {
    Area::of(STATEMENTS).erases(TRACES)
}

parts! {
    Upload by upload_id without owner_id, file_name, media_type, created_at, purpose;
    STATE state: size, status, expires_at, width, height, thumbnail_id;
}

statements! {
    FIND = "SELECT ", Upload::COLUMNS, " FROM upload WHERE company_id = ?1 AND upload_id = ?2";
    BEGIN = "INSERT INTO upload ", values!(Upload);
    SAVE = "UPDATE upload SET ", Upload::STATE, " WHERE company_id = ?1 AND upload_id = ?2";
    DISCARD = "UPDATE upload SET status = ?3, expires_at = ?4 WHERE company_id = ?1 AND upload_id = ?2";
    EXPIRED = "SELECT company_id, upload_id FROM upload WHERE expires_at <= ?1 LIMIT ?2";
    ATTACHED = "SELECT company_id, upload_id FROM upload WHERE (company_id, upload_id) > (?1, ?2) \
        AND status = 'attached' AND NOT EXISTS (SELECT 1 FROM company o \
        WHERE o.company_id = upload.company_id AND o.suspended_at = ?4) ORDER BY company_id, upload_id LIMIT ?3";
    ATTACHED_OF = "SELECT upload_id FROM upload WHERE company_id = ?1 AND upload_id > ?2 AND status = 'attached' \
        ORDER BY upload_id LIMIT ?3";
    IS_KNOWN = "SELECT upload_id FROM upload WHERE company_id = ?1 AND upload_id = ?2";
    FORGET = "DELETE FROM upload WHERE company_id = ?1 AND upload_id = ?2 AND expires_at IS NOT NULL";
}
