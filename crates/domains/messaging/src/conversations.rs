//! Conversations for integrations: with the private-communication consent, and without marking anything as read.
//! `conversations:read` includes the texts, `messages:read` only their metadata.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, ListQuery, Path, Read, answer, listed, operation};
use spotter_kernel::{Id, Key, Page, Result, Timestamp};
use spotter_store::{Bind, List, NoFilters, filters, lists};

use super::{
    ConversationPath,
    conversation::{
        Conversation, ConversationId, ConversationType, ConversationWithParticipants, Participant,
        ParticipantView, TALLY, participants_of, with_ids,
    },
    inbox,
    message::{self, LIST as ALL_MESSAGES, Message, Messages, MessagesFacts},
    users::Names,
};

/// A conversation with its participants.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Conversation")]
struct ConversationView {
    #[serde(flatten)]
    conversation: Conversation,
    /// Participants in the order in which they joined; the first ten in lists.
    participants: Vec<ParticipantView>,
}

impl ConversationView {
    fn new(conversation: Conversation, participants: &[Participant], names: &Names) -> Self {
        let participants = participants.iter().map(|one| one.view(names)).collect();
        Self { conversation, participants }
    }
}

listed!(Conversations { conversations: ConversationView });

filters! {
    struct Filters {
        /// Conversations of this type.
        conversation_type: ConversationType => "conversation_type = ?", tallied;
        /// Conversations of this coach or client.
        user_id: Id;
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_conversations(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Conversations> {
    let found: Page<Conversation> = match wanted.user_id {
        None => cx.page(&LIST, &wanted, page)?,
        Some(user) => {
            let conversation_type = wanted.conversation_type;
            let wanted = inbox::Filters { conversation_type, unread: None };
            let places = cx.page_under(&inbox::LIST, &[user.bind()], &wanted, page)?;
            let ids = places.items.iter().map(Participant::conversation);
            let items = with_ids(cx, ids)?;
            places.with(items)
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

answer!(ConversationAnswer { conversation: ConversationView });

fn get_conversation(cx: &mut Read, Path(at): Path<ConversationPath>) -> Result<ConversationAnswer> {
    let ConversationWithParticipants { conversation, participants } =
        ConversationWithParticipants::find(cx, at.conversation_id)?;
    let names = Names::of(cx, participants.iter().map(Participant::user))?;
    Ok(ConversationAnswer {
        conversation: ConversationView::new(conversation, &participants, &names),
    })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TypeFilter {
    /// Expected type of the conversation; another type is 404.
    conversation_type: Option<ConversationType>,
}

fn list_conversation_messages(
    cx: &mut Read,
    Path(at): Path<ConversationPath>,
    ListQuery(hint, page): ListQuery<TypeFilter>,
) -> Result<Messages> {
    let conversation = Conversation::find(cx, at.conversation_id)?;
    if hint.conversation_type.is_some_and(|kind| kind != conversation.conversation_type) {
        return Err(Key::NotFound.into());
    }
    message::views(cx, &conversation, page)
}

/// A conversation without its name and participants.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConversationThread")]
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

fn list_message_threads(
    cx: &mut Read,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Threads> {
    Ok(cx.page(&LIST, &Filters::default(), page)?.map(Into::into).into())
}

fn list_messages(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<message::SentFilters>,
) -> Result<MessagesFacts> {
    Ok(cx.page(&ALL_MESSAGES, &wanted, page)?.map(Message::facts).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/conversations", ConversationsRead, list_conversations)
            .summary("List conversations")
            .integrations_only()
            .describe("Returns conversations by latest activity."),
        operation!(GET "/conversations/{conversationId}", ConversationsRead, get_conversation)
            .summary("Get a conversation")
            .describe("Returns one conversation with its participants.")
            .integrations_only(),
        operation!(GET "/conversations/{conversationId}/messages", ConversationsRead,
            list_conversation_messages)
        .numbered()
        .summary("List conversation messages")
        .integrations_only()
        .describe(
            "Returns messages newest first; deleted messages are listed without content. \
                 Marks nothing as seen. New messages move older ones to later pages, so paging by \
                 number can repeat messages but misses none.",
        ),
        operation!(GET "/messages/threads", MessagesRead, list_message_threads)
            .summary("List message threads")
            .integrations_only()
            .describe("Returns conversations without their names and participants."),
        operation!(GET "/messages", MessagesRead, list_messages)
            .summary("List messages")
            .integrations_only()
            .describe(
                "Returns messages of all conversations, newest first, without their content and \
                 without names.",
            ),
    ])
}

lists! {
    /// All conversations, the one with the latest message first.
    LIST: List<Conversation, Filters> = List::new(
        "conversation WHERE company_id = ?1",
        "active_at DESC, conversation_id DESC",
    ).tallied(TALLY);
}
