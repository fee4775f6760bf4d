//! Reports: attendance, revenue and retention, each as a chart, as a table with the fractions of its rates, and as
//! CSV.

use maud::{Markup, html};
use spotter_kernel::{Date, Result};

use crate::{
    api::{self, Answer, AttendanceReportBucketAttendanceRate as Rate, Call},
    page_context::PageContext,
    page_request::PageAddress,
    parts::{
        charts::{self, Point},
        lists::{self, table},
        shell::View,
    },
};

/// The period of a report and its grouping.
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

fn controls(cx: &mut PageContext<'_, '_>, here: &str, wanted: &ReportQuery) -> Result<Markup> {
    let locations = cx.location_choices()?;
    let coaches = cx.coach_choices()?;
    let (t, place) = (cx.strings, cx.place);
    let pages = [
        ("", t.attendance(), ""),
        ("/revenue", t.revenue(), ""),
        ("/retention", t.retention(), ""),
    ];
    Ok(html! {
        (lists::tabs(cx, t.reports(), "/console/reports", here, &pages))
        form.filters method="get" {
            label { (t.from()) input type="date" name="from" value=(wanted.from); }
            label { (t.until()) input type="date" name="to" value=(wanted.to); }
            label {
                (t.by())
                select name="groupBy" {
                    @for (word, label) in
                        [("day", t.day()), ("week", t.week()), ("month", t.month())]
                    {
                        option value=(word) selected[word == wanted.group] { (label) }
                    }
                }
            }
            label {
                (t.location())
                select name="locationId" {
                    option value="" { (t.all()) }
                    @for (id, label) in &locations {
                        option value=(id) selected[place.parameter("locationId") == id] { (label) }
                    }
                }
            }
            // Revenue has no filter by coach.
            @if here != "/revenue" {
                label {
                    (t.coach())
                    select name="coachId" {
                        option value="" { (t.all()) }
                        @for (id, label) in &coaches {
                            option value=(id) selected[place.parameter("coachId") == id] { (label) }
                        }
                    }
                }
            }
            button.plain type="submit" { (t.show()) }
        }
    })
}

/// The name of a period that begins on a date.
fn period(cx: &PageContext<'_, '_>, group: &str, from: Date) -> String {
    match group {
        "month" => cx.written.month(from),
        _ => cx.written.date(from),
    }
}

/// The page of a report: its filters, and the report or the reason why there is none for the period.
fn page<O>(
    cx: &mut PageContext<'_, '_>,
    here: &str,
    call: impl FnOnce(&PageAddress, &ReportQuery) -> Call<O>,
    main: impl FnOnce(&PageContext<'_, '_>, &str, &Answer<O>) -> Markup,
) -> Result<View> {
    let wanted = wanted(cx);
    let controls = controls(cx, here, &wanted)?;
    let below = match cx.call(call(cx.place, &wanted)) {
        Ok(answer) => main(cx, wanted.group, &answer),
        Err(problem) if matches!(problem.status, 400 | 422) => {
            html! {
                p.mistake role="alert" { (cx.strings.until()) ": " (cx.strings.refusal(&problem)) }
            }
        }
        Err(problem) => return Err(problem),
    };
    Ok(View::new(cx.strings.reports(), html! { (controls) (below) }))
}

/// A rate with what it is made of.
fn rate<'r>(cx: &PageContext<'_, '_>, rate: impl Into<Option<Rate<'r>>>) -> Markup {
    let Some(of) = rate.into() else { return html! { "–" } };
    html! {
        span.number { (cx.written.share(of.value())) }
        " "
        span.quiet.number {
            (cx.written.count(of.numerator())) "/" (cx.written.count(of.denominator()))
        }
    }
}

fn count(cx: &PageContext<'_, '_>, count: impl Into<Option<i64>>) -> Markup {
    html! {
        span.number {
            @if let Some(count) = count.into() { (cx.written.count(count)) } @else { "–" }
        }
    }
}

