//! What strangers send: a message, or a sign-up, and the code that confirms their address.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{Request, Response, StatusCode},
    routing::post,
};
use maud::{Markup, html};
use serde_json::{Value, json};
use spotter_company::site;
use spotter_contract::{Arguments, PreparedRequest};
use spotter_http::State;
use spotter_kernel::{Id, Key, Locale, Problem, Result, Timestamp};
use spotter_store::Tx;

use super::{
    SiteAddress, base_of,
    context::{SiteContext, SiteForm},
    in_language,
    layout::{self, SiteView, member_link},
    pages::local,
    path_parameters, place, refused,
};
use crate::{
    api,
    forms::SubmittedForm,
    page_context::allowed_operation,
    page_request::PageAddress,
    parts::{self, cancellation, format::JsonFields},
    passwords, session,
    words::Strings,
};

/// A field that people do not see, and programs fill in.
const TRAP: &str = "company";

/// The routes of what strangers send.
pub(super) fn routes(state: &Arc<State>) -> Router {
    let mut router = Router::new();
    for base in ["", super::GYMS] {
        for (path, function) in
            [("/contact", Sent::Contact), ("/join", Sent::Join), ("/join/{signUpId}", Sent::Code)]
        {
            let state = state.clone();
            let take = move |params: Result<RawPathParams, RawPathParamsRejection>,
                             request: Request<Body>| {
                take(state.clone(), function, params.ok(), request)
            };
            router = router.route(&format!("{base}{path}"), post(take));
        }
    }
    router
}

/// What was sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Contact,
    Join,
    Code,
}

impl Sent {
    /// The operation that takes it.
    const fn operation(self) -> &'static str {
        match self {
            Self::Contact | Self::Join => "create_sign_up",
            Self::Code => "confirm_sign_up",
        }
    }

    const fn show(self) -> super::Show {
        match self {
            Self::Contact => contact,
            Self::Join => join,
            Self::Code => code,
        }
    }

    /// The body of its operation.
    fn body(self, sent: &SubmittedForm, language: Locale) -> Value {
        let text = |name: &str| Some(sent.form.one(name).trim()).filter(|text| !text.is_empty());
        if self == Self::Code {
            return json!({"code": text("code").unwrap_or_default()});
        }
        let mut choice = choice(text);
        choice["purpose"] = if self == Self::Contact { "contact" } else { "account" }.into();
        let mut body = json!({
            "firstName": text("firstName").unwrap_or_default(),
            "email": text("email").unwrap_or_default(),
            "language": language.code(),
            "choice": choice,
        });
        for name in ["lastName", "phone", "message"] {
            if let Some(value) = text(name) {
                body[name] = value.into();
            }
        }
        body
    }
}

/// The fields of a choice, and the parameters of a form or an address that they are kept in.
const CHOICE: [(&str, &str); 5] = [
    ("calendarEventId", "class"),
    ("productId", "product"),
    ("eventTypeId", "eventTypeId"),
    ("startsAt", "at"),
    ("coachId", "coachId"),
];

/// What was chosen, as operations take it.
fn choice<'v>(parameter: impl Fn(&str) -> Option<&'v str>) -> Value {
    let chosen = CHOICE
        .into_iter()
        .filter_map(|(field, name)| parameter(name).map(|value| (field.to_owned(), value.into())));
    Value::Object(chosen.collect())
}

async fn take(
    state: Arc<State>,
    what: Sent,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let place = place(path_parameters(params), &request);
    let t = Strings(super::locale(&place, &request));
    if let Err(limit) = state.count_sign_up(state.address(&request)).check() {
        return parts::problem(t, &limit);
    }
    let sent = match SubmittedForm::from_browser(&state, request, crate::forms::TEXT_MAX).await {
        Ok(sent) => sent,
        Err(response) => return response,
    };
    match perform(&state, what, &place, &sent, t).await {
        Ok(answer) => next(&state, what, &place, &answer, &sent, t).await,
        Err(problem) if problem.status >= 500 => refused(t, &problem),
        // An address of a form is that of nothing when its code is over.
        Err(problem) if problem.status == 404 && what == Sent::Code => {
            parts::stopped(t, StatusCode::NOT_FOUND, t.code_is_over())
        }
        Err(problem) if problem.status == 404 => refused(t, &problem),
        Err(problem) => show_again(&state, what, &place, &sent, problem, t).await,
    }
}

