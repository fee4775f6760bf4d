//! What clients eat, meal by meal. No integration reads it: the
//! contract has no scope for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Id, Key, Many, Patch, Problem, Result, Rule, Timestamp,
    id::ClientId,
    id_type,
    text::{Name, Text},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{
    Bind, Json, List, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use crate::{
    effects::ProgressEffect,
    measurement::MeasurementSource,
    nutrients::{Hundredths, NutrientTotals, Nutrients},
    nutrition_targets::{NutritionTarget, TargetView},
    permissions::today,
    rules::ProgressRule,
};

id_type!(
    /// A meal that was logged.
    NutritionLogId,
    RequestInvalid
);
stored_ids!(NutritionLogId);

/// How many days back a meal can be logged.
const DAYS_BACK: i64 = 365;
/// Most meals of a day.
const MEALS_MAX: i64 = 50;

words! {
    /// Meal.
    pub enum MealType {
        Breakfast = "breakfast",
        Lunch = "lunch",
        Dinner = "dinner",
        Snack = "snack",
        Other = "other",
    }
}

words! {
    /// The unit of an amount of food.
    pub enum FoodUnit {
        Grams = "g",
        Millilitres = "ml",
        Serving = "serving",
        Piece = "piece",
    }
}

/// A food with its nutrients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FoodItem {
    /// Display name.
    pub name: Name<200>,
    /// The food's brand.
    pub brand: Option<Name<100>>,
    /// Amount in `unit`.
    pub amount: Hundredths,
    /// Unit of the amount.
    pub unit: FoodUnit,
    /// Weight of a serving or a piece, in grams.
    pub grams_per_serving: Option<Hundredths>,
    /// The id of the food in the sender's own list.
    pub food_id: Option<Text<100>>,
    /// Nutrients of the whole amount, not per 100 grams.
    #[serde(default)]
    pub nutrients: Nutrients,
}

