//! Files on their way into conversations and out of them: true and false ones, whole ones and parts,
//! and stores that have no room or do not answer.

use std::io::{Read, Write};

use serde_json::json;
use spotter_harness::{
    App, Reply, files::Faulty, messaging::open_group, people, scenario, start, start_with, text,
};

use super::Pair;

const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";
const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n";

async fn upload(app: &App, token: &str, name: &str, kind: &str, bytes: Vec<u8>) -> Reply {
    let request = app.server.request("POST", "/app/v1/uploads").bearer_auth(token);
    let request = request.query(&[("fileName", name)]).header("content-type", kind);
    spotter_harness::send(request.body(bytes)).await
}

async fn uploaded(app: &App, token: &str, bytes: &[u8]) -> String {
    let sent = upload(app, token, "scan.png", "image/png", bytes.to_vec()).await.ok();
    text(sent.data(), "/upload/uploadId")
}

async fn attach(app: &App, token: &str, conversation: &str, upload: &str) -> Reply {
    let path = format!("/conversations/{conversation}/messages");
    app.app_as(token, "POST", &path, Some(json!({"uploadId": upload}))).await
}

async fn download(app: &App, token: &str, conversation: &str, message: &str) -> reqwest::Response {
    let path = format!("/app/v1/conversations/{conversation}/messages/{message}/attachment");
    app.server.request("GET", &path).bearer_auth(token).send().await.unwrap()
}

/// Everything that the file store of the app's server holds for its company.
fn kept(app: &App) -> Vec<std::path::PathBuf> {
    let folder = app.server.files_folder.join(app.company.to_string());
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

#[scenario]
async fn files_round_trip(app: App) {
    let pair = Pair::new(&app).await;
    // Larger than one part, so that it is not held whole.
    let picture = [PNG, &vec![42; 11 << 20]].concat();
    let sent =
        upload(&app, &pair.client_token, "Été 1.png", "image/png; x=y", picture.clone()).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    let response = &sent.data()["upload"];
    assert_eq!(
        (&response["size"], &response["fileName"]),
        (&json!(picture.len()), &json!("Été 1.png"))
    );
    assert!(response["expiresAt"].is_string() && response.get("ownerId").is_none());
    app.announced(&[]).await;
    let id = text(response, "/uploadId");
    let body = json!({"uploadId": id, "text": "Look"});
    let message = pair.as_client(&app, "POST", "/messages", Some(body)).await.ok();
    let message = &message.data()["message"];
    assert_eq!((&message["type"], &message["hasMedia"]), (&json!("image"), &json!(true)));
    assert_eq!(
        message["attachment"],
        json!({"fileName": "Été 1.png", "mediaType": "image/png", "size": picture.len()})
    );
    let event = app.announced(&["conversation.message.created"]).await;
    assert!(!event[0].to_string().contains("png"), "{}", event[0]);
    let message = text(message, "/messageId");
    let file = download(&app, &pair.coach_token, &pair.conversation, &message).await;
    assert_eq!(file.status(), 200);
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-disposition", "attachment; filename*=UTF-8''%C3%89t%C3%A9%201.png"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("cache-control", "private, max-age=86400"),
    ] {
        assert_eq!(file.headers()[name], value);
    }
    assert_eq!(file.bytes().await.unwrap(), picture);
    // Integrations see that there is a file and its name, not its address.
    let public = app.get(&format!("/conversations/{}/messages", pair.conversation)).await.ok();
    let seen = &public.data()["messages"][0];
    assert_eq!((&seen["hasMedia"], &seen["fileName"]), (&json!(true), &json!("Été 1.png")));
    assert!(seen.get("attachment").is_none() && !public.body.to_string().contains(&id));
    let (_, outsider) = people::coach(&app, "Admin").await;
    for token in [&outsider, &App::new(app.server.clone()).await.coach_token] {
        let refused = download(&app, token, &pair.conversation, &message).await;
        assert_eq!(refused.status(), 404);
    }
    let refused = download(&app, &app.token, &pair.conversation, &message).await;
    assert_eq!(refused.status(), 401);
}

