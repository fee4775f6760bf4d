//! Answers: whether they fit their questions, and what is missing. Rules without a database.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spotter_company::uploads::UploadId;
use spotter_kernel::{Date, Phrase, Problem, Result, Rule, text::Text};

use crate::{
    file::FormFileId,
    question::{Answers, Question, QuestionType, TEXT_MAX, visible},
    rules::FormRule,
};

/// Answers as they are sent: values by the questions' ids.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct SubmittedAnswers(pub Answers);

impl JsonSchema for SubmittedAnswers {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "FormAnswers".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "maxProperties": crate::question::QUESTIONS_MAX,
            "additionalProperties": true, "examples": [{"sleep": 7.5, "goals": ["strength", "sleep"],
            "weight": {"value": 80.5, "unit": "kg"}, "injured": false}]})
    }
}

/// An answer to a measurement question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The value, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Components of a blood pressure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<Pressure>,
    /// The type's metric one when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Text<20>>,
}

/// The two values of a blood pressure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pressure {
    /// Systolic pressure.
    pub systolic: i64,
    /// Diastolic pressure.
    pub diastolic: i64,
}

/// An answer to a file question: a new upload, or a stored file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileReference {
    /// One that the caller has sent to `POST /uploads`.
    Upload(UploadId),
    /// One that was answered with before.
    File(FormFileId),
}

/// An answer that fits its question, apart from what only others know.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckedAnswer {
    /// No answer, or an empty one.
    Nothing,
    /// The stored form.
    Plain(Value),
    /// A measurement; whether it can be one, who measures knows.
    Measured(Measure),
    /// A file; the caller checks whether it exists.
    Sent(FileReference),
}

/// The problem of an answer.
pub fn wrong(question: &str, rule: impl Into<Phrase>) -> Problem {
    Problem::invalid(&format!("answers.{question}"), rule)
}

