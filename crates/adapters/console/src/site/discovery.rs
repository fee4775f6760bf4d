//! Where the pages of sites are: the sitemap and what crawlers may read.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, State as Given, rejection::RawPathParamsRejection},
    http::{HeaderValue, Request, Response, header},
    routing::get,
};
use maud::{PreEscaped, html};
use spotter_http::{RequestId, State};
use spotter_kernel::{Locale, Result};
use spotter_store::Tx;

use super::{SiteAddress, context::SiteContext, in_language, path_parameters, refused};
use crate::{api, display, page_request::PageAddress, words::Strings};

/// How far ahead classes are listed, in days.
const DAYS: i64 = 14;

/// The routes of discovery.
pub(super) fn routes(state: &Arc<State>) -> Router {
    let sitemap = |Given(state): Given<Arc<State>>,
                   params: Result<RawPathParams, RawPathParamsRejection>,
                   request: Request<Body>| sitemap(state, params.ok(), request);
    Router::new()
        .route("/sitemap.xml", get(sitemap))
        .route("/g/{slug}/sitemap.xml", get(sitemap))
        .route("/robots.txt", get(robots))
        .with_state(state.clone())
}

fn plain(text: String, kind: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=3600"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn robots(Given(state): Given<Arc<State>>) -> Response<Body> {
    let address = state.env.address.trim_end_matches('/');
    let text = format!(
        "User-agent: *\nDisallow: /console\nDisallow: /my\nDisallow: /app/\nDisallow: /public/\n\
         Disallow: /join\nSitemap: {address}/sitemap.xml\n"
    );
    plain(text, "text/plain; charset=utf-8")
}

/// The same page in a language.
fn alternate(address: &str, locale: Locale) -> PreEscaped<String> {
    let (language, address) = (locale.code(), in_language(address, locale));
    PreEscaped(format!(
        "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{address}\"/>"
    ))
}

async fn sitemap(
    state: Arc<State>,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let t = display::language(request.headers());
    if let Err(limit) = state.count_visit(state.address(&request)).check() {
        return refused(t, &limit);
    }
    let (request_id, params) = (RequestId::of(&request), path_parameters(params));
    let shared = state.clone();
    let read = move |tx: &mut Tx<'_>| {
        let address = SiteAddress::of(tx, &params)?;
        let (place, english) = (PageAddress::default(), Strings(Locale::English));
        let mut cx = SiteContext::new(tx, &shared, &place, &request_id, address, english, false)?;
        let mut paths: Vec<String> =
            ["", "/timetable", "/appointments", "/contact"].map(str::to_owned).into();
        if cx.gym().shows_coaches() {
            paths.push("/coaches".to_owned());
        }
        if cx.gym().shows_products() {
            paths.push("/prices".to_owned());
            let products = cx.call(api::list_site_products(&cx.slug))?;
            paths.extend(
                products.products().iter().map(|own| format!("/prices/{}", own.product_id())),
            );
        }
        let now = cx.written.now;
        let classes =
            cx.call(api::list_site_classes(&cx.slug).from(now).to(now.plus_days(DAYS)))?;
        paths.extend(
            classes.classes().iter().map(|own| format!("/classes/{}", own.calendar_event_id())),
        );
        Ok(html! {
            (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"))
            urlset
                xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
                xmlns:xhtml="http://www.w3.org/1999/xhtml"
            {
                @for path in &paths {
                    @let address = cx.absolute(path);
                    url {
                        loc { (address) }
                        @for locale in Locale::ALL {
                            (alternate(&address, locale))
                        }
                    }
                }
            }
        }
        .into_string())
    };
    match state.db.read(read).await {
        Ok(text) => plain(text, "application/xml; charset=utf-8"),
        Err(problem) => refused(t, &problem),
    }
}
