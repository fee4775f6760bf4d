//! The areas that this program is made of.

use std::sync::Arc;

use spotter_contract::{Area, Operation, Ports};
use spotter_core::{
    access, audit_logs, clients, company, devices, live, locations, mail, mcp, metrics, platform,
    uploads, webhooks,
};

/// Everything that the areas bring, in the order of the documentation.
pub fn areas() -> Area {
    Area::join([
        platform::area(),
        audit_logs::area(),
        company::area(),
        locations::area(),
        clients::area(),
        metrics::area(),
        access::area(),
        spotter_calendar::area(),
        spotter_messaging::area(),
        spotter_billing::area(),
        spotter_payments::area(),
        mcp::area(),
        webhooks::area(),
        spotter_training::area(),
        spotter_progress::area(),
        spotter_forms::area(),
        spotter_documents::area(),
        spotter_imports::area(),
        spotter_reports::area(),
        devices::area(),
        spotter_access_control::area(),
        mail::area(),
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
        timetable: Arc::new(spotter_calendar::access_control::Doors),
        forms: Arc::new(spotter_forms::SubmittedForms),
    }
}

/// The operations table: every operation of every area.
pub fn operations() -> Vec<Operation> {
    areas().operations
}
