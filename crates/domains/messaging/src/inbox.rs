//! Conversations as those who take part see them: their own, how much of each is new to them, and
//! who is in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, Flag, ListQuery, Path, Read, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Event, Id, Key, Many, Patch, Problem, Result, id_type,
    text::{Name, Text},
};
use spotter_store::{Bind, List, filters, lists, params, statements};

use super::{
    ConversationPath,
    conversation::{
        Conversation, ConversationType, ConversationWithParticipants, PARTICIPANTS_MAX,
        Participant, ReaderView, participants_of, with_ids,
    },
    message::{ChatMessage, Message, latest_of},
    users::{Names, User, UserRole},
};
use crate::rules::MessagingRule;

id_type!(
    /// A coach or a client who takes part.
    UserId,
    RequestInvalid
);

/// A conversation with the caller's unread messages.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnConversation {
    #[serde(flatten)]
    conversation: Conversation,
    /// Messages that came after the last one seen.
    unread_count: i64,
    last_message: Option<ChatMessage>,
    /// Participants in the order in which they joined; the first ten in lists.
    participants: Vec<ReaderView>,
}

listed!(OwnConversations { conversations: OwnConversation });

filters! {
    /// Filters of a person's conversations.
    pub(super) struct Filters {
        /// Conversations of this type.
        conversation_type: ConversationType =>
            "EXISTS (SELECT 1 FROM conversation c WHERE c.company_id = ?1 \
                AND c.conversation_id = participant.conversation_id AND c.conversation_type = ?)";
        /// Only those with something new.
        unread: Flag =>
            "EXISTS (SELECT 1 FROM conversation c WHERE c.company_id = ?1 \
                AND c.conversation_id = participant.conversation_id \
                AND (c.message_count > participant.seen_position) = ?)";
    }
}

fn list_own_conversations(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<OwnConversations> {
    let me = User::from_caller(cx)?;
    let places = cx.page_under(&LIST, &[me.user_id.bind()], &wanted, page)?;
    let ids = || places.items.iter().map(Participant::conversation);
    let (conversations, people) = (with_ids(cx, ids())?, participants_of(cx, ids())?);
    let latest = latest_of(cx, &conversations)?;
    let users = people.iter().flatten().map(Participant::user);
    let names = Names::of(cx, users.chain(latest.iter().flatten().map(Message::sender)))?;
    let own = conversations.into_iter().zip(latest).zip(people).zip(&places.items);
    let items = own.map(|(((conversation, last), people), place)| OwnConversation {
        unread_count: conversation.unread(place),
        last_message: last.map(|message| message.chat(&names)),
        participants: people.iter().map(|one| one.reader(&names)).collect(),
        conversation,
    });
    Ok(places.with(items.collect()).into())
}

answer!(OwnAnswer { conversation: OwnConversation });

impl OwnAnswer {
    fn of(cx: &mut Read, room: ConversationWithParticipants, me: User) -> Result<Self> {
        let ConversationWithParticipants { conversation, participants } = room;
        let latest = latest_of(cx, std::slice::from_ref(&conversation))?.pop().flatten();
        let users = participants.iter().map(Participant::user);
        let names = Names::of(cx, users.chain(latest.iter().map(Message::sender)))?;
        let place = participants.iter().find(|one| one.user() == me);
        let conversation = OwnConversation {
            unread_count: place.map_or(0, |place| conversation.unread(place)),
            last_message: latest.map(|message| message.chat(&names)),
            participants: participants.iter().map(|one| one.reader(&names)).collect(),
            conversation,
        };
        Ok(Self { conversation })
    }
}

fn get_own_conversation(cx: &mut Read, Path(at): Path<ConversationPath>) -> Result<OwnAnswer> {
    let me = User::from_caller(cx)?;
    let room = ConversationWithParticipants::find_for_participant(cx, at.conversation_id, me)?;
    OwnAnswer::of(cx, room, me)
}

/// The caller's unread messages.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnreadCounts {
    unread_messages: i64,
    unread_conversations: i64,
}

