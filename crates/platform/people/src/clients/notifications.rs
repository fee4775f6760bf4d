//! Notifications: letters to clients about what changes for them. A company chooses which kinds it sends and at which
//! hours, and every client which of these they want.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ErasureAction, ErasureRule, ExportSection, Path, Read, Write, answer, operation,
};
use spotter_kernel::{
    Change, Patch, Problem, Result, TimeZone, Timestamp, id::ClientId, number::BoundedInteger,
    text::WallTime,
};
use spotter_store::{Json, params, record, set, statements, values};

use super::{letter_reader::LetterReader, record::Client, search::ClientPath};
use crate::rules::PeopleRule;

/// A kind of notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationKind {
    /// A booking is made, moved or cancelled; a request is answered.
    Bookings,
    /// A place on a waiting list is taken, a seat is offered or the offer lapses.
    Waitlists,
    /// A booking is about to begin.
    Reminders,
    /// A membership or credits are about to end.
    Memberships,
    /// A form is to be filled in, or a check-up was reviewed.
    Forms,
    /// A message is unread.
    Messages,
    /// Staff write to many.
    Announcements,
}

/// Whether each kind of notification is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NotificationKinds {
    /// Bookings that are made, moved or cancelled, and answers to requests.
    bookings: bool,
    /// Places on waiting lists, and seats that are offered.
    waitlists: bool,
    /// Reminders before bookings begin.
    reminders: bool,
    /// Memberships and credits that are about to end.
    memberships: bool,
    /// Forms to fill in, and check-ups that were reviewed.
    forms: bool,
    /// Messages that are unread for a day.
    messages: bool,
    /// Mail to many clients, but for what concerns a class that they have booked.
    announcements: bool,
}

impl Default for NotificationKinds {
    /// Every kind.
    fn default() -> Self {
        Self {
            bookings: true,
            waitlists: true,
            reminders: true,
            memberships: true,
            forms: true,
            messages: true,
            announcements: true,
        }
    }
}

impl NotificationKinds {
    const fn include(self, kind: NotificationKind) -> bool {
        match kind {
            NotificationKind::Bookings => self.bookings,
            NotificationKind::Waitlists => self.waitlists,
            NotificationKind::Reminders => self.reminders,
            NotificationKind::Memberships => self.memberships,
            NotificationKind::Forms => self.forms,
            NotificationKind::Messages => self.messages,
            NotificationKind::Announcements => self.announcements,
        }
    }
}

/// The kinds of notifications to switch on or off.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct NotificationKindsChanges {
    /// Bookings that are made, moved or cancelled, and answers to requests.
    bookings: Change<bool>,
    /// Places on waiting lists, and seats that are offered.
    waitlists: Change<bool>,
    /// Reminders before bookings begin.
    reminders: Change<bool>,
    /// Memberships and credits that are about to end.
    memberships: Change<bool>,
    /// Forms to fill in, and check-ups that were reviewed.
    forms: Change<bool>,
    /// Messages that are unread for a day.
    messages: Change<bool>,
    /// Mail to many clients, but for what concerns a class that they have booked.
    announcements: Change<bool>,
}

impl NotificationKindsChanges {
    fn apply(self, kinds: &mut NotificationKinds) {
        self.bookings.apply(&mut kinds.bookings);
        self.waitlists.apply(&mut kinds.waitlists);
        self.reminders.apply(&mut kinds.reminders);
        self.memberships.apply(&mut kinds.memberships);
        self.forms.apply(&mut kinds.forms);
        self.messages.apply(&mut kinds.messages);
        self.announcements.apply(&mut kinds.announcements);
    }
}

record! {
    /// The notification settings of a company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct NotificationSettings {
        /// Which notifications clients are sent.
        kinds: Json<NotificationKinds>,
        /// Hours before the start at which clients are reminded.
        pub reminder_hours: i64,
        /// Time of day from which notifications wait, in the client's time zone; null for no quiet hours.
        quiet_from: Option<WallTime>,
        /// Time of day at which those that waited are sent.
        quiet_until: Option<WallTime>,
        /// When it was last changed; null while everything is as it comes.
        updated_at: Option<Timestamp>,
    }
}

impl NotificationSettings {
    /// The company's settings, or the defaults.
    pub fn find(cx: &mut Read) -> Result<Self> {
        Ok(cx.one_kept(FIND_SETTINGS, params![])?.unwrap_or_else(|| Self {
            kinds: Json(NotificationKinds::default()),
            reminder_hours: 24,
            quiet_from: WallTime::parse("22:00"),
            quiet_until: WallTime::parse("07:00"),
            updated_at: None,
        }))
    }

