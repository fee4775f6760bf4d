//! Forms that people send: read, and told apart from forged ones.

use std::net::IpAddr;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header},
};
use serde_json::Value;
use spotter_areas::access::accounts::{Password, Subject};
use spotter_contract::vault;
use spotter_http::{Login, RequestId, State, read_body};
use spotter_kernel::{Id, Key, Problem, Result, id::CompanyId, secret::base64url, text::Email};

use crate::page;

const BODY_MAX: usize = 16 << 10;

/// A form that a page of ours has sent, as far as its request tells.
pub(crate) struct Sent {
    pub(crate) form: Form,
    pub(crate) from: IpAddr,
    pub(crate) request_id: RequestId,
    pub(crate) headers: HeaderMap,
}

impl Sent {
    /// Takes a form in; or the answer why not.
    pub(crate) async fn take(
        state: &State,
        request: Request<Body>,
    ) -> std::result::Result<Self, Response<Body>> {
        let from = state.count_address(&request).map_err(|problem| page::problem(&problem))?;
        let (request_id, headers) = (RequestId::of(&request), request.headers().clone());
        if is_foreign(&headers, &state.env.mcp_url) {
            return Err(forged());
        }
        let form = Form::read(request).await.ok_or_else(forged)?;
        Ok(Self { form, from, request_id, headers })
    }
}

/// A sign-in that is to be typed, or typed again.
#[derive(Default)]
pub(crate) struct SignIn {
    pub(crate) email: String,
    pub(crate) client: bool,
    /// Ids and names of the companies to choose from, where the address has accounts at several.
    pub(crate) companies: Vec<(String, String)>,
    pub(crate) wrong: Option<String>,
}

/// What a form said.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a form; nothing where it is too long or cut off.
    async fn read(request: Request<Body>) -> Option<Self> {
        let body = read_body(request.into_body(), BODY_MAX).await.ok()?;
        let pairs = form_urlencoded::parse(&body);
        Some(Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()))
    }

    /// The sign-in that it is.
    pub(crate) fn login(&self) -> Result<Login> {
        let client = self.one("subject") == "client";
        Ok(Login {
            email: Email::parse(self.one("email").trim()).ok_or(Key::InvalidCredentials)?,
            password: Password::new(self.one("password").to_owned()),
            company_id: Id::parse(self.one("company")).map(CompanyId),
            subject: Some(if client { Subject::Client } else { Subject::Coach }),
        })
    }

    /// What was typed and chosen, without the password, and what was wrong with it.
    pub(crate) fn entered(&self, problem: &Problem) -> SignIn {
        let companies =
            problem.details.as_ref().and_then(|details| details["companies"].as_array());
        let text = |company: &Value, name: &str| company[name].as_str().map(str::to_owned);
        let companies: Vec<_> = companies
            .into_iter()
            .flatten()
            .filter_map(|company| Some((text(company, "companyId")?, text(company, "name")?)))
            .collect();
        let wrong = match companies.is_empty() {
            true => problem.message.clone(),
            false => {
                "You have an account at each of these. Choose one, and type the password again."
                    .into()
            }
        };
        SignIn {
            email: self.one("email").to_owned(),
            client: self.one("subject") == "client",
            companies,
            wrong: Some(wrong),
        }
    }

    /// The first value of a field; empty where there is none.
    pub(crate) fn one(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Every value of a field.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// The value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
}

/// Sets a cookie that no script sees, no other site has sent, and no other path is given.
pub(crate) fn with_cookie(
    state: &State,
    mut response: Response<Body>,
    name: &str,
    path: &str,
    value: &str,
    seconds: u32,
) -> Response<Body> {
    let secure = if state.env.mcp_url.starts_with("https") { "; Secure" } else { "" };
    let cookie = format!(
        "{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
    );
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// What ties a form to the browser that it was shown in.
pub(crate) fn csrf(session: &str) -> String {
    base64url(&vault::digest_of(format!("csrf {session}").as_bytes()))
}

/// A form that another site sends says so, in every browser of today; older ones tell where it comes
/// from.
fn is_foreign(headers: &HeaderMap, own: &str) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    match text(HeaderName::from_static("sec-fetch-site")) {
        Some(site) => !matches!(site, "same-origin" | "none"),
        // A proxy may serve the page under another scheme; the host is what a browser is at.
        None => {
            let host = |url: &str| url.split_once("://").map(|(_, host)| host.to_owned());
            let from = text(header::ORIGIN).map(|origin| host(origin).unwrap_or_default());
            let here = text(header::HOST).map(str::to_owned);
            from.is_some_and(|from| Some(&from) != here.as_ref() && Some(from) != host(own))
        }
    }
}

/// The answer to a form that no page of ours has sent.
pub(crate) fn forged() -> Response<Body> {
    page::stopped(StatusCode::FORBIDDEN, "This form was not sent by the page that you saw.")
}
