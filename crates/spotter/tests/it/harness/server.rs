//! The servers that scenarios run against: one for each engine, in this process, or the binary that
//! SPOTTER_TEST_BINARY names, as it is built for users.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use spotter::{data_exports::Exporter, importing::Importer, mail::Mailer};
use spotter_contract::{Env, Table, Vault};
use spotter_files::{FileStore, Files};
use spotter_http::{Settings, State};
use spotter_jobs::{
    jobs::{Jobs, Worker},
    timers::Timers,
};
use spotter_kernel::{Clock, Timestamp, id::CompanyId};
use spotter_outbound::smtp::{Mailbox, Post};
use spotter_reports::recount;
use spotter_store::{Config, Db, Location, migrate};
use spotter_webhooks::{engine, sender::Sender};
use tokio::runtime::Runtime;

use super::{App, Engine, postgres, public_safe, receiver};

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
    BINARY.get_or_init(|| shipped().unwrap_or(env!("CARGO_BIN_EXE_spotter")).to_owned())
}

/// The binary that scenarios run against instead of a server in this process, if one is named.
pub fn shipped() -> Option<&'static str> {
    static NAMED: OnceLock<Option<String>> = OnceLock::new();
    let named = NAMED.get_or_init(|| {
        let named = PathBuf::from(std::env::var_os("SPOTTER_TEST_BINARY")?);
        // Tests run in their package's folder, whoever names the file does not.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let path = root.join(named);
        assert!(path.is_file(), "SPOTTER_TEST_BINARY: {} is no file", path.display());
        Some(path.canonicalize().unwrap().into_os_string().into_string().unwrap())
    });
    named.as_deref()
}

/// Runs a scenario that starts what it needs itself.
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
        figures_hold(&server, company).await;
    });
}

/// Has the figures follow records that a scenario has changed behind the program's back.
pub async fn rebuild_figures(app: &App) {
    let (server, recounts) = (&app.server, spotter::areas::areas().recounts);
    recount::recount(&server.db, &server.env, app.company, &recounts, true).await.unwrap();
}

/// Whatever was done, the figures of a company's reports are what its records come to.
pub async fn figures_hold(server: &Server, company: CompanyId) {
    let recounts = spotter::areas::areas().recounts;
    let found = recount::recount(&server.db, &server.env, company, &recounts, false).await;
    let found = found.unwrap();
    let response = found.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(found.is_empty(), "figures are wrong: {}", response.join("\n"));
}

pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        spotter::system::SystemClock.now()
    }
}

const KEY: [u8; 32] = [7; 32];

/// Where no Stripe is.
const NO_STRIPE: &str = "http://127.0.0.1:9";

pub fn env() -> Env {
    Env {
        clock: Arc::new(SystemClock),
        entropy: Arc::new(spotter::system::SystemEntropy),
        vault: Vault::new(&KEY),
        private_networks: ["127.0.0.0/8".parse().unwrap()].into(),
        address: "http://127.0.0.1".into(),
        mcp_url: "http://127.0.0.1".into(),
        mcp_refresh_grace_seconds: 0,
        mcp_any_loopback_port: false,
        mail_links: None,
        offboardings: spotter::areas::areas().offboardings.into(),
        remainders: spotter::areas::areas().remainders.into(),
        erasure_rules: spotter::areas::areas().erasure_rules.into(),
        ports: spotter::areas::ports(),
    }
}

/// A running server over one engine.
pub struct Server {
    pub engine: Engine,
    pub base: String,
    pub db: Db,
    pub env: Env,
    pub location: Location,
    pub http: reqwest::Client,
    /// Of a server in this process, while it runs.
    state: Option<Arc<State>>,
    pub files: Files,
    /// Where they are, if they are in a folder.
    pub files_folder: PathBuf,
    /// Where its mail goes, if it sends any.
    pub mailbox: Mailbox,
    /// What it does beside answering, and the answering.
    _tasks: Tasks,
}

/// What runs as long as its server is held; it would look for work until the last scenario has run.
#[derive(Default)]
struct Tasks(Vec<tokio::task::AbortHandle>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(tokio::task::AbortHandle::abort);
    }
}

