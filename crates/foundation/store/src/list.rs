//! Paged lists with optional filters, each text known at compile time in its parts.

mod cursors;
mod plan;
mod tally;
mod texts;

use std::{borrow::Cow, marker::PhantomData};

use spotter_kernel::{Cursor, Page, PageRequest, Problem, Result, id::CompanyId};

use crate::{
    filter::{AppliedFilter, Filter, Filters, NoFilters, Total},
    row::{Record, Row, wire_name},
    tx::Tx,
    value::Value,
};
use tally::CountedRange;
pub use tally::{mark, of_tally, subject};
use texts::Texts;

/// A list of one company's records with optional conditions. Made by [`lists!`](crate::lists), so that a test can
/// check the plan of every one.
pub struct List<R, F = NoFilters> {
    shape: Shape,
    kind: PhantomData<fn() -> (R, F)>,
}

impl<R: Record, F: Filters> List<R, F> {
    /// A list from a table, with every condition that always holds (`?1` is the company, and `?2` and
    /// on the keys of the records above), in a total order: it must end in a unique column.
    pub const fn new(from: &'static str, order: &'static str) -> Self {
        let filters = F::TABLE;
        let (columns, tally, marks) = (R::COLUMNS, None, None);
        let shape = Shape { columns, from, filters, order, tally, marks, gathers: false };
        Self { shape, kind: PhantomData }
    }

    /// The same with other columns than the record's own: those of a join.
    pub const fn selecting(mut self, columns: &'static str) -> Self {
        self.shape.columns = columns;
        self
    }

    /// The same with a total stored in a tally. Without one rows are counted, which only short lists may do. A list
    /// within another record has a tally per record, under `of_tally`.
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

    /// The same in an order that no index of a filter has: few matches are found first and sorted, instead of being looked for
    /// among all records in order. It must have a tally.
    pub const fn gathering(mut self) -> Self {
        self.shape.gathers = true;
        self
    }

