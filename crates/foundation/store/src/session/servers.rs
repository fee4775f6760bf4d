//! How long a server is waited for, and what a session knows of a cluster's servers.

use std::time::Duration;

use spotter_kernel::{Problem, Result};
use tokio::time::timeout;
use tokio_postgres::SimpleQueryMessage;

use super::{LOOK_MAX, SILENT, Session, transact};
use crate::{
    citus::away::{self, ServersAway},
    tx::read_all,
    value::Value,
    wire::Failure,
};

/// How long one is waited for where a server is known to be silent: until that can be known, and no longer.
const MAYBE_SILENT: Duration = Duration::from_secs(9);
/// How often one that waits looks whether that is in vain.
const STEP: Duration = Duration::from_millis(500);

impl Session {
    /// What the server answers, unless it says nothing. A cluster's coordinator waits for the server to which it passed a
    /// statement on, also where it gives the statement up.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let Self { runtime, servers_away, .. } = self;
        if !self.is_spread {
            return runtime.block_on(async { timeout(SILENT, work).await.ok() });
        }
        runtime.block_on(async {
            let mut work = std::pin::pin!(work);
            if let Ok(done) = timeout(LOOK_MAX, &mut work).await {
                return Some(done);
            }
            servers_away.doubt();
            let mut waited = LOOK_MAX;
            let most = || match servers_away.is_one_silent() {
                _ if self.begin == transact::BEGIN_QUICK => LOOK_MAX,
                true => MAYBE_SILENT,
                false => SILENT,
            };
            while waited < most() {
                if let Ok(done) = timeout(STEP, &mut work).await {
                    return Some(done);
                }
                waited += STEP;
            }
            None
        })
    }

    /// Doubts that all servers of the cluster answer, where the last statement took too long: one that hangs refuses nothing.
    pub(crate) fn doubt_if_slow(&self) {
        if self.failure == Some(Failure::TooLong) {
            self.servers_away.doubt();
        }
    }

    pub(crate) fn servers_away(&self) -> &ServersAway {
        &self.servers_away
    }

    /// Refuses what is about a company whose server is silent: it would wait for that server, and others for this connection.
    pub(super) fn refuse_if_silent(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        if !self.is_spread || !self.servers_away.is_one_silent() {
            return Ok(());
        }
        let Some(company) = away::company_of(sql, params) else { return Ok(()) };
        let is_away = match self.servers_away.has(company) {
            Some(known) => known,
            None => {
                let rows = self.query(away::SERVER_OF, &[Value::Text(company.into())])?;
                let found: Vec<(String,)> = read_all(&rows)?;
                found.iter().any(|(address,)| self.servers_away.note_company(company, address))
            }
        };
        if is_away { Err(away::refusal()) } else { Ok(()) }
    }

    /// Each server with companies, by its address, and whether it answers. Outside the life of a job.
    pub(crate) fn ask_servers(&mut self) -> Result<Vec<(String, bool)>> {
        if self.is_lost {
            self.reconnect(0)?;
        }
        let asked = self.client.simple_query(away::SERVERS);
        let found = self.runtime.block_on(async { timeout(SILENT, asked).await });
        let found = match found {
            Ok(found) => found.map_err(|error| self.note(&error, away::SERVERS))?,
            Err(_) => {
                self.is_lost = true;
                return Err(Problem::overloaded().caused_by("the database does not answer"));
            }
        };
        let servers = found.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some((row.get(0)?.to_owned(), row.get(1)? == "t")),
            _ => None,
        });
        Ok(servers.collect())
    }
}
