//! Consent: an assistant's request, the person who decides on it, and what follows from a yes. A
//! request is decided once, by the one who has signed in to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, Caller, Env, Read, Repeating, Role, Success, Write, operation, vault,
};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::CompanyId,
    limits::MCP_CODE_SECONDS,
    secret::{CredentialKind, random_text},
    text::Text,
};
use spotter_store::{Json, Tx, params, record, statements};

use super::{
    grants::{Grant, GrantId},
    modules::{GrantSubject, Module, PROPOSED},
    policy, registration,
};
use crate::rules::AssistantRule;
use spotter_company::company::Company;
use spotter_people::{
    clients::Client,
    identity::{accounts::Subject, sessions},
};

/// An assistant's authorization request.
pub struct AuthorizationRequest {
    /// OAuth client id of the assistant.
    pub client_id: String,
    /// What it calls itself.
    pub client_name: String,
    /// Where the browser goes afterwards.
    pub redirect_uri: String,
    /// SHA-256 of the verifier, base64url (RFC 7636).
    pub code_challenge: String,
    /// The modules that it names, if it names any.
    pub modules: Option<Vec<Module>>,
    /// What it wants back.
    pub state: Option<String>,
}

record! {
    /// A request that waits for a decision.
    #[derive(Debug, Clone, PartialEq)]
    pub struct PendingAuthorization {
        /// The assistant's id.
        pub client_id: String,
        /// Name that the assistant gave; not verified.
        pub client_name: String,
        /// Where the browser goes afterwards.
        pub redirect_uri: String,
        code_challenge: String,
        modules: Option<Json<Vec<Module>>>,
        state: Option<String>,
        expires_at: Timestamp,
        /// The company of the one who has signed in to it.
        pub company_id: Option<CompanyId>,
        /// Whether that is a coach or a client.
        pub subject: Option<Subject>,
        /// Their record.
        pub subject_id: Option<Id>,
        session_digest: Option<Vec<u8>>,
    }
}

/// What a person may grant an assistant.
pub struct Proposal {
    /// The requested modules.
    pub proposed: Vec<Module>,
    /// What it could be allowed beside that.
    pub others: Vec<Module>,
}

/// Keeps a request; the secret that it is known by.
pub fn create(tx: &mut Tx, env: &Env, request: AuthorizationRequest) -> Result<String> {
    let secret = random_text(&*env.entropy);
    let expires_at = env.clock.now().plus_seconds(MCP_CODE_SECONDS);
    let modules = request.modules.map(Json);
    let AuthorizationRequest {
        client_id, client_name, redirect_uri, code_challenge, state, ..
    } = request;
    let digest = vault::digest_of(secret.as_bytes());
    tx.execute(
        ASK,
        params![
            digest,
            client_id,
            client_name,
            redirect_uri,
            code_challenge,
            modules,
            state,
            expires_at
        ],
    )?;
    Ok(secret)
}

/// The request that is known by a secret, while it waits.
pub fn pending(tx: &mut Tx, now: Timestamp, secret: &str) -> Result<Option<PendingAuthorization>> {
    let found: Option<PendingAuthorization> =
        tx.one(PENDING, params![vault::digest_of(secret.as_bytes())])?;
    Ok(found.filter(|pending| pending.expires_at > now))
}

/// Ties a request to a person who has signed in to it, and to their browser by a secret of its own. The person who
/// signed in last is the one who decides.
pub fn sign_in(
    cx: &mut Write,
    secret: &str,
    subject: Subject,
    id: Id,
    session: &str,
) -> Result<()> {
    let (digest, session) =
        (vault::digest_of(secret.as_bytes()), vault::digest_of(session.as_bytes()));
    person(cx, subject, id)?;
    cx.set_audit_target(subject.word(), id, ["mcp_request"]);
    cx.defer(SIGN_IN, params![digest, subject, id, session])
}

/// A person who may decide: a manager, or a client with portal access.
fn person(cx: &mut Read, subject: Subject, id: Id) -> Result<Caller> {
    let admitted = sessions::admit(cx, subject, id, id).map_err(|problem| match problem.key {
        Key::InvalidToken => Problem::new(Key::InvalidCredentials),
        _ => problem,
    })?;
    if matches!(admitted.actor, Actor::Coach { role, .. } if role < Role::Manager) {
        return Err(Problem::because(Key::Forbidden, AssistantRule::ConnectedByManagers));
    }
    let features = Company::find(cx)?.features();
    let caller = admitted.caller(cx.company(), features);
    caller.check_second_step()?;
    Ok(caller)
}

