//! A client's training calendar: due days, and moves to other dates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, Feature, Path, Query, Read, Success, Write, answer, operation, path,
};
use spotter_kernel::{Date, DateRange, Key, Problem, Result, TimeZone, id::ClientId};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{params, statements};

use super::{
    agenda::{Agenda, CalendarItem, MOVES_MAX, Move, MoveId, find_move},
    plan::{MomentId, Plan, PlanId},
    templates::company_zone,
};
use crate::rules::TrainingRule;

/// Most days of one answer.
const DAYS_MAX: i64 = 92;
/// How far from its planned date an occurrence may be moved, in days.
const MOVE_DAYS_MAX: i64 = 92;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CalendarQuery {
    /// First date, inclusive.
    #[schemars(required, with = "Date")]
    from: Option<Date>,
    /// The last date, at most 91 days after the first.
    #[schemars(required, with = "Date")]
    to: Option<Date>,
}

/// A client's planned workouts between two dates.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClientCalendar {
    client_id: ClientId,
    from: Date,
    to: Date,
    /// The IANA time zone of the company's dates.
    time_zone: TimeZone,
    /// The date that it is in that zone.
    today: Date,
    /// By date and start time.
    items: Vec<CalendarItem>,
}

answer!(CalendarAnswer { calendar: ClientCalendar });

fn get_client_workout_calendar(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(wanted): Query<CalendarQuery>,
) -> Result<CalendarAnswer> {
    let client_id = at.client_id;
    Client::find(cx, client_id)?;
    let DateRange { from, to } = DateRange::checked(wanted.from, wanted.to, DAYS_MAX)?;
    let time_zone = company_zone(cx)?;
    let today = time_zone.date_at(cx.now());
    let plans: Vec<Plan> = cx.all(WITH_DATES, params![client_id])?;
    let mut items = Vec::new();
    for plan in &plans {
        items.extend(Agenda::of(cx, plan)?.between(from, to));
    }
    items.sort_by_cached_key(CalendarItem::sort_key);
    let (mut day, mut order) = (None, 0);
    for item in &mut items {
        order = if item.scheduled() == day { order + 1 } else { 1 };
        day = item.scheduled();
        item.set_order(order);
    }
    let calendar = ClientCalendar { client_id, from, to, time_zone, today, items };
    Ok(CalendarAnswer { calendar })
}

/// A planned workout and its new date.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewWorkoutMove")]
struct NewMove {
    plan_id: PlanId,
    plan_moment_id: MomentId,
    /// The date that the day is planned on.
    occurrence_date: Date,
    /// The date that it is done on instead, at most 92 days away.
    scheduled_date: Date,
}

answer!(ItemAnswer { item: CalendarItem });

fn not_due() -> Problem {
    Problem::field(Key::NotFound, "occurrenceDate", TrainingRule::DayNotDue)
}

fn create_workout_move(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(wanted): Body<NewMove>,
) -> Result<ItemAnswer> {
    let NewMove { plan_id, plan_moment_id, occurrence_date, scheduled_date } = wanted;
    let plan = Plan::find_of_client(cx, at.client_id, plan_id)?;
    let days = occurrence_date.days_until(scheduled_date);
    if days == 0 {
        return Err(Problem::invalid("scheduledDate", TrainingRule::MovedToPlanned));
    }
    if days.abs() > MOVE_DAYS_MAX {
        return Err(Problem::invalid(
            "scheduledDate",
            TrainingRule::MovedTooFar { days: MOVE_DAYS_MAX },
        ));
    }
    let mut agenda = Agenda::of(cx, &plan)?;
    let occurrence = agenda.occurrence(plan_moment_id, occurrence_date).ok_or_else(not_due)?;
    agenda.check_released(cx, &occurrence)?;
    if agenda.is_begun(&occurrence) {
        return Err(Problem::conflict("occurrenceDate", TrainingRule::WorkoutBegun));
    }
    let same = |moved: &Move| {
        (moved.plan_moment_id, moved.occurrence_date) == (plan_moment_id, occurrence_date)
    };
    let known = agenda.moves.iter().position(same);
    if known.is_none() && agenda.moves.len() >= MOVES_MAX {
        return Err(Problem::conflict("planId", TrainingRule::TooManyMoves { max: 1000 }));
    }
    let new = Move {
        move_id: MoveId(cx.new_id()),
        plan_id,
        plan_moment_id,
        occurrence_date,
        scheduled_date,
        changed_at: cx.now(),
    };
    let moved = match known {
        Some(at) => Move { move_id: agenda.moves.remove(at).move_id, ..new },
        None => new,
    };
    let statement = if known.is_some() { MOVE_AGAIN } else { INSERT };
    let params = params![
        at.client_id,
        moved.move_id,
        plan_id,
        plan_moment_id,
        occurrence_date,
        scheduled_date,
        moved.changed_at
    ];
    cx.set_audit_target("workout_move", moved.move_id, ["scheduledDate"]);
    cx.defer(statement, params)?;
    agenda.moves.push(moved);
    agenda.calendar_item(&occurrence).map(|item| ItemAnswer { item }).ok_or_else(not_due)
}

