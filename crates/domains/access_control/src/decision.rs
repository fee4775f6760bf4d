//! The decision about access: rules in one order, of which the first that fails is the reason.

use spotter_contract::{
    Read,
    admission::{AccessHours, AdmissionRefusal, AdmittingProduct, Limits},
    entitlement::{BookingEntitlement, EntitlementSource},
};
use spotter_devices::{Device, device::Passback};
use spotter_kernel::{
    Id, Result, Timestamp, Verdict,
    id::{ClientId, LocationId},
    span::{Span, merged},
};
use spotter_people::clients::Client;
use spotter_store::words;

use crate::{
    block::AccessBlock,
    code::CodeContent,
    credential::{AccessCredential, AccessCredentialStatus},
    presence::{self, Presence},
    visit::Visit,
    zone_context::ZoneContext,
};

words! {
    /// The decision on a scan.
    pub enum Decision { Allow = "allow", Deny = "deny" }
}

words! {
    /// Why access is denied: the first of these that applies.
    pub enum DenialReason {
        KeypadLocked = "keypad_locked",
        CredentialUnknown = "credential_unknown",
        CredentialSuspended = "credential_suspended",
        CredentialLost = "credential_lost",
        CredentialExpired = "credential_expired",
        CredentialReplayed = "credential_replayed",
        ClientInactive = "client_inactive",
        ClientBlocked = "client_blocked",
        LocationClosed = "location_closed",
        ZoneNotAllowed = "zone_not_allowed",
        MembershipPaused = "membership_paused",
        MembershipExpired = "membership_expired",
        MembershipMissing = "membership_missing",
        CreditsMissing = "credits_missing",
        BookingRequired = "booking_required",
        OutsideAllowedHours = "outside_allowed_hours",
        PaymentOverdue = "payment_overdue",
        FormRequired = "form_required",
        ZoneFull = "zone_full",
        Passback = "passback",
    }
}

impl DenialReason {
    /// Where several purchases deny access, the one closest to granting it is the reason: these, the farthest first.
    const NEARER: [Self; 7] = [
        Self::ZoneNotAllowed,
        Self::MembershipMissing,
        Self::MembershipExpired,
        Self::CreditsMissing,
        Self::MembershipPaused,
        Self::OutsideAllowedHours,
        Self::PaymentOverdue,
    ];

    fn nearness(self) -> usize {
        Self::NEARER.iter().position(|own| *own == self).unwrap_or(0)
    }
}

/// What grants access.
#[derive(Debug, Clone, PartialEq)]
pub enum AdmissionBasis {
    /// Something that was sold.
    Product(AdmittingProduct),
    /// A booking.
    Booking,
    /// Credits: this many more than the day's visit has taken.
    Credits(i64),
}

/// The granted access.
#[derive(Debug)]
pub struct Admission {
    /// By what.
    pub by: AdmissionBasis,
    /// Bookings that they came for.
    pub bookings: Vec<Id>,
    /// Whether they were inside already, which is noted.
    pub passback_broken: bool,
}

/// The presented credential.
#[derive(Debug, Clone)]
pub struct PresentedCredential {
    /// What it is of.
    pub credential: AccessCredential,
    /// The code, where it is one.
    pub code: Option<CodeContent>,
}

/// Minutes before the start of a booking from which it grants access.
const BEFORE_MINUTES: i64 = 30;
/// Minutes after the start until which it grants access.
const AFTER_MINUTES: i64 = 15;

/// The starts of bookings that grant access at an instant.
pub fn starts_around(at: Timestamp) -> Span {
    let minutes = |minutes: i64| minutes * 60_000;
    Span::new(at.plus_millis(-minutes(AFTER_MINUTES)), at.plus_millis(minutes(BEFORE_MINUTES)))
}

