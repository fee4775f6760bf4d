//! Where clients went last, by zone: for passback, for how many are inside, and for codes that were shown already.

use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Result, Timestamp, id::ClientId, id::LocationId};
use spotter_store::{params, record, set, statements, values};

use crate::zone_context::ZoneContext;

record! {
    /// Where a client went last at a zone.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Presence {
        location_id: LocationId,
        zone: String,
        client_id: ClientId,
        /// Whether they went in.
        pub inside: bool,
        /// When.
        pub moved_at: Timestamp,
        /// The latest code of theirs that was taken here.
        pub code_step: i64,
    }
}

impl Presence {
    /// Where a client went last at a zone; nothing where they never did.
    pub fn of(cx: &mut Read, place: &ZoneContext, client: ClientId) -> Result<Option<Self>> {
        cx.one_kept(FIND, params![place.id(), place.zone(), client])
    }

    /// Whether they have been inside since an instant.
    pub fn is_inside(&self, since: Timestamp) -> bool {
        self.inside && self.moved_at >= since
    }
}

/// Records an entry or exit, unless the client has moved later.
pub fn note(
    cx: &mut Write,
    place: &ZoneContext,
    client: ClientId,
    inside: bool,
    at: Timestamp,
    code_step: Option<i64>,
) -> Result<()> {
    let before = Presence::of(cx, place, client)?;
    let mut own = before.clone().unwrap_or_else(|| Presence {
        location_id: place.id(),
        zone: place.zone().to_owned(),
        client_id: client,
        inside,
        moved_at: at,
        code_step: 0,
    });
    // Of two at one instant, the result does not depend on their order: out.
    let is_later = at > own.moved_at || (at == own.moved_at && own.inside && !inside);
    if is_later {
        (own.inside, own.moved_at) = (inside, at);
    }
    own.code_step = own.code_step.max(code_step.unwrap_or(0));
    match &before {
        Some(before) if *before == own => Ok(()),
        Some(_) => cx.defer(SAVE, &own.params()),
        None => cx.defer(INSERT, &own.params()),
    }
}

/// How many others are inside a zone, counted up to a limit.
pub fn others(
    cx: &mut Read,
    place: &ZoneContext,
    client: ClientId,
    since: Timestamp,
    most: i64,
) -> Result<i64> {
    let counted: Option<(i64,)> =
        cx.one(INSIDE, params![place.id(), place.zone(), since, client, most])?;
    Ok(counted.map_or(0, |(others,)| others))
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    FIND = "SELECT ", Presence::COLUMNS, " FROM access_presence WHERE company_id = ?1 AND location_id = ?2 \
        AND zone = ?3 AND client_id = ?4";
    INSIDE = "SELECT COUNT(*) FROM (SELECT 1 FROM access_presence WHERE company_id = ?1 AND location_id = ?2 \
        AND zone = ?3 AND inside AND moved_at >= ?4 AND client_id <> ?5 LIMIT ?6) few";
    INSERT = "INSERT INTO access_presence ", values!(Presence);
    SAVE = "UPDATE access_presence SET ", set!(Presence),
        " WHERE company_id = ?1 AND location_id = ?2 AND zone = ?3 AND client_id = ?4";
}
