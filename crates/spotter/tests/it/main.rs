//! The suite over HTTP, on both engines, in one binary.

mod access;
mod app_api;
mod clients;
mod command_line;
mod concurrency;
mod description;
mod harness;
mod hostile;
mod oauth;
mod platform;
mod store;
mod walls;
