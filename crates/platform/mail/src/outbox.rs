//! Outgoing mail and its status.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Area, ErasureAction, ErasureRule, Job, ListQuery, Read, Repeating, Write,
    jobs::{self, AttemptResult, JobState, RetryPolicy},
    listed, operation,
};
use spotter_kernel::{
    Id, Problem, Result, Timestamp,
    id::{ClientId, CompanyId},
    id_type,
};
use spotter_push::Notification;
use spotter_store::{
    List, Tx, filters, lists, params, record, statements, stored_ids, values, words,
};

use super::letters::{Letter, LetterKind, RenderedLetter};
use crate::effects::MailEffect;
use spotter_company::{company::Company, site::Site};

id_type!(
    /// A message.
    MailId,
    RequestInvalid
);
stored_ids!(MailId);

words! {
    /// The status of a message: `bounced` where the recipient's server refused the address, `unknown` where it did
    /// not answer after it had the message, `cancelled` where its content does not hold any more.
    pub enum MailStatus {
        Waiting = "waiting",
        Sent = "sent",
        Bounced = "bounced",
        Failed = "failed",
        Unknown = "unknown",
        Cancelled = "cancelled",
    }
}

record! {
    /// A mail of the outbox, without its text.
    #[derive(Debug, Clone, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Mail {
        /// The message's id.
        mail_id: MailId,
        /// Which letter it is.
        kind: LetterKind,
        /// The address that it is for.
        recipient: String,
        /// Current status.
        status: MailStatus,
        /// Last error of sending.
        error: Option<String>,
        /// When it was created.
        created_at: Timestamp,
        /// When the recipient's server accepted it.
        sent_at: Option<Timestamp>,
    }
}

record! {
    /// A message that is still to be sent.
    struct SealedMail {
        mail_id: MailId,
        kind: LetterKind,
        recipient: String,
        about: Id,
        status: MailStatus,
        content: Option<Vec<u8>>,
        created_at: Timestamp,
        client_id: Option<ClientId>,
    }
}

/// The recipient of a message.
#[derive(Clone, Copy, Debug)]
pub struct Recipient<'r> {
    /// The address.
    pub email: &'r str,
    /// Display name.
    pub name: &'r str,
    /// The language in which they are written to; the company's where it is not known.
    pub language: Option<&'r str>,
    /// The client; `None` for a coach.
    pub client: Option<ClientId>,
    /// Whether they sign in to the clients' pages, where they choose what they get, and on which devices.
    pub signs_in: bool,
}

/// Whether messages are sent.
pub fn is_on(cx: &Read) -> bool {
    cx.sends_mail()
}

/// Sends a letter about a record, once this change is committed; nothing where the installation sends no
/// mail.
pub fn send(
    cx: &mut Write,
    to: Recipient<'_>,
    about: impl Into<Id>,
    letter: &Letter<'_>,
) -> Result<()> {
    send_by(cx, &SEND, to, about, letter)
}

/// The same by a job of an area, which learns of the outcome.
pub fn send_by(
    cx: &mut Write,
    job: &'static Job,
    to: Recipient<'_>,
    about: impl Into<Id>,
    letter: &Letter<'_>,
) -> Result<()> {
    let Some(links) = cx.env().mail_links.clone() else { return Ok(()) };
    describe_recipient(cx, to);
    let company = Company::find(cx)?;
    let color = Site::of(cx)?.accent_color;
    let language = to.language.unwrap_or(&company.language);
    let written = letter.write(language, &company.name, to, &links, color.as_deref());
    let content = serde_json::to_vec(&written).map_err(Problem::internal)?;
    let sealed = cx.env().vault.seal(&content, &*cx.env().entropy)?;
    let mail = SealedMail {
        mail_id: MailId(cx.new_id()),
        kind: letter.kind(),
        recipient: to.email.to_owned(),
        about: about.into(),
        status: MailStatus::Waiting,
        content: Some(sealed),
        created_at: cx.now(),
        client_id: to.client,
    };
    cx.defer(INSERT, &mail.params())?;
    if let Some(client) = to.client.filter(|_| to.signs_in && letter.kind().is_pushed()) {
        let url = match written.link {
            link if link.is_empty() => format!("{links}/my"),
            link => link,
        };
        let shown = Notification { title: company.name, body: written.subject, url };
        spotter_push::send(cx, client, &shown)?;
    }
    cx.begin_job(job, mail.mail_id)
}

