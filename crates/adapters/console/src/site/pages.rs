//! What strangers read: who the gym is, the timetable, a class, the coaches.

use maud::{Markup, html};
use spotter_kernel::{Date, Result, Timestamp};

use super::{
    context::SiteContext,
    layout::{SiteView, member_link},
    picture, structured_data,
};
use crate::{
    api::{self, SiteClass, SiteLocation},
    parts::{cancellation, format::Format},
};

/// Days of the timetable on one page.
const WEEK: i64 = 7;
/// Classes on the first page.
const NEXT: usize = 6;

/// The format of times where a class is held.
pub(super) fn local(cx: &SiteContext<'_, '_>, zone: &str) -> Format {
    let zone = spotter_kernel::TimeZone::parse(zone).unwrap_or_else(|| cx.written.zone.clone());
    Format { zone, ..cx.written.clone() }
}

/// `/`: who the gym is, its next classes, where it is and when it is open.
pub(super) fn home(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let now = cx.written.now;
    let call = api::list_site_classes(&cx.slug).from(now).to(now.plus_days(WEEK));
    let answer = cx.call(call)?;
    let next: Vec<SiteClass<'_>> =
        answer.classes().iter().filter(|own| own.bookable()).take(NEXT).collect();
    let (t, gym) = (cx.strings, cx.gym());
    let tagline = cx.localized(gym.tagline());
    let about = cx.localized(gym.about());
    let main = html! {
        @if !next.is_empty() {
            section aria-labelledby="next" {
                h2 #next { (t.next_classes()) }
                (lessons(cx, &next, true))
                p { a href=(cx.to("/timetable")) { (t.whole_timetable()) } }
            }
        }
        div.two {
            @if !about.is_empty() {
                section aria-labelledby="about" {
                    h2 #about { (t.about()) }
                    @for line in about.lines().filter(|line| !line.trim().is_empty()) { p { (line) } }
                }
            }
            @for location in gym.locations().iter().filter(|own| !own.is_online()) {
                (place(cx, location))
            }
        }
    };
    let hero = html! {
        div.face {
            @if !gym.cover_id().is_empty() { img src=(picture::address(cx, gym.cover_id())) alt=""; }
            div.words {
                h1 { (gym.name()) }
                @if !tagline.is_empty() { p { (tagline) } }
                div.buttons {
                    @if cx.is_open() { a.button href=(cx.to("/join")) { (t.join()) } }
                    a.button.plain href=(cx.to("/timetable")) { (t.timetable()) }
                }
            }
        }
    };
    let description = if tagline.is_empty() { about.chars().take(160).collect() } else { tagline };
    let facts = vec![structured_data::gym(cx)];
    Ok(SiteView { hero, ..SiteView::new("", description, main).with_facts(facts) })
}

