//! The pages where people work, as a browser without script meets them.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing test panics"
)]

mod acts;
mod desk;
mod files;
mod forms;
mod installable;
mod lists;
mod refusals;
mod robot;
mod running;
mod second_step;
mod sessions;
mod set_up;
mod training;
mod week;
