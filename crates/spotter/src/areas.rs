//! The areas that this program is made of.

use std::sync::Arc;

use spotter_company::{audit_logs, company, live, locations, metrics, uploads};
use spotter_contract::{Area, Operation, Ports};
use spotter_people::{clients, coaches, identity, platform};

/// All areas, in the order of the documentation.
pub fn areas() -> Area {
    Area::join([
        platform::area(),
        audit_logs::area(),
        company::area(),
        coaches::area(),
        locations::area(),
        clients::area(),
        metrics::area(),
        identity::area(),
        spotter_calendar::area(),
        spotter_messaging::area(),
        spotter_billing::area(),
        spotter_payments::area(),
        spotter_assistants::area(),
        spotter_webhooks::area(),
        spotter_training::area(),
        spotter_progress::area(),
        spotter_forms::area(),
        spotter_documents::area(),
        spotter_imports::area(),
        spotter_reports::area(),
        spotter_devices::area(),
        spotter_access_control::area(),
        spotter_mail::area(),
        spotter_push::area(),
        uploads::area(),
        live::area(),
    ])
}

/// What the areas ask of each other.
pub fn ports() -> Ports {
    Ports {
        entitlements: Arc::new(spotter_billing::credits::booking_credits::Ledger),
        training: Arc::new(spotter_training::sessions::Workouts),
        checkups: Arc::new(spotter_forms::AssignedCheckups),
        activity: Arc::new(spotter_progress::goal_progress::Progress),
        consents: Arc::new(clients::health_consent::HealthConsents),
        admissions: Arc::new(spotter_billing::admission::Sales),
        timetable: Arc::new(spotter_calendar::access_control::CalendarAccess),
        forms: Arc::new(spotter_forms::SubmittedForms),
        seats: Arc::new(spotter_calendar::seats::ClassSeats),
    }
}

/// The operations table: every operation of every area.
pub fn operations() -> Vec<Operation> {
    areas().operations
}
