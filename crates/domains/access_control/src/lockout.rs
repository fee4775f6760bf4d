//! Lockout: a device that was shown ten unknown PINs in a minute accepts none for a minute. Cards and codes still
//! work: nobody guesses those, and pressing keys must not shut a door for members.

use spotter_contract::{Area, Read, Write};
use spotter_devices::DeviceId;
use spotter_kernel::{Result, Timestamp};
use spotter_store::{params, record, set, statements, values};

use crate::credential::AccessKind;

/// Unknown PINs per minute that lock.
const MOST: i64 = 10;
/// The minute, and how long it stays locked.
const SECONDS: i64 = 60;

record! {
    /// Unknown PINs at a device.
    #[derive(Debug, Clone, PartialEq)]
    struct Lockout {
        device_id: DeviceId,
        since: Timestamp,
        unknown: i64,
        locked_until: Option<Timestamp>,
    }
}

/// Whether a device takes nothing of a kind now.
pub fn is_locked(cx: &mut Read, device: DeviceId, kind: AccessKind) -> Result<bool> {
    if kind != AccessKind::Pin {
        return Ok(false);
    }
    let (found, now): (Option<Lockout>, _) = (cx.one(FIND, params![device])?, cx.now());
    Ok(found.is_some_and(|own| own.locked_until.is_some_and(|until| now < until)))
}

/// Counts an unknown PIN.
pub fn count(cx: &mut Write, device: DeviceId, kind: AccessKind) -> Result<()> {
    if kind != AccessKind::Pin {
        return Ok(());
    }
    let now = cx.now();
    let found: Option<Lockout> = cx.one(FIND, params![device])?;
    let is_new = found.is_none();
    let fresh = Lockout { device_id: device, since: now, unknown: 0, locked_until: None };
    let lately = |own: &Lockout| now < own.since.plus_seconds(SECONDS);
    let mut own = found.filter(lately).unwrap_or(fresh);
    own.unknown += 1;
    if own.unknown >= MOST {
        own = Lockout {
            since: now,
            unknown: 0,
            locked_until: Some(now.plus_seconds(SECONDS)),
            ..own
        };
    }
    cx.defer(if is_new { INSERT } else { SAVE }, &own.params())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    FIND = "SELECT ", Lockout::COLUMNS, " FROM access_lockout WHERE company_id = ?1 AND device_id = ?2";
    INSERT = "INSERT INTO access_lockout ", values!(Lockout);
    SAVE = "UPDATE access_lockout SET ", set!(Lockout), " WHERE company_id = ?1 AND device_id = ?2";
}
