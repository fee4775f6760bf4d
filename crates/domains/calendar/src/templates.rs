//! Event templates: defaults for classes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Location;
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Patch, Problem, Result, Rule, Timestamp,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::{self, Name, quoted},
};
use spotter_people::coaches::Coach;
use spotter_store::{List, filters, lists, params, record, set, statements, values};

use crate::{
    effects::CalendarEffect,
    types::EventType,
    vocabulary::{EventTemplateId, EventTypeId, OfferStatus},
};

record! {
    /// The defaults of a class.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct EventTemplate {
        /// The template's id.
        pub event_template_id: EventTemplateId,
        /// What classes made from it are called.
        pub name: String,
        /// Kind of appointment or class, one of `GET /event-types`.
        pub event_type_id: EventTypeId,
        /// Minutes from beginning to end.
        pub duration_minutes: i64,
        /// Number of seats; that of the event type when null.
        pub capacity: Option<i64>,
        /// Default coach.
        pub coach_id: Option<CoachId>,
        /// Default location.
        pub location_id: Option<LocationId>,
        /// Whether new classes are made from it.
        pub status: OfferStatus,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl EventTemplate {
    /// The template with this id.
    pub fn find(cx: &mut Read, id: EventTemplateId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::EventTemplateNotFound.into())
    }

    fn check(&self, cx: &mut Read) -> Result<()> {
        EventType::find(cx, self.event_type_id)?;
        if let Some(coach) = self.coach_id {
            Coach::find(cx, coach)?;
        }
        if let Some(location) = self.location_id {
            let rule = Rule::OtherCompanysLocation;
            Location::find(cx, location).map_err(|none| none.missing("locationId", rule))?;
        }
        Ok(())
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("event_template", self.event_template_id, changed) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }
}

listed!(EventTemplates { event_templates: EventTemplate });

