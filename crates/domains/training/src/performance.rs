//! What a client has done: logged sets, and what the sets of an exercise amount to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Many, Timestamp, text::Text};
use spotter_store::{Bind, Value, column_from, words};

use super::{
    exercises::ExerciseId,
    measures::{self, Milligrams, NewWeight, Rpe, Weight, WeightUnit},
    prescription::SETS_MAX,
    session::SessionId,
    vocabulary::{SetType, TrackingType},
};

/// A set that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoggedSet<W> {
    /// `normal` when absent.
    #[serde(default = "SetType::normal")]
    pub r#type: SetType,
    /// Repetitions.
    #[serde(default, deserialize_with = "measures::reps")]
    #[schemars(range(min = 0, max = 1000))]
    pub reps: Option<i64>,
    /// Weight in the company's unit.
    #[serde(default = "Option::<W>::default")]
    pub weight: Option<W>,
    /// Distance in metres.
    #[serde(default, deserialize_with = "measures::distance")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub distance_meters: Option<i64>,
    /// Time in seconds.
    #[serde(default, deserialize_with = "measures::duration")]
    #[schemars(range(min = 0, max = 86400))]
    pub duration_seconds: Option<i64>,
    /// Rated perceived exertion.
    #[serde(default)]
    pub rpe: Option<Rpe>,
    /// False for a set that was left out; true when absent.
    #[serde(default = "yes")]
    pub completed: bool,
}

fn yes() -> bool {
    true
}

impl<W> LoggedSet<W> {
    pub(super) fn map<U>(self, weight: impl FnOnce(W) -> U) -> LoggedSet<U> {
        let Self { r#type, reps, distance_meters, duration_seconds, rpe, completed, .. } = self;
        let weight = self.weight.map(weight);
        LoggedSet { r#type, reps, weight, distance_meters, duration_seconds, rpe, completed }
    }

    /// Whether anything was measured.
    pub(super) fn is_measured(&self) -> bool {
        self.reps.is_some() || self.distance_meters.is_some() || self.duration_seconds.is_some()
    }

    /// Whether the set counts: done, no warm-up, and with a repetition, a second or a metre to it. A
    /// lift that failed is none.
    fn is_working(&self) -> bool {
        let amounts = [self.reps, self.duration_seconds, self.distance_meters];
        let performed = amounts.into_iter().flatten().any(|amount| amount > 0);
        self.completed && self.r#type != SetType::Warmup && performed
    }
}

impl LoggedSet<Milligrams> {
    /// The set in the company's unit.
    pub(super) fn in_unit(self, unit: WeightUnit) -> LoggedSet<Weight> {
        self.map(|grams| unit.show(grams))
    }
}

/// Stored sets: JSON arrays of their values in a fixed order, because there are millions of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sets(pub(super) Vec<LoggedSet<Milligrams>>);

/// A set's values in their stored order.
#[derive(Serialize, Deserialize)]
struct StoredSet(
    SetType,
    Option<i64>,
    Option<Milligrams>,
    Option<i64>,
    Option<i64>,
    Option<Rpe>,
    bool,
);

impl Bind for Sets {
    fn bind(&self) -> Value<'_> {
        let kept = |set: &LoggedSet<Milligrams>| {
            let LoggedSet {
                r#type,
                reps,
                weight,
                distance_meters,
                duration_seconds,
                rpe,
                completed,
            } = *set;
            StoredSet(r#type, reps, weight, distance_meters, duration_seconds, rpe, completed)
        };
        let kept: Vec<_> = self.0.iter().map(kept).collect();
        serde_json::to_string(&kept).map_or(Value::Null, |text| Value::Text(text.into()))
    }
}

column_from! {
    Sets: String, |text| {
        let kept: Vec<StoredSet> = serde_json::from_str(text).ok()?;
        let set = |StoredSet(r#type, reps, weight, distance_meters, duration_seconds, rpe, completed)| {
            LoggedSet { r#type, reps, weight, distance_meters, duration_seconds, rpe, completed }
        };
        Some(Sets(kept.into_iter().map(set).collect()))
    };
}

/// An exercise of a session.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewLoggedExercise {
    /// Exercise of the library, one of `GET /workout/exercises`.
    pub exercise_id: ExerciseId,
    /// Neighbouring exercises with the same label were done in turn.
    pub superset: Option<Text<10>>,
    /// Notes, as free text.
    pub notes: Option<Text<1000>>,
    /// Body weight in the company's unit; used for the tracking types `assisted` and
    /// `bodyweight_plus`.
    pub body_weight: Option<NewWeight>,
    /// At most 30 sets.
    #[serde(default)]
    pub sets: Many<LoggedSet<NewWeight>, 0, SETS_MAX>,
}

/// How the sets of an exercise count: its measure, and the client's body weight where it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetCounting {
    pub tracking: TrackingType,
    pub body: Option<Milligrams>,
}

impl SetCounting {
    /// The weight of a set that counts for volume, for each repetition. Assistance does not count, and body weight is
    /// left out, so that a reader of volumes need not know a client's weight.
    fn load(self, set: &LoggedSet<Milligrams>) -> Milligrams {
        match self.tracking {
            TrackingType::Assisted => Milligrams(0),
            _ => set.weight.unwrap_or_default(),
        }
    }

