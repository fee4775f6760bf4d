//! PostgreSQL: a thread a connection. Each takes its share of what waits, and runs it together. Writes that got into each
//! other's way, such as many callers' into one conversation, take turns on a connection of their own, where as many as
//! wait share a transaction, and the others let them pass: the more meet, the more go at once, and the fewer connections
//! write.

use std::{
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use parking_lot::RwLock;
use spotter_kernel::{Problem, Result};

use crate::{
    citus::watch::watched,
    job::TransactionKind,
    queue::{Jobs, Queue},
    replica::SlowReads,
    session::{BatchEnding, Session},
    signals::Signals,
    writer_limit::WriterLimit,
};

/// The most reads that share one snapshot.
const READS_MAX: usize = 8;
/// The most writes that share one transaction.
const WRITES_MAX: usize = 8;
/// The same where they take turns.
const TURNS_MAX: usize = 16;
/// How long they wait until no other write is under way, and how long others then wait for them.
const WAY_FREE: Duration = Duration::from_millis(50);

pub(crate) struct Postgres {
    pub(crate) queue: Queue,
    pub(crate) reads: Queue,
    /// Writes that got into each other's way.
    pub(crate) turns: Queue,
    /// Reads that may take long, which others do not wait for.
    pub(crate) slow: Queue,
    pub(crate) threads: Vec<JoinHandle<()>>,
    /// Whether slow reads have a server of their own.
    pub(crate) has_replica: bool,
}

impl Postgres {
    pub(crate) fn open(
        url: &str,
        replica: Option<&str>,
        connections: usize,
        queue: usize,
        signals: &Signals,
    ) -> Result<Self> {
        let url = Arc::<str>::from(url);
        let servers_away = watched(|| Session::connect(url.clone()))?;
        let connect = || Session::connect(url.clone()).map(|own| own.knowing(&servers_away));
        let (write_queue, writes) = Queue::bounded(queue, signals);
        let (read_queue, reads) = Queue::bounded(queue, signals);
        let (turn_queue, turns) = Queue::bounded(queue, signals);
        let (slow_queue, slow) = Queue::bounded(queue, signals);
        let mut threads = Vec::new();
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let (connections, readers) = (connections.max(2), connections.clamp(2, 2 * cores));
        let (limit, woken) = WriterLimit::of(connections);
        let way = Arc::new(RwLock::new(()));
        for (number, woken) in woken.into_iter().rev().enumerate() {
            let session = connect()?;
            // More threads than a few a core only take turns at reading; writes also wait for the
            // disk, and those that wait together share a flush.
            let reads = if number < readers { reads.clone() } else { crossbeam_channel::never() };
            let (writes, slow) = (writes.clone(), slow_queue.clone());
            let turns = turn_queue.clone();
            // Those that read are the first that no longer write.
            let writer = connections - 1 - number;
            let (limit, way) = (limit.clone(), way.clone());
            let share =
                WorkerQueues { reads, writes, slow, turns, readers, writer, limit, woken, way };
            let thread = std::thread::Builder::new()
                .name(format!("postgres-{number}"))
                .spawn(move || serve(session, &share))
                .map_err(Problem::internal)?;
            threads.push(thread);
        }
        let session = connect()?;
        let thread = std::thread::Builder::new()
            .name("postgres-turns".to_owned())
            .spawn(move || take_turns(session, &turns, &way))
            .map_err(Problem::internal)?;
        threads.push(thread);
        // Connections of their own: for one at a time, or for as many as a replica has cores of ours.
        let replica: Option<Arc<str>> = replica.map(Into::into);
        for number in 0..(if replica.is_some() { cores } else { 1 }) {
            let reads = SlowReads::new(slow.clone(), connect()?, replica.clone());
            let thread = std::thread::Builder::new()
                .name(format!("postgres-slow-{number}"))
                .spawn(move || reads.serve())
                .map_err(Problem::internal)?;
            threads.push(thread);
        }
        let has_replica = replica.is_some();
        let (queue, reads, turns, slow) = (write_queue, read_queue, turn_queue, slow_queue);
        Ok(Self { queue, reads, turns, slow, threads, has_replica })
    }
}

/// What one connection's thread takes its work from, and with how many others.
struct WorkerQueues {
    reads: Jobs,
    writes: Jobs,
    /// Who takes over what takes long.
    slow: Queue,
    /// Who takes over what others got into the way of.
    turns: Queue,
    readers: usize,
    /// Its number among those that write.
    writer: usize,
    limit: Arc<WriterLimit>,
    /// Told when it may write again.
    woken: Receiver<()>,
    /// Held by many, or by the one whose turn it is.
    way: Arc<RwLock<()>>,
}

fn serve(mut session: Session, from: &WorkerQueues) {
    let WorkerQueues { reads, writes, slow, turns, readers, writer, limit, woken, way } = from;
    let (slow, turns) = (Some(slow), Some(turns));
    let none = crossbeam_channel::never();
    let mut together = WRITES_MAX;
    loop {
        let allowed = if limit.admits(*writer) { writes } else { &none };
        crossbeam_channel::select! {
            recv(reads) -> job => {
                let Ok(first) = job else { break };
                // This connection's share of those that wait already; they must not come later
                // than the snapshot, or it would be older than they are.
                let share = (reads.len() / readers).min(READS_MAX - 1);
                let mut batch = vec![first];
                batch.extend(reads.try_iter().take(share));
                session.read_together(batch, slow);
            }
            recv(woken) -> _ => {}
            recv(allowed) -> job => {
                let Ok(first) = job else { break };
                let share = (writes.len() / limit.limit()).min(together - 1);
                let mut batch = vec![first];
                batch.extend(writes.try_iter().take(share));
                // What skips the rows that others hold is in nobody's way.
                let is_in_the_way = batch.iter().any(|job| job.kind() != TransactionKind::Rows);
                let shared = is_in_the_way.then(|| way.try_read_for(WAY_FREE));
                let began = Instant::now();
                let ending = session.write_together(batch, turns);
                drop(shared);
                limit.adapt(ending == BatchEnding::Conflicted, began.elapsed());
                // Fewer at a time where they must be run anew, until they need not.
                together = adapted(together, ending, WRITES_MAX);
            }
        }
    }
    limit.lift();
    // Both queues end together: what they still hold was accepted, and is answered.
    writes.try_iter().for_each(|job| {
        session.write_together(vec![job], None);
    });
    reads.try_iter().for_each(|job| session.read_together(vec![job], slow));
}

/// Runs writes that got into each other's way, one after the other, in as few transactions as they can.
fn take_turns(mut session: Session, turns: &Jobs, way: &RwLock<()>) {
    let mut together = TURNS_MAX;
    while let Ok(first) = turns.recv() {
        let mut batch = vec![first];
        batch.extend(turns.try_iter().take(together - 1));
        // Beside one that takes long they go on as well.
        let alone = way.try_write_for(WAY_FREE);
        let ending = session.write_together(batch, None);
        drop(alone);
        together = adapted(together, ending, TURNS_MAX);
    }
}

/// How many writes share the next transaction.
fn adapted(together: usize, ending: BatchEnding, most: usize) -> usize {
    if ending == BatchEnding::Kept { most.min(together + 1) } else { 1.max(together / 2) }
}
