//! Freed money, and several steps on one date: a client whose money is held owes nothing, and an end precedes a
//! renewal, whichever timer runs first.

use serde_json::json;
use spotter_harness::{
    Engine,
    billing::{get_subscription, invoices, new_product, sold},
    scenario, text,
    travel::{Travel, travelling},
};

/// The client's unallocated money.
async fn unallocated(travel: &Travel, client: &str) -> i64 {
    let response =
        travel.app.get(&format!("/finance/payments?clientId={client}&limit=100")).await.ok();
    let all = response.data()["payments"].as_array().unwrap().iter();
    all.map(|payment| payment["unallocated"].as_i64().unwrap()).sum()
}

#[scenario(process)]
fn freed_money_pays_open_invoices(engine: Engine) {
    travelling(engine, "2026-06-01T09:00:00Z", |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let course_product =
            new_product(&travel.app, json!({"productType": "Other", "price": 9000})).await;
        let path = format!("/finance/clients/{client}/products");
        let sale = travel.app.post(&path, json!({"productId": course_product})).await.ok();
        let bill = text(sale.data(), "/invoice/invoiceId");
        spotter_harness::billing::pay(&travel.app, &client, &bill, None).await;
        let one = sold(&travel.app, &client, json!({"price": 5000}), json!({})).await;
        travel.app.events().await;
        let note = json!({"reason": "The course is off"});
        let path = format!("/finance/invoices/{bill}/credit-notes");
        travel.app.app("POST", &path, Some(note)).await.ok();
        // The credited 9000 pay the membership's 5000 at once; the rest waits for the next bill.
        let paid = &invoices(&travel.app, &client).await[1];
        assert_eq!((&paid["balance"], &paid["status"]), (&json!(0), &json!("paid")));
        assert_eq!(paid["prepaidTotal"], 0, "it was not paid before it was issued");
        assert_eq!(unallocated(&travel, &client).await, 4000);
        let response = spotter_harness::travel::sent_letters(&travel.app).await;
        assert_eq!(response, ["invoice.created", "invoice.paid"]);
        travel.to("2026-07-10T09:00:00Z").await;
        let state = get_subscription(&travel.app, &one.course).await;
        assert_eq!(state["status"], "active", "nobody is past due while their money is held");
        assert_eq!(unallocated(&travel, &client).await, 0);
        let july = &invoices(&travel.app, &client).await[3];
        assert_eq!((&july["paidTotal"], &july["balance"]), (&json!(4000), &json!(1000)));
    });
}

/// A refund that the provider could not carry out is money of the client's again.
#[scenario(process)]
fn unrefundable_money_pays_open_invoices(engine: Engine) {
    travelling(engine, "2026-06-01T09:00:00Z", |travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let money = json!({"clientId": client, "amount": 3000, "kind": "cash"});
        let paid = travel.app.app("POST", "/finance/payments", Some(money)).await.ok();
        let payment = text(paid.data(), "/payment/paymentId");
        let path = format!("/finance/payments/{payment}/refunds");
        travel.app.app("POST", &path, Some(json!({"amount": 3000}))).await.ok();
        let one = sold(&travel.app, &client, json!({"price": 5000}), json!({})).await;
        let first = invoices(&travel.app, &client).await[0].clone();
        assert_eq!((&first["invoiceId"], &first["balance"]), (&json!(one.invoice), &json!(5000)));
        // Two payments, of which one is charged back: what is owed again is paid from the other's rest.
        let pay = json!({"clientId": client, "amount": 6000, "kind": "cash"});
        travel.app.app("POST", "/finance/payments", Some(pay)).await.ok();
        assert_eq!(invoices(&travel.app, &client).await[0]["balance"], 0);
        assert_eq!(unallocated(&travel, &client).await, 1000);
    });
}

