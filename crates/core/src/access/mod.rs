//! Who may come in: API clients and their tokens, accounts, invitations and signed-in sessions.

pub mod accounts;
pub mod api_clients;
pub mod holders;
pub mod sessions;
pub mod tokens;

use spotter_contract::Area;

/// What the area brings.
pub fn area() -> Area {
    Area::join([accounts::area(), api_clients::area(), sessions::area(), tokens::area()])
}
