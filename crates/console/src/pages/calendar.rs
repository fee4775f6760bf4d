//! The calendar: a week or a day, what is in it, and what can be booked.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result, Timestamp};

use super::{
    booking::{cancelling, when},
    clients::{find_clients, finder},
    today,
};
use crate::{
    parts::{
        fields::{Form, behind},
        lists::{empty, facts, pager, state, table},
        shell::Shown,
        told::{Told, name},
    },
    visit::{Ask, Visit},
};

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

/// `/console/calendar/requests`
pub(super) fn requests(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let status = match cx.place.asked("status") {
        "" => "pending",
        status => status,
    };
    let told = cx.list(Ask::of("list_booking_requests").with("status", status))?;
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
