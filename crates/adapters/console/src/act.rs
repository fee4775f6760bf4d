//! Submitted forms. A form names an operation, which runs as the signed-in person, once per displayed form, however
//! often it is submitted. Errors are shown on the page of the form.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use spotter_company::uploads::Purpose;
use spotter_contract::{
    Answer, Arguments, Method, Operation, PreparedRequest, Secret, Success,
    confirmations::{ConfirmationRequest, ConfirmationStep, Preview},
    idempotency, vault,
};
use spotter_http::{FormRoom, RequestId, State, keep_file, may_reach, passwords};
use spotter_kernel::{
    Id, Key, Problem, Result, Rule,
    secret::{Credential, base64url},
};
use spotter_people::identity::{
    accounts::Password,
    browsers::{self, SignedInPerson},
};
use spotter_store::Tx;

use crate::{
    body,
    done::Done,
    edited_fields::{self, ChangedFields},
    field_kind::FieldKind,
    forms::{FormData, SubmittedForm},
    page_context::{allowed_operation, answered, is_own},
    parts::format::JsonFields,
    record_version::RecordVersion,
    rejected_form::RejectedForm,
    request_body,
    rules::ConsoleRule,
};

/// How often a form submitted twice checks for the first response, and how long it waits in between.
const WAITS: (usize, Duration) = (25, Duration::from_millis(200));

/// What came of a form.
pub(crate) enum FormOutcome {
    /// It was accepted: the next page and its message.
    Taken { next: String, done: Done },
    /// It was accepted, and the answer is shown once: the secrets at these places.
    Secret { answer: Value, next: String, places: &'static [&'static str] },
    /// A preview of the effects, to be confirmed by submitting again.
    Previewed(RejectedForm),
    /// It was not.
    Refused(RejectedForm),
    /// No page of ours has sent it.
    Forged,
}

