//! A conversation: the record, its participants, and the payload of its events.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::live;
use spotter_contract::{Area, Payload, Read, Write};
use spotter_kernel::{
    Event, Id, Key, Problem, Result, Timestamp, id::ClientId, id_type, text::quoted,
};
use spotter_people::clients::Client;
use spotter_store::{Bind, Value, params, parts, record, statements, stored_ids, values, words};

use super::{
    message::MessageId,
    users::{MessagingUser, Names, User, UserRole},
};
use crate::rules::MessagingRule;

id_type!(
    /// A conversation.
    ConversationId,
    RequestInvalid
);
stored_ids!(ConversationId);

words! {
    /// Between two people, or any number of them.
    pub enum ConversationType { Direct = "direct", Group = "group" }
}

/// Most people who take part in a group.
pub const PARTICIPANTS_MAX: i64 = 100;

/// Most participants that are shown with each conversation of a list.
const SHOWN_IN_LISTS: i64 = 10;

record! {
    /// A conversation.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Conversation {
        /// The conversation's id.
        pub conversation_id: ConversationId,
        /// Between two people, or a group.
        pub conversation_type: ConversationType,
        /// Name of the group; null for direct conversations.
        pub(super) name: Option<String>,
        /// Description of the group.
        pub(super) description: Option<String>,
        /// People who take part.
        #[schemars(range(min = 0))]
        pub(super) participant_count: i64,
        /// Messages, deleted ones among them.
        #[schemars(range(min = 0))]
        pub(super) message_count: i64,
        /// When the latest message was sent.
        pub(super) last_message_at: Option<Timestamp>,
        pub(super) created_at: Timestamp,
        updated_at: Timestamp,
        #[serde(skip)]
        active_at: Timestamp,
    }
}

record! {
    /// A participant: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Participant {
        conversation_id: ConversationId,
        user_id: Id,
        role: UserRole,
        joined_at: Timestamp,
        /// The latest message that they have seen, by its position.
        pub(super) seen_position: i64,
        pub(super) seen_message_id: Option<MessageId>,
        pub(super) seen_at: Option<Timestamp>,
        active_at: Timestamp,
    }
}

impl Participant {
    /// In which conversation.
    pub fn conversation(&self) -> ConversationId {
        self.conversation_id
    }

    /// Who it is.
    pub fn user(&self) -> User {
        User { user_id: self.user_id, role: self.role }
    }
}

/// A participant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct ParticipantView {
    #[serde(flatten)]
    person: MessagingUser,
    joined_at: Timestamp,
}

/// A participant, and the last message they read.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConversationParticipant")]
pub struct ReaderView {
    #[serde(flatten)]
    participant: ParticipantView,
    seen_message_id: Option<MessageId>,
    seen_at: Option<Timestamp>,
}

impl Participant {
    pub(super) fn view(&self, names: &Names) -> ParticipantView {
        ParticipantView { person: names.person(self.user()), joined_at: self.joined_at }
    }

    pub(super) fn reader(&self, names: &Names) -> ReaderView {
        let (seen_message_id, seen_at) = (self.seen_message_id, self.seen_at);
        ReaderView { participant: self.view(names), seen_message_id, seen_at }
    }
}

/// The payload of every conversation event, without its name and description.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationEvent {
    conversation_id: ConversationId,
    conversation_type: ConversationType,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

/// The payload of every event of a conversation's participants.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParticipantEvent {
    conversation_id: ConversationId,
    conversation_type: ConversationType,
    /// The coach or client who joined or left.
    user_id: Id,
    role: UserRole,
}

impl Payload for ConversationEvent {
    const EVENTS: &'static [Event] = &[Event::ConversationCreated, Event::ConversationUpdated];
}

impl Payload for ParticipantEvent {
    const EVENTS: &'static [Event] =
        &[Event::ConversationParticipantAdded, Event::ConversationParticipantRemoved];
}

