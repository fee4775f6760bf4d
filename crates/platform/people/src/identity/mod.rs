//! Identity: API clients and their tokens, accounts, invitations and sessions.

pub mod accounts;
pub mod api_clients;
pub mod browsers;
pub mod holders;
mod own_account;
pub mod permits;
pub mod second_step;
pub mod sessions;
mod signed_in;
pub mod tokens;

use spotter_contract::{Area, ErasureAction, ErasureRule};

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[
    ErasureRule::gone("account", ErasureAction::AtOnce),
    ErasureRule::gone("invitation", ErasureAction::AtOnce),
    ErasureRule::gone("app_session", ErasureAction::AtOnce),
    ErasureRule::gone("browser_session", ErasureAction::AtOnce),
    ErasureRule::gone("second_step", ErasureAction::AtOnce),
    ErasureRule::gone("recovery_code", ErasureAction::AtOnce),
];

/// The operations and statements of this domain.
pub fn area() -> Area {
    let chapters = [
        accounts::area(),
        api_clients::area(),
        browsers::area(),
        own_account::area(),
        permits::area(),
        second_step::area(),
        sessions::area(),
        signed_in::area(),
        tokens::area(),
    ];
    Area::join(chapters).erases(TRACES)
}
