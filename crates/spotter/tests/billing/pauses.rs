//! Pauses of memberships, and their effect on invoices.

use serde_json::{Value, json};
use spotter_harness::{
    Engine,
    billing::{get_subscription, invoices, pay, sold},
    scenario, text,
    travel::{Travel, travelling},
};

use super::billing_schedule::{ask, no_hurry, periods, rich};

#[scenario(process)]
fn a_pause_moves_paid_days(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        no_hurry(&travel).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"contractPeriod": {"value": 6, "unit": "Month"}, "assignCredits": true,
            "credits": 8, "creditValidity": {"value": 1, "unit": "Month"}});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        let preview = ask(
            &travel,
            &one.course,
            "pause",
            json!({"from": "2026-11-11", "until": "2026-11-21"}),
        )
        .await;
        travel.to("2026-11-11T00:00:00Z").await;
        let response = get_subscription(&travel.app, &one.course).await;
        assert_eq!(
            (&response["status"], &response["paidUntil"]),
            (&json!("paused"), &json!("2026-12-11"))
        );
        assert_eq!(response["minimumEndDate"], "2027-05-11");
        let own = travel.app.get(&format!("/clients/{client}")).await.ok();
        assert_eq!(own.data()["client"]["memberStatus"], "paused");
        let credits = travel.app.get(&format!("/finance/clients/{client}/credits")).await.ok();
        assert_eq!(credits.data()["lots"][0]["validUntil"], "2026-12-11");
        travel.to("2026-11-21T00:00:00Z").await;
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "active");
        travel.to("2026-12-10T23:00:00Z").await;
        assert_eq!(invoices(&travel.app, &client).await.len(), 1);
        travel.to("2027-01-11T00:00:00Z").await;
        let all = invoices(&travel.app, &client).await;
        let starts: Vec<_> = all[1..].iter().map(|bill| &bill["periodStart"]).collect();
        assert_eq!(
            starts,
            [&preview["billsToCome"][0]["periodStart"], &preview["billsToCome"][1]["periodStart"]]
        );
        assert_eq!(starts, ["2026-12-11", "2027-01-11"]);
        // Overlapping, reversed or too long pauses are refused.
        let path = format!("/finance/subscriptions/{}/pause-requests", one.course);
        for (from, until, status, field) in [
            ("2027-01-10", "2027-01-20", 400, "from"),
            ("2027-02-10", "2027-02-10", 400, "until"),
            ("2027-02-01", "2027-06-01", 409, "until"),
            ("2027-02-01", "9999-12-31", 400, "until"),
        ] {
            let request = json!({"from": from, "until": until});
            let reply = travel.app.post(&path, request).await.about(field);
            assert_eq!(reply.status, status, "{}", reply.body);
        }
        // A pause that ends early returns its days.
        travel
            .app
            .app("POST", &path, Some(json!({"from": "2027-01-11", "until": "2027-01-31"})))
            .await
            .ok();
        assert_eq!(get_subscription(&travel.app, &one.course).await["paidUntil"], "2027-03-03");
        travel.to("2027-01-16T09:00:00Z").await;
        let path = format!("/finance/subscriptions/{}/resume", one.course);
        let response = travel.app.app("POST", &path, None).await.ok();
        let response = &response.data()["subscription"];
        assert_eq!(
            (&response["status"], &response["paidUntil"]),
            (&json!("active"), &json!("2027-02-16"))
        );
        travel.app.app("POST", &path, None).await.refused(409, "PUBLIC_API_ERROR").about("pauses");
    });
}

#[scenario(process)]
fn a_pause_can_keep_the_dates_of_bills(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let fixed = json!({"pauseBilling": "fixed"});
        travel.app.app("PATCH", "/company/finance-settings", Some(fixed)).await.ok();
        no_hurry(&travel).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({"price": 3100}), json!({})).await;
        let preview = ask(
            &travel,
            &one.course,
            "pause",
            json!({"from": "2026-11-21", "until": "2026-12-11"}),
        )
        .await;
        // Ten days before and ten days in the period that is billed, of 31.
        assert_eq!(
            preview["billsToCome"][0],
            json!({"periodStart": "2026-12-01",
            "periodEnd": "2027-01-01", "amount": 1100, "reasons": ["period", "paused"]})
        );
        travel.to("2027-01-01T00:00:00Z").await;
        assert_eq!(
            periods(&invoices(&travel.app, &client).await),
            ["2026-11-01 3100", "2026-12-01 1100", "2027-01-01 3100"]
        );
    });
}

