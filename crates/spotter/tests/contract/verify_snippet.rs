use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

/// The event of a delivery, if it is Spotter's. Header names in lower case; `now` in Unix seconds.
pub fn verify(
    secret: &str,
    header: impl Fn(&str) -> Option<String>,
    body: &str,
    now: i64,
) -> Option<Value> {
    let event: Value = serde_json::from_str(body).ok()?;
    // serde_json keeps the keys of objects sorted, unless its feature preserve_order is on.
    let canonical = event.to_string();
    let timestamp = header("x-service-webhook-timestamp")?;
    if timestamp.parse::<i64>().ok()?.abs_diff(now) > 300 {
        return None;
    }
    let delivery = header("x-service-webhook-delivery")?;
    let signed = format!("{timestamp}.{delivery}.{}.{canonical}", event["id"].as_str()?);
    let signatures = header("x-service-webhook-signature")?;
    let ours = signatures.split(',').filter_map(|one| one.trim().strip_prefix("v1=")).any(|digits| {
        let pairs = digits.as_bytes().chunks(2).map(std::str::from_utf8);
        let bytes: Option<Vec<u8>> =
            pairs.map(|pair| u8::from_str_radix(pair.ok()?, 16).ok()).collect();
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
        // verify_slice compares in constant time.
        bytes.is_some_and(|bytes| mac.chain_update(&signed).verify_slice(&bytes).is_ok())
    });
    ours.then_some(event)
}
