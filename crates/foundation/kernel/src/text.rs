//! Text that has been checked: trimmed, not blank, not too long, and storable on every engine.

use std::{borrow::Cow, fmt, ops::Deref};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    patch::Patch,
    problem::{INVALID, Key, refuse},
    rule::Rule,
};

/// A text of 1 to `MAX` characters that is not blank, without the spaces around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// Checks a text.
    pub fn parse(text: &str) -> Result<Self, (Key, Rule)> {
        if text.chars().count() > MAX {
            return Err((Key::FieldTooLong, Rule::TooLong { max: MAX }));
        }
        if text.contains('\0') {
            return Err((Key::RequestInvalid, Rule::WithNul));
        }
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err((Key::RequestInvalid, Rule::Empty));
        }
        if !trimmed.chars().any(is_visible) {
            return Err((Key::RequestInvalid, Rule::Invisible));
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX: usize> Deref for Text<MAX> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> Self {
        text.0
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|(key, rule)| refuse::<D::Error>(key, rule))
    }
}

impl<const MAX: usize> JsonSchema for Text<MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Text{MAX}").into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Something to see, and no NUL, which PostgreSQL cannot store.
        json_schema!({"type": "string", "minLength": 1, "maxLength": MAX, INVALID: Key::FieldTooLong.wire(),
            "pattern": concat!("^[^\\x00]*[^\\x00-\\x20\\u0085\\u00a0\\u00ad\\u0300-\\u036f\\u061c\\u115f\\u1160\\u1680",
                "\\u17b4\\u17b5\\u180b-\\u180f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f",
                "\\u20d0-\\u20ff\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufe20-\\ufe2f",
                "\\ufeff\\uffa0][^\\x00]*$")})
    }
}

/// Whether a character changes the direction of the text around it (Unicode's UAX #9).
pub(crate) fn is_directional(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character shows, by itself.
fn is_visible(c: char) -> bool {
    let blank = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        // What needs another character to be seen on: combining marks, variants, tags.
        | '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{e0000}'..='\u{e0fff}');
    c > ' ' && !c.is_whitespace() && !blank
}

/// A text without joiners (U+200C, U+200D) but for those between two characters that show and are not ASCII.
fn without_idle_joiners(text: &str) -> String {
    let is_joiner = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
    // A variant of the one before it, as emoji have, is part of that.
    let joins = |c: char| !c.is_ascii() && (is_visible(c) || c == '\u{fe0f}');
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let between =
            out.chars().next_back().is_some_and(joins) && rest.peek().copied().is_some_and(joins);
        if !is_joiner(c) || between {
            out.push(c);
        }
    }
    out
}

/// What people and things are called: a text of 1 to `MAX` characters without those that are not seen
/// and change how the others are, such as marks of direction (Unicode's UAX #9) and idle joiners, on one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Name<const MAX: usize>(Text<MAX>);

impl<const MAX: usize> Name<MAX> {
    /// Checks a name.
    pub fn parse(text: &str) -> Result<Self, (Key, Rule)> {
        // Within words of Persian and Hindi, and within emoji, joiners are letters; anywhere else they hide.
        let text = without_idle_joiners(text);
        let hidden = |c| is_directional(c) || matches!(c, '\u{200b}' | '\u{e0000}'..='\u{e007f}');
        // A name has one line; NUL is refused in every text.
        let breaks = |c: char| c.is_control() && c != '\0';
        Text::parse(&text.replace(hidden, "").replace(breaks, " ")).map(Self)
    }
}

impl<const MAX: usize> Deref for Name<MAX> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Name<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<const MAX: usize> From<Name<MAX>> for String {
    fn from(name: Name<MAX>) -> Self {
        name.0.into()
    }
}

/// Reads a name that has to be given: a blank one is none, as one that is left out is.
pub fn given<'de, D: Deserializer<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<Option<Name<MAX>>, D::Error> {
    let Some(text) = Option::<Cow<str>>::deserialize(deserializer)? else { return Ok(None) };
    match Name::parse(&text) {
        Ok(name) => Ok(Some(name)),
        Err((_, Rule::Empty)) => Ok(None),
        Err((key, rule)) => Err(refuse::<D::Error>(key, rule)),
    }
}

/// The same in a change, which cannot take it away.
pub fn replaced_text<'de, D: Deserializer<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<Patch<Name<MAX>>, D::Error> {
    Ok(given(deserializer)?.map_or(Patch::Clear, Patch::Set))
}

