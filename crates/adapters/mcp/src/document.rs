//! Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): an assistant is identified by an
//! address of a document with its name and redirect URIs. The document is fetched when consent is requested, and
//! cached.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use serde::Deserialize;
use serde_json::Value;
use spotter_assistants::registration::{self, RegisteredAssistant};
use spotter_http::{State, network};
use spotter_kernel::{Problem, Result, Verdict};
use spotter_outbound::fetch::{FetchError, Fetcher};
use spotter_store::Tx;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::{Host, Url};

use crate::{redirect, registration::check_name};

/// Longest address of a document, in bytes.
const ID_MAX: usize = 512;
/// Minimum and maximum cache time of a document, in seconds.
const FRESH_SECONDS: (i64, i64) = (300, 86_400);
/// Most documents that are fetched at once.
const FETCHES_AT_ONCE: usize = 16;
/// The same for one site and for one caller's address: a silent site or a greedy caller only slows itself down.
const FETCHES_OF_ONE: usize = 2;
/// How long a request waits for a fetch slot: longer than a fetch takes.
const ROOM_TIME: Duration = Duration::from_secs(8);
/// For how long after it was to be fetched again a document counts that cannot be fetched, in seconds.
const STALE_SECONDS: i64 = 86_400;

/// Whether an assistant is known by a document.
pub(crate) fn is_address(client_id: &str) -> bool {
    client_id.starts_with("https://")
}

/// The host at which an assistant's document is; nothing of one that registered.
pub(crate) fn host(client_id: &str) -> Option<String> {
    let url = Url::parse(client_id).ok().filter(|_| is_address(client_id))?;
    url.host_str().map(str::to_owned)
}

/// What is wrong with an address. Addresses are compared as text, so only one way to write each address is allowed.
fn check_address(client_id: &str) -> Result<(), &'static str> {
    let Some(rest) = client_id.strip_prefix("https://") else {
        return Err("must be an https address");
    };
    if client_id.len() > ID_MAX {
        return Err("must be at most 512 characters");
    }
    if !client_id.bytes().all(|c| c.is_ascii_graphic()) || client_id.contains(['\\', '#', '?']) {
        return Err("must not have a query, a fragment, or characters that addresses do not have");
    }
    let Some((authority, path)) = rest.split_once('/') else {
        return Err("must have a path");
    };
    if authority.is_empty() || authority.contains('@') {
        return Err("must have a host, and no user name");
    }
    if redirect::has_dot_segments(path) {
        return Err("must not have the segments . and ..");
    }
    match Url::parse(client_id).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(_)) => Ok(()),
        _ => Err("must have a host name, not an IP address"),
    }
}

/// The fields of a document that matter; others are ignored.
#[derive(Deserialize)]
struct Document {
    client_id: String,
    client_name: Option<String>,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: Option<String>,
    client_secret: Option<Value>,
    client_secret_expires_at: Option<Value>,
    jwks: Option<Value>,
}

/// The name and redirect URIs of a document.
fn read(client_id: &str, body: &[u8]) -> Result<(String, Vec<String>), &'static str> {
    let document: Document = serde_json::from_slice(body)
        .map_err(|_| "is no JSON object with client_id and redirect_uris")?;
    if document.client_id != client_id {
        return Err("says another client_id than its address");
    }
    if document.client_secret.is_some() || document.client_secret_expires_at.is_some() {
        return Err("tells a secret, which is none there");
    }
    if document.jwks.is_some_and(|keys| has_private_key(&keys)) {
        return Err("tells a private key");
    }
    if document.token_endpoint_auth_method.is_some_and(|method| method != "none") {
        return Err("wants a token_endpoint_auth_method other than none");
    }
    let uris = document.redirect_uris;
    if uris.is_empty()
        || uris.len() > 10
        || !uris.iter().all(|uri| redirect::may_be_registered(uri))
    {
        return Err("has redirect_uris that are not 1 to 10 good addresses");
    }
    let name = document.client_name.unwrap_or_else(|| "Unnamed assistant".to_owned());
    check_name(&name)?;
    Ok((name.trim().to_owned(), uris))
}

