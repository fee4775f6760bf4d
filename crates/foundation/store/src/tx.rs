//! A transaction, as closures see it.

use spotter_kernel::{Id, Key, Problem, Result, TRACE_TARGET, Timestamp, id::CompanyId};

use crate::{
    batch::ExpectedRows,
    citus::{AcrossCompanies, away},
    cost::CostMeter,
    kept::KeptReads,
    questions::QuestionsAhead,
    row::{Record, Row, Source},
    session::Session,
    signals::PendingSignals,
    sql::Sql,
    value::{Bind, Value},
};

/// One serializable transaction: reads share one snapshot, writes are committed together.
pub struct Tx<'c> {
    pub(crate) engine: Engine<'c>,
    /// Signals to send after the commit.
    pub(crate) signals: PendingSignals,
    /// What counts its cost, if anything does.
    meter: Option<CostMeter>,
    kept: KeptReads,
    asked: QuestionsAhead,
}

pub(crate) enum Engine<'c> {
    Sqlite(&'c rusqlite::Connection),
    Postgres(&'c mut Session),
}

impl<'c> Tx<'c> {
    pub(crate) fn new(engine: Engine<'c>) -> Self {
        Self {
            engine,
            signals: PendingSignals::default(),
            meter: None,
            kept: KeptReads::default(),
            asked: QuestionsAhead::default(),
        }
    }

    /// The same with what counts its cost.
    pub(crate) fn metered(self, meter: Option<CostMeter>) -> Self {
        Self { meter, ..self }
    }

    /// Notes that a statement was sent.
    fn count(&mut self, sql: &str, params: &[Value<'_>], rows: u64) {
        self.kept.forget(sql);
        self.asked.forget(sql);
        if let Some(meter) = &self.meter {
            meter.count_statement(sql, params, rows);
        }
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

    /// The same for a record that many steps of an operation ask for: it is read once, until its table is written.
    pub fn one_kept<R: Record + Clone + Send + 'static>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
    ) -> Result<Option<R>> {
        if let Some(answer) = self.kept.find(sql.0, params) {
            return Ok(answer);
        }
        let answer: Option<R> = self.one(sql, params)?;
        self.kept.keep(sql.0, params, answer.clone());
        Ok(answer)
    }

    /// Rows of all companies, by a statement about one table. Where companies lie on several servers of which one is away,
    /// those of the others. What it claims there, two may claim at once: before it is taken, it must still be due.
    pub fn across_companies<R: Record>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
    ) -> Result<Vec<R>> {
        if !self.is_spread() {
            return self.all(sql, params);
        }
        let across = AcrossCompanies::of(sql.0);
        let away = self.servers_away()?;
        if let Some(name) = across.lock.and_then(|place| params.get(place - 1)) {
            // A name of its own: who asked a server before it was known to be silent may keep the other for as long.
            let name = match name {
                Value::Text(name) if !away.is_empty() => {
                    Value::Text(format!("{name}@{away}").into())
                }
                other => other.clone(),
            };
            let claimed: Vec<(bool,)> = self.rows(AcrossCompanies::CLAIM, &[name])?;
            if claimed != [(true,)] {
                return Ok(Vec::new());
            }
        }
        if away.is_empty() {
            let found = self.rows(&across.together, params);
            if let (Err(_), Engine::Postgres(session)) = (&found, &self.engine) {
                session.doubt_if_slow();
            }
            return found;
        }
        let (all, part) = across.apart(params)?;
        self.rows(&all, &[Value::Text(part.into()), Value::Text(away.into())])
    }

    /// Runs a statement now; the number of rows it changed.
    pub fn execute(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64> {
        let _traced = statement_span(sql.0);
        let changed = match &mut self.engine {
            Engine::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql.0).map_err(|e| failed(sql.0, e))?;
                bind_all(&mut statement, params).map_err(|e| failed(sql.0, e))?;
                statement.raw_execute().map(|n| n as u64).map_err(|e| failed(sql.0, e))?
            }
            Engine::Postgres(session) => session.execute(sql.0, params)?,
        };
        self.count(sql.0, params, changed);
        Ok(changed)
    }

    /// Runs a statement whose result is not read before the commit; engines over a network send it with the next
    /// statement or the commit.
    pub fn defer(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(_) => self.execute(sql, params).map(drop),
            Engine::Postgres(session) => {
                let _traced = statement_span(sql.0);
                session.defer(sql.0, params, ExpectedRows::Nothing)?;
                self.count(sql.0, params, 1);
                Ok(())
            }
        }
    }

    /// Sends deferred statements and waits for them.
    pub(crate) fn send_deferred(&mut self) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(session) => session.flush(),
        }
    }

    /// Whether the tables are spread over the servers of a cluster by their companies, so that a statement about all
    /// companies is one of each server's, and knows only some shapes.
    pub fn is_spread(&self) -> bool {
        match &self.engine {
            Engine::Sqlite(_) => false,
            Engine::Postgres(session) => session.is_spread(),
        }
    }

    /// Whether a server of the cluster does not answer: of its companies nothing is known then.
    pub fn is_server_away(&mut self) -> Result<bool> {
        self.servers_away().map(|away| !away.is_empty())
    }

    /// Fails at once where a server of the cluster does not answer, for work that would wait for it, and others for that work.
    pub fn need_all_servers(&mut self) -> Result<()> {
        match self.is_server_away()? {
            false => Ok(()),
            true => Err(away::refusal()),
        }
    }

    /// The addresses of the cluster's servers that do not answer, with commas between.
    pub(crate) fn servers_away(&mut self) -> Result<String> {
        match &self.engine {
            Engine::Postgres(session) if session.is_spread() => session.servers_away().known(),
            Engine::Postgres(_) | Engine::Sqlite(_) => Ok(String::new()),
        }
    }

    /// Whether this run of the closure may [`assume`](Self::assume): never where a check costs no round trip, nor in
    /// a run after a wrong assumption.
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
            Engine::Postgres(session) => {
                let _traced = statement_span(sql.0);
                session.defer(sql.0, params, ExpectedRows::OneRow)?;
                self.count(sql.0, params, 1);
                Ok(())
            }
        }
    }

    /// Asks a question ahead of its time: over a network its rows come with the next statement, and the same question
    /// finds them here, unless something was written in between that they are of. Where reading costs no round trip,
    /// nothing is read before it is needed.
    pub fn ask_ahead(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<()> {
        let Engine::Postgres(session) = &mut self.engine else { return Ok(()) };
        if !self.kept.contains(sql.0, params) && !self.asked.contains(sql.0, params) {
            let _traced = statement_span(sql.0);
            let number = session.send_ahead(sql.0, params)?;
            self.count(sql.0, params, 1);
            self.asked.note(sql.0, params, number);
        }
        Ok(())
    }

    /// Requests rows in advance, so that over a network they arrive with the next statement.
    pub fn prefetch<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Prefetch<R>> {
        if let Engine::Postgres(session) = &mut self.engine {
            if let Some(number) = self.asked.take(sql.0, params) {
                return Ok(Prefetch::Sent(number));
            }
            let _traced = statement_span(sql.0);
            let sent = session.send_ahead(sql.0, params).map(Prefetch::Sent);
            self.count(sql.0, params, 1);
            return sent;
        }
        self.all(sql, params).map(Prefetch::Here)
    }

    /// Rows requested in advance.
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

    /// Sends this signal to [`Db::signals`](crate::Db::signals) after the commit.
    pub fn signal(&mut self, company: CompanyId, id: Id) {
        self.signals.signals.push((company, id));
    }

    /// Notifies readers that wait for this record after the commit; see [`Signals::notified`](crate::Signals::notified).
    pub fn ring(&mut self, id: Id) {
        self.signals.rings.push(id);
    }

    /// Notes in the [`Agenda`](crate::Agenda) that a queue has work at an instant, after the commit.
    pub fn note_due(&mut self, queue: &'static str, due_at: Timestamp) {
        self.signals.note_due(queue, due_at);
    }

    pub(crate) fn rows<R: Record>(&mut self, sql: &str, params: &[Value<'_>]) -> Result<Vec<R>> {
        self.read_rows(sql, params, |row| R::read(row, 0))
    }

    /// The same, each row read by a closure.
    pub(crate) fn read_rows<R>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let _traced = statement_span(sql);
        let rows = match &mut self.engine {
            Engine::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql).map_err(|e| failed(sql, e))?;
                bind_all(&mut statement, params).map_err(|e| failed(sql, e))?;
                let mut rows = statement.raw_query();
                let mut out = Vec::new();
                while let Some(row) = rows.next().map_err(|e| failed(sql, e))? {
                    out.push(read(&Row(Source::Sqlite(row)))?);
                }
                out
            }
            Engine::Postgres(session) => match self.asked.take(sql, params) {
                Some(number) => return read_each(&session.rows_ahead(number)?, read),
                None => read_each(&session.query(sql, params)?, read)?,
            },
        };
        self.count(sql, params, rows.len() as u64);
        Ok(rows)
    }
}

