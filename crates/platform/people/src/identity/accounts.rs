//! Accounts of coaches and clients: invitations, passwords, and who an e-mail address may be.

use argon2::{Argon2, PasswordHasher, PasswordVerifier, password_hash::phc::PasswordHash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Effect, Offboarding, Read, Repeating, Write, vault};
use spotter_kernel::{
    Entropy, Id, Key, Problem, Result, Rule, Timestamp,
    id::{ClientId, CoachId, CompanyId},
    limits::{INVITATION_SECONDS, PASSWORD_LENGTH, PASSWORD_RESET_SECONDS},
    problem::refuse,
    secret::{Credential, CredentialKind, EnvironmentMode},
};
use spotter_store::{Tx, params, record, statements, words};

use super::{second_step, sessions};
use crate::{clients, coaches::Coach, effects::PeopleEffect, rules::PeopleRule};
use spotter_mail::{Letter, LetterKind};

words! {
    /// The owner of an account.
    pub enum Subject { Coach = "coach", Client = "client" }
}

words! {
    /// What a token that sets a password is for.
    enum Purpose { Invitation = "invitation", Reset = "reset", Address = "address" }
}

record! {
    /// An account that an e-mail address may sign in to.
    #[derive(Clone, Debug)]
    pub struct Account {
        /// Its company.
        pub company_id: CompanyId,
        /// The owner.
        pub subject: Subject,
        /// The coach's or the client's record.
        pub subject_id: Id,
        /// The address that signs in, which its holder has confirmed.
        pub email: String,
        /// The password's argon2id hash in PHC form.
        pub password: Option<String>,
    }
}

/// A password as it was typed; never shown, never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

impl<'de> Deserialize<'de> for Password {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| refuse(Key::RequestInvalid, Self::RULE))
    }
}

impl Password {
    /// How long one is.
    pub const RULE: PeopleRule = PeopleRule::PasswordLength;

    /// A password that is long enough and not too long.
    pub fn parse(text: &str) -> Option<Self> {
        PASSWORD_LENGTH.contains(&text.chars().count()).then(|| Self(text.to_owned()))
    }

    /// A password as typed at sign-in, of any length.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Hashes it with argon2id (RFC 9106, the library's recommended costs). Takes tens of
    /// milliseconds of one core: never inside a transaction, never on the async runtime.
    pub fn hash(&self, entropy: &dyn Entropy) -> Result<String> {
        let mut salt = [0; 16];
        entropy.fill(&mut salt);
        let hashed = Argon2::default().hash_password_with_salt(self.0.as_bytes(), &salt);
        hashed.map(|hash| hash.to_string()).map_err(Problem::internal)
    }

    /// Whether it is the password of this hash; as slow as [`Password::hash`].
    pub fn matches(&self, hash: &str) -> bool {
        PasswordHash::new(hash)
            .is_ok_and(|hash| Argon2::default().verify_password(self.0.as_bytes(), &hash).is_ok())
    }
}

/// The most accounts that one address is tried against at a sign-in.
const CANDIDATES_MAX: usize = 8;

/// The accounts that an address may sign in to. That there is none is not said while companies cannot be asked.
pub fn candidates(tx: &mut Tx, email: &str, company: Option<CompanyId>) -> Result<Vec<Account>> {
    let mut found: Vec<Account> = match company {
        Some(company) => tx.all(CANDIDATES_OF, params![company, email.to_lowercase()])?,
        None => tx.across_companies(CANDIDATES, params![email.to_lowercase()])?,
    };
    if company.is_none() && found.is_empty() {
        tx.need_all_servers()?;
    }
    found.truncate(CANDIDATES_MAX);
    Ok(found)
}

/// The account of a coach or a client.
pub fn find(tx: &mut Tx, company: CompanyId, subject: Subject, id: Id) -> Result<Option<Account>> {
    tx.one(FIND, params![company, subject, id])
}