filters! {
    struct Filters {
        /// Templates in this status.
        status: OfferStatus => "status = ?";
        /// Templates of this type.
        event_type_id: EventTypeId => "event_type_id = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_event_templates(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<EventTemplates> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(TemplatePath { event_template_id: EventTemplateId });

answer!(TemplateAnswer { event_template: EventTemplate });

fn get_event_template(cx: &mut Read, Path(at): Path<TemplatePath>) -> Result<TemplateAnswer> {
    Ok(TemplateAnswer { event_template: EventTemplate::find(cx, at.event_template_id)? })
}

/// The class defaults to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewEventTemplate")]
struct NewTemplate {
    /// What classes made from it are called.
    #[schemars(required, with = "Name<120>")]
    #[serde(default, deserialize_with = "text::given")]
    name: Option<Name<120>>,
    /// Kind of appointment or class, one of `GET /event-types`.
    event_type_id: EventTypeId,
    /// Duration in minutes, 5 to 1,440.
    #[schemars(required, with = "BoundedInteger<5, 1_440>")]
    duration_minutes: Option<BoundedInteger<5, 1_440>>,
    /// 1 to 1000; the type's capacity when absent.
    capacity: Option<BoundedInteger<1, 1_000>>,
    /// Default coach.
    coach_id: Option<CoachId>,
    /// Default location.
    location_id: Option<LocationId>,
}

fn name_required() -> Problem {
    Problem::field(Key::EventTemplateNameRequired, "name", Rule::Required)
}

fn duration_required() -> Problem {
    Problem::field(Key::EventTemplateDurationRequired, "durationMinutes", Rule::Required)
}

/// Most templates of a company.
const TEMPLATES_MAX: i64 = 1_000;

fn create_event_template(cx: &mut Write, Body(new): Body<NewTemplate>) -> Result<TemplateAnswer> {
    let name = new.name.ok_or_else(name_required)?;
    let duration = new.duration_minutes.ok_or_else(duration_required)?;
    let count: Option<(i64,)> = cx.one(COUNT, params![])?;
    if count.is_some_and(|(count,)| count >= TEMPLATES_MAX) {
        return Err(Problem::conflict(
            "eventTemplates",
            Rule::TooManyOfCompany { max: TEMPLATES_MAX },
        ));
    }
    let template = EventTemplate {
        event_template_id: EventTemplateId(cx.new_id()),
        name: name.into(),
        event_type_id: new.event_type_id,
        duration_minutes: duration.into(),
        capacity: new.capacity.map(Into::into),
        coach_id: new.coach_id,
        location_id: new.location_id,
        status: OfferStatus::Active,
        archived_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    template.check(cx)?;
    cx.set_audit_target("event_template", template.event_template_id, ["eventTemplate"]);
    cx.defer(INSERT, &template.params())?;
    Ok(TemplateAnswer { event_template: template })
}

/// The class defaults to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "EventTemplateChanges")]
struct TemplateChanges {
    #[serde(deserialize_with = "text::replaced_text")]
    name: Patch<Name<120>>,
    event_type_id: Change<EventTypeId>,
    duration_minutes: Patch<BoundedInteger<5, 1_440>>,
    capacity: Patch<BoundedInteger<1, 1_000>>,
    coach_id: Patch<CoachId>,
    location_id: Patch<LocationId>,
}

fn update_event_template(
    cx: &mut Write,
    Path(at): Path<TemplatePath>,
    Body(change): Body<TemplateChanges>,
) -> Result<TemplateAnswer> {
    let before = EventTemplate::find(cx, at.event_template_id)?;
    let mut template = before.clone();
    match change.name {
        Patch::Absent => {}
        Patch::Clear => return Err(name_required()),
        Patch::Set(name) => template.name = name.into(),
    }
    match change.duration_minutes {
        Patch::Absent => {}
        Patch::Clear => return Err(duration_required()),
        Patch::Set(minutes) => template.duration_minutes = minutes.into(),
    }
    change.event_type_id.apply(&mut template.event_type_id);
    change.capacity.map(Into::into).apply(&mut template.capacity);
    change.coach_id.apply(&mut template.coach_id);
    change.location_id.apply(&mut template.location_id);
    template.check(cx)?;
    template.save(cx, &before)?;
    Ok(TemplateAnswer { event_template: template })
}

fn archive_event_template(cx: &mut Write, Path(at): Path<TemplatePath>) -> Result<TemplateAnswer> {
    let before = EventTemplate::find(cx, at.event_template_id)?;
    let mut template = before.clone();
    if template.status == OfferStatus::Active {
        template.status = OfferStatus::Archived;
        template.archived_at = Some(cx.now());
    }
    cx.describe_effect(|| CalendarEffect::TemplateArchived { name: quoted(&template.name) });
    cx.as_of(before.updated_at);
    template.save(cx, &before)?;
    Ok(TemplateAnswer { event_template: template })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/event-templates", EventTemplatesRead, list_event_templates)
            .summary("List event templates")
            .describe("Returns templates that classes are created from, newest first."),
        operation!(GET "/event-templates/{eventTemplateId}", EventTemplatesRead, get_event_template)
            .summary("Get an event template")
            .describe("Returns one template."),
        operation!(POST "/event-templates", EventTemplatesWrite, create_event_template)
            .success(Success::Added)
            .summary("Create an event template")
            .describe("Defines the defaults of a class.")
            .created()
            .fails(&[
                Key::EventTemplateNameRequired,
                Key::EventTemplateDurationRequired,
                Key::ApiError,
            ]),
        operation!(PATCH "/event-templates/{eventTemplateId}", EventTemplatesWrite,
            update_event_template)
        .summary("Update an event template")
        .describe("Changes the template. Events that were created from it stay unchanged.")
        .fails(&[Key::EventTemplateNameRequired, Key::EventTemplateDurationRequired]),
        operation!(POST "/event-templates/{eventTemplateId}/archive", EventTemplatesWrite,
            archive_event_template)
        .success(Success::Archived)
        .summary("Archive an event template")
        .describe("Prevents new events from this template. Existing events stay.")
        .confirmation(),
    ])
}

lists! {
    /// Every template, newest first; a company has few.
    LIST: List<EventTemplate, Filters> =
        List::new("event_template WHERE company_id = ?1", "event_template_id DESC");
}

statements! {
    FIND = "SELECT ", EventTemplate::COLUMNS, " FROM event_template \
        WHERE company_id = ?1 AND event_template_id = ?2";
    COUNT = "SELECT COUNT(*) FROM event_template WHERE company_id = ?1";
    INSERT = "INSERT INTO event_template ", values!(EventTemplate);
    SAVE = "UPDATE event_template SET ", set!(EventTemplate),
        " WHERE company_id = ?1 AND event_template_id = ?2";
}
