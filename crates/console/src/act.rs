//! What somebody does on a page: a form names an operation, which runs as them, once for each form that was shown,
//! however often it is sent. What it refuses is told on the page that the form stands on.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use spotter_contract::{Answer, Arguments, Asked, Operation, idempotency};
use spotter_core::access::{
    accounts::{Password, Subject},
    browsers::{self, Person},
};
use spotter_http::{Login, RequestId, State, knows_password, may_reach, passwords};
use spotter_kernel::{
    Date, Id, Key, Problem, Result, TimeZone,
    money::Currency,
    secret::Credential,
    text::{Email, WallTime},
};
use spotter_store::Tx;

use crate::{
    body,
    forms::{FIELDS_MAX, Form, Sent},
    parts::told::Told,
    questions,
    visit::{Entered, is_own, reached},
};

/// How often a form that came twice asks what became of the first, and how long it waits before it does.
const WAITS: (usize, Duration) = (25, Duration::from_millis(200));

/// Ranges that a day of a week may have on a page.
pub(crate) const SHIFTS: usize = 3;

/// What came of a form.
pub(crate) enum Done {
    /// It was taken: where its person goes, and by which operation.
    Taken { next: String, operation: String },
    /// It was taken, and what was answered is shown this once.
    Secret { answer: Value, next: String, operation: String },
    /// It was not.
    Refused(Entered),
    /// No page of ours has sent it.
    Forged,
}

/// Does what a form asks.
pub(crate) async fn act(state: &Arc<State>, token: &Credential, sent: Sent) -> Result<Done> {
    let form = &sent.form;
    if !is_own(token.expose(), form.one("-csrf")) {
        return Ok(Done::Forged);
    }
    if form.one("-do") == CHANGE_PASSWORD {
        return change_password(state, token, &sent).await;
    }
    let operation = match reached(state, form.one("-do")) {
        Ok(operation) => operation.clone(),
        Err(_) => return Ok(Done::Forged),
    };
    let path: Vec<(String, String)> = form
        .pairs()
        .filter_map(|(name, value)| Some((name.strip_prefix("-at.")?, value)))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let entered = |problem: Problem| Entered {
        form: form.one("-form").to_owned(),
        fields: form
            .pairs()
            .filter(|(name, _)| !name.starts_with('-'))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        // What is still being done is not done anew, whenever the form comes again.
        key: (problem.key == Key::IdempotencyInProgress).then(|| form.one("-key").to_owned()),
        problem: Some(problem),
    };
    match perform(state, token, &sent, &operation, &path).await {
        Ok(answer) => {
            let told: Value = serde_json::from_str(&answer.data).map_err(Problem::internal)?;
            let next = filled(form.one("-next"), &told);
            let operation_id = operation.id.to_owned();
            Ok(match operation.secret && shows_secret(&told) {
                true => Done::Secret { answer: told, next, operation: operation_id },
                false => Done::Taken { next, operation: operation_id },
            })
        }
        Err(problem) if problem.status == 401 || problem.status >= 500 => Err(problem),
        Err(problem) => Ok(Done::Refused(entered(problem))),
    }
}

/// What changes a password. It is no operation, because the hash of one is worked out between transactions.
pub(crate) const CHANGE_PASSWORD: &str = "change_password";

async fn change_password(state: &Arc<State>, token: &Credential, sent: &Sent) -> Result<Done> {
    let person = known(state, token).await?;
    let form = &sent.form;
    let current = Password::new(form.one("currentPassword").to_owned());
    let changed = match Password::parse(form.one("newPassword")) {
        Some(new) => {
            passwords::change(state, &sent.request_id, person.caller, (current, new)).await
        }
        None => Err(Problem::invalid("newPassword", "must be 10 to 200 characters")),
    };
    let (operation, next) = (CHANGE_PASSWORD.to_owned(), safe(form.one("-next")).to_owned());
    match changed {
        Ok(()) => Ok(Done::Taken { next, operation }),
        Err(problem) if problem.status == 401 || problem.status >= 500 => Err(problem),
        Err(problem) => {
            let problem = Some(problem);
            let form = form.one("-form").to_owned();
            Ok(Done::Refused(Entered { form, problem, ..Entered::default() }))
        }
    }
}

