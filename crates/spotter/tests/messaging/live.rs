//! Live updates: what people receive, and where they continue.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use serde_json::{Value, json};
use spotter_harness::{
    App,
    messaging::{open_group, say},
    people, scenario, send, start,
};

use super::Pair;

/// An event of a stream: its id, its name, its data.
type StreamEvent = (i64, String, Value);

/// A person's stream.
struct Stream {
    chunks: futures_util::stream::BoxStream<'static, reqwest::Result<Vec<u8>>>,
    text: String,
}

async fn open(app: &App, token: &str, last: Option<i64>) -> reqwest::Response {
    let mut request = app.server.request("GET", "/app/v1/events").bearer_auth(token);
    if let Some(last) = last {
        request = request.header("last-event-id", last.to_string());
    }
    request.send().await.unwrap()
}

impl Stream {
    async fn open(app: &App, token: &str, last: Option<i64>) -> Self {
        let response = open(app, token, last).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-cache");
        let chunks = response.bytes_stream().map(|chunk| chunk.map(Into::into)).boxed();
        Self { chunks, text: String::new() }
    }

    /// The next event; `None` once the stream has ended.
    async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let lines = event.lines();
                    lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).next()
                };
                let response = field("event").map(|name| {
                    let id = field("id").unwrap().parse().unwrap();
                    (id, name.to_owned(), serde_json::from_str(field("data").unwrap()).unwrap())
                });
                self.text = rest.to_owned();
                match response {
                    Some(response) => return Some(response),
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.chunks.next()).await;
            let chunk = chunk.expect("a stream is silent")?.ok()?;
            self.text.push_str(&String::from_utf8(chunk).unwrap());
        }
    }

    async fn expect(&mut self, name: &str) -> (i64, Value) {
        let (id, response, data) = self.next().await.expect("a stream has ended");
        assert_eq!(response, name, "{data}");
        (id, data)
    }
}

#[scenario]
async fn live_updates_reach_people(app: App) {
    let pair = Pair::new(&app).await;
    let mut coach = Stream::open(&app, &pair.coach_token, None).await;
    let mut client = Stream::open(&app, &pair.client_token, None).await;
    coach.expect("ready").await;
    let (start, _) = client.expect("ready").await;
    let submitted = say(&app, &pair.client_token, &pair.conversation, "Secret words").await;
    let sender = json!({"userId": pair.client, "role": "Client"});
    let data = json!({"conversationId": pair.conversation, "conversationType": "direct",
        "messageId": submitted, "sender": sender});
    for stream in [&mut coach, &mut client] {
        let (_, response) = stream.expect("conversation.message.created").await;
        assert_eq!(response, data);
    }
    let seen = json!({"messageId": submitted});
    pair.as_coach(&app, "POST", "/seen", Some(seen.clone())).await.ok();
    let (id, response) = client.expect("conversation.seen").await;
    assert_eq!(
        response,
        json!({"conversationId": pair.conversation, "userId": pair.coach, "messageId": submitted})
    );
    assert_eq!(id, start + 2, "a feed has no gaps");
    // Seen messages are not announced again.
    pair.as_coach(&app, "POST", "/seen", Some(seen)).await.ok();
    pair.as_client(&app, "DELETE", &format!("/messages/{submitted}"), None).await.ok();
    client.expect("conversation.message.deleted").await;
    // Others receive nothing, and a new participant receives updates from then on.
    let (late, late_token) = people::client(&app).await;
    let mut other = Stream::open(&app, &late_token, None).await;
    other.expect("ready").await;
    say(&app, &pair.coach_token, &pair.conversation, "Between us").await;
    let group = open_group(&app, &pair.coach_token, &[&late]).await;
    let (_, response) = other.expect("conversation.created").await;
    assert_eq!(response["conversationId"], group.as_str());
    let gone = format!("/conversations/{group}/participants/{late}");
    app.app_as(&pair.coach_token, "DELETE", &gone, None).await.ok();
    other.expect("conversation.participant.removed").await;
    say(&app, &pair.coach_token, &group, "Alone").await;
    let again = open_group(&app, &pair.coach_token, &[&late]).await;
    let (_, response) = other.expect("conversation.created").await;
    assert_eq!(response["conversationId"], again.as_str(), "nothing of the group in between");
}

