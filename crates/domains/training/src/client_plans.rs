//! The plans of clients: copies of templates, with dates of their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Key, Patch, Problem, Result, Rule, TimeZone, Timestamp,
    id::ClientId,
    text::{Name, Text},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, filters, lists, params, statements, words};

use super::{
    agenda::{Agenda, Duration, ProgrammeSchedule},
    groups::GroupId,
    plan::{Moment, MomentId, MomentView, Plan, PlanId, PlanStatus, Programme, checked_start},
    settings::WorkoutSettings,
    templates::{DeletedPlan, company_zone},
    vocabulary::{Layout, Mode, ReleasePolicy},
};
use crate::rules::TrainingRule;

/// Most plans of one client.
const PLANS_MAX: i64 = 200;

words! {
    /// The status of a client's plan.
    pub enum ClientPlanStatus { Active = "Active", Completed = "Completed" }
}

/// A programme assigned to a client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClientPlan {
    #[serde(rename = "_id")]
    id: PlanId,
    client_id: Option<ClientId>,
    /// The template that it was made from.
    template_id: Option<PlanId>,
    /// The group that it was given to.
    group_id: Option<GroupId>,
    name: String,
    description: Option<String>,
    status: ClientPlanStatus,
    difficulty: Option<String>,
    intensity: Option<String>,
    category: Option<String>,
    goal: Option<String>,
    layout: Layout,
    mode: Mode,
    release_policy: ReleasePolicy,
    /// Null for a recurring sequence, which has no dates.
    start_date: Option<Date>,
    /// Last day; null for a recurring programme without an end.
    end_date: Option<Date>,
    /// The IANA time zone of the dates.
    time_zone: String,
    total_weeks: i64,
    total_days: i64,
    total_exercises: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Plan> for ClientPlan {
    fn from(plan: Plan) -> Self {
        Self {
            id: plan.plan_id,
            client_id: plan.client_id,
            template_id: plan.template_id,
            group_id: plan.group_id,
            name: plan.name,
            description: plan.description,
            status: match plan.status {
                PlanStatus::Completed => ClientPlanStatus::Completed,
                PlanStatus::Draft | PlanStatus::Active => ClientPlanStatus::Active,
            },
            difficulty: plan.difficulty,
            intensity: plan.intensity,
            category: plan.category,
            goal: plan.goal,
            layout: plan.layout,
            mode: plan.mode,
            release_policy: plan.release_policy,
            start_date: plan.start_date,
            end_date: plan.end_date,
            time_zone: plan.time_zone.name().to_owned(),
            total_weeks: plan.total_weeks,
            total_days: plan.total_days,
            total_exercises: plan.total_exercises,
            created_at: plan.created_at,
            updated_at: plan.updated_at,
        }
    }
}

listed!(ClientPlans { plans: ClientPlan });

