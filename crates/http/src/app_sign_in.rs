//! Signing in to the application API: login, refresh, logout, passwords, invitations.
//!
//! These are not rows of the operations table, because a password's hash takes tens of
//! milliseconds and so must be worked out between transactions, never inside one.

use std::{
    net::IpAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract,
    http::{HeaderMap, Request, Response},
    routing::post,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use spotter_areas::{
    access::{
        accounts::{self, Account, Password, Subject},
        sessions::{self, Refreshed, SessionTokens},
    },
    company::Company,
};
use spotter_contract::{
    Actor, Arguments, Body as JsonBody, Caller, Read, Surface, Write, arguments::Argument,
};
use spotter_kernel::{
    Entropy, Event, Id, Key, Problem, Result,
    id::CompanyId,
    secret::{Credential, CredentialKind},
    text::Email,
};
use spotter_store::Tx;
use tokio::sync::Semaphore;

use crate::{
    address, envelope,
    observe::RequestId,
    pipeline::{bearer, collect},
    rate::{Counted, Figures},
    server::State,
    visitor,
};

/// Attempts are counted over this long.
pub(crate) const ATTEMPTS_WINDOW_SECONDS: i64 = 15 * 60;
/// Failed attempts on one account within the window.
const ATTEMPTS_PER_ACCOUNT: u32 = 10;
/// Failed attempts from one address within the window.
const ATTEMPTS_PER_ADDRESS: u32 = 50;
/// Hashes that are worked out at once; each takes 19 MiB and a core.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));

/// The routes of signing in.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    Router::new()
        .route("/app/v1/auth/login", post(login))
        .route("/app/v1/auth/refresh", post(refresh))
        .route("/app/v1/auth/logout", post(logout))
        .route("/app/v1/auth/password", post(change_password))
        .route("/app/v1/auth/invitations/accept", post(accept_invitation))
        .with_state(state.clone())
}

