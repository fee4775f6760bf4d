//! Meals: nutrients by day, with the coach's targets; integrations cannot read them, assistants with permission can.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    assistant::{Assistant, call, switch_on},
    dates::{ago, day},
    people, scenario, send, text,
};

fn meal(name: &str, nutrients: Value) -> Value {
    json!({"mealType": "breakfast", "items": [{"name": name, "amount": 40, "unit": "g", "nutrients": nutrients}]})
}

#[scenario]
async fn meals_add_up_with_targets(app: App) {
    let (client, token) = people::client(&app).await;
    let all = format!("/clients/{client}/nutrition-logs");
    let log = async |who: &str, body: Value| app.app_as(who, "POST", &all, Some(body)).await.ok();
    let oats = log(&token, meal("Oats", json!({"energyKcal": 148.4, "proteinG": 5.2}))).await;
    let oats = &oats.data()["nutritionLog"];
    assert_eq!((&oats["source"], &oats["date"]), (&json!("manual"), &json!(day(0))));
    assert_eq!(oats["totals"]["energyKcal"], json!({"value": 148.4, "unknown": 0}));
    log(&app.coach_token, meal("Milk", json!({"energyKcal": 64.1}))).await;
    log(
        &token,
        json!({"date": day(-1), "items": [{"name": "Soup", "amount": 1, "unit": "serving"}]}),
    )
    .await;
    let target = json!({"amounts": {"energyKcal": 2200}});
    let path = |date: &str| format!("/clients/{client}/nutrition-targets/{date}");
    app.app("PUT", &path(&day(-10)), Some(json!({"amounts": {"energyKcal": 2500}}))).await.ok();
    app.app("PUT", &path(&day(0)), Some(json!({"amounts": {"energyKcal": 1}}))).await.ok();
    app.app("PUT", &path(&day(0)), Some(target.clone())).await.ok();
    app.app_as(&token, "PUT", &path(&day(0)), Some(target)).await.refused(403, "auth.forbidden");
    for (date, logs, energy, protein, kcal) in [
        (
            day(0),
            2,
            json!({"value": 212.5, "unknown": 0}),
            json!({"value": 5.2, "unknown": 1}),
            2200.0,
        ),
        (
            day(-1),
            1,
            json!({"value": 0.0, "unknown": 1}),
            json!({"value": 0.0, "unknown": 1}),
            2500.0,
        ),
    ] {
        let path = format!("/clients/{client}/nutrition-days/{date}");
        let response = app.app_as(&token, "GET", &path, None).await.ok();
        let response = &response.data()["nutritionDay"];
        assert_eq!(response["nutritionLogs"].as_array().unwrap().len(), logs);
        assert_eq!(
            (&response["totals"]["energyKcal"], &response["totals"]["proteinG"]),
            (&energy, &protein)
        );
        assert_eq!(response["target"]["amounts"]["energyKcal"], kcal);
    }
    let one = format!("{all}/{}", text(oats, "/nutritionLogId"));
    let change =
        json!({"mealType": "snack", "items": [{"name": "Oats", "amount": 50, "unit": "g"}]});
    let response = app.app_as(&token, "PATCH", &one, Some(change)).await.ok();
    assert_eq!(response.data()["nutritionLog"]["items"][0]["amount"], 50.0);
    for (query, total) in [
        ("", 3),
        ("?mealType=breakfast", 1),
        (&format!("?from={}", day(0)), 2),
        (&format!("?to={}", day(0)), 1),
    ] {
        let response = app.app("GET", &format!("{all}{query}"), None).await.ok();
        assert_eq!(response.data()["total"], total, "{query}");
    }
    app.app_as(&token, "DELETE", &one, None).await.ok();
    app.app_as(&token, "GET", &one, None).await.refused(404, "resource.not_found");
    app.announced(&[]).await;
}

#[scenario]
async fn contradictions_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let all = format!("/clients/{client}/nutrition-logs");
    for (change, field) in [
        (json!({"items": []}), "items"),
        (json!({"date": day(1)}), "date"),
        (json!({"date": day(-366)}), "date"),
        (json!({"loggedAt": ago(-5)}), "loggedAt"),
        (json!({"items": [{"name": "Oats", "amount": -1, "unit": "g"}]}), "items[0].amount"),
        (
            json!({"items": [{"name": "Oats", "amount": 1, "unit": "g", "nutrients": {"fatG": 1, "saturatedFatG": 2}}]}),
            "items[0].nutrients.saturatedFatG",
        ),
    ] {
        let mut body = meal("Oats", json!({}));
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let refused = app.app("POST", &all, Some(body)).await;
        refused.refused(400, "request.invalid").about(field);
    }
}

#[scenario]
async fn meals_require_permission(app: App) {
    switch_on(&app).await;
    let (client, token) = people::client(&app).await;
    let all = format!("/clients/{client}/nutrition-logs");
    let assistant = Assistant::register(&app).await;
    let (access, _) = assistant.tokens(&app, &token, "client", Some("client_ai_nutrition")).await;
    let arguments = meal("Oats", json!({"energyKcal": 148}));
    let response = call(&app, &access, "log_meal", arguments).await;
    assert_eq!(response["nutritionLog"]["source"], "assistant", "{response}");
    // A coach's assistant reads with permission, and logs nothing.
    let (access, _) =
        assistant.tokens(&app, &app.coach_token, "company", Some("nutrition_logs")).await;
    let response =
        call(&app, &access, "list_client_nutrition_logs", json!({"clientId": client})).await;
    assert_eq!(response["total"], 1);
    // Integrations have no such operation, whatever their scopes.
    let request = app.server.request("GET", &format!("/public/v1{all}"));
    send(request.bearer_auth(&app.token)).await.refused(404, "resource.not_found");
    let request = app.server.request("GET", &format!("/app/v1{all}"));
    send(request.bearer_auth(&app.token)).await.refused(401, "auth.invalid_token");
    let (other, _) = people::client(&app).await;
    let others = format!("/clients/{other}/nutrition-logs");
    app.app_as(&token, "GET", &others, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
}
