//! The course of memberships, month by month: invoices, pauses, ends, and catching up after downtime.

use serde_json::{Value, json};
use spotter_harness::{
    Engine,
    billing::{get_subscription, invoices, pay, sold},
    scenario, text,
    travel::{Travel, travelling},
};
use spotter_kernel::Timestamp;

use crate::pauses::would_end;

/// Sets a payment term that no client exceeds.
pub(crate) async fn no_hurry(travel: &Travel) {
    let slow = json!({"paymentDays": 90, "writeOffDays": 365});
    travel.app.app("PATCH", "/company/finance-settings", Some(slow)).await.ok();
}

/// A new client who has paid for years to come.
pub(crate) async fn rich(travel: &Travel) -> String {
    let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
    let money = json!({"clientId": client, "amount": 1_000_000, "kind": "bank_transfer"});
    travel.app.app("POST", "/finance/payments", Some(money)).await.ok();
    client
}

pub(crate) fn periods(bills: &[Value]) -> Vec<String> {
    let response =
        |bill: &Value| format!("{} {}", bill["issueDate"].as_str().unwrap(), bill["grossTotal"]);
    bills.iter().map(response).collect()
}

#[scenario(process)]
fn bills_come_on_the_last_day_of_every_month(engine: Engine) {
    travelling(engine, "2026-10-31T09:00:00Z", |mut travel: Travel| async move {
        let client = rich(&travel).await;
        let gold = json!({"assignCredits": true, "credits": 4, "creditValidity": {"value": 1, "unit": "Month"}});
        let one = sold(&travel.app, &client, gold, json!({})).await;
        let response = travel
            .app
            .get(&format!("/finance/subscriptions/{}/bills-to-come", one.course))
            .await
            .ok();
        let preview = response.data()["billsToCome"].clone();
        travel.app.events().await;
        let mut billed = Vec::new();
        for day in ["2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"] {
            travel.to(&format!("{day}T00:00:00Z")).await;
            let all = [
                "credit.assigned",
                "credit.revoked",
                "invoice.created",
                "invoice.paid",
                "subscription.changed",
            ];
            assert_eq!(spotter_harness::travel::sent_letters(&travel.app).await, all);
            billed.push(day);
        }
        let all = invoices(&travel.app, &client).await;
        let starts: Vec<_> = all.iter().map(|bill| bill["periodStart"].as_str().unwrap()).collect();
        assert_eq!(starts[1..], billed[..]);
        for (bill, preview) in all[1..].iter().zip(preview.as_array().unwrap()) {
            assert_eq!(bill["periodStart"], preview["periodStart"]);
            assert_eq!(bill["periodEnd"], preview["periodEnd"]);
            assert_eq!(bill["grossTotal"], preview["amount"]);
        }
        // A new year starts new numbers, without gaps.
        let numbers: Vec<_> = all.iter().map(|bill| text(bill, "/number")).collect();
        assert_eq!(
            numbers,
            [
                "INV-2026-000001",
                "INV-2026-000002",
                "INV-2026-000003",
                "INV-2027-000001",
                "INV-2027-000002",
                "INV-2027-000003"
            ]
        );
        let credits = travel.app.get(&format!("/finance/clients/{client}/credits")).await.ok();
        assert_eq!(credits.data()["credits"][0]["available"], 4, "{}", credits.body);
        let dry = travel.app.app("GET", "/finance/renewals?to=2027-04-30", None).await.ok();
        assert_eq!(dry.data()["renewals"][0]["bill"]["periodStart"], "2027-04-30");
    });
}

#[scenario(process)]
fn dates_are_the_companys(engine: Engine) {
    travelling(engine, "2026-10-24T09:00:00Z", |mut travel: Travel| async move {
        // UTC+13 while it is summer there.
        let zone = json!({"timeZone": "Pacific/Auckland"});
        travel.app.app("PATCH", "/company/settings", Some(zone)).await.ok();
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({"period": "Week"}), json!({})).await;
        assert_eq!(
            get_subscription(&travel.app, &one.course).await["nextBillingDate"],
            "2026-10-31"
        );
        travel.to("2026-10-30T10:59:59Z").await;
        assert_eq!(invoices(&travel.app, &client).await.len(), 1);
        travel.to("2026-10-30T11:00:00Z").await;
        let all = invoices(&travel.app, &client).await;
        assert_eq!((all.len(), &all[1]["issueDate"]), (2, &json!("2026-10-31")));
        // The company moves west; dates of issue never go back.
        let zone = json!({"timeZone": "America/Los_Angeles"});
        travel.app.app("PATCH", "/company/settings", Some(zone)).await.ok();
        let two = sold(&travel.app, &client, json!({}), json!({})).await;
        let bill = travel.app.get(&format!("/finance/invoices/{}", two.invoice)).await.ok();
        assert_eq!(bill.data()["invoice"]["issueDate"], "2026-10-31");
    });
}

