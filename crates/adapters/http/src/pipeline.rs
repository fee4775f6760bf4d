//! The life of a request, from its route to its envelope.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{HeaderMap, HeaderValue, Request, Response, header},
};
use sha2::{Digest, Sha256};
use spotter_company::site;
use spotter_contract::{
    Access, Answer, Arguments, Caller, Content, Operation, PreparedRequest, Surface,
    idempotency::{self, Idempotent},
};
use spotter_devices::keys;
use spotter_kernel::{
    Id, Key, Problem, Result, limits,
    secret::{Credential, CredentialKind},
};
use spotter_people::identity::sessions;
use spotter_store::Tx;

use crate::{
    address, envelope,
    incoming::read_body,
    observe::RequestId,
    rate_limit::{RateLimitKey, RateLimitStatus},
    server::State,
    table,
};

/// Serves one request of one operation.
pub(crate) async fn serve(
    state: Arc<State>,
    (surface, operation): (Surface, Arc<Operation>),
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let request_id = RequestId::of(&request);
    let from = address::of(&request, &state.settings.trusted_proxies);
    let counted = Arc::new(OnceLock::new());
    let asked_with = known_tags(request.headers());
    let rows = operation.rows.filter(|_| table::is_wanted(request.headers()));
    if operation.access == Access::Visitor {
        let visit =
            if operation.writes { state.count_sign_up(from) } else { state.count_visit(from) };
        counted.set(visit).ok();
    }
    let outcome = match identity(request.headers(), surface, &operation, params.as_ref()) {
        Ok(who) => answer(&state, &operation, who, params, request, &request_id, &counted).await,
        Err(problem) => Err(problem),
    };
    let (now, anonymous) = (state.env.wall_clock.now(), state.settings.anonymous_rate_limit);
    // A request without a good token is counted by its address, also where the token seemed to be good until it was
    // looked up. The transaction has checked the limit of a caller who is known.
    let known = match &outcome {
        Err(problem) if problem.status == 401 => None,
        _ => counted.get().copied(),
    };
    let by_address = || state.rates.take(RateLimitKey::address(from), anonymous, now);
    let rate_limit = known.unwrap_or_else(by_address);
    let outcome = match outcome {
        Err(problem) if problem.status < 500 && rate_limit.exceeded && known.is_none() => {
            Err(Key::RateLimitExceeded.into())
        }
        other => other,
    };
    let outcome = outcome.and_then(|answer| {
        let table = rows.map(|rows| table::csv(&answer.data, rows)).transpose()?;
        Ok((answer, table))
    });
    match outcome {
        Ok((_, Some(table))) => envelope::table(table, operation.path, rate_limit),
        Ok((answer, None)) if operation.is_tagged() => {
            envelope::tagged(&answer, &asked_with, request_id.as_str(), rate_limit)
        }
        Ok((answer, None)) => {
            envelope::success(&answer, operation.writes, request_id.as_str(), rate_limit)
        }
        Err(problem) => {
            if problem.status >= 500 {
                let request_id = request_id.as_str();
                tracing::error!(request_id, operation = operation.id, %problem, "failed");
            }
            envelope::failure(&problem, request_id.as_str(), rate_limit)
        }
    }
}

/// The tags of answers that the caller has already.
fn known_tags(headers: &HeaderMap) -> HeaderMap {
    let tags = headers.get_all(header::IF_NONE_MATCH).iter();
    tags.map(|tag| (header::IF_NONE_MATCH, tag.clone())).collect()
}

/// The single value of a header; `None` where it was sent more than once, because a proxy may have used the other.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(()),
    }
}

/// The token in the Authorization header.
pub(crate) fn bearer(headers: &HeaderMap, surface: Surface) -> Result<Credential> {
    let value = only(headers, "authorization").map_err(|()| Key::InvalidToken)?;
    let value = value.and_then(|value| value.to_str().ok());
    let (scheme, token) =
        value.and_then(|value| value.split_once(' ')).ok_or(Key::MissingBearer)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Key::MissingBearer.into());
    }
    let kind = match surface {
        Surface::Public => CredentialKind::ApiAccessToken,
        Surface::App => CredentialKind::AppAccessToken,
    };
    Credential::parse(kind, token.trim()).ok_or_else(|| Key::InvalidToken.into())
}

