//! Questions: what a form asks, and when. Rules without a database.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::FormRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spotter_kernel::{
    Date, Many, Phrase, Problem, Result, Rule,
    text::{Handle, Text},
};
use spotter_store::words;

/// Most questions of a form.
pub const QUESTIONS_MAX: usize = 200;
/// Most bytes of all questions of a form together.
const BYTES_MAX: usize = 256 * 1024;
/// Longest text answer, and the default limit, in characters.
pub const TEXT_MAX: i64 = 5_000;
/// Most steps of a scale.
const STEPS_MAX: f64 = 100.0;
/// The largest number of a question or an answer.
const NUMBER_MAX: f64 = 1e12;

words! {
    /// What an answer is: a text, a number, yes or no, a date, one or several of the options, a step of a scale,
    /// a measurement, a file, or that something is consented to. A statement is read and not answered.
    pub enum QuestionType {
        Text = "text",
        Number = "number",
        Boolean = "boolean",
        Date = "date",
        SingleChoice = "single_choice",
        MultiChoice = "multi_choice",
        Scale = "scale",
        Measurement = "measurement",
        File = "file",
        Consent = "consent",
        Statement = "statement",
    }
}

/// An option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Choice {
    /// Id of the option within the form; stable across versions.
    pub option_id: Handle,
    /// Label for people.
    pub label: Text<200>,
    /// Whether choosing this option flags the answer for a coach; hidden from clients.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flag: bool,
}

words! {
    /// How an answer is compared.
    pub enum Comparison {
        Eq = "eq",
        Ne = "ne",
        Gt = "gt",
        Lt = "lt",
        In = "in",
        Answered = "answered",
    }
}

/// A condition on an earlier answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerCondition {
    /// Id of an earlier question.
    pub question_id: Handle,
    /// Comparison with the answer. A question that is unanswered or hidden matches only `answered:
    /// false`.
    pub op: Comparison,
    /// Value to compare with: of the question's type, a list for `in`, true or false for
    /// `answered`.
    #[serde(default)]
    pub value: Value,
}

/// When a question is shown: where all, or any, of the tests pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShowWhen {
    /// All of the conditions.
    All(Many<AnswerCondition, 1, 20>),
    /// At least one of the conditions.
    Any(Many<AnswerCondition, 1, 20>),
}

impl ShowWhen {
    fn tests(&self) -> &[AnswerCondition] {
        match self {
            Self::All(tests) | Self::Any(tests) => tests,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::All(_) => "all",
            Self::Any(_) => "any",
        }
    }
}

/// A question of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    /// Id of the question within the form; it and its type are stable across versions.
    pub question_id: Handle,
    /// Type of the answer.
    pub r#type: QuestionType,
    /// Label for people.
    pub label: Text<500>,
    /// Help text.
    pub help: Option<Text<2000>>,
    /// Whether it must be answered where it is shown.
    #[serde(default)]
    pub required: bool,
    /// Options, for `single_choice` and `multi_choice`.
    #[serde(default, skip_serializing_if = "none")]
    pub options: Many<Choice, 0, 50>,
    /// The least number, the first step of a scale, or how many options are to be chosen at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest number, the last step of a scale, or how many options can be chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Most characters of a text; 5000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<i64>,
    /// Measurement type: a key of `GET /measurement-types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measurement_type: Option<Text<40>>,
    /// When it is shown; always when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_when: Option<ShowWhen>,
}

fn none(options: &Many<Choice, 0, 50>) -> bool {
    options.is_empty()
}

/// Answers by the questions' ids.
pub type Answers = BTreeMap<String, Value>;

impl Question {
    /// The option with this id.
    pub fn option(&self, id: &str) -> Option<&Choice> {
        self.options.iter().find(|option| &*option.option_id == id)
    }

    /// The same without fields for staff.
    pub fn for_clients(mut self) -> Self {
        let options = self.options.iter().map(|option| Choice { flag: false, ..option.clone() });
        self.options = Many::new(options.collect()).unwrap_or_default();
        self
    }

    /// Whether it is to be answered at all.
    pub fn is_presentable(&self) -> bool {
        self.r#type != QuestionType::Statement
    }

