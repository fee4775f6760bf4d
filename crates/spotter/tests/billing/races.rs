//! Races for money, and books that hold in any order of events.

use std::collections::BTreeMap;

use futures_util::future::{join_all, join3};
use serde_json::{Value, json};
use spotter_billing::audit;
use spotter_contract::Table;
use spotter_harness::{
    App, Engine,
    billing::{get_subscription, invoices, new_product, sold},
    dice::Dice,
    open, runtime, scenario, text,
    travel::{Travel, travelling},
};
use spotter_jobs::timers::Timers;
use spotter_kernel::Date;
use spotter_store::{Config, Db, Sql, params};

use super::collecting::{payments, submit};

async fn card(app: &App, client: &str, token: &str) {
    let path = format!("/finance/clients/{client}/payment-methods");
    app.app("POST", &path, Some(json!({"sandboxToken": token}))).await.ok();
}

async fn connect(app: &App) {
    let sandbox = json!({"provider": "sandbox"});
    app.app("PUT", "/company/payment-provider", Some(sandbox)).await.ok();
}

/// A link, the company's own charges and cash, all at once.
#[scenario]
async fn an_invoice_is_paid_once_under_races(app: App) {
    const PAID: Sql =
        Sql("SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM sandbox_payment b \
        WHERE b.company_id = ?1 AND b.state = 'succeeded' AND b.reference IN \
        (SELECT payment_id FROM payment p WHERE p.company_id = ?1 AND p.invoice_id = ?2)");
    connect(&app).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    card(&app, &client, "sandbox_ok").await;
    let mut ways = [0; 2];
    for _ in 0..8 {
        let lines = json!([{"description": "Towel", "amount": 1000}]);
        let new = json!({"clientId": client, "lines": lines});
        let made = app.app("POST", "/finance/invoices", Some(new)).await.ok();
        let bill = text(made.data(), "/invoice/invoiceId");
        let request = app.app("POST", &format!("/finance/invoices/{bill}/pay"), None).await.ok();
        let url = text(request.data(), "/paymentRequest/payUrl");
        let path = format!("/finance/invoices/{bill}/charge");
        let charges = join_all((0..4).map(|_| app.app("POST", &path, None)));
        let cash = json!({"clientId": client, "invoiceId": bill, "kind": "cash", "amount": 400});
        let cash = app.app("POST", "/finance/payments", Some(cash));
        let page = async {
            let there = submit(&app, &url, &[]).await;
            // Where a charge was quicker there is no page to pay on.
            if there.contains("/sandbox-bank/") {
                submit(&app, &there, &[("token", "sandbox_ok")]).await;
            }
        };
        let (charged, cash, ()) = join3(charges, cash, page).await;
        let charged = charged.iter().filter(|reply| reply.status == 201).count();
        assert!(charged <= 1, "{charged} charges of one bill");
        assert!(matches!(cash.status, 201 | 409), "{}", cash.body);
        ways[charged] += 1;
        for _ in 0..400 {
            let open = payments(&app, &client).await;
            let under_way =
                |one: &&Value| matches!(text(one, "/status").as_str(), "pending" | "processing");
            if open.iter().find(under_way).is_none() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        let company = app.company;
        let id = bill.clone();
        let paid = app.server.db.read(move |tx| {
            tx.one::<(i64,)>(PAID, params![company, spotter_kernel::Id::parse(&id)])
        });
        let paid = paid.await.unwrap().unwrap().0;
        assert!(paid <= 1000, "the bank took {paid} for a bill of 1000");
        // The rest, if a page closed during a partial payment, is paid at the desk.
        let is = app.get(&format!("/finance/invoices/{bill}")).await.ok();
        if is.data()["invoice"]["balance"] != 0 {
            spotter_harness::billing::pay(&app, &client, &bill, None).await;
        }
    }
    assert!(ways[0] + ways[1] == 8);
}

#[scenario(process, clock)]
fn two_nodes_renew_once(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        connect(&travel.app).await;
        let server = travel.app.server.clone();
        let db: Db = match engine {
            Engine::Sqlite => server.db.clone(),
            Engine::Postgres => open(&Config::new(server.location.clone())),
        };
        let table = Table::new(spotter::areas::areas()).into();
        let other = Timers { db, env: server.env.clone(), table };
        let other = runtime().spawn(other.run(std::future::pending()));
        let mut clients = Vec::new();
        for _ in 0..12 {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            card(&travel.app, &client, "sandbox_ok").await;
            let gold = json!({"assignCredits": true, "credits": 4});
            sold(&travel.app, &client, gold, json!({"collection": "automatic"})).await;
            clients.push(client);
        }
        travel.to("2027-02-02T12:00:00Z").await;
        other.abort();
        let mut numbers = Vec::new();
        for client in &clients {
            let all = invoices(&travel.app, client).await;
            assert_eq!(all.len(), 4);
            assert!(all.iter().all(|one| one["status"] == "paid"), "{all:?}");
            assert_eq!(payments(&travel.app, client).await.len(), 4);
            numbers.extend(all.iter().map(|one| text(one, "/number")));
        }
        numbers.sort();
        let of = |year: i32, count: usize| {
            (1..=count).map(move |number| format!("INV-{year}-{number:06}"))
        };
        let wanted: Vec<_> = of(2026, 24).chain(of(2027, 24)).collect();
        assert_eq!(numbers, wanted);
    });
}

