//! What a client did of one exercise, session by session.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, ListQuery, Path, Read, listed, operation, path};
use spotter_kernel::{Date, Result, Timestamp, id::ClientId};
use spotter_people::clients::Client;
use spotter_store::{Bind, List, NoFilters, lists, record};

use super::{
    body,
    exercises::{Exercise, ExerciseId},
    measures::{Milligrams, Weight, WeightUnit},
    performance::{LoggedSet, SetCounting, Sets, best_estimate},
    progress,
    session::SessionId,
    settings::WorkoutSettings,
    vocabulary::TrackingType,
};

/// The estimated one-repetition maximum from the set with the highest Epley estimate. Sets of more than 12
/// repetitions are not used. For `bodyweight_plus`, w is body weight plus added weight, and the result is what
/// exceeds the body weight.
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

/// The sets of an exercise in one session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ExerciseHistoryEntry")]
struct HistoryEntry {
    session_id: SessionId,
    /// The company's date on which the session began.
    local_date: Date,
    /// When the session began.
    performed_at: Timestamp,
    notes: Option<String>,
    /// Body weight, if recorded; only for callers who may read measurements.
    body_weight: Option<Weight>,
    sets: Vec<LoggedSet<Weight>>,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
    /// `kg` or `lb`, in which weights are given.
    weight_unit: WeightUnit,
    /// Estimated one-repetition maximum; null without a working set of 1 to 12 repetitions with a
    /// weight, for `assisted` exercises, and for `bodyweight_plus` without a body weight.
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
        body_weight_mg: Option<Milligrams>,
        sets: Sets,
        set_count: i64,
        reps: i64,
        volume_mg: Milligrams,
    }
}

impl Entry {
    fn in_unit(
        self,
        weight_unit: WeightUnit,
        tracking: TrackingType,
        tells_body: bool,
    ) -> HistoryEntry {
        let body = self.body_weight_mg.filter(|_| tells_body);
        let counting = SetCounting { tracking, body };
        let estimate = best_estimate(counting, &self.sets.0).map(|estimate| Estimate {
            epley: weight_unit.show(estimate.epley),
            brzycki: estimate.brzycki.map(|most| weight_unit.show(most)),
            weight: weight_unit.show(estimate.weight),
            reps: estimate.reps,
        });
        HistoryEntry {
            session_id: self.session_id,
            local_date: self.local_date,
            performed_at: self.started_at,
            notes: self.notes,
            body_weight: body.map(|body| weight_unit.show(body)),
            sets: self.sets.0.into_iter().map(|set| set.in_unit(weight_unit)).collect(),
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
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<History> {
    Client::find(cx, at.client_id)?;
    let tracking = Exercise::find(cx, at.exercise_id)?.tracking_type;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let tells_body = body::may_read(cx, at.client_id)?;
    let total = progress::entries(cx, at.client_id, at.exercise_id)?;
    let under = [at.client_id.bind(), at.exercise_id.bind()];
    let entries = cx.page_known(&LIST, &under, total, page)?;
    Ok(entries.map(|entry| entry.in_unit(unit, tracking, tells_body)).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/workout/clients/{clientId}/plans/exercises/{exerciseId}/history", WorkoutProgressRead, list_exercise_history)
            .summary("List a client's exercise history")
            .for_client(&[])
            .describe("Returns completed sessions with the exercise, latest first."),
    ])
}

lists! {
    /// Sets of an exercise in completed sessions, the latest first.
    LIST: List<Entry> = List::new(
        "workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3 AND counted",
        "started_at DESC, session_id DESC, position DESC",
    );
}