/// Handles a submitted form.
pub(crate) async fn act(
    state: &Arc<State>,
    token: &Credential,
    sent: &SubmittedForm,
) -> Result<FormOutcome> {
    let form = &sent.form;
    if !is_own(token.expose(), form.one("-csrf")) {
        return Ok(FormOutcome::Forged);
    }
    if form.one("-do") == CHANGE_PASSWORD {
        return change_password(state, token, sent).await;
    }
    let operation = match allowed_operation(state, form.one("-do")) {
        Ok(operation) => operation.clone(),
        Err(_) => return Ok(FormOutcome::Forged),
    };
    let path = form.path();
    let entered = |problem: Problem| RejectedForm {
        was: Some(form.one(edited_fields::FIELD))
            .filter(|was| !was.is_empty())
            .map(|was| edited_fields::with_now(was, &problem).unwrap_or_else(|| was.to_owned())),
        form: form.one("-form").to_owned(),
        fields: form
            .pairs()
            .filter(|(name, _)| !name.starts_with('-') || request_body::is_typed(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        // A request in progress is not started again.
        key: (problem.key == Key::IdempotencyInProgress).then(|| form.one("-key").to_owned()),
        problem: Some(problem),
        preview: None,
    };
    let confirms = Some(form.one(CONFIRM)).filter(|token| !token.is_empty());
    let mut outcome = None;
    if confirms.is_some() || form.one(ASK).is_empty() {
        outcome = Some(perform(state, token, sent, &operation, &path, confirms).await);
    }
    // Changed effects are previewed again.
    if outcome.as_ref().is_none_or(has_changed_effects) {
        outcome = match preview(state, token, sent, &operation, &path).await {
            Ok(Some(preview)) => {
                let entered = entered(Key::ApiError.into());
                let (problem, preview) = (None, Some(preview));
                return Ok(FormOutcome::Previewed(RejectedForm { problem, preview, ..entered }));
            }
            Ok(None) => None,
            Err(problem) => Some(Err(problem)),
        };
    }
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => perform(state, token, sent, &operation, &path, None).await,
    };
    match outcome {
        // A form without changes counts as saved.
        Ok(None) => {
            let next = safe(form.one("-next")).to_owned();
            Ok(FormOutcome::Taken { next, done: operation.success.into() })
        }
        Ok(Some(answer)) => {
            let output: Value = serde_json::from_str(&answer.data).map_err(Problem::internal)?;
            let next = filled(form.one("-next"), &output);
            Ok(match operation.secret {
                Secret::Credentials(places) if shows_one_of(places, &output) => {
                    FormOutcome::Secret { answer: output, next, places }
                }
                _ => FormOutcome::Taken { next, done: Done::of(&operation, &output) },
            })
        }
        Err(problem) if problem.status == 401 || problem.status >= 500 => Err(problem),
        Err(problem) => Ok(FormOutcome::Refused(entered(missing_first(problem, &operation, form)))),
    }
}

/// A refusal of a required field that was left empty, which is missing rather than written wrongly.
fn missing_first(problem: Problem, operation: &Operation, form: &FormData) -> Problem {
    // Refusals name the items of lists as `steps[0].name`, forms as `steps.0.name`.
    let field = problem.named_field().replace('[', ".").replace(']', "");
    let is_missing = form.is_empty_at(&field)
        && operation.body().is_some_and(|schema| body::is_required(schema, &field));
    if is_missing { Problem::invalid(problem.named_field(), Rule::Required) } else { problem }
}

/// What changes a password. It is no operation, because the hash of one is worked out between transactions.
pub(crate) const CHANGE_PASSWORD: &str = "change_password";

async fn change_password(
    state: &Arc<State>,
    token: &Credential,
    sent: &SubmittedForm,
) -> Result<FormOutcome> {
    let person = signed_in(state, token).await?;
    let form = &sent.form;
    let current = Password::new(form.one("currentPassword").to_owned());
    let changed = match Password::parse(form.one("newPassword")) {
        Some(new) => passwords::change(state, &sent.request_id, person.caller, current, new).await,
        None => Err(Problem::invalid("newPassword", Password::RULE)),
    };
    let next = safe(form.one("-next")).to_owned();
    match changed {
        Ok(()) => Ok(FormOutcome::Taken { next, done: Success::Saved.into() }),
        Err(problem) if problem.status == 401 || problem.status >= 500 => Err(problem),
        Err(problem) => {
            let problem = Some(problem);
            let form = form.one("-form").to_owned();
            Ok(FormOutcome::Refused(RejectedForm { form, problem, ..RejectedForm::default() }))
        }
    }
}

/// The field of a form that is previewed first, and the field of its confirmation.
pub(crate) const ASK: &str = "-ask";
pub(crate) const CONFIRM: &str = "-confirm";

/// Whether it was refused because the effects changed, or another request was confirmed.
fn has_changed_effects(outcome: &Result<Option<Answer>>) -> bool {
    let Err(Problem { details: Some(details), .. }) = outcome else { return false };
    details["reason"].as_str().is_some_and(|reason| reason.starts_with("confirmation_"))
}

/// The effects of a form; nothing where it takes nothing from others. A refused preview is a refused form.
async fn preview(
    state: &Arc<State>,
    token: &Credential,
    sent: &SubmittedForm,
    operation: &Arc<Operation>,
    path: &[(String, String)],
) -> Result<Option<Preview>> {
    let (person, changed) = admitted(state, token, sent, operation).await?;
    let Some(body) = changed else { return Ok(None) };
    let (place, arguments) = placed(operation, path, body.body);
    let print = idempotency::fingerprint(operation.method.name(), &place, &arguments);
    let query = ConfirmationRequest::preview(print);
    let (shared, token, request) = (state.clone(), token.clone(), query.clone());
    let (operation, request_id) = (operation.clone(), sent.request_id.clone());
    let run = move |tx: &mut Tx<'_>| {
        let caller = browsers::authenticate(tx, &shared.env, &token)?.caller;
        let none = idempotency::Idempotent::new(None, print);
        let mut call = PreparedRequest::new(operation.clone(), Ok(arguments.clone()), none);
        call.confirmation = Some(request.clone());
        call.run(tx, &shared.env, &caller, request_id.as_str())
    };
    // It ends like a refused request; the result distinguishes the two.
    let refused = state.db.try_out(run).await.err();
    let (shared, caller) = (state.clone(), person.caller);
    let kept = state.db.write(move |tx: &mut Tx<'_>| query.store(tx, &shared.env, &caller)).await?;
    if let (None, Some(problem)) = (&kept, refused) {
        return Err(problem);
    }
    Ok(kept.filter(|preview| preview.is_harmful))
}

/// The signed-in person of a form, counted by rate limits, with its body; nothing without changes.
async fn admitted(
    state: &Arc<State>,
    token: &Credential,
    sent: &SubmittedForm,
    operation: &Operation,
) -> Result<(SignedInPerson, Option<ChangedFields>)> {
    let mut person = signed_in(state, token).await?;
    person.caller.locale = crate::display::settings(&sent.headers).locale(&person.company.language);
    state.count_caller(person.caller.rate_limit_id()).check()?;
    operation.admit(&person.caller)?;
    if operation.needs_reauthentication() && !person.session.is_sure(state.env.wall_clock.now()) {
        // The password is required; an entered one counts as an attempt.
        if sent.form.one("-password").is_empty() {
            return Err(Problem::invalid("-password", ConsoleRule::NeededAgain));
        }
        reauthenticate(state, &sent.request_id, sent, &person).await?;
    }
    let changed = match operation.body() {
        Some(schema) => edited_fields::only(schema, &sent.form, &person)?,
        None => Some(ChangedFields::is_written_whole(Value::Null)),
    };
    Ok((person, changed))
}

/// The operation of a form with its arguments.
fn placed(operation: &Operation, path: &[(String, String)], body: Value) -> (String, Arguments) {
    let values: Vec<_> = path.iter().map(|(_, value)| value.as_str()).collect();
    let place = format!("{} {}", operation.full_path(), values.join("/"));
    (place, Arguments { path: path.to_vec(), query: String::new(), body: body.into() })
}

async fn perform(
    state: &Arc<State>,
    token: &Credential,
    sent: &SubmittedForm,
    operation: &Arc<Operation>,
    path: &[(String, String)],
    confirms: Option<&str>,
) -> Result<Option<Answer>> {
    let (person, changed) = admitted(state, token, sent, operation).await?;
    let Some(changed) = changed else { return Ok(None) };
    let body = changed.body.clone();
    let key = Some(sent.form.one("-key")).filter(|key| !key.is_empty());
    if key.is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
        return Err(Key::IdempotencyInvalid.into());
    }
    let with = |body: Value| placed(operation, path, body).1;
    let place = placed(operation, path, Value::Null).0;
    // A form submitted twice is recognised by the digests of its files, because each upload has a new id.
    let digests = sent.form.files().map(|(_, file)| base64url(&vault::digest_of(&file.bytes)));
    let alike = with(with_files(body.clone(), sent, digests));
    let print = idempotency::fingerprint(operation.method.name(), &place, &alike);
    let kept = keep_files(state, &person, sent).await?;
    let arguments = with(with_files(body, sent, kept));
    may_reach(state, operation, &arguments.body).await?;
    let seen = RecordVersion::read(&sent.form)?.map(Arc::new);
    // A confirmed preview is executed as shown, or previewed again.
    let query = confirms.map(|token| ConfirmationRequest {
        wanted: ConfirmationStep::Confirmed(Some(token.to_owned())),
        fingerprint: print,
    });
    let touched = match (operation.method, current_record(state, operation)) {
        (Method::Patch, Some(reads)) => Some((Arc::new(edited_fields::edited(&sent.form)), reads)),
        _ => None,
    };
    let touched = touched.filter(|(touched, _)| !touched.is_empty());
    let mut tries = 0;
    loop {
        let idempotent = idempotency::Idempotent::new(key.map(str::as_bytes), print);
        let mut request =
            PreparedRequest::new(operation.clone(), Ok(arguments.clone()), idempotent);
        request.demands_key = true;
        request.confirmation.clone_from(&query);
        let (shared, token, request_id) = (state.clone(), token.clone(), sent.request_id.clone());
        let (seen, touched) = (seen.clone(), touched.clone());
        let at = path.to_vec();
        let transaction = move |tx: &mut Tx<'_>| {
            let caller = browsers::authenticate(tx, &shared.env, &token)?.caller;
            let id = request_id.as_str();
            let as_seen = seen.as_ref().map(|seen| seen.check(tx, &shared, &caller, id));
            // What came before is answered as it was then.
            request.stale = as_seen.and_then(Result::err);
            if let (None, Some((touched, reads))) = (&request.stale, &touched) {
                let arguments = Arguments { path: at.clone(), ..Arguments::default() };
                let output = answered(tx, &shared, &caller, id, reads, arguments).ok();
                let output = output.and_then(|output| serde_json::from_str::<Value>(&output).ok());
                let record = output.as_ref().and_then(Value::as_object);
                let record = record.and_then(|output| output.values().find(|one| one.is_object()));
                request.stale =
                    record.and_then(|record| edited_fields::check(touched, record).err());
            }
            request.run(tx, &shared.env, &caller, id)
        };
        let answer = operation.transact(&state.db, false, transaction).await;
        tries += 1;
        match answer {
            // A browser shows the answer to the second click, which is that to the first.
            Err(problem) if problem.key == Key::IdempotencyInProgress && tries < WAITS.0 => {
                tokio::time::sleep(WAITS.1).await;
            }
            answer => return answer.map(Some).map_err(|problem| changed.on_page(problem)),
        }
    }
}

