//! Operators on the command line, and its output.

use std::time::{Duration, Instant};

use serde_json::json;
use spotter_harness::scenario;
use spotter_store::{DatabaseLocation, Sql};

use super::*;

/// Makes a company with its first admin.
pub(super) fn create_company(data: &str, name: &str, flags: &[String]) -> (bool, String) {
    let mut arguments = vec!["company", "create", "--data", data, "--name", name];
    arguments.extend(["--admin-email", "a@b.io", "--admin-first-name", "A"]);
    arguments.extend(["--admin-last-name", "B"]);
    arguments.extend(flags.iter().map(String::as_str));
    spotter(&arguments)
}

#[test]
fn operators_find_their_way() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    assert!(spotter(&["config", "check"]).0);
    let (fine, response) = spotter(&["config", "check", "--listen", "here", "--rate-limit", "0"]);
    assert!(
        !fine && response.contains("--listen") && response.contains("--rate-limit"),
        "{response}"
    );
    let unknown = "postgres://spotter@here/spotter?sslmode=verify-full";
    let (fine, response) = spotter(&["config", "check", "--database-url", unknown]);
    assert!(!fine && response.contains("it is disable, prefer or require"), "{response}");
    let ports = "postgres://spotter@/spotter?host=a,b,c&port=5432,5433";
    let (fine, response) = spotter(&["config", "check", "--database-url", ports]);
    assert!(!fine && response.contains("another number of ports (2)"), "{response}");
    assert!(spotter(&["migrate", "--data", data]).0);
    let (fine, response) = create_company(data, "Gym", &[]);
    assert!(fine && response.contains("invitation"), "{response}");
    let (fine, response) = spotter(&[
        "api-client",
        "create",
        "--data",
        data,
        "--name",
        "Sync",
        "--scopes",
        "clients:read",
    ]);
    assert!(fine, "{response}");
    let made: Value = serde_json::from_str(&response).unwrap();
    let id = made["clientId"].as_str().unwrap();
    let (fine, response) = spotter(&["api-client", "rotate", "--data", data, id]);
    assert!(
        fine && response.contains("fsps_")
            && !response.contains(made["clientSecret"].as_str().unwrap()),
        "{response}"
    );
    assert!(spotter(&["api-client", "revoke", "--data", data, id]).0);
    let file = folder.path().join("old.csv");
    std::fs::write(&file, "Voornaam;E-mail\nAnn;ann@example.com\n").unwrap();
    let import = ["import", "--data", data, "--kind", "clients", file.to_str().unwrap()];
    let (fine, response) = spotter(&import);
    assert!(
        !fine && response.contains("invitation"),
        "an admin is whoever has accepted: {response}"
    );
    let backup = folder.path().join("copy.db");
    let (fine, response) = spotter(&["backup", "--data", data, backup.to_str().unwrap()]);
    assert!(fine && folder.path().join("copy.db.key").exists(), "{response}");
    let elsewhere = tempfile::tempdir().unwrap();
    let there = elsewhere.path().to_str().unwrap();
    let (fine, response) = spotter(&["restore", "--data", there, backup.to_str().unwrap()]);
    assert!(fine && elsewhere.path().join("secret.key").exists(), "{response}");
    let (fine, response) = spotter(&["openapi"]);
    assert!(fine && serde_json::from_str::<Value>(&response).unwrap()["openapi"] == "3.1.0");
    assert!(!spotter(&["healthcheck", "--url", &format!("http://{}", free_address())]).0);
}

#[test]
fn the_command_line_explains_errors() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("none");
    let data = data.to_str().unwrap();
    let create = ["api-client", "create", "--data", data, "--name", "Sync"];
    let (fine, response) = spotter(&create);
    assert!(!fine && response.contains("spotter company create"), "{response}");
    assert!(!Path::new(data).exists(), "nothing is left behind");
    for name in ["One", "Two"] {
        assert!(create_company(data, name, &[]).0);
    }
    let (fine, response) = spotter(&create);
    assert!(!fine && response.contains("--company") && response.contains("Two"), "{response}");
    let (_, help) = spotter(&["api-client", "create", "--help"]);
    assert!(!help.contains("--webhook-concurrency") && help.contains("spotter serve --help"));
    assert!(spotter(&["serve", "--help"]).1.contains("--webhook-concurrency"));
    let mut check = Command::new(binary());
    let checked = check.args(["config", "check"]).env("SPOTTER_LISTNE", "x").output().unwrap();
    let response = String::from_utf8(checked.stderr).unwrap();
    assert!(
        !checked.status.success() && response.contains("is SPOTTER_LISTEN meant?"),
        "{response}"
    );
}

