//! Tokens of the MCP server: codes are exchanged for them once, refresh tokens are replaced at every
//! use, and whatever is presented twice ends what it led to.

use spotter_company::company::Company;
use spotter_contract::{Actor, Area, Caller, Env, Read, Repeating, Write, vault};
use spotter_kernel::{
    Problem, Result, Timestamp, Verdict,
    limits::{ACCESS_TOKEN_SECONDS, MCP_REFRESH_TOKEN_SECONDS},
    secret::{Credential, CredentialKind},
};
use spotter_store::{Tx, params, record, statements, words};

use super::{
    grants::{self, Grant, GrantId},
    modules::scope_of,
    registration,
};

words! {
    /// What a token is good for.
    enum TokenKind { Access = "access", Refresh = "refresh" }
}

/// Why no token was issued, in RFC 6749's words (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// The assistant is not registered (any more).
    InvalidClient,
    /// The code or token is not good, or not good for this.
    InvalidGrant,
    /// The company is suspended; the code or token is good again once it is resumed.
    CompanySuspended,
}

/// Issued tokens, shown once.
#[derive(Debug)]
pub struct IssuedTokens {
    /// Sent as `Authorization: Bearer`.
    pub access: Credential,
    /// Good for one refresh within 90 days.
    pub refresh: Credential,
    /// Module keys.
    pub scope: String,
}

/// A code and what proves that it was meant for the one who presents it.
pub struct PresentedCode<'p> {
    /// OAuth client of the assistant.
    pub client_id: &'p str,
    /// The code.
    pub code: &'p str,
    /// What the challenge was made of, digested as the challenge is (RFC 7636, section 4.6).
    pub challenge: &'p str,
    /// Where the code was sent.
    pub redirect_uri: &'p str,
}

record! {
    struct Code {
        grant_id: GrantId,
        client_id: String,
        redirect_uri: String,
        code_challenge: String,
        used: bool,
        expires_at: Timestamp,
    }
}

/// Exchanges a code for tokens. A code that is presented again ends the grant's tokens; one that is
/// presented wrongly stays good.
pub fn exchange(
    tx: &mut Tx,
    env: &Env,
    presented: &PresentedCode<'_>,
    request_id: &str,
) -> Result<Verdict<IssuedTokens, TokenError>> {
    if registration::find(tx, presented.client_id)?.is_none() {
        return Ok(Verdict::Refused(TokenError::InvalidClient));
    }
    let Some(code) = Credential::parse(CredentialKind::McpCode, presented.code) else {
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    };
    let nobody = Caller::new(code.company, Actor::System);
    let read = Read::new(tx, &nobody, env.clock.now());
    let mut cx = Write::new(read, env, "issue_mcp_token", &[], request_id)?;
    let digest = vault::digest(&code);
    Company::ask_ahead(&mut cx)?;
    let found: Option<Code> = cx.one(CODE, params![digest])?;
    let now = cx.now();
    let Some(kept) = found.filter(|kept| kept.client_id == presented.client_id) else {
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    };
    cx.set_audit_target("mcp_grant", kept.grant_id, ["tokens"]);
    if kept.used {
        revoke_all(&mut cx, kept.grant_id)?;
        cx.audit_as("refused")?;
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    }
    let meant = kept.expires_at > now
        && kept.redirect_uri == presented.redirect_uri
        && vault::same(kept.code_challenge.as_bytes(), presented.challenge.as_bytes());
    if !meant {
        cx.audit_as("refused")?;
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    }
    if Company::find(&mut cx)?.admit().is_err() {
        return Ok(Verdict::Refused(TokenError::CompanySuspended));
    }
    if cx.execute(USE, params![digest])? == 0 {
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    }
    issue(&mut cx, kept.grant_id)
}

record! {
    /// A token: the record.
    pub(super) struct Token {
        kind: TokenKind,
        pub(super) grant_id: GrantId,
        client_id: String,
        rotated_at: Option<Timestamp>,
        expires_at: Timestamp,
        /// The encrypted pair that it was exchanged for, while it may be requested again.
        successor: Option<Vec<u8>>,
        /// The address that it was issued for.
        resource: Option<String>,
    }
}

impl Token {
    /// Whether it is a valid access token at this instant, for this resource.
    pub(super) fn is_good_access(&self, now: Timestamp, address: &str) -> bool {
        let is_for_it = self.resource.as_deref().is_none_or(|resource| resource == address);
        self.kind == TokenKind::Access && self.expires_at > now && is_for_it
    }
}

