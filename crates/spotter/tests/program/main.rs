//! The program itself: its command line, database, jobs, timers and mail.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod command_line;
mod connections;
mod jobs;
mod mail;
mod schema;
mod store;
mod timers;
mod writes;
