//! Signing in to the application API: login, refresh, logout, passwords, invitations.
//!
//! These are not rows of the operations table, because a password's hash takes tens of
//! milliseconds and so must be worked out between transactions, never inside one.

pub mod passwords;
mod second_step;
mod sessions;

use std::{
    net::IpAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, Response},
    routing::post,
};
use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Actor, Arguments, Body as JsonBody, Caller, Content, Surface, Write, arguments::Argument,
};
use spotter_kernel::{Id, Key, Problem, Result, id::CompanyId};
use spotter_people::identity::{
    accounts::{Password, Subject},
    sessions::{SessionTokens, authenticate},
};
use spotter_store::Tx;
use tokio::sync::Semaphore;

pub use self::{
    second_step::recognise_by_ticket,
    sessions::{Login, recognise},
};
use crate::{
    address, envelope,
    observe::RequestId,
    pipeline::{bearer, collect},
    rate_limit::{RateLimitKey, RateLimitStatus},
    rules::HttpRule,
    server::State,
    visitor,
};

/// Attempts are counted over this long.
pub(crate) const ATTEMPTS_WINDOW_SECONDS: i64 = 15 * 60;
/// Failed attempts on one account within the window.
const ATTEMPTS_PER_ACCOUNT: u32 = 10;
/// Failed attempts from one address within the window.
const ATTEMPTS_PER_ADDRESS: u32 = 50;
/// Hashes that are worked out at once; each takes 19 MiB and a core.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));

/// The routes of signing in.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    Router::new()
        .route("/app/v1/auth/login", post(sessions::login))
        .route("/app/v1/auth/refresh", post(sessions::refresh))
        .route("/app/v1/auth/logout", post(sessions::logout))
        .route("/app/v1/auth/password", post(passwords::change_password))
        .route("/app/v1/auth/invitations/accept", post(passwords::accept_invitation))
        .route("/app/v1/auth/password/forgot", post(passwords::forgot_password))
        .route("/app/v1/auth/password/reset", post(passwords::reset_password))
        .route("/app/v1/auth/address/confirm", post(passwords::confirm_address))
        .with_state(state.clone())
}

#[derive(Serialize)]
struct SessionAnswer {
    session: SessionTokens,
}

/// What every sign-in request brings.
struct SignInRequest {
    state: Arc<State>,
    request_id: RequestId,
    from: IpAddr,
    rate_limit: RateLimitStatus,
}

impl SignInRequest {
    fn new(state: Arc<State>, request: &Request<Body>) -> Self {
        let from = address::of(request, &state.settings.trusted_proxies);
        let (limit, now) = (state.settings.anonymous_rate_limit, state.env.wall_clock.now());
        let limit_status = state.rates.take(RateLimitKey::address(from), limit, now);
        Self { request_id: RequestId::of(request), from, rate_limit: limit_status, state }
    }

    async fn body<T>(&self, request: Request<Body>) -> Result<T>
    where
        T: serde::de::DeserializeOwned + JsonSchema + Clone + Send + 'static,
    {
        if self.rate_limit.exceeded {
            return Err(Key::RateLimitExceeded.into());
        }
        let (parts, body) = request.into_parts();
        let body = collect(&parts.headers, body).await?;
        let body = Content::parse(&body);
        Ok(JsonBody::take(&Arguments { body, ..Arguments::default() })?.0)
    }

    /// Runs a writing step with its audit row, as this actor.
    async fn write<T: Send + 'static>(
        &self,
        company: CompanyId,
        actor: Actor,
        operation: &'static str,
        step: impl FnMut(&mut Write<'_, '_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let as_whom = Caller::new(company, actor);
        visitor::write(&self.state, as_whom, operation, &[], &self.request_id, step).await
    }

    /// The signed-in caller and their account.
    async fn signed_in(&self, headers: HeaderMap) -> Result<(Caller, Subject, Id, Id)> {
        let token = bearer(&headers, Surface::App)?;
        let env = self.state.env.clone();
        let read = move |tx: &mut Tx<'_>| authenticate(tx, &env, &token);
        let caller = self.state.db.read(read).await?;
        match caller.actor {
            Actor::Coach { id, session, .. } => Ok((caller, Subject::Coach, id.0, session)),
            Actor::Client { id, session } => Ok((caller, Subject::Client, id.0, session)),
            _ => Err(Key::InvalidToken.into()),
        }
    }

    fn respond<T: Serialize>(&self, outcome: Result<T>) -> Response<Body> {
        envelope::answer(outcome, 200, true, self.request_id.as_str(), self.rate_limit)
    }
}

/// Works a hash out away from the runtime, a few at a time.
async fn hashing<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let permit = tokio::time::timeout(Duration::from_secs(5), HASHING.acquire()).await;
    let Ok(Ok(_permit)) = permit else { return Err(Problem::overloaded()) };
    tokio::task::spawn_blocking(work).await.map_err(Problem::internal)
}

fn new_hash(state: &State, password: Password) -> impl FnOnce() -> Result<String> + Send + 'static {
    let entropy = state.env.entropy.clone();
    move || password.hash(&*entropy)
}

/// Refuses an attempt over the limit, with the time to wait.
fn within_limit(attempts: RateLimitStatus, reason: HttpRule) -> Result<()> {
    if !attempts.exceeded {
        return Ok(());
    }
    let mut problem = Problem::because(Key::RateLimitExceeded, reason);
    problem.retry_after = Some(attempts.reset_seconds);
    Err(problem)
}
