//! The second step of a sign-in: a code that changes every 30 seconds, made by an authenticator on a phone from a secret that it
//! shares with us (TOTP, RFC 6238), or one of ten recovery codes, each good once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, Path, Read, Role, Success, Write, answer, operation, path,
};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::{ClientId, CoachId},
    text::Text,
};
use spotter_store::{params, statements};
use totp_rs::{Builder, Totp};

use super::accounts::Subject;
use crate::{
    clients::Client,
    coaches::{Coach, may_grant},
    rules::PeopleRule,
};
use spotter_company::company::Company;

/// Number of recovery codes.
const RECOVERY_CODES: usize = 10;
/// Bytes of the secret, as RFC 4226 (section 4, R6) recommends.
const SECRET_BYTES: usize = 20;
/// What recovery codes are written with: no letter that is taken for a digit (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Letters of a recovery code: 50 bits, which ten tries a quarter of an hour do not find.
const LETTERS_OF_CODE: usize = 10;

/// What makes the codes of a secret: six digits, every 30 seconds; the one before and the one after are right, too, for
/// clocks that differ (RFC 6238, section 5.2).
fn codes(secret: &[u8]) -> Result<Totp> {
    Builder::new().with_secret(secret.to_vec()).build().map_err(Problem::internal)
}

/// Whether a person signs in with a second step.
pub fn is_on(cx: &mut Read, subject: Subject, id: Id) -> Result<bool> {
    let found: Option<(bool,)> = cx.one(IS_ON, params![subject, id])?;
    Ok(found.is_some_and(|(is_on,)| is_on))
}

/// Takes a code, of the authenticator or for recovery, which is then used; whether it is one.
pub fn take(cx: &mut Write, subject: Subject, id: Id, code: &str) -> Result<bool> {
    let code: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    cx.set_audit_target(subject.word(), id, ["session"]);
    if code.len() == LETTERS_OF_CODE {
        let digest = digest(cx, subject, id, &code.to_ascii_lowercase())?;
        return Ok(cx.execute(USE_RECOVERY_CODE, params![digest, subject, id])? == 1);
    }
    let found: Option<(Vec<u8>,)> = cx.one(SECRET, params![subject, id])?;
    let Some((sealed,)) = found else { return Ok(false) };
    let Some(interval) = interval_of(cx, &sealed, &code)? else { return Ok(false) };
    Ok(cx.execute(USE_INTERVAL, params![subject, id, interval])? == 1)
}

/// The interval of which a code is, if it is of one around now.
fn interval_of(cx: &Write, sealed: &[u8], code: &str) -> Result<Option<i64>> {
    let secret = cx.env().vault.open(sealed)?;
    let now = u64::try_from(cx.env().wall_clock.now().seconds()).unwrap_or_default();
    let interval = codes(&secret)?.check(code, now);
    Ok(interval.and_then(|interval| i64::try_from(interval).ok()))
}

/// A recovery code is too short to be kept by its plain digest.
fn digest(cx: &Write, subject: Subject, id: Id, code: &str) -> Result<[u8; 32]> {
    let text = format!("{} {} {id} {code}", cx.caller().company, subject.word());
    cx.env().vault.sign("recovery code", text.as_bytes())
}

/// The caller.
fn own(cx: &Read) -> Result<(Subject, Id)> {
    match cx.caller().actor {
        Actor::Coach { id, .. } => Ok((Subject::Coach, id.0)),
        Actor::Client { id, .. } => Ok((Subject::Client, id.0)),
        _ => Err(Key::Forbidden.into()),
    }
}

/// The setup of the second step of sign-in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SecondStep {
    /// Whether signing in requires a code, too.
    is_on: bool,
    /// Instant at which it was enabled; null while it is off.
    enabled_at: Option<Timestamp>,
    /// Whether a secret was issued whose first code is not confirmed yet.
    is_pending: bool,
    /// Recovery codes that were not used.
    recovery_codes_left: i64,
    /// Whether the company requires the second step of sign-in of the caller.
    is_demanded: bool,
}

