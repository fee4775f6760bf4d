//! The calendar: a week or a day, what is in it, and what can be booked.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result, Timestamp};

use super::today;
use crate::{
    parts::{
        fields::{Form, behind},
        lists::{empty, facts, pager, state, table},
        shell::Shown,
        told::{Told, name},
    },
    visit::{Ask, Visit},
};

/// When something is, by the clock of where it is.
pub(super) fn when(cx: &Visit<'_, '_>, booked: &Value) -> String {
    let Some(at) = booked.instant("startsAt") else { return String::new() };
    let written = &cx.written;
    format!("{}, {}", written.day(written.zone.date_at(at)), written.time(at))
}

/// What calls a booking off, where it can be.
pub(super) fn cancelling(cx: &Visit<'_, '_>, booking: &Value) -> Markup {
    let coming = booking.instant("startsAt").is_some_and(|at| at > cx.written.now);
    let open = matches!(booking.text("status"), "booked" | "waitlisted" | "offered");
    if !(coming && open && cx.may("cancel_booking")) {
        return Markup::default();
    }
    let id = booking.text("bookingId").to_owned();
    let form = Form::about(cx, "cancel_booking", vec![("bookingId", id)]);
    behind(cx.say.cancel(), form.text("reason", cx.say.reason()).danger(cx.say.cancel_booking()))
}

/// What moves a booking to another time, where it can be.
fn moving(cx: &Visit<'_, '_>, booking: &Value) -> Markup {
    let Some(at) = booking.instant("startsAt").filter(|at| *at > cx.written.now) else {
        return Markup::default();
    };
    if booking.text("status") != "booked" || !cx.may("reschedule_booking") {
        return Markup::default();
    }
    let (written, id) = (&cx.written, booking.text("bookingId").to_owned());
    // Where it was dragged to another day, it is confirmed here.
    let to = cx.place.date("to");
    let local = format!("{}T{}", to.unwrap_or(written.zone.date_at(at)), written.time(at));
    let form = Form::about(cx, "reschedule_booking", vec![("bookingId", id)]);
    let form = form.moment("startsAt", cx.say.new_time(), &local).next("/console/calendar");
    let send = form.send(cx.say.move_booking());
    if to.is_some() { send } else { behind(cx.say.move_booking(), send) }
}

struct Day {
    date: Date,
    events: Vec<Markup>,
}

