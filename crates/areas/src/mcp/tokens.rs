//! Tokens of the MCP server: codes are exchanged for them once, refresh tokens are replaced at every
//! use, and whatever is presented twice ends what it led to.

use spotter_contract::{Actor, Caller, Delegation, Env, Features, Read, Write, vault};
use spotter_kernel::{
    Id, Key, Result, Timestamp,
    id::CompanyId,
    limits::{ACCESS_TOKEN_SECONDS, MCP_REFRESH_TOKEN_SECONDS},
    secret::{Credential, CredentialKind},
};
use spotter_store::{Tx, params, record, statements, words};

use super::{
    grants::{Grant, GrantId},
    keys::{self, McpKey},
    modules::{GrantSubject, Module, scope_of, scopes_of},
    policy, registration,
};
use crate::{
    access::{accounts::Subject, sessions},
    company::Company,
};

words! {
    /// What a token is good for.
    enum TokenKind { Access = "access", Refresh = "refresh" }
}

/// Why no token was issued, in RFC 6749's words (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The assistant is not registered (any more).
    InvalidClient,
    /// The code or token is not good, or not good for this.
    InvalidGrant,
}

/// Tokens as the assistant is told, once.
#[derive(Debug)]
pub struct Issued {
    /// Sent as `Authorization: Bearer`.
    pub access: Credential,
    /// Good for one refresh within 90 days.
    pub refresh: Credential,
    /// Module keys.
    pub scope: String,
}

/// A code and what proves that it was meant for the one who presents it.
pub struct Presented<'p> {
    /// The assistant.
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
    presented: &Presented<'_>,
    request_id: &str,
) -> Result<Result<Issued, Refusal>> {
    if registration::find(tx, presented.client_id)?.is_none() {
        return Ok(Err(Refusal::InvalidClient));
    }
    let Some(code) = Credential::parse(CredentialKind::McpCode, presented.code) else {
        return Ok(Err(Refusal::InvalidGrant));
    };
    let nobody = Caller::new(code.company, Actor::System);
    let read = Read::new(tx, &nobody, env.clock.now());
    let mut cx = Write::new(read, env, "issue_mcp_token", &[], request_id)?;
    let digest = vault::digest(&code);
    let found: Option<Code> = cx.one(CODE, params![digest])?;
    let now = cx.now();
    let Some(kept) = found.filter(|kept| kept.client_id == presented.client_id) else {
        return Ok(Err(Refusal::InvalidGrant));
    };
    cx.touch("mcp_grant", kept.grant_id, ["tokens"]);
    if kept.used {
        revoke_all(&mut cx, kept.grant_id)?;
        cx.audit_as("refused")?;
        return Ok(Err(Refusal::InvalidGrant));
    }
    let meant = kept.expires_at > now
        && kept.redirect_uri == presented.redirect_uri
        && vault::same(kept.code_challenge.as_bytes(), presented.challenge.as_bytes());
    if !meant {
        cx.audit_as("refused")?;
        return Ok(Err(Refusal::InvalidGrant));
    }
    if cx.execute(USE, params![digest])? == 0 {
        return Ok(Err(Refusal::InvalidGrant));
    }
    issue(&mut cx, kept.grant_id)
}

record! {
    struct Token {
        kind: TokenKind,
        grant_id: GrantId,
        client_id: String,
        rotated_at: Option<Timestamp>,
        expires_at: Timestamp,
    }
}

