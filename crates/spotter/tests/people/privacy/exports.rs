//! Data exports: everything about a client that the requester may see, and nothing about others.

use std::{collections::BTreeMap, io::Read as _};

use serde_json::Value;
use spotter_harness::{
    App, data_exports::ready, documents::fetch, people, python, scenario, start, text, world::World,
};
use spotter_store::{Sql, Tx, params};
use spotter_testing::requirements;

use super::{MARK, columns, mark_everything};

/// A requested data export, once it is ready.
async fn create_export(app: &App, token: &str, client: &str) -> Value {
    let path = format!("/clients/{client}/data-exports");
    let request = app.app_as(token, "POST", &path, None).await.ok();
    let id = text(request.data(), "/dataExport/dataExportId");
    ready(app, token, client, &id).await
}

/// Where the file of a data export is.
async fn address(app: &App, token: &str, export: &Value) -> String {
    let (client, id) = (text(export, "/clientId"), text(export, "/dataExportId"));
    let path = format!("/clients/{client}/data-exports/{id}/file");
    let response = app.app_as(token, "GET", &path, None).await.ok();
    assert_eq!(response.data()["dataExportFile"]["sizeBytes"], export["sizeBytes"]);
    text(response.data(), "/dataExportFile/url")
}

/// The files in a data export, as this library reads it and as another does.
async fn opened(app: &App, token: &str, export: &Value) -> BTreeMap<String, Vec<u8>> {
    let url = address(app, token, export).await;
    let (status, bytes, kind) = fetch(app, &url).await;
    assert_eq!((status, kind.as_str()), (200, "application/zip"));
    assert_eq!(export["sizeBytes"], bytes.len());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let program = "import sys, zipfile\nz = zipfile.ZipFile(sys.stdin.read())\nassert z.testzip() is None\n\
        print(len(z.namelist()))";
    let others = python::run(&requirements::PYTHON, program, file.path().to_str().unwrap());
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    assert!(others.is_none_or(|response| response.trim() == zip.len().to_string()));
    let mut files = BTreeMap::new();
    for at in 0..zip.len() {
        let mut own = zip.by_index(at).unwrap();
        let mut bytes = Vec::new();
        let name = own.name().unwrap().into_owned();
        own.read_to_end(&mut bytes).unwrap();
        assert!(files.insert(name.clone(), bytes).is_none(), "{name}");
    }
    files
}

/// Tables whose rows are included without their ids: the rows belong to included records, or store positions.
const WITHOUT_IDS: &[&str] = &[
    "allocation",
    "app_session",
    "browser_session",
    "account",
    "calendar_feed",
    "client_erasure",
    "client_step",
    "client_tag",
    "client_term",
    "data_export",
    "entitlement_hold",
    "invitation",
    "nutrition_target",
    "payment_setup",
    "pending_charge",
    "workout_moment",
    "workout_move",
    "workout_performance",
    "workout_progress",
];

/// The ids of a client's rows, by table.
async fn ids(app: &App, client: &str) -> Vec<(String, String)> {
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, column) in columns(app).await {
        tables.entry(table).or_default().push(column);
    }
    let mut found = Vec::new();
    for (table, columns) in tables {
        let own = columns.iter().find(|own| {
            own.ends_with("_id") && !["company_id", "client_id"].contains(&own.as_str())
        });
        let (true, Some(own)) = (columns.contains(&"client_id".to_owned()), own) else { continue };
        if WITHOUT_IDS.contains(&table.as_str()) {
            continue;
        }
        let text = format!("SELECT {own} FROM {table} WHERE company_id = ?1 AND client_id = ?2");
        let (company, client) = (app.company, client.to_owned());
        let rows = move |tx: &mut Tx<'_>| {
            tx.all::<(String,)>(Sql(text.clone().leak()), params![company, client.clone()])
        };
        let rows = app.server.db.read(rows).await.unwrap();
        found.extend(rows.into_iter().map(|(id,)| (table.clone(), id)));
    }
    found
}

