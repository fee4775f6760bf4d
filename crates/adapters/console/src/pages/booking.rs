//! Booking: client, event type, day, time. The same page for staff, who book for a client, and for clients.

use maud::{Markup, html};
use spotter_kernel::{Date, Result, Timestamp};

use super::{
    bookings::when,
    clients::{find_clients, finder},
};
use crate::{
    api::{self, EventType, Slot},
    page_context::PageContext,
    parts::{cancellation, fields::Form, shell::View},
};

/// `/console/calendar/book`: client, event type, day, time.
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
                ul.rows {
                    @for client in found.clients() {
                        li {
                            span.grow { (client.full_name()) br; span.quiet { (client.email()) } }
                            a.button
                                href=(place.with_parameters(&[
                                    ("clientId", client.client_id()),
                                    ("search", ""),
                                ]))
                            {
                                (t.choose_this())
                                span.hidden { " " (client.full_name()) }
                            }
                        }
                    }
                }
            }
        };
        return Ok(View::new(t.book(), main));
    }
    let recipient = cx.call(api::get_client(&client))?;
    let recipient = recipient.client().full_name();
    let credits = cx.call_or_empty(api::get_credits(&client))?;
    let available: i64 = credits.credits().iter().map(|pool| pool.available()).sum();
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
    let types = cx.call(api::list_event_types().limit(100))?;
    let bookable = |kind: &EventType<'_>| {
        kind.status() == "active" && (client.is_some() || kind.clients_may_book())
    };
    let types = types.event_types().iter().filter(bookable);
    let (kinds_of_classes, types): (Vec<_>, Vec<_>) =
        types.partition(|kind| kind.kind() == "class");
    let coaches = cx.coaches_to_plan()?;
    let coach = cx.place.parameter("coachId").to_owned();
    // Of one alone there is nothing to choose.
    let kind = match (cx.place.parameter("eventTypeId"), &types[..]) {
        ("", [one]) => one.event_type_id().to_owned(),
        (request, _) => request.to_owned(),
    };
    let today = cx.written.today();
    // Who comes with a time is shown its day.
    let chosen_day =
        Timestamp::parse(cx.place.parameter("at")).map(|at| cx.written.zone.date_at(at));
    let day = cx.place.date("date").or(chosen_day).unwrap_or(today).max(today);
    let zone = cx.written.zone.clone();
    let (t, place) = (cx.strings, cx.place);
    let chooser = html! {
        form.filters method="get" {
            @if let Some(client) = client { input type="hidden" name="clientId" value=(client); }
            input type="hidden" name="date" value=(day);
            @if !place.parameter("hour").is_empty() {
                input type="hidden" name="hour" value=(place.parameter("hour"));
            }
            label.wide {
                (t.what())
                select name="eventTypeId" required {
                    option value="" { (t.choose()) }
                    @for one in &types {
                        option value=(one.event_type_id()) selected[one.event_type_id() == kind] {
                            (one.name()) " · " (one.duration_minutes()) " min"
                        }
                    }
                }
            }
            label {
                (t.coach())
                select name="coachId" {
                    option value="" { (t.any_coach()) }
                    @for (id, label) in &coaches {
                        option value=(id) selected[*id == coach] { (label) }
                    }
                }
            }
            button.plain type="submit" { (t.show()) }
        }
    };
    let classes = classes(cx, client, &kinds_of_classes, day, next)?;
    if kind.is_empty() {
        return Ok(html! {
            section.card { h2 { (t.appointments()) } (chooser) }
            (strip(cx, today, day, None))
            (classes)
        });
    }
    let end = day.plus_days(14).unwrap_or(day);
    let call = api::list_slots()
        .event_type_id(&kind)
        .coach_id(&coach)
        .from(day.start_in(&zone))
        .to(end.start_in(&zone))
        .client_id(client.unwrap_or_default());
    let answer = cx.call(call)?;
    let bookable = || answer.slots().iter().filter(|slot| slot.bookable());
    let date = |slot: Slot<'_>| zone.date_at(slot.starts_at());
    let mut free: Vec<Date> = bookable().map(date).collect();
    free.dedup();
    let of_day: Vec<_> = bookable().filter(|slot| date(*slot) == day).take(SHOWN_MAX).collect();
    let times = times(cx, client, &of_day, next)?;
    let own = types.iter().find(|one| one.event_type_id() == kind).copied();
    let chosen = bookable().find(|slot| is_chosen(cx, *slot));
    let chosen = match (client, chosen, own) {
        (None, Some(slot), Some(own)) => {
            let same = |other: &Slot<'_>| {
                other.starts_at() == slot.starts_at()
                    && other.calendar_event_id().is_empty()
                    && other.coach_id() != slot.coach_id()
            };
            let others: Vec<_> = bookable().filter(same).collect();
            confirming(cx, slot, &others, own, next)?
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
                @if let Some(nearest) = nearest {
                    a.button href=(place.with_parameters(&[("date", &nearest.to_string())])) {
                        (t.nearest(&cx.written.day(nearest)))
                    }
                }
            }
        } @else {
            section.card {
                h2 { (cx.written.day(day)) }
                p.quiet { (cx.person.company.time_zone) }
                (times)
            }
        }
        (classes)
    })
}

