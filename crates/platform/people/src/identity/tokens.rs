//! Access tokens of the Public API: issued for client credentials, checked at every request.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lru::LruCache;
use spotter_contract::{Actor, Area, Caller, Env, Features, Repeating, Write, vault};
use spotter_kernel::{
    Id, Key, Problem, Result, ScopeSet, Timestamp, Verdict,
    id::CompanyId,
    limits::ACCESS_TOKEN_SECONDS,
    secret::{Credential, CredentialKind},
};
use spotter_store::{Tx, params, record, statements};

use super::api_clients::{ApiClientStatus, parse_client_id};

/// Why no token was issued, in RFC 6749's words (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRefusal {
    /// Unknown client, wrong secret, or revoked.
    InvalidClient,
    /// The client exists, and its company does not let integrations in.
    UnauthorizedClient,
    /// A scope that the client was not given.
    InvalidScope,
}

/// An issued token.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    /// The token itself.
    pub token: Credential,
    /// What it allows.
    pub scopes: ScopeSet,
}

/// Issues a token for client credentials, or refuses in OAuth's terms. Both are audited where the client is known.
pub fn issue(
    tx: &mut Tx,
    env: &Env,
    client_id: &str,
    secret: &str,
    wanted: Option<&ScopeSet>,
    request_id: &str,
) -> Result<Verdict<IssuedToken, TokenRefusal>> {
    type Found = (ApiClientStatus, Vec<u8>, ScopeSet, bool);
    let Some((company, id)) = parse_client_id(client_id) else {
        return Ok(Verdict::Refused(TokenRefusal::InvalidClient));
    };
    let now = env.clock.now();
    let found: Option<Found> = tx.one(CREDENTIALS, params![company, id])?;
    let Some((status, digest, scopes, enabled)) = found else {
        return Ok(Verdict::Refused(TokenRefusal::InvalidClient));
    };
    let none = ScopeSet::default();
    let actor =
        Actor::ApiClient { id, scopes: none, health_data: false, private_communication: false };
    let caller = Caller::new(company, actor);
    let read = spotter_contract::Read::new(tx, &caller, now);
    let mut cx = Write::new(read, env, "issue_token", &[], request_id)?;
    cx.set_audit_target("api_client", id, Vec::<String>::new());
    let secret = Credential::parse(CredentialKind::ApiClientSecret, secret);
    let known = secret.is_some_and(|secret| vault::same(&vault::digest(&secret), &digest));
    let refusal = match wanted {
        _ if !known || status == ApiClientStatus::Revoked => Some(TokenRefusal::InvalidClient),
        _ if !enabled => Some(TokenRefusal::UnauthorizedClient),
        Some(wanted) if !wanted.is_subset(&scopes) => Some(TokenRefusal::InvalidScope),
        _ => None,
    };
    if let Some(refusal) = refusal {
        cx.audit_as("refused")?;
        return Ok(Verdict::Refused(refusal));
    }
    let scopes = wanted.cloned().unwrap_or(scopes);
    let token = cx.new_credential(CredentialKind::ApiAccessToken);
    let expires_at = env.wall_clock.now().plus_seconds(ACCESS_TOKEN_SECONDS);
    cx.defer(INSERT, params![vault::digest(&token), id, scopes, expires_at])?;
    cx.audit()?;
    Ok(Verdict::Granted(IssuedToken { token, scopes }))
}

/// How many tokens are remembered.
const KNOWN_MAX: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// What tokens were found to mean. It is never believed: a transaction that uses it has the
/// database confirm it, in the round trip of its first statement, so a revocation takes effect at
/// once on every node.
pub struct KnownTokens(Mutex<TokenCache>);

/// Callers with the end of their token, by its digest.
type TokenCache = LruCache<[u8; 32], (Arc<Caller>, Timestamp)>;

impl Default for KnownTokens {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KNOWN_MAX)))
    }
}

impl KnownTokens {
    /// The API client behind a token, if the token is good and its company lets integrations in.
    pub fn authenticate(
        &self,
        tx: &mut Tx,
        token: &Credential,
        now: Timestamp,
    ) -> Result<Arc<Caller>> {
        let digest = vault::digest(token);
        if tx.may_assume() {
            let known = self.lock().get(&digest).cloned();
            if let Some((caller, expires_at)) = known
                && expires_at > now
            {
                confirm(tx, &caller, &digest)?;
                return Ok(caller);
            }
        }
        // What turned out to be wrong is forgotten, so that it is not tried first again.
        let found = look_up(tx, token.company, &digest, now)
            .inspect_err(|_| drop(self.lock().pop(&digest)));
        let (caller, expires_at) = found?;
        let caller = Arc::new(caller);
        self.lock().put(digest, (caller.clone(), expires_at));
        Ok(caller)
    }

    /// The API client that a token was found to mean, which nothing confirms.
    pub fn find(&self, token: &Credential, now: Timestamp) -> Option<Arc<Caller>> {
        let known = self.lock().get(&vault::digest(token)).cloned();
        known.filter(|(_, expires_at)| *expires_at > now).map(|(caller, _)| caller)
    }

