//! Conversations between coaches and clients.
//!
//! Who takes part ([`people`]), in what ([`conversation`]), and what is said ([`message`]); then what
//! integrations read ([`reading`]), what people see ([`inbox`]) and what they do ([`speaking`]).

pub mod conversation;
mod conversations;
mod inbox;
pub mod message;
mod messages;
mod privacy;
pub mod users;

pub use conversation::ConversationId;
pub use messages::{MessagePath, attachment};

use spotter_contract::{Area, path};

path!(ConversationPath { conversation_id: ConversationId });

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        conversation::area(),
        message::area(),
        conversations::area(),
        inbox::area(),
        messages::area(),
        privacy::area(),
    ])
    .tagged("Conversations")
}
