//! A company with very many clients: searches with a word that nearly all have, far pages of the list, and others'
//! waiting time beside them.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use spotter_kernel::{Id, Problem, Timestamp, id::CompanyId};
use spotter_store::{DatabaseLocation, Sql, Tx, params};

use crate::{
    Outcome, company,
    crowd::Place,
    filling, receiver,
    service::{Api, Service, print_times, row},
};

/// Clients with the same last name.
const FAMILY: u64 = 20;
/// Clients that are written by one transaction.
const STEP: u64 = 5_000;
/// Number of requests for each list, and for each slow one.
const TIMES: usize = 200;
const TIMES_LONG: usize = 20;
/// Callers of slow reads, and how long others are measured beside them.
const CALLERS: usize = 4;
const SECONDS: u64 = 8;
/// How much longer a search may take for a word that nearly everybody has beside a rare one.
const SLOWER_AT_MOST: f64 = 5.0;

/// Measures a company with a number of clients.
pub async fn run(mut service: Service, place: Place, clients: u64) -> Outcome {
    let api = service.start().await?;
    let template = json!({"firstName": "Anna", "lastName": "Template"});
    let made = api.ask(Method::POST, "/clients", Some(template)).await?;
    let template = made["client"]["clientId"].as_str().and_then(Id::parse).ok_or("no client")?;
    service.kill()?;
    let own = company(&place.data)?;
    fill(place.location.clone(), (own, template), own, clients).await?;
    let api = service.start().await?;
    let rare = median(&api, "a last name of twenty", "/clients?search=family77x").await?;
    let nearly_all = api.fetch_often("/clients?search=anna", TIMES_LONG).await?;
    print_times("a first name of nearly all", nearly_all);
    let both = median(&api, "both", "/clients?search=anna%20family77x").await?;
    median(&api, "page 1", "/clients?limit=20").await?;
    median(&api, "page 1,000", "/clients?limit=20&page=1000").await?;
    let far = format!("/clients?limit=20&page={}", clients / 100);
    median(&api, &format!("page {}", clients / 100), &far).await?;
    beside(&api, &far).await?;
    row("memory in use", format_args!("{} MB", service.memory_mb()));
    service.kill()?;
    match both / rare {
        slower if slower > SLOWER_AT_MOST => {
            Err(format!("both words take {slower:.1} times as long as the rare one alone").into())
        }
        slower => {
            row("both words, times the rare one alone", format_args!("{slower:.2}"));
            Ok(())
        }
    }
}

async fn median(api: &Api, name: &str, path: &str) -> Outcome<f64> {
    Ok(print_times(name, api.fetch_often(path, TIMES).await?))
}

/// Waiting time of reads of one page alone, and beside far pages and broad searches.
async fn beside(api: &Api, far: &str) -> Outcome {
    print_times("one caller alone", quick(api).await?);
    let callers: Vec<_> = [far, "/clients?search=an"]
        .into_iter()
        .cycle()
        .take(CALLERS)
        .map(|path| {
            let (api, path) = (api.clone(), path.to_owned());
            tokio::spawn(async move {
                loop {
                    api.fetch(&path).await.ok();
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let times = quick(api).await;
    callers.iter().for_each(tokio::task::JoinHandle::abort);
    print_times("beside four callers of what takes long", times?);
    Ok(())
}

async fn quick(api: &Api) -> Outcome<Vec<Duration>> {
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let mut times = Vec::new();
    while Instant::now() < until {
        let began = Instant::now();
        api.fetch("/clients?limit=20").await?;
        times.push(began.elapsed());
    }
    Ok(times)
}

/// Fills a company with copies of a client of one.
pub async fn fill(
    location: DatabaseLocation,
    template: (CompanyId, Id),
    own: CompanyId,
    clients: u64,
) -> Outcome {
    let began = Instant::now();
    let db = filling::open(location).await?;
    let now = receiver::now();
    for from in (0..clients).step_by(STEP as usize) {
        let to = clients.min(from + STEP);
        db.write(move |tx| {
            (from..to).try_for_each(|number| add(tx, own, template, now, number))?;
            tx.tally(own, "clients", (to - from) as i64)
        })
        .await?;
    }
    db.close().await?;
    eprintln!("  {clients} clients filled in {} s", began.elapsed().as_secs());
    Ok(())
}

fn add(
    tx: &mut Tx<'_>,
    own: CompanyId,
    (company, template): (CompanyId, Id),
    now: i64,
    number: u64,
) -> Result<(), Problem> {
    let [_, _, random @ ..] = number.to_be_bytes();
    // One a minute, back from now.
    let client = Id::new(Timestamp::from_millis(now - 60_000 * number as i64), random);
    // The `x` ends the number, so that a search for one does not find those that begin with it.
    let (family, email) =
        (format!("family{}x", number / FAMILY), format!("p{number}@bench.example"));
    tx.defer(CLIENT, params![company, client, template, family, email, own])?;
    // None of them begins as another does.
    for term in ["anna", &family, &email] {
        tx.defer(TERM, params![own, term, client])?;
    }
    Ok(())
}

const CLIENT: Sql =
    Sql("INSERT INTO client (company_id, client_id, first_name, last_name, email, opt_ins, \
    relationship_status, member_status, portal_access_status, tags, created_at, updated_at) \
    SELECT ?6, ?2, first_name, ?4, ?5, opt_ins, relationship_status, member_status, \
    portal_access_status, tags, created_at, updated_at \
    FROM client WHERE company_id = ?1 AND client_id = ?3");
const TERM: Sql = Sql("INSERT INTO client_term (company_id, term, client_id) VALUES (?1, ?2, ?3)");
