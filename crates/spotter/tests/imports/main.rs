//! Imports: checked, corrected, run once, undone as a whole.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

mod import_columns;

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use spotter::importing::Importer;
use spotter_contract::Table;
use spotter_harness::{
    App,
    billing::new_product,
    browser::Browser,
    imports::{brought, settled, wrong},
    people, random_text, scenario, text,
};
use spotter_imports::ImportId;
use spotter_kernel::{Date, Id, TimeZone};
use spotter_store::{Sql, Tx, params};

#[scenario]
async fn a_file_of_clients_is_checked_done_and_undone(app: App) {
    let mark = random_text();
    let there = format!("there-{mark}@example.com");
    app.new_client(json!({"firstName": "There", "email": there})).await;
    app.events().await;
    let before = app.get("/clients?limit=1").await.data()["total"].clone();
    let file = format!(
        "Naam;E-mailadres;Geboortedatum;Geslacht;Plaats;Adres;Coach;Land;Opmerkingen\n\
         Ann de Vries;ann-{mark}@example.com;31-12-1990;v;Utrecht;Dam 1;Ada Admin;Nederland;Knie links\n\
         Bea;{there};;;;;\n\
         Cor;no address;;;;;\n\
         ;dee-{mark}@example.com;;;;;\n\
         Eva;ANN-{mark}@example.com;;;;;\n\
         Fay;fay-{mark}@example.com;31-31-1990;;;;\n\
         Gus;gus-{mark}@example.com;1-2-1980;;;;Nobody\n\
         Hal;hal-{mark}@example.com;01/02/1980;m;;;\n"
    );
    let import = brought(&app, "clients", &file).await;
    let response = settled(&app, &import).await;
    assert_eq!(response["import"]["status"], "checked", "{response}");
    let counts = |ready: i64, done: i64, undone: i64| {
        json!({"total": 8, "unchecked": 0, "ready": ready, "wrong": 2, "done": done,
        "incomplete": if undone == 0 { 4 } else { 0 }, "undone": undone, "kept": 0})
    };
    assert_eq!(response["counts"], counts(6, 0, 0), "{:?}", wrong(&app, &import, "wrong").await);
    let found = wrong(&app, &import, "wrong").await;
    let fields: Vec<(i64, &str)> = found.iter().map(|(line, field, _)| (*line, &**field)).collect();
    assert_eq!(fields, [(3, "email"), (5, "firstName"),], "{found:?}");
    // Clients are imported without invalid fields; an address belongs to one client.
    let rows = app.app("GET", &format!("/imports/{import}/rows?incomplete=true"), None).await.ok();
    let partial = rows.data()["importRows"].as_array().unwrap().clone();
    let fields: Vec<_> =
        partial.iter().map(|row| (row["line"].as_i64().unwrap(), text(row, "/field"))).collect();
    let expected = [(4, "email"), (6, "email"), (7, "dateOfBirth"), (8, "assignedCoachId")];
    assert_eq!(fields, expected.map(|(line, field)| (line, field.to_owned())));
    assert_eq!(partial[1]["rule"], "is that of line 2, too");
    // A check leaves nothing behind.
    assert_eq!(app.events().await, []);
    assert_eq!(app.get("/clients?limit=1").await.data()["total"], before);

    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(
        (&response["import"]["status"], &response["counts"]),
        (&json!("done"), &counts(0, 6, 0))
    );
    let events = app.events().await;
    // Rows of a turn are done together, so their events may come in either order.
    let mut names: Vec<&str> = events.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    assert_eq!((names.len(), names[5], names[6]), (7, "client.created", "client.note.created"));
    for (name, address) in [("Eva", None), ("Fay", Some(format!("fay-{mark}@example.com")))] {
        let found = app.get(&format!("/clients?search={name}")).await.ok();
        assert_eq!(found.data()["clients"][0]["email"].as_str(), address.as_deref(), "{name}");
    }
    let ann = app.get(&format!("/clients?search=ann-{mark}@example.com")).await.ok();
    let ann = ann.data()["clients"][0].clone();
    for (name, value) in [
        ("firstName", "Ann"),
        ("lastName", "de Vries"),
        ("dateOfBirth", "1990-12-31"),
        ("gender", "female"),
    ] {
        assert_eq!(ann[name], value, "{ann}");
    }
    let notes = app.get(&format!("/clients/{}/notes", text(&ann, "/clientId"))).await.ok();
    assert_eq!(notes.data()["notes"][0]["body"], "Knie links");
    let whole = app.get(&format!("/clients/{}", text(&ann, "/clientId"))).await.ok();
    assert_eq!(whole.data()["client"]["assignedCoachId"], ann["assignedCoachId"]);
    app.app("POST", &format!("/imports/{import}/start"), None)
        .await
        .refused(409, "PUBLIC_API_ERROR");

    app.app("POST", &format!("/imports/{import}/undo"), None).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(
        (&response["import"]["status"], &response["counts"]),
        (&json!("undone"), &counts(0, 0, 6))
    );
    let events = app.events().await;
    assert_eq!(
        events.iter().filter(|(name, _)| name == "client.archived").count(),
        6,
        "{events:?}"
    );
    let gone = app.get(&format!("/clients/{}", text(&ann, "/clientId"))).await.ok();
    assert_eq!(gone.data()["client"]["archiveReason"], "The import was undone");
    for (operation, rows) in
        [("start_import", 1), ("create_client", 7), ("undo_import", 1), ("archive_client", 6)]
    {
        let logs = app.get(&format!("/audit-logs?operation={operation}")).await.ok();
        assert_eq!(logs.data()["total"], rows, "{operation}");
    }
    // The same file can be imported again.
    let again = brought(&app, "clients", &file).await;
    assert_eq!(settled(&app, &again).await["counts"], counts(6, 0, 0));
    app.app("DELETE", &format!("/imports/{again}"), None).await.ok();
    app.app("GET", &format!("/imports/{again}"), None).await.refused(404, "resource.not_found");
    app.events().await;
}

