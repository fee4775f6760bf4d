//! How a client gets on, for staff and for themselves.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    field_kind::FieldKind,
    page_context::PageContext,
    parts::{
        charts::{self, ChartTable, Point},
        fields::{Form, Upload, disclosure},
        lists::state,
        measures,
        shell::View,
    },
};

/// `/console/clients/{clientId}/progress`
pub(in crate::pages) fn progress(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "progress")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let main = html! { (tabs) (shared_progress(cx, id)?) };
    Ok(View::new(client.full_name(), main))
}

/// Measurements, habits, goals and photos of a client, for the client and for coaches.
pub(in crate::pages) fn shared_progress(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let units = cx.units()?;
    let latest = api::get_latest_measurements(id).units(units);
    let latest = cx.call(latest)?;
    let wanted = match cx.place.parameter("type") {
        "" => latest.measurements().first().map(|one| one.r#type()).unwrap_or("weight").to_owned(),
        kind => kind.to_owned(),
    };
    let series = api::list_measurements(id).r#type(&wanted).limit(100);
    let series = series.units(units);
    let series = cx.call(series)?;
    let types = cx.call(api::list_measurement_types().limit(100))?;
    let goals = cx.call(api::list_goals(id).units(units).limit(20))?;
    let habits = cx.call(api::list_habits(id).limit(20))?;
    let photos = cx.call_if_allowed(api::list_progress_photos(id).limit(12))?;
    let (t, written) = (cx.strings, &cx.written);
    let label = |kind: &str| -> String {
        let found = types.measurement_types().iter().find(|own| own.r#type() == kind);
        found.map_or(kind, |own| measures::label(t, own)).to_owned()
    };
    let mut points: Vec<Point> = Vec::new();
    for one in series.measurements().iter().rev() {
        if let Some(value) = one.value() {
            let label = written.date(one.measured_on());
            points.push(Point { label, value, is_running: false });
        }
    }
    let unit = series.measurements().first().map(|one| one.unit()).unwrap_or_default().to_owned();
    let kinds = measures::choices(t, types.measurement_types(), units);
    let of_kind = FieldKind::Measured.name_of("type");
    let of_goal = FieldKind::Measured.name_of("measurementType");
    let today = written.today().to_string();
    Ok(html! {
        div.figures {
            @for one in latest.measurements() {
                a.figure
                    href={ (cx.place.path) "?type=" (one.r#type()) }
                    aria-current=[(one.r#type() == wanted).then_some("true")]
                {
                    b {
                        @if let Some(pressure) = one.components() {
                            (pressure.systolic()) "/" (pressure.diastolic()) " "
                            small { (one.unit()) }
                        } @else {
                            (measures::value_with_unit(
                                written,
                                one.value().unwrap_or_default(),
                                one.unit(),
                            ))
                        }
                    }
                    (label(one.r#type()))
                }
            }
        }
        section.card {
            h2 { (label(&wanted)) }
            (charts::line(cx, &label(&wanted), &unit, &points, ChartTable::Folded))
            (disclosure(
                t.measure(),
                Form::of(cx, api::record_measurement(id))
                    .choice(&of_kind, t.what(), &kinds)
                    .text("value", t.value())
                    .text("note", t.note())
                    .send(t.save()),
            ))
        }
        div.grid {
            section.card {
                h2 { (t.goals()) }
                @if goals.goals().is_empty() { p.quiet { (t.no_goals()) } }
                ul.rows {
                    @for goal in goals.goals() {
                        li {
                            span.grow {
                                (goal.title()) br;
                                span.quiet {
                                    @if let Some(is) = goal.current_value() {
                                        (measures::value_with_unit(written, is, goal.unit())) " → "
                                    }
                                    (measures::value_with_unit(
                                        written,
                                        goal.target_value(),
                                        goal.unit(),
                                    ))
                                }
                                @if let Some(percent) = goal.progress_percent() {
                                    meter
                                        min="0"
                                        max="100"
                                        value=(percent)
                                        aria-label=(goal.title())
                                    {
                                        (percent) "%"
                                    }
                                }
                            }
                            (state(cx, goal.status()))
                            @if goal.status() == "active" && cx.may(api::UpdateGoal) {
                                (disclosure(
                                    t.end_it(),
                                    Form::of(cx, api::update_goal(id, goal.goal_id()))
                                        .hidden("status", "abandoned")
                                        .danger(t.give_up()),
                                ))
                            }
                        }
                    }
                }
                @if cx.may(api::CreateGoal) {
                    (disclosure(
                        t.add_goal(),
                        Form::of(cx, api::create_goal(id))
                            .hidden("kind", "measurement")
                            .text("title", t.title())
                            .choice(&of_goal, t.measured_by(), &kinds)
                            .text("targetValue", t.target())
                            .text("dueDate", t.target_date())
                            .send(t.add_goal()),
                    ))
                }
            }
            section.card {
                h2 { (t.habits()) }
                @if habits.habits().is_empty() { p.quiet { (t.no_habits()) } }
                ul.rows {
                    @for habit in habits.habits() {
                        li {
                            span.grow {
                                (habit.name()) br;
                                span.quiet {
                                    (t.streak(
                                        &written.count(habit.current_streak()),
                                        &written.count(habit.longest_streak()),
                                    ))
                                }
                            }
                            @if habit.status() == "active" {
                                @let entry = Form::of(
                                    cx,
                                    api::put_habit_entry(id, habit.habit_id(), &today),
                                );
                                @if habit.kind() == "amount" {
                                    (entry
                                        .hidden(
                                            "amount",
                                            habit.target().unwrap_or_default().to_string(),
                                        )
                                        .button(t.done_today()))
                                } @else {
                                    (entry.hidden("status", "done").button(t.done_today()))
                                }
                            } @else {
                                (state(cx, habit.status()))
                            }
                        }
                    }
                }
                @if cx.may(api::CreateHabit) {
                    (disclosure(
                        t.add_habit(),
                        Form::of(cx, api::create_habit(id))
                            .text("name", t.name())
                            .send(t.add_habit()),
                    ))
                }
            }
        }
        @if let Some(photos) = &photos {
            section.card {
                h2 { (t.photos()) }
                @if photos.progress_photos().is_empty() { p.quiet { (t.no_photos()) } }
                ul.rows {
                    @for photo in photos.progress_photos() {
                        @let when = written.date(photo.taken_on());
                        li {
                            a.photo href=(photo.url()) target="_blank" rel="noopener" {
                                img
                                    src=(photo.thumbnail_url())
                                    alt={ (t.photo()) ", " (when) }
                                    loading="lazy"
                                    width="96"
                                    height="96";
                            }
                            span.grow { (when) " · " (t.term(photo.pose())) }
                        }
                    }
                }
                @if cx.may(api::AddProgressPhoto) {
                    @let poses: Vec<_> = cx
                        .words_of("add_progress_photo", "pose")
                        .into_iter()
                        .map(|word| (word.to_owned(), t.term(word)))
                        .collect();
                    (disclosure(
                        t.add_photo(),
                        Form::of(cx, api::add_progress_photo(id))
                            .upload("uploadId", t.photo(), Upload::Photo)
                            .text("takenOn", t.when())
                            .choice("pose", t.pose(), &poses)
                            .text("note", t.note())
                            .send(t.add_photo()),
                    ))
                }
            }
        }
    })
}
