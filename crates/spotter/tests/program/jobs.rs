//! Work outside the database: done once, whatever fails, panics, hangs or dies, on any number of nodes, and never
//! called failed where the outcome is unknown.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use spotter_contract::{
    Job,
    jobs::{self, ClaimedJob, FailedJob, JobCount, JobOutcome, JobState, RetryPolicy},
};
use spotter_harness::{Engine, SystemClock, env, runtime, scenario};
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_kernel::{Clock, Id, id::CompanyId};
use spotter_store::{Db, Sql, params};

use crate::timers::nodes;

static WORK: Job = Job::new(
    "test_work",
    "Works",
    RetryPolicy { lease_ms: 20_000, retries: &[0, 0] },
    |cx, subject, settled| cx.tally(&format!("{subject} {}", settled.state.word()), 1),
);

type Plan = fn(&ClaimedJob) -> JobOutcome;

/// For each record the attempts: which it was, and whether the one before is not known.
type Seen = BTreeMap<Id, Vec<(i64, bool)>>;

/// Attempts by a plan, and notes which.
#[derive(Clone)]
struct Planned {
    plan: Plan,
    seen: Arc<Mutex<Seen>>,
}

impl Planned {
    fn new(plan: Plan) -> Self {
        Self { plan, seen: Arc::default() }
    }
}

impl Worker for Planned {
    fn job(&self) -> &'static Job {
        &WORK
    }

    fn at_once(&self) -> usize {
        3
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        let (own, held) = (self.clone(), held.clone());
        Box::pin(async move {
            let noted = (held.attempts, held.after_unknown);
            own.seen.lock().unwrap().entry(held.subject).or_default().push(noted);
            tokio::task::yield_now().await;
            (own.plan)(&held)
        })
    }
}

/// Writes jobs for new records; their ids.
async fn begin(db: &Db, company: CompanyId, count: usize) -> Vec<Id> {
    let made = db.write(move |tx| {
        let mut ids = Vec::new();
        spotter_contract::Write::as_system(tx, &env(), company, "test", &[], |cx| {
            for _ in 0..count {
                let id = cx.new_id();
                cx.begin_job(&WORK, id)?;
                ids.push(id);
            }
            Ok(())
        })?;
        Ok(ids)
    });
    made.await.unwrap()
}

