//! The documentation site at `/docs`: the files of `docs/`, by who reads them, with search and without a script.
//!
//! - [`pages`]: which files there are, and for whom; `render`: from Markdown to HTML, with links that lead within the site;
//!   `search`: sections by words; `layout`: what every page has around it.

mod layout;
mod pages;
mod render;
mod search;

use axum::{
    Router,
    body::Body,
    extract::{Path, RawQuery},
    http::{HeaderValue, Response, StatusCode, header},
    routing::get,
};
use maud::{Markup, html};

use pages::{PAGES, PICTURES};

/// What pages may load: their style and pictures.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// The longest search, in characters.
const QUERY_MAX: usize = 100;

/// The routes of the site.
pub fn router() -> Router {
    Router::new()
        .route("/docs", get(home))
        .route("/docs/search", get(search))
        .route("/docs/style.css", get(style))
        .route("/docs/pictures/{name}", get(picture))
        .route("/docs/{page}", get(page))
}

async fn home() -> Response<Body> {
    respond(StatusCode::OK, layout::home())
}

async fn page(Path(name): Path<String>) -> Response<Body> {
    match PAGES.iter().find(|page| page.name == name) {
        Some(page) => respond(StatusCode::OK, layout::page(page)),
        None => not_found(),
    }
}

fn not_found() -> Response<Body> {
    let main = html! {
        h1 { "There is no such page" }
        p { "Search for it, or go on from the " a href="/docs" { "list of pages" } "." }
    };
    respond(StatusCode::NOT_FOUND, layout::around("Not found", None, main))
}

async fn search(RawQuery(query): RawQuery) -> Response<Body> {
    let query = query.unwrap_or_default();
    let words = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "q");
    let words: String =
        words.map_or_else(String::new, |(_, text)| text.chars().take(QUERY_MAX).collect());
    respond(StatusCode::OK, layout::results(&words, &search::find(&words)))
}

async fn style() -> Response<Body> {
    file(include_bytes!("../assets/style.css"), "text/css; charset=utf-8")
}

async fn picture(Path(name): Path<String>) -> Response<Body> {
    match PICTURES.iter().find(|(own, _)| *own == name) {
        Some((_, content)) => file(content, "image/png"),
        None => not_found(),
    }
}

fn file(content: &'static [u8], kind: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(content));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn respond(status: StatusCode, text: Markup) -> Response<Body> {
    let mut response = spotter_html::page::sealed(status, text, POLICY);
    if status == StatusCode::OK {
        let fresh = HeaderValue::from_static("public, max-age=300");
        response.headers_mut().insert(header::CACHE_CONTROL, fresh);
    }
    response
}
