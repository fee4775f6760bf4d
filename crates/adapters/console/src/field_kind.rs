//! Notations of form fields that the operation's schema does not define. The kind is a suffix of the field's name:
//! `price:money`.

use std::fmt;

macro_rules! kinds {
    ($($kind:ident $mark:literal $meaning:literal)+) => {
        /// How a field of a form is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum FieldKind { $(#[doc = $meaning] $kind),+ }

        impl FieldKind {
            /// The word behind the colon.
            const fn mark(self) -> &'static str {
                match self { $(Self::$kind => $mark),+ }
            }

            fn parse(mark: &str) -> Option<Self> {
                match mark { $($mark => Some(Self::$kind),)+ _ => None }
            }
        }
    };
}

kinds! {
    Answer "answer" "A file that answers a question."
    Boolean "truth" "Yes or no, where the schema does not say so."
    Choices "many" "One of several, where the schema does not say so."
    File "file" "A file."
    Flag "flag" "Nothing: the field is false unless its box is ticked."
    Hours "hours" "Nothing: the ranges of a week stand in `-hours.WEEKDAY.ROW.END`."
    Json "json" "JSON that the page has written."
    List "list" "Texts with commas between them."
    LocalTime "local" "A date and a time by the company's clock."
    Measured "measured" "A type of measurement, and behind a bar its unit, which becomes `unit`."
    Money "money" "An amount of the company's currency."
    Number "number" "A number, where the schema does not say so."
    Photo "photo" "A progress photo."
    Picture "picture" "A picture of the public site."
    Question "question" "The questions so far; the parts of one more stand in `question.…`."
    Repeated "times" "A number: the list has its one row so many times."
    Rows "rows" "Nothing: rows of the list in which nothing is filled in are left out."
}

impl FieldKind {
    /// The name of a field of this kind in a form.
    pub(crate) fn name_of(self, field: impl fmt::Display) -> String {
        format!("{field}:{}", self.mark())
    }

    /// The field and the kind of a name in a form; no kind if the schema defines it, an error for unknown kinds.
    pub(crate) fn split(name: &str) -> (&str, Result<Option<Self>, ()>) {
        match name.split_once(':') {
            None => (name, Ok(None)),
            Some((field, mark)) => (field, Self::parse(mark).map(Some).ok_or(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written() {
        assert_eq!(
            FieldKind::split(&FieldKind::Money.name_of("price")),
            ("price", Ok(Some(FieldKind::Money)))
        );
        assert_eq!(FieldKind::split("price"), ("price", Ok(None)));
        assert_eq!(FieldKind::split("price:gold"), ("price", Err(())));
    }
}
