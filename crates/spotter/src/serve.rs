//! Serving: opening the database, listening, and stopping without losing anything.

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use spotter_console::operator::Installation;
use spotter_contract::{Env, installation};
use spotter_http::State;
use spotter_kernel::Problem;
use spotter_outbound::{fetch::Fetcher, smtp::Post};
use spotter_payments::Providers;
use spotter_store::{DatabaseLocation, Db, migrate};

use crate::{
    connections,
    instance::{Beside, Instance},
    maintenance, service_manager,
    settings::Settings,
    sockets::Sockets,
    system,
    test_environments::{Dispatcher, TestEnvironments},
};

/// The environment and the database: reads the key, migrates the schema, and checks that both belong together. Waits
/// for a database that cannot be reached, if need be for no longer than a time.
pub(crate) fn open(settings: &Settings, timeout: Option<Duration>) -> Result<(Env, Db), String> {
    let (env, made_key) = environment(settings)?;
    let opened = open_database(settings, &env, timeout);
    let checked = opened.and_then(|(db, is_new)| {
        let checking = env.clone();
        let check = db.write(move |tx| {
            if is_new {
                maintenance::skip_reindexing(tx)?;
            }
            installation::check_key(tx, &checking)
        });
        runtime()?.block_on(check).map(|()| db).map_err(Problem::for_operators)
    });
    if checked.is_err() && made_key {
        // A key that was just made would look like the one that is missing.
        std::fs::remove_file(settings.key_file()).ok();
    }
    checked.map(|db| (env, db))
}

/// The database, and whether it was made just now.
fn open_database(
    settings: &Settings,
    env: &Env,
    timeout: Option<Duration>,
) -> Result<(Db, bool), String> {
    let (now, began) = (|| env.clock.now(), Instant::now());
    loop {
        let opened = migrate(&settings.database.location, now(), |step| {
            service_manager::status(step);
            tracing::info!("{step}");
        })
        .and_then(|version| Ok((Db::open(&settings.database)?, version == 0)));
        match opened {
            Ok(opened) => return Ok(opened),
            Err(problem)
                if problem.status == 503
                    && timeout.is_none_or(|timeout| began.elapsed() < timeout) =>
            {
                let why = problem.for_operators();
                tracing::warn!(%why, "the database cannot be reached; trying again in two seconds");
                std::thread::sleep(Duration::from_secs(2));
            }
            Err(problem) => return Err(problem.for_operators()),
        }
    }
}

/// Makes the data folder, which its owner alone can enter.
pub(crate) fn make_folder(settings: &Settings) -> Result<(), String> {
    system::private_folder(&settings.data)
        .map_err(|error| format!("{}: {error}", settings.data.display()))
}

/// Serves until the stop resolves, then waits for running requests. `ready` is called once requests are accepted.
pub(crate) async fn serve(
    settings: Settings,
    sockets: Sockets,
    env: Env,
    db: Db,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(),
) -> Result<(), String> {
    #[cfg(unix)]
    let _hangups = tokio::spawn(stay_through_hangups());
    let mail_links = settings.mail.is_some().then(|| settings.address().into());
    let mail_sender = settings.mail.as_ref().map_or("", |post| post.sender_address()).into();
    let env = Env { mail_links, mail_sender, ..env };
    let beside = Beside::Nothing(metrics());
    let mut instance = Instance::start(&settings, env.clone(), db.clone(), beside)?;
    let state = instance.state.clone();
    let tests = TestEnvironments::new(&settings, &state);
    let unused = tokio::spawn(tests.clone().stop_unused());
    instance.add_worker(Arc::new(tests.clone()));
    let installation = Installation {
        version: env!("CARGO_PKG_VERSION"),
        started_at: env.clock.now(),
        settings: settings.in_force.clone(),
        data: settings.data.clone(),
        certificate: settings.tls.as_ref().map(|(certificate, _)| certificate.clone()),
    };
    let own = post_box(settings.mail.as_ref())
        .merge(spotter_console::operator::router(state.clone(), installation));
    let all = std::mem::take(&mut instance.routes).merge(with_transport_security(&settings, own));
    let all = Dispatcher::new(&tests, &state, all);
    let assistants = Dispatcher::new(&tests, &state, std::mem::take(&mut instance.assistants));
    let timeout = Duration::from_secs(settings.shutdown_seconds);
    let most = connections::most(settings.connections_max, system::raise_open_files());
    let serving = sockets.serve(&settings, most, all, assistants).await?;
    tracing::info!(listen = %settings.listen, tls = settings.tls.is_some(), "serving");
    ready();
    service_manager::ready(&settings.address());
    let alive = tokio::spawn(service_manager::keep_alive());
    stop.await;
    service_manager::stopping();
    tracing::info!(seconds = settings.shutdown_seconds, "stopping: no new requests");
    state.stop();
    tests.stop_streams();
    let ended = serving.close(timeout).await;
    // After the last request, so that what it queued may still be on its way.
    unused.abort();
    unused.await.ok();
    tests.stop(timeout).await;
    // The database is closed by the last who holds it.
    drop((state, tests, db));
    instance.stop(timeout).await;
    alive.abort();
    tracing::info!("stopped");
    ended
}

