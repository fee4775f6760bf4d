//! The metrics of reports. The area that owns a table's records updates them; reports read them.

use spotter_contract::Area;
use spotter_store::{DailyMetrics, MetricTable, daily_metrics};

daily_metrics! {
    /// What bookings and events of a day come to, by the date where they take place.
    pub struct Attendance in "attendance_day" {
        /// Attended seats.
        attended,
        /// Missed seats.
        no_shows,
        /// Excused seats.
        excused,
        /// Seats without a mark.
        expected,
        /// Seats that clients gave up too late.
        late_cancellations,
        /// Seats that clients gave up in time.
        early_cancellations,
        /// Seats that the company took back.
        company_cancellations,
        /// Events that take place.
        events,
        /// Their seats.
        capacity,
        /// Visits of clients who had not come before.
        first_visits,
        /// Clients who came that day; in the scopes of a place and of a coach, but not of both.
        visitors_day,
        /// Clients who came in the week that begins with the day.
        visitors_week,
        /// Clients who came in the month that begins with the day.
        visitors_month,
    }
}

daily_metrics! {
    /// What bills and payments of a day come to, by the company's date, in minor units of the currency that
    /// the part names.
    pub struct Revenue in "revenue_day" {
        /// Invoiced amount without tax.
        invoiced_net,
        /// The tax of it.
        invoiced_vat,
        /// The same with tax.
        invoiced_gross,
        /// What credit notes took back, without tax.
        credited_net,
        /// The tax of it.
        credited_vat,
        /// The same with tax.
        credited_gross,
        /// Amount paid.
        collected,
        /// Refunded amount.
        refunded,
        /// Chargebacks opened.
        disputes_opened,
        /// Chargebacks lost.
        disputes_lost,
    }
}

daily_metrics! {
    /// By how much balances of a currency changed on a day: what all days come to is what they are.
    pub struct Balance in "balance_day" {
        /// Outstanding balance of invoices, in minor units.
        outstanding,
        /// Monthly recurring revenue of running memberships, in twelfths of a minor unit.
        mrr,
        /// Monthly recurring revenue of paused memberships.
        paused_mrr,
    }
}

daily_metrics! {
    /// Joined and lost members of a day. Metrics of a week or month are on its first day.
    pub struct Members in "members_day" {
        /// Became a member for the first time.
        joined,
        /// Became a member again.
        returned,
        /// Ceased to be a member.
        left_members,
        /// Were members as the day began, and were none as it ended.
        lost_day,
        /// The same of the week.
        lost_week,
        /// The same of the month.
        lost_month,
        /// Were members in the day alone: neither as it began nor as it ended.
        passing_day,
        /// The same of the week.
        passing_week,
        /// The same of the month.
        passing_month,
    }
}

daily_metrics! {
    /// Those who became members first in the month of the day; the part is the first day of another month.
    pub struct Cohort in "cohort_month" {
        /// How many they are; in the part of the same month alone.
        joined,
        /// How many more of them are members at the end of the part's month than at the end of the one before.
        alive,
    }
}

/// Every table of metrics.
pub const TABLES: &[&MetricTable] =
    &[Attendance::TABLE, Revenue::TABLE, Balance::TABLE, Members::TABLE, Cohort::TABLE];

/// The operations and statements of this module.
pub fn area() -> Area {
    Area::of(
        &[
            Attendance::STATEMENTS,
            Revenue::STATEMENTS,
            Balance::STATEMENTS,
            Members::STATEMENTS,
            Cohort::STATEMENTS,
        ]
        .concat(),
    )
}
