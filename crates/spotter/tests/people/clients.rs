//! Clients, their ways, their fields and their notes.

use serde_json::{Value, json};
use spotter_harness::{App, random_text, scenario};

#[scenario]
async fn create_and_get(app: App) {
    let made = app
        .post(
            "/clients",
            json!({"firstName": "  Zoë ", "email": "Zoe@Example.com", "tags": ["VIP", "vip"],
            "address": {"line1": "Singel 1", "city": "Utrecht", "country": "NL"}}),
        )
        .await
        .ok();
    assert_eq!(made.status, 201);
    let client = &made.data()["client"];
    let id = client["clientId"].as_str().unwrap();
    assert_eq!(client["firstName"], "Zoë");
    assert_eq!(client["email"], "zoe@example.com");
    assert_eq!(client["tags"], json!(["vip"]));
    assert_eq!(client["assignedCoachId"], json!(app.admin), "the API client's default coach");
    assert_eq!(client["lastName"], Value::Null);
    assert_eq!(made.body["meta"]["idempotency"]["replayed"], false);
    let response = app.announced(&["client.created"]).await;
    assert_eq!(response[0]["clientId"], id);
    assert!(!response[0].to_string().contains("zoe"), "events carry no names: {}", response[0]);
    let got = app.get(&format!("/clients/{id}")).await.ok();
    assert_eq!(got.data()["client"], *client);
    assert!(got.body["meta"].get("idempotency").is_none());
    app.announced(&[]).await;
}

#[scenario]
async fn update_announces_changed_fields(app: App) {
    let id = app.new_client(json!({"firstName": "Ann", "phone": "+31 20 123 4567"})).await;
    let path = format!("/clients/{id}");
    let changed = app.patch(&path, json!({"lastName": "Bos", "phone": null})).await.ok();
    assert_eq!(changed.data()["client"]["phone"], Value::Null);
    assert_eq!(changed.data()["client"]["firstName"], "Ann", "absence leaves");
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["lastName", "phone"]));
    let same = app.patch(&path, json!({"lastName": "Bos"})).await.ok();
    assert_eq!(same.data()["client"]["updatedAt"], changed.data()["client"]["updatedAt"]);
    app.announced(&[]).await;
}

