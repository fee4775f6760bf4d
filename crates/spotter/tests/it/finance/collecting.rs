//! Money that is fetched from cards and accounts, with the sandbox as the bank.

use serde_json::{Value, json};
use spotter_finance::{
    billing::{correcting, invoice::Invoice},
    collecting::{
        chargeback,
        charging::{self, Fetch},
        method::{self, MethodStatus, PaymentMethod},
        provider::{ChargebackKind, ChargebackStatus, Dispute},
    },
    ids::{InvoiceId, PaymentId, PaymentRequestId},
    payments::{payment::PaymentSource, request::PaymentRequest},
};
use spotter_kernel::{Id, id::ClientId, money::Currency};
use spotter_store::{Sql, params};

use super::{Sold, Travel, course, invoices, sold, told, travelling};
use crate::{
    harness::{App, Engine, people, send},
    on_both_engines,
    workout::text,
};

on_both_engines!(
    what_cannot_be_charged_is_refused,
    methods_are_kept_masked_and_taken_back,
    notices_are_believed_with_their_signature_alone,
);

mod by_the_clock {
    use super::*;
    on_both_engines!(process
        memberships_are_collected_month_by_month,
        what_fails_is_tried_again_and_then_left,
        each_card_does_what_it_says,
        a_lost_answer_charges_nobody_twice,
        what_banks_take_back_is_owed_again,
        a_dispute_that_is_won_pays_again,
        clients_pay_and_leave_cards_on_pages,
        what_goes_back_goes_through_the_bank,
        what_is_paid_at_the_desk_is_not_charged,
        a_provider_is_not_left_while_money_is_on_its_way,
        what_banks_take_back_is_kept_whatever_went_back_before,
        what_was_not_sent_yet_is_looked_at_again,
        pages_close_with_what_they_are_for,
        a_page_that_is_left_alone_keeps_nobody_from_collecting,
    );
}

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
    let told = app.get(&format!("/finance/payments?clientId={client}&limit=100")).await.ok();
    told.data()["payments"].as_array().unwrap().iter().rev().cloned().collect()
}

pub async fn invoice(app: &App, id: &str) -> Value {
    app.get(&format!("/finance/invoices/{id}")).await.ok().data()["invoice"].clone()
}

/// What the bank has taken of a company's clients and not given back.
async fn bank(app: &App) -> i64 {
    const TAKEN: Sql = Sql("SELECT CAST(COALESCE(SUM(amount - refunded), 0) AS BIGINT) \
        FROM sandbox_payment WHERE company_id = ?1 AND state = 'succeeded'");
    let company = app.company;
    let taken = app.server.db.read(move |tx| tx.one::<(i64,)>(TAKEN, params![company])).await;
    taken.unwrap().unwrap().0
}

/// A membership that is collected by itself from a card.
async fn collected(app: &App, client: &str, token: &str, facts: Value) -> Sold {
    method(app, client, token).await;
    sold(app, client, facts, json!({"collection": "automatic"})).await
}

impl Travel {
    /// Lets the bank have its time.
    async fn wait(&mut self, seconds: i64) {
        self.to(&self.now().to_string()).await;
        let at = self.now().plus_seconds(seconds);
        self.to(&at.to_string()).await;
    }
}

