//! Classes of every week: which there are, on which dates they could not be made, and what changes them.

use maud::{Markup, html};
use serde_json::{Value, json};
use spotter_kernel::Result;

use super::{event, types};
use crate::{
    page_context::{ApiCall, PageContext},
    pages::bookings::when,
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{by_word, empty, facts, pager, state, table},
        shell::View,
    },
};

/// How far ahead the classes of a series are shown, in days.
const SHOWN_DAYS: i64 = 92;

/// On which days of the week, and when.
pub(in crate::pages) fn days(cx: &PageContext<'_, '_>, recurrence: &Value) -> String {
    let days = recurrence.list("weekdays").iter().filter_map(Value::as_i64);
    let days: Vec<_> = days.map(|day| cx.strings.weekday(day)).collect();
    format!("{} {}", days.join(", "), recurrence.text("startTime"))
}

/// Dates on which what comes round every week could not be made, or stayed where it was, each with why.
pub(in crate::pages) fn left_out(cx: &PageContext<'_, '_>, series: &Value) -> Markup {
    let t = cx.strings;
    let (stay, gone): (Vec<&Value>, Vec<&Value>) =
        series.list("skipped").iter().partition(|one| one.is("stays"));
    let count = |some: &[&Value]| cx.written.count(some.len() as i64);
    let why = |one: &Value| {
        let reasons = one.list("reasons").iter().filter_map(Value::as_str);
        reasons.map(|word| t.term(word)).collect::<Vec<_>>().join(", ")
    };
    html! {
        @for (answer, some) in [(t.left_out(&count(&gone)), gone), (t.left_standing(&count(&stay)), stay)] {
            @if !some.is_empty() {
                p { (answer) }
                ul { @for one in some {
                    li { (one.date("date").map(|date| cx.written.day(date)).unwrap_or_default()) " " span.quiet { (why(one)) } }
                } }
            }
        }
    }
}

/// What most of what comes round every week begins as.
pub(in crate::pages) fn from_today(cx: &PageContext<'_, '_>) -> Value {
    json!({"recurrence": {"startDate": cx.written.today()}})
}

/// The fields of what comes round every week: its days, its time, from when, and until when.
pub(in crate::pages) fn weekly<'f>(cx: &PageContext<'_, '_>, form: Form<'f>) -> Form<'f> {
    let t = cx.strings;
    on(cx, form)
        .of_type("time", "recurrence.startTime", t.starts_at(), "off")
        .of_type("date", "recurrence.startDate", t.from(), "off")
        .of_type("date", "recurrence.untilDate", t.until(), "off")
}

/// The field of its days.
fn on<'f>(cx: &PageContext<'_, '_>, form: Form<'f>) -> Form<'f> {
    let weekdays: Vec<(String, String)> =
        (1..=7).map(|day| (day.to_string(), cx.strings.weekday(day).to_owned())).collect();
    form.any("recurrence.weekdays", cx.strings.on_days(), &weekdays)
}

/// The form of a class that takes place every week.
pub(super) fn adding(
    cx: &PageContext<'_, '_>,
    classes: &[(String, String)],
    coaches: &[(String, String)],
    locations: &[(String, String)],
) -> Markup {
    let t = cx.strings;
    let usual = from_today(cx);
    let form = Form::of(cx, "create_event_series")
        .from(&usual)
        .next("/console/calendar/series/{eventSeries.eventSeriesId}")
        .choice("eventTypeId", t.what(), classes)
        .choice("coachId", t.coach(), coaches)
        .choice("locationId", t.location(), locations)
        .hidden("onConflict", "skip");
    weekly(cx, form).text("capacity", t.seats()).send(t.add_class())
}

