//! Sessions: opened with a password, gone on with, and ended.

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    extract,
    http::{Request, Response},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use spotter_company::company::Company;
use spotter_contract::{Actor, Caller, Read, Write};
use spotter_kernel::{
    Entropy, Key, Problem, Result,
    id::CompanyId,
    secret::{Credential, CredentialKind},
    text::{Email, Text},
};
use spotter_people::identity::{
    accounts::{self, Account, Password, Subject},
    sessions::{self, RefreshOutcome, SessionTokens},
};
use spotter_store::Tx;

use super::{
    ATTEMPTS_PER_ACCOUNT, ATTEMPTS_PER_ADDRESS, SessionAnswer, SignInRequest, hashing, second_step,
    within_limit,
};
use crate::{observe::RequestId, rate_limit::RateLimitKey, rules::HttpRule, server::State};

/// A sign-in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Login {
    /// The account's address.
    pub email: Email,
    /// The account's password.
    #[schemars(with = "String")]
    pub password: Password,
    /// Needed where the address has accounts at several companies.
    pub company_id: Option<CompanyId>,
    /// Needed where the address is both a coach's and a client's.
    pub subject: Option<Subject>,
    /// Needed where the account has a second step: what its authenticator shows, or a recovery code.
    pub code: Option<Text<20>>,
    /// Whether the browser shows that it signed in to this account before: its attempts are counted apart from a stranger's.
    #[serde(skip)]
    #[schemars(skip)]
    pub is_known_browser: bool,
}

impl Login {
    fn counted(&self) -> RateLimitKey {
        counted(&self.email, self.is_known_browser)
    }
}