/// `/console/calendar`
pub(super) fn week(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let today = cx.written.today();
    let wanted = cx.place.date("date").unwrap_or(today);
    let one_day = cx.place.asked("view") == "day";
    let (first, count) = if one_day { (wanted, 1) } else { (wanted.monday(), 7) };
    let dates: Vec<Date> = (0..count).filter_map(|days| first.plus_days(days)).collect();
    let zone = cx.written.zone.clone();
    let from = first.start_in(&zone);
    let until = first.plus_days(count).unwrap_or(first).start_in(&zone);
    let (coach, location) =
        (cx.place.asked("coachId").to_owned(), cx.place.asked("locationId").to_owned());
    let mut all = Vec::new();
    for page in 1..=4 {
        let ask =
            Ask::of("list_calendar_events").with("from", from).with("to", until).with("limit", 100);
        let ask = ask.with("coachId", &coach).with("locationId", &location).with("page", page);
        let told = cx.ask(ask.with("status", "scheduled"))?;
        all.extend(told.list("calendarEvents").to_vec());
        if !told.is("hasNextPage") {
            break;
        }
    }
    let tasks =
        Ask::of("list_calendar_tasks").with("from", from).with("to", until).with("limit", 100);
    let tasks = cx.ask_if(tasks.with("coachId", &coach))?.unwrap_or_default();
    all.sort_by(|one, other| one.text("startsAt").cmp(other.text("startsAt")));
    let mut days: Vec<Day> =
        dates.iter().map(|date| Day { date: *date, events: Vec::new() }).collect();
    for event in &all {
        let coach = cx.coach(event.text("coachId"))?;
        if let Some(at) = event.instant("startsAt") {
            put(&mut days, zone.date_at(at), shown(cx, event, at, &coach));
        }
    }
    for task in tasks.list("calendarTasks") {
        if let Some(at) = task.instant("startsAt")
            && task.text("status") == "scheduled"
        {
            let told = html! { div.event.task { b.number { (cx.written.time(at)) } " " (task.text("title")) } };
            put(&mut days, zone.date_at(at), told);
        }
    }
    let coaches =
        cx.choices(Ask::of("list_coaches").with("status", "active"), ("coaches", "coachId"))?;
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let requests =
        cx.ask_if(Ask::of("list_booking_requests").with("status", "pending").with("limit", 1))?;
    let types = cx.ask(Ask::of("list_event_types").with("limit", 100))?;
    let (say, written, place) = (cx.say, &cx.written, cx.place);
    let move_by = |days: i64| first.plus_days(days).unwrap_or(first).to_string();
    let main = html! {
        form.filters method="get" {
            input type="hidden" name="view" value=(place.asked("view"));
            label { (say.date()) input type="date" name="date" value=(wanted); }
            label { (say.coach())
                select name="coachId" { option value="" { (say.all()) } @for (id, label) in &coaches { option value=(id) selected[*id == coach] { (label) } } }
            }
            label { (say.location())
                select name="locationId" { option value="" { (say.all()) } @for (id, label) in &locations { option value=(id) selected[*id == location] { (label) } } }
            }
            button.plain type="submit" { (say.show()) }
        }
        nav.pager aria-label=(say.calendar()) {
            a.button.plain href=(place.but(&[("date", &move_by(-count))])) { (say.previous()) }
            a.button.plain href=(place.but(&[("date", "")])) { (say.today()) }
            a.button.plain href=(place.but(&[("date", &move_by(count))])) { (say.next()) }
            a.button.plain href=(place.but(&[("view", if one_day { "" } else { "day" })])) { (if one_day { say.week() } else { say.day() }) }
            span.quiet { (cx.person.company.time_zone) }
        }
        div.week.one[one_day] #week data-live="booking" {
            @for day in days {
                section.daybox.today[day.date == today] data-drop="event" data-date=(day.date) {
                    h2 { a href=(place.but(&[("view", "day"), ("date", &day.date.to_string())])) { (written.day(day.date)) } }
                    @if day.events.is_empty() { p.quiet { (say.nothing()) } }
                    @for event in day.events { (event) }
                }
            }
        }
    };
    let classes: Vec<(String, String)> = types
        .list("eventTypes")
        .iter()
        .filter(|kind| kind.text("kind") == "class" && kind.text("status") == "active")
        .map(|kind| (kind.text("eventTypeId").to_owned(), kind.text("name").to_owned()))
        .collect();
    let noon = format!("{wanted}T12:00");
    let acts = html! {
        @if !classes.is_empty() && cx.may("create_calendar_event") {
            (behind(say.add_class(), Form::of(cx, "create_calendar_event").choice("eventTypeId", say.what(), &classes)
                .choice("coachId", say.coach(), &coaches).choice("locationId", say.location(), &locations)
                .moment("startsAt", say.starts_at(), &noon).text("capacity", say.seats()).send(say.add_class())))
        }
        (behind(say.add_task(), Form::of(cx, "create_calendar_task").text("title", say.title()).choice("coachId", say.coach(), &coaches)
            .moment("startsAt", say.starts_at(), &noon).moment("endsAt", say.ends_at(), &noon).check("blocksSlots", say.blocks_slots()).send(say.add_task())))
        @if let Some(told) = &requests { @if told.int("total") > 0 { a.button.plain href="/console/calendar/requests" { (say.requests_wait(&written.count(told.int("total")))) } } }
        a.button href="/console/calendar/book" { (say.book()) }
    };
    Ok(Shown::new(say.calendar(), main).acts(acts))
}

fn put(days: &mut [Day], date: Date, told: Markup) {
    if let Some(day) = days.iter_mut().find(|day| day.date == date) {
        day.events.push(told);
    }
}

fn shown(cx: &Visit<'_, '_>, event: &Value, at: Timestamp, coach: &str) -> Markup {
    let full = event.int("seatsTaken") >= event.int("capacity");
    html! {
        a.event.class[event.text("kind") == "class"] draggable=[(event.text("kind") != "class").then_some("true")] data-drag=[(event.text("kind") != "class").then_some("event")] href={ "/console/calendar/events/" (event.text("calendarEventId")) } {
            b.number { (cx.written.time(at)) } " " (event.text("name"))
            @if event.text("kind") == "class" { " " span.number { (event.int("seatsTaken")) "/" (event.int("capacity")) } @if full { " " (cx.say.full()) } }
            br; span.quiet { (coach) }
        }
    }
}

