//! Permits of API clients, where several nodes serve one installation: each takes requests in blocks from the client's
//! window, which all nodes share, so that together they let through as many as the limit says. The less is left, the
//! smaller the blocks are, down to one, so that none is kept by a node that needs it not.

use spotter_company::companies;
use spotter_contract::Area;
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp, id::CompanyId, limits::RATE_WINDOW_SECONDS,
};
use spotter_store::{Tx, params, record, statements};

record! {
    /// Requests that a node may let through.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PermitBlock {
        /// When the window ends; what is left of the block then counts no more.
        pub ends_at: Timestamp,
        /// How many; none where the limit is reached.
        pub granted: i64,
        /// How many of the limit have been taken by all nodes, with these.
        pub taken: i64,
    }
}

impl PermitBlock {
    /// Whether its window is the one that its client is in.
    pub fn is_of(&self, now: Timestamp) -> bool {
        self.ends_at > now && self.ends_at <= furthest(now)
    }
}

/// The latest end of a window that a node can have begun by now.
fn furthest(now: Timestamp) -> Timestamp {
    now.plus_seconds(RATE_WINDOW_SECONDS + CLOCKS_APART_SECONDS)
}

/// Blocks that the limit is taken in, until the last eighth.
const BLOCKS: i64 = 64;
/// How far the clocks of nodes may be apart. A window that ends further off was begun by a clock that was wrong.
const CLOCKS_APART_SECONDS: i64 = 60;

/// Takes a block of a client's requests in the window that it is in, or begins one.
pub fn take(
    tx: &mut Tx,
    company: CompanyId,
    client: Id,
    limit: u32,
    now: Timestamp,
) -> Result<PermitBlock> {
    // The token was valid a moment ago, and its company may have been erased since.
    if companies::find(tx, company)?.is_none() {
        return Err(Key::InvalidToken.into());
    }
    let limit = i64::from(limit);
    let block = (limit / BLOCKS).max(1).min(limit);
    let ends_at = now.plus_seconds(RATE_WINDOW_SECONDS);
    let furthest = furthest(now);
    let taken = tx.one(TAKE, params![company, client, ends_at, block, now, furthest, limit])?;
    taken.ok_or_else(|| Problem::internal("a window was neither begun nor taken from"))
}

/// Whether the window that is kept is not the one that the client is in.
const ENDED: &str = "api_client_window.ends_at <= ?5 OR api_client_window.ends_at > ?6";
/// What may be taken of what is left.
const SHARE: &str = "WHEN ?7 - api_client_window.taken >= 8 * ?4 THEN ?4 \
    WHEN ?7 - api_client_window.taken >= 8 THEN (?7 - api_client_window.taken) / 8 \
    WHEN ?7 > api_client_window.taken THEN 1 ELSE 0 END";

statements! {
    TAKE = "INSERT INTO api_client_window (company_id, api_client_id, ends_at, taken, granted) \
        VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (company_id, api_client_id) DO UPDATE SET \
        ends_at = CASE WHEN ", ENDED, " THEN ?3 ELSE api_client_window.ends_at END, \
        taken = CASE WHEN ", ENDED, " THEN ?4 ELSE api_client_window.taken + CASE ", SHARE, " END, \
        granted = CASE WHEN ", ENDED, " THEN ?4 ", SHARE, " RETURNING ends_at, granted, taken";
}

/// The statements of permits.
pub fn area() -> Area {
    Area { statements: STATEMENTS.to_vec(), ..Area::default() }
}
