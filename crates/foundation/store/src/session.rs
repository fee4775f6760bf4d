//! One connection to PostgreSQL, and its statements, which travel in as few round trips as they can.

mod servers;
mod transact;

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use futures_util::future::join3;
use spotter_kernel::{Problem, Result, id::CompanyId};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, SimpleQueryMessage, Statement, error::SqlState, types::Type};

use crate::{
    batch::{DeferredStatement, Effect, ExpectedRows, StatementPart, combine},
    citus::away::ServersAway,
    cost::CostMeter,
    sql::to_postgres,
    tally::{self, Tallies},
    tx::no_room,
    value::Value,
    wire::{
        Failure, PreparedBatch, ResultKind, ServerConnection, ServerKind, StatementResult,
        borrowed, dial, is_of_a_part, open, run_all,
    },
};

pub(crate) use transact::BatchEnding;

/// The most statements, and the most combinations of them, that stay prepared: each takes memory of
/// the server, for every connection.
const PREPARED_MAX: usize = 500;

/// How long a server may say nothing, which is longer than it gives a statement; then it is as good as gone.
const SILENT: Duration = Duration::from_secs(20);
/// The same for the store's own short questions, for which a read waits.
const LOOK_MAX: Duration = Duration::from_secs(3);

/// Types that no field of a record takes: a number as it is written is one, and a sum another.
const UNREAD: [Type; 4] = [Type::INT2, Type::INT4, Type::FLOAT4, Type::NUMERIC];

/// Plans as they are made within a transaction again.
const USUAL_PLANS: &str =
    "SELECT set_config('plan_cache_mode', current_setting('spotter.plans'), true)";

/// One connection and the transaction it is in.
pub(crate) struct Session {
    url: Arc<str>,
    server: ServerKind,
    runtime: Runtime,
    client: Client,
    statements: HashMap<String, Statement>,
    /// Statements made of several, by their parts.
    combined: HashMap<Vec<StatementPart>, Statement>,
    begin: &'static str,
    begun: bool,
    deferred: Vec<DeferredStatement>,
    /// Changes of totals, which are written with the commit.
    tallies: Tallies,
    /// Rows requested in advance, in order, once they have arrived.
    ahead: Vec<Option<Vec<tokio_postgres::Row>>>,
    /// Whether the closure may send statements whose result it assumes.
    assuming: bool,
    /// Whether the closure has written.
    changing: bool,
    /// Why the transaction can't be kept, by the engine's own word.
    failure: Option<Failure>,
    /// The server's own words for that failure.
    problem: Option<Problem>,
    shard: u64,
    is_spread: bool,
    /// Known by all sessions of the database.
    servers_away: Arc<ServersAway>,
    /// Whether its connection broke or fell silent: what it was sent may still be done, so it is sent nothing more.
    is_lost: bool,
    /// Whether the last attempt to reach the server succeeded.
    is_reached: bool,
    /// Whether the server has told of a conflict since this transaction began.
    tells_of_conflict: Arc<AtomicBool>,
    /// What counts the cost of the current job, if anything does.
    meter: Option<CostMeter>,
}

impl Session {
    pub(crate) fn connect(url: Arc<str>) -> Result<Self> {
        Self::connect_to(url, ServerKind::Database)
    }

    /// A connection to a server that follows the database's, for reads.
    pub(crate) fn connect_to_replica(url: Arc<str>) -> Result<Self> {
        Self::connect_to(url, ServerKind::Replica)
    }

