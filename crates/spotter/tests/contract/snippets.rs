//! The verification code of docs/WEBHOOKS.md, run against deliveries: a real one, and one with
//! everything that canonical JSON has to get right.

use std::{
    collections::HashMap,
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use spotter_harness::{App, SystemClock, random_text, receiver::receiver, scenario};
use spotter_kernel::Clock;
use spotter_testing::requirements::{self, Requirement};
use spotter_webhooks::{canonical::canonical, signature::SignedBody};

use crate::verify_snippet;

const DOCS: &str = include_str!("../../../../docs/WEBHOOKS.md");

/// A language of the docs, how its programs are run, and a program that uses its snippet: it
/// reads `{secret, headers, body}` and prints `ok` or `refused`.
struct Language {
    fence: &'static str,
    program: &'static str,
    requirement: &'static Requirement,
    file: &'static str,
    harness: &'static str,
}

const LANGUAGES: &[Language] = &[
    Language {
        fence: "python",
        program: "python3",
        requirement: &requirements::PYTHON,
        file: "verify.py",
        harness: "import sys\ncase = json.load(sys.stdin)\ntry:\n    verify(case['secret'], case['headers'], case['body'])\n    print('ok')\nexcept ValueError:\n    print('refused')\n",
    },
    Language {
        fence: "javascript",
        program: "node",
        requirement: &requirements::NODE,
        file: "verify.js",
        harness: "const given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\ntry { verify(given.secret, given.headers, given.body); console.log('ok'); } catch { console.log('refused'); }\n",
    },
    Language {
        fence: "php",
        program: "php",
        requirement: &requirements::PHP,
        file: "verify.php",
        harness: "$given = json_decode(stream_get_contents(STDIN), true);\ntry { verify($given['secret'], $given['headers'], $given['body']); echo 'ok'; } catch (Exception) { echo 'refused'; }\n",
    },
    Language {
        fence: "bash",
        program: "bash",
        requirement: &requirements::OPENSSL,
        file: "verify.sh",
        harness: "",
    },
];

/// The first snippet of a language.
fn snippet(fence: &str) -> &'static str {
    let (_, rest) = DOCS.split_once(&format!("```{fence}\n")).unwrap();
    rest.split("```").next().unwrap()
}

struct Case {
    secret: String,
    headers: HashMap<String, String>,
    body: String,
}

/// The result of a language's snippet for a case; `None` where the language is not installed.
fn ask(language: &Language, case: &Case) -> Option<String> {
    if !language.requirement.is_available() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(language.file);
    std::fs::write(&file, format!("{}{}", snippet(language.fence), language.harness)).unwrap();
    std::fs::write(folder.path().join("body.json"), &case.body).unwrap();
    let header = |name: &str| &case.headers[&format!("x-service-webhook-{name}")];
    let mut child = Command::new(language.program)
        .arg(&file)
        .current_dir(folder.path())
        .env("SECRET", &case.secret)
        .env("TIMESTAMP", header("timestamp"))
        .env("DELIVERY", header("delivery"))
        .env("SIGNATURE", header("signature"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!({"secret": case.secret, "headers": case.headers, "body": case.body});
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", language.program);
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

fn in_rust(case: &Case) -> String {
    let header = |name: &str| case.headers.get(name).cloned();
    let now = SystemClock.now().seconds();
    let event = verify_snippet::verify(&case.secret, header, &case.body, now);
    if event.is_some() { "ok" } else { "refused" }.to_owned()
}

/// A delivery as it would be sent, of an event with every kind of value.
fn made_up(secret: &str, timestamp: i64) -> Case {
    let event = json!({
        "id": "0123456789abcdef01234567", "type": "client.created",
        "occurredAt": "2026-11-21T12:00:00.000Z",
        "data": {"zeta": [3, 1, {"b": null, "a": true}], "alpha": {"é": "ünï/\"quoted\"\\ 💪", "b": -12, "a": {}}, "empty": []},
    });
    let body = canonical(&event);
    let signed =
        SignedBody { timestamp, delivery: "d1", event: event["id"].as_str().unwrap(), body: &body };
    let headers = [
        ("event", "client.created".to_owned()),
        ("delivery", "d1".to_owned()),
        ("timestamp", timestamp.to_string()),
        ("signature", signed.header(["whsec_other", secret])),
    ];
    let headers = headers.map(|(name, value)| (format!("x-service-webhook-{name}"), value));
    Case { secret: secret.to_owned(), headers: headers.into(), body }
}

#[scenario]
async fn every_snippet_verifies_deliveries(app: App) {
    assert_eq!(
        snippet("rust"),
        include_str!("verify_snippet.rs"),
        "the docs have the code that runs"
    );
    let mark = random_text();
    let body =
        json!({"name": "X", "url": receiver().url("good", &mark), "events": ["client.created"]});
    let made = app.post("/webhooks", body).await.ok();
    let secret = made.data()["subscription"]["signingSecret"].as_str().unwrap().to_owned();
    let id = made.data()["subscription"]["id"].as_str().unwrap();
    let tested = app.act(&format!("/webhooks/{id}/test")).await.ok();
    app.wait_for_attempt(tested.data()["test"]["deliveryIds"][0].as_str().unwrap()).await;
    let received = receiver().received(&mark).remove(0);
    let real = || Case {
        secret: secret.clone(),
        headers: received.headers.clone(),
        body: received.body.clone(),
    };
    let now = SystemClock.now().seconds();
    let mut forged = real();
    forged.body = forged.body.replace("subscription.test", "subscription.tost");
    let mut stale = made_up("whsec_x", now - 400);
    stale.secret = "whsec_x".into();
    let cases = [
        ("ok", real(), true),
        ("refused", Case { secret: "whsec_wrong".into(), ..real() }, true),
        ("refused", forged, true),
        ("ok", made_up("whsec_x", now), false),
        ("refused", stale, false),
    ];
    for (expected, case, plain) in &cases {
        assert_eq!(in_rust(case), *expected, "rust");
        // Any spelling of the same JSON will do where the snippet makes it canonical itself.
        let value: Value = serde_json::from_str(&case.body).unwrap();
        let pretty = Case {
            secret: case.secret.clone(),
            headers: case.headers.clone(),
            body: serde_json::to_string_pretty(&value).unwrap(),
        };
        assert_eq!(in_rust(&pretty), *expected, "rust");
        for language in LANGUAGES {
            // openssl gets the raw body, and has no clock.
            if language.fence == "bash" {
                if *plain && let Some(response) = ask(language, case) {
                    assert_eq!(response, *expected, "bash");
                }
                continue;
            }
            for case in [case, &pretty] {
                if let Some(response) = ask(language, case) {
                    assert_eq!(response, *expected, "{}: {}", language.program, case.body);
                }
            }
        }
    }
}
