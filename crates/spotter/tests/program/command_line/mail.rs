//! Mail of a process: to the mailbox of a demo, and to a real mail server.

use serde_json::json;
use spotter_harness::{PASSWORD, scenario};

use super::*;
use crate::mail::server;

/// Requests a password reset for the demo's manager.
fn forget(base: &str, demo: &Value) {
    let body = json!({"email": demo["manager"]["email"]});
    let url = format!("{base}/app/v1/auth/password/forgot");
    let (status, response) = super::post(&url, "none", "k", &body).unwrap();
    assert_eq!((status, &response["data"]["accepted"]), (200, &json!(true)), "{response}");
}

/// The demo's latest letter to an address, once there is one.
fn mailed_to(base: &str, address: &str) -> Value {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for _ in 0..500 {
        let request = client.get(format!("{base}/demo/mail")).header("accept", "application/json");
        let response: Value =
            runtime().block_on(async { request.send().await.unwrap().json().await.unwrap() });
        let all = response["mail"].as_array().unwrap();
        if let Some(mail) = all.iter().find(|mail| mail["to"] == address) {
            return mail.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("no mail comes");
}

#[scenario(process)]
fn the_demo_keeps_its_mail(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let child = super::demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let (base, demo) = (format!("http://{address}"), read_demo(folder.path()));
    forget(&base, &demo);
    let manager = demo["manager"]["email"].as_str().unwrap();
    let text = mailed_to(&base, manager)["text"].as_str().unwrap().to_owned();
    let (_, rest) = text.split_once(&format!("{base}/set-password?token=")).unwrap();
    let body = json!({"token": rest.split_whitespace().next(), "password": PASSWORD});
    let reset = format!("{base}/app/v1/auth/password/reset");
    let (status, response) = super::post(&reset, "none", "k", &body).unwrap();
    assert_eq!(status, 200, "{response}");
    let login = json!({"email": demo["manager"]["email"], "password": PASSWORD});
    let (status, response) =
        super::post(&format!("{base}/app/v1/auth/login"), "none", "k", &login).unwrap();
    assert_eq!(status, 200, "{response}");
    stop(child);
    let mut reset = vec!["account", "reset-password", "--data", folder.path().to_str().unwrap()];
    reset.extend(["--email", demo["manager"]["email"].as_str().unwrap()]);
    reset.extend(flags.iter().map(String::as_str));
    let (fine, response) = spotter(&reset);
    assert!(fine && response.contains("/set-password?token=fspr_"), "{response}");
    let mut jobs = vec!["jobs", "--data", folder.path().to_str().unwrap()];
    jobs.extend(flags.iter().map(String::as_str));
    let (fine, response) = spotter(&jobs);
    assert!(fine && response.contains("send_mail  "), "{response}");
}

#[scenario(process)]
fn served_mail_reaches_a_server(engine: Engine) {
    let Some(mut post) = server::Running::start("plain") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let (base, demo) = (format!("http://{address}"), read_demo(folder.path()));
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data"]).arg(folder.path()).args(&flags);
    command.env("SPOTTER_SMTP_URL", format!("smtp://localhost:{}?tls=none", post.port));
    command.env("SPOTTER_MAIL_FROM", "Riverside <hello@riverside.example>");
    command.env("SPOTTER_BASE_URL", &base).stderr(Stdio::null()).stdout(Stdio::null());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    forget(&base, &demo);
    let taken = post.next_message();
    assert_eq!(
        (&taken["to"], &taken["tls"]),
        (&demo["manager"]["email"], &json!(false)),
        "{taken}"
    );
    // Links survive the mail encoding.
    let content = taken["content"].as_str().unwrap().replace("=\r\n", "").replace("=3D", "=");
    assert!(content.contains(&format!("{base}/set-password?token=fspr_")), "{content}");
    stop(child);
    let settings = |name: &str, value: &str| {
        let mut command = Command::new(binary());
        let output = command.args(["config", "check"]).env(name, value).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let response = settings("SPOTTER_SMTP_URL", "smtp://user:hush@mail.example");
    assert!(
        response.contains("base_url must be given") && response.contains("mail_from"),
        "{response}"
    );
    assert!(!response.contains("hush"), "{response}");
    assert!(settings("SPOTTER_MAIL_FROM", "a@b.example").contains("smtp_url must be given"));
}