answer!(SecondStepAnswer { second_step: SecondStep });

fn status(cx: &mut Read, subject: Subject, id: Id, manages: bool) -> Result<SecondStepAnswer> {
    let found: Option<(Option<Timestamp>,)> = cx.one(STATE, params![subject, id])?;
    let left: Option<(i64,)> = cx.one(LEFT, params![subject, id])?;
    let second_step = SecondStep {
        is_on: matches!(found, Some((Some(_),))),
        enabled_at: found.and_then(|(at,)| at),
        is_pending: matches!(found, Some((None,))),
        recovery_codes_left: left.map_or(0, |(left,)| left),
        is_demanded: manages && Company::find(cx)?.features().second_step,
    };
    Ok(SecondStepAnswer { second_step })
}

fn get_second_step(cx: &mut Read) -> Result<SecondStepAnswer> {
    let (subject, id) = own(cx)?;
    let manages = matches!(cx.caller().actor, Actor::Coach { role, .. } if role >= Role::Manager);
    status(cx, subject, id, manages)
}

fn get_coach_second_step(cx: &mut Read, Path(at): Path<CoachPath>) -> Result<SecondStepAnswer> {
    let coach = Coach::find(cx, at.coach_id)?;
    status(cx, Subject::Coach, at.coach_id.0, coach.role >= Role::Manager)
}

fn get_client_second_step(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<SecondStepAnswer> {
    Client::find(cx, at.client_id)?;
    status(cx, Subject::Client, at.client_id.0, false)
}

answer!(
    /// The secret for the authenticator app.
    SecondStepSecret {
        /// Secret in base 32.
        secret: String,
        /// The same as an address that authenticators read, in a code: `otpauth://totp/…`.
        uri: String
    }
);

fn begin_second_step(cx: &mut Write) -> Result<SecondStepSecret> {
    let (subject, id) = own(cx)?;
    if is_on(cx, subject, id)? {
        return Err(Problem::conflict("secondStep", PeopleRule::SecondStepOn));
    }
    let mut secret = vec![0; SECRET_BYTES];
    cx.env().entropy.fill(&mut secret);
    let sealed = cx.env().vault.seal(&secret, &*cx.env().entropy)?;
    let email = match subject {
        Subject::Coach => Coach::find(cx, CoachId(id))?.email().to_owned(),
        Subject::Client => Client::find(cx, ClientId(id))?.email().unwrap_or_default().to_owned(),
    };
    let issuer = Company::find(cx)?.name.replace(':', " ");
    let named = Builder::new().with_secret(secret.clone()).with_issuer(Some(issuer));
    let named = named.with_account_name(email.replace(':', " ")).build();
    let uri = named.and_then(|named| named.to_url()).map_err(Problem::internal)?;
    cx.set_audit_target(subject.word(), id, ["secondStep"]);
    cx.defer(FORGET, params![subject, id])?;
    cx.defer(BEGIN, params![subject, id, sealed])?;
    Ok(SecondStepSecret { secret: totp_rs::Secret::from(secret).to_base32(), uri })
}

/// A code of the authenticator app.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SecondStepCode {
    /// The six digits that the authenticator shows.
    code: Text<20>,
}

answer!(
    /// Codes that are good once each, for when the authenticator is gone.
    RecoveryCodes {
        /// Ten of them, shown this once.
        recovery_codes: Vec<String>
    }
);

fn enable_second_step(cx: &mut Write, Body(given): Body<SecondStepCode>) -> Result<RecoveryCodes> {
    let (subject, id) = own(cx)?;
    if is_on(cx, subject, id)? {
        return Err(Problem::conflict("secondStep", PeopleRule::SecondStepOnAlready));
    }
    let found: Option<(Vec<u8>,)> = cx.one(PENDING, params![subject, id])?;
    let none = || Problem::conflict("secondStep", PeopleRule::SecondStepNotBegun);
    let (sealed,) = found.ok_or_else(none)?;
    let code: String = given.code.chars().filter(char::is_ascii_digit).collect();
    let wrong = || Problem::invalid("code", PeopleRule::NotSixDigits);
    let interval = interval_of(cx, &sealed, &code)?.ok_or_else(wrong)?;
    let now = cx.now();
    cx.defer(ENABLE, params![subject, id, interval, now])?;
    mark(cx, subject, id, true)?;
    new_codes(cx, subject, id)
}

