//! Deliveries in the database: claimed with a lease, completed under it, found when due.

use std::collections::{BTreeMap, BTreeSet};

use spotter_contract::{
    Actor, Caller, Env, Read, Timer,
    jobs::{Lease, RetryPolicy},
    outbox, timers,
};
use spotter_kernel::{
    Event, Id, Problem, Result, Timestamp, id::CompanyId, limits::WEBHOOK_BACKOFF_SECONDS,
};
use spotter_store::{Bind, Json, Prefetch, Signal, Sql, Tx, params, record, statements, words};

use crate::{
    canonical::body,
    permits::TargetHealth,
    record::is_subscribed,
    sender::{ATTEMPT_TIME, AttemptOutcome, AttemptRecord, OutgoingRequest},
};

words! {
    /// The stage of a delivery. One that is being sent is stored as pending, with a lease.
    pub enum Stage {
        Pending = "pending",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

/// The queue of deliveries in the agenda.
pub(crate) const QUEUE: &str = "webhook_deliveries";

/// How long attempts may take, and when they are made again.
pub const RETRY_POLICY: RetryPolicy = RetryPolicy {
    lease_ms: ATTEMPT_TIME.as_millis() as i64 + 15_000,
    retries: &WEBHOOK_BACKOFF_SECONDS,
};

/// Delay of an alert after a failure, so that simultaneous failures are one alert.
const ALERT_AFTER_SECONDS: i64 = 60;

/// How many attempts with the same outcome are written down by one statement.
const TOGETHER: usize = 16;

/// A delivery that this process holds.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    /// Its company and subscription.
    pub of: Signal,
    /// Id of the delivery.
    pub delivery_id: Id,
    /// The token of the hold.
    pub lease: Id,
    /// Attempts made so far.
    pub attempts: i64,
    /// When the event happened.
    pub occurred_at: Timestamp,
    /// The request to send.
    pub outgoing: OutgoingRequest,
}

record! {
    /// A due delivery with its event and its subscription.
    struct DueDelivery {
        delivery_id: Id,
        event_id: Id,
        event_type: String,
        due_at: Timestamp,
        lease: Option<Id>,
        occurred_at: Option<Timestamp>,
        data: Option<String>,
        url: String,
        active: bool,
        events: Json<BTreeSet<String>>,
        withheld: Json<Vec<String>>,
        secret: Vec<u8>,
        previous_secret: Option<Vec<u8>>,
        previous_secret_until: Option<Timestamp>,
    }
}

/// A claim for a subscription.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest {
    /// The subscription.
    pub of: Signal,
    /// How many attempts it may begin.
    pub most: u32,
    /// Whether it includes retries.
    pub retries: bool,
}

/// The result of a claim.
#[derive(Debug, Default)]
pub struct Claims {
    /// Deliveries to be sent.
    pub claimed: Vec<ClaimedDelivery>,
    /// Number of deliveries found; as many as requested means that there may be more.
    pub found: u32,
    /// How many of them had an expired lease.
    pub lost: u32,
}

/// Takes hold of a subscription's due deliveries: first attempts before retries, older before
/// newer. Those of a subscription that is not active any more are cancelled.
pub fn claim(tx: &mut Tx<'_>, env: &Env, lease: Lease, turn: ClaimRequest) -> Result<Claims> {
    let ClaimRequest { of, most, retries } = turn;
    let (company, subscription) = of;
    let Lease { token: lease, now, until } = lease;
    let mut claims = Claims::default();
    let rounds = if retries { RETRY_POLICY.attempts_max() } else { 1 };
    for attempts in 0..rounds {
        let room = i64::from(most) - i64::from(claims.found);
        if room <= 0 {
            break;
        }
        let lock = format!("webhooks/{company}/{subscription}");
        let due: Vec<DueDelivery> =
            tx.all(DUE, params![company, subscription, attempts, now, room, lock])?;
        let Some(last) = due.last() else { continue };
        // The same rows as were found: they are in order, and the snapshot is one.
        let (due_at, id) = (last.due_at, last.delivery_id);
        let count = due.len() as u32;
        claims.found += count;
        if !last.active {
            let stage = Stage::Cancelled;
            tx.defer(CANCEL, params![company, subscription, attempts, due_at, id, stage, now])?;
            move_in_totals(tx, company, Stage::Cancelled, i64::from(count))?;
            continue;
        }
        tx.defer(HOLD, params![company, subscription, attempts, due_at, id, lease, until])?;
        for due in due {
            claims.lost += u32::from(due.lease.is_some());
            let id = due.delivery_id;
            let claimed = match due.is_withdrawn(tx, env, company)? {
                true => None,
                false => due.claimed(env, of, lease, attempts, now)?,
            };
            match claimed {
                Some(claimed) => claims.claimed.push(claimed),
                None => {
                    tx.defer(CANCEL_ONE, params![company, id, Stage::Cancelled, now])?;
                    move_in_totals(tx, company, Stage::Cancelled, 1)?;
                }
            }
        }
    }
    Ok(claims)
}

