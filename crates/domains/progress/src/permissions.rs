//! Who writes what of a client's progress: staff all of it, and clients what they have begun themselves.

use spotter_contract::{Actor, Read};
use spotter_kernel::{Date, Id, Key, Problem, Result, id::ClientId};
use spotter_people::clients::Client;

use crate::rules::ProgressRule;

/// Refuses a client who would change another person's record; the rule names whose it must be.
pub fn check_own(cx: &Read, made_by: Option<Id>, rule: ProgressRule) -> Result<()> {
    let is_client = matches!(cx.caller().actor, Actor::Client { .. });
    match is_client && made_by != cx.caller().actor.id() {
        true => Err(Problem::because(Key::Forbidden, rule)),
        false => Ok(()),
    }
}

/// Which date it is where a client is.
pub fn today(cx: &mut Read, client: ClientId) -> Result<Date> {
    Client::find(cx, client)?.today(cx)
}
