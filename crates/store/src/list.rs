//! Paged lists with optional filters, each text known at compile time in its parts.

use spotter_kernel::{Page, PageRequest, Result, id::CompanyId};

use crate::{
    row::Record,
    sql::to_postgres,
    tx::{Engine, Tx, read_all},
    value::{Bind, Value},
};

/// A list of one company's records: newest first unless `order` says otherwise.
pub struct List {
    /// What is selected, such as `Client::COLUMNS`.
    pub columns: &'static str,
    /// The table, and every condition that always holds; `?1` is the company.
    pub from: &'static str,
    /// The conditions a caller may add.
    pub filters: &'static [Filter],
    /// The order, total (it must end in a unique column).
    pub order: &'static str,
    /// The subject whose tally is the total of the unfiltered list; without one, rows are
    /// counted, which only a list that stays small may do. A list below another record has a
    /// tally a record, under [`under`].
    pub tally: Option<&'static str>,
}

/// A condition that a caller may add to a list.
pub struct Filter {
    /// The name of the query parameter.
    pub name: &'static str,
    /// The condition, with `?` for each of its values.
    pub sql: &'static str,
    /// Where the total under this filter alone comes from.
    pub total: Total,
    /// Whether one value finds next to nothing and another nearly all, so that each wants a plan of
    /// its own.
    pub uneven: bool,
}

/// Where the total of a list under one filter comes from.
pub enum Total {
    /// Matching rows are counted.
    Counted,
    /// Matching rows are counted by a statement of its own, which is quicker; `?1` is the company.
    CountedBy(&'static str),
    /// The total is tallied as records change, under `<tally>?<name>=<value>`.
    Tallied,
}

impl Filter {
    /// A condition whose matches are counted.
    pub const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, total: Total::Counted, uneven: false }
    }

    /// A condition whose matches another statement counts.
    pub const fn counted_by(name: &'static str, sql: &'static str, count: &'static str) -> Self {
        Self { name, sql, total: Total::CountedBy(count), uneven: false }
    }

    /// A condition whose matches are tallied as records change.
    pub const fn tallied(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, total: Total::Tallied, uneven: false }
    }

    /// The same where one value finds next to nothing and another nearly all.
    pub const fn uneven(mut self) -> Self {
        self.uneven = true;
        self
    }
}

/// A filter in use: the name of the parameter and its values.
pub type Chosen<'v> = (&'static str, Vec<Value<'v>>);

