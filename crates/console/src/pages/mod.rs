//! The pages: what stands at which address, for whom, and how each is served.

mod account;
mod assistants;
mod audit;
mod calendar;
mod client;
mod clients;
mod documents;
mod find;
mod forms;
mod imports;
mod integrations;
mod messages;
mod money;
mod more;
mod my;
mod products;
mod programmes;
mod reports;
mod settings;
mod today;
mod webhooks;

use std::sync::{Arc, OnceLock};

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{Request, Response, StatusCode},
    routing::get,
};
use maud::html;
use spotter_core::access::browsers;
use spotter_http::{Compressible, Figures, RequestId, State};
use spotter_kernel::{Key, Problem, Result, secret::Credential};
use spotter_store::Tx;

use crate::{
    act::{self, Done},
    forms::{self as sent_forms, Sent, forged},
    parts::{
        self,
        shell::{self, Shown, Way},
        told::Told,
    },
    session,
    visit::{Entered, Place, Taste, Visit},
};

/// Makes a page for somebody.
type Show = fn(&mut Visit<'_, '_>) -> Result<Shown>;

/// For whom a page is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Staff,
    Clients,
}

/// A page: its address, for whom it is, and what makes it.
#[derive(Clone, Copy)]
struct Page {
    path: &'static str,
    whose: For,
    show: Show,
}

const fn staff(path: &'static str, show: Show) -> Page {
    Page { path, whose: For::Staff, show }
}

const fn clients(path: &'static str, show: Show) -> Page {
    Page { path, whose: For::Clients, show }
}

/// Every page of somebody who is signed in.
const PAGES: &[Page] = &[
    staff("/console", today::show),
    staff("/console/clients", clients::list),
    staff("/console/clients/new", clients::new),
    staff("/console/clients/{clientId}", client::who::overview),
    staff("/console/clients/{clientId}/edit", client::who::edit),
    staff("/console/clients/{clientId}/timeline", client::who::timeline),
    staff("/console/clients/{clientId}/bookings", client::dealings::bookings),
    staff("/console/clients/{clientId}/training", client::dealings::training),
    staff("/console/clients/{clientId}/money", client::dealings::money),
    staff("/console/clients/{clientId}/sell", client::dealings::sell),
    staff("/console/clients/{clientId}/progress", client::progress::progress),
    staff("/console/clients/{clientId}/notes", client::who::notes),
    staff("/console/clients/{clientId}/forms", client::dealings::forms),
    staff("/console/clients/{clientId}/forms/{assignmentId}", client::dealings::handed_in),
    staff("/console/clients/{clientId}/files", client::dealings::files),
    staff("/console/imports", imports::list),
    staff("/console/imports/{importId}", imports::one),
    staff("/console/calendar", calendar::week),
    staff("/console/calendar/book", calendar::book),
    staff("/console/calendar/requests", calendar::requests),
    staff("/console/calendar/events/{calendarEventId}", calendar::event),
    staff("/console/programmes", programmes::list),
    staff("/console/programmes/{templateId}", programmes::builder),
    staff("/console/programmes/{templateId}/days/{planMomentId}", programmes::day),
    staff("/console/messages", messages::list),
    staff("/console/messages/{conversationId}", messages::thread),
    staff("/console/products", products::list),
    staff("/console/products/new", products::new),
    staff("/console/products/{productId}", products::one),
    staff("/console/money", money::invoices),
    staff("/console/money/payments", money::payments),
    staff("/console/money/requests", money::requests),
    staff("/console/money/chargebacks", money::chargebacks),
    staff("/console/money/memberships", money::memberships),
    staff("/console/money/invoices/{invoiceId}", money::invoice),
    staff("/console/reports", reports::attendance),
    staff("/console/reports/revenue", reports::revenue),
    staff("/console/reports/retention", reports::retention),
    staff("/console/forms", forms::list),
    staff("/console/forms/{formId}", forms::one),
    staff("/console/forms/checkups", forms::checkups),
    staff("/console/forms/checkups/{checkupId}", forms::checkup),
    staff("/console/integrations", integrations::list),
    staff("/console/integrations/{id}", integrations::one),
    staff("/console/webhooks", webhooks::list),
    staff("/console/webhooks/{id}", webhooks::one),
    staff("/console/webhooks/deliveries/{id}", webhooks::delivery),
    staff("/console/assistants", assistants::list),
    staff("/console/audit", audit::list),
    staff("/console/devices", settings::devices),
    staff("/console/settings", settings::company),
    staff("/console/settings/locations", settings::locations),
    staff("/console/settings/locations/{locationId}", settings::location),
    staff("/console/settings/coaches", settings::coaches),
    staff("/console/settings/coaches/{coachId}", settings::coach),
    staff("/console/settings/event-types", settings::event_types),
    staff("/console/settings/event-types/{eventTypeId}", settings::event_type),
    staff("/console/settings/fields", settings::fields),
    staff("/console/settings/policies", settings::policies),
    staff("/console/settings/features", settings::features),
    staff("/console/find", find::show),
    staff("/console/account", account::show),
    staff("/console/account/second-step", account::second_step),
    staff("/console/more", more::show),
    staff("/console/{*rest}", nowhere),
    clients("/my", my::home),
    clients("/my/book", my::book),
    clients("/my/bookings", my::bookings),
    clients("/my/training", my::training),
    clients("/my/training/{sessionId}", my::session),
    clients("/my/progress", my::progress),
    clients("/my/messages", messages::list),
    clients("/my/messages/{conversationId}", messages::thread),
    clients("/my/invoices", my::invoices),
    clients("/my/files", my::forms::files),
    clients("/my/forms", my::forms::list),
    clients("/my/forms/{assignmentId}", my::forms::one),
    clients("/my/assistants", assistants::list),
    clients("/my/account", account::show),
    clients("/my/account/second-step", account::second_step),
    clients("/my/more", more::show),
    clients("/my/{*rest}", nowhere),
];

