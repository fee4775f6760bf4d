//! Walk-in customers: one client of the company stands for all of them, because an invoice has a buyer.

use spotter_company::company::Company;
use spotter_contract::Write;
use spotter_kernel::{Result, text::Name};
use spotter_people::clients::{Client, walk_in};

use crate::billing::texts;

/// The client who stands for walk-in customers, made when it is first needed, or after it was erased.
pub(super) fn find_or_create(cx: &mut Write) -> Result<Client> {
    if let Some(client) = Client::walk_in(cx)? {
        return Ok(client);
    }
    let language = Company::find(cx)?.language;
    let name = Name::parse(texts::walk_in(&language)).map_err(|(key, _)| key)?;
    walk_in::create(cx, name)
}
