//! Callers by their record: the holder of a signed address, with their current permissions.

use spotter_contract::{
    Actor, Caller, Read,
    downloads::{Holder, Ticket},
};
use spotter_kernel::{Id, Key, Result, Timestamp, id::CompanyId};
use spotter_store::Tx;

use super::{accounts::Subject, api_clients::ApiClient, sessions};
use spotter_company::company::Company;

/// The holder of a ticket, if they may still sign in.
pub fn holder(tx: &mut Tx, ticket: &Ticket, now: Timestamp) -> Result<Caller> {
    caller(tx, ticket.company, ticket.holder, ticket.by, now)
}

/// A caller by their record, if they may still sign in.
pub fn caller(
    tx: &mut Tx,
    company: CompanyId,
    holder: Holder,
    by: Id,
    now: Timestamp,
) -> Result<Caller> {
    let nobody = Caller::new(company, Actor::System);
    let mut cx = Read::new(tx, &nobody, now);
    let features = Company::find(&mut cx)?.admit()?;
    // A recorded holder has no session.
    let session = Id::first_at(Timestamp::from_millis(0));
    let actor = match holder {
        Holder::Coach => sessions::admit(&mut cx, Subject::Coach, by, session)?.actor,
        Holder::Client => sessions::admit(&mut cx, Subject::Client, by, session)?.actor,
        Holder::ApiClient => {
            let found = ApiClient::find(&mut cx, by)?;
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
    Ok(Caller { features, ..Caller::new(company, actor) })
}
