//! Sending mail: messages of the areas are handed to a mail server, as a job.

use spotter_billing::billing::letters::{self, SEND_INVOICE};
use spotter_contract::{
    Actor, Caller, Env, File, Job, Read,
    jobs::{ClaimedJob, JobOutcome},
};
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_mail::{CalendarFile, OutgoingMail};
use spotter_outbound::smtp::{MailAttachment, MailMessage, Post};
use spotter_store::Db;

/// Connections to the mail server at once.
const AT_ONCE: usize = 4;

/// What sends mail.
#[derive(Clone)]
pub struct Mailer {
    /// The database.
    pub db: Db,
    /// The key.
    pub env: Env,
    /// The mail server.
    pub post: Post,
    /// Which mail: of the kinds of jobs that send some.
    pub job: &'static Job,
}

/// The jobs that send mail.
pub const JOBS: [&Job; 2] = [&spotter_mail::SEND, &SEND_INVOICE];

impl Mailer {
    async fn send(self, held: ClaimedJob) -> JobOutcome {
        let vault = self.env.vault.clone();
        let env = self.env.clone();
        let read = self.db.read(move |tx| {
            let (company, open) = (held.company, |sealed: &[u8]| vault.open(sealed));
            let Some(outgoing) = spotter_mail::outgoing(tx, open, company, held.subject)? else {
                return Ok(None);
            };
            let caller = Caller::new(company, Actor::System);
            let mut cx = Read::new(tx, &caller, env.clock.now()).with_env(&env);
            let files = letters::attachments(&mut cx, outgoing.kind, outgoing.about)?;
            Ok(Some((outgoing, files)))
        });
        let (OutgoingMail { id, recipient, written, created_at, .. }, files) = match read.await {
            Ok(Some(outgoing)) => outgoing,
            Ok(None) => return JobOutcome::Refused("the message is not kept any more".to_owned()),
            Err(problem) => return JobOutcome::Failed(problem.to_string()),
        };
        let spotter_mail::RenderedLetter { name, subject, text, html, calendars, .. } = written;
        let written_at = created_at;
        let attached = |File { name, media_type, content }| MailAttachment {
            name,
            media_type,
            bytes: content,
        };
        let files = files.into_iter().map(attached);
        let attachments = files.chain(calendars.into_iter().enumerate().map(entry)).collect();
        let message =
            MailMessage { id, recipient, name, subject, text, html, attachments, written_at };
        self.post.send(&message).await
    }
}

/// An entry for the recipient's calendar, as a file.
fn entry((number, file): (usize, CalendarFile)) -> MailAttachment {
    let media_type = match file.method.as_str() {
        "CANCEL" => "text/calendar; charset=utf-8; method=CANCEL",
        _ => "text/calendar; charset=utf-8; method=REQUEST",
    };
    let name = format!("booking-{}.ics", number + 1);
    MailAttachment { name, media_type, bytes: file.content.into_bytes() }
}

impl Worker for Mailer {
    fn job(&self) -> &'static Job {
        self.job
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        Box::pin(self.clone().send(held.clone()))
    }
}
