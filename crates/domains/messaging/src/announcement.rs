//! Announcements: one text to many clients, as a message, by mail, or both. Its recipients are fixed when it is made; it is
//! sent a minute later, until when it can be taken back, a number of recipients at a time.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, ErasureAction, ErasureRule, Read, Role, Timer, Write, admission::ClassAttendees,
    bulk,
};
use spotter_kernel::{
    Event, Id, Key, Many, Problem, Result, Rule, Timestamp,
    id::{ClientId, CoachId},
    id_type,
    text::Text,
};
use spotter_mail::Letter;
use spotter_people::clients::{
    Client,
    audience::{self, ClientAudience},
    letter_reader::LetterReader,
    notifications::{NotificationFilter, NotificationKind, NotificationSettings},
};
use spotter_store::{Json, Tx, params, record, set, statements, stored_ids, values, words};

use crate::{
    conversation::{ConversationType, ConversationWithParticipants},
    message::MessageContent,
    messages,
    rules::MessagingRule,
    users::{User, UserRole},
};

id_type!(
    /// An announcement.
    AnnouncementId,
    RequestInvalid
);
stored_ids!(AnnouncementId);

words! {
    /// The status of an announcement: a scheduled one can be cancelled until it begins to be sent.
    pub enum AnnouncementStatus {
        Scheduled = "scheduled",
        Sending = "sending",
        Sent = "sent",
        Cancelled = "cancelled",
    }
}

words! {
    /// Whom an announcement is for: the attendees of a class, clients with a tag, those of a coach, chosen ones, or
    /// everybody.
    pub enum AudienceKind {
        Class = "class",
        Tag = "tag",
        Coach = "coach",
        Clients = "clients",
        All = "all",
    }
}

words! {
    /// What became of an announcement for a recipient: `unreachable` where no channel leads to them.
    pub enum RecipientStatus { Waiting = "waiting", Sent = "sent", Unreachable = "unreachable" }
}

/// Whom an announcement is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Audience {
    /// Which clients.
    pub kind: AudienceKind,
    /// The class, with `class` alone.
    pub calendar_event_id: Option<Id>,
    /// The tag, with `tag` alone.
    pub tag: Option<Text<60>>,
    /// The coach, with `coach` alone.
    pub coach_id: Option<CoachId>,
    /// The clients, with `clients` alone; an answer has them in the list of recipients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ids: Option<Many<ClientId, 1, { bulk::RECORDS_MAX }>>,
}

/// How an announcement reaches its recipients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnnouncementChannels {
    /// As a message from the person who writes it, to clients with a portal.
    #[serde(default)]
    pub message: bool,
    /// By mail, to clients with an address who agreed to e-mail; attendees of a class in any case.
    #[serde(default)]
    pub mail: bool,
}

