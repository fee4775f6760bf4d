//! Checks of the machine and of what the settings name: disks, the key, the certificate, addresses, mail and backups.

use std::{path::Path, time::Duration};

use axum_server::tls_rustls::RustlsConfig;
use spotter_console::operator::{self, CERTIFICATE_SECONDS};
use spotter_files::FileStore;
use spotter_kernel::{Clock, Timestamp};

use super::Diagnosis;
use crate::{backups::BackupSets, settings::Settings, system::SystemClock};

/// Free bytes below which a disk is a warning, and a failure.
const ROOM: (u64, u64) = (2 << 30, 200 << 20);
/// Free part of a disk below which it is a warning, in percent.
const ROOM_PERCENT: u64 = 10;
/// Hours after which the newest backup is a failure.
const BACKUP_HOURS: i64 = 26;
/// Seconds that another clock may be off.
const CLOCK_SECONDS: i64 = 5;
/// How long reading the newest backup may take.
const BACKUP_ANSWER: Duration = Duration::from_secs(120);
/// How long the mail server may take to let us in.
const MAIL_ANSWER: Duration = Duration::from_secs(20);
/// How long an address may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// What to do where the user of the service may not read or write.
pub(crate) const RIGHTS: &str =
    "run this as the user of the service; what it owns may belong to another: chown -R spotter: …";

pub(super) fn settings(settings: &Settings) -> Vec<Diagnosis> {
    match &settings.base_url {
        Some(url) => vec![Diagnosis::fine("settings", format!("valid; others reach it at {url}"))],
        None => vec![Diagnosis::warning(
            "settings",
            "base_url is not set: links in mail and for assistants lead to this machine alone",
            "set base_url to the address that people type, such as https://gym.example.com",
        )],
    }
}

pub(super) fn key(settings: &Settings) -> Vec<Diagnosis> {
    let file = settings.key_file();
    if settings.secret_key.is_none()
        && let Err(error) = std::fs::metadata(&file).and_then(|found| match found.is_file() {
            true => std::fs::File::open(&file).map(drop),
            false => Ok(()),
        })
        && error.kind() == std::io::ErrorKind::PermissionDenied
    {
        return vec![Diagnosis::failure("key", format!("{}: {error}", file.display()), RIGHTS)];
    }
    match settings.key_at_hand() {
        Err(why) => vec![Diagnosis::failure("key", why, "put the installation's own key back")],
        Ok(None) => vec![Diagnosis::warning(
            "key",
            format!("there is none at {}", file.display()),
            "the first start on an empty database makes it; for one in use, take it from a backup (NAME.db.key)",
        )],
        Ok(Some(_)) if settings.secret_key.is_none() && others_read(&file) => {
            vec![Diagnosis::failure(
                "key",
                format!("others can read {}", file.display()),
                format!("chmod 600 {}", file.display()),
            )]
        }
        Ok(Some(_)) if settings.secret_key.is_some() => {
            vec![Diagnosis::fine("key", "set by secret_key")]
        }
        Ok(Some(_)) => vec![Diagnosis::fine("key", "readable by its owner alone")],
    }
}

#[cfg(unix)]
fn others_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_read(_: &Path) -> bool {
    false
}

pub(super) fn disks(settings: &Settings) -> Vec<Diagnosis> {
    let mut folders = vec![&settings.data];
    for place in [Some(&settings.files), settings.backups.as_ref()].into_iter().flatten() {
        match place {
            FileStore::Folder(folder) if !folder.starts_with(&settings.data) => {
                folders.push(folder);
            }
            _ => {}
        }
    }
    folders.into_iter().map(|folder| disk(folder)).collect()
}

