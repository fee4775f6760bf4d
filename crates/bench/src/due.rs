//! Many timers, or jobs, that are due at one instant: other callers must hardly notice.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use spotter_kernel::{Id, Timestamp, id::CompanyId};
use spotter_store::{Location, Sql, Tx, params};

use crate::{
    Outcome, company, filling, receiver,
    service::{Api, Service},
};

/// What is due, as it is watched.
pub struct Watched {
    /// Display name.
    pub name: &'static str,
    /// How the line of the metric begins that tells how many are due.
    pub metric: &'static str,
}

/// What is due, as it is written.
pub struct Kind {
    watched: Watched,
    /// What writes one: the company, a name, the record, the instant.
    rows: &'static [Sql],
    id: &'static str,
}

/// Timers that find nothing to do any more.
pub const TIMERS: Kind = Kind {
    watched: Watched { name: "timers", metric: "spotter_timers_past_due " },
    rows: &[Sql(
        "INSERT INTO timer (company_id, kind, subject, due_at, attempts) VALUES (?1, ?2, ?3, ?4, 0)",
    )],
    id: "forget_previous_webhook_secret",
};

/// Messages that are not kept any more: what they cost without a mail server.
pub const JOBS: Kind = Kind {
    watched: Watched { name: "jobs", metric: "spotter_jobs_past_due{job=\"send_mail\"} " },
    rows: &[
        Sql("INSERT INTO job (company_id, kind, subject, state, attempts, due_at) \
            VALUES (?1, ?2, ?3, 'waiting', 0, ?4)"),
        Sql("INSERT INTO mail (company_id, kind, mail_id, recipient, about, status, created_at) \
            VALUES (?1, 'password_reset', ?3, 'ann@example.com', ?3, 'waiting', ?4)"),
    ],
    id: "send_mail",
};

/// Rows that are written by one transaction.
const STEP: u64 = 5_000;
/// How long it takes from the filling to the instant, in seconds.
const AHEAD: i64 = 15;
/// What other callers may wait beside them, as a multiple of what they wait alone; below so many
/// milliseconds nobody notices.
const P99_FACTOR: u32 = 2;
const UNNOTICED: Duration = Duration::from_millis(10);

/// Sets so many, and measures what others wait before the instant and after it.
pub async fn run(
    kind: &'static Kind,
    mut service: Service,
    place: crate::crowd::Place,
    count: u64,
) -> Outcome {
    service.start().await?;
    service.kill()?;
    let at = Timestamp::from_millis(receiver::now()).plus_seconds(AHEAD + count as i64 / 20_000);
    fill(kind, place.location, company(&place.data)?, count, at).await?;
    watch(&kind.watched, service, (at, count)).await
}

/// Measures what others wait before an instant at which so many are due, and after it.
pub async fn watch(kind: &Watched, mut service: Service, (at, count): (Timestamp, u64)) -> Outcome {
    let api = service.start().await?;
    let client = api.ask(Method::GET, "/clients?limit=1", None).await?;
    let client = client["clients"][0]["clientId"].as_str().unwrap_or_default().to_owned();
    let alone = measure(&api, &client, async |_| Ok(receiver::now() < at.millis())).await?;
    let began = Instant::now();
    let beside = measure(&api, &client, async |request| {
        Ok(request % 20 != 0
            || waits(kind, &service).await?
            || began.elapsed() < Duration::from_secs(1))
    })
    .await?;
    let rate = count as f64 / began.elapsed().as_secs_f64();
    println!("  {count} {} due at once: {rate:.0} a second", kind.name);
    service.kill()?;
    for (what, alone, beside) in [("reads", alone.0, beside.0), ("writes", alone.1, beside.1)] {
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        println!("  {what} p99 {:.1} ms alone, {:.1} ms beside them", ms(alone), ms(beside));
        if beside > UNNOTICED && beside > alone * P99_FACTOR {
            return Err(format!("{} keep other {what} waiting", kind.name).into());
        }
    }
    Ok(())
}

/// The 99th percentile of reads and of writes, asked in turn for as long as it goes on.
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

/// Whether some are due, as the metrics say.
async fn waits(kind: &Watched, service: &Service) -> Outcome<bool> {
    let text = reqwest::get(format!("http://{}/metrics", service.address())).await?.text().await?;
    let line = text.lines().find_map(|line| line.strip_prefix(kind.metric));
    Ok(line.is_none_or(|count| count.trim() != "0"))
}

async fn fill(
    kind: &'static Kind,
    location: Location,
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
