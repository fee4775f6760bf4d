//! The calendar: coaches' hours, what can be booked, and bookings.
//!
//! Without database access: the words ([`vocabulary`]), hours as instants ([`hours`]), busy time ([`busy`]), which starts can be
//! booked ([`slot_rules`]), slot tokens ([`token`]), recurrences ([`recurrence`], [`series`]) and iCalendar ([`ical`]).
//!
//! - When: [`availability`], [`closures`], [`closed_events`], [`days`].
//! - What: [`types`], [`templates`], [`events`], [`classes`], [`class_series`], [`tasks`], [`slots`], [`slot_search`].
//! - Who: [`booking`], [`create`], [`bookings`], [`rescheduling`], [`cancellation`], [`waitlist`], [`requests`], [`attendance`],
//!   [`seat_holds`], [`seats`],//!   [`recurring_bookings`], [`series_changes`].
//! - For others: [`feeds`], [`site`], [`client_summaries`], [`visits`], [`no_shows`], [`notice`], [`booking_letters`], [`entries`], [`access_control`], [`metrics`], [`privacy`].

pub mod access_control;
pub mod attendance;
pub mod availability;
pub mod booking;
mod booking_bulk;
mod booking_letters;
pub mod bookings;
pub mod busy;
pub mod cancellation;
pub mod class_series;
pub mod classes;
mod client_summaries;
mod closed_events;
pub mod closures;
pub mod create;
pub mod days;
mod effects;
pub mod entries;
pub mod events;
pub mod feeds;
pub mod hours;
pub mod ical;
mod metrics;
mod no_shows;
pub mod notice;
mod permissions;
pub mod policy;
mod privacy;
pub mod recurrence;
pub mod recurring_bookings;
pub mod requests;
pub mod rescheduling;
mod rules;
pub mod seat_holds;
pub mod seats;
pub mod series;
pub mod series_changes;
mod site;
pub mod slot_rules;
pub mod slot_search;
pub mod slots;
pub mod tasks;
pub mod templates;
pub mod token;
pub mod types;
mod visits;
pub mod vocabulary;
pub mod waitlist;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    let rooms = [
        (
            "Availability",
            vec![
                availability::area(),
                closed_events::area(),
                closures::area(),
                days::area(),
                slots::area(),
            ],
        ),
        ("Event types", vec![types::area(), templates::area()]),
        ("Calendar", vec![events::area(), classes::area(), class_series::area(), tasks::area()]),
        (
            "Bookings",
            vec![
                booking::area(),
                privacy::area(),
                bookings::area(),
                rescheduling::area(),
                cancellation::area(),
                attendance::area(),
                booking_bulk::area(),
                no_shows::area(),
                notice::area(),
                booking_letters::area(),
                client_summaries::area(),
                visits::area(),
                access_control::area(),
                metrics::area(),
            ],
        ),
        ("Public site", vec![site::area(), seat_holds::area(), seats::area()]),
        ("Recurring bookings", vec![recurring_bookings::area(), series_changes::area()]),
        ("Calendar feeds", vec![feeds::area()]),
        ("Booking requests", vec![requests::area(), waitlist::area()]),
    ];
    Area::join(rooms.map(|(heading, chapters)| Area::join(chapters).tagged(heading)))
}