fn memberships_are_collected_month_by_month(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        travel.app.events().await;
        let one = collected(&travel.app, &client, "sandbox_ok", json!({})).await;
        travel.wait(1).await;
        let now = told(&travel.app).await;
        for event in ["invoice.created", "invoice.paid", "payment.succeeded"] {
            assert!(now.contains(&event.to_owned()), "{event}: {now:?}");
        }
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "paid");
        travel.to("2027-03-02T10:00:00Z").await;
        let all = invoices(&travel.app, &client).await;
        assert_eq!(all.len(), 5);
        assert!(all.iter().all(|one| one["status"] == "paid" && one["collection"] == "automatic"));
        let paid = payments(&travel.app, &client).await;
        assert_eq!(paid.len(), 5);
        for one in &paid {
            let facts = (&one["source"], &one["kind"], &one["attempt"], &one["status"]);
            assert_eq!(
                facts,
                (&json!("automatic"), &json!("card"), &json!(1), &json!("succeeded"))
            );
        }
        assert_eq!(bank(&travel.app).await, 5 * 4900);
        assert_eq!(course(&travel.app, &one.course).await["status"], "active");
        // By hand from now on.
        let path = format!("/finance/subscriptions/{}", one.course);
        travel.app.events().await;
        travel.app.app("PATCH", &path, Some(json!({"collection": "manual"}))).await.ok();
        travel.app.announced(&["subscription.changed"]).await;
        travel.to("2027-04-02T10:00:00Z").await;
        assert_eq!(payments(&travel.app, &client).await.len(), 5);
        assert_eq!(invoices(&travel.app, &client).await.len(), 6);
    });
}

fn what_fails_is_tried_again_and_then_left(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = collected(&travel.app, &client, "sandbox_insufficient", json!({})).await;
        travel.app.events().await;
        travel.wait(1).await;
        assert_eq!(told(&travel.app).await, ["payment.failed", "subscription.changed"]);
        let failed = payments(&travel.app, &client).await;
        assert_eq!(failed[0]["failureCode"], "insufficient_funds");
        assert_eq!(course(&travel.app, &one.course).await["status"], "past_due");
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "overdue");
        // Three, five and seven days after the first attempt; a manager's own attempt counts for nothing.
        travel.to("2026-11-04T09:00:00Z").await;
        charge(&travel.app, &one.invoice).await;
        travel.wait(1).await;
        for (before, after, number) in [
            ("2026-11-04T23:59:00Z", "2026-11-05T00:01:00Z", 2),
            ("2026-11-06T23:59:00Z", "2026-11-07T00:01:00Z", 3),
            ("2026-11-08T23:59:00Z", "2026-11-09T00:01:00Z", 4),
        ] {
            let automatic = |all: Vec<Value>| {
                all.into_iter().filter(|one| one["source"] == "automatic").count()
            };
            travel.to(before).await;
            assert_eq!(automatic(payments(&travel.app, &client).await), number - 1, "{before}");
            travel.to(after).await;
            assert_eq!(automatic(payments(&travel.app, &client).await), number, "{after}");
        }
        travel.to("2026-11-20T09:00:00Z").await;
        assert_eq!(payments(&travel.app, &client).await.len(), 5);
        // Another card pays what is left, and the membership runs again.
        let good = method(&travel.app, &client, "sandbox_ok").await;
        let path = format!("/finance/payment-methods/{good}/default");
        travel.app.app("POST", &path, None).await.ok();
        travel.app.events().await;
        charge(&travel.app, &one.invoice).await;
        travel.wait(1).await;
        let now = told(&travel.app).await;
        assert_eq!(now, ["invoice.paid", "payment.succeeded", "subscription.changed"]);
        assert_eq!(course(&travel.app, &one.course).await["status"], "active");
        assert_eq!(bank(&travel.app).await, 4900);
    });
}

