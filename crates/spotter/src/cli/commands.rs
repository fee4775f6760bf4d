//! What each command does.

use std::{path::PathBuf, time::Duration};

use clap::ArgMatches;
use serde_json::json;
use spotter_billing::audit::Finding;
use spotter_company::companies;
use spotter_contract::{
    Env, Table,
    jobs::{FailedJob, JobCount},
    timers::{self, Overview},
};
use spotter_imports::{ImportKind, NewImport};
use spotter_kernel::{
    Clock, Event, Id, Problem, Scope,
    encoding::decoded,
    text::{Email, Name, Text},
};
use spotter_people::identity::api_clients::Consents;
use spotter_reports::recount;
use spotter_store::{DatabaseLocation, Db, latest_schema};

use super::{Outcome, read_settings, settings, text};
use crate::{
    doctor::{self, Diagnosis},
    log, operator, serve,
    settings::{Settings, unknown_variables},
    simulate::{self, Simulation},
    sockets::Sockets,
    system::SystemClock,
    traces,
    webhook_tools::{self, ForwardTarget},
};

/// Names everything that is wrong with the settings, and variables that look like one and are none.
pub(super) fn check_settings(own: &ArgMatches) -> Outcome {
    let mut wrong = read_settings(own).err().unwrap_or_default();
    wrong.extend(unknown_variables(std::env::vars().map(|(name, _)| name)));
    if wrong.is_empty() {
        say!("The settings are valid.");
        return Ok(());
    }
    Err(wrong.join("\n         "))
}

pub(super) fn listen_for_webhooks(own: &ArgMatches) -> Outcome {
    let given = |name: &str| own.get_one::<String>(name).cloned();
    let file = |name: &str| own.get_one::<PathBuf>(name).cloned();
    let secret = given("secret");
    let target =
        |secret| given("forward-to").map(|url| ForwardTarget::new(url, secret)).transpose();
    if let Some(port) = own.get_one::<u16>("port").copied() {
        let listener = webhook_tools::Listener {
            port,
            // What is forwarded keeps its signature.
            target: target(secret.clone())?,
            secret: secret.unwrap_or_default(),
            tls: file("tls-certificate").zip(file("tls-key")),
        };
        return serve::runtime()?.block_on(webhook_tools::run(listener));
    }
    let required = |flag: &str, variable: &str| {
        let found = given(flag).or_else(|| std::env::var(variable).ok());
        found.ok_or_else(|| format!("--{flag} is missing, and there is no {variable}"))
    };
    let url = required("url", "SPOTTER_URL")?;
    let credentials = webhook_tools::Credentials {
        url: url.trim_end_matches('/').to_owned(),
        client_id: required("client-id", "SPOTTER_CLIENT_ID")?,
        client_secret: required("client-secret", "SPOTTER_CLIENT_SECRET")?,
    };
    let only: Vec<String> = own.get_many("events").into_iter().flatten().cloned().collect();
    if let Some(unknown) = only.iter().find(|name| Event::parse(name).is_none()) {
        return Err(format!("--events: {unknown} is no event"));
    }
    let target = target(secret)?.ok_or("--forward-to is missing")?;
    serve::runtime()?.block_on(webhook_tools::follow(credentials, only, target))
}

/// Sends or prints an example of an event.
pub(super) fn trigger_webhook(own: &ArgMatches) -> Outcome {
    let event = webhook_tools::example(&text(own, "event"))?;
    let given = |name: &str| own.get_one::<String>(name).cloned();
    let Some(url) = given("forward-to") else {
        print(&event);
        return Ok(());
    };
    let target = ForwardTarget::new(url, given("secret"))?;
    let answer = serve::runtime()?.block_on(target.deliver(&event))?;
    say!("{answer}");
    Ok(())
}

pub(super) fn simulate_device(own: &ArgMatches) -> Outcome {
    let number = |name: &str| own.get_one::<u64>(name).copied().unwrap_or_default();
    let simulation = Simulation {
        url: text(own, "url"),
        key: text(own, "key"),
        cards: own.get_many::<String>("card").into_iter().flatten().cloned().collect(),
        scans: number("scans"),
        lost: number("lost").min(100),
        seed: number("seed"),
    };
    serve::runtime()?.block_on(simulate::run(simulation))
}

