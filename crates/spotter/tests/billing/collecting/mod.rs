//! Money that is fetched from cards and accounts, with the sandbox as the bank.

mod chargebacks;
mod charging;
mod pages;

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{Sold, sold},
    send, text,
};
use spotter_store::{Sql, params};

const START: &str = "2026-11-02T09:00:00Z";

/// Connects the sandbox.
async fn connect(app: &App) {
    let new = json!({"provider": "sandbox"});
    app.app("PUT", "/company/payment-provider", Some(new)).await.ok();
}

/// Gives a client a card or an account that does so.
async fn method(app: &App, client: &str, token: &str) -> String {
    let path = format!("/finance/clients/{client}/payment-methods");
    let made = app.app("POST", &path, Some(json!({"sandboxToken": token}))).await.ok();
    text(made.data(), "/paymentMethod/paymentMethodId")
}

/// A client with a card, and a bill that is to be paid by it.
async fn billed(app: &App, token: &str) -> (String, String) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    method(app, &client, token).await;
    let lines = json!([{"description": "Towel", "amount": 1000}]);
    let new = json!({"clientId": client, "lines": lines});
    let made = app.app("POST", "/finance/invoices", Some(new)).await.ok();
    (client, text(made.data(), "/invoice/invoiceId"))
}

/// Charges a bill; the payment.
pub async fn charge(app: &App, invoice: &str) -> String {
    let made = app.app("POST", &format!("/finance/invoices/{invoice}/charge"), None).await.ok();
    assert_eq!(made.data()["payment"]["status"], "pending");
    text(made.data(), "/payment/paymentId")
}

pub async fn payment(app: &App, id: &str) -> Value {
    app.get(&format!("/finance/payments/{id}")).await.ok().data()["payment"].clone()
}

pub async fn payments(app: &App, client: &str) -> Vec<Value> {
    let response = app.get(&format!("/finance/payments?clientId={client}&limit=100")).await.ok();
    response.data()["payments"].as_array().unwrap().iter().rev().cloned().collect()
}

pub async fn invoice(app: &App, id: &str) -> Value {
    app.get(&format!("/finance/invoices/{id}")).await.ok().data()["invoice"].clone()
}

/// The amount that the bank has taken from a company's clients and not refunded.
async fn bank(app: &App) -> i64 {
    const COLLECTED: Sql = Sql("SELECT CAST(COALESCE(SUM(amount - refunded), 0) AS BIGINT) \
        FROM sandbox_payment WHERE company_id = ?1 AND state = 'succeeded'");
    let company = app.company;
    let taken = app.server.db.read(move |tx| tx.one::<(i64,)>(COLLECTED, params![company])).await;
    taken.unwrap().unwrap().0
}

/// A membership that is collected automatically from a card.
async fn collected(app: &App, client: &str, token: &str, facts: Value) -> Sold {
    method(app, client, token).await;
    sold(app, client, facts, json!({"collection": "automatic"})).await
}

/// Submits a form of a page; where it leads.
pub async fn submit(app: &App, url: &str, form: &[(&str, &str)]) -> String {
    let path = &url[url.match_indices('/').nth(2).unwrap().0..];
    let still = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().no_proxy().redirect(still).build().unwrap();
    let request = client.post(format!("{}{path}", app.server.base)).form(form);
    let reply = send(request).await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    reply.headers["location"].to_str().unwrap().to_owned()
}

pub async fn page(app: &App, url: &str) -> String {
    let path = &url[url.match_indices('/').nth(2).unwrap().0..];
    let reply = send(app.server.request("GET", path)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body.as_str().unwrap().to_owned()
}
