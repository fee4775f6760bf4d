//! The calendar: a week or a day, what is in it, and what can be booked.

pub(super) mod event;
pub(super) mod requests;
pub(super) mod series;

use std::collections::HashMap;

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result, Timestamp};

use super::{
    bookings::when,
    settings::closures::{Closure, closure},
};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        shell::View,
        timetable::{self, Entry, Hours},
    },
};

/// A column of the timetable: a day of a week, or of one day what one coach has.
struct Column {
    date: Date,
    coach: String,
    head: Markup,
    entries: Vec<Entry>,
    closed: Vec<String>,
}

/// The minute of the day by the clock on the wall.
fn minute(cx: &PageContext<'_, '_>, at: Timestamp) -> i64 {
    let time = cx.written.time(at);
    let mut parts = time.split(':').map(|part| part.parse::<i64>().unwrap_or_default());
    parts.next().unwrap_or_default() * 60 + parts.next().unwrap_or_default()
}

/// What takes place from when to when.
fn entry(cx: &PageContext<'_, '_>, of: &Value, view: Markup) -> Option<(Date, Entry)> {
    let (from, until) = (of.instant("startsAt")?, of.instant("endsAt")?);
    let minutes = (until.millis() - from.millis()) / 60_000;
    let date = cx.written.zone.date_at(from);
    Some((date, Entry { from: minute(cx, from), minutes, content: view }))
}

/// All that is in the calendar of some days, each with the coach whose it is.
fn entries(
    cx: &mut PageContext<'_, '_>,
    (from, until): (Timestamp, Timestamp),
) -> Result<Vec<(Date, String, Entry)>> {
    let (mut all, mut answer) = (Vec::new(), Vec::new());
    for page in 1..=4 {
        let query = ApiCall::of("list_calendar_events")
            .with("from", from)
            .with("to", until)
            .with("limit", 100);
        let query = query.filtered(cx.place, &["coachId", "locationId"]).with("page", page);
        let some = cx.call(query.with("status", "scheduled"))?;
        answer.extend(some.list("calendarEvents").to_vec());
        if !some.is("hasNextPage") {
            break;
        }
    }
    let query = ApiCall::of("list_appointment_clients").with("from", from).with("to", until);
    let booked = cx.call_if_allowed(query.filtered(cx.place, &["coachId"]))?.unwrap_or_default();
    let booked = booked.list("appointmentClients").iter();
    let booked: HashMap<&str, &str> =
        booked.map(|one| (one.text("calendarEventId"), one.text("name"))).collect();
    for event in &answer {
        let coach = cx.coach(event.text("coachId"))?;
        let client = booked.get(event.text("calendarEventId")).copied();
        if let Some((date, entry)) = entry(cx, event, event_block(cx, event, (client, &coach))) {
            all.push((date, event.text("coachId").to_owned(), entry));
        }
    }
    let tasks = ApiCall::of("list_calendar_tasks").with("from", from).with("to", until);
    let tasks = tasks.with("status", "scheduled").with("limit", 100);
    let tasks = cx.call_if_allowed(tasks.filtered(cx.place, &["coachId"]))?.unwrap_or_default();
    for task in tasks.list("calendarTasks") {
        let at = task.instant("startsAt").map(|at| cx.written.time(at)).unwrap_or_default();
        let address = cx.place.with_parameters(&[("task", task.text("calendarTaskId"))]);
        let view = html! { a.event.task href={ (address) "#task" } { b.number { (at) } " " (task.text("title")) } };
        if let Some((date, entry)) = entry(cx, task, view) {
            all.push((date, task.text("coachId").to_owned(), entry));
        }
    }
    Ok(all)
}

/// What is closed on some days: whose, empty for more than one coach's.
struct ClosedDays {
    from: Date,
    until: Date,
    coach: String,
    label: String,
}

/// Whatever is closed on some days, with the days: the company, or the location or coach that is looked at.
fn closures(cx: &mut PageContext<'_, '_>, dates: &[Date]) -> Result<Vec<ClosedDays>> {
    let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return Ok(Vec::new()) };
    let call = ApiCall::of("list_availability_rules").with("from", first).with("to", last);
    let answer = cx.call_if_allowed(call.with("limit", 50))?.unwrap_or_default();
    let mut all = Vec::new();
    for rule in answer.list("availabilityRules") {
        let Closure { whose, time } = closure(cx, rule)?;
        let (Some(from), Some(until)) = (rule.date("startDate"), rule.date("endDate")) else {
            continue;
        };
        let parts = [cx.strings.closed(), &*whose, &*time, rule.text("reason")];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let (coach, answer) = (rule.text("coachId").to_owned(), parts.join(" · "));
        all.push(ClosedDays { from, until, coach, label: answer });
    }
    Ok(all)
}

