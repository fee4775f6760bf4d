//! Paged lists with optional filters, each text known at compile time in its parts.

use std::marker::PhantomData;

use spotter_kernel::{Id, Page, PageRequest, Problem, Result, id::CompanyId};

use crate::{
    filter::{Chosen, Filter, Filters, NoFilters, Total},
    row::{Record, wire_name},
    sql::to_postgres,
    tx::{Engine, Tx, read_all},
    value::Value,
};

/// A list of one company's records of a kind, with the conditions that a caller may add. Made by
/// [`lists!`](crate::lists), so that a test can look at every one of them.
pub struct List<R, F = NoFilters> {
    shape: Shape,
    kind: PhantomData<fn() -> (R, F)>,
}

impl<R: Record, F: Filters> List<R, F> {
    /// A list from a table, with every condition that always holds (`?1` is the company, and `?2` and
    /// on the keys of the records above), in a total order: it must end in a unique column.
    pub const fn new(from: &'static str, order: &'static str) -> Self {
        let filters = F::TABLE;
        let shape = Shape { columns: R::COLUMNS, from, filters, order, tally: None, marks: None };
        Self { shape, kind: PhantomData }
    }

    /// The same with other columns than the record's own: those of a join.
    pub const fn selecting(mut self, columns: &'static str) -> Self {
        self.shape.columns = columns;
        self
    }

    /// The same where the total is kept under a subject of the tally. Without one rows are counted,
    /// which only a list that stays small may do. A list below another record has a tally a record,
    /// under [`under`].
    pub const fn tallied(mut self, subject: &'static str) -> Self {
        self.shape.tally = Some(subject);
        self
    }

    /// The same where records are also tallied under [`mark`], so that no page far on steps over every record
    /// before it. The order must be this column of ids, descending.
    pub const fn marked(mut self, ids: &'static str) -> Self {
        self.shape.marks = Some(ids);
        self
    }

