//! What clients buy by themselves, and the class that is booked with it.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    billing::{invoices, new_product},
    calendar::{coach_at_work, new_class, new_type},
    people, scenario,
    site::publish,
    text,
    travel::{Travel, travelling},
};

use crate::collecting::{page, submit};

const START: &str = "2026-11-02T09:00:00Z";
const WEDNESDAY: &str = "2026-11-04T18:00:00Z";

/// A company that sells by itself: a class of one credit, and a pack that pays for it.
struct Gym {
    travel: Travel,
    client: String,
    token: String,
    class: String,
    pack: String,
}

impl Gym {
    async fn open(travel: Travel, seats: i64) -> Self {
        let app = &travel.app;
        app.app("PUT", "/company/payment-provider", Some(json!({"provider": "sandbox"})))
            .await
            .ok();
        publish(app, json!({"paymentChoices": ["online", "transfer", "desk"], "holdMinutes": 10}))
            .await;
        let coach = coach_at_work(app).await;
        let kind = new_type(app, json!({"kind": "class", "capacity": seats, "credits": 1})).await;
        let class = new_class(app, &kind, &coach, WEDNESDAY).await;
        let facts = json!({"productType": "CreditPack", "name": {"en": "Five classes"}, "price": 5_000,
            "assignCredits": true, "credits": 5});
        let pack = new_product(app, facts).await;
        let (client, token) = people::client(app).await;
        Self { client, token, class, pack, travel }
    }

    fn app(&self) -> &App {
        &self.travel.app
    }

    async fn order(&self, body: Value) -> spotter_harness::Reply {
        let path = format!("/finance/clients/{}/orders", self.client);
        self.app().app_as(&self.token, "POST", &path, Some(body)).await
    }

    async fn see(&self, id: &str) -> Value {
        let path = format!("/finance/clients/{}/orders/{id}", self.client);
        let reply = self.app().app_as(&self.token, "GET", &path, None).await.ok();
        reply.data()["shopOrder"].clone()
    }

    async fn seats_taken(&self) -> i64 {
        let event = self.app().get(&format!("/calendar/events/{}", self.class)).await.ok();
        event.data()["calendarEvent"]["seatsTaken"].as_i64().unwrap()
    }
}

#[scenario(process, clock)]
fn who_pays_online_is_booked_when_the_money_has_come(engine: Engine) {
    travelling(engine, START, |travel: Travel| async move {
        let mut gym = Gym::open(travel, 1).await;
        gym.app().events().await;
        let body =
            json!({"productId": gym.pack, "paymentChoice": "online", "calendarEventId": gym.class});
        let made = gym.order(body).await.ok();
        gym.app().announced(&["payment.request.created"]).await;
        let order = &made.data()["shopOrder"];
        let (id, url) = (text(order, "/shopOrderId"), text(order, "/payUrl"));
        assert_eq!(
            (&order["status"], &order["bookingStatus"]),
            (&json!("awaiting_payment"), &json!("held"))
        );
        assert_eq!(gym.seats_taken().await, 1, "the seat is held");
        assert!(invoices(gym.app(), &gym.client).await.is_empty(), "nothing is billed yet");
        let bank = submit(gym.app(), &url, &[]).await;
        submit(gym.app(), &bank, &[("token", "sandbox_ok")]).await;
        gym.travel.wait(5).await;
        let order = gym.see(&id).await;
        assert_eq!(
            (&order["status"], &order["bookingStatus"]),
            (&json!("completed"), &json!("booked")),
            "{order}"
        );
        assert!(page(gym.app(), &url).await.contains("This is paid"));
        let bills = invoices(gym.app(), &gym.client).await;
        assert_eq!(
            (bills.len(), &bills[0]["status"], &bills[0]["grossTotal"]),
            (1, &json!("paid"), &json!(5_000))
        );
        let credits = gym.app().get(&format!("/finance/clients/{}/credits", gym.client)).await.ok();
        assert_eq!(credits.data()["credits"][0]["available"], 4);
        assert_eq!(gym.seats_taken().await, 1);
        gym.travel.wait(3_600).await;
        assert_eq!(gym.seats_taken().await, 1, "what is booked is not given back");
    });
}

#[scenario(process, clock)]
fn who_does_not_pay_in_time_loses_the_seat_and_not_the_money(engine: Engine) {
    travelling(engine, START, |travel: Travel| async move {
        let mut gym = Gym::open(travel, 1).await;
        let body =
            json!({"productId": gym.pack, "paymentChoice": "online", "calendarEventId": gym.class});
        let made = gym.order(body).await.ok();
        let order = &made.data()["shopOrder"];
        let (id, url) = (text(order, "/shopOrderId"), text(order, "/payUrl"));
        gym.travel.wait(11 * 60).await;
        assert_eq!(gym.seats_taken().await, 0);
        let other = gym.app().new_client(json!({"firstName": "Ann"})).await;
        let draft = json!({"clientId": other, "calendarEventId": gym.class, "ignorePolicy": true});
        gym.app().post("/bookings", draft).await.ok();
        let bank = submit(gym.app(), &url, &[]).await;
        submit(gym.app(), &bank, &[("token", "sandbox_ok")]).await;
        gym.travel.wait(5).await;
        let order = gym.see(&id).await;
        assert_eq!(
            (&order["status"], &order["bookingStatus"]),
            (&json!("completed"), &json!("refused"))
        );
        let credits = gym.app().get(&format!("/finance/clients/{}/credits", gym.client)).await.ok();
        assert_eq!(credits.data()["credits"][0]["available"], 5, "the credits are theirs");
        assert_eq!(gym.seats_taken().await, 1);
    });
}

