//! Signing up: a stranger leaves a name and an address at the public site, confirms the address by a mailed code, and
//! becomes a client. Until then nothing is kept for them but the sign-up itself, and its answer never tells whether the
//! address is known.

mod confirmation;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::site::{SignUpPolicy, Site, SitePath};
use spotter_contract::{
    Area, Body, ErasureAction, ErasureRule, ListQuery, Path, Read, Repeating, Write, answer,
    listed, operation,
};
use spotter_kernel::{
    Entropy, Id, Key, Problem, Result, Timestamp,
    id::{ClientId, CoachId},
    id_type,
    text::{Email, Language, Name, Phone, Text},
};
use spotter_mail::{Letter, Recipient};
use spotter_store::{
    Json, List, Tx, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use crate::rules::PeopleRule;

id_type!(
    /// A sign-up.
    SignUpId,
    RequestInvalid
);
stored_ids!(SignUpId);

/// How long a code is good.
const CODE_SECONDS: i64 = 3_600;
/// Most letters to one address within [`CODE_SECONDS`].
const LETTERS_MAX: i64 = 3;
/// Most sign-ups of a company within an hour, from all addresses together: each has a letter sent.
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
    let is_marked = ["://", "www.", "http"].iter().any(|part| name.contains(part));
    // Mail programs make a link of what has letters on both sides of a dot, or of a sign that looks like one.
    let mut parts = name.split(['.', '\u{2024}', '\u{3002}', '\u{ff0e}', '\u{ff61}']);
    let mut before = parts.next().unwrap_or_default();
    let is_host = parts.any(|after| {
        let letters = after.chars().take_while(|c| c.is_alphabetic()).count();
        let is_host = before.ends_with(char::is_alphanumeric) && letters > 1;
        before = after;
        is_host
    });
    is_marked || is_host
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
        ])
        .with(confirmation::area())
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

    #[test]
    fn names_that_mail_programs_make_links_of_are_refused() {
        for name in
            ["evil.com", "evil。com click", "evil․com/win", "see http:x", "WWW.x", "a1.example"]
        {
            assert!(reads_as_link(name), "{name}");
        }
        for name in ["J.R.", "Mary-Ann", "O'Brien jr.", "St. John", "Dr.  No", "A.B. Cee", "李小龍"]
        {
            assert!(!reads_as_link(name), "{name}");
        }
    }
}
