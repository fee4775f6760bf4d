//! Ports between the activities of clients and goals: each side calls the other through these traits only.

use spotter_kernel::{Date, Result, id::ClientId, span::Span};

use crate::context::{Read, Write};

/// Reads a client's workouts.
pub trait Training: Send + Sync {
    /// How many workouts the client has completed that began on a date or after it.
    fn completed(&self, cx: &mut Read, client: ClientId, from: Date) -> Result<i64>;
}

/// Reads a client's check-ups.
pub trait Checkups: Send + Sync {
    /// How many the client was given from one instant to before another, and how many of those they have answered.
    fn given(&self, cx: &mut Read, client: ClientId, span: Span) -> Result<(i64, i64)>;
}

/// A measurement, as other areas see it.
#[derive(Clone, Debug)]
pub struct MeasuredValue<'m> {
    /// The key of a measurement type.
    pub r#type: &'m str,
    /// The value, in `unit`.
    pub value: Option<f64>,
    /// Of a blood pressure: at the beat, and in the pause.
    pub components: Option<(i64, i64)>,
    /// The type's metric one when absent.
    pub unit: Option<&'m str>,
}

/// Is notified of clients' activities, in their transaction.
pub trait ActivityListener: Send + Sync {
    /// Refuses the key of a type that cannot be measured, naming this field.
    fn check_type(&self, cx: &mut Read, key: &str, field: &str) -> Result<()>;

    /// Refuses what cannot have been measured, naming this field.
    fn check_answer(&self, cx: &mut Read, measured: &MeasuredValue<'_>, field: &str) -> Result<()>;

    /// Records an answer as a measurement, or corrects the one recorded under the same id. It announces
    /// `measurement.created` or `measurement.updated`, and may announce `goal.updated`.
    fn answered(
        &self,
        cx: &mut Write,
        client: ClientId,
        measured: &MeasuredValue<'_>,
        external_id: &str,
    ) -> Result<()>;

    /// A workout was completed, or one that was is gone. It may announce `goal.updated`.
    fn trained(&self, cx: &mut Write, client: ClientId) -> Result<()>;
}