/// The columns of a week, a day each, or those of a day, a coach each.
fn columns(
    cx: &mut PageContext<'_, '_>,
    dates: &[Date],
    coaches: &[(String, String)],
) -> Result<Vec<Column>> {
    let zone = cx.written.zone.clone();
    let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return Ok(Vec::new()) };
    let all = entries(cx, (first.start_in(&zone), last.tomorrow().start_in(&zone)))?;
    let closures = closures(cx, dates)?;
    // A week tells of everybody; a day has a column for each coach.
    let closed = |date: Date, coach: Option<&str>| -> Vec<String> {
        let of_day = closures.iter().filter(|one| (one.from..=one.until).contains(&date));
        let own =
            |one: &&ClosedDays| coach.is_none_or(|id| one.coach.is_empty() || one.coach == id);
        of_day.filter(own).map(|one| one.label.clone()).collect()
    };
    let place = cx.place;
    let mut columns: Vec<Column> = Vec::new();
    match dates {
        [date] => {
            let chosen = place.parameter("coachId");
            let busy = |id: &str| all.iter().any(|(_, coach, _)| coach == id);
            let mut view: Vec<&(String, String)> = coaches.iter().collect();
            view.retain(|(id, _)| chosen.is_empty() || id == chosen);
            view.sort_by_key(|(id, _)| !busy(id));
            for (id, name) in view.into_iter().take(timetable::LANES) {
                let head = html! { a href=(place.with_parameters(&[("coachId", id), ("view", "")])) { (name) } };
                let closed = closed(*date, Some(id));
                columns.push(Column {
                    date: *date,
                    coach: id.clone(),
                    head,
                    entries: Vec::new(),
                    closed,
                });
            }
        }
        dates => {
            for date in dates {
                let day = place.with_parameters(&[("view", "day"), ("date", &date.to_string())]);
                let head = html! { a href=(day) { (cx.written.day(*date)) } };
                let (date, coach) = (*date, place.parameter("coachId").to_owned());
                columns.push(Column {
                    date,
                    coach,
                    head,
                    entries: Vec::new(),
                    closed: closed(date, None),
                });
            }
        }
    }
    let by_coach = dates.len() == 1;
    for (date, coach, entry) in all {
        let own =
            |column: &&mut Column| column.date == date && (!by_coach || column.coach == coach);
        if let Some(column) = columns.iter_mut().find(own) {
            column.entries.push(entry);
        }
    }
    Ok(columns)
}

/// A task that somebody looks at, and what takes it out of the calendar.
fn task(cx: &mut PageContext<'_, '_>) -> Result<Markup> {
    let id = cx.place.parameter("task").to_owned();
    if id.is_empty() {
        return Ok(Markup::default());
    }
    let answer = cx.call_if_allowed(ApiCall::of("get_calendar_task").at("calendarTaskId", &id))?;
    let Some(answer) = answer else { return Ok(Markup::default()) };
    let task = answer.at("calendarTask");
    let coach = cx.coach(task.text("coachId"))?;
    let t = cx.strings;
    let open = task.text("status") == "scheduled" && cx.may("cancel_calendar_task");
    let form = Form::about(cx, "cancel_calendar_task", vec![("calendarTaskId", id)]);
    Ok(html! {
        section.card #task {
            h2 { (task.text("title")) }
            p { (when(cx, task)) " · " (coach) }
            @if task.has("note") { p { (task.text("note")) } }
            @if open { (form.next(cx.place.with_parameters(&[("task", "")])).danger(t.take_out())) }
        }
    })
}

/// The event types of a kind that can be had: ids and names.
pub(super) fn types(cx: &mut PageContext<'_, '_>, kind: &str) -> Result<Vec<(String, String)>> {
    cx.choices(
        ApiCall::of("list_event_types").with("kind", kind).with("status", "active"),
        ("eventTypes", "eventTypeId"),
    )
}

