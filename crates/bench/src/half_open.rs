//! Connections that send half of a request head and wait: no other caller may notice.

use std::time::{Duration, Instant};

use reqwest::Method;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::{Outcome, service::Service};

/// Limit of other callers' 99th percentile.
const P99_MAX: Duration = Duration::from_millis(50);

/// Opens a number of connections, and measures others' waiting time while they are open.
pub async fn run(mut service: Service, count: usize, seconds: u64) -> Outcome {
    let api = service.start().await?;
    let mut open = Vec::with_capacity(count);
    for _ in 0..count {
        let mut stream = TcpStream::connect(service.address()).await?;
        stream.write_all(b"GET /public/v1/clients HTTP/1.1\r\nHost: x\r\nX-Half: ").await?;
        open.push(stream);
    }
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < Duration::from_secs(seconds) {
        let started = Instant::now();
        api.ask(Method::GET, "/clients?limit=20", None).await?;
        times.push(started.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    times.sort_unstable();
    let p99 = times[times.len() * 99 / 100];
    println!(
        "  {} requests beside {count} half-open connections: p50 {} ms, p99 {} ms",
        times.len(),
        times[times.len() / 2].as_millis(),
        p99.as_millis()
    );
    drop(open);
    service.kill()?;
    if p99 < P99_MAX { Ok(()) } else { Err("half-open connections keep others waiting".into()) }
}
