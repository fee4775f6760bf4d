use serde_json::{Value, json};
use spotter_billing::{
    collecting::{
        chargeback,
        provider::{ChargebackKind, ChargebackStatus, Dispute},
    },
    ids::PaymentId,
    payments::payment::Payment,
};
use spotter_contract::Operation;
use spotter_kernel::Id;
use spotter_store::{Sql, params};

use crate::{
    App,
    billing::new_product,
    random_text,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// Products, sales, invoices and payments.
pub struct Shop;

impl Sample for Shop {
    fn has(&self, operation: &Operation) -> bool {
        let is_of_finance =
            operation.path.contains("/product") || operation.path.contains("/finance");
        is_of_finance || operation.path.contains("/payment-provider")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
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
                "disconnect_payment_provider" => connect(app).await,
                _ if operation.path.starts_with("/finance") => sell(app, ids).await,
                _ => {}
            }
            let subscription = format!("/finance/subscriptions/{}", ids["courseId"]);
            match operation.id {
                "undo_cancellation" => {
                    let path = format!("{subscription}/cancellation-requests");
                    app.app("POST", &path, None).await.ok();
                }
                "make_payment_method_default" | "revoke_payment_method" | "update_subscription" => {
                    let client = ids["clientId"].clone();
                    ids.insert("paymentMethodId", new_method(app, &client).await);
                }
                "resolve_payment" => age(app, ids).await,
                // One that waits for an answer already would be enough.
                "request_pause" => {
                    let path =
                        format!("{subscription}/requests/{}/reject", ids["subscriptionRequestId"]);
                    app.app("POST", &path, None).await.ok();
                }
                "resume_subscription" => {
                    let path = format!("{subscription}/pause-requests");
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
            "connect_payment_provider" => json!({"provider": "sandbox"}),
            "add_sandbox_method" => json!({"sandboxToken": "sandbox_ok"}),
            "charge_invoice" => json!({"paymentMethodId": ids["paymentMethodId"]}),
            "update_subscription" => json!({"collection": "automatic"}),
            "create_product" => {
                json!({"productType": "DayPass", "name": {"en": "Day"}, "price": 1500})
            }
            "update_product" => json!({"price": 1750}),
            "order_products" => json!({"shelf": "Others", "productIds": [ids["productId"]]}),
            "update_billing_details" => {
                json!({"companyName": "Acme B.V.", "vatNumber": "NL123456789B01"})
            }
            "update_finance_settings" => json!({"paymentDays": 7}),
            "issue_invoice" => json!({"clientId": ids["clientId"],
                "lines": [{"description": "Towel", "amount": 1000, "vatPercentage": 21}]}),
            "credit_invoice" => json!({"amount": 100, "reason": "Sorry"}),
            "send_invoice_copy" => json!({"email": "desk@example.com"}),
            "preview_invoice_messages" | "send_invoice_messages" => {
                json!({"invoiceIds": [ids["invoiceId"]], "message": "copy"})
            }
            "record_payment" => {
                json!({"clientId": ids["clientId"], "amount": 1, "kind": "cash"})
            }
            "create_payment_request" => ask(&ids["clientId"]),
            "resolve_payment" => json!({"status": "failed"}),
            "refund_payment" => json!({"amount": 100, "reason": "Sorry"}),
            "preview_product" | "assign_product" => json!({"productId": ids["thingId"]}),
            "preview_desk_sale" | "create_desk_sale" => json!({"clientId": ids["clientId"],
                "items": [{"productId": ids["thingId"]}],
                "discount": {"percentage": 10, "reason": "Open day"}}),
            "preview_membership" | "assign_membership" => json!({"productId": ids["membershipId"]}),
            "revoke_client_product" => json!({"reason": "Sold by mistake"}),
            "preview_pause" | "request_pause" => rest(),
            "preview_cancellation" | "request_cancellation" => json!({"reason": "Moves away"}),
            "adjust_credits" => json!({"amount": 2, "reason": "Birthday"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}

/// Connects the sandbox.
async fn connect(app: &App) {
    let new = json!({"provider": "sandbox"});
    app.app("PUT", "/company/payment-provider", Some(new)).await.ok();
}

/// Has a payment through the provider be under way for days.
async fn age(app: &App, ids: &mut Ids) {
    const FORGET: Sql = Sql("UPDATE sandbox_payment SET next_at = NULL WHERE company_id = ?1");
    const AGE: Sql = Sql("UPDATE payment SET created_at = created_at - 172800000 \
        WHERE company_id = ?1 AND payment_id = ?2");
    let method = new_card(app, &ids["clientId"], "sandbox_slow_ok").await;
    let path = format!("/finance/invoices/{}/charge", ids["invoiceId"]);
    let charged = app.app("POST", &path, Some(json!({"paymentMethodId": method}))).await.ok();
    let payment = text(charged.data(), "/payment/paymentId");
    // The bank has it; its outcome comes later.
    let path = format!("/finance/payments/{payment}");
    while app.get(&path).await.ok().data()["payment"]["status"] == "pending" {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let (company, id) = (app.company, PaymentId(Id::parse(&payment).unwrap()));
    // The bank sends no more notices.
    let aged = app.server.db.write(move |tx| {
        tx.execute(FORGET, params![company])?;
        tx.execute(AGE, params![company, id])
    });
    aged.await.unwrap();
    ids.insert("paymentId", payment);
}

/// A card of a client that is declined.
async fn new_method(app: &App, client: &str) -> String {
    new_card(app, client, "sandbox_declined").await
}

async fn new_card(app: &App, client: &str, token: &str) -> String {
    let path = format!("/finance/clients/{client}/payment-methods");
    let token = json!({"sandboxToken": token});
    let made = app.app("POST", &path, Some(token)).await.ok();
    text(made.data(), "/paymentMethod/paymentMethodId")
}

/// Has a bank take some of a payment back.
async fn take_back(app: &App, payment: &str) -> String {
    const CHARGEBACK: Sql = Sql("SELECT chargeback_id FROM chargeback WHERE company_id = ?1 \
        ORDER BY chargeback_id DESC LIMIT 1");
    let response = Dispute {
        reference: random_text(),
        payment: PaymentId(Id::parse(payment).unwrap()),
        kind: ChargebackKind::DebitReturn,
        amount: 1,
        currency: spotter_kernel::money::Currency::parse("EUR").unwrap(),
        reason: "returned".into(),
        status: ChargebackStatus::Lost,
        evidence_due_at: None,
    };
    app.as_the_system(move |cx| {
        let currency = Payment::find(cx, response.payment)?.currency;
        chargeback::follow(cx, &Dispute { currency, ..response.clone() })
    })
    .await;
    let company = app.company;
    let made = app.server.db.read(move |tx| tx.one::<(Id,)>(CHARGEBACK, params![company]));
    made.await.unwrap().unwrap().0.to_string()
}

/// A request to pay.
fn ask(client: &str) -> Value {
    json!({"clientId": client, "amount": 500, "description": "Towel"})
}

/// Days on which a membership rests.
fn rest() -> Value {
    json!({"from": "2031-01-10", "until": "2031-01-20"})
}

/// Sells a product, and an unpaid membership with a pause request, and records an unallocated payment.
async fn sell(app: &App, ids: &mut Ids) {
    let client = ids["clientId"].clone();
    let sale = json!({"productId": ids["thingId"]});
    let sold = app.post(&format!("/finance/clients/{client}/products"), sale).await.ok();
    ids.insert("saleId", text(sold.data(), "/clientProduct/clientProductId"));
    let sale = json!({"productId": ids["membershipId"], "externalId": random_text()});
    let sold = app.post(&format!("/finance/clients/{client}/memberships"), sale).await.ok();
    ids.insert("courseId", text(sold.data(), "/subscription/subscriptionId"));
    ids.insert("invoiceId", text(sold.data(), "/invoice/invoiceId"));
    let request = json!({"pauseNeedsApproval": true, "cancellationNeedsApproval": true});
    app.app("PATCH", "/company/finance-settings", Some(request)).await.ok();
    let subscription = format!("/finance/subscriptions/{}", ids["courseId"]);
    let made = app.post(&format!("{subscription}/pause-requests"), rest()).await.ok();
    ids.insert("subscriptionRequestId", text(made.data(), "/request/requestId"));
    let money = json!({"clientId": client, "amount": 500, "currency": "USD", "kind": "cash"});
    let paid = app.app("POST", "/finance/payments", Some(money)).await.ok();
    ids.insert("paymentId", text(paid.data(), "/payment/paymentId"));
    ids.insert("chargebackId", take_back(app, &ids["paymentId"]).await);
    connect(app).await;
    if !ids.contains_key("paymentMethodId") {
        ids.insert("paymentMethodId", new_method(app, &client).await);
    }
    let made = app.post("/finance/payment-requests", ask(&client)).await.ok();
    ids.insert("paymentRequestId", text(made.data(), "/paymentRequest/paymentRequestId"));
}