filters! {
    struct Filters {
        /// Plans in this status.
        status: ClientPlanStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_client_workout_plans(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<ClientPlans> {
    Client::find(cx, at.client_id)?;
    let plans = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(plans.map(ClientPlan::from).into())
}

path!(ClientPlanPath {
    client_id: ClientId,
    /// The client's plan.
    template_id: PlanId,
});

answer!(ClientPlanAnswer { plan: ClientPlan });

#[derive(Debug, Serialize, JsonSchema)]
struct ClientPlanInFull {
    plan: ClientPlan,
    schedule: ProgrammeSchedule,
    duration: Duration,
}

fn get_client_workout_plan(
    cx: &mut Read,
    Path(at): Path<ClientPlanPath>,
) -> Result<ClientPlanInFull> {
    let plan = Plan::find_of_client(cx, at.client_id, at.template_id)?;
    let schedule = Agenda::of(cx, &plan)?.schedule();
    let duration = Duration::of(&plan);
    Ok(ClientPlanInFull { plan: plan.into(), schedule, duration })
}

/// The days of a client's plan, in their order.
#[derive(Debug, Serialize, JsonSchema)]
struct ClientDays {
    days: Vec<MomentView>,
}

fn list_client_workout_days(cx: &mut Read, Path(at): Path<ClientPlanPath>) -> Result<ClientDays> {
    let plan = Plan::find_of_client(cx, at.client_id, at.template_id)?;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let (calendar, staff, now) = (plan.calendar(), cx.by_staff(), cx.now());
    let mut moments = plan.moments(cx)?;
    moments.retain(|moment| {
        staff || plan.mode != Mode::MultiWeek || calendar.is_released(moment.week_number, now)
    });
    Ok(ClientDays { days: moments.into_iter().map(|moment| moment.in_unit(unit)).collect() })
}

path!(ClientDayPath { client_id: ClientId, template_id: PlanId, plan_moment_id: MomentId });

answer!(ClientDay {
    /// A day of the client's programme with its exercises.
    day: MomentView
});

fn get_client_workout_day(cx: &mut Read, Path(at): Path<ClientDayPath>) -> Result<ClientDay> {
    let plan = Plan::find_of_client(cx, at.client_id, at.template_id)?;
    let moment = plan.moment(cx, at.plan_moment_id)?;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let is_released =
        plan.mode != Mode::MultiWeek || plan.calendar().is_released(moment.week_number, cx.now());
    match cx.by_staff() || is_released {
        true => Ok(ClientDay { day: moment.in_unit(unit) }),
        false => Err(Key::NotFound.into()),
    }
}

/// A workout template to assign to a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewClientPlan")]
pub struct PlanAssignment {
    /// A published template's id.
    pub template_id: PlanId,
    /// Multi-week plans: any date, today when absent. Recurring plans on the calendar: a Monday,
    /// this week's when absent. Recurring sequences have none.
    pub start_date: Option<Date>,
    /// The template's when absent.
    pub name: Option<Name<120>>,
    /// The template's when absent.
    pub release_policy: Option<ReleasePolicy>,
}

/// What is assigned, read once for all clients.
pub(super) struct AssignmentContext {
    template: Plan,
    moments: Vec<Moment>,
    zone: TimeZone,
    start: Option<Date>,
    wanted: PlanAssignment,
}

impl AssignmentContext {
    pub(super) fn of(cx: &mut Read, wanted: PlanAssignment) -> Result<Self> {
        let template = Plan::find_template(cx, wanted.template_id)
            .map_err(|none| none.missing("templateId", TrainingRule::UnknownTemplate))?;
        if template.status != PlanStatus::Active {
            return Err(Problem::conflict("templateId", TrainingRule::NotPublished));
        }
        let zone = company_zone(cx)?;
        let today = zone.date_at(cx.now());
        let start = checked_start(template.layout, template.mode, wanted.start_date, today)?;
        let moments = template.moments(cx)?;
        Ok(Self { template, moments, zone, start, wanted })
    }

    /// The date that it starts on.
    pub(super) fn start(&self) -> Option<Date> {
        self.start
    }

    /// Copies the template for a client.
    pub(super) fn to(
        &self,
        cx: &mut Write,
        client: &Client,
        group: Option<GroupId>,
    ) -> Result<Plan> {
        if client.is_archived() {
            return Err(Problem::conflict("clientId", Rule::Archived));
        }
        let count: Option<(i64,)> = cx.one(COUNT, params![client.client_id])?;
        if count.is_some_and(|(count,)| count >= PLANS_MAX) {
            return Err(Problem::conflict(
                "clientId",
                TrainingRule::TooManyPlans { max: PLANS_MAX },
            ));
        }
        let Self { template, moments, zone, start, wanted } = self;
        let (plan, _) = template.copy_with(cx, moments, |plan| {
            plan.client_id = Some(client.client_id);
            plan.template_id = Some(template.plan_id);
            plan.group_id = group;
            if let Some(name) = &wanted.name {
                plan.name = name.to_string();
            }
            plan.release_policy = wanted.release_policy.unwrap_or(plan.release_policy);
            plan.time_zone = zone.clone();
            plan.start_date = *start;
            plan.end_date = plan.calendar().planned_end();
            plan.published_at = None;
        })?;
        Ok(plan)
    }
}

/// Gives a client a copy of a template.
pub fn assign(cx: &mut Write, client: ClientId, wanted: PlanAssignment) -> Result<Plan> {
    let client = Client::find(cx, client)?;
    AssignmentContext::of(cx, wanted)?.to(cx, &client, None)
}

fn assign_workout_plan(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(wanted): Body<PlanAssignment>,
) -> Result<ClientPlanAnswer> {
    Ok(ClientPlanAnswer { plan: assign(cx, at.client_id, wanted)?.into() })
}

/// The fields of a client's programme to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClientPlanChanges {
    name: Change<Name<120>>,
    description: Patch<Text<2000>>,
    /// First day; the rules of assigning a programme apply. The end moves with it, and moved
    /// workouts return to their plan.
    start_date: Change<Date>,
    release_policy: Change<ReleasePolicy>,
    /// Completing a recurring plan ends it today.
    status: Change<ClientPlanStatus>,
}

fn update_client_workout_plan(
    cx: &mut Write,
    Path(at): Path<ClientPlanPath>,
    Body(change): Body<ClientPlanChanges>,
) -> Result<ClientPlanAnswer> {
    let before = Plan::find_of_client(cx, at.client_id, at.template_id)?;
    let mut plan = before.clone();
    let today = plan.time_zone.date_at(cx.now());
    change.name.apply(&mut plan.name);
    change.description.map(Into::into).apply(&mut plan.description);
    change.release_policy.apply(&mut plan.release_policy);
    if let Some(start) = change.start_date.value() {
        plan.start_date = checked_start(plan.layout, plan.mode, Some(start), today)?;
        if plan.start_date != before.start_date {
            if plan.mode == Mode::MultiWeek {
                plan.end_date = plan.calendar().planned_end();
            }
            cx.defer(FORGET_MOVES, params![at.client_id, plan.plan_id])?;
        }
    }
    if let Some(status) = change.status.value() {
        plan.status = match status {
            ClientPlanStatus::Active => PlanStatus::Active,
            ClientPlanStatus::Completed => PlanStatus::Completed,
        };
        if plan.status != before.status && plan.mode == Mode::Recurring {
            plan.end_date = (plan.status == PlanStatus::Completed).then_some(today);
        }
    }
    plan.save(cx, &before)?;
    Ok(ClientPlanAnswer { plan: plan.into() })
}

answer!(DeletedAnswer { plan: DeletedPlan });

fn delete_client_workout_plan(
    cx: &mut Write,
    Path(at): Path<ClientPlanPath>,
) -> Result<DeletedAnswer> {
    Plan::find_of_client(cx, at.client_id, at.template_id)?.delete(cx)?;
    Ok(DeletedAnswer { plan: DeletedPlan { id: at.template_id, deleted: true } })
}

/// The days of a programme in their new order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlanDayOrder {
    /// Every day of the plan exactly once, in the new order.
    #[schemars(length(min = 1))]
    plan_moment_ids: Vec<MomentId>,
}

/// A programme day and its position.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlanDayPosition")]
struct OrderedDay {
    plan_moment_id: MomentId,
    name: String,
    /// Position of the day within its week, from 1.
    day_order: i64,
    /// Position, from 0.
    order: i64,
}

/// The plan's days in their new order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReorderedDays {
    template_id: PlanId,
    day_count: i64,
    days: Vec<OrderedDay>,
}

