//! Booking: whom, what, which day, which time. The same for staff, who book somebody, and for clients, who book themselves.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result};

use super::{
    bookings::when,
    clients::{find_clients, finder},
};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::Form,
        format::{JsonFields, name},
        shell::View,
    },
};

/// `/console/calendar/book`: whom, what, which day, which time.
pub(super) fn book(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let client = cx.place.parameter("clientId").to_owned();
    let t = cx.strings;
    if client.is_empty() {
        let found = find_clients(cx)?;
        let place = cx.place;
        let main = html! {
            section.card {
                h2 { (t.for_whom()) }
                (finder(cx, "search"))
                ul.rows { @for client in &found {
                    li { span.grow { (name(client)) br; span.quiet { (client.text("email")) } }
                        a.button href=(place.with_parameters(&[("clientId", client.text("clientId")), ("search", "")])) { (t.choose_this()) span.hidden { " " (name(client)) } } }
                } }
            }
        };
        return Ok(View::new(t.book(), main));
    }
    let recipient = cx.call(ApiCall::of("get_client").at("clientId", &client))?;
    let recipient = name(recipient.at("client"));
    let credits =
        cx.call_if_allowed(ApiCall::of("get_credits").at("clientId", &client))?.unwrap_or_default();
    let available: i64 = credits.list("credits").iter().map(|pool| pool.int("available")).sum();
    let next = format!("/console/clients/{client}/bookings");
    let main = slots(cx, Some(&client), &next)?;
    let main = html! {
        p.quiet { (t.credits()) ": " (cx.written.count(available)) }
        (main)
    };
    Ok(View::new(t.book_for(&recipient), main))
}

/// The most times of a day that are shown.
const SHOWN_MAX: usize = 400;

/// What can be booked: a type, a coach or any, a strip of days, and the times of one.
pub(super) fn slots(
    cx: &mut PageContext<'_, '_>,
    client: Option<&str>,
    next: &str,
) -> Result<Markup> {
    let types = cx.call(ApiCall::of("list_event_types").with("limit", 100))?;
    let bookable = |kind: &&Value| {
        kind.text("status") == "active" && (client.is_some() || kind.is("clientsMayBook"))
    };
    let types = types.list("eventTypes").iter().filter(bookable).cloned();
    let (kinds_of_classes, types): (Vec<Value>, Vec<Value>) =
        types.partition(|kind| kind.text("kind") == "class");
    let coaches = cx.coaches_to_plan()?;
    let coach = cx.place.parameter("coachId").to_owned();
    // Of one alone there is nothing to choose.
    let kind = match (cx.place.parameter("eventTypeId"), &types[..]) {
        ("", [one]) => one.text("eventTypeId").to_owned(),
        (request, _) => request.to_owned(),
    };
    let today = cx.written.today();
    let day = cx.place.date("date").unwrap_or(today).max(today);
    let zone = cx.written.zone.clone();
    let (t, place) = (cx.strings, cx.place);
    let chooser = html! {
        form.filters method="get" {
            @if let Some(client) = client { input type="hidden" name="clientId" value=(client); }
            input type="hidden" name="date" value=(day);
            @if !place.parameter("hour").is_empty() { input type="hidden" name="hour" value=(place.parameter("hour")); }
            label.wide { (t.what())
                select name="eventTypeId" required {
                    option value="" { (t.choose()) }
                    @for one in &types { option value=(one.text("eventTypeId")) selected[one.text("eventTypeId") == kind] { (one.text("name")) " · " (one.int("durationMinutes")) " min" } }
                }
            }
            label { (t.coach())
                select name="coachId" { option value="" { (t.any_coach()) } @for (id, label) in &coaches { option value=(id) selected[*id == coach] { (label) } } }
            }
            button.plain type="submit" { (t.show()) }
        }
    };
    let classes = classes(cx, client, (&kinds_of_classes, day), next)?;
    if kind.is_empty() {
        return Ok(
            html! { section.card { h2 { (t.appointments()) } (chooser) } (strip(cx, today, day, None)) (classes) },
        );
    }
    let end = day.plus_days(14).unwrap_or(day);
    let query = ApiCall::of("list_slots").with("eventTypeId", &kind).with("coachId", &coach);
    let query = query.with("from", day.start_in(&zone)).with("to", end.start_in(&zone));
    let answer = cx.call(query.with("clientId", client.unwrap_or_default()))?;
    let bookable = || answer.list("slots").iter().filter(|slot| slot.is("bookable"));
    let date = |slot: &Value| slot.instant("startsAt").map(|at| zone.date_at(at));
    let mut free: Vec<Date> = bookable().filter_map(date).collect();
    free.dedup();
    let of_day: Vec<&Value> =
        bookable().filter(|slot| date(slot) == Some(day)).take(SHOWN_MAX).collect();
    let times = times(cx, client, &of_day, next)?;
    let own = types.iter().find(|one| one.text("eventTypeId") == kind).cloned();
    let chosen = bookable().find(|slot| is_chosen(cx, slot));
    let chosen = match (client, chosen, own) {
        (None, Some(slot), Some(own)) => {
            let same = |other: &&Value| {
                other.text("startsAt") == slot.text("startsAt")
                    && other.text("calendarEventId").is_empty()
                    && other.text("coachId") != slot.text("coachId")
            };
            let others: Vec<&Value> = bookable().filter(same).collect();
            confirming(cx, (slot, &others), &own, next)?
        }
        _ => Markup::default(),
    };
    let nearest = free.iter().find(|date| **date > day).copied();
    Ok(html! {
        (chosen)
        section.card { h2 { (t.appointments()) } (chooser) }
        (strip(cx, today, day, Some(&free)))
        @if of_day.is_empty() {
            div.empty {
                p { (t.no_times()) }
                @if let Some(nearest) = nearest { a.button href=(place.with_parameters(&[("date", &nearest.to_string())])) { (t.nearest(&cx.written.day(nearest))) } }
            }
        } @else {
            section.card { h2 { (cx.written.day(day)) } p.quiet { (cx.person.company.time_zone) } (times) }
        }
        (classes)
    })
}