#[scenario]
async fn mislabelled_files_are_refused(app: App) {
    let pair = Pair::new(&app).await;
    let token = &pair.client_token;
    let before = app.state().await;
    let html = b"<html><script>alert(1)</script></html>".to_vec();
    for (kind, bytes) in [
        ("image/png", html.clone()),
        ("image/png", PDF.to_vec()),
        ("application/pdf", PNG.to_vec()),
        ("video/mp4", [PNG, &vec![0; 9_000]].concat()),
        ("image/png", Vec::new()),
        ("image/png", PNG[..3].to_vec()),
    ] {
        let refused = upload(&app, token, "x", kind, bytes).await;
        refused.refused(400, "request.invalid").about("body");
    }
    for kind in ["text/html", "image/svg+xml", "application/json", "", "image/png/jpeg"] {
        upload(&app, token, "x", kind, html.clone()).await.refused(415, "request.failed");
    }
    for name in ["", "../../etc/passwd", "a\\b", "x\r\ny", "..", &"x".repeat(201)] {
        upload(&app, token, name, "image/png", PNG.to_vec()).await.about("fileName");
    }
    let unnamed = app.server.request("POST", "/app/v1/uploads").bearer_auth(token);
    let unnamed = unnamed.header("content-type", "image/png").body(PNG);
    spotter_harness::send(unnamed).await.refused(400, "request.invalid").about("fileName");
    let large = vec![0; spotter_http::HttpSettings::default().upload_max as usize + 1];
    let large = [PNG, &large[PNG.len()..]].concat();
    upload(&app, token, "x", "image/png", large.clone()).await.refused(413, "request.failed");
    // Nor may it be larger than announced, or have no length.
    let pieces = large.chunks(1 << 16).map(|piece| Ok::<_, std::io::Error>(piece.to_vec()));
    let pieces: Vec<_> = pieces.collect();
    let stream = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let request = app.server.request("POST", "/app/v1/uploads?fileName=x").bearer_auth(token);
    let sent = request.header("content-type", "image/png").body(stream).send().await;
    // The connection may be closed while the rest is still being sent.
    assert!(sent.map_or(true, |reply| reply.status() == 413));
    spotter_harness::send(app.server.request("POST", "/app/v1/uploads?fileName=x").body(PNG))
        .await
        .refused(401, "auth.missing_bearer");
    let (mut after, mut discarded) = (app.state().await, before);
    // Only the unannounced large file had begun to arrive.
    for table in ["upload", "audit_log"] {
        after.remove(table);
        discarded.remove(table);
    }
    assert_eq!(after, discarded);
    wait_until_empty(&app).await;
}

/// Waits until no file of the company is stored, in whole or in part.
async fn wait_until_empty(app: &App) {
    for _ in 0..500 {
        if kept(app).is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("something is left: {:?}", kept(app));
}

/// Announces more than it sends, and hangs up.
fn cut_off(app: &App, token: &str, announced: usize, sent: &[u8]) {
    let address = app.server.base.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /app/v1/uploads?fileName=x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: image/png\r\nContent-Length: {announced}\r\n\r\n"
    )
    .unwrap();
    stream.write_all(sent).unwrap();
    stream.flush().unwrap();
    // The server has read what was sent before it notices the end.
    std::thread::sleep(std::time::Duration::from_millis(100));
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok();
    assert!(!answer.contains(" 201 "), "{answer}");
}

