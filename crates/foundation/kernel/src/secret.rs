//! Credentials: how they look, and the tenant that each one carries.
//!
//! `<prefix><company id><43 characters of base64url, or 64 hexadecimal digits>`: the company's id inside the credential
//! tells which tenant (and, on a sharded store, which shard) to ask, and 256 random bits make it
//! a secret. Only digests of credentials are stored. Those of a test environment have `test_` after their prefix.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Entropy, Id, id::CompanyId};

/// Whether what happens is real, or happens in a company's test environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum EnvironmentMode {
    /// For real.
    #[default]
    Live,
    /// To try things out.
    Test,
}

impl EnvironmentMode {
    /// What ids and credentials of this mode have after their prefix.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Live => "",
            Self::Test => "test_",
        }
    }

    /// Takes the mark off a text that follows a prefix. A company's id has no `t`, so that none is taken for a mark.
    pub fn of_marked(text: &str) -> (Self, &str) {
        match text.strip_prefix(Self::Test.mark()) {
            Some(rest) => (Self::Test, rest),
            None => (Self::Live, text),
        }
    }
}

/// The company of the first id or credential of a test environment in a text: an address, a header, a form.
pub fn test_company(text: &str) -> Option<CompanyId> {
    text.match_indices("_test_").find_map(|(at, mark)| {
        let prefix = text.get(..at)?.rsplit(|c: char| !c.is_ascii_lowercase()).next()?;
        let company = text.get(at + mark.len()..)?.get(..24)?;
        let known = (3..=4).contains(&prefix.len()) && prefix.starts_with("fs");
        known.then(|| Id::parse(company).map(CompanyId)).flatten()
    })
}

/// The kinds of credentials, each with its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// Secret of an API client.
    ApiClientSecret,
    /// Access token of the Public API.
    ApiAccessToken,
    /// Access token of the application API.
    AppAccessToken,
    /// Refresh token of the application API.
    AppRefreshToken,
    /// What the cookie of a browser holds that is signed in to the pages.
    BrowserSession,
    /// Invitation of a coach or a client.
    Invitation,
    /// What sets a new password.
    PasswordReset,
    /// What confirms an address to sign in with.
    AddressConfirmation,
    /// The address of a calendar feed.
    CalendarFeed,
    /// The address of a page where something is paid.
    PayPage,
    /// The address of a page where a card or an account is left.
    SetupPage,
    /// Static key of the MCP server, all of it hexadecimal.
    McpKey,
    /// Access token of the MCP server.
    McpAccessToken,
    /// Refresh token of the MCP server.
    McpRefreshToken,
    /// Authorization code of the MCP server.
    McpCode,
    /// Key of an access device.
    DeviceKey,
}

impl CredentialKind {
    /// What every credential of this kind starts with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::ApiClientSecret => "fsps_",
            Self::ApiAccessToken => "fspt_",
            Self::AppAccessToken => "fsat_",
            Self::AppRefreshToken => "fsar_",
            Self::BrowserSession => "fsbs_",
            Self::Invitation => "fsiv_",
            Self::PasswordReset => "fspr_",
            Self::AddressConfirmation => "fsac_",
            Self::CalendarFeed => "fscf_",
            Self::PayPage => "fspp_",
            Self::SetupPage => "fspm_",
            Self::McpKey => "fsc_",
            Self::McpAccessToken => "fsct_",
            Self::McpRefreshToken => "fscr_",
            Self::McpCode => "fscc_",
            Self::DeviceKey => "fsdk_",
        }
    }

    /// How the random bits are written.
    fn random(self, entropy: &dyn Entropy) -> String {
        match self {
            Self::McpKey => random_hex(entropy),
            _ => random_text(entropy),
        }
    }

    /// Whether a text can be random bits as they are written.
    fn is_random(self, text: &str) -> bool {
        match self {
            Self::McpKey => text.len() == 64 && text.bytes().all(|c| c.is_ascii_hexdigit()),
            _ => {
                let digit = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
                text.len() == 43 && text.bytes().all(digit)
            }
        }
    }
}

