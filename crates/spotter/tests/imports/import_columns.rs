//! Columns and values of imports: guesses, and corrections.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    imports::{brought, settled, wrong},
    random_text, scenario, text,
};

#[scenario]
async fn columns_can_be_remapped(app: App) {
    let mark = random_text();
    let file = format!("who,when,x\nAnn,02/03/1990,x-{mark}\nBea,13/03/1990,y-{mark}\n");
    let import = brought(&app, "clients", &file).await;
    assert_eq!(settled(&app, &import).await["counts"]["wrong"], 2);
    let put =
        async |body: Value| app.app("PUT", &format!("/imports/{import}/columns"), Some(body)).await;
    for (columns, rule) in [
        (json!(["firstName"]), "must be 3"),
        (json!(["firstName", "shoes", null]), "shoes is none of"),
        (json!(["firstName", "firstName", null]), "named for two"),
    ] {
        let refused = put(json!({"columns": columns})).await.refused(400, "request.invalid");
        assert!(refused.body.to_string().contains(rule), "{}", refused.body);
    }
    let columns = json!(["firstName", "dateOfBirth", "externalId"]);
    put(json!({"columns": columns, "dateOrder": "month_first"})).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(
        (&response["counts"]["ready"], &response["counts"]["incomplete"]),
        (&json!(2), &json!(1))
    );
    put(json!({"columns": columns, "dateOrder": "day_first", "memberStatus": "active"})).await.ok();
    assert_eq!(settled(&app, &import).await["counts"]["ready"], 2);
    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    settled(&app, &import).await;
    let path = format!("/imports/{import}/rows?state=done");
    let rows = app.app("GET", &path, None).await.ok();
    let ann = text(rows.data(), "/importRows/0/recordId");
    let ann = app.get(&format!("/clients/{ann}")).await.ok();
    let ann = &ann.data()["client"];
    assert_eq!(
        (&ann["dateOfBirth"], &ann["memberStatus"]),
        (&json!("1990-03-02"), &json!("active"))
    );
    assert_eq!(ann["externalId"], format!("x-{mark}"));
    app.events().await;
}

#[scenario]
async fn values_of_files_are_mapped(app: App) {
    let mark = random_text();
    let file = format!(
        "Name,Email,Status,Coach\n\
         Ann,ann-{mark}@example.com,Platinum,Trainer A\n\
         Bea,bea-{mark}@example.com,PLATINUM,Trainer A\n\
         Cor,cor-{mark}@example.com,Ghost,\n\
         Dee,dee-{mark}@example.com,Non-Member,\n"
    );
    let import = brought(&app, "clients", &file).await;
    let response = settled(&app, &import).await;
    assert_eq!(response["counts"]["incomplete"], 3, "{response}");
    let values = |response: &Value| -> Vec<(String, String, i64, Value)> {
        let all = response["values"].as_array().unwrap().iter();
        all.map(|one| {
            (
                text(one, "/field"),
                text(one, "/written"),
                one["rows"].as_i64().unwrap(),
                one["means"].clone(),
            )
        })
        .collect()
    };
    let is = |field: &str, written: &str, rows: i64, means: Value| {
        (field.to_owned(), written.to_owned(), rows, means)
    };
    assert_eq!(
        values(&response),
        [
            is("memberStatus", "Platinum", 2, Value::Null),
            is("memberStatus", "Ghost", 1, Value::Null),
            is("memberStatus", "Non-Member", 1, json!("lead")),
            is("assignedCoachId", "Trainer A", 2, Value::Null),
        ]
    );
    let columns = json!(["name", "email", "memberStatus", "assignedCoachId"]);
    let submitted = |values: Value| json!({"columns": columns, "values": values});
    let path = format!("/imports/{import}/columns");
    for (value, field) in [
        (
            json!({"field": "memberStatus", "written": "Platinum", "means": "gold"}),
            "values[0].means",
        ),
        (json!({"field": "email", "written": "x", "means": "y"}), "values[0].field"),
        (json!({"field": "nothing", "written": "x", "means": "y"}), "values[0].field"),
    ] {
        let refused = app.app("PUT", &path, Some(submitted(json!([value])))).await;
        refused.refused(400, "request.invalid").about(field);
    }
    let meant = json!([
        {"field": "memberStatus", "written": "platinum", "means": "active"},
        {"field": "memberStatus", "written": "Ghost", "means": "-"},
        {"field": "assignedCoachId", "written": "Trainer A", "means": "Ada Admin"},
    ]);
    app.app("PUT", &path, Some(submitted(meant))).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(response["counts"]["incomplete"], 0, "{:?}", wrong(&app, &import, "ready").await);
    assert_eq!(values(&response)[0].3, "active");
    assert_eq!(values(&response)[1].3, "-");
    // A correction stays, and null removes it.
    let back = json!([{"field": "memberStatus", "written": "Ghost", "means": null}]);
    app.app("PUT", &path, Some(submitted(back))).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(
        (&response["counts"]["incomplete"], &values(&response)[1].3),
        (&json!(1), &Value::Null)
    );
    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    settled(&app, &import).await;
    let ann = app.get(&format!("/clients?search=ann-{mark}@example.com")).await.ok();
    let ann = &ann.data()["clients"][0];
    assert_eq!(
        (&ann["memberStatus"], &ann["assignedCoachId"]),
        (&json!("active"), &json!(app.admin))
    );
    app.events().await;
}