impl<'de, const MAX: usize> Deserialize<'de> for Name<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|(key, rule)| refuse::<D::Error>(key, rule))
    }
}

impl<const MAX: usize> JsonSchema for Name<MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Name{MAX}").into()
    }
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        Text::<MAX>::json_schema(schemas)
    }
}

macro_rules! formatted {
    ($(#[$doc:meta])* $name:ident, $max:literal, $check:expr, $rule:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks a text.
            pub fn parse(text: &str) -> Option<Self> {
                let check: fn(&str) -> bool = $check;
                (text.len() <= $max && check(text)).then(|| Self(text.to_owned()))
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(d)?;
                if text.chars().count() > $max {
                    return Err(refuse::<D::Error>(Key::FieldTooLong, Rule::TooLong { max: $max }));
                }
                Self::parse(&text).ok_or_else(|| refuse::<D::Error>(Key::RequestInvalid, $rule))
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = json_schema!($schema);
                schema.insert(INVALID.into(), Key::FieldTooLong.wire().into());
                schema
            }
        }
    };
}

formatted!(
    /// An e-mail address of the everyday form: `local@domain.tld`, ASCII, no quoting, and no sign that a `mailto:` link
    /// would have to escape. Of top-level domains in other scripts, what the DNS has for them (`xn--…`).
    Email, 254, is_email, Rule::NotEmail,
    {"type": "string", "maxLength": 254, "examples": ["sam@example.com"],
     "pattern": "^[A-Za-z0-9_+%'!$*~\\-]+(\\.[A-Za-z0-9_+%'!$*~\\-]+)*@([A-Za-z0-9]([A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?\\.)+([A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9\\-]{0,58}[A-Za-z0-9])$"}
);

formatted!(
    /// A telephone number as people write it: 5 to 15 digits with spaces, brackets, dots, dashes and
    /// slashes between them, optionally `+` in front.
    Phone, 32, is_phone, Rule::NotPhoneNumber,
    {"type": "string", "maxLength": 32, "examples": ["+31 20 123 4567"],
     "pattern": "^\\+?[ ().\\-/]*([0-9][ ().\\-/]*){5,15}$"}
);

formatted!(
    /// An ISO 3166-1 alpha-2 country code in upper case.
    Country, 2, |text| text.len() == 2 && text.bytes().all(|c| c.is_ascii_uppercase()),
    Rule::NotCountry,
    {"type": "string", "pattern": "^[A-Z]{2}$", "examples": ["NL"]}
);

formatted!(
    /// A language by its two-letter ISO 639-1 code.
    Language, 2, |text| text.len() == 2 && text.bytes().all(|c| c.is_ascii_lowercase()),
    Rule::NotLanguage,
    {"type": "string", "pattern": "^[a-z]{2}$", "examples": ["en"]}
);

formatted!(
    /// A wall-clock time `HH:MM`, 00:00 to 23:59.
    WallTime, 5, is_wall_time, Rule::NotTimeOfDay,
    {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "examples": ["09:30"]}
);

formatted!(
    /// An identifier chosen by a client for a part of a record: letters and digits of ASCII, `-` and `_`.
    Handle, 60, is_handle, Rule::NotSlug,
    {"type": "string", "maxLength": 60, "pattern": "^[A-Za-z0-9_\\-]+$", "examples": ["sleep"]}
);

formatted!(
    /// An http or https address.
    WebUrl, 500, is_web_url, Rule::NotWebUrl,
    {"type": "string", "maxLength": 500, "examples": ["https://example.com/terms"],
     "pattern": "^https?://[A-Za-z0-9][A-Za-z0-9.\\-]*(:[0-9]{1,5})?(/[A-Za-z0-9._~/?#&=%+\\-]*)?$"}
);

formatted!(
    /// The last part of an address of a page: 3 to 60 lower-case letters and digits, with hyphens between.
    Slug, 60, is_slug, Rule::NotPageAddress,
    {"type": "string", "minLength": 3, "maxLength": 60, "pattern": "^[a-z0-9]+(-+[a-z0-9]+)*$",
     "examples": ["dok-noord"]}
);

formatted!(
    /// A color of sRGB in hexadecimal digits.
    Color, 7, is_color, Rule::NotColor,
    {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$", "examples": ["#1a7f5a"]}
);

formatted!(
    /// The origin of web pages (RFC 6454): https, a host, and a port if it is not the usual one. A page of the same machine
    /// may be http.
    Origin, 200, is_origin, Rule::NotOrigin,
    {"type": "string", "maxLength": 200, "examples": ["https://www.example.com"],
     "pattern": "^(https://[a-z0-9][a-z0-9.\\-]*|http://(localhost|127\\.0\\.0\\.1))(:[0-9]{1,5})?$"}
);

fn is_slug(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c != '-');
    (3..=60).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && edge(text.chars().next())
        && edge(text.chars().next_back())
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    digits.is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()))
}

