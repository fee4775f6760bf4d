//! Data exports: everything that the company stores about a client, as JSON and files in one ZIP, for the client or a
//! manager. A job calls the operations that the areas name, as the requester: what they may not see is not included.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Actor, Area, Download, DownloadSource, ErasureAction, ErasureRule, ExportSection, Job,
    ListQuery, Path, Read, Write, answer,
    downloads::Holder,
    jobs::{AttemptResult, JobState, RetryPolicy},
    listed, operation, path,
};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::{ClientId, CompanyId},
    id_type,
};
use spotter_store::{
    Bind, List, NoFilters, Tx, lists, params, parts, record, statements, stored_ids, values, words,
};

use super::{record::Client, search::ClientPath};
use crate::rules::PeopleRule;
use spotter_company::uploads::{SWEEP, StoredFile, UploadId};

id_type!(
    /// A data export.
    DataExportId,
    RequestInvalid
);
stored_ids!(DataExportId);

words! {
    /// The status of a data export. A ready one expires after a week.
    pub enum DataExportStatus {
        Pending = "pending",
        Ready = "ready",
        Failed = "failed",
        Expired = "expired",
    }
}

/// How long a data export can be fetched, in days.
const KEPT_DAYS: i64 = 7;
/// How long it is tried to make one: longer than all attempts take.
const WAIT_SECONDS: i64 = 7_200;

record! {
    /// A data export.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct DataExport {
        data_export_id: DataExportId,
        client_id: ClientId,
        /// `pending` while it is made; `expired` a week after it was ready, and once a later one was requested.
        status: DataExportStatus,
        /// coach or client.
        requested_by_type: String,
        /// The person who requested it; the export holds what they may read.
        requested_by: Id,
        created_at: Timestamp,
        /// Instant at which the export became available.
        ready_at: Option<Timestamp>,
        /// Size of the ZIP file in bytes; null until it is ready.
        size_bytes: Option<i64>,
        /// Instant at which the export expires.
        expires_at: Option<Timestamp>,
        #[serde(skip)]
        kept_until: Option<Timestamp>,
    }
}

impl DataExport {
    /// A data export that the caller may see: clients see those requested by clients, managers those requested by
    /// managers.
    fn find(cx: &mut Read, client: ClientId, id: DataExportId) -> Result<Self> {
        Client::find(cx, client)?;
        let kind = cx.caller().actor.kind();
        let found: Option<Self> = cx.one(FIND, params![id])?;
        let own = found.filter(|own| own.client_id == client && own.requested_by_type == kind);
        Ok(own.ok_or(Key::NotFound)?.at(cx.now()))
    }

    /// The same with its status at an instant.
    fn at(mut self, now: Timestamp) -> Self {
        let is_late = self.created_at.plus_seconds(WAIT_SECONDS) <= now;
        self.status = match self.status {
            DataExportStatus::Pending if is_late => DataExportStatus::Failed,
            DataExportStatus::Ready if self.expires_at.is_some_and(|at| at <= now) => {
                DataExportStatus::Expired
            }
            status => status,
        };
        self
    }

    /// What its file is called.
    fn file_name(&self) -> String {
        format!("data-{}.zip", self.created_at.to_string().split('T').next().unwrap_or_default())
    }

    /// When it was requested.
    pub const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The client it is about, and the person it is made for.
    pub fn reader(&self) -> (ClientId, Holder, Id) {
        let holder = match self.requested_by_type.as_str() {
            "client" => Holder::Client,
            _ => Holder::Coach,
        };
        (self.client_id, holder, self.requested_by)
    }

    fn save(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.state())
    }
}

answer!(DataExportAnswer { data_export: DataExport });

