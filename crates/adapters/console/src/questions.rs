//! A question of a form as it is written on a page, and put into the list of all.

use serde_json::{Map, Value, json};
use spotter_kernel::{Problem, Result, Rule};

use crate::{forms::FormData, parts::format::JsonFields, rules::ConsoleRule};

/// Most questions, and options of one, that are searched.
const LIST_MAX: usize = 200;

/// The list of questions with the one of the form: in place of the one at `question.place`, else at its end. A
/// question and its options keep their ids, by which answers are stored.
pub(crate) fn with(list: Value, form: &FormData) -> Result<Value> {
    let Value::Array(mut all) = list else {
        return Err(Problem::invalid("questions", Rule::NotList));
    };
    if all.len() > LIST_MAX {
        return Err(Problem::invalid("questions", ConsoleRule::TooManyQuestions));
    }
    if form.one("question.options").lines().count() > LIST_MAX {
        return Err(Problem::invalid("question.options", ConsoleRule::TooManyOptions));
    }
    let part = |name: &str| form.one(&format!("question.{name}")).trim().to_owned();
    let place: Option<usize> = part("place").parse().ok().filter(|place| *place < all.len());
    let before = place.map(|place| all[place].clone()).unwrap_or_default();
    let mut question = match before {
        Value::Object(before) => before,
        _ => Map::new(),
    };
    if place.is_none() {
        let taken = |id: &str| all.iter().any(|one| one.text("questionId") == id);
        question.insert("questionId".to_owned(), free(&part("label"), &taken).into());
        question.insert("type".to_owned(), part("type").into());
    }
    question.insert("label".to_owned(), part("label").into());
    let help = part("help").replace("\r\n", "\n");
    question.insert("help".to_owned(), if help.is_empty() { Value::Null } else { help.into() });
    question.insert("required".to_owned(), (part("required") == "true").into());
    put(&mut question, "measurementType", part("measurementType").into());
    for name in ["min", "max"] {
        let written = part(name).replace(',', ".");
        let number = match written.as_str() {
            "" => Value::Null,
            written => match written.parse::<f64>() {
                Ok(number) => number.into(),
                Err(_) => {
                    return Err(Problem::invalid(&format!("question.{name}"), Rule::NotNumber));
                }
            },
        };
        put(&mut question, name, number);
    }
    let options = options(&Value::Object(question.clone()), &part("options"));
    put(&mut question, "options", options);
    let view = shown_when(&all, &part("shownIf"), &part("shownValue"), &question);
    put(&mut question, "showWhen", view);
    match place {
        Some(place) => all[place] = Value::Object(question),
        None => all.push(Value::Object(question)),
    }
    Ok(Value::Array(all))
}

fn put(question: &mut Map<String, Value>, name: &str, value: Value) {
    let empty = value.is_null()
        || value.as_str() == Some("")
        || value.as_array().is_some_and(Vec::is_empty);
    match empty {
        true => question.remove(name),
        false => question.insert(name.to_owned(), value),
    };
}

/// The options of lines of text; a leading `!` flags an option.
fn options(before: &Value, lines: &str) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (label, flag) = match line.strip_prefix('!') {
            Some(label) => (label.trim(), true),
            None => (line, false),
        };
        let known = before.list("options").iter().find(|own| own.text("label") == label);
        let taken = |id: &str| {
            all.iter().chain(before.list("options")).any(|own| own.text("optionId") == id)
        };
        let id = known.map_or_else(|| free(label, &taken), |own| own.text("optionId").to_owned());
        let mut option = json!({"optionId": id, "label": label});
        if flag {
            option["flag"] = true.into();
        }
        all.push(option);
    }
    Value::Array(all)
}

