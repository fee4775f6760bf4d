//! Reports: who comes, what is earned, who stays; each as a plot, as a table with what its rates are made of, and as CSV.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result};

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        charts::{self, Point},
        format::JsonFields,
        lists::{self, table},
        shell::View,
    },
};

/// What a report is asked for: from when, to when, by what.
struct ReportQuery {
    from: Date,
    to: Date,
    group: &'static str,
}

fn wanted(cx: &PageContext<'_, '_>) -> ReportQuery {
    let today = cx.written.today();
    let group = match cx.place.parameter("groupBy") {
        "day" => "day",
        "week" => "week",
        _ => "month",
    };
    let from = cx.place.date("from").unwrap_or_else(|| today.plus_months(-11).first_of_month());
    let to = cx.place.date("to").unwrap_or(today);
    ReportQuery { from, to, group }
}

fn report_call(
    cx: &mut PageContext<'_, '_>,
    operation: &'static str,
    wanted: &ReportQuery,
) -> Result<Value> {
    let query = ApiCall::of(operation)
        .with("from", wanted.from)
        .with("to", wanted.to)
        .with("groupBy", wanted.group);
    let query = query.with("locationId", cx.place.parameter("locationId"));
    Ok(cx.call(query.with("coachId", cx.place.parameter("coachId")))?["report"].take())
}

fn controls(
    cx: &mut PageContext<'_, '_>,
    here: &str,
    wanted: &ReportQuery,
    by_coach: bool,
) -> Result<Markup> {
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let coaches = cx.choices(ApiCall::of("list_coaches"), ("coaches", "coachId"))?;
    let (t, place) = (cx.strings, cx.place);
    let pages = [
        ("", t.attendance(), ""),
        ("/revenue", t.revenue(), ""),
        ("/retention", t.retention(), ""),
    ];
    Ok(html! {
        (lists::tabs(cx, (t.reports(), "/console/reports", here), &pages))
        form.filters method="get" {
            label { (t.from()) input type="date" name="from" value=(wanted.from); }
            label { (t.until()) input type="date" name="to" value=(wanted.to); }
            label { (t.by())
                select name="groupBy" { @for (word, label) in [("day", t.day()), ("week", t.week()), ("month", t.month())] { option value=(word) selected[word == wanted.group] { (label) } } }
            }
            label { (t.location())
                select name="locationId" { option value="" { (t.all()) } @for (id, label) in &locations { option value=(id) selected[place.parameter("locationId") == id] { (label) } } }
            }
            @if by_coach {
                label { (t.coach())
                    select name="coachId" { option value="" { (t.all()) } @for (id, label) in &coaches { option value=(id) selected[place.parameter("coachId") == id] { (label) } } }
                }
            }
            button.plain type="submit" { (t.show()) }
        }
    })
}

/// What a report has told.
struct Report {
    told: Value,
    group: &'static str,
}

impl Report {
    /// What a period is called.
    fn label(&self, cx: &PageContext<'_, '_>, bucket: &Value) -> String {
        let Some(from) = bucket.date("from") else { return String::new() };
        match self.group {
            "month" => cx.written.month(from),
            _ => cx.written.date(from),
        }
    }

    /// The points of a plot, by the period.
    fn points(&self, cx: &PageContext<'_, '_>, value: impl Fn(&Value) -> f64) -> Vec<Point> {
        let buckets = self.told.list("buckets").iter();
        buckets.map(|one| Point { label: self.label(cx, one), value: value(one) }).collect()
    }

    /// The periods with what they are called, the newest first.
    fn periods(&self, cx: &PageContext<'_, '_>) -> Vec<(String, &Value)> {
        let buckets = self.told.list("buckets").iter().rev();
        buckets.map(|bucket| (self.label(cx, bucket), bucket)).collect()
    }
}

