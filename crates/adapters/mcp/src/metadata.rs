//! The documents by which assistants find their way (RFC 9728 and RFC 8414).

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Response, header},
};
use serde_json::{Value, json};
use spotter_assistants::modules::Module;

use crate::guard::{McpState, usable_modules};

fn document(value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response
}

fn scopes() -> Vec<&'static str> {
    usable_modules().map(Module::key).collect()
}

/// The protected resource metadata.
pub(crate) async fn resource(State(mcp): State<McpState>) -> Response<Body> {
    let issuer = &*mcp.state.env.mcp_url;
    document(&json!({
        "resource": crate::resource(&mcp.state),
        "resource_name": "Spotter",
        "authorization_servers": [issuer],
        "scopes_supported": scopes(),
        "bearer_methods_supported": ["header"],
    }))
}

/// The authorization server metadata.
pub(crate) async fn server(State(mcp): State<McpState>) -> Response<Body> {
    let issuer = &*mcp.state.env.mcp_url;
    document(&json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/mcp/v1/oauth/authorize"),
        "token_endpoint": format!("{issuer}/mcp/v1/oauth/token"),
        "registration_endpoint": format!("{issuer}/mcp/v1/oauth/register"),
        "revocation_endpoint": format!("{issuer}/mcp/v1/oauth/revoke"),
        "revocation_endpoint_auth_methods_supported": ["none"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": scopes(),
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    }))
}
