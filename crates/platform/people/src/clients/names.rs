//! What clients are called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, IdList, Query, Read, answer, operation};
use spotter_kernel::{Result, Timestamp, id::ClientId};
use spotter_store::{Bind, params, statements};

use super::record::Client;

impl Client {
    /// Asks ahead for a client's name.
    pub fn ask_ahead_name(cx: &mut Read, id: ClientId) -> Result<()> {
        cx.ask_ahead(NAME, params![id])
    }

    /// The names of clients, in the order of their ids; nothing for those that are not there.
    pub fn names(cx: &mut Read, ids: &[ClientId]) -> Result<Vec<Option<String>>> {
        let called = Self::full_names(cx, ids, |first, last| format!("{first} {last}"))?;
        Ok(called.into_iter().map(|called| called.map(|(name, _)| name)).collect())
    }

    /// The same as coaches call them: the first name, and the initial of the last; and when each was last changed.
    pub fn short_names(
        cx: &mut Read,
        ids: &[ClientId],
    ) -> Result<Vec<Option<(String, Timestamp)>>> {
        Self::full_names(cx, ids, |first, last| match last.chars().next() {
            Some(initial) => format!("{first} {initial}."),
            None => first.to_owned(),
        })
    }

    fn full_names(
        cx: &mut Read,
        ids: &[ClientId],
        both: impl Fn(&str, &str) -> String,
    ) -> Result<Vec<Option<(String, Timestamp)>>> {
        let params = ids.iter().map(|id| vec![id.bind().into_owned()]);
        let found: Vec<Option<(String, Option<String>, Timestamp)>> = cx.one_each(NAME, params)?;
        let whole = |(first, last, changed): (String, Option<String>, Timestamp)| match last {
            Some(last) => (both(&first, &last), changed),
            None => (first, changed),
        };
        Ok(found.into_iter().map(|name| name.map(whole)).collect())
    }
}

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
    Area::of(STATEMENTS).operations([
        operation!(app GET "/clients/names", Coach, list_client_names)
            .summary("List names of several clients")
            .describe("Returns the names of up to 100 clients."),
    ])
}

statements! {
    NAME = "SELECT first_name, last_name, updated_at FROM client WHERE company_id = ?1 AND client_id = ?2";
}
