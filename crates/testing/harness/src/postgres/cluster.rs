//! Databases of a coordinator with Citus, on loopback, spread over workers on ports that the run names
//! (`bench/cluster/run`). Spreading takes seconds, so one is made, and the others are copies of it.

use std::sync::OnceLock;

use spotter_kernel::Clock;
use spotter_store::{DatabaseLocation, migrate};

use super::{execute, random_text, url_of};
use crate::SystemClock;

/// A copy of the spread database, on every server.
pub(super) fn copy_database(admin: &str, workers: &str, name: &str) {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    let template = TEMPLATE.get_or_init(|| spread_database(admin, workers));
    for server in servers(admin, workers) {
        execute(&server, &format!("CREATE DATABASE {name} TEMPLATE {template}"));
    }
}

/// The coordinator, and the workers.
fn servers(admin: &str, workers: &str) -> Vec<String> {
    let port = port_of(admin);
    let workers = workers.split(',').map(|worker| admin.replace(port, worker));
    std::iter::once(admin.to_owned()).chain(workers).collect()
}

fn port_of(url: &str) -> &str {
    url.rsplit(':').next().unwrap().split('/').next().unwrap()
}

/// A database without tables, on every server.
pub(super) fn make_database(admin: &str, workers: &str, name: &str) {
    for server in servers(admin, workers) {
        execute(&server, &format!("CREATE DATABASE {name}"));
        execute(&url_of(&server, name), "CREATE EXTENSION citus");
    }
    let (own, coordinator) = (url_of(admin, name), port_of(admin));
    execute(&own, &format!("SELECT citus_set_coordinator_host('127.0.0.1', {coordinator})"));
    for worker in workers.split(',') {
        execute(&own, &format!("SELECT citus_add_node('127.0.0.1', {worker})"));
    }
    // Two parts a table are enough to be apart.
    execute(admin, &format!("ALTER DATABASE {name} SET citus.shard_count = 2"));
}

/// A database with the tables of the product, which takes no connections: a template.
fn spread_database(admin: &str, workers: &str) -> String {
    let name = format!("spotter_template_{}", random_text());
    make_database(admin, workers, &name);
    let own = DatabaseLocation::Server(url_of(admin, &name));
    std::thread::spawn(move || migrate(&own, SystemClock.now(), |_| ())).join().unwrap().unwrap();
    for server in &servers(admin, workers) {
        execute(server, &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
        execute(
            server,
            &format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            ),
        );
    }
    name
}
