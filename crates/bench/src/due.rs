//! Many timers, or jobs, that are due at one instant: other callers must hardly notice.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use spotter_kernel::{Id, Timestamp, id::CompanyId};
use spotter_store::{DatabaseLocation, Sql, Tx, params};

use crate::{
    Outcome, company, filling, receiver,
    service::{Api, Service, row},
};

/// What is due, as it is watched.
pub struct Watched {
    /// Display name.
    pub name: &'static str,
    /// Counts those that are due by an instant. The metric of them is surveyed now and then, which is too late here.
    pub count: Sql,
}

/// What is due, as it is written.
pub struct Kind {
    watched: Watched,
    /// The statements that write one: the company, a name, the record, the instant.
    rows: &'static [Sql],
    id: &'static str,
}

/// Timers that are due by an instant.
pub const TIMERS_DUE: Sql = Sql("SELECT COUNT(*) FROM timer WHERE due_at <= ?1");

/// Timers with nothing left to do.
pub const TIMERS: Kind = Kind {
    watched: Watched { name: "timers", count: TIMERS_DUE },
    rows: &[Sql(
        "INSERT INTO timer (company_id, kind, subject, due_at, attempts) VALUES (?1, ?2, ?3, ?4, 0)",
    )],
    id: "forget_previous_webhook_secret",
};

/// Jobs of deleted messages: their cost without a mail server.
pub const JOBS: Kind = Kind {
    watched: Watched {
        name: "jobs",
        count: Sql("SELECT COUNT(*) FROM job WHERE state = 'waiting' AND due_at <= ?1"),
    },
    rows: &[
        Sql("INSERT INTO job (company_id, kind, subject, state, attempts, due_at) \
            VALUES (?1, ?2, ?3, 'waiting', 0, ?4)"),
        Sql("INSERT INTO mail (company_id, kind, mail_id, recipient, about, status, created_at) \
            VALUES (?1, 'password_reset', ?3, ?2 || '@example.com', ?3, 'waiting', ?4)"),
    ],
    id: "send_mail",
};

/// Rows that are written by one transaction.
const STEP: u64 = 5_000;
/// How long it takes from the filling to the instant, in seconds.
const AHEAD: i64 = 15;
/// Limit for other callers' waiting time, as a multiple of the time without the load, above a number of milliseconds
/// that nobody notices.
const P99_FACTOR: u32 = 2;
const UNNOTICED: Duration = Duration::from_millis(10);

/// Sets a number of items, and measures others' waiting time before the instant and after it.
pub async fn run(
    kind: &'static Kind,
    mut service: Service,
    place: crate::crowd::Place,
    count: u64,
) -> Outcome {
    service.start().await?;
    service.kill()?;
    let at = Timestamp::from_millis(receiver::now()).plus_seconds(AHEAD + count as i64 / 20_000);
    fill(kind, place.location.clone(), company(&place.data)?, count, at).await?;
    watch(&kind.watched, &mut service, place.location, at, count).await?.1
}

/// Starts a service, and measures others' waiting time before an instant at which many items are due, and after it; how
/// many items a second were done, and whether others hardly noticed.
pub async fn watch(
    kind: &Watched,
    service: &mut Service,
    location: DatabaseLocation,
    at: Timestamp,
    count: u64,
) -> Outcome<(f64, Outcome)> {
    let db = filling::open(location).await?;
    let api = service.start().await?;
    let client = api.ask(Method::GET, "/clients?limit=1", None).await?;
    let client = client["clients"][0]["clientId"].as_str().unwrap_or_default().to_owned();
    let alone = measure(&api, &client, async |_| Ok(receiver::now() < at.millis())).await?;
    let (began, pending) = (Instant::now(), kind.count);
    let beside = measure(&api, &client, async |request| {
        Ok(request % 20 != 0
            || db.read(move |tx| tx.one(pending, params![at])).await? != Some((0_i64,)))
    })
    .await?;
    let rate = count as f64 / began.elapsed().as_secs_f64();
    db.close().await?;
    row(&format!("{} a second, of {count} due at once", kind.name), format_args!("{rate:.0}"));
    let mut unnoticed = Ok(());
    for (what, alone, beside) in [("reads", alone.0, beside.0), ("writes", alone.1, beside.1)] {
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        row(
            &format!("{what} beside {}, p99 alone and beside", kind.name),
            format_args!("{:.1} ms, {:.1} ms", ms(alone), ms(beside)),
        );
        if beside > UNNOTICED && beside > alone * P99_FACTOR {
            unnoticed = Err(format!("{} keep other {what} waiting", kind.name).into());
        }
    }
    Ok((rate, unnoticed))
}

/// The 99th percentile of alternating reads and writes, for as long as it goes on.
async fn measure(
    api: &Api,
    client: &str,
    mut goes_on: impl AsyncFnMut(usize) -> Outcome<bool>,
) -> Outcome<(Duration, Duration)> {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    while goes_on(writes.len()).await? {
        let started = Instant::now();
        api.ask(Method::GET, "/clients?limit=20", None).await?;
        reads.push(started.elapsed());
        let (started, name) = (Instant::now(), format!("Name{}", writes.len()));
        api.ask(Method::PATCH, &format!("/clients/{client}"), Some(json!({"lastName": name})))
            .await?;
        writes.push(started.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let p99 = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times.get(times.len() * 99 / 100).copied().unwrap_or_default()
    };
    Ok((p99(reads), p99(writes)))
}

async fn fill(
    kind: &'static Kind,
    location: DatabaseLocation,
    company: CompanyId,
    count: u64,
    at: Timestamp,
) -> Outcome {
    let db = filling::open(location).await?;
    for from in (0..count).step_by(STEP as usize) {
        let to = count.min(from + STEP);
        let write = move |tx: &mut Tx<'_>| {
            (from..to).try_for_each(|number| {
                let mut own = [0; 6];
                own.copy_from_slice(&number.to_be_bytes()[2..]);
                let record = Id::new(at, own);
                kind.rows
                    .iter()
                    .try_for_each(|row| tx.defer(*row, params![company, kind.id, record, at]))
            })
        };
        db.write(write).await?;
    }
    db.close().await
}
