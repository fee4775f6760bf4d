//! What clients are told of their bookings: one letter for one cause, at hours that suit them.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    calendar::{always_at_work, book, new_class, new_type},
    letters::{letters, member, sign_in, subjects, with_mail},
    python, random_text, scenario, text,
    travel::Travel,
};
use spotter_outbound::smtp::MailMessage;
use spotter_testing::requirements;

/// A Monday morning.
const MONDAY: &str = "2026-11-02T09:00:00Z";

/// A property of the only calendar entry of a letter.
fn property(letter: &MailMessage, name: &str) -> String {
    assert_eq!(letter.attachments.len(), 1, "{letter:?}");
    let entry = String::from_utf8(letter.attachments[0].bytes.clone()).unwrap();
    let entry = entry.replace("\r\n ", "");
    let line = entry.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
    line.unwrap_or_else(|| panic!("{name} is missing in {entry}")).to_owned()
}

/// Entries as Python's icalendar reads them.
const PARSE: &str = r#"
import icalendar, json, sys
told = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
[event] = told.walk("VEVENT")
print(json.dumps([str(told["method"]), str(event["uid"]).split("@")[0], str(event["summary"]), str(event["status"]),
    str(event["organizer"]), str(event["attendee"]), event["dtstart"].dt.isoformat()]))
"#;

/// A client, a type of training by a coach who is always there, and a class of eight.
struct Studio {
    client: String,
    email: String,
    training: String,
    lesson: String,
    coach: String,
}

impl Studio {
    async fn new(app: &App) -> Self {
        let email = format!("{}@example.com", random_text());
        let new = json!({"firstName": "Ann", "email": email});
        let client = app.new_client(new).await;
        let coach = app.admin.to_string();
        always_at_work(app, &coach).await;
        let training = new_type(app, json!({"coachIds": [coach]})).await;
        let lesson = new_type(app, json!({"kind": "class", "name": "Yoga", "capacity": 8})).await;
        Self { client, email, training, lesson, coach }
    }

    async fn train(&self, app: &App, starts_at: &str) -> String {
        let new =
            json!({"clientId": self.client, "eventTypeId": self.training, "startsAt": starts_at});
        book(app, new).await
    }
}

async fn reschedule(app: &App, booking: &str, starts_at: &str) {
    let to = json!({"startsAt": starts_at, "rescheduledBy": "company"});
    app.post(&format!("/bookings/{booking}/reschedule"), to).await.ok();
}

async fn settings(app: &App, change: Value) -> Value {
    let changed = app.app("PATCH", "/company/notification-settings", Some(change)).await.ok();
    changed.data()["notificationSettings"].clone()
}

#[scenario(process, clock)]
fn every_change_is_told_once_with_its_calendar_entry(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let booking = studio.train(&travel.app, "2026-11-05T10:00:00Z").await;
        travel.wait(30).await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty(), "changes are gathered");
        travel.wait(60).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Training is booked, Thursday 5 November at 10:00"]);
        assert!(told[0].text.contains("Thursday 5 November, 10:00 to 10:30"), "{}", told[0].text);
        assert_eq!(
            told[0].attachments[0].media_type,
            "text/calendar; charset=utf-8; method=REQUEST"
        );
        let uid = property(&told[0], "UID");
        assert!(uid.starts_with(&booking) && property(&told[0], "METHOD") == "REQUEST");
        let first: i64 = property(&told[0], "SEQUENCE").parse().unwrap();

        reschedule(&travel.app, &booking, "2026-11-06T11:00:00Z").await;
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Training has a new time, Friday 6 November at 11:00"]);
        assert!(told[0].text.contains("Before: Thursday 5 November at 10:00"), "{}", told[0].text);
        let second: i64 = property(&told[0], "SEQUENCE").parse().unwrap();
        assert!(property(&told[0], "UID") == uid && second > first, "{second} after {first}");

        // There and back is nowhere.
        reschedule(&travel.app, &booking, "2026-11-07T11:00:00Z").await;
        travel.wait(20).await;
        reschedule(&travel.app, &booking, "2026-11-06T11:00:00Z").await;
        travel.wait(90).await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty());

        let message = "The heating is broken, sorry.";
        let cancel = json!({"cancelledBy": "company", "reason": "heating", "message": message});
        travel.app.post(&format!("/bookings/{booking}/cancel"), cancel).await.ok();
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Training is cancelled, Friday 6 November at 11:00"]);
        assert!(told[0].text.contains(message) && told[0].html.contains(message));
        assert!(property(&told[0], "UID") == uid && property(&told[0], "STATUS") == "CANCELLED");
        assert_eq!(property(&told[0], "METHOD"), "CANCEL");
        let entry = String::from_utf8(told[0].attachments[0].bytes.clone()).unwrap();
        if let Some(read) = python::run(&requirements::CALENDARS, PARSE, &entry) {
            let read: [String; 7] = serde_json::from_str(&read).unwrap();
            let attendee = format!("mailto:{}", studio.email);
            let expected = [
                "CANCEL",
                &booking,
                "Training",
                "CANCELLED",
                "mailto:post@gym.example",
                &attendee,
                "2026-11-06T11:00:00+00:00",
            ];
            assert_eq!(read, expected);
        }
        let third: i64 = property(&told[0], "SEQUENCE").parse().unwrap();
        assert!(third > second, "{third} after {second}");
        travel.wait(86_400).await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty(), "nothing is told twice");
    });
}