#[scenario]
async fn a_client_exports_all_their_data(app: App) {
    let World { app, .. } = World::new(app).await;
    let (client, token) = mark_everything(&app).await;
    let (other, _) = people::client(&app).await;
    let own = opened(&app, &token, &create_export(&app, &token, &client).await).await;
    let whole: String = own.values().map(|file| String::from_utf8_lossy(file)).collect();
    assert!(!whole.contains(&other));
    for name in [
        "client.json",
        "measurements.json",
        "habits.json",
        "goals.json",
        "nutrition-logs.json",
        "conversations.json",
        "documents.json",
        "form-submissions.json",
    ] {
        let text = String::from_utf8_lossy(own.get(name).unwrap_or_else(|| panic!("{name}")));
        assert!(text.contains(MARK), "{name}: {text}");
    }
    assert!(!own.contains_key("notes.json") && !own.contains_key("custom-fields.json"));
    // Uploaded files are included byte by byte, and the record names them.
    let documents: Value = serde_json::from_slice(&own["documents.json"]).unwrap();
    let with_file = documents.as_array().unwrap().iter().find(|one| one["source"] == "file");
    let name = text(with_file.unwrap(), "/files/0");
    assert!(own[&name].starts_with(b"%PDF-1.7"), "{name}");
    // So are files of an intake and a check-up.
    for name in ["intakes.json", "checkups.json"] {
        let records: Value = serde_json::from_slice(&own[name]).unwrap();
        let file = text(&records, "/0/files/0");
        assert!(own[&file].starts_with(b"%PDF-1.7"), "{name}: {records}");
    }
    assert!(whole.contains(&format!("{MARK} reviewed")), "what a coach says of a form");
    let habits: Value = serde_json::from_slice(&own["habits.json"]).unwrap();
    assert_eq!(habits[0]["entries"][0]["note"], MARK);
    // A manager's export has what managers may see: notes, and no conversations.
    let staffs =
        opened(&app, &app.coach_token, &create_export(&app, &app.coach_token, &client).await).await;
    assert!(String::from_utf8_lossy(&staffs["notes.json"]).contains(MARK));
    assert!(String::from_utf8_lossy(&staffs["access-block.json"]).contains(MARK));
    assert!(!staffs.contains_key("conversations.json"));
    assert!(!staffs.contains_key("assistants.json"));
    let whole: String =
        staffs.values().map(|file| String::from_utf8_lossy(file)).collect::<String>() + &whole;
    let ids = ids(&app, &client).await;
    assert!(ids.len() > 8, "{ids:?}");
    for (table, id) in ids {
        assert!(whole.contains(&id), "{id} of {table} is not in it");
    }
    let about = String::from_utf8_lossy(&own["README.txt"]);
    assert!(about.contains("measurements.json") && about.contains("asked for by the client"));
}

