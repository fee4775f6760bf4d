//! A page while it is built: the signed-in person, the address, and operations run as that person, in one
//! transaction. A page has no rules and reads no tables.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use spotter_contract::{
    Actor, Arguments, Caller, Operation, PreparedRequest, Role, Surface, vault,
};
use spotter_http::State;
use spotter_kernel::{
    Locale, Problem, Result, TimeZone,
    limits::PAGE_MAX,
    secret::{base64url, random_text},
};
use spotter_people::identity::browsers::SignedInPerson;
use spotter_store::Tx;

use crate::{
    api::{self, Answer, ApiOperation, Call},
    api_call::ApiCall,
    body::{at, is_kind, plain},
    display::DisplaySettings,
    done::Done,
    forms::FormData,
    page_request::{PageAddress, PageRequest},
    parts::format::{Format, JsonFields},
    rejected_form::RejectedForm,
    request_body,
    rules::ConsoleRule,
    words::Strings,
};

/// Records of a list on a page.
const ROWS: i64 = 50;
/// Most records to choose from.
const CHOICES_MAX: i64 = 100;

/// A page of a list, and the call that lists all of it, by which it is exported.
#[derive(Debug)]
pub(crate) struct ListPage<O> {
    answer: Answer<O>,
    /// The call without the page.
    pub(crate) call: ApiCall,
}

impl<O> ListPage<O> {
    /// The number of this page, of the last, and of all records.
    pub(crate) fn position(&self) -> [i64; 3] {
        // Lists of all operations have these fields.
        ["page", "totalPages", "total"].map(|field| self.answer.json().int(field))
    }
}

impl<O> Deref for ListPage<O> {
    type Target = Answer<O>;

    fn deref(&self) -> &Answer<O> {
        &self.answer
    }
}

/// Nothing, if something is not permitted, disabled or not found.
fn none<T>(problem: Problem) -> Result<Option<T>> {
    if matches!(problem.status, 403 | 404) { Ok(None) } else { Err(problem) }
}

/// A page while it is built for a signed-in person.
pub(crate) struct PageContext<'v, 't> {
    tx: &'v mut Tx<'t>,
    pub(crate) state: &'v State,
    request_id: &'v str,
    /// Who it is.
    pub(crate) person: SignedInPerson,
    /// Where they are.
    pub(crate) place: &'v PageAddress,
    /// The form that was refused, if any.
    pub(crate) entered: &'v RejectedForm,
    /// The act that was just completed.
    pub(crate) done: Option<&'v Done>,
    pub(crate) display: DisplaySettings,
    pub(crate) strings: Strings,
    pub(crate) written: Format,
    token: String,
    csrf: Cell<Option<String>>,
    /// How many forms of each id there are so far.
    forms: RefCell<HashMap<String, usize>>,
    /// How long operations have taken so far.
    pub(crate) call_time: Duration,
    names: HashMap<String, String>,
    /// The company's site, of which clients see logo and color.
    pub(crate) face: Answer<api::GetSite>,
}

impl<'v, 't> PageContext<'v, 't> {
    /// A page for an admitted person.
    pub(crate) fn new(
        tx: &'v mut Tx<'t>,
        state: &'v State,
        request: &'v PageRequest,
        request_id: &'v str,
        mut person: SignedInPerson,
        token: &str,
    ) -> Self {
        let PageRequest { place, entered, done, display } = request;
        let t = Strings(display.locale(&person.company.language));
        person.caller.locale = t.0;
        let zone = TimeZone::parse(&person.company.time_zone).unwrap_or(TimeZone::UTC);
        let written = Format { strings: t, zone, now: state.env.clock.now() };
        let (token, names) = (token.to_owned(), HashMap::new());
        let (csrf, forms) = (Cell::default(), RefCell::default());
        Self {
            tx,
            state,
            request_id,
            person,
            place,
            entered,
            done: done.as_ref(),
            display: *display,
            strings: t,
            written,
            token,
            csrf,
            forms,
            call_time: Duration::ZERO,
            names,
            face: Answer::default(),
        }
    }

    /// Reads how the company looks, for its clients.
    pub(crate) fn read_face(&mut self) -> Result<()> {
        if self.is_client() {
            self.face = self.call_or_empty(api::get_site())?;
        }
        Ok(())
    }

    /// Calls an operation as the signed-in person.
    pub(crate) fn call<O>(&mut self, call: Call<O>) -> Result<Answer<O>> {
        Ok(Answer::new(self.run(call.request())?))
    }