#[scenario]
async fn listeners_resume_where_they_were(app: App) {
    let pair = Pair::new(&app).await;
    let mut stream = Stream::open(&app, &pair.client_token, None).await;
    stream.expect("ready").await;
    let first = say(&app, &pair.coach_token, &pair.conversation, "1").await;
    let (last, _) = stream.expect("conversation.message.created").await;
    drop(stream);
    let mut submitted = Vec::new();
    for number in 2..=120 {
        submitted.push(say(&app, &pair.coach_token, &pair.conversation, &number.to_string()).await);
    }
    let mut stream = Stream::open(&app, &pair.client_token, Some(last)).await;
    stream.expect("ready").await;
    for (message, number) in submitted.iter().zip(last + 1..) {
        let (id, response) = stream.expect("conversation.message.created").await;
        assert_eq!((response["messageId"].as_str(), id), (Some(message.as_str()), number));
    }
    assert!(!submitted.contains(&first));
    for wrong in ["x", "-1", "1.5"] {
        let request = app.server.request("GET", "/app/v1/events").bearer_auth(&pair.client_token);
        let refused = send(request.header("last-event-id", wrong)).await;
        refused.refused(400, "request.invalid").about("Last-Event-ID");
    }
    let request = app.server.request("GET", "/app/v1/events?since=1");
    send(request.bearer_auth(&pair.client_token))
        .await
        .refused(400, "request.invalid")
        .about("since");
}

#[scenario]
async fn live_updates_arrive_once_under_load(app: App) {
    let pair = Pair::new(&app).await;
    let (bea, bea_token) = people::client(&app).await;
    let group = open_group(&app, &pair.coach_token, &[&pair.client, &bea]).await;
    let mut stream = Stream::open(&app, &pair.client_token, None).await;
    let (start, _) = stream.expect("ready").await;
    let speak = async {
        let rounds = (0..15).map(|number| {
            let (app, pair, group, bea_token) = (&app, &pair, &group, &bea_token);
            async move {
                let text = number.to_string();
                tokio::join!(
                    say(app, &pair.coach_token, &pair.conversation, &text),
                    say(app, &pair.coach_token, group, &text),
                    say(app, bea_token, group, &text)
                )
            }
        });
        futures_util::future::join_all(rounds).await
    };
    let listen = async {
        let (mut last, mut result) = (start, Vec::new());
        while result.len() < 45 {
            // The line is lost every now and then.
            if result.len() % 7 == 6 {
                stream = Stream::open(&app, &pair.client_token, Some(last)).await;
                stream.expect("ready").await;
            }
            let (id, response) = stream.expect("conversation.message.created").await;
            assert_eq!(id, last + 1);
            last = id;
            result.push(response["messageId"].as_str().unwrap().to_owned());
        }
        result
    };
    let (submitted, mut result) = tokio::join!(speak, listen);
    let mut submitted: Vec<_> = submitted.into_iter().flat_map(|(a, b, c)| [a, b, c]).collect();
    submitted.sort();
    result.sort();
    assert_eq!(submitted, result);
}

#[scenario]
async fn long_absent_listeners_start_again(app: App) {
    let pair = Pair::new(&app).await;
    for number in 0..3 {
        say(&app, &pair.coach_token, &pair.conversation, &number.to_string()).await;
    }
    const FORGET: spotter_store::Sql =
        spotter_store::Sql("DELETE FROM live_entry WHERE company_id = ?1 AND position = 2");
    let company = app.company;
    let forget =
        move |tx: &mut spotter_store::Tx<'_>| tx.execute(FORGET, spotter_store::params![company]);
    app.server.db.write(forget).await.unwrap();
    let mut stream = Stream::open(&app, &pair.client_token, Some(0)).await;
    stream.expect("ready").await;
    let (latest, _) = stream.expect("reset").await;
    say(&app, &pair.coach_token, &pair.conversation, "Now").await;
    let (id, _) = stream.expect("conversation.message.created").await;
    assert_eq!(id, latest + 1);
    // A number of another feed, such as one from before a restore, is no place to go on from.
    let mut stream = Stream::open(&app, &pair.client_token, Some(latest + 1_000)).await;
    let (response, _) = stream.expect("reset").await;
    assert_eq!(response, id);
}

#[scenario]
async fn streams_end_with_their_session_and_are_counted(app: App) {
    let pair = Pair::new(&app).await;
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(Stream::open(&app, &pair.client_token, None).await);
    }
    let refused = open(&app, &pair.client_token, None).await;
    assert_eq!(refused.status(), 429);
    streams.pop();
    let mut freed = 429;
    for _ in 0..200 {
        freed = open(&app, &pair.client_token, None).await.status().as_u16();
        if freed == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(freed, 200);
    let mut stream = streams.pop().unwrap();
    stream.expect("ready").await;
    app.app_as(&pair.client_token, "POST", "/auth/logout", None).await.ok();
    // The next update has no reader.
    say(&app, &pair.coach_token, &pair.conversation, "Are you there?").await;
    assert_eq!(stream.next().await, None);
    assert_eq!(open(&app, &pair.client_token, None).await.status(), 401);
    assert_eq!(open(&app, &app.token, None).await.status(), 401);
}

#[scenario]
async fn a_stop_does_not_wait_for_streams(app: App) {
    let server = Arc::new(start(app.server.engine, Default::default()));
    let app = App::new(server.clone()).await;
    let mut stream = Stream::open(&app, &app.coach_token, None).await;
    stream.expect("ready").await;
    server.state().stop();
    assert_eq!(stream.next().await, None);
}
