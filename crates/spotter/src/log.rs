//! Structured logs: readable on a terminal, JSON elsewhere.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::settings::LogFormat;

/// Starts logging to standard error.
pub(crate) fn start(filter: &str, format: LogFormat) {
    // The library of the MCP server tells of every call that it begins and ends.
    let quiet = format!("rmcp=warn,{filter}");
    let filter = EnvFilter::try_new(quiet).unwrap_or_else(|_| EnvFilter::new("info"));
    let terminal = std::io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    // A second start, in tests, changes nothing.
    if json {
        builder.json().flatten_event(true).try_init().ok();
    } else {
        builder.with_ansi(terminal).try_init().ok();
    }
}