fn each_card_does_what_it_says(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        for (token, at_once, at_last, code) in [
            ("sandbox_ok", "succeeded", "succeeded", None),
            ("sandbox_declined", "failed", "failed", Some("declined")),
            ("sandbox_insufficient", "failed", "failed", Some("insufficient_funds")),
            ("sandbox_expired", "failed", "failed", Some("method_expired")),
            ("sandbox_action", "failed", "failed", Some("authentication_required")),
            ("sandbox_slow_ok", "processing", "succeeded", None),
            ("sandbox_slow_fail", "processing", "failed", Some("provider_error")),
        ] {
            let (_, bill) = billed(&travel.app, token).await;
            let id = charge(&travel.app, &bill).await;
            travel.app.events().await;
            travel.wait(1).await;
            assert_eq!(payment(&travel.app, &id).await["status"], at_once, "{token}");
            travel.wait(10).await;
            let is = payment(&travel.app, &id).await;
            assert_eq!(
                (&is["status"], &is["failureCode"]),
                (&json!(at_last), &json!(code)),
                "{token}"
            );
            let bill = invoice(&travel.app, &bill).await;
            assert_eq!(bill["status"], if code.is_none() { "paid" } else { "open" }, "{token}");
            let now = told(&travel.app).await;
            let event = if code.is_none() { "payment.succeeded" } else { "payment.failed" };
            assert_eq!(now.iter().filter(|name| *name == event).count(), 1, "{token}: {now:?}");
        }
    });
}

fn a_lost_answer_charges_nobody_twice(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_lost_answer").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(120).await;
        assert_eq!(payment(&travel.app, &id).await["status"], "succeeded");
        assert_eq!(bank(&travel.app).await, 1000);
        assert_eq!(invoice(&travel.app, &bill).await["paidTotal"], 1000);
    });
}

async fn chargebacks(app: &App) -> Vec<Value> {
    let told = app.get("/finance/chargebacks").await.ok();
    told.data()["chargebacks"].as_array().unwrap().clone()
}

fn what_banks_take_back_is_owed_again(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        for (token, kind, status) in
            [("sandbox_return", "debit_return", "lost"), ("sandbox_chargeback", "dispute", "open")]
        {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            let one = collected(&travel.app, &client, token, json!({})).await;
            travel.wait(1).await;
            assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "paid");
            travel.app.events().await;
            travel.wait(10).await;
            let now = told(&travel.app).await;
            assert!(now.contains(&"chargeback.created".to_owned()), "{now:?}");
            let all = chargebacks(&travel.app).await;
            let last = &all[0];
            let facts = (&last["kind"], &last["status"], &last["amount"]);
            assert_eq!(facts, (&json!(kind), &json!(status), &json!(4900)));
            let id = text(last, "/chargebackId");
            let got = travel.app.get(&format!("/finance/chargebacks/{id}")).await.ok();
            assert_eq!(&got.data()["chargeback"], last);
            let bill = invoice(&travel.app, &one.invoice).await;
            assert_eq!((&bill["balance"], &bill["paidTotal"]), (&json!(4900), &json!(0)));
            let is = payments(&travel.app, &client).await;
            assert_eq!(
                (&is[0]["status"], &is[0]["disputedTotal"]),
                (&json!("succeeded"), &json!(4900))
            );
            assert_eq!(is[0]["allocations"], json!([]));
            // It is owed again, and so overdue the day after, and the membership past due.
            travel.to(&travel.now().plus_days(2).to_string()).await;
            assert_eq!(course(&travel.app, &one.course).await["status"], "past_due");
        }
        // What is not answered in time is lost, and stays lost.
        travel.to("2026-11-20T09:00:00Z").await;
        let all = chargebacks(&travel.app).await;
        assert!(all.len() == 2 && all.iter().all(|one| one["status"] == "lost"), "{all:?}");
        let none = travel.app.get("/finance/chargebacks/65a1b2c3d4e5f6a7b8c9d0e1").await;
        none.refused(404, "PUBLIC_API_CHARGEBACK_NOT_FOUND");
        let wrong = travel.app.get("/finance/chargebacks/x").await;
        wrong.refused(400, "PUBLIC_API_INVALID_CHARGEBACK_ID");
    });
}

