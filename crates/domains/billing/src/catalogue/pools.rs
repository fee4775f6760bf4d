//! Credits of a kind that a product gives repeatedly.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Read};
use spotter_kernel::{Problem, Result, number::BoundedInteger, text::Text};
use spotter_store::{Json, params, statements};

use super::vocabulary::{PoolMode, SpanUnit};
use crate::rules::BillingRule;

/// A span of time; a value of 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct TimeSpan {
    /// Number of units, 0 to 1000.
    #[serde(deserialize_with = "span_value")]
    #[schemars(range(min = 0, max = 1000))]
    pub(crate) value: i64,
    pub(crate) unit: SpanUnit,
}

fn span_value<'de, D: serde::Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    spotter_kernel::number::deserialize_within(d, 0..=1_000)
}

impl TimeSpan {
    pub(super) const NONE: Self = Self { value: 0, unit: SpanUnit::Day };
}

/// Credits of a kind that are given repeatedly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct CreditPool {
    /// Key of the pool, unique within the product.
    pub(crate) key: String,
    /// Display name.
    pub(crate) name: String,
    /// Credits that are given each time.
    pub(crate) credits: i64,
    /// Number of units between two grants.
    pub(crate) schedule_interval: i64,
    pub(crate) schedule_unit: SpanUnit,
    /// Whether credits that are left at the end of a period lapse or accumulate.
    pub(crate) mode: PoolMode,
}

/// A credit pool of a product.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewCreditPool {
    /// Word by which updates find the pool again.
    key: Text<60>,
    /// Display name.
    name: Text<120>,
    /// Credits that are given each time.
    credits: BoundedInteger<1, 10_000>,
    /// Number of units between two grants.
    schedule_interval: BoundedInteger<1, 365>,
    schedule_unit: SpanUnit,
    /// Whether credits that are left at the end of a period lapse or accumulate.
    mode: PoolMode,
}

/// Refuses the key of a pool that no product of the company gives.
pub fn check_given(cx: &mut Read, key: &str) -> Result<()> {
    let pools: Vec<(Json<Vec<CreditPool>>,)> = cx.all(GIVEN, params![])?;
    match pools.iter().flat_map(|(pools,)| &pools.0).any(|pool| pool.key == key) {
        true => Ok(()),
        false => Err(Problem::invalid("poolKey", BillingRule::UnknownPool)),
    }
}

const POOLS_MAX: usize = 10;

/// The pools of a product, in the order given.
pub(super) fn pools(new: Vec<NewCreditPool>) -> Result<Json<Vec<CreditPool>>> {
    if new.len() > POOLS_MAX {
        return Err(Problem::invalid("creditPools", BillingRule::TooManyPools { max: POOLS_MAX }));
    }
    let mut keys = BTreeSet::new();
    let mut pools = Vec::new();
    for (at, pool) in new.into_iter().enumerate() {
        if !keys.insert(pool.key.to_lowercase()) {
            let field = format!("creditPools[{at}].key");
            return Err(Problem::invalid(&field, BillingRule::PoolTaken));
        }
        pools.push(CreditPool {
            key: pool.key.into(),
            name: pool.name.into(),
            credits: pool.credits.0,
            schedule_interval: pool.schedule_interval.0,
            schedule_unit: pool.schedule_unit,
            mode: pool.mode,
        });
    }
    Ok(Json(pools))
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    GIVEN = "SELECT credit_pools FROM product WHERE company_id = ?1 AND credit_pools <> '[]' \
        ORDER BY product_id LIMIT 1000";
}