fn is_origin(text: &str) -> bool {
    let (host, here) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
        (Some(host), _) => (host, false),
        (None, Some(host)) => (host, true),
        (None, None) => return false,
    };
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_host = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'.' | b'-');
    let is_port =
        |port: &str| (1..=5).contains(&port.len()) && port.bytes().all(|c| c.is_ascii_digit());
    let begins = host.bytes().next().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    begins
        && host.bytes().all(is_host)
        && port.is_none_or(is_port)
        && (!here || matches!(host, "localhost" | "127.0.0.1"))
}

/// Most characters of a quotation.
const QUOTED: usize = 200;

/// What people have written, within a sentence of ours: between quotation marks that it cannot close, on one line.
pub fn quoted(text: &str) -> String {
    let mut inner: String = text
        .chars()
        .take(QUOTED)
        .map(|c| match c {
            '\u{201c}' | '\u{201d}' | '"' => '\'',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    if text.chars().nth(QUOTED).is_some() {
        inner.push('\u{2026}');
    }
    format!("\u{201c}{inner}\u{201d}")
}

/// A wall-clock time at which something ends: `24:00` is midnight at the end of the day (ISO 8601), stored as
/// `00:00`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingTime(pub WallTime);

impl From<ClosingTime> for WallTime {
    fn from(time: ClosingTime) -> Self {
        time.0
    }
}

impl<'de> Deserialize<'de> for ClosingTime {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        let view = if text == "24:00" { "00:00" } else { &text };
        let rule = Rule::NotClosingTime;
        let time = WallTime::parse(view);
        time.map(Self).ok_or_else(|| refuse::<D::Error>(Key::RequestInvalid, rule))
    }
}

impl JsonSchema for ClosingTime {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "ClosingTime".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
            "examples": ["17:30"]
        })
    }
}

/// Reads such a time where it is stored as sent.
pub fn closing<'de, D: Deserializer<'de>>(d: D) -> Result<WallTime, D::Error> {
    ClosingTime::deserialize(d).map(Into::into)
}

impl WallTime {
    /// The time of these hours and minutes, of a clock.
    pub(crate) fn of(hours: i8, minutes: i8) -> Self {
        Self(format!("{hours:02}:{minutes:02}"))
    }

    /// Hours and minutes.
    pub fn parts(&self) -> (i8, i8) {
        let number = |part: &str| part.parse().unwrap_or(0);
        self.0.split_once(':').map_or((0, 0), |(hours, minutes)| (number(hours), number(minutes)))
    }
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let atom = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|c| c.is_ascii_alphanumeric() || b"_+%'!$*~-".contains(&c))
    };
    let label = |part: &str| {
        (1..=63).contains(&part.len())
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
    };
    let top = domain.rsplit('.').next().unwrap_or_default();
    local.split('.').all(atom)
        && domain.contains('.')
        && domain.split('.').all(label)
        && (2..=63).contains(&top.len())
        && (top.bytes().all(|c| c.is_ascii_alphabetic())
            || top.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

fn is_phone(text: &str) -> bool {
    let rest = text.strip_prefix('+').unwrap_or(text);
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    (5..=15).contains(&digits) && rest.bytes().all(|c| c.is_ascii_digit() || b" ().-/".contains(&c))
}

fn is_handle(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c))
}

fn is_wall_time(text: &str) -> bool {
    let Some((hours, minutes)) = text.split_once(':') else { return false };
    let number = |part: &str, below: u8| {
        part.len() == 2
            && part.bytes().all(|c| c.is_ascii_digit())
            && part.parse().is_ok_and(|value: u8| value < below)
    };
    number(hours, 24) && number(minutes, 60)
}

fn is_web_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return false;
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = authority.split_once(':').unwrap_or((authority, "0"));
    host.starts_with(|c: char| c.is_ascii_alphanumeric())
        && host.bytes().all(|c| c.is_ascii_alphanumeric() || b".-".contains(&c))
        && (1..=5).contains(&port.len())
        && port.bytes().all(|c| c.is_ascii_digit())
        && path.bytes().all(|c| c.is_ascii_alphanumeric() || b"._~/?#&=%+-".contains(&c))
}

#[cfg(test)]
mod tests;