#[scenario(process)]
fn an_end_precedes_a_renewal(engine: Engine) {
    travelling(engine, "2026-06-01T09:00:00Z", |mut travel: Travel| async move {
        let quick = json!({"paymentDays": 0, "writeOffDays": 30, "reminderDays": []});
        travel.app.app("PATCH", "/company/finance-settings", Some(quick)).await.ok();
        let mut all = Vec::new();
        for _ in 0..12 {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            let one = sold(&travel.app, &client, json!({"price": 5000}), json!({})).await;
            all.push((client, one));
        }
        travel.to("2026-07-02T00:00:00Z").await;
        for (client, one) in all {
            let state = get_subscription(&travel.app, &one.course).await;
            assert_eq!(
                (&state["status"], &state["endDate"]),
                (&json!("cancelled"), &json!("2026-07-01"))
            );
            let bills = invoices(&travel.app, &client).await;
            assert_eq!(bills.len(), 1, "no bill for July: {bills:?}");
        }
    });
}

/// The invoices of a fixed term as `start end amount`, and its end.
async fn billed(
    travel: &Travel,
    facts: serde_json::Value,
    sale: serde_json::Value,
) -> (Vec<String>, String) {
    let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
    let one = sold(&travel.app, &client, facts, sale).await;
    let first = invoices(&travel.app, &client).await[0].clone();
    let line = |bill: &serde_json::Value, amount: &str| {
        format!("{} {} {}", text(bill, "/periodStart"), text(bill, "/periodEnd"), bill[amount])
    };
    let path = format!("/finance/subscriptions/{}/bills-to-come", one.course);
    let to_come = travel.app.get(&path).await.ok();
    let rest = to_come.data()["billsToCome"].as_array().unwrap().clone();
    let mut bills = vec![line(&first, "grossTotal")];
    bills.extend(rest.iter().map(|bill| line(bill, "amount")));
    (bills, text(&get_subscription(&travel.app, &one.course).await, "/endDate"))
}

#[scenario(process)]
fn a_term_is_a_period_from_its_start(engine: Engine) {
    travelling(engine, "2026-02-27T09:00:00Z", |travel: Travel| async move {
        let once = json!({"price": 6000, "autoRenew": false});
        let sale = |first: &str| json!({"billingAnchor": "firstOfMonth", "firstPeriod": first});
        let rest = "2026-03-01 2026-03-27 5032".to_owned();
        for (first, amount) in [("free", 0), ("full", 6000), ("prorate", 429)] {
            let (bills, end) = billed(&travel, once.clone(), sale(first)).await;
            assert_eq!(end, "2026-03-27", "{first}");
            assert_eq!(bills, [format!("2026-02-27 2026-03-01 {amount}"), rest.clone()], "{first}");
        }
        let (bills, end) = billed(&travel, once, json!({"billingAnchor": "start"})).await;
        assert_eq!((bills, end), (vec!["2026-02-27 2026-03-27 6000".into()], "2026-03-27".into()));
    });
}

#[scenario(process)]
fn a_term_shorter_than_its_period_costs_its_days(engine: Engine) {
    travelling(engine, "2026-03-01T09:00:00Z", |travel: Travel| async move {
        let quarter = json!({"price": 60000, "period": "Year", "autoRenew": false,
            "contractPeriod": {"value": 3, "unit": "Month"}});
        let (bills, end) = billed(&travel, quarter, json!({"billingAnchor": "start"})).await;
        // 92 of 365 days.
        assert_eq!((bills, end), (vec!["2026-03-01 2026-06-01 15123".into()], "2026-06-01".into()));
        let weeks = json!({"price": 6000, "autoRenew": false, "contractPeriod": {"value": 6, "unit": "Week"}});
        let (bills, end) = billed(&travel, weeks, json!({"billingAnchor": "start"})).await;
        assert_eq!(end, "2026-04-12");
        assert_eq!(bills, ["2026-03-01 2026-04-01 6000", "2026-04-01 2026-04-12 2200"]);
    });
}
