//! A page as it is made: somebody who is signed in, the address that they are at, and operations run as them, all in one
//! transaction. A page holds no rule and reads no row of its own.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use spotter_contract::{
    Actor, Arguments, Caller, Content, Operation, PreparedRequest, Role, Surface, vault,
};
use spotter_http::State;
use spotter_kernel::{
    Date, Problem, Result, TimeZone,
    secret::{base64url, random_text},
};
use spotter_people::identity::browsers::Person;
use spotter_store::Tx;

use crate::{
    body::{at, is_kind, plain},
    display::DisplaySettings,
    done::Done,
    forms::Form,
    parts::format::{Format, JsonFields},
    rejected_form::RejectedForm,
    request_body,
    rules::ConsoleRule,
    words::Strings,
};

/// A question to an operation.
#[derive(Clone, Debug)]
pub(crate) struct ApiCall {
    pub(crate) operation: &'static str,
    /// What stands in its path.
    pub(crate) path: Vec<(String, String)>,
    /// Its parameters.
    pub(crate) query: Vec<(&'static str, String)>,
    body: Content,
}

impl ApiCall {
    /// A question to the operation of this id.
    pub(crate) fn of(operation: &'static str) -> Self {
        Self { operation, path: Vec::new(), query: Vec::new(), body: Content::Nothing }
    }

    /// With something in its path.
    pub(crate) fn at(mut self, name: &str, value: &str) -> Self {
        self.path.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a parameter; what is empty is not asked for.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let value = value.to_string();
        if !value.is_empty() {
            self.query.push((name, value));
        }
        self
    }

    /// With a body, for what asks what a change would do.
    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = body.into();
        self
    }

    /// With those parameters of the same name that somebody has chosen on a page.
    pub(crate) fn filtered(self, place: &PageAddress, names: &[&'static str]) -> Self {
        names.iter().fold(self, |call, name| call.with(name, place.parameter(name).trim()))
    }

    /// What the operation is given.
    pub(crate) fn arguments(&self) -> Arguments {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.query);
        Arguments { path: self.path.clone(), query: query.finish(), body: self.body.clone() }
    }
}

/// Records of a list on a page.
const ROWS: i64 = 50;

/// A page of a list, and what was asked for it, by which the whole of it is exported.
#[derive(Debug)]
pub(crate) struct ListPage {
    answer: Value,
    /// What was asked, without the page.
    pub(crate) call: ApiCall,
}

impl Deref for ListPage {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.answer
    }
}

/// Nothing, where something is not for somebody, is switched off or is not there.
fn none<T>(problem: Problem) -> Result<Option<T>> {
    if matches!(problem.status, 403 | 404) { Ok(None) } else { Err(problem) }
}

/// Where somebody is: the path of a page, what is in it, and what is asked of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageAddress {
    /// The whole path.
    pub(crate) path: String,
    /// What stands in it, by the names of the page's row.
    pub(crate) params: Vec<(String, String)>,
    /// What is asked.
    pub(crate) query: Vec<(String, String)>,
}

impl PageAddress {
    /// A part of the path.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// A parameter; empty where it was not given.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.query.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// A date that is asked for.
    pub(crate) fn date(&self, name: &str) -> Option<Date> {
        Date::parse(self.parameter(name))
    }

