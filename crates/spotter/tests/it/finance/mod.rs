//! Finance: what is sold, billed, paid and used up, over HTTP on both engines; with a clock of its own
//! where months go by.

mod admission;
mod billing_schedule;
mod collecting;
mod credits;
mod dunning;
mod far;
mod freed;
pub mod invoice_pdf;
mod letters;
mod money;
mod products;
mod races;
mod requests;
mod sales;
mod stripe;

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use spotter_contract::Env;
use spotter_kernel::{Clock, Timestamp};
use spotter_store::{Sql, params};

use crate::{
    harness::{App, Engine, PASSWORD, figures_hold, public_safe, runtime, send, start_as},
    workout::text,
};

/// Creates a day pass with these facts beside the least.
pub async fn new_product(app: &App, facts: Value) -> String {
    let mut body = json!({"productType": "DayPass", "name": {"en": "Day pass"}, "price": 1250});
    body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let made = app.app("POST", "/products", Some(body)).await.ok();
    made.data()["product"]["productId"].as_str().unwrap().to_owned()
}

/// A clock that stands where it is put.
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A company on a server of its own, whose clock the scenario sets.
pub struct Travel {
    pub app: App,
    clock: Arc<Hands>,
}

impl Travel {
    /// Goes to an instant as time does: what is due on the way runs when it is.
    pub async fn to(&mut self, at: &str) {
        const NEXT: Sql = Sql("SELECT MIN(at) FROM (SELECT due_at AS at FROM timer \
            UNION ALL SELECT due_at FROM job WHERE due_at IS NOT NULL \
            UNION ALL SELECT next_at FROM sandbox_payment UNION ALL SELECT next_at FROM sandbox_dispute) AS next \
            WHERE at > ?1 HAVING MIN(at) IS NOT NULL");
        let at = Timestamp::parse(at).unwrap();
        // What was begun just now is done before time goes on.
        self.set(self.clock.now()).await;
        loop {
            let now = self.clock.now();
            let next =
                self.app.server.db.read(move |tx| tx.one::<(Timestamp,)>(NEXT, params![now]));
            let Some((due_at,)) = next.await.unwrap().filter(|(due_at,)| *due_at < at) else {
                break;
            };
            self.set(due_at).await;
        }
        self.leap(at).await;
    }

    /// What the clock shows.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Goes to an instant at once, as a server does that slept until then.
    pub async fn leap(&mut self, at: Timestamp) {
        self.set(at).await;
        self.app.token = self.app.issue(&self.app.client_id, &self.app.client_secret).await;
        let login = json!({"email": self.app.admin_email, "password": PASSWORD,
            "companyId": self.app.company.to_string()});
        let request = self.app.server.request("POST", "/app/v1/auth/login").json(&login);
        self.app.coach_token = text(send(request).await.ok().data(), "/session/accessToken");
    }

    /// Sets the clock, and waits until no timer is due and no job is left.
    async fn set(&self, at: Timestamp) {
        self.clock.0.store(at.millis(), Ordering::SeqCst);
        const DUE: Sql = Sql("SELECT (SELECT COUNT(*) FROM timer WHERE due_at <= ?1) \
            + (SELECT COUNT(*) FROM job WHERE state IN ('waiting', 'unknown') \
            AND (due_at <= ?1 OR lease IS NOT NULL)) \
            + (SELECT COUNT(*) FROM sandbox_notice n JOIN payment_provider p ON p.company_id = n.company_id) \
            + (SELECT COUNT(*) FROM sandbox_payment WHERE next_at <= ?1) \
            + (SELECT COUNT(*) FROM sandbox_dispute WHERE next_at <= ?1)");
        let (now, began) = (self.clock.now(), Instant::now());
        loop {
            let due = self.app.server.db.read(move |tx| tx.one::<(i64,)>(DUE, params![now]));
            if due.await.unwrap() == Some((0,)) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "timers do not settle");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Runs a scenario from an instant on.
pub fn travelling<F>(engine: Engine, from: &str, scenario: impl FnOnce(Travel) -> F)
where
    F: Future<Output = ()>,
{
    travelling_as(engine, from, |_| (), scenario);
}

/// The same on a server that is set up otherwise.
pub fn travelling_as<F>(
    engine: Engine,
    from: &str,
    set: impl FnOnce(&mut Env),
    scenario: impl FnOnce(Travel) -> F,
) where
    F: Future<Output = ()>,
{
    let clock = Arc::new(Hands(AtomicI64::new(Timestamp::parse(from).unwrap().millis())));
    let hands = clock.clone();
    let server = Arc::new(start_as(engine, |env| {
        env.clock = hands;
        set(env);
    }));
    runtime().block_on(async {
        let app = App::new(server.clone()).await;
        app.app("PATCH", "/company/settings", Some(json!({"timeZone": "UTC"}))).await.ok();
        app.events().await;
        let company = app.company;
        scenario(Travel { app, clock }).await;
        public_safe::check().await;
        figures_hold(&server, company).await;
    });
}

/// The events since the last look, in the order of their names: what runs at one instant has none.
pub async fn sent_letters(app: &App) -> Vec<String> {
    let mut names: Vec<String> = app.events().await.into_iter().map(|(name, _)| name).collect();
    names.sort();
    names
}

/// A membership that is sold.
pub struct Sold {
    pub product: String,
    pub course: String,
    pub invoice: String,
}

/// Sells a membership with these facts to a client, from a day on.
pub async fn sold(app: &App, client: &str, facts: Value, sale: Value) -> Sold {
    let mut all = json!({"productType": "Membership", "name": {"en": "Gold"}, "price": 4900,
        "vatPercentage": 21, "period": "Month", "autoRenew": true});
    all.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let mut sale = sale;
    sale["productId"] = json!(new_product(app, all).await);
    let made = app.post(&format!("/finance/clients/{client}/memberships"), sale).await.ok();
    Sold {
        product: text(made.data(), "/clientProduct/clientProductId"),
        course: text(made.data(), "/subscription/subscriptionId"),
        invoice: text(made.data(), "/invoice/invoiceId"),
    }
}

/// A membership as it stands.
pub async fn get_subscription(app: &App, id: &str) -> Value {
    let response = app.get(&format!("/finance/subscriptions/{id}")).await.ok();
    response.data()["subscription"].clone()
}

/// A client's invoices and credit notes, the first issued first.
pub async fn invoices(app: &App, client: &str) -> Vec<Value> {
    let response = app.get(&format!("/finance/invoices?clientId={client}&limit=100")).await.ok();
    let mut all = response.data()["invoices"].as_array().unwrap().clone();
    all.sort_by_key(|one| (text(one, "/createdAt"), text(one, "/series"), text(one, "/number")));
    all
}

/// Pays an invoice, or some of it, at the desk.
pub async fn pay(app: &App, client: &str, invoice: &str, amount: Option<i64>) -> Value {
    let paid = json!({"clientId": client, "invoiceId": invoice, "amount": amount, "kind": "cash"});
    let made = app.app("POST", "/finance/payments", Some(paid)).await.ok();
    made.data()["payment"].clone()
}
