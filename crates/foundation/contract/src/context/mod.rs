//! What an operation's function is given: one company's rows in one transaction, to read ([`read`]) or to change
//! ([`write`]); the events that it announces ([`events`]), its preview ([`preview`]) and its row in the audit log
//! ([`audit`]); and what the installation gives to all of them ([`env`], [`ports`]).

mod audit;
mod env;
mod events;
mod ports;
mod preview;
mod read;
mod write;

use spotter_store::Sql;

pub use env::Env;
pub use ports::Ports;
pub use read::Read;
pub use write::Write;

/// The statements of this module.
pub fn statements() -> Vec<Sql> {
    [read::STATEMENTS, audit::STATEMENTS].concat()
}
