//! Creating clients and changing who they are.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Actor, Area, Body, Path, Read, Success, Write, operation};
use spotter_kernel::{
    BirthDate, Change, Date, Event, Id, Key, Many, Patch, Problem, Result, Rule, TimeZone,
    id::{ClientId, CoachId, LocationId},
    text::{Email, Language, Name, Phone, Text},
};
use spotter_store::{Json, words};

use super::{
    UPDATED,
    record::{
        Client, EmergencyContact, Gender, MemberStatus, OptIns, PortalAccessStatus,
        RelationshipStatus,
    },
    search::{ClientAnswer, ClientPath},
    search_terms,
    timeline::{NewStep, StepType},
};
use crate::{
    coaches::Coach,
    identity::{
        accounts::{Subject, request_address},
        api_clients::ApiClient,
    },
    rules::PeopleRule,
};
use spotter_company::locations::{Address, Location};
use spotter_mail::Recipient;

words! {
    /// The relationship that a client can start with.
    pub enum StartingRelationship { Pending = "pending", Active = "active" }
}

/// The client to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewClient {
    /// Given name.
    pub first_name: Name<80>,
    /// Family name.
    pub last_name: Option<Name<80>>,
    /// Unique among clients that are not archived.
    pub email: Option<Email>,
    /// Phone number.
    pub phone: Option<Phone>,
    /// Date of birth, from 1900-01-01 to today.
    pub date_of_birth: Option<BirthDate>,
    /// Gender as recorded for the client.
    pub gender: Option<Gender>,
    /// Language as an ISO 639-1 code, such as `nl`.
    pub language: Option<Language>,
    /// IANA time zone, such as `Europe/Amsterdam`.
    pub time_zone: Option<TimeZone>,
    /// Postal address.
    pub address: Option<Address>,
    /// The person to call in an emergency.
    pub emergency_contact: Option<EmergencyContact>,
    /// None when absent.
    #[serde(default)]
    pub opt_ins: OptIns,
    /// How the client found the company.
    pub source: Option<Text<60>>,
    /// A location of the company.
    pub home_location_id: Option<LocationId>,
    /// The API client's default coach when absent.
    pub assigned_coach_id: Option<CoachId>,
    /// `active` when absent; `pending` waits for approval.
    pub relationship_status: Option<StartingRelationship>,
    /// `lead` when absent.
    pub member_status: Option<MemberStatus>,
    /// At most 50 tags; kept in lower case.
    #[serde(default)]
    pub tags: Many<Text<60>, 0, 50>,
    /// The integrator's own id for the client; unique in the company.
    pub external_id: Option<Text<120>>,
}

impl NewClient {
    /// A client of whom nothing but a name is known.
    pub fn with_name(first_name: Name<80>) -> Self {
        Self {
            first_name,
            last_name: None,
            email: None,
            phone: None,
            date_of_birth: None,
            gender: None,
            language: None,
            time_zone: None,
            address: None,
            emergency_contact: None,
            opt_ins: OptIns::default(),
            source: None,
            home_location_id: None,
            assigned_coach_id: None,
            relationship_status: None,
            member_status: None,
            tags: Many::default(),
            external_id: None,
        }
    }
}

/// Tags are stored in lower case, each once.
pub(super) fn folded_tags(tags: Many<Text<60>, 0, 50>) -> Json<BTreeSet<String>> {
    // Lower case can be longer than what it came from: İ becomes two characters.
    let tags = tags.iter().map(|tag| tag.to_lowercase().chars().take(60).collect());
    Json(tags.collect())
}

fn check_location(cx: &mut Read, id: Option<LocationId>) -> Result<()> {
    let Some(id) = id else { return Ok(()) };
    let rule = Rule::OtherCompanysLocation;
    let home = Location::find(cx, id).map_err(|none| none.missing("homeLocationId", rule))?;
    match home.is_active() {
        true => Ok(()),
        false => Err(Problem::conflict("homeLocationId", Rule::Archived)),
    }
}

/// A date of birth is not in the future, wherever on earth (UTC+14 at the furthest).
fn check_birth(cx: &Read, born: Option<Date>) -> Result<()> {
    let latest = TimeZone::UTC.date_at(cx.now().plus_seconds(14 * 3_600));
    if born.is_some_and(|born| born > latest) {
        return Err(Problem::field(Key::InvalidDate, "dateOfBirth", Rule::InFuture));
    }
    Ok(())
}

/// The coach of a new client: the one that is named, else the API client's default.
fn coach_for(cx: &mut Read, named: Option<CoachId>) -> Result<Option<CoachId>> {
    let Some(coach) = named else {
        return match cx.caller().actor {
            Actor::ApiClient { id, .. } => Ok(ApiClient::find(cx, id)?.default_assigned_coach_id),
            _ => Ok(None),
        };
    };
    let found = Coach::find_assignable(cx, coach);
    found.map_err(|problem| problem.missing("assignedCoachId", PeopleRule::UnknownCoach))?;
    Ok(Some(coach))
}

/// Creates a client and announces it.
pub fn create(cx: &mut Write, new: NewClient) -> Result<Client> {
    let id = cx.new_id();
    create_as(cx, id, new)
}