const STAFFS_WAYS: &[Way] = &[
    Way { path: "/console", icon: "today", label: |say| say.today(), needs: "list_bookings" },
    Way {
        path: "/console/clients",
        icon: "clients",
        label: |say| say.clients(),
        needs: "list_clients",
    },
    Way {
        path: "/console/calendar",
        icon: "calendar",
        label: |say| say.calendar(),
        needs: "list_calendar_events",
    },
    Way {
        path: "/console/messages",
        icon: "messages",
        label: |say| say.messages(),
        needs: "list_own_conversations",
    },
    Way {
        path: "/console/programmes",
        icon: "programmes",
        label: |say| say.programmes(),
        needs: "list_workout_templates",
    },
    Way { path: "/console/forms", icon: "forms", label: |say| say.forms(), needs: "list_forms" },
    Way {
        path: "/console/products",
        icon: "products",
        label: |say| say.products(),
        needs: "list_products",
    },
    Way { path: "/console/money", icon: "money", label: |say| say.money(), needs: "list_invoices" },
    Way {
        path: "/console/reports",
        icon: "reports",
        label: |say| say.reports(),
        needs: "get_attendance_report",
    },
    Way {
        path: "/console/integrations",
        icon: "integrations",
        label: |say| say.integrations(),
        needs: "list_api_clients",
    },
    Way {
        path: "/console/webhooks",
        icon: "webhooks",
        label: |say| say.webhooks(),
        needs: "list_webhooks",
    },
    Way {
        path: "/console/assistants",
        icon: "assistants",
        label: |say| say.assistants(),
        needs: "list_own_mcp_grants",
    },
    Way {
        path: "/console/devices",
        icon: "devices",
        label: |say| say.devices(),
        needs: "list_access_devices",
    },
    Way {
        path: "/console/audit",
        icon: "audit",
        label: |say| say.audit_log(),
        needs: "list_audit_logs",
    },
    Way {
        path: "/console/settings",
        icon: "settings",
        label: |say| say.settings(),
        needs: "get_company_settings",
    },
];