fn a_dispute_that_is_won_pays_again(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (client, bill) = billed(&travel.app, "sandbox_chargeback_won").await;
        charge(&travel.app, &bill).await;
        travel.wait(6).await;
        assert_eq!(invoice(&travel.app, &bill).await["status"], "open");
        travel.app.events().await;
        travel.wait(10).await;
        assert_eq!(told(&travel.app).await, ["invoice.paid"]);
        assert_eq!(chargebacks(&travel.app).await[0]["status"], "won");
        let is = &payments(&travel.app, &client).await[0];
        assert_eq!((&is["disputedTotal"], &is["unallocated"]), (&json!(0), &json!(0)));
    });
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

fn clients_pay_and_leave_cards_on_pages(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (client, token) = people::client(&travel.app).await;
        let lines = json!([{"description": "Towel", "amount": 1000}]);
        let new = json!({"clientId": client, "lines": lines});
        let made = travel.app.app("POST", "/finance/invoices", Some(new)).await.ok();
        let bill = text(made.data(), "/invoice/invoiceId");
        travel.app.events().await;
        let path = format!("/finance/invoices/{bill}/pay");
        let asked = travel.app.app_as(&token, "POST", &path, None).await.ok();
        travel.app.announced(&["payment.request.created"]).await;
        let again = travel.app.app_as(&token, "POST", &path, None).await.ok();
        let url = text(asked.data(), "/paymentRequest/payUrl");
        assert_eq!(text(again.data(), "/paymentRequest/payUrl"), url);
        assert!(page(&travel.app, &url).await.contains("Pay now"));
        let bank_page = submit(&travel.app, &url, &[]).await;
        assert!(page(&travel.app, &bank_page).await.contains("EUR 10.00"));
        // Turning back leaves it to be paid, on a page of its own.
        assert_eq!(
            submit(&travel.app, &bank_page, &[("token", "sandbox_ok"), ("turn", "back")]).await,
            url
        );
        travel.wait(1).await;
        let second = submit(&travel.app, &url, &[]).await;
        assert_ne!(second, bank_page);
        assert_eq!(
            submit(&travel.app, &url, &[]).await,
            second,
            "the same page as long as it is open"
        );
        assert_eq!(submit(&travel.app, &second, &[("token", "sandbox_action")]).await, url);
        travel.app.events().await;
        travel.wait(1).await;
        assert!(page(&travel.app, &url).await.contains("This is paid"));
        assert_eq!(told(&travel.app).await, ["invoice.paid", "payment.succeeded"]);
        let paid = payments(&travel.app, &client).await;
        assert_eq!(paid[0]["status"], "cancelled");
        assert_eq!(
            (&paid[1]["source"], &paid[1]["status"]),
            (&json!("request"), &json!("succeeded"))
        );
        // A page that is left alone closes.
        let new = json!({"clientId": client, "amount": 700, "description": "Party"});
        let made = travel.app.post("/finance/payment-requests", new).await.ok();
        let url = text(made.data(), "/paymentRequest/payUrl");
        submit(&travel.app, &url, &[]).await;
        travel.wait(31 * 60).await;
        assert_eq!(payments(&travel.app, &client).await[2]["status"], "cancelled");
        assert!(page(&travel.app, &url).await.contains("Pay now"));
        // A card is left on the bank's page.
        let path = format!("/finance/clients/{client}/payment-methods/setups");
        let made = travel.app.app_as(&token, "POST", &path, None).await.ok();
        let url = text(made.data(), "/setupUrl");
        let bank_page = submit(&travel.app, &url, &[]).await;
        assert_eq!(submit(&travel.app, &bank_page, &[("token", "sandbox_slow_ok")]).await, url);
        travel.wait(1).await;
        assert!(page(&travel.app, &url).await.contains("It is saved"));
        let list = format!("/finance/clients/{client}/payment-methods");
        let kept = travel.app.app_as(&token, "GET", &list, None).await.ok();
        let kept = &kept.data()["paymentMethods"][0];
        assert_eq!((&kept["type"], &kept["isDefault"]), (&json!("sepa_debit"), &json!(true)));
        assert_eq!(submit(&travel.app, &url, &[]).await, url, "it is done");
        // Nobody guesses the bank's pages.
        let wrong = format!("{}0", &bank_page[..bank_page.len() - 1]);
        let path = &wrong[wrong.find("/sandbox-bank").unwrap()..];
        let guessed = send(travel.app.server.request("GET", path)).await.status;
        assert!(guessed == 404 || wrong == bank_page);
        let none = send(travel.app.server.request("POST", "/pay/nothing")).await;
        assert_eq!(none.status, 404);
    });
}

