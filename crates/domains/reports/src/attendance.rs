//! The attendance report: booked seats by attendance, by the date of their start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::metrics::Attendance;
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{
    Date, DateRange, Key, Result,
    id::{CoachId, LocationId},
};
use spotter_store::{DailyMetrics, DatedMetrics};

use crate::{
    buckets::{Bucket, Frame, GroupBy},
    rate::Rate,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReportFilters {
    /// The first date; `PUBLIC_API_DATE_RANGE_REQUIRED` when absent.
    #[schemars(required, with = "Date")]
    from: Option<Date>,
    /// The last date: at most 366 days, 106 weeks or 60 months.
    #[schemars(required, with = "Date")]
    to: Option<Date>,
    /// `day` when absent; weeks begin on Monday.
    group_by: Option<GroupBy>,
    /// Only events at this location.
    location_id: Option<LocationId>,
    /// Only this coach's events.
    coach_id: Option<CoachId>,
}

/// Numbers of seats by attendance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// Bookings that were attended.
    attended: i64,
    /// Clients did not come.
    no_shows: i64,
    /// Bookings whose client was excused.
    excused: i64,
    /// Clients cancelled too late.
    late_cancellations: i64,
    /// Clients cancelled in time.
    early_cancellations: i64,
    /// The company or a coach cancelled.
    company_cancellations: i64,
    /// Seats on past days without an attendance mark.
    unmarked: i64,
    /// Seats today and later without an attendance mark.
    upcoming: i64,
    /// Number of events on past days, including those without attendance.
    events: i64,
    /// The seats of those events.
    capacity: i64,
    /// Share of attended bookings among attended, no-show and late cancelled ones.
    attendance_rate: Rate,
    /// Share of seats on past days that were no-shows.
    no_show_rate: Rate,
    /// Share of seats on past days that were cancelled late.
    late_cancellation_rate: Rate,
    /// Share of seats on past days that were booked.
    fill_rate: Rate,
    /// Share of seats on past days that were attended.
    utilisation_rate: Rate,
    /// Clients who came for the first time.
    first_visits: i64,
}

/// A day, week or month of the attendance report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct AttendanceBucket {
    #[serde(flatten)]
    bucket: Bucket,
    #[serde(flatten)]
    counts: Counts,
    /// Different clients who came, which are not to be added up; null where the range cuts the week or month, and
    /// for both a location and a coach.
    #[serde(rename = "uniqueClients")]
    unique_clients: Option<i64>,
}

/// Attendance of booked seats by period.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AttendanceReport {
    from: Date,
    to: Date,
    /// day, week or month.
    group_by: GroupBy,
    /// The zone in which the buckets begin and end.
    time_zone: String,
    location_id: Option<LocationId>,
    coach_id: Option<CoachId>,
    /// Periods in order, including empty ones.
    buckets: Vec<AttendanceBucket>,
    /// The sums over all rows.
    totals: Counts,
}

answer!(AttendanceAnswer { report: AttendanceReport });

/// What some days come to: all of them, and of those that are over.
#[derive(Clone, Copy, Default)]
struct Seats {
    all: Attendance,
    over: Attendance,
}

impl Seats {
    fn add(&mut self, frame: &Frame, row: &DatedMetrics<Attendance>) {
        self.all.add(&row.metrics, 1);
        if frame.is_over(row.day) {
            self.over.add(&row.metrics, 1);
        }
    }

    fn counts(&self) -> Counts {
        let Self { all, over } = self;
        let closed = all.attended + all.no_shows + all.late_cancellations;
        let kept = over.attended + over.no_shows + over.expected;
        Counts {
            attended: all.attended,
            no_shows: all.no_shows,
            excused: all.excused,
            late_cancellations: all.late_cancellations,
            early_cancellations: all.early_cancellations,
            company_cancellations: all.company_cancellations,
            unmarked: over.expected,
            upcoming: all.expected - over.expected,
            events: over.events,
            capacity: over.capacity,
            attendance_rate: Rate::of(all.attended, closed),
            no_show_rate: Rate::of(all.no_shows, closed),
            late_cancellation_rate: Rate::of(all.late_cancellations, closed),
            fill_rate: Rate::of(kept, over.capacity),
            utilisation_rate: Rate::of(over.attended, over.capacity),
            first_visits: all.first_visits,
        }
    }
}

fn get_attendance_report(
    cx: &mut Read,
    Query(wanted): Query<ReportFilters>,
) -> Result<AttendanceAnswer> {
    let dates = DateRange::checked(wanted.from, wanted.to, i64::MAX)?;
    let group_by = wanted.group_by.unwrap_or(GroupBy::Day);
    let frame = Frame::of(cx, dates, group_by, wanted.location_id, wanted.coach_id)?;
    let rows: Vec<DatedMetrics<Attendance>> = cx.metrics(&frame.scope, frame.from, frame.to)?;
    let mut rows = rows.iter().peekable();
    let (mut buckets, mut totals) = (Vec::new(), Seats::default());
    for bucket in frame.buckets() {
        let (mut seats, mut visitors) = (Seats::default(), 0);
        while let Some(row) = rows.next_if(|row| row.day <= bucket.to) {
            seats.add(&frame, row);
            totals.add(&frame, row);
            visitors += match frame.group_by {
                GroupBy::Day => row.metrics.visitors_day,
                GroupBy::Week => row.metrics.visitors_week,
                GroupBy::Month => row.metrics.visitors_month,
            };
        }
        let both = wanted.location_id.is_some() && wanted.coach_id.is_some();
        let unique_clients = (bucket.whole && !both).then_some(visitors);
        buckets.push(AttendanceBucket { bucket, counts: seats.counts(), unique_clients });
    }
    let report = AttendanceReport {
        from: frame.from,
        to: frame.to,
        group_by: frame.group_by,
        time_zone: frame.zone.name().to_owned(),
        location_id: wanted.location_id,
        coach_id: wanted.coach_id,
        buckets,
        totals: totals.counts(),
    };
    Ok(AttendanceAnswer { report })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(GET "/reports/attendance", AttendanceSummariesRead,
        get_attendance_report)
    .summary("Get the attendance report")
    .report()
    .describe(
        "Counts booked seats by the local date of their start: attended, missed, \
                 cancelled. Rates come with their numerators and denominators. With `Accept: \
                 text/csv`, returns the buckets as a table.",
    )
    .table("report.buckets")
    .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge, Key::CompanyNotFound, Key::NotFound])])
}
