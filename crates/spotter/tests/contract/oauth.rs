//! The token endpoint, by RFC 6749 and with a real OAuth client library.

use oauth2::{ClientId, ClientSecret, Scope, TokenResponse, TokenUrl, basic::BasicClient};
use serde_json::Value;
use spotter_harness::{App, Reply, scenario, send};

#[scenario]
async fn a_client_library_gets_tokens(app: App) {
    let token_url = TokenUrl::new(format!("{}/public/v1/oauth/token", app.server.base)).unwrap();
    let http = oauth2::reqwest::ClientBuilder::new()
        .redirect(oauth2::reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .unwrap();
    let client = |secret: &str| {
        BasicClient::new(ClientId::new(app.client_id.clone()))
            .set_client_secret(ClientSecret::new(secret.to_owned()))
            .set_token_uri(token_url.clone())
    };
    let whole = client(&app.client_secret)
        .exchange_client_credentials()
        .request_async(&http)
        .await
        .unwrap();
    assert_eq!(whole.expires_in().unwrap().as_secs(), 3600);
    assert!(whole.access_token().secret().starts_with("fspt_"));
    assert_eq!(whole.scopes().unwrap().len(), spotter_kernel::Scope::ALL.len());
    let narrow = client(&app.client_secret)
        .set_auth_type(oauth2::AuthType::RequestBody)
        .exchange_client_credentials()
        .add_scope(Scope::new("clients:read".into()))
        .request_async(&http)
        .await
        .unwrap();
    assert_eq!(narrow.scopes().unwrap(), &vec![Scope::new("clients:read".into())]);
    let call =
        app.server.request("GET", "/public/v1/clients").bearer_auth(narrow.access_token().secret());
    send(call).await.ok();
    let wrong =
        client("fsps_wrong").exchange_client_credentials().request_async(&http).await.unwrap_err();
    match wrong {
        oauth2::RequestTokenError::ServerResponse(response) => {
            assert_eq!(*response.error(), oauth2::basic::BasicErrorResponseType::InvalidClient);
        }
        other => panic!("{other:?}"),
    }
}

#[scenario]
async fn refusals_speak_oauth(app: App) {
    let call = |form: &[(&str, &str)]| {
        let request = app.server.request("POST", "/public/v1/oauth/token");
        send(request.basic_auth(&app.client_id, Some(&app.client_secret)).form(form))
    };
    let response = |reply: &Reply, status: u16, error: &str| {
        assert_eq!(
            (reply.status, reply.body["error"].as_str()),
            (status, Some(error)),
            "{}",
            reply.body
        );
        assert_eq!(reply.headers["cache-control"], "no-store");
        assert_eq!(reply.headers["pragma"], "no-cache");
        assert_eq!(reply.body.get("meta"), None::<&Value>, "no envelope");
    };
    response(&call(&[]).await, 400, "invalid_request");
    response(&call(&[("grant_type", "password")]).await, 400, "unsupported_grant_type");
    let grant = ("grant_type", "client_credentials");
    response(&call(&[grant, grant]).await, 400, "invalid_request");
    response(&call(&[grant, ("scope", "clients:read nonsense")]).await, 400, "invalid_scope");
    response(&call(&[grant, ("client_secret", "x")]).await, 400, "invalid_request");
    assert_eq!(call(&[grant, ("audience", "ignored")]).await.status, 200);
    let nobody = send(app.server.request("POST", "/public/v1/oauth/token").form(&[grant])).await;
    response(&nobody, 401, "invalid_client");
    assert!(nobody.headers["www-authenticate"].to_str().unwrap().starts_with("Basic "));
    let json = app
        .server
        .request("POST", "/public/v1/oauth/token")
        .basic_auth(&app.client_id, Some(&app.client_secret));
    response(
        &send(json.json(&serde_json::json!({"grant_type": "client_credentials"}))).await,
        400,
        "invalid_request",
    );
    let narrow = app.new_api_client(&["clients:read"]).await;
    let text = |name: &str| narrow.data()[name].as_str().unwrap().to_owned();
    let wide = app
        .server
        .request("POST", "/public/v1/oauth/token")
        .basic_auth(text("clientId"), Some(text("clientSecret")));
    response(&send(wide.form(&[grant, ("scope", "clients:write")])).await, 400, "invalid_scope");
}

#[scenario]
async fn another_companys_secret_is_no_good(app: App) {
    let other = App::new(app.server.clone()).await;
    let crossed = app.server.token(&app.client_id, &other.client_secret).await;
    assert_eq!((crossed.status, crossed.body["error"].as_str()), (401, Some("invalid_client")));
}
