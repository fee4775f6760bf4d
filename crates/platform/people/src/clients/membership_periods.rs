//! Membership periods of clients, and the reports' figures of them: who joined, returned and left, the churn of a
//! week or month, and retention by month of joining.
//!
//! Dates are those of the client's home location, or else of the company. A period counts for the home location and
//! coach that the client had when it began.

use std::collections::{BTreeMap, BTreeSet};

use spotter_company::{
    locations::Location,
    metrics::{Cohort, Members},
};
use spotter_contract::{
    Area, ErasureRule, MetricSheet, Read, Recount, Write,
    metrics::{self, Days, Difference, scopes},
};
use spotter_kernel::{
    Date, DateRange, Result, TimeZone,
    id::{ClientId, CoachId, LocationId},
};
use spotter_store::{params, record, statements, values};

use super::record::Client;

record! {
    /// Days on which a client is a member.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MembershipPeriod {
        /// Who it is.
        pub client_id: ClientId,
        /// The first day.
        pub started_on: Date,
        /// The last day; none while they are a member.
        pub ended_on: Option<Date>,
        /// Where they mostly were as it began.
        pub location_id: Option<LocationId>,
        /// The assigned coach when it began.
        pub coach_id: Option<CoachId>,
    }
}

/// Up to which month after the first it is counted who is still a member.
pub const COHORT_MONTHS: i64 = 24;

/// Whether one of some spells covers the moment before a day.
fn member_before<'s>(periods: impl IntoIterator<Item = &'s MembershipPeriod>, day: Date) -> bool {
    periods
        .into_iter()
        .any(|period| period.started_on < day && period.ended_on.is_none_or(|end| end >= day))
}

/// The first day of a day's week or month, and the first day after it.
type Span = (fn(Date) -> Date, fn(Date) -> Date);

/// Days, weeks and months.
const SPANS: [Span; 3] = [
    (|day| day, Date::tomorrow),
    (Date::monday, |monday| monday.plus_days(7).unwrap_or(monday)),
    (Date::first_of_month, |first| first.plus_months(1)),
];

/// What the spells of one client amount to; they are given in their order.
pub fn members(periods: &[MembershipPeriod]) -> MetricSheet<Members> {
    let mut sheet = MetricSheet::default();
    let mut by_scope: BTreeMap<String, Vec<&MembershipPeriod>> = BTreeMap::new();
    for (number, period) in periods.iter().enumerate() {
        let own = scopes(period.location_id, period.coach_id);
        let began = match number {
            0 => Members { joined: 1, ..Members::default() },
            _ => Members { returned: 1, ..Members::default() },
        };
        sheet.add(&own, period.started_on, "", began, 1);
        if let Some(end) = period.ended_on {
            sheet.add(&own, end, "", Members { left_members: 1, ..Members::default() }, 1);
        }
        own.into_iter().for_each(|scope| by_scope.entry(scope).or_default().push(period));
    }
    for (scope, periods) in by_scope {
        for (number, (first_of, after)) in SPANS.into_iter().enumerate() {
            let ends: BTreeSet<Date> =
                periods.iter().filter_map(|period| period.ended_on).map(first_of).collect();
            for first in ends {
                if member_before(periods.iter().copied(), after(first)) {
                    continue;
                }
                let mut gone = Members::default();
                match member_before(periods.iter().copied(), first) {
                    true => {
                        *[&mut gone.lost_day, &mut gone.lost_week, &mut gone.lost_month][number] = 1
                    }
                    false => {
                        *[&mut gone.passing_day, &mut gone.passing_week, &mut gone.passing_month]
                            [number] = 1;
                    }
                }
                sheet.add(std::slice::from_ref(&scope), first, "", gone, 1);
            }
        }
    }
    sheet
}

/// In which month a client became a member first, and at the ends of which later ones they are one.
pub fn cohort(periods: &[MembershipPeriod]) -> MetricSheet<Cohort> {
    let mut sheet = MetricSheet::default();
    let Some(first) = periods.first() else { return sheet };
    let own = scopes(first.location_id, first.coach_id);
    let joined = first.started_on.first_of_month();
    let mut was_alive = 0;
    for number in 0..=COHORT_MONTHS {
        let month = joined.plus_months(number);
        let alive = i64::from(member_before(periods, month.plus_months(1)));
        let change = Cohort { joined: i64::from(number == 0), alive: alive - was_alive };
        sheet.add(&own, joined, &month.to_string(), change, 1);
        was_alive = alive;
    }
    sheet
}

/// The zone of a client's days as a member.
fn zone(cx: &mut Read, client: &Client) -> Result<TimeZone> {
    if let Some(home) = client.home_location_id() {
        return Ok(Location::find(cx, home)?.time_zone());
    }
    cx.zone()
}

