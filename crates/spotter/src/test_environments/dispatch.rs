//! Which requests are for a test environment: those below its address, those that bring something that it issued, and
//! pages of a browser that has opened it.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri,
        header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, LOCATION, RETRY_AFTER, SET_COOKIE},
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use spotter_html::cookies;
use spotter_http::State;
use spotter_kernel::{Id, id::CompanyId, secret::test_company};
use tower_service::Service;

use super::TestEnvironments;

/// What the addresses of test environments begin with; a company's id follows.
const BELOW: &str = "/test/";
/// Where a browser leaves the test environment that it has opened.
const LEAVE: &str = "/test/leave";
/// The cookie of a browser that has opened a test environment.
const COOKIE: &str = "spotter_test_environment";
/// The header with the key of a device.
const DEVICE_KEY: HeaderName = HeaderName::from_static("x-device-key");
/// The largest body that is searched for a credential, in bytes.
const SEARCHED_MAX: usize = 16 << 10;

/// Where a credential is in the body.
const WITH_CREDENTIAL: &[&str] = &[
    "/public/v1/oauth/token",
    "/app/v1/auth/refresh",
    "/app/v1/auth/invitations/accept",
    "/app/v1/auth/password/reset",
    "/app/v1/auth/address/confirm",
    "/mcp/v1/oauth/token",
    "/mcp/v1/oauth/revoke",
];

/// What only programs ask for, by their own credentials.
const OF_PROGRAMS: &[&str] =
    &["/public/", "/app/", "/mcp/", "/.well-known/", "/health/", "/metrics", "/operator", "/docs"];

/// The routes of the real environment, with requests for test environments led there before they are routed.
pub(crate) fn dispatching(tests: &TestEnvironments, state: &Arc<State>, live: Router) -> Router {
    let dispatcher = Dispatcher { tests: tests.clone(), state: state.clone(), live };
    Router::new().fallback(move |request: Request| dispatcher.clone().dispatch(request))
}

/// The real environment, and the test environments beside it.
#[derive(Clone)]
struct Dispatcher {
    tests: TestEnvironments,
    state: Arc<State>,
    live: Router,
}

impl Dispatcher {
    async fn dispatch(mut self, request: Request) -> Response<Body> {
        let path = request.uri().path();
        if path == LEAVE {
            return left(self.tests.is_secure());
        }
        let (company, request) = match path.strip_prefix(BELOW).map(below) {
            Some(Some((company, _))) if is_a_browsers(&request) => {
                return opened(company, &request, self.tests.is_secure());
            }
            Some(Some((company, _))) => (Some(company), without_prefix(request)),
            Some(None) => (None, request),
            None => company_of(request).await,
        };
        let answered = match company {
            None => self.live.call(request).await,
            // To look for an environment that is not served costs a stranger's address a request.
            Some(company)
                if !self.tests.serves(company) && self.state.count_address(&request).is_err() =>
            {
                self.live.call(request).await
            }
            Some(company) => match self.tests.routes(company).await {
                // The real environment refuses what nobody issued.
                Ok(None) => self.live.call(request).await,
                Ok(Some(mut routes)) => routes.call(request).await,
                Err(problem) => {
                    tracing::warn!(%company, %problem, "a test environment could not be started");
                    Ok(unavailable())
                }
            },
        };
        match answered {
            Ok(response) => response,
        }
    }
}

/// A test environment cannot be reached now.
fn unavailable() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// The company of an address below those of test environments, and the rest of the path.
fn below(rest: &str) -> Option<(CompanyId, &str)> {
    let (id, path) = rest.split_at_checked(24)?;
    let company = Id::parse(id).map(CompanyId)?;
    (path.is_empty() || path.starts_with('/')).then_some((company, path))
}

/// Whether a browser asks for a page.
fn is_a_browsers(request: &Request) -> bool {
    let accepts = request.headers().get("accept").and_then(|accepts| accepts.to_str().ok());
    request.method() == Method::GET && accepts.is_some_and(|accepts| accepts.contains("text/html"))
}

/// Has a browser keep to a test environment, and leads it to the page there.
fn opened(company: CompanyId, request: &Request, is_secure: bool) -> Response<Body> {
    let path = request.uri().path_and_query().map_or("", |path| path.as_str());
    let rest = path.get(BELOW.len() + 24..).unwrap_or_default();
    // A path that begins with two slashes would be another host's.
    let page = if rest.len() < 2 || rest.starts_with("//") { "/console" } else { rest };
    redirect(page, &format!("{COOKIE}={company}"), is_secure)
}

/// Has a browser forget the test environment.
fn left(is_secure: bool) -> Response<Body> {
    redirect("/console", &format!("{COOKIE}=; Max-Age=0"), is_secure)
}

