//! Signing up: a stranger leaves a name and an address at the public site, confirms the address by a mailed code, and
//! becomes a client. Until then nothing is kept for them but the sign-up itself, and its answer never tells whether the
//! address is known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::site::{SignUpPolicy, Site, SitePath};
use spotter_contract::{
    Area, Body, ErasureAction, ErasureRule, ListQuery, Path, Read, Repeating, Write, answer,
    listed, operation, path,
};
use spotter_kernel::{
    Entropy, Event, Id, Key, Problem, Result, Timestamp,
    id::{ClientId, CoachId},
    id_type,
    text::{Email, Language, Name, Phone, Slug, Text},
};
use spotter_mail::{Letter, Recipient};
use spotter_store::{
    Json, List, Tx, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use super::{
    notes::{self, NewNote},
    onboarding,
    profile::{self, NewClient, StartingRelationship},
    record::{Client, PortalAccessStatus},
};
use crate::{
    coaches::Coach,
    identity::accounts::{self, Invitation},
    rules::PeopleRule,
};

id_type!(
    /// A sign-up.
    SignUpId,
    RequestInvalid
);
stored_ids!(SignUpId);

/// How long a code is good.
const CODE_SECONDS: i64 = 3_600;
/// How often a code may be typed wrongly.
const ATTEMPTS_MAX: i64 = 5;
/// Most letters to one address within [`CODE_SECONDS`].
const LETTERS_MAX: i64 = 3;
/// Most sign-ups of a company within an hour, whoever sends them: each has a letter sent.
const SIGN_UPS_MAX: i64 = 5_000;
/// How long sign-ups are kept, in days.
const KEPT_DAYS: i64 = 90;

words! {
    /// Whether the address is confirmed.
    pub enum SignUpStatus { Waiting = "waiting", Confirmed = "confirmed" }
}

words! {
    /// What a stranger wants: to be answered, or an account.
    pub enum SignUpPurpose { Contact = "contact", Account = "account" }
}

words! {
    /// How it goes on after an address was confirmed: with a password, with signing in, once the company has looked at it,
    /// or when the company answers.
    pub enum SignUpOutcome {
        Password = "password",
        SignIn = "sign_in",
        Review = "review",
        Answer = "answer",
    }
}

/// What a stranger has chosen at the site: nothing, a class, an appointment, or a product.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(inline)]
pub struct SignUpChoice {
    /// What it is about.
    purpose: Option<SignUpPurpose>,
    /// A class of the public timetable.
    calendar_event_id: Option<Id>,
    /// A kind of appointment.
    event_type_id: Option<Id>,
    /// When the appointment begins.
    starts_at: Option<Timestamp>,
    /// With whom the appointment is.
    coach_id: Option<CoachId>,
    /// A product that is sold.
    product_id: Option<Id>,
}

impl SignUpChoice {
    fn is_contact(&self) -> bool {
        self.purpose == Some(SignUpPurpose::Contact)
    }

    /// Refuses more than one choice.
    fn check(&self) -> Result<()> {
        let chosen = [self.calendar_event_id, self.event_type_id, self.product_id];
        match chosen.iter().flatten().count() {
            0 | 1 => Ok(()),
            _ => Err(Problem::invalid("choice", PeopleRule::OneChoice)),
        }
    }
}

record! {
    /// A stranger who signs up.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct SignUp {
        /// The sign-up's id.
        sign_up_id: SignUpId,
        first_name: String,
        last_name: Option<String>,
        email: String,
        phone: Option<String>,
        language: Option<String>,
        /// What they wrote.
        message: Option<String>,
        /// What they have chosen.
        choice: Json<SignUpChoice>,
        /// Whether the address is confirmed.
        status: SignUpStatus,
        #[serde(skip)]
        code_digest: Vec<u8>,
        #[serde(skip)]
        attempts: i64,
        /// The client that they are, once the address is confirmed.
        client_id: Option<ClientId>,
        /// Until when the address can be confirmed.
        expires_at: Timestamp,
        created_at: Timestamp,
    }
}

