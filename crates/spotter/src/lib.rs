//! The `spotter` binary: its command line, its settings, and the wiring of everything else.

#[macro_use]
mod output;

pub mod areas;
mod backups;
pub mod cli;
mod connections;
pub mod data_exports;
pub mod demo;
mod doctor;
mod hosting;
pub mod importing;
mod instance;
mod log;
mod machine;
pub mod mail;
mod maintenance;
mod metric_descriptions;
mod operator;
pub mod push;
pub mod serve;
mod service_manager;
pub mod settings;
mod simulate;
mod sockets;
pub mod system;
mod test_environments;
#[doc(hidden)]
pub mod testing;
mod traces;
mod webhook_tools;
