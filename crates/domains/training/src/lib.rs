//! Training: libraries, programmes, clients' plans, sessions and progress.
//!
//! - Libraries: [`exercises`], [`equipment`], [`starter`].
//! - Plans: [`plan`], the order of days ([`outline`]), their dates ([`schedule`]), their content ([`prescription`], [`plan_days`]),
//!   [`templates`], [`client_plans`], [`groups`], [`plan_expiry`].
//! - What is due: [`agenda`], [`calendar`]. What was done: [`session`], [`sessions`], [`performance`], [`feedback`].
//! - What it amounts to: [`progress`], [`history`], [`volume`], [`recount`].

mod agenda;
mod body;
mod calendar;
pub mod client_plans;
pub mod equipment;
pub mod exercises;
mod feedback;
pub mod groups;
mod history;
mod measures;
mod outline;
pub mod performance;
pub mod plan;
pub mod plan_days;
mod plan_expiry;
pub mod prescription;
mod privacy;
mod progress;
mod recount;
mod rules;
mod schedule;
mod session;
pub mod sessions;
mod settings;
mod starter;
pub mod templates;
pub mod vocabulary;
mod volume;

use spotter_contract::{Area, Feature};
use spotter_store::Value;

/// The operations and statements of this domain.
pub fn area() -> Area {
    let rooms = [
        ("Workout libraries", vec![exercises::area(), equipment::area()]),
        ("Workout programmes", vec![plan::area(), templates::area(), plan_days::area()]),
        (
            "Workout plans of clients",
            vec![client_plans::area(), plan_expiry::area(), agenda::area(), calendar::area()],
        ),
        ("Workout sessions", vec![session::area(), sessions::area(), feedback::area()]),
        (
            "Workout progress",
            vec![progress::area(), recount::area(), volume::area(), history::area()],
        ),
        ("Workout groups", vec![groups::area(), privacy::area()]),
        ("Workout settings", vec![settings::area()]),
    ];
    let joined = rooms.map(|(heading, chapters)| Area::join(chapters).tagged(heading));
    Area::join(joined).needs(Feature::Workout)
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
