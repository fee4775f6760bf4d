//! Backing up and restoring: a file, or sets in the place that the settings name.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::ArgMatches;
use jiff::{Span, SpanRelativeTo, Unit};
use spotter_contract::{Vault, installation};
use spotter_files::FileStore;
use spotter_kernel::{Clock, Problem, Timestamp};
use spotter_store::Tx;
use spotter_webhooks::queue;

use super::{Outcome, commands::existing, settings, text};
use crate::{
    backups::{BackupRules, BackupSets, check_key},
    operator::{self, key_of},
    serve,
    settings::Settings,
    system::{self, SystemClock},
};

/// The shortest time between backups, in seconds.
const SHORTEST: i64 = 300;
/// After how long a failed backup is tried again, in seconds.
const RETRY: i64 = 600;
/// Folder within the data folder where a set is put together that is restored.
const RESTORING: &str = "restoring";

/// Notes for the operator's page when the installation was backed up; a backup is one without the note, too.
fn note_backup(settings: &Settings, now: Timestamp) {
    let noted = existing(settings).and_then(|(_, db)| {
        let value = now.millis().to_string().into_bytes();
        let note = db.write(move |tx: &mut Tx<'_>| {
            installation::note(tx, spotter_console::operator::BACKED_UP, value.clone())
        });
        serve::runtime()?.block_on(note).map_err(Problem::for_operators)
    });
    if let Err(why) = noted {
        eprintln!("When it was backed up could not be noted: {why}");
    }
}

pub(super) fn backup(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let every = match matches.get_one::<String>("every") {
        Some(every) => Some(period(every)?),
        None => None,
    };
    if let Some(file) = matches.get_one::<PathBuf>("file") {
        return back_up_to_file(&settings, file);
    }
    let place = settings.backups.as_ref().ok_or(NO_PLACE)?;
    let sets = BackupSets::open(place)?;
    let rules =
        BackupRules { keep: settings.backup_keep, with_key: !matches.get_flag("without-key") };
    match every {
        None => make_set(&sets, &settings, rules),
        Some(every) => keep_making(&sets, &settings, rules, every),
    }
}

const NO_PLACE: &str = "name a FILE, or a folder or bucket for sets of backups with --backups (the \
                        setting backups)";

/// The time between backups, such as 24h or 1d, in seconds.
fn period(written: &str) -> Result<i64, String> {
    let relative = SpanRelativeTo::days_are_24_hours();
    let span: Option<Span> = written.parse().ok();
    let seconds = span.and_then(|span| span.total((Unit::Second, relative)).ok());
    match seconds.map(|seconds| seconds as i64) {
        Some(seconds) if seconds >= SHORTEST => Ok(seconds),
        _ => Err("--every must be a time of at least 5 minutes, such as 24h or 1d".into()),
    }
}

fn back_up_to_file(settings: &Settings, file: &Path) -> Outcome {
    let (now, beside) = (SystemClock.now(), key_of(file));
    let key = settings.key_at_hand()?.map(|key| system::key_text(&key));
    if let Ok(there) = std::fs::read_to_string(&beside)
        && key.as_deref() != Some(there.trim())
    {
        // It may be the last copy of that one.
        return Err(format!("{} is another key: name another file", beside.display()));
    }
    let mut progress = operator::progress();
    spotter_store::backup(&settings.database.location, file, now, &mut progress)
        .map_err(Problem::for_operators)?;
    if let Err(why) = check_key(settings, file, true) {
        // A backup on which no server starts is none.
        std::fs::remove_file(file).ok();
        return Err(why);
    }
    say!("{} is written.", file.display());
    if let Some(key) = key {
        system::write_private(&beside, &key)
            .map_err(|error| format!("{}: {error}", beside.display()))?;
        say!("{} holds the installation's key: keep it as safe.", beside.display());
    }
    note_backup(settings, now);
    Ok(())
}

fn make_set(sets: &BackupSets, settings: &Settings, rules: BackupRules) -> Outcome {
    let now = SystemClock.now();
    let made = sets.make(settings, rules, now)?;
    say!("{} is complete: {} bytes and {} files.", made.name, made.bytes, made.files);
    for name in made.deleted {
        say!("{name} is deleted.");
    }
    note_backup(settings, now);
    match made.missing.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "{} uploaded files are neither in the file store nor in a backup, such as {first}: see that the \
             setting files names the right place, and that it is mounted",
            made.missing.len()
        )),
    }
}

