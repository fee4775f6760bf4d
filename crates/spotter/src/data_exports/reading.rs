//! The content of a data export: the answers of the operations that the areas name, read as the person who requested
//! it.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use futures_util::TryStreamExt;
use serde_json::Value;
use spotter_company::company::Company;
use spotter_contract::{
    DownloadSource, ExportSection, Operation, Read, RelatedRecords,
    arguments::Arguments,
    caller::Actor,
    downloads::{File, Holder},
    run::PreparedRequest,
};
use spotter_files::FileError;
use spotter_kernel::{
    Id, Problem, Result,
    id::{ClientId, CompanyId},
};
use spotter_people::{
    clients::{Client, data_exports::DataExport},
    identity::holders,
};
use spotter_store::Tx;
use tokio::sync::mpsc::Sender;

use super::{Exporter, packing::ArchivePart};

/// Records of a page.
const PAGE: usize = 100;
/// Most pages of a list: more would not be held.
const PAGES_MAX: usize = 1_000;

/// Reads what a data export holds.
pub struct Reader {
    maker: Exporter,
    company: CompanyId,
    client: ClientId,
    holder: Holder,
    holder_id: Id,
    pieces: Sender<ArchivePart>,
    /// Files that are not where they should be.
    missing: Mutex<Vec<String>>,
}

/// The answer of an operation.
enum OperationOutput {
    /// One thing.
    One(Value),
    /// A list, all pages of it.
    Listed(Vec<Value>),
}

/// How the client is called in paths and queries.
const CLIENT: &str = "clientId";

const BY_CLIENT: &str = "\nIt was asked for by the client, and holds what the client may see.\n";
const BY_STAFF: &str = "\nIt was asked for by the company, and holds what managers may see: \
    not what was said in conversations, which is for those who took part in them.\n";
const FILES: &str = "\nFiles are below files/; the records that they belong to name them in \"files\". Addresses that stand \
    in records are good for minutes.\n";

const MISSING: &str =
    "\nThese files are on record and could not be found; whoever runs the program can say why:\n\n";

impl Reader {
    /// For a data export, with where its pieces go.
    pub fn new(
        maker: &Exporter,
        company: CompanyId,
        export: &DataExport,
        pieces: Sender<ArchivePart>,
    ) -> Self {
        let (client, holder, id) = export.reader();
        Self {
            maker: maker.clone(),
            company,
            client,
            holder,
            holder_id: id,
            pieces,
            missing: Mutex::default(),
        }
    }

    /// Reads all parts.
    pub async fn run(self) -> Result<()> {
        let mut parts = Vec::new();
        for part in self.maker.table.exports() {
            if let Some(records) = self.part(part).await? {
                parts.push((part, records));
            }
        }
        let about = self.about(&parts).await?;
        self.file("README.txt", about.into()).await?;
        self.send(ArchivePart::End).await
    }

    async fn part(&self, part: &ExportSection) -> Result<Option<usize>> {
        let Some(listed) = self.read_operation(part.operation, Vec::new()).await? else {
            return Ok(None);
        };
        let (is_list, records) = match listed {
            OperationOutput::Listed(records) => (true, records),
            OperationOutput::One(record) => (false, vec![record]),
        };
        let mut whole = Vec::with_capacity(records.len());
        for record in records {
            whole.push(self.record(part, record).await?);
        }
        let count = whole.len();
        let output = match is_list {
            true => Value::Array(whole),
            false => whole.pop().unwrap_or_default(),
        };
        let text = serde_json::to_vec_pretty(&output).map_err(Problem::internal)?;
        self.file(&format!("{}.json", part.name), text.into()).await?;
        Ok(Some(count))
    }

    /// A record with all that belongs to it; its files go into the export as they are met.
    async fn record(&self, part: &ExportSection, mut record: Value) -> Result<Value> {
        let mut names = Vec::new();
        for with in part.with {
            match *with {
                RelatedRecords::Whole(operation) => {
                    let output = self
                        .read_operation(operation, self.parameters(operation, &record)?)
                        .await?;
                    if let Some(OperationOutput::One(whole)) = output {
                        record = whole;
                    }
                }
                RelatedRecords::Listed(name, operation) => {
                    let output = self
                        .read_operation(operation, self.parameters(operation, &record)?)
                        .await?;
                    if let (Some(OperationOutput::Listed(listed)), Some(fields)) =
                        (output, record.as_object_mut())
                    {
                        fields.insert(name.to_owned(), Value::Array(listed));
                    }
                }
                RelatedRecords::File(id, read) => {
                    let mut ids = BTreeSet::new();
                    collect(&record, id, &mut ids);
                    for id in ids {
                        names.extend(self.attach(part, &id, read).await?.map(Value::from));
                    }
                }
            }
        }
        if let (false, Some(fields)) = (names.is_empty(), record.as_object_mut()) {
            fields.insert("files".to_owned(), Value::Array(names));
        }
        Ok(record)
    }

