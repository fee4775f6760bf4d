//! The command line: its grammar ([`grammar`]) and its commands ([`commands`], [`companies`], [`backups`]).

mod backups;
mod commands;
mod companies;
mod grammar;

use std::{path::PathBuf, process::ExitCode};

use clap::ArgMatches;
use spotter_contract::{Surface, Table};
use spotter_http::openapi;

use crate::{demo, settings::Settings, system};

type Outcome = Result<(), String>;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    system::keep_private();
    system::use_small_pages();
    // Serving and asking over TLS both take the process's provider of cryptography.
    rustls::crypto::ring::default_provider().install_default().ok();
    let matches = grammar::command().get_matches();
    match dispatch(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("spotter: {message}");
            ExitCode::FAILURE
        }
    }
}

fn settings(matches: &ArgMatches) -> Result<Settings, String> {
    read_settings(matches).map_err(|wrong| wrong.join("\n         "))
}

fn read_settings(matches: &ArgMatches) -> Result<Settings, Vec<String>> {
    let variable = |name: &str| std::env::var(name).ok();
    let file = matches.get_one::<PathBuf>("config").cloned();
    let file = file.or_else(|| variable("SPOTTER_CONFIG").map(PathBuf::from));
    let flag = |name: &str| matches.get_one::<String>(name).cloned();
    Settings::read(flag, variable, file.as_deref())
}

fn dispatch(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("demo", own)) => {
            let given = |name: &str| own.get_one::<String>(name).cloned();
            let clients = own.get_one::<u64>("clients").copied().unwrap_or_default();
            demo::run(&text(own, "data"), given("listen"), given("database-url"), clients)
        }
        Some(("serve", own)) => commands::serve(own),
        Some(("migrate", own)) => commands::migrate(own),
        Some(("company", own)) => match own.subcommand() {
            Some((act, own)) => companies::run(act, own),
            None => Ok(()),
        },
        Some(("api-client", own)) => match own.subcommand() {
            Some(("create", own)) => commands::create_api_client(own),
            Some(("rotate", own)) => commands::rotate_api_client(own),
            Some((_, own)) => commands::revoke_api_client(own),
            None => Ok(()),
        },
        Some(("account", own)) => match own.subcommand() {
            Some((_, own)) => commands::reset_password(own),
            None => Ok(()),
        },
        Some(("import", own)) => commands::import(own),
        Some(("operator-link", own)) => commands::operator_link(own),
        Some(("openapi", own)) => {
            let table = Table::new(crate::areas::areas());
            let document = if own.get_flag("outline") {
                openapi::outline(&table)
            } else if own.get_flag("app") {
                openapi::document(&table, Surface::App)
            } else {
                openapi::document(&table, Surface::Public)
            };
            say!("{document:#}");
            Ok(())
        }
        Some(("access", _)) => {
            say!("{}", Table::new(crate::areas::areas()).access_table().trim_end());
            Ok(())
        }
        Some(("jobs", own)) => commands::jobs(own),
        Some(("reports", own)) => match own.subcommand() {
            Some((act, own)) => commands::recount_reports(own, act == "rebuild"),
            None => Ok(()),
        },
        Some(("finance", own)) => match own.subcommand() {
            Some((_, own)) => commands::audit_books(own),
            None => Ok(()),
        },
        Some(("backup", own)) => backups::backup(own),
        Some(("restore", own)) => backups::restore(own),
        Some(("doctor", own)) => commands::doctor(own),
        Some(("completions", own)) => {
            let shell = own.get_one::<clap_complete::Shell>("shell").copied();
            let mut script = Vec::new();
            clap_complete::generate(
                shell.unwrap_or(clap_complete::Shell::Bash),
                &mut grammar::command(),
                "spotter",
                &mut script,
            );
            say!("{}", String::from_utf8_lossy(&script).trim_end());
            Ok(())
        }
        Some(("man", own)) => {
            let folder = path(own);
            clap_mangen::generate_to(grammar::command(), &folder)
                .map_err(|error| format!("{}: {error}", folder.display()))
        }
        Some(("healthcheck", own)) => commands::healthcheck(own),
        Some(("devices", own)) => match own.subcommand() {
            Some((_, own)) => commands::simulate_device(own),
            None => Ok(()),
        },
        Some(("webhooks", own)) => match own.subcommand() {
            Some(("trigger", own)) => commands::trigger_webhook(own),
            Some((_, own)) => commands::listen_for_webhooks(own),
            None => Ok(()),
        },
        Some(("config", own)) => match own.subcommand() {
            Some((_, own)) => commands::check_settings(own),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn text(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}

fn path(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<PathBuf>("file").cloned().unwrap_or_default()
}