    /// The address of the same page with a parameter set otherwise, or left out where it is empty.
    pub(crate) fn with_parameters(&self, changes: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let is_changed = |name: &str| changes.iter().any(|(own, _)| *own == name);
        let kept = self.query.iter().filter(|(name, value)| !is_changed(name) && !value.is_empty());
        query.extend_pairs(kept);
        query.extend_pairs(changes.iter().filter(|(_, value)| !value.is_empty()));
        match query.finish() {
            none if none.is_empty() => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// Its address.
    pub(crate) fn address(&self) -> String {
        self.with_parameters(&[])
    }
}

/// A page on its way to somebody who is signed in.
pub(crate) struct PageContext<'v, 't> {
    tx: &'v mut Tx<'t>,
    pub(crate) state: &'v State,
    request_id: &'v str,
    /// Who it is.
    pub(crate) person: Person,
    /// Where they are.
    pub(crate) place: &'v PageAddress,
    /// What was wrong with what they sent.
    pub(crate) entered: &'v RejectedForm,
    /// What was just done.
    pub(crate) done: Option<&'v Done>,
    pub(crate) taste: DisplaySettings,
    pub(crate) strings: Strings,
    pub(crate) written: Format,
    token: String,
    csrf: Cell<Option<String>>,
    /// How many forms of each id there are so far.
    forms: RefCell<HashMap<String, usize>>,
    /// How long operations have taken so far.
    pub(crate) call_time: Duration,
    names: HashMap<String, String>,
}

impl<'v, 't> PageContext<'v, 't> {
    /// A visit of somebody who was let in.
    pub(crate) fn new(
        (tx, state, request_id): (&'v mut Tx<'t>, &'v State, &'v str),
        (person, token): (Person, &str),
        (place, entered): (&'v PageAddress, &'v RejectedForm),
        taste: DisplaySettings,
    ) -> Self {
        let mut person = person;
        let t = Strings(taste.locale(&person.company.language));
        person.caller.locale = t.0;
        let zone = TimeZone::parse(&person.company.time_zone).unwrap_or(TimeZone::UTC);
        let written = Format { strings: t, zone, now: state.env.clock.now() };
        let (token, names, done) = (token.to_owned(), HashMap::new(), None);
        let (csrf, forms) = (Cell::default(), RefCell::default());
        Self {
            tx,
            state,
            request_id,
            person,
            place,
            entered,
            done,
            taste,
            strings: t,
            written,
            token,
            csrf,
            forms,
            call_time: Duration::ZERO,
            names,
        }
    }

    /// What an operation answers them, or why it does not.
    pub(crate) fn call(&mut self, query: ApiCall) -> Result<Value> {
        let operation = allowed_operation(self.state, query.operation)?;
        let (began, who) = (Instant::now(), (&self.person.caller, self.request_id));
        let answer = answered(self.tx, self.state, who, (operation, query.arguments()));
        self.call_time += began.elapsed();
        serde_json::from_str(&answer?).map_err(Problem::internal)
    }

    /// The units that they measure in: those that they have chosen, else those of the business, which weighs in one.
    pub(crate) fn units(&mut self) -> Result<&'static str> {
        let imperial = match self.taste.imperial {
            Some(imperial) => imperial,
            None => {
                let answer =
                    self.call_if_allowed(ApiCall::of("get_workout_settings"))?.unwrap_or_default();
                answer.text("settings.weightUnit") == "lb"
            }
        };
        Ok(if imperial { "imperial" } else { "metric" })
    }

    /// The page of a list that they are at.
    pub(crate) fn list(&mut self, query: ApiCall) -> Result<ListPage> {
        let page = query.clone().with("limit", ROWS).with("page", self.place.parameter("page"));
        Ok(ListPage { answer: self.call(page)?, call: query })
    }

    /// The same where they may have to do without it.
    pub(crate) fn list_if(&mut self, call: ApiCall) -> Result<Option<ListPage>> {
        self.list(call).map(Some).or_else(none)
    }

    /// What an operation answers where they may have to do without it: nothing where it is not for them, is switched off or is not there.
    pub(crate) fn call_if_allowed(&mut self, query: ApiCall) -> Result<Option<Value>> {
        self.call(query).map(Some).or_else(none)
    }

    /// Whether an operation is for them.
    pub(crate) fn may(&self, operation: &str) -> bool {
        allowed_operation(self.state, operation)
            .is_ok_and(|operation| operation.admit(&self.person.caller).is_ok())
    }

    /// What was done under a name, in a line; the name itself where nobody says more.
    pub(crate) fn summary<'s>(&self, done: &'s str) -> &'s str {
        self.state.table.summary(done).unwrap_or_else(|| self.strings.term(done))
    }

    /// What somebody has typed into a form that was not taken, as the body of its operation; null where nothing was.
    pub(crate) fn typed(&self, operation: &str) -> Value {
        let found = allowed_operation(self.state, operation)
            .ok()
            .filter(|_| self.entered.problem.is_some());
        let Some(schema) = found.and_then(|operation| operation.body()) else { return Value::Null };
        let form = Form::from_fields(&self.entered.fields);
        request_body::body_of(schema, &form, &self.person).unwrap_or_default()
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
        self.person.session.is_sure(self.written.now)
    }

    /// What ties a form to this browser, masked anew in each answer, so that the length of a compressed page tells
    /// nothing of it (BREACH).
    pub(crate) fn csrf(&self) -> String {
        let made = self.csrf.take().unwrap_or_else(|| new_csrf(self.state, &self.token));
        self.csrf.set(Some(made.clone()));
        made
    }

    /// The id of a form: those that would have the same are told apart by which comes first.
    pub(crate) fn form_id(&self, id: String) -> String {
        let mut forms = self.forms.borrow_mut();
        let so_far = forms.entry(id.clone()).or_default();
        *so_far += 1;
        if *so_far == 1 { id } else { format!("{id}-{so_far}") }
    }

    /// A key for a form, so that what is sent twice is done once.
    pub(crate) fn new_key(&self) -> String {
        random_text(&*self.state.env.entropy)
    }

    /// What a coach is called; each is asked for once.
    pub(crate) fn coach(&mut self, id: &str) -> Result<String> {
        self.call_named("get_coach", ("coachId", id), "coach")
    }

    /// What a client is called.
    pub(crate) fn client(&mut self, id: &str) -> Result<String> {
        self.call_named("get_client", ("clientId", id), "client")
    }

    /// Gets to know what the clients of some records are called, in one go.
    pub(crate) fn know_clients(&mut self, records: &[Value]) -> Result<()> {
        let mut ids: Vec<&str> = records.iter().map(|record| record.text("clientId")).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| !id.is_empty() && !self.names.contains_key(*id));
        for ids in ids.chunks(100) {
            let request = ApiCall::of("list_client_names").with("clientIds", ids.join(","));
            let answer = self.call_if_allowed(request)?.unwrap_or_default();
            for one in answer.list("clientNames") {
                self.names.insert(one.text("clientId").to_owned(), one.text("name").to_owned());
            }
        }
        Ok(())
    }

    /// What a location is called.
    pub(crate) fn location(&mut self, id: &str) -> Result<String> {
        self.call_named("get_location", ("locationId", id), "location")
    }

    fn call_named(
        &mut self,
        operation: &'static str,
        (parameter, id): (&str, &str),
        record: &str,
    ) -> Result<String> {
        if id.is_empty() {
            return Ok(String::new());
        }
        if let Some(name) = self.names.get(id) {
            return Ok(name.clone());
        }
        let answer =
            self.call_if_allowed(ApiCall::of(operation).at(parameter, id))?.unwrap_or_default();
        let record = answer.at(record);
        let name = match record.text("name") {
            "" => crate::parts::format::name(record),
            name => name.to_owned(),
        };
        self.names.insert(id.to_owned(), name.clone());
        Ok(name)
    }

    /// Ids and names of the records of a list, to choose one from; at most a hundred.
    pub(crate) fn choices(
        &mut self,
        call: ApiCall,
        (list, id): (&str, &str),
    ) -> Result<Vec<(String, String)>> {
        let answer = self.call_if_allowed(call.with("limit", 100))?.unwrap_or_default();
        let label = |record: &Value| match record.at("name") {
            Value::String(name) => name.clone(),
            Value::Object(texts) => localized(texts, self.strings.0.code()),
            _ => crate::parts::format::name(record),
        };
        Ok(answer.list(list).iter().map(|item| (item.text(id).to_owned(), label(item))).collect())
    }

    /// Coaches who can be planned with: those who work for the company, whether or not they have signed in yet.
    pub(crate) fn coaches_to_plan(&mut self) -> Result<Vec<(String, String)>> {
        let answer = self
            .call_if_allowed(ApiCall::of("list_coaches").with("limit", 100))?
            .unwrap_or_default();
        let working =
            answer.list("coaches").iter().filter(|one| one.text("status") != "deactivated");
        let named = |one: &Value| (one.text("coachId").to_owned(), crate::parts::format::name(one));
        Ok(working.map(named).collect())
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

/// What an operation answers whoever asks, as JSON.
pub(crate) fn answered(
    tx: &mut Tx<'_>,
    state: &State,
    (caller, request_id): (&Caller, &str),
    (operation, arguments): (&Arc<Operation>, Arguments),
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

/// What a form must bring that was shown to whoever holds this token.
/// What ties a form to the session of a token.
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

/// Whether what a form brings was made for whoever holds this token.
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
    fn a_form_is_of_the_browser_that_it_was_shown_in() {
        let view = [masked("one", [7; 32]), masked("one", [8; 32])];
        assert_ne!(view[0], view[1]);
        assert!(view.iter().all(|csrf| is_own("one", csrf) && !is_own("other", csrf)));
        for wrong in ["", "x", &view[0][1..], &view[0][..40], "ä"] {
            assert!(!is_own("one", wrong), "{wrong}");
        }
    }

    #[test]
    fn an_address_keeps_what_is_not_changed() {
        let pairs = [("search", "zoë & co"), ("page", "3"), ("tag", "")];
        let query = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let place = PageAddress { path: "/console/clients".into(), params: vec![], query };
        let expected = "/console/clients?search=zo%C3%AB+%26+co&page=4";
        assert_eq!(place.with_parameters(&[("page", "4")]), expected);
        assert_eq!(place.with_parameters(&[("page", ""), ("search", "")]), "/console/clients");
    }
}
