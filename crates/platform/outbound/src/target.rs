//! Where deliveries may go: one check for registration, test and every attempt.

use std::net::IpAddr;

use ipnet::IpNet;
use spotter_kernel::phrases;
use url::{Host, Url};

use crate::address;

/// Longest target URL, in characters.
pub const URL_MAX: usize = 2048;

/// Ends of names that only a local network knows.
const LOCAL_NAMES: &[&str] = &[
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "invalid",
    "test",
    "onion",
];

phrases! {
    /// Why a target is refused.
    pub enum TargetError {
        NotAUrl "must be a URL" "moet een webadres zijn" "muss eine Web-Adresse sein"
        TooLong { max: usize }
            "must be at most {max} characters"
            "mag hoogstens {max} tekens hebben"
            "darf höchstens {max} Zeichen haben"
        NotHttps "must be an https URL" "moet een https-adres zijn" "muss eine https-Adresse sein"
        UserInfo
            "must not carry a user name or password"
            "mag geen gebruikersnaam of wachtwoord bevatten"
            "darf keinen Benutzernamen und kein Passwort enthalten"
        Fragment "must not carry a fragment" "mag geen # bevatten" "darf kein # enthalten"
        NoPort
            "must not have the port 0"
            "mag poort 0 niet gebruiken"
            "darf nicht Port 0 nutzen"
        LocalName
            "must not be a local name"
            "mag geen lokale naam zijn"
            "darf kein lokaler Name sein"
        ClosedAddress { kind: &'static str }
            "must be at a public address, not {kind}"
            "moet een openbaar adres zijn, niet {kind}"
            "muss eine öffentliche Adresse sein, nicht {kind}"
        NoAddress "must have an address" "moet een adres hebben" "muss eine Adresse haben"
    }
}

/// A target with a valid URL. The addresses of its name are checked with [`vet`] at each resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(Url);

impl Target {
    /// Reads and checks a URL. `private_networks` are those that the operator opens; where there
    /// is one, local names are let through to the check of their addresses.
    pub fn parse(text: &str, private_networks: &[IpNet]) -> Result<Self, TargetError> {
        if text.chars().count() > URL_MAX {
            return Err(TargetError::TooLong { max: URL_MAX });
        }
        // The URL standard skips these silently.
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) || text.contains('\\') {
            return Err(TargetError::NotAUrl);
        }
        let rest = text.split_once(':').map(|(_, rest)| rest).unwrap_or_default();
        // Nor does it mind how many slashes there are.
        if !rest.starts_with("//") || rest.starts_with("///") {
            return Err(TargetError::NotAUrl);
        }
        let url = Url::parse(text).map_err(|_| TargetError::NotAUrl)?;
        if url.scheme() != "https" {
            return Err(TargetError::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() || has_user_info(text) {
            return Err(TargetError::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(TargetError::Fragment);
        }
        if url.port() == Some(0) {
            return Err(TargetError::NoPort);
        }
        match url.host().ok_or(TargetError::NotAUrl)? {
            Host::Ipv4(v4) => vet(&[v4.into()], private_networks)?,
            Host::Ipv6(v6) => vet(&[v6.into()], private_networks)?,
            Host::Domain(name) if !is_name(name) => return Err(TargetError::NotAUrl),
            Host::Domain(name) if private_networks.is_empty() && is_local(name) => {
                return Err(TargetError::LocalName);
            }
            Host::Domain(_) => {}
        }
        Ok(Self(url))
    }

    /// The URL as it is sent to.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

/// Whether the text has an `@` before its path, even with nothing in front of it.
fn has_user_info(text: &str) -> bool {
    let after = text.split_once("//").map_or(text, |(_, after)| after);
    after.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

/// Whether a name has the shape of one (RFC 1035, section 2.3.4).
fn is_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.len() <= 253 && name.split('.').all(|label| (1..=63).contains(&label.len()))
}

fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends = |end: &&str| name == **end || name.ends_with(&format!(".{end}"));
    !name.contains('.') || LOCAL_NAMES.iter().any(ends)
}

/// Checks the addresses of a target's name: one that is not public refuses all.
pub fn vet(addresses: &[IpAddr], private_networks: &[IpNet]) -> Result<(), TargetError> {
    if addresses.is_empty() {
        return Err(TargetError::NoAddress);
    }
    let bad = addresses.iter().find(|address| !address::allowed(**address, private_networks));
    match bad {
        None => Ok(()),
        Some(bad) => {
            let kind = address::closed(*bad).unwrap_or("closed");
            Err(TargetError::ClosedAddress { kind })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spellings of hosts, one a line: the verdict, then the host.
    const HOSTS: &str = include_str!("../tests/hosts.txt");

    #[test]
    fn every_host_is_judged_as_listed() {
        let mut judged = 0;
        for line in HOSTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (verdict, host) = line.split_once(' ').unwrap();
            let parsed = Target::parse(&format!("https://{host}/hook"), &[]);
            let output = match parsed {
                Ok(_) => "public",
                Err(TargetError::LocalName) => "local",
                Err(TargetError::ClosedAddress { .. }) => "closed",
                Err(TargetError::NotAUrl) => "malformed",
                Err(TargetError::UserInfo) => "userinfo",
                Err(other) => panic!("{host}: {other:?}"),
            };
            assert_eq!(output, verdict, "{host}");
            judged += 1;
        }
        assert!(judged >= 200, "{judged}");
    }

    #[test]
    fn only_plain_https_urls_are_targets() {
        let refused = |text: &str| Target::parse(text, &[]).unwrap_err();
        assert_eq!(refused("http://example.com/"), TargetError::NotHttps);
        assert_eq!(refused("ftp://example.com/"), TargetError::NotHttps);
        assert_eq!(refused("example.com/hook"), TargetError::NotAUrl);
        assert_eq!(refused(""), TargetError::NotAUrl);
        assert_eq!(refused("https://"), TargetError::NotAUrl);
        assert_eq!(refused("https://exam\nple.com/"), TargetError::NotAUrl);
        assert_eq!(refused(" https://example.com/"), TargetError::NotAUrl);
        assert_eq!(refused("https:\\\\example.com\\"), TargetError::NotAUrl);
        assert_eq!(refused("https://u@example.com/"), TargetError::UserInfo);
        assert_eq!(refused("https://u:p@example.com/"), TargetError::UserInfo);
        assert_eq!(refused("https://@example.com/"), TargetError::UserInfo);
        assert_eq!(refused("https://example.com/#x"), TargetError::Fragment);
        assert_eq!(
            refused(&format!("https://example.com/{}", "x".repeat(2048))),
            TargetError::TooLong { max: URL_MAX }
        );
        assert!(Target::parse("https://example.com:8443/a?b=c@d", &[]).is_ok());
    }

    #[test]
    fn one_bad_address_refuses_all() {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let (good, bad) = (address("1.1.1.1"), address("10.0.0.1"));
        assert_eq!(vet(&[good, bad], &[]), Err(TargetError::ClosedAddress { kind: "private" }));
        assert_eq!(vet(&[], &[]), Err(TargetError::NoAddress));
        assert_eq!(vet(&[good], &[]), Ok(()));
        let net: IpNet = "10.0.0.0/8".parse().unwrap();
        assert_eq!(vet(&[good, bad], &[net]), Ok(()));
        assert!(Target::parse("https://10.1.2.3/", &[net]).is_ok());
        assert!(Target::parse("https://localhost/", &[net]).is_ok());
        assert!(Target::parse("https://127.0.0.1/", &[net]).is_err());
    }
}
