//! Requests to pay, and the page of each.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    billing::{pay, sold},
    people, scenario, send, text,
    travel::{Travel, travelling},
};

pub(crate) async fn ask(app: &App, body: Value) -> Value {
    let made = app.post("/finance/payment-requests", body).await.ok();
    made.data()["paymentRequest"].clone()
}

async fn state(app: &App, id: &Value) -> Value {
    let response =
        app.get(&format!("/finance/payment-requests/{}", id.as_str().unwrap())).await.ok();
    response.data()["paymentRequest"].clone()
}

/// The content of a page, and its status.
async fn page(app: &App, url: &str) -> (u16, String) {
    let path = &url[url.find("/pay/").unwrap()..];
    let reply = send(app.server.request("GET", path)).await;
    (reply.status, reply.body.as_str().unwrap_or_default().to_owned())
}

#[scenario]
async fn a_request_is_paid_at_the_desk(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.events().await;
    let request =
        ask(&app, json!({"clientId": client, "amount": 2500, "description": "Birthday party"}))
            .await;
    let response = app.announced(&["payment.request.created"]).await;
    assert_eq!((&response[0]["amount"], response[0].get("payUrl")), (&json!(2500), None));
    let pays = |amount: Option<i64>| {
        json!({"clientId": client, "amount": amount, "kind": "cash",
        "paymentRequestId": request["paymentRequestId"]})
    };
    let short = app.app("POST", "/finance/payments", Some(pays(Some(2499)))).await;
    short.refused(409, "PUBLIC_API_ERROR").about("amount");
    let paid = app.app("POST", "/finance/payments", Some(pays(None))).await.ok();
    assert_eq!(paid.data()["payment"]["amount"], 2500);
    app.announced(&["payment.succeeded"]).await;
    let is = state(&app, &request["paymentRequestId"]).await;
    assert_eq!((&is["status"], &is["payUrl"]), (&json!("paid"), &Value::Null));
    let again = app.app("POST", "/finance/payments", Some(pays(None))).await;
    again.refused(409, "PUBLIC_API_ERROR").about("paymentRequestId");
    let (status, text) = page(&app, request["payUrl"].as_str().unwrap()).await;
    assert!(status == 200 && text.contains("This is paid"), "{text}");
}

#[scenario]
async fn requests_end_with_their_invoice(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    let request = ask(&app, json!({"clientId": client, "invoiceId": one.invoice})).await;
    assert_eq!(request["amount"], 4900);
    assert!(text(&request, "/description").starts_with("INV-"));
    let more = json!({"clientId": client, "invoiceId": one.invoice, "amount": 4901});
    app.post("/finance/payment-requests", more)
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("amount");
    app.events().await;
    pay(&app, &client, &one.invoice, None).await;
    app.announced(&["invoice.paid", "payment.succeeded"]).await;
    assert_eq!(state(&app, &request["paymentRequestId"]).await["status"], "paid");
    // Nobody is asked for more than the balance.
    let three = sold(&app, &client, json!({}), json!({})).await;
    let request = ask(&app, json!({"clientId": client, "invoiceId": three.invoice})).await;
    pay(&app, &client, &three.invoice, Some(4_000)).await;
    let is = state(&app, &request["paymentRequestId"]).await;
    assert_eq!((&is["status"], &is["amount"]), (&json!("open"), &json!(900)));
    let (_, html) = page(&app, request["payUrl"].as_str().unwrap()).await;
    assert!(html.contains("EUR 9.00"), "{html}");
    // Crediting an invoice cancels its request.
    let two = sold(&app, &client, json!({}), json!({})).await;
    let request =
        ask(&app, json!({"clientId": client, "invoiceId": two.invoice, "amount": 100})).await;
    app.events().await;
    let path = format!("/finance/invoices/{}/credit-notes", two.invoice);
    app.app("POST", &path, None).await.ok();
    app.announced(&["invoice.created", "invoice.cancelled", "payment.request.cancelled"]).await;
    assert_eq!(state(&app, &request["paymentRequestId"]).await["status"], "cancelled");
}

