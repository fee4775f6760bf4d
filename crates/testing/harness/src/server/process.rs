//! The program as a process of its own.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use spotter_contract::Env;
use spotter_files::{FileStore, Files};
use spotter_outbound::smtp::Mailbox;
use spotter_store::DatabaseLocation;

use super::{KEY, Server, Tasks, binary, client, env, free_address, location, open_new};
use crate::{Engine, receiver};

/// Starts the binary; it ends when this process does.
pub(crate) fn start_process(engine: Engine, binary: &str) -> Server {
    start_process_with(engine, binary, &[])
}

/// The same with settings beside the usual ones.
pub(crate) fn start_process_with(engine: Engine, binary: &str, more: &[(&str, &str)]) -> Server {
    let folder = tempfile::tempdir().unwrap().keep();
    let location = match engine {
        Engine::Sqlite => DatabaseLocation::File(folder.join("spotter.db")),
        Engine::Postgres => location(engine),
    };
    let db = open_new(&location);
    let authority = folder.join("ca.pem");
    std::fs::write(&authority, receiver::receiver().authority_pem()).unwrap();
    let address = free_address();
    let script = format!(
        "\"$0\" serve 2>log & own=$!; while [ -d /proc/{} ]; do sleep 0.5; done; kill $own",
        std::process::id()
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script, binary]).current_dir(&folder);
    let key: String = KEY.iter().map(|byte| format!("{byte:02x}")).collect();
    for (name, value) in [
        ("DATA", "."),
        ("LISTEN", &address),
        ("SECRET_KEY", &key),
        ("RATE_LIMIT", "1000000"),
        ("ANONYMOUS_RATE_LIMIT", "1000000"),
        ("WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8"),
        ("MCP_PRIVATE_NETWORKS", "127.0.0.0/8,::1/128"),
        ("WEBHOOK_CERTIFICATE_AUTHORITY", authority.to_str().unwrap()),
    ]
    .iter()
    .chain(more)
    {
        command.env(format!("SPOTTER_{name}"), value);
    }
    if let DatabaseLocation::Server(url) = &location {
        command.env("SPOTTER_DATABASE_URL", url);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut watched = command.spawn().unwrap();
    std::thread::spawn(move || watched.wait());
    let base = format!("http://{address}");
    wait_ready(&base, || std::fs::read_to_string(folder.join("log")).unwrap_or_default());
    let env = Env { mcp_url: base.as_str().into(), ..env() };
    let files_folder = folder.join("files");
    let files = Files::open(&FileStore::Folder(files_folder.clone())).unwrap();
    let http = client();
    let mailbox = Mailbox::default();
    let (state, router, tasks) = (None, None, Vec::new());
    Server {
        engine,
        base,
        db,
        env,
        location,
        http,
        state,
        router,
        files,
        files_folder,
        mailbox,
        _tasks: Tasks(tasks),
    }
}

/// Waits until a process is ready; `log` is shown where it never is.
pub fn wait_ready(base: &str, log: impl Fn() -> String) {
    for _ in 0..6_000 {
        let request = Command::new(binary()).args(["healthcheck", "--url", base]).output().unwrap();
        if request.status.success() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{base} never became ready\n{}", log());
}
