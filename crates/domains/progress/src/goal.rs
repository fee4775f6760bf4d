//! A goal: the record, its API form, and its progress.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Payload, Read, Write};
use spotter_kernel::{Date, Event, Id, Key, Result, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{
    Bind, of_tally, params, record, set, statements, stored_ids, subject, values, words,
};

use crate::{habit::HabitId, types::TypeKey, units::Unit};

id_type!(
    /// A goal.
    GoalId,
    RequestInvalid
);
stored_ids!(GoalId);

words! {
    /// What a goal counts: a measurement, days on which a habit was kept, completed workouts, or a value set by hand.
    pub enum GoalKind {
        Measurement = "measurement",
        Habit = "habit",
        Sessions = "sessions",
        Custom = "custom",
    }
}

words! {
    /// Direction of progress.
    pub enum GoalDirection { Increase = "increase", Decrease = "decrease", Maintain = "maintain" }
}

words! {
    /// The status of a goal. An achieved goal stays achieved.
    pub enum GoalStatus {
        Active = "active",
        Achieved = "achieved",
        Missed = "missed",
        Abandoned = "abandoned",
    }
}

record! {
    /// A goal: the record. Its values are in the stored unit of its measurement type, counts, or hundredths.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Goal {
        /// Client who pursues it.
        pub client_id: ClientId,
        /// Id of the goal.
        pub goal_id: GoalId,
        /// Display name.
        pub title: String,
        /// How progress is measured.
        pub kind: GoalKind,
        /// The type of measurement that it follows.
        pub measurement_type: Option<TypeKey>,
        /// The habit that it follows.
        pub habit_id: Option<HabitId>,
        /// Direction of progress.
        pub direction: GoalDirection,
        /// Where it began; it does not change once it is known.
        pub start_value: Option<i64>,
        /// Where it is to end.
        pub target_value: i64,
        /// Where it is.
        pub current_value: Option<i64>,
        /// How far off still counts, where it is to stay.
        pub tolerance: Option<i64>,
        /// The unit of a custom one, and that in which one that follows measurements was set: it is compared in it.
        pub unit: Option<String>,
        /// From which date on it counts.
        pub start_date: Date,
        /// Until which date, that one included.
        pub due_date: Option<Date>,
        /// Current status.
        pub status: GoalStatus,
        /// How far it has come.
        pub progress_percent: Option<i64>,
        /// When it was achieved.
        pub achieved_at: Option<Timestamp>,
        /// Note, as free text.
        pub note: Option<String>,
        /// What kind of caller made it.
        pub created_by_type: String,
        /// Who made it.
        pub created_by: Option<Id>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The payload of every goal event, without values.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GoalEvent {
    client_id: ClientId,
    goal_id: GoalId,
    /// How progress is measured.
    kind: GoalKind,
    status: GoalStatus,
    due_date: Option<Date>,
    /// Names of the changed fields; absent on creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for GoalEvent {
    const EVENTS: &'static [Event] = &[Event::GoalUpdated];
}

/// Progress from start to target in whole percent, rounded down: 100 only at the target.
pub fn percent(start: i64, target: i64, current: i64) -> i64 {
    let (whole, done) = (i128::from(target - start), i128::from(current - start));
    if whole == 0 {
        return 0;
    }
    let (whole, done) = if whole < 0 { (-whole, -done) } else { (whole, done) };
    ((done * 100).div_euclid(whole)).clamp(0, 100) as i64
}

/// What a goal is counted by, as it is now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// The newest value since it began.
    pub newest: Option<i64>,
    /// The values since it began, and how many of them are near enough to where it is to stay.
    pub counted: (i64, i64),
}

/// The subject of the totals of a client's goals.
pub const TALLY: &str = "goals";

impl Goal {
    /// A client's goal.
    pub fn find(cx: &mut Read, client: ClientId, id: GoalId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// Updates it from its source. The start is the first value unless it was given.
    pub fn follow(&mut self, facts: Facts, now: Timestamp) {
        if self.status != GoalStatus::Active {
            return;
        }
        self.start_value = self.start_value.or(facts.newest);
        // Until something new is measured it is where it began.
        let began = self.start_value.filter(|_| self.direction != GoalDirection::Maintain);
        self.current_value = facts.newest.or(began);
        let (start, current) = (self.start_value, self.current_value);
        let step = |kept: i64| self.steps(kept);
        let target = step(self.target_value);
        self.progress_percent = match (self.direction, start.map(step), current.map(step)) {
            (GoalDirection::Maintain, _, Some(_)) => {
                let (all, near) = facts.counted;
                Some(near * 100 / all.max(1))
            }
            (_, Some(start), Some(current)) => Some(percent(start, target, current)),
            _ => None,
        };
        let is_there = match (self.direction, current.map(|kept| self.steps(kept))) {
            (GoalDirection::Increase, Some(current)) => current >= target,
            (GoalDirection::Decrease, Some(current)) => current <= target,
            // A goal to maintain a value is achieved when its time is over.
            (GoalDirection::Maintain, _) | (_, None) => false,
        };
        if is_there {
            self.achieve(now);
            self.progress_percent = Some(100);
        }
    }

    fn achieve(&mut self, now: Timestamp) {
        self.status = GoalStatus::Achieved;
        self.achieved_at = Some(now);
    }

    /// Whether a value is near enough to where it is to stay.
    pub fn is_near(&self, value: i64) -> bool {
        let (least, most) = self.near();
        (least..=most).contains(&value)
    }

    /// The unit in which measurements are compared; `None` where they are stored as given.
    fn measured_unit(&self) -> Option<Unit> {
        let unit = self.unit.as_deref().filter(|_| self.kind == GoalKind::Measurement);
        unit.and_then(Unit::parse)
    }

    /// A stored value in the smallest steps of its displayed unit, because goals compare what people entered, not its
    /// conversion to the stored unit.
    fn steps(&self, kept: i64) -> i64 {
        self.measured_unit().map_or(kept, |unit| unit.steps(unit.show(kept)))
    }

    /// The kept values that are near enough to where it is to stay.
    pub fn near(&self) -> (i64, i64) {
        let off = self.tolerance.unwrap_or(0);
        let (mut least, mut most) = (self.target_value - off, self.target_value + off);
        let Some(unit) = self.measured_unit() else { return (least, most) };
        let (target, off) = (self.steps(self.target_value), unit.steps(unit.show_difference(off)));
        while self.steps(least - 1) >= target - off {
            least -= 1;
        }
        while self.steps(least) < target - off {
            least += 1;
        }
        while self.steps(most + 1) <= target + off {
            most += 1;
        }
        while self.steps(most) > target + off {
            most -= 1;
        }
        (least, most)
    }

    /// Its time is over.
    pub fn end(&mut self, now: Timestamp) {
        let stayed = self.direction == GoalDirection::Maintain;
        match self.current_value {
            Some(current) if stayed && self.is_near(current) => self.achieve(now),
            _ => self.status = GoalStatus::Missed,
        }
    }

    fn tallies(&self) -> BTreeSet<String> {
        let all = of_tally(TALLY, &[self.client_id.bind()]);
        BTreeSet::from([subject(&all, "status", &self.status.bind()), all])
    }

    fn publish(&self, cx: &mut Write, changed_fields: Vec<String>) -> Result<()> {
        if cx.lacks_consent(self.client_id)? {
            return Ok(());
        }
        let payload = GoalEvent {
            client_id: self.client_id,
            goal_id: self.goal_id,
            kind: self.kind,
            status: self.status,
            due_date: self.due_date,
            changed_fields,
        };
        cx.emit(Event::GoalUpdated, &payload).map(drop)
    }

    /// Stores a new goal and emits its event.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("goal", self.goal_id, ["goal"]);
        cx.defer(INSERT, &self.params())?;
        cx.recount(&BTreeSet::new(), &self.tallies())?;
        self.publish(cx, Vec::new())
    }

    /// Saves a change and emits its event; returns whether there was one.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<bool> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("goal", self.goal_id, changed.clone()) else {
            return Ok(false);
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())?;
        cx.recount(&before.tallies(), &self.tallies())?;
        self.publish(cx, changed)?;
        Ok(true)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<GoalEvent>()
}

