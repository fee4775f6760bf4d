//! Reports: who comes ([`attendance`]), what is billed and paid ([`revenue`]), and who stays ([`retention`],
//! [`cohorts`]), by day, week or month, for a location or a coach.
//!
//! A report reads figures (`spotter_core::figures`), which follow each change of what they are of, and counts
//! nothing: it costs the same however much there is. What the figures should be can be counted anew
//! ([`recounting`]).

pub mod attendance;
pub mod buckets;
pub mod cohorts;
pub mod rate;
pub mod recount;
pub mod retention;
pub mod revenue;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        attendance::area(),
        revenue::area(),
        retention::area(),
        cohorts::area(),
        recount::area(),
    ])
    .tagged("Reports")
}
