//! The transaction of a request: the key, the function, its audit row, its events and its stored
//! answer, all kept or all lost.

use spotter_kernel::{Result, Timestamp};
use spotter_store::Tx;

use crate::{
    caller::Caller,
    context::{Env, Read, Write},
    handler::Bound,
    idempotency::{Idempotent, Slot, Stored},
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

/// A request that has been let in.
pub struct Admitted<'r> {
    /// Clock, randomness, key.
    pub env: &'r Env,
    /// What is asked for.
    pub operation: &'r Operation,
    /// Who asks.
    pub caller: &'r Caller,
    /// The key of a write, where it has one.
    pub idempotent: Option<&'r Idempotent>,
    /// Told to the caller and in the audit row.
    pub request_id: &'r str,
    /// The instant of the request.
    pub now: Timestamp,
}

impl Admitted<'_> {
    /// Runs the bound function in an open transaction, with all that a write means.
    pub fn run(&self, tx: &mut Tx<'_>, bound: &mut Bound) -> Result<Answer> {
        let Self { env, operation, caller, now, .. } = *self;
        let status = operation.status;
        let function = match bound {
            Bound::Reads(function) => {
                let data = function(&mut Read::new(tx, caller, now))?;
                return Ok(Answer { status, data, replayed: false });
            }
            Bound::Writes(function) => function,
        };
        let slot = self.slot();
        if let Some(slot) = &slot
            && let Some(Stored { status, data }) = slot.claim(tx, env)?
        {
            return Ok(Answer { status, data, replayed: true });
        }
        let read = Read::new(tx, caller, now);
        let mut cx = Write::new(read, env, operation.id, operation.events, self.request_id)?;
        let outcome = function(&mut cx).and_then(|data| cx.audit().map(|()| data));
        if let (Err(_), Some(slot)) = (&outcome, &slot) {
            // A transaction that takes no further statement does not count anyway.
            slot.is_new(tx).ok();
        }
        let stored = Stored { status, data: outcome? };
        if let Some(slot) = &slot {
            slot.store(tx, env, &stored, operation.secret)?;
        }
        Ok(Answer { status, data: stored.data, replayed: false })
    }

    fn slot(&self) -> Option<Slot<'_>> {
        let company = self.caller.company;
        let caller = self.caller.actor.id().unwrap_or(company.0);
        self.idempotent.map(|wanted| Slot { company, caller, wanted, now: self.now })
    }
}
