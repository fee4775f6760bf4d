//! Changes of a form. A page may be out of date: a form of a `PATCH` sends only the fields that its person changed.

use serde_json::Value;
use spotter_kernel::{Problem, Result, Rule};
use spotter_people::identity::browsers::SignedInPerson;

use crate::{forms::FormData, parts::format::JsonFields, request_body, rules::ConsoleRule};

/// The field with the initial values of the other fields, as they would be sent.
pub(crate) const FIELD: &str = "-was";
/// The field that names a list whose entries are changed individually.
pub(crate) const EACH: &str = "-each";

/// The changes of a form.
pub(crate) struct ChangedFields {
    /// The body of the operation.
    pub(crate) body: Value,
    /// For lists whose entries are changed individually: the positions of the sent entries on the page.
    sent: Vec<(String, Vec<usize>)>,
}

impl ChangedFields {
    /// All of a body.
    pub(crate) const fn is_written_whole(body: Value) -> Self {
        Self { body, sent: Vec::new() }
    }

    /// Maps an error of a sent entry to its position on the page.
    pub(crate) fn on_page(&self, mut problem: Problem) -> Problem {
        let details = problem.details.as_mut();
        let Some(Value::String(field)) = details.and_then(|own| own.get_mut("field")) else {
            return problem;
        };
        for (list, places) in &self.sent {
            let entry =
                field.strip_prefix(&format!("{list}[")).and_then(|rest| rest.split_once(']'));
            let entry =
                entry.and_then(|(at, rest)| Some((places.get(at.parse::<usize>().ok()?)?, rest)));
            if let Some((place, rest)) = entry {
                *field = format!("{list}[{place}]{rest}");
                break;
            }
        }
        problem
    }
}

/// A changed field: its initial and its new value.
pub(crate) struct EditedField {
    name: String,
    was: String,
    typed: String,
}

/// The changed fields of a form, among those that show a field of the record.
pub(crate) fn edited(form: &FormData) -> Vec<EditedField> {
    let was: Vec<(String, String)> = serde_json::from_str(form.one(FIELD)).unwrap_or_default();
    let plain = |name: &str| !name.starts_with('-') && !name.contains(':');
    let touched = was.into_iter().filter(|(name, _)| plain(name)).filter_map(|(name, was)| {
        let typed = form.one(&name).to_owned();
        (typed != was).then_some(EditedField { name, was, typed })
    });
    touched.collect()
}

/// Why a field is refused that another person changed after the page was made.
pub(crate) const BY_ANOTHER: ConsoleRule = ConsoleRule::ChangedByOther;

/// Refuses to overwrite a field that another person changed after the page was made, and returns the present value.
pub(crate) fn check(touched: &[EditedField], record: &Value) -> Result<()> {
    for EditedField { name, was, typed } in touched {
        let now = match record.at(name) {
            Value::String(now) => now.clone(),
            Value::Null => String::new(),
            // Lists, objects and numbers may be written in several ways.
            _ => continue,
        };
        let same = |one: &str, other: &str| one.replace("\r\n", "\n").trim() == other.trim();
        if !same(was, &now) && !same(typed, &now) {
            let mut problem = Problem::conflict(name, BY_ANOTHER);
            if let Some(Value::Object(details)) = &mut problem.details {
                details.insert("now".to_owned(), now.into());
            }
            return Err(problem);
        }
    }
    Ok(())
}

/// The initial values of a page, with one replaced by the present value.
pub(crate) fn with_now(was: &str, problem: &Problem) -> Option<String> {
    let details = problem.details.as_ref()?;
    let (field, now) = (details["field"].as_str()?, details["now"].as_str()?);
    let mut fields: Vec<(String, String)> = serde_json::from_str(was).ok()?;
    for (name, value) in &mut fields {
        if name == field {
            now.clone_into(value);
        }
    }
    serde_json::to_string(&fields).ok()
}

/// The body of a form without unchanged fields. A top-level field is sent entirely: changing a city sends the
/// address. Nothing without changes.
pub(crate) fn only(
    schema: &Value,
    form: &FormData,
    person: &SignedInPerson,
) -> Result<Option<ChangedFields>> {
    let mut body = request_body::body_of(schema, form, person)?;
    let text = form.one(FIELD);
    if text.is_empty() {
        return Ok(Some(ChangedFields::is_written_whole(body)));
    }
    let wrong = || Problem::invalid(FIELD, ConsoleRule::NotAsWritten);
    let fields: Vec<(String, String)> = serde_json::from_str(text).map_err(|_| wrong())?;
    let own = fields.into_iter().filter(|(name, _)| !name.starts_with('-')).collect();
    let was = request_body::body_of(schema, &form.with_fields(own), person)?;
    let mut sent_places = Vec::new();
    if let (Value::Object(body), Value::Object(was)) = (&mut body, &was) {
        // What cannot be empty is left out of the body: emptied, it would count as unchanged.
        let emptied = was.iter().find(|(name, value)| {
            !value.is_array() && !body.contains_key(*name) && form.is_empty_at(name)
        });
        if let Some((name, _)) = emptied {
            return Err(Problem::invalid(name, Rule::Required));
        }
        // A button is a change by itself.
        let is_button = was.is_empty();
        body.retain(|name, value| was.get(name) != Some(value));
        for list in form.all(EACH) {
            let Some(view) = was.get(list).and_then(Value::as_array) else { continue };
            let Some(sent) = body.get_mut(list).and_then(Value::as_array_mut) else { continue };
            let is_new = |at: &usize| view.get(*at) != sent.get(*at);
            let places: Vec<usize> = (0..sent.len()).filter(is_new).collect();
            *sent = places.iter().filter_map(|at| sent.get(*at).cloned()).collect();
            if sent.is_empty() {
                body.remove(list);
            }
            sent_places.push((list.to_owned(), places));
        }
        if body.is_empty() && !is_button {
            return Ok(None);
        }
    }
    Ok(Some(ChangedFields { body, sent: sent_places }))
}
