//! Keys of devices: 256 random bits, stored as a digest. A replaced key is valid until the new one is used, for a day
//! at most, so that a door keeps working while a technician changes the key.

use spotter_contract::{Actor, Area, Caller, vault};
use spotter_kernel::{Id, Key, Result, Timestamp, secret::Credential};
use spotter_store::{Tx, params, statements};

use super::device::{Device, DeviceStatus};

/// How long a key is good at most once it was replaced.
const PREVIOUS_SECONDS: i64 = 86_400;

/// Gives a device its key.
pub(super) fn give(device: &mut Device, key: &Credential) {
    let text = key.expose();
    device.key_digest = vault::digest(key).to_vec();
    device.key_last4 = text.get(text.len().saturating_sub(4)..).unwrap_or_default().to_owned();
}

/// Gives it another one.
pub(super) fn replace(device: &mut Device, key: &Credential, now: Timestamp) {
    device.previous_key_digest = Some(std::mem::take(&mut device.key_digest));
    device.previous_key_until = Some(now.plus_seconds(PREVIOUS_SECONDS));
    give(device, key);
}

/// Forgets the key before, now that this one is used.
pub(super) fn forget_previous(device: &mut Device, used: &[u8; 32]) {
    if device.key_digest == used {
        device.previous_key_digest = None;
        device.previous_key_until = None;
    }
}

/// The device behind a key, where the key is good.
pub fn authenticate(tx: &mut Tx, key: &Credential, now: Timestamp) -> Result<Caller> {
    type Found = (Id, DeviceStatus, Vec<u8>, Option<Timestamp>, bool);
    let digest = vault::digest(key);
    let found: Option<Found> = tx.one(BY_KEY, params![key.company, digest.to_vec()])?;
    let good = found.filter(|(_, status, current, until, _)| {
        let works = matches!(status, DeviceStatus::Pending | DeviceStatus::Active);
        works && (vault::same(current, &digest) || until.is_some_and(|until| now < until))
    });
    let (id, .., is_suspended) = good.ok_or(Key::InvalidDeviceKey)?;
    if is_suspended {
        return Err(Key::Forbidden.into());
    }
    Ok(Caller::new(key.company, Actor::Device { id, key: digest }))
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    BY_KEY = "SELECT d.device_id, d.status, d.key_digest, d.previous_key_until, c.suspended_at IS NOT NULL \
        FROM access_device d JOIN company c ON c.company_id = d.company_id \
        WHERE d.company_id = ?1 AND (d.key_digest = ?2 OR d.previous_key_digest = ?2)";
}
