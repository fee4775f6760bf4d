//! Recounts logged sets after an exercise's measure was changed.

use std::collections::BTreeSet;

use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Id, Result, id::ClientId};
use spotter_store::{params, statements};

use super::{
    exercises::{Exercise, ExerciseId},
    measures::Milligrams,
    performance::{Amount, SetCounting, Sets},
    progress::{self, tracking},
    session::SessionId,
};

/// Schedules a recount of everything that clients have logged of an exercise, a client at a time.
pub(super) fn later(cx: &mut Write, exercise: ExerciseId) -> Result<()> {
    let clients: Vec<(ClientId,)> = cx.all(WHO_DID, params![exercise])?;
    let now = cx.now();
    clients.into_iter().try_for_each(|(client,)| cx.set_timer(&RECOUNT_WORKOUTS, client, now))
}

/// Rows that are read at once.
const STEP: usize = 500;

fn recount_workouts(cx: &mut Write, client: Id) -> Result<()> {
    type Logged = (SessionId, i64, ExerciseId, Sets, Option<Milligrams>, Milligrams);
    let client = ClientId(client);
    let (mut sessions, mut exercises) = (BTreeSet::new(), BTreeSet::new());
    let mut after = (String::new(), 0);
    loop {
        let step: Vec<Logged> = cx.all(LOGGED, params![client, after.0, after.1])?;
        let kinds = Exercise::find_all(cx, step.iter().map(|logged| logged.2))?;
        let is_last = step.len() < STEP;
        for (session, position, exercise, Sets(sets), body, counted) in step {
            after = (session.to_string(), position);
            let counting = SetCounting { tracking: tracking(&kinds, exercise), body };
            let volume = Amount::of(counting, &sets).volume;
            if volume != counted {
                cx.execute(COUNT, params![client, session, position, volume])?;
                sessions.insert(session);
            }
            let may_differ = counting.tracking.moves_body()
                || kinds.get(&exercise).is_some_and(|exercise| exercise.editable);
            if volume != counted || may_differ {
                exercises.insert(exercise);
            }
        }
        if is_last {
            break;
        }
    }
    let now = cx.now();
    for session in sessions {
        cx.execute(ADD_UP, params![client, session, now])?;
    }
    progress::recount(cx, client, exercises)
}

static RECOUNT_WORKOUTS: Timer = Timer::new(
    "recount_workouts",
    "Recompute workout progress after an exercise's measure was changed",
    recount_workouts,
);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&RECOUNT_WORKOUTS])
}

statements! {
    WHO_DID = "SELECT DISTINCT client_id FROM workout_performance \
        WHERE company_id = ?1 AND exercise_id = ?2 ORDER BY client_id LIMIT 100000";
    LOGGED = "SELECT session_id, position, exercise_id, sets, body_weight_mg, volume_mg \
        FROM workout_performance WHERE company_id = ?1 AND client_id = ?2 AND (session_id, position) > (?3, ?4) \
        ORDER BY session_id, position LIMIT 500";
    COUNT = "UPDATE workout_performance SET volume_mg = ?5 \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3 AND position = ?4";
    ADD_UP = "UPDATE workout_session SET updated_at = ?4, volume_mg = (SELECT CAST(SUM(p.volume_mg) AS BIGINT) \
        FROM workout_performance p WHERE p.company_id = ?1 AND p.client_id = ?2 AND p.session_id = ?3) \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
}