async fn perform(
    state: &Arc<State>,
    token: &Credential,
    sent: &Sent,
    operation: &Arc<Operation>,
    path: &[(String, String)],
) -> Result<Answer> {
    let person = known(state, token).await?;
    state.count_caller(person.caller.actor.id().unwrap_or(person.caller.company.0)).check()?;
    operation.admit(&person.caller)?;
    if operation.sure && !person.session.is_sure(state.env.clock.now()) {
        // It is asked for; a try is what somebody has typed.
        if sent.form.one("-password").is_empty() {
            return Err(Problem::invalid("-password", "is needed again"));
        }
        sure(state, &sent.request_id, sent, &person).await?;
    }
    let body = match operation.body() {
        Some(schema) => body_of(schema, &sent.form, &person)?,
        None => Value::Null,
    };
    let arguments = Arguments { path: path.to_vec(), query: String::new(), body: body.into() };
    may_reach(state, operation, &arguments.body).await?;
    let values: Vec<_> = path.iter().map(|(_, value)| value.as_str()).collect();
    let place = format!("{} {}", operation.full_path(), values.join("/"));
    let print = idempotency::fingerprint(operation.method.name(), &place, &arguments);
    let key = Some(sent.form.one("-key")).filter(|key| !key.is_empty());
    if key.is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
        return Err(Key::IdempotencyInvalid.into());
    }
    let mut tries = 0;
    loop {
        let idempotent = idempotency::Idempotent::new(key.map(str::as_bytes), print);
        let mut asked = Asked::new(operation.clone(), Ok(arguments.clone()), idempotent);
        asked.demands_key = true;
        let (shared, token, request_id) = (state.clone(), token.clone(), sent.request_id.clone());
        let transaction = move |tx: &mut Tx<'_>| {
            let person = browsers::authenticate(tx, &shared.env, &token)?;
            asked.run(tx, &shared.env, &person.caller, request_id.as_str())
        };
        let answer = match operation.writes {
            true => state.db.write(transaction).await,
            false => state.db.read(transaction).await,
        };
        tries += 1;
        match answer {
            // A browser shows the answer to the second click, which is that to the first.
            Err(problem) if problem.key == Key::IdempotencyInProgress && tries < WAITS.0 => {
                tokio::time::sleep(WAITS.1).await;
            }
            answer => return answer,
        }
    }
}

