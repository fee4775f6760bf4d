//! Browser sessions of the pages. A browser has one secret in a cookie, which does not change when a page is open
//! twice or a form is sent twice; it expires after some time without use.

use spotter_contract::{
    Actor, Area, Caller, Effect, Env, Offboarding, Read, Repeating, Write, vault,
};
use spotter_kernel::{
    Id, Key, Result, Timestamp,
    id::{ClientId, CoachId},
    secret::{Credential, CredentialKind},
};
use spotter_store::{Tx, params, record, statements, values};

use super::{
    accounts::Subject,
    sessions::{SignedInActor, admit_client, admit_coach},
};
use crate::{clients::Client, coaches::Coach, effects::PeopleEffect};
use spotter_company::company::Company;

/// How long an unused browser stays signed in, in seconds (12 hours).
const IDLE_SECONDS: i64 = 12 * 3_600;
/// The same with "stay signed in" (30 days).
const REMEMBERED_SECONDS: i64 = 30 * 86_400;
/// Uses that are closer to each other than this are one, in seconds.
const USE_SECONDS: i64 = 600;
/// How long after typing their password a person need not type it again, in seconds.
const SURE_SECONDS: i64 = 600;
/// Longest stored browser description, in characters.
const BROWSER_MAX: usize = 120;

record! {
    /// A browser that is signed in.
    #[derive(Clone, Debug)]
    pub struct BrowserSession {
        /// Id of the session.
        pub session_id: Id,
        digest: Vec<u8>,
        subject: Subject,
        subject_id: Id,
        /// The browser's description of itself.
        pub browser: String,
        remembered: bool,
        /// When its person signed in.
        pub created_at: Timestamp,
        /// When they typed their password last.
        sure_at: Timestamp,
        /// When it was used last, to some minutes.
        pub seen_at: Timestamp,
        expires_at: Timestamp,
    }
}

impl BrowserSession {
    /// The lifetime of the cookie with "stay signed in", in seconds; without it, until the browser is closed.
    pub fn seconds_of_cookie(remembered: bool) -> Option<i64> {
        remembered.then_some(REMEMBERED_SECONDS)
    }

    /// The same of the cookie of this one.
    pub fn cookie_seconds(&self) -> Option<i64> {
        Self::seconds_of_cookie(self.remembered)
    }

    /// Whether it was not used for so long that this use is to be written down.
    pub fn is_stale(&self, now: Timestamp) -> bool {
        now.seconds() - self.seen_at.seconds() >= USE_SECONDS
    }

    /// Whether its person typed their password a moment ago.
    pub fn is_sure(&self, now: Timestamp) -> bool {
        now.seconds() - self.sure_at.seconds() < SURE_SECONDS
    }

    fn expiry(remembered: bool, now: Timestamp) -> Timestamp {
        now.plus_seconds(if remembered { REMEMBERED_SECONDS } else { IDLE_SECONDS })
    }
}

/// A person who is signed in with a browser, as pages need to know them.
#[derive(Clone, Debug)]
pub struct SignedInPerson {
    /// Who they are to operations.
    pub caller: Caller,
    /// Display name.
    pub name: String,
    /// Where they sign in.
    pub email: String,
    /// Their company.
    pub company: Company,
    /// The browser that they use.
    pub session: BrowserSession,
}

/// Signs a browser in after a correct password; returns its cookie's value.
pub fn open(
    cx: &mut Write,
    subject: Subject,
    subject_id: Id,
    browser: &str,
    remembered: bool,
) -> Result<Credential> {
    Company::find(cx)?.admit()?;
    let token = cx.new_credential(CredentialKind::BrowserSession);
    let now = cx.env().wall_clock.now();
    let session = BrowserSession {
        session_id: cx.new_id(),
        digest: vault::digest(&token).to_vec(),
        subject,
        subject_id,
        browser: browser.chars().filter(|c| !c.is_control()).take(BROWSER_MAX).collect(),
        remembered,
        created_at: now,
        sure_at: now,
        seen_at: now,
        expires_at: BrowserSession::expiry(remembered, now),
    };
    let id = session.session_id;
    find_person(cx, subject, subject_id, id)?;
    cx.set_audit_target(subject.word(), subject_id, ["session"]);
    cx.defer(INSERT, &session.params())?;
    Ok(token)
}

