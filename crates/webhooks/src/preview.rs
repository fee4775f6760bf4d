//! What is kept of a target's answer: its beginning, without what nobody should keep.

use std::sync::LazyLock;

use regex::Regex;

/// Longest preview, in bytes.
pub const PREVIEW_MAX: usize = 1_024;

const REDACTED: &str = "[redacted]";

/// What is hidden, each with what stands in its place.
const RULES: &[(&str, &str)] = &[
    // Fields that are secret by their names, in JSON and in forms.
    (
        r#"(?i)("?[a-z0-9_-]*(?:password|passwd|secret|token|api[_-]?key|authorization|cookie|credential)[a-z0-9_-]*"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|[^\s&,;}\]]+)"#,
        "${1}[redacted]",
    ),
    (r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}", "${1} [redacted]"),
    (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", REDACTED),
    // Tokens by their look: JSON web tokens, keys with a prefix, long runs without a word's shape.
    (r"\beyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]+)*", REDACTED),
    (r"\b[A-Za-z]{2,8}_[A-Za-z0-9_-]{16,}", REDACTED),
    (r"\b[A-Za-z0-9+/_-]{32,}={0,2}", REDACTED),
];

#[expect(clippy::expect_used, reason = "the rules are constants, and a test reads them")]
static REGEXES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled =
        RULES.iter().map(|(rule, instead)| (Regex::new(rule).expect("a rule"), *instead));
    compiled.collect()
});

/// The beginning of an answer's body, redacted and cut; `None` for an empty one. Bytes that are
/// no text are only counted.
pub fn preview(body: &[u8]) -> Option<String> {
    if body.is_empty() {
        return None;
    }
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        // Reading may have stopped inside a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&body[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Some(format!("[{} bytes that are not text]", body.len())),
    };
    let text: String =
        text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    // What would be cut in the middle of a secret is hidden first.
    let redacted = REGEXES
        .iter()
        .fold(text, |text, (rule, instead)| rule.replace_all(&text, *instead).into_owned());
    Some(cut(&redacted, PREVIEW_MAX).to_owned())
}

fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_and_addresses_are_hidden_and_the_rest_is_not() {
        let told = |text: &str| preview(text.as_bytes()).unwrap();
        assert_eq!(told("ok"), "ok");
        assert_eq!(
            told(r#"{"error":"no such client","code":17}"#),
            r#"{"error":"no such client","code":17}"#
        );
        for secret in [
            r#"{"access_token":"abc.def"}"#,
            r#"{"password": "hunter\"2"}"#,
            "api_key=k3y&x=1",
            "Authorization: Bearer abcdefgh",
            "Bearer abcdefgh.ijkl",
            "mail ann.bos+gym@mail.example.com now",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
            "fspt_0123456789abcdef01234567",
            "whsec_AbCdEfGhIjKlMnOpQrSt",
            "0123456789abcdef0123456789abcdef",
        ] {
            assert!(told(secret).contains("[redacted]"), "{secret}: {}", told(secret));
        }
        let hidden = told(r#"{"password": "hunter2", "name": "Ann"}"#);
        assert!(!hidden.contains("hunter2") && hidden.contains("Ann"), "{hidden}");
        assert!(!told("write to ann@example.com").contains("ann@"));
    }

    #[test]
    fn what_is_no_text_is_counted() {
        assert_eq!(preview(b""), None);
        assert_eq!(preview(&[0x1f, 0x8b, 0xff, 0xfe]), Some("[4 bytes that are not text]".into()));
        assert_eq!(preview("a\0b\u{7f}é".as_bytes()), Some("abé".into()));
        assert_eq!(preview(&"aé".as_bytes()[..2]), Some("a".into()));
    }

    proptest! {
        #[test]
        fn previews_are_short_and_storable(body in proptest::collection::vec(any::<u8>(), 0..5000)) {
            if let Some(text) = preview(&body) {
                prop_assert!(text.len() <= PREVIEW_MAX && !text.contains('\0'));
            }
        }

        #[test]
        fn no_address_survives(name in "[a-z]{1,12}", host in "[a-z]{1,9}\\.(com|nl)", around in "[ ,;:<>()a-z]{0,900}") {
            let address = format!("{name}@{host}");
            let text = format!("{around} {address} {around}");
            prop_assert!(!preview(text.as_bytes()).unwrap().contains(&address));
        }
    }
}