#[scenario]
async fn refuses_by_name(app: App) {
    let taken = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "email": taken, "externalId": "x-1"})).await;
    let stranger = "0".repeat(24);
    let before = app.state().await;
    let cases = [
        (json!({}), 400, "request.invalid", "firstName"),
        (json!({"firstName": ""}), 400, "request.invalid", "firstName"),
        (json!({"firstName": 7}), 400, "request.invalid", "firstName"),
        (json!({"firstName": "x".repeat(81)}), 400, "PUBLIC_API_FIELD_TOO_LONG", "firstName"),
        (json!({"firstName": "a\u{0}"}), 400, "request.invalid", "firstName"),
        (json!({"firstName": "a", "email": "a@b"}), 400, "request.invalid", "email"),
        (
            json!({"firstName": "a", "email": taken.to_uppercase()}),
            409,
            "PUBLIC_API_ERROR",
            "email",
        ),
        (json!({"firstName": "a", "externalId": "x-1"}), 409, "PUBLIC_API_ERROR", "externalId"),
        (
            json!({"firstName": "a", "dateOfBirth": "2026-02-30"}),
            400,
            "PUBLIC_API_INVALID_DATE",
            "dateOfBirth",
        ),
        (
            json!({"firstName": "a", "dateOfBirth": "2999-01-01"}),
            400,
            "PUBLIC_API_INVALID_DATE",
            "dateOfBirth",
        ),
        (
            json!({"firstName": "a", "memberStatus": "gold"}),
            400,
            "PUBLIC_API_INVALID_ENUM",
            "memberStatus",
        ),
        (
            json!({"firstName": "a", "assignedCoachId": "me"}),
            400,
            "PUBLIC_API_INVALID_COACH_ID",
            "assignedCoachId",
        ),
        (
            json!({"firstName": "a", "homeLocationId": stranger}),
            404,
            "resource.not_found",
            "homeLocationId",
        ),
        (
            json!({"firstName": "a", "address": {"line1": "x", "city": "y", "country": "nl"}}),
            400,
            "request.invalid",
            "address.country",
        ),
        (json!({"firstName": "a", "companyId": stranger}), 400, "request.invalid", "companyId"),
    ];
    for (body, status, key, field) in cases {
        app.post("/clients", body).await.refused(status, key).about(field);
    }
    let unknown = json!({"firstName": "a", "assignedCoachId": stranger});
    app.post("/clients", unknown).await.refused(404, "PUBLIC_API_COACH_NOT_FOUND");
    for (change, field) in [
        (json!({"lastName": null, "nickname": "x"}), "nickname"),
        (json!({"firstName": null}), "firstName"),
        (json!({"optIns": null}), "optIns"),
    ] {
        let refused = app.patch(&format!("/clients/{id}"), change).await;
        refused.refused(400, "request.invalid").about(field);
    }
    app.get("/clients/nobody").await.refused(400, "PUBLIC_API_INVALID_CLIENT_ID").about("clientId");
    app.get(&format!("/clients/{stranger}")).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn archive_to_the_letter(app: App) {
    let id = app.new_client(json!({"firstName": "Ann", "memberStatus": "active"})).await;
    let path = format!("/clients/{id}/archive");
    let done =
        app.post(&path, json!({"reason": "moved", "archiveReason": "moved away"})).await.ok();
    assert_eq!(done.status, 200);
    let lifecycle = &done.data()["lifecycle"];
    assert_eq!(lifecycle["clientId"], id.as_str());
    assert_eq!(lifecycle["relationshipStatus"], "archived");
    assert_eq!(lifecycle["memberStatus"], "former");
    assert_eq!(lifecycle["portalAccessStatus"], "none");
    assert_eq!(lifecycle["archiveReason"], "moved away", "archiveReason wins");
    assert!(lifecycle["archivedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(lifecycle.as_object().unwrap().len(), 6);
    let response = app.announced(&["client.archived"]).await;
    assert!(!response[0].to_string().contains("moved"), "events carry no free text");
    let again = app.post(&path, json!({"reason": "other"})).await.ok();
    assert_eq!(again.data()["lifecycle"], *lifecycle, "the first archive stays");
    app.announced(&[]).await;
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    let bare = app.act(&format!("/clients/{other}/archive")).await.ok();
    assert_eq!(bare.data()["lifecycle"]["archiveReason"], Value::Null);
    app.announced(&["client.archived"]).await;
}

#[scenario]
async fn restore_brings_back(app: App) {
    let email = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "email": email})).await;
    app.act(&format!("/clients/{id}/archive")).await.ok();
    app.events().await;
    let back = app.act(&format!("/clients/{id}/restore")).await.ok();
    assert_eq!(back.data()["lifecycle"]["relationshipStatus"], "active");
    assert_eq!(back.data()["lifecycle"]["archivedAt"], Value::Null);
    let response = app.announced(&["client.updated"]).await;
    assert!(
        response[0]["changedFields"].as_array().unwrap().contains(&json!("relationshipStatus"))
    );
    app.act(&format!("/clients/{id}/restore")).await.ok();
    app.announced(&[]).await;
    // The address was given to another client in the meantime.
    app.act(&format!("/clients/{id}/archive")).await.ok();
    app.new_client(json!({"firstName": "Bea", "email": email})).await;
    app.act(&format!("/clients/{id}/restore"))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("email");
}

