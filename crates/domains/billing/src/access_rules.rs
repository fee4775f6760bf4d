//! Access rules: where and when a product grants access. A product without one grants access everywhere, at all
//! times.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Location;
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, UpdatedFrom, Write,
    admission::{AccessHours, Limits},
    answer, listed, operation, path,
};
use spotter_kernel::{Key, Many, Result, Rule, Timestamp, id::LocationId, text::Text};
use spotter_store::{Json, List, lists, params, record, set, statements, values};

use crate::catalogue::product::{Product, ProductId};

record! {
    /// Where and when a product grants access.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AccessRule {
        /// Whose holders it admits.
        product_id: ProductId,
        /// Locations; all when empty.
        location_ids: Json<Vec<LocationId>>,
        /// Zones; all when empty.
        zones: Json<Vec<String>>,
        /// Hours in the location's time zone; always when empty.
        hours: Json<Vec<AccessHours>>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl AccessRule {
    /// Asks ahead for the rule of a product.
    pub fn ask_ahead(cx: &mut Read, product: ProductId) -> Result<()> {
        cx.ask_ahead(FIND, params![product])
    }

    fn find_optional(cx: &mut Read, product: ProductId) -> Result<Option<Self>> {
        cx.one(FIND, params![product])
    }

    fn find(cx: &mut Read, product: ProductId) -> Result<Self> {
        Self::find_optional(cx, product)?.ok_or_else(|| Key::NotFound.into())
    }

    fn into_limits(self) -> Limits {
        Limits { locations: self.location_ids.0, zones: self.zones.0, hours: self.hours.0 }
    }

    /// Where and when a product grants access.
    pub fn limits(cx: &mut Read, product: ProductId) -> Result<Limits> {
        Ok(Self::find_optional(cx, product)?.map(Self::into_limits).unwrap_or_default())
    }

    /// The same of all products that have a rule.
    pub fn all(cx: &mut Read) -> Result<BTreeMap<ProductId, Limits>> {
        let all: Vec<Self> = cx.all(ALL, params![])?;
        Ok(all.into_iter().map(|rule| (rule.product_id, rule.into_limits())).collect())
    }
}

path!(RulePath {
    /// Whose holders it admits.
    product_id: ProductId
});

answer!(AccessRuleAnswer { access_rule: AccessRule });

listed!(AccessRules { access_rules: AccessRule });

/// Where and when a product grants access.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewAccessRule {
    /// Locations; all when absent.
    #[serde(default)]
    location_ids: Many<LocationId, 0, 50>,
    /// Zones, regardless of case; all when absent.
    #[serde(default)]
    zones: Many<Text<60>, 0, 50>,
    /// Hours in the location's time zone; always when absent.
    #[serde(default)]
    hours: Many<AccessHours, 0, 42>,
}

fn list_access_rules(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<AccessRules> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

fn get_access_rule(cx: &mut Read, Path(at): Path<RulePath>) -> Result<AccessRuleAnswer> {
    Ok(AccessRuleAnswer { access_rule: AccessRule::find(cx, at.product_id)? })
}

fn set_access_rule(
    cx: &mut Write,
    Path(at): Path<RulePath>,
    Body(new): Body<NewAccessRule>,
) -> Result<AccessRuleAnswer> {
    Product::find(cx, at.product_id)?;
    for location in new.location_ids.iter() {
        let rule = Rule::OtherCompanysLocations;
        Location::find(cx, *location).map_err(|none| none.missing("locationIds", rule))?;
    }
    let before = AccessRule::find_optional(cx, at.product_id)?;
    let (now, is_new) = (cx.now(), before.is_none());
    let mut rule = AccessRule {
        product_id: at.product_id,
        location_ids: Json(new.location_ids.into_vec()),
        zones: Json(new.zones.into_iter().map(Text::into_string).collect()),
        hours: Json(new.hours.into_vec()),
        created_at: before.as_ref().map_or(now, |before| before.created_at),
        updated_at: before.as_ref().map_or(now, |before| before.updated_at),
    };
    let changed = match &before {
        Some(before) => rule.changed(before),
        None => vec!["accessRule".to_owned()],
    };
    if let Some(now) = cx.audit_fields("access_rule", at.product_id, changed) {
        rule.updated_at = now;
        cx.defer(if is_new { INSERT } else { SAVE }, &rule.params())?;
    }
    Ok(AccessRuleAnswer { access_rule: rule })
}

fn delete_access_rule(cx: &mut Write, Path(at): Path<RulePath>) -> Result<AccessRuleAnswer> {
    let access_rule = AccessRule::find(cx, at.product_id)?;
    cx.set_audit_target("access_rule", at.product_id, ["accessRule"]);
    cx.defer(DELETE, params![at.product_id])?;
    Ok(AccessRuleAnswer { access_rule })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .operations([
            operation!(app GET "/access-rules", Manager, list_access_rules)
                .summary("List access rules")
                .describe("Returns where and when products admit."),
            operation!(app GET "/access-rules/{productId}", Manager, get_access_rule)
                .summary("Get an access rule")
                .describe("Returns where and when a product admits."),
            operation!(app PUT "/access-rules/{productId}", Manager, set_access_rule)
                .summary("Set an access rule")
                .describe(
                    "Sets where and when a product admits. Without a rule it admits everywhere and \
                 always. Hours are local to the location.",
                ),
            operation!(app DELETE "/access-rules/{productId}", Manager, delete_access_rule)
                .success(Success::Deleted)
                .summary("Delete an access rule")
                .describe("The product then admits everywhere and always."),
        ])
        .tagged("Access rules")
}

lists! {
    /// Every rule; a company has few products.
    LIST: List<AccessRule, UpdatedFrom> =
        List::new("access_rule WHERE company_id = ?1", "product_id DESC");
}

statements! {
    FIND = "SELECT ", AccessRule::COLUMNS, " FROM access_rule WHERE company_id = ?1 AND product_id = ?2";
    ALL = "SELECT ", AccessRule::COLUMNS, " FROM access_rule WHERE company_id = ?1 \
        ORDER BY product_id LIMIT 5000";
    INSERT = "INSERT INTO access_rule ", values!(AccessRule);
    SAVE = "UPDATE access_rule SET ", set!(AccessRule), " WHERE company_id = ?1 AND product_id = ?2";
    DELETE = "DELETE FROM access_rule WHERE company_id = ?1 AND product_id = ?2";
}