fn replace_recovery_codes(cx: &mut Write) -> Result<RecoveryCodes> {
    let (subject, id) = own(cx)?;
    if !is_on(cx, subject, id)? {
        return Err(Problem::conflict("secondStep", PeopleRule::SecondStepOff));
    }
    new_codes(cx, subject, id)
}

fn new_codes(cx: &mut Write, subject: Subject, id: Id) -> Result<RecoveryCodes> {
    cx.set_audit_target(subject.word(), id, ["secondStep"]);
    cx.defer(FORGET_CODES, params![subject, id])?;
    let mut recovery_codes = Vec::with_capacity(RECOVERY_CODES);
    for _ in 0..RECOVERY_CODES {
        let mut random = [0; LETTERS_OF_CODE];
        cx.env().entropy.fill(&mut random);
        let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
        let code: String = random.iter().map(letter).collect();
        let digest = digest(cx, subject, id, &code)?;
        cx.defer(KEEP_CODE, params![digest, subject, id])?;
        recovery_codes.push(format!("{}-{}", &code[..5], &code[5..]));
    }
    Ok(RecoveryCodes { recovery_codes })
}

/// Records on a coach whether they have a second step, so that sign-in needs no further query.
fn mark(cx: &mut Write, subject: Subject, id: Id, is_on: bool) -> Result<()> {
    match subject {
        Subject::Coach => cx.defer(MARK, params![id, is_on]),
        Subject::Client => Ok(()),
    }
}

/// Switches the second step off for a person who has lost it.
pub fn switch_off(cx: &mut Write, subject: Subject, id: Id) -> Result<()> {
    cx.set_audit_target(subject.word(), id, ["secondStep"]);
    cx.defer(FORGET, params![subject, id])?;
    cx.defer(FORGET_CODES, params![subject, id])?;
    mark(cx, subject, id, false)
}

answer!(SecondStepOff {
    /// Always true: a password is enough to sign in.
    is_off: bool
});

fn delete_second_step(cx: &mut Write) -> Result<SecondStepOff> {
    let (subject, id) = own(cx)?;
    switch_off(cx, subject, id)?;
    Ok(SecondStepOff { is_off: true })
}

path!(CoachPath { coach_id: CoachId });
path!(ClientPath { client_id: ClientId });

fn delete_coach_second_step(cx: &mut Write, Path(at): Path<CoachPath>) -> Result<SecondStepOff> {
    let coach = Coach::find(cx, at.coach_id)?;
    may_grant(cx, coach.role)?;
    switch_off(cx, Subject::Coach, at.coach_id.0)?;
    Ok(SecondStepOff { is_off: true })
}