/// What reads the record that an operation changes, where anything does.
fn current_record(state: &State, operation: &Operation) -> Option<Arc<Operation>> {
    let mut all = state.table.operations().iter();
    let reads = all.find(|other| {
        other.method == Method::Get
            && other.path == operation.path
            && other.surface == operation.surface
    });
    reads.cloned()
}

/// Stores the files of a form before the operation runs, so that no transaction waits for them. Returns their ids.
async fn keep_files(
    state: &Arc<State>,
    person: &SignedInPerson,
    sent: &SubmittedForm,
) -> Result<Vec<String>> {
    let mut kept = Vec::new();
    for (name, file) in sent.form.files() {
        let (field, kind) = FieldKind::split(name);
        let purpose = match kind {
            Ok(Some(FieldKind::Photo)) => Purpose::ProgressPhoto,
            Ok(Some(FieldKind::Picture)) => Purpose::SitePicture,
            _ => Purpose::Attachment,
        };
        let (caller, file) = (&person.caller, file.clone());
        let id = keep_file(state, caller, &sent.request_id, file, purpose).await;
        kept.push(id.map_err(|problem| as_field_error(problem, field))?.to_string());
    }
    Ok(kept)
}

/// The body with the ids of the files that came with it: as they are, or as what a question is answered with.
fn with_files(
    mut body: Value,
    sent: &SubmittedForm,
    ids: impl IntoIterator<Item = String>,
) -> Value {
    for ((name, _), id) in sent.form.files().zip(ids) {
        let (field, kind) = FieldKind::split(name);
        let value = match kind {
            Ok(Some(FieldKind::Answer)) => json!({"uploadId": id}),
            _ => id.into(),
        };
        body::set(&mut body, field, value);
    }
    body
}