    /// The parameters of an operation's path, taken from a record.
    fn parameters(&self, operation: &str, record: &Value) -> Result<Vec<(String, String)>> {
        let names = self.operation(operation)?.path.split('/').filter_map(|piece| {
            piece.strip_prefix('{')?.strip_suffix('}').filter(|name| *name != CLIENT)
        });
        let found = names.map(|name| {
            let mut ids = BTreeSet::new();
            collect(record, name, &mut ids);
            let id = ids.pop_first().ok_or_else(|| Problem::internal(format!("no {name}")))?;
            Ok((name.to_owned(), id))
        });
        found.collect()
    }

    fn operation(&self, id: &str) -> Result<&std::sync::Arc<Operation>> {
        let found = self.maker.table.find(id);
        found.ok_or_else(|| Problem::internal(format!("{id} is no operation")))
    }

    /// An operation's answer to the requester, all pages in one snapshot; `None` where they may not see it.
    async fn read_operation(
        &self,
        id: &'static str,
        more: Vec<(String, String)>,
    ) -> Result<Option<OperationOutput>> {
        let operation = self.operation(id)?.clone();
        let (env, holder, id) = (self.maker.env.clone(), self.holder, self.holder_id);
        let (company, client) = (self.company, self.client);
        let names_client = operation.path.contains("{clientId}");
        let can_name_client = names_client || operation.has_parameter(CLIENT);
        let read = move |tx: &mut Tx<'_>| {
            let caller = holders::caller(tx, company, holder, id, env.clock.now())?;
            let is_client = matches!(caller.actor, Actor::Client { .. });
            // What names no client is what the caller has of their own.
            if !can_name_client && more.is_empty() && !is_client {
                return Ok(None);
            }
            let mut path = more.clone();
            if names_client {
                path.push((CLIENT.to_owned(), client.to_string()));
            }
            let mut records = Vec::new();
            for page in 1..=PAGES_MAX {
                let mut query = Vec::new();
                if operation.is_paged() {
                    query.push(format!("page={page}&limit={PAGE}"));
                }
                if can_name_client && !names_client && !is_client {
                    query.push(format!("{CLIENT}={client}"));
                }
                let (path, query) = (path.clone(), query.join("&"));
                let arguments = Arguments { path, query, ..Arguments::default() };
                let mut request = PreparedRequest::new(operation.clone(), Ok(arguments), Ok(None));
                let outcome = request.run(tx, &env, &caller, "data-export");
                let Some(answer) = unless_missing(outcome)? else { return Ok(None) };
                let data = serde_json::from_str(&answer.data).map_err(Problem::internal)?;
                if !operation.is_paged() {
                    return Ok(Some(OperationOutput::One(unwrapped(data))));
                }
                let is_last = data["hasNextPage"] != true;
                records.extend(listed(data));
                if is_last {
                    return Ok(Some(OperationOutput::Listed(records)));
                }
            }
            Err(Problem::internal(format!("more than {PAGES_MAX} pages of {}", operation.id)))
        };
        self.maker.db.read_slow(read).await
    }

    /// Packs the file of an id, if there is one that the requester may see, and returns its name in the export.
    async fn attach(
        &self,
        part: &ExportSection,
        id: &str,
        read: fn(&mut Read, Id) -> Result<DownloadSource>,
    ) -> Result<Option<String>> {
        let Some(subject) = Id::parse(id) else { return Ok(None) };
        let (env, company) = (self.maker.env.clone(), self.company);
        let (holder, id) = (self.holder, self.holder_id);
        let find = move |tx: &mut Tx<'_>| {
            let now = env.clock.now();
            let caller = holders::caller(tx, company, holder, id, now)?;
            unless_missing(read(&mut Read::new(tx, &caller, now).with_env(&env), subject))
        };
        let Some(found) = self.maker.db.read_slow(find).await? else { return Ok(None) };
        let (DownloadSource::Made(File { name, .. }) | DownloadSource::Kept { name, .. }) = &found;
        // As no system forbids it in names of files.
        let plain = name.chars().map(|c| if "<>:\"/\\|?*".contains(c) { '_' } else { c });
        let name = format!("files/{}/{id}-{}", part.name, plain.collect::<String>());
        match found {
            DownloadSource::Made(File { content, .. }) => self.file(&name, content.into()).await?,
            DownloadSource::Kept { key, .. } => {
                let mut chunks = match self.maker.files.read(&key).await {
                    Ok((_, chunks)) => chunks,
                    Err(FileError::Missing) => {
                        tracing::error!(
                            key,
                            "a file of a data export is missing in the file store"
                        );
                        let mut missing =
                            self.missing.lock().unwrap_or_else(PoisonError::into_inner);
                        missing.push(name);
                        return Ok(None);
                    }
                    Err(trouble) => return Err(Problem::internal(trouble)),
                };
                // What people send is mostly compressed already.
                self.send(ArchivePart::File(name.clone(), true)).await?;
                while let Some(bytes) = chunks.try_next().await.map_err(Problem::internal)? {
                    self.send(ArchivePart::Bytes(bytes)).await?;
                }
            }
        }
        Ok(Some(name))
    }

    /// The introduction of a data export.
    async fn about(&self, parts: &[(&ExportSection, usize)]) -> Result<String> {
        let (env, company, client) = (self.maker.env.clone(), self.company, self.client);
        let (holder, id) = (self.holder, self.holder_id);
        let find = move |tx: &mut Tx<'_>| {
            let caller = holders::caller(tx, company, holder, id, env.clock.now())?;
            let mut cx = Read::new(tx, &caller, env.clock.now());
            Ok((Client::find(&mut cx, client)?.name(), Company::find(&mut cx)?.name, cx.now()))
        };
        let (client, company, now) = self.maker.db.read(find).await?;
        let mut text = format!("What {company} keeps of {client}, as of {now}.\n\n");
        for (part, count) in parts {
            let operation = self.operation(part.operation)?;
            let name = format!("{}.json", part.name);
            let place = format!("{} {}", operation.method, operation.full_path());
            writeln!(text, "{name:<26} {count:>6}  as {place} tells it")
                .map_err(Problem::internal)?;
        }
        text.push_str(match self.holder {
            Holder::Client => BY_CLIENT,
            _ => BY_STAFF,
        });
        text.push_str(FILES);
        let missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if !missing.is_empty() {
            text.push_str(MISSING);
        }
        for name in missing.iter() {
            writeln!(text, "{name}").map_err(Problem::internal)?;
        }
        Ok(text)
    }

    async fn file(&self, name: &str, bytes: Bytes) -> Result<()> {
        self.send(ArchivePart::File(name.to_owned(), false)).await?;
        self.send(ArchivePart::Bytes(bytes)).await
    }

    async fn send(&self, piece: ArchivePart) -> Result<()> {
        let gone = |_| Problem::internal("a data export could not be packed");
        self.pieces.send(piece).await.map_err(gone)
    }
}

/// Leaves out what the requester may not see or what does not exist any more.
fn unless_missing<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Err(problem) if matches!(problem.status, 403 | 404 | 409) => Ok(None),
        outcome => outcome.map(Some),
    }
}

/// The single field of an answer, without its name.
fn unwrapped(data: Value) -> Value {
    match data {
        Value::Object(fields) if fields.len() == 1 => {
            fields.into_iter().next().map_or(Value::Null, |(_, only)| only)
        }
        data => data,
    }
}

/// The records of a page.
fn listed(data: Value) -> Vec<Value> {
    let Value::Object(fields) = data else { return Vec::new() };
    let of_list = |(_, field)| match field {
        Value::Array(records) => Some(records),
        _ => None,
    };
    fields.into_iter().find_map(of_list).unwrap_or_default()
}

/// The texts under a name, anywhere in a value.
fn collect(value: &Value, name: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(name).and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| collect(field, name, found));
        }
        Value::Array(all) => all.iter().for_each(|one| collect(one, name, found)),
        _ => {}
    }
}
