//! Series of classes: made ahead, changed and cancelled in part, joined repeatedly.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    calendar::{always_at_work, book, new_class, new_type},
    dates::at,
    people, rebuild_metrics, scenario, text, with,
};
use spotter_store::{Sql, params};

/// A manager's app: the caller, and the type of the classes.
struct Studio {
    app: App,
    coach: String,
    token: String,
    event_type: String,
}

impl Studio {
    async fn new(app: App) -> Self {
        let (coach, token) = people::coach(&app, "Coach").await;
        always_at_work(&app, &coach).await;
        let event_type = new_type(
            &app,
            json!({"name": "Spin", "kind": "class", "capacity": 4,
            "waitlist": {"mode": "auto"}}),
        )
        .await;
        Self { app, coach, token, event_type }
    }

    fn new_series(&self, count: Option<i64>) -> Value {
        json!({"eventTypeId": self.event_type, "coachId": self.coach, "durationMinutes": 45,
            "recurrence": {"weekdays": [1, 2, 3, 4, 5, 6, 7], "startTime": "18:00",
                "timeZone": "UTC", "startDate": date(40), "count": count}})
    }

    async fn create(&self, new: Value) -> String {
        let made = self.app.app_as(&self.token, "POST", SERIES, Some(new)).await.ok();
        format!("{SERIES}/{}", text(made.data(), "/eventSeries/eventSeriesId"))
    }

    /// The classes in order: date, start, id, status.
    async fn classes(&self) -> Vec<(String, String, String, String)> {
        let path = format!("/calendar/events?limit=100&from={}&to={}", at(30, 0), at(130, 0));
        let response = self.app.get(&path).await.ok();
        let all = response.data()["calendarEvents"].as_array().unwrap().iter();
        all.map(|class| {
            let date = class["occurrenceDate"].as_str().unwrap_or_default().to_owned();
            let start = text(class, "/startsAt")[11..16].to_owned();
            (date, start, text(class, "/calendarEventId"), text(class, "/status"))
        })
        .collect()
    }

    async fn change(&self, path: &str, change: Value) -> Value {
        let response = self.app.app_as(&self.token, "PATCH", path, Some(change)).await.ok();
        response.data()["eventSeries"].clone()
    }
}

const SERIES: &str = "/calendar/event-series";

fn date(day: i64) -> String {
    at(day, 0)[..10].to_owned()
}

#[scenario]
async fn classes_are_created_on_free_open_dates(app: App) {
    let studio = Studio::new(app).await;
    let app = &studio.app;
    new_class(app, &studio.event_type, &studio.coach, &at(41, 18 * 60 + 30)).await;
    let closed = json!({"appliesTo": "company", "startDate": date(43), "endDate": date(43)});
    app.post("/availability-rules", closed).await.ok();
    app.events().await;
    let state = app.state().await;
    let new = studio.new_series(Some(5));
    let refused = app.app_as(&studio.token, "POST", SERIES, Some(new.clone())).await;
    let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let conflicts = json!([{"date": date(41), "reasons": ["coach_busy"], "stays": false},
        {"date": date(43), "reasons": ["closed"], "stays": false}]);
    assert_eq!(refused.body["error"]["details"]["conflicts"], conflicts);
    assert_eq!(state, app.state().await);
    // Nor one class at a time, unless requested.
    let own = json!({"eventTypeId": studio.event_type, "coachId": studio.coach,
        "startsAt": at(43, 9 * 60)});
    let refused = app.app_as(&studio.token, "POST", "/calendar/events", Some(own.clone())).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("startsAt");
    let path = studio.create(with(&new, json!({"onConflict": "skip"}))).await;
    let response = app.app_as(&studio.token, "GET", &path, None).await.ok();
    let series = &response.data()["eventSeries"];
    assert_eq!((&series["skipped"], &series["name"]), (&conflicts, &json!("Spin")));
    let classes = studio.classes().await;
    let made = classes.iter().filter(|class| !class.0.is_empty()).map(|class| class.0.clone());
    assert_eq!(made.collect::<Vec<_>>(), [date(40), date(42), date(44)]);
    app.announced(&[]).await;
    let path = format!("{SERIES}?coachId={}", studio.coach);
    let response = app.app_as(&studio.token, "GET", &path, None).await.ok();
    assert_eq!(response.data()["total"], 1);
}

