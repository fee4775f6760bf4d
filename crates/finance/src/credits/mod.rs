//! Credits: when a sale gives them ([`grants`]), the record ([`lot`]), how they are given and lapse
//! ([`granting`]), what of all that a client has covers a booking ([`cover`]), how bookings take it
//! ([`settling`]), what people see and change ([`balance`]), and whose are used up ([`exhausted`]).

pub mod balance;
pub mod cover;
pub mod exhausted;
pub mod granting;
pub mod grants;
pub mod lot;
pub mod settling;

use spotter_contract::Area;

/// What the area brings.
pub(super) fn area() -> Area {
    Area::join([
        lot::area(),
        granting::area(),
        settling::area(),
        balance::area(),
        exhausted::area(),
    ])
}
