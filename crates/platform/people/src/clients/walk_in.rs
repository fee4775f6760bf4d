//! The client who stands for walk-in customers: one record of a company, which sales without a name are of.

use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Problem, Result, text::Name};
use spotter_store::{params, statements};

use super::{
    lifecycle,
    profile::{self, NewClient},
    record::Client,
};
use crate::rules::PeopleRule;

impl Client {
    /// The client who stands for walk-in customers, if there is one.
    pub fn walk_in(cx: &mut Read) -> Result<Option<Self>> {
        cx.one(WALK_IN, params![])
    }

    /// Refuses the client who stands for walk-in customers where somebody is meant.
    pub fn check_named(&self) -> Result<()> {
        match self.is_walk_in {
            true => Err(Problem::conflict("clientId", PeopleRule::StandsForWalkIns)),
            false => Ok(()),
        }
    }
}

/// Creates the client who stands for walk-in customers, archived from its first moment, so that it is in no list of
/// people.
pub fn create(cx: &mut Write, name: Name<80>) -> Result<Client> {
    let text = name.to_string();
    let before = profile::create(cx, NewClient::with_name(name))?;
    lifecycle::archive(cx, before.client_id, Some(text), false)?;
    let before = Client::find(cx, before.client_id)?;
    let mut client = before.clone();
    client.is_walk_in = true;
    client.save(cx, &before)?;
    Ok(client)
}

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    WALK_IN = "SELECT ", Client::COLUMNS,
        " FROM client WHERE company_id = ?1 AND is_walk_in AND erased_at IS NULL";
}