#[scenario]
async fn exports_require_permission(app: App) {
    let (client, token) = people::client(&app).await;
    let (_, stranger) = people::client(&app).await;
    let (_, coach) = people::coach(&app, "Coach").await;
    let path = format!("/clients/{client}/data-exports");
    app.app_as(&stranger, "POST", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    app.app_as(&coach, "POST", &path, None).await.refused(403, "auth.forbidden");
    let own = create_export(&app, &token, &client).await;
    let one = format!("{path}/{}", text(&own, "/dataExportId"));
    let admin = app.coach_token.clone();
    for at in [one.clone(), format!("{one}/file")] {
        let response = app.app_as(&stranger, "GET", &at, None).await;
        response.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
        app.app_as(&admin, "GET", &at, None).await.refused(404, "resource.not_found");
    }
    assert_eq!(app.app_as(&admin, "GET", &path, None).await.ok().data()["total"], 0);
    assert_eq!(app.app_as(&token, "GET", &path, None).await.ok().data()["total"], 1);
    // A signed address is valid for its person, while the client exists.
    let url = address(&app, &token, &own).await;
    assert_eq!(fetch(&app, &url).await.0, 200);
    app.act(&format!("/clients/{client}/archive")).await.ok();
    assert_eq!(fetch(&app, &url).await.0, 404);
    let staffs = create_export(&app, &admin, &client).await;
    let url = address(&app, &admin, &staffs).await;
    assert_eq!(fetch(&app, &url).await.0, 200);
    app.app("POST", &format!("/clients/{client}/erase"), None).await.ok();
    assert_eq!(fetch(&app, &url).await.0, 404);
    app.app("GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
}

#[scenario]
async fn a_data_export_is_kept_for_a_week(app: App) {
    // A server of its own: a sweep of another day would take the files of other scenarios.
    let server = start(app.server.engine, Default::default());
    let app = App::new(server.into()).await;
    let (client, token) = people::client(&app).await;
    let first = create_export(&app, &token, &client).await;
    let url = address(&app, &token, &first).await;
    // The next takes the place of the last.
    let second = create_export(&app, &token, &client).await;
    assert_eq!(fetch(&app, &url).await.0, 404);
    let path = format!("/clients/{client}/data-exports");
    let listed = app.app_as(&token, "GET", &path, None).await.ok();
    let statuses =
        ["/dataExports/0/status", "/dataExports/1/status"].map(|at| text(listed.data(), at));
    assert_eq!(statuses, ["ready", "expired"]);
    let stored = |export: &Value| format!("{}/{}", app.company, text(export, "/dataExportId"));
    let is_kept = async |export: &Value| app.server.files.read(&stored(export)).await.is_ok();
    let sweep = async |days: i64| {
        let at = app.server.env.clock.now().plus_days(days).plus_seconds(60);
        spotter::testing::sweep_files(&app.server.db, &app.server.files, at).await.unwrap();
    };
    sweep(0).await;
    assert!(!is_kept(&first).await && is_kept(&second).await);
    sweep(6).await;
    assert!(is_kept(&second).await);
    sweep(7).await;
    assert!(!is_kept(&second).await);
}

/// Reads of a client that no export contains, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("list_slots", "what is offered"),
    ("get_entrance", "what is decided anew whenever it is asked"),
    ("get_client_erasure", "nothing once there is something"),
    ("get_client_second_step", "how somebody signs in"),
    ("list_data_exports", "the exports themselves"),
    ("get_data_export", "the exports themselves"),
    ("get_data_export_file", "the exports themselves"),
    ("list_calendar_feeds", "addresses that are secret"),
    ("get_latest_measurements", "of the measurements"),
    ("get_progress_summary", "counted from the rest"),
    ("get_client_nutrition_day", "counted from the meals"),
    ("get_client_workout_calendar", "counted from plans and sessions"),
    ("list_client_workout_days", "of the plans"),
    ("list_exercise_history", "of the sessions"),
    ("list_personal_records", "of the sessions"),
    ("list_top_exercises", "of the sessions"),
    ("get_workout_volume", "of the sessions"),
];

/// Each list of a client's records is exported, or says why not.
#[test]
fn every_list_of_a_clients_is_exported() {
    let areas = spotter::areas::areas();
    let mut named: Vec<&str> = areas.exports.iter().map(|part| part.operation).collect();
    for with in areas.exports.iter().flat_map(|part| part.with) {
        match with {
            spotter_contract::RelatedRecords::Whole(id)
            | spotter_contract::RelatedRecords::Listed(_, id) => named.push(id),
            spotter_contract::RelatedRecords::File(..) => {}
        }
    }
    for id in &named {
        assert!(areas.operations.iter().any(|row| row.id == *id), "{id} is no operation");
    }
    let of_clients = areas.operations.iter().filter(|row| {
        let lists = row.is_paged() || !row.path.ends_with('}');
        let read = row.method == spotter_contract::Method::Get && !row.writes;
        read && lists && (row.path.contains("{clientId}") || row.has_parameter("clientId"))
    });
    for row in of_clients {
        let is_elsewhere = ELSEWHERE.iter().any(|(id, _)| *id == row.id);
        assert_ne!(named.contains(&row.id), is_elsewhere, "{} is in no export", row.id);
    }
}
