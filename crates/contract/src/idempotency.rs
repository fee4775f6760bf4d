//! Idempotent writes: one key, one effect, the same answer.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::CompanyId,
    limits::{IDEMPOTENCY_KEY_MAX, IDEMPOTENCY_RETENTION_SECONDS},
};
use spotter_store::{Tx, Value, params, statements};

use crate::{arguments::Arguments, context::Env};

/// A valid `Idempotency-Key` with the fingerprint of the request that carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotent {
    /// The key, 1 to 200 characters.
    pub key: String,
    /// What the request asks: method, path, query and body, whatever their spelling.
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
    /// The fingerprint as it is kept.
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
    match serde_json::from_slice::<Json>(&arguments.body) {
        // Objects are kept sorted by their keys, so equal values have equal texts.
        Ok(value) => part(whole_numbers(value).to_string().as_bytes()),
        Err(_) => part(&arguments.body),
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
pub struct Stored {
    /// The HTTP status.
    pub status: u16,
    /// The JSON text of `data`.
    pub data: String,
}

/// The place where the answer to one caller's key is kept.
pub struct Slot<'r> {
    /// The caller's company.
    pub company: CompanyId,
    /// The caller's record.
    pub caller: Id,
    /// The key and what is asked under it.
    pub wanted: &'r Idempotent,
    /// The instant of the request.
    pub now: Timestamp,
}

impl Slot<'_> {
    /// Takes the key for this request. A stored answer is returned; another request under the same
    /// key, or one still running, is refused.
    pub fn claim(&self, tx: &mut Tx<'_>, env: &Env) -> Result<Option<Stored>> {
        if tx.may_assume() {
            // Nearly every key is new, and then its row's insert can travel with what comes next.
            tx.assume(TAKE_NEW, &self.row())?;
            return Ok(None);
        }
        if self.take(tx)? {
            return Ok(None);
        }
        type Found = (String, i64, Option<i64>, Option<Vec<u8>>, Option<bool>);
        let Self { company, caller, wanted, now } = self;
        let key = &wanted.key;
        let found: Option<Found> = tx.one(FIND, params![company, caller, key])?;
        match found {
            // Nobody has used the key, and yet it could not be taken: somebody else is about to.
            None => Err(Key::IdempotencyInProgress.into()),
            Some((_, expires_at, ..)) if expires_at <= now.millis() => {
                tx.execute(FORGET, params![company, caller, key])?;
                tx.execute(FORGET_ANSWER, params![company, caller, key])?;
                if self.take(tx)? { Ok(None) } else { Err(Key::IdempotencyInProgress.into()) }
            }
            Some((fingerprint, ..)) if fingerprint != wanted.digits() => {
                Err(Key::IdempotencyConflict.into())
            }
            Some((_, _, Some(status), Some(answer), sealed)) => {
                let plain = if sealed == Some(true) { env.vault.open(&answer)? } else { answer };
                let data = String::from_utf8(plain).map_err(Problem::internal)?;
                Ok(Some(Stored { status: u16::try_from(status).unwrap_or(200), data }))
            }
            Some(_) => Err(Problem::internal("a used key has no answer")),
        }
    }

    fn take(&self, tx: &mut Tx<'_>) -> Result<bool> {
        Ok(tx.execute(TAKE, &self.row())? == 1)
    }

    /// The parameters of the row that takes the key.
    fn row(&self) -> Vec<Value<'static>> {
        let Self { company, caller, wanted, now } = self;
        let name = format!("{company}{caller}{}", wanted.key);
        let expires_at = now.plus_seconds(IDEMPOTENCY_RETENTION_SECONDS);
        let digits = wanted.digits();
        let row = params![company, caller, wanted.key, digits, expires_at, name];
        row.iter().cloned().map(Value::into_owned).collect()
    }

    /// Stores the answer of a first execution with its commit, sealed if it holds a secret.
    pub fn store(&self, tx: &mut Tx<'_>, env: &Env, stored: &Stored, secret: bool) -> Result<()> {
        let plain = stored.data.as_bytes();
        let answer = if secret { env.vault.seal(plain, &*env.entropy)? } else { plain.to_vec() };
        let status = i64::from(stored.status);
        let Self { company, caller, wanted, .. } = self;
        tx.defer(STORE, params![company, caller, wanted.key, status, answer, secret])
    }
}

/// Deletes some answers that have been kept long enough; how many. To be called now and then.
pub fn prune(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE_ANSWERS, params![now])?;
    tx.execute(PRUNE, params![now])
}

/// Inserts a key's row, unless another transaction is about to.
const TAKE_WHERE_CLAIMED: &str = "INSERT INTO idempotency \
    (company_id, caller_id, idempotency_key, fingerprint, expires_at) \
    SELECT CAST(?1 AS TEXT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT), CAST(?5 AS BIGINT) \
    WHERE claim(?6)";

statements! {
    PRUNE = "DELETE FROM idempotency WHERE (company_id, caller_id, idempotency_key) IN \
        (SELECT company_id, caller_id, idempotency_key FROM idempotency WHERE expires_at <= ?1 \
        ORDER BY expires_at, company_id, caller_id, idempotency_key LIMIT 500)";
    PRUNE_ANSWERS = "DELETE FROM idempotency_answer WHERE (company_id, caller_id, idempotency_key) IN \
        (SELECT company_id, caller_id, idempotency_key FROM idempotency WHERE expires_at <= ?1 \
        ORDER BY expires_at, company_id, caller_id, idempotency_key LIMIT 500)";
    TAKE_NEW = TAKE_WHERE_CLAIMED;
    TAKE = TAKE_WHERE_CLAIMED, " ON CONFLICT (company_id, caller_id, idempotency_key) DO NOTHING";
    FIND = "SELECT i.fingerprint, i.expires_at, a.status, a.answer, a.sealed FROM idempotency i \
        LEFT JOIN idempotency_answer a ON a.company_id = i.company_id AND a.caller_id = i.caller_id \
        AND a.idempotency_key = i.idempotency_key \
        WHERE i.company_id = ?1 AND i.caller_id = ?2 AND i.idempotency_key = ?3";
    FORGET = "DELETE FROM idempotency WHERE company_id = ?1 AND caller_id = ?2 AND idempotency_key = ?3";
    FORGET_ANSWER = "DELETE FROM idempotency_answer \
        WHERE company_id = ?1 AND caller_id = ?2 AND idempotency_key = ?3";
    STORE = "INSERT INTO idempotency_answer (company_id, caller_id, idempotency_key, status, answer, sealed) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(query: &str, body: &str) -> [u8; 32] {
        let body = body.as_bytes().to_vec();
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
