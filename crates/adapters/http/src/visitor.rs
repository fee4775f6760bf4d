//! Requests of signed-in people outside the operations table: those whose body or answer is not JSON.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{Request, Response},
};
use serde::Serialize;
use spotter_contract::{Access, Arguments, Caller, Read, Surface, Write};
use spotter_kernel::{Event, Key, Result, secret::Credential};
use spotter_people::identity::sessions;
use spotter_store::Tx;

use crate::{
    address, envelope,
    observe::RequestId,
    pipeline::{bearer, lower_id},
    rate_limit::{RateLimitKey, RateLimitStatus},
    server::State,
};

/// A signed-in person and their request.
pub(crate) struct Visitor {
    pub(crate) state: Arc<State>,
    pub(crate) request_id: RequestId,
    pub(crate) token: Credential,
    pub(crate) caller: Caller,
    rate_limit: RateLimitStatus,
}

impl Visitor {
    /// Authenticates the person; or the answer why not.
    pub(crate) fn admit(
        state: Arc<State>,
        request: &Request<Body>,
    ) -> impl Future<Output = std::result::Result<Self, Response<Body>>> + use<> {
        let request_id = RequestId::of(request);
        let token = bearer(request.headers(), Surface::App);
        let from = RateLimitKey::address(address::of(request, &state.settings.trusted_proxies));
        async move {
            let found = match token {
                Ok(token) => authenticated(&state, &token).await.map(|caller| (token, caller)),
                Err(problem) => Err(problem),
            };
            let (now, settings) = (state.env.wall_clock.now(), &state.settings);
            let limit_status = match &found {
                Ok((_, caller)) => {
                    let who = RateLimitKey::Caller(caller.rate_limit_id());
                    state.rates.take(who, settings.rate_limit, now)
                }
                Err(_) => state.rates.take(from, settings.anonymous_rate_limit, now),
            };
            let admitted = match found {
                Err(problem) if problem.status >= 500 => Err(problem),
                _ if limit_status.exceeded => Err(Key::RateLimitExceeded.into()),
                other => other,
            };
            match admitted {
                Ok((token, caller)) => {
                    Ok(Self { state, request_id, token, caller, rate_limit: limit_status })
                }
                Err(problem) => {
                    let nothing = Err::<(), _>(problem);
                    Err(envelope::answer(nothing, 0, false, request_id.as_str(), limit_status))
                }
            }
        }
    }

    /// Answers with this status where it went well.
    pub(crate) fn respond<T: Serialize>(
        &self,
        outcome: Result<T>,
        status: u16,
        writes: bool,
    ) -> Response<Body> {
        envelope::answer(outcome, status, writes, self.request_id.as_str(), self.rate_limit)
    }
}

/// The coach or client behind a token.
async fn authenticated(state: &State, token: &Credential) -> Result<Caller> {
    let (env, token) = (state.env.clone(), token.clone());
    let read = move |tx: &mut Tx<'_>| sessions::authenticate(tx, &env, &token);
    let caller = state.db.read(read).await?;
    Access::SignedIn.check(&caller)?;
    caller.check_second_step()?;
    Ok(caller)
}

/// The path and the query as arguments are read from them.
pub(crate) fn arguments(params: Option<RawPathParams>, query: Option<&str>) -> Arguments {
    let named = params.iter().flat_map(|params| params.iter());
    let path = named.map(|(name, value)| (name.to_owned(), lower_id(value))).collect();
    Arguments { path, query: query.unwrap_or_default().to_owned(), ..Arguments::default() }
}

/// Runs a writing step outside the operations table with its audit row: by its name and with the
/// events that it may announce.
pub async fn write<T: Send + 'static>(
    state: &State,
    caller: Caller,
    operation: &'static str,
    events: &'static [Event],
    request_id: &RequestId,
    mut step: impl FnMut(&mut Write<'_, '_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (env, request_id) = (state.env.clone(), request_id.clone());
    let transaction = move |tx: &mut Tx<'_>| {
        let read = Read::new(tx, &caller, env.clock.now());
        let mut cx = Write::new(read, &env, operation, events, request_id.as_str())?;
        let done = step(&mut cx)?;
        cx.audit()?;
        Ok(done)
    };
    state.db.write(transaction).await
}