#[scenario]
async fn a_change_takes_bookings_along(app: App) {
    let studio = Studio::new(app).await;
    let app = &studio.app;
    let path = studio.create(studio.new_series(Some(4))).await;
    let before = studio.classes().await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let booking = book(app, json!({"clientId": client, "calendarEventId": before[0].2})).await;
    // One is moved and one cancelled individually.
    let own = |at: usize| format!("/calendar/events/{}", before[at].2);
    let moved = json!({"startsAt": at(41, 9 * 60)});
    let response = app.app_as(&studio.token, "PATCH", &own(1), Some(moved)).await.ok();
    assert_eq!(response.data()["calendarEvent"]["isException"], true);
    app.app_as(&studio.token, "POST", &format!("{}/cancel", own(2)), Some(json!({}))).await.ok();
    app.events().await;
    let change = json!({"scope": "all", "recurrence": {"startTime": "19:30"}, "name": "Spin hard",
        "capacity": 6, "durationMinutes": 60});
    studio.change(&path, change).await;
    let response = app.announced(&["booking.updated"]).await;
    assert_eq!(
        (&response[0]["bookingId"], &response[0]["startsAt"]),
        (&json!(booking), &json!(at(40, 19 * 60 + 30)))
    );
    let after = studio.classes().await;
    let starts: Vec<_> = after.iter().map(|class| (class.1.as_str(), class.3.as_str())).collect();
    assert_eq!(
        starts,
        [
            ("19:30", "scheduled"),
            ("09:00", "scheduled"),
            ("18:00", "cancelled"),
            ("19:30", "scheduled")
        ]
    );
    let response = app.get(&format!("/calendar/events/{}", before[0].2)).await.ok();
    let class = &response.data()["calendarEvent"];
    assert_eq!((&class["capacity"], &class["name"]), (&json!(6), &json!("Spin hard")));
    assert_eq!(class["endsAt"], at(40, 20 * 60 + 30));
    // Where it is impossible, nobody loses a seat.
    new_class(app, &studio.event_type, &studio.coach, &at(43, 12 * 60)).await;
    let change = json!({"scope": "all", "recurrence": {"startTime": "12:00"}});
    let refused = app.app_as(&studio.token, "PATCH", &path, Some(change.clone())).await;
    refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let series = studio.change(&path, with(&change, json!({"onConflict": "skip"}))).await;
    assert_eq!(
        series["skipped"],
        json!([{"date": date(43), "reasons": ["coach_busy"], "stays": true}])
    );
    let response = app.get(&format!("/calendar/events/{}", before[3].2)).await.ok();
    let class = &response.data()["calendarEvent"];
    assert_eq!(
        (&class["startsAt"], &class["isException"]),
        (&json!(at(43, 19 * 60 + 30)), &json!(true))
    );
}

#[scenario]
async fn the_later_part_is_its_own_series(app: App) {
    let studio = Studio::new(app).await;
    let app = &studio.app;
    let path = studio.create(studio.new_series(Some(4))).await;
    let before = studio.classes().await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    book(app, json!({"clientId": client, "calendarEventId": before[3].2})).await;
    app.events().await;
    let dates = [40, 41, 42].map(|day| {
        spotter_kernel::Date::parse(&date(day)).unwrap().0.weekday().to_monday_one_offset()
    });
    let change = json!({"scope": "following", "occurrenceDate": date(42),
        "recurrence": {"weekdays": dates, "untilDate": date(49)}});
    let next = studio.change(&path, change).await;
    let mut response: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    response.sort();
    assert_eq!(response, ["booking.cancelled"], "day 43 is gone");
    let old = app.app_as(&studio.token, "GET", &path, None).await.ok();
    let old = &old.data()["eventSeries"];
    assert_eq!(
        (&old["nextId"], &next["previousId"]),
        (&next["eventSeriesId"], &old["eventSeriesId"])
    );
    let live = studio.classes().await.into_iter().filter(|class| class.3 == "scheduled");
    let live: Vec<_> = live.map(|class| class.0).collect();
    assert_eq!(live, [40, 41, 42, 47, 48, 49].map(date));
    let query = format!(
        "/calendar/events?limit=100&from={}&to={}&eventSeriesId={}",
        at(30, 0),
        at(130, 0),
        next["eventSeriesId"].as_str().unwrap()
    );
    assert_eq!(app.get(&query).await.ok().data()["total"], 4);
}

