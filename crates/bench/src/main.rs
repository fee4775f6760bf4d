//! Measures webhooks on this machine, breaks the service while they are under way, and fills a
//! database for other measurements. Started by `bench/run` and `bench/faults`.

mod access;
mod calendar;
mod charges;
mod crowd;
mod due;
mod failover;
mod faults;
mod filling;
mod finance;
mod half_open;
mod hosting;
mod messages;
mod midnight;
mod million;
mod progress;
mod receiver;
mod refresh;
mod reports;
mod rolling;
mod service;
mod speed;
mod traffic;
mod workouts;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use spotter_kernel::{Id, Timestamp, id::CompanyId};
use spotter_store::{DatabaseLocation, migrate_to};

/// A result whose error is printed.
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
    /// A healthy company beside many whose targets hang.
    Crowd {
        /// Number of items.
        #[arg(long)]
        companies: u64,
        /// How long each latency is measured.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
    /// Latency beside stored deliveries.
    Kept {
        /// Number of items.
        #[arg(long, default_value_t = 200_000)]
        count: u64,
        /// How long each latency is measured.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
    /// Other callers beside connections that send half a head.
    HalfOpen {
        /// Number of items.
        #[arg(long, default_value_t = 2_000)]
        count: usize,
        /// How long.
        #[arg(long, default_value_t = 8)]
        seconds: u64,
    },
    /// Other callers beside timers that are due at one instant.
    Timers {
        /// Number of items.
        #[arg(long, default_value_t = 100_000)]
        count: u64,
    },
    /// Other callers beside jobs that are due at one instant.
    Jobs {
        /// Number of items.
        #[arg(long, default_value_t = 5_000)]
        count: u64,
    },
    /// A company with years of bookings: slots, lists, bookings a second.
    Calendar {
        /// Number of items.
        #[arg(long, default_value_t = 500_000)]
        bookings: u64,
    },
    /// Memberships that renew at one instant, and others beside them.
    Renewals {
        /// Number of items.
        #[arg(long, default_value_t = 10_000)]
        count: u64,
    },
    /// A company with years of invoices: its list, and one on paper.
    Invoices {
        /// Number of items.
        #[arg(long, default_value_t = 500_000)]
        count: u64,
    },
    /// A client with years of measurements beside one with few.
    Progress {
        /// Number of items.
        #[arg(long, default_value_t = 20_000)]
        count: i64,
    },
    /// Doors of a company with very many members.
    Access {
        /// How many members hold cards.
        #[arg(long, default_value_t = 8_000)]
        members: u64,
        /// How long each measurement takes.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
    /// A company with years of bookings: its reports.
    Reports {
        /// Number of items.
        #[arg(long, default_value_t = 1_000_000)]
        bookings: u64,
    },
    /// A company with very many clients: searches, pages far down, and others beside them.
    Million {
        /// Number of items.
        #[arg(long, default_value_t = 1_000_000)]
        clients: u64,
    },
    /// A database that fails over.
    Failover {
        /// How often.
        #[arg(long, default_value_t = 20)]
        rounds: u32,
        /// What takes the leading server away (`fail`) and brings it back (`mend`).
        #[arg(long)]
        command: PathBuf,
    },
    /// An installation that hosts very many companies.
    Hosting {
        /// How many beside the demo's.
        #[arg(long, default_value_t = 100_000)]
        companies: u64,
        /// How many clients one of those has.
        #[arg(long, default_value_t = 1_000_000)]
        clients: u64,
    },
    /// Memberships of very many companies that renew at one instant, on one node and then on two.
    Midnight {
        /// How many beside the demo's.
        #[arg(long, default_value_t = 2_000)]
        companies: u64,
    },
    /// kill -9 during load, repeatedly; nothing acknowledged may be lost.
    Faults {
        /// How often.
        #[arg(long, default_value_t = 20)]
        rounds: u32,
    },
    /// An older version and this one serve together.
    Rolling {
        /// The binary of the older version.
        #[arg(long)]
        older: PathBuf,
    },
    /// kill -9 during charges and refunds, repeatedly; the bank's books must equal ours.
    Charges {
        /// How often.
        #[arg(long, default_value_t = 200)]
        rounds: u32,
    },
    /// A database as an older version left it.
    OldSchema {
        /// Its schema.
        #[arg(long)]
        schema: i64,
    },
    /// Years of workouts for a demo that is stopped.
    Workouts {
        /// The demo's client that gets 20,000 sets.
        #[arg(long)]
        many: String,
        /// The demo's client that gets 1,000.
        #[arg(long)]
        few: String,
        /// Sets of everybody else.
        #[arg(long)]
        sets: i64,
    },
    /// Refreshes of MCP tokens a second, of a demo that runs.
    Refresh {
        /// Its address.
        #[arg(long)]
        base: String,
        /// A manager's access token.
        #[arg(long)]
        manager: String,
        /// How long.
        #[arg(long, default_value_t = 5)]
        seconds: u64,
    },
    /// Messages for an empty conversation of a demo that is stopped.
    Messages {
        /// The conversation.
        #[arg(long)]
        conversation: String,
        /// Number of items.
        #[arg(long)]
        count: i64,
    },
}

#[tokio::main]
async fn main() -> Outcome {
    rustls::crypto::ring::default_provider().install_default().ok();
    let Arguments { spotter, data, database_url, what } = Arguments::parse();
    let program = spotter.clone();
    let service = |port| service::Service::new(spotter, data.clone(), database_url.clone(), port);
    let location = match &database_url {
        Some(url) => DatabaseLocation::Server(url.clone()),
        None => DatabaseLocation::File(data.join("spotter.db")),
    };
    // The demo that is started lies in a folder of its own.
    let place = || {
        let location = match &database_url {
            Some(url) => DatabaseLocation::Server(url.clone()),
            None => DatabaseLocation::File(data.join("demo/spotter.db")),
        };
        crowd::Place { data: data.join("demo"), location }
    };
    let id = |text: &str| Id::parse(text).ok_or("no id");
    match what {
        What::Speed { seconds } => {
            speed::run(service(18_301), receiver::Receiver::start(&data).await?, seconds).await
        }
        What::Crowd { companies, seconds } => {
            let receiver = receiver::Receiver::start(&data).await?;
            crowd::run(service(18_501), receiver, place(), companies, seconds).await
        }
        What::Kept { count, seconds } => {
            let receiver = receiver::Receiver::start(&data).await?;
            crowd::kept(service(18_502), receiver, place(), count, seconds).await
        }
        What::HalfOpen { count, seconds } => half_open::run(service(18_503), count, seconds).await,
        What::Timers { count } => due::run(&due::TIMERS, service(18_504), place(), count).await,
        What::Jobs { count } => due::run(&due::JOBS, service(18_505), place(), count).await,
        What::Calendar { bookings } => calendar::run(service(18_506), place(), bookings).await,
        What::Renewals { count } => finance::renewals(service(18_508), place(), count).await,
        What::Invoices { count } => finance::invoices(service(18_509), place(), count).await,
        What::Progress { count } => progress::run(service(18_510), place(), count).await,
        What::Access { members, seconds } => access::run(service(18_512), members, seconds).await,
        What::Reports { bookings } => reports::run(service(18_511), place(), bookings).await,
        What::Million { clients } => million::run(service(18_507), place(), clients).await,
        What::Failover { rounds, command } => {
            let receiver = receiver::Receiver::start(&data).await?;
            failover::run(service(18_405), receiver, rounds, command).await
        }
        What::Hosting { companies, clients } => {
            hosting::run(service(18_513), place(), program, companies, clients).await
        }
        What::Midnight { companies } => {
            let url = database_url.clone();
            let second = service::Service::new(program, data.join("second"), url, 18_515);
            midnight::run([service(18_514), second], place(), companies).await
        }
        What::Faults { rounds } => {
            faults::run(service(18_401), receiver::Receiver::start(&data).await?, rounds).await
        }
        What::Rolling { older } => {
            let older = service::Service::new(older, data.clone(), database_url.clone(), 18_403);
            let (place, url) = (data.join("newer"), database_url.clone());
            let newer = service::Service::new(program, place, url, 18_404);
            rolling::run(older, newer, receiver::Receiver::start(&data).await?).await
        }
        What::Charges { rounds } => charges::run(service(18_402), place(), program, rounds).await,
        What::OldSchema { schema } => {
            let now = Timestamp::from_millis(receiver::now());
            let made = move || migrate_to(&location, schema, now, |_| ());
            let made = tokio::task::spawn_blocking(made).await?;
            made.map(drop).map_err(|problem| problem.for_operators().into())
        }
        What::Workouts { many, few, sets } => {
            let clients = [id(&many)?, id(&few)?];
            workouts::fill(location, company(&data)?, clients, sets).await
        }
        What::Refresh { base, manager, seconds } => refresh::run(&base, &manager, seconds).await,
        What::Messages { conversation, count } => {
            messages::fill(location, company(&data)?, id(&conversation)?, count).await
        }
    }
}

/// The company of the demo in a folder.
fn company(data: &Path) -> Outcome<CompanyId> {
    let text = std::fs::read_to_string(data.join("demo.json"))?;
    let demo: serde_json::Value = serde_json::from_str(&text)?;
    let company = demo["companyId"].as_str().and_then(Id::parse).ok_or("no company")?;
    Ok(CompanyId(company))
}