fn what_goes_back_goes_through_the_bank(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_ok").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(1).await;
        let path = format!("/finance/payments/{id}/refunds");
        let made = travel.app.app("POST", &path, Some(json!({"amount": 400}))).await.ok();
        assert_eq!(made.data()["payment"]["refunds"][0]["status"], "pending");
        travel.wait(1).await;
        assert_eq!(payment(&travel.app, &id).await["refunds"][0]["status"], "succeeded");
        assert_eq!(bank(&travel.app).await, 600);
        // What the bank does not have any more stays the client's.
        const EMPTY: Sql =
            Sql("UPDATE sandbox_payment SET refunded = amount WHERE company_id = ?1");
        let company = travel.app.company;
        travel.app.server.db.write(move |tx| tx.execute(EMPTY, params![company])).await.unwrap();
        travel.app.app("POST", &path, Some(json!({"amount": 100}))).await.ok();
        travel.wait(1).await;
        let is = payment(&travel.app, &id).await;
        assert_eq!(is["refunds"][1]["status"], "failed");
        assert_eq!((&is["refundedTotal"], &is["unallocated"]), (&json!(400), &json!(100)));
    });
}

fn what_is_paid_at_the_desk_is_not_charged(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        method(&travel.app, &client, "sandbox_ok").await;
        // A membership that begins in a week is collected then, unless it was paid before.
        let sale = json!({"collection": "automatic", "startsOn": "2026-11-09"});
        let one = sold(&travel.app, &client, json!({}), sale).await;
        super::pay(&travel.app, &client, &one.invoice, None).await;
        travel.to("2026-11-10T09:00:00Z").await;
        assert_eq!(bank(&travel.app).await, 0);
        assert_eq!(payments(&travel.app, &client).await.len(), 1);
        // What is on its way is not sent twice, and pays the next bill when it was not needed.
        let two = sold(&travel.app, &client, json!({}), json!({})).await;
        let slow = method(&travel.app, &client, "sandbox_slow_ok").await;
        let path = format!("/finance/invoices/{}/charge", two.invoice);
        let chosen = json!({"paymentMethodId": slow});
        travel.app.app("POST", &path, Some(chosen)).await.ok();
        let twice = travel.app.app("POST", &path, None).await;
        twice.refused(409, "PUBLIC_API_ERROR").about("payment");
        travel.wait(1).await;
        super::pay(&travel.app, &client, &two.invoice, None).await;
        travel.wait(10).await;
        let all = payments(&travel.app, &client).await;
        let charged = all.iter().find(|one| one["kind"] == "sepa_debit").unwrap();
        assert_eq!(
            (&charged["status"], &charged["unallocated"]),
            (&json!("succeeded"), &json!(4900))
        );
        let three = sold(&travel.app, &client, json!({}), json!({})).await;
        assert_eq!(invoice(&travel.app, &three.invoice).await["status"], "paid");
    });
}

fn a_provider_is_not_left_while_money_is_on_its_way(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let leave = async |app: &App| app.app("DELETE", "/company/payment-provider", None).await;
        let (_, bill) = billed(&travel.app, "sandbox_slow_ok").await;
        let id = charge(&travel.app, &bill).await;
        leave(&travel.app).await.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
        travel.wait(10).await;
        assert_eq!(payment(&travel.app, &id).await["status"], "succeeded");
        leave(&travel.app).await.ok();
        let path = format!("/finance/payments/{id}/refunds");
        let refused = travel.app.app("POST", &path, Some(json!({"amount": 1}))).await;
        refused.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
        // What happened meanwhile is told when the provider is connected again.
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_return").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(1).await;
        leave(&travel.app).await.ok();
        travel.wait(20).await;
        assert_eq!(payment(&travel.app, &id).await["disputedTotal"], 0);
        connect(&travel.app).await;
        travel.wait(1).await;
        assert_eq!(payment(&travel.app, &id).await["disputedTotal"], 1000);
    });
}

