//! Equipment: the starter library's, a company's own, and what one client trains with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::folding::{haystack, needles, searched, slug};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Many, Page, Patch, Problem, Result, Timestamp,
    id::ClientId,
    id_type,
    text::{Name, Text},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{
    Bind, Json, List, NoFilters, Value, filters, lists, params, record, set, statements,
    stored_ids, values,
};

use super::{exercises::texts, starter, vocabulary::LibrarySource};
use crate::rules::TrainingRule;

id_type!(
    /// A piece of equipment.
    ItemId,
    RequestInvalid
);
stored_ids!(ItemId);

/// Most pieces of a company's own, and of one client.
const OWN_MAX: i64 = 500;

/// A piece of equipment.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EquipmentItem")]
pub struct Equipment {
    pub(super) id: ItemId,
    /// The label's slug, by which exercises name it.
    pub(super) key: String,
    pub(super) label: String,
    pub(super) category: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) family: Option<String>,
    pub(super) modality: Option<String>,
    pub(super) resistance_type: Option<String>,
    pub(super) movement_tags: Vec<String>,
    pub(super) usage_contexts: Vec<String>,
    /// system for the starter library, company or client for custom items.
    pub(super) source: LibrarySource,
    /// False for the starter library.
    pub(super) editable: bool,
}

record! {
    /// A custom item: the record.
    #[derive(Debug, Clone, PartialEq)]
    struct CustomItem {
        item_id: ItemId,
        client_id: Option<ClientId>,
        item_key: String,
        label: String,
        category: Option<String>,
        aliases: Json<Vec<String>>,
        family: Option<String>,
        modality: Option<String>,
        resistance_type: Option<String>,
        movement_tags: Json<Vec<String>>,
        usage_contexts: Json<Vec<String>>,
        updated_at: Timestamp,
    }
}

impl From<CustomItem> for Equipment {
    fn from(own: CustomItem) -> Self {
        Self {
            id: own.item_id,
            key: own.item_key,
            label: own.label,
            category: own.category,
            aliases: own.aliases.0,
            family: own.family,
            modality: own.modality,
            resistance_type: own.resistance_type,
            movement_tags: own.movement_tags.0,
            usage_contexts: own.usage_contexts.0,
            source: if own.client_id.is_some() {
                LibrarySource::Client
            } else {
                LibrarySource::Company
            },
            editable: true,
        }
    }
}

impl CustomItem {
    /// An item with a label, which no other item that its owner sees may have.
    fn new(cx: &mut Write, client_id: Option<ClientId>, label: Name<120>) -> Result<Self> {
        let count: Option<(i64,)> = match client_id {
            Some(client) => cx.one(COUNT_OF_CLIENT, params![client])?,
            None => cx.one(COUNT, params![])?,
        };
        if count.is_some_and(|(count,)| count >= OWN_MAX) {
            return Err(Problem::conflict("label", TrainingRule::TooManyItems { max: OWN_MAX }));
        }
        let own = Self {
            item_id: ItemId(cx.new_id()),
            client_id,
            item_key: slug(&label, "item"),
            label: label.into(),
            category: None,
            aliases: Json(Vec::new()),
            family: None,
            modality: None,
            resistance_type: None,
            movement_tags: Json(Vec::new()),
            usage_contexts: Json(Vec::new()),
            updated_at: cx.now(),
        };
        own.check_key(cx)?;
        Ok(own)
    }

    fn find_of_client(cx: &mut Read, client: ClientId, id: ItemId) -> Result<Self> {
        Client::find(cx, client)?;
        let own: Option<Self> = cx.one(FIND, params![id])?;
        own.filter(|own| own.client_id == Some(client)).ok_or_else(|| Key::NotFound.into())
    }

    /// Keys are unique among what the client, or the company, has of its own.
    fn check_key(&self, cx: &mut Read) -> Result<()> {
        let found: Option<(ItemId,)> = match self.client_id {
            Some(client) => cx.one(WITH_KEY_OF_CLIENT, params![client, self.item_key])?,
            None => cx.one(WITH_KEY, params![self.item_key])?,
        };
        if found.is_some_and(|(id,)| id != self.item_id) {
            return Err(Problem::conflict("label", TrainingRule::EquipmentKeyTaken));
        }
        Ok(())
    }

