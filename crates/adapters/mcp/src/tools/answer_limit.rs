//! How long an answer to an assistant may be: a model reads it whole, and has room for more than one.

use serde_json::{Value, json};
use spotter_kernel::Phrase;

/// Longest answer, in bytes of JSON.
pub(super) const LENGTH_MAX: usize = 20_000;

/// The result of limiting an answer.
pub(super) enum BoundedAnswer {
    /// It is short enough, or was made so: its JSON.
    Fits(String),
    /// A list that fits with this number of records per page.
    WithLimit(i64),
    /// It cannot be shortened here: the caller has to request less.
    TooLong,
}

/// Shortens an answer where nothing is lost: slots continue at `nextFrom`, lists with their next page.
pub(super) fn bound(data: &mut Value) -> BoundedAnswer {
    let text = data.to_string();
    let length = text.len();
    if length <= LENGTH_MAX {
        return BoundedAnswer::Fits(text);
    }
    if data.get("slots").is_some() && data.get("nextFrom").is_some() {
        return cut_slots(data, length);
    }
    match data["limit"].as_i64() {
        Some(limit) if limit > 1 => {
            let fits = limit * LENGTH_MAX as i64 * 9 / 10 / length as i64;
            BoundedAnswer::WithLimit(fits.clamp(1, limit - 1))
        }
        _ => BoundedAnswer::TooLong,
    }
}

/// Leaves the first that fit; never a part of those that begin at one instant.
fn cut_slots(data: &mut Value, length: usize) -> BoundedAnswer {
    let Some(slots) = data["slots"].as_array_mut() else { return BoundedAnswer::TooLong };
    let keep = (slots.len() * LENGTH_MAX * 9 / 10 / length).max(1);
    let begins = |slot: &Value| slot["startsAt"].as_str().unwrap_or_default().to_owned();
    let Some(next) = slots.get(keep).map(begins) else { return BoundedAnswer::TooLong };
    let first = slots.partition_point(|slot| begins(slot) < next);
    if first == 0 {
        return BoundedAnswer::TooLong;
    }
    slots.truncate(first);
    data["nextFrom"] = json!(next);
    BoundedAnswer::Fits(data.to_string())
}

/// Whether the records of a page are the same with fewer of them: those of the first page are.
pub(super) fn may_shrink(arguments: &serde_json::Map<String, Value>) -> bool {
    arguments.get("page").is_none_or(|page| page.is_null() || page.as_i64() == Some(1))
}

/// The message for an answer that is too long.
pub(super) fn too_long(limit: Option<i64>) -> Phrase {
    let advice = match limit {
        Some(limit) => format!("begin again with limit {limit}"),
        None => "ask for a shorter range, wider groups, or fewer at a time".to_owned(),
    };
    let rule = format!("would make an answer of more than {LENGTH_MAX} characters: {advice}");
    Phrase::verbatim(&rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_where_they_go_on() {
        let slot = |minute: usize, coach: usize| {
            let at = format!("2026-06-{:02}T{:02}:00:00.000Z", minute / 24 + 1, minute % 24);
            json!({"startsAt": at, "coachId": coach, "slotToken": "x".repeat(150)})
        };
        let all = (0..400).flat_map(|minute| (0..2).map(move |coach| slot(minute, coach)));
        let mut data = json!({"slots": all.collect::<Vec<_>>(), "nextFrom": null});
        let BoundedAnswer::Fits(text) = bound(&mut data) else { panic!("slots go on") };
        assert_eq!(text, data.to_string());
        assert!(text.len() <= LENGTH_MAX, "{}", text.len());
        let kept = data["slots"].as_array().unwrap();
        assert!(
            kept.len() > 50 && kept.len().is_multiple_of(2),
            "both of an instant: {}",
            kept.len()
        );
        assert_eq!(data["nextFrom"], slot(kept.len() / 2, 0)["startsAt"]);
        let record = json!({"note": "x".repeat(900)});
        let mut list = json!({"notes": vec![record; 100], "page": 1, "limit": 100});
        assert!(matches!(bound(&mut list), BoundedAnswer::WithLimit(15..=20)));
        let mut report = json!({"days": vec!["x".repeat(100); 366]});
        assert!(matches!(bound(&mut report), BoundedAnswer::TooLong));
    }
}
