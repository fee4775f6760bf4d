//! A message: its record, how much of it which reader is shown, and pages of messages.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::uploads::{AttachedFile, MediaKind, MediaType, UploadId};
use spotter_contract::{Area, Payload, Read, Write, listed};
use spotter_kernel::{Cursor, Event, Id, Key, Page, PageRequest, Result, Timestamp, id_type};
use spotter_store::{
    Bind, List, Value, filters, lists, params, record, statements, stored_ids, values, words,
};

use super::{
    conversation::{Conversation, ConversationId, ConversationType},
    users::{MessagingUser, Names, User, UserFacts, UserRole},
};

id_type!(
    /// A message.
    MessageId,
    RequestInvalid
);
stored_ids!(MessageId);

words! {
    /// What a message carries beside its text.
    pub enum MessageType {
        Text = "text",
        Image = "image",
        Video = "video",
        Audio = "audio",
        Document = "document",
    }
}

impl From<MediaKind> for MessageType {
    fn from(kind: MediaKind) -> Self {
        match kind {
            MediaKind::Image => Self::Image,
            MediaKind::Video => Self::Video,
            MediaKind::Audio => Self::Audio,
            MediaKind::Document => Self::Document,
        }
    }
}

record! {
    /// A message: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Message {
        conversation_id: ConversationId,
        /// Its number in the conversation, from 1.
        pub(super) position: i64,
        /// The message's id.
        pub message_id: MessageId,
        conversation_type: ConversationType,
        pub(super) sender_id: Id,
        sender_role: UserRole,
        r#type: MessageType,
        text: Option<String>,
        upload_id: Option<UploadId>,
        file_name: Option<String>,
        media_type: Option<MediaType>,
        size: Option<i64>,
        pub(super) sent_at: Timestamp,
        edited_at: Option<Timestamp>,
        pub(super) is_deleted: bool,
    }
}

/// A message of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Message")]
pub struct MessageView {
    message_id: MessageId,
    conversation_id: ConversationId,
    conversation_type: ConversationType,
    sender: MessagingUser,
    /// Type of attachment; `text` without one.
    r#type: MessageType,
    /// Text; null for a file without text and for deleted messages.
    text: Option<String>,
    /// Whether a file is attached.
    has_media: bool,
    /// The attached file's name.
    file_name: Option<String>,
    sent_at: Timestamp,
    /// When its text was last changed.
    edited_at: Option<Timestamp>,
    /// Whether it was deleted; its content is removed.
    is_deleted: bool,
}

/// A message as its participants see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    #[serde(flatten)]
    message: MessageView,
    attachment: Option<Attachment>,
}

/// A file attached to a message; its bytes are at `GET
/// /app/v1/conversations/{conversationId}/messages/{messageId}/attachment`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MessageAttachment")]
pub struct Attachment {
    file_name: String,
    media_type: MediaType,
    /// Size in bytes.
    size: i64,
}

/// A message without its text and names.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MessageMetadata")]
pub struct MessageFacts {
    message_id: MessageId,
    conversation_id: ConversationId,
    conversation_type: ConversationType,
    sender: UserFacts,
    /// Type of attachment; `text` without one.
    r#type: MessageType,
    /// Whether a file is attached.
    has_media: bool,
    sent_at: Timestamp,
    /// When its text was last changed.
    edited_at: Option<Timestamp>,
    /// Whether it was deleted.
    is_deleted: bool,
}

listed!(Messages { messages: MessageView });
listed!(ChatMessages { messages: ChatMessage });
listed!(MessagesFacts { messages: MessageFacts });

/// The payload of every message event, without its text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageEvent {
    conversation_id: ConversationId,
    conversation_type: ConversationType,
    message_id: MessageId,
    sender: UserFacts,
    /// In `conversation.message.updated` alone: the fields that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

/// The content of a message.
pub struct MessageContent {
    /// Its text.
    pub text: Option<String>,
    /// The file that goes with it.
    pub attached: Option<AttachedFile>,
}

