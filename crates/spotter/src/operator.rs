//! What an operator does from the command line, through the same functions as the APIs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use spotter_company::{companies, company::NewCompany};
use spotter_contract::{Actor, Body, Caller, Env, Path as At, Read, Table, Write};
use spotter_imports::NewImport;
use spotter_kernel::{
    Id, Phrase, Problem, Result, Scope,
    id::{CoachId, CompanyId},
    text::Email,
};
use spotter_people::{
    coaches::{self, Coach, NewCoach},
    founding::{self, SignedUpCompany},
    identity::{
        accounts,
        api_clients::{
            ApiClientPath, ApiClientSecret, Consents, NewApiClient, create_api_client,
            parse_client_id, revoke_api_client, rotate_api_client_secret,
        },
        second_step,
    },
};
use spotter_store::{Db, Tx};

use crate::importing::{self, Importer};

/// How often it is looked whether the server is done with an import.
const SERVER_CHECK: Duration = Duration::from_millis(500);

/// Runs a step as the operator, with its audit row.
pub(crate) fn as_operator<T>(
    tx: &mut Tx<'_>,
    env: &Env,
    company: CompanyId,
    operation: &'static str,
    step: impl FnOnce(&mut Write<'_, '_>) -> Result<T>,
) -> Result<T> {
    let caller = Caller::new(company, Actor::System);
    let read = Read::new(tx, &caller, env.clock.now());
    let mut cx = Write::new(read, env, operation, &[], "command-line")?;
    let done = step(&mut cx)?;
    cx.audit()?;
    Ok(done)
}

/// A new company with its first admin, who is invited.
pub(crate) async fn create_company(
    db: &Db,
    env: &Env,
    new: NewCompany,
    admin: NewCoach,
) -> Result<SignedUpCompany> {
    let env = env.clone();
    db.write(move |tx| founding::sign_up(tx, &env, new.clone(), admin.clone())).await
}

/// Links that set a new password, one for each account of an address; its second step may be switched off on the way.
pub(crate) async fn reset_password(
    db: &Db,
    env: &Env,
    email: Email,
    address: &str,
    without_second_step: bool,
) -> Result<serde_json::Value> {
    let (env, address) = (env.clone(), address.to_owned());
    db.write(move |tx| {
        let found = accounts::candidates(tx, &email, None)?;
        let each = found.into_iter().map(|account| {
            as_operator(tx, &env, account.company_id, "reset_password", |cx| {
                let (subject, id) = (account.subject, account.subject_id);
                if without_second_step {
                    second_step::switch_off(cx, subject, id)?;
                }
                let (token, expires_at) = accounts::create_reset_link(cx, subject, id)?;
                let link = format!("{address}/set-password?token={}", token.expose());
                Ok(json!({"companyId": account.company_id, "subject": subject, "subjectId": id,
                    "link": link, "expiresAt": expires_at}))
            })
        });
        each.collect()
    })
    .await
}

/// Checks a file, and imports valid rows if requested, as the company's admin.
pub(crate) async fn import(
    db: &Db,
    env: &Env,
    company: CompanyId,
    new: NewImport,
    starts: bool,
    is_served: impl Fn() -> bool,
) -> Result<serde_json::Value> {
    let table = Arc::new(Table::new(crate::areas::areas()));
    // A server beside this process may work on it, too, in turns of its own: each row is done once.
    let importer = Importer { db: db.clone(), env: env.clone(), table, turn: importing::SLICE };
    let run_all = async |id| {
        // Where the file has one writer, its server does it: people's writes would wait for those of another process.
        while is_served() {
            if importer.current_run(company, id).await?.is_none() {
                return Ok(());
            }
            tokio::time::sleep(SERVER_CHECK).await;
        }
        importer.run_all(company, id).await
    };
    let shared = env.clone();
    let created = db.write(move |tx| {
        as_operator(tx, &shared, company, "create_import", |cx| {
            let none = || {
                let rule = "has no admin who has accepted an invitation";
                Problem::conflict("company", Phrase::verbatim(rule))
            };
            let by = Coach::first_admin(cx)?.ok_or_else(none)?;
            if Coach::find(cx, by)?.status != coaches::CoachStatus::Active {
                return Err(none());
            }
            spotter_imports::create(cx, by, new.clone())
        })
    });
    let id = created.await?.import_id;
    run_all(id).await?;
    if starts {
        let shared = env.clone();
        let started = db.write(move |tx| {
            as_operator(tx, &shared, company, "start_import", |cx| spotter_imports::start(cx, id))
        });
        started.await?;
        run_all(id).await?;
    }
    let now = env.clock.now();
    let report = db.read(move |tx| {
        let caller = Caller::new(company, Actor::System);
        spotter_imports::report(&mut Read::new(tx, &caller, now), id)
    });
    let (report, wrong) = report.await?;
    let wrong =
        wrong.iter().map(|row| json!({"line": row.line, "field": row.field, "rule": row.rule}));
    Ok(
        json!({"import": report.import, "counts": report.counts, "wrong": wrong.collect::<Vec<_>>()}),
    )
}

