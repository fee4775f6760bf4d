//! Whether a client may enter with their purchases.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    billing::{new_product, pay, sold},
    people, scenario, text,
    travel::{Travel, travelling},
};

/// The admission as the front desk sees it: the reason, or until when.
async fn admission(app: &App, client: &str, at: &str) -> (bool, Value, Value) {
    let path = format!("/finance/clients/{client}/entrance?at={at}");
    let response = app.app("GET", &path, None).await.ok();
    let response = &response.data()["entrance"];
    (response["allowed"] == true, response["reason"].clone(), response["until"].clone())
}

fn refused(why: &str) -> (bool, Value, Value) {
    (false, json!(why), Value::Null)
}

#[scenario(process, clock)]
fn running_paid_memberships_grant_access(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let (client, _) = people::client(&travel.app).await;
        let at = |day: &str| format!("{day}T12:00:00Z");
        assert_eq!(admission(&travel.app, &client, &at("2026-11-02")).await, refused("no_product"));
        let sale = json!({"startsOn": "2026-11-04"});
        let one = sold(&travel.app, &client, json!({}), sale).await;
        assert_eq!(admission(&travel.app, &client, &at("2026-11-03")).await, refused("not_yet"));
        let open = (true, Value::Null, Value::Null);
        assert_eq!(admission(&travel.app, &client, &at("2026-11-04")).await, open);
        let path = format!("/finance/subscriptions/{}/pause-requests", one.course);
        let rest = json!({"from": "2026-11-10", "until": "2026-11-13"});
        travel.app.post(&path, rest).await.ok();
        let until = (true, Value::Null, json!("2026-11-10"));
        assert_eq!(admission(&travel.app, &client, &at("2026-11-09")).await, until);
        assert_eq!(admission(&travel.app, &client, &at("2026-11-10")).await, refused("paused"));
        assert_eq!(admission(&travel.app, &client, &at("2026-11-13")).await, open);
        // A bill that is not paid in time closes the door, and opens it again when it is.
        travel.to("2026-11-25T09:00:00Z").await;
        assert_eq!(admission(&travel.app, &client, &at("2026-11-25")).await, refused("past_due"));
        pay(&travel.app, &client, &one.invoice, None).await;
        assert_eq!(admission(&travel.app, &client, &at("2026-11-25")).await, open);
        let path = format!("/finance/subscriptions/{}/cancellation-requests", one.course);
        travel.app.app("POST", &path, Some(json!({"immediately": true}))).await.ok();
        assert_eq!(admission(&travel.app, &client, &at("2026-11-26")).await, refused("ended"));
        // Clients ask for themselves, and no further than a year.
        let (other, token) = people::client(&travel.app).await;
        let path = |client: &str, at: &str| format!("/finance/clients/{client}/entrance?at={at}");
        let now = at("2026-11-26");
        travel.app.app_as(&token, "GET", &path(&other, &now), None).await.ok();
        let theirs = travel.app.app_as(&token, "GET", &path(&client, &now), None).await;
        theirs.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
        let far = travel.app.app("GET", &path(&client, &at("2029-01-01")), None).await;
        far.refused(400, "request.invalid").about("at");
    });
}

#[scenario(process, clock)]
fn passes_grant_access_on_their_days(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |travel: Travel| async move {
        let app = &travel.app;
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"productType": "DayPass", "price": 1250});
        let product = new_product(app, facts).await;
        let sale = json!({"productId": product, "startsOn": "2026-11-03"});
        let made = app.post(&format!("/finance/clients/{client}/products"), sale).await.ok();
        let until = text(made.data(), "/clientProduct/validUntil");
        let at = |day: &str| format!("{day}T12:00:00Z");
        assert_eq!(admission(app, &client, &at("2026-11-02")).await, refused("not_yet"));
        let open = (true, Value::Null, json!(until));
        assert_eq!(admission(app, &client, &at("2026-11-03")).await, open);
        assert_eq!(admission(app, &client, &at(&until)).await, refused("ended"));
        // Credits pay for bookings and grant no access.
        let bo = app.new_client(json!({"firstName": "Bo"})).await;
        let facts = json!({"productType": "CreditPack", "price": 1250, "assignCredits": true, "credits": 5});
        let pack = new_product(app, facts).await;
        let sale = json!({"productId": pack});
        app.post(&format!("/finance/clients/{bo}/products"), sale).await.ok();
        assert_eq!(admission(app, &bo, &at("2026-11-03")).await, refused("no_product"));
    });
}
