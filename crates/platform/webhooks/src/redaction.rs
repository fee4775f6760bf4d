//! Redaction: hides secrets by field name and by form, and personal or payment data.

use regex::{Captures, Regex};
use spotter_kernel::{Problem, Result};

const REDACTED: &str = "[redacted]";

/// What the name of a secret field has in it.
const SECRET: &str = "pass(?:word|wd|phrase|code)|pwd|secret|token|api[_-]?key|access[_-]?key|\
    private[_-]?key|authori[sz]ation|cookie|credential|signature|session[_-]?id|cvc|cvv";

/// Names that are secret as a whole and harmless within other words.
const EXACT: &str = "pass|jwt|sig|otp|pin";

/// The quote of a name, also as texts within texts write it.
const QUOTE: &str = r#"(?:\\*["']|&quot;|&#34;|%22)?"#;

/// Quotes that are longer than a character.
const LONG_QUOTES: [&str; 4] = ["\\\"", "&quot;", "&#34;", "%22"];

/// Secrets by their look: JSON web tokens, keys with a prefix, long runs without a word's shape.
const LOOKS: &[&str] = &[
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    r"\beyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]+)*",
    r"\b[A-Za-z]{2,8}_[A-Za-z0-9_-]{16,}",
    r"\b(?:sk|pk|rk|xox[a-z])-[A-Za-z0-9_-]{6,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}",
    r"\bAIza[0-9A-Za-z_-]{16,}",
    r"\b[A-Za-z0-9+/_-]{32,}={0,2}",
];

/// Who can be reached: e-mail addresses, also as forms and URLs spell them, and phone numbers.
const CONTACTS: &[&str] = &[
    r"[\w.%+'-]+(?:@|%40|&#64;)[\w-]+(?:\.[\w-]+)+",
    r"\+[ (]{0,2}\d[\d ().-]{6,}\d",
    r"\(\d{2,5}\)[ -]?\d[\d -]{4,}\d",
    r"\b0\d(?:[ -]?\d){7,12}\b",
    r"\b\d{3}[-. ]\d{3}[-. ]\d{4}\b",
];

/// Redacts texts.
#[derive(Debug)]
pub struct Redactor {
    /// A field's name and what precedes its value.
    field: Regex,
    element: Regex,
    /// Who signs in, and with what, before the host of a URL.
    login: Regex,
    scheme: Regex,
    looks: Vec<Regex>,
    card: Regex,
    iban: Regex,
}

impl Redactor {
    /// Reads its rules.
    pub fn new() -> Result<Self> {
        let rule = |text: &str| Regex::new(text).map_err(Problem::internal);
        let looks = LOOKS.iter().chain(CONTACTS).map(|text| rule(text)).collect::<Result<_>>()?;
        Ok(Self {
            field: rule(&format!(
                r#"(?i){QUOTE}(?:[\w.-]*(?:{SECRET})[\w-]*|\b(?:{EXACT})){QUOTE}\s*(?:=>|[:=]|%3[ad])\s*"#
            ))?,
            element: rule(&format!(
                r"(?is)(<(?:[\w.-]+:)?[\w.-]*(?:{SECRET})[\w.-]*(?:\s[^<>]*)?>).*?(</|$)"
            ))?,
            login: rule(r"(://)[^/\s:@]+:[^/\s@]*@")?,
            scheme: rule(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}")?,
            looks,
            card: rule(r"\b\d(?:[ .\u{a0}-]?\d){12,18}\b")?,
            iban: rule(r"(?i)\b[a-z]{2}\d{2}(?: ?[a-z0-9]){11,30}\b")?,
        })
    }

    /// The redacted text.
    pub fn redact(&self, text: &str) -> String {
        let text = self.without_fields(text);
        let text = self.element.replace_all(&text, "${1}[redacted]${2}");
        let text = self.login.replace_all(&text, "${1}[redacted]@");
        let text = self.scheme.replace_all(&text, "${1} [redacted]");
        let checked = |rule: &Regex, text: &str, holds: fn(&str) -> bool| {
            let hide = |found: &Captures<'_>| {
                if holds(&found[0]) { REDACTED.to_owned() } else { found[0].to_owned() }
            };
            rule.replace_all(text, hide).into_owned()
        };
        let text = checked(&self.card, &text, is_card);
        let text = self.iban.replace_all(&text, |found: &Captures<'_>| without_iban(&found[0]));
        self.looks
            .iter()
            .fold(text.into_owned(), |text, rule| rule.replace_all(&text, REDACTED).into_owned())
    }

