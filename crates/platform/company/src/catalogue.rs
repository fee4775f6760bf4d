//! What a company offers and by which rules: facilities, services, policies.
//!
//! Integrations read the catalogue; managers write each list whole.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Offboarding, Read, Write, answer, listed, operation,
};
use spotter_kernel::{
    Id, Key, Many, Money, PageRequest, Result, Timestamp,
    id::LocationId,
    limits, number,
    text::{Name, Text, WebUrl},
};
use spotter_store::{Json, List, NoFilters, lists, params, record, statements, values};

use crate::locations::Location;

record! {
    /// A facility of a location, such as a sauna.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Facility {
        facility_id: Id,
        location_id: Option<LocationId>,
        name: String,
        description: Option<String>,
    }
}

record! {
    /// A service of the company, such as personal training.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Service {
        service_id: Id,
        name: String,
        description: Option<String>,
        duration_minutes: Option<i64>,
        price: Option<Json<Money>>,
    }
}

record! {
    /// The terms that clients accept, and the booking rules.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "CompanyPolicies")]
    pub struct Policies {
        /// Hours before the start until which a booking is cancelled free of charge.
        cancellation_window_hours: i64,
        late_cancellation_fee: Option<Json<Money>>,
        no_show_fee: Option<Json<Money>>,
        /// Number of days ahead that clients can book.
        booking_window_days: i64,
        /// Hours in which a client whose booking was moved by others, or who was promoted from a waiting list, can
        /// still cancel it free of charge.
        change_grace_hours: i64,
        terms_url: Option<String>,
        privacy_url: Option<String>,
        updated_at: Timestamp,
    }
}

/// Hours of grace where nothing is set.
const CHANGE_GRACE_HOURS: i64 = 24;

impl Policies {
    /// Asks ahead for the company's policies.
    pub fn ask_ahead(cx: &mut Read) -> Result<()> {
        cx.ask_ahead(POLICIES, params![])
    }

    /// The company's policies, where it has set them.
    pub fn of(cx: &mut Read) -> Result<Option<Self>> {
        cx.one_kept(POLICIES, params![])
    }

    /// Minutes before the start until which a booking is cancelled free of charge.
    pub fn cancellation_window_minutes(&self) -> i64 {
        self.cancellation_window_hours * 60
    }

    /// Number of days ahead that clients can book.
    pub fn booking_window_days(&self) -> i64 {
        self.booking_window_days
    }

    /// Hours in which a client who did not choose the time of their booking can cancel it free of charge; a day by
    /// default.
    pub fn change_grace_hours(cx: &mut Read) -> Result<i64> {
        Ok(Self::of(cx)?.map_or(CHANGE_GRACE_HOURS, |policies| policies.change_grace_hours))
    }

    /// Fee for a late cancellation.
    pub fn late_cancellation_fee(&self) -> Option<Money> {
        self.late_cancellation_fee.clone().map(|fee| fee.0)
    }

    /// Fee for a no-show.
    pub fn no_show_fee(&self) -> Option<Money> {
        self.no_show_fee.clone().map(|fee| fee.0)
    }
}

listed!(Facilities { facilities: Facility });
listed!(Services { services: Service });

fn list_company_facilities(
    cx: &mut Read,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Facilities> {
    Ok(cx.page(&FACILITIES, &NoFilters {}, page)?.into())
}

fn list_company_services(
    cx: &mut Read,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Services> {
    Ok(cx.page(&SERVICES, &NoFilters {}, page)?.into())
}

answer!(PoliciesAnswer { policies: Policies });

fn get_company_policies(cx: &mut Read) -> Result<PoliciesAnswer> {
    Ok(PoliciesAnswer { policies: Policies::of(cx)?.ok_or(Key::CompanyPoliciesNotFound)? })
}

/// A facility to set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewFacility {
    /// Display name.
    pub name: Name<120>,
    /// Description of the facility, for clients.
    pub description: Option<Text<1000>>,
    /// Location; all locations when absent.
    pub location_id: Option<LocationId>,
}

/// All facilities; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CompanyFacilities")]
pub struct FacilitiesChange {
    /// At most 100.
    pub facilities: Many<NewFacility, 0, 100>,
}

/// Replaces the company's facilities.
pub fn set_company_facilities(
    cx: &mut Write,
    Body(change): Body<FacilitiesChange>,
) -> Result<Facilities> {
    let company = cx.company();
    cx.set_audit_target("company", company, ["facilities"]);
    cx.defer(CLEAR_FACILITIES, params![])?;
    for new in change.facilities {
        if let Some(location) = new.location_id {
            Location::find(cx, location)?;
        }
        let id = cx.new_id();
        cx.defer(ADD_FACILITY, params![id, new.location_id, new.name, new.description])?;
    }
    Ok(cx.page(&FACILITIES, &NoFilters {}, whole())?.into())
}

/// A service to set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewService {
    /// Display name.
    pub name: Name<120>,
    /// Description of the service, for clients.
    pub description: Option<Text<1000>>,
    /// Duration in minutes, 1 to 1440.
    #[serde(default, deserialize_with = "minutes")]
    #[schemars(range(min = 1, max = 1440))]
    pub duration_minutes: Option<i64>,
    /// Price in minor units, including VAT.
    pub price: Option<Money>,
}

fn minutes<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 1..=1440)
}

