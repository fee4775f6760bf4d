//! The public site of a company: pages for strangers, at `/` where the installation has one company, and at `/g/{slug}`. They
//! read what operations give to strangers, and nothing else; they work without script and are cached for seconds.
//!
//! - [`context`] is a page while it is built; [`layout`] its frame; [`pages`] what strangers read, [`offer`] what they can buy;
//! - [`sign_up`] takes what they send; [`structured_data`] says the same to search engines, [`discovery`] where pages are;
//! - [`cache`] keeps pages for seconds, [`picture`] serves pictures.

mod cache;
mod context;
mod discovery;
mod layout;
mod offer;
mod pages;
mod picture;
mod sign_up;
mod structured_data;
mod times;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{HeaderValue, Request, Response, StatusCode, header},
    routing::get,
};
use spotter_company::site;
use spotter_http::{RequestId, State};
use spotter_kernel::{Key, Locale, Problem, Result};
use spotter_store::Tx;

use crate::{display, page_request::PageAddress, parts, session, words::Strings};

use cache::PageCache;
use context::SiteContext;
use layout::SiteView;

/// Where sites are in an installation of several companies; the address of one follows.
const GYMS: &str = "/g/{slug}";

/// A function that makes a page of a site.
type Show = fn(&mut SiteContext<'_, '_>) -> Result<SiteView>;

/// A page of a site: its path below the site's, and its function.
struct SitePage {
    path: &'static str,
    show: Show,
    /// Whether it is shown in frames on the pages of others.
    is_embedded: bool,
}

const fn page(path: &'static str, show: Show) -> SitePage {
    SitePage { path, show, is_embedded: false }
}

const fn embedded(path: &'static str, show: Show) -> SitePage {
    SitePage { path, show, is_embedded: true }
}

/// Every page that strangers read.
const PAGES: &[SitePage] = &[
    page("/", pages::home),
    page("/timetable", pages::timetable),
    page("/classes/{calendarEventId}", pages::class),
    page("/appointments", times::appointments),
    page("/coaches", pages::coaches),
    page("/prices", offer::prices),
    page("/prices/{productId}", offer::product),
    page("/contact", sign_up::contact),
    page("/join", sign_up::join),
    page("/join/{signUpId}", sign_up::code),
    embedded("/embed/timetable", pages::timetable),
    embedded("/embed/classes/{calendarEventId}", pages::class),
    embedded("/embed/products/{productId}", offer::product),
    embedded("/embed/contact", sign_up::contact),
];

/// The routes of public sites.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    let cache = Arc::new(PageCache::default());
    let mut router = Router::new();
    for own in PAGES {
        for base in ["", GYMS] {
            let path = match (base, own.path) {
                ("", path) => path.to_owned(),
                (base, "/") => base.to_owned(),
                (base, path) => format!("{base}{path}"),
            };
            let (state, cache) = (state.clone(), cache.clone());
            let read = move |params: Result<RawPathParams, RawPathParamsRejection>,
                             request: Request<Body>| {
                read(state.clone(), cache.clone(), own, params.ok(), request)
            };
            router = router.route(&path, get(read));
        }
    }
    router
        .merge(sign_up::routes(state))
        .merge(discovery::routes(state))
        .merge(picture::routes(state))
}

/// Where a request for a site goes: the site's address and the base of its links; nothing where there is none.
struct SiteAddress {
    slug: String,
    base: String,
}

impl SiteAddress {
    /// The site that a path names, or the only one of the installation.
    fn of(tx: &mut Tx<'_>, params: &[(String, String)]) -> Result<Self> {
        let slug = match params.iter().find(|(name, _)| name == "slug") {
            Some((_, slug)) => slug.clone(),
            None => site::only_address(tx)?.ok_or(Key::NotFound)?,
        };
        Ok(Self { slug, base: base_of(params) })
    }
}

/// What links of a site begin with: nothing where its path does not name it.
fn base_of(params: &[(String, String)]) -> String {
    let slug = params.iter().find(|(name, _)| name == "slug");
    slug.map(|(_, slug)| format!("/g/{slug}")).unwrap_or_default()
}

/// An address in a language.
fn in_language(address: &str, locale: Locale) -> String {
    let mark = if address.contains('?') { '&' } else { '?' };
    format!("{address}{mark}lang={}", locale.code())
}

/// The parts of a path by their names.
fn path_parameters(params: Option<RawPathParams>) -> Vec<(String, String)> {
    let all = params.iter().flat_map(|params| params.iter());
    all.map(|(name, value)| (name.to_owned(), value.to_ascii_lowercase())).collect()
}

/// The address of a request, without parameters that no page of a site knows.
fn place(params: Vec<(String, String)>, request: &Request<Body>) -> PageAddress {
    const KNOWN: &[&str] = &[
        "at",
        "class",
        "coachId",
        "code",
        "date",
        "day",
        "eventTypeId",
        "lang",
        "locationId",
        "product",
        "sent",
    ];
    let query = request.uri().query().unwrap_or_default();
    let query = form_urlencoded::parse(query.as_bytes());
    let query = query.filter(|(name, _)| KNOWN.contains(&&**name)).take(KNOWN.len());
    PageAddress {
        path: request.uri().path().to_owned(),
        params,
        query: query.map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
    }
}

/// The language of a page: the one of its address, else as for every page.
fn locale(place: &PageAddress, request: &Request<Body>) -> Locale {
    Locale::parse(place.parameter("lang")).unwrap_or_else(|| display::language(request.headers()).0)
}

/// Shows a page to a stranger.
async fn read(
    state: Arc<State>,
    cache: Arc<PageCache>,
    page: &'static SitePage,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let place = place(path_parameters(params), &request);
    let t = Strings(locale(&place, &request));
    let limit_status = state.count_visit(state.address(&request));
    if let Err(refused) = limit_status.check() {
        return parts::problem(t, &refused);
    }
    let key = format!("{} {}", t.0.code(), place.address());
    if let Some(known) = cache.find(&key) {
        return known.response();
    }
    let request_id = RequestId::of(&request);
    let shared = state.clone();
    let at = place.clone();
    let transaction = move |tx: &mut Tx<'_>| {
        let address = SiteAddress::of(tx, &at.params)?;
        let mut cx = SiteContext::new(tx, &shared, &at, &request_id, address, t, page.is_embedded)?;
        let view = (page.show)(&mut cx)?;
        Ok(layout::render(&cx, StatusCode::OK, view))
    };
    match state.db.read(transaction).await {
        Ok(made) => {
            let made = Arc::new(made);
            cache.keep(key, made.clone());
            made.response()
        }
        Err(problem) if problem.status == 404 && place.path == "/" => home(state, request).await,
        Err(problem) => refused(t, &problem),
    }
}

/// The bare address of an installation without a site: browsers are led to the pages of people, programs get 404.
async fn home(state: Arc<State>, request: Request<Body>) -> Response<Body> {
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if !accepts.is_some_and(|kinds| kinds.contains("text/html")) {
        return spotter_http::unmatched(state, request).await;
    }
    session::redirect("/console")
}

/// A page that there is not, or that cannot be shown now.
fn refused(t: Strings, problem: &Problem) -> Response<Body> {
    // An id that is none is a page that there is not.
    let lost = matches!(problem.status, 400 | 404).then(|| Problem::new(Key::NotFound));
    let mut response = parts::problem(t, lost.as_ref().unwrap_or(problem));
    let robots = HeaderValue::from_static("noindex");
    response.headers_mut().insert("x-robots-tag", robots);
    response
}
