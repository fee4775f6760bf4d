//! What an operator can set: one table, read from flags, SPOTTER_* variables and a TOML file, in
//! that order of precedence.

mod database;
mod raw;
mod table;

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
};

use spotter_files::FileStore;
use spotter_outbound::smtp::Post;
use spotter_store::Config;

use self::raw::RawSettings;
pub use self::table::{Setting, TABLE};
use crate::{log, system, traces::TraceSettings};

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// By whether a terminal looks on.
    Auto,
    /// For people.
    Text,
    /// For machines.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("must be auto, text or json".into()),
        }
    }
}

/// The settings, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Folder of the database file, the key and the lock.
    pub data: PathBuf,
    /// Address to serve on.
    pub listen: SocketAddr,
    /// The address of the MCP server, where it has one of its own.
    pub mcp_listen: Option<SocketAddr>,
    /// Networks that are not public and that assistants' documents are fetched from all the same.
    pub mcp_private_networks: Vec<ipnet::IpNet>,
    /// How the database is opened.
    pub database: Config,
    /// Each setting with its value and source, for the operator; secrets are masked.
    pub in_force: Vec<(String, String, String)>,
    /// The installation's key, where it is given.
    pub secret_key: Option<[u8; 32]>,
    /// The address that others reach this service at.
    pub base_url: Option<String>,
    /// The address that assistants reach the MCP server at.
    pub mcp_url: Option<String>,
    /// How long an exchanged refresh token is answered with the same pair.
    pub mcp_refresh_grace_seconds: i64,
    /// Whether redirect addresses may have any port of the own machine.
    pub mcp_any_loopback_port: bool,
    /// Settings of HTTP.
    pub http: spotter_http::HttpSettings,
    /// Settings of webhooks.
    pub webhooks: spotter_webhooks::WebhookSettings,
    /// Retention of access logs, in days.
    pub access_log_days: i64,
    /// The store of uploaded files.
    pub files: FileStore,
    /// Where sets of backups are kept.
    pub backups: Option<FileStore>,
    /// Number of sets of backups that are kept.
    pub backup_keep: usize,
    /// The mail server; `None` where no mail is sent.
    pub mail: Option<Post>,
    /// Certificate chain and private key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Log filter.
    pub log: String,
    /// How log lines are written.
    pub log_format: LogFormat,
    /// Where traces are sent; `None` where nothing is traced.
    pub traces: Option<TraceSettings>,
    /// Connections of callers that may be open at once.
    pub connections_max: u64,
    /// Stripe's address.
    pub stripe_url: String,
    /// How long a stop waits.
    pub shutdown_seconds: u64,
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

impl Settings {
    /// Reads the settings: `flag` and `variable` answer for a name, `file` is the TOML file's
    /// path. Every mistake is named, not only the first.
    pub fn read(
        flag: impl Fn(&str) -> Option<String>,
        variable: impl Fn(&str) -> Option<String>,
        file: Option<&Path>,
    ) -> Result<Self, Vec<String>> {
        let (in_file, wrong) = file.map(read_file).unwrap_or_default();
        let mut values = BTreeMap::new();
        for Setting { name, default, .. } in TABLE {
            let variable_name = format!("SPOTTER_{}", name.to_uppercase());
            let sourced = flag(name)
                .map(|value| (value, format!("the flag --{}", name.replace('_', "-"))))
                .or_else(|| variable(&variable_name).map(|value| (value, variable_name.clone())))
                .or_else(|| in_file.get(*name).map(|value| (value.clone(), "the file".to_owned())))
                .unwrap_or_else(|| ((*default).to_owned(), "the default".to_owned()));
            values.insert(*name, sourced);
        }
        Self::check(RawSettings { values, wrong })
    }

