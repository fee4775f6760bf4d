//! Confirming a sign-up: the mailed code makes a client of the stranger, or recognises the one who has the address.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::site::{SignUpPolicy, Site};
use spotter_contract::{Area, Body, Path, Write, answer, operation, path};
use spotter_kernel::{
    Event, Key, Problem, Result, Timestamp,
    text::{Email, Language, Name, Phone, Slug, Text},
};
use spotter_mail::Letter;
use spotter_store::{params, words};

use super::{FIND, SAVE, SignUp, SignUpChoice, SignUpId, SignUpStatus, code_digest};
use crate::{
    clients::{
        notes::{self, NewNote},
        onboarding,
        profile::{self, NewClient, StartingRelationship},
        record::{Client, PortalAccessStatus},
    },
    coaches::Coach,
    identity::accounts::{self, Invitation},
};

/// How often a code may be typed wrongly.
const ATTEMPTS_MAX: i64 = 5;

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
                Ok(_) => cx.seats()?.hold(cx, class, client.client_id, until)?,
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

/// What confirming an address announces.
const CONFIRMS: &[Event] = &[
    Event::ClientCreated,
    Event::ClientInvited,
    Event::ClientPortalAccessChanged,
    Event::ClientNoteCreated,
    Event::FormAssigned,
];

/// The operation of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
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
}
