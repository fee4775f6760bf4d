//! Checks of the database: that it is whole and of this version, its clock, its replicas, and the work that waits in it.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::TryStreamExt;
use spotter_company::{
    companies::{self, CompanyEntry, CompanyStatus},
    uploads,
};
use spotter_contract::{Vault, installation, jobs, timers};
use spotter_files::Files;
use spotter_kernel::{Clock, Problem, Result, Timestamp};
use spotter_store::{
    DatabaseHealth, DatabaseLocation, Db, POOLER, Tx, check_replica, database_health, is_in_use,
    is_pooled, latest_schema,
};
use spotter_webhooks::queue;
use tokio::runtime::Runtime;

use super::{Diagnosis, checks};
use crate::{settings::Settings, system::SystemClock};

/// Seconds that work may be late.
const LATE: i64 = 300;
/// Seconds that the database's clock may be off.
const CLOCK_SECONDS: i64 = 2;
/// What to do where a server does not let us in.
const REACHING: &str = "start PostgreSQL, let it take more connections (max_connections, or the CONNECTION LIMIT of the role or the \
     database), or correct database_url (the host that takes writes, user, password, sslmode); an empty database is \
     filled at the first start";
/// Bytes that a replica may be behind.
const LAG: i64 = 64 << 20;

pub(super) fn examine(settings: &Settings, runtime: &Arc<Runtime>) -> Vec<Diagnosis> {
    let location = &settings.database.location;
    if let DatabaseLocation::File(file) = location
        && let Err(error) = std::fs::File::open(file)
    {
        let advice = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "a new installation makes it at the first start (spotter serve); else name its folder with \
                 data or --config, or restore a backup"
            }
            _ => checks::RIGHTS,
        };
        let found = format!("{}: {error}", file.display());
        return vec![Diagnosis::failure("database", found, advice)];
    }
    if let DatabaseLocation::Server(url) = location
        && let Ok(has_schema) = is_in_use(location)
    {
        if let Ok(true) = is_pooled(url) {
            let advice = "until then requests fail with: prepared statement does not exist";
            return vec![Diagnosis::failure("database", POOLER, advice)];
        }
        if !has_schema {
            let advice = "it is filled at the first start (spotter serve); else correct the database's name in database_url";
            return vec![Diagnosis::warning("database", "it is empty", advice)];
        }
    }
    let health = match database_health(location, &SystemClock) {
        Ok(health) => health,
        Err(problem) => {
            let advice = match location {
                DatabaseLocation::File(_) => {
                    "stop the service, move the data folder away, and restore the newest backup"
                }
                DatabaseLocation::Server(_) => REACHING,
            };
            return vec![Diagnosis::failure("database", problem.for_operators(), advice)];
        }
    };
    let mut findings = of_health(&health);
    if let (DatabaseLocation::Server(url), Some(replica)) = (location, &settings.database.replica) {
        findings.push(match check_replica(url, replica) {
            Ok(()) => Diagnosis::fine("replication", "database_read_url leads to a replica of it"),
            Err(problem) => Diagnosis::failure(
                "replication",
                format!("database_read_url: {}", problem.for_operators()),
                "it must run, follow this server, and not be paused (SELECT pg_wal_replay_resume()); after a failover, name a \
                 standby that is left, or none: until then it is not read from",
            ),
        });
    }
    // Another schema's tables may be others, and those of a server that is away cannot be read.
    let is_whole = health.cluster.iter().all(|server| server.is_there);
    if is_whole && health.is_compatible && health.schema >= latest_schema() {
        match Db::open(&settings.database) {
            Ok(db) => {
                findings.extend(of_work(settings, runtime, &db));
                findings.push(runtime.block_on(of_files(settings, &db)));
            }
            Err(problem) => {
                let advice = match location {
                    DatabaseLocation::File(_) => "see the service's log",
                    DatabaseLocation::Server(_) => REACHING,
                };
                findings.push(Diagnosis::failure("database", problem.for_operators(), advice));
            }
        }
    }
    findings
}