/// The one company of an installation, or the one that is named.
pub(crate) async fn select_company(db: &Db, named: Option<Id>) -> Result<CompanyId> {
    let look = move |tx: &mut Tx<'_>| {
        let found = named.map(|id| companies::find(tx, CompanyId(id))).transpose()?.flatten();
        Ok((found, companies::page(tx, "", None)?))
    };
    let (found, first) = db.read(look).await?;
    let names = || {
        let lines: Vec<_> =
            first.iter().map(|own| format!("{} {}", own.company_id, own.name)).collect();
        lines.join("\n")
    };
    let refused = |rule: &str| Problem::invalid("company", Phrase::verbatim(rule));
    match (named, first.as_slice()) {
        (Some(_), _) => found
            .map(|own| own.company_id)
            .ok_or_else(|| refused(&format!("must be one of\n{}", names()))),
        (None, [only]) => Ok(only.company_id),
        (None, []) => Err(refused("there is none yet: spotter company create")),
        (None, _) => {
            Err(refused(&format!("there are several; name one with --company:\n{}", names())))
        }
    }
}

/// What an API client may do.
pub(crate) enum Scopes {
    /// Read all that its consents allow.
    Reading,
    /// All that its consents allow.
    All,
    /// These scopes.
    Named(Vec<Scope>),
}

/// A new API client, by default with every scope that its consents allow.
pub(crate) async fn create_client(
    db: &Db,
    env: &Env,
    company: CompanyId,
    name: spotter_kernel::text::Name<120>,
    scopes: Scopes,
    consents: Consents,
    coach: Option<Id>,
) -> Result<ApiClientSecret> {
    let env = env.clone();
    let allowed = |scope: &Scope| match scope.gate() {
        spotter_kernel::Gate::None => true,
        spotter_kernel::Gate::HealthData => consents.health_data,
        spotter_kernel::Gate::PrivateCommunication => consents.private_communication,
    };
    let every = || Scope::ALL.iter().copied().filter(allowed);
    let scopes: Vec<Scope> = match scopes {
        Scopes::Reading => every().filter(|scope| scope.name().ends_with(":read")).collect(),
        Scopes::All => every().collect(),
        Scopes::Named(scopes) => scopes,
    };
    db.write(move |tx| {
        as_operator(tx, &env, company, "create_api_client", |cx| {
            let coach = match coach {
                Some(id) => Some(CoachId(id)),
                None => coaches::Coach::first_admin(cx)?,
            };
            let new = NewApiClient {
                name: name.clone(),
                scopes: scopes.clone(),
                default_assigned_coach_id: coach,
                consents,
            };
            create_api_client(cx, Body(new))
        })
    })
    .await
}

fn parsed(client_id: &str) -> Result<(CompanyId, Id)> {
    parse_client_id(client_id).ok_or_else(|| {
        let rule = Phrase::verbatim("must be one that begins with fspc_");
        Problem::invalid("client id", rule)
    })
}

/// A new secret for an API client.
pub(crate) async fn rotate_client(db: &Db, env: &Env, client_id: &str) -> Result<ApiClientSecret> {
    let (company, id) = parsed(client_id)?;
    let env = env.clone();
    db.write(move |tx| {
        as_operator(tx, &env, company, "rotate_api_client_secret", |cx| {
            rotate_api_client_secret(cx, At(ApiClientPath { id }))
        })
    })
    .await
}

/// The end of an API client.
pub(crate) async fn revoke_client(db: &Db, env: &Env, client_id: &str) -> Result<()> {
    let (company, id) = parsed(client_id)?;
    let env = env.clone();
    db.write(move |tx| {
        as_operator(tx, &env, company, "revoke_api_client", |cx| {
            revoke_api_client(cx, At(ApiClientPath { id })).map(drop)
        })
    })
    .await
}

/// Prints the progress of a long copy, once a second at most.
pub(crate) fn progress() -> impl FnMut(&str, u64) {
    let mut output = Instant::now();
    move |what, so_far| {
        if output.elapsed() >= Duration::from_secs(1) {
            output = Instant::now();
            eprintln!("copying {what}: {so_far} so far");
        }
    }
}

/// The key file beside a backup.
pub(crate) fn key_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".key");
    name.into()
}

/// Copies the installation's key beside a backup, or back.
pub(crate) fn copy_key(from: &Path, to: &Path) -> Result<bool, String> {
    if !from.exists() || to.exists() {
        return Ok(false);
    }
    let text = std::fs::read_to_string(from).map_err(|e| format!("{}: {e}", from.display()))?;
    crate::system::write_private(to, &text).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(true)
}