/// The prefix of an API client's id on the wire.
pub const API_CLIENT_ID_PREFIX: &str = "fspc_";

/// A credential in the clear, on its way to the one who is shown it, or just presented.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// What it is good for.
    pub kind: CredentialKind,
    /// The tenant it belongs to.
    pub company: CompanyId,
    text: String,
}

impl Credential {
    /// Makes a new one of 256 random bits.
    pub fn generate(
        kind: CredentialKind,
        mode: EnvironmentMode,
        company: CompanyId,
        entropy: &dyn Entropy,
    ) -> Self {
        let (prefix, mark, random) = (kind.prefix(), mode.mark(), kind.random(entropy));
        Self { kind, company, text: format!("{prefix}{mark}{company}{random}") }
    }

    /// Takes apart a presented one; `None` where its form alone shows that it is none.
    pub fn parse(kind: CredentialKind, text: &str) -> Option<Self> {
        let (_, rest) = EnvironmentMode::of_marked(text.strip_prefix(kind.prefix())?);
        let company = CompanyId(Id::parse(rest.get(..24)?)?);
        let well_formed = kind.is_random(rest.get(24..)?);
        well_formed.then(|| Self { kind, company, text: text.to_owned() })
    }

    /// The whole text, to be shown once.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({}…)", self.text.get(..5).unwrap_or_default())
    }
}

/// 256 random bits as 43 characters of base64url.
pub fn random_text(entropy: &dyn Entropy) -> String {
    let mut random = [0; 32];
    entropy.fill(&mut random);
    base64url(&random)
}

/// 256 random bits as 64 hexadecimal digits.
fn random_hex(entropy: &dyn Entropy) -> String {
    let mut random = [0; 32];
    entropy.fill(&mut random);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Base64url without padding (RFC 4648, section 5).
pub fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            let index = (word >> (18 - 6 * digit)) & 63;
            out.push(char::from(DIGITS[index as usize]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    struct FixedEntropy;
    impl Entropy for FixedEntropy {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(0x99);
        }
    }

    #[test]
    fn a_credential_carries_its_company() {
        let company = CompanyId(Id::new(Timestamp::from_millis(7), [1; 6]));
        let generate = |kind, mode| Credential::generate(kind, mode, company, &FixedEntropy);
        let made = generate(CredentialKind::ApiAccessToken, EnvironmentMode::Live);
        let read = Credential::parse(CredentialKind::ApiAccessToken, made.expose()).unwrap();
        assert_eq!((read.company, read.expose()), (company, made.expose()));
        assert!(Credential::parse(CredentialKind::ApiClientSecret, made.expose()).is_none());
        assert!(Credential::parse(CredentialKind::ApiAccessToken, "fspt_é").is_none());
        let key = generate(CredentialKind::McpKey, EnvironmentMode::Live);
        let hex = key.expose().strip_prefix("fsc_").unwrap();
        assert!(hex.len() == 88 && hex.bytes().all(|c| c.is_ascii_hexdigit()));
        assert_eq!(Credential::parse(CredentialKind::McpKey, key.expose()), Some(key));
        assert!(!format!("{made:?}").contains("mZmZ"));
    }

    #[test]
    fn a_test_credential_shows_that_it_is_one() {
        let company = CompanyId(Id::new(Timestamp::from_millis(7), [1; 6]));
        let kind = CredentialKind::ApiAccessToken;
        let made = Credential::generate(kind, EnvironmentMode::Test, company, &FixedEntropy);
        assert!(made.expose().starts_with("fspt_test_"));
        assert_eq!(Credential::parse(kind, made.expose()).map(|own| own.company), Some(company));
        let sent = format!("/pay/{}?a=b", made.expose());
        assert_eq!(test_company(&sent), Some(company));
        assert_eq!(test_company(&format!("client_id=fspc_test_{company}")), Some(company));
        let live = Credential::generate(kind, EnvironmentMode::Live, company, &FixedEntropy);
        for other in [live.expose(), "fspt_test_", "x_test_é", &format!("ab_test_{company}")] {
            assert_eq!(test_company(other), None, "{other}");
        }
    }
}
