//! A request on its way from the guard to the transaction in which its credential is checked, and the outcome.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spotter_assistants::assistant::{self, Assistant, CredentialHint};
use spotter_http::{RateLimitStatus, RequestId, State};
use spotter_kernel::{
    Problem, Result,
    secret::{Credential, CredentialKind},
};
use spotter_store::Tx;

/// A request with a credential.
#[derive(Clone)]
pub(crate) struct AssistantRequest {
    pub(crate) request_id: RequestId,
    credential: Credential,
    hint: Option<CredentialHint>,
    found: Arc<Mutex<ResolvedAssistant>>,
}

#[derive(Default)]
struct ResolvedAssistant {
    outcome: Option<Result<Arc<Assistant>>>,
    rate_limit: Option<RateLimitStatus>,
}

impl AssistantRequest {
    pub(crate) fn new(
        credential: Credential,
        hint: Option<CredentialHint>,
        request_id: RequestId,
    ) -> Self {
        Self { request_id, credential, hint, found: Arc::default() }
    }

    fn found(&self) -> MutexGuard<'_, ResolvedAssistant> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out who calls, and counts the request, once, however often the transaction runs.
    pub(crate) fn authenticate(&self, tx: &mut Tx<'_>, state: &State) -> Result<Arc<Assistant>> {
        let known = assistant::authenticate(tx, &state.env, &self.credential, self.hint);
        let entered = known.and_then(|assistant| {
            // Each grant and key has a limit of its own: one that runs away leaves its person theirs.
            let limit_status = self.found().rate_limit;
            let limit_status =
                limit_status.unwrap_or_else(|| state.count_caller(assistant.through()));
            self.found().rate_limit = Some(limit_status);
            limit_status.check().map(|()| Arc::new(assistant))
        });
        // A failure of ours says nothing about the caller.
        let is_known = !matches!(&entered, Err(problem) if problem.status >= 500);
        self.found().outcome = is_known.then(|| entered.clone());
        entered
    }

    /// The same in a transaction of its own, for a request that has none yet.
    pub(crate) async fn authenticate_alone(&self, state: &Arc<State>) -> Result<Arc<Assistant>> {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let (visit, shared) = (self.clone(), state.clone());
        let entered =
            state.db.read(move |tx: &mut Tx<'_>| visit.authenticate(tx, &shared).map(drop)).await;
        // Where there was no transaction, nothing was found.
        entered.and_then(|()| self.outcome().unwrap_or_else(|| Err(Problem::internal("no visit"))))
    }

    /// Refuses the request for more than its operation would: it is the guard's to say.
    pub(crate) fn refuse(&self, problem: Problem) -> Problem {
        self.found().outcome = Some(Err(problem.clone()));
        problem
    }

    /// The authenticated caller, or the refusal; `None` before authentication.
    pub(crate) fn outcome(&self) -> Option<Result<Arc<Assistant>>> {
        self.found().outcome.clone()
    }

    /// The state of the caller's rate limit, if it has one.
    pub(crate) fn rate_limit_status(&self) -> Option<RateLimitStatus> {
        self.found().rate_limit
    }

    /// Whether the person could be asked for more permissions: they can at a browser, and cannot with a static key.
    pub(crate) fn can_be_widened(&self) -> bool {
        self.credential.kind == CredentialKind::McpAccessToken
    }
}
