//! Purchases of clients for integrations, staff and clients, and revocation.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, ListQuery, OptionalBody, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Event, Key, Page, Problem, Result, Timestamp,
    text::{Text, quoted},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, filters, lists};

use super::{
    client_product::{ClientProduct, ClientProductStatus},
    end,
};
use crate::{effects::BillingEffect, ids::ClientProductId, rules::BillingRule};

listed!(ClientProducts { client_products: ClientProduct });

filters! {
    struct Filters {
        /// Products with this status.
        status: ClientProductStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_client_products(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<ClientProducts> {
    Client::find(cx, at.client_id)?;
    let client = at.client_id.bind().into_owned();
    let page: Page<ClientProduct> = cx.page_under(&LIST, &[client], &wanted, page)?;
    Ok(page.into())
}

path!(ClientProductPath { client_product_id: ClientProductId });

answer!(ClientProductAnswer { client_product: ClientProduct });

fn get_client_product(
    cx: &mut Read,
    Path(at): Path<ClientProductPath>,
) -> Result<ClientProductAnswer> {
    Ok(ClientProductAnswer { client_product: ClientProduct::find(cx, at.client_product_id)? })
}

/// Why a sold product is revoked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct SaleRevocation {
    /// Why it is revoked.
    reason: Option<Text<500>>,
}

fn revoke_client_product(
    cx: &mut Write,
    Path(at): Path<ClientProductPath>,
    OptionalBody(why): OptionalBody<SaleRevocation>,
) -> Result<ClientProductAnswer> {
    let product = ClientProduct::find(cx, at.client_product_id)?;
    cx.as_of(product.updated_at);
    if product.has_ended() {
        return Err(Problem::conflict("status", BillingRule::Ended));
    }
    let name = quoted(&product.name);
    cx.describe_effect(|| BillingEffect::SaleReversed { name: name.to_string() });
    let today = cx.today()?;
    let client_product = end::end(cx, product, today, true, why.reason.map(Into::into))?;
    Ok(ClientProductAnswer { client_product })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/clients/{clientId}/products", FinanceProductsRead, list_client_products)
            .summary("List a client's products")
            .describe("Returns everything that was sold to the client, latest first.")
            .for_client(&["externalId"]),
        operation!(GET "/finance/client-products/{clientProductId}", FinanceProductsRead, get_client_product)
            .summary("Get a sold product")
            .describe("Returns one sale to a client, on the terms of its day.")
            .for_own(&["externalId"]),
        operation!(POST "/finance/client-products/{clientProductId}/revoke", FinanceProductsWrite,
            revoke_client_product)
        .success(Success::Revoked)
        .summary("Revoke a sold product")
        .describe(
                "Ends the sale today, together with its membership. Invoices stay; correct them \
                 with credit notes.",
            )
        .emits(crate::TURNS)
        .always(&[Event::ClientProductRevoked])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}

lists! {
    /// A client's purchases, the latest first.
    LIST: List<ClientProduct, Filters> = List::new(
        "client_product WHERE company_id = ?1 AND client_id = ?2",
        "client_product_id DESC",
    );
}