/// The same, of the caller's company.
pub fn of_person(cx: &mut Read, subject: Subject, id: Id) -> Result<Option<Account>> {
    cx.one(FIND, params![subject, id])
}

/// Sets the password of an account. Links that would set another are void.
pub fn set_password(cx: &mut Write, subject: Subject, id: Id, hash: &str) -> Result<()> {
    forget_tokens(cx, subject, id, Purpose::Reset)?;
    cx.set_audit_target(subject.word(), id, ["password"]);
    let now = cx.now();
    cx.defer(SET_PASSWORD, params![subject, id, hash, now])
}

/// Asks the owner of an account to confirm an address that others have written into their record. Until then the
/// sign-in address stays, and is notified of the change. Earlier links become invalid.
pub fn request_address(
    cx: &mut Write,
    subject: Subject,
    id: Id,
    to: spotter_mail::Recipient<'_>,
) -> Result<()> {
    void_tokens(cx, subject, id)?;
    let account = of_person(cx, subject, id)?;
    let Some(account) = account.filter(|account| account.email != to.email) else { return Ok(()) };
    if spotter_mail::sent_lately(cx, LetterKind::AddressChanged, id, LATELY_SECONDS)? >= LETTERS_MAX
    {
        return Err(Problem::conflict("email", PeopleRule::AddressChangedTooOften));
    }
    check_is_free(cx, subject, id, to.email)?;
    let (token, _) = new_token(cx, subject, id, Purpose::Address)?;
    spotter_mail::send(cx, to, id, &Letter::AddressConfirmation { token: token.expose() })?;
    let old = spotter_mail::Recipient { email: &account.email, ..to };
    spotter_mail::send(cx, old, id, &Letter::AddressChanged { address: to.email })
}

/// The account that a link belongs to which confirms an address, if it is open.
pub fn to_confirm(cx: &mut Read, token: &Credential) -> Result<Option<Account>> {
    let Some((subject, id)) = open_token(cx, token, Purpose::Address)? else { return Ok(None) };
    of_person(cx, subject, id)
}

/// Makes the recorded address the sign-in address: its reader has the link, and the owner the password, which is
/// checked before.
pub fn confirm_address(cx: &mut Write, token: &Credential) -> Result<()> {
    let invalid = || Problem::invalid("token", Rule::LinkClosed);
    let (subject, id) = open_token(cx, token, Purpose::Address)?.ok_or_else(invalid)?;
    let email = match subject {
        Subject::Coach => Some(Coach::find(cx, CoachId(id))?.email().to_owned()),
        Subject::Client => {
            clients::record::Client::find(cx, ClientId(id))?.email().map(str::to_owned)
        }
    };
    let email = email.ok_or_else(invalid)?;
    check_is_free(cx, subject, id, &email)?;
    forget_tokens(cx, subject, id, Purpose::Address)?;
    cx.set_audit_target(subject.word(), id, ["signInEmail"]);
    if subject == Subject::Client {
        clients::timeline::NewStep::new(clients::timeline::StepType::SignInAddressConfirmed)
            .record(cx, ClientId(id))?;
    }
    let now = cx.now();
    cx.defer(RENAME, params![subject, id, email, now])
}

/// Refuses an address with which another account of the company signs in.
fn check_is_free(cx: &mut Read, subject: Subject, id: Id, email: &str) -> Result<()> {
    let holder: Option<(Id,)> = cx.one(HOLDER, params![subject, email])?;
    match holder.is_some_and(|(holder,)| holder != id) {
        true => Err(Problem::conflict("email", PeopleRule::AddressTaken)),
        false => Ok(()),
    }
}

/// The client who signs in with an address.
pub fn client_of(cx: &mut Read, email: &str) -> Result<Option<ClientId>> {
    let holder: Option<(Id,)> = cx.one(HOLDER, params![Subject::Client, email])?;
    Ok(holder.map(|(id,)| ClientId(id)))
}