impl PendingAuthorization {
    /// The one who has signed in to it, if they may still decide.
    pub fn person(&self, tx: &mut Tx, now: Timestamp) -> Result<Caller> {
        let (Some(company), Some(subject), Some(id)) =
            (self.company_id, self.subject, self.subject_id)
        else {
            return Err(Key::InvalidCredentials.into());
        };
        let nobody = Caller::new(company, Actor::System);
        person(&mut Read::new(tx, &nobody, now), subject, id)
    }

    /// Whether it requests only what clients can grant.
    pub fn is_for_clients(&self) -> bool {
        let of_clients = |module: &Module| module.subject() == GrantSubject::Client;
        self.modules.as_ref().is_some_and(|Json(request)| request.iter().all(of_clients))
    }

    /// Whether a browser's secret is that of the one who signed in.
    pub fn is_session(&self, session: &str) -> bool {
        let digest = vault::digest_of(session.as_bytes());
        self.session_digest.as_ref().is_some_and(|own| vault::same(own, &digest))
    }

    /// The proposal for the person who decides.
    pub fn proposal(&self, cx: &mut Read) -> Result<Proposal> {
        let subject = decider(cx)?;
        let mut allowed: Vec<Module> = Module::of(subject).collect();
        if let Actor::Client { id, .. } = cx.caller().actor {
            let policy = policy::for_client(cx, id)?.unwrap_or_default();
            allowed.retain(|module| policy.contains(module));
        }
        let is_proposed = |module: &Module| match (&self.modules, subject) {
            (Some(Json(modules)), _) => modules.contains(module),
            (None, GrantSubject::Company) => PROPOSED.contains(module),
            (None, GrantSubject::Client) => true,
        };
        let (proposed, others) = allowed.into_iter().partition(is_proposed);
        Ok(Proposal { proposed, others })
    }

    /// Where the browser goes with these words for the assistant (RFC 6749, sections 4.1.2 and
    /// 4.1.2.1; `iss` is RFC 9207's).
    pub fn answer(&self, env: &Env, words: &[(&str, &str)]) -> String {
        answer(&self.redirect_uri, self.state.as_deref(), env, words)
    }
}

/// A redirect URI with an answer in its query.
pub fn answer(
    redirect_uri: &str,
    state: Option<&str>,
    env: &Env,
    words: &[(&str, &str)],
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(words);
    query.extend_pairs(state.map(|state| ("state", state)));
    query.append_pair("iss", &env.mcp_url);
    let joint = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{joint}{}", query.finish())
}

/// The subject that the caller decides for, if nothing prevents it.
fn decider(cx: &mut Read) -> Result<GrantSubject> {
    let features = cx.caller().features;
    if !features.mcp {
        return Err(Key::CompanyMcpFeatureDisabled.into());
    }
    match cx.caller().actor {
        Actor::Coach { .. } => Ok(GrantSubject::Company),
        Actor::Client { id, .. } => {
            let client = Client::find(cx, id)?;
            let is_on = features.client_ai && client.is_active();
            match is_on && policy::for_client(cx, id)?.is_some() {
                true => Ok(GrantSubject::Client),
                false => Err(Key::CompanyMcpClientAiDisabled.into()),
            }
        }
        _ => Err(Key::Forbidden.into()),
    }
}

/// The approval of an assistant's request for access.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ConsentApproval")]
pub struct Approval {
    /// The request, as the consent page's address has it.
    pub request_id: Text<100>,
    /// Modules; the suggested ones when absent, others may be added.
    pub modules: Option<Vec<Module>>,
    /// Whether the assistant may only read.
    #[serde(default)]
    pub read_only: bool,
}

/// Where the browser goes after the approval.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovedAuthorization {
    grant: Grant,
    /// Address to redirect the browser to, with the authorization code; returned only once.
    pub redirect_to: String,
}

