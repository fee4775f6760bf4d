//! Conversations between coaches and clients.
//!
//! Participants ([`users`]), the records ([`conversation`], [`message`]), what integrations read ([`conversations`]), what participants
//! see ([`inbox`]) and do ([`messages`]), letters ([`unread`]), and what
//! staff write to many ([`announcement`], [`announcements`]).

pub mod announcement;
mod announcements;
pub mod conversation;
mod conversations;
mod effects;
mod inbox;
pub mod message;
mod messages;
mod privacy;
mod rules;
mod unread;
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
        unread::area(),
        announcement::area(),
        announcements::area(),
        privacy::area(),
    ])
    .tagged("Conversations")
}
