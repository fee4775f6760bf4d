//! The suite over HTTP, on both engines, in one binary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing test panics"
)]

mod access;
mod access_control;
mod app_api;
mod attention;
mod calendar;
mod client_summaries;
mod clients;
mod command_line;
mod concurrency;
mod console;
mod conversations;
mod description;
mod documents;
mod finance;
mod forms;
mod harness;
mod hostile;
mod http_rules;
mod imports;
mod jobs;
mod lists;
mod mail;
mod mcp;
mod oauth;
mod offboarding;
mod permissions;
mod platform;
mod privacy;
mod progress;
mod reports;
mod samples;
mod snippets;
mod store;
mod timers;
#[rustfmt::skip]
mod verify_snippet;
mod architecture;
mod webhooks;
mod workout;
mod world;
