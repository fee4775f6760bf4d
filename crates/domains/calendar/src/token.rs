//! Slot tokens: a signed slot that a caller sends back, valid for ten minutes. It reserves nothing: the slot is
//! checked again when it is booked.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use spotter_contract::Read;
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::{CoachId, LocationId},
};

use crate::{
    rules::CalendarRule,
    vocabulary::{CalendarEventId, EventTypeId},
};

/// How long a token is good for.
pub const TOKEN_SECONDS: i64 = 600;

/// The purpose of the signature.
const PURPOSE: &str = "slot";
const VERSION: u8 = 1;
const BODY: usize = 1 + 4 * 12 + 2 * 8;
const MAC: usize = 16;

/// What is offered: a start with a coach at a location, or a seat of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotKey {
    /// Kind of appointment or class, one of `GET /event-types`.
    pub event_type_id: EventTypeId,
    /// Coach of the slot.
    pub coach_id: CoachId,
    /// The location, if there is one.
    pub location_id: Option<LocationId>,
    /// The class, if it is one.
    pub calendar_event_id: Option<CalendarEventId>,
    /// Instant at which it begins, in UTC.
    pub starts_at: Timestamp,
}

const NONE: [u8; 12] = [0; 12];

impl SlotKey {
    /// The slot as a token of the company.
    pub fn token(&self, cx: &Read) -> Result<String> {
        let expires_at = cx.now().plus_seconds(TOKEN_SECONDS);
        let optional = |id: Option<Id>| id.map_or(NONE, Id::to_bytes);
        let body = [
            &[VERSION][..],
            &self.event_type_id.0.to_bytes(),
            &self.coach_id.0.to_bytes(),
            &optional(self.location_id.map(Into::into)),
            &optional(self.calendar_event_id.map(Into::into)),
            &self.starts_at.millis().to_be_bytes(),
            &expires_at.millis().to_be_bytes(),
        ]
        .concat();
        let mac = cx.sign(PURPOSE, &body)?;
        Ok(BASE64_URL_SAFE_NO_PAD.encode([&body[..], &mac[..MAC]].concat()))
    }

    /// The slot of a token; forged and expired tokens are refused.
    pub fn parse(cx: &Read, token: &str) -> Result<Self> {
        let forged = || Problem::invalid("slotToken", CalendarRule::NotSlotToken);
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| forged())?;
        let bytes: &[u8; BODY + MAC] = bytes.as_slice().try_into().map_err(|_| forged())?;
        let (body, mac) = bytes.split_at(BODY);
        if body[0] != VERSION
            || !spotter_contract::vault::same(&cx.sign(PURPOSE, body)?[..MAC], mac)
        {
            return Err(forged());
        }
        let id = |at: usize| -> [u8; 12] { std::array::from_fn(|n| body[1 + 12 * at + n]) };
        let instant = |at: usize| {
            let bytes: [u8; 8] = std::array::from_fn(|n| body[49 + 8 * at + n]);
            Timestamp::from_millis(i64::from_be_bytes(bytes))
        };
        let optional = |at: usize| Some(id(at)).filter(|id| *id != NONE).map(Id::from_bytes);
        if instant(1) <= cx.now() {
            return Err(Problem::because(
                Key::AvailabilitySlotNotBookable,
                CalendarRule::SlotTokenExpired,
            ));
        }
        Ok(Self {
            event_type_id: EventTypeId(Id::from_bytes(id(0))),
            coach_id: CoachId(Id::from_bytes(id(1))),
            location_id: optional(2).map(LocationId),
            calendar_event_id: optional(3).map(CalendarEventId),
            starts_at: instant(0),
        })
    }
}
