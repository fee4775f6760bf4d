//! Clients and coaches: their records, attention, consent, exports and erasure.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod attention;
mod bulk;
mod client_lists;
mod client_records;
mod client_summaries;
mod clients;
mod notifications;
mod offboarding;
mod privacy;
mod push;
mod site;
