//! Progress: measurements, habits, goals, nutrition and photos of clients.
//!
//! Without database access: units ([`units`]), streaks ([`streak`]), nutrients ([`nutrients`]). Then measurements ([`types`],
//! [`measurement`], [`measurements`], [`amounts`]), habits ([`habit`], [`habits`]), goals ([`goal`], [`goals`]) and how they follow
//! ([`goal_progress`]), photos ([`photos`]), meals ([`nutrition`]) and targets ([`nutrition_targets`]), and the [`summary`].

mod amounts;
mod effects;
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
mod rules;
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
