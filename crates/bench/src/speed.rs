//! How fast deliveries are.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use serde_json::json;

use crate::{
    Outcome,
    receiver::{Receipt, Receiver},
    service::{Api, Service, row},
};

/// Subscriptions that share the events; as many as a company may have.
const TARGETS: usize = 50;
/// How many of them hang in the last measurement.
const HANGING: usize = 10;
/// Events a second.
const RATE: u64 = 200;
/// Subscriptions that hear of each change when throughput is measured, and changes.
const LISTENERS: usize = 10;
const CHANGES: usize = 3_000;

/// Runs the three measurements.
pub async fn run(mut service: Service, receiver: Receiver, seconds: u64) -> Outcome {
    let api = service.start().await?;
    throughput(&api, &receiver).await?;
    let mut targets = Vec::new();
    for number in 0..TARGETS {
        let url = receiver.url("good", &number.to_string());
        targets.push(api.subscribe(&url, &["invoice.paid"]).await?);
    }
    // Once to every target, so that connections exist.
    latency(&api, &receiver, &targets, 2).await?;
    let calm = latency(&api, &receiver, &targets, seconds).await?;
    for (number, id) in targets.iter().enumerate().take(HANGING) {
        let url = receiver.url("hangs", &number.to_string());
        api.ask(Method::PATCH, &format!("/webhooks/{id}"), Some(json!({"url": url}))).await?;
    }
    let beside = latency(&api, &receiver, &targets, seconds).await?;
    row(
        &format!("{RATE} events a second to {TARGETS} targets: p50, p95, p99"),
        format_args!("{}, {}, {} ms", calm.0, calm.1, calm.2),
    );
    row(
        &format!("the same while {HANGING} of them hang"),
        format_args!("{}, {}, {} ms", beside.0, beside.1, beside.2),
    );
    service.kill()
}

/// Throughput: every change is sent to several subscriptions.
async fn throughput(api: &Api, receiver: &Receiver) -> Outcome {
    let mut ids = Vec::new();
    for number in 0..LISTENERS {
        let url = receiver.url("good", &format!("t{number}"));
        ids.push(api.subscribe(&url, &["client.updated"]).await?);
    }
    let listed = api.ask(Method::GET, "/clients?limit=100&archived=false", None).await?;
    let clients: Arc<[String]> = listed["clients"]
        .as_array()
        .ok_or("no clients")?
        .iter()
        .filter_map(|client| client["clientId"].as_str().map(str::to_owned))
        .collect();
    receiver.take();
    let writers = (0..16).map(|writer| {
        let (api, clients) = (api.clone(), clients.clone());
        tokio::spawn(async move {
            for number in (writer..CHANGES).step_by(16) {
                let path = format!("/clients/{}", clients[number % clients.len()]);
                let change = json!({"lastName": format!("Name{number}")});
                api.ask(Method::PATCH, &path, Some(change)).await?;
            }
            Outcome::Ok(())
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await??;
    }
    let expected = CHANGES * LISTENERS;
    if !receiver.wait_for(expected, Duration::from_secs(120)).await {
        return Err(format!("{} of {expected} deliveries came", receiver.count()).into());
    }
    let receipts = receiver.take();
    let first = receipts.iter().map(|receipt| receipt.at).min().unwrap_or_default();
    let last = receipts.iter().map(|receipt| receipt.at).max().unwrap_or_default();
    let rate = receipts.len() as f64 * 1_000.0 / (last - first).max(1) as f64;
    row(
        &format!("deliveries a second, of {} for {CHANGES} changes", receipts.len()),
        format_args!("{rate:.0}"),
    );
    for id in ids {
        api.ask(Method::DELETE, &format!("/webhooks/{id}"), None).await?;
    }
    Ok(())
}

/// Sends test events round the targets at the rate; percentiles of those that answer.
async fn latency(
    api: &Api,
    receiver: &Receiver,
    targets: &[String],
    seconds: u64,
) -> Outcome<(i64, i64, i64)> {
    receiver.take();
    let mut ticks = tokio::time::interval(Duration::from_micros(1_000_000 / RATE));
    let mut sent = Vec::new();
    for number in 0..(seconds * RATE) as usize {
        ticks.tick().await;
        let (api, path) =
            (api.clone(), format!("/webhooks/{}/test", targets[number % targets.len()]));
        sent.push(tokio::spawn(async move { api.ask(Method::POST, &path, None).await }));
    }
    for one in sent {
        one.await??;
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let mut times: Vec<i64> = receiver.take().iter().map(Receipt::latency).collect();
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied();
    match (at(0.5), at(0.95), at(0.99)) {
        (Some(p50), Some(p95), Some(p99)) => Ok((p50, p95, p99)),
        _ => Err("nothing came".into()),
    }
}