    /// The list without its types.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// One page with the exact total; `above` are the keys of the records it is within.
    pub fn page(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        above: &[Value<'_>],
        chosen: &[AppliedFilter<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        let mut requested = self.shape.filtered(company, above, chosen, &Start::First)?;
        let total = requested.total(tx, company)?;
        let is_gathered = self.shape.is_gathered(tx, company, above, chosen, total, &request)?;
        requested.is_gathered = is_gathered;
        if let Some(cursor) = request.cursor {
            let behind = Start::Behind(self.shape.place_of(&cursor)?);
            let mut requested = self.shape.filtered(company, above, chosen, &behind)?;
            requested.is_gathered = is_gathered;
            return requested.items_behind(tx, &self.shape, total, request);
        }
        let far = request.offset() >= FAR && request.offset() < total && chosen.is_empty();
        match self.shape.stretch(above).filter(|_| far) {
            Some(stretch) => {
                let (until, offset) = stretch.place(tx, company, request.offset())?;
                let requested =
                    self.shape.filtered(company, above, chosen, &Start::Until(until))?;
                requested.items(tx, &self.shape, total, request, offset)
            }
            None => requested.items(tx, &self.shape, total, request, request.offset()),
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
        if let Some(cursor) = request.cursor {
            let behind = Start::Behind(self.shape.place_of(&cursor)?);
            let requested = self.shape.filtered(company, above, &[], &behind)?;
            return requested.items_behind(tx, &self.shape, total, request);
        }
        let requested = self.shape.filtered(company, above, &[], &Start::First)?;
        requested.items(tx, &self.shape, total, request, request.offset())
    }
}

/// A list's statements in parts.
#[derive(Clone, Copy)]
pub struct Shape {
    columns: &'static str,
    from: &'static str,
    filters: &'static [Filter],
    order: &'static str,
    tally: Option<&'static str>,
    marks: Option<&'static str>,
    gathers: bool,
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

/// Where the records of a page begin.
enum Start {
    /// With the first.
    First,
    /// Below this id, in a list that is marked.
    Until(String),
    /// Behind a record with these values in the order.
    Behind(Vec<Value<'static>>),
}

/// A list with the conditions that were chosen.
struct FilteredList<'v> {
    texts: Texts,
    planned: bool,
    /// Whether the matches are found first, and sorted.
    is_gathered: bool,
    /// The subject of the stored total, if any.
    subject: Option<String>,
    params: Vec<Value<'v>>,
}

impl Shape {
    fn filtered<'v>(
        &self,
        company: CompanyId,
        above: &[Value<'v>],
        chosen: &[AppliedFilter<'v>],
        start: &Start,
    ) -> Result<FilteredList<'v>> {
        let mut filters = Vec::with_capacity(chosen.len());
        for (name, _) in chosen {
            let found = self.filters.iter().find(|filter| filter.name == *name);
            filters.push(found.ok_or_else(|| {
                Problem::internal(format!("the list of {} has no filter {name}", self.from))
            })?);
        }
        let mut params = vec![Value::Text(company.to_string().into())];
        params.extend_from_slice(above);
        let texts = self.texts(params.len(), &filters, start);
        params.extend(chosen.iter().flat_map(|(_, values)| values.iter().cloned()));
        match start {
            Start::First => {}
            Start::Until(until) => params.push(Value::Text(until.clone().into())),
            Start::Behind(place) => params.extend(place.iter().cloned()),
        }
        let planned = filters.iter().any(|filter| filter.uneven);
        let subject = self.tally.and_then(|tally| {
            let tally = of_tally(tally, above);
            match (filters.as_slice(), chosen) {
                ([], _) => Some(tally),
                ([filter], [(_, values)]) if matches!(filter.total, Total::Tallied) => {
                    let [value] = values.as_slice() else { return None };
                    Some(subject(&tally, &wire_name(filter.name), value))
                }
                _ => None,
            }
        });
        Ok(FilteredList { texts, planned, is_gathered: false, subject, params })
    }

    /// Whether finding and sorting all matches takes fewer steps than looking for those of a page among all records in order.
    fn is_gathered(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        above: &[Value<'_>],
        chosen: &[AppliedFilter<'_>],
        total: i64,
        request: &PageRequest,
    ) -> Result<bool> {
        let Some(tally) = self.tally.filter(|_| self.gathers && !chosen.is_empty() && total > 0)
        else {
            return Ok(false);
        };
        let all = tx.tallied(company, &of_tally(tally, above))?;
        let until = request.offset().saturating_add(request.limit);
        let looked_for = until.saturating_mul(all) / total;
        Ok(total.saturating_mul(GATHERED_COST) < looked_for)
    }

    /// Where a far page may begin, if the list is marked.
    fn stretch(&self, above: &[Value<'_>]) -> Option<CountedRange> {
        let (tally, _) = self.tally.zip(self.marks)?;
        Some(CountedRange { tally: of_tally(tally, above) })
    }

    /// The expressions that the list is in the order of, and whether each is descending.
    fn order_terms(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.order.split(", ").map(|term| match term.strip_suffix(" DESC") {
            Some(term) => (term, true),
            None => (term, false),
        })
    }

    fn texts(&self, fixed: usize, filters: &[&Filter], start: &Start) -> Texts {
        let beside_others = filters.len() > 1;
        // No engine takes an index for what is written so.
        let written = |filter: &Filter, sql: &'static str| match filter.covered && beside_others {
            true => Cow::Owned(format!("({sql}) IS TRUE")),
            false => Cow::Borrowed(sql),
        };
        let own = filters.iter().map(|filter| written(filter, filter.sql));
        let (mut last, conditions) = numbered(fixed, own);
        let walked = filters.iter().any(|filter| filter.many.is_some());
        let by_record = filters.iter().map(|one| written(one, one.many.unwrap_or(one.sql)));
        let by_record = walked.then(|| numbered(fixed, by_record).1);
        let counted_by = match filters {
            [Filter { total: Total::CountedBy(count), .. }] => Some(*count),
            _ => None,
        };
        let began = match (start, self.marks) {
            (Start::Until(_), Some(ids)) => {
                last += 1;
                format!(" AND {ids} < ?{last}")
            }
            (Start::Behind(place), _) => {
                last += place.len();
                self.after_cursor(last + 1 - place.len())
            }
            _ => String::new(),
        };
        let is_marked = matches!(start, Start::Until(_));
        let is_covered = beside_others && filters.iter().any(|filter| filter.covered);
        Texts {
            shape: *self,
            counted_by,
            conditions,
            by_record,
            began,
            last,
            is_marked,
            is_covered,
        }
    }

    /// The table and the column of the company; nothing for joins.
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
        choices.push(self.filters.iter().filter(|filter| filter.covered).collect());
        choices.push(self.filters.iter().collect());
        let of = |chosen: &[&Filter], start: &Start| self.texts(self.fixed(), chosen, start);
        let texts = choices.iter().map(|chosen| of(chosen, &Start::First));
        let place = self.order_terms().map(|_| Value::Null).collect();
        let behind = of(&[], &Start::Behind(place)).page();
        let marked = self.marks.map(|_| of(&[], &Start::Until(String::new())).page());
        let each = |texts: Texts| {
            let gathered = texts.gathered().filter(|_| self.gathers);
            [Some(texts.count()), Some(texts.page()), texts.many(), texts.far(), gathered]
        };
        texts.flat_map(each).flatten().chain(marked).chain([behind]).collect()
    }

    /// The number of fixed parameters: the highest in `from`.
    fn fixed(&self) -> usize {
        let numbers = self.from.split('?').skip(1).filter_map(|rest| {
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        });
        numbers.max().unwrap_or(1)
    }
}

/// Conditions with placeholders numbered after the fixed ones: the last number, and the text. `?1` is the company; a
/// bare `?` is the next value.
fn numbered<'c>(fixed: usize, conditions: impl Iterator<Item = Cow<'c, str>>) -> (usize, String) {
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

impl FilteredList<'_> {
    fn total(&self, tx: &mut Tx<'_>, company: CompanyId) -> Result<i64> {
        let counted: Vec<(i64,)> = match &self.subject {
            Some(subject) => return tx.tallied(company, subject),
            None if self.planned => tx.rows_planned(&self.texts.count(), &self.params)?,
            None => tx.rows(&self.texts.count(), &self.params)?,
        };
        Ok(counted.first().map_or(0, |(n,)| *n))
    }

    /// The page whose matches are found first, if it is to be.
    fn gathered(&self) -> Option<String> {
        self.is_gathered.then(|| self.texts.gathered()).flatten()
    }

    /// The items of one page; nothing is read past the end. Filters with many matches are scanned, because a page
    /// fills soon.
    fn items<R: Record>(
        mut self,
        tx: &mut Tx<'_>,
        shape: &Shape,
        total: i64,
        request: PageRequest,
        offset: i64,
    ) -> Result<Page<R>> {
        self.params.extend([Value::Int(request.limit), Value::Int(offset)]);
        if request.offset() >= total {
            return Ok(Page { items: Vec::new(), request, total, next: None });
        }
        let is_soon_full = (offset + request.limit) * MANY < total;
        let far = |texts: &Texts| (offset >= FAR).then(|| texts.far()).flatten();
        let (text, planned) = match self.gathered() {
            Some(page) => (page, true),
            None => match is_soon_full.then(|| self.texts.many()).flatten() {
                Some(page) => (page, false),
                None => match far(&self.texts) {
                    Some(page) => (page, true),
                    None => (self.texts.page(), self.planned),
                },
            },
        };
        let (items, place) = self.read(tx, &text, planned, request.limit)?;
        let goes_on = request.offset() + (items.len() as i64) < total;
        let next = place.filter(|_| goes_on).and_then(|place| shape.cursor(&place));
        Ok(Page { items, request, total, next })
    }

    /// The items after a cursor: one more is read than returned, which shows whether the list continues.
    fn items_behind<R: Record>(
        mut self,
        tx: &mut Tx<'_>,
        shape: &Shape,
        total: i64,
        request: PageRequest,
    ) -> Result<Page<R>> {
        self.params.extend([Value::Int(request.limit + 1), Value::Int(0)]);
        let (text, planned) = match self.gathered() {
            Some(page) => (page, true),
            None => {
                let many = (request.limit * MANY < total).then(|| self.texts.many()).flatten();
                (many.unwrap_or_else(|| self.texts.page()), self.planned)
            }
        };
        // Values of other types than the columns' were never issued.
        let read = self.read(tx, &text, planned, request.limit);
        let (mut items, place) = read.map_err(|_| Cursor::refused())?;
        let limit = usize::try_from(request.limit).unwrap_or(0);
        let goes_on = items.len() > limit;
        items.truncate(limit);
        let next = place.filter(|_| goes_on).and_then(|place| shape.cursor(&place));
        Ok(Page { items, request, total, next })
    }

    /// Records, and the place of the last one of a full page: its values in the order of the list.
    fn read<R: Record>(
        &self,
        tx: &mut Tx<'_>,
        text: &str,
        planned: bool,
        limit: i64,
    ) -> Result<(Vec<R>, Option<Vec<Value<'static>>>)> {
        let (mut left, mut place) = (limit, None);
        let read = |row: &Row<'_>| {
            left -= 1;
            if left == 0 {
                let own = (R::WIDTH..row.width()).map(|at| row.value(at));
                place = Some(own.collect::<Result<_>>()?);
            }
            R::read(row, 0)
        };
        let records = match planned {
            true => tx.read_rows_planned(text, &self.params, read)?,
            false => tx.read_rows(text, &self.params, read)?,
        };
        Ok((records, place))
    }
}

/// How many times as long it takes to find and sort a match as to look whether a record in order is one: 4 to 10 were
/// measured.
const GATHERED_COST: i64 = 4;

/// A list is scanned if its matches exceed this multiple of the records up to the end of a page.
const MANY: i64 = 40;

/// Up to this many records are skipped without finding the start of the page.
const FAR: i64 = 2_000;
