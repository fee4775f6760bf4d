//! Backups that are made again and again: sets in a folder or a bucket. A set is a copy of the database (`NAME.db`), the
//! installation's key (`NAME.db.key`), the list of the uploaded files (`NAME.files`; their bytes are kept once, below
//! `files/`), and a manifest (`NAME.json`), which is written last. A set without a manifest was interrupted and does not count.

mod database;
mod file_list;
mod set;
mod streams;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use spotter_files::{FileError, FileStore, Files};
use spotter_kernel::{Id, Timestamp};
use spotter_store::latest_schema;

pub(crate) use self::database::check_key;
use self::{
    database::{CopiedDatabase, copy_database},
    file_list::{CopiedFile, FileList},
    set::SetName,
    streams::{copy, digest, failed, read, text_digest, write},
};
use crate::{
    operator::key_of,
    serve,
    settings::Settings,
    system::{self, SystemEntropy},
};

/// Below it are the bytes of uploaded files.
const FILES: &str = "files/";
/// After how long an interrupted set is deleted, in seconds: until then it may still be written.
const INTERRUPTED_SECONDS: i64 = 24 * 3_600;

/// Sets of backups in one place.
pub(crate) struct BackupSets {
    place: FileStore,
    files: Files,
}

/// What a set holds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    /// Version of the program that wrote it.
    version: String,
    /// Version of the schema.
    schema: i64,
    /// Size of the database's copy, in bytes.
    bytes: u64,
    /// SHA-256 of the database's copy, in hexadecimal digits.
    sha256: String,
    /// Whether the installation's key is beside it.
    has_key: bool,
    /// The installation that it is of; none is said by sets that are older than this field.
    #[serde(default)]
    installation: Option<String>,
    /// Number of uploaded files.
    files: u64,
    /// SHA-256 of the list of files, which has the digest of each.
    files_sha256: String,
}

/// What became of a run.
pub(crate) struct MadeSet {
    /// Its name.
    pub(crate) name: String,
    /// Size of the database's copy, in bytes.
    pub(crate) bytes: u64,
    /// Number of uploaded files.
    pub(crate) files: u64,
    /// Keys of files that records refer to and that are neither in the file store nor in a backup.
    pub(crate) missing: Vec<String>,
    /// Names of the sets that were deleted.
    pub(crate) deleted: Vec<String>,
}

/// How sets are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackupRules {
    /// Number of sets that are kept.
    pub(crate) keep: usize,
    /// Whether the installation's key is copied, too.
    pub(crate) with_key: bool,
}

impl BackupSets {
    /// The sets in a folder, which is made where it is missing, or in a bucket.
    pub(crate) fn open(place: &FileStore) -> Result<Self, String> {
        // One that is there may be shared with programs that fetch backups; the files in it are private.
        if let FileStore::Folder(folder) = place
            && !folder.exists()
        {
            make_folder(folder)?;
        }
        let files = Files::open(place).map_err(|error| error.to_string())?;
        Ok(Self { place: place.clone(), files })
    }

    /// The complete sets, the oldest first: those with a manifest and a copy of the database.
    async fn complete(&self) -> Result<Vec<SetName>, String> {
        let keys: BTreeSet<_> = self.files.list_top().await.map_err(failed)?.into_iter().collect();
        let named = keys.iter().filter_map(|key| SetName::parse(key.strip_suffix(".json")?));
        let mut all: Vec<_> = named.filter(|own| keys.contains(&format!("{own}.db"))).collect();
        all.sort();
        Ok(all)
    }

    /// When the newest complete set was made.
    pub(crate) async fn newest(&self) -> Result<Option<Timestamp>, String> {
        Ok(self.complete().await?.last().map(SetName::at))
    }

    /// The same without sets of a time that is yet to come, which a wrong clock has made.
    pub(crate) async fn newest_until(&self, now: Timestamp) -> Result<Option<Timestamp>, String> {
        let complete = self.complete().await?;
        Ok(complete.iter().map(SetName::at).rfind(|at| *at <= now))
    }

    /// Makes a set, reads it back, and deletes those beyond the number that is kept.
    pub(crate) fn make(
        &self,
        settings: &Settings,
        rules: BackupRules,
        now: Timestamp,
    ) -> Result<MadeSet, String> {
        let name = SetName::new(now, &SystemEntropy);
        // A bucket gets it from the data folder; a folder has it at once.
        let (folder, is_sent) = match &self.place {
            FileStore::Folder(folder) => (folder.clone(), false),
            FileStore::S3 { .. } => (settings.data.clone(), true),
        };
        if is_sent {
            make_folder(&folder)?;
            remove_interrupted(&folder, now)?;
        }
        let runtime = serve::runtime()?;
        let local = folder.join(format!("{name}.db"));
        let made = copy_database(settings, rules, now, &local).and_then(|copied| {
            runtime.block_on(self.complete_set(settings, rules, &name, &local, copied))
        });
        if is_sent || made.is_err() {
            std::fs::remove_file(&local).ok();
        }
        let made = made?;
        let deleted = runtime.block_on(self.prune(&name, rules.keep, now))?;
        Ok(MadeSet { deleted, ..made })
    }

