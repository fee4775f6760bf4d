//! What strangers see of what is sold: products that are visible in the store, with their prices.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::site::{Site, SitePath};
use spotter_contract::{Area, Path, Read, answer, operation};
use spotter_kernel::{Result, money::Currency};
use spotter_store::{Json, params, statements};

use super::{
    pools::TimeSpan,
    product::{Description, Product, ProductId, ProductName},
    vocabulary::{Period, ProductType},
};

/// A product as strangers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteProduct {
    product_id: ProductId,
    product_type: ProductType,
    /// Name by language.
    name: Json<ProductName>,
    /// Description by language; may be empty.
    description: Json<Description>,
    default_language: Option<String>,
    /// Price in minor units, including VAT.
    price: i64,
    currency: Currency,
    /// The paid period; `None` for products without a period.
    period: Period,
    /// Whether it is meant for people who try the business.
    trial: bool,
    /// Whether it is paid again each period until it is cancelled.
    auto_renew: bool,
    /// Minimum contract period; a value of 0 means none.
    contract_period: Json<TimeSpan>,
    /// Notice period for cancelling.
    cancellation_notice_period: Period,
    /// Number of days on which a pass can be used; 0 for other products.
    days_usable: i64,
    /// Credits that are given with each payment.
    credits: i64,
}

answer!(SiteProducts {
    /// Products in the order of the store; at most 200. None where the site does not show them.
    products: Vec<SiteProduct>
});

fn list_site_products(cx: &mut Read, Path(_): Path<SitePath>) -> Result<SiteProducts> {
    let found: Vec<Product> = match Site::of(cx)?.shows_products {
        true => cx.all(IN_STORE, params![])?,
        false => Vec::new(),
    };
    let products = found.into_iter().map(|own| SiteProduct {
        credits: own.credits + own.credit_pools.0.iter().map(|pool| pool.credits).sum::<i64>(),
        trial: own.is_trial(),
        product_id: own.product_id,
        product_type: own.product_type,
        name: own.name,
        description: own.description,
        default_language: own.default_language,
        price: own.price,
        currency: own.currency,
        period: own.period,
        auto_renew: own.auto_renew,
        contract_period: own.contract_period,
        cancellation_notice_period: own.cancellation_notice_period,
        days_usable: own.days_usable,
    });
    Ok(SiteProducts { products: products.collect() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .operations([operation!(visitor GET "/site/{slug}/products", list_site_products)
            .summary("List public products")
            .describe("Returns what is sold and visible in the store, with its price.")])
        .tagged("Public site")
}

statements! {
    IN_STORE = "SELECT ", Product::COLUMNS, " FROM product WHERE company_id = ?1 AND NOT is_archived \
        AND visibility IN ('Visible', 'VisibleInStore', 'VisibleInStoreAndApp') \
        ORDER BY shelf, place, product_id LIMIT 200";
}