/// Exchanges a refresh token for a new pair. One that was exchanged before ends the grant's tokens.
pub fn refresh(
    tx: &mut Tx,
    env: &Env,
    client_id: &str,
    token: &str,
    request_id: &str,
) -> Result<Result<Issued, Refusal>> {
    if registration::find(tx, client_id)?.is_none() {
        return Ok(Err(Refusal::InvalidClient));
    }
    let Some(token) = Credential::parse(CredentialKind::McpRefreshToken, token) else {
        return Ok(Err(Refusal::InvalidGrant));
    };
    let nobody = Caller::new(token.company, Actor::System);
    let read = Read::new(tx, &nobody, env.clock.now());
    let mut cx = Write::new(read, env, "refresh_mcp_token", &[], request_id)?;
    let (digest, now) = (vault::digest(&token), cx.now());
    let found: Option<Token> = cx.one(TOKEN, params![digest])?;
    let found = found.filter(|kept| kept.kind == TokenKind::Refresh && kept.client_id == client_id);
    let Some(kept) = found.filter(|kept| kept.expires_at > now) else {
        return Ok(Err(Refusal::InvalidGrant));
    };
    cx.touch("mcp_grant", kept.grant_id, ["tokens"]);
    // Atomic: of any number that present it at once, one changes the row.
    if kept.rotated_at.is_some() || cx.execute(ROTATE, params![digest, now])? == 0 {
        revoke_all(&mut cx, kept.grant_id)?;
        cx.audit_as("refused")?;
        return Ok(Err(Refusal::InvalidGrant));
    }
    cx.defer(END_ACCESS, params![kept.grant_id, TokenKind::Access])?;
    issue(&mut cx, kept.grant_id)
}

/// Issues a pair for a grant that still stands.
fn issue(cx: &mut Write, id: GrantId) -> Result<Result<Issued, Refusal>> {
    let grant = Grant::find(cx, id)?;
    if grant.revoked_at.is_some() {
        cx.audit_as("refused")?;
        return Ok(Err(Refusal::InvalidGrant));
    }
    let access = cx.new_credential(CredentialKind::McpAccessToken);
    let refresh = cx.new_credential(CredentialKind::McpRefreshToken);
    let now = cx.now();
    for (token, kind, seconds) in [
        (&access, TokenKind::Access, ACCESS_TOKEN_SECONDS),
        (&refresh, TokenKind::Refresh, MCP_REFRESH_TOKEN_SECONDS),
    ] {
        let (digest, expires_at) = (vault::digest(token), now.plus_seconds(seconds));
        cx.defer(INSERT, params![digest, kind, id, grant.client_id, None::<i64>, expires_at])?;
    }
    cx.audit()?;
    Ok(Ok(Issued { access, refresh, scope: scope_of(&grant.modules.0) }))
}

/// Ends every token of a grant, with this commit; exchanged ones stay, so that they are known.
pub(super) fn revoke_all(cx: &mut Write, grant: GrantId) -> Result<()> {
    let now = cx.now();
    cx.defer(END_ACCESS, params![grant, TokenKind::Access])?;
    cx.defer(ROTATE_ALL, params![grant, TokenKind::Refresh, now])
}

/// Who calls the MCP server, and what they were allowed.
#[derive(Clone, Debug)]
pub struct Assistant {
    /// The person, and what was handed to the assistant.
    pub caller: Caller,
    /// For whom it acts.
    pub subject: GrantSubject,
    /// What it may reach.
    pub modules: Vec<Module>,
    /// Whether it may only read.
    pub read_only: bool,
}

/// Takes apart what is presented at the MCP server: a static key or an access token.
pub fn parse(text: &str) -> Option<Credential> {
    [CredentialKind::McpAccessToken, CredentialKind::McpKey]
        .into_iter()
        .find_map(|kind| Credential::parse(kind, text))
}

/// The person behind a credential, if it is good, the person may still come in, and the company
/// still lets assistants in.
pub fn authenticate(tx: &mut Tx, env: &Env, credential: &Credential) -> Result<Assistant> {
    let (company, now) = (credential.company, env.clock.now());
    let asked = Company::ask(tx, company)?;
    let nobody = Caller::new(company, Actor::System);
    let (through, subject, person, modules, read_only) =
        allowed(&mut Read::new(tx, &nobody, now), credential)?;
    let features = Company::told(tx, asked)?.features();
    let whom = (subject, person);
    let cx = &mut Read::new(tx, &nobody, now);
    stand_for(cx, (company, features), through, whom, modules, read_only)
}

