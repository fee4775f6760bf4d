//! Nothing acknowledged is lost, nothing that did not happen is delivered, and little is delivered twice.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Method;
use serde_json::json;

use crate::{
    Outcome,
    receiver::{Receipt, Receiver},
    service::{Api, Service},
    traffic::Traffic,
};

const WRITERS: usize = 8;
/// How long the load runs before each kill.
const LOAD: Duration = Duration::from_millis(1_500);
/// Attempts that one subscription has under way at most, and completions that wait to be written.
const IN_FLIGHT_MAX: usize = 32 + 5 * 64;
/// Leases expire after half a minute; then lost deliveries are sent again.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Kills the service again and again while clients are created, then compares what was acknowledged with what was
/// received and with what is stored.
pub async fn run(mut service: Service, receiver: Receiver, rounds: u32) -> Outcome {
    let mut api = service.start().await?;
    api.subscribe(&receiver.url("good", "faults"), &["client.created"]).await?;
    let acknowledged = Acknowledged::default();
    let traffic = Traffic::begin(&api).await?;
    let mut unanswered = 0;
    for round in 1..=rounds {
        let stop = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| tokio::spawn(write(api.clone(), acknowledged.clone(), stop.clone())))
            .collect();
        tokio::time::sleep(LOAD).await;
        service.kill()?;
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            unanswered += writer.await?;
        }
        api = service.start().await?;
        let count = acknowledged.lock().unwrap_or_else(PoisonError::into_inner).len();
        let (others, received) = (traffic.count(), receiver.count());
        println!(
            "  kill {round} of {rounds}: {count} clients acknowledged, {received} received, {others} other writes"
        );
    }
    let reckoning = reckon(&api, &receiver, &acknowledged).await?;
    println!("  {rounds} kills: {reckoning}");
    let holds = traffic.end(&api).await?;
    service.kill()?;
    let fair =
        reckoning.extra <= unanswered && reckoning.repeated <= rounds as usize * IN_FLIGHT_MAX;
    if reckoning.is_whole() && fair && holds {
        Ok(())
    } else {
        Err("acknowledged writes were lost, or others were delivered".into())
    }
}

/// Clients whose creation was acknowledged.
pub type Acknowledged = Arc<Mutex<BTreeSet<String>>>;

/// What was acknowledged beside what was received and what is stored.
pub struct Reckoning {
    acknowledged: usize,
    lost: usize,
    /// Events of writes whose answer was cut off.
    pub extra: usize,
    invented: usize,
    /// Deliveries that came more than once.
    pub repeated: usize,
    open: bool,
}

impl Reckoning {
    /// Whether nothing is lost and nothing invented.
    pub const fn is_whole(&self) -> bool {
        self.lost == 0 && self.invented == 0 && !self.open
    }
}

impl fmt::Display for Reckoning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { acknowledged, lost, extra, invented, repeated, .. } = self;
        write!(
            f,
            "{acknowledged} writes acknowledged, {lost} lost; {extra} events of writes whose answer was cut off, \
             {invented} of writes that are not there; {repeated} deliveries came twice"
        )
    }
}

/// Waits until everything is delivered, and compares.
pub async fn reckon(
    api: &Api,
    receiver: &Receiver,
    acknowledged: &Acknowledged,
) -> Outcome<Reckoning> {
    let acknowledged = acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let deadline = tokio::time::Instant::now() + TIMEOUT;
    let mut receipts: Vec<Receipt> = Vec::new();
    let (mut output, mut open) = (BTreeSet::new(), true);
    while tokio::time::Instant::now() < deadline && (open || !acknowledged.is_subset(&output)) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        receipts.extend(receiver.take());
        output.extend(receipts.iter().map(client_of));
        let pending = api.ask(Method::GET, "/webhooks/deliveries?status=pending&limit=1", None);
        open = pending.await?["total"] != 0;
    }
    let lost = acknowledged.difference(&output).count();
    let extra: Vec<_> = output.difference(&acknowledged).collect();
    let mut invented = 0;
    for client in &extra {
        let found = api.ask(Method::GET, &format!("/clients/{client}"), None).await;
        invented += usize::from(found.is_err());
    }
    let mut copies: BTreeMap<&str, usize> = BTreeMap::new();
    for receipt in &receipts {
        *copies.entry(&receipt.delivery).or_default() += 1;
    }
    let repeated = copies.values().map(|count| count - 1).sum();
    let (acknowledged, extra) = (acknowledged.len(), extra.len());
    Ok(Reckoning { acknowledged, lost, extra, invented, repeated, open })
}

fn client_of(receipt: &Receipt) -> String {
    receipt.event["data"]["clientId"].as_str().unwrap_or_default().to_owned()
}

/// Creates clients until stopped; returns the number of unanswered requests.
pub async fn write(api: Api, acknowledged: Acknowledged, stop: Arc<AtomicBool>) -> usize {
    let mut unanswered = 0;
    while !stop.load(Ordering::Relaxed) {
        match api.ask(Method::POST, "/clients", Some(json!({"firstName": "Fault"}))).await {
            Ok(made) => {
                let id = made["client"]["clientId"].as_str().unwrap_or_default().to_owned();
                acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
            }
            Err(_) => {
                unanswered += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    unanswered
}