fn of_health(health: &DatabaseHealth) -> Vec<Diagnosis> {
    let DatabaseHealth {
        engine,
        schema,
        ahead_by_ms,
        damages,
        replicas,
        is_replica,
        cluster,
        connections,
        ..
    } = health;
    let mut findings = Vec::new();
    findings.push(match (schema, latest_schema()) {
        (found, latest) if *found > latest && !health.is_compatible => Diagnosis::failure(
            "database",
            format!("{engine} has schema {found}; this program knows {latest}"),
            "install a version at least as new as the one that last used it",
        ),
        (found, latest) if *found > latest => Diagnosis::fine(
            "database",
            format!("{engine}, schema {found}, which a newer version made; this one works with it"),
        ),
        (found, latest) if *found < latest => Diagnosis::warning(
            "database",
            format!("{engine} has schema {found}; this program's is {latest}"),
            "restart the service, or run spotter migrate",
        ),
        (found, _) => Diagnosis::fine("database", format!("{engine}, schema {found}")),
    });
    findings.push(match damages.as_slice() {
        [] => Diagnosis::fine("integrity", "nothing is damaged"),
        [first, ..] => Diagnosis::failure(
            "integrity",
            format!("damaged in {} places, such as: {first}", damages.len()),
            "stop the service, move the data folder away, and restore the newest backup; an index of PostgreSQL is \
             made again with REINDEX",
        ),
    });
    if let Some(ahead_by_ms) = ahead_by_ms {
        let off = ahead_by_ms / 1_000;
        findings.push(match off {
            off if off.abs() > CLOCK_SECONDS => Diagnosis::failure(
                "clock",
                format!("it is {off} seconds off the database's"),
                "let a time service keep both: timedatectl set-ntp true",
            ),
            _ => Diagnosis::fine("clock", "agrees with the database's"),
        });
    }
    if *is_replica {
        findings.push(Diagnosis::failure(
            "replication",
            "database_url leads to a replica, which takes no writes",
            "name the primary, or several hosts with target_session_attrs=read-write",
        ));
    }
    for server in cluster {
        let address = &server.address;
        findings.push(match server.is_there {
            true => Diagnosis::fine("cluster", format!("{address} answers the coordinator")),
            false => Diagnosis::failure(
                "cluster",
                format!("{address} does not answer the coordinator: its companies get 503"),
                "start PostgreSQL there, or let its standby take over (citus_update_node); work and files are looked at \
                 again then",
            ),
        });
    }
    for replica in replicas {
        let mode = if replica.is_synchronous { "synchronous" } else { "asynchronous" };
        let Some(lag) = replica.lag_bytes else {
            findings.push(Diagnosis::warning(
                "replication",
                format!("{} follows; how far it is behind is not shown to this role", replica.name),
                "GRANT pg_monitor TO the role of database_url",
            ));
            continue;
        };
        let found = format!("{} ({mode}) is {} KiB behind", replica.name, lag >> 10);
        findings.push(match lag > LAG {
            true => Diagnosis::warning("replication", found, "see its load, its disk and its log"),
            false => Diagnosis::fine("replication", found),
        });
    }
    if let Some((open, most)) = connections {
        let found = format!("{open} of {most} connections are open");
        findings.push(match open * 10 > most * 9 {
            true => Diagnosis::warning(
                "database",
                found,
                "lower database_connections, or raise max_connections",
            ),
            false => Diagnosis::fine("database", found),
        });
    }
    findings
}

/// The work that waits.
struct Work {
    repeating: Vec<timers::RepeatingRow>,
    next_timer: Option<Timestamp>,
    failed_timers: usize,
    failed_jobs: Vec<jobs::FailedJob>,
    late_jobs: Option<Timestamp>,
    deliveries: (i64, Option<Timestamp>),
    /// Companies that are only partly erased.
    half_erased: Vec<CompanyEntry>,
}

fn read_work(tx: &mut Tx<'_>, now: Timestamp) -> Result<Work> {
    let mut half_erased = Vec::new();
    companies::for_each(tx, |_, company| {
        if company.status() == CompanyStatus::Erasing {
            half_erased.push(company.clone());
        }
        Ok(())
    })?;
    let overview = timers::overview(tx)?;
    let (counts, failed_jobs) = jobs::overview(tx)?;
    Ok(Work {
        next_timer: overview.waiting.iter().map(|(_, _, at)| *at).min(),
        failed_timers: overview.failures.len(),
        repeating: overview.repeating,
        late_jobs: counts.iter().filter_map(|count| count.next_at).min(),
        failed_jobs,
        deliveries: queue::past_due(tx, now)?,
        half_erased,
    })
}

