//! Exercises, equipment and settings.

use serde_json::{Value, json};
use spotter_harness::{App, scenario, text, training::SQUAT};

fn names<'a>(list: &'a Value, kind: &str, field: &str) -> Vec<&'a str> {
    let items = list[kind].as_array().unwrap();
    items.iter().map(|item| item[field].as_str().unwrap()).collect()
}

#[scenario]
async fn the_starter_library_is_everybodys(app: App) {
    let list = app.get("/workout/exercises?limit=1").await.ok();
    assert!(list.data()["total"].as_i64().unwrap() >= 200, "{}", list.body);
    let squat = app.get(&format!("/workout/exercises/{SQUAT}")).await.ok();
    let squat = &squat.data()["exercise"];
    assert_eq!(squat["name"], "Barbell Back Squat");
    assert_eq!((&squat["source"], &squat["editable"]), (&json!("system"), &json!(false)));
    assert_eq!(squat["primaryMuscles"], json!(["quadriceps", "glutes"]));
    assert_eq!(
        (&squat["trackingType"], &squat["unilateral"]),
        (&json!("weight_reps"), &json!(false))
    );
    let before = app.state().await;
    let path = format!("/workout/exercises/{SQUAT}");
    let refused = app.patch(&path, json!({"name": "Mine"})).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("exerciseId");
    app.act(&format!("{path}/archive")).await.refused(409, "PUBLIC_API_ERROR");
    assert_eq!(before, app.state().await);
    let equipment = app.get("/workout/equipment?limit=100").await.ok();
    assert!(equipment.data()["total"].as_i64().unwrap() >= 40);
    let items = equipment.data()["equipment"].as_array().unwrap();
    let fields = [
        "aliases",
        "category",
        "editable",
        "family",
        "id",
        "key",
        "label",
        "modality",
        "movementTags",
        "resistanceType",
        "source",
        "usageContexts",
    ];
    for item in items {
        assert_eq!(item.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
        assert_eq!((&item["source"], &item["editable"]), (&json!("system"), &json!(false)));
    }
    app.announced(&[]).await;
}

#[scenario]
async fn exercises_of_ones_own(app: App) {
    let new = json!({"name": "Atlas Stone Lift", "aliases": ["Stone to Shoulder"], "primaryMuscles": ["lower_back", "glutes"],
        "equipment": ["sandbag"], "trackingType": "weight_reps", "videoUrl": "https://example.com/stone"});
    let made = app.post("/workout/exercises", new).await.ok();
    assert_eq!(made.status, 201);
    let own = made.data()["exercise"].clone();
    assert_eq!((&own["source"], &own["editable"]), (&json!("company"), &json!(true)));
    let path = format!("/workout/exercises/{}", text(&own, "/exerciseId"));
    assert_eq!(app.get(&path).await.ok().data()["exercise"], own);
    let changed = app.patch(&path, json!({"videoUrl": null, "unilateral": true})).await.ok();
    assert_eq!(changed.data()["exercise"]["videoUrl"], Value::Null);
    assert_eq!(changed.data()["exercise"]["unilateral"], true);
    let first = app.get("/workout/exercises?limit=2").await.ok();
    assert_eq!(
        names(first.data(), "exercises", "name"),
        ["Atlas Stone Lift", "Barbell Back Squat"]
    );
    let archived = app.act(&format!("{path}/archive")).await.ok();
    assert!(archived.data()["exercise"]["archivedAt"].is_string());
    assert_eq!(app.act(&format!("{path}/archive")).await.ok().data(), archived.data());
    let all = app.get("/workout/exercises?archived=true").await.ok();
    assert_eq!(names(all.data(), "exercises", "name"), ["Atlas Stone Lift"]);
    let before = app.state().await;
    for (body, key, field) in [
        (json!({"name": "X"}), "request.invalid", "primaryMuscles"),
        (json!({"name": "X", "primaryMuscles": []}), "request.invalid", "primaryMuscles"),
        (
            json!({"name": "X", "primaryMuscles": ["heart"]}),
            "PUBLIC_API_INVALID_ENUM",
            "primaryMuscles[0]",
        ),
        (
            json!({"name": "X", "primaryMuscles": ["chest"], "equipment": ["sandbag", "moon"]}),
            "request.invalid",
            "equipment[1]",
        ),
        (
            json!({"name": "X", "primaryMuscles": ["chest"], "aliases": vec!["x"; 21]}),
            "request.invalid",
            "aliases",
        ),
        (
            json!({"name": "X", "primaryMuscles": ["chest"], "thumbnail": "javascript:x"}),
            "request.invalid",
            "thumbnail",
        ),
    ] {
        app.post("/workout/exercises", body).await.refused(400, key).about(field);
    }
    app.get("/workout/exercises/squat").await.refused(400, "request.invalid").about("exerciseId");
    app.get(&format!("/workout/exercises/{}", "f".repeat(24)))
        .await
        .refused(404, "resource.not_found");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn exercises_are_found(app: App) {
    let new = json!({"name": "Éclair Squat", "primaryMuscles": ["upper_back"], "equipment": ["pull_up_bar"], "trackingType": "duration"});
    app.post("/workout/exercises", new).await.ok();
    for (query, first, some) in [
        ("search=eclair", "Éclair Squat", 1),
        ("search=squat%20ECL", "Éclair Squat", 1),
        ("search=skull", "Lying Triceps Extension", 1),
        ("muscle=upper_back&trackingType=duration", "Éclair Squat", 1),
        ("equipment=pull_up_bar&source=company", "Éclair Squat", 1),
        ("equipment=trap_bar", "Trap Bar Deadlift", 1),
        ("source=system&muscle=neck", "Neck Flexion", 1),
    ] {
        let list = app.get(&format!("/workout/exercises?{query}")).await.ok();
        assert_eq!(list.data()["total"], some, "{query}: {}", list.body);
        assert_eq!(list.data()["exercises"][0]["name"], first, "{query}");
    }
    for (words, name) in [
        ("pushup", "Push-Up"),
        ("pull-ups", "Pull-Up"),
        ("chin ups", "Chin-Up"),
        ("squats", "Squat"),
        ("deadlifts", "Deadlift"),
        ("biceps curl", "Curl"),
        ("skullcrusher", "Lying Triceps Extension"),
        ("db bench", "Dumbbell Bench Press"),
        ("ohp", "Overhead Press"),
        ("kb swings", "Kettlebell Swing"),
    ] {
        let query = words.replace(' ', "%20");
        let list = app.get(&format!("/workout/exercises?search={query}&limit=100")).await.ok();
        let found = list.data()["exercises"].as_array().unwrap();
        let named = |one: &Value| one["name"].as_str().unwrap().contains(name);
        assert!(found.iter().any(named), "{words}: {}", list.body);
    }
    let squats = app.get("/workout/exercises?search=squat&limit=3&page=2").await.ok();
    let all = app.get("/workout/exercises?search=squat&limit=100").await.ok();
    assert_eq!(
        squats.data()["exercises"].as_array().unwrap()[..],
        all.data()["exercises"].as_array().unwrap()[3..6],
        "pages go on from the company's own to the starter library"
    );
    for (query, total) in [
        ("search=quat", 0),
        ("search=!!", 0),
        ("search=%25", 0),
        ("search=%F0%9F%92%AA", 0),
        ("equipment=pull%25", 0),
        ("source=client", 0),
    ] {
        let list = app.get(&format!("/workout/exercises?{query}")).await.ok();
        assert_eq!(list.data()["total"], total, "{query}");
    }
    app.get("/workout/exercises?muscle=heart")
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("muscle");
}

#[scenario]
async fn equipment_of_ones_own(app: App) {
    let new = json!({"label": "Yoke Bar", "category": "strongman", "aliases": ["Yoke"], "movementTags": ["carry"]});
    let made = app.post("/workout/equipment/custom-items", new).await.ok();
    let item = &made.data()["item"];
    assert_eq!(
        (made.status, &item["key"], &item["source"]),
        (201, &json!("yoke_bar"), &json!("company"))
    );
    assert_eq!(item["family"], Value::Null);
    let again = app.post("/workout/equipment/custom-items", json!({"label": "yoke-bar"})).await;
    again.refused(409, "PUBLIC_API_ERROR").about("label");
    let found = app.get("/workout/equipment?search=yoke").await.ok();
    assert_eq!(found.data()["equipment"], json!([item]));
    assert_eq!(app.get("/workout/equipment?category=strongman").await.ok().data()["total"], 1);
    assert_eq!(app.get("/workout/equipment?source=company").await.ok().data()["total"], 1);
    let with = json!({"name": "Yoke Walk", "primaryMuscles": ["traps"], "equipment": ["yoke_bar"]});
    app.post("/workout/exercises", with).await.ok();
}

#[scenario]
async fn equipment_of_a_client_to_the_letter(app: App) {
    let (ann, bea) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bea"})).await,
    );
    let path = format!("/workout/equipment/clients/{ann}/custom-items");
    let made = app
        .post(&path, json!({"label": "Grandma's Dumbbell", "category": "free_weights"}))
        .await
        .ok();
    let item = made.data()["item"].clone();
    assert_eq!(
        item,
        json!({"id": item["id"], "key": "grandma_s_dumbbell", "label": "Grandma's Dumbbell",
        "category": "free_weights", "aliases": [], "family": null, "modality": null, "resistanceType": null,
        "movementTags": [], "usageContexts": [], "source": "client", "editable": true})
    );
    let label = json!({"label": "Grandma's dumbbell"});
    app.post(&path, label.clone()).await.refused(409, "PUBLIC_API_ERROR").about("label");
    app.post(&format!("/workout/equipment/clients/{bea}/custom-items"), label).await.ok();
    app.post(&path, json!({"category": "x"})).await.refused(400, "request.invalid").about("label");
    app.post(&path, json!({"label": "x".repeat(121)}))
        .await
        .refused(400, "PUBLIC_API_FIELD_TOO_LONG")
        .about("label");
    app.post("/workout/equipment/clients/x/custom-items", json!({"label": "x"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_CLIENT_ID");
    let one = format!("{path}/{}", text(&item, "/id"));
    let changed = app.patch(&one, json!({"label": "Kettle", "category": null})).await.ok();
    assert_eq!(
        (&changed.data()["item"]["key"], &changed.data()["item"]["category"]),
        (&json!("kettle"), &Value::Null)
    );
    assert_eq!(app.get(&path).await.ok().data()["items"], json!([changed.data()["item"]]));
    let others = one.replace(&ann, &bea);
    app.patch(&others, json!({"label": "Stolen"})).await.refused(404, "resource.not_found");
    app.delete(&others).await.refused(404, "resource.not_found");
    assert_eq!(
        app.get("/workout/equipment?search=kettle&source=company").await.ok().data()["total"],
        0,
        "it is the client's alone"
    );
    app.delete(&one).await.ok();
    assert_eq!(app.get(&path).await.ok().data()["total"], 0);
    app.delete(&one).await.refused(404, "resource.not_found");
    app.announced(&[]).await;
}

#[scenario]
async fn settings_change_the_unit(app: App) {
    let settings = app.get("/workout/settings").await.ok();
    assert_eq!(settings.data()["settings"]["weightUnit"], "kg");
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let session = spotter_harness::training::did(
        &app,
        &client,
        10,
        json!([spotter_harness::training::lifted(SQUAT, &[(100.0, 5)])]),
    )
    .await;
    let changed = app
        .patch("/workout/settings", json!({"weightUnit": "lb", "defaultRestSeconds": 120}))
        .await
        .ok();
    assert_eq!(changed.data()["settings"]["defaultRestSeconds"], 120);
    let path = format!("/workout/clients/{client}/plans/sessions/{session}");
    let view = app.get(&path).await.ok();
    let view = &view.data()["session"];
    assert_eq!(
        (&view["weightUnit"], &view["exercises"][0]["sets"][0]["weight"]),
        (&json!("lb"), &json!(220.46))
    );
    assert_eq!(view["totalVolume"], json!(1102.31));
    let logged = app
        .put(
            &format!("{path}/sets"),
            json!({"exercises": [spotter_harness::training::lifted(SQUAT, &[(225.0, 5)])]}),
        )
        .await
        .ok();
    assert_eq!(logged.data()["session"]["exercises"][0]["sets"][0]["weight"], 225.0);
    app.patch("/workout/settings", json!({"weightUnit": "kg"})).await.ok();
    assert_eq!(
        app.get(&path).await.ok().data()["session"]["exercises"][0]["sets"][0]["weight"],
        102.06
    );
    app.patch("/workout/settings", json!({"weightUnit": "stone"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("weightUnit");
    app.patch("/workout/settings", json!({"defaultRestSeconds": 3601}))
        .await
        .refused(400, "request.invalid")
        .about("defaultRestSeconds");
    app.announced(&[]).await;
}