/// Who signs up, and for what.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewSignUp {
    /// Given name.
    first_name: Name<80>,
    /// Family name.
    last_name: Option<Name<80>>,
    /// The address that the code is mailed to.
    email: Email,
    /// Phone number.
    phone: Option<Phone>,
    /// Language as an ISO 639-1 code, such as `nl`.
    language: Option<Language>,
    /// A message to the company.
    message: Option<Text<2000>>,
    /// Nothing in particular when absent.
    #[serde(default)]
    choice: SignUpChoice,
}

/// What a stranger learns of their sign-up: the same whether or not the address is known.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StartedSignUp {
    sign_up_id: SignUpId,
    /// Until when the address can be confirmed.
    expires_at: Timestamp,
}

answer!(StartedSignUpAnswer { sign_up: StartedSignUp });

fn create_sign_up(
    cx: &mut Write,
    Path(at): Path<SitePath>,
    Body(new): Body<NewSignUp>,
) -> Result<StartedSignUpAnswer> {
    let site = Site::of(cx)?;
    new.choice.check()?;
    for (field, name) in
        [("firstName", Some(&new.first_name)), ("lastName", new.last_name.as_ref())]
    {
        if name.is_some_and(|name| reads_as_link(name)) {
            return Err(Problem::invalid(field, PeopleRule::NameWithLink));
        }
    }
    if !spotter_mail::is_on(cx) {
        return Err(Problem::conflict("signUpPolicy", PeopleRule::SignUpsNeedMail));
    }
    if site.sign_up_policy == SignUpPolicy::Closed && !new.choice.is_contact() {
        return Err(Problem::conflict("signUpPolicy", PeopleRule::SignUpsClosed));
    }
    let since = Id::first_at(cx.now().plus_seconds(-CODE_SECONDS));
    let (all,): (i64,) = cx.one(COUNT_SINCE, params![since])?.unwrap_or_default();
    if all >= SIGN_UPS_MAX {
        return Err(Key::RateLimitExceeded.into());
    }
    let email = new.email.to_lowercase();
    let (to_address,): (i64,) =
        cx.one(COUNT_OF_ADDRESS, params![email.as_str(), since])?.unwrap_or_default();
    let id = SignUpId(cx.new_id());
    let code = new_code(&*cx.env().entropy);
    // Who had several letters looks into those: there is no other, no code that could be guessed, and the same answer.
    let is_mailed = to_address < LETTERS_MAX;
    let code_digest = match is_mailed {
        true => code_digest(cx, id, &code)?,
        false => {
            let mut random = vec![0; 32];
            cx.env().entropy.fill(&mut random);
            random
        }
    };
    let sign_up = SignUp {
        sign_up_id: id,
        first_name: new.first_name.into(),
        last_name: new.last_name.map(Into::into),
        email,
        phone: new.phone.map(Into::into),
        language: new.language.map(Into::into),
        message: new.message.map(Into::into),
        choice: Json(new.choice),
        status: SignUpStatus::Waiting,
        code_digest,
        attempts: 0,
        client_id: None,
        expires_at: cx.now().plus_seconds(CODE_SECONDS),
        created_at: cx.now(),
    };
    cx.set_audit_target("sign_up", id, ["signUp"]);
    cx.defer(INSERT, &sign_up.params())?;
    if is_mailed {
        let to = Recipient {
            email: &sign_up.email,
            name: &sign_up.first_name,
            language: sign_up.language.as_deref(),
            client: None,
            signs_in: false,
        };
        let place = format!("/g/{}/join/{id}?code={code}", &*at.slug);
        spotter_mail::send(cx, to, id, &Letter::SignUpCode { code: &code, place: &place })?;
    }
    let expires_at = sign_up.expires_at;
    Ok(StartedSignUpAnswer { sign_up: StartedSignUp { sign_up_id: id, expires_at } })
}

/// Whether a name holds an address of a page: letters to others begin with it.
fn reads_as_link(name: &str) -> bool {
    let name = name.to_lowercase();
    ["://", "www.", "http"].iter().any(|part| name.contains(part))
}

