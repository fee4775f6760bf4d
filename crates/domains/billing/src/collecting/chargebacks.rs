//! Chargebacks as integrations and staff see them.

use spotter_contract::{Area, ListQuery, Path, Read, answer, listed, operation, path};
use spotter_kernel::{Result, Timestamp, id::ClientId};
use spotter_store::{List, filters, lists};

use super::{
    chargeback::{Chargeback, TALLY},
    provider::ChargebackStatus,
};
use crate::ids::{ChargebackId, PaymentId};

listed!(Chargebacks { chargebacks: Chargeback });

filters! {
    struct Filters {
        /// Chargebacks of this client's payments.
        client_id: ClientId => "client_id = ?", tallied;
        /// Chargebacks in this status.
        status: ChargebackStatus => "status = ?", tallied;
        /// Chargebacks of this payment.
        payment_id: PaymentId => "payment_id = ?";
        /// Chargebacks that were changed at this instant or later.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_chargebacks(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Chargebacks> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(ChargebackPath { chargeback_id: ChargebackId });

answer!(ChargebackAnswer { chargeback: Chargeback });

fn get_chargeback(cx: &mut Read, Path(at): Path<ChargebackPath>) -> Result<ChargebackAnswer> {
    Ok(ChargebackAnswer { chargeback: Chargeback::find(cx, at.chargeback_id)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/chargebacks", FinanceChargebacksRead, list_chargebacks)
            .summary("List chargebacks")
            .describe("Returns card disputes and returned direct debits, newest first."),
        operation!(GET "/finance/chargebacks/{chargebackId}", FinanceChargebacksRead, get_chargeback)
            .summary("Get a chargeback")
            .describe("Returns one chargeback with its payment, reason and status."),
    ])
}

lists! {
    /// Every chargeback, the newest first.
    LIST: List<Chargeback, Filters> =
        List::new("chargeback WHERE company_id = ?1", "chargeback_id DESC").tallied(TALLY);
}