/// Whether a set of keys has one with what only its owner may know (RFC 7518, section 6).
fn has_private_key(keys: &Value) -> bool {
    let all = keys["keys"].as_array().into_iter().flatten();
    all.into_iter().any(|key| key.get("d").is_some() || key.get("k").is_some())
}

/// For how many seconds a document counts, by its Cache-Control header.
fn fresh_seconds(cache_control: &str) -> i64 {
    let (least, most) = FRESH_SECONDS;
    let words: Vec<_> = cache_control.split(',').map(str::trim).collect();
    if words.contains(&"no-store") || words.contains(&"no-cache") {
        return least;
    }
    let age = words.iter().find_map(|word| word.strip_prefix("max-age="));
    age.and_then(|age| age.parse().ok()).unwrap_or(least).clamp(least, most)
}

/// Slots for simultaneous fetches: in all, for a site, and for a caller. A request that waits for a full site or
/// caller holds no slot that others wait for.
struct FetchLimits {
    all: Arc<Semaphore>,
    of_one: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(FETCHES_AT_ONCE)), of_one: Mutex::default() }
    }
}

impl FetchLimits {
    /// A slot to fetch a document; `None` after waiting too long.
    async fn acquire(&self, client_id: &str, from: IpAddr) -> Option<[OwnedSemaphorePermit; 3]> {
        let site = host(client_id).map(|host| site(&host).to_owned()).unwrap_or_default();
        let (site, caller) =
            (self.site_permits(site), self.site_permits(network(from).to_string()));
        let enter = async {
            let caller = caller.acquire_owned().await.ok()?;
            let site = site.acquire_owned().await.ok()?;
            let all = self.all.clone().acquire_owned().await.ok()?;
            Some([caller, site, all])
        };
        tokio::time::timeout(ROOM_TIME, enter).await.ok().flatten()
    }

    fn site_permits(&self, whose: String) -> Arc<Semaphore> {
        let mut all = self.of_one.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, room| room.strong_count() > 0);
        if let Some(room) = all.get(&whose).and_then(Weak::upgrade) {
            return room;
        }
        let room = Arc::new(Semaphore::new(FETCHES_OF_ONE));
        all.insert(whose, Arc::downgrade(&room));
        room
    }
}

/// What knows assistants' documents.
#[derive(Clone)]
pub(crate) struct Documents {
    fetcher: Fetcher,
    /// Fetches in progress: requests for the same document wait for them.
    under_way: Arc<Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>>,
    rooms: Arc<FetchLimits>,
}