/// Checks an answer to a question.
pub fn check(question: &Question, value: &Value) -> Result<CheckedAnswer, Phrase> {
    if value.is_null() {
        return Ok(CheckedAnswer::Nothing);
    }
    let plain = |value: Value| Ok(CheckedAnswer::Plain(value));
    let option = |value: &Value| {
        let id = value.as_str().and_then(|id| question.option(id));
        id.ok_or(FormRule::NotOptionId)
    };
    match question.r#type {
        QuestionType::Text => {
            let text = value.as_str().ok_or(Rule::NotText)?;
            if text.trim().is_empty() {
                return Ok(CheckedAnswer::Nothing);
            }
            let most = question.max_length.unwrap_or(TEXT_MAX);
            let text = Text::<{ TEXT_MAX as usize }>::parse(text)
                .map_err(|(_, rule)| Phrase::from(rule))?;
            match text.chars().count() as i64 > most {
                true => Err(FormRule::TooLongAnswer { most }.into()),
                false => plain(json!(&*text)),
            }
        }
        QuestionType::Number | QuestionType::Scale => {
            let number = value.as_f64().filter(|number| number.abs() <= 1e12);
            let number = number.ok_or(Rule::NotNumber)?;
            if question.r#type == QuestionType::Scale && number.fract() != 0.0 {
                return Err(FormRule::NotWholeAnswer.into());
            }
            let is_below = question.min.is_some_and(|min| number < min);
            match (
                is_below || question.max.is_some_and(|max| number > max),
                question.min,
                question.max,
            ) {
                (true, Some(min), Some(max)) => {
                    Err(FormRule::AnswerOutOfRange { min: min.to_string(), max: max.to_string() }
                        .into())
                }
                (true, Some(min), None) => {
                    Err(FormRule::AnswerTooSmall { min: min.to_string() }.into())
                }
                (true, None, Some(max)) => {
                    Err(FormRule::AnswerTooLarge { max: max.to_string() }.into())
                }
                _ => plain(value.clone()),
            }
        }
        QuestionType::Boolean | QuestionType::Consent => match value.is_boolean() {
            true => plain(value.clone()),
            false => Err(Rule::NotBoolean.into()),
        },
        QuestionType::Date => match value.as_str().and_then(Date::parse) {
            Some(_) => plain(value.clone()),
            None => Err(FormRule::NotAnswerDate.into()),
        },
        QuestionType::SingleChoice => plain(json!(option(value)?.option_id)),
        QuestionType::MultiChoice => {
            let all = value.as_array().ok_or(FormRule::NotOptionIds)?;
            if all.is_empty() {
                return Ok(CheckedAnswer::Nothing);
            }
            let mut chosen: Vec<&str> = Vec::new();
            for one in all {
                let id = &*option(one)?.option_id;
                match chosen.contains(&id) {
                    true => return Err(FormRule::OptionTwice.into()),
                    false => chosen.push(id),
                }
            }
            match question.max {
                Some(max) if chosen.len() as f64 > max => {
                    Err(FormRule::TooManyChosen { max }.into())
                }
                _ => plain(json!(chosen)),
            }
        }
        QuestionType::Measurement => {
            let measure = Measure::deserialize(value).map_err(|_| FormRule::NotMeasurement)?;
            Ok(CheckedAnswer::Measured(measure))
        }
        QuestionType::File => {
            let id = |name: &str| value.get(name).filter(|id| !id.is_null());
            match (id("uploadId"), id("fileId")) {
                (Some(id), None) => Ok(CheckedAnswer::Sent(FileReference::Upload(
                    UploadId::deserialize(id).map_err(|_| FormRule::NotFileAnswer)?,
                ))),
                (None, Some(id)) => Ok(CheckedAnswer::Sent(FileReference::File(
                    FormFileId::deserialize(id).map_err(|_| FormRule::NotFileAnswer)?,
                ))),
                _ => Err(FormRule::NotFileAnswer.into()),
            }
        }
        QuestionType::Statement => Err(FormRule::StatementAnswered.into()),
    }
}

/// A required question without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingAnswer {
    /// Question that lacks an answer.
    pub question_id: String,
    /// The rule that the answer violates.
    pub rule: String,
}

/// What is missing before submission: required questions that are shown.
pub fn missing(questions: &[Question], answers: &Answers) -> Vec<(String, FormRule)> {
    let lacks = |question: &&Question| {
        let answer = answers.get(&*question.question_id);
        let rule = match (question.r#type, answer, question.min) {
            (QuestionType::Consent, answer, _)
                if question.required && answer != Some(&Value::Bool(true)) =>
            {
                FormRule::NotAgreed
            }
            (_, None, _) if question.required && question.is_presentable() => FormRule::NotAnswered,
            (QuestionType::MultiChoice, Some(Value::Array(chosen)), Some(min))
                if (chosen.len() as f64) < min =>
            {
                FormRule::TooFewChosen { min }
            }
            _ => return None,
        };
        Some((question.question_id.to_string(), rule))
    };
    visible(questions, answers).iter().filter_map(lacks).collect()
}

/// The answers to shown questions; others are dropped.
pub fn relevant(questions: &[Question], answers: &Answers) -> Answers {
    let seen = visible(questions, answers);
    let keep = |question: &&Question| {
        let id: &str = &question.question_id;
        answers.get(id).map(|answer| (id.to_owned(), answer.clone()))
    };
    seen.iter().filter_map(keep).collect()
}

