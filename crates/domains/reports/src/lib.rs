//! Reports: [`attendance`], [`revenue`], [`retention`] and [`cohorts`], by day, week or month, for a location or a coach.
//!
//! A report reads metrics (`spotter_company::metrics`) that are maintained with each change, and counts no records. [`recount`] computes them
//! again from the records.

pub mod attendance;
pub mod buckets;
pub mod cohorts;
pub mod rate;
pub mod recount;
pub mod retention;
pub mod revenue;
mod rules;

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
