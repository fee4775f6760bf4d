//! What happens by itself. A *timer* is due for a record at an instant and runs once, as the system, in
//! a transaction of its own; it is set in the transaction of its cause, so nothing is forgotten and no
//! node runs it twice. *Repeating* work recurs for the installation as a whole.

use std::collections::BTreeMap;

use spotter_kernel::{Event, Id, Problem, Result, Timestamp, id::CompanyId};
use spotter_store::{Bind, Tx, params, record, statements};

use crate::{
    context::{Env, Write},
    idempotency,
};

/// What a timer does: a plain function, with its facts.
pub struct Timer {
    /// The function's name, under which it is stored.
    pub id: &'static str,
    /// One line, for operators.
    pub summary: &'static str,
    /// The events that it may announce.
    pub events: &'static [Event],
    run: fn(&mut Write<'_, '_>, Id) -> Result<()>,
}

impl Timer {
    /// A timer that runs this function with the id of its record. The function looks whether there is
    /// still something to do: the record may have changed since the timer was set.
    pub const fn new(
        id: &'static str,
        summary: &'static str,
        run: fn(&mut Write<'_, '_>, Id) -> Result<()>,
    ) -> Self {
        Self { id, summary, events: &[], run }
    }

    /// The same where it may announce events.
    pub const fn emits(mut self, events: &'static [Event]) -> Self {
        self.events = events;
        self
    }
}

/// The name of a timer, by which it can be set from where its function is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(pub &'static str);

impl From<&Timer> for TimerId {
    fn from(timer: &Timer) -> Self {
        Self(timer.id)
    }
}

