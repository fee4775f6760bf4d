//! Products as integrations and clients see them, and as managers write them and put them in order.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Body, Operation, Paged, Path, Read, Write, arguments::query_boolean, listed, operation,
};
use spotter_kernel::{Key, PageRequest, Problem, Result, text::Text};
use spotter_store::{Bind, Filter, List, Value, params, statements};

use super::{
    product::{House, NewProduct, Product, ProductChanges, ProductId},
    vocabulary::{ProductType, Shelf, Visibility},
};
use crate::{company::Company, folding::searched};

/// Most products of a company.
const PRODUCTS_MAX: i64 = 1_000;

impl Product {
    fn find(cx: &mut Read, id: ProductId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.changes("product", self.product_id, self.changed(before)) else {
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

/// What may be asked of the products of a shelf.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Filters {
    /// Words that those of the name begin with, in any language.
    search: Option<Text<100>>,
    visibility: Option<Visibility>,
}

impl Filters {
    fn chosen(&self) -> Vec<(&'static str, Vec<Value<'static>>)> {
        let mut chosen = searched(self.search.as_deref());
        chosen.extend(self.visibility.map(|word| ("visibility", vec![word.bind().into_owned()])));
        chosen
    }
}

fn shelf(cx: &mut Read, shelf: Shelf, wanted: &Filters, page: PageRequest) -> Result<Products> {
    Ok(cx.page_under::<Product>(&LIST_OF_SHELF, &[shelf.bind()], &wanted.chosen(), page)?.into())
}

fn list_day_passes(cx: &mut Read, Paged(wanted, page): Paged<Filters>) -> Result<Products> {
    shelf(cx, Shelf::Passes, &wanted, page)
}

fn list_memberships(cx: &mut Read, Paged(wanted, page): Paged<Filters>) -> Result<Products> {
    shelf(cx, Shelf::Memberships, &wanted, page)
}

fn list_credit_packs(cx: &mut Read, Paged(wanted, page): Paged<Filters>) -> Result<Products> {
    shelf(cx, Shelf::CreditPacks, &wanted, page)
}

/// What may be asked of products of every type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AllFilters {
    /// Words that those of the name begin with, in any language.
    search: Option<Text<100>>,
    visibility: Option<Visibility>,
    product_type: Option<ProductType>,
    #[serde(default, deserialize_with = "query_boolean")]
    #[schemars(with = "Option<bool>")]
    archived: Option<bool>,
}

impl AllFilters {
    fn chosen(self) -> Vec<(&'static str, Vec<Value<'static>>)> {
        let Self { search, visibility, product_type, archived } = self;
        let mut chosen = Filters { search, visibility }.chosen();
        chosen.extend(product_type.map(|word| ("productType", vec![word.bind().into_owned()])));
        chosen.extend(archived.map(|yes| ("archived", vec![Value::Bool(yes)])));
        chosen
    }
}

fn list_products(cx: &mut Read, Paged(wanted, page): Paged<AllFilters>) -> Result<Products> {
    Ok(cx.page::<Product>(&LIST, &wanted.chosen(), page)?.into())
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProductPath {
    product_id: ProductId,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ProductAnswer {
    product: Product,
}

fn get_product(cx: &mut Read, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    Ok(ProductAnswer { product: Product::find(cx, at.product_id)? })
}

/// Whether the caller is a client, who sees what the app shows and what is sold.
fn is_client(cx: &Read) -> bool {
    matches!(cx.caller().actor, Actor::Client { .. })
}

fn browse_products(cx: &mut Read, Paged(wanted, page): Paged<AllFilters>) -> Result<Products> {
    let mut chosen = wanted.chosen();
    if is_client(cx) {
        let shown = Visibility::ALL.iter().filter(|word| word.in_app());
        chosen.push(("inApp", shown.map(Bind::bind).collect()));
    }
    Ok(cx.page::<Product>(&LIST, &chosen, page)?.into())
}

fn browse_product(cx: &mut Read, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    let product = Product::find(cx, at.product_id)?;
    if is_client(cx) && (product.is_archived || !product.visibility.in_app()) {
        return Err(Key::NotFound.into());
    }
    Ok(ProductAnswer { product })
}

fn create_product(cx: &mut Write, Body(new): Body<NewProduct>) -> Result<ProductAnswer> {
    let company = Company::find(cx)?;
    let house = House { currency: company.currency, language: company.language };
    let counted: Option<(i64,)> = cx.one(COUNT, params![])?;
    if counted.is_some_and(|(count,)| count >= PRODUCTS_MAX) {
        return Err(Problem::taken("products", "must be at most 1000 in a company"));
    }
    let (id, now, shelf) = (ProductId(cx.new_id()), cx.now(), new.product_type.shelf());
    let product = Product::new(id, now, house, new)?;
    let last: Option<(i64,)> = cx.one(LAST_PLACE, params![shelf])?;
    let place = last.map_or(0, |(place,)| place) + 1;
    cx.touch("product", id, ["product"]);
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

fn archive_product(cx: &mut Write, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    set_archived(cx, at.product_id, true)
}

fn restore_product(cx: &mut Write, Path(at): Path<ProductPath>) -> Result<ProductAnswer> {
    set_archived(cx, at.product_id, false)
}

/// The order of a shelf.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ShelfOrder {
    shelf: Shelf,
    /// Every product of the shelf that is not archived, once each, in its new order.
    product_ids: Vec<ProductId>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Ordered {
    shelf: Shelf,
    product_ids: Vec<ProductId>,
}

fn order_products(cx: &mut Write, Body(order): Body<ShelfOrder>) -> Result<Ordered> {
    let ShelfOrder { shelf, product_ids } = order;
    let there: Vec<(ProductId, i64)> = cx.all(PLACES, params![shelf])?;
    let named: BTreeSet<_> = product_ids.iter().copied().collect();
    let exact = named.len() == product_ids.len()
        && there.len() == named.len()
        && there.iter().all(|(id, _)| named.contains(id));
    if !exact {
        let rule = "must be every product of the shelf that is not archived, once each";
        return Err(Problem::invalid("productIds", rule));
    }
    let company = cx.company();
    cx.touch("company", company, ["productOrder"]);
    for (id, place) in product_ids.iter().zip(1i64..) {
        if !there.contains(&(*id, place)) {
            cx.defer(PLACE, params![id, place])?;
        }
    }
    Ok(Ordered { shelf, product_ids })
}

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    const LISTS: &[Key] = &[Key::InvalidEnum, Key::FieldTooLong];
    const WRITES: &[Key] =
        &[Key::InvalidEnum, Key::InvalidCurrency, Key::FieldTooLong, Key::ApiError];
    let read = [
        operation!(GET "/finance/day-passes", FinanceProductsRead, list_day_passes)
            .summary("List day and week passes")
            .fails(LISTS),
        operation!(GET "/finance/memberships", FinanceProductsRead, list_memberships)
            .summary("List memberships")
            .fails(LISTS),
        operation!(GET "/finance/credit-packs", FinanceProductsRead, list_credit_packs)
            .summary("List credit packs")
            .fails(LISTS),
        operation!(GET "/finance/products", FinanceProductsRead, list_products)
            .summary("List products")
            .describe("Of every type, those of a type together.")
            .fails(&[Key::InvalidEnum, Key::FieldTooLong, Key::InvalidBoolean]),
        operation!(GET "/finance/products/{productId}", FinanceProductsRead, get_product)
            .summary("Get a product"),
    ];
    let people = [
        operation!(app GET "/products", SignedIn, browse_products)
            .summary("List products")
            .describe("Clients see what the app shows and what is sold.")
            .fails(&[Key::InvalidEnum, Key::FieldTooLong, Key::InvalidBoolean]),
        operation!(app GET "/products/{productId}", SignedIn, browse_product)
            .summary("Get a product"),
        operation!(app POST "/products", Manager, create_product)
            .summary("Create a product")
            .created()
            .fails(WRITES),
        operation!(app PATCH "/products/{productId}", Manager, update_product)
            .summary("Update a product")
            .fails(WRITES),
        operation!(app POST "/products/{productId}/archive", Manager, archive_product)
            .summary("Archive a product")
            .describe("Archiving an archived product changes nothing."),
        operation!(app POST "/products/{productId}/restore", Manager, restore_product)
            .summary("Sell an archived product again"),
        operation!(app PUT "/product-order", Manager, order_products)
            .summary("Put the products of a shelf in order")
            .fails(&[Key::InvalidEnum]),
    ];
    read.into_iter().chain(people).map(|operation| operation.under("Products")).collect()
}

const VISIBILITY: Filter = Filter::new("visibility", "visibility = ?");
const SEARCH: Filter = Filter::new("search", "haystack LIKE ?");

/// Every product, shelf by shelf, those that are sold first; at most 1000.
pub static LIST: List = List {
    columns: Product::COLUMNS,
    from: "product WHERE company_id = ?1",
    filters: &[
        SEARCH,
        VISIBILITY,
        Filter::new("productType", "product_type = ?"),
        Filter::new("archived", "is_archived = ?"),
        Filter::new("inApp", "NOT is_archived AND visibility IN (?, ?, ?)"),
    ],
    order: "shelf, is_archived, place, product_id",
    tally: None,
};

/// The products of a shelf, those that are sold first.
pub static LIST_OF_SHELF: List = List {
    columns: Product::COLUMNS,
    from: "product WHERE company_id = ?1 AND shelf = ?2",
    filters: &[SEARCH, VISIBILITY],
    order: "is_archived, place, product_id",
    tally: None,
};

statements! {
    FIND = "SELECT ", Product::COLUMNS, " FROM product WHERE company_id = ?1 AND product_id = ?2";
    COUNT = "SELECT COUNT(*) FROM product WHERE company_id = ?1";
    LAST_PLACE = "SELECT place FROM product WHERE company_id = ?1 AND shelf = ?2 \
        ORDER BY place DESC LIMIT 1";
    INSERT = "INSERT INTO product (company_id, ", Product::COLUMNS, ", haystack, shelf, place) VALUES (?1, \
        ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, \
        ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)";
    SAVE = "UPDATE product SET (", Product::COLUMNS, ", haystack) = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \
        ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29) \
        WHERE company_id = ?1 AND product_id = ?2";
    PLACES = "SELECT product_id, place FROM product \
        WHERE company_id = ?1 AND shelf = ?2 AND is_archived = FALSE ORDER BY place LIMIT 1000";
    PLACE = "UPDATE product SET place = ?3 WHERE company_id = ?1 AND product_id = ?2";
}
