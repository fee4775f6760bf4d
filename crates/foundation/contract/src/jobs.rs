//! Jobs: work outside the database with a third party that may not answer. A *job* is a row written in the
//! transaction of its cause, so that nothing is forgotten. A worker claims it with a lease, attempts it outside of
//! any transaction, and records the result under that lease. Where it is unknown whether an attempt succeeded, that
//! is recorded, and the next attempt knows it.

use spotter_kernel::{Event, Id, Result, Timestamp, id::CompanyId};
use spotter_store::{Tx, params, record, statements, words};

use crate::{
    context::{Env, Write},
    timers::Repeating,
    traces,
};

/// How long attempts may take, and when they are made again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How long an attempt is held, in milliseconds: longer than it can take.
    pub lease_ms: i64,
    /// Seconds between failed attempts; the job fails after the last.
    pub retries: &'static [u32],
}

impl RetryPolicy {
    /// A new hold, which begins now.
    pub fn lease(&self, env: &Env) -> Lease {
        let now = env.clock.now();
        Lease { token: env.new_id(), now, until: now.plus_millis(self.lease_ms) }
    }

    /// When the next attempt may begin; nothing after the last.
    pub fn next_attempt(&self, attempts: i64, now: Timestamp) -> Option<Timestamp> {
        let at = usize::try_from(attempts - 1).unwrap_or(0);
        self.retries.get(at).map(|seconds| now.plus_seconds(i64::from(*seconds)))
    }

    /// How far ahead an attempt can be due: after the longest pause, or at the end of a lease. Later ones were
    /// scheduled by a fast clock.
    pub fn latest(&self, now: Timestamp) -> Timestamp {
        let pause = self.retries.iter().max().copied().map_or(0, i64::from);
        now.plus_seconds(pause).plus_millis(self.lease_ms).plus_seconds(60)
    }

    /// The most attempts that are made.
    pub const fn attempts_max(&self) -> i64 {
        self.retries.len() as i64 + 1
    }
}

/// A lease on claimed jobs.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    /// Identifies the lease.
    pub token: Id,
    /// Since when.
    pub now: Timestamp,
    /// Instant until which the entry is valid.
    pub until: Timestamp,
}

/// A kind of job, with its facts.
pub struct Job {
    /// The stored name.
    pub id: &'static str,
    /// One line, for operators.
    pub summary: &'static str,
    /// How long attempts may take, and when they are made again.
    pub retry_policy: RetryPolicy,
    /// The events that its end may announce.
    pub events: &'static [Event],
    /// What an attempt means for the record that it was for.
    on_finished: fn(&mut Write<'_, '_>, Id, &AttemptResult) -> Result<()>,
}

impl Job {
    /// A kind of job; the function records the result of an attempt.
    pub const fn new(
        id: &'static str,
        summary: &'static str,
        timeout: RetryPolicy,
        settle: fn(&mut Write<'_, '_>, Id, &AttemptResult) -> Result<()>,
    ) -> Self {
        Self { id, summary, retry_policy: timeout, events: &[], on_finished: settle }
    }

    /// The same where its end may announce events.
    pub const fn emits(mut self, events: &'static [Event]) -> Self {
        self.events = events;
        self
    }
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobOutcome {
    /// It is done.
    Done,
    /// It failed, and will not do better another time.
    Refused(String),
    /// It failed, and may do better another time.
    Failed(String),
    /// It is unknown whether it was done.
    Unknown(String),
}

impl JobOutcome {
    /// As metrics count it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Why it is not done.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Done => None,
            Self::Refused(why) | Self::Failed(why) | Self::Unknown(why) => Some(why),
        }
    }
}

words! {
    /// The state of a job. One in progress has a lease.
    pub enum JobState {
        Waiting = "waiting",
        Unknown = "unknown",
        Done = "done",
        Failed = "failed",
    }
}

/// What came of an attempt, and what that means.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    /// Outcome of the attempt.
    pub outcome: JobOutcome,
    /// The state.
    pub state: JobState,
    /// When it is attempted again.
    pub again_at: Option<Timestamp>,
}

impl AttemptResult {
    /// Whether it was refused permanently.
    pub fn is_refused(&self) -> bool {
        matches!(self.outcome, JobOutcome::Refused(_))
    }