/// `/console/calendar/events/{calendarEventId}`
pub(super) fn event(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let id = cx.place.param("calendarEventId").to_owned();
    let told = cx.ask(Ask::of("get_calendar_event").at("calendarEventId", &id))?;
    let event = told["calendarEvent"].clone();
    let bookings =
        cx.ask(Ask::of("list_bookings").with("calendarEventId", &id).with("limit", 100))?;
    let (coach, location) =
        (cx.coach(event.text("coachId"))?, cx.location(event.text("locationId"))?);
    let mut rows = Vec::new();
    for booking in bookings.list("bookings") {
        let client = cx.client(booking.text("clientId"))?;
        rows.push(vec![
            html! { a href={ "/console/clients/" (booking.text("clientId")) } { (client) } },
            today::attendance(cx, booking),
            html! { @if booking.has("waitlistPosition") { (cx.say.place_in_line(&booking.int("waitlistPosition").to_string())) } },
            html! { (moving(cx, booking)) (cancelling(cx, booking)) },
        ]);
    }
    let say = cx.say;
    let coming = event.instant("startsAt").is_some_and(|at| at > cx.written.now);
    let found = find_clients(cx)?;
    let main = html! {
        section.card {
            (facts(vec![
                (say.when(), html! { (when(cx, &event)) }),
                (say.coach(), html! { (coach) }),
                (say.location(), html! { (location) }),
                (say.seats(), html! { (event.int("seatsTaken")) " / " (event.int("capacity")) }),
                (say.waiting_list(), html! { @if event.int("waitlisted") > 0 { (event.int("waitlisted")) } }),
                (say.status(), html! { (state(cx, event.text("status"))) }),
            ]))
        }
        div #people data-live="booking" {
            @if rows.is_empty() { (empty(say.nobody_booked(), None)) }
            @else { (table(say.bookings(), &[say.client(), say.status(), say.waiting_list(), ""], rows)) }
        }
        @if coming && event.text("status") == "scheduled" {
            section.card {
                h2 { (say.book_somebody()) }
                (finder(cx, "search"))
                ul.rows { @for client in &found {
                    li { span.grow { (name(client)) br; span.quiet { (client.text("email")) } }
                        (Form::of(cx, "create_booking").hidden("calendarEventId", &*id).hidden("clientId", client.text("clientId"))
                            .hidden("capacityAction", "waitlist").next(format!("/console/calendar/events/{id}")).send(say.book())) }
                } }
            }
        }
    };
    let acts = html! {
        @if coming && event.text("status") == "scheduled" {
            (behind(say.call_off(), html! {
                p { (say.call_off_means()) }
                (Form::about(cx, "cancel_calendar_event", vec![("calendarEventId", id.clone())]).text("reason", say.reason()).danger(say.call_off()))
            }))
        }
    };
    Ok(Shown::new(event.text("name"), main).acts(acts))
}

/// A field that finds clients.
fn finder(cx: &Visit<'_, '_>, field: &str) -> Markup {
    html! {
        form.filters method="get" role="search" {
            @for (name, value) in cx.place.query.iter().filter(|(name, _)| name != field) { input type="hidden" name=(name) value=(value); }
            label.wide { (cx.say.find_client()) input type="search" name=(field) value=(cx.place.asked(field)) autocomplete="off"; }
            button.plain type="submit" { (cx.say.search()) }
        }
    }
}

fn find_clients(cx: &mut Visit<'_, '_>) -> Result<Vec<Value>> {
    match cx.place.asked("search") {
        "" => Ok(Vec::new()),
        search => {
            let ask = Ask::of("list_clients").with("search", search).with("limit", 8);
            Ok(cx.ask(ask)?.list("clients").to_vec())
        }
    }
}

/// `/console/calendar/book`: whom, what, which day, which time.
pub(super) fn book(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let client = cx.place.asked("clientId").to_owned();
    let say = cx.say;
    if client.is_empty() {
        let found = find_clients(cx)?;
        let place = cx.place;
        let main = html! {
            section.card {
                h2 { (say.for_whom()) }
                (finder(cx, "search"))
                ul.rows { @for client in &found {
                    li { span.grow { (name(client)) br; span.quiet { (client.text("email")) } }
                        a.button href=(place.but(&[("clientId", client.text("clientId")), ("search", "")])) { (say.choose_this()) span.hidden { " " (name(client)) } } }
                } }
            }
        };
        return Ok(Shown::new(say.book(), main));
    }
    let whom = cx.ask(Ask::of("get_client").at("clientId", &client))?;
    let whom = name(whom.at("client"));
    let next = format!("/console/clients/{client}/bookings");
    let main = slots(cx, Some(&client), &next)?;
    Ok(Shown::new(say.book_for(&whom), main))
}

