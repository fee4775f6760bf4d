//! What those who take part do with messages: read, send, edit, delete, and see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::uploads::{self, AttachedFile, StoredFile, UploadId};
use spotter_contract::{
    Area, Body, DownloadSource, ListQuery, Path, Read, Success, Write, answer, operation, path,
};
use spotter_kernel::{
    Event, Id, Key, Problem, Result, Timestamp,
    text::{Text, quoted},
};
use spotter_store::{params, statements};

use super::{
    ConversationId, ConversationPath,
    conversation::ConversationWithParticipants,
    message::{self, ChatMessage, ChatMessages, Message, MessageContent, MessageId},
    unread,
    users::{Names, User, UserRole},
};
use crate::{effects::MessagingEffect, rules::MessagingRule};

/// The rule for a field that names a message.
const OF_CONVERSATION: MessagingRule = MessagingRule::UnknownMessage;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HistoryFilters {
    /// Only messages before this one: pages then stay as they are while others write.
    before: Option<MessageId>,
}

fn list_own_messages(
    cx: &mut Read,
    Path(at): Path<ConversationPath>,
    ListQuery(wanted, page): ListQuery<HistoryFilters>,
) -> Result<ChatMessages> {
    let me = User::from_caller(cx)?;
    let room = ConversationWithParticipants::find_for_participant(cx, at.conversation_id, me)?;
    let total = match wanted.before {
        None => room.conversation.message_count,
        Some(id) => {
            let found = Message::find(cx, at.conversation_id, id);
            found.map_err(|problem| problem.missing("before", OF_CONVERSATION))?.position - 1
        }
    };
    let page = message::page(cx, at.conversation_id, total, page)?;
    Ok(message::with_author_names(cx, page, Message::chat)?.into())
}

path!(
    /// Where a message is.
    pub MessagePath {
        /// The conversation.
        conversation_id: ConversationId,
        /// The message.
        message_id: MessageId,
    }
);

impl MessagePath {
    /// The message and its conversation, for a participant.
    fn find(&self, cx: &mut Read, me: User) -> Result<(ConversationWithParticipants, Message)> {
        let room =
            ConversationWithParticipants::find_for_participant(cx, self.conversation_id, me)?;
        let message = Message::find(cx, self.conversation_id, self.message_id)?;
        Ok((room, message))
    }
}

answer!(MessageAnswer { message: ChatMessage });

impl MessageAnswer {
    fn of(cx: &mut Read, message: Message) -> Result<Self> {
        let names = Names::of(cx, [message.sender()])?;
        Ok(Self { message: message.chat(&names) })
    }
}

fn get_own_message(cx: &mut Read, Path(at): Path<MessagePath>) -> Result<MessageAnswer> {
    let me = User::from_caller(cx)?;
    let (_, message) = at.find(cx, me)?;
    MessageAnswer::of(cx, message)
}

/// The file of a message, for a participant of its conversation.
pub fn attachment(cx: &mut Read, at: &MessagePath) -> Result<AttachedFile> {
    let me = User::from_caller(cx)?;
    let (_, message) = at.find(cx, me)?;
    message.attached().ok_or_else(|| Key::NotFound.into())
}

/// The same of the message with this id.
pub fn find_attachment(cx: &mut Read, id: Id) -> Result<DownloadSource> {
    let conversation: Option<(ConversationId,)> = cx.one(CONVERSATION, params![id])?;
    let (conversation_id,) = conversation.ok_or(Key::NotFound)?;
    let at = MessagePath { conversation_id, message_id: MessageId(id) };
    let AttachedFile { upload_id, file_name, media_type, .. } = attachment(cx, &at)?;
    let stored = StoredFile { company: cx.company(), upload: upload_id };
    Ok(DownloadSource::Kept { name: file_name, media_type: media_type.word(), key: stored.key() })
}

/// The message to send: a text, a file, or both.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewMessage {
    text: Option<Text<4000>>,
    /// A file that the caller has sent with POST /app/v1/uploads and not used yet.
    upload_id: Option<UploadId>,
}

fn send_message(
    cx: &mut Write,
    Path(at): Path<ConversationPath>,
    Body(new): Body<NewMessage>,
) -> Result<MessageAnswer> {
    let me = User::from_caller(cx)?;
    Names::ask_ahead(cx, me)?;
    let mut room = ConversationWithParticipants::find_for_participant(cx, at.conversation_id, me)?;
    room.check_reader(cx, me)?;
    let rule = MessagingRule::NotMessageFile;
    let attached = new
        .upload_id
        .map(|id| uploads::attach(cx, id).map_err(|problem| problem.missing("uploadId", rule)))
        .transpose()?;
    let text: Option<String> = new.text.map(Into::into);
    if text.is_none() && attached.is_none() {
        return Err(Problem::invalid("text", MessagingRule::TextOrFileNeeded));
    }
    let to = match cx.is_preview() {
        true => room.other_names(cx, me)?.join(", "),
        false => String::new(),
    };
    cx.describe_effect(|| match (&text, &attached) {
        (Some(text), None) => MessagingEffect::TextSent { text: quoted(text), to: to.to_string() },
        (Some(text), Some(_)) => {
            MessagingEffect::TextWithFile { text: quoted(text), to: to.to_string() }
        }
        _ => MessagingEffect::FileSent { to: to.to_string() },
    });
    let message = post(cx, &mut room, me, MessageContent { text, attached })?;
    MessageAnswer::of(cx, message)
}

