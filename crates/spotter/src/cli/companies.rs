//! The companies of an installation: created, listed, suspended, exported and erased.

use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::json;
use spotter_company::{
    companies::{self, CompanyEntry, CompanyStatus},
    company::NewCompany,
};
use spotter_contract::{Env, Role};
use spotter_kernel::{
    Id, Problem, Rule, TimeZone,
    id::CompanyId,
    money::Currency,
    text::{Email, Language, Name},
};
use spotter_people::coaches::NewCoach;
use spotter_store::{DatabaseLocation, Db};

use super::{
    Outcome,
    commands::{DATABASE_TIMEOUT, existing, print},
    settings, text,
};
use crate::{hosting, log, operator, serve, settings::Settings};

/// Does what the command below `company` says.
pub(super) fn run(act: &str, own: &ArgMatches) -> Outcome {
    match act {
        "create" => create(own),
        "list" => list(own),
        "suspend" => suspend(own),
        "resume" => resume(own),
        "export" => export(own),
        _ => erase(own),
    }
}

fn create(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    serve::make_folder(&settings)?;
    let field = |name: &str, rule: Rule| format!("--{name} {rule}");
    let named = |name: &str| {
        Name::<120>::parse(&text(matches, name)).map_err(|(_, rule)| field(name, rule))
    };
    let short =
        |name: &str| Name::<80>::parse(&text(matches, name)).map_err(|(_, rule)| field(name, rule));
    let new = NewCompany {
        name: named("name")?,
        time_zone: TimeZone::parse(&text(matches, "time-zone"))
            .ok_or_else(|| field("time-zone", Rule::NotTimeZone))?,
        currency: Currency::parse(&text(matches, "currency"))
            .ok_or_else(|| field("currency", Rule::NotCurrency))?,
        language: Language::parse(&text(matches, "language"))
            .ok_or_else(|| field("language", Rule::NotLanguage))?,
        country: None,
    };
    let admin = NewCoach {
        first_name: short("admin-first-name")?,
        last_name: short("admin-last-name")?,
        email: Email::parse(&text(matches, "admin-email"))
            .ok_or_else(|| field("admin-email", Rule::NotEmail))?,
        role: Role::Admin,
    };
    let (env, db) = serve::open(&settings, Some(DATABASE_TIMEOUT))?;
    let made = operator::create_company(&db, &env, new, admin);
    let made = serve::runtime()?.block_on(made).map_err(Problem::for_operators)?;
    print(&json!(made));
    let kept = match &settings.database.location {
        DatabaseLocation::File(file) => format!("The company is in {}.", file.display()),
        _ => String::new(),
    };
    eprintln!(
        "The admin sets a password, once `spotter serve` runs, at\n  {}/set-password?token={}\n{kept}",
        settings.address(),
        made.invitation.token.unwrap_or_default(),
    );
    Ok(())
}

/// An installation, and one of its companies.
fn addressed(matches: &ArgMatches) -> Result<(Settings, Env, Db, CompanyId), String> {
    let settings = settings(matches)?;
    log::start("warn", settings.log_format);
    let id = Id::parse(&text(matches, "company"));
    let company = id.map(CompanyId).ok_or("a company's id has 24 hexadecimal digits")?;
    let (env, db) = existing(&settings)?;
    Ok((settings, env, db, company))
}

fn list(matches: &ArgMatches) -> Outcome {
    let settings = settings(matches)?;
    let (_, db) = existing(&settings)?;
    let (runtime, search) = (serve::runtime()?, text(matches, "search"));
    let show = if matches.get_flag("json") { show_json } else { show };
    let mut after = None;
    loop {
        let search = search.clone();
        let page = db.read(move |tx| companies::page(tx, &search, after));
        let page = runtime.block_on(page).map_err(Problem::for_operators)?;
        page.iter().for_each(show);
        match page.last() {
            Some(last) if page.len() as i64 == companies::PAGE_MAX => after = Some(last.company_id),
            _ => return Ok(()),
        }
    }
}

const fn word(status: CompanyStatus) -> &'static str {
    match status {
        CompanyStatus::Active => "active",
        CompanyStatus::Suspended => "suspended",
        CompanyStatus::Erasing => "erasing",
    }
}

fn show(entry: &CompanyEntry) {
    let status = word(entry.status());
    say!("{}  {}  {status:<9}  {}", entry.company_id, entry.created_at, entry.name);
}

fn show_json(entry: &CompanyEntry) {
    let CompanyEntry { company_id, name, created_at, .. } = entry;
    let status = word(entry.status());
    say!(
        "{}",
        json!({"companyId": company_id, "name": name, "createdAt": created_at, "status": status})
    );
}

fn suspend(matches: &ArgMatches) -> Outcome {
    let (_, env, db, company) = addressed(matches)?;
    let suspended = serve::runtime()?.block_on(hosting::suspend(&db, &env, company));
    match suspended.map_err(Problem::for_operators)? {
        true => say!("{company} is suspended."),
        false => say!("{company} is kept out already: it is suspended, or being erased."),
    }
    Ok(())
}

fn resume(matches: &ArgMatches) -> Outcome {
    let (_, env, db, company) = addressed(matches)?;
    let resumed = serve::runtime()?.block_on(hosting::resume(&db, &env, company));
    match resumed.map_err(Problem::for_operators)? {
        true => say!("{company} is in use again."),
        false => return Err(format!("{company} is not suspended, or is being erased")),
    }
    Ok(())
}

fn export(matches: &ArgMatches) -> Outcome {
    let (settings, env, db, company) = addressed(matches)?;
    let folder = matches.get_one::<PathBuf>("folder").ok_or("a folder is needed")?;
    let exported = hosting::export(&settings, &db, &env, company, folder);
    let files = serve::runtime()?.block_on(exported).map_err(Problem::for_operators)?;
    say!(
        "{} holds {company}: spotter.db, which `spotter restore` takes, and {} files.",
        folder.display(),
        files.copied
    );
    match files.missing.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "{} of its uploaded files are not in the file store, such as {first}: see that the setting files names the right \
             place, and that it is mounted",
            files.missing.len()
        )),
    }
}

fn erase(matches: &ArgMatches) -> Outcome {
    let (settings, _, db, company) = addressed(matches)?;
    let name = text(matches, "name");
    let erased = serve::runtime()?.block_on(hosting::erase(
        &settings,
        &db,
        company,
        &name,
        matches.get_flag("without-files"),
    ));
    let erased = erased.map_err(Problem::for_operators)?;
    let what = if erased.is_rest { "what was left of it, " } else { "" };
    say!(
        "{company} is erased: {what}{} rows and {} files. Backups still hold it.",
        erased.rows,
        erased.files
    );
    Ok(())
}
