//! Operations: the row of facts beside each function.

mod row;

use std::fmt;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use spotter_kernel::{Event, Gate, Key, Problem, Result, Rule, Scope, number};
use spotter_store::{Db, Tx};

use crate::{
    arguments::{ArgumentSchemas, Arguments},
    caller::{Access, Actor, Caller},
    facts::{Confirmation, HealthData, Method, Reauthentication, Secret, Surface},
    features::Feature,
    handler::{Bound, Handler},
    permissions::{ClientAccess, DataSubject},
    shape,
    success::Success,
};

type Bind = Box<dyn Fn(&Arguments) -> Result<Bound> + Send + Sync>;

/// An operation: a function and its facts. Routing, authorization, the API description, audit
/// actions and the authorization tests are read from these rows.
pub struct Operation {
    /// The function's name.
    pub id: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The API it belongs to.
    pub surface: Surface,
    /// The path below the surface's base, with `{parameters}`.
    pub path: &'static str,
    /// What it requires of its caller.
    pub access: Access,
    /// What it grants clients; nothing if absent.
    pub for_client: Option<ClientAccess>,
    /// Whether people reach it, too, through the application API.
    pub for_people: bool,
    /// What must be switched on for the company.
    pub feature: Option<Feature>,
    /// One line.
    pub summary: &'static str,
    /// What one line can't say; may be empty.
    pub description: &'static str,
    /// The heading that documentation puts it under.
    pub tag: &'static str,
    /// The status of its success.
    pub status: u16,
    /// The events that it may announce.
    pub events: &'static [Event],
    /// Those of them that it announces whenever it does something; the others depend on what there is.
    pub always: &'static [Event],
    /// The error keys of its own, beside those of the pipeline and of its arguments.
    pub problems: &'static [Key],
    /// Statuses that the contract declares without saying more of them.
    pub declared: &'static [u16],
    /// Whether its effects are previewed and confirmed before it is done.
    confirmation: Confirmation,
    /// The message on pages after it succeeded.
    pub success: Success,
    /// Another message, if a field of the answer has a value.
    other_success: Option<(&'static str, &'static str, Success)>,
    /// Whether it adds up much, and is left to a server for such reads, where there is one.
    is_report: bool,
    /// Whether a page far down costs no more than the first, for its items are found by their numbers.
    is_numbered: bool,
    /// Whether its answer has an address or token that differs each time.
    pub is_without_etag: bool,
    /// The rows of its answer that are returned as CSV.
    pub rows: Option<&'static str>,
    /// Secrets in its answer.
    pub secret: Secret,
    /// Whether its person types their password again on a page.
    reauthentication: Reauthentication,
    /// Whether managers may call it before they set up their second step.
    allowed_before_second_step: bool,
    health: HealthData,
    /// Whether it writes.
    pub writes: bool,
    /// The fields of the body that may hold an address which is to be reached; whether it may be
    /// reached is found out before the transaction.
    pub address_fields: Option<&'static [&'static str]>,
    /// The key of a request that is not in order, where it is not the general one.
    invalid: Option<Key>,
    body: Option<Value>,
    /// The parameters of the path and the query that are whole numbers.
    numbers: Vec<String>,
    /// Whether it is a list.
    paged: bool,
    bind: Bind,
    describe: fn(&mut SchemaGenerator) -> ArgumentSchemas,
    answer: fn(&mut SchemaGenerator) -> Schema,
}

