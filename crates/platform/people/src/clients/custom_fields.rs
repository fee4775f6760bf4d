//! Custom fields: what a company wants to know of its clients beside the profile.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Any, json};
use spotter_contract::{
    Area, Body, Flag, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Event, Key, Many, Phrase, Problem, Result, Rule, Timestamp,
    id::ClientId,
    id_type,
    text::{Name, Text},
};
use spotter_store::{
    Json, List, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use super::{UPDATED, record::Client, search::ClientPath};
use crate::rules::PeopleRule;
use spotter_company::folding::slug;

id_type!(
    /// The definition of a custom field.
    FieldId,
    RequestInvalid
);
stored_ids!(FieldId);

words! {
    /// What a custom field holds.
    pub enum FieldType {
        Text = "text", Number = "number", Date = "date", Boolean = "boolean", Select = "select",
    }
}

record! {
    /// The definition of a custom field.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CustomField {
        field_id: FieldId,
        /// The label's slug; it never changes.
        #[serde(rename = "key")]
        field_key: String,
        label: String,
        r#type: FieldType,
        /// Options of a select; empty for other types.
        options: Json<Vec<String>>,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The most fields that a company can define.
const FIELDS_MAX: usize = 200;
/// The longest text value, in characters.
const VALUE_MAX: usize = 2_000;

impl CustomField {
    /// The definition's id.
    pub fn id(&self) -> FieldId {
        self.field_id
    }

    fn find(cx: &mut Read, id: FieldId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The stored value, if the field accepts it.
    fn checked(&self, value: &Any, at: &str) -> Result<Any> {
        let wrong = |rule: Phrase| Err(Problem::invalid(at, rule));
        match (self.r#type, value) {
            (FieldType::Text, Any::String(text)) => match Text::<VALUE_MAX>::parse(text) {
                Ok(text) => Ok(Any::String(text.into_string())),
                Err((key, rule)) => Err(Problem::field(key, at, rule)),
            },
            (FieldType::Number, Any::Number(_)) | (FieldType::Boolean, Any::Bool(_)) => {
                Ok(value.clone())
            }
            (FieldType::Date, Any::String(text)) => match Date::parse(text) {
                Some(date) => Ok(Any::String(date.to_string())),
                None => Err(Problem::field(Key::InvalidDate, at, Rule::NotDate)),
            },
            (FieldType::Select, Any::String(text)) if self.options.0.contains(text) => {
                Ok(value.clone())
            }
            (FieldType::Select, _) => {
                Err(Problem::field(Key::InvalidEnum, at, PeopleRule::UnknownOption))
            }
            (FieldType::Text, _) => wrong(PeopleRule::NotString.into()),
            (FieldType::Number, _) => wrong(Rule::NotNumber.into()),
            (FieldType::Boolean, _) => wrong(Rule::NotBoolean.into()),
            (FieldType::Date, _) => wrong(Rule::NotDate.into()),
        }
    }
}

fn checked_options(kind: FieldType, options: Many<Text<120>, 0, 100>) -> Result<Json<Vec<String>>> {
    let wrong = |rule: PeopleRule| Err(Problem::invalid("options", rule));
    match kind {
        FieldType::Select if options.is_empty() => wrong(PeopleRule::NoOptions),
        FieldType::Select => {
            let mut kept: Vec<String> = Vec::new();
            for option in options {
                if !kept.iter().any(|other| **other == *option) {
                    kept.push(option.into());
                }
            }
            Ok(Json(kept))
        }
        _ if options.is_empty() => Ok(Json(Vec::new())),
        _ => wrong(PeopleRule::OptionsOfOtherKind),
    }
}

listed!(CustomFields { custom_fields: CustomField });

filters! {
    struct Filters {
        /// `true` for archived definitions, `false` for the others; both when absent.
        archived: Flag => "(archived_at IS NOT NULL) = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_custom_fields(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<CustomFields> {
    Ok(cx.page(&FIELDS, &wanted, page)?.into())
}

fn options_belong_to_selects(schema: &mut Schema) {
    // Linters read each branch as closed, so each names every property.
    let branch = |kind: Any, options: Any| json!({"properties": {"label": true, "type": kind, "options": options}});
    let mut selects = branch(json!(true), json!({"minItems": 1}));
    selects["required"] = json!(["options"]);
    let mut is_select = branch(json!({"const": "select"}), json!(true));
    is_select["required"] = json!(["type"]);
    schema.insert("if".to_owned(), is_select);
    schema.insert("then".to_owned(), selects);
    schema.insert("else".to_owned(), branch(json!(true), json!({"maxItems": 0})));
}

/// The custom field to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = options_belong_to_selects)]
pub struct NewCustomField {
    /// Display name.
    pub label: Name<120>,
    /// Type of the values.
    pub r#type: FieldType,
    /// Options of a select, 1 to 100; absent or empty for other types.
    #[serde(default)]
    pub options: Many<Text<120>, 0, 100>,
}

answer!(FieldAnswer { custom_field: CustomField });

/// Defines a custom field.
pub fn define(cx: &mut Write, new: NewCustomField) -> Result<CustomField> {
    let defined: Vec<(FieldId, String)> = cx.all(KEYS, params![])?;
    if defined.len() >= FIELDS_MAX {
        return Err(Problem::conflict(
            "label",
            PeopleRule::TooManyCustomFields { max: FIELDS_MAX },
        ));
    }
    let field = CustomField {
        field_id: FieldId(cx.new_id()),
        field_key: slug(&new.label, "field"),
        label: new.label.into(),
        r#type: new.r#type,
        options: checked_options(new.r#type, new.options)?,
        archived_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    if defined.iter().any(|(_, key)| *key == field.field_key) {
        return Err(Problem::conflict("label", PeopleRule::CustomFieldKeyTaken));
    }
    cx.set_audit_target("custom_field", field.field_id, ["customField"]);
    cx.defer(INSERT, &field.params())?;
    Ok(field)
}

fn create_custom_field(cx: &mut Write, Body(new): Body<NewCustomField>) -> Result<FieldAnswer> {
    Ok(FieldAnswer { custom_field: define(cx, new)? })
}

/// The fields of a custom field to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "CustomFieldChanges")]
struct FieldChanges {
    label: Change<Name<120>>,
    /// Options of a select; values with removed options remain.
    options: Change<Many<Text<120>, 0, 100>>,
    /// Archived fields take no new values.
    archived: Change<bool>,
}

path!(FieldPath { field_id: FieldId });

fn update_custom_field(
    cx: &mut Write,
    Path(at): Path<FieldPath>,
    Body(change): Body<FieldChanges>,
) -> Result<FieldAnswer> {
    let before = CustomField::find(cx, at.field_id)?;
    let mut field = before.clone();
    change.label.apply(&mut field.label);
    if let Some(options) = change.options.value() {
        // Valid options depend on the field's current type.
        field.options = checked_options(field.r#type, options).map_err(|problem| Problem {
            status: 409,
            key: Key::ApiError,
            ..problem
        })?;
    }
    match change.archived.value() {
        Some(true) => field.archived_at = field.archived_at.or(Some(cx.now())),
        Some(false) => field.archived_at = None,
        None => {}
    }
    let changed = field.changed(&before);
    cx.set_audit_target("custom_field", field.field_id, changed.clone());
    if !changed.is_empty() {
        field.updated_at = cx.now();
        cx.defer(SAVE, &field.params())?;
    }
    Ok(FieldAnswer { custom_field: field })
}

/// A client's value of a custom field.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CustomFieldValue")]
struct FieldValue {
    field_id: FieldId,
    key: String,
    label: String,
    r#type: FieldType,
    /// By the field's type: a string, a number, a boolean, or a date `YYYY-MM-DD`; null where
    /// the client has none.
    value: Any,
    updated_at: Option<Timestamp>,
}

answer!(ValuesAnswer { client_id: ClientId, values: Vec<FieldValue> });

fn values_of(cx: &mut Read, client: ClientId) -> Result<ValuesAnswer> {
    type Kept = (FieldId, Json<Any>, Timestamp);
    let fields: Vec<CustomField> = cx.all(OPEN_FIELDS, params![])?;
    let kept: Vec<Kept> = cx.all(VALUES, params![client])?;
    let mut kept: BTreeMap<_, _> =
        kept.into_iter().map(|(field, value, at)| (field, (value.0, at))).collect();
    let values = fields.into_iter().map(|field| {
        let (value, updated_at) = kept.remove(&field.field_id).unzip();
        FieldValue {
            field_id: field.field_id,
            key: field.field_key,
            label: field.label,
            r#type: field.r#type,
            value: value.unwrap_or(Any::Null),
            updated_at,
        }
    });
    Ok(ValuesAnswer { client_id: client, values: values.collect() })
}

fn get_client_custom_fields(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<ValuesAnswer> {
    Client::find(cx, at.client_id)?;
    values_of(cx, at.client_id)
}

/// A value of a custom field.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewCustomFieldValue")]
pub struct NewValue {
    /// Field that is set, one of `GET /client-custom-fields`.
    pub field_id: FieldId,
    /// Value of the field's type; null clears.
    pub value: Any,
}

/// The values of a client's custom fields to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CustomFieldValueChanges")]
struct ValueChanges {
    /// At least one and at most 200 values, each field once; other fields stay as they are.
    #[schemars(required, with = "Vec<NewValue>", length(min = 1, max = 200))]
    values: Option<Vec<NewValue>>,
}

fn update_client_custom_fields(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(change): Body<ValueChanges>,
) -> Result<ValuesAnswer> {
    let client = Client::find(cx, at.client_id)?;
    set_values(cx, &client, change.values.unwrap_or_default())?;
    values_of(cx, at.client_id)
}

/// Sets a client's values and announces the change.
pub fn set_values(cx: &mut Write, client: &Client, values: Vec<NewValue>) -> Result<()> {
    if values.is_empty() {
        return Err(Problem::field(Key::CustomFieldValuesRequired, "values", Rule::Empty));
    }
    if values.len() > FIELDS_MAX {
        return Err(Problem::invalid("values", PeopleRule::TooManyValues { max: FIELDS_MAX }));
    }
    let now = cx.now();
    let mut changed = Vec::new();
    for (number, new) in values.iter().enumerate() {
        let at = |part: &str| format!("values[{number}].{part}");
        if values[..number].iter().any(|other| other.field_id == new.field_id) {
            return Err(Problem::invalid(&at("fieldId"), PeopleRule::SetTwice));
        }
        let field = match CustomField::find(cx, new.field_id) {
            Err(problem) if problem.key == Key::NotFound => {
                return Err(Problem::field(
                    Key::NotFound,
                    &at("fieldId"),
                    PeopleRule::UnknownCustomField,
                ));
            }
            other => other?,
        };
        if field.archived_at.is_some() {
            return Err(Problem::conflict(&at("fieldId"), PeopleRule::CustomFieldArchived));
        }
        let kept: Option<(Json<Any>,)> = cx.one(VALUE, params![client.client_id, new.field_id])?;
        let kept = kept.map_or(Any::Null, |row| row.0.0);
        let wanted = match &new.value {
            Any::Null => Any::Null,
            value => field.checked(value, &at("value"))?,
        };
        if wanted == kept {
            continue;
        }
        // By its id: its key is made of its label, which is text of a user.
        changed.push(format!("customFields.{}", new.field_id));
        cx.defer(UNSET, params![client.client_id, new.field_id])?;
        if wanted != Any::Null {
            cx.defer(SET, params![client.client_id, new.field_id, Json(wanted), now])?;
        }
    }
    cx.set_audit_target("client", client.client_id, changed.clone());
    if !changed.is_empty() {
        cx.emit(Event::ClientUpdated, &client.update_event(changed))?;
    }
    Ok(())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .operations([
            operation!(GET "/client-custom-fields", ClientCustomFieldsRead, list_custom_fields)
                .summary("List custom fields")
                .describe("Returns the definitions of the company's custom client fields."),
            operation!(POST "/client-custom-fields", ClientCustomFieldsWrite, create_custom_field)
                .success(Success::Added)
                .summary("Create a custom field")
                .describe(
                    "Defines a custom client field with its type and, for a select, its options.",
                )
                .created()
                .fails(&[Key::ApiError]),
            operation!(PATCH "/client-custom-fields/{fieldId}", ClientCustomFieldsWrite,
            update_custom_field)
            .summary("Update a custom field")
            .describe("Changes the definition. Stored values stay."),
            operation!(GET "/clients/{clientId}/custom-fields", ClientCustomFieldsRead,
            get_client_custom_fields)
            .summary("Get a client's custom fields")
            .describe("Returns the client's values of the company's custom fields."),
            operation!(PATCH "/clients/{clientId}/custom-fields", ClientCustomFieldsWrite,
            update_client_custom_fields)
            .summary("Update a client's custom fields")
            .describe("Sets the values that are sent; `null` clears a value. Other values stay.")
            .emits(UPDATED)
            .fails(&[
                Key::CustomFieldValuesRequired,
                Key::InvalidDate,
                Key::InvalidEnum,
                Key::FieldTooLong,
                Key::ApiError,
            ]),
        ])
        .tagged("Client custom fields")
}

lists! {
    /// Every definition, newest first; a company has few.
    FIELDS: List<CustomField, Filters> =
        List::new("custom_field WHERE company_id = ?1", "field_id DESC");
}

statements! {
    FIND = "SELECT ", CustomField::COLUMNS, " FROM custom_field WHERE company_id = ?1 AND field_id = ?2";
    OPEN_FIELDS = "SELECT ", CustomField::COLUMNS, " FROM custom_field \
        WHERE company_id = ?1 AND archived_at IS NULL ORDER BY field_id LIMIT 200";
    KEYS = "SELECT field_id, field_key FROM custom_field WHERE company_id = ?1 LIMIT 201";
    INSERT = "INSERT INTO custom_field ", values!(CustomField);
    SAVE = "UPDATE custom_field SET ", set!(CustomField),
        " WHERE company_id = ?1 AND field_id = ?2";
    VALUES = "SELECT field_id, value, updated_at FROM custom_value \
        WHERE company_id = ?1 AND client_id = ?2 LIMIT 200";
    VALUE = "SELECT value FROM custom_value WHERE company_id = ?1 AND client_id = ?2 AND field_id = ?3";
    SET = "INSERT INTO custom_value (company_id, client_id, field_id, value, updated_at) \
        VALUES (?1, ?2, ?3, ?4, ?5)";
    UNSET = "DELETE FROM custom_value WHERE company_id = ?1 AND client_id = ?2 AND field_id = ?3";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_belong_to_selects() {
        let text = |text: &&str| Text::parse(text).unwrap();
        let many = |texts: &[&str]| Many::new(texts.iter().map(text).collect()).unwrap();
        let options = checked_options(FieldType::Select, many(&["a", "b", "a"]));
        assert_eq!(options.unwrap().0, ["a", "b"]);
        assert!(checked_options(FieldType::Select, many(&[])).is_err());
        assert!(checked_options(FieldType::Number, many(&["a"])).is_err());
    }
}