/// Decides yes: a grant is registered, and a code that can be exchanged for tokens for ten minutes.
pub fn approve(cx: &mut Write, approval: Approval) -> Result<ApprovedAuthorization> {
    let subject = decider(cx)?;
    let digest = vault::digest_of(approval.request_id.as_bytes());
    let found: Option<PendingAuthorization> = cx.one(OPEN, params![digest])?;
    let now = cx.now();
    let gone = || Problem::field(Key::NotFound, "requestId", AssistantRule::NoWaitingRequest);
    let pending = found.filter(|pending| pending.expires_at > now).ok_or_else(gone)?;
    let me = cx.caller().actor.id().ok_or(Key::Forbidden)?;
    // A request that a person has signed in to is theirs to decide.
    if pending.subject_id.is_some_and(|other| other != me) {
        return Err(gone());
    }
    let Proposal { proposed, others } = pending.proposal(cx)?;
    let modules = approval.modules.unwrap_or_else(|| proposed.clone());
    if modules.iter().any(|module| !proposed.contains(module) && !others.contains(module)) {
        return Err(Problem::invalid("modules", AssistantRule::NotAllowable));
    }
    if modules.is_empty() {
        return Err(match subject {
            GrantSubject::Client => Key::CompanyMcpClientAiDisabled.into(),
            GrantSubject::Company => Problem::invalid("modules", AssistantRule::NoneGiven),
        });
    }
    if cx.execute(DECIDE, params![digest])? == 0 {
        return Err(gone());
    }
    cx.with_tx(|tx| registration::mark_used(tx, &pending.client_id))?;
    let grant = Grant {
        grant_id: GrantId(cx.new_id()),
        subject,
        subject_id: me,
        client_id: pending.client_id.clone(),
        client_name: pending.client_name.clone(),
        modules: Json(modules),
        read_only: approval.read_only,
        created_at: now,
        updated_at: now,
        revoked_at: None,
        last_used_at: None,
    };
    grant.replace(cx)?;
    grant.insert(cx)?;
    let code = cx.new_credential(CredentialKind::McpCode);
    let expires_at = now.plus_seconds(MCP_CODE_SECONDS);
    let (client_id, redirect_uri) = (&pending.client_id, &pending.redirect_uri);
    let (digest, challenge) = (vault::digest(&code), &pending.code_challenge);
    let row =
        params![digest, grant.grant_id, client_id, redirect_uri, challenge, false, expires_at];
    cx.defer(CODE, row)?;
    let redirect_to = pending.answer(cx.env(), &[("code", code.expose())]);
    Ok(ApprovedAuthorization { grant, redirect_to })
}

/// Decides no; where the browser goes now.
pub fn refuse(tx: &mut Tx, env: &Env, secret: &str) -> Result<Option<String>> {
    let Some(pending) = pending(tx, env.clock.now(), secret)? else { return Ok(None) };
    tx.execute(REFUSE, params![vault::digest_of(secret.as_bytes())])?;
    Ok(Some(pending.answer(env, &[("error", "access_denied")])))
}

fn approve_company_mcp(
    cx: &mut Write,
    Body(approval): Body<Approval>,
) -> Result<ApprovedAuthorization> {
    approve(cx, approval)
}

fn approve_client_mcp(
    cx: &mut Write,
    Body(approval): Body<Approval>,
) -> Result<ApprovedAuthorization> {
    approve(cx, approval)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING).operations([
        operation!(app POST "/company/mcp/oauth/approve", Manager, approve_company_mcp)
            .success(Success::Approved)
            .reauthentication()
            .summary("Approve an assistant for the company")
            .describe("Grants an assistant access on behalf of the calling manager.")
            .secret(&[])
            .fails(&[Key::CompanyMcpFeatureDisabled]),
        operation!(app POST "/client/mcp/oauth/approve", Client, approve_client_mcp)
            .success(Success::Approved)
            .summary("Approve an assistant for a client")
            .describe("Grants an assistant access on behalf of the calling client.")
            .secret(&[])
            .fails(&[Key::CompanyMcpFeatureDisabled, Key::CompanyMcpClientAiDisabled]),
    ])
}

/// Deletes some undecided requests; returns their number. Called from time to time.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_requests_for_consent", "Delete expired consent requests", prune)];

statements! {
    ASK = "INSERT INTO mcp_request (digest, client_id, client_name, redirect_uri, code_challenge, modules, \
        state, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    PENDING = "SELECT ", PendingAuthorization::COLUMNS, " FROM mcp_request WHERE digest = ?1";
    OPEN = "SELECT ", PendingAuthorization::COLUMNS, " FROM mcp_request \
        WHERE digest = ?2 AND (company_id IS NULL OR company_id = ?1)";
    SIGN_IN = "UPDATE mcp_request SET company_id = ?1, subject = ?3, subject_id = ?4, session_digest = ?5 \
        WHERE digest = ?2";
    DECIDE = "DELETE FROM mcp_request WHERE digest = ?2 AND (company_id IS NULL OR company_id = ?1)";
    REFUSE = "DELETE FROM mcp_request WHERE digest = ?1";
    CODE = "INSERT INTO mcp_code (company_id, digest, grant_id, client_id, redirect_uri, code_challenge, \
        used, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    PRUNE = "DELETE FROM mcp_request WHERE digest IN \
        (SELECT digest FROM mcp_request WHERE expires_at <= ?1 LIMIT 500)";
}
