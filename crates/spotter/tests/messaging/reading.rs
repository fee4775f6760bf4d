//! Reads of integrations: shapes, scopes, consents, pages, and no read marks.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spotter_harness::{
    App, described,
    messaging::{open_group, say},
    scenario, send, text,
};

use super::Pair;

#[scenario]
async fn messages_have_the_contracts_shape(app: App) {
    let pair = Pair::new(&app).await;
    let first = say(&app, &pair.coach_token, &pair.conversation, "How was the run?").await;
    let second = say(&app, &pair.client_token, &pair.conversation, "Long").await;
    let path = format!("/conversations/{}/messages", pair.conversation);
    let list = app.get(&format!("{path}?conversationType=direct&page=1&limit=10")).await.ok();
    let sent_at = list.data()["messages"][1]["sentAt"].clone();
    assert_eq!(
        list.data()["messages"][1],
        json!({"messageId": first, "conversationId": pair.conversation, "conversationType": "direct",
            "sender": {"userId": pair.coach, "role": "Coach", "name": "Bo Vos"}, "type": "text",
            "text": "How was the run?", "hasMedia": false, "fileName": null, "sentAt": sent_at,
            "editedAt": null, "isDeleted": false})
    );
    let newest = &list.data()["messages"][0];
    assert_eq!(newest["messageId"], second.as_str());
    assert_eq!(
        newest["sender"],
        json!({"userId": pair.client, "role": "Client", "name": "Ann Bos"})
    );
    let metrics = json!({"page": 1, "limit": 10, "total": 2, "totalPages": 1,
        "hasNextPage": false, "hasPrevPage": false});
    for (name, value) in metrics.as_object().unwrap() {
        assert_eq!(&list.data()[name], value, "{name}");
    }
    // The hint names where to look; nothing is there.
    app.get(&format!("{path}?conversationType=group")).await.refused(404, "resource.not_found");
    app.get(&format!("{path}?conversationType=room"))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("conversationType");
    app.get(&format!("{path}?limit=101")).await.refused(400, "request.invalid").about("limit");
    // Names are those of today.
    app.app("PATCH", &format!("/coaches/{}", pair.coach), Some(json!({"firstName": "Bob"})))
        .await
        .ok();
    let list = app.get(&path).await.ok();
    assert_eq!(list.data()["messages"][1]["sender"]["name"], "Bob Vos");
}

#[scenario]
async fn sanitized_lists_hide_texts(app: App) {
    let pair = Pair::new(&app).await;
    let group = open_group(&app, &pair.coach_token, &[&pair.client]).await;
    let submitted = say(&app, &pair.client_token, &pair.conversation, "My knee hurts").await;
    say(&app, &pair.coach_token, &group, "Saturday at nine").await;
    let list = app.get("/messages").await.ok();
    assert_eq!(list.data()["total"], 2);
    let mut message = list.data()["messages"][1].clone();
    assert!(message["sentAt"].is_string());
    message.as_object_mut().unwrap().remove("sentAt");
    assert_eq!(
        message,
        json!({"messageId": submitted, "conversationId": pair.conversation, "conversationType": "direct",
            "sender": {"userId": pair.client, "role": "Client"}, "type": "text", "hasMedia": false,
            "editedAt": null, "isDeleted": false})
    );
    let threads = app.get("/messages/threads").await.ok();
    let mut names: Vec<_> = threads.data()["threads"][0].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "conversationId",
            "conversationType",
            "createdAt",
            "lastMessageAt",
            "messageCount",
            "participantCount"
        ]
    );
    assert_eq!(threads.data()["threads"][0]["conversationId"], group.as_str());
    for reply in [&list, &threads] {
        for word in ["knee", "Saturday", "Ann", "Bo ", "Runners"] {
            assert!(!reply.body.to_string().contains(word), "{word} in {}", reply.body);
        }
    }
    let from = text(list.data(), "/messages/0/sentAt");
    let later = app.get(&format!("/messages?from={from}")).await.ok();
    assert_eq!(later.data()["total"], 1);
    let earlier = app.get(&format!("/messages?to={from}")).await.ok();
    assert_eq!(earlier.data()["messages"][0]["messageId"], submitted.as_str());
    app.get(&format!("/messages?from={from}&to=2026-01-01T00:00:00.000Z"))
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
}

