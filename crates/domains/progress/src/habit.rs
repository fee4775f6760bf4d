//! A habit and its entries: the records and their API forms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Payload, Read, Write};
use spotter_kernel::{Date, Event, Id, Key, Result, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{Json, params, record, set, statements, stored_ids, values, words};

use crate::{
    streak::{EntryStatus, HabitSchedule, Rest, Schedule, ScheduleVersion, Streak, StreakUnit},
    units::rounded,
};

id_type!(
    /// A habit.
    HabitId,
    RequestInvalid
);
stored_ids!(HabitId);

words! {
    /// Whether a habit is yes or no, or counts an amount.
    pub enum HabitKind { Check = "check", Amount = "amount" }
}

words! {
    /// Which amounts are enough.
    pub enum HabitThreshold { AtLeast = "at_least", AtMost = "at_most" }
}

words! {
    /// The status of a habit.
    pub enum HabitStatus { Active = "active", Paused = "paused", Archived = "archived" }
}

record! {
    /// A habit: the record. Amounts are in hundredths of its unit.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Habit {
        /// Client who keeps it.
        pub client_id: ClientId,
        /// Id of the habit.
        pub habit_id: HabitId,
        /// Display name.
        pub name: String,
        /// What counts.
        pub kind: HabitKind,
        /// How much is enough.
        pub target: Option<i64>,
        /// The unit of amounts.
        pub unit: Option<String>,
        /// Whether more or less than the target is enough.
        pub direction: HabitThreshold,
        /// When it is due, and from which date on.
        pub versions: Json<Vec<ScheduleVersion>>,
        /// When it rests.
        pub rests: Json<Vec<Rest>>,
        /// First day.
        pub start_date: Date,
        /// Last day.
        pub end_date: Option<Date>,
        /// Current status.
        pub status: HabitStatus,
        /// The longest streak.
        pub longest_streak: i64,
        /// The last streak.
        pub last_streak: i64,
        /// Until when the streak lasts without a new entry.
        pub streak_holds_until: Option<Date>,
        /// What kind of caller made it.
        pub created_by_type: String,
        /// Who made it.
        pub created_by: Option<Id>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// A habit of a client.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Habit")]
pub struct HabitView {
    habit_id: HabitId,
    client_id: ClientId,
    name: String,
    /// Kind of habit: yes or no, or an amount.
    kind: HabitKind,
    /// Daily target in `unit`; null for habits of the kind yes or no.
    target: Option<f64>,
    unit: Option<String>,
    /// Whether at least or at most the target is enough.
    direction: HabitThreshold,
    /// When it is due, from the latest change on.
    schedule: Schedule,
    start_date: Date,
    /// Last day; null without an end.
    end_date: Option<Date>,
    status: HabitStatus,
    /// Periods in which the habit is paused.
    rests: Vec<Rest>,
    /// Number of dates in a row on which the habit was kept, as of today in the client's time zone.
    current_streak: i64,
    longest_streak: i64,
    streak_unit: StreakUnit,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    created_by_type: String,
    created_by: Option<Id>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Habit {
    /// A client's habit.
    pub fn find(cx: &mut Read, client: ClientId, id: HabitId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// When it is due now.
    pub fn schedule(&self) -> Schedule {
        self.versions.0.last().map_or(Schedule::DAILY, |version| version.schedule.clone())
    }

    /// How often in a row it was kept, as of a day.
    pub fn streak_on(&self, today: Date) -> (i64, StreakUnit) {
        let streak = Streak {
            longest: self.longest_streak,
            last: self.last_streak,
            holds_until: self.streak_holds_until,
        };
        (streak.on(today), self.schedule().unit())
    }

    /// Its API form on a date.
    pub fn view(&self, today: Date) -> HabitView {
        let (current_streak, streak_unit) = self.streak_on(today);
        HabitView {
            habit_id: self.habit_id,
            client_id: self.client_id,
            name: self.name.clone(),
            kind: self.kind,
            target: self.target.map(amount_in_api),
            unit: self.unit.clone(),
            direction: self.direction,
            schedule: self.schedule(),
            start_date: self.start_date,
            end_date: self.end_date,
            status: self.status,
            rests: self.rests.0.clone(),
            current_streak,
            longest_streak: self.longest_streak,
            streak_unit,
            created_by_type: self.created_by_type.clone(),
            created_by: self.created_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// What an amount means.
    pub fn judged(&self, amount: i64) -> EntryStatus {
        let target = self.target.unwrap_or(0);
        let is_enough = match self.direction {
            HabitThreshold::AtLeast => amount >= target,
            HabitThreshold::AtMost => amount <= target,
        };
        if is_enough { EntryStatus::Done } else { EntryStatus::Missed }
    }

    /// Recounts its streaks from its entries.
    pub fn count(&mut self, cx: &mut Read) -> Result<()> {
        let rows: Vec<(Date, EntryStatus)> =
            cx.all(STATUSES, params![self.client_id, self.habit_id])?;
        let entries: BTreeMap<_, _> = rows.into_iter().collect();
        let schedule = HabitSchedule {
            versions: &self.versions.0,
            rests: &self.rests.0,
            start: self.start_date,
            end: self.end_date,
        };
        let streak = schedule.streak(&entries);
        self.longest_streak = streak.longest;
        self.last_streak = streak.last;
        self.streak_holds_until = streak.holds_until;
        Ok(())
    }

    /// Inserts a new record.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("habit", self.habit_id, ["habit"]);
        cx.defer(INSERT, &self.params())
    }

    /// Writes a change down.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("habit", self.habit_id, changed) else { return Ok(()) };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }

    /// The same for its streaks alone, which are no change of the habit.
    pub fn save_streaks(&self, cx: &mut Write, before: &Self) -> Result<()> {
        match self == before {
            true => Ok(()),
            false => cx.defer(SAVE, &self.params()),
        }
    }
}

/// An amount in the API.
pub fn amount_in_api(hundredths: i64) -> f64 {
    rounded(hundredths as f64 / 100.0, 2)
}

record! {
    /// An entry of a habit on a date: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct HabitEntry {
        /// Client who kept it that day.
        pub client_id: ClientId,
        /// The habit.
        pub habit_id: HabitId,
        /// The date, where the client is.
        pub date: Date,
        /// Current status.
        pub status: EntryStatus,
        /// How much of it, in hundredths of its unit.
        pub amount: Option<i64>,
        /// Note, as free text.
        pub note: Option<String>,
        /// What kind of caller wrote it last.
        pub recorded_by_type: String,
        /// Who wrote it last.
        pub recorded_by: Option<Id>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The result of a habit on a date.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HabitEntry")]
pub struct EntryView {
    habit_id: HabitId,
    client_id: ClientId,
    date: Date,
    status: EntryStatus,
    /// Amount in the habit's unit.
    amount: Option<f64>,
    note: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    recorded_by_type: String,
    recorded_by: Option<Id>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The payload of every habit entry event, without amounts and notes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HabitEntryEvent {
    client_id: ClientId,
    habit_id: HabitId,
    date: Date,
}

impl Payload for HabitEntryEvent {
    const EVENTS: &'static [Event] = &[Event::HabitEntryCreated];
}

impl HabitEntry {
    /// The entry of a habit on a date, if any.
    pub fn find(cx: &mut Read, habit: &Habit, date: Date) -> Result<Option<Self>> {
        cx.one(FIND_ENTRY, params![habit.client_id, habit.habit_id, date])
    }

    /// Its API form.
    pub fn view(&self) -> EntryView {
        EntryView {
            habit_id: self.habit_id,
            client_id: self.client_id,
            date: self.date,
            status: self.status,
            amount: self.amount.map(amount_in_api),
            note: self.note.clone(),
            recorded_by_type: self.recorded_by_type.clone(),
            recorded_by: self.recorded_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// Stores a new habit and emits its event.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("habit", self.habit_id, ["entry"]);
        cx.defer(INSERT_ENTRY, &self.params())?;
        let (client_id, habit_id, date) = (self.client_id, self.habit_id, self.date);
        let payload = HabitEntryEvent { client_id, habit_id, date };
        cx.emit(Event::HabitEntryCreated, &payload).map(drop)
    }

    /// Writes a change down.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("habit", self.habit_id, changed) else { return Ok(()) };
        self.updated_at = now;
        cx.defer(SAVE_ENTRY, &self.params())
    }

    /// Takes it back.
    pub fn delete(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("habit", self.habit_id, ["entry"]);
        cx.defer(DELETE_ENTRY, params![self.client_id, self.habit_id, self.date])
    }
}

/// How many days back a caller may write: clients a week, others a year.
pub fn days_back(cx: &Read) -> i64 {
    match cx.caller().actor {
        Actor::Client { .. } => 7,
        _ => 365,
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<HabitEntryEvent>()
}

statements! {
    FIND = "SELECT ", Habit::COLUMNS, " FROM habit WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3";
    INSERT = "INSERT INTO habit ", values!(Habit);
    SAVE = "UPDATE habit SET ", set!(Habit), " WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3";
    STATUSES = "SELECT date, status FROM habit_entry WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3 \
        ORDER BY date DESC LIMIT 4000";
    FIND_ENTRY = "SELECT ", HabitEntry::COLUMNS, " FROM habit_entry \
        WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3 AND date = ?4";
    INSERT_ENTRY = "INSERT INTO habit_entry ", values!(HabitEntry);
    SAVE_ENTRY = "UPDATE habit_entry SET ", set!(HabitEntry),
        " WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3 AND date = ?4";
    DELETE_ENTRY = "DELETE FROM habit_entry WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3 AND date = ?4";
}
