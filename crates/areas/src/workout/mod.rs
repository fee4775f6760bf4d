//! Workouts: what can be trained, the programmes that coaches write, the plans that clients follow,
//! the sessions in which they do, and what comes of it.
//!
//! The chapters in the order of a reader's questions: the libraries ([`exercises`], [`equipment`],
//! [`starter`]); plans ([`plan`], their order in [`outline`], their dates in [`schedule`], their
//! days in [`days`], [`templates`], [`client_plans`], [`groups`]); what becomes of a day
//! ([`agenda`], [`calendar`]); what was done ([`session`], [`sessions`], [`performance`],
//! [`feedback`]); and what comes of it ([`progress`], [`volume`], [`history`]).

mod agenda;
mod calendar;
pub mod client_plans;
pub mod days;
pub mod equipment;
pub mod exercises;
mod feedback;
pub mod groups;
mod history;
mod measures;
mod outline;
pub mod performance;
pub mod plan;
pub mod prescription;
mod progress;
mod schedule;
mod session;
pub mod sessions;
mod settings;
mod starter;
pub mod templates;
pub mod vocabulary;
mod volume;

use spotter_contract::{Feature, Operation};
use spotter_kernel::Key;
use spotter_store::{List, Sql, Value};

/// Keys that writing to a library can answer.
const ON_A_LIBRARY: &[Key] = &[Key::InvalidEnum, Key::FieldTooLong, Key::ApiError];

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    let chapters = [
        ("Workout libraries", vec![exercises::operations(), equipment::operations()]),
        ("Workout programmes", vec![templates::operations(), days::operations()]),
        ("Workout plans of clients", vec![client_plans::operations(), calendar::operations()]),
        ("Workout sessions", vec![sessions::operations(), feedback::operations()]),
        (
            "Workout progress",
            vec![progress::operations(), volume::operations(), history::operations()],
        ),
        ("Workout groups", vec![groups::operations()]),
        ("Workout settings", vec![settings::operations()]),
    ];
    let tagged = |(tag, operations): (&'static str, Vec<Vec<Operation>>)| {
        operations.into_iter().flatten().map(move |operation| {
            let feature = operation.feature.unwrap_or(Feature::Workout);
            operation.needs(feature).under(tag)
        })
    };
    chapters.into_iter().flat_map(tagged).collect()
}

/// A pattern that finds a text among those of a JSON array; `!` escapes.
fn in_json(text: &str) -> Value<'static> {
    let mut pattern = String::from("%\"");
    for c in text.chars() {
        if "!%_".contains(c) {
            pattern.push('!');
        }
        pattern.push(c);
    }
    Value::Text((pattern + "\"%").into())
}

/// The area's statements.
pub(crate) fn statements() -> Vec<Sql> {
    [
        agenda::STATEMENTS,
        calendar::STATEMENTS,
        client_plans::STATEMENTS,
        days::STATEMENTS,
        equipment::STATEMENTS,
        exercises::STATEMENTS,
        groups::STATEMENTS,
        plan::STATEMENTS,
        progress::STATEMENTS,
        session::STATEMENTS,
        sessions::STATEMENTS,
        settings::STATEMENTS,
        volume::STATEMENTS,
    ]
    .concat()
}

/// The area's lists.
pub(crate) fn lists() -> Vec<(&'static List, usize)> {
    vec![
        (&exercises::LIST, 1),
        (&equipment::LIST, 1),
        (&equipment::LIST_OF_CLIENT, 2),
        (&templates::LIST, 1),
        (&days::LIST, 2),
        (&client_plans::LIST, 2),
        (&groups::LIST, 1),
        (&groups::LIST_OF_MEMBERS, 2),
        (&sessions::LIST, 2),
        (&progress::LIST, 2),
        (&history::LIST, 3),
    ]
}
