//! Assets of pages: style sheets, scripts and icons, at addresses with a digest of their content, so that
//! browsers cache them forever.

use std::{io::Write, sync::LazyLock};

use axum::{
    body::{Body, Bytes},
    extract::Path,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use flate2::{Compression, write::GzEncoder};
use spotter_contract::vault;

use crate::timetable_style;

/// The route of what pages load.
pub const ROUTE: &str = "/console/a/{digest}/{name}";

/// The service worker of the clients' pages, without the files that it keeps.
pub const WORKER: &str = include_str!("../assets/worker.js");

/// The script that sizes frames on the pages of others, at an address that stays.
pub const EMBED_SCRIPT: &str = "/embed.js";

/// Serves that script.
pub async fn embed_script() -> Response<Body> {
    let mut response = Response::new(Body::from(include_str!("../assets/embed.js")));
    for (name, value) in [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

struct Asset {
    name: &'static str,
    kind: &'static str,
    plain: Bytes,
    packed: Bytes,
    address: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let css = "text/css; charset=utf-8";
    let script = "text/javascript; charset=utf-8";
    let style = include_str!("../assets/console.css");
    [
        ("console.css", css, Bytes::from(format!("{style}{}", timetable_style::rules()))),
        ("site.css", css, Bytes::from_static(include_bytes!("../assets/site.css"))),
        ("embedded.js", script, Bytes::from_static(include_bytes!("../assets/embedded.js"))),
        ("console.js", script, Bytes::from_static(include_bytes!("../assets/console.js"))),
        // htmx 4.0.1, as its project publishes it (0BSD; assets/htmx.LICENSE.txt).
        ("htmx.js", script, Bytes::from_static(include_bytes!("../assets/htmx.min.js"))),
        // uPlot 1.6.32, as its project publishes it (MIT; assets/uplot.LICENSE.txt).
        ("uplot.js", script, Bytes::from_static(include_bytes!("../assets/uplot.min.js"))),
        ("uplot.css", css, Bytes::from_static(include_bytes!("../assets/uplot.min.css"))),
        ("icon.svg", "image/svg+xml", Bytes::from_static(include_bytes!("../assets/icon.svg"))),
        ("icon-192.png", "image/png", Bytes::from_static(include_bytes!("../assets/icon-192.png"))),
        ("icon-512.png", "image/png", Bytes::from_static(include_bytes!("../assets/icon-512.png"))),
    ]
    .map(|(name, kind, plain)| {
        let digest: String =
            vault::digest_of(&plain)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&plain).ok();
        let packed = Bytes::from(packed.finish().unwrap_or_default());
        Asset { name, kind, plain, packed, address: format!("/console/a/{digest}/{name}") }
    })
    .into()
});

/// The address of something that pages load.
pub fn address(name: &str) -> &'static str {
    ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| &asset.address)
}

/// Serves what pages load.
pub async fn serve(
    Path((digest, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response<Body> {
    let wanted = format!("/console/a/{digest}/{name}");
    let Some(asset) = ASSETS.iter().find(|asset| asset.address == wanted) else {
        let mut lost = Response::new(Body::empty());
        *lost.status_mut() = StatusCode::NOT_FOUND;
        return lost;
    };
    let takes = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let packs = takes.is_some_and(|takes| takes.contains("gzip"));
    let body = if packs { asset.packed.clone() } else { asset.plain.clone() };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    if packs {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in [
        (header::CONTENT_TYPE, asset.kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::VARY, "Accept-Encoding"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