impl Payload for MessageEvent {
    const EVENTS: &'static [Event] = &[
        Event::ConversationMessageCreated,
        Event::ConversationMessageUpdated,
        Event::ConversationMessageDeleted,
    ];
}

impl Message {
    /// A message at its place in a conversation.
    pub(super) fn new(
        message_id: MessageId,
        conversation: &Conversation,
        position: i64,
        sent_at: Timestamp,
        sender: User,
        MessageContent { text, attached }: MessageContent,
    ) -> Self {
        let kind = attached.as_ref().map(|file| file.media_type.kind().into());
        let file =
            attached.map(|file| (file.upload_id, file.file_name, file.media_type, file.size));
        let (upload_id, file_name, media_type, size) = match file {
            Some((id, name, kind, size)) => (Some(id), Some(name), Some(kind), Some(size)),
            None => (None, None, None, None),
        };
        Self {
            conversation_id: conversation.conversation_id,
            position,
            message_id,
            conversation_type: conversation.conversation_type,
            sender_id: sender.user_id,
            sender_role: sender.role,
            r#type: kind.unwrap_or(MessageType::Text),
            text,
            upload_id,
            file_name,
            media_type,
            size,
            sent_at,
            edited_at: None,
            is_deleted: false,
        }
    }

    /// The message of a conversation with this id.
    pub fn find(cx: &mut Read, conversation: ConversationId, id: MessageId) -> Result<Self> {
        cx.one(FIND, params![id, conversation])?.ok_or_else(|| Key::NotFound.into())
    }

    /// Who sent it.
    pub fn sender(&self) -> User {
        User { user_id: self.sender_id, role: self.sender_role }
    }

    /// The file that is attached.
    pub fn attached(&self) -> Option<AttachedFile> {
        Some(AttachedFile {
            upload_id: self.upload_id?,
            file_name: self.file_name.clone()?,
            media_type: self.media_type?,
            size: self.size?,
        })
    }

    /// What it says, in a line: its text, or the name of its file.
    pub(super) fn line(&self) -> String {
        self.text.clone().or_else(|| self.file_name.clone()).unwrap_or_default()
    }

    pub(super) fn event(&self, changed_fields: Vec<String>) -> MessageEvent {
        MessageEvent {
            conversation_id: self.conversation_id,
            conversation_type: self.conversation_type,
            message_id: self.message_id,
            sender: self.sender().into(),
            changed_fields,
        }
    }

    fn view(self, names: &Names) -> MessageView {
        MessageView {
            message_id: self.message_id,
            conversation_id: self.conversation_id,
            conversation_type: self.conversation_type,
            sender: names.person(self.sender()),
            r#type: self.r#type,
            text: self.text,
            has_media: self.upload_id.is_some(),
            file_name: self.file_name,
            sent_at: self.sent_at,
            edited_at: self.edited_at,
            is_deleted: self.is_deleted,
        }
    }

    pub(super) fn chat(self, names: &Names) -> ChatMessage {
        let attached = self.attached();
        let attachment = attached.map(|AttachedFile { file_name, media_type, size, .. }| {
            Attachment { file_name, media_type, size }
        });
        ChatMessage { message: self.view(names), attachment }
    }

    pub(super) fn facts(self) -> MessageFacts {
        MessageFacts {
            message_id: self.message_id,
            conversation_id: self.conversation_id,
            conversation_type: self.conversation_type,
            sender: self.sender().into(),
            r#type: self.r#type,
            has_media: self.upload_id.is_some(),
            sent_at: self.sent_at,
            edited_at: self.edited_at,
            is_deleted: self.is_deleted,
        }
    }