fn request_data_export(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<DataExportAnswer> {
    Client::find(cx, at.client_id)?;
    let (requested_by_type, requested_by) = cx.maker();
    let now = cx.now();
    let earlier: Vec<DataExport> = cx.all(OPEN, params![at.client_id, requested_by_type])?;
    for mut earlier in earlier {
        if earlier.clone().at(now).status == DataExportStatus::Pending {
            return Ok(DataExportAnswer { data_export: earlier });
        }
        earlier.status = DataExportStatus::Expired;
        earlier.expires_at = earlier.expires_at.map(|_| now);
        earlier.kept_until = earlier.kept_until.map(|_| now);
        earlier.save(cx)?;
    }
    let data_export = DataExport {
        data_export_id: DataExportId(cx.new_id()),
        client_id: at.client_id,
        status: DataExportStatus::Pending,
        requested_by_type,
        requested_by: requested_by.ok_or(Key::Forbidden)?,
        created_at: now,
        ready_at: None,
        size_bytes: None,
        expires_at: None,
        kept_until: None,
    };
    cx.set_audit_target("data_export", data_export.data_export_id, ["dataExport"]);
    cx.defer(INSERT, &data_export.params())?;
    cx.begin_job(&MAKE, data_export.data_export_id)?;
    Ok(DataExportAnswer { data_export })
}

listed!(DataExports { data_exports: DataExport });

fn list_data_exports(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<DataExports> {
    Client::find(cx, at.client_id)?;
    let (kind, now) = (cx.caller().actor.kind().to_owned(), cx.now());
    let mut page =
        cx.page_under(&LIST, &[at.client_id.bind(), kind.bind()], &NoFilters {}, page)?;
    page.items = page.items.into_iter().map(|own| own.at(now)).collect();
    Ok(page.into())
}

path!(DataExportPath { client_id: ClientId, data_export_id: DataExportId });

fn get_data_export(cx: &mut Read, Path(at): Path<DataExportPath>) -> Result<DataExportAnswer> {
    Ok(DataExportAnswer { data_export: DataExport::find(cx, at.client_id, at.data_export_id)? })
}

/// The download of a data export.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DataExportFile {
    data_export_id: DataExportId,
    file_name: String,
    /// Length of the content in bytes.
    size_bytes: i64,
    /// Download address, valid while the caller may read the file. Anyone who has it can download
    /// the file.
    url: String,
    /// Instant until which the address is valid: ten minutes.
    url_expires_at: Timestamp,
}

answer!(DataExportFileAnswer { data_export_file: DataExportFile });

fn get_data_export_file(
    cx: &mut Read,
    Path(at): Path<DataExportPath>,
) -> Result<DataExportFileAnswer> {
    let own = DataExport::find(cx, at.client_id, at.data_export_id)?;
    let (DataExportStatus::Ready, Some(size_bytes)) = (own.status, own.size_bytes) else {
        return Err(Problem::conflict("status", PeopleRule::ExportNotReady));
    };
    let (url, url_expires_at) = FILE.address(cx, own.data_export_id)?;
    let (data_export_id, file_name) = (own.data_export_id, own.file_name());
    let data_export_file =
        DataExportFile { data_export_id, file_name, size_bytes, url, url_expires_at };
    Ok(DataExportFileAnswer { data_export_file })
}

static FILE: Download = Download {
    place: ("/files/data-exports/", ".zip"),
    operation: "get_data_export_file",
    seconds: 600,
    read: find_file,
};

fn find_file(cx: &mut Read, id: Id) -> Result<DownloadSource> {
    let found: Option<DataExport> = cx.one(FIND, params![id])?;
    let client = found.ok_or(Key::NotFound)?.client_id;
    if let Actor::Client { id, .. } = cx.caller().actor
        && id != client
    {
        return Err(Key::NotFound.into());
    }
    let own = DataExport::find(cx, client, DataExportId(id))?;
    if own.status != DataExportStatus::Ready {
        return Err(Key::NotFound.into());
    }
    let (name, key) = (own.file_name(), stored(cx.company(), id).key());
    Ok(DownloadSource::Kept { name, media_type: "application/zip", key })
}

/// The key of its file.
const fn stored(company: CompanyId, id: Id) -> StoredFile {
    StoredFile { company, upload: UploadId(id) }
}

/// Making a data export.
pub static MAKE: Job = Job::new(
    "make_data_export",
    "Create a data export",
    RetryPolicy { lease_ms: 300_000, retries: &[60, 600] },
    on_finished,
);

fn on_finished(cx: &mut Write, id: Id, settled: &AttemptResult) -> Result<()> {
    let found: Option<DataExport> = cx.one(FIND, params![id])?;
    let Some(mut own) = found.filter(|own| own.status == DataExportStatus::Pending) else {
        return Ok(());
    };
    let is_over = settled.again_at.is_none() && settled.state != JobState::Done;
    if is_over {
        own.status = DataExportStatus::Failed;
        own.save(cx)?;
    }
    Ok(())
}

/// Where to write a data export, and for whom; `None` if it is not needed any more. An unfinished file is removed by
/// the sweep unless it is [finished](finish).
pub fn start(cx: &mut Write, id: Id) -> Result<Option<(DataExport, String)>> {
    let found: Option<DataExport> = cx.one(FIND, params![id])?;
    let Some(mut own) = found.filter(|own| own.status == DataExportStatus::Pending) else {
        return Ok(None);
    };
    own.kept_until = Some(cx.now().plus_seconds(WAIT_SECONDS));
    own.save(cx)?;
    Ok(Some((own, stored(cx.company(), id).key())))
}

/// Records that a data export is written. If nobody waits for it any more, its file is left to the sweep.
pub fn finish(cx: &mut Write, id: Id, size: u64) -> Result<()> {
    let found: Option<DataExport> = cx.one(FIND, params![id])?;
    let Some(mut own) = found else { return Ok(()) };
    let now = cx.now();
    own.kept_until = Some(now);
    if own.status == DataExportStatus::Pending {
        let expires_at = now.plus_days(KEPT_DAYS);
        (own.status, own.size_bytes) = (DataExportStatus::Ready, Some(size as i64));
        (own.ready_at, own.expires_at) = (Some(now), Some(expires_at));
        own.kept_until = Some(expires_at);
    }
    own.save(cx)
}

/// Files that are not to be kept any more, to be deleted and then [forgotten](forget).
pub fn expired(tx: &mut Tx, now: Timestamp) -> Result<Vec<StoredFile>> {
    let rows: Vec<(CompanyId, Id)> = tx.all(EXPIRED, params![now, SWEEP])?;
    Ok(rows.into_iter().map(|(company, id)| stored(company, id)).collect())
}

/// Notes that a file is deleted.
pub fn forget(tx: &mut Tx, stored: StoredFile) -> Result<()> {
    tx.defer(FORGET, params![stored.company, stored.upload])
}

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::emptied(
    "data_export",
    "When an export was requested: the file is deleted.",
    ErasureAction::Run(expire_all),
)];

