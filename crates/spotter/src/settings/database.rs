//! The settings of the database.

use std::path::Path;

use spotter_store::{Config, DatabaseLocation, check_address};

use super::raw::RawSettings;

/// Where the database is, and how it is opened.
pub(super) fn read(submitted: &mut RawSettings, data: &Path) -> Config {
    let location = match url(submitted, "database_url") {
        Some(url) => DatabaseLocation::Server(url),
        None => DatabaseLocation::File(data.join("spotter.db")),
    };
    let replica = url(submitted, "database_read_url");
    if replica.is_some() && matches!(location, DatabaseLocation::File(_)) {
        submitted.complain("database_read_url", "is for a server that database_url names");
    }
    Config {
        location,
        replica,
        readers: readers(submitted.number("database_readers", 0, 64) as usize),
        connections: connections(submitted.number("database_connections", 0, 500) as usize),
        queue: submitted.number("database_queue", 16, 100_000) as usize,
        cache_mb: submitted.number("database_cache_mb", 1, 65_536) as usize,
    }
}

/// The address of a server.
fn url(submitted: &mut RawSettings, name: &str) -> Option<String> {
    let url = submitted.optional(name)?;
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        submitted.complain(name, "must begin with postgres://");
    } else if let Err(why) = check_address(&url) {
        submitted.complain(name, &why);
    }
    Some(url)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// Connections to PostgreSQL: three a core where nothing else is set.
fn connections(submitted: usize) -> usize {
    if submitted == 0 { 3 * cores() } else { submitted.max(2) }
}

/// Readers of SQLite: one a core where nothing else is set.
fn readers(submitted: usize) -> usize {
    if submitted == 0 { cores() } else { submitted }
}
