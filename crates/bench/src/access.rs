//! Response times of access checks: at a steady rate, as on a busy evening, and at maximum throughput.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::{
    Outcome,
    service::{Api, Service, print_times, row},
};

/// Scans a second of a busy evening.
const RATE: u64 = 50;
/// Doors that send simultaneous requests at maximum throughput.
const DOORS: usize = 32;
/// Members that are created at once.
const MAKERS: u64 = 16;

/// Measures a company with a number of members who have cards.
pub async fn run(mut service: Service, members: u64, seconds: u64) -> Outcome {
    let api = service.start().await?;
    let place = api.ask(Method::POST, "/locations", Some(json!({"name": "Bench"}))).await?;
    let location = place["location"]["locationId"].clone();
    let began = Instant::now();
    make(&api, members).await?;
    eprintln!("  {members} members with cards made in {} s", began.elapsed().as_secs());
    let mut doors = Vec::new();
    for number in 0..DOORS {
        let new = json!({"name": format!("Door {number}"), "locationId": location});
        let made = api.ask_as_manager(Method::POST, "/access-devices", Some(new)).await?;
        doors.push(made["deviceKey"].as_str().unwrap_or_default().to_owned());
    }
    let line = Line { http: Client::new(), url: format!("http://{}", service.address()) };
    let steady = steadily(&line, &doors, members, seconds).await?;
    print_times(&format!("a scan at {RATE} a second"), steady);
    // Again with existing visits, as for members who return.
    for some in [&doors[..DOORS / 2], &doors] {
        let (times, busy) = busily(&line, some, members, seconds).await?;
        let (rate, count) = (times.len() as f64 / seconds as f64, some.len());
        row(
            &format!("scans a second by {count} doors as fast as they ask, refused as busy (503)"),
            format_args!("{rate:.0}, {busy}"),
        );
        print_times(&format!("one of them, {count} doors"), times);
    }
    let began = Instant::now();
    let list = line.ask(Method::GET, "/allow-list", &doors[0], None).await?;
    let (count, took) = (list["entries"].as_array().map_or(0, Vec::len), began.elapsed());
    row(&format!("an allow-list of {count}"), format_args!("{} ms", took.as_millis()));
    service.kill()
}

/// Clients with a membership and a card each.
async fn make(api: &Api, members: u64) -> Outcome {
    let sold = api.ask(Method::GET, "/finance/memberships?limit=1", None).await?;
    let product = sold["products"][0]["productId"].clone();
    let makers = (0..MAKERS).map(|maker| {
        let (api, product) = (api.clone(), product.clone());
        tokio::spawn(async move {
            for number in (maker..members).step_by(MAKERS as usize) {
                let new = json!({"firstName": format!("Member {number}")});
                let made = api.ask(Method::POST, "/clients", Some(new)).await?;
                let client = made["client"]["clientId"].as_str().unwrap_or_default();
                let path = format!("/finance/clients/{client}/memberships");
                sell(&api, &path, &product).await?;
                let path = format!("/clients/{client}/access-credentials");
                let card = json!({"kind": "card", "number": card(number)});
                api.ask_as_manager(Method::POST, &path, Some(card)).await?;
            }
            Outcome::Ok(())
        })
    });
    for maker in makers.collect::<Vec<_>>() {
        maker.await??;
    }
    Ok(())
}

/// Sells a membership; invoice numbers of a company are consecutive, so other sales may conflict.
async fn sell(api: &Api, path: &str, product: &Value) -> Outcome {
    let mut last = None;
    for _ in 0..50 {
        match api.ask(Method::POST, path, Some(json!({"productId": product}))).await {
            Ok(_) => return Ok(()),
            Err(why) => last = Some(why),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    last.map_or(Ok(()), Err)
}

fn card(number: u64) -> String {
    format!("BE{number:010X}")
}

/// How doors ask.
#[derive(Clone)]
struct Line {
    http: Client,
    url: String,
}

static SCANS: AtomicU64 = AtomicU64::new(0);

impl Line {
    async fn ask(
        &self,
        method: Method,
        path: &str,
        key: &str,
        body: Option<Value>,
    ) -> Outcome<Value> {
        let url = format!("{}/public/v1/access{path}", self.url);
        let id = format!("bench-{}", SCANS.fetch_add(1, Ordering::Relaxed));
        let request = self.http.request(method, url).header("x-device-key", key);
        let request = request.header("idempotency-key", id);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let answer = request.send().await?;
        let is_fine = answer.status().is_success();
        let mut output: Value = answer.json().await?;
        if is_fine { Ok(output["data"].take()) } else { Err(output.to_string().into()) }
    }

    /// Presents a card and asserts that access is allowed.
    async fn scan(&self, key: &str, number: u64) -> Outcome<Duration> {
        let id = format!("s-{}", SCANS.fetch_add(1, Ordering::Relaxed));
        let scan = json!({"scanId": id, "credential": {"kind": "card", "number": card(number)}});
        let began = Instant::now();
        let output = self.ask(Method::POST, "/scans", key, Some(scan)).await?;
        let took = began.elapsed();
        if output["decision"] == "allow" { Ok(took) } else { Err(output.to_string().into()) }
    }
}

/// Scans of different members one after another, at instants that do not wait for the previous answer.
async fn steadily(
    line: &Line,
    doors: &[String],
    members: u64,
    seconds: u64,
) -> Outcome<Vec<Duration>> {
    let mut ticks = tokio::time::interval(Duration::from_micros(1_000_000 / RATE));
    let mut scans = Vec::new();
    for number in 0..RATE * seconds {
        ticks.tick().await;
        let (line, door) = (line.clone(), doors[number as usize % doors.len()].clone());
        scans.push(tokio::spawn(async move { line.scan(&door, number % members).await }));
    }
    let mut times = Vec::with_capacity(scans.len());
    for scan in scans {
        times.push(scan.await??);
    }
    // The first ones open connections.
    Ok(times.split_off(times.len() / 10))
}

/// Every door sends its next scan when the last is answered.
async fn busily(
    line: &Line,
    doors: &[String],
    members: u64,
    seconds: u64,
) -> Outcome<(Vec<Duration>, u64)> {
    let until = Instant::now() + Duration::from_secs(seconds);
    let next = Arc::new(AtomicU64::new(0));
    let query = doors.iter().cloned().map(|door| {
        let (line, next) = (line.clone(), next.clone());
        tokio::spawn(async move {
            let (mut times, mut busy) = (Vec::new(), 0);
            while Instant::now() < until {
                let number = next.fetch_add(1, Ordering::Relaxed) % members;
                match line.scan(&door, number).await {
                    Ok(took) => times.push(took),
                    Err(why) if why.to_string().contains("\"code\":503") => busy += 1,
                    Err(why) => return Err(why),
                }
            }
            Outcome::Ok((times, busy))
        })
    });
    let (mut times, mut busy) = (Vec::new(), 0);
    for door in query.collect::<Vec<_>>() {
        let (own, refused) = door.await??;
        times.extend(own);
        busy += refused;
    }
    Ok((times, busy))
}
