//! The servers that scenarios run against: one for each engine, in this process, or the binary that
//! SPOTTER_TEST_BINARY names, as it is built for users.

mod process;

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::extract::ConnectInfo;
use serde_json::Value;
use spotter::{data_exports::Exporter, importing::Importer, mail::Mailer};
use spotter_contract::{Env, Table, Vault};
use spotter_files::{FileStore, Files};
use spotter_http::{HttpSettings, State};
use spotter_jobs::{
    jobs::{Jobs, Worker, enter_due_jobs},
    timers::Timers,
};
use spotter_kernel::{Clock, Timestamp, id::CompanyId, secret::EnvironmentMode};
use spotter_outbound::smtp::{Mailbox, Post};
use spotter_reports::recount;
use spotter_store::{Config, DatabaseLocation, Db, Tx, migrate};
use spotter_webhooks::{engine, sender::Sender};
use tokio::runtime::Runtime;
use tower_service::Service;

use super::{App, Engine, postgres, public_safe, push, receiver};
pub use process::wait_ready;
use process::{start_process, start_process_with};

/// The runtime of servers in this process and of clients of the tests.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        // Clients of the tests take the process's provider of cryptography, as the binary does.
        rustls::crypto::ring::default_provider().install_default().ok();
        Runtime::new().unwrap()
    })
}

/// The binary of this suite: the one that is named, or the one that was built with it.
pub fn binary() -> &'static str {
    static BINARY: OnceLock<String> = OnceLock::new();
    BINARY.get_or_init(|| {
        let built = || {
            // Tests are in target/…/deps, the binary is beside that folder.
            let own = std::env::current_exe().unwrap();
            own.parent().unwrap().parent().unwrap().join("spotter").display().to_string()
        };
        shipped().map_or_else(built, str::to_owned)
    })
}

/// The binary that scenarios run against instead of a server in this process, if one is named.
pub fn shipped() -> Option<&'static str> {
    static BINARY: OnceLock<Option<String>> = OnceLock::new();
    let named = BINARY.get_or_init(|| {
        let named = PathBuf::from(std::env::var_os("SPOTTER_TEST_BINARY")?);
        // Tests run in their package's folder; the path is relative to the workspace.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let path = root.join(named);
        assert!(path.is_file(), "SPOTTER_TEST_BINARY: {} is no file", path.display());
        Some(path.canonicalize().unwrap().into_os_string().into_string().unwrap())
    });
    named.as_deref()
}

/// Runs a scenario that starts its own servers.
pub fn run_alone(engine: Engine, scenario: impl FnOnce(Engine)) {
    scenario(engine);
}

/// Runs a scenario with a company of its own.
pub fn run<F>(engine: Engine, scenario: impl FnOnce(App) -> F)
where
    F: Future<Output = ()>,
{
    run_on(server(engine), scenario);
}

/// The same where the scenario is about a server in this process, whichever binary is tested.
pub fn run_here<F>(engine: Engine, scenario: impl FnOnce(App) -> F)
where
    F: Future<Output = ()>,
{
    run_on(server_here(engine), scenario);
}

fn run_on<F>(server: Arc<Server>, scenario: impl FnOnce(App) -> F)
where
    F: Future<Output = ()>,
{
    runtime().block_on(async {
        let app = App::new(server.clone()).await;
        let company = app.company;
        scenario(app).await;
        public_safe::check().await;
        assert_metrics(&server, company).await;
    });
}

/// Has the figures follow records that a scenario has changed behind the program's back.
pub async fn rebuild_metrics(app: &App) {
    let (server, recounts) = (&app.server, spotter::areas::areas().recounts);
    recount::recount(&server.db, &server.env, app.company, &recounts, true).await.unwrap();
}

/// Asserts that a company's metrics equal its records.
pub async fn assert_metrics(server: &Server, company: CompanyId) {
    let recounts = spotter::areas::areas().recounts;
    let found = recount::recount(&server.db, &server.env, company, &recounts, false).await;
    let found = found.unwrap();
    let response = found.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(found.is_empty(), "figures are wrong: {}", response.join("\n"));
}

/// The system's clock, for a program that needs it moved to another time.
pub struct SystemClock;

/// Milliseconds that the clock is ahead of the system's.
static AHEAD: AtomicI64 = AtomicI64::new(0);

impl SystemClock {
    /// Moves the clock of this process to a time, from which it continues.
    pub fn set(at: &str) {
        let system = spotter::system::SystemClock.now().millis();
        AHEAD.store(Timestamp::parse(at).unwrap().millis() - system, Ordering::Relaxed);
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        spotter::system::SystemClock.now().plus_millis(AHEAD.load(Ordering::Relaxed))
    }
}

