//! The second step of a sign-in: a ticket carries a person from the password to the code, so that the password is
//! typed once.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use spotter_contract::{Actor, Caller, Env, Read, Write, vault};
use spotter_kernel::{
    Id, Key, Phrase, Problem, Result, Timestamp, id::CompanyId, secret::base64url,
};
use spotter_people::identity::{
    accounts::{self, Account, Subject},
    second_step,
};
use spotter_store::Tx;

use super::{ATTEMPTS_PER_ACCOUNT, sessions::note_refusals, within_limit};
use crate::{
    observe::RequestId, rate_limit::RateLimitKey, rules::HttpRule, server::State, visitor,
};

/// How long a ticket is good for, in seconds.
const TICKET_SECONDS: i64 = 5 * 60;
/// What tickets are signed for.
const PURPOSE: &str = "second step";

/// Signs an account in after a correct password: at once where it has no second step, otherwise with a correct code.
/// The refusal contains a ticket that replaces the password.
pub(super) async fn verify_code(
    state: &Arc<State>,
    request_id: &RequestId,
    account: Account,
    code: Option<&str>,
) -> Result<Account> {
    let (company, subject, id) = (account.company_id, account.subject, account.subject_id);
    let now = state.env.clock.now();
    let is_on = state.db.read(move |tx: &mut Tx<'_>| {
        let caller = Caller::new(company, Actor::System);
        second_step::is_on(&mut Read::new(tx, &caller, now), subject, id)
    });
    if !is_on.await? {
        return Ok(account);
    }
    let refused = |rule: Phrase| {
        let mut problem = Problem::invalid("code", rule);
        if let (Some(details), Ok(ticket)) = (&mut problem.details, ticket(&state.env, &account)) {
            details["ticket"] = ticket.into();
        }
        problem
    };
    let Some(code) = code.map(|code| code.trim().to_owned()).filter(|code| !code.is_empty()) else {
        return Err(refused(HttpRule::SecondStepNeeded.into()));
    };
    let counted = RateLimitKey::Account(Sha256::digest(format!("code {id}")).into());
    within_limit(
        state.attempts.take(counted, ATTEMPTS_PER_ACCOUNT, now),
        HttpRule::TooManyAttempts,
    )?;
    let caller = Caller::new(company, Actor::System);
    let take = move |cx: &mut Write<'_, '_>| second_step::take(cx, subject, id, &code);
    if visitor::write(state, caller, "take_second_step", &[], request_id, take).await? {
        state.attempts.give_back(counted);
        return Ok(account);
    }
    note_refusals(state, request_id, vec![account.clone()]);
    Err(refused(HttpRule::WrongCode.into()))
}

/// The account of a ticket, signed in with a code.
pub async fn recognise_by_ticket(
    state: &Arc<State>,
    request_id: &RequestId,
    ticket: &str,
    code: &str,
) -> Result<Account> {
    let (company, subject, id, mark) = opened(&state.env, ticket).ok_or(Key::InvalidCredentials)?;
    let find = move |tx: &mut Tx<'_>| accounts::find(tx, company, subject, id);
    let account = state.db.read(find).await?.filter(|account| mark_of(account) == mark);
    let account = account.ok_or(Key::InvalidCredentials)?;
    verify_code(state, request_id, account, Some(code)).await
}

/// What changes with the password.
fn mark_of(account: &Account) -> String {
    let digest = vault::digest_of(account.password.as_deref().unwrap_or_default().as_bytes());
    base64url(&digest[..9])
}

/// What tickets are signed for: those of a test environment are good there alone.
fn purpose(env: &Env) -> String {
    format!("{}{PURPOSE}", env.mode.mark())
}

/// The ticket of a person whose password was correct: account, expiry, signature.
fn ticket(env: &Env, account: &Account) -> Result<String> {
    let until = env.wall_clock.now().plus_seconds(TICKET_SECONDS).millis();
    let Account { company_id, subject, subject_id, .. } = account;
    let text = format!("{company_id}.{}.{subject_id}.{}.{until}", subject.word(), mark_of(account));
    env.vault.signed(&purpose(env), &text)
}

fn opened(env: &Env, ticket: &str) -> Option<(CompanyId, Subject, Id, String)> {
    let mut parts = env.vault.verified(&purpose(env), ticket)?.split('.');
    let company = CompanyId(Id::parse(parts.next()?)?);
    let (subject, id) = (Subject::parse(parts.next()?)?, Id::parse(parts.next()?)?);
    let mark = parts.next()?.to_owned();
    let until = Timestamp::from_millis(parts.next()?.parse().ok()?);
    (env.wall_clock.now() < until).then_some((company, subject, id, mark))
}
