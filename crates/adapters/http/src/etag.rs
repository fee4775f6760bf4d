//! Entity tags (RFC 9110, section 8.8.3): a caller who has an answer already gets 304.

use std::hash::{DefaultHasher, Hasher};

use axum::http::{HeaderMap, HeaderValue, header};

/// The tag of an answer's content: equal for equal bytes. It is weak, because the request id around the content and
/// its encoding differ.
pub(crate) fn of(content: &[u8]) -> Option<HeaderValue> {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    let tag = format!("W/\"{:016x}-{:x}\"", hasher.finish(), content.len());
    HeaderValue::from_str(&tag).ok()
}

/// Whether the caller has the content of this tag (RFC 9110, section 13.1.2: weak comparison).
pub(crate) fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(own) = tag.to_str().map(bare) else { return false };
    let sent = headers.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = sent.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    tags.any(|tag| tag.trim() == "*" || bare(tag) == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_weakly_and_in_lists() {
        let tag = of(b"content").unwrap();
        assert_eq!(of(b"content"), Some(tag.clone()));
        assert_ne!(of(b"contents"), Some(tag.clone()));
        let text = tag.to_str().unwrap();
        for (sent, known) in [
            (text.to_owned(), true),
            (text.trim_start_matches("W/").to_owned(), true),
            (format!("\"x\", {text}"), true),
            ("*".to_owned(), true),
            ("\"x\"".to_owned(), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_str(&sent).unwrap());
            assert_eq!(is_known(&headers, &tag), known, "{sent}");
        }
        assert!(!is_known(&HeaderMap::new(), &tag));
    }
}
