//! The command line.

use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;
use spotter_areas::{
    access::api_clients::Consents,
    company::{NewCompany, all_companies, coaches::NewCoach},
};
use spotter_contract::{Env, Role, installation, vault::Vault};
use spotter_kernel::{
    Clock, Id, Scope, TimeZone,
    money::Currency,
    text::{Email, Language, Name},
};
use spotter_store::{Db, Location, Tx, latest_schema, migrate};
use spotter_webhooks::queue;

use crate::{
    demo, listen, log, operator,
    serve::{self, told},
    settings::{Settings, TABLE, unknown_variables},
    system::{self, SystemClock},
};

type Outcome = Result<(), String>;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    system::keep_private();
    // Serving and asking over TLS both take the process's provider of cryptography.
    rustls::crypto::ring::default_provider().install_default().ok();
    let matches = command().get_matches();
    match dispatch(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("spotter: {message}");
            ExitCode::FAILURE
        }
    }
}

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

fn needed(name: &'static str, help: &'static str) -> Arg {
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

fn command() -> Command {
    let group = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true)
    };
    let company = group("company", "Companies of this installation").subcommand(with_settings(
        Command::new("create")
            .about("Create a company with its first admin, and print the invitation")
            .arg(needed("name", "Name of the company"))
            .arg(needed("admin-email", "E-mail address of the first admin"))
            .arg(needed("admin-first-name", "First name of the admin"))
            .arg(needed("admin-last-name", "Last name of the admin"))
            .arg(optional("time-zone", "IANA time zone").default_value("Europe/Amsterdam"))
            .arg(optional("currency", "ISO 4217 code").default_value("EUR"))
            .arg(optional("language", "ISO 639-1 code").default_value("en")),
    ));
    let client_id = || Arg::new("client-id").required(true).help("The client id, fspc_…");
    let api_client = group("api-client", "API clients, the integrations of a company")
        .subcommand(with_settings(
            Command::new("create")
                .about("Create an API client, and print its secret once")
                .arg(needed("name", "Name of the client"))
                .arg(optional("company", "Id of the company, where there are several"))
                .arg(optional(
                    "scopes",
                    "Space-separated scopes; all that the consents allow when absent",
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
                .about("Give an API client a new secret; its tokens stop working at once")
                .arg(client_id()),
        ))
        .subcommand(with_settings(
            Command::new("revoke").about("End an API client for good").arg(client_id()),
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
                    "Start with a believable company in an empty folder, and print what to paste",
                )
                .arg(optional("data", "Folder of the demo").default_value("spotter-demo"))
                .arg(optional("listen", "Address to serve on").default_value("127.0.0.1:8080"))
                .arg(optional("database-url", "PostgreSQL URL; without one, SQLite in the folder"))
                .arg(
                    optional("clients", "Clients of the company, 550 or more, to see it at scale")
                        .default_value("550")
                        .value_parser(value_parser!(u64).range(550..=5_000_000)),
                ),
        )
        .subcommand(about_settings(Command::new("serve").about("Serve the APIs")))
        .subcommand(with_settings(
            Command::new("migrate").about("Bring the database to this version's schema"),
        ))
        .subcommand(company)
        .subcommand(api_client)
        .subcommand(
            Command::new("openapi").about("Print the OpenAPI description of the Public API"),
        )
        .subcommand(with_settings(
            Command::new("backup")
                .about("Write a consistent copy of the database to a file, while it serves")
                .arg(file("File to write; it must not exist")),
        ))
        .subcommand(with_settings(
            Command::new("restore")
                .about("Fill an empty database from a backup, of either engine")
                .arg(file("File that backup wrote"))
                .arg(
                    optional(
                        "webhooks",
                        "What becomes of deliveries that waited at the backup: park \
                        cancels them, keep sends them",
                    )
                    .value_parser(["park", "keep"])
                    .default_value("park"),
                ),
        ))
        .subcommand(with_settings(
            Command::new("healthcheck")
                .about("Ask a running service whether it is ready; the exit status tells")
                .arg(optional("url", "Address of the service; the setting listen when absent")),
        ))
        .subcommand(
            group("webhooks", "Tools for integrators").subcommand(
                Command::new("listen")
                    .about("Receive deliveries at this machine, verify them and print them")
                    .arg(
                        needed("port", "Port on 127.0.0.1")
                            .value_name("PORT")
                            .value_parser(value_parser!(u16)),
                    )
                    .arg(needed("secret", "The subscription's signing secret, whsec_…"))
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
                    ),
            ),
        )
        .subcommand(group("config", "The settings").subcommand(about_settings(
            Command::new("check").about("Name what is wrong with the settings"),
        )))
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
            let url = own.get_one::<String>("database-url").cloned();
            let clients = own.get_one::<u64>("clients").copied().unwrap_or_default();
            demo::run(&text(own, "data"), &text(own, "listen"), url, clients)
        }
        Some(("serve", own)) => run_serve(own),
        Some(("migrate", own)) => run_migrate(own),
        Some(("company", own)) => match own.subcommand() {
            Some((_, own)) => create_company(own),
            None => Ok(()),
        },
        Some(("api-client", own)) => match own.subcommand() {
            Some(("create", own)) => create_api_client(own),
            Some(("rotate", own)) => rotate_api_client(own),
            Some((_, own)) => revoke_api_client(own),
            None => Ok(()),
        },
        Some(("openapi", _)) => {
            let document = spotter_http::openapi::document(&spotter_areas::operations());
            println!("{document:#}");
            Ok(())
        }
        Some(("backup", own)) => backup(own),
        Some(("restore", own)) => restore(own),
        Some(("healthcheck", own)) => healthcheck(own),
        Some(("webhooks", own)) => match own.subcommand() {
            Some((_, own)) => listen_for_webhooks(own),
            None => Ok(()),
        },
        Some(("config", own)) => match own.subcommand() {
            Some((_, own)) => check_settings(own),
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

/// Names everything that is wrong with the settings, and variables that look like one and are none.
fn check_settings(own: &ArgMatches) -> Outcome {
    let mut wrong = read_settings(own).err().unwrap_or_default();
    wrong.extend(unknown_variables(std::env::vars().map(|(name, _)| name)));
    if wrong.is_empty() {
        println!("The settings are right.");
        return Ok(());
    }
    Err(wrong.join("\n         "))
}

fn listen_for_webhooks(own: &ArgMatches) -> Outcome {
    let file = |name: &str| own.get_one::<PathBuf>(name).cloned();
    let listener = listen::Listener {
        port: own.get_one::<u16>("port").copied().unwrap_or_default(),
        secret: text(own, "secret"),
        tls: file("tls-certificate").zip(file("tls-key")),
    };
    serve::runtime()?.block_on(listen::run(listener))
}

fn run_serve(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start(&settings.log, settings.log_format);
    for odd in unknown_variables(std::env::vars().map(|(name, _)| name)) {
        tracing::warn!("{odd}");
    }
    serve::make_folder(&settings)?;
    let _held = serve::hold(&settings)?;
    let (env, db) = serve::open(&settings)?;
    let runtime = serve::runtime()?;
    if runtime.block_on(db.read(all_companies)).map_err(told)?.is_empty() {
        tracing::warn!(
            "there is no company yet; make one in another terminal with: spotter company create \
             --name \"My Gym\" --admin-email … --admin-first-name … --admin-last-name …"
        );
    }
    let (address, listener) = (settings.address(), serve::bind(&settings)?);
    let ready = move || tracing::info!("the API reference is at {address}/docs");
    let stop = serve::asked_to_stop();
    runtime.block_on(serve::serve(settings, listener, env, db, stop, ready))
}

fn run_migrate(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    serve::make_folder(&settings)?;
    let location = &settings.database.location;
    let found = migrate(location, SystemClock.now(), |step| println!("{step}")).map_err(told)?;
    println!("The schema was {found} and is {}.", latest_schema());
    Ok(())
}

fn create_company(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    serve::make_folder(&settings)?;
    let field = |name: &str, rule: &str| format!("--{name} {rule}");
    let named = |name: &str| {
        Name::<120>::parse(&text(matches, name)).map_err(|(_, rule)| field(name, &rule))
    };
    let short = |name: &str| {
        Name::<80>::parse(&text(matches, name)).map_err(|(_, rule)| field(name, &rule))
    };
    let new = NewCompany {
        name: named("name")?,
        time_zone: TimeZone::parse(&text(matches, "time-zone"))
            .ok_or_else(|| field("time-zone", "must be an IANA time zone name"))?,
        currency: Currency::parse(&text(matches, "currency"))
            .ok_or_else(|| field("currency", "must be an ISO 4217 code"))?,
        language: Language::parse(&text(matches, "language"))
            .ok_or_else(|| field("language", "must be an ISO 639-1 code"))?,
        country: None,
    };
    let admin = NewCoach {
        first_name: short("admin-first-name")?,
        last_name: short("admin-last-name")?,
        email: Email::parse(&text(matches, "admin-email"))
            .ok_or_else(|| field("admin-email", "must be an e-mail address"))?,
        role: Role::Admin,
    };
    let (env, db) = serve::open(&settings)?;
    let made = operator::create_company(&db, &env, new, admin);
    print(&serve::runtime()?.block_on(made).map_err(told)?);
    eprintln!(
        "The admin sets a password with: POST /app/v1/auth/invitations/accept {{token, password}}"
    );
    Ok(())
}

/// The database of an installation that is there already.
fn existing(settings: &Settings) -> Result<(Env, Db), String> {
    if let Location::File(file) = &settings.database.location
        && !file.exists()
    {
        return Err(format!(
            "there is no database at {}: name its folder with --data, or begin with: spotter company \
             create --help",
            file.display()
        ));
    }
    serve::open(settings)
}

fn print(value: &serde_json::Value) {
    println!("{value:#}");
}

fn create_api_client(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    let name = Name::parse(&text(matches, "name")).map_err(|(_, rule)| format!("--name {rule}"))?;
    let id = |name: &str| match matches.get_one::<String>(name) {
        Some(text) => Id::parse(text).map(Some).ok_or_else(|| format!("--{name} must be an id")),
        None => Ok(None),
    };
    let (company, coach) = (id("company")?, id("coach")?);
    let scope = |name: &str| Scope::parse(name).ok_or_else(|| format!("{name} is no scope"));
    let scopes = matches
        .get_one::<String>("scopes")
        .map(|text| text.split_whitespace().map(scope).collect::<Result<Vec<_>, _>>())
        .transpose()?;
    let consents = Consents {
        health_data: matches.get_flag("health-data"),
        private_communication: matches.get_flag("private-communication"),
    };
    let (env, db) = existing(&settings)?;
    let made = serve::runtime()?.block_on(async {
        let company = operator::pick_company(&db, company).await?;
        operator::create_client(&db, &env, company, name, scopes, consents, coach).await
    });
    print(&json!(made.map_err(told)?));
    Ok(())
}

fn rotate_api_client(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (env, db) = existing(&settings)?;
    let client_id = text(matches, "client-id");
    let rotated = operator::rotate_client(&db, &env, &client_id);
    print(&json!(serve::runtime()?.block_on(rotated).map_err(told)?));
    Ok(())
}

fn revoke_api_client(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (env, db) = existing(&settings)?;
    let client_id = text(matches, "client-id");
    serve::runtime()?.block_on(operator::revoke_client(&db, &env, &client_id)).map_err(told)?;
    println!("{client_id} is revoked.");
    Ok(())
}

fn backup(matches: &ArgMatches) -> Outcome {
    let (settings, file) = (settings(matches)?, path(matches));
    let now = SystemClock.now();
    let mut progress = operator::progress();
    spotter_store::backup(&settings.database.location, &file, now, &mut progress).map_err(told)?;
    println!("{} is written.", file.display());
    if let Some(key) = settings.key_at_hand()? {
        let mut verify =
            |tx: &mut Tx<'_>| installation::verify_key(tx, &Vault::new(&key)).map(drop);
        spotter_store::look_into(&file, &mut verify)
            .map_err(|problem| format!("it has no key beside it, for {}", told(problem)))?;
    }
    if operator::copy_key(&settings.key_file(), &key_of(&file))? {
        println!("{} holds the installation's key: keep it as safe.", key_of(&file).display());
    }
    Ok(())
}

fn restore(matches: &ArgMatches) -> Outcome {
    let (settings, file) = (settings(matches)?, path(matches));
    serve::make_folder(&settings)?;
    let _held = serve::hold(&settings)?;
    let now = SystemClock.now();
    let park = text(matches, "webhooks") == "park";
    let mut parked = 0;
    let beside = key_of(&file);
    let key = match settings.key_at_hand()? {
        None if beside.exists() => Some(system::key_in(&beside)?.0),
        key => key,
    };
    let mut afterwards = |tx: &mut Tx<'_>| {
        if let Some(key) = key {
            installation::verify_key(tx, &Vault::new(&key))?;
        }
        parked = if park { queue::park(tx, now)? } else { 0 };
        Ok(())
    };
    let (location, mut progress) = (&settings.database.location, operator::progress());
    spotter_store::restore(&file, location, now, &mut afterwards, &mut progress).map_err(told)?;
    println!("{} is restored.", file.display());
    if parked > 0 {
        println!(
            "{parked} webhook deliveries that waited at the backup are cancelled: what they tell may \
             have been told since. POST /public/v1/webhooks/deliveries/{{id}}/redeliver sends one."
        );
    }
    if operator::copy_key(&key_of(&file), &settings.key_file())? {
        println!("The installation's key is back in {}.", settings.key_file().display());
    }
    if key.is_none() {
        println!(
            "No key came with it: put the installation's at {} before you serve, or set secret_key.",
            settings.key_file().display()
        );
    }
    Ok(())
}

/// Where the key stands beside a backup.
fn key_of(file: &std::path::Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".key");
    name.into()
}

fn healthcheck(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let url = matches.get_one::<String>("url").cloned().unwrap_or_else(|| {
        let mut address = settings.listen;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        let scheme = if settings.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{address}")
    });
    // The service is asked at its own address, which its certificate need not name.
    let own = !matches.contains_id("url");
    let tls = ureq::tls::TlsConfig::builder().disable_verification(own).build();
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(std::time::Duration::from_secs(5)))
        .tls_config(tls)
        .proxy(None)
        .build()
        .new_agent();
    let asked = agent.get(format!("{url}/health/ready")).call();
    asked.map(|_| println!("ready")).map_err(|error| format!("{url} is not ready: {error}"))
}
