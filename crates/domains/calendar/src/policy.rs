//! The rules and fees that a booking was made under.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Money, Timestamp};

use crate::vocabulary::CancellationTiming;

/// The cancellation rules and fees of a booking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BookingPolicy")]
pub struct Policy {
    /// Until how long before the start a cancellation is early; always where null.
    pub cancellation_window_minutes: Option<i64>,
    /// Fee for a late cancellation.
    pub late_fee: Option<Money>,
    /// What a client owes who does not come.
    pub no_show_fee: Option<Money>,
    /// Keys of the pools whose credits pay for it, beside general credits.
    #[serde(default)]
    pub credit_pools: Vec<String>,
}

/// What it costs a client to cancel late, or not to come.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancellationTerms {
    /// The last instant at which it is cancelled free of charge; null where it always is.
    free_until: Option<Timestamp>,
    /// What a client owes who cancels after that.
    late_fee: Option<Money>,
    /// What a client owes who does not come.
    no_show_fee: Option<Money>,
}

impl Policy {
    /// Whether a cancellation at an instant is early or late for something that begins at another, in
    /// elapsed time.
    pub(crate) fn timing(&self, now: Timestamp, starts_at: Timestamp) -> CancellationTiming {
        match self.closes_at(starts_at) {
            Some(closes_at) if now > closes_at => CancellationTiming::Late,
            _ => CancellationTiming::Early,
        }
    }

    /// The terms of something that begins at an instant.
    pub fn terms(&self, starts_at: Timestamp) -> CancellationTerms {
        CancellationTerms {
            free_until: self.closes_at(starts_at),
            late_fee: self.late_fee,
            no_show_fee: self.no_show_fee,
        }
    }

    /// The last instant at which something that begins at another is cancelled early.
    pub(crate) fn closes_at(&self, starts_at: Timestamp) -> Option<Timestamp> {
        self.cancellation_window_minutes.map(|minutes| starts_at.plus_seconds(-60 * minutes))
    }
}