fn expire_all(cx: &mut Write, client: Id) -> Result<bool> {
    let now = cx.now();
    cx.execute(EXPIRE_ALL, params![client, DataExportStatus::Expired, now]).map(|_| false)
}

/// The sections about clients. Notes are for staff and not included.
const EXPORTS: &[ExportSection] = &[
    ExportSection::of("client", "get_client"),
    ExportSection::of("custom-fields", "get_client_custom_fields"),
    ExportSection::of("timeline", "get_client_timeline"),
    ExportSection::of("notes", "list_client_notes"),
    ExportSection::of("assistants", "list_own_mcp_grants"),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .jobs(&[&MAKE])
        .downloads(&[&FILE])
        .exports(EXPORTS)
        .erases(TRACES)
        .operations([
            operation!(app POST "/clients/{clientId}/data-exports", Manager, request_data_export).reauthentication()
                .summary("Request a data export")
                .describe(
                "Creates a ZIP of everything stored about the client that the caller may see, as \
                 JSON and files. It is ready within minutes and available for a week, or until \
                 the next request. If one is being created, returns that one.",
            )
                .created()
                .for_client(&[]),
            operation!(app GET "/clients/{clientId}/data-exports", Manager, list_data_exports)
                .summary("List a client's data exports")
                .describe(
                "Returns exports that the client requested, or, for managers, those that managers \
                 requested.",
            )
                .for_client(&[]),
            operation!(app GET "/clients/{clientId}/data-exports/{dataExportId}", Manager, get_data_export)
                .summary("Get a data export")
            .describe("Returns the status of a data export.")
                .for_client(&[]),
            operation!(app GET "/clients/{clientId}/data-exports/{dataExportId}/file", Manager, get_data_export_file).reauthentication()
                .summary("Get the file of a data export")
                .without_etag()
                .describe("Returns a URL that serves the file for ten minutes without a token.")
                .fails(&[Key::ApiError])
                .for_client(&[]),
        ])
}

lists! {
    /// One client's data exports, newest first; there are few.
    LIST: List<DataExport> = List::new(
        "data_export WHERE company_id = ?1 AND client_id = ?2 AND requested_by_type = ?3",
        "data_export_id DESC",
    );
}

parts! {
    DataExport by data_export_id without client_id, requested_by_type, requested_by, created_at;
    STATE state: status, ready_at, size_bytes, expires_at, kept_until;
}

statements! {
    FIND = "SELECT ", DataExport::COLUMNS, " FROM data_export WHERE company_id = ?1 AND data_export_id = ?2";
    OPEN = "SELECT ", DataExport::COLUMNS, " FROM data_export WHERE company_id = ?1 AND client_id = ?2 \
        AND requested_by_type = ?3 AND status IN ('pending', 'ready') ORDER BY data_export_id LIMIT 20";
    INSERT = "INSERT INTO data_export ", values!(DataExport);
    SAVE = "UPDATE data_export SET ", DataExport::STATE, " WHERE company_id = ?1 AND data_export_id = ?2";
    EXPIRE_ALL = "UPDATE data_export SET status = ?3, kept_until = ?4, expires_at = ?4, size_bytes = NULL \
        WHERE company_id = ?1 AND client_id = ?2";
    EXPIRED = "SELECT company_id, data_export_id FROM data_export WHERE kept_until <= ?1 LIMIT ?2";
    FORGET = "UPDATE data_export SET kept_until = NULL WHERE company_id = ?1 AND data_export_id = ?2";
}
