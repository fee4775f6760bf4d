//! Platform, audit logs, the company catalogue and locations.

use serde_json::{Value, json};
use spotter_harness::{App, scenario};

#[scenario]
async fn the_client_learns_about_itself(app: App) {
    let profile = app.get("/platform/profile").await.ok();
    let profile = &profile.data()["profile"];
    assert_eq!(profile["clientId"], app.client_id.as_str());
    assert_eq!(profile["company"]["companyId"], json!(app.company));
    assert_eq!(profile["consents"], json!({"healthData": true, "privateCommunication": true}));
    let capabilities = app.get("/platform/capabilities").await.ok();
    let capabilities = &capabilities.data()["capabilities"];
    assert_eq!(capabilities["limits"]["pageSizeMax"], 100);
    assert_eq!(capabilities["webhooks"]["backoffSeconds"], json!([60, 120]));
    assert_eq!(capabilities["features"]["mcp"], false);
    app.app("PATCH", "/company/features", Some(json!({"mcp": true}))).await.ok();
    let capabilities = app.get("/platform/capabilities").await.ok();
    assert_eq!(capabilities.data()["capabilities"]["features"]["mcp"], true);
}

#[scenario]
async fn catalogues_are_whole(app: App) {
    let scopes = app.get("/platform/scopes?limit=100").await.ok();
    assert_eq!(scopes.data()["total"], 85);
    let gated = scopes.data()["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|s| s["gate"] == "healthData")
        .count();
    assert_eq!(gated, 11);
    let events = app.get("/platform/events?limit=100").await.ok();
    assert_eq!(events.data()["total"], 59);
    assert_eq!(events.data()["events"][0]["name"], "subscription.test");
}

#[scenario]
async fn audit_rows_name_actor_and_target(app: App) {
    let id = app.new_client(json!({"firstName": "Secretname"})).await;
    app.patch(&format!("/clients/{id}"), json!({"lastName": "Hidden"})).await.ok();
    let logs = app.get("/audit-logs?operation=update_client").await.ok();
    assert_eq!(logs.data()["total"], 1);
    let log = &logs.data()["auditLogs"][0];
    assert_eq!(log["changedFields"], json!(["lastName"]));
    assert_eq!(
        (&log["actorType"], &log["actorId"]),
        (&json!("api_client"), &json!(app.api_client))
    );
    assert_eq!((&log["targetType"], &log["targetId"]), (&json!("client"), &json!(id)));
    assert!(!logs.body.to_string().contains("Hidden"), "values are redacted");
    let one = app.get(&format!("/audit-logs/{}", log["auditLogId"].as_str().unwrap())).await.ok();
    assert_eq!(one.data()["auditLog"], *log);
    // Every write and every security-relevant act so far: company, invitation, client, token, client, update.
    let all = app.get("/audit-logs").await.ok();
    let operations: Vec<_> = all.data()["auditLogs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|log| log["operation"].as_str().unwrap())
        .collect();
    assert_eq!(
        operations,
        [
            "update_client",
            "create_client",
            "issue_token",
            "create_api_client",
            "accept_invitation",
            "create_company"
        ]
    );
    assert_eq!(all.data()["total"], 6);
    assert_eq!(app.get(&format!("/audit-logs?actor={}", app.api_client)).await.data()["total"], 3);
    assert_eq!(app.get("/audit-logs?to=2020-01-01T00:00:00Z").await.data()["total"], 0);
    app.get("/audit-logs?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z")
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
    app.get("/audit-logs?from=yesterday")
        .await
        .refused(400, "PUBLIC_API_INVALID_DATE")
        .about("from");
    app.get("/audit-logs/1").await.refused(400, "PUBLIC_API_INVALID_AUDIT_LOG_ID");
    app.get(&format!("/audit-logs/{id}")).await.refused(404, "PUBLIC_API_AUDIT_LOG_NOT_FOUND");
}

#[scenario]
async fn the_company_catalogue(app: App) {
    let profile = app.get("/company/profile").await.ok();
    assert_eq!(profile.data()["profile"]["name"], "Test Gym");
    app.get("/company/policies").await.refused(404, "PUBLIC_API_COMPANY_POLICIES_NOT_FOUND");
    let fee = json!({"amount": 1500, "currency": "EUR"});
    let policies =
        json!({"cancellationWindowHours": 24, "bookingWindowDays": 60, "lateCancellationFee": fee});
    app.app("PUT", "/company/policies", Some(policies)).await.ok();
    let policies = app.get("/company/policies").await.ok();
    assert_eq!(policies.data()["policies"]["lateCancellationFee"], fee);
    assert_eq!(policies.data()["policies"]["noShowFee"], Value::Null);
    let services = json!({"services": [{"name": "PT", "price": {"amount": 7500, "currency": "EUR"}, "durationMinutes": 60}, {"name": "Intake"}]});
    app.app("PUT", "/company/services", Some(services)).await.ok();
    app.app("PUT", "/company/facilities", Some(json!({"facilities": [{"name": "Sauna"}]})))
        .await
        .ok();
    let services = app.get("/company/services").await.ok();
    assert_eq!(services.data()["services"][0]["price"]["amount"], 7500);
    assert_eq!(services.data()["total"], 2);
    assert_eq!(app.get("/company/facilities").await.ok().data()["facilities"][0]["name"], "Sauna");
    let bad = json!({"services": [{"name": "PT", "price": {"amount": -1, "currency": "EUR"}}]});
    app.app("PUT", "/company/services", Some(bad))
        .await
        .refused(400, "request.invalid")
        .about("services[0].price.amount");
    let bad = json!({"services": [{"name": "PT", "price": {"amount": 1, "currency": "euro"}}]});
    app.app("PUT", "/company/services", Some(bad))
        .await
        .refused(400, "PUBLIC_API_INVALID_CURRENCY");
    app.app("PATCH", "/company/settings", Some(json!({"timeZone": "Mars/Base"})))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("timeZone");
    app.announced(&[]).await;
}

#[scenario]
async fn locations_from_first_to_last(app: App) {
    let made = app.post("/locations", json!({"name": "Centre", "coordinates": {"latitude": 52.09, "longitude": 5.12},
        "openingHours": [{"weekday": 2, "opens": "09:00", "closes": "17:00"}, {"weekday": 1, "opens": "09:00", "closes": "17:00"}],
        "accessZones": ["gym"]})).await.ok();
    assert_eq!(made.status, 201);
    let location = &made.data()["location"];
    assert_eq!(location["timeZone"], "Europe/Amsterdam", "the company's");
    assert_eq!(location["type"], "physical");
    assert_eq!(location["openingHours"][0]["weekday"], 1, "sorted");
    let path = format!("/locations/{}", location["locationId"].as_str().unwrap());
    assert_eq!(app.get(&path).await.ok().data()["location"], *location);
    let changed = app.patch(&path, json!({"coordinates": null, "type": "online"})).await.ok();
    assert_eq!(changed.data()["location"]["coordinates"], Value::Null);
    let archived = app.act(&format!("{path}/archive")).await.ok();
    assert_eq!(archived.data()["location"]["status"], "archived");
    let again = app.act(&format!("{path}/archive")).await.ok();
    assert_eq!(again.data(), archived.data());
    assert_eq!(app.get("/locations?status=archived&type=online").await.data()["total"], 1);
    assert_eq!(app.get("/locations?status=active").await.data()["total"], 0);
    app.announced(&[]).await;
}

#[scenario]
async fn locations_are_checked(app: App) {
    let cases = [
        (
            json!({"coordinates": {"latitude": 91, "longitude": 0}}),
            "PUBLIC_API_INVALID_COORDINATES",
            "coordinates.latitude",
        ),
        (
            json!({"coordinates": {"latitude": "x", "longitude": 0}}),
            "PUBLIC_API_INVALID_COORDINATES",
            "coordinates.latitude",
        ),
        (json!({"accessZones": ["a", ""]}), "PUBLIC_API_INVALID_ACCESS_ZONES", "accessZones[1]"),
        (
            json!({"openingHours": [{"weekday": 8, "opens": "09:00", "closes": "17:00"}]}),
            "request.invalid",
            "openingHours[0].weekday",
        ),
        (
            json!({"openingHours": [{"weekday": 1, "opens": "9:00", "closes": "17:00"}]}),
            "request.invalid",
            "openingHours[0].opens",
        ),
        (json!({"coordinates": [52.09, 5.12]}), "request.invalid", "coordinates"),
        (json!({"openingHours": [[1, "09:00", "17:00"]]}), "request.invalid", "openingHours[0]"),
        (json!({"type": "moon"}), "PUBLIC_API_INVALID_ENUM", "type"),
    ];
    for (mut body, key, field) in cases {
        body["name"] = json!("X");
        app.post("/locations", body).await.refused(400, key).about(field);
    }
    app.get("/locations/1").await.refused(400, "request.invalid").about("locationId");
    app.get(&format!("/locations/{}", "0".repeat(24))).await.refused(404, "resource.not_found");
    assert_eq!(app.get("/locations").await.data()["total"], 0);
}