impl Server {
    /// What a server in this process shares.
    pub fn state(&self) -> Arc<State> {
        self.state.clone().unwrap()
    }

    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method: reqwest::Method = method.parse().unwrap();
        self.http.request(method, format!("{}{path}", self.base))
    }

    pub async fn token(&self, client_id: &str, secret: &str) -> super::Reply {
        let request =
            self.request("POST", "/public/v1/oauth/token").basic_auth(client_id, Some(secret));
        super::send(request.form(&[("grant_type", "client_credentials")])).await
    }
}

/// Runs what opens databases, which no asynchronous task may do on its own thread.
pub fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

/// Opens a database that has its schema.
pub fn open(config: &Config) -> Db {
    apart(|| Db::open(config)).unwrap()
}

/// A fresh database of an engine, with its schema.
pub fn location(engine: Engine) -> Location {
    match engine {
        Engine::Sqlite => {
            let folder = tempfile::tempdir().unwrap().keep();
            Location::File(folder.join("test.db"))
        }
        Engine::Postgres => Location::Server(postgres::new_database()),
    }
}

/// An address that nobody listens at yet, and that nobody is given by chance before its process does: its
/// port is below those that systems give to whoever names none.
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

fn no_limits() -> Settings {
    Settings { rate_limit: 1_000_000, anonymous_rate_limit: 1_000_000, ..Settings::default() }
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

/// Starts a server whose files are in a folder of its own.
fn in_a_folder(start: impl FnOnce(Files) -> Server) -> Server {
    let folder = tempfile::tempdir().unwrap().keep();
    let files = Files::open(&FileStore::Folder(folder.clone())).unwrap();
    Server { files_folder: folder, ..start(files) }
}

/// Starts a server with these settings.
pub fn start(engine: Engine, settings: Settings) -> Server {
    in_a_folder(|files| start_with(engine, settings, files))
}

/// Starts a server that an operator has set up otherwise.
pub fn start_as(engine: Engine, set: impl FnOnce(&mut Env)) -> Server {
    let made = ServerOptions { connections: 3, ..ServerOptions::default() };
    in_a_folder(|files| start_in(engine, no_limits(), files, set, made))
}

/// A server whose companies may collect through a Stripe, in this process or the binary that is tested.
pub fn start_with_stripe(engine: Engine, stripe: &str) -> Server {
    let made = ServerOptions { stripe, connections: 3, ..ServerOptions::default() };
    match shipped() {
        Some(binary) => start_process_with(engine, binary, &[("STRIPE_URL", stripe)]),
        None => in_a_folder(|files| start_in(engine, no_limits(), files, |_| (), made)),
    }
}

/// A server that writes mail and has nobody who sends it.
pub fn start_without_post(engine: Engine, links: &str) -> Server {
    let set = |env: &mut Env| env.mail_links = Some(links.into());
    let made = ServerOptions { posts: false, ..ServerOptions::default() };
    in_a_folder(|files| start_in(engine, no_limits(), files, set, made))
}

/// The same with files of one's own.
pub fn start_with(engine: Engine, settings: Settings, files: Files) -> Server {
    start_in(engine, settings, files, |_| (), ServerOptions::default())
}

/// What of a server is seldom made otherwise.
struct ServerOptions<'m> {
    /// Whether somebody sends its mail.
    posts: bool,
    /// Connections to PostgreSQL.
    connections: usize,
    /// Where Stripe is asked.
    stripe: &'m str,
}

impl Default for ServerOptions<'_> {
    fn default() -> Self {
        Self { posts: true, connections: 8, stripe: NO_STRIPE }
    }
}

fn start_in(
    engine: Engine,
    settings: Settings,
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
    let alert = sends_mail.then_some(&spotter_webhooks::TELL_OF_FAILURES);
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
    let networks: [ipnet::IpNet; 2] = ["127.0.0.0/8", "::1/128"].map(|net| net.parse().unwrap());
    let authority = [receiver::receiver().authority()];
    let fetcher =
        spotter_outbound::fetch::Fetcher::new(networks.into(), &authority, receiver::names())
            .unwrap();
    let service = spotter::serve::service(&state, &own_providers, fetcher)
        .into_make_service_with_connect_info::<SocketAddr>();
    listener.set_nonblocking(true).unwrap();
    let serving = runtime().spawn(async move {
        axum_server::from_tcp(listener).unwrap().serve(service).await.unwrap();
    });
    tasks.push(serving.abort_handle());
    let (http, state, files_folder) = (client(), Some(state), PathBuf::new());
    Server {
        engine,
        base,
        db,
        env,
        location,
        http,
        state,
        files,
        files_folder,
        mailbox,
        _tasks: Tasks(tasks),
    }
}

