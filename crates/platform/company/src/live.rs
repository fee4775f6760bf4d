//! What people are told as it happens. Each person has a feed of entries, numbered without a gap in
//! the order of their commits, so that whoever was away goes on where they were.

use serde::Serialize;
use spotter_contract::{Area, ErasureAction, ErasureRule, Read, Repeating, Write};
use spotter_kernel::{Id, Problem, Result, Timestamp};
use spotter_store::{Bind, Tx, Value, params, record, statements};

/// How long entries are kept, in hours; whoever was away for longer begins anew.
const KEPT_HOURS: i64 = 24;
/// Most entries that are read at once.
const READ_MAX: i64 = 100;
/// People whose feeds one statement writes to.
const TOLD_AT_ONCE: usize = 10;

record! {
    /// Something that a person is told.
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

/// What there is to tell somebody.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamUpdate {
    /// What came after the position that was asked for; nothing where that was the last.
    Entries(Vec<Entry>),
    /// Something is missing that came after it: what is known has to be read again, and is as of
    /// this position.
    Reset(i64),
}

/// Makes sure that people have feeds.
pub fn open(cx: &mut Write, people: impl IntoIterator<Item = Id>) -> Result<()> {
    people.into_iter().try_for_each(|person| cx.defer(OPEN, params![person]))
}

/// Tells people, all of whom have feeds; it reaches them once the change is committed.
pub fn push(cx: &mut Write, people: &[Id], event: &str, data: &impl Serialize) -> Result<()> {
    let data = serde_json::to_string(data).map_err(Problem::internal)?;
    let expires_at = cx.now().plus_seconds(KEPT_HOURS * 3_600);
    if expires_at <= cx.env().clock.now() {
        // What is played of the past reaches nobody.
        return Ok(());
    }
    for output in people.chunks(TOLD_AT_ONCE) {
        // The statement has so many places; whoever comes last takes those that are left over.
        let rest = output.last().into_iter().cycle();
        let ids = output.iter().chain(rest).take(TOLD_AT_ONCE);
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

/// What a person has not been told yet.
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
        "For a day, in what others were told at once: ids.",
        ErasureAction::By(ENTRIES),
    ),
    ErasureRule::gone("live_feed", ErasureAction::By(FEED)),
];

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_live_updates", "Forget live updates that were long told", prune)];

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
