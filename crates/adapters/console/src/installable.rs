//! What makes the clients' pages an app on their device: a manifest, a service worker that keeps the frame, and the page
//! that is shown while the device is offline.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::State as Given,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
    routing::get,
};
use maud::html;
use serde_json::json;
use spotter_html::{assets, page::outside};
use spotter_http::State;

use crate::{act::signed_in, display::language, session};

/// The address of the manifest.
pub(crate) const MANIFEST: &str = "/my/app.webmanifest";
/// The page that is shown while the device is offline.
const OFFLINE: &str = "/my/offline";
/// What the frame of a page loads.
const FRAME: [&str; 5] = ["console.css", "console.js", "htmx.js", "icon.svg", "icon-192.png"];
/// Where the files stand in the worker.
const FILES_MARK: &str = "/* files */";

/// The routes of the app.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    Router::new()
        .route(MANIFEST, get(manifest))
        .route("/my/worker.js", get(worker))
        .route(OFFLINE, get(offline))
        .with_state(state.clone())
}

/// The manifest (W3C Web Application Manifest), by the name of the company for who is signed in.
async fn manifest(Given(state): Given<Arc<State>>, headers: HeaderMap) -> Response<Body> {
    let mut name = "Spotter".to_owned();
    if let Some(token) = session::token(&state, &headers)
        && let Ok(person) = signed_in(&state, &token).await
    {
        name = person.company.name;
    }
    let icon = |file: &str, sizes: &str, kind: &str| json!({"src": assets::address(file), "sizes": sizes, "type": kind, "purpose": "any"});
    let manifest = json!({
        "id": "/my",
        "name": name,
        "short_name": name.chars().take(24).collect::<String>(),
        "start_url": "/my",
        "scope": "/my",
        "display": "standalone",
        "background_color": "#f6f7f5",
        "theme_color": "#176b4d",
        "icons": [
            icon("icon.svg", "any", "image/svg+xml"),
            icon("icon-192.png", "192x192", "image/png"),
            icon("icon-512.png", "512x512", "image/png"),
        ],
    });
    file("application/manifest+json", manifest.to_string())
}

/// The service worker, for all of `/my`.
async fn worker() -> Response<Body> {
    let files: Vec<&str> =
        FRAME.iter().map(|name| assets::address(name)).chain([OFFLINE]).collect();
    let files: Vec<String> = files.into_iter().map(|file| format!("\"{file}\"")).collect();
    let script = assets::WORKER.replace(FILES_MARK, &files.join(", "));
    let mut response = file("text/javascript; charset=utf-8", script);
    let scope = HeaderValue::from_static("/my");
    response.headers_mut().insert("service-worker-allowed", scope);
    response
}

async fn offline(headers: HeaderMap) -> Response<Body> {
    let t = language(&headers);
    let main = html! {
        p { (t.offline_means()) }
        p { a.button href="/my" { (t.try_again()) } }
    };
    outside(t, StatusCode::OK, t.offline(), false, main)
}

fn file(kind: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::VARY, "Cookie"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
