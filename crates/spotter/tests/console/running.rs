//! Pages of a business's administration: closures, weekly series, consents, data exports, folders, product order, and
//! billing terms.

use serde_json::json;
use spotter_harness::{
    App,
    billing::new_product,
    browser::{Browser, Form, Page},
    calendar::{always_at_work, coach_at_work, new_type},
    dates::at,
    people, scenario, text,
};

#[scenario]
async fn closures_and_weekly_series_are_edited(app: App) {
    let coach = coach_at_work(&app).await;
    always_at_work(&app, &app.admin.to_string()).await;
    let class = new_type(
        &app,
        json!({"name": "Spin", "kind": "class", "coachIds": [coach], "capacity": 8}),
    )
    .await;
    let talk = new_type(&app, json!({"name": "Talk", "coachIds": [coach]})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.events().await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let (monday, from) = (&at(7, 0)[..10], &at(1, 0)[..10]);
    let form = browser.get("/console/settings/closures").await.form("create_availability_rule");
    let form = form.with("appliesTo", "company").with("startDate", monday).with("endDate", monday);
    let page = browser.act(form.with("reason", "Holiday")).await.shows("Holiday");
    let week = browser.get(&format!("/console/calendar?date={monday}")).await.is(200);
    week.shows("Closed · Holiday");
    browser.act(page.form("delete_availability_rule")).await.shows("No closures to come");
    // A class of every week, and one client's appointment.
    let weekly = |form: Form| {
        let form = form.with("recurrence.weekdays", "3").with("recurrence.startTime", "09:00");
        form.with("recurrence.startDate", from).with("coachId", &coach)
    };
    let form = browser.get("/console/calendar").await.form("create_event_series");
    browser.act(weekly(form).with("eventTypeId", &class)).await;
    let answer = app
        .app(
            "GET",
            &format!("/calendar/events?kind=class&from={}&to={}", at(0, 0), at(50, 0)),
            None,
        )
        .await
        .ok();
    assert!(answer.data()["total"].as_i64().unwrap() >= 6, "{}", answer.data());
    let path = format!("/console/clients/{client}/bookings");
    let form = browser.get(&path).await.form("create_recurring_booking");
    let form = weekly(form).with("eventTypeId", &talk).with("recurrence.startTime", "11:00");
    let page = browser.act(form).await.shows("Every week").shows("Wednesday 11:00");
    browser.act(page.form("cancel_recurring_booking")).await;
    let answer = app.get(&format!("/bookings?clientId={client}&status=booked")).await.ok();
    assert_eq!(answer.data()["total"], 0);
    app.events().await;
}

#[scenario]
async fn consents_and_exports_are_a_clients_own(app: App) {
    let email = people::client_with_address(&app).await;
    let (_, stranger) = people::client(&app).await;
    let answer = app.get(&format!("/clients?search={email}")).await.ok();
    let client = text(answer.data(), "/clients/0/clientId");
    let mut browser = Browser::of(&app, &email).await;
    let page = browser.get("/my/consents").await.is(200).shows("Not given");
    browser.act(page.form("set_health_consent")).await.shows("Withdraw");
    let path = format!("/clients/{client}/health-consent");
    let answer = app.app("GET", &path, None).await.ok();
    assert_eq!(answer.data()["healthConsent"]["given"], true);
    app.app_as(&stranger, "GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let page = browser.get("/my/consents").await.is(200);
    browser.act(page.form("request_data_export")).await;
    let mut export: Option<Page> = None;
    for _ in 0..200 {
        let page = browser.get("/my/consents").await.is(200);
        if page.text.contains("get_data_export_file") {
            export = Some(page);
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let form = export.unwrap().form("get_data_export_file");
    let file = form.field("-next").unwrap().to_owned();
    assert!(file.starts_with("/console/files/data-exports/"), "{file}");
    assert_eq!(browser.send(form).await.status, 303);
    // No other client has it.
    let mut other = Browser::of(&app, &people::client_with_address(&app).await).await;
    assert_eq!(other.get(&file).await.status, 404);
    app.events().await;
}

#[scenario]
async fn documents_lie_in_folders(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/documents").await.is(200);
    let page = browser.act(page.form("create_document_folder").with("name", "House rules")).await;
    let folder =
        page.shows("House rules").links().into_iter().find(|link| link.contains("folderId="));
    let folder = folder.unwrap().replace("&amp;", "&");
    let page = browser.get(&folder).await.is(200).shows("House rules");
    let link = page.form("link_document").with("url", "https://example.com/rules.pdf");
    let page = browser.act(link.with("name", "Rules of 2026").with("type", "other")).await;
    page.shows("Rules of 2026");
    let answer = app.app("GET", "/documents", None).await.ok();
    assert!(answer.data()["documents"][0]["folderId"].is_string(), "{}", answer.data());
    browser.get(&folder).await.is(200).shows("Rules of 2026");
    app.events().await;
}

#[scenario]
async fn products_are_put_in_order(app: App) {
    for name in ["One", "Two"] {
        let facts = json!({"productType": "Membership", "period": "Month", "name": {"en": name},
            "defaultLanguage": "en", "price": 100});
        new_product(&app, facts).await;
    }
    let first = async || {
        let answer = app.get("/finance/products?productType=Membership").await.ok();
        text(answer.data(), "/products/0/name/en")
    };
    let before = first().await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/products/order?shelf=Memberships").await.is(200);
    browser.act(page.form("order_products")).await;
    assert_ne!(first().await, before);
    app.events().await;
}

#[scenario]
async fn terms_of_billing_are_the_managers(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/settings/invoices").await.is(200);
    let terms = page.forms().into_iter().find(|form| form.field("paymentDays").is_some()).unwrap();
    browser.act(terms.with("paymentDays", "21").with("cancellationNeedsApproval", "true")).await;
    let answer = app.app("GET", "/company/finance-settings", None).await.ok();
    let terms = &answer.data()["financeSettings"];
    assert_eq!(
        (&terms["paymentDays"], &terms["cancellationNeedsApproval"]),
        (&json!(21), &json!(true))
    );
    let email = format!("{}@example.com", spotter_harness::random_text());
    people::coach_with(&app, "Coach", &email).await;
    let mut coach = Browser::of(&app, &email).await;
    coach.get("/console/settings/invoices").await.is(403);
    let settings = coach.get("/console/settings").await.is(200);
    assert!(!settings.text.contains("/console/settings/invoices"));
    app.events().await;
}
