//! Where a browser may be sent back to.

use url::{Host, Url};

/// Longest address, in bytes.
const LENGTH_MAX: usize = 2_000;

/// Whether an address may be registered: https, http to the machine that the browser is on, or a
/// scheme of an app's own (RFC 8252); never with a fragment or credentials.
pub(crate) fn may_be_registered(uri: &str) -> bool {
    let Ok(url) = Url::parse(uri) else { return false };
    let plain = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    let kind = match url.scheme() {
        "https" => url.host().is_some(),
        "http" => is_loopback(&url),
        "javascript" | "data" | "vbscript" | "file" | "blob" | "about" | "ftp" | "ws" | "wss" => {
            false
        }
        _ => true,
    };
    // The parser drops what it should not have been given, such as line breaks.
    let clean = uri.bytes().all(|c| c.is_ascii_graphic());
    plain && kind && clean && uri.len() <= LENGTH_MAX
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
/// that the browser is on (RFC 8252, section 7.3).
pub(crate) fn matches(registered: &str, presented: &str) -> bool {
    if registered == presented {
        return true;
    }
    let without_port = |uri: &str| {
        let mut url =
            Url::parse(uri).ok().filter(|url| url.scheme() == "http" && is_loopback(url))?;
        url.set_port(None).ok()?;
        may_be_registered(uri).then_some(url)
    };
    without_port(registered).is_some_and(|own| Some(own) == without_port(presented))
}

/// Where a browser is told that a form may lead (CSP's form-action): an origin, or a scheme.
pub(crate) fn form_target(uri: &str) -> String {
    match Url::parse(uri) {
        Ok(url) if matches!(url.scheme(), "https" | "http") => url.origin().ascii_serialization(),
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => String::new(),
    }
}

/// What a person is told of where the browser will be sent.
pub(crate) fn shown(uri: &str) -> String {
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
        ] {
            assert!(!may_be_registered(bad), "{bad}");
        }
    }

    #[test]
    fn addresses_match_to_the_letter_but_for_a_loopback_port() {
        assert!(matches("http://127.0.0.1/cb", "http://127.0.0.1:5123/cb"));
        assert!(matches("http://localhost:1/cb", "http://localhost:2/cb"));
        for (one, other) in [
            ("http://127.0.0.1/cb", "http://127.0.0.1:5123/other"),
            ("http://127.0.0.1/cb", "http://localhost/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb#x"),
            ("http://127.0.0.1/cb", "http://x@127.0.0.1:1/cb"),
            ("https://example.com/cb", "https://example.com/cb/"),
            ("https://example.com/cb", "https://example.com:444/cb"),
            ("https://example.com/cb", "https://EXAMPLE.com/cb"),
        ] {
            assert!(!matches(one, other), "{one} {other}");
        }
    }
}
