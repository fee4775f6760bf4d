//! The workout module: libraries, programmes, clients' plans and calendars, sessions and progress.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

mod calendar;
mod libraries;
mod performance;
mod plans;
mod programmes;
mod sessions;
mod weeks;