#[scenario]
async fn conversations_are_listed_by_activity(app: App) {
    let pair = Pair::new(&app).await;
    let group = open_group(&app, &pair.coach_token, &[&pair.client]).await;
    let alone = open_group(&app, &app.coach_token, &[&pair.coach]).await;
    say(&app, &pair.client_token, &pair.conversation, "Hi").await;
    let ids = |list: &Value| -> Vec<String> {
        let all = list["conversations"].as_array().unwrap();
        all.iter().map(|one| text(one, "/conversationId")).collect()
    };
    let list = app.get("/conversations").await.ok();
    assert_eq!(ids(list.data()), [pair.conversation.as_str(), &alone, &group]);
    let direct = &list.data()["conversations"][0];
    assert_eq!((&direct["messageCount"], &direct["participantCount"]), (&json!(1), &json!(2)));
    assert_eq!(direct["name"], Value::Null);
    let people: BTreeSet<_> = direct["participants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(one, "/userId"), text(one, "/role"), text(one, "/name")))
        .collect();
    let coach = (pair.coach.clone(), "Coach".to_owned(), "Bo Vos".to_owned());
    let client = (pair.client.clone(), "Client".to_owned(), "Ann Bos".to_owned());
    assert_eq!(people, BTreeSet::from([coach, client]));
    for (query, found) in [
        ("conversationType=group".to_owned(), vec![&alone, &group]),
        (format!("userId={}", pair.client), vec![&pair.conversation, &group]),
        (format!("userId={}&conversationType=group", pair.client), vec![&group]),
        (format!("userId={}", "0".repeat(24)), vec![]),
        ("limit=1&page=3".to_owned(), vec![&group]),
    ] {
        let list = app.get(&format!("/conversations?{query}")).await.ok();
        assert_eq!(ids(list.data()), found.into_iter().cloned().collect::<Vec<_>>(), "{query}");
    }
    let one = app.get(&format!("/conversations/{group}")).await.ok();
    assert_eq!(one.data()["conversation"]["name"], "Runners");
}

#[scenario]
async fn consents_gate_messages(app: App) {
    let pair = Pair::new(&app).await;
    say(&app, &pair.coach_token, &pair.conversation, "Hello").await;
    let path = "/integrations/public-api/clients";
    let scopes = ["conversations:read", "messages:read"];
    let made = |consents: Value| {
        let body = json!({"name": "X", "scopes": scopes, "consents": consents,
            "defaultAssignedCoachId": app.admin});
        app.app("POST", path, Some(body))
    };
    let consent = "PUBLIC_API_PRIVATE_COMMUNICATION_CONSENT_REQUIRED";
    made(json!({"healthData": true})).await.refused(400, consent);
    let made = made(json!({"privateCommunication": true})).await.ok();
    let secret = |name: &str| text(made.data(), &format!("/{name}"));
    let token = app.issue(&secret("clientId"), &secret("clientSecret")).await;
    let messages = format!("/conversations/{}/messages", pair.conversation);
    let one = format!("/conversations/{}", pair.conversation);
    let paths = ["/conversations", &one, &messages, "/messages/threads", "/messages"];
    let call = |path: &str, token: &str| {
        send(app.server.request("GET", &format!("/public/v1{path}")).bearer_auth(token))
    };
    for path in paths {
        call(path, &token).await.ok();
    }
    // The consent is withdrawn: the tokens that were issued stop showing anything.
    let id = text(made.data(), "/client/id");
    let withdraw = json!({"consents": {"privateCommunication": false, "healthData": true}});
    app.app("PATCH", &format!("{path}/{id}"), Some(withdraw)).await.ok();
    for path in paths {
        let refused =
            call(path, &token).await.refused(403, "scopes.private_communication_consent_required");
        described::check(spotter_contract::Surface::Public, "GET", path, &refused);
    }
    // Each scope opens its own doors alone.
    let narrow = app.token_with(&["messages:read"]).await;
    call("/messages", &narrow).await.ok();
    call(&messages, &narrow).await.refused(403, "scopes.insufficient");
    let narrow = app.token_with(&["conversations:read"]).await;
    call(&messages, &narrow).await.ok();
    call("/messages", &narrow).await.refused(403, "scopes.insufficient");
    let other = App::new(app.server.clone()).await;
    other.get(&messages).await.refused(404, "resource.not_found");
    other.get(&one).await.refused(404, "resource.not_found");
    for path in ["/conversations", "/messages", "/messages/threads"] {
        assert_eq!(other.get(path).await.ok().data()["total"], 0, "{path}");
    }
}

#[scenario]
async fn reading_leaves_no_mark(app: App) {
    let pair = Pair::new(&app).await;
    for number in 0..3 {
        say(&app, &pair.coach_token, &pair.conversation, &format!("Message {number}")).await;
    }
    app.events().await;
    let before = app.state().await;
    app.get(&format!("/conversations/{}/messages", pair.conversation)).await.ok();
    app.get(&format!("/conversations/{}", pair.conversation)).await.ok();
    app.get("/messages").await.ok();
    assert_eq!(before, app.state().await);
    let unread = app.app_as(&pair.client_token, "GET", "/conversations/unread", None).await.ok();
    assert_eq!(unread.data(), &json!({"unreadMessages": 3, "unreadConversations": 1}));
    app.announced(&[]).await;
}

#[scenario]
async fn pages_hold_every_message_once(app: App) {
    let pair = Pair::new(&app).await;
    let mut submitted = Vec::new();
    for number in 0..23 {
        let token = if number % 3 == 0 { &pair.client_token } else { &pair.coach_token };
        submitted.push(say(&app, token, &pair.conversation, &format!("Message {number}")).await);
    }
    // A deleted message keeps its place.
    pair.as_coach(&app, "DELETE", &format!("/messages/{}", submitted[7]), None).await.ok();
    submitted.reverse();
    let path = format!("/conversations/{}/messages", pair.conversation);
    for limit in [1, 4, 5, 23, 100] {
        let mut seen = Vec::new();
        let pages = 23_usize.div_ceil(limit);
        for page in 1..=pages + 1 {
            let list = app.get(&format!("{path}?limit={limit}&page={page}")).await.ok();
            let data = list.data();
            assert_eq!((&data["total"], &data["totalPages"]), (&json!(23), &json!(pages)));
            assert_eq!(data["hasNextPage"], page < pages, "page {page} of {limit}");
            let messages = data["messages"].as_array().unwrap();
            seen.extend(messages.iter().map(|message| text(message, "/messageId")));
        }
        assert_eq!(seen, submitted, "pages of {limit}");
        let far = app.get(&format!("{path}?limit={limit}&page=1000000000")).await.ok();
        assert_eq!(far.data()["messages"], json!([]));
    }
}

#[scenario]
async fn sync_misses_nothing_under_writes(app: App) {
    let pair = Pair::new(&app).await;
    let mut there = BTreeSet::new();
    for number in 0..40 {
        there.insert(say(&app, &pair.coach_token, &pair.conversation, &number.to_string()).await);
    }
    let path = format!("/conversations/{}/messages", pair.conversation);
    let write = async {
        for number in 0..40 {
            say(&app, &pair.client_token, &pair.conversation, &number.to_string()).await;
        }
    };
    let follow = async {
        let (mut seen, mut page) = (Vec::new(), 1);
        loop {
            let list = app.get(&format!("{path}?limit=7&page={page}")).await.ok();
            let messages = list.data()["messages"].as_array().unwrap();
            let times: Vec<_> = messages.iter().map(|one| text(one, "/sentAt")).collect();
            assert!(times.is_sorted_by(|a, b| a >= b), "newest first: {times:?}");
            seen.extend(messages.iter().map(|message| text(message, "/messageId")));
            if list.data()["hasNextPage"] == false {
                return seen;
            }
            page += 1;
        }
    };
    let ((), seen) = tokio::join!(write, follow);
    let seen: BTreeSet<_> = seen.into_iter().collect();
    assert!(there.is_subset(&seen), "{:?} were missed", there.difference(&seen));
    // Participants can keep pages stable.
    let before = text(app.get(&path).await.ok().data(), "/messages/0/messageId");
    say(&app, &pair.coach_token, &pair.conversation, "Later").await;
    let held = format!("/messages?limit=10&page=8&before={before}");
    let list = pair.as_client(&app, "GET", &held, None).await.ok();
    assert_eq!(list.data()["total"], 79);
    assert_eq!(list.data()["messages"].as_array().unwrap().len(), 9);
    let all = app.get("/messages?limit=1").await.ok();
    assert_eq!(all.data()["total"], 81);
}