/// The times of a day. Where several coaches have them, clients choose a time first and may choose another coach then;
/// staff choose one of those who have it.
fn times(
    cx: &mut PageContext<'_, '_>,
    client: Option<&str>,
    slots: &[Slot<'_>],
    next: &str,
) -> Result<Markup> {
    let mut coaches = Vec::with_capacity(slots.len());
    for slot in slots {
        coaches.push(cx.coach(slot.coach_id())?);
    }
    let several = coaches.windows(2).any(|pair| pair[0] != pair[1]);
    let all: Vec<_> = slots.iter().zip(&coaches).collect();
    let time = |slot: &Slot<'_>| cx.written.time(slot.starts_at());
    let label = |slot: &Slot<'_>, first: &str| match slot.calendar_event_id() {
        "" => first.to_owned(),
        _ => format!("{first} · {}", cx.strings.seats_left(&slot.capacity_left().to_string())),
    };
    Ok(html! {
        @if several {
            div.times {
                @for of_time in
                    all.chunk_by(|(one, _), (other, _)| one.starts_at() == other.starts_at())
                {
                    @if let (Some((slot, _)), None) = (of_time.first(), client) {
                        (taking(cx, client, **slot, next, &label(slot, &time(slot))))
                    } @else {
                        details.behind {
                            summary {
                                (of_time.first().map(|(slot, _)| time(slot)).unwrap_or_default())
                            }
                            div.buttons {
                                @for (slot, coach) in of_time {
                                    (taking(cx, client, **slot, next, &label(slot, coach)))
                                }
                            }
                        }
                    }
                }
            }
        } @else {
            @if let Some(coach) = coaches.first() { p { (coach) } }
            div.times {
                @for (slot, _) in all {
                    (taking(cx, client, *slot, next, &label(slot, &time(slot))))
                }
            }
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
                a
                    href=(cx.place.with_parameters(&[("date", &date.to_string())]))
                    aria-current=[(date == day).then_some("date")]
                {
                    (cx.written.weekday(date)) br;
                    b { (date.0.day()) }
                    @if none { br; small { "–" } }
                }
            }
        }
    }
}

/// Books a slot: at once for staff, after a confirmation for clients.
fn taking(
    cx: &PageContext<'_, '_>,
    client: Option<&str>,
    slot: Slot<'_>,
    next: &str,
    label: &str,
) -> Markup {
    let Some(client) = client else {
        let at = slot.starts_at().to_string();
        let address = cx.place.with_parameters(&[
            ("at", &at),
            ("with", slot.coach_id()),
            ("class", slot.calendar_event_id()),
        ]);
        return html! { a.button.plain href=(address) { (label) } };
    };
    let own = format!("{}-{}", slot.starts_at(), slot.coach_id());
    let form = Form::with_key(cx, &own, api::create_booking()).next(next);
    let form = form.hidden("clientId", client).hidden("slotToken", slot.slot_token());
    // The slot at the chosen hour of the calendar stands out.
    let time = cx.written.time(slot.starts_at());
    let meant = cx.place.parameter("hour").parse::<i64>().map(|hour| format!("{hour:02}:"));
    let is_meant = meant.is_ok_and(|hour| time.starts_with(&hour));
    if is_meant { form.send(label) } else { form.button(label) }
}

/// Whether a slot is the chosen one.
fn is_chosen(cx: &PageContext<'_, '_>, slot: Slot<'_>) -> bool {
    cx.place.parameter("at") == slot.starts_at().to_string()
        && cx.place.parameter("with") == slot.coach_id()
        && cx.place.parameter("class") == slot.calendar_event_id()
}