record! {
    /// An announcement.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Announcement {
        /// The announcement's id.
        pub announcement_id: AnnouncementId,
        /// Whom it is for.
        pub audience: Json<Audience>,
        /// How it reaches them.
        pub channels: Json<AnnouncementChannels>,
        /// Subject of the mail.
        pub subject: String,
        /// What it says; an empty line begins a paragraph.
        pub text: String,
        /// Coach who wrote it.
        pub coach_id: CoachId,
        /// How far it is.
        pub status: AnnouncementStatus,
        /// Instant from which it is sent; until then it can be cancelled.
        pub send_at: Timestamp,
        /// Number of recipients.
        pub recipients: i64,
        /// Number of recipients whom it was sent to.
        pub sent: i64,
        /// Number of recipients whom no channel leads to.
        pub unreachable: i64,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// How long an announcement can be taken back, in seconds.
pub const UNDO_SECONDS: i64 = 60;
/// Most recipients of an announcement.
pub const RECIPIENTS_MAX: usize = 5_000;
/// Recipients that are written to in one transaction.
const AT_ONCE: i64 = 25;
/// A class that begins so soon is written about in quiet hours, too.
const URGENT_SECONDS: i64 = 12 * 3_600;

impl Audience {
    /// The recipients, for a caller who may write to them.
    pub fn clients(&self, cx: &mut Read) -> Result<Vec<ClientId>> {
        let wanted = |field: &str, given: bool, kind: AudienceKind| match (given, self.kind == kind)
        {
            (false, true) => Err(Problem::invalid(field, Rule::Required)),
            (true, false) => Err(Problem::invalid(field, MessagingRule::OtherAudience)),
            _ => Ok(()),
        };
        wanted("audience.calendarEventId", self.calendar_event_id.is_some(), AudienceKind::Class)?;
        wanted("audience.tag", self.tag.is_some(), AudienceKind::Tag)?;
        wanted("audience.coachId", self.coach_id.is_some(), AudienceKind::Coach)?;
        wanted("audience.clientIds", self.client_ids.is_some(), AudienceKind::Clients)?;
        if let Some(chosen) = &self.client_ids {
            return chosen_clients(cx, chosen.iter().copied());
        }
        if let Some(event) = self.calendar_event_id {
            let ClassAttendees { coach, clients, .. } = cx.timetable()?.attendees(cx, event)?;
            check_audience(cx, Some(coach))?;
            return Ok(clients);
        }
        check_audience(cx, self.coach_id)?;
        let of = match (&self.tag, self.coach_id) {
            (Some(tag), _) => ClientAudience::Tag(tag.to_string()),
            (_, Some(coach)) => ClientAudience::Coach(coach),
            _ => ClientAudience::All,
        };
        audience::clients(cx, &of, RECIPIENTS_MAX as i64 + 1)
    }
}

/// Chosen clients, each once: a coach's own where a coach writes to them.
fn chosen_clients(cx: &mut Read, chosen: impl Iterator<Item = ClientId>) -> Result<Vec<ClientId>> {
    let mut each_once = BTreeSet::new();
    for (number, id) in chosen.enumerate() {
        let field = format!("audience.clientIds[{number}]");
        let client = Client::find(cx, id)
            .map_err(|none| none.missing(&field, MessagingRule::UnknownClient))?;
        check_audience(cx, client.assigned_coach_id())?;
        each_once.insert(id);
    }
    Ok(each_once.into_iter().collect())
}

/// Coaches write to attendees of their classes and to their own clients; managers to everybody.
fn check_audience(cx: &Read, of: Option<CoachId>) -> Result<()> {
    match cx.caller().actor {
        Actor::Coach { id, role: Role::Coach, .. } if of != Some(id) => {
            Err(Problem::because(Key::Forbidden, MessagingRule::OwnAudience))
        }
        _ => Ok(()),
    }
}

impl Announcement {
    /// The announcement with this id; coaches find their own.
    pub fn find(cx: &mut Read, id: AnnouncementId) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        let found = found.ok_or(Key::NotFound)?;
        match cx.caller().actor {
            Actor::Coach { id, role: Role::Coach, .. } if id != found.coach_id => {
                Err(Key::NotFound.into())
            }
            _ => Ok(found),
        }
    }

    /// Writes an announcement down with its recipients, and has it sent soon.
    pub fn create(&self, cx: &mut Write, clients: &[ClientId]) -> Result<()> {
        cx.set_audit_target("announcement", self.announcement_id, ["announcement"]);
        cx.defer(INSERT, &self.params())?;
        for client in clients {
            let status = RecipientStatus::Waiting;
            cx.defer(ADD_RECIPIENT, params![self.announcement_id, client, status])?;
        }
        cx.set_timer(&SEND_ANNOUNCEMENT, self.announcement_id, self.send_at)
    }

    /// Takes it back, before it begins to be sent.
    pub fn cancel(&mut self, cx: &mut Write) -> Result<()> {
        if self.status != AnnouncementStatus::Scheduled {
            return Err(Problem::conflict("status", MessagingRule::AnnouncementBegun));
        }
        self.status = AnnouncementStatus::Cancelled;
        cx.set_audit_target("announcement", self.announcement_id, ["status"]);
        cx.clear_timer(&SEND_ANNOUNCEMENT, self.announcement_id)?;
        self.save(cx)
    }

    fn save(&mut self, cx: &mut Write) -> Result<()> {
        self.updated_at = cx.now();
        cx.defer(SAVE, &self.params())
    }

    /// Sends it to a recipient by each channel that leads to them; whether one does.
    fn send_to(&self, cx: &mut Write, client: ClientId) -> Result<bool> {
        let Some(found) = Client::find_optional(cx, client)?.filter(|found| !found.is_archived())
        else {
            return Ok(false);
        };
        let AnnouncementChannels { message, mail } = self.channels.0;
        let is_service = self.audience.0.kind == AudienceKind::Class;
        let mut reached = false;
        if mail
            && (is_service || found.agreed_to_email())
            && (is_service
                || NotificationFilter::of(cx, client)?.includes(NotificationKind::Announcements))
            && let Some(reader) = LetterReader::of(cx, client)?
        {
            let letter = Letter::Announcement { subject: &self.subject, text: &self.text };
            spotter_mail::send(cx, reader.recipient(), self.announcement_id, &letter)?;
            reached = true;
        }
        if message && found.may_sign_in() {
            self.say_to(cx, client)?;
            reached = true;
        }
        Ok(reached)
    }

    /// Sends it as a message of its writer.
    fn say_to(&self, cx: &mut Write, client: ClientId) -> Result<()> {
        let writer = User { user_id: self.coach_id.0, role: UserRole::Coach };
        let people = [writer, User { user_id: client.0, role: UserRole::Client }];
        let mut room = match ConversationWithParticipants::between(cx, people)? {
            Some(room) => room,
            None => {
                let direct = ConversationType::Direct;
                ConversationWithParticipants::open(cx, direct, [None, None], &people)?
            }
        };
        let content = MessageContent { text: Some(self.text.clone()), attached: None };
        messages::post(cx, &mut room, writer, content).map(drop)
    }

