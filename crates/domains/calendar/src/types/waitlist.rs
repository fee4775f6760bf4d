//! The waiting list of a type of classes: whether there is one, and how free seats are passed on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::Result;

use crate::vocabulary::WaitlistMode;

/// The waiting list's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Waitlist {
    /// Mode of the waiting list.
    pub mode: WaitlistMode,
    /// Maximum length of the waiting list, 1 to 1000; unlimited when null.
    #[serde(default, deserialize_with = "entries")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_entries: Option<i64>,
    /// Minutes for which an offered seat is held, 5 to 10080; 120 when absent.
    #[serde(default = "two_hours", deserialize_with = "offer_minutes")]
    #[schemars(range(min = 5, max = 10080))]
    pub offer_minutes: i64,
    /// Minutes before the start from which nobody is promoted from the waiting list, 0 to 10080; 0 when absent.
    #[serde(default, deserialize_with = "closing_minutes")]
    #[schemars(range(min = 0, max = 10080))]
    pub closes_minutes_before: i64,
}

pub(super) const fn two_hours() -> i64 {
    120
}

pub(super) fn entries<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    spotter_kernel::number::optional_within(d, 1..=1_000)
}

pub(super) fn offer_minutes<'de, D: serde::Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    spotter_kernel::number::deserialize_within(d, 5..=10_080)
}

pub(super) fn closing_minutes<'de, D: serde::Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    spotter_kernel::number::deserialize_within(d, 0..=10_080)
}

impl Waitlist {
    /// Whether there is one.
    pub fn is_on(&self) -> bool {
        self.mode != WaitlistMode::Off
    }

    pub(crate) const OFF: Self = Self {
        mode: WaitlistMode::Off,
        max_entries: None,
        offer_minutes: two_hours(),
        closes_minutes_before: 0,
    };
}