impl Tx<'_> {
    /// The same for a statement whose best plan depends on its values.
    pub(crate) fn rows_planned<R: Record>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Vec<R>> {
        self.read_rows_planned(sql, params, |row| R::read(row, 0))
    }

    /// The same, each row read by a closure.
    pub(crate) fn read_rows_planned<R>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        match &mut self.engine {
            Engine::Sqlite(_) => self.read_rows(sql, params, read),
            Engine::Postgres(session) => {
                let _traced = statement_span(sql);
                let rows = read_each(&session.query_planned(sql, params)?, read)?;
                self.count(sql, params, rows.len() as u64);
                Ok(rows)
            }
        }
    }
}

/// Rows requested in advance.
pub enum Prefetch<R> {
    /// They are here already.
    Here(Vec<R>),
    /// They are on their way, under this number.
    Sent(usize),
}

/// A statement within its transaction's trace: its text, whose values are apart. One that is sent later lasts no time.
fn statement_span(sql: &str) -> tracing::span::EnteredSpan {
    tracing::trace_span!(target: TRACE_TARGET, "statement", db.query.text = sql).entered()
}

pub(crate) fn read_all<R: Record>(rows: &[tokio_postgres::Row]) -> Result<Vec<R>> {
    read_each(rows, |row| R::read(row, 0))
}

fn read_each<R>(
    rows: &[tokio_postgres::Row],
    mut read: impl FnMut(&Row<'_>) -> Result<R>,
) -> Result<Vec<R>> {
    rows.iter().map(|row| read(&Row(Source::Postgres(row)))).collect()
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
    let cause = format!("{error} in {sql}");
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => no_room(cause),
        Some(rusqlite::ErrorCode::DatabaseBusy) => Problem::overloaded().caused_by(cause),
        _ => Problem::internal(cause),
    }
}

/// The disk is full; nothing was done.
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