/// All services; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CompanyServices")]
pub struct ServicesChange {
    /// At most 100.
    pub services: Many<NewService, 0, 100>,
}

/// Replaces the company's services.
pub fn set_company_services(
    cx: &mut Write,
    Body(change): Body<ServicesChange>,
) -> Result<Services> {
    let company = cx.company();
    cx.set_audit_target("company", company, ["services"]);
    cx.defer(CLEAR_SERVICES, params![])?;
    for new in change.services {
        let id = cx.new_id();
        let price = new.price.map(Json);
        let row = params![id, new.name, new.description, new.duration_minutes, price];
        cx.defer(ADD_SERVICE, row)?;
    }
    Ok(cx.page(&SERVICES, &NoFilters {}, whole())?.into())
}

const fn whole() -> PageRequest {
    PageRequest { page: 1, limit: limits::PAGE_MAX, cursor: None }
}

/// The terms and the booking rules; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CompanyPoliciesChanges")]
pub struct PoliciesChange {
    /// 0 to 720 hours.
    #[serde(deserialize_with = "window_hours")]
    #[schemars(range(min = 0, max = 720))]
    pub cancellation_window_hours: i64,
    /// Charged for a late cancellation.
    pub late_cancellation_fee: Option<Money>,
    /// Charged for not showing up.
    pub no_show_fee: Option<Money>,
    /// 1 to 366 days.
    #[serde(deserialize_with = "window_days")]
    #[schemars(range(min = 1, max = 366))]
    pub booking_window_days: i64,
    /// 0 to 168 hours; 24 when absent. Hours in which a client whose booking was moved by others, or who was promoted
    /// from a waiting list, can cancel it free of charge.
    #[serde(default = "usual_grace", deserialize_with = "grace_hours")]
    #[schemars(range(min = 0, max = 168))]
    pub change_grace_hours: i64,
    /// Address of the terms.
    pub terms_url: Option<WebUrl>,
    /// Address of the privacy statement.
    pub privacy_url: Option<WebUrl>,
}

fn window_hours<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 0..=720)
}

const fn usual_grace() -> i64 {
    CHANGE_GRACE_HOURS
}

fn grace_hours<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 0..=168)
}

fn window_days<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 1..=366)
}

/// Sets the company's policies.
pub fn set_company_policies(
    cx: &mut Write,
    Body(change): Body<PoliciesChange>,
) -> Result<PoliciesView> {
    let policies = Policies {
        cancellation_window_hours: change.cancellation_window_hours,
        late_cancellation_fee: change.late_cancellation_fee.map(Json),
        no_show_fee: change.no_show_fee.map(Json),
        booking_window_days: change.booking_window_days,
        change_grace_hours: change.change_grace_hours,
        terms_url: change.terms_url.map(Into::into),
        privacy_url: change.privacy_url.map(Into::into),
        updated_at: cx.now(),
    };
    let company = cx.company();
    cx.set_audit_target("company", company, ["policies"]);
    cx.execute(CLEAR_POLICIES, params![])?;
    cx.execute(SET_POLICIES, &policies.params())?;
    cx.end(Offboarding::PoliciesChanged, company.0)?;
    Ok(PoliciesView { policies })
}

/// The policies as they were set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PoliciesView {
    policies: Policies,
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    let read = Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/company/facilities", CompanyCatalogRead, list_company_facilities)
            .summary("List facilities")
            .describe("Returns what the company's locations offer, such as showers or parking."),
        operation!(GET "/company/services", CompanyCatalogRead, list_company_services)
            .summary("List services")
            .describe("Returns the services that the company offers."),
        operation!(GET "/company/policies", CompanyCatalogRead, get_company_policies)
            .summary("Get the company's policies")
            .describe("Returns the company's booking window, cancellation window and fees.")
            .fails(&[Key::CompanyPoliciesNotFound]),
    ]);
    let write = Area::default().operations([
        operation!(app PUT "/company/facilities", Manager, set_company_facilities)
            .summary("Set facilities")
            .describe("Replaces the company's facilities.")
            .fails(&[Key::InvalidCurrency]),
        operation!(app PUT "/company/services", Manager, set_company_services)
            .summary("Set services")
            .describe("Replaces the company's services."),
        operation!(app PUT "/company/policies", Manager, set_company_policies)
            .summary("Set the company's policies")
            .describe("Replaces the booking window, cancellation window and fees.")
            .fails(&[Key::ApiError]),
    ]);
    read.tagged("Company catalogue").with(write)
}

lists! {
    /// Facilities in the order in which they were set.
    FACILITIES: List<Facility> = List::new("facility WHERE company_id = ?1", "facility_id");

    /// Services in the order in which they were set.
    SERVICES: List<Service> = List::new("service WHERE company_id = ?1", "service_id");
}

statements! {
    CLEAR_FACILITIES = "DELETE FROM facility WHERE company_id = ?1";
    ADD_FACILITY = "INSERT INTO facility ", values!(Facility);
    CLEAR_SERVICES = "DELETE FROM service WHERE company_id = ?1";
    ADD_SERVICE = "INSERT INTO service ", values!(Service);
    POLICIES = "SELECT ", Policies::COLUMNS, " FROM company_policy WHERE company_id = ?1";
    CLEAR_POLICIES = "DELETE FROM company_policy WHERE company_id = ?1";
    SET_POLICIES = "INSERT INTO company_policy ", values!(Policies);
}
