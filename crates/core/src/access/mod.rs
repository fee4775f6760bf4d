//! Who may come in: API clients and their tokens, accounts, invitations and signed-in sessions.

pub mod accounts;
pub mod api_clients;
pub mod browsers;
pub mod holders;
mod own_account;
pub mod second_step;
pub mod sessions;
mod signed_in;
pub mod tokens;

use spotter_contract::{Area, Fate, Trace};

/// What is kept of clients here.
const TRACES: &[Trace] = &[
    Trace::gone("account", Fate::AtOnce),
    Trace::gone("invitation", Fate::AtOnce),
    Trace::gone("app_session", Fate::AtOnce),
    Trace::gone("browser_session", Fate::AtOnce),
    Trace::gone("second_step", Fate::AtOnce),
    Trace::gone("recovery_code", Fate::AtOnce),
];

/// What the area brings.
pub fn area() -> Area {
    let chapters = [
        accounts::area(),
        api_clients::area(),
        browsers::area(),
        own_account::area(),
        second_step::area(),
        sessions::area(),
        signed_in::area(),
        tokens::area(),
    ];
    Area::join(chapters).erases(TRACES)
}
