//! A transaction over a connection of its own, beside those that serve.

use std::sync::Arc;

use spotter_kernel::{Problem, Result};

use crate::{
    db::DatabaseLocation,
    session::Session,
    sqlite,
    tx::{Engine, Tx},
};

/// How a server's transaction begins that reads for long.
pub(crate) const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

/// Runs a step in a transaction over a connection of its own.
pub(crate) fn within<T>(
    location: &DatabaseLocation,
    begin_file: &str,
    begin_server: &str,
    step: impl FnOnce(&mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    match location {
        DatabaseLocation::File(path) => {
            let conn = sqlite::connect(path)?;
            let run = |text: &str| conn.execute_batch(text).map_err(Problem::internal);
            run(begin_file)?;
            let done = step(&mut Tx::new(Engine::Sqlite(&conn)))?;
            run("COMMIT")?;
            Ok(done)
        }
        DatabaseLocation::Server(url) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            session.script(begin_server)?;
            let done = step(&mut Tx::new(Engine::Postgres(&mut session)))?;
            session.write_tallies()?;
            session.flush()?;
            session.script("COMMIT")?;
            Ok(done)
        }
    }
}