const CLIENTS_WAYS: &[Way] = &[
    Way { path: "/my", icon: "home", label: |say| say.home(), needs: "list_bookings" },
    Way { path: "/my/book", icon: "book", label: |say| say.book(), needs: "list_slots" },
    Way {
        path: "/my/training",
        icon: "programmes",
        label: |say| say.training(),
        needs: "get_client_workout_calendar",
    },
    Way {
        path: "/my/messages",
        icon: "messages",
        label: |say| say.messages(),
        needs: "list_own_conversations",
    },
    Way {
        path: "/my/bookings",
        icon: "calendar",
        label: |say| say.bookings(),
        needs: "list_bookings",
    },
    Way {
        path: "/my/progress",
        icon: "progress",
        label: |say| say.progress(),
        needs: "list_measurements",
    },
    Way { path: "/my/files", icon: "files", label: |say| say.files(), needs: "list_documents" },
    Way {
        path: "/my/invoices",
        icon: "money",
        label: |say| say.invoices(),
        needs: "list_invoices",
    },
    Way {
        path: "/my/forms",
        icon: "forms",
        label: |say| say.forms(),
        needs: "list_form_assignments",
    },
    Way {
        path: "/my/assistants",
        icon: "assistants",
        label: |say| say.assistants(),
        needs: "list_own_mcp_grants",
    },
];

/// Where the shell leads.
pub(crate) fn ways(cx: &Visit<'_, '_>) -> &'static [Way] {
    if cx.is_client() { CLIENTS_WAYS } else { STAFFS_WAYS }
}

/// The first page.
pub(crate) fn home(cx: &Visit<'_, '_>) -> &'static str {
    if cx.is_client() { "/my" } else { "/console" }
}

/// Where somebody goes who is at a page of the others: the same page of theirs, if they have it.
fn counterpart(cx: &Visit<'_, '_>) -> String {
    let (theirs, others) = if cx.is_client() { ("/my", "/console") } else { ("/console", "/my") };
    let same = cx.place.path.replacen(others, theirs, 1);
    let has = |page: &Page| page.path == same && !same.contains('{');
    if PAGES.iter().any(has) { same } else { theirs.to_owned() }
}

/// The page of one's account.
pub(crate) fn account(cx: &Visit<'_, '_>) -> &'static str {
    if cx.is_client() { "/my/account" } else { "/console/account" }
}

/// The page of everything else, on a phone.
pub(crate) fn more(cx: &Visit<'_, '_>) -> &'static str {
    if cx.is_client() { "/my/more" } else { "/console/more" }
}

/// The routes of all pages.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    PAGES.iter().fold(Router::new(), |router, page| {
        let (reading, acting) = (state.clone(), state.clone());
        let read = move |params: std::result::Result<RawPathParams, RawPathParamsRejection>,
                         request: Request<Body>| {
            read(reading.clone(), *page, params.ok(), request)
        };
        let act = move |params: std::result::Result<RawPathParams, RawPathParamsRejection>,
                        request: Request<Body>| {
            act(acting.clone(), *page, params.ok(), request)
        };
        router.route(page.path, get(read).post(act))
    })
}

fn place(params: Option<RawPathParams>, request: &Request<Body>) -> Place {
    let named = params.iter().flat_map(|params| params.iter());
    let query = request.uri().query().unwrap_or_default();
    let query = form_urlencoded::parse(query.as_bytes());
    Place {
        path: request.uri().path().to_owned(),
        params: named.map(|(name, value)| (name.to_owned(), value.to_ascii_lowercase())).collect(),
        query: query.map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
    }
}