/// Who is signed in with a browser.
pub(crate) async fn known(state: &Arc<State>, token: &Credential) -> Result<Person> {
    let (env, token) = (state.env.clone(), token.clone());
    state.db.read(move |tx: &mut Tx<'_>| browsers::authenticate(tx, &env, &token)).await
}

/// Sees to it that it is still the person who signed in. Tries are counted as those to sign in are.
pub(crate) async fn sure(
    state: &Arc<State>,
    request_id: &RequestId,
    sent: &Sent,
    person: &Person,
) -> Result<()> {
    use spotter_contract::Actor;
    let wrong = |_| Problem::invalid("-password", "must be your password");
    let email = Email::parse(&person.email).ok_or(Key::InvalidCredentials)?;
    let subject = match person.caller.actor {
        Actor::Client { .. } => Subject::Client,
        _ => Subject::Coach,
    };
    let login = Login {
        email,
        password: Password::new(sent.form.one("-password").to_owned()),
        company_id: Some(person.caller.company),
        subject: Some(subject),
        code: None,
    };
    match knows_password(state, request_id, sent.from, login).await {
        Ok(_) => {
            let (person, now) = (person.clone(), state.env.clock.now());
            state.db.write(move |tx: &mut Tx<'_>| browsers::be_sure(tx, &person, now)).await
        }
        Err(problem) if problem.key == Key::InvalidCredentials => Err(wrong(problem)),
        Err(problem) => Err(problem),
    }
}

/// The body that a form amounts to. A field may say after its name how it is written: `price:money` as an amount of the
/// company's currency, `startsAt:local` by the company's clock, `tags:list` with commas between, `open:flag` as something that is so
/// where it is ticked. Where the schema says nothing of what stands there, `:number`, `:truth` and `:many` do.
fn body_of(schema: &Value, form: &Form, person: &Person) -> Result<Value> {
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut answers: Vec<(&str, Value)> = Vec::new();
    if form.pairs().count() > FIELDS_MAX {
        let rule = format!("at most {FIELDS_MAX} fields may be sent at once");
        return Err(Problem::because(Key::RequestInvalid, rule));
    }
    // The parts of a question are read with the list that it is of.
    let plain = |(name, _): &(&str, &str)| !name.starts_with('-') && !name.starts_with("question.");
    for (name, value) in form.pairs().filter(plain) {
        match name.split_once(':') {
            None => fields.push((name.to_owned(), value.to_owned())),
            Some((name, "money")) => {
                let amount = minor_units(value, &person.company.currency);
                let amount = amount
                    .ok_or_else(|| Problem::invalid(name, "must be an amount, such as 49.00"))?;
                fields.push((name.to_owned(), amount));
            }
            Some((name, "local")) => {
                let instant = instant(value, &person.company.time_zone);
                let instant =
                    instant.ok_or_else(|| Problem::invalid(name, "must be a date and a time"))?;
                fields.push((name.to_owned(), instant));
            }
            Some((name, "list")) => {
                fields.push((name.to_owned(), String::new()));
                let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
                fields.extend(items.map(|item| (name.to_owned(), item.to_owned())));
            }
            Some((name, "number")) if !value.is_empty() => {
                let number = value.replace(',', ".").parse::<f64>().ok();
                let number = number.ok_or_else(|| Problem::invalid(name, "must be a number"))?;
                answers.push((name, number.into()));
            }
            Some((name, "truth")) => answers.push((name, (value == "true").into())),
            Some((name, "many")) => match answers.iter_mut().find(|(own, _)| *own == name) {
                Some((_, Value::Array(all))) if !value.is_empty() => all.push(value.into()),
                Some(_) => {}
                None => answers.push((name, Value::Array(Vec::new()))),
            },
            Some((name, "hours")) if answers.iter().all(|(own, _)| *own != name) => {
                answers.push((name, hours(form, ["opens", "closes"])))
            }
            Some((name, "shifts")) if answers.iter().all(|(own, _)| *own != name) => {
                answers.push((name, hours(form, ["startTime", "endTime"])))
            }
            Some((name, "json")) => {
                let told = serde_json::from_str(value);
                answers.push((name, told.map_err(|_| Problem::invalid(name, "must be JSON"))?));
            }
            Some((name, "question")) => {
                let list = serde_json::from_str(value).unwrap_or_default();
                answers.push((name, questions::with(list, form)?));
            }
            Some((name, "flag")) => {
                if form.all(name).next().is_none() {
                    fields.push((name.to_owned(), "false".to_owned()));
                }
            }
            Some(_) => {}
        }
    }
    let pairs = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut body = body::of_fields(schema, pairs);
    for (name, value) in answers {
        body::set(&mut body, name, value);
    }
    Ok(body)
}

/// Ranges of a week, of which both ends are called so: one for each row of which an end is filled in.
fn hours(form: &Form, ends: [&str; 2]) -> Value {
    let ranges = (1..=7).flat_map(|weekday: i64| {
        (0..SHIFTS).filter_map(move |shift| {
            let end = |word: &str| form.one(&format!("-hours.{weekday}.{shift}.{word}"));
            let [from, until] = ends.map(end);
            let given = !from.is_empty() || !until.is_empty();
            given.then(|| serde_json::json!({"weekday": weekday, ends[0]: from, ends[1]: until}))
        })
    });
    ranges.collect()
}

/// An amount as people write it, in minor units as JSON fields hold them; nothing stays nothing.
fn minor_units(text: &str, currency: &Currency) -> Option<String> {
    if text.trim().is_empty() {
        return Some(String::new());
    }
    currency.read(text).map(|amount| amount.to_string())
}

/// The instant of a date and a time by the clock of a zone, as browsers write them: `2026-11-24T18:30`.
fn instant(text: &str, zone: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let (date, time) = text.split_once('T')?;
    let date = Date::parse(date)?;
    // Some browsers write the seconds too.
    let time =
        WallTime::parse(time.strip_suffix(":00").filter(|rest| rest.len() == 5).unwrap_or(time))?;
    Some(date.at(&time, &TimeZone::parse(zone)?).to_string())
}

/// An address with what an operation has answered in place of `{…}`; home where it is no address of a page.
fn filled(address: &str, answer: &Value) -> String {
    let mut out = String::new();
    let mut rest = address;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((place, after)) = after.split_once('}') else { break };
        out.push_str(before);
        // Ids alone go into addresses.
        let value = answer.text(place);
        out.push_str(if Id::parse(value).is_some() { value } else { "" });
        rest = after;
    }
    out.push_str(rest);
    safe(&out).to_owned()
}

/// An address to go on to, if it is one of our pages; home otherwise.
pub(crate) fn safe(address: &str) -> &str {
    let own = ["/console", "/my"].iter().any(|base| {
        address
            .strip_prefix(base)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    });
    let plain = address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let dots = address
        .split(['?', '#'])
        .next()
        .is_some_and(|path| path.contains("/..") || path.to_ascii_lowercase().contains("%2e"));
    if own && plain && !dots { address } else { "/console" }
}

/// Where secrets stand in answers.
pub(crate) const SECRETS: &[&str] = &[
    "clientSecret",
    "subscription.signingSecret",
    "signingSecret",
    "secret",
    "deviceKey",
    "key",
    "invitation.token",
];

fn shows_secret(answer: &Value) -> bool {
    SECRETS.iter().any(|place| !answer.text(place).is_empty())
        || !answer.list(RECOVERY_CODES).is_empty()
}

/// Where codes stand that are kept together.
pub(crate) const RECOVERY_CODES: &str = "recoveryCodes";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_those_of_the_companys_clock() {
        let at = |text| instant(text, "Europe/Amsterdam");
        assert_eq!(at("2026-11-24T18:30").as_deref(), Some("2026-11-24T17:30:00.000Z"));
        // An hour that the change of the clocks skips is read with the offset before it.
        assert_eq!(at("2026-03-29T02:30").as_deref(), Some("2026-03-29T01:30:00.000Z"));
        assert_eq!(at("2026-11-24"), None);
        assert_eq!(at("2026-11-24T18:30:00"), at("2026-11-24T18:30"));
        for wrong in ["2026-11-24T1é:0", "2026-11-24T10:00Z", "2026-11-24T10:00:59+09:00"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn people_are_sent_to_pages_of_ours_alone() {
        let id = "0123456789abcdef01234567";
        let answer = json!({"client": {"clientId": id, "name": "//evil"}});
        assert_eq!(
            filled("/console/clients/{client.clientId}?x=1", &answer),
            format!("/console/clients/{id}?x=1")
        );
        for wrong in [
            "https://evil.example",
            "//evil.example",
            "/consoleevil",
            "/console/../app",
            "/console/%2e%2e/app",
            "/console\\evil",
            "javascript:x",
            "",
            "/console/a b",
        ] {
            assert_eq!(filled(wrong, &answer), "/console", "{wrong}");
        }
        assert_eq!(filled("/console/{client.name}", &answer), "/console/");
    }
}