/// Makes sets until the process is asked to stop, each when the one before is old enough.
fn keep_making(sets: &BackupSets, settings: &Settings, rules: BackupRules, every: i64) -> Outcome {
    let runtime = serve::runtime()?;
    let mut stop = Box::pin(serve::shutdown_signal());
    let mut retry_at = SystemClock.now();
    loop {
        // A set that was made counts, whatever was found wrong with it: others are not deleted for it every few minutes.
        let due = match runtime.block_on(sets.newest_until(SystemClock.now())) {
            Ok(Some(last)) => last.plus_seconds(every).max(retry_at),
            Ok(None) => retry_at,
            Err(why) => {
                eprintln!("spotter: the backups cannot be listed, and are tried again: {why}");
                SystemClock.now().plus_seconds(RETRY.min(every))
            }
        };
        let wait = (due.millis() - SystemClock.now().millis()).max(0);
        let wait = Duration::from_millis(wait.unsigned_abs());
        let stopped = runtime.block_on(async {
            tokio::select! {
                () = &mut stop => true,
                () = tokio::time::sleep(wait) => false,
            }
        });
        if stopped {
            return Ok(());
        }
        if let Err(why) = make_set(sets, settings, rules) {
            eprintln!("spotter: {why}");
            retry_at = SystemClock.now().plus_seconds(RETRY.min(every));
        }
    }
}

pub(super) fn restore(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    serve::make_folder(&settings)?;
    let _held = serve::hold(&settings)?;
    let park = text(matches, "webhooks") == "park";
    if let Some(file) = matches.get_one::<PathBuf>("file") {
        return restore_file(&settings, file, &file.display().to_string(), park);
    }
    let place = settings.backups.as_ref().ok_or(NO_PLACE)?;
    if let FileStore::Folder(folder) = place
        && !folder.is_dir()
    {
        return Err(format!("{} is no folder", folder.display()));
    }
    let sets = BackupSets::open(place)?;
    let folder = settings.data.join(RESTORING);
    system::private_folder(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let restored = restore_set(&settings, &sets, &folder, matches, park);
    std::fs::remove_dir_all(&folder).ok();
    restored
}

fn restore_set(
    settings: &Settings,
    sets: &BackupSets,
    folder: &Path,
    matches: &ArgMatches,
    park: bool,
) -> Outcome {
    let runtime = serve::runtime()?;
    let (name, now) = (matches.get_one::<String>("set").map(String::as_str), SystemClock.now());
    let name = match matches.get_flag("files-only") {
        true => runtime.block_on(sets.find(name, now))?,
        false => {
            let (name, file) = runtime.block_on(sets.fetch(name, folder, now))?;
            restore_file(settings, &file, &name.to_string(), park)?;
            name
        }
    };
    const AGAIN: &str = "spotter restore --files-only copies those that are not in place";
    let copied = runtime.block_on(sets.restore_files(&name, &settings.files));
    let (placed, lost) = copied.map_err(|why| format!("{why}; {AGAIN}"))?;
    say!("{placed} uploaded files are in place.");
    match lost.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "the database is restored and can be served, but {} uploaded files are missing or damaged in the backup, \
             such as {first}; {AGAIN}",
            lost.len()
        )),
    }
}

fn restore_file(settings: &Settings, file: &Path, name: &str, park: bool) -> Outcome {
    let now = SystemClock.now();
    let (mut parked, mut mail_parked) = (0, 0);
    let beside = key_of(file);
    let key = match settings.key_at_hand()? {
        None if beside.exists() => Some(system::key_in(&beside)?.0),
        key => key,
    };
    let mut afterwards = |tx: &mut Tx<'_>| {
        if let Some(key) = key {
            installation::verify_key(tx, &Vault::new(&key))?;
        }
        // Their databases are not in a backup.
        spotter_company::test_environment::forget_all(tx)?;
        if park {
            let imports = &spotter_imports::steps::RUN;
            (parked, mail_parked) =
                (queue::cancel_waiting(tx, now)?, spotter_mail::cancel_waiting(tx, now, imports)?);
            spotter_calendar::notice::delete_all(tx)?;
            spotter_messaging::announcement::cancel_waiting(tx)?;
            spotter_billing::payments::refunds::resume(tx, now)?;
        }
        Ok(())
    };
    let (location, mut progress) = (&settings.database.location, operator::progress());
    spotter_store::restore(file, location, now, &mut afterwards, &mut progress)
        .map_err(Problem::for_operators)?;
    say!("{name} is restored.");
    if parked > 0 {
        say!(
            "{parked} webhook deliveries that waited at the backup are cancelled: what they tell may \
             have been told since. POST /public/v1/webhooks/deliveries/{{id}}/redeliver sends one."
        );
    }
    if mail_parked > 0 {
        say!(
            "{mail_parked} messages that waited at the backup are not sent: they may have been since. \
             GET /app/v1/mail?status=unknown lists them."
        );
    }
    if settings.secret_key.is_none() && operator::copy_key(&key_of(file), &settings.key_file())? {
        say!("The installation's key is back in {}.", settings.key_file().display());
    }
    if key.is_none() {
        say!(
            "No key came with it: put the installation's at {} before you serve, or set secret_key.",
            settings.key_file().display()
        );
    }
    Ok(())
}