/// Six digits.
fn new_code(entropy: &dyn Entropy) -> String {
    let mut random = [0; 8];
    entropy.fill(&mut random);
    format!("{:06}", u64::from_le_bytes(random) % 1_000_000)
}

/// What is kept of a code: nothing that it could be worked out from without the installation's key.
fn code_digest(cx: &Read, id: SignUpId, code: &str) -> Result<Vec<u8>> {
    Ok(cx.sign("sign up", format!("{id} {code}").as_bytes())?.to_vec())
}

path!(SignUpPath {
    /// The address of the company's public site.
    slug: Slug,
    /// The sign-up.
    sign_up_id: SignUpId,
});

/// The code that was mailed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SignUpConfirmation {
    /// The six digits; spaces are left out.
    code: Text<20>,
}

/// A sign-up after a code was entered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConfirmedSignUp {
    sign_up_id: SignUpId,
    /// `waiting` after a wrong code.
    status: SignUpStatus,
    /// How often a code can still be entered.
    attempts_left: i64,
    /// How it goes on; null after a wrong code.
    outcome: Option<SignUpOutcome>,
    /// What they have chosen.
    choice: SignUpChoice,
    /// Until when a seat of the chosen class is held for them; null where none is.
    seat_held_until: Option<Timestamp>,
}

answer!(ConfirmedSignUpAnswer {
    sign_up: ConfirmedSignUp,
    /// What sets the first password, where `outcome` is `password`.
    invitation: Option<Invitation>,
});

fn confirm_sign_up(
    cx: &mut Write,
    Path(at): Path<SignUpPath>,
    Body(entered): Body<SignUpConfirmation>,
) -> Result<ConfirmedSignUpAnswer> {
    let found: Option<SignUp> = cx.one(FIND, params![at.sign_up_id])?;
    let is_open = |own: &SignUp| own.expires_at > cx.now() && own.attempts < ATTEMPTS_MAX;
    let mut sign_up = found.filter(is_open).ok_or(Key::NotFound)?;
    let code: String = entered.code.chars().filter(|c| !c.is_whitespace()).collect();
    cx.set_audit_target("sign_up", at.sign_up_id, ["status"]);
    if !spotter_contract::vault::same(&code_digest(cx, at.sign_up_id, &code)?, &sign_up.code_digest)
    {
        sign_up.attempts += 1;
        cx.defer(SAVE, &sign_up.params())?;
        return Ok(sign_up.answer(None, None, None));
    }
    // Who confirms again goes on where they were.
    let is_first = sign_up.status == SignUpStatus::Waiting;
    sign_up.status = SignUpStatus::Confirmed;
    let (client, is_new) = sign_up.client(cx)?;
    sign_up.client_id = Some(client.client_id);
    cx.defer(SAVE, &sign_up.params())?;
    let outcome = sign_up.outcome(&client);
    let (mut invitation, mut held) = (None, None);
    if is_first {
        sign_up.note(cx, &client)?;
        if is_new || sign_up.message.is_some() {
            sign_up.tell_managers(cx, &client)?;
        }
    }
    if outcome == SignUpOutcome::Password {
        let site = Site::of(cx)?;
        if is_new {
            for form in &site.newcomer_form_ids.0 {
                cx.forms()?.assign(cx, client.client_id, *form)?;
            }
        }
        if let Some(class) = sign_up.choice.0.calendar_event_id.filter(|_| is_first) {
            let until = cx.now().plus_seconds(60 * site.hold_minutes);
            // A class that cannot be booked is told on the page that follows.
            let is_held = match cx.seats()?.check_open(cx, class, client.client_id) {
                Ok(()) => cx.seats()?.hold(cx, class, client.client_id, until)?,
                Err(problem) if problem.status < 500 => false,
                Err(problem) => return Err(problem),
            };
            held = is_held.then_some(until);
        }
        invitation = Some(onboarding::invite_confirmed(cx, &client)?);
    }
    Ok(sign_up.answer(Some(outcome), invitation, held))
}

