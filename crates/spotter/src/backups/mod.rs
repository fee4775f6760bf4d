//! Backups that are made again and again: sets in a folder or a bucket. A set is a copy of the database (`NAME.db`), the
//! installation's key (`NAME.db.key`), the list of the uploaded files (`NAME.files`; their bytes are kept once, below
//! `files/`), and a manifest (`NAME.json`), which is written last. A set without a manifest was interrupted and does not count.

mod set;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use spotter_contract::{Vault, installation};
use spotter_files::{FileError, FileStore, Files};
use spotter_kernel::Timestamp;
use spotter_store::{Tx, latest_schema};

use self::set::SetName;
use crate::{
    operator::{self, key_of},
    serve::{self, describe_problem},
    settings::Settings,
    system,
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
    /// Number of uploaded files.
    files: u64,
}

/// What became of a run.
pub(crate) struct MadeSet {
    /// Its name.
    pub(crate) name: String,
    /// Size of the database's copy, in bytes.
    pub(crate) bytes: u64,
    /// Number of uploaded files.
    pub(crate) files: u64,
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

    /// The complete sets, the oldest first.
    async fn complete(&self) -> Result<Vec<SetName>, String> {
        let keys = self.files.list_top().await.map_err(failed)?;
        let named = keys.iter().filter_map(|key| SetName::parse(key.strip_suffix(".json")?));
        let mut all: Vec<SetName> = named.collect();
        all.sort();
        Ok(all)
    }

    /// When the newest complete set was made.
    pub(crate) async fn newest(&self) -> Result<Option<Timestamp>, String> {
        Ok(self.complete().await?.last().map(SetName::at))
    }

    /// Makes a set, reads it back, and deletes those beyond the number that is kept.
    pub(crate) fn make(
        &self,
        settings: &Settings,
        rules: BackupRules,
        now: Timestamp,
    ) -> Result<MadeSet, String> {
        let name = SetName::new(now);
        // A bucket gets it from the data folder; a folder has it at once.
        let (folder, is_sent) = match &self.place {
            FileStore::Folder(folder) => (folder.clone(), false),
            FileStore::S3 { .. } => (settings.data.clone(), true),
        };
        if is_sent {
            make_folder(&folder)?;
        }
        let runtime = serve::runtime()?;
        let local = folder.join(format!("{name}.db"));
        let made = copy_database(settings, now, &local).and_then(|()| {
            runtime.block_on(self.complete_set(settings, rules, &name, &local, is_sent))
        });
        if is_sent || made.is_err() {
            std::fs::remove_file(&local).ok();
        }
        let (bytes, files) = made?;
        let deleted = runtime.block_on(self.prune(rules.keep.max(1), now))?;
        Ok(MadeSet { name: name.to_string(), bytes, files, deleted })
    }

