//! A sentence in every language that the product speaks: the rule that a value broke, or what an operation is about
//! to do. Each area lists its own with [`phrases!`](crate::phrases), and pages, letters and answers pick the language.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

/// A language that the product is translated into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    /// English.
    #[default]
    English,
    /// Dutch.
    Dutch,
    /// German.
    German,
}

impl Locale {
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

    /// Its own name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Dutch => "Nederlands",
            Self::German => "Deutsch",
        }
    }

    /// The language with this ISO 639-1 code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.code() == code)
    }

    /// The first language that a browser's Accept-Language names (RFC 9110, section 12.5.4). Every browser sends them
    /// in the order of preference; a weight of 0 excludes one.
    pub fn accepted(header: &str) -> Option<Self> {
        header.split(',').find_map(|range| {
            let (tag, weight) = range.split_once(';').unwrap_or((range, ""));
            let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
            let is_excluded = weight.parse::<f64>().is_ok_and(|weight| weight == 0.0);
            let language = tag.trim().split('-').next().unwrap_or_default().to_ascii_lowercase();
            Self::parse(&language).filter(|_| !is_excluded)
        })
    }
}

/// A sentence in every language. Stored as a JSON array of its texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phrase {
    texts: [Cow<'static, str>; 3],
    /// The English of pages, where that of the API is about its notation.
    #[serde(skip)]
    on_page: Option<Cow<'static, str>>,
}

impl Phrase {
    /// A sentence in English, Dutch and German.
    pub const fn new(texts: [Cow<'static, str>; 3]) -> Self {
        Self { texts, on_page: None }
    }

    /// The same with another English text for pages.
    #[must_use]
    pub fn with_page(self, english: Cow<'static, str>) -> Self {
        Self { on_page: Some(english), ..self }
    }

    /// A text that is the same in every language, such as a name, or what a library reports.
    pub fn verbatim(text: &str) -> Self {
        Self::new([text.to_owned().into(), text.to_owned().into(), text.to_owned().into()])
    }

    /// The sentence in one language.
    pub fn text(&self, locale: Locale) -> &str {
        let [english, dutch, german] = &self.texts;
        match locale {
            Locale::English => english,
            Locale::Dutch => dutch,
            Locale::German => german,
        }
    }

    /// The sentence in one language, as people read it on pages.
    pub fn on_page(&self, locale: Locale) -> &str {
        match &self.on_page {
            Some(english) if locale == Locale::English => english,
            _ => self.text(locale),
        }
    }

    /// The same with each text changed.
    #[must_use]
    pub fn map(self, change: impl Fn(Cow<'static, str>) -> Cow<'static, str>) -> Self {
        Self { texts: self.texts.map(&change), on_page: self.on_page.map(&change) }
    }
}

impl fmt::Display for Phrase {
    /// In English, the language of the API.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(Locale::English))
    }
}

/// An enum of sentences: each variant with its figures, and its text in English, Dutch and German. English is the
/// language of the API; where that is about the notation of JSON, `page` gives the English of pages, as the other
/// languages are those of pages. A sentence that lacks a language, or names an unknown figure, does not compile.
#[macro_export]
macro_rules! phrases {
    (
        $(#[$outer:meta])*
        $visibility:vis enum $name:ident {
            $($variant:ident $({ $($field:ident: $type:ty),+ $(,)? })? $english:literal $dutch:literal $german:literal $(, page $page:literal)?)+
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility enum $name {
            $(#[doc = $english] $variant $({ $(#[doc = "A figure of the sentence."] $field: $type),+ })?,)+
        }

        impl From<$name> for $crate::Phrase {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant $({ $($field),+ })? => {
                        $crate::phrases!(@texts [$($($field),+)?] $english $dutch $german)
                            $(.with_page(format!($page).into()))?
                    })+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&$crate::Phrase::from(self.clone()), f)
            }
        }
    };
    (@texts [] $english:literal $dutch:literal $german:literal) => {
        $crate::Phrase::new([$english.into(), $dutch.into(), $german.into()])
    };
    (@texts [$($field:ident),+] $english:literal $dutch:literal $german:literal) => {
        $crate::Phrase::new([
            format!($english).into(),
            format!($dutch).into(),
            format!($german).into(),
        ])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_answered_in_a_language_that_it_takes() {
        assert_eq!(Locale::accepted("fr-FR, nl;q=0.8, en;q=0.5"), Some(Locale::Dutch));
        assert_eq!(Locale::accepted("de-AT"), Some(Locale::German));
        assert_eq!(Locale::accepted("fr, é, dev"), None);
        assert_eq!(Locale::accepted("nl;q=0, DE"), Some(Locale::German));
    }

    phrases! {
        enum Sample {
            Fixed "one" "een" "eins"
            Counted { max: usize } "at most {max}" "hoogstens {max}" "höchstens {max}", page "not over {max}"
        }
    }

    #[test]
    fn a_sentence_keeps_its_figures_in_every_language() {
        let phrase = Phrase::from(Sample::Counted { max: 3 });
        let texts = Locale::ALL.map(|locale| phrase.text(locale).to_owned());
        assert_eq!(texts, ["at most 3", "hoogstens 3", "höchstens 3"]);
        let on_page = Locale::ALL.map(|locale| phrase.on_page(locale).to_owned());
        assert_eq!(on_page, ["not over 3", "hoogstens 3", "höchstens 3"]);
        assert_eq!(Phrase::from(Sample::Fixed).to_string(), "one");
    }
}