#[scenario]
async fn interrupted_uploads_leave_nothing(app: App) {
    let pair = Pair::new(&app).await;
    for (announced, sent) in [
        (1_000, PNG.to_vec()),
        (20 << 20, [PNG, &vec![1; 7 << 20]].concat()),
        (1_000, PNG[..3].to_vec()),
    ] {
        tokio::task::block_in_place(|| cut_off(&app, &pair.client_token, announced, &sent));
    }
    wait_until_empty(&app).await;
    const USABLE: spotter_store::Sql = spotter_store::Sql(
        "SELECT COUNT(*) FROM upload WHERE company_id = ?1 AND status <> 'discarded'",
    );
    let company = app.company;
    for _ in 0..500 {
        let count =
            move |tx: &mut spotter_store::Tx<'_>| tx.one(USABLE, spotter_store::params![company]);
        let left: Option<(i64,)> = app.server.db.read(count).await.unwrap();
        if left == Some((0,)) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("an upload that was cut off can still be used");
}

#[scenario]
async fn a_file_is_used_once_by_its_owner(app: App) {
    let pair = Pair::new(&app).await;
    let id = uploaded(&app, &pair.client_token, PNG).await;
    let other = App::new(app.server.clone()).await;
    let theirs =
        open_group(&other, &other.coach_token, &[&people::coach(&other, "Coach").await.0]).await;
    attach(&other, &other.coach_token, &theirs, &id)
        .await
        .refused(404, "resource.not_found")
        .about("uploadId");
    attach(&app, &pair.coach_token, &pair.conversation, &id)
        .await
        .refused(404, "resource.not_found")
        .about("uploadId");
    attach(&app, &pair.client_token, &pair.conversation, &id).await.ok();
    attach(&app, &pair.client_token, &pair.conversation, &id)
        .await
        .refused(404, "resource.not_found")
        .about("uploadId");
    let raced = uploaded(&app, &pair.client_token, PNG).await;
    let race = (0..8).map(|_| attach(&app, &pair.client_token, &pair.conversation, &raced));
    let race = futures_util::future::join_all(race).await;
    assert_eq!(race.iter().filter(|reply| reply.status == 201).count(), 1);
    // A message without a file has none to give.
    let plain =
        spotter_harness::messaging::say(&app, &pair.client_token, &pair.conversation, "x").await;
    assert_eq!(download(&app, &pair.coach_token, &pair.conversation, &plain).await.status(), 404);
}

#[scenario]
async fn unused_files_are_swept(app: App) {
    // A server of its own: a sweep of another day would take the files of other scenarios.
    let server = start(app.server.engine, Default::default());
    let app = App::new(server.into()).await;
    let pair = Pair::new(&app).await;
    let used = uploaded(&app, &pair.client_token, PNG).await;
    let sent = attach(&app, &pair.client_token, &pair.conversation, &used).await.ok();
    let message = text(sent.data(), "/message/messageId");
    let stays = uploaded(&app, &pair.client_token, PNG).await;
    attach(&app, &pair.client_token, &pair.conversation, &stays).await.ok();
    uploaded(&app, &pair.coach_token, PNG).await;
    assert_eq!(kept(&app).len(), 3);
    pair.as_client(&app, "DELETE", &format!("/messages/{message}"), None).await.ok();
    assert_eq!(download(&app, &pair.coach_token, &pair.conversation, &message).await.status(), 404);
    let sweep = |hours: i64| {
        let now = app.server.env.clock.now().plus_seconds(hours * 3_600);
        spotter::testing::sweep_files(&app.server.db, &app.server.files, now)
    };
    sweep(0).await.unwrap();
    assert_eq!(kept(&app).len(), 3, "somebody may be about to read it");
    sweep(1).await.unwrap();
    assert_eq!(kept(&app).len(), 2, "the deleted message's file is gone");
    sweep(25).await.unwrap();
    let left = kept(&app);
    assert_eq!(left.len(), 1, "what nobody attached within a day is gone");
    assert!(left[0].ends_with(&stays));
}

#[scenario]
async fn a_store_without_room_loses_nothing(app: App) {
    let faulty = Faulty::default();
    let server = start_with(app.server.engine, Default::default(), faulty.files());
    let app = App::new(server.into()).await;
    let pair = Pair::new(&app).await;
    let small = PNG.to_vec();
    let large = [PNG, &vec![3; 12 << 20]].concat();
    let good = uploaded(&app, &pair.client_token, PNG).await;
    attach(&app, &pair.client_token, &pair.conversation, &good).await.ok();
    faulty.is_full(true);
    for bytes in [&small, &large] {
        let refused = upload(&app, &pair.client_token, "x", "image/png", bytes.clone()).await;
        refused.refused(507, "request.failed");
    }
    faulty.is_full(false);
    faulty.is_away(true);
    for bytes in [&small, &large] {
        let refused = upload(&app, &pair.client_token, "x", "image/png", bytes.clone()).await;
        refused.refused(503, "request.failed");
    }
    let list = pair.as_client(&app, "GET", "/messages", None).await.ok();
    assert_eq!(list.data()["total"], 1, "what does not need the store goes on");
    let message = text(list.data(), "/messages/0/messageId");
    assert_eq!(download(&app, &pair.coach_token, &pair.conversation, &message).await.status(), 503);
    faulty.is_away(false);
    assert_eq!(download(&app, &pair.coach_token, &pair.conversation, &message).await.status(), 200);
    let again = uploaded(&app, &pair.client_token, &large).await;
    attach(&app, &pair.client_token, &pair.conversation, &again).await.ok();
    let later = app.server.env.clock.now().plus_seconds(2 * 3_600);
    spotter::testing::sweep_files(&app.server.db, &app.server.files, later).await.unwrap();
    assert_eq!(faulty.kept().await, 2, "what failed has left nothing behind");
}
