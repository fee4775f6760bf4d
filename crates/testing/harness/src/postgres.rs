//! A PostgreSQL server for the run: the one that SPOTTER_TEST_DATABASE_URL names, else one that
//! is started from the installed program, as an ordinary user, and ends with the run.

use std::{
    fs,
    os::unix::{fs::chown, process::CommandExt},
    path::Path,
    process::Command,
    sync::OnceLock,
    time::Duration,
};

use spotter_testing::requirements;

use super::{random_text, runtime};

mod cluster;

/// The ordinary user that the server runs as where the run is root's.
const NOBODY: u32 = 65_534;

/// A new database without tables; its URL.
pub fn empty_database() -> String {
    make_database(cluster::make_database)
}

/// A new database, which is empty, or, on a cluster, has the tables of the product; its URL.
pub fn new_database() -> String {
    make_database(cluster::copy_database)
}

/// A new database, made on a cluster by a function of its coordinator, its workers and the name; its URL.
fn make_database(on_cluster: fn(&str, &str, &str)) -> String {
    let name = format!("spotter_{}", random_text());
    let admin = server();
    match std::env::var("SPOTTER_TEST_CITUS_WORKERS") {
        Ok(workers) => on_cluster(admin, &workers, &name),
        Err(_) => execute(admin, &format!("CREATE DATABASE {name}")),
    }
    url_of(admin, &name)
}

/// The URL of another database of a server.
fn url_of(admin: &str, name: &str) -> String {
    let (start, options) = admin.split_once('?').unwrap_or((admin, ""));
    let (start, _) = start.rsplit_once('/').unwrap();
    format!("{start}/{name}?{options}")
}

/// Runs a statement on a connection of its own.
pub fn execute(url: &str, sql: &str) {
    let (url, sql) = (url.to_owned(), sql.to_owned());
    std::thread::spawn(move || {
        runtime().block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            client.batch_execute(&sql).await.unwrap();
            drop(client);
            connection.await.unwrap().unwrap();
        });
    })
    .join()
    .unwrap();
}

fn server() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| std::env::var("SPOTTER_TEST_DATABASE_URL").unwrap_or_else(|_| start()))
}

fn as_user(program: &Path) -> Command {
    let mut command = Command::new(program);
    let root =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if root {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.env("LC_ALL", "C.UTF-8").current_dir("/tmp");
    command
}

/// A server of its own; the URL of its database.
pub fn start() -> String {
    const OPTIONS: [&str; 7] = ["-A", "trust", "-U", "spotter", "-E", "UTF8", "--no-sync"];
    start_with("initdb", &OPTIONS)
}

/// A server that follows another one; its URL.
pub fn replica_of(url: &str) -> String {
    start_with("pg_basebackup", &["-d", url, "-R", "-X", "stream", "-c", "fast"])
}

/// The process of a server that was started here.
pub fn process_of(url: &str) -> String {
    let host = url.split_once('@').and_then(|(_, rest)| rest.split_once("/postgres")).unwrap().0;
    let file = format!("{}/data/postmaster.pid", host.replace("%2F", "/"));
    fs::read_to_string(file).unwrap().lines().next().unwrap().to_owned()
}

/// Starts a server whose data is made by one of PostgreSQL's programs.
#[expect(clippy::zombie_processes, reason = "the server ends after this process")]
fn start_with(program: &str, options: &[&str]) -> String {
    let programs = requirements::postgresql_programs().expect("PostgreSQL is installed");
    let folder = tempfile::Builder::new().prefix("spotter-pg-").tempdir().unwrap().keep();
    chown(&folder, Some(NOBODY), Some(NOBODY)).ok();
    let data = folder.join("data");
    let made =
        as_user(&programs.join(program)).args(options).arg("-D").arg(&data).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    // The server ends with this process, and its folder is removed. Autovacuum is off: plans of nearly empty tables
    // would depend on when it runs.
    let script = format!(
        "'{server}' -D '{data}' -k '{folder}' -c listen_addresses= -c max_connections=600 \
           -c fsync=off -c shared_buffers=64MB -c autovacuum=off >'{folder}/log' 2>&1 & pg=$!; \
         while [ -d /proc/{own} ]; do sleep 0.5; done; kill -INT $pg; wait $pg; rm -rf '{folder}'",
        server = programs.join("postgres").display(),
        data = data.display(),
        folder = folder.display(),
        own = std::process::id(),
    );

    as_user(Path::new("/bin/sh"))
        .args(["-c", &script])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let socket = folder.join(".s.PGSQL.5432");
    for _ in 0..200 {
        if socket.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(300));
    let host = folder.display().to_string().replace('/', "%2F");
    format!("postgres://spotter@{host}/postgres?connect_timeout=10")
}