    fn connect_to(url: Arc<str>, server: ServerKind) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Problem::internal)?;
        let ServerConnection { client, is_spread, tells_of_conflict } =
            dial(&runtime, &url, server)?;
        let mut seed = [0; 8];
        #[expect(clippy::disallowed_methods, reason = "shard numbers need no entropy handed in")]
        getrandom::fill(&mut seed).map_err(Problem::internal)?;
        Ok(Self {
            url,
            server,
            runtime,
            client,
            statements: HashMap::new(),
            combined: HashMap::new(),
            begin: transact::BEGIN_WRITE,
            begun: false,
            deferred: Vec::new(),
            tallies: Tallies::default(),
            ahead: Vec::new(),
            assuming: false,
            changing: false,
            failure: None,
            problem: None,
            shard: u64::from_be_bytes(seed),
            is_spread,
            servers_away: ServersAway::new().0,
            is_lost: false,
            is_reached: true,
            tells_of_conflict,
            meter: None,
        })
    }

    /// The same, which knows of a cluster's servers what other sessions know.
    pub(crate) fn knowing(self, servers_away: &Arc<ServersAway>) -> Self {
        Self { servers_away: servers_away.clone(), ..self }
    }

    /// A number that no other insert into a tally uses: a random start, then odd steps.
    pub(crate) fn shard(&mut self) -> i64 {
        self.shard = self.shard.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (self.shard >> 1) as i64 | 1
    }

    fn reconnect(&mut self, attempt: u32) -> Result<()> {
        std::thread::sleep(Duration::from_millis(50 << attempt));
        self.statements.clear();
        self.combined.clear();
        let dialled = dial(&self.runtime, &self.url, self.server);
        let dialled = dialled.map_err(|problem| {
            // Once, however many callers try meanwhile.
            if std::mem::take(&mut self.is_reached) {
                tracing::error!(%problem, "the database cannot be reached");
            }
            // It could be when this process began, so whatever it is, it may be over soon.
            Problem::overloaded().caused_by(problem.for_operators())
        })?;
        let ServerConnection { client, is_spread, tells_of_conflict } = dialled;
        if !std::mem::replace(&mut self.is_reached, true) {
            tracing::info!("the database is reached again");
        }
        (self.client, self.is_spread) = (client, is_spread);
        self.is_lost = false;
        self.tells_of_conflict = tells_of_conflict;
        Ok(())
    }

    fn note(&mut self, error: &tokio_postgres::Error, sql: &str) -> Problem {
        let failure = Failure::of(error);
        self.failure = Some(failure);
        self.is_lost |= failure == Failure::Disconnected;
        let is_of_a_part = is_of_a_part(error);
        if is_of_a_part {
            self.servers_away.doubt();
        }
        let text = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
        let cause = format!("{text} in {sql}");
        let problem = match error.code() {
            Some(code) if *code == SqlState::DISK_FULL => no_room(cause),
            Some(code) if *code == SqlState::QUERY_CANCELED => {
                Problem::overloaded().caused_by(cause)
            }
            _ if is_of_a_part => {
                let line = text.lines().next().unwrap_or_default();
                Problem::overloaded().caused_by(format!("a server of the cluster is away: {line}"))
            }
            _ => Problem::internal(cause),
        };
        self.problem = Some(problem.clone());
        problem
    }

    /// Why the transaction failed, for a caller whose closure did not hear of it.
    fn problem(&mut self) -> Problem {
        let known = self.problem.take();
        known.unwrap_or_else(|| Problem::internal("a statement of the transaction failed"))
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= PREPARED_MAX {
            self.statements.clear();
        }
        let statement = self.prepare(&to_postgres(sql, |own| own))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Deferred statements, ready to send.
    fn take_deferred(&mut self) -> Result<Vec<PreparedBatch>> {
        let combined = combine(std::mem::take(&mut self.deferred));
        let ready = combined.into_iter().map(|one| {
            let statement = match (&one.parts[..], self.combined.get(&one.parts)) {
                ([alone], _) if alone.rows == 1 => self.statement(alone.sql)?,
                (_, Some(statement)) => statement.clone(),
                (_, None) => {
                    if self.combined.len() >= PREPARED_MAX {
                        self.combined.clear();
                    }
                    let statement = self.prepare(&one.text())?;
                    self.combined.insert(one.parts.clone(), statement.clone());
                    statement
                }
            };
            Ok(PreparedBatch { statement, values: one.values, expected: one.ask })
        });
        ready.collect()
    }

    fn prepare(&mut self, text: &str) -> Result<Statement> {
        match self.wait(self.client.prepare(text)) {
            Some(prepared) => prepared.map_err(|error| self.note(&error, text)),
            None => Err(self.note_silence()),
        }
    }

    fn note_silence(&mut self) -> Problem {
        self.failure = Some(Failure::Disconnected);
        self.is_lost = true;
        // A cluster's coordinator is silent, too, while it waits for another server.
        self.servers_away.doubt();
        Problem::overloaded().caused_by("the database does not answer")
    }

    /// The text of the one value that a query of the store's own has, outside the life of a job.
    pub(crate) fn look(&mut self, sql: &str) -> Result<String> {
        let found = self.runtime.block_on(async {
            tokio::time::timeout(LOOK_MAX, self.client.simple_query(sql)).await
        });
        let found = match found {
            Ok(found) => found.map_err(|error| self.note(&error, sql))?,
            Err(_) => return Err(self.note_silence()),
        };
        let mut values = found.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        values.next().map(str::to_owned).ok_or_else(|| Problem::internal("the server says nothing"))
    }

    /// Whether the last failure was that others were quicker, or held what it needs.
    pub(crate) fn was_by_others(&self) -> bool {
        self.failure.is_some_and(Failure::is_by_others)
    }

    /// Lets the next statement begin a transaction of its own, outside the life of a job.
    pub(crate) fn restart(&mut self) {
        self.begun = false;
        self.failure = None;
    }

    /// Runs statements outside the life of a job, such as a migration's.
    pub(crate) fn script(&mut self, text: &str) -> Result<()> {
        self.begun = true;
        let ran = self.runtime.block_on(self.client.batch_execute(text));
        ran.map_err(|error| self.note(&error, text))
    }

    pub(crate) fn check(&mut self, sql: &str) -> Result<()> {
        let prepared = self.runtime.block_on(self.client.prepare(sql));
        let prepared = prepared.map_err(|error| self.note(&error, sql))?;
        let unread = prepared.columns().iter().find(|column| UNREAD.contains(column.type_()));
        match unread {
            Some(column) => Err(Problem::internal(format!("no record reads {column:?} of {sql}"))),
            None => Ok(()),
        }
    }

    pub(crate) fn is_spread(&self) -> bool {
        self.is_spread
    }

    pub(crate) fn may_assume(&self) -> bool {
        self.assuming
    }

    pub(crate) fn defer(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        kind: ExpectedRows,
    ) -> Result<()> {
        self.usable()?;
        self.refuse_if_silent(sql, params)?;
        self.changing |= Effect::of(sql) != Effect::Looks;
        let values = params.iter().map(|value| value.clone().into_owned()).collect();
        self.deferred.push(DeferredStatement { sql, values, expected: kind });
        Ok(())
    }

    /// Sends a statement along with the next one; its rows are read later, by the returned number.
    pub(crate) fn send_ahead(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<usize> {
        let number = self.ahead.len();
        self.defer(sql, params, ExpectedRows::Rows(number))?;
        self.ahead.push(None);
        Ok(number)
    }

    /// The rows of a statement that was sent ahead.
    pub(crate) fn rows_ahead(&mut self, number: usize) -> Result<Vec<tokio_postgres::Row>> {
        self.usable()?;
        if matches!(self.ahead.get(number), Some(None)) {
            self.flush()?;
        }
        let rows = self.ahead.get_mut(number).and_then(Option::take);
        rows.ok_or_else(|| Problem::internal("rows that were sent ahead are asked for once"))
    }

    pub(crate) fn tally(&mut self, company: CompanyId, subject: &str, by: i64) {
        self.changing = true;
        self.tallies.add(company, subject, by);
    }

    /// Turns changes of totals into statements, so that later reads see them.
    pub(crate) fn write_tallies(&mut self) -> Result<()> {
        for (company, subject, by) in self.tallies.take() {
            let shard = self.shard();
            let row = crate::params![company, subject, shard, by];
            self.defer(tally::APPEND.0, row, ExpectedRows::Nothing)?;
            if let Some(meter) = &self.meter {
                meter.count_statement(tally::APPEND.0, row, 1);
            }
        }
        Ok(())
    }

    pub(crate) fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        match self.send(sql, params, ResultKind::Count)? {
            StatementResult::Count(count) => Ok(count),
            StatementResult::Rows(rows) => Ok(rows.len() as u64),
        }
    }

    pub(crate) fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Vec<tokio_postgres::Row>> {
        match self.send(sql, params, ResultKind::Rows)? {
            StatementResult::Rows(rows) => Ok(rows),
            StatementResult::Count(_) => Ok(Vec::new()),
        }
    }

    /// The same for a statement whose best plan depends on its values: it is planned for these.
    pub(crate) fn query_planned(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Vec<tokio_postgres::Row>> {
        self.usable()?;
        self.refuse_if_silent(sql, params)?;
        let statement = self.statement(sql)?;
        let params = borrowed(params);
        let query = async |client: &Client| {
            let own = client.batch_execute("SET LOCAL plan_cache_mode = force_custom_plan");
            let rows = client.query(&statement, &params);
            let usual = client.batch_execute(USUAL_PLANS);
            let (own, rows, usual) = join3(own, rows, usual).await;
            // Errors after the first error say nothing about the cause.
            own.and(rows).and_then(|rows| usual.map(|()| rows))
        };
        self.round_trip(query, sql)
    }

    /// A failed transaction takes no further statement.
    fn usable(&self) -> Result<()> {
        match self.failure {
            None => Ok(()),
            Some(failure) => Err(Problem::internal(format!("the transaction failed: {failure:?}"))),
        }
    }

    fn send(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        expected: ResultKind,
    ) -> Result<StatementResult> {
        self.usable()?;
        self.refuse_if_silent(sql, params)?;
        self.changing |= Effect::of(sql) != Effect::Looks;
        let statement = self.statement(sql)?;
        let params = borrowed(params);
        let query = async |client: &Client| expected.run(client, &statement, &params).await;
        self.round_trip(query, sql)
    }

    fn count_round_trip(&self) {
        if let Some(meter) = &self.meter {
            meter.count_round_trip();
        }
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.round_trip(async |_: &Client| Ok(()), "an assumption")
    }

    /// Sends BEGIN (once), deferred statements and the query together; waits for all.
    fn round_trip<T>(
        &mut self,
        request: impl AsyncFnOnce(&Client) -> Result<T, tokio_postgres::Error>,
        sql: &str,
    ) -> Result<T> {
        let deferred = self.take_deferred()?;
        self.count_round_trip();
        let begun = std::mem::replace(&mut self.begun, true);
        let Self { client, begin, .. } = &*self;
        let sent = async {
            join3(open(client, begin, begun), run_all(client, &deferred), request(client)).await
        };
        let Some((start, result, output)) = self.wait(sent) else {
            return Err(self.note_silence());
        };
        let result = match start.and(result) {
            Ok(result) => result,
            Err(error) => return Err(self.note(&error, "a deferred statement")),
        };
        for (deferred, result) in deferred.iter().zip(result) {
            match (deferred.expected, result) {
                (ExpectedRows::OneRow, StatementResult::Count(1)) | (ExpectedRows::Nothing, _) => {}
                (ExpectedRows::Rows(number), StatementResult::Rows(rows)) => {
                    if let Some(place) = self.ahead.get_mut(number) {
                        *place = Some(rows);
                    }
                }
                _ => {
                    self.failure = Some(Failure::Assumption);
                    return Err(Problem::internal("an assumption was wrong"));
                }
            }
        }
        output.map_err(|error| self.note(&error, sql))
    }
}