    /// The text without the values of secret fields.
    fn without_fields(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(name) = self.field.find(rest) {
            out.push_str(&rest[..name.end()]);
            let value = &rest[name.end()..];
            let end = if is_header(name.as_str()) {
                line_end(name.as_str(), value)
            } else {
                value_end(value)
            };
            if end > 0 {
                out.push_str(REDACTED);
            }
            rest = &value[end..];
        }
        out.push_str(rest);
        out
    }
}

/// A header's value ends with its line, or with the quoted text that contains it.
fn is_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let bare = name.trim_end().strip_suffix(':').is_some_and(|name| !name.ends_with(['"', '\'']));
    bare && ["authori", "cookie"].iter().any(|word| name.contains(word))
}

fn line_end(name: &str, value: &str) -> usize {
    let quote = if name.starts_with('\'') { '\'' } else { '"' };
    value.find(['\n', '\r', quote]).unwrap_or(value.len())
}

/// Where a value ends: a quoted text at its quote, an object or a list at its closing bracket, a bare
/// word at what cannot be part of it. One that is cut off ends with the text.
fn value_end(value: &str) -> usize {
    if let Some(quote) = LONG_QUOTES.iter().find(|quote| value.starts_with(**quote)) {
        let inside = &value[quote.len()..];
        return inside.find(quote).map_or(value.len(), |end| end + 2 * quote.len());
    }
    let mut depth = 0usize;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in value.char_indices() {
        let next = at + c.len_utf8();
        match (quote, c) {
            _ if std::mem::take(&mut escaped) => {}
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == c => {
                quote = None;
                if depth == 0 {
                    return next;
                }
            }
            (Some(_), _) => {}
            (None, '"' | '\'') if depth > 0 || at == 0 => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return next;
                }
            }
            (None, _) if depth > 0 => {}
            (None, c) if c.is_whitespace() || "&,;}])<>\"'".contains(c) => return at,
            (None, _) => {}
        }
    }
    value.len()
}

/// Words that begin with an IBAN, without it: the words after it look like more of it.
fn without_iban(words: &str) -> String {
    let ends = words.char_indices().filter(|(_, c)| *c == ' ').map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([words.len()]).collect();
    match ends.into_iter().rev().find(|end| is_iban(&words[..*end])) {
        Some(end) => format!("{REDACTED}{}", &words[end..]),
        None => words.to_owned(),
    }
}