statements! {
    FIND = "SELECT ", Goal::COLUMNS, " FROM goal WHERE company_id = ?1 AND client_id = ?2 AND goal_id = ?3";
    INSERT = "INSERT INTO goal ", values!(Goal);
    SAVE = "UPDATE goal SET ", set!(Goal), " WHERE company_id = ?1 AND client_id = ?2 AND goal_id = ?3";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn goal(direction: GoalDirection, start: Option<i64>, target: i64) -> Goal {
        let (id, at) = (Id::first_at(Timestamp::from_millis(1)), Timestamp::from_millis(1));
        Goal {
            client_id: ClientId(id),
            goal_id: GoalId(id),
            title: "Lighter".to_owned(),
            kind: GoalKind::Measurement,
            measurement_type: TypeKey::parse("weight"),
            habit_id: None,
            direction,
            start_value: start,
            target_value: target,
            current_value: None,
            tolerance: Some(1_000),
            unit: None,
            start_date: Date::parse("2026-01-01").unwrap(),
            due_date: None,
            status: GoalStatus::Active,
            progress_percent: None,
            achieved_at: None,
            note: None,
            created_by_type: "coach".to_owned(),
            created_by: None,
            created_at: at,
            updated_at: at,
        }
    }

    fn facts(newest: i64) -> Facts {
        Facts { newest: Some(newest), counted: (4, 3) }
    }

    #[test]
    fn achieved_stays_achieved() {
        let now = Timestamp::from_millis(2);
        let mut goal = goal(GoalDirection::Decrease, None, 75_000);
        goal.follow(facts(80_000), now);
        assert_eq!((goal.start_value, goal.progress_percent), (Some(80_000), Some(0)));
        goal.follow(facts(77_000), now);
        assert_eq!((goal.start_value, goal.progress_percent), (Some(80_000), Some(60)));
        goal.follow(facts(82_000), now);
        assert_eq!(goal.progress_percent, Some(0));
        goal.follow(facts(74_900), now);
        assert_eq!((goal.status, goal.achieved_at), (GoalStatus::Achieved, Some(now)));
        goal.follow(facts(90_000), now);
        assert_eq!((goal.status, goal.current_value), (GoalStatus::Achieved, Some(74_900)));
    }

    #[test]
    fn retained_members_are_counted_at_the_end() {
        let now = Timestamp::from_millis(2);
        for (newest, status) in [(75_900, GoalStatus::Achieved), (76_100, GoalStatus::Missed)] {
            let mut goal = goal(GoalDirection::Maintain, None, 75_000);
            goal.follow(facts(newest), now);
            assert_eq!((goal.status, goal.progress_percent), (GoalStatus::Active, Some(75)));
            goal.end(now);
            assert_eq!(goal.status, status);
        }
    }

    fn in_pounds(direction: GoalDirection, start: f64, target: f64, off: Option<f64>) -> Goal {
        let mut own = goal(direction, Some(Unit::Pounds.take(start)), Unit::Pounds.take(target));
        own.unit = Some("lb".to_owned());
        own.tolerance = off.map(|off| Unit::Pounds.take(target + off) - Unit::Pounds.take(target));
        own
    }

    #[test]
    fn goals_are_compared_in_the_unit_that_they_were_set_in() {
        let mut goal = in_pounds(GoalDirection::Decrease, 200.0, 150.0, None);
        let newest = Some(Unit::Pounds.take(190.0));
        goal.follow(Facts { newest, counted: (0, 0) }, Timestamp::from_millis(1));
        assert_eq!(goal.progress_percent, Some(20));
        let goal = in_pounds(GoalDirection::Maintain, 235.1, 235.1, Some(1.7));
        for (value, near) in [(233.4, true), (236.8, true), (233.39, false), (236.81, false)] {
            assert_eq!(goal.is_near(Unit::Pounds.take(value)), near, "{value}");
        }
    }

    proptest! {
        #[test]
        fn a_hundred_percent_is_the_target(
            start in -1_000..1_000i64, target in -1_000..1_000i64, current in -1_000..1_000i64,
        ) {
            prop_assume!(start != target);
            let there = if target > start { current >= target } else { current <= target };
            prop_assert_eq!(percent(start, target, current) == 100, there);
            let share = (current - start) as f64 / (target - start) as f64 * 100.0;
            prop_assert_eq!(percent(start, target, current), (share.clamp(0.0, 100.0) + 1e-9) as i64);
        }
    }
}
