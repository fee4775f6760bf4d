//! Paged lists: requests and position.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    limits::{PAGE_DEFAULT, PAGE_MAX},
    problem::Problem,
    rule::Rule,
};

/// Where a list goes on: behind a record that a caller has had, whatever others write meanwhile. Opaque on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    text: [u8; Cursor::LENGTH_MAX],
    length: u8,
}

impl Cursor {
    /// The longest one, in bytes.
    pub const LENGTH_MAX: usize = 200;

    /// A cursor of this text; nothing where it is too long, or holds what a query string does not hold as it is.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
        if text.len() > Self::LENGTH_MAX || !text.bytes().all(plain) {
            return None;
        }
        let mut own = [0; Self::LENGTH_MAX];
        own.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        Some(Self { text: own, length: u8::try_from(text.len()).ok()? })
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        let text = self.text.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }

    /// The refusal of an invalid cursor.
    pub fn refused() -> Problem {
        Problem::invalid("cursor", Rule::UnknownCursor)
    }

    /// One that is a number: how many items come before, or which number comes next.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::new(&format!("at-{number}"))
    }

    /// The number that it is.
    pub fn number(&self) -> Option<i64> {
        let digits = self.as_str().strip_prefix("at-")?;
        digits.parse().ok().filter(|number| *number >= 0)
    }
}

impl std::fmt::Debug for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cursor({})", self.as_str())
    }
}

/// Which page of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Position, from 1.
    pub page: i64,
    /// Items on a page, 1 to 100.
    pub limit: i64,
    /// Where it goes on, in place of a page's number.
    pub cursor: Option<Cursor>,
}

impl PageRequest {
    /// The largest page number of a request.
    pub const PAGE_NUMBER_MAX: i64 = 1_000_000_000;

    /// How many items come before the page.
    pub const fn offset(self) -> i64 {
        (self.page - 1) * self.limit
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { page: 1, limit: PAGE_DEFAULT, cursor: None }
    }
}

/// One page of a list. In JSON the position is beside an array named after the resource, which the operation's
/// `Listed` type names.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The request.
    pub request: PageRequest,
    /// Items in the whole list.
    pub total: i64,
    /// Where it goes on; nothing at its end, and of lists that are paged by number alone.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// The same page with each item turned into another type.
    pub fn map<U>(self, into: impl FnMut(T) -> U) -> Page<U> {
        let (request, total, next) = (self.request, self.total, self.next);
        Page { items: self.items.into_iter().map(into).collect(), request, total, next }
    }

    /// The same page of other items, one for each.
    pub fn with<U>(&self, items: Vec<U>) -> Page<U> {
        Page { items, request: self.request, total: self.total, next: self.next }
    }

    /// The page of the longer list in which `rest`, which is held whole, follows what `first` finds a page of. A cursor that
    /// is a number is of the rest.
    pub fn joined(
        request: PageRequest,
        first: impl FnOnce(PageRequest) -> Result<Self, Problem>,
        rest: &[T],
    ) -> Result<Self, Problem>
    where
        T: Clone,
    {
        let limit = usize::try_from(request.limit).unwrap_or(0);
        let number = request.cursor.and_then(|at| at.number());
        let mut page = match number {
            // The first page needs only the total.
            Some(_) => Self {
                items: Vec::new(),
                next: None,
                ..first(PageRequest { cursor: None, page: 1, limit: 1 })?
            },
            None => first(request)?,
        };
        if page.next.is_none() {
            let by_number = match request.cursor {
                Some(_) => 0,
                None => request.offset() - page.total,
            };
            let from = usize::try_from(number.unwrap_or(by_number)).unwrap_or(0).min(rest.len());
            let free = limit.saturating_sub(page.items.len());
            let end = from.saturating_add(free).min(rest.len());
            page.items.extend_from_slice(&rest[from..end]);
            page.next = (end < rest.len()).then(|| Cursor::from_number(end as i64)).flatten();
        }
        page.total += rest.len() as i64;
        page.request = request;
        Ok(page)
    }

    /// A page of a list that has no items.
    pub fn empty(request: PageRequest) -> Self {
        Self { items: Vec::new(), request, total: 0, next: None }
    }

    /// A page out of a list that is small enough to be held whole.
    pub fn of(all: Vec<T>, request: PageRequest) -> Result<Self, Problem> {
        let total = all.len() as i64;
        let by_cursor = |at: Cursor| at.number().and_then(|number| usize::try_from(number).ok());
        let offset = match request.cursor {
            Some(cursor) => by_cursor(cursor).ok_or_else(Cursor::refused)?,
            None => usize::try_from(request.offset()).unwrap_or(usize::MAX),
        };
        let limit = usize::try_from(request.limit).unwrap_or(0);
        let end = offset.saturating_add(limit);
        let next = (end < all.len()).then(|| Cursor::from_number(end as i64)).flatten();
        let items = all.into_iter().skip(offset).take(limit).collect();
        Ok(Page { items, request, total, next })
    }

    /// The position beside the items.
    pub fn page_info(&self) -> PageInfo {
        let PageRequest { page, limit, cursor } = self.request;
        let total_pages = (self.total + limit - 1) / limit;
        PageInfo {
            page,
            limit,
            total: self.total,
            total_pages,
            has_next_page: match cursor {
                Some(_) => self.next.is_some(),
                None => page < total_pages,
            },
            has_prev_page: page > 1 || cursor.is_some(),
            next_cursor: self.next.map(|next| next.as_str().to_owned()),
        }
    }
}

