//! Paged lists: what a caller asks for and the figures it gets back.

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{PAGE_DEFAULT, PAGE_MAX};

/// Which page of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// From 1.
    pub page: i64,
    /// Items on a page, 1 to 100.
    pub limit: i64,
}

impl PageRequest {
    /// The largest page number that can be asked for.
    pub const PAGE_NUMBER_MAX: i64 = 1_000_000_000;

    /// How many items come before the page.
    pub const fn offset(self) -> i64 {
        (self.page - 1) * self.limit
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { page: 1, limit: PAGE_DEFAULT }
    }
}

/// One page of a list. On the wire the figures stand beside an array named after the resource,
/// which the operation's [`Listed`] type names.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// What was asked for.
    pub request: PageRequest,
    /// Items in the whole list.
    pub total: i64,
}

impl<T> Page<T> {
    /// The same page with each item turned into another type.
    pub fn map<U>(self, into: impl FnMut(T) -> U) -> Page<U> {
        let items = self.items.into_iter().map(into).collect();
        Page { items, request: self.request, total: self.total }
    }

    /// The page of the longer list in which `rest` follows what this page was taken from.
    pub fn followed_by(mut self, rest: &[T]) -> Self
    where
        T: Clone,
    {
        let from = usize::try_from(self.request.offset() - self.total).unwrap_or(0);
        let free = usize::try_from(self.request.limit).unwrap_or(0) - self.items.len();
        self.items.extend(rest.iter().skip(from).take(free).cloned());
        self.total += rest.len() as i64;
        self
    }

    /// A page out of a list that is small enough to be held whole.
    pub fn of(all: Vec<T>, request: PageRequest) -> Self {
        let total = all.len() as i64;
        let offset = usize::try_from(request.offset()).unwrap_or(usize::MAX);
        let limit = usize::try_from(request.limit).unwrap_or(0);
        Page { items: all.into_iter().skip(offset).take(limit).collect(), request, total }
    }

    /// The figures that stand beside the items.
    pub fn figures(&self) -> Figures {
        let PageRequest { page, limit } = self.request;
        let total_pages = (self.total + limit - 1) / limit;
        Figures {
            page,
            limit,
            total: self.total,
            total_pages,
            has_next_page: page < total_pages,
            has_prev_page: page > 1,
        }
    }
}

/// The figures of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// The page that was asked for, from 1.
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
}

const _: () = assert!(PAGE_DEFAULT <= PAGE_MAX);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_past_the_end_is_empty_with_true_totals() {
        let page = Page::of(vec![1, 2, 3], PageRequest { page: 3, limit: 2 });
        assert!(page.items.is_empty());
        let figures = page.figures();
        assert_eq!((figures.total, figures.total_pages), (3, 2));
        assert!(!figures.has_next_page && figures.has_prev_page);
    }

    #[test]
    fn two_lists_page_as_one() {
        let (first, rest, both) = (vec![1, 2, 3], [4, 5, 6, 7], vec![1, 2, 3, 4, 5, 6, 7]);
        for limit in 1..=8 {
            for page in 1..=9 {
                let request = PageRequest { page, limit };
                let joined = Page::of(first.clone(), request).followed_by(&rest);
                let whole = Page::of(both.clone(), request);
                assert_eq!((joined.items, joined.total), (whole.items, whole.total));
            }
        }
    }
}
