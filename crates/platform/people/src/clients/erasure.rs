//! Erasing a client: their identity is removed at once, and they are not found any more. Rows of other tables are
//! removed as their areas say ([`ErasureRule`]); many rows in several steps.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Area, ErasureAction, ErasureRule, Offboarding, Path, Read, Timer, Write, answer, operation,
};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, id::ClientId, text::quoted};
use spotter_store::{Json, params, record, set, statements, values, words};

use super::{
    UPDATED,
    record::{Client, OptIns, PortalAccessStatus, TALLY},
    search::ClientPath,
};
use crate::{
    effects::PeopleEffect,
    identity::accounts::{self, Subject},
    rules::PeopleRule,
};

words! {
    /// Whether something of a client is still to be erased.
    pub enum ErasureStatus { Running = "running", Completed = "completed" }
}

record! {
    /// The progress of a client's erasure.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Erasure {
        client_id: ClientId,
        /// `completed` once nothing is left but what the law keeps.
        status: ErasureStatus,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
        requested_by_type: String,
        /// The person who requested the erasure.
        requested_by: Option<Id>,
        /// Instant from which the client no longer appears.
        requested_at: Timestamp,
        /// When it was completed; null while it runs.
        completed_at: Option<Timestamp>,
    }
}

answer!(ErasureAnswer { erasure: Erasure });

/// What an erased client is called where a record of theirs stays.
const NAME: &str = "Erased client";

impl Client {
    /// Removes the client's identity from the record.
    fn blank(&mut self, now: Timestamp) {
        NAME.clone_into(&mut self.first_name);
        self.opt_ins = Json(OptIns::default());
        self.tags.0.clear();
        self.portal_access_status = PortalAccessStatus::None;
        (self.external_id, self.last_name, self.email, self.phone) = (None, None, None, None);
        (self.date_of_birth, self.gender, self.language) = (None, None, None);
        (self.time_zone, self.address, self.emergency_contact) = (None, None, None);
        (self.source, self.home_location_id, self.assigned_coach_id) = (None, None, None);
        (self.archive_reason, self.erased_at) = (None, Some(now));
    }
}

fn erase_client(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<ErasureAnswer> {
    if let Some(erasure) = cx.one(FIND, params![at.client_id])? {
        return Ok(ErasureAnswer { erasure });
    }
    let before = Client::find(cx, at.client_id)?;
    if !before.is_archived() {
        return Err(Problem::conflict("clientId", PeopleRule::NotArchived));
    }
    cx.end(Offboarding::ClientErased, at.client_id)?;
    cx.describe_effect(|| PeopleEffect::ClientErased { name: quoted(&before.name()) });
    cx.as_of(before.updated_at());
    spotter_mail::forget_client(cx, at.client_id, before.email())?;
    accounts::close_account(cx, Subject::Client, at.client_id.0)?;
    let mut client = before.clone();
    client.blank(cx.now());
    client.update(cx, &before)?;
    let (requested_by_type, requested_by) = cx.maker();
    let mut erasure = Erasure {
        client_id: at.client_id,
        status: ErasureStatus::Running,
        requested_by_type,
        requested_by,
        requested_at: cx.now(),
        completed_at: None,
    };
    continue_erasure(cx, &mut erasure)?;
    cx.defer(INSERT, &erasure.params())?;
    Ok(ErasureAnswer { erasure })
}

fn get_client_erasure(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<ErasureAnswer> {
    let erasure = cx.one(FIND, params![at.client_id])?.ok_or(Key::NotFound)?;
    Ok(ErasureAnswer { erasure })
}

/// Erases what all tables hold, or the beginning of it where one holds very much; the rest is left to a timer.
fn continue_erasure(cx: &mut Write, erasure: &mut Erasure) -> Result<()> {
    let rules = cx.env().erasure_rules.clone();
    let (id, now) = (erasure.client_id, cx.now());
    let mut has_more = false;
    for erasure_rule in rules.iter() {
        has_more |= erasure_rule.erase(cx, id.0)?;
    }
    if has_more {
        return cx.set_timer(&ERASE, id, now);
    }
    erasure.status = ErasureStatus::Completed;
    erasure.completed_at = Some(now);
    Ok(())
}

fn erase(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Erasure> = cx.one(FIND, params![id])?;
    let Some(mut erasure) = found.filter(|one| one.status == ErasureStatus::Running) else {
        return Ok(());
    };
    continue_erasure(cx, &mut erasure)?;
    cx.defer(SAVE, &erasure.params())
}

fn forget_unused_tags(cx: &mut Write, _: Id) -> Result<bool> {
    // Totals are written first: PostgreSQL keeps the locks of this transaction until its end.
    cx.tallied(TALLY)?;
    cx.execute(UNUSED_TAGS, params![]).map(|_| false)
}

static ERASE: Timer = Timer::new("erase_client", "Erase the remaining records of a client", erase);

/// What this area keeps of clients.
const TRACES: &[ErasureRule] = &[
    ErasureRule::stays(
        "client",
        "That there was a client, and when, because other records refer to it.",
    ),
    // The rows are removed with the client; a tag that nobody else has is still named in its total.
    ErasureRule::gone("client_tag", ErasureAction::Run(forget_unused_tags)),
    ErasureRule::gone("client_term", ErasureAction::AtOnce),
    ErasureRule::stays("client_erasure", "Who had the client erased, and when."),
    ErasureRule::gone("client_step", ErasureAction::By(STEPS)),
    ErasureRule::gone("client_note", ErasureAction::By(NOTES)),
    ErasureRule::gone("custom_value", ErasureAction::By(VALUES)),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&ERASE]).erases(TRACES).operations([
        operation!(app POST "/clients/{clientId}/erase", Manager, erase_client)
            .reauthentication()
            .summary("Erase a client")
            .describe(
                "Erases a client permanently. The client must be archived, owe nothing and have \
                 nothing in progress. Records are deleted, except invoices, payments and what the \
                 law requires to keep with them.",
            )
            .emits(UPDATED)
            .confirmation()
            .fails(&[Key::ApiError]),
        operation!(app GET "/clients/{clientId}/erasure", Manager, get_client_erasure)
            .summary("Get the status of an erasure")
            .describe("Returns how far the erasure of a client has come."),
    ])
}

statements! {
    FIND = "SELECT ", Erasure::COLUMNS, " FROM client_erasure WHERE company_id = ?1 AND client_id = ?2";
    INSERT = "INSERT INTO client_erasure ", values!(Erasure);
    SAVE = "UPDATE client_erasure SET ", set!(Erasure), " WHERE company_id = ?1 AND client_id = ?2";
    STEPS = "DELETE FROM client_step WHERE company_id = ?1 AND client_id = ?2";
    NOTES = "DELETE FROM client_note WHERE company_id = ?1 AND client_id = ?2";
    UNUSED_TAGS = "DELETE FROM tally WHERE company_id = ?1 AND subject IN (SELECT subject FROM tally \
        WHERE company_id = ?1 AND subject >= 'clients?tag=' AND subject < 'clients?tag>' \
        GROUP BY subject HAVING SUM(amount) = 0)";
    VALUES = "DELETE FROM custom_value WHERE company_id = ?1 AND client_id = ?2";
}
