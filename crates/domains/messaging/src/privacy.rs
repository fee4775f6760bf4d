//! Privacy: what a data export contains of a client's conversations, for the client only, and what remains after
//! erasure: that a message was sent.

use spotter_company::uploads::{self, UploadId};
use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection, RelatedRecords, Write};
use spotter_kernel::{Id, Result};
use spotter_store::{params, statements};

use crate::messages;

/// Files that are deleted at a time.
const FILES: usize = 500;

/// What they wrote, and what others wrote to them alone.
fn erase_messages(cx: &mut Write, client: Id) -> Result<bool> {
    let files: Vec<(UploadId,)> = cx.all(SENT, params![client, FILES as i64])?;
    for (file,) in &files {
        uploads::discard(cx, *file)?;
        cx.defer(LET_GO, params![client, *file])?;
    }
    if files.len() == FILES {
        return Ok(true);
    }
    cx.execute(EMPTY, params![client]).map(|_| false)
}

const EXPORTS: &[ExportSection] = &[ExportSection::of("conversations", "list_own_conversations")
    .with(&[
        RelatedRecords::Listed("messages", "list_own_messages"),
        RelatedRecords::File("messageId", messages::find_attachment),
    ])];

const TRACES: &[ErasureRule] = &[
    ErasureRule::emptied(
        "message",
        "When messages were exchanged: those by the client, and in conversations of two those to them, are emptied.",
        ErasureAction::Run(erase_messages),
    ),
    ErasureRule::stays("participant", "That the client took part in conversations."),
    ErasureRule::stays(
        "past_participant",
        "That the client took part in groups that they have left.",
    ),
    ErasureRule::stays("conversation", "Names of groups; conversations of two have none."),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).exports(EXPORTS).erases(TRACES)
}

/// Conversations in which the client takes part, or did.
const THEIRS: &str = "conversation_id IN \
    (SELECT conversation_id FROM participant WHERE company_id = ?1 AND user_id = ?2 \
    UNION SELECT conversation_id FROM past_participant WHERE company_id = ?1 AND user_id = ?2)";

statements! {
    SENT = "SELECT upload_id FROM message WHERE company_id = ?1 AND upload_id IS NOT NULL AND ", THEIRS,
        " AND (sender_id = ?2 OR conversation_type = 'direct') LIMIT ?3";
    LET_GO = "UPDATE message SET upload_id = NULL WHERE company_id = ?1 AND upload_id = ?3 AND ", THEIRS;
    EMPTY = "UPDATE message SET is_deleted = TRUE, text = NULL, upload_id = NULL, file_name = NULL, media_type = NULL, \
        size = NULL WHERE company_id = ?1 AND ", THEIRS, " AND (sender_id = ?2 OR conversation_type = 'direct')";
}
