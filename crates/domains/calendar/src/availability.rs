//! Availability: when coaches work and when locations can be used, in wall-clock times of their zones,
//! week by week, with other hours on some dates.

mod working_hours;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::{company::Company, locations::Location};
use spotter_contract::{Area, Body, Path, Read, Write, answer, operation, path};
use spotter_kernel::{
    Date, Key, Many, Problem, Result, Rule, TimeZone, Timestamp,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::WallTime,
};
use spotter_people::coaches::Coach;
use spotter_store::{Json, params, record, set, statements, values};

use crate::{
    days,
    hours::{Opening, Span, Window, dates, joined, merged},
    permissions,
    rules::CalendarRule,
    types::EventType,
    vocabulary::EventTypeId,
};
use working_hours::check_all_apart;
pub use working_hours::{DatedHours, DatedOpenHours, OpenHours, Override, WorkingHours};

/// Most dates with other hours.
const OVERRIDES_MAX: usize = 400;
/// Most windows of a week.
const WEEKLY_MAX: usize = 70;

record! {
    /// The working hours of a coach.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CoachAvailability {
        coach_id: CoachId,
        /// The zone of the hours.
        pub time_zone: TimeZone,
        weekly: Json<Vec<WorkingHours>>,
        overrides: Json<Vec<Override<DatedHours>>>,
        /// Minutes that are kept free before an event, unless its type sets another number.
        pub prep_minutes: i64,
        /// Minutes that are kept free after an event, unless its type sets another number.
        pub finish_minutes: i64,
        /// The number of changes; 0 while it was never set.
        version: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

record! {
    /// The opening hours of a location.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct LocationAvailability {
        location_id: LocationId,
        /// The zone of the hours.
        pub time_zone: TimeZone,
        /// The opening hours apply where it is null.
        weekly: Option<Json<Vec<OpenHours>>>,
        overrides: Json<Vec<Override<DatedOpenHours>>>,
        /// Maximum number of concurrent events; unlimited when null.
        pub max_concurrent_events: Option<i64>,
        /// The number of changes; 0 while it was never set.
        version: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

fn window(start: &WallTime, end: &WallTime) -> Window {
    Window { start: start.clone(), end: end.clone() }
}

/// The dates of a zone whose windows can reach into a range: overnight ones begin the day before.
fn dates_around(zone: &TimeZone, range: Span) -> impl Iterator<Item = Date> {
    let first = zone.date_at(range.start);
    dates(first.plus_days(-1).unwrap_or(first), zone.date_at(range.end))
}

impl CoachAvailability {
    /// A coach's working hours; none while they were never set.
    pub fn of(cx: &mut Read, coach: CoachId) -> Result<Self> {
        match cx.one(OF_COACH, params![coach])? {
            Some(found) => Ok(found),
            None => Ok(Self::never(coach, &Company::find(cx)?)),
        }
    }

    /// The same for several coaches, in their order.
    pub fn for_coaches(cx: &mut Read, coaches: &[CoachId]) -> Result<Vec<Self>> {
        let params = coaches.iter().map(|id| vec![spotter_store::Bind::bind(id).into_owned()]);
        let found: Vec<Option<Self>> = cx.one_each(OF_COACH, params)?;
        if found.iter().all(Option::is_some) {
            return Ok(found.into_iter().flatten().collect());
        }
        let company = Company::find(cx)?;
        let each = found.into_iter().zip(coaches);
        Ok(each.map(|(own, id)| own.unwrap_or_else(|| Self::never(*id, &company))).collect())
    }

    fn never(coach_id: CoachId, company: &Company) -> Self {
        Self {
            coach_id,
            time_zone: company.zone(),
            weekly: Json(Vec::new()),
            overrides: Json(Vec::new()),
            prep_minutes: 0,
            finish_minutes: 0,
            version: 0,
            created_at: company.created_at(),
            updated_at: company.created_at(),
        }
    }

