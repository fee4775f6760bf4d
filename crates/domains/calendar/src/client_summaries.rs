//! Who has booked which appointments of a range, for a calendar view: the event itself does not include it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{
    Key, Result, Timestamp,
    id::{ClientId, CoachId},
};
use spotter_people::clients::Client;
use spotter_store::{params, statements};

use crate::{permissions, vocabulary::CalendarEventId};

/// The longest range, in days.
const RANGE_DAYS_MAX: i64 = 31;
/// Most appointments that are listed.
const LISTED_MAX: i64 = 2_000;

/// The requested range and filters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AppointmentFilters {
    /// Appointments that begin at this instant or later; required.
    #[schemars(required, with = "Timestamp")]
    from: Option<Timestamp>,
    /// Appointments that begin before this instant, at most 31 days later; required.
    #[schemars(required, with = "Timestamp")]
    to: Option<Timestamp>,
    /// Appointments with this coach.
    coach_id: Option<CoachId>,
}

/// The client of an appointment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AppointmentClient {
    calendar_event_id: CalendarEventId,
    client_id: ClientId,
    /// The first and the last name.
    name: String,
}

answer!(AppointmentClients {
    /// Appointments by start, at most 2000.
    appointment_clients: Vec<AppointmentClient>,
});

fn list_appointment_clients(
    cx: &mut Read,
    Query(request): Query<AppointmentFilters>,
) -> Result<AppointmentClients> {
    let range = permissions::check_range(request.from, request.to, RANGE_DAYS_MAX)?;
    let booked: Vec<(CalendarEventId, ClientId)> = match request.coach_id {
        Some(coach) => cx.all(OF_COACH, params![range.start, range.end, LISTED_MAX, coach])?,
        None => cx.all(OF_ALL, params![range.start, range.end, LISTED_MAX])?,
    };
    let ids: Vec<_> = booked.iter().map(|(_, client)| *client).collect();
    let names = Client::names(cx, &ids)?;
    let named = booked.into_iter().zip(names);
    let named = named.map(|((calendar_event_id, client_id), name)| AppointmentClient {
        calendar_event_id,
        client_id,
        name: name.unwrap_or_default(),
    });
    Ok(AppointmentClients { appointment_clients: named.collect() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([operation!(app GET "/calendar/appointment-clients", Coach,
        list_appointment_clients)
    .summary("List clients with appointments")
    .describe("Returns who has booked the appointments of a range of time.")
    .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge])])
}

statements! {
    OF_ALL = "SELECT b.calendar_event_id, b.client_id FROM booking b JOIN calendar_event e \
        ON e.company_id = b.company_id AND e.calendar_event_id = b.calendar_event_id AND e.kind = 'appointment' \
        WHERE b.company_id = ?1 AND b.starts_at >= ?2 AND b.starts_at < ?3 AND b.status = 'booked' \
        ORDER BY b.starts_at, b.booking_id LIMIT ?4";
    OF_COACH = "SELECT b.calendar_event_id, b.client_id FROM booking b JOIN calendar_event e \
        ON e.company_id = b.company_id AND e.calendar_event_id = b.calendar_event_id AND e.kind = 'appointment' \
        WHERE b.company_id = ?1 AND b.coach_id = ?5 AND b.starts_at >= ?2 AND b.starts_at < ?3 AND b.status = 'booked' \
        ORDER BY b.starts_at, b.booking_id LIMIT ?4";
}