fn disk(folder: &Path) -> Diagnosis {
    let name = folder.display();
    if let Err(error) = std::fs::metadata(folder)
        && error.kind() == std::io::ErrorKind::NotFound
    {
        let advice = "it is made when it is needed; if it was there, mount it, or correct the setting that names it";
        return Diagnosis::warning("disk", format!("{name} is not there yet"), advice);
    }
    let Some((free, all)) = operator::host_status(folder, None).room else {
        let advice = "create it, or correct the setting that names it";
        return Diagnosis::failure("disk", format!("{name} cannot be read"), advice);
    };
    if !may_write(folder) {
        return Diagnosis::failure("disk", format!("{name} cannot be written to"), RIGHTS);
    }
    let percent = free * 100 / all.max(1);
    let found = format!("{name} has {} MiB free, {percent} %", free >> 20);
    let advice = "delete what is not needed, or enlarge the disk: a full one refuses every write";
    match free {
        free if free < ROOM.1 => Diagnosis::failure("disk", found, advice),
        free if free < ROOM.0 && percent < ROOM_PERCENT => {
            Diagnosis::warning("disk", found, advice)
        }
        _ => Diagnosis::fine("disk", found),
    }
}

/// Whether this user may create files in a folder.
fn may_write(folder: &Path) -> bool {
    use rustix::fs::Access;
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

pub(super) async fn certificate(settings: &Settings) -> Vec<Diagnosis> {
    let Some((file, key)) = &settings.tls else { return Vec::new() };
    if let Err(error) = RustlsConfig::from_pem_file(file, key).await {
        let advice = "tls_certificate and tls_key must be a PEM chain and its own key";
        return vec![Diagnosis::failure("certificate", error.to_string(), advice)];
    }
    let Some(end) = operator::host_status(&settings.data, Some(file)).certificate else {
        let found = format!("{} is no certificate that can be read", file.display());
        return vec![Diagnosis::failure("certificate", found, "put a PEM chain there")];
    };
    let left = end.seconds() - SystemClock.now().seconds();
    let found = format!("ends on {end}");
    let advice = "renew it, and restart the service: certificates are read at the start";
    vec![match left {
        left if left < 0 => Diagnosis::failure("certificate", found, advice),
        left if left < CERTIFICATE_SECONDS => Diagnosis::warning("certificate", found, advice),
        _ => Diagnosis::fine("certificate", found),
    }]
}

/// The service itself, where it listens and where others reach it.
pub(super) async fn addresses(settings: &Settings) -> Vec<Diagnosis> {
    let own = settings.local_address();
    let mut findings = vec![match answers(&own, true).await {
        Ok(_) => Diagnosis::fine("service", format!("{own} is ready")),
        Err(NoAnswer { why, is_there }) => Diagnosis::failure(
            "service",
            format!("{own} is not ready: {why}"),
            match is_there {
                true => {
                    "it runs, without all that it needs: see what is said of the database, and its log \
                         (journalctl -u spotter -e)"
                }
                false => {
                    "start it (systemctl start spotter, or spotter serve), and read its log (journalctl -u spotter -e); \
                     where it listens elsewhere, say so: --listen"
                }
            },
        ),
    }];
    if let Some(url) = &settings.base_url {
        findings.push(match answers(url, false).await {
            Ok(None) => Diagnosis::fine("address", format!("{url} answers")),
            Ok(Some(off)) if off.abs() > CLOCK_SECONDS => Diagnosis::failure(
                "clock",
                format!("this machine's clock is {off} seconds off that of {url}"),
                "let a time service keep it: timedatectl set-ntp true",
            ),
            Ok(Some(_)) => Diagnosis::fine("address", format!("{url} answers")),
            Err(NoAnswer { why, .. }) => Diagnosis::warning(
                "address",
                format!("{url} does not answer from here: {why}"),
                "check the proxy, the name's address and the firewall; or correct base_url",
            ),
        });
    }
    findings
}

/// Why an address is not ready.
struct NoAnswer {
    why: String,
    /// Whether a service answered that it is not.
    is_there: bool,
}

/// Whether an address is ready, and by how many seconds this clock is ahead of what it says.
async fn answers(url: &str, is_own: bool) -> Result<Option<i64>, NoAnswer> {
    let client = reqwest::Client::builder().no_proxy().timeout(ANSWER);
    // The service is checked at its own address, which its certificate need not name.
    let client = client.tls_danger_accept_invalid_certs(is_own);
    let none = |error: reqwest::Error| NoAnswer {
        is_there: error.status().is_some(),
        why: causes(&error.without_url()),
    };
    let client = client.build().map_err(none)?;
    let answer = client.get(format!("{url}/health/ready")).send().await;
    let answer = answer.and_then(reqwest::Response::error_for_status).map_err(none)?;
    let date = answer.headers().get("date").and_then(|date| date.to_str().ok());
    let there = date.and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    Ok(there.map(|there| SystemClock.now().seconds() - there.timestamp().as_second()))
}

/// An error with what caused it: the first alone says little.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text += &format!(": {cause}");
        next = cause.source();
    }
    text
}

