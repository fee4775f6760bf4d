//! Participants: opening, joining, leaving, and isolation of others.

use serde_json::{Value, json};
use spotter_contract::{Access, Surface};
use spotter_harness::{
    App,
    messaging::{open_direct, open_group, say},
    people, random_text, scenario, send,
    world::{World, with_body},
};

use super::Pair;

#[scenario]
async fn two_people_have_one_conversation(app: App) {
    let pair = Pair::new(&app).await;
    let again = open_direct(&app, &pair.client_token, &pair.coach).await;
    assert_eq!(again, pair.conversation);
    app.announced(&[]).await;
    let (other, _) = people::coach(&app, "Coach").await;
    let opened = (0..8).map(|_| open_direct(&app, &pair.client_token, &other));
    let opened = futures_util::future::join_all(opened).await;
    assert!(opened.iter().all(|one| *one == opened[0]), "{opened:?}");
    let response = app.announced(&["conversation.created"]).await;
    assert_eq!(response, [json!({"conversationId": opened[0], "conversationType": "direct"})]);
    let open = async |token: &str, body: Value| {
        app.app_as(token, "POST", "/conversations", Some(body)).await
    };
    let direct = |ids: Value| json!({"conversationType": "direct", "userIds": ids});
    open(&pair.coach_token, direct(json!([pair.coach])))
        .await
        .refused(400, "request.invalid")
        .about("userIds[0]");
    open(&pair.coach_token, direct(json!([])))
        .await
        .refused(400, "request.invalid")
        .about("userIds");
    open(&pair.coach_token, direct(json!([pair.client, other])))
        .await
        .refused(400, "request.invalid")
        .about("userIds");
    open(&pair.coach_token, direct(json!(["0".repeat(24)])))
        .await
        .refused(404, "resource.not_found")
        .about("userIds[0]");
    let mut named = direct(json!([pair.client]));
    named["name"] = json!("Us");
    open(&pair.coach_token, named).await.refused(400, "request.invalid").about("name");
    // Clients do not know each other; another client does not exist for them.
    let (neighbour, _) = people::client(&app).await;
    let unknown = open(&pair.client_token, direct(json!(["0".repeat(24)]))).await;
    let known = open(&pair.client_token, direct(json!([neighbour]))).await;
    assert_eq!(known.refused(404, "resource.not_found").body["error"], unknown.body["error"]);
    app.act(&format!("/clients/{neighbour}/archive")).await.ok();
    open(&pair.coach_token, direct(json!([neighbour]))).await.refused(404, "resource.not_found");
    // Nobody would read it.
    app.act(&format!("/clients/{}/archive", pair.client)).await.ok();
    let path = format!("/conversations/{}/messages", pair.conversation);
    let submitted = app.app_as(&pair.coach_token, "POST", &path, Some(json!({"text": "Hello?"})));
    submitted.await.refused(409, "PUBLIC_API_ERROR").about("conversationId");
}

