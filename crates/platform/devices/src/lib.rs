//! Access devices: the record ([`device`]), registration ([`registration`]), keys ([`keys`]) and heartbeats ([`heartbeats`]).

pub mod device;
mod effects;
pub mod heartbeats;
pub mod keys;
mod registration;
mod rules;

use spotter_contract::Area;

pub use device::{Device, DeviceId};

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([device::area(), registration::area(), keys::area(), heartbeats::area()])
        .tagged("Access devices")
}
