//! Entry point.

use std::process::ExitCode;

/// For everything in the process, SQLite included: both allocate and free small things all the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    spotter::cli::main()
}
