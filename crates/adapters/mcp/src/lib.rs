//! The MCP server: tools from the operations table for assistants of managers and clients, and its authorization
//! server (OAuth 2.1 with PKCE, RFC 7591, 8414, 8707, 9207, 9728, Client ID Metadata Documents).
//!
//! A request passes the [`guard`] (is there a credential), `rmcp` (the protocol), and [`tools`] (caller, permission
//! and operation in one transaction). Grants are in `spotter_assistants`.

mod assistant_request;
mod authorize;
mod consent;
mod consent_page;
mod document;
mod guard;
mod message;
mod metadata;
mod plain_call;
mod redirect;
mod refusal;
mod registration;
mod server;
mod token;
mod tools;

use std::sync::Arc;

use axum::{
    Router,
    extract::State as Given,
    http::{HeaderName, Method},
    response::Redirect,
    routing::{any, get, post},
};
use spotter_http::State;
use spotter_outbound::fetch::Fetcher;
use tower_http::cors::{Any, CorsLayer};

/// The path of the MCP endpoint below the base address.
const ENDPOINT: &str = "/mcp/v1";

/// The protected resource that every grant is bound to.
fn resource(state: &State) -> String {
    format!("{}{ENDPOINT}", state.env.mcp_url)
}

/// The routes of the MCP server and its authorization server.
pub fn router(state: Arc<State>, fetcher: Fetcher) -> Router {
    let mcp = guard::McpState::new(state.clone(), fetcher);
    let machines = Router::new()
        .route("/.well-known/oauth-protected-resource", get(metadata::resource))
        .route("/.well-known/oauth-protected-resource/mcp/v1", get(metadata::resource))
        .route("/.well-known/oauth-authorization-server", get(metadata::server))
        .route("/.well-known/oauth-authorization-server/mcp/v1", get(metadata::server))
        .route("/mcp/v1/oauth/register", post(registration::register))
        .route("/mcp/v1/oauth/token", post(token::issue))
        .route("/mcp/v1/oauth/revoke", post(token::revoke))
        .route(ENDPOINT, any(guard::serve))
        .route("/mcp/v1/", any(guard::serve))
        .layer(cors())
        .with_state(mcp.clone());
    let on_the_way =
        Router::new().route("/mcp/v1/oauth/authorize", get(authorize::authorize)).with_state(mcp);
    let people = Router::new()
        .route("/mcp/v1/oauth/consent", get(consent::show))
        .route("/mcp/v1/oauth/consent/sign-in", post(consent::sign_in))
        .route("/mcp/v1/oauth/consent/decide", post(consent::decide))
        .route("/mcp/v1/manage", get(manage))
        .with_state(state);
    machines.merge(on_the_way).merge(people)
}

/// Where people look after what they have allowed: a page of the console.
async fn manage(Given(state): Given<Arc<State>>) -> Redirect {
    Redirect::to(&format!("{}/console/assistants", state.env.address))
}

/// Credentials are in a header that no browser sends by itself, so any page may ask.
fn cors() -> CorsLayer {
    let names = ["authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];
    let output = [
        "ratelimit-limit",
        "ratelimit-remaining",
        "ratelimit-reset",
        "retry-after",
        "www-authenticate",
    ];
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(names.map(HeaderName::from_static))
        .expose_headers(output.map(HeaderName::from_static))
}
