//! The company and what belongs to it as a whole: its profile and settings, locations, catalogue, audit log, files,
//! metrics and live updates. Whom it employs and serves is in `people`.

pub mod audit_logs;
pub mod catalogue;
pub mod company;
mod effects;
pub mod folding;
pub mod live;
pub mod locations;
pub mod metrics;
mod rules;
pub mod uploads;
