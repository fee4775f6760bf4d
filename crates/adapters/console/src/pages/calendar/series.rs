//! Classes of every week: which there are, on which dates they could not be made, and what changes them.

use maud::{Markup, html};
use serde_json::{Value, json};
use spotter_kernel::Result;

use super::{event, types};
use crate::{
    api::{self, List},
    page_context::PageContext,
    pages::bookings::when,
    parts::{
        fields::{Form, disclosure},
        lists::{by_word, empty, facts, pager, state, table},
        shell::View,
    },
};

/// How far ahead the classes of a series are shown, in days.
const SHOWN_DAYS: i64 = 92;

/// On which days of the week, and when.
pub(in crate::pages) fn days(cx: &PageContext<'_, '_>, recurrence: api::Recurrence<'_>) -> String {
    let days = recurrence.weekdays().iter();
    let days: Vec<_> = days.map(|day| cx.strings.weekday(day)).collect();
    format!("{} {}", days.join(", "), recurrence.start_time())
}

/// Dates on which what comes round every week could not be made, or stayed where it was, each with why.
pub(in crate::pages) fn left_out(
    cx: &PageContext<'_, '_>,
    skipped: List<'_, api::EventSeriesSkipped<'_>>,
) -> Markup {
    let t = cx.strings;
    let (stay, gone): (Vec<_>, Vec<_>) = skipped.iter().partition(|one| one.stays());
    let count = |some: &[api::EventSeriesSkipped<'_>]| cx.written.count(some.len() as i64);
    let why = |reasons: List<'_, &str>| {
        reasons.iter().map(|word| t.term(word)).collect::<Vec<_>>().join(", ")
    };
    html! {
        @for (answer, some) in
            [(t.left_out(&count(&gone)), gone), (t.left_standing(&count(&stay)), stay)]
        {
            @if !some.is_empty() {
                p { (answer) }
                ul {
                    @for one in some {
                        li { (cx.written.day(one.date())) " " span.quiet { (why(one.reasons())) } }
                    }
                }
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
    let form = Form::of(cx, api::create_event_series())
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
    let answer = cx.list(api::list_event_series().status(status))?;
    let today = cx.written.today();
    let is_over = |series: &api::EventSeries<'_>| {
        series.recurrence().until_date().is_some_and(|until| until < today)
    };
    let mut all: Vec<_> = answer.event_series().iter().collect();
    all.sort_by_key(is_over);
    let mut rows = Vec::new();
    for one in all {
        let (coach, location) = (cx.coach(one.coach_id())?, cx.location(one.location_id())?);
        let until = one.recurrence().until_date().map(|date| cx.written.date(date));
        rows.push(vec![
            html! {
                a href={ "/console/calendar/series/" (one.event_series_id()) } {
                    b { (one.name()) }
                }
            },
            html! { (days(cx, one.recurrence())) },
            html! { (coach) },
            html! { (location) },
            html! {
                @if let Some(until) = until { (until) " " }
                @if is_over(&one) { (state(cx, "ended")) }
            },
        ]);
    }
    let (types, coaches, locations) =
        (types(cx, "class")?, cx.coaches_to_plan()?, cx.location_choices()?);
    let t = cx.strings;
    let columns = [t.what(), t.when(), t.coach(), t.location(), t.until()];
    let main = html! {
        (by_word(cx, t.status(), "status", status, &["active", "cancelled"]))
        @if rows.is_empty() {
            (empty(t.no_series(), None))
        } @else {
            (table(t.weekly_classes(), &columns, rows))
            (pager(cx, &answer))
        }
        @if !types.is_empty() && cx.may(api::CreateEventSeries) {
            section.card { (disclosure(t.add_class(), adding(cx, &types, &coaches, &locations))) }
        }
    };
    let acts = html! { a.button.plain href="/console/calendar" { (t.calendar()) } };
    Ok(View::new(t.weekly_classes(), main).acts(acts))
}

/// `/console/calendar/series/{eventSeriesId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("eventSeriesId").to_owned();
    let answer = cx.call(api::get_event_series(&id))?;
    let series = answer.event_series();
    let now = cx.written.now;
    let call = api::list_calendar_events()
        .event_series_id(&id)
        .status("scheduled")
        .from(now)
        .to(now.plus_days(SHOWN_DAYS))
        .limit(100);
    let classes = cx.call(call)?;
    let (coach, location) = (cx.coach(series.coach_id())?, cx.location(series.location_id())?);
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.location_choices()?;
    let (t, written) = (cx.strings, &cx.written);
    let rows = classes.calendar_events().iter().map(|event| {
        let at = format!("/console/calendar/events/{}", event.calendar_event_id());
        vec![
            html! { a href=(at) { (when(cx, event.starts_at())) } },
            html! { (event.seats_taken()) " / " (event.capacity()) },
        ]
    });
    let rows: Vec<_> = rows.collect();
    let goes_on = series.status() == "active";
    let change = Form::of(cx, api::update_event_series(&id)).from(series);
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
                (t.when(), html! { (days(cx, series.recurrence())) }),
                (t.from(), html! { (written.date(series.recurrence().start_date())) }),
                (t.until(), html! { (written.date(series.recurrence().until_date())) }),
                (t.coach(), html! { (coach) }),
                (t.location(), html! { (location) }),
                (t.minutes(), html! { (series.duration_minutes()) }),
                (t.seats(), html! { (series.capacity()) }),
                (t.status(), state(cx, series.status())),
            ]))
            (left_out(cx, series.skipped()))
            @if goes_on && cx.may(api::UpdateEventSeries) {
                @let booked =
                    classes.calendar_events().iter().map(|event| event.seats_taken()).sum();
                (disclosure(t.change_all(), html! {
                    (event::booked(cx, booked))
                    (change.send(t.save()))
                }))
            }
        }
        h2 { (t.upcoming()) }
        @if rows.is_empty() {
            (empty(t.nothing(), None))
        } @else {
            (table(t.upcoming(), &[t.when(), t.seats()], rows))
        }
    };
    let acts = html! {
        a.button.plain href="/console/calendar/series" { (t.back()) }
        @if goes_on && cx.may(api::CancelEventSeries) {
            (disclosure(t.end_it(), html! {
                p { (t.cancel_class_means()) }
                (Form::of(cx, api::cancel_event_series(&id))
                    .previewed()
                    .hidden("scope", "all")
                    .text("reason", t.reason())
                    .text("message", t.mail_sentence())
                    .danger(t.end_weekly()))
            }))
        }
    };
    Ok(View::new(series.name(), main).acts(acts))
}