fn count_unread(cx: &mut Read) -> Result<UnreadCounts> {
    let me = User::from_caller(cx)?;
    let counted: Option<(i64, i64)> = cx.one(UNREAD, params![me.user_id])?;
    let (unread_messages, unread_conversations) = counted.unwrap_or_default();
    Ok(UnreadCounts { unread_messages, unread_conversations })
}

/// The conversation to open.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewConversation {
    conversation_type: ConversationType,
    /// Coaches and clients who are to take part beside the caller: one for a direct conversation, 1 to
    /// 99 for a group.
    user_ids: Many<UserId, 1, 99>,
    /// Name of the group; required for groups.
    name: Option<Name<120>>,
    /// Description of the group.
    description: Option<Text<1000>>,
}

fn open_conversation(cx: &mut Write, Body(new): Body<NewConversation>) -> Result<OwnAnswer> {
    let me = User::from_caller(cx)?;
    let kind = new.conversation_type;
    let mut people = vec![me];
    for (at, UserId(id)) in new.user_ids.iter().enumerate() {
        let field = format!("userIds[{at}]");
        if people.iter().any(|user| user.user_id == *id) {
            return Err(Problem::invalid(&field, MessagingRule::ParticipantTwice));
        }
        people.push(User::find(cx, *id, me).map_err(|problem| problem.missing(&field, USER))?);
    }
    let room = match kind {
        ConversationType::Group => {
            check_coach(me)?;
            let name =
                new.name.ok_or_else(|| Problem::invalid("name", MessagingRule::GroupNameNeeded))?;
            let texts = [Some(name.into()), new.description.map(Into::into)];
            ConversationWithParticipants::open(cx, kind, texts, &people)?
        }
        ConversationType::Direct => {
            for (field, given) in
                [("name", new.name.is_some()), ("description", new.description.is_some())]
            {
                if given {
                    return Err(Problem::invalid(field, MessagingRule::ForGroups));
                }
            }
            let &[one, other] = people.as_slice() else {
                return Err(Problem::invalid("userIds", MessagingRule::OneForDirect));
            };
            match ConversationWithParticipants::between(cx, [one, other])? {
                Some(room) => {
                    cx.set_audit_target(
                        "conversation",
                        room.conversation.conversation_id,
                        Vec::<String>::new(),
                    );
                    room
                }
                None => ConversationWithParticipants::open(cx, kind, [None, None], &people)?,
            }
        }
    };
    OwnAnswer::of(cx, room, me)
}

/// The rule of a field that names a user.
const USER: MessagingRule = MessagingRule::NotReachable;

/// Groups are led by coaches.
fn check_coach(me: User) -> Result<()> {
    match me.role {
        UserRole::Coach => Ok(()),
        UserRole::Client => Err(Problem::because(Key::Forbidden, MessagingRule::GroupsOfCoaches)),
    }
}

/// A group of the caller.
fn group(cx: &mut Read, at: &ConversationPath, me: User) -> Result<ConversationWithParticipants> {
    let room = ConversationWithParticipants::find_for_participant(cx, at.conversation_id, me)?;
    if room.conversation.is_group() {
        Ok(room)
    } else {
        Err(Problem::conflict("conversationType", MessagingRule::NotGroup))
    }
}

/// The fields of a conversation to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ConversationChanges {
    name: Change<Name<120>>,
    description: Patch<Text<1000>>,
}

fn update_conversation(
    cx: &mut Write,
    Path(at): Path<ConversationPath>,
    Body(change): Body<ConversationChanges>,
) -> Result<OwnAnswer> {
    let me = User::from_caller(cx)?;
    let mut room = group(cx, &at, me)?;
    check_coach(me)?;
    let before = room.conversation.clone();
    let after = &mut room.conversation;
    change.name.map(|name| Some(name.into())).apply(&mut after.name);
    change.description.map(Into::into).apply(&mut after.description);
    let changed = after.changed(&before);
    if cx.audit_fields("conversation", at.conversation_id, changed.clone()).is_some() {
        after.save(cx)?;
        let event = after.event(changed);
        room.announce(cx, Event::ConversationUpdated, &event)?;
    }
    OwnAnswer::of(cx, room, me)
}

/// The person to add to a conversation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewParticipant {
    user_id: UserId,
}