impl SignUp {
    fn answer(
        self,
        outcome: Option<SignUpOutcome>,
        invitation: Option<Invitation>,
        seat_held_until: Option<Timestamp>,
    ) -> ConfirmedSignUpAnswer {
        ConfirmedSignUpAnswer {
            sign_up: ConfirmedSignUp {
                sign_up_id: self.sign_up_id,
                status: self.status,
                attempts_left: ATTEMPTS_MAX - self.attempts,
                outcome,
                choice: self.choice.0,
                seat_held_until,
            },
            invitation,
        }
    }

    /// The client with the confirmed address, and whether they are new.
    fn client(&self, cx: &mut Write) -> Result<(Client, bool)> {
        let known = match self.client_id {
            Some(id) => Client::find_optional(cx, id)?,
            None => match accounts::client_of(cx, &self.email)? {
                Some(id) => Client::find_optional(cx, id)?,
                None => Client::by_email(cx, &self.email)?,
            },
        };
        if let Some(known) = known {
            return Ok((known, false));
        }
        let policy = Site::of(cx)?.sign_up_policy;
        // A message opens no door that the policy closes.
        let waits = policy != SignUpPolicy::Open;
        let parsed =
            |text: &str| Name::parse(text).map_err(|_| Problem::internal("a name was stored"));
        let new = NewClient {
            last_name: self.last_name.as_deref().map(parsed).transpose()?,
            email: Email::parse(&self.email),
            phone: self.phone.as_deref().and_then(Phone::parse),
            language: self.language.as_deref().and_then(Language::parse),
            source: Text::parse("Public site").ok(),
            relationship_status: waits.then_some(StartingRelationship::Pending),
            ..NewClient::with_name(parsed(&self.first_name)?)
        };
        Ok((profile::create(cx, new)?, true))
    }

    fn outcome(&self, client: &Client) -> SignUpOutcome {
        match client.portal_access_status {
            _ if self.choice.0.is_contact() => SignUpOutcome::Answer,
            _ if client.is_archived() => SignUpOutcome::Review,
            PortalAccessStatus::Active => SignUpOutcome::SignIn,
            // The address that was confirmed is no longer theirs.
            _ if client.email() != Some(&self.email) => SignUpOutcome::Review,
            PortalAccessStatus::None | PortalAccessStatus::Invited if client.is_active() => {
                SignUpOutcome::Password
            }
            _ => SignUpOutcome::Review,
        }
    }

    /// Keeps what they wrote where staff read about them.
    fn note(&self, cx: &mut Write, client: &Client) -> Result<()> {
        let Some(message) = &self.message else { return Ok(()) };
        let body = Text::parse(message).map_err(|_| Problem::internal("a message was stored"))?;
        notes::write_note(cx, client.client_id, NewNote { title: None, body }).map(drop)
    }

    /// Writes to managers about a new client.
    fn tell_managers(&self, cx: &mut Write, client: &Client) -> Result<()> {
        let (name, place) = (client.name(), format!("/console/clients/{}", client.client_id));
        let chosen = match self.choice.0.calendar_event_id {
            Some(class) => match cx.seats()?.describe(cx, class) {
                Ok(class) => Some(class),
                Err(problem) if problem.status < 500 => None,
                Err(problem) => return Err(problem),
            },
            None => None,
        };
        let message = self.message.clone().into_iter().chain(chosen).collect::<Vec<_>>().join("\n");
        let message = if message.is_empty() { "–" } else { &message };
        for manager in Coach::managers(cx)? {
            let letter = Letter::SignUpReceived { client: &name, message, place: &place };
            spotter_mail::send(cx, manager.recipient(), client.client_id, &letter)?;
        }
        Ok(())
    }
}

listed!(SignUps { sign_ups: SignUp });

filters! {
    struct Filters {
        /// Sign-ups with this status.
        status: SignUpStatus => "status = ?";
        /// Sign-ups at or after this instant.
        from: Timestamp => "created_at >= ?";
    }
}

fn list_sign_ups(cx: &mut Read, ListQuery(wanted, page): ListQuery<Filters>) -> Result<SignUps> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now.plus_days(-KEPT_DAYS)])
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_sign_ups", "Delete old sign-ups at public sites", prune)];