/// A conversation with those who take part in it.
pub struct ConversationWithParticipants {
    /// The conversation.
    pub conversation: Conversation,
    /// Everybody, in the order in which they joined.
    pub participants: Vec<Participant>,
}

impl Conversation {
    /// The conversation with this id; another company's is not found like one that never was.
    pub fn find(cx: &mut Read, id: ConversationId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The payload of its events.
    pub(super) fn event(&self, changed_fields: Vec<String>) -> ConversationEvent {
        let Self { conversation_id, conversation_type, .. } = *self;
        ConversationEvent { conversation_id, conversation_type, changed_fields }
    }

    pub(super) fn participant_event(&self, User { user_id, role }: User) -> ParticipantEvent {
        let Self { conversation_id, conversation_type, .. } = *self;
        ParticipantEvent { conversation_id, conversation_type, user_id, role }
    }

    /// The number of messages after the last one that a participant has seen.
    pub(super) fn unread(&self, place: &Participant) -> i64 {
        self.message_count - place.seen_position
    }

    /// Whether it is a group.
    pub fn is_group(&self) -> bool {
        self.conversation_type == ConversationType::Group
    }

    /// Writes a changed name, description or number of participants.
    pub(super) fn save(&mut self, cx: &mut Write) -> Result<()> {
        self.updated_at = cx.now();
        cx.defer(SAVE, &self.facts())
    }

    /// Counts a message that is sent now; its position and its time, which is never before that of
    /// the one before it.
    pub(super) fn advance(&mut self, cx: &mut Write) -> Result<(i64, Timestamp)> {
        let at = self.last_message_at.map_or(cx.now(), |last| last.max(cx.now()));
        (self.message_count, self.last_message_at) = (self.message_count + 1, Some(at));
        self.active_at = self.active_at.max(at);
        cx.defer(ADVANCE, &self.activity())?;
        cx.defer(MARK_ACTIVE, params![self.conversation_id, self.active_at])?;
        Ok((self.message_count, at))
    }
}

impl ConversationWithParticipants {
    /// The conversation, for a participant; for others it does not exist.
    pub fn find_for_participant(cx: &mut Read, id: ConversationId, user: User) -> Result<Self> {
        let room = Self::find(cx, id)?;
        room.place_of(user.user_id).ok_or(Key::NotFound)?;
        Ok(room)
    }

    /// Refuses to write to a client who has left: nobody would read it.
    pub(super) fn check_reader(&self, cx: &mut Read, speaker: User) -> Result<()> {
        let mut others = self.participants.iter().filter(|place| place.user_id != speaker.user_id);
        let client = match (self.conversation.is_group(), others.next()) {
            (false, Some(place)) if place.role == UserRole::Client => ClientId(place.user_id),
            _ => return Ok(()),
        };
        if Client::find(cx, client)?.is_archived() {
            return Err(Problem::conflict("conversationId", MessagingRule::ArchivedPartner));
        }
        Ok(())
    }

    /// The names of the other participants; the first ten of many.
    pub(super) fn other_names(&self, cx: &mut Read, speaker: User) -> Result<Vec<String>> {
        let others = self.participants.iter().map(Participant::user);
        let others: Vec<User> = others.filter(|user| *user != speaker).collect();
        let names = Names::of(cx, others.iter().take(10).copied())?;
        let output = others.iter().take(10).map(|user| quoted(names.name(*user)));
        let more = (others.len() > 10).then(|| format!("and {} more", others.len() - 10));
        Ok(output.chain(more).collect())
    }

    /// The conversation, for a caller who may read all of the company's.
    pub fn find(cx: &mut Read, id: ConversationId) -> Result<Self> {
        cx.ask_ahead(PARTICIPANTS, params![id, PARTICIPANTS_MAX])?;
        let conversation = Conversation::find(cx, id)?;
        let participants = cx.all(PARTICIPANTS, params![id, PARTICIPANTS_MAX])?;
        Ok(Self { conversation, participants })
    }

