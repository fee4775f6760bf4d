//! An assistant: its OAuth flow, and calls of the MCP server.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spotter_kernel::secret::base64url;

use crate::{App, Reply, random_text, send, text};

/// Where an assistant has browsers sent back to.
pub const REDIRECT: &str = "https://assistant.example/callback";

/// An assistant that has registered.
pub struct Assistant {
    /// Its client id.
    pub id: String,
    /// Its PKCE code verifier.
    pub verifier: String,
}

/// The PKCE code challenge (S256) of a verifier.
pub fn challenge(verifier: &str) -> String {
    base64url(&Sha256::digest(verifier))
}

impl Assistant {
    /// Registers an assistant.
    pub async fn register(app: &App) -> Self {
        let body = json!({"client_name": format!("Helper {}", random_text()),
            "redirect_uris": [REDIRECT, "http://127.0.0.1/callback"], "scope": "ignored"});
        let registered =
            send(app.server.request("POST", "/mcp/v1/oauth/register").json(&body)).await;
        assert_eq!(registered.status, 201, "{}", registered.body);
        let id = registered.body["client_id"].as_str().unwrap().to_owned();
        assert!(id.starts_with("mcpc_"));
        Self { id, verifier: format!("{}{}", random_text(), random_text()) }
    }

    /// The query of a good request for authorization, with some parameters otherwise or left out.
    pub fn query(&self, app: &App, otherwise: &[(&str, Option<&str>)]) -> String {
        let resource = format!("{}/mcp/v1", app.server.base);
        let challenge = challenge(&self.verifier);
        let mut submitted = vec![
            ("client_id", self.id.as_str()),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("resource", &resource),
            ("state", "st&te"),
        ];
        for (name, value) in otherwise {
            submitted.retain(|(own, _)| own != name);
            submitted.extend(value.map(|value| (*name, value)));
        }
        let pairs = submitted.into_iter().map(|(name, value)| {
            let value: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
            format!("{name}={value}")
        });
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Where a browser is sent by the authorization endpoint.
    pub async fn authorize(&self, app: &App, otherwise: &[(&str, Option<&str>)]) -> String {
        let path = format!("/mcp/v1/oauth/authorize?{}", self.query(app, otherwise));
        let response = browser().get(format!("{}{path}", app.server.base)).send().await.unwrap();
        assert_eq!(response.status(), 303, "{path}");
        response.headers()["location"].to_str().unwrap().to_owned()
    }

    /// The secret of a request that waits.
    pub async fn request(&self, app: &App, scope: Option<&str>) -> String {
        let location = self.authorize(app, &[("scope", scope)]).await;
        location.strip_prefix("/mcp/v1/oauth/consent?request=").unwrap().to_owned()
    }

    /// A code after a person's consent.
    pub async fn code(&self, app: &App, token: &str, subject: &str, scope: Option<&str>) -> String {
        let request = self.request(app, scope).await;
        let path = format!("/{subject}/mcp/oauth/approve");
        let approved =
            app.app_as(token, "POST", &path, Some(json!({"requestId": request}))).await.ok();
        let target = text(approved.data(), "/redirectTo");
        let (_, code) = target.split_once("?code=").unwrap();
        code.split('&').next().unwrap().to_owned()
    }

    /// A request at the token endpoint.
    pub async fn token(&self, app: &App, form: &[(&str, &str)]) -> Reply {
        send(app.server.request("POST", "/mcp/v1/oauth/token").form(form)).await
    }

    /// Exchanges a code for tokens.
    pub async fn exchange(&self, app: &App, code: &str) -> Reply {
        let resource = format!("{}/mcp/v1", app.server.base);
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", &self.id),
            ("code", code),
            ("code_verifier", &self.verifier),
            ("redirect_uri", REDIRECT),
            ("resource", &resource),
        ];
        self.token(app, &form).await
    }

    /// Exchanges a refresh token for new tokens.
    pub async fn refresh(&self, app: &App, refresh: &str) -> Reply {
        let resource = format!("{}/mcp/v1", app.server.base);
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", self.id.as_str()),
            ("refresh_token", refresh),
            ("resource", &resource),
        ];
        self.token(app, &form).await
    }

    /// Access and refresh token after a person's consent.
    pub async fn tokens(
        &self,
        app: &App,
        token: &str,
        subject: &str,
        scope: Option<&str>,
    ) -> (String, String) {
        let code = self.code(app, token, subject, scope).await;
        let issued = self.exchange(app, &code).await;
        assert_eq!(issued.status, 200, "{}", issued.body);
        (text(&issued.body, "/access_token"), text(&issued.body, "/refresh_token"))
    }
}

/// A browser that follows no redirects.
pub fn browser() -> reqwest::Client {
    let builder = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    builder.build().unwrap()
}

/// Switches assistants on for the company and its clients.
pub async fn switch_on(app: &App) {
    let on = json!({"mcp": true, "clientAi": true});
    app.app("PATCH", "/company/features", Some(on)).await.ok();
}

/// A call of the MCP server, as clients of the era before statelessness make it.
pub async fn rpc(app: &App, credential: &str, method: &str, params: Value) -> Reply {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = app.server.request("POST", "/mcp/v1").bearer_auth(credential);
    let request = request.header("accept", "application/json, text/event-stream");
    send(request.header("mcp-protocol-version", "2025-06-18").json(&message)).await
}

/// A call of a tool: its structured result.
pub async fn call(app: &App, credential: &str, tool: &str, arguments: Value) -> Value {
    let reply =
        rpc(app, credential, "tools/call", json!({"name": tool, "arguments": arguments})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let result = reply.body["result"].clone();
    assert!(result["isError"] != true, "{tool}: {result}");
    result["structuredContent"].clone()
}

/// A call of a tool that is refused: the error.
pub async fn refused(app: &App, credential: &str, tool: &str, arguments: Value) -> Value {
    let reply =
        rpc(app, credential, "tools/call", json!({"name": tool, "arguments": arguments})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.body["result"]["isError"], true, "{}", reply.body);
    let response = text(&reply.body, "/result/content/0/text");
    serde_json::from_str(&response).unwrap()
}