/// The page of a report: what chooses, and below it what was told, or why nothing can be told of such a range.
fn page(
    cx: &mut PageContext<'_, '_>,
    (here, operation, by_coach): (&str, &'static str, bool),
    main: impl FnOnce(&PageContext<'_, '_>, &Report) -> Markup,
) -> Result<View> {
    let wanted = wanted(cx);
    let controls = controls(cx, here, &wanted, by_coach)?;
    let below = match report_call(cx, operation, &wanted) {
        Ok(answer) => main(cx, &Report { told: answer, group: wanted.group }),
        Err(problem) if matches!(problem.status, 400 | 422) => {
            html! { p.mistake role="alert" { (cx.strings.until()) ": " (cx.strings.refusal(&problem)) } }
        }
        Err(problem) => return Err(problem),
    };
    Ok(View::new(cx.strings.reports(), html! { (controls) (below) }))
}

/// A rate with what it is made of.
fn rate(cx: &PageContext<'_, '_>, of: &Value) -> Markup {
    html! {
        span.number { (cx.written.share(of.at("value").as_f64())) }
        " " span.quiet.number { (cx.written.count(of.int("numerator"))) "/" (cx.written.count(of.int("denominator"))) }
    }
}

fn count(cx: &PageContext<'_, '_>, of: &Value, place: &str) -> Markup {
    html! { span.number { @if of.has(place) { (cx.written.count(of.int(place))) } @else { "–" } } }
}

/// `/console/reports`
pub(super) fn attendance(cx: &mut PageContext<'_, '_>) -> Result<View> {
    page(cx, ("", "get_attendance_report", true), |cx, report| {
        let t = cx.strings;
        let points = report.points(cx, |bucket| bucket.int("attended") as f64);
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
        let periods = report.periods(cx).into_iter().map(|(name, bucket)| row(name, bucket));
        let mut rows: Vec<_> = periods.collect();
        rows.push(row(t.total().to_owned(), report.told.at("totals")));
        let columns = [
            t.period(),
            t.attended(),
            t.no_shows(),
            t.late(),
            t.attendance(),
            t.fill(),
            t.people(),
        ];
        html! {
            section.card { h2 { (t.attended()) } (charts::bars(cx, t.attended(), &points)) }
            (table(t.attendance(), &columns, rows))
        }
    })
}

/// `/console/reports/revenue`
pub(super) fn revenue(cx: &mut PageContext<'_, '_>) -> Result<View> {
    page(cx, ("/revenue", "get_revenue_report", false), |cx, report| {
        let t = cx.strings;
        let currency = &cx.person.company.currency;
        let (own, unit) = (currency.code(), 10f64.powi(currency.decimals() as i32));
        let points = report.points(cx, |bucket| {
            let mut blocks = bucket.list("currencies").iter();
            let block = blocks.find(|block| block.text("currency") == own);
            block.map_or(0, |block| block.int("netCollected")) as f64 / unit
        });
        let row = |name: &str, of: &Value| {
            let money = |place: &str| {
                html! {
                    span.number { @if of.has(place) { (cx.written.money(of.int(place), of.text("currency"))) } @else { "–" } }
                }
            };
            vec![
                html! { (name) },
                money("invoiced.gross"),
                money("credited.gross"),
                money("collected"),
                money("refunded"),
                money("netCollected"),
                money("outstanding"),
                money("mrr"),
            ]
        };
        let mut rows = Vec::new();
        for (name, bucket) in report.periods(cx) {
            rows.extend(bucket.list("currencies").iter().map(|block| row(&name, block)));
        }
        rows.extend(report.told.list("totals").iter().map(|block| row(t.total(), block)));
        let columns = [
            t.period(),
            t.invoiced(),
            t.credited(),
            t.collected(),
            t.refunded(),
            t.net(),
            t.outstanding(),
            t.mrr(),
        ];
        html! {
            section.card { h2 { (t.net_collected()) " (" (own) ")" } (charts::bars(cx, t.net_collected(), &points)) }
            (table(t.revenue(), &columns, rows))
        }
    })
}

/// `/console/reports/retention`
pub(super) fn retention(cx: &mut PageContext<'_, '_>) -> Result<View> {
    page(cx, ("/retention", "get_retention_report", true), |cx, report| {
        let t = cx.strings;
        let points = report.points(cx, |bucket| bucket.int("atEnd") as f64);
        let row = |(name, bucket): (String, &Value)| {
            vec![
                html! { (name) },
                count(cx, bucket, "atStart"),
                count(cx, bucket, "joined"),
                count(cx, bucket, "returned"),
                count(cx, bucket, "left"),
                count(cx, bucket, "atEnd"),
                rate(cx, bucket.at("retentionRate")),
                rate(cx, bucket.at("churnRate")),
            ]
        };
        let rows = report.periods(cx).into_iter().map(row).collect();
        let columns = [
            t.period(),
            t.at_start(),
            t.joined(),
            t.returned(),
            t.left(),
            t.at_end(),
            t.retention(),
            t.churn(),
        ];
        html! {
            section.card { h2 { (t.members()) } (charts::line(cx, t.members(), "", &points)) }
            (table(t.retention(), &columns, rows))
        }
    })
}
