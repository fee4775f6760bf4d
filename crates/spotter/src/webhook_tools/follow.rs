//! `spotter webhooks listen --forward-to`, without a port: reads the event log of an installation anywhere and delivers
//! what is new, so that a program under development needs no public address.

use std::{collections::BTreeSet, time::Duration};

use reqwest::Client;
use serde_json::Value;
use spotter_kernel::{Clock, Id, Timestamp};

use super::forward::ForwardTarget;
use crate::system::SystemClock;

/// Between two looks at the log.
const PAUSE: Duration = Duration::from_secs(1);
/// How far back each look begins: events are listed by the instant of their change, which others may commit later.
const OVERLAP_SECONDS: i64 = 60;
/// Pages in which an event is looked for that may be read; where there is none, our own clock counts.
const PAGES_TO_END: usize = 10;
/// Seconds before its end at which a token is renewed.
const RENEWED_BEFORE: i64 = 60;

/// An API client of an installation.
pub(crate) struct Credentials {
    /// The installation's address.
    pub(crate) url: String,
    /// Its id.
    pub(crate) client_id: String,
    /// Its secret.
    pub(crate) client_secret: String,
}

/// The log of an installation.
struct EventLog {
    http: Client,
    credentials: Credentials,
    token: Option<(String, Timestamp)>,
    /// Events that were read before, from the beginning of the last look on.
    seen: BTreeSet<Id>,
    /// When the newest event happened.
    newest: Timestamp,
}

/// Delivers what is new in the log until the process ends.
pub(crate) async fn follow(
    credentials: Credentials,
    only: Vec<String>,
    target: ForwardTarget,
) -> Result<(), String> {
    let http = Client::builder().timeout(Duration::from_secs(30));
    let http = http.build().map_err(|error| error.to_string())?;
    let (seen, newest) = (BTreeSet::new(), SystemClock.now());
    let mut log = EventLog { http, credentials, token: None, seen, newest };
    // Wrong credentials end the command; later trouble is waited out.
    log.skip_to_end().await?;
    say!("Waiting for events of {}. Ctrl-C stops.", log.credentials.url);
    loop {
        tokio::time::sleep(PAUSE).await;
        match log.unseen().await {
            Ok(events) => {
                let wanted = |event: &&Value| {
                    let name = event["type"].as_str().unwrap_or_default();
                    only.is_empty() || only.iter().any(|own| own == name)
                };
                for event in events.iter().filter(wanted) {
                    let (at, name) = (&event["occurredAt"], &event["type"]);
                    let (at, name) =
                        (at.as_str().unwrap_or_default(), name.as_str().unwrap_or_default());
                    let answer = target.deliver(event).await.unwrap_or_else(|error| error);
                    say!("{at}  {name}  {answer}");
                }
            }
            Err(error) => say!("{error}"),
        }
    }
}

impl EventLog {
    /// Goes to the newest event: the clock of the installation, or of a test environment, can be another one than ours.
    async fn skip_to_end(&mut self) -> Result<(), String> {
        let mut path = "/events?limit=1".to_owned();
        for _ in 0..PAGES_TO_END {
            let page = self.get(&path).await?;
            let newest = page.pointer("/events/0/id").and_then(Value::as_str).and_then(Id::parse);
            if let Some(newest) = newest {
                self.newest = newest.created_at();
                break;
            }
            let Some(cursor) = page["nextCursor"].as_str() else {
                self.newest = Timestamp::from_millis(1_000 * OVERLAP_SECONDS);
                break;
            };
            path = format!("/events?limit=1&cursor={cursor}");
        }
        self.unseen().await.map(drop)
    }

    /// Events that were not read before, oldest first.
    async fn unseen(&mut self) -> Result<Vec<Value>, String> {
        let from = self.newest.plus_seconds(-OVERLAP_SECONDS);
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let mut path = format!("/events?limit=100&from={from}");
            if let Some(cursor) = &cursor {
                path.push_str(&format!("&cursor={cursor}"));
            }
            let mut page = self.get(&path).await?;
            if let Value::Array(events) = page["events"].take() {
                found.extend(events);
            }
            match page["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        let id = |event: &Value| Id::parse(event["id"].as_str().unwrap_or_default());
        found.retain(|event| id(event).is_some_and(|id| self.seen.insert(id)));
        found.reverse();
        let last = found.last().and_then(id).map(Id::created_at);
        self.newest = last.map_or(self.newest, |last| last.max(self.newest));
        let kept = Id::first_at(self.newest.plus_seconds(-OVERLAP_SECONDS));
        self.seen = self.seen.split_off(&kept);
        Ok(found)
    }

    async fn get(&mut self, path: &str) -> Result<Value, String> {
        let token = self.token().await?;
        let url = format!("{}/public/v1{path}", self.credentials.url);
        let (status, answer) = answer_of(self.http.get(&url).bearer_auth(token), &url).await?;
        if status == reqwest::StatusCode::UNAUTHORIZED {
            self.token = None;
        }
        match status.is_success() {
            true => Ok(answer["data"].clone()),
            false => Err(format!("{url}: {status}: {}", answer["error"]["message"])),
        }
    }

    async fn token(&mut self) -> Result<String, String> {
        let now = SystemClock.now();
        if let Some((token, until)) = &self.token
            && now < *until
        {
            return Ok(token.clone());
        }
        let Credentials { url, client_id, client_secret } = &self.credentials;
        let url = format!("{url}/public/v1/oauth/token");
        let request = self.http.post(&url).basic_auth(client_id, Some(client_secret));
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .body("grant_type=client_credentials");
        let (status, answer) = answer_of(request, &url).await?;
        let (Some(token), Some(seconds)) =
            (answer["access_token"].as_str(), answer["expires_in"].as_i64())
        else {
            return Err(format!("{url}: {status}: {}", answer["error_description"]));
        };
        self.token = Some((token.to_owned(), now.plus_seconds(seconds - RENEWED_BEFORE)));
        Ok(token.to_owned())
    }
}

async fn answer_of(
    request: reqwest::RequestBuilder,
    url: &str,
) -> Result<(reqwest::StatusCode, Value), String> {
    let answer = async {
        let answer = request.send().await?;
        let status = answer.status();
        answer.bytes().await.map(|body| (status, body))
    };
    let (status, body) = answer.await.map_err(|error| format!("{url}: {error}"))?;
    let answer = serde_json::from_slice(&body).map_err(|_| format!("{url}: {status}"))?;
    Ok((status, answer))
}
