//! Calendar feeds: content by kind, how they end, and other programs that read them.

use serde_json::{Value, json};
use spotter_harness::{
    App, Reply,
    calendar::{always_at_work, book, new_class, new_type},
    dates::at,
    people, python, scenario, text,
};
use spotter_testing::requirements;

const FEEDS: &str = "/calendar/feeds";

/// Makes a feed: its path and its address.
async fn feed(app: &App, token: &str, new: Value) -> (String, String) {
    let made = app.app_as(token, "POST", FEEDS, Some(new)).await.ok();
    let id = text(made.data(), "/calendarFeed/calendarFeedId");
    (format!("{FEEDS}/{id}"), place(&made))
}

/// The path of a feed's address.
fn place(response: &Reply) -> String {
    let url = text(response.data(), "/url");
    url[url.find("/calendars/").unwrap()..].to_owned()
}

async fn fetch(app: &App, place: &str) -> (u16, String) {
    let reply = app.server.request("GET", place).send().await.unwrap();
    (reply.status().as_u16(), reply.text().await.unwrap())
}

/// The values of a property, folds undone.
fn values(calendar: &str, name: &str) -> Vec<String> {
    let unfolded = calendar.replace("\r\n ", "");
    let lines = unfolded.lines().filter_map(|line| line.split_once(':'));
    lines.filter(|(own, _)| *own == name).map(|(_, value)| value.to_owned()).collect()
}

/// A coach with an appointment, a class and a task at a place, and the client of both.
struct Day {
    app: App,
    coach: (String, String),
    client: (String, String),
    location: String,
    bookings: [String; 2],
}

async fn day(app: App) -> Day {
    let coach = people::coach(&app, "Coach").await;
    always_at_work(&app, &coach.0).await;
    let client = people::client(&app).await;
    let location = json!({"name": "Studio", "type": "physical", "timeZone": "Europe/Amsterdam",
        "address": {"line1": "Kade 1", "city": "Utrecht", "country": "NL"}});
    let made = app.app("POST", "/locations", Some(location)).await.ok();
    let location = text(made.data(), "/location/locationId");
    let talk =
        new_type(&app, json!({"name": "Talk; once, again", "locationIds": [location]})).await;
    let new = json!({"clientId": client.0, "eventTypeId": talk, "coachId": coach.0,
        "startsAt": at(3, 600), "ignorePolicy": true, "note": "A secret"});
    let first = book(&app, new).await;
    let spin = new_type(
        &app,
        json!({"name": "Spin", "kind": "class", "capacity": 9,
        "locationIds": [location]}),
    )
    .await;
    let class = new_class(&app, &spin, &coach.0, &at(2, 600)).await;
    let second = book(&app, json!({"clientId": client.0, "calendarEventId": class})).await;
    // Too old, too far ahead, or cancelled: in no feed.
    new_class(&app, &spin, &coach.0, &at(200, 600)).await;
    let off = new_class(&app, &spin, &coach.0, &at(4, 600)).await;
    app.app("POST", &format!("/calendar/events/{off}/cancel"), Some(json!({}))).await.ok();
    let task = json!({"coachId": coach.0, "title": "Order towels", "startsAt": at(5, 600),
        "endsAt": at(5, 630), "blocksSlots": false});
    app.post("/calendar-tasks", task).await.ok();
    Day { app, coach, client, location, bookings: [first, second] }
}

