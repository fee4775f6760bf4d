//! Announcing events to the webhooks that listen.

use spotter_kernel::{Event, Id, Problem, Result};

use super::Write;
use crate::{
    area::Payload,
    outbox::{self, Announcement, EmittedEvent, QueuedDelivery},
};

impl Write<'_, '_> {
    /// Announces an event with its public-safe payload to every subscription that listens.
    pub fn emit<P: Payload>(&mut self, event: Event, data: &P) -> Result<EmittedEvent> {
        self.announce(event, data, None)
    }

    /// Announces an event to a subscription, whether it listens or not, and to those that do.
    pub fn emit_to<P: Payload>(
        &mut self,
        subscription: Id,
        event: Event,
        data: &P,
    ) -> Result<EmittedEvent> {
        self.announce(event, data, Some(subscription))
    }

    fn announce<P: Payload>(
        &mut self,
        event: Event,
        data: &P,
        also: Option<Id>,
    ) -> Result<EmittedEvent> {
        if !P::EVENTS.contains(&event) {
            let text = format!("{} is not told by {}", event.name(), std::any::type_name::<P>());
            return Err(Problem::internal(text));
        }
        if !self.may_emit.contains(&event) {
            let text = format!("{} does not declare {}", self.operation, event.name());
            return Err(Problem::internal(text));
        }
        let (company, now, data) = (self.company(), self.now(), outbox::serialize_payload(data)?);
        let Self { read, next_id, listeners, .. } = self;
        let new_id = &mut || std::mem::replace(next_id, next_id.next());
        let announced =
            Announcement { company, event, data, now, also, new_id }.store(read.tx, listeners)?;
        if let Some(effects) = &mut self.preview {
            effects.events.push((event.name(), announced.delivery_ids.len()));
        }
        Ok(announced)
    }

    /// Queues one more delivery of an event that was announced before.
    pub fn deliver_again(&mut self, subscription: Id, event_id: Id, event: &str) -> Result<Id> {
        let (id, company, due_at) = (self.new_id(), self.company(), self.now());
        QueuedDelivery { company, subscription, event_id, event, due_at }.store(self.read.tx, id)
    }
}
