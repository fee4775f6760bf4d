//! How a browser's user wants pages to look: language, colours and units, kept in a cookie.

use axum::http::HeaderMap;

use crate::{
    cookies,
    words::{Locale, Strings},
};

/// The cookie of the settings.
pub const COOKIE: &str = "spotter_taste";

/// A reader's display settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplaySettings {
    /// Their language, where they have chosen one.
    pub language: Option<Locale>,
    /// The language that their browser asks for.
    pub accepted: Option<Locale>,
    /// Whether they want them light or dark, where they have chosen.
    pub dark: Option<bool>,
    /// Whether they measure in pounds and inches, where they have chosen.
    pub imperial: Option<bool>,
}

impl DisplaySettings {
    /// The language of pages: the one chosen, else the browser's, as before signing in, else the company's, else
    /// English.
    pub fn locale(&self, company: &str) -> Locale {
        self.language.or(self.accepted).or(Locale::parse(company)).unwrap_or_default()
    }
}

/// A reader's display settings.
pub fn settings(headers: &HeaderMap) -> DisplaySettings {
    let text = cookies::cookie(headers, COOKIE).unwrap_or_default();
    let mut parts = text.split('.');
    let mut part = || parts.next().unwrap_or_default();
    let (language, theme, units) = (part(), part(), part());
    DisplaySettings {
        language: Locale::parse(language),
        accepted: spotter_http::accepted_language(headers),
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

/// The language of an unknown reader: the chosen one, else one that their browser accepts.
pub fn language(headers: &HeaderMap) -> Strings {
    Strings(settings(headers).locale(Locale::English.code()))
}
