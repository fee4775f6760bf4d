//! What a day has brought: money by the way it came, and what went back, so that a till can be counted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{Date, Result, money::Currency};
use spotter_store::{params, record, statements};

use crate::payments::payment::PaymentKind;

/// A day to count.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TakingsQuery {
    /// The company's date; today when absent.
    date: Option<Date>,
}

record! {
    /// An amount that came or went back in one way.
    #[derive(Debug, Clone, PartialEq)]
    struct TakingsSum {
        kind: PaymentKind,
        currency: Currency,
        amount: i64,
    }
}

/// Money of a day that came in one way.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Takings {
    /// Payment method type.
    kind: PaymentKind,
    /// Currency as an ISO 4217 code, such as `EUR`.
    currency: Currency,
    /// What came, in minor units.
    received: i64,
    /// What went back, in minor units.
    refunded: i64,
    /// The difference: for cash, by how much the till differs from the morning.
    net: i64,
}

answer!(TakingsAnswer { date: Date, takings: Vec<Takings> });

fn get_takings(cx: &mut Read, Query(wanted): Query<TakingsQuery>) -> Result<TakingsAnswer> {
    let date = match wanted.date {
        Some(date) => date,
        None => cx.today()?,
    };
    let mut takings: Vec<Takings> = Vec::new();
    let received: Vec<TakingsSum> = cx.all(RECEIVED, params![date])?;
    let refunded: Vec<TakingsSum> = cx.all(REFUNDED, params![date])?;
    let all = received.into_iter().map(|sum| (sum, false));
    for (sum, went_back) in all.chain(refunded.into_iter().map(|sum| (sum, true))) {
        let is_own = |one: &&mut Takings| one.kind == sum.kind && one.currency == sum.currency;
        let (received, refunded) = if went_back { (0, sum.amount) } else { (sum.amount, 0) };
        match takings.iter_mut().find(is_own) {
            Some(own) => {
                own.received += received;
                own.refunded += refunded;
                own.net += received - refunded;
            }
            None => takings.push(Takings {
                kind: sum.kind,
                currency: sum.currency,
                received,
                refunded,
                net: received - refunded,
            }),
        }
    }
    Ok(TakingsAnswer { date, takings })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/finance/takings", FinancePaymentsRead, get_takings)
            .summary("Get a day's takings")
            .describe(
                "Returns what was paid and refunded on a date of the company, by the way it was \
                 paid, to count a till and to compare with the terminal's and the provider's day.",
            ),
    ])
}

statements! {
    RECEIVED = "SELECT kind, currency, CAST(SUM(amount) AS BIGINT) AS amount FROM payment \
        WHERE company_id = ?1 AND settled_on = ?2 AND status = 'succeeded' GROUP BY kind, currency \
        ORDER BY kind, currency";
    REFUNDED = "SELECT p.kind AS kind, r.currency AS currency, CAST(SUM(r.amount) AS BIGINT) AS amount \
        FROM refund r JOIN payment p ON p.company_id = r.company_id AND p.payment_id = r.payment_id \
        WHERE r.company_id = ?1 AND r.settled_on = ?2 AND r.status = 'succeeded' \
        GROUP BY p.kind, r.currency ORDER BY p.kind, r.currency";
}
