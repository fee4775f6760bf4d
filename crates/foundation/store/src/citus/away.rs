//! Servers of a cluster that are away: those that answer go on for their companies. One that is silent, as when its machine is
//! lost, is not waited for once that is known: each request that waits keeps a connection from others.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use spotter_kernel::Problem;

use crate::value::Value;

/// Which servers of the cluster do not answer, as all sessions of the database know. A statement about all companies needs all
/// servers: while one is away, each part of a table is queried separately, on the servers that answer.
#[derive(Debug, Default)]
pub(crate) struct ServersAway(Mutex<Answering>);

#[derive(Debug, Default)]
enum Answering {
    #[default]
    All,
    /// Something failed that a server may be the cause of: they are to be asked.
    Unknown,
    NotAll(ServersFound),
}

/// What was found when the servers were asked and not all answered.
#[derive(Debug)]
struct ServersFound {
    /// Those that did not, with commas between.
    away: String,
    at: Instant,
    /// Whether something failed since that another server may be the cause of.
    is_doubted: bool,
    /// Whether one said nothing, as when its machine is lost, rather than refused.
    is_one_silent: bool,
    /// Companies that were looked up since, and whether the server of each is away.
    companies: HashMap<String, bool>,
}

/// How long it is known that a server is away.
pub(crate) const KNOWN_FOR: Duration = Duration::from_secs(60);
/// The same for who looks whether it is back, and where something failed since: another may be away by now.
pub(crate) const LOOKED_FOR_AFTER: Duration = Duration::from_secs(10);
/// A server that takes longer to answer is silent: it is waited for until a connection is given up.
const SILENT_AFTER: Duration = Duration::from_secs(2);
/// Most companies of which it is remembered where they are.
const COMPANIES_MAX: usize = 10_000;

impl ServersAway {
    /// Something failed that a server may be the cause of.
    pub(crate) fn doubt(&self) {
        let mut answering = self.0.lock();
        match &mut *answering {
            Answering::All => *answering = Answering::Unknown,
            Answering::NotAll(found) => found.is_doubted = true,
            Answering::Unknown => {}
        }
    }

    /// The addresses of those that do not answer, with commas between, as was found within this time; `None` where they are to be
    /// asked.
    pub(crate) fn known(&self, within: Duration) -> Option<String> {
        match &*self.0.lock() {
            Answering::All => Some(String::new()),
            Answering::NotAll(found) => {
                let within = if found.is_doubted { within.min(LOOKED_FOR_AFTER) } else { within };
                (found.at.elapsed() < within).then(|| found.away.clone())
            }
            Answering::Unknown => None,
        }
    }

    /// Those that were asked and do not answer, and how long they were asked.
    pub(crate) fn learn(&self, away: String, asked_for: Duration) {
        let is_one_silent = asked_for > SILENT_AFTER;
        *self.0.lock() = match away.is_empty() {
            true => Answering::All,
            false => Answering::NotAll(ServersFound {
                away,
                at: Instant::now(),
                is_doubted: false,
                is_one_silent,
                companies: HashMap::new(),
            }),
        };
    }

    /// Whether what is sent to one would be waited for.
    pub(crate) fn is_one_silent(&self) -> bool {
        matches!(&*self.0.lock(), Answering::NotAll(found) if found.is_one_silent)
    }

    /// Whether the server of a company is away; `None` where that was not asked yet.
    pub(crate) fn has(&self, company: &str) -> Option<bool> {
        match &*self.0.lock() {
            Answering::NotAll(found) => found.companies.get(company).copied(),
            Answering::All | Answering::Unknown => Some(false),
        }
    }

    /// Remembers at which address a company is; whether it is away.
    pub(crate) fn note_company(&self, company: &str, address: &str) -> bool {
        let mut answering = self.0.lock();
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

/// The company that a statement is about, by its text.
pub(crate) fn company_of<'v>(sql: &str, params: &'v [Value<'_>]) -> Option<&'v str> {
    let (_, rest) = sql.split_once("company_id = ?")?;
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
    use std::time::{Duration, Instant};

    use super::{Answering, KNOWN_FOR, LOOKED_FOR_AFTER, ServersAway, company_of};
    use crate::params;

    #[test]
    fn servers_are_asked_after_a_failure() {
        let (away, quick) = (ServersAway::default(), Duration::ZERO);
        assert_eq!(away.known(KNOWN_FOR).as_deref(), Some(""));
        away.doubt();
        assert_eq!(away.known(KNOWN_FOR), None);
        away.learn("worker2:5432".to_owned(), quick);
        away.doubt();
        assert_eq!(away.known(KNOWN_FOR).as_deref(), Some("worker2:5432"), "known by now");
        assert_eq!(away.known(Duration::ZERO), None, "who looks whether it is back asks again");
        away.learn(String::new(), quick);
        assert_eq!(away.known(Duration::ZERO).as_deref(), Some(""));
    }

    #[test]
    fn another_server_may_be_away_since() {
        let away = ServersAway::default();
        away.learn("worker2:5432".to_owned(), Duration::ZERO);
        if let Answering::NotAll(found) = &mut *away.0.lock() {
            found.at = Instant::now().checked_sub(LOOKED_FOR_AFTER).unwrap();
        }
        assert_eq!(away.known(KNOWN_FOR).as_deref(), Some("worker2:5432"));
        away.doubt();
        assert_eq!(away.known(KNOWN_FOR), None, "asked again before it would be otherwise");
    }

    #[test]
    fn companies_of_a_silent_server_are_known() {
        let away = ServersAway::default();
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
    }
}
