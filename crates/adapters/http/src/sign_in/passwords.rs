//! Passwords: the first one by invitation, changing it, and resetting it by mail.

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract,
    http::{Request, Response},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use spotter_contract::{Actor, Caller, Read, Write};
use spotter_kernel::{
    Event, Key, Phrase, Problem, Result, Rule,
    secret::{Credential, CredentialKind},
    text::Email,
};
use spotter_people::identity::{
    accounts::{self, Account, Password, Subject},
    browsers,
    sessions::{self, SessionTokens},
};
use spotter_store::Tx;

use super::{ATTEMPTS_PER_ACCOUNT, SessionAnswer, SignInRequest, hashing, new_hash, within_limit};
use crate::{
    observe::RequestId, rate_limit::RateLimitKey, rules::HttpRule, server::State, visitor,
};

/// The hash of a password, worked out beside requests.
pub async fn hashed(state: &State, password: Password) -> Result<String> {
    hashing(new_hash(state, password)).await?
}

/// Messages that an address may ask for within the window.
const RESETS_PER_ADDRESS: u32 = 3;
/// Reset messages per hour from one address.
const RESETS_FROM: u32 = 30;
/// The answer takes this long, whether or not the address has an account.
const FORGOT_TIME: Duration = Duration::from_millis(300);

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

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ResetRequest {
    email: Email,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResetAnswer {
    accepted: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PasswordChanged {
    password_changed: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AddressConfirmed {
    address_confirmed: bool,
}

pub(super) async fn change_password(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    visit.respond(replace_password(&visit, request).await)
}

async fn replace_password(
    visit: &SignInRequest,
    request: Request<Body>,
) -> Result<PasswordChanged> {
    let (caller, ..) = visit.signed_in(request.headers().clone()).await?;
    let PasswordChange { current_password, new_password } = visit.body(request).await?;
    change(&visit.state, &visit.request_id, caller, current_password, new_password).await?;
    Ok(PasswordChanged { password_changed: true })
}

/// Whether this is the password of the signed-in person, asked for again before a sensitive action. Attempts count
/// for the person, apart from strangers' attempts at their address.
pub async fn is_own(
    state: &Arc<State>,
    request_id: &RequestId,
    caller: &Caller,
    password: Password,
) -> Result<bool> {
    let (company, subject, id) = match caller.actor {
        Actor::Coach { id, .. } => (caller.company, Subject::Coach, id.0),
        Actor::Client { id, .. } => (caller.company, Subject::Client, id.0),
        _ => return Ok(false),
    };
    let find = move |tx: &mut Tx<'_>| accounts::find(tx, company, subject, id);
    let Some(account) = state.db.read(find).await? else { return Ok(false) };
    let is_right = is_password_of(state, account.clone(), password).await?;
    if !is_right {
        super::sessions::note_refusals(state, request_id, vec![account]);
    }
    Ok(is_right)
}

/// Whether this is the password of an account, within a limited number of failures.
async fn is_password_of(state: &Arc<State>, account: Account, password: Password) -> Result<bool> {
    let counted = RateLimitKey::Caller(account.subject_id);
    let now = state.env.wall_clock.now();
    within_limit(
        state.attempts.take(counted, ATTEMPTS_PER_ACCOUNT, now),
        HttpRule::TooManyAttempts,
    )?;
    let right =
        hashing(move || account.password.as_ref().is_some_and(|hash| password.matches(hash)));
    let right = right.await;
    // What fails on our side was no attempt.
    if !matches!(right, Ok(false)) {
        state.attempts.give_back(counted);
    }
    right
}

/// Changes the password of a signed-in person who knows the current one, and ends their other sessions.
pub async fn change(
    state: &Arc<State>,
    request_id: &RequestId,
    caller: Caller,
    current: Password,
    new: Password,
) -> Result<()> {
    let (subject, id, session) = match caller.actor {
        Actor::Coach { id, session, .. } => (Subject::Coach, id.0, session),
        Actor::Client { id, session } => (Subject::Client, id.0, session),
        _ => return Err(Key::InvalidToken.into()),
    };
    let company = caller.company;
    let find = move |tx: &mut Tx<'_>| accounts::find(tx, company, subject, id);
    let account = state.db.read(find).await?.ok_or(Key::InvalidToken)?;
    if !is_password_of(state, account, current).await? {
        return Err(Problem::invalid("currentPassword", HttpRule::WrongCurrentPassword));
    }
    let hash = hashed(state, new).await?;
    let step = move |cx: &mut Write<'_, '_>| {
        accounts::set_password(cx, subject, id, &hash)?;
        sessions::end_others(cx, subject, id, session)
    };
    let caller = Caller::new(company, caller.actor);
    visitor::write(state, caller, "change_password", &[], request_id, step).await
}

impl SignInRequest {
    /// A token of a kind, and the password that it sets.
    async fn acceptance(
        &self,
        request: Request<Body>,
        kind: CredentialKind,
        rule: impl Into<Phrase>,
    ) -> Result<(Credential, Password)> {
        let Acceptance { token, password } = self.body(request).await?;
        let token = Credential::parse(kind, &token);
        Ok((token.ok_or_else(|| Problem::invalid("token", rule))?, password))
    }
}

pub(super) async fn accept_invitation(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let outcome = async {
        let rule = Rule::InvitationClosed;
        let (token, password) = visit.acceptance(request, CredentialKind::Invitation, rule).await?;
        accept(&visit.state, &visit.request_id, token, password).await
    };
    visit.respond(outcome.await.map(|session| SessionAnswer { session }))
}

/// The hash of the password that a token sets. Hashing takes long, and few at a time may: a token that is not open is refused
/// before.
async fn hash_for(
    state: &Arc<State>,
    token: &Credential,
    closed: Rule,
    password: Password,
) -> Result<String> {
    match is_open(state, token.clone()).await? {
        true => hashed(state, password).await,
        false => Err(Problem::invalid("token", closed)),
    }
}

/// Accepts an invitation, with the password of the account; its first session.
pub async fn accept(
    state: &Arc<State>,
    request_id: &RequestId,
    token: Credential,
    password: Password,
) -> Result<SessionTokens> {
    let hash = hash_for(state, &token, Rule::InvitationClosed, password).await?;
    let caller = Caller::new(token.company, Actor::System);
    let events: &[Event] = &[Event::ClientPortalAccessChanged];
    let step = move |cx: &mut Write<'_, '_>| {
        let (subject, id) = accounts::accept(cx, &token, &hash)?;
        sessions::open(cx, subject, id)
    };
    visitor::write(state, caller, "accept_invitation", events, request_id, step).await
}

/// Accepts an invitation in a browser, which is signed in then; its session.
pub async fn accept_in_browser(
    state: &Arc<State>,
    request_id: &RequestId,
    token: Credential,
    password: Password,
    browser: String,
) -> Result<Credential> {
    let hash = hash_for(state, &token, Rule::InvitationClosed, password).await?;
    let caller = Caller::new(token.company, Actor::System);
    let events: &[Event] = &[Event::ClientPortalAccessChanged];
    let step = move |cx: &mut Write<'_, '_>| {
        let (subject, id) = accounts::accept(cx, &token, &hash)?;
        browsers::open(cx, subject, id, &browser, false)
    };
    visitor::write(state, caller, "accept_invitation", events, request_id, step).await
}

pub(super) async fn forgot_password(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let outcome = async {
        let ResetRequest { email } = visit.body(request).await?;
        forgot(&visit.state, &visit.request_id, visit.from, email).await?;
        Ok(ResetAnswer { accepted: true })
    };
    visit.respond(outcome.await)
}

/// Whether a token can still be used.
pub async fn is_open(state: &Arc<State>, token: Credential) -> Result<bool> {
    let now = state.env.clock.now();
    let read = move |tx: &mut Tx<'_>| {
        let caller = Caller::new(token.company, Actor::System);
        accounts::is_open(&mut Read::new(tx, &caller, now), &token)
    };
    state.db.read(read).await
}

/// Mails a reset link to the accounts of this address. Neither the answer nor its duration reveals whether there are
/// any.
pub async fn forgot(
    state: &Arc<State>,
    request_id: &RequestId,
    from: IpAddr,
    email: Email,
) -> Result<()> {
    if state.env.mail_links.is_none() {
        return Err(Problem::conflict("email", HttpRule::NoMailInstalled));
    }
    let (attempts, now) = (&state.attempts, state.env.wall_clock.now());
    // Apart from failed sign-ins, which are counted by the same means.
    let counted =
        |what: &str| RateLimitKey::Account(Sha256::digest(format!("forgot {what}")).into());
    let by_name = counted(&email.to_lowercase());
    let by_name = attempts.take(by_name, RESETS_PER_ADDRESS, now);
    let by_sender =
        attempts.take(counted(&format!("{:?}", RateLimitKey::address(from))), RESETS_FROM, now);
    within_limit(by_name, HttpRule::LinksRequested)?;
    within_limit(by_sender, HttpRule::LinksFromHere)?;
    let mailed = mail_each(state, request_id, email);
    let (mailed, ()) = tokio::join!(mailed, tokio::time::sleep(FORGOT_TIME));
    mailed
}

async fn mail_each(state: &Arc<State>, request_id: &RequestId, email: Email) -> Result<()> {
    let read = move |tx: &mut Tx<'_>| {
        accounts::candidates(tx, &email, None).map(|all| (all, email.clone()))
    };
    let (found, email) = state.db.read(read).await?;
    for account in found {
        let caller = Caller::new(account.company_id, Actor::System);
        let to = email.to_lowercase();
        let step = move |cx: &mut Write<'_, '_>| {
            accounts::mail_reset(cx, account.subject, account.subject_id, &to)
        };
        visitor::write(state, caller, "forgot_password", &[], request_id, step).await?;
    }
    Ok(())
}

pub(super) async fn reset_password(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let outcome = async {
        let rule = Rule::LinkClosed;
        let (token, password) =
            visit.acceptance(request, CredentialKind::PasswordReset, rule).await?;
        reset(&visit.state, &visit.request_id, token, password).await?;
        Ok(PasswordChanged { password_changed: true })
    };
    visit.respond(outcome.await)
}

/// Sets a new password with a mailed link, and ends all sessions of the account.
pub async fn reset(
    state: &Arc<State>,
    request_id: &RequestId,
    token: Credential,
    password: Password,
) -> Result<()> {
    let hash = hash_for(state, &token, Rule::LinkClosed, password).await?;
    let caller = Caller::new(token.company, Actor::System);
    let step = move |cx: &mut Write<'_, '_>| accounts::reset(cx, &token, &hash);
    let email = visitor::write(state, caller, "reset_password", &[], request_id, step).await?;
    // Failed guesses by others do not lock the owner out after a reset.
    if let Some(email) = email {
        for is_known_browser in [false, true] {
            state.attempts.forget(super::sessions::counted(&email, is_known_browser));
        }
    }
    Ok(())
}

/// Confirms an email address: by the mailed link and the account's password.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Confirmation {
    token: String,
    password: String,
}