#[scenario]
async fn impossible_requests_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let theirs = sold(&app, &other, json!({}), json!({})).await;
    let own = sold(&app, &client, json!({}), json!({})).await;
    let request = ask(&app, json!({"clientId": client, "amount": 1, "description": "x"})).await;
    let cancel =
        format!("/finance/payment-requests/{}/cancel", text(&request, "/paymentRequestId"));
    app.act(&cancel).await.ok();
    app.events().await;
    let before = app.state().await;
    app.act(&cancel).await.refused(409, "PUBLIC_API_ERROR").about("status");
    for (body, status, key, field) in [
        (json!({"clientId": client, "description": "x"}), 400, "request.invalid", "amount"),
        (json!({"clientId": client, "amount": 1}), 400, "request.invalid", "description"),
        (
            json!({"clientId": client, "amount": 0, "description": "x"}),
            400,
            "request.invalid",
            "amount",
        ),
        (
            json!({"clientId": client, "invoiceId": theirs.invoice}),
            404,
            "resource.not_found",
            "invoiceId",
        ),
        (
            json!({"clientId": client, "invoiceId": own.invoice, "currency": "USD"}),
            400,
            "PUBLIC_API_INVALID_CURRENCY",
            "currency",
        ),
        (
            json!({"clientId": client, "amount": 1, "description": "x", "currency": "ZZZ"}),
            400,
            "PUBLIC_API_INVALID_CURRENCY",
            "currency",
        ),
        (
            json!({"clientId": client, "amount": 1, "description": "x", "expiresAt": "2020-01-01T00:00:00Z"}),
            400,
            "request.invalid",
            "expiresAt",
        ),
    ] {
        app.post("/finance/payment-requests", body).await.refused(status, key).about(field);
    }
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn payment_pages_show_only_the_request(app: App) {
    let (client, token) = people::client(&app).await;
    app.patch(&format!("/clients/{client}"), json!({"language": "nl"})).await.ok();
    let seller = json!({"seller": {"name": "Gym <b>BV</b>", "iban": "NL91 ABNA 0417 1643 00"}});
    app.app("PATCH", "/company/finance-settings", Some(seller)).await.ok();
    let new =
        json!({"clientId": client, "amount": 123_456, "description": "<script>alert(1)</script>"});
    let request = ask(&app, new).await;
    let url = text(&request, "/payUrl");
    let (status, html) = page(&app, &url).await;
    assert_eq!(status, 200);
    for part in ["EUR 1.234,56", "NL91 ABNA 0417 1643 00", "&lt;script&gt;", "<svg", "Rekening"] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    // The client sees it too; others cannot guess it.
    let own = app.app_as(&token, "GET", "/finance/payment-requests", None).await.ok();
    assert_eq!(own.data()["paymentRequests"][0]["payUrl"], url);
    let mut wrong = url.clone();
    wrong.replace_range(url.len() - 3.., "AAA");
    assert_eq!(page(&app, &wrong).await.0, 404);
    assert_eq!(page(&app, &url[..url.len() - 1]).await.0, 404);
    // The credential is written nowhere.
    let secret = &url[url.rfind("fspp_").unwrap()..];
    let logs = app.get("/audit-logs?limit=100").await.ok();
    assert!(!logs.body.to_string().contains(secret));
}

#[scenario(process, clock)]
fn requests_expire(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let new = json!({"clientId": client, "amount": 1, "description": "x",
            "expiresAt": "2026-11-03T00:00:00Z"});
        let request = ask(&travel.app, new).await;
        travel.app.events().await;
        travel.to("2026-11-02T23:59:00Z").await;
        travel.app.announced(&[]).await;
        travel.to("2026-11-03T00:00:00Z").await;
        travel.app.announced(&["payment.request.cancelled"]).await;
        assert_eq!(state(&travel.app, &request["paymentRequestId"]).await["status"], "expired");
        let (_, html) = page(&travel.app, request["payUrl"].as_str().unwrap()).await;
        assert!(html.contains("has expired"), "{html}");
    });
}
