//! Reports: attendance, revenue and retention, each as a chart, as a table with the fractions of its rates, and as
//! CSV.

use maud::{Markup, html};
use spotter_kernel::{Date, Result};

use crate::{
    api::{self, Answer, AttendanceReportBucketAttendanceRate as Rate, Call, List},
    page_context::PageContext,
    page_request::PageAddress,
    parts::{
        charts::{self, ChartTable, Point},
        lists::{self, table},
        shell::View,
    },
};

/// The period of a report and its grouping.
#[derive(Clone, Copy)]
struct ReportQuery {
    from: Date,
    to: Date,
    group: &'static str,
}

impl ReportQuery {
    /// The period of the same length before it: of as many months, where it begins with a month.
    fn before(self) -> Option<Self> {
        let to = self.from.plus_days(-1)?;
        let from = match self.from == self.from.first_of_month() {
            true => {
                let mut months = 1;
                while self.from.plus_months(months) <= self.to {
                    months += 1;
                }
                self.from.plus_months(-months)
            }
            false => self.from.plus_days(-self.from.days_until(self.to) - 1)?,
        };
        Some(Self { from, to, ..self })
    }
}

/// A report, and the same of the period before.
struct Comparison<O> {
    query: ReportQuery,
    now: Answer<O>,
    before: Answer<O>,
}

/// A figure of a report beside that of the period before; `shown` writes it.
fn figure(
    cx: &PageContext<'_, '_>,
    label: &str,
    now: f64,
    before: f64,
    shown: impl Fn(f64) -> String,
) -> Markup {
    let change = (before != 0.0).then(|| (now - before) / before.abs());
    html! {
        div.figure {
            b { (shown(now)) }
            (label) br;
            span.quiet {
                @if let Some(change) = change {
                    @if change > 0.0 { "+" }
                    (cx.written.share(Some(change))) " · "
                }
                (cx.strings.period_before(&shown(before)))
            }
        }
    }
}

/// The same of a rate, which a change in percent would say something else of.
fn rate_figure<'r>(
    cx: &PageContext<'_, '_>,
    label: &str,
    now: impl Into<Option<Rate<'r>>>,
    before: impl Into<Option<Rate<'r>>>,
) -> Markup {
    let shown = |rate: Option<Rate<'_>>| cx.written.share(rate.and_then(|rate| rate.value()));
    html! {
        div.figure {
            b { (shown(now.into())) }
            (label) br;
            span.quiet { (cx.strings.period_before(&shown(before.into()))) }
        }
    }
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
    call: impl Fn(&PageAddress, &ReportQuery) -> Call<O>,
    main: impl FnOnce(&PageContext<'_, '_>, &Comparison<O>) -> Markup,
) -> Result<View> {
    let wanted = wanted(cx);
    let controls = controls(cx, here, &wanted)?;
    let below = match cx.call(call(cx.place, &wanted)) {
        Ok(now) => {
            let before = match wanted.before() {
                Some(before) => cx.call_or_empty(call(cx.place, &before))?,
                None => Answer::default(),
            };
            main(cx, &Comparison { query: wanted, now, before })
        }
        Err(problem) if matches!(problem.status, 400 | 422) => {
            html! {
                p.mistake role="alert" { (cx.strings.until()) ": " (cx.strings.refusal(&problem)) }
            }
        }
        Err(problem) => return Err(problem),
    };
    let before = wanted.before().map(|before| {
        let [from, until] = [before.from, before.to].map(|date| cx.written.date(date));
        cx.strings.compared_with(&from, &until)
    });
    let main = html! {
        (controls)
        @if let Some(before) = before { p.quiet { (before) } }
        (below)
    };
    Ok(View::new(cx.strings.reports(), main))
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
    page(cx, "", call, |cx, compared| {
        let (t, report) = (cx.strings, compared.now.report());
        let group = compared.query.group;
        let points: Vec<_> = report
            .buckets()
            .iter()
            .map(|bucket| Point {
                label: period(cx, group, bucket.from()),
                value: bucket.attended() as f64,
                is_running: bucket.partial(),
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
        let before = compared.before.report().totals();
        let count_of = |value: f64| cx.written.count(value as i64);
        html! {
            div.figures {
                (figure(cx, t.attended(), totals.attended() as f64, before.attended() as f64, count_of))
                (figure(cx, t.no_shows(), totals.no_shows() as f64, before.no_shows() as f64, count_of))
                (rate_figure(
                    cx,
                    t.attendance(),
                    totals.attendance_rate(),
                    before.attendance_rate(),
                ))
            }
            section.card {
                h2 { (t.attended()) }
                (charts::bars(cx, t.attended(), &points, ChartTable::OnPage))
            }
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
    page(cx, "/revenue", call, |cx, compared| {
        let (t, report) = (cx.strings, compared.now.report());
        let group = compared.query.group;
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
            .map(|bucket| Point {
                label: period(cx, group, bucket.from()),
                value: value(bucket),
                is_running: bucket.partial(),
            })
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
        let total = |answer: &Answer<api::GetRevenueReport>,
                     amount: fn(api::RevenueReportTotal<'_>) -> i64| {
            let mut totals = answer.report().totals().iter();
            totals.find(|total| total.currency() == own).map_or(0, amount) as f64
        };
        let money = |value: f64| cx.written.money(value as i64, own);
        let both = |label: &str, amount| {
            figure(cx, label, total(&compared.now, amount), total(&compared.before, amount), money)
        };
        html! {
            div.figures {
                (both(t.net_collected(), |total| total.net_collected()))
                (both(t.invoiced(), |total| total.invoiced().gross()))
                (both(t.refunded(), |total| total.refunded()))
            }
            section.card {
                h2 { (t.net_collected()) " (" (own) ")" }
                (charts::bars(cx, t.net_collected(), &points, ChartTable::OnPage))
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
    page(cx, "/retention", call, |cx, compared| {
        let (t, buckets) = (cx.strings, compared.now.report().buckets());
        let group = compared.query.group;
        let points: Vec<_> = buckets
            .iter()
            .map(|bucket| Point {
                label: period(cx, group, bucket.from()),
                value: bucket.at_end() as f64,
                is_running: bucket.partial(),
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
        let before = compared.before.report().buckets();
        let at_end = |buckets: List<'_, api::RetentionReportBucket<'_>>| {
            buckets.iter().last().map_or(0, |bucket| bucket.at_end()) as f64
        };
        let sum = |buckets: List<'_, api::RetentionReportBucket<'_>>,
                   count: fn(api::RetentionReportBucket<'_>) -> i64| {
            buckets.iter().map(count).sum::<i64>() as f64
        };
        let count_of = |value: f64| cx.written.count(value as i64);
        let both = |label: &str, count| {
            figure(cx, label, sum(buckets, count), sum(before, count), count_of)
        };
        html! {
            div.figures {
                (figure(cx, t.members(), at_end(buckets), at_end(before), count_of))
                (both(t.joined(), |bucket| bucket.joined()))
                (both(t.left(), |bucket| bucket.left()))
            }
            section.card {
                h2 { (t.members()) }
                (charts::line(cx, t.members(), "", &points, ChartTable::OnPage))
            }
            (table(t.retention(), &columns, rows))
        }
    })
}