/// What can be booked: a type, a coach or any, a strip of days, and the times of one.
pub(super) fn slots(cx: &mut Visit<'_, '_>, client: Option<&str>, next: &str) -> Result<Markup> {
    let types = cx.ask(Ask::of("list_event_types").with("limit", 100))?;
    let bookable = |kind: &&Value| {
        // Classes are booked by their place in the calendar.
        kind.text("status") == "active"
            && kind.text("kind") != "class"
            && (client.is_some() || kind.is("clientsMayBook"))
    };
    let types: Vec<Value> = types.list("eventTypes").iter().filter(bookable).cloned().collect();
    let coaches =
        cx.choices(Ask::of("list_coaches").with("status", "active"), ("coaches", "coachId"))?;
    let (kind, coach) =
        (cx.place.asked("eventTypeId").to_owned(), cx.place.asked("coachId").to_owned());
    let today = cx.written.today();
    let day = cx.place.date("date").unwrap_or(today).max(today);
    let zone = cx.written.zone.clone();
    let (say, place) = (cx.say, cx.place);
    let chooser = html! {
        form.filters method="get" {
            @if let Some(client) = client { input type="hidden" name="clientId" value=(client); }
            input type="hidden" name="date" value=(day);
            label.wide { (say.what())
                select name="eventTypeId" required {
                    option value="" { (say.choose()) }
                    @for one in &types { option value=(one.text("eventTypeId")) selected[one.text("eventTypeId") == kind] { (one.text("name")) " · " (one.int("durationMinutes")) " min" } }
                }
            }
            label { (say.coach())
                select name="coachId" { option value="" { (say.any_coach()) } @for (id, label) in &coaches { option value=(id) selected[*id == coach] { (label) } } }
            }
            button.plain type="submit" { (say.show()) }
        }
    };
    let classes = classes(cx, client, day)?;
    if kind.is_empty() {
        return Ok(
            html! { section.card { h2 { (say.appointments()) } (chooser) } (strip(cx, today, day, None)) (classes) },
        );
    }
    let end = day.plus_days(14).unwrap_or(day);
    let ask = Ask::of("list_slots").with("eventTypeId", &kind).with("coachId", &coach);
    let ask = ask.with("from", day.start_in(&zone)).with("to", end.start_in(&zone));
    let told = cx.ask(ask.with("clientId", client.unwrap_or_default()))?;
    let mut times = Vec::new();
    let mut free: Vec<Date> = Vec::new();
    for slot in told.list("slots").iter().filter(|slot| slot.is("bookable")) {
        let Some(at) = slot.instant("startsAt") else { continue };
        let date = zone.date_at(at);
        if free.last() != Some(&date) {
            free.push(date);
        }
        if date == day && times.len() < 400 {
            let coach = cx.coach(slot.text("coachId"))?;
            let form = Form::of(cx, "create_booking")
                .hidden("slotToken", slot.text("slotToken"))
                .next(next);
            let form = match client {
                Some(client) => form.hidden("clientId", client),
                None => form,
            };
            let label = format!("{} · {coach}", cx.written.time(at));
            let label = match slot.text("calendarEventId") {
                "" => label,
                _ => format!("{label} · {}", say.seats_left(&slot.int("capacityLeft").to_string())),
            };
            times.push(form.button(&label));
        }
    }
    let nearest = free.iter().find(|date| **date > day).copied();
    Ok(html! {
        section.card { h2 { (say.appointments()) } (chooser) }
        (strip(cx, today, day, Some(&free)))
        @if times.is_empty() {
            div.empty {
                p { (say.no_times()) }
                @if let Some(nearest) = nearest { a.button href=(place.but(&[("date", &nearest.to_string())])) { (say.nearest(&cx.written.day(nearest))) } }
            }
        } @else {
            section.card { h2 { (cx.written.day(day)) } p.quiet { (cx.person.company.time_zone) } div.times { @for time in times { (time) } } }
        }
        (classes)
    })
}