/// Runs the operation of a form as a stranger.
async fn perform(
    state: &Arc<State>,
    what: Sent,
    place: &PageAddress,
    sent: &SubmittedForm,
    t: Strings,
) -> Result<Value> {
    // Programs are answered like people, and nothing is done.
    if !sent.form.one(TRAP).is_empty() && what != Sent::Code {
        let id = state.env.new_id();
        return Ok(json!({"signUp": {"signUpId": id.to_string()}}));
    }
    let operation = allowed_operation(state, what.operation())?.clone();
    let body = what.body(sent, t.0);
    let (shared, params, request_id) =
        (state.clone(), place.params.clone(), sent.request_id.clone());
    let transaction = move |tx: &mut Tx<'_>| {
        let address = SiteAddress::of(tx, &params)?;
        let mut caller = site::visitor(tx, &address.slug)?;
        caller.locale = t.0;
        let mut path = params.clone();
        path.retain(|(name, _)| name != "slug");
        path.insert(0, ("slug".to_owned(), address.slug));
        let arguments = Arguments { path, query: String::new(), body: body.clone().into() };
        let mut request = PreparedRequest::new(operation.clone(), Ok(arguments), Ok(None));
        request.run(tx, &shared.env, &caller, request_id.as_str())
    };
    let answer = state.db.write(transaction).await?;
    serde_json::from_str(&answer.data).map_err(Problem::internal)
}

/// The path of a site's page in the language of its form.
fn path_of(place: &PageAddress, path: &str, t: Strings) -> String {
    in_language(&format!("{}{path}", base_of(&place.params)), t.0)
}

/// Where it goes on.
async fn next(
    state: &Arc<State>,
    what: Sent,
    place: &PageAddress,
    answer: &Value,
    sent: &SubmittedForm,
    t: Strings,
) -> Response<Body> {
    if what != Sent::Code {
        let path = format!("/join/{}", answer.text("signUp.signUpId"));
        return session::redirect(&path_of(place, &path, t));
    }
    let then = chosen_page(answer.at("signUp.choice"));
    match answer.text("signUp.outcome") {
        "password" => {
            session::redirect(&passwords::address(answer.text("invitation.token"), &then))
        }
        "sign_in" => session::redirect(&member_link(&then)),
        outcome @ ("review" | "answer") => {
            session::redirect(&path_of(place, &format!("/contact?sent={outcome}"), t))
        }
        _ => {
            let left = answer.int("signUp.attemptsLeft").to_string();
            let problem = Problem::invalid("code", crate::rules::ConsoleRule::WrongCode { left });
            show_again(state, what, place, sent, problem, t).await
        }
    }
}

/// The page of members on which a choice is booked or bought.
fn chosen_page(choice: &Value) -> String {
    let id = |place: &str| Some(choice.text(place)).filter(|text| Id::parse(text).is_some());
    if let Some(class) = id("calendarEventId") {
        return format!("/my/classes/{class}");
    }
    if let Some(product) = id("productId") {
        return format!("/my/shop/{product}");
    }
    if let Some(kind) = id("eventTypeId") {
        let coach = id("coachId").map(|coach| format!("&with={coach}")).unwrap_or_default();
        let at = Timestamp::parse(choice.text("startsAt"));
        let at = at.map(|at| format!("&at={at}")).unwrap_or_default();
        return format!("/my/book?eventTypeId={kind}{at}{coach}");
    }
    "/my".to_owned()
}

/// The page of a form that was refused, with what was typed.
async fn show_again(
    state: &Arc<State>,
    what: Sent,
    place: &PageAddress,
    sent: &SubmittedForm,
    problem: Problem,
    t: Strings,
) -> Response<Body> {
    let fields = sent.form.pairs().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let form = SiteForm { fields: fields.collect(), problem };
    let (shared, place, request_id) = (state.clone(), place.clone(), sent.request_id.clone());
    let read = move |tx: &mut Tx<'_>| {
        let address = SiteAddress::of(tx, &place.params)?;
        let mut cx = SiteContext::new(tx, &shared, &place, &request_id, address, t, false)?;
        cx.form = Some(form.clone());
        let view = (what.show())(&mut cx)?;
        Ok(layout::render(&cx, StatusCode::UNPROCESSABLE_ENTITY, view.personal()))
    };
    match state.db.read(read).await {
        Ok(page) => page.response(),
        Err(problem) => refused(t, &problem),
    }
}

