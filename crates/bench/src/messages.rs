//! Fills a conversation of a demo with messages, so that its last page can be measured beside its
//! first.

use std::time::Instant;

use spotter_kernel::{Id, Problem, Timestamp, id::CompanyId};
use spotter_store::{DatabaseLocation, Sql, Tx, params};

use crate::{Outcome, filling, receiver};

/// Messages that are written by one transaction.
const STEP: i64 = 5_000;

/// Adds messages of its participants to a conversation that has none.
pub async fn fill(
    location: DatabaseLocation,
    company: CompanyId,
    conversation: Id,
    count: i64,
) -> Outcome {
    let began = Instant::now();
    let db = filling::open(location).await?;
    let start = Timestamp::from_millis(receiver::now()).plus_seconds(-60 * count);
    for from in (0..count).step_by(STEP as usize) {
        let to = count.min(from + STEP);
        let write = move |tx: &mut Tx<'_>| {
            let people: Vec<(Id, String)> = tx.all(PEOPLE, params![company, conversation])?;
            let nobody = || Problem::internal("nobody takes part");
            for position in from + 1..=to {
                let (sender, role) = people.get(position as usize % 2).ok_or_else(nobody)?;
                let at = start.plus_seconds(60 * position);
                let message = Id::new(at, [0, 0, 0, 0, 0, 1]);
                let text = format!("Message {position}: the same time next week, with a towel.");
                let row = params![company, conversation, position, message, sender, role, text, at];
                tx.defer(MESSAGE, row)?;
            }
            tx.execute(COUNT, params![company, conversation, to])?;
            tx.tally(company, "messages", to - from)
        };
        db.write(write).await?;
    }
    db.close().await?;
    eprintln!("  {count} messages filled in {} s", began.elapsed().as_secs());
    Ok(())
}

const PEOPLE: Sql =
    Sql("SELECT user_id, role FROM participant WHERE company_id = ?1 AND conversation_id = ?2");
const MESSAGE: Sql = Sql(
    "INSERT INTO message (company_id, conversation_id, position, message_id, conversation_type, \
    sender_id, sender_role, type, text, sent_at, is_deleted) \
    VALUES (?1, ?2, ?3, ?4, 'direct', ?5, ?6, 'text', ?7, ?8, FALSE)",
);
const COUNT: Sql = Sql(
    "UPDATE conversation SET message_count = ?3 WHERE company_id = ?1 AND conversation_id = ?2",
);
