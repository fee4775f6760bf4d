//! Charges through Stripe, for which PyPI's localstripe stands in.

use std::{sync::Arc, time::Duration};

use axum::http::Method;
use serde_json::{Value, json};
use spotter_billing::collecting::{
    method::{self, MethodFacts},
    methods::SandboxToken,
    provider::ProviderName,
};
use spotter_harness::{
    App, Engine, runtime, scenario, send, start_with_stripe,
    stripe::{Mishap, SECRET_KEY, SIGNING_SECRET, Stripe},
    text,
};
use spotter_kernel::{Id, id::ClientId};
use spotter_store::{Sql, params};

use super::collecting::{charge, invoice, page, payment, payments, submit};

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000000341";
const ASKS_FOR_ITS_HOLDER: &str = "4000002500003155";
const ACCOUNT: &str = "DE89370400440532013000";
const ACCOUNT_THAT_FAILS: &str = "DE62370400440532013001";

/// Runs a scenario on a server with its own Stripe and a company that collects through it.
fn with_stripe<F>(engine: Engine, scenario: impl FnOnce(App, Arc<Stripe>) -> F)
where
    F: Future<Output = ()>,
{
    runtime().block_on(async {
        let Some(stripe) = Stripe::start().await else { return };
        let address = stripe.address.clone();
        let start = move || start_with_stripe(engine, &address);
        let server = tokio::task::block_in_place(start);
        let app = App::new(server.into()).await;
        let new =
            json!({"provider": "stripe", "secretKey": SECRET_KEY, "signingSecret": SIGNING_SECRET});
        let made = app.app("PUT", "/company/payment-provider", Some(new)).await.ok();
        assert_eq!(made.data()["paymentProvider"]["takesNotices"], true);
        assert!(!made.body.to_string().contains("of_the_suite"));
        stripe.set_webhook_target(Some(format!(
            "{}/providers/stripe/{}",
            app.server.base, app.company
        )));
        app.events().await;
        scenario(app, stripe.clone()).await;
        stripe.set_webhook_target(None);
    });
}

/// Waits until something is so.
async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    for _ in 0..400 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came so far that {what}");
}

/// A client leaves a card or an account on Stripe's page.
async fn leave(app: &App, stripe: &Stripe, client: &str, number: &str) -> String {
    let path = format!("/finance/clients/{client}/payment-methods");
    let count =
        || async { app.get(&path).await.ok().data()["paymentMethods"].as_array().unwrap().clone() };
    let before = count().await.len();
    let made = app.app("POST", &format!("{path}/setups"), None).await.ok();
    let there = submit(app, &text(made.data(), "/setupUrl"), &[]).await;
    assert!(there.starts_with(&stripe.address), "{there}");
    stripe.leave(&there, number).await;
    until("the method is kept", || async { count().await.len() > before }).await;
    let all = count().await;
    let method = &all[0];
    assert_eq!(method["last4"], number[number.len() - 4..]);
    assert!(!method.to_string().contains("pm_"), "what Stripe calls it stays here");
    text(method, "/paymentMethodId")
}

async fn bill(app: &App, client: &str, amount: i64) -> String {
    let lines = json!([{"description": "Towel", "amount": amount}]);
    let new = json!({"clientId": client, "lines": lines});
    let made = app.app("POST", "/finance/invoices", Some(new)).await.ok();
    text(made.data(), "/invoice/invoiceId")
}

/// The final status of a payment.
async fn settled(app: &App, id: &str) -> Value {
    let is_final = || async {
        let status = text(&payment(app, id).await, "/status");
        !matches!(status.as_str(), "pending" | "processing")
    };
    until("the payment is final", is_final).await;
    payment(app, id).await
}

#[scenario(process)]
fn cards_and_accounts_are_left_and_charged(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        for (number, kind, status, code) in [
            (GOOD, "card", "succeeded", Value::Null),
            (DECLINED, "card", "failed", json!("declined")),
            (ASKS_FOR_ITS_HOLDER, "card", "failed", json!("authentication_required")),
            (ACCOUNT, "sepa_debit", "succeeded", Value::Null),
            (ACCOUNT_THAT_FAILS, "sepa_debit", "failed", json!("declined")),
        ] {
            let client = app.new_client(json!({"firstName": "Ann"})).await;
            leave(&app, &stripe, &client, number).await;
            let bill = bill(&app, &client, 1000).await;
            app.events().await;
            let id = charge(&app, &bill).await;
            let done = settled(&app, &id).await;
            let facts = (&done["kind"], &done["status"], &done["failureCode"]);
            assert_eq!(facts, (&json!(kind), &json!(status), &code), "{number}");
            let paid = status == "succeeded";
            assert_eq!(invoice(&app, &bill).await["status"] == "paid", paid);
            let response: &[&str] =
                if paid { &["invoice.paid", "payment.succeeded"] } else { &["payment.failed"] };
            let mut events: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
            events.sort();
            assert_eq!(events, response, "{number}");
            let made = stripe.made_for(&id).await;
            assert_eq!(made.len(), 1, "{number}");
            if code == "authentication_required" {
                assert_eq!(made[0]["status"], "canceled", "nobody can confirm it later");
            }
        }
    });
}