    /// The one between two people, if they have spoken.
    pub(super) fn between(cx: &mut Read, two: [User; 2]) -> Result<Option<Self>> {
        let found: Option<(ConversationId,)> = cx.one(BETWEEN, params![pair(two)])?;
        found.map(|(id,)| Self::find(cx, id)).transpose()
    }

    /// Opens a conversation; a direct one is the only one of its two people.
    pub(super) fn open(
        cx: &mut Write,
        kind: ConversationType,
        texts: [Option<String>; 2],
        people: &[User],
    ) -> Result<Self> {
        let (conversation_id, now) = (ConversationId(cx.new_id()), cx.now());
        let [name, description] = texts;
        let conversation = Conversation {
            conversation_id,
            conversation_type: kind,
            name,
            description,
            participant_count: people.len() as i64,
            message_count: 0,
            last_message_at: None,
            created_at: now,
            updated_at: now,
            active_at: now,
        };
        let pair = match (kind, people) {
            (ConversationType::Direct, [one, other]) => Some(pair([*one, *other])),
            _ => None,
        };
        let mut row = conversation.params();
        row.push(pair.bind());
        cx.defer(INSERT, &row)?;
        cx.set_audit_target("conversation", conversation_id, ["conversation"]);
        cx.tally(TALLY, 1)?;
        cx.tally(&spotter_store::subject(TALLY, "conversationType", &kind.bind()), 1)?;
        live::open(cx, people.iter().map(|user| user.user_id))?;
        let mut room = Self { conversation, participants: Vec::new() };
        people.iter().try_for_each(|user| room.seat(cx, *user))?;
        let event = room.conversation.event(Vec::new());
        room.announce(cx, Event::ConversationCreated, &event)?;
        Ok(room)
    }

    /// Adds a participant's row: they see earlier messages, and none of them is unread.
    fn seat(&mut self, cx: &mut Write, User { user_id, role }: User) -> Result<()> {
        let participant = Participant {
            conversation_id: self.conversation.conversation_id,
            user_id,
            role,
            joined_at: cx.now(),
            seen_position: self.conversation.message_count,
            seen_message_id: None,
            seen_at: None,
            active_at: self.conversation.active_at,
        };
        cx.defer(SEAT, &participant.params())?;
        self.participants.push(participant);
        self.participants.sort_by_key(|one| (one.joined_at, one.user_id));
        Ok(())
    }

    /// Adds a participant.
    pub(super) fn add(&mut self, cx: &mut Write, user: User) -> Result<()> {
        live::open(cx, [user.user_id])?;
        self.seat(cx, user)?;
        self.count(cx)?;
        let event = self.conversation.participant_event(user);
        self.announce(cx, Event::ConversationParticipantAdded, &event)
    }

    /// Removes a participant; they are informed, too.
    pub(super) fn remove(&mut self, cx: &mut Write, user: User) -> Result<()> {
        let event = self.conversation.participant_event(user);
        self.announce(cx, Event::ConversationParticipantRemoved, &event)?;
        self.participants.retain(|participant| participant.user_id != user.user_id);
        cx.defer(UNSEAT, params![self.conversation.conversation_id, user.user_id])?;
        cx.defer(LEAVE, params![user.user_id, self.conversation.conversation_id])?;
        self.count(cx)
    }

    fn count(&mut self, cx: &mut Write) -> Result<()> {
        self.conversation.participant_count = self.participants.len() as i64;
        self.conversation.save(cx)
    }

    /// Informs integrations and all participants.
    pub(super) fn announce(&self, cx: &mut Write, event: Event, data: &impl Payload) -> Result<()> {
        cx.emit(event, data)?;
        self.publish(cx, event.name(), data)
    }

    /// Informs all participants.
    pub(super) fn publish(&self, cx: &mut Write, event: &str, data: &impl Serialize) -> Result<()> {
        let people: Vec<Id> = self.participants.iter().map(|one| one.user_id).collect();
        live::push(cx, &people, event, data)
    }