impl DueDelivery {
    /// Whether it is about the health of a client who has withdrawn consent since it was queued, whatever it waited for.
    fn is_withdrawn(&self, tx: &mut Tx<'_>, env: &Env, company: CompanyId) -> Result<bool> {
        let event = Event::parse(&self.event_type).filter(|event| event.is_about_health());
        let (Some(event), Some(data)) = (event, &self.data) else { return Ok(false) };
        let system = Caller::new(company, Actor::System);
        let mut cx = Read::new(tx, &system, env.clock.now()).with_env(env);
        cx.lacks_consent_for(event, &serde_json::from_str(data).map_err(Problem::internal)?)
    }

    /// The request to send; `None` where the event is not stored any more or may not be sent any more.
    fn claimed(
        self,
        env: &Env,
        of: Signal,
        lease: Id,
        attempts: i64,
        now: Timestamp,
    ) -> Result<Option<ClaimedDelivery>> {
        let (Some(occurred_at), Some(data)) = (self.occurred_at, &self.data) else {
            return Ok(None);
        };
        // It may have been left out, or forbidden, since it was queued.
        if !is_subscribed(&self.events.0, &self.event_type)
            || self.withheld.0.contains(&self.event_type)
        {
            return Ok(None);
        }
        let open =
            |sealed: &[u8]| String::from_utf8(env.vault.open(sealed)?).map_err(Problem::internal);
        let mut secrets = vec![open(&self.secret)?];
        if let (Some(previous), Some(until)) = (&self.previous_secret, self.previous_secret_until)
            && until > now
        {
            secrets.push(open(previous)?);
        }
        let data: serde_json::Value = serde_json::from_str(data).map_err(Problem::internal)?;
        let event_id = self.event_id.to_string();
        let body = body(&event_id, &self.event_type, &occurred_at.to_string(), &data);
        let outgoing = OutgoingRequest {
            url: self.url,
            event: self.event_type,
            event_id,
            delivery_id: self.delivery_id.to_string(),
            body,
            secrets,
        };
        let delivery_id = self.delivery_id;
        Ok(Some(ClaimedDelivery { of, delivery_id, lease, attempts, occurred_at, outgoing }))
    }
}

/// An attempt that was made, on its way into the database.
#[derive(Clone, Debug)]
pub struct CompletedAttempt {
    /// The claimed deliveries.
    pub claimed: ClaimedDelivery,
    /// Result.
    pub attempted: AttemptRecord,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub duration_ms: i64,
}

impl CompletedAttempt {
    fn delivered(&self) -> bool {
        self.attempted.verdict == AttemptOutcome::Delivered
    }

    /// The new stage of the delivery, and when it is due again.
    fn outcome(&self, now: Timestamp) -> (Stage, Option<Timestamp>) {
        match RETRY_POLICY.next_attempt(self.claimed.attempts + 1, now) {
            _ if self.delivered() => (Stage::Succeeded, None),
            Some(at) => (Stage::Pending, Some(at)),
            None => (Stage::Failed, None),
        }
    }
}