fn strip(cx: &Visit<'_, '_>, today: Date, day: Date, free: Option<&[Date]>) -> Markup {
    let first = if today.days_until(day) > 10 { day.plus_days(-3).unwrap_or(day) } else { today };
    let days = (0..14).filter_map(|days| first.plus_days(days));
    html! {
        nav.strip aria-label=(cx.say.day()) {
            @for date in days {
                @let none = free.is_some_and(|free| date >= day && !free.contains(&date));
                a href=(cx.place.but(&[("date", &date.to_string())])) aria-current=[(date == day).then_some("date")] {
                    (cx.written.weekday(date)) br; b { (date.0.day()) } @if none { br; small { "–" } }
                }
            }
        }
    }
}

/// Days of classes that are shown together.
const DAYS_OF_CLASSES: i64 = 7;

/// The classes of a day and the days after it, with seats that are left.
fn classes(cx: &mut Visit<'_, '_>, client: Option<&str>, day: Date) -> Result<Markup> {
    let zone = cx.written.zone.clone();
    let ask = Ask::of("list_calendar_events").with("kind", "class").with("status", "scheduled");
    let end = day.plus_days(DAYS_OF_CLASSES).unwrap_or(day);
    let ask = ask.with("from", day.start_in(&zone)).with("to", end.start_in(&zone));
    let Some(told) = cx.ask_if(ask.with("limit", 100))? else { return Ok(Markup::default()) };
    let mut all = told.list("calendarEvents").to_vec();
    all.retain(|event| event.instant("startsAt").is_some_and(|at| at > cx.written.now));
    all.sort_by(|one, other| one.text("startsAt").cmp(other.text("startsAt")));
    let mut rows = Vec::new();
    for event in &all {
        rows.push((event, cx.coach(event.text("coachId"))?));
    }
    let say = cx.say;
    let next = if client.is_some() { "/console/calendar" } else { "/my" };
    Ok(html! {
        @if !rows.is_empty() {
            section.card {
                h2 { (say.classes()) }
                ul.rows {
                    @for (event, coach) in rows {
                        @let left = event.int("capacity") - event.int("seatsTaken");
                        li {
                            b.number { (when(cx, event)) }
                            span.grow { (event.text("name")) br; span.quiet { (coach) @if event.has("capacity") { " · " (say.seats_left(&left.max(0).to_string())) } } }
                            @let form = Form::of(cx, "create_booking").hidden("calendarEventId", event.text("calendarEventId")).next(next);
                            @let form = match client { Some(client) => form.hidden("clientId", client), None => form };
                            @if left > 0 || !event.has("capacity") { (form.button(say.book())) }
                            @else { (form.hidden("capacityAction", "waitlist").button(say.wait_for_it())) }
                        }
                    }
                }
            }
        }
    })
}

/// `/console/calendar/requests`
pub(super) fn requests(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let status = match cx.place.asked("status") {
        "" => "pending",
        status => status,
    };
    let ask = Ask::of("list_booking_requests").with("status", status).with("limit", 50);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let types = cx.choices(Ask::of("list_event_types"), ("eventTypes", "eventTypeId"))?;
    let mut rows = Vec::new();
    for request in told.list("bookingRequests") {
        let (client, coach) =
            (cx.client(request.text("clientId"))?, cx.coach(request.text("coachId"))?);
        let id = request.text("bookingRequestId");
        let kind = types
            .iter()
            .find(|(own, _)| own == request.text("eventTypeId"))
            .map_or("", |(_, name)| name);
        let at = || vec![("bookingRequestId", id.to_owned())];
        rows.push(vec![
            html! { (when(cx, request)) },
            html! { a href={ "/console/clients/" (request.text("clientId")) } { (client) } },
            html! { (kind) },
            html! { (coach) },
            html! {
                @if request.text("status") == "pending" {
                    div.buttons {
                        (Form::about(cx, "approve_booking_request", at()).send(cx.say.approve()))
                        (Form::about(cx, "reject_booking_request", at()).button(cx.say.reject()))
                    }
                } @else { (state(cx, request.text("status"))) }
            },
        ]);
    }
    let say = cx.say;
    let columns = [say.when(), say.client(), say.what(), say.coach(), say.status()];
    let main = html! {
        nav.tabs aria-label=(say.status()) {
            @for word in ["pending", "approved", "rejected"] {
                a href=(cx.place.but(&[("status", word), ("page", "")])) aria-current=[(word == status).then_some("page")] { (say.term(word)) }
            }
        }
        div #requests data-live="booking" {
            @if rows.is_empty() { (empty(say.nothing_waits(), None)) }
            @else { (table(say.booking_requests(), &columns, rows)) }
        }
        (pager(cx, &told))
    };
    Ok(Shown::new(say.booking_requests(), main))
}
