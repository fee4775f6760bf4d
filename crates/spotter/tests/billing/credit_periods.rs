//! Credits over time: when they expire, are granted again, and end with their purchase.

use serde_json::{Value, json};
use spotter_harness::{
    Engine,
    billing::{pay, sold},
    calendar::{book, coach_at_work, new_type},
    scenario, text,
    travel::{Travel, travelling},
};

use super::{
    billing_schedule::{no_hurry, rich},
    credits::{entitlement, general, is, pack},
};

#[scenario(process, clock)]
fn credits_lapse_on_their_day(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let coach = coach_at_work(&travel.app).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        pack(&travel.app, &client, json!({"creditValidity": {"value": 1, "unit": "Week"}})).await;
        let on = |at: &str| json!({"clientId": client, "eventTypeId": training, "startsAt": at});
        // Held credits are valid on the day of the class.
        let late = travel.app.post("/bookings", on("2026-11-08T10:00:00Z")).await;
        late.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        let kept = book(&travel.app, on("2026-11-07T10:00:00Z")).await;
        let early = book(&travel.app, on("2026-11-07T12:00:00Z")).await;
        travel.to("2026-11-07T23:59:59Z").await;
        assert_eq!(general(&travel.app, &client).await, (3, 2, 0));
        travel.app.events().await;
        travel.to("2026-11-08T00:00:00Z").await;
        let response = travel.app.announced(&["credit.revoked"]).await;
        assert_eq!((&response[0]["kind"], &response[0]["amount"]), (&json!("expire"), &json!(3)));
        assert_eq!(general(&travel.app, &client).await, (0, 0, 0));
        let mark = async |booking: &str, status: &str| {
            let path = format!("/bookings/{booking}/attendance");
            travel.app.post(&path, json!({"attendanceStatus": status})).await.ok();
        };
        mark(&kept, "attended").await;
        travel.app.announced(&["booking.updated"]).await;
        // Excused after the end: it lapses.
        mark(&early, "excused").await;
        travel.app.announced(&["credit.revoked", "booking.updated"]).await;
        assert_eq!(general(&travel.app, &client).await, (0, 0, 0));
    });
}

#[scenario(process, clock)]
fn a_class_after_the_next_grant_holds_that(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let coach = coach_at_work(&travel.app).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"assignCredits": true, "credits": 2, "creditValidity": {"value": 1, "unit": "Month"}});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        let on = |at: &str| json!({"clientId": client, "eventTypeId": training, "startsAt": at});
        for (at, status) in [
            ("2026-12-05T10:00:00Z", 201),
            ("2026-12-06T10:00:00Z", 201),
            ("2026-12-07T10:00:00Z", 409),
            ("2026-11-05T10:00:00Z", 201),
            ("2027-01-02T10:00:00Z", 201),
        ] {
            assert_eq!(travel.app.post("/bookings", on(at)).await.status, status, "{at}");
        }
        assert_eq!(general(&travel.app, &client).await, (1, 4, 0));
        travel.app.events().await;
        travel.to("2026-12-01T00:00:00Z").await;
        let names = [
            "booking.updated",
            "credit.assigned",
            "credit.revoked",
            "invoice.created",
            "subscription.changed",
        ];
        assert_eq!(spotter_harness::travel::sent_letters(&travel.app).await, names);
        assert_eq!(general(&travel.app, &client).await, (0, 3, 0));
        // After a pause the next grant comes later: earlier bookings use it, or are cancelled.
        let path = format!("/finance/subscriptions/{}/pause-requests", one.course);
        travel.app.post(&path, json!({"from": "2026-12-06", "until": "2026-12-20"})).await.ok();
        travel.to("2026-12-06T00:00:00Z").await;
        let response = travel.app.get(&format!("/bookings?clientId={client}")).await.ok();
        let all: Vec<_> = response.data()["bookings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(one, "/startsAt")[..10].to_owned(), text(one, "/status")))
            .collect();
        let status = |day: &str| all.iter().find(|(at, _)| at == day).unwrap().1.clone();
        assert_eq!(status("2026-12-05"), "booked");
        assert_eq!(status("2026-12-06"), "cancelled");
        assert_eq!(status("2027-01-02"), "booked");
        assert_eq!(general(&travel.app, &client).await.2, 0);
    });
}

#[scenario(process, clock)]
fn bookings_end_with_their_coverage(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let coach = coach_at_work(&travel.app).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        let on = |at: &str| json!({"clientId": client, "eventTypeId": training, "startsAt": at});
        let (first, second) = (
            book(&travel.app, on("2026-12-15T10:00:00Z")).await,
            book(&travel.app, on("2026-12-16T10:00:00Z")).await,
        );
        let path = format!("/finance/subscriptions/{}/cancellation-requests", one.course);
        travel.app.post(&path, json!({})).await.ok();
        let after = travel.app.post("/bookings", on("2026-12-17T10:00:00Z")).await;
        after.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        // One credit is available for one of them.
        let given = json!({"amount": 1});
        travel
            .app
            .post(&format!("/finance/clients/{client}/credits/adjustments"), given)
            .await
            .ok();
        travel.to("2026-12-01T00:00:00Z").await;
        assert_eq!(entitlement(&travel.app, &first).await, is("credits", 1, "held"));
        let response = travel.app.get(&format!("/bookings/{second}")).await.ok();
        let response = &response.data()["booking"];
        assert_eq!(
            (&response["status"], &response["cancelledBy"]),
            (&json!("cancelled"), &json!("system"))
        );
        assert_eq!(response["cancellationTiming"], "early");
    });
}

#[scenario(process, clock)]
fn pools_reset_or_pile_up(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let pool = |key: &str, mode: &str| {
            json!({"key": key, "name": key, "credits": 2,
            "scheduleInterval": 1, "scheduleUnit": "Week", "mode": mode})
        };
        let facts = json!({"assignCredits": true, "credits": 1, "creditCalendar": "CalendarWeek",
            "creditPools": [pool("pt", "Reset"), pool("sauna", "Accumulate")]});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        travel.to("2026-11-17T00:00:00Z").await;
        let response = travel.app.get(&format!("/finance/clients/{client}/credits")).await.ok();
        let response: Vec<_> = response.data()["credits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pool| (pool["poolKey"].clone(), pool["available"].as_i64().unwrap()))
            .collect();
        assert_eq!(response, [(Value::Null, 3), (json!("pt"), 2), (json!("sauna"), 6)]);
    });
}

/// Periods that were over before anything ran are not billed, and give no credits.
#[scenario(process, clock)]
fn skipped_periods_give_no_credits(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        no_hurry(&travel).await;
        let client = rich(&travel).await;
        let weekly = json!({"assignCredits": true, "credits": 1, "creditCalendar": "CalendarWeek"});
        sold(&travel.app, &client, weekly, json!({})).await;
        travel.leap(spotter_kernel::Timestamp::parse("2027-03-12T09:00:00Z").unwrap()).await;
        let response = travel.app.get(&format!("/finance/clients/{client}/credits")).await.ok();
        // The five Mondays of the first period, and the one of that which is billed late.
        assert_eq!(response.data()["credits"][0]["available"], 6, "{}", response.body);
        travel.app.events().await;
    });
}
