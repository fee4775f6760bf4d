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

/// Writes `?1` as `$1`, or a number so much higher, leaving string literals alone.
pub(crate) fn to_postgres(text: &str, higher: usize) -> String {
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
            let number = number.parse::<usize>().unwrap_or_default() + higher;
            out.push_str(&format!("${number}{rest}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::to_postgres;

    #[test]
    fn placeholders_change_and_literals_stay() {
        assert_eq!(
            to_postgres("SELECT '?1', 'it''s ?2' WHERE a = ?1 AND b = ?12", 0),
            "SELECT '?1', 'it''s ?2' WHERE a = $1 AND b = $12"
        );
        assert_eq!(to_postgres("VALUES (?1,?2)", 9), "VALUES ($10,$11)");
    }
}
