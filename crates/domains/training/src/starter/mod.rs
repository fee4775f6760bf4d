//! The starter library: exercises and equipment that every company has from its first day.
//!
//! It is part of the binary, so it costs no rows and is the same for all. The texts hold names and
//! facts alone and were written for this project; no pictures and no instructions.

use std::{collections::HashMap, sync::LazyLock};

use spotter_company::folding::{haystack, joined_haystack};
use spotter_kernel::{Id, Timestamp};

use super::{
    equipment::{Equipment, ItemId},
    exercises::{Exercise, ExerciseId},
    vocabulary::{LibrarySource, Muscle, TrackingType},
};

/// What the last-but-four bytes of the ids say: they begin before any other id.
const EXERCISE: u8 = 1;
const EQUIPMENT: u8 = 2;

/// An item and the words it is found by.
pub(super) struct StarterItem<T> {
    pub(super) item: T,
    pub(super) haystack: String,
}

/// The exercises, in the order of their numbers.
pub(super) static EXERCISES: LazyLock<Vec<StarterItem<Exercise>>> =
    LazyLock::new(|| lines(include_str!("exercises.txt")).map(|line| exercise(&line)).collect());

/// The equipment, in the order of its numbers.
pub(super) static ITEMS: LazyLock<Vec<StarterItem<Equipment>>> =
    LazyLock::new(|| lines(include_str!("equipment.txt")).map(|line| equipment(&line)).collect());

static BY_ID: LazyLock<HashMap<ExerciseId, usize>> = LazyLock::new(|| {
    EXERCISES.iter().enumerate().map(|(at, listed)| (listed.item.exercise_id, at)).collect()
});

/// The exercise with this id, if it is one of the library's.
pub(super) fn find(id: ExerciseId) -> Option<&'static Exercise> {
    BY_ID.get(&id).and_then(|at| EXERCISES.get(*at)).map(|listed| &listed.item)
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('|').collect())
}

fn id(kind: u8, number: &str) -> Id {
    let [high, low] = number.parse().unwrap_or(0u16).to_be_bytes();
    Id::new(Timestamp::default(), [kind, 0, 0, 0, high, low])
}

fn list(field: &str, separator: char) -> Vec<String> {
    field.split(separator).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn muscles(field: &str) -> Vec<Muscle> {
    field.split(',').filter_map(Muscle::parse).collect()
}

fn exercise(fields: &[&str]) -> StarterItem<Exercise> {
    let at = |at: usize| fields.get(at).copied().unwrap_or_default();
    let (name, aliases) = (at(1), list(at(2), ';'));
    let haystack = joined_haystack([name].into_iter().chain(aliases.iter().map(String::as_str)));
    let item = Exercise {
        exercise_id: ExerciseId(id(EXERCISE, at(0))),
        name: name.to_owned(),
        aliases,
        primary_muscles: muscles(at(3)),
        secondary_muscles: muscles(at(4)),
        equipment: list(at(5), ','),
        tracking_type: TrackingType::parse(at(6)).unwrap_or(TrackingType::WeightReps),
        unilateral: at(7) == "u",
        instructions: None,
        video_url: None,
        thumbnail: None,
        source: LibrarySource::System,
        editable: false,
        archived_at: None,
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
    };
    StarterItem { item, haystack }
}

fn equipment(fields: &[&str]) -> StarterItem<Equipment> {
    let at = |at: usize| fields.get(at).copied().unwrap_or_default();
    let some = |field: usize| Some(at(field).to_owned());
    let (label, aliases) = (at(2), list(at(4), ';'));
    let haystack = haystack([label].into_iter().chain(aliases.iter().map(String::as_str)));
    let item = Equipment {
        id: ItemId(id(EQUIPMENT, at(0))),
        key: at(1).to_owned(),
        label: label.to_owned(),
        category: some(3),
        aliases,
        family: some(5),
        modality: some(6),
        resistance_type: some(7),
        movement_tags: list(at(8), ','),
        usage_contexts: list(at(9), ','),
        source: LibrarySource::System,
        editable: false,
    };
    StarterItem { item, haystack }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_library_is_whole() {
        assert!(EXERCISES.len() >= 200, "{}", EXERCISES.len());
        assert!(ITEMS.len() >= 40, "{}", ITEMS.len());
        let keys: HashSet<_> = ITEMS.iter().map(|listed| listed.item.key.as_str()).collect();
        let names: HashSet<_> = EXERCISES.iter().map(|listed| &listed.item.name).collect();
        assert_eq!((keys.len(), names.len()), (ITEMS.len(), EXERCISES.len()), "names are unique");
        assert_eq!(BY_ID.len(), EXERCISES.len(), "numbers are unique");
        for (fields, listed) in lines(include_str!("exercises.txt")).zip(EXERCISES.iter()) {
            let item = &listed.item;
            assert_eq!(fields.len(), 8, "{fields:?}");
            assert!(!item.primary_muscles.is_empty(), "{fields:?}");
            let output = item.primary_muscles.len() + item.secondary_muscles.len();
            assert_eq!(
                output,
                list(fields[3], ',').len() + list(fields[4], ',').len(),
                "{fields:?}"
            );
            assert!(TrackingType::parse(fields[6]).is_some(), "{fields:?}");
            assert!(item.equipment.iter().all(|key| keys.contains(key.as_str())), "{fields:?}");
            assert_eq!(find(item.exercise_id).unwrap().name, item.name);
        }
        for (fields, listed) in lines(include_str!("equipment.txt")).zip(ITEMS.iter()) {
            assert_eq!(fields.len(), 10, "{fields:?}");
            assert!(fields.iter().enumerate().all(|(at, text)| at == 4 || !text.is_empty()));
            assert!(!listed.item.movement_tags.is_empty() && !listed.item.editable);
        }
    }
}