fn redirect(page: &str, cookie: &str, is_secure: bool) -> Response<Body> {
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{cookie}; Path=/; HttpOnly; SameSite=Lax{secure}");
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in [(LOCATION, page), (SET_COOKIE, &cookie)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    response
}

/// The request as the test environment knows its addresses.
fn without_prefix(mut request: Request) -> Request {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let rest = path.get(BELOW.len() + 24..).unwrap_or_default();
    let rest = if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") };
    if let Ok(uri) = rest.parse::<Uri>() {
        *request.uri_mut() = uri;
    }
    request
}

/// The company of the test environment that issued a credential of the request, or that its browser has opened.
async fn company_of(request: Request) -> (Option<CompanyId>, Request) {
    let path = request.uri().path();
    let by_address = request.uri().path_and_query().and_then(|path| test_company(path.as_str()));
    let is_of_programs = OF_PROGRAMS.iter().any(|own| path.starts_with(own));
    let found = by_address.or_else(|| by_headers(request.headers())).or_else(|| {
        let opened = (!is_of_programs).then(|| cookies::cookie(request.headers(), COOKIE));
        opened.flatten().and_then(|id| Id::parse(&id).map(CompanyId))
    });
    if found.is_some() || !WITH_CREDENTIAL.contains(&path) {
        return (found, request);
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<usize>().ok());
    if length.is_none_or(|length| length > SEARCHED_MAX) {
        return (None, request);
    }
    let (parts, body) = request.into_parts();
    // What was cut off is refused where it is read.
    let body = spotter_http::read_body(body, SEARCHED_MAX).await.unwrap_or_default();
    let company = str::from_utf8(&body).ok().and_then(test_company);
    (company, Request::from_parts(parts, Body::from(body)))
}

/// By a token, a client's id and secret, or the key of a device.
fn by_headers(headers: &HeaderMap) -> Option<CompanyId> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let key = headers.get(DEVICE_KEY).and_then(|value| value.to_str().ok());
    let by_basic = || {
        let (scheme, encoded) = authorization?.split_once(' ')?;
        let basic = scheme.eq_ignore_ascii_case("basic").then_some(encoded.trim())?;
        let text = String::from_utf8(BASE64_STANDARD.decode(basic).ok()?).ok()?;
        test_company(&text)
    };
    authorization.and_then(test_company).or_else(by_basic).or_else(|| key.and_then(test_company))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPANY: &str = "0123456789abcdef01234567";

    fn request(path: &str, headers: &[(&str, &str)]) -> Request {
        let builder =
            headers.iter().fold(Request::builder().uri(path), |builder, (name, value)| {
                builder.header(*name, *value)
            });
        builder.body(Body::empty()).unwrap()
    }

    #[test]
    fn addresses_lose_what_leads_to_the_environment() {
        let path = format!("/test/{COMPANY}/app/v1/me?a=b");
        assert_eq!(without_prefix(request(&path, &[])).uri(), "/app/v1/me?a=b");
        assert_eq!(without_prefix(request(&format!("/test/{COMPANY}"), &[])).uri(), "/");
        assert!(below("short/x").is_none() && below(&format!("{COMPANY}x")).is_none());
        for (path, page) in
            [("", "/console"), ("/", "/console"), ("//x.y", "/console"), ("/pay/a?b", "/pay/a?b")]
        {
            let company = below(COMPANY).unwrap().0;
            let led = opened(company, &request(&format!("/test/{COMPANY}{path}"), &[]), true);
            assert_eq!(led.headers()[LOCATION], page);
            assert!(led.headers()[SET_COOKIE].to_str().unwrap().ends_with("; Secure"));
        }
    }

    #[tokio::test]
    async fn requests_are_led_by_what_they_bring() {
        let basic = BASE64_STANDARD.encode(format!("fspc_test_{COMPANY}{COMPANY}:x"));
        let cookie = format!("{COOKIE}={COMPANY}");
        for (path, name, value, led) in [
            ("/public/v1/clients", "authorization", format!("Bearer fspt_test_{COMPANY}x"), true),
            ("/public/v1/clients", "authorization", format!("Bearer fspt_{COMPANY}x"), false),
            ("/public/v1/oauth/token", "authorization", format!("Basic {basic}"), true),
            ("/public/v1/access/device", "x-device-key", format!("fsdk_test_{COMPANY}x"), true),
            ("/console", "cookie", cookie.clone(), true),
            ("/app/v1/me", "cookie", cookie, false),
            ("/console", "accept", "text/html".to_owned(), false),
        ] {
            let (company, _) = company_of(request(path, &[(name, &value)])).await;
            assert_eq!(company.is_some(), led, "{path} {name} {value}");
        }
        let (company, _) = company_of(request(&format!("/pay/fspp_test_{COMPANY}x"), &[])).await;
        assert!(company.is_some());
    }
}
