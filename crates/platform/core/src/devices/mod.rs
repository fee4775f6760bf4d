//! Access devices: doors, gates and turnstiles of the company's locations ([`device`]), registered and looked
//! after by managers ([`registering`]), known by their keys ([`keys`]), and heard of as long as they work
//! ([`heartbeats`]).

pub mod device;
pub mod heartbeats;
pub mod keys;
mod registration;

use spotter_contract::Area;

pub use device::{Device, DeviceId};

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([device::area(), registration::area(), keys::area(), heartbeats::area()])
        .tagged("Access devices")
}