fn what_banks_take_back_is_kept_whatever_went_back_before(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_ok").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(1).await;
        let path = format!("/finance/payments/{id}/refunds");
        travel.app.app("POST", &path, Some(json!({"amount": 700}))).await.ok();
        travel.wait(1).await;
        travel.app.events().await;
        let told = Dispute {
            reference: id.clone(),
            payment: PaymentId(Id::parse(&id).unwrap()),
            kind: ChargebackKind::DebitReturn,
            amount: 1000,
            reason: "returned".into(),
            status: ChargebackStatus::Lost,
            evidence_due_at: None,
        };
        travel.app.as_the_system(move |cx| chargeback::follow(cx, &told)).await;
        assert_eq!(super::told(&travel.app).await, ["chargeback.created"]);
        let all = chargebacks(&travel.app).await;
        assert_eq!((&all[0]["amount"], &all[0]["taken"]), (&json!(1000), &json!(300)));
        let is = payment(&travel.app, &id).await;
        let totals = (&is["refundedTotal"], &is["disputedTotal"], &is["unallocated"]);
        assert_eq!(totals, (&json!(700), &json!(300), &json!(0)));
    });
}

fn what_was_not_sent_yet_is_looked_at_again(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        // In one transaction, so that nothing is sent in between: charged, and the card is taken back.
        let (client, bill) = billed(&travel.app, "sandbox_ok").await;
        let bill = InvoiceId(Id::parse(&bill).unwrap());
        let own = ClientId(Id::parse(&client).unwrap());
        let fetch = move || Fetch {
            amount: (1000, Currency::parse("EUR").unwrap()),
            source: PaymentSource::Manual,
            invoice: Some(bill),
            request: None,
            attempt: 1,
        };
        travel
            .app
            .as_the_system(move |cx| {
                let card = PaymentMethod::of(cx, own, None)?.unwrap();
                charging::charge(cx, &card, fetch())?;
                method::end(cx, &card, MethodStatus::Revoked).map(drop)
            })
            .await;
        travel.wait(1).await;
        let failed = payments(&travel.app, &client).await;
        assert_eq!(failed[0]["failureCode"], "method_revoked");
        // Charged, and some of it is paid at the desk: no more than is left is sent.
        method(&travel.app, &client, "sandbox_ok").await;
        travel
            .app
            .as_the_system(move |cx| {
                let card = PaymentMethod::of(cx, own, None)?.unwrap();
                charging::charge(cx, &card, fetch())?;
                let mut invoice = Invoice::find(cx, bill)?;
                correcting::credit(cx, &mut invoice, 400, None, None).map(drop)
            })
            .await;
        travel.wait(1).await;
        assert_eq!(bank(&travel.app).await, 600);
        assert_eq!(invoice(&travel.app, &bill.to_string()).await["status"], "paid");
    });
}