/// Whether the digits are those of a payment card (ISO/IEC 7812-1, annex B: Luhn's check digit).
fn is_card(text: &str) -> bool {
    let digits = text.chars().rev().filter_map(|c| c.to_digit(10));
    let sum: u32 = digits
        .enumerate()
        .map(|(at, digit)| match at % 2 {
            0 => digit,
            _ if digit > 4 => 2 * digit - 9,
            _ => 2 * digit,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether the text is an account number (ISO 13616: the remainder by 97 is 1).
fn is_iban(text: &str) -> bool {
    let compact: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let turned = compact.iter().skip(4).chain(compact.iter().take(4));
    let remainder = turned.filter_map(|c| c.to_digit(36)).fold(0u32, |so_far, digit| {
        let shifted = if digit < 10 { so_far * 10 } else { so_far * 100 };
        (shifted + digit) % 97
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    fn redacted(text: &str) -> String {
        static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new().unwrap());
        REDACTOR.redact(text)
    }

    #[test]
    fn secrets_are_absent() {
        for (text, absent) in [
            (r#"{"access_token":"abc.def"}"#, "abc"),
            (r#"{"password": "hunter\"2"}"#, "hunter"),
            (r#"{'password': 'hunter 2', 'x': 1}"#, "hunter"),
            ("api_key=k3y&x=1", "k3y"),
            ("client_secret => 'k3y'", "k3y"),
            ("Authorization: Bearer x9", "x9"),
            ("Authorization: Basic eDp5", "eDp5"),
            ("proxy-authorization: Digest user=x9, y=z8", "z8"),
            ("Cookie: a=first; b=second", "second"),
            ("Set-Cookie: sid=first; Path=/\nnext", "first"),
            (r#"{"tokens":["first","second"]}"#, "second"),
            (r#"{"secret":{"id":"first","value":"second"}}"#, "second"),
            (r#"{"secret":{"id":"fir}st","deep":{"x":"second"}},"ok":1}"#, "second"),
            (r#"{"secret":{"id":"cut off in the mid"#, "mid"),
            ("<password>hunter2</password>", "hunter2"),
            ("<ns:Password type=\"text\">hunter2</ns:Password>", "hunter2"),
            ("<apiKey>hunter2", "hunter2"),
            ("Bearer abcdefgh.ijkl", "abcdefgh"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "eyJ"),
            ("fspt_0123456789abcdef01234567", "0123456789"),
            ("whsec_AbCdEfGhIjKlMnOpQrSt", "AbCd"),
            ("key AKIAIOSFODNN7EXAMPLE is bad", "AKIA"),
            ("used sk-proj-a1B2c3D4", "a1B2"),
            ("0123456789abcdef0123456789abcdef", "0123456789"),
            ("mail ann.bos+gym@mail.example.com now", "ann"),
            ("mail=ann%40example.com", "ann"),
            ("to zoë@bücher.example", "zoë"),
            ("card 4111 1111 1111 1111 declined", "1111"),
            ("card 4111-1111-1111-1111", "1111"),
            ("account NL91 ABNA 0417 1643 00", "ABNA"),
            ("account de89370400440532013000!", "3704"),
            ("iban: NL91ABNA0417164300 ok", "ABNA"),
            ("GB82WEST12345698765432 and DE89370400440532013000", "WEST"),
            ("account NL91 ABNA 0417 1643 00 now", "ABNA"),
            ("card 4111.1111.1111.1111", "1111"),
            (r#"{"message":"Authorization: Bearer abcdef123xyz was refused"}"#, "abcdef"),
            (r#"curl -H "Authorization: Bearer abcdef123xyz" x"#, "abcdef"),
            ("{'headers': ['Authorization: Basic Zm9vOmJhcg==']}", "Zm9v"),
            ("https://u:pw9@host/x", "pw9"),
            ("postgres://user:pw9@host", "pw9"),
            (r#"{"pass":"pw9"}"#, "pw9"),
            (r#"{"body":"{\"password\":\"pw9\"}"}"#, "pw9"),
            ("&quot;password&quot;:&quot;pw9&quot;", "pw9"),
            ("password%3Dpw9", "pw9"),
            ("x?jwt=pw9&sig=pw9", "pw9"),
            ("-----BEGIN PRIVATE KEY-----\nMIIpw9\n-----END PRIVATE KEY-----", "pw9"),
            ("call +31 6 12345678", "1234"),
            ("call +1 (555) 123-4567", "4567"),
            ("call (555) 123-4567", "4567"),
            ("call 555-123-4567", "4567"),
            ("call 06-12345678", "1234"),
        ] {
            assert!(!redacted(text).contains(absent), "{text}: {}", redacted(text));
        }
    }

    #[test]
    fn the_rest_stays() {
        for text in [
            "ok",
            r#"{"error":"no such client","code":17}"#,
            r#"{"at":"2026-11-22T10:15:30.123Z","took":1250,"version":"1.20.3"}"#,
            "the basic plan has 12 sessions",
            "a passenger: Ann, at the spinning: 3",
            "order 1234567890123 was not found",
        ] {
            assert_eq!(redacted(text), text);
        }
        let hidden =
            redacted(r#"{"password": "hunter2", "name": "Ann", "tokens": [1, 2], "n": 3}"#);
        assert_eq!(
            hidden,
            r#"{"password": [redacted], "name": "Ann", "tokens": [redacted], "n": 3}"#
        );
    }

    proptest! {
        #[test]
        fn no_address_survives(name in "[a-z]{1,12}", host in "[a-z]{1,9}\\.(com|nl)", around in "[ ,;:<>()a-z]{0,900}") {
            let address = format!("{name}@{host}");
            let text = format!("{around} {address} {around}");
            prop_assert!(!redacted(&text).contains(&address));
        }

        #[test]
        fn no_secret_field_survives(
            name in "(password|clientSecret|access_token|x-api-key)",
            value in "[a-z]{3}Q[a-z]{3}",
            before in "[ \\[{a-z:,]{0,40}",
            depth in 0usize..4,
        ) {
            let nested = format!("{}\"{value}\"{}", "[".repeat(depth), "]".repeat(depth));
            let text = format!("{before}{{\"{name}\": {nested}}}");
            prop_assert!(!redacted(&text).contains(&value), "{}", redacted(&text));
        }
    }
}
