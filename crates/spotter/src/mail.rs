//! Sending mail: what the areas have written is handed to the post, as a job.

use spotter_contract::{
    Env, Job,
    jobs::{Held, Outcome},
};
use spotter_core::mail::{self, Outgoing};
use spotter_delivery::{
    jobs::{Attempt, Worker},
    mail::{Message, Post},
};
use spotter_finance::billing::letters::SEND_INVOICE;
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
    /// Where it is handed in.
    pub post: Post,
    /// Which mail: of the kinds of jobs that send some.
    pub job: &'static Job,
}

/// The jobs that send mail.
pub const JOBS: [&Job; 2] = [&mail::SEND, &SEND_INVOICE];

impl Mailer {
    async fn send(self, held: Held) -> Outcome {
        let vault = self.env.vault.clone();
        let read = self.db.read(move |tx| {
            mail::outgoing(tx, |sealed| vault.open(sealed), held.company, held.subject)
        });
        let Outgoing { id, recipient, written, created_at } = match read.await {
            Ok(Some(outgoing)) => outgoing,
            Ok(None) => return Outcome::Refused("the message is not kept any more".to_owned()),
            Err(problem) => return Outcome::Failed(problem.to_string()),
        };
        let mail::Written { name, subject, text, html } = written;
        let written_at = created_at;
        self.post.send(&Message { id, recipient, name, subject, text, html, written_at }).await
    }
}

impl Worker for Mailer {
    fn job(&self) -> &'static Job {
        self.job
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn attempt(&self, held: &Held) -> Attempt {
        Box::pin(self.clone().send(held.clone()))
    }
}