    /// The coach's working hours within a range, for a location and an event type.
    pub fn openings(
        &self,
        range: Span,
        location: Option<LocationId>,
        event_type: EventTypeId,
    ) -> Vec<Opening> {
        let fits = |locations: &[LocationId], types: &[EventTypeId]| {
            let here = location.is_none_or(|id| locations.is_empty() || locations.contains(&id));
            here && (types.is_empty() || types.contains(&event_type))
        };
        let mut found = Vec::new();
        for date in dates_around(&self.time_zone, range) {
            let weekday = date.weekday();
            let opening = |start, end| Opening::of(&window(start, end), date, &self.time_zone);
            match self.overrides.0.iter().find(|other| other.date == date) {
                Some(other) => {
                    let hours = other.windows.iter();
                    let hours = hours.filter(|own| fits(&own.location_ids, &own.event_type_ids));
                    found.extend(hours.map(|own| opening(&own.start_time, &own.end_time)));
                }
                None => {
                    let hours = self.weekly.0.iter().filter(|own| own.weekday == weekday);
                    let hours = hours.filter(|own| fits(&own.location_ids, &own.event_type_ids));
                    found.extend(hours.map(|own| opening(&own.start_time, &own.end_time)));
                }
            }
        }
        joined(found)
    }
}

impl LocationAvailability {
    /// Asks ahead for the hours of a location.
    pub fn ask_ahead(cx: &mut Read, location: LocationId) -> Result<()> {
        cx.ask_ahead(LOCATIONS, params![location])
    }

    /// A location's hours for bookings: its opening hours while they were never set.
    pub fn of(cx: &mut Read, location: &Location) -> Result<Self> {
        let found: Option<Self> = cx.one(LOCATIONS, params![location.id()])?;
        Ok(found.unwrap_or_else(|| Self {
            location_id: location.id(),
            time_zone: location.time_zone(),
            weekly: None,
            overrides: Json(Vec::new()),
            max_concurrent_events: None,
            version: 0,
            created_at: location.created_at(),
            updated_at: location.created_at(),
        }))
    }

