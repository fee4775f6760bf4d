//! The consent page: a person signs in for one request, sees what it would allow, and decides. The decision is tied
//! to their browser by a cookie for this page only, and their form to the cookie by a token.

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{Request, Response, StatusCode},
};
use spotter_assistants::{
    consent::{self, Approval, PendingAuthorization},
    modules::{GrantSubject, Module},
};
use spotter_company::company::Company;
use spotter_contract::{Actor, Caller, Read, Write, vault};
use spotter_html::{
    cookies,
    display::language,
    forms::{self, FormData, SubmittedForm},
    page,
    sign_in::SignIn,
    words::Strings,
};
use spotter_http::{RequestId, State as Shared, write};
use spotter_kernel::{Key, Problem, Result, secret::random_text, text::Text};
use spotter_people::{clients::Client, coaches::Coach, identity::accounts::Subject};
use spotter_store::Tx;

use crate::{
    authorize::redirect,
    consent_page::{self, Decision},
};

const PAGE: &str = "/mcp/v1/oauth/consent";
const COOKIE: &str = "spotter_consent";
fn gone(t: Strings) -> Response<Body> {
    page::stopped(t, StatusCode::NOT_FOUND, t.consent_over())
}

async fn pending(state: &Shared, secret: &str) -> Result<Option<PendingAuthorization>> {
    let (secret, clock) = (secret.to_owned(), state.env.clock.clone());
    state.db.read(move |tx: &mut Tx<'_>| consent::pending(tx, clock.now(), &secret)).await
}

/// Shows the page: the sign-in, or the decision to the one who has signed in.
pub(crate) async fn show(
    State(state): State<Arc<Shared>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    if let Err(problem) = state.count_address(&request) {
        return page::problem(t, &problem);
    }
    let query = request.uri().query().unwrap_or_default().to_owned();
    let secret = form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "request")
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default();
    match pending(&state, &secret).await {
        Ok(Some(pending)) => {
            // Another person may sign in: the last one decides.
            let other = form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "as");
            let session = cookies::cookie(request.headers(), COOKIE)
                .filter(|own| !other && pending.is_session(own));
            match session {
                Some(session) => decision(&state, t, &pending, &secret, &session).await,
                None => {
                    let nobody = SignIn::default();
                    consent_page::sign_in(t, &pending, &secret, &nobody, StatusCode::OK)
                }
            }
        }
        Ok(None) => gone(t),
        Err(problem) => page::problem(t, &problem),
    }
}

/// Signs a person in to the request.
pub(crate) async fn sign_in(
    State(state): State<Arc<Shared>>,
    SubmittedForm { form, from, request_id, headers }: SubmittedForm,
) -> Response<Body> {
    let (t, secret) = (language(&headers), form.one("request").to_owned());
    let pending = match pending(&state, &secret).await {
        Ok(Some(pending)) => pending,
        Ok(None) => return gone(t),
        Err(problem) => return page::problem(t, &problem),
    };
    match authenticate(&state, &request_id, from, &form, &secret).await {
        Ok(session) => {
            let on = redirect(&format!("{PAGE}?request={secret}"));
            cookies::with_cookie(&state, on, COOKIE, PAGE, &session, 600)
        }
        Err(problem) if problem.status < 500 => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::BAD_REQUEST);
            consent_page::sign_in(t, &pending, &secret, &form.typed_values(t, &problem), status)
        }
        Err(problem) => page::problem(t, &problem),
    }
}

/// The browser secret of a person whose password was correct.
async fn authenticate(
    state: &Arc<Shared>,
    request_id: &RequestId,
    from: IpAddr,
    form: &FormData,
    secret: &str,
) -> Result<String> {
    let account = form.authenticate(state, request_id, from, false).await?;
    let session = random_text(&*state.env.entropy);
    let (output, secret) = (session.clone(), secret.to_owned());
    let caller = Caller::new(account.company_id, Actor::System);
    let sign_in = move |cx: &mut Write<'_, '_>| {
        consent::sign_in(cx, &secret, account.subject, account.subject_id, &session)
    };
    write(state, caller, "sign_in_to_consent", &[], request_id, sign_in).await?;
    Ok(output)
}