    fn check(mut submitted: RawSettings) -> Result<Self, Vec<String>> {
        let data = PathBuf::from(submitted.text("data"));
        let database = database::read(&mut submitted, &data);
        let secret_key = submitted.optional("secret_key").and_then(|text| {
            let key = system::parse_key(&text);
            if key.is_none() {
                submitted.complain("secret_key", "must be 64 hexadecimal digits");
            }
            key
        });
        let tls = match (submitted.optional("tls_certificate"), submitted.optional("tls_key")) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            (Some(_), None) => {
                submitted.complain("tls_key", "must be given with tls_certificate");
                None
            }
            (None, Some(_)) => {
                submitted.complain("tls_certificate", "must be given with tls_key");
                None
            }
        };
        for file in tls
            .iter()
            .flat_map(|(certificate, key)| [("tls_certificate", certificate), ("tls_key", key)])
        {
            let path: &PathBuf = file.1;
            if !path.is_file() {
                submitted.complain(file.0, "must be a file that exists");
            }
        }
        let files = match submitted.optional("files") {
            None => FileStore::Folder(data.join("files")),
            Some(text) => FileStore::parse(&text).unwrap_or_else(|| {
                submitted.complain("files", "must be a folder or s3://bucket/prefix");
                FileStore::Folder(data.join("files"))
            }),
        };
        let backups = submitted.optional("backups").and_then(|text| {
            let place = FileStore::parse(&text);
            if place.is_none() {
                submitted.complain("backups", "must be a folder or s3://bucket/prefix");
            }
            place
        });
        if backups.as_ref().is_some_and(|place| place.overlaps(&files)) {
            submitted
                .complain("backups", "must be apart from files: neither may be within the other");
        }
        let base_url =
            submitted.optional("base_url").map(|url| url.trim_end_matches('/').to_owned());
        let mcp_url = submitted.optional("mcp_url").map(|url| url.trim_end_matches('/').to_owned());
        let bare = |url: &str| url.split_once("://").is_some_and(|(_, host)| !host.contains('/'));
        if mcp_url.as_ref().is_some_and(|url| !url.starts_with("http") || !bare(url)) {
            submitted.complain("mcp_url", "must be https:// or http:// and a host, without a path");
        }
        if base_url.as_ref().is_some_and(|url| !url.starts_with("http")) {
            submitted.complain("base_url", "must begin with https:// or http://");
        }
        let ports = submitted.text("mcp_loopback_ports").to_owned();
        if !matches!(ports.as_str(), "exact" | "any") {
            submitted.complain("mcp_loopback_ports", "must be exact or any");
        }
        let stripe_url = submitted.text("stripe_url").to_owned();
        if !["https://", "http://"].iter().any(|scheme| stripe_url.starts_with(scheme)) {
            submitted.complain("stripe_url", "must begin with https:// or http://");
        }
        let mcp_listen = submitted.optional("mcp_listen").map(|_| {
            submitted.parse(
                "mcp_listen",
                "must be an address and a port such as 127.0.0.1:8081",
                SocketAddr::from(([127, 0, 0, 1], 8081)),
            )
        });
        if mcp_listen.is_some() && base_url.is_some() && mcp_url.is_none() {
            submitted.complain("mcp_url", "must be given with mcp_listen and base_url");
        }
        let percent = submitted.number("trace_percent", 1, 100) as u32;
        let traces = submitted.optional("otlp_url").map(|url| TraceSettings { url, percent });
        if traces.as_ref().is_some_and(|own| !own.url.starts_with("http")) {
            submitted.complain("otlp_url", "must begin with https:// or http://");
        }
        let mail = submitted.post(base_url.is_some());
        let settings = Self {
            mail,
            stripe_url,
            mcp_refresh_grace_seconds: submitted.number("mcp_refresh_grace_seconds", 0, 300) as i64,
            mcp_any_loopback_port: ports == "any",
            listen: submitted.parse(
                "listen",
                "must be an address and a port such as 127.0.0.1:8080",
                SocketAddr::from(([127, 0, 0, 1], 8080)),
            ),
            mcp_listen,
            mcp_private_networks: submitted.networks("mcp_private_networks"),
            database,
            in_force: submitted.in_force(),
            secret_key,
            base_url,
            mcp_url,
            http: spotter_http::HttpSettings {
                rate_limit: submitted.number("rate_limit", 1, 1_000_000_000) as u32,
                sign_up_rate_limit: submitted.number("sign_up_rate_limit", 1, 1_000_000_000) as u32,
                visitor_rate_limit: submitted.number("visitor_rate_limit", 1, 1_000_000_000) as u32,
                anonymous_rate_limit: submitted.number("anonymous_rate_limit", 1, 1_000_000_000)
                    as u32,
                trusted_proxies: submitted.networks("trusted_proxies"),
                metrics_networks: submitted.networks("metrics_networks"),
                cors_origins: list(submitted.text("cors_origins")).map(str::to_owned).collect(),
                upload_max: submitted.number("upload_max_mb", 1, 10_240) << 20,
                live_max: submitted.number("live_max", 1, 1_000_000) as u32,
            },
            webhooks: spotter_webhooks::WebhookSettings {
                private_networks: submitted.networks("webhook_private_networks"),
                certificate_authority: submitted.certificates("webhook_certificate_authority"),
                concurrency: submitted.number("webhook_concurrency", 8, 4_096) as u32,
                retention_days: submitted.number("webhook_retention_days", 1, 3_650) as i64,
            },
            access_log_days: submitted.number("access_log_days", 1, 3_650) as i64,
            files,
            backups,
            backup_keep: submitted.number("backup_keep", 1, 10_000) as usize,
            tls,
            log: submitted.text("log").to_owned(),
            log_format: submitted.parse(
                "log_format",
                "must be auto, text or json",
                LogFormat::Auto,
            ),
            traces,
            connections_max: submitted.number("connections_max", 16, 1_000_000),
            shutdown_seconds: submitted.number("shutdown_seconds", 0, 3_600),
            data,
        };
        if !log::is_filter(&settings.log) {
            let rule = "must be off, error, warn, info, debug or trace, or such levels of parts: info,spotter_store=debug";
            submitted.complain("log", rule);
        }
        if submitted.wrong.is_empty() { Ok(settings) } else { Err(submitted.wrong) }
    }

    /// The installation's key, from the setting or from its file, and whether it was made now.
    pub fn key(&self) -> Result<([u8; 32], bool), String> {
        match self.secret_key {
            Some(key) => Ok((key, false)),
            None => system::key_in(&self.key_file()),
        }
    }

    /// The installation's key, where there is one.
    pub fn key_at_hand(&self) -> Result<Option<[u8; 32]>, String> {
        let there = self.secret_key.is_some() || self.key_file().exists();
        there.then(|| self.key().map(|(key, _)| key)).transpose()
    }

    /// The file of the key where it is not a setting.
    pub fn key_file(&self) -> PathBuf {
        self.data.join("secret.key")
    }

    /// The address that assistants reach the MCP server at: an origin, without a path.
    pub fn mcp_address(&self) -> String {
        self.mcp_url.clone().unwrap_or_else(|| {
            let address = match self.mcp_listen {
                Some(own) => self.here(own),
                None => self.address(),
            };
            let host = address.find("://").map_or(0, |at| at + 3);
            let end = address[host..].find('/').map_or(address.len(), |at| host + at);
            address[..end].to_owned()
        })
    }

    /// The address that others reach this service at.
    pub fn address(&self) -> String {
        self.base_url.clone().unwrap_or_else(|| self.here(self.listen))
    }

    /// The address that this machine reaches the service at.
    pub fn local_address(&self) -> String {
        let mut address = self.listen;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        self.here(address)
    }

    fn here(&self, address: SocketAddr) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{address}")
    }
}