    fn of(
        held: &ClaimedJob,
        retry_policy: RetryPolicy,
        outcome: JobOutcome,
        now: Timestamp,
    ) -> Self {
        let next = retry_policy.next_attempt(held.attempts, now);
        let (state, again_at) = match (&outcome, next) {
            (JobOutcome::Done, _) => (JobState::Done, None),
            (JobOutcome::Unknown(_), next) => (JobState::Unknown, next),
            (JobOutcome::Failed(_), Some(at)) => (JobState::Waiting, Some(at)),
            (JobOutcome::Refused(_) | JobOutcome::Failed(_), _) => (JobState::Failed, None),
        };
        Self { outcome, state, again_at }
    }
}

record! {
    /// A job that is due.
    struct DueJob {
        company_id: CompanyId,
        subject: Id,
        attempts: i64,
        state: JobState,
        lease: Option<Id>,
        trace_parent: Option<String>,
    }
}

/// A job that this process holds.
#[derive(Clone, Debug)]
pub struct ClaimedJob {
    /// The company.
    pub company: CompanyId,
    /// For which record.
    pub subject: Id,
    /// Which attempt it is, from 1.
    pub attempts: i64,
    /// Whether the result of the previous attempt is unknown.
    pub after_unknown: bool,
    /// The token of the hold.
    pub lease: Id,
    /// The trace that it was begun in.
    pub trace_parent: Option<String>,
}

impl ClaimedJob {
    /// Whether it was attempted as often as it may be, by processes that ended before they could say
    /// what came of it.
    pub fn is_spent(&self, job: &Job) -> bool {
        self.attempts > job.retry_policy.attempts_max()
    }
}

/// Claims due jobs of a kind, up to a number: companies with fewer jobs in progress first, so that no company waits
/// for all of another's; then the oldest first.
pub fn claim(
    tx: &mut Tx<'_>,
    env: &Env,
    job: &Job,
    most: usize,
    busy: &[CompanyId],
) -> Result<Vec<ClaimedJob>> {
    let Lease { token, now, until } = job.retry_policy.lease(env);
    let lock = format!("jobs/{}", job.id);
    let passed = |at: usize| busy.get(at).map(|company| company.to_string()).unwrap_or_default();
    let [one, two, three, four] = [0, 1, 2, 3].map(passed);
    let wanted = most as i64;
    let mut due: Vec<DueJob> =
        tx.across_companies(DUE, params![job.id, now, wanted, lock, one, two, three, four])?;
    if due.len() < most && !busy.is_empty() {
        let left = (most - due.len()) as i64;
        let busy = params![job.id, now, left, lock, one, two, three, four];
        due.extend(tx.across_companies::<DueJob>(DUE_OF_BUSY, busy)?);
    }
    let mut claimed = Vec::with_capacity(due.len());
    for due in due {
        let DueJob { company_id: company, subject, attempts, state, lease, trace_parent } = due;
        let held = params![company, job.id, subject, token, until, now];
        if !tx.is_spread() {
            tx.defer(HOLD, held)?;
        } else if tx.execute(HOLD, held)? == 0 {
            continue;
        }
        let after_unknown = state == JobState::Unknown || lease.is_some();
        let (attempts, lease) = (attempts + 1, token);
        claimed.push(ClaimedJob { company, subject, attempts, after_unknown, lease, trace_parent });
    }
    next_due(tx, &[job])?.into_iter().flatten().for_each(|due_at| tx.note_due(job.id, due_at));
    Ok(claimed)
}

/// Writes what came of an attempt, with what it means for its record; whether the hold still stood.
pub fn finish(
    tx: &mut Tx<'_>,
    env: &Env,
    job: &Job,
    held: &ClaimedJob,
    outcome: &JobOutcome,
) -> Result<bool> {
    let now = env.clock.now();
    let settled = AttemptResult::of(held, job.retry_policy, outcome.clone(), now);
    let AttemptResult { state, again_at, .. } = &settled;
    let ended = again_at.is_none().then_some(now);
    let error = settled.outcome.error();
    let ClaimedJob { company, subject, lease, .. } = held;
    let kept = params![company, job.id, subject, lease, state, again_at, error, ended];
    again_at.iter().for_each(|at| tx.note_due(job.id, *at));
    if tx.execute(FINISH, kept)? == 0 {
        return Ok(false);
    }
    Write::as_system(tx, env, *company, job.id, job.events, |cx| {
        (job.on_finished)(cx, *subject, &settled)
    })?;
    Ok(true)
}

/// How many jobs of a kind are due, counted up to a limit, and since when the longest-waiting one is.
pub fn past_due(tx: &mut Tx<'_>, job: &Job, now: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    let past_due: Vec<(Timestamp,)> = tx.across_companies(PAST_DUE, params![job.id, now])?;
    Ok((past_due.len() as i64, past_due.first().map(|row| row.0)))
}