#[scenario(process, clock)]
fn cancelling_during_renewal_bills_correctly(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let mut all = Vec::new();
        for _ in 0..10 {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            all.push((sold(&travel.app, &client, json!({}), json!({})).await, client));
        }
        travel.to("2026-12-01T23:59:00Z").await;
        // The clock reaches the day, and all cancel while the timers run.
        let at = spotter_kernel::Timestamp::parse("2026-12-02T00:00:01Z").unwrap();
        travel.set_clock(at);
        let body = json!({"immediately": true});
        let ended = join_all(all.iter().map(|(one, _)| {
            let path = format!("/finance/subscriptions/{}/cancellation-requests", one.course);
            let (app, body) = (&travel.app, body.clone());
            async move { app.app("POST", &path, Some(body)).await.ok() }
        }));
        ended.await;
        travel.to("2027-02-02T09:00:00Z").await;
        for (one, client) in &all {
            let is = get_subscription(&travel.app, &one.course).await;
            assert_eq!(
                (&is["status"], &is["endDate"]),
                (&json!("cancelled"), &json!("2026-12-02"))
            );
            // The first period stays billed; the second is credited.
            let bills = invoices(&travel.app, client).await;
            let owed: i64 = bills
                .iter()
                .filter(|bill| bill["kind"] == "invoice" && bill["periodStart"] != "2026-11-02")
                .map(|bill| bill["balance"].as_i64().unwrap())
                .sum();
            assert_eq!(owed, 0, "{bills:?}");
        }
    });
}

/// The same where the renewal was certainly first, ended by staff or by the leaving client.
#[scenario(process, clock)]
fn an_end_on_the_renewal_day_is_not_billed(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        for way in ["cancelled", "revoked", "left"] {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            let day = travel.now().to_string()[..10].to_owned();
            let one = sold(&travel.app, &client, json!({"period": "Week"}), json!({})).await;
            spotter_harness::billing::pay(&travel.app, &client, &one.invoice, None).await;
            travel.to(&travel.now().plus_days(7).to_string()).await;
            let renewed = invoices(&travel.app, &client).await;
            assert_eq!(renewed.len(), 2, "{way}");
            let ended = match way {
                "cancelled" => {
                    let path =
                        format!("/finance/subscriptions/{}/cancellation-requests", one.course);
                    travel.app.app("POST", &path, Some(json!({"immediately": true}))).await
                }
                "revoked" => {
                    let product =
                        text(&get_subscription(&travel.app, &one.course).await, "/clientProductId");
                    let path = format!("/finance/client-products/{product}/revoke");
                    travel.app.app("POST", &path, Some(json!({"reason": "Moved"}))).await
                }
                _ => travel.app.post(&format!("/clients/{client}/archive"), json!({})).await,
            };
            ended.ok();
            for bill in invoices(&travel.app, &client).await {
                if bill["kind"] != "invoice" {
                    continue;
                }
                let credited = if bill["periodStart"] == day.as_str() { 0 } else { 4900 };
                assert_eq!(bill["creditedTotal"], credited, "{way} {bill}");
                assert_eq!(bill["balance"], 0, "{way} {bill}");
            }
        }
    });
}

/// The next invoice of each membership: date and amount.
async fn upcoming_invoices(app: &App, subscriptions: &[String]) -> BTreeMap<String, (String, i64)> {
    let mut response = BTreeMap::new();
    for id in subscriptions {
        let path = format!("/finance/subscriptions/{id}/bills-to-come");
        let bills = app.app("GET", &path, None).await.ok();
        if let Some(bill) = bills.data()["billsToCome"].get(0) {
            let amount = bill["amount"].as_i64().unwrap();
            response.insert(id.clone(), (text(bill, "/periodStart"), amount));
        }
    }
    response
}