/// A field of a form with its label, and why it was refused.
fn field(
    cx: &SiteContext<'_, '_>,
    name: &str,
    label: &str,
    kind: &str,
    autocomplete: &str,
    required: bool,
) -> Markup {
    let wrong = cx.refusal_of(name);
    let described = wrong.as_ref().map(|_| format!("{name}-wrong"));
    html! {
        div.field {
            label for=(name) {
                (label)
                @if !required { " " span.quiet { "(" (cx.strings.optional()) ")" } }
            }
            input
                id=(name)
                name=(name)
                type=(kind)
                value=(cx.typed(name))
                required[required]
                autocomplete=(autocomplete)
                maxlength="254"
                aria-invalid=[wrong.as_ref().map(|_| "true")]
                aria-describedby=[described.clone()];
            @if let Some(wrong) = wrong { p.mistake id=[described] { (wrong) } }
        }
    }
}

/// Name, address and message.
fn person_fields(cx: &SiteContext<'_, '_>, message_required: bool) -> Markup {
    let t = cx.strings;
    let wrong = cx.refusal_of("message");
    html! {
        @if let Some(problem) = cx.refusal_of_none() { div.summary role="alert" { p { (problem) } } }
        (field(cx, "firstName", t.first_name(), "text", "given-name", true))
        (field(cx, "lastName", t.last_name(), "text", "family-name", false))
        (field(cx, "email", t.email(), "email", "email", true))
        (field(cx, "phone", t.phone(), "tel", "tel", false))
        div.field {
            label for="message" {
                (t.message())
                @if !message_required { " " span.quiet { "(" (t.optional()) ")" } }
            }
            textarea #message name="message" rows="4" maxlength="2000" required[message_required]
                aria-invalid=[wrong.as_ref().map(|_| "true")] { (cx.typed("message")) }
            @if let Some(wrong) = wrong { p.mistake { (wrong) } }
        }
        div.trap aria-hidden="true" {
            label for="company" { "Company" }
            input #company name=(TRAP) type="text" tabindex="-1" autocomplete="off";
        }
    }
}

/// `/contact`: where the gym is reached, and a form to write to it.
pub(super) fn contact(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let (t, gym) = (cx.strings, cx.gym());
    let main = match cx.place.parameter("sent") {
        "review" => html! { div.notice role="status" { (t.sign_up_is_reviewed(gym.name())) } },
        "answer" => html! { div.notice role="status" { (t.message_is_received(gym.name())) } },
        _ => html! {
            div.two {
                form.card
                    method="post"
                    action=(cx.out_to("/contact"))
                    target=[cx.target()]
                {
                    (person_fields(cx, true))
                    p.quiet { (t.address_is_confirmed_first()) }
                    button type="submit" { (t.send()) }
                }
                @if !cx.is_embedded {
                    section {
                        h2 { (gym.name()) }
                        @if !gym.phone().is_empty() { p { a href={ "tel:" (gym.phone().replace(' ', "")) } { (gym.phone()) } } }
                        @if !gym.email().is_empty() { p { a href={ "mailto:" (gym.email()) } { (gym.email()) } } }
                    }
                }
            }
        },
    };
    Ok(SiteView::new(t.contact(), format!("{} · {}", t.contact(), gym.name()), main))
}

