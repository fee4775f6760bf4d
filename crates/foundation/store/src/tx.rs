//! A transaction, as closures see it.

use spotter_kernel::{Id, Key, Problem, Result, id::CompanyId};

use crate::{
    batch::ExpectedRows,
    row::{Record, Row, Source},
    session::Session,
    signals::PendingSignals,
    sql::Sql,
    value::{Bind, Value},
};

/// One serializable transaction: everything read is one snapshot, everything written is kept or
/// lost together.
pub struct Tx<'c> {
    pub(crate) engine: Engine<'c>,
    /// What is told once the transaction is committed.
    pub(crate) signals: PendingSignals,
}

pub(crate) enum Engine<'c> {
    Sqlite(&'c rusqlite::Connection),
    Postgres(&'c mut Session),
}

impl<'c> Tx<'c> {
    pub(crate) fn new(engine: Engine<'c>) -> Self {
        Self { engine, signals: PendingSignals::default() }
    }
}

impl Tx<'_> {
    /// Every row of a statement's result.
    pub fn all<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Vec<R>> {
        self.rows(sql.0, params)
    }

    /// The first row of a statement's result, if there is one.
    pub fn one<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Option<R>> {
        Ok(self.rows(sql.0, params)?.into_iter().next())
    }

    /// Runs a statement now; the number of rows it changed.
    pub fn execute(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64> {
        match &mut self.engine {
            Engine::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql.0).map_err(|e| failed(sql.0, e))?;
                bind_all(&mut statement, params).map_err(|e| failed(sql.0, e))?;
                statement.raw_execute().map(|n| n as u64).map_err(|e| failed(sql.0, e))
            }
            Engine::Postgres(session) => session.execute(sql.0, params),
        }
    }

    /// Runs a statement whose outcome nobody looks at before the commit; engines that are
    /// reached over a network send it along with the next statement or the commit.
    pub fn defer(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(_) => self.execute(sql, params).map(drop),
            Engine::Postgres(session) => session.defer(sql.0, params, ExpectedRows::Nothing),
        }
    }

    /// Sends what was deferred, and waits for it.
    pub(crate) fn send_deferred(&mut self) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(session) => session.flush(),
        }
    }

    /// Whether this run of the closure may [`assume`](Self::assume). Never where a look costs no
    /// round trip, nor in a run that follows one whose assumption was wrong.
    pub fn may_assume(&self) -> bool {
        match &self.engine {
            Engine::Sqlite(_) => false,
            Engine::Postgres(session) => session.may_assume(),
        }
    }

    /// Sends along with the next statement one that is taken to touch exactly one row, so that
    /// knowing it costs no round trip. If it does not, nothing of this run counts: the transaction
    /// is rolled back and the closure runs again, now without assuming. No closure is answered
    /// before its assumptions have been checked.
    pub fn assume(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(_) => Err(Problem::internal("nothing may be assumed here")),
            Engine::Postgres(session) => session.defer(sql.0, params, ExpectedRows::OneRow),
        }
    }

    /// Asks for rows before they are needed, so that on an engine that is reached over a network
    /// they come with the answer of the next statement.
    pub fn prefetch<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Prefetch<R>> {
        if let Engine::Postgres(session) = &mut self.engine {
            return session.send_ahead(sql.0, params).map(Prefetch::Sent);
        }
        self.all(sql, params).map(Prefetch::Here)
    }

    /// The rows that were asked for ahead.
    pub fn awaited<R: Record>(&mut self, ahead: Prefetch<R>) -> Result<Vec<R>> {
        match (ahead, &mut self.engine) {
            (Prefetch::Here(rows), _) => Ok(rows),
            (Prefetch::Sent(number), Engine::Postgres(session)) => {
                read_all(&session.rows_ahead(number)?)
            }
            (Prefetch::Sent(_), Engine::Sqlite(_)) => {
                Err(Problem::internal("nothing was sent ahead"))
            }
        }
    }

    /// Once the transaction is committed, [`Db::signals`](crate::Db::signals) tells this.
    pub fn signal(&mut self, company: CompanyId, id: Id) {
        self.signals.signals.push((company, id));
    }

    /// Once the transaction is committed, whoever waits for news of this record is woken; see
    /// [`Signals::rung`](crate::Signals::rung).
    pub fn ring(&mut self, id: Id) {
        self.signals.rings.push(id);
    }

    pub(crate) fn rows<R: Record>(&mut self, sql: &str, params: &[Value<'_>]) -> Result<Vec<R>> {
        match &mut self.engine {
            Engine::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql).map_err(|e| failed(sql, e))?;
                bind_all(&mut statement, params).map_err(|e| failed(sql, e))?;
                let mut rows = statement.raw_query();
                let mut out = Vec::new();
                while let Some(row) = rows.next().map_err(|e| failed(sql, e))? {
                    out.push(R::read(&Row(Source::Sqlite(row)), 0)?);
                }
                Ok(out)
            }
            Engine::Postgres(session) => read_all(&session.query(sql, params)?),
        }
    }
}

impl Tx<'_> {
    /// The same for a statement whose best plan depends on its values.
    pub(crate) fn rows_planned<R: Record>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Vec<R>> {
        match &mut self.engine {
            Engine::Sqlite(_) => self.rows(sql, params),
            Engine::Postgres(session) => read_all(&session.query_planned(sql, params)?),
        }
    }
}

/// Rows that were asked for ahead.
pub enum Prefetch<R> {
    /// They are here already.
    Here(Vec<R>),
    /// They are on their way, under this number.
    Sent(usize),
}

pub(crate) fn read_all<R: Record>(rows: &[tokio_postgres::Row]) -> Result<Vec<R>> {
    rows.iter().map(|row| R::read(&Row(Source::Postgres(row)), 0)).collect()
}

fn bind_all(
    statement: &mut rusqlite::CachedStatement<'_>,
    params: &[Value<'_>],
) -> rusqlite::Result<()> {
    for (at, value) in params.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, value)?;
    }
    Ok(())
}

pub(crate) fn failed(sql: &str, error: rusqlite::Error) -> Problem {
    let full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
    let cause = format!("{error} in {sql}");
    if full { no_room(cause) } else { Problem::internal(cause) }
}

/// There is no room on the disk; what was asked for is not done.
pub(crate) fn no_room(cause: String) -> Problem {
    let text = "There is no room on the server's disk; nothing was changed.";
    let problem = Problem::with_message(Key::RequestFailed, text).with_status(507);
    Problem { cause: Some(cause), ..problem }
}

impl Bind for Value<'_> {
    fn bind(&self) -> Value<'_> {
        self.clone()
    }
}