pub(super) async fn confirm_address(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visit = SignInRequest::new(state, &request);
    let outcome = async {
        let Confirmation { token, password } = visit.body(request).await?;
        let token = Credential::parse(CredentialKind::AddressConfirmation, &token);
        let rule = Rule::LinkClosed;
        let token = token.ok_or_else(|| Problem::invalid("token", rule))?;
        confirm(&visit.state, &visit.request_id, token, Password::new(password)).await?;
        Ok(AddressConfirmed { address_confirmed: true })
    };
    visit.respond(outcome.await)
}

/// Makes the address of a confirmation link the sign-in address, for a person who knows the account's password.
pub async fn confirm(
    state: &Arc<State>,
    request_id: &RequestId,
    token: Credential,
    password: Password,
) -> Result<()> {
    let (now, sent) = (state.env.clock.now(), token.clone());
    let read = move |tx: &mut Tx<'_>| {
        let caller = Caller::new(sent.company, Actor::System);
        accounts::to_confirm(&mut Read::new(tx, &caller, now), &sent)
    };
    let account = state.db.read(read).await?;
    let account = account.ok_or_else(|| Problem::invalid("token", Rule::LinkClosed))?;
    if !is_password_of(state, account, password).await? {
        return Err(Problem::invalid("password", HttpRule::WrongAccountPassword));
    }
    let caller = Caller::new(token.company, Actor::System);
    let step = move |cx: &mut Write<'_, '_>| accounts::confirm_address(cx, &token);
    visitor::write(state, caller, "confirm_address", &[], request_id, step).await
}
