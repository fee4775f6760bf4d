//! Sales: what was agreed ([`terms`]), the record ([`client_product`]), how one comes to be ([`selling`]), is
//! seen and taken back ([`sold`]), goes on by itself ([`turning`]), and ends ([`ending`]).

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