    fn check(&self, at: &str) -> Result<()> {
        use QuestionType::{MultiChoice, Number, Scale, SingleChoice};
        let wrong = |name: &str, rule: Phrase| Err(Problem::invalid(&format!("{at}.{name}"), rule));
        let is_choice = matches!(self.r#type, SingleChoice | MultiChoice);
        match is_choice {
            true if self.options.is_empty() => {
                return wrong("options", FormRule::NoOption.into());
            }
            false if !self.options.is_empty() => {
                return wrong("options", FormRule::OptionsOfOtherQuestion.into());
            }
            _ => {}
        }
        let mut seen = BTreeSet::new();
        for (number, option) in self.options.iter().enumerate() {
            if !seen.insert(&*option.option_id) {
                return wrong(&format!("options[{number}].optionId"), Rule::GivenTwice.into());
            }
        }
        let has_range = matches!(self.r#type, Number | Scale | MultiChoice);
        for (name, bound) in [("min", self.min), ("max", self.max)] {
            match bound {
                Some(_) if !has_range => {
                    return wrong(name, FormRule::BoundOfOtherQuestion.into());
                }
                Some(bound) if bound.abs() > NUMBER_MAX => {
                    let rule = Rule::OutOfRange { min: -1_000_000_000_000, max: 1_000_000_000_000 };
                    return wrong(name, rule.into());
                }
                Some(bound) if self.r#type != Number && bound.fract() != 0.0 => {
                    return wrong(name, FormRule::NotWholeAnswer.into());
                }
                _ => {}
            }
        }
        if self.min.zip(self.max).is_some_and(|(min, max)| min > max) {
            return wrong("max", FormRule::BelowMin.into());
        }
        if self.r#type == Scale {
            match self.min.zip(self.max) {
                None => return wrong("max", FormRule::ScaleBoundRequired.into()),
                Some((min, max)) if min >= max || max - min > STEPS_MAX => {
                    return wrong("max", FormRule::ScaleTooWide.into());
                }
                Some(_) => {}
            }
        }
        let choices = self.options.len() as f64;
        if self.r#type == MultiChoice
            && (self.min.is_some_and(|min| !(0.0..=choices).contains(&min))
                || self.max.is_some_and(|max| !(1.0..=choices).contains(&max)))
        {
            return wrong("max", FormRule::MoreThanOptions.into());
        }
        match (self.r#type, self.max_length) {
            (_, None) => {}
            (QuestionType::Text, Some(1..=TEXT_MAX)) => {}
            (QuestionType::Text, _) => {
                return wrong("maxLength", Rule::OutOfRange { min: 1, max: 5000 }.into());
            }
            _ => return wrong("maxLength", FormRule::LengthOfOtherQuestion.into()),
        }
        match (self.r#type, &self.measurement_type) {
            (QuestionType::Measurement, None) => wrong("measurementType", Rule::Required.into()),
            (QuestionType::Measurement, _) | (_, None) => Ok(()),
            _ => wrong("measurementType", FormRule::TypeOfOtherQuestion.into()),
        }?;
        match self.required && !self.is_presentable() {
            true => wrong("required", FormRule::StatementRequired.into()),
            false => Ok(()),
        }
    }

    /// Whether a value can be what an answer to it is compared with.
    fn can_be(&self, value: &Value) -> bool {
        use QuestionType::{Boolean, Consent, MultiChoice, Number, Scale, SingleChoice};
        match self.r#type {
            QuestionType::Text => value.as_str().is_some_and(|text| text.len() <= 1_000),
            Number | Scale => value.as_f64().is_some(),
            Boolean | Consent => value.is_boolean(),
            QuestionType::Date => value.as_str().is_some_and(|text| Date::parse(text).is_some()),
            SingleChoice | MultiChoice => {
                value.as_str().is_some_and(|id| self.option(id).is_some())
            }
            QuestionType::Measurement | QuestionType::File | QuestionType::Statement => false,
        }
    }

    /// Why a test of the answer to it makes no sense.
    fn refuses(&self, test: &AnswerCondition) -> Option<(&'static str, Phrase)> {
        use QuestionType::{Boolean, Consent, MultiChoice, Number, Scale, SingleChoice};
        let op = ("op", Phrase::from(FormRule::UnknownOperator));
        let one = |fits: bool| (!fits).then(|| ("value", Phrase::from(FormRule::OtherKindOfValue)));
        match (test.op, self.r#type) {
            (_, QuestionType::Statement) => {
                Some(("questionId", FormRule::ConditionOnStatement.into()))
            }
            (Comparison::Answered, _) => {
                let fits = test.value.is_null() || test.value.is_boolean();
                (!fits).then(|| ("value", Rule::NotBoolean.into()))
            }
            (_, QuestionType::Measurement | QuestionType::File) => Some(op),
            (Comparison::Gt | Comparison::Lt, Number | Scale | QuestionType::Date) => {
                one(self.can_be(&test.value))
            }
            (Comparison::Gt | Comparison::Lt, _) => Some(op),
            (Comparison::In, Boolean | Consent) => Some(op),
            (
                Comparison::In,
                QuestionType::Text
                | Number
                | Scale
                | QuestionType::Date
                | SingleChoice
                | MultiChoice,
            ) => {
                let all = test.value.as_array();
                let fits = all.is_some_and(|all| {
                    (1..=50).contains(&all.len()) && all.iter().all(|one| self.can_be(one))
                });
                (!fits).then(|| ("value", FormRule::NotListOfValues.into()))
            }
            (Comparison::Eq | Comparison::Ne, _) => one(self.can_be(&test.value)),
        }
    }
}