pub(crate) const KEY: [u8; 32] = [7; 32];

/// Where no Stripe is.
const NO_STRIPE: &str = "http://127.0.0.1:9";

/// The environment of servers in this process.
pub fn env() -> Env {
    Env {
        mode: EnvironmentMode::Live,
        clock: Arc::new(SystemClock),
        wall_clock: Arc::new(SystemClock),
        entropy: Arc::new(spotter::system::SystemEntropy),
        vault: Vault::new(&KEY),
        private_networks: ["127.0.0.0/8".parse().unwrap()].into(),
        address: "http://127.0.0.1".into(),
        mcp_url: "http://127.0.0.1".into(),
        mcp_refresh_grace_seconds: 0,
        mcp_any_loopback_port: false,
        mail_links: None,
        mail_sender: "post@gym.example".into(),
        offboardings: spotter::areas::areas().offboardings.into(),
        remainders: spotter::areas::areas().remainders.into(),
        erasure_rules: spotter::areas::areas().erasure_rules.into(),
        ports: spotter::areas::ports(),
    }
}

/// A running server over one engine.
pub struct Server {
    /// Its database engine.
    pub engine: Engine,
    /// Its base address.
    pub base: String,
    /// Its database.
    pub db: Db,
    /// Its environment.
    pub env: Env,
    /// Where its database is.
    pub location: DatabaseLocation,
    /// A client to send requests with.
    pub http: reqwest::Client,
    /// Of a server in this process, while it runs.
    state: Option<Arc<State>>,
    /// The routes, for requests without a connection.
    router: Option<axum::Router>,
    /// Its file store.
    pub files: Files,
    /// Where they are, if they are in a folder.
    pub files_folder: PathBuf,
    /// The mailbox of its mail, if it sends any.
    pub mailbox: Mailbox,
    /// Its background tasks and its listener.
    _tasks: Tasks,
}

/// Tasks that run as long as their server is used; otherwise they would look for work until the last scenario.
#[derive(Default)]
pub(crate) struct Tasks(Vec<tokio::task::AbortHandle>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(tokio::task::AbortHandle::abort);
    }
}

impl Server {
    /// The shared state of a server in this process.
    pub fn state(&self) -> Arc<State> {
        self.state.clone().unwrap()
    }

    /// Answers a request in the caller's task, without a connection: status and body.
    pub async fn answer(&self, request: reqwest::Request) -> (u16, Value) {
        let mut request: axum::http::Request<_> = request.try_into().unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 9))));
        let host = axum::http::HeaderValue::from_static("127.0.0.1");
        request.headers_mut().insert(axum::http::header::HOST, host);
        let request = request.map(axum::body::Body::new);
        let answer = self.router.clone().unwrap().call(request).await.unwrap();
        let status = answer.status().as_u16();
        let bytes = axum::body::to_bytes(answer.into_body(), 1 << 24).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// A request to it, without credentials.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method: reqwest::Method = method.parse().unwrap();
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Requests an access token for client credentials.
    pub async fn token(&self, client_id: &str, secret: &str) -> super::Reply {
        let request =
            self.request("POST", "/public/v1/oauth/token").basic_auth(client_id, Some(secret));
        super::send(request.form(&[("grant_type", "client_credentials")])).await
    }
}

/// Runs blocking work that opens databases, which an asynchronous task must not do on its own thread.
pub fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

/// Opens a database that has its schema.
pub fn open(config: &Config) -> Db {
    apart(|| Db::open(config)).unwrap()
}

/// A fresh database of an engine, which may have its schema.
pub fn location(engine: Engine) -> DatabaseLocation {
    match engine {
        Engine::Sqlite => {
            let folder = tempfile::tempdir().unwrap().keep();
            DatabaseLocation::File(folder.join("test.db"))
        }
        Engine::Postgres => DatabaseLocation::Server(postgres::new_database()),
    }
}

/// An unused address, which no other process gets by chance before it is used: its port is below the ephemeral range.
pub fn free_address() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = 12_000 + 37 * (std::process::id() % 400);
    loop {
        let address = format!("127.0.0.1:{}", first + NEXT.fetch_add(1, Ordering::Relaxed));
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}

fn no_limits() -> HttpSettings {
    HttpSettings {
        rate_limit: 1_000_000,
        anonymous_rate_limit: 1_000_000,
        visitor_rate_limit: 1_000_000,
        sign_up_rate_limit: 1_000_000,
        ..HttpSettings::default()
    }
}