    /// When the quiet hours end in which an instant lies, in a zone.
    pub fn quiet_until(&self, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let (from, until) = (self.quiet_from.as_ref()?, self.quiet_until.as_ref()?);
        let (date, time) = (zone.date_at(at), zone.time_at(at));
        let (from, time, morning) = (from.parts(), time.parts(), until.parts());
        let end = match from.cmp(&morning) {
            Ordering::Equal => None,
            Ordering::Less => (from..morning).contains(&time).then_some(date),
            Ordering::Greater if time >= from => Some(date.tomorrow()),
            Ordering::Greater => (time < morning).then_some(date),
        };
        end.map(|date| date.at(until, zone)).filter(|end| *end > at)
    }
}

record! {
    /// The notifications that a client wants.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct NotificationChoices {
        /// Client who is written to.
        client_id: ClientId,
        /// Which notifications they want.
        kinds: Json<NotificationKinds>,
        /// When it was last changed; null while everything is as it comes.
        updated_at: Option<Timestamp>,
    }
}

impl NotificationChoices {
    /// What a client has chosen, or the defaults.
    fn of(cx: &mut Read, client_id: ClientId) -> Result<Self> {
        let chosen = cx.one(FIND_CHOICES, params![client_id])?;
        let kinds = Json(NotificationKinds::default());
        Ok(chosen.unwrap_or(Self { client_id, kinds, updated_at: None }))
    }
}

/// Which notifications a client gets: those that the company sends and the client wants.
pub struct NotificationFilter {
    /// What the company sends, and when.
    pub settings: NotificationSettings,
    choices: NotificationChoices,
}

impl NotificationFilter {
    /// The filter of a client.
    pub fn of(cx: &mut Read, client: ClientId) -> Result<Self> {
        let settings = NotificationSettings::find(cx)?;
        Ok(Self { settings, choices: NotificationChoices::of(cx, client)? })
    }

    /// Whether the client gets this kind.
    pub const fn includes(&self, kind: NotificationKind) -> bool {
        self.settings.kinds.0.include(kind) && self.choices.kinds.0.include(kind)
    }
}

/// Whether a client is written to now.
pub enum NotificationTurn {
    /// The client, who reads it now.
    Now(Box<LetterReader>),
    /// It waits for the end of quiet hours.
    Later(Timestamp),
    /// The client does not get it.
    Never,
}

impl NotificationTurn {
    /// When a client gets a notification of this kind that can wait.
    pub fn of(cx: &mut Write, client: ClientId, kind: NotificationKind) -> Result<Self> {
        let reader = LetterReader::of(cx, client)?.filter(|reader| !reader.client.is_archived());
        let Some(reader) = reader else { return Ok(Self::Never) };
        let filter = NotificationFilter::of(cx, client)?;
        if !filter.includes(kind) {
            return Ok(Self::Never);
        }
        let zone = reader.client.zone(cx)?;
        Ok(match filter.settings.quiet_until(cx.now(), &zone) {
            Some(until) => Self::Later(until),
            None => Self::Now(Box::new(reader)),
        })
    }
}

answer!(SettingsAnswer { notification_settings: NotificationSettings });

fn get_notification_settings(cx: &mut Read) -> Result<SettingsAnswer> {
    Ok(SettingsAnswer { notification_settings: NotificationSettings::find(cx)? })
}

/// The notification settings to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct NotificationSettingsChanges {
    /// Which notifications clients are sent: present fields change.
    kinds: Change<NotificationKindsChanges>,
    /// Hours before the start at which clients are reminded.
    reminder_hours: Change<BoundedInteger<1, 168>>,
    /// Time of day from which notifications wait, in the client's time zone; null for no quiet hours.
    quiet_from: Patch<WallTime>,
    /// Time of day at which those that waited are sent; null with `quietFrom`. The same time is no quiet hours.
    quiet_until: Patch<WallTime>,
}

fn update_notification_settings(
    cx: &mut Write,
    Body(change): Body<NotificationSettingsChanges>,
) -> Result<SettingsAnswer> {
    let before = NotificationSettings::find(cx)?;
    let mut settings = before.clone();
    if let Some(change) = change.kinds.value() {
        change.apply(&mut settings.kinds.0);
    }
    change.reminder_hours.apply(&mut settings.reminder_hours);
    change.quiet_from.apply(&mut settings.quiet_from);
    change.quiet_until.apply(&mut settings.quiet_until);
    if settings.quiet_from.is_some() != settings.quiet_until.is_some() {
        return Err(Problem::invalid("quietUntil", PeopleRule::QuietHoursIncomplete));
    }
    let company = cx.company();
    if let Some(now) = cx.audit_fields("company", company, settings.changed(&before)) {
        settings.updated_at = Some(now);
        cx.defer(SAVE_SETTINGS, &settings.params())?;
    }
    Ok(SettingsAnswer { notification_settings: settings })
}

answer!(ChoicesAnswer { notification_choices: NotificationChoices });