    fn run(&mut self, call: &ApiCall) -> Result<Value> {
        let operation = allowed_operation(self.state, call.operation)?;
        let (began, caller) = (Instant::now(), &self.person.caller);
        let arguments = call.arguments();
        let answer = answered(self.tx, self.state, caller, self.request_id, operation, arguments);
        self.call_time += began.elapsed();
        serde_json::from_str(&answer?).map_err(Problem::internal)
    }

    /// The same, or an empty answer where the operation is not for them, switched off, or about what does not exist.
    pub(crate) fn call_or_empty<O>(&mut self, call: Call<O>) -> Result<Answer<O>> {
        Ok(self.call_if_allowed(call)?.unwrap_or_default())
    }

    /// The same, or nothing.
    pub(crate) fn call_if_allowed<O>(&mut self, call: Call<O>) -> Result<Option<Answer<O>>> {
        self.call(call).map(Some).or_else(none)
    }

    /// The page of a list that they are at.
    pub(crate) fn list<O>(&mut self, call: Call<O>) -> Result<ListPage<O>> {
        let answer = self.call(call.clone().with_page(self.place.parameter("page"), ROWS))?;
        let list = ListPage { answer, call: call.clone().into() };
        let [page, last, total] = list.position();
        // The list has become shorter, or the address is of other filters.
        if total > 0 && page > last {
            let answer = self.call(call.with_page(&last.to_string(), ROWS))?;
            return Ok(ListPage { answer, call: list.call });
        }
        Ok(list)
    }

    /// The same, or nothing, as in [`call_if_allowed`](Self::call_if_allowed).
    pub(crate) fn list_if_allowed<O>(&mut self, call: Call<O>) -> Result<Option<ListPage<O>>> {
        self.list(call).map(Some).or_else(none)
    }

    /// The first pages of a list, a hundred records each, up to a number of pages.
    pub(crate) fn pages<O>(&mut self, call: &Call<O>, most: usize) -> Result<Vec<Answer<O>>> {
        let mut pages = Vec::new();
        while pages.len() < most {
            let page = (pages.len() + 1).to_string();
            let answer = self.call(call.clone().with_page(&page, PAGE_MAX))?;
            let is_last = !answer.json().is("hasNextPage");
            pages.push(answer);
            if is_last {
                break;
            }
        }
        Ok(pages)
    }

    /// The number of records in a list; 0 where the list is not for them.
    pub(crate) fn count(&mut self, call: impl Into<ApiCall>) -> Result<i64> {
        let answer = self.run(&call.into().with("limit", 1)).map(Some).or_else(none)?;
        Ok(answer.unwrap_or_default().int("total"))
    }