/// Does the jobs of a worker over a database, for as long as the test runs.
pub fn jobs(db: &Db, env: &Env, worker: Arc<dyn Worker>) -> impl Future<Output = ()> + use<> {
    let jobs = Jobs { db: db.clone(), env: env.clone(), worker };
    async move {
        let (_never, stop) = tokio::sync::watch::channel(false);
        jobs.run(stop, Duration::ZERO).await;
    }
}

/// A delivery engine over a database, which knows the names of the tests.
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
pub fn open_new(location: &Location) -> Db {
    open_new_with(location, 8)
}

fn open_new_with(location: &Location, connections: usize) -> Db {
    apart(|| migrate(location, SystemClock.now(), |_| ())).unwrap();
    let mut config = Config::new(location.clone());
    config.connections = connections;
    open(&config)
}

fn client() -> reqwest::Client {
    // What many at once have opened is closed after them: a process has 1,024 files on many a machine.
    reqwest::Client::builder().no_proxy().pool_max_idle_per_host(8).build().unwrap()
}

/// Starts the binary; it ends when this process does.
fn start_process(engine: Engine, binary: &str) -> Server {
    start_process_with(engine, binary, &[])
}

/// The same with settings beside the usual ones.
fn start_process_with(engine: Engine, binary: &str, more: &[(&str, &str)]) -> Server {
    let folder = tempfile::tempdir().unwrap().keep();
    let location = match engine {
        Engine::Sqlite => Location::File(folder.join("spotter.db")),
        Engine::Postgres => location(engine),
    };
    let db = open_new(&location);
    let authority = folder.join("ca.pem");
    std::fs::write(&authority, receiver::receiver().authority_pem()).unwrap();
    let address = free_address();
    let script = format!(
        "\"$0\" serve 2>log & own=$!; while [ -d /proc/{} ]; do sleep 0.5; done; kill $own",
        std::process::id()
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script, binary]).current_dir(&folder);
    let key: String = KEY.iter().map(|byte| format!("{byte:02x}")).collect();
    for (name, value) in [
        ("DATA", "."),
        ("LISTEN", &address),
        ("SECRET_KEY", &key),
        ("RATE_LIMIT", "1000000"),
        ("ANONYMOUS_RATE_LIMIT", "1000000"),
        ("WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8"),
        ("MCP_PRIVATE_NETWORKS", "127.0.0.0/8,::1/128"),
        ("WEBHOOK_CERTIFICATE_AUTHORITY", authority.to_str().unwrap()),
    ]
    .iter()
    .chain(more)
    {
        command.env(format!("SPOTTER_{name}"), value);
    }
    if let Location::Server(url) = &location {
        command.env("SPOTTER_DATABASE_URL", url);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut watched = command.spawn().unwrap();
    std::thread::spawn(move || watched.wait());
    let base = format!("http://{address}");
    wait_ready(&base, || std::fs::read_to_string(folder.join("log")).unwrap_or_default());
    let env = Env { mcp_url: base.as_str().into(), ..env() };
    let files_folder = folder.join("files");
    let files = Files::open(&FileStore::Folder(files_folder.clone())).unwrap();
    let http = client();
    let mailbox = Mailbox::default();
    let (state, tasks) = (None, Vec::new());
    Server {
        engine,
        base,
        db,
        env,
        location,
        http,
        state,
        files,
        files_folder,
        mailbox,
        _tasks: Tasks(tasks),
    }
}

/// Waits until a process is ready; `log` is shown where it never is.
pub fn wait_ready(base: &str, log: impl Fn() -> String) {
    for _ in 0..6_000 {
        let request = Command::new(binary()).args(["healthcheck", "--url", base]).output().unwrap();
        if request.status.success() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{base} never became ready\n{}", log());
}