/// A location: where it is, and when it is open.
fn place(cx: &SiteContext<'_, '_>, location: SiteLocation<'_>) -> Markup {
    let (t, hours) = (cx.strings, location.opening_hours());
    html! {
        section {
            h2 { (location.name()) }
            @if let Some(address) = location.address() {
                p {
                    (address.line1()) br;
                    @if !address.line2().is_empty() { (address.line2()) br; }
                    (address.postal_code()) " " (address.city())
                }
            }
            @if !location.phone().is_empty() {
                p { a href={ "tel:" (location.phone().replace(' ', "")) } { (location.phone()) } }
            }
            @if !hours.is_empty() {
                h3 { (t.opening_hours()) }
                dl.open-hours {
                    @for weekday in 1..=7 {
                        @let of_day: Vec<_> = hours.iter().filter(|own| own.weekday() == weekday).collect();
                        dt { (t.weekday(weekday)) }
                        dd {
                            @if of_day.is_empty() { (t.closed()) }
                            @for (at, own) in of_day.iter().enumerate() {
                                @if at > 0 { ", " }
                                (own.opens()) "–" (own.closes())
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `/timetable`: the classes of seven days, by location, kind and coach.
pub(super) fn timetable(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let today = cx.written.today();
    let first = cx.place.date("date").unwrap_or(today).max(today);
    // Who asks for one day alone sees that.
    let of_day = cx.place.date("day").filter(|day| *day >= today);
    let first = of_day.unwrap_or(first);
    let days = if of_day.is_some() { 1 } else { WEEK };
    let last = first.plus_days(days).unwrap_or(first);
    let zone = cx.written.zone.clone();
    let (coach, location, kind) = (
        cx.place.parameter("coachId").to_owned(),
        cx.place.parameter("locationId").to_owned(),
        cx.place.parameter("eventTypeId").to_owned(),
    );
    let call = api::list_site_classes(&cx.slug)
        .from(first.start_in(&zone))
        .to(last.start_in(&zone))
        .coach_id(&coach)
        .location_id(&location)
        .event_type_id(&kind);
    let answer = cx.call(call)?;
    let kinds = cx.call(api::list_site_event_types(&cx.slug))?;
    let coaches = cx.call(api::list_site_coaches(&cx.slug))?;
    let all: Vec<SiteClass<'_>> = answer.classes().iter().collect();
    let (t, gym) = (cx.strings, cx.gym());
    let dates: Vec<Date> = (0..days).filter_map(|day| first.plus_days(day)).collect();
    let main = html! {
        form.filters method="get" {
            (choice("locationId", t.location(), t.all_locations(), &location,
                gym.locations().iter().map(|own| (own.location_id(), own.name()))))
            (choice("eventTypeId", t.kind(), t.all_classes(), &kind,
                kinds.event_types().iter().filter(|own| own.kind() == "class").map(|own| (own.event_type_id(), own.name()))))
            (choice("coachId", t.coach(), t.any_coach(), &coach,
                coaches.coaches().iter().map(|own| (own.coach_id(), own.name()))))
            input type="hidden" name="date" value=(first);
            button.plain type="submit" { (t.show()) }
        }
        (strip(cx, today, first, of_day))
        @if all.is_empty() { div.empty { p { (t.no_classes_then()) } } }
        @for date in dates {
            @let own: Vec<SiteClass<'_>> = all.iter().copied().filter(|own| zone.date_at(own.starts_at()) == date).collect();
            @if !own.is_empty() {
                h2 { (cx.written.day(date)) }
                (lessons(cx, &own, false))
            }
        }
        div.buttons {
            @if first > today {
                a.button.plain href=(cx.place.with_parameters(&[("date", &earlier(first, today)), ("day", "")])) { (t.previous()) }
            }
            a.button.plain href=(cx.place.with_parameters(&[("date", &last.to_string()), ("day", "")])) { (t.next()) }
        }
    };
    let facts = all.iter().take(50).map(|own| structured_data::class(cx, *own)).collect();
    let description = t.timetable_of(gym.name());
    Ok(SiteView::new(t.timetable(), description, main).with_facts(facts))
}

fn earlier(first: Date, today: Date) -> String {
    first.plus_days(-WEEK).unwrap_or(today).max(today).to_string()
}

/// Something to choose from, or everything.
fn choice<'c>(
    name: &str,
    label: &str,
    any: &str,
    chosen: &str,
    options: impl Iterator<Item = (&'c str, &'c str)>,
) -> Markup {
    let options: Vec<_> = options.collect();
    html! {
        @if options.len() > 1 {
            label {
                (label)
                select name=(name) {
                    option value="" { (any) }
                    @for (id, text) in options { option value=(id) selected[id == chosen] { (text) } }
                }
            }
        }
    }
}

/// Seven days to choose one of.
fn strip(cx: &SiteContext<'_, '_>, today: Date, first: Date, chosen: Option<Date>) -> Markup {
    let begins = match chosen {
        Some(_) => cx.place.date("date").unwrap_or(today).max(today),
        None => first,
    };
    let dates = (0..WEEK).filter_map(|day| begins.plus_days(day));
    html! {
        ul.week {
            @for date in dates {
                @let is_chosen = chosen == Some(date);
                @let day = if is_chosen { String::new() } else { date.to_string() };
                li {
                    a
                        href=(cx.place.with_parameters(&[("day", &day), ("date", &begins.to_string())]))
                        aria-current=[is_chosen.then_some("date")]
                        rel="nofollow"
                    {
                        span { (cx.written.weekday(date)) }
                        b { (date.0.day()) }
                    }
                }
            }
        }
    }
}

/// Classes with their free seats, each with what can be done.
fn lessons(cx: &SiteContext<'_, '_>, classes: &[SiteClass<'_>], with_date: bool) -> Markup {
    let t = cx.strings;
    html! {
        ul.lessons {
            @for own in classes {
                @let place = format!("/classes/{}", own.calendar_event_id());
                @let clock = local(cx, own.time_zone());
                li.over[!own.bookable()] {
                    time datetime=(own.local_starts_at()) {
                        @if with_date { (clock.day(clock.zone.date_at(own.starts_at()))) ", " }
                        (clock.time(own.starts_at())) "–" (clock.time(own.ends_at()))
                    }
                    div {
                        a href=(cx.to(&place)) { b { (own.name()) } }
                        div.quiet {
                            (own.coach_name())
                            @if !own.location_name().is_empty() { " · " (own.location_name()) }
                            " · "
                            (seats(cx, *own))
                        }
                    }
                    @if own.bookable() && (own.capacity_left() > 0 || own.has_waitlist()) {
                        a.button.plain href=(cx.to(&place)) {
                            @if own.capacity_left() > 0 { (t.book()) } @else { (t.wait_for_it()) }
                            span.hidden { " " (own.name()) ", " (clock.time(own.starts_at())) }
                        }
                    }
                }
            }
        }
    }
}

/// How many seats are left.
fn seats(cx: &SiteContext<'_, '_>, class: SiteClass<'_>) -> Markup {
    let t = cx.strings;
    html! {
        @if class.capacity_left() > 0 { (t.seats_left(&cx.written.count(class.capacity_left()))) }
        @else if class.has_waitlist() { span.full { (t.full_with_waitlist()) } }
        @else { span.full { (t.full()) } }
    }
}

/// `/classes/{calendarEventId}`: a class, and how it is booked.
pub(super) fn class(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let id = cx.place.param("calendarEventId").to_owned();
    let answer = cx.call(api::get_site_class(&cx.slug, &id))?;
    let own = answer.class();
    let (t, clock) = (cx.strings, local(cx, own.time_zone()));
    let when = format!(
        "{}, {}–{}",
        clock.day(clock.zone.date_at(own.starts_at())),
        clock.time(own.starts_at()),
        clock.time(own.ends_at())
    );
    let main = html! {
        section.card {
            p { b { (when) } br; span.quiet { (own.time_zone()) } }
            p {
                (own.coach_name())
                @if !own.location_name().is_empty() { br; (own.location_name()) }
            }
            @for line in own.description().lines() { p { (line) } }
            p { (seats(cx, own)) }
            @if own.credits() > 0 { p { (t.takes_credits(&cx.written.count(own.credits()))) } }
            @if own.bookable() && (own.capacity_left() > 0 || own.has_waitlist()) {
                div.buttons {
                    @if cx.is_open() {
                        a.button href=(cx.out_to(&format!("/join?class={id}"))) target=[cx.target()] {
                            @if own.capacity_left() > 0 { (t.book_as_new()) } @else { (t.wait_for_it()) }
                        }
                    }
                    a.button.plain
                        href=(member_link(&format!("/my/classes/{id}")))
                        rel="nofollow"
                        target=[cx.target()]
                    { (t.book_as_member()) }
                }
            } @else if !own.bookable() {
                p.quiet { (t.class_cannot_be_booked()) }
            }
            @if own.bookable() { (cancellation::terms(&clock, own.cancellation())) }
        }
    };
    let description = format!("{}: {when}", own.name());
    let facts = vec![structured_data::class(cx, own)];
    Ok(SiteView::new(own.name(), description, main).with_facts(facts))
}

/// `/coaches`: who works there.
pub(super) fn coaches(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let answer = cx.call(api::list_site_coaches(&cx.slug))?;
    let t = cx.strings;
    let main = html! {
        @if answer.coaches().is_empty() { div.empty { p { (t.nothing_here()) } } }
        ul.offers {
            @for own in answer.coaches() {
                li {
                    h3 { (own.name()) }
                    a href=(cx.to(&format!("/timetable?coachId={}", own.coach_id()))) {
                        (t.timetable())
                        span.hidden { " " (own.name()) }
                    }
                }
            }
        }
    };
    let description = format!("{} · {}", t.coaches(), cx.gym().name());
    Ok(SiteView::new(t.coaches(), description, main))
}

/// An instant as the query of a link has it.
pub(super) fn instant(at: Timestamp) -> String {
    at.to_string()
}
