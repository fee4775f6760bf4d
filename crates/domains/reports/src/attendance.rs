//! The attendance report: what became of the seats that were booked, by the date of their starts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::metrics::Attendance;
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{
    Date, Key, Result,
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
    /// What took place at this location alone.
    location_id: Option<LocationId>,
    /// What this coach gave alone.
    coach_id: Option<CoachId>,
}

/// What became of seats.
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
    /// Of days that are over, seats of which nobody has said who came.
    unmarked: i64,
    /// Seats of today and of days to come of which nobody has said who came.
    upcoming: i64,
    /// Events of days that are over, also those to which nobody came.
    events: i64,
    /// The seats of those events.
    capacity: i64,
    /// Of those who came, did not come or cancelled too late, those who came.
    attendance_rate: Rate,
    /// Of the same, those who did not come.
    no_show_rate: Rate,
    /// Of the same, those who cancelled too late.
    late_cancellation_rate: Rate,
    /// Of the seats of days that are over, those that were booked to the end.
    fill_rate: Rate,
    /// Of the seats of days that are over, those whose clients came.
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

/// What became of seats.
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
    /// In order, also those of which there is nothing.
    buckets: Vec<AttendanceBucket>,
    /// All of them together.
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
    let place = (wanted.location_id, wanted.coach_id);
    let group_by = wanted.group_by.unwrap_or(GroupBy::Day);
    let frame = Frame::of(cx, (wanted.from, wanted.to), group_by, place)?;
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
        let both = place.0.is_some() && place.1.is_some();
        let unique_clients = (bucket.whole && !both).then_some(visitors);
        buckets.push(AttendanceBucket { bucket, counts: seats.counts(), unique_clients });
    }
    let report = AttendanceReport {
        from: frame.from,
        to: frame.to,
        group_by: frame.group_by,
        time_zone: frame.zone.name().to_owned(),
        location_id: place.0,
        coach_id: place.1,
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
    .describe(
        "Counts booked seats by the local date of their start: attended, missed, \
                 cancelled. Rates come with their numerators and denominators. With `Accept: \
                 text/csv`, returns the buckets as a table.",
    )
    .table("report.buckets")
    .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge, Key::CompanyNotFound, Key::NotFound])])
}