#[scenario(process, clock)]
fn one_cause_is_one_letter(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let mut classes = Vec::new();
        for day in 10..22 {
            let start = format!("2026-11-{day}T18:00:00Z");
            let class = new_class(&travel.app, &studio.lesson, &studio.coach, &start).await;
            let new = json!({"clientId": studio.client, "calendarEventId": class});
            book(&travel.app, new).await;
            classes.push(class);
        }
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["12 changes to your bookings at Test Gym"]);
        assert_eq!(told[0].attachments.len(), 12);
        for class in &classes {
            let path = format!("/calendar/events/{class}/cancel");
            travel.app.app("POST", &path, None).await.ok();
        }
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["12 changes to your bookings at Test Gym"]);
        assert_eq!(told[0].text.matches("Yoga is cancelled").count(), 12, "{}", told[0].text);
    });
}

#[scenario(process, clock)]
fn quiet_hours_are_kept_but_for_what_cannot_wait(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let early = studio.train(&travel.app, "2026-11-04T06:00:00Z").await;
        let noon = studio.train(&travel.app, "2026-11-04T12:00:00Z").await;
        travel.to("2026-11-03T21:30:00Z").await;
        assert_eq!(letters(&travel.app, &studio.email, seen).len(), 3, "booked, two reminders");
        travel.to("2026-11-03T22:30:00Z").await;
        // What waits does not keep what comes after it and cannot.
        for booking in [&noon, &early] {
            let cancel = json!({"cancelledBy": "company"});
            travel.app.post(&format!("/bookings/{booking}/cancel"), cancel).await.ok();
            travel.wait(600).await;
        }
        travel.to("2026-11-03T23:30:00Z").await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Training is cancelled, Wednesday 4 November at 06:00"]);
        travel.to("2026-11-04T06:59:00Z").await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty());
        travel.to("2026-11-04T07:01:00Z").await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Training is cancelled, Wednesday 4 November at 12:00"]);

        // Without quiet hours nothing waits; one end alone is refused.
        let one = json!({"quietFrom": null});
        let path = "/company/notification-settings";
        let refused = travel.app.app("PATCH", path, Some(one)).await;
        refused.refused(400, "request.invalid").about("quietUntil");
        let none = settings(&travel.app, json!({"quietFrom": null, "quietUntil": null})).await;
        assert!(none["quietFrom"].is_null() && none["reminderHours"] == 24, "{none}");
        travel.to("2026-11-04T23:00:00Z").await;
        studio.train(&travel.app, "2026-11-09T12:00:00Z").await;
        travel.wait(90).await;
        assert_eq!(letters(&travel.app, &studio.email, seen).len(), 1);
    });
}

