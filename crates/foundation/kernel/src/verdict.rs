//! Decisions whose refusals are results, not errors.

/// What a transaction decided. It commits whichever it is, so that a refusal may leave a trace, such as an audit row;
/// a [`Problem`](crate::Problem) rolls back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<T, R> {
    /// It is granted, with what follows from that.
    Granted(T),
    /// It is refused, for this reason.
    Refused(R),
}

impl<T, R> Verdict<T, R> {
    /// The reason of a refusal.
    pub fn refusal(self) -> Option<R> {
        match self {
            Self::Granted(_) => None,
            Self::Refused(reason) => Some(reason),
        }
    }

    /// As a `Result`, for callers to whom a refusal is an error.
    ///
    /// # Errors
    /// The reason of a refusal.
    pub fn into_result(self) -> Result<T, R> {
        match self {
            Self::Granted(value) => Ok(value),
            Self::Refused(reason) => Err(reason),
        }
    }
}

impl<T, R> From<Result<T, R>> for Verdict<T, R> {
    fn from(result: Result<T, R>) -> Self {
        match result {
            Ok(value) => Self::Granted(value),
            Err(reason) => Self::Refused(reason),
        }
    }
}