/// New files belong to their user alone, whatever the shell's umask.
#[test]
fn a_command_gives_up_on_a_database_that_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let (data, began) = (folder.path().to_str().unwrap(), Instant::now());
    let away = "postgres://spotter@127.0.0.1:1/spotter?sslmode=disable";
    let (fine, response) = spotter(&["company", "list", "--data", data, "--database-url", away]);
    assert!(!fine && response.contains("PostgreSQL"), "{response}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    fn others(path: &Path, seen: &mut usize) {
        *seen += 1;
        let about = std::fs::metadata(path).unwrap();
        let mode = about.permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
        if about.is_dir() {
            std::fs::read_dir(path).unwrap().for_each(|one| others(&one.unwrap().path(), seen));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (data, address) = (folder.path().join("data"), free_address());
    let script = format!(
        "umask 000; exec \"$0\" demo --data '{}' --listen {address} 2>/dev/null",
        data.display()
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script, binary()]).stdout(Stdio::null());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    let demo = read_demo(&data);
    let login = json!({"email": demo["client"]["email"], "password": demo["client"]["password"]});
    let base = format!("http://{address}/app/v1");
    let (_, session) = post(&format!("{base}/auth/login"), "x", "k", &login).unwrap();
    let bearer = session["data"]["session"]["accessToken"].as_str().unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let upload = http.post(format!("{base}/uploads?fileName=x.png")).bearer_auth(bearer);
    let upload = upload.header("content-type", "image/png").body(png);
    let uploaded = runtime().block_on(async { upload.send().await.unwrap().status() });
    assert_eq!(uploaded, 201);
    let backup = folder.path().join("copy.db");
    let script =
        format!("umask 000; exec \"$0\" backup --data '{}' '{}'", data.display(), backup.display());
    assert!(Command::new("/bin/sh").args(["-c", &script, binary()]).status().unwrap().success());
    let mut seen = 0;
    others(&data, &mut seen);
    others(&backup, &mut seen);
    others(&folder.path().join("copy.db.key"), &mut seen);
    assert!(seen > 8, "{seen}");
    stop(child);
}

/// Incomplete or changed backups are recognized.
#[test]
fn only_a_whole_backup_is_restored() {
    let (folder, whole) = (tempfile::tempdir().unwrap(), made_demo().join("backup.db"));
    let there = folder.path().join("there");
    let restore = |file: &Path| {
        let arguments = ["restore", "--data", there.to_str().unwrap(), file.to_str().unwrap()];
        spotter(&arguments)
    };
    let bytes = std::fs::read(&whole).unwrap();
    let broken = folder.path().join("broken.db");
    for (share, word) in [(1, "not a whole backup"), (2, "not a whole backup")] {
        std::fs::write(&broken, &bytes[..bytes.len() * share / 3]).unwrap();
        let (fine, response) = restore(&broken);
        assert!(!fine && response.contains(word), "{response}");
    }
    for change in ["DELETE FROM client_note", "DROP TABLE backup_end"] {
        std::fs::write(&broken, &bytes).unwrap();
        let db = spotter_harness::open(&spotter_store::Config::new(DatabaseLocation::File(
            broken.clone(),
        )));
        runtime().block_on(db.write(move |tx| tx.execute(Sql(change), &[]))).unwrap();
        assert!(db.close(Duration::from_secs(5)));
        let (fine, response) = restore(&broken);
        assert!(!fine && response.contains("not a whole backup"), "{response}");
        assert!(response.contains("broken.db") && !response.contains("restoring-"), "{response}");
    }
    let (fine, response) = restore(&whole);
    assert!(fine, "{response}");
}

/// A backup file exists only when it is complete.
#[test]
fn a_backup_that_is_killed_leaves_nothing_that_looks_like_one() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let flags = demo_in(folder.path(), Engine::Postgres);
    let file = folder.path().join("copy.db");
    for _ in 0..3 {
        let mut command = Command::new(binary());
        command.args(["backup", "--data"]).arg(folder.path()).args(&flags).arg(&file);
        let mut child = Running(command.stdout(Stdio::null()).spawn().unwrap());
        std::thread::sleep(Duration::from_millis(150));
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        assert!(!file.exists());
    }
    let data = folder.path().to_str().unwrap();
    let mut backup = vec!["backup", "--data", data, file.to_str().unwrap()];
    backup.extend(flags.iter().map(String::as_str));
    let (fine, response) = spotter(&backup);
    assert!(fine && file.exists(), "{response}");
}