impl Operation {
    /// A row with its required facts. The [`operation!`](crate::operation) macro calls this.
    pub fn new<Form: 'static, H: Handler<Form>>(
        method: Method,
        surface: Surface,
        path: &'static str,
        access: Access,
        id: &'static str,
        handler: H,
    ) -> Self {
        Self {
            id,
            method,
            surface,
            path,
            access,
            for_client: None,
            for_people: surface == Surface::Public && access != Access::Device,
            feature: None,
            summary: "",
            description: "",
            tag: "",
            status: 200,
            events: &[],
            always: &[],
            problems: &[],
            declared: &[],
            confirmation: Confirmation::None,
            success: Success::Saved,
            other_success: None,
            is_without_etag: false,
            is_report: false,
            is_numbered: false,
            rows: None,
            secret: Secret::None,
            reauthentication: Reauthentication::None,
            allowed_before_second_step: false,
            health: HealthData::ByScope,
            writes: H::WRITES,
            address_fields: None,
            invalid: None,
            body: shape::body_schema(H::describe),
            numbers: shape::whole_numbers(H::describe),
            paged: H::describe(&mut SchemaGenerator::default()).paged,
            bind: Box::new(move |arguments| handler.bind(arguments)),
            describe: H::describe,
            answer: H::answer,
        }
    }

    /// Runs a request's transaction where its kind belongs: a write, a read that is known to take long, such as a page
    /// far down a list, or another.
    pub async fn transact<T, F>(&self, db: &Db, is_far_down: bool, transaction: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let is_slow = is_far_down && !self.is_numbered || self.is_report && db.has_replica();
        match (self.writes, is_slow) {
            (true, _) => db.write(transaction).await,
            (false, true) => db.read_slow(transaction).await,
            (false, false) => db.read(transaction).await,
        }
    }

    /// Its items are numbered without gaps, so any page is found as fast as the first.
    pub fn numbered(mut self) -> Self {
        self.is_numbered = true;
        self
    }

    /// It adds up much: it is left to a server for such reads, where there is one.
    pub fn report(mut self) -> Self {
        self.is_report = true;
        self
    }

    /// The one-line summary.
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// What one line can't say.
    pub fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// What must be switched on for the company.
    pub fn needs(mut self, feature: Feature) -> Self {
        self.feature = Some(feature);
        self
    }

    /// Grants it to the company's clients, each with themselves as the client that the path names. These
    /// fields are staff's alone: clients are not shown them, and cannot say them.
    pub fn for_client(self, staffs: &'static [&'static str]) -> Self {
        self.granting(DataSubject::Named, staffs)
    }

    /// Grants it to the company's clients for their own records.
    pub fn for_own(self, staffs: &'static [&'static str]) -> Self {
        self.granting(DataSubject::Own, staffs)
    }

    /// Grants it to the company's clients: they may know that of the company.
    pub fn for_every_client(self, staffs: &'static [&'static str]) -> Self {
        self.granting(DataSubject::Company, staffs)
    }

    /// Fields of its request that clients may not send.
    pub fn staff_only_input(mut self, fields: &'static [&'static str]) -> Self {
        if let Some(granted) = &mut self.for_client {
            granted.said_by_staff = fields;
        }
        self
    }

    fn granting(mut self, subject: DataSubject, staffs: &'static [&'static str]) -> Self {
        self.for_client = Some(ClientAccess { subject, staffs, said_by_staff: &[] });
        self
    }

    /// Only integrations may do it: it is about the one that calls, or people have their own.
    pub fn integrations_only(mut self) -> Self {
        self.for_people = false;
        self
    }

    /// Admits the caller, or returns why not.
    pub fn admit(&self, caller: &Caller) -> Result<()> {
        // An assistant may do what was delegated to it, and nothing else that its person may do.
        if let Some(delegation) = &caller.delegation {
            delegation.check(self)?;
        }
        if !self.allowed_before_second_step {
            caller.check_second_step()?;
        }
        let is_client = matches!(caller.actor, Actor::Client { .. });
        match (self.access, self.for_client) {
            (Access::Scope(_), None) if is_client => return Err(Key::Forbidden.into()),
            // What its row grants clients beside staff.
            (Access::Scope(_) | Access::Coach(_), Some(_)) if is_client => {}
            _ => self.access.check(caller)?,
        }
        self.feature.map_or(Ok(()), |feature| feature.check(caller.features))
    }

    /// Answers 201 instead of 200.
    pub fn created(mut self) -> Self {
        self.status = 201;
        self
    }

    /// The events it may announce.
    pub fn emits(mut self, events: &'static [Event]) -> Self {
        self.events = events;
        self.always = events;
        self
    }

    /// Of the events that it may announce, those that it always does.
    pub fn always(mut self, events: &'static [Event]) -> Self {
        self.always = events;
        self
    }

    /// The error keys of its own.
    pub fn fails(mut self, problems: &'static [Key]) -> Self {
        self.problems = problems;
        self
    }

    /// Declares additional statuses without keys of their own.
    pub fn declares(mut self, statuses: &'static [u16]) -> Self {
        self.declared = statuses;
        self
    }

    /// It is previewed and confirmed by assistants. Its function describes its effects.
    pub fn confirmation(mut self) -> Self {
        self.confirmation = Confirmation::Required;
        self
    }

    /// The message on pages after it succeeded, if it is not "Saved".
    pub fn success(mut self, success: Success) -> Self {
        self.success = success;
        self
    }

    /// Another message, if a field of the answer has this value.
    pub fn success_where(
        mut self,
        place: &'static str,
        text: &'static str,
        other: Success,
    ) -> Self {
        self.other_success = Some((place, text, other));
        self
    }

    /// The message for an answer.
    pub fn success_of(&self, answer: &Value) -> Success {
        let other = self.other_success.filter(|(place, text, _)| {
            let found = place.split('.').try_fold(answer, |value, name| value.get(name));
            found.is_some_and(|found| found == text)
        });
        other.map_or(self.success, |(.., other)| other)
    }

    /// Its answer has an address or token that differs each time, so it has no ETag.
    pub fn without_etag(mut self) -> Self {
        self.is_without_etag = true;
        self
    }

    /// It also answers as CSV: with the rows at this place of its answer, names separated by dots.
    pub fn table(mut self, rows: &'static str) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Its answer holds credentials; those at these places are shown once on pages.
    pub fn secret(mut self, places: &'static [&'static str]) -> Self {
        self.secret = Secret::Credentials(places);
        self.reauthentication()
    }

    /// Its answer holds credentials at these places, for a caller without a password.
    pub fn hands_over(mut self, places: &'static [&'static str]) -> Self {
        self.secret = Secret::Credentials(places);
        self
    }

    /// Its answer has the address of a payment page, which is a secret.
    pub fn payment_page(mut self) -> Self {
        self.secret = Secret::PaymentPage;
        self
    }

    /// Before it, its person types their password again on a page, if they have not done so a moment ago.
    pub fn reauthentication(mut self) -> Self {
        self.reauthentication = Reauthentication::Required;
        self
    }

    /// People may call it before they set up their second step.
    pub fn before_second_step(mut self) -> Self {
        self.allowed_before_second_step = true;
        self
    }

    /// It is about a client's health, though its scope does not say so.
    pub fn about_health(mut self) -> Self {
        self.health = HealthData::Always;
        self
    }

    /// Some of its records are about health, and it checks consent itself.
    pub fn about_health_by_record(mut self) -> Self {
        self.health = HealthData::ByRecord;
        self
    }

    /// Whether its effects are previewed and confirmed before it is done.
    pub fn needs_confirmation(&self) -> bool {
        self.confirmation == Confirmation::Required
    }

    /// Whether its person types their password again on a page, if they have not done so a moment ago.
    pub fn needs_reauthentication(&self) -> bool {
        self.reauthentication == Reauthentication::Required
    }

    /// Whether its answer has a secret.
    pub fn is_secret(&self) -> bool {
        self.secret != Secret::None
    }

    /// Whether it is, or can be, about a client's health.
    pub fn may_be_about_health(&self) -> bool {
        self.health == HealthData::ByRecord || self.is_about_health()
    }

    /// Whether it is about a client's health.
    pub fn is_about_health(&self) -> bool {
        let gate = |scope: Scope| scope.gate() == Gate::HealthData;
        self.health == HealthData::Always
            || matches!(self.access, Access::Scope(scope) if gate(scope))
    }

    /// The first of these fields that the body has names an address that is to be reached.
    pub fn address_fields(mut self, fields: &'static [&'static str]) -> Self {
        self.address_fields = Some(fields);
        self
    }

    /// A request that is not in order is refused under this key.
    pub fn invalid_as(mut self, key: Key) -> Self {
        self.invalid = Some(key);
        self
    }

    /// The key of a request that is not in order.
    pub fn invalid(&self) -> Key {
        self.invalid.unwrap_or(Key::RequestInvalid)
    }

    /// Whether it reads one thing, so that its answer has a tag by which a caller can ask whether that
    /// has changed.
    pub fn is_tagged(&self) -> bool {
        self.method == Method::Get && !self.paged && !self.is_without_etag
    }

    /// Whether it is a paged list.
    pub fn is_paged(&self) -> bool {
        self.paged
    }

    /// Whether its query has a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        let query = (self.describe)(&mut SchemaGenerator::default()).query;
        query
            .is_some_and(|query| query.get("properties").is_some_and(|own| own.get(name).is_some()))
    }

    /// Whether a request may have a body: a write or its preview.
    pub fn takes_body(&self) -> bool {
        self.method != Method::Get
    }

    /// The heading in the documentation.
    pub fn tagged(mut self, tag: &'static str) -> Self {
        self.tag = tag;
        self
    }

    /// The whole path.
    pub fn full_path(&self) -> String {
        format!("{}{}", self.surface.base(), self.path)
    }

    /// Reads the function's arguments from a request.
    pub fn bind(&self, arguments: &Arguments) -> Result<Bound> {
        let checked = match (&self.body, arguments.body.object()) {
            (Some(schema), Some(body)) => shape::check(schema, body),
            _ => Ok(()),
        };
        let bound = checked.and_then(|()| self.check_numbers(arguments));
        bound.and_then(|()| (self.bind)(arguments)).map_err(|mut problem| {
            if problem.status == 400
                && let Some(key) = self.invalid
            {
                problem.key = key;
            }
            problem
        })
    }

    /// Numbers in an address have one spelling.
    fn check_numbers(&self, arguments: &Arguments) -> Result<()> {
        if self.numbers.is_empty() {
            return Ok(());
        }
        let query = form_urlencoded::parse(arguments.query.as_bytes()).into_owned();
        let wrong = arguments
            .path
            .iter()
            .cloned()
            .chain(query)
            .find(|(name, value)| self.numbers.contains(name) && !number::is_whole(value));
        match wrong {
            Some((name, _)) => Err(Problem::invalid(&name, Rule::NotWholeNumber)),
            None => Ok(()),
        }
    }

    /// The schema of the body, with everything in it that it refers to; nothing where there is no body.
    pub fn body(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    /// The arguments' schemas.
    pub fn arguments(&self, schemas: &mut SchemaGenerator) -> ArgumentSchemas {
        (self.describe)(schemas)
    }

    /// The schema of `data` in the answer.
    pub fn answer(&self, schemas: &mut SchemaGenerator) -> Schema {
        (self.answer)(schemas)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.id, self.method, self.full_path())
    }
}
