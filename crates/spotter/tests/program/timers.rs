//! Timers: once, whatever fails, panics or dies, on any number of nodes.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use spotter_company::company::{Company, NewCompany};
use spotter_contract::{
    Actor, Area, Caller, Read, Repeating, Table, Timer, Write,
    timers::{self, FailureRow, Overview, RepeatedWork},
};
use spotter_harness::{App, Engine, SystemClock, env, location, open, open_new, runtime, scenario};
use spotter_jobs::timers::Timers;
use spotter_kernel::{
    Clock, Id, Problem, Result, TimeZone, Timestamp,
    id::CompanyId,
    money::Currency,
    text::{Language, Name},
};
use spotter_store::{Config, Db, Sql, Tx, params};

/// The previous secret is kept for its grace period, and not longer than necessary.
#[scenario]
async fn a_secret_is_forgotten_when_its_grace_is_over(app: App) {
    let (hook, _) = spotter_harness::samples::webhooks::tested_webhook(&app).await;
    let path = format!("/webhooks/{hook}");
    let grace = json!({"gracePeriodSeconds": 1});
    app.post(&format!("{path}/rotate-secret"), grace).await.ok();
    let company = app.company;
    const KEPT: Sql = Sql("SELECT COUNT(*) FROM webhook_subscription \
        WHERE company_id = ?1 AND previous_secret IS NOT NULL");
    let kept = async || {
        let request = app.server.db.read(move |tx| tx.one::<(i64,)>(KEPT, params![company]));
        request.await.unwrap().unwrap().0
    };
    assert_eq!(kept().await, 1);
    let began = std::time::Instant::now();
    while kept().await > 0 {
        assert!(began.elapsed() < Duration::from_secs(20), "the secret is kept");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let logs = app.get("/audit-logs?operation=forget_previous_webhook_secret").await.ok();
    assert_eq!(logs.data()["auditLogs"][0]["actorType"], "system", "{}", logs.body);
}

#[derive(Default)]
struct Gate {
    /// How many have come to it.
    arrived: usize,
    is_open: bool,
}

static COUNT: Timer =
    Timer::new("test_count", "Counts", |cx, subject| cx.tally(&subject.to_string(), 1));
static FAILS: Timer =
    Timer::new("test_fails", "Fails", |_, _| Err(Problem::internal("on purpose")));
static PANICS: Timer = Timer::new("test_panics", "Panics", |_, _| panic!("on purpose"));
static SAME_ROW: Timer = Timer::new("test_same_row", "Changes a row of its company", |cx, _| {
    const TOUCH: Sql = Sql("UPDATE company SET name = name WHERE company_id = ?1");
    let company = cx.company();
    *RUNS.lock().unwrap().entry(company).or_default() += 1;
    cx.with_tx(|tx| tx.execute(TOUCH, params![company]).map(drop))
});
static WAITS: Timer = Timer::new("test_waits", "Waits until it may go on", |cx, subject| {
    let company = cx.company();
    GATES.lock().unwrap().entry(company).or_default().arrived += 1;
    wait_until(|| GATES.lock().unwrap()[&company].is_open);
    cx.tally(&subject.to_string(), 1)
});
/// What holds `WAITS` up, by company.
static GATES: Mutex<BTreeMap<CompanyId, Gate>> = Mutex::new(BTreeMap::new());
/// Runs of `SAME_ROW` by company: those that had to be run again count again.
static RUNS: Mutex<BTreeMap<CompanyId, usize>> = Mutex::new(BTreeMap::new());
static TURNS: AtomicU32 = AtomicU32::new(0);
static WORK: &[Repeating] = &[
    Repeating {
        id: "test_fails",
        summary: "Fails",
        seconds: 1,
        work: RepeatedWork::Step(|_, _| Err(Problem::internal("on purpose"))),
    },
    Repeating {
        id: "test_panics",
        summary: "Panics",
        seconds: 1,
        work: RepeatedWork::Step(|_, _| panic!("on purpose")),
    },
    Repeating {
        id: "test_works",
        summary: "Works",
        seconds: 3_600,
        work: RepeatedWork::Step(|_, _| {
            TURNS.fetch_add(1, Ordering::Relaxed);
            Ok(0)
        }),
    },
];

fn table() -> Arc<Table> {
    Arc::new(Table::new(
        Area::default().timers(&[&COUNT, &FAILS, &PANICS, &SAME_ROW, &WAITS]).repeats(WORK),
    ))
}

/// A fresh database with a company, opened by several nodes.
pub fn nodes(engine: Engine, how_many: usize) -> (Vec<Db>, CompanyId) {
    let place = location(engine);
    let first = open_new(&place);
    let mut nodes = vec![first.clone()];
    // SQLite has one writer; its nodes are several runners over one database.
    nodes.extend((1..how_many).map(|_| match engine {
        Engine::Sqlite => first.clone(),
        Engine::Postgres => open(&Config { connections: 4, ..Config::new(place.clone()) }),
    }));
    let company = runtime().block_on(another_company(&nodes[0]));
    (nodes, company)
}

/// A new company in a database.
pub async fn another_company(db: &Db) -> CompanyId {
    let company = CompanyId(env().new_id());
    let made = db.write(move |tx| {
        let new = NewCompany {
            name: Name::parse("Gym").unwrap(),
            time_zone: TimeZone::UTC,
            currency: Currency::parse("EUR").unwrap(),
            language: Language::parse("en").unwrap(),
            country: None,
        };
        Company::create(tx, company, new, SystemClock.now()).map(drop)
    });
    made.await.unwrap();
    company
}

fn start(nodes: &[Db]) {
    for db in nodes {
        let timers = Timers { db: db.clone(), env: env(), table: table() };
        runtime().spawn(timers.run(std::future::pending()));
    }
}

fn set(db: &Db, company: CompanyId, timer: &'static Timer, subjects: Vec<Id>, at: Timestamp) {
    let set = move |tx: &mut Tx<'_>| -> Result<()> {
        let caller = Caller::new(company, Actor::System);
        let read = Read::new(tx, &caller, at);
        let env = env();
        let mut cx = Write::new(read, &env, "test", &[], "test")?;
        subjects.iter().try_for_each(|subject| cx.set_timer(timer, *subject, at))
    };
    runtime().block_on(db.write(set)).unwrap();
}