/// Exports of studio software, with their own headings and values.
#[scenario]
async fn exports_of_other_programs_are_imported(app: App) {
    let mark = random_text();
    let file = format!(
        "sep=;\n\"Client Name\";Email;Status\n\
         Ann A;a-{mark}@example.com;Non-Member\nBea B;b-{mark}@example.com;Expired\n\
         Cor C;c-{mark}@example.com;Suspended\nDee D;d-{mark}@example.com;Active\n\
         Eva E;e-{mark}@example.com;Whatever\n"
    );
    let import = brought(&app, "clients", &file).await;
    let response = settled(&app, &import).await;
    assert_eq!(
        (&response["counts"]["ready"], &response["counts"]["incomplete"]),
        (&json!(5), &json!(1))
    );
    let rows = app.app("GET", &format!("/imports/{import}/rows?incomplete=true"), None).await.ok();
    assert_eq!(rows.data()["importRows"][0]["line"], 7, "lines are those of the file");
    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    settled(&app, &import).await;
    for (who, status) in
        [("a", "lead"), ("b", "former"), ("c", "paused"), ("d", "active"), ("e", "lead")]
    {
        let found = app.get(&format!("/clients?search={who}-{mark}@example.com")).await.ok();
        assert_eq!(found.data()["clients"][0]["memberStatus"], status, "{who}");
    }
    app.events().await;
}