path!(MovePath { client_id: ClientId, move_id: MoveId });

answer!(
    /// The occurrence on its planned date again; null where the plan has no such day any more.
    RestoredAnswer {
        item: Option<CalendarItem>,
    }
);

fn restore_workout_move(cx: &mut Write, Path(at): Path<MovePath>) -> Result<RestoredAnswer> {
    Client::find(cx, at.client_id)?;
    let moved = find_move(cx, at.client_id, at.move_id)?.ok_or(Key::NotFound)?;
    cx.set_audit_target("workout_move", moved.move_id, ["move"]);
    cx.defer(RESTORE, params![at.client_id, moved.move_id])?;
    let plan = match Plan::find_of_client(cx, at.client_id, moved.plan_id) {
        Err(problem) if problem.status == 404 => return Ok(RestoredAnswer { item: None }),
        found => found?,
    };
    let mut agenda = Agenda::of(cx, &plan)?;
    agenda.moves.retain(|other| other.move_id != moved.move_id);
    let occurrence = agenda.occurrence(moved.plan_moment_id, moved.occurrence_date);
    Ok(RestoredAnswer { item: occurrence.and_then(|occurrence| agenda.calendar_item(&occurrence)) })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/workout/clients/{clientId}/calendar", WorkoutClientPlansRead, get_client_workout_calendar)
            .summary("Get a client's workout calendar")
            .for_client(&[])
            .describe(
                "Returns what is due between two dates, after moves. An item is `completed` or \
                 `in_progress` by its session, `locked` until its week is released, and otherwise \
                 `upcoming`, due `today` or `missed` by its date.",
            )
            .needs(Feature::ProgrammeCalendar)
            .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge]),
        operation!(POST "/workout/clients/{clientId}/calendar/moves", WorkoutClientPlansWrite, create_workout_move)
            .success(Success::Added)
            .summary("Move a workout")
            .for_client(&[])
            .describe(
                "Moves one occurrence to another date. Moving it again replaces the earlier move.",
            )
            .created()
            .needs(Feature::ProgrammeCalendar)
            .fails(&[Key::ApiError]),
        operation!(DELETE "/workout/clients/{clientId}/calendar/moves/{moveId}", WorkoutClientPlansWrite, restore_workout_move)
            .success(Success::Restored)
            .summary("Restore a moved workout")
            .describe("Returns an occurrence to its planned date.")
            .for_client(&[])
            .needs(Feature::ProgrammeCalendar),
    ])
}

statements! {
    WITH_DATES = "SELECT ", Plan::COLUMNS, " FROM workout_plan WHERE company_id = ?1 \
        AND client_id = ?2 AND deleted_at IS NULL AND start_date IS NOT NULL \
        ORDER BY plan_id LIMIT 200";
    INSERT = "INSERT INTO workout_move (company_id, client_id, move_id, plan_id, plan_moment_id, \
        occurrence_date, scheduled_date, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    MOVE_AGAIN = "UPDATE workout_move SET scheduled_date = ?7, changed_at = ?8 \
        WHERE company_id = ?1 AND client_id = ?2 AND move_id = ?3 AND plan_id = ?4 \
        AND plan_moment_id = ?5 AND occurrence_date = ?6";
    RESTORE = "DELETE FROM workout_move \
        WHERE company_id = ?1 AND client_id = ?2 AND move_id = ?3";
}
