//! The walls between the crates.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn sources(of: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "toml") {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let groups = ["", "foundation", "platform", "domains", "adapters"];
    let mut folders = groups.map(|group| crates.join(group).join(of)).into_iter();
    let root = folders.rfind(|folder| folder.join("Cargo.toml").exists()).unwrap();
    let mut found =
        vec![(root.join("Cargo.toml"), fs::read_to_string(root.join("Cargo.toml")).unwrap())];
    walk(&root.join("src"), &mut found);
    assert!(found.len() > 2, "{of} has sources");
    found
}

/// Crates that the areas build on.
const PLATFORM: &[&str] = &["assistants", "company", "devices", "mail", "people", "webhooks"];

/// The areas.
const AREAS: &[&str] = &[
    "access_control",
    "billing",
    "calendar",
    "documents",
    "forms",
    "imports",
    "messaging",
    "progress",
    "reports",
    "training",
];

fn nowhere(crates: &[&str], words: &[&str]) {
    for name in crates {
        for (path, text) in sources(name) {
            // Unit tests may quote others' texts.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in words {
                assert!(!code.contains(word), "{} says {word}", path.display());
            }
        }
    }
}

#[test]
fn only_the_store_names_an_engine() {
    let drivers = ["rusqlite", "tokio_postgres", "tokio-postgres"];
    let engines = ["SQLite", "sqlite", "Postgres", "postgres"];
    nowhere(&["kernel"], &drivers);
    for crates in [&["contract", "http"], PLATFORM, AREAS] {
        nowhere(crates, &drivers);
        nowhere(crates, &engines);
    }
    let binary = sources("spotter");
    let code = binary
        .iter()
        .filter(|(path, _)| path.ends_with(".rs") || path.to_string_lossy().contains("/src/"));
    for (path, text) in code {
        assert!(drivers.iter().all(|driver| !text.contains(driver)), "{}", path.display());
    }
}

#[test]
fn areas_know_no_http_and_the_kernel_does_no_io() {
    for crates in [&["contract", "kernel", "store"], PLATFORM, AREAS] {
        nowhere(crates, &["axum", "spotter_http", "spotter-http"]);
    }
    nowhere(
        &["kernel"],
        &["std::fs", "std::net", "std::process", "std::env", "tokio", "SystemTime", "getrandom"],
    );
    nowhere(&["store"], &["spotter_contract"]);
    for above in PLATFORM.iter().chain(AREAS).map(|name| format!("spotter_{name}::")) {
        nowhere(&["kernel", "store", "contract"], &[&above]);
    }
}

/// A page calls operations as the signed-in person: it reads no rows and names no area.
#[test]
fn pages_call_operations_only() {
    let areas = AREAS.iter().map(|area| format!("spotter_{area}"));
    let words = ["SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "statements!", "tx.one", "tx.all"];
    let words: Vec<String> = words.map(str::to_owned).into_iter().chain(areas).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    nowhere(&["console", "html"], &words);
}

/// The adapters of assistants and of payment providers share HTML with the pages, and nothing else.
#[test]
fn adapters_stand_side_by_side() {
    nowhere(&["html", "mcp", "payments"], &["spotter_console", "spotter-console"]);
    nowhere(&["html", "console", "payments"], &["spotter_mcp", "spotter-mcp"]);
    nowhere(&["html", "console", "mcp"], &["spotter_payments", "spotter-payments"]);
}

/// A rule is a value with a text in every language. Rules with one text are only for programs and operators.
#[test]
fn refusals_are_in_every_language() {
    let is_for_people =
        |path: &std::path::Path| !path.ends_with("phrase.rs") && !path.ends_with("problem.rs");
    let of_people =
        AREAS.iter().chain(PLATFORM).chain(&["kernel", "contract", "http", "html", "outbound"]);
    for of in of_people {
        for (path, text) in sources(of) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let plain = code.contains("Phrase::verbatim") && is_for_people(&path);
            assert!(!plain, "{} refuses in one language", path.display());
        }
    }
}

/// The areas are side by side over the platform: none names another.
#[test]
fn areas_stand_side_by_side() {
    for area in AREAS {
        let others = AREAS.iter().filter(|other| *other != area);
        let names: Vec<_> =
            others.map(|other| format!("spotter-{}", other.replace('_', "-"))).collect();
        nowhere(&[area], &names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn every_statement_names_its_company() {
    // These span companies: finding an account by address, a site by its own, the operator's lists, pruning, registrations and requests
    // of assistants, rebuilding search terms, cancelling mail of a backup, notifications that were never shown, deleting providers' notices, the
    // files of a backup, and the sandbox bank.
    let across = [
        "mcp_client ",
        "mcp_request WHERE digest = ?1",
        "FROM account WHERE email",
        "FROM site_address WHERE slug = ?1",
        "SELECT company_id, name FROM company",
        "SELECT company_id FROM company ORDER BY company_id",
        "FROM report_recount ORDER BY company_id",
        "FROM company c WHERE c.company_id > ?1",
        "expires_at <= ?1 LIMIT",
        "FROM upload WHERE (company_id, upload_id) >",
        "kept_until <= ?1 LIMIT",
        "mcp_client WHERE client_id IN",
        "FROM client c JOIN company o",
        "mail WHERE mail_id < ?1",
        "push_notification WHERE push_notification_id < ?1",
        "provider_notice WHERE provider_notice_id < ?1",
        "FROM sandbox_payment WHERE next_at <= ?1",
        "FROM sandbox_dispute WHERE next_at <= ?1",
        "FROM sandbox_notice n",
        "UPDATE mail SET status = ?1, content = NULL, error = ?3",
        "DELETE FROM calendar_notice",
        "UPDATE announcement SET status = ?1 WHERE status IN",
    ];
    for sql in spotter::areas::areas().statements {
        let scoped = sql.0.contains("company_id = ?1") || sql.0.starts_with("INSERT INTO");
        assert!(scoped || across.iter().any(|part| sql.0.contains(part)), "{}", sql.0);
    }
}