    /// Estimated one-repetition maximum of a set by both formulas; for `bodyweight_plus` what exceeds the body
    /// weight, where that is known. None for assisted sets.
    fn estimate(self, set: &LoggedSet<Milligrams>) -> Option<EstimatedMaximum> {
        let own = match self.tracking {
            TrackingType::Assisted => return None,
            TrackingType::BodyweightPlus => self.body?,
            _ => Milligrams(0),
        };
        let moved = Milligrams(own.0 + self.load(set).0);
        let (load, reps) = (Some(moved).filter(|moved| moved.0 > 0)?, set.reps?);
        let beyond = |most: Milligrams| Milligrams(most.0 - own.0);
        Some(EstimatedMaximum {
            weight: set.weight.unwrap_or_default(),
            reps,
            epley: beyond(epley(load, reps)?),
            brzycki: brzycki(load, reps).map(beyond),
        })
    }
}

/// An estimated one-repetition maximum with its set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EstimatedMaximum {
    pub weight: Milligrams,
    pub reps: i64,
    pub epley: Milligrams,
    pub brzycki: Option<Milligrams>,
}

/// What working sets amount to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub sets: i64,
    pub reps: i64,
    /// The sum of weight times repetitions; of help, nothing.
    pub volume: Milligrams,
}

impl Amount {
    /// The amount of the working sets among these.
    pub fn of(counting: SetCounting, sets: &[LoggedSet<Milligrams>]) -> Self {
        let mut amount = Self::default();
        for set in sets.iter().filter(|set| set.is_working()) {
            let reps = set.reps.unwrap_or(0);
            amount.sets += 1;
            amount.reps += reps;
            amount.volume.0 += counting.load(set).0 * reps;
        }
        amount
    }

    pub fn add(&mut self, other: Self) {
        self.sets += other.sets;
        self.reps += other.reps;
        self.volume.0 += other.volume.0;
    }
}

/// Most repetitions of a set from which a one-repetition maximum is estimated: beyond about
/// twelve, endurance decides more than strength, and the formulas drift apart.
pub(super) const ESTIMATE_REPS_MAX: i64 = 12;

/// The one-repetition maximum by Epley (1985), w · (1 + r/30), and w itself for one repetition; to
/// the nearest milligram. None outside 1 to 12 repetitions.
pub(super) fn epley(weight: Milligrams, reps: i64) -> Option<Milligrams> {
    match reps {
        1 => Some(weight),
        2..=ESTIMATE_REPS_MAX => Some(Milligrams((weight.0 * (30 + reps) * 2 + 30) / 60)),
        _ => None,
    }
}

/// The one-repetition maximum by Brzycki (1993), w · 36/(37 − r), to the nearest milligram. None
/// outside 1 to 12 repetitions; the formula itself has no meaning from 37 on.
pub(super) fn brzycki(weight: Milligrams, reps: i64) -> Option<Milligrams> {
    let rest = 37 - reps;
    (1..=ESTIMATE_REPS_MAX)
        .contains(&reps)
        .then(|| Milligrams((weight.0 * 36 * 2 + rest) / (2 * rest)))
}

/// The best estimate by Epley among the working sets.
pub(super) fn best_estimate(
    counting: SetCounting,
    sets: &[LoggedSet<Milligrams>],
) -> Option<EstimatedMaximum> {
    let working = sets.iter().filter(|set| set.is_working());
    let estimates = working.filter_map(|set| counting.estimate(set));
    estimates.reduce(|best, next| if best.epley >= next.epley { best } else { next })
}

words! {
    /// What a record is about. nRM is the heaviest weight of a working set of at least n
    /// repetitions; the volume is that of one session; of assistance the least is the best.
    pub enum RecordType {
        MaxWeight = "max_weight", MinAssistance = "min_assistance", OneRm = "1rm", ThreeRm = "3rm", FiveRm = "5rm", TenRm = "10rm",
        EstimatedOneRm = "estimated_1rm", MaxReps = "max_reps", MaxVolume = "max_volume",
        MaxDuration = "max_duration", MaxDistance = "max_distance",
    }
}

/// A personal record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub r#type: RecordType,
    /// Milligrams, repetitions, seconds or metres, by the type.
    pub value: i64,
    /// The set's weight and repetitions, where a set holds the record.
    pub weight: Option<Milligrams>,
    pub reps: Option<i64>,
    pub session_id: SessionId,
    pub achieved_at: Timestamp,
}

/// Stored records: JSON arrays of their values in a fixed order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Records(pub Vec<Record>);

/// A record's values in their stored order; weights in grams, the instant in milliseconds.
#[derive(Serialize, Deserialize)]
struct StoredRecord(RecordType, f64, Option<Milligrams>, Option<i64>, SessionId, i64);

impl RecordType {
    /// Whether one value beats another.
    fn beats(self, value: i64, other: i64) -> bool {
        if self == Self::MinAssistance { value < other } else { value > other }
    }

