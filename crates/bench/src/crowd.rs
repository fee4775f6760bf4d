//! A healthy company beside many whose targets hang, from its first event and after a restart; and beside its own
//! stored deliveries of a busy month.

use std::{path::PathBuf, time::Duration};

use reqwest::Method;
use spotter_kernel::{Id, Problem, Timestamp, id::CompanyId};
use spotter_store::{DatabaseLocation, Sql, Tx, params};

use crate::{
    Outcome, company,
    filling::{self, Filling},
    receiver::{self, Receipt, Receiver},
    service::{Api, Service, row},
};

/// Hanging targets per company, and waiting deliveries for each.
const TARGETS: u64 = 2;
const WAITING: u64 = 2;
/// Events of the healthy company a second.
const RATE: u64 = 20;
/// Rows that are written by one transaction.
const STEP: u64 = 500;

/// Where the rows of the crowd are written.
pub struct Place {
    pub data: PathBuf,
    pub location: DatabaseLocation,
}

/// Measures a healthy company beside a number of hanging targets.
pub async fn run(
    mut service: Service,
    receiver: Receiver,
    place: Place,
    companies: u64,
    seconds: u64,
) -> Outcome {
    let api = service.start().await?;
    let template = api.subscribe(&receiver.url("hangs", "crowd"), &["client.created"]).await?;
    service.kill()?;
    let template = Id::parse(&template).ok_or("no subscription")?;
    let own = company(&place.data)?;
    let db = filling::open(place.location.clone()).await?;
    for from in (0..companies).step_by(STEP as usize) {
        let to = companies.min(from + STEP);
        let found = move |tx: &mut Tx<'_>| (from..to).try_for_each(|n| found(tx, own, template, n));
        db.write(found).await?;
    }
    for (name, round) in [("from the first event on", 1), ("after a restart", 2)] {
        queue(&db, companies, round).await?;
        let api = service.start().await?;
        // An untried target, like theirs.
        let mark = format!("healthy-{round}");
        let healthy = api.subscribe(&receiver.url("good", &mark), &["invoice.paid"]).await?;
        let times = latencies(&api, &receiver, &healthy, seconds).await?;
        print_times(&format!("{companies} companies, {name}"), &times);
        row(
            &format!("memory in use, {companies} companies, {name}"),
            format_args!("{} MB", service.memory_mb()),
        );
        service.kill()?;
    }
    db.close().await
}

/// Measures beside kept deliveries of the same subscription.
pub async fn kept(
    mut service: Service,
    receiver: Receiver,
    place: Place,
    count: u64,
    seconds: u64,
) -> Outcome {
    let api = service.start().await?;
    let id = api.subscribe(&receiver.url("good", "kept"), &["invoice.paid"]).await?;
    latencies(&api, &receiver, &id, 2).await?;
    let calm = latencies(&api, &receiver, &id, seconds).await?;
    service.kill()?;
    let (own, subscription) = (company(&place.data)?, Id::parse(&id).ok_or("no subscription")?);
    let db = filling::open(place.location.clone()).await?;
    let now = Timestamp::from_millis(receiver::now());
    for from in (0..count).step_by(5_000) {
        let fill = move |tx: &mut Tx<'_>| {
            (from..count.min(from + 5_000)).try_for_each(|number| {
                let at = now.plus_seconds(-((count - number) as i64));
                let (delivery, event) = (numbered(at, number), numbered(at, number + count));
                tx.defer(FINISHED, params![own, delivery, subscription, event, at])
            })
        };
        db.write(fill).await?;
    }
    db.close().await?;
    let api = service.start().await?;
    latencies(&api, &receiver, &id, 2).await?;
    let beside = latencies(&api, &receiver, &id, seconds).await?;
    print_times("nothing kept", &calm);
    print_times(&format!("{count} deliveries kept"), &beside);
    let ratio = percentile(&beside, 50) as f64 / percentile(&calm, 50).max(1) as f64;
    row("p50 beside kept deliveries, times the calm one", format_args!("{ratio:.2}"));
    service.kill()
}

/// An id of an instant, with a number in place of randomness.
pub fn numbered(at: Timestamp, number: u64) -> Id {
    let [_, _, random @ ..] = number.to_be_bytes();
    Id::new(at, random)
}

/// The crowd's companies and subscriptions, by their numbers.
fn crowd(number: u64) -> CompanyId {
    CompanyId(numbered(Timestamp::from_millis(1_000), number))
}

