//! What an installation knows of itself: a value sealed with its key, by which another key is noticed
//! before anything is sealed with it.

use spotter_kernel::{Problem, Result};
use spotter_store::{Tx, params, statements};

use crate::{
    context::Env,
    vault::{self, Vault},
};

const NAME: &str = "key";
const PLAIN: &[u8] = b"spotter";

/// Sees to it that the database was sealed with this key; an empty one is from now on.
pub fn check_key(tx: &mut Tx<'_>, env: &Env) -> Result<()> {
    if !verify_key(tx, &env.vault)? {
        rename(tx, env)?;
    }
    Ok(())
}

/// Gives the installation a new [name], with the same key.
pub fn rename(tx: &mut Tx<'_>, env: &Env) -> Result<()> {
    note(tx, NAME, env.vault.seal(PLAIN, &*env.entropy)?)
}

/// Refuses a key that differs from the one the database was encrypted with; returns whether a check value is stored.
pub fn verify_key(tx: &mut Tx<'_>, vault: &Vault) -> Result<bool> {
    let kept: Option<(Vec<u8>,)> = tx.one(FIND, params![NAME])?;
    // A database from before the value was kept has sealed something as soon as it has a webhook.
    let other: Option<(Vec<u8>,)> = if kept.is_none() { tx.one(SEALED, &[])? } else { None };
    let sealed = kept.as_ref().or(other.as_ref());
    if sealed.is_some_and(|(sealed,)| vault.open(sealed).is_err()) {
        return Err(Problem::internal(
            "the secret_key is not the one that this database was used with, or is missing: what it has sealed could \
             not be opened. Set secret_key to that one, or put its file back as secret.key in the data \
             folder; a backup has it beside itself, with the ending .key; an export does not",
        ));
    }
    Ok(kept.is_some())
}

/// What tells one installation from another, in sixteen hexadecimal digits; none before a key was used. A restored one keeps
/// it; where a company's export is restored is another one.
pub fn name(tx: &mut Tx<'_>) -> Result<Option<String>> {
    let kept = noted(tx, NAME)?;
    Ok(kept.map(|sealed| {
        let digest = vault::digest_of(&sealed);
        digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }))
}

/// The value stored under a name.
pub fn noted(tx: &mut Tx<'_>, name: &str) -> Result<Option<Vec<u8>>> {
    let kept: Option<(Vec<u8>,)> = tx.one(FIND, params![name])?;
    Ok(kept.map(|(value,)| value))
}

/// Stores a value under a name.
pub fn note(tx: &mut Tx<'_>, name: &str, value: Vec<u8>) -> Result<()> {
    tx.execute(KEEP, params![name, value]).map(drop)
}

/// Whether this was done to the database once.
pub fn is_done(tx: &mut Tx<'_>, what: &str) -> Result<bool> {
    Ok(noted(tx, what)?.is_some())
}

/// Notes that this was done to the database.
pub fn done(tx: &mut Tx<'_>, what: &str) -> Result<()> {
    note(tx, what, Vec::new())
}

statements! {
    FIND = "SELECT value FROM installation WHERE name = ?1";
    KEEP = "INSERT INTO installation (name, value) VALUES (?1, ?2) \
        ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    SEALED = "SELECT secret FROM webhook_subscription ORDER BY company_id, subscription_id LIMIT 1";
}