    fn lock(&self) -> MutexGuard<'_, TokenCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Assumes that the token still means what it is known to mean: its scopes never change.
fn confirm(tx: &mut Tx, caller: &Caller, digest: &[u8; 32]) -> Result<()> {
    let Actor::ApiClient { id, health_data, private_communication, .. } = caller.actor else {
        return Err(Problem::internal("a token of nobody's"));
    };
    let active = ApiClientStatus::Active;
    let Features { workout, programme_calendar, mcp, client_ai, health_consent, .. } =
        caller.features;
    let means = params![
        caller.company,
        digest,
        id,
        active,
        health_data,
        private_communication,
        workout,
        programme_calendar,
        mcp,
        client_ai,
        health_consent
    ];
    tx.assume(CONFIRM, means)
}

record! {
    /// A token with its API client and its company, as far as they are there.
    struct Found {
        api_client_id: Id,
        scopes: ScopeSet,
        expires_at: Timestamp,
        status: Option<ApiClientStatus>,
        health_data: Option<bool>,
        private_communication: Option<bool>,
        public_api: Option<bool>,
        workout: Option<bool>,
        programme_calendar: Option<bool>,
        mcp: Option<bool>,
        client_ai: Option<bool>,
        health_consent: Option<bool>,
    }
}

fn look_up(
    tx: &mut Tx,
    company: CompanyId,
    digest: &[u8; 32],
    now: Timestamp,
) -> Result<(Caller, Timestamp)> {
    let found: Option<Found> = tx.one(AUTHENTICATE, params![company, digest])?;
    let found = found.filter(|found| found.expires_at > now).ok_or(Key::InvalidToken)?;
    if found.status != Some(ApiClientStatus::Active) {
        return Err(Key::InvalidClient.into());
    }
    if !found.public_api.ok_or(Key::MissingContext)? {
        return Err(Key::ProviderUnavailable.into());
    }
    let on = |switch: Option<bool>| switch.unwrap_or(false);
    let actor = Actor::ApiClient {
        id: found.api_client_id,
        scopes: found.scopes,
        health_data: on(found.health_data),
        private_communication: on(found.private_communication),
    };
    let features = Features {
        public_api: true,
        workout: on(found.workout),
        programme_calendar: on(found.programme_calendar),
        mcp: on(found.mcp),
        client_ai: on(found.client_ai),
        health_consent: on(found.health_consent),
        ..Features::default()
    };
    Ok((Caller { features, ..Caller::new(company, actor) }, found.expires_at))
}

/// Revokes every token of an API client, with this commit.
pub fn revoke_all(cx: &mut Write, api_client: Id) -> Result<()> {
    cx.defer(REVOKE_ALL, params![api_client])
}

/// Deletes some tokens that have expired; how many. To be called now and then.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING)
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_access_tokens", "Delete expired access tokens", prune)];

statements! {
    CREDENTIALS = "SELECT a.status, a.secret_digest, a.scopes, \
        c.public_api_enabled AND c.suspended_at IS NULL \
        FROM api_client a JOIN company c ON c.company_id = a.company_id \
        WHERE a.company_id = ?1 AND a.api_client_id = ?2";
    INSERT = "INSERT INTO access_token (company_id, digest, api_client_id, scopes, expires_at) \
        VALUES (?1, ?2, ?3, ?4, ?5)";
    AUTHENTICATE = "SELECT t.api_client_id, t.scopes, t.expires_at, a.status, a.health_data, \
        a.private_communication, c.public_api_enabled AND c.suspended_at IS NULL, c.workout_enabled, c.programme_calendar_enabled, \
        c.mcp_enabled, c.client_ai_enabled, c.health_consent_enabled FROM access_token t \
        LEFT JOIN api_client a ON a.company_id = t.company_id AND a.api_client_id = t.api_client_id \
        LEFT JOIN company c ON c.company_id = t.company_id \
        WHERE t.company_id = ?1 AND t.digest = ?2";
    CONFIRM = "SELECT TRUE FROM access_token t \
        JOIN api_client a ON a.company_id = t.company_id AND a.api_client_id = t.api_client_id \
        JOIN company c ON c.company_id = t.company_id \
        WHERE t.company_id = ?1 AND t.digest = ?2 AND t.api_client_id = ?3 AND a.status = ?4 \
        AND a.health_data = ?5 AND a.private_communication = ?6 AND c.public_api_enabled AND c.suspended_at IS NULL \
        AND c.workout_enabled = ?7 AND c.programme_calendar_enabled = ?8 AND c.mcp_enabled = ?9 \
        AND c.client_ai_enabled = ?10 AND c.health_consent_enabled = ?11";
    REVOKE_ALL = "DELETE FROM access_token WHERE company_id = ?1 AND api_client_id = ?2";
    PRUNE = "DELETE FROM access_token WHERE (company_id, digest) IN \
        (SELECT company_id, digest FROM access_token WHERE expires_at <= ?1 LIMIT 500)";
}
