//! The conditions that a caller may add to a list.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::value::{Bind, Value};

/// The conditions that a caller may add to a list. Made by [`filters!`](crate::filters).
pub trait Filters {
    /// Every condition.
    const TABLE: &'static [Filter];
    /// The requested filters with their values.
    fn chosen(&self) -> Vec<AppliedFilter<'static>>;
}

/// A list without conditions of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoFilters {}

impl Filters for NoFilters {
    const TABLE: &'static [Filter] = &[];
    fn chosen(&self) -> Vec<AppliedFilter<'static>> {
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

            fn chosen(&self) -> Vec<$crate::AppliedFilter<'static>> {
                let mut all: Vec<$crate::AppliedFilter<'static>> = Vec::new();
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

/// A filter as the value of a condition.
#[doc(hidden)]
pub fn converted<'k, K, V: Bind + 'k>(request: &'k K, by: impl Fn(&'k K) -> V) -> Value<'static> {
    by(request).bind().into_owned()
}

/// A filter as the values of several conditions.
#[doc(hidden)]
pub fn spread<K>(
    request: &K,
    by: impl Fn(&K) -> Vec<Vec<Value<'static>>>,
) -> Vec<Vec<Value<'static>>> {
    by(request)
}

/// A condition that a caller may add to a list.
#[derive(Clone, Copy)]
pub struct Filter {
    /// The field of the query parameter.
    pub(crate) name: &'static str,
    /// The condition, with `?` for each of its values.
    pub(crate) sql: &'static str,
    /// The same condition, evaluated per record, for filters with many matches.
    pub(crate) many: Option<&'static str>,
    /// Where the total under this filter alone comes from.
    pub(crate) total: Total,
    /// Whether one value finds next to nothing and another nearly all.
    pub(crate) uneven: bool,
    /// Whether the index of the list's first order has what the condition compares.
    pub(crate) covered: bool,
}

/// Where the total of a list under one filter comes from.
#[derive(Clone, Copy)]
pub(crate) enum Total {
    /// Matching rows are counted.
    Counted,
    /// Matching rows are counted by a statement of its own; `?1` is the company.
    CountedBy(&'static str),
    /// The total is tallied as records change, under `<tally>?<name>=<value>`.
    Tallied,
}

impl Filter {
    /// A condition with a tally of its matches.
    pub const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, many: None, total: Total::Counted, uneven: false, covered: false }
    }

    /// The same where another statement counts the matches quicker; `?1` is the company.
    pub const fn counted_by(mut self, count: &'static str) -> Self {
        self.total = Total::CountedBy(count);
        self
    }

    /// The same with another condition for pages of filters with many matches: one that is cheap per record, so that
    /// the list is scanned until its page is full.
    pub const fn where_many(mut self, sql: &'static str) -> Self {
        self.many = Some(sql);
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

    /// The same where the index of the list's first order has what the condition compares. Beside other conditions it is
    /// checked there: its own index would find so many records that looking at each takes far longer.
    pub const fn covered(mut self) -> Self {
        self.covered = true;
        self
    }
}

/// A filter in use: its field and its values.
pub type AppliedFilter<'v> = (&'static str, Vec<Value<'v>>);
