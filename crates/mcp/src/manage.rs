//! The page where people see, limit and take back what assistants are allowed: managers all of the
//! company's and its keys, others their own. What it does are operations of the application API.

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, Request, Response, StatusCode},
};
use serde_json::{Value, json};
use spotter_console::{
    forms::{self, Form, Sent},
    parts,
    sign_in::SignIn,
};
use spotter_contract::{Actor, Arguments, Asked, Caller, Content, Role, Write, vault};
use spotter_core::{access::sessions, mcp::modules::Module};
use spotter_http::{RequestId, State as Shared, recognise, write};
use spotter_kernel::{
    Problem, Result,
    secret::{Credential, CredentialKind},
};
use spotter_store::Tx;

use crate::{authorize::go, page};

/// Where the page stands.
pub(crate) const PAGE: &str = "/mcp/v1/manage";
const COOKIE: &str = "spotter_manage";

/// What the page shows.
pub(crate) struct Shown {
    /// Whether it is a manager's.
    pub(crate) manages: bool,
    /// The client's id, where it is a client's.
    pub(crate) client: Option<String>,
    /// Grants, newest first.
    pub(crate) grants: Vec<Value>,
    /// Keys, newest first; managers' alone.
    pub(crate) keys: Vec<Value>,
    /// A key that was just made.
    pub(crate) made: Option<String>,
    /// What was just done.
    pub(crate) done: Option<&'static str>,
    /// What was wrong with the form before.
    pub(crate) wrong: Option<String>,
    /// What was typed into the form of a key that was not made.
    pub(crate) typed: Option<Typed>,
}

/// What was typed into the form of a new key.
pub(crate) struct Typed {
    pub(crate) name: String,
    pub(crate) days: String,
    pub(crate) modules: Vec<Module>,
    pub(crate) read_only: bool,
}

/// What came of the form before, as the page tells it.
#[derive(Default)]
struct Outcome {
    made: Option<String>,
    done: Option<&'static str>,
    wrong: Option<String>,
    typed: Option<Typed>,
}

/// What was done, by the word that the address carries after it.
const DONE: &[(&str, &str)] = &[
    ("limit", "Saved."),
    ("revoke", "Disconnected."),
    ("revoke-key", "The key is revoked."),
    ("switch-off", "Your assistants are switched off."),
];

fn token(headers: &HeaderMap) -> Option<Credential> {
    Credential::parse(CredentialKind::AppAccessToken, &forms::cookie(headers, COOKIE)?)
}

/// Runs one of the area's operations for whoever is signed in, as the application API does.
async fn ask(
    state: &Arc<Shared>,
    token: &Credential,
    request_id: &RequestId,
    (operation, id, body): (&'static str, Option<(&'static str, &str)>, Value),
) -> Result<Value> {
    let found = state.table.find(operation).cloned();
    let operation = found.ok_or_else(|| Problem::internal("no such operation"))?;
    let path = id.map(|(name, id)| (name.to_owned(), id.to_owned())).into_iter().collect();
    let arguments = match operation.writes {
        true => Arguments { path, query: String::new(), body: body.into() },
        false => Arguments { path, query: "limit=100".to_owned(), body: Content::Nothing },
    };
    let writes = operation.writes;
    let mut asked = Asked::new(operation, Ok(arguments), Ok(None));
    let (shared, token, request_id) = (state.clone(), token.clone(), request_id.clone());
    let transaction = move |tx: &mut Tx<'_>| {
        let env = &shared.env;
        let caller = sessions::authenticate(tx, env, &token)?;
        asked.run(tx, env, &caller, request_id.as_str())
    };
    let answer =
        if writes { state.db.write(transaction).await } else { state.db.read(transaction).await };
    serde_json::from_str(&answer?.data).map_err(Problem::internal)
}

