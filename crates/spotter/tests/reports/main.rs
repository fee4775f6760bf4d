//! Reports over HTTP on both engines: figures that can be counted by hand, and correct under any actions. After every
//! scenario of the suite the metrics are recounted, too.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

mod acts;

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine, Reply,
    billing::sold,
    calendar::{always_at_work, new_type},
    people, scenario, send, text,
    travel::travelling,
};

#[scenario]
async fn ranges_are_checked_and_places_known(app: App) {
    let kinds = ["attendance", "revenue", "retention", "retention/cohorts"];
    for kind in kinds {
        let get = async |query: &str| app.get(&format!("/reports/{kind}{query}")).await;
        get("").await.refused(400, "PUBLIC_API_DATE_RANGE_REQUIRED").about("from");
        get("?from=2026-11-01").await.refused(400, "PUBLIC_API_DATE_RANGE_REQUIRED").about("to");
        get("?from=2026-11-02&to=2026-11-01")
            .await
            .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID")
            .about("to");
        get("?from=2026-02-30&to=2026-11-01").await.refused(400, "PUBLIC_API_INVALID_DATE_RANGE");
        let nobody = "a".repeat(24);
        get(&format!("?from=2026-11-01&to=2026-11-02&locationId={nobody}"))
            .await
            .refused(404, "resource.not_found")
            .about("locationId");
    }
    for (group, days, most) in [("day", 366, 366), ("week", 106 * 7, 106), ("month", 1825, 60)] {
        let to = |days: i64| {
            let first = spotter_kernel::Date::parse("2024-01-01").unwrap();
            first.plus_days(days).unwrap()
        };
        let path = |to| format!("/reports/attendance?from=2024-01-01&to={to}&groupBy={group}");
        let response = app.get(&path(to(days - 1))).await.ok();
        assert!(response.data()["report"]["buckets"].as_array().unwrap().len() <= most);
        app.get(&path(to(days + 31)))
            .await
            .refused(400, "PUBLIC_API_DATE_RANGE_TOO_LARGE")
            .about("to");
    }
    let day = "from=2026-11-01&to=2026-11-01";
    app.get(&format!("/reports/revenue?{day}&coachId={}", app.admin))
        .await
        .refused(400, "request.invalid")
        .about("coachId");
    app.get(&format!("/reports/attendance?{day}&groupBy=year"))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("groupBy");
    // Another company's location is unknown.
    let other = App::new(app.server.clone()).await;
    let place = other.post("/locations", json!({"name": "Theirs"})).await.ok();
    let place = text(place.data(), "/location/locationId");
    app.get(&format!("/reports/attendance?{day}&locationId={place}"))
        .await
        .refused(404, "resource.not_found");
}

