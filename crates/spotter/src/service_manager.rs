//! What is reported to the service manager (`sd_notify(3)`): that the service is ready, stops, and is alive. Without a service manager
//! nothing is sent.

use std::time::Duration;

use sd_notify::NotifyState;

/// Reports that requests are accepted, and where.
pub(crate) fn ready(address: &str) {
    notify(&[NotifyState::Ready, NotifyState::Status(&format!("serving {address}"))]);
}

/// Reports what it is doing before it is ready, or while it stops.
pub(crate) fn status(text: &str) {
    notify(&[NotifyState::Status(text)]);
}

/// Reports that no new requests are accepted.
pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping, NotifyState::Status("answering the last requests")]);
}

/// Reports that it is alive, twice as often as the watchdog asks; for ever. It runs beside the requests, so that a runtime that
/// hangs is noticed.
pub(crate) async fn keep_alive() {
    let Some(period) = sd_notify::watchdog_enabled() else { return };
    let mut ticks = tokio::time::interval(period.max(Duration::from_millis(2)) / 2);
    loop {
        ticks.tick().await;
        notify(&[NotifyState::Watchdog]);
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "the service manager cannot be reached");
    }
}
