//! The pages where people work. A page asks what any other door asks, and holds no rule of its own.

pub mod forms;
pub mod mailbox;
pub mod parts;
mod passwords;
pub mod sign_in;

use std::sync::Arc;

use axum::{Router, routing::get};
use spotter_http::State;

/// The routes of the pages.
pub fn router(state: Arc<State>) -> Router {
    Router::new()
        .route(passwords::SET, get(passwords::show_set).post(passwords::set))
        .route(passwords::FORGOT, get(passwords::show_forgot).post(passwords::forget))
        .with_state(state)
        .merge(style())
}

/// How every page looks, for whoever serves pages by itself.
pub fn style() -> Router {
    Router::new().route("/page.css", get(parts::style))
}
