//! The clients' pages as an app: a manifest, icons, and a worker that keeps the frame and nothing of a person.

use serde_json::Value;
use spotter_harness::{App, browser::Browser, people, scenario};

#[scenario]
async fn the_pages_of_clients_install(app: App) {
    let email = people::client_with_address(&app).await;
    let mut browser = Browser::of(&app, &email).await;
    browser.get("/my").await.is(200).shows("rel=\"manifest\"");
    let manifest = browser.get("/my/app.webmanifest").await.is(200);
    assert_eq!(manifest.headers["content-type"], "application/manifest+json");
    let manifest: Value = serde_json::from_str(&manifest.text).unwrap();
    assert_eq!((&manifest["name"], &manifest["start_url"]), (&"Test Gym".into(), &"/my".into()));
    let worker = browser.get("/my/worker.js").await.is(200);
    assert_eq!(worker.headers["service-worker-allowed"], "/my");
    let icons =
        manifest["icons"].as_array().unwrap().iter().map(|icon| icon["src"].as_str().unwrap());
    let kept = worker
        .text
        .split('"')
        .filter(|part| part.starts_with("/console/a/") || *part == "/my/offline");
    let files: Vec<String> = icons.chain(kept).map(str::to_owned).collect();
    assert_eq!(files.len(), 10, "{files:?}");
    for file in files {
        browser.get(&file).await.is(200);
    }
    // A stranger's manifest names no company, and staff have no app.
    let mut stranger = Browser::new(&app);
    stranger.get("/my/app.webmanifest").await.is(200).shows("Spotter");
    stranger.get("/my/offline").await.is(200).shows("You are offline");
    let mut staff = Browser::of(&app, &app.admin_email).await;
    assert!(!staff.get("/console").await.text.contains("rel=\"manifest\""));
}