async fn read(
    state: Arc<State>,
    page: Page,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let place = place(params, &request);
    let Some(token) = session::token(&state, request.headers()) else {
        return match state.count_address(&request) {
            Ok(_) => session::go_sign_in(&state, &place.address()),
            Err(refused) => parts::problem(&refused),
        };
    };
    let request_id = RequestId::of(&request);
    let (taste, done) = (session::taste(request.headers()), session::done(request.headers()));
    let told = done.is_some();
    let sight = Sight { page, place, entered: Entered::default(), done, taste };
    let mut response = shown(&state, &token, &request_id, StatusCode::OK, sight).await;
    if told && response.status().is_success() {
        session::forget_done(&state, &mut response);
    }
    response
}

/// What is to be shown.
struct Sight {
    page: Page,
    place: Place,
    entered: Entered,
    done: Option<String>,
    taste: Taste,
}

/// Makes a page in one transaction.
async fn shown(
    state: &Arc<State>,
    token: &Credential,
    request_id: &RequestId,
    status: StatusCode,
    sight: Sight,
) -> Response<Body> {
    let back = sight.place.address();
    let stale = Arc::new(OnceLock::new());
    let counted = Arc::new(OnceLock::<Figures>::new());
    let cookie = token;
    let (shared, token, request_id) = (state.clone(), token.clone(), request_id.clone());
    let noted = stale.clone();
    let transaction = move |tx: &mut Tx<'_>| {
        let person = browsers::authenticate(tx, &shared.env, &token)?;
        let who = person.caller.actor.id().unwrap_or(person.caller.company.0);
        counted.get_or_init(|| shared.count_caller(who)).check()?;
        if person.session.is_stale(shared.env.clock.now()) {
            noted.set(person.clone()).ok();
        }
        let Sight { page, place, entered, done, taste } = &sight;
        let shared_parts = (tx, &*shared, request_id.as_str());
        let mut cx = Visit::new(shared_parts, (person, token.expose()), (place, entered), *taste);
        cx.done = done.as_deref();
        if cx.is_client() != (page.whose == For::Clients) {
            return Ok(session::go(&counterpart(&cx)));
        }
        let second_step = format!("{}/second-step", account(&cx));
        if cx.person.caller.owes_second_step && place.path != second_step {
            return Ok(session::go(&second_step));
        }
        match (page.show)(&mut cx) {
            Ok(shown) => Ok(shell::within(&cx, status, shown)),
            Err(problem) if problem.status == 401 || problem.status >= 500 => Err(problem),
            Err(problem) => Ok(lost(&cx, &problem)),
        }
    };
    let answer = state.db.read(transaction).await;
    if let Some(person) = stale.get() {
        let (person, now) = (person.clone(), state.env.clock.now());
        let db = state.db.clone();
        tokio::spawn(async move {
            if let Err(problem) = db.write(move |tx| browsers::go_on(tx, &person, now)).await {
                tracing::warn!(%problem, "the use of a browser was not written down");
            }
        });
    }
    match answer {
        Ok(mut response) => {
            if let Some(person) = stale.get() {
                session::keep(state, &mut response, person, cookie);
            }
            response
        }
        Err(problem) if problem.key == Key::InvalidToken => session::go_sign_in(state, &back),
        Err(problem) => parts::problem(&problem),
    }
}

/// An address with no page, which has a way on nevertheless.
fn nowhere(_: &mut Visit<'_, '_>) -> Result<Shown> {
    Err(Problem::because(Key::NotFound, "There is no such page."))
}

/// What stands where a page cannot be shown, in the shell, so that there is a way on.
fn lost(cx: &Visit<'_, '_>, problem: &Problem) -> Response<Body> {
    // An address with something else where an id stands is no page either.
    let of_path = problem.details.as_ref().is_some_and(|details| {
        cx.place.params.iter().any(|(name, _)| details.text("field") == name)
    });
    let (title, status) = match problem.status {
        404 | 400 if of_path || problem.status == 404 => {
            (cx.say.not_there(), StatusCode::NOT_FOUND)
        }
        403 => (cx.say.not_for_you(), StatusCode::FORBIDDEN),
        _ => (cx.say.did_not_work(), parts::shut(problem)),
    };
    let main = html! {
        @if !of_path { p { (problem.message) } }
        p { a.button href=(home(cx)) { (cx.say.to_start()) } }
    };
    shell::within(cx, status, Shown::new(title, main))
}

