//! Measurements: units, repeated uploads of devices, and corrections.

use serde_json::{Value, json};
use spotter_harness::{App, dates::ago, people, progress::measure, scenario, text};
use spotter_kernel::Entropy;
use spotter_store::{Sql, params};

#[scenario]
async fn typed_values_come_back_in_their_unit(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    for (kind, value, unit, metric, imperial) in [
        ("weight", 72.35, "kg", (72.35, "kg"), (159.5, "lb")),
        ("weight", 160.01, "lb", (72.58, "kg"), (160.01, "lb")),
        ("waist", 31.33, "in", (79.58, "cm"), (31.33, "in")),
        ("body_temperature", 98.6, "F", (37.0, "C"), (98.6, "F")),
        ("blood_glucose", 91.0, "mg/dL", (5.05, "mmol/L"), (91.0, "mg/dL")),
        ("body_fat", 21.25, "%", (21.25, "%"), (21.25, "%")),
        ("sleep", 27_000.0, "s", (27_000.0, "s"), (27_000.0, "s")),
    ] {
        let response =
            measure(&app, &client, json!({"type": kind, "value": value, "unit": unit})).await;
        assert_eq!(
            (&response["value"], &response["unit"]),
            (&json!(value), &json!(unit)),
            "{response}"
        );
        app.announced(&["measurement.created"]).await;
        let path = format!("/clients/{client}/measurements/{}", text(&response, "/measurementId"));
        for (query, (value, unit)) in [("", metric), ("?units=imperial", imperial)] {
            let response = app.get(&format!("{path}{query}")).await.ok();
            let response = &response.data()["measurement"];
            assert_eq!(
                (&response["value"], &response["unit"]),
                (&json!(value), &json!(unit)),
                "{response}"
            );
        }
    }
    let two = json!({"type": "blood_pressure", "components": {"systolic": 121, "diastolic": 79}});
    let response = measure(&app, &client, two).await;
    assert_eq!(response["components"], json!({"systolic": 121, "diastolic": 79}));
    assert_eq!((&response["value"], &response["unit"]), (&Value::Null, &json!("mmHg")));
    let data = app.announced(&["measurement.created"]).await;
    assert_eq!(data[0].get("components"), None);
}

#[scenario]
async fn implausible_values_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/clients/{client}/measurements");
    for (body, key, field) in [
        (json!({"type": "weight", "value": 7235}), "request.invalid", "value"),
        (json!({"type": "weight"}), "request.invalid", "value"),
        (json!({"type": "weight", "value": 72, "unit": "cm"}), "PUBLIC_API_INVALID_ENUM", "unit"),
        (json!({"type": "aura", "value": 1}), "PUBLIC_API_INVALID_ENUM", "type"),
        (
            json!({"type": "weight", "value": 72, "measuredAt": ago(-10)}),
            "request.invalid",
            "measuredAt",
        ),
        (json!({"type": "weight", "value": 72, "source": "form"}), "request.invalid", "source"),
        (json!({"type": "blood_pressure", "value": 120}), "request.invalid", "components"),
        (
            json!({"type": "weight", "components": {"systolic": 120, "diastolic": 80}}),
            "request.invalid",
            "value",
        ),
        (
            json!({"type": "blood_pressure", "components": {"systolic": 80, "diastolic": 120}}),
            "request.invalid",
            "components.diastolic",
        ),
        (
            json!({"type": "blood_pressure", "components": {"systolic": 500, "diastolic": 80}}),
            "request.invalid",
            "components.systolic",
        ),
    ] {
        app.post(&path, body.clone()).await.refused(400, key).about(field);
    }
    app.announced(&[]).await;
    // A clock that is some minutes ahead is one that is right.
    let ahead = json!({"type": "weight", "value": 72, "measuredAt": ago(-4)});
    let response = measure(&app, &client, ahead).await;
    assert!(text(&response, "/measuredAt") <= ago(-1), "{response}");
}