/// A sign-in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Login {
    /// The account's address.
    pub email: Email,
    /// Its password.
    #[schemars(with = "String")]
    pub password: Password,
    /// Needed where the address has accounts at several companies.
    pub company_id: Option<CompanyId>,
    /// Needed where the address is both a coach's and a client's.
    pub subject: Option<Subject>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Refresh {
    refresh_token: String,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PasswordChange {
    #[schemars(with = "String")]
    current_password: Password,
    #[schemars(with = "String")]
    new_password: Password,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Acceptance {
    token: String,
    #[schemars(with = "String")]
    password: Password,
}

#[derive(Serialize)]
struct SessionAnswer {
    session: SessionTokens,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    signed_out: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PasswordChanged {
    password_changed: bool,
}

/// What every sign-in request brings.
struct Visit {
    state: Arc<State>,
    request_id: RequestId,
    from: IpAddr,
    figures: Figures,
}

impl Visit {
    fn new(state: Arc<State>, request: &Request<Body>) -> Self {
        let from = address::of(request, &state.settings.trusted_proxies);
        let (limit, now) = (state.settings.anonymous_rate_limit, state.env.clock.now());
        let figures = state.rates.take(Counted::address(from), limit, now);
        Self { request_id: RequestId::of(request), from, figures, state }
    }

    async fn body<T>(&self, request: Request<Body>) -> Result<T>
    where
        T: serde::de::DeserializeOwned + JsonSchema + Clone + Send + 'static,
    {
        if self.figures.exceeded {
            return Err(Key::RateLimitExceeded.into());
        }
        let (parts, body) = request.into_parts();
        let body = collect(&parts.headers, body).await?;
        Ok(JsonBody::take(&Arguments { body, ..Arguments::default() })?.0)
    }

    /// Runs a writing step with its audit row, as this actor.
    async fn write<T: Send + 'static>(
        &self,
        company: CompanyId,
        actor: Actor,
        operation: &'static str,
        step: impl FnMut(&mut Write<'_, '_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let as_whom = Caller::new(company, actor);
        visitor::write(&self.state, as_whom, (operation, EVENTS), &self.request_id, step).await
    }

    /// The signed-in caller and their account.
    async fn signed_in(&self, headers: HeaderMap) -> Result<(Caller, Subject, Id, Id)> {
        let token = bearer(&headers, Surface::App)?;
        let env = self.state.env.clone();
        let read = move |tx: &mut Tx<'_>| sessions::authenticate(tx, &env, &token);
        let caller = self.state.db.read(read).await?;
        match caller.actor {
            Actor::Coach { id, session, .. } => Ok((caller, Subject::Coach, id.0, session)),
            Actor::Client { id, session } => Ok((caller, Subject::Client, id.0, session)),
            _ => Err(Key::InvalidToken.into()),
        }
    }

    fn respond<T: Serialize>(&self, outcome: Result<T>) -> Response<Body> {
        envelope::answer(outcome, 200, true, self.request_id.as_str(), self.figures)
    }
}

/// What accepting an invitation may announce.
const EVENTS: &[Event] = &[Event::ClientPortalAccessChanged];

/// Works a hash out away from the runtime, a few at a time.
async fn hashing<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let permit = tokio::time::timeout(Duration::from_secs(5), HASHING.acquire()).await;
    let Ok(Ok(_permit)) = permit else { return Err(Problem::overloaded()) };
    tokio::task::spawn_blocking(work).await.map_err(Problem::internal)
}

fn new_hash(state: &State, password: Password) -> impl FnOnce() -> Result<String> + Send + 'static {
    let entropy = state.env.entropy.clone();
    move || password.hash(&*entropy)
}

/// Refuses one attempt too many, and says how long to wait.
fn within_limit(attempts: Figures) -> Result<()> {
    if !attempts.exceeded {
        return Ok(());
    }
    let mut problem = Problem::because(Key::RateLimitExceeded, "Too many failed attempts.");
    problem.retry_after = Some(attempts.reset_seconds);
    Err(problem)
}

async fn login(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = Visit::new(state, &request);
    let outcome = match visit.body::<Login>(request).await {
        Ok(login) => sign_in(&visit, login).await,
        Err(problem) => Err(problem),
    };
    visit.respond(outcome.map(|session| SessionAnswer { session }))
}

async fn sign_in(visit: &Visit, login: Login) -> Result<SessionTokens> {
    let account = recognise(&visit.state, &visit.request_id, visit.from, login).await?;
    let (subject, id) = (account.subject, account.subject_id);
    let open = move |cx: &mut Write<'_, '_>| sessions::open(cx, subject, id);
    let opened = visit.write(account.company_id, Actor::System, "login", open).await;
    opened.map_err(|problem| match problem.key {
        Key::InvalidToken => Problem::new(Key::InvalidCredentials),
        _ => problem,
    })
}

/// The account whose address and password these are. Attempts are limited for each account and each
/// address that they come from; neither the answer nor its time tells whether an account exists.
pub async fn recognise(
    state: &Arc<State>,
    request_id: &RequestId,
    from: IpAddr,
    login: Login,
) -> Result<Account> {
    let attempts = &state.attempts;
    let now = state.env.clock.now();
    let name = Counted::Account(Sha256::digest(login.email.to_lowercase()).into());
    let address = Counted::address(from);
    // Counted before the look-up and given back on success, so that a burst can't slip through.
    let by_account = attempts.take(name, ATTEMPTS_PER_ACCOUNT, now);
    let by_address = attempts.take(address, ATTEMPTS_PER_ADDRESS, now);
    within_limit(by_account)?;
    within_limit(by_address)?;
    let (email, company) = (login.email.clone(), login.company_id);
    let read = move |tx: &mut Tx<'_>| accounts::candidates(tx, &email, company);
    let mut found = state.db.read(read).await?;
    found.retain(|account| login.subject.is_none_or(|subject| subject == account.subject));
    let (known, entropy) = (found.clone(), state.env.entropy.clone());
    let mut matching = hashing(move || matching(known, &login.password, &*entropy)).await?;
    match (matching.pop(), matching.is_empty()) {
        (Some(account), true) => {
            attempts.give_back(name);
            attempts.give_back(address);
            Ok(account)
        }
        (None, _) => {
            note_refusals(state, request_id, found);
            Err(Key::InvalidCredentials.into())
        }
        (Some(last), false) => {
            attempts.give_back(name);
            attempts.give_back(address);
            matching.push(last);
            Err(several(state, matching).await?)
        }
    }
}

/// Asks which of the accounts is meant; whoever knows the password of each may know where they are.
async fn several(state: &State, accounts: Vec<Account>) -> Result<Problem> {
    let mut ids: Vec<CompanyId> = accounts.iter().map(|account| account.company_id).collect();
    ids.dedup();
    if ids.len() == 1 {
        return Ok(Problem::invalid(
            "subject",
            "is needed: the address is a coach's and a client's",
        ));
    }
    let now = state.env.clock.now();
    let read = move |tx: &mut Tx<'_>| {
        ids.iter()
            .map(|id| Company::find(&mut Read::new(tx, &Caller::new(*id, Actor::System), now)))
            .collect::<Result<Vec<_>>>()
    };
    let mut problem = Problem::invalid("companyId", "is needed: the address has several accounts");
    let companies: Vec<_> = state
        .db
        .read(read)
        .await?
        .into_iter()
        .map(|company| json!({"companyId": company.company_id, "name": company.name}))
        .collect();
    if let Some(details) = &mut problem.details {
        details["companies"] = companies.into();
    }
    Ok(problem)
}

/// The accounts whose password it is. Somebody unknown costs as much time as somebody known.
fn matching(accounts: Vec<Account>, password: &Password, entropy: &dyn Entropy) -> Vec<Account> {
    if accounts.is_empty() {
        password.hash(entropy).ok();
    }
    let fits =
        |account: &Account| account.password.as_ref().is_some_and(|hash| password.matches(hash));
    accounts.into_iter().filter(fits).collect()
}

