//! The pages where people work, as a browser without script meets them.

mod acts;
mod browser;
mod robot;
mod sessions;

pub use browser::{Browser, Form, Page};