    /// A participant's row.
    pub fn place_of(&self, user: Id) -> Option<&Participant> {
        self.participants.iter().find(|participant| participant.user_id == user)
    }

    /// Marks the conversation as seen by a participant up to a message.
    pub(super) fn see(
        &mut self,
        cx: &mut Write,
        user: Id,
        position: i64,
        message: MessageId,
    ) -> Result<()> {
        let (id, now) = (self.conversation.conversation_id, cx.now());
        if let Some(place) = self.participants.iter_mut().find(|one| one.user_id == user) {
            place.seen_position = position;
            (place.seen_message_id, place.seen_at) = (Some(message), Some(now));
        }
        cx.defer(SEE, params![id, user, position, message, now])
    }
}

/// Those who take part in each of several conversations, as far as lists show them.
pub(super) fn participants_of(
    cx: &mut Read,
    ids: impl Iterator<Item = ConversationId>,
) -> Result<Vec<Vec<Participant>>> {
    let params = ids.map(|id| vec![id.bind().into_owned(), Value::Int(SHOWN_IN_LISTS)]);
    cx.all_each(PARTICIPANTS, params)
}

/// The conversations with these ids.
pub(super) fn with_ids(
    cx: &mut Read,
    ids: impl Iterator<Item = ConversationId>,
) -> Result<Vec<Conversation>> {
    let found = cx.one_each(FIND, ids.map(|id| vec![id.bind().into_owned()]))?;
    Ok(found.into_iter().flatten().collect())
}

/// The key of a pair of users, regardless of order.
fn pair(mut two: [User; 2]) -> String {
    two.sort_by_key(|user| user.user_id);
    format!("{}:{}", two[0].user_id, two[1].user_id)
}

/// The subject of the total of all conversations.
pub(super) const TALLY: &str = "conversations";

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<ConversationEvent>().tells::<ParticipantEvent>()
}

parts! {
    Conversation by conversation_id without conversation_type, created_at;
    FACTS facts: name, description, participant_count, updated_at;
    ACTIVITY activity: message_count, last_message_at, active_at;
}

statements! {
    FIND = "SELECT ", Conversation::COLUMNS, " FROM conversation \
        WHERE company_id = ?1 AND conversation_id = ?2";
    BETWEEN = "SELECT conversation_id FROM conversation WHERE company_id = ?1 AND pair = ?2";
    // A second transaction that opens the same one fails on this row, runs again, and finds it.
    INSERT = "INSERT INTO conversation ", values!(Conversation, pair);
    SAVE = "UPDATE conversation SET ", Conversation::FACTS,
        " WHERE company_id = ?1 AND conversation_id = ?2";
    ADVANCE = "UPDATE conversation SET ", Conversation::ACTIVITY,
        " WHERE company_id = ?1 AND conversation_id = ?2";
    MARK_ACTIVE = "UPDATE participant SET active_at = ?3 WHERE company_id = ?1 AND conversation_id = ?2";
    PARTICIPANTS = "SELECT ", Participant::COLUMNS, " FROM participant \
        WHERE company_id = ?1 AND conversation_id = ?2 ORDER BY joined_at, user_id LIMIT ?3";
    SEAT = "INSERT INTO participant ", values!(Participant);
    UNSEAT = "DELETE FROM participant WHERE company_id = ?1 AND conversation_id = ?2 AND user_id = ?3";
    LEAVE = "INSERT INTO past_participant (company_id, user_id, conversation_id) VALUES (?1, ?2, ?3) \
        ON CONFLICT (company_id, user_id, conversation_id) DO NOTHING";
    SEE = "UPDATE participant SET seen_position = ?4, seen_message_id = ?5, seen_at = ?6 \
        WHERE company_id = ?1 AND conversation_id = ?2 AND user_id = ?3";
}
