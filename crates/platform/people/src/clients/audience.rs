//! Whom something is for: all clients who are there, those with a tag, or those of a coach.

use spotter_contract::{Area, Read};
use spotter_kernel::{
    Result,
    id::{ClientId, CoachId},
};
use spotter_store::{params, statements};

/// Some of a company's clients; archived ones are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientAudience {
    /// Everybody whose relationship is active.
    All,
    /// Clients with a tag.
    Tag(String),
    /// Clients who are assigned to a coach.
    Coach(CoachId),
}

/// The clients of an audience, as many as are wanted at most.
pub fn clients(cx: &mut Read, of: &ClientAudience, most: i64) -> Result<Vec<ClientId>> {
    let found: Vec<(ClientId,)> = match of {
        ClientAudience::All => cx.all(ALL, params![most])?,
        ClientAudience::Tag(tag) => cx.all(WITH_TAG, params![tag, most])?,
        ClientAudience::Coach(coach) => cx.all(OF_COACH, params![coach, most])?,
    };
    Ok(found.into_iter().map(|(client,)| client).collect())
}

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    ALL = "SELECT client_id FROM client WHERE company_id = ?1 AND archived_at IS NULL AND erased_at IS NULL \
        AND relationship_status = 'active' ORDER BY client_id LIMIT ?2";
    WITH_TAG = "SELECT t.client_id FROM client_tag t JOIN client c ON c.company_id = t.company_id \
        AND c.client_id = t.client_id WHERE t.company_id = ?1 AND t.tag = ?2 AND c.archived_at IS NULL \
        AND c.erased_at IS NULL ORDER BY t.client_id LIMIT ?3";
    OF_COACH = "SELECT client_id FROM client WHERE company_id = ?1 AND assigned_coach_id = ?2 \
        AND archived_at IS NULL AND erased_at IS NULL ORDER BY client_id LIMIT ?3";
}
