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
fn chosen_clients_are_written_to(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let mut chosen = Vec::new();
        for name in ["Ann", "Bo"] {
            let email = format!("{name}-{}@example.com", spotter_harness::random_text());
            let new = json!({"firstName": name, "email": email, "optIns": {"email": true}});
            chosen.push((travel.app.new_client(new).await, email.to_lowercase()));
        }
        // Who does not want news gets none, though they agreed to e-mail once.
        let (cas, unwilling) = member(&mut travel).await;
        let own = json!({"optIns": {"email": true}});
        travel.app.patch(&format!("/clients/{cas}"), own).await.ok();
        let path = format!("/clients/{cas}/notification-choices");
        let none = json!({"kinds": {"announcements": false}});
        let token = sign_in(&travel.app, &unwilling).await;
        travel.app.app_as(&token, "PATCH", &path, Some(none)).await.ok();
        let seen = &mut 0;
        letters(&travel.app, &unwilling, seen);
        let ids = json!([chosen[0].0, chosen[0].0, cas]);
        let audience = json!({"kind": "clients", "clientIds": ids});
        let made = announce(&travel.app, audience, json!({"mail": true})).await.ok();
        assert_eq!(made.data()["announcement"]["recipients"], 2);
        travel.wait(90).await;
        assert!(letters(&travel.app, &unwilling, seen).is_empty());
        let [ann, bo] = [0, 1].map(|at: usize| letters(&travel.app, &chosen[at].1, &mut 0).len());
        assert_eq!((ann, bo), (1, 0));
        let told = letters(&travel.app, &chosen[0].1, &mut 0);
        assert!(!told[0].text.contains("/my/consents"), "she signs in nowhere: {}", told[0].text);
        // Somebody else's client, or none at all.
        let other = App::new(travel.app.server.clone()).await;
        let theirs = other.new_client(json!({"firstName": "Cas"})).await;
        for (audience, field) in [
            (json!({"kind": "clients"}), "audience.clientIds"),
            (json!({"kind": "clients", "clientIds": []}), "audience.clientIds"),
            (json!({"kind": "all", "clientIds": [theirs]}), "audience.clientIds"),
            (json!({"kind": "clients", "clientIds": [theirs]}), "audience.clientIds[0]"),
        ] {
            let reply = announce(&travel.app, audience, json!({"mail": true})).await;
            assert!(matches!(reply.status, 400 | 404), "{}", reply.body);
            reply.about(field);
        }
    });
}

#[scenario]
async fn coaches_choose_among_their_own(app: App) {
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    let (coach, token) = coach(&app, "Coach").await;
    let new = json!({"audience": {"kind": "clients", "clientIds": [ann]},
        "channels": {"mail": true}, "subject": "Hi", "text": "Hi"});
    let write = || app.app_as(&token, "POST", "/announcements", Some(new.clone()));
    write().await.refused(403, "auth.forbidden");
    let own = json!({"clientIds": [ann], "coachId": coach});
    app.post("/clients/bulk", own).await.ok();
    write().await.ok();
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
        let told = letters(&travel.app, &email, seen);
        assert_eq!(subjects(&told), ["New timetable"]);
        assert!(told[0].text.contains("https://gym.example/my/consents"), "{}", told[0].text);
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
