//! Doing imports, as a job: each row is given to the operation that it amounts to, as whoever brought the file. To check a
//! row, the operation is run and taken back again, so that a preview says what the operation would say.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde::{Deserialize, de::IntoDeserializer};
use serde_json::{Map, Value, json};
use spotter_contract::{
    Arguments, Asked, Caller, Content, Env, Job, Operation, Read, Table, Write,
    downloads::Holder,
    jobs::{Held, Outcome},
};
use spotter_core::access::holders;
use spotter_delivery::jobs::{Attempt, Worker};
use spotter_finance::catalogue::vocabulary::Period;
use spotter_imports::{
    Import, ImportKind, ImportRow, RowState,
    fields::{Named, TakeBack},
    row::{Asks, Known, Rules, Wrong},
    steps::{self, Work},
};
use spotter_kernel::{Date, Id, Problem, Result, TimeZone, id::CompanyId, money::Currency};
use spotter_store::{Db, Tx};

/// Rows whose checks are noted at once, and addresses that are looked up at once.
const BATCH: usize = 100;
/// Pages of a list of records that rows may name; of a hundred each.
const PAGES_MAX: i64 = 20;
/// What is said where an operation that takes a row back asks why.
const WHY: &str = "The import was undone";

/// What does imports.
#[derive(Clone)]
pub struct Importer {
    /// The database.
    pub db: Db,
    /// The clock and the key.
    pub env: Env,
    /// The operations.
    pub table: Arc<Table>,
    /// How long a turn may take: shorter than it is held.
    pub turn: Duration,
}

/// How long a worker's turn may take; the rest is another turn's, so that the work of a process that died goes on soon.
pub const TURN: Duration = Duration::from_secs(45);

/// A run of an import, and the rules and records that its rows are read by.
struct Run {
    author: Author,
    import: Import,
    rules: Rules,
    known: Known,
    until: Instant,
}

impl Run {
    /// Rows as long as the turn lasts; the first in any case, so that each turn gets on.
    fn in_time<R>(&self, rows: impl IntoIterator<Item = R>) -> impl Iterator<Item = R> {
        let until = self.until;
        let rows = rows.into_iter().enumerate();
        rows.take_while(move |(at, _)| *at == 0 || Instant::now() < until).map(|(_, row)| row)
    }
}

