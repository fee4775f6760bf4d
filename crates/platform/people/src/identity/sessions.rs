//! Sessions of the application API: an access token for an hour, and a refresh token that is
//! replaced at every use.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Actor, Area, Caller, Effect, Env, Features, Offboarding, Read, Repeating, Role, Write, vault,
};
use spotter_kernel::{
    Id, Key, Result, Timestamp,
    id::{ClientId, CoachId, CompanyId},
    limits::{ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS},
    secret::{Credential, CredentialKind},
};
use spotter_store::{Tx, params, statements};

use super::{accounts::Subject, browsers};
use crate::{
    clients::Client,
    coaches::{Coach, CoachStatus},
    effects::PeopleEffect,
};
use spotter_company::company::Company;

/// The tokens of a session, shown once.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionTokens {
    /// Sent as `Authorization: Bearer`.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Seconds until the access token expires.
    pub expires_in: i64,
    /// Good for one refresh within 30 days.
    pub refresh_token: String,
    /// Whether a coach or a client is signed in.
    pub subject: Subject,
    /// The coach's or the client's record.
    pub subject_id: Id,
    /// Their company.
    pub company_id: CompanyId,
}

struct Pair {
    access: Credential,
    refresh: Credential,
}

impl Pair {
    fn new(cx: &Write) -> Self {
        Self {
            access: cx.new_credential(CredentialKind::AppAccessToken),
            refresh: cx.new_credential(CredentialKind::AppRefreshToken),
        }
    }

    fn tokens(&self, subject: Subject, subject_id: Id) -> SessionTokens {
        SessionTokens {
            access_token: self.access.expose().to_owned(),
            token_type: "Bearer",
            expires_in: ACCESS_TOKEN_SECONDS,
            refresh_token: self.refresh.expose().to_owned(),
            subject,
            subject_id,
            company_id: self.access.company,
        }
    }
}

/// Opens a session after a correct password.
pub fn open(cx: &mut Write, subject: Subject, subject_id: Id) -> Result<SessionTokens> {
    let session = cx.new_id();
    Company::find(cx)?.admit()?;
    admit(cx, subject, subject_id, session)?;
    let (pair, now) = (Pair::new(cx), cx.env().wall_clock.now());
    let access_until = now.plus_seconds(ACCESS_TOKEN_SECONDS);
    let refresh_until = now.plus_seconds(REFRESH_TOKEN_SECONDS);
    let (access, refresh) = (vault::digest(&pair.access), vault::digest(&pair.refresh));
    cx.defer(
        OPEN,
        params![session, subject, subject_id, access, access_until, refresh, refresh_until, now],
    )?;
    cx.set_audit_target(subject.word(), subject_id, ["session"]);
    Ok(pair.tokens(subject, subject_id))
}

/// The outcome of using a refresh token.
pub enum RefreshOutcome {
    /// A new pair of tokens.
    Tokens(SessionTokens),
    /// The token was used before: the session is ended for whoever has its successor.
    Reused,
}

/// Exchanges a refresh token for a new pair; the old pair stops working with the commit.
pub fn refresh(cx: &mut Write, token: &Credential) -> Result<RefreshOutcome> {
    type Found = (Id, Subject, Id, Timestamp);
    let (digest, now) = (vault::digest(token), cx.env().wall_clock.now());
    Company::ask_ahead(cx)?;
    let found: Option<Found> = cx.one(BY_REFRESH, params![digest])?;
    let Some((session, subject, subject_id, expires_at)) = found else {
        let reused: Option<(Id, Subject, Id)> = cx.one(BY_PREVIOUS, params![digest])?;
        let (session, subject, subject_id) = reused.ok_or(Key::InvalidToken)?;
        cx.set_audit_target(subject.word(), subject_id, ["session"]);
        cx.defer(END, params![session])?;
        return Ok(RefreshOutcome::Reused);
    };
    if expires_at <= now {
        return Err(Key::InvalidToken.into());
    }
    Company::find(cx)?.admit()?;
    admit(cx, subject, subject_id, session)?;
    let pair = Pair::new(cx);
    let access_until = now.plus_seconds(ACCESS_TOKEN_SECONDS);
    let refresh_until = now.plus_seconds(REFRESH_TOKEN_SECONDS);
    let (access, next) = (vault::digest(&pair.access), vault::digest(&pair.refresh));
    cx.defer(ROTATE, params![session, access, access_until, next, refresh_until, digest])?;
    cx.set_audit_target(subject.word(), subject_id, ["session"]);
    Ok(RefreshOutcome::Tokens(pair.tokens(subject, subject_id)))
}

/// Ends a session.
pub fn end(cx: &mut Write, session: Id) -> Result<()> {
    cx.defer(END, params![session])
}

/// Ends every session of a coach or a client.
pub fn end_all(cx: &mut Write, subject: Subject, id: Id) -> Result<()> {
    browsers::end_all(cx, subject, id)?;
    cx.defer(END_ALL, params![subject, id])
}

