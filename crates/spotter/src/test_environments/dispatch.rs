//! Which requests are for a test environment: those below its address, those that bring something that it issued, and
//! pages of a browser that has opened it.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    BoxError, Router,
    body::{Body, HttpBody},
    extract::Request,
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri,
        header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, LOCATION, SET_COOKIE},
    },
    routing::future::RouteFuture,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use spotter_html::cookies;
use spotter_http::{State, no_test_environment, refusing};
use spotter_kernel::{Id, Key, id::CompanyId, secret::test_company};
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

/// Pages that a browser opens a test environment with.
const OPENED: &[&str] = &["/console", "/my", "/sign-in", "/set-password", "/confirm-address"];

/// What only programs ask for, by their own credentials.
const OF_PROGRAMS: &[&str] =
    &["/public/", "/app/", "/mcp/", "/.well-known/", "/health/", "/metrics", "/operator", "/docs"];

/// The routes of the real environment, with requests for test environments led there. It stands in front of the routes:
/// a router around them would cost every request a sixth of what a constant answer takes.
#[derive(Clone)]
pub(crate) struct Dispatcher {
    tests: TestEnvironments,
    state: Arc<State>,
    live: Router,
}

impl Dispatcher {
    pub(crate) fn new(tests: &TestEnvironments, state: &Arc<State>, live: Router) -> Self {
        Self { tests: tests.clone(), state: state.clone(), live }
    }
}

impl<B> Service<Request<B>> for Dispatcher
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future =
        Either<RouteFuture<Infallible>, BoxFuture<'static, Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let request = request.map(Body::new);
        if is_live(&request) {
            return Either::Left(self.live.call(request));
        }
        let dispatcher = self.clone();
        Either::Right(Box::pin(async move { Ok(dispatcher.dispatch(request).await) }))
    }
}

impl Dispatcher {
    async fn dispatch(mut self, request: Request) -> Response<Body> {
        if request.uri().path() == LEAVE {
            return left(self.tests.is_secure());
        }
        let (found, request) = dispatched_company(request).await;
        let Some((company, by)) = found else { return answered(self.live.call(request).await) };
        // To look for an environment that is not served costs a stranger's address a request.
        let may_look = self.tests.serves(company) || self.state.count_address(&request).is_ok();
        let found = match may_look {
            true => self.tests.routes(company).await,
            false => Ok(None),
        };
        match (found, by) {
            (Ok(Some(_)), DispatchReason::Address) if opens(&request) => {
                opened(company, &request, self.tests.is_secure())
            }
            (Ok(Some(mut routes)), DispatchReason::Address) => {
                answered(routes.call(without_prefix(request)).await)
            }
            (Ok(Some(mut routes)), _) => answered(routes.call(request).await),
            // The real environment refuses it as unknown, in the form of its protocol.
            (Ok(None), DispatchReason::Credential) => answered(self.live.call(request).await),
            (Ok(None), by) => {
                let is_token = by == DispatchReason::Token;
                let key = if is_token { Key::InvalidToken } else { Key::NotFound };
                let response = answered(no_test_environment(&self.state, key).call(request).await);
                match by {
                    DispatchReason::Cookie => {
                        let forgotten = format!("{COOKIE}=; Max-Age=0");
                        with_cookie(response, &forgotten, self.tests.is_secure())
                    }
                    _ => response,
                }
            }
            (Err(problem), _) => {
                tracing::warn!(%company, %problem, "a test environment could not be started");
                answered(refusing(&self.state, problem).call(request).await)
            }
        }
    }
}

fn answered(response: Result<Response<Body>, Infallible>) -> Response<Body> {
    match response {
        Ok(response) => response,
    }
}

/// What leads a request to a test environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DispatchReason {
    /// Its address.
    Address,
    /// A token of one of the APIs.
    Token,
    /// Anything else that it issued.
    Credential,
    /// That its browser has opened it.
    Cookie,
}

