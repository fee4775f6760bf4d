//! Statements: text written once for both engines.

/// The text of a statement, known at compile time. Made by [`statements!`](crate::statements)
/// alone, so that a test can prepare every one of them on both engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sql(#[doc(hidden)] pub &'static str);

/// Declares the statements of a module: a constant for each, and `STATEMENTS`, the list of all.
/// A text may be given in pieces, such as `"SELECT ", Client::COLUMNS, " FROM client"`.
#[macro_export]
macro_rules! statements {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $($piece:expr),+;)+) => {
        $($(#[$doc])* $vis const $name: $crate::Sql = $crate::Sql($crate::concatcp!($($piece),+));)+
        /// Every statement of this module.
        pub(crate) const STATEMENTS: &[$crate::Sql] = &[$($name),+];
    };
}

/// The columns and values of an INSERT of a record, its company first:
/// `"INSERT INTO product ", values!(Product, haystack)` takes `product.params()` and the haystack.
#[macro_export]
macro_rules! values {
    ($record:ty $(, $more:ident)*) => {
        $crate::concatcp!(
            "(company_id, ", <$record as $crate::Record>::COLUMNS $(, ", ", stringify!($more))*,
            ") VALUES (",
            $crate::places(1, <$record as $crate::Record>::WIDTH + 1 + $crate::count(&[$(stringify!($more)),*])),
            ")"
        )
    };
}

/// The columns and values of an UPDATE of a whole record, its company being `?1`:
/// `"UPDATE product SET ", set!(Product, haystack), " WHERE company_id = ?1 AND product_id = ?2"`.
#[macro_export]
macro_rules! set {
    ($record:ty $(, $more:ident)*) => {
        $crate::concatcp!(
            "(", <$record as $crate::Record>::COLUMNS $(, ", ", stringify!($more))*, ") = (",
            $crate::places(2, <$record as $crate::Record>::WIDTH + 1 + $crate::count(&[$(stringify!($more)),*])),
            ")"
        )
    };
}

/// Declares the parts of a record that are written apart from each other, by the columns of its key:
///
/// ```ignore
/// parts! {
///     Client by client_id without created_at;
///     PROFILE profile: phone, updated_at and NAMED named: first_name, last_name;
///     STATUS status: member_status, archived_at;
/// }
/// ```
///
/// makes `Client::PROFILE`, the text between SET and WHERE, and `client.profile()`, the parameters for
/// it: the key first, which is `?2` and on. What follows `and` is never written without its part: `Client::NAMED` sets both. Every
/// field is in the key, in one part of two or more, or among those without: one that is forgotten does not compile.
#[macro_export]
macro_rules! parts {
    (
        $record:ident by $($key:ident),+ without $($rest:ident),+;
        $($part:ident $params:ident: $($field:ident),+
            $(and $both:ident $both_params:ident: $($more:ident),+)?;)+
    ) => {
        impl $record {
            $crate::parts!(
                @each [$($key)+] $($part $params [$($field)+] [$($both $both_params $($more)+)?])+
            );
        }
        const _: fn(&$record) = |record| {
            let $record {
                $($key: _,)+ $($rest: _,)+ $($($field: _,)+ $($($more: _,)+)?)+
            } = record;
        };
    };
    (@each $keys:tt $($part:ident $params:ident $fields:tt $both:tt)+) => {
        $($crate::parts!(@part $part $params $keys $fields $both);)+
    };
    (@part $part:ident $params:ident $keys:tt [$($field:ident)+]
        [$both:ident $both_params:ident $($more:ident)+]) => {
        $crate::parts!(@part $part $params $keys [$($field)+] []);
        $crate::parts!(@part $both $both_params $keys [$($field)+ $($more)+] []);
    };
    (@part $part:ident $params:ident [$($key:ident)+] [$($field:ident)+] []) => {
        const $part: &'static str = $crate::concatcp!(
            "(", $crate::concatcp!("" $(, $crate::separated!($field))+).split_at(2).1, ") = (",
            $crate::places(
                2 + $crate::count(&[$(stringify!($key)),+]),
                1 + $crate::count(&[$(stringify!($key)),+, $(stringify!($field)),+])
            ),
            ")"
        );
        fn $params(&self) -> Vec<$crate::Value<'_>> {
            vec![$($crate::Bind::bind(&self.$key),)+ $($crate::Bind::bind(&self.$field)),+]
        }
    };
}

const PLACES_MAX: usize = 99;
const PLACES: [u8; place(PLACES_MAX + 1)] = {
    let mut text = [b' '; place(PLACES_MAX + 1)];
    let mut number = 1;
    while number <= PLACES_MAX {
        let at = place(number);
        text[at] = b'?';
        let digits = if number < 10 { 1 } else { 2 };
        if digits == 2 {
            text[at + 1] = b'0' + (number / 10) as u8;
        }
        text[at + digits] = b'0' + (number % 10) as u8;
        text[at + digits + 1] = b',';
        number += 1;
    }
    text
};

/// Where a number's place begins in `?1, ?2, …`.
const fn place(number: usize) -> usize {
    if number <= 10 { (number - 1) * 4 } else { 36 + (number - 10) * 5 }
}

/// `?2, ?3, ?4` for 2 to 4; up to 99.
pub const fn places(first: usize, last: usize) -> &'static str {
    match std::str::from_utf8(&PLACES) {
        Ok(text) => text.split_at(place(last + 1) - 2).0.split_at(place(first)).1,
        Err(_) => "",
    }
}

/// Number of records.
#[doc(hidden)]
pub const fn count(names: &[&str]) -> usize {
    names.len()
}

/// Writes `?1` as `$1`, or the number that takes its place, leaving string literals alone.
pub(crate) fn to_postgres(text: &str, place: impl Fn(usize) -> usize) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, piece) in text.split('\'').enumerate() {
        if at > 0 {
            out.push('\'');
        }
        let quoted = at % 2 == 1;
        let mut pieces = piece.split(|c| c == '?' && !quoted);
        out.push_str(pieces.next().unwrap_or_default());
        for placed in pieces {
            let digits =
                placed.len() - placed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = placed.split_at(digits);
            let number = place(number.parse::<usize>().unwrap_or_default());
            out.push_str(&format!("${number}{rest}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{places, to_postgres};

    #[test]
    fn places_are_numbered() {
        assert_eq!(places(1, 3), "?1, ?2, ?3");
        assert_eq!(places(9, 12), "?9, ?10, ?11, ?12");
        assert_eq!(places(99, 99), "?99");
    }

    #[test]
    fn placeholders_change_and_literals_stay() {
        assert_eq!(
            to_postgres("SELECT '?1', 'it''s ?2' WHERE a = ?1 AND b = ?12", |own| own),
            "SELECT '?1', 'it''s ?2' WHERE a = $1 AND b = $12"
        );
        assert_eq!(to_postgres("VALUES (?1,?2)", |own| own + 9), "VALUES ($10,$11)");
    }
}
