//! Paged lists with optional filters, each text known at compile time in its parts.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_kernel::{Id, Page, PageRequest, Problem, Result, id::CompanyId};

use crate::{
    row::{Record, wire_name},
    sql::to_postgres,
    tx::{Engine, Tx, read_all},
    value::{Bind, Value},
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

/// The conditions that a caller may add to a list. Made by [`filters!`](crate::filters).
pub trait Filters {
    /// Every condition.
    const TABLE: &'static [Filter];
    /// Those that were asked for, with their values.
    fn chosen(&self) -> Vec<Chosen<'static>>;
}

/// A list without conditions of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoFilters {}

impl Filters for NoFilters {
    const TABLE: &'static [Filter] = &[];
    fn chosen(&self) -> Vec<Chosen<'static>> {
        Vec::new()
    }
}

/// Declares the query parameters of a list, each with the condition that it adds:
///
/// ```ignore
/// filters! {
///     struct Filters {
///         /// Only those in this status.
///         status: LocationStatus => "status = ?";
///         /// Only those created at or after this instant.
///         from: Timestamp => "location_id >= ?" as |at| Id::first_at(*at);
///         /// Words that the name begins with; all must match.
///         search: Text<100> => "haystack LIKE ?" each |text| patterns(text);
///         tag: Text<60> => "tag = ?", tallied;
///         source: Source;
///     }
/// }
/// ```
///
/// `as` turns what was asked into the value of the condition, `each` into the values of several such
/// conditions, and `apart` leaves that to the operation. A parameter without a condition is the
/// operation's own. What stands after a comma are the methods of [`Filter`].
#[macro_export]
macro_rules! filters {
    (
        $(#[$doc:meta])*
        $vis:vis struct $name:ident {$(
            $(#[$fdoc:meta])*
            $field:ident: $kind:ty
            $(=> $sql:literal $($how:ident $($by:expr)?)? $(, $option:ident $(($text:literal))?)*)?;
        )+}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        $vis struct $name { $($(#[$fdoc])* $vis $field: Option<$kind>,)+ }

        impl $crate::Filters for $name {
            const TABLE: &'static [$crate::Filter] = &[$($(
                $crate::Filter::new(stringify!($field), $sql)$(.$option($($text)?))*,
            )?)+];

            fn chosen(&self) -> Vec<$crate::Chosen<'static>> {
                let mut all: Vec<$crate::Chosen<'static>> = Vec::new();
                $($(
                    let name = stringify!($field);
                    let _: &str = $sql;
                    $crate::filters!(value all name, (self.$field), $($how $($by)?)?);
                )?)+
                all
            }
        }
    };
    (value $all:ident $name:ident, ($value:expr), apart) => { let _ = $name; };
    (value $all:ident $name:ident, ($value:expr),) => {
        $crate::filters!(value $all $name, ($value), as |value| value);
    };
    (value $all:ident $name:ident, ($value:expr), as $by:expr) => {
        if let Some(value) = &$value {
            $all.push(($name, vec![$crate::converted(value, $by)]));
        }
    };
    (value $all:ident $name:ident, ($value:expr), each $by:expr) => {
        if let Some(value) = &$value {
            $all.extend($crate::spread(value, $by).into_iter().map(|values| ($name, values)));
        }
    };
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

/// What was asked for as the value of a condition.
#[doc(hidden)]
pub fn converted<'k, K, V: Bind + 'k>(asked: &'k K, by: impl Fn(&'k K) -> V) -> Value<'static> {
    by(asked).bind().into_owned()
}

/// What was asked for as the values of several conditions.
#[doc(hidden)]
pub fn spread<K>(
    asked: &K,
    by: impl Fn(&K) -> Vec<Vec<Value<'static>>>,
) -> Vec<Vec<Value<'static>>> {
    by(asked)
}

/// A condition that a caller may add to a list.
#[derive(Clone, Copy)]
pub struct Filter {
    /// The field of the query parameter.
    name: &'static str,
    /// The condition, with `?` for each of its values.
    sql: &'static str,
    /// Where the total under this filter alone comes from.
    total: Total,
    /// Whether one value finds next to nothing and another nearly all.
    uneven: bool,
}

/// Where the total of a list under one filter comes from.
#[derive(Clone, Copy)]
enum Total {
    /// Matching rows are counted.
    Counted,
    /// Matching rows are counted by a statement of its own; `?1` is the company.
    CountedBy(&'static str),
    /// The total is tallied as records change, under `<tally>?<name>=<value>`.
    Tallied,
}

impl Filter {
    /// A condition whose matches are counted.
    pub const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, total: Total::Counted, uneven: false }
    }

    /// The same where another statement counts the matches quicker; `?1` is the company.
    pub const fn counted_by(mut self, count: &'static str) -> Self {
        self.total = Total::CountedBy(count);
        self
    }

    /// The same where the matches are tallied as records change.
    pub const fn tallied(mut self) -> Self {
        self.total = Total::Tallied;
        self
    }

    /// The same where one value finds next to nothing and another nearly all, so that each wants a
    /// plan of its own.
    pub const fn uneven(mut self) -> Self {
        self.uneven = true;
        self
    }
}

/// A filter in use: its field and its values.
pub type Chosen<'v> = (&'static str, Vec<Value<'v>>);

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
        let mut conditions = String::new();
        let mut number = fixed;
        for filter in filters {
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
        if let Some(ids) = self.marks.filter(|_| until) {
            number += 1;
            conditions.push_str(&format!(" AND {ids} < ?{number}"));
        }
        let Self { columns, from, order, .. } = self;
        let count = match filters {
            [Filter { total: Total::CountedBy(count), .. }] => (*count).to_owned(),
            _ => format!("SELECT COUNT(*) FROM {from}{conditions}"),
        };
        let page = format!(
            "SELECT {columns} FROM {from}{conditions} ORDER BY {order} LIMIT ?{} OFFSET ?{}",
            number + 1,
            number + 2
        );
        Texts { count, page }
    }

    /// Every text this list can need with no filter, each one alone, and all together, for the
    /// test that prepares them.
    pub fn all_texts(&self) -> Vec<String> {
        let mut choices: Vec<Vec<&Filter>> = self.filters.iter().map(|one| vec![one]).collect();
        choices.push(vec![]);
        choices.push(self.filters.iter().collect());
        let texts = choices.iter().map(|chosen| self.texts(self.fixed(), chosen, false));
        let far = self.marks.map(|_| self.texts(self.fixed(), &[], true).page);
        texts.flat_map(|texts| [texts.count, texts.page]).chain(far).collect()
    }

    /// How many parameters always stand in front: the highest number in `from`.
    fn fixed(&self) -> usize {
        let numbers = self.from.split('?').skip(1).filter_map(|rest| {
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        });
        numbers.max().unwrap_or(1)
    }
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

    /// The items of one page; nothing is asked for a page past the end.
    fn items<R: Record>(
        mut self,
        tx: &mut Tx<'_>,
        total: i64,
        request: PageRequest,
        offset: i64,
    ) -> Result<Page<R>> {
        self.params.extend([Value::Int(request.limit), Value::Int(offset)]);
        let items = match (request.offset() < total, self.planned) {
            (false, _) => Vec::new(),
            (true, false) => tx.rows(&self.texts.page, &self.params)?,
            (true, true) => tx.rows_planned(&self.texts.page, &self.params)?,
        };
        Ok(Page { items, request, total })
    }
}

struct Texts {
    count: String,
    page: String,
}

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
