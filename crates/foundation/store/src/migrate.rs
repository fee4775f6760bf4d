//! The schema: migrations embedded in the binary, applied in order, each in a transaction.

use std::{sync::Arc, time::Duration};

use spotter_kernel::{Problem, Result, Timestamp};

use crate::{
    citus,
    db::DatabaseLocation,
    pooler::own_processes,
    session::Session,
    sqlite,
    tx::{Engine, Tx, read_all},
    value::Value,
};

/// The migrations by version, from 1.
const MIGRATIONS: &[(&str, &str)] = &[
    ("foundation", include_str!("../migrations/0001_foundation.sql")),
    ("clients", include_str!("../migrations/0002_clients.sql")),
    ("webhooks", include_str!("../migrations/0003_webhooks.sql")),
    ("workout", include_str!("../migrations/0004_workout.sql")),
    ("invitation expiry", include_str!("../migrations/0005_invitation_expiry.sql")),
    ("products", include_str!("../migrations/0006_products.sql")),
    ("conversations", include_str!("../migrations/0007_conversations.sql")),
    ("mcp", include_str!("../migrations/0008_mcp.sql")),
    ("tallies apart", include_str!("../migrations/0009_tally_apart.sql")),
    ("stored answers", include_str!("../migrations/0010_stored_answer.sql")),
    ("due deliveries", include_str!("../migrations/0011_due_deliveries.sql")),
    ("installation", include_str!("../migrations/0012_installation.sql")),
    ("assistants in use", include_str!("../migrations/0013_assistants_in_use.sql")),
    ("milligrams", include_str!("../migrations/0014_milligrams.sql")),
    ("timers", include_str!("../migrations/0015_timers.sql")),
    ("jobs and mail", include_str!("../migrations/0016_jobs_and_mail.sql")),
    ("confirmations", include_str!("../migrations/0017_confirmations.sql")),
    ("calendar", include_str!("../migrations/0018_calendar.sql")),
    ("finance", include_str!("../migrations/0019_finance.sql")),
    ("collecting", include_str!("../migrations/0020_collecting.sql")),
    ("marks and answers", include_str!("../migrations/0021_marks_and_answers.sql")),
    ("prepaid bills", include_str!("../migrations/0022_prepaid_bills.sql")),
    ("progress", include_str!("../migrations/0023_progress.sql")),
    ("photos and meals", include_str!("../migrations/0024_photos_and_meals.sql")),
    ("forms", include_str!("../migrations/0025_forms.sql")),
    ("documents", include_str!("../migrations/0026_documents.sql")),
    ("privacy", include_str!("../migrations/0027_privacy.sql")),
    ("reports", include_str!("../migrations/0028_reports.sql")),
    ("access devices", include_str!("../migrations/0029_access_devices.sql")),
    ("assistants", include_str!("../migrations/0030_assistants.sql")),
    ("browser sessions", include_str!("../migrations/0031_browser_sessions.sql")),
    ("second step", include_str!("../migrations/0032_second_step.sql")),
    ("imports", include_str!("../migrations/0033_imports.sql")),
    ("terms that count", include_str!("../migrations/0034_terms_that_count.sql")),
    ("what waits", include_str!("../migrations/0035_what_waits.sql")),
    ("money that waits", include_str!("../migrations/0036_money_that_waits.sql")),
    ("times that others chose", include_str!("../migrations/0037_times_that_others_chose.sql")),
    ("who may hear", include_str!("../migrations/0038_who_may_hear.sql")),
    ("changed since", include_str!("../migrations/0039_changed_since.sql")),
    ("billing details", include_str!("../migrations/0040_billing_details.sql")),
    ("tokens of an address", include_str!("../migrations/0041_tokens_of_an_address.sql")),
    ("body and belt", include_str!("../migrations/0042_body_and_belt.sql")),
    ("import mistakes", include_str!("../migrations/0043_import_mistakes.sql")),
    ("notifications", include_str!("../migrations/0044_notifications.sql")),
    ("announcements", include_str!("../migrations/0045_announcements.sql")),
    ("walk in", include_str!("../migrations/0046_walk_in.sql")),
    ("push", include_str!("../migrations/0047_push.sql")),
    ("names", include_str!("../migrations/0048_names.sql")),
    ("site", include_str!("../migrations/0049_site.sql")),
    ("job_traces", include_str!("../migrations/0050_job_traces.sql")),
    ("test environments", include_str!("../migrations/0051_test_environments.sql")),
    ("suspended companies", include_str!("../migrations/0052_suspended_companies.sql")),
    ("shared rate limits", include_str!("../migrations/0053_shared_rate_limits.sql")),
    ("dunning dates", include_str!("../migrations/0054_dunning_dates.sql")),
    ("past participants", include_str!("../migrations/0055_past_participants.sql")),
    ("covered lists", include_str!("../migrations/0056_covered_lists.sql")),
    ("uncovered lists", include_str!("../migrations/0057_uncovered_lists.sql")),
];