/// Writes the audit rows of a failed attempt, without making the caller wait for them: the time
/// of the answer must not tell whether the account exists.
fn note_refusals(state: &State, request_id: &RequestId, accounts: Vec<Account>) {
    let (db, env) = (state.db.clone(), state.env.clone());
    let request_id = request_id.clone();
    tokio::spawn(async move {
        for account in accounts {
            let (env, request_id) = (env.clone(), request_id.clone());
            let noted = db.write(move |tx| {
                let caller = Caller::new(account.company_id, Actor::System);
                let read = Read::new(tx, &caller, env.clock.now());
                let mut cx = Write::new(read, &env, "login", &[], request_id.as_str())?;
                cx.touch(account.subject.word(), account.subject_id, ["session"]);
                cx.audit_as("refused")
            });
            if let Err(problem) = noted.await {
                tracing::error!(%problem, "a refused login was not audited");
            }
        }
    });
}

async fn refresh(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = Visit::new(state, &request);
    let outcome = match visit.body::<Refresh>(request).await {
        Ok(body) => exchange(&visit, &body.refresh_token).await,
        Err(problem) => Err(problem),
    };
    visit.respond(outcome.map(|session| SessionAnswer { session }))
}

async fn exchange(visit: &Visit, token: &str) -> Result<SessionTokens> {
    let token =
        Credential::parse(CredentialKind::AppRefreshToken, token).ok_or(Key::InvalidToken)?;
    let company = token.company;
    let step = move |cx: &mut Write<'_, '_>| sessions::refresh(cx, &token);
    // A token that was used before ends its session, and that must be kept: so it is no error.
    match visit.write(company, Actor::System, "refresh", step).await? {
        Refreshed::Tokens(tokens) => Ok(tokens),
        Refreshed::Reused => Err(Key::InvalidToken.into()),
    }
}

async fn logout(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = Visit::new(state, &request);
    let headers = request.headers().clone();
    let outcome = async {
        let (caller, subject, id, session) = visit.signed_in(headers).await?;
        let step = move |cx: &mut Write<'_, '_>| {
            cx.touch(subject.word(), id, ["session"]);
            sessions::end(cx, session)
        };
        visit.write(caller.company, caller.actor, "logout", step).await?;
        Ok(Done { signed_out: true })
    };
    visit.respond(outcome.await)
}

async fn change_password(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = Visit::new(state, &request);
    visit.respond(replace_password(&visit, request).await)
}

async fn replace_password(visit: &Visit, request: Request<Body>) -> Result<PasswordChanged> {
    let (caller, subject, id, session) = visit.signed_in(request.headers().clone()).await?;
    let change: PasswordChange = visit.body(request).await?;
    let attempts = &visit.state.attempts;
    let counted = Counted::Caller(id);
    let figures = attempts.take(counted, ATTEMPTS_PER_ACCOUNT, visit.state.env.clock.now());
    within_limit(figures)?;
    let company = caller.company;
    let find = move |tx: &mut Tx<'_>| accounts::find(tx, company, subject, id);
    let account = visit.state.db.read(find).await?.ok_or(Key::InvalidToken)?;
    let current = change.current_password;
    let right =
        hashing(move || account.password.as_ref().is_some_and(|hash| current.matches(hash)));
    if !right.await? {
        return Err(Problem::invalid("currentPassword", "must be the current password"));
    }
    attempts.give_back(counted);
    let hash = hashing(new_hash(&visit.state, change.new_password)).await??;
    let step = move |cx: &mut Write<'_, '_>| {
        accounts::set_password(cx, subject, id, &hash)?;
        sessions::end_others(cx, subject, id, session)
    };
    visit.write(company, caller.actor, "change_password", step).await?;
    Ok(PasswordChanged { password_changed: true })
}

async fn accept_invitation(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = Visit::new(state, &request);
    let outcome = match visit.body::<Acceptance>(request).await {
        Ok(acceptance) => accept(&visit, acceptance).await,
        Err(problem) => Err(problem),
    };
    visit.respond(outcome.map(|session| SessionAnswer { session }))
}

async fn accept(visit: &Visit, acceptance: Acceptance) -> Result<SessionTokens> {
    let token = Credential::parse(CredentialKind::Invitation, &acceptance.token)
        .ok_or_else(|| Problem::invalid("token", "must be an invitation that is open"))?;
    let hash = hashing(new_hash(&visit.state, acceptance.password)).await??;
    let company = token.company;
    let step = move |cx: &mut Write<'_, '_>| {
        let (subject, id) = accounts::accept(cx, &token, &hash)?;
        sessions::open(cx, subject, id)
    };
    visit.write(company, Actor::System, "accept_invitation", step).await
}
