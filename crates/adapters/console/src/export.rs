//! A list as a file for spreadsheets: all of its pages, as the signed-in person.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::State as Given,
    http::{HeaderValue, Response, StatusCode, header},
};
use maud::{Markup, html};
use serde_json::Value;
use spotter_contract::{Arguments, Caller, Content};
use spotter_http::{State, csv_of_pages};
use spotter_kernel::{Id, Problem, Result, limits};
use spotter_people::identity::browsers;
use spotter_store::Tx;

use crate::{
    act::{reauthenticate, signed_in},
    api::{self, Answer, ApiOperation},
    api_call::ApiCall,
    forms::{SubmittedForm, forged},
    page_context::{PageContext, allowed_operation, answered, is_own},
    parts::{self, format::JsonFields, outside},
    rules::ConsoleRule,
    session,
};

/// Where files are made.
pub(crate) const EXPORT: &str = "/console/export";

/// Most pages of a list that are put into a file: 20,000 records.
const PAGES_MAX: i64 = 200;
/// The most records that a file has.
pub(crate) const RECORDS_MAX: i64 = PAGES_MAX * limits::PAGE_MAX;

/// A form that exports the list of a page with its filters.
pub(crate) fn button(cx: &PageContext<'_, '_>, list: &ApiCall) -> Markup {
    html! {
        form method="post" action=(EXPORT) data-hx-boost="false" {
            input type="hidden" name="-csrf" value=(cx.csrf());
            input type="hidden" name="-do" value=(list.operation);
            input type="hidden" name="-back" value=(cx.place.address());
            @for (name, value) in &list.path {
                input type="hidden" name={ "-at." (name) } value=(value);
            }
            @for (name, value) in &list.query { input type="hidden" name=(name) value=(value); }
            button.plain type="submit" { (cx.strings.csv()) }
        }
    }
}

