//! Cohorts: of those who became members first in a month, who still is one at the end of that month and of each
//! after it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::metrics::Cohort;
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{
    Date, DateRange, Key, Result,
    id::{CoachId, LocationId},
};
use spotter_people::clients::membership_periods::COHORT_MONTHS;
use spotter_store::DatedMetrics;

use crate::{
    buckets::{Frame, GroupBy},
    rate::Rate,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReportFilters {
    /// A date of the first month; `PUBLIC_API_DATE_RANGE_REQUIRED` when absent.
    #[schemars(required, with = "Date")]
    from: Option<Date>,
    /// A date of the last month, at most 60 months.
    #[schemars(required, with = "Date")]
    to: Option<Date>,
    /// Only members whose home location this was when they joined.
    location_id: Option<LocationId>,
    /// Only members whose coach this was when they joined.
    coach_id: Option<CoachId>,
}

/// Members of the cohort at the end of each month.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct CohortMonth {
    /// Months since the clients joined, from 0.
    months_later: i64,
    /// The last date of that month.
    at: Date,
    /// Number of members at the end of the month, or now for the current one.
    members: i64,
    /// Share of the cohort.
    rate: Rate,
}

/// Clients by the month in which they became members.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct MemberCohort {
    /// The first date of the month.
    from: Date,
    /// The last date of the month.
    to: Date,
    /// Number of clients in the cohort.
    size: i64,
    /// The month in which they joined and up to 24 following ones.
    months: Vec<CohortMonth>,
}

/// Retention of clients by the month in which they joined.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CohortReport {
    from: Date,
    to: Date,
    location_id: Option<LocationId>,
    coach_id: Option<CoachId>,
    /// A cohort for each month, in order.
    cohorts: Vec<MemberCohort>,
}

answer!(CohortAnswer { report: CohortReport });

fn get_retention_cohorts(
    cx: &mut Read,
    Query(wanted): Query<ReportFilters>,
) -> Result<CohortAnswer> {
    let dates = DateRange::checked(wanted.from, wanted.to, i64::MAX)?;
    let frame = Frame::of(cx, dates, GroupBy::Month, wanted.location_id, wanted.coach_id)?;
    let (from, to) = (frame.from.first_of_month(), frame.to.last_of_month());
    let rows: Vec<DatedMetrics<Cohort>> = cx.metrics(&frame.scope, from, to)?;
    let mut changes: BTreeMap<(Date, String), Cohort> = BTreeMap::new();
    for row in rows {
        changes.insert((row.day, row.part), row.metrics);
    }
    let firsts = std::iter::successors(Some(from), |first| {
        let next = first.plus_months(1);
        (*first < next && next <= to).then_some(next)
    });
    let cohort = |first: Date| {
        let (mut size, mut members, mut months) = (0, 0, Vec::new());
        for months_later in 0..=COHORT_MONTHS {
            let month = first.plus_months(months_later);
            if month > frame.today {
                break;
            }
            let change = changes.get(&(first, month.to_string())).copied().unwrap_or_default();
            size += change.joined;
            members += change.alive;
            let (at, rate) = (month.last_of_month(), Rate::of(members, size));
            months.push(CohortMonth { months_later, at, members, rate });
        }
        MemberCohort { from: first, to: first.last_of_month(), size, months }
    };
    let report = CohortReport {
        from,
        to,
        location_id: wanted.location_id,
        coach_id: wanted.coach_id,
        cohorts: firsts.map(cohort).collect(),
    };
    Ok(CohortAnswer { report })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(GET "/reports/retention/cohorts", RetentionSummariesRead,
        get_retention_cohorts)
        .summary("Get the retention cohorts")
        .report()
        .describe(
            "For the clients who first became members in a month, returns how many are still \
                 members at its end and at the ends of up to 24 following months. With `Accept: \
                 text/csv`, returns a row for each cohort and month.",
        )
        .table("report.cohorts")
        .fails(&[
            Key::DateRangeRequired,
            Key::DateRangeTooLarge,
            Key::CompanyNotFound,
            Key::NotFound,
        ]),
    ])
}
