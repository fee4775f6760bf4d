//! Training: planned workouts, past ones and records.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api::{self, Answer, ClientPlan, ScheduledWorkout},
    page_context::PageContext,
    pages::programmes,
    parts::{
        fields::{Form, disclosure},
        format::Format,
        lists::{pager, state},
        shell::View,
    },
};

/// What of the days to come is planned for training.
pub(super) fn planned(
    cx: &mut PageContext<'_, '_>,
    days: i64,
) -> Result<Answer<api::GetClientWorkoutCalendar>> {
    let (own, today) = (cx.own_id(), cx.written.today());
    let until = today.plus_days(days).unwrap_or(today);
    let call = api::get_client_workout_calendar(&own).from(today).to(until);
    cx.call_or_empty(call)
}

/// A day of training with what begins it, or goes on with it.
pub(super) fn workout(cx: &PageContext<'_, '_>, item: ScheduledWorkout<'_>) -> Markup {
    let own = cx.own_id();
    let t = cx.strings;
    let open = matches!(item.status(), "today" | "missed" | "planned" | "in_progress" | "upcoming");
    html! {
        li {
            span.grow {
                @if item.status() == "locked" {
                    b { (item.name()) }
                } @else {
                    a href=(day_of(item)) { b { (item.name()) } }
                }
                br;
                span.quiet {
                    @if let Some(date) = item.scheduled_date() { (cx.written.day(date)) }
                    " · " (item.plan_name())
                }
            }
            @if item.status() == "in_progress" {
                a.button href={ "/my/training/" (item.session_id()) } { (t.proceed()) }
            } @else if !item.session_id().is_empty() {
                a href={ "/my/training/" (item.session_id()) } { (state(cx, item.status())) }
            } @else if open
                && item.scheduled_date().is_some_and(|date| date <= cx.written.today())
            {
                (beginning(cx, own, [item.plan_id(), item.plan_moment_id(), &planned_date(item)])
                    .send(t.begin()))
            } @else {
                (state(cx, item.status()))
            }
        }
    }
}

/// Path of a planned workout, which can be opened before its day.
fn day_of(item: ScheduledWorkout<'_>) -> String {
    let (plan, day, date) = (item.plan_id(), item.plan_moment_id(), planned_date(item));
    format!("/my/training/days/{plan}/{day}?date={date}")
}

/// The date on which a workout was planned; empty where it has none.
fn planned_date(item: ScheduledWorkout<'_>) -> String {
    item.planned_date().map(|date| date.to_string()).unwrap_or_default()
}

/// What begins a day of a plan, on a date that it is planned for, where there is one.
fn beginning<'f>(
    cx: &'f PageContext<'_, '_>,
    own: String,
    [plan, day, date]: [&str; 3],
) -> Form<'f> {
    let form = Form::of(cx, api::begin_workout_session(&own))
        .hidden("planId", plan)
        .hidden("planMomentId", day);
    let form = if date.is_empty() { form } else { form.hidden("occurrenceDate", date) };
    form.next("/my/training/{session.sessionId}")
}

/// `/my/training/days/{planId}/{planMomentId}`: the exercises of a day, and the button that starts it.
pub(in crate::pages) fn day(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let [plan, id] = ["planId", "planMomentId"].map(|name| cx.place.param(name).to_owned());
    let answer = cx.call(api::get_client_workout_day(&own, &plan, &id))?;
    let unit = programmes::weight_unit(cx)?;
    let date = cx.place.parameter("date").to_owned();
    let (t, day) = (cx.strings, answer.day());
    let main = html! {
        @if let Some(date) = spotter_kernel::Date::parse(&date) { p { (cx.written.day(date)) } }
        @if !day.notes().is_empty() { p.quiet { (day.notes()) } }
        section.card {
            ul.rows {
                @for exercise in day.exercises() {
                    li {
                        span.grow {
                            b { (exercise.name()) }
                            br;
                            span.quiet { (programmes::prescription(cx, exercise, &unit)) }
                            @if !exercise.notes().is_empty() {
                                br;
                                span.quiet { (exercise.notes()) }
                            }
                        }
                    }
                }
            }
        }
        (beginning(cx, own, [&plan, &id, &date]).send(t.begin()))
    };
    Ok(View::new(day.name(), main)
        .acts(html! { a.button.plain href="/my/training" { (t.training()) } }))
}