#[scenario]
async fn groups_are_led_by_coaches(app: App) {
    let pair = Pair::new(&app).await;
    let (late, late_token) = people::client(&app).await;
    let group = open_group(&app, &pair.coach_token, &[&pair.client]).await;
    let response = app.announced(&["conversation.created"]).await;
    assert_eq!(response, [json!({"conversationId": group, "conversationType": "group"})]);
    let path = format!("/conversations/{group}");
    say(&app, &pair.coach_token, &group, "Before").await;
    app.events().await;
    let participants = format!("{path}/participants");
    let add = async |token: &str| {
        app.app_as(token, "POST", &participants, Some(json!({"userId": late}))).await
    };
    app.app_as(&late_token, "GET", &path, None).await.refused(404, "resource.not_found");
    add(&pair.client_token).await.refused(403, "auth.forbidden");
    let added = add(&pair.coach_token).await.ok();
    assert_eq!(added.data()["conversation"]["participantCount"], 3);
    let joined = json!({"conversationId": group, "conversationType": "group", "userId": late,
        "role": "Client"});
    assert_eq!(
        app.announced(&["conversation.participant.added"]).await,
        std::slice::from_ref(&joined)
    );
    add(&pair.coach_token).await.refused(409, "PUBLIC_API_ERROR").about("userId");
    // A new participant sees earlier messages, and none of them is unread.
    let seen = app.app_as(&late_token, "GET", &path, None).await.ok();
    assert_eq!(seen.data()["conversation"]["unreadCount"], 0);
    assert_eq!(seen.data()["conversation"]["lastMessage"]["text"], "Before");
    let change =
        async |token: &str, body: Value| app.app_as(token, "PATCH", &path, Some(body)).await;
    change(&pair.client_token, json!({"name": "Ours"})).await.refused(403, "auth.forbidden");
    let changed = change(&pair.coach_token, json!({"name": "Walkers", "description": "Slowly"}));
    assert_eq!(changed.await.ok().data()["conversation"]["description"], "Slowly");
    assert_eq!(
        app.announced(&["conversation.updated"]).await,
        [json!({"conversationId": group, "conversationType": "group",
            "changedFields": ["name", "description"]})]
    );
    change(&pair.coach_token, json!({"name": "Walkers"})).await.ok();
    app.announced(&[]).await;
    change(&pair.coach_token, json!({"name": null}))
        .await
        .refused(400, "request.invalid")
        .about("name");
    let leave = async |token: &str, who: &str| {
        app.app_as(token, "DELETE", &format!("{participants}/{who}"), None).await
    };
    leave(&late_token, &pair.client).await.refused(403, "auth.forbidden");
    let left = leave(&late_token, &late).await.ok();
    assert_eq!(left.data()["participantCount"], 2);
    assert_eq!(app.announced(&["conversation.participant.removed"]).await, [joined]);
    app.app_as(&late_token, "GET", &path, None).await.refused(404, "resource.not_found");
    leave(&pair.coach_token, &late).await.refused(404, "resource.not_found");
    leave(&pair.coach_token, &pair.client).await.ok();
    app.announced(&["conversation.participant.removed"]).await;
    // A direct conversation cannot be changed.

    let gone = format!("/participants/{}", pair.client);
    for reply in [
        pair.as_coach(&app, "POST", "/participants", Some(json!({"userId": late}))).await,
        pair.as_coach(&app, "DELETE", &gone, None).await,
        pair.as_coach(&app, "PATCH", "", Some(json!({"name": "X"}))).await,
    ] {
        reply.refused(409, "PUBLIC_API_ERROR").about("conversationType");
    }
    app.announced(&[]).await;
}

/// Every operation on a conversation, called by a person outside of it, and by another company.
#[scenario]
async fn only_participants_see_conversations(app: App) {
    let world = World::new(app).await;
    let app = &world.app;
    let (_, outsider) = people::coach(app, "Admin").await;
    let (_, client) = people::client(app).await;
    let other = App::new(app.server.clone()).await;
    let before = app.state().await;
    let mut tried = 0;
    for operation in spotter::areas::operations() {
        if operation.surface != Surface::App || !operation.path.starts_with("/conversations/{") {
            continue;
        }
        let path = world.path(&operation);
        for token in [&outsider, &client, &other.coach_token] {
            let request = app.server.request(operation.method.name(), &path).bearer_auth(token);
            send(with_body(&operation, &world, request)).await.refused(404, "resource.not_found");
        }
        tried += 1;
    }
    assert!(tried >= 10, "{tried}");
    for token in [&outsider, &client, &other.coach_token] {
        let list = app.app_as(token, "GET", "/conversations", None).await.ok();
        assert_eq!(list.data()["total"], 0);
    }
    assert_eq!(before, app.state().await);
}

/// A client at every door of the application API: those for coaches stay shut.
#[scenario]
async fn clients_reach_only_their_records(app: App) {
    let world = World::new(app).await;
    let app = &world.app;
    let (_, client) = people::client(app).await;
    let before = app.state().await;
    let mut shut = 0;
    for operation in spotter::areas::operations() {
        if !matches!(operation.access, Access::Coach(_)) || operation.for_client.is_some() {
            continue;
        }
        let path = world.path(&operation);
        let request = app.server.request(operation.method.name(), &path).bearer_auth(&client);
        let request = request.header("Idempotency-Key", random_text());
        let request = with_body(&operation, &world, request);
        send(request).await.refused(403, "auth.forbidden");
        shut += 1;
    }
    assert!(shut >= 20, "{shut}");
    assert_eq!(before, app.state().await);
}