fn delete_client_second_step(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<SecondStepOff> {
    Client::find(cx, at.client_id)?;
    switch_off(cx, Subject::Client, at.client_id.0)?;
    Ok(SecondStepOff { is_off: true })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .operations([
            operation!(app GET "/auth/second-step", SignedIn, get_second_step)
                .summary("Get the second step")
            .describe(
                "Returns whether the caller has turned it on, and how many recovery codes are \
                 left.",
            )
                .before_second_step(),
            operation!(app POST "/auth/second-step", SignedIn, begin_second_step)
                .summary("Set up a second step")
                .describe(
                "Returns the secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, \
                 30 seconds). Codes are required once the first one is confirmed.",
            )
                .secret(&["secret"])
                .before_second_step(),
            operation!(app POST "/auth/second-step/enable", SignedIn, enable_second_step)
                .summary("Confirm the second step")
                .describe(
                "Confirms the first code; signing in requires a code from now on. Returns ten \
                 recovery codes. Every code is accepted once.",
            )
                .secret(&["recoveryCodes"])
                .before_second_step(),
            operation!(app POST "/auth/second-step/recovery-codes", SignedIn, replace_recovery_codes)
                .summary("Replace recovery codes")
            .describe("Returns ten new recovery codes; the previous ones stop working.")
                .secret(&["recoveryCodes"]),
            operation!(app DELETE "/auth/second-step", SignedIn, delete_second_step)
                .success(Success::SwitchedOff)
                .summary("Switch off the second step")
            .describe("Removes the caller's authenticator and recovery codes.")
                .reauthentication(),
            operation!(app GET "/coaches/{coachId}/second-step", Manager, get_coach_second_step)
                .summary("Get a coach's second step")
            .describe("Returns whether the coach has turned it on."),
            operation!(app GET "/clients/{clientId}/second-step", Manager, get_client_second_step)
                .summary("Get a client's second step")
            .describe("Returns whether the client has turned it on."),
            operation!(app DELETE "/coaches/{coachId}/second-step", Manager, delete_coach_second_step)
                .success(Success::SwitchedOff)
                .summary("Reset a coach's second step")
                .describe(
                "Turns it off for a coach who lost the authenticator. Managers may do so for \
                 coaches, admins for everyone.",
            )
                .reauthentication(),
            operation!(app DELETE "/clients/{clientId}/second-step", Manager, delete_client_second_step)
                .success(Success::SwitchedOff)
                .summary("Reset a client's second step")
                .describe("Turns it off for a client who lost the authenticator.")
                .reauthentication(),
        ])
        .tagged("Signing in")
}

/// Forgets the second step of an account that is closed.
pub(super) fn forget(cx: &mut Write, subject: Subject, id: Id) -> Result<()> {
    cx.defer(FORGET, params![subject, id])?;
    cx.defer(FORGET_CODES, params![subject, id])?;
    mark(cx, subject, id, false)
}

statements! {
    IS_ON = "SELECT enabled_at IS NOT NULL FROM second_step WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    STATE = "SELECT enabled_at FROM second_step WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    SECRET = "SELECT secret FROM second_step WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND enabled_at IS NOT NULL";
    PENDING = "SELECT secret FROM second_step WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND enabled_at IS NULL";
    BEGIN = "INSERT INTO second_step (company_id, subject, subject_id, secret, used_interval) VALUES (?1, ?2, ?3, ?4, 0)";
    ENABLE = "UPDATE second_step SET used_interval = ?4, enabled_at = ?5 \
        WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    USE_INTERVAL = "UPDATE second_step SET used_interval = ?4 \
        WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 AND used_interval < ?4";
    FORGET = "DELETE FROM second_step WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    KEEP_CODE = "INSERT INTO recovery_code (company_id, digest, subject, subject_id) VALUES (?1, ?2, ?3, ?4)";
    USE_RECOVERY_CODE = "DELETE FROM recovery_code \
        WHERE company_id = ?1 AND digest = ?2 AND subject = ?3 AND subject_id = ?4";
    LEFT = "SELECT count(*) FROM recovery_code WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    FORGET_CODES = "DELETE FROM recovery_code WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    MARK = "UPDATE coach SET second_step = ?3 WHERE company_id = ?1 AND coach_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last six digits of the eight of RFC 6238, appendix B.
    #[test]
    fn codes_are_those_of_rfc_6238() {
        let codes = codes(b"12345678901234567890").unwrap();
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_234_567_890, "005924"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(codes.check(code, seconds), Some(seconds / 30), "{seconds}");
            assert_eq!(codes.check(code, seconds + 30), Some(seconds / 30));
            assert_eq!(codes.check(code, seconds + 90), None);
        }
        for wrong in ["", "12345", "28708２", "2870820", "abcdef"] {
            assert_eq!(codes.check(wrong, 59), None, "{wrong}");
        }
    }
}
