//! Conversations between coaches and clients.
//!
//! Who takes part ([`people`]), in what ([`conversation`]), and what is said ([`message`]); then what
//! integrations read ([`reading`]), what people see ([`inbox`]) and what they do ([`speaking`]).

pub mod conversation;
mod inbox;
pub mod message;
pub mod people;
mod reading;
mod speaking;

pub use conversation::ConversationId;
pub use speaking::{MessagePath, attachment};

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::Operation;
use spotter_store::{List, Sql};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConversationPath {
    conversation_id: ConversationId,
}

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    let chapters = [reading::operations(), inbox::operations(), speaking::operations()];
    chapters.into_iter().flatten().map(|operation| operation.under("Conversations")).collect()
}

/// The area's statements.
pub(crate) fn statements() -> Vec<Sql> {
    [conversation::STATEMENTS, message::STATEMENTS, inbox::STATEMENTS].concat()
}

/// The area's lists.
pub(crate) fn lists() -> Vec<(&'static List, usize)> {
    vec![(&reading::LIST, 1), (&inbox::LIST, 2), (&message::LIST, 1)]
}