/// Deliveries that waited at a backup are not sent by the copy, unless that takes the place of the one
/// that was backed up.
#[scenario(process)]
fn restored_deliveries_wait_for_a_word(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, mut flags) = (free_address(), demo_in(folder.path(), engine));
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let (api, bearer) = (format!("http://{address}/public/v1"), token(&read_demo(folder.path())));
    let hook =
        json!({"name": "Gone", "url": "https://nowhere.example/", "events": ["client.created"]});
    let (_, made) = post(&format!("{api}/webhooks"), &bearer, "hook", &hook).unwrap();
    let id = made["data"]["subscription"]["id"].as_str().unwrap();
    let (_, tested) =
        post(&format!("{api}/webhooks/{id}/test"), &bearer, "test", &json!({})).unwrap();
    let delivery = tested["data"]["test"]["deliveryIds"][0].as_str().unwrap().to_owned();
    stop(child);
    let backup = folder.path().join("copy.db");
    let data = folder.path().to_str().unwrap();
    let mut arguments = vec!["backup", "--data", data, backup.to_str().unwrap()];
    arguments.extend(flags.iter().map(String::as_str));
    assert!(spotter(&arguments).0);
    for (word, status, mark) in
        [("park", "cancelled", "1 webhook deliveries"), ("keep", "pending", "")]
    {
        let there = tempfile::tempdir().unwrap();
        flags = database_flags(engine);
        let mut arguments = vec!["restore", "--data", there.path().to_str().unwrap()];
        arguments.extend(["--webhooks", word, backup.to_str().unwrap()]);
        arguments.extend(flags.iter().map(String::as_str));
        let (fine, response) = spotter(&arguments);
        assert!(fine && response.contains(mark), "{response}");
        std::fs::copy(folder.path().join("demo.json"), there.path().join("demo.json")).unwrap();
        let address = free_address();
        let child = demo(there.path(), &address, &flags);
        wait_ready(&address);
        let api = format!("http://{address}/public/v1");
        // An attempt that is under way ends, be it that no name server answers.
        let ends = Instant::now() + Duration::from_secs(60);
        let response = loop {
            let response = get(&format!("{api}/webhooks/deliveries/{delivery}"), &bearer);
            if response["data"]["delivery"]["status"] != "sending" || Instant::now() > ends {
                break response;
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        assert_eq!(response["data"]["delivery"]["status"], status, "{response}");
        stop(child);
    }
}

#[scenario(process)]
fn another_key_is_noticed(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let flags = database_flags(engine);
    let data = folder.path().to_str().unwrap();
    assert!(create_company(data, "Gym", &flags).0);
    let mut client = vec!["api-client", "create", "--data", data, "--name", "Sync"];
    client.extend(flags.iter().map(String::as_str));
    let key = folder.path().join("secret.key");
    let right = std::fs::read(&key).unwrap();
    std::fs::write(&key, "0".repeat(64)).unwrap();
    let (fine, response) = spotter(&client);
    assert!(!fine && response.contains("secret_key is not the one"), "{response}");
    let file = folder.path().join("backup.db");
    let beside = folder.path().join("backup.db.key");
    let mut backup = vec!["backup", file.to_str().unwrap(), "--data", data];
    backup.extend(flags.iter().map(String::as_str));
    let (fine, response) = spotter(&backup);
    assert!(
        !fine && response.contains("secret_key is not the one") && !beside.exists(),
        "{response}"
    );
    assert!(!file.exists(), "no server could start on it");
    std::fs::remove_file(&key).unwrap();
    let (fine, response) = spotter(&client);
    assert!(!fine && response.contains("secret.key") && !key.exists(), "{response}");
    std::fs::write(&key, &right).unwrap();
    assert!(spotter(&client).0);
    assert!(spotter(&backup).0 && std::fs::read(&beside).unwrap() == right);
    let restored = folder.path().join("restored");
    let (elsewhere, restored_key) = (database_flags(engine), restored.join("secret.key"));
    let there = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--data", restored.to_str().unwrap()]);
        all.extend(elsewhere.iter().map(String::as_str));
        spotter(&all)
    };
    let restore = ["restore", file.to_str().unwrap()];
    std::fs::write(&beside, "0".repeat(64)).unwrap();
    let (fine, response) = there(&restore);
    assert!(!fine && response.contains("secret_key is not the one"), "{response}");
    assert!(!restored_key.exists());
    std::fs::write(&beside, &right).unwrap();
    // What a command has stored there meanwhile, with a key of its own, does not hinder it.
    let (fine, response) = there(&["company", "list"]);
    assert!(fine && std::fs::read(&restored_key).unwrap() != right, "{response}");
    let (fine, response) = there(&restore);
    assert!(!fine && response.contains("secret_key is not the one"), "{response}");
    std::fs::remove_file(&restored_key).unwrap();
    let (fine, response) = there(&restore);
    assert!(fine, "{response}");
    assert_eq!(std::fs::read(&restored_key).unwrap(), right);
}