#[scenario]
async fn an_empty_company_has_all_its_buckets(app: App) {
    let response = app.get("/reports/attendance?from=2026-03-28&to=2026-03-30").await.ok();
    let report = &response.data()["report"];
    let buckets = report["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 3);
    assert_eq!(buckets[1]["from"], "2026-03-29");
    assert_eq!(report["timeZone"], "Europe/Amsterdam");
    // The clocks go forward.
    assert_eq!(buckets[1]["startsAt"], "2026-03-28T23:00:00.000Z");
    assert_eq!(buckets[1]["endsAt"], "2026-03-29T22:00:00.000Z");
    assert_eq!(
        buckets[0]["attendanceRate"],
        json!({"numerator": 0, "denominator": 0, "value": null})
    );
    let revenue = app.get("/reports/revenue?from=2026-03-28&to=2026-03-28").await.ok();
    let block = &revenue.data()["report"]["buckets"][0]["currencies"];
    assert_eq!(block[0]["currency"], "EUR");
    assert_eq!(block[0]["netCollected"], 0);
    let cohorts = app.get("/reports/retention/cohorts?from=2026-01-31&to=2026-03-01").await.ok();
    assert_eq!(cohorts.data()["report"]["cohorts"].as_array().unwrap().len(), 3);
}

/// A report as a table.
async fn csv(app: &App, path: &str) -> Vec<String> {
    let request = app.server.request("GET", &format!("/public/v1/reports/{path}"));
    let response =
        request.bearer_auth(&app.token).header("accept", "text/csv").send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/csv; charset=utf-8; header=present");
    assert!(response.headers()["content-disposition"].to_str().unwrap().ends_with(".csv\""));
    let text = response.text().await.unwrap();
    text.split("\r\n").filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

async fn report(app: &App, path: &str) -> Value {
    app.get(&format!("/reports/{path}")).await.ok().data()["report"].clone()
}

async fn attend(app: &App, booking: &str, status: &str) -> Reply {
    let path = format!("/bookings/{booking}/attendance");
    app.post(&path, json!({"attendanceStatus": status})).await.ok()
}

#[scenario(process)]
fn seats_are_reported_by_attendance(engine: Engine) {
    travelling(engine, "2026-11-23T08:00:00.000Z", |mut travel| async move {
        let app = &travel.app;
        app.app("PATCH", "/company/settings", Some(json!({"timeZone": "Europe/Amsterdam"})))
            .await
            .ok();
        let (coach, _) = people::coach(app, "Coach").await;
        always_at_work(app, &coach).await;
        let kind = json!({"kind": "class", "capacity": 4, "name": "Spin", "durationMinutes": 30,
            "cancellationWindowMinutes": 600});
        let kind = new_type(app, kind).await;
        let mut clients = Vec::new();
        for _ in 0..4 {
            clients.push(app.new_client(json!({"firstName": "Ann"})).await);
        }
        let place = app
            .post("/locations", json!({"name": "Far", "timeZone": "Pacific/Auckland"}))
            .await
            .ok();
        let place = text(place.data(), "/location/locationId");
        let class = async |starts: &str, place: Value| {
            let new = json!({"eventTypeId": kind, "coachId": coach, "startsAt": starts, "locationId": place});
            let made = app.app("POST", "/calendar/events", Some(new)).await.ok();
            text(made.data(), "/calendarEvent/calendarEventId")
        };
        // 12:30 UTC is already the next day in Auckland; nobody attends the last.
        let here = class("2026-11-23T12:00:00.000Z", Value::Null).await;
        let far = class("2026-11-23T12:30:00.000Z", json!(place)).await;
        let later = class("2026-11-26T12:00:00.000Z", Value::Null).await;
        class("2026-11-23T18:00:00.000Z", Value::Null).await;
        let book = async |class: &str, client: &str| {
            let new = json!({"clientId": client, "calendarEventId": class, "allowOverlap": true});
            let made = app.post("/bookings", new).await.ok();
            text(made.data(), "/booking/bookingId")
        };
        let mut here_booked = Vec::new();
        for client in &clients {
            here_booked.push(book(&here, client).await);
        }
        let far_booked = book(&far, &clients[0]).await;
        let early = book(&later, &clients[0]).await;
        let kept = book(&later, &clients[1]).await;
        // Within ten hours of the start it is late; the second is cancelled by the coach.
        app.post(&format!("/bookings/{}/cancel", here_booked[2]), json!({})).await.ok();
        app.post(&format!("/bookings/{}/cancel", here_booked[3]), json!({"cancelledBy": "coach"}))
            .await
            .ok();
        app.post(&format!("/bookings/{early}/cancel"), json!({})).await.ok();
        travel.to("2026-11-23T13:00:00.000Z").await;
        let app = &travel.app;
        attend(app, &here_booked[0], "attended").await;
        attend(app, &here_booked[1], "attended").await;
        attend(app, &here_booked[1], "no_show").await;
        attend(app, &far_booked, "attended").await;
        let today = report(app, "attendance?from=2026-11-23&to=2026-11-23").await;
        assert_eq!(today["buckets"][0]["partial"], true);
        assert_eq!(today["buckets"][0]["capacity"], 0, "the day is not over");
        travel.to("2026-11-25T08:00:00.000Z").await;
        let app = &travel.app;
        let response = report(app, "attendance?from=2026-11-23&to=2026-11-29").await;
        let [first, second, _, fourth] = [0, 1, 2, 3].map(|day| &response["buckets"][day]);
        let facts = |one: &Value, names: &[&str]| -> Vec<i64> {
            names.iter().map(|name| one[*name].as_i64().unwrap()).collect()
        };
        let names = [
            "attended",
            "noShows",
            "lateCancellations",
            "earlyCancellations",
            "companyCancellations",
            "unmarked",
            "upcoming",
            "events",
            "capacity",
            "firstVisits",
            "uniqueClients",
        ];
        assert_eq!(facts(first, &names), [1, 1, 1, 0, 1, 0, 0, 2, 8, 1, 1], "{first}");
        assert_eq!(facts(second, &names), [1, 0, 0, 0, 0, 0, 0, 1, 4, 0, 1], "{second}");
        assert_eq!(facts(fourth, &names), [0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0], "{fourth}");
        assert_eq!(
            first["attendanceRate"],
            json!({"numerator": 1, "denominator": 3, "value": 0.3333})
        );
        assert_eq!(first["fillRate"], json!({"numerator": 2, "denominator": 8, "value": 0.25}));
        assert_eq!(first["utilisationRate"]["value"], 0.125);
        // A week's visitor came twice; a partial week has no unique visitors.
        let week = report(app, "attendance?from=2026-11-23&to=2026-11-29&groupBy=week").await;
        assert_eq!(facts(&week["buckets"][0], &names[..1]), [2]);
        assert_eq!(week["buckets"][0]["uniqueClients"], 1);
        let cut = report(app, "attendance?from=2026-11-24&to=2026-11-29&groupBy=week").await;
        assert_eq!(cut["buckets"][0]["uniqueClients"], Value::Null);
        assert_eq!(cut["buckets"][0]["partial"], true);
        let month = report(app, "attendance?from=2026-11-01&to=2026-11-30&groupBy=month").await;
        assert_eq!(month["buckets"][0]["uniqueClients"], 1);
        assert_eq!(month["totals"]["attended"], 2);
        let far =
            report(app, &format!("attendance?from=2026-11-23&to=2026-11-24&locationId={place}"))
                .await;
        assert_eq!(far["timeZone"], "Pacific/Auckland");
        assert_eq!(far["buckets"][0]["attended"], 0);
        assert_eq!(far["buckets"][1]["attended"], 1);
        assert_eq!(far["buckets"][1]["capacity"], 4);
        let both =
            format!("attendance?from=2026-11-23&to=2026-11-24&locationId={place}&coachId={coach}");
        assert_eq!(report(app, &both).await["buckets"][1]["uniqueClients"], Value::Null);
        let of_admin = format!("attendance?from=2026-11-23&to=2026-11-24&coachId={}", app.admin);
        assert_eq!(report(app, &of_admin).await["totals"]["attended"], 0);
        let rows = csv(app, "attendance?from=2026-11-23&to=2026-11-24").await;
        assert_eq!(rows.len(), 3);
        assert!(
            rows[0].starts_with("from,to,startsAt,endsAt,partial,attended,noShows,"),
            "{}",
            rows[0]
        );
        assert!(
            rows[0].contains(
                "attendanceRate.numerator,attendanceRate.denominator,attendanceRate.value"
            )
        );
        assert!(
            rows[1].starts_with("2026-11-23,2026-11-23,2026-11-22T23:00:00.000Z,"),
            "{}",
            rows[1]
        );
        // It took place; attendance was never marked.
        travel.to("2026-11-28T08:00:00.000Z").await;
        let response = report(&travel.app, "attendance?from=2026-11-26&to=2026-11-26").await;
        assert_eq!(facts(&response["buckets"][0], &names), [0, 0, 0, 1, 0, 1, 0, 1, 4, 0, 0]);
        attend(&travel.app, &kept, "excused").await;
        let response = report(&travel.app, "attendance?from=2026-11-26&to=2026-11-26").await;
        assert_eq!(response["buckets"][0]["excused"], 1);
        assert_eq!(response["buckets"][0]["unmarked"], 0);
    });
}

#[scenario(process)]
fn revenue_is_reported_by_date(engine: Engine) {
    travelling(engine, "2026-10-05T08:00:00.000Z", |mut travel| async move {
        let app = &travel.app;
        let place = app.post("/locations", json!({"name": "Here"})).await.ok();
        let place = text(place.data(), "/location/locationId");
        let client = app.new_client(json!({"firstName": "Ann", "homeLocationId": place})).await;
        let other = app.new_client(json!({"firstName": "Bo"})).await;
        let year = json!({"price": 100_000, "period": "Year", "vatPercentage": 21});
        let first = sold(app, &client, year, json!({})).await;
        sold(app, &other, json!({"price": 999, "period": "Week", "vatPercentage": 0}), json!({}))
            .await;
        travel.to("2026-10-07T08:00:00.000Z").await;
        let app = &travel.app;
        let paid = spotter_harness::billing::pay(app, &client, &first.invoice, None).await;
        travel.to("2026-10-08T08:00:00.000Z").await;
        let app = &travel.app;
        let path = format!("/finance/payments/{}/refunds", text(&paid, "/paymentId"));
        app.app("POST", &path, Some(json!({"amount": 12_100}))).await.ok();
        let response = report(app, "revenue?from=2026-10-05&to=2026-10-09").await;
        let on = |day: usize| response["buckets"][day]["currencies"][0].clone();
        assert_eq!(on(0)["currency"], "EUR");
        assert_eq!(
            on(0)["invoiced"],
            json!({"net": 82_645 + 999, "vat": 17_355, "gross": 100_999})
        );
        assert_eq!(on(0)["outstanding"], 100_999);
        // 100,000 a twelfth of a year, and 52 weeks of 9.99: rounded once.
        assert_eq!(on(0)["mrr"], (100_000 + 999 * 52 + 6) / 12);
        assert_eq!(
            (on(1)["outstanding"].clone(), on(1)["collected"].clone()),
            (json!(100_999), json!(0))
        );
        assert_eq!(
            (on(2)["outstanding"].clone(), on(2)["collected"].clone()),
            (json!(999), json!(100_000))
        );
        assert_eq!(on(3)["refunded"], 12_100);
        assert_eq!(on(3)["netCollected"], -12_100);
        assert_eq!(on(3)["credited"], json!({"net": 10_000, "vat": 2_100, "gross": 12_100}));
        assert_eq!(response["totals"][0]["netCollected"], 87_900);
        let here = report(
            app,
            &format!("revenue?from=2026-10-01&to=2026-10-31&groupBy=month&locationId={place}"),
        )
        .await;
        assert_eq!(here["buckets"][0]["currencies"][0]["invoiced"]["gross"], 100_000);
        assert_eq!(here["buckets"][0]["currencies"][0]["mrr"], 8_333);
        let rows = csv(app, "revenue?from=2026-10-05&to=2026-10-06").await;
        assert!(
            rows[0].contains(",currency,invoiced.net,invoiced.vat,invoiced.gross,"),
            "{}",
            rows[0]
        );
        // A paused membership is separate; a caller without access to money cannot read this.
        let rest = json!({"from": "2026-10-08", "until": "2026-11-08"});
        let requested = app
            .app(
                "POST",
                &format!("/finance/subscriptions/{}/pause-requests", first.course),
                Some(rest),
            )
            .await
            .ok();
        let request = text(requested.data(), "/request/requestId");
        let status = text(requested.data(), "/request/status");
        if status == "pending" {
            app.app(
                "POST",
                &format!("/finance/subscriptions/{}/requests/{request}/approve", first.course),
                None,
            )
            .await
            .ok();
        }
        let response = report(app, "revenue?from=2026-10-08&to=2026-10-08").await;
        let block = &response["buckets"][0]["currencies"][0];
        assert_eq!(
            (block["mrr"].clone(), block["pausedMrr"].clone()),
            (json!(4_329), json!(8_333))
        );
        let narrow = app.token_with(&["attendance_summaries:read"]).await;
        let request =
            app.server.request("GET", "/public/v1/reports/revenue?from=2026-10-08&to=2026-10-08");
        send(request.bearer_auth(&narrow)).await.refused(403, "scopes.insufficient");
    });
}

#[scenario(process)]
fn members_come_stay_and_go(engine: Engine) {
    travelling(engine, "2026-01-10T08:00:00.000Z", |mut travel| async move {
        let status = async |app: &App, client: &str, status: &str| {
            app.patch(&format!("/clients/{client}"), json!({"memberStatus": status})).await.ok();
        };
        let mut clients = Vec::new();
        for _ in 0..4 {
            let new = json!({"firstName": "Ann", "memberStatus": "active"});
            clients.push(travel.app.new_client(new).await);
        }
        // Leaving and returning on one day changes nothing.
        status(&travel.app, &clients[0], "former").await;
        status(&travel.app, &clients[0], "active").await;
        status(&travel.app, &clients[0], "paused").await;
        travel.to("2026-02-05T08:00:00.000Z").await;
        status(&travel.app, &clients[1], "former").await;
        status(&travel.app, &clients[2], "former").await;
        let guest =
            travel.app.new_client(json!({"firstName": "Guest", "memberStatus": "active"})).await;
        travel.to("2026-02-20T08:00:00.000Z").await;
        status(&travel.app, &clients[2], "active").await;
        status(&travel.app, &guest, "former").await;
        travel.to("2026-03-03T08:00:00.000Z").await;
        travel.app.act(&format!("/clients/{}/archive", clients[3])).await.ok();
        travel.to("2026-04-15T08:00:00.000Z").await;
        let app = &travel.app;
        let response = report(app, "retention?from=2026-01-01&to=2026-04-30&groupBy=month").await;
        let facts = |one: &Value| -> Vec<i64> {
            let names =
                ["atStart", "joined", "returned", "left", "atEnd", "retained", "joinedAndLeft"];
            names.iter().map(|name| one[*name].as_i64().unwrap()).collect()
        };
        let months: Vec<_> = response["buckets"].as_array().unwrap().iter().map(facts).collect();
        assert_eq!(
            months,
            [
                [0, 4, 0, 0, 4, 0, 0],
                [4, 1, 1, 3, 3, 3, 1],
                [3, 0, 0, 1, 2, 2, 0],
                [2, 0, 0, 0, 2, 2, 0]
            ]
        );
        assert_eq!(
            response["buckets"][1]["retentionRate"],
            json!({"numerator": 3, "denominator": 4, "value": 0.75})
        );
        assert_eq!(response["buckets"][1]["churnRate"]["value"], 0.25);
        assert_eq!(response["buckets"][0]["retentionRate"]["value"], Value::Null);
        assert_eq!(
            response["totals"],
            json!({"atStart": 0, "joined": 5, "returned": 1, "left": 4, "atEnd": 2})
        );
        // By week, a client who was away for two weeks was lost, and returned.
        let weeks = report(app, "retention?from=2026-02-02&to=2026-02-22&groupBy=week").await;
        let weeks: Vec<_> = weeks["buckets"].as_array().unwrap().iter().map(facts).collect();
        assert_eq!(weeks, [[4, 1, 0, 2, 3, 2, 0], [3, 0, 0, 0, 3, 3, 0], [3, 0, 1, 1, 3, 2, 0]]);
        let cut = report(app, "retention?from=2026-02-10&to=2026-02-28&groupBy=month").await;
        assert_eq!(cut["buckets"][0]["retained"], Value::Null);
        assert_eq!(cut["buckets"][0]["atStart"], 3);
        let cohorts = report(app, "retention/cohorts?from=2026-01-01&to=2026-02-01").await;
        let members = |cohort: usize| -> Vec<i64> {
            let months = cohorts["cohorts"][cohort]["months"].as_array().unwrap().clone();
            months.iter().map(|month| month["members"].as_i64().unwrap()).collect()
        };
        assert_eq!(
            (cohorts["cohorts"][0]["size"].clone(), members(0)),
            (json!(4), vec![4, 3, 2, 2])
        );
        assert_eq!((cohorts["cohorts"][1]["size"].clone(), members(1)), (json!(1), vec![0, 0, 0]));
        let rows = csv(app, "retention/cohorts?from=2026-01-01&to=2026-02-01").await;
        assert_eq!(
            rows[0],
            "from,to,size,monthsLater,at,members,rate.numerator,rate.denominator,rate.value"
        );
        assert_eq!(rows.len(), 1 + 4 + 3);
        assert_eq!(rows[2], "2026-01-01,2026-01-31,4,1,2026-02-28,3,3,4,0.75");
    });
}