    /// The units that they measure in: those that they have chosen, else those of the business, which weighs in one.
    pub(crate) fn units(&mut self) -> Result<&'static str> {
        let imperial = match self.display.imperial {
            Some(imperial) => imperial,
            None => {
                let answer = self.call_or_empty(api::get_workout_settings())?;
                answer.settings().weight_unit() == "lb"
            }
        };
        Ok(if imperial { "imperial" } else { "metric" })
    }

    /// Whether an operation is for them.
    pub(crate) fn may<O: ApiOperation>(&self, _: O) -> bool {
        self.may_call(O::ID)
    }

    /// The same of the id of an operation.
    pub(crate) fn may_call(&self, operation: &str) -> bool {
        allowed_operation(self.state, operation)
            .is_ok_and(|operation| operation.admit(&self.person.caller).is_ok())
    }

    /// What an operation did, in a few words. Summaries are the API's, in English: other readers read what became of
    /// the record that stands beside it.
    pub(crate) fn summary<'s>(&self, done: &'s str) -> Cow<'s, str> {
        let table = &self.state.table;
        let own = match self.strings.0 {
            Locale::English => table.summary(done).map(Cow::Borrowed),
            locale => table.find(done).map(|operation| {
                let sentence = operation.success.sentence();
                sentence.text(locale).trim_end_matches('.').to_owned().into()
            }),
        };
        let named = || self.strings.knows(done).then(|| self.strings.term(done).into());
        own.or_else(named).unwrap_or_default()
    }

    /// The entered values of a refused form as the body of its operation; null without one.
    pub(crate) fn typed(&self, operation: &str) -> Value {
        let found = allowed_operation(self.state, operation)
            .ok()
            .filter(|_| self.entered.problem.is_some());
        let Some(schema) = found.and_then(|operation| operation.body()) else { return Value::Null };
        let form = FormData::from_fields(&self.entered.fields);
        request_body::body_so_far(schema, &form, &self.person)
    }

    /// The words that a field of an operation's body may hold.
    pub(crate) fn words_of(&self, operation: &str, field: &str) -> Vec<&'v str> {
        let found = allowed_operation(self.state, operation).ok();
        let schema = found.and_then(|operation| operation.body()).map(|body| at(body, field));
        let Some(own) = schema else { return Vec::new() };
        let own = if is_kind(own, "array") { at(own, "0") } else { own };
        let words = plain(own)["enum"].as_array().into_iter().flatten();
        words.filter_map(Value::as_str).collect()
    }

    /// Whether they are a client.
    pub(crate) fn is_client(&self) -> bool {
        matches!(self.person.caller.actor, Actor::Client { .. })
    }

    /// Their own id.
    pub(crate) fn own_id(&self) -> String {
        self.person.caller.actor.id().map(|id| id.to_string()).unwrap_or_default()
    }

    /// Whether they run the company.
    pub(crate) fn manages(&self) -> bool {
        matches!(self.person.caller.actor, Actor::Coach { role, .. } if role >= Role::Manager)
    }

    /// Whether they typed their password a moment ago.
    pub(crate) fn is_sure(&self) -> bool {
        self.person.session.is_sure(self.state.env.wall_clock.now())
    }

    /// The CSRF token of this browser, masked again in each response, so that the length of a compressed page reveals
    /// nothing of it (BREACH).
    pub(crate) fn csrf(&self) -> String {
        let made = self.csrf.take().unwrap_or_else(|| new_csrf(self.state, &self.token));
        self.csrf.set(Some(made.clone()));
        made
    }

    /// A unique id for a form: duplicates are numbered.
    pub(crate) fn form_id(&self, id: String) -> String {
        let mut forms = self.forms.borrow_mut();
        let so_far = forms.entry(id.clone()).or_default();
        *so_far += 1;
        if *so_far == 1 { id } else { format!("{id}-{so_far}") }
    }

    /// A new idempotency key for a form.
    pub(crate) fn new_key(&self) -> String {
        random_text(&*self.state.env.entropy)
    }

    /// The name of a coach; each is read once.
    pub(crate) fn coach(&mut self, id: &str) -> Result<String> {
        self.name(id, |cx| {
            let answer = cx.call_or_empty(api::get_coach(id))?;
            Ok(answer.coach().full_name())
        })
    }

    /// The name of a client.
    pub(crate) fn client(&mut self, id: &str) -> Result<String> {
        self.name(id, |cx| {
            let answer = cx.call_or_empty(api::get_client(id))?;
            Ok(answer.client().full_name())
        })
    }

    /// The name of a location.
    pub(crate) fn location(&mut self, id: &str) -> Result<String> {
        self.name(id, |cx| {
            Ok(cx.call_or_empty(api::get_location(id))?.location().name().to_owned())
        })
    }

    fn name(&mut self, id: &str, read: impl FnOnce(&mut Self) -> Result<String>) -> Result<String> {
        if id.is_empty() {
            return Ok(String::new());
        }
        if let Some(name) = self.names.get(id) {
            return Ok(name.clone());
        }
        let name = read(self)?;
        self.names.insert(id.to_owned(), name.clone());
        Ok(name)
    }

    /// Reads the names of clients, all at once.
    pub(crate) fn know_clients<'i>(&mut self, ids: impl Iterator<Item = &'i str>) -> Result<()> {
        let mut ids: Vec<&str> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| !id.is_empty() && !self.names.contains_key(*id));
        for ids in ids.chunks(100) {
            let call = api::list_client_names().client_ids(ids.join(","));
            let answer = self.call_or_empty(call)?;
            for client in answer.client_names() {
                self.names.insert(client.client_id().to_owned(), client.name().to_owned());
            }
        }
        Ok(())
    }

    /// Locations to choose from, each with its id; at most a hundred.
    pub(crate) fn location_choices(&mut self) -> Result<Vec<(String, String)>> {
        let answer = self.call_or_empty(api::list_locations().limit(CHOICES_MAX))?;
        let choices = answer.locations().iter();
        Ok(choices.map(|own| (own.location_id().to_owned(), own.name().to_owned())).collect())
    }

    /// Event types to choose from, as [`location_choices`](Self::location_choices).
    pub(crate) fn event_type_choices(&mut self) -> Result<Vec<(String, String)>> {
        self.event_type_choices_of(api::list_event_types())
    }

    /// The same of some of them.
    pub(crate) fn event_type_choices_of(
        &mut self,
        call: Call<api::ListEventTypes>,
    ) -> Result<Vec<(String, String)>> {
        let answer = self.call_or_empty(call.limit(CHOICES_MAX))?;
        let choices = answer.event_types().iter();
        let choices = choices.map(|own| (own.event_type_id().to_owned(), own.name().to_owned()));
        Ok(choices.collect())
    }

    /// Coaches to choose from, as [`location_choices`](Self::location_choices).
    pub(crate) fn coach_choices(&mut self) -> Result<Vec<(String, String)>> {
        self.coach_choices_where(|_| true)
    }

    /// Coaches to plan with: those who work for the company, whether or not they have signed in yet.
    pub(crate) fn coaches_to_plan(&mut self) -> Result<Vec<(String, String)>> {
        self.coach_choices_where(|coach| coach.status() != "deactivated")
    }

    fn coach_choices_where(
        &mut self,
        is_choice: impl Fn(&api::Coach<'_>) -> bool,
    ) -> Result<Vec<(String, String)>> {
        let answer = self.call_or_empty(api::list_coaches().limit(CHOICES_MAX))?;
        let choices = answer.coaches().iter().filter(is_choice);
        Ok(choices.map(|own| (own.coach_id().to_owned(), own.full_name())).collect())
    }

    /// A text that there is in several languages, in theirs or another.
    pub(crate) fn localized(&self, texts: &Value) -> String {
        texts.as_object().map(|texts| localized(texts, self.strings.0.code())).unwrap_or_default()
    }
}