/// Makes a list into a file.
pub(crate) async fn export(Given(state): Given<Arc<State>>, sent: SubmittedForm) -> Response<Body> {
    let t = crate::display::language(&sent.headers);
    let Some(token) = session::token(&state, &sent.headers) else {
        return session::go_sign_in(&state, "/console");
    };
    if !is_own(token.expose(), sent.form.one("-csrf")) {
        return forged(t);
    }
    let person = match signed_in(&state, &token).await {
        Ok(person) => person,
        Err(_) => return session::go_sign_in(&state, "/console"),
    };
    // An export returns much data at once.
    if !person.session.is_sure(state.env.wall_clock.now()) {
        let given = !sent.form.one("-password").is_empty();
        let refused = match given {
            true => reauthenticate(&state, &sent.request_id, &sent, &person).await.err(),
            false => None,
        };
        if !given || refused.is_some() {
            let main = html! {
                @if let Some(refused) = &refused {
                    div.summary role="alert" { p { (t.refusal(refused)) } }
                }
                form method="post" action=(EXPORT) {
                    @for (name, value) in
                        sent.form.pairs().filter(|(name, _)| *name != "-password")
                    {
                        input type="hidden" name=(name) value=(value);
                    }
                    div.field {
                        label for="password" { (t.your_password()) }
                        p.help #password-help { (t.password_why()) " " (t.csv_comes()) }
                        input #password
                            type="password"
                            name="-password"
                            required
                            autocomplete="current-password"
                            aria-describedby="password-help";
                    }
                    button type="submit" { (t.csv()) }
                }
                p { a href=(crate::act::safe(sent.form.one("-back"))) { (t.back()) } }
            };
            let status = if given { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
            return outside(t, status, t.csv(), refused.is_some(), main);
        }
    }
    match table_of(&state, &token, &sent).await {
        Ok((name, text)) => file(&name, text),
        Err(problem) => parts::problem(t, &problem),
    }
}

fn file(name: &str, text: String) -> Response<Body> {
    // Spreadsheets take a file without the mark for one of their own country's old encoding.
    let mut response = Response::new(Body::from(format!("\u{feff}{text}")));
    let headers = response.headers_mut();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}.csv\""));
    if let Ok(disposition) = disposition {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    for (name, value) in [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The name of a list and its records as a table. All pages are read in one transaction, in the slow lane.
async fn table_of(
    state: &Arc<State>,
    token: &spotter_kernel::secret::Credential,
    sent: &SubmittedForm,
) -> Result<(String, String)> {
    let operation = allowed_operation(state, sent.form.one("-do"))?.clone();
    if !operation.is_paged() || operation.writes {
        return Err(spotter_kernel::Key::NotFound.into());
    }
    let filters: Vec<(String, String)> = sent
        .form
        .pairs()
        .filter(|(name, value)| !name.starts_with('-') && !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let path = sent.form.path();
    let (shared, token, request_id) = (state.clone(), token.clone(), sent.request_id.clone());
    let read = move |tx: &mut Tx<'_>| {
        let person = browsers::authenticate(tx, &shared.env, &token)?;
        let (mut pages, mut clients) = (Vec::new(), BTreeSet::new());
        for page in 1..=PAGES_MAX {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&filters);
            query.append_pair("limit", &limits::PAGE_MAX.to_string());
            query.append_pair("page", &page.to_string());
            let arguments =
                Arguments { path: path.clone(), query: query.finish(), body: Content::Nothing };
            let (caller, id) = (&person.caller, request_id.as_str());
            let answer = answered(tx, &shared, caller, id, &operation, arguments)?;
            let output: Value = serde_json::from_str(&answer).map_err(Problem::internal)?;
            pages.push(answer);
            let records = output.as_object().into_iter().flat_map(|output| output.values());
            let records = records.filter_map(Value::as_array).flatten();
            let ids = records.map(|record| record.text("clientId"));
            clients.extend(ids.filter(|id| Id::parse(id).is_some()).map(str::to_owned));
            if !output.is("hasNextPage") {
                let clients: Vec<String> = clients.into_iter().collect();
                let call =
                    |operation, query| answer_if_allowed(tx, &shared, caller, id, operation, query);
                return Ok((pages, names(call, &clients)?));
            }
        }
        Err(Problem::because(spotter_kernel::Key::RequestInvalid, ConsoleRule::ListTooLong))
    };
    let (pages, names) = state.db.read_slow(read).await?;
    let table = tokio::task::spawn_blocking(move || csv_of_pages(&pages, &names)).await;
    table.map_err(Problem::internal)?
}

/// The answer of an operation, if the caller may run it.
fn answer_if_allowed(
    tx: &mut Tx<'_>,
    state: &State,
    caller: &Caller,
    request_id: &str,
    operation: &str,
    query: String,
) -> Result<Value> {
    let arguments = Arguments { path: Vec::new(), query, body: Content::Nothing };
    match answered(tx, state, caller, request_id, allowed_operation(state, operation)?, arguments) {
        Ok(answer) => serde_json::from_str(&answer).map_err(Problem::internal),
        Err(problem) if problem.status == 403 => Ok(Value::Null),
        Err(problem) => Err(problem),
    }
}

/// What these clients, and the coaches, are called.
fn names(
    mut call: impl FnMut(&'static str, String) -> Result<Value>,
    clients: &[String],
) -> Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    for some in clients.chunks(limits::PAGE_MAX as usize) {
        let answer = call(api::ListClientNames::ID, format!("clientIds={}", some.join(",")))?;
        let answer = Answer::<api::ListClientNames>::new(answer);
        let clients = answer.client_names().iter();
        names.extend(clients.map(|own| (own.client_id().to_owned(), own.name().to_owned())));
    }
    let answer = call(api::ListCoaches::ID, format!("limit={}", limits::PAGE_MAX))?;
    let answer = Answer::<api::ListCoaches>::new(answer);
    let coaches = answer.coaches().iter();
    names.extend(coaches.map(|own| (own.coach_id().to_owned(), own.full_name())));
    Ok(names)
}