#[scenario(process, clock)]
fn the_books_hold_whatever_happens(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        connect(&travel.app).await;
        let mut dice = Dice(20_261_123);
        let (mut clients, mut subscriptions) = (Vec::new(), Vec::new());
        for token in ["sandbox_ok", "sandbox_slow_ok", "sandbox_insufficient", "sandbox_slow_fail"]
        {
            let client = travel.app.new_client(json!({"firstName": token})).await;
            card(&travel.app, &client, token).await;
            clients.push(client);
        }
        let mut products = Vec::new();
        for (period, price) in [("Month", 4900), ("FourWeeks", 3333), ("Week", 1001)] {
            let facts = json!({"productType": "Membership", "price": price, "vatPercentage": 21,
                "period": period, "autoRenew": true, "assignCredits": true, "credits": 3});
            products.push(new_product(&travel.app, facts).await);
        }
        let mut done = BTreeMap::<&str, usize>::new();
        for _ in 0..90 {
            let client = dice.pick(&clients).unwrap().clone();
            let subscription = dice.pick(&subscriptions).cloned().unwrap_or_default();
            let days = 1 + dice.below(8) as i64;
            let date = |days: i64| {
                let today = Date::parse(&travel.now().to_string()[..10]).unwrap();
                today.plus_days(days).unwrap().to_string()
            };
            let bills = invoices(&travel.app, &client).await;
            let bill = dice.pick(&bills).map(|one| text(one, "/invoiceId")).unwrap_or_default();
            let paid = payments(&travel.app, &client).await;
            let payment = dice.pick(&paid).map(|one| text(one, "/paymentId")).unwrap_or_default();
            let amount = 1 + dice.below(3000);
            let membership = format!("/finance/subscriptions/{subscription}");
            let (what, method, path, body) = match dice.below(12) {
                0 | 1 if subscriptions.len() < 12 => {
                    let collection = ["automatic", "manual"][dice.below(2)];
                    let product = dice.pick(&products).unwrap();
                    let sale = json!({"productId": product, "collection": collection,
                        "startsOn": date(days - 1)});
                    let path = format!("/finance/clients/{client}/memberships");
                    ("sell", "POST", path, sale)
                }
                2 => {
                    let new = json!({"clientId": client, "amount": amount, "kind": "cash"});
                    ("pay", "POST", "/finance/payments".to_owned(), new)
                }
                3 => {
                    let path = format!("/finance/payments/{payment}/refunds");
                    ("refund", "POST", path, json!({"amount": amount}))
                }
                4 => {
                    let path = format!("/finance/invoices/{bill}/credit-notes");
                    ("credit", "POST", path, json!({"amount": amount}))
                }
                5 => {
                    let rest = json!({"from": date(days), "until": date(days + 9)});
                    ("pause", "POST", format!("{membership}/pause-requests"), rest)
                }
                6 => {
                    let now = json!({"immediately": dice.below(3) == 0});
                    ("cancel", "POST", format!("{membership}/cancellation-requests"), now)
                }
                7 => ("stay", "POST", format!("{membership}/cancellation/undo"), Value::Null),
                8 => ("resume", "POST", format!("{membership}/resume"), Value::Null),
                9 => ("charge", "POST", format!("/finance/invoices/{bill}/charge"), Value::Null),
                10 => {
                    let path = format!("/finance/clients/{client}/credits/adjustments");
                    ("adjust", "POST", path, json!({"amount": amount as i64 % 5 - 2}))
                }
                _ => ("wait", "", String::new(), Value::Null),
            };
            if what != "wait" {
                let body = Some(body).filter(|body| !body.is_null());
                let reply = travel.app.app(method, &path, body).await;
                assert!(reply.status < 500, "{what} {path}: {}", reply.body);
                if reply.status < 300 {
                    *done.entry(what).or_default() += 1;
                    if what == "sell" {
                        subscriptions.push(text(reply.data(), "/subscription/subscriptionId"));
                    }
                }
                continue;
            }
            *done.entry(what).or_default() += 1;
            let before = upcoming_invoices(&travel.app, &subscriptions).await;
            let at = travel.now().plus_days(days);
            travel.to(&at.to_string()).await;
            let mut issued = Vec::new();
            for client in &clients {
                issued.extend(invoices(&travel.app, client).await);
            }
            for (id, (start, amount)) in before {
                let is_it = |one: &&Value| {
                    one["kind"] == "invoice"
                        && one["subscriptionId"] == id
                        && one["periodStart"] == start
                };
                match issued.iter().find(is_it) {
                    Some(bill) => assert_eq!(bill["grossTotal"], amount, "{id} from {start}"),
                    None => {
                        let is = self::get_subscription(&travel.app, &id).await;
                        let due = *start <= *date_of(&travel);
                        let ended =
                            matches!(text(&is, "/status").as_str(), "cancelled" | "expired");
                        assert!(!due || ended, "{id} was to be billed on {start}: {is}");
                    }
                }
            }
            let now = travel.app.server.env.clock.now();
            let found =
                travel.app.server.db.read(move |tx| audit::all_findings(tx, now)).await.unwrap();
            assert!(found.is_empty(), "{found:?}");
        }
        for what in ["sell", "pay", "refund", "credit", "pause", "cancel", "wait"] {
            assert!(done.get(what).is_some_and(|count| *count > 0), "{done:?}");
        }
    });
}

fn date_of(travel: &Travel) -> String {
    travel.now().to_string()[..10].to_owned()
}
