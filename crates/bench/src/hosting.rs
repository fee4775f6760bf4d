//! One installation that hosts very many companies, one of them very large: what it costs beside one that hosts a single
//! company. Start, memory and idle processor, reads of a company, timers of all companies at one instant, and what the
//! operator does with one of them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use reqwest::Method;
use spotter_kernel::{Id, Timestamp, id::CompanyId};
use spotter_store::{DatabaseLocation, Sql, Tx, params};

use crate::{
    Outcome, company,
    crowd::{COMPANY, Place, numbered},
    due, filling, million, receiver,
    service::{Api, Service, row},
};

/// Companies that are written by one transaction.
const STEP: u64 = 1_000;
/// Timers of each company that are not due for a long time.
const WAITING: u64 = 10;
/// How long the idle processor is measured.
const IDLE: Duration = Duration::from_secs(30);
/// Number of requests for each list.
const TIMES: usize = 300;
/// How many times as much as alone anything may cost beside the others; small differences do not count.
const FACTOR: f64 = 2.0;

/// The cost of an idle installation, and of an export from it.
struct Costs {
    start_ms: f64,
    memory_mb: u64,
    idle_ms: f64,
    list_ms: f64,
    search_ms: f64,
    export_ms: f64,
}

/// Measures an installation with the demo's company alone, then with so many others beside it, the first of them with a number
/// of clients.
pub async fn run(
    mut service: Service,
    place: Place,
    program: PathBuf,
    companies: u64,
    clients: u64,
) -> Outcome {
    let api = service.start().await?;
    let listed = api.ask(Method::GET, "/clients?limit=1", None).await?;
    let template = listed["clients"][0]["clientId"].as_str().and_then(Id::parse);
    let template = template.ok_or("no client")?;
    service.kill()?;
    let own = company(&place.data)?;
    let alone = costs(&mut service, &place, &program, own, "alone").await?;
    let began = Instant::now();
    let db = filling::open(place.location.clone()).await?;
    db.write(move |tx| tx.defer(COMPANY, params![own, hosted(0)])).await?;
    db.close().await?;
    million::fill(place.location.clone(), (own, template), hosted(0), clients).await?;
    let db = filling::open(place.location.clone()).await?;
    let filling = 90 + companies as i64 / 250;
    let at = Timestamp::from_millis(receiver::now()).plus_seconds(filling);
    for from in (0..companies).step_by(STEP as usize) {
        let to = companies.min(from + STEP);
        db.write(move |tx| (from..to).try_for_each(|number| found(tx, own, number, at))).await?;
    }
    db.close().await?;
    println!("  {companies} companies filled in {} s", began.elapsed().as_secs());
    let beside = costs(&mut service, &place, &program, own, "beside").await?;
    for (what, alone, beside, unnoticed, unit) in [
        ("ready after", alone.start_ms, beside.start_ms, 1_000.0, "ms"),
        ("memory", alone.memory_mb as f64, beside.memory_mb as f64, 20.0, "MB"),
        ("idle processor a minute", alone.idle_ms, beside.idle_ms, 300.0, "ms"),
        ("a list of 20 clients, p50", alone.list_ms, beside.list_ms, 0.3, "ms"),
        ("a search for a client, p50", alone.search_ms, beside.search_ms, 0.3, "ms"),
        ("export of one company", alone.export_ms, beside.export_ms, 500.0, "ms"),
    ] {
        row(
            &format!("{what}, alone and beside {companies} companies"),
            match alone < 10.0 {
                true => format!("{alone:.2} {unit}, {beside:.2} {unit}"),
                false => format!("{alone:.0} {unit}, {beside:.0} {unit}"),
            },
        );
        if beside > alone * FACTOR && beside - alone > unnoticed {
            return Err(format!("{what} grows with the companies").into());
        }
    }
    let late = at.millis() - receiver::now();
    if late < 5_000 {
        return Err("the timers were due before they could be watched".into());
    }
    let watched = due::Watched { name: "timers of as many companies", count: due::TIMERS_DUE };
    due::watch(&watched, &mut service, place.location, at, companies).await?.1
}

async fn costs(
    service: &mut Service,
    place: &Place,
    program: &Path,
    own: CompanyId,
    name: &str,
) -> Outcome<Costs> {
    let began = Instant::now();
    let api = service.start().await?;
    let start_ms = began.elapsed().as_secs_f64() * 1_000.0;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = service.processor_ms();
    tokio::time::sleep(IDLE).await;
    let idle_ms = (service.processor_ms() - before) * 60.0 / IDLE.as_secs_f64();
    let memory_mb = service.memory_mb();
    let list_ms = median_ms(&api, "/clients?limit=20").await?;
    let search_ms = median_ms(&api, "/clients?search=zoe").await?;
    let began = Instant::now();
    let mut command = Command::new(program);
    command.args(["company", "export", &own.to_string()]).arg(place.data.join(name));
    command.arg("--data").arg(&place.data);
    if let DatabaseLocation::Server(url) = &place.location {
        command.args(["--database-url", url]);
    }
    if !command.output()?.status.success() {
        return Err("the company is not exported".into());
    }
    let export_ms = began.elapsed().as_secs_f64() * 1_000.0;
    service.kill()?;
    Ok(Costs { start_ms, memory_mb, idle_ms, list_ms, search_ms, export_ms })
}

async fn median_ms(api: &Api, path: &str) -> Outcome<f64> {
    let mut times = api.fetch_often(path, TIMES).await?;
    times.sort_unstable();
    Ok(times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1_000.0)
}

/// A company that is hosted beside, by its number.
fn hosted(number: u64) -> CompanyId {
    CompanyId(numbered(Timestamp::from_millis(3_000), number))
}

/// A company with timers, one of which is due with those of all others.
fn found(
    tx: &mut Tx<'_>,
    own: CompanyId,
    number: u64,
    at: Timestamp,
) -> Result<(), spotter_kernel::Problem> {
    let company = hosted(number);
    // The first is there already, with its clients.
    if number > 0 {
        tx.defer(COMPANY, params![own, company])?;
    }
    (0..=WAITING).try_for_each(|which| {
        let due_at = if which == 0 { at } else { at.plus_seconds(86_400 * (30 + which as i64)) };
        let subject = numbered(Timestamp::from_millis(4_000 + which as i64), number);
        tx.defer(TIMER, params![company, "forget_previous_webhook_secret", subject, due_at])
    })
}

const TIMER: Sql = Sql(
    "INSERT INTO timer (company_id, kind, subject, due_at, attempts) VALUES (?1, ?2, ?3, ?4, 0)",
);