/// The company of an address below those of test environments, and the rest of the path.
fn below(rest: &str) -> Option<(CompanyId, &str)> {
    let (id, path) = rest.split_at_checked(24)?;
    let company = Id::parse(id).map(CompanyId)?;
    (path.is_empty() || path.starts_with('/')).then_some((company, path))
}

/// Whether a browser opens a page of people: from then on it keeps to the test environment, whose pages lead on by
/// paths without its address.
fn opens(request: &Request) -> bool {
    let accepts = request.headers().get("accept").and_then(|accepts| accepts.to_str().ok());
    let wants_page = accepts.is_some_and(|accepts| accepts.contains("text/html"));
    let rest = request.uri().path().get(BELOW.len() + 24..).unwrap_or_default();
    let is_peoples = matches!(rest, "" | "/")
        || OPENED.iter().any(|own| {
            rest.strip_prefix(own).is_some_and(|more| more.is_empty() || more.starts_with('/'))
        });
    request.method() == Method::GET && wants_page && is_peoples
}

/// Has a browser keep to a test environment, and leads it to the page there.
fn opened(company: CompanyId, request: &Request, is_secure: bool) -> Response<Body> {
    let path = request.uri().path_and_query().map_or("", |path| path.as_str());
    let rest = path.get(BELOW.len() + 24..).unwrap_or_default();
    let page = if OPENED.iter().any(|own| rest.starts_with(own)) { rest } else { "/console" };
    redirect(page, &format!("{COOKIE}={company}"), is_secure)
}

/// Has a browser forget the test environment.
fn left(is_secure: bool) -> Response<Body> {
    redirect("/console", &format!("{COOKIE}=; Max-Age=0"), is_secure)
}

fn redirect(page: &str, cookie: &str, is_secure: bool) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(page) = HeaderValue::from_str(page) {
        response.headers_mut().insert(LOCATION, page);
    }
    with_cookie(response, cookie, is_secure)
}

