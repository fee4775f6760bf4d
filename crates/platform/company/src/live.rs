//! Live updates. Each person has a feed of entries, numbered without a gap in the order of their commits, so that a
//! client that was offline continues where it was.

use serde::Serialize;
use spotter_contract::{Area, ErasureAction, ErasureRule, Read, Repeating, Write};
use spotter_kernel::{Id, Problem, Result, Timestamp};
use spotter_store::{Bind, Tx, Value, params, record, statements};

/// Retention of entries, in hours; a client that was offline longer starts again.
const KEPT_HOURS: i64 = 24;
/// Most entries that are read at once.
const READ_MAX: i64 = 100;
/// Feeds per statement.
const FEEDS_AT_ONCE: usize = 10;

record! {
    /// An update for a person.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Entry {
        /// Its number in the person's feed.
        pub position: i64,
        /// The event's name.
        pub r#type: String,
        /// The event's ids, as JSON.
        pub data: String,
    }
}

/// The updates for a person.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamUpdate {
    /// Entries after the requested position; empty where that was the last.
    Entries(Vec<Entry>),
    /// An entry after that position is missing: the client has to read everything again, and continues from this
    /// position.
    Reset(i64),
}

/// Makes sure that people have feeds.
pub fn open(cx: &mut Write, people: impl IntoIterator<Item = Id>) -> Result<()> {
    people.into_iter().try_for_each(|person| cx.defer(OPEN, params![person]))
}

/// Sends an update to people; it reaches them once the change is committed.
pub fn push(cx: &mut Write, people: &[Id], event: &str, data: &impl Serialize) -> Result<()> {
    let data = serde_json::to_string(data).map_err(Problem::internal)?;
    let expires_at = cx.now().plus_seconds(KEPT_HOURS * 3_600);
    if expires_at <= cx.env().clock.now() {
        // A generated history sends no updates.
        return Ok(());
    }
    for output in people.chunks(FEEDS_AT_ONCE) {
        // The statement has a fixed number of places; the last person fills those that are left.
        let rest = output.last().into_iter().cycle();
        let ids = output.iter().chain(rest).take(FEEDS_AT_ONCE);
        let ids: Vec<Value<'static>> = ids.map(|id| id.bind().into_owned()).collect();
        let entry = [event.bind(), data.bind(), expires_at.bind()].map(|value| value.into_owned());
        let entry = [&entry[..], &ids].concat();
        cx.defer_to_end(output, HOLD, [(ADVANCE, ids), (APPEND, entry)]);
        output.iter().for_each(|person| cx.wake(*person));
    }
    Ok(())
}

/// The number of a person's latest entry; 0 before the first.
pub fn latest(cx: &mut Read, person: Id) -> Result<i64> {
    let found: Option<(i64,)> = cx.one(LATEST, params![person])?;
    Ok(found.map_or(0, |(position,)| position))
}

/// The updates for a person after a position.
pub fn since(cx: &mut Read, person: Id, position: i64) -> Result<StreamUpdate> {
    let latest = latest(cx, person)?;
    if latest == position {
        return Ok(StreamUpdate::Entries(Vec::new()));
    }
    let entries: Vec<Entry> = cx.all(SINCE, params![person, position, READ_MAX])?;
    let whole = (position + 1..).zip(&entries).all(|(number, entry)| entry.position == number);
    // Entries that are forgotten go in no order, so each has to be there.
    let reached = entries.last().is_some_and(|last| last.position == latest);
    if whole && (reached || entries.len() as i64 == READ_MAX) {
        Ok(StreamUpdate::Entries(entries))
    } else {
        Ok(StreamUpdate::Reset(latest))
    }
}

/// Deletes some entries that are old; how many. To be called now and then.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

/// The operations and statements of this module.
pub fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING).erases(TRACES)
}

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[
    ErasureRule::emptied(
        "live_entry",
        "Ids in other people's live updates, for a day.",
        ErasureAction::By(ENTRIES),
    ),
    ErasureRule::gone("live_feed", ErasureAction::By(FEED)),
];

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_live_updates", "Delete old live updates", prune)];

statements! {
    OPEN = "INSERT INTO live_feed (company_id, user_id, position) VALUES (?1, ?2, 0) \
        ON CONFLICT DO NOTHING";
    HOLD = "UPDATE live_feed SET position = position WHERE company_id = ?1 AND user_id = ?2";
    ADVANCE = "UPDATE live_feed SET position = position + 1 WHERE company_id = ?1 \
        AND user_id IN (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    APPEND = "INSERT INTO live_entry (company_id, user_id, position, type, data, expires_at) \
        SELECT company_id, user_id, position, ?2, ?3, ?4 FROM live_feed WHERE company_id = ?1 \
        AND user_id IN (?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    LATEST = "SELECT position FROM live_feed WHERE company_id = ?1 AND user_id = ?2";
    SINCE = "SELECT ", Entry::COLUMNS, " FROM live_entry WHERE company_id = ?1 AND user_id = ?2 \
        AND position > ?3 ORDER BY position LIMIT ?4";
    ENTRIES = "DELETE FROM live_entry WHERE company_id = ?1 AND user_id = ?2";
    FEED = "DELETE FROM live_feed WHERE company_id = ?1 AND user_id = ?2";
    PRUNE = "DELETE FROM live_entry WHERE (company_id, user_id, position) IN \
        (SELECT company_id, user_id, position FROM live_entry WHERE expires_at <= ?1 LIMIT 500)";
}