#[scenario(process)]
fn days_that_rested_are_billed_where_they_did_not(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let client = rich(&travel).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        let base = format!("/finance/subscriptions/{}", one.course);
        let needs = json!({"cancellationNeedsApproval": true});
        travel.app.app("PATCH", "/company/finance-settings", Some(needs)).await.ok();
        let draft = format!("{base}/cancellation-requests");
        let late = travel.app.post(&draft, json!({"endDate": "2029-11-01"})).await.ok();
        let rest = json!({"from": "2026-11-01", "until": "2026-12-31"});
        travel.app.post(&format!("{base}/pause-requests"), rest).await.ok();
        travel.app.app("POST", &draft, Some(json!({}))).await.ok();
        // An earlier request does not move the end again.
        let late = text(late.data(), "/request/requestId");
        let approve = format!("{base}/requests/{late}/approve");
        let approved = travel.app.app("POST", &approve, None).await;
        approved.refused(409, "PUBLIC_API_ERROR").about("endDate");
        let resting = get_subscription(&travel.app, &one.course).await;
        assert_eq!(
            (&resting["endDate"], &resting["nextBillingDate"]),
            (&json!("2027-01-30"), &Value::Null)
        );
        travel.app.app("POST", &format!("{base}/resume"), None).await.ok();
        let awake = get_subscription(&travel.app, &one.course).await;
        assert_eq!(awake["nextBillingDate"], awake["paidUntil"]);
        travel.to("2027-01-30T00:00:00Z").await;
        let bills = invoices(&travel.app, &client).await;
        let last = bills.last().unwrap();
        assert_eq!(last["periodEnd"], "2027-01-30", "{last}");
    });
}

#[scenario(process)]
fn a_cancelled_pause_moves_nothing(engine: Engine) {
    travelling(engine, "2026-11-23T09:00:00Z", |travel: Travel| async move {
        let app = &travel.app;
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(app, &client, json!({}), json!({"startsOn": "2026-10-31"})).await;
        let path = format!("/finance/subscriptions/{}", one.course);
        let bills = async || app.app("GET", &format!("{path}/bills-to-come"), None).await.ok();
        let (before, was) = (bills().await, get_subscription(app, &one.course).await);
        for from in ["2026-11-23", "2026-12-20"] {
            let pause = json!({"from": from, "until": "2027-01-07"});
            app.post(&format!("{path}/pause-requests"), pause).await.ok();
            app.app("POST", &format!("{path}/resume"), None).await.ok();
            let is = get_subscription(app, &one.course).await;
            assert_eq!(
                (&is["anchorDate"], &is["paidUntil"]),
                (&was["anchorDate"], &was["paidUntil"])
            );
            assert_eq!(bills().await.data(), before.data(), "{from}");
        }
    });
}

/// The date and the rule of an end, were it cancelled today.
pub(crate) async fn would_end(travel: &Travel, one: &str) -> (String, String) {
    let path = format!("/finance/subscriptions/{one}/cancellation-requests/preview");
    let response = travel.app.post(&path, json!({})).await.ok();
    let preview = response.data().as_object().unwrap().values().next().unwrap().clone();
    (text(&preview, "/endDate"), text(&preview, "/endRule"))
}

#[scenario(process)]
fn a_minimum_term_that_is_over_is_not_opened_by_a_pause(engine: Engine) {
    travelling(engine, "2026-02-01T09:00:00Z", |mut travel: Travel| async move {
        let exact = json!({"cancellationEnd": "noticeEnd"});
        travel.app.app("PATCH", "/company/finance-settings", Some(exact)).await.ok();
        let client = rich(&travel).await;
        let bound = json!({"contractPeriod": {"value": 3, "unit": "Month"}});
        let one = sold(&travel.app, &client, bound, json!({})).await;
        assert_eq!(
            would_end(&travel, &one.course).await,
            ("2026-05-01".into(), "minimum_term".into())
        );
        travel.to("2026-05-04T09:00:00Z").await;
        let pause = json!({"from": "2026-05-05", "until": "2026-06-24"});
        ask(&travel, &one.course, "pause", pause).await;
        travel.to("2026-05-06T09:00:00Z").await;
        let (end, rule) = would_end(&travel, &one.course).await;
        assert_ne!(rule, "minimum_term", "{end}");
    });
}