    fn parameters<'r>(&'r self, haystack: &'r str) -> Vec<Value<'r>> {
        let mut params = self.params();
        params.push(haystack.bind());
        params
    }

    fn haystack(&self) -> String {
        haystack([self.label.as_str()].into_iter().chain(self.aliases.0.iter().map(String::as_str)))
    }

    fn insert(self, cx: &mut Write) -> Result<ItemAnswer> {
        cx.set_audit_target("workout_equipment", self.item_id, ["item"]);
        cx.defer(INSERT, &self.parameters(&self.haystack()))?;
        Ok(ItemAnswer { item: self.into() })
    }
}

/// Whether a key names a piece of equipment that the whole company has.
pub(super) fn is_known(cx: &mut Read, key: &str) -> Result<bool> {
    if starter::ITEMS.iter().any(|listed| listed.item.key == key) {
        return Ok(true);
    }
    Ok(cx.one::<(ItemId,)>(WITH_KEY, params![key])?.is_some())
}

listed!(EquipmentList { equipment: Equipment });
listed!(Items { items: Equipment });

filters! {
    struct Filters {
        /// Words that the label or an alias has words beginning with; all must match.
        search: Text<100> => "haystack LIKE ?" each |text| searched(text);
        /// Items of this category.
        category: Text<60> => "category = ?";
        /// system or company.
        source: LibrarySource;
    }
}

impl Filters {
    fn find_system(&self, item: &starter::StarterItem<Equipment>) -> bool {
        let starter::StarterItem { item, haystack } = item;
        let needles = self.search.as_deref().map(needles).unwrap_or_default();
        self.source.is_none_or(|source| source == LibrarySource::System)
            && needles.iter().all(|needle| haystack.contains(needle))
            && self.category.as_deref().is_none_or(|word| item.category.as_deref() == Some(word))
    }
}

