//! Credentials of clients at doors: a card, a printed code, a PIN, or codes of the app. A number is stored as a keyed
//! digest, by which it is found, and encrypted, for allow-lists.

use crate::rules::AccessControlRule;
use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Read, Write};
use spotter_kernel::{Key, Problem, Result, Timestamp, id::ClientId, id_type};
use spotter_store::{params, record, set, statements, stored_ids, values, words};

id_type!(
    /// Something by which a client is known at doors.
    CredentialId,
    RequestInvalid
);
stored_ids!(CredentialId);

words! {
    /// What it is: a card or a tag; a code on the client's telephone that changes every 30 seconds; a number that
    /// is typed; what a telephone sends by radio.
    pub enum AccessKind { Card = "card", Qr = "qr", Pin = "pin", Mobile = "mobile" }
}

words! {
    /// Whether the credential opens doors; *revoked* is final.
    pub enum AccessCredentialStatus {
        Active = "active",
        Suspended = "suspended",
        Lost = "lost",
        Revoked = "revoked",
    }
}

record! {
    /// A credential as it is stored.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AccessCredential {
        /// Id of the credential.
        pub credential_id: CredentialId,
        /// Client who enters with it.
        pub client_id: ClientId,
        /// Whether it is a card, a printed code, a PIN or a mobile credential.
        pub kind: AccessKind,
        /// Whether it opens doors.
        pub status: AccessCredentialStatus,
        digest: Option<Vec<u8>>,
        sealed_number: Option<Vec<u8>>,
        last4: Option<String>,
        /// When it becomes valid.
        pub valid_from: Option<Timestamp>,
        /// When it ends being valid.
        pub valid_until: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// A card, tag or code that identifies a client at doors.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccessCredential")]
pub struct AccessCredentialView {
    credential_id: CredentialId,
    client_id: ClientId,
    /// Whether it is a card, a printed code, a PIN or a mobile credential.
    kind: AccessKind,
    /// Whether it opens doors.
    status: AccessCredentialStatus,
    /// The last characters of its number; null of PINs, of codes and of numbers shorter than 8 characters.
    last4: Option<String>,
    /// Instant from which the credential is valid; immediately when null.
    valid_from: Option<Timestamp>,
    /// Instant until which the credential is valid; null without an end.
    valid_until: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<AccessCredential> for AccessCredentialView {
    fn from(own: AccessCredential) -> Self {
        Self {
            credential_id: own.credential_id,
            client_id: own.client_id,
            kind: own.kind,
            status: own.status,
            last4: own.last4,
            valid_from: own.valid_from,
            valid_until: own.valid_until,
            created_at: own.created_at,
            updated_at: own.updated_at,
        }
    }
}

/// A number in its compared form: cards without separators, in capitals.
pub fn normalized(kind: AccessKind, number: &str) -> Result<String, AccessControlRule> {
    let number = number.trim();
    match kind {
        AccessKind::Card => {
            let bare: String = number.chars().filter(|c| !matches!(c, ' ' | ':' | '-')).collect();
            let fits = (4..=64).contains(&bare.len());
            match fits && bare.bytes().all(|c| c.is_ascii_alphanumeric()) {
                true => Ok(bare.to_ascii_uppercase()),
                false => Err(AccessControlRule::NotCardNumber),
            }
        }
        AccessKind::Pin => {
            match (6..=12).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit()) {
                true => Ok(number.to_owned()),
                false => Err(AccessControlRule::NotPinCode),
            }
        }
        AccessKind::Mobile | AccessKind::Qr => {
            match (8..=200).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_graphic())
            {
                true => Ok(number.to_owned()),
                false => Err(AccessControlRule::NotQrText),
            }
        }
    }
}

/// Whether a PIN is one that people try first: one repeated digit, or a run of digits.
pub fn is_obvious(pin: &str) -> bool {
    let steps: Vec<i16> =
        pin.as_bytes().windows(2).map(|w| i16::from(w[1]) - i16::from(w[0])).collect();
    [0, 1, -1].iter().any(|step| steps.iter().all(|own| own == step))
}

/// The digest by which a number is found: keyed, and of this company alone.
pub fn digest(cx: &Read, kind: AccessKind, number: &str) -> Result<Vec<u8>> {
    Ok(cx.sign("access credential", format!("{}:{number}", kind.word()).as_bytes())?.to_vec())
}

/// How much a device's clock may be behind ours before a newly issued card is refused as unknown.
const CLOCKS_DIFFER_MS: i64 = 2_000;

