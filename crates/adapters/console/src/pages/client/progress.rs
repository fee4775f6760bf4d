//! How a client gets on, for staff and for themselves.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{Head, at, head};
use crate::{
    field_kind::FieldKind,
    page_context::{ApiCall, PageContext},
    parts::{
        charts::{self, Point},
        fields::{Form, Upload, disclosure},
        format::{JsonFields, name},
        lists::state,
        measures,
        shell::View,
    },
};

/// `/console/clients/{clientId}/progress`
pub(in crate::pages) fn progress(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "progress")?;
    let main = shared_progress(cx, &id, tabs)?;
    Ok(View::new(name(&client), main))
}

/// What somebody has measured, kept up and reached for: for them and for those who coach them.
pub(in crate::pages) fn shared_progress(
    cx: &mut PageContext<'_, '_>,
    id: &str,
    tabs: Markup,
) -> Result<Markup> {
    let units = cx.units()?;
    let latest = ApiCall::of("get_latest_measurements").at("clientId", id).with("units", units);
    let latest = cx.call(latest)?;
    let wanted = match cx.place.parameter("type") {
        "" => latest
            .list("measurements")
            .first()
            .map(|one| one.text("type"))
            .unwrap_or("weight")
            .to_owned(),
        kind => kind.to_owned(),
    };
    let series = ApiCall::of("list_measurements")
        .at("clientId", id)
        .with("type", &wanted)
        .with("limit", 100);
    let series = series.with("units", units);
    let series = cx.call(series)?;
    let types = cx.call(ApiCall::of("list_measurement_types").with("limit", 100))?;
    let goals = cx.call(
        ApiCall::of("list_goals").at("clientId", id).with("units", units).with("limit", 20),
    )?;
    let habits = cx.call(ApiCall::of("list_habits").at("clientId", id).with("limit", 20))?;
    let photos = cx.call_if_allowed(
        ApiCall::of("list_progress_photos").at("clientId", id).with("limit", 12),
    )?;
    let (t, written) = (cx.strings, &cx.written);
    let label = |kind: &str| -> String {
        let found = types.list("measurementTypes").iter().find(|own| own.text("type") == kind);
        found.map_or(kind, |own| own.text("label")).to_owned()
    };
    let mut points: Vec<Point> = Vec::new();
    for one in series.list("measurements").iter().rev() {
        if let (Some(date), Some(value)) = (one.date("measuredOn"), one.at("value").as_f64()) {
            points.push(Point { label: written.date(date), value });
        }
    }
    let unit = series
        .list("measurements")
        .first()
        .map(|one| one.text("unit"))
        .unwrap_or_default()
        .to_owned();
    let kinds = measures::choices(types.list("measurementTypes"), units);
    let of_kind = FieldKind::Measured.name_of("type");
    let of_goal = FieldKind::Measured.name_of("measurementType");
    let today = written.today().to_string();
    Ok(html! {
        (tabs)
        div.figures {
            @for one in latest.list("measurements") {
                a.figure href={ (cx.place.path) "?type=" (one.text("type")) } aria-current=[(one.text("type") == wanted).then_some("true")] {
                    b {
                        @if one.at("components").is_object() { (one.int("components.systolic")) "/" (one.int("components.diastolic")) " " small { (one.text("unit")) } }
                        @else { (measures::value_with_unit(written, one.at("value").as_f64().unwrap_or_default(), one.text("unit"))) }
                    }
                    (label(one.text("type")))
                }
            }
        }
        section.card {
            h2 { (label(&wanted)) }
            (charts::line(cx, &label(&wanted), &unit, &points))
            (disclosure(t.measure(),
                Form::about(cx, "record_measurement", at(id)).choice(&of_kind, t.what(), &kinds).text("value", t.value()).text("note", t.note()).send(t.save())))
        }
        div.grid {
            section.card {
                h2 { (t.goals()) }
                @if goals.list("goals").is_empty() { p.quiet { (t.no_goals()) } }
                ul.rows {
                    @for goal in goals.list("goals") {
                        li {
                            span.grow {
                                (goal.text("title"))
                                @if let Some(target) = goal.at("targetValue").as_f64() {
                                    br; span.quiet { @if let Some(is) = goal.at("currentValue").as_f64() { (measures::value_with_unit(written, is, goal.text("unit"))) " → " } (measures::value_with_unit(written, target, goal.text("unit"))) }
                                }
                                @if goal.has("progressPercent") {
                                    meter min="0" max="100" value=(goal.int("progressPercent")) aria-label=(goal.text("title")) { (goal.int("progressPercent")) "%" }
                                }
                            }
                            (state(cx, goal.text("status")))
                            @if goal.text("status") == "active" && cx.may("update_goal") {
                                (disclosure(t.end_it(), Form::about(cx, "update_goal", vec![("clientId", id.to_owned()), ("goalId", goal.text("goalId").to_owned())]).hidden("status", "abandoned").danger(t.give_up())))
                            }
                        }
                    }
                }
                @if cx.may("create_goal") {
                    (disclosure(t.add_goal(), Form::about(cx, "create_goal", at(id)).hidden("kind", "measurement").text("title", t.title())
                        .choice(&of_goal, t.measured_by(), &kinds).text("targetValue", t.target()).text("dueDate", t.due()).send(t.add_goal())))
                }
            }
            section.card {
                h2 { (t.habits()) }
                @if habits.list("habits").is_empty() { p.quiet { (t.no_habits()) } }
                ul.rows {
                    @for habit in habits.list("habits") {
                        li {
                            span.grow { (habit.text("name")) br; span.quiet { (t.streak(&written.count(habit.int("currentStreak")), &written.count(habit.int("longestStreak")))) } }
                            @if habit.text("status") == "active" {
                                @let entry = Form::about(cx, "put_habit_entry", vec![("clientId", id.to_owned()), ("habitId", habit.text("habitId").to_owned()), ("date", today.clone())]);
                                @if habit.text("kind") == "amount" { (entry.hidden("amount", habit.at("target").to_string()).button(t.done_today())) }
                                @else { (entry.hidden("status", "done").button(t.done_today())) }
                            } @else { (state(cx, habit.text("status"))) }
                        }
                    }
                }
                @if cx.may("create_habit") { (disclosure(t.add_habit(), Form::about(cx, "create_habit", at(id)).text("name", t.name()).send(t.add_habit()))) }
            }
        }
        @if let Some(photos) = &photos {
            section.card {
                h2 { (t.photos()) }
                @if photos.list("progressPhotos").is_empty() { p.quiet { (t.no_photos()) } }
                ul.rows {
                    @for photo in photos.list("progressPhotos") {
                        @let when = photo.date("takenOn").map(|date| written.date(date)).unwrap_or_default();
                        li { a.photo href=(photo.text("url")) target="_blank" rel="noopener" { img src=(photo.text("thumbnailUrl")) alt={ (t.photo()) ", " (when) } loading="lazy" width="96" height="96"; }
                            span.grow { (when) " · " (t.term(photo.text("pose"))) } }
                    }
                }
                @if cx.may("add_progress_photo") {
                    @let poses: Vec<_> = cx.words_of("add_progress_photo", "pose").into_iter().map(|word| (word.to_owned(), t.term(word))).collect();
                    (disclosure(t.add_photo(), Form::about(cx, "add_progress_photo", at(id)).upload("uploadId", t.photo(), Upload::Photo)
                        .text("takenOn", t.when()).choice("pose", t.pose(), &poses).text("note", t.note()).send(t.add_photo())))
                }
            }
        }
    })
}
