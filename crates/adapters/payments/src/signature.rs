//! Signatures of notices, as payment providers make them: `t=<Unix seconds>,v1=<hex>`, with the HMAC-SHA256 of
//! `<t>.<body>` in hexadecimal. Several `v1` may appear while a secret is rotated.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use spotter_kernel::Timestamp;
use subtle::ConstantTimeEq;

/// How far a notice's time may be from ours, in seconds.
const TOLERANCE_SECONDS: u64 = 300;

fn digits(secret: &str, at: i64, body: &str) -> String {
    // HMAC takes keys of any length, so there is no error to be had.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(format!("{at}.").as_bytes());
    mac.update(body.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The signature of a body at an instant.
pub fn sign(secret: &str, body: &str, now: Timestamp) -> String {
    let at = now.millis() / 1_000;
    format!("t={at},v1={}", digits(secret, at, body))
}

/// Whether a header contains this secret's recent signature of a body; otherwise what is wrong.
pub fn verify(secret: &str, header: &str, body: &str, now: Timestamp) -> Result<(), &'static str> {
    if secret.is_empty() {
        return Err("there is nothing yet that notices are verified with");
    }
    let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let at = parts().find(|(name, _)| *name == "t").and_then(|(_, at)| at.parse::<i64>().ok());
    let at = at.ok_or("the signature has no time")?;
    if at.abs_diff(now.millis() / 1_000) > TOLERANCE_SECONDS {
        return Err("the signature is more than five minutes off");
    }
    let own = digits(secret, at, body);
    let same = |given: &str| !own.is_empty() && bool::from(given.as_bytes().ct_eq(own.as_bytes()));
    match parts().any(|(name, given)| name == "v1" && same(given)) {
        true => Ok(()),
        false => Err("the signature is not this secret's"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signed_content_verifies() {
        let now = Timestamp::from_millis(1_700_000_000_123);
        let header = sign("secret", "{}", now);
        assert!(verify("secret", &header, "{}", now).is_ok());
        let other = header.replace("v1=", "v1=00,v1=");
        assert!(verify("secret", &other, "{}", now).is_ok(), "one of several is enough");
        assert!(verify("secret", &header, "{} ", now).is_err());
        assert!(verify("Secret", &header, "{}", now).is_err());
        assert!(verify("", &sign("", "{}", now), "{}", now).is_err(), "no secret, no notice");
        for wrong in ["", "t=", "v1=", "t=1700000000", "t=x,v1=0", "t=1700000000,v1="] {
            assert!(verify("secret", wrong, "{}", now).is_err(), "{wrong}");
        }
        let minutes = |minutes: i64| now.plus_seconds(60 * minutes);
        assert!(verify("secret", &header, "{}", minutes(5)).is_ok());
        assert!(verify("secret", &header, "{}", minutes(6)).is_err());
        assert!(verify("secret", &header, "{}", minutes(-6)).is_err());
        // The digits are those of an independent program:
        // printf '5.{}' | openssl dgst -sha256 -hmac secret
        let at = sign("secret", "{}", Timestamp::from_millis(5_000));
        assert_eq!(at, "t=5,v1=f18d2fcd9a24151471e3e2d71bc7ce901fb7b89b341918a08f95e9ffc497ea26");
    }
}
