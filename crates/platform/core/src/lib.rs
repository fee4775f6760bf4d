//! What every area stands on: the company with its locations and people, its clients, who may reach
//! what, and what is written to whom.
//!
//! The large areas (workouts, conversations, finance) are crates of their own over this one. No area
//! reaches into another's tables except through the owner's functions.

pub mod access;
pub mod audit_logs;
pub mod clients;
pub mod company;
pub mod devices;
mod effects;
pub mod folding;
pub mod live;
pub mod locations;
pub mod mail;
pub mod mcp;
pub mod metrics;
pub mod platform;
mod rules;
pub mod uploads;
pub mod webhooks;