#[scenario]
async fn parts_are_called_off(app: App) {
    let studio = Studio::new(app).await;
    let app = &studio.app;
    let path = format!("{}/cancel", studio.create(studio.new_series(Some(5))).await);
    let classes = studio.classes().await;
    for day in [1, 3] {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        book(app, json!({"clientId": client, "calendarEventId": classes[day].2})).await;
    }
    app.events().await;
    let cancel = async |body: Value| app.app_as(&studio.token, "POST", &path, Some(body)).await;
    cancel(json!({"scope": "this", "occurrenceDate": date(41)})).await.ok();
    let response = app.announced(&["booking.cancelled"]).await;
    assert_eq!(
        (&response[0]["cancelledBy"], &response[0]["cancellationTiming"]),
        (&json!("company"), &json!("early"))
    );
    let response = cancel(json!({"scope": "following", "occurrenceDate": date(43)})).await.ok();
    assert_eq!(response.data()["eventSeries"]["recurrence"]["untilDate"], date(42));
    app.announced(&["booking.cancelled"]).await;
    let live = studio.classes().await.into_iter().filter(|class| class.3 == "scheduled");
    assert_eq!(live.map(|class| class.0).collect::<Vec<_>>(), [date(40), date(42)]);
    cancel(json!({"scope": "all"})).await.ok();
    assert!(studio.classes().await.iter().all(|class| class.3 == "cancelled"));
    cancel(json!({"scope": "all"})).await.refused(409, "PUBLIC_API_ERROR").about("status");
}

#[scenario]
async fn endless_recurrences_merge(app: App) {
    let studio = Studio::new(app).await;
    let app = &studio.app;
    let mut new = studio.new_series(None);
    new["recurrence"]["startDate"] = json!(date(1));
    new["recurrence"]["weekdays"] = json!([1, 4]);
    studio.create(new.clone()).await;
    const COUNT_EVENTS: Sql = Sql("SELECT COUNT(*) FROM calendar_event WHERE company_id = ?1");
    let company = app.company;
    let made = async || -> i64 {
        let count = move |tx: &mut spotter_store::Tx<'_>| tx.all(COUNT_EVENTS, params![company]);
        let rows: Vec<(i64,)> = app.server.db.read(count).await.unwrap();
        rows[0].0
    };
    let count = made().await;
    assert!((34..=36).contains(&count), "123 days ahead: {count}");
    // A client's series finds a class on each of its dates.
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let series = json!({"clientId": client, "eventTypeId": studio.event_type,
        "coachId": studio.coach, "recurrence": with(&new["recurrence"], json!({"weekdays": [4]}))});
    let response = app.post("/recurring-bookings", series).await.ok();
    assert_eq!(response.data()["recurringBooking"]["skipped"], json!([]));
    // Three weeks are removed; the next extension makes them again.
    let back = date(100);
    const BACK: Sql = Sql("UPDATE event_series SET made_through = ?2 WHERE company_id = ?1");
    const GONE: Sql =
        Sql("DELETE FROM calendar_event WHERE company_id = ?1 AND occurrence_date > ?2");
    const FREE: Sql = Sql("UPDATE calendar_day SET busy = ?2 WHERE company_id = ?1 AND day > ?3");
    const DUE: Sql =
        Sql("UPDATE timer SET due_at = 1 WHERE company_id = ?1 AND kind = 'extend_event_series'");
    let day = spotter_kernel::Timestamp::parse(&at(100, 0)).unwrap().millis() / 86_400_000;
    let nothing: &[u8] = &[];
    let write = move |tx: &mut spotter_store::Tx<'_>| {
        tx.execute(BACK, params![company, back])?;
        tx.execute(GONE, params![company, back])?;
        tx.execute(FREE, params![company, nothing, day])?;
        tx.execute(DUE, params![company])
    };
    app.server.db.write(write).await.unwrap();
    let began = std::time::Instant::now();
    while made().await < count {
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "it is not made further");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    rebuild_metrics(app).await;
}

#[scenario]
async fn coaches_make_their_own(app: App) {
    let studio = Studio::new(app).await;
    let app = &studio.app;
    let (_, other) = people::coach(app, "Coach").await;
    let (_, client) = people::client(app).await;
    let new = studio.new_series(Some(2));
    for (token, status) in [(&other, 403), (&client, 403)] {
        let refused = app.app_as(token, "POST", SERIES, Some(new.clone())).await;
        refused.refused(status, "auth.forbidden");
    }
    let path = studio.create(new.clone()).await;
    let change = json!({"scope": "all", "name": "Mine"});
    app.app_as(&other, "PATCH", &path, Some(change.clone())).await.refused(403, "auth.forbidden");
    let one = json!({"scope": "this", "occurrenceDate": date(40), "name": "Mine"});
    app.app_as(&studio.token, "PATCH", &path, Some(one))
        .await
        .refused(400, "request.invalid")
        .about("scope");
    let appointment = new_type(app, json!({"name": "Talk"})).await;
    let wrong = with(&new, json!({"eventTypeId": appointment}));
    app.app_as(&studio.token, "POST", SERIES, Some(wrong))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("eventTypeId");
    let mut many = new;
    many["recurrence"]["count"] = json!(105);
    app.app_as(&studio.token, "POST", SERIES, Some(many))
        .await
        .refused(400, "request.invalid")
        .about("recurrence.count");
}
