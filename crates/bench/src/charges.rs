//! Nobody is charged twice and no payment is forgotten, whenever the service is killed: compares the sandbox bank's
//! books with ours.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    process::Command,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use spotter_kernel::id::CompanyId;
use spotter_store::{DatabaseLocation, Sql, Value as Bound, params};

use crate::{
    Outcome, company,
    crowd::Place,
    filling,
    service::{Api, Service},
};

const WRITERS: usize = 6;
/// Behaviours of cards and accounts, each for an equal number of clients.
const TOKENS: [&str; 5] = [
    "sandbox_ok",
    "sandbox_lost_answer",
    "sandbox_slow_ok",
    "sandbox_slow_fail",
    "sandbox_insufficient",
];
const CLIENTS: usize = 6;
/// The load lasts from so long to that much longer before each kill, in milliseconds.
const LOAD: (u64, u64) = (150, 650);
/// Time for leases to expire and for lost answers to be queried again.
const TIMEOUT: Duration = Duration::from_secs(480);

type Acknowledged = Arc<Mutex<BTreeSet<String>>>;

/// Kills the service again and again during charges and refunds, then compares the bank's books with ours.
pub async fn run(mut service: Service, place: Place, spotter: PathBuf, rounds: u32) -> Outcome {
    let mut api = service.start().await?;
    let connect = json!({"provider": "sandbox"});
    api.ask_as_manager(Method::PUT, "/company/payment-provider", Some(connect)).await?;
    let clients = Arc::new(clients(&api).await?);
    let acknowledged = Acknowledged::default();
    for round in 1..=rounds {
        let stop = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (api, clients) = (api.clone(), clients.clone());
                tokio::spawn(charge(api, clients, number, acknowledged.clone(), stop.clone()))
            })
            .collect();
        // Kills hit every step: the length of a round varies over the range.
        let wait = LOAD.0 + u64::from(round) * 37 % LOAD.1;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        service.kill()?;
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await?;
        }
        api = service.start().await?;
        if round % 20 == 0 || round == rounds {
            let count = acknowledged.lock().unwrap_or_else(PoisonError::into_inner).len();
            println!("  kill {round} of {rounds}: {count} charges and refunds acknowledged");
        }
    }
    wait_until_charged(&api).await?;
    service.kill()?;
    let acknowledged = acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let broken = compare(&place, acknowledged).await?;
    let mut audit = Command::new(spotter);
    audit.args(["finance", "audit", "--data"]).arg(&place.data);
    if let DatabaseLocation::Server(url) = &place.location {
        audit.args(["--database-url", url]);
    }
    let holds = audit.status()?.success();
    match broken == 0 && holds {
        true => Ok(()),
        false => Err("the daily audit found a difference".into()),
    }
}

/// Clients with a card or an account each.
async fn clients(api: &Api) -> Outcome<Vec<String>> {
    let mut clients = Vec::new();
    for token in TOKENS.iter().cycle().take(CLIENTS * TOKENS.len()) {
        let made = api.ask(Method::POST, "/clients", Some(json!({"firstName": token}))).await?;
        let client = made["client"]["clientId"].as_str().ok_or("no client")?.to_owned();
        let path = format!("/finance/clients/{client}/payment-methods");
        let method = json!({"sandboxToken": token});
        api.ask_as_manager(Method::POST, &path, Some(method)).await?;
        clients.push(client);
    }
    Ok(clients)
}

