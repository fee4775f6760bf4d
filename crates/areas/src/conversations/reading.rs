//! Conversations as integrations read them: with the private-communication consent, and without
//! leaving a mark. `conversations:read` shows what was said, `messages:read` only that it was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Operation, Paged, Path, Read, arguments::NoFilters, listed, operation};
use spotter_kernel::{Id, Key, Page, Result, Timestamp};
use spotter_store::{Bind, Filter, List};

use super::{
    ConversationPath,
    conversation::{
        Conversation, ConversationId, ConversationType, Participant, ParticipantView, Room, TALLY,
        participants_of, with_ids,
    },
    inbox,
    message::{self, LIST as ALL_MESSAGES, Message, Messages, MessagesFacts},
    people::Names,
};
use crate::audit_logs::{first_id_at, in_order};

/// A conversation and those who take part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConversationView {
    #[serde(flatten)]
    conversation: Conversation,
    /// In the order in which they joined; in lists the first ten.
    participants: Vec<ParticipantView>,
}

impl ConversationView {
    fn new(conversation: Conversation, participants: &[Participant], names: &Names) -> Self {
        let participants = participants.iter().map(|one| one.view(names)).collect();
        Self { conversation, participants }
    }
}

listed!(Conversations { conversations: ConversationView });

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Filters {
    conversation_type: Option<ConversationType>,
    /// Conversations of this coach or client.
    user_id: Option<Id>,
}

fn list_conversations(cx: &mut Read, Paged(wanted, page): Paged<Filters>) -> Result<Conversations> {
    let kind = wanted.conversation_type.map(|word| word.bind().into_owned());
    let chosen: Vec<_> = kind.map(|word| ("conversationType", vec![word])).into_iter().collect();
    let found: Page<Conversation> = match wanted.user_id {
        None => cx.page(&LIST, &chosen, page)?,
        Some(user) => {
            let places =
                cx.page_under::<Participant>(&inbox::LIST, &[user.bind()], &chosen, page)?;
            let ids = places.items.iter().map(Participant::conversation);
            Page { items: with_ids(cx, ids)?, request: places.request, total: places.total }
        }
    };
    let ids = found.items.iter().map(|conversation| conversation.conversation_id);
    let people = participants_of(cx, ids)?;
    let names = Names::of(cx, people.iter().flatten().map(Participant::user))?;
    let mut people = people.into_iter();
    let view = |conversation| {
        ConversationView::new(conversation, &people.next().unwrap_or_default(), &names)
    };
    Ok(found.map(view).into())
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConversationAnswer {
    conversation: ConversationView,
}

fn get_conversation(cx: &mut Read, Path(at): Path<ConversationPath>) -> Result<ConversationAnswer> {
    let Room { conversation, participants } = Room::find(cx, at.conversation_id)?;
    let names = Names::of(cx, participants.iter().map(Participant::user))?;
    Ok(ConversationAnswer {
        conversation: ConversationView::new(conversation, &participants, &names),
    })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Hint {
    /// What the conversation is known to be; one of the other type is not found.
    conversation_type: Option<ConversationType>,
}

fn list_conversation_messages(
    cx: &mut Read,
    Path(at): Path<ConversationPath>,
    Paged(hint, page): Paged<Hint>,
) -> Result<Messages> {
    let conversation = Conversation::find(cx, at.conversation_id)?;
    if hint.conversation_type.is_some_and(|kind| kind != conversation.conversation_type) {
        return Err(Key::NotFound.into());
    }
    message::views(cx, &conversation, page)
}

/// A conversation without what it is called and who takes part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Thread {
    conversation_id: ConversationId,
    conversation_type: ConversationType,
    participant_count: i64,
    message_count: i64,
    last_message_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<Conversation> for Thread {
    fn from(conversation: Conversation) -> Self {
        Self {
            conversation_id: conversation.conversation_id,
            conversation_type: conversation.conversation_type,
            participant_count: conversation.participant_count,
            message_count: conversation.message_count,
            last_message_at: conversation.last_message_at,
            created_at: conversation.created_at,
        }
    }
}

listed!(Threads { threads: Thread });

fn list_message_threads(cx: &mut Read, Paged(_, page): Paged<NoFilters>) -> Result<Threads> {
    Ok(cx.page::<Conversation>(&LIST, &[], page)?.map(Into::into).into())
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Between {
    /// Messages sent at or after this instant.
    from: Option<Timestamp>,
    /// Messages sent before this instant.
    to: Option<Timestamp>,
}

fn list_messages(cx: &mut Read, Paged(wanted, page): Paged<Between>) -> Result<MessagesFacts> {
    in_order(wanted.from, wanted.to, "to")?;
    let mut chosen = Vec::new();
    chosen.extend(wanted.from.map(|at| ("from", vec![first_id_at(at).bind().into_owned()])));
    chosen.extend(wanted.to.map(|at| ("to", vec![first_id_at(at).bind().into_owned()])));
    Ok(cx.page::<Message>(&ALL_MESSAGES, &chosen, page)?.map(Message::facts).into())
}

/// What integrations may read.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        operation!(GET "/conversations", ConversationsRead, list_conversations)
            .summary("List conversations")
            .describe("Those in which something was said last come first.")
            .fails(&[Key::InvalidEnum]),
        operation!(GET "/conversations/{conversationId}", ConversationsRead, get_conversation)
            .summary("Get a conversation"),
        operation!(GET "/conversations/{conversationId}/messages", ConversationsRead,
            list_conversation_messages)
        .summary("List conversation messages")
        .describe(
            "Newest first, deleted ones as marks. Nothing is marked as seen. While messages come in, \
             those on later pages move back: following the pages shows some twice and misses none.",
        )
        .fails(&[Key::InvalidEnum]),
        operation!(GET "/messages/threads", MessagesRead, list_message_threads)
            .summary("List message threads")
            .describe("Conversations without their names and those who take part."),
        operation!(GET "/messages", MessagesRead, list_messages)
            .summary("List messages")
            .describe("Of all conversations, newest first, without what they say and without names.")
            .fails(&[Key::DateRangeOrderInvalid, Key::InvalidDate]),
    ]
}

/// Every conversation, the one in which something was said last first.
pub(crate) static LIST: List = List {
    columns: Conversation::COLUMNS,
    from: "conversation WHERE company_id = ?1",
    filters: &[Filter::tallied("conversationType", "conversation_type = ?")],
    order: "active_at DESC, conversation_id DESC",
    tally: Some(TALLY),
};