/// Waits until no job is due; their states.
async fn ended(db: &Db) -> (BTreeMap<JobState, i64>, Vec<FailedJob>) {
    for _ in 0..1_000 {
        let (states, troubles) = db.read(jobs::overview).await.unwrap();
        if states.iter().all(|status: &JobCount| status.next_at.is_none()) {
            return (states.iter().map(|all| (all.state, all.count)).collect(), troubles);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("jobs do not end");
}

fn run(db: &Db, worker: &Planned) -> tokio::task::JoinHandle<()> {
    tokio::spawn(spotter_harness::jobs(db, &env(), Arc::new(worker.clone())))
}

#[scenario(process)]
fn jobs_are_done_once_on_many_nodes(engine: Engine) {
    let (nodes, company) = nodes(engine, 3);
    runtime().block_on(async {
        let ids = begin(&nodes[0], company, 40).await;
        let worker = Planned::new(|_| JobOutcome::Done);
        let running: Vec<_> = nodes.iter().map(|db| run(db, &worker)).collect();
        let (states, troubles) = ended(&nodes[0]).await;
        running.iter().for_each(tokio::task::JoinHandle::abort);
        assert_eq!(states, [(JobState::Done, 40)].into());
        assert!(troubles.is_empty(), "{troubles:?}");
        let seen = worker.seen.lock().unwrap();
        assert!(ids.iter().all(|id| seen[id] == [(1, false)]), "{seen:?}");
    });
}

/// Which of five it is: ids of one transaction follow one another.
fn number(id: Id) -> u32 {
    u32::from_str_radix(&id.to_string()[16..], 16).unwrap() % 5
}

#[scenario(process)]
fn outcomes_are_kept(engine: Engine) {
    let plan: Plan = |held| match (number(held.subject), held.attempts) {
        (0, _) => JobOutcome::Refused("no such address".into()),
        (1, 1) => JobOutcome::Failed("not now".into()),
        (2, 1) => panic!("on purpose"),
        (3, _) => JobOutcome::Failed("never".into()),
        (4, _) => JobOutcome::Unknown("silence".into()),
        _ => JobOutcome::Done,
    };
    let (nodes, company) = nodes(engine, 1);
    runtime().block_on(async {
        let ids = begin(&nodes[0], company, 5).await;
        let worker = Planned::new(plan);
        let running = run(&nodes[0], &worker);
        let (states, troubles) = ended(&nodes[0]).await;
        running.abort();
        assert_eq!(
            states,
            [(JobState::Done, 2), (JobState::Failed, 2), (JobState::Unknown, 1)].into(),
            "{troubles:?}"
        );
        let response: BTreeMap<String, (JobState, i64)> = troubles
            .into_iter()
            .map(|trouble| (trouble.error.unwrap(), (trouble.state, trouble.attempts)))
            .collect();
        assert_eq!(response["no such address"], (JobState::Failed, 1));
        assert_eq!(response["never"], (JobState::Failed, 3));
        assert_eq!(response["silence"], (JobState::Unknown, 3));
        let seen = worker.seen.lock().unwrap().clone();
        // A panicked attempt may have done its work: the next one is told so.
        let of = |wanted: u32| seen[ids.iter().find(|id| number(**id) == wanted).unwrap()].clone();
        assert_eq!(of(1), [(1, false), (2, false)]);
        assert_eq!(of(2), [(1, false), (2, true)]);
        assert_eq!(of(4), [(1, false), (2, true), (3, true)]);
        // Its effect on its record is written in the same transaction.
        const COUNTED: Sql = Sql("SELECT COUNT(*) FROM tally WHERE company_id = ?1");
        let counted = nodes[0].read(move |tx| tx.one::<(i64,)>(COUNTED, params![company]));
        assert!(counted.await.unwrap().unwrap().0 > 0);
    });
}

/// A company with many jobs has those of another go between its own.
#[scenario(process)]
fn callers_do_not_wait_for_others_batches(engine: Engine) {
    let (nodes, first) = nodes(engine, 1);
    runtime().block_on(async {
        let db = &nodes[0];
        let second = crate::timers::another_company(db).await;
        begin(db, first, 30).await;
        let later = begin(db, second, 1).await[0];
        let claim = async |most: usize, busy: Vec<CompanyId>| {
            let claimed = db.write(move |tx| jobs::claim(tx, &env(), &WORK, most, &busy));
            claimed.await.unwrap()
        };
        assert!(claim(3, Vec::new()).await.iter().all(|held| held.company == first));
        let next = claim(2, vec![first]).await;
        assert_eq!(next[0].subject, later, "{next:?}");
        assert_eq!((next.len(), next[1].company), (2, first), "{next:?}");
    });
}

/// A process that dies during an attempt may have done it: the next node is told, and after the last attempt the
/// outcome is unknown, and not retried forever.
#[scenario(process)]
fn abandoned_leases_are_taken_over(engine: Engine) {
    const OVER: Sql = Sql("UPDATE job SET due_at = ?1 WHERE company_id = ?2");
    let (nodes, company) = nodes(engine, 2);
    runtime().block_on(async {
        let ids = begin(&nodes[0], company, 1).await;
        let die = async || {
            let claimed =
                nodes[0].write(|tx| jobs::claim(tx, &env(), &WORK, 9, &[])).await.unwrap();
            let now = SystemClock.now();
            nodes[0].write(move |tx| tx.execute(OVER, params![now, company])).await.unwrap();
            claimed
        };
        let first = die().await;
        assert_eq!((first[0].attempts, first[0].after_unknown), (1, false));
        let again = die().await;
        assert_eq!((again[0].attempts, again[0].after_unknown), (2, true));
        // The first node returns: its result does not count any more.
        let late = first[0].clone();
        let settled =
            nodes[1].write(move |tx| jobs::finish(tx, &env(), &WORK, &late, &JobOutcome::Done));
        assert!(!settled.await.unwrap());
        die().await;
        let worker = Planned::new(|_| JobOutcome::Done);
        let running = run(&nodes[1], &worker);
        let (states, troubles) = ended(&nodes[0]).await;
        running.abort();
        assert_eq!(states, [(JobState::Unknown, 1)].into(), "{troubles:?}");
        assert!(troubles[0].error.as_ref().unwrap().contains("without a result"), "{troubles:?}");
        assert!(worker.seen.lock().unwrap().is_empty(), "a fourth attempt at {ids:?}");
    });
}
