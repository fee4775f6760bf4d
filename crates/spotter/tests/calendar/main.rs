//! The calendar: hours, slots, bookings, waiting lists, requests, over HTTP on both engines.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod availability;
mod booking_bulk;
mod bookings;
mod class_series;
mod classes;
mod fairness;
mod feeds;
mod invariants;
mod keys;
mod notices;
mod oracles;
mod races;
mod recurring;
mod requests;
mod revising;
