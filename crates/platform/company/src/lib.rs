//! The company and what belongs to it as a whole: profile and settings, locations, catalogue, audit log, files,
//! metrics and live updates. Its coaches and clients are in `people`.

pub mod audit_logs;
pub mod catalogue;
pub mod companies;
pub mod company;
mod effects;
pub mod folding;
pub mod live;
pub mod locations;
pub mod metrics;
mod rules;
pub mod site;
pub mod test_clock;
pub mod test_environment;
pub mod uploads;
