//! An environment: its database, its routes and its background work. A process has the real one, and one for each test
//! environment in use.

use std::{sync::Arc, time::Duration};

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use spotter_contract::{Env, Table};
use spotter_files::Files;
use spotter_http::State;
use spotter_jobs::{
    jobs::{Jobs, Worker},
    timers::Timers,
};
use spotter_kernel::{Problem, secret::EnvironmentMode};
use spotter_outbound::{fetch::Fetcher, http_client::SystemLookUp};
use spotter_payments::Providers;
use spotter_store::Db;
use spotter_webhooks::{ALERT_OF_FAILURES, engine::Engine, sender::Sender};
use tokio::{
    sync::{oneshot, watch},
    task::{JoinHandle, JoinSet},
};

use crate::{
    data_exports::Exporter,
    importing::{Importer, SLICE},
    machine::Machine,
    mail::{self, Mailer},
    maintenance::{self, Retention},
    push::Pusher,
    serve,
    settings::Settings,
    system,
};

/// Factor from fresh attempts to attempts that may wait for an answer.
const WAITING_FACTOR: u32 = 16;

/// A running environment, until it is [stopped](Instance::stop).
pub(crate) struct Instance {
    pub(crate) state: Arc<State>,
    /// What it serves.
    pub(crate) routes: Router,
    /// The MCP server, where it has an address of its own.
    pub(crate) assistants: Router,
    db: Db,
    env: Env,
    patience: Duration,
    stop_deliveries: oneshot::Sender<()>,
    deliveries: JoinHandle<()>,
    stop_timers: oneshot::Sender<()>,
    timers: JoinHandle<()>,
    stop_jobs: watch::Sender<bool>,
    workers: JoinSet<()>,
    upkeep: JoinHandle<()>,
}

/// What an environment stands beside.
pub(crate) enum Beside<'l> {
    /// The real one, with the recorder of its metrics.
    Nothing(Option<PrometheusHandle>),
    /// The real one of a test environment.
    Live(&'l State),
}

impl Instance {
    /// Starts the background work, and makes the routes.
    pub(crate) fn start(
        settings: &Settings,
        env: Env,
        db: Db,
        beside: Beside<'_>,
    ) -> Result<Self, String> {
        let webhooks = &settings.webhooks;
        let networks = env.private_networks.clone();
        let sender = Sender::new(networks, &webhooks.certificate_authority, Arc::new(SystemLookUp))
            .map_err(|problem| problem.to_string())?;
        let fetcher = Fetcher::new(
            settings.mcp_private_networks.clone().into(),
            &webhooks.certificate_authority,
            Arc::new(SystemLookUp),
        )
        .map_err(Problem::for_operators)?;
        let files = Files::open(&settings.files).map_err(|trouble| trouble.to_string())?;
        let table = Arc::new(Table::new(crate::areas::areas()));
        let metrics = match &beside {
            Beside::Nothing(metrics) => metrics.clone(),
            Beside::Live(_) => None,
        };
        let state = State::new(
            db.clone(),
            env.clone(),
            table.clone(),
            settings.http.clone(),
            sender.clone(),
            files.clone(),
            metrics,
        );
        let state = Arc::new(match beside {
            Beside::Nothing(_) => state,
            Beside::Live(live) => state.counting_with(live),
        });
        let providers = Providers::new(db.clone(), env.clone(), &settings.stripe_url)
            .map_err(Problem::for_operators)?;
        let (routes, assistants) = match settings.mcp_listen {
            None => (serve::service(&state, &providers, fetcher), Router::new()),
            Some(_) => serve::apart(&state, &providers, fetcher),
        };
        let [routes, assistants] =
            [routes, assistants].map(|routes| serve::with_transport_security(settings, routes));
        let patience = Duration::from_secs(settings.shutdown_seconds);
        let (stop_deliveries, stop) = oneshot::channel::<()>();
        let engine = Engine {
            db: db.clone(),
            env: env.clone(),
            sender: sender.clone(),
            concurrency: webhooks.concurrency,
            waiting: waiting_attempts(webhooks.concurrency),
            alert: settings.mail.is_some().then_some(&ALERT_OF_FAILURES),
        };
        let deliveries = tokio::spawn(engine.run(async move { drop(stop.await) }, patience));
        let (stop_timers, stop) = oneshot::channel::<()>();
        let timers = Timers { db: db.clone(), env: env.clone(), table: table.clone() };
        let timers = tokio::spawn(timers.run(async move { drop(stop.await) }));
        let machine = (env.mode == EnvironmentMode::Live).then(|| Machine {
            data: settings.data.clone(),
            certificate: settings.tls.as_ref().map(|(certificate, _)| certificate.clone()),
        });
        let keeps = Retention {
            webhook_days: webhooks.retention_days,
            access_log_days: settings.access_log_days,
        };
        let upkeep = maintenance::run(
            db.clone(),
            env.clone(),
            files.clone(),
            state.metrics.clone(),
            keeps,
            machine,
        );
        let mut instance = Self {
            state,
            routes,
            assistants,
            db: db.clone(),
            env: env.clone(),
            patience,
            stop_deliveries,
            deliveries,
            stop_timers,
            timers,
            stop_jobs: watch::Sender::new(false),
            workers: JoinSet::new(),
            upkeep: tokio::spawn(upkeep),
        };
        for (post, job) in
            settings.mail.iter().flat_map(|post| mail::JOBS.map(|job| (post.clone(), job)))
        {
            let mailer = Mailer { db: db.clone(), env: env.clone(), post, job };
            instance.add_worker(Arc::new(mailer));
        }
        let pusher = Pusher::new(&db, &env, sender.client()).map_err(Problem::for_operators)?;
        instance.add_worker(Arc::new(pusher));
        for worker in spotter_payments::workers(&providers) {
            instance.add_worker(worker);
        }
        let exporter = Exporter { db: db.clone(), env: env.clone(), table: table.clone(), files };
        instance.add_worker(Arc::new(exporter));
        instance.add_worker(Arc::new(Importer { db, env, table, turn: SLICE }));
        let stop = instance.stop_jobs.subscribe();
        instance.workers.spawn(providers.run_sandbox(stop));
        Ok(instance)
    }

    /// Has jobs of one more kind done.
    pub(crate) fn add_worker(&mut self, worker: Arc<dyn Worker>) {
        let jobs = Jobs { db: self.db.clone(), env: self.env.clone(), worker };
        self.workers.spawn(jobs.run(self.stop_jobs.subscribe(), self.patience));
    }

    /// Stops the background work, and closes the database. Work in progress may finish within a time limit.
    pub(crate) async fn stop(mut self, patience: Duration) {
        self.state.stop();
        self.stop_deliveries.send(()).ok();
        self.stop_timers.send(()).ok();
        self.stop_jobs.send(true).ok();
        self.deliveries.await.ok();
        while self.workers.join_next().await.is_some() {}
        // One that is cut off here is still in its row, or has run.
        tokio::time::timeout(patience, self.timers).await.ok();
        self.upkeep.abort();
        self.upkeep.await.ok();
        drop((self.state, self.routes, self.assistants));
        let db = self.db;
        let closed = tokio::task::spawn_blocking(move || db.close(patience)).await;
        if !closed.unwrap_or(false) {
            tracing::warn!("transactions were in progress at shutdown");
        }
    }
}

/// How many attempts of deliveries may wait for an answer at once.
fn waiting_attempts(concurrency: u32) -> u32 {
    let files = u32::try_from(system::raise_open_files() / 4).unwrap_or(u32::MAX);
    (WAITING_FACTOR * concurrency).min(files)
}