/// The chosen slot with its cost and its free cancellation time.
fn confirming(
    cx: &mut PageContext<'_, '_>,
    slot: Slot<'_>,
    others: &[Slot<'_>],
    kind: EventType<'_>,
    next: &str,
) -> Result<Markup> {
    let mut coaches = Vec::with_capacity(others.len());
    for other in others {
        coaches.push((other.coach_id(), cx.coach(other.coach_id())?));
    }
    let (coach, place) = (cx.coach(slot.coach_id())?, cx.location(slot.location_id())?);
    let (t, credits) = (cx.strings, kind.credits());
    let form = Form::of(cx, api::create_booking()).hidden("slotToken", slot.slot_token());
    Ok(html! {
        section.card #confirm {
            h2 { (slot.name()) }
            p {
                b { (when(cx, slot.starts_at())) }
                " · " (coach)
                @if !place.is_empty() { " · " (place) }
            }
            @if !coaches.is_empty() {
                p {
                    (t.or_with()) " "
                    @for (at, (id, name)) in coaches.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href=(cx.place.with_parameters(&[("with", id)])) { (name) }
                    }
                }
            }
            @if credits > 0 { p { (t.takes_credits(&cx.written.count(credits))) } }
            (cancellation::terms(&cx.written, slot.cancellation()))
            div.buttons {
                (form.next(next).send(t.book_it()))
                a.button.plain
                    href=(cx.place.with_parameters(&[("at", ""), ("with", ""), ("class", "")]))
                {
                    (t.another_time())
                }
            }
        }
    })
}

/// Days of classes that are shown together.
const DAYS_OF_CLASSES: i64 = 7;
/// Most kinds of classes whose times are read.
const KINDS_OF_CLASSES: usize = 20;

/// The classes of a day and the following days, with free seats: each with its button, or the reason why it cannot be
/// booked.
fn classes(
    cx: &mut PageContext<'_, '_>,
    client: Option<&str>,
    kinds: &[EventType<'_>],
    day: Date,
    next: &str,
) -> Result<Markup> {
    let (zone, now) = (cx.written.zone.clone(), cx.written.now);
    let end = day.plus_days(DAYS_OF_CLASSES).unwrap_or(day);
    let kinds = &kinds[..kinds.len().min(KINDS_OF_CLASSES)];
    let mut answers = Vec::new();
    for kind in kinds {
        let call = api::list_slots()
            .event_type_id(kind.event_type_id())
            .from(day.start_in(&zone))
            .to(end.start_in(&zone))
            .client_id(client.unwrap_or_default());
        answers.push(cx.call_or_empty(call)?);
    }
    let mut all = Vec::new();
    let mut chosen = Markup::default();
    for (kind, answer) in kinds.iter().zip(&answers) {
        for slot in answer.slots().iter().filter(|slot| slot.starts_at() > now) {
            if client.is_none() && slot.bookable() && is_chosen(cx, slot) {
                chosen = confirming(cx, slot, &[], *kind, next)?;
            }
            let coach = cx.coach(slot.coach_id())?;
            let waits = !matches!(kind.waitlist().mode(), "" | "off");
            all.push((slot, coach, waits));
        }
    }
    all.sort_by_key(|(slot, ..)| slot.starts_at());
    let t = cx.strings;
    Ok(html! {
        (chosen)
        @if !all.is_empty() {
            section.card {
                h2 { (t.classes()) }
                ul.rows {
                    @for (slot, coach, waits) in &all {
                        li {
                            b.number { (when(cx, slot.starts_at())) }
                            span.grow {
                                (slot.name()) br;
                                span.quiet {
                                    (coach) " · " (t.seats_left(&slot.capacity_left().to_string()))
                                }
                            }
                            (booked_by(cx, client, *slot, *waits, next))
                        }
                    }
                }
            }
        }
    })
}

/// The button that books a class or joins its waiting list; or why it cannot be booked.
fn booked_by(
    cx: &PageContext<'_, '_>,
    client: Option<&str>,
    slot: Slot<'_>,
    waits: bool,
    next: &str,
) -> Markup {
    let t = cx.strings;
    let form = || {
        let own = slot.calendar_event_id();
        let form = Form::with_key(cx, own, api::create_booking()).next(next);
        client.iter().fold(form, |form, client| form.hidden("clientId", *client))
    };
    if slot.bookable() {
        return taking(cx, client, slot, next, t.book());
    }
    let reasons: Vec<&str> = slot.reasons().iter().collect();
    match reasons.as_slice() {
        ["full"] if waits => form()
            .hidden("calendarEventId", slot.calendar_event_id())
            .hidden("capacityAction", "waitlist")
            .button(t.wait_for_it()),
        // What is missing can be bought.
        ["not_entitled"] if client.is_none() => html! {
            a.button.plain href={ "/my/classes/" (slot.calendar_event_id()) } { (t.book()) }
        },
        reasons => {
            html! {
                span.quiet {
                    (reasons.iter().map(|word| t.term(word)).collect::<Vec<_>>().join(", "))
                }
            }
        }
    }
}
