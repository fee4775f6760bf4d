//! The stored preview of a target's answer: its beginning, redacted.

use crate::redaction::Redactor;

/// Longest preview, in bytes.
pub const PREVIEW_MAX: usize = 1_024;

/// The beginning of an answer's body, redacted and cut; `None` for an empty one. Bytes that are
/// no text are only counted.
pub fn preview(redactor: &Redactor, body: &[u8]) -> Option<String> {
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
    Some(cut(&redactor.redact(&text), PREVIEW_MAX).to_owned())
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
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    fn excerpt(body: &[u8]) -> Option<String> {
        static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new().unwrap());
        preview(&REDACTOR, body)
    }

    #[test]
    fn non_text_answers_are_summarized() {
        assert_eq!(excerpt(b""), None);
        assert_eq!(excerpt(&[0x1f, 0x8b, 0xff, 0xfe]), Some("[4 bytes that are not text]".into()));
        assert_eq!(excerpt("a\0b\u{7f}é".as_bytes()), Some("abé".into()));
        assert_eq!(excerpt(&"aé".as_bytes()[..2]), Some("a".into()));
    }

    proptest! {
        #[test]
        fn previews_are_short_and_storable(body in proptest::collection::vec(any::<u8>(), 0..5000)) {
            if let Some(text) = excerpt(&body) {
                prop_assert!(text.len() <= PREVIEW_MAX && !text.contains('\0'));
            }
        }
    }
}
