//! The transaction of a request: the key, the function, its audit row, its events and its stored
//! answer, all kept or all lost.

use spotter_kernel::{Id, Problem, Result, Timestamp};
use spotter_store::Tx;

use crate::{
    caller::Caller,
    context::{Env, Read, Write},
    handler::Bound,
    idempotency::{self, Idempotent, Stored},
    operation::Operation,
};

/// What the caller is told of a success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON text of `data`.
    pub data: String,
    /// Whether a stored answer was replayed.
    pub replayed: bool,
}

/// Runs a bound operation in an open transaction for an admitted caller.
pub fn run(
    tx: &mut Tx<'_>,
    env: &Env,
    operation: &Operation,
    caller: &Caller,
    bound: &mut Bound,
    idempotent: Option<&Idempotent>,
    request_id: &str,
    now: Timestamp,
) -> Result<Answer> {
    let status = operation.status;
    match bound {
        Bound::Reads(function) => {
            let data = function(&mut Read::new(tx, caller, now))?;
            Ok(Answer { status, data, replayed: false })
        }
        Bound::Writes(function) => {
            let owner = caller.actor.id().unwrap_or(caller.company.0);
            if let Some(stored) = claimed(tx, env, caller, owner, idempotent, now)? {
                return Ok(Answer { status: stored.status, data: stored.data, replayed: true });
            }
            let read = Read::new(tx, caller, now);
            let mut cx = Write::new(read, env, operation.id, operation.events, request_id);
            let data = function(&mut cx)?;
            cx.audit()?;
            let stored = Stored { status, data };
            if let Some(wanted) = idempotent {
                let company = caller.company;
                idempotency::store(
                    tx,
                    env,
                    company,
                    owner,
                    wanted,
                    &stored,
                    operation.secret,
                    now,
                )?;
            }
            Ok(Answer { status, data: stored.data, replayed: false })
        }
    }
}

fn claimed(
    tx: &mut Tx<'_>,
    env: &Env,
    caller: &Caller,
    owner: Id,
    idempotent: Option<&Idempotent>,
    now: Timestamp,
) -> Result<Option<Stored>, Problem> {
    match idempotent {
        Some(wanted) => idempotency::claim(tx, env, caller.company, owner, wanted, now),
        None => Ok(None),
    }
}
