//! The retention report: who was a member, who joined, returned and left. A member is a client who is active or
//! paused; they count for the home location and the coach that they had as they became one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::metrics::Members;
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
    /// Only members whose home location this was when they joined.
    location_id: Option<LocationId>,
    /// Only members whose coach this was when they joined.
    coach_id: Option<CoachId>,
}

/// Who was a member, and who became or ceased to be one: `atStart + joined + returned - left = atEnd`.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Movement {
    /// Members as it began.
    at_start: i64,
    /// Became a member for the first time.
    joined: i64,
    /// Became a member again.
    returned: i64,
    /// Ceased to be a member.
    left: i64,
    /// Members as it ended, or now.
    at_end: i64,
}

impl Movement {
    fn after(at_start: i64, sums: &Members) -> Self {
        let Members { joined, returned, left_members: left, .. } = *sums;
        Self { at_start, joined, returned, left, at_end: at_start + joined + returned - left }
    }
}

/// A day, week or month of the retention report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct RetentionBucket {
    #[serde(flatten)]
    bucket: Bucket,
    #[serde(flatten)]
    movement: Movement,
    /// Members at the start who are still members at the end; null for partial periods.
    retained: Option<i64>,
    /// Members who joined and left within the period; null for partial periods.
    joined_and_left: Option<i64>,
    /// Share of members at the start who were retained; null for partial periods.
    retention_rate: Option<Rate>,
    /// Share of members at the start who left.
    churn_rate: Option<Rate>,
}

/// Members gained, kept and lost by month.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RetentionReport {
    from: Date,
    to: Date,
    /// day, week or month.
    group_by: GroupBy,
    /// The zone in which the buckets begin and end.
    time_zone: String,
    location_id: Option<LocationId>,
    coach_id: Option<CoachId>,
    /// Periods in order, including empty ones.
    buckets: Vec<RetentionBucket>,
    /// Totals from the start of the first period to the end of the last.
    totals: Movement,
}

answer!(RetentionAnswer { report: RetentionReport });

/// Of those who were members as a bucket began, who is none as it ends; and who came and went within.
fn gone(group_by: GroupBy, sums: &Members) -> (i64, i64) {
    match group_by {
        GroupBy::Day => (sums.lost_day, sums.passing_day),
        GroupBy::Week => (sums.lost_week, sums.passing_week),
        GroupBy::Month => (sums.lost_month, sums.passing_month),
    }
}

fn get_retention_report(
    cx: &mut Read,
    Query(wanted): Query<ReportFilters>,
) -> Result<RetentionAnswer> {
    let dates = DateRange::checked(wanted.from, wanted.to, i64::MAX)?;
    let group_by = wanted.group_by.unwrap_or(GroupBy::Day);
    let frame = Frame::of(cx, dates, group_by, wanted.location_id, wanted.coach_id)?;
    let before: Vec<DatedMetrics<Members>> = cx.metrics_before(&frame.scope, frame.from)?;
    let at_start: i64 = before.iter().map(|row| Movement::after(0, &row.metrics).at_end).sum();
    let rows: Vec<DatedMetrics<Members>> = cx.metrics(&frame.scope, frame.from, frame.to)?;
    let mut rows = rows.iter().peekable();
    let (mut buckets, mut totals, mut members) = (Vec::new(), Members::default(), at_start);
    for bucket in frame.buckets() {
        let mut sums = Members::default();
        while let Some(row) = rows.next_if(|row| row.day <= bucket.to) {
            sums.add(&row.metrics, 1);
        }
        totals.add(&sums, 1);
        let movement = Movement::after(members, &sums);
        members = movement.at_end;
        let (lost, passing) = gone(group_by, &sums);
        let known = bucket.whole;
        buckets.push(RetentionBucket {
            retained: known.then_some(movement.at_start - lost),
            joined_and_left: known.then_some(passing),
            retention_rate: known.then(|| Rate::of(movement.at_start - lost, movement.at_start)),
            churn_rate: known.then(|| Rate::of(lost, movement.at_start)),
            bucket,
            movement,
        });
    }
    let report = RetentionReport {
        from: frame.from,
        to: frame.to,
        group_by,
        time_zone: frame.zone.name().to_owned(),
        location_id: wanted.location_id,
        coach_id: wanted.coach_id,
        buckets,
        totals: Movement::after(at_start, &totals),
    };
    Ok(RetentionAnswer { report })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(GET "/reports/retention", RetentionSummariesRead,
        get_retention_report)
    .summary("Get the retention report")
    .report()
    .describe(
        "Counts members who joined, returned and left. `(atEnd - joined) / atStart` would \
                 count members who joined and left within a bucket; `retentionRate` does not. \
                 With `Accept: text/csv`, returns the buckets as a table.",
    )
    .table("report.buckets")
    .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge, Key::CompanyNotFound, Key::NotFound])])
}
