//! A pooler between this program and PostgreSQL, which may share connections, but not processes.

use std::sync::Arc;

use spotter_kernel::{Problem, Result};

use crate::session::Session;

/// What is said of such a pooler.
pub const POOLER: &str = "a pooler in transaction mode stands before the database; set it to session mode (PgBouncer: pool_mode = session)";

/// Whether a pooler lends its connections for a transaction: what one has set and prepared is missing in the next.
pub fn is_pooled(database: &str) -> Result<bool> {
    let session = &mut Session::connect(Arc::from(database))?;
    share_process(session, &mut Session::connect(Arc::from(database))?)
}

/// Refuses such a pooler, seen by two connections that are open.
pub(crate) fn own_processes(session: &mut Session, other: &mut Session) -> Result<()> {
    match share_process(session, other)? {
        false => Ok(()),
        true => Err(Problem::internal(POOLER)),
    }
}

/// Each connection has a process of the server, where no pooler shares them.
fn share_process(session: &mut Session, other: &mut Session) -> Result<bool> {
    const PROCESS: &str = "SELECT pg_backend_pid()";
    Ok(session.look(PROCESS)? == other.look(PROCESS)?)
}