impl AccessCredential {
    /// The client's credential with this id.
    pub fn find(cx: &mut Read, client: ClientId, id: CredentialId) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        found.filter(|own| own.client_id == client).ok_or_else(|| Key::NotFound.into())
    }

    /// The same whosever it is.
    pub fn find_optional(cx: &mut Read, id: CredentialId) -> Result<Option<Self>> {
        cx.one(FIND, params![id])
    }

    /// Asks ahead for the credential that a number belonged to at an instant.
    pub fn ask_ahead(cx: &mut Read, kind: AccessKind, number: &str, at: Timestamp) -> Result<()> {
        let digest = digest(cx, kind, number)?;
        cx.ask_ahead(BY_DIGEST_AT, params![digest, at, at.plus_millis(CLOCKS_DIFFER_MS)])
    }

    /// The credential that a number belonged to at an instant: one in use before others, the newest of them; before
    /// any existed, the first.
    pub fn by_number(
        cx: &mut Read,
        kind: AccessKind,
        number: &str,
        at: Timestamp,
    ) -> Result<Option<Self>> {
        let digest = digest(cx, kind, number)?;
        cx.one(BY_DIGEST_AT, params![digest, at, at.plus_millis(CLOCKS_DIFFER_MS)])
    }

    /// The codes on a client's telephone, where they may use them.
    pub fn codes_of(cx: &mut Read, client: ClientId) -> Result<Option<Self>> {
        cx.one(CODES, params![client])
    }

    /// A new one of a client, of this number; codes have none.
    pub fn create(
        cx: &mut Write,
        client: ClientId,
        kind: AccessKind,
        number: Option<String>,
        valid_from: Option<Timestamp>,
        valid_until: Option<Timestamp>,
    ) -> Result<Self> {
        let mut own = Self {
            credential_id: CredentialId(cx.new_id()),
            client_id: client,
            kind,
            status: AccessCredentialStatus::Active,
            digest: None,
            sealed_number: None,
            last4: None,
            valid_from,
            valid_until,
            created_at: cx.now(),
            updated_at: cx.now(),
        };
        if let Some(number) = number {
            own.digest = Some(digest(cx, kind, &number)?);
            let env = cx.env();
            own.sealed_number = Some(env.vault.seal(number.as_bytes(), &*env.entropy)?);
            let last = number.len().saturating_sub(4);
            // Of a short number they would be most of it.
            let recipients = kind != AccessKind::Pin && number.len() >= 8;
            own.last4 = recipients.then(|| number[last..].to_owned());
        }
        own.check_free(cx)?;
        cx.set_audit_target("access_credential", own.credential_id, ["accessCredential"]);
        cx.defer(INSERT, &own.params())?;
        Ok(own)
    }

    /// Whether its number is spoken for while it is in this state.
    fn is_in_use(&self) -> bool {
        matches!(self.status, AccessCredentialStatus::Active | AccessCredentialStatus::Suspended)
    }

    /// Refuses a number that another credential has.
    pub fn check_free(&self, cx: &mut Read) -> Result<()> {
        let Some(digest) = self.digest.as_ref().filter(|_| self.is_in_use()) else { return Ok(()) };
        let found: Option<Self> = cx.one(BY_DIGEST, params![digest])?;
        let taken = found
            .is_some_and(|other| other.is_in_use() && other.credential_id != self.credential_id);
        match taken {
            true => Err(Problem::conflict("number", AccessControlRule::CredentialTaken)),
            false => Ok(()),
        }
    }

    /// Its number, where it has one.
    pub fn number(&self, cx: &Read) -> Result<Option<String>> {
        let Some(sealed) = &self.sealed_number else { return Ok(None) };
        String::from_utf8(cx.unsealed(sealed)?).map(Some).map_err(Problem::internal)
    }

    /// Keeps what has changed.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        if let Some(now) = cx.audit_fields("access_credential", self.credential_id, changed) {
            self.updated_at = now;
            cx.defer(SAVE, &self.params())?;
        }
        Ok(())
    }
}

/// The statements of this module.
pub(super) fn statements() -> &'static [spotter_store::Sql] {
    STATEMENTS
}

statements! {
    FIND = "SELECT ", AccessCredential::COLUMNS, " FROM access_credential \
        WHERE company_id = ?1 AND credential_id = ?2";
    BY_DIGEST = "SELECT ", AccessCredential::COLUMNS, " FROM access_credential WHERE company_id = ?1 \
        AND digest = ?2 ORDER BY CASE WHEN status IN ('active', 'suspended') THEN 0 ELSE 1 END, \
        updated_at DESC, credential_id LIMIT 1";
    BY_DIGEST_AT = "SELECT ", AccessCredential::COLUMNS, " FROM access_credential WHERE company_id = ?1 \
        AND digest = ?2 AND created_at <= ?4 ORDER BY CASE WHEN created_at > ?3 THEN 2 \
        WHEN status IN ('active', 'suspended') OR updated_at > ?3 THEN 0 ELSE 1 END, \
        CASE WHEN created_at > ?3 THEN created_at ELSE -created_at END, credential_id DESC LIMIT 1";
    CODES = "SELECT ", AccessCredential::COLUMNS, " FROM access_credential WHERE company_id = ?1 \
        AND client_id = ?2 AND kind = 'qr' AND status = 'active' ORDER BY credential_id DESC LIMIT 1";
    INSERT = "INSERT INTO access_credential ", values!(AccessCredential);
    SAVE = "UPDATE access_credential SET ", set!(AccessCredential),
        " WHERE company_id = ?1 AND credential_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_however_they_are_written() {
        let card = |number| normalized(AccessKind::Card, number);
        assert_eq!(card("04:a2-3f 91"), Ok("04A23F91".to_owned()));
        assert!(card("04:").is_err() && card("é123").is_err());
        assert!(normalized(AccessKind::Pin, "12345").is_err());
        assert_eq!(normalized(AccessKind::Pin, " 482913 "), Ok("482913".to_owned()));
        assert!(normalized(AccessKind::Mobile, "has space").is_err());
    }

    #[test]
    fn obvious_pins_are_known() {
        for pin in ["000000", "123456", "987654"] {
            assert!(is_obvious(pin), "{pin}");
        }
        for pin in ["482913", "123457", "111112"] {
            assert!(!is_obvious(pin), "{pin}");
        }
    }
}