    /// Adds everything else to the database's copy, the manifest last.
    async fn complete_set(
        &self,
        settings: &Settings,
        rules: BackupRules,
        name: &SetName,
        local: &Path,
        copied: CopiedDatabase,
    ) -> Result<MadeSet, String> {
        self.refuse_others(copied.installation.as_deref()).await?;
        let is_sent = matches!(self.place, FileStore::S3 { .. });
        let CopiedFile { size: bytes, sha256 } = self.place_database(local, is_sent).await?;
        let key = settings.key_at_hand()?.filter(|_| rules.with_key);
        if let Some(key) = &key {
            write(&self.files, &format!("{name}.db.key"), system::key_text(key)).await?;
        }
        let list = self.copy_files(settings, name, copied.attached).await?;
        let manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").into(),
            schema: latest_schema(),
            bytes,
            sha256,
            has_key: key.is_some(),
            installation: copied.installation,
            files: list.len() as u64,
            files_sha256: text_digest(&file_list::written(&list)),
        };
        let text = serde_json::to_string_pretty(&manifest).map_err(|error| error.to_string())?;
        write(&self.files, &format!("{name}.json"), text).await?;
        let missing = list.into_iter().filter(|(_, file)| file.is_none());
        Ok(MadeSet {
            name: name.to_string(),
            bytes,
            files: manifest.files,
            missing: missing.map(|own| own.0).collect(),
            deleted: Vec::new(),
        })
    }

    /// Refuses a place with backups of another installation: each deletes what is too old for it, and of several the newest
    /// would be restored.
    async fn refuse_others(&self, installation: Option<&str>) -> Result<(), String> {
        let Some(own) = installation else { return Ok(()) };
        // The newest that can be read: one may be damaged.
        for set in self.complete().await?.iter().rev() {
            let manifest = self.manifest(set).await.ok();
            match manifest.and_then(|manifest| manifest.installation) {
                Some(found) if found == own => break,
                Some(_) => {
                    return Err(format!(
                        "{set} is a backup of another installation: each needs a folder, or a prefix in a bucket, of its own"
                    ));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Sends the database's copy, if it is not in its place at once, and reads it back: its size and its digest.
    async fn place_database(&self, local: &Path, is_sent: bool) -> Result<CopiedFile, String> {
        let (folder, name) = parts(local)?;
        let own = Files::open(&FileStore::Folder(folder)).map_err(failed)?;
        let digest_here = digest(&own, &name).await?;
        if is_sent {
            copy(&own, &name, &self.files, &name).await?;
            if digest(&self.files, &name).await? != digest_here {
                return Err(format!("{name} is not in the bucket as it was sent"));
            }
        }
        Ok(digest_here)
    }

    /// Copies the uploaded files that are not in the place yet: those in the file store, and those that the database's copy
    /// refers to. What another set has copied is taken from there.
    async fn copy_files(
        &self,
        settings: &Settings,
        name: &SetName,
        attached: Vec<String>,
    ) -> Result<FileList, String> {
        let own = Files::open(&settings.files).map_err(failed)?;
        let mut list: FileList = attached.into_iter().map(|key| (key, None)).collect();
        let mut stored: Vec<(String, u64)> = own.list().try_collect().await.map_err(failed)?;
        list.extend(stored.iter().map(|(key, _)| (key.clone(), None)));
        // The list comes first: what it names is not deleted beside it.
        let file = format!("{name}.files");
        write(&self.files, &file, file_list::written(&list)).await?;
        let known = match self.complete().await?.last() {
            // Without its list, everything is copied again.
            Some(newest) => self.list_of(newest).await.unwrap_or_default(),
            None => FileList::new(),
        };
        let kept = self.files.list().try_filter_map(|(key, size)| {
            let kept = key.strip_prefix(FILES).map(|key| (key.to_owned(), size));
            std::future::ready(Ok(kept))
        });
        let kept: BTreeMap<String, u64> = kept.try_collect().await.map_err(failed)?;
        for (key, before) in known {
            let is_kept = |file: &CopiedFile| kept.get(&key) == Some(&file.size);
            if let (Some(own), Some(file)) = (list.get_mut(&key), before.filter(is_kept)) {
                *own = Some(file);
            }
        }
        stored.retain(|(key, size)| match list.get(key) {
            Some(Some(file)) => file.size != *size,
            _ => true,
        });
        for (key, _) in stored {
            match copy(&own, &key, &self.files, &format!("{FILES}{key}")).await {
                Ok(file) => list.insert(key, Some(file)),
                // It was deleted since it was listed.
                Err(_) if matches!(own.read(&key).await, Err(FileError::Missing)) => None,
                Err(why) => return Err(why),
            };
        }
        write(&self.files, &file, file_list::written(&list)).await?;
        Ok(list)
    }

    /// Deletes all but the newest sets, what was interrupted long ago, and the files that no set lists.
    async fn prune(
        &self,
        made: &SetName,
        keep: usize,
        now: Timestamp,
    ) -> Result<Vec<String>, String> {
        let complete = self.complete().await?;
        // Sets of a time that is yet to come, by a clock that was wrong, are kept, and count for nothing.
        let past: Vec<_> = complete.iter().filter(|own| own.at() <= now).collect();
        let old = &past[..past.len().saturating_sub(keep)];
        let before = now.plus_seconds(-INTERRUPTED_SECONDS);
        let mut keys = self.files.list_top().await.map_err(failed)?;
        // Manifests go first: what is deleted by half counts no more.
        keys.sort_by_key(|key| !key.ends_with(".json"));
        let mut lists = Vec::new();
        for key in keys {
            let Some(own) = SetName::of(&key).filter(|own| own != made) else { continue };
            let is_interrupted = !complete.contains(&own) && own.at() < before;
            if old.contains(&&own) || is_interrupted {
                self.files.delete(&key).await.map_err(failed)?;
            } else if key.ends_with(".files") {
                lists.push(own);
            }
        }
        lists.push(made.clone());
        if let Some(listed) = self.all_listed(&lists, &complete).await? {
            self.sweep(&listed).await?;
        }
        Ok(old.iter().map(ToString::to_string).collect())
    }

    /// The keys of all files that sets list; `None` where a list is damaged, which may have listed others.
    async fn all_listed(
        &self,
        lists: &[SetName],
        complete: &[SetName],
    ) -> Result<Option<BTreeSet<String>>, String> {
        let mut listed = BTreeSet::new();
        for own in lists {
            // One that is still being made has no manifest to compare its list with.
            let list = match complete.contains(own) {
                true => self.list_of(own).await,
                false => {
                    read(&self.files, &format!("{own}.files")).await.map(|t| file_list::read(&t))
                }
            };
            match list {
                Ok(list) => listed.extend(list.into_keys()),
                Err(why) => {
                    eprintln!("no uploaded file is deleted from the backups: {why}");
                    return Ok(None);
                }
            }
        }
        Ok(Some(listed))
    }

    /// Deletes the uploaded files that are not listed. What else is below their folder is left.
    async fn sweep(&self, listed: &BTreeSet<String>) -> Result<(), String> {
        let is_company = |folder: &str| folder.len() == 24 && Id::parse(folder).is_some();
        let mut kept = self.files.list();
        while let Some((key, _)) = kept.try_next().await.map_err(failed)? {
            let Some(file) = key.strip_prefix(FILES) else { continue };
            let is_upload = file.split_once('/').is_some_and(|(folder, _)| is_company(folder));
            if is_upload && !listed.contains(file) {
                self.files.delete(&key).await.map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The list of a complete set, as its manifest says that it was written.
    async fn list_of(&self, name: &SetName) -> Result<FileList, String> {
        let manifest = self.manifest(name).await?;
        let text = read(&self.files, &format!("{name}.files")).await?;
        match text_digest(&text) == manifest.files_sha256 {
            true => Ok(file_list::read(&text)),
            false => {
                Err(format!("{name}.files is damaged: its digest is not that of its manifest"))
            }
        }
    }

    /// Copies the database and the key of a set, or of the newest, into a folder, and compares them with the manifest: the
    /// name of the set, and the copy.
    pub(crate) async fn fetch(
        &self,
        name: Option<&str>,
        to: &Path,
        now: Timestamp,
    ) -> Result<(SetName, PathBuf), String> {
        let own = self.find(name, now).await?;
        let manifest = self.manifest(&own).await?;
        self.list_of(&own).await?;
        let local = Files::open(&FileStore::Folder(to.to_owned())).map_err(failed)?;
        let database = format!("{own}.db");
        let copied = copy(&self.files, &database, &local, &database).await?;
        if copied != manifest.database() {
            return Err(format!("{database} is damaged: its digest is not that of its manifest"));
        }
        let file = to.join(&database);
        if manifest.has_key {
            let key = key_of(Path::new(&database)).display().to_string();
            copy(&self.files, &key, &local, &key).await?;
        }
        Ok((own, file))
    }

    /// The set of a name, or the newest.
    pub(crate) async fn find(&self, name: Option<&str>, now: Timestamp) -> Result<SetName, String> {
        let complete = self.complete().await?;
        let found = match name {
            // One of a time that is yet to come, by a clock that was wrong, is taken by its name alone.
            None => complete.iter().rfind(|own| own.at() <= now).or(complete.last()),
            Some(name) => complete.iter().find(|own| own.to_string() == name),
        };
        let known = || complete.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        found.cloned().ok_or_else(|| match complete.is_empty() {
            true => "there is no complete backup".to_owned(),
            false => format!("--set must be one of {}", known()),
        })
    }

    async fn manifest(&self, name: &SetName) -> Result<Manifest, String> {
        let text = read(&self.files, &format!("{name}.json")).await?;
        serde_json::from_str(&text).map_err(|error| format!("{name}.json is damaged: {error}"))
    }

    /// Reads the newest set's database, its list of files, and which of the files are there: whether it holds the key, or what is
    /// wrong.
    pub(crate) async fn check_newest(&self) -> Result<bool, String> {
        let complete = self.complete().await?;
        let Some(own) = complete.last() else { return Ok(false) };
        let manifest = self.manifest(own).await?;
        if digest(&self.files, &format!("{own}.db")).await? != manifest.database() {
            return Err(format!("{own}.db is damaged"));
        }
        if manifest.has_key {
            read(&self.files, &format!("{own}.db.key")).await?;
        }
        let mut list = self.list_of(own).await?;
        let mut there = self.files.list();
        while let Some((key, size)) = there.try_next().await.map_err(failed)? {
            let is_whole = |file: &CopiedFile| file.size == size;
            let key = key.strip_prefix(FILES).unwrap_or_default();
            if list.get(key).is_some_and(|file| file.as_ref().is_some_and(is_whole)) {
                list.remove(key);
            }
        }
        match list.len() {
            0 => Ok(manifest.has_key),
            count => Err(format!("{count} uploaded files are missing or damaged in {own}")),
        }
    }

    /// Copies the uploaded files of a set to where they belong, but for those that are there: how many are in place, and the
    /// keys of those that are missing or damaged.
    pub(crate) async fn restore_files(
        &self,
        name: &SetName,
        to: &FileStore,
    ) -> Result<(usize, Vec<String>), String> {
        let own = Files::open(to).map_err(failed)?;
        let listed = self.list_of(name).await?;
        let there: BTreeMap<String, u64> = own.list().try_collect().await.map_err(failed)?;
        let (mut placed, mut lost) = (0, Vec::new());
        for (key, file) in listed {
            let Some(file) = file else {
                lost.push(key);
                continue;
            };
            let is_there = there.get(&key) == Some(&file.size);
            if is_there || self.restore_file(&key, &file, &own).await? {
                placed += 1;
            } else {
                lost.push(key);
            }
        }
        Ok((placed, lost))
    }

    /// Copies an uploaded file back; whether it was there and whole.
    async fn restore_file(&self, key: &str, file: &CopiedFile, to: &Files) -> Result<bool, String> {
        let kept = format!("{FILES}{key}");
        match digest(&self.files, &kept).await {
            Ok(found) if found == *file => {}
            _ => return Ok(false),
        }
        copy(&self.files, &kept, to, key).await.map(|_| true)
    }
}

impl Manifest {
    /// The database's copy.
    fn database(&self) -> CopiedFile {
        CopiedFile { size: self.bytes, sha256: self.sha256.clone() }
    }
}

fn make_folder(folder: &Path) -> Result<(), String> {
    system::private_folder(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Removes copies that runs of long ago left in the data folder on their way to a bucket.
fn remove_interrupted(folder: &Path, now: Timestamp) -> Result<(), String> {
    let before = now.plus_seconds(-INTERRUPTED_SECONDS);
    let trouble = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(trouble)? {
        let entry = entry.map_err(trouble)?;
        let own = entry.file_name().to_str().and_then(SetName::of);
        // A set that was kept here on purpose has a manifest.
        let is_whole = |own: &SetName| folder.join(format!("{own}.json")).exists();
        if own.is_some_and(|own| own.at() < before && !is_whole(&own)) {
            std::fs::remove_file(entry.path()).map_err(trouble)?;
        }
    }
    Ok(())
}

/// The folder and the name of a file.
fn parts(file: &Path) -> Result<(PathBuf, String), String> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = file.parent().map(Path::to_owned);
    folder.zip(name).ok_or_else(|| format!("{} is no file", file.display()))
}