/// What an operation's caller is known by.
#[derive(Clone)]
enum Identity {
    /// A token, or the key of a device.
    Credential(Credential),
    /// Nothing: a stranger at the public site with this address.
    Site(String),
}

impl Identity {
    /// What separates the idempotency keys of callers within this process.
    fn text(&self) -> &str {
        match self {
            Self::Credential(credential) => credential.expose(),
            Self::Site(slug) => slug,
        }
    }

    /// Whether its writes carry an idempotency key, as those of programs do.
    fn demands_key(&self) -> bool {
        matches!(self, Self::Credential(own) if own.kind != CredentialKind::AppAccessToken)
    }
}

/// What an operation's caller is known by: the key of a device, a token, or else the site that a stranger looks at.
fn identity(
    headers: &HeaderMap,
    surface: Surface,
    operation: &Operation,
    params: Option<&RawPathParams>,
) -> Result<Identity> {
    if operation.access == Access::Visitor {
        let slug = params.and_then(|params| params.iter().find(|(name, _)| *name == "slug"));
        let slug = slug.map(|(_, slug)| slug.to_owned());
        return slug.map(Identity::Site).ok_or_else(|| Key::NotFound.into());
    }
    if operation.access != Access::Device {
        return bearer(headers, surface).map(Identity::Credential);
    }
    let key = only(headers, DEVICE_KEY).map_err(|()| Key::InvalidDeviceKey)?;
    let key = key.ok_or(Key::MissingDeviceKey)?.to_str().unwrap_or_default();
    let read = Credential::parse(CredentialKind::DeviceKey, key.trim());
    read.map(Identity::Credential).ok_or_else(|| Key::InvalidDeviceKey.into())
}

/// The header in which a device shows its key.
const DEVICE_KEY: &str = "x-device-key";

/// A request as it was read before its transaction begins.
struct Incoming {
    who: Identity,
    asked: PreparedRequest,
    request_id: RequestId,
    /// The field with an address that the operation will have reached, and the address.
    reached: Option<(&'static str, String)>,
    _held: Option<KeyLock>,
}

async fn answer(
    state: &Arc<State>,
    operation: &Arc<Operation>,
    who: Identity,
    params: Option<RawPathParams>,
    request: Request<Body>,
    request_id: &RequestId,
    counted: &Arc<OnceLock<RateLimitStatus>>,
) -> Result<Answer> {
    let slow = request.uri().query().is_some_and(takes_long);
    let mut incoming = read(state, operation, who, params, request, request_id).await;
    if let Some((field, url)) = incoming.reached.take()
        && let Err(problem) = reachable(state, operation, &incoming.who, field, &url).await
    {
        incoming.asked.refuse(problem);
    }
    let shared = match &incoming.who {
        Identity::Credential(token) => count_with_other_nodes(state, token).await?,
        Identity::Site(_) => None,
    };
    let (state, counted) = (state.clone(), counted.clone());
    let db = state.db.clone();
    let transaction =
        move |tx: &mut Tx<'_>| transact(tx, &state, &mut incoming, (shared, &counted));
    operation.transact(&db, slow, transaction).await.map_err(as_audit_failure)
}

/// Counts a request of an API client together with those that other nodes serve; nothing where no other node does, or
/// the token is not valid, which the transaction then reports.
async fn count_with_other_nodes(
    state: &Arc<State>,
    token: &Credential,
) -> Result<Option<RateLimitStatus>> {
    if !state.db.is_shared() || token.kind != CredentialKind::ApiAccessToken {
        return Ok(None);
    }
    let now = state.env.wall_clock.now();
    let known = match state.known_tokens.find(token, now) {
        Some(caller) => Some(caller),
        None => {
            let (shared, token) = (state.clone(), token.clone());
            let asked = move |tx: &mut Tx<'_>| shared.known_tokens.authenticate(tx, &token, now);
            state.db.read(asked).await.ok()
        }
    };
    let Some(caller) = known else { return Ok(None) };
    let (who, limit) = ((caller.company, caller.rate_limit_id()), state.settings.rate_limit);
    state.shared_rates.take(&state.db, who, limit, now).await.map(Some)
}

/// A failure of the audit log has a key of its own, whether a write leaves its entry there or it is read. The engine
/// names the table that failed it.
fn as_audit_failure(problem: Problem) -> Problem {
    match &problem.cause {
        Some(cause) if problem.key == Key::InternalError && cause.contains("audit_log") => {
            Problem::new(Key::AuditStoreUnavailable).caused_by(cause)
        }
        _ => problem,
    }
}

/// Number of skipped entries from which a page is read in the lane for slow reads.
const FAR_DOWN: i64 = 2_000;

/// Whether a read will take long: a page far down a list. What else does is found out by the store.
pub fn takes_long(query: &str) -> bool {
    let (mut page, mut limit) = (1i64, limits::PAGE_DEFAULT);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "page" => page = value.parse().unwrap_or(1),
            "limit" => limit = value.parse().unwrap_or(limit),
            _ => {}
        }
    }
    page.saturating_mul(limit) > FAR_DOWN
}

