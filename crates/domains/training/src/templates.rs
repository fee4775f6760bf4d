//! Templates: plans without a client, written once and assigned to many.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use spotter_company::{company::Company, folding::searched};
use spotter_contract::{
    Area, Body, Feature, ListQuery, OptionalBody, Path, Read, Success, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{
    Change, Key, Patch, Problem, Result, TimeZone, Timestamp, number,
    text::{Name, Text},
};
use spotter_store::{List, filters, lists, words};

use super::{
    agenda::{Agenda, Duration, ProgrammeSchedule},
    groups,
    outline::WEEKS_MAX,
    plan::{Plan, PlanId, PlanStatus, Programme},
    settings::WorkoutSettings,
    vocabulary::{Layout, Mode, ReleasePolicy},
};
use crate::rules::TrainingRule;

/// A workout template, without its days.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WorkoutTemplateSummary")]
pub(super) struct TemplateSummary {
    #[serde(rename = "_id")]
    id: PlanId,
    name: String,
    description: Option<String>,
    status: TemplateStatus,
    difficulty: Option<String>,
    intensity: Option<String>,
    category: Option<String>,
    goal: Option<String>,
    total_days: i64,
    total_exercises: i64,
    published_at: Option<Timestamp>,
}

words! {
    /// The status of a template.
    pub enum TemplateStatus { Draft = "Draft", Active = "Active" }
}

impl TemplateSummary {
    fn of(plan: Plan) -> Self {
        Self {
            id: plan.plan_id,
            name: plan.name,
            description: plan.description,
            status: match plan.status {
                PlanStatus::Draft => TemplateStatus::Draft,
                PlanStatus::Active | PlanStatus::Completed => TemplateStatus::Active,
            },
            difficulty: plan.difficulty,
            intensity: plan.intensity,
            category: plan.category,
            goal: plan.goal,
            total_days: plan.total_days,
            total_exercises: plan.total_exercises,
            published_at: plan.published_at,
        }
    }
}

/// A workout template.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WorkoutTemplate")]
pub(super) struct Template {
    #[serde(flatten)]
    summary: TemplateSummary,
    layout: Layout,
    mode: Mode,
    release_policy: ReleasePolicy,
    total_weeks: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Plan> for Template {
    fn from(plan: Plan) -> Self {
        let Plan { layout, mode, release_policy, total_weeks, created_at, updated_at, .. } = plan;
        let summary = TemplateSummary::of(plan);
        Self { summary, layout, mode, release_policy, total_weeks, created_at, updated_at }
    }
}

listed!(Templates { templates: Template });

filters! {
    struct Filters {
        /// Prefixes of words in the name; all must match.
        search: Text<100> => "haystack LIKE ?" each |text| searched(text);
        /// Templates in this status.
        status: TemplateStatus => "status = ?";
        /// Templates with this layout.
        layout: Layout => "layout = ?";
        /// Templates that repeat, or run for weeks.
        mode: Mode => "mode = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_workout_templates(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Templates> {
    Ok(cx.page(&LIST, &wanted, page)?.map(Template::from).into())
}

path!(TemplatePath { template_id: PlanId });

answer!(TemplateAnswer { template: Template });

#[derive(Debug, Serialize, JsonSchema)]
struct TemplateInFull {
    template: Template,
    schedule: ProgrammeSchedule,
    duration: Duration,
}

fn get_workout_template(cx: &mut Read, Path(at): Path<TemplatePath>) -> Result<TemplateInFull> {
    let plan = Plan::find_template(cx, at.template_id)?;
    let schedule = Agenda::of(cx, &plan)?.schedule();
    let duration = Duration::of(&plan);
    Ok(TemplateInFull { template: plan.into(), schedule, duration })
}

/// The template to create; it starts as a draft without days.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewWorkoutTemplate")]
pub struct NewTemplate {
    /// Display name.
    pub name: Name<120>,
    /// Purpose.
    pub description: Option<Text<2000>>,
    /// Such as `Beginner`.
    pub difficulty: Option<Text<60>>,
    /// Intensity, such as `High`.
    pub intensity: Option<Text<60>>,
    /// Such as `Strength`.
    pub category: Option<Text<60>>,
    /// Such as `Build muscle`.
    pub goal: Option<Text<120>>,
    /// `sequence` when absent; it never changes.
    pub layout: Option<Layout>,
    /// `recurring` when absent.
    pub mode: Option<Mode>,
    /// The company's default when absent.
    pub release_policy: Option<ReleasePolicy>,
    /// Weeks to start with, 1 to 52; 1 when absent.
    #[serde(default, deserialize_with = "weeks")]
    #[schemars(range(min = 1, max = 52))]
    pub weeks: Option<i64>,
}

fn weeks<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 1..=WEEKS_MAX)
}

/// Writes a template.
pub fn create(cx: &mut Write, new: NewTemplate) -> Result<Plan> {
    let layout = new.layout.unwrap_or(Layout::Sequence);
    if layout == Layout::CalendarWeek {
        Feature::ProgrammeCalendar.check(Company::find(cx)?.features())?;
    }
    let release_policy = match new.release_policy {
        Some(policy) => policy,
        None => WorkoutSettings::find(cx)?.default_release_policy,
    };
    let plan = Plan {
        plan_id: PlanId(cx.new_id()),
        client_id: None,
        template_id: None,
        group_id: None,
        name: new.name.into(),
        description: new.description.map(Into::into),
        status: PlanStatus::Draft,
        difficulty: new.difficulty.map(Into::into),
        intensity: new.intensity.map(Into::into),
        category: new.category.map(Into::into),
        goal: new.goal.map(Into::into),
        layout,
        mode: new.mode.unwrap_or(Mode::Recurring),
        release_policy,
        start_date: None,
        end_date: None,
        time_zone: company_zone(cx)?,
        total_weeks: new.weeks.unwrap_or(1),
        total_days: 0,
        total_exercises: 0,
        published_at: None,
        deleted_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    plan.insert(cx)?;
    Ok(plan)
}

/// The zone of the company's dates.
pub(super) fn company_zone(cx: &mut Read) -> Result<TimeZone> {
    let name = Company::find(cx)?.time_zone;
    TimeZone::parse(&name).ok_or_else(|| Problem::internal(format!("{name} is no time zone")))
}

fn create_workout_template(cx: &mut Write, Body(new): Body<NewTemplate>) -> Result<TemplateAnswer> {
    Ok(TemplateAnswer { template: create(cx, new)?.into() })
}

/// The fields of a workout template to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "WorkoutTemplateChanges")]
struct TemplateChanges {
    name: Change<Name<120>>,
    description: Patch<Text<2000>>,
    difficulty: Patch<Text<60>>,
    intensity: Patch<Text<60>>,
    category: Patch<Text<60>>,
    goal: Patch<Text<120>>,
    mode: Change<Mode>,
    release_policy: Change<ReleasePolicy>,
}

fn update_workout_template(
    cx: &mut Write,
    Path(at): Path<TemplatePath>,
    Body(change): Body<TemplateChanges>,
) -> Result<TemplateAnswer> {
    let before = Plan::find_template(cx, at.template_id)?;
    let mut plan = before.clone();
    change.name.apply(&mut plan.name);
    change.description.map(Into::into).apply(&mut plan.description);
    change.difficulty.map(Into::into).apply(&mut plan.difficulty);
    change.intensity.map(Into::into).apply(&mut plan.intensity);
    change.category.map(Into::into).apply(&mut plan.category);
    change.goal.map(Into::into).apply(&mut plan.goal);
    change.mode.apply(&mut plan.mode);
    change.release_policy.apply(&mut plan.release_policy);
    if plan.mode != before.mode && !Programme::of(cx, plan.clone())?.outline.fits() {
        return Err(Problem::conflict("mode", TrainingRule::WeekTooFull));
    }
    plan.save(cx, &before)?;
    Ok(TemplateAnswer { template: plan.into() })
}

/// The programme that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeletedPlan {
    #[serde(rename = "_id")]
    pub id: PlanId,
    /// Always true.
    pub deleted: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DeletedTemplate {
    template: DeletedPlan,
}

fn delete_workout_template(
    cx: &mut Write,
    Path(at): Path<TemplatePath>,
) -> Result<DeletedTemplate> {
    Plan::find_template(cx, at.template_id)?.delete(cx)?;
    groups::forget_template(cx, at.template_id)?;
    Ok(DeletedTemplate { template: DeletedPlan { id: at.template_id, deleted: true } })
}

/// The name of the copy.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkoutTemplateCopy {
    /// The template's own name when absent.
    name: Option<Name<120>>,
}

fn duplicate_workout_template(
    cx: &mut Write,
    Path(at): Path<TemplatePath>,
    OptionalBody(wanted): OptionalBody<WorkoutTemplateCopy>,
) -> Result<TemplateAnswer> {
    let plan = Plan::find_template(cx, at.template_id)?;
    let (copy, _) = plan.copy(cx, |copy| {
        copy.name = wanted.name.map_or_else(|| copy.name.clone(), Into::into);
        copy.status = PlanStatus::Draft;
        copy.template_id = Some(at.template_id);
        copy.published_at = None;
    })?;
    Ok(TemplateAnswer { template: copy.into() })
}

#[derive(Debug, Serialize, JsonSchema)]
struct PublishedTemplate {
    template: TemplateSummary,
}

/// Publishes a draft.
pub fn publish(cx: &mut Write, id: PlanId) -> Result<Plan> {
    let before = Plan::find_template(cx, id)?;
    if before.status != PlanStatus::Draft {
        return Err(Key::WorkoutTemplateAlreadyActive.into());
    }
    if before.total_days == 0 {
        return Err(Problem::conflict("templateId", TrainingRule::NoDay));
    }
    let mut plan = before.clone();
    plan.status = PlanStatus::Active;
    plan.published_at = Some(cx.now());
    plan.save(cx, &before)?;
    Ok(plan)
}

fn publish_workout_template(
    cx: &mut Write,
    Path(at): Path<TemplatePath>,
) -> Result<PublishedTemplate> {
    Ok(PublishedTemplate { template: TemplateSummary::of(publish(cx, at.template_id)?) })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/workout/plans/templates", WorkoutPlansRead, list_workout_templates)
            .summary("List workout templates")
            .describe("Returns templates newest first."),
        operation!(GET "/workout/plans/templates/{templateId}", WorkoutPlansRead, get_workout_template)
            .summary("Get a workout template")
            .describe(
                "Returns the template with its schedule; its days in full are listed at its \
                 moments.",
            ),
        operation!(POST "/workout/plans/templates", WorkoutPlansWrite, create_workout_template)
            .success(Success::Added)
            .summary("Create a workout template")
            .describe(
                "Creates a draft. The layout `calendar_week` requires the programme calendar.",
            )
            .created()
            .fails(&[Key::WorkoutProgrammeCalendarDisabled]),
        operation!(PATCH "/workout/plans/templates/{templateId}", WorkoutPlansWrite, update_workout_template)
            .summary("Update a workout template")
            .describe("Changes the template. Plans that were assigned from it stay unchanged."),
        operation!(DELETE "/workout/plans/templates/{templateId}", WorkoutPlansWrite, delete_workout_template)
            .success(Success::Deleted)
            .summary("Delete a workout template")
            .describe("Deletes the template. Plans that were assigned from it stay."),
        operation!(POST "/workout/plans/templates/{templateId}/duplicate", WorkoutPlansWrite, duplicate_workout_template)
            .summary("Duplicate a workout template")
            .describe("Creates a draft with every week and day of the template.")
            .created(),
        operation!(PUT "/workout/plans/publish/{templateId}", WorkoutPlansWrite, publish_workout_template)
            .success(Success::Published)
            .summary("Publish a draft workout template plan")
            .describe("Makes the template available for assignment.")
            .fails(&[Key::WorkoutTemplateAlreadyActive, Key::ApiError]),
    ])
}

lists! {
    /// Every template, newest first; a company has few.
    LIST: List<Plan, Filters> = List::new(
        "workout_plan WHERE company_id = ?1 AND client_id IS NULL AND deleted_at IS NULL",
        "plan_id DESC",
    );
}
