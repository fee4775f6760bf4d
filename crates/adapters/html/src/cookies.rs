//! Cookies: reading and setting them.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, header},
};
use spotter_http::State;

/// The value of a cookie.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
}

/// Sets a cookie that no script sees, no other site has sent, and no other path is given.
pub fn with_cookie(
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