async fn act(
    state: Arc<State>,
    page: Page,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let place = place(params, &request);
    let Some(token) = session::token(&state, request.headers()) else {
        return session::go_sign_in(&state, &place.address());
    };
    let room = match sent_forms::brings_file(request.headers()) {
        true => act::room_for_file(&state, &token).await,
        false => Ok((None, sent_forms::TEXT_MAX)),
    };
    let (_room, most) = match room {
        Ok(room) => room,
        Err(problem) if problem.status == 401 => {
            return session::go_sign_in(&state, &place.address());
        }
        Err(problem) => return parts::problem(&problem),
    };
    let sent = match Sent::of_browser(&state, request, most).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let from = sent.from;
    let (request_id, taste) = (sent.request_id.clone(), session::taste(&sent.headers));
    match act::act(&state, &token, sent).await {
        Ok(Done::Taken { next, operation }) => session::go_having(&state, &next, &operation),
        Ok(Done::Secret { answer, next, operation }) => {
            let entered = Entered {
                form: operation,
                fields: vec![("next".to_owned(), next), ("answer".to_owned(), answer.to_string())],
                ..Entered::default()
            };
            let page = Page { show: secret, ..page };
            let sight = Sight { page, place, entered, done: None, taste };
            let mut once = shown(&state, &token, &request_id, StatusCode::OK, sight).await;
            once.extensions_mut().remove::<Compressible>();
            once
        }
        Ok(Done::Refused(entered)) => {
            let sight = Sight { page, place, entered, done: None, taste };
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            shown(&state, &token, &request_id, status, sight).await
        }
        Ok(Done::Forged) => forged(),
        Err(problem) if problem.status == 401 => match state.count_stranger(from) {
            Ok(()) => session::go_sign_in(&state, &place.address()),
            Err(refused) => parts::problem(&refused),
        },
        Err(problem) => parts::problem(&problem),
    }
}

/// What was made and is shown this once.
fn secret(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let field = |name: &str| {
        let found = cx.entered.fields.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let answer: serde_json::Value =
        serde_json::from_str(&field("answer")).map_err(Problem::internal)?;
    if answer.text("uri").starts_with("otpauth:") {
        return Ok(account::authenticator(cx, &answer));
    }
    let codes = answer.list(act::RECOVERY_CODES);
    let mut secrets: Vec<(&str, String)> = Vec::new();
    if answer.has("clientId") && answer.has("clientSecret") {
        secrets.push(("clientId", answer.text("clientId").to_owned()));
    }
    for place in act::SECRETS {
        let name = place.rsplit('.').next().unwrap_or(place);
        if answer.has(place) && !secrets.iter().any(|(own, _)| *own == name) {
            let text = answer.text(place);
            let told = match name {
                "token" => format!("{}/set-password?token={text}", cx.state.env.address),
                _ => text.to_owned(),
            };
            secrets.push((name, told));
        }
    }
    let main = html! {
        div.notice.warn { (cx.say.shown_once()) }
        @if !codes.is_empty() {
            h2 { (cx.say.recovery_codes()) }
            p { (cx.say.recovery_codes_mean()) }
            code.secret #recovery-codes { @for code in codes { (code.as_str().unwrap_or_default()) br; } }
            p { button.plain type="button" data-copy="recovery-codes" { (cx.say.copy()) } }
        }
        @for (name, value) in &secrets {
            h2 { (cx.say.term(name)) }
            code.secret #{ "secret-" (name) } { (value) }
            p { button.plain type="button" data-copy={ "secret-" (name) } { (cx.say.copy()) } }
        }
        p { a.button href=(field("next")) { (cx.say.kept_it()) } }
    };
    Ok(Shown::new(cx.say.keep_this(), main))
}
