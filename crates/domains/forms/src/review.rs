//! Reviews: a coach has read a submission and comments on it.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::Write;
use spotter_kernel::{Problem, Result, text::Text};

use crate::{
    assignment::{Assignment, AssignmentStatus},
    letters,
    rules::FormRule,
};

/// A coach's review of a submission.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "FormReview")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Review {
    /// Review for the client.
    pub review: Option<Text<5000>>,
}

/// Marks it as reviewed.
pub fn review(cx: &mut Write, before: &Assignment, submitted: Review) -> Result<Assignment> {
    before.check_consent(cx)?;
    match before.status {
        AssignmentStatus::Submitted | AssignmentStatus::Reviewed => {}
        _ => return Err(Problem::conflict("status", FormRule::NotSubmitted)),
    }
    let mut reviewed = before.clone();
    reviewed.status = AssignmentStatus::Reviewed;
    reviewed.review = submitted.review.map(Into::into);
    let (by_type, by) = cx.maker();
    if before.status != AssignmentStatus::Reviewed || reviewed.review != before.review {
        reviewed.reviewed_at = Some(cx.now());
        (reviewed.reviewed_by_type, reviewed.reviewed_by) = (Some(by_type), by);
    }
    if reviewed.save(cx, before)? && before.status != AssignmentStatus::Reviewed {
        letters::tell_later(cx, &reviewed)?;
    }
    Ok(reviewed)
}