/// Begins or ends a period where a change makes the client a member, or ends that.
pub(super) fn follow(cx: &mut Write, before: Option<&Client>, client: &Client) -> Result<()> {
    if before.is_some_and(Client::is_member) == client.is_member() {
        return Ok(());
    }
    let today = zone(cx, client)?.date_at(cx.now());
    let was: Vec<MembershipPeriod> = cx.all(OF_CLIENT, params![client.client_id])?;
    let mut periods = was.clone();
    match (client.is_member(), periods.last_mut()) {
        // Who returns on the day on which they left has not left.
        (true, Some(last)) if last.ended_on.is_some_and(|end| end >= today) => last.ended_on = None,
        (true, _) => periods.push(MembershipPeriod {
            client_id: client.client_id,
            started_on: today,
            ended_on: None,
            location_id: client.home_location_id(),
            coach_id: client.assigned_coach_id(),
        }),
        (false, Some(last)) if last.ended_on.is_none() => {
            last.ended_on = Some(today.max(last.started_on));
        }
        // They became a member before that was written down.
        (false, _) => return Ok(()),
    }
    write(cx, &was, &periods)
}

fn write(cx: &mut Write, was: &[MembershipPeriod], periods: &[MembershipPeriod]) -> Result<()> {
    for period in periods.iter().filter(|period| !was.contains(period)) {
        cx.defer(PUT, &period.params())?;
    }
    cx.update_metrics(&members(was), &members(periods));
    cx.update_metrics(&cohort(was), &cohort(periods));
    Ok(())
}

/// Most clients that are given a spell in one step.
const STEP: i64 = 500;

/// Adds a period for clients who were members before periods were recorded: since their record was created, as
/// nothing else is known.
fn prepare(cx: &mut Write) -> Result<bool> {
    let missing: Vec<(ClientId,)> = cx.all(MISSING, params![STEP])?;
    for (id,) in &missing {
        let client = Client::find(cx, *id)?;
        let made_on = zone(cx, &client)?.date_at(client.created_at());
        let was: Vec<MembershipPeriod> = cx.all(OF_CLIENT, params![*id])?;
        // They may have been one before.
        let after = was.last().and_then(|last| last.ended_on).map(Date::tomorrow);
        let period = MembershipPeriod {
            client_id: *id,
            started_on: after.map_or(made_on, |after| after.max(made_on)),
            ended_on: None,
            location_id: client.home_location_id(),
            coach_id: client.assigned_coach_id(),
        };
        let periods = [was.as_slice(), &[period]].concat();
        write(cx, &was, &periods)?;
    }
    Ok(missing.len() as i64 == STEP)
}

fn span(cx: &mut Read) -> Result<Days> {
    metrics::days_with::<Members>(cx, &[SPAN])
}

/// Recounts a month from the periods of all who joined or left in it, or in a week that begins in it.
fn month(cx: &mut Write, from: Date, to: Date, mend: bool) -> Result<Vec<Difference>> {
    let until = to.plus_days(6).unwrap_or(to);
    let periods: Vec<MembershipPeriod> = cx.all(OF_DAYS, params![from, until])?;
    let mut by_client: BTreeMap<ClientId, Vec<MembershipPeriod>> = BTreeMap::new();
    for period in periods {
        by_client.entry(period.client_id).or_default().push(period);
    }
    let (mut days, mut months) = (MetricSheet::default(), MetricSheet::default());
    for periods in by_client.values() {
        days.join(&members(periods), 1);
        months.join(&cohort(periods), 1);
    }
    let dates = DateRange { from, to };
    let mut found = metrics::compare(cx, &days.between(from, to), dates, mend)?;
    found.extend(metrics::compare(cx, &months.between(from, to), dates, mend)?);
    Ok(found)
}

static RECOUNT: Recount = Recount { span, prepare, month, now: metrics::nothing_now };

const TRACES: &[ErasureRule] =
    &[ErasureRule::stays("member_spell", "Membership periods, for the reports.")];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).recounts(&[&RECOUNT]).erases(TRACES)
}

statements! {
    OF_CLIENT = "SELECT ", MembershipPeriod::COLUMNS, " FROM member_spell WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY started_on LIMIT 1000";
    OF_DAYS = "SELECT ", MembershipPeriod::COLUMNS, " FROM member_spell WHERE company_id = ?1 AND client_id IN \
        (SELECT client_id FROM member_spell WHERE company_id = ?1 AND started_on >= ?2 AND started_on <= ?3 \
        UNION SELECT client_id FROM member_spell WHERE company_id = ?1 AND ended_on >= ?2 AND ended_on <= ?3) \
        ORDER BY client_id, started_on";
    MISSING = "SELECT client_id FROM client WHERE company_id = ?1 AND member_status IN ('active', 'paused') \
        AND erased_at IS NULL AND NOT EXISTS (SELECT 1 FROM member_spell WHERE member_spell.company_id = ?1 \
        AND member_spell.client_id = client.client_id AND ended_on IS NULL) LIMIT ?2";
    SPAN = "SELECT MIN(started_on), MAX(COALESCE(ended_on, started_on)) FROM member_spell WHERE company_id = ?1";
    PUT = "INSERT INTO member_spell ", values!(MembershipPeriod),
        " ON CONFLICT (company_id, client_id, started_on) DO UPDATE SET ended_on = excluded.ended_on";
}