/// The version from which on migrations only add, so that a binary which knows schemas up to it works with every later one.
/// A migration that changes what older binaries use raises it to its own version.
const COMPATIBLE_FROM: i64 = 51;

/// The schema version that this binary works with.
pub const fn latest_schema() -> i64 {
    MIGRATIONS.len() as i64
}

/// How long a node waits for another one that changes the schema.
const TIMEOUT: Duration = Duration::from_secs(600);
/// How often it looks whether that one is done.
const LOOK: Duration = Duration::from_millis(50);

/// Brings a database to this binary's schema, telling of each step; returns the version found.
/// A schema newer than the binary is refused. Of several nodes one changes the schema, and the others
/// wait for it.
pub fn migrate(
    location: &DatabaseLocation,
    now: Timestamp,
    report: impl FnMut(&str),
) -> Result<i64> {
    migrate_to(location, latest_schema(), now, report)
}

/// The same up to a version of the schema: the database of an older binary.
pub fn migrate_to(
    location: &DatabaseLocation,
    version: i64,
    now: Timestamp,
    mut output: impl FnMut(&str),
) -> Result<i64> {
    match location {
        DatabaseLocation::File(path) => {
            let conn = sqlite::connect(path)?;
            conn.execute_batch("BEGIN IMMEDIATE").map_err(Problem::internal)?;
            let run = |text: &str| conn.execute_batch(text).map_err(Problem::internal);
            run(BOOK)?;
            let tx = &mut Tx::new(Engine::Sqlite(&conn));
            let found = apply(tx, version, now, &mut output, |_, text| {
                conn.execute_batch(text).map_err(Problem::internal)
            })?;
            run("COMMIT")?;
            // Plans are found without it, too.
            if let Err(problem) = sqlite::count_rows(&conn) {
                tracing::warn!(%problem, "counting the rows of tables failed");
            }
            Ok(found)
        }
        DatabaseLocation::Server(url) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            own_processes(&mut session, &mut Session::connect(Arc::from(url.as_str()))?)?;
            if let Some(found) = current(&mut session, version)? {
                return Ok(found);
            }
            check_encoding(&mut session)?;
            let mut found = None;
            // Each version has a transaction of its own: none holds a lock beside traffic while it waits for another one. A new
            // database has no traffic.
            loop {
                let (before, reached) = migrate_some(&mut session, version, now, &mut output)?;
                let found = *found.get_or_insert(before);
                if reached >= version {
                    return Ok(found);
                }
            }
        }
    }
}

/// How often a migration is tried that gets into the way of others, or they into its own.
const TRIES_MAX: u32 = 5;