/// `/console/calendar/series`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let status = match cx.place.parameter("status") {
        "" => "active",
        status => status,
    };
    let answer = cx.list(ApiCall::of("list_event_series").with("status", status))?;
    let today = cx.written.today();
    let is_over = |one: &Value| one.date("recurrence.untilDate").is_some_and(|until| until < today);
    let mut all: Vec<&Value> = answer.list("eventSeries").iter().collect();
    all.sort_by_key(|one| is_over(one));
    let mut rows = Vec::new();
    for one in all {
        let (coach, location) =
            (cx.coach(one.text("coachId"))?, cx.location(one.text("locationId"))?);
        let until = one.date("recurrence.untilDate").map(|date| cx.written.date(date));
        rows.push(vec![
            html! { a href={ "/console/calendar/series/" (one.text("eventSeriesId")) } { b { (one.text("name")) } } },
            html! { (days(cx, one.at("recurrence"))) },
            html! { (coach) },
            html! { (location) },
            html! { @if let Some(until) = until { (until) " " } @if is_over(one) { (state(cx, "ended")) } },
        ]);
    }
    let (types, coaches, locations) = (
        types(cx, "class")?,
        cx.coaches_to_plan()?,
        cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?,
    );
    let t = cx.strings;
    let columns = [t.what(), t.when(), t.coach(), t.location(), t.until()];
    let main = html! {
        (by_word(cx, (t.status(), "status", status), &["active", "cancelled"]))
        @if rows.is_empty() { (empty(t.no_series(), None)) }
        @else { (table(t.weekly_classes(), &columns, rows)) (pager(cx, &answer)) }
        @if !types.is_empty() && cx.may("create_event_series") {
            section.card { (disclosure(t.add_class(), adding(cx, &types, &coaches, &locations))) }
        }
    };
    let acts = html! { a.button.plain href="/console/calendar" { (t.calendar()) } };
    Ok(View::new(t.weekly_classes(), main).acts(acts))
}

/// `/console/calendar/series/{eventSeriesId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("eventSeriesId").to_owned();
    let answer = cx.call(ApiCall::of("get_event_series").at("eventSeriesId", &id))?;
    let series = answer.at("eventSeries");
    let now = cx.written.now;
    let query =
        ApiCall::of("list_calendar_events").with("eventSeriesId", &id).with("status", "scheduled");
    let query = query.with("from", now).with("to", now.plus_days(SHOWN_DAYS)).with("limit", 100);
    let classes = cx.call(query)?;
    let (coach, location) =
        (cx.coach(series.text("coachId"))?, cx.location(series.text("locationId"))?);
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let (t, written) = (cx.strings, &cx.written);
    let date = |place| series.date(place).map(|date| written.date(date)).unwrap_or_default();
    let rows = classes.list("calendarEvents").iter().map(|event| {
        let at = format!("/console/calendar/events/{}", event.text("calendarEventId"));
        vec![
            html! { a href=(at) { (when(cx, event)) } },
            html! { (event.int("seatsTaken")) " / " (event.int("capacity")) },
        ]
    });
    let rows: Vec<_> = rows.collect();
    let goes_on = series.text("status") == "active";
    let at = || vec![("eventSeriesId", id.clone())];
    let change = Form::about(cx, "update_event_series", at()).from(series);
    let change = on(cx, change.hidden("scope", "all").hidden("onConflict", "skip"))
        .previewed()
        .of_type("time", "recurrence.startTime", t.starts_at(), "off")
        .of_type("date", "recurrence.untilDate", t.until(), "off")
        .text("name", t.name())
        .choice("coachId", t.coach(), &coaches)
        .choice("locationId", t.location(), &locations)
        .text("durationMinutes", t.minutes())
        .text("capacity", t.seats());
    let main = html! {
        section.card {
            (facts(vec![
                (t.when(), html! { (days(cx, series.at("recurrence"))) }),
                (t.from(), html! { (date("recurrence.startDate")) }),
                (t.until(), html! { (date("recurrence.untilDate")) }),
                (t.coach(), html! { (coach) }),
                (t.location(), html! { (location) }),
                (t.minutes(), html! { (series.int("durationMinutes")) }),
                (t.seats(), html! { (series.int("capacity")) }),
                (t.status(), state(cx, series.text("status"))),
            ]))
            (left_out(cx, series))
            @if goes_on && cx.may("update_event_series") {
                @let booked = classes.list("calendarEvents").iter().map(|event| event.int("seatsTaken")).sum();
                (disclosure(t.change_all(), html! { (event::booked(cx, booked)) (change.send(t.save())) }))
            }
        }
        h2 { (t.upcoming()) }
        @if rows.is_empty() { (empty(t.nothing(), None)) }
        @else { (table(t.upcoming(), &[t.when(), t.seats()], rows)) }
    };
    let acts = html! {
        a.button.plain href="/console/calendar/series" { (t.back()) }
        @if goes_on && cx.may("cancel_event_series") {
            (disclosure(t.end_it(), html! {
                p { (t.call_off_means()) }
                (Form::about(cx, "cancel_event_series", at()).previewed().hidden("scope", "all").text("reason", t.reason()).danger(t.end_weekly()))
            }))
        }
    };
    Ok(View::new(series.text("name"), main).acts(acts))
}
