//! Rules of every operation: permissions, answers, descriptions.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod access;
mod app_api;
mod architecture;
mod concurrency;
mod description;
mod hostile;
mod http_rules;
mod lists;
mod oauth;
mod permissions;
mod platform;
mod snippets;
mod statements;
#[rustfmt::skip]
mod verify_snippet;