#[scenario(process, clock)]
fn what_is_paid_at_the_desk_is_booked_at_once(engine: Engine) {
    travelling(engine, START, |travel: Travel| async move {
        let gym = Gym::open(travel, 2).await;
        gym.app()
            .app("PATCH", "/company/site", Some(json!({"paymentChoices": ["desk"]})))
            .await
            .ok();
        let wrong = gym.order(json!({"productId": gym.pack, "paymentChoice": "transfer"})).await;
        wrong.refused(409, "PUBLIC_API_ERROR");
        let body = json!({"productId": gym.pack, "calendarEventId": gym.class});
        let made = gym.order(body.clone()).await.ok();
        let order = &made.data()["shopOrder"];
        assert_eq!(
            (&order["status"], &order["bookingStatus"]),
            (&json!("completed"), &json!("booked"))
        );
        assert!(order["payUrl"].is_null());
        // What cannot be booked takes nobody's money.
        let again = gym.order(body).await;
        again.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        // Few orders wait on invoices, too.
        for _ in 0..4 {
            gym.order(json!({"productId": gym.pack})).await.ok();
        }
        gym.order(json!({"productId": gym.pack})).await.refused(409, "PUBLIC_API_ERROR");
        assert_eq!(gym.seats_taken().await, 1, "booked once");
        let bills = invoices(gym.app(), &gym.client).await;
        assert!(bills.iter().all(|bill| bill["status"] == "open"), "{bills:?}");
    });
}

/// Nobody pays for a product with a class that it does not pay for.
#[scenario(process, clock)]
fn an_order_pays_for_its_class(engine: Engine) {
    travelling(engine, START, |travel: Travel| async move {
        let gym = Gym::open(travel, 5).await;
        let app = gym.app();
        let coach = app.admin.to_string();
        let long = json!({"kind": "class", "capacity": 5, "credits": 6, "creditPools": ["long"]});
        let kind = new_type(app, long).await;
        let class = new_class(app, &kind, &coach, "2026-11-05T18:00:00Z").await;
        let product = async |facts: Value| new_product(app, facts).await;
        let pack = |pool: &str| {
            let pool = json!({"key": pool, "name": pool, "credits": 6, "scheduleInterval": 1,
                "scheduleUnit": "Month", "mode": "Accumulate"});
            json!({"productType": "CreditPack", "price": 5_000, "assignCredits": true, "credits": 1,
                "creditPools": [pool]})
        };
        let other = product(pack("short")).await;
        let own = product(pack("long")).await;
        let goods = product(json!({"productType": "Other", "price": 250})).await;
        let pass = product(json!({"productType": "DayPass", "price": 1_500})).await;
        let unlimited = product(json!({"productType": "Membership", "price": 9_000,
            "period": "Week", "autoRenew": true}))
        .await;
        for choice in ["online", "desk"] {
            for wrong in [&gym.pack, &other, &goods, &pass] {
                let body =
                    json!({"productId": wrong, "paymentChoice": choice, "calendarEventId": class});
                gym.order(body).await.refused(409, "PUBLIC_API_ERROR").about("productId");
            }
        }
        for right in [&own, &unlimited] {
            let body =
                json!({"productId": right, "paymentChoice": "online", "calendarEventId": class});
            let made = gym.order(body).await.ok();
            assert_eq!(made.data()["shopOrder"]["bookingStatus"], "held");
        }
        assert_eq!(gym.seats_taken().await, 0, "the other class");
    });
}

#[scenario(process, clock)]
fn orders_are_checked(engine: Engine) {
    travelling(engine, START, |travel: Travel| async move {
        let gym = Gym::open(travel, 2).await;
        let hidden = new_product(gym.app(), json!({"visibility": "HideProduct"})).await;
        gym.order(json!({"productId": hidden})).await.refused(409, "PUBLIC_API_ERROR");
        gym.order(json!({"productId": "0123456789abcdef01234567"}))
            .await
            .refused(404, "resource.not_found");
        let gone = json!({"productId": gym.pack, "calendarEventId": "0123456789abcdef01234567"});
        gym.order(gone).await.refused(404, "resource.not_found");
        // What is for newcomers is bought once.
        let trial = new_product(gym.app(), json!({"trial": true, "price": 0})).await;
        let made = gym.order(json!({"productId": trial})).await.ok();
        assert_eq!(made.data()["shopOrder"]["status"], "completed");
        gym.order(json!({"productId": trial})).await.refused(409, "PUBLIC_API_ERROR");
        // Another client's orders are not there.
        let (_, other) = people::client(gym.app()).await;
        let path = format!("/finance/clients/{}/orders", gym.client);
        let own = gym.app().app_as(&other, "GET", &path, None).await;
        assert_eq!(own.status, 404);
        // Few wait for their payment at once; they share one seat, which goes back with the last of them.
        let body =
            json!({"productId": gym.pack, "paymentChoice": "online", "calendarEventId": gym.class});
        let mut waiting = Vec::new();
        for _ in 0..5 {
            let made = gym.order(body.clone()).await.ok();
            waiting.push(text(made.data(), "/shopOrder/shopOrderId"));
        }
        assert_eq!(gym.seats_taken().await, 1, "one seat is held for one client");
        gym.order(body).await.refused(409, "PUBLIC_API_ERROR");
        for id in &waiting {
            assert_eq!(gym.seats_taken().await, 1, "the others still wait");
            let cancel = format!("{path}/{id}/cancel");
            let over = gym.app().app_as(&gym.token, "POST", &cancel, None).await.ok();
            assert_eq!(over.data()["shopOrder"]["status"], "cancelled");
        }
        assert_eq!(gym.seats_taken().await, 0);
        let cancel = format!("{path}/{}/cancel", waiting[0]);
        gym.app().app_as(&gym.token, "POST", &cancel, None).await.refused(409, "PUBLIC_API_ERROR");
    });
}