impl Importer {
    /// Goes on with the import of a run as far as it can go by itself.
    pub async fn run(&self, company: CompanyId, run: Id) -> Result<()> {
        let until = Instant::now() + self.turn;
        let now = self.env.clock.now();
        let look = move |tx: &mut Tx<'_>| {
            let system = Caller::new(company, spotter_contract::Actor::System);
            steps::next(&mut Read::new(tx, &system, now), run)
        };
        let Some(Work { import, state, rows, ready }) = self.db.read(look).await? else {
            return Ok(());
        };
        let author = Author { env: self.env.clone(), company, coach: import.created_by.0, run };
        let rules = self.rules(&author, &import).await?;
        let mut run = Run { author, import, rules, known: Known::default(), until };
        if state != RowState::Done {
            run.known = self.known(&run, &rows).await?;
        }
        match state {
            RowState::Unchecked => self.check(&run, rows, &ready).await?,
            RowState::Done => self.undo(&run, rows).await?,
            _ => self.perform(&run, rows).await?,
        }
        self.change(&run, steps::finish).await
    }

    fn operation(&self, id: &str) -> Result<Arc<Operation>> {
        self.table.find(id).cloned().ok_or_else(|| Problem::internal("no such operation"))
    }

    /// What a read answers whoever brought the file, for each of some queries.
    async fn look_up(&self, author: &Author, id: &str, queries: Vec<String>) -> Result<Vec<Value>> {
        let (operation, author) = (self.operation(id)?, author.clone());
        let read = move |tx: &mut Tx<'_>| {
            let caller = author.caller(tx)?;
            let ask = |query: &String| {
                let body = Content::Nothing;
                let arguments = Arguments { path: vec![], query: query.clone(), body };
                author.ask(tx, &caller, &operation, arguments)
            };
            queries.iter().map(ask).collect()
        };
        self.db.read(read).await
    }

    async fn rules(&self, author: &Author, import: &Import) -> Result<Rules> {
        let told = self.look_up(author, "get_company_settings", vec![String::new()]).await?;
        let company = told.first().map_or(&Value::Null, |told| &told["company"]);
        let text = |name: &str| company[name].as_str();
        let currency = text("currency").and_then(Currency::parse);
        let zone = text("timeZone").and_then(TimeZone::parse).unwrap_or(TimeZone::UTC);
        Ok(Rules {
            kind: import.kind,
            columns: import.fields(),
            date_order: import.date_order,
            member_status: import.member_status.clone(),
            currency: currency.ok_or_else(|| Problem::internal("a company without a currency"))?,
            country: text("country").map(str::to_owned),
            today: zone.date_at(self.env.clock.now()),
            sold_from,
        })
    }

    /// The records that rows name.
    async fn known(&self, run: &Run, rows: &[ImportRow]) -> Result<Known> {
        let mut known = Known::default();
        let mut addresses: Vec<&str> = Vec::new();
        let mut listed: Vec<Named> = Vec::new();
        for (named, name) in rows.iter().flat_map(|row| run.rules.named(&row.cells.0)) {
            if named == Named::Client {
                addresses.push(name);
            } else if !listed.contains(&named) {
                listed.push(named);
                self.list(&run.author, named, &mut known).await?;
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        for addresses in addresses.chunks(BATCH) {
            self.find_clients(&run.author, addresses, &mut known).await?;
        }
        Ok(known)
    }

    async fn find_clients(
        &self,
        author: &Author,
        addresses: &[&str],
        known: &mut Known,
    ) -> Result<()> {
        // No address of a client is as long as what cannot be searched for.
        let sought = addresses.iter().filter(|address| address.chars().count() <= 100);
        let query = |address: &&str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("search", address).append_pair("archived", "false").finish()
        };
        let told = self.look_up(author, "list_clients", sought.map(query).collect()).await?;
        for client in told.iter().flat_map(|told| told["clients"].as_array()).flatten() {
            let own = client["email"].as_str().unwrap_or_default();
            if addresses.iter().any(|address| own.eq_ignore_ascii_case(address)) {
                known.add(Named::Client, own, client["clientId"].as_str().unwrap_or_default());
            }
        }
        Ok(())
    }

    async fn list(&self, author: &Author, named: Named, known: &mut Known) -> Result<()> {
        let (operation, filter, list, id) = match named {
            Named::Coach => ("list_coaches", "", "coaches", "coachId"),
            Named::Location => ("list_locations", "", "locations", "locationId"),
            Named::Membership => {
                ("list_products", "productType=Membership&archived=false&", "products", "productId")
            }
            Named::Client => return Ok(()),
        };
        for page in 1..=PAGES_MAX {
            let query = format!("{filter}limit=100&page={page}");
            let told = self.look_up(author, operation, vec![query]).await?;
            let told = told.into_iter().next().unwrap_or_default();
            for record in told[list].as_array().into_iter().flatten() {
                let id = record[id].as_str().unwrap_or_default();
                names(record).iter().for_each(|name| known.add(named, name, id));
                known.add_period(id, record["period"].as_str().unwrap_or_default());
            }
            if told["hasNextPage"] != true {
                break;
            }
        }
        Ok(())
    }

    /// Finds out what is wrong with rows, and keeps nothing else. What was taken back again cannot be in the way of what
    /// comes after it: what two rows say that one alone may say is looked for beside.
    async fn check(&self, run: &Run, rows: Vec<ImportRow>, ready: &[ImportRow]) -> Result<()> {
        let mut said = Said::default();
        ready.iter().for_each(|row| drop(said.already(&run.rules, row)));
        for rows in run.in_time(rows.chunks(BATCH)) {
            let mut checked = Vec::with_capacity(rows.len());
            for row in rows {
                let mut wrong = self.trial(run, row).await?;
                if wrong.is_none() {
                    wrong = said.already(&run.rules, row);
                }
                checked.push((row.clone(), wrong));
            }
            self.change(run, move |cx, run| steps::note_checked(cx, run, &checked)).await?;
        }
        Ok(())
    }

    /// Runs what a row amounts to, and takes it back.
    async fn trial(&self, run: &Run, row: &ImportRow) -> Result<Option<Wrong>> {
        let asks = match run.rules.asks(&row.cells.0, &run.known) {
            Ok(asks) => asks,
            Err(wrong) => return Ok(Some(wrong)),
        };
        let doing = self.doing(run.import.kind)?;
        let told: Arc<Mutex<Option<Result<()>>>> = Arc::default();
        let (author, note) = (run.author.clone(), told.clone());
        let trial = move |tx: &mut Tx<'_>| -> Result<()> {
            let caller = author.caller(tx)?;
            let outcome = doing.make(tx, &author, &caller, &asks).and_then(|_| {
                // What was put off is done before anything else is read.
                let now = author.env.clock.now();
                steps::next(&mut Read::new(tx, &caller, now), Id::first_at(now)).map(drop)
            });
            let ended = outcome.clone().and(Err(taken_back()));
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            ended
        };
        let ended = self.db.write(trial).await;
        let told = told.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (told, ended) {
            (Some(Ok(())), _) => Ok(None),
            (Some(Err(problem)), _) if problem.status < 500 => Ok(Some(why(&problem))),
            (Some(Err(problem)), _) | (None, Err(problem)) => Err(problem),
            (None, Ok(())) => Err(Problem::internal("a trial told nothing")),
        }
    }

    /// Does each row that is in order, once.
    async fn perform(&self, run: &Run, rows: Vec<ImportRow>) -> Result<()> {
        let doing = self.doing(run.import.kind)?;
        for row in run.in_time(rows) {
            let wrong = match run.rules.asks(&row.cells.0, &run.known) {
                Err(wrong) => Some(wrong),
                Ok(asks) => {
                    let (author, doing, own) = (run.author.clone(), doing.clone(), row.clone());
                    let (import, place) = (run.import.import_id, doing.place);
                    let done = self.db.write(move |tx: &mut Tx<'_>| {
                        let caller = author.caller(tx)?;
                        let answer = doing.make(tx, &author, &caller, &asks)?;
                        author.note(tx, |cx| steps::note_done(cx, import, &own, &answer, place))
                    });
                    refusal(done.await)?
                }
            };
            if let Some(wrong) = wrong {
                self.note_refused(run, row, RowState::Ready, wrong).await?;
            }
        }
        Ok(())
    }

    /// Takes back each row that was done, the last first.
    async fn undo(&self, run: &Run, rows: Vec<ImportRow>) -> Result<()> {
        let steps = run.import.kind.undo().iter();
        let steps: Result<Vec<_>> =
            steps.map(|step| Ok((*step, self.operation(step.operation)?))).collect();
        let steps = Arc::new(steps?);
        for row in run.in_time(rows.into_iter().rev()) {
            let (author, steps, own) = (run.author.clone(), steps.clone(), row.clone());
            let import = run.import.import_id;
            let done = self.db.write(move |tx: &mut Tx<'_>| {
                let caller = author.caller(tx)?;
                for (step, operation) in steps.iter() {
                    if let Some(made) = own.made(step.made) {
                        let outcome = author.ask(tx, &caller, operation, taking_back(step, made));
                        match outcome {
                            Err(problem) if problem.status == 409 && step.unless_over => {}
                            outcome => drop(outcome?),
                        }
                    }
                }
                author.note(tx, |cx| steps::note_undone(cx, import, &own))
            });
            if let Some(wrong) = refusal(done.await)? {
                self.note_refused(run, row, RowState::Done, wrong).await?;
            }
        }
        Ok(())
    }

    async fn note_refused(
        &self,
        run: &Run,
        row: ImportRow,
        before: RowState,
        wrong: Wrong,
    ) -> Result<()> {
        let id = run.import.import_id;
        self.change(run, move |cx, _| steps::note_refused(cx, id, &row, before, wrong.clone()))
            .await
    }

    async fn change(
        &self,
        run: &Run,
        step: impl Fn(&mut Write<'_, '_>, Id) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let author = run.author.clone();
        let change = move |tx: &mut Tx<'_>| author.note(tx, |cx| step(cx, author.run));
        self.db.write(change).await
    }

    /// What makes a row into a record.
    fn doing(&self, kind: ImportKind) -> Result<Doing> {
        let (operation, place) = kind.operation();
        let operation = self.operation(operation)?;
        Ok(Doing { operation, place, noting: self.operation("create_client_note")? })
    }
}

