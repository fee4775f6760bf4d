//! Pages on which clients pay and leave cards.

use serde_json::json;
use spotter_billing::{
    collecting::charging, ids::PaymentRequestId, payments::request::PaymentRequest,
};
use spotter_harness::{
    Engine,
    billing::{self, sold},
    people, scenario, send, text,
    travel::{self, Travel, travelling},
};
use spotter_kernel::Id;

use super::{START, bank, connect, invoice, method as give, page, payments, submit};

#[scenario(process, clock)]
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
        let requested = travel.app.app_as(&token, "POST", &path, None).await.ok();
        travel.app.announced(&["payment.request.created"]).await;
        let again = travel.app.app_as(&token, "POST", &path, None).await.ok();
        let url = text(requested.data(), "/paymentRequest/payUrl");
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
        assert_eq!(travel::sent_letters(&travel.app).await, ["invoice.paid", "payment.succeeded"]);
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
        // Pages of the bank cannot be guessed.
        let wrong = format!("{}0", &bank_page[..bank_page.len() - 1]);
        let path = &wrong[wrong.find("/sandbox-bank").unwrap()..];
        let guessed = send(travel.app.server.request("GET", path)).await.status;
        assert!(guessed == 404 || wrong == bank_page);
        let none = send(travel.app.server.request("POST", "/pay/nothing")).await;
        assert_eq!(none.status, 404);
    });
}

#[scenario(process, clock)]
fn pages_close_with_their_payment(engine: Engine) {
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
        billing::pay(&travel.app, &client, &bill, Some(500)).await;
        travel.wait(1).await;
        assert!(page(&travel.app, &first).await.contains("This is over"));
        let second = submit(&travel.app, &url, &[]).await;
        assert!(page(&travel.app, &second).await.contains("EUR 15.00"));
        // No choice has no effect.
        assert_eq!(submit(&travel.app, &second, &[("token", "visa")]).await, second);
        // A settled invoice cannot be paid twice.
        billing::pay(&travel.app, &client, &bill, None).await;
        travel.wait(1).await;
        submit(&travel.app, &second, &[("token", "sandbox_ok")]).await;
        travel.wait(1).await;
        assert_eq!(bank(&travel.app).await, 0);
        // Cancelling a request closes its page.
        let new = json!({"clientId": client, "amount": 700, "description": "Party"});
        let made = travel.app.post("/finance/payment-requests", new).await.ok();
        let third = submit(&travel.app, &text(made.data(), "/paymentRequest/payUrl"), &[]).await;
        let id = text(made.data(), "/paymentRequest/paymentRequestId");
        travel.app.act(&format!("/finance/payment-requests/{id}/cancel")).await.ok();
        travel.wait(1).await;
        submit(&travel.app, &third, &[("token", "sandbox_ok")]).await;
        travel.wait(1).await;
        assert_eq!(bank(&travel.app).await, 0);
        // A page that the bank was never asked for, because the server died, soon expires.
        let new = json!({"clientId": client, "amount": 800, "description": "Party"});
        let made = travel.app.post("/finance/payment-requests", new).await.ok();
        let id = text(made.data(), "/paymentRequest/paymentRequestId");
        let id = PaymentRequestId(Id::parse(&id).unwrap());
        travel
            .app
            .as_the_system(move |cx| {
                let request = PaymentRequest::find(cx, id)?;
                charging::redirect(cx, &request).map(drop)
            })
            .await;
        assert_eq!(payments(&travel.app, &client).await.last().unwrap()["status"], "pending");
        travel.wait(180).await;
        assert_eq!(payments(&travel.app, &client).await.last().unwrap()["status"], "cancelled");
    });
}

#[scenario(process, clock)]
fn an_abandoned_page_does_not_block_collection(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        give(&travel.app, &client, "sandbox_ok").await;
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
