//! Reviews: a coach has looked at what a client has handed in, and says what there is to say.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::Write;
use spotter_kernel::{Problem, Result, text::Text};

use crate::{
    assignment::{Assignment, AssignmentStatus},
    rules::FormRule,
};

/// What a coach says.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "FormReview")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Review {
    /// What to say to the client.
    pub review: Option<Text<5000>>,
}

/// Notes that somebody has looked at it.
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
    reviewed.save(cx, before)?;
    Ok(reviewed)
}
