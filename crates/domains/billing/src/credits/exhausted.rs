//! Clients who have used up their credits, so that staff can offer more.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, ListQuery, Read, listed, operation};
use spotter_kernel::{Result, Timestamp, id::ClientId};
use spotter_people::client_is_there;
use spotter_store::{Bind, List, filters, lists};

use super::lot::CreditLot;

/// The default number of days to look back.
const USUAL_DAYS: i64 = 30;

/// A credit pool with nothing left to book with.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ExhaustedPool {
    client_id: ClientId,
    /// The pool; null for credits that pay for everything.
    pool_key: Option<String>,
    /// When the last credits were used or expired.
    exhausted_at: Timestamp,
}

impl From<CreditLot> for ExhaustedPool {
    fn from(lot: CreditLot) -> Self {
        let CreditLot { client_id, pool_key, updated_at: exhausted_at, .. } = lot;
        Self { client_id, pool_key, exhausted_at }
    }
}

listed!(ExhaustedCredits { credits: ExhaustedPool });

filters! {
    struct Filters {
        /// Used up at this instant or later; within the last 30 days when absent.
        from: Timestamp;
    }
}

fn list_exhausted_credits(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<ExhaustedCredits> {
    let from = wanted.from.unwrap_or_else(|| cx.now().plus_days(-USUAL_DAYS));
    let above = [from.bind().into_owned()];
    Ok(cx.page_under(&LIST, &above, &wanted, page)?.map(ExhaustedPool::from).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app GET "/finance/credits/exhausted", Coach,
        list_exhausted_credits)
        .summary("List exhausted credits")
        .describe(
            "Returns credit pools of clients with nothing left to book with and nothing to \
                 come, latest first. Revoked credits and archived clients are not included.",
        ),
    ])
}

lists! {
    /// The last credits of a pool that a client took, where none are left.
    LIST: List<CreditLot, Filters> = List::new(
        concat!(
            "credit_lot WHERE company_id = ?1 AND updated_at >= ?2 AND remaining <= held \
         AND source <> 'debt' AND status IN ('active', 'used', 'expired') \
         AND ",
            client_is_there!("credit_lot"),
            " AND NOT EXISTS (SELECT 1 FROM credit_lot AS other WHERE other.company_id = ?1 \
         AND other.client_id = credit_lot.client_id AND other.credit_lot_id <> credit_lot.credit_lot_id \
         AND other.source <> 'debt' AND (other.pool_key IS NULL AND other.status = 'active' AND other.remaining > other.held \
         OR COALESCE(other.pool_key, '') = COALESCE(credit_lot.pool_key, '') AND (other.status IN ('promised', 'suspended') OR other.status = 'active' AND other.remaining > other.held \
         OR other.status IN ('active', 'used', 'expired') AND other.remaining <= other.held \
         AND (other.updated_at > credit_lot.updated_at OR other.updated_at = credit_lot.updated_at \
         AND other.credit_lot_id > credit_lot.credit_lot_id))))",
        ),
        "updated_at DESC, credit_lot_id DESC",
    );
}
