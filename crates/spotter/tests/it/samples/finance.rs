use serde_json::{Value, json};
use spotter_contract::Operation;

use super::{Ids, Making, Sample};
use crate::{
    finance::new_product,
    harness::{App, random_text},
    workout::text,
};

/// Products, and what is sold, billed and paid.
pub struct Shop;

impl Sample for Shop {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.contains("/product") || operation.path.contains("/finance")
    }

    fn make<'m>(&'m self, app: &'m App, ids: &'m mut Ids, of: Option<&'m Operation>) -> Making<'m> {
        Box::pin(async move {
            let Some(operation) = of else {
                let product = new_product(app, json!({"productType": "Other"})).await;
                ids.insert("productId", product);
                let thing = new_product(app, json!({"productType": "DayPass"})).await;
                ids.insert("thingId", thing);
                let term =
                    json!({"productType": "Membership", "period": "Month", "autoRenew": true});
                ids.insert("membershipId", new_product(app, term).await);
                sell(app, ids).await;
                return;
            };
            match operation.id {
                "restore_product" => {
                    let path = format!("/products/{}/archive", ids["productId"]);
                    app.app("POST", &path, None).await.ok();
                }
                _ if operation.path.starts_with("/finance") => sell(app, ids).await,
                _ => {}
            }
            let course = format!("/finance/subscriptions/{}", ids["courseId"]);
            match operation.id {
                "undo_cancellation" => {
                    let path = format!("{course}/cancellation-requests");
                    app.app("POST", &path, None).await.ok();
                }
                // One that waits for an answer already would be enough.
                "request_pause" => {
                    let path = format!("{course}/requests/{}/reject", ids["subscriptionRequestId"]);
                    app.app("POST", &path, None).await.ok();
                }
                "resume_subscription" => {
                    let path = format!("{course}/pause-requests");
                    app.app("POST", &path, Some(rest())).await.ok();
                }
                _ => {}
            }
        })
    }

    fn noted_as(&self, _operation: &Operation, parameter: &'static str) -> &'static str {
        match parameter {
            "requestId" => "subscriptionRequestId",
            "clientProductId" => "saleId",
            "subscriptionId" => "courseId",
            other => other,
        }
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_product" => {
                json!({"productType": "DayPass", "name": {"en": "Day"}, "price": 1500})
            }
            "update_product" => json!({"price": 1750}),
            "order_products" => json!({"shelf": "Others", "productIds": [ids["productId"]]}),
            "update_finance_settings" => json!({"paymentDays": 7}),
            "issue_invoice" => json!({"clientId": ids["clientId"],
                "lines": [{"description": "Towel", "amount": 1000, "vatPercentage": 21}]}),
            "credit_invoice" => json!({"amount": 100, "reason": "Sorry"}),
            "record_payment" => {
                json!({"clientId": ids["clientId"], "amount": 1, "kind": "cash"})
            }
            "create_payment_request" => ask(&ids["clientId"]),
            "refund_payment" => json!({"amount": 100, "reason": "Sorry"}),
            "preview_product" | "assign_product" => json!({"productId": ids["thingId"]}),
            "preview_membership" | "assign_membership" => json!({"productId": ids["membershipId"]}),
            "revoke_client_product" => json!({"reason": "Sold by mistake"}),
            "preview_pause" | "request_pause" => rest(),
            "preview_cancellation" | "request_cancellation" => json!({"reason": "Moves away"}),
            "adjust_credits" => json!({"amount": 2, "reason": "Birthday"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}

/// A request to pay.
fn ask(client: &str) -> Value {
    json!({"clientId": client, "amount": 500, "description": "Towel"})
}

/// Days on which a membership rests.
fn rest() -> Value {
    json!({"from": "2031-01-10", "until": "2031-01-20"})
}

/// Sells something, and a membership that is not paid for and whose client has asked for a pause, and takes
/// some money that pays nothing yet.
async fn sell(app: &App, ids: &mut Ids) {
    let client = ids["clientId"].clone();
    let sale = json!({"productId": ids["thingId"]});
    let sold = app.post(&format!("/finance/clients/{client}/products"), sale).await.ok();
    ids.insert("saleId", text(sold.data(), "/clientProduct/clientProductId"));
    let sale = json!({"productId": ids["membershipId"], "externalId": random_text()});
    let sold = app.post(&format!("/finance/clients/{client}/memberships"), sale).await.ok();
    ids.insert("courseId", text(sold.data(), "/subscription/subscriptionId"));
    ids.insert("invoiceId", text(sold.data(), "/invoice/invoiceId"));
    let asked = json!({"pauseNeedsApproval": true, "cancellationNeedsApproval": true});
    app.app("PATCH", "/company/finance-settings", Some(asked)).await.ok();
    let course = format!("/finance/subscriptions/{}", ids["courseId"]);
    let made = app.post(&format!("{course}/pause-requests"), rest()).await.ok();
    ids.insert("subscriptionRequestId", text(made.data(), "/request/requestId"));
    let money = json!({"clientId": client, "amount": 500, "currency": "USD", "kind": "cash"});
    let paid = app.app("POST", "/finance/payments", Some(money)).await.ok();
    ids.insert("paymentId", text(paid.data(), "/payment/paymentId"));
    let made = app.post("/finance/payment-requests", ask(&client)).await.ok();
    ids.insert("paymentRequestId", text(made.data(), "/paymentRequest/paymentRequestId"));
}
