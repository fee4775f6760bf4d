//! Signing deliveries, and verifying them as a receiver does.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use spotter_kernel::{Entropy, secret::random_text};
use subtle::ConstantTimeEq;

/// What every signing secret starts with; it is part of the key.
pub const SECRET_PREFIX: &str = "whsec_";
/// The header with the event's name.
pub const EVENT_HEADER: &str = "x-service-webhook-event";
/// The header with the delivery's id.
pub const DELIVERY_HEADER: &str = "x-service-webhook-delivery";
/// The header with the instant of the attempt, in Unix seconds.
pub const TIMESTAMP_HEADER: &str = "x-service-webhook-timestamp";
/// The header with the signatures.
pub const SIGNATURE_HEADER: &str = "x-service-webhook-signature";
/// How far a receiver lets the timestamp be from its own clock, in seconds.
pub const TOLERANCE_SECONDS: i64 = 300;

/// A new signing secret of 256 random bits.
pub fn new_secret(entropy: &dyn Entropy) -> String {
    format!("{SECRET_PREFIX}{}", random_text(entropy))
}

/// The signed content, without the secret.
#[derive(Clone, Copy, Debug)]
pub struct SignedBody<'s> {
    /// Unix seconds of the attempt.
    pub timestamp: i64,
    /// The delivery's id.
    pub delivery: &'s str,
    /// The event's id, as in the body.
    pub event: &'s str,
    /// The canonical JSON of the body.
    pub body: &'s str,
}

impl SignedBody<'_> {
    /// HMAC-SHA256 over `<timestamp>.<delivery>.<event>.<body>` with the whole secret, in
    /// lower-case hexadecimal digits.
    pub fn with(&self, secret: &str) -> String {
        let Self { timestamp, delivery, event, body } = self;
        // HMAC takes keys of any length, so there is no error to be had.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
            return String::new();
        };
        mac.update(format!("{timestamp}.{delivery}.{event}.").as_bytes());
        mac.update(body.as_bytes());
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The signature header: `v1=<hex>`, one for each secret, comma-separated. There are two for
    /// as long as a replaced secret is still good.
    pub fn header<'a>(&self, secrets: impl IntoIterator<Item = &'a str>) -> String {
        let each = secrets.into_iter().map(|secret| format!("v1={}", self.with(secret)));
        each.collect::<Vec<_>>().join(",")
    }

    /// Whether the header contains this secret's signature and its timestamp is near `now`, as a receiver verifies
    /// it; the error says what is wrong.
    pub fn verify(&self, secret: &str, header: &str, now: i64) -> Result<(), &'static str> {
        if self.timestamp.abs_diff(now) > TOLERANCE_SECONDS as u64 {
            return Err("the timestamp is more than five minutes off");
        }
        let own = self.with(secret);
        let same = |given: &str| bool::from(given.as_bytes().ct_eq(own.as_bytes()));
        let mut given = header.split(',').filter_map(|part| part.trim().strip_prefix("v1="));
        if given.any(same) { Ok(()) } else { Err("the signature is not this secret's") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: SignedBody<'_> =
        SignedBody { timestamp: 1_700_000_000, delivery: "d", event: "e", body: r#"{"id":"e"}"# };

    #[test]
    fn it_is_plain_hmac() {
        // printf '1700000000.d.e.{"id":"e"}' | openssl dgst -sha256 -hmac whsec_test
        assert_eq!(SIGNED.with("whsec_test"), include_str!("signature.expected").trim());
    }

    #[test]
    fn a_receiver_accepts_either_secret_only() {
        let header = SIGNED.header(["whsec_new", "whsec_old"]);
        let now = SIGNED.timestamp + 299;
        assert!(SIGNED.verify("whsec_new", &header, now).is_ok());
        assert!(SIGNED.verify("whsec_old", &header, now).is_ok());
        assert!(SIGNED.verify("whsec_other", &header, now).is_err());
        assert!(SIGNED.verify("whsec_new", &header, now + 2).is_err());
        assert!(SIGNED.verify("whsec_new", &header, SIGNED.timestamp - 301).is_err());
        for other in [
            SignedBody { delivery: "x", ..SIGNED },
            SignedBody { event: "x", ..SIGNED },
            SignedBody { body: "{}", ..SIGNED },
            SignedBody { timestamp: SIGNED.timestamp + 1, ..SIGNED },
        ] {
            assert!(other.verify("whsec_new", &header, now).is_err());
        }
        assert!(SIGNED.verify("whsec_new", "", now).is_err());
    }
}
