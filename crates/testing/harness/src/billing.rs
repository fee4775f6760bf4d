//! Products, memberships, invoices and payments.

use serde_json::{Value, json};

use crate::{App, text};

/// Creates a day pass with these facts beside the least.
pub async fn new_product(app: &App, facts: Value) -> String {
    let mut body = json!({"productType": "DayPass", "name": {"en": "Day pass"}, "price": 1250});
    body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let made = app.app("POST", "/products", Some(body)).await.ok();
    made.data()["product"]["productId"].as_str().unwrap().to_owned()
}

/// A membership that is sold.
pub struct Sold {
    /// Id of the purchase (`clientProductId`).
    pub product: String,
    /// Id of the subscription.
    pub course: String,
    /// Id of its first invoice.
    pub invoice: String,
}

/// Sells a membership with these facts to a client, from a day on.
pub async fn sold(app: &App, client: &str, facts: Value, sale: Value) -> Sold {
    let mut all = json!({"productType": "Membership", "name": {"en": "Gold"}, "price": 4900,
        "vatPercentage": 21, "period": "Month", "autoRenew": true});
    all.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let mut sale = sale;
    sale["productId"] = json!(new_product(app, all).await);
    let made = app.post(&format!("/finance/clients/{client}/memberships"), sale).await.ok();
    Sold {
        product: text(made.data(), "/clientProduct/clientProductId"),
        course: text(made.data(), "/subscription/subscriptionId"),
        invoice: text(made.data(), "/invoice/invoiceId"),
    }
}

/// A subscription as it is now.
pub async fn get_subscription(app: &App, id: &str) -> Value {
    let response = app.get(&format!("/finance/subscriptions/{id}")).await.ok();
    response.data()["subscription"].clone()
}

/// A client's invoices and credit notes, the first issued first.
pub async fn invoices(app: &App, client: &str) -> Vec<Value> {
    let response = app.get(&format!("/finance/invoices?clientId={client}&limit=100")).await.ok();
    let mut all = response.data()["invoices"].as_array().unwrap().clone();
    all.sort_by_key(|one| (text(one, "/createdAt"), text(one, "/series"), text(one, "/number")));
    all
}

/// Pays an invoice, or some of it, at the desk.
pub async fn pay(app: &App, client: &str, invoice: &str, amount: Option<i64>) -> Value {
    let paid = json!({"clientId": client, "invoiceId": invoice, "amount": amount, "kind": "cash"});
    let made = app.app("POST", "/finance/payments", Some(paid)).await.ok();
    made.data()["payment"].clone()
}