/// Adds who is written to, where an operation is previewed.
pub fn describe_recipient(cx: &mut Write, to: Recipient<'_>) {
    cx.describe_recipient(|| MailEffect::MailSent { name: to.name.to_string() });
}

/// The number of letters of a kind about a record within a number of seconds.
pub fn sent_lately(cx: &mut Read, kind: LetterKind, about: Id, seconds: i64) -> Result<i64> {
    let since = Id::first_at(cx.now().plus_seconds(-seconds));
    let found: Option<(i64,)> = cx.one(COUNT_RECENT, params![about, kind, since])?;
    Ok(found.map_or(0, |(count,)| count))
}

/// Cancels unsent letters of a kind about a record.
pub fn take_back(
    cx: &mut Write,
    job: &'static Job,
    kind: LetterKind,
    about: impl Into<Id>,
) -> Result<()> {
    let about = about.into();
    let waiting: Vec<(MailId,)> =
        cx.all(TO_LEAVE, params![about, kind, MailStatus::Waiting, MailStatus::Unknown])?;
    for (mail,) in waiting {
        cx.defer(CANCEL, params![mail, MailStatus::Cancelled])?;
        cx.clear_job(job, mail)?;
    }
    Ok(())
}

/// Deletes the addresses of letters to a client. Unsent letters are cancelled: their content is deleted.
pub fn forget_client(cx: &mut Write, client: ClientId, email: Option<&str>) -> Result<()> {
    let (waiting, unknown) = (MailStatus::Waiting, MailStatus::Unknown);
    let left = params![waiting, unknown, MailStatus::Cancelled];
    // What mail servers answered names the address.
    cx.defer(FORGET_ANSWERS, params![client, SEND.id])?;
    cx.defer(FORGET_CLIENT, &[params![client].as_slice(), left].concat())?;
    match email {
        Some(email) => cx.defer(FORGET_RECIPIENT, &[params![email].as_slice(), left].concat()),
        None => Ok(()),
    }
}

/// Sending a message. Ten attempts over two days: servers that greylist, are full or are away come back
/// (RFC 5321, 4.5.4.1).
pub static SEND: Job =
    Job::new("send_mail", "Send mail to coaches and clients", RETRY_POLICY, on_finished);

/// How long a message is tried to be sent.
pub const RETRY_POLICY: RetryPolicy = RetryPolicy {
    lease_ms: 120_000,
    retries: &[60, 300, 900, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400],
};

/// What a message was about, and of which kind it was.
pub fn subject_of(cx: &mut Read, mail: Id) -> Result<Option<(LetterKind, Id)>> {
    cx.one(SUBJECT, params![mail])
}

