//! Programs of others, asked for what is right: Python's libraries, as Debian packages them or PyPI has them.

use std::{
    io::Write,
    process::{Command, Stdio},
};

/// Where Debian puts them.
const PYTHON: &str = "/usr/bin/python3";

/// What a program says of an input; nothing where there is no library of this name, unless the suite
/// must have it (`SPOTTER_TEST_LANGUAGES=required`).
pub fn ask(libraries: &[&str], program: &str, input: &str) -> Option<String> {
    ask_of(PYTHON, libraries, program, input)
}

/// The same of libraries that Debian has no packages of, in an environment of their own (`.ci/run` makes it).
pub fn ask_own(libraries: &[&str], program: &str, input: &str) -> Option<String> {
    ask_of(&own(), libraries, program, input)
}

/// The Python of that environment, if it has these libraries.
pub fn own_with(libraries: &[&str]) -> Option<String> {
    Some(own()).filter(|python| has(python, libraries))
}

fn own() -> String {
    // Below the folder of what is built, wherever that is.
    let built = std::env::current_exe().unwrap();
    let target = built.ancestors().nth(3).unwrap();
    target.join("python/bin/python").to_str().unwrap().to_owned()
}

/// Whether a Python has these libraries, which it must where the suite must have them.
fn has(python: &str, libraries: &[&str]) -> bool {
    let import = format!("import {}", libraries.join(", "));
    let found = Command::new(python).args(["-c", &import]).output();
    let has = found.is_ok_and(|found| found.status.success());
    let required = std::env::var_os("SPOTTER_TEST_LANGUAGES").is_some();
    assert!(has || !required, "{python} needs {libraries:?}, as .ci/run installs them");
    has
}

fn ask_of(python: &str, libraries: &[&str], program: &str, input: &str) -> Option<String> {
    if !has(python, libraries) {
        return None;
    }
    let mut child = Command::new(python)
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writing = std::thread::spawn(move || to.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.status.success(), "the program of {libraries:?} failed");
    Some(String::from_utf8(output.stdout).unwrap())
}
