//! Independent programs: Python libraries from Debian or PyPI.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use spotter_testing::requirements::Requirement;

/// The output of a program with an input, using the modules of a requirement; `None` where that is not met.
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
