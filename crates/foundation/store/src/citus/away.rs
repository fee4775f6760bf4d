//! Servers of a cluster that are away: those that answer go on for their companies. One that is silent, as when its machine is
//! lost, is not waited for once that is known: each request that waits keeps a connection from others.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, TrySendError};
use parking_lot::{Condvar, Mutex};
use spotter_kernel::{Problem, Result};

use crate::value::Value;

/// Which servers of the cluster do not answer, as all sessions of the database know. A statement about all companies needs all
/// servers: while one is away, each part of a table is queried separately, on the servers that answer.
#[derive(Debug)]
pub(crate) struct ServersAway {
    answering: Mutex<Answering>,
    /// Notified when the servers were asked.
    asked: Condvar,
    doubts: Sender<()>,
}

#[derive(Debug)]
enum Answering {
    All,
    /// Something failed that a server may be the cause of: they are being asked.
    Unknown,
    NotAll(ServersFound),
}

/// What was found when the servers were asked and not all answered.
#[derive(Debug)]
struct ServersFound {
    /// Those that did not, with commas between.
    away: String,
    /// Whether one said nothing, as when its machine is lost, rather than refused.
    is_one_silent: bool,
    /// Companies that were looked up since, and whether the server of each is away.
    companies: HashMap<String, bool>,
}

/// A server that takes longer to answer is silent: it is waited for until a connection is given up.
const SILENT_AFTER: Duration = Duration::from_secs(2);
/// How long is waited for what the servers answer, which takes five seconds where one is silent.
const KNOWN_AFTER: Duration = Duration::from_secs(8);
/// Most companies of which it is remembered where they are.
const COMPANIES_MAX: usize = 10_000;

impl ServersAway {
    /// Servers that all answer, and where doubts arrive.
    pub(crate) fn new() -> (Arc<Self>, Receiver<()>) {
        let (doubts, raised) = crossbeam_channel::bounded(1);
        let answering = Mutex::new(Answering::All);
        (Arc::new(Self { answering, asked: Condvar::new(), doubts }), raised)
    }

    /// Something failed that a server may be the cause of.
    pub(crate) fn doubt(&self) {
        let mut answering = self.answering.lock();
        if matches!(*answering, Answering::All) {
            // Where nothing watches, all are taken to answer.
            match self.doubts.try_send(()) {
                Ok(()) | Err(TrySendError::Full(())) => *answering = Answering::Unknown,
                Err(TrySendError::Disconnected(())) => {}
            }
        }
    }

    /// The addresses of those that do not answer, with commas between. While they are being asked that is waited for.
    pub(crate) fn known(&self) -> Result<String> {
        let mut answering = self.answering.lock();
        let until = Instant::now() + KNOWN_AFTER;
        while matches!(*answering, Answering::Unknown) {
            if self.asked.wait_until(&mut answering, until).timed_out() {
                return Err(refusal());
            }
        }
        match &*answering {
            Answering::NotAll(found) => Ok(found.away.clone()),
            Answering::All | Answering::Unknown => Ok(String::new()),
        }
    }

    /// Nothing answers for them: each statement says so itself.
    pub(super) fn forget(&self) {
        *self.answering.lock() = Answering::All;
        self.asked.notify_all();
    }

    /// Those that were asked and do not answer, and how long they were asked.
    pub(super) fn learn(&self, away: String, asked_for: Duration) {
        let mut answering = self.answering.lock();
        let before = match &*answering {
            Answering::NotAll(found) => found.away.as_str(),
            Answering::All | Answering::Unknown => "",
        };
        match away.as_str() {
            _ if before == away => {}
            "" => tracing::warn!("all servers of the cluster answer again"),
            _ => tracing::error!(servers = away, "servers of the cluster do not answer"),
        }
        let is_one_silent = asked_for > SILENT_AFTER;
        *answering = match away.is_empty() {
            true => Answering::All,
            false => {
                Answering::NotAll(ServersFound { away, is_one_silent, companies: HashMap::new() })
            }
        };
        self.asked.notify_all();
    }

    /// Whether all are taken to answer.
    pub(super) fn are_all_there(&self) -> bool {
        !matches!(*self.answering.lock(), Answering::NotAll(_))
    }

    /// Whether what is sent to one would be waited for.
    pub(crate) fn is_one_silent(&self) -> bool {
        matches!(&*self.answering.lock(), Answering::NotAll(found) if found.is_one_silent)
    }

    /// Whether the server of a company is away; `None` where that was not asked yet.
    pub(crate) fn has(&self, company: &str) -> Option<bool> {
        match &*self.answering.lock() {
            Answering::NotAll(found) => found.companies.get(company).copied(),
            Answering::All | Answering::Unknown => Some(false),
        }
    }