fn list_workout_equipment(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<EquipmentList> {
    let system: Vec<Equipment> = starter::ITEMS
        .iter()
        .filter(|item| wanted.find_system(item))
        .map(|listed| listed.item.clone())
        .collect();
    let own = |page| match wanted.source {
        Some(LibrarySource::System | LibrarySource::Client) => Page::of(Vec::new(), page),
        _ => Ok(cx.page(&LIST, &wanted, page)?.map(Equipment::from)),
    };
    Ok(Page::joined(page, own, &system)?.into())
}

answer!(ItemAnswer { item: Equipment });

/// The piece of equipment to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewEquipmentItem")]
struct NewItem {
    label: Name<120>,
    category: Option<Text<60>>,
    #[serde(default)]
    aliases: Many<Text<120>, 0, 20>,
    family: Option<Text<60>>,
    modality: Option<Text<60>>,
    resistance_type: Option<Text<60>>,
    #[serde(default)]
    movement_tags: Many<Text<60>, 0, 20>,
    #[serde(default)]
    usage_contexts: Many<Text<60>, 0, 20>,
}

fn create_workout_equipment(cx: &mut Write, Body(new): Body<NewItem>) -> Result<ItemAnswer> {
    let mut own = CustomItem::new(cx, None, new.label)?;
    own.category = new.category.map(Into::into);
    own.aliases = texts(new.aliases);
    own.family = new.family.map(Into::into);
    own.modality = new.modality.map(Into::into);
    own.resistance_type = new.resistance_type.map(Into::into);
    own.movement_tags = texts(new.movement_tags);
    own.usage_contexts = texts(new.usage_contexts);
    own.insert(cx)
}

fn list_client_equipment(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Items> {
    Client::find(cx, at.client_id)?;
    let under = [at.client_id.bind()];
    Ok(cx.page_under(&LIST_OF_CLIENT, &under, &NoFilters {}, page)?.map(Equipment::from).into())
}

/// A piece of equipment of one client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewClientEquipmentItem")]
struct NewClientItem {
    label: Name<120>,
    category: Option<Text<60>>,
}

fn create_client_equipment(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewClientItem>,
) -> Result<ItemAnswer> {
    Client::find(cx, at.client_id)?;
    let mut own = CustomItem::new(cx, Some(at.client_id), new.label)?;
    own.category = new.category.map(Into::into);
    own.insert(cx)
}

path!(ItemPath { client_id: ClientId, item_id: ItemId });

/// The fields of a piece of equipment to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EquipmentItemChanges")]
struct ItemChanges {
    /// The key follows the label.
    #[serde(default)]
    label: Change<Name<120>>,
    #[serde(default)]
    category: Patch<Text<60>>,
}

fn update_client_equipment(
    cx: &mut Write,
    Path(at): Path<ItemPath>,
    Body(change): Body<ItemChanges>,
) -> Result<ItemAnswer> {
    let before = CustomItem::find_of_client(cx, at.client_id, at.item_id)?;
    let mut own = before.clone();
    change.label.apply(&mut own.label);
    change.category.map(Into::into).apply(&mut own.category);
    own.item_key = slug(&own.label, "item");
    let changed = own.changed(&before);
    cx.set_audit_target("workout_equipment", own.item_id, changed.clone());
    if !changed.is_empty() {
        own.check_key(cx)?;
        own.updated_at = cx.now();
        cx.defer(SAVE, &own.parameters(&own.haystack()))?;
    }
    Ok(ItemAnswer { item: own.into() })
}

fn delete_client_equipment(cx: &mut Write, Path(at): Path<ItemPath>) -> Result<ItemAnswer> {
    let own = CustomItem::find_of_client(cx, at.client_id, at.item_id)?;
    cx.set_audit_target("workout_equipment", own.item_id, ["item"]);
    cx.defer(DELETE, params![own.item_id])?;
    Ok(ItemAnswer { item: own.into() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/equipment", WorkoutExercisesRead, list_workout_equipment)
            .summary("List equipment")
            .describe(
                "Returns the company's own equipment, newest first, then the starter library's.",
            ),
        operation!(POST "/workout/equipment/custom-items", WorkoutExercisesWrite, create_workout_equipment)
            .success(Success::Added)
            .summary("Create equipment")
            .describe("Adds equipment of the company's own.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(GET "/workout/equipment/clients/{clientId}/custom-items", WorkoutClientPlansRead, list_client_equipment)
            .summary("List a client's equipment")
            .describe("Returns equipment that was added for this client."),
        operation!(POST "/workout/equipment/clients/{clientId}/custom-items", WorkoutClientPlansWrite, create_client_equipment)
            .success(Success::Added)
            .summary("Create a client-scoped custom equipment item")
            .describe("Adds equipment that only this client trains with.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(PATCH "/workout/equipment/clients/{clientId}/custom-items/{itemId}", WorkoutClientPlansWrite, update_client_equipment)
            .summary("Update a client's equipment item")
            .describe("Changes the fields that are sent.")
            .fails(&[Key::ApiError]),
        operation!(DELETE "/workout/equipment/clients/{clientId}/custom-items/{itemId}", WorkoutClientPlansWrite, delete_client_equipment)
            .success(Success::Deleted)
            .summary("Delete a client's equipment item")
            .describe("Deletes the item."),
    ])
}

lists! {
    /// What a whole company has of its own, newest first; at most 500.
    LIST: List<CustomItem, Filters> =
        List::new("workout_equipment WHERE company_id = ?1 AND client_id IS NULL", "item_id DESC");

    /// What one client has, newest first; at most 500.
    LIST_OF_CLIENT: List<CustomItem> =
        List::new("workout_equipment WHERE company_id = ?1 AND client_id = ?2", "item_id DESC");
}

statements! {
    FIND = "SELECT ", CustomItem::COLUMNS, " FROM workout_equipment \
        WHERE company_id = ?1 AND item_id = ?2";
    WITH_KEY = "SELECT item_id FROM workout_equipment \
        WHERE company_id = ?1 AND client_id IS NULL AND item_key = ?2";
    WITH_KEY_OF_CLIENT = "SELECT item_id FROM workout_equipment \
        WHERE company_id = ?1 AND client_id = ?2 AND item_key = ?3";
    COUNT = "SELECT COUNT(*) FROM workout_equipment WHERE company_id = ?1 AND client_id IS NULL";
    COUNT_OF_CLIENT = "SELECT COUNT(*) FROM workout_equipment \
        WHERE company_id = ?1 AND client_id = ?2";
    INSERT = "INSERT INTO workout_equipment ", values!(CustomItem, haystack);
    SAVE = "UPDATE workout_equipment SET ", set!(CustomItem, haystack),
        " WHERE company_id = ?1 AND item_id = ?2";
    DELETE = "DELETE FROM workout_equipment WHERE company_id = ?1 AND item_id = ?2";
}