#[scenario(process, clock)]
fn what_clients_do_themselves_is_confirmed_at_once(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let (client, email) = member(&mut travel).await;
        let seen = &mut 0;
        travel.to("2026-11-02T23:00:00Z").await;
        letters(&travel.app, &email, seen);
        let token = sign_in(&travel.app, &email).await;
        let class =
            new_class(&travel.app, &studio.lesson, &studio.coach, "2026-11-20T18:00:00Z").await;
        let new = json!({"clientId": client, "calendarEventId": class});
        let made = travel.app.app_as(&token, "POST", "/bookings", Some(new)).await.ok();
        travel.wait(1).await;
        let told = letters(&travel.app, &email, seen);
        assert_eq!(subjects(&told), ["Yoga is booked, Friday 20 November at 18:00"]);
        assert!(told[0].text.contains("https://gym.example/my/bookings"), "{}", told[0].text);
        let path = format!("/bookings/{}/cancel", text(made.data(), "/booking/bookingId"));
        travel.app.app_as(&token, "POST", &path, None).await.ok();
        travel.wait(1).await;
        let told = letters(&travel.app, &email, seen);
        assert_eq!(subjects(&told), ["You have cancelled Yoga, Friday 20 November at 18:00"]);
        // Clients do not write letters to themselves.
        let own = json!({"message": "hello"});
        let refused = travel.app.app_as(&token, "POST", &path, Some(own)).await;
        refused.refused(400, "request.invalid").about("message");
    });
}

#[scenario(process, clock)]
fn nobody_hears_what_they_chose_not_to(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let path = format!("/clients/{}/notification-choices", studio.client);
        let chosen =
            travel.app.app("PATCH", &path, Some(json!({"kinds": {"bookings": false}}))).await.ok();
        let chosen = chosen.data()["notificationChoices"].clone();
        assert_eq!(
            (&chosen["kinds"]["bookings"], &chosen["kinds"]["reminders"]),
            (&json!(false), &json!(true))
        );
        studio.train(&travel.app, "2026-11-05T10:00:00Z").await;
        travel.to("2026-11-04T09:59:00Z").await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty());
        travel.to("2026-11-04T10:02:00Z").await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Reminder: Training, Thursday 5 November at 10:00"]);

        travel.app.app("PATCH", &path, Some(json!({"kinds": {"bookings": true}}))).await.ok();
        settings(&travel.app, json!({"kinds": {"reminders": false, "bookings": false}})).await;
        studio.train(&travel.app, "2026-11-06T10:00:00Z").await;
        travel.to("2026-11-06T09:00:00Z").await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty(), "the company sends none");
        // Another's choices are nobody else's business.
        let (_, email) = member(&mut travel).await;
        let other = sign_in(&travel.app, &email).await;
        travel
            .app
            .app_as(&other, "GET", &path, None)
            .await
            .refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    });
}

#[scenario(process, clock)]
fn reminders_follow_the_booking_and_the_setting(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let moved = studio.train(&travel.app, "2026-11-05T10:00:00Z").await;
        let gone = studio.train(&travel.app, "2026-11-05T12:00:00Z").await;
        travel.wait(90).await;
        reschedule(&travel.app, &moved, "2026-11-10T10:00:00Z").await;
        travel.app.post(&format!("/bookings/{gone}/cancel"), json!({})).await.ok();
        travel.wait(90).await;
        letters(&travel.app, &studio.email, seen);
        travel.to("2026-11-08T12:00:00Z").await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty());
        settings(&travel.app, json!({"reminderHours": 3})).await;
        travel.to("2026-11-10T06:59:00Z").await;
        assert!(letters(&travel.app, &studio.email, seen).is_empty());
        travel.to("2026-11-10T07:02:00Z").await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["Reminder: Training, Tuesday 10 November at 10:00"]);
        assert!(told[0].attachments.is_empty());
        // Who has just booked knows it.
        studio.train(&travel.app, "2026-11-10T15:00:00Z").await;
        travel.to("2026-11-10T14:00:00Z").await;
        assert_eq!(letters(&travel.app, &studio.email, seen).len(), 1);
    });
}

