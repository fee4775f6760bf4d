//! The caller of the MCP server: a credential, the person behind it, and what they have granted.

use spotter_contract::{Actor, Caller, Delegation, Env, Read, Role, vault};
use spotter_kernel::{
    Id, Key, Result,
    id::{ClientId, CoachId},
    secret::{Credential, CredentialKind},
};
use spotter_store::{Tx, params};

use super::{
    grants::{Grant, GrantId},
    keys::{self, McpKey},
    modules::{GrantSubject, Module, OF_ALL, scopes_of},
    policy,
    tokens::{self, Token},
};
use spotter_company::company::Company;
use spotter_people::{
    coaches::Coach,
    identity::{accounts::Subject, sessions},
};

/// Who calls the MCP server, and what they were allowed.
#[derive(Clone, Debug)]
pub struct Assistant {
    /// The person, with the granted permissions.
    pub caller: Caller,
    /// The grant or key through which it acts.
    through: Id,
    /// The subject that it acts for.
    pub subject: GrantSubject,
    /// Modules that it may use.
    pub modules: Vec<Module>,
    /// Whether it may only read.
    pub read_only: bool,
    /// What to ask for ahead at the next request with the same credential.
    pub hint: CredentialHint,
}

impl Assistant {
    /// The grant or key through which it acts.
    pub const fn through(&self) -> Id {
        self.through
    }

    /// Whether one of its modules holds the tool.
    pub fn has_tool(&self, tool: &str) -> bool {
        OF_ALL.contains(&tool) || self.modules.iter().any(|module| module.tools().contains(&tool))
    }
}

/// A hint from an earlier use of a credential. It is never trusted: it says what to read in the same round trip as
/// the credential itself, and is discarded where it does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialHint {
    grant: Option<GrantId>,
    coach: Option<CoachId>,
}

/// Parses a credential of the MCP server: a static key or an access token.
pub fn parse(text: &str) -> Option<Credential> {
    [CredentialKind::McpAccessToken, CredentialKind::McpKey]
        .into_iter()
        .find_map(|kind| Credential::parse(kind, text))
}

/// What a good credential leads to.
struct ResolvedCredential {
    through: Id,
    grant: Option<GrantId>,
    subject: GrantSubject,
    person: Id,
    modules: Vec<Module>,
    read_only: bool,
}

/// The person behind a credential, if it is valid, the person may still sign in, and the company still admits
/// assistants.
pub fn authenticate(
    tx: &mut Tx,
    env: &Env,
    credential: &Credential,
    hint: Option<CredentialHint>,
) -> Result<Assistant> {
    let (company, now) = (credential.company, env.clock.now());
    let nobody = Caller::new(company, Actor::System);
    let cx = &mut Read::new(tx, &nobody, now);
    Company::ask_ahead(cx)?;
    if let Some(id) = hint.and_then(|hint| hint.grant) {
        Grant::ask_ahead(cx, id)?;
    }
    if let Some(id) = hint.and_then(|hint| hint.coach) {
        Coach::ask_ahead(cx, id)?;
    }
    let ResolvedCredential { through, grant, subject, person, modules, read_only } =
        match credential.kind {
            CredentialKind::McpKey => by_key(cx, credential)?,
            _ => {
                let token = good_token(cx, credential, &env.mcp_url)?;
                by_grant(Grant::find(cx, token.grant_id)?)?
            }
        };
    let features = Company::find(cx)?.admit()?;
    let whose = match subject {
        GrantSubject::Company => Subject::Coach,
        GrantSubject::Client => Subject::Client,
    };
    let admitted = sessions::admit(cx, whose, person, through)?;
    let actor = admitted.actor;
    let may = match (&actor, subject) {
        // What a manager allowed is not a coach's to use.
        (Actor::Coach { role, .. }, _) => features.mcp && *role >= Role::Manager,
        _ => features.mcp && features.client_ai,
    };
    if !may {
        return Err(Key::InvalidToken.into());
    }
    let modules = match &actor {
        Actor::Client { id, .. } => within_policy(cx, *id, modules)?,
        _ => modules,
    };
    let delegation = Some(Delegation {
        through,
        scopes: scopes_of(&modules, read_only),
        tools: modules.iter().map(|module| module.tools()).chain([OF_ALL]).collect(),
        read_only,
    });
    let hint = CredentialHint {
        grant,
        coach: (subject == GrantSubject::Company).then_some(CoachId(person)),
    };
    let caller = Caller { features, delegation, ..Caller::new(company, actor) };
    Ok(Assistant { caller, through, subject, modules, read_only, hint })
}

fn by_key(cx: &mut Read, credential: &Credential) -> Result<ResolvedCredential> {
    let now = cx.now();
    let found: Option<McpKey> = cx.one(keys::BY_DIGEST, params![vault::digest(credential)])?;
    let good = found.filter(|key| key.revoked_at.is_none() && key.expires_at > now);
    let key = good.ok_or(Key::InvalidToken)?;
    Ok(ResolvedCredential {
        through: key.key_id.0,
        grant: None,
        subject: GrantSubject::Company,
        person: key.coach_id.0,
        modules: key.modules.0,
        read_only: key.read_only,
    })
}

fn good_token(cx: &mut Read, credential: &Credential, address: &str) -> Result<Token> {
    let now = cx.now();
    let found: Option<Token> = cx.one(tokens::TOKEN, params![vault::digest(credential)])?;
    found.filter(|token| token.is_good_access(now, address)).ok_or_else(|| Key::InvalidToken.into())
}

fn by_grant(grant: Grant) -> Result<ResolvedCredential> {
    if grant.revoked_at.is_some() {
        return Err(Key::InvalidToken.into());
    }
    Ok(ResolvedCredential {
        through: grant.grant_id.0,
        grant: Some(grant.grant_id),
        subject: grant.subject,
        person: grant.subject_id,
        modules: grant.modules.0,
        read_only: grant.read_only,
    })
}

/// A client's modules within the company's policy; none where it admits none of their assistants.
fn within_policy(cx: &mut Read, client: ClientId, mut modules: Vec<Module>) -> Result<Vec<Module>> {
    let allowed = policy::for_client(cx, client)?.ok_or(Key::InvalidToken)?;
    modules.retain(|module| allowed.contains(module));
    Ok(modules)
}
