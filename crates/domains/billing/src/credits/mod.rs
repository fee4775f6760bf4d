//! Credits: when a sale grants them ([`grants`]), lots and entries ([`lot`]), granting and expiry ([`grant`]), which of them pay for a
//! booking ([`credit_selection`]), how bookings hold and consume them ([`booking_credits`]), operations ([`balance`]), letters (`letters`), and who
//! has none left ([`exhausted`]).

pub mod balance;
pub mod booking_credits;
pub mod credit_selection;
pub mod exhausted;
pub mod grant;
pub mod grants;
mod letters;
pub mod lot;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        lot::area(),
        grant::area(),
        letters::area(),
        booking_credits::area(),
        balance::area(),
        exhausted::area(),
    ])
}