fn overview(db: &Db) -> Overview {
    runtime().block_on(db.read(timers::overview)).unwrap()
}

fn counted(db: &Db, company: CompanyId, subject: Id) -> i64 {
    let subject = subject.to_string();
    runtime().block_on(db.read(move |tx| tx.tallied(company, &subject))).unwrap()
}

fn wait_until(what: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(60), "it takes too long");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[scenario(process)]
fn timers_run_once_on_many_nodes(engine: Engine) {
    let (nodes, company) = nodes(engine, 3);
    let now = SystemClock.now();
    let mut id = Id::first_at(now);
    let subjects: Vec<Id> = (0..600)
        .map(|_| {
            id = id.next();
            id
        })
        .collect();
    set(&nodes[0], company, &COUNT, subjects.clone(), now);
    let later = vec![Id::first_at(now)];
    set(&nodes[0], company, &COUNT, later.clone(), now.plus_seconds(3_600));
    start(&nodes);
    wait_until(|| overview(&nodes[0]).waiting.iter().all(|(_, count, _)| *count == 1));
    std::thread::sleep(Duration::from_millis(300));
    for subject in subjects.iter().step_by(37) {
        assert_eq!(counted(&nodes[0], company, *subject), 1);
    }
    assert_eq!(counted(&nodes[0], company, later[0]), 0, "it is not due yet");
    assert!(overview(&nodes[0]).failures.is_empty());
}

/// What was under way when a company was suspended may still set a timer: it rests like the others until the company is resumed.
#[scenario(process)]
fn timers_of_a_suspended_company_rest(engine: Engine) {
    const SUSPEND: Sql = Sql("UPDATE company SET suspended_at = ?2 WHERE company_id = ?1");
    let (nodes, company) = nodes(engine, 1);
    let (db, now) = (&nodes[0], SystemClock.now());
    let suspend = |at: Option<Timestamp>| {
        let suspended = db.write(move |tx| tx.execute(SUSPEND, params![company, at]));
        runtime().block_on(suspended).unwrap();
    };
    suspend(Some(now));
    let subject = Id::first_at(now);
    set(db, company, &COUNT, vec![subject], now);
    start(&nodes);
    wait_until(|| overview(db).waiting.iter().all(|(.., due)| timers::is_parked(*due, now)));
    assert_eq!(counted(db, company, subject), 0);
    suspend(None);
    let resumed = db.write(move |tx| {
        let caller = Caller::new(company, Actor::System);
        let env = env();
        timers::unpark(&mut Write::new(Read::new(tx, &caller, now), &env, "test", &[], "test")?)
    });
    runtime().block_on(resumed).unwrap();
    wait_until(|| counted(db, company, subject) == 1);
}