/// Exchanges a refresh token for a new pair; the access token before it stays good for its time. One
/// that was exchanged before ends the grant's tokens, unless that was within the grace that the
/// operator gives: then it is answered with the same pair, for calls that came at once.
pub fn refresh(
    tx: &mut Tx,
    env: &Env,
    client_id: &str,
    token: &str,
    request_id: &str,
) -> Result<Verdict<IssuedTokens, TokenError>> {
    if registration::find(tx, client_id)?.is_none() {
        return Ok(Verdict::Refused(TokenError::InvalidClient));
    }
    let Some(token) = Credential::parse(CredentialKind::McpRefreshToken, token) else {
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    };
    let nobody = Caller::new(token.company, Actor::System);
    let read = Read::new(tx, &nobody, env.clock.now());
    let mut cx = Write::new(read, env, "refresh_mcp_token", &[], request_id)?;
    let (digest, now) = (vault::digest(&token), cx.now());
    Company::ask_ahead(&mut cx)?;
    let found: Option<Token> = cx.one(TOKEN, params![digest])?;
    let found = found.filter(|kept| kept.kind == TokenKind::Refresh && kept.client_id == client_id);
    let Some(kept) = found.filter(|kept| kept.expires_at > now) else {
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    };
    if Company::find(&mut cx)?.admit().is_err() {
        return Ok(Verdict::Refused(TokenError::CompanySuspended));
    }
    cx.set_audit_target("mcp_grant", kept.grant_id, ["tokens"]);
    if let Some(rotated_at) = kept.rotated_at {
        let in_time = now < rotated_at.plus_seconds(env.mcp_refresh_grace_seconds);
        if let Some(sealed) = kept.successor.filter(|_| in_time) {
            return repeat_recent(&mut cx, kept.grant_id, &sealed);
        }
        return reused(&mut cx, kept.grant_id);
    }
    // A token is not spent on a refusal.
    let Some(grant) = usable(&mut cx, kept.grant_id)? else {
        cx.audit_as("refused")?;
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    };
    // Atomic: of any number that present it at once, one changes the row.
    if cx.execute(ROTATE, params![digest, now])? == 0 {
        return reused(&mut cx, kept.grant_id);
    }
    let issued = issue_pair(&mut cx, &grant)?;
    if env.mcp_refresh_grace_seconds > 0 {
        let pair = [issued.access.expose(), issued.refresh.expose()].join(" ");
        let sealed = env.vault.seal(pair.as_bytes(), &*env.entropy)?;
        cx.defer(SUCCEED, params![digest, sealed])?;
    }
    Ok(Verdict::Granted(issued))
}

/// A used refresh token is presented again, by a thief or by a client that missed the answer.
fn reused(cx: &mut Write, grant: GrantId) -> Result<Verdict<IssuedTokens, TokenError>> {
    revoke_all(cx, grant)?;
    cx.audit_as("refused")?;
    Ok(Verdict::Refused(TokenError::InvalidGrant))
}

/// Answers with the pair that was issued a moment ago.
fn repeat_recent(
    cx: &mut Write,
    id: GrantId,
    sealed: &[u8],
) -> Result<Verdict<IssuedTokens, TokenError>> {
    let plain = String::from_utf8(cx.env().vault.open(sealed)?).map_err(Problem::internal)?;
    let parsed = plain.split_once(' ').and_then(|(access, refresh)| {
        let access = Credential::parse(CredentialKind::McpAccessToken, access)?;
        Some((access, Credential::parse(CredentialKind::McpRefreshToken, refresh)?))
    });
    let (access, refresh) = parsed.ok_or_else(|| Problem::internal("a pair cannot be read"))?;
    let grant = Grant::find(cx, id)?;
    if grant.revoked_at.is_some() {
        cx.audit_as("refused")?;
        return Ok(Verdict::Refused(TokenError::InvalidGrant));
    }
    Ok(Verdict::Granted(IssuedTokens { access, refresh, scope: scope_of(&grant.modules.0) }))
}

/// Revokes a token at its assistant's request, and with it every token of its grant (RFC 7009). An unknown token, or
/// another assistant's, is ignored.
pub fn revoke(
    tx: &mut Tx,
    env: &Env,
    client_id: &str,
    token: &str,
    request_id: &str,
) -> Result<()> {
    let kinds = [CredentialKind::McpRefreshToken, CredentialKind::McpAccessToken];
    let Some(token) = kinds.into_iter().find_map(|kind| Credential::parse(kind, token)) else {
        return Ok(());
    };
    let nobody = Caller::new(token.company, Actor::System);
    let read = Read::new(tx, &nobody, env.clock.now());
    let mut cx = Write::new(read, env, "revoke_mcp_token", &[], request_id)?;
    let found: Option<Token> = cx.one(TOKEN, params![vault::digest(&token)])?;
    let now = cx.now();
    let good = found.filter(|kept| kept.client_id == client_id && kept.expires_at > now);
    let Some(kept) = good else { return Ok(()) };
    cx.set_audit_target("mcp_grant", kept.grant_id, ["tokens"]);
    grants::end(&mut cx, kept.grant_id)?;
    cx.audit()
}

