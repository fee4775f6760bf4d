//! Availability rules: closures of the company, a location or a coach. They cancel nothing: they report the bookings
//! that they affect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Location;
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Key, Patch, Problem, Result, Rule, TimeZone, Timestamp,
    id::{CoachId, LocationId},
    text::{ClosingTime, Text, WallTime},
};
use spotter_people::coaches::Coach;
use spotter_store::{List, Prefetch, filters, lists, params, record, set, statements, values};

use crate::{
    availability::CoachAvailability,
    booking::{self, AffectedBookings},
    effects::CalendarEffect,
    hours::{Span, Window, dates},
    rules::CalendarRule,
    vocabulary::{AppliesTo, AvailabilityRuleId},
    waitlist,
};

record! {
    /// A closure: a time without bookings.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AvailabilityRule {
        /// The rule's id.
        pub availability_rule_id: AvailabilityRuleId,
        /// Whether the company, a location or a coach is closed.
        applies_to: AppliesTo,
        /// The closed location, where one is.
        pub location_id: Option<LocationId>,
        /// The coach who is away, where one is.
        pub coach_id: Option<CoachId>,
        /// The first date, in the zone of the closed company, location or coach.
        start_date: Date,
        /// Last date.
        end_date: Date,
        /// Start time on each date; the whole date when null.
        start_time: Option<WallTime>,
        /// End time on each date; on the next day if it is not later than the start.
        end_time: Option<WallTime>,
        reason: Option<String>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// Most closures that are read at once.
const RULES_MAX: i64 = 2_000;

/// The longest closure, in days.
const DAYS_MAX: i64 = 731;

/// The zones in which the dates of closures are read.
pub struct Zones {
    /// The company's.
    pub company: TimeZone,
    /// The location, with its zone.
    pub location: Option<(LocationId, TimeZone)>,
    /// Who does it, with that coach's zone.
    pub coach: Option<(CoachId, TimeZone)>,
}

impl AvailabilityRule {
    /// The closure with this id.
    pub fn find(cx: &mut Read, id: AvailabilityRuleId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// Closures that reach into a range, wherever on earth it is read.
    pub fn in_range(cx: &mut Read, range: Span) -> Result<Vec<Self>> {
        let prefetched = Self::prefetch_in_range(cx, range)?;
        cx.awaited(prefetched)
    }

    /// Requests them before they are needed.
    pub fn prefetch_in_range(cx: &mut Read, range: Span) -> Result<Prefetch<Self>> {
        let [first, last] = Self::dates(range);
        cx.prefetch(WITHIN, params![first, last, RULES_MAX])
    }

    /// Asks ahead for them.
    pub fn ask_ahead(cx: &mut Read, range: Span) -> Result<()> {
        let [first, last] = Self::dates(range);
        cx.ask_ahead(WITHIN, params![first, last, RULES_MAX])
    }

    fn dates(range: Span) -> [Date; 2] {
        let utc = TimeZone::UTC;
        [utc.date_at(range.start.plus_days(-2)), utc.date_at(range.end.plus_days(2))]
    }

    /// The times that it closes, for something in these zones.
    pub fn closes(&self, zones: &Zones) -> Vec<Span> {
        let zone = match (self.applies_to, &zones.location, &zones.coach) {
            (AppliesTo::Company, _, _) => &zones.company,
            (AppliesTo::Location, Some((id, zone)), _) if Some(*id) == self.location_id => zone,
            (AppliesTo::Coach, _, Some((id, zone))) if Some(*id) == self.coach_id => zone,
            _ => return Vec::new(),
        };
        let (Some(start), Some(end)) = (&self.start_time, &self.end_time) else {
            let end = self.end_date.tomorrow().start_in(zone);
            return vec![Span::new(self.start_date.start_in(zone), end)];
        };
        let window = Window { start: start.clone(), end: end.clone() };
        let dates = dates(self.start_date, self.end_date);
        dates.map(|date| window.on(date, zone)).collect()
    }

    fn check(&self, cx: &mut Read) -> Result<()> {
        if self.end_date < self.start_date {
            return Err(Problem::field(Key::DateRangeOrderInvalid, "endDate", Rule::BeforeStart));
        }
        if self.start_date.days_until(self.end_date) > DAYS_MAX {
            return Err(Problem::field(
                Key::DateRangeTooLarge,
                "endDate",
                CalendarRule::ClosureTooLong,
            ));
        }
        if self.start_time.is_some() != self.end_time.is_some() {
            return Err(Problem::invalid("endTime", CalendarRule::TimesTogether));
        }
        let wanted = |field: &str, given: bool, named: bool| match (given, named) {
            (true, false) => Err(Problem::invalid(field, Rule::Required)),
            (false, true) => Err(Problem::invalid(field, CalendarRule::ClosureOfOther)),
            _ => Ok(()),
        };
        wanted("locationId", self.applies_to == AppliesTo::Location, self.location_id.is_some())?;
        wanted("coachId", self.applies_to == AppliesTo::Coach, self.coach_id.is_some())?;
        if let Some(id) = self.location_id {
            let rule = Rule::OtherCompanysLocation;
            Location::find(cx, id).map_err(|none| none.missing("locationId", rule))?;
        }
        if let Some(id) = self.coach_id {
            Coach::find(cx, id)?;
        }
        Ok(())
    }

    /// The times that it closes.
    pub fn spans(&self, cx: &mut Read) -> Result<Vec<Span>> {
        let company = cx.zone()?;
        let location = match self.location_id {
            Some(id) => Some((id, Location::find(cx, id)?.time_zone())),
            None => None,
        };
        let coach = match self.coach_id {
            Some(id) => Some((id, CoachAvailability::of(cx, id)?.time_zone)),
            None => None,
        };
        Ok(self.closes(&Zones { company, location, coach }))
    }

    /// The bookings to come at the times that it closes.
    fn affected(&self, cx: &mut Read) -> Result<AffectedBookings> {
        let closed = self.spans(cx)?;
        booking::affected(cx, self.coach_id, self.location_id, &closed)
    }
}

/// Whether a closure closes what takes place then, with a coach and at a place.
pub fn closes_class(
    cx: &mut Read,
    span: Span,
    coach: CoachId,
    location: Option<LocationId>,
) -> Result<bool> {
    let closures = AvailabilityRule::in_range(cx, span)?;
    if closures.is_empty() {
        return Ok(false);
    }
    let location = match location {
        Some(id) => Some((id, Location::find(cx, id)?.time_zone())),
        None => None,
    };
    let company = cx.zone()?;
    let coach = Some((coach, CoachAvailability::of(cx, coach)?.time_zone));
    let zones = Zones { company, location, coach };
    let mut closed = closures.iter().flat_map(|rule| rule.closes(&zones));
    Ok(closed.any(|closed| closed.overlaps(&span)))
}

listed!(AvailabilityRules { availability_rules: AvailabilityRule });

filters! {
    struct Filters {
        /// Closures of this kind.
        applies_to: AppliesTo => "applies_to = ?";
        /// Closures of this location.
        location_id: LocationId => "location_id = ?";
        /// Closures of this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Closures that end on this date or later.
        from: Date => "end_date >= ?";
        /// Closures that begin on this date or earlier.
        to: Date => "start_date <= ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_availability_rules(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<AvailabilityRules> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(
    /// A closure in a path.
    pub RulePath {
        /// The closure's id.
        availability_rule_id: AvailabilityRuleId,
    }
);

answer!(RuleAnswer { availability_rule: AvailabilityRule });

impl AvailabilityRule {
    /// Offers seats to waiting lists that a removed closure had blocked.
    fn open_waitlists(&self, cx: &mut Write) -> Result<()> {
        let start = self.start_date.start_in(&TimeZone::UTC).plus_days(-1);
        let end = self.end_date.start_in(&TimeZone::UTC).plus_days(2);
        waitlist::move_up_within(cx, Span::new(start, end))
    }
}

answer!(
    /// A closure and the bookings it affects.
    ClosedAnswer {
        availability_rule: AvailabilityRule,
        affected_bookings: AffectedBookings,
    }
);

answer!(
    /// The bookings that a closure would affect.
    PreviewAnswer {
        affected_bookings: AffectedBookings,
    }
);

fn get_availability_rule(cx: &mut Read, Path(at): Path<RulePath>) -> Result<RuleAnswer> {
    let availability_rule = AvailabilityRule::find(cx, at.availability_rule_id)?;
    Ok(RuleAnswer { availability_rule })
}

/// A closure: a time without bookings.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewAvailabilityRule")]
pub struct NewRule {
    /// Scope of the closure.
    pub applies_to: AppliesTo,
    /// The location, where one is closed.
    pub location_id: Option<LocationId>,
    /// The coach, where one is away.
    pub coach_id: Option<CoachId>,
    /// First date.
    pub start_date: Date,
    /// The last date, at most 731 days later.
    pub end_date: Date,
    /// Start time on each date; the whole date when absent.
    pub start_time: Option<WallTime>,
    /// End time on each date.
    pub end_time: Option<ClosingTime>,
    /// Reason, for staff only.
    pub reason: Option<Text<500>>,
}

fn rule_of(new: NewRule, id: AvailabilityRuleId, now: Timestamp) -> AvailabilityRule {
    AvailabilityRule {
        availability_rule_id: id,
        applies_to: new.applies_to,
        location_id: new.location_id,
        coach_id: new.coach_id,
        start_date: new.start_date,
        end_date: new.end_date,
        start_time: new.start_time,
        end_time: new.end_time.map(Into::into),
        reason: new.reason.map(Into::into),
        created_at: now,
        updated_at: now,
    }
}

fn preview_availability_rule(cx: &mut Read, Body(new): Body<NewRule>) -> Result<PreviewAnswer> {
    let nobody = AvailabilityRuleId(spotter_kernel::Id::first_at(cx.now()));
    let rule = rule_of(new, nobody, cx.now());
    rule.check(cx)?;
    Ok(PreviewAnswer { affected_bookings: rule.affected(cx)? })
}

/// Closes something.
fn create_availability_rule(cx: &mut Write, Body(new): Body<NewRule>) -> Result<ClosedAnswer> {
    let rule = rule_of(new, AvailabilityRuleId(cx.new_id()), cx.now());
    rule.check(cx)?;
    let today = TimeZone::UTC.date_at(cx.now());
    let open: Option<(i64,)> = cx.one(COUNT, params![today])?;
    if open.is_some_and(|(count,)| count >= RULES_MAX) {
        return Err(Problem::conflict(
            "availabilityRules",
            CalendarRule::TooManyClosures { max: RULES_MAX },
        ));
    }
    cx.set_audit_target("availability_rule", rule.availability_rule_id, ["availabilityRule"]);
    cx.defer(INSERT, &rule.params())?;
    let affected_bookings = rule.affected(cx)?;
    Ok(ClosedAnswer { availability_rule: rule, affected_bookings })
}

/// The fields of a closure to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "AvailabilityRuleChanges")]
struct RuleChanges {
    start_date: Change<Date>,
    end_date: Change<Date>,
    start_time: Patch<WallTime>,
    end_time: Patch<ClosingTime>,
    reason: Patch<Text<500>>,
}

fn update_availability_rule(
    cx: &mut Write,
    Path(at): Path<RulePath>,
    Body(change): Body<RuleChanges>,
) -> Result<ClosedAnswer> {
    let before = AvailabilityRule::find(cx, at.availability_rule_id)?;
    let mut rule = before.clone();
    change.start_date.apply(&mut rule.start_date);
    change.end_date.apply(&mut rule.end_date);
    change.start_time.apply(&mut rule.start_time);
    change.end_time.map(Into::into).apply(&mut rule.end_time);
    change.reason.map(Into::into).apply(&mut rule.reason);
    rule.check(cx)?;
    if let Some(now) =
        cx.audit_fields("availability_rule", rule.availability_rule_id, rule.changed(&before))
    {
        rule.updated_at = now;
        cx.defer(SAVE, &rule.params())?;
        before.open_waitlists(cx)?;
    }
    let affected_bookings = rule.affected(cx)?;
    Ok(ClosedAnswer { availability_rule: rule, affected_bookings })
}

fn delete_availability_rule(cx: &mut Write, Path(at): Path<RulePath>) -> Result<RuleAnswer> {
    let availability_rule = AvailabilityRule::find(cx, at.availability_rule_id)?;
    cx.set_audit_target("availability_rule", at.availability_rule_id, ["availabilityRule"]);
    cx.describe_effect(|| CalendarEffect::Reopened);
    cx.as_of(availability_rule.updated_at);
    cx.defer(DELETE, params![at.availability_rule_id])?;
    availability_rule.open_waitlists(cx)?;
    Ok(RuleAnswer { availability_rule })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/availability-rules", AvailabilityRulesRead, list_availability_rules)
            .summary("List closures")
            .describe("Returns the closures of the company, of locations and of coaches."),
        operation!(GET "/availability-rules/{availabilityRuleId}", AvailabilityRulesRead,
            get_availability_rule)
        .summary("Get a closure")
            .describe("Returns one closure with its scope and its span."),
        operation!(POST "/availability-rules/preview", AvailabilityRulesRead, preview_availability_rule)
            .summary("Preview a closure")
            .describe("Returns the bookings that a closure would affect. Changes nothing.")
            .fails(&[Key::DateRangeOrderInvalid, Key::DateRangeTooLarge, Key::CompanyNotFound]),
        operation!(POST "/availability-rules", AvailabilityRulesWrite, create_availability_rule)
            .success(Success::Added)
            .summary("Create a closure")
            .describe(
                "Closes the company, a location or a coach's calendar for a span of time. Cancels \
                 nothing; returns the bookings within the closure in `affectedBookings`.",
            )
            .created()
            .fails(&[Key::DateRangeOrderInvalid, Key::DateRangeTooLarge, Key::CompanyNotFound,
                Key::ApiError]),
        operation!(PATCH "/availability-rules/{availabilityRuleId}", AvailabilityRulesWrite,
            update_availability_rule)
        .summary("Update a closure")
            .describe(
                "Changes the fields that are sent. Cancels nothing; returns the bookings within \
                 the closure in `affectedBookings`.",
            )
        .fails(&[Key::DateRangeOrderInvalid, Key::DateRangeTooLarge, Key::CompanyNotFound,
            Key::CoachNotFound]),
        operation!(DELETE "/availability-rules/{availabilityRuleId}", AvailabilityRulesWrite,
            delete_availability_rule)
        .success(Success::Deleted)
        .summary("Delete a closure")
            .describe("Slots within the closure can be booked again.")
        .confirmation(),
    ])
}

lists! {
    /// Closures, the latest first; a company has few that have not ended.
    LIST: List<AvailabilityRule, Filters> = List::new(
        "availability_rule WHERE company_id = ?1",
        "availability_rule_id DESC",
    );
}

statements! {
    FIND = "SELECT ", AvailabilityRule::COLUMNS, " FROM availability_rule \
        WHERE company_id = ?1 AND availability_rule_id = ?2";
    WITHIN = "SELECT ", AvailabilityRule::COLUMNS, " FROM availability_rule \
        WHERE company_id = ?1 AND end_date >= ?2 AND start_date <= ?3 ORDER BY end_date LIMIT ?4";
    COUNT = "SELECT COUNT(*) FROM availability_rule WHERE company_id = ?1 AND end_date >= ?2";
    INSERT = "INSERT INTO availability_rule ", values!(AvailabilityRule);
    SAVE = "UPDATE availability_rule SET ", set!(AvailabilityRule),
        " WHERE company_id = ?1 AND availability_rule_id = ?2";
    DELETE = "DELETE FROM availability_rule WHERE company_id = ?1 AND availability_rule_id = ?2";
}