/// Records the results of attempts. A delivery whose lease was lost belongs to another node and is left alone.
pub fn complete(
    tx: &mut Tx<'_>,
    completed: &[CompletedAttempt],
    alert: Option<&'static Timer>,
    now: Timestamp,
) -> Result<()> {
    type Group = (CompanyId, Id, Stage, i64, Option<Timestamp>);
    let mut groups: BTreeMap<Group, Vec<&CompletedAttempt>> = BTreeMap::new();
    for done in completed {
        let ClaimedDelivery { of, lease, attempts, .. } = &done.claimed;
        let (stage, due_at) = done.outcome(now);
        groups.entry((of.0, *lease, stage, attempts + 1, due_at)).or_default().push(done);
    }
    let mut updates: Vec<(&[&CompletedAttempt], Prefetch<(Id,)>)> = Vec::new();
    for ((company, lease, stage, attempts, due_at), group) in &groups {
        let ended = if *stage == Stage::Pending { None } else { Some(now) };
        due_at.iter().for_each(|at| tx.note_due(QUEUE, *at));
        for some in group.chunks(TOGETHER) {
            let mut values = params![company, lease, stage, attempts, due_at, ended].to_vec();
            // A short chunk names its last delivery again.
            let ids = (0..TOGETHER).filter_map(|at| some.get(at).or(some.last()));
            values.extend(ids.map(|done| done.claimed.delivery_id.bind()));
            updates.push((some, tx.prefetch(COMPLETE, &values)?));
        }
    }
    let mut stamps: Vec<(Signal, Timestamp, bool)> = Vec::new();
    let mut ended: BTreeMap<(CompanyId, Stage), i64> = BTreeMap::new();
    let mut failed: BTreeSet<Signal> = BTreeSet::new();
    for (some, update) in updates {
        let kept: Vec<(Id,)> = tx.awaited(update)?;
        for done in some.iter().filter(|done| kept.contains(&(done.claimed.delivery_id,))) {
            let ClaimedDelivery { of, delivery_id, attempts, .. } = &done.claimed;
            let AttemptRecord { status, preview, error, .. } = &done.attempted;
            let status = status.map(i64::from);
            let (attempt, took) = (attempts + 1, done.duration_ms);
            tx.defer(
                ATTEMPT,
                params![of.0, delivery_id, attempt, done.at, took, status, preview, error],
            )?;
            stamps.push((*of, done.at, done.delivered()));
            let stage = done.outcome(now).0;
            *ended.entry((of.0, stage)).or_default() += 1;
            failed.extend((stage == Stage::Failed).then_some(*of));
        }
    }
    for ((company, stage), count) in ended {
        move_in_totals(tx, company, stage, count)?;
    }
    if let Some(alert) = alert {
        let soon = now.plus_seconds(ALERT_AFTER_SECONDS);
        for (company, subscription) in failed {
            timers::set_first(tx, company, alert, subscription, soon)?;
        }
    }
    stamp(tx, &mut stamps)
}

/// Notes on each subscription when its target last heard, and how that went.
fn stamp(tx: &mut Tx<'_>, stamps: &mut [(Signal, Timestamp, bool)]) -> Result<()> {
    stamps.sort_unstable();
    for group in stamps.chunk_by(|a, b| a.0 == b.0) {
        let Some(((company, subscription), ..)) = group.first() else { continue };
        let last = |delivered: bool| {
            group.iter().filter(|stamp| stamp.2 == delivered).map(|stamp| stamp.1).max()
        };
        let (success, failure) = (last(true), last(false));
        let latest = success.max(failure);
        tx.defer(STAMP, params![company, subscription, latest, success, failure])?;
    }
    Ok(())
}

/// Moves deliveries from pending to another stage in the totals.
fn move_in_totals(tx: &mut Tx<'_>, company: CompanyId, to: Stage, count: i64) -> Result<()> {
    if to != Stage::Pending {
        tx.tally(company, &outbox::status_tally(Stage::Pending.word()), -count)?;
        tx.tally(company, &outbox::status_tally(to.word()), count)?;
    }
    Ok(())
}

/// A hold on a delivery, with which it can be given back.
pub type DeliveryLease = (CompanyId, Id, Id);

impl ClaimedDelivery {
    /// The hold on the delivery.
    pub fn hold(&self) -> DeliveryLease {
        (self.of.0, self.delivery_id, self.lease)
    }
}

/// Has deliveries attempted now that a clock which was ahead has put off further than any pause; how many.
pub fn clamp_due_times(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(PULL_IN, params![now, RETRY_POLICY.latest(now)])
}

/// Releases claimed deliveries that were not sent, as at a stop.
pub fn release(tx: &mut Tx<'_>, held: &[DeliveryLease], now: Timestamp) -> Result<()> {
    for (company, delivery, lease) in held {
        tx.defer(RELEASE, params![company, delivery, lease, now])?;
    }
    Ok(())
}

/// Cancels every waiting delivery in a restored database: they may have been delivered since the backup. Returns
/// their number.
pub fn cancel_waiting(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    let waiting: Vec<(CompanyId, i64)> = tx.all(WAITING, &[])?;
    for (company, count) in waiting {
        move_in_totals(tx, company, Stage::Cancelled, count)?;
    }
    tx.execute(PARK, params![Stage::Cancelled, now])
}

/// How long a target that answered counts as answering although its last attempts failed, in
/// milliseconds.
const ANSWERED_LATELY_MS: i64 = 600_000;

