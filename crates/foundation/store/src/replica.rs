//! Slow reads, such as reports and pages far down lists: on a server that follows the database's, where the operator names
//! one. It is read from once it has all that was committed before the read began, so that everybody sees what they, or
//! anybody else, have written; until then, and while it cannot be reached, the database itself is read from.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spotter_kernel::{Problem, Result};

use crate::{queue::Jobs, session::Session};

/// How long a read waits for the replica to follow.
const FOLLOW_TIMEOUT: Duration = Duration::from_millis(200);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(5);
/// For how long a replica that failed is left alone.
const LEFT_ALONE: Duration = Duration::from_secs(10);

/// Up to where the log of the server that takes writes is on its disk, in bytes: commits are acknowledged once they are.
const WRITTEN: &str = "SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint";
/// Up to where a server that follows has replayed it; nothing on one that takes writes itself.
const REPLAYED: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint ELSE -1 END";

/// The server's origin, which all that follow it share, and the database: what follows has them both.
const ORIGIN: &str = "SELECT system_identifier || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database()) \
    FROM pg_control_system()";

/// Whether replay is paused on a server that follows.
const IS_PAUSED: &str = "SELECT pg_is_in_recovery() AND pg_is_wal_replay_paused()";

/// Refuses a server that does not follow the database's, or another database of one that does.
pub fn check_replica(database: &str, replica: &str) -> Result<()> {
    let database = &mut Session::connect(Arc::from(database))?;
    let replica = &mut Session::connect_to_replica(Arc::from(replica))?;
    same_origin(database, replica)?;
    replayed(replica)?;
    match replica.look(IS_PAUSED)?.as_str() {
        "t" => Err(Problem::internal("it was told to pause, and does not follow")),
        _ => Ok(()),
    }
}

fn same_origin(database: &mut Session, replica: &mut Session) -> Result<()> {
    match database.look(ORIGIN)? == replica.look(ORIGIN)? {
        true => Ok(()),
        false => Err(Problem::internal("it is another database, and no replica of this one")),
    }
}

/// A thread's share of the slow reads.
pub(crate) struct SlowReads {
    jobs: Jobs,
    database: Session,
    replica: Option<Replica>,
}

impl SlowReads {
    pub(crate) fn new(jobs: Jobs, database: Session, replica: Option<Arc<str>>) -> Self {
        let replica = replica.map(|url| Replica { url, session: None, left_until: None });
        Self { jobs, database, replica }
    }

    /// Serves until the queue ends.
    pub(crate) fn serve(mut self) {
        while let Ok(job) = self.jobs.recv() {
            let database = &mut self.database;
            let is_named = self.replica.is_some();
            let replica = self.replica.as_mut().and_then(|replica| replica.following(database));
            // Both, so that a rule notices a replica that is never read from.
            if is_named {
                count(REPLICA, u64::from(replica.is_some()));
            }
            count(DATABASE, u64::from(replica.is_none()));
            replica.unwrap_or(&mut self.database).read_together(vec![job], None);
        }
    }
}

/// The servers that slow reads are counted by.
const REPLICA: &str = "replica";
const DATABASE: &str = "database";

fn count(server: &'static str, reads: u64) {
    metrics::counter!("spotter_store_slow_reads_total", "server" => server).increment(reads);
}

/// A server that follows the database's.
struct Replica {
    url: Arc<str>,
    session: Option<Session>,
    /// Until when it is left alone, after it failed.
    left_until: Option<Instant>,
}

impl Replica {
    /// Its session, once it has what was committed by now.
    fn following(&mut self, database: &mut Session) -> Option<&mut Session> {
        if self.left_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let written = position(database, WRITTEN).ok()?;
        match self.follow(database, written) {
            Ok(true) => self.session.as_mut(),
            Ok(false) => None,
            Err(problem) => {
                tracing::warn!(%problem, "the replica of the database cannot be read; it is left alone for a while");
                self.session = None;
                self.left_until = Some(Instant::now() + LEFT_ALONE);
                None
            }
        }
    }

    /// Waits until it has replayed the log up to a position; whether it has.
    fn follow(&mut self, database: &mut Session, written: i64) -> Result<bool> {
        if self.session.is_none() {
            let mut session = Session::connect_to_replica(self.url.clone())?;
            same_origin(database, &mut session)?;
            self.session = Some(session);
        }
        let Some(session) = &mut self.session else { return Ok(false) };
        let began = Instant::now();
        while replayed(session)? < written {
            if began.elapsed() > FOLLOW_TIMEOUT {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
        Ok(true)
    }
}

/// Up to where a server has replayed the log; one that has taken over is no replica any more.
fn replayed(replica: &mut Session) -> Result<i64> {
    match position(replica, REPLAYED)? {
        ..0 => Err(Problem::internal("it is no replica: it takes writes itself")),
        replayed => Ok(replayed),
    }
}

fn position(session: &mut Session, sql: &str) -> Result<i64> {
    session.look(sql)?.parse().map_err(Problem::internal)
}
