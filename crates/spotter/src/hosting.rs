//! What the operator of many companies does with one of them: suspend, resume, export and erase it.

use std::{collections::BTreeSet, fs, path::Path};

use futures_util::{StreamExt, TryStreamExt};
use spotter_company::{
    companies::{self, CompanyEntry, CompanyStatus},
    uploads::{self, StoredFile},
};
use spotter_contract::{Env, Write, installation};
use spotter_files::{FileError, FileStore, Files};
use spotter_kernel::{Key, Phrase, Problem, Result, id::CompanyId};
use spotter_store::{CompanyTable, Db, Tx, export_company, look_into};

use crate::{operator, settings::Settings, test_environments};

/// A company of the installation.
async fn find(db: &Db, company: CompanyId) -> Result<CompanyEntry> {
    let found = db.read(move |tx| companies::find(tx, company)).await?;
    found.ok_or_else(|| Key::CompanyNotFound.into())
}

/// Keeps a company's people and integrations out; whether it was not suspended before.
pub(crate) async fn suspend(db: &Db, env: &Env, company: CompanyId) -> Result<bool> {
    change(db, env, company, "suspend_company", companies::suspend).await
}

/// Lets them in again; whether the company was suspended.
pub(crate) async fn resume(db: &Db, env: &Env, company: CompanyId) -> Result<bool> {
    change(db, env, company, "resume_company", companies::resume).await
}

async fn change(
    db: &Db,
    env: &Env,
    company: CompanyId,
    operation: &'static str,
    step: fn(&mut Write<'_, '_>) -> Result<bool>,
) -> Result<bool> {
    find(db, company).await?;
    let env = env.clone();
    db.write(move |tx| operator::as_operator(tx, &env, company, operation, step)).await
}

/// What an export has of a company's files.
pub(crate) struct ExportedFiles {
    pub(crate) copied: usize,
    /// Keys of those that its records refer to and the file store does not have.
    pub(crate) missing: Vec<String>,
}