/// Whether an answer is flagged for a coach.
pub fn is_flagged(question: &Question, answer: &Value) -> bool {
    let flagged = |id: &Value| {
        let option = id.as_str().and_then(|id| question.option(id));
        option.is_some_and(|option| option.flag)
    };
    match answer {
        Value::Array(chosen) => chosen.iter().any(flagged),
        one => flagged(one),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(value: Value) -> Question {
        let mut question = json!({"questionId": "q", "label": "?"});
        question.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
        serde_json::from_value(question).unwrap()
    }

    #[test]
    fn answers_fit_their_questions() {
        let ab =
            json!([{"optionId": "a", "label": "A"}, {"optionId": "b", "label": "B", "flag": true}]);
        let many = of(
            json!({"type": "multi_choice", "options": ab, "min": 2, "max": 2, "required": true}),
        );
        let one = of(json!({"type": "single_choice", "options": ab}));
        let scale = of(json!({"type": "scale", "min": 1, "max": 5}));
        let number = of(json!({"type": "number", "min": 0}));
        let text = of(json!({"type": "text", "maxLength": 3}));
        for (question, value, kept) in [
            (&one, json!("a"), Some(json!("a"))),
            (&one, json!("c"), None),
            (&one, json!(["a"]), None),
            (&many, json!(["b", "a"]), Some(json!(["b", "a"]))),
            (&many, json!(["a", "a"]), None),
            (&many, json!("a"), None),
            (&scale, json!(5), Some(json!(5))),
            (&scale, json!(6), None),
            (&scale, json!(2.5), None),
            (&number, json!(0.25), Some(json!(0.25))),
            (&number, json!(-0.25), None),
            (&number, json!("1"), None),
            (&text, json!(" abc "), Some(json!("abc"))),
            (&text, json!("abcd"), None),
            (&text, json!("a\u{0}"), None),
            (&of(json!({"type": "date"})), json!("2026-02-29"), None),
            (&of(json!({"type": "boolean"})), json!("true"), None),
            (&of(json!({"type": "statement"})), json!("x"), None),
            (
                &of(json!({"type": "measurement", "measurementType": "weight"})),
                json!({"valu": 1}),
                None,
            ),
            (&of(json!({"type": "file"})), json!({"uploadId": "x"}), None),
        ] {
            let is = check(question, &value);
            match kept {
                Some(kept) => assert_eq!(is, Ok(CheckedAnswer::Plain(kept))),
                None => assert!(is.is_err(), "{value}"),
            }
        }
        for (question, empty) in [(&text, json!("  ")), (&many, json!([])), (&one, Value::Null)] {
            assert_eq!(check(question, &empty), Ok(CheckedAnswer::Nothing));
        }
        assert!(is_flagged(&one, &json!("b")) && !is_flagged(&one, &json!("a")));
        assert!(is_flagged(&many, &json!(["a", "b"])));
        let few = Answers::from([("q".to_owned(), json!(["a"]))]);
        assert_eq!(missing(&[many], &few)[0].1, FormRule::TooFewChosen { min: 2.0 });
        let consent = of(json!({"type": "consent", "required": true}));
        let no = Answers::from([("q".to_owned(), json!(false))]);
        assert_eq!(missing(&[consent], &no)[0].1, FormRule::NotAgreed);
    }

    proptest! {
        /// No input panics, and an accepted answer is accepted again unchanged.
        #[test]
        fn accepted_answers_are_accepted_again(kind in 0..6usize, number in any::<f64>(), text in ".{0,12}", which in 0..4u8) {
            let questions = [
                of(json!({"type": "text"})), of(json!({"type": "number", "min": -5, "max": 1e6})),
                of(json!({"type": "scale", "min": 0, "max": 10})), of(json!({"type": "date"})),
                of(json!({"type": "boolean"})),
                of(json!({"type": "multi_choice", "options": [{"optionId": "a", "label": "A"}]})),
            ];
            let value = match which {
                0 => json!(number),
                1 => json!(text),
                2 => json!([text]),
                _ => json!(["a"]),
            };
            if let Ok(CheckedAnswer::Plain(kept)) = check(&questions[kind], &value) {
                prop_assert_eq!(check(&questions[kind], &kept), Ok(CheckedAnswer::Plain(kept)));
            }
        }
    }
}
