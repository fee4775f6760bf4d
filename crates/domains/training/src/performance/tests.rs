//! Tests of the rules.

use proptest::prelude::*;
use spotter_kernel::Id;

use super::*;

fn set(kind: SetType, kilograms: i64, reps: i64) -> LoggedSet<Milligrams> {
    LoggedSet {
        r#type: kind,
        reps: Some(reps),
        weight: Some(Milligrams(kilograms * 1_000_000)),
        distance_meters: None,
        duration_seconds: None,
        rpe: None,
        completed: true,
    }
}

const LIFTED: SetCounting = SetCounting { tracking: TrackingType::WeightReps, body: None };

fn performed(at: i64, sets: Vec<LoggedSet<Milligrams>>) -> ExercisePerformance {
    performed_as(LIFTED, at, sets)
}

fn performed_as(
    counting: SetCounting,
    at: i64,
    sets: Vec<LoggedSet<Milligrams>>,
) -> ExercisePerformance {
    let started_at = Timestamp::from_millis(at);
    let session_id = SessionId(Id::new(started_at, [1; 6]));
    ExercisePerformance { session_id, started_at, sets, counting, entries: 1 }
}

fn values(progress: &Progress) -> Vec<(RecordType, i64)> {
    progress.records.iter().map(|record| (record.r#type, record.value)).collect()
}

fn kilograms(value: i64) -> Milligrams {
    Milligrams(value * 1_000_000)
}

#[test]
fn less_help_is_better_and_none_is_best() {
    let body = |body| SetCounting { tracking: TrackingType::Assisted, body };
    let mut progress = Progress::default();
    for (at, help) in [(1, 30), (2, 45), (3, 20), (4, 25)] {
        let sets = vec![set(SetType::Normal, help, 8)];
        progress.add(&performed_as(body(Some(kilograms(80))), at, sets));
    }
    let best = progress.records[0].clone();
    assert_eq!((best.r#type, best.value), (RecordType::MinAssistance, 20_000_000));
    assert_eq!(best.achieved_at, Timestamp::from_millis(3));
    assert_eq!(progress.amount.volume, kilograms(0), "help is no weight that was lifted");
    assert_eq!(
        values(&progress),
        [(RecordType::MinAssistance, 20_000_000), (RecordType::MaxReps, 8)]
    );
    progress.add(&performed_as(body(None), 5, vec![set(SetType::Normal, 0, 3)]));
    assert_eq!(values(&progress)[0], (RecordType::MinAssistance, 0));
}

#[test]
fn added_weight_counts_with_body_weight() {
    let body = |body| SetCounting { tracking: TrackingType::BodyweightPlus, body };
    let sets = [set(SetType::Normal, 20, 6)];
    let with = body(Some(kilograms(80)));
    assert_eq!(Amount::of(with, &sets).volume, kilograms(120));
    // (80 + 20) · (1 + 6/30) = 120, of which 40 beyond the body; 100 · 36/31 = 116.129032, of which 36.129032.
    let estimate = best_estimate(with, &sets).unwrap();
    assert_eq!((estimate.weight, estimate.epley), (kilograms(20), kilograms(40)));
    assert_eq!(estimate.brzycki, Some(Milligrams(36_129_032)));
    assert_eq!(best_estimate(body(None), &sets), None);
    assert_eq!(Amount::of(body(None), &sets).volume, kilograms(120));
    let mut progress = Progress::default();
    progress.add(&performed_as(with, 1, sets.to_vec()));
    let value = |kind| values(&progress).into_iter().find(|value| value.0 == kind).unwrap().1;
    assert_eq!(value(RecordType::MaxWeight), 20_000_000);
    assert_eq!(value(RecordType::FiveRm), 20_000_000);
    assert_eq!(value(RecordType::EstimatedOneRm), 40_000_000);
}

#[test]
fn estimates_follow_their_formulas() {
    let hundred = Milligrams(100_000_000);
    assert_eq!(epley(hundred, 1), Some(hundred));
    assert_eq!(epley(hundred, 5), Some(Milligrams(116_666_667)));
    assert_eq!(brzycki(hundred, 1), Some(hundred));
    assert_eq!(brzycki(hundred, 5), Some(Milligrams(112_500_000)));
    for reps in [-1, 0, 13, 37, 40] {
        assert_eq!((epley(hundred, reps), brzycki(hundred, reps)), (None, None), "{reps}");
    }
}

#[test]
fn warm_ups_and_sets_left_out_count_for_nothing() {
    let mut left_out = set(SetType::Normal, 200, 5);
    left_out.completed = false;
    let sets = vec![
        set(SetType::Warmup, 180, 1),
        set(SetType::Normal, 100, 5),
        set(SetType::Dropset, 80, 8),
        left_out,
    ];
    let amount = Amount { sets: 2, reps: 13, volume: Milligrams(1_140_000_000) };
    assert_eq!(Amount::of(LIFTED, &sets), amount);
    let mut progress = Progress::default();
    progress.add(&performed(1, sets));
    let value = |kind| {
        progress.records.iter().find(|record| record.r#type == kind).map(|record| record.value)
    };
    assert_eq!(value(RecordType::MaxWeight), Some(100_000_000));
    assert_eq!(value(RecordType::FiveRm), Some(100_000_000));
    assert_eq!(value(RecordType::TenRm), None);
    assert_eq!(value(RecordType::MaxReps), Some(8));
    assert_eq!(value(RecordType::MaxVolume), Some(1_140_000_000));
    assert_eq!(value(RecordType::EstimatedOneRm), Some(116_666_667));
}

#[test]
fn failed_and_skipped_sets_do_not_count() {
    let mut timed = set(SetType::Normal, 300, 0);
    (timed.reps, timed.duration_seconds) = (None, Some(0));
    let mut skipped = set(SetType::Normal, 100, 5);
    skipped.completed = false;
    let failed = set(SetType::Normal, 200, 0);
    let mut progress = Progress::default();
    for sets in
        [vec![], vec![failed], vec![timed], vec![skipped], vec![set(SetType::Warmup, 60, 8)]]
    {
        progress.add(&performed(1, sets));
    }
    assert_eq!(progress, Progress::default());
}

#[test]
fn a_tie_keeps_the_first_record() {
    let mut progress = Progress::default();
    for at in 1..=3 {
        progress.add(&performed(at, vec![set(SetType::Normal, 100, 5)]));
    }
    assert!(progress.records.iter().all(|r| r.achieved_at == Timestamp::from_millis(1)));
    assert_eq!((progress.times_performed, progress.amount.reps), (3, 15));
}

proptest! {
    #[test]
    fn records_are_the_best_of_all_sets(
        sessions in prop::collection::vec(
            prop::collection::vec((0..4usize, 0..300i64, 0..40i64), 0..8), 0..8)
    ) {
        let mut progress = Progress::default();
        let mut all = Vec::new();
        for (at, sets) in sessions.iter().enumerate() {
            let sets: Vec<_> = sets.iter()
                .map(|(kind, kilograms, reps)| set(SetType::ALL[*kind], *kilograms, *reps))
                .collect();
            all.extend(sets.clone());
            progress.add(&performed(at as i64, sets));
        }
        let works = |set: &&LoggedSet<Milligrams>| set.r#type != SetType::Warmup && set.reps > Some(0);
        let working = || all.iter().filter(works);
        let performed = sessions.iter().filter(|sets| {
            sets.iter().any(|(kind, _, reps)| SetType::ALL[*kind] != SetType::Warmup && *reps > 0)
        });
        let value = |kind| {
            progress.records.iter().find(|r| r.r#type == kind).map_or(0, |r| r.value)
        };
        let heaviest = |least: i64| {
            let sets = working().filter(|set| set.reps >= Some(least));
            sets.filter_map(|set| set.weight).map(|weight| weight.0).max().unwrap_or(0)
        };
        prop_assert_eq!(value(RecordType::MaxWeight), heaviest(1));
        prop_assert_eq!(value(RecordType::OneRm), heaviest(1));
        prop_assert_eq!(value(RecordType::ThreeRm), heaviest(3));
        prop_assert_eq!(value(RecordType::FiveRm), heaviest(5));
        prop_assert_eq!(value(RecordType::TenRm), heaviest(10));
        prop_assert_eq!(value(RecordType::MaxReps), working().filter_map(|s| s.reps).max().unwrap_or(0));
        prop_assert_eq!(progress.amount, Amount::of(LIFTED, &all));
        prop_assert_eq!(progress.times_performed, performed.count() as i64);
    }
}