fn reorder_client_workout_days(
    cx: &mut Write,
    Path(at): Path<ClientPlanPath>,
    Body(wanted): Body<PlanDayOrder>,
) -> Result<ReorderedDays> {
    let plan = Plan::find_of_client(cx, at.client_id, at.template_id)?;
    if wanted.plan_moment_ids.is_empty() {
        return Err(Problem::invalid("planMomentIds", TrainingRule::NotEveryDay));
    }
    let days = plan.moment_facts(cx)?;
    let mut programme = Programme::of(cx, plan)?;
    programme.outline.reorder(&wanted.plan_moment_ids)?;
    let output = programme.outline.places().iter().map(|place| {
        let day = days.iter().find(|day| day.plan_moment_id == place.id);
        OrderedDay {
            plan_moment_id: place.id,
            name: day.map(|day| day.name.clone()).unwrap_or_default(),
            day_order: place.order,
            order: place.order - 1,
        }
    });
    let days: Vec<_> = output.collect();
    let changed = programme.is_reordered();
    let plan = programme.save(cx)?;
    cx.set_audit_target("workout_plan", plan.plan_id, changed.then_some("dayOrder"));
    Ok(ReorderedDays { template_id: plan.plan_id, day_count: days.len() as i64, days })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/clients/{clientId}/plans", WorkoutClientPlansRead, list_client_workout_plans)
            .summary("List a client's plans")
            .describe("Returns the client's workout plans, newest first.")
            .for_client(&[]),
        operation!(POST "/workout/clients/{clientId}/plans", WorkoutClientPlansWrite, assign_workout_plan)
            .success(Success::Assigned)
            .summary("Assign a plan")
            .describe(
                "Copies a template to the client. Later changes of the template do not affect the \
                 copy.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(GET "/workout/clients/{clientId}/plans/template/{templateId}", WorkoutClientPlansRead, get_client_workout_plan)
            .summary("Get a client's plan")
            .describe("Returns one plan with its schedule.")
            .for_client(&[]),
        operation!(app GET "/workout/clients/{clientId}/plans/template/{templateId}/days", Coach, list_client_workout_days)
            .summary("List the days of a client's plan")
            .describe("Returns days with their exercises. Clients see the days of released weeks.")
            .for_client(&[]),
        operation!(GET "/workout/clients/{clientId}/plans/template/{templateId}/days/{planMomentId}", WorkoutClientPlansRead, get_client_workout_day)
            .summary("Get a day of a client's plan")
            .describe("Returns the day with its exercises. Clients see the days of released weeks.")
            .for_client(&[]),
        operation!(PATCH "/workout/clients/{clientId}/plans/template/{templateId}", WorkoutClientPlansWrite, update_client_workout_plan)
            .summary("Update a client's plan")
            .describe("Changes the fields that are sent, such as the name, status and start date.")
            .fails(&[Key::ApiError]),
        operation!(DELETE "/workout/clients/{clientId}/plans/template/{templateId}", WorkoutClientPlansWrite, delete_client_workout_plan)
            .success(Success::Deleted)
            .summary("Delete a client's plan")
            .describe("Deletes the plan. Sessions that were logged for it stay."),
        operation!(PATCH "/workout/clients/{clientId}/plans/template/{templateId}/reorder-days", WorkoutClientPlansWrite, reorder_client_workout_days)
            .summary("Reorder the days of a client's assigned plan")
            .describe("Sets the order of the days within their weeks. Every day is named once."),
    ])
}

lists! {
    /// A client's plans, newest first; at most 200.
    LIST: List<Plan, Filters> = List::new(
        "workout_plan WHERE company_id = ?1 AND client_id = ?2 AND deleted_at IS NULL",
        "plan_id DESC",
    );
}

statements! {
    COUNT = "SELECT COUNT(*) FROM workout_plan \
        WHERE company_id = ?1 AND client_id = ?2 AND deleted_at IS NULL";
    FORGET_MOVES = "DELETE FROM workout_move \
        WHERE company_id = ?1 AND client_id = ?2 AND plan_id = ?3";
}