/// Everything that an environment serves: the APIs, the MCP server, the pages.
pub fn service(state: &Arc<State>, providers: &Providers, fetcher: Fetcher) -> axum::Router {
    let others = spotter_mcp::router(state.clone(), fetcher).merge(side_routes(state, providers));
    spotter_http::serve_also(state.clone(), others)
}

/// The same without the MCP server, and that by itself.
pub(crate) fn apart(
    state: &Arc<State>,
    providers: &Providers,
    fetcher: Fetcher,
) -> (axum::Router, axum::Router) {
    let all = spotter_http::serve_also(state.clone(), side_routes(state, providers));
    let assistants = spotter_mcp::router(state.clone(), fetcher).merge(spotter_console::style());
    (all, spotter_http::serve_only(state.clone(), assistants))
}

/// Routes beside the APIs.
fn side_routes(state: &Arc<State>, providers: &Providers) -> axum::Router {
    let pages = spotter_console::router(state.clone());
    pages
        .merge(spotter_payments::router(state.clone(), providers.clone()))
        .merge(spotter_documentation::router())
}

/// Has browsers use TLS only from now on (RFC 6797) where it ends here; otherwise a proxy in front sends the header.
pub(crate) fn with_transport_security(settings: &Settings, routes: axum::Router) -> axum::Router {
    match settings.tls {
        Some(_) => routes.layer(axum::middleware::map_response(over_tls_alone)),
        None => routes,
    }
}

async fn over_tls_alone(mut response: Response<Body>) -> Response<Body> {
    let year = HeaderValue::from_static("max-age=31536000");
    response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, year);
    response
}

/// The page of a mailbox of one's own, where mail goes to one.
fn post_box(mail: Option<&Post>) -> axum::Router {
    match mail {
        Some(Post::Mailbox(mailbox)) => spotter_console::mailbox::router(mailbox.clone()),
        _ => axum::Router::new(),
    }
}

/// On SIGHUP, from a closing terminal or a request to reload, logs that settings are only read at start and
/// continues.
#[cfg(unix)]
pub(crate) async fn stay_through_hangups() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangups) = signal(SignalKind::hangup()) else { return };
    while hangups.recv().await.is_some() {
        tracing::info!("SIGHUP ignored: settings are read at the start");
    }
}

/// Resolves when the process is asked to stop.
pub(crate) async fn shutdown_signal() {
    let interrupt = async {
        tokio::signal::ctrl_c().await.ok();
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! { () = interrupt => {}, _ = terminate.recv() => {} }
            }
            Err(_) => interrupt.await,
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}

/// The recorder behind /metrics; a process has one.
fn metrics() -> Option<PrometheusHandle> {
    static HANDLE: std::sync::OnceLock<Option<PrometheusHandle>> = std::sync::OnceLock::new();
    let install = || {
        let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];
        let sizes = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
        PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &seconds)
            .and_then(|builder| {
                builder.set_buckets_for_metric(Matcher::Suffix("_size".into()), &sizes)
            })
            .and_then(PrometheusBuilder::install_recorder)
            .ok()
    };
    let handle = HANDLE.get_or_init(install).clone();
    crate::metric_descriptions::describe();
    handle
}

/// The hold on the data folder that a process needs which writes SQLite's file.
pub(crate) fn hold(settings: &Settings) -> Result<Option<std::fs::File>, String> {
    match settings.database.location {
        DatabaseLocation::File(_) => system::lock(&settings.data).map(Some),
        DatabaseLocation::Server(_) => Ok(None),
    }
}

/// The environment of a running process, and whether its key was made now.
fn environment(settings: &Settings) -> Result<(Env, bool), String> {
    let (networks, (key, made)) = (&settings.webhooks.private_networks, settings.key()?);
    let env = Env {
        mcp_refresh_grace_seconds: settings.mcp_refresh_grace_seconds,
        mcp_any_loopback_port: settings.mcp_any_loopback_port,
        ..system::env(&key, networks, &settings.address(), &settings.mcp_address())
    };
    Ok((env, made))
}

/// A runtime for the commands.
pub(crate) fn runtime() -> Result<Arc<tokio::runtime::Runtime>, String> {
    tokio::runtime::Runtime::new().map(Arc::new).map_err(|error| error.to_string())
}
