//! Letters to clients about money, cards and memberships.

use std::collections::BTreeSet;

use serde_json::json;
use spotter_billing::collecting::{
    method::{self, MethodFacts},
    methods::SandboxToken,
    provider::ProviderName,
};
use spotter_harness::{
    Engine,
    billing::{get_subscription, sold},
    scenario, text,
    travel::Travel,
};
use spotter_kernel::{Id, id::ClientId};

use super::{
    collecting::submit,
    dunning::{subjects, with_mail},
};

async fn ann(travel: &Travel) -> String {
    let new = json!({"firstName": "Ann", "email": "ann@example.com", "language": "en"});
    let client = travel.app.new_client(new).await;
    let sandbox = json!({"provider": "sandbox"});
    travel.app.app("PUT", "/company/payment-provider", Some(sandbox)).await.ok();
    client
}

#[scenario(process, clock)]
fn money_that_is_fetched_is_acknowledged(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let client = ann(&travel).await;
        let path = format!("/finance/clients/{client}/payment-methods");
        let card = json!({"sandboxToken": "sandbox_ok"});
        travel.app.app("POST", &path, Some(card)).await.ok();
        sold(&travel.app, &client, json!({}), json!({"collection": "automatic"})).await;
        travel.to("2026-11-01T09:10:00Z").await;
        let wanted = ["Invoice INV-2026-000001 of Test Gym", "Test Gym has received your payment"];
        assert_eq!(BTreeSet::from_iter(subjects(&travel)), wanted.map(str::to_owned).into());
        let all = travel.app.server.mailbox.messages();
        let bill = all.iter().find(|one| one.subject == wanted[0]).unwrap();
        let submitted =
            "On 1 November 2026 we will collect EUR 49.00 from your saved payment method";
        assert!(bill.text.contains(submitted) && !bill.text.contains("/pay/"), "{}", bill.text);
        let receipt = all.iter().find(|one| one.subject == wanted[1]).unwrap();
        let submitted = "We have received EUR 49.00 for INV-2026-000001.";
        assert!(receipt.text.contains(submitted), "{}", receipt.text);
        assert_eq!(receipt.attachments[0].name, "INV-2026-000001.pdf");
        // A request without an invoice has no attachment; staff acknowledge what they took.
        let new = json!({"clientId": client, "amount": 700, "description": "Party"});
        let made = travel.app.post("/finance/payment-requests", new).await.ok();
        let url = text(made.data(), "/paymentRequest/payUrl");
        let there = submit(&travel.app, &url, &[]).await;
        submit(&travel.app, &there, &[("token", "sandbox_ok")]).await;
        let cash = json!({"clientId": client, "amount": 300, "kind": "cash"});
        travel.app.app("POST", "/finance/payments", Some(cash)).await.ok();
        travel.to("2026-11-01T09:30:00Z").await;
        let all = travel.app.server.mailbox.messages();
        let receipts: Vec<_> = all.iter().filter(|one| one.subject == wanted[1]).collect();
        assert_eq!(receipts.len(), 2);
        let other = receipts.iter().find(|one| one.text.contains("EUR 7.00 for Party")).unwrap();
        assert!(other.attachments.is_empty());
    });
}