/// A write beside the timers of one company waits for one of them at most, not for all that share a transaction.
#[scenario(process)]
fn a_write_waits_for_one_timer(engine: Engine) {
    let (nodes, company) = nodes(engine, 1);
    let (db, now) = (nodes[0].clone(), SystemClock.now());
    let subjects = std::iter::successors(Some(Id::first_at(now)), |id| Some(id.next()));
    // As many as share a transaction where no write waits for it.
    let subjects: Vec<Id> = subjects.take(8).collect();
    set(&db, company, &WAITS, subjects.clone(), now);
    start(&nodes);
    wait_until(|| GATES.lock().unwrap().get(&company).is_some_and(|gate| gate.arrived > 0));
    let seen = subjects.clone();
    let other = db.clone();
    let write = runtime().spawn(async move {
        let count = move |tx: &mut Tx<'_>| {
            seen.iter().map(|subject| tx.tallied(company, &subject.to_string())).sum()
        };
        other.write(count).await
    });
    // It waits on SQLite, and goes on beside the timers on PostgreSQL.
    wait_until(|| db.is_background_awaited() || write.is_finished());
    GATES.lock().unwrap().get_mut(&company).unwrap().is_open = true;
    let done: i64 = runtime().block_on(write).unwrap().unwrap();
    assert!(done <= 1, "the write waited for {done} timers");
    wait_until(|| subjects.iter().all(|subject| counted(&db, company, *subject) == 1));
}

/// Timers that change one row are not run against each other, by whatever node: each would have to run again.
#[scenario(process)]
fn timers_of_a_company_take_turns(engine: Engine) {
    const COMPANIES: usize = 2;
    const EACH: usize = 400;
    let (nodes, first) = nodes(engine, 2);
    let now = SystemClock.now();
    let others = (1..COMPANIES).map(|_| runtime().block_on(another_company(&nodes[0])));
    let companies: Vec<CompanyId> = std::iter::once(first).chain(others).collect();
    for company in companies.clone() {
        let subjects = std::iter::successors(Some(Id::first_at(now)), |id| Some(id.next()));
        set(&nodes[0], company, &SAME_ROW, subjects.take(EACH).collect(), now);
    }
    start(&nodes);
    wait_until(|| overview(&nodes[0]).waiting.is_empty());
    let runs: usize = companies.iter().map(|company| RUNS.lock().unwrap()[company]).sum();
    // Builds for debugging run each twice on SQLite.
    let is_rehearsed = cfg!(debug_assertions) && engine == Engine::Sqlite;
    let timers = COMPANIES * EACH * if is_rehearsed { 2 } else { 1 };
    assert!(runs >= timers && runs - timers <= timers / 20, "{runs} runs of {timers} timers");
    assert!(overview(&nodes[0]).failures.is_empty());
}

#[scenario(process)]
fn failing_timers_are_retried_and_starve_nobody(engine: Engine) {
    let (nodes, company) = nodes(engine, 1);
    let now = SystemClock.now();
    let (one, two) = (Id::first_at(now), Id::first_at(now).next());
    set(&nodes[0], company, &FAILS, vec![one], now.plus_millis(-2));
    set(&nodes[0], company, &PANICS, vec![one], now.plus_millis(-1));
    set(&nodes[0], company, &COUNT, vec![two], now);
    // A row that no version wrote fails alone; one of another version waits for it.
    for (kind, subject) in [("test_count", "no id"), ("of_a_newer_version", "x")] {
        const ODD: Sql = Sql("INSERT INTO timer (company_id, kind, subject, due_at, attempts) \
            VALUES (?1, ?2, ?3, 1, 0)");
        let odd = move |tx: &mut Tx<'_>| tx.execute(ODD, params![company, kind, subject]);
        runtime().block_on(nodes[0].write(odd)).unwrap();
    }
    start(&nodes);
    wait_until(|| counted(&nodes[0], company, two) == 1);
    wait_until(|| overview(&nodes[0]).failures.len() == 3);
    let seen = overview(&nodes[0]);
    let why = |row: &FailureRow| row.error.clone().unwrap();
    let response = |row: &FailureRow| why(row).contains("on purpose") || why(row).contains("no id");
    assert!(seen.failures.iter().all(response));
    let waiting: Vec<_> =
        seen.waiting.iter().map(|(kind, count, _)| (kind.as_str(), *count)).collect();
    assert_eq!(
        waiting,
        [("of_a_newer_version", 1), ("test_count", 1), ("test_fails", 1), ("test_panics", 1)]
    );
    let later = |(kind, _, next): &(String, i64, Timestamp)| {
        kind == "of_a_newer_version" || *next >= now.plus_seconds(55)
    };
    assert!(seen.waiting.iter().all(later), "after a minute");
    wait_until(|| TURNS.load(Ordering::Relaxed) > 0);
    wait_until(|| {
        let rows = overview(&nodes[0]).repeating;
        rows.iter().filter(|row| row.failures > 1).count() == 2
            && rows.iter().any(|row| row.kind == "test_works" && row.runs == 1 && row.failures == 0)
    });
}