/// `/console/reports`
pub(super) fn attendance(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let call = |place: &PageAddress, wanted: &ReportQuery| {
        api::get_attendance_report()
            .from(wanted.from)
            .to(wanted.to)
            .group_by(wanted.group)
            .location_id(place.parameter("locationId"))
            .coach_id(place.parameter("coachId"))
    };
    page(cx, "", call, |cx, group, answer| {
        let (t, report) = (cx.strings, answer.report());
        let points: Vec<_> = report
            .buckets()
            .iter()
            .map(|bucket| Point {
                label: period(cx, group, bucket.from()),
                value: bucket.attended() as f64,
            })
            .collect();
        let mut rows: Vec<_> = report
            .buckets()
            .iter()
            .rev()
            .map(|bucket| {
                vec![
                    html! { (period(cx, group, bucket.from())) },
                    count(cx, bucket.attended()),
                    count(cx, bucket.no_shows()),
                    count(cx, bucket.late_cancellations()),
                    rate(cx, bucket.attendance_rate()),
                    rate(cx, bucket.fill_rate()),
                    count(cx, bucket.unique_clients()),
                ]
            })
            .collect();
        let totals = report.totals();
        rows.push(vec![
            html! { (t.total()) },
            count(cx, totals.attended()),
            count(cx, totals.no_shows()),
            count(cx, totals.late_cancellations()),
            rate(cx, totals.attendance_rate()),
            rate(cx, totals.fill_rate()),
            count(cx, None),
        ]);
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
    let call = |place: &PageAddress, wanted: &ReportQuery| {
        api::get_revenue_report()
            .from(wanted.from)
            .to(wanted.to)
            .group_by(wanted.group)
            .location_id(place.parameter("locationId"))
    };
    page(cx, "/revenue", call, |cx, group, answer| {
        let (t, report) = (cx.strings, answer.report());
        let currency = &cx.person.company.currency;
        let (own, unit) = (currency.code(), 10f64.powi(currency.decimals() as i32));
        let value = |bucket: api::RevenueReportBucket<'_>| {
            let mut blocks = bucket.currencies().iter();
            let block = blocks.find(|block| block.currency() == own);
            block.map_or(0, |block| block.net_collected()) as f64 / unit
        };
        let points: Vec<_> = report
            .buckets()
            .iter()
            .map(|bucket| Point { label: period(cx, group, bucket.from()), value: value(bucket) })
            .collect();
        let row = |name: &str, currency: &str, amounts: [Option<i64>; 7]| {
            let amounts = amounts.map(|amount| {
                html! {
                    span.number {
                        @if let Some(amount) = amount {
                            (cx.written.money(amount, currency))
                        } @else {
                            "–"
                        }
                    }
                }
            });
            std::iter::once(html! { (name) }).chain(amounts).collect::<Vec<_>>()
        };
        let mut rows = Vec::new();
        for bucket in report.buckets().iter().rev() {
            let name = period(cx, group, bucket.from());
            rows.extend(bucket.currencies().iter().map(|own| {
                let amounts = [
                    own.invoiced().gross(),
                    own.credited().gross(),
                    own.collected(),
                    own.refunded(),
                    own.net_collected(),
                    own.outstanding(),
                    own.mrr(),
                ];
                row(&name, own.currency(), amounts.map(Some))
            }));
        }
        // Outstanding and recurring amounts are of a moment and have no total.
        rows.extend(report.totals().iter().map(|own| {
            let amounts = [
                Some(own.invoiced().gross()),
                Some(own.credited().gross()),
                Some(own.collected()),
                Some(own.refunded()),
                Some(own.net_collected()),
                None,
                None,
            ];
            row(t.total(), own.currency(), amounts)
        }));
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
            section.card {
                h2 { (t.net_collected()) " (" (own) ")" }
                (charts::bars(cx, t.net_collected(), &points))
            }
            (table(t.revenue(), &columns, rows))
        }
    })
}

/// `/console/reports/retention`
pub(super) fn retention(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let call = |place: &PageAddress, wanted: &ReportQuery| {
        api::get_retention_report()
            .from(wanted.from)
            .to(wanted.to)
            .group_by(wanted.group)
            .location_id(place.parameter("locationId"))
            .coach_id(place.parameter("coachId"))
    };
    page(cx, "/retention", call, |cx, group, answer| {
        let (t, buckets) = (cx.strings, answer.report().buckets());
        let points: Vec<_> = buckets
            .iter()
            .map(|bucket| Point {
                label: period(cx, group, bucket.from()),
                value: bucket.at_end() as f64,
            })
            .collect();
        let rows = buckets.iter().rev().map(|bucket| {
            vec![
                html! { (period(cx, group, bucket.from())) },
                count(cx, bucket.at_start()),
                count(cx, bucket.joined()),
                count(cx, bucket.returned()),
                count(cx, bucket.left()),
                count(cx, bucket.at_end()),
                rate(cx, bucket.retention_rate()),
                rate(cx, bucket.churn_rate()),
            ]
        });
        let rows = rows.collect();
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
