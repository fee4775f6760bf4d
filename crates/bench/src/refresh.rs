//! How many refresh tokens the MCP server's authorization server exchanges a second.

use std::time::{Duration, Instant};

use reqwest::{Client, redirect::Policy};
use serde_json::{Value, json};

use crate::Outcome;
use crate::service::row;

/// Assistants that refresh at once, each with its own token.
const ASSISTANTS: usize = 32;
const REDIRECT: &str = "http://127.0.0.1/callback";
const VERIFIER: &str = "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";
/// SHA-256 of the verifier, base64url.
const CHALLENGE: &str = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";

/// Lets assistants in for a manager of a running demo, and has them refresh for so long.
pub async fn run(base: &str, manager: &str, seconds: u64) -> Outcome {
    let http = Client::builder().redirect(Policy::none()).build()?;
    let mut entered = Vec::new();
    for number in 0..ASSISTANTS {
        entered.push(sign_in(&http, base, manager, number).await?);
    }
    let until = Instant::now() + Duration::from_secs(seconds);
    let refreshing = entered.into_iter().map(|(client, mut token)| {
        let (http, base) = (http.clone(), base.to_owned());
        tokio::spawn(async move {
            let (mut count, mut slowest) = (0u64, Duration::ZERO);
            while Instant::now() < until {
                let began = Instant::now();
                let form = [
                    ("grant_type", "refresh_token"),
                    ("client_id", client.as_str()),
                    ("refresh_token", token.as_str()),
                ];
                let output = post(&http, &format!("{base}/mcp/v1/oauth/token"), &form).await?;
                token = text(&output, "refresh_token")?;
                slowest = slowest.max(began.elapsed());
                count += 1;
            }
            Outcome::Ok((count, slowest))
        })
    });
    let (mut count, mut slowest) = (0, Duration::ZERO);
    for one in refreshing.collect::<Vec<_>>() {
        let (own, slow) = one.await??;
        count += own;
        slowest = slowest.max(slow);
    }
    row(
        &format!("token refreshes a second by {ASSISTANTS} assistants, the slowest"),
        format_args!("{:.0}, {} ms", count as f64 / seconds as f64, slowest.as_millis()),
    );
    Ok(())
}

fn text(value: &Value, name: &str) -> Outcome<String> {
    Ok(value[name].as_str().ok_or_else(|| value.to_string())?.to_owned())
}

async fn post(http: &Client, url: &str, form: &[(&str, &str)]) -> Outcome<Value> {
    Ok(http.post(url).form(form).send().await?.json().await?)
}

/// Registers, requests authorization, gets consent, and exchanges the code: the assistant's id and refresh token.
async fn sign_in(
    http: &Client,
    base: &str,
    manager: &str,
    number: usize,
) -> Outcome<(String, String)> {
    let metadata = json!({"client_name": format!("Bench {number}"), "redirect_uris": [REDIRECT]});
    let register = http.post(format!("{base}/mcp/v1/oauth/register")).json(&metadata);
    let client = text(&register.send().await?.json().await?, "client_id")?;
    let query = format!(
        "client_id={client}&redirect_uri={REDIRECT}&response_type=code&code_challenge={CHALLENGE}\
         &code_challenge_method=S256&resource={base}/mcp/v1&scope=clients"
    );
    let sent = http.get(format!("{base}/mcp/v1/oauth/authorize?{query}")).send().await?;
    let location = sent.headers().get("location").ok_or("not sent on")?.to_str()?.to_owned();
    let request = location.split_once("request=").ok_or(location.clone())?.1;
    let approve =
        http.post(format!("{base}/app/v1/company/mcp/oauth/approve")).bearer_auth(manager);
    let approved: Value = approve.json(&json!({"requestId": request})).send().await?.json().await?;
    let target = text(&approved["data"], "redirectTo")?;
    let code = target.split_once("code=").ok_or("no code")?.1.split('&').next().unwrap_or_default();
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client.as_str()),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT),
    ];
    let issued = post(http, &format!("{base}/mcp/v1/oauth/token"), &form).await?;
    Ok((client, text(&issued, "refresh_token")?))
}
