//! The ports between what clients do and the goals that they do it for: each side asks the other by these, and
//! knows nothing else of it.

use spotter_kernel::{Date, Result, id::ClientId};

use crate::context::{Read, Write};

/// What is told of a client's workouts.
pub trait Training: Send + Sync {
    /// How many workouts the client has completed that began on a date or after it.
    fn completed(&self, cx: &mut Read, client: ClientId, from: Date) -> Result<i64>;
}

/// Who is told what clients have done, in the transaction in which they did it.
pub trait Following: Send + Sync {
    /// A workout was completed, or one that was is gone. It may announce `goal.updated`.
    fn trained(&self, cx: &mut Write, client: ClientId) -> Result<()>;
}
