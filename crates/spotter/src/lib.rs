//! The `spotter` binary: its command line, its settings, and the wiring of everything else.

pub mod areas;
pub mod cli;
mod connections;
pub mod data_exports;
pub mod demo;
pub mod importing;
mod listen;
mod log;
pub mod mail;
mod operator;
pub mod serve;
pub mod settings;
mod simulate;
mod sockets;
pub mod system;
mod metric_descriptions;
#[doc(hidden)]
pub mod testing;
mod maintenance;
