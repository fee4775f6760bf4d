//! Companies side by side: one is suspended, resumed, exported and erased, and the other does not notice.

use reqwest::StatusCode;
use serde_json::json;
use spotter_company::companies::begin_erasing;
use spotter_harness::scenario;
use spotter_kernel::{Id, id::CompanyId};
use spotter_store::{CompanyTable, Config, DatabaseLocation, Db};

use super::{operator::create_company, *};

/// Runs a command on an installation.
fn on(data: &str, flags: &[String], arguments: &[&str]) -> (bool, String) {
    let mut all = arguments.to_vec();
    all.extend(["--data", data]);
    all.extend(flags.iter().map(String::as_str));
    spotter(&all)
}

/// The status and the body of an answer.
fn answer(request: reqwest::RequestBuilder) -> (StatusCode, Value) {
    runtime().block_on(async {
        let response = request.send().await.unwrap();
        (response.status(), response.json().await.unwrap_or_default())
    })
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// The status and the error's key of a read.
fn read(url: &str, token: &str) -> (u16, String) {
    let (status, body) = answer(client().get(url).bearer_auth(token));
    (status.as_u16(), body["error"]["key"].as_str().unwrap_or_default().to_owned())
}

fn sign_in(url: &str, person: &Value) -> (StatusCode, String) {
    let login = json!({"email": person["email"], "password": person["password"]});
    let (status, body) = answer(client().post(format!("{url}/app/v1/auth/login")).json(&login));
    let token = body.pointer("/data/session/accessToken").and_then(Value::as_str);
    (status, token.unwrap_or_default().to_owned())
}

/// The status and the body of what a token sends.
fn send(url: &str, token: &str, body: &Value) -> (u16, Value) {
    let (status, body) = answer(client().post(url).bearer_auth(token).json(body));
    (status.as_u16(), body)
}

fn database(folder: &Path, flags: &[String]) -> Db {
    let location = match flags {
        [_, url] => DatabaseLocation::Server(url.clone()),
        _ => DatabaseLocation::File(folder.join("spotter.db")),
    };
    Db::open(&Config::new(location)).unwrap()
}

/// How many rows of a company there are.
fn rows(folder: &Path, flags: &[String], company: &str) -> i64 {
    let company = CompanyId(Id::parse(company).unwrap());
    let db = database(folder, flags);
    let counted = db.read(move |tx| {
        let tables = CompanyTable::all(tx)?;
        assert!(tables.len() > 100 && tables.last().unwrap().name() == "company");
        tables.iter().map(|table| table.count(tx, company)).sum()
    });
    runtime().block_on(counted).unwrap()
}

#[scenario(process)]
fn a_company_is_suspended_exported_and_erased(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), whole_demo_in(folder.path(), engine));
    let (data, people) = (folder.path().to_str().unwrap(), read_demo(folder.path()));
    let (fine, response) = create_company(data, "Beside", &flags);
    assert!(fine, "{response}");
    let company = people["companyId"].as_str().unwrap();
    let (_, listed) = on(data, &flags, &["company", "list"]);
    assert!(listed.lines().count() == 2 && listed.contains(company), "{listed}");
    let (_, found) = on(data, &flags, &["company", "list", "--search", "BESID"]);
    assert!(found.contains("active") && found.lines().count() == 1, "{found}");
    let beside = found.split(' ').next().unwrap().to_owned();
    let (_, found) = on(data, &flags, &["company", "list", "--search", "BESID", "--json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found["companyId"], &found["status"]), (&json!(beside), &json!("active")));
    let own = ["api-client", "create", "--name", "Sync", "--company"];
    let (_, made) = on(data, &flags, &[&own[..], &[&beside]].concat());
    let made: Value = serde_json::from_str(&made).unwrap();

    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let (url, people) = (format!("http://{address}"), read_demo(folder.path()));
    let clients = format!("{url}/public/v1/clients");
    let mut other = people.clone();
    other["apiClient"] = made;
    let (own_token, other_token) = (token(&people), token(&other));
    let (_, manager) = sign_in(&url, &people["manager"]);
    let me = format!("{url}/app/v1/company/settings");
    let site = format!("{url}/app/v1/site/riverside");
    assert_eq!((read(&clients, &own_token).0, read(&me, &manager).0), (200, 200));
    assert_eq!(read(&site, "").0, 200);
    let login =
        json!({"email": people["manager"]["email"], "password": people["manager"]["password"]});
    let (_, session) = send(&format!("{url}/app/v1/auth/login"), "", &login);
    let again = json!({"refreshToken": session["data"]["session"]["refreshToken"]});
    let refresh = || send(&format!("{url}/app/v1/auth/refresh"), "", &again).0;
    let new = json!({"name": "Script", "modules": ["clients"]});
    let (_, key) = send(&format!("{url}/app/v1/company/mcp/keys"), &manager, &new);
    let key = key["data"]["secret"].as_str().unwrap();
    let tool = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_clients", "arguments": {"limit": 1}}});
    let call = || {
        let request = client().post(format!("{url}/mcp/v1")).bearer_auth(key).json(&tool);
        answer(request.header("mcp-protocol-version", "2025-06-18")).0.as_u16()
    };
    let (_, feed) =
        send(&format!("{url}/app/v1/calendar/feeds"), &manager, &json!({"kind": "coach"}));
    let (_, feed) = feed["data"]["url"].as_str().unwrap().split_once("/calendars/").unwrap();
    let feed = format!("{url}/calendars/{feed}");
    assert_eq!((call(), read(&feed, "").0), (200, 200));

    // Everybody of the company is kept out, whatever they hold; nobody else is.
    let (fine, response) = on(data, &flags, &["company", "suspend", company]);
    assert!(fine && response.contains("is suspended"), "{response}");
    assert!(on(data, &flags, &["company", "suspend", company]).1.contains("kept out already"));
    let expected = (403, "auth.provider_unavailable".to_owned());
    assert_eq!(read(&clients, &own_token), expected);
    assert_eq!(read(&me, &manager), (403, "auth.forbidden".to_owned()));
    assert_eq!(sign_in(&url, &people["manager"]).0, StatusCode::FORBIDDEN);
    let api = &people["apiClient"];
    let asked = client()
        .post(format!("{url}/public/v1/oauth/token"))
        .basic_auth(api["clientId"].as_str().unwrap(), api["clientSecret"].as_str())
        .form(&[("grant_type", "client_credentials")]);
    assert_eq!(answer(asked).1["error"], "unauthorized_client");
    assert_eq!(read(&site, "").0, 404);
    assert_eq!((call(), read(&feed, "").0, refresh()), (403, 403, 403));
    assert_eq!(read(&clients, &other_token).0, 200);
    let (_, jobs) = on(data, &flags, &["jobs"]);
    let timers = jobs.lines().skip_while(|line| !line.starts_with("Pending timers")).skip(1);
    let timers: Vec<_> = timers.take_while(|line| line.starts_with("  ")).collect();
    assert!(!timers.is_empty(), "{jobs}");
    assert!(timers.iter().all(|line| line.contains("resting")), "{jobs}");
    let (_, jobs) = on(data, &flags, &["jobs", "--json"]);
    let jobs: Value = serde_json::from_str(&jobs).unwrap();
    assert_eq!(jobs["timers"].as_array().unwrap().len(), timers.len(), "{jobs}");

    // What is exported is that company alone, and can be restored elsewhere.
    let place = tempfile::tempdir().unwrap();
    let exported = place.path().join("exported");
    let to = exported.to_str().unwrap();
    let (fine, response) = on(data, &flags, &["company", "export", company, to]);
    assert!(fine, "{response}");
    assert!(exported.join("files").join(company).read_dir().unwrap().count() > 0);
    assert!(!on(data, &flags, &["company", "export", company, to]).0, "it is there already");
    // With another file store, an export says that files are missing.
    let (empty, second) = (place.path().join("empty"), place.path().join("second"));
    let lost = ["--files", empty.to_str().unwrap()];
    let again = [&["company", "export", company, second.to_str().unwrap()][..], &lost].concat();
    let (fine, response) = on(data, &flags, &again);
    assert!(!fine && response.contains("are not in the file store, such as"), "{response}");
    let backup = exported.join("spotter.db");
    std::fs::copy(folder.path().join("secret.key"), exported.join("spotter.db.key")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let (fine, response) =
        on(elsewhere.path().to_str().unwrap(), &[], &["restore", backup.to_str().unwrap()]);
    assert!(fine, "{response}");
    let (_, listed) = on(elsewhere.path().to_str().unwrap(), &[], &["company", "list"]);
    assert!(listed.lines().count() == 1 && listed.contains("suspended"), "{listed}");
    let before = rows(folder.path(), &flags, company);
    assert_eq!(rows(elsewhere.path(), &[], &beside), 0);
    assert!(rows(elsewhere.path(), &[], company) > before * 9 / 10);

    // It goes on where it was.
    let (fine, response) = on(data, &flags, &["company", "resume", company]);
    assert!(fine, "{response}");
    assert!(!on(data, &flags, &["company", "resume", company]).0);
    assert_eq!((read(&clients, &own_token).0, read(&me, &manager).0), (200, 200));
    assert_eq!((call(), read(&feed, "").0, refresh()), (200, 200, 200));
    let (_, jobs) = on(data, &flags, &["jobs"]);
    assert!(!jobs.contains("resting"), "{jobs}");

    // Erased is only who is suspended, and who is meant; then nothing is left of it.
    let name = listed.trim().rsplit("  ").next().unwrap();
    let erase = ["company", "erase", company, "--name", name];
    assert!(on(data, &flags, &erase).1.contains("suspend it first"));
    assert!(on(data, &flags, &["company", "suspend", company]).0);
    assert!(!on(data, &flags, &["company", "erase", company, "--name", "Beside"]).0);
    let (fine, response) = on(data, &flags, &[&erase[..], &lost].concat());
    assert!(!fine && response.contains("--without-files"), "{response}");
    assert!(rows(folder.path(), &flags, company) >= before, "nothing of it is erased");
    // Doctor names the command that goes on where one was cut off.
    let advice = format!("spotter company erase {company} --name '{name}'");
    assert!(!on(data, &flags, &["doctor"]).1.contains(&advice));
    let own = CompanyId(Id::parse(company).unwrap());
    let db = database(folder.path(), &flags);
    assert!(runtime().block_on(db.write(move |tx| begin_erasing(tx, own))).unwrap());
    drop(db);
    // Its files go first: neither doctor nor a backup looks for them.
    std::fs::remove_dir_all(folder.path().join("files").join(company)).unwrap();
    let (_, found) = on(data, &flags, &["doctor"]);
    assert!(found.contains(&advice), "{found}");
    assert!(found.contains("every uploaded file is in the file store"), "{found}");
    let to = place.path().join("backups");
    let backup = ["backup", "--backups", to.to_str().unwrap()];
    let (fine, response) = on(data, &flags, &backup);
    assert!(fine, "{response}");
    // Where the export was restored is another installation: its backups could delete this one's.
    let (fine, response) = on(elsewhere.path().to_str().unwrap(), &[], &backup);
    assert!(!fine && response.contains("another installation"), "{response}");
    let (fine, response) = on(data, &flags, &erase);
    assert!(fine && response.contains("is erased: what was left of it"), "{response}");
    assert_eq!(rows(folder.path(), &flags, company), 0);
    assert!(!folder.path().join("files").join(company).exists());
    assert_eq!(read(&clients, &own_token), (401, "auth.invalid_token".to_owned()));
    assert_eq!(read(&clients, &other_token).0, 200);
    assert!(rows(folder.path(), &flags, &beside) > 0);
    assert!(!on(data, &flags, &erase).0, "there is no such company any more");
    stop(child);
    if engine == Engine::Sqlite {
        // Nor is anything of its people left in pages of the file that are free now.
        let file = std::fs::read(folder.path().join("spotter.db")).unwrap();
        let address = people["client"]["email"].as_str().unwrap().as_bytes();
        let places = file.windows(address.len()).filter(|place| *place == address).count();
        assert_eq!(places, 0, "{}", people["client"]["email"]);
    }
}
