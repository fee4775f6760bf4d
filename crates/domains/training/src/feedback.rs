//! Feedback of a client about a session.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use spotter_contract::{Area, Body, Path, Write, answer, operation};
use spotter_kernel::{Patch, Problem, Result, id::ClientId, number::BoundedInteger, text::Text};
use spotter_store::words;

use super::{
    session::{Session, SessionId},
    sessions::SessionPath,
};
use crate::rules::TrainingRule;

words! {
    /// How hard a session was.
    pub enum Difficulty { Easy = "Easy", Moderate = "Moderate", Hard = "Hard" }
}

words! {
    /// How a session felt.
    pub enum EmojiRating {
        Strong = "Strong", Energized = "Energized", Challenging = "Challenging",
        Intense = "Intense", Satisfied = "Satisfied", Exhausted = "Exhausted",
    }
}

impl EmojiRating {
    /// The mood as an emoji.
    const fn emoji(self) -> &'static str {
        match self {
            Self::Strong => "💪",
            Self::Energized => "⚡",
            Self::Challenging => "🎯",
            Self::Intense => "🔥",
            Self::Satisfied => "😌",
            Self::Exhausted => "😮‍💨",
        }
    }
}

/// A client's feedback on a session; fields without an answer are `null`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SessionFeedback")]
pub(super) struct Feedback {
    #[schemars(range(min = 1, max = 10))]
    rating: Option<i64>,
    difficulty: Option<Difficulty>,
    emoji_rating: Option<EmojiRating>,
    /// The emoji of the emojiRating.
    emoji: Option<&'static str>,
    notes: Option<String>,
}

impl Feedback {
    pub fn of(session: &Session) -> Self {
        Self {
            rating: session.rating,
            difficulty: session.difficulty,
            emoji_rating: session.emoji_rating,
            emoji: session.emoji_rating.map(EmojiRating::emoji),
            notes: session.feedback_notes.clone(),
        }
    }
}

/// A change of a value that `null` and a text without anything but spaces clear. Use with `#[serde(default)]`.
#[derive(Debug, Clone)]
struct Clearing<T>(Patch<T>);

impl<T> Default for Clearing<T> {
    fn default() -> Self {
        Self(Patch::Absent)
    }
}

impl<'de, T: de::DeserializeOwned> Deserialize<'de> for Clearing<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        use serde_json::Value;
        match Value::deserialize(d)? {
            Value::Null => Ok(Self(Patch::Clear)),
            Value::String(text) if text.trim().is_empty() => Ok(Self(Patch::Clear)),
            value => T::deserialize(value)
                .map(|value| Self(Patch::Set(value)))
                .map_err(de::Error::custom),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Clearing<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Clearing_{}", T::schema_name()).into()
    }
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [schemas.subschema_for::<T>(),
            {"type": ["string", "null"], "maxLength": 0}]})
    }
}

/// At least one of rating, difficulty, emojiRating and notes; `null` or an empty text clears.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["rating"]}, {"required": ["difficulty"]},
    {"required": ["emojiRating"]}, {"required": ["notes"]}]))]
#[schemars(rename = "SessionFeedbackChanges")]
struct FeedbackChanges {
    /// The path's client, where it is sent.
    client_id: Option<ClientId>,
    #[serde(default)]
    rating: Clearing<BoundedInteger<1, 10>>,
    #[serde(default)]
    difficulty: Clearing<Difficulty>,
    #[serde(default)]
    emoji_rating: Clearing<EmojiRating>,
    #[serde(default)]
    notes: Clearing<Text<2000>>,
}

answer!(FeedbackAnswer { session_id: SessionId, feedback: Feedback });

fn update_workout_feedback(
    cx: &mut Write,
    Path(at): Path<SessionPath>,
    Body(change): Body<FeedbackChanges>,
) -> Result<FeedbackAnswer> {
    if change.client_id.is_some_and(|client| client != at.client_id) {
        return Err(Problem::invalid("clientId", TrainingRule::OtherClient));
    }
    let FeedbackChanges { rating, difficulty, emoji_rating, notes, .. } = change;
    let absent = matches!(
        (&rating.0, &difficulty.0, &emoji_rating.0, &notes.0),
        (Patch::Absent, Patch::Absent, Patch::Absent, Patch::Absent)
    );
    if absent {
        return Err(Problem::invalid("body", TrainingRule::EmptyFeedback));
    }
    let before = Session::find(cx, at.client_id, at.session_id)?;
    let mut session = before.clone();
    rating.0.map(Into::into).apply(&mut session.rating);
    difficulty.0.apply(&mut session.difficulty);
    emoji_rating.0.apply(&mut session.emoji_rating);
    notes.0.map(Into::into).apply(&mut session.feedback_notes);
    session.save(cx, &before)?;
    Ok(FeedbackAnswer { session_id: session.session_id, feedback: Feedback::of(&session) })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(PATCH "/workout/clients/{clientId}/plans/workout-feedback/{sessionId}", WorkoutClientPlansWrite, update_workout_feedback)
            .summary("Edit session workout feedback")
            .for_client(&[])
            .describe("Changes the fields that are sent; `null` or an empty text clears one."),
    ])
}