/// What a good credential lets its holder do: through what, for whom, and what.
fn allowed(
    cx: &mut Read,
    credential: &Credential,
) -> Result<(Id, GrantSubject, Id, Vec<Module>, bool)> {
    let now = cx.now();
    Ok(match credential.kind {
        CredentialKind::McpKey => {
            let found: Option<McpKey> =
                cx.one(keys::BY_DIGEST, params![vault::digest(credential)])?;
            let good = found.filter(|key| key.revoked_at.is_none() && key.expires_at > now);
            let key = good.ok_or(Key::InvalidToken)?;
            (key.key_id.0, GrantSubject::Company, key.coach_id.0, key.modules.0, key.read_only)
        }
        _ => {
            let found: Option<Token> = cx.one(TOKEN, params![vault::digest(credential)])?;
            let good = |token: &Token| token.kind == TokenKind::Access && token.expires_at > now;
            let token = found.filter(good).ok_or(Key::InvalidToken)?;
            let grant = Grant::find(cx, token.grant_id)?;
            if grant.revoked_at.is_some() {
                return Err(Key::InvalidToken.into());
            }
            (grant.grant_id.0, grant.subject, grant.subject_id, grant.modules.0, grant.read_only)
        }
    })
}

fn stand_for(
    cx: &mut Read,
    (company, features): (CompanyId, Features),
    through: Id,
    (subject, person): (GrantSubject, Id),
    mut modules: Vec<Module>,
    read_only: bool,
) -> Result<Assistant> {
    let account = match subject {
        GrantSubject::Company => Subject::Coach,
        GrantSubject::Client => Subject::Client,
    };
    let actor = sessions::admit(cx, account, person, through)?;
    // What a manager allowed is not a coach's to use.
    if let Actor::Coach { role, .. } = &actor
        && *role < spotter_contract::Role::Manager
    {
        return Err(Key::InvalidToken.into());
    }
    if !features.mcp || (subject == GrantSubject::Client && !features.client_ai) {
        return Err(Key::InvalidToken.into());
    }
    if subject == GrantSubject::Client {
        let allowed = policy::client_modules(cx)?;
        modules.retain(|module| allowed.contains(module));
    }
    let scopes = scopes_of(&modules, read_only);
    let delegation = Some(Delegation { through, scopes });
    let caller = Caller { features, delegation, ..Caller::new(company, actor) };
    Ok(Assistant { caller, subject, modules, read_only })
}

/// Deletes some codes and tokens that have expired; how many. To be called now and then.
pub fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(PRUNE_CODES, params![now])? + tx.execute(PRUNE_TOKENS, params![now])?)
}

statements! {
    CODE = "SELECT ", Code::COLUMNS, " FROM mcp_code WHERE company_id = ?1 AND digest = ?2";
    USE = "UPDATE mcp_code SET used = TRUE WHERE company_id = ?1 AND digest = ?2 AND used = FALSE";
    TOKEN = "SELECT ", Token::COLUMNS, " FROM mcp_token WHERE company_id = ?1 AND digest = ?2";
    ROTATE = "UPDATE mcp_token SET rotated_at = ?3 WHERE company_id = ?1 AND digest = ?2 \
        AND rotated_at IS NULL";
    INSERT = "INSERT INTO mcp_token (company_id, digest, kind, grant_id, client_id, rotated_at, expires_at) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    END_ACCESS = "DELETE FROM mcp_token WHERE company_id = ?1 AND grant_id = ?2 AND kind = ?3";
    ROTATE_ALL = "UPDATE mcp_token SET rotated_at = ?4 WHERE company_id = ?1 AND grant_id = ?2 \
        AND kind = ?3 AND rotated_at IS NULL";
    PRUNE_CODES = "DELETE FROM mcp_code WHERE (company_id, digest) IN \
        (SELECT company_id, digest FROM mcp_code WHERE expires_at <= ?1 LIMIT 500)";
    PRUNE_TOKENS = "DELETE FROM mcp_token WHERE (company_id, digest) IN \
        (SELECT company_id, digest FROM mcp_token WHERE expires_at <= ?1 LIMIT 500)";
}