fn localized(texts: &serde_json::Map<String, Value>, language: &str) -> String {
    let found = texts.get(language).or_else(|| texts.values().next());
    found.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The answer of an operation as JSON.
pub(crate) fn answered(
    tx: &mut Tx<'_>,
    state: &State,
    caller: &Caller,
    request_id: &str,
    operation: &Arc<Operation>,
    arguments: Arguments,
) -> Result<String> {
    let mut request = PreparedRequest::new(operation.clone(), Ok(arguments), Ok(None));
    Ok(request.run(tx, &state.env, caller, request_id)?.data)
}

/// The operation of an id, if people may reach it.
pub(crate) fn allowed_operation<'s>(state: &'s State, id: &str) -> Result<&'s Arc<Operation>> {
    let found = state.table.find(id);
    let found = found.filter(|found| found.surface == Surface::App || found.for_people);
    found.ok_or_else(|| {
        Problem::because(spotter_kernel::Key::NotFound, ConsoleRule::NoSuchOperation)
    })
}

/// The CSRF token of a session, masked.
pub(crate) fn new_csrf(state: &State, token: &str) -> String {
    let mut mask = [0; 32];
    state.env.entropy.fill(&mut mask);
    masked(token, mask)
}

fn csrf_of(token: &str) -> [u8; 32] {
    vault::digest_of(format!("csrf {token}").as_bytes())
}

fn masked(token: &str, mask: [u8; 32]) -> String {
    let own = csrf_of(token);
    let mixed: Vec<u8> = own.iter().zip(mask).map(|(own, mask)| own ^ mask).collect();
    base64url(&[&mask[..], &mixed].concat())
}

/// Whether a CSRF token belongs to this session.
pub(crate) fn is_own(token: &str, csrf: &str) -> bool {
    use base64::Engine;
    let Ok(bytes) = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(csrf) else {
        return false;
    };
    let Some((mask, mixed)) = bytes.split_first_chunk::<32>() else { return false };
    let plain: Vec<u8> = mask.iter().zip(mixed).map(|(mask, mixed)| mask ^ mixed).collect();
    vault::same(&plain, &csrf_of(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_belongs_to_its_browser() {
        let view = [masked("one", [7; 32]), masked("one", [8; 32])];
        assert_ne!(view[0], view[1]);
        assert!(view.iter().all(|csrf| is_own("one", csrf) && !is_own("other", csrf)));
        for wrong in ["", "x", &view[0][1..], &view[0][..40], "ä"] {
            assert!(!is_own("one", wrong), "{wrong}");
        }
    }

    #[test]
    fn an_address_keeps_unchanged_fields() {
        let pairs = [("search", "zoë & co"), ("page", "3"), ("tag", "")];
        let query = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let place = PageAddress { path: "/console/clients".into(), params: vec![], query };
        let expected = "/console/clients?search=zo%C3%AB+%26+co&page=4";
        assert_eq!(place.with_parameters(&[("page", "4")]), expected);
        assert_eq!(place.with_parameters(&[("page", ""), ("search", "")]), "/console/clients");
    }
}
