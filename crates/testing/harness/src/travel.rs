//! A company whose clock the scenario sets.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use spotter_contract::Env;
use spotter_kernel::{Clock, Timestamp};
use spotter_store::{Sql, params};

use crate::{App, Engine, PASSWORD, assert_metrics, public_safe, runtime, send, start_as, text};

/// A clock that stands where it is set.
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A company on a server of its own, whose clock the scenario sets.
pub struct Travel {
    /// The company.
    pub app: App,
    clock: Arc<Hands>,
}

impl Travel {
    /// Advances to an instant: due work runs at its own time.
    pub async fn to(&mut self, at: &str) {
        const NEXT: Sql = Sql("SELECT MIN(at) FROM (SELECT due_at AS at FROM timer \
            UNION ALL SELECT due_at FROM job WHERE due_at IS NOT NULL \
            UNION ALL SELECT next_at FROM sandbox_payment UNION ALL SELECT next_at FROM sandbox_dispute) AS next \
            WHERE at > ?1 HAVING MIN(at) IS NOT NULL");
        let at = Timestamp::parse(at).unwrap();
        // Earlier work is finished before time continues.
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

    /// Lets a number of seconds pass, after earlier work is finished.
    pub async fn wait(&mut self, seconds: i64) {
        self.to(&self.now().to_string()).await;
        let at = self.now().plus_seconds(seconds);
        self.to(&at.to_string()).await;
    }

    /// The clock's time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Jumps to an instant, as a server that slept until then.
    pub async fn leap(&mut self, at: Timestamp) {
        self.set(at).await;
        self.app.token = self.app.issue(&self.app.client_id, &self.app.client_secret).await;
        let login = json!({"email": self.app.admin_email, "password": PASSWORD,
            "companyId": self.app.company.to_string()});
        let request = self.app.server.request("POST", "/app/v1/auth/login").json(&login);
        self.app.coach_token = text(send(request).await.ok().data(), "/session/accessToken");
    }

    /// Sets the clock only: due work runs beside the scenario.
    pub fn set_clock(&self, at: Timestamp) {
        self.clock.0.store(at.millis(), Ordering::SeqCst);
    }

    /// Sets the clock, and waits until no timer is due and no job is left.
    async fn set(&self, at: Timestamp) {
        self.set_clock(at);
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
        (env.wall_clock, env.clock) = (hands.clone(), hands);
        set(env);
    }));
    runtime().block_on(async {
        let app = App::new(server.clone()).await;
        app.app("PATCH", "/company/settings", Some(json!({"timeZone": "UTC"}))).await.ok();
        app.events().await;
        let company = app.company;
        scenario(Travel { app, clock }).await;
        public_safe::check().await;
        assert_metrics(&server, company).await;
    });
}

/// The names of events since the last look, sorted: simultaneous work has no order.
pub async fn sent_letters(app: &App) -> Vec<String> {
    let mut names: Vec<String> = app.events().await.into_iter().map(|(name, _)| name).collect();
    names.sort();
    names
}
