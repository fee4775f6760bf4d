//! Where a browser may be sent back to.

use url::{Host, Url};

/// Longest address, in bytes.
const LENGTH_MAX: usize = 2_000;

/// Schemes of apps that are known to register them, without the dot that RFC 8252 (section 7.1) wants.
const APPS: &[&str] = &[
    "claude",
    "chatgpt",
    "codex",
    "continue",
    "cursor",
    "goose",
    "jetbrains",
    "lmstudio",
    "raycast",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "warp",
    "windsurf",
    "zed",
];

/// Parameters of the answer, which nothing else may set.
const OF_ANSWERS: &[&str] = &["code", "error", "error_description", "iss", "state"];

/// Whether an address may be registered: https, http to the machine that the browser is on, or a
/// scheme of an app's own (RFC 8252); never with a fragment or credentials, with what an answer adds,
/// or with anything that a browser would read otherwise than it is written.
pub(crate) fn may_be_registered(uri: &str) -> bool {
    let Ok(url) = Url::parse(uri) else { return false };
    let plain = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    let kind = match url.scheme() {
        "https" => {
            let authority = uri.strip_prefix("https://");
            authority.is_some_and(|rest| !rest.starts_with('/')) && is_plain_host(&url)
        }
        "http" => uri.starts_with("http://") && is_loopback(&url),
        scheme => scheme.contains('.') || APPS.contains(&scheme),
    };
    // The parser drops what it should not have been given, such as line breaks.
    let clean = uri.bytes().all(|c| c.is_ascii_graphic()) && !uri.contains('\\');
    let free = url.query_pairs().all(|(name, _)| !OF_ANSWERS.contains(&&*name));
    plain && kind && clean && free && !has_dot_segments(uri) && uri.len() <= LENGTH_MAX
}

/// A host is part of the page's policy, which some characters would end.
fn is_plain_host(url: &Url) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b".-[]:_".contains(&c);
    url.host_str().is_some_and(|host| !host.is_empty() && host.bytes().all(plain))
}

/// Segments that a browser takes out of a path (URL standard, section 4.4).
pub(crate) fn has_dot_segments(uri: &str) -> bool {
    let path = uri.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    path.replace("%2e", ".").split('/').any(|part| part == "." || part == "..")
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Whether an address is a registered one: the same to the letter, but for the port on the machine
/// that the browser is on, where the operator lets any of them pass (RFC 8252, section 7.3).
pub(crate) fn matches(registered: &str, presented: &str, any_loopback_port: bool) -> bool {
    if registered == presented || !any_loopback_port {
        return registered == presented;
    }
    let without_port = |uri: &str| {
        let mut url =
            Url::parse(uri).ok().filter(|url| url.scheme() == "http" && is_loopback(url))?;
        url.set_port(None).ok()?;
        may_be_registered(uri).then_some(url)
    };
    without_port(registered).is_some_and(|own| Some(own) == without_port(presented))
}

/// The target that forms may redirect to (CSP's form-action): an origin or a scheme.
pub(crate) fn form_target(uri: &str) -> String {
    match Url::parse(uri) {
        Ok(url) if matches!(url.scheme(), "https" | "http") => url.origin().ascii_serialization(),
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => String::new(),
    }
}

/// The redirect target as a person sees it.
pub(crate) fn display_host(uri: &str) -> String {
    match Url::parse(uri) {
        Ok(url) if is_loopback(&url) => "this computer".to_owned(),
        Ok(url) => match url.host_str() {
            Some(host) if matches!(url.scheme(), "https" | "http") => host.to_owned(),
            _ => format!("the app that opens {}: addresses", url.scheme()),
        },
        Err(_) => "an unreadable address".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_registered() {
        for good in [
            "https://claude.ai/api/mcp/auth_callback",
            "http://127.0.0.1:33418/callback",
            "http://localhost/cb",
            "http://[::1]:8000/",
            "cursor://anysphere.cursor-retrieval/oauth/cb",
            "vscode:callback",
            "https://example.com/cb?x=1",
            "com.example.app:/oauth",
        ] {
            assert!(may_be_registered(good), "{good}");
        }
        for bad in [
            "",
            "callback",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://example.com/cb",
            "https://example.com/#x",
            "https://user@example.com/",
            "https://exa mple.com/",
            "https://example.com/\r\nx",
            "file:///etc/passwd",
            "http://127.0.0.1.example.com/",
            "https:evil.example",
            "https:/evil.example/",
            "https:///evil.example/",
            "https://evil.example;script-src/",
            "https://evil.example,x/",
            "https://example.com\\@evil.example/",
            "https://example.com/a/../b",
            "https://example.com/a/%2e%2E/b",
            "http://127.0.0.1/./cb",
            "https://example.com/cb?code=1",
            "https://example.com/cb?x=1&state=2",
            "https://example.com/cb?iss=x",
            "mailto:a@example.com",
            "view-source:https://example.com/",
            "filesystem:https://example.com/x",
            "intent://example.com/#Intent;end",
            "intent:x",
            "sms:1",
            "tel:1",
            "blob:https://example.com/x",
        ] {
            assert!(!may_be_registered(bad), "{bad}");
        }
    }

    #[test]
    fn addresses_match_to_the_letter_but_for_a_loopback_port() {
        assert!(matches("http://127.0.0.1/cb", "http://127.0.0.1:5123/cb", true));
        assert!(matches("http://localhost:1/cb", "http://localhost:2/cb", true));
        assert!(!matches("http://localhost:1/cb", "http://localhost:2/cb", false));
        assert!(matches("http://localhost:1/cb", "http://localhost:1/cb", false));
        for (one, other) in [
            ("http://127.0.0.1/cb", "http://127.0.0.1:5123/other"),
            ("http://127.0.0.1/cb", "http://localhost/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:5/x/../cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb#x"),
            ("http://127.0.0.1/cb", "http://x@127.0.0.1:1/cb"),
            ("https://example.com/cb", "https://example.com/cb/"),
            ("https://example.com/cb", "https://example.com:444/cb"),
            ("https://example.com/cb", "https://EXAMPLE.com/cb"),
        ] {
            assert!(!matches(one, other, true), "{one} {other}");
        }
    }
}
