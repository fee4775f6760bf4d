//! The plans of clients and groups.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    dates::{after, day, monday},
    scenario, text,
    training::{add_day, assign, days_of, new_template, publish, template_of},
};

#[scenario]
async fn assignment_copies(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/workout/clients/{client}/plans");
    let template = new_template(&app).await;
    let draft = app.post(&path, json!({"templateId": template})).await;
    draft.refused(409, "PUBLIC_API_ERROR").about("templateId");
    publish(&app, &template).await;
    let start = after(&monday(1), 2);
    let made = app
        .post(&path, json!({"templateId": template, "startDate": start, "name": "Ann's"}))
        .await
        .ok();
    let plan = &made.data()["plan"];
    assert_eq!(
        (&plan["name"], &plan["status"], &plan["templateId"]),
        (&json!("Ann's"), &json!("Active"), &json!(template))
    );
    assert_eq!(
        (&plan["startDate"], &plan["endDate"]),
        (&json!(start), &json!(after(&monday(1), 20)))
    );
    let id = text(plan, "/_id");
    let full = app.get(&format!("{path}/template/{id}")).await.ok();
    let schedule = &full.data()["schedule"];
    assert_eq!(
        (&schedule["layout"], &schedule["startDate"], &schedule["totalWeeks"]),
        (&json!("calendar_week"), &json!(start), &json!(3))
    );
    let week = schedule["weeks"][0]["days"].as_array().unwrap();
    assert_eq!(week.len(), 7);
    let before_start: Vec<_> =
        week.iter().map(|day| day["isBeforeStart"].as_bool().unwrap()).collect();
    assert_eq!(before_start, [true, true, false, false, false, false, false]);
    assert_eq!(week[0]["items"][0]["plannedDate"], Value::Null, "Monday lies before the start");
    assert_eq!(week[0]["items"][0]["status"], Value::Null);
    let thursday = &week[3]["items"][0];
    assert_eq!(
        (&thursday["plannedDate"], &thursday["status"], &thursday["type"], &thursday["source"]),
        (&json!(after(&start, 1)), &json!("upcoming"), &json!("workout"), &json!("programme"))
    );
    assert_eq!((&week[1]["isRestDay"], &week[3]["isRestDay"]), (&json!(true), &json!(false)));
    let days = days_of(&app, &template).await;
    app.delete(&format!("/workout/plans/moments/{template}/{}", text(&days[0], "/_id"))).await.ok();
    app.delete(&format!("/workout/plans/templates/{template}")).await.ok();
    assert_eq!(days_of(&app, &id).await.len(), 6, "the template's end does not reach the copy");
    let changed = app
        .patch(
            &format!("{path}/template/{id}"),
            json!({"startDate": monday(2), "releasePolicy": "weekly_from_start"}),
        )
        .await
        .ok();
    assert_eq!(
        changed.data()["plan"]["endDate"],
        json!(after(&monday(2), 20)),
        "the end follows the start"
    );
    let locked = app.get(&format!("{path}/template/{id}")).await.ok();
    assert_eq!(locked.data()["schedule"]["weeks"][0]["days"][0]["items"][0]["status"], "locked");
    app.patch(&format!("{path}/template/{id}"), json!({"status": "Completed"})).await.ok();
    assert_eq!(app.get(&format!("{path}?status=Completed")).await.ok().data()["total"], 1);
    let (from, to) = (monday(2), after(&monday(2), 20));
    let due = format!("/workout/clients/{client}/calendar?from={from}&to={to}");
    assert_eq!(app.get(&due).await.ok().data()["calendar"]["items"], json!([]));
    assert_eq!(app.get(&format!("{path}?status=Active")).await.ok().data()["total"], 0);
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    app.get(&format!("/workout/clients/{other}/plans/template/{id}"))
        .await
        .refused(404, "resource.not_found");
    app.delete(&format!("{path}/template/{id}")).await.ok();
    assert_eq!(app.get(&path).await.ok().data()["total"], 0);
    app.act(&format!("/clients/{client}/archive")).await.ok();
    let another = new_template(&app).await;
    publish(&app, &another).await;
    app.post(&path, json!({"templateId": another}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("clientId");
    app.announced(&["client.archived"]).await;
}

#[scenario]
async fn starts_follow_the_kind_of_plan(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/workout/clients/{client}/plans");
    let calendar = template_of(&app, json!({"layout": "calendar_week"})).await;
    let sequence = template_of(&app, json!({})).await;
    let ends = template_of(&app, json!({"mode": "multi_week", "weeks": 2})).await;
    for template in [&calendar, &sequence, &ends] {
        publish(&app, template).await;
    }
    for (template, start) in [(&calendar, after(&monday(1), 1)), (&sequence, monday(1))] {
        let refused = app.post(&path, json!({"templateId": template, "startDate": start})).await;
        refused.refused(400, "request.invalid").about("startDate");
    }
    let malformed =
        app.post(&path, json!({"templateId": calendar, "startDate": "2026-02-30"})).await;
    malformed.refused(400, "PUBLIC_API_INVALID_DATE").about("startDate");
    let unknown = app.post(&path, json!({"templateId": "0".repeat(24)})).await;
    unknown.refused(404, "resource.not_found").about("templateId");
    for (template, start, end) in [
        (&calendar, json!(monday(0)), Value::Null),
        (&sequence, Value::Null, Value::Null),
        (&ends, json!(day(0)), json!(day(13))),
    ] {
        let made = app.post(&path, json!({"templateId": template})).await.ok();
        let plan = &made.data()["plan"];
        assert_eq!((&plan["startDate"], &plan["endDate"]), (&start, &end));
    }
    let recurring = assign(&app, &client, &calendar, Some(&monday(-2))).await;
    let done = app
        .patch(&format!("{path}/template/{recurring}"), json!({"status": "Completed"}))
        .await
        .ok();
    assert_eq!(
        done.data()["plan"]["endDate"],
        json!(day(0)),
        "what comes round ends when it is completed"
    );
    let again =
        app.patch(&format!("{path}/template/{recurring}"), json!({"status": "Active"})).await.ok();
    assert_eq!(again.data()["plan"]["endDate"], Value::Null);
}

#[scenario]
async fn days_are_reordered_to_the_letter(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = template_of(&app, json!({})).await;
    for name in ["A", "B", "C"] {
        add_day(&app, &template, json!({"name": name})).await;
    }
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, None).await;
    let ids: Vec<_> =
        days_of(&app, &plan).await.iter().map(|day| text(day, "/planMomentId")).collect();
    let path = format!("/workout/clients/{client}/plans/template/{plan}/reorder-days");
    let done = app.patch(&path, json!({"planMomentIds": [ids[2], ids[0], ids[1]]})).await.ok();
    assert_eq!(
        *done.data(),
        json!({"templateId": plan, "dayCount": 3, "days": [
            {"planMomentId": ids[2], "name": "C", "dayOrder": 1, "order": 0},
            {"planMomentId": ids[0], "name": "A", "dayOrder": 2, "order": 1},
            {"planMomentId": ids[1], "name": "B", "dayOrder": 3, "order": 2},
        ]})
    );
    let names: Vec<_> = days_of(&app, &plan).await.iter().map(|day| text(day, "/name")).collect();
    assert_eq!(names, ["C", "A", "B"]);
    let before = app.state().await;
    let templates = days_of(&app, &template).await;
    for wrong in [
        json!([]),
        json!([ids[0]]),
        json!([ids[0], ids[1], ids[1]]),
        json!([ids[0], ids[1], ids[2], ids[2]]),
        json!([ids[0], ids[1], templates[2]["_id"]]),
    ] {
        app.patch(&path, json!({"planMomentIds": wrong}))
            .await
            .refused(400, "request.invalid")
            .about("planMomentIds");
    }
    app.patch(&path, json!({})).await.refused(400, "request.invalid").about("planMomentIds");
    let theirs = path.replace(&plan, &template);
    app.patch(&theirs, json!({"planMomentIds": ids})).await.refused(404, "resource.not_found");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn groups_share_a_plan(app: App) {
    let mut clients = Vec::new();
    for name in ["Ann", "Bea", "Cas"] {
        clients.push(app.new_client(json!({"firstName": name})).await);
    }
    let made = app.post("/workout/groups", json!({"name": "Early birds"})).await.ok();
    let path = format!("/workout/groups/{}", text(made.data(), "/group/groupId"));
    let added = app
        .post(
            &format!("{path}/members"),
            json!({"clientIds": [clients[0], clients[1], clients[0]]}),
        )
        .await
        .ok();
    assert_eq!(added.data()["addedClientIds"], json!([clients[0], clients[1]]));
    assert_eq!(added.data()["planIds"], json!([]));
    let template = new_template(&app).await;
    app.post(&format!("{path}/plans"), json!({"templateId": template}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("templateId");
    publish(&app, &template).await;
    let given = app
        .post(&format!("{path}/plans"), json!({"templateId": template, "startDate": monday(1)}))
        .await
        .ok();
    assert_eq!(given.data()["planIds"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&given.data()["group"]["templateId"], &given.data()["group"]["startDate"]),
        (&json!(template), &json!(monday(1)))
    );
    let joined =
        app.post(&format!("{path}/members"), json!({"clientIds": [clients[2]]})).await.ok();
    let plan = text(joined.data(), "/planIds/0");
    let plans = app.get(&format!("/workout/clients/{}/plans", clients[2])).await.ok();
    assert_eq!(
        (&plans.data()["plans"][0]["_id"], &plans.data()["plans"][0]["groupId"]),
        (&json!(plan), &made.data()["group"]["groupId"])
    );
    assert_eq!(app.get(&format!("{path}/members?limit=2")).await.ok().data()["total"], 3);
    let nobody = app.post(&format!("{path}/members"), json!({"clientIds": ["0".repeat(24)]})).await;
    nobody.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND").about("clientIds[0]");
    app.delete(&format!("{path}/members/{}", clients[2])).await.ok();
    app.delete(&format!("{path}/members/{}", clients[2])).await.refused(404, "resource.not_found");
    assert_eq!(
        app.get(&format!("/workout/clients/{}/plans", clients[2])).await.ok().data()["total"],
        1,
        "the plan stays"
    );
    app.delete(&format!("/workout/plans/templates/{template}")).await.ok();
    assert_eq!(app.get(&path).await.ok().data()["group"]["templateId"], Value::Null);
    app.patch(&path, json!({"description": "Before work"})).await.ok();
    app.delete(&path).await.ok();
    app.get(&path).await.refused(404, "resource.not_found");
    assert_eq!(app.get("/workout/groups").await.ok().data()["total"], 0);
    app.announced(&[]).await;
}
