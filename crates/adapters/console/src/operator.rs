//! The operator's page: how the installation is, which companies it has, and nothing that a company keeps. It is opened by
//! a link that the command line prints, good once and for a quarter of an hour; a new link ends the session of the one
//! before.

mod companies;
mod host;

use std::{path::PathBuf, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::State as Given,
    http::{HeaderMap, Request, Response, StatusCode},
    routing::{get, post},
};
use maud::{Markup, html};
use spotter_company::companies::{find, resume, suspend};
use spotter_contract::{
    Env, Write, installation,
    jobs::{self, FailedJob, JobCount},
    timers::{self, Overview},
};
use spotter_http::State;
use spotter_kernel::{Id, Key, Problem, Result, TimeZone, Timestamp, id::CompanyId};
use spotter_people::founding;
use spotter_store::Tx;
use spotter_webhooks::queue;

pub use self::host::{HostStatus, host_status};
use self::{
    companies::{CompanyListing, CompanySearch},
    host::{certificate, room},
};
use crate::{
    company_form, cookies,
    display::language,
    forms::{FormData, SubmittedForm},
    parts::{
        self,
        format::Format,
        lists::{facts, table},
        shell::alone,
    },
    session::redirect,
    words::Strings,
};

/// Path of the page.
const PAGE: &str = "/operator";
/// Path where a link is used: by a form, because programs follow links on their own.
const SIGN_IN: &str = "/operator/enter";
const COOKIE: &str = "spotter_operator";
/// How long a link is good, in seconds.
const LINK_SECONDS: i64 = 15 * 60;
/// Seconds that a session lasts.
const SESSION_SECONDS: i64 = 12 * 3_600;
/// How long before its end a certificate is a trouble, in seconds.
pub const CERTIFICATE_SECONDS: i64 = 14 * 86_400;
/// Seconds after which a daily backup is late: a day, and what it may take.
const BACKUP_LATE: i64 = 26 * 3_600;
/// Name under which the last used link is stored.
const USED: &str = "operator link";
/// Name under which the time of the last backup is stored.
pub const BACKED_UP: &str = "backed up";

/// What the program knows of itself.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Its version.
    pub version: &'static str,
    /// Since when it runs.
    pub started_at: Timestamp,
    /// Settings with their value and source, without secrets.
    pub settings: Vec<(String, String, String)>,
    /// Folder of its files, whose disk can fill up.
    pub data: PathBuf,
    /// The file of its certificate, where it has one itself.
    pub certificate: Option<PathBuf>,
}

/// A link to the page.
pub fn link(env: &Env) -> Result<String> {
    let issued = env.clock.now().millis();
    Ok(format!("{}{PAGE}?key={}", env.address, signed(env, "operator link", issued)?))
}

/// An instant with a signature for one purpose.
fn signed(env: &Env, purpose: &str, issued: i64) -> Result<String> {
    env.vault.signed(purpose, &issued.to_string())
}

/// The instant that was signed for a purpose, if it was and is not too long ago.
fn issued(env: &Env, purpose: &str, text: &str, seconds: i64) -> Option<i64> {
    let at: i64 = env.vault.verified(purpose, text)?.parse().ok()?;
    let age = env.clock.now().millis() - at;
    (0..=seconds * 1_000).contains(&age).then_some(at)
}

fn last_used(tx: &mut Tx<'_>) -> Result<i64> {
    let kept = installation::noted(tx, USED)?.unwrap_or_default();
    Ok(String::from_utf8(kept).ok().and_then(|text| text.parse().ok()).unwrap_or(0))
}

type SharedState = (Arc<State>, Arc<Installation>);

/// The routes of the page.
pub fn router(state: Arc<State>, installation: Installation) -> Router {
    Router::new()
        .route(PAGE, get(show))
        .route(SIGN_IN, post(open_session))
        .route("/operator/sign-out", post(sign_out))
        .route(companies::SIGN_UP, get(new_company).post(sign_up_company))
        .route(companies::SUSPEND, post(suspend_company))
        .route(companies::RESUME, post(resume_company))
        .with_state((state, Arc::new(installation)))
}