#[scenario]
async fn repeated_device_uploads_count_once(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let sent = |value: f64| {
        json!({"type": "weight", "value": value, "source": "device",
            "externalId": "scale-1", "measuredAt": "2026-05-01T06:00:00Z"})
    };
    let first = measure(&app, &client, sent(80.0)).await;
    assert_eq!((&first["source"], &first["measuredOn"]), (&json!("device"), &json!("2026-05-01")));
    app.announced(&["measurement.created"]).await;
    let again = measure(&app, &client, sent(80.0)).await;
    assert_eq!(again, first);
    app.announced(&[]).await;
    let corrected = measure(&app, &client, sent(80.5)).await;
    assert_eq!(
        (&corrected["value"], &corrected["measurementId"]),
        (&json!(80.5), &first["measurementId"])
    );
    let response = app.announced(&["measurement.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["value"]));
    let path = format!("/clients/{client}/measurements/{}", text(&first, "/measurementId"));
    app.delete(&path).await.ok();
    let response = app.announced(&["measurement.updated"]).await;
    assert_eq!(response[0]["status"], "deleted");
    // A deleted measurement does not return with the next synchronization.
    let dead = measure(&app, &client, sent(80.0)).await;
    assert_eq!((&dead["status"], &dead["value"]), (&json!("deleted"), &Value::Null));
    app.announced(&[]).await;
    app.get(&path).await.refused(404, "resource.not_found");
    app.patch(&path, json!({"value": 1})).await.refused(404, "resource.not_found");
    // The same id names something else of another type, and of another client.
    let other = json!({"type": "body_fat", "value": 20, "externalId": "scale-1"});
    measure(&app, &client, other).await;
    let bo = app.new_client(json!({"firstName": "Bo"})).await;
    measure(&app, &bo, sent(70.0)).await;
    app.announced(&["measurement.created"]).await;
}

#[scenario]
async fn measurements_are_corrected_by_their_author(app: App) {
    let (client, token) = people::client(&app).await;
    let all = format!("/clients/{client}/measurements");
    let by_staff = measure(&app, &client, json!({"type": "weight", "value": 80})).await;
    let own = json!({"type": "weight", "value": 79, "note": "After the holidays"});
    let own = app.app_as(&token, "POST", &all, Some(own)).await.ok();
    let own = own.data()["measurement"].clone();
    assert_eq!((&own["source"], &own["recordedByType"]), (&json!("manual"), &json!("client")));
    app.events().await;
    let path = |one: &Value| format!("{all}/{}", text(one, "/measurementId"));
    for method in ["PATCH", "DELETE"] {
        let body = (method == "PATCH").then(|| json!({"value": 78}));
        let refused = app.app_as(&token, method, &path(&by_staff), body).await;
        refused.refused(403, "auth.forbidden");
    }
    let body = json!({"value": 174.0, "unit": "lb", "note": null});
    let response = app.app_as(&token, "PATCH", &path(&own), Some(body)).await.ok();
    let response = &response.data()["measurement"];
    assert_eq!(
        (&response["value"], &response["unit"], &response["note"]),
        (&json!(174.0), &json!("lb"), &Value::Null)
    );
    let data = app.announced(&["measurement.updated"]).await;
    assert_eq!(data[0]["changedFields"], json!(["value", "note"]));
    app.app_as(&token, "PATCH", &path(&own), Some(json!({}))).await.ok();
    app.announced(&[]).await;
    app.app_as(&token, "DELETE", &path(&own), None).await.ok();
    app.announced(&["measurement.updated"]).await;
    let left = app.app_as(&token, "GET", &all, None).await.ok();
    assert_eq!(left.data()["total"], 1);
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let others = format!("/clients/{other}/measurements");
    app.app_as(&token, "GET", &others, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
}

#[scenario]
async fn the_latest_of_each_type_is_returned(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    for (kind, value, minutes) in
        [("weight", 80.0, 300), ("weight", 79.0, 100), ("waist", 90.0, 50), ("weight", 81.0, 200)]
    {
        measure(&app, &client, json!({"type": kind, "value": value, "measuredAt": ago(minutes)}))
            .await;
    }
    let path = format!("/clients/{client}/measurements/latest");
    let response = app.get(&path).await.ok();
    let response: Vec<_> = response.data()["measurements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(one, "/type"), one["value"].as_f64().unwrap()))
        .collect();
    assert_eq!(response, [("waist".to_owned(), 90.0), ("weight".to_owned(), 79.0)]);
    let nobody = app.new_client(json!({"firstName": "Bo"})).await;
    let none = app.get(&format!("/clients/{nobody}/measurements/latest")).await.ok();
    assert_eq!(none.data()["measurements"], json!([]));
}

#[scenario]
async fn companies_define_measurement_types(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let grip = json!({"label": "Grip strength", "unit": "kg", "decimals": 1, "maximum": 150});
    let made = app.post("/measurement-types", grip.clone()).await.ok();
    let made = &made.data()["measurementType"];
    assert_eq!((&made["type"], &made["isOwn"]), (&json!("grip_strength"), &json!(true)));
    app.post("/measurement-types", grip).await.refused(409, "PUBLIC_API_ERROR").about("label");
    let like = json!({"label": "Weight", "maximum": 1});
    app.post("/measurement-types", like).await.refused(409, "PUBLIC_API_ERROR").about("label");
    let none = json!({"label": "Nothing", "minimum": 5, "maximum": 5});
    app.post("/measurement-types", none).await.refused(400, "request.invalid").about("maximum");
    let response = measure(&app, &client, json!({"type": "grip_strength", "value": 42.26})).await;
    assert_eq!((&response["value"], &response["unit"]), (&json!(42.3), &json!("kg")));
    let path = format!("/clients/{client}/measurements");
    let much = json!({"type": "grip_strength", "value": 151});
    app.post(&path, much).await.refused(400, "request.invalid").about("value");
    let retired =
        app.patch("/measurement-types/grip_strength", json!({"isArchived": true})).await.ok();
    assert_eq!(retired.data()["measurementType"]["isArchived"], true);
    let more = json!({"type": "grip_strength", "value": 40});
    app.post(&path, more).await.refused(409, "PUBLIC_API_ERROR").about("type");
    assert_eq!(app.get(&format!("{path}?type=grip_strength")).await.ok().data()["total"], 1);
    let known = app.patch("/measurement-types/weight", json!({"label": "Mass"})).await;
    known.refused(409, "PUBLIC_API_ERROR").about("type");
    app.patch("/measurement-types/aura", json!({})).await.refused(404, "resource.not_found");
    let all = app.get("/measurement-types?limit=100").await.ok();
    let all = all.data()["measurementTypes"].as_array().unwrap().clone();
    let weight = all.iter().find(|one| one["type"] == "weight").unwrap();
    assert_eq!(weight["units"][1]["ucum"], "[lb_av]");
    assert!(all.iter().any(|one| one["type"] == "grip_strength"));
}

#[scenario]
async fn a_summary_counts_results(app: App) {
    let client = app.new_client(json!({"firstName": "Ann", "timeZone": "Pacific/Auckland"})).await;
    // In Auckland the last of them is of the second of April.
    for (value, at) in [
        (80.0, "2026-03-01T00:00:00Z"),
        (78.0, "2026-03-20T00:00:00Z"),
        (79.0, "2026-04-01T12:00:00Z"),
    ] {
        measure(&app, &client, json!({"type": "weight", "value": value, "measuredAt": at})).await;
    }
    let two = json!({"type": "blood_pressure", "components": {"systolic": 130, "diastolic": 85}, "measuredAt": "2026-03-05T00:00:00Z"});
    measure(&app, &client, two).await;
    let path = format!("/clients/{client}/progress-summary");
    let response = app.get(&format!("{path}?from=2026-03-01&to=2026-04-01")).await.ok();
    let response = &response.data()["summary"];
    let pressure = &response["measurements"][0];
    assert_eq!((&pressure["value"], &pressure["systolic"]["mean"]), (&Value::Null, &json!(130.0)));
    let weight = json!({"first": 80.0, "latest": 78.0, "change": -2.0, "minimum": 78.0, "maximum": 80.0, "mean": 79.0});
    assert_eq!(
        (&response["measurements"][1]["value"], &response["measurements"][1]["count"]),
        (&weight, &json!(2))
    );
    let response =
        app.get(&format!("{path}?from=2026-03-01&to=2026-04-02&units=imperial")).await.ok();
    let weight = &response.data()["summary"]["measurements"][1];
    assert_eq!((&weight["value"]["change"], &weight["count"]), (&json!(-2.2), &json!(3)));
    for (query, key) in [
        ("", "PUBLIC_API_DATE_RANGE_REQUIRED"),
        ("?from=2026-03-02&to=2026-03-01", "PUBLIC_API_DATE_RANGE_ORDER_INVALID"),
        ("?from=2025-01-01&to=2026-01-02", "PUBLIC_API_DATE_RANGE_TOO_LARGE"),
    ] {
        app.get(&format!("{path}{query}")).await.refused(400, key);
    }
}

#[scenario]
async fn measurements_are_listed_by_time(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    for (kind, value, at) in [
        ("weight", 80.0, "2026-03-01T10:00:00Z"),
        ("waist", 90.0, "2026-03-02T10:00:00Z"),
        ("weight", 79.0, "2026-02-01T10:00:00Z"),
    ] {
        measure(&app, &client, json!({"type": kind, "value": value, "measuredAt": at})).await;
    }
    let path = format!("/clients/{client}/measurements");
    for (query, values) in [
        ("", &[90.0, 80.0, 79.0][..]),
        ("?type=weight", &[80.0, 79.0]),
        ("?from=2026-03-01T10:00:00Z&to=2026-03-02T10:00:00Z", &[80.0]),
        ("?updatedFrom=2099-01-01T00:00:00Z", &[]),
        ("?type=weight&limit=1&page=2", &[79.0]),
    ] {
        let response = app.get(&format!("{path}{query}")).await.ok();
        let response: Vec<_> = response.data()["measurements"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["value"].as_f64().unwrap())
            .collect();
        assert_eq!(response, values, "{query}");
    }
    let bad = app.get(&format!("{path}?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z")).await;
    bad.refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
}

const KEPT: Sql =
    Sql("SELECT span, type, count, minimum, maximum, total, systolic_total, diastolic_total \
    FROM measurement_sum WHERE company_id = ?1 AND grain = ?2 AND count > 0 ORDER BY span, type");
const DAYS: Sql = Sql(
    "SELECT measured_on, type, COUNT(*), MIN(value), MAX(value), CAST(SUM(value) AS BIGINT), \
    CAST(SUM(systolic) AS BIGINT), CAST(SUM(diastolic) AS BIGINT) FROM measurement WHERE company_id = ?1 \
    AND status = 'recorded' AND ?2 = 'day' GROUP BY measured_on, type ORDER BY measured_on, type",
);
const MONTHS: Sql = Sql(
    "SELECT substr(measured_on, 1, 7) || '-01', type, COUNT(*), MIN(value), MAX(value), \
    CAST(SUM(value) AS BIGINT), CAST(SUM(systolic) AS BIGINT), CAST(SUM(diastolic) AS BIGINT) FROM measurement \
    WHERE company_id = ?1 AND status = 'recorded' AND ?2 = 'month' GROUP BY 1, type ORDER BY 1, type",
);

type Amounts =
    (String, String, i64, Option<i64>, Option<i64>, Option<i64>, Option<i64>, Option<i64>);

#[scenario]
async fn measurement_sums_equal_a_recount(app: App) {
    let client = app.new_client(json!({"firstName": "Ann", "timeZone": "Pacific/Auckland"})).await;
    let all = format!("/clients/{client}/measurements");
    let mut random = [0u8; 400];
    spotter::system::SystemEntropy.fill(&mut random);
    let mut dice = random.into_iter().map(i64::from);
    let mut ids: Vec<String> = Vec::new();
    for _ in 0..80 {
        let [act, which, when, what, kind] = [(); 5].map(|()| dice.next().unwrap());
        let at = ago(60 * (when * 7 + what));
        let value = if kind % 2 == 0 { "weight" } else { "waist" };
        let at_random = (!ids.is_empty()).then(|| which as usize % ids.len().max(1));
        match (act % 4, at_random) {
            (0, Some(at_random)) => {
                let path = format!("{all}/{}", ids[at_random]);
                app.patch(&path, json!({"value": 60 + what % 50, "measuredAt": at})).await.ok();
            }
            (1, Some(at_random)) => {
                app.delete(&format!("{all}/{}", ids.swap_remove(at_random))).await.ok();
            }
            _ if kind % 5 == 0 => {
                let pressure = json!({"systolic": 110 + what % 30, "diastolic": 70 + what % 15});
                let new =
                    json!({"type": "blood_pressure", "components": pressure, "measuredAt": at});
                measure(&app, &client, new).await;
            }
            _ => {
                let new = json!({"type": value, "value": 60 + what % 50, "measuredAt": at});
                ids.push(text(&measure(&app, &client, new).await, "/measurementId"));
            }
        }
    }
    for (grain, recount) in [("day", DAYS), ("month", MONTHS)] {
        let company = app.company;
        let response = app.server.db.read(move |tx| {
            let kept: Vec<Amounts> = tx.all(KEPT, params![company, grain])?;
            Ok((kept, tx.all::<Amounts>(recount, params![company, grain])?))
        });
        let (kept, recounted) = response.await.unwrap();
        assert!(!kept.is_empty());
        assert_eq!(kept, recounted, "{grain}");
    }
}
