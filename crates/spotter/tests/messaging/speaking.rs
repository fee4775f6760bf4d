//! Sending, editing, deleting and reading messages, and the emitted events.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spotter_harness::{
    App,
    messaging::{open_group, say},
    people, scenario, text,
};

use super::Pair;

#[scenario]
async fn a_message_is_sent_edited_and_deleted(app: App) {
    let pair = Pair::new(&app).await;
    let sent =
        pair.as_client(&app, "POST", "/messages", Some(json!({"text": " Hello "}))).await.ok();
    assert_eq!(sent.status, 201);
    assert_eq!(sent.data()["message"]["text"], "Hello");
    assert_eq!(sent.data()["message"]["attachment"], Value::Null);
    let id = text(sent.data(), "/message/messageId");
    let sender = json!({"userId": pair.client, "role": "Client"});
    let event = json!({"conversationId": pair.conversation, "conversationType": "direct",
        "messageId": id, "sender": sender});
    assert_eq!(
        app.announced(&["conversation.message.created"]).await,
        std::slice::from_ref(&event)
    );
    let path = format!("/messages/{id}");
    let edit = |what: &str| pair.as_client(&app, "PATCH", &path, Some(json!({"text": what})));
    let edited = edit("Hello there").await.ok();
    assert!(edited.data()["message"]["editedAt"].is_string());
    let response = app.announced(&["conversation.message.updated"]).await;
    let mut with_fields = event.clone();
    with_fields["changedFields"] = json!(["text"]);
    assert_eq!(response, [with_fields]);
    // Editing to the same text changes nothing.
    edit("Hello there").await.ok();
    app.announced(&[]).await;
    let deleted = pair.as_client(&app, "DELETE", &path, None).await.ok();
    assert_eq!(deleted.data()["message"]["isDeleted"], true);
    assert_eq!(app.announced(&["conversation.message.deleted"]).await, [event]);
    pair.as_client(&app, "DELETE", &path, None).await.ok();
    app.announced(&[]).await;
    edit("Once more").await.refused(409, "PUBLIC_API_ERROR").about("isDeleted");
    for (body, field) in [
        (json!({}), "text"),
        (json!({"text": "  "}), "text"),
        (json!({"text": "x".repeat(4_001)}), "text"),
        (json!({"text": "a\u{0}b"}), "text"),
        (json!({"uploadId": "0".repeat(24)}), "uploadId"),
    ] {
        let refused =
            pair.as_client(&app, "POST", "/messages", Some(body.clone())).await.about(field);
        assert!([400, 404].contains(&refused.status), "{body}");
    }
    app.announced(&[]).await;
}

#[scenario]
async fn deleted_records_are_gone(app: App) {
    let pair = Pair::new(&app).await;
    let id = say(&app, &pair.coach_token, &pair.conversation, "Regrettable").await;
    pair.as_coach(&app, "DELETE", &format!("/messages/{id}"), None).await.ok();
    let public = app.get(&format!("/conversations/{}/messages", pair.conversation)).await.ok();
    assert_eq!(public.data()["total"], 1);
    let mark = &public.data()["messages"][0];
    assert_eq!((&mark["isDeleted"], &mark["text"]), (&json!(true), &Value::Null));
    const ROWS: spotter_store::Sql =
        spotter_store::Sql("SELECT text FROM message WHERE company_id = ?1 AND is_deleted = TRUE");
    let company = app.company;
    let read = move |tx: &mut spotter_store::Tx<'_>| tx.all(ROWS, spotter_store::params![company]);
    let rows: Vec<(Option<String>,)> = app.server.db.read(read).await.unwrap();
    assert_eq!(rows, [(None,)]);
}