pub(super) fn serve(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let runtime = serve::runtime()?;
    let traces = settings.traces.as_ref().map(|own| traces::provider(own, runtime.handle()));
    let traces = traces.transpose()?;
    let tracer = traces.as_ref().map(traces::tracer);
    if traces.is_some() {
        traces::connect_jobs();
    }
    log::start_with_traces(&settings.log, settings.log_format, tracer);
    for odd in unknown_variables(std::env::vars().map(|(name, _)| name)) {
        tracing::warn!("{odd}");
    }
    serve::make_folder(&settings)?;
    let _held = serve::hold(&settings)?;
    let (env, db) = serve::open(&settings, None)?;
    // A hint that is no reason not to start: a server of a cluster may be away.
    if runtime.block_on(db.read(companies::is_empty)).unwrap_or(false) {
        let link = spotter_console::set_up_link(&env).map_err(Problem::for_operators)?;
        tracing::warn!(
            "there is no company yet; make one with this link, and show it to nobody else: {link} \
             (or with: spotter company create --help)"
        );
    }
    let (address, listener) = (settings.address(), Sockets::bind(&settings)?);
    let ready = move || tracing::info!("the documentation is at {address}/docs");
    let stop = serve::shutdown_signal();
    let ended = runtime.block_on(serve::serve(settings, listener, env, db, stop, ready));
    if let Some(Err(error)) = traces.map(|traces| traces.shutdown()) {
        tracing::warn!(%error, "the last traces are not sent");
    }
    ended
}

pub(super) fn migrate(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    serve::make_folder(&settings)?;
    let location = &settings.database.location;
    let found = spotter_store::migrate(location, SystemClock.now(), |step| say!("{step}"))
        .map_err(Problem::for_operators)?;
    say!("The schema was {found} and is {}.", found.max(latest_schema()));
    Ok(())
}

/// How long a command waits for a database that cannot be reached.
pub(super) const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);

/// The database of an existing installation.
pub(super) fn existing(settings: &Settings) -> Result<(Env, Db), String> {
    let begin = "or begin with: spotter company create --help";
    match &settings.database.location {
        DatabaseLocation::File(file) => match std::fs::File::open(file) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!(
                    "there is no database at {}: name its folder with --data, {begin}",
                    file.display()
                ));
            }
            Err(error) => {
                return Err(format!("{}: {error}; {}", file.display(), doctor::RIGHTS));
            }
        },
        // One that cannot be reached is waited for below.
        location if spotter_store::is_in_use(location).is_ok_and(|is_in_use| !is_in_use) => {
            return Err(format!(
                "the database of database_url holds no installation: correct its name, {begin}"
            ));
        }
        DatabaseLocation::Server(_) => {}
    }
    serve::open(settings, Some(DATABASE_TIMEOUT))
}

pub(super) fn print(value: &serde_json::Value) {
    say!("{value:#}");
}

pub(super) fn create_api_client(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    let name = Name::parse(&text(matches, "name")).map_err(|(_, rule)| format!("--name {rule}"))?;
    let id = |name: &str| match matches.get_one::<String>(name) {
        Some(text) => Id::parse(text).map(Some).ok_or_else(|| format!("--{name} must be an id")),
        None => Ok(None),
    };
    let (company, coach) = (id("company")?, id("coach")?);
    let scope = |name: &str| Scope::parse(name).ok_or_else(|| format!("{name} is no scope"));
    let scopes = match matches.get_one::<String>("scopes").map(String::as_str) {
        None => operator::Scopes::Reading,
        Some("all") => operator::Scopes::All,
        Some(names) => {
            operator::Scopes::Named(names.split_whitespace().map(scope).collect::<Result<_, _>>()?)
        }
    };
    let consents = Consents {
        health_data: matches.get_flag("health-data"),
        private_communication: matches.get_flag("private-communication"),
    };
    let (env, db) = existing(&settings)?;
    let made = serve::runtime()?.block_on(async {
        let company = operator::select_company(&db, company).await?;
        operator::create_client(&db, &env, company, name, scopes, consents, coach).await
    });
    print(&json!(made.map_err(Problem::for_operators)?));
    Ok(())
}

pub(super) fn rotate_api_client(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (env, db) = existing(&settings)?;
    let client_id = text(matches, "client-id");
    let rotated = operator::rotate_client(&db, &env, &client_id);
    print(&json!(serve::runtime()?.block_on(rotated).map_err(Problem::for_operators)?));
    Ok(())
}

pub(super) fn revoke_api_client(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (env, db) = existing(&settings)?;
    let client_id = text(matches, "client-id");
    serve::runtime()?
        .block_on(operator::revoke_client(&db, &env, &client_id))
        .map_err(Problem::for_operators)?;
    say!("{client_id} is revoked.");
    Ok(())
}

pub(super) fn reset_password(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let email = Email::parse(&text(matches, "email")).ok_or("--email must be an e-mail address")?;
    let (env, db) = existing(&settings)?;
    let address = settings.address();
    let without = matches.get_flag("without-second-step");
    let reset = operator::reset_password(&db, &env, email, &address, without);
    let made = serve::runtime()?.block_on(reset).map_err(Problem::for_operators)?;
    if made.as_array().is_none_or(Vec::is_empty) {
        return Err("nobody who has accepted an invitation has this address".into());
    }
    print(&made);
    Ok(())
}

