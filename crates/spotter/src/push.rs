//! Showing notifications: those of the areas are handed to the push services of browsers, as a job.

use reqwest::Client;
use spotter_contract::{
    Env, Job,
    jobs::{ClaimedJob, JobOutcome},
};
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_kernel::Result;
use spotter_push::{sender::PushSender, vapid::VapidKey};
use spotter_store::Db;

/// Requests to push services at once.
const AT_ONCE: usize = 16;

/// What hands notifications to push services.
#[derive(Clone)]
pub struct Pusher {
    /// The database.
    pub db: Db,
    /// The key.
    pub env: Env,
    /// What makes the requests.
    pub sender: PushSender,
}

impl Pusher {
    /// What signs with the installation's key, in the name of whom letters come from, over connections to checked
    /// addresses.
    pub fn new(db: &Db, env: &Env, client: Client) -> Result<Self> {
        let contact = match &*env.mail_sender {
            "" => "mailto:postmaster@localhost".to_owned(),
            sender => format!("mailto:{sender}"),
        };
        let (networks, key) = (env.private_networks.clone(), VapidKey::of(&env.vault)?);
        let sender = PushSender::new(client, networks, key, contact.into());
        Ok(Self { db: db.clone(), env: env.clone(), sender })
    }

    async fn send(self, held: ClaimedJob) -> JobOutcome {
        let vault = self.env.vault.clone();
        let due = self.db.read(move |tx| {
            spotter_push::due(tx, |sealed| vault.open(sealed), held.company, held.subject)
        });
        match due.await {
            Ok(Some((shown, browser))) => {
                self.sender.send(&shown, &browser, self.env.clock.now()).await
            }
            // The client ended it meanwhile.
            Ok(None) => JobOutcome::Done,
            Err(problem) => JobOutcome::Failed(problem.to_string()),
        }
    }
}

impl Worker for Pusher {
    fn job(&self) -> &'static Job {
        &spotter_push::SEND
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        Box::pin(self.clone().send(held.clone()))
    }
}
