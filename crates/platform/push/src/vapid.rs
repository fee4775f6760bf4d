//! Who sends a notification, for push services (VAPID, RFC 8292): a key of this installation, which signs every request.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;
use spotter_contract::Vault;
use spotter_kernel::{Problem, Result, Timestamp};
use web_push_native::p256::{
    SecretKey,
    ecdsa::{Signature, SigningKey, signature::Signer},
};

/// How long a signature is good, in seconds; push services refuse more than a day.
const GOOD_SECONDS: i64 = 43_200;

/// The key that signs for push services, which browsers subscribe to.
pub struct VapidKey(SigningKey);

impl VapidKey {
    /// The installation's key. It is derived from the key of its vault, so that every node has the same.
    pub fn of(vault: &Vault) -> Result<Self> {
        // One in four billion numbers is none of the curve.
        for attempt in 0..8u8 {
            if let Ok(secret) = SecretKey::from_slice(&vault.sign("web push", &[attempt])?) {
                return Ok(Self(secret.into()));
            }
        }
        Err(Problem::internal("no key for push services can be derived"))
    }

    /// The public key, as browsers take it: an uncompressed point, as base64url.
    pub fn public(&self) -> String {
        let point = self.0.verifying_key().to_encoded_point(false);
        URL_SAFE_NO_PAD.encode(point.as_bytes())
    }

    /// The header `authorization` of a request to a push service: `origin` is the service's, `contact` the
    /// operator's address.
    pub fn authorization(&self, origin: &str, contact: &str, now: Timestamp) -> String {
        let until = now.seconds() + GOOD_SECONDS;
        let encoded = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = encoded(json!({"typ": "JWT", "alg": "ES256"}));
        let claims = encoded(json!({"aud": origin, "exp": until, "sub": contact}));
        let unsigned = format!("{head}.{claims}");
        let signature: Signature = self.0.sign(unsigned.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("vapid t={unsigned}.{signature}, k={}", self.public())
    }
}