/// What makes a row into a record, and keeps what it notes about it.
#[derive(Clone)]
struct Doing {
    operation: Arc<Operation>,
    /// Where the answer tells the record's id.
    place: &'static str,
    noting: Arc<Operation>,
}

impl Doing {
    fn make(
        &self,
        tx: &mut Tx<'_>,
        author: &Author,
        caller: &Caller,
        asks: &Asks,
    ) -> Result<Value> {
        let Asks { path, body, note } = asks.clone();
        let arguments = Arguments { path, query: String::new(), body: body.into() };
        let answer = author.ask(tx, caller, &self.operation, arguments)?;
        if let Some(note) = note {
            let id = answer.pointer(self.place).and_then(Value::as_str).unwrap_or_default();
            let path = vec![("clientId".to_owned(), id.to_owned())];
            let body = json!({"body": note}).into();
            author.ask(tx, caller, &self.noting, Arguments { path, query: String::new(), body })?;
        }
        Ok(answer)
    }
}

/// What takes back a record that a row has made.
fn taking_back(step: &TakeBack, made: Id) -> Arguments {
    let mut body = Map::new();
    body.extend(step.why.map(|field| (field.to_owned(), WHY.into())));
    let path = vec![(step.path.to_owned(), made.to_string())];
    Arguments { path, query: String::new(), body: Value::Object(body).into() }
}

