//! Whether somebody may come in: the rules in one order, of which the first that fails is the reason.

use spotter_contract::{
    Read,
    admission::{AccessHours, AdmittingProduct, Limits, Refusal},
    entitlement::{BookingEntitlement, EntitlementSource},
};
use spotter_devices::{Device, device::Passback};
use spotter_kernel::{
    Id, Result, Timestamp, Verdict,
    id::LocationId,
    span::{Span, merged},
};
use spotter_people::clients::Client;
use spotter_store::words;

use crate::{
    block::AccessBlock,
    code::Code,
    credential::{AccessCredential, AccessCredentialStatus},
    presence::{self, Presence},
    visit::Visit,
    zone_context::ZoneContext,
};

words! {
    /// What becomes of a scan.
    pub enum Decision { Allow = "allow", Deny = "deny" }
}

words! {
    /// Why somebody is not let in: the first of these that holds.
    pub enum Reason {
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

impl Reason {
    /// Of several ways in that are closed, the one that is nearest to being open says why: these, the farthest
    /// first.
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

/// What lets somebody in.
#[derive(Debug, Clone, PartialEq)]
pub enum AdmissionBasis {
    /// Something that was sold.
    Product(AdmittingProduct),
    /// A booking.
    Booking,
    /// Credits: so many more than the day's visit has taken.
    Credits(i64),
}

/// Who is let in.
#[derive(Debug)]
pub struct Admission {
    /// By what.
    pub by: AdmissionBasis,
    /// Bookings that they came for.
    pub bookings: Vec<Id>,
    /// Whether they were inside already, which is noted.
    pub passback_broken: bool,
}

/// What was shown at a door.
#[derive(Debug, Clone)]
pub struct PresentedCredential {
    /// What it is of.
    pub credential: AccessCredential,
    /// The code, where it is one.
    pub code: Option<Code>,
}

/// Somebody may come in from so many minutes before the start of what they have booked,
const BEFORE_MINUTES: i64 = 30;
/// until so many after it.
const AFTER_MINUTES: i64 = 15;

/// The starts of bookings that let in at an instant.
pub fn starts_around(at: Timestamp) -> Span {
    let minutes = |minutes: i64| minutes * 60_000;
    Span::new(at.plus_millis(-minutes(AFTER_MINUTES)), at.plus_millis(minutes(BEFORE_MINUTES)))
}

/// Whether a client is let in at a place. A device that asks now has it kept who is inside and what was shown; of what
/// is told later that is not known any more.
pub fn decide(
    cx: &mut Read,
    presented: &PresentedCredential,
    (place, device): (&ZoneContext, &Device),
    at: Timestamp,
    live: bool,
) -> Result<Verdict<Admission, Reason>> {
    if let Err(why) = credential(presented, at) {
        return Ok(Verdict::Refused(why));
    }
    let client = presented.credential.client_id;
    let presence = match live {
        true => Presence::of(cx, place, client)?,
        false => None,
    };
    if let (Some(code), Some(presence)) = (&presented.code, &presence)
        && code.step <= presence.code_step
    {
        return Ok(Verdict::Refused(Reason::CredentialReplayed));
    }
    if !Client::find_optional(cx, client)?.is_some_and(|client| client.is_active()) {
        return Ok(Verdict::Refused(Reason::ClientInactive));
    }
    if AccessBlock::of(cx, client)?.is_some() {
        return Ok(Verdict::Refused(Reason::ClientBlocked));
    }
    if !place.is_open(cx, at)? {
        return Ok(Verdict::Refused(Reason::LocationClosed));
    }
    let bookings = cx.timetable()?.expected(cx, client, place.id(), starts_around(at))?;
    let by = match entitled(cx, presented, place, at, !bookings.is_empty())? {
        Verdict::Granted(by) => by,
        Verdict::Refused(why) => return Ok(Verdict::Refused(why)),
    };
    if let Some(form) = place.zone.form_id
        && !cx.forms()?.has_answered(cx, client, form)?
    {
        return Ok(Verdict::Refused(Reason::FormRequired));
    }
    let (_, since) = place.day(at);
    let inside = presence.as_ref().is_some_and(|own| own.is_inside(since));
    if let (Some(most), true) = (place.zone.capacity, live)
        && presence::others(cx, place, client, since, most)? >= most
    {
        return Ok(Verdict::Refused(Reason::ZoneFull));
    }
    let lately = presence
        .as_ref()
        .is_some_and(|own| at < own.moved_at.plus_seconds(device.passback_minutes * 60));
    match device.passback {
        Passback::Hard if inside => Ok(Verdict::Refused(Reason::Passback)),
        Passback::Timed if inside && lately => Ok(Verdict::Refused(Reason::Passback)),
        passback => {
            let passback_broken = passback == Passback::Soft && inside;
            Ok(Verdict::Granted(Admission { by, bookings, passback_broken }))
        }
    }
}

/// Whether what was shown is good at all.
fn credential(presented: &PresentedCredential, at: Timestamp) -> Result<(), Reason> {
    let own = &presented.credential;
    match own.status {
        AccessCredentialStatus::Suspended => Err(Reason::CredentialSuspended),
        AccessCredentialStatus::Lost => Err(Reason::CredentialLost),
        AccessCredentialStatus::Revoked => Err(Reason::CredentialExpired),
        AccessCredentialStatus::Active => {
            let early = own.valid_from.is_some_and(|from| at < from);
            let late = own.valid_until.is_some_and(|until| at >= until);
            let over = presented.code.is_some_and(|code| code.is_over);
            if early || late || over { Err(Reason::CredentialExpired) } else { Ok(()) }
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
) -> Result<Verdict<AdmissionBasis, Reason>> {
    let client = presented.credential.client_id;
    if place.zone.needs_booking {
        return Ok(if has_booked {
            Verdict::Granted(AdmissionBasis::Booking)
        } else {
            Verdict::Refused(Reason::BookingRequired)
        });
    }
    let mut why = match cx.admissions()?.admitting_products(cx, client, at)? {
        Verdict::Granted(ways) => match best(ways, place, at) {
            Ok(way) => return Ok(Verdict::Granted(AdmissionBasis::Product(way))),
            Err(why) => why,
        },
        Verdict::Refused(Refusal::Paused) => Reason::MembershipPaused,
        Verdict::Refused(Refusal::PastDue) => Reason::PaymentOverdue,
        Verdict::Refused(Refusal::Ended | Refusal::Used) => Reason::MembershipExpired,
        Verdict::Refused(Refusal::NotYet | Refusal::NoProduct) => Reason::MembershipMissing,
    };
    if has_booked {
        return Ok(Verdict::Granted(AdmissionBasis::Booking));
    }
    let request = place.zone.credits_per_visit;
    if request > 0 {
        let visit = Visit::of(cx, place, client, at)?;
        if visit.as_ref().is_some_and(|visit| visit.credits > 0) {
            return Ok(Verdict::Granted(AdmissionBasis::Credits(0)));
        }
        // What a visit that is not there yet would take is asked under an id that nothing has.
        let id = visit.map_or(presented.credential.credential_id.0, |visit| visit.visit_id.0);
        let pools = place.zone.credit_pools.0.clone();
        let taking = BookingEntitlement { booking: id, client, units: request, pools, at };
        let quoted = cx.entitlements()?.quote(cx, &taking, &[at])?;
        let of_credits =
            quoted.iter().flatten().any(|own| own.source == EntitlementSource::Credits);
        if of_credits {
            return Ok(Verdict::Granted(AdmissionBasis::Credits(request)));
        }
        let missing = Reason::CreditsMissing;
        why = if missing.nearness() > why.nearness() { missing } else { why };
    }
    Ok(Verdict::Refused(why))
}

/// Of what was sold, the first that lets in there and then; otherwise the reason that is nearest to it.
fn best(
    ways: Vec<AdmittingProduct>,
    place: &ZoneContext,
    at: Timestamp,
) -> Result<AdmittingProduct, Reason> {
    let mut nearest = Reason::ZoneNotAllowed;
    for way in ways {
        let why = if !is_of_place(&way.limits, place.id(), place.zone()) {
            Reason::ZoneNotAllowed
        } else if !is_in_hours(&way.limits.hours, place, at) {
            Reason::OutsideAllowedHours
        } else if way.owes && !place.zone.admits_overdue {
            Reason::PaymentOverdue
        } else {
            return Ok(way);
        };
        if why.nearness() > nearest.nearness() {
            nearest = why;
        }
    }
    Err(nearest)
}

/// Whether something lets in at a zone of a location. What is limited to zones does not let in to a location as a
/// whole.
pub fn is_of_place(limits: &Limits, location: LocationId, zone: &str) -> bool {
    let named = |own: &String| own.to_lowercase() == zone.to_lowercase();
    (limits.locations.is_empty() || limits.locations.contains(&location))
        && (limits.zones.is_empty() || limits.zones.iter().any(named))
}

/// When something lets in within a range, by the clock of the place.
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
