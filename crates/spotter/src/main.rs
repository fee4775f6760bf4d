//! Entry point.

use std::process::ExitCode;

fn main() -> ExitCode {
    spotter::cli::main()
}
