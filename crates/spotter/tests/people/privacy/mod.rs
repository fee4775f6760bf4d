//! A client's rights: an export of everything, and erasure of everything.

mod consent;
mod erasure;
mod exports;

use std::collections::BTreeSet;

use serde_json::json;
use spotter_harness::{
    App, Engine,
    documents::link,
    forms::{NOTE, give, published, send_file},
    messaging::{open_direct, say},
    people, text,
};
use spotter_store::{Sql, params};

/// A word in everything that the client and others write.
const MARK: &str = "zyxwv";

const COLUMNS_ON_SQLITE: Sql =
    Sql("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
    WHERE m.type = 'table' AND c.type = 'TEXT' ORDER BY m.name, c.cid");
const COLUMNS_ON_POSTGRES: Sql =
    Sql("SELECT table_name::TEXT, column_name::TEXT FROM information_schema.columns \
    WHERE table_schema = 'public' AND data_type = 'text' ORDER BY 1, ordinal_position");

/// The tables of a company, with those of their columns that hold text.
async fn columns(app: &App) -> Vec<(String, String)> {
    let columns = match app.server.engine {
        Engine::Sqlite => COLUMNS_ON_SQLITE,
        Engine::Postgres => COLUMNS_ON_POSTGRES,
    };
    let all: Vec<(String, String)> =
        app.server.db.read(move |tx| tx.all(columns, params![])).await.unwrap();
    let of_companies: BTreeSet<_> = all
        .iter()
        .filter(|(_, column)| column == "company_id")
        .map(|(table, _)| table.clone())
        .collect();
    all.into_iter().filter(|(table, _)| of_companies.contains(table)).collect()
}

/// The columns that contain a word, in any case.
async fn places(app: &App, word: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (table, column) in columns(app).await {
        let text = format!(
            "SELECT COUNT(*) FROM {table} WHERE company_id = ?1 AND LOWER({column}) LIKE ?2"
        );
        let (company, pattern) = (app.company, format!("%{word}%"));
        let count = move |tx: &mut spotter_store::Tx<'_>| {
            tx.one::<(i64,)>(Sql(text.clone().leak()), params![company, pattern])
        };
        if app.server.db.read(count).await.unwrap() != Some((0,)) {
            found.insert(format!("{table}.{column}"));
        }
    }
    found
}

/// Writes a word wherever a client can be described; returns the client and their token.
async fn mark_everything(app: &App) -> (String, String) {
    let (client, token) = people::client(app).await;
    // An address and a name with digits, which are search terms, and are replaced.
    let before = json!({"lastName": format!("{MARK} 7477734518"), "email": format!("{MARK}.7477834519@example.com")});
    app.patch(&format!("/clients/{client}"), before).await.ok();
    let say_so = json!({"firstName": "Ann", "lastName": MARK, "externalId": MARK, "source": MARK,
        "emergencyContact": {"name": MARK, "phone": "+31 20 123 4567"},
        "address": {"line1": MARK, "city": "Rotterdam", "country": "NL"}});
    app.patch(&format!("/clients/{client}"), say_so).await.ok();
    app.put(&format!("/clients/{client}/tags"), json!({"tags": [MARK]})).await.ok();
    let at = |rest: &str| format!("/clients/{client}{rest}");
    app.post(&at("/notes"), json!({"body": MARK})).await.ok();
    app.post(
        &at("/measurements"),
        json!({"type": "weight", "value": 80, "unit": "kg", "note": MARK}),
    )
    .await
    .ok();
    app.post(
        &at("/goals"),
        json!({"title": MARK, "kind": "custom", "targetValue": 5, "direction": "increase"}),
    )
    .await
    .ok();
    let habit = json!({"name": MARK, "kind": "check", "schedule": {"kind": "daily"}});
    let habit = app.post(&at("/habits"), habit).await.ok();
    let habit = text(habit.data(), "/habit/habitId");
    let today = spotter_harness::dates::day(0);
    let entry = json!({"status": "done", "note": MARK});
    app.put(&at(&format!("/habits/{habit}/entries/{today}")), entry).await.ok();
    let meal = json!({"mealType": "lunch", "note": MARK, "items": [{"name": MARK, "amount": 1, "unit": "piece"}]});
    app.app("POST", &at("/nutrition-logs"), Some(meal)).await.ok();
    let talk = open_direct(app, &app.coach_token, &client).await;
    say(app, &app.coach_token, &talk, MARK).await;
    say(app, &token, &talk, MARK).await;
    link(app, json!({"clientId": client, "name": MARK})).await;
    let sent = send_file(app, &token).await;
    let file = json!({"uploadId": sent, "type": "id", "name": MARK});
    app.app_as(&token, "POST", "/document-files", Some(file)).await.ok();
    let form = published(app, "general", json!([NOTE.clone()])).await;
    let given = give(app, &client, &form).await;
    let answers = json!({"answers": {"note": MARK}});
    let path = at(&format!("/form-assignments/{given}/submit"));
    app.app_as(&token, "POST", &path, Some(answers)).await.ok();
    let path = at(&format!("/form-assignments/{given}/review"));
    app.app("POST", &path, Some(json!({"review": format!("{MARK} reviewed")}))).await.ok();
    let block = json!({"note": format!("{MARK} blocked")});
    app.app("PUT", &at("/access-block"), Some(block)).await.ok();
    // An import file that names them, whether or not it is run.
    let file = format!("First name;E-mail\n{MARK};{MARK}.7477834519@example.com\n");
    let import = json!({"kind": "clients", "text": file, "fileName": "members.csv"});
    app.app("POST", "/imports", Some(import)).await.ok();
    // Files that an intake and a check-up ask for.
    for kind in ["intake", "checkup"] {
        let call = json!({"questionId": "photo", "type": "file", "label": "A photo of the letter"});
        let form = published(app, kind, json!([call])).await;
        let given = match kind {
            "intake" => give(app, &client, &form).await,
            _ => {
                let made = app.post(&at("/checkups"), json!({"formId": form})).await.ok();
                text(made.data(), "/checkup/checkupId")
            }
        };
        let file = send_file(app, &token).await;
        let answers = json!({"answers": {"photo": {"uploadId": file}}});
        let path = at(&format!("/form-assignments/{given}/submit"));
        app.app_as(&token, "POST", &path, Some(answers)).await.ok();
    }
    (client, token)
}
