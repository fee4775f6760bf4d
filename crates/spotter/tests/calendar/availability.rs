//! Hours, closures and the slots that they leave.

use serde_json::json;
use spotter_harness::{
    App,
    calendar::{always, book, coach_at_work, free_start, new_type, slots},
    dates::{at, later},
    people, scenario, text,
};

#[scenario]
async fn hours_are_set_whole_and_by_their_version(app: App) {
    let (coach, _) = people::coach(&app, "Coach").await;
    let path = format!("/coaches/{coach}/availability");
    let unset = app.get(&path).await.ok();
    assert_eq!(unset.data()["availability"]["version"], 0);
    assert_eq!(unset.data()["availability"]["weekly"], json!([]));
    let hours = json!({"timeZone": "Europe/Amsterdam", "prepMinutes": 10, "weekly": [
        {"weekday": 2, "startTime": "09:00", "endTime": "12:00"},
        {"weekday": 1, "startTime": "22:00", "endTime": "02:00"}],
        "overrides": [{"date": "2027-05-05", "windows": []}]});
    let set = app.put(&path, hours.clone()).await.ok();
    let response = &set.data()["availability"];
    assert_eq!((&response["version"], &response["weekly"][0]["weekday"]), (&json!(1), &json!(1)));
    let stale = spotter_harness::with(&hours, json!({"version": 0}));
    app.put(&path, stale).await.refused(409, "PUBLIC_API_ERROR").about("version");
    let other = spotter_harness::with(&hours, json!({"version": 1, "finishMinutes": 240}));
    assert_eq!(app.put(&path, other).await.ok().data()["availability"]["prepMinutes"], 10);
    let day = |hours: serde_json::Value| json!({"weekly": [hours]});
    for (field, body) in [
        ("weekly[0].weekday", day(json!({"weekday": 8, "startTime": "09:00", "endTime": "10:00"}))),
        (
            "weekly[0].startTime",
            day(json!({"weekday": 1, "startTime": "9:00", "endTime": "10:00"})),
        ),
        ("timeZone", json!({"weekly": [], "timeZone": "Mars/Olympus"})),
        // Two that overlap, one of them through the night from Sunday to Monday.
        (
            "weekly[1]",
            json!({"weekly": [
                {"weekday": 7, "startTime": "22:00", "endTime": "02:00"},
                {"weekday": 1, "startTime": "01:00", "endTime": "10:00"}]}),
        ),
        (
            "overrides[0].windows[1]",
            json!({"weekly": [], "overrides": [{"date": "2030-01-01", "windows": [
                {"startTime": "09:00", "endTime": "12:00"}, {"startTime": "11:59", "endTime": "24:00"}]}]}),
        ),
        (
            "weekly[0].startTime",
            day(json!({"weekday": 1, "startTime": "24:00", "endTime": "10:00"})),
        ),
        ("prepMinutes", json!({"weekly": [], "prepMinutes": 241})),
        (
            "overrides[1].date",
            json!({"weekly": [], "overrides": [
            {"date": "2027-05-05", "windows": []}, {"date": "2027-05-05", "windows": []}]}),
        ),
    ] {
        let refused = app.put(&path, body).await;
        assert_eq!(refused.status, 400, "{field}: {}", refused.body);
        refused.about(field);
    }
    let nowhere = day(json!({"weekday": 1, "startTime": "09:00", "endTime": "10:00",
        "locationIds": ["019a8f3c2b7d4e5f60718293"]}));
    app.put(&path, nowhere).await.refused(404, "resource.not_found").about("weekly[0].locationIds");
    app.announced(&[]).await;
}

