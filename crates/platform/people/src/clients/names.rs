//! Names of many clients at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, IdList, Query, Read, answer, operation};
use spotter_kernel::{Result, id::ClientId};

use super::record::Client;

/// A selection of clients.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientIds {
    /// Clients, with commas between; at most 100.
    pub client_ids: IdList<ClientId>,
}

/// The name of a client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClientName {
    client_id: ClientId,
    /// The first and the last name.
    name: String,
}

answer!(NamesAnswer {
    /// Clients in the order of the request; unknown ids are left out.
    client_names: Vec<ClientName>,
});

fn list_client_names(cx: &mut Read, Query(request): Query<ClientIds>) -> Result<NamesAnswer> {
    let ids = request.client_ids.0;
    let names = Client::names(cx, &ids)?;
    let named = ids.into_iter().zip(names);
    let named = named.filter_map(|(client_id, name)| Some(ClientName { client_id, name: name? }));
    Ok(NamesAnswer { client_names: named.collect() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(app GET "/clients/names", Coach, list_client_names)
        .summary("List names of several clients")
        .describe("Returns the names of up to 100 clients.")])
}