async fn show(
    Given((state, installation)): Given<SharedState>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    if let Err(problem) = state.count_address(&request) {
        return parts::problem(t, &problem);
    }
    let query = request.uri().query().unwrap_or_default();
    let key = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "key");
    if let Some((_, key)) = key {
        return match issued(&state.env, "operator link", &key, LINK_SECONDS) {
            Some(_) => door(t, &key),
            None => closed(t),
        };
    }
    let Some(at) = session(&state, request.headers()) else { return closed(t) };
    match read_status(&state, &installation, CompanySearch::of_query(query)).await {
        Ok(seen) if seen.session == at => overview(&state, t, &installation, &seen),
        Ok(_) => closed(t),
        Err(problem) => parts::problem(t, &problem),
    }
}

fn door(t: Strings, key: &str) -> Response<Body> {
    let main = html! {
        form method="post" action=(SIGN_IN) {
            input type="hidden" name="key" value=(key);
            button type="submit" { (t.open_page()) }
        }
    };
    parts::outside(t, StatusCode::OK, t.installation(), false, main)
}

/// Opens a session for an unused link.
async fn open_session(
    Given((state, _)): Given<SharedState>,
    request: Request<Body>,
) -> Response<Body> {
    let sent = match SubmittedForm::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let (state, t) = (&state, language(&sent.headers));
    let key = sent.form.one("key");
    let Some(at) = issued(&state.env, "operator link", key, LINK_SECONDS) else {
        return closed(t);
    };
    let used = state.db.write(move |tx: &mut Tx<'_>| {
        let is_new = last_used(tx)? < at;
        if is_new {
            installation::note(tx, USED, at.to_string().into_bytes())?;
        }
        Ok(is_new)
    });
    match (used.await, signed(&state.env, "operator session", at)) {
        (Ok(true), Ok(session)) => {
            let seconds = u32::try_from(SESSION_SECONDS).unwrap_or(u32::MAX);
            cookies::with_cookie(state, redirect(PAGE), COOKIE, PAGE, &session, seconds)
        }
        (Ok(false), _) => closed(t),
        (Err(problem), _) | (_, Err(problem)) => parts::problem(t, &problem),
    }
}

fn session(state: &State, headers: &HeaderMap) -> Option<i64> {
    let text = cookies::cookie(headers, COOKIE)?;
    issued(&state.env, "operator session", &text, SESSION_SECONDS)
}

fn closed(t: Strings) -> Response<Body> {
    parts::stopped(t, StatusCode::NOT_FOUND, t.operator_closed())
}

async fn sign_out(Given((state, _)): Given<SharedState>, request: Request<Body>) -> Response<Body> {
    let sent = match SubmittedForm::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    if let Some(at) = session(&state, &sent.headers) {
        let end = move |tx: &mut Tx<'_>| match last_used(tx)? == at {
            true => installation::note(tx, USED, (at + 1).to_string().into_bytes()),
            false => Ok(()),
        };
        if let Err(problem) = state.db.write(end).await {
            return parts::problem(language(&sent.headers), &problem);
        }
    }
    cookies::with_cookie(&state, redirect(PAGE), COOKIE, PAGE, "", 0)
}

/// Signs a company up, and shows the link by which its admin chooses a password.
async fn sign_up_company(
    Given((state, _)): Given<SharedState>,
    request: Request<Body>,
) -> Response<Body> {
    let sent = match SubmittedForm::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let t = language(&sent.headers);
    let Some(at) = session(&state, &sent.headers) else { return closed(t) };
    let (company, admin) = match company_form::read(&sent.form) {
        Ok(read) => read,
        Err(problem) => return companies::sign_up_page(t, &sent.form, Some(&problem)),
    };
    let env = state.env.clone();
    let sign_up = move |tx: &mut Tx<'_>| match last_used(tx)? == at {
        true => founding::sign_up(tx, &env, company.clone(), admin.clone()).map(Some),
        false => Ok(None),
    };
    match state.db.write(sign_up).await {
        Ok(Some(made)) => companies::signed_up(t, &state.env, &made),
        Ok(None) => closed(t),
        Err(problem) if problem.status < 500 => {
            companies::sign_up_page(t, &sent.form, Some(&problem))
        }
        Err(problem) => parts::problem(t, &problem),
    }
}