#[scenario]
async fn tags_and_coach(app: App) {
    let id = app.new_client(json!({"firstName": "Ann", "tags": ["a"]})).await;
    let path = format!("/clients/{id}/tags");
    app.put(&path, json!({"tags": ["B", "c"]})).await.ok();
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["tags"]));
    let tags = app.get("/clients/tags").await.ok();
    assert_eq!(
        tags.data()["tags"],
        json!([{"tag": "b", "clients": 1}, {"tag": "c", "clients": 1}])
    );
    let coach = app
        .app(
            "POST",
            "/coaches",
            Some(json!({"firstName": "Bo", "lastName": "Vos", "role": "Coach",
        "email": format!("{}@example.com", random_text())})),
        )
        .await
        .ok();
    let coach = coach.data()["coach"]["coachId"].as_str().unwrap().to_owned();
    let path = format!("/clients/{id}/coach");
    app.put(&path, json!({"coachId": coach})).await.ok();
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["assignedCoachId"]));
    app.put(&path, json!({})).await.refused(400, "PUBLIC_API_COACH_REQUIRED").about("coachId");
    app.put(&path, json!({"coachId": null})).await.refused(400, "PUBLIC_API_COACH_REQUIRED");
    app.put(&path, json!({"coachId": "0".repeat(24)}))
        .await
        .refused(404, "PUBLIC_API_COACH_NOT_FOUND");
    app.app("PATCH", &format!("/coaches/{coach}"), Some(json!({"status": "deactivated"})))
        .await
        .ok();
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    app.put(&format!("/clients/{other}/coach"), json!({"coachId": coach}))
        .await
        .refused(404, "PUBLIC_API_COACH_NOT_FOUND");
}

#[scenario]
async fn onboarding(app: App) {
    let email = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "relationshipStatus": "pending"})).await;
    let path = |step: &str| format!("/clients/{id}/{step}");
    app.act(&path("invite")).await.refused(400, "PUBLIC_API_CLIENT_EMAIL_REQUIRED_FOR_INVITE");
    app.patch(&format!("/clients/{id}"), json!({"email": email})).await.ok();
    app.events().await;
    app.act(&path("invite")).await.refused(409, "PUBLIC_API_ERROR").about("relationshipStatus");
    let approved = app.act(&path("relationship/approve")).await.ok();
    assert_eq!(approved.data()["lifecycle"]["relationshipStatus"], "active");
    app.announced(&["client.relationship.approved"]).await;
    app.act(&path("relationship/reject")).await.refused(409, "PUBLIC_API_ERROR");
    let invited = app.act(&path("invite")).await.ok();
    assert_eq!(invited.data()["lifecycle"]["portalAccessStatus"], "invited");
    let response = app.announced(&["client.invited", "client.portal_access.changed"]).await;
    assert!(!response[0].to_string().contains("example.com"));
    let again = app.act(&path("invite")).await.ok();
    app.announced(&["client.invited"]).await;
    let accept = |token: Value| {
        spotter_harness::send(
            app.server
                .request("POST", "/app/v1/auth/invitations/accept")
                .json(&json!({"token": token, "password": "a long password"})),
        )
    };
    accept(invited.data()["invitation"]["token"].clone())
        .await
        .refused(400, "request.invalid")
        .about("token");
    let accepted = accept(again.data()["invitation"]["token"].clone()).await.ok();
    assert_eq!(accepted.data()["session"]["subject"], "client");
    assert_eq!(accepted.data()["session"]["subjectId"], id.as_str());
    app.announced(&["client.portal_access.changed"]).await;
    accept(again.data()["invitation"]["token"].clone()).await.refused(400, "request.invalid");
    app.act(&path("invite")).await.refused(409, "PUBLIC_API_ERROR").about("portalAccessStatus");
    app.patch(&format!("/clients/{id}"), json!({"email": null}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("email");
    let rejected =
        app.new_client(json!({"firstName": "Bea", "relationshipStatus": "pending"})).await;
    app.act(&format!("/clients/{rejected}/relationship/reject")).await.ok();
    app.announced(&["client.relationship.rejected"]).await;
}

#[scenario]
async fn ids_in_either_case(app: App) {
    let id = app.new_client(json!({"firstName": "Ann"})).await;
    let got = app.get(&format!("/clients/{}", id.to_uppercase())).await.ok();
    assert_eq!(got.data()["client"]["clientId"], id.as_str());
}
