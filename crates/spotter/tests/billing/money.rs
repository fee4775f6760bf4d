//! Money: allocation order, refunds, and the books.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{invoices, new_product, pay, sold},
    scenario, text,
};

async fn bill(app: &App, client: &str, amount: i64) -> String {
    let new = json!({"clientId": client,
        "lines": [{"description": "Towel", "amount": amount, "vatPercentage": 21}]});
    let made = app.app("POST", "/finance/invoices", Some(new)).await.ok();
    text(made.data(), "/invoice/invoiceId")
}

async fn invoice(app: &App, id: &str) -> Value {
    let response = app.get(&format!("/finance/invoices/{id}")).await.ok();
    response.data()["invoice"].clone()
}

#[scenario]
async fn money_pays_the_invoice_then_the_oldest(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let (first, second) = (bill(&app, &client, 1000).await, bill(&app, &client, 2000).await);
    let third = bill(&app, &client, 3000).await;
    app.events().await;
    let paid = pay(&app, &client, &second, Some(2500)).await;
    assert_eq!(
        paid["allocations"],
        json!([{"invoiceId": first, "amount": 500}, {"invoiceId": second, "amount": 2000}])
    );
    let response = app.announced(&["invoice.paid", "payment.succeeded"]).await;
    assert_eq!((&response[0]["invoiceId"], &response[0]["balance"]), (&json!(second), &json!(0)));
    assert_eq!(invoice(&app, &first).await["balance"], 500);
    // The rest of the others, at once.
    let all =
        json!({"clientId": client, "amount": 3500, "kind": "bank_transfer", "reference": "Line 7"});
    app.app("POST", "/finance/payments", Some(all)).await.ok();
    app.announced(&["invoice.paid", "invoice.paid", "payment.succeeded"]).await;
    let paid = invoice(&app, &third).await;
    assert_eq!((&paid["status"], &paid["paidTotal"]), (&json!("paid"), &json!(3000)));
    let of_it = app.get(&format!("/finance/payments?invoiceId={second}")).await.ok();
    assert_eq!(of_it.data()["total"], 1);
}

#[scenario]
async fn overpayments_pay_the_next_invoice(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let first = bill(&app, &client, 1000).await;
    let paid = pay(&app, &client, &first, Some(1600)).await;
    assert_eq!(paid["unallocated"], 600);
    let second = bill(&app, &client, 1000).await;
    assert_eq!(invoice(&app, &second).await["balance"], 400);
    let third = bill(&app, &client, 300).await;
    assert_eq!(invoice(&app, &third).await["balance"], 300, "nothing is left of it");
    // Money in another currency pays none of these.
    let dollars = json!({"clientId": client, "amount": 9000, "currency": "USD", "kind": "cash"});
    let paid = app.app("POST", "/finance/payments", Some(dollars)).await.ok();
    assert_eq!(paid.data()["payment"]["unallocated"], 9000);
}

#[scenario]
async fn payments_that_cannot_be_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let (own, theirs) = (bill(&app, &client, 1000).await, bill(&app, &other, 1000).await);
    let paid = bill(&app, &client, 500).await;
    pay(&app, &client, &paid, None).await;
    app.events().await;
    let before = app.state().await;
    for (body, status, key, field) in [
        (
            json!({"clientId": client, "invoiceId": theirs, "kind": "cash"}),
            404,
            "resource.not_found",
            "invoiceId",
        ),
        (
            json!({"clientId": client, "invoiceId": paid, "kind": "cash"}),
            409,
            "PUBLIC_API_ERROR",
            "invoiceId",
        ),
        (
            json!({"clientId": client, "invoiceId": own, "currency": "USD", "kind": "cash"}),
            400,
            "PUBLIC_API_INVALID_CURRENCY",
            "currency",
        ),
        (json!({"clientId": client, "kind": "cash"}), 400, "request.invalid", "amount"),
        (
            json!({"clientId": client, "amount": 0, "kind": "cash"}),
            400,
            "request.invalid",
            "amount",
        ),
        (
            json!({"clientId": client, "amount": 1, "kind": "shells"}),
            400,
            "PUBLIC_API_INVALID_ENUM",
            "kind",
        ),
    ] {
        app.app("POST", "/finance/payments", Some(body)).await.refused(status, key).about(field);
    }
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn credit_notes_take_back_to_the_cent(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"clientId": client, "lines": [
        {"description": "Towel", "amount": 999, "vatPercentage": 21},
        {"description": "Apple", "amount": 333, "vatPercentage": 9},
        {"description": "Water", "amount": 101}]});
    let made = app.app("POST", "/finance/invoices", Some(new)).await.ok();
    let id = text(made.data(), "/invoice/invoiceId");
    let whole = made.data()["invoice"].clone();
    pay(&app, &client, &id, None).await;
    app.events().await;
    let path = format!("/finance/invoices/{id}/credit-notes");
    let mut taken = 0;
    for amount in [json!({"amount": 7}), json!({"amount": 500, "reason": "Sorry"}), json!({})] {
        let note = app.app("POST", &path, Some(amount)).await.ok();
        let note = &note.data()["invoice"];
        assert_eq!(
            (&note["kind"], &note["correctsInvoiceId"]),
            (&json!("credit_note"), &json!(id))
        );
        taken += note["taxTotal"].as_i64().unwrap();
        app.announced(&["invoice.created"]).await;
    }
    assert_eq!(taken, whole["taxTotal"], "the tax comes back to the cent");
    let left = invoice(&app, &id).await;
    assert_eq!((&left["status"], &left["creditedTotal"]), (&json!("paid"), &json!(1433)));
    assert_eq!((&left["paidTotal"], &left["balance"]), (&json!(0), &json!(0)));
    app.app("POST", &path, None).await.refused(409, "PUBLIC_API_ERROR").about("invoiceId");
    // Freed money pays the next invoice.
    let next = bill(&app, &client, 1433).await;
    assert_eq!(invoice(&app, &next).await["status"], "paid");
    let numbers: Vec<_> =
        invoices(&app, &client).await.iter().map(|one| text(one, "/number")).collect();
    assert!(numbers[1].starts_with("CN-") && numbers[3].ends_with("-000003"), "{numbers:?}");
    assert!(numbers[4].starts_with("INV-") && numbers[4].ends_with("-000002"), "{numbers:?}");
}