    /// Whether its value is a weight, or a volume.
    pub(super) const fn is_weight(self) -> bool {
        !matches!(self, Self::MaxReps | Self::MaxDuration | Self::MaxDistance)
    }

    /// The size of one unit of the stored form.
    const fn kept_unit(self) -> f64 {
        if self.is_weight() { 1_000.0 } else { 1.0 }
    }
}

impl Bind for Records {
    fn bind(&self) -> Value<'_> {
        let kept = |record: &Record| {
            let Record { r#type, value, weight, reps, session_id, achieved_at } = *record;
            let value = value as f64 / r#type.kept_unit();
            StoredRecord(r#type, value, weight, reps, session_id, achieved_at.millis())
        };
        let kept: Vec<_> = self.0.iter().map(kept).collect();
        serde_json::to_string(&kept).map_or(Value::Null, |text| Value::Text(text.into()))
    }
}

column_from! {
    Records: String, |text| {
        let kept: Vec<StoredRecord> = serde_json::from_str(text).ok()?;
        let record = |StoredRecord(r#type, value, weight, reps, session_id, millis)| {
            let achieved_at = Timestamp::from_millis(millis);
            let value = (value * r#type.kept_unit()).round() as i64;
            Record { r#type, value, weight, reps, session_id, achieved_at }
        };
        Some(Records(kept.into_iter().map(record).collect()))
    };
}

/// One exercise in one session.
#[derive(Debug, Clone)]
pub(super) struct ExercisePerformance {
    pub session_id: SessionId,
    pub started_at: Timestamp,
    pub sets: Vec<LoggedSet<Milligrams>>,
    pub counting: SetCounting,
    /// Number of entries of the exercise in the session.
    pub entries: i64,
}

impl ExercisePerformance {
    /// The records that a session would hold by itself.
    fn bests(&self) -> Vec<Record> {
        let record = |kind, value, set: Option<&LoggedSet<Milligrams>>| Record {
            r#type: kind,
            value,
            weight: set.and_then(|set| set.weight),
            reps: set.and_then(|set| set.reps),
            session_id: self.session_id,
            achieved_at: self.started_at,
        };
        let mut bests: Vec<Record> = Vec::new();
        let mut offer = |kind, value: Option<i64>, set| {
            // Who needs no help any more holds a record, too.
            let least = i64::from(kind != RecordType::MinAssistance);
            let Some(value) = value.filter(|value| *value >= least) else { return };
            match bests.iter_mut().find(|best| best.r#type == kind) {
                Some(best) if !kind.beats(value, best.value) => {}
                Some(best) => *best = record(kind, value, set),
                None => bests.push(record(kind, value, set)),
            }
        };
        for set in self.sets.iter().filter(|set| set.is_working()) {
            let helped = self.counting.tracking == TrackingType::Assisted;
            let (weight, reps) = (set.weight.map(|weight| weight.0), set.reps.unwrap_or(0));
            offer(RecordType::MinAssistance, weight.filter(|_| helped), Some(set));
            let weight = weight.filter(|_| !helped);
            offer(RecordType::MaxWeight, weight, Some(set));
            let lifts = [
                (RecordType::OneRm, 1),
                (RecordType::ThreeRm, 3),
                (RecordType::FiveRm, 5),
                (RecordType::TenRm, 10),
            ];
            for (kind, least) in lifts {
                offer(kind, weight.filter(|_| reps >= least), Some(set));
            }
            let estimate = self.counting.estimate(set).map(|estimate| estimate.epley.0);
            offer(RecordType::EstimatedOneRm, estimate, Some(set));
            offer(RecordType::MaxReps, set.reps, Some(set));
            offer(RecordType::MaxDuration, set.duration_seconds, Some(set));
            offer(RecordType::MaxDistance, set.distance_meters, Some(set));
        }
        let amount = Amount::of(self.counting, &self.sets);
        offer(RecordType::MaxVolume, Some(amount.volume.0), None);
        bests
    }
}

/// What a client has done of an exercise in all completed sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Progress {
    pub times_performed: i64,
    pub entries: i64,
    pub amount: Amount,
    pub last_performed_at: Timestamp,
    pub records: Vec<Record>,
}

impl Progress {
    /// Adds a session that began no earlier than those before. A tie keeps the earlier record.
    pub fn add(&mut self, performed: &ExercisePerformance) {
        let amount = Amount::of(performed.counting, &performed.sets);
        // A skipped exercise was not performed.
        if amount.sets == 0 {
            return;
        }
        self.times_performed += 1;
        self.entries += performed.entries;
        self.amount.add(amount);
        self.last_performed_at = self.last_performed_at.max(performed.started_at);
        for best in performed.bests() {
            match self.records.iter_mut().find(|record| record.r#type == best.r#type) {
                Some(record) if !best.r#type.beats(best.value, record.value) => {}
                Some(record) => *record = best,
                None => self.records.push(best),
            }
        }
        self.records.sort_by_key(|record| record.r#type);
    }
}

#[cfg(test)]
mod tests;