/// Refuses invalid questions: duplicate ids, contradicting limits, conditions on later questions.
pub fn checked(questions: &[Question]) -> Result<()> {
    let mut before: BTreeMap<&str, &Question> = BTreeMap::new();
    for (number, question) in questions.iter().enumerate() {
        let at = format!("questions[{number}]");
        question.check(&at)?;
        if let Some(when) = &question.show_when {
            for (number, test) in when.tests().iter().enumerate() {
                let at = format!("{at}.showWhen.{}[{number}]", when.word());
                let Some(request) = before.get(&*test.question_id) else {
                    let rule = FormRule::NotEarlierQuestion;
                    return Err(Problem::invalid(&format!("{at}.questionId"), rule));
                };
                if let Some((name, rule)) = request.refuses(test) {
                    return Err(Problem::invalid(&format!("{at}.{name}"), rule));
                }
            }
        }
        if before.insert(&question.question_id, question).is_some() {
            return Err(Problem::invalid(&format!("{at}.questionId"), Rule::GivenTwice));
        }
    }
    let size = serde_json::to_vec(questions).map_err(Problem::internal)?.len();
    match size > BYTES_MAX {
        true => Err(Problem::invalid("questions", FormRule::DraftTooLarge { max: 262144 })),
        false => Ok(()),
    }
}

/// Whether an answer and a value are the same; of several that were chosen, whether it is among them.
fn same(answer: &Value, value: &Value) -> bool {
    match (answer, answer.as_f64(), value.as_f64()) {
        (_, Some(one), Some(other)) => one == other,
        (Value::Array(chosen), ..) => chosen.contains(value),
        _ => answer == value,
    }
}

fn passes(test: &AnswerCondition, answer: Option<&Value>) -> bool {
    let Some(answer) = answer else {
        return test.op == Comparison::Answered && test.value == Value::Bool(false);
    };
    // Dates are compared as they are written.
    let after = |one: &Value, other: &Value| match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one > other,
        _ => one.as_str() > other.as_str(),
    };
    match test.op {
        Comparison::Answered => test.value != Value::Bool(false),
        Comparison::Eq => same(answer, &test.value),
        Comparison::Ne => !same(answer, &test.value),
        Comparison::Gt => after(answer, &test.value),
        Comparison::Lt => after(&test.value, answer),
        Comparison::In => {
            test.value.as_array().is_some_and(|all| all.iter().any(|one| same(answer, one)))
        }
    }
}

/// The questions that are shown for given answers, in one pass: a condition depends on earlier questions only, and a
/// hidden question counts as unanswered.
pub fn visible<'q>(questions: &'q [Question], answers: &Answers) -> Vec<&'q Question> {
    let mut output: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let pass = |test: &AnswerCondition| passes(test, output.get(&*test.question_id).copied());
        let is_shown = match &question.show_when {
            None => true,
            Some(ShowWhen::All(tests)) => tests.iter().all(pass),
            Some(ShowWhen::Any(tests)) => tests.iter().any(pass),
        };
        if !is_shown {
            continue;
        }
        all.push(question);
        if let Some(answer) = answers.get(&*question.question_id) {
            output.insert(&question.question_id, answer);
        }
    }
    all
}

#[cfg(test)]
mod tests;