    /// A location's hours within a range; `None` where it is always open, because no hours are set.
    pub fn open(&self, location: &Location, range: Span) -> Option<Vec<Span>> {
        let opening = location.opening_hours();
        if self.weekly.is_none() && opening.is_empty() && self.overrides.0.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        for date in dates_around(&self.time_zone, range) {
            let weekday = date.weekday();
            if let Some(other) = self.overrides.0.iter().find(|other| other.date == date) {
                let hours = other.windows.iter();
                found.extend(hours.map(|h| {
                    Opening::of(&window(&h.start_time, &h.end_time), date, &self.time_zone)
                }));
            } else if let Some(weekly) = &self.weekly {
                let hours = weekly.0.iter().filter(|hours| hours.weekday == weekday);
                found.extend(hours.map(|h| {
                    Opening::of(&window(&h.start_time, &h.end_time), date, &self.time_zone)
                }));
            } else if opening.is_empty() {
                let whole = Span::new(
                    date.start_in(&self.time_zone),
                    date.tomorrow().start_in(&self.time_zone),
                );
                found.push(Opening::whole(date, whole));
            } else {
                let hours = opening.iter().filter(|hours| hours.weekday == weekday);
                found.extend(hours.map(|h| {
                    Opening::of(&window(&h.opens, &h.closes), date, &location.time_zone())
                }));
            }
        }
        Some(merged(found.into_iter().map(|opening| opening.span).collect()))
    }
}

path!(CoachPath { coach_id: CoachId });

answer!(CoachAnswer { availability: CoachAvailability });

fn get_coach_availability(cx: &mut Read, Path(at): Path<CoachPath>) -> Result<CoachAnswer> {
    Coach::find(cx, at.coach_id)?;
    Ok(CoachAnswer { availability: CoachAvailability::of(cx, at.coach_id)? })
}

/// The working hours of a coach; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewCoachAvailability {
    /// The company's when absent.
    pub time_zone: Option<TimeZone>,
    /// Hours of the week; none when empty.
    pub weekly: Many<WorkingHours, 0, WEEKLY_MAX>,
    /// Dates on which other hours hold.
    #[serde(default)]
    pub overrides: Many<Override<DatedHours>, 0, OVERRIDES_MAX>,
    /// 0 to 240; 0 when absent.
    pub prep_minutes: Option<BoundedInteger<0, 240>>,
    /// 0 to 240; 0 when absent.
    pub finish_minutes: Option<BoundedInteger<0, 240>>,
    /// The version to replace; refused unless it is the current one. Any when absent.
    pub version: Option<BoundedInteger<0, 1_000_000_000>>,
}

/// Refuses to replace another version than the one that was read.
fn check_version(request: Option<BoundedInteger<0, 1_000_000_000>>, version: i64) -> Result<()> {
    match request {
        Some(request) if request.0 != version => {
            Err(Problem::conflict("version", CalendarRule::StaleVersion { version }))
        }
        _ => Ok(()),
    }
}

/// Each date once, in order, with a day's worth of windows.
fn sorted<H>(overrides: Many<Override<H>, 0, OVERRIDES_MAX>) -> Result<Json<Vec<Override<H>>>> {
    let mut dates = BTreeSet::new();
    for (at, other) in overrides.iter().enumerate() {
        if !dates.insert(other.date) {
            return Err(Problem::invalid(&format!("overrides[{at}].date"), Rule::GivenTwice));
        }
        if other.windows.len() > 10 {
            let field = format!("overrides[{at}].windows");
            return Err(Problem::invalid(&field, Rule::TooManyEntries { max: 10 }));
        }
    }
    let mut all = overrides.into_vec();
    all.sort_by_key(|other| other.date);
    Ok(Json(all))
}

/// What hours name must be there.
fn check_named(
    cx: &mut Read,
    named: impl IntoIterator<Item = (String, Vec<LocationId>, Vec<EventTypeId>)>,
) -> Result<()> {
    let (mut locations, mut types) = (BTreeSet::new(), BTreeSet::new());
    for (field, location_ids, type_ids) in named {
        for id in location_ids.into_iter().filter(|id| locations.insert(*id)) {
            let rule = Rule::OtherCompanysLocations;
            Location::find(cx, id)
                .map_err(|none| none.missing(&format!("{field}.locationIds"), rule))?;
        }
        for id in type_ids.into_iter().filter(|id| types.insert(*id)) {
            let rule = CalendarRule::OtherEventTypes;
            EventType::find(cx, id)
                .map_err(|none| none.missing(&format!("{field}.eventTypeIds"), rule))?;
        }
    }
    Ok(())
}

/// Sets when a coach works.
pub fn set(cx: &mut Write, coach: CoachId, new: NewCoachAvailability) -> Result<CoachAvailability> {
    Coach::find(cx, coach)?;
    let before = CoachAvailability::of(cx, coach)?;
    check_version(new.version, before.version)?;
    let weekly = new.weekly.iter().enumerate().map(|(at, hours)| {
        (format!("weekly[{at}]"), hours.location_ids.clone(), hours.event_type_ids.clone())
    });
    let dated = new.overrides.iter().enumerate().flat_map(|(at, other)| {
        other.windows.iter().map(move |hours| {
            (format!("overrides[{at}]"), hours.location_ids.clone(), hours.event_type_ids.clone())
        })
    });
    check_named(cx, weekly.chain(dated).collect::<Vec<_>>())?;
    check_all_apart(&new.weekly, &new.overrides)?;
    let time_zone = match new.time_zone {
        Some(zone) => zone,
        None => cx.zone()?,
    };
    let mut weekly = new.weekly.into_vec();
    weekly.sort_by(|a, b| (a.weekday, &*a.start_time).cmp(&(b.weekday, &*b.start_time)));
    let availability = CoachAvailability {
        coach_id: coach,
        time_zone,
        weekly: Json(weekly),
        overrides: sorted(new.overrides)?,
        prep_minutes: new.prep_minutes.map_or(0, Into::into),
        finish_minutes: new.finish_minutes.map_or(0, Into::into),
        version: before.version + 1,
        created_at: before.created_at,
        updated_at: cx.now(),
    };
    cx.set_audit_target("coach_availability", coach, availability.changed(&before));
    if before.version == 0 {
        cx.defer(INSERT_OF_COACH, &availability.params())?;
        days::prepare(cx, coach.0)?;
    } else {
        cx.defer(SAVE_OF_COACH, &availability.params())?;
    }
    Ok(availability)
}

fn set_coach_availability(
    cx: &mut Write,
    Path(at): Path<CoachPath>,
    Body(new): Body<NewCoachAvailability>,
) -> Result<CoachAnswer> {
    permissions::check_own_calendar(cx, at.coach_id)?;
    Ok(CoachAnswer { availability: set(cx, at.coach_id, new)? })
}

path!(LocationPath { location_id: LocationId });

answer!(LocationAnswer { availability: LocationAvailability });

fn get_location_availability(
    cx: &mut Read,
    Path(at): Path<LocationPath>,
) -> Result<LocationAnswer> {
    let location = Location::find(cx, at.location_id)?;
    Ok(LocationAnswer { availability: LocationAvailability::of(cx, &location)? })
}

/// The opening hours of a location; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewLocationAvailability {
    /// The location's when absent.
    pub time_zone: Option<TimeZone>,
    /// Hours of the week; null or absent for the opening hours, empty for none.
    pub weekly: Option<Many<OpenHours, 0, WEEKLY_MAX>>,
    /// Dates on which other hours hold.
    #[serde(default)]
    pub overrides: Many<Override<DatedOpenHours>, 0, OVERRIDES_MAX>,
    /// 1 to 1000; any number when null or absent.
    pub max_concurrent_events: Option<BoundedInteger<1, 1_000>>,
    /// The version to replace; refused unless it is the current one. Any when absent.
    pub version: Option<BoundedInteger<0, 1_000_000_000>>,
}

