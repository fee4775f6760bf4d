//! Sales: the terms ([`terms`]), the record ([`client_product`]), selling one product ([`sell`]) or several at the desk
//! ([`desk`]), what clients order by themselves ([`orders`]), what a sale hands over ([`purchase`]), reading and revoking ([`sold`]), what is due day by day
//! ([`lifecycle`]), and how a sale ends ([`end`]).

pub mod client_product;
mod desk;
pub mod end;
pub mod lifecycle;
mod orders;
mod purchase;
pub mod sell;
pub mod sold;
pub mod terms;
mod walk_in;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        client_product::area(),
        sell::area(),
        desk::area(),
        orders::area(),
        sold::area(),
        lifecycle::area(),
        end::area(),
    ])
}
