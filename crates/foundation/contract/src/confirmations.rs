//! Previews and confirmations: the effects of an assistant's action are shown before it, and the action must have
//! exactly these. A preview is the operation itself, run and rolled back, so there is no second rule that could
//! differ. Its token confirms one call: this operation, this caller, these arguments, as long as the effects are the
//! same.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use schemars::JsonSchema;
use serde::Serialize;
use spotter_kernel::{Phrase, Problem, Result, Rule, Timestamp, phrases, secret::random_text};
use spotter_store::{Tx, params, statements};

use crate::{caller::Caller, context::Env, timers::Repeating, vault};

/// Seconds for which a preview can be confirmed.
const CONFIRM_SECONDS: i64 = 300;

/// The effects of an operation, as sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EffectPreview {
    /// What happens, a sentence each.
    pub(crate) effects: Vec<Phrase>,
    /// Whether an effect takes something from others.
    pub(crate) is_harmful: bool,
    /// Which people are notified.
    pub(crate) recipients: Vec<Phrase>,
    /// Which events are announced, and to how many webhooks each.
    pub(crate) events: Vec<(&'static str, usize)>,
    /// When what it is about was last changed.
    pub(crate) as_of: Vec<Timestamp>,
}

/// What an operation would do, and what confirms it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// What will happen, a sentence each.
    pub happens: Vec<String>,
    /// Who will hear of it.
    pub tells: Vec<String>,
    /// Whether it takes something from others.
    #[serde(skip)]
    pub is_harmful: bool,
    /// Goes with the call that does it.
    pub confirm_token: String,
    /// Instant at which the key expires.
    pub expires_at: Timestamp,
}

/// The step of a confirmed operation.
#[derive(Clone, Debug)]
pub enum ConfirmationStep {
    /// Preview: the effects are stored here, because the transaction is rolled back.
    Preview(Arc<Mutex<Option<EffectPreview>>>),
    /// Execution, with the confirmation token if there is one.
    Confirmed(Option<String>),
}

/// A request of an operation that needs confirmation.
#[derive(Clone, Debug)]
pub struct ConfirmationRequest {
    /// The step.
    pub wanted: ConfirmationStep,
    /// Identifies the call: the operation and its arguments.
    pub fingerprint: [u8; 32],
}

impl ConfirmationRequest {
    /// A preview of a call.
    pub fn preview(fingerprint: [u8; 32]) -> Self {
        Self { wanted: ConfirmationStep::Preview(Arc::default()), fingerprint }
    }

    /// Refuses an unconfirmed call before anything is done.
    pub(crate) fn refuse_unconfirmed(&self) -> Result<()> {
        match &self.wanted {
            ConfirmationStep::Confirmed(None) => Err(required(Rule::ConfirmationRequired)),
            ConfirmationStep::Confirmed(Some(_)) => Ok(()),
            // The transaction may run again.
            ConfirmationStep::Preview(place) => {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = None;
                Ok(())
            }
        }
    }

    /// Ends the transaction of a preview, which is rolled back, or confirms its effects.
    pub(crate) fn finish(
        &self,
        tx: &mut Tx<'_>,
        env: &Env,
        caller: &Caller,
        preview: EffectPreview,
    ) -> Result<()> {
        match &self.wanted {
            ConfirmationStep::Preview(place) => {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(preview);
                Err(Problem::internal("a preview is rolled back"))
            }
            ConfirmationStep::Confirmed(None) => self.refuse_unconfirmed(),
            ConfirmationStep::Confirmed(Some(token)) => {
                self.confirm(tx, env.clock.now(), caller, token, &preview)
            }
        }
    }

    /// Uses a token, if it belongs to this call and the effects are unchanged.
    fn confirm(
        &self,
        tx: &mut Tx<'_>,
        now: Timestamp,
        caller: &Caller,
        token: &str,
        preview: &EffectPreview,
    ) -> Result<()> {
        type Kept = (Vec<u8>, Vec<u8>, Timestamp);
        let (company, token) = (caller.company, vault::digest_of(token.as_bytes()));
        let kept: Option<Kept> = tx.one(FIND, params![company, token])?;
        let (_, output, expires_at) = kept
            .filter(|(call, ..)| *call == self.call(caller))
            .ok_or_else(|| required(Rule::ConfirmationUnknown))?;
        if expires_at <= now || output != digest(preview)? {
            return Err(confirmation_refusal("confirmation_stale", Rule::ConfirmationExpired));
        }
        tx.defer(USE, params![company, token])
    }

