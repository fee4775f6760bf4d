//! A request of an operation, whichever adapter it comes through: read, admitted, and run in one transaction with its
//! key, its audit entry, its events and its stored answer.

use std::sync::Arc;

use serde_json::Value;
use spotter_kernel::{Key, Problem, Result, Timestamp};
use spotter_store::Tx;

use crate::{
    arguments::Arguments,
    caller::{Actor, Caller},
    confirmations::ConfirmationRequest,
    context::{Env, Read, Write},
    handler::Bound,
    idempotency::{IdempotencySlot, Idempotent, StoredAnswer},
    operation::Operation,
};

/// A successful response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON text of `data`.
    pub data: String,
    /// Whether a stored answer was replayed.
    pub replayed: bool,
}

/// A request of an operation, read before its transaction begins. Errors are returned once the caller is known and
/// admitted.
pub struct PreparedRequest {
    /// The operation.
    pub operation: Arc<Operation>,
    /// Whether a write must carry an Idempotency-Key.
    pub demands_key: bool,
    /// Whether another request with the same key runs in this process.
    pub busy: bool,
    /// The confirmation, if an assistant calls an operation that needs one.
    pub confirmation: Option<ConfirmationRequest>,
    /// Why a write is refused that was not made before: what it was made of is otherwise now.
    pub stale: Option<Problem>,
    idempotent: Result<Option<Idempotent>>,
    bound: Result<Bound>,
    /// The client that the path names.
    subject: Option<String>,
    /// The fields of the body, where clients may send one.
    fields: Vec<String>,
}

impl PreparedRequest {
    /// Reads a request's arguments.
    pub fn new(
        operation: Arc<Operation>,
        arguments: Result<Arguments>,
        idempotent: Result<Option<Idempotent>>,
    ) -> Self {
        let (mut subject, mut fields) = (None, Vec::new());
        if let Ok(arguments) = &arguments {
            let named = arguments.path.iter().find(|(name, _)| name == "clientId");
            subject = named.map(|(_, id)| id.clone());
        }
        if let (Some(_), Ok(arguments)) = (operation.for_client, &arguments) {
            let body = arguments.body.object().and_then(Value::as_object);
            fields = body.into_iter().flat_map(|body| body.keys().cloned()).collect();
        }
        let bound = arguments.and_then(|arguments| operation.bind(&arguments));
        let (demands_key, busy, query, stale) = (false, false, None, None);
        Self {
            operation,
            demands_key,
            busy,
            confirmation: query,
            stale,
            idempotent,
            bound,
            subject,
            fields,
        }
    }

    /// Refuses it for an error found after it was read.
    pub fn refuse(&mut self, problem: Problem) {
        if self.bound.is_ok() {
            self.bound = Err(problem);
        }
    }

    /// Admits the caller, or returns why not, and runs the operation, possibly more than once.
    pub fn run(
        &mut self,
        tx: &mut Tx<'_>,
        env: &Env,
        caller: &Caller,
        request_id: &str,
    ) -> Result<Answer> {
        let Self { operation, idempotent, bound, .. } = self;
        operation.admit(caller)?;
        if let Some(granted) = operation.for_client {
            let fields = self.fields.iter().map(String::as_str);
            granted.check(caller, self.subject.as_deref(), fields)?;
        }
        let idempotent = match idempotent {
            Err(problem) => return Err(problem.clone()),
            Ok(None) if operation.writes && self.demands_key => {
                return Err(Key::IdempotencyRequired.into());
            }
            Ok(idempotent) => idempotent.as_ref().filter(|_| operation.writes),
        };
        let bound = bound.as_mut().map_err(|problem| problem.clone())?;
        if self.busy {
            return Err(Key::IdempotencyInProgress.into());
        }
        let now = env.clock.now();
        let cx = &mut Read::new(tx, caller, now).with_env(env);
        operation.check_consent(cx, self.subject.as_deref())?;
        let (query, stale) = (self.confirmation.as_ref(), self.stale.as_ref());
        let admitted = AdmittedRequest {
            env,
            operation,
            caller,
            idempotent,
            confirmation: query,
            stale,
            request_id,
            now,
        };
        let mut answer = admitted.run(tx, bound)?;
        if let (Some(granted), Actor::Client { .. }) = (operation.for_client, &caller.actor) {
            answer.data = granted.visible(answer.data)?;
        }
        Ok(answer)
    }
}

/// An admitted request.
struct AdmittedRequest<'r> {
    env: &'r Env,
    operation: &'r Operation,
    caller: &'r Caller,
    idempotent: Option<&'r Idempotent>,
    confirmation: Option<&'r ConfirmationRequest>,
    stale: Option<&'r Problem>,
    request_id: &'r str,
    now: Timestamp,
}

impl AdmittedRequest<'_> {
    /// Runs the bound function in an open transaction, with all that a write means.
    fn run(&self, tx: &mut Tx<'_>, bound: &mut Bound) -> Result<Answer> {
        let Self { env, operation, caller, now, .. } = *self;
        let status = operation.status;
        let function = match bound {
            Bound::Read(function) => {
                let data = function(&mut Read::new(tx, caller, now).with_env(env))?;
                return Ok(Answer { status, data, replayed: false });
            }
            Bound::Write(function) => function,
        };
        let slot = self.slot();
        if let Some(slot) = &slot
            && let Some(StoredAnswer { status, data }) = slot.claim(tx, env)?
        {
            operation.check_replay(&mut Read::new(tx, caller, now).with_env(env), &data)?;
            return Ok(Answer { status, data, replayed: true });
        }
        let read = Read::new(tx, caller, now);
        if let Some(query) = self.confirmation {
            query.refuse_unconfirmed()?;
        }
        let mut cx = Write::new(read, env, operation.id, operation.events, self.request_id)?;
        if self.confirmation.is_some() {
            cx.start_preview();
        }
        let fresh = self.stale.map_or(Ok(()), |problem| Err(problem.clone()));
        let mut outcome =
            fresh.and_then(|()| function(&mut cx)).and_then(|data| cx.audit().map(|()| data));
        if let (Some(query), Some(preview), true) =
            (self.confirmation, cx.take_preview(), outcome.is_ok())
        {
            outcome = query.finish(tx, env, caller, preview).and(outcome);
        }
        if let (Err(_), Some(slot)) = (&outcome, &slot) {
            // A transaction that takes no further statement does not count anyway.
            slot.is_new(tx).ok();
        }
        let stored = StoredAnswer { status, data: outcome? };
        if let Some(slot) = &slot {
            slot.store(tx, env, &stored, operation.is_secret())?;
        }
        Ok(Answer { status, data: stored.data, replayed: false })
    }

    fn slot(&self) -> Option<IdempotencySlot<'_>> {
        let company = self.caller.company;
        let caller = self.caller.rate_limit_id();
        self.idempotent.map(|wanted| IdempotencySlot { company, caller, wanted, now: self.now })
    }
}