fn pages_close_with_what_they_are_for(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let lines = json!([{"description": "Towel", "amount": 2000}]);
        let new = json!({"clientId": client, "lines": lines});
        let made = travel.app.app("POST", "/finance/invoices", Some(new)).await.ok();
        let bill = text(made.data(), "/invoice/invoiceId");
        let made =
            travel.app.app("POST", &format!("/finance/invoices/{bill}/pay"), None).await.ok();
        let url = text(made.data(), "/paymentRequest/payUrl");
        let first = submit(&travel.app, &url, &[]).await;
        // Less is left to pay: the page is another one.
        super::pay(&travel.app, &client, &bill, Some(500)).await;
        travel.wait(1).await;
        assert!(page(&travel.app, &first).await.contains("This is over"));
        let second = submit(&travel.app, &url, &[]).await;
        assert!(page(&travel.app, &second).await.contains("EUR 15.00"));
        // Nothing is chosen: nothing happens.
        assert_eq!(submit(&travel.app, &second, &[("token", "visa")]).await, second);
        // Nothing is left to pay: nobody pays it twice.
        super::pay(&travel.app, &client, &bill, None).await;
        travel.wait(1).await;
        submit(&travel.app, &second, &[("token", "sandbox_ok")]).await;
        travel.wait(1).await;
        assert_eq!(bank(&travel.app).await, 0);
        // A request that is taken back closes its page, too.
        let new = json!({"clientId": client, "amount": 700, "description": "Party"});
        let made = travel.app.post("/finance/payment-requests", new).await.ok();
        let third = submit(&travel.app, &text(made.data(), "/paymentRequest/payUrl"), &[]).await;
        let id = text(made.data(), "/paymentRequest/paymentRequestId");
        travel.app.act(&format!("/finance/payment-requests/{id}/cancel")).await.ok();
        travel.wait(1).await;
        submit(&travel.app, &third, &[("token", "sandbox_ok")]).await;
        travel.wait(1).await;
        assert_eq!(bank(&travel.app).await, 0);
        // A page that the bank was never asked for, because the server died before, is soon forgotten.
        let new = json!({"clientId": client, "amount": 800, "description": "Party"});
        let made = travel.app.post("/finance/payment-requests", new).await.ok();
        let id = text(made.data(), "/paymentRequest/paymentRequestId");
        let id = PaymentRequestId(Id::parse(&id).unwrap());
        travel
            .app
            .as_the_system(move |cx| {
                let request = PaymentRequest::find(cx, id)?;
                charging::lead(cx, &request).map(drop)
            })
            .await;
        assert_eq!(payments(&travel.app, &client).await.last().unwrap()["status"], "pending");
        travel.wait(180).await;
        assert_eq!(payments(&travel.app, &client).await.last().unwrap()["status"], "cancelled");
    });
}

fn a_page_that_is_left_alone_keeps_nobody_from_collecting(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        method(&travel.app, &client, "sandbox_ok").await;
        let sale = json!({"collection": "automatic", "startsOn": "2026-11-03"});
        let one = sold(&travel.app, &client, json!({}), sale).await;
        let path = format!("/finance/invoices/{}/pay", one.invoice);
        let made = travel.app.app("POST", &path, None).await.ok();
        travel.to("2026-11-02T23:55:00Z").await;
        let left = submit(&travel.app, &text(made.data(), "/paymentRequest/payUrl"), &[]).await;
        travel.to("2026-11-03T00:10:00Z").await;
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "paid");
        assert_eq!(bank(&travel.app).await, 4900);
        assert!(page(&travel.app, &left).await.contains("This is over"));
    });
}