/// Invoices clients and charges them until stopped; refunds part of each fourth payment.
async fn charge(
    api: Api,
    clients: Arc<Vec<String>>,
    mut number: usize,
    acknowledged: Acknowledged,
    stop: Arc<AtomicBool>,
) {
    let keep = |output: &Value, place: &str| {
        let id = output.pointer(place).and_then(Value::as_str).map(str::to_owned);
        acknowledged.lock().unwrap_or_else(PoisonError::into_inner).extend(id.clone());
        id
    };
    while !stop.load(Ordering::Relaxed) {
        number += WRITERS;
        let client = &clients[number % clients.len()];
        let lines = json!([{"description": "Towel", "amount": 100 + number % 900}]);
        let bill = json!({"clientId": client, "lines": lines});
        let Ok(made) = api.ask_as_manager(Method::POST, "/finance/invoices", Some(bill)).await
        else {
            continue;
        };
        let bill = made["invoice"]["invoiceId"].as_str().unwrap_or_default();
        let path = format!("/finance/invoices/{bill}/charge");
        let Ok(made) = api.ask_as_manager(Method::POST, &path, None).await else { continue };
        let Some(payment) = keep(&made, "/payment/paymentId") else { continue };
        if number.is_multiple_of(4) {
            let path = format!("/finance/payments/{payment}/refunds");
            for _ in 0..20 {
                let back =
                    api.ask_as_manager(Method::POST, &path, Some(json!({"amount": 50}))).await;
                if back.is_ok_and(|output| keep(&output, "/payment/refunds/0/refundId").is_some()) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// Waits until no payment and no refund is under way.
async fn wait_until_charged(api: &Api) -> Outcome {
    let deadline = tokio::time::Instant::now() + TIMEOUT;
    loop {
        let mut open = 0;
        for status in ["pending", "processing"] {
            let path = format!("/finance/payments?status={status}&limit=1");
            open += api.ask(Method::GET, &path, None).await?["total"].as_i64().unwrap_or(1);
        }
        if open == 0 {
            // Refunds are sent as jobs, too.
            tokio::time::sleep(Duration::from_secs(2)).await;
            return Ok(());
        }
        if tokio::time::Instant::now() > deadline {
            return Err(format!("{open} payments are still under way").into());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Differences between both books, by what is wrong.
const DIFFERENCES: [(&str, Sql); 5] = [
    (
        "payments that the bank has and we have not",
        Sql(
            "SELECT COUNT(*) FROM sandbox_payment b LEFT JOIN payment p ON p.company_id = b.company_id \
            AND p.payment_id = b.reference WHERE b.company_id = ?1 AND b.state = 'succeeded' \
            AND (p.status IS NULL OR p.status <> 'succeeded' OR p.amount <> b.amount)",
        ),
    ),
    (
        "payments that we have and the bank has not",
        Sql(
            "SELECT COUNT(*) FROM payment p JOIN provider_payment k ON k.company_id = p.company_id \
            AND k.payment_id = p.payment_id LEFT JOIN sandbox_payment b ON b.company_id = p.company_id \
            AND b.reference = p.payment_id WHERE p.company_id = ?1 AND p.status = 'succeeded' \
            AND (b.state IS NULL OR b.state <> 'succeeded')",
        ),
    ),
    (
        "invoices that were charged more than once",
        Sql("SELECT COUNT(*) FROM (SELECT p.invoice_id FROM payment p JOIN sandbox_payment b \
            ON b.company_id = p.company_id AND b.reference = p.payment_id WHERE p.company_id = ?1 \
            AND b.state = 'succeeded' AND p.invoice_id IS NOT NULL \
            GROUP BY p.invoice_id HAVING COUNT(*) > 1) twice"),
    ),
    (
        "payments of which not the same went back",
        Sql(
            "SELECT COUNT(*) FROM sandbox_payment b JOIN payment p ON p.company_id = b.company_id \
            AND p.payment_id = b.reference WHERE b.company_id = ?1 AND p.refunded_total <> b.refunded",
        ),
    ),
    (
        "payments and refunds that are still under way",
        Sql(
            "SELECT (SELECT COUNT(*) FROM payment WHERE company_id = ?1 AND status IN ('pending', 'processing')) \
            + (SELECT COUNT(*) FROM refund WHERE company_id = ?1 AND status = 'pending')",
        ),
    ),
];

const KNOWN: Sql =
    Sql("SELECT (SELECT COUNT(*) FROM payment WHERE company_id = ?1 AND payment_id = ?2) \
    + (SELECT COUNT(*) FROM refund WHERE company_id = ?1 AND refund_id = ?2)");
const COLLECTED: Sql = Sql(
    "SELECT COUNT(*), CAST(COALESCE(SUM(amount - refunded), 0) AS BIGINT) FROM sandbox_payment \
    WHERE company_id = ?1 AND state = 'succeeded'",
);

async fn compare(place: &Place, acknowledged: BTreeSet<String>) -> Outcome<i64> {
    let company: CompanyId = company(&place.data)?;
    let db = filling::open(place.location.clone()).await?;
    let counted = db.read(move |tx| {
        let mut counted = Vec::new();
        for (what, sql) in DIFFERENCES {
            counted.push((what, tx.one::<(i64,)>(sql, params![company])?.map_or(0, |row| row.0)));
        }
        let mut lost = 0;
        for id in &acknowledged {
            let id = Bound::Text(id.clone().into());
            let company = Bound::Text(company.to_string().into());
            lost += i64::from(tx.one::<(i64,)>(KNOWN, &[company, id])? == Some((0,)));
        }
        counted.push(("acknowledged charges and refunds that are lost", lost));
        Ok((counted, tx.one::<(i64, i64)>(COLLECTED, params![company])?.unwrap_or_default()))
    });
    let (counted, (count, sum)) = counted.await?;
    println!("  the bank has {count} payments, {sum} in minor units after what went back");
    for (what, count) in &counted {
        println!("  {count} {what}");
    }
    Ok(counted.iter().map(|(_, count)| count).sum())
}