#[scenario]
async fn imported_memberships_need_clients(app: App) {
    let mark = random_text();
    let facts = json!({"productType": "Membership", "name": {"en": format!("Gold {mark}")}, "price": 4900,
        "vatPercentage": 21, "period": "Month", "autoRenew": true});
    new_product(&app, facts).await;
    let email = format!("ann-{mark}@example.com");
    let client = app.new_client(json!({"firstName": "Ann", "email": email})).await;
    app.events().await;
    let file = format!(
        "Email\tMembership\tStart\tAmount\n{email}\tgold  {mark}\t\t39,50\n\
         nobody-{mark}@example.com\tGold {mark}\t\t\n{email}\tSilver\t\t\n{email}\tGold {mark}\t\tmuch\n"
    );
    let import = brought(&app, "memberships", &file).await;
    let found = wrong(&app, &import, "wrong").await;
    let fields: Vec<&str> = found.iter().map(|(_, field, _)| &**field).collect();
    assert_eq!(fields, ["clientId", "productId", "price"], "{found:?}");
    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(response["counts"]["done"], 1, "{:?}", wrong(&app, &import, "wrong").await);
    let sold = app.get(&format!("/finance/clients/{client}/products")).await.ok();
    assert_eq!(sold.data()["total"], 1);
    app.app("POST", &format!("/imports/{import}/undo"), None).await.ok();
    let response = settled(&app, &import).await;
    assert_eq!(response["counts"]["undone"], 1, "{:?}", wrong(&app, &import, "kept").await);
    // Their bills are credited with them.
    let bills = app.get(&format!("/finance/invoices?clientId={client}")).await.ok();
    let mut kinds: Vec<(String, i64)> = bills.data()["invoices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bill| (text(bill, "/kind"), bill["grossTotal"].as_i64().unwrap()))
        .collect();
    kinds.sort();
    let expected = [("credit_note".to_owned(), 3950), ("invoice".to_owned(), 3950)];
    assert_eq!(kinds, expected);
    app.events().await;
}

#[scenario]
async fn memberships_of_old_are_billed_from_their_next_period(app: App) {
    let mark = random_text();
    let facts = json!({"productType": "Membership", "name": {"en": format!("Old {mark}")}, "price": 4900,
        "vatPercentage": 21, "period": "Month", "autoRenew": true});
    new_product(&app, facts).await;
    let email = format!("old-{mark}@example.com");
    let client = app.new_client(json!({"firstName": "Old", "email": email})).await;
    app.events().await;
    let file = format!("E-mail,Membership,Member since\n{email},Old {mark},2019-01-31\n");
    let import = brought(&app, "memberships", &file).await;
    assert_eq!(wrong(&app, &import, "wrong").await, []);
    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    assert_eq!(settled(&app, &import).await["counts"]["done"], 1);
    let sold = app.get(&format!("/finance/clients/{client}/products")).await.ok();
    let starts = text(sold.data(), "/clientProducts/0/validFrom");
    let starts = Date::parse(&starts).unwrap();
    let today = TimeZone::UTC.date_at(app.server.env.clock.now());
    assert!((-1..=32).contains(&today.days_until(starts)), "{starts}");
    assert_eq!(starts, starts.last_of_month().min(starts.first_of_month().plus_days(30).unwrap()));
    app.events().await;
}

#[scenario]
async fn duplicates_are_found_across_the_file(app: App) {
    let mark = random_text();
    // More than one turn checks.
    let rows: String =
        (0..250).map(|at| format!("P,p{at}-{mark}@example.com,{at}{mark}\n")).collect();
    let file = format!(
        "first name,email,id\n{rows}P,P0-{mark}@EXAMPLE.com,q{mark}\nR,r-{mark}@example.com,7{mark}\n"
    );
    let import = brought(&app, "clients", &file).await;
    let found = wrong(&app, &import, "wrong").await;
    let expected =
        [(252, "email", "is that of line 2, too"), (253, "externalId", "is that of line 9, too")];
    let expected = expected.map(|(line, field, rule)| (line, field.to_owned(), rule.to_owned()));
    assert_eq!(found, expected);
    app.app("DELETE", &format!("/imports/{import}"), None).await.ok();
}

/// Workers that go on with one run at once, as where a lease ended too soon.
#[scenario]
async fn a_row_is_imported_once_by_racing_workers(app: App) {
    let mark = random_text();
    let rows: String = (0..60).map(|at| format!("P{at},{mark}-{at}@example.com\n")).collect();
    let import = brought(&app, "clients", &format!("first name,email\n{rows}")).await;
    app.events().await;
    app.app("POST", &format!("/imports/{import}/start"), None).await.ok();
    let table = Arc::new(Table::new(spotter::areas::areas()));
    let (db, env) = (app.server.db.clone(), app.server.env.clone());
    // As many turns as there are rows, begun by whoever ended the one before.
    let importer = Importer { db, env, table, turn: Duration::ZERO };
    let id = ImportId(Id::parse(&import).unwrap());
    let workers = (0..3).map(|_| importer.run_all(app.company, id));
    for ended in futures_util::future::join_all(workers).await {
        ended.unwrap();
    }
    let response = settled(&app, &import).await;
    assert_eq!(response["counts"]["done"], 60, "{:?}", wrong(&app, &import, "wrong").await);
    let created = app.events().await.iter().filter(|(name, _)| name == "client.created").count();
    assert_eq!(created, 60);
    let found = app.get(&format!("/clients?search={mark}&limit=1")).await.ok();
    assert_eq!(found.data()["total"], 60);
}

/// What is under way when the operator suspends the company is done after it is resumed; no row is refused for it.
#[scenario]
async fn rows_wait_while_the_company_is_suspended(app: App) {
    const RUNNING: Sql =
        Sql("UPDATE import SET status = 'running' WHERE company_id = ?1 AND import_id = ?2");
    const SUSPENDED: Sql = Sql("UPDATE company SET suspended_at = ?2 WHERE company_id = ?1");
    let (mark, company) = (random_text(), app.company);
    let rows: String = (0..5).map(|at| format!("P{at},{mark}-{at}@example.com\n")).collect();
    let import = brought(&app, "clients", &format!("first name,email\n{rows}")).await;
    let id = ImportId(Id::parse(&import).unwrap());
    app.server
        .db
        .write(move |tx| {
            tx.execute(SUSPENDED, params![company, 1_i64])?;
            tx.execute(RUNNING, params![company, id.0])
        })
        .await
        .unwrap();
    let table = Arc::new(Table::new(spotter::areas::areas()));
    let (db, env) = (app.server.db.clone(), app.server.env.clone());
    let importer = Importer { db, env, table, turn: Duration::ZERO };
    let run = importer.current_run(company, id).await.unwrap().unwrap();
    importer.run(company, run).await.unwrap();
    assert_ne!(importer.current_run(company, id).await.unwrap().unwrap(), run, "it is put off");
    let resume = move |tx: &mut Tx<'_>| tx.execute(SUSPENDED, params![company, None::<i64>]);
    app.server.db.write(resume).await.unwrap();
    let response = app.app("GET", &format!("/imports/{import}"), None).await.ok();
    assert_eq!(response.data()["counts"]["ready"], 5, "{}", response.body);
    importer.run_all(company, id).await.unwrap();
    assert_eq!(settled(&app, &import).await["counts"]["done"], 5);
}

#[scenario]
async fn a_row_is_imported_once_when_repeated(app: App) {
    let mark = random_text();
    let rows: String = (0..40).map(|at| format!("P{at},{mark}-{at}@example.com\n")).collect();
    let import = brought(&app, "clients", &format!("first name,email\n{rows}")).await;
    app.events().await;
    let path = format!("/imports/{import}/start");
    let starts = (0..4).map(|_| app.app("POST", &path, None));
    let answers = futures_util::future::join_all(starts).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    // Later conflicts are skipped with the reason.
    let taken = json!({"firstName": "First", "email": format!("{mark}-39@example.com")});
    let first = app.post("/clients", taken).await.status == 201;
    let response = settled(&app, &import).await;
    let done = response["counts"]["done"].as_i64().unwrap();
    assert_eq!(done + response["counts"]["wrong"].as_i64().unwrap(), 40);
    let created = app.events().await.iter().filter(|(name, _)| name == "client.created").count();
    assert_eq!(created as i64, done + i64::from(first));
}

#[scenario]
async fn files_that_are_none_are_refused(app: App) {
    let post = async |body: Value| app.app("POST", "/imports", Some(body)).await;
    for (file, rule) in [
        ("".to_owned(), "at least one row"),
        ("a,b".to_owned(), "at least one row"),
        (format!("a\n{}", "x\n".repeat(5_001)), "at most 5000"),
        (",".repeat(70) + "x\nx", "at most 60"),
    ] {
        let refused = post(json!({"kind": "clients", "text": file})).await;
        let refused = refused.refused(400, "request.invalid").about("text");
        assert!(refused.body.to_string().contains(rule), "{}", refused.body);
    }
    post(json!({"kind": "shoes", "text": "a\nb"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("kind");
    // A cell is text, whatever it contains.
    let file = "First name,Last name\n=1+1,<script>alert(1)</script>\n\"\u{0}x\",'; DROP TABLE client; --\n";
    let import = brought(&app, "clients", file).await;
    let response = settled(&app, &import).await;
    assert_eq!(response["counts"]["total"], 2);
    // Starting without a valid row is refused.
    let nothing = brought(&app, "clients", "email\nx\n").await;
    app.app("POST", &format!("/imports/{nothing}/start"), None)
        .await
        .refused(409, "PUBLIC_API_ERROR");
    app.app("POST", &format!("/imports/{nothing}/undo"), None)
        .await
        .refused(409, "PUBLIC_API_ERROR");
}

#[scenario]
async fn imports_belong_to_managers_of_one_company(app: App) {
    let import = brought(&app, "clients", "first name\nAnn\n").await;
    let (_, coach) = people::coach(&app, "Coach").await;
    let other = App::new(app.server.clone()).await;
    for (method, path) in [
        ("GET", format!("/imports/{import}")),
        ("GET", format!("/imports/{import}/rows")),
        ("POST", format!("/imports/{import}/start")),
        ("DELETE", format!("/imports/{import}")),
    ] {
        app.app_as(&coach, method, &path, None).await.refused(403, "auth.forbidden");
        other.app(method, &path, None).await.refused(404, "resource.not_found");
    }
    // A manager who has lost the role by then imports nothing.
    let (id, manager) = people::coach(&app, "Manager").await;
    let new = json!({"kind": "clients", "text": "first name\nAnn\n"});
    let made = app.app_as(&manager, "POST", "/imports", Some(new)).await.ok();
    let theirs = text(made.data(), "/import/importId");
    settled(&app, &theirs).await;
    app.app("PATCH", &format!("/coaches/{id}"), Some(json!({"status": "deactivated"}))).await.ok();
    app.events().await;
    app.app("POST", &format!("/imports/{theirs}/start"), None).await.ok();
    let response = settled(&app, &theirs).await;
    assert_eq!(
        (&response["import"]["status"], &response["counts"]["wrong"]),
        (&json!("done"), &json!(1))
    );
    assert_eq!(app.events().await, []);
    app.app("DELETE", &format!("/imports/{theirs}"), None).await.ok();
}

#[scenario]
async fn a_manager_brings_a_file_on_a_page(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/imports").await.is(200);
    let form = page.form("create_import").with("kind", "clients");
    let mark = random_text();
    let file = format!("Voornaam;E-mail\nZo\u{eb};zoe-{mark}@example.com\n;x\n");
    // As a spreadsheet of Windows saves it.
    let bytes: Vec<u8> = file.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let answer = browser.send_file(form, "text", "leden.csv", bytes).await;
    assert_eq!(answer.status, 303, "{}", answer.main());
    let import = answer.location.rsplit('/').next().unwrap().to_owned();
    settled(&app, &import).await;
    let page = browser.get(&answer.location).await.is(200).shows("leden.csv").shows("First name");
    let columns = page.form("set_import_columns");
    assert_eq!(columns.field("columns.0"), Some("firstName"));
    browser.act(columns.with("memberStatus", "active")).await;
    settled(&app, &import).await;
    let page = browser.get(&answer.location).await.is(200);
    browser.act(page.form("start_import")).await;
    settled(&app, &import).await;
    let found = app.get(&format!("/clients?search=zoe-{mark}@example.com")).await.ok();
    assert_eq!(found.data()["clients"][0]["firstName"], "Zo\u{eb}");
    browser.get(&answer.location).await.is(200).shows("Undo import");
    app.events().await;
}
