//! Assistants that register themselves (RFC 7591), or are known by a document at an address of their own (OAuth
//! Client ID Metadata Documents). They belong to no company: a person's consent is what ties one to a company.

use spotter_contract::{Area, Env, Repeating, vault};
use spotter_kernel::{Result, Timestamp, secret::random_text};
use spotter_store::{Bind, Json, Record, Tx, params, places, record, statements};

/// The prefix of an assistant's id.
const PREFIX: &str = "mcpc_";
/// Seconds after which an unused registration is deleted (7 days).
const UNUSED_SECONDS: i64 = 7 * 86_400;
/// Most unused registrations.
const UNUSED_MAX: i64 = 10_000;

record! {
    /// A registered assistant.
    #[derive(Debug, Clone, PartialEq)]
    pub struct RegisteredAssistant {
        /// OAuth client id of the assistant.
        pub client_id: String,
        /// Its own name, unverified.
        pub client_name: String,
        /// Where a browser may be sent back to.
        pub redirect_uris: Json<Vec<String>>,
        /// When it registered.
        pub created_at: Timestamp,
        /// Until when its metadata document need not be fetched again; of those that registered nothing.
        pub fresh_until: Option<Timestamp>,
    }
}

/// Registers an assistant; the same metadata again returns the same id. Where there are too many unused
/// registrations, the oldest are deleted: a real one is used within minutes.
pub fn register(
    tx: &mut Tx,
    env: &Env,
    client_name: &str,
    redirect_uris: &[String],
) -> Result<RegisteredAssistant> {
    let uris = Json(redirect_uris.to_vec());
    let metadata = serde_json::json!([client_name, redirect_uris]).to_string();
    let digest = vault::digest_of(metadata.as_bytes());
    let known: Option<RegisteredAssistant> = tx.one(BY_DIGEST, params![digest])?;
    if let Some(known) = known {
        return Ok(known);
    }
    make_room(tx)?;
    let now = env.clock.now();
    let registered = RegisteredAssistant {
        client_id: format!("{PREFIX}{}", random_text(&*env.entropy)),
        client_name: client_name.to_owned(),
        redirect_uris: uris,
        created_at: now,
        fresh_until: None,
    };
    registered.insert(tx, &digest)?;
    Ok(registered)
}

/// Stores the metadata document of an address, replacing the previous one.
pub fn document(
    tx: &mut Tx,
    env: &Env,
    client_id: &str,
    client_name: &str,
    redirect_uris: &[String],
    fresh_seconds: i64,
) -> Result<RegisteredAssistant> {
    let now = env.clock.now();
    let assistant = RegisteredAssistant {
        client_id: client_id.to_owned(),
        client_name: client_name.to_owned(),
        redirect_uris: Json(redirect_uris.to_vec()),
        created_at: now,
        fresh_until: Some(now.plus_seconds(fresh_seconds)),
    };
    let row =
        params![client_id, assistant.client_name, assistant.redirect_uris, assistant.fresh_until];
    if tx.execute(RENEW, row)? == 0 {
        make_room(tx)?;
        assistant.insert(tx, &vault::digest_of(client_id.as_bytes()))?;
    }
    Ok(assistant)
}

/// Lets those give way that have waited longest, where there are too many.
fn make_room(tx: &mut Tx) -> Result<()> {
    let unused: Option<(i64,)> = tx.one(UNUSED, params![])?;
    let surplus = unused.map_or(0, |(count,)| count + 1 - UNUSED_MAX);
    if surplus > 0 {
        tx.execute(GIVE_WAY, params![surplus])?;
    }
    Ok(())
}

impl RegisteredAssistant {
    fn insert(&self, tx: &mut Tx, digest: &[u8]) -> Result<()> {
        let expires_at = self.created_at.plus_seconds(UNUSED_SECONDS);
        let mut row = self.params();
        row.push(Bind::bind(&digest));
        row.push(Bind::bind(&expires_at));
        tx.execute(INSERT, &row).map(drop)
    }
}

/// The assistant with this id.
pub fn find(tx: &mut Tx, client_id: &str) -> Result<Option<RegisteredAssistant>> {
    tx.one(FIND, params![client_id])
}

/// Marks the registration as used, so that it is not deleted.
pub(super) fn mark_used(tx: &mut Tx, client_id: &str) -> Result<()> {
    tx.defer(KEEP, params![client_id])
}

/// Deletes some unused registrations; returns their number. Called from time to time.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING)
}

const REPEATING: &[Repeating] = &[Repeating::prune(
    "forget_registered_assistants",
    "Delete unused registrations of assistants",
    prune,
)];

statements! {
    BY_DIGEST = "SELECT ", RegisteredAssistant::COLUMNS, " FROM mcp_client WHERE digest = ?1";
    UNUSED = "SELECT COUNT(*) FROM mcp_client WHERE expires_at IS NOT NULL";
    GIVE_WAY = "DELETE FROM mcp_client WHERE client_id IN \
        (SELECT client_id FROM mcp_client WHERE expires_at IS NOT NULL ORDER BY expires_at LIMIT ?1)";
    INSERT = "INSERT INTO mcp_client (", RegisteredAssistant::COLUMNS, ", digest, expires_at) VALUES (",
        places(1, RegisteredAssistant::WIDTH + 2), ")";
    RENEW = "UPDATE mcp_client SET client_name = ?2, redirect_uris = ?3, fresh_until = ?4 WHERE client_id = ?1";
    FIND = "SELECT ", RegisteredAssistant::COLUMNS, " FROM mcp_client WHERE client_id = ?1";
    KEEP = "UPDATE mcp_client SET expires_at = NULL WHERE client_id = ?1 AND expires_at IS NOT NULL";
    PRUNE = "DELETE FROM mcp_client WHERE client_id IN \
        (SELECT client_id FROM mcp_client WHERE expires_at <= ?1 LIMIT 500)";
}
