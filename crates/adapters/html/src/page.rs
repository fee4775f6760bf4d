//! Standalone pages: plain HTML without script, not framed and not cached.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use maud::{DOCTYPE, Markup, html};
use spotter_kernel::Problem;

use crate::{assets, theme, words::Strings};

const STYLE: &str = include_str!("../assets/page.css");

/// What pages may load. Payment providers and calendars are reached by links, never by forms.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The pages' style.
pub async fn style() -> Response<Body> {
    let mut response = Response::new(Body::from(STYLE));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// A page. Its forms lead to ourselves and, by a redirect, to `target`.
pub fn page(status: StatusCode, title: &str, target: &str, main: Markup) -> Response<Body> {
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " · Spotter" }
                link rel="stylesheet" href="/page.css";
            }
            body { main { (main) } }
        }
    };
    let policy = format!(
        "default-src 'none'; style-src 'self'; form-action 'self' {target}; frame-ancestors 'none'; \
         base-uri 'none'"
    );
    sealed(status, text, &policy)
}

/// An HTML page with a Content-Security-Policy, not framed and not cached.
pub fn sealed(status: StatusCode, text: Markup, policy: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A page that says why nothing can be done here.
pub fn stopped(t: Strings, status: StatusCode, why: &str) -> Response<Body> {
    let main = html! {
        p { (why) }
        p.quiet { (t.can_close()) }
    };
    outside(t, status, t.did_not_work(), true, main)
}

/// The same for an error.
pub fn problem(t: Strings, problem: &Problem) -> Response<Body> {
    let mut page = stopped(t, shut(problem), &t.refused(problem));
    if let Some(seconds) = problem.retry_after {
        page.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    page
}

/// The status of an error; unexpected ones are logged.
pub fn shut(problem: &Problem) -> StatusCode {
    if problem.status >= 500 {
        tracing::error!(%problem, "rendering a page failed");
    }
    StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The head of a page without script.
pub fn head(title: &str) -> Markup {
    head_of(title, "Spotter", None)
}

fn head_of(title: &str, whose: &str, color: Option<&str>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="robots" content="noindex";
            meta name="color-scheme" content="light dark";
            title { (title) " · " (whose) }
            link rel="icon" href=(assets::address("icon.svg"));
            link rel="stylesheet" href=(assets::address("console.css"));
            @if let Some(colors) = color.and_then(theme::address) { link rel="stylesheet" href=(colors); }
        }
    }
}

/// Whose page it is, for readers who are not signed in.
#[derive(Clone, Debug, Default)]
pub struct Brand {
    /// The company's name; empty where it is the installation's page.
    pub name: String,
    /// The address of its logo.
    pub logo: Option<String>,
    /// Its color.
    pub color: Option<String>,
}

/// A page of a company for a reader who is not signed in.
pub fn branded(
    brand: &Brand,
    t: Strings,
    status: StatusCode,
    title: &str,
    wrong: bool,
    main: Markup,
) -> Response<Body> {
    sealed(status, unframed(brand, t, title, wrong, main), POLICY)
}

/// A page of the installation for a reader who is not signed in.
pub fn outside(
    t: Strings,
    status: StatusCode,
    title: &str,
    wrong: bool,
    main: Markup,
) -> Response<Body> {
    branded(&Brand::default(), t, status, title, wrong, main)
}

/// The same with forms that lead to this server and, by a redirect, to `target`.
pub fn leading_to(
    target: &str,
    t: Strings,
    status: StatusCode,
    title: &str,
    wrong: bool,
    main: Markup,
) -> Response<Body> {
    let policy = POLICY.replace("form-action 'self'", &format!("form-action 'self' {target}"));
    sealed(status, unframed(&Brand::default(), t, title, wrong, main), &policy)
}

/// The text of a page without navigation.
fn unframed(brand: &Brand, t: Strings, title: &str, wrong: bool, main: Markup) -> Markup {
    let shown = if wrong { format!("{}: {title}", t.error()) } else { title.to_owned() };
    let whose = if brand.name.is_empty() { "Spotter" } else { &brand.name };
    html! {
        (DOCTYPE)
        html lang=(t.0.code()) {
            (head_of(&shown, whose, brand.color.as_deref()))
            body.outside {
                main #main {
                    @if !brand.name.is_empty() {
                        p.brand {
                            @if let Some(logo) = &brand.logo { img src=(logo) alt="" height="40"; }
                            span { (brand.name) }
                        }
                    }
                    h1 { (title) }
                    (main)
                }
            }
        }
    }
}
