//! The pages for owners, coaches and clients. A page calls operations as the signed-in person, like any other client of the API, and has
//! no rules of its own.
//!
//! - `session` signs browsers in and out; `installation_setup` creates the first company; `passwords` sets and resets passwords.
//! - `page_context` is a page while it is built: who is signed in, where, and calls of operations. `api` has a function for each
//!   operation and a type for each record, generated from `application_api.json`. `act` handles submitted forms;
//!   `request_body`, `body`, `questions` turn fields into a body, `edited_fields`, `record_version`, `unsent_form` protect what others
//!   changed or what was typed.
//! - `site` is what strangers see.
//! - `files` serves uploaded files; `export` turns lists into files; `operator` and `mailbox` are pages for operators.
//! - `parts` are components, and `pages` the pages, by area. Strings, forms and assets are in the crate `html`.

mod act;
mod api;
mod api_call;
mod body;
mod company_form;
mod done;
mod edited_fields;
mod export;
mod field_kind;
mod files;
mod installable;
mod installation_setup;
pub mod mailbox;
pub mod operator;
mod page_context;
mod page_request;
mod pages;
mod parts;
mod passwords;
mod questions;
mod record_version;
mod rejected_form;
mod request_body;
mod rules;
mod session;
mod site;
mod unsent_form;

pub use installation_setup::set_up_link;

use std::sync::Arc;

use axum::{
    Router,
    routing::{get, post},
};
use spotter_html::{assets, cookies, display, forms, sign_in, words};
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
        .route(session::DISPLAY, post(session::choose))
        .route(session::EVENTS, get(session::events))
        .with_state(state.clone())
        .merge(pages::routes(&state))
        .merge(files::routes(&state))
        .merge(installable::routes(&state))
        .merge(site::routes(&state))
        .merge(style())
}

/// Assets and styles for pages outside the console.
pub fn style() -> Router {
    Router::new()
        .route("/page.css", get(spotter_html::page::style))
        .route(assets::ROUTE, get(assets::serve))
        .route(assets::EMBED_SCRIPT, get(assets::embed_script))
        .route(spotter_html::theme::ROUTE, get(spotter_html::theme::serve))
}
