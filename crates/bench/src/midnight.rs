//! Memberships of very many companies that renew at one midnight: on one node, then on two beside each other.

use spotter_kernel::{Problem, Timestamp, id::CompanyId};
use spotter_store::{Sql, Tx, params};

use crate::{
    Outcome,
    crowd::{COMPANY, Place, numbered},
    due::{self, Watched},
    filling,
    finance::{self, Template},
    receiver,
    service::{Service, row},
};

/// Memberships of each company.
const MEMBERSHIPS: u64 = 8;
/// Companies that are written by one transaction.
const STEP: u64 = 200;
/// How long it takes from the filling to the instant, in seconds.
const AHEAD: i64 = 12;
/// Most of the transactions that may run again because of others, of a hundred.
const AGAIN: f64 = 2.0;

/// Renews the memberships of that many companies on one node, and those of as many others on two.
pub async fn run(nodes: [Service; 2], place: Place, companies: u64) -> Outcome {
    let [mut first, mut second] = nodes;
    let api = first.start().await?;
    let template = finance::template(&api, &place).await?;
    first.kill()?;
    second.join(&first)?;
    let count = companies * MEMBERSHIPS;
    let (mut rates, mut broken) = (Vec::new(), Vec::new());
    for (names, round) in [("renewals on one node", 0), ("renewals on two nodes", 1)] {
        let at = Timestamp::from_millis(receiver::now()).plus_seconds(AHEAD + count as i64 / 1_000);
        let db = filling::open(place.location.clone()).await?;
        for from in (0..companies).step_by(STEP as usize) {
            let to = companies.min(from + STEP);
            db.write(move |tx| {
                (from..to).try_for_each(|number| found(tx, template, round, number, at))
            })
            .await?;
        }
        db.close().await?;
        if round == 1 {
            second.start().await?;
        }
        let watched = Watched { name: names, count: due::TIMERS_DUE };
        let (rate, unnoticed) =
            due::watch(&watched, &mut first, place.location.clone(), at, count).await?;
        broken.extend(unnoticed.err().map(|error| error.to_string()));
        let (mut again, mut ran) = (0.0, Vec::new());
        for node in [&first, &second].into_iter().take(round as usize + 1) {
            again += node.metric("spotter_store_retries_total").await?;
            ran.push(node.metric("spotter_timer_runs_total").await?);
        }
        let shares: Vec<_> = ran.iter().map(f64::to_string).collect();
        row(&format!("{names}, by node"), shares.join(", "));
        let share = again * 100.0 / companies as f64;
        row(
            &format!("{names}, transactions that ran again"),
            format_args!("{again:.0}, {share:.2} %"),
        );
        first.kill()?;
        second.kill()?;
        if ran.iter().sum::<f64>() < count as f64 {
            return Err(format!("not all of {count} renewals ran").into());
        }
        if share > AGAIN {
            broken.push(format!("of {names} too many run again"));
        }
        rates.push(rate);
    }
    row("renewals a second, two nodes beside one", format_args!("{:.2}", rates[1] / rates[0]));
    if broken.is_empty() { Ok(()) } else { Err(broken.join("; ").into()) }
}

/// A company whose memberships renew at an instant, each for the second time.
fn found(
    tx: &mut Tx<'_>,
    of: Template,
    round: u64,
    number: u64,
    at: Timestamp,
) -> Result<(), Problem> {
    let company = CompanyId(numbered(Timestamp::from_millis(5_000 + round as i64), number));
    tx.defer(COMPANY, params![of.company, company])?;
    tx.defer(PRODUCT, params![of.company, company, of.product])?;
    let memberships = number * MEMBERSHIPS..(number + 1) * MEMBERSHIPS;
    memberships.clone().try_for_each(|which| finance::renewing(tx, of, company, at, which))?;
    memberships.into_iter().try_for_each(|which| finance::billed_before(tx, of, company, at, which))
}

// Whatever columns it has: two nodes share a database of PostgreSQL.
const PRODUCT: Sql = Sql("INSERT INTO product SELECT (jsonb_populate_record(own, \
    jsonb_build_object('company_id', CAST(?2 AS TEXT)))).* FROM product own WHERE company_id = ?1 AND product_id = ?3");