/// When the next job of each of these kinds is due, in their order.
pub fn next_due(tx: &mut Tx<'_>, kinds: &[&Job]) -> Result<Vec<Option<Timestamp>>> {
    // One round trip for all, where one statement does not wait for several servers.
    if !tx.is_spread() {
        kinds.iter().try_for_each(|job| tx.ask_ahead(NEXT_DUE, params![job.id]))?;
    }
    let next = |job: &&Job| {
        let next: Vec<(Timestamp,)> = tx.across_companies(NEXT_DUE, params![job.id])?;
        Ok(next.first().map(|row| row.0))
    };
    kinds.iter().map(next).collect()
}

/// Whether any job is in progress, on whichever node.
pub fn in_progress(tx: &mut Tx<'_>) -> Result<bool> {
    Ok(tx.one::<(Id,)>(IN_PROGRESS, &[])?.is_some())
}

/// The error of jobs that were pending in a restored database.
pub const PARKED: &str = "waited when the backup was made";

/// Ends the jobs that wait, in a database that was restored: they may have been done since the backup. One kind, which
/// works in the database alone, goes on. How many were ended.
pub fn cancel_waiting(tx: &mut Tx<'_>, now: Timestamp, but: &Job) -> Result<u64> {
    tx.execute(PARK, params![JobState::Unknown, PARKED, now, but.id])
}

/// Days for which results of jobs are stored.
const KEPT_DAYS: i64 = 7;

/// Has attempts made now that a clock which was ahead has put off further than any pause; how many.
pub fn clamp_due_times(tx: &mut Tx<'_>, job: &Job, now: Timestamp) -> Result<u64> {
    tx.execute(PULL_IN, params![job.id, now, job.retry_policy.latest(now)])
}

pub(crate) const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_jobs", "Delete jobs that ended a week ago", forget)];

fn forget(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(FORGET, params![now.plus_days(-KEPT_DAYS)])
}

record! {
    /// The number of jobs of a kind in a state.
    #[derive(Clone, Debug)]
    pub struct JobCount {
        /// The kind.
        pub kind: String,
        /// The state.
        pub state: JobState,
        /// How many there are.
        pub count: i64,
        /// When the next of them is due.
        pub next_at: Option<Timestamp>,
    }
}

record! {
    /// A job that failed, or whose result is unknown.
    #[derive(Clone, Debug)]
    pub struct FailedJob {
        /// The kind.
        pub kind: String,
        /// The company.
        pub company_id: CompanyId,
        /// For which record.
        pub subject: String,
        /// Current status.
        pub state: JobState,
        /// How often it was attempted.
        pub attempts: i64,
        /// When it ended; nothing while it is attempted again.
        pub ended_at: Option<Timestamp>,
        /// Why it is not done.
        pub error: Option<String>,
    }
}

/// Jobs for operators: numbers by state, and those with problems, retried ones first.
pub fn overview(tx: &mut Tx<'_>) -> Result<(Vec<JobCount>, Vec<FailedJob>)> {
    let mut troubles: Vec<FailedJob> = tx.all(WAITING_TROUBLES, &[])?;
    troubles.extend(tx.all::<FailedJob>(FAILING, &[])?);
    Ok((tx.all(COUNT_BY_STATE, &[])?, troubles))
}

impl Write<'_, '_> {
    /// Deletes a job that is not in progress.
    pub fn clear_job(&mut self, job: &Job, subject: impl Into<Id>) -> Result<()> {
        self.defer(CLEAR, params![job.id, subject.into()])
    }

    /// Has a job done for a record, once this change is committed.
    pub fn begin_job(&mut self, job: &Job, subject: impl Into<Id>) -> Result<()> {
        let now = self.now();
        self.begin_job_at(job, subject, now)
    }

    /// The same at an instant, which is no later than the longest pause between attempts.
    pub fn begin_job_at(
        &mut self,
        job: &Job,
        subject: impl Into<Id>,
        due_at: Timestamp,
    ) -> Result<()> {
        self.note_due(job.id, due_at);
        let trace_parent = traces::current();
        self.defer(BEGIN, params![job.id, subject.into(), JobState::Waiting, due_at, trace_parent])
    }

