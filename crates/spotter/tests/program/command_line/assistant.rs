//! A scripted assistant that does a manager's and a client's tasks through the official SDK.

use spotter_harness::scenario;
use spotter_testing::requirements;

use super::*;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/assistant/run.py");

/// Each task ends as its table says, and every refusal on the way says what to do next.
#[scenario(process)]
fn a_scripted_assistant_does_its_tasks(engine: Engine) {
    if !requirements::ASSISTANTS.is_available() {
        return;
    }
    let python = requirements::ASSISTANTS.python();
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let (base, demo) = (format!("http://{address}"), folder.path().join("demo.json"));
    for (who, tasks) in [("manager", 30), ("client", 15)] {
        let mut script = Command::new(&python);
        script.env("PYTHONDONTWRITEBYTECODE", "1").arg(SCRIPT).arg(&base).arg(&demo).arg(who);
        let output = script.output().unwrap();
        let response = String::from_utf8_lossy(&output.stdout);
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{who}\n{response}\n{why}");
        let done = response.lines().filter(|line| line.starts_with("ok ")).count();
        assert!(done >= tasks, "{done} tasks of a {who}");
    }
    stop(child);
}