    /// Adds everything else to the database's copy, the manifest last: the copy's size, and the number of files.
    async fn complete_set(
        &self,
        settings: &Settings,
        rules: BackupRules,
        name: &SetName,
        local: &Path,
        is_sent: bool,
    ) -> Result<(u64, u64), String> {
        let (bytes, sha256) = self.place_database(local, is_sent).await?;
        let key = settings.key_file();
        let has_key = rules.with_key && settings.secret_key.is_none() && key.exists();
        if has_key {
            let text =
                std::fs::read(&key).map_err(|error| format!("{}: {error}", key.display()))?;
            write(&self.files, &format!("{name}.db.key"), text).await?;
        }
        let files = self.copy_files(settings, name).await?;
        let manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").into(),
            schema: latest_schema(),
            bytes,
            sha256,
            has_key,
            files,
        };
        let text = serde_json::to_string_pretty(&manifest).map_err(|error| error.to_string())?;
        write(&self.files, &format!("{name}.json"), text).await?;
        Ok((bytes, files))
    }

    /// Sends the database's copy, if it is not in its place at once, and reads it back: its size and its digest.
    async fn place_database(&self, local: &Path, is_sent: bool) -> Result<(u64, String), String> {
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

    /// Copies the uploaded files that are not in the place yet, and lists all: their number.
    async fn copy_files(&self, settings: &Settings, name: &SetName) -> Result<u64, String> {
        let own = Files::open(&settings.files).map_err(failed)?;
        let all: Vec<(String, u64)> = own.list().try_collect().await.map_err(failed)?;
        // The list comes first: what it names is not deleted beside it.
        let list: String = all.iter().map(|(key, size)| format!("{size} {key}\n")).collect();
        write(&self.files, &format!("{name}.files"), list).await?;
        let kept = self.files.list().try_filter_map(|(key, size)| {
            let kept = key.strip_prefix(FILES).map(|key| (key.to_owned(), size));
            std::future::ready(Ok(kept))
        });
        let kept: BTreeSet<(String, u64)> = kept.try_collect().await.map_err(failed)?;
        for (key, size) in all.iter().filter(|file| !kept.contains(*file)) {
            match copy(&own, key, &self.files, &format!("{FILES}{key}")).await {
                Ok(copied) if copied == *size => {}
                Ok(_) => return Err(format!("{key} changed while it was copied")),
                // It was deleted since it was listed.
                Err(_) if matches!(own.read(key).await, Err(FileError::Missing)) => {}
                Err(why) => return Err(why),
            }
        }
        Ok(all.len() as u64)
    }

    /// Deletes all but the newest sets, what was interrupted long ago, and the files that no set lists.
    async fn prune(&self, keep: usize, now: Timestamp) -> Result<Vec<String>, String> {
        let complete = self.complete().await?;
        let old = &complete[..complete.len().saturating_sub(keep)];
        let before = now.plus_seconds(-INTERRUPTED_SECONDS);
        let mut lists = Vec::new();
        for key in self.files.list_top().await.map_err(failed)? {
            let Some(own) = SetName::of(&key) else { continue };
            let is_interrupted = !complete.contains(&own) && own.at() < before;
            if old.contains(&own) || is_interrupted {
                self.files.delete(&key).await.map_err(failed)?;
            } else if key.ends_with(".files") {
                lists.push(key);
            }
        }
        let mut listed = BTreeSet::new();
        for list in lists {
            listed.extend(self.read_list(&list).await?);
        }
        let mut kept = self.files.list();
        while let Some((key, _)) = kept.try_next().await.map_err(failed)? {
            let file = key.strip_prefix(FILES);
            if file.is_some_and(|file| !listed.contains(file)) {
                self.files.delete(&key).await.map_err(failed)?;
            }
        }
        Ok(old.iter().map(ToString::to_string).collect())
    }

    async fn read_list(&self, key: &str) -> Result<Vec<String>, String> {
        let text = read(&self.files, key).await?;
        let lines = text.lines().filter_map(|line| Some(line.split_once(' ')?.1.to_owned()));
        Ok(lines.collect())
    }

    /// Copies the database and the key of a set, or of the newest, into a folder, and compares them with the manifest: the
    /// name of the set, and the copy.
    pub(crate) async fn fetch(
        &self,
        name: Option<&str>,
        to: &Path,
    ) -> Result<(String, PathBuf), String> {
        let complete = self.complete().await?;
        let found = match name {
            None => complete.last(),
            Some(name) => complete.iter().find(|own| own.to_string() == name),
        };
        let known = || complete.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let own = found.ok_or_else(|| match complete.is_empty() {
            true => "there is no complete backup".to_owned(),
            false => format!("--set must be one of {}", known()),
        })?;
        let manifest = read(&self.files, &format!("{own}.json")).await?;
        let manifest: Manifest =
            serde_json::from_str(&manifest).map_err(|error| format!("{own}.json: {error}"))?;
        let local = Files::open(&FileStore::Folder(to.to_owned())).map_err(failed)?;
        let database = format!("{own}.db");
        copy(&self.files, &database, &local, &database).await?;
        if digest(&local, &database).await? != (manifest.bytes, manifest.sha256) {
            return Err(format!("{database} is damaged: its digest is not that of its manifest"));
        }
        let file = to.join(&database);
        if manifest.has_key {
            let key = key_of(Path::new(&database)).display().to_string();
            copy(&self.files, &key, &local, &key).await?;
        }
        Ok((own.to_string(), file))
    }

    /// Copies the uploaded files of a set to where they belong: how many there are.
    pub(crate) async fn restore_files(&self, name: &str, to: &FileStore) -> Result<usize, String> {
        let own = Files::open(to).map_err(failed)?;
        let listed = self.read_list(&format!("{name}.files")).await?;
        let there: BTreeSet<String> =
            own.list().map_ok(|(key, _)| key).try_collect().await.map_err(failed)?;
        for key in listed.iter().filter(|key| !there.contains(*key)) {
            copy(&self.files, &format!("{FILES}{key}"), &own, key).await?;
        }
        Ok(listed.len())
    }
}

