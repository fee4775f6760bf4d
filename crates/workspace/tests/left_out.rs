//! The last lines of `cargo test --workspace`: which tests were left out on this machine, and how to have them run.

use std::process::ExitCode;

use spotter_testing::requirements::{ALL, unknown_names};

fn main() -> ExitCode {
    // Tools that list tests before they run them get an empty list.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let unknown = unknown_names();
    if !unknown.is_empty() {
        let known: Vec<_> = ALL.iter().map(|requirement| requirement.name).collect();
        eprintln!("SPOTTER_TEST_REQUIRE: {unknown:?} are not of {known:?}");
        return ExitCode::FAILURE;
    }
    let missing: Vec<_> = ALL.iter().filter(|requirement| !requirement.is_met()).collect();
    if missing.is_empty() {
        println!("\nNothing was left out.");
        return ExitCode::SUCCESS;
    }
    println!("\nLeft out, because this machine lacks what they need:");
    for requirement in &missing {
        println!(
            "- {}: {}\n  To run them: {}.",
            requirement.name, requirement.left_out, requirement.install
        );
    }
    println!("SPOTTER_TEST_REQUIRE=all makes a run fail instead.");
    if missing.iter().any(|requirement| requirement.is_required()) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
