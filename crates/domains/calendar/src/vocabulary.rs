//! The words of the calendar, and the ids of its records.

use spotter_kernel::{Phrase, id_type, span::Span};
use spotter_store::{stored_ids, words};

use crate::rules::CalendarRule;

/// The minutes that a coach needs around an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buffers {
    /// Before its start.
    pub before: i64,
    /// After its end.
    pub after: i64,
}

impl Buffers {
    /// A span with the minutes around it.
    pub fn around(self, span: Span) -> Span {
        span.widened(self.before, self.after)
    }
}

/// The result of placing something in the calendar.
#[derive(Debug)]
pub enum Placement<T> {
    /// It could be placed.
    Placed(T),
    /// It cannot be scheduled, for these reasons; nothing was changed.
    Blocked(Vec<UnavailableReason>),
}

impl<T> Placement<T> {
    /// Whether it could be placed.
    pub const fn is_placed(&self) -> bool {
        matches!(self, Self::Placed(_))
    }
}

id_type!(
    /// The bookable times.
    EventTypeId,
    RequestInvalid,
    EventTypeNotFound
);
id_type!(
    /// Defaults for classes.
    EventTemplateId,
    RequestInvalid,
    EventTemplateNotFound
);
id_type!(
    /// Something that takes place: an appointment or a class.
    CalendarEventId,
    InvalidCalendarEventId
);
id_type!(
    /// A client's place at an event, or in the line for one.
    BookingId,
    RequestInvalid
);
id_type!(
    /// A booking that waits for a coach's word.
    BookingRequestId,
    InvalidBookingRequestId,
    BookingRequestNotFound
);
id_type!(
    /// A client's bookings of a weekly pattern.
    RecurringBookingId,
    RequestInvalid
);
id_type!(
    /// Classes of a recurrence.
    EventSeriesId,
    RequestInvalid
);
id_type!(
    /// A secret address of a calendar.
    CalendarFeedId,
    RequestInvalid
);
id_type!(
    /// Work of a coach at a time.
    CalendarTaskId,
    RequestInvalid
);
id_type!(
    /// A closure.
    AvailabilityRuleId,
    RequestInvalid
);
stored_ids!(
    EventTypeId EventTemplateId CalendarEventId EventSeriesId BookingId BookingRequestId
    RecurringBookingId CalendarTaskId AvailabilityRuleId CalendarFeedId
);

words! {
    /// An appointment is made for the one who books it; a class takes place, and is joined.
    pub enum EventKind { Appointment = "appointment", Class = "class" }
}

words! {
    /// Whether something is offered.
    pub enum OfferStatus { Active = "active", Archived = "archived" }
}

words! {
    /// Whether something takes place.
    pub enum EventStatus { Scheduled = "scheduled", Cancelled = "cancelled" }
}

words! {
    /// The status of a booking: *booked* has a seat, *waitlisted* is on the waiting list, *offered* has a seat
    /// reserved until it is accepted or the offer lapses.
    pub enum BookingStatus {
        Booked = "booked",
        Waitlisted = "waitlisted",
        Offered = "offered",
        Cancelled = "cancelled",
    }
}

impl BookingStatus {
    /// Whether it takes a seat of its event.
    pub const fn has_seat(self) -> bool {
        matches!(self, Self::Booked | Self::Offered)
    }

    /// Whether it is still active.
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Cancelled)
    }
}

words! { else InvalidAttendanceStatus;
    /// The attendance of a booked seat.
    pub enum AttendanceStatus {
        Expected = "expected",
        Attended = "attended",
        NoShow = "no_show",
        Excused = "excused",
    }
}

words! {
    /// Who cancelled.
    pub enum CancelledBy { Client = "client", Coach = "coach", Company = "company", System = "system" }
}

words! {
    /// Whether a cancellation kept to the policy that was taken with the booking.
    pub enum CancellationTiming { Early = "early", Late = "late" }
}

words! { else InvalidCancellationTiming;
    /// How a cancellation is to be treated: by the clock, or as staff say.
    pub enum RequestedTiming { Auto = "auto", Early = "early", Late = "late" }
}

words! { else InvalidCapacityAction;
    /// What to do where an event is full: refuse, wait in line, or take one more than there are seats.
    pub enum CapacityAction { Reject = "reject", Waitlist = "waitlist", Overbook = "overbook" }
}

words! { else InvalidCapacityAction;
    /// What happens to a seat that a cancellation frees: it goes to the waiting list, or stays free.
    pub enum FreedSeat { Promote = "promote", Release = "release" }
}

words! {
    /// How a waiting list is promoted: not at all, automatically, or by offers that must be accepted.
    pub enum WaitlistMode { Off = "off", Auto = "auto", Offer = "offer" }
}

words! { else InvalidBookingRequestStatus;
    /// The status of a booking request.
    pub enum BookingRequestStatus { Pending = "pending", Approved = "approved", Rejected = "rejected" }
}

words! {
    /// Why a booking request was rejected.
    pub enum RejectionCause {
        Coach = "coach",
        Expired = "expired",
        Withdrawn = "withdrawn",
        SlotGone = "slot_gone",
    }
}

words! {
    /// The target of a closure.
    pub enum AppliesTo { Company = "company", Location = "location", Coach = "coach" }
}

words! {
    /// Why a start cannot be booked.
    pub enum UnavailableReason {
        Notice = "notice",
        Window = "window",
        Full = "full",
        CoachBusy = "coach_busy",
        LocationBusy = "location_busy",
        Closed = "closed",
        DailyLimit = "daily_limit",
        ClientBusy = "client_busy",
        AlreadyBooked = "already_booked",
        NotEntitled = "not_entitled",
    }
}

impl UnavailableReason {
    /// Whether the time is taken or closed, so that a list of slots leaves it out.
    pub const fn is_taken(self) -> bool {
        matches!(self, Self::CoachBusy | Self::LocationBusy | Self::Closed)
    }

    /// The refusal of a booking for this reason, the first of all of them.
    pub fn refusal(self, all: &str) -> Phrase {
        let all = all.to_owned();
        Phrase::from(match self {
            Self::Notice => CalendarRule::SlotTooSoon { all },
            Self::Window => CalendarRule::SlotTooFar { all },
            Self::Full => CalendarRule::SlotFull { all },
            Self::CoachBusy => CalendarRule::SlotCoachBusy { all },
            Self::LocationBusy => CalendarRule::SlotLocationBusy { all },
            Self::Closed => CalendarRule::SlotClosed { all },
            Self::DailyLimit => CalendarRule::SlotDailyLimit { all },
            Self::ClientBusy => CalendarRule::SlotClientBusy { all },
            Self::AlreadyBooked => CalendarRule::SlotBooked { all },
            Self::NotEntitled => CalendarRule::SlotNotEntitled { all },
        })
    }
}
