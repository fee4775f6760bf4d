//! Who may come in: API clients and their tokens, accounts, invitations and signed-in sessions.

pub mod accounts;
pub mod api_clients;
pub mod holders;
pub mod sessions;
pub mod tokens;

use spotter_contract::{Area, Fate, Trace};

/// What is kept of clients here.
const TRACES: &[Trace] = &[
    Trace::gone("account", Fate::AtOnce),
    Trace::gone("invitation", Fate::AtOnce),
    Trace::gone("app_session", Fate::AtOnce),
];

/// What the area brings.
pub fn area() -> Area {
    Area::join([accounts::area(), api_clients::area(), sessions::area(), tokens::area()])
        .erases(TRACES)
}