fn of_work(settings: &Settings, runtime: &Arc<Runtime>, db: &Db) -> Vec<Diagnosis> {
    let now = SystemClock.now();
    let key = settings.key_at_hand().ok().flatten();
    let read = runtime.block_on(db.read(move |tx: &mut Tx<'_>| {
        let checked = match key {
            Some(key) => installation::verify_key(tx, &Vault::new(&key)).map(drop),
            None if installation::name(tx)?.is_none() => Ok(()),
            None => Err(Problem::internal("this database was used with a key, and there is none")),
        };
        Ok((read_work(tx, now)?, checked.err()))
    }));
    let (work, wrong_key) = match read {
        Ok(read) => read,
        Err(problem) => {
            let found = problem.for_operators();
            return vec![Diagnosis::failure("work", found, "see the service's log")];
        }
    };
    let late = |at: Option<Timestamp>| at.map_or(0, |at| now.seconds() - at.seconds());
    let mut findings = Vec::new();
    if let Some(problem) = wrong_key {
        let advice = "put the installation's own key back: it is in each backup";
        findings.push(Diagnosis::failure("key", problem.for_operators(), advice));
    }
    let ahead = work.repeating.iter().filter_map(|row| row.ran_at).max();
    if ahead.is_some_and(|at| at.seconds() - now.seconds() > 60) {
        findings.push(Diagnosis::failure(
            "clock",
            "the database holds work that was done in the future: this clock was set back",
            "set the clock; let a time service keep it: timedatectl set-ntp true",
        ));
    }
    let backlog = [
        ("timers", late(work.next_timer)),
        ("jobs", late(work.late_jobs)),
        ("webhooks", late(work.deliveries.1)),
    ];
    for (kind, seconds) in backlog {
        findings.push(match seconds > LATE {
            true => Diagnosis::failure(
                "backlog",
                format!("{kind} are {} minutes late", seconds / 60),
                "see that the service runs, and that the database and the network keep up",
            ),
            false => Diagnosis::fine("backlog", format!("{kind} are on time")),
        });
    }
    for row in work.repeating.iter().filter(|row| row.error.is_some()) {
        let why = row.error.as_deref().unwrap_or_default();
        let found = format!("{} failed: {why}", row.kind);
        findings.push(Diagnosis::warning(
            "work",
            found,
            "it is tried again; see the service's log",
        ));
    }
    if work.failed_timers > 0 {
        let found = format!("{} timers failed within a week", work.failed_timers);
        findings.push(Diagnosis::warning("work", found, "spotter jobs shows why"));
    }
    if let Some(first) = work.failed_jobs.first() {
        let why = first.error.as_deref().unwrap_or_default();
        let found = format!(
            "{} jobs are in trouble, such as {}: {why}",
            work.failed_jobs.len(),
            first.kind
        );
        findings.push(Diagnosis::warning("work", found, "spotter jobs lists them"));
    }
    for CompanyEntry { company_id, name, .. } in work.half_erased {
        let found = format!("{name} is erased in part");
        let name = name.replace('\'', r"'\''");
        let advice = format!(
            "where no command is at it, go on: spotter company erase {company_id} --name '{name}'"
        );
        findings.push(Diagnosis::warning("work", found, advice));
    }
    findings
}

/// Whether the uploaded files that records refer to are in the file store.
async fn of_files(settings: &Settings, db: &Db) -> Diagnosis {
    match missing_files(settings, db).await {
        Ok(0) => Diagnosis::fine("files", "every uploaded file is in the file store"),
        Ok(count) => Diagnosis::failure(
            "files",
            format!("{count} uploaded files are not in the file store"),
            "see that the setting files names the right place, and that it is mounted; what is lost is in the backups",
        ),
        Err(why) => {
            Diagnosis::failure("files", why, "see the setting files, and the rights of its place")
        }
    }
}

async fn missing_files(settings: &Settings, db: &Db) -> std::result::Result<usize, String> {
    let place = Files::open(&settings.files).map_err(|error| error.to_string())?;
    let mut there = BTreeSet::new();
    let mut all = place.list();
    while let Some((key, _)) = all.try_next().await.map_err(|error| error.to_string())? {
        there.insert(key);
    }
    let attached = db.read(uploads::attached).await.map_err(Problem::for_operators)?;
    Ok(attached.iter().filter(|file| !there.contains(&file.key())).count())
}