/// Writes what is a company's into a new folder: its records as a backup, which `restore` takes, and its files.
pub(crate) async fn export(
    settings: &Settings,
    db: &Db,
    env: &Env,
    company: CompanyId,
    folder: &Path,
) -> Result<ExportedFiles> {
    if find(db, company).await?.status() == CompanyStatus::Erasing {
        let rule = "is being erased: what is left of it is no copy";
        return Err(Problem::conflict("company", Phrase::verbatim(rule)));
    }
    let failed = |error| Problem::internal(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let (from, to) = (settings.database.location.clone(), folder.join("spotter.db"));
    let (now, env) = (env.clock.now(), env.clone());
    let written = tokio::task::spawn_blocking(move || {
        // Where it is restored is another installation, whose backups are not this one's.
        let rename = |tx: &mut Tx<'_>| installation::rename(tx, &env);
        export_company(&from, &to, company, now, &mut operator::progress(), rename)?;
        let mut attached = Vec::new();
        let mut look = |tx: &mut Tx<'_>| uploads::attached(tx).map(|found| attached = found);
        look_into(&to, &mut look).map(|()| attached)
    });
    let attached = written.await.map_err(Problem::internal)??;
    let own = Files::open(&settings.files).map_err(Problem::internal)?;
    let copies =
        Files::open(&FileStore::Folder(folder.join("files"))).map_err(Problem::internal)?;
    let copied = copy_files(&own, &copies, company).await.map_err(Problem::internal)?;
    Ok(ExportedFiles { missing: missing(&attached, &copied), copied: copied.len() })
}

/// The keys of files that records refer to and that are not there.
fn missing(attached: &[StoredFile], there: &BTreeSet<String>) -> Vec<String> {
    attached.iter().map(StoredFile::key).filter(|key| !there.contains(key)).collect()
}

/// Copies a company's files; their keys.
async fn copy_files(
    from: &Files,
    to: &Files,
    company: CompanyId,
) -> Result<BTreeSet<String>, FileError> {
    let (mut found, mut copied) = (from.list_folder(&company.to_string()), BTreeSet::new());
    while let Some(key) = found.next().await {
        let key = key?;
        let (_, mut chunks) = from.read(&key).await?;
        let mut copy = to.create(&key);
        while let Some(chunk) = chunks.next().await {
            copy.put(chunk?).await?;
        }
        copy.finish().await?;
        copied.insert(key);
    }
    Ok(copied)
}

/// How much was erased.
pub(crate) struct ErasedRecords {
    /// Whether an earlier command had begun, of which these are the rest.
    pub(crate) is_rest: bool,
    pub(crate) rows: u64,
    pub(crate) files: u64,
}

/// Deletes all that is a suspended company's: its test environment, its rows, in steps beside the work of others, and its
/// files. Where it is cut off, it is begun again and goes on. Files that are not where the settings say would stay: that is
/// refused, unless they `may_miss`.
pub(crate) async fn erase(
    settings: &Settings,
    db: &Db,
    company: CompanyId,
    name: &str,
    may_miss: bool,
) -> Result<ErasedRecords> {
    let found = find(db, company).await?;
    if found.name != name {
        let rule = "is not the name of the company with this id";
        return Err(Problem::invalid("name", Phrase::verbatim(rule)));
    }
    let store = Files::open(&settings.files).map_err(Problem::internal)?;
    if found.status() != CompanyStatus::Erasing && !may_miss {
        refuse_missing(db, &store, company).await?;
    }
    // It may have been resumed since it was looked at.
    if !db.write(move |tx| companies::begin_erasing(tx, company)).await? {
        let rule = "is active: suspend it first";
        return Err(Problem::conflict("company", Phrase::verbatim(rule)));
    }
    test_environments::remove(settings, company).await?;
    let mut files = delete_files(&store, company).await.map_err(Problem::internal)?;
    let mut rows = 0;
    // What was under way when the erasure began, such as an upload or a delivery, may have added something meanwhile.
    loop {
        let deleted = delete_rows(db, company).await?;
        rows += deleted;
        if deleted == 0 {
            break;
        }
    }
    files += delete_files(&store, company).await.map_err(Problem::internal)?;
    Ok(ErasedRecords { is_rest: found.status() == CompanyStatus::Erasing, rows, files })
}

/// Refuses to erase a company whose files are elsewhere.
async fn refuse_missing(db: &Db, store: &Files, company: CompanyId) -> Result<()> {
    let attached = db.read(move |tx| uploads::attached_of(tx, company)).await?;
    let listed = store.list_folder(&company.to_string()).try_collect();
    let missing = missing(&attached, &listed.await.map_err(Problem::internal)?);
    let Some(first) = missing.first() else { return Ok(()) };
    let rule = format!(
        "has {} uploaded files that are not in the file store, such as {first}, and would stay: see that the setting files names \
         the right place, or erase it --without-files",
        missing.len()
    );
    Err(Problem::conflict("company", Phrase::verbatim(&rule)))
}

/// Deletes the company's rows of all tables once, its own row last; how many.
async fn delete_rows(db: &Db, company: CompanyId) -> Result<u64> {
    let mut rows = 0;
    for table in db.read(CompanyTable::all).await? {
        loop {
            let own = table.clone();
            let deleted =
                db.write_in_background(move |tx: &mut Tx<'_>| own.delete_some(tx, company)).await?;
            rows += deleted;
            if !CompanyTable::is_step(deleted) {
                break;
            }
        }
    }
    Ok(rows)
}

async fn delete_files(files: &Files, company: CompanyId) -> Result<u64, FileError> {
    let (mut found, mut deleted) = (files.list_folder(&company.to_string()), 0);
    while let Some(key) = found.next().await {
        files.delete(&key?).await?;
        deleted += 1;
    }
    Ok(deleted)
}
