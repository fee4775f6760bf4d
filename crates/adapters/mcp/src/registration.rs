//! Dynamic registration of assistants (RFC 7591).

use axum::{
    body::Body,
    extract::State,
    http::{Request, Response, StatusCode},
};
use serde::Deserialize;
use serde_json::json;
use spotter_assistants::registration;
use spotter_http::read_body;
use spotter_kernel::text::Text;
use unicode_security::skeleton;

use crate::{
    guard::McpState,
    redirect,
    refusal::{failed, no_store, refuse},
};

const BODY_MAX: usize = 16 << 10;
const URIS_MAX: usize = 10;

/// The fields of the metadata that matter; others are ignored.
#[derive(Deserialize)]
struct Metadata {
    client_name: Option<String>,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: Option<String>,
}

/// Registers an assistant as a public client: it gets an id and no secret.
pub(crate) async fn register(
    State(mcp): State<McpState>,
    request: Request<Body>,
) -> Response<Body> {
    let counted = mcp.state.count_address(&request);
    if let Err(problem) = counted.and_then(|from| mcp.state.count_registration(from)) {
        return failed(&problem);
    }
    let invalid = |why: &str| refuse(StatusCode::BAD_REQUEST, "invalid_client_metadata", why);
    let body = match read_body(request.into_body(), BODY_MAX).await {
        Ok(body) => body,
        Err(problem) if problem.status == 408 => return failed(&problem),
        Err(problem) => return invalid(&problem.message),
    };
    let Ok(metadata) = serde_json::from_slice::<Metadata>(&body) else {
        return invalid("redirect_uris must be a list of texts, and client_name a text.");
    };
    // A secret cannot be kept in an app on a user's computer.
    if metadata.token_endpoint_auth_method.as_deref().is_some_and(|method| method != "none") {
        let supported = ["client_secret_basic", "client_secret_post"];
        let method = metadata.token_endpoint_auth_method.as_deref().unwrap_or_default();
        if !supported.contains(&method) {
            return invalid("token_endpoint_auth_method must be none.");
        }
    }
    let uris = metadata.redirect_uris;
    if uris.is_empty()
        || uris.len() > URIS_MAX
        || !uris.iter().all(|uri| redirect::may_be_registered(uri))
    {
        let why = "redirect_uris must be 1 to 10 addresses: https, http to the own machine, or an app's \
            scheme; without fragment and credentials.";
        return refuse(StatusCode::BAD_REQUEST, "invalid_redirect_uri", why);
    }
    let name = metadata.client_name.unwrap_or_else(|| "Unnamed assistant".to_owned());
    if let Err(why) = check_name(&name) {
        return invalid(why);
    }
    let env = mcp.state.env.clone();
    let name = name.trim().to_owned();
    let write =
        move |tx: &mut spotter_store::Tx<'_>| registration::register(tx, &env, &name, &uris);
    match mcp.state.db.write(write).await {
        Ok(registered) => no_store(
            StatusCode::CREATED,
            &json!({
                "client_id": registered.client_id,
                "client_id_issued_at": registered.created_at.seconds(),
                "client_name": registered.client_name,
                "redirect_uris": registered.redirect_uris.0,
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
            }),
        ),
        Err(problem) => failed(&problem),
    }
}

/// Longest name, in characters: it must fit a line of the consent page.
const NAME_MAX: usize = 40;

/// Refuses names that could mislead a person who decides about the consent.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}')
    };
    if name.chars().any(hidden) {
        return Err("client_name must not contain control or formatting characters.");
    }
    if name.chars().count() > NAME_MAX || Text::<NAME_MAX>::parse(name).is_err() {
        return Err("client_name must be 1 to 40 characters.");
    }
    // By how it looks (UTS 39): letters of other alphabets, and letters within signs, are read as those they resemble.
    let looks = |text: &str| skeleton(text).collect::<String>().to_lowercase();
    let looks_like = |word: &&str| {
        let word = looks(word);
        looks(name).contains(&word) || looks(&name.to_lowercase()).contains(&word)
    };
    if ["verified", "official", "spotter", "trusted"].iter().any(looks_like) {
        return Err(
            "client_name must not claim to be verified, official, trusted or Spotter's own.",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_pretend() {
        for good in ["Claude", "Zoë's helper", "アシスタント", "ChatGPT (Mac)"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "  ",
            "Helper \u{202e}tpircS",
            "Cl\u{200b}aude",
            "a\nb",
            "Helper — verified by Spotter",
            "Official assistant",
            "\u{405}potter",
            "Sp\u{3bf}tter",
            "\u{ff33}\u{ff50}otter",
            "\u{1d4e2}potter helper",
            "Veri\u{fb01}ed helper",
            "\u{42}\u{43e}t, offici\u{430}l",
            &"x".repeat(41),
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
