//! What somebody does on a page: a form names an operation, which runs as them, once for each form that was shown,
//! however often it is sent. What it refuses is told on the page that the form stands on.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use spotter_contract::{Answer, Arguments, Asked, Operation, idempotency, vault};
use spotter_core::{
    access::{
        accounts::{Password, Subject},
        browsers::{self, Person},
    },
    uploads::Purpose,
};
use spotter_http::{
    FormRoom, Login, RequestId, State, keep_file, knows_password, may_reach, passwords,
};
use spotter_kernel::{
    Id, Key, Problem, Result,
    secret::{Credential, base64url},
    text::Email,
};
use spotter_store::Tx;

use crate::{
    body,
    forms::Sent,
    parts::told::Told,
    seen::Seen,
    typed,
    visit::{Entered, is_own, reached},
};

/// How often a form that came twice asks what became of the first, and how long it waits before it does.
const WAITS: (usize, Duration) = (25, Duration::from_millis(200));

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
    let path = form.path();
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
            // What waits is not said to be booked.
            let waits = told.text("booking.status") == "waitlisted";
            let operation_id = if waits { WAITLISTED } else { operation.id }.to_owned();
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
        None => Err(Problem::invalid("newPassword", Password::RULE)),
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
    state.count_caller(person.caller.who()).check()?;
    operation.admit(&person.caller)?;
    if operation.sure && !person.session.is_sure(state.env.clock.now()) {
        // It is asked for; a try is what somebody has typed.
        if sent.form.one("-password").is_empty() {
            return Err(Problem::invalid("-password", "is needed again"));
        }
        sure(state, &sent.request_id, sent, &person).await?;
    }
    let body = match operation.body() {
        Some(schema) => typed::body_of(schema, &sent.form, &person)?,
        None => Value::Null,
    };
    let key = Some(sent.form.one("-key")).filter(|key| !key.is_empty());
    if key.is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
        return Err(Key::IdempotencyInvalid.into());
    }
    let with =
        |body: Value| Arguments { path: path.to_vec(), query: String::new(), body: body.into() };
    let values: Vec<_> = path.iter().map(|(_, value)| value.as_str()).collect();
    let place = format!("{} {}", operation.full_path(), values.join("/"));
    // A form that comes twice is known by what its files hold: each time they are kept they have another id.
    let digests = sent.form.files().map(|(_, file)| base64url(&vault::digest_of(&file.bytes)));
    let alike = with(with_files(body.clone(), sent, digests));
    let print = idempotency::fingerprint(operation.method.name(), &place, &alike);
    let kept = keep_files(state, &person, sent).await?;
    let arguments = with(with_files(body, sent, kept));
    may_reach(state, operation, &arguments.body).await?;
    let seen = Seen::read(&sent.form)?.map(Arc::new);
    let mut tries = 0;
    loop {
        let idempotent = idempotency::Idempotent::new(key.map(str::as_bytes), print);
        let mut asked = Asked::new(operation.clone(), Ok(arguments.clone()), idempotent);
        asked.demands_key = true;
        let (shared, token, request_id) = (state.clone(), token.clone(), sent.request_id.clone());
        let seen = seen.clone();
        let transaction = move |tx: &mut Tx<'_>| {
            let caller = browsers::authenticate(tx, &shared.env, &token)?.caller;
            let id = request_id.as_str();
            let as_seen = seen.as_ref().map(|seen| seen.check(tx, &shared, (&caller, id)));
            // What came before is answered as it was then.
            asked.stale = as_seen.and_then(Result::err);
            asked.run(tx, &shared.env, &caller, id)
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

/// Keeps the files that came with a form, before the operation is asked: no transaction waits for them. Their ids.
async fn keep_files(state: &Arc<State>, person: &Person, sent: &Sent) -> Result<Vec<String>> {
    let mut kept = Vec::new();
    for (name, file) in sent.form.files() {
        let purpose = match name.split_once(':') {
            Some((_, "photo")) => Purpose::ProgressPhoto,
            _ => Purpose::Attachment,
        };
        let by = (&person.caller, &sent.request_id);
        let id = keep_file(state, by, file.clone(), purpose).await;
        kept.push(id.map_err(|problem| of_field(problem, plain(name)))?.to_string());
    }
    Ok(kept)
}

/// The body with the ids of the files that came with it: at `uploadId:file` and `uploadId:photo` as they are, at
/// `answers.x:answer` as what a question is answered with.
fn with_files(mut body: Value, sent: &Sent, ids: impl IntoIterator<Item = String>) -> Value {
    for ((name, _), id) in sent.form.files().zip(ids) {
        let value = match name.split_once(':') {
            Some((_, "answer")) => json!({"uploadId": id}),
            _ => id.into(),
        };
        body::set(&mut body, plain(name), value);
    }
    body
}

/// The name of a field without its mark.
fn plain(name: &str) -> &str {
    name.split_once(':').map_or(name, |(plain, _)| plain)
}

/// What is wrong with a file is wrong with its field.
fn of_field(problem: Problem, field: &str) -> Problem {
    let rule = match problem.status {
        415 => Some("must be a picture, a video, a sound or a PDF"),
        _ => problem.details.as_ref().and_then(|details| details["rule"].as_str()),
    };
    let details = json!({"field": field, "rule": rule.unwrap_or(&problem.message)});
    Problem { details: Some(details), ..problem }
}

/// Room for a form that brings a file, and its most bytes, for who is signed in: nobody else's is held.
pub(crate) async fn room_for_file<'s>(
    state: &'s Arc<State>,
    token: &Credential,
) -> Result<(Option<FormRoom<'s>>, usize)> {
    let caller = known(state, token).await?.caller;
    let (room, most) = state.room_for_file(caller.who()).await?;
    Ok((Some(room), most))
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

/// What is said to be done where somebody who was to be booked waits for a seat.
pub(crate) const WAITLISTED: &str = "wait_for_seat";

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
