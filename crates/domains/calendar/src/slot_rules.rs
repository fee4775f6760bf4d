//! The offer: possible starts, and why one cannot be booked. One function lists them and checks them when a booking
//! is committed, so that exactly the listed slots can be booked. Needs no database.

use std::collections::BTreeSet;

use spotter_kernel::{Date, TimeZone, Timestamp};

use crate::{
    hours::{Opening, Span},
    vocabulary::UnavailableReason,
};

/// The duration of a booking, and the time within which it can be made.
#[derive(Clone, Copy, Debug)]
pub struct BookingTerms {
    /// Duration.
    pub minutes: i64,
    /// The grid of the starts, from the start of a window on.
    pub interval: i64,
    /// Minutes that its coach needs before it.
    pub before: i64,
    /// Minutes that its coach needs after it.
    pub after: i64,
    /// The first start that can still be booked.
    pub earliest: Timestamp,
    /// The first start that cannot be booked yet.
    pub latest: Option<Timestamp>,
}

/// The availability of a coach and a location; each list of spans is in order and without overlaps.
#[derive(Clone, Debug)]
pub struct CoachSupply<'s> {
    /// The zone of the windows.
    pub zone: &'s TimeZone,
    /// When the coach works there.
    pub openings: &'s [Opening],
    /// The location's open times; always open without a location.
    pub place: Option<&'s [Span]>,
    /// Closed times.
    pub closed: &'s [Span],
    /// When the coach is busy.
    pub busy: &'s [Span],
    /// When the place holds no further event.
    pub crowded: &'s [Span],
    /// Times when the client has another booking.
    pub client: &'s [Span],
    /// The dates on which the coach has reached the daily limit of the type.
    pub full_dates: &'s BTreeSet<Date>,
}

/// A start, and what speaks against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedStart {
    /// Start and end.
    pub span: Span,
    /// Empty where it can be booked.
    pub reasons: Vec<UnavailableReason>,
}

/// Whether one of the spans shares an instant with this one.
pub fn meets(spans: &[Span], with: &Span) -> bool {
    let next = spans.partition_point(|span| span.end <= with.start);
    spans.get(next).is_some_and(|span| span.overlaps(with))
}

/// Every start of the range, in order, each once.
pub fn offer(terms: &BookingTerms, supply: &CoachSupply<'_>, range: Span) -> Vec<CheckedStart> {
    let mut found = Vec::new();
    for opening in supply.openings.iter().filter(|opening| opening.span.overlaps(&range)) {
        for start in opening.starts(terms.interval, terms.minutes, supply.zone) {
            if range.start <= start && start < range.end {
                let span = Span::from_minutes(start, terms.minutes);
                // By the date that it is then, whichever date its window belongs to.
                let full = !supply.full_dates.is_empty()
                    && supply.full_dates.contains(&supply.zone.date_at(start));
                found.push(CheckedStart { span, reasons: against(terms, supply, span, full) });
            }
        }
    }
    found.sort_by_key(|offered| (offered.span, offered.reasons.len()));
    found.dedup_by_key(|offered| offered.span);
    found
}

fn against(
    terms: &BookingTerms,
    supply: &CoachSupply<'_>,
    span: Span,
    full_date: bool,
) -> Vec<UnavailableReason> {
    let within = |place: &[Span]| {
        let next = place.partition_point(|open| open.end <= span.start);
        place.get(next).is_some_and(|open| open.holds(&span))
    };
    let shut = meets(supply.closed, &span) || supply.place.is_some_and(|place| !within(place));
    let busy = meets(supply.busy, &span.widened(terms.before, terms.after));
    let reasons = [
        (shut, UnavailableReason::Closed),
        (busy, UnavailableReason::CoachBusy),
        (meets(supply.crowded, &span), UnavailableReason::LocationBusy),
        (span.start < terms.earliest, UnavailableReason::Notice),
        (terms.latest.is_some_and(|latest| span.start >= latest), UnavailableReason::Window),
        (full_date, UnavailableReason::DailyLimit),
        (meets(supply.client, &span), UnavailableReason::ClientBusy),
    ];
    reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::text::WallTime;

    use super::*;
    use crate::hours::{Window, merged};

    fn time(minutes: i64) -> WallTime {
        WallTime::parse(&format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)).unwrap()
    }

    proptest! {
        /// Each reason equals what a check of every minute of the span finds.
        #[test]
        fn reasons_are_those_that_a_walk_finds(
            zone in prop::sample::select(vec!["Europe/Amsterdam", "America/St_Johns", "UTC"]),
            day in 0_i64..1_096, opens in 0_i64..1_440, closes in 0_i64..1_440,
            minutes in prop::sample::select(vec![15_i64, 45, 60]),
            buffers in (0_i64..30, 0_i64..30),
            busy in prop::collection::vec((0_i64..2_880, 5_i64..200), 0..6),
            open in prop::collection::vec((0_i64..2_880, 60_i64..900), 0..4),
            notice in 0_i64..2_880,
        ) {
            let zone = TimeZone::parse(zone).unwrap();
            let date = Date::parse("2025-01-01").unwrap().plus_days(day).unwrap();
            let midnight = date.start_in(&zone);
            let spans = |list: Vec<(i64, i64)>| merged(list.into_iter()
                .map(|(from, long)| Span::from_minutes(midnight.plus_millis(from * 60_000), long)).collect());
            let (busy, open) = (spans(busy), spans(open));
            let openings = [Opening::of(&Window { start: time(opens), end: time(closes) }, date, &zone)];
            let terms = BookingTerms { minutes, interval: 15, before: buffers.0, after: buffers.1,
                earliest: midnight.plus_millis(notice * 60_000), latest: None };
            let supply = CoachSupply { zone: &zone, openings: &openings, place: Some(&open), closed: &[],
                busy: &busy, crowded: &[], client: &[], full_dates: &BTreeSet::new() };
            let range = Span::new(midnight, midnight.plus_days(2));
            for CheckedStart { span, reasons } in offer(&terms, &supply, range) {
                let every = |span: Span, test: &dyn Fn(Span) -> bool| (0..)
                    .map(|n| Span::from_minutes(span.start.plus_millis(n * 60_000), 1))
                    .take_while(|minute| minute.start < span.end).all(test);
                let inside = every(span, &|minute| open.iter().any(|open| open.holds(&minute)));
                let free = every(span.widened(buffers.0, buffers.1),
                    &|minute| !busy.iter().any(|busy| busy.overlaps(&minute)));
                prop_assert_eq!(reasons.contains(&UnavailableReason::Closed), !inside);
                prop_assert_eq!(reasons.contains(&UnavailableReason::CoachBusy), !free);
                prop_assert_eq!(reasons.contains(&UnavailableReason::Notice), span.start < terms.earliest);
                prop_assert!(openings[0].span.holds(&span));
            }
        }
    }
}