#[scenario]
async fn feeds_show_what_their_readers_may_see(app: App) {
    let day = day(app).await;
    let (app, (coach, coachs), (client, clients)) = (&day.app, &day.coach, &day.client);
    let (_, place) = feed(app, coachs, json!({"kind": "coach"})).await;
    let (status, response) = fetch(app, &place).await;
    assert_eq!(status, 200, "{response}");
    let named = app.get(&format!("/clients/{client}")).await.ok();
    let (first, last) =
        (text(named.data(), "/client/firstName"), named.data()["client"]["lastName"].clone());
    let who = match last.as_str().and_then(|last| last.chars().next()) {
        Some(initial) => format!("{first} {initial}."),
        None => first.clone(),
    };
    let own =
        ["Spin (1/9)".to_owned(), format!("Talk\\; once\\, again · {who}"), "Order towels".into()];
    assert_eq!(values(&response, "SUMMARY"), own);
    assert_eq!(values(&response, "TRANSP"), ["OPAQUE", "OPAQUE", "TRANSPARENT"]);
    assert_eq!(values(&response, "LOCATION"), ["Studio\\, Kade 1\\, Utrecht"; 2]);
    assert!(!response.contains("secret"));
    let (_, place) = feed(app, clients, json!({"kind": "client"})).await;
    let response = fetch(app, &place).await.1;
    assert_eq!(values(&response, "SUMMARY"), ["Spin", "Talk\\; once\\, again"]);
    let uids = values(&response, "UID");
    assert!(uids[1].starts_with(&day.bookings[0]) && uids[0].starts_with(&day.bookings[1]));
    assert!(!response.contains("secret") && !response.contains("towels"));
    let at_place = json!({"kind": "location", "locationId": day.location});
    let (_, place) = feed(app, coachs, at_place).await;
    let response = fetch(app, &place).await.1;
    assert_eq!(values(&response, "SUMMARY"), ["Spin (1/9)", "Talk\\; once\\, again"]);
    assert!(!response.contains(&first) && !response.contains("towels"));
    // A move is a new revision of the same event.
    let (_, place) = feed(app, clients, json!({"kind": "client"})).await;
    let before = fetch(app, &place).await.1;
    let to = json!({"startsAt": at(3, 720), "coachId": coach, "ignorePolicy": true});
    app.post(&format!("/bookings/{}/reschedule", day.bookings[0]), to).await.ok();
    let after = fetch(app, &place).await.1;
    assert_eq!(values(&before, "UID"), values(&after, "UID"));
    let sequence = |response: &str| values(response, "SEQUENCE")[1].parse::<i64>().unwrap();
    assert!(sequence(&after) > sequence(&before));
    assert_ne!(values(&before, "DTSTART"), values(&after, "DTSTART"));
    // So are renamed records that they show: the location and the coach.
    for (path, change) in [
        (format!("/locations/{}", day.location), json!({"name": "Hall"})),
        (format!("/coaches/{coach}"), json!({"firstName": "Renamed"})),
    ] {
        let (before, modified) = (fetch(app, &place).await.1, "LAST-MODIFIED");
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
        app.app("PATCH", &path, Some(change)).await.ok();
        let after = fetch(app, &place).await.1;
        assert!(sequence(&after) > sequence(&before), "{path}");
        assert!(values(&after, modified)[1] > values(&before, modified)[1], "{path}");
    }
}

#[scenario]
async fn addresses_are_replaced_and_end(app: App) {
    let day = day(app).await;
    let (app, token) = (&day.app, &day.client.1);
    let (path, first) = feed(app, token, json!({"kind": "client"})).await;
    let reply = app.server.request("GET", &first).send().await.unwrap();
    let header = |name: &str| reply.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/calendar; charset=utf-8");
    let tag = header("etag");
    let again = app.server.request("GET", &first).header("if-none-match", &tag).send().await;
    assert_eq!(again.unwrap().status(), 304);
    let response = app.app_as(token, "POST", &format!("{path}/rotate"), None).await.ok();
    let second = place(&response);
    assert_eq!(fetch(app, &first).await.0, 404);
    assert_eq!(fetch(app, &second).await.0, 200);
    let listed = app.app_as(token, "GET", FEEDS, None).await.ok();
    assert!(listed.data()["calendarFeeds"][0].get("digest").is_none());
    assert!(!listed.body.to_string().contains("fscf_"), "an address is shown once");
    app.app_as(token, "DELETE", &path, None).await.ok();
    assert_eq!(fetch(app, &second).await.0, 404);
    app.app_as(token, "DELETE", &path, None).await.refused(404, "resource.not_found");
    let (_, place) = feed(app, token, json!({"kind": "client"})).await;
    for wrong in [
        place.replace(".ics", ""),
        place.replace("fscf_", "fsat_"),
        format!("{place}x"),
        place.replace(".ics", "A.ics"),
        "/calendars/.ics".into(),
        "/calendars/%00.ics".into(),
    ] {
        assert_eq!(fetch(app, &wrong).await.0, 404, "{wrong}");
    }
    let (_, coachs) = feed(app, &day.coach.1, json!({"kind": "coach"})).await;
    app.act(&format!("/clients/{}/archive", day.client.0)).await.ok();
    assert_eq!(fetch(app, &place).await.0, 404, "who left is not read along with");
    assert_eq!(fetch(app, &coachs).await.0, 200);
    let gone = json!({"status": "deactivated"});
    app.app("PATCH", &format!("/coaches/{}", day.coach.0), Some(gone)).await.ok();
    assert_eq!(fetch(app, &coachs).await.0, 404);
}