#[scenario(process, clock)]
fn seats_and_requests_are_answered(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let app = &travel.app;
        let one = json!({"kind": "class", "name": "Spin", "capacity": 1,
            "waitlist": {"mode": "offer", "offerMinutes": 60}});
        let spin = new_type(app, one).await;
        let class = new_class(app, &spin, &studio.coach, "2026-11-12T18:00:00Z").await;
        let other = app.new_client(json!({"firstName": "Bo"})).await;
        let taken = book(app, json!({"clientId": other, "calendarEventId": class})).await;
        let new = json!({"clientId": studio.client, "calendarEventId": class,
            "capacityAction": "waitlist"});
        book(app, new).await;
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(
            subjects(&told),
            ["You are on the waiting list of Spin, Thursday 12 November at 18:00"]
        );
        travel.app.post(&format!("/bookings/{taken}/cancel"), json!({})).await.ok();
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(
            subjects(&told),
            ["There is a seat for you: Spin, Thursday 12 November at 18:00"]
        );
        assert!(told[0].text.contains("until Monday 2 November at 10:0"), "{}", told[0].text);
        travel.wait(4_000).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(
            subjects(&told),
            ["The seat held for you has been released: Spin, Thursday 12 November at 18:00"]
        );

        let asked = json!({"name": "Intake", "requiresApproval": true, "coachIds": [studio.coach]});
        let intake = new_type(&travel.app, asked).await;
        let (client, email) = member(&mut travel).await;
        let token = sign_in(&travel.app, &email).await;
        let wanted =
            json!({"clientId": client, "eventTypeId": intake, "startsAt": "2026-11-13T10:00:00Z"});
        let made = travel.app.app_as(&token, "POST", "/bookings", Some(wanted)).await.ok();
        let request = text(made.data(), "/bookingRequest/bookingRequestId");
        travel.app.act(&format!("/booking-requests/{request}/reject")).await.ok();
        travel.wait(90).await;
        let seen = &mut 0;
        let told = letters(&travel.app, &email, seen);
        let last = told.last().map(|letter| letter.subject.as_str());
        assert_eq!(
            last,
            Some("Your request cannot be granted: Intake, Friday 13 November at 10:00")
        );
    });
}

#[scenario(process, clock)]
fn closures_call_off_what_they_close(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let studio = Studio::new(&travel.app).await;
        let seen = &mut 0;
        let mut classes = Vec::new();
        for day in 10..14 {
            let start = format!("2026-11-{day}T18:00:00Z");
            let class = new_class(&travel.app, &studio.lesson, &studio.coach, &start).await;
            let new = json!({"clientId": studio.client, "calendarEventId": class});
            classes.push((class, book(&travel.app, new).await));
        }
        studio.train(&travel.app, "2026-11-11T10:00:00Z").await;
        travel.wait(90).await;
        letters(&travel.app, &studio.email, seen);
        travel.app.events().await;

        let closure =
            json!({"appliesTo": "company", "startDate": "2026-11-11", "endDate": "2026-11-12"});
        let made = travel.app.post("/availability-rules", closure).await.ok();
        assert_eq!(made.data()["affectedBookings"]["total"], 3);
        let rule = text(made.data(), "/availabilityRule/availabilityRuleId");
        let path = format!("/availability-rules/{rule}/cancel-events");
        let message = json!({"message": "We repaint the studio."});
        let gone = travel.app.app("POST", &path, Some(message)).await.ok();
        let count = |name: &str| gone.data()[name].as_i64().unwrap();
        assert_eq!(
            [count("cancelledEvents"), count("cancelledBookings"), count("remainingEvents")],
            [3, 3, 0]
        );
        travel.app.announced(&["booking.cancelled"; 3]).await;
        travel.wait(90).await;
        let told = letters(&travel.app, &studio.email, seen);
        assert_eq!(subjects(&told), ["3 changes to your bookings at Test Gym"]);
        assert_eq!(told[0].text.matches("We repaint the studio.").count(), 3, "{}", told[0].text);
        for (number, (class, booking)) in classes.iter().enumerate() {
            let expected = if [1, 2].contains(&number) { "cancelled" } else { "booked" };
            let found = travel.app.get(&format!("/bookings/{booking}")).await.ok();
            assert_eq!(found.data()["booking"]["status"], expected, "{class}");
        }
        // Once more there is nothing left.
        let gone = travel.app.app("POST", &path, None).await.ok();
        assert_eq!(gone.data()["cancelledEvents"], 0);
        let (_, email) = member(&mut travel).await;
        let token = sign_in(&travel.app, &email).await;
        travel.app.app_as(&token, "POST", &path, None).await.refused(403, "auth.forbidden");
    });
}