/// Removes an account and everything that could restore it.
pub fn close_account(cx: &mut Write, subject: Subject, id: Id) -> Result<()> {
    cx.defer(CLOSE, params![subject, id])?;
    second_step::forget(cx, subject, id)?;
    void_tokens(cx, subject, id).map(drop)
}

/// Invalidates every token of a person; returns their number.
fn void_tokens(cx: &mut Write, subject: Subject, id: Id) -> Result<u64> {
    let mut void = 0;
    for purpose in [Purpose::Invitation, Purpose::Reset, Purpose::Address] {
        void += forget_tokens(cx, subject, id, purpose)?;
    }
    Ok(void)
}

/// Invalidates tokens and cancels unsent mail that contains them; returns their number.
fn forget_tokens(cx: &mut Write, subject: Subject, id: Id, purpose: Purpose) -> Result<u64> {
    let kind = match (purpose, subject) {
        (Purpose::Invitation, Subject::Coach) => LetterKind::CoachInvitation,
        (Purpose::Invitation, Subject::Client) => LetterKind::ClientInvitation,
        (Purpose::Reset, _) => LetterKind::PasswordReset,
        (Purpose::Address, _) => LetterKind::AddressConfirmation,
    };
    let void = cx.execute(FORGET_TOKENS, params![subject, id, purpose])?;
    if void > 0 {
        spotter_mail::take_back(cx, &spotter_mail::SEND, kind, id)?;
    }
    Ok(void)
}

/// An invitation; where the installation sends no mail, its token is passed on by hand.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// Email address of the invited person.
    pub email: String,
    /// Accepted at POST /app/v1/auth/invitations/accept. Shown this once, and only where the installation
    /// sends no mail.
    pub token: Option<String>,
    /// Instant at which the invitation expires.
    pub expires_at: Timestamp,
}

/// Makes a token that sets a password, in place of earlier ones for the same purpose; and until when.
fn new_token(
    cx: &mut Write,
    subject: Subject,
    id: Id,
    purpose: Purpose,
) -> Result<(Credential, Timestamp)> {
    forget_tokens(cx, subject, id, purpose)?;
    let (kind, seconds) = match purpose {
        Purpose::Invitation => (CredentialKind::Invitation, INVITATION_SECONDS),
        Purpose::Reset => (CredentialKind::PasswordReset, PASSWORD_RESET_SECONDS),
        Purpose::Address => (CredentialKind::AddressConfirmation, INVITATION_SECONDS),
    };
    let (token, expires_at) = (cx.new_credential(kind), cx.now().plus_seconds(seconds));
    cx.defer(KEEP_TOKEN, params![vault::digest(&token), subject, id, expires_at, purpose])?;
    Ok((token, expires_at))
}

/// The owner of a token, if it is valid.
fn open_token(
    cx: &mut Read,
    token: &Credential,
    purpose: Purpose,
) -> Result<Option<(Subject, Id)>> {
    type Found = (Subject, Id, Timestamp);
    let found: Option<Found> = cx.one(TOKEN, params![vault::digest(token), purpose])?;
    let now = cx.now();
    Ok(found.filter(|(.., expires_at)| *expires_at > now).map(|(subject, id, _)| (subject, id)))
}

/// Makes an invitation, which takes the place of earlier ones, and mails it.
pub fn invite(
    cx: &mut Write,
    subject: Subject,
    id: Id,
    to: spotter_mail::Recipient<'_>,
) -> Result<Invitation> {
    let kind = match subject {
        Subject::Coach => LetterKind::CoachInvitation,
        Subject::Client => LetterKind::ClientInvitation,
    };
    check_is_free(cx, subject, id, to.email)?;
    if spotter_mail::sent_lately(cx, kind, id, LATELY_SECONDS)? >= LETTERS_MAX {
        return Err(Problem::conflict("invitation", PeopleRule::MailedTooOften));
    }
    let (token, expires_at) = new_token(cx, subject, id, Purpose::Invitation)?;
    let letter = match subject {
        Subject::Coach => Letter::CoachInvitation { token: token.expose() },
        Subject::Client => Letter::ClientInvitation { token: token.expose() },
    };
    spotter_mail::send(cx, to, id, &letter)?;
    // The mail of a test environment is read by nobody.
    let is_shown = !spotter_mail::is_on(cx) || cx.mode() == EnvironmentMode::Test;
    let token = is_shown.then(|| token.expose().to_owned());
    Ok(Invitation { email: to.email.to_owned(), token, expires_at })
}