/// A valid grant whose person may still sign in.
fn usable(cx: &mut Write, id: GrantId) -> Result<Option<Grant>> {
    let grant = Grant::find(cx, id)?;
    let is_usable = grant.revoked_at.is_none() && grant.is_of_use(cx)?;
    Ok(is_usable.then_some(grant))
}

/// Issues a pair for a grant, if it can be used.
fn issue(cx: &mut Write, id: GrantId) -> Result<Verdict<IssuedTokens, TokenError>> {
    match usable(cx, id)? {
        Some(grant) => issue_pair(cx, &grant).map(Verdict::Granted),
        None => {
            cx.audit_as("refused")?;
            Ok(Verdict::Refused(TokenError::InvalidGrant))
        }
    }
}

fn issue_pair(cx: &mut Write, grant: &Grant) -> Result<IssuedTokens> {
    grant.used(cx)?;
    let access = cx.new_credential(CredentialKind::McpAccessToken);
    let refresh = cx.new_credential(CredentialKind::McpRefreshToken);
    let now = cx.now();
    for (token, kind, seconds) in [
        (&access, TokenKind::Access, ACCESS_TOKEN_SECONDS),
        (&refresh, TokenKind::Refresh, MCP_REFRESH_TOKEN_SECONDS),
    ] {
        let (digest, expires_at) = (vault::digest(token), now.plus_seconds(seconds));
        let (id, client, resource) = (grant.grant_id, &grant.client_id, &*cx.env().mcp_url);
        let row = params![digest, kind, id, client, None::<i64>, expires_at, resource];
        cx.defer(INSERT, row)?;
    }
    cx.audit()?;
    Ok(IssuedTokens { access, refresh, scope: scope_of(&grant.modules.0) })
}

/// Ends every token of a grant, with this commit; exchanged ones stay, so that they are known.
pub(super) fn revoke_all(cx: &mut Write, grant: GrantId) -> Result<()> {
    let now = cx.now();
    cx.defer(END_ACCESS, params![grant, TokenKind::Access])?;
    cx.defer(ROTATE_ALL, params![grant, TokenKind::Refresh, now])
}

/// Deletes some codes and tokens that have expired; how many. To be called now and then.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(PRUNE_CODES, params![now])? + tx.execute(PRUNE_TOKENS, params![now])?)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING)
}

const REPEATING: &[Repeating] = &[Repeating::prune(
    "forget_assistants_tokens",
    "Delete expired codes and tokens of assistants",
    prune,
)];

statements! {
    CODE = "SELECT ", Code::COLUMNS, " FROM mcp_code WHERE company_id = ?1 AND digest = ?2";
    USE = "UPDATE mcp_code SET used = TRUE WHERE company_id = ?1 AND digest = ?2 AND used = FALSE";
    pub(super) TOKEN = "SELECT ", Token::COLUMNS, " FROM mcp_token WHERE company_id = ?1 AND digest = ?2";
    ROTATE = "UPDATE mcp_token SET rotated_at = ?3 WHERE company_id = ?1 AND digest = ?2 \
        AND rotated_at IS NULL";
    INSERT = "INSERT INTO mcp_token (company_id, digest, kind, grant_id, client_id, rotated_at, expires_at, \
        resource) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    SUCCEED = "UPDATE mcp_token SET successor = ?3 WHERE company_id = ?1 AND digest = ?2";
    END_ACCESS = "DELETE FROM mcp_token WHERE company_id = ?1 AND grant_id = ?2 AND kind = ?3";
    ROTATE_ALL = "UPDATE mcp_token SET rotated_at = ?4 WHERE company_id = ?1 AND grant_id = ?2 \
        AND kind = ?3 AND rotated_at IS NULL";
    PRUNE_CODES = "DELETE FROM mcp_code WHERE (company_id, digest) IN \
        (SELECT company_id, digest FROM mcp_code WHERE expires_at <= ?1 LIMIT 500)";
    PRUNE_TOKENS = "DELETE FROM mcp_token WHERE (company_id, digest) IN \
        (SELECT company_id, digest FROM mcp_token WHERE expires_at <= ?1 LIMIT 500)";
}
