//! The calendar: a week or a day with its entries, and the forms that add to it.

pub(super) mod event;
pub(super) mod requests;
pub(super) mod series;

use std::collections::HashMap;

use maud::{Markup, html};
use spotter_kernel::{Date, DateRange, Result, Timestamp, span::Span};

use super::{
    bookings::when,
    settings::closures::{Closure, closure},
};
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        shell::View,
        timetable::{self, Entry, Hours, Minutes},
    },
};

/// The minutes of a day.
const DAY: i64 = 24 * 60;

/// A column of the timetable: a day of a week, or of one day what one coach has.
struct Column {
    date: Date,
    coach: String,
    head: Markup,
    entries: Vec<Entry>,
    closed: Vec<String>,
    /// When nothing takes place.
    shut: Vec<Minutes>,
}

/// The minute of the day that a time names, such as `08:30`.
fn minute_of(time: &str) -> Option<i64> {
    let (hour, minute) = time.split_once(':')?;
    Some(hour.parse::<i64>().ok()? * 60 + minute.parse::<i64>().ok()?)
}

/// The minute of the day by the clock on the wall.
fn minute(cx: &PageContext<'_, '_>, at: Timestamp) -> i64 {
    minute_of(&cx.written.time(at)).unwrap_or_default()
}

/// An entry from an instant to another, and the date on which it starts.
fn entry(
    cx: &PageContext<'_, '_>,
    from: Timestamp,
    until: Timestamp,
    content: Markup,
) -> (Date, Entry) {
    let minutes = (until.millis() - from.millis()) / 60_000;
    (cx.written.zone.date_at(from), Entry { from: minute(cx, from), minutes, content })
}

/// The entries of some days, each with its coach.
fn entries(cx: &mut PageContext<'_, '_>, dates: DateRange) -> Result<Vec<(Date, String, Entry)>> {
    let mut all = Vec::new();
    let Span { start, end } = dates.span(&cx.written.zone);
    let coach = cx.place.parameter("coachId").trim();
    let events = api::list_calendar_events()
        .from(start)
        .to(end)
        .status("scheduled")
        .coach_id(coach)
        .location_id(cx.place.parameter("locationId").trim());
    let pages = cx.pages(&events, 4)?;
    let booked =
        cx.call_or_empty(api::list_appointment_clients().from(start).to(end).coach_id(coach))?;
    let booked = booked.appointment_clients().iter();
    let booked: HashMap<&str, &str> =
        booked.map(|one| (one.calendar_event_id(), one.name())).collect();
    let coloured_by: Vec<String> = match cx.place.parameter("colours") {
        "coach" => cx.coach_choices()?.into_iter().map(|(id, _)| id).collect(),
        _ => {
            let types = cx.call_or_empty(api::list_event_types().limit(100))?;
            types.event_types().iter().rev().map(|one| one.event_type_id().to_owned()).collect()
        }
    };
    for event in pages.iter().flat_map(|page| page.calendar_events()) {
        let coach = cx.coach(event.coach_id())?;
        let client = booked.get(event.calendar_event_id()).copied();
        let block = event_block(cx, event, client, &coach, &coloured_by);
        let (date, entry) = entry(cx, event.starts_at(), event.ends_at(), block);
        all.push((date, event.coach_id().to_owned(), entry));
    }
    let tasks = api::list_calendar_tasks().from(start).to(end).status("scheduled").limit(100);
    let tasks = cx.call_or_empty(tasks.coach_id(coach))?;
    for task in tasks.calendar_tasks() {
        let at = cx.written.time(task.starts_at());
        let address = cx.place.with_parameters(&[("task", task.calendar_task_id())]);
        let view = html! {
            a.event.task href={ (address) "#task" } {
                span.line { b.number { (at) } " " (task.title()) }
            }
        };
        let (date, entry) = entry(cx, task.starts_at(), task.ends_at(), view);
        all.push((date, task.coach_id().to_owned(), entry));
    }
    Ok(all)
}

/// A closure of some days; the coach is empty unless it is one coach's.
struct ClosedDays {
    from: Date,
    until: Date,
    coach: String,
    label: String,
    /// Which minutes of those days it closes; none where it closes a part of the company.
    minutes: Option<Minutes>,
}

