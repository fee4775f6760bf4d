//! Forms over HTTP on both engines: written and published, assigned and answered; with a clock of its own where
//! check-ups recur.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

mod answering;
mod checkups;
mod writing;