#[scenario(process)]
fn a_late_timer_bills_once(engine: Engine) {
    travelling(engine, "2026-11-10T09:00:00Z", |mut travel: Travel| async move {
        no_hurry(&travel).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        travel.leap(Timestamp::parse("2027-03-12T09:00:00Z").unwrap()).await;
        let all = invoices(&travel.app, &client).await;
        assert_eq!(periods(&all), ["2026-11-10 4900", "2027-03-12 4900"]);
        assert_eq!(all[1]["periodStart"], "2027-03-10");
        let response = get_subscription(&travel.app, &one.course).await;
        assert_eq!(
            (&response["skippedPeriods"], &response["nextBillingDate"]),
            (&json!(3), &json!("2027-04-10"))
        );
    });
}

pub(crate) async fn ask(travel: &Travel, one: &str, kind: &str, body: Value) -> Value {
    let path = format!("/finance/subscriptions/{one}/{kind}-requests");
    let preview = travel.app.post(&format!("{path}/preview"), body.clone()).await.ok();
    let made = travel.app.post(&path, body).await.ok();
    let (effects, is) = (&preview.data()["preview"], &made.data()["subscription"]);
    assert_eq!(effects["endDate"], is["endDate"]);
    let response =
        travel.app.get(&format!("/finance/subscriptions/{one}/bills-to-come")).await.ok();
    assert_eq!(effects["billsToCome"], response.data()["billsToCome"]);
    effects.clone()
}

#[scenario(process)]
fn cancelling_keeps_the_notice_period(engine: Engine) {
    travelling(engine, "2026-11-15T09:00:00Z", |mut travel: Travel| async move {
        let client = rich(&travel).await;
        let facts = json!({"contractPeriod": {"value": 3, "unit": "Month"},
            "cancellationNoticePeriod": "Month"});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        let path = format!("/finance/subscriptions/{}/cancellation-requests/preview", one.course);
        let end = async |travel: &Travel| {
            let response = travel.app.post(&path, json!({})).await.ok();
            let response = &response.data()["preview"];
            (text(response, "/endDate"), text(response, "/endRule"))
        };
        assert_eq!(end(&travel).await, ("2027-02-15".into(), "minimum_term".into()));
        travel.to("2027-01-20T09:00:00Z").await;
        assert_eq!(end(&travel).await, ("2027-03-15".into(), "period_end".into()));
        travel.to("2027-02-15T09:00:00Z").await;
        assert_eq!(end(&travel).await, ("2027-03-15".into(), "notice".into()));
        // Not before, and any day after.
        let base = format!("/finance/subscriptions/{}", one.course);
        let early = json!({"endDate": "2027-03-14"});
        travel.app.post(&path, early).await.refused(409, "PUBLIC_API_ERROR").about("endDate");
        let never = json!({"endDate": "9999-12-31"});
        travel.app.post(&path, never).await.refused(400, "request.invalid").about("endDate");
        let both = json!({"endDate": "2027-05-01", "immediately": true});
        travel.app.post(&path, both).await.refused(400, "request.invalid").about("endDate");
        let both = json!({"endDate": "2027-05-01", "immediately": true});
        travel.app.post(&path, both).await.refused(400, "request.invalid").about("endDate");
        let staffs = json!({"immediately": true});
        travel.app.post(&format!("{base}/cancellation-requests/preview"), staffs).await.ok();
        travel.app.events().await;
        ask(&travel, &one.course, "cancellation", json!({"reason": "Moves away"})).await;
        travel.app.announced(&["subscription.changed"]).await;
        let again = travel.app.post(&format!("{base}/cancellation-requests"), json!({})).await;
        again.refused(409, "PUBLIC_API_ERROR").about("status");
        travel.app.app("POST", &format!("{base}/cancellation/undo"), None).await.ok();
        travel.app.announced(&["subscription.changed"]).await;
        assert_eq!(
            get_subscription(&travel.app, &one.course).await["nextBillingDate"],
            "2027-03-15"
        );
        ask(&travel, &one.course, "cancellation", json!({})).await;
        travel.app.events().await;
        travel.to("2027-03-15T00:00:00Z").await;
        travel
            .app
            .announced(&["subscription.cancelled", "client.updated", "client_product.revoked"])
            .await;
        let response = get_subscription(&travel.app, &one.course).await;
        assert_eq!(
            (&response["status"], &response["nextBillingDate"]),
            (&json!("cancelled"), &Value::Null)
        );
        assert_eq!(invoices(&travel.app, &client).await.len(), 4);
        let own = travel.app.get(&format!("/clients/{client}")).await.ok();
        assert_eq!(own.data()["client"]["memberStatus"], "former");
        travel.to("2027-06-15T00:00:00Z").await;
        assert_eq!(invoices(&travel.app, &client).await.len(), 4);
    });
}