impl Documents {
    pub(crate) fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, under_way: Arc::default(), rooms: Arc::default() }
    }

    /// Ensures that an assistant's document is known, or says why that is not possible; failures are not cached.
    pub(crate) async fn resolve(
        &self,
        state: &Arc<State>,
        client_id: &str,
        from: IpAddr,
    ) -> Result<Verdict<(), String>> {
        if let Err(why) = check_address(client_id) {
            return Ok(Verdict::Refused(format!("Its client_id {why}.")));
        }
        if cached(state, client_id, 0).await? {
            return Ok(Verdict::Granted(()));
        }
        let turn = self.fetch_lock(client_id);
        let _turn = turn.lock().await;
        if cached(state, client_id, 0).await? {
            return Ok(Verdict::Granted(()));
        }
        let fetched = match self.rooms.acquire(client_id, from).await {
            Some(_room) => self.fetcher.fetch(client_id).await,
            None => Err(FetchError::Silent("cannot be fetched now: too many are".to_owned())),
        };
        let output = match fetched {
            Ok(fetched) => fetched,
            // A cached document is valid for another day while its address does not answer.
            Err(FetchError::Silent(_)) if cached(state, client_id, STALE_SECONDS).await? => {
                return Ok(Verdict::Granted(()));
            }
            Err(why) => return Ok(Verdict::Refused(format!("Its document {why}."))),
        };
        let (name, uris) = match read(client_id, &output.body) {
            Ok(submitted) => submitted,
            Err(why) => return Ok(Verdict::Refused(format!("Its document {why}."))),
        };
        let (env, id, seconds) =
            (state.env.clone(), client_id.to_owned(), fresh_seconds(&output.cache_control));
        let keep = move |tx: &mut Tx<'_>| {
            registration::document(tx, &env, &id, &name, &uris, seconds).map(drop)
        };
        state.db.write(keep).await.map(Verdict::Granted)
    }

    /// The lock for fetching this document.
    fn fetch_lock(&self, client_id: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = all.get(client_id).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        all.insert(client_id.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

/// The last two labels of a host: the owner of a domain controls every name below it.
fn site(host: &str) -> &str {
    let labels = host.rmatch_indices('.').nth(1);
    labels.map_or(host, |(at, _)| &host[at + 1..])
}

/// Whether a document is cached and at most this many seconds out of date.
async fn cached(state: &Arc<State>, client_id: &str, stale: i64) -> Result<bool, Problem> {
    let (id, now) = (client_id.to_owned(), state.env.clock.now().plus_seconds(-stale));
    let known: Option<RegisteredAssistant> =
        state.db.read(move |tx: &mut Tx<'_>| registration::find(tx, &id)).await?;
    Ok(known.and_then(|known| known.fresh_until).is_some_and(|until| until > now))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_are_normalized() {
        for good in [
            "https://claude.ai/oauth/client",
            "https://a.example:8443/",
            "https://a.example/x.json",
        ] {
            assert_eq!(check_address(good), Ok(()), "{good}");
        }
        let long = format!("https://a.example/{}", "x".repeat(500));
        for bad in [
            "http://a.example/x",
            "https://a.example",
            "https:///x",
            "https://a.example/x?y",
            "https://a.example/x#y",
            "https://me@a.example/x",
            "https://a.example/../x",
            "https://a.example/%2e%2E/x",
            "https://a.example/a b",
            "https://a.example\\@b.example/x",
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://2130706433/x",
            &long,
        ] {
            assert!(check_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_site_has_every_name_below_it() {
        for (host, own) in [
            ("a.b.example", "b.example"),
            ("b.example", "b.example"),
            ("localhost", "localhost"),
            ("x.a.b.example", "b.example"),
        ] {
            assert_eq!(site(host), own);
        }
    }

    /// Sixteen silent documents of one caller, on sixteen sites, block nobody else; nor do sixteen callers of one
    /// site.
    #[tokio::test]
    async fn slow_sites_delay_only_themselves() {
        let rooms = Arc::new(FetchLimits::default());
        let soon = async |client_id: String, from: [u8; 4]| {
            let enter = rooms.acquire(&client_id, IpAddr::from(from));
            tokio::time::timeout(Duration::from_millis(20), enter).await.ok().flatten()
        };
        let mut held = Vec::new();
        for at in 0..16 {
            held.push(soon(format!("https://mute{at}.example/x"), [1, 1, 1, 1]).await);
            held.push(soon("https://x.mute.example/x".into(), [2, 2, 2, at]).await);
        }
        assert_eq!(held.iter().flatten().count(), 2 * FETCHES_OF_ONE);
        assert!(soon("https://good.test/x".into(), [3, 3, 3, 3]).await.is_some());
        drop(held);
        assert!(soon("https://mute.example/x".into(), [1, 1, 1, 1]).await.is_some());
    }

    #[test]
    fn client_documents_name_their_client() {
        let id = "https://a.example/client";
        let good = json!({"client_id": id, "client_name": "Helper", "redirect_uris": ["http://localhost/cb"]});
        assert!(read(id, good.to_string().as_bytes()).is_ok());
        for (field, value) in [
            ("client_id", json!("https://a.example:443/client")),
            ("client_name", json!("Official helper")),
            ("redirect_uris", json!([])),
            ("redirect_uris", json!(["javascript:alert(1)"])),
            ("token_endpoint_auth_method", json!("private_key_jwt")),
            ("client_secret", json!("x")),
            ("jwks", json!({"keys": [{"kty": "RSA", "d": "x"}]})),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert!(read(id, bad.to_string().as_bytes()).is_err(), "{bad}");
        }
        assert!(read(id, b"[]").is_err());
    }

    #[test]
    fn documents_count_for_minutes_and_at_most_a_day() {
        for (output, seconds) in [
            ("", 300),
            ("max-age=3600, public", 3_600),
            ("max-age=1", 300),
            ("public, max-age=99999999", 86_400),
            ("max-age=3600, no-store", 300),
            ("max-age=x", 300),
        ] {
            assert_eq!(fresh_seconds(output), seconds, "{output}");
        }
    }
}
