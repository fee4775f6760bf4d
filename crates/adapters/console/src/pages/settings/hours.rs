//! The hours of a week: when a location is open, or when and where a coach works.

use maud::{Markup, html};

use crate::{
    api::List,
    page_context::PageContext,
    parts::fields::{Form, disclosure},
};

/// Ranges that a page offers for a day of a week.
const SHIFTS: usize = 3;

/// A range of a weekday, from a time to a time.
pub(super) struct TimeRange<'r> {
    pub(super) weekday: i64,
    pub(super) from: &'r str,
    pub(super) until: &'r str,
    /// The location that it is bound to; empty where there is none.
    pub(super) location: &'r str,
}

/// A range as text, with a word where it ends on the next day.
pub(super) fn range(cx: &PageContext<'_, '_>, from: &str, until: &str) -> String {
    match until <= from && until != "00:00" {
        true => format!("{from}–{until} ({})", cx.strings.the_day_after()),
        false => format!("{from}–{until}"),
    }
}

/// The names of the locations with some ids.
pub(super) fn places_of<'p>(
    ids: List<'p, &'p str>,
    places: &'p [(String, String)],
) -> impl Iterator<Item = &'p str> {
    places.iter().filter(move |(id, _)| ids.contains(id)).map(|(_, name)| name.as_str())
}

/// The form of a week's hours: up to three ranges a day, each at one of some places where there are several; a day that
/// is left empty has none.
pub(super) fn week_of(
    cx: &PageContext<'_, '_>,
    form: Form<'_>,
    [from, until]: [&'static str; 2],
    weekly: &[TimeRange<'_>],
    places: &[(String, String)],
) -> Markup {
    let t = cx.strings;
    let fields = html! {
        @for day in 1..=7 {
            @let own: Vec<_> = weekly.iter().filter(|hours| hours.weekday == day).collect();
            fieldset.field {
                legend { (t.weekday(day)) }
                // All that there are, and one more.
                @for shift in 0..own.len().max(SHIFTS.min(own.len() + 1)) {
                    @let hours = own.get(shift).copied();
                    @let name = |part: &str| format!("-hours.{day}.{shift}.{part}");
                    // Entered values are kept when the form returns.
                    @let typed = |part: &str| cx.entered.value(&name(part));
                    @let time = |part: &str, known: Option<&str>, word: &str| {
                        html! {
                            label {
                                span.quiet { (word) }
                                input
                                    type="time"
                                    name=(name(part))
                                    value=(typed(part).or(known).unwrap_or_default());
                            }
                        }
                    };
                    @let ranges = html! {
                        div.fields {
                            (time(from, hours.map(|hours| hours.from), t.from()))
                            (time(until, hours.map(|hours| hours.until), t.until()))
                            @if places.len() > 1 {
                                @let bound = typed("locationIds")
                                    .or(hours.map(|hours| hours.location))
                                    .unwrap_or_default();
                                label {
                                    span.quiet { (t.location()) }
                                    select name=(name("locationIds")) {
                                        option value="" { (t.anywhere()) }
                                        @for (id, label) in places {
                                            option value=(id) selected[id == bound] { (label) }
                                        }
                                    }
                                }
                            }
                        }
                    };
                    // A second and a third are behind a word, until there is one.
                    @if shift == 0
                        || hours.is_some()
                        || typed(from).is_some_and(|time| !time.is_empty())
                    {
                        (ranges)
                    } @else {
                        (disclosure(t.another_range(), ranges))
                    }
                }
            }
        }
    };
    form.content(fields).send(t.save())
}