const TRACES: &[ErasureRule] = &[ErasureRule::gone("sign_up", ErasureAction::By(FORGET_CLIENT))];

/// What confirming an address announces.
const CONFIRMS: &[Event] = &[
    Event::ClientCreated,
    Event::ClientInvited,
    Event::ClientPortalAccessChanged,
    Event::ClientNoteCreated,
    Event::FormAssigned,
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .repeats(REPEATING)
        .erases(TRACES)
        .operations([
            operation!(GET "/sign-ups", ClientsRead, list_sign_ups)
                .summary("List sign-ups")
                .describe(
                    "Returns who signed up at the public site in the last 90 days, newest first, \
                     with what they chose and whether they confirmed their address.",
                ),
            operation!(visitor POST "/site/{slug}/sign-ups", create_sign_up)
                .summary("Sign up")
                .describe(
                    "Mails a code to the address. The answer is the same whether or not the \
                     address is known, and nothing is held until it is confirmed. At most three \
                     letters an hour go to one address.",
                )
                .created()
                .fails(&[Key::ApiError, Key::RateLimitExceeded]),
            operation!(visitor POST "/site/{slug}/sign-ups/{signUpId}/confirm", confirm_sign_up)
                .summary("Confirm a sign-up")
                .describe(
                    "Takes the mailed code. A wrong one counts and leaves the sign-up waiting; \
                     after five it is 404. The right one makes a client of the stranger, or \
                     recognises the one who has the address; `outcome` says how it goes on. A \
                     seat of the chosen class is held for some minutes.",
                )
                .emits(CONFIRMS)
                .always(&[])
                .hands_over(&["invitation.token"])
                .fails(&[Key::ApiError]),
        ])
        .tagged("Public site")
}

lists! {
    /// Every sign-up, the newest first.
    LIST: List<SignUp, Filters> = List::new("sign_up WHERE company_id = ?1", "sign_up_id DESC");
}

statements! {
    FIND = "SELECT ", SignUp::COLUMNS, " FROM sign_up WHERE company_id = ?1 AND sign_up_id = ?2";
    INSERT = "INSERT INTO sign_up ", values!(SignUp);
    SAVE = "UPDATE sign_up SET ", set!(SignUp), " WHERE company_id = ?1 AND sign_up_id = ?2";
    COUNT_SINCE = "SELECT COUNT(*) FROM sign_up WHERE company_id = ?1 AND sign_up_id >= ?2";
    COUNT_OF_ADDRESS = "SELECT COUNT(*) FROM sign_up WHERE company_id = ?1 AND email = ?2 AND sign_up_id >= ?3";
    PRUNE = "DELETE FROM sign_up WHERE (company_id, sign_up_id) IN \
        (SELECT company_id, sign_up_id FROM sign_up WHERE expires_at <= ?1 LIMIT 500)";
    FORGET_CLIENT = "DELETE FROM sign_up WHERE company_id = ?1 AND client_id = ?2";
}

#[cfg(test)]
mod tests {
    use spotter_kernel::Entropy;

    use super::*;

    struct OneByte(u8);

    impl Entropy for OneByte {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn a_code_has_six_digits() {
        for byte in 0..=255 {
            let code = new_code(&OneByte(byte));
            assert!(code.len() == 6 && code.bytes().all(|c| c.is_ascii_digit()), "{code}");
        }
    }

    #[test]
    fn names_are_no_links() {
        for link in ["Win at http://evil.example", "www.evil.example", "HTTPS://x"] {
            assert!(reads_as_link(link), "{link}");
        }
        assert!(!reads_as_link("Nia van der Wal-Smit"));
    }

    #[test]
    fn one_thing_is_chosen() {
        let id = Some(Id::first_at(Timestamp::from_millis(1)));
        let class = SignUpChoice { calendar_event_id: id, ..SignUpChoice::default() };
        assert!(class.check().is_ok() && SignUpChoice::default().check().is_ok());
        assert!(SignUpChoice { product_id: id, ..class }.check().is_err());
    }
}
