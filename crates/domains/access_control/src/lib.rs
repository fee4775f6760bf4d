//! Access control: who may enter where.
//!
//! Credentials of clients ([`credential`], [`credentials`], changing codes: [`code`]), zones ([`zone`]) and blocks ([`block`]). A scan is
//! decided by rules in one order ([`decision`]); [`check`] writes what follows: the log ([`scan`]), the visit ([`visit`]) and where the
//! client is ([`presence`]). Without a network a device decides by an [`allow_list`] and uploads [`offline_scans`] later.

pub mod allow_list;
pub mod block;
pub mod check;
pub mod code;
pub mod credential;
pub mod credentials;
pub mod decision;
mod effects;
mod lockout;
mod messages;
pub mod offline_scans;
mod presence;
mod privacy;
pub mod retention;
mod rules;
pub mod scan;
pub mod visit;
pub mod zone;
pub mod zone_context;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    let rooms = [
        (
            "Access devices",
            vec![
                zone_context::area(),
                check::area(),
                offline_scans::area(),
                allow_list::area(),
                lockout::area(),
                presence::area(),
                retention::area(),
            ],
        ),
        ("Access credentials", vec![credentials::area(), code::area(), block::area()]),
        ("Access rules", vec![zone::area()]),
        ("Access log", vec![scan::area(), visit::area(), privacy::area()]),
    ];
    Area::join(rooms.map(|(heading, chapters)| Area::join(chapters).tagged(heading)))
}
