//! Goals follow what they are counted by, in the transaction in which that changes.

use spotter_contract::{
    Area, Read, Write,
    activity::{ActivityListener, MeasuredValue},
};
use spotter_kernel::{Result, id::ClientId};
use spotter_store::{params, statements};

use crate::{
    goal::{Facts, Goal, GoalDirection, GoalKind},
    habit::HabitId,
    measurements,
    types::TypeKey,
};

/// The current values of a goal's source.
pub fn facts(cx: &mut Read, goal: &Goal) -> Result<Facts> {
    let (client, from) = (goal.client_id, goal.start_date);
    let counted = |count: i64| Facts { newest: Some(count), counted: (0, 0) };
    Ok(match (goal.kind, &goal.measurement_type, goal.habit_id) {
        (GoalKind::Measurement, Some(kind), _) => {
            let newest: Option<(i64,)> = cx.one(NEWEST, params![client, kind, from])?;
            let near = match goal.direction {
                GoalDirection::Maintain => {
                    let (least, most) = goal.near();
                    cx.one(NEAR, params![client, kind, from, least, most])?
                }
                GoalDirection::Increase | GoalDirection::Decrease => None,
            };
            Facts { newest: newest.map(|(value,)| value), counted: near.unwrap_or((0, 0)) }
        }
        (GoalKind::Habit, _, Some(habit)) => {
            let days: Option<(i64,)> = cx.one(COUNT_ENTRIES, params![client, habit, from])?;
            counted(days.map_or(0, |(days,)| days))
        }
        (GoalKind::Sessions, ..) => counted(cx.training()?.completed(cx, client, from)?),
        _ => Facts { newest: goal.current_value, counted: (0, 0) },
    })
}

fn bring_up_to_date(cx: &mut Write, goals: Vec<Goal>) -> Result<()> {
    for before in goals {
        let mut goal = before.clone();
        goal.follow(facts(cx, &before)?, cx.now());
        goal.save(cx, &before)?;
    }
    Ok(())
}

/// Updates a client's goals that follow a type of measurement.
pub fn measured(cx: &mut Write, client: ClientId, kind: &TypeKey) -> Result<()> {
    let goals = cx.all(OF_TYPE, params![client, kind])?;
    bring_up_to_date(cx, goals)
}

/// The goals that follow a habit.
pub fn goals_of_habit(cx: &mut Write, client: ClientId, habit: HabitId) -> Result<()> {
    let goals = cx.all(OF_HABIT, params![client, habit])?;
    bring_up_to_date(cx, goals)
}

/// What other areas may ask about a client's progress.
pub struct Progress;

impl ActivityListener for Progress {
    fn check_type(&self, cx: &mut Read, key: &str, field: &str) -> Result<()> {
        measurements::find_type(cx, key, field).map(drop)
    }

    fn check_answer(&self, cx: &mut Read, measured: &MeasuredValue<'_>, field: &str) -> Result<()> {
        measurements::check(cx, measured, field)
    }

    fn answered(
        &self,
        cx: &mut Write,
        client: ClientId,
        measured: &MeasuredValue<'_>,
        external_id: &str,
    ) -> Result<()> {
        measurements::record_answer(cx, client, measured, external_id).map(drop)
    }

    fn trained(&self, cx: &mut Write, client: ClientId) -> Result<()> {
        let goals = cx.all(OF_SESSIONS, params![client])?;
        bring_up_to_date(cx, goals)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    NEWEST = "SELECT value FROM measurement WHERE company_id = ?1 AND client_id = ?2 AND type = ?3 \
        AND status = 'recorded' AND measured_on >= ?4 AND value IS NOT NULL \
        ORDER BY measured_at DESC, measurement_id DESC LIMIT 1";
    NEAR = "SELECT COUNT(*), COUNT(CASE WHEN value BETWEEN ?5 AND ?6 THEN 1 END) FROM measurement \
        WHERE company_id = ?1 AND client_id = ?2 AND type = ?3 AND status = 'recorded' AND measured_on >= ?4";
    COUNT_ENTRIES = "SELECT COUNT(*) FROM habit_entry WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3 \
        AND date >= ?4 AND status = 'done'";
    OF_TYPE = "SELECT ", Goal::COLUMNS, " FROM goal WHERE company_id = ?1 AND client_id = ?2 AND status = 'active' \
        AND kind = 'measurement' AND measurement_type = ?3 ORDER BY goal_id LIMIT 100";
    OF_HABIT = "SELECT ", Goal::COLUMNS, " FROM goal WHERE company_id = ?1 AND client_id = ?2 AND status = 'active' \
        AND kind = 'habit' AND habit_id = ?3 ORDER BY goal_id LIMIT 100";
    OF_SESSIONS = "SELECT ", Goal::COLUMNS, " FROM goal WHERE company_id = ?1 AND client_id = ?2 AND status = 'active' \
        AND kind = 'sessions' ORDER BY goal_id LIMIT 100";
}