/// Makes waiting retries due now.
async fn hurry(app: &App) {
    const NOW: Sql = Sql(
        "UPDATE job SET due_at = 0 WHERE company_id = ?1 AND due_at IS NOT NULL AND lease IS NULL",
    );
    let company = app.company;
    app.server.db.write(move |tx| tx.execute(NOW, params![company])).await.unwrap();
}

#[scenario(process)]
fn lost_messages_charge_nobody_twice(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        leave(&app, &stripe, &client, GOOD).await;
        for mishap in [Mishap::AnswerLost, Mishap::RequestLost] {
            // Once with a notice, and once without.
            for response in [true, false] {
                let target = format!("{}/providers/stripe/{}", app.server.base, app.company);
                stripe.set_webhook_target(response.then_some(target));
                let bill = bill(&app, &client, 700).await;
                stripe.lose(mishap);
                let id = charge(&app, &bill).await;
                if !response || mishap == Mishap::RequestLost {
                    let waits = || async {
                        hurry(&app).await;
                        payment(&app, &id).await["status"] != "pending"
                    };
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    until("it is asked about again", waits).await;
                }
                assert_eq!(settled(&app, &id).await["status"], "succeeded");
                assert_eq!(stripe.made_for(&id).await.len(), 1);
                assert_eq!(invoice(&app, &bill).await["balance"], 0);
            }
        }
    });
}

#[scenario(process)]
fn clients_pay_on_pages_that_close(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let first = bill(&app, &client, 1250).await;
        let pay = |bill: String| {
            let app = &app;
            async move {
                let path = format!("/finance/invoices/{bill}/pay");
                let made = app.app("POST", &path, None).await.ok();
                text(made.data(), "/paymentRequest/payUrl")
            }
        };
        let url = pay(first.clone()).await;
        let there = submit(&app, &url, &[]).await;
        assert_eq!(submit(&app, &url, &[]).await, there, "one page, however often it is opened");
        stripe.pay(&there, GOOD).await;
        until("it is paid", || async { invoice(&app, &first).await["status"] == "paid" }).await;
        assert!(page(&app, &url).await.contains("This is paid"));
        let paid = payments(&app, &client).await;
        assert_eq!((paid.len(), &paid[0]["source"]), (1, &json!("request")));
        // A payment at the desk closes the page; a payment made on it before counts.
        let second = bill(&app, &client, 900).await;
        let url = pay(second.clone()).await;
        let there = submit(&app, &url, &[]).await;
        spotter_harness::billing::pay(&app, &client, &second, None).await;
        let is_over = || async {
            let all = payments(&app, &client).await;
            all.iter().rfind(|one| one["source"] == "request").unwrap()["status"] == "cancelled"
        };
        until("the page is closed", is_over).await;
        let expired = stripe_page(&stripe, &there).await;
        assert_eq!(expired["status"], "expired");
        // A page also expires by itself; the link leads to another one then.
        let third = bill(&app, &client, 800).await;
        let url = pay(third.clone()).await;
        let there = submit(&app, &url, &[]).await;
        let path = format!("/v1/checkout/sessions/{}/expire", there.rsplit('/').next().unwrap());
        stripe_asked(&stripe, "POST", &path).await;
        until("the page is over", is_over).await;
        let other = submit(&app, &url, &[]).await;
        assert_ne!(there, other);
        stripe.pay(&other, ACCOUNT).await;
        until("it is paid", || async { invoice(&app, &third).await["status"] == "paid" }).await;
        assert_eq!(payments(&app, &client).await.last().unwrap()["kind"], "sepa_debit");
    });
}

async fn stripe_asked(stripe: &Stripe, method: &str, path: &str) -> Value {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client
        .request(method.parse().unwrap(), format!("{}{path}", stripe.address))
        .bearer_auth(SECRET_KEY)
        .header("stripe-version", "2024-06-20");
    let request = if method == "POST" { request.header("idempotency-key", path) } else { request };
    request.send().await.unwrap().json().await.unwrap()
}

async fn stripe_page(stripe: &Stripe, url: &str) -> Value {
    let path = format!("/v1/checkout/sessions/{}", url.rsplit('/').next().unwrap());
    stripe_asked(stripe, "GET", &path).await
}