    /// Restarts a failed job with all its attempts.
    pub fn begin_job_again(&mut self, job: &Job, subject: impl Into<Id>) -> Result<()> {
        let subject = subject.into();
        self.defer(END, params![job.id, subject])?;
        self.begin_job(job, subject)
    }
}

statements! {
    BEGIN = "INSERT INTO job (company_id, kind, subject, state, attempts, due_at, trace_parent) \
        VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)";
    CLEAR = "DELETE FROM job WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 \
        AND lease IS NULL AND due_at IS NOT NULL";
    END = "DELETE FROM job WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 AND lease IS NULL";
    PULL_IN = "UPDATE job SET due_at = ?2 WHERE kind = ?1 AND due_at > ?3";
    DUE = "SELECT ", DueJob::COLUMNS, " FROM job WHERE kind = ?1 AND due_at <= ?2 AND claim(?4) \
        AND company_id NOT IN (?5, ?6, ?7, ?8) ORDER BY due_at LIMIT ?3";
    DUE_OF_BUSY = "SELECT ", DueJob::COLUMNS, " FROM job WHERE kind = ?1 AND due_at <= ?2 AND claim(?4) \
        AND company_id IN (?5, ?6, ?7, ?8) ORDER BY due_at LIMIT ?3";
    HOLD = "UPDATE job SET lease = ?4, due_at = ?5, attempts = attempts + 1 \
        WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 AND due_at <= ?6";
    FINISH = "UPDATE job SET state = ?5, due_at = ?6, error = ?7, ended_at = ?8, lease = NULL \
        WHERE company_id = ?1 AND kind = ?2 AND subject = ?3 AND lease = ?4";
    PAST_DUE = "SELECT due_at FROM job WHERE kind = ?1 AND due_at <= ?2 ORDER BY due_at LIMIT 1000";
    NEXT_DUE = "SELECT due_at FROM job WHERE kind = ?1 AND due_at IS NOT NULL ORDER BY due_at LIMIT 1";
    IN_PROGRESS = "SELECT subject FROM job WHERE due_at IS NOT NULL AND lease IS NOT NULL LIMIT 1";
    PARK = "UPDATE job SET state = ?1, error = ?2, ended_at = ?3, lease = NULL, due_at = NULL \
        WHERE due_at IS NOT NULL AND kind <> ?4";
    FORGET = "DELETE FROM job WHERE (company_id, kind, subject) IN (SELECT company_id, kind, subject \
        FROM job WHERE ended_at < ?1 ORDER BY ended_at LIMIT 500)";
    COUNT_BY_STATE = "SELECT kind, state, COUNT(*) AS count, MIN(due_at) AS next_at FROM job \
        GROUP BY kind, state ORDER BY kind, state LIMIT 1000";
    WAITING_TROUBLES = "SELECT kind, company_id, subject, state, attempts, ended_at, error FROM job \
        WHERE error IS NOT NULL AND due_at IS NOT NULL ORDER BY due_at LIMIT 20";
    FAILING = "SELECT kind, company_id, subject, state, attempts, ended_at, error FROM job \
        WHERE error IS NOT NULL AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 50";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_outcomes_are_not_failures() {
        let retry_policy = RetryPolicy { lease_ms: 1_000, retries: &[60, 300] };
        let now = Timestamp::from_millis(0);
        let id = Id::first_at(now);
        let held = |attempts| ClaimedJob {
            company: CompanyId(id),
            subject: id,
            attempts,
            after_unknown: false,
            lease: id,
            trace_parent: None,
        };
        let settled = |attempts, outcome: JobOutcome| {
            let AttemptResult { state, again_at, .. } =
                AttemptResult::of(&held(attempts), retry_policy, outcome, now);
            (state, again_at.map(|at| at.seconds()))
        };
        let why = || "why".to_owned();
        assert_eq!(settled(1, JobOutcome::Done), (JobState::Done, None));
        assert_eq!(settled(1, JobOutcome::Refused(why())), (JobState::Failed, None));
        assert_eq!(settled(1, JobOutcome::Failed(why())), (JobState::Waiting, Some(60)));
        assert_eq!(settled(2, JobOutcome::Failed(why())), (JobState::Waiting, Some(300)));
        assert_eq!(settled(3, JobOutcome::Failed(why())), (JobState::Failed, None));
        assert_eq!(settled(2, JobOutcome::Unknown(why())), (JobState::Unknown, Some(300)));
        assert_eq!(settled(3, JobOutcome::Unknown(why())), (JobState::Unknown, None));
        assert_eq!(retry_policy.attempts_max(), 3);
    }
}