/// As what attempts at an address are counted: those of browsers that the account knows apart from everybody else's, so that
/// strangers who guess do not keep the owner out.
pub(super) fn counted(email: &str, is_known_browser: bool) -> RateLimitKey {
    let email = email.to_lowercase();
    RateLimitKey::Account(match is_known_browser {
        true => Sha256::digest(format!("known {email}")).into(),
        false => Sha256::digest(email).into(),
    })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Refresh {
    refresh_token: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SignOutAnswer {
    signed_out: bool,
}

pub(super) async fn login(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let outcome = match visit.body::<Login>(request).await {
        Ok(login) => sign_in(&visit, login).await,
        Err(problem) => Err(problem),
    };
    visit.respond(outcome.map(|session| SessionAnswer { session }))
}

async fn sign_in(visit: &SignInRequest, login: Login) -> Result<SessionTokens> {
    let account = recognise(&visit.state, &visit.request_id, visit.from, login).await;
    // An app sends password and code together; only pages use tickets.
    let account = account.map_err(|mut problem| {
        if let Some(details) = problem.details.as_mut().and_then(|details| details.as_object_mut())
        {
            details.remove("ticket");
        }
        problem
    })?;
    let (subject, id) = (account.subject, account.subject_id);
    let open = move |cx: &mut Write<'_, '_>| sessions::open(cx, subject, id);
    let opened = visit.write(account.company_id, Actor::System, "login", open).await;
    opened.map_err(|problem| match problem.key {
        Key::InvalidToken => Problem::new(Key::InvalidCredentials),
        _ => problem,
    })
}

/// The account that a person signs in to, with its second step where it has one.
pub async fn recognise(
    state: &Arc<State>,
    request_id: &RequestId,
    from: IpAddr,
    login: Login,
) -> Result<Account> {
    let code = login.code.clone();
    let account = knows_password(state, request_id, from, login).await?;
    second_step::verify_code(state, request_id, account, code.as_deref()).await
}

/// The account of an address and password. Attempts are limited for each account and each caller's address; neither
/// the answer nor its duration reveals whether an account exists.
async fn knows_password(
    state: &Arc<State>,
    request_id: &RequestId,
    from: IpAddr,
    login: Login,
) -> Result<Account> {
    let attempts = &state.attempts;
    let now = state.env.wall_clock.now();
    let name = login.counted();
    let address = RateLimitKey::address(from);
    // Counted before the look-up and given back on success, so that a burst can't slip through.
    let by_account = attempts.take(name, ATTEMPTS_PER_ACCOUNT, now);
    let by_address = attempts.take(address, ATTEMPTS_PER_ADDRESS, now);
    within_limit(by_account, HttpRule::TooManyAttempts)?;
    within_limit(by_address, HttpRule::TooManyAttempts)?;
    // What fails on our side was no attempt.
    let looked = matching_accounts(state, login).await.inspect_err(|_| {
        attempts.give_back(name);
        attempts.give_back(address);
    });
    let (found, mut matching) = looked?;
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

/// The accounts of an address, and those of them whose password this is.
async fn matching_accounts(state: &State, login: Login) -> Result<(Vec<Account>, Vec<Account>)> {
    let (email, company) = (login.email.clone(), login.company_id);
    let read = move |tx: &mut Tx<'_>| accounts::candidates(tx, &email, company);
    let mut found = state.db.read(read).await?;
    found.retain(|account| login.subject.is_none_or(|subject| subject == account.subject));
    let (known, entropy) = (found.clone(), state.env.entropy.clone());
    let matching = hashing(move || matching(known, &login.password, &*entropy)).await?;
    Ok((found, matching))
}

/// Asks which account is meant; a person who knows the password of each may know their companies.
async fn several(state: &State, accounts: Vec<Account>) -> Result<Problem> {
    let mut ids: Vec<CompanyId> = accounts.iter().map(|account| account.company_id).collect();
    ids.dedup();
    if ids.len() == 1 {
        return Ok(Problem::invalid("subject", HttpRule::AccountKindNeeded));
    }
    let now = state.env.clock.now();
    let read = move |tx: &mut Tx<'_>| {
        ids.iter()
            .map(|id| Company::find(&mut Read::new(tx, &Caller::new(*id, Actor::System), now)))
            .collect::<Result<Vec<_>>>()
    };
    let mut problem = Problem::invalid("companyId", HttpRule::AccountNeeded);
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

/// The accounts that this password opens. An unknown address takes as long as a known one.
fn matching(accounts: Vec<Account>, password: &Password, entropy: &dyn Entropy) -> Vec<Account> {
    if accounts.is_empty() {
        password.hash(entropy).ok();
    }
    let fits =
        |account: &Account| account.password.as_ref().is_some_and(|hash| password.matches(hash));
    accounts.into_iter().filter(fits).collect()
}

/// Writes the audit rows of a failed attempt without delaying the answer, whose duration must not reveal whether the
/// account exists.
pub(super) fn note_refusals(state: &State, request_id: &RequestId, accounts: Vec<Account>) {
    let (db, env) = (state.db.clone(), state.env.clone());
    let request_id = request_id.clone();
    tokio::spawn(async move {
        for account in accounts {
            let (env, request_id) = (env.clone(), request_id.clone());
            let noted = db.write(move |tx| {
                let caller = Caller::new(account.company_id, Actor::System);
                let read = Read::new(tx, &caller, env.clock.now());
                let mut cx = Write::new(read, &env, "login", &[], request_id.as_str())?;
                cx.set_audit_target(account.subject.word(), account.subject_id, ["session"]);
                cx.audit_as("refused")
            });
            if let Err(problem) = noted.await {
                tracing::error!(%problem, "a refused login was not audited");
            }
        }
    });
}

pub(super) async fn refresh(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let outcome = match visit.body::<Refresh>(request).await {
        Ok(body) => exchange(&visit, &body.refresh_token).await,
        Err(problem) => Err(problem),
    };
    visit.respond(outcome.map(|session| SessionAnswer { session }))
}

async fn exchange(visit: &SignInRequest, token: &str) -> Result<SessionTokens> {
    let token =
        Credential::parse(CredentialKind::AppRefreshToken, token).ok_or(Key::InvalidToken)?;
    let company = token.company;
    let step = move |cx: &mut Write<'_, '_>| sessions::refresh(cx, &token);
    // A token that was used before ends its session, and that must be kept: so it is no error.
    match visit.write(company, Actor::System, "refresh", step).await? {
        RefreshOutcome::Tokens(tokens) => Ok(tokens),
        RefreshOutcome::Reused => Err(Key::InvalidToken.into()),
    }
}

pub(super) async fn logout(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let headers = request.headers().clone();
    let outcome = async {
        let (caller, subject, id, session) = visit.signed_in(headers).await?;
        let step = move |cx: &mut Write<'_, '_>| {
            cx.set_audit_target(subject.word(), id, ["session"]);
            sessions::end(cx, session)
        };
        visit.write(caller.company, caller.actor, "logout", step).await?;
        Ok(SignOutAnswer { signed_out: true })
    };
    visit.respond(outcome.await)
}
