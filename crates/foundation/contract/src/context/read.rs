//! Reading one company's rows in one snapshot.

use spotter_kernel::{
    Date, Key, Page, PageRequest, Problem, Result, TimeZone, Timestamp, id::CompanyId,
    secret::EnvironmentMode,
};
use spotter_store::{
    AppliedFilter, Filters, List, Prefetch, Record, Sql, Tx, Value, params, statements,
};

use super::Env;
use crate::{Vault, caller::Caller};

/// A view of one company's rows in one snapshot. In every statement `?1` is the company; the
/// parameters that are passed start at `?2`.
pub struct Read<'t, 'c> {
    pub(super) tx: &'t mut Tx<'c>,
    pub(super) caller: &'t Caller,
    pub(super) now: Timestamp,
    environment: Option<&'t Env>,
    zone: Option<TimeZone>,
}

impl<'t, 'c> Read<'t, 'c> {
    /// A view for this caller at this instant.
    pub fn new(tx: &'t mut Tx<'c>, caller: &'t Caller, now: Timestamp) -> Self {
        Self { tx, caller, now, environment: None, zone: None }
    }

    /// With the installation's environment: its signatures, its finance.
    pub fn with_env(mut self, env: &'t Env) -> Self {
        self.environment = Some(env);
        self
    }

    /// Asks ahead for the company's zone.
    pub fn ask_ahead_zone(&mut self) -> Result<()> {
        if self.zone.is_some() { Ok(()) } else { self.ask_ahead(ZONE, params![]) }
    }

    /// The zone of the company's dates.
    pub fn zone(&mut self) -> Result<TimeZone> {
        if let Some(zone) = &self.zone {
            return Ok(zone.clone());
        }
        let found: Option<(TimeZone,)> = self.one(ZONE, params![])?;
        let (zone,) = found.ok_or(Key::CompanyNotFound)?;
        self.zone = Some(zone.clone());
        Ok(zone)
    }

    /// Which date it is where the company is.
    pub fn today(&mut self) -> Result<Date> {
        Ok(self.zone()?.date_at(self.now))
    }

    pub(super) fn installation(&self) -> Result<&'t Env> {
        self.environment.ok_or_else(|| Problem::internal("this is read outside of a request"))
    }

    /// A signature of bytes for one purpose, which is good within the company alone.
    pub fn sign(&self, purpose: &str, bytes: &[u8]) -> Result<[u8; 32]> {
        self.installation()?.vault.sign(purpose, &[&self.company().0.to_bytes(), bytes].concat())
    }

    /// Decrypts a value with the installation's key.
    pub fn unsealed(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        self.installation()?.vault.open(sealed)
    }

    /// The installation's key.
    pub fn vault(&self) -> Result<&'t Vault> {
        Ok(&self.installation()?.vault)
    }

    /// The address that others reach the installation at.
    pub fn address(&self) -> Result<&'t str> {
        Ok(&self.installation()?.address)
    }

    /// Whether this is the company's test environment.
    pub fn mode(&self) -> EnvironmentMode {
        self.environment.map_or(EnvironmentMode::Live, |env| env.mode)
    }

    /// Whether the installation sends mail.
    pub fn sends_mail(&self) -> bool {
        self.environment.is_some_and(|env| env.mail_links.is_some())
    }

    /// The company whose rows are visible.
    pub fn company(&self) -> CompanyId {
        self.caller.company
    }

    /// Who calls.
    pub fn caller(&self) -> &'t Caller {
        self.caller
    }

    /// The instant of the request.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The first row, if there is one.
    pub fn one<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Option<R>> {
        self.tx.one(sql, &scoped(self.caller.company, params))
    }

    /// The same for a record that many steps of an operation ask for; see [`Tx::one_kept`].
    pub fn one_kept<R: Record + Clone + Send + 'static>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
    ) -> Result<Option<R>> {
        self.tx.one_kept(sql, &scoped(self.caller.company, params))
    }

    /// Asks a question ahead of its time; see [`Tx::ask_ahead`].
    pub fn ask_ahead(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<()> {
        self.tx.ask_ahead(sql, &scoped(self.caller.company, params))
    }

    /// The first row for each of several sets of parameters, in one round trip.
    pub fn one_each<R: Record>(
        &mut self,
        sql: Sql,
        params: impl IntoIterator<Item = Vec<Value<'static>>>,
    ) -> Result<Vec<Option<R>>> {
        let each = self.all_each(sql, params)?;
        Ok(each.into_iter().map(|rows| rows.into_iter().next()).collect())
    }

    /// Every row for each of several sets of parameters, in one round trip.
    pub fn all_each<R: Record>(
        &mut self,
        sql: Sql,
        params: impl IntoIterator<Item = Vec<Value<'static>>>,
    ) -> Result<Vec<Vec<R>>> {
        let company = self.caller.company;
        let prefetched: Result<Vec<_>> = params
            .into_iter()
            .map(|params| self.tx.prefetch(sql, &scoped(company, &params)))
            .collect();
        prefetched?.into_iter().map(|ahead| self.tx.awaited(ahead)).collect()
    }

    /// Every row. The statement itself must bound them.
    pub fn all<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Vec<R>> {
        self.tx.all(sql, &scoped(self.caller.company, params))
    }

    /// Requests rows in advance, so that they arrive with the next request.
    pub fn prefetch<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Prefetch<R>> {
        self.tx.prefetch(sql, &scoped(self.caller.company, params))
    }

    /// The rows requested in advance.
    pub fn awaited<R: Record>(&mut self, request: Prefetch<R>) -> Result<Vec<R>> {
        self.tx.awaited(request)
    }

    /// A page of a list.
    pub fn page<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        wanted: &F,
        request: PageRequest,
    ) -> Result<Page<R>> {
        self.page_of(list, &[], &wanted.chosen(), request)
    }

    /// A page of a list within other records, whose keys are `?2` and following.
    pub fn page_under<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        above: &[Value<'_>],
        wanted: &F,
        request: PageRequest,
    ) -> Result<Page<R>> {
        self.page_of(list, above, &wanted.chosen(), request)
    }

    /// The same with conditions that the operation has chosen.
    pub fn page_of<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        above: &[Value<'_>],
        chosen: &[AppliedFilter<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        list.page(self.tx, self.caller.company, above, chosen, request)
    }

    /// A page of a list below other records where the total is known.
    pub fn page_known<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        above: &[Value<'_>],
        total: i64,
        request: PageRequest,
    ) -> Result<Page<R>> {
        list.page_known(self.tx, self.caller.company, above, total, request)
    }
}

pub(super) fn scoped<'v>(company: CompanyId, params: &[Value<'v>]) -> Vec<Value<'v>> {
    let mut all = Vec::with_capacity(params.len() + 1);
    all.push(Value::Text(company.to_string().into()));
    all.extend_from_slice(params);
    all
}

statements! {
    ZONE = "SELECT time_zone FROM company WHERE company_id = ?1";
}