async fn decision(
    state: &Shared,
    t: Strings,
    pending: &PendingAuthorization,
    secret: &str,
    session: &str,
) -> Response<Body> {
    let (env, requested) = (state.env.clone(), pending.clone());
    let resolve = move |tx: &mut Tx<'_>| {
        let now = env.clock.now();
        let caller = requested.person(tx, now)?;
        let cx = &mut Read::new(tx, &caller, now);
        let proposal = requested.proposal(cx)?;
        let person = match caller.actor {
            Actor::Client { id, .. } => Client::names(cx, &[id])?,
            Actor::Coach { id, .. } => Coach::names(cx, &[id])?,
            _ => Vec::new(),
        };
        let person = person.into_iter().flatten().next().unwrap_or_default();
        Ok((proposal, person, Company::find(cx)?.name))
    };
    match state.db.read(resolve).await {
        Ok((proposal, _, _)) if proposal.proposed.is_empty() && proposal.others.is_empty() => {
            page::stopped(t, StatusCode::FORBIDDEN, t.nothing_to_allow())
        }
        Ok((proposal, person, company)) => consent_page::decide(
            t,
            &Decision {
                pending,
                request: secret,
                csrf: &forms::csrf(session),
                person: &person,
                company: &company,
                subject: match pending.subject {
                    Some(Subject::Client) => GrantSubject::Client,
                    _ => GrantSubject::Company,
                },
                proposal: &proposal,
            },
        ),
        Err(problem) => page::problem(t, &problem),
    }
}

/// Takes the decision.
pub(crate) async fn decide(
    State(state): State<Arc<Shared>>,
    SubmittedForm { form, request_id, headers, .. }: SubmittedForm,
) -> Response<Body> {
    let session = cookies::cookie(&headers, COOKIE);
    let (t, secret) = (language(&headers), form.one("request").to_owned());
    let pending = match pending(&state, &secret).await {
        Ok(Some(pending)) => pending,
        Ok(None) => return gone(t),
        Err(problem) => return page::problem(t, &problem),
    };
    let Some(session) = session.filter(|session| pending.is_session(session)) else {
        return forms::forged(t);
    };
    if !vault::same(forms::csrf(&session).as_bytes(), form.one("csrf").as_bytes()) {
        return forms::forged(t);
    }
    let outcome = match form.one("decision") {
        "approve" => approve(&state, t, &request_id, pending, &form, secret).await.map(Some),
        _ => {
            let env = state.env.clone();
            state.db.write(move |tx: &mut Tx<'_>| consent::refuse(tx, &env, &secret)).await
        }
    };
    match outcome {
        Ok(Some(target)) => redirect(&target),
        Ok(None) => gone(t),
        Err(problem) => page::problem(t, &problem),
    }
}

/// Approves as the application API's operation does.
async fn approve(
    state: &Shared,
    t: Strings,
    request_id: &RequestId,
    pending: PendingAuthorization,
    form: &FormData,
    secret: String,
) -> Result<String> {
    let modules: Vec<Module> = form.all("module").filter_map(Module::parse).collect();
    if modules.is_empty() {
        return Err(Problem::with_message(Key::RequestInvalid, t.nothing_ticked()));
    }
    let request_secret = Text::parse(&secret).map_err(|_| Problem::new(Key::NotFound))?;
    let approval = Approval {
        request_id: request_secret,
        modules: Some(modules),
        read_only: form.one("read_only") == "yes",
    };
    let (env, request_id) = (state.env.clone(), request_id.clone());
    let approve = move |tx: &mut Tx<'_>| {
        let now = env.clock.now();
        let caller = pending.person(tx, now)?;
        let operation = match pending.subject {
            Some(Subject::Client) => "approve_client_mcp",
            _ => "approve_company_mcp",
        };
        let read = Read::new(tx, &caller, now);
        let mut cx = Write::new(read, &env, operation, &[], request_id.as_str())?;
        let approved = consent::approve(&mut cx, approval.clone())?;
        cx.audit()?;
        Ok(approved.redirect_to)
    };
    state.db.write(approve).await
}
