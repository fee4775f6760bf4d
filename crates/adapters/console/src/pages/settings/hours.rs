//! The hours of a week: when a location is open, or when and where a coach works.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
    },
};

/// Ranges that a page offers for a day of a week.
const SHIFTS: usize = 3;

/// From when to when something is, in words where that is the day after.
pub(super) fn range(cx: &PageContext<'_, '_>, hours: &Value, [from, until]: [&str; 2]) -> String {
    let (from, until) = (hours.text(from), hours.text(until));
    match until <= from && until != "00:00" {
        true => format!("{from}–{until} ({})", cx.strings.the_day_after()),
        false => format!("{from}–{until}"),
    }
}

/// The names of the places that hours are bound to.
pub(super) fn at<'p>(
    hours: &Value,
    places: &'p [(String, String)],
) -> impl Iterator<Item = &'p str> {
    let bound = hours.list("locationIds").to_vec();
    let is_bound = move |id: &str| bound.iter().any(|own| own == id);
    places.iter().filter(move |(id, _)| is_bound(id)).map(|(_, name)| name.as_str())
}

/// The form of a week's hours: up to three ranges a day, each at one of some places where there are several; a day that
/// is left empty has none.
pub(super) fn week_of(
    cx: &PageContext<'_, '_>,
    form: Form<'_>,
    (weekly, [from, until]): (&[Value], [&'static str; 2]),
    places: &[(String, String)],
) -> Markup {
    let t = cx.strings;
    let fields = html! {
        @for day in 1..=7 {
            @let own: Vec<&Value> = weekly.iter().filter(|hours| hours.int("weekday") == day).collect();
            fieldset.field {
                legend { (t.weekday(day)) }
                // All that there are, and one more.
                @for shift in 0..own.len().max(SHIFTS.min(own.len() + 1)) {
                    @let hours = own.get(shift);
                    @let name = |part: &str| format!("-hours.{day}.{shift}.{part}");
                    // What was typed stands where the form comes back.
                    @let typed = |part: &str| cx.entered.value(&name(part));
                    @let time = |part: &str, word: &str| html! {
                        label { span.quiet { (word) }
                            input type="time" name=(name(part)) value=(typed(part).or(hours.map(|hours| hours.text(part))).unwrap_or_default());
                        }
                    };
                    @let ranges = html! {
                        div.fields {
                            (time(from, t.from())) (time(until, t.until()))
                            @if places.len() > 1 {
                                @let bound = typed("locationIds").or(hours.map(|hours| hours.text("locationIds.0"))).unwrap_or_default();
                                label { span.quiet { (t.location()) }
                                    select name=(name("locationIds")) {
                                        option value="" { (t.anywhere()) }
                                        @for (id, label) in places { option value=(id) selected[id == bound] { (label) } }
                                    }
                                }
                            }
                        }
                    };
                    // A second and a third are behind a word, until there is one.
                    @if shift == 0 || hours.is_some() || typed(from).is_some_and(|time| !time.is_empty()) { (ranges) } @else { (disclosure(t.another_range(), ranges)) }
                }
            }
        }
    };
    form.content(fields).send(t.save())
}
