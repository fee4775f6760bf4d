//! What pages say, in each language that they can be had in.

mod modules;
mod rules;
mod table;
mod terms;

/// A language that the pages can be had in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Dutch.
    Dutch,
    /// German.
    German,
}

impl Language {
    /// Every language, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::English, Self::Dutch, Self::German];

    /// Its ISO 639-1 code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Dutch => "nl",
            Self::German => "de",
        }
    }

    /// What those who speak it call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Dutch => "Nederlands",
            Self::German => "Deutsch",
        }
    }

    /// The language of a code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The first that a browser's Accept-Language names (RFC 9110, section 12.5.4); they come in the order of
    /// preference from every browser.
    pub fn accepted(header: &str) -> Option<Self> {
        let mut ranges = header.split(',').map(|range| range.trim());
        ranges.find_map(|range| Self::parse(range.get(..2)?))
    }
}

/// Words in a language: `say.sign_in()`. A row of the table without one of the languages does not compile.
#[derive(Clone, Copy, Debug)]
pub struct Strings(pub Language);

impl Strings {
    /// A decimal number as the language points it: 62.5, or 62,5.
    pub fn pointed(self, decimal: &str) -> String {
        match self.0 {
            Language::English => decimal.to_owned(),
            Language::Dutch | Language::German => decimal.replace('.', ","),
        }
    }

    /// Words in English, for whoever has said of no language that they read it.
    pub const fn in_english() -> Self {
        Self(Language::English)
    }
}

/// The table of words: a name, perhaps with what goes into the sentence, and the sentence in English, Dutch and
/// German.
macro_rules! say {
    ($($name:ident $(($($argument:ident: $kind:ty),+))? $english:literal $dutch:literal $german:literal)+) => {
        impl $crate::words::Strings {
            $($crate::words::say!(@one $name ($($($argument: $kind),+)?) $english $dutch $german);)+
        }
    };
    (@one $name:ident () $english:literal $dutch:literal $german:literal) => {
        #[doc = $english]
        pub const fn $name(self) -> &'static str {
            match self.0 {
                $crate::words::Language::English => $english,
                $crate::words::Language::Dutch => $dutch,
                $crate::words::Language::German => $german,
            }
        }
    };
    (@one $name:ident ($($argument:ident: $kind:ty),+) $english:literal $dutch:literal $german:literal) => {
        #[doc = $english]
        pub fn $name(self, $($argument: $kind),+) -> String {
            match self.0 {
                $crate::words::Language::English => format!($english),
                $crate::words::Language::Dutch => format!($dutch),
                $crate::words::Language::German => format!($german),
            }
        }
    };
}

pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_answered_in_a_language_that_it_takes() {
        assert_eq!(Language::accepted("fr-FR, nl;q=0.8, en;q=0.5"), Some(Language::Dutch));
        assert_eq!(Language::accepted("de-AT"), Some(Language::German));
        assert_eq!(Language::accepted("fr, é"), None);
    }

    #[test]
    fn dutch_says_je_everywhere() {
        let all = [
            include_str!("table.rs"),
            include_str!("terms.rs"),
            include_str!("rules.rs"),
            include_str!("modules.rs"),
        ];
        let words = all.concat();
        let mut words = words.split(|c: char| !c.is_alphanumeric());
        let formal = words.find(|word| matches!(*word, "u" | "U" | "uw" | "Uw" | "uzelf"));
        assert_eq!(formal, None);
    }
}