#[scenario(process)]
fn refunds_happen_once(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        leave(&app, &stripe, &client, GOOD).await;
        let bill = bill(&app, &client, 3000).await;
        let id = charge(&app, &bill).await;
        settled(&app, &id).await;
        let intent = text(&stripe.made_for(&id).await[0], "/id");
        for (amount, back) in [(1000, 1), (500, 2)] {
            let path = format!("/finance/payments/{id}/refunds");
            app.app("POST", &path, Some(json!({"amount": amount}))).await.ok();
            let is_done = || async {
                let refunds = payment(&app, &id).await["refunds"].clone();
                refunds.as_array().unwrap().iter().all(|one| one["status"] == "succeeded")
            };
            until("the money is back", is_done).await;
            let query = [("payment_intent", intent.as_str())];
            let all = stripe.have(Method::GET, "/v1/refunds", &query).await;
            assert_eq!(all["data"].as_array().unwrap().len(), back);
        }
        assert_eq!(payment(&app, &id).await["refundedTotal"], 1500);
    });
}

#[scenario(process)]
fn a_card_without_a_notice_is_queried(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        const NOW: Sql =
            Sql("UPDATE timer SET due_at = 0 WHERE company_id = ?1 AND kind = 'ask_about_setup'");
        stripe.set_webhook_target(None);
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let path = format!("/finance/clients/{client}/payment-methods");
        let made = app.app("POST", &format!("{path}/setups"), None).await.ok();
        let there = submit(&app, &text(made.data(), "/setupUrl"), &[]).await;
        stripe.leave(&there, GOOD).await;
        let company = app.company;
        let hurried = app.server.db.write(move |tx| tx.execute(NOW, params![company]));
        assert_eq!(hurried.await.unwrap(), 1);
        let kept =
            || async { app.get(&path).await.ok().data()["paymentMethods"][0]["last4"] == "4242" };
        until("the card is kept", kept).await;
        // A key of another account is not taken while something is on its way, a page for instance.
        let bill = bill(&app, &client, 800).await;
        let request = app.app("POST", &format!("/finance/invoices/{bill}/pay"), None).await.ok();
        submit(&app, &text(request.data(), "/paymentRequest/payUrl"), &[]).await;
        let other = json!({"provider": "stripe", "secretKey": "sk_test_of_another"});
        let put = app.app("PUT", "/company/payment-provider", Some(other)).await;
        put.refused(409, "PUBLIC_API_ERROR").about("secretKey");
    });
}

#[scenario(process)]
fn disputes_are_followed(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        leave(&app, &stripe, &client, GOOD).await;
        let bill = bill(&app, &client, 2000).await;
        let id = charge(&app, &bill).await;
        settled(&app, &id).await;
        app.events().await;
        // A question that only warns takes no money.
        stripe.dispute(&id, "warning_needs_response").await;
        stripe.dispute(&id, "needs_response").await;
        let path = format!("/finance/chargebacks?clientId={client}");
        let all = || async {
            app.get(&path).await.ok().data()["chargebacks"].as_array().unwrap().clone()
        };
        until("it is told", || async { all().await.len() == 1 }).await;
        let response = all().await.remove(0);
        assert_eq!((&response["kind"], &response["status"]), (&json!("dispute"), &json!("open")));
        assert_eq!(
            (&response["amount"], &response["reason"]),
            (&json!(2000), &json!("fraudulent"))
        );
        assert_eq!(response["evidenceDueAt"], "2030-03-17T17:46:40.000Z");
        assert_eq!(invoice(&app, &bill).await["balance"], 2000);
        app.announced(&["chargeback.created"]).await;
        stripe.dispute(&id, "won").await;
        until("it is won", || async { all().await[0]["status"] == "won" }).await;
        assert_eq!(invoice(&app, &bill).await["balance"], 0);
    });
}