fn get_notification_choices(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<ChoicesAnswer> {
    Client::find(cx, at.client_id)?;
    Ok(ChoicesAnswer { notification_choices: NotificationChoices::of(cx, at.client_id)? })
}

/// The notifications that a client wants from now on.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct NotificationChoicesChanges {
    /// Which notifications they want: present fields change.
    kinds: Change<NotificationKindsChanges>,
}

fn update_notification_choices(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(change): Body<NotificationChoicesChanges>,
) -> Result<ChoicesAnswer> {
    Client::find(cx, at.client_id)?;
    let before = NotificationChoices::of(cx, at.client_id)?;
    let mut choices = before.clone();
    if let Some(change) = change.kinds.value() {
        change.apply(&mut choices.kinds.0);
    }
    if let Some(now) = cx.audit_fields("client", at.client_id, choices.changed(&before)) {
        choices.updated_at = Some(now);
        cx.defer(SAVE_CHOICES, &choices.params())?;
    }
    Ok(ChoicesAnswer { notification_choices: choices })
}

/// Personal data in this module.
const TRACES: &[ErasureRule] =
    &[ErasureRule::gone("notification_choices", ErasureAction::By(FORGET))];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .exports(&[ExportSection::of("notification-choices", "get_notification_choices")])
        .erases(TRACES)
        .operations([
            operation!(app GET "/company/notification-settings", Manager, get_notification_settings)
                .summary("Get the notification settings")
                .describe("Returns which notifications clients are sent, and at which hours."),
            operation!(app PATCH "/company/notification-settings", Manager,
                update_notification_settings)
            .summary("Update the notification settings")
            .describe(
                "Changes the fields that are sent. In quiet hours notifications wait, but for answers to what clients \
                 do themselves and for what begins before the morning is over.",
            ),
            operation!(app GET "/clients/{clientId}/notification-choices", Coach,
                get_notification_choices)
            .summary("Get a client's notification choices")
            .describe("Returns which notifications the client wants.")
            .for_client(&[]),
            operation!(app PATCH "/clients/{clientId}/notification-choices", Coach,
                update_notification_choices)
            .summary("Update a client's notification choices")
            .describe(
                "Changes which notifications the client wants, by the client, or by staff on the client's word. \
                 Invoices and what concerns the account are sent in any case.",
            )
            .for_client(&[]),
        ])
}

statements! {
    FIND_SETTINGS = "SELECT ", NotificationSettings::COLUMNS, " FROM notification_settings WHERE company_id = ?1";
    SAVE_SETTINGS = "INSERT INTO notification_settings ", values!(NotificationSettings),
        " ON CONFLICT (company_id) DO UPDATE SET ", set!(NotificationSettings);
    FIND_CHOICES = "SELECT ", NotificationChoices::COLUMNS, " FROM notification_choices \
        WHERE company_id = ?1 AND client_id = ?2";
    SAVE_CHOICES = "INSERT INTO notification_choices ", values!(NotificationChoices),
        " ON CONFLICT (company_id, client_id) DO UPDATE SET ", set!(NotificationChoices);
    FORGET = "DELETE FROM notification_choices WHERE company_id = ?1 AND client_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(from: &str, until: &str) -> NotificationSettings {
        NotificationSettings {
            kinds: Json(NotificationKinds::default()),
            reminder_hours: 24,
            quiet_from: WallTime::parse(from),
            quiet_until: WallTime::parse(until),
            updated_at: None,
        }
    }

    #[test]
    fn quiet_hours_end_by_the_clock_of_the_place() {
        let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let ends = |quiet: &NotificationSettings, now: &str| quiet.quiet_until(at(now), &zone);
        let night = settings("22:00", "07:00");
        assert_eq!(ends(&night, "2026-11-26T20:59:59Z"), None);
        assert_eq!(ends(&night, "2026-11-26T21:00:00Z"), Some(at("2026-11-27T06:00:00Z")));
        assert_eq!(ends(&night, "2026-11-27T05:59:00Z"), Some(at("2026-11-27T06:00:00Z")));
        assert_eq!(ends(&night, "2026-11-27T06:00:00Z"), None);
        // The night in which the clocks go back has an hour more.
        assert_eq!(ends(&night, "2026-10-24T20:30:00Z"), Some(at("2026-10-25T06:00:00Z")));
        let noon = settings("12:00", "14:00");
        assert_eq!(ends(&noon, "2026-11-26T11:30:00Z"), Some(at("2026-11-26T13:00:00Z")));
        assert_eq!(ends(&noon, "2026-11-26T13:00:00Z"), None);
    }

    #[test]
    fn without_quiet_hours_nothing_waits() {
        let mut none = settings("22:00", "07:00");
        (none.quiet_from, none.quiet_until) = (None, None);
        let now = Timestamp::parse("2026-11-26T23:00:00Z").unwrap();
        assert_eq!(none.quiet_until(now, &TimeZone::UTC), None);
        // Hours that end when they begin are none.
        assert_eq!(settings("08:00", "08:00").quiet_until(now, &TimeZone::UTC), None);
    }
}
