//! Asks the servers of a cluster whether they answer, by a connection of its own: one that is kept for work may wait for a server
//! that is lost.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use spotter_kernel::{Problem, Result};

use super::away::ServersAway;
use crate::session::Session;

/// How often they are asked at most, and how often while one is away.
const ASKED_AFTER: Duration = Duration::from_secs(1);
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Begins to watch the servers of a database, if it is spread over several.
pub(crate) fn watched(connect: impl FnOnce() -> Result<Session>) -> Result<Arc<ServersAway>> {
    let (servers, doubts) = ServersAway::new();
    let mut session = connect()?;
    if session.is_spread() {
        let known = Arc::downgrade(&servers);
        std::thread::Builder::new()
            .name("postgres-servers".to_owned())
            .spawn(move || watch(&mut session, &known, &doubts))
            .map_err(Problem::internal)?;
    }
    Ok(servers)
}

/// Asks the servers after a doubt, and again and again while one is away, as long as anybody wants to know.
fn watch(session: &mut Session, servers: &Weak<ServersAway>, doubts: &Receiver<()>) {
    while let Some(known) = servers.upgrade() {
        let are_all_there = known.are_all_there();
        drop(known);
        let woken = match are_all_there {
            true => doubts.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => doubts.recv_timeout(ASKED_AGAIN_AFTER),
        };
        if woken == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        let asked = Instant::now();
        let found = match session.ask_servers() {
            // Its connection is idle for long, and may have been cut meanwhile.
            Err(_) if asked.elapsed() < ASKED_AFTER => session.ask_servers(),
            found => found,
        };
        let Some(known) = servers.upgrade() else { return };
        match found {
            Ok(found) => {
                let silent = found.into_iter().filter(|(_, answers)| !answers);
                let away = silent.map(|(address, _)| address).collect::<Vec<_>>().join(",");
                known.learn(away, asked.elapsed());
            }
            Err(_) => known.forget(),
        }
        drop(known);
        std::thread::sleep(ASKED_AFTER);
    }
}