/// The closures of some days: of the company, or of the selected location or coach.
fn closures(cx: &mut PageContext<'_, '_>, dates: &[Date]) -> Result<Vec<ClosedDays>> {
    let (Some(&from), Some(&to)) = (dates.first(), dates.last()) else { return Ok(Vec::new()) };
    let call = api::list_availability_rules().from(from).to(to);
    let answer = cx.call_or_empty(call.limit(50))?;
    let mut all = Vec::new();
    for rule in answer.availability_rules() {
        let Closure { whose, time } = closure(cx, rule)?;
        let (from, until) = (rule.start_date(), rule.end_date());
        let parts = [cx.strings.closed(), &*whose, &*time, rule.reason()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let (coach, answer) = (rule.coach_id().to_owned(), parts.join(" · "));
        let from_minute = minute_of(rule.start_time()).unwrap_or(0);
        let until_minute = minute_of(rule.end_time()).unwrap_or(DAY);
        let minutes = rule.location_id().is_empty().then_some(from_minute..until_minute);
        all.push(ClosedDays { from, until, coach, label: answer, minutes });
    }
    Ok(all)
}

/// The columns of a week, a day each, or those of a day, a coach each.
fn columns(
    cx: &mut PageContext<'_, '_>,
    dates: &[Date],
    coaches: &[(String, String)],
) -> Result<Vec<Column>> {
    let (Some(&from), Some(&to)) = (dates.first(), dates.last()) else { return Ok(Vec::new()) };
    let all = entries(cx, DateRange { from, to })?;
    let closures = closures(cx, dates)?;
    // A week shows everybody's; a day has a column for each coach.
    let closed = |date: Date, coach: Option<&str>| -> Vec<String> {
        let of_day = closures.iter().filter(|one| (one.from..=one.until).contains(&date));
        let own =
            |one: &&ClosedDays| coach.is_none_or(|id| one.coach.is_empty() || one.coach == id);
        of_day.filter(own).map(|one| one.label.clone()).collect()
    };
    let shut = |date: Date, coach: &str| -> Vec<Minutes> {
        let of_day = closures.iter().filter(|one| (one.from..=one.until).contains(&date));
        let own = of_day.filter(|one| one.coach.is_empty() || one.coach == coach);
        own.filter_map(|one| one.minutes.clone()).collect()
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
                let head = html! {
                    a href=(place.with_parameters(&[("coachId", id), ("view", "")])) { (name) }
                };
                let closed = closed(*date, Some(id));
                columns.push(Column {
                    date: *date,
                    coach: id.clone(),
                    head,
                    entries: Vec::new(),
                    closed,
                    shut: shut(*date, id),
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
                    shut: shut(date, &coach),
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

/// The selected task, with the button that cancels it.
fn task(cx: &mut PageContext<'_, '_>) -> Result<Markup> {
    let id = cx.place.parameter("task").to_owned();
    if id.is_empty() {
        return Ok(Markup::default());
    }
    let answer = cx.call_if_allowed(api::get_calendar_task(&id))?;
    let Some(answer) = answer else { return Ok(Markup::default()) };
    let task = answer.calendar_task();
    let coach = cx.coach(task.coach_id())?;
    let t = cx.strings;
    let open = task.status() == "scheduled" && cx.may(api::CancelCalendarTask);
    let form = Form::of(cx, api::cancel_calendar_task(&id));
    Ok(html! {
        section.card #task {
            h2 { (task.title()) }
            p { (when(cx, task.starts_at())) " · " (coach) }
            @if !task.note().is_empty() { p { (task.note()) } }
            @if open { (form.next(cx.place.with_parameters(&[("task", "")])).danger(t.take_out())) }
        }
    })
}

/// The event types of a kind that can be had: ids and names.
pub(super) fn types(cx: &mut PageContext<'_, '_>, kind: &str) -> Result<Vec<(String, String)>> {
    cx.event_type_choices_of(api::list_event_types().kind(kind).status("active"))
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
    let locations = cx.location_choices()?;
    let whose = if cx.manages() { String::new() } else { cx.own_id() };
    let requests = api::list_booking_requests().status("pending").limit(1);
    let requests = cx.call_if_allowed(requests.coach_id(whose))?;
    let classes = types(cx, "class")?;
    let (t, written, place) = (cx.strings, &cx.written, cx.place);
    let (coach, location) = (place.parameter("coachId"), place.parameter("locationId"));
    let is_filtered = !coach.is_empty() || !location.is_empty();
    let move_by = |days: i64| first.plus_days(days).unwrap_or(first).to_string();
    // Coaches without a column have a link to their own day.
    let beside: Vec<_> = match one_day {
        true => {
            coaches.iter().filter(|(id, _)| !columns.iter().any(|own| own.coach == *id)).collect()
        }
        false => Vec::new(),
    };
    let hours = Hours::of(columns.iter().flat_map(|column| &column.entries));
    let main = html! {
        (task)
        div.toolbar {
            nav.pager aria-label=(t.calendar()) {
                a.button.plain href=(place.with_parameters(&[("date", &move_by(-count))])) aria-label=(t.previous()) {
                    "‹"
                }
                a.button.plain href=(place.with_parameters(&[("date", "")])) { (t.today()) }
                a.button.plain href=(place.with_parameters(&[("date", &move_by(count))])) aria-label=(t.next()) { "›" }
                a.button.plain
                    href=(place.with_parameters(&[("view", if one_day { "" } else { "day" })]))
                {
                    (if one_day { t.week() } else { t.day() })
                }
                @if one_day { b { (written.day(wanted)) } }
                span.quiet { (cx.person.company.time_zone) }
            }
            details.behind open[is_filtered] {
                summary { (t.filter()) }
                form.filters method="get" {
                    input type="hidden" name="view" value=(place.parameter("view"));
                    label { (t.date()) input type="date" name="date" value=(wanted); }
                    label {
                        (t.coach())
                        select name="coachId" {
                            option value="" { (t.all()) }
                            @for (id, label) in &coaches {
                                option value=(id) selected[id == coach] { (label) }
                            }
                        }
                    }
                    label {
                        (t.location())
                        select name="locationId" {
                            option value="" { (t.all()) }
                            @for (id, label) in &locations {
                                option value=(id) selected[id == location] { (label) }
                            }
                        }
                    }
                    label {
                        (t.colours())
                        select name="colours" {
                            option value="" { (t.by_kind()) }
                            option value="coach" selected[place.parameter("colours") == "coach"] {
                                (t.by_coach())
                            }
                        }
                    }
                    button.plain.unscripted type="submit" { (t.show()) }
                }
            }
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
                    @let gap = |hour: i64| {
                        html! {
                            @if date > today
                                || date == today
                                    && hour * 60 + 59 > minute(cx, written.now)
                            {
                                a
                                    href={
                                        "/console/calendar/book?date=" (date) "&coachId=" (coach)
                                        "&hour=" (hour)
                                    }
                                    tabindex="-1"
                                    aria-hidden="true"
                                    data-drop="event"
                                    data-date=(date)
                                    data-time=(format!("{hour:02}:00"))
                                {}
                            }
                        }
                    };
                    (timetable::day(hours, column.entries, &column.shut, now, gap))
                }
            }
        }
    };
    let main = html! {
        (main)
        @if !beside.is_empty() && coach.is_empty() {
            p {
                (t.other_coaches())
                @for (id, name) in beside {
                    " "
                    a href=(place.with_parameters(&[("coachId", id)])) { (name) }
                }
            }
        }
    };
    let noon = format!("{wanted}T12:00");
    let adding = html! {
        @if !classes.is_empty() && cx.may(api::CreateCalendarEvent) {
            (disclosure(t.add_class(), html! {
                (Form::of(cx, api::create_calendar_event())
                    .choice("eventTypeId", t.what(), &classes)
                    .choice("coachId", t.coach(), &coaches)
                    .choice("locationId", t.location(), &locations)
                    .moment("startsAt", t.starts_at(), &noon)
                    .text("capacity", t.seats())
                    .send(t.add_class()))
                (disclosure(t.every_week(), series::adding(cx, &classes, &coaches, &locations)))
            }))
        }
        @if classes.is_empty() && cx.may(api::CreateEventType) {
            a.button.plain href="/console/settings/event-types" { (t.add_class_type()) }
        }
        (disclosure(
            t.add_task(),
            Form::of(cx, api::create_calendar_task())
                .text("title", t.title())
                .choice("coachId", t.coach(), &coaches)
                .moment("startsAt", t.starts_at(), &noon)
                .moment("endsAt", t.ends_at(), &noon)
                .check("blocksSlots", t.blocks_slots())
                .send(t.add_task()),
        ))
        @if cx.may(api::ListEventSeries) {
            a.button.plain href="/console/calendar/series" { (t.weekly_classes()) }
        }
    };
    let acts = html! {
        (disclosure(t.add(), adding))
        @if let Some(answer) = &requests {
            @if answer.total() > 0 {
                a.button.plain href="/console/calendar/requests" {
                    (t.requests_wait()) " " b.number { (written.count(answer.total())) }
                }
            }
        }
        a.button href="/console/calendar/book" { (t.book()) }
    };
    Ok(View::new(t.calendar(), main).acts(acts))
}

/// The colours of kinds or coaches, in their order.
const TONES: [&str; 8] =
    ["tone-0", "tone-1", "tone-2", "tone-3", "tone-4", "tone-5", "tone-6", "tone-7"];

/// What takes place, in the calendar: a class with its seats, an appointment with who comes.
fn event_block(
    cx: &PageContext<'_, '_>,
    event: api::CalendarEvent<'_>,
    client: Option<&str>,
    coach: &str,
    coloured_by: &[String],
) -> Markup {
    let full = event.seats_taken() >= event.capacity();
    let (class, time) = (event.kind() == "class", cx.written.time(event.starts_at()));
    let coloured = match cx.place.parameter("colours") {
        "coach" => event.coach_id(),
        _ => event.event_type_id(),
    };
    let place = coloured_by.iter().position(|id| id == coloured).unwrap_or_default();
    html! {
        a.event.class[class].(TONES[place % TONES.len()])
            draggable="true"
            data-drag="event"
            data-minutes=(time.split(':').nth(1).unwrap_or_default())
            href={ "/console/calendar/events/" (event.calendar_event_id()) }
        {
            // A line each, cut where the block is too narrow. In a timetable the time stands in the second, behind the name.
            span.line {
                span.number.time-first { b { (time) } " " }
                @if let Some(client) = client { b { (client) } } @else { (event.name()) }
            }
            " "
            span.line {
                span.number.time-second aria-hidden="true" { (time) " " }
                @if class {
                    span.number { (event.seats_taken()) "/" (event.capacity()) }
                    @if full { " " (cx.strings.full()) }
                } @else if client.is_some() {
                    (event.name())
                }
            }
            " "
            span.line.quiet { (coach) }
        }
    }
}
