//! The event log: every event as webhooks deliver it, with or without a subscription. Each is visible to
//! callers who may read the records that it is about.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spotter_contract::{Area, Path, Query, Read, answer, operation, path};
use spotter_kernel::{
    Event, Id, Key, Problem, Result, Timestamp, limits::PAGE_DEFAULT, number::BoundedInteger,
};
use spotter_store::{params, statements};

use crate::{EventId, subscriptions::check_may_read};

/// Most events that one request looks at; those that the caller may not read or has not asked for count, too.
const SCANNED_MAX: i64 = 1_000;

/// An event as webhooks deliver it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookPayload")]
pub(crate) struct LoggedEvent {
    /// The event's id: the same in every delivery of it.
    id: EventId,
    /// The event's name.
    r#type: String,
    /// When it happened, in UTC.
    occurred_at: Timestamp,
    /// Payload by event type.
    data: Map<String, Value>,
}

impl LoggedEvent {
    /// The event with this id, if it is still kept and the caller may read what it is about.
    pub(crate) fn find(cx: &mut Read, id: EventId) -> Result<Option<Self>> {
        let kept: Option<(String, Timestamp, String)> = cx.one(FIND, params![id])?;
        let Some((r#type, occurred_at, data)) = kept.filter(|(r#type, ..)| is_readable(cx, r#type))
        else {
            return Ok(None);
        };
        let logged = Self::parse(id, r#type, occurred_at, &data)?;
        Ok(if logged.is_withdrawn(cx)? { None } else { Some(logged) })
    }

    fn parse(id: EventId, r#type: String, occurred_at: Timestamp, data: &str) -> Result<Self> {
        let data = serde_json::from_str(data).map_err(Problem::internal)?;
        Ok(Self { id, r#type, occurred_at, data })
    }

    /// Whether it would leave the company although its client has withdrawn consent since.
    fn is_withdrawn(&self, cx: &mut Read) -> Result<bool> {
        match Event::parse(&self.r#type).filter(|_| cx.includes_health()) {
            Some(event) => cx.lacks_consent_for(event, &self.data),
            None => Ok(false),
        }
    }
}

fn is_readable(cx: &Read, name: &str) -> bool {
    // Every event's name is in the registry, unless a later version wrote it.
    Event::parse(name).is_some_and(|event| check_may_read(cx, [event].iter()).is_ok())
}

/// The requested events.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventFilters {
    /// Events of this type.
    r#type: Option<Event>,
    /// Events at or after this instant.
    from: Option<Timestamp>,
    /// Events before this instant.
    to: Option<Timestamp>,
    /// Most events of the answer; 20 when absent.
    limit: Option<BoundedInteger<1, 100>>,
    /// The `nextCursor` of the answer before.
    cursor: Option<EventId>,
}

answer!(EventLog {
    /// Events, newest first; there may be fewer than `limit` although older ones follow.
    events: Vec<LoggedEvent>,
    /// The `cursor` with which the log goes on behind these; null at its end.
    next_cursor: Option<EventId>,
});

fn list_events(cx: &mut Read, Query(wanted): Query<EventFilters>) -> Result<EventLog> {
    check_may_read(cx, wanted.r#type.iter())?;
    let types: BTreeSet<&str> = match wanted.r#type {
        Some(event) => [event.name()].into(),
        None => {
            let readable = Event::ALL.iter().filter(|event| is_readable(cx, event.name()));
            readable.map(|event| event.name()).collect()
        }
    };
    let limit = wanted.limit.map_or(PAGE_DEFAULT, |limit| limit.0);
    let from = wanted.from.map_or(Id::from_bytes([0; 12]), Id::first_at);
    let mut below = wanted.to.map_or(Id::from_bytes([0xff; 12]), Id::first_at);
    if let Some(cursor) = wanted.cursor {
        below = below.min(cursor.0);
    }
    let (mut events, mut scanned) = (Vec::new(), 0);
    loop {
        // What most callers ask for is read in one step: every event is theirs.
        let step = if scanned == 0 { limit + 1 } else { SCANNED_MAX / 4 };
        let rows: Vec<(EventId, String, Timestamp, String)> =
            cx.all(SCAN, params![from, below, step])?;
        let is_end = (rows.len() as i64) < step;
        scanned += step;
        for (id, r#type, occurred_at, data) in rows {
            if types.contains(r#type.as_str()) {
                if events.len() as i64 == limit {
                    return Ok(EventLog { events, next_cursor: Some(EventId(below)) });
                }
                let logged = LoggedEvent::parse(id, r#type, occurred_at, &data)?;
                if !logged.is_withdrawn(cx)? {
                    events.push(logged);
                }
            }
            below = id.0;
        }
        if is_end || scanned >= SCANNED_MAX {
            let next_cursor = (!is_end).then_some(EventId(below));
            return Ok(EventLog { events, next_cursor });
        }
    }
}

path!(EventPath { event_id: EventId });

answer!(EventAnswer { event: LoggedEvent });

fn get_event(cx: &mut Read, Path(at): Path<EventPath>) -> Result<EventAnswer> {
    let event = LoggedEvent::find(cx, at.event_id)?.ok_or(Key::NotFound)?;
    Ok(EventAnswer { event })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        // People of the company have live updates at this address.
        operation!(GET "/events", WebhookDeliveriesRead, list_events)
            .summary("List events")
            .describe(
                "Returns what happened in the company, newest first, as webhooks deliver it, \
                 whether or not there is a subscription. An event is visible to API clients with \
                 the scope and the consent that its records require. Events are kept for as long \
                 as deliveries. The log has no totals: follow `nextCursor` until it is null. To \
                 keep up with it, repeat from a minute before the newest event that you have, and \
                 skip ids that you know.",
            )
            .fails(&[
                Key::ScopesHealthConsentRequired,
                Key::ScopesPrivateCommunicationConsentRequired,
            ])
            .integrations_only(),
        operation!(GET "/events/{eventId}", WebhookDeliveriesRead, get_event)
            .summary("Get an event")
            .describe(
                "Returns one event with its payload. 404 if it is no longer kept, or is about \
                 records that the API client may not read.",
            )
            .integrations_only(),
    ])
}

statements! {
    FIND = "SELECT type, occurred_at, data FROM event WHERE company_id = ?1 AND event_id = ?2";
    SCAN = "SELECT event_id, type, occurred_at, data FROM event \
        WHERE company_id = ?1 AND event_id >= ?2 AND event_id < ?3 ORDER BY event_id DESC LIMIT ?4";
}