/// The server that scenarios share.
fn server(engine: Engine) -> Arc<Server> {
    static SQLITE: OnceLock<Arc<Server>> = OnceLock::new();
    static POSTGRES: OnceLock<Arc<Server>> = OnceLock::new();
    let Some(binary) = shipped() else { return server_here(engine) };
    let cell = match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    };
    cell.get_or_init(|| start_process(engine, binary).into()).clone()
}

/// The one in this process.
fn server_here(engine: Engine) -> Arc<Server> {
    static SQLITE: OnceLock<Arc<Server>> = OnceLock::new();
    static POSTGRES: OnceLock<Arc<Server>> = OnceLock::new();
    let cell = match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    };
    cell.get_or_init(|| start(engine, no_limits()).into()).clone()
}

/// Starts a server with a file store in a folder of its own.
fn in_a_folder(start: impl FnOnce(Files) -> Server) -> Server {
    let folder = tempfile::tempdir().unwrap().keep();
    let files = Files::open(&FileStore::Folder(folder.clone())).unwrap();
    Server { files_folder: folder, ..start(files) }
}

/// Starts a server with these settings.
pub fn start(engine: Engine, settings: HttpSettings) -> Server {
    in_a_folder(|files| start_with(engine, settings, files))
}

/// Starts a server that an operator has set up otherwise.
pub fn start_as(engine: Engine, set: impl FnOnce(&mut Env)) -> Server {
    let made = ServerOptions { connections: 3, ..ServerOptions::default() };
    in_a_folder(|files| start_in(engine, no_limits(), files, set, made))
}

/// A server whose companies can collect through Stripe, in this process or the tested binary.
pub fn start_with_stripe(engine: Engine, stripe: &str) -> Server {
    let made = ServerOptions { stripe, connections: 3, ..ServerOptions::default() };
    match shipped() {
        Some(binary) => start_process_with(engine, binary, &[("STRIPE_URL", stripe)]),
        None => in_a_folder(|files| start_in(engine, no_limits(), files, |_| (), made)),
    }
}

/// A server that writes mail without sending it.
pub fn start_without_post(engine: Engine, links: &str) -> Server {
    let set = |env: &mut Env| env.mail_links = Some(links.into());
    let made = ServerOptions { posts: false, ..ServerOptions::default() };
    in_a_folder(|files| start_in(engine, no_limits(), files, set, made))
}

/// The same with files of one's own.
pub fn start_with(engine: Engine, settings: HttpSettings, files: Files) -> Server {
    start_in(engine, settings, files, |_| (), ServerOptions::default())
}

/// Rare options of a server.
struct ServerOptions<'m> {
    /// Whether its mail is sent.
    posts: bool,
    /// Connections to PostgreSQL.
    connections: usize,
    /// Stripe's address.
    stripe: &'m str,
}

impl Default for ServerOptions<'_> {
    fn default() -> Self {
        Self { posts: true, connections: 8, stripe: NO_STRIPE }
    }
}