    /// The list without its types.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// One page of what was chosen, with the exact total; `above` are the keys of the records that it
    /// stands below.
    pub fn page(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        above: &[Value<'_>],
        chosen: &[Chosen<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        let asked = self.shape.asked(company, above, chosen, None)?;
        let total = asked.total(tx, company)?;
        let far = request.offset() >= FAR && request.offset() < total && chosen.is_empty();
        match self.shape.stretch(above).filter(|_| far) {
            Some(stretch) => {
                let (until, offset) = stretch.place(tx, company, request.offset())?;
                let asked = self.shape.asked(company, above, chosen, Some(until))?;
                asked.items(tx, total, request, offset)
            }
            None => asked.items(tx, total, request, request.offset()),
        }
    }

    /// The same without conditions where the total is known.
    pub fn page_known(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        above: &[Value<'_>],
        total: i64,
        request: PageRequest,
    ) -> Result<Page<R>> {
        let asked = self.shape.asked(company, above, &[], None)?;
        asked.items(tx, total, request, request.offset())
    }
}

/// What a list says of itself: its text in parts.
#[derive(Clone, Copy)]
pub struct Shape {
    columns: &'static str,
    from: &'static str,
    filters: &'static [Filter],
    order: &'static str,
    tally: Option<&'static str>,
    marks: Option<&'static str>,
}

/// Declares the lists of a module: a static for each, and `lists()`, all of them.
#[macro_export]
macro_rules! lists {
    ($($(#[$doc:meta])* $vis:vis $name:ident: $kind:ty = $list:expr;)+) => {
        $($(#[$doc])* $vis static $name: $kind = $list;)+
        /// Every list of this module.
        pub(crate) fn lists() -> Vec<&'static $crate::Shape> {
            vec![$($name.shape()),+]
        }
    };
}

/// A list with the conditions that were chosen.
struct Asked<'v> {
    texts: Texts,
    planned: bool,
    /// The subject whose tally is the total, if one is kept.
    subject: Option<String>,
    params: Vec<Value<'v>>,
}

impl Shape {
    fn asked<'v>(
        &self,
        company: CompanyId,
        above: &[Value<'v>],
        chosen: &[Chosen<'v>],
        until: Option<String>,
    ) -> Result<Asked<'v>> {
        let mut filters = Vec::with_capacity(chosen.len());
        for (name, _) in chosen {
            let found = self.filters.iter().find(|filter| filter.name == *name);
            filters.push(found.ok_or_else(|| {
                Problem::internal(format!("the list of {} has no filter {name}", self.from))
            })?);
        }
        let mut params = vec![Value::Text(company.to_string().into())];
        params.extend_from_slice(above);
        let texts = self.texts(params.len(), &filters, until.is_some());
        params.extend(chosen.iter().flat_map(|(_, values)| values.iter().cloned()));
        params.extend(until.map(|until| Value::Text(until.into())));
        let planned = filters.iter().any(|filter| filter.uneven);
        let subject = self.tally.and_then(|tally| {
            let tally = under(tally, above);
            match (filters.as_slice(), chosen) {
                ([], _) => Some(tally),
                ([filter], [(_, values)]) if matches!(filter.total, Total::Tallied) => {
                    let [value] = values.as_slice() else { return None };
                    Some(subject(&tally, &wire_name(filter.name), value))
                }
                _ => None,
            }
        });
        Ok(Asked { texts, planned, subject, params })
    }

    /// Where a far page may begin, if the list is marked.
    fn stretch(&self, above: &[Value<'_>]) -> Option<Stretch> {
        let (tally, _) = self.tally.zip(self.marks)?;
        Some(Stretch { tally: under(tally, above) })
    }

    fn texts(&self, fixed: usize, filters: &[&Filter], until: bool) -> Texts {
        let own = filters.iter().map(|filter| filter.sql);
        let (mut number, mut conditions) = numbered(fixed, own);
        let walked = filters.iter().any(|filter| filter.many.is_some());
        let by_record = filters.iter().map(|filter| filter.many.unwrap_or(filter.sql));
        let by_record = walked.then(|| numbered(fixed, by_record).1);
        if let Some(ids) = self.marks.filter(|_| until) {
            number += 1;
            conditions.push_str(&format!(" AND {ids} < ?{number}"));
        }
        let Self { columns, from, order, .. } = self;
        let count = match filters {
            [Filter { total: Total::CountedBy(count), .. }] => (*count).to_owned(),
            _ => format!("SELECT COUNT(*) FROM {from}{conditions}"),
        };
        let (limit, offset) = (number + 1, number + 2);
        let page = |conditions: &str| {
            format!(
                "SELECT {columns} FROM {from}{conditions} ORDER BY {order} LIMIT ?{limit} OFFSET ?{offset}"
            )
        };
        let far = self.key().filter(|_| self.fixed() == 1 && !until).map(|(table, key)| {
            let ids = format!(
                "SELECT {key} FROM {from}{conditions} ORDER BY {order} LIMIT ?{limit} OFFSET ?{offset}"
            );
            format!("SELECT {columns} FROM {table} WHERE company_id = ?1 AND {key} IN ({ids}) ORDER BY {order}")
        });
        let many = by_record.as_deref().map(page);
        Texts { count, page: page(&conditions), many, far }
    }

    /// The table and the column that tells a company's records apart; nothing of a join.
    fn key(&self) -> Option<(&'static str, &'static str)> {
        let (table, rest) = self.from.split_once(' ')?;
        let last = self.order.rsplit(", ").next()?;
        let key = last.strip_suffix(" DESC").unwrap_or(last);
        let plain = rest.starts_with("WHERE company_id = ?1") && !key.contains(['.', '(', ' ']);
        plain.then_some((table, key))
    }

    /// Every text this list can need with no filter, each one alone, and all together, for the
    /// test that prepares them.
    pub fn all_texts(&self) -> Vec<String> {
        let mut choices: Vec<Vec<&Filter>> = self.filters.iter().map(|one| vec![one]).collect();
        choices.push(vec![]);
        choices.push(self.filters.iter().collect());
        let texts = choices.iter().map(|chosen| self.texts(self.fixed(), chosen, false));
        let marked = self.marks.map(|_| self.texts(self.fixed(), &[], true).page);
        let each = |texts: Texts| [Some(texts.count), Some(texts.page), texts.many, texts.far];
        texts.flat_map(each).flatten().chain(marked).collect()
    }

    /// How many parameters always stand in front: the highest number in `from`.
    fn fixed(&self) -> usize {
        let numbers = self.from.split('?').skip(1).filter_map(|rest| {
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        });
        numbers.max().unwrap_or(1)
    }
}

/// Conditions with their placeholders numbered after those that stand in front: the last number, and the text. `?1` is the
/// company; a bare `?` is the next value.
fn numbered<'c>(fixed: usize, conditions: impl Iterator<Item = &'c str>) -> (usize, String) {
    let (mut number, mut text) = (fixed, String::new());
    for condition in conditions {
        text.push_str(" AND ");
        let mut rest = condition.chars().peekable();
        while let Some(c) = rest.next() {
            text.push(c);
            if c == '?' && !rest.peek().is_some_and(char::is_ascii_digit) {
                number += 1;
                text.push_str(&number.to_string());
            }
        }
    }
    (number, text)
}

impl Asked<'_> {
    fn total(&self, tx: &mut Tx<'_>, company: CompanyId) -> Result<i64> {
        let counted: Vec<(i64,)> = match &self.subject {
            Some(subject) => return tx.tallied(company, subject),
            None if self.planned => tx.rows_planned(&self.texts.count, &self.params)?,
            None => tx.rows(&self.texts.count, &self.params)?,
        };
        Ok(counted.first().map_or(0, |(n,)| *n))
    }

    /// The items of one page; nothing is asked for a page past the end. What very many fulfil is not looked up whole: a
    /// page is soon full of them.
    fn items<R: Record>(
        mut self,
        tx: &mut Tx<'_>,
        total: i64,
        request: PageRequest,
        offset: i64,
    ) -> Result<Page<R>> {
        self.params.extend([Value::Int(request.limit), Value::Int(offset)]);
        let many = self.texts.many.filter(|_| (offset + request.limit) * MANY < total);
        let far = self.texts.far.filter(|_| offset >= FAR);
        let items = match (request.offset() < total, many, far, self.planned) {
            (false, ..) => Vec::new(),
            (true, Some(page), ..) => tx.rows(&page, &self.params)?,
            (true, None, Some(page), _) => tx.rows_planned(&page, &self.params)?,
            (true, None, None, false) => tx.rows(&self.texts.page, &self.params)?,
            (true, None, None, true) => tx.rows_planned(&self.texts.page, &self.params)?,
        };
        Ok(Page { items, request, total })
    }
}

struct Texts {
    count: String,
    page: String,
    /// The page where very many match, if that is another text.
    many: Option<String>,
    /// A page far on, of which the ids alone are stepped over: an index holds them, and the rows before it are not read.
    far: Option<String>,
}

/// So many times as many as are walked to the end of a page must match for a list to be walked.
const MANY: i64 = 40;

/// So many records are stepped over without asking where a page begins.
const FAR: i64 = 2_000;

/// How much of an id tells records apart that are counted together: those of the same three days.
const MARK: usize = 5;

/// The tally's subject of the records of about the time of one: `invoices@018d3`.
pub fn mark(tally: &str, id: Id) -> String {
    let text = id.as_chars();
    let beginning = text.iter().take(MARK).copied().map(char::from);
    [tally, "@"].into_iter().flat_map(str::chars).chain(beginning).collect()
}

/// A list whose records are also counted by the beginnings of their ids.
struct Stretch {
    tally: String,
}

impl Stretch {
    /// What the ids of a page's records are below, and how many of those stand before it.
    fn place(&self, tx: &mut Tx<'_>, company: CompanyId, offset: i64) -> Result<(String, i64)> {
        let [from, until] = ["@", "@g"].map(|end| format!("{}{end}", self.tally));
        let (mut before, prefix) = (0, from.len());
        for (subject, count) in tx.tallied_between(company, &from, &until)? {
            if before + count > offset {
                let beginning = u32::from_str_radix(&subject[prefix..], 16);
                let next = beginning.map_err(Problem::internal)? + 1;
                return Ok((format!("{next:0MARK$x}"), offset - before));
            }
            before += count;
        }
        // Records that were never marked, or none: nothing is skipped.
        Ok(("g".to_owned(), offset))
    }
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
                .map_err(|e| Problem::internal(format!("{e} in {text}"))),
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