    /// Writes a new message.
    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("message", self.message_id, ["message"]);
        cx.defer(INSERT, &self.params())?;
        cx.tally(TALLY, 1)
    }

    /// Changes the text; returns whether it differs.
    pub(super) fn edit(&mut self, cx: &mut Write, text: String) -> Result<bool> {
        let changed = self.text.as_ref() != Some(&text);
        cx.set_audit_target("message", self.message_id, changed.then_some("text"));
        if changed {
            (self.text, self.edited_at) = (Some(text), Some(cx.now()));
            let Self { conversation_id, position, text, edited_at, .. } = &*self;
            cx.defer(EDIT, params![conversation_id, position, text, edited_at])?;
        }
        Ok(changed)
    }

    /// Leaves nothing but the mark that it was there; the file that was attached to it, if one was.
    pub(super) fn erase(&mut self, cx: &mut Write) -> Result<Option<UploadId>> {
        cx.set_audit_target("message", self.message_id, ["isDeleted"]);
        (self.is_deleted, self.text) = (true, None);
        (self.file_name, self.media_type, self.size) = (None, None, None);
        cx.defer(ERASE, params![self.conversation_id, self.position])?;
        Ok(self.upload_id.take())
    }
}

/// A page of a conversation, newest first. Positions have no gaps, so that any page is one range of
/// the key and the last costs what the first does.
pub(super) fn page(
    cx: &mut Read,
    conversation: ConversationId,
    total: i64,
    request: PageRequest,
) -> Result<Page<Message>> {
    let upto = match request.cursor {
        Some(cursor) => cursor.number().ok_or_else(Cursor::refused)?.min(total),
        None => total - request.offset(),
    };
    let items = match upto > 0 {
        true => cx.all(RANGE, params![conversation, upto, upto - request.limit])?,
        false => Vec::new(),
    };
    let rest = upto - request.limit;
    let next = (rest > 0).then(|| Cursor::from_number(rest)).flatten();
    Ok(Page { items, request, total, next })
}

/// A page with the names of those who wrote it.
pub(super) fn with_author_names<T>(
    cx: &mut Read,
    page: Page<Message>,
    view: fn(Message, &Names) -> T,
) -> Result<Page<T>> {
    let names = Names::of(cx, page.items.iter().map(Message::sender))?;
    Ok(page.map(|message| view(message, &names)))
}

/// A page of a conversation as integrations see it.
pub(super) fn views(
    cx: &mut Read,
    conversation: &Conversation,
    request: PageRequest,
) -> Result<Messages> {
    let page = page(cx, conversation.conversation_id, conversation.message_count, request)?;
    Ok(with_author_names(cx, page, Message::view)?.into())
}

/// The latest messages of several conversations.
pub(super) fn latest_of(
    cx: &mut Read,
    conversations: &[Conversation],
) -> Result<Vec<Option<Message>>> {
    let params = conversations.iter().map(|conversation| {
        let (id, last) = (conversation.conversation_id, conversation.message_count);
        vec![id.bind().into_owned(), Value::Int(last), Value::Int(last - 1)]
    });
    cx.one_each(RANGE, params)
}

/// The subject of the total of all messages.
pub(super) const TALLY: &str = "messages";

filters! {
    /// When messages were sent.
    pub(super) struct SentFilters {
        /// Messages sent at or after this instant.
        from: Timestamp => "message_id >= ?" as |at| Id::first_at(*at);
        /// Messages sent before this instant.
        to: Timestamp => "message_id < ?" as |at| Id::first_at(*at);
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<MessageEvent>().lists(lists())
}

lists! {
    /// Every message of the company, newest first.
    pub(super) LIST: List<Message, SentFilters> =
        List::new("message WHERE company_id = ?1", "message_id DESC").tallied(TALLY);
}

statements! {
    FIND = "SELECT ", Message::COLUMNS, " FROM message \
        WHERE company_id = ?1 AND message_id = ?2 AND conversation_id = ?3";
    RANGE = "SELECT ", Message::COLUMNS, " FROM message WHERE company_id = ?1 AND conversation_id = ?2 \
        AND position <= ?3 AND position > ?4 ORDER BY position DESC LIMIT 100";
    INSERT = "INSERT INTO message ", values!(Message);
    EDIT = "UPDATE message SET text = ?4, edited_at = ?5 \
        WHERE company_id = ?1 AND conversation_id = ?2 AND position = ?3";
    ERASE = "UPDATE message SET is_deleted = TRUE, text = NULL, upload_id = NULL, file_name = NULL, \
        media_type = NULL, size = NULL WHERE company_id = ?1 AND conversation_id = ?2 AND position = ?3";
}