/// The form for a new company.
async fn new_company(
    Given((state, _)): Given<SharedState>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    if let Err(problem) = state.count_address(&request) {
        return parts::problem(t, &problem);
    }
    let Some(at) = session(&state, request.headers()) else { return closed(t) };
    match state.db.read(last_used).await {
        Ok(used) if used == at => companies::sign_up_page(t, &FormData::from_query(""), None),
        Ok(_) => closed(t),
        Err(problem) => parts::problem(t, &problem),
    }
}

async fn suspend_company(
    Given((state, _)): Given<SharedState>,
    request: Request<Body>,
) -> Response<Body> {
    change_company(&state, request, "suspend_company", suspend).await
}

async fn resume_company(
    Given((state, _)): Given<SharedState>,
    request: Request<Body>,
) -> Response<Body> {
    change_company(&state, request, "resume_company", resume).await
}

/// Does something with the company that a form names.
async fn change_company(
    state: &Arc<State>,
    request: Request<Body>,
    operation: &'static str,
    step: fn(&mut Write<'_, '_>) -> Result<bool>,
) -> Response<Body> {
    let sent = match SubmittedForm::take(state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let t = language(&sent.headers);
    let Some(at) = session(state, &sent.headers) else { return closed(t) };
    let env = state.env.clone();
    let company = Id::parse(sent.form.one("company")).map(CompanyId);
    let change = move |tx: &mut Tx<'_>| {
        if last_used(tx)? != at {
            return Ok(false);
        }
        let known = company.map_or(Ok(None), |company| find(tx, company))?;
        let company = known.ok_or(Key::CompanyNotFound)?.company_id;
        Write::as_system(tx, &env, company, operation, &[], |cx| step(cx).map(drop))?;
        Ok(true)
    };
    match state.db.write(change).await {
        Ok(true) => redirect(&CompanySearch::path(&sent.form)),
        Ok(false) => closed(t),
        Err(problem) => parts::problem(t, &problem),
    }
}

/// Status of the installation's database.
struct DatabaseStatus {
    session: i64,
    companies: CompanyListing,
    backed_up: Option<Timestamp>,
    overview: Overview,
    standings: Vec<JobCount>,
    troubles: Vec<FailedJob>,
    deliveries: (i64, Option<Timestamp>),
    files: HostStatus,
}

/// When the installation was last backed up.
pub fn last_backup(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    let noted = installation::noted(tx, BACKED_UP)?;
    let millis = noted.and_then(|kept| String::from_utf8(kept).ok()?.parse().ok());
    Ok(millis.map(Timestamp::from_millis))
}

async fn read_status(
    state: &Arc<State>,
    own: &Arc<Installation>,
    search: CompanySearch,
) -> Result<DatabaseStatus> {
    let now = state.env.clock.now();
    let own = own.clone();
    let host = move || host_status(&own.data, own.certificate.as_deref());
    let files = tokio::task::spawn_blocking(host).await;
    let files = files.map_err(Problem::internal)?;
    let read = move |tx: &mut Tx<'_>| {
        let (states, troubles) = jobs::overview(tx)?;
        Ok(DatabaseStatus {
            session: last_used(tx)?,
            companies: search.clone().read(tx)?,
            backed_up: last_backup(tx)?,
            overview: timers::overview(tx)?,
            standings: states,
            troubles,
            deliveries: queue::past_due(tx, now)?,
            files: HostStatus::default(),
        })
    };
    Ok(DatabaseStatus { files, ..state.db.read(read).await? })
}