/// The person who is signed in with a browser; `auth.invalid_token` where the session has ended.
pub fn authenticate(tx: &mut Tx, env: &Env, token: &Credential) -> Result<SignedInPerson> {
    let (id, now) = (token.company, env.wall_clock.now());
    Company::ask_ahead_for(tx, id)?;
    let found: Option<BrowserSession> = tx.one(FIND, params![id, vault::digest(token)])?;
    let session = found.filter(|session| session.expires_at > now).ok_or(Key::InvalidToken)?;
    let company = Company::with_id(tx, id)?;
    let nobody = Caller::new(id, Actor::System);
    let cx = &mut Read::new(tx, &nobody, now);
    let (subject, subject_id) = (session.subject, session.subject_id);
    let (admitted, name, email) = find_person(cx, subject, subject_id, session.session_id)?;
    let caller = admitted.caller(id, company.admit()?);
    Ok(SignedInPerson { caller, name, email, company, session })
}

/// The actor, name and company of a person who may still sign in.
fn find_person(
    cx: &mut Read,
    subject: Subject,
    id: Id,
    session: Id,
) -> Result<(SignedInActor, String, String)> {
    let found = match subject {
        Subject::Coach => Coach::find(cx, CoachId(id)).and_then(|coach| {
            let admitted = admit_coach(&coach, session)?;
            Ok((admitted, coach.first_name().to_owned(), coach.email().to_owned()))
        }),
        Subject::Client => Client::find(cx, ClientId(id)).and_then(|client| {
            let admitted = admit_client(&client, session)?;
            let email = client.email().unwrap_or_default().to_owned();
            Ok((admitted, client.first_name().to_owned(), email))
        }),
    };
    found.map_err(|problem| match problem.status {
        404 => Key::InvalidToken.into(),
        _ => problem,
    })
}

/// Writes down that a browser is used, so that it stays signed in.
pub fn extend_session(tx: &mut Tx, person: &SignedInPerson, now: Timestamp) -> Result<()> {
    let session = &person.session;
    let until = BrowserSession::expiry(session.remembered, now);
    let row = params![person.company.company_id, session.session_id, now, until];
    tx.execute(GO_ON, row).map(drop)
}

/// Records that the person has typed their password again.
pub fn record_reauthentication(tx: &mut Tx, person: &SignedInPerson, now: Timestamp) -> Result<()> {
    let row = params![person.company.company_id, person.session.session_id, now];
    tx.execute(BE_SURE, row).map(drop)
}

/// Signs a browser out.
pub fn end(cx: &mut Write, session: Id) -> Result<()> {
    cx.defer(END, params![session])
}

/// Signs every browser of a coach or a client out.
pub(super) fn end_all(cx: &mut Write, subject: Subject, id: Id) -> Result<()> {
    cx.defer(END_ALL, params![subject, id])
}

/// Signs every browser of a coach or a client out but this one, if it is one.
pub(super) fn end_others(cx: &mut Write, subject: Subject, id: Id, session: Id) -> Result<()> {
    cx.defer(END_OTHERS, params![subject, id, session])
}

/// What ends when a person leaves.
const ENDINGS: &[Effect] = &[
    Effect::new(
        Offboarding::ClientArchived,
        || PeopleEffect::ClientBrowsersSignedOut.into(),
        |cx, id| cx.execute(END_ALL, params![Subject::Client, id]),
    ),
    Effect::new(
        Offboarding::CoachDeactivated,
        || PeopleEffect::CoachBrowsersSignedOut.into(),
        |cx, id| cx.execute(END_ALL, params![Subject::Coach, id]),
    ),
];

/// Deletes some sessions that have ended; how many. To be called now and then.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_browser_sessions", "Delete expired browser sessions", prune)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING).ends(ENDINGS)
}

statements! {
    INSERT = "INSERT INTO browser_session ", values!(BrowserSession);
    FIND = "SELECT ", BrowserSession::COLUMNS, " FROM browser_session \
        WHERE company_id = ?1 AND digest = ?2";
    GO_ON = "UPDATE browser_session SET seen_at = ?3, expires_at = ?4 \
        WHERE company_id = ?1 AND session_id = ?2";
    BE_SURE = "UPDATE browser_session SET sure_at = ?3 WHERE company_id = ?1 AND session_id = ?2";
    END = "DELETE FROM browser_session WHERE company_id = ?1 AND session_id = ?2";
    END_ALL = "DELETE FROM browser_session WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    END_OTHERS = "DELETE FROM browser_session WHERE company_id = ?1 AND subject = ?2 \
        AND subject_id = ?3 AND session_id <> ?4";
    PRUNE = "DELETE FROM browser_session WHERE (company_id, session_id) IN \
        (SELECT company_id, session_id FROM browser_session WHERE expires_at <= ?1 LIMIT 500)";
}
