//! Doing imports, as a job: each row is given to the operation that it amounts to, as whoever brought the file. To check a
//! row, the operation is run and taken back again, so that a preview says what the operation would say.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;
use spotter_contract::{
    Arguments, Asked, Caller, Content, Env, Job, Operation, Read, Table, Write,
    downloads::Holder,
    jobs::{Held, Outcome},
};
use spotter_core::access::holders;
use spotter_delivery::jobs::{Attempt, Worker};
use spotter_imports::{
    ImportKind, ImportRow, RowState,
    fields::Named,
    row::{Known, Rules, Wrong},
    steps::{self, Work},
};
use spotter_kernel::{Id, Problem, Result, id::CompanyId, money::Currency};
use spotter_store::{Db, Tx};

/// Rows whose checks are noted at once.
const BATCH: usize = 100;
/// Pages of a list of records that rows may name; of a hundred each.
const PAGES_MAX: i64 = 20;

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

/// As whom, and of which import.
#[derive(Clone, Copy)]
struct By {
    company: CompanyId,
    coach: Id,
    run: Id,
}

impl Importer {
    /// Goes on with the import of a run as far as it can go by itself.
    pub async fn run(&self, company: CompanyId, run: Id) -> Result<()> {
        let now = self.env.clock.now();
        let look = move |tx: &mut Tx<'_>| {
            let system = Caller::new(company, spotter_contract::Actor::System);
            steps::next(&mut Read::new(tx, &system, now), run)
        };
        let Some(work) = self.db.read(look).await? else { return Ok(()) };
        let by = By { company, coach: work.import.created_by.0, run };
        let until = Instant::now() + self.turn;
        if work.state == RowState::Done {
            self.undo(by, &work, until).await?;
        } else {
            let rules = self.rules(by, &work).await?;
            let known = self.known(by, &rules, &work).await?;
            match work.state {
                RowState::Unchecked => self.check(by, work, (&rules, &known), until).await?,
                _ => self.perform(by, work, (&rules, &known), until).await?,
            }
        }
        self.change(company, move |cx| steps::finish(cx, run)).await
    }

    fn operation(&self, id: &str) -> Result<Arc<Operation>> {
        self.table.find(id).cloned().ok_or_else(|| Problem::internal("no such operation"))
    }

    /// Runs a read as whoever brought the file.
    async fn ask(&self, by: By, id: &str, query: String) -> Result<Value> {
        let operation = self.operation(id)?;
        let arguments = Arguments { path: vec![], query, body: Content::Nothing };
        let env = self.env.clone();
        let read = move |tx: &mut Tx<'_>| {
            let caller = caller(tx, &env, by)?;
            let mut asked = Asked::new(operation.clone(), Ok(arguments.clone()), Ok(None));
            Ok(asked.run(tx, &env, &caller, &by.run.to_string())?.data)
        };
        let told = self.db.read(read).await?;
        serde_json::from_str(&told).map_err(Problem::internal)
    }

    async fn rules(&self, by: By, work: &Work) -> Result<Rules> {
        let told = self.ask(by, "get_company_settings", String::new()).await?;
        let company = &told["company"];
        let currency = company["currency"].as_str().and_then(Currency::parse);
        Ok(Rules {
            kind: work.import.kind,
            columns: work.import.fields(),
            date_order: work.import.date_order,
            member_status: work.import.member_status.clone(),
            currency: currency.ok_or_else(|| Problem::internal("a company without a currency"))?,
            country: company["country"].as_str().map(str::to_owned),
        })
    }

    /// The records that rows name.
    async fn known(&self, by: By, rules: &Rules, work: &Work) -> Result<Known> {
        let mut known = Known::default();
        let mut listed: Vec<Named> = Vec::new();
        for row in &work.rows {
            for (named, name) in rules.named(&row.cells.0) {
                match named {
                    Named::Client => self.find_client(by, name, &mut known).await?,
                    named if !listed.contains(&named) => {
                        listed.push(named);
                        self.list(by, named, &mut known).await?;
                    }
                    _ => {}
                }
            }
        }
        Ok(known)
    }

    async fn find_client(&self, by: By, email: &str, known: &mut Known) -> Result<()> {
        if known.has(Named::Client, email) || email.chars().count() > 100 {
            return Ok(());
        }
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("search", email)
            .append_pair("archived", "false")
            .finish();
        let told = self.ask(by, "list_clients", query).await?;
        for client in told["clients"].as_array().into_iter().flatten() {
            let own = client["email"].as_str().unwrap_or_default();
            if own.eq_ignore_ascii_case(email) {
                known.add(Named::Client, own, client["clientId"].as_str().unwrap_or_default());
            }
        }
        Ok(())
    }

    async fn list(&self, by: By, named: Named, known: &mut Known) -> Result<()> {
        let (operation, filter, list, id) = match named {
            Named::Coach => ("list_coaches", "", "coaches", "coachId"),
            Named::Location => ("list_locations", "", "locations", "locationId"),
            Named::Membership => {
                ("list_products", "productType=Membership&archived=false&", "products", "productId")
            }
            Named::Client => return Ok(()),
        };
        for page in 1..=PAGES_MAX {
            let told = self.ask(by, operation, format!("{filter}limit=100&page={page}")).await?;
            for record in told[list].as_array().into_iter().flatten() {
                let id = record[id].as_str().unwrap_or_default();
                names(record).iter().for_each(|name| known.add(named, name, id));
            }
            if told["hasNextPage"] != true {
                break;
            }
        }
        Ok(())
    }

    /// Finds out what is wrong with rows, and keeps nothing else.
    async fn check(
        &self,
        by: By,
        work: Work,
        (rules, known): (&Rules, &Known),
        until: Instant,
    ) -> Result<()> {
        let mut addresses: HashMap<String, i64> = HashMap::new();
        for rows in work.rows.chunks(BATCH) {
            if Instant::now() >= until {
                break;
            }
            let mut checked = Vec::with_capacity(rows.len());
            for row in rows {
                let mut wrong = self.trial(by, rules, known, row).await?;
                // What was taken back again cannot be in the way of what comes after it.
                if let (None, Some(email)) = (&wrong, rules.cell("email", &row.cells.0)) {
                    let line = *addresses.entry(email.to_lowercase()).or_insert(row.line);
                    let rule = format!("is that of line {line}, too");
                    wrong = (line != row.line).then(|| Wrong { field: "email".into(), rule });
                }
                checked.push((row.clone(), wrong));
            }
            self.change(by.company, move |cx| steps::note_checked(cx, by.run, &checked)).await?;
        }
        Ok(())
    }

    /// Runs what a row amounts to, and takes it back.
    async fn trial(
        &self,
        by: By,
        rules: &Rules,
        known: &Known,
        row: &ImportRow,
    ) -> Result<Option<Wrong>> {
        let (operation, arguments) = match self.asked(rules, known, row) {
            Ok(asked) => asked,
            Err(wrong) => return Ok(Some(wrong)),
        };
        let operation = self.operation(operation)?;
        let told: Arc<Mutex<Option<Result<()>>>> = Arc::default();
        let (env, note) = (self.env.clone(), told.clone());
        let trial = move |tx: &mut Tx<'_>| -> Result<()> {
            let caller = caller(tx, &env, by)?;
            let mut asked = Asked::new(operation.clone(), Ok(arguments.clone()), Ok(None));
            let request_id = by.run.to_string();
            let outcome = asked.run(tx, &env, &caller, &request_id).and_then(|_| {
                // What was put off is done before anything else is read.
                let look = steps::next(
                    &mut Read::new(tx, &caller, env.clock.now()),
                    Id::first_at(env.clock.now()),
                );
                look.map(drop)
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

    /// The operation that a row is given to, and with what.
    fn asked(
        &self,
        rules: &Rules,
        known: &Known,
        row: &ImportRow,
    ) -> std::result::Result<(&'static str, Arguments), Wrong> {
        let mut body = rules.body(&row.cells.0, known)?;
        let mut path = Vec::new();
        if rules.kind == ImportKind::Memberships
            && let Some(Value::String(client)) =
                body.as_object_mut().and_then(|body| body.remove("clientId"))
        {
            path.push(("clientId".to_owned(), client));
        }
        let (operation, _) = rules.kind.operation();
        Ok((operation, Arguments { path, query: String::new(), body: body.into() }))
    }

    /// Does each row that is in order, once.
    async fn perform(
        &self,
        by: By,
        work: Work,
        (rules, known): (&Rules, &Known),
        until: Instant,
    ) -> Result<()> {
        let import = work.import.import_id;
        for row in work.rows {
            if Instant::now() >= until {
                break;
            }
            let wrong = match self.asked(rules, known, &row) {
                Err(wrong) => Some(wrong),
                Ok((operation, arguments)) => {
                    let operation = self.operation(operation)?;
                    let (_, place) = rules.kind.operation();
                    let (env, row) = (self.env.clone(), row.clone());
                    let done = self.db.write(move |tx: &mut Tx<'_>| {
                        let caller = caller(tx, &env, by)?;
                        let mut asked =
                            Asked::new(operation.clone(), Ok(arguments.clone()), Ok(None));
                        let answer = asked.run(tx, &env, &caller, &by.run.to_string())?;
                        let answer: Value =
                            serde_json::from_str(&answer.data).map_err(Problem::internal)?;
                        noting(tx, &env, by, |cx| {
                            steps::note_done(cx, import, &row, &answer, place)
                        })
                    });
                    refusal(done.await)?
                }
            };
            if let Some(wrong) = wrong {
                self.note_refused(by, &work.import, row, RowState::Ready, wrong).await?;
            }
        }
        Ok(())
    }

    /// Takes back each row that was done, the last first.
    async fn undo(&self, by: By, work: &Work, until: Instant) -> Result<()> {
        let import = work.import.import_id;
        let (operation, name) = work.import.kind.undo();
        let operation = self.operation(operation)?;
        for row in work.rows.iter().rev() {
            if Instant::now() >= until {
                break;
            }
            let record = row.record_id.map(|id| id.to_string()).unwrap_or_default();
            let body = match operation.body() {
                Some(_) if work.import.kind == ImportKind::Clients => {
                    serde_json::json!({"archiveReason": "The import was undone"}).into()
                }
                _ => serde_json::json!({}).into(),
            };
            let arguments =
                Arguments { path: vec![(name.to_owned(), record)], query: String::new(), body };
            let (env, operation, own) = (self.env.clone(), operation.clone(), row.clone());
            let crediting = self.operation("credit_invoice")?;
            let done = self.db.write(move |tx: &mut Tx<'_>| {
                let caller = caller(tx, &env, by)?;
                let request_id = by.run.to_string();
                let mut asked = Asked::new(operation.clone(), Ok(arguments.clone()), Ok(None));
                asked.run(tx, &env, &caller, &request_id)?;
                if let Some(invoice) = own.invoice_id {
                    let path = vec![("invoiceId".to_owned(), invoice.to_string())];
                    let body = serde_json::json!({"reason": "The import was undone"}).into();
                    let arguments = Arguments { path, query: String::new(), body };
                    let mut credit = Asked::new(crediting.clone(), Ok(arguments), Ok(None));
                    match credit.run(tx, &env, &caller, &request_id) {
                        // Nothing of it is left to credit.
                        Err(problem) if problem.status == 409 => {}
                        credited => drop(credited?),
                    }
                }
                noting(tx, &env, by, |cx| steps::note_undone(cx, import, &own))
            });
            if let Some(wrong) = refusal(done.await)? {
                self.note_refused(by, &work.import, row.clone(), RowState::Done, wrong).await?;
            }
        }
        Ok(())
    }

    async fn note_refused(
        &self,
        by: By,
        import: &spotter_imports::Import,
        row: ImportRow,
        before: RowState,
        wrong: Wrong,
    ) -> Result<()> {
        let id = import.import_id;
        let note =
            move |cx: &mut Write<'_, '_>| steps::note_refused(cx, id, &row, before, wrong.clone());
        self.change(by.company, note).await
    }

    async fn change(
        &self,
        company: CompanyId,
        step: impl Fn(&mut Write<'_, '_>) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let env = self.env.clone();
        let change = move |tx: &mut Tx<'_>| {
            Write::by_itself(tx, &env, company, (steps::RUN.id, &[]), &step).map(drop)
        };
        self.db.write(change).await
    }
}

/// Whoever brought the file, if they may still come in.
fn caller(tx: &mut Tx<'_>, env: &Env, by: By) -> Result<Caller> {
    holders::caller(tx, by.company, (Holder::Coach, by.coach), env.clock.now())
}

/// Notes something in the transaction of what it is about.
fn noting(
    tx: &mut Tx<'_>,
    env: &Env,
    by: By,
    step: impl FnOnce(&mut Write<'_, '_>) -> Result<()>,
) -> Result<()> {
    Write::by_itself(tx, env, by.company, (steps::RUN.id, &[]), step).map(drop)
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