    /// Remembers at which address a company is; whether it is away.
    pub(crate) fn note_company(&self, company: &str, address: &str) -> bool {
        let mut answering = self.answering.lock();
        let Answering::NotAll(found) = &mut *answering else { return false };
        let is_away = found.away.split(',').any(|away| away == address);
        if found.companies.len() < COMPANIES_MAX {
            found.companies.insert(company.to_owned(), is_away);
        }
        is_away
    }
}

/// What is said where a server would be waited for.
pub(crate) fn refusal() -> Problem {
    Problem::overloaded().caused_by("a server of the cluster is away")
}

/// The company that a statement is about, by its text: what it compares with, or the first value of the row that it inserts.
pub(crate) fn company_of<'v>(sql: &str, params: &'v [Value<'_>]) -> Option<&'v str> {
    let inserted = sql.starts_with("INSERT INTO ").then(|| sql.split_once(" (company_id, "));
    let inserted = inserted.flatten().and_then(|(_, rest)| rest.split_once(" VALUES (?"));
    let (_, rest) = inserted.or_else(|| sql.split_once("company_id = ?"))?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let place: usize = rest[..digits].parse().ok()?;
    match params.get(place.checked_sub(1)?)? {
        Value::Text(company) => Some(company),
        _ => None,
    }
}

/// The address of a company's server.
pub(crate) const SERVER_OF: &str = "SELECT CAST(nodename AS TEXT) || ':' || CAST(nodeport AS TEXT) \
    FROM pg_dist_shard_placement \
    WHERE shardid = get_shard_id_for_distribution_column('company', CAST(?1 AS TEXT))";

/// Each server with companies, by its address, and whether it answers. Over a connection of its own: one that is kept may wait
/// for a server that is lost.
pub(crate) const SERVERS: &str = "SELECT node_name || ':' || CAST(node_port AS TEXT), success \
    FROM (SELECT array_agg(CAST(nodename AS TEXT)) AS nodes, array_agg(nodeport) AS ports, \
    array_agg(CAST('SELECT 1' AS TEXT)) AS commands FROM pg_dist_node \
    WHERE isactive AND noderole = 'primary' AND groupid <> 0) asked \
    CROSS JOIN LATERAL master_run_on_worker(nodes, ports, commands, TRUE) ORDER BY 1";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ServersAway, company_of};
    use crate::params;

    #[test]
    fn what_is_unknown_is_waited_for() {
        let (away, raised) = ServersAway::new();
        assert_eq!(away.known().unwrap(), "");
        away.doubt();
        away.doubt();
        assert!(raised.try_recv().is_ok() && raised.try_recv().is_err(), "they are asked once");
        let waits = std::thread::spawn({
            let away = away.clone();
            move || away.known()
        });
        away.learn("worker2:5432".to_owned(), Duration::ZERO);
        assert_eq!(waits.join().unwrap().unwrap(), "worker2:5432");
        away.doubt();
        assert!(raised.try_recv().is_err(), "they are asked again anyway");
        away.learn(String::new(), Duration::ZERO);
        assert_eq!(away.known().unwrap(), "");
    }

    #[test]
    fn a_database_of_one_server_doubts_nothing() {
        let (away, raised) = ServersAway::new();
        drop(raised);
        away.doubt();
        assert_eq!(away.known().unwrap(), "");
    }

    #[test]
    fn companies_of_a_silent_server_are_known() {
        let (away, _raised) = ServersAway::new();
        away.learn("worker2:5432".to_owned(), Duration::ZERO);
        assert!(!away.is_one_silent(), "it refuses, so what is sent to it fails at once");
        away.learn("worker2:5432".to_owned(), Duration::from_secs(5));
        assert!(away.is_one_silent());
        assert_eq!(away.has("a"), None);
        assert!(away.note_company("a", "worker2:5432"));
        assert!(!away.note_company("b", "worker1:5432"));
        assert_eq!((away.has("a"), away.has("b")), (Some(true), Some(false)));
        away.learn(String::new(), Duration::ZERO);
        assert_eq!(away.has("a"), Some(false));
        let values = params![1_i64, "a"];
        assert_eq!(
            company_of("SELECT b FROM t WHERE c = ?1 AND t.company_id = ?2", values),
            Some("a")
        );
        assert_eq!(company_of("SELECT b FROM t WHERE c = ?1", values), None);
        let values = params!["a", "b"];
        assert_eq!(company_of("INSERT INTO t (company_id, b) VALUES (?1, ?2)", values), Some("a"));
        assert_eq!(company_of("INSERT INTO t (c, b) VALUES (?1, ?2)", values), None);
    }
}