/// Whether a client is admitted at a zone. A live check knows presence and the credential's current state; a late
/// scan does not.
pub fn decide(
    cx: &mut Read,
    presented: &PresentedCredential,
    place: &ZoneContext,
    device: &Device,
    at: Timestamp,
    live: bool,
) -> Result<Verdict<Admission, DenialReason>> {
    if let Err(why) = credential(presented, at) {
        return Ok(Verdict::Refused(why));
    }
    let client = presented.credential.client_id;
    ask_ahead(cx, client, place, at, live)?;
    let presence = match live {
        true => Presence::of(cx, place, client)?,
        false => None,
    };
    if let (Some(code), Some(presence)) = (&presented.code, &presence)
        && code.step <= presence.code_step
    {
        return Ok(Verdict::Refused(DenialReason::CredentialReplayed));
    }
    if !Client::find_optional(cx, client)?.is_some_and(|client| client.is_active()) {
        return Ok(Verdict::Refused(DenialReason::ClientInactive));
    }
    if AccessBlock::of(cx, client)?.is_some() {
        return Ok(Verdict::Refused(DenialReason::ClientBlocked));
    }
    if !place.is_open(cx, at)? {
        return Ok(Verdict::Refused(DenialReason::LocationClosed));
    }
    let bookings = cx.timetable()?.expected(cx, client, place.id(), starts_around(at))?;
    let by = match entitled(cx, presented, place, at, !bookings.is_empty())? {
        Verdict::Granted(by) => by,
        Verdict::Refused(why) => return Ok(Verdict::Refused(why)),
    };
    if let Some(form) = place.zone.form_id
        && !cx.forms()?.has_answered(cx, client, form)?
    {
        return Ok(Verdict::Refused(DenialReason::FormRequired));
    }
    let (_, since) = place.day(at);
    let inside = presence.as_ref().is_some_and(|own| own.is_inside(since));
    if let (Some(most), true) = (place.zone.capacity, live)
        && presence::others(cx, place, client, since, most)? >= most
    {
        return Ok(Verdict::Refused(DenialReason::ZoneFull));
    }
    let lately = presence
        .as_ref()
        .is_some_and(|own| at < own.moved_at.plus_seconds(device.passback_minutes * 60));
    match device.passback {
        Passback::Hard if inside => Ok(Verdict::Refused(DenialReason::Passback)),
        Passback::Timed if inside && lately => Ok(Verdict::Refused(DenialReason::Passback)),
        passback => {
            let passback_broken = passback == Passback::Soft && inside;
            Ok(Verdict::Granted(Admission { by, bookings, passback_broken }))
        }
    }
}

/// Asks ahead for what the rules look at.
fn ask_ahead(
    cx: &mut Read,
    client: ClientId,
    place: &ZoneContext,
    at: Timestamp,
    live: bool,
) -> Result<()> {
    Client::ask_ahead(cx, client)?;
    AccessBlock::ask_ahead(cx, client)?;
    let (location, begins) = (place.id(), starts_around(at));
    cx.timetable()?.ask_ahead(cx, client, location, ZoneContext::instant(at), begins)?;
    if !place.zone.needs_booking {
        cx.admissions()?.ask_ahead(cx, client)?;
    }
    if live { Visit::ask_ahead(cx, place, client, at) } else { Ok(()) }
}

/// Whether the presented credential is valid.
fn credential(presented: &PresentedCredential, at: Timestamp) -> Result<(), DenialReason> {
    let own = &presented.credential;
    match own.status {
        AccessCredentialStatus::Suspended => Err(DenialReason::CredentialSuspended),
        AccessCredentialStatus::Lost => Err(DenialReason::CredentialLost),
        AccessCredentialStatus::Revoked => Err(DenialReason::CredentialExpired),
        AccessCredentialStatus::Active => {
            let early = own.valid_from.is_some_and(|from| at < from);
            let late = own.valid_until.is_some_and(|until| at >= until);
            let over = presented.code.is_some_and(|code| code.is_over);
            if early || late || over { Err(DenialReason::CredentialExpired) } else { Ok(()) }
        }
    }
}

