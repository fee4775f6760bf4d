//! What somebody has changed in a form. A page may be older than what it shows: of an operation that changes what is sent
//! and leaves the rest, a form sends what its person has changed, and nothing of what merely stood there.

use serde_json::Value;
use spotter_kernel::{Problem, Result};
use spotter_people::identity::browsers::Person;

use crate::{forms::Form, parts::format::JsonFields, request_body, rules::ConsoleRule};

/// The field of a form that says what stood in the others, as they would be sent.
pub(crate) const FIELD: &str = "-was";
/// The field that names a list each of whose entries is changed by itself.
pub(crate) const EACH: &str = "-each";

/// What somebody has changed.
pub(crate) struct Changed {
    /// The body of the operation.
    pub(crate) body: Value,
    /// Of lists each of whose entries is changed by itself, where on the page those that are sent stand.
    sent: Vec<(String, Vec<usize>)>,
}

impl Changed {
    /// All of a body.
    pub(crate) const fn is_written_whole(body: Value) -> Self {
        Self { body, sent: Vec::new() }
    }

    /// What is wrong with an entry is wrong with it where it stands on the page.
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

/// A field that somebody has touched: what it said before, and what they typed.
pub(crate) struct EditedField {
    name: String,
    was: String,
    typed: String,
}

/// The fields of a form that its person has touched, of those that say what a record says as it says it.
pub(crate) fn edited(form: &Form) -> Vec<EditedField> {
    let was: Vec<(String, String)> = serde_json::from_str(form.one(FIELD)).unwrap_or_default();
    let plain = |name: &str| !name.starts_with('-') && !name.contains(':');
    let touched = was.into_iter().filter(|(name, _)| plain(name)).filter_map(|(name, was)| {
        let typed = form.one(&name).to_owned();
        (typed != was).then_some(EditedField { name, was, typed })
    });
    touched.collect()
}

/// Why a field is refused that somebody else has changed since its page was made.
pub(crate) const BY_ANOTHER: ConsoleRule = ConsoleRule::ChangedByOther;

/// Refuses to write over what somebody else has written into the same field since the page was made, and says what.
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

/// What stood in the fields of a page, with what stands in one of them now.
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

/// The body that a form amounts to, without what is as it was shown. A field of the body is sent whole: whoever changes a
/// city sends the address. Nothing where nothing was changed.
pub(crate) fn only(schema: &Value, form: &Form, person: &Person) -> Result<Option<Changed>> {
    let mut body = request_body::body_of(schema, form, person)?;
    let text = form.one(FIELD);
    if text.is_empty() {
        return Ok(Some(Changed::is_written_whole(body)));
    }
    let wrong = || Problem::invalid(FIELD, ConsoleRule::NotAsWritten);
    let fields: Vec<(String, String)> = serde_json::from_str(text).map_err(|_| wrong())?;
    let own = fields.into_iter().filter(|(name, _)| !name.starts_with('-')).collect();
    let was = request_body::body_of(schema, &form.with_fields(own), person)?;
    let mut sent_places = Vec::new();
    if let (Value::Object(body), Value::Object(was)) = (&mut body, &was) {
        // A button changes what it says.
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
    Ok(Some(Changed { body, sent: sent_places }))
}
