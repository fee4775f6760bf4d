//! Credits: when a sale gives them ([`grants`]), the record ([`lot`]), how they are given and lapse
//! ([`granting`]), what of all that a client has covers a booking ([`cover`]), how bookings take it
//! ([`settling`]), what people see and change ([`balance`]), and whose are used up ([`exhausted`]).

pub mod balance;
pub mod booking_credits;
pub mod credit_selection;
pub mod exhausted;
pub mod grant;
pub mod grants;
pub mod lot;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        lot::area(),
        grant::area(),
        booking_credits::area(),
        balance::area(),
        exhausted::area(),
    ])
}