#[scenario(process, clock)]
fn a_new_card_is_requested_before_expiry(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let client = ann(&travel).await;
        let own = ClientId(Id::parse(&client).unwrap());
        let keep = move |last4: &'static str| {
            move |cx: &mut spotter_contract::Write| {
                let card = MethodFacts {
                    last4: last4.to_owned(),
                    exp_month: Some(1),
                    exp_year: Some(2027),
                    ..SandboxToken::Ok.facts()
                };
                method::store(cx, own, ProviderName::Sandbox, &card).map(drop)
            }
        };
        travel.app.as_the_system(keep("1111")).await;
        travel.app.as_the_system(keep("2222")).await;
        sold(&travel.app, &client, json!({}), json!({"collection": "automatic"})).await;
        travel.to("2026-12-31T23:00:00Z").await;
        let expires = "Your card at Test Gym expires";
        assert!(!subjects(&travel).contains(&expires.to_owned()));
        travel.to("2027-01-02T09:00:00Z").await;
        // A card that is not charged causes no letter.
        let all = travel.app.server.mailbox.messages();
        let letters: Vec<_> = all.iter().filter(|one| one.subject == expires).collect();
        assert_eq!(letters.len(), 1);
        let letter = &letters[0].text;
        assert!(
            letter.contains("ending in 1111") && letter.contains("31 January 2027"),
            "{letter}"
        );
        let url = letter.lines().find(|line| line.contains("/pay/methods/")).unwrap();
        // It is charged until then, and not after.
        travel.to("2027-01-31T23:00:00Z").await;
        let path = format!("/finance/clients/{client}/payment-methods");
        let statuses = |response: &spotter_harness::Reply| -> Vec<String> {
            let all = response.data()["paymentMethods"].as_array().unwrap().clone();
            all.iter().map(|one| text(one, "/status")).collect()
        };
        let before = travel.app.get(&path).await.ok();
        assert_eq!(statuses(&before), ["active", "active"]);
        let there = submit(&travel.app, url, &[]).await;
        submit(&travel.app, &there, &[("token", "sandbox_ok")]).await;
        travel.to("2027-02-01T10:00:00Z").await;
        let after = travel.app.get(&path).await.ok();
        assert_eq!(statuses(&after), ["active", "expired", "expired"]);
        // A client without another card is told why collection failed.
        let new = json!({"firstName": "Bo", "email": "bo@example.com", "language": "en"});
        let late = travel.app.new_client(new).await;
        let own = ClientId(Id::parse(&late).unwrap());
        travel
            .app
            .as_the_system(move |cx| {
                let card = MethodFacts {
                    exp_month: Some(2),
                    exp_year: Some(2027),
                    ..SandboxToken::Ok.facts()
                };
                method::store(cx, own, ProviderName::Sandbox, &card).map(drop)
            })
            .await;
        sold(&travel.app, &late, json!({}), json!({"collection": "automatic"})).await;
        travel.to("2027-03-02T10:00:00Z").await;
        let failed = super::collecting::payments(&travel.app, &late).await;
        let codes: Vec<_> = failed.iter().map(|one| one["failureCode"].clone()).collect();
        assert_eq!(codes, [json!(null), json!("method_expired")]);
        let all = spotter_harness::billing::invoices(&travel.app, &client).await;
        assert!(all.iter().rev().skip(1).all(|one| one["status"] == "paid"), "{all:?}");
    });
}

#[scenario(process, clock)]
fn pauses_and_ends_are_confirmed(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let client = ann(&travel).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        let path = format!("/finance/subscriptions/{}", one.course);
        let pause = json!({"from": "2026-11-20", "until": "2026-11-27"});
        travel.app.post(&format!("{path}/pause-requests"), pause).await.ok();
        travel.app.post(&format!("{path}/cancellation-requests"), json!({})).await.ok();
        travel.to("2026-11-01T09:10:00Z").await;
        let wanted = [
            "Invoice INV-2026-000001 of Test Gym",
            "Your membership at Test Gym is paused",
            "Your membership at Test Gym ends",
        ];
        assert_eq!(BTreeSet::from_iter(subjects(&travel)), wanted.map(str::to_owned).into());
        let all = travel.app.server.mailbox.messages();
        let text_of =
            |subject: &str| all.iter().find(|one| one.subject == subject).unwrap().text.clone();
        let submitted = "Gold is paused from 20 November 2026 and continues on 27 November 2026";
        assert!(text_of(wanted[1]).contains(submitted), "{}", text_of(wanted[1]));
        let end = text(&get_subscription(&travel.app, &one.course).await, "/endDate");
        let last_day = spotter_kernel::Date::parse(&end).unwrap().plus_days(-1).unwrap();
        let submitted = format!("Its last day is {}", last_day.0.strftime("%-d %B %Y"));
        assert!(text_of(wanted[2]).contains(&submitted), "{submitted} {}", text_of(wanted[2]));
        // Continuing is not confirmed again; nothing is told twice.
        travel.app.app("POST", &format!("{path}/cancellation/undo"), None).await.ok();
        travel.to("2026-12-20T09:10:00Z").await;
        let response = subjects(&travel);
        assert_eq!(
            response.iter().filter(|one| one.starts_with("Your membership")).count(),
            2,
            "{response:?}"
        );
    });
}