/// The times of a day. Where several coaches have them, clients choose a time first and may choose another coach then;
/// staff choose one of those who have it.
fn times(
    cx: &mut PageContext<'_, '_>,
    client: Option<&str>,
    slots: &[&Value],
    next: &str,
) -> Result<Markup> {
    let mut coaches = Vec::with_capacity(slots.len());
    for slot in slots {
        coaches.push(cx.coach(slot.text("coachId"))?);
    }
    let several = coaches.windows(2).any(|pair| pair[0] != pair[1]);
    let all: Vec<_> = slots.iter().zip(&coaches).collect();
    let time =
        |slot: &Value| slot.instant("startsAt").map(|at| cx.written.time(at)).unwrap_or_default();
    let label = |slot: &Value, first: &str| match slot.text("calendarEventId") {
        "" => first.to_owned(),
        _ => format!("{first} · {}", cx.strings.seats_left(&slot.int("capacityLeft").to_string())),
    };
    Ok(html! {
        @if several {
            div.times {
                @for of_time in all.chunk_by(|(one, _), (other, _)| one.text("startsAt") == other.text("startsAt")) {
                    @if let (Some((slot, _)), None) = (of_time.first(), client) { (taking(cx, client, slot, next, &label(slot, &time(slot)))) }
                    @else {
                        details.behind {
                            summary { (of_time.first().map(|(slot, _)| time(slot)).unwrap_or_default()) }
                            div.buttons { @for (slot, coach) in of_time { (taking(cx, client, slot, next, &label(slot, coach))) } }
                        }
                    }
                }
            }
        } @else {
            @if let Some(coach) = coaches.first() { p { (coach) } }
            div.times { @for (slot, _) in all { (taking(cx, client, slot, next, &label(slot, &time(slot)))) } }
        }
    })
}

fn strip(cx: &PageContext<'_, '_>, today: Date, day: Date, free: Option<&[Date]>) -> Markup {
    let first = if today.days_until(day) > 10 { day.plus_days(-3).unwrap_or(day) } else { today };
    let days = (0..14).filter_map(|days| first.plus_days(days));
    html! {
        nav.strip aria-label=(cx.strings.day()) {
            @for date in days {
                @let none = free.is_some_and(|free| date >= day && !free.contains(&date));
                a href=(cx.place.with_parameters(&[("date", &date.to_string())])) aria-current=[(date == day).then_some("date")] {
                    (cx.written.weekday(date)) br; b { (date.0.day()) } @if none { br; small { "–" } }
                }
            }
        }
    }
}

/// What takes a slot: at once for somebody who is booked by staff, after another look for who books themselves.
fn taking(
    cx: &PageContext<'_, '_>,
    client: Option<&str>,
    slot: &Value,
    next: &str,
    label: &str,
) -> Markup {
    let Some(client) = client else {
        let places = [("at", "startsAt"), ("with", "coachId"), ("class", "calendarEventId")];
        let address =
            cx.place.with_parameters(&places.map(|(name, place)| (name, slot.text(place))));
        return html! { a.button.plain href=(address) { (label) } };
    };
    let own = format!("{}-{}", slot.text("startsAt"), slot.text("coachId"));
    let form = Form::with_key(cx, &own, "create_booking", Vec::new()).next(next);
    let form = form.hidden("clientId", client).hidden("slotToken", slot.text("slotToken"));
    // What somebody came for by a gap of the calendar stands out.
    let hour = slot.instant("startsAt").map(|at| cx.written.time(at)[..2].to_owned());
    let meant = cx.place.parameter("hour").parse::<i64>().map(|hour| format!("{hour:02}"));
    if meant.is_ok() && meant.ok() == hour { form.send(label) } else { form.button(label) }
}

/// Whether a slot is the one that somebody is about to book.
fn is_chosen(cx: &PageContext<'_, '_>, slot: &Value) -> bool {
    let same = |name: &str, place: &str| cx.place.parameter(name) == slot.text(place);
    same("at", "startsAt") && same("with", "coachId") && same("class", "calendarEventId")
}