/// Prints a link to the operator's page.
pub(super) fn operator_link(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (env, _) = existing(&settings)?;
    say!("{}", spotter_console::operator::link(&env).map_err(Problem::for_operators)?);
    Ok(())
}

/// Checks a file of clients or memberships, and imports it if requested.
pub(super) fn import(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    let kind = ImportKind::parse(&text(matches, "kind"));
    let kind = kind.ok_or("--kind must be clients or memberships")?;
    let company = match matches.get_one::<String>("company") {
        Some(text) => Some(Id::parse(text).ok_or("--company must be an id")?),
        None => None,
    };
    let path = matches.get_one::<PathBuf>("file").ok_or("a file is needed")?;
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name =
        path.file_name().map(|name| name.to_string_lossy().chars().take(200).collect::<String>());
    let file_name = name.and_then(|name| Text::parse(&name).ok());
    let new = NewImport { kind, text: decoded(&bytes), file_name };
    let (env, db) = existing(&settings)?;
    let start = matches.get_flag("start");
    let done = serve::runtime()?.block_on(async {
        let company = operator::select_company(&db, company).await?;
        let is_served = || serve::hold(&settings).is_err();
        operator::import(&db, &env, company, new, start, is_served).await
    });
    print(&done.map_err(Problem::for_operators)?);
    Ok(())
}

/// Shows repeating work, timers that wait, and what failed in the last week.
pub(super) fn jobs(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (env, db) = existing(&settings)?;
    let seen =
        serve::runtime()?.block_on(db.read(timers::overview)).map_err(Problem::for_operators)?;
    let (states, troubles) = serve::runtime()?
        .block_on(db.read(spotter_contract::jobs::overview))
        .map_err(Problem::for_operators)?;
    let (table, now) = (Table::new(crate::areas::areas()), env.clock.now());
    if matches.get_flag("json") {
        print(&jobs_as_json(&seen, &states, &troubles));
        return Ok(());
    }
    say!("Repeating work:");
    for row in &seen.repeating {
        let summary = table.repeating().iter().find(|work| work.id == row.kind);
        let latest = match (row.ran_at, &row.error) {
            (None, _) => "not yet".to_owned(),
            (Some(at), Some(error)) => format!("{at} failed: {error}"),
            (Some(at), None) => {
                let (done, took) = (row.done.unwrap_or_default(), row.took_ms.unwrap_or_default());
                format!("{at}, which did {done} in {took} ms")
            }
        };
        let (runs, failures) = (row.runs, row.failures);
        let about = summary.map_or("of another version", |work| work.summary);
        say!("  {}  {runs} times, {failures} failed, last {latest}  ({about})", row.kind);
    }
    say!("Pending timers: {}", if seen.waiting.is_empty() { "none" } else { "" });
    for (kind, count, next) in &seen.waiting {
        let late = (now.millis() - next.millis()).max(0) / 1_000;
        let state = match late {
            _ if timers::is_parked(*next, now) => {
                "resting, as their companies are suspended".to_owned()
            }
            0 => format!("next at {next}"),
            late => format!("{late} s late"),
        };
        let about = table.timer(kind).map_or("of another version", |timer| timer.summary);
        say!("  {kind}  {count}, {state}  ({about})");
    }
    say!("Jobs of the last week: {}", if states.is_empty() { "none" } else { "" });
    for JobCount { kind, state, count, next_at } in &states {
        let about = table.jobs().iter().find(|job| job.id == kind);
        let about = about.map_or("of another version", |job| job.summary);
        let next = next_at.map(|at| format!(", next at {at}")).unwrap_or_default();
        say!("  {kind}  {count} {}{next}  ({about})", state.word());
    }
    say!("Failing jobs: {}", if troubles.is_empty() { "none" } else { "" });
    for row in &troubles {
        let FailedJob { kind, company_id, subject, state, attempts, ended_at, error } = row;
        let (at, error) = (ended_at.map(|at| at.to_string()), error.as_deref().unwrap_or_default());
        let (at, state) = (at.unwrap_or_else(|| "tried again".to_owned()), state.word());
        say!(
            "  {at}  {kind} of {subject} at company {company_id}: {state} after {attempts} attempts: {error}"
        );
    }
    say!(
        "Timers that failed in the last week: {}",
        if seen.failures.is_empty() { "none" } else { "" }
    );
    for row in &seen.failures {
        let error = row.error.as_deref().unwrap_or_default();
        let (at, kind, company) = (row.run_id.created_at(), &row.kind, row.company_id);
        say!("  {at}  {kind} of {} at company {company}: {error}", row.subject);
    }
    Ok(())
}