#[scenario]
async fn people_create_their_own_feeds(app: App) {
    let day = day(app).await;
    let (app, coach) = (&day.app, &day.coach.0);
    let (_, other) = people::coach(app, "Coach").await;
    let coachs = json!({"kind": "coach", "coachId": coach});
    let clients = json!({"kind": "client"});
    let make =
        async |token: &str, new: &Value| app.app_as(token, "POST", FEEDS, Some(new.clone())).await;
    make(&other, &coachs).await.refused(403, "auth.forbidden");
    make(&other, &clients).await.refused(403, "auth.forbidden");
    make(&day.client.1, &coachs).await.refused(403, "auth.forbidden");
    let at_place = json!({"kind": "location", "locationId": day.location});
    make(&day.client.1, &at_place).await.refused(403, "auth.forbidden");
    make(&other, &json!({"kind": "location"}))
        .await
        .refused(400, "request.invalid")
        .about("locationId");
    let both = json!({"kind": "client", "coachId": coach});
    make(&day.client.1, &both).await.refused(400, "request.invalid").about("coachId");
    // The creator of a location's feed manages it.
    let (at_place, address) = feed(app, &other, at_place).await;
    let listed = app.app_as(&other, "GET", FEEDS, None).await.ok();
    assert_eq!(listed.data()["total"], 1);
    app.app_as(&day.coach.1, "DELETE", &at_place, None).await.refused(404, "resource.not_found");
    app.app_as(&other, "DELETE", &at_place, None).await.ok();
    assert_eq!(fetch(app, &address).await.0, 404);
    let (path, _) = feed(app, &day.coach.1, coachs.clone()).await;
    let rotate = format!("{path}/rotate");
    app.app_as(&other, "POST", &rotate, None).await.refused(404, "resource.not_found");
    app.app_as(&day.client.1, "POST", &rotate, None).await.refused(404, "resource.not_found");
    // Managers manage every coach's feeds, and a client's only the client.
    app.app("POST", FEEDS, Some(coachs)).await.ok();
    app.app("POST", &rotate, None).await.ok();
    let (clients, _) = feed(app, &day.client.1, clients.clone()).await;
    app.app("POST", &format!("{clients}/rotate"), None).await.refused(404, "resource.not_found");
    let listed = app.app("GET", FEEDS, None).await.ok();
    assert_eq!(listed.data()["total"], 2);
    for _ in 0..9 {
        feed(app, &day.client.1, json!({"kind": "client"})).await;
    }
    make(&day.client.1, &json!({"kind": "client"}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("calendarFeeds");
}

/// The feed as Python's icalendar parses it.
const PARSE: &str = r#"
import icalendar, json, sys
from datetime import timezone
told = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
def at(value):
    return value.dt.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
print(json.dumps([[str(e["uid"]).split("@")[0], at(e["dtstart"]), at(e["dtend"]), str(e["summary"]),
    str(e.get("location", ""))] for e in told.walk("VEVENT")]))
"#;

#[scenario]
async fn exports_are_read_by_another_program(app: App) {
    let (client, token) = people::client(&app).await;
    let (coach, _) = people::coach(&app, "Coach").await;
    always_at_work(&app, &coach).await;
    // Names that are difficult in a line format. (This reader misreads an escaped backslash before a comma; the
    // format's own tests cover those.)
    let names = [
        "Ä; \"x\", \\ y",
        "Ünïcödé 💪 again and again, and again, until the line is long 💪💪💪💪💪",
        "BEGIN:VEVENT",
        "a:b;c,d",
    ];
    let mut day = 1;
    for name in names {
        let event_type = new_type(&app, json!({"name": name})).await;
        for _ in 0..3 {
            day += 5;
            let new = json!({"clientId": client, "eventTypeId": event_type, "coachId": coach,
                "startsAt": at(day, 600), "ignorePolicy": true});
            book(&app, new).await;
        }
    }
    let (_, place) = feed(&app, &token, json!({"kind": "client"})).await;
    let response = fetch(&app, &place).await.1;
    let Some(read) = python::run(&requirements::CALENDARS, PARSE, &response) else { return };
    let read: Vec<[String; 5]> = serde_json::from_str(&read).unwrap();
    let path = format!("/bookings?limit=100&clientId={client}");
    let listed = app.get(&path).await.ok();
    let mut bookings: Vec<_> = listed.data()["bookings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|booking| {
            ["/bookingId", "/startsAt", "/endsAt", "/name"].map(|field| text(booking, field))
        })
        .collect();
    bookings.reverse();
    assert_eq!(bookings.len(), 12);
    let read: Vec<_> =
        read.into_iter().map(|[id, start, end, name, _]| [id, start, end, name]).collect();
    assert_eq!(read, bookings);
}