#[scenario(process)]
fn an_end_is_the_same_in_all_answers(engine: Engine) {
    travelling(engine, "2026-11-23T09:00:00Z", |travel: Travel| async move {
        let app = &travel.app;
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"cancellationNoticePeriod": "Month",
            "contractPeriod": {"value": 3, "unit": "Month"}});
        for (body, end, rule) in [
            (json!({"endDate": "2027-04-23"}), "2027-04-23", "wished"),
            (json!({}), "2027-04-06", "minimum_term"),
        ] {
            let one = sold(app, &client, facts.clone(), json!({})).await;
            let path = format!("/finance/subscriptions/{}", one.course);
            let pause = json!({"from": "2027-01-02", "until": "2027-01-16"});
            app.post(&format!("{path}/pause-requests"), pause).await.ok();
            let before = get_subscription(app, &one.course).await;
            let cancel = format!("{path}/cancellation-requests");
            let seen = app.post(&format!("{cancel}/preview"), body.clone()).await.ok();
            let preview = seen.data()["preview"].clone();
            let response = app.post(&cancel, body).await.ok();
            assert_eq!(
                (&preview["endDate"], &preview["endRule"]),
                (&json!(end), &json!(rule)),
                "{before}"
            );
            assert_eq!(response.data()["request"]["endDate"], end);
            assert_eq!(response.data()["subscription"]["endDate"], end);
            let bills = app.app("GET", &format!("{path}/bills-to-come"), None).await.ok();
            assert_eq!(bills.data()["billsToCome"], preview["billsToCome"]);
            let last = bills.data()["billsToCome"].as_array().unwrap().last().unwrap().clone();
            assert_eq!(last["periodEnd"], end, "{last}");
        }
    });
}

#[scenario(process)]
fn an_end_at_term_keeps_membership_until_then(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let client = rich(&travel).await;
        let monthly = json!({"cancellationNoticePeriod": "Month"});
        let one = sold(&travel.app, &client, monthly, json!({"startsOn": "2026-10-15"})).await;
        let cancel = format!("/finance/subscriptions/{}/cancellation-requests", one.course);
        let preview = travel.app.post(&format!("{cancel}/preview"), json!({})).await.ok();
        // A later requested end is as good as an earlier one, and an unstarted membership ends at once.
        travel.app.post(&cancel, json!({"endDate": "2027-06-15"})).await.ok();
        let later = sold(&travel.app, &client, json!({}), json!({"startsOn": "2026-11-20"})).await;
        let other = json!({"firstName": "Bo", "memberStatus": "active"});
        let other = travel.app.new_client(other).await;
        spotter_harness::travel::sent_letters(&travel.app).await;
        let at_term = json!({"endOfTerm": true});
        let both = [
            "client.archived",
            "client_product.revoked",
            "invoice.created",
            "subscription.cancelled",
            "subscription.changed",
        ];
        for (id, status, events) in [
            (&client, "active", &both[..]),
            (&other, "former", &["client.archived", "client.updated"]),
        ] {
            let path = format!("/clients/{id}/archive");
            let left = travel.app.post(&path, at_term.clone()).await.ok();
            assert_eq!(left.data()["lifecycle"]["memberStatus"], status);
            assert_eq!(left.data()["lifecycle"]["relationshipStatus"], "archived");
            assert_eq!(spotter_harness::travel::sent_letters(&travel.app).await, events);
            travel.app.post(&path, json!({})).await.ok();
            assert_eq!(spotter_harness::travel::sent_letters(&travel.app).await, [""; 0]);
        }
        let undo = format!("/finance/subscriptions/{}/cancellation/undo", one.course);
        let undone = travel.app.app("POST", &undo, None).await;
        undone.refused(409, "PUBLIC_API_ERROR").about("clientId");
        let is = get_subscription(&travel.app, &one.course).await;
        assert_eq!((&is["status"], &is["endDate"]), (&json!("active"), &json!("2026-12-15")));
        assert_eq!(is["endDate"], preview.data()["preview"]["endDate"]);
        assert_eq!(get_subscription(&travel.app, &later.course).await["status"], "cancelled");
        travel.to("2026-12-14T23:00:00Z").await;
        let bills = invoices(&travel.app, &client).await;
        let kinds: Vec<_> = bills.iter().map(|bill| text(bill, "/kind")).collect();
        assert_eq!(kinds, ["credit_note", "invoice", "invoice", "invoice"]);
        assert_eq!(periods(&bills[3..]), ["2026-11-15 4900"]);
        spotter_harness::travel::sent_letters(&travel.app).await;
        travel.to("2026-12-15T00:00:00Z").await;
        let ended = ["client.updated", "client_product.revoked", "subscription.cancelled"];
        assert_eq!(spotter_harness::travel::sent_letters(&travel.app).await, ended);
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "cancelled");
        let response = travel.app.get(&format!("/clients/{client}")).await.ok();
        assert_eq!(response.data()["client"]["memberStatus"], "former");
        assert_eq!(invoices(&travel.app, &client).await.len(), 4);
    });
}