/// What ends when a person leaves.
const ENDINGS: &[Effect] = &[
    Effect::new(
        Offboarding::ClientArchived,
        || PeopleEffect::ClientSignedOut.into(),
        |cx, id| cx.execute(END_ALL, params![Subject::Client, id]),
    ),
    Effect::new(
        Offboarding::CoachDeactivated,
        || PeopleEffect::CoachSignedOut.into(),
        |cx, id| cx.execute(END_ALL, params![Subject::Coach, id]),
    ),
];

/// Ends every session of a coach or a client but this one.
pub fn end_others(cx: &mut Write, subject: Subject, id: Id, session: Id) -> Result<()> {
    browsers::end_others(cx, subject, id, session)?;
    cx.defer(END_OTHERS, params![subject, id, session])
}

/// The coach or client behind an access token.
pub fn authenticate(tx: &mut Tx, env: &Env, token: &Credential) -> Result<Caller> {
    type Found = (Id, Subject, Id, Timestamp);
    let (company, now) = (token.company, env.wall_clock.now());
    Company::ask_ahead_for(tx, company)?;
    let found: Option<Found> = tx.one(BY_ACCESS, params![company, vault::digest(token)])?;
    let (session, subject, id, expires_at) = found.ok_or(Key::InvalidToken)?;
    if expires_at <= now {
        return Err(Key::InvalidToken.into());
    }
    let nobody = Caller::new(company, Actor::System);
    let features = Company::with_id(tx, company)?.admit()?;
    let admitted = admit(&mut Read::new(tx, &nobody, now), subject, id, session)?;
    Ok(admitted.caller(company, features))
}

/// An authenticated person.
pub struct SignedInActor {
    /// Who acts.
    pub actor: Actor,
    /// Whether they sign in with a second step.
    second_step: bool,
}

impl SignedInActor {
    /// Who they are to operations. Where the company demands a second step of its managers, those without one do
    /// nothing before they have added it.
    pub fn caller(self, company: CompanyId, features: Features) -> Caller {
        let manages = matches!(self.actor, Actor::Coach { role, .. } if role >= Role::Manager);
        let owes_second_step = features.second_step && manages && !self.second_step;
        Caller { features, owes_second_step, ..Caller::new(company, self.actor) }
    }
}

/// The coach or client, if they may still sign in.
pub fn admit(cx: &mut Read, subject: Subject, id: Id, session: Id) -> Result<SignedInActor> {
    match subject {
        Subject::Coach => match Coach::find(cx, CoachId(id)) {
            Ok(coach) => admit_coach(&coach, session),
            Err(problem) if problem.status == 404 => Err(Key::InvalidToken.into()),
            Err(problem) => Err(problem),
        },
        Subject::Client => match Client::find(cx, ClientId(id)) {
            Ok(client) => admit_client(&client, session),
            Err(problem) if problem.status == 404 => Err(Key::InvalidToken.into()),
            Err(problem) => Err(problem),
        },
    }
}

/// A coach, if they may still sign in.
pub fn admit_coach(coach: &Coach, session: Id) -> Result<SignedInActor> {
    let actor = Actor::Coach { id: coach.coach_id, role: coach.role, session };
    match coach.status {
        CoachStatus::Active => Ok(SignedInActor { actor, second_step: coach.second_step }),
        _ => Err(Key::InvalidToken.into()),
    }
}

/// The same for a client, who never needs a second step.
pub fn admit_client(client: &Client, session: Id) -> Result<SignedInActor> {
    let actor = Actor::Client { id: client.client_id, session };
    match client.may_sign_in() {
        true => Ok(SignedInActor { actor, second_step: false }),
        false => Err(Key::InvalidToken.into()),
    }
}

/// Deletes some sessions that can't be refreshed any more; how many. To be called now and then.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING).ends(ENDINGS)
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_sessions", "Delete ended sessions", prune)];

statements! {
    OPEN = "INSERT INTO app_session (company_id, session_id, subject, subject_id, access_digest, \
        access_expires_at, refresh_digest, refresh_expires_at, created_at) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    BY_ACCESS = "SELECT session_id, subject, subject_id, access_expires_at FROM app_session \
        WHERE company_id = ?1 AND access_digest = ?2";
    BY_REFRESH = "SELECT session_id, subject, subject_id, refresh_expires_at FROM app_session \
        WHERE company_id = ?1 AND refresh_digest = ?2";
    BY_PREVIOUS = "SELECT session_id, subject, subject_id FROM app_session \
        WHERE company_id = ?1 AND previous_refresh_digest = ?2";
    ROTATE = "UPDATE app_session SET access_digest = ?3, access_expires_at = ?4, refresh_digest = ?5, \
        refresh_expires_at = ?6, previous_refresh_digest = ?7 WHERE company_id = ?1 AND session_id = ?2";
    END = "DELETE FROM app_session WHERE company_id = ?1 AND session_id = ?2";
    END_ALL = "DELETE FROM app_session WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    END_OTHERS = "DELETE FROM app_session WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND session_id <> ?4";
    PRUNE = "DELETE FROM app_session WHERE (company_id, session_id) IN \
        (SELECT company_id, session_id FROM app_session WHERE refresh_expires_at <= ?1 LIMIT 500)";
}
