//! The author of an import: each row is done as them, by its operation.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use spotter_company::company::Company;
use spotter_contract::{
    Actor, Arguments, Caller, Env, Operation, PreparedRequest, Read, Table, Write,
    downloads::Holder,
};
use spotter_imports::{ImportKind, fields::UndoOperation, row::RowRequest, steps};
use spotter_kernel::{Id, Problem, Result, id::CompanyId};
use spotter_people::identity::holders;
use spotter_store::Tx;

/// The reason that is given to an operation that undoes a row.
const WHY: &str = "The import was undone";

/// An operation, by its id.
pub(super) fn found(table: &Table, id: &str) -> Result<Arc<Operation>> {
    table.find(id).cloned().ok_or_else(|| Problem::internal("no such operation"))
}

/// What makes a row into a record, and keeps what it notes about it.
#[derive(Clone)]
pub(super) struct RowOperation {
    operation: Arc<Operation>,
    /// The place of the record's id in the answer.
    pub(super) place: &'static str,
    noting: Arc<Operation>,
}

impl RowOperation {
    /// What makes rows of a kind into records.
    pub(super) fn of(table: &Table, kind: ImportKind) -> Result<Self> {
        let (operation, place) = kind.operation();
        let operation = found(table, operation)?;
        Ok(Self { operation, place, noting: found(table, "create_client_note")? })
    }

    /// Runs it, and returns the answer.
    pub(super) fn execute(
        &self,
        tx: &mut Tx<'_>,
        author: &Author,
        caller: &Caller,
        calls: &RowRequest,
    ) -> Result<Value> {
        let RowRequest { path, body, note, .. } = calls.clone();
        let arguments = Arguments { path, query: String::new(), body: body.into() };
        let answer = author.call(tx, caller, &self.operation, arguments)?;
        if let Some(note) = note {
            let id = answer.pointer(self.place).and_then(Value::as_str).unwrap_or_default();
            let path = vec![("clientId".to_owned(), id.to_owned())];
            let body = json!({"body": note}).into();
            author.call(
                tx,
                caller,
                &self.noting,
                Arguments { path, query: String::new(), body },
            )?;
        }
        Ok(answer)
    }
}

/// The operation that removes a record that a row has created.
pub(super) fn taking_back(step: &UndoOperation, made: Id) -> Arguments {
    let mut body = Map::new();
    body.extend(step.why.map(|field| (field.to_owned(), WHY.into())));
    let path = vec![(step.path.to_owned(), made.to_string())];
    Arguments { path, query: String::new(), body: Value::Object(body).into() }
}

/// The author of the import: each row is done as them.
#[derive(Clone)]
pub(super) struct Author {
    pub(super) env: Env,
    pub(super) company: CompanyId,
    pub(super) coach: Id,
    pub(super) run: Id,
}

impl Author {
    /// The caller, if they may still sign in. Once the company is suspended the turn ends: its rows wait for a later one.
    pub(super) fn caller(&self, tx: &mut Tx<'_>) -> Result<Caller> {
        let (system, now) = (Caller::new(self.company, Actor::System), self.env.clock.now());
        let company = Company::find(&mut Read::new(tx, &system, now))?;
        company.admit().map_err(|problem| Problem::overloaded().caused_by(problem.to_string()))?;
        holders::caller(tx, self.company, Holder::Coach, self.coach, now)
    }

    /// Runs an operation and returns its answer.
    pub(super) fn call(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        operation: &Arc<Operation>,
        arguments: Arguments,
    ) -> Result<Value> {
        let mut request = PreparedRequest::new(operation.clone(), Ok(arguments), Ok(None));
        let answer = request.run(tx, &self.env, caller, &self.run.to_string())?;
        serde_json::from_str(&answer.data).map_err(Problem::internal)
    }

    /// Notes something in the transaction of what it is about.
    pub(super) fn note(
        &self,
        tx: &mut Tx<'_>,
        step: impl FnOnce(&mut Write<'_, '_>) -> Result<()>,
    ) -> Result<()> {
        Write::as_system(tx, &self.env, self.company, steps::RUN.id, &[], step).map(drop)
    }
}
