//! The API description and its reference page, which works without any other server.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};

use spotter_contract::Surface;

use crate::{etag, openapi, server::State};

/// Where the page finds its program, and what begins it.
pub(crate) const SCRIPT: &str = "/docs/redoc.standalone.js";
pub(crate) const START: &str = "/docs/reference.js";

/// Redoc, as its project publishes it (MIT; assets/redoc.standalone.js.LICENSE.txt).
const REDOC: &[u8] = include_bytes!("../assets/redoc.standalone.js.gz");

/// What shows the description on the page.
const REFERENCE: &str = r##"const reference = document.getElementById("reference");
Redoc.init(reference.dataset.description, {
  disableSearch: false, hideHostname: false, expandResponses: "200,201", jsonSampleExpandLevel: 4,
  requiredPropsFirst: true, sortTagsAlphabetically: false,
  theme: {
    typography: { fontFamily: "system-ui, sans-serif", headings: { fontFamily: "system-ui, sans-serif" } },
    colors: { primary: { main: "#1f5f4a" } },
    sidebar: { backgroundColor: "#f6f8f7" }
  }
}, reference);
"##;

/// The reference page of an API; `@` is replaced by its description.
const PAGE: &str = r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@@</title>
<link rel="icon" href="data:,">
<style>body { margin: 0 } noscript { font: 16px system-ui; display: block; padding: 2rem }</style>
</head>
<body>
<div id="reference" data-description="@/openapi.json"></div>
<noscript>This page needs JavaScript. The same description as a file: <a href="@/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/redoc.standalone.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
"##;

fn respond(body: impl Into<Body>, kind: &'static str) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// `GET /docs/api` and `GET /docs/app`
pub(crate) async fn page(surface: Surface) -> Response<Body> {
    let title = match surface {
        Surface::Public => "Spotter Public API reference",
        Surface::App => "Spotter application API reference",
    };
    let text = PAGE.replace("@@", title).replace('@', surface.base());
    let mut response = respond(text, "text/html; charset=utf-8");
    // Redoc writes the styles of its parts into the page.
    let policy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
        img-src 'self' data:; worker-src blob:; frame-ancestors 'none'; base-uri 'none'; object-src 'none'";
    let value = HeaderValue::from_static(policy);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value);
    response
}

/// `GET /docs/redoc.standalone.js`
pub(crate) async fn script() -> Response<Body> {
    let mut response = respond(REDOC, "text/javascript; charset=utf-8");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    response
}

/// `GET /docs/reference.js`
pub(crate) async fn start() -> Response<Body> {
    respond(REFERENCE, "text/javascript; charset=utf-8")
}

/// A description as it is sent.
pub(crate) struct Document {
    text: Bytes,
    tag: Option<HeaderValue>,
}

/// `GET /public/v1/openapi.json` and `GET /app/v1/openapi.json`
pub(crate) async fn openapi(
    state: Arc<State>,
    surface: Surface,
    headers: HeaderMap,
) -> Result<Response<Body>, StatusCode> {
    // Writing it takes a moment and much memory: it is made on first request.
    let shared = state.clone();
    let write = move || {
        let text = Bytes::from(openapi::document(&shared.table, surface).to_string());
        let tag = etag::of(&text);
        Document { text, tag }
    };
    let written = state.openapi[surface as usize]
        .get_or_try_init(|| tokio::task::spawn_blocking(write))
        .await;
    let Document { text, tag } = written.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let mut response = respond(text.clone(), "application/json");
    if let Some(tag) = tag {
        if etag::is_known(&headers, tag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            let vary = HeaderValue::from_static("accept-encoding");
            response.headers_mut().insert(header::VARY, vary);
        }
        response.headers_mut().insert(header::ETAG, tag.clone());
    }
    let fresh = HeaderValue::from_static("public, no-cache");
    response.headers_mut().insert(header::CACHE_CONTROL, fresh);
    Ok(response)
}
