//! Notifications on clients' devices: handed to a push service, and read as a browser reads them.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    forms::{give, published, questions},
    letters::{member, sign_in, with_mail},
    messaging::open_direct,
    python, random_text,
    receiver::{Received, receiver},
    scenario, text,
    travel::Travel,
};
use spotter_testing::requirements;

const MONDAY: &str = "2026-11-02T09:00:00Z";
const PATH: &str = "/client/push-subscriptions";
/// The keys of a browser (RFC 8291, appendix A).
const PUBLIC: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// Decrypts a notification with the browser's private key, and checks who signed it.
const READ: &str = r#"
import base64, json, sys, http_ece
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
sent = json.load(sys.stdin)
decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
number = int.from_bytes(decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"), "big")
shown = http_ece.decrypt(bytes.fromhex(sent["body"]), private_key=ec.derive_private_key(number, ec.SECP256R1()),
    auth_secret=decode(sent["auth"]), version="aes128gcm")
token, key = [part.split("=", 1)[1] for part in sent["authorization"].removeprefix("vapid ").split(", ")]
head, claims, signature = token.split(".")
r, s = [int.from_bytes(decode(signature)[at:at + 32], "big") for at in (0, 32)]
point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(key))
point.verify(utils.encode_dss_signature(r, s), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
print(json.dumps({"shown": json.loads(shown), "head": json.loads(decode(head)), "claims": json.loads(decode(claims)), "key": key}))
"#;

fn read(received: &Received) -> Option<Value> {
    let sent = json!({"body": received.body, "auth": AUTH,
        "authorization": received.headers["authorization"]});
    let read = python::run(&requirements::PUSH, READ, &sent.to_string())?;
    Some(serde_json::from_str(&read).unwrap())
}

fn browser(endpoint: &str) -> Value {
    json!({"endpoint": endpoint, "expirationTime": null, "keys": {"p256dh": PUBLIC, "auth": AUTH}})
}

async fn subscribe(app: &App, token: &str, manner: &str) -> String {
    let mark = random_text();
    let made = browser(&receiver().url(manner, &mark));
    app.app_as(token, "POST", PATH, Some(made)).await.ok();
    mark
}

/// The key to subscribe with, and the browsers of a client.
async fn browsers(app: &App, token: &str) -> (String, Vec<Value>) {
    let answer = app.app_as(token, "GET", PATH, None).await.ok();
    let all = answer.data()["pushSubscriptions"].as_array().unwrap().clone();
    (text(answer.data(), "/applicationServerKey"), all)
}

#[scenario(process, clock)]
fn devices_show_what_clients_are_written_of(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let token = sign_in(&travel.app, &email).await;
        let mark = subscribe(&travel.app, &token, "pushed").await;
        let (key, all) = browsers(&travel.app, &token).await;
        assert_eq!(all.len(), 1);
        assert!(!all[0].to_string().contains(&mark), "the address is a secret");
        let form = published(&travel.app, "general", questions()).await;
        give(&travel.app, &client, &form).await;
        travel.wait(90).await;
        let received = receiver().received(&mark);
        assert_eq!(received.len(), 1);
        let headers = &received[0].headers;
        assert_eq!((&*headers["content-encoding"], &*headers["ttl"]), ("aes128gcm", "86400"));
        let Some(seen) = read(&received[0]) else { return };
        assert_eq!(seen["shown"]["title"], "Test Gym");
        assert!(text(&seen, "/shown/body").starts_with("A form for you: "), "{seen}");
        assert_eq!(seen["shown"]["url"], "https://gym.example/my/forms");
        assert_eq!(seen["key"], key);
        assert_eq!(seen["head"], json!({"typ": "JWT", "alg": "ES256"}));
        let claims = &seen["claims"];
        assert!(receiver().url("", "").starts_with(claims["aud"].as_str().unwrap()), "{claims}");
        assert_eq!(claims["sub"], "mailto:owner@gym.example");
        let left = claims["exp"].as_i64().unwrap() - travel.now().millis() / 1_000;
        assert!((40_000..86_400).contains(&left), "{left}");
    });
}