/// A transaction of a migration of a server's database up to the version that is wanted: the next one, or all of a new database.
/// Returns the version found, and the one reached.
fn migrate_some(
    session: &mut Session,
    wanted: i64,
    now: Timestamp,
    output: &mut impl FnMut(&str),
) -> Result<(i64, i64)> {
    let mut tries = 1;
    loop {
        match try_some(session, wanted, now, output) {
            Err(problem) if session.was_by_others() && tries < TRIES_MAX => {
                tracing::warn!(%problem, "a migration is tried again");
                session.script("ROLLBACK")?;
                session.restart();
                tries += 1;
            }
            ended => return ended,
        }
    }
}

fn try_some(
    session: &mut Session,
    wanted: i64,
    now: Timestamp,
    output: &mut impl FnMut(&str),
) -> Result<(i64, i64)> {
    begin_change(session)?;
    session.script(&for_postgres(BOOK))?;
    session.script(CLAIM)?;
    let is_spread = citus::is_spread(session)?;
    if is_spread {
        session.script(citus::ONE_AFTER_THE_OTHER)?;
    }
    let mut references = Vec::new();
    let mut tx = Tx::new(Engine::Postgres(session));
    let SchemaVersion { version: before, .. } = read_version(&mut tx)?;
    let next = if before == 0 { wanted } else { wanted.min(before + 1) };
    apply(&mut tx, next, now, output, |tx, text| {
        let text = for_postgres(text);
        match &mut tx.engine {
            Engine::Postgres(session) if is_spread => {
                references.extend(citus::references(&text));
                // Citus takes one change of a table that is spread at a time.
                let own = statements_of(&citus::without_references(&text));
                own.iter().try_for_each(|statement| session.script(statement))
            }
            Engine::Postgres(session) => session.script(&text),
            Engine::Sqlite(_) => Ok(()),
        }
    })?;
    session.script(ROOM)?;
    citus::spread(session, output)?;
    references.iter().try_for_each(|reference| session.script(reference))?;
    session.script("COMMIT")?;
    session.restart();
    Ok((before, next))
}

/// The statements of a migration, without its comments.
fn statements_of(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
    let code = code.join("\n");
    let statements = code.split(';').map(str::trim).filter(|own| !own.is_empty());
    statements.map(str::to_owned).collect()
}

/// The version of a schema that has all that this binary would add; no node waits for another then.
fn current(session: &mut Session, wanted: i64) -> Result<Option<i64>> {
    if !has_schema(session)? {
        return Ok(None);
    }
    let found = read_version(&mut Tx::new(Engine::Postgres(session)))?;
    let is_whole = found.version >= wanted && found.is_compatible && citus::is_settled(session)?;
    session.script("COMMIT")?;
    session.restart();
    Ok(is_whole.then_some(found.version))
}

/// Whether a server's database has been used by this program.
fn has_schema(session: &mut Session) -> Result<bool> {
    Ok(session.look("SELECT to_regclass('schema_version') IS NOT NULL")? == "t")
}