/// Attributes an error of a file to its field.
fn as_field_error(problem: Problem, field: &str) -> Problem {
    let rule = match problem.status {
        415 => Box::new(ConsoleRule::NotUploadable.into()),
        _ => Box::new(problem.phrase()),
    };
    Problem { details: Some(json!({"field": field})), rule: Some(rule), ..problem }
}

/// Room for an upload of the signed-in person and its size limit, independent of other people's.
pub(crate) async fn room_for_file<'s>(
    state: &'s Arc<State>,
    token: &Credential,
) -> Result<(Option<FormRoom<'s>>, usize)> {
    let caller = signed_in(state, token).await?.caller;
    let (room, most) = state.room_for_file(caller.rate_limit_id()).await?;
    Ok((Some(room), most))
}

/// Who is signed in with a browser.
pub(crate) async fn signed_in(state: &Arc<State>, token: &Credential) -> Result<SignedInPerson> {
    let (env, token) = (state.env.clone(), token.clone());
    state.db.read(move |tx: &mut Tx<'_>| browsers::authenticate(tx, &env, &token)).await
}

/// Checks the password of the signed-in person again. Attempts count like those to sign in.
pub(crate) async fn reauthenticate(
    state: &Arc<State>,
    request_id: &RequestId,
    sent: &SubmittedForm,
    person: &SignedInPerson,
) -> Result<()> {
    let password = Password::new(sent.form.one("-password").to_owned());
    if !passwords::is_own(state, request_id, &person.caller, password).await? {
        return Err(Problem::invalid("-password", ConsoleRule::WrongPassword));
    }
    let (person, now) = (person.clone(), state.env.wall_clock.now());
    state.db.write(move |tx: &mut Tx<'_>| browsers::record_reauthentication(tx, &person, now)).await
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

/// Whether an answer holds credentials at one of these places.
fn shows_one_of(places: &[&str], answer: &Value) -> bool {
    places.iter().any(|place| !answer.text(place).is_empty() || !answer.list(place).is_empty())
}

/// Where recovery codes are in an answer.
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
