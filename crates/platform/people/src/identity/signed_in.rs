//! Sessions of a person: apps and browsers, so that unknown ones can be ended.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Path, Read, Write, answer, operation, path};
use spotter_kernel::{Id, Key, Result, Timestamp};
use spotter_store::{params, statements, words};

use super::accounts::Subject;

words! {
    /// The kind of a session: an app by its tokens, a browser by its cookie.
    enum SessionKind { App = "app", Browser = "browser" }
}

/// A browser or app that is signed in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SignedInSession {
    session_id: Id,
    /// An app, or a browser.
    kind: SessionKind,
    /// User agent of the browser; null for apps.
    browser: Option<String>,
    /// Whether it is the caller's own.
    is_current: bool,
    /// When its person signed in.
    created_at: Timestamp,
    /// When it was used last, to some minutes; null of apps.
    last_seen_at: Option<Timestamp>,
}

answer!(SignedInSessions {
    /// At most 50 of each kind, the newest first.
    sessions: Vec<SignedInSession>
});

/// The caller and their session.
fn own(cx: &Read) -> Result<(Subject, Id, Id)> {
    match cx.caller().actor {
        Actor::Coach { id, session, .. } => Ok((Subject::Coach, id.0, session)),
        Actor::Client { id, session } => Ok((Subject::Client, id.0, session)),
        _ => Err(Key::Forbidden.into()),
    }
}

fn list_sessions(cx: &mut Read) -> Result<SignedInSessions> {
    let ((subject, id, current), now) = (own(cx)?, cx.now());
    let apps: Vec<(Id, Timestamp)> = cx.all(APPS, params![subject, id, now])?;
    let browsers: Vec<(Id, String, Timestamp, Timestamp)> =
        cx.all(BROWSERS, params![subject, id, now])?;
    let apps = apps.into_iter().map(|(session_id, created_at)| SignedInSession {
        session_id,
        kind: SessionKind::App,
        browser: None,
        is_current: session_id == current,
        created_at,
        last_seen_at: None,
    });
    let browsers = browsers.into_iter().map(|(session_id, browser, created_at, seen_at)| {
        let is_current = session_id == current;
        let (kind, browser, last_seen_at) = (SessionKind::Browser, Some(browser), Some(seen_at));
        SignedInSession { session_id, kind, browser, is_current, created_at, last_seen_at }
    });
    let mut sessions: Vec<_> = apps.chain(browsers).collect();
    sessions.sort_by_key(|one| std::cmp::Reverse(one.session_id));
    Ok(SignedInSessions { sessions })
}

path!(SessionPath { session_id: Id });

answer!(SessionEnded {
    /// Always true: the session is signed out.
    ended: bool
});

fn end_session(cx: &mut Write, Path(at): Path<SessionPath>) -> Result<SessionEnded> {
    let (subject, id, _) = own(cx)?;
    let row = params![subject, id, at.session_id];
    let ended = cx.execute(END_APP, row)? + cx.execute(END_BROWSER, row)?;
    if ended == 0 {
        return Err(Key::NotFound.into());
    }
    cx.set_audit_target(subject.word(), id, ["session"]);
    Ok(SessionEnded { ended: true })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .operations([
            operation!(app GET "/auth/sessions", SignedIn, list_sessions)
                .summary("List sessions")
                .describe("Returns where the caller is signed in."),
            operation!(app DELETE "/auth/sessions/{sessionId}", SignedIn, end_session)
                .summary("End a session")
                .describe("Signs a device out: its tokens or its cookie stop working at once."),
        ])
        .tagged("Signing in")
}

statements! {
    APPS = "SELECT session_id, created_at FROM app_session WHERE company_id = ?1 AND subject = ?2 \
        AND subject_id = ?3 AND refresh_expires_at > ?4 ORDER BY created_at DESC LIMIT 50";
    BROWSERS = "SELECT session_id, browser, created_at, seen_at FROM browser_session WHERE company_id = ?1 \
        AND subject = ?2 AND subject_id = ?3 AND expires_at > ?4 ORDER BY created_at DESC LIMIT 50";
    END_APP = "DELETE FROM app_session WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND session_id = ?4";
    END_BROWSER = "DELETE FROM browser_session WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND session_id = ?4";
}