/// Refuses a database that cannot hold every name.
fn check_encoding(session: &mut Session) -> Result<()> {
    match session.look("SHOW server_encoding")?.as_str() {
        "UTF8" => Ok(()),
        other => Err(Problem::internal(format!(
            "the database has the encoding {other}; make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        ))),
    }
}

/// Begins the transaction of the node whose turn it is to change the schema. Each of its statements sees what the one before has
/// done, and the turn ends with it, whatever stands between the node and the server.
fn begin_change(session: &mut Session) -> Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        session.script("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0")?;
        let rows = session.query("SELECT pg_try_advisory_xact_lock(7768368765)", &[])?;
        let turn: Vec<(bool,)> = read_all(&rows)?;
        if turn.first().is_some_and(|row| row.0) {
            return Ok(());
        }
        session.script("ROLLBACK")?;
        if waited.is_zero() {
            tracing::warn!("another node changes the schema; waiting for it");
        }
        if waited > TIMEOUT {
            return Err(Problem::internal(
                "another node has been changing the schema for too long",
            ));
        }
        std::thread::sleep(LOOK);
        waited += LOOK;
    }
}

/// The schema of a database.
pub(crate) struct SchemaVersion {
    /// Its version; 0 for an empty one.
    pub(crate) version: i64,
    /// Whether this binary works with it, once it is as new as its own.
    pub(crate) is_compatible: bool,
}

fn read_version(tx: &mut Tx<'_>) -> Result<SchemaVersion> {
    let found: Vec<(i64,)> =
        tx.rows("SELECT COALESCE(MAX(version), 0) FROM schema_version", &[])?;
    let version = found.first().map_or(0, |row| row.0);
    let is_compatible = version <= latest_schema()
        || oldest_compatible(tx)?.is_some_and(|oldest| oldest <= latest_schema());
    Ok(SchemaVersion { version, is_compatible })
}

/// Whether there is an installation's database at a location.
pub fn is_in_use(location: &DatabaseLocation) -> Result<bool> {
    match location {
        DatabaseLocation::File(path) => Ok(path.exists()),
        DatabaseLocation::Server(url) => {
            has_schema(&mut Session::connect(Arc::from(url.as_str()))?)
        }
    }
}

/// The schema that a database has.
pub(crate) fn schema_of(location: &DatabaseLocation) -> Result<SchemaVersion> {
    match location {
        DatabaseLocation::File(path) if !path.exists() => {
            Err(Problem::internal(format!("{} does not exist", path.display())))
        }
        DatabaseLocation::File(path) => {
            read_version(&mut Tx::new(Engine::Sqlite(&sqlite::connect(path)?)))
        }
        DatabaseLocation::Server(url) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            read_version(&mut Tx::new(Engine::Postgres(&mut session)))
        }
    }
}

