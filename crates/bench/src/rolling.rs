//! An upgrade while traffic runs: a node of an older version and one of this version serve one database together.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::{
    Outcome,
    faults::{Acknowledged, reckon, write},
    receiver::Receiver,
    service::{Api, Service},
    traffic::Traffic,
};

/// Writers of each node.
const WRITERS: usize = 4;
/// How long each step takes.
const STEP: Duration = Duration::from_secs(4);

/// Writers of clients to a node, until it is stopped.
struct NodeWriters {
    stop: Arc<AtomicBool>,
    writers: Vec<tokio::task::JoinHandle<usize>>,
}

impl NodeWriters {
    fn to(api: &Api, acknowledged: &Acknowledged) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let writer = || tokio::spawn(write(api.clone(), acknowledged.clone(), stop.clone()));
        let writers = (0..WRITERS).map(|_| writer()).collect();
        Self { stop, writers }
    }

    /// How many of its requests failed.
    async fn end(self) -> Outcome<usize> {
        self.stop.store(true, Ordering::Relaxed);
        let mut failed = 0;
        for writer in self.writers {
            failed += writer.await?;
        }
        Ok(failed)
    }
}

/// Serves with the older version, starts this one beside it, which migrates the schema, starts the older one again on what is
/// too new for it, and ends it. No request to a node that runs may fail, and nothing may be lost.
pub async fn run(mut older: Service, mut newer: Service, receiver: Receiver) -> Outcome {
    let acknowledged = Acknowledged::default();
    let old = older.start().await?;
    old.subscribe(&receiver.url("good", "rolling"), &["client.created"]).await?;
    // Goes on while its node is away for a moment.
    let areas = Traffic::begin(&old).await?;
    let writers = NodeWriters::to(&old, &acknowledged);
    tokio::time::sleep(STEP).await;
    newer.join(&older)?;
    let new = newer.start().await?;
    let beside = NodeWriters::to(&new, &acknowledged);
    tokio::time::sleep(STEP).await;
    let mut failed = writers.end().await?;
    println!("  both versions serve: {failed} requests to the older one failed");
    older.kill()?;
    let old = older.start().await?;
    let writers = NodeWriters::to(&old, &acknowledged);
    tokio::time::sleep(STEP).await;
    failed += writers.end().await?;
    println!("  the older one was started again beside the newer one");
    let holds = areas.end(&old).await?;
    older.kill()?;
    tokio::time::sleep(STEP).await;
    failed += beside.end().await?;
    let reckoning = reckon(&new, &receiver, &acknowledged).await?;
    println!("  {failed} requests failed; {reckoning}");
    newer.kill()?;
    if reckoning.is_whole() && failed == 0 && holds {
        Ok(())
    } else {
        Err("acknowledged writes were lost, or others were delivered".into())
    }
}