fn target(number: u64, which: u64) -> Id {
    numbered(Timestamp::from_millis(2_000 + which as i64), number)
}

fn found(tx: &mut Tx<'_>, own: CompanyId, template: Id, number: u64) -> Result<(), Problem> {
    tx.defer(COMPANY, params![own, crowd(number)])?;
    (0..TARGETS).try_for_each(|which| {
        tx.defer(SUBSCRIPTION, params![own, crowd(number), template, target(number, which)])
    })
}

/// Lets events wait for every target of the crowd.
async fn queue(db: &Filling, companies: u64, round: u64) -> Outcome {
    for from in (0..companies).step_by(STEP as usize) {
        let to = companies.min(from + STEP);
        let now = Timestamp::from_millis(receiver::now());
        let write = move |tx: &mut Tx<'_>| {
            for number in from..to {
                for each in 0..TARGETS * WAITING {
                    let (delivery, event) = (
                        numbered(now, number * 1_000 + round * 100 + each),
                        numbered(now, number * 1_000 + round * 100 + 50 + each),
                    );
                    let (company, subscription) = (crowd(number), target(number, each % TARGETS));
                    tx.defer(EVENT, params![company, event, now])?;
                    tx.defer(PENDING, params![company, delivery, subscription, event, now])?;
                }
            }
            Ok(())
        };
        db.write(write).await?;
    }
    Ok(())
}

/// Sends test events at a rate; milliseconds from each request to its receipt. A lost one counts as a minute.
async fn latencies(api: &Api, receiver: &Receiver, id: &str, seconds: u64) -> Outcome<Vec<i64>> {
    receiver.take();
    let mut ticks = tokio::time::interval(Duration::from_millis(1_000 / RATE));
    let mut sent = Vec::new();
    for _ in 0..seconds * RATE {
        ticks.tick().await;
        let (api, path) = (api.clone(), format!("/webhooks/{id}/test"));
        sent.push(tokio::spawn(async move { api.ask(Method::POST, &path, None).await }));
    }
    let count = sent.len();
    for one in sent {
        one.await??;
    }
    receiver.wait_for(count, Duration::from_secs(60)).await;
    let mut times: Vec<i64> = receiver.take().iter().map(Receipt::latency).collect();
    times.resize(count, 60_000);
    times.sort_unstable();
    Ok(times)
}

fn percentile(times: &[i64], share: usize) -> i64 {
    times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied().unwrap_or(0)
}

fn print_times(name: &str, times: &[i64]) {
    let [p50, p95, p99, most] = [50, 95, 99, 100].map(|share| percentile(times, share));
    row(&format!("{name}: p50, p95, p99, most"), format_args!("{p50}, {p95}, {p99}, {most} ms"));
}

/// Inserts a company like another one.
pub const COMPANY: Sql = Sql(
    "INSERT INTO company (company_id, name, language, currency, time_zone, public_api_enabled, \
    workout_enabled, programme_calendar_enabled, mcp_enabled, client_ai_enabled, created_at, updated_at) \
    SELECT ?2, name, language, currency, time_zone, public_api_enabled, workout_enabled, \
    programme_calendar_enabled, mcp_enabled, client_ai_enabled, created_at, updated_at \
    FROM company WHERE company_id = ?1",
);
const SUBSCRIPTION: Sql = Sql(
    "INSERT INTO webhook_subscription (company_id, subscription_id, name, status, events, url, secret, \
    secret_prefix, secret_last4, created_at, updated_at) \
    SELECT ?2, ?4, name, status, events, url, secret, secret_prefix, secret_last4, created_at, updated_at \
    FROM webhook_subscription WHERE company_id = ?1 AND subscription_id = ?3",
);
const EVENT: Sql = Sql("INSERT INTO event (company_id, event_id, type, occurred_at, data) \
    VALUES (?1, ?2, 'client.created', ?3, '{}')");
const PENDING: Sql = Sql(
    "INSERT INTO webhook_delivery (company_id, delivery_id, subscription_id, event_id, event_type, \
    status, attempts, due_at, lease_losses) \
    VALUES (?1, ?2, ?3, ?4, 'client.created', 'pending', 0, ?5, 0)",
);
const FINISHED: Sql = Sql(
    "INSERT INTO webhook_delivery (company_id, delivery_id, subscription_id, event_id, event_type, \
    status, attempts, lease_losses, completed_at) \
    VALUES (?1, ?2, ?3, ?4, 'client.created', 'succeeded', 0, 0, ?5)",
);
