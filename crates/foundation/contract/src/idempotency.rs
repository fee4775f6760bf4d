//! Idempotent writes: one key, one effect, the same answer.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::CompanyId,
    limits::{IDEMPOTENCY_KEY_MAX, IDEMPOTENCY_RETENTION_SECONDS},
};
use spotter_store::{Tx, params, statements};

use crate::{arguments::Arguments, context::Env};

/// A valid `Idempotency-Key` with the fingerprint of the request that carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotent {
    /// The key, 1 to 200 characters.
    pub key: String,
    /// Identifies the request: method, path, query and body, in normal form.
    pub fingerprint: [u8; 32],
}

impl Idempotent {
    /// Checks the header's value, given as the bytes that were sent.
    pub fn new(header: Option<&[u8]>, fingerprint: [u8; 32]) -> Result<Option<Self>> {
        let Some(bytes) = header else { return Ok(None) };
        let key = std::str::from_utf8(bytes).map_err(|_| Problem::new(Key::IdempotencyInvalid))?;
        let fits = (1..=IDEMPOTENCY_KEY_MAX).contains(&key.chars().count());
        if fits {
            Ok(Some(Self { key: key.to_owned(), fingerprint }))
        } else {
            Err(Key::IdempotencyInvalid.into())
        }
    }
}

impl Idempotent {
    /// The stored form of the fingerprint.
    fn digits(&self) -> String {
        self.fingerprint.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The fingerprint of a request: method, path, decoded query in any order, and the JSON value of
/// the body in any spelling.
pub fn fingerprint(method: &str, path: &str, arguments: &Arguments) -> [u8; 32] {
    let mut query: Vec<_> =
        form_urlencoded::parse(arguments.query.as_bytes()).into_owned().collect();
    query.sort();
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    part(method.as_bytes());
    part(path.as_bytes());
    for (name, value) in &query {
        part(name.as_bytes());
        part(value.as_bytes());
    }
    part(b"");
    // Object keys are sorted, so equal values have equal texts.
    match arguments.body.object() {
        Some(value) => part(whole_numbers(value.clone()).to_string().as_bytes()),
        None => part(b""),
    }
    hash.finalize().into()
}

/// 1.0 and 1 are one number in JSON.
fn whole_numbers(value: Json) -> Json {
    match value {
        Json::Number(number) => match number.as_f64() {
            Some(float) if !number.is_i64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                Json::from(float as i64)
            }
            _ => Json::Number(number),
        },
        Json::Array(items) => items.into_iter().map(whole_numbers).collect(),
        Json::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, whole_numbers(value))).collect()
        }
        other => other,
    }
}

/// A stored answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON text of `data`.
    pub data: String,
}

/// The row that stores the answer to a caller's key.
pub struct IdempotencySlot<'r> {
    /// The caller's company.
    pub company: CompanyId,
    /// The caller's record.
    pub caller: Id,
    /// The key and its request.
    pub wanted: &'r Idempotent,
    /// The instant of the request.
    pub now: Timestamp,
}

