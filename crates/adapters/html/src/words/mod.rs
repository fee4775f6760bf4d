//! What pages say, in each language that they can be had in.

mod modules;
mod table;
mod terms;

pub use spotter_kernel::Locale;
use spotter_kernel::{Key, Problem};

/// Words in a language: `say.sign_in()`. A row of the table without one of the languages does not compile.
#[derive(Clone, Copy, Debug)]
pub struct Strings(pub Locale);

/// What a language calls itself.
pub const fn own_name(locale: Locale) -> &'static str {
    match locale {
        Locale::English => "English",
        Locale::Dutch => "Nederlands",
        Locale::German => "Deutsch",
    }
}

impl Strings {
    /// A decimal number as the language points it: 62.5, or 62,5.
    pub fn pointed(self, decimal: &str) -> String {
        match self.0 {
            Locale::English => decimal.to_owned(),
            Locale::Dutch | Locale::German => decimal.replace('.', ","),
        }
    }

    /// Why something was refused, in the language.
    pub fn refusal(self, problem: &Problem) -> String {
        match (problem.key, problem.retry_after) {
            (Key::RateLimitExceeded, Some(seconds)) if problem.reason.is_none() => {
                self.too_many_requests(seconds)
            }
            (Key::IdempotencyConflict, _) => self.already_sent().to_owned(),
            _ => problem.phrase().on_page(self.0).to_owned(),
        }
    }

    /// A refusal with its reason, where no form shows it.
    pub fn refused(self, problem: &Problem) -> String {
        let field = problem.details.as_ref().and_then(|details| details["field"].as_str());
        let rule = self.refusal(problem);
        field.map_or_else(|| rule.clone(), |field| format!("{}: {rule}", self.field(field)))
    }

    /// What a field is called that has no label: by its last name.
    pub fn field(self, place: &str) -> &str {
        let is_named = |part: &&str| part.parse::<usize>().is_err();
        match place {
            "-password" => self.your_password(),
            place => self.term(place.rsplit('.').find(is_named).unwrap_or_default()),
        }
    }

    /// English, for a reader whose language is unknown.
    pub const fn in_english() -> Self {
        Self(Locale::English)
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
                spotter_kernel::Locale::English => $english,
                spotter_kernel::Locale::Dutch => $dutch,
                spotter_kernel::Locale::German => $german,
            }
        }
    };
    (@one $name:ident ($($argument:ident: $kind:ty),+) $english:literal $dutch:literal $german:literal) => {
        #[doc = $english]
        pub fn $name(self, $($argument: $kind),+) -> String {
            match self.0 {
                spotter_kernel::Locale::English => format!($english),
                spotter_kernel::Locale::Dutch => format!($dutch),
                spotter_kernel::Locale::German => format!($german),
            }
        }
    };
}

pub(crate) use say;

#[cfg(test)]
mod tests {
    #[test]
    fn one_form_of_address_is_used_everywhere() {
        let all = [include_str!("table.rs"), include_str!("terms.rs"), include_str!("modules.rs")];
        let words = all.concat();
        let mut words = words.split(|c: char| !c.is_alphanumeric());
        let is_other = |word: &&str| {
            let formal_dutch = matches!(*word, "u" | "U" | "uw" | "Uw" | "uzelf");
            formal_dutch
                || word.to_lowercase().starts_with("dein")
                || matches!(*word, "du" | "Du" | "dich")
        };
        assert_eq!(words.find(is_other), None);
    }
}
