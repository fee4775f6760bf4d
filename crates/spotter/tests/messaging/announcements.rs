//! Announcements: one text to many, each once, to whom a channel leads, and taken back in time.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    calendar::{always_at_work, book, new_class, new_type},
    letters::{letters, member, sign_in, subjects, with_mail},
    people::coach,
    scenario, text,
    travel::Travel,
};

/// A Monday morning.
const MONDAY: &str = "2026-11-02T09:00:00Z";

async fn announce(app: &App, audience: Value, channels: Value) -> spotter_harness::Reply {
    let new = json!({"audience": audience, "channels": channels, "subject": "New timetable",
        "text": "From Monday on.\n\nSee you!\nThe team"});
    app.app("POST", "/announcements", Some(new)).await
}

async fn outcome(app: &App, id: &str) -> Value {
    let found = app.app("GET", &format!("/announcements/{id}"), None).await.ok();
    found.data()["announcement"].clone()
}

#[scenario(process, clock)]
fn everybody_with_a_tag_is_written_to_once(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let mut agreed = Vec::new();
        for number in 0..60 {
            let email = format!("tagged{number}-{}@example.com", spotter_harness::random_text());
            let new = json!({"firstName": "Ann", "email": email, "tags": ["run"],
                "optIns": {"email": number > 0}});
            travel.app.new_client(new).await;
            agreed.push(email);
        }
        travel.app.new_client(json!({"firstName": "Other", "email": "other@example.com"})).await;
        let audience = json!({"kind": "tag", "tag": "run"});
        let made = announce(&travel.app, audience, json!({"mail": true})).await.ok();
        let id = text(made.data(), "/announcement/announcementId");
        assert_eq!(made.data()["announcement"]["recipients"], 60);
        travel.wait(30).await;
        assert_eq!(outcome(&travel.app, &id).await["status"], "scheduled");
        travel.wait(60).await;
        let sent = outcome(&travel.app, &id).await;
        assert_eq!(
            (&sent["status"], &sent["sent"], &sent["unreachable"]),
            (&json!("sent"), &json!(59), &json!(1))
        );
        for (number, email) in agreed.iter().enumerate() {
            let told = letters(&travel.app, email, &mut 0);
            assert_eq!(told.len(), usize::from(number > 0), "{email}");
        }
        let told = letters(&travel.app, &agreed[1], &mut 0);
        assert_eq!(subjects(&told), ["New timetable"]);
        assert!(told[0].text.contains("From Monday on.\n\nSee you!\nThe team"), "{}", told[0].text);
        assert!(told[0].html.contains("See you!<br>The team"), "{}", told[0].html);
        assert!(letters(&travel.app, "other@example.com", &mut 0).is_empty());
        let path = format!("/announcements/{id}/recipients?status=unreachable");
        let missed = travel.app.app("GET", &path, None).await.ok();
        assert_eq!(missed.data()["total"], 1);
        let path = format!("/announcements/{id}/cancel");
        travel.app.app("POST", &path, None).await.refused(409, "PUBLIC_API_ERROR").about("status");
    });
}

#[scenario(process, clock)]
fn attendees_of_a_class_get_a_message_and_mail(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let (client, email) = member(&mut travel).await;
        let leader = travel.app.admin.to_string();
        always_at_work(&travel.app, &leader).await;
        let lesson =
            new_type(&travel.app, json!({"kind": "class", "name": "Yoga", "capacity": 8})).await;
        let class = new_class(&travel.app, &lesson, &leader, "2026-11-05T18:00:00Z").await;
        book(&travel.app, json!({"clientId": client, "calendarEventId": class})).await;
        travel.wait(90).await;
        let seen = &mut 0;
        letters(&travel.app, &email, seen);
        travel.app.events().await;
        let audience = json!({"kind": "class", "calendarEventId": class});
        let both = json!({"mail": true, "message": true});
        announce(&travel.app, audience.clone(), both.clone()).await.ok();
        travel.wait(90).await;
        travel.app.announced(&["conversation.created", "conversation.message.created"]).await;
        assert_eq!(subjects(&letters(&travel.app, &email, seen)), ["New timetable"]);
        let token = sign_in(&travel.app, &email).await;
        let unread = travel.app.app_as(&token, "GET", "/conversations/unread", None).await.ok();
        assert_eq!(unread.data()["unreadMessages"], 1);

        // Who leaves the class before it is sent does not get it.
        let made = announce(&travel.app, audience.clone(), both.clone()).await.ok();
        let left = text(made.data(), "/announcement/announcementId");
        let listed = travel.app.get(&format!("/bookings?clientId={client}")).await.ok();
        let booking = text(listed.data(), "/bookings/0/bookingId");
        travel.app.post(&format!("/bookings/{booking}/cancel"), json!({})).await.ok();
        travel.wait(120).await;
        assert_eq!(outcome(&travel.app, &left).await["unreachable"], 1);
        let told = letters(&travel.app, &email, seen);
        assert!(!subjects(&told).contains(&"New timetable"), "{:?}", subjects(&told));
        book(&travel.app, json!({"clientId": client, "calendarEventId": class})).await;
        travel.wait(90).await;
        letters(&travel.app, &email, seen);

        // What is taken back reaches nobody.
        let made = announce(&travel.app, audience, both).await.ok();
        let path =
            format!("/announcements/{}/cancel", text(made.data(), "/announcement/announcementId"));
        travel.app.app("POST", &path, None).await.ok();
        travel.wait(120).await;
        assert!(letters(&travel.app, &email, seen).is_empty());
        // Clients announce nothing.
        let token = sign_in(&travel.app, &email).await;
        let reply = travel.app.app_as(&token, "GET", "/announcements", None).await;
        reply.refused(403, "auth.forbidden");
    });
}

#[scenario]
async fn coaches_write_to_their_own_and_audiences_are_checked(app: App) {
    let (own, token) = coach(&app, "Coach").await;
    let client = app.new_client(json!({"firstName": "Ann", "assignedCoachId": own})).await;
    let new = |audience: Value, channels: Value| json!({"audience": audience, "channels": channels, "subject": "Hi", "text": "Hello"});
    let mail = json!({"mail": true});
    let as_coach = async |body| app.app_as(&token, "POST", "/announcements", Some(body)).await;
    let made = as_coach(new(json!({"kind": "coach", "coachId": own}), mail.clone())).await.ok();
    assert_eq!(made.data()["announcement"]["recipients"], 1, "{client}");
    for audience in
        [json!({"kind": "all"}), json!({"kind": "coach", "coachId": app.admin.to_string()})]
    {
        as_coach(new(audience, mail.clone())).await.refused(403, "auth.forbidden");
    }
    let as_manager = async |body| app.app("POST", "/announcements", Some(body)).await;
    for (audience, channels, field) in [
        (json!({"kind": "tag"}), mail.clone(), "audience.tag"),
        (json!({"kind": "all", "tag": "x"}), mail.clone(), "audience.tag"),
        (json!({"kind": "class"}), mail.clone(), "audience.calendarEventId"),
        (json!({"kind": "all"}), json!({}), "channels.mail"),
    ] {
        as_manager(new(audience, channels)).await.refused(400, "request.invalid").about(field);
    }
    let nobody = json!({"kind": "tag", "tag": "nobody"});
    as_manager(new(nobody, mail.clone())).await.refused(409, "PUBLIC_API_ERROR").about("audience");
    let unknown = json!({"kind": "class", "calendarEventId": own});
    as_manager(new(unknown, mail)).await.refused(404, "resource.not_found");
}