impl IdempotencySlot<'_> {
    /// Takes the key for this request. A stored answer is returned; another request under the same
    /// key, or one still running, is refused.
    pub fn claim(&self, tx: &mut Tx<'_>, env: &Env) -> Result<Option<StoredAnswer>> {
        let Self { company, caller, wanted, now } = self;
        let name = format!("{company}{caller}{}", wanted.key);
        if tx.may_assume() {
            // Nearly every key is new: a running request is checked with the next statement, and a stored answer when
            // storing.
            tx.assume(CLAIM, params![name])?;
            return Ok(None);
        }
        type Found =
            (bool, Option<String>, Option<i64>, Option<i64>, Option<Vec<u8>>, Option<bool>);
        let key = &wanted.key;
        let found: Option<Found> = tx.one(CLAIM_AND_FIND, params![company, caller, key, name])?;
        let Some((claimed, fingerprint, expires_at, status, answer, sealed)) = found else {
            return Err(Problem::internal("a claim tells whether it was taken"));
        };
        let expired = expires_at.is_some_and(|at| at <= now.millis());
        match (fingerprint, status, answer) {
            (Some(fingerprint), ..) if !expired && fingerprint != wanted.digits() => {
                Err(Key::IdempotencyConflict.into())
            }
            (Some(_), Some(status), Some(answer)) if !expired => {
                let plain = if sealed == Some(true) { env.vault.open(&answer)? } else { answer };
                let data = String::from_utf8(plain).map_err(Problem::internal)?;
                Ok(Some(StoredAnswer { status: u16::try_from(status).unwrap_or(200), data }))
            }
            _ if !claimed => Err(Key::IdempotencyInProgress.into()),
            _ => {
                if expired {
                    tx.execute(FORGET, params![company, caller, key])?;
                }
                Ok(None)
            }
        }
    }

    /// Sees to it that a request which failed is not one that was answered before, where a claim
    /// took that for granted: it would have been replayed.
    pub fn is_new(&self, tx: &mut Tx<'_>) -> Result<()> {
        let Self { company, caller, wanted, .. } = self;
        if tx.may_assume() {
            tx.assume(UNUSED, params![company, caller, wanted.key])
        } else {
            Ok(())
        }
    }

    /// Stores the answer of a first execution with its commit, sealed if it holds a secret.
    pub fn store(
        &self,
        tx: &mut Tx<'_>,
        env: &Env,
        stored: &StoredAnswer,
        secret: bool,
    ) -> Result<()> {
        let plain = stored.data.as_bytes();
        let answer = if secret { env.vault.seal(plain, &*env.entropy)? } else { plain.to_vec() };
        let status = i64::from(stored.status);
        let Self { company, caller, wanted, now } = self;
        let expires_at = now.plus_seconds(IDEMPOTENCY_RETENTION_SECONDS);
        let (key, digits) = (&wanted.key, wanted.digits());
        let row = params![company, caller, key, digits, expires_at, status, answer, secret];
        tx.defer(STORE, row)
    }
}

/// Deletes some answers that have been kept long enough; how many. To be called now and then.
pub(crate) fn prune(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

statements! {
    PRUNE = "DELETE FROM stored_answer WHERE (company_id, caller_id, idempotency_key) IN \
        (SELECT company_id, caller_id, idempotency_key FROM stored_answer WHERE expires_at <= ?1 \
        ORDER BY expires_at, company_id, caller_id, idempotency_key LIMIT 500)";
    CLAIM = "SELECT TRUE WHERE claim(?1)";
    CLAIM_AND_FIND = "SELECT claim(?4), a.fingerprint, a.expires_at, a.status, a.answer, a.sealed \
        FROM (SELECT 1 AS one) always LEFT JOIN stored_answer a \
        ON a.company_id = ?1 AND a.caller_id = ?2 AND a.idempotency_key = ?3";
    UNUSED = "SELECT TRUE WHERE NOT EXISTS (SELECT 1 FROM stored_answer \
        WHERE company_id = ?1 AND caller_id = ?2 AND idempotency_key = ?3)";
    FORGET = "DELETE FROM stored_answer \
        WHERE company_id = ?1 AND caller_id = ?2 AND idempotency_key = ?3";
    STORE = "INSERT INTO stored_answer (company_id, caller_id, idempotency_key, fingerprint, expires_at, \
        status, answer, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(query: &str, body: &str) -> [u8; 32] {
        let body = crate::Content::parse(body.as_bytes());
        fingerprint("POST", "/clients", &Arguments { path: vec![], query: query.into(), body })
    }

    #[test]
    fn spelling_does_not_matter_and_meaning_does() {
        let one = print("a=1&b=%41", r#"{"x": 1, "y": [1.0, "é"]}"#);
        assert_eq!(one, print("b=A&a=1", r#"{"y":[1,"\u00e9"],"x":1}"#));
        assert_ne!(one, print("b=A&a=1", r#"{"y":["é",1],"x":1}"#));
        assert_ne!(one, print("b=A", r#"{"y":[1,"é"],"x":1}"#));
        assert_ne!(print("", ""), print("", "{}"));
    }

    #[test]
    fn keys_are_1_to_200_characters() {
        let valid = |key: &str| Idempotent::new(Some(key.as_bytes()), [0; 32]).is_ok();
        assert!(valid("k") && valid(&"é".repeat(200)));
        assert!(!valid("") && !valid(&"k".repeat(201)));
        assert_eq!(Idempotent::new(None, [0; 32]), Ok(None));
    }
}
