//! The commands and their flags.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

use crate::settings::TABLE;

/// A command that reads the settings, and lists them where it is about them.
fn about_settings(command: Command) -> Command {
    settings_of(command, false)
}

/// A command that reads the settings; its help says where they are listed.
fn with_settings(command: Command) -> Command {
    let text = "Settings, such as --data and --database-url, are listed by: spotter serve --help";
    settings_of(command, true).after_help(text)
}

fn settings_of(command: Command, hidden: bool) -> Command {
    let file = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .hide(hidden)
        .help("TOML file of settings; also SPOTTER_CONFIG");
    let flags = TABLE.iter().map(|setting| {
        let help = match setting.default {
            "" => setting.help.to_owned(),
            default => format!("{} [default: {default}]", setting.help),
        };
        Arg::new(setting.name)
            .long(setting.name.replace('_', "-"))
            .value_name("VALUE")
            .help_heading("Settings")
            .hide(hidden)
            .help(help)
    });
    command.arg(file).args(flags)
}

/// A number with a default.
fn counted(name: &'static str, help: &'static str, default: &'static str) -> Arg {
    optional(name, help)
        .value_name("NUMBER")
        .value_parser(value_parser!(u64).range(0..=1_000_000))
        .default_value(default)
}

fn required_flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TEXT").required(true).help(help)
}

fn optional(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TEXT").help(help)
}

fn file_flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(clap::ArgAction::SetTrue).help(help)
}

