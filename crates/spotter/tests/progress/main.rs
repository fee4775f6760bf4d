//! Progress: measurements, habits and goals over HTTP on both engines; with a clock of its own where days pass.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

mod goals;
mod habits;
mod measurements;
mod nutrition;
mod photos;
