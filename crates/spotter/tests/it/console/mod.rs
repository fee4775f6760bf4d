//! The pages where people work, as a browser without script meets them.

mod acts;
mod browser;
mod files;
mod forms;
mod lists;
mod refusals;
mod robot;
mod running;
pub mod second_step;
mod sessions;
mod set_up;
mod week;

pub use browser::{Browser, Form, Page};