#[scenario]
async fn marks_go_forward_alone(app: App) {
    let pair = Pair::new(&app).await;
    let mut submitted = Vec::new();
    for number in 0..4 {
        submitted.push(say(&app, &pair.coach_token, &pair.conversation, &number.to_string()).await);
    }
    app.events().await;
    let see = |id: &str| pair.as_client(&app, "POST", "/seen", Some(json!({"messageId": id})));
    let seen = see(&submitted[2]).await.ok();
    assert_eq!(
        (&seen.data()["unreadCount"], &seen.data()["seenMessageId"]),
        (&json!(1), &json!(submitted[2]))
    );
    let back = see(&submitted[0]).await.ok();
    assert_eq!(back.data()["seenMessageId"], submitted[2].as_str());
    // The contract has no event for it: integrations do not learn who has read what.
    app.announced(&[]).await;
    let one = pair.as_coach(&app, "GET", "", None).await.ok();
    let readers = one.data()["conversation"]["participants"].as_array().unwrap();
    let mark =
        |id: &str| readers.iter().find(|one| one["userId"] == id).unwrap()["seenMessageId"].clone();
    assert_eq!((mark(&pair.client), mark(&pair.coach)), (json!(submitted[2]), json!(submitted[3])));
    let list = app.app_as(&pair.client_token, "GET", "/conversations?unread=true", None).await.ok();
    let own = &list.data()["conversations"][0];
    assert_eq!((&own["unreadCount"], &own["lastMessage"]["text"]), (&json!(1), &json!("3")));
    // Answering marks earlier messages as seen.
    say(&app, &pair.client_token, &pair.conversation, "Yes").await;
    for (token, unread) in [(&pair.client_token, 0), (&pair.coach_token, 1)] {
        let counted = app.app_as(token, "GET", "/conversations/unread", None).await.ok();
        assert_eq!(counted.data()["unreadMessages"], unread);
        assert_eq!(counted.data()["unreadConversations"], unread);
        let list = app.app_as(token, "GET", "/conversations?unread=true", None).await.ok();
        assert_eq!(list.data()["total"], unread);
        let list = app.app_as(token, "GET", "/conversations?unread=false", None).await.ok();
        assert_eq!(list.data()["total"], 1 - unread);
    }
    see(&"0".repeat(24)).await.refused(404, "resource.not_found").about("messageId");
    let elsewhere = open_group(&app, &pair.coach_token, &[&pair.client]).await;
    let other = say(&app, &pair.coach_token, &elsewhere, "Here").await;
    see(&other).await.refused(404, "resource.not_found").about("messageId");
}

#[scenario]
async fn senders_and_coaches_alone_may_change(app: App) {
    let (_, coach) = people::coach(&app, "Coach").await;
    let (ann, ann_token) = people::client(&app).await;
    let (bea, bea_token) = people::client(&app).await;
    let group = open_group(&app, &coach, &[&ann, &bea, &app.admin.to_string()]).await;
    let submitted = say(&app, &ann_token, &group, "Rude").await;
    let own = say(&app, &coach, &group, "Rules").await;
    let path = |id: &str| format!("/conversations/{group}/messages/{id}");
    let edit = json!({"text": "Nicer"});
    for token in [&bea_token, &coach, &app.coach_token] {
        app.app_as(token, "PATCH", &path(&submitted), Some(edit.clone()))
            .await
            .refused(403, "auth.forbidden");
    }
    app.app_as(&bea_token, "DELETE", &path(&submitted), None).await.refused(403, "auth.forbidden");
    app.app_as(&app.coach_token, "DELETE", &path(&own), None).await.refused(403, "auth.forbidden");
    app.app_as(&ann_token, "DELETE", &path(&own), None).await.refused(403, "auth.forbidden");
    app.app_as(&coach, "DELETE", &path(&submitted), None).await.ok();
    // In a direct conversation nobody deletes the other's messages.
    let pair = Pair::new(&app).await;
    let submitted = say(&app, &pair.client_token, &pair.conversation, "Mine").await;
    pair.as_coach(&app, "DELETE", &format!("/messages/{submitted}"), None)
        .await
        .refused(403, "auth.forbidden");
}

#[scenario]
async fn many_write_at_once(app: App) {
    let pair = Pair::new(&app).await;
    let writers = (0..40).map(|number| {
        let token = if number % 2 == 0 { &pair.client_token } else { &pair.coach_token };
        let key = format!("key-{}", number / 4);
        let text = format!("Said {}", number / 4);
        let path = format!("/app/v1{}", pair.path("/messages"));
        let request = app.server.request("POST", &path).bearer_auth(token);
        spotter_harness::send(request.header("Idempotency-Key", key).json(&json!({"text": text})))
    });
    let replies = futures_util::future::join_all(writers).await;
    let sent = replies.iter().filter(|reply| reply.status == 201).count();
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!((reply.status, reply.key()), (409, "idempotency.in_progress"), "{}", reply.body);
    }
    assert!(sent >= 20);
    let ids: BTreeSet<_> = replies
        .iter()
        .filter(|reply| reply.status == 201)
        .map(|reply| text(reply.data(), "/message/messageId"))
        .collect();
    assert_eq!(ids.len(), 20, "ten keys of two people");
    let list =
        app.get(&format!("/conversations/{}/messages?limit=100", pair.conversation)).await.ok();
    assert_eq!(list.data()["total"], 20);
    let messages = list.data()["messages"].as_array().unwrap();
    let listed: BTreeSet<_> = messages.iter().map(|one| text(one, "/messageId")).collect();
    assert_eq!(listed, ids, "every message has a place of its own");
    assert_eq!(app.events().await.len(), 20);
}
