//! Programs of others, asked for what is right: Python's libraries, as Debian packages them or PyPI has them.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use spotter_testing::requirements::Requirement;

/// What a program prints that reads an input and uses the modules of a requirement; nothing where that is not met.
pub fn run(requirement: &Requirement, program: &str, input: &str) -> Option<String> {
    if !requirement.is_available() {
        return None;
    }
    let mut child = Command::new(requirement.python())
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
    assert!(output.status.success(), "the program of {} failed", requirement.name);
    Some(String::from_utf8(output.stdout).unwrap())
}
