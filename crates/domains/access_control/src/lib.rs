//! Doors: who comes in where.
//!
//! Clients are known at doors by credentials ([`credential`], [`credentials`], codes on a telephone: [`code`]). What a
//! zone asks of everybody stands in [`zone`], who is let in nowhere in [`block`]. A scan is a question that is answered
//! by the rules, in one order ([`decision`]), and what follows from it is written with the answer ([`scanning`]): the
//! log ([`scan`]), the visit ([`visit`]), where the client is ([`presence`]). A device without a network decides by a
//! list ([`allow_list`]) and tells of it later ([`late`]).

pub mod allow_list;
pub mod block;
pub mod check;
pub mod code;
pub mod credential;
pub mod credentials;
pub mod decision;
mod lockout;
mod messages;
pub mod offline_scans;
mod presence;
mod privacy;
pub mod retention;
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