/// Makes an invitation, which takes the place of earlier ones, for a person who has just confirmed the address.
pub fn invite_confirmed(
    cx: &mut Write,
    subject: Subject,
    id: Id,
    email: &str,
) -> Result<Invitation> {
    check_is_free(cx, subject, id, email)?;
    let (token, expires_at) = new_token(cx, subject, id, Purpose::Invitation)?;
    let token = Some(token.expose().to_owned());
    Ok(Invitation { email: email.to_owned(), token, expires_at })
}

/// Accepts an invitation with a password's hash: creates the account or replaces its password, and marks the coach or
/// client as active.
pub fn accept(cx: &mut Write, token: &Credential, hash: &str) -> Result<(Subject, Id)> {
    let invalid = || Problem::invalid("token", Rule::InvitationClosed);
    let (subject, id) = open_token(cx, token, Purpose::Invitation)?.ok_or_else(invalid)?;
    let email = match subject {
        Subject::Coach => {
            Coach::activate(cx, CoachId(id))?;
            Coach::find(cx, CoachId(id))?.email().to_owned()
        }
        Subject::Client => clients::onboarding::open_portal(cx, ClientId(id))?,
    };
    check_is_free(cx, subject, id, &email)?;
    close_account(cx, subject, id)?;
    open_account(cx, subject, id, &email, hash)?;
    Ok((subject, id))
}

/// Creates an account with a password's hash for a person without one.
pub fn open_account(
    cx: &mut Write,
    subject: Subject,
    id: Id,
    email: &str,
    hash: &str,
) -> Result<()> {
    let now = cx.now();
    cx.set_audit_target(subject.word(), id, ["password"]);
    cx.defer(OPEN, params![subject, id, email, hash, now])
}

/// Whether a token can still be used: an invitation, or what sets a new password.
pub fn is_open(cx: &mut Read, token: &Credential) -> Result<bool> {
    let purpose = match token.kind {
        CredentialKind::Invitation => Purpose::Invitation,
        CredentialKind::PasswordReset => Purpose::Reset,
        CredentialKind::AddressConfirmation => Purpose::Address,
        _ => return Ok(false),
    };
    Ok(open_token(cx, token, purpose)?.is_some())
}

/// What sets a new password of an account, to be passed on by the installation's operator.
pub fn create_reset_link(
    cx: &mut Write,
    subject: Subject,
    id: Id,
) -> Result<(Credential, Timestamp)> {
    cx.set_audit_target(subject.word(), id, ["passwordReset"]);
    new_token(cx, subject, id, Purpose::Reset)
}

/// Most letters of a kind to one person within [`LATELY_SECONDS`].
const LETTERS_MAX: i64 = 3;
/// How long that is.
const LATELY_SECONDS: i64 = 15 * 60;

/// Mails a reset link to an account's owner; nothing to a person who may not sign in or was just sent several.
pub fn mail_reset(cx: &mut Write, subject: Subject, id: Id, email: &str) -> Result<()> {
    let lately = spotter_mail::sent_lately(cx, LetterKind::PasswordReset, id, LATELY_SECONDS)?;
    if lately >= LETTERS_MAX || sessions::admit(cx, subject, id, id).is_err() {
        return Ok(());
    }
    let name = match subject {
        Subject::Coach => Coach::find(cx, CoachId(id))?.first_name().to_owned(),
        Subject::Client => clients::record::Client::find(cx, ClientId(id))?.first_name().to_owned(),
    };
    let (token, _) = new_token(cx, subject, id, Purpose::Reset)?;
    cx.set_audit_target(subject.word(), id, ["passwordReset"]);
    let letter = Letter::PasswordReset { token: token.expose() };
    let client = matches!(subject, Subject::Client).then_some(ClientId(id));
    spotter_mail::send(
        cx,
        spotter_mail::Recipient { email, name: &name, language: None, client, signs_in: false },
        id,
        &letter,
    )
}