/// Sets when a location can be used.
fn set_location_availability(
    cx: &mut Write,
    Path(at): Path<LocationPath>,
    Body(new): Body<NewLocationAvailability>,
) -> Result<LocationAnswer> {
    let location = Location::find(cx, at.location_id)?;
    let before = LocationAvailability::of(cx, &location)?;
    check_version(new.version, before.version)?;
    check_all_apart(new.weekly.as_deref().unwrap_or_default(), &new.overrides)?;
    let availability = LocationAvailability {
        location_id: location.id(),
        time_zone: new.time_zone.unwrap_or_else(|| location.time_zone()),
        weekly: new.weekly.map(|weekly| {
            let mut weekly = weekly.into_vec();
            weekly.sort_by(|a, b| (a.weekday, &*a.start_time).cmp(&(b.weekday, &*b.start_time)));
            Json(weekly)
        }),
        overrides: sorted(new.overrides)?,
        max_concurrent_events: new.max_concurrent_events.map(Into::into),
        version: before.version + 1,
        created_at: before.created_at,
        updated_at: cx.now(),
    };
    cx.set_audit_target("location_availability", location.id(), availability.changed(&before));
    if before.max_concurrent_events.is_none() && availability.max_concurrent_events.is_some() {
        days::pack_location(cx, location.id())?;
    }
    let save = if before.version == 0 { ADD_LOCATIONS } else { SAVE_LOCATIONS };
    cx.defer(save, &availability.params())?;
    Ok(LocationAnswer { availability })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/coaches/{coachId}/availability", CoachAvailabilityRead, get_coach_availability)
            .summary("Get a coach's availability")
            .describe(
                "Returns the coach's weekly working hours, dated overrides, and the minutes \
                 needed before and after events.",
            ),
        operation!(PUT "/coaches/{coachId}/availability", CoachAvailabilityWrite, set_coach_availability)
            .summary("Set a coach's availability")
            .describe(
                "Replaces the coach's availability. Existing bookings stay. Coaches without a \
                 manager's role may set their own.",
            )
            .fails(&[Key::ApiError, Key::CompanyNotFound]),
        operation!(GET "/locations/{locationId}/availability", LocationAvailabilityRead,
            get_location_availability)
        .summary("Get a location's availability")
            .describe("Returns when the location can be used and how many events it holds at once."),
        operation!(PUT "/locations/{locationId}/availability", LocationAvailabilityWrite,
            set_location_availability)
        .summary("Set a location's availability")
        .describe("Replaces the location's availability. Existing bookings stay.")
        .fails(&[Key::ApiError]),
    ])
}

statements! {
    OF_COACH = "SELECT ", CoachAvailability::COLUMNS, " FROM coach_availability \
        WHERE company_id = ?1 AND coach_id = ?2";
    INSERT_OF_COACH = "INSERT INTO coach_availability ", values!(CoachAvailability);
    SAVE_OF_COACH = "UPDATE coach_availability SET ", set!(CoachAvailability),
        " WHERE company_id = ?1 AND coach_id = ?2";
    LOCATIONS = "SELECT ", LocationAvailability::COLUMNS, " FROM location_availability \
        WHERE company_id = ?1 AND location_id = ?2";
    ADD_LOCATIONS = "INSERT INTO location_availability ", values!(LocationAvailability);
    SAVE_LOCATIONS = "UPDATE location_availability SET ", set!(LocationAvailability),
        " WHERE company_id = ?1 AND location_id = ?2";
}