    /// When the quiet hours end in which it would be sent now; nothing where it cannot wait.
    fn waits_until(&self, cx: &mut Read) -> Result<Option<Timestamp>> {
        let zone = cx.zone()?;
        let now = cx.now();
        let until = NotificationSettings::find(cx)?.quiet_until(now, &zone);
        let Some(until) = until else { return Ok(None) };
        let begins = match self.audience.0.calendar_event_id {
            Some(event) => Some(cx.timetable()?.attendees(cx, event)?.starts_at),
            None => None,
        };
        Ok(Some(until)
            .filter(|until| begins.is_none_or(|at| at >= until.plus_seconds(URGENT_SECONDS))))
    }
}

/// Sends an announcement to the next recipients.
fn send_announcement(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Announcement> = cx.one(FIND, params![id])?;
    let Some(mut announcement) = found else { return Ok(()) };
    if matches!(announcement.status, AnnouncementStatus::Sent | AnnouncementStatus::Cancelled) {
        return Ok(());
    }
    if announcement.status == AnnouncementStatus::Scheduled
        && let Some(until) = announcement.waits_until(cx)?
    {
        announcement.send_at = until;
        announcement.save(cx)?;
        return cx.set_timer(&SEND_ANNOUNCEMENT, id, until);
    }
    let waiting = RecipientStatus::Waiting;
    let next: Vec<(ClientId,)> = cx.all(NEXT_RECIPIENTS, params![id, waiting, AT_ONCE])?;
    // Who has left a class meanwhile is not written to about it.
    let attendees = match announcement.audience.0.calendar_event_id {
        Some(event) => Some(cx.timetable()?.attendees(cx, event)?.clients),
        None => None,
    };
    for (client,) in &next {
        let still_comes = attendees.as_ref().is_none_or(|those| those.contains(client));
        let reached = still_comes && announcement.send_to(cx, *client)?;
        let status = if reached { RecipientStatus::Sent } else { RecipientStatus::Unreachable };
        let count = if reached { &mut announcement.sent } else { &mut announcement.unreachable };
        *count += 1;
        cx.defer(MARK_RECIPIENT, params![id, client, status])?;
    }
    let is_over = (next.len() as i64) < AT_ONCE;
    announcement.status =
        if is_over { AnnouncementStatus::Sent } else { AnnouncementStatus::Sending };
    announcement.save(cx)?;
    if is_over {
        return Ok(());
    }
    let now = cx.now();
    cx.set_timer(&SEND_ANNOUNCEMENT, id, now)
}

static SEND_ANNOUNCEMENT: Timer =
    Timer::new("send_announcement", "Send an announcement to its recipients", send_announcement)
        .emits(&[Event::ConversationCreated, Event::ConversationMessageCreated]);

/// Cancels announcements in a restored database that were still to be sent: they may have been since the backup.
pub fn cancel_waiting(tx: &mut Tx<'_>) -> Result<u64> {
    use AnnouncementStatus::{Cancelled, Scheduled, Sending};
    tx.execute(CANCEL_WAITING, params![Cancelled, Scheduled, Sending])
}

/// Personal data in this module.
const TRACES: &[ErasureRule] =
    &[ErasureRule::gone("announcement_recipient", ErasureAction::By(FORGET))];

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&SEND_ANNOUNCEMENT]).erases(TRACES)
}

statements! {
    FIND = "SELECT ", Announcement::COLUMNS, " FROM announcement WHERE company_id = ?1 AND announcement_id = ?2";
    INSERT = "INSERT INTO announcement ", values!(Announcement);
    SAVE = "UPDATE announcement SET ", set!(Announcement), " WHERE company_id = ?1 AND announcement_id = ?2";
    CANCEL_WAITING = "UPDATE announcement SET status = ?1 WHERE status IN (?2, ?3)";
    ADD_RECIPIENT = "INSERT INTO announcement_recipient (company_id, announcement_id, client_id, status) \
        VALUES (?1, ?2, ?3, ?4)";
    NEXT_RECIPIENTS = "SELECT client_id FROM announcement_recipient WHERE company_id = ?1 \
        AND announcement_id = ?2 AND status = ?3 ORDER BY client_id LIMIT ?4";
    MARK_RECIPIENT = "UPDATE announcement_recipient SET status = ?4 \
        WHERE company_id = ?1 AND announcement_id = ?2 AND client_id = ?3";
    FORGET = "DELETE FROM announcement_recipient WHERE company_id = ?1 AND client_id = ?2";
}