/// Who is signed in, if somebody is.
async fn visitor(state: &Arc<Shared>, token: &Credential) -> Result<Caller> {
    let (env, token) = (state.env.clone(), token.clone());
    state.db.read(move |tx: &mut Tx<'_>| sessions::authenticate(tx, &env, &token)).await
}

/// Shows the page, or the sign-in to it.
pub(crate) async fn show(
    State(state): State<Arc<Shared>>,
    request: Request<Body>,
) -> Response<Body> {
    if let Err(problem) = state.count_address(&request) {
        return parts::problem(&problem);
    }
    let request_id = RequestId::of(&request);
    match token(request.headers()) {
        Some(token) => {
            let query = request.uri().query().unwrap_or_default();
            let word = query.strip_prefix("done=").unwrap_or_default();
            let done = DONE.iter().find(|(own, _)| *own == word).map(|(_, text)| *text);
            shown(&state, &token, &request_id, Outcome { done, ..Outcome::default() }).await
        }
        None => page::manage_sign_in(&SignIn::default(), StatusCode::OK),
    }
}

async fn shown(
    state: &Arc<Shared>,
    token: &Credential,
    request_id: &RequestId,
    outcome: Outcome,
) -> Response<Body> {
    match gather(state, token, request_id, outcome).await {
        Ok(shown) => page::manage(&shown, &forms::csrf(token.expose())),
        Err(problem) if problem.status == 401 => {
            page::manage_sign_in(&SignIn::default(), StatusCode::OK)
        }
        Err(problem) => parts::problem(&problem),
    }
}

async fn gather(
    state: &Arc<Shared>,
    token: &Credential,
    request_id: &RequestId,
    outcome: Outcome,
) -> Result<Shown> {
    let caller = visitor(state, token).await?;
    let manages = matches!(caller.actor, Actor::Coach { role, .. } if role >= Role::Manager);
    let list = if manages { "list_mcp_grants" } else { "list_own_mcp_grants" };
    let items = |told: &Value, name: &str| told[name].as_array().cloned().unwrap_or_default();
    let grants = items(&ask(state, token, request_id, (list, None, Value::Null)).await?, "grants");
    let keys = match manages {
        true => items(
            &ask(state, token, request_id, ("list_mcp_keys", None, Value::Null)).await?,
            "keys",
        ),
        false => Vec::new(),
    };
    let Outcome { made, done, wrong, typed } = outcome;
    let client = match caller.actor {
        Actor::Client { id, .. } => Some(id.to_string()),
        _ => None,
    };
    Ok(Shown { manages, client, grants, keys, made, done, wrong, typed })
}

/// Signs somebody in to the page.
pub(crate) async fn sign_in(
    State(state): State<Arc<Shared>>,
    request: Request<Body>,
) -> Response<Body> {
    let Sent { form, from, request_id, .. } = match Sent::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    match enter(&state, &request_id, from, &form).await {
        Ok(token) => forms::with_cookie(&state, go(PAGE), COOKIE, PAGE, &token, 3_600),
        Err(problem) if problem.status < 500 => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::BAD_REQUEST);
            page::manage_sign_in(&form.entered(&problem), status)
        }
        Err(problem) => parts::problem(&problem),
    }
}

async fn enter(
    state: &Arc<Shared>,
    request_id: &RequestId,
    from: IpAddr,
    form: &Form,
) -> Result<String> {
    let account = recognise(state, request_id, from, form.login()?).await?;
    let caller = Caller::new(account.company_id, Actor::System);
    let open =
        move |cx: &mut Write<'_, '_>| sessions::open(cx, account.subject, account.subject_id);
    Ok(write(state, caller, ("login", &[]), request_id, open).await?.access_token)
}

/// Ends the session, wherever else its token is.
async fn sign_out(state: &Arc<Shared>, token: &Credential, request_id: &RequestId) -> Result<()> {
    let caller = match visitor(state, token).await {
        Err(problem) if problem.status == 401 => return Ok(()),
        found => found?,
    };
    let (Actor::Coach { session, .. } | Actor::Client { session, .. }) = caller.actor else {
        return Ok(());
    };
    write(state, caller, ("logout", &[]), request_id, move |cx| sessions::end(cx, session)).await
}

/// Does what a form asks.
pub(crate) async fn act(
    State(state): State<Arc<Shared>>,
    request: Request<Body>,
) -> Response<Body> {
    let Sent { form, request_id, headers, .. } = match Sent::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let Some(token) = token(&headers) else { return forms::forged() };
    if !vault::same(forms::csrf(token.expose()).as_bytes(), form.one("csrf").as_bytes()) {
        return forms::forged();
    }
    let modules: Vec<&str> = form.all("module").collect();
    let grant = Some(("grantId", form.one("id")));
    let asked = match form.one("action") {
        "limit" => {
            let mut limits = json!({"modules": modules});
            if form.one("read_only") == "yes" {
                limits["readOnly"] = json!(true);
            }
            ("limit_mcp_grant", grant, limits)
        }
        "revoke" => ("revoke_mcp_grant", grant, json!({})),
        "switch-off" => {
            let own = Some(("clientId", form.one("id")));
            ("set_ai_access", own, json!({"aiAccess": "off"}))
        }
        "revoke-key" => ("revoke_mcp_key", Some(("keyId", form.one("id"))), json!({})),
        "make-key" => {
            let mut key = json!({"name": form.one("name"), "modules": modules,
                "readOnly": form.one("read_only") == "yes"});
            if let Ok(days) = form.one("days").parse::<i64>() {
                key["expiresInDays"] = json!(days);
            }
            ("create_mcp_key", None, key)
        }
        "sign-out" => {
            if let Err(problem) = sign_out(&state, &token, &request_id).await {
                return parts::problem(&problem);
            }
            let out = go(PAGE);
            return forms::with_cookie(&state, out, COOKIE, PAGE, "", 0);
        }
        _ => return forms::forged(),
    };
    let outcome = match ask(&state, &token, &request_id, asked).await {
        Ok(told) => match told["secret"].as_str() {
            // A key is shown once, in the answer to the form that made it.
            Some(secret) => Outcome { made: Some(secret.to_owned()), ..Outcome::default() },
            None => return go(&format!("{PAGE}?done={}", form.one("action"))),
        },
        Err(problem) if problem.status < 500 => Outcome {
            wrong: Some(problem.message),
            typed: (form.one("action") == "make-key").then(|| typed(&form)),
            ..Outcome::default()
        },
        Err(problem) => return parts::problem(&problem),
    };
    shown(&state, &token, &request_id, outcome).await
}

fn typed(form: &Form) -> Typed {
    Typed {
        name: form.one("name").to_owned(),
        days: form.one("days").to_owned(),
        modules: form.all("module").filter_map(Module::parse).collect(),
        read_only: form.one("read_only") == "yes",
    }
}
