//! Habits: creating, changing, pausing and archiving them, and their entries.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, OptionalBody, Path, Read, Success, Write, answer, listed, operation,
    path,
};
use spotter_kernel::{
    Change, Date, Event, Key, Patch, Phrase, Problem, Result, Rule, Timestamp,
    id::ClientId,
    text::{Name, Text, quoted},
};
use spotter_people::clients::ClientPath;
use spotter_store::{Bind, Json, List, filters, lists, params, statements};

use crate::{
    effects::ProgressEffect,
    goal_progress,
    habit::{
        EntryView, Habit, HabitEntry, HabitId, HabitKind, HabitStatus, HabitThreshold, HabitView,
        days_back,
    },
    permissions::{check_own, today},
    rules::ProgressRule,
    streak::{EntryStatus, Rest, Schedule, ScheduleVersion},
};

/// Most habits of a client that are not archived.
const HABITS_MAX: usize = 50;
/// How far from today a habit may begin, in days.
const START_DAYS_MAX: i64 = 366;
/// Largest amount.
const AMOUNT_MAX: f64 = 10_000_000.0;

listed!(Habits { habits: HabitView });

filters! {
    struct Filters {
        /// Habits in this status.
        status: HabitStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_habits(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Habits> {
    let today = today(cx, at.client_id)?;
    let page = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(page.map(|habit: Habit| habit.view(today)).into())
}

path!(HabitPath { client_id: ClientId, habit_id: HabitId });

answer!(HabitAnswer { habit: HabitView });

fn get_habit(cx: &mut Read, Path(at): Path<HabitPath>) -> Result<HabitAnswer> {
    let habit = Habit::find(cx, at.client_id, at.habit_id)?;
    Ok(HabitAnswer { habit: habit.view(today(cx, at.client_id)?) })
}

/// The habit to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewHabit {
    /// Display name.
    pub name: Name<120>,
    /// `check` when absent.
    pub kind: Option<HabitKind>,
    /// Daily target, for habits of the kind `amount`.
    pub target: Option<f64>,
    /// The unit of amounts.
    pub unit: Option<Text<20>>,
    /// `at_least` when absent.
    pub direction: Option<HabitThreshold>,
    /// Every day when absent.
    pub schedule: Option<Schedule>,
    /// Today when absent, where the client is; at most a year from it.
    pub start_date: Option<Date>,
    /// Last day; without an end when absent.
    pub end_date: Option<Date>,
}

fn amount(value: f64, field: &str) -> Result<i64> {
    match (0.0..=AMOUNT_MAX).contains(&value) {
        true => Ok((value * 100.0).round() as i64),
        false => Err(Problem::invalid(field, Rule::OutOfRange { min: 0, max: 10000000 })),
    }
}

fn checked_end(start: Date, end: Option<Date>) -> Result<()> {
    match end {
        Some(end) if end < start => Err(Problem::field(
            Key::DateRangeOrderInvalid,
            "endDate",
            ProgressRule::BeforeStartDate,
        )),
        _ => Ok(()),
    }
}

/// Takes up a habit of a client.
pub fn create(cx: &mut Write, client: ClientId, new: NewHabit) -> Result<Habit> {
    let today = today(cx, client)?;
    let kind = new.kind.unwrap_or(HabitKind::Check);
    let target = match (kind, new.target) {
        (HabitKind::Amount, Some(target)) => Some(amount(target, "target")?),
        (HabitKind::Amount, None) => return Err(Problem::invalid("target", Rule::Required)),
        (HabitKind::Check, Some(_)) => {
            return Err(Problem::invalid("target", ProgressRule::AmountOfCheck));
        }
        (HabitKind::Check, None) => None,
    };
    if kind == HabitKind::Check && new.unit.is_some() {
        return Err(Problem::invalid("unit", ProgressRule::AmountOfCheck));
    }
    let start_date = new.start_date.unwrap_or(today);
    if today.days_until(start_date).abs() > START_DAYS_MAX {
        return Err(Problem::invalid("startDate", ProgressRule::BeyondYear));
    }
    checked_end(start_date, new.end_date)?;
    let there: Option<(i64,)> = cx.one(COUNT, params![client])?;
    if there.is_some_and(|(count,)| count >= HABITS_MAX as i64) {
        return Err(Problem::conflict("clientId", ProgressRule::TooManyHabits { max: HABITS_MAX }));
    }
    let schedule = new.schedule.unwrap_or(Schedule::DAILY).checked()?;
    let (created_by_type, created_by) = cx.maker();
    let mut habit = Habit {
        client_id: client,
        habit_id: HabitId(cx.new_id()),
        name: new.name.into(),
        kind,
        target,
        unit: new.unit.map(Into::into),
        direction: new.direction.unwrap_or(HabitThreshold::AtLeast),
        versions: Json(vec![ScheduleVersion { from: start_date, schedule }]),
        rests: Json(Vec::new()),
        start_date,
        end_date: new.end_date,
        status: HabitStatus::Active,
        longest_streak: 0,
        last_streak: 0,
        streak_holds_until: None,
        created_by_type,
        created_by,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    habit.count(cx)?;
    habit.insert(cx)?;
    Ok(habit)
}

fn create_habit(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewHabit>,
) -> Result<HabitAnswer> {
    let habit = create(cx, at.client_id, new)?;
    Ok(HabitAnswer { habit: habit.view(today(cx, at.client_id)?) })
}

/// The fields of a habit to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct HabitChanges {
    name: Change<Name<120>>,
    /// Target from today on; earlier entries keep theirs.
    target: Change<f64>,
    unit: Patch<Text<20>>,
    /// Schedule from today on; earlier days keep theirs.
    schedule: Change<Schedule>,
    end_date: Patch<Date>,
    /// Status of the habit; a paused habit rests until it is active again.
    status: Change<HabitStatus>,
}

impl Habit {
    /// Moves it to another status on a day.
    fn set_status(&mut self, status: HabitStatus, today: Date) -> Result<()> {
        if status == self.status {
            return Ok(());
        }
        let open = self.rests.0.last_mut().filter(|rest| rest.until.is_none());
        match (status, open) {
            (HabitStatus::Active, Some(rest)) => {
                rest.until = Some(today);
                self.rests.0.retain(|rest| rest.until != Some(rest.from));
            }
            (HabitStatus::Paused | HabitStatus::Archived, None) => {
                if self.rests.0.len() >= 200 {
                    return Err(Problem::conflict("status", ProgressRule::PausedTooOften));
                }
                self.rests.0.push(Rest { from: today, until: None });
            }
            _ => {}
        }
        self.status = status;
        Ok(())
    }

    /// Is due otherwise from a day on.
    fn reschedule(&mut self, schedule: Schedule, today: Date) -> Result<()> {
        if self.schedule() == schedule {
            return Ok(());
        }
        if self.versions.0.len() >= 200 {
            return Err(Problem::conflict("schedule", ProgressRule::ChangedTooOften));
        }
        let from = today.max(self.start_date);
        self.versions.0.retain(|version| version.from < from);
        self.versions.0.push(ScheduleVersion { from, schedule });
        Ok(())
    }
}

fn update_habit(
    cx: &mut Write,
    Path(at): Path<HabitPath>,
    Body(change): Body<HabitChanges>,
) -> Result<HabitAnswer> {
    let before = changeable(cx, &at)?;
    let today = today(cx, at.client_id)?;
    let mut habit = before.clone();
    change.name.apply(&mut habit.name);
    if let Some(target) = change.target.value() {
        if habit.kind == HabitKind::Check {
            return Err(Problem::invalid("target", ProgressRule::AmountOfCheck));
        }
        habit.target = Some(amount(target, "target")?);
    }
    if habit.kind == HabitKind::Check && change.unit.value().is_some() {
        return Err(Problem::invalid("unit", ProgressRule::AmountOfCheck));
    }
    change.unit.map(Into::into).apply(&mut habit.unit);
    if let Some(schedule) = change.schedule.value() {
        habit.reschedule(schedule.checked()?, today)?;
    }
    change.end_date.apply(&mut habit.end_date);
    checked_end(habit.start_date, habit.end_date)?;
    if let Some(status) = change.status.value() {
        habit.set_status(status, today)?;
    }
    habit.count(cx)?;
    habit.save(cx, &before)?;
    Ok(HabitAnswer { habit: habit.view(today) })
}

/// A habit that the caller may change: clients change those that they have taken up themselves.
fn changeable(cx: &mut Read, at: &HabitPath) -> Result<Habit> {
    let found = Habit::find(cx, at.client_id, at.habit_id)?;
    check_own(cx, found.created_by, ProgressRule::ForeignHabit)?;
    Ok(found)
}

listed!(Entries { entries: EntryView });

filters! {
    struct EntryFilters {
        /// Entries from this date on.
        from: Date => "date >= ?";
        /// Entries before this date.
        to: Date => "date < ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_habit_entries(
    cx: &mut Read,
    Path(at): Path<HabitPath>,
    ListQuery(wanted, page): ListQuery<EntryFilters>,
) -> Result<Entries> {
    Habit::find(cx, at.client_id, at.habit_id)?;
    let above = [at.client_id.bind(), at.habit_id.bind().into_owned()];
    Ok(cx.page_under(&ENTRIES, &above, &wanted, page)?.map(|entry: HabitEntry| entry.view()).into())
}

path!(EntryPath { client_id: ClientId, habit_id: HabitId, date: Date });

answer!(EntryAnswer { entry: EntryView, habit: HabitView });

fn get_habit_entry(cx: &mut Read, Path(at): Path<EntryPath>) -> Result<EntryAnswer> {
    let habit = Habit::find(cx, at.client_id, at.habit_id)?;
    let entry = HabitEntry::find(cx, &habit, at.date)?.ok_or(Key::NotFound)?;
    let today = today(cx, at.client_id)?;
    Ok(EntryAnswer { entry: entry.view(), habit: habit.view(today) })
}

/// The result of a habit on a date.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "NewHabitEntry")]
pub struct NewEntry {
    /// `done` when absent; of a habit of amounts only `skipped`, the rest follows from the amount.
    pub status: Option<EntryStatus>,
    /// Amount, for habits of the kind `amount`.
    pub amount: Option<f64>,
    /// Note, as free text.
    pub note: Option<Text<1000>>,
}

/// The status of an entry, given its habit.
fn judged(habit: &Habit, new: &NewEntry) -> Result<(EntryStatus, Option<i64>)> {
    let wrong = |field: &str, rule: Phrase| Err(Problem::invalid(field, rule));
    match (habit.kind, new.status, new.amount) {
        (HabitKind::Check, status, None) => Ok((status.unwrap_or(EntryStatus::Done), None)),
        (HabitKind::Check, _, Some(_)) => wrong("amount", ProgressRule::AmountOfCheck.into()),
        (HabitKind::Amount, Some(EntryStatus::Skipped), None) => Ok((EntryStatus::Skipped, None)),
        (HabitKind::Amount, None, Some(submitted)) => {
            let kept = amount(submitted, "amount")?;
            Ok((habit.judged(kept), Some(kept)))
        }
        (HabitKind::Amount, None, None) => wrong("amount", ProgressRule::AmountRequired.into()),
        (HabitKind::Amount, Some(_), _) => wrong("status", ProgressRule::SkippedWithAmount.into()),
    }
}

/// Writes the entry of a habit on a date.
pub fn write_entry(cx: &mut Write, habit: &Habit, date: Date, new: NewEntry) -> Result<HabitEntry> {
    let today = today(cx, habit.client_id)?;
    if habit.status == HabitStatus::Archived {
        return Err(Problem::conflict("habitId", Rule::Archived));
    }
    if date > today {
        return Err(Problem::invalid("date", ProgressRule::InFutureOfClient));
    }
    if date < habit.start_date || habit.end_date.is_some_and(|end| date > end) {
        return Err(Problem::invalid("date", ProgressRule::OutsideHabit));
    }
    let days = days_back(cx);
    if date.days_until(today) > days {
        return Err(Problem::invalid("date", ProgressRule::TooLongAgo { days }));
    }
    let (status, amount) = judged(habit, &new)?;
    let (recorded_by_type, recorded_by) = cx.maker();
    let note = new.note.map(Into::into);
    let entry = match HabitEntry::find(cx, habit, date)? {
        None => {
            let entry = HabitEntry {
                client_id: habit.client_id,
                habit_id: habit.habit_id,
                date,
                status,
                amount,
                note,
                recorded_by_type,
                recorded_by,
                created_at: cx.now(),
                updated_at: cx.now(),
            };
            entry.insert(cx)?;
            entry
        }
        Some(before) => {
            let mut entry = HabitEntry { status, amount, note, ..before.clone() };
            if entry != before {
                (entry.recorded_by_type, entry.recorded_by) = (recorded_by_type, recorded_by);
            }
            entry.save(cx, &before)?;
            entry
        }
    };
    Ok(entry)
}

/// Recounts a habit's streaks and updates the goals that follow it.
fn recount(cx: &mut Write, before: Habit) -> Result<Habit> {
    let mut habit = before.clone();
    habit.count(cx)?;
    habit.save_streaks(cx, &before)?;
    goal_progress::goals_of_habit(cx, habit.client_id, habit.habit_id)?;
    cx.set_audit_target("habit", habit.habit_id, Vec::<String>::new());
    Ok(habit)
}

fn put_habit_entry(
    cx: &mut Write,
    Path(at): Path<EntryPath>,
    OptionalBody(new): OptionalBody<NewEntry>,
) -> Result<EntryAnswer> {
    let habit = Habit::find(cx, at.client_id, at.habit_id)?;
    let entry = write_entry(cx, &habit, at.date, new)?;
    let habit = recount(cx, habit)?;
    let today = today(cx, at.client_id)?;
    Ok(EntryAnswer { entry: entry.view(), habit: habit.view(today) })
}

fn delete_habit_entry(cx: &mut Write, Path(at): Path<EntryPath>) -> Result<EntryAnswer> {
    let habit = Habit::find(cx, at.client_id, at.habit_id)?;
    let entry = HabitEntry::find(cx, &habit, at.date)?.ok_or(Key::NotFound)?;
    let today = today(cx, at.client_id)?;
    let days = days_back(cx);
    if at.date.days_until(today) > days {
        return Err(Problem::invalid("date", ProgressRule::TooLongAgo { days }));
    }
    cx.as_of(entry.updated_at);
    cx.describe_effect(|| ProgressEffect::HabitEntryDeleted {
        name: quoted(&habit.name),
        date: entry.date.to_string(),
    });
    entry.delete(cx)?;
    let habit = recount(cx, habit)?;
    Ok(EntryAnswer { entry: entry.view(), habit: habit.view(today) })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/clients/{clientId}/habits", HabitsRead, list_habits)
            .summary("List a client's habits")
            .describe("Returns habits newest first, each with its current streak.")
            .for_client(&[]),
        operation!(GET "/clients/{clientId}/habits/{habitId}", HabitsRead, get_habit)
            .summary("Get a habit")
            .describe("Returns one habit with its schedule and streaks.")
            .for_client(&[]),
        operation!(POST "/clients/{clientId}/habits", HabitsWrite, create_habit)
            .success(Success::Added)
            .summary("Create a habit")
            .describe("Sets a habit with its schedule and target.")
            .created()
            .for_client(&[])
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid]),
        operation!(PATCH "/clients/{clientId}/habits/{habitId}", HabitsWrite, update_habit)
            .summary("Update a habit")
            .describe(
                "Changes, pauses or archives a habit. Clients may change habits that they set \
                 themselves.",
            )
            .for_client(&[])
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid]),
        operation!(GET "/clients/{clientId}/habits/{habitId}/entries", HabitsRead, list_habit_entries)
            .summary("List habit entries")
            .describe("Returns the entries of a habit by date, latest first.")
            .for_client(&[]),
        operation!(GET "/clients/{clientId}/habits/{habitId}/entries/{date}", HabitsRead, get_habit_entry)
            .summary("Get a habit entry")
            .describe("Returns the entry of one date.")
            .for_client(&[]),
        operation!(PUT "/clients/{clientId}/habits/{habitId}/entries/{date}", HabitsWrite, put_habit_entry)
            .summary("Set a habit entry")
            .describe(
                "Records a habit for a date: clients for the last 7 days, others for the last \
                 365. Streaks and goals are recalculated.",
            )
            .for_client(&[])
            .emits(&[Event::HabitEntryCreated, Event::GoalUpdated])
            .always(&[Event::HabitEntryCreated])
            .fails(&[Key::ApiError]),
        operation!(DELETE "/clients/{clientId}/habits/{habitId}/entries/{date}", HabitsWrite,
            delete_habit_entry)
        .success(Success::Deleted)
        .summary("Delete a habit entry")
            .describe("Removes the entry of a date. Streaks and goals are recalculated.")
        .for_client(&[])
        .emits(&[Event::GoalUpdated])
        .always(&[])
        .confirmation(),
    ])
}

lists! {
    /// A client's habits, the newest first; a client has few.
    LIST: List<Habit, Filters> = List::new("habit WHERE company_id = ?1 AND client_id = ?2", "habit_id DESC");
    /// Entries of a habit, the latest date first: at most one a day.
    ENTRIES: List<HabitEntry, EntryFilters> = List::new(
        "habit_entry WHERE company_id = ?1 AND client_id = ?2 AND habit_id = ?3",
        "date DESC",
    );
}

statements! {
    COUNT = "SELECT COUNT(*) FROM habit WHERE company_id = ?1 AND client_id = ?2 AND status <> 'archived'";
}
