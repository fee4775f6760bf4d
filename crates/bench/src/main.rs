//! Measures webhooks on this machine, and breaks the service while they are under way. Started by
//! `bench/run` and `bench/faults`.

mod faults;
mod receiver;
mod service;
mod speed;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// What went wrong, for whoever looks on.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Parser)]
struct Arguments {
    /// The binary to start.
    #[arg(long)]
    spotter: PathBuf,
    /// An empty folder for its data.
    #[arg(long)]
    data: PathBuf,
    /// PostgreSQL's address; SQLite without one.
    #[arg(long)]
    database_url: Option<String>,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Deliveries a second, latency, and latency beside targets that hang.
    Speed {
        /// How long each latency is measured.
        #[arg(long, default_value_t = 15)]
        seconds: u64,
    },
    /// kill -9 during load, again and again; nothing acknowledged may be lost.
    Faults {
        /// How often.
        #[arg(long, default_value_t = 20)]
        rounds: u32,
    },
}

#[tokio::main]
async fn main() -> Outcome {
    rustls::crypto::ring::default_provider().install_default().ok();
    let Arguments { spotter, data, database_url, what } = Arguments::parse();
    let receiver = receiver::Receiver::start(&data).await?;
    let port = match what {
        What::Speed { .. } => 18_301,
        What::Faults { .. } => 18_401,
    };
    let service = service::Service::new(spotter, data, database_url, port);
    match what {
        What::Speed { seconds } => speed::run(service, receiver, seconds).await,
        What::Faults { rounds } => faults::run(service, receiver, rounds).await,
    }
}