/// What recurring work does.
#[derive(Clone, Copy)]
pub enum RepeatedWork {
    /// Changes some of what there is, and says how much: in a transaction, until a step finds less to do than it could have done.
    Step(fn(&mut Tx<'_>, Timestamp) -> Result<u64>),
    /// Reads what is each company's, each in a transaction of its own, so that no writer waits for it.
    Look(fn(&mut Tx<'_>, CompanyId, Timestamp) -> Result<()>),
}

/// Recurring work.
pub struct Repeating {
    /// The name under which it is stored.
    pub id: &'static str,
    /// One line, for operators.
    pub summary: &'static str,
    /// Seconds from one time to the next.
    pub seconds: i64,
    /// What is done.
    pub work: RepeatedWork,
}

/// The queue of timers in the agenda.
pub const QUEUE: &str = "timers";

/// As much is done in one step of repeating work at most.
pub const STEP: u64 = 500;

impl Repeating {
    /// What forgets a kind of thing that has expired, once a minute.
    pub const fn prune(
        id: &'static str,
        summary: &'static str,
        step: fn(&mut Tx<'_>, Timestamp) -> Result<u64>,
    ) -> Self {
        Self { id, summary, seconds: 60, work: RepeatedWork::Step(step) }
    }

    /// Takes this turn, if it is due and no other node has.
    pub fn take(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
        let next = now.plus_seconds(self.seconds);
        Ok(tx.execute(TAKE_TURN, params![self.id, next, now])? > 0)
    }

    /// Whether it is due, or was postponed further than its period by a clock that was fast.
    fn is_due(&self, next: Option<Timestamp>, now: Timestamp) -> bool {
        next.is_none_or(|next| next <= now || next > now.plus_seconds(self.seconds))
    }

    /// Records the result of a run.
    pub fn note(&self, tx: &mut Tx<'_>, turn: &TimerRun) -> Result<()> {
        let failed = i64::from(turn.error.is_some());
        let TimerRun { ran_at, took_ms, done, error } = turn;
        tx.execute(NOTE_TURN, params![self.id, ran_at, took_ms, done, error, failed]).map(drop)
    }
}

/// The result of a run of repeating work.
pub struct TimerRun {
    /// When it began.
    pub ran_at: Timestamp,
    /// Duration in milliseconds.
    pub took_ms: i64,
    /// How much was done.
    pub done: i64,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

record! {
    /// A timer that is due.
    #[derive(Clone, Debug)]
    pub struct DueTimer {
        /// The company.
        pub company_id: CompanyId,
        /// Which it is.
        pub kind: String,
        /// For which record: its id.
        pub subject: String,
        /// Since when it is due.
        pub due_at: Timestamp,
        /// How often it has failed.
        pub attempts: i64,
    }
}

/// Has a timer run for a record at an instant, unless one is set already; for what works on rows.
pub fn set_first(
    tx: &mut Tx<'_>,
    company: CompanyId,
    timer: impl Into<TimerId>,
    subject: Id,
    due_at: Timestamp,
) -> Result<()> {
    tx.note_due(QUEUE, due_at);
    tx.defer(SET_FIRST, params![company, timer.into().0, subject, due_at])
}

/// Has a timer run for a record at an instant, or earlier where one is set already.
pub fn set_earlier(
    tx: &mut Tx<'_>,
    company: CompanyId,
    timer: impl Into<TimerId>,
    subject: Id,
    due_at: Timestamp,
) -> Result<()> {
    tx.note_due(QUEUE, due_at);
    tx.defer(SET_EARLIER, params![company, timer.into().0, subject, due_at])
}

/// Timers that are due, the longest-waiting first, of kinds that are written with a comma on both sides
/// of each: those that a newer version has set wait for a node of that version.
pub fn due(tx: &mut Tx<'_>, kinds: &str, now: Timestamp, most: i64) -> Result<Vec<DueTimer>> {
    tx.across_companies(DUE, params![now, most, kinds])
}

/// How many timers are due, counted up to 1,000, and since when the longest-waiting one has been.
pub fn past_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    let past_due: Vec<(Timestamp,)> = tx.across_companies(PAST_DUE, params![now])?;
    Ok((past_due.len() as i64, past_due.first().map(|row| row.0)))
}

/// When the next timer is due.
pub fn next_due(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    let next: Vec<(Timestamp,)> = tx.across_companies(NEXT_DUE, &[])?;
    Ok(next.first().map(|row| row.0))
}

/// Some companies, in the order of their ids, after one.
pub fn companies(tx: &mut Tx<'_>, after: Option<CompanyId>) -> Result<Vec<(CompanyId,)>> {
    let after = after.map(|company| company.to_string()).unwrap_or_default();
    tx.all(COMPANIES, params![after, STEP as i64])
}

/// The repeating work that is due.
pub fn due_repeating<'r>(
    tx: &mut Tx<'_>,
    all: impl IntoIterator<Item = &'r Repeating>,
    now: Timestamp,
) -> Result<Vec<&'r Repeating>> {
    let next: BTreeMap<String, Timestamp> = tx.all(NEXT_TURNS, &[])?.into_iter().collect();
    Ok(all.into_iter().filter(|work| work.is_due(next.get(work.id).copied(), now)).collect())
}

/// How far the timers of a suspended company are put off, in milliseconds: two centuries, further than any is ever set.
const PARKED_MS: i64 = 200 * 366 * 86_400_000;

/// Whether a timer that is due then rests, because its company is suspended.
pub fn is_parked(due_at: Timestamp, now: Timestamp) -> bool {
    due_at > now.plus_millis(PARKED_MS / 2)
}

/// Lets the company's timers rest, each with its order and distance to the others, until they are
/// [unparked](self::unpark).
pub fn park(cx: &mut Write) -> Result<()> {
    cx.execute(PARK, params![PARKED_MS]).map(drop)
}

/// Has the company's timers run when they were due; what is overdue is due now.
pub fn unpark(cx: &mut Write) -> Result<()> {
    let now = cx.now();
    cx.note_due(QUEUE, now);
    cx.execute(UNPARK, params![PARKED_MS]).map(drop)
}

/// Takes the turn of a company's timers until the end of the transaction; false if another node has it. Timers of one
/// company often change the same rows, such as the number of the next invoice.
pub fn take_company(tx: &mut Tx<'_>, company: CompanyId) -> Result<bool> {
    let taken: Option<(bool,)> = tx.one(TAKE_COMPANY, &[format!("timers/{company}").bind()])?;
    Ok(taken.is_some_and(|(taken,)| taken))
}

/// Runs a timer; whether it was still there to be run. One that was set while its company is suspended rests from now on.
pub fn run(tx: &mut Tx<'_>, env: &Env, timer: &Timer, due: &DueTimer) -> Result<bool> {
    let DueTimer { company_id, kind, subject, due_at, .. } = due;
    if tx.execute(TAKE, params![company_id, kind, subject, due_at])? == 0 {
        tx.defer(REST, params![company_id, kind, subject, due_at, PARKED_MS])?;
        return Ok(false);
    }
    let record = Id::parse(subject).ok_or_else(|| Problem::internal("its subject is no id"))?;
    let run_id = Write::as_system(tx, env, *company_id, timer.id, timer.events, |cx| {
        (timer.run)(cx, record)
    })?;
    tx.defer(
        NOTE,
        params![company_id, run_id, kind, subject, due_at, "succeeded", None::<String>],
    )?;
    Ok(true)
}

/// Notes that a timer failed, to be tried again later, at longest after an hour; whether it was still
/// there, and no other node has noted it.
pub fn failed(tx: &mut Tx<'_>, env: &Env, due: &DueTimer, problem: &Problem) -> Result<bool> {
    let DueTimer { company_id, kind, subject, due_at, attempts } = due;
    let again = env.clock.now().plus_seconds(60 << attempts.clamp(&0, &6));
    let put_off = [company_id.bind(), kind.bind(), subject.bind(), due_at.bind(), again.bind()];
    let noted = tx.execute(PUT_OFF, &put_off)? > 0;
    if noted {
        tx.note_due(QUEUE, again);
        let error = Some(problem.to_string());
        tx.defer(NOTE, params![company_id, env.new_id(), kind, subject, due_at, "failed", error])?;
    }
    Ok(noted)
}

/// Days for which results of timers are stored.
const KEPT_DAYS: i64 = 7;

/// The contract's own recurring work.
pub(crate) const REPEATING: &[Repeating] = &[
    Repeating::prune(
        "forget_timer_runs",
        "Delete results of timers that are a week old",
        forget_runs,
    ),
    Repeating::prune(
        "forget_stored_answers",
        "Delete stored answers after their retention",
        idempotency::prune,
    ),
];

fn forget_runs(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(FORGET, params![Id::first_at(now.plus_days(-KEPT_DAYS))])
}

/// What an operator is shown.
pub struct Overview {
    /// Repeating work.
    pub repeating: Vec<RepeatingRow>,
    /// Timers that wait, by kind: how many, and when the next is due.
    pub waiting: Vec<(String, i64, Timestamp)>,
    /// The latest failures of timers.
    pub failures: Vec<FailureRow>,
}

record! {
    /// Repeating work, and its latest turn.
    #[derive(Clone, Debug)]
    pub struct RepeatingRow {
        /// Its name.
        pub kind: String,
        /// When it is done again.
        pub due_at: Timestamp,
        /// How often it was done.
        pub runs: i64,
        /// How often it failed.
        pub failures: i64,
        /// When its latest turn began.
        pub ran_at: Option<Timestamp>,
        /// How long that took.
        pub took_ms: Option<i64>,
        /// How much that did.
        pub done: Option<i64>,
        /// Why that failed, if it did.
        pub error: Option<String>,
    }
}

record! {
    /// A timer that failed.
    #[derive(Clone, Debug)]
    pub struct FailureRow {
        /// The id of the run, which contains its time.
        pub run_id: Id,
        /// The company.
        pub company_id: CompanyId,
        /// Which it is.
        pub kind: String,
        /// For which record.
        pub subject: String,
        /// Error code of the failure.
        pub error: Option<String>,
    }
}

/// What happens by itself, for operators.
pub fn overview(tx: &mut Tx<'_>) -> Result<Overview> {
    Ok(Overview {
        repeating: tx.all(ALL_REPEATING, &[])?,
        waiting: tx.all(WAITING, &[])?,
        failures: tx.all(FAILURES, &[])?,
    })
}

statements! {
    pub(crate) SET = "INSERT INTO timer (company_id, kind, subject, due_at, attempts) VALUES (?1, ?2, ?3, ?4, ?5) \
        ON CONFLICT (company_id, kind, subject) DO UPDATE SET due_at = excluded.due_at, attempts = 0";
    SET_FIRST = "INSERT INTO timer (company_id, kind, subject, due_at, attempts) VALUES (?1, ?2, ?3, ?4, 0) \
        ON CONFLICT (company_id, kind, subject) DO NOTHING";
    SET_EARLIER = "INSERT INTO timer (company_id, kind, subject, due_at, attempts) VALUES (?1, ?2, ?3, ?4, 0) \
        ON CONFLICT (company_id, kind, subject) DO UPDATE SET due_at = excluded.due_at, attempts = 0 \
        WHERE timer.due_at > excluded.due_at";
    pub(crate) CLEAR = "DELETE FROM timer WHERE company_id = ?1 AND kind = ?2 AND subject = ?3";
    // Planners take it that an inequality holds for nearly all rows, and so read as many as are wanted, by due_at.
    DUE = "SELECT ", DueTimer::COLUMNS, " FROM timer WHERE due_at <= ?1 \
        AND REPLACE(?3, ',' || kind || ',', ',') <> ?3 ORDER BY due_at LIMIT ?2";
    PAST_DUE = "SELECT due_at FROM timer WHERE due_at <= ?1 ORDER BY due_at LIMIT 1000";
    NEXT_DUE = "SELECT due_at FROM timer WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";
    TAKE_COMPANY = "SELECT claim(?1)";
    TAKE = "DELETE FROM timer WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 AND due_at = ?4 \
        AND NOT EXISTS (SELECT 1 FROM company WHERE company_id = ?1 AND suspended_at IS NOT NULL)";
    REST = "UPDATE timer SET due_at = due_at + ?5 \
        WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 AND due_at = ?4 \
        AND EXISTS (SELECT 1 FROM company WHERE company_id = ?1 AND suspended_at IS NOT NULL)";
    PUT_OFF = "UPDATE timer SET due_at = ?5, attempts = attempts + 1 \
        WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 AND due_at = ?4";
    PARK = "UPDATE timer SET due_at = due_at + ?2 WHERE company_id = ?1 AND due_at < ?2";
    UNPARK = "UPDATE timer SET due_at = due_at - ?2 WHERE company_id = ?1 AND due_at >= ?2";
    NOTE = "INSERT INTO timer_run (company_id, run_id, kind, subject, due_at, outcome, error) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    FORGET = "DELETE FROM timer_run WHERE (company_id, run_id) IN \
        (SELECT company_id, run_id FROM timer_run WHERE run_id < ?1 ORDER BY run_id LIMIT 500)";
    TAKE_TURN = "INSERT INTO repeating (kind, due_at, runs, failures) VALUES (?1, ?2, 0, 0) \
        ON CONFLICT (kind) DO UPDATE SET due_at = excluded.due_at \
        WHERE repeating.due_at <= ?3 OR repeating.due_at > ?2";
    COMPANIES = "SELECT company_id FROM company c WHERE c.company_id > ?1 ORDER BY company_id LIMIT ?2";
    NEXT_TURNS = "SELECT kind, due_at FROM repeating LIMIT 1000";
    NOTE_TURN = "UPDATE repeating SET runs = runs + 1, failures = failures + ?6, ran_at = ?2, took_ms = ?3, \
        done = ?4, error = ?5 WHERE kind = ?1";
    ALL_REPEATING = "SELECT ", RepeatingRow::COLUMNS, " FROM repeating ORDER BY kind LIMIT 1000";
    WAITING = "SELECT kind, COUNT(*), MIN(due_at) FROM timer GROUP BY kind ORDER BY kind LIMIT 1000";
    FAILURES = "SELECT ", FailureRow::COLUMNS, " FROM timer_run WHERE outcome = 'failed' \
        ORDER BY run_id DESC LIMIT 50";
}
