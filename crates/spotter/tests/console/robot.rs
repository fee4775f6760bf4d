//! A robot follows every link and sends every form empty, as each person: nothing breaks, and no link is dead.

use std::collections::{BTreeMap, BTreeSet};

use spotter::areas::operations;
use spotter_contract::Method;
use spotter_harness::{
    App,
    browser::{Browser, Page},
    people, random_text, scenario,
    world::World,
};

/// An address with its ids left out: one page of each kind is enough.
fn kind(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_id = |part: &str| part.len() == 24 && part.bytes().all(|c| c.is_ascii_hexdigit());
    let parts = path.split('/').map(|part| if is_id(part) { "{id}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn is_page(path: &str) -> bool {
    ["/console", "/my"].iter().any(|base| {
        path == *base
            || path.starts_with(&format!("{base}/"))
            || path.starts_with(&format!("{base}?"))
    }) && !path.starts_with("/console/a/")
        && !path.starts_with("/console/files/")
}

/// One page of each kind that can be reached by links, by its kind.
async fn crawl(browser: &mut Browser, from: &str) -> BTreeMap<String, (String, Page)> {
    let mut found: BTreeMap<String, (String, Page)> = BTreeMap::new();
    let mut queue = vec![from.to_owned()];
    while let Some(path) = queue.pop() {
        if found.contains_key(&kind(&path)) {
            continue;
        }
        let page = browser.get(&path).await;
        assert_eq!(page.status, 200, "{path} leads nowhere: {}", page.main());
        for file in page.links().iter().filter(|link| link.starts_with("/console/files/")) {
            let opened = browser.get(file).await;
            assert!(matches!(opened.status, 200 | 303), "{file} on {path}: {}", opened.main());
        }
        queue.extend(page.links().into_iter().filter(|link| is_page(link)));
        found.insert(kind(&path), (path, page));
    }
    found
}

/// The people of a company with a record of each kind: where each begins.
async fn everybody(world: &World) -> Vec<(&'static str, Browser, &'static str)> {
    let app = &world.app;
    let email = format!("{}@example.com", random_text());
    people::coach_with(app, "Coach", &email).await;
    let client = people::client_with_address(app).await;
    vec![
        ("admin", Browser::of(app, &app.admin_email).await, "/console"),
        ("coach", Browser::of(app, &email).await, "/console"),
        ("client", Browser::of(app, &client).await, "/my"),
    ]
}

#[scenario]
async fn every_link_works(app: App) {
    let world = World::new(app).await;
    let mut kinds = BTreeSet::new();
    for (who, mut browser, start) in everybody(&world).await {
        let found = crawl(&mut browser, start).await;
        assert!(found.len() >= if who == "client" { 8 } else { 30 }, "{who}: {:?}", found.keys());
        kinds.extend(found.into_keys());
    }
    // Pages without a link in this company have scenarios of their own.
    for known in [
        "/console/clients/{id}/money",
        "/console/programmes/{id}",
        "/console/webhooks/{id}",
        "/my/book",
    ] {
        assert!(kinds.contains(known), "{known} is not found: {kinds:?}");
    }
}

#[scenario]
async fn every_form_can_be_sent_empty(app: App) {
    let world = World::new(app).await;
    for (who, mut browser, start) in everybody(&world).await {
        let mut sent = BTreeSet::new();
        for (path, page) in crawl(&mut browser, start).await.into_values() {
            for form in page.forms() {
                let Some(operation) = form.field("-do").map(str::to_owned) else { continue };
                // A signed-out browser cannot continue.
                let ends =
                    ["archive_client", "update_coach", "erase_client"].contains(&&*operation);
                if ends || !sent.insert((kind(&path), operation.clone())) {
                    continue;
                }
                let mut form = form;
                for (name, value) in &mut form.fields {
                    if !name.starts_with('-') {
                        value.clear();
                    }
                }
                let answer = browser.send(form).await;
                // Another form may have deleted the page's record.
                assert!(
                    matches!(answer.status, 200 | 303 | 404 | 422),
                    "{who} {path} {operation}: {} {}",
                    answer.status,
                    answer.main()
                );
                if answer.status == 422 {
                    assert!(
                        answer.text.contains("role=\"alert\""),
                        "{path} {operation} does not say why"
                    );
                }
            }
        }
        assert!(sent.len() >= if who == "client" { 2 } else { 20 }, "{who}: {sent:?}");
    }
}

/// Forms that replace a whole record, each with a field that changes it.
const WHOLE: &[&str] = &["order_products", "set_import_columns", "put_habit_entry"];

/// A stale page restores nothing: a form sends changed fields, and one that replaces a whole record names its
/// version.
#[scenario]
async fn unchanged_forms_change_nothing(app: App) {
    let world = World::new(app).await;
    let table: BTreeMap<_, _> = operations().iter().map(|own| (own.id, own.method)).collect();
    let (mut sent, mut made) = (BTreeSet::new(), BTreeSet::new());
    for (who, mut browser, start) in everybody(&world).await {
        for (path, page) in crawl(&mut browser, start).await.into_values() {
            world.app.events().await;
            for form in page.forms() {
                let Some(operation) = form.field("-do").map(str::to_owned) else { continue };
                let plain = form.fields.iter().filter(|(name, _)| !name.starts_with('-'));
                let mut holds: Vec<_> = plain.cloned().collect();
                let method = table.get(operation.as_str());
                if method == Some(&Method::Put) && holds.iter().any(|(_, value)| !value.is_empty())
                {
                    let is_made = form.field("-seen").is_some();
                    let of_whole = WHOLE.contains(&&*operation);
                    let hidden = holds.len() == 1 && !page.text.contains("textarea");
                    assert!(is_made || of_whole || hidden, "{path} {operation} says not of what");
                    made.insert(operation.clone());
                }
                if method != Some(&Method::Patch) || form.field("-seen").is_some() {
                    continue;
                }
                let was = form.field("-was").unwrap_or_else(|| panic!("{path} {operation}"));
                let mut was: Vec<(String, String)> = serde_json::from_str(was).unwrap();
                // A button changes its own value.
                if was.is_empty() {
                    continue;
                }
                // How a change is done is no change.
                holds.retain(|(name, _)| !["scope", "onConflict"].contains(&&**name));
                holds.sort();
                was.sort();
                assert_eq!(was, holds, "{who} {path} {operation}");
                let answer = browser.send(form).await;
                // Coaches are refused outside their own calendar.
                let is_refused = who == "coach" && answer.status == 422;
                assert!(
                    answer.status == 303 || is_refused,
                    "{who} {path} {operation}: {}",
                    answer.main()
                );
                let output = world.app.events().await;
                assert!(output.is_empty(), "{who} {path} {operation}: {output:?}");
                sent.insert(operation);
            }
        }
    }
    for known in
        ["update_client", "update_location", "update_product", "update_client_custom_fields"]
    {
        assert!(sent.contains(known), "{known} is not sent: {sent:?}");
    }
    assert!(made.contains("set_coach_availability"), "{made:?}");
}

#[scenario]
async fn every_list_can_be_exported(app: App) {
    let world = World::new(app).await;
    let mut taken = BTreeSet::new();
    for (who, mut browser, start) in everybody(&world).await {
        for (path, page) in crawl(&mut browser, start).await.into_values() {
            let lists = page.forms().into_iter().filter(|form| form.action == "/console/export");
            for form in lists {
                let operation = form.field("-do").unwrap().to_owned();
                let file = browser.send(form).await;
                assert_eq!(file.status, 200, "{who} {path} {operation}: {}", file.main());
                assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8", "{path}");
                assert!(file.text.trim().lines().count() > 1, "{who} {path} {operation}");
                taken.insert(operation);
            }
        }
    }
    for known in ["list_clients", "list_products", "list_locations", "list_workout_templates"] {
        assert!(taken.contains(known), "{known} is not taken along: {taken:?}");
    }
}

/// Values of the API that appear untranslated on a page.
fn raw_words(page: &str) -> BTreeSet<String> {
    let texts = page.split('<').filter_map(|part| part.split_once('>'));
    let texts = texts
        .filter(|(tag, _)| !["code", "script", "title"].iter().any(|own| tag.starts_with(own)));
    let words = texts.flat_map(|(_, text)| {
        // The end of a secret is random.
        let text = text.split('…').next().unwrap_or_default();
        text.split(|c: char| !(c.is_ascii_alphanumeric() || "_:./@-".contains(c)))
    });
    let is_raw = |word: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c == '_';
        word.contains('_')
            && word.chars().all(plain)
            && !word.starts_with('_')
            // The beginning of a secret is random.
            && !word.starts_with("whsec_")
            && !word.ends_with('_')
    };
    words.filter(is_raw).map(str::to_owned).collect()
}

#[scenario]
async fn pages_follow_their_policy(app: App) {
    let world = World::new(app).await;
    let mut raw = BTreeSet::new();
    for (who, mut browser, start) in everybody(&world).await {
        for (path, page) in crawl(&mut browser, start).await.into_values() {
            let policy = page.headers["content-security-policy"].to_str().unwrap();
            assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
            assert_eq!(page.headers["cache-control"], "no-store");
            for forbidden in
                [" style=\"", " onclick=", "<script>", "javascript:", "hx-on", "hx-vals=\"js"]
            {
                assert!(!page.text.contains(forbidden), "{who} {path} has {forbidden}");
            }
            assert_eq!(page.text.matches("<h1").count(), 1, "{who} {path}");
            raw.extend(
                raw_words(&page.text).into_iter().map(|word| format!("{}: {word}", kind(&path))),
            );
        }
    }
    assert!(raw.is_empty(), "{raw:#?}");
}

#[scenario]
async fn other_companies_pages_are_not_there(app: App) {
    let world = World::new(app).await;
    let other = App::new(world.app.server.clone()).await;
    let mut stranger = Browser::of(&other, &other.admin_email).await;
    let mut own = Browser::of(&world.app, &world.app.admin_email).await;
    for (kind, (path, _)) in crawl(&mut own, "/console").await {
        // The starter library is everybody's.
        if kind.contains("{id}") && !kind.starts_with("/console/programmes/exercises") {
            let page = stranger.get(&path).await;
            assert_eq!(page.status, 404, "{path}");
            for form in page.forms() {
                assert_eq!(form.field("-do"), None, "{path}");
            }
        }
    }
}