/// Sets a new password by a mailed link and the password's hash, and ends all sessions; returns the sign-in address.
pub fn reset(cx: &mut Write, token: &Credential, hash: &str) -> Result<Option<String>> {
    let open = open_token(cx, token, Purpose::Reset)?;
    let (subject, id) = open.ok_or_else(|| Problem::invalid("token", Rule::LinkClosed))?;
    set_password(cx, subject, id, hash)?;
    sessions::end_all(cx, subject, id)?;
    Ok(of_person(cx, subject, id)?.map(|account| account.email))
}

/// Deletes some tokens that have expired; how many.
pub fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING).ends(&[
        Effect::new(
            Offboarding::ClientArchived,
            || PeopleEffect::ClientInvitationsVoid.into(),
            |cx, id| void_tokens(cx, Subject::Client, id),
        ),
        Effect::new(
            Offboarding::CoachDeactivated,
            || PeopleEffect::CoachAccountClosed.into(),
            |cx, id| close_account(cx, Subject::Coach, id).map(|()| 1),
        ),
    ])
}

const REPEATING: &[Repeating] = &[Repeating::prune(
    "forget_invitations",
    "Delete expired invitations and password resets",
    prune,
)];

statements! {
    CANDIDATES = "SELECT ", Account::COLUMNS, " FROM account WHERE email = ?1 AND password IS NOT NULL \
        ORDER BY company_id, subject LIMIT 50";
    CANDIDATES_OF = "SELECT ", Account::COLUMNS, " FROM account \
        WHERE company_id = ?1 AND email = ?2 AND password IS NOT NULL ORDER BY subject LIMIT 50";
    FIND = "SELECT ", Account::COLUMNS, " FROM account \
        WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    SET_PASSWORD = "UPDATE account SET password = ?4, updated_at = ?5 \
        WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    RENAME = "UPDATE account SET email = ?4, updated_at = ?5 \
        WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    HOLDER = "SELECT subject_id FROM account WHERE company_id = ?1 AND subject = ?2 AND email = ?3";
    CLOSE = "DELETE FROM account WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3";
    OPEN = "INSERT INTO account (company_id, subject, subject_id, email, password, created_at, updated_at) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    KEEP_TOKEN = "INSERT INTO invitation (company_id, digest, subject, subject_id, expires_at, purpose) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    TOKEN = "SELECT subject, subject_id, expires_at FROM invitation \
        WHERE company_id = ?1 AND digest = ?2 AND purpose = ?3";
    PRUNE = "DELETE FROM invitation WHERE (company_id, digest) IN \
        (SELECT company_id, digest FROM invitation WHERE expires_at <= ?1 LIMIT 500)";
    FORGET_TOKENS = "DELETE FROM invitation WHERE company_id = ?1 AND subject = ?2 AND subject_id = ?3 \
        AND purpose = ?4";
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Salt;
    impl Entropy for Salt {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(7);
        }
    }

    #[test]
    fn passwords_are_hashed_with_argon2id() {
        let password = Password::new("correct horse".into());
        let hash = password.hash(&Salt).unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(password.matches(&hash));
        assert!(!Password::new("wrong horse!".into()).matches(&hash));
        assert!(!password.matches("not a hash"));
        assert!(serde_json::from_str::<Password>("\"short\"").is_err());
        assert!(!format!("{password:?}").contains("horse"));
    }
}
