//! Examples that a reader would recognize.

use serde_json::{Value, json};
use spotter_kernel::Event;

/// What an event tells.
pub(super) fn event_data(event: Event) -> Value {
    let client = "019a8f3c2b7d4e5f60718293";
    match event {
        Event::ClientUpdated => json!({"clientId": client, "relationshipStatus": "active",
            "memberStatus": "active", "portalAccessStatus": "none", "changedFields": ["email"]}),
        Event::ClientNoteCreated | Event::ClientNoteDeleted => {
            json!({"clientId": client, "noteId": "019a8f3c2b7d4e5f60718294"})
        }
        Event::ClientNoteUpdated => {
            json!({"clientId": client, "noteId": "019a8f3c2b7d4e5f60718294", "changedFields": ["body"]})
        }
        event if event.group() == "Members" => json!({"clientId": client,
            "relationshipStatus": "active", "memberStatus": "lead", "portalAccessStatus": "none"}),
        _ => json!({}),
    }
}
