//! What the installation gives to every operation.

use std::sync::Arc;

use ipnet::IpNet;
use spotter_kernel::{Clock, Entropy, Id, Timestamp, secret::EnvironmentMode};

use super::Ports;
use crate::{Vault, erasure::ErasureRule, offboarding::Effect, remainders::Remainder};

/// The environment: clock, randomness, key and ports.
#[derive(Clone)]
pub struct Env {
    /// Whether it is a company's test environment.
    pub mode: EnvironmentMode,
    /// The current time of the company's records.
    pub clock: Arc<dyn Clock>,
    /// The real time, by which credentials and retention are counted: another one than `clock` in a test environment.
    pub wall_clock: Arc<dyn Clock>,
    /// Random bytes.
    pub entropy: Arc<dyn Entropy>,
    /// The installation's key.
    pub vault: Vault,
    /// Networks that are not public and that webhooks may reach all the same.
    pub private_networks: Arc<[IpNet]>,
    /// The address that others reach the installation at.
    pub address: Arc<str>,
    /// The MCP server's base address, which is the issuer of its tokens.
    pub mcp_url: Arc<str>,
    /// How long a refresh token of an assistant that was exchanged is answered with the same pair.
    pub mcp_refresh_grace_seconds: i64,
    /// Whether a browser may be sent back to any port of the machine that it is on (RFC 8252).
    pub mcp_any_loopback_port: bool,
    /// The address that links to pages begin with, where mail leaves the installation.
    pub mail_links: Option<Arc<str>>,
    /// The address that mail comes from; empty where none leaves the installation.
    pub mail_sender: Arc<str>,
    /// Effects of people leaving.
    pub offboardings: Arc<[Effect]>,
    /// What stays when something is set aside.
    pub remainders: Arc<[Remainder]>,
    /// What remains of erased clients.
    pub erasure_rules: Arc<[ErasureRule]>,
    /// What areas ask of each other.
    pub ports: Ports,
}

impl Env {
    /// A new id.
    pub fn new_id(&self) -> Id {
        self.new_id_at(self.clock.now())
    }

    /// A new id of an instant.
    pub fn new_id_at(&self, at: Timestamp) -> Id {
        let mut random = [0; 6];
        self.entropy.fill(&mut random);
        Id::new(at, random)
    }
}
