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
            } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "toml") {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(of);
    let mut found =
        vec![(root.join("Cargo.toml"), fs::read_to_string(root.join("Cargo.toml")).unwrap())];
    walk(&root.join("src"), &mut found);
    assert!(found.len() > 2, "{of} has sources");
    found
}

fn nowhere(crates: &[&str], words: &[&str]) {
    for name in crates {
        for (path, text) in sources(name) {
            for word in words {
                assert!(!text.contains(word), "{} says {word}", path.display());
            }
        }
    }
}

#[test]
fn only_the_store_names_an_engine() {
    let drivers = ["rusqlite", "tokio_postgres", "tokio-postgres"];
    nowhere(&["kernel", "contract", "areas", "http"], &drivers);
    nowhere(&["contract", "areas", "http"], &["SQLite", "sqlite", "Postgres", "postgres"]);
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
    nowhere(&["areas", "contract", "kernel", "store"], &["axum", "spotter_http", "spotter-http"]);
    nowhere(
        &["kernel"],
        &["std::fs", "std::net", "std::process", "std::env", "tokio", "SystemTime", "getrandom"],
    );
    nowhere(&["store"], &["spotter_areas", "spotter_contract"]);
    nowhere(&["contract"], &["spotter_areas"]);
}

#[test]
fn every_statement_names_its_company() {
    // The look-up of an address, the operator's list, and the pruning of what has expired span companies;
    // assistants register, and ask, before anybody knows for which company; search terms are renewed for all;
    // mail that waited in a backup is not sent.
    let across = [
        "mcp_client ",
        "mcp_request WHERE digest = ?1",
        "FROM account WHERE email",
        "SELECT company_id, name FROM company",
        "expires_at <= ?1 LIMIT",
        "mcp_client WHERE client_id IN",
        "FROM client c JOIN company o",
        "mail WHERE mail_id < ?1",
        "UPDATE mail SET status = ?1, content = NULL, error = ?3",
    ];
    for sql in spotter_areas::areas().statements {
        let scoped = sql.0.contains("company_id = ?1") || sql.0.starts_with("INSERT INTO");
        assert!(scoped || across.iter().any(|part| sql.0.contains(part)), "{}", sql.0);
    }
}