fn apply(
    tx: &mut Tx<'_>,
    wanted: i64,
    now: Timestamp,
    output: &mut impl FnMut(&str),
    mut run: impl FnMut(&mut Tx<'_>, &str) -> Result<()>,
) -> Result<i64> {
    let SchemaVersion { version: found, is_compatible } = read_version(tx)?;
    if !is_compatible {
        return Err(Problem::internal(format!(
            "the database has schema {found} and this version of spotter knows schemas up to {}; \
             start a version at least as new as the one that last used the database",
            latest_schema()
        )));
    }
    for (version, (name, text)) in (1..).zip(MIGRATIONS) {
        if version > found && version <= wanted {
            output(&format!("schema {version}: {name}"));
            run(tx, text)?;
            let params =
                [Value::Int(version), Value::Text((*name).into()), Value::Int(now.millis())];
            tx.rows::<(i64,)>(
                "INSERT INTO schema_version (version, name, applied_at) VALUES (?1, ?2, ?3) RETURNING version",
                &params,
            )?;
        }
    }
    if found < wanted && wanted > COMPATIBLE_FROM {
        tx.rows::<(i64,)>(NOTE_COMPATIBLE, &[Value::Int(wanted), Value::Int(COMPATIBLE_FROM)])?;
    }
    Ok(found)
}

/// The schema says from the version after the first compatible one on which that is.
const NOTE_COMPATIBLE: &str =
    "UPDATE schema_version SET compatible_from = ?2 WHERE version = ?1 RETURNING version";

/// The oldest version of the schema whose binaries work with the database, if it says so.
fn oldest_compatible(tx: &mut Tx<'_>) -> Result<Option<i64>> {
    const LATEST: &str = "SELECT compatible_from FROM schema_version ORDER BY version DESC LIMIT 1";
    let found: Vec<(Option<i64>,)> = tx.rows(LATEST, &[])?;
    Ok(found.first().and_then(|row| row.0))
}

const BOOK: &str = "CREATE TABLE IF NOT EXISTS schema_version \
    (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);";

/// PostgreSQL's side of `claim(name)`: an advisory lock until the end of the transaction. It is made with a change of the schema,
/// and is not changed without one; so is the room in pages.
const CLAIM: &str = "CREATE OR REPLACE FUNCTION claim(name TEXT) RETURNS BOOLEAN LANGUAGE SQL VOLATILE \
    AS $$ SELECT pg_try_advisory_xact_lock(hashtextextended(name, 0)) $$";

/// Room in the pages of rows that change often, so that a change touches no index: an index page
/// that others have read would make them conflict.
const ROOM: &str = "ALTER TABLE IF EXISTS client SET (fillfactor = 80)";

/// The dialect differences of the schema: text after `-- PostgreSQL: ` is for PostgreSQL only, bytes have another
/// type, and text sorts by bytes, as in SQLite.
fn for_postgres(text: &str) -> String {
    text.replace("-- PostgreSQL: ", "")
        .replace(" BLOB", " BYTEA")
        .replace(" TEXT", " TEXT COLLATE \"C\"")
        // There every table is a heap beside its indexes.
        .replace(" WITHOUT ROWID", "")
}

#[cfg(test)]
mod tests {
    use super::{COMPATIBLE_FROM, MIGRATIONS, statements_of};

    /// Whether an older node can work with what a statement adds.
    fn only_adds(statement: &str) -> bool {
        match statement.strip_prefix("ALTER TABLE ").and_then(|alter| alter.split_once(' ')) {
            // An older node inserts rows without the column.
            Some((_, change)) => {
                let is_required = change.contains(" NOT NULL") && !change.contains(" DEFAULT ");
                change.starts_with("ADD COLUMN ") && !is_required
            }
            // Without an index that is not unique it is slower at most.
            None => match statement.strip_prefix("DROP INDEX IF EXISTS ") {
                Some(index) => !MIGRATIONS
                    .iter()
                    .any(|(_, text)| text.contains(&format!("CREATE UNIQUE INDEX {index} "))),
                None => {
                    ["CREATE TABLE ", "CREATE INDEX "].iter().any(|own| statement.starts_with(own))
                }
            },
        }
    }

    #[test]
    fn migrations_only_add() {
        for (name, text) in MIGRATIONS.iter().skip(COMPATIBLE_FROM as usize - 1) {
            for statement in statements_of(text) {
                assert!(only_adds(&statement), "{name}: {statement}");
            }
        }
    }

    /// The table that a statement locks, if it is there already.
    fn locked(statement: &str) -> Option<&str> {
        let place = match statement {
            own if own.starts_with("DROP INDEX ") => return Some("that of an index"),
            own if own.starts_with("CREATE INDEX ") => own.split_once(" ON ")?.1,
            own => own.strip_prefix("ALTER TABLE ")?,
        };
        place.split_whitespace().next()
    }

    /// Who holds a lock and waits for another one gets into a deadlock with a transaction that has them in another order.
    #[test]
    fn a_migration_locks_one_table_and_each_but_once() {
        for (name, text) in MIGRATIONS.iter().skip(55) {
            let statements = statements_of(text);
            let is_new = |table: &str| text.contains(&format!("CREATE TABLE {table} "));
            let locked: Vec<_> = statements
                .iter()
                .filter_map(|own| locked(own))
                .filter(|own| !is_new(own))
                .collect();
            assert!(locked.len() <= 1, "{name}: {locked:?}");
        }
    }

    #[test]
    fn what_an_older_node_would_stumble_over_is_found() {
        for bad in [
            "DROP TABLE job",
            "DROP INDEX IF EXISTS conversation_pair",
            "CREATE UNIQUE INDEX a ON b (c)",
            "ALTER TABLE a RENAME COLUMN b TO c",
            "ALTER TABLE a ADD COLUMN b TEXT NOT NULL",
            "UPDATE a SET b = 1",
        ] {
            assert!(!only_adds(bad), "{bad}");
        }
        for good in
            ["CREATE INDEX a ON b (c)", "ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0"]
        {
            assert!(only_adds(good), "{good}");
        }
    }
}
