//! Last and next visits of many clients at once.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{Result, Timestamp, id::ClientId};
use spotter_people::clients::ClientIds;
use spotter_store::{Bind, statements};

/// The last and the next visit of a client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClientVisits {
    client_id: ClientId,
    /// Start of the last attended booking; null without one.
    last_visit_at: Option<Timestamp>,
    /// Start of the next booking; null without one.
    next_visit_at: Option<Timestamp>,
}

answer!(VisitsAnswer {
    /// Clients in the order of the request; an unknown id has no visits.
    client_visits: Vec<ClientVisits>,
});

fn list_client_visits(cx: &mut Read, Query(request): Query<ClientIds>) -> Result<VisitsAnswer> {
    let (ids, now) = (request.client_ids.0, cx.now());
    let each = || ids.iter().map(|id| vec![id.bind().into_owned(), now.bind().into_owned()]);
    let last: Vec<Option<(Timestamp,)>> = cx.one_each(LAST, each())?;
    let next: Vec<Option<(Timestamp,)>> = cx.one_each(NEXT, each())?;
    let visits = ids.iter().zip(last).zip(next).map(|((id, last), next)| ClientVisits {
        client_id: *id,
        last_visit_at: last.map(|(at,)| at),
        next_visit_at: next.map(|(at,)| at),
    });
    Ok(VisitsAnswer { client_visits: visits.collect() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/clients/visits", Coach, list_client_visits)
            .summary("List last and next visits of several clients")
            .describe("Returns the last attended and the next booking of up to 100 clients."),
    ])
}

statements! {
    LAST = "SELECT starts_at FROM booking WHERE company_id = ?1 AND client_id = ?2 AND starts_at <= ?3 \
        AND attendance_status = 'attended' AND status = 'booked' ORDER BY starts_at DESC LIMIT 1";
    NEXT = "SELECT starts_at FROM booking WHERE company_id = ?1 AND client_id = ?2 AND starts_at > ?3 \
        AND status = 'booked' ORDER BY starts_at LIMIT 1";
}