/// Checks whether the address in a body may be reached. Only callers with permission cause a lookup; the others are
/// refused in the transaction.
async fn reachable(
    state: &Arc<State>,
    operation: &Arc<Operation>,
    who: &Identity,
    field: &str,
    url: &str,
) -> Result<()> {
    let (shared, who, wanted) = (state.clone(), who.clone(), operation.clone());
    let admitted = state.db.read(move |tx| {
        let caller = authenticate(tx, &shared, &who)?;
        wanted.admit(&caller)
    });
    if admitted.await.is_err() {
        return Ok(());
    }
    check_reach(state, operation, field, url).await
}

/// Whether an address that an operation will call may be reached, for a caller with permission.
async fn check_reach(
    state: &Arc<State>,
    operation: &Operation,
    field: &str,
    url: &str,
) -> Result<()> {
    let checked = state.sender.check(url).await;
    checked.map_err(|rule| Problem::field(operation.invalid(), field, rule))
}

/// The same for a body that came through another door than the APIs.
pub async fn may_reach(state: &Arc<State>, operation: &Operation, body: &Content) -> Result<()> {
    match resolve_addresses(operation, body) {
        Some((field, url)) => check_reach(state, operation, field, &url).await,
        None => Ok(()),
    }
}

/// The part of a request's life that is one transaction.
fn transact(
    tx: &mut Tx<'_>,
    state: &State,
    incoming: &mut Incoming,
    (shared, counted): (Option<RateLimitStatus>, &OnceLock<RateLimitStatus>),
) -> Result<Answer> {
    let env = &state.env;
    let caller = authenticate(tx, state, &incoming.who)?;
    // A closure that runs again is still one request.
    let who = caller.rate_limit_id();
    let rate_limit = counted.get_or_init(|| shared.unwrap_or_else(|| state.count_caller(who)));
    rate_limit.check()?;
    incoming.asked.run(tx, env, &caller, incoming.request_id.as_str())
}

fn authenticate(tx: &mut Tx<'_>, state: &State, who: &Identity) -> Result<Arc<Caller>> {
    let now = state.env.wall_clock.now();
    let token = match who {
        Identity::Site(slug) => return site::visitor(tx, slug).map(Arc::new),
        Identity::Credential(token) => token,
    };
    match token.kind {
        CredentialKind::ApiAccessToken => state.known_tokens.authenticate(tx, token, now),
        CredentialKind::DeviceKey => {
            keys::authenticate(tx, token, state.env.clock.now()).map(Arc::new)
        }
        _ => sessions::authenticate(tx, &state.env, token).map(Arc::new),
    }
}