fn with_cookie(mut response: Response<Body>, cookie: &str, is_secure: bool) -> Response<Body> {
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{cookie}; Path=/; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
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

/// Whether nothing of a request can lead it away from the real environment.
fn is_live(request: &Request) -> bool {
    let path = request.uri().path();
    !path.starts_with(BELOW) && by_head(request).is_none() && !WITH_CREDENTIAL.contains(&path)
}

/// The company of the test environment that a request is led to by anything but its body, and what leads it there.
fn by_head(request: &Request) -> Option<(CompanyId, DispatchReason)> {
    let path = request.uri().path();
    if let Some(rest) = path.strip_prefix(BELOW) {
        return below(rest).map(|(company, _)| (company, DispatchReason::Address));
    }
    // Who shows who they are is led by that alone; a credential in a path is of a page that needs no other.
    if shows_credential(request.headers()) {
        return by_headers(request.headers());
    }
    let by_path = test_company(path).map(|company| (company, DispatchReason::Credential));
    by_path.or_else(|| {
        let is_of_programs = OF_PROGRAMS.iter().any(|own| path.starts_with(own));
        let opened = (!is_of_programs).then(|| cookies::cookie(request.headers(), COOKIE));
        let company = opened.flatten().and_then(|id| Id::parse(&id).map(CompanyId));
        company.map(|company| (company, DispatchReason::Cookie))
    })
}

/// The company of the test environment that a request is led to, and what leads it there.
async fn dispatched_company(request: Request) -> (Option<(CompanyId, DispatchReason)>, Request) {
    let found = by_head(&request);
    if found.is_some() || !WITH_CREDENTIAL.contains(&request.uri().path()) {
        return (found, request);
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > SEARCHED_MAX) {
        return (None, request);
    }
    let (parts, body) = request.into_parts();
    // What was cut off is refused where it is read.
    let body = spotter_http::read_body(body, SEARCHED_MAX).await.unwrap_or_default();
    let mut fields = form_urlencoded::parse(&body);
    let plain = str::from_utf8(&body).ok().and_then(test_company);
    let company = plain.or_else(|| fields.find_map(|(_, value)| test_company(&value)));
    let found = company.map(|company| (company, DispatchReason::Credential));
    (found, Request::from_parts(parts, Body::from(body)))
}

/// Whether a request says by a header who sends it.
fn shows_credential(headers: &HeaderMap) -> bool {
    headers.contains_key(AUTHORIZATION) || headers.contains_key(DEVICE_KEY)
}

/// By a token, a client's id and secret, or the key of a device.
fn by_headers(headers: &HeaderMap) -> Option<(CompanyId, DispatchReason)> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let key = headers.get(DEVICE_KEY).and_then(|value| value.to_str().ok());
    let by_token = || {
        let reason = match authorization?.split_once(' ')?.1.trim_start().get(..4)? {
            "fspt" | "fsat" => DispatchReason::Token,
            _ => DispatchReason::Credential,
        };
        test_company(authorization?).map(|company| (company, reason))
    };
    let by_basic = || {
        let (scheme, encoded) = authorization?.split_once(' ')?;
        let basic = scheme.eq_ignore_ascii_case("basic").then_some(encoded.trim())?;
        let text = String::from_utf8(BASE64_STANDARD.decode(basic).ok()?).ok()?;
        test_company(&text).map(|company| (company, DispatchReason::Credential))
    };
    let by_key = || test_company(key?).map(|company| (company, DispatchReason::Credential));
    by_token().or_else(by_basic).or_else(by_key)
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
        let html = ("accept", "text/html");
        for (path, page) in [
            ("", "/console"),
            ("?a=b", "/console"),
            ("/", "/console"),
            ("/my/book?a=b", "/my/book?a=b"),
        ] {
            let (company, _) = below(COMPANY).unwrap();
            let request = request(&format!("/test/{COMPANY}{path}"), &[html]);
            let led = opened(company, &request, true);
            assert!(opens(&request));
            assert_eq!(led.headers()[LOCATION], page);
            assert!(led.headers()[SET_COOKIE].to_str().unwrap().ends_with("; Secure"));
        }
        for path in ["/pay/x", "//x.y", "/consoles", "/files/invoices/x"] {
            assert!(!opens(&request(&format!("/test/{COMPANY}{path}"), &[html])), "{path}");
        }
    }

    #[tokio::test]
    async fn requests_are_led_by_what_they_bring() {
        let basic = BASE64_STANDARD.encode(format!("fspc_test_{COMPANY}{COMPANY}:x"));
        let cookie = format!("{COOKIE}={COMPANY}");
        let (below, pay) = (format!("/test/{COMPANY}/x"), format!("/pay/fspp_test_{COMPANY}x"));
        let searched = format!("/console/clients?search=fspt_test_{COMPANY}");
        let bearer = |token: &str| format!("Bearer {token}{COMPANY}x");
        for (path, name, value, reason) in [
            (
                "/public/v1/clients",
                "authorization",
                bearer("fspt_test_"),
                Some(DispatchReason::Token),
            ),
            ("/public/v1/clients", "authorization", bearer("fspt_"), None),
            (&searched, "authorization", bearer("fspt_"), None),
            (&searched, "accept", "text/html".to_owned(), None),
            ("/mcp/v1", "authorization", bearer("fsc_test_"), Some(DispatchReason::Credential)),
            (
                "/public/v1/oauth/token",
                "authorization",
                format!("Basic {basic}"),
                Some(DispatchReason::Credential),
            ),
            (
                "/public/v1/x",
                "x-device-key",
                format!("fsdk_test_{COMPANY}x"),
                Some(DispatchReason::Credential),
            ),
            ("/console", "cookie", cookie.clone(), Some(DispatchReason::Cookie)),
            ("/app/v1/me", "cookie", cookie.clone(), None),
            ("/console", "accept", "text/html".to_owned(), None),
            (&below, "authorization", bearer("fspt_"), Some(DispatchReason::Address)),
            ("/test/short", "cookie", cookie, None),
            (&pay, "accept", "text/html".to_owned(), Some(DispatchReason::Credential)),
        ] {
            let (found, _) = dispatched_company(request(path, &[(name, &value)])).await;
            assert_eq!(found.map(|(_, reason)| reason), reason, "{path} {name} {value}");
        }
    }
}