#[scenario(process)]
fn immediate_ends_credit_unused_days(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |travel: Travel| async move {
        let exact = json!({"cancellationEnd": "noticeEnd"});
        travel.app.app("PATCH", "/company/finance-settings", Some(exact)).await.ok();
        for at_term in [true, false] {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            let one = sold(&travel.app, &client, json!({}), json!({})).await;
            let later = json!({"startsOn": "2026-11-20"});
            let two = sold(&travel.app, &client, json!({}), later).await;
            let path = format!("/clients/{client}/archive");
            travel.app.post(&path, json!({"endOfTerm": at_term})).await.ok();
            for course_id in [&one.course, &two.course] {
                assert_eq!(get_subscription(&travel.app, course_id).await["status"], "cancelled");
            }
            let bills = invoices(&travel.app, &client).await;
            let bills = bills.iter().filter(|bill| bill["kind"] == "invoice");
            let owed: Vec<_> = bills.map(|bill| text(bill, "/status")).collect();
            // An immediate end keeps what was billed; an end by the terms credits it.
            let first = if at_term { "cancelled" } else { "open" };
            assert_eq!((&*owed[0], &*owed[1]), (first, "cancelled"), "{owed:?}");
        }
    });
}

#[scenario(process)]
fn an_end_to_the_day_gives_back_the_rest(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let exact = json!({"cancellationEnd": "noticeEnd"});
        travel.app.app("PATCH", "/company/finance-settings", Some(exact)).await.ok();
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"price": 3000, "cancellationNoticePeriod": "Week"});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        travel.to("2026-11-04T09:00:00Z").await;
        let response = ask(&travel, &one.course, "cancellation", json!({})).await;
        assert_eq!(
            (&response["endDate"], &response["endRule"]),
            (&json!("2026-11-11"), &json!("notice"))
        );
        travel.to("2026-11-11T09:00:00Z").await;
        let all = invoices(&travel.app, &client).await;
        // Twenty of thirty days.
        assert_eq!((&all[1]["kind"], &all[1]["grossTotal"]), (&json!("credit_note"), &json!(2000)));
        let paid = travel.app.get(&format!("/finance/payments?clientId={client}")).await.ok();
        assert_eq!(paid.data()["payments"][0]["unallocated"], 2000);
    });
}

#[scenario(process)]
fn fixed_terms_end_by_themselves(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let client = rich(&travel).await;
        let facts = json!({"autoRenew": false, "contractPeriod": {"value": 3, "unit": "Month"}});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        assert_eq!(get_subscription(&travel.app, &one.course).await["endDate"], "2027-02-01");
        let path = format!("/finance/subscriptions/{}/cancellation-requests", one.course);
        travel.app.post(&path, json!({})).await.refused(409, "PUBLIC_API_ERROR").about("autoRenew");
        travel.to("2027-01-31T23:00:00Z").await;
        travel.app.events().await;
        travel.to("2027-02-01T00:00:00Z").await;
        travel.app.announced(&["subscription.cancelled", "client.updated"]).await;
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "expired");
        assert_eq!(invoices(&travel.app, &client).await.len(), 3);
    });
}