/// `/join`: name and address of a newcomer, for what they chose.
pub(super) fn join(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let chosen = chosen(cx)?;
    let t = cx.strings;
    if !cx.is_open() {
        let main = html! {
            p { (t.sign_ups_are_closed()) }
            p { a.button href=(cx.to("/contact")) { (t.contact()) } }
        };
        return Ok(SiteView::new(t.join(), "", main).hidden());
    }
    let then = chosen.then.clone();
    let main = html! {
        form.card method="post" action=(cx.out_to("/join")) {
            (chosen.summary)
            @for (name, value) in &chosen.fields { input type="hidden" name=(name) value=(value); }
            (person_fields(cx, false))
            p.quiet { (t.code_comes_by_mail()) }
            div.buttons {
                button type="submit" { (t.go_on()) }
                a href=(member_link(&then)) rel="nofollow" { (t.have_an_account()) }
            }
        }
    };
    let is_found = chosen.fields.is_empty();
    let view = SiteView::new(t.join(), format!("{} · {}", t.join(), cx.gym().name()), main);
    Ok(if is_found { view } else { view.hidden() })
}

/// What a newcomer has chosen: how it reads, the fields that keep it, and where members book or buy it.
struct Chosen {
    summary: Markup,
    fields: Vec<(&'static str, String)>,
    then: String,
}

fn chosen(cx: &mut SiteContext<'_, '_>) -> Result<Chosen> {
    let wanted = |name: &str| {
        let typed = cx.form.as_ref().map(|form| form.typed(name));
        Some(typed.unwrap_or_else(|| cx.place.parameter(name))).filter(|value| !value.is_empty())
    };
    let choice = choice(wanted);
    let fields = CHOICE.map(|(field, name)| (name, choice.text(field).to_owned()));
    let summary = summary(cx, &choice)?;
    Ok(Chosen {
        summary,
        then: chosen_page(&choice),
        fields: fields.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
    })
}

/// How a choice reads.
fn summary(cx: &mut SiteContext<'_, '_>, choice: &Value) -> Result<Markup> {
    if choice.has("calendarEventId") {
        let answer = cx.call(api::get_site_class(&cx.slug, choice.text("calendarEventId")))?;
        let (own, clock) = (answer.class(), local(cx, answer.class().time_zone()));
        return Ok(html! {
            p { b { (own.name()) } br; (clock.instant(own.starts_at())) " · " (own.coach_name()) }
            (cancellation::terms(&clock, own.cancellation()))
        });
    }
    if choice.has("productId") {
        let answer = cx.call(api::list_site_products(&cx.slug))?;
        let id = choice.text("productId");
        let own = answer.products().iter().find(|own| own.product_id() == id);
        let own = own.ok_or(Key::NotFound)?;
        return Ok(html! {
            p { b { (cx.localized(own.name())) } br; (cx.written.money(own.price(), own.currency())) }
        });
    }
    if choice.has("eventTypeId") {
        let answer = cx.call(api::list_site_event_types(&cx.slug))?;
        let id = choice.text("eventTypeId");
        let own = answer.event_types().iter().find(|own| own.event_type_id() == id);
        let own = own.ok_or(Key::NotFound)?;
        let starts = Timestamp::parse(choice.text("startsAt"));
        return Ok(html! { p { b { (own.name()) } br; (cx.written.instant(starts)) } });
    }
    Ok(Markup::default())
}

/// `/join/{signUpId}`: the code that was mailed.
pub(super) fn code(cx: &mut SiteContext<'_, '_>) -> Result<SiteView> {
    let t = cx.strings;
    let id = cx.place.param("signUpId").to_owned();
    let typed = match cx.place.parameter("code") {
        code if code.len() <= 10 && code.bytes().all(|c| c.is_ascii_digit()) => code,
        _ => "",
    };
    let wrong = cx.refusal_of("code");
    let main = html! {
        form.card method="post" action=(cx.out_to(&format!("/join/{id}"))) {
            p { (t.code_is_on_its_way()) }
            div.field {
                label for="code" { (t.code()) }
                input.code #code
                    name="code"
                    value=(typed)
                    required
                    inputmode="numeric"
                    autocomplete="one-time-code"
                    pattern="[0-9 ]{6,10}"
                    maxlength="10"
                    aria-invalid=[wrong.as_ref().map(|_| "true")]
                    aria-describedby="code-wrong"
                    autofocus;
                p.mistake #code-wrong { @if let Some(wrong) = wrong { (wrong) } }
            }
            button type="submit" { (t.confirm_address()) }
            p.quiet { (t.no_code_came()) }
        }
    };
    Ok(SiteView::new(t.look_into_mail(), "", main).personal())
}
