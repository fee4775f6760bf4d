//! Daily nutrition targets of clients, from a date on, set by their coach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, UpdatedFrom, Write, answer, listed, operation, path,
};
use spotter_kernel::{Date, Id, Problem, Result, Timestamp, id::ClientId};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, Json, List, lists, params, record, set, statements, values};

use crate::{nutrients::Nutrients, permissions::today, rules::ProgressRule};

/// Days around today within which a target can begin.
const DAYS_APART: i64 = 365;

record! {
    /// What a client is to eat each day, from a date on.
    #[derive(Debug, Clone, PartialEq)]
    pub struct NutritionTarget {
        client_id: ClientId,
        from_date: Date,
        target_id: Id,
        amounts: Json<Nutrients>,
        set_by_type: String,
        set_by: Option<Id>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The daily amounts a client should eat.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NutritionTarget")]
pub struct TargetView {
    client_id: ClientId,
    /// The first date on which it holds.
    from_date: Date,
    /// Daily amounts; null ones have no target.
    amounts: Nutrients,
    /// coach or system.
    set_by_type: String,
    /// The person who set it.
    set_by: Option<Id>,
    updated_at: Timestamp,
}

impl NutritionTarget {
    /// What holds on a date.
    pub fn on(cx: &mut Read, client: ClientId, date: Date) -> Result<Option<Self>> {
        cx.one(ON, params![client, date])
    }

    /// Its API form.
    pub fn into_view(self) -> TargetView {
        TargetView {
            client_id: self.client_id,
            from_date: self.from_date,
            amounts: self.amounts.0,
            set_by_type: self.set_by_type,
            set_by: self.set_by,
            updated_at: self.updated_at,
        }
    }
}

listed!(Targets { nutrition_targets: TargetView });

fn list_nutrition_targets(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Targets> {
    Client::find(cx, at.client_id)?;
    let page = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(page.map(NutritionTarget::into_view).into())
}

path!(TargetPath { client_id: ClientId, date: Date });

/// The daily amounts a client should eat.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewNutritionTarget")]
struct NewTarget {
    /// Daily amounts; absent ones have no target.
    amounts: Nutrients,
}

answer!(TargetAnswer { nutrition_target: TargetView });

fn set_nutrition_target(
    cx: &mut Write,
    Path(at): Path<TargetPath>,
    Body(new): Body<NewTarget>,
) -> Result<TargetAnswer> {
    let today = today(cx, at.client_id)?;
    if today.days_until(at.date).abs() > DAYS_APART {
        return Err(Problem::invalid("date", ProgressRule::BeyondYear));
    }
    new.amounts.check("amounts")?;
    let before = NutritionTarget::on(cx, at.client_id, at.date)?;
    let before = before.filter(|before| before.from_date == at.date);
    let (set_by_type, set_by) = cx.maker();
    let target = NutritionTarget {
        client_id: at.client_id,
        from_date: at.date,
        target_id: before.as_ref().map_or_else(|| cx.new_id(), |before| before.target_id),
        amounts: Json(new.amounts),
        set_by_type,
        set_by,
        created_at: before.as_ref().map_or(cx.now(), |before| before.created_at),
        updated_at: cx.now(),
    };
    cx.set_audit_target("nutrition_target", target.target_id, ["amounts"]);
    match before {
        Some(_) => cx.defer(SAVE, &target.params())?,
        None => cx.defer(INSERT, &target.params())?,
    }
    Ok(TargetAnswer { nutrition_target: target.into_view() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(app GET "/clients/{clientId}/nutrition-targets", Coach, list_nutrition_targets)
            .about_health()
            .summary("List a client's nutrition targets")
            .describe("Returns targets by start date, latest first.")
            .for_client(&[]),
        operation!(app PUT "/clients/{clientId}/nutrition-targets/{date}", Coach, set_nutrition_target)
            .about_health()
            .summary("Set a nutrition target")
            .describe("Sets what a client should eat each day from a date on."),
    ])
}

lists! {
    /// A client's targets, the latest first; there are few.
    LIST: List<NutritionTarget, UpdatedFrom> = List::new(
        "nutrition_target WHERE company_id = ?1 AND client_id = ?2", "from_date DESC",
    );
}

statements! {
    ON = "SELECT ", NutritionTarget::COLUMNS, " FROM nutrition_target \
        WHERE company_id = ?1 AND client_id = ?2 AND from_date <= ?3 ORDER BY from_date DESC LIMIT 1";
    INSERT = "INSERT INTO nutrition_target ", values!(NutritionTarget);
    SAVE = "UPDATE nutrition_target SET ", set!(NutritionTarget),
        " WHERE company_id = ?1 AND client_id = ?2 AND from_date = ?3";
}