#[scenario(process)]
fn notices_are_verified_and_strangers_are_not_minded(engine: Engine) {
    with_stripe(engine, |app, stripe| async move {
        let path = format!("/providers/stripe/{}", app.company);
        for wrong in ["", "t=1,v1=00"] {
            let request = app.server.request("POST", &path).header("stripe-signature", wrong);
            assert_eq!(send(request.body("{}")).await.status, 400, "{wrong}");
        }
        // Any correctly signed notice is accepted with 200.
        for (kind, object) in [
            ("customer.created", json!({"id": "cus_1"})),
            ("payment_intent.succeeded", json!({"id": "pi_1", "metadata": {}})),
            (
                "payment_intent.succeeded",
                json!({"id": "pi_1", "metadata": {"spotter_payment": "../x"}}),
            ),
            (
                "payment_intent.succeeded",
                json!({"id": "pi_1", "metadata": {"spotter_payment": "65a1b2c3d4e5f6a7b8c9d0e1"}}),
            ),
            ("charge.dispute.created", json!({"id": "dp_none"})),
            ("charge.dispute.created", json!({"id": "../v1/customers"})),
            (
                "checkout.session.completed",
                json!({"id": "cs_9", "mode": "payment", "client_reference_id": "65a1b2c3d4e5f6a7b8c9d0e1"}),
            ),
        ] {
            stripe.announce(kind, &object).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        app.announced(&[]).await;
        // Another key is taken while the old signing secret stays; without one, no notice is.
        let put = |body: Value| app.app("PUT", "/company/payment-provider", Some(body));
        let made = put(json!({"provider": "stripe", "secretKey": "rk_test_other"})).await.ok();
        assert_eq!(made.data()["paymentProvider"]["takesNotices"], true);
        stripe.announce("customer.created", &json!({"id": "cus_2"})).await;
    });
}

#[scenario]
async fn keys_are_verified_and_hidden(app: App) {
    let put = |body: Value| app.app("PUT", "/company/payment-provider", Some(body));
    let before = app.state().await;
    for (wrong, field) in [
        (json!({"provider": "stripe"}), "secretKey"),
        (json!({"provider": "stripe", "secretKey": "pk_live_x"}), "secretKey"),
        (json!({"provider": "stripe", "secretKey": "sk_live x"}), "secretKey"),
        (json!({"provider": "stripe", "secretKey": "sk_x", "signingSecret": "x"}), "signingSecret"),
        (json!({"provider": "sandbox", "secretKey": "sk_x"}), "secretKey"),
    ] {
        put(wrong).await.refused(400, "request.invalid").about(field);
    }
    assert_eq!(before, app.state().await);
    let made = put(json!({"provider": "stripe", "secretKey": "sk_live_x"})).await.ok();
    let provider = &made.data()["paymentProvider"];
    assert_eq!(provider["takesNotices"], false);
    let path = format!("/providers/stripe/{}", app.company);
    assert!(text(provider, "/noticeUrl").ends_with(&path));
    let request = app.server.request("POST", &path).header("stripe-signature", "t=1,v1=00");
    assert_eq!(send(request.body("{}")).await.status, 400);
    // Where the provider's page cannot be opened, nobody was redirected and no payment is in progress.
    let client = app.new_client(json!({"firstName": "Ann", "language": "nl"})).await;
    let owed = bill(&app, &client, 900).await;
    let made = app.app("POST", &format!("/finance/invoices/{owed}/pay"), None).await.ok();
    let url = text(made.data(), "/paymentRequest/payUrl");
    let path = &url[url.match_indices('/').nth(2).unwrap().0..];
    let page = send(app.server.request("POST", path)).await;
    assert_eq!(page.status, 503);
    let page = page.body.as_str().unwrap();
    assert!(page.contains("De betaaldienst antwoordt niet") && page.contains("Terug"), "{page}");
    assert_eq!(payments(&app, &client).await[0]["status"], "cancelled");
    // A method of the connected provider is charged, whatever another provider has.
    let own = ClientId(Id::parse(&client).unwrap());
    for (provider, last4) in [(ProviderName::Sandbox, "1111"), (ProviderName::Stripe, "2222")] {
        app.as_the_system(move |cx| {
            let card = MethodFacts { last4: last4.to_owned(), ..SandboxToken::Ok.facts() };
            method::store(cx, own, provider, &card).map(drop)
        })
        .await;
    }
    let all = app.get(&format!("/finance/clients/{client}/payment-methods")).await.ok();
    let all = all.data()["paymentMethods"].as_array().unwrap().clone();
    let defaults: Vec<_> = all.iter().filter(|one| one["isDefault"] == true).collect();
    assert_eq!((defaults.len(), &defaults[0]["last4"]), (1, &json!("2222")));
    // A provider can be disconnected when no payment is in progress.
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    put(json!({"provider": "sandbox"})).await.ok();
    let method = format!("/finance/clients/{client}/payment-methods");
    app.app("POST", &method, Some(json!({"sandboxToken": "sandbox_slow_ok"}))).await.ok();
    let bill = bill(&app, &client, 500).await;
    let id = charge(&app, &bill).await;
    let other = || put(json!({"provider": "stripe", "secretKey": "sk_live_x"}));
    other().await.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
    put(json!({"provider": "sandbox"})).await.ok();
    settled(&app, &id).await;
    other().await.ok();
    // Methods of another provider are not charged through this one.
    let bill = self::bill(&app, &client, 600).await;
    let refused = app.app("POST", &format!("/finance/invoices/{bill}/charge"), None).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("paymentMethodId");
}