/// `/console/calendar`
pub(super) fn week(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let today = cx.written.today();
    let wanted = cx.place.date("date").unwrap_or(today);
    let one_day = cx.place.parameter("view") == "day";
    let (first, count) = if one_day { (wanted, 1) } else { (wanted.monday(), 7) };
    let dates: Vec<Date> = (0..count).filter_map(|days| first.plus_days(days)).collect();
    let coaches = cx.coaches_to_plan()?;
    let columns = columns(cx, &dates, &coaches)?;
    let task = task(cx)?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let whose = if cx.manages() { String::new() } else { cx.own_id() };
    let requests = ApiCall::of("list_booking_requests").with("status", "pending").with("limit", 1);
    let requests = cx.call_if_allowed(requests.with("coachId", whose))?;
    let classes = types(cx, "class")?;
    let (t, written, place) = (cx.strings, &cx.written, cx.place);
    let (coach, location) = (place.parameter("coachId"), place.parameter("locationId"));
    let move_by = |days: i64| first.plus_days(days).unwrap_or(first).to_string();
    // Whoever has no room beside the others has a day of their own.
    let beside: Vec<_> = match one_day {
        true => {
            coaches.iter().filter(|(id, _)| !columns.iter().any(|own| own.coach == *id)).collect()
        }
        false => Vec::new(),
    };
    let hours = Hours::of(columns.iter().flat_map(|column| &column.entries));
    let main = html! {
        (task)
        form.filters method="get" {
            input type="hidden" name="view" value=(place.parameter("view"));
            label { (t.date()) input type="date" name="date" value=(wanted); }
            label { (t.coach())
                select name="coachId" { option value="" { (t.all()) } @for (id, label) in &coaches { option value=(id) selected[id == coach] { (label) } } }
            }
            label { (t.location())
                select name="locationId" { option value="" { (t.all()) } @for (id, label) in &locations { option value=(id) selected[id == location] { (label) } } }
            }
            button.plain type="submit" { (t.show()) }
        }
        nav.pager aria-label=(t.calendar()) {
            a.button.plain href=(place.with_parameters(&[("date", &move_by(-count))])) { (t.previous()) }
            a.button.plain href=(place.with_parameters(&[("date", "")])) { (t.today()) }
            a.button.plain href=(place.with_parameters(&[("date", &move_by(count))])) { (t.next()) }
            a.button.plain href=(place.with_parameters(&[("view", if one_day { "" } else { "day" })])) { (if one_day { t.week() } else { t.day() }) }
            @if one_day { b { (written.day(wanted)) } }
            span.quiet { (cx.person.company.time_zone) }
        }
        div class={ "timetable columns-" (columns.len()) } #week data-live="booking" {
            (timetable::rail(hours))
            @for column in columns {
                @let (date, coach) = (column.date, column.coach);
                section.daybox.today[date == today && !one_day] data-drop="event" data-date=(date) {
                    div {
                        h2 { (column.head) }
                        @for answer in &column.closed { p.closed { (answer) } }
                        @if column.entries.is_empty() { p.quiet { (t.nothing()) } }
                    }
                    @let now = (date == today).then(|| minute(cx, written.now));
                    @let gap = |hour: i64| html! {
                        @if date > today || date == today && hour * 60 + 59 > minute(cx, written.now) {
                            a href={ "/console/calendar/book?date=" (date) "&coachId=" (coach) "&hour=" (hour) } tabindex="-1" aria-hidden="true"
                                data-drop="event" data-date=(date) data-time=(format!("{hour:02}:00")) {}
                        }
                    };
                    (timetable::day(hours, column.entries, now, gap))
                }
            }
        }
    };
    let main = html! {
        (main)
        @if !beside.is_empty() && coach.is_empty() {
            p { (t.other_coaches()) @for (id, name) in beside { " " a href=(place.with_parameters(&[("coachId", id)])) { (name) } } }
        }
    };
    let noon = format!("{wanted}T12:00");
    let acts = html! {
        @if !classes.is_empty() && cx.may("create_calendar_event") {
            (disclosure(t.add_class(), html! {
                (Form::of(cx, "create_calendar_event").choice("eventTypeId", t.what(), &classes)
                    .choice("coachId", t.coach(), &coaches).choice("locationId", t.location(), &locations)
                    .moment("startsAt", t.starts_at(), &noon).text("capacity", t.seats()).send(t.add_class()))
                (disclosure(t.every_week(), series::adding(cx, &classes, &coaches, &locations)))
            }))
        }
        @if classes.is_empty() && cx.may("create_event_type") { a.button.plain href="/console/settings/event-types" { (t.add_class_type()) } }
        (disclosure(t.add_task(), Form::of(cx, "create_calendar_task").text("title", t.title()).choice("coachId", t.coach(), &coaches)
            .moment("startsAt", t.starts_at(), &noon).moment("endsAt", t.ends_at(), &noon).check("blocksSlots", t.blocks_slots()).send(t.add_task())))
        @if let Some(answer) = &requests { @if answer.int("total") > 0 { a.button.plain href="/console/calendar/requests" { (t.requests_wait(&written.count(answer.int("total")))) } } }
        @if cx.may("list_event_series") { a.button.plain href="/console/calendar/series" { (t.weekly_classes()) } }
        a.button href="/console/calendar/book" { (t.book()) }
    };
    Ok(View::new(t.calendar(), main).acts(acts))
}

/// What takes place, in the calendar: a class with its seats, an appointment with who comes.
fn event_block(
    cx: &PageContext<'_, '_>,
    event: &Value,
    (client, coach): (Option<&str>, &str),
) -> Markup {
    let full = event.int("seatsTaken") >= event.int("capacity");
    let (class, at) = (event.text("kind") == "class", event.instant("startsAt"));
    html! {
        a.event.class[class] draggable="true" data-drag="event" data-minutes=(at.map(|at| cx.written.time(at)[3..].to_owned()).unwrap_or_default()) href={ "/console/calendar/events/" (event.text("calendarEventId")) } {
            b.number { (at.map(|at| cx.written.time(at)).unwrap_or_default()) } " " @if let Some(client) = client { b { (client) } " · " } (event.text("name"))
            @if class { " " span.number { (event.int("seatsTaken")) "/" (event.int("capacity")) } @if full { " " (cx.strings.full()) } }
            br; span.quiet { (coach) }
        }
    }
}