    /// The effects, and a token that confirms them; nothing if the operation was refused.
    pub fn store(&self, tx: &mut Tx<'_>, env: &Env, caller: &Caller) -> Result<Option<Preview>> {
        let ConfirmationStep::Preview(place) = &self.wanted else { return Ok(None) };
        let found = place.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(preview) = found else { return Ok(None) };
        let confirm_token = random_text(&*env.entropy);
        let expires_at = env.clock.now().plus_seconds(CONFIRM_SECONDS);
        let (call, output) = (self.call(caller), digest(&preview)?);
        let token = vault::digest_of(confirm_token.as_bytes());
        tx.defer(KEEP, params![caller.company, token, call, output, expires_at])?;
        let in_language = |phrases: Vec<Phrase>| -> Vec<String> {
            phrases.iter().map(|phrase| phrase.text(caller.locale).to_owned()).collect()
        };
        let EffectPreview { effects, recipients, events, is_harmful, .. } = preview;
        let webhooks = webhook_effect(&events).map(Phrase::from);
        let happens = deduplicate(in_language(effects));
        let mut tells = deduplicate(in_language(recipients));
        tells.extend(in_language(webhooks.into_iter().collect()));
        Ok(Some(Preview { happens, tells, is_harmful, confirm_token, expires_at }))
    }

    /// The call and who makes it.
    fn call(&self, caller: &Caller) -> Vec<u8> {
        let through = caller.delegation.as_ref().map(|delegation| delegation.through.to_string());
        let actor = caller.actor.id().map(|id| id.to_string());
        let who = format!("{} {}", actor.unwrap_or_default(), through.unwrap_or_default());
        vault::digest_of(&[who.as_bytes(), &self.fingerprint].concat()).to_vec()
    }
}

fn digest(preview: &EffectPreview) -> Result<Vec<u8>> {
    let text = serde_json::to_vec(preview).map_err(Problem::internal)?;
    Ok(vault::digest_of(&text).to_vec())
}

fn required(rule: Rule) -> Problem {
    confirmation_refusal("confirmation_required", rule)
}

/// A refusal with a reason beside its key.
fn confirmation_refusal(reason: &str, rule: Rule) -> Problem {
    let mut problem = Problem::conflict("confirmToken", rule);
    if let Some(details) = &mut problem.details {
        details["reason"] = reason.into();
    }
    problem
}

pub(crate) const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_confirmations", "Delete expired previews", |tx, now| {
        tx.execute(FORGET, params![now])
    })];

phrases! {
    /// Which webhooks an operation reaches; people come first, and are named one by one.
    enum WebhookEffect {
        NoneListens
            "No webhook listens for it."
            "Geen webhook luistert hiernaar."
            "Kein Webhook hört darauf."
        Sent { events: String }
            "Webhooks receive {events}."
            "Webhooks ontvangen {events}."
            "Webhooks erhalten {events}."
    }
}

fn webhook_effect(events: &[(&'static str, usize)]) -> Option<WebhookEffect> {
    let heard: BTreeSet<&str> =
        events.iter().filter(|(_, hooks)| *hooks > 0).map(|(event, _)| *event).collect();
    match (events.is_empty(), heard.is_empty()) {
        (true, _) => None,
        (false, true) => Some(WebhookEffect::NoneListens),
        (false, false) => {
            let events = heard.into_iter().collect::<Vec<_>>().join(", ");
            Some(WebhookEffect::Sent { events })
        }
    }
}

/// Sentences without duplicates, in order; repeated ones with their number.
fn deduplicate(sentences: Vec<String>) -> Vec<String> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for sentence in sentences {
        match all.iter_mut().find(|(own, _)| *own == sentence) {
            Some((_, times)) => *times += 1,
            None => all.push((sentence, 1)),
        }
    }
    let output = |(sentence, times)| match times {
        1 => sentence,
        times => format!("{sentence} (×{times})"),
    };
    all.into_iter().map(output).collect()
}

statements! {
    FIND = "SELECT call, told, expires_at FROM confirmation WHERE company_id = ?1 AND digest = ?2";
    USE = "DELETE FROM confirmation WHERE company_id = ?1 AND digest = ?2";
    KEEP = "INSERT INTO confirmation (company_id, digest, call, told, expires_at) \
        VALUES (?1, ?2, ?3, ?4, ?5)";
    FORGET = "DELETE FROM confirmation WHERE (company_id, digest) IN (SELECT company_id, digest \
        FROM confirmation WHERE expires_at <= ?1 ORDER BY expires_at LIMIT 500)";
}