pub(super) async fn mail(settings: &Settings) -> Vec<Diagnosis> {
    let Some(post) = &settings.mail else {
        return vec![Diagnosis::warning(
            "mail",
            "no mail is sent: invitations, invoices and reminders do not arrive",
            "set smtp_url, mail_from and base_url",
        )];
    };
    let checked = tokio::time::timeout(MAIL_ANSWER, post.check()).await;
    vec![match checked.unwrap_or_else(|_| Err("the mail server does not answer".to_owned())) {
        Ok(()) => Diagnosis::fine("mail", "the mail server lets us in"),
        Err(why) => Diagnosis::failure("mail", why, "correct smtp_url, or ask its operator"),
    }]
}

pub(super) async fn backups(settings: &Settings) -> Vec<Diagnosis> {
    let advice = "run spotter backup every day: systemctl enable --now spotter-backup.timer, or \
                  spotter backup --every 24h";
    let Some(place) = &settings.backups else {
        let found = "the setting backups names no place";
        return vec![Diagnosis::warning("backups", found, "set backups to a folder or a bucket")];
    };
    let now = SystemClock.now();
    let checked = tokio::time::timeout(BACKUP_ANSWER, checked_newest(place)).await;
    let slow = || Err(format!("it was not read within {} seconds", BACKUP_ANSWER.as_secs()));
    vec![match checked.unwrap_or_else(|_| slow()) {
        Err(why) => Diagnosis::failure(
            "backups",
            why,
            "see the setting backups, the rights of its place and, for a bucket, the variables AWS_…; then make \
             a new one: spotter backup",
        ),
        Ok(Some((at, _))) if at > now.plus_seconds(3_600) => Diagnosis::failure(
            "backups",
            format!("the newest is of {at}, which is not yet"),
            "a clock was wrong: set it, and move that set away, which hides later ones",
        ),
        Ok(None) => Diagnosis::failure("backups", "there is none", advice),
        Ok(Some((at, _))) if is_old(at) => {
            Diagnosis::failure("backups", format!("the newest is of {at}"), advice)
        }
        Ok(Some((at, false))) => Diagnosis::warning(
            "backups",
            format!("the newest is of {at}, and has no key beside it"),
            "see that the installation's key is kept elsewhere: no server starts on a database without it",
        ),
        Ok(Some((at, true))) => Diagnosis::fine("backups", format!("the newest is of {at}")),
    }]
}

/// When the newest set was made, which is read from end to end, and whether it holds the key.
async fn checked_newest(place: &FileStore) -> Result<Option<(Timestamp, bool)>, String> {
    if let FileStore::Folder(folder) = place
        && !folder.exists()
    {
        return Ok(None);
    }
    let sets = BackupSets::open(place)?;
    let has_key = sets.check_newest().await?;
    Ok(sets.newest().await?.map(|at| (at, has_key)))
}

fn is_old(at: Timestamp) -> bool {
    SystemClock.now().seconds() - at.seconds() > BACKUP_HOURS * 3_600
}