fn make_folder(folder: &Path) -> Result<(), String> {
    system::private_folder(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Copies the database to a file, which is whole and which the installation's key opens.
fn copy_database(settings: &Settings, now: Timestamp, file: &Path) -> Result<(), String> {
    let mut progress = operator::progress();
    spotter_store::backup(&settings.database.location, file, now, &mut progress)
        .and_then(|()| spotter_store::check_backup(file))
        .map_err(describe_problem)?;
    check_key(settings, file)
}

/// Refuses a copy that the installation's key does not open.
pub(crate) fn check_key(settings: &Settings, copy: &Path) -> Result<(), String> {
    let Some(key) = settings.key_at_hand()? else { return Ok(()) };
    let mut verify = |tx: &mut Tx<'_>| installation::verify_key(tx, &Vault::new(&key)).map(drop);
    spotter_store::look_into(copy, &mut verify)
        .map_err(|problem| format!("it has no key beside it, for {}", describe_problem(problem)))
}

fn failed(error: FileError) -> String {
    error.to_string()
}

/// The folder and the name of a file.
fn parts(file: &Path) -> Result<(PathBuf, String), String> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = file.parent().map(Path::to_owned);
    folder.zip(name).ok_or_else(|| format!("{} is no file", file.display()))
}

async fn write(files: &Files, key: &str, text: impl Into<Bytes>) -> Result<(), String> {
    let mut writer = files.create(key);
    writer.put(text.into()).await.map_err(failed)?;
    writer.finish().await.map(drop).map_err(failed)
}

async fn read(files: &Files, key: &str) -> Result<String, String> {
    let (_, chunks) = files.read(key).await.map_err(|error| format!("{key}: {error}"))?;
    let bytes: Vec<Bytes> = chunks.try_collect().await.map_err(|error| error.to_string())?;
    String::from_utf8(bytes.concat()).map_err(|_| format!("{key} is no text"))
}

/// Copies a file between stores: its size in bytes.
async fn copy(from: &Files, key: &str, to: &Files, new_key: &str) -> Result<u64, String> {
    let (_, mut chunks) = from.read(key).await.map_err(|error| format!("{key}: {error}"))?;
    let mut writer = to.create(new_key);
    while let Some(chunk) = chunks.try_next().await.map_err(|error| format!("{key}: {error}"))? {
        writer.put(chunk).await.map_err(failed)?;
    }
    writer.finish().await.map_err(failed)
}

/// The size and the SHA-256 of a file.
async fn digest(files: &Files, key: &str) -> Result<(u64, String), String> {
    let (_, mut chunks) = files.read(key).await.map_err(|error| format!("{key}: {error}"))?;
    let (mut hash, mut size) = (Sha256::new(), 0);
    while let Some(chunk) = chunks.try_next().await.map_err(|error| format!("{key}: {error}"))? {
        size += chunk.len() as u64;
        hash.update(&chunk);
    }
    Ok((size, hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}