record! {
    /// A meal: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct NutritionLog {
        client_id: ClientId,
        nutrition_log_id: NutritionLogId,
        date: Date,
        meal_type: MealType,
        logged_at: Timestamp,
        note: Option<String>,
        source: MeasurementSource,
        items: Json<Vec<FoodItem>>,
        recorded_by_type: String,
        recorded_by: Option<Id>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// A recorded meal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NutritionLog")]
struct NutritionLogView {
    /// The meal's id.
    nutrition_log_id: NutritionLogId,
    client_id: ClientId,
    /// The date, where the client is.
    date: Date,
    /// Which meal of the day it belongs to.
    meal_type: MealType,
    /// When it was eaten.
    logged_at: Timestamp,
    note: Option<String>,
    /// How the meal was recorded.
    source: MeasurementSource,
    /// Foods of the meal.
    items: Vec<FoodItem>,
    /// Total nutrients.
    totals: NutrientTotals,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    recorded_by_type: String,
    recorded_by: Option<Id>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

fn totals<'i>(items: impl IntoIterator<Item = &'i FoodItem>) -> NutrientTotals {
    let mut totals = NutrientTotals::default();
    items.into_iter().for_each(|item| totals.add(&item.nutrients));
    totals
}

impl NutritionLog {
    fn find(cx: &mut Read, client: ClientId, id: NutritionLogId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn into_view(self) -> NutritionLogView {
        NutritionLogView {
            nutrition_log_id: self.nutrition_log_id,
            client_id: self.client_id,
            date: self.date,
            meal_type: self.meal_type,
            logged_at: self.logged_at,
            note: self.note,
            source: self.source,
            totals: totals(&self.items.0),
            items: self.items.0,
            recorded_by_type: self.recorded_by_type,
            recorded_by: self.recorded_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

listed!(Logs { nutrition_logs: NutritionLogView });

filters! {
    struct Filters {
        /// Meals of this kind.
        meal_type: MealType => "meal_type = ?";
        /// Meals from this date on.
        from: Date => "date >= ?";
        /// Meals before this date.
        to: Date => "date < ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_client_nutrition_logs(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Logs> {
    Client::find(cx, at.client_id)?;
    let page = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(page.map(NutritionLog::into_view).into())
}

path!(LogPath { client_id: ClientId, nutrition_log_id: NutritionLogId });

answer!(LogAnswer { nutrition_log: NutritionLogView });

fn get_nutrition_log(cx: &mut Read, Path(at): Path<LogPath>) -> Result<LogAnswer> {
    let found = NutritionLog::find(cx, at.client_id, at.nutrition_log_id)?;
    Ok(LogAnswer { nutrition_log: found.into_view() })
}

/// The meal to record.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewNutritionLog")]
struct NewLog {
    /// Today when absent, where the client is; at most a year ago.
    date: Option<Date>,
    /// `other` when absent.
    meal_type: Option<MealType>,
    /// Now when absent; not in the future.
    logged_at: Option<Timestamp>,
    /// Note, as free text.
    note: Option<Text<1000>>,
    /// Foods of the meal.
    items: Many<FoodItem, 1, 50>,
}

fn checked_items(items: Many<FoodItem, 1, 50>) -> Result<Json<Vec<FoodItem>>> {
    let items = items.into_vec();
    for (at, item) in items.iter().enumerate() {
        item.nutrients.check(&format!("items[{at}].nutrients"))?;
    }
    Ok(Json(items))
}

fn checked_date(cx: &mut Read, client: ClientId, submitted: Option<Date>) -> Result<Date> {
    let today = today(cx, client)?;
    match submitted {
        Some(date) if date > today => Err(Problem::invalid("date", ProgressRule::InFutureOfClient)),
        Some(date) if date.days_until(today) > DAYS_BACK => {
            Err(Problem::invalid("date", ProgressRule::EatenLongAgo))
        }
        submitted => Ok(submitted.unwrap_or(today)),
    }
}

fn checked_time(submitted: Option<Timestamp>, now: Timestamp) -> Result<Timestamp> {
    match submitted {
        Some(at) if at > now => Err(Problem::invalid("loggedAt", Rule::InFuture)),
        submitted => Ok(submitted.unwrap_or(now)),
    }
}

fn log_meal(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewLog>,
) -> Result<LogAnswer> {
    let date = checked_date(cx, at.client_id, new.date)?;
    let there: Option<(i64,)> = cx.one(COUNT, params![at.client_id, date])?;
    if there.is_some_and(|(count,)| count >= MEALS_MAX) {
        return Err(Problem::conflict("date", ProgressRule::TooManyMeals { max: MEALS_MAX }));
    }
    let (recorded_by_type, recorded_by) = cx.maker();
    let log = NutritionLog {
        client_id: at.client_id,
        nutrition_log_id: NutritionLogId(cx.new_id()),
        date,
        meal_type: new.meal_type.unwrap_or(MealType::Other),
        logged_at: checked_time(new.logged_at, cx.now())?,
        note: new.note.map(Into::into),
        source: MeasurementSource::of(cx),
        items: checked_items(new.items)?,
        recorded_by_type,
        recorded_by,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("nutrition_log", log.nutrition_log_id, ["nutritionLog"]);
    cx.defer(INSERT, &log.params())?;
    Ok(LogAnswer { nutrition_log: log.into_view() })
}

/// The fields of a meal to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "NutritionLogChanges")]
struct LogChanges {
    /// The date, where the client is.
    date: Change<Date>,
    /// Which meal of the day it belongs to.
    meal_type: Change<MealType>,
    /// When it was eaten.
    logged_at: Change<Timestamp>,
    note: Patch<Text<1000>>,
    /// Items; replaces the present ones.
    items: Change<Many<FoodItem, 1, 50>>,
}

fn update_nutrition_log(
    cx: &mut Write,
    Path(at): Path<LogPath>,
    Body(change): Body<LogChanges>,
) -> Result<LogAnswer> {
    let before = NutritionLog::find(cx, at.client_id, at.nutrition_log_id)?;
    let mut log = before.clone();
    if let Some(date) = change.date.value() {
        log.date = checked_date(cx, at.client_id, Some(date))?;
    }
    if let Some(submitted) = change.logged_at.value() {
        log.logged_at = checked_time(Some(submitted), cx.now())?;
    }
    change.meal_type.apply(&mut log.meal_type);
    change.note.map(Into::into).apply(&mut log.note);
    if let Some(items) = change.items.value() {
        log.items = checked_items(items)?;
    }
    if let Some(now) = cx.audit_fields("nutrition_log", log.nutrition_log_id, log.changed(&before))
    {
        log.updated_at = now;
        cx.defer(SAVE, &log.params())?;
    }
    Ok(LogAnswer { nutrition_log: log.into_view() })
}

/// The meal that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeletedNutritionLog")]
struct DeletedLog {
    /// The meal's id.
    nutrition_log_id: NutritionLogId,
    client_id: ClientId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedAnswer { nutrition_log: DeletedLog });

fn delete_nutrition_log(cx: &mut Write, Path(at): Path<LogPath>) -> Result<DeletedAnswer> {
    let log = NutritionLog::find(cx, at.client_id, at.nutrition_log_id)?;
    cx.set_audit_target("nutrition_log", log.nutrition_log_id, ["nutritionLog"]);
    cx.as_of(log.updated_at);
    cx.describe_effect(|| {
        let count = log.items.0.len();
        ProgressEffect::MealDropped {
            date: log.date.to_string(),
            kind: log.meal_type.word().to_string(),
            count,
        }
    });
    cx.defer(DELETE, params![at.client_id, at.nutrition_log_id])?;
    let LogPath { client_id, nutrition_log_id } = at;
    Ok(DeletedAnswer { nutrition_log: DeletedLog { nutrition_log_id, client_id, deleted: true } })
}

path!(DayPath { client_id: ClientId, date: Date });

/// The meals of a date beside the target.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NutritionDay {
    client_id: ClientId,
    date: Date,
    /// Meals of the day, oldest first.
    nutrition_logs: Vec<NutritionLogView>,
    /// Total nutrients.
    totals: NutrientTotals,
    /// The target on that date; null if none is set.
    target: Option<TargetView>,
}

answer!(DayAnswer { nutrition_day: NutritionDay });

fn get_client_nutrition_day(cx: &mut Read, Path(at): Path<DayPath>) -> Result<DayAnswer> {
    Client::find(cx, at.client_id)?;
    let logs: Vec<NutritionLog> = cx.all(OF_DAY, params![at.client_id, at.date])?;
    let target = NutritionTarget::on(cx, at.client_id, at.date)?;
    let day = NutritionDay {
        client_id: at.client_id,
        date: at.date,
        totals: totals(logs.iter().flat_map(|log| &log.items.0)),
        nutrition_logs: logs.into_iter().map(NutritionLog::into_view).collect(),
        target: target.map(NutritionTarget::into_view),
    };
    Ok(DayAnswer { nutrition_day: day })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(app GET "/clients/{clientId}/nutrition-logs", Coach, list_client_nutrition_logs)
        .about_health()
        .summary("List a client's meals")
        .describe("Returns meals by date, latest first.")
        .for_client(&[]),
        operation!(app GET "/clients/{clientId}/nutrition-logs/{nutritionLogId}",
            Coach, get_nutrition_log)
        .about_health()
        .summary("Get a meal")
            .describe("Returns one logged meal.")
        .for_client(&[]),
        operation!(app POST "/clients/{clientId}/nutrition-logs", Coach, log_meal)
            .about_health()
            .summary("Log a meal")
            .describe(
                "Records a meal with the nutrients of each food as eaten; unknown nutrients are \
                 left out.",
            )
            .created()
            .for_client(&[])
            .fails(&[Key::ApiError]),
        operation!(app PATCH "/clients/{clientId}/nutrition-logs/{nutritionLogId}", Coach, update_nutrition_log)
        .about_health()
        .summary("Update a meal")
            .describe("Changes the fields that are sent.")
        .for_client(&[]),
        operation!(app DELETE "/clients/{clientId}/nutrition-logs/{nutritionLogId}", Coach, delete_nutrition_log)
        .success(Success::Deleted)
        .about_health()
        .summary("Delete a meal")
            .describe("Deletes a logged meal.")
        .for_client(&[])
        .confirmation(),
        operation!(app GET "/clients/{clientId}/nutrition-days/{date}", Coach, get_client_nutrition_day)
        .about_health()
        .summary("Get a day's nutrition")
        .describe("Returns the totals of the client's meals on a date, beside the coach's targets.")
        .for_client(&[]),
    ])
}

lists! {
    /// What a client has eaten, the latest date first; a day has at most 50.
    LIST: List<NutritionLog, Filters> = List::new(
        "nutrition_log WHERE company_id = ?1 AND client_id = ?2",
        "date DESC, logged_at DESC, nutrition_log_id DESC",
    );
}

statements! {
    FIND = "SELECT ", NutritionLog::COLUMNS, " FROM nutrition_log \
        WHERE company_id = ?1 AND client_id = ?2 AND nutrition_log_id = ?3";
    OF_DAY = "SELECT ", NutritionLog::COLUMNS, " FROM nutrition_log \
        WHERE company_id = ?1 AND client_id = ?2 AND date = ?3 ORDER BY logged_at, nutrition_log_id LIMIT 50";
    COUNT = "SELECT COUNT(*) FROM nutrition_log WHERE company_id = ?1 AND client_id = ?2 AND date = ?3";
    INSERT = "INSERT INTO nutrition_log ", values!(NutritionLog);
    SAVE = "UPDATE nutrition_log SET ", set!(NutritionLog),
        " WHERE company_id = ?1 AND client_id = ?2 AND nutrition_log_id = ?3";
    DELETE = "DELETE FROM nutrition_log WHERE company_id = ?1 AND client_id = ?2 AND nutrition_log_id = ?3";
}
