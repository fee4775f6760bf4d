//! Clients: the people a company coaches, from the first contact to the archive.

pub mod audience;
mod bulk;
pub mod custom_fields;
pub mod data_exports;
mod erasure;
pub mod health_consent;
pub mod letter_reader;
pub mod lifecycle;
pub mod membership_periods;
mod names;
pub mod notes;
pub mod notifications;
pub mod onboarding;
mod phone_numbers;
pub mod profile;
pub mod record;
pub mod search;
pub mod search_terms;
pub mod sign_ups;
pub mod timeline;
pub mod walk_in;

pub use names::ClientIds;
pub use record::Client;
pub use search::ClientPath;

use spotter_contract::Area;
use spotter_kernel::Event;

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        record::area(),
        search::area(),
        names::area(),
        audience::area(),
        bulk::area(),
        search_terms::area(),
        profile::area(),
        lifecycle::area(),
        membership_periods::area(),
        erasure::area(),
        data_exports::area(),
        health_consent::area(),
        onboarding::area(),
        sign_ups::area(),
        custom_fields::area(),
        timeline::area(),
        notes::area(),
        notifications::area(),
        walk_in::area(),
    ])
    .tagged("Clients")
}

/// What a change of a client announces.
const UPDATED: &[Event] = &[Event::ClientUpdated];

/// The SQL condition that the client of a row of the company `?1` is not archived.
#[macro_export]
macro_rules! client_is_there {
    ($table:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM client WHERE client.company_id = ?1 AND client.client_id = ",
            $table,
            ".client_id AND client.archived_at IS NULL)"
        )
    };
}
