//! Letters about memberships, credits, forms and unread messages: at their time, to who wants them.

use serde_json::json;
use spotter_harness::{
    Engine,
    billing::{pay, sold},
    forms::{give, published, questions},
    letters::{letters, member, sign_in, subjects, with_mail},
    messaging::open_direct,
    scenario,
    travel::Travel,
};

/// A Monday morning.
const MONDAY: &str = "2026-11-02T09:00:00Z";

#[scenario(process, clock)]
fn ends_of_memberships_and_credits_are_told_before(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let month = json!({"value": 1, "unit": "Month"});
        let facts = json!({"contractPeriod": month, "autoRenew": false, "assignCredits": true,
            "credits": 4, "creditValidity": month});
        let sale = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &sale.invoice, None).await;
        travel.wait(90).await;
        let seen = &mut 0;
        letters(&travel.app, &email, seen);
        travel.to("2026-11-17T06:59:00Z").await;
        assert!(letters(&travel.app, &email, seen).is_empty(), "quiet hours last until seven");
        travel.to("2026-11-17T07:01:00Z").await;
        let told = letters(&travel.app, &email, seen);
        assert_eq!(told.len(), 1);
        assert!(told[0].subject.ends_with(" ends on 1 December 2026"), "{}", told[0].subject);
        travel.to("2026-11-24T06:59:00Z").await;
        assert!(letters(&travel.app, &email, seen).is_empty());
        travel.to("2026-11-24T07:01:00Z").await;
        let told = letters(&travel.app, &email, seen);
        assert_eq!(subjects(&told), ["Credits at Test Gym valid until 1 December 2026"]);
        assert!(told[0].text.contains("1 December 2026: 4."), "{}", told[0].text);
        travel.to("2026-12-20T12:00:00Z").await;
        assert!(letters(&travel.app, &email, seen).is_empty());
    });
}

#[scenario(process, clock)]
fn forms_are_told_unless_they_are_answered_or_unwanted(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let seen = &mut 0;
        letters(&travel.app, &email, seen);
        let form = published(&travel.app, "general", questions()).await;
        let given = give(&travel.app, &client, &form).await;
        travel.wait(90).await;
        let told = letters(&travel.app, &email, seen);
        assert_eq!(told.len(), 1);
        assert!(told[0].subject.starts_with("A form for you: "), "{}", told[0].subject);
        assert!(told[0].text.contains("https://gym.example/my/forms"), "{}", told[0].text);
        travel.app.act(&format!("/clients/{client}/form-assignments/{given}/cancel")).await.ok();
        // What is taken back at once is not told.
        let given = give(&travel.app, &client, &form).await;
        travel.app.act(&format!("/clients/{client}/form-assignments/{given}/cancel")).await.ok();
        travel.wait(90).await;
        assert!(letters(&travel.app, &email, seen).is_empty());
        let path = format!("/clients/{client}/notification-choices");
        let none = json!({"kinds": {"forms": false}});
        let token = sign_in(&travel.app, &email).await;
        travel.app.app_as(&token, "PATCH", &path, Some(none)).await.ok();
        give(&travel.app, &client, &form).await;
        travel.wait(90).await;
        assert!(letters(&travel.app, &email, seen).is_empty());
    });
}

#[scenario(process, clock)]
fn messages_that_stay_unread_are_told_once(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let seen = &mut 0;
        letters(&travel.app, &email, seen);
        let staff = travel.app.coach_token.clone();
        let conversation = open_direct(&travel.app, &staff, &client).await;
        let path = format!("/conversations/{conversation}/messages");
        for words in ["Hello", "Are you there?"] {
            travel.app.app("POST", &path, Some(json!({"text": words}))).await.ok();
        }
        travel.wait(86_000).await;
        assert!(letters(&travel.app, &email, seen).is_empty());
        travel.wait(500).await;
        let told = letters(&travel.app, &email, seen);
        assert_eq!(subjects(&told), ["Unread messages at Test Gym"]);
        assert!(told[0].text.contains("not read yet: 2."), "{}", told[0].text);
        travel.wait(200_000).await;
        assert!(letters(&travel.app, &email, seen).is_empty());
        // What is read is not told, nor what was written a moment ago.
        let sent = travel.app.app("POST", &path, Some(json!({"text": "And now?"}))).await.ok();
        travel.wait(80_000).await;
        let token = sign_in(&travel.app, &email).await;
        let receipt = json!({"messageId": sent.data()["message"]["messageId"]});
        let seen_path = format!("/conversations/{conversation}/seen");
        travel.app.app_as(&token, "POST", &seen_path, Some(receipt)).await.ok();
        travel.app.app("POST", &path, Some(json!({"text": "Good."}))).await.ok();
        travel.wait(10_000).await;
        assert!(letters(&travel.app, &email, seen).is_empty());
        travel.wait(90_000).await;
        let told = letters(&travel.app, &email, seen);
        assert!(told.len() == 1 && told[0].text.contains("yet: 1."), "{told:?}");
    });
}