#[scenario(process)]
fn later_starts_wait(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        no_hurry(&travel).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"assignCredits": true, "credits": 4});
        let one =
            sold(&travel.app, &client, facts.clone(), json!({"startsOn": "2026-11-20"})).await;
        let two = sold(&travel.app, &client, facts, json!({"startsOn": "2026-11-25"})).await;
        let response = get_subscription(&travel.app, &one.course).await;
        assert_eq!(
            (&response["status"], &response["nextBillingDate"]),
            (&json!("scheduled"), &json!("2026-12-20"))
        );
        let due = &invoices(&travel.app, &client).await[0]["dueDate"];
        assert_eq!(due, "2027-01-30");
        let own = travel.app.get(&format!("/clients/{client}")).await.ok();
        assert_eq!(own.data()["client"]["memberStatus"], "lead");
        travel.app.events().await;
        // A client who cancels before the start owes nothing.
        let response = ask(&travel, &two.course, "cancellation", json!({})).await;
        assert_eq!(
            (&response["endDate"], &response["endRule"]),
            (&json!("2026-11-25"), &json!("not_begun"))
        );
        travel
            .app
            .announced(&[
                "subscription.cancelled",
                "invoice.created",
                "invoice.cancelled",
                "client_product.revoked",
            ])
            .await;
        travel.to("2026-11-20T00:00:00Z").await;
        travel.app.announced(&["credit.assigned", "subscription.changed", "client.updated"]).await;
        travel.to("2026-11-25T00:00:00Z").await;
        travel.app.announced(&[]).await;
        let own = travel.app.get(&format!("/clients/{client}")).await.ok();
        assert_eq!(own.data()["client"]["memberStatus"], "active");
        let credits = travel.app.get(&format!("/finance/clients/{client}/credits")).await.ok();
        assert_eq!(credits.data()["credits"][0]["available"], 4);
    });
}

#[scenario(process)]
fn requests_wait_once_and_end_with_the_membership(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |travel: Travel| async move {
        let client = rich(&travel).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        let needs = json!({"pauseNeedsApproval": true});
        travel.app.app("PATCH", "/company/finance-settings", Some(needs)).await.ok();
        let base = format!("/finance/subscriptions/{}", one.course);
        let rest = json!({"from": "2026-11-11", "until": "2026-11-21"});
        let path = format!("{base}/pause-requests");
        travel.app.post(&path, rest.clone()).await.ok();
        travel.app.post(&path, rest).await.refused(409, "PUBLIC_API_ERROR").about("status");
        let now = json!({"immediately": true});
        let response =
            travel.app.app("POST", &format!("{base}/cancellation-requests"), Some(now)).await.ok();
        assert_eq!(response.data()["subscription"]["status"], "cancelled");
        let response = travel.app.get(&format!("{base}/requests")).await.ok();
        let all = response.data()["requests"].as_array().unwrap();
        let response: Vec<_> =
            all.iter().map(|one| (text(one, "/kind"), text(one, "/status"))).collect();
        assert!(response.contains(&("pause".into(), "rejected".into())), "{response:?}");
        assert!(response.contains(&("cancellation".into(), "applied".into())), "{response:?}");
    });
}

#[scenario(process)]
fn imported_memberships_keep_their_day(engine: Engine) {
    travelling(engine, "2026-11-25T09:00:00Z", |travel: Travel| async move {
        let client = rich(&travel).await;
        let began = json!({"startsOn": "2026-11-30", "anchorDate": "2024-01-31"});
        let one = sold(&travel.app, &client, json!({}), began).await;
        let path = format!("/finance/subscriptions/{}/bills-to-come", one.course);
        let response = travel.app.get(&path).await.ok();
        let response = response.data()["billsToCome"].as_array().unwrap().clone();
        let starts: Vec<_> =
            response.iter().take(4).map(|bill| text(bill, "/periodStart")).collect();
        assert_eq!(starts, ["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]);
        // A billing date between periods, or within a minimum term, is refused.
        let product = get_subscription(&travel.app, &one.course).await["productId"].clone();
        let path = format!("/finance/clients/{client}/memberships");
        for (sale, field) in [
            (json!({"startsOn": "2026-11-29", "anchorDate": "2024-01-31"}), "startsOn"),
            (json!({"startsOn": "2026-11-30", "anchorDate": "2026-12-31"}), "anchorDate"),
            (
                json!({"startsOn": "2026-11-30", "anchorDate": "2024-01-31", "billingAnchor": "start"}),
                "anchorDate",
            ),
        ] {
            let mut sale = sale;
            sale["productId"] = product.clone();
            travel.app.post(&path, sale).await.refused(400, "request.invalid").about(field);
        }
    });
}

#[scenario(process)]
fn unstarted_memberships_end_before_their_start(engine: Engine) {
    travelling(engine, "2026-01-31T09:00:00Z", |travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let bound = json!({"contractPeriod": {"value": 3, "unit": "Month"}, "cancellationNoticePeriod": "Month"});
        let one = sold(&travel.app, &client, bound, json!({"startsOn": "2026-02-20"})).await;
        assert_eq!(
            would_end(&travel, &one.course).await,
            ("2026-02-20".into(), "not_begun".into())
        );
    });
}