#[scenario]
async fn slots_follow_the_clock_of_the_zone(app: App) {
    let (coach, _) = people::coach(&app, "Coach").await;
    let weekly: Vec<_> = (1..=7)
        .map(|day| json!({"weekday": day, "startTime": "01:00", "endTime": "04:00"}))
        .collect();
    let hours = json!({"timeZone": "Europe/Amsterdam", "weekly": weekly});
    app.put(&format!("/coaches/{coach}/availability"), hours).await.ok();
    let event_type = new_type(
        &app,
        json!({"durationMinutes": 60, "slotIntervalMinutes": 60, "coachIds": [coach]}),
    )
    .await;
    let on = async |date: &str| {
        let query = format!(
            "eventTypeId={event_type}&from={date}T00:00:00%2B01:00&to={date}T12:00:00%2B01:00"
        );
        let slots = slots(&app, &query).await;
        slots.into_iter().map(|(at, _)| at[11..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(on("2027-03-27").await, ["01:00", "02:00", "03:00"]);
    assert_eq!(on("2027-03-28").await, ["01:00", "03:00"], "an hour is skipped");
    assert_eq!(on("2027-10-31").await, ["01:00", "02:00", "02:00", "03:00"], "an hour comes twice");
}

#[scenario]
async fn booked_or_closed_times_are_no_slots(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(
        &app,
        json!({"coachIds": [coach], "slotIntervalMinutes": 30,
        "bufferBeforeMinutes": 0, "bufferAfterMinutes": 15}),
    )
    .await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let query = |from: i64, to: i64| {
        format!("eventTypeId={event_type}&from={}&to={}", at(40, from), at(40, to))
    };
    assert_eq!(slots(&app, &query(600, 780)).await.len(), 6);
    let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": at(40, 660)});
    let booked = book(&app, new.clone()).await;
    let left: Vec<_> = slots(&app, &query(600, 780))
        .await
        .into_iter()
        .map(|(at, _)| at[11..].to_owned())
        .collect();
    // 10:30 would need a quarter of an hour after its end, and so does the booking of 11:00.
    assert_eq!(left, ["10:00", "12:00", "12:30"]);
    let taken =
        app.post("/bookings", spotter_harness::with(&new, json!({"startsAt": at(40, 630)}))).await;
    let taken = taken.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let details = &taken.body["error"]["details"];
    assert_eq!(details["reasons"], json!(["coach_busy"]));
    assert_eq!(details["alternatives"].as_array().unwrap().len(), 3, "{details}");
    let token = text(details, "/alternatives/0/slotToken");
    app.act(&format!("/bookings/{booked}/cancel")).await.ok();
    assert_eq!(slots(&app, &query(600, 780)).await.len(), 6, "its time is given back");
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    book(&app, json!({"clientId": other, "slotToken": token})).await;
    let closure = json!({"appliesTo": "coach", "coachId": coach, "startDate": &at(41, 0)[..10],
        "endDate": &at(41, 0)[..10]});
    app.post("/availability-rules", closure).await.ok();
    let query = format!("eventTypeId={event_type}&from={}&to={}", at(41, 0), at(42, 0));
    assert_eq!(slots(&app, &query).await, []);
}

#[scenario]
async fn slots_have_reasons(app: App) {
    let coach = coach_at_work(&app).await;
    let (client, token) = people::client(&app).await;
    let event_type = new_type(
        &app,
        json!({"coachIds": [coach], "slotIntervalMinutes": 60,
        "minNoticeMinutes": 2880, "bookingWindowDays": 10, "dailyLimitPerCoach": 1}),
    )
    .await;
    let query =
        |day: i64| format!("eventTypeId={event_type}&from={}&to={}", at(day, 600), at(day, 720));
    let reasons = async |day: i64| {
        let slots = slots(&app, &format!("{}&clientId={client}", query(day))).await;
        slots.into_iter().map(|(_, reasons)| reasons.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(reasons(1).await, ["notice", "notice"]);
    assert_eq!(reasons(20).await, ["window", "window"]);
    assert_eq!(reasons(5).await, ["", ""]);
    let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": at(5, 600)});
    app.post("/bookings", new).await.ok();
    assert_eq!(reasons(5).await, ["daily_limit"]);
    let own =
        app.app_as(&token, "GET", &format!("/availability/slots?{}", query(5)), None).await.ok();
    assert_eq!(own.data()["slots"][0]["slotToken"], json!(null), "a client is looked at, too");
    let elsewhere = coach_at_work(&app).await;
    let other = new_type(&app, json!({"coachIds": [elsewhere], "slotIntervalMinutes": 60})).await;
    let path =
        format!("eventTypeId={other}&clientId={client}&from={}&to={}", at(5, 600), at(5, 720));
    let response = slots(&app, &path).await;
    assert_eq!(response[0].1, ["client_busy"]);
    let free: &[String] = &[];
    assert_eq!(response[1].1, free);
    // What is listed as unbookable cannot be booked, for the same reasons.
    for (day, reason) in [(1, "notice"), (20, "window"), (5, "daily_limit")] {
        let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": at(day, 660)});
        let refused = app.post("/bookings", new.clone()).await;
        let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        assert_eq!(refused.body["error"]["details"]["reasons"], json!([reason]));
        app.app_as(
            &token,
            "POST",
            "/bookings",
            Some(spotter_harness::with(&new, json!({"ignorePolicy": true}))),
        )
        .await
        .refused(400, "request.invalid")
        .about("ignorePolicy");
        book(&app, spotter_harness::with(&new, json!({"ignorePolicy": true}))).await;
    }
}

#[scenario]
async fn slots_of_several_types_are_merged(app: App) {
    let coach = coach_at_work(&app).await;
    let short = new_type(&app, json!({"durationMinutes": 30, "coachIds": [coach]})).await;
    let long = new_type(&app, json!({"durationMinutes": 60, "coachIds": [coach]})).await;
    let range = format!("from={}&to={}", at(1, 0), at(1, 720));
    let call = async |query: String| app.get(&format!("/availability/slots?{query}&{range}")).await;
    let all = async |query: String| {
        let response = call(query).await.ok();
        response.data()["slots"].as_array().unwrap().clone()
    };
    let key = |slot: &serde_json::Value| {
        (text(slot, "/startsAt"), text(slot, "/coachId"), text(slot, "/eventTypeId"))
    };
    let both = all(format!("eventTypeIds={short},{long}")).await;
    let starts: Vec<String> = both.iter().map(|slot| text(slot, "/startsAt")).collect();
    assert!(starts.is_sorted() && both.iter().all(|slot| slot["bookable"] == true));
    let mut apart = all(format!("eventTypeId={short}")).await;
    assert!(!apart.is_empty());
    apart.extend(all(format!("eventTypeId={long}")).await);
    let sorted = |slots: &[serde_json::Value]| {
        let mut keys: Vec<_> = slots.iter().map(key).collect();
        keys.sort();
        keys
    };
    assert_eq!(sorted(&both), sorted(&apart));
    let many = vec![short.clone(); 3].join(",");
    assert_eq!(
        all(format!("eventTypeIds={many}")).await.len(),
        all(format!("eventTypeId={short}")).await.len()
    );
    for (query, field) in [
        (String::new(), "eventTypeId"),
        (format!("eventTypeId={short}&eventTypeIds={long}"), "eventTypeIds"),
    ] {
        call(query).await.refused(400, "request.invalid").about(field);
    }
    let nobody = "0".repeat(24);
    call(format!("eventTypeIds={short},{nobody}"))
        .await
        .refused(404, "PUBLIC_API_EVENT_TYPE_NOT_FOUND");
}

/// No start satisfies a notice that is as long as the window, whichever is set last.
#[scenario]
async fn a_notice_is_shorter_than_the_window(app: App) {
    let policies = |days: i64| {
        json!({"cancellationWindowHours": 24, "bookingWindowDays": days, "lateCancellationFee": null,
            "noShowFee": null, "termsUrl": null, "privacyUrl": null})
    };
    let set = async |days: i64| app.app("PUT", "/company/policies", Some(policies(days))).await;
    set(60).await.ok();
    let new = json!({"name": "Late", "durationMinutes": 30, "minNoticeMinutes": 7_200});
    let made = app.post("/event-types", new.clone()).await.ok();
    let path = format!("/event-types/{}", text(made.data(), "/eventType/eventTypeId"));
    let refused = set(5).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("bookingWindowDays");
    app.patch(&path, json!({"minNoticeMinutes": 60})).await.ok();
    set(5).await.ok();
    app.patch(&path, json!({"minNoticeMinutes": 7_200}))
        .await
        .refused(400, "request.invalid")
        .about("minNoticeMinutes");
    app.post("/event-types", new).await.refused(400, "request.invalid").about("minNoticeMinutes");
    app.patch(&path, json!({"name": "Later"})).await.ok();
    set(60).await.ok();
}

#[scenario]
async fn a_limited_location_holds_so_many(app: App) {
    let made = app.post("/locations", json!({"name": "Studio", "timeZone": "UTC"})).await.ok();
    let place = text(made.data(), "/location/locationId");
    let (one, two) = (coach_at_work(&app).await, coach_at_work(&app).await);
    let event_type = new_type(&app, json!({"coachIds": [one, two], "locationIds": [place]})).await;
    let start = free_start();
    let wanted = async |coach: &str, start: &str| {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        app.post(
            "/bookings",
            json!({"clientId": client, "eventTypeId": event_type, "coachId": coach,
            "startsAt": start}),
        )
        .await
    };
    wanted(&one, &start).await.ok();
    // Existing bookings count once the location is limited.
    let path = format!("/locations/{place}/availability");
    app.put(&path, json!({"maxConcurrentEvents": 1})).await.ok();
    let refused =
        wanted(&two, &start).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert_eq!(refused.body["error"]["details"]["reasons"], json!(["location_busy"]));
    wanted(&two, &later(&start, 30)).await.ok();
    app.put(&path, json!({"maxConcurrentEvents": 2})).await.ok();
    wanted(&two, &start).await.ok();
    let hours = json!({"weekly": [], "maxConcurrentEvents": 2});
    app.put(&path, hours).await.ok();
    let refused = wanted(&one, &later(&start, 60)).await;
    assert_eq!(refused.body["error"]["details"]["reasons"], json!(["closed"]));
}

#[scenario]
async fn limits_count_simultaneous_records(app: App) {
    let made = app.post("/locations", json!({"name": "Studio", "timeZone": "UTC"})).await.ok();
    let place = text(made.data(), "/location/locationId");
    let path = format!("/locations/{place}/availability");
    app.put(&path, json!({"maxConcurrentEvents": 2})).await.ok();
    let mut coaches = Vec::new();
    for _ in 0..4 {
        coaches.push(coach_at_work(&app).await);
    }
    let event_type = new_type(&app, json!({"coachIds": coaches, "locationIds": [place]})).await;
    let request = new_type(
        &app,
        json!({"coachIds": coaches, "locationIds": [place],
        "requiresApproval": true}),
    )
    .await;
    let class = new_type(&app, json!({"kind": "class", "locationIds": [place]})).await;
    let start = free_start();
    let wanted = async |event_type: &str, coach: &str| {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let new = json!({"clientId": client, "eventTypeId": event_type, "coachId": coach, "startsAt": start});
        app.post("/bookings", new).await
    };
    wanted(&event_type, &coaches[0]).await.ok();
    wanted(&request, &coaches[1]).await.ok();
    wanted(&event_type, &coaches[2])
        .await
        .refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let spin = json!({"eventTypeId": class, "coachId": coaches[3], "startsAt": start});
    app.app("POST", "/calendar/events", Some(spin))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("locationId");
    // Held requests still count when the limit is set again.
    app.put(&path, json!({})).await.ok();
    app.put(&path, json!({"maxConcurrentEvents": 2})).await.ok();
    wanted(&event_type, &coaches[2])
        .await
        .refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
}

#[scenario]
async fn limits_of_a_day_are_of_its_date(app: App) {
    let (coach, _) = people::coach(&app, "Coach").await;
    let night = |day| json!({"weekday": day, "startTime": "22:00", "endTime": "06:00"});
    let hours = json!({"timeZone": "UTC", "weekly": (1..=7).map(night).collect::<Vec<_>>()});
    app.put(&format!("/coaches/{coach}/availability"), hours).await.ok();
    let event_type = new_type(&app, json!({"coachIds": [coach], "dailyLimitPerCoach": 1})).await;
    let wanted = async |minute: i64| {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        app.post(
            "/bookings",
            json!({"clientId": client, "eventTypeId": event_type,
            "startsAt": at(44, minute)}),
        )
        .await
    };
    wanted(60).await.ok();
    for minute in [180, 1_380] {
        let refused = wanted(minute).await;
        assert_eq!(refused.body["error"]["details"]["reasons"], json!(["daily_limit"]), "{minute}");
    }
    wanted(1_440 + 60).await.ok();
}

#[scenario]
async fn a_day_is_explained(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach], "slotIntervalMinutes": 60})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    book(&app, json!({"clientId": client, "eventTypeId": event_type, "startsAt": at(50, 60)}))
        .await;
    let query =
        format!("eventTypeId={event_type}&explain=true&from={}&to={}", at(50, 0), at(50, 180));
    let response: Vec<_> =
        slots(&app, &query).await.into_iter().map(|(_, reasons)| reasons.join(" ")).collect();
    assert_eq!(response, ["", "coach_busy", ""]);
    let long = format!(
        "/availability/slots?eventTypeId={event_type}&explain=true&from={}&to={}",
        at(50, 0),
        at(53, 0)
    );
    app.get(&long).await.refused(400, "PUBLIC_API_DATE_RANGE_TOO_LARGE");
}

#[scenario]
async fn closures_list_affected_bookings(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let booked =
        book(&app, json!({"clientId": client, "eventTypeId": event_type, "startsAt": at(60, 600)}))
            .await;
    app.events().await;
    let date = at(60, 0)[..10].to_owned();
    let mut rule = json!({"appliesTo": "coach", "coachId": coach, "startDate": date, "endDate": date,
        "startTime": "09:00", "endTime": "10:30", "reason": "Dentist"});
    let state = app.state().await;
    let preview = app.app("POST", "/availability-rules/preview", Some(rule.clone())).await.ok();
    assert_eq!(preview.data()["affectedBookings"]["bookings"][0]["bookingId"], booked.as_str());
    assert_eq!(state, app.state().await);
    rule["endTime"] = json!("10:00");
    let made = app.post("/availability-rules", rule.clone()).await.ok();
    assert_eq!(made.data()["affectedBookings"]["total"], 0, "it begins when the closure ends");
    let path = format!(
        "/availability-rules/{}",
        text(made.data(), "/availabilityRule/availabilityRuleId")
    );
    let changed = app.patch(&path, json!({"endTime": null, "startTime": null})).await.ok();
    assert_eq!(changed.data()["affectedBookings"]["total"], 1, "the whole date is closed");
    assert_eq!(
        app.get(&format!("/bookings/{booked}")).await.ok().data()["booking"]["status"],
        "booked"
    );
    app.delete(&path).await.ok();
    app.get(&path).await.refused(404, "resource.not_found");
    rule["endDate"] = json!("2020-01-01");
    app.post("/availability-rules", rule.clone())
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
    rule["endDate"] = json!("2099-01-01");
    app.post("/availability-rules", rule).await.refused(400, "PUBLIC_API_DATE_RANGE_TOO_LARGE");
    let last = json!({"appliesTo": "coach", "coachId": coach, "startDate": "9999-12-31",
        "endDate": "9999-12-31", "startTime": "09:00", "endTime": "10:00"});
    let response = app.app("POST", "/availability-rules/preview", Some(last)).await.ok();
    assert_eq!(response.data()["affectedBookings"]["total"], 0);
    let nobody = json!({"appliesTo": "coach", "startDate": date, "endDate": date});
    app.post("/availability-rules", nobody).await.refused(400, "request.invalid").about("coachId");
    app.announced(&[]).await;
}

#[scenario]
async fn tasks_take_their_coachs_time(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach], "slotIntervalMinutes": 30})).await;
    let query = format!("eventTypeId={event_type}&from={}&to={}", at(70, 0), at(70, 120));
    let task =
        json!({"coachId": coach, "title": "Clean", "startsAt": at(70, 30), "endsAt": at(70, 60)});
    let made = app.post("/calendar-tasks", task).await.ok();
    let response = app.announced(&["calendar_task.created"]).await;
    assert_eq!(response[0]["coachId"], coach.as_str());
    let path = format!("/calendar-tasks/{}", text(made.data(), "/calendarTask/calendarTaskId"));
    let starts = async || {
        slots(&app, &query).await.into_iter().map(|(at, _)| at[11..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(starts().await, ["00:00", "01:00", "01:30"]);
    app.patch(&path, json!({"startsAt": at(70, 60), "endsAt": at(70, 90)})).await.ok();
    app.announced(&["calendar_task.updated"]).await;
    assert_eq!(starts().await, ["00:00", "00:30", "01:30"]);
    app.patch(&path, json!({"title": "Clean"})).await.ok();
    app.announced(&[]).await;
    app.act(&format!("{path}/cancel")).await.ok();
    app.announced(&["calendar_task.cancelled"]).await;
    assert_eq!(starts().await.len(), 4);
    app.act(&format!("{path}/cancel")).await.refused(409, "PUBLIC_API_ERROR");
    let long =
        json!({"coachId": coach, "title": "Travel", "startsAt": at(70, 0), "endsAt": at(102, 0)});
    app.post("/calendar-tasks", long).await.refused(400, "PUBLIC_API_DATE_RANGE_TOO_LARGE");
}

#[scenario]
async fn coaches_set_their_own_hours(app: App) {
    let (coach, token) = people::coach(&app, "Coach").await;
    let (other, _) = people::coach(&app, "Coach").await;
    let hours = Some(json!({"timeZone": "UTC", "weekly": always()}));
    let set = async |coach: &str| {
        app.app_as(&token, "PUT", &format!("/coaches/{coach}/availability"), hours.clone()).await
    };
    set(&coach).await.ok();
    set(&other).await.refused(403, "auth.forbidden");
    let task = json!({"coachId": other, "title": "X", "startsAt": at(1, 0), "endsAt": at(1, 5)});
    app.app_as(&token, "POST", "/calendar-tasks", Some(task)).await.refused(403, "auth.forbidden");
}