/// What somebody is about to book, what it takes, and until when it can be called off.
fn confirming(
    cx: &mut PageContext<'_, '_>,
    (slot, others): (&Value, &[&Value]),
    kind: &Value,
    next: &str,
) -> Result<Markup> {
    let mut coaches = Vec::with_capacity(others.len());
    for other in others {
        coaches.push((other.text("coachId"), cx.coach(other.text("coachId"))?));
    }
    let (coach, place) = (cx.coach(slot.text("coachId"))?, cx.location(slot.text("locationId"))?);
    let (t, credits) = (cx.strings, kind.int("credits"));
    let window = kind.int("cancellationWindowMinutes") * 60;
    let until = slot.instant("startsAt").map(|at| at.plus_seconds(-window));
    let until = until.filter(|at| window > 0 && *at > cx.written.now);
    let form = Form::of(cx, "create_booking").hidden("slotToken", slot.text("slotToken"));
    Ok(html! {
        section.card #confirm {
            h2 { (slot.text("name")) }
            p { b { (when(cx, slot)) } " · " (coach) @if !place.is_empty() { " · " (place) } }
            @if !coaches.is_empty() {
                p { (t.or_with()) " "
                    @for (at, (id, name)) in coaches.iter().enumerate() { @if at > 0 { ", " } a href=(cx.place.with_parameters(&[("with", id)])) { (name) } }
                }
            }
            @if credits > 0 { p { (t.takes_credits(&cx.written.count(credits))) } }
            @if let Some(until) = until { p { (t.free_until(&cx.written.instant(until))) } }
            @else if window > 0 { p { (t.no_longer_free()) } }
            div.buttons {
                (form.next(next).send(t.book_it()))
                a.button.plain href=(cx.place.with_parameters(&[("at", ""), ("with", ""), ("class", "")])) { (t.another_time()) }
            }
        }
    })
}

/// Days of classes that are shown together.
const DAYS_OF_CLASSES: i64 = 7;
/// Kinds of classes whose times are looked up.
const KINDS_OF_CLASSES: usize = 20;

/// The classes of a day and the days after it, with seats that are left: each is booked, waited for, or says why not.
fn classes(
    cx: &mut PageContext<'_, '_>,
    client: Option<&str>,
    (kinds, day): (&[Value], Date),
    next: &str,
) -> Result<Markup> {
    let (zone, now) = (cx.written.zone.clone(), cx.written.now);
    let end = day.plus_days(DAYS_OF_CLASSES).unwrap_or(day);
    let mut all: Vec<(Value, String, bool)> = Vec::new();
    let mut chosen = Markup::default();
    for kind in kinds.iter().take(KINDS_OF_CLASSES) {
        let call = ApiCall::of("list_slots").with("eventTypeId", kind.text("eventTypeId"));
        let call = call.with("from", day.start_in(&zone)).with("to", end.start_in(&zone));
        let answer = cx.call_if_allowed(call.with("clientId", client.unwrap_or_default()))?;
        let coming = |slot: &&Value| slot.instant("startsAt").is_some_and(|at| at > now);
        for slot in answer.unwrap_or_default().list("slots").iter().filter(coming) {
            if client.is_none() && slot.is("bookable") && is_chosen(cx, slot) {
                chosen = confirming(cx, (slot, &[]), kind, next)?;
            }
            let coach = cx.coach(slot.text("coachId"))?;
            let waits = !matches!(kind.text("waitlist.mode"), "" | "off");
            all.push((slot.clone(), coach, waits));
        }
    }
    all.sort_by(|(one, ..), (other, ..)| one.text("startsAt").cmp(other.text("startsAt")));
    let t = cx.strings;
    Ok(html! {
        (chosen)
        @if !all.is_empty() {
            section.card {
                h2 { (t.classes()) }
                ul.rows {
                    @for (slot, coach, waits) in &all {
                        li {
                            b.number { (when(cx, slot)) }
                            span.grow { (slot.text("name")) br; span.quiet { (coach) " · " (t.seats_left(&slot.int("capacityLeft").to_string())) } }
                            (booked_by(cx, client, (slot, *waits), next))
                        }
                    }
                }
            }
        }
    })
}

/// What books a class, or has somebody wait for it where that is possible; or why it cannot be booked.
fn booked_by(
    cx: &PageContext<'_, '_>,
    client: Option<&str>,
    (slot, waits): (&Value, bool),
    next: &str,
) -> Markup {
    let t = cx.strings;
    let form = || {
        let own = slot.text("calendarEventId");
        let form = Form::with_key(cx, own, "create_booking", Vec::new()).next(next);
        client.iter().fold(form, |form, client| form.hidden("clientId", *client))
    };
    if slot.is("bookable") {
        return taking(cx, client, slot, next, t.book());
    }
    let reasons: Vec<&str> = slot.list("reasons").iter().filter_map(Value::as_str).collect();
    match reasons.as_slice() {
        ["full"] if waits => form()
            .hidden("calendarEventId", slot.text("calendarEventId"))
            .hidden("capacityAction", "waitlist")
            .button(t.wait_for_it()),
        reasons => {
            html! { span.quiet { (reasons.iter().map(|word| t.term(word)).collect::<Vec<_>>().join(", ")) } }
        }
    }
}
