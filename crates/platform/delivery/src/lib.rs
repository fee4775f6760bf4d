//! Webhooks: what is sent, how it is signed, where it may go, and the engine that sends it.

pub mod address;
mod backlog;
mod bounded_stream;
pub mod canonical;
mod completions;
pub mod engine;
pub mod fetch;
pub mod jobs;
pub mod mail;
pub mod permits;
pub mod preview;
pub mod queue;
pub mod redaction;
pub mod retention;
pub mod sender;
pub mod signature;
pub mod target;
pub mod timers;

use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use spotter_store::Sql;

/// What an operator can set about webhooks.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Networks that are not public and that deliveries may go to all the same.
    pub private_networks: Vec<IpNet>,
    /// Certificate authorities that are trusted beside the system's.
    pub certificate_authority: Vec<CertificateDer<'static>>,
    /// Attempts that may be fresh at once.
    pub concurrency: u32,
    /// How long events and deliveries are kept.
    pub retention_days: i64,
}

/// Every statement of this crate, for the test that prepares them all.
pub fn statements() -> Vec<Sql> {
    [queue::STATEMENTS, retention::STATEMENTS].concat()
}
