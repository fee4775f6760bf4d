//! Photos: re-encoded on arrival, visible with permission, and deleted completely.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    dates::day,
    documents::fetch,
    people,
    progress::{TURNED, send_picture},
    random_text, scenario, text,
};

/// Has a coach keep a photo of a client.
async fn keep(app: &App, client: &str, facts: Value) -> Value {
    let sent = send_picture(app, &app.coach_token, "image/jpeg", TURNED).await.ok();
    let mut body = json!({"uploadId": sent.data()["upload"]["uploadId"]});
    body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let path = format!("/clients/{client}/progress-photos");
    let made = app.app("POST", &path, Some(body)).await.ok();
    made.data()["progressPhoto"].clone()
}

#[scenario]
async fn photos_are_reencoded_and_shown(app: App) {
    let (client, token) = people::client(&app).await;
    let sent = send_picture(&app, &token, "image/jpeg", TURNED).await.ok();
    let upload = &sent.data()["upload"];
    // It lay on its side.
    assert_eq!((&upload["width"], &upload["height"]), (&json!(32), &json!(64)));
    let all = format!("/clients/{client}/progress-photos");
    let new = json!({"uploadId": upload["uploadId"], "pose": "front", "takenOn": day(-7)});
    let made = app.app_as(&token, "POST", &all, Some(new)).await.ok();
    let own = &made.data()["progressPhoto"];
    let response = app.announced(&["progress_photo.created"]).await;
    assert_eq!(response[0].get("url"), None);
    keep(&app, &client, json!({"pose": "back"})).await;
    app.events().await;
    // With a signed address, the client, a coach or an integration fetches it without a token.
    let path = format!("{all}/{}", text(own, "/progressPhotoId"));
    for response in [
        app.app_as(&token, "GET", &path, None).await.ok(),
        app.app("GET", &path, None).await.ok(),
        app.get(&path).await.ok(),
    ] {
        for name in ["url", "thumbnailUrl"] {
            let url = text(&response.data()["progressPhoto"], &format!("/{name}"));
            let (status, bytes, kind) = fetch(&app, &url).await;
            assert_eq!((status, kind.as_str()), (200, "image/jpeg"));
            assert!(bytes.starts_with(&[0xff, 0xd8, 0xff]));
            for secret in [&b"Exif"[..], b"SecretCam"] {
                assert!(TURNED.windows(secret.len()).any(|part| part == secret));
                assert!(!bytes.windows(secret.len()).any(|part| part == secret));
            }
        }
    }
    let response = app.get(&all).await.ok();
    let poses: Vec<_> = response.data()["progressPhotos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(one, "/pose"))
        .collect();
    assert_eq!(poses, ["back", "front"]);
    for (query, total) in
        [("?pose=front", 1), (&format!("?from={}", day(0)), 1), (&format!("?to={}", day(-7)), 0)]
    {
        assert_eq!(app.get(&format!("{all}{query}")).await.ok().data()["total"], total, "{query}");
    }
    let change = json!({"note": "After a month", "takenOn": day(-6)});
    let changed = app.app("PATCH", &path, Some(change)).await.ok();
    assert_eq!(changed.data()["progressPhoto"]["takenOn"], day(-6));
    let summary = format!("/clients/{client}/progress-summary?from={}&to={}", day(-6), day(0));
    assert_eq!(app.get(&summary).await.ok().data()["summary"]["photos"], 2);
    app.announced(&[]).await;
}

#[scenario]
async fn signed_addresses_end_with_their_record(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let made = keep(&app, &client, json!({})).await;
    let all = format!("/clients/{client}/progress-photos");
    let path = format!("{all}/{}", text(&made, "/progressPhotoId"));
    let response = app.get(&path).await.ok();
    let urls: Vec<_> = ["url", "thumbnailUrl"]
        .map(|name| text(&response.data()["progressPhoto"], &format!("/{name}")))
        .into();
    // One kind of address is not another's.
    let other = urls[0].replace("/progress-photos/", "/progress-photo-thumbnails/");
    assert_eq!(
        fetch(&app, &other).await.0,
        200,
        "the same ticket: one photo, one caller, one time"
    );
    let broken = urls[0].replace(&urls[0][urls[0].len() - 8..], "0000.jpg");
    assert_eq!(fetch(&app, &broken).await.0, 404);
    // The consent of the integration is withdrawn, and given again.
    let own = format!("/integrations/public-api/clients/{}", app.api_client);
    for (given, status) in [(false, 404), (true, 200)] {
        let consents = json!({"consents": {"healthData": given, "privateCommunication": true}});
        app.app("PATCH", &own, Some(consents)).await.ok();
        for url in &urls {
            assert_eq!(fetch(&app, url).await.0, status, "{given}");
        }
        if !given {
            app.get(&path).await.refused(403, "scopes.health_consent_required");
        }
    }
    app.app("DELETE", &path, None).await.ok();
    for url in &urls {
        assert_eq!(fetch(&app, url).await.0, 404);
    }
    app.get(&path).await.refused(404, "resource.not_found");
    assert_eq!(app.get(&all).await.ok().data()["total"], 0);
}

#[scenario]
async fn files_that_are_no_photo_are_refused(app: App) {
    let token = &app.coach_token;
    for (kind, bytes, status) in [
        ("application/pdf", &b"%PDF-1.7\n"[..], 415),
        ("image/gif", b"GIF89a\x01\0\x01\0", 415),
        ("image/png", TURNED, 400),
        ("image/jpeg", &TURNED[..TURNED.len() / 2], 400),
        ("image/jpeg", &TURNED[..10], 400),
        ("image/webp", include_bytes!("moving.webp"), 400),
    ] {
        let reply = send_picture(&app, token, kind, bytes).await;
        assert_eq!(reply.status, status, "{kind}: {}", reply.body);
    }
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/clients/{client}/progress-photos");
    let sent = send_picture(&app, token, "image/jpeg", TURNED).await.ok();
    let upload = &sent.data()["upload"]["uploadId"];
    for date in [day(2), "1850-01-01".to_owned()] {
        let late = json!({"uploadId": upload, "takenOn": date});
        app.app("POST", &path, Some(late)).await.refused(400, "request.invalid").about("takenOn");
    }
    app.announced(&[]).await;
}

#[scenario]
async fn a_picture_is_used_once_by_its_sender(app: App) {
    let (client, token) = people::client(&app).await;
    let path = format!("/clients/{client}/progress-photos");
    let sent = send_picture(&app, &app.coach_token, "image/jpeg", TURNED).await.ok();
    let body = json!({"uploadId": sent.data()["upload"]["uploadId"]});
    let stolen = app.app_as(&token, "POST", &path, Some(body.clone())).await;
    stolen.refused(404, "resource.not_found").about("uploadId");
    app.app("POST", &path, Some(body.clone())).await.ok();
    app.app("POST", &path, Some(body)).await.refused(404, "resource.not_found").about("uploadId");
    // An attachment is not a photo.
    let url = format!("/app/v1/uploads?fileName={}.jpg", random_text());
    let request = app.server.request("POST", &url).bearer_auth(&app.coach_token);
    let request = request.header("Content-Type", "image/jpeg").body(TURNED);
    let plain = spotter_harness::send(request).await.ok();
    let body = json!({"uploadId": plain.data()["upload"]["uploadId"]});
    app.app("POST", &path, Some(body)).await.refused(404, "resource.not_found").about("uploadId");
    let (other, _) = people::client(&app).await;
    let others = format!("/clients/{other}/progress-photos");
    app.app_as(&token, "GET", &others, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
}