fn add_participant(
    cx: &mut Write,
    Path(at): Path<ConversationPath>,
    Body(new): Body<NewParticipant>,
) -> Result<OwnAnswer> {
    let me = User::from_caller(cx)?;
    let mut room = group(cx, &at, me)?;
    check_coach(me)?;
    let UserId(id) = new.user_id;
    let user = User::find(cx, id, me).map_err(|problem| problem.missing("userId", USER))?;
    if room.place_of(id).is_some() {
        return Err(Problem::conflict("userId", MessagingRule::TakesPartAlready));
    }
    if room.conversation.participant_count >= PARTICIPANTS_MAX {
        return Err(Problem::conflict("participants", MessagingRule::GroupTooLarge { max: 100 }));
    }
    cx.set_audit_target("conversation", at.conversation_id, ["participants"]);
    room.add(cx, user)?;
    OwnAnswer::of(cx, room, me)
}

path!(ParticipantPath { conversation_id: super::ConversationId, user_id: UserId });

/// The removed participant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemovedParticipant {
    conversation_id: super::ConversationId,
    user_id: Id,
    participant_count: i64,
}

fn remove_participant(
    cx: &mut Write,
    Path(at): Path<ParticipantPath>,
) -> Result<RemovedParticipant> {
    let me = User::from_caller(cx)?;
    let ParticipantPath { conversation_id, user_id: UserId(user_id) } = at;
    let mut room = group(cx, &ConversationPath { conversation_id }, me)?;
    if user_id != me.user_id {
        check_coach(me)?;
    }
    let leaving = room.place_of(user_id).ok_or(Key::NotFound)?.user();
    cx.set_audit_target("conversation", conversation_id, ["participants"]);
    room.remove(cx, leaving)?;
    let participant_count = room.conversation.participant_count;
    Ok(RemovedParticipant { conversation_id, user_id, participant_count })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(app GET "/conversations", SignedIn, list_own_conversations)
            .summary("List own conversations")
            .describe("Returns conversations that the caller takes part in, latest activity first."),
        operation!(app GET "/conversations/unread", SignedIn, count_unread)
            .summary("Count unread messages")
            .describe("Returns how many messages and conversations the caller has not seen."),
        operation!(app POST "/conversations", SignedIn, open_conversation)
            .summary("Open a conversation")
            .describe(
                "Creates a conversation. Two people have one direct conversation: opening it \
                 again returns it.",
            )
            .emits(&[Event::ConversationCreated])
            .fails(&[Key::ApiError]),
        operation!(app GET "/conversations/{conversationId}", SignedIn, get_own_conversation)
            .summary("Get an own conversation")
            .describe("Returns a conversation that the caller takes part in."),
        operation!(app PATCH "/conversations/{conversationId}", SignedIn, update_conversation)
            .summary("Update a group conversation")
            .describe("Changes a group's name and description.")
            .emits(&[Event::ConversationUpdated])
            .fails(&[Key::InvalidEnum, Key::ApiError]),
        operation!(app POST "/conversations/{conversationId}/participants", SignedIn, add_participant)
            .summary("Add a participant")
            .describe("Adds a coach or a client to a group conversation.")
            .emits(&[Event::ConversationParticipantAdded])
            .fails(&[Key::InvalidEnum, Key::FieldTooLong, Key::ApiError]),
        operation!(app DELETE "/conversations/{conversationId}/participants/{userId}", SignedIn,
            remove_participant)
        .summary("Remove a participant")
            .describe("Removes a participant from a group conversation, or leaves it.")
        .emits(&[Event::ConversationParticipantRemoved])
        .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// A person's conversations, the one with the latest message first.
    pub(super) LIST: List<Participant, Filters> = List::new(
        "participant WHERE company_id = ?1 AND user_id = ?2",
        "active_at DESC, conversation_id DESC",
    );
}

statements! {
    UNREAD = "SELECT CAST(COALESCE(SUM(c.message_count - p.seen_position), 0) AS BIGINT), \
        COUNT(NULLIF(c.message_count, p.seen_position)) FROM participant p JOIN conversation c \
        ON c.company_id = ?1 AND c.conversation_id = p.conversation_id \
        WHERE p.company_id = ?1 AND p.user_id = ?2";
}