/// Adds a message to a conversation: the only way in which somebody says something.
pub(super) fn post(
    cx: &mut Write,
    room: &mut ConversationWithParticipants,
    speaker: User,
    content: MessageContent,
) -> Result<Message> {
    let id = MessageId(cx.new_id());
    let (position, sent_at) = room.conversation.advance(cx)?;
    let message = Message::new(id, &room.conversation, position, sent_at, speaker, content);
    message.insert(cx)?;
    room.see(cx, speaker.user_id, position, id)?;
    unread::notify(cx, room, &message)?;
    room.announce(cx, Event::ConversationMessageCreated, &message.event(Vec::new()))?;
    Ok(message)
}

/// The corrected text of a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MessageCorrection")]
struct Correction {
    text: Text<4000>,
}

fn edit_message(
    cx: &mut Write,
    Path(at): Path<MessagePath>,
    Body(correction): Body<Correction>,
) -> Result<MessageAnswer> {
    let me = User::from_caller(cx)?;
    let (room, mut message) = at.find(cx, me)?;
    if message.sender_id != me.user_id {
        return Err(Problem::because(Key::Forbidden, MessagingRule::EditedBySender));
    }
    if message.is_deleted {
        return Err(Problem::conflict("isDeleted", MessagingRule::DeletedMessage));
    }
    if message.edit(cx, correction.text.into())? {
        let event = message.event(vec!["text".to_owned()]);
        room.announce(cx, Event::ConversationMessageUpdated, &event)?;
    }
    MessageAnswer::of(cx, message)
}

fn delete_message(cx: &mut Write, Path(at): Path<MessagePath>) -> Result<MessageAnswer> {
    let me = User::from_caller(cx)?;
    let (room, mut message) = at.find(cx, me)?;
    // Coaches moderate their groups.
    let moderates = room.conversation.is_group()
        && me.role == UserRole::Coach
        && message.sender().role == UserRole::Client;
    if message.sender_id != me.user_id && !moderates {
        return Err(Problem::because(Key::Forbidden, MessagingRule::DeletedBySender));
    }
    if !message.is_deleted {
        if let Some(upload) = message.erase(cx)? {
            uploads::discard(cx, upload)?;
        }
        room.announce(cx, Event::ConversationMessageDeleted, &message.event(Vec::new()))?;
    }
    MessageAnswer::of(cx, message)
}

/// The last message that was read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewReadReceipt {
    message_id: MessageId,
}

/// The last message that a participant has read, and how many are unread.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReadReceipt {
    conversation_id: ConversationId,
    user_id: Id,
    seen_message_id: Option<MessageId>,
    seen_at: Option<Timestamp>,
    unread_count: i64,
}

/// The live update about a participant's read position.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SeenEvent {
    conversation_id: ConversationId,
    user_id: Id,
    message_id: MessageId,
}

fn mark_seen(
    cx: &mut Write,
    Path(at): Path<ConversationPath>,
    Body(seen): Body<NewReadReceipt>,
) -> Result<ReadReceipt> {
    let me = User::from_caller(cx)?;
    let (conversation_id, message_id, user_id) = (at.conversation_id, seen.message_id, me.user_id);
    let mut room = ConversationWithParticipants::find_for_participant(cx, conversation_id, me)?;
    let found = Message::find(cx, conversation_id, message_id);
    let message = found.map_err(|problem| problem.missing("messageId", OF_CONVERSATION))?;
    cx.set_audit_target("conversation", conversation_id, Vec::<String>::new());
    let before = room.place_of(user_id).map_or(0, |place| place.seen_position);
    if message.position > before {
        room.see(cx, user_id, message.position, message_id)?;
        room.publish(cx, "conversation.seen", &SeenEvent { conversation_id, user_id, message_id })?;
    }
    let place = room.place_of(user_id).ok_or(Key::NotFound)?;
    Ok(ReadReceipt {
        conversation_id,
        user_id,
        seen_message_id: place.seen_message_id,
        seen_at: place.seen_at,
        unread_count: room.conversation.unread(place),
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/conversations/{conversationId}/messages", SignedIn, list_own_messages)
            .numbered()
            .summary("List messages of an own conversation")
            .describe(
                "Returns messages of a conversation that the caller takes part in, newest first.",
            ),
        operation!(app GET "/conversations/{conversationId}/messages/{messageId}", SignedIn,
            get_own_message)
        .summary("Get a message")
        .describe("Returns a message of a conversation that the caller takes part in."),
        operation!(app POST "/conversations/{conversationId}/messages", SignedIn, send_message)
            .success(Success::Sent)
            .summary("Send a message")
            .describe("Sends a message to a conversation that the caller takes part in.")
            .created()
            .emits(&[Event::ConversationMessageCreated])
            .fails(&[Key::ApiError])
            .confirmation(),
        operation!(app PATCH "/conversations/{conversationId}/messages/{messageId}", SignedIn,
            edit_message)
        .summary("Edit a message")
        .describe("Replaces the text of a message that the caller sent.")
        .emits(&[Event::ConversationMessageUpdated])
        .fails(&[Key::ApiError]),
        operation!(app DELETE "/conversations/{conversationId}/messages/{messageId}", SignedIn,
            delete_message)
        .success(Success::Deleted)
        .summary("Delete a message")
        .describe("Removes a message's content and file and keeps a placeholder.")
        .emits(&[Event::ConversationMessageDeleted]),
        operation!(app POST "/conversations/{conversationId}/seen", SignedIn, mark_seen)
            .summary("Mark messages as seen")
            .describe("Marks all messages up to the named one as seen. The mark never moves back."),
    ])
}

statements! {
    CONVERSATION = "SELECT conversation_id FROM message WHERE company_id = ?1 AND message_id = ?2";
}
