//! The contract's machinery: operations as functions plus a row of facts, and the transaction in
//! which an operation, its idempotency, its audit row and its events are one.

pub mod arguments;
pub mod caller;
pub mod context;
pub mod features;
pub mod handler;
pub mod idempotency;
pub mod installation;
mod listed;
pub mod operation;
pub mod outbox;
pub mod run;
mod shape;
pub mod vault;

pub use arguments::{Arguments, Body, OptionalBody, Paged, Path, Query};
pub use caller::{Access, Actor, Caller, Delegation, Role};
pub use context::{Env, Read, Write};
pub use features::{Feature, Features};
pub use handler::Handler;
pub use operation::{Method, Operation, Surface};
pub use vault::Vault;

/// Every statement of this crate, for the test that prepares them all.
pub fn statements() -> Vec<spotter_store::Sql> {
    [context::STATEMENTS, idempotency::STATEMENTS, installation::STATEMENTS, outbox::STATEMENTS]
        .concat()
}
