//! Addresses that documents link to. They are never fetched: a reader's browser opens them.

use std::borrow::Cow;

use crate::rules::DocumentRule;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use spotter_kernel::{
    Key, Result,
    problem::{INVALID, refuse},
};
use url::{Host, Url};

/// Most characters of an address.
const URL_MAX: usize = 2_048;

/// An https address without a user or a password in it, at most 2048 characters long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link(String);

impl From<Link> for String {
    fn from(link: Link) -> Self {
        link.0
    }
}

/// Whether something is such an address, to a name or a number that people can open.
fn is_link(text: &str) -> bool {
    // The URL standard removes these silently, and ignores slashes.
    let plain = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
    let Some(rest) = text.strip_prefix("https://").filter(|_| plain) else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || authority.contains('@') || text.chars().count() > URL_MAX {
        return false;
    }
    let Ok(url) = Url::parse(text) else { return false };
    match url.host() {
        Some(Host::Domain(name)) => !name.is_empty() && url.port() != Some(0),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => url.port() != Some(0),
        None => false,
    }
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let wrong = || refuse::<D::Error>(Key::DocumentUrlInvalid, DocumentRule::NotDocumentUrl);
        let text = String::deserialize(d).map_err(|_| wrong())?;
        if is_link(&text) { Ok(Self(text)) } else { Err(wrong()) }
    }
}

impl JsonSchema for Link {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Link".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({"type": "string", "maxLength": URL_MAX,
            "pattern": "^https://[^\\s\\\\/?#@]+([/?#][^\\s\\\\]*)?$",
            "examples": ["https://files.example.com/contract.pdf"]});
        schema.insert(INVALID.into(), Key::DocumentUrlInvalid.wire().into());
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_https_addresses_are_links() {
        for good in [
            "https://example.com",
            "https://example.com/a%20b?c=d#e",
            "https://bücher.example/ü",
            "https://example.com:8443/@me",
            "https://192.0.2.1/x",
            "https://[2001:db8::1]/x",
        ] {
            assert!(is_link(good), "{good}");
        }
        let long = format!("https://example.com/{}", "x".repeat(URL_MAX));
        for bad in [
            "",
            "example.com",
            "http://example.com",
            "HTTPS//example.com",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://",
            "https:///example.com",
            "https:example.com",
            "https://user@example.com/",
            "https://u:p@example.com/",
            "https://@example.com/",
            "https://exa mple.com/",
            "https://example.com/\n",
            "https:\\\\example.com",
            "https://example.com:0/",
            "https://example.com:99999/",
            &long,
        ] {
            assert!(!is_link(bad), "{bad}");
        }
    }
}
