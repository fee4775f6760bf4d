//! Sales: the terms ([`terms`]), the record ([`client_product`]), selling ([`sell`]), reading and revoking ([`sold`]), what is due day by
//! day ([`lifecycle`]), and how a sale ends ([`end`]).

pub mod client_product;
pub mod end;
pub mod lifecycle;
pub mod sell;
pub mod sold;
pub mod terms;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([client_product::area(), sell::area(), sold::area(), lifecycle::area(), end::area()])
}
