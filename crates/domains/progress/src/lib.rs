//! Progress: what clients measure of themselves, the habits that they keep, the goals that they have, and what
//! comes of it.
//!
//! Rules that know no database come first: units ([`units`]), streaks ([`streak`]) and what food holds
//! ([`nutrients`]). Then the records and what is
//! done with them: what can be measured ([`types`]) and was ([`measurement`], [`measurements`]), and what that
//! amounts to ([`amounts`]); habits and their
//! entries ([`habit`], [`habits`]); goals ([`goal`], [`goals`]) that follow both ([`follow`]); photos ([`photos`]); meals ([`nutrition`])
//! beside what is to be eaten ([`nutrition_targets`]); and all of it at a glance ([`summary`]).

mod amounts;
pub mod goal;
pub mod goal_progress;
pub mod goals;
pub mod habit;
pub mod habits;
pub mod measurement;
pub mod measurements;
pub mod nutrients;
pub mod nutrition;
pub mod nutrition_targets;
mod permissions;
pub mod photos;
mod privacy;
pub mod streak;
pub mod summary;
pub mod types;
pub mod units;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    let rooms = [
        (
            "Measurements",
            vec![types::area(), amounts::area(), measurement::area(), measurements::area()],
        ),
        ("Progress photos", vec![photos::area()]),
        ("Progress summaries", vec![summary::area()]),
        ("Habits", vec![habit::area(), habits::area()]),
        ("Nutrition", vec![nutrition::area(), nutrition_targets::area()]),
        ("Goals", vec![goal::area(), goals::area(), goal_progress::area(), privacy::area()]),
    ];
    Area::join(rooms.map(|(heading, chapters)| Area::join(chapters).tagged(heading)))
}
