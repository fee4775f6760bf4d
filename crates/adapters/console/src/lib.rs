//! The pages where people work. A page asks what any other door asks, and holds no rule of its own: it runs operations
//! as whoever is signed in, through the one way in that integrations, apps and assistants have, too.
//!
//! - `session` signs browsers in and out, and `set_up` makes the first company; `visit` is a page as it is made, and `act` what is done on one;
//! - `forms` reads what a browser sends, `typed` and `body` make the JSON body of an operation of it, `questions` a question of a form;
//! - `files` opens what people have sent, and `export` makes a list into a file;
//! - `words` is what pages say, in every language;
//! - `parts` is what pages are made of, and `pages` the pages themselves, by area.

mod act;
mod assets;
mod body;
mod edited_fields;
mod export;
mod files;
pub mod forms;
mod installation_setup;
pub mod mailbox;
pub mod operator;
mod page_context;
mod pages;
pub mod parts;
mod passwords;
mod questions;
mod record_version;
mod request_body;
mod session;
pub mod sign_in;
mod unsent_form;
pub mod words;

pub use installation_setup::set_up_link;
pub use session::language;

use std::sync::Arc;

use axum::{
    Router,
    routing::{get, post},
};
use spotter_http::State;

/// The routes of the pages.
pub fn router(state: Arc<State>) -> Router {
    Router::new()
        .route(passwords::SET, get(passwords::show_set).post(passwords::set))
        .route(passwords::CONFIRM, get(passwords::show_confirm).post(passwords::confirm))
        .route(passwords::FORGOT, get(passwords::show_forgot).post(passwords::forget))
        .route(
            installation_setup::SET_UP,
            get(installation_setup::show).post(installation_setup::set_up),
        )
        .route(session::SIGN_IN, get(session::show).post(session::sign_in))
        .route(session::SIGN_OUT, post(session::sign_out))
        .route(export::EXPORT, post(export::export))
        .route(session::TASTE, post(session::choose))
        .route(session::EVENTS, get(session::events))
        .with_state(state.clone())
        .merge(pages::routes(&state))
        .merge(files::routes(&state))
        .merge(style())
}

/// How pages look that stand outside of the console, for whoever serves some by itself.
pub fn style() -> Router {
    Router::new().route("/page.css", get(parts::style)).route(assets::ROUTE, get(assets::serve))
}