impl List {
    /// One page of the list, with the exact total.
    pub fn page<R: Record>(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        chosen: &[Chosen<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        self.page_of(tx, &[company.bind()], company, chosen, request)
    }

    /// The same for a list below another record: `?1` is the company, `?2` and on are `fixed`.
    pub fn page_under<R: Record>(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        fixed: &[Value<'_>],
        chosen: &[Chosen<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        let mut params = vec![company.bind()];
        params.extend_from_slice(fixed);
        self.page_of(tx, &params, company, chosen, request)
    }

    /// The same without filters where the total is known.
    pub fn page_known<R: Record>(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        fixed: &[Value<'_>],
        total: i64,
        request: PageRequest,
    ) -> Result<Page<R>> {
        let mut params = vec![company.bind()];
        params.extend_from_slice(fixed);
        let text = self.texts(params.len(), &[]).page;
        let items = Self::items(tx, (&text, false), params, total, request)?;
        Ok(Page { items, request, total })
    }

    /// The items of one page; nothing is asked for a page past the end.
    fn items<R: Record>(
        tx: &mut Tx<'_>,
        (text, planned): (&str, bool),
        mut params: Vec<Value<'_>>,
        total: i64,
        request: PageRequest,
    ) -> Result<Vec<R>> {
        params.push(Value::Int(request.limit));
        params.push(Value::Int(request.offset()));
        match (request.offset() < total, planned) {
            (false, _) => Ok(Vec::new()),
            (true, false) => tx.rows(text, &params),
            (true, true) => tx.rows_planned(text, &params),
        }
    }

    fn page_of<R: Record>(
        &self,
        tx: &mut Tx<'_>,
        fixed: &[Value<'_>],
        company: CompanyId,
        chosen: &[Chosen<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        let names: Vec<_> = chosen.iter().map(|(name, _)| *name).collect();
        let texts = self.texts(fixed.len(), &names);
        let planned =
            self.filters.iter().any(|filter| filter.uneven && names.contains(&filter.name));
        let mut params: Vec<_> = fixed.to_vec();
        params.extend(chosen.iter().flat_map(|(_, values)| values.iter().cloned()));
        let total = match self.subject(&fixed[1..], chosen) {
            Some(subject) => tx.tallied(company, &subject)?,
            None if planned => {
                tx.rows_planned::<(i64,)>(&texts.count, &params)?.first().map_or(0, |(n,)| *n)
            }
            None => tx.rows::<(i64,)>(&texts.count, &params)?.first().map_or(0, |(n,)| *n),
        };
        let items = Self::items(tx, (&texts.page, planned), params, total, request)?;
        Ok(Page { items, request, total })
    }

    /// The subject whose tally is the total under these filters, if one is kept.
    fn subject(&self, above: &[Value<'_>], chosen: &[Chosen<'_>]) -> Option<String> {
        let tally = &under(self.tally?, above);
        match chosen {
            [] => Some(tally.clone()),
            [(name, values)] => {
                let filter = self.filters.iter().find(|filter| filter.name == *name)?;
                let [value] = values.as_slice() else { return None };
                matches!(filter.total, Total::Tallied).then(|| subject(tally, name, value))
            }
            _ => None,
        }
    }

    fn texts(&self, fixed: usize, chosen: &[&str]) -> Texts {
        let mut conditions = String::new();
        let mut number = fixed;
        for filter in chosen.iter().filter_map(|n| self.filters.iter().find(|f| f.name == *n)) {
            conditions.push_str(" AND ");
            let mut rest = filter.sql.chars().peekable();
            while let Some(c) = rest.next() {
                conditions.push(c);
                // `?1` is the company; a bare `?` is the filter's next value.
                if c == '?' && !rest.peek().is_some_and(char::is_ascii_digit) {
                    number += 1;
                    conditions.push_str(&number.to_string());
                }
            }
        }
        let Self { columns, from, order, .. } = self;
        let own = match chosen {
            [name] => self.filters.iter().find(|filter| filter.name == *name),
            _ => None,
        };
        Texts {
            count: match own.map(|filter| &filter.total) {
                Some(Total::CountedBy(count)) => (*count).to_owned(),
                _ => format!("SELECT COUNT(*) FROM {from}{conditions}"),
            },
            page: format!(
                "SELECT {columns} FROM {from}{conditions} ORDER BY {order} LIMIT ?{} OFFSET ?{}",
                number + 1,
                number + 2
            ),
        }
    }

    /// Every text this list can need with no filter, each one alone, and all together, for the
    /// test that prepares them. `fixed` is how many parameters always stand in front.
    pub fn all_texts(&self, fixed: usize) -> Vec<String> {
        let names: Vec<_> = self.filters.iter().map(|filter| filter.name).collect();
        let mut choices: Vec<Vec<&str>> = names.iter().map(|name| vec![*name]).collect();
        choices.push(vec![]);
        choices.push(names);
        choices
            .iter()
            .flat_map(|chosen| {
                let texts = self.texts(fixed, chosen);
                [texts.count, texts.page]
            })
            .collect()
    }
}

struct Texts {
    count: String,
    page: String,
}

/// The tally's subject of a list below other records: `workoutSessions/{clientId}`.
pub fn under(tally: &str, above: &[Value<'_>]) -> String {
    above.iter().fold(tally.to_owned(), |subject, value| match value {
        Value::Text(text) => format!("{subject}/{text}"),
        other => format!("{subject}/{other:?}"),
    })
}

/// The tally's subject of one value of a filter: `clients?memberStatus=active`.
pub fn subject(tally: &str, name: &str, value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("{tally}?{name}={text}"),
        Value::Bool(yes) => format!("{tally}?{name}={yes}"),
        Value::Int(number) => format!("{tally}?{name}={number}"),
        Value::Real(_) | Value::Bytes(_) | Value::Null => format!("{tally}?{name}"),
    }
}

impl Tx<'_> {
    /// Prepares a statement without running it, for the test that prepares them all.
    pub fn check(&mut self, text: &str) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(conn) => conn
                .prepare(text)
                .map(drop)
                .map_err(|e| spotter_kernel::Problem::internal(format!("{e} in {text}"))),
            Engine::Postgres(session) => session.check(&to_postgres(text, 0)),
        }
    }

    /// How the engine would run a statement whatever its parameters are, one line a step, for
    /// tests of query plans. PostgreSQL is told to prefer any index to reading a whole table, which
    /// it would rightly do while the table is tiny.
    pub fn plan(&mut self, text: &str) -> Result<Vec<String>> {
        match &mut self.engine {
            Engine::Sqlite(_) => {
                let text = format!("EXPLAIN QUERY PLAN {text}");
                let rows: Vec<(i64, i64, i64, String)> = self.rows(&text, &[])?;
                Ok(rows.into_iter().map(|row| row.3).collect())
            }
            Engine::Postgres(session) => {
                let text = to_postgres(text, 0);
                let numbers = text.split('$').skip(1).filter_map(|rest| {
                    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
                });
                let nulls = match numbers.max().unwrap_or_default() {
                    0 => String::new(),
                    number => format!("({})", vec!["NULL"; number].join(", ")),
                };
                // The transaction begins with its first statement.
                session.query("SELECT 1", &[])?;
                session.script(&format!(
                    "SET LOCAL enable_seqscan = off; PREPARE looked_at AS {text}"
                ))?;
                let rows: Vec<(String,)> =
                    read_all(&session.query(&format!("EXPLAIN EXECUTE looked_at {nulls}"), &[])?)?;
                session.script("DEALLOCATE looked_at; SET LOCAL enable_seqscan = on")?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }
        }
    }
}