/// A message as it is to be sent.
#[derive(Debug, Clone)]
pub struct OutgoingMail {
    /// The message id; the same in every attempt, so that a recipient can recognize a duplicate.
    pub id: Id,
    /// The address that it is for.
    pub recipient: String,
    /// Its content.
    pub written: RenderedLetter,
    /// What kind of letter it is.
    pub kind: LetterKind,
    /// Which record it is about.
    pub about: Id,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A message that is still to be sent.
pub fn outgoing(
    tx: &mut Tx<'_>,
    open: impl Fn(&[u8]) -> Result<Vec<u8>>,
    company: CompanyId,
    id: Id,
) -> Result<Option<OutgoingMail>> {
    let kept: Option<SealedMail> = tx.one(FIND, params![company, id])?;
    let Some(SealedMail { kind, about, recipient, content: Some(content), created_at, .. }) = kept
    else {
        return Ok(None);
    };
    let written = serde_json::from_slice(&open(&content)?).map_err(Problem::internal)?;
    Ok(Some(OutgoingMail { id, recipient, written, kind, about, created_at }))
}

/// Records the outcome of a message. Its content is deleted once it is not sent again.
pub fn on_finished(cx: &mut Write, id: Id, settled: &AttemptResult) -> Result<()> {
    let status = match (settled.state, settled.again_at) {
        (JobState::Done, _) => MailStatus::Sent,
        (JobState::Waiting, _) => MailStatus::Waiting,
        (JobState::Unknown, _) => MailStatus::Unknown,
        (JobState::Failed, _) if settled.is_refused() => MailStatus::Bounced,
        (JobState::Failed, _) => MailStatus::Failed,
    };
    let sent_at = (status == MailStatus::Sent).then(|| cx.now());
    let (error, is_over) = (settled.outcome.error(), settled.again_at.is_none());
    cx.defer(FINISH, params![id, status, error, sent_at, is_over, MailStatus::Cancelled])
}

/// Ends the messages that wait, in a database that was restored: they may have been sent since the
/// backup. Their jobs are ended beside them.
pub fn cancel_waiting(tx: &mut Tx<'_>, now: Timestamp, but: &Job) -> Result<u64> {
    tx.execute(PARK, params![MailStatus::Unknown, MailStatus::Waiting, jobs::PARKED])?;
    jobs::cancel_waiting(tx, now, but)
}

filters! {
    struct Filters {
        /// Messages in this status.
        status: MailStatus => "status = ?";
    }
}

listed!(Mails { mail: Mail });

fn list_mail(cx: &mut Read, ListQuery(wanted, page): ListQuery<Filters>) -> Result<Mails> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

/// Retention of messages' outcomes, in days.
const KEPT_DAYS: i64 = 90;

fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![Id::first_at(now.plus_days(-KEPT_DAYS))])
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_mail", "Delete mail that is three months old", prune)];

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::emptied(
    "mail",
    "That a letter was sent, for three months: without its address and text.",
    ErasureAction::AtOnce,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).jobs(&[&SEND]).erases(TRACES).repeats(REPEATING).operations(
        [operation!(app GET "/mail", Manager, list_mail).summary("List sent mail").describe(
            "Returns mail to coaches and clients, newest first, for three months. Contents \
                 are not stored.",
        )],
    )
}

lists! {
    /// The company's mail, newest first.
    LIST: List<Mail, Filters> = List::new("mail WHERE company_id = ?1", "mail_id DESC");
}

statements! {
    INSERT = "INSERT INTO mail ", values!(SealedMail);
    FORGET_CLIENT = "UPDATE mail SET recipient = '', content = NULL, error = NULL, \
        status = CASE WHEN status IN (?3, ?4) THEN ?5 ELSE status END \
        WHERE company_id = ?1 AND client_id = ?2";
    FORGET_ANSWERS = "UPDATE job SET error = NULL WHERE company_id = ?1 AND kind = ?3 AND error IS NOT NULL \
        AND subject IN (SELECT mail_id FROM mail WHERE company_id = ?1 AND client_id = ?2)";
    FORGET_RECIPIENT = "UPDATE mail SET recipient = '', content = NULL, error = NULL, \
        status = CASE WHEN status IN (?3, ?4) THEN ?5 ELSE status END \
        WHERE company_id = ?1 AND recipient = ?2";
    FIND = "SELECT ", SealedMail::COLUMNS, " FROM mail WHERE company_id = ?1 AND mail_id = ?2";
    SUBJECT = "SELECT kind, about FROM mail WHERE company_id = ?1 AND mail_id = ?2";
    FINISH = "UPDATE mail SET status = ?3, error = ?4, sent_at = ?5, \
        content = CASE WHEN ?6 THEN NULL ELSE content END \
        WHERE company_id = ?1 AND mail_id = ?2 AND (status <> ?7 OR ?3 = 'sent')";
    COUNT_RECENT = "SELECT COUNT(*) FROM mail WHERE company_id = ?1 AND about = ?2 AND kind = ?3 AND mail_id >= ?4";
    TO_LEAVE = "SELECT mail_id FROM mail WHERE company_id = ?1 AND about = ?2 AND kind = ?3 \
        AND status IN (?4, ?5) AND content IS NOT NULL ORDER BY mail_id LIMIT 100";
    CANCEL = "UPDATE mail SET status = ?3, content = NULL WHERE company_id = ?1 AND mail_id = ?2";
    PARK = "UPDATE mail SET status = ?1, content = NULL, error = ?3 \
        WHERE status IN (?1, ?2) AND content IS NOT NULL";
    PRUNE = "DELETE FROM mail WHERE (company_id, mail_id) IN \
        (SELECT company_id, mail_id FROM mail WHERE mail_id < ?1 ORDER BY mail_id LIMIT 500)";
}
