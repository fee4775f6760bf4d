//! Callers by their record: who holds an address that was signed for them, as they stand now.

use spotter_contract::{
    Actor, Caller, Read,
    downloads::{Holder, Ticket},
};
use spotter_kernel::{Id, Key, Result, Timestamp};
use spotter_store::Tx;

use super::{accounts::Subject, api_clients::ApiClient, sessions};
use crate::company::Company;

/// Who holds a ticket, if they may still come in.
pub fn holder(tx: &mut Tx, ticket: &Ticket, now: Timestamp) -> Result<Caller> {
    let nobody = Caller::new(ticket.company, Actor::System);
    let mut cx = Read::new(tx, &nobody, now);
    let features = Company::find(&mut cx)?.features();
    // Nobody is signed in by a ticket.
    let session = Id::first_at(Timestamp::from_millis(0));
    let actor = match ticket.holder {
        Holder::Coach => sessions::admit(&mut cx, Subject::Coach, ticket.by, session)?,
        Holder::Client => sessions::admit(&mut cx, Subject::Client, ticket.by, session)?,
        Holder::ApiClient => {
            let found = ApiClient::find(&mut cx, ticket.by)?;
            if !found.is_active() || !features.public_api {
                return Err(Key::NotFound.into());
            }
            let consents = found.consents();
            Actor::ApiClient {
                id: found.api_client_id,
                scopes: found.scopes,
                health_data: consents.health_data,
                private_communication: consents.private_communication,
            }
        }
    };
    Ok(Caller { features, ..Caller::new(ticket.company, actor) })
}
