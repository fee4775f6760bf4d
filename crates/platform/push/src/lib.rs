//! Web push: notifications on the devices of clients who want them (RFC 8030). A browser subscribes
//! ([`subscriptions`]); a notification is a row in the transaction of its cause ([`notifications`]), and is handed to
//! the browser's push service as a job: encrypted for that browser alone, signed by this installation ([`vapid`]), in one
//! request ([`sender`]).

mod effects;
mod notifications;
mod rules;
pub mod sender;
mod subscriptions;
pub mod vapid;

use spotter_contract::Area;

pub use notifications::{Notification, SEND, due, send};
pub use subscriptions::{BrowserKeys, has_devices};

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([subscriptions::area(), notifications::area()]).tagged("Push notifications")
}