fn overview(
    state: &State,
    t: Strings,
    own: &Installation,
    seen: &DatabaseStatus,
) -> Response<Body> {
    let now = state.env.clock.now();
    let written = Format { strings: t, zone: TimeZone::UTC, now };
    let at = |at: Option<Timestamp>| {
        at.map_or_else(|| t.never().to_owned(), |at| format!("{} UTC", written.instant(at)))
    };
    let failing: Vec<_> =
        seen.overview.repeating.iter().filter(|row| row.error.is_some()).collect();
    let (waiting, oldest) = seen.deliveries;
    let late = oldest.map_or(0, |oldest| (now.seconds() - oldest.seconds()).max(0));
    let certificate_ends =
        seen.files.certificate.filter(|at| at.seconds() - now.seconds() < CERTIFICATE_SECONDS);
    let backup_is_old = seen.backed_up.is_none_or(|at| now.seconds() - at.seconds() > BACKUP_LATE);
    let all_well = failing.is_empty()
        && seen.troubles.is_empty()
        && late < 300
        && !backup_is_old
        && certificate_ends.is_none();
    let main = html! {
        div.notice.(if all_well { "" } else { "warn" }) role="status" {
            @if all_well {
                (t.all_is_well())
            } @else {
                ul.rows {
                    @if backup_is_old { li { (t.backup_is_old()) } }
                    @if certificate_ends.is_some() {
                        li { (t.certificate_ends(&at(certificate_ends))) }
                    }
                    @if late >= 300 {
                        li {
                            (t.deliveries_wait(&written.count(waiting), &written.count(late / 60)))
                        }
                    }
                    @for row in &failing {
                        li {
                            code { (row.kind) }
                            span.grow { (row.error.as_deref().unwrap_or_default()) }
                        }
                    }
                    @if !seen.troubles.is_empty() {
                        li { (t.jobs_in_trouble(&written.count(seen.troubles.len() as i64))) }
                    }
                }
            }
        }
        section.card {
            (facts(vec![
                (t.version(), html! { (own.version) }),
                (t.runs_since(), html! { (at(Some(own.started_at))) }),
                (t.backed_up(), html! { (at(seen.backed_up)) }),
                (t.room(), room(t, &written, &seen.files)),
                (t.certificate(), certificate(t, &at, own.certificate.as_deref(), &seen.files)),
                (t.companies(), html! { (written.count(seen.companies.total)) }),
                (t.deliveries_due(), html! { (written.count(waiting)) }),
            ]))
        }
        (companies::section(&written, &seen.companies))
        h2 { (t.jobs()) }
        (repeating(state, t, &at, &seen.overview))
        @if !seen.standings.is_empty() {
            (table(
                t.jobs(),
                &[t.job(), t.status(), t.how_many(), t.next_time()],
                seen.standings
                    .iter()
                    .map(|row| {
                        vec![
                            html! { code { (row.kind) } },
                            html! { (t.term(row.state.word())) },
                            html! { (row.count) },
                            html! { @if row.next_at.is_some() { (at(row.next_at)) } },
                        ]
                    })
                    .collect(),
            ))
        }
        @if !seen.troubles.is_empty() {
            h2 { (t.in_trouble()) }
            (table(
                t.in_trouble(),
                &[t.job(), t.company(), t.attempts(), t.when(), t.reason()],
                seen.troubles
                    .iter()
                    .map(|row| {
                        vec![
                            html! {
                                code { (row.kind) }
                                br;
                                span.quiet { (row.subject) }
                            },
                            html! { (row.company_id) },
                            html! { (row.attempts) },
                            html! {
                                @if row.ended_at.is_some() {
                                    (at(row.ended_at))
                                } @else {
                                    (t.tried_again())
                                }
                            },
                            html! { (row.error.as_deref().unwrap_or_default()) },
                        ]
                    })
                    .collect(),
            ))
        }
        h2 { (t.settings_in_force()) }
        (table(
            t.settings_in_force(),
            &[t.name(), t.value(), t.set_by()],
            own.settings
                .iter()
                .map(|(name, value, by)| {
                    vec![html! { code { (name) } }, html! { code { (value) } }, html! { (by) }]
                })
                .collect(),
        ))
        form method="post" action="/operator/sign-out" {
            button.plain type="submit" { (t.sign_out()) }
        }
    };
    alone(t, t.installation(), main)
}

/// Recurring work: when it last ran, how long that took, whether it failed.
fn repeating(
    state: &State,
    t: Strings,
    at: &dyn Fn(Option<Timestamp>) -> String,
    overview: &Overview,
) -> Markup {
    let rows = overview.repeating.iter().map(|row| {
        let about = state.table.repeating().iter().find(|work| work.id == row.kind);
        vec![
            html! { (about.map_or("", |work| work.summary)) br; code.quiet { (row.kind) } },
            html! { (at(row.ran_at)) },
            html! { @if let Some(took) = row.took_ms { (took) " ms" } },
            html! { (row.runs) " / " (row.failures) },
            html! { @if let Some(error) = &row.error { span.state.bad { (error) } } },
        ]
    });
    let columns = [t.job(), t.last_time(), t.took(), t.runs_and_failures(), t.reason()];
    table(t.jobs(), &columns, rows.collect())
}
