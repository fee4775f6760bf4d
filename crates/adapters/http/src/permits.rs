//! What this node has of the requests that API clients may make, where other nodes serve them, too.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use spotter_kernel::{Id, Result, Timestamp, id::CompanyId};
use spotter_people::identity::permits::{self, PermitBlock};
use spotter_store::{Db, Tx};

use crate::rate_limit::RateLimitStatus;

/// Clients that are known before those whose window has ended are dropped.
const CLIENTS_MAX: usize = 4_096;

/// What is left of a client's last block. Who finds nothing left takes the next one while the others wait for it.
type ClientPermits = Arc<tokio::sync::Mutex<Option<PermitBlock>>>;

/// Permits of API clients, by their ids.
#[derive(Default)]
pub(crate) struct SharedRates(Mutex<HashMap<Id, ClientPermits>>);

impl SharedRates {
    /// Counts a request of a client against what all nodes may let through.
    pub(crate) async fn take(
        &self,
        db: &Db,
        (company, client): (CompanyId, Id),
        limit: u32,
        now: Timestamp,
    ) -> Result<RateLimitStatus> {
        let own = self.of(client, now);
        let mut held = own.lock().await;
        let block = match &mut *held {
            Some(block) if block.is_of(now) && (block.granted > 0 || is_spent(block, limit)) => {
                block
            }
            _ => {
                let next = move |tx: &mut Tx<'_>| permits::take(tx, company, client, limit, now);
                held.insert(db.write_rows(next).await?)
            }
        };
        let exceeded = block.granted == 0;
        block.granted = (block.granted - 1).max(0);
        let left = (i64::from(limit) - block.taken).max(0) + block.granted;
        let milliseconds = block.ends_at.millis() - now.millis();
        Ok(RateLimitStatus {
            limit,
            remaining: u32::try_from(left).unwrap_or(u32::MAX),
            reset_seconds: u32::try_from((milliseconds + 999) / 1_000).unwrap_or(1).max(1),
            exceeded,
        })
    }

    fn of(&self, client: Id, now: Timestamp) -> ClientPermits {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= CLIENTS_MAX && !clients.contains_key(&client) {
            clients.retain(|_, own| match own.try_lock() {
                Ok(held) => held.is_some_and(|block| block.is_of(now)),
                Err(_) => true,
            });
        }
        clients.entry(client).or_default().clone()
    }
}

/// Whether nothing is left in the window, for any node.
fn is_spent(block: &PermitBlock, limit: u32) -> bool {
    block.taken >= i64::from(limit)
}