/// The lines that options are written as.
pub(crate) fn lines(question: &Value) -> String {
    let line = |option: &Value| {
        let mark = if option.is("flag") { "! " } else { "" };
        format!("{mark}{}", option.text("label"))
    };
    question.list("options").iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The condition of a question: an earlier answer, or any answer if none is named. Other conditions are kept.
fn shown_when(all: &[Value], id: &str, value: &str, before: &Map<String, Value>) -> Value {
    if id == "-" {
        return before.get("showWhen").cloned().unwrap_or_default();
    }
    let Some(request) = all.iter().find(|one| one.text("questionId") == id) else {
        return Value::Null;
    };
    if value.is_empty() {
        return json!({"all": [{"questionId": id, "op": "answered", "value": true}]});
    }
    let option =
        request.list("options").iter().find(|own| own.text("label").eq_ignore_ascii_case(value));
    let value = match (request.text("type"), option) {
        (_, Some(option)) => option.text("optionId").into(),
        ("boolean" | "consent", _) => {
            matches!(value.to_lowercase().as_str(), "yes" | "ja" | "true").into()
        }
        ("number" | "scale", _) => {
            value.replace(',', ".").parse::<f64>().map_or_else(|_| value.into(), Value::from)
        }
        _ => value.into(),
    };
    let op = if request.text("type") == "multi_choice" { "in" } else { "eq" };
    let value = if op == "in" { json!([value]) } else { value };
    json!({"all": [{"questionId": id, "op": op, "value": value}]})
}

/// A name made of a label that nothing else has.
fn free(label: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let word: String = label
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let word: Vec<&str> = word.split('_').filter(|part| !part.is_empty()).take(4).collect();
    let word: String = word.join("_").chars().take(24).collect();
    let word = match word.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => word,
        _ => format!("q_{word}").trim_end_matches('_').to_owned(),
    };
    if !taken(&word) {
        return word;
    }
    let more = (2..10_000).map(|number| format!("{word}_{number}"));
    more.into_iter().find(|word| !taken(word)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> FormData {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(fields.iter().map(|(name, value)| (format!("question.{name}"), *value)));
        FormData::from_query(&query.finish())
    }

    #[test]
    fn a_question_is_added_and_keeps_its_names_when_it_changes() {
        let new = [
            ("type", "single_choice"),
            ("label", "How did you sleep?"),
            ("options", "Well\r\n! Badly\r\n\r\n"),
            ("required", "true"),
        ];
        let list = with(json!([]), &form(&new)).unwrap();
        assert_eq!(
            list,
            json!([{"questionId": "how_did_you_sleep", "type": "single_choice", "label": "How did you sleep?", "help": null, "required": true,
                "options": [{"optionId": "well", "label": "Well"}, {"optionId": "badly", "label": "Badly", "flag": true}]}])
        );
        assert_eq!(lines(&list[0]), "Well\n! Badly");
        let again = [
            ("place", "0"),
            ("label", "Sleep?"),
            ("options", "Badly\nFine\nWell"),
            ("type", "text"),
        ];
        let list = with(list, &form(&again)).unwrap();
        assert_eq!(
            (list[0].text("questionId"), list[0].text("type")),
            ("how_did_you_sleep", "single_choice")
        );
        let ids: Vec<&str> =
            list[0].list("options").iter().map(|own| own.text("optionId")).collect();
        assert_eq!(ids, ["badly", "fine", "well"]);
        let second = [
            ("type", "text"),
            ("label", "How did you sleep?"),
            ("shownIf", "how_did_you_sleep"),
            ("shownValue", "badly"),
        ];
        let list = with(list, &form(&second)).unwrap();
        assert_eq!(list[1]["questionId"], "how_did_you_sleep_2");
        let test =
            json!({"all": [{"questionId": "how_did_you_sleep", "op": "eq", "value": "badly"}]});
        assert_eq!(list[1]["showWhen"], test);
        let kept = [("place", "1"), ("label", "Why?"), ("shownIf", "-")];
        assert_eq!(with(list, &form(&kept)).unwrap()[1]["showWhen"], test);
        assert!(with(json!({}), &form(&[])).is_err());
        assert!(with(json!([]), &form(&[("min", "x")])).is_err());
    }

    #[test]
    fn names_are_free_and_begin_with_a_letter() {
        assert_eq!(free("Ça va? 2 × 3", &|_| false), "a_va_2_3");
        assert_eq!(free("??", &|_| false), "q");
        assert_eq!(free("12", &|word| word == "q_12"), "q_12_2");
    }
}