#[scenario(process, clock)]
fn messages_are_shown_at_once_unless_unwanted(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let token = sign_in(&travel.app, &email).await;
        let mark = subscribe(&travel.app, &token, "pushed").await;
        let staff = travel.app.coach_token.clone();
        let conversation = open_direct(&travel.app, &staff, &client).await;
        let path = format!("/conversations/{conversation}/messages");
        let long = "é".repeat(2_000);
        travel.app.app("POST", &path, Some(json!({"text": long}))).await.ok();
        // One's own are not shown.
        travel.app.app_as(&token, "POST", &path, Some(json!({"text": "Yes"}))).await.ok();
        travel.wait(1).await;
        let received = receiver().received(&mark);
        assert_eq!(received.len(), 1);
        if let Some(seen) = read(&received[0]) {
            assert_eq!(seen["shown"]["title"], "Ada Admin");
            assert_eq!(seen["shown"]["body"], format!("{}…", "é".repeat(300)));
            assert_eq!(seen["shown"]["url"], "https://gym.example/my/messages");
        }
        let none = json!({"kinds": {"messages": false}});
        let choices = format!("/clients/{client}/notification-choices");
        travel.app.app_as(&token, "PATCH", &choices, Some(none)).await.ok();
        travel.app.app("POST", &path, Some(json!({"text": "Hello?"}))).await.ok();
        travel.wait(1).await;
        assert_eq!(receiver().received(&mark).len(), 1);
    });
}

#[scenario(process, clock)]
fn devices_that_are_gone_are_forgotten_and_others_tried_again(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let token = sign_in(&travel.app, &email).await;
        let mut marks = Vec::new();
        for manner in ["gone", "recovers", "fails"] {
            marks.push(subscribe(&travel.app, &token, manner).await);
        }
        let form = published(&travel.app, "general", questions()).await;
        give(&travel.app, &client, &form).await;
        travel.wait(20_000).await;
        let received = marks.iter().map(|mark| receiver().received(mark).len());
        assert_eq!(received.collect::<Vec<_>>(), [1, 2, 5]);
        let token = sign_in(&travel.app, &email).await;
        assert_eq!(browsers(&travel.app, &token).await.1.len(), 2);
        // Who is archived is shown nothing any more.
        travel.app.act(&format!("/clients/{client}/archive")).await.ok();
        travel.app.act(&format!("/clients/{client}/restore")).await.ok();
        let token = sign_in(&travel.app, &email).await;
        assert!(browsers(&travel.app, &token).await.1.is_empty());
    });
}

#[scenario(process, clock)]
fn a_browser_shows_one_persons_notifications(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (_, first) = member(&mut travel).await;
        let (_, second) = member(&mut travel).await;
        let first = sign_in(&travel.app, &first).await;
        let second = sign_in(&travel.app, &second).await;
        let app = &travel.app;
        let shared = browser(&receiver().url("pushed", &random_text()));
        let own = app.app_as(&first, "POST", PATH, Some(shared.clone())).await.ok();
        app.app_as(&second, "POST", PATH, Some(shared)).await.ok();
        assert!(browsers(app, &first).await.1.is_empty());
        let id = text(&browsers(app, &second).await.1[0], "/pushSubscriptionId");
        for gone in [id.as_str(), &text(own.data(), "/pushSubscription/pushSubscriptionId")] {
            let path = format!("{PATH}/{gone}");
            app.app_as(&first, "DELETE", &path, None).await.refused(404, "resource.not_found");
        }
        app.app_as(&second, "DELETE", &format!("{PATH}/{id}"), None).await.ok();
        for _ in 0..12 {
            subscribe(app, &second, "pushed").await;
        }
        assert_eq!(browsers(app, &second).await.1.len(), 10);
        assert_eq!(app.app("GET", PATH, None).await.status, 403, "staff have none");
    });
}

#[scenario(process, clock)]
fn browsers_that_cannot_be_reached_are_refused(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (_, email) = member(&mut travel).await;
        let token = sign_in(&travel.app, &email).await;
        let good = receiver().url("pushed", "x");
        for (field, value) in [
            ("/endpoint", "http://push.example/x"),
            ("/endpoint", "https://10.0.0.1/x"),
            ("/endpoint", "https://user@push.example/x"),
            ("/endpoint", "push"),
            ("/keys/p256dh", "BCVx"),
            ("/keys/p256dh", "not base64!"),
            ("/keys/auth", "AAAA"),
        ] {
            let mut wrong = browser(&good);
            *wrong.pointer_mut(field).unwrap() = value.into();
            let refused = travel.app.app_as(&token, "POST", PATH, Some(wrong)).await;
            assert_eq!(refused.status, 400, "{field} {value}: {}", refused.body);
            refused.about(&field[1..].replace('/', "."));
        }
        assert!(browsers(&travel.app, &token).await.1.is_empty());
    });
}