async fn read(
    state: &Arc<State>,
    operation: &Arc<Operation>,
    who: Identity,
    params: Option<RawPathParams>,
    request: Request<Body>,
    request_id: &RequestId,
) -> Incoming {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let body =
        if operation.takes_body() { collect(&parts.headers, body).await } else { Ok(Vec::new()) };
    let path: Option<Vec<(String, String)>> = params.map(|params| {
        params.iter().map(|(name, value)| (name.to_owned(), lower_id(value))).collect()
    });
    let arguments = match (path, body) {
        // A path that is not UTF-8 is refused before it is routed.
        (None, _) => Err(Key::NotFound.into()),
        (_, Err(problem)) => Err(problem),
        (Some(path), Ok(body)) => Ok(Arguments { path, query, body: Content::parse(&body) }),
    };
    let written = arguments.as_ref().ok().filter(|_| operation.writes);
    let fingerprint = written.map(|arguments| {
        let values: Vec<_> = arguments.path.iter().map(|(_, value)| value.as_str()).collect();
        let path = format!("{} {}", operation.full_path(), values.join("/"));
        idempotency::fingerprint(operation.method.name(), &path, arguments)
    });
    let idempotent = match only(&parts.headers, "idempotency-key") {
        Ok(key) => {
            let key = key.map(HeaderValue::as_bytes);
            Idempotent::new(key, fingerprint.unwrap_or_default())
        }
        Err(()) => {
            let text = "The Idempotency-Key header was sent more than once.";
            Err(Problem::with_message(Key::IdempotencyInvalid, text))
        }
    };
    let reached = written.and_then(|arguments| resolve_addresses(operation, &arguments.body));
    let held = match &idempotent {
        Ok(Some(idempotent)) if operation.writes => {
            Some(KeyLock::take(&state.in_flight, who.text(), &idempotent.key))
        }
        _ => None,
    };
    let mut requested = PreparedRequest::new(operation.clone(), arguments, idempotent);
    requested.busy = matches!(held, Some(None));
    requested.demands_key = who.demands_key();
    Incoming {
        who,
        asked: requested,
        request_id: request_id.clone(),
        reached,
        _held: held.flatten(),
    }
}

/// The address in the body that is to be reached, with its field.
fn resolve_addresses(operation: &Operation, body: &Content) -> Option<(&'static str, String)> {
    let (named, body) = (operation.address_fields?, body.object()?);
    named.iter().find_map(|field| {
        let pointer = format!("/{}", field.replace('.', "/"));
        Some((*field, body.pointer(&pointer)?.as_str()?.to_owned()))
    })
}

/// Ids are taken in either case and mean the same.
pub(crate) fn lower_id(value: &str) -> String {
    if Id::parse(value).is_some() { value.to_ascii_lowercase() } else { value.to_owned() }
}

/// Reads a JSON body within the limits of size and time.
pub(crate) async fn collect(headers: &HeaderMap, body: Body) -> Result<Vec<u8>> {
    let body = read_body(body, limits::BODY_MAX).await?.to_vec();
    if body.is_empty() {
        return Ok(body);
    }
    media_type(headers)
        .map_err(|why| Problem::with_message(Key::RequestFailed, why).with_status(415))?;
    // A byte order mark says nothing about UTF-8 and is skipped (RFC 8259, section 8.1).
    let marked = body.starts_with(b"\xef\xbb\xbf");
    Ok(if marked { body[3..].to_vec() } else { body })
}

/// Whether the media type of a body is supported: JSON in UTF-8 without an encoding.
fn media_type(headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let encoding = text(header::CONTENT_ENCODING);
    if !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity") {
        return Err("Compressed bodies are not taken: send it without Content-Encoding.");
    }
    let mut parts = text(header::CONTENT_TYPE).split(';').map(str::trim);
    if !parts.next().unwrap_or_default().eq_ignore_ascii_case("application/json") {
        return Err("The body must be sent as application/json.");
    }
    let mut charsets = parts
        .filter_map(|part| part.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let is_utf8 = |charset: &str| charset.trim_matches([' ', '"']).eq_ignore_ascii_case("utf-8");
    if charsets.all(|(_, charset)| is_utf8(charset)) {
        Ok(())
    } else {
        Err("The body must be in UTF-8.")
    }
}

/// A hold on an idempotency key in this process, until its request's transaction is over.
struct KeyLock {
    keys: Arc<Mutex<HashSet<[u8; 32]>>>,
    key: [u8; 32],
}

impl KeyLock {
    fn take(keys: &Arc<Mutex<HashSet<[u8; 32]>>>, who: &str, key: &str) -> Option<Self> {
        let mut hash = Sha256::new();
        hash.update(who);
        hash.update(key);
        let key = hash.finalize().into();
        let new = keys.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        new.then(|| Self { keys: keys.clone(), key })
    }
}

impl Drop for KeyLock {
    fn drop(&mut self) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_pages_take_long() {
        for slow in ["page=500", "page=21&limit=100"] {
            assert!(takes_long(slow), "{slow}");
        }
        for quick in ["", "page=20&limit=100", "search=zo&page=2"] {
            assert!(!takes_long(quick), "{quick}");
        }
    }
}