/// The figures of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageInfo {
    /// The requested page, from 1.
    #[schemars(range(min = 1))]
    pub page: i64,
    /// The most items a page holds.
    #[schemars(range(min = 1, max = 100))]
    pub limit: i64,
    /// Items in the whole list.
    #[schemars(range(min = 0))]
    pub total: i64,
    /// Pages in the whole list; 0 when the list is empty.
    #[schemars(range(min = 0))]
    pub total_pages: i64,
    /// Whether a page follows.
    pub has_next_page: bool,
    /// Whether a page comes before.
    pub has_prev_page: bool,
    /// The `cursor` with which the list goes on behind this page, without repeating or leaving out what others write
    /// meanwhile; null at its end.
    pub next_cursor: Option<String>,
}

const _: () = assert!(PAGE_DEFAULT <= PAGE_MAX);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_past_the_end_is_empty_with_true_totals() {
        let page =
            Page::of(vec![1, 2, 3], PageRequest { page: 3, limit: 2, cursor: None }).unwrap();
        assert!(page.items.is_empty());
        let info = page.page_info();
        assert_eq!((info.total, info.total_pages), (3, 2));
        assert!(!info.has_next_page && info.has_prev_page);
    }

    #[test]
    fn two_lists_page_as_one() {
        let (first, rest, both) = (vec![1, 2, 3], [4, 5, 6, 7], vec![1, 2, 3, 4, 5, 6, 7]);
        for limit in 1..=8 {
            for page in 1..=9 {
                let request = PageRequest { page, limit, cursor: None };
                let of_first = |request| Page::of(first.clone(), request);
                let joined = Page::joined(request, of_first, &rest).unwrap();
                let whole = Page::of(both.clone(), request).unwrap();
                assert_eq!((joined.items, joined.total), (whole.items, whole.total));
            }
        }
    }

    #[test]
    fn two_lists_are_walked_as_one() {
        let rest = [4, 5, 6, 7];
        for (first, limit) in (0..=3).flat_map(|count| (1..=8).map(move |limit| (count, limit))) {
            let own: Vec<i32> = (0..first).collect();
            // Cursors of the first are of its own kind.
            let of_first = |request: PageRequest| {
                let at = request.cursor.map(|at| at.as_str().replace("own-", "").parse().unwrap());
                let from = at.unwrap_or(request.offset() as usize).min(own.len());
                let end = (from + request.limit as usize).min(own.len());
                let next = (end < own.len()).then(|| Cursor::new(&format!("own-{end}")).unwrap());
                let items = own[from..end].to_vec();
                Ok(Page { items, request, total: own.len() as i64, next })
            };
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let request = PageRequest { page: 1, limit, cursor };
                let page = Page::joined(request, of_first, &rest).unwrap();
                assert_eq!(page.total, own.len() as i64 + 4);
                seen.extend(page.items);
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, [own.as_slice(), &rest].concat(), "{first} {limit}");
        }
    }
}