/// The stored health of targets, in the requested order.
pub fn target_health(tx: &mut Tx<'_>, of: &[Signal]) -> Result<Vec<TargetHealth>> {
    type Row = (Option<Timestamp>, Option<Timestamp>);
    let prefetched =
        of.iter().map(|(company, id)| tx.prefetch::<Row>(TARGET_HEALTH, params![company, id]));
    let prefetched: Vec<Prefetch<Row>> = prefetched.collect::<Result<_>>()?;
    let output = prefetched.into_iter().map(|ahead| {
        Ok(match tx.awaited(ahead)?.into_iter().next() {
            Some((Some(success), failure))
                if failure.is_none_or(|at| at.millis() - success.millis() < ANSWERED_LATELY_MS) =>
            {
                TargetHealth::Answers
            }
            Some((_, Some(_))) => TargetHealth::Fails,
            _ => TargetHealth::New,
        })
    });
    output.collect()
}

/// Most newly due deliveries that are counted by subscription.
const BECAME_DUE_MAX: i64 = 5_000;

/// Subscriptions with deliveries that became due between two instants; `None` if they are too many, or unknown.
pub fn became_due(
    tx: &mut Tx<'_>,
    after: Timestamp,
    until: Timestamp,
) -> Result<Option<BTreeSet<Signal>>> {
    if tx.is_server_away()? {
        return Ok(None);
    }
    let rows: Vec<(CompanyId, Id, i64)> =
        tx.all(BECAME_DUE, params![after, until, BECAME_DUE_MAX])?;
    let all: i64 = rows.iter().map(|row| row.2).sum();
    let found = rows.into_iter().map(|(company, subscription, _)| (company, subscription));
    Ok((all < BECAME_DUE_MAX).then(|| found.collect()))
}

/// Subscriptions with unfinished deliveries, up to a number, after the given one in the order of ids.
pub fn unfinished(tx: &mut Tx<'_>, after: Option<Signal>, most: usize) -> Result<BTreeSet<Signal>> {
    let (company, subscription) =
        after.map_or_else(Default::default, |(c, s)| (c.to_string(), s.to_string()));
    let most = most as i64;
    let rows: Vec<Signal> = match tx.is_spread() {
        false => tx.all(UNFINISHED, params![company, subscription, most])?,
        true => tx.across_companies(UNFINISHED_ON_EACH, params![company, subscription, most])?,
    };
    Ok(rows.into_iter().collect())
}

/// As far as deliveries that are due are counted.
pub const COUNTED_MAX: i64 = 10_000;
/// Of as many targets, those that have waited the longest.
const TARGETS_COUNTED_MAX: i64 = 256;

/// How many deliveries are due, counted up to [`COUNTED_MAX`], and since when the longest-waiting one
/// has been. Targets that fail do not count: their deliveries wait for each other.
pub fn past_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    let due: Vec<(CompanyId, Id, i64, Timestamp)> =
        tx.all(PAST_DUE, params![now, COUNTED_MAX, TARGETS_COUNTED_MAX])?;
    let targets: Vec<Signal> = due.iter().map(|(company, id, ..)| (*company, *id)).collect();
    let (mut count, mut oldest) = (0, None);
    for ((_, _, more, since), health) in due.into_iter().zip(target_health(tx, &targets)?) {
        if health != TargetHealth::Fails {
            count += more;
            oldest = Some(oldest.map_or(since, |oldest: Timestamp| oldest.min(since)));
        }
    }
    Ok((count, oldest))
}

/// The statements of claims, whose plans a test checks.
pub const CLAIMS: &[Sql] = &[DUE, HOLD, CANCEL];