fn start_in(
    engine: Engine,
    settings: HttpSettings,
    files: Files,
    set: impl FnOnce(&mut Env),
    ServerOptions { posts, connections, stripe }: ServerOptions<'_>,
) -> Server {
    // Its clients of providers take the process's cryptography.
    runtime();
    let location = location(engine);
    let db = open_new_with(&location, connections);
    let mut tasks = Vec::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let mut env = Env { mcp_url: base.as_str().into(), ..env() };
    set(&mut env);
    let mailbox = Mailbox::default();
    let sends_mail = env.mail_links.is_some();
    if sends_mail && posts {
        let post = Post::Mailbox(mailbox.clone());
        for job in spotter::mail::JOBS {
            let worker = Mailer { db: db.clone(), env: env.clone(), post: post.clone(), job };
            let task = runtime().spawn(jobs(&db, &env, Arc::new(worker)));
            tasks.push(task.abort_handle());
        }
    }
    let pusher = push::pusher(&db, &env);
    tasks.push(runtime().spawn(jobs(&db, &env, Arc::new(pusher))).abort_handle());
    let providers = spotter_payments::Providers::new(db.clone(), env.clone(), stripe).unwrap();
    let own_providers = providers.clone();
    for worker in spotter_payments::workers(&providers) {
        tasks.push(runtime().spawn(jobs(&db, &env, worker)).abort_handle());
    }
    let bank = async move {
        let (_never, stop) = tokio::sync::watch::channel(false);
        providers.run_sandbox(stop).await;
    };
    tasks.push(runtime().spawn(bank).abort_handle());
    let alert = sends_mail.then_some(&spotter_webhooks::ALERT_OF_FAILURES);
    let deliveries = engine::Engine { alert, ..deliveries(&db, &env) };
    let sender = deliveries.sender.clone();
    tasks.push(
        runtime().spawn(deliveries.run(std::future::pending(), Duration::ZERO)).abort_handle(),
    );
    // One for all servers: it is large, and the same for each.
    static TABLE: LazyLock<Arc<Table>> =
        LazyLock::new(|| Arc::new(Table::new(spotter::areas::areas())));
    let table = TABLE.clone();
    let timers = Timers { db: db.clone(), env: env.clone(), table: table.clone() };
    tasks.push(runtime().spawn(timers.run(std::future::pending())).abort_handle());
    let exporter =
        Exporter { db: db.clone(), env: env.clone(), table: table.clone(), files: files.clone() };
    tasks.push(runtime().spawn(jobs(&db, &env, Arc::new(exporter))).abort_handle());
    // So short that imports take several turns.
    let turn = Duration::from_millis(20);
    let importer = Importer { db: db.clone(), env: env.clone(), table: table.clone(), turn };
    tasks.push(runtime().spawn(jobs(&db, &env, Arc::new(importer))).abort_handle());
    let state = State::new(db.clone(), env.clone(), table, settings, sender, files.clone(), None);
    let state = Arc::new(state);
    let networks: [ipnet::IpNet; 2] = ["127.0.0.0/8", "::1/128"].map(|net| net.parse().unwrap());
    let authority = [receiver::receiver().authority()];
    let fetcher =
        spotter_outbound::fetch::Fetcher::new(networks.into(), &authority, receiver::names())
            .unwrap();
    let router = spotter::serve::service(&state, &own_providers, fetcher);
    let service = router.clone().into_make_service_with_connect_info::<SocketAddr>();
    listener.set_nonblocking(true).unwrap();
    let serving = runtime().spawn(async move {
        axum_server::from_tcp(listener).unwrap().serve(service).await.unwrap();
    });
    tasks.push(serving.abort_handle());
    let (http, state, files_folder) = (client(), Some(state), PathBuf::new());
    let router = Some(router);
    Server {
        engine,
        base,
        db,
        env,
        location,
        http,
        state,
        router,
        files,
        files_folder,
        mailbox,
        _tasks: Tasks(tasks),
    }
}

/// Runs the jobs of a worker over a database, for as long as the test runs.
pub fn jobs(db: &Db, env: &Env, worker: Arc<dyn Worker>) -> impl Future<Output = ()> + use<> {
    let (job, db, env) = (worker.job(), db.clone(), env.clone());
    let jobs = Jobs { db: db.clone(), env: env.clone(), worker };
    // What other nodes have begun, or left, is entered as the timers' survey does.
    let survey = async move {
        loop {
            let (signals, env) = (db.signals(), env.clone());
            let enter = move |tx: &mut Tx<'_>| enter_due_jobs(tx, &env, signals.agenda(), &[job]);
            db.read(enter).await.unwrap();
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    async move {
        let (_never, stop) = tokio::sync::watch::channel(false);
        tokio::select! { () = jobs.run(stop, Duration::ZERO) => {}, () = survey => {} }
    }
}

/// A delivery engine over a database, which can resolve the tests' names.
pub fn deliveries(db: &Db, env: &Env) -> engine::Engine {
    let (networks, authority) = (env.private_networks.clone(), receiver::receiver().authority());
    let sender = Sender::new(networks, &[authority], receiver::names()).unwrap();
    engine::Engine {
        db: db.clone(),
        env: env.clone(),
        sender,
        concurrency: 64,
        waiting: 1_024,
        alert: None,
    }
}

/// Makes the schema of a database, and opens it.
pub fn open_new(location: &DatabaseLocation) -> Db {
    open_new_with(location, 8)
}

fn open_new_with(location: &DatabaseLocation, connections: usize) -> Db {
    apart(|| migrate(location, SystemClock.now(), |_| ())).unwrap();
    let mut config = Config::new(location.clone());
    config.connections = connections;
    open(&config)
}

pub(crate) fn client() -> reqwest::Client {
    // Idle connections are closed after bursts: a process often has 1,024 files.
    reqwest::Client::builder().no_proxy().pool_max_idle_per_host(8).build().unwrap()
}
