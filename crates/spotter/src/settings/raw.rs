//! Settings as they were given, with their source, and their parsing.

use std::{collections::BTreeMap, str::FromStr, sync::Arc};

use ipnet::IpNet;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use spotter_outbound::smtp::{Post, Server, sender};

use super::list;

/// The source of each value.
pub(super) struct RawSettings {
    pub(super) values: BTreeMap<&'static str, (String, String)>,
    pub(super) wrong: Vec<String>,
}

impl RawSettings {
    pub(super) fn text(&self, name: &str) -> &str {
        self.values.get(name).map_or("", |(value, _)| value.as_str())
    }

    /// Each setting with its value and source. Secrets, and addresses that contain one, are masked.
    pub(super) fn in_force(&self) -> Vec<(String, String, String)> {
        let each = self.values.iter();
        each.map(|(name, (value, by))| ((*name).to_owned(), masked(name, value), by.clone()))
            .collect()
    }

    pub(super) fn optional(&self, name: &str) -> Option<String> {
        Some(self.text(name).to_owned()).filter(|text| !text.is_empty())
    }

    pub(super) fn parse<T: FromStr>(&mut self, name: &str, rule: &str, fallback: T) -> T {
        match self.text(name).parse() {
            Ok(value) => value,
            Err(_) => {
                self.complain(name, rule);
                fallback
            }
        }
    }

    pub(super) fn number(&mut self, name: &str, min: u64, max: u64) -> u64 {
        let rule = format!("must be a number from {min} to {max}");
        let value = self.parse(name, &rule, min);
        if !(min..=max).contains(&value) {
            self.complain(name, &rule);
        }
        value
    }

    pub(super) fn networks(&mut self, name: &str) -> Vec<IpNet> {
        let rule = "must be networks such as 10.0.0.0/8, comma-separated";
        let parsed: Result<Vec<IpNet>, _> = list(self.text(name)).map(str::parse).collect();
        parsed.unwrap_or_else(|_| {
            self.complain(name, rule);
            Vec::new()
        })
    }

    /// The certificates in a PEM file.
    pub(super) fn certificates(&mut self, name: &str) -> Vec<CertificateDer<'static>> {
        let Some(path) = self.optional(name) else { return Vec::new() };
        let read = CertificateDer::pem_file_iter(&path).and_then(Iterator::collect);
        let certificates: Vec<_> = read.unwrap_or_default();
        if certificates.is_empty() {
            self.complain(name, "must be a PEM file with a certificate");
        }
        certificates
    }

    /// The mail server, if mail is sent: links in mail lead to the base address.
    pub(super) fn post(&mut self, has_base: bool) -> Option<Post> {
        let (url, from) = (self.optional("smtp_url"), self.optional("mail_from"));
        let authorities = self.certificates("smtp_certificate_authority");
        let Some(url) = url else {
            if from.is_some() {
                self.complain("smtp_url", "must be given with mail_from");
            }
            return None;
        };
        if !has_base {
            self.complain("base_url", "must be given with smtp_url, for links in mail lead there");
        }
        let Some(from) = from.as_deref().and_then(sender) else {
            let rule =
                "must be an address such as Riverside <hello@riverside.example> beside smtp_url";
            self.complain("mail_from", rule);
            return None;
        };
        match Server::new(&url, from, &authorities) {
            Ok(server) => Some(Post::Server(Arc::new(server))),
            Err(rule) => {
                self.complain("smtp_url", rule);
                None
            }
        }
    }

    pub(super) fn complain(&mut self, name: &str, rule: &str) {
        let (value, source) = self.values.get(name).cloned().unwrap_or_default();
        self.wrong.push(format!("{name} {rule}; {source} says {:?}", masked(name, &value)));
    }
}

/// A value as it is shown: nothing of a secret, nor of an address that may contain one.
fn masked(name: &str, value: &str) -> String {
    let is_secret =
        matches!(name, "secret_key" | "smtp_url" | "database_url" | "database_read_url");
    match value {
        "" => String::new(),
        _ if is_secret || value.contains("://") && value.contains('@') => "…".to_owned(),
        _ => value.to_owned(),
    }
}
