//! Signing in with a second step.

use serde_json::json;
use spotter_kernel::Clock;
use totp_rs::{Builder, Secret};

use crate::{App, SystemClock, text};

/// The code of an authenticator, a number of intervals from now.
pub fn code(secret: &str, intervals: i64) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let at = SystemClock.now().seconds() + intervals * 30;
    totp.generate(u64::try_from(at).unwrap()).to_string()
}

/// Enables the second step of a person: its secret, and their recovery codes.
pub async fn enabled(app: &App, token: &str) -> (String, Vec<String>) {
    let begun = app.app_as(token, "POST", "/auth/second-step", None).await.ok();
    let secret = text(begun.data(), "/secret");
    let first = json!({"code": code(&secret, 0)});
    let on = app.app_as(token, "POST", "/auth/second-step/enable", Some(first)).await.ok();
    let codes = on.data()["recoveryCodes"].as_array().unwrap();
    (secret, codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect())
}
