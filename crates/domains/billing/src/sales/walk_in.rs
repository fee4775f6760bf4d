//! Walk-in customers: one client of the company stands for all of them, because an invoice has a buyer.

use spotter_company::company::Company;
use spotter_contract::{Read, Write};
use spotter_kernel::{Result, text::Name};
use spotter_people::clients::{
    Client,
    profile::{self, NewClient},
};

use crate::{billing::texts, settings::FinanceSettings};

/// The client who stands for walk-in customers, if there is one.
pub(super) fn find(cx: &mut Read) -> Result<Option<Client>> {
    let Some(id) = FinanceSettings::find(cx)?.walk_in_client_id else { return Ok(None) };
    Ok(Client::find_optional(cx, id)?.filter(|client| !client.is_archived()))
}

/// The same, made when it is first needed, or after it was archived or erased.
pub(super) fn find_or_create(cx: &mut Write) -> Result<Client> {
    if let Some(client) = find(cx)? {
        return Ok(client);
    }
    let language = Company::find(cx)?.language;
    let name = Name::parse(texts::walk_in(&language)).map_err(|(key, _)| key)?;
    let client = profile::create(cx, NewClient::named(name))?;
    let before = FinanceSettings::find(cx)?;
    let mut settings = before.clone();
    settings.walk_in_client_id = Some(client.client_id);
    settings.save(cx, &before)?;
    Ok(client)
}
