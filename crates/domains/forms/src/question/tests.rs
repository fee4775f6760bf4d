//! Tests of the rules.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn question(value: Value) -> Question {
    serde_json::from_value(value).unwrap()
}

fn of(questions: Value) -> Vec<Question> {
    serde_json::from_value(questions).unwrap()
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let text = |id: &str| json!({"questionId": id, "type": "text", "label": "?"});
    let with = |more: Value| {
        let mut question = text("q");
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([question])
    };
    let when = |on: Value| {
        json!([{"questionId": "n", "type": "number", "label": "?"},
            {"questionId": "q", "type": "text", "label": "?", "showWhen": {"all": [on]}}])
    };
    let options = json!([{"optionId": "a", "label": "A"}]);
    for (questions, field) in [
        (json!([text("a"), text("a")]), "questions[1].questionId"),
        (with(json!({"options": options})), "questions[0].options"),
        (with(json!({"type": "single_choice"})), "questions[0].options"),
        (with(json!({"type": "multi_choice", "options": options, "max": 2})), "questions[0].max"),
        (with(json!({"min": 1})), "questions[0].min"),
        (with(json!({"type": "number", "min": 2, "max": 1})), "questions[0].max"),
        (with(json!({"type": "scale", "min": 1})), "questions[0].max"),
        (with(json!({"type": "scale", "min": 0.5, "max": 2})), "questions[0].min"),
        (with(json!({"type": "scale", "min": 0, "max": 101})), "questions[0].max"),
        (with(json!({"maxLength": 0})), "questions[0].maxLength"),
        (with(json!({"type": "date", "maxLength": 9})), "questions[0].maxLength"),
        (with(json!({"type": "measurement"})), "questions[0].measurementType"),
        (with(json!({"measurementType": "weight"})), "questions[0].measurementType"),
        (with(json!({"type": "statement", "required": true})), "questions[0].required"),
        (
            when(json!({"questionId": "q", "op": "answered"})),
            "questions[1].showWhen.all[0].questionId",
        ),
        (
            when(json!({"questionId": "n", "op": "eq", "value": "3"})),
            "questions[1].showWhen.all[0].value",
        ),
        (
            when(json!({"questionId": "n", "op": "in", "value": []})),
            "questions[1].showWhen.all[0].value",
        ),
    ] {
        let refused = checked(&of(questions.clone())).unwrap_err();
        assert_eq!(refused.details.unwrap()["field"], field, "{questions}");
    }
    assert!(checked(&of(when(json!({"questionId": "n", "op": "gt", "value": 3})))).is_ok());
}

#[test]
fn hidden_questions_count_as_unanswered() {
    let questions = of(json!([
        {"questionId": "pain", "type": "boolean", "label": "Any pain?"},
        {"questionId": "where", "type": "text", "label": "Where?",
         "showWhen": {"all": [{"questionId": "pain", "op": "eq", "value": true}]}},
        {"questionId": "since", "type": "date", "label": "Since when?",
         "showWhen": {"any": [{"questionId": "where", "op": "answered"}]}},
    ]));
    assert!(checked(&questions).is_ok());
    let ids = |answers: Value| -> Vec<String> {
        let answers = serde_json::from_value(answers).unwrap();
        let all = visible(&questions, &answers);
        all.iter().map(|one| one.question_id.to_string()).collect()
    };
    assert_eq!(ids(json!({})), ["pain"]);
    assert_eq!(ids(json!({"pain": false, "where": "Knee"})), ["pain"]);
    assert_eq!(ids(json!({"pain": true})), ["pain", "where"]);
    assert_eq!(ids(json!({"pain": true, "where": "Knee"})), ["pain", "where", "since"]);
}

#[test]
fn comparisons() {
    let test = |op: &str, value: Value| AnswerCondition {
        question_id: Handle::parse("q").unwrap(),
        op: Comparison::parse(op).unwrap(),
        value,
    };
    for (op, value, answer, is) in [
        ("eq", json!(3), json!(3.0), true),
        ("ne", json!(3), json!(3.0), false),
        ("gt", json!(3), json!(3), false),
        ("gt", json!("2026-01-31"), json!("2026-02-01"), true),
        ("lt", json!(3), json!(-1), true),
        ("in", json!(["a", "b"]), json!("b"), true),
        ("in", json!(["a", "b"]), json!(["c", "b"]), true),
        ("eq", json!("a"), json!(["a", "c"]), true),
        ("ne", json!("a"), json!(["a", "c"]), false),
        ("answered", Value::Null, json!(false), true),
        ("answered", json!(false), json!(false), false),
    ] {
        assert_eq!(passes(&test(op, value.clone()), Some(&answer)), is, "{op} {value} {answer}");
    }
    assert!(!passes(&test("ne", json!(3)), None));
    assert!(!passes(&test("answered", json!(true)), None));
    assert!(passes(&test("answered", json!(false)), None));
}

/// Questions of yes and no, each shown where tests of earlier ones pass.
fn chains() -> impl Strategy<Value = Vec<Question>> {
    let tests = prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<bool>()), 0..3);
    prop::collection::vec((tests, any::<bool>()), 1..12).prop_map(|all| {
        let questions = all.into_iter().enumerate().map(|(number, (tests, is_all))| {
            let tests: Vec<Value> = match number {
                0 => Vec::new(),
                _ => tests
                    .into_iter()
                    .map(|(on, op, value)| {
                        let op = ["eq", "ne", "answered", "answered"][usize::from(op)];
                        json!({"questionId": format!("q{}", on.index(number)), "op": op, "value": value})
                    })
                    .collect(),
            };
            let mut one = json!({"questionId": format!("q{number}"), "type": "boolean", "label": "?"});
            if !tests.is_empty() {
                one["showWhen"] = json!({(if is_all { "all" } else { "any" }): tests});
            }
            question(one)
        });
        questions.collect()
    })
}

proptest! {
    /// What is hidden could as well not have been answered, and answering it changes nothing.
    #[test]
    fn hidden_answers_change_nothing(
        questions in chains(),
        submitted in prop::collection::vec(any::<Option<bool>>(), 12),
    ) {
        prop_assert!(checked(&questions).is_ok());
        let answers: Answers = questions.iter().zip(&submitted).filter_map(|(question, submitted)| {
            submitted.map(|submitted| (question.question_id.to_string(), json!(submitted)))
        }).collect();
        let seen = visible(&questions, &answers);
        let mut kept = answers.clone();
        kept.retain(|id, _| seen.iter().any(|one| &*one.question_id == id));
        prop_assert_eq!(&visible(&questions, &kept), &seen);
        // Asked again from the first, each by its own conditions over what is shown and answered alone.
        for question in &questions {
            let pass = |test: &AnswerCondition| passes(test, kept.get(&*test.question_id));
            let is_shown = question.show_when.as_ref().is_none_or(|when| match when {
                ShowWhen::All(tests) => tests.iter().all(pass),
                ShowWhen::Any(tests) => tests.iter().any(pass),
            });
            prop_assert_eq!(is_shown, seen.contains(&question));
        }
    }
}
