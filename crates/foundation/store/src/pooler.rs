//! A pooler between this program and PostgreSQL, which may share connections, but not processes.

use std::sync::Arc;

use spotter_kernel::{Problem, Result};

use crate::session::Session;

/// Refuses a pooler that lends its connections for a transaction: what one has set and prepared is missing in the next.
pub fn check_pooler(database: &str) -> Result<()> {
    let session = &mut Session::connect(Arc::from(database))?;
    own_processes(session, &mut Session::connect(Arc::from(database))?)
}

/// The same for two connections that are open: each has a process of the server, where no pooler shares them.
pub(crate) fn own_processes(session: &mut Session, other: &mut Session) -> Result<()> {
    const PROCESS: &str = "SELECT pg_backend_pid()";
    match session.look(PROCESS)? == other.look(PROCESS)? {
        false => Ok(()),
        true => Err(Problem::internal(
            "a pooler in transaction mode stands before the database; set it to session mode (PgBouncer: pool_mode = session)",
        )),
    }
}
