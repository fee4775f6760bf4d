//! The outbox: events, and a delivery of each for every subscription, committed with the change that they announce.

use std::collections::BTreeSet;

use serde::Serialize;
use spotter_kernel::{Event, Id, Problem, Result, Timestamp, id::CompanyId};
use spotter_store::{Prefetch, Tx, params, statements};

/// Subscribers are read for up to this many events by name; operations rarely declare more.
const EVENTS_PER_QUERY: usize = 4;

/// The subject of the total of all deliveries.
pub const TALLY: &str = "deliveries";

/// The subject of the total of deliveries with this status.
pub fn status_tally(status: &str) -> String {
    format!("{TALLY}?status={status}")
}

/// The subject of the total of a subscription's deliveries.
pub fn subscription_tally(subscription: Id) -> String {
    format!("{TALLY}?subscriptionId={subscription}")
}

/// Subscribers of the events that an operation may announce, requested when its transaction begins, so that
/// announcing needs no round trip.
pub(crate) enum Listeners {
    Prefetched(Prefetch<(String, Id)>),
    Known(Vec<(String, Id)>),
}

impl Listeners {
    pub(crate) fn prefetch(tx: &mut Tx<'_>, company: CompanyId, events: &[Event]) -> Result<Self> {
        let Some(last) = events.last() else { return Ok(Self::Known(Vec::new())) };
        if events.len() > EVENTS_PER_QUERY {
            return tx.prefetch(ALL_LISTENERS, params![company]).map(Self::Prefetched);
        }
        let name = |at: usize| events.get(at).unwrap_or(last).name();
        let names: [&str; EVENTS_PER_QUERY] = std::array::from_fn(name);
        let params = params![company, names[0], names[1], names[2], names[3]];
        tx.prefetch(LISTENERS, params).map(Self::Prefetched)
    }

    fn of(&mut self, tx: &mut Tx<'_>, event: Event) -> Result<BTreeSet<Id>> {
        if let Self::Prefetched(_) = self {
            let Self::Prefetched(ahead) = std::mem::replace(self, Self::Known(Vec::new())) else {
                return Err(Problem::internal("listeners are asked for once"));
            };
            *self = Self::Known(tx.awaited(ahead)?);
        }
        let Self::Known(known) = self else { return Ok(BTreeSet::new()) };
        let listens = |(name, _): &&(String, Id)| name == event.name();
        Ok(known.iter().filter(listens).map(|(_, subscription)| *subscription).collect())
    }
}

/// An event and the deliveries that were queued for it.
#[derive(Clone, Debug)]
pub struct EmittedEvent {
    /// The event.
    pub event_id: Id,
    /// Its deliveries, by subscription.
    pub delivery_ids: Vec<Id>,
}

/// An event on its way into the outbox.
pub(crate) struct Announcement<'a> {
    pub(crate) company: CompanyId,
    pub(crate) event: Event,
    pub(crate) data: String,
    pub(crate) now: Timestamp,
    /// A subscription that receives it whatever its events.
    pub(crate) also: Option<Id>,
    pub(crate) new_id: &'a mut dyn FnMut() -> Id,
}

impl Announcement<'_> {
    pub(crate) fn store(self, tx: &mut Tx<'_>, listeners: &mut Listeners) -> Result<EmittedEvent> {
        let Self { company, event, data, now, also, new_id } = self;
        let event_id = new_id();
        tx.defer(EMIT, params![company, event_id, event.name(), now, data])?;
        let mut subscriptions = listeners.of(tx, event)?;
        subscriptions.extend(also);
        let mut delivery_ids = Vec::new();
        for subscription in subscriptions {
            let queued = QueuedDelivery {
                company,
                subscription,
                event_id,
                event: event.name(),
                due_at: now,
            };
            delivery_ids.push(queued.store(tx, new_id())?);
        }
        Ok(EmittedEvent { event_id, delivery_ids })
    }
}

/// A delivery that waits for its first attempt.
pub struct QueuedDelivery<'q> {
    /// The company.
    pub company: CompanyId,
    /// Who is to hear.
    pub subscription: Id,
    /// Of what.
    pub event_id: Id,
    /// The event's name.
    pub event: &'q str,
    /// When the first attempt may begin.
    pub due_at: Timestamp,
}

impl QueuedDelivery<'_> {
    /// Stores the delivery and counts it; the sender is notified after the commit.
    pub fn store(&self, tx: &mut Tx<'_>, id: Id) -> Result<Id> {
        let Self { company, subscription, event_id, event, due_at } = self;
        tx.defer(
            DELIVER,
            params![company, id, subscription, event_id, event, "pending", 0i64, due_at, 0i64],
        )?;
        tx.tally(*company, TALLY, 1)?;
        tx.tally(*company, &subscription_tally(*subscription), 1)?;
        tx.tally(*company, &status_tally("pending"), 1)?;
        tx.signal(*company, *subscription);
        Ok(id)
    }
}

/// The stored payload of an event.
pub(crate) fn serialize_payload(data: &impl Serialize) -> Result<String> {
    serde_json::to_string(data).map_err(Problem::internal)
}

statements! {
    LISTENERS = "SELECT event_type, subscription_id FROM webhook_listener \
        WHERE company_id = ?1 AND event_type IN (?2, ?3, ?4, ?5)";
    ALL_LISTENERS = "SELECT event_type, subscription_id FROM webhook_listener WHERE company_id = ?1";
    EMIT = "INSERT INTO event (company_id, event_id, type, occurred_at, data) \
        VALUES (?1, ?2, ?3, ?4, ?5)";
    DELIVER = "INSERT INTO webhook_delivery (company_id, delivery_id, subscription_id, event_id, \
        event_type, status, attempts, due_at, lease_losses) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
}