pub(super) fn command() -> Command {
    let group = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true)
    };
    let company = group("company", "Companies of this installation").subcommand(with_settings(
        Command::new("create")
            .about("Create a company with its first admin, and print the invitation, which is not mailed, at base_url or at --listen as for serve")
            .arg(required_flag("name", "Name of the company"))
            .arg(required_flag("admin-email", "E-mail address of the first admin"))
            .arg(required_flag("admin-first-name", "First name of the admin"))
            .arg(required_flag("admin-last-name", "Last name of the admin"))
            .arg(optional("time-zone", "IANA time zone").default_value("Europe/Amsterdam"))
            .arg(optional("currency", "ISO 4217 code").default_value("EUR"))
            .arg(optional("language", "ISO 639-1 code").default_value("en")),
    ));
    let company_id = || Arg::new("company").required(true).help("The company's id");
    let company = company
        .subcommand(with_settings(
            Command::new("list")
                .about("List companies: id, when it was created, status, name")
                .arg(optional("search", "Part of the name").default_value(""))
                .arg(switch("json", "One JSON object a line, for scripts")),
        ))
        .subcommand(with_settings(
            Command::new("suspend")
                .about(
                    "Keep a company's people, integrations and devices out and let its timers rest; nothing is lost",
                )
                .arg(company_id()),
        ))
        .subcommand(with_settings(
            Command::new("resume").about("Let a suspended company in again").arg(company_id()),
        ))
        .subcommand(with_settings(
            Command::new("export")
                .about("Write a company's records, as a backup, and its files into a new folder")
                .arg(company_id())
                .arg(
                    Arg::new("folder")
                        .required(true)
                        .value_parser(value_parser!(PathBuf))
                        .help("Folder to write to; holds no spotter.db yet"),
                ),
        ))
        .subcommand(with_settings(
            Command::new("erase")
                .about("Delete all records and files of a suspended company, for good")
                .arg(company_id())
                .arg(required_flag("name", "The company's name, so that it is not another one"))
                .arg(switch("without-files", "Also where uploaded files are not in the file store")),
        ));
    let client_id = || Arg::new("client-id").required(true).help("The client id, fspc_…");
    let api_client = group("api-client", "API clients, the integrations of a company")
        .subcommand(with_settings(
            Command::new("create")
                .about("Create an API client and print its secret, once")
                .arg(required_flag("name", "Name of the client"))
                .arg(optional("company", "Id of the company, if there are several"))
                .arg(optional(
                    "scopes",
                    "Space-separated scopes, or `all` that the consents allow; those that read when absent",
                ))
                .arg(optional(
                    "coach",
                    "Id of the coach who gets new clients; the first admin when absent",
                ))
                .arg(switch("health-data", "Give the health-data consent"))
                .arg(switch("private-communication", "Give the private-communication consent")),
        ))
        .subcommand(with_settings(
            Command::new("rotate")
                .about("Rotate the secret of an API client; its tokens stop working at once")
                .arg(client_id()),
        ))
        .subcommand(with_settings(
            Command::new("revoke").about("Revoke an API client permanently").arg(client_id()),
        ));
    let account = group("account", "Accounts of coaches and clients").subcommand(with_settings(
        Command::new("reset-password")
            .about("Print a password reset link, for people without mail")
            .arg(required_flag("email", "The account's address"))
            .arg(switch("without-second-step", "Switch the account's second step off, too")),
    ));
    let file = |help: &'static str| {
        Arg::new("file").required(true).value_parser(value_parser!(PathBuf)).help(help)
    };
    Command::new("spotter")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The back office for fitness coaching businesses")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("demo")
                .about(
                    "Start a server with a demo company in an empty folder and print commands to paste",
                )
                .arg(optional("data", "Folder of the demo").default_value("spotter-demo"))
                .arg(optional("listen", "Address to serve on; 127.0.0.1:8080 when absent"))
                .arg(optional("database-url", "PostgreSQL URL; without one, SQLite in the folder"))
                .arg(
                    optional("clients", "Clients of the company, 550 or more, to see it at scale")
                        .default_value("550")
                        .value_parser(value_parser!(u64).range(550..=5_000_000)),
                ),
        )
        .subcommand(about_settings(Command::new("serve").about("Serve the APIs")))
        .subcommand(with_settings(
            Command::new("migrate").about("Migrate the database to this version's schema"),
        ))
        .subcommand(company)
        .subcommand(api_client)
        .subcommand(account)
        .subcommand(with_settings(
            Command::new("operator-link")
                .about("Print a sign-in link to the operator's page, at base_url or at --listen as for serve; valid once, for 15 minutes"),
        ))
        .subcommand(with_settings(
            Command::new("import")
                .about("Import clients or memberships from a CSV file")
                .arg(file("CSV file with a heading"))
                .arg(required_flag("kind", "clients or memberships"))
                .arg(optional("company", "The company's id, where there are several"))
                .arg(switch("start", "Import all valid rows; without it, only check the file")),
        ))
        .subcommand(
            Command::new("openapi")
                .about("Print the OpenAPI description of the Public API")
                .arg(switch("app", "Print that of the application API instead"))
                .arg(switch("outline", "Print the application API in outline, from which the console's types are made")),
        )
        .subcommand(
            Command::new("access")
                .about("Print which role may call which operation of the application API"),
        )
        .subcommand(with_settings(
            Command::new("jobs")
                .about("Show jobs and timers: pending, finished and failed")
                .arg(switch("json", "Print them as JSON")),
        ))
        .subcommand(
            group("reports", "Check and rebuild the metrics of all companies' reports")
                .subcommand(with_settings(Command::new("check").about(
                    "Compare the metrics of reports with their records; exits with a status",
                )))
                .subcommand(with_settings(
                    Command::new("rebuild").about("Recompute metrics of reports while the server runs"),
                )),
        )
        .subcommand(group("finance", "The books of all companies").subcommand(with_settings(
            Command::new("audit").about(
                "Check that invoices, payments and credits add up; exits with a status. The server does this daily",
            ),
        )))
        .subcommand(with_settings(
            Command::new("backup")
                .about(
                    "Back up while the server runs: the database to a file, or everything as a set to the place that --backups names",
                )
                .arg(file("File to write; must not exist").required(false))
                .arg(
                    optional("every", "Make a set again and again, such as every 24h, until stopped")
                        .value_name("TIME")
                        .conflicts_with("file"),
                )
                .arg(
                    switch("without-key", "Leave the installation's key out of the set")
                        .conflicts_with("file"),
                ),
        ))
        .subcommand(with_settings(
            Command::new("restore")
                .about(
                    "Restore a backup of either engine into an empty database: a file, or a set from the place that --backups names",
                )
                .arg(file("Backup file").required(false))
                .arg(
                    optional("set", "Name of a set, such as spotter-20261128T020304Z-7f3a; the newest when absent")
                        .value_name("NAME")
                        .conflicts_with("file"),
                )
                .arg(
                    optional(
                        "webhooks",
                        "Pending deliveries of the backup: park \
                        cancels them, keep sends them",
                    )
                    .value_parser(["park", "keep"])
                    .default_value("park"),
                )
                .arg(
                    switch(
                        "files-only",
                        "Only the uploaded files of a set: where copying them was interrupted, or some were missing",
                    )
                    .conflicts_with("file"),
                ),
        ))
        .subcommand(with_settings(
            Command::new("doctor")
                .about(
                    "Check the settings, disks, clock, certificate, mail, backups, database and waiting work, and say what to do; exits with a status",
                )
                .arg(switch("json", "Print the findings as JSON")),
        ))
        .subcommand(
            Command::new("completions")
                .about("Print a shell's completion script")
                .arg(
                    Arg::new("shell")
                        .required(true)
                        .value_parser(value_parser!(clap_complete::Shell)),
                ),
        )
        .subcommand(
            Command::new("man")
                .about("Write the manual pages into a folder")
                .arg(file("Folder that exists")),
        )
        .subcommand(with_settings(
            Command::new("healthcheck")
                .about("Check whether a running server is ready; exits with a status")
                .arg(optional("url", "Address of the server; default: the setting listen")),
        ))
        .subcommand(
            group("devices", "Tools for developers of access devices").subcommand(
                Command::new("simulate")
                    .about("Simulate a door with a bad network: scan, decide offline, upload later")
                    .arg(required_flag("key", "The device's key, fsdk_…"))
                    .arg(
                        required_flag("card", "Number of a card; may be given several times")
                            .action(clap::ArgAction::Append),
                    )
                    .arg(optional("url", "Address of the service").default_value("http://127.0.0.1:8080"))
                    .arg(counted("scans", "Number of scans", "20"))
                    .arg(counted("lost", "Percentage of lost requests", "40"))
                    .arg(counted("seed", "Seed of the random numbers", "1")),
            ),
        )
        .subcommand(
            group("webhooks", "Tools for integrators")
                .subcommand(
                    Command::new("listen")
                        .about("Receive webhook deliveries on this machine: print them, or forward them to a program under development")
                        .long_about(
                            "Receive webhook deliveries on this machine: print them, or forward them to a program under \
                             development.\n\nWith --port, deliveries are received, verified with --secret and printed. Without \
                             it, the event log of the installation at --url is read with an API client's credentials, and \
                             what is new is delivered to --forward-to: nothing needs to reach this machine.",
                        )
                        .arg(
                            optional("port", "Port on 127.0.0.1 to receive deliveries at; needs --secret")
                                .value_name("PORT")
                                .value_parser(value_parser!(u16))
                                .requires("secret"),
                        )
                        .arg(optional(
                            "secret",
                            "The signing secret, whsec_…; a new one when absent, without --port",
                        ))
                        .arg(
                            optional("forward-to", "URL of the program, such as http://127.0.0.1:3000/hook")
                                .value_name("URL")
                                .required_unless_present("port"),
                        )
                        .arg(
                            file_flag(
                                "tls-certificate",
                                "PEM file of a certificate chain; without one, HTTP",
                            )
                            .requires("tls-key"),
                        )
                        .arg(
                            file_flag("tls-key", "PEM file of the certificate's private key")
                                .requires("tls-certificate"),
                        )
                        .arg(
                            optional("url", "Address of the installation; also SPOTTER_URL")
                                .value_name("URL")
                                .conflicts_with("port"),
                        )
                        .arg(
                            optional("client-id", "The API client's id, fspc_…; also SPOTTER_CLIENT_ID")
                                .conflicts_with("port"),
                        )
                        .arg(
                            optional(
                                "client-secret",
                                "The API client's secret, fsps_…; better in SPOTTER_CLIENT_SECRET, which other users of the machine do not see",
                            )
                            .conflicts_with("port"),
                        )
                        .arg(
                            optional("events", "Names of the events to forward, joined by commas; all when absent")
                                .conflicts_with("port")
                                .value_delimiter(','),
                        ),
                )
                .subcommand(
                    Command::new("trigger")
                        .about("Send an example of an event to a program under development, or print it")
                        .arg(
                            Arg::new("event")
                                .required(true)
                                .help("Name of the event, such as client.created"),
                        )
                        .arg(
                            optional("forward-to", "URL of the program; printed when absent")
                                .value_name("URL"),
                        )
                        .arg(
                            optional("secret", "The signing secret, whsec_…; a new one when absent")
                                .requires("forward-to"),
                        ),
                ),
        )
        .subcommand(group("config", "The settings").subcommand(about_settings(
            Command::new("check").about("Check the settings"),
        )))
}
