//! Codes of the app: a text that is valid for half a minute and shown as a QR code. It is a signature of the
//! credential and the half-minute; nothing of it is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use spotter_contract::{Area, Read, answer, operation};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp};

use crate::{
    credential::{AccessCredential, CredentialId},
    rules::AccessControlRule,
};

/// How long a code is shown, in milliseconds.
const STEP_MS: i64 = 30_000;
/// How many steps a code may be from the server's: clocks differ, and people are slow.
const AROUND: i64 = 1;
/// Older codes are recognized as expired for this number of steps.
const KNOWN: i64 = 20;
/// Bytes of the signature that a code carries.
const BYTES: usize = 12;

/// The step of an instant.
const fn step(at: Timestamp) -> i64 {
    at.millis().div_euclid(STEP_MS)
}

fn mac(cx: &Read, credential: CredentialId, step: i64) -> Result<String> {
    let bytes = [credential.0.to_bytes().as_slice(), &step.to_be_bytes()].concat();
    Ok(URL_SAFE_NO_PAD.encode(&cx.sign("access code", &bytes)?[..BYTES]))
}

/// The content of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeContent {
    /// The credential.
    pub credential: CredentialId,
    /// The half-minute that it was made for.
    pub step: i64,
    /// Whether that is past.
    pub is_over: bool,
}

impl CodeContent {
    /// Reads a code that was shown at an instant; nothing where it is none.
    pub fn read(cx: &Read, text: &str, view: Timestamp) -> Result<Option<Self>> {
        let Some((id, signature)) = text.trim().split_once('.') else { return Ok(None) };
        let Some(credential) = Id::parse(id).map(CredentialId) else { return Ok(None) };
        let now = step(view);
        for step in (now - KNOWN..=now + AROUND).rev() {
            let own = mac(cx, credential, step)?;
            if spotter_contract::vault::same(own.as_bytes(), signature.as_bytes()) {
                return Ok(Some(Self { credential, step, is_over: step < now - AROUND }));
            }
        }
        Ok(None)
    }

    fn write(cx: &Read, credential: CredentialId, at: Timestamp) -> Result<String> {
        Ok(format!("{credential}.{}", mac(cx, credential, step(at))?))
    }
}

answer!(
    /// A code to present at a door.
    AccessCode {
        credential_id: CredentialId,
        /// Content of the QR code.
        code: String,
        /// When another one is to be shown.
        refresh_at: Timestamp,
        /// When the code expires.
        expires_at: Timestamp,
    }
);

fn get_access_code(cx: &mut Read) -> Result<AccessCode> {
    let client = cx.calling_client().ok_or(Key::Forbidden)?;
    let found = AccessCredential::codes_of(cx, client)?
        .ok_or_else(|| Problem::because(Key::NotFound, AccessControlRule::NoCode))?;
    let (now, id) = (cx.now(), found.credential_id);
    let end_of = |step: i64| Timestamp::from_millis((step + 1) * STEP_MS);
    Ok(AccessCode {
        credential_id: id,
        code: CodeContent::write(cx, id, now)?,
        refresh_at: end_of(step(now)),
        expires_at: end_of(step(now) + AROUND),
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(app GET "/client/access-code", Client, get_access_code)
        .summary("Get the current access code")
        .without_etag()
        .describe(
            "Returns a code to be shown as a QR code. It changes every 30 seconds, is \
                 accepted for a minute, and once per zone. Requires a credential of the kind `qr`.",
        )])
}
