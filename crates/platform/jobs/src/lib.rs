//! Work outside of requests: jobs, which reach beyond the database, and timers, which run inside it when they are due.

pub mod jobs;
pub mod timers;
