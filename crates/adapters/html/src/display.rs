//! How a browser's user wants pages to look: language, colours and units, kept in a cookie.

use axum::http::{HeaderMap, header};

use crate::{
    forms,
    words::{Locale, Strings},
};

/// The cookie of the settings.
pub const COOKIE: &str = "spotter_taste";

/// How somebody wants the pages to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplaySettings {
    /// Their language, where they have chosen one.
    pub language: Option<Locale>,
    /// Whether they want them light or dark, where they have chosen.
    pub dark: Option<bool>,
    /// Whether they measure in pounds and inches, where they have chosen.
    pub imperial: Option<bool>,
}

impl DisplaySettings {
    /// The language of pages: the one chosen, else the company's, else English.
    pub fn locale(&self, company: &str) -> Locale {
        self.language.or(Locale::parse(company)).unwrap_or_default()
    }
}

/// How somebody wants pages to look.
pub fn settings(headers: &HeaderMap) -> DisplaySettings {
    let text = forms::cookie(headers, COOKIE).unwrap_or_default();
    let mut parts = text.split('.');
    let mut part = || parts.next().unwrap_or_default();
    let (language, theme, units) = (part(), part(), part());
    DisplaySettings {
        language: Locale::parse(language),
        dark: match theme {
            "dark" => Some(true),
            "light" => Some(false),
            _ => None,
        },
        imperial: match units {
            "imperial" => Some(true),
            "metric" => Some(false),
            _ => None,
        },
    }
}

/// The language for whoever is not known: the one they chose, else one that their browser asks for.
pub fn language(headers: &HeaderMap) -> Strings {
    let header = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let accepted = || Locale::accepted(header.unwrap_or_default());
    Strings(settings(headers).language.or_else(accepted).unwrap_or(Locale::English))
}
