//! Products as integrations and clients see them, and as managers write them and put them in order.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::{company::Company, folding::searched};
use spotter_contract::{
    Actor, ArchivedKind, Area, Body, Flag, ListQuery, Path, Read, Remainders, Success, Write,
    answer, listed, operation, path,
};
use spotter_kernel::{Key, PageRequest, Problem, Result, Rule, Timestamp, text::Text};
use spotter_store::{Bind, List, filters, lists, params, set, statements, values};

use super::{
    product::{Defaults, NewProduct, Product, ProductChanges, ProductId},
    vocabulary::{ProductType, Shelf, Visibility},
};
use crate::rules::BillingRule;

/// Most products of a company.
const PRODUCTS_MAX: i64 = 1_000;

impl Product {
    /// The product with this id.
    pub fn find(cx: &mut Read, id: ProductId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("product", self.product_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        let haystack = self.haystack();
        let mut row = self.params();
        row.push(haystack.bind());
        cx.defer(SAVE, &row)
    }
}

listed!(Products { products: Product });

filters! {
    /// Filters of products of one type.
    struct Filters {
        /// Prefixes of words in the name, in any language.
        search: Text<100> => "haystack LIKE ?" each |text| searched(text);
        /// Products with this visibility.
        visibility: Visibility => "visibility = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn shelf(cx: &mut Read, shelf: Shelf, wanted: &Filters, page: PageRequest) -> Result<Products> {
    Ok(cx.page_under(&LIST_OF_SHELF, &[shelf.bind()], wanted, page)?.into())
}

fn list_day_passes(cx: &mut Read, ListQuery(wanted, page): ListQuery<Filters>) -> Result<Products> {
    shelf(cx, Shelf::Passes, &wanted, page)
}

fn list_memberships(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Products> {
    shelf(cx, Shelf::Memberships, &wanted, page)
}

fn list_credit_packs(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Products> {
    shelf(cx, Shelf::CreditPacks, &wanted, page)
}

filters! {
    /// Filters of products of every type.
    struct AllFilters {
        /// Prefixes of words in the name, in any language.
        search: Text<100> => "haystack LIKE ?" each |text| searched(text);
        /// Products with this visibility.
        visibility: Visibility => "visibility = ?";
        /// Products of this type.
        product_type: ProductType => "product_type = ?";
        /// `true` for archived products, `false` for the others; both when absent.
        archived: Flag => "is_archived = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_products(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<AllFilters>,
) -> Result<Products> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(ProductPath { product_id: ProductId });

answer!(ProductAnswer { product: Product });

answer!(
    /// The archived product, and the records that still refer to it.
    ArchivedAnswer {
        product: Product,
        /// Records that still refer to it, by kind; they are unchanged.
        leaves_behind: Vec<Remainders>,
    }
);

fn get_product(cx: &mut Read, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    Ok(ProductAnswer { product: Product::find(cx, at.product_id)? })
}

/// Whether the caller is a client, who sees products that are for sale and visible in the app.
fn is_client(cx: &Read) -> bool {
    matches!(cx.caller().actor, Actor::Client { .. })
}

fn browse_products(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<AllFilters>,
) -> Result<Products> {
    let list = if is_client(cx) { &LIST_IN_APP } else { &LIST };
    Ok(cx.page(list, &wanted, page)?.into())
}

fn browse_product(cx: &mut Read, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    let product = Product::find(cx, at.product_id)?;
    if is_client(cx) && (product.is_archived || !product.visibility.for_sale()) {
        return Err(Key::NotFound.into());
    }
    Ok(ProductAnswer { product })
}

fn create_product(cx: &mut Write, Body(new): Body<NewProduct>) -> Result<ProductAnswer> {
    let company = Company::find(cx)?;
    let defaults = Defaults { currency: company.currency, language: company.language };
    let counted: Option<(i64,)> = cx.one(COUNT, params![])?;
    if counted.is_some_and(|(count,)| count >= PRODUCTS_MAX) {
        return Err(Problem::conflict("products", Rule::TooManyOfCompany { max: PRODUCTS_MAX }));
    }
    let (id, now, shelf) = (ProductId(cx.new_id()), cx.now(), new.product_type.shelf());
    let product = Product::new(id, now, defaults, new)?;
    let last: Option<(i64,)> = cx.one(LAST_PLACE, params![shelf])?;
    let place = last.map_or(0, |(place,)| place) + 1;
    cx.set_audit_target("product", id, ["product"]);
    let haystack = product.haystack();
    let mut row = product.params();
    row.extend([haystack.bind(), shelf.bind(), place.bind()]);
    cx.defer(INSERT, &row)?;
    Ok(ProductAnswer { product })
}

fn update_product(
    cx: &mut Write,
    Path(at): Path<ProductPath>,
    Body(changes): Body<ProductChanges>,
) -> Result<ProductAnswer> {
    let before = Product::find(cx, at.product_id)?;
    let mut product = before.clone();
    product.change(changes)?;
    product.save(cx, &before)?;
    Ok(ProductAnswer { product })
}

fn set_archived(cx: &mut Write, id: ProductId, is_archived: bool) -> Result<ProductAnswer> {
    let before = Product::find(cx, id)?;
    let mut product = before.clone();
    product.is_archived = is_archived;
    product.save(cx, &before)?;
    Ok(ProductAnswer { product })
}

fn archive_product(cx: &mut Write, Path(at): Path<ProductPath>) -> Result<ArchivedAnswer> {
    let ProductAnswer { product } = set_archived(cx, at.product_id, true)?;
    let leaves_behind = cx.left_behind(ArchivedKind::Product, at.product_id)?;
    Ok(ArchivedAnswer { product, leaves_behind })
}

fn restore_product(cx: &mut Write, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    set_archived(cx, at.product_id, false)
}

/// The products of a shelf in their new order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ProductOrder")]
struct ShelfOrder {
    shelf: Shelf,
    /// Every product of the shelf that is not archived, once each, in its new order.
    product_ids: Vec<ProductId>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProductOrder {
    shelf: Shelf,
    product_ids: Vec<ProductId>,
}

fn order_products(cx: &mut Write, Body(order): Body<ShelfOrder>) -> Result<ProductOrder> {
    let ShelfOrder { shelf, product_ids } = order;
    let there: Vec<(ProductId, i64)> = cx.all(PLACES, params![shelf])?;
    let named: BTreeSet<_> = product_ids.iter().copied().collect();
    let exact = named.len() == product_ids.len()
        && there.len() == named.len()
        && there.iter().all(|(id, _)| named.contains(id));
    if !exact {
        return Err(Problem::invalid("productIds", BillingRule::NotWholeShelf));
    }
    let company = cx.company();
    cx.set_audit_target("company", company, ["productOrder"]);
    for (id, place) in product_ids.iter().zip(1i64..) {
        if !there.contains(&(*id, place)) {
            cx.defer(PLACE, params![id, place])?;
        }
    }
    Ok(ProductOrder { shelf, product_ids })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/finance/day-passes", FinanceProductsRead, list_day_passes)
            .summary("List passes")
            .describe("Returns day and week passes."),
        operation!(GET "/finance/memberships", FinanceProductsRead, list_memberships)
            .summary("List membership products")
            .describe("Returns products of the type membership."),
        operation!(GET "/finance/credit-packs", FinanceProductsRead, list_credit_packs)
            .summary("List credit packs")
            .describe("Returns products of the type credit pack."),
        operation!(GET "/finance/products", FinanceProductsRead, list_products)
            .summary("List products")
            .describe("Returns products of every type, grouped by type."),
        operation!(GET "/finance/products/{productId}", FinanceProductsRead, get_product)
            .summary("Get a product")
            .describe("Returns one product with its price and what it grants."),
        operation!(app GET "/products", SignedIn, browse_products)
            .summary("List products")
            .describe("Returns products; clients see those on sale in the app."),
        operation!(app GET "/products/{productId}", SignedIn, browse_product)
            .summary("Get a product")
            .describe("Returns one product as the caller may see it."),
        operation!(app POST "/products", Manager, create_product)
            .success(Success::Added)
            .summary("Create a product")
            .describe("Defines a product: its price, VAT, and what it grants.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(app PATCH "/products/{productId}", Manager, update_product)
            .summary("Update a product")
            .describe("Changes the fields that are sent. What was already sold keeps its terms.")
            .fails(&[Key::ApiError]),
        operation!(app POST "/products/{productId}/archive", Manager, archive_product)
            .success(Success::Archived)
            .summary("Archive a product")
            .describe(
                "Stops selling a product; what was sold stays. Archiving again changes nothing.",
            ),
        operation!(app POST "/products/{productId}/restore", Manager, restore_product)
            .success(Success::Restored)
            .summary("Restore a product")
            .describe("Sells an archived product again."),
        operation!(app PUT "/product-order", Manager, order_products)
            .summary("Order products")
            .describe("Sets the order of the products of a category."),
    ])
}

lists! {
    /// Every product, shelf by shelf, those for sale first; at most 1000.
    LIST: List<Product, AllFilters> =
        List::new("product WHERE company_id = ?1", "shelf, is_archived, place, product_id");

    /// The same for clients: products that are for sale and visible in the app.
    LIST_IN_APP: List<Product, AllFilters> = List::new(
        "product WHERE company_id = ?1 AND NOT is_archived AND visibility IN \
            ('Visible', 'VisibleInStoreAndApp', 'VisibleInApp')",
        "shelf, is_archived, place, product_id",
    );

    /// The products of a shelf, those for sale first.
    LIST_OF_SHELF: List<Product, Filters> =
        List::new("product WHERE company_id = ?1 AND shelf = ?2", "is_archived, place, product_id");
}

statements! {
    FIND = "SELECT ", Product::COLUMNS, " FROM product WHERE company_id = ?1 AND product_id = ?2";
    COUNT = "SELECT COUNT(*) FROM product WHERE company_id = ?1";
    LAST_PLACE = "SELECT place FROM product WHERE company_id = ?1 AND shelf = ?2 \
        ORDER BY place DESC LIMIT 1";
    INSERT = "INSERT INTO product ", values!(Product, haystack, shelf, place);
    SAVE = "UPDATE product SET ", set!(Product, haystack),
        " WHERE company_id = ?1 AND product_id = ?2";
    PLACES = "SELECT product_id, place FROM product \
        WHERE company_id = ?1 AND shelf = ?2 AND is_archived = FALSE ORDER BY place LIMIT 1000";
    PLACE = "UPDATE product SET place = ?3 WHERE company_id = ?1 AND product_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_see_products_of_the_app() {
        let text = &LIST_IN_APP.shape().all_texts()[0];
        for word in Visibility::ALL {
            let named = text.contains(&format!("'{}'", word.word()));
            assert_eq!(named, word.in_app(), "{}", word.word());
        }
    }
}
