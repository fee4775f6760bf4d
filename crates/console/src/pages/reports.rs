//! Reports: who comes, what is earned, who stays; each as a plot, as a table with what its rates are made of, and as CSV.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Problem, Result};

use crate::{
    parts::{
        charts::{self, Point},
        lists::table,
        shell::Shown,
        told::Told,
    },
    visit::{Ask, Visit},
};

/// What a report is asked for: from when, to when, by what.
struct Wanted {
    from: Date,
    to: Date,
    group: &'static str,
}

fn wanted(cx: &Visit<'_, '_>) -> Wanted {
    let today = cx.written.today();
    let group = match cx.place.asked("groupBy") {
        "day" => "day",
        "week" => "week",
        _ => "month",
    };
    let from = cx.place.date("from").unwrap_or_else(|| today.plus_months(-11).first_of_month());
    let to = cx.place.date("to").unwrap_or(today);
    Wanted { from, to, group }
}

fn ask(cx: &mut Visit<'_, '_>, operation: &'static str, wanted: &Wanted) -> Result<Value> {
    let ask = Ask::of(operation)
        .with("from", wanted.from)
        .with("to", wanted.to)
        .with("groupBy", wanted.group);
    let ask = ask.with("locationId", cx.place.asked("locationId"));
    Ok(cx.ask(ask.with("coachId", cx.place.asked("coachId")))?["report"].take())
}

fn controls(cx: &mut Visit<'_, '_>, here: &str, wanted: &Wanted, by_coach: bool) -> Result<Markup> {
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let coaches = cx.choices(Ask::of("list_coaches"), ("coaches", "coachId"))?;
    let (say, place) = (cx.say, cx.place);
    Ok(html! {
        nav.tabs aria-label=(say.reports()) {
            @for (path, label) in [("", say.attendance()), ("/revenue", say.revenue()), ("/retention", say.retention())] {
                a href={ "/console/reports" (path) } aria-current=[(path == here).then_some("page")] { (label) }
            }
        }
        form.filters method="get" {
            label { (say.from()) input type="date" name="from" value=(wanted.from); }
            label { (say.until()) input type="date" name="to" value=(wanted.to); }
            label { (say.by())
                select name="groupBy" { @for (word, label) in [("day", say.day()), ("week", say.week()), ("month", say.month())] { option value=(word) selected[word == wanted.group] { (label) } } }
            }
            label { (say.location())
                select name="locationId" { option value="" { (say.all()) } @for (id, label) in &locations { option value=(id) selected[place.asked("locationId") == id] { (label) } } }
            }
            @if by_coach {
                label { (say.coach())
                    select name="coachId" { option value="" { (say.all()) } @for (id, label) in &coaches { option value=(id) selected[place.asked("coachId") == id] { (label) } } }
                }
            }
            button.plain type="submit" { (say.show()) }
        }
    })
}

/// What there is to say of a range that cannot be reported, below what chooses another.
fn refused(cx: &Visit<'_, '_>, controls: Markup, problem: Problem) -> Result<Shown> {
    if !matches!(problem.status, 400 | 422) {
        return Err(problem);
    }
    let main = html! { (controls) p.mistake role="alert" { (problem.message) } };
    Ok(Shown::new(cx.say.reports(), main))
}

fn label(cx: &Visit<'_, '_>, bucket: &Value, group: &str) -> String {
    let Some(from) = bucket.date("from") else { return String::new() };
    match group {
        "month" => cx.written.month(from),
        _ => cx.written.date(from),
    }
}

/// A rate with what it is made of.
fn rate(cx: &Visit<'_, '_>, of: &Value) -> Markup {
    html! {
        span.number { (cx.written.share(of.at("value").as_f64())) }
        " " span.quiet.number { (cx.written.count(of.int("numerator"))) "/" (cx.written.count(of.int("denominator"))) }
    }
}

fn count(cx: &Visit<'_, '_>, of: &Value, place: &str) -> Markup {
    html! { span.number { @if of.has(place) { (cx.written.count(of.int(place))) } @else { "–" } } }
}

