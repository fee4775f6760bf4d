//! What a client did of one exercise, session by session.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Paged, Path, Read, listed, operation, path};
use spotter_core::clients::Client;
use spotter_kernel::{Date, Result, Timestamp, id::ClientId};
use spotter_store::{Bind, List, NoFilters, lists, record};

use super::{
    exercises::{Exercise, ExerciseId},
    measures::{Milligrams, Weight, WeightUnit},
    performance::{LoggedSet, Sets, best_estimate, brzycki},
    progress,
    session::SessionId,
    settings::Settings,
};

/// An estimate of the one-repetition maximum from the set that gives the highest by Epley. Sets of
/// more than 12 repetitions are not used.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Estimate {
    /// Epley (1985): w · (1 + r / 30), and w for one repetition.
    epley: Weight,
    /// Brzycki (1993): w · 36 / (37 − r).
    brzycki: Option<Weight>,
    /// The set's weight.
    weight: Weight,
    /// The set's repetitions.
    reps: i64,
}

/// What was done of the exercise in a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryEntry {
    session_id: SessionId,
    /// The company's date on which the session began.
    local_date: Date,
    /// When the session began.
    performed_at: Timestamp,
    notes: Option<String>,
    sets: Vec<LoggedSet<Weight>>,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
    /// The unit of the weights.
    weight_unit: WeightUnit,
    /// Null where no working set of 1 to 12 repetitions has a weight.
    estimated_one_rep_max: Option<Estimate>,
}

listed!(History { history: HistoryEntry });

path!(HistoryPath { client_id: ClientId, exercise_id: ExerciseId });

record! {
    struct Entry {
        session_id: SessionId,
        local_date: Date,
        started_at: Timestamp,
        notes: Option<String>,
        sets: Sets,
        set_count: i64,
        reps: i64,
        volume_mg: Milligrams,
    }
}

impl Entry {
    fn shown(self, weight_unit: WeightUnit) -> HistoryEntry {
        let estimate = best_estimate(&self.sets.0).map(|(weight, reps, epley)| Estimate {
            epley: weight_unit.show(epley),
            brzycki: brzycki(weight, reps).map(|grams| weight_unit.show(grams)),
            weight: weight_unit.show(weight),
            reps,
        });
        HistoryEntry {
            session_id: self.session_id,
            local_date: self.local_date,
            performed_at: self.started_at,
            notes: self.notes,
            sets: self.sets.0.into_iter().map(|set| set.shown(weight_unit)).collect(),
            set_count: self.set_count,
            total_reps: self.reps,
            total_volume: weight_unit.show(self.volume_mg),
            weight_unit,
            estimated_one_rep_max: estimate,
        }
    }
}

fn list_exercise_history(
    cx: &mut Read,
    Path(at): Path<HistoryPath>,
    Paged(_, page): Paged<NoFilters>,
) -> Result<History> {
    Client::find(cx, at.client_id)?;
    Exercise::find(cx, at.exercise_id)?;
    let unit = Settings::find(cx)?.weight_unit;
    let total = progress::entries(cx, at.client_id, at.exercise_id)?;
    let under = [at.client_id.bind(), at.exercise_id.bind()];
    let entries = cx.page_known(&LIST, &under, total, page)?;
    Ok(entries.map(|entry| entry.shown(unit)).into())
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/workout/clients/{clientId}/plans/exercises/{exerciseId}/history", WorkoutProgressRead, list_exercise_history)
            .summary("Get a client's history of an exercise")
            .for_client(&[])
            .describe("Completed sessions with the exercise, the latest first."),
    ])
}

lists! {
    /// What was done of an exercise in completed sessions, the latest first.
    LIST: List<Entry> = List::new(
        "workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3 AND counted",
        "started_at DESC, session_id DESC, position DESC",
    );
}
