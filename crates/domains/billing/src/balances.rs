//! What clients owe and what of their money is unused, for many clients at once.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{Result, id::ClientId, money::Currency};
use spotter_people::clients::ClientIds;
use spotter_store::{Bind, statements};

/// A client's balance in a currency, in minor units.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Balance {
    currency: Currency,
    /// Outstanding amount of open and overdue invoices.
    owed: i64,
    /// Amount of payments not allocated yet; it pays the next invoice.
    unallocated: i64,
}

/// A client's balances by currency.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClientBalances {
    client_id: ClientId,
    /// Balances by currency.
    balances: Vec<Balance>,
}

answer!(BalancesAnswer {
    /// Clients in the order of the request; an unknown id has no balances.
    client_balances: Vec<ClientBalances>,
});

fn list_client_balances(cx: &mut Read, Query(request): Query<ClientIds>) -> Result<BalancesAnswer> {
    let ids = request.client_ids.0;
    let each = || ids.iter().map(|id| vec![id.bind().into_owned()]);
    let owed: Vec<Vec<(Currency, i64)>> = cx.all_each(OWED, each())?;
    let unallocated: Vec<Vec<(Currency, i64)>> = cx.all_each(UNALLOCATED, each())?;
    let of_each = ids.iter().zip(owed).zip(unallocated).map(|((id, owed), unallocated)| {
        let mut sums: BTreeMap<Currency, (i64, i64)> = BTreeMap::new();
        owed.into_iter().for_each(|(currency, sum)| sums.entry(currency).or_default().0 = sum);
        unallocated
            .into_iter()
            .for_each(|(currency, sum)| sums.entry(currency).or_default().1 = sum);
        let balances = sums.into_iter().map(|(currency, (owed, unallocated))| Balance {
            currency,
            owed,
            unallocated,
        });
        ClientBalances { client_id: *id, balances: balances.collect() }
    });
    Ok(BalancesAnswer { client_balances: of_each.collect() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([operation!(app GET "/finance/balances", Coach,
        list_client_balances)
    .summary("List balances of several clients")
    .describe("Returns what up to 100 clients owe, and their unallocated payments.")])
}

statements! {
    OWED = "SELECT currency, CAST(SUM(balance) AS BIGINT) AS owed FROM invoice WHERE company_id = ?1 \
        AND client_id = ?2 AND balance > 0 AND status IN ('open', 'overdue') GROUP BY currency";
    UNALLOCATED = "SELECT currency, CAST(SUM(unallocated) AS BIGINT) AS unallocated FROM payment \
        WHERE company_id = ?1 AND client_id = ?2 AND unallocated > 0 AND status = 'succeeded' \
        GROUP BY currency";
}