/// The same with an id that is given, for records that began before today.
pub fn create_as(cx: &mut Write, id: Id, new: NewClient) -> Result<Client> {
    check_location(cx, new.home_location_id)?;
    check_birth(cx, new.date_of_birth.map(|born| born.0))?;
    let pending = new.relationship_status == Some(StartingRelationship::Pending);
    let client = Client {
        client_id: ClientId(id),
        sort_name: search_terms::sort_name(&new.first_name, new.last_name.as_deref()),
        external_id: new.external_id.map(Into::into),
        first_name: new.first_name.into(),
        last_name: new.last_name.map(Into::into),
        email: new.email.map(|email| email.to_lowercase()),
        phone: new.phone.map(Into::into),
        date_of_birth: new.date_of_birth.map(|born| born.0),
        gender: new.gender,
        language: new.language.map(Into::into),
        time_zone: new.time_zone.map(|zone| zone.name().to_owned()),
        address: new.address.map(Json),
        emergency_contact: new.emergency_contact.map(Json),
        opt_ins: Json(new.opt_ins),
        source: new.source.map(Into::into),
        home_location_id: new.home_location_id,
        assigned_coach_id: coach_for(cx, new.assigned_coach_id)?,
        relationship_status: if pending {
            RelationshipStatus::Pending
        } else {
            RelationshipStatus::Active
        },
        member_status: new.member_status.unwrap_or(MemberStatus::Lead),
        portal_access_status: PortalAccessStatus::None,
        tags: folded_tags(new.tags),
        archived_at: None,
        archive_reason: None,
        erased_at: None,
        is_walk_in: false,
        created_at: id.created_at(),
        updated_at: cx.now(),
    };
    client.insert(cx)?;
    cx.emit(Event::ClientCreated, &client.event())?;
    Ok(client)
}

fn create_client(cx: &mut Write, Body(new): Body<NewClient>) -> Result<ClientAnswer> {
    Ok(ClientAnswer { client: create(cx, new)? })
}

/// The fields of a client to change: absent fields stay, `null` clears.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClientChanges {
    first_name: Change<Name<80>>,
    last_name: Patch<Name<80>>,
    email: Patch<Email>,
    phone: Patch<Phone>,
    date_of_birth: Patch<BirthDate>,
    gender: Patch<Gender>,
    language: Patch<Language>,
    time_zone: Patch<TimeZone>,
    address: Patch<Address>,
    emergency_contact: Patch<EmergencyContact>,
    opt_ins: Change<OptIns>,
    source: Patch<Text<60>>,
    home_location_id: Patch<LocationId>,
    member_status: Change<MemberStatus>,
    external_id: Patch<Text<120>>,
}

fn update_client(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(change): Body<ClientChanges>,
) -> Result<ClientAnswer> {
    let before = Client::find(cx, at.client_id)?;
    let mut client = before.clone();
    // An unchanged home location stays, archived or not.
    let home = change.home_location_id.value().copied();
    check_location(cx, home.filter(|home| client.home_location_id != Some(*home)))?;
    check_birth(cx, change.date_of_birth.value().map(|born| born.0))?;
    change.first_name.apply(&mut client.first_name);
    change.last_name.map(Into::into).apply(&mut client.last_name);
    change.email.map(|email| email.to_lowercase()).apply(&mut client.email);
    change.phone.map(Into::into).apply(&mut client.phone);
    change.date_of_birth.map(|born| born.0).apply(&mut client.date_of_birth);
    change.gender.apply(&mut client.gender);
    change.language.map(Into::into).apply(&mut client.language);
    change.time_zone.map(|zone| zone.name().to_owned()).apply(&mut client.time_zone);
    change.address.map(Json).apply(&mut client.address);
    change.emergency_contact.map(Json).apply(&mut client.emergency_contact);
    change.opt_ins.map(Json).apply(&mut client.opt_ins);
    change.source.map(Into::into).apply(&mut client.source);
    change.home_location_id.apply(&mut client.home_location_id);
    change.member_status.apply(&mut client.member_status);
    change.external_id.map(Into::into).apply(&mut client.external_id);
    client.update(cx, &before)?;
    follow_email(cx, &client, &before)?;
    Ok(ClientAnswer { client })
}

/// Sets a client's membership status, derived from their purchases.
pub fn set_member_status(cx: &mut Write, id: ClientId, status: MemberStatus) -> Result<()> {
    let before = Client::find(cx, id)?;
    let mut client = before.clone();
    client.member_status = status;
    client.update(cx, &before)
}

/// A client signs in with the address that they have confirmed: another one on record counts once they have done so.
fn follow_email(cx: &mut Write, client: &Client, before: &Client) -> Result<()> {
    if client.email == before.email || client.portal_access_status == PortalAccessStatus::None {
        return Ok(());
    }
    match &client.email {
        Some(email) => {
            let step = NewStep::new(StepType::SignInAddressRequested);
            step.record(cx, client.client_id)?;
            let (name, language) = (client.first_name(), client.language());
            let to = Recipient {
                email,
                name,
                language,
                client: Some(client.client_id),
                signs_in: false,
            };
            request_address(cx, Subject::Client, client.client_id.0, to)
        }
        None => Err(Problem::conflict("email", PeopleRule::AddressKept)),
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/clients", ClientsWrite, create_client)
            .success(Success::Added)
            .summary("Create a client")
            .describe(
                "Creates a client and the relationship with the company. Does not invite the \
                 client to the portal.",
            )
            .created()
            .emits(&[Event::ClientCreated])
            .fails(&[Key::InvalidClientId, Key::ClientNotFound, Key::ApiError]),
        operation!(PATCH "/clients/{clientId}", ClientsWrite, update_client)
            .summary("Update a client")
            .describe(
                "Changes the fields that are sent; `null` clears a field. A client with an \
                 account keeps signing in with the previous address until they confirm the new \
                 `email` by a mailed link; the previous address is notified.",
            )
            .emits(UPDATED)
            .fails(&[Key::InvalidCoachId, Key::CoachNotFound, Key::ApiError]),
    ])
}
