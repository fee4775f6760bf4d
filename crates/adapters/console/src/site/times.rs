//! Appointments: kinds, and the free times of one.

use maud::{Markup, html};
use spotter_kernel::{Date, Result};

use super::{
    context::SiteContext,
    layout::{SiteView, member_link},
    pages::{instant, local},
};
use crate::api::{self, SiteTime};

/// Days of free times on one page.
const DAYS: i64 = 14;

/// `/appointments`: kinds of appointments, and the free times of the chosen one.
pub(super) fn appointments(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let kinds = cx.call(api::list_site_event_types(&cx.slug))?;
    let all: Vec<_> =
        kinds.event_types().iter().filter(|own| own.kind() == "appointment").collect();
    let wanted = cx.place.parameter("eventTypeId").to_owned();
    let chosen = all.iter().find(|own| own.event_type_id() == wanted).copied();
    let (t, name) = (cx.strings, cx.gym().name().to_owned());
    let Some(chosen) = chosen else {
        let main = html! {
            @if all.is_empty() { div.empty { p { (t.nothing_here()) } } }
            ul.offers {
                @for own in &all {
                    li {
                        h3 { (own.name()) }
                        p { (own.duration_minutes()) " min" }
                        @for line in own.description().lines() { p { (line) } }
                        a.button href=(cx.to(&format!("/appointments?eventTypeId={}", own.event_type_id()))) {
                            (t.choose_time())
                            span.hidden { " " (own.name()) }
                        }
                    }
                }
            }
        };
        return Ok(SiteView::new(t.appointments(), format!("{} · {name}", t.appointments()), main));
    };
    let today = cx.written.today();
    let first = cx.place.date("date").unwrap_or(today).max(today);
    let last = first.plus_days(DAYS).unwrap_or(first);
    let zone = cx.written.zone.clone();
    let call = api::list_site_times(&cx.slug)
        .event_type_id(&wanted)
        .coach_id(cx.place.parameter("coachId"))
        .from(first.start_in(&zone))
        .to(last.start_in(&zone));
    let answer = cx.call(call)?;
    let times: Vec<SiteTime<'_>> = answer.times().iter().collect();
    let mut dates: Vec<Date> = times.iter().map(|own| zone.date_at(own.starts_at())).collect();
    dates.dedup();
    let main = html! {
        p { a href=(cx.to("/appointments")) { (t.back()) } }
        @if times.is_empty() { div.empty { p { (t.no_times()) } } }
        @for date in dates {
            h2 { (cx.written.day(date)) }
            (of_day(cx, &wanted, times.iter().copied().filter(|own| zone.date_at(own.starts_at()) == date)))
        }
        div.buttons {
            a.button.plain href=(cx.place.with_parameters(&[("date", &last.to_string())])) { (t.later()) }
        }
    };
    Ok(SiteView::new(chosen.name(), format!("{} · {name}", chosen.name()), main))
}

/// The times of a day. The same time with several coaches is shown once.
fn of_day<'a>(
    cx: &SiteContext<'_, '_>,
    kind: &str,
    times: impl Iterator<Item = SiteTime<'a>>,
) -> Markup {
    let mut shown: Vec<SiteTime<'a>> = Vec::new();
    for own in times {
        if shown.last().is_none_or(|last| last.starts_at() != own.starts_at()) {
            shown.push(own);
        }
    }
    html! {
        div.buttons {
            @for own in shown {
                @let at = instant(own.starts_at());
                @let label = local(cx, own.time_zone()).time(own.starts_at());
                @if cx.is_open() {
                    a.button.plain
                        rel="nofollow"
                        href=(cx.to(&format!("/join?eventTypeId={kind}&at={at}&coachId={}", own.coach_id())))
                    { (label) }
                } @else {
                    a.button.plain rel="nofollow" href=(member_link("/my/book")) { (label) }
                }
            }
        }
    }
}
