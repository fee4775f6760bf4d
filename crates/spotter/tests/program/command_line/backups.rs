//! Sets of backups: made, read back, kept by number, and restored elsewhere; in a folder and in a bucket.

use std::{collections::BTreeSet, fs, path::Path, thread::sleep, time::Duration};

use spotter_harness::scenario;
use spotter_testing::requirements;

use super::{operator::create_company, *};

/// An uploaded file that a record refers to.
fn attached(folder: &Path) -> PathBuf {
    let company = fs::read_dir(folder.join("files")).unwrap().flatten();
    let company =
        company.map(|own| own.path()).find(|own| !own.ends_with("aaaaaaaaaaaaaaaaaaaaaaaa"));
    fs::read_dir(company.unwrap()).unwrap().flatten().next().unwrap().path()
}

/// What a company keeps, as far as a request tells: the first clients by name, and their number.
fn clients(folder: &Path, flags: &[String], demo: &Value) -> Value {
    let address = free_address();
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data"]).arg(folder).args(flags);
    let child = Running(command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    wait_ready(&address);
    let mut here = demo.clone();
    here["baseUrl"] = format!("http://{address}").into();
    let url = format!("http://{address}/public/v1/clients?limit=20");
    let found = get(&url, &token(&here));
    stop(child);
    assert_eq!(found["data"].as_object().map(|data| data.is_empty()), Some(false), "{found}");
    found["data"].clone()
}

/// The names of complete sets, in order.
fn sets(place: &Path) -> Vec<String> {
    let names = fs::read_dir(place).unwrap().flatten();
    let names = names.filter_map(|file| file.file_name().into_string().ok());
    let mut names: Vec<_> =
        names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
    names.sort();
    names
}

fn run(command: &str, more: &[&str], flags: &[String]) -> (bool, String) {
    let mut all = vec![command];
    all.extend(more);
    all.extend(flags.iter().map(String::as_str));
    spotter(&all)
}

fn upload(folder: &Path, name: &str, bytes: &[u8]) {
    let file = folder.join("files/aaaaaaaaaaaaaaaaaaaaaaaa").join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

#[scenario(process)]
fn sets_are_kept_by_number_and_restored_elsewhere(engine: Engine) {
    let (made, place, elsewhere) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let flags = whole_demo_in(made.path(), engine);
    let demo = read_demo(made.path());
    let (data, to) = (made.path().to_str().unwrap(), place.path().to_str().unwrap());
    let mut files = Vec::new();
    for round in 0..4 {
        upload(made.path(), &format!("file{round}"), format!("bytes of {round}").as_bytes());
        files.push(format!("file{round}"));
        if round == 1 {
            fs::remove_file(made.path().join("files/aaaaaaaaaaaaaaaaaaaaaaaa/file0")).unwrap();
        }
        let arguments = ["--data", data, "--backups", to, "--backup-keep", "2"];
        let (fine, response) = run("backup", &arguments, &flags);
        assert!(fine, "{response}");
        assert_eq!(sets(place.path()).len(), (round + 1).min(2), "{response}");
        // Sets of one second are in no order.
        sleep(Duration::from_millis(1_100));
    }
    // What no set lists is gone, and what two list is there once.
    let kept = fs::read_dir(place.path().join("files/aaaaaaaaaaaaaaaaaaaaaaaa")).unwrap().flatten();
    let kept: BTreeSet<_> = kept.map(|file| file.file_name().into_string().unwrap()).collect();
    assert_eq!(kept, BTreeSet::from(["file1".into(), "file2".into(), "file3".into()]));
    // A machine that knows only the place.
    let (new_flags, new) = (database_flags(engine), elsewhere.path().to_str().unwrap());
    let unknown = ["--data", new, "--backups", to, "--set", "spotter-20200101T000000Z-0000"];
    let (fine, response) = run("restore", &unknown, &new_flags);
    assert!(!fine && response.contains("--set must be one of spotter-"), "{response}");
    let (fine, response) = run("restore", &["--data", new, "--backups", to], &new_flags);
    assert!(fine, "{response}");
    assert!(response.contains("uploaded files are in place"), "{response}");
    assert!(!elsewhere.path().join("restoring").exists());
    assert_eq!(
        fs::read(elsewhere.path().join("files/aaaaaaaaaaaaaaaaaaaaaaaa/file2")).unwrap(),
        b"bytes of 2"
    );
    let there = clients(elsewhere.path(), &new_flags, &demo);
    assert_eq!(there, clients(made.path(), &flags, &demo));
}

#[test]
fn a_set_that_is_not_whole_does_not_count() {
    let (made, place, elsewhere) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    let (data, to) = (made.path().to_str().unwrap(), place.path().to_str().unwrap());
    let new = elsewhere.path().to_str().unwrap();
    let (fine, response) = spotter(&["restore", "--data", new, "--backups", to]);
    assert!(!fine && response.contains("there is no complete backup"), "{response}");
    let (fine, response) = spotter(&["backup", "--data", data]);
    assert!(!fine && response.contains("--backups"), "{response}");
    let back_up = || {
        let (fine, response) = spotter(&["backup", "--data", data, "--backups", to]);
        assert!(fine, "{response}");
        sets(place.path()).pop().unwrap()
    };
    let first = back_up();
    assert!(place.path().join(format!("{first}.db.key")).exists());
    // One that was interrupted long ago goes with the next; one of today may still be written; what else is there stays.
    let young = format!("{}.db", first.replace("spotter-2", "spotter-3"));
    let old = "spotter-20200101T000000Z-0000.db";
    for name in [old, &young, "notes.txt"] {
        fs::write(place.path().join(name), "x").unwrap();
    }
    sleep(Duration::from_millis(1_100));
    let second = back_up();
    assert_eq!(sets(place.path()), [first, second.clone()]);
    assert!(!place.path().join(old).exists());
    assert!(place.path().join(&young).exists() && place.path().join("notes.txt").exists());
    // A byte that turned.
    let database = place.path().join(format!("{second}.db"));
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&database, bytes).unwrap();
    let (fine, response) = spotter(&["restore", "--data", new, "--backups", to]);
    assert!(!fine && response.contains("is damaged"), "{response}");
    assert!(!elsewhere.path().join("spotter.db").exists());
    for every in ["1m", "often", "-1d"] {
        let arguments = ["backup", "--data", data, "--backups", to, &format!("--every={every}")];
        let (fine, response) = spotter(&arguments);
        assert!(!fine && response.contains("--every"), "{response}");
    }
}

/// Two that begin at once do not touch each other's sets.
/// A backup on which no server could start is none: the key is in it, wherever it is kept.
#[test]
fn a_backup_has_the_key() {
    let (made, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    let (data, to) = (made.path().to_str().unwrap(), place.path().to_str().unwrap());
    let (file, alone) = (made.path().join("secret.key"), place.path().join("alone"));
    let key = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let at = ["--data", data, "--backups", to];
    let back_up = |more: &[&str]| spotter(&[&["backup"], &at[..], more].concat());
    let levels = |more: &[&str], check: &str| {
        let (_, found) = spotter(&[&["doctor", "--json"], &at[..], more].concat());
        let mut found = serde_json::Deserializer::from_str(&found).into_iter::<Value>();
        let found = found.next().unwrap().unwrap();
        let own = |one: &&Value| one["check"] == check;
        let levels = found["findings"].as_array().unwrap().iter().filter(own);
        levels.map(|one| one["level"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (fine, response) = back_up(&[]);
    assert!(!fine && response.contains("secret.key"), "{response}");
    let (fine, response) = spotter(&["backup", "--data", data, alone.to_str().unwrap()]);
    assert!(!fine && response.contains("secret.key") && !alone.exists(), "{response}");
    assert!(sets(place.path()).is_empty());
    assert!(levels(&[], "key").contains(&"failure".to_owned()));
    let (fine, response) = back_up(&["--secret-key", &key]);
    assert!(fine, "{response}");
    let set = sets(place.path()).pop().unwrap();
    assert_eq!(fs::read_to_string(place.path().join(format!("{set}.db.key"))).unwrap(), key);
    assert_eq!(levels(&["--secret-key", &key], "backups"), ["fine"]);
    sleep(Duration::from_millis(1_100));
    let (fine, response) = back_up(&["--without-key", "--secret-key", &key]);
    assert!(fine, "{response}");
    assert_eq!(levels(&["--secret-key", &key], "backups"), ["warning"]);
    assert!(!file.exists());
}

/// Each installation deletes what is too old for it, so none gets another's place.
#[test]
fn a_place_is_of_one_installation() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (folder, name) in [(&one, "One"), (&other, "Other")] {
        let (fine, response) = create_company(folder.path().to_str().unwrap(), name, &[]);
        assert!(fine, "{response}");
    }
    let back_up = |folder: &tempfile::TempDir| {
        let (data, to) = (folder.path().to_str().unwrap(), place.path().to_str().unwrap());
        spotter(&["backup", "--data", data, "--backups", to, "--backup-keep", "1"])
    };
    assert!(back_up(&one).0);
    let made = sets(place.path());
    sleep(Duration::from_millis(1_100));
    let (fine, response) = back_up(&other);
    assert!(!fine && response.contains("another installation"), "{response}");
    assert_eq!(sets(place.path()), made);
    // What was restored from it is the same one.
    let again = tempfile::tempdir().unwrap();
    let (data, to) = (again.path().to_str().unwrap(), place.path().to_str().unwrap());
    assert!(spotter(&["restore", "--data", data, "--backups", to]).0);
    assert!(back_up(&again).0);
    assert!(sets(place.path()).len() == 1 && sets(place.path()) != made);
}

#[test]
fn backups_at_once_are_two_sets() {
    let (made, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    let (data, to) = (made.path().to_str().unwrap(), place.path().to_str().unwrap());
    std::thread::scope(|scope| {
        let make = || spotter(&["backup", "--data", data, "--backups", to]);
        let all: Vec<_> = (0..3).map(|_| scope.spawn(make)).collect();
        for one in all {
            let (fine, response) = one.join().unwrap();
            assert!(fine, "{response}");
        }
    });
    let all = sets(place.path());
    assert_eq!(all.len(), 3, "{all:?}");
    for name in all {
        let elsewhere = tempfile::tempdir().unwrap();
        let new = elsewhere.path().to_str().unwrap();
        let arguments = ["restore", "--data", new, "--backups", to, "--set", &name];
        let (fine, response) = spotter(&arguments);
        assert!(fine, "{response}");
    }
}

/// A set of a time that is yet to come, or a manifest without a database, deletes nothing.
#[test]
fn a_wrong_clock_deletes_no_backup() {
    let (made, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    let (data, to) = (made.path().to_str().unwrap(), place.path().to_str().unwrap());
    let back_up = || {
        sleep(Duration::from_millis(1_100));
        let arguments = ["backup", "--data", data, "--backups", to, "--backup-keep", "1"];
        let (fine, response) = spotter(&arguments);
        assert!(fine, "{response}");
    };
    back_up();
    let first = sets(place.path()).pop().unwrap();
    for part in [".json", ".db", ".db.key", ".files"] {
        let late = format!("spotter-20990101T000000Z-0000{part}");
        fs::copy(place.path().join(format!("{first}{part}")), place.path().join(late)).unwrap();
    }
    let alone = place.path().join("spotter-20990102T000000Z-0000.json");
    fs::copy(place.path().join(format!("{first}.json")), &alone).unwrap();
    back_up();
    let all = sets(place.path());
    assert_eq!(all.len(), 3, "the new one, and what is of another time: {all:?}");
    assert!(!all.contains(&first));
    let new = &all[0];
    assert!(place.path().join(format!("{new}.db")).exists(), "{all:?}");
    let (_, findings) = spotter(&["doctor", "--json", "--data", data, "--backups", to]);
    assert!(findings.contains("which is not yet"), "{findings}");
}

/// An upload that the file store has lost stays in the backups, and one that nobody has is named.
#[test]
fn lost_uploads_are_kept_or_named() {
    let (made, place, elsewhere) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    let (data, to) = (made.path().to_str().unwrap(), place.path().to_str().unwrap());
    let back_up = || {
        sleep(Duration::from_millis(1_100));
        spotter(&["backup", "--data", data, "--backups", to, "--backup-keep", "1"])
    };
    let (fine, response) = back_up();
    assert!(fine, "{response}");
    let lost = attached(made.path());
    let key = lost.strip_prefix(made.path()).unwrap().to_owned();
    let bytes = fs::read(&lost).unwrap();
    fs::remove_file(&lost).unwrap();
    let (fine, response) = back_up();
    assert!(fine, "{response}");
    assert_eq!(fs::read(place.path().join(&key)).unwrap(), bytes, "its last copy");
    let (_, findings) = spotter(&["doctor", "--json", "--data", data, "--backups", to]);
    assert!(findings.contains("1 uploaded files are not in the file store"), "{findings}");
    // A file of the backup that rots, and one that is gone everywhere.
    fs::write(place.path().join(&key), vec![0; bytes.len()]).unwrap();
    let new = elsewhere.path().to_str().unwrap();
    let (fine, response) = spotter(&["restore", "--data", new, "--backups", to]);
    assert!(!fine && response.contains("1 uploaded files are missing or damaged"), "{response}");
    assert!(response.contains("the database is restored and can be served"), "{response}");
    assert!(!elsewhere.path().join(&key).exists());
    // Once it is found, the files alone are restored.
    fs::write(place.path().join(&key), &bytes).unwrap();
    let (fine, response) = spotter(&["restore", "--files-only", "--data", new, "--backups", to]);
    assert!(fine, "{response}");
    assert_eq!(fs::read(elsewhere.path().join(&key)).unwrap(), bytes);
    fs::remove_file(place.path().join(&key)).unwrap();
    let (fine, response) = back_up();
    assert!(!fine && response.contains("1 uploaded files are neither in"), "{response}");
    assert_eq!(sets(place.path()).len(), 1, "the database is backed up all the same");
    // A list that was changed restores nothing.
    let list = place.path().join(format!("{}.files", sets(place.path())[0]));
    let text = fs::read_to_string(&list).unwrap();
    fs::write(&list, text.replace("files", "x") + "missing 0 ../../../x\n").unwrap();
    let other = tempfile::tempdir().unwrap();
    let new = other.path().to_str().unwrap();
    let (fine, response) = spotter(&["restore", "--data", new, "--backups", to]);
    assert!(!fine && response.contains(".files is damaged"), "{response}");
    assert!(!other.path().join("spotter.db").exists());
}

/// Backs up while the server runs, at once, and stops when it is asked to.
#[test]
fn backups_are_scheduled() {
    let (made, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    let address = free_address();
    let serving = demo(made.path(), &address, &[]);
    wait_ready(&address);
    let scheduled = || {
        let mut command = Command::new(binary());
        command.args(["backup", "--every", "1d", "--without-key", "--data"]).arg(made.path());
        command.arg("--backups").arg(place.path()).stdout(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().unwrap())
    };
    let first = scheduled();
    for _ in 0..600 {
        if !sets(place.path()).is_empty() {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    stop(first);
    let name = sets(place.path()).pop().unwrap();
    assert!(!place.path().join(format!("{name}.db.key")).exists());
    // The next is due tomorrow, whoever starts again.
    let second = scheduled();
    sleep(Duration::from_millis(1_500));
    stop(second);
    assert_eq!(sets(place.path()), [name]);
    stop(serving);
}

/// A store that speaks S3's protocol, from PyPI; it ends with the suite.
fn bucket() -> Option<String> {
    if !requirements::OBJECT_STORE.is_available() {
        return None;
    }
    let address = free_address();
    let port = address.rsplit(':').next().unwrap();
    let script = format!(
        "\"$0\" -m moto.server -p {port} & own=$!; \
         while [ -d /proc/{} ]; do sleep 0.5; done; kill $own",
        std::process::id()
    );
    let mut child = Command::new("/bin/sh")
        .args(["-c", &script])
        .arg(requirements::OBJECT_STORE.python())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::spawn(move || child.wait());
    let (url, runtime) = (format!("http://{address}"), runtime());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for _ in 0..400 {
        let made = runtime.block_on(client.put(format!("{url}/gym-backups")).send());
        if made.is_ok_and(|answer| answer.status().is_success()) {
            return Some(url);
        }
        sleep(Duration::from_millis(50));
    }
    panic!("moto never became ready")
}

#[test]
fn sets_are_kept_in_a_bucket() {
    let Some(url) = bucket() else { return };
    let (made, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole_demo_in(made.path(), Engine::Sqlite);
    upload(made.path(), "photo", &vec![7; 6 << 20]);
    let spotter = |arguments: &[&str]| {
        let mut command = Command::new(binary());
        command.args(arguments).env("AWS_ENDPOINT", &url).env("AWS_ALLOW_HTTP", "true");
        command.env("AWS_ACCESS_KEY_ID", "x").env("AWS_SECRET_ACCESS_KEY", "y");
        let output = command.env("AWS_REGION", "eu-west-1").output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.success(), text)
    };
    let place = ["--backups", "s3://gym-backups/riverside"];
    let back_up = |folder: &Path| {
        let data = folder.to_str().unwrap().to_owned();
        let mut all = vec!["backup", "--backup-keep", "1", "--data", &data];
        all.extend(place);
        let (fine, response) = spotter(&all);
        assert!(fine, "{response}");
        response
    };
    back_up(made.path());
    sleep(Duration::from_millis(1_100));
    assert!(back_up(made.path()).contains("is deleted"));
    // What is sent to the bucket stays in the data folder no longer.
    let left = fs::read_dir(made.path()).unwrap().flatten();
    let left = left.filter(|file| file.file_name().to_string_lossy().starts_with("spotter-2"));
    assert_eq!(left.count(), 0);
    let data = elsewhere.path().to_str().unwrap();
    let mut all = vec!["restore", "--data", data];
    all.extend(place);
    let (fine, response) = spotter(&all);
    assert!(fine, "{response}");
    let photo = elsewhere.path().join("files/aaaaaaaaaaaaaaaaaaaaaaaa/photo");
    assert_eq!(fs::read(photo).unwrap().len(), 6 << 20);
    let demo = read_demo(made.path());
    assert_eq!(clients(elsewhere.path(), &[], &demo), clients(made.path(), &[], &demo));
}