fn jobs_as_json(seen: &Overview, states: &[JobCount], failing: &[FailedJob]) -> serde_json::Value {
    let repeating = seen.repeating.iter().map(|row| {
        json!({"kind": row.kind, "dueAt": row.due_at, "runs": row.runs, "failures": row.failures,
            "ranAt": row.ran_at, "tookMs": row.took_ms, "done": row.done, "error": row.error})
    });
    let timers = seen
        .waiting
        .iter()
        .map(|(kind, count, next)| json!({"kind": kind, "count": count, "nextAt": next}));
    let failed_timers = seen.failures.iter().map(|row| {
        json!({"kind": row.kind, "companyId": row.company_id, "subject": row.subject,
            "failedAt": row.run_id.created_at(), "error": row.error})
    });
    let jobs = states.iter().map(|row| {
        json!({"kind": row.kind, "state": row.state.word(), "count": row.count,
            "nextAt": row.next_at})
    });
    let failing_jobs = failing.iter().map(|row| {
        json!({"kind": row.kind, "companyId": row.company_id, "subject": row.subject,
            "state": row.state.word(), "attempts": row.attempts, "endedAt": row.ended_at,
            "error": row.error})
    });
    json!({"repeating": repeating.collect::<Vec<_>>(), "timers": timers.collect::<Vec<_>>(),
        "failedTimers": failed_timers.collect::<Vec<_>>(), "jobs": jobs.collect::<Vec<_>>(),
        "failingJobs": failing_jobs.collect::<Vec<_>>()})
}

/// Checks the books of every company and prints what does not hold.
pub(super) fn audit_books(matches: &ArgMatches) -> Outcome {
    let (env, db) = existing(&settings(matches)?)?;
    let now = env.clock.now();
    let audit = db.read(move |tx| spotter_billing::audit::all_findings(tx, now));
    let found = serve::runtime()?.block_on(audit).map_err(Problem::for_operators)?;
    for Finding { company, rule, of } in &found {
        say!("company {company}, {of}: violates that {rule}");
    }
    match found.len() {
        0 => {
            say!("The books are consistent.");
            Ok(())
        }
        many => Err(format!("{many} findings")),
    }
}

/// Recounts the figures of every company's reports and prints or corrects wrong ones.
pub(super) fn recount_reports(matches: &ArgMatches, mend: bool) -> Outcome {
    let (env, db) = existing(&settings(matches)?)?;
    let recounts = crate::areas::areas().recounts;
    let counted = async {
        let mut wrong = 0;
        for company in recount::companies(&db).await? {
            let found = recount::recount(&db, &env, company, &recounts, mend).await?;
            for difference in &found {
                say!("company {company}, {difference}");
            }
            wrong += found.len();
        }
        Ok(wrong)
    };
    let wrong: usize = serve::runtime()?.block_on(counted).map_err(Problem::for_operators)?;
    match (wrong, mend) {
        (0, _) => {
            say!("All metrics are correct.");
            Ok(())
        }
        (many, true) => {
            say!("{many} metrics were corrected.");
            Ok(())
        }
        (many, false) => {
            Err(format!("{many} metrics are wrong: spotter reports rebuild corrects them"))
        }
    }
}

pub(super) fn doctor(own: &ArgMatches) -> Outcome {
    let mut findings =
        Diagnosis::of_variables(unknown_variables(std::env::vars().map(|(name, _)| name)));
    findings.extend(match read_settings(own) {
        Ok(settings) => doctor::examine(&settings)?,
        Err(wrong) => Diagnosis::of_settings(wrong),
    });
    let (text, is_fine) = doctor::report(&findings);
    match own.get_flag("json") {
        true => say!("{:#}", json!({"findings": findings})),
        false => say!("{text}"),
    }
    if is_fine { Ok(()) } else { Err("something needs to be done".into()) }
}

pub(super) fn healthcheck(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let url = matches.get_one::<String>("url").cloned();
    let url = url.unwrap_or_else(|| settings.local_address());
    // The service is checked at its own address, which its certificate need not name.
    let own = !matches.contains_id("url");
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(Duration::from_secs(5))
        .tls_danger_accept_invalid_certs(own);
    // Reading the machine's certificates takes longer than the question.
    let client = if own || url.starts_with("http:") { client.tls_certs_only([]) } else { client };
    let client = client.build().map_err(|error| error.to_string())?;
    let answer = async { client.get(format!("{url}/health/ready")).send().await };
    let answer = serve::runtime()?.block_on(answer);
    answer
        .and_then(reqwest::Response::error_for_status)
        .map(|_| say!("ready"))
        .map_err(|error| format!("{url} is not ready: {error}"))
}