/// A few active programmes without dates, each with its days, which are done in any order.
fn undated<'a>(
    cx: &mut PageContext<'_, '_>,
    own: &str,
    plans: &'a Answer<api::ListClientWorkoutPlans>,
) -> Result<Vec<(ClientPlan<'a>, Answer<api::ListClientWorkoutDays>)>> {
    let plans = plans.plans().iter().filter(|plan| plan.start_date().is_none()).take(5);
    plans
        .map(|plan| Ok((plan, cx.call_or_empty(api::list_client_workout_days(own, plan.id()))?)))
        .collect()
}

/// `/my/training`
pub(in crate::pages) fn home(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let calendar = planned(cx, 13)?;
    let coming = calendar.calendar().items();
    let active = api::list_client_workout_plans(&own).status("Active").limit(50);
    let plans = cx.call_or_empty(active)?;
    let undated = undated(cx, &own, &plans)?;
    let done = cx.list_if_allowed(api::list_workout_sessions(&own))?;
    let records = cx.call_or_empty(api::list_personal_records(&own).limit(10))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        section.card {
            h2 { (t.planned()) }
            @if coming.is_empty() && undated.is_empty() { p.quiet { (t.no_workout()) } }
            ul.rows { @for item in coming { (workout(cx, item)) } }
        }
        @for (plan, days) in &undated {
            section.card {
                h2 { (plan.name()) }
                p.quiet { (t.in_your_own_time()) }
                ul.rows {
                    @for day in days.days() {
                        li {
                            span.grow {
                                a
                                    href={
                                        "/my/training/days/" (plan.id()) "/" (day.plan_moment_id())
                                    }
                                {
                                    b { (day.name()) }
                                }
                                br;
                                span.quiet {
                                    (day.exercises()
                                        .iter()
                                        .map(|one| one.name())
                                        .collect::<Vec<_>>()
                                        .join(", "))
                                }
                            }
                            (beginning(cx, own.clone(), [plan.id(), day.plan_moment_id(), ""])
                                .button(t.begin()))
                        }
                    }
                }
            }
        }
        @if cx.may(api::BeginWorkoutSession) {
            (disclosure(
                t.own_workout(),
                Form::of(cx, api::begin_workout_session(&own))
                    .text("name", t.name())
                    .next("/my/training/{session.sessionId}/add")
                    .send(t.begin()),
            ))
        }
        section.card {
            h2 { (t.records()) }
            ul.rows {
                @for lift in records.personal_records() {
                    li {
                        span.grow { (lift.name()) }
                        span.number {
                            @for record in lift.records().iter().take(1) {
                                (record_value(written, record, lift.weight_unit())) " "
                                span.quiet { (t.term(record.r#type())) }
                            }
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (t.sessions()) }
            ul.rows {
                @for session in done.iter().flat_map(|done| done.sessions()) {
                    li {
                        span.number { (written.date(session.local_date())) }
                        a.grow href={ "/my/training/" (session.session_id()) } { (session.name()) }
                        (state(cx, session.status()))
                    }
                }
            }
        }
        @if let Some(done) = &done { (pager(cx, done)) }
    };
    Ok(View::new(t.training(), main))
}

/// What a record is, in its unit.
fn record_value(
    written: &Format,
    record: api::ExerciseRecordsRecord<'_>,
    weight_unit: &str,
) -> String {
    let value = written.number(record.value(), 2);
    match record.r#type() {
        "max_reps" => value,
        "max_duration" => format!("{value} s"),
        "max_distance" => format!("{value} m"),
        _ => format!("{value} {weight_unit}"),
    }
}
