//! What may happen on a day of the history.

use spotter_kernel::{Date, Problem, Result, text::Name};

use crate::demo::training::Workout;

/// Something that happens to a client on a day.
pub(in crate::demo) enum Act {
    Join(u64),
    Invite(u64),
    OpenPortal(u64),
    Note(u64),
    Fill(u64),
    NewCoach(u64),
    Leave(u64),
    Follow { client: usize, template: usize, start: Date },
    Work(Workout),
}

/// From which day to which a client was there.
#[derive(Clone, Copy)]
pub(in crate::demo) struct MembershipSpan {
    pub(in crate::demo) joined: i64,
    pub(in crate::demo) left: i64,
}

#[track_caller]
pub(in crate::demo) fn wrong() -> Problem {
    let line = std::panic::Location::caller();
    Problem::internal(format!("the demo's script is wrong at {line}"))
}

pub(in crate::demo) fn text<const MAX: usize>(text: &str) -> Result<Name<MAX>> {
    Name::parse(text).map_err(|_| wrong())
}

/// The arguments of an operation, as its callers write them.
pub(in crate::demo) fn parse<T: serde::de::DeserializeOwned>(
    value: serde_json::Value,
) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Problem::internal(format!("demo: {error}")))
}

/// A name as part of an address.
pub(in crate::demo) fn plain(name: &str) -> String {
    let plain = |c: char| match c {
        'é' | 'è' | 'ë' => 'e',
        'í' | 'ı' => 'i',
        'ö' => 'o',
        'ü' | 'ú' => 'u',
        'ñ' => 'n',
        'á' => 'a',
        other => other,
    };
    let lower = name.to_lowercase();
    lower.chars().map(plain).filter(char::is_ascii_alphanumeric).collect()
}
