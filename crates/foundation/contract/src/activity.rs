//! The ports between what clients do and the goals that they do it for: each side asks the other by these, and
//! knows nothing else of it.

use spotter_kernel::{Date, Result, Timestamp, id::ClientId};

use crate::context::{Read, Write};

/// What is told of a client's workouts.
pub trait Training: Send + Sync {
    /// How many workouts the client has completed that began on a date or after it.
    fn completed(&self, cx: &mut Read, client: ClientId, from: Date) -> Result<i64>;
}

/// What is told of a client's check-ups.
pub trait Checkups: Send + Sync {
    /// How many the client was given from one instant to before another, and how many of those they have answered.
    fn given(
        &self,
        cx: &mut Read,
        client: ClientId,
        span: (Timestamp, Timestamp),
    ) -> Result<(i64, i64)>;
}

/// Something that a client has measured, as another area is told it.
#[derive(Clone, Debug)]
pub struct Measured<'m> {
    /// What was measured: the key of a type.
    pub r#type: &'m str,
    /// The value, in `unit`.
    pub value: Option<f64>,
    /// Of a blood pressure: at the beat, and in the pause.
    pub components: Option<(i64, i64)>,
    /// The type's metric one when absent.
    pub unit: Option<&'m str>,
}

/// Who is told what clients have done, in the transaction in which they did it.
pub trait ActivityListener: Send + Sync {
    /// Refuses the key of a type that cannot be measured, naming this field.
    fn check_type(&self, cx: &mut Read, key: &str, field: &str) -> Result<()>;

    /// Refuses what cannot have been measured, naming this field.
    fn check_answer(&self, cx: &mut Read, measured: &Measured<'_>, field: &str) -> Result<()>;

    /// Records what a client has answered, or corrects what was recorded under the same id. It announces
    /// `measurement.created` or `measurement.updated`, and may announce `goal.updated`.
    fn answered(
        &self,
        cx: &mut Write,
        client: ClientId,
        measured: &Measured<'_>,
        external_id: &str,
    ) -> Result<()>;

    /// A workout was completed, or one that was is gone. It may announce `goal.updated`.
    fn trained(&self, cx: &mut Write, client: ClientId) -> Result<()>;
}