statements! {
    DUE = "SELECT d.delivery_id, d.event_id, d.event_type, d.due_at, d.lease, e.occurred_at, e.data, s.url, \
        s.status = 'active', s.events, s.withheld, s.secret, s.previous_secret, s.previous_secret_until \
        FROM webhook_delivery d \
        LEFT JOIN event e ON e.company_id = d.company_id AND e.event_id = d.event_id \
        JOIN webhook_subscription s ON s.company_id = d.company_id \
        AND s.subscription_id = d.subscription_id \
        WHERE d.company_id = ?1 AND d.subscription_id = ?2 AND d.attempts = ?3 AND d.due_at <= ?4 \
        AND claim(?6) ORDER BY d.due_at, d.delivery_id LIMIT ?5";
    PULL_IN = "UPDATE webhook_delivery SET due_at = ?1 WHERE due_at > ?2";
    HOLD = "UPDATE webhook_delivery SET lease = ?6, due_at = ?7, \
        lease_losses = lease_losses + CASE WHEN lease IS NULL THEN 0 ELSE 1 END \
        WHERE company_id = ?1 AND subscription_id = ?2 AND attempts = ?3 AND due_at IS NOT NULL \
        AND (due_at, delivery_id) <= (?4, ?5)";
    CANCEL = "UPDATE webhook_delivery SET status = ?6, completed_at = ?7, lease = NULL, due_at = NULL \
        WHERE company_id = ?1 AND subscription_id = ?2 AND attempts = ?3 AND due_at IS NOT NULL \
        AND (due_at, delivery_id) <= (?4, ?5)";
    CANCEL_ONE = "UPDATE webhook_delivery SET status = ?3, completed_at = ?4, lease = NULL, due_at = NULL \
        WHERE company_id = ?1 AND delivery_id = ?2";
    RELEASE = "UPDATE webhook_delivery SET lease = NULL, due_at = ?4 \
        WHERE company_id = ?1 AND delivery_id = ?2 AND lease = ?3";
    COMPLETE = "UPDATE webhook_delivery SET lease = NULL, status = ?3, attempts = ?4, due_at = ?5, \
        completed_at = ?6 WHERE company_id = ?1 AND lease = ?2 AND delivery_id IN \
        (?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22) \
        RETURNING delivery_id";
    ATTEMPT = "INSERT INTO webhook_attempt (company_id, delivery_id, attempt, attempted_at, duration_ms, \
        response_status, response_preview, error) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    STAMP = "UPDATE webhook_subscription SET last_delivery_at = ?3, \
        last_success_at = COALESCE(?4, last_success_at), last_failure_at = COALESCE(?5, last_failure_at) \
        WHERE company_id = ?1 AND subscription_id = ?2";
    WAITING = "SELECT company_id, COUNT(*) FROM webhook_delivery WHERE due_at IS NOT NULL \
        GROUP BY company_id";
    PARK = "UPDATE webhook_delivery SET status = ?1, completed_at = ?2, lease = NULL, due_at = NULL \
        WHERE due_at IS NOT NULL";
    TARGET_HEALTH = "SELECT last_success_at, last_failure_at FROM webhook_subscription \
        WHERE company_id = ?1 AND subscription_id = ?2";
    BECAME_DUE = "SELECT company_id, subscription_id, COUNT(*) FROM \
        (SELECT company_id, subscription_id FROM webhook_delivery \
        WHERE due_at > ?1 AND due_at <= ?2 ORDER BY due_at LIMIT ?3) due \
        GROUP BY company_id, subscription_id";
    // One look into the index for each subscription, whatever it has unfinished.
    UNFINISHED = "WITH RECURSIVE unfinished (pair) AS (\
        SELECT (SELECT company_id || subscription_id FROM webhook_delivery \
            WHERE due_at IS NOT NULL AND (company_id, subscription_id) > (?1, ?2) \
            ORDER BY company_id, subscription_id LIMIT 1) \
        UNION ALL \
        SELECT (SELECT d.company_id || d.subscription_id FROM webhook_delivery d \
            WHERE d.due_at IS NOT NULL AND (d.company_id, d.subscription_id) \
                > (substr(u.pair, 1, 24), substr(u.pair, 25)) \
            ORDER BY d.company_id, d.subscription_id LIMIT 1) \
        FROM unfinished u WHERE u.pair IS NOT NULL) \
        SELECT substr(pair, 1, 24), substr(pair, 25) FROM unfinished WHERE pair IS NOT NULL LIMIT ?3";
    // The servers of a cluster each read what is unfinished there.
    UNFINISHED_ON_EACH = "SELECT DISTINCT company_id, subscription_id FROM webhook_delivery \
        WHERE due_at IS NOT NULL AND (company_id, subscription_id) > (?1, ?2) \
        ORDER BY company_id, subscription_id LIMIT ?3";
    PAST_DUE = "SELECT company_id, subscription_id, COUNT(*), MIN(due_at) AS since FROM \
        (SELECT company_id, subscription_id, due_at FROM webhook_delivery \
        WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2) due \
        GROUP BY company_id, subscription_id ORDER BY since LIMIT ?3";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_attempts_after_one_and_two_minutes() {
        let now = Timestamp::from_millis(1_000_000);
        assert_eq!(RETRY_POLICY.next_attempt(1, now), Some(now.plus_seconds(60)));
        assert_eq!(RETRY_POLICY.next_attempt(2, now), Some(now.plus_seconds(120)));
        assert_eq!(RETRY_POLICY.next_attempt(3, now), None);
    }
}