/// Whoever brought the file: each row is done as them.
#[derive(Clone)]
struct Author {
    env: Env,
    company: CompanyId,
    coach: Id,
    run: Id,
}

impl Author {
    /// Who they are, if they may still come in.
    fn caller(&self, tx: &mut Tx<'_>) -> Result<Caller> {
        holders::caller(tx, self.company, (Holder::Coach, self.coach), self.env.clock.now())
    }

    /// Has an operation done, and tells what it answers.
    fn ask(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        operation: &Arc<Operation>,
        arguments: Arguments,
    ) -> Result<Value> {
        let mut asked = Asked::new(operation.clone(), Ok(arguments), Ok(None));
        let answer = asked.run(tx, &self.env, caller, &self.run.to_string())?;
        serde_json::from_str(&answer.data).map_err(Problem::internal)
    }

    /// Notes something in the transaction of what it is about.
    fn note(
        &self,
        tx: &mut Tx<'_>,
        step: impl FnOnce(&mut Write<'_, '_>) -> Result<()>,
    ) -> Result<()> {
        Write::by_itself(tx, &self.env, self.company, (steps::RUN.id, &[]), step).map(drop)
    }
}

/// What rows have said that one alone may say, with the lines that said it first.
#[derive(Default)]
struct Said(HashMap<(&'static str, String), i64>);

impl Said {
    /// What of a row another has said before; from now on the row has, too.
    fn already(&mut self, rules: &Rules, row: &ImportRow) -> Option<Wrong> {
        let unique = rules.kind.fields().iter().filter(|field| field.unique);
        let said =
            unique.filter_map(|field| Some((field.name, rules.cell(field.name, &row.cells.0)?)));
        let mut wrong = None;
        for (field, cell) in said {
            let line = *self.0.entry((field, folded(field, cell))).or_insert(row.line);
            if line != row.line && wrong.is_none() {
                let rule = format!("is that of line {line}, too");
                wrong = Some(Wrong { field: field.to_owned(), rule });
            }
        }
        wrong
    }
}

/// What makes two cells the same: addresses do not mind case.
fn folded(field: &str, cell: &str) -> String {
    if field == "email" { cell.to_lowercase() } else { cell.to_owned() }
}

/// What ends a transaction that was a trial.
fn taken_back() -> Problem {
    Problem::because(spotter_kernel::Key::RequestInvalid, "a trial")
}

/// Why a row was refused; what nobody expected is an error of the work.
fn refusal(done: Result<()>) -> Result<Option<Wrong>> {
    match done {
        Ok(()) => Ok(None),
        Err(problem) if problem.status < 500 && problem.status != 401 => Ok(Some(why(&problem))),
        Err(problem) => Err(problem),
    }
}

fn why(problem: &Problem) -> Wrong {
    let told = |name: &str| {
        let text = problem.details.as_ref().and_then(|details| details[name].as_str());
        text.map(str::to_owned)
    };
    let rule = told("rule").unwrap_or_else(|| problem.message.clone());
    Wrong { field: told("field").unwrap_or_default(), rule }
}

/// From where a membership is sold that has begun: see [`SoldFrom`](spotter_imports::row::SoldFrom).
fn sold_from(began: Date, period: &str, today: Date) -> Date {
    let period: std::result::Result<_, serde::de::value::Error> =
        Period::deserialize(period.into_deserializer());
    let period = period.unwrap_or(Period::None);
    if began >= today {
        return began;
    }
    match period.around(began, today) {
        (_, start, _) if start == today => start,
        (.., next) => next,
    }
}

/// What a record may be called.
fn names(record: &Value) -> Vec<String> {
    let text = |name: &str| record[name].as_str().unwrap_or_default();
    let mut names = vec![text("email").to_owned()];
    match &record["name"] {
        Value::String(name) => names.push(name.clone()),
        Value::Object(texts) => {
            names.extend(texts.values().filter_map(Value::as_str).map(str::to_owned));
        }
        _ => names.push(format!("{} {}", text("firstName"), text("lastName"))),
    }
    names
}

impl Worker for Importer {
    fn job(&self) -> &'static Job {
        &steps::RUN
    }

    fn at_once(&self) -> usize {
        1
    }

    fn attempt(&self, held: &Held) -> Attempt {
        let (importer, company, run) = (self.clone(), held.company, held.subject);
        Box::pin(async move {
            match importer.run(company, run).await {
                Ok(()) => Outcome::Done,
                Err(problem) if problem.status < 500 => Outcome::Refused(problem.to_string()),
                Err(problem) => Outcome::Failed(problem.to_string()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_membership_that_began_long_ago_is_sold_from_its_next_period() {
        let date = |text| Date::parse(text).unwrap();
        for (began, period, starts) in [
            ("2023-01-31", "Month", "2026-11-30"),
            ("2024-03-25", "Month", "2026-11-25"),
            ("2026-10-26", "Month", "2026-11-26"),
            ("2026-10-24", "Month", "2026-12-24"),
            ("2019-12-01", "Year", "2026-12-01"),
            ("2026-11-01", "FourWeeks", "2026-11-29"),
            ("2027-02-01", "Month", "2027-02-01"),
        ] {
            let told = sold_from(date(began), period, date("2026-11-25"));
            assert_eq!(told, date(starts), "{began} {period}");
        }
    }
}