#[scenario]
async fn an_unpaid_invoice_is_cancelled(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let pack =
        json!({"productType": "CreditPack", "price": 5000, "assignCredits": true, "credits": 5});
    let product = new_product(&app, pack).await;
    let path = format!("/finance/clients/{client}/products");
    let made = app.post(&path, json!({"productId": product})).await.ok();
    let id = text(made.data(), "/invoice/invoiceId");
    app.events().await;
    let path = format!("/finance/invoices/{id}/credit-notes");
    app.app("POST", &path, Some(json!({"amount": 5001})))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("amount");
    app.app("POST", &path, None).await.ok();
    let response = app.announced(&["invoice.created", "invoice.cancelled", "credit.revoked"]).await;
    assert_eq!((&response[1]["status"], &response[2]["amount"]), (&json!("cancelled"), &json!(5)));
    // A written-off invoice can still be paid.
    let other = bill(&app, &client, 700).await;
    let off = format!("/finance/invoices/{other}/write-off");
    app.app("POST", &off, None).await.ok();
    app.app("POST", &off, None).await.refused(409, "PUBLIC_API_ERROR").about("status");
    pay(&app, &client, &other, None).await;
    assert_eq!(invoice(&app, &other).await["status"], "paid");
}

#[scenario]
async fn refunds_are_never_more_than_there_is(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    let paid = pay(&app, &client, &one.invoice, Some(6000)).await;
    assert_eq!(paid["unallocated"], 1100);
    app.events().await;
    let path = format!("/finance/payments/{}/refunds", text(&paid, "/paymentId"));
    // Unallocated money is refunded first: it needs no credit note.
    app.app("POST", &path, Some(json!({"amount": 1000}))).await.ok();
    app.announced(&[]).await;
    let back = app.app("POST", &path, Some(json!({"amount": 600, "reason": "Ill"}))).await.ok();
    app.announced(&["invoice.created"]).await;
    let payment = &back.data()["payment"];
    assert_eq!((&payment["refundedTotal"], &payment["unallocated"]), (&json!(1600), &json!(0)));
    assert_eq!(payment["allocations"], json!([{"invoiceId": one.invoice, "amount": 4400}]));
    assert_eq!(payment["refunds"].as_array().unwrap().len(), 2);
    let bill = invoice(&app, &one.invoice).await;
    assert_eq!(
        (&bill["creditedTotal"], &bill["balance"], &bill["status"]),
        (&json!(500), &json!(0), &json!("paid"))
    );
    let more = json!({"amount": 4401});
    app.app("POST", &path, Some(more)).await.refused(409, "PUBLIC_API_ERROR").about("amount");
    // Racing refunds happen once.
    let call = || app.app("POST", &path, Some(json!({"amount": 3000})));
    let both = futures_util::future::join_all([call(), call(), call(), call()]).await;
    let mut all: Vec<u16> = both.iter().map(|reply| reply.status).collect();
    all.sort_unstable();
    assert_eq!(all, [201, 409, 409, 409]);
}

#[scenario]
async fn a_bill_of_ones_own(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.events().await;
    let before = app.state().await;
    let new = json!({"clientId": client, "lines": []});
    app.app("POST", "/finance/invoices", Some(new))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("lines");
    assert_eq!(before, app.state().await);
    let id = bill(&app, &client, 1210).await;
    let response = invoice(&app, &id).await;
    assert_eq!((&response["netTotal"], &response["taxTotal"]), (&json!(1000), &json!(210)));
    let list =
        app.get(&format!("/finance/invoices?number={}", text(&response, "/number"))).await.ok();
    assert_eq!(list.data()["total"], 1);
    let list = app.get("/finance/invoices?issuedFrom=2031-01-02&issuedTo=2031-01-01").await;
    list.refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID").about("issuedTo");
}