/// What lets a client in there and then, or the nearest reason why nothing does.
fn entitled(
    cx: &mut Read,
    presented: &PresentedCredential,
    place: &ZoneContext,
    at: Timestamp,
    has_booked: bool,
) -> Result<Verdict<AdmissionBasis, DenialReason>> {
    let client = presented.credential.client_id;
    if place.zone.needs_booking {
        return Ok(if has_booked {
            Verdict::Granted(AdmissionBasis::Booking)
        } else {
            Verdict::Refused(DenialReason::BookingRequired)
        });
    }
    let mut why = match cx.admissions()?.admitting_products(cx, client, at)? {
        Verdict::Granted(ways) => match best(ways, place, at) {
            Ok(way) => return Ok(Verdict::Granted(AdmissionBasis::Product(way))),
            Err(why) => why,
        },
        Verdict::Refused(AdmissionRefusal::Paused) => DenialReason::MembershipPaused,
        Verdict::Refused(AdmissionRefusal::PastDue) => DenialReason::PaymentOverdue,
        Verdict::Refused(AdmissionRefusal::Ended | AdmissionRefusal::Used) => {
            DenialReason::MembershipExpired
        }
        Verdict::Refused(AdmissionRefusal::NotYet | AdmissionRefusal::NoProduct) => {
            DenialReason::MembershipMissing
        }
    };
    if has_booked {
        return Ok(Verdict::Granted(AdmissionBasis::Booking));
    }
    let price = place.zone.credits_per_visit;
    if price > 0 {
        let visit = Visit::of(cx, place, client, at)?;
        if visit.as_ref().is_some_and(|visit| visit.credits > 0) {
            return Ok(Verdict::Granted(AdmissionBasis::Credits(0)));
        }
        // The cost of a visit that does not exist yet is computed for an unused id.
        let id = visit.map_or(presented.credential.credential_id.0, |visit| visit.visit_id.0);
        let pools = place.zone.credit_pools.0.clone();
        let taking = BookingEntitlement { booking: id, client, units: price, pools, at };
        let quoted = cx.entitlements()?.quote(cx, &taking, &[at])?;
        let of_credits =
            quoted.iter().flatten().any(|own| own.source == EntitlementSource::Credits);
        if of_credits {
            return Ok(Verdict::Granted(AdmissionBasis::Credits(price)));
        }
        let missing = DenialReason::CreditsMissing;
        why = if missing.nearness() > why.nearness() { missing } else { why };
    }
    Ok(Verdict::Refused(why))
}

/// The first purchase that grants access there and then; otherwise the closest reason.
fn best(
    ways: Vec<AdmittingProduct>,
    place: &ZoneContext,
    at: Timestamp,
) -> Result<AdmittingProduct, DenialReason> {
    let mut nearest = DenialReason::ZoneNotAllowed;
    for way in ways {
        let why = if !is_of_place(&way.limits, place.id(), place.zone()) {
            DenialReason::ZoneNotAllowed
        } else if !is_in_hours(&way.limits.hours, place, at) {
            DenialReason::OutsideAllowedHours
        } else if way.owes && !place.zone.admits_overdue {
            DenialReason::PaymentOverdue
        } else {
            return Ok(way);
        };
        if why.nearness() > nearest.nearness() {
            nearest = why;
        }
    }
    Err(nearest)
}

/// Whether an access rule covers a zone of a location. A rule for zones does not cover the location as a whole.
pub fn is_of_place(limits: &Limits, location: LocationId, zone: &str) -> bool {
    let named = |own: &String| own.to_lowercase() == zone.to_lowercase();
    (limits.locations.is_empty() || limits.locations.contains(&location))
        && (limits.zones.is_empty() || limits.zones.iter().any(named))
}

/// When an access rule grants access within a range, by the location's clock.
pub fn hours_within(hours: &[AccessHours], place: &ZoneContext, range: Span) -> Vec<Span> {
    if hours.is_empty() {
        return vec![range];
    }
    let zone = &place.time_zone;
    let first = zone.date_at(range.start).plus_days(-1);
    let last = zone.date_at(range.end);
    let days = first.into_iter().flat_map(|first| spotter_kernel::span::dates(first, last));
    let spans = days.flat_map(|day| {
        let own = hours.iter().filter(move |own| own.weekday == day.weekday());
        own.map(move |own| own.window().on(day, zone))
    });
    spotter_kernel::span::shared(&merged(spans.collect()), &[range])
}

fn is_in_hours(hours: &[AccessHours], place: &ZoneContext, at: Timestamp) -> bool {
    !hours_within(hours, place, Span::new(at, at.plus_millis(1))).is_empty()
}