async fn what_cannot_be_charged_is_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    let charge = format!("/finance/invoices/{}/charge", one.invoice);
    let methods = format!("/finance/clients/{client}/payment-methods");
    let token = json!({"sandboxToken": "sandbox_ok"});
    app.app("POST", &charge, None).await.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
    app.app("POST", &methods, Some(token.clone())).await.refused(409, "PUBLIC_API_ERROR");
    app.app("POST", &format!("{methods}/setups"), None).await.refused(409, "PUBLIC_API_ERROR");
    connect(&app).await;
    app.app("POST", &charge, None).await.refused(409, "PUBLIC_API_ERROR").about("paymentMethodId");
    let theirs = method(&app, &other, "sandbox_ok").await;
    let product = json!({"productType": "Membership", "period": "Month", "autoRenew": true});
    let product = super::new_product(&app, product).await;
    app.events().await;
    let before = app.state().await;
    let named = json!({"paymentMethodId": theirs});
    let refused = app.app("POST", &charge, Some(named.clone())).await;
    refused.refused(404, "resource.not_found").about("paymentMethodId");
    let wrong = json!({"sandboxToken": "visa"});
    app.app("POST", &methods, Some(wrong)).await.refused(400, "PUBLIC_API_INVALID_ENUM");
    let sale = json!({"productId": product, "collection": "automatic"});
    let path = format!("/finance/clients/{client}/memberships");
    app.post(&path, sale.clone()).await.refused(409, "PUBLIC_API_ERROR").about("paymentMethodId");
    let course = format!("/finance/subscriptions/{}", one.course);
    let change = json!({"collection": "automatic"});
    app.app("PATCH", &course, Some(change)).await.refused(409, "PUBLIC_API_ERROR");
    app.app("PATCH", &course, Some(named)).await.refused(404, "resource.not_found");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
    app.app("DELETE", "/company/payment-provider", None).await.ok();
    app.app("DELETE", "/company/payment-provider", None).await.refused(404, "resource.not_found");
    let none = app.app("GET", "/company/payment-provider", None).await.ok();
    assert_eq!(none.data()["paymentProvider"], Value::Null);
}

async fn methods_are_kept_masked_and_taken_back(app: App) {
    connect(&app).await;
    let (client, token) = people::client(&app).await;
    let first = method(&app, &client, "sandbox_ok").await;
    let second = method(&app, &client, "sandbox_return").await;
    let list = format!("/finance/clients/{client}/payment-methods");
    let all = app.get(&list).await.ok();
    let all = &all.data()["paymentMethods"];
    let facts: Vec<_> =
        all.as_array().unwrap().iter().map(|one| (&one["type"], &one["isDefault"])).collect();
    assert_eq!(facts, [(&json!("sepa_debit"), &json!(false)), (&json!("card"), &json!(true))]);
    assert!(!all.to_string().contains("sandbox_return"), "tokens stay here");
    let act = |id: &str, what: &str| format!("/finance/payment-methods/{id}/{what}");
    app.app_as(&token, "POST", &act(&second, "default"), None).await.ok();
    let revoked = app.app_as(&token, "POST", &act(&second, "revoke"), None).await.ok();
    let is = &revoked.data()["paymentMethod"];
    assert_eq!((&is["status"], &is["isDefault"]), (&json!("revoked"), &json!(false)));
    app.app("POST", &act(&second, "revoke"), None).await.ok();
    app.app("POST", &act(&second, "default"), None)
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("status");
    // Another client neither sees nor changes them.
    let (_, stranger) = people::client(&app).await;
    app.app_as(&stranger, "POST", &act(&first, "revoke"), None)
        .await
        .refused(404, "resource.not_found");
}

async fn notices_are_believed_with_their_signature_alone(app: App) {
    let path = format!("/providers/sandbox/{}", app.company);
    let body = r#"{"notice":"x","about":"payment","reference":"65a1b2c3d4e5f6a7b8c9d0e1"}"#;
    let tell = |signature: &'static str| {
        let request =
            app.server.request("POST", &path).body(body).header("sandbox-signature", signature);
        async move { send(request).await.status }
    };
    assert_eq!(tell("").await, 404, "no provider is connected");
    connect(&app).await;
    for wrong in ["", "t=1,v1=00", "t=99999999999,v1=00"] {
        assert_eq!(tell(wrong).await, 400, "{wrong}");
    }
    const KEPT: Sql = Sql("SELECT COUNT(*) FROM provider_notice WHERE company_id = ?1");
    let company = app.company;
    let kept = app.server.db.read(move |tx| tx.one::<(i64,)>(KEPT, params![company])).await;
    assert_eq!(kept.unwrap().unwrap().0, 0);
}