/// `/console/reports`
pub(super) fn attendance(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let wanted = wanted(cx);
    let controls = controls(cx, "", &wanted, true)?;
    let report = match ask(cx, "get_attendance_report", &wanted) {
        Ok(report) => report,
        Err(problem) => return refused(cx, controls, problem),
    };
    let say = cx.say;
    let points: Vec<Point> = report
        .list("buckets")
        .iter()
        .map(|bucket| Point {
            label: label(cx, bucket, wanted.group),
            value: bucket.int("attended") as f64,
        })
        .collect();
    let row = |name: String, of: &Value| {
        vec![
            html! { (name) },
            count(cx, of, "attended"),
            count(cx, of, "noShows"),
            count(cx, of, "lateCancellations"),
            rate(cx, of.at("attendanceRate")),
            rate(cx, of.at("fillRate")),
            count(cx, of, "uniqueClients"),
        ]
    };
    let mut rows: Vec<_> = report
        .list("buckets")
        .iter()
        .rev()
        .map(|bucket| row(label(cx, bucket, wanted.group), bucket))
        .collect();
    rows.push(row(say.total().to_owned(), report.at("totals")));
    let columns = [
        say.period(),
        say.attended(),
        say.no_shows(),
        say.late(),
        say.attendance(),
        say.fill(),
        say.people(),
    ];
    let main = html! {
        (controls)
        section.card { h2 { (say.attended()) } (charts::bars(cx, say.attended(), &points)) }
        (table(say.attendance(), &columns, rows))
    };
    Ok(Shown::new(say.reports(), main))
}

/// `/console/reports/revenue`
pub(super) fn revenue(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let wanted = wanted(cx);
    let controls = controls(cx, "/revenue", &wanted, false)?;
    let report = match ask(cx, "get_revenue_report", &wanted) {
        Ok(report) => report,
        Err(problem) => return refused(cx, controls, problem),
    };
    let (say, written) = (cx.say, &cx.written);
    let own = cx.person.company.currency.code().to_owned();
    let decimals = 10f64.powi(cx.person.company.currency.decimals() as i32);
    let points: Vec<Point> = report
        .list("buckets")
        .iter()
        .map(|bucket| {
            let block =
                bucket.list("currencies").iter().find(|block| block.text("currency") == own);
            Point {
                label: label(cx, bucket, wanted.group),
                value: block.map_or(0, |block| block.int("netCollected")) as f64 / decimals,
            }
        })
        .collect();
    let money = |of: &Value, place: &str| {
        html! {
            span.number { @if of.has(place) { (written.money(of.int(place), of.text("currency"))) } @else { "–" } }
        }
    };
    let row = |name: &str, of: &Value| {
        vec![
            html! { (name) },
            money(of, "invoiced.gross"),
            money(of, "credited.gross"),
            money(of, "collected"),
            money(of, "refunded"),
            money(of, "netCollected"),
            money(of, "outstanding"),
            money(of, "mrr"),
        ]
    };
    let money_of = |of: &Value| -> Value {
        // What stands one deeper has its currency beside it.
        let mut of = of.clone();
        for place in ["invoiced", "credited"] {
            of[place]["currency"] = of["currency"].clone();
        }
        of
    };
    let mut rows = Vec::new();
    for bucket in report.list("buckets").iter().rev() {
        for block in bucket.list("currencies") {
            rows.push(row(&label(cx, bucket, wanted.group), &money_of(block)));
        }
    }
    for block in report.list("totals") {
        rows.push(row(say.total(), &money_of(block)));
    }
    let columns = [
        say.period(),
        say.invoiced(),
        say.credited(),
        say.collected(),
        say.refunded(),
        say.net(),
        say.outstanding(),
        say.mrr(),
    ];
    let main = html! {
        (controls)
        section.card { h2 { (say.net_collected()) " (" (own) ")" } (charts::bars(cx, say.net_collected(), &points)) }
        (table(say.revenue(), &columns, rows))
    };
    Ok(Shown::new(say.reports(), main))
}

/// `/console/reports/retention`
pub(super) fn retention(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let wanted = wanted(cx);
    let controls = controls(cx, "/retention", &wanted, true)?;
    let report = match ask(cx, "get_retention_report", &wanted) {
        Ok(report) => report,
        Err(problem) => return refused(cx, controls, problem),
    };
    let say = cx.say;
    let points: Vec<Point> = report
        .list("buckets")
        .iter()
        .map(|bucket| Point {
            label: label(cx, bucket, wanted.group),
            value: bucket.int("atEnd") as f64,
        })
        .collect();
    let rows: Vec<_> = report
        .list("buckets")
        .iter()
        .rev()
        .map(|bucket| {
            vec![
                html! { (label(cx, bucket, wanted.group)) },
                count(cx, bucket, "atStart"),
                count(cx, bucket, "joined"),
                count(cx, bucket, "returned"),
                count(cx, bucket, "left"),
                count(cx, bucket, "atEnd"),
                rate(cx, bucket.at("retentionRate")),
                rate(cx, bucket.at("churnRate")),
            ]
        })
        .collect();
    let columns = [
        say.period(),
        say.at_start(),
        say.joined(),
        say.returned(),
        say.left(),
        say.at_end(),
        say.retention(),
        say.churn(),
    ];
    let main = html! {
        (controls)
        section.card { h2 { (say.members()) } (charts::line(cx, say.members(), "", &points)) }
        (table(say.retention(), &columns, rows))
    };
    Ok(Shown::new(say.reports(), main))
}