/// The settings of a file, and what is wrong with them.
fn read_file(path: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let failed = |what: String| (BTreeMap::new(), vec![format!("{}: {what}", path.display())]);
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return failed(error.to_string()),
    };
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        // The line itself may hold a password.
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            return failed(format!("line {}: {}", before.split('\n').count(), error.message()));
        }
    };
    let mut values = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, value) in table {
        if !TABLE.iter().any(|setting| setting.name == name) {
            let hint = nearest(&name).map(|near| format!("; is {near} meant?")).unwrap_or_default();
            wrong.push(format!("{}: {name} is no setting{hint}", path.display()));
            continue;
        }
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Array(items) if items.iter().all(toml::Value::is_str) => {
                items.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(",")
            }
            _ => {
                let rule = "must be a text, a number or a list of texts";
                wrong.push(format!("{}: {name} {rule}", path.display()));
                continue;
            }
        };
        values.insert(name, text);
    }
    (values, wrong)
}

/// The setting with the most similar name, if any is similar.
fn nearest(name: &str) -> Option<&'static str> {
    let likeness = |setting: &Setting| strsim::jaro_winkler(setting.name, name);
    let best = TABLE.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.8).then_some(best.name)
}

/// Warnings about the environment: variables that begin like settings but are none. Those that Kubernetes creates for
/// a service of this name are ignored.
pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let odd = |name: &String| {
        let own = name.strip_prefix("SPOTTER_").map(str::to_lowercase)?;
        let known = own == "config" || TABLE.iter().any(|setting| setting.name == own);
        let foreign = ["service_host", "service_port", "port", "test_"];
        if known || foreign.iter().any(|start| own.starts_with(start)) {
            return None;
        }
        let hint = nearest(&own)
            .map(|near| format!("; is SPOTTER_{} meant?", near.to_uppercase()))
            .unwrap_or_default();
        Some(format!("{name} is no setting{hint}"))
    };
    let mut found: Vec<String> = names.filter_map(|name| odd(&name)).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use spotter_store::DatabaseLocation;

    use super::*;

    fn read(flags: &[(&str, &str)], variables: &[(&str, &str)]) -> Result<Settings, Vec<String>> {
        let find = |all: &[(&str, &str)], name: &str| {
            all.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        Settings::read(|name| find(flags, name), |name| find(variables, name), None)
    }

    #[test]
    fn flags_win_over_variables_and_variables_over_defaults() {
        let settings = read(
            &[("listen", "0.0.0.0:1")],
            &[("SPOTTER_LISTEN", "0.0.0.0:2"), ("SPOTTER_RATE_LIMIT", "7")],
        );
        let settings = settings.unwrap();
        assert_eq!(settings.listen.port(), 1);
        assert_eq!(settings.http.rate_limit, 7);
        assert_eq!(settings.database.location, DatabaseLocation::File("data/spotter.db".into()));
    }

    #[test]
    fn backups_are_apart_from_files() {
        for (backups, files, fine) in [
            ("b", "f", true),
            ("data/backups", "data/files", true),
            ("x/files", "x/files", false),
            ("x/files/b", "x/files", false),
            ("x", "x/files", false),
            ("s3://bucket/b", "x", true),
            ("s3://bucket/b", "s3://bucket/f", true),
            ("s3://bucket/b", "s3://other/b", true),
            ("s3://bucket/b", "s3://bucket", false),
            ("s3://bucket/files", "s3://bucket/files2", true),
        ] {
            let read = read(&[("backups", backups), ("files", files)], &[]);
            assert_eq!(read.is_ok(), fine, "{backups} {files}");
        }
    }

    #[test]
    fn unknown_variables_are_reported_with_a_suggestion() {
        let names = ["SPOTTER_LISTNE", "SPOTTER_LISTEN", "SPOTTER_CONFIG", "SPOTTER_XYZ", "HOME"];
        let names = names.into_iter().chain(["SPOTTER_PORT_80_TCP", "SPOTTER_SERVICE_HOST"]);
        assert_eq!(
            unknown_variables(names.map(str::to_owned)),
            ["SPOTTER_LISTNE is no setting; is SPOTTER_LISTEN meant?", "SPOTTER_XYZ is no setting"]
        );
    }

    #[test]
    fn an_unknown_key_of_the_file_hides_no_other_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.toml");
        std::fs::write(&file, "listne = \"x\"\nrate_limit = 0\n").unwrap();
        let wrong = Settings::read(|_| None, |_| None, Some(&file)).unwrap_err().join("\n");
        assert!(wrong.contains("listne is no setting; is listen meant?"), "{wrong}");
        assert!(wrong.contains("rate_limit must be"), "{wrong}");
    }

    #[test]
    fn every_mistake_is_named_with_its_source_and_no_secret_is_shown() {
        let wrong = read(
            &[("listen", "nowhere"), ("secret_key", "hunter2")],
            &[("SPOTTER_TRUSTED_PROXIES", "x"), ("SPOTTER_TLS_KEY", "k.pem")],
        );
        let wrong = wrong.unwrap_err().join("\n");
        for part in
            ["the flag --listen", "secret_key", "SPOTTER_TRUSTED_PROXIES", "tls_certificate"]
        {
            assert!(wrong.contains(part), "{part} is not in:\n{wrong}");
        }
        assert!(!wrong.contains("hunter2"));
        let addresses = [
            ("database_url", "postgrs://u:hunter2@host/x"),
            ("otlp_url", "ftp://u:hunter2@host"),
            ("backups", "s3://u:hunter2@bucket"),
        ];
        let wrong = read(&addresses, &[]).unwrap_err().join("\n");
        assert!(wrong.contains("otlp_url") && !wrong.contains("hunter2"), "{wrong}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "log = \"info\"\nsecret_key = hunter2\n").unwrap();
        let wrong = Settings::read(|_| None, |_| None, Some(file.path())).unwrap_err().join("\n");
        assert!(wrong.contains("line 2") && !wrong.contains("hunter2"), "{wrong}");
    }
}
