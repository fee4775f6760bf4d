//! The client's record: its columns, how it is found, and how a change is saved with everything
//! that follows from it (search terms, tags, totals, the audit's list of fields).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{ArchivedKind, Area, Payload, Read, Remainder, RemainderKind, Write};
use spotter_kernel::{
    Date, Event, Key, Problem, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
    text::{Name, Phone, Text},
};
use spotter_store::{Bind, Json, params, parts, record, statements, subject, values, words};

use super::{
    membership_periods, search_terms,
    timeline::{NewStep, StepType},
};
use crate::{effects::PeopleEffect, rules::PeopleRule};
use spotter_company::locations::Address;

words! {
    /// The client's relationship with the company.
    pub enum RelationshipStatus {
        Pending = "pending", Active = "active", Rejected = "rejected", Archived = "archived",
    }
}

words! {
    /// The client's membership status.
    pub enum MemberStatus { Lead = "lead", Active = "active", Paused = "paused", Former = "former" }
}

words! {
    /// Whether the client can sign in to the portal.
    pub enum PortalAccessStatus {
        None = "none", Invited = "invited", Active = "active", Revoked = "revoked",
    }
}

words! {
    /// The client's gender, as the client wants it recorded.
    pub enum Gender { Female = "female", Male = "male", Other = "other" }
}

/// The person to call in an emergency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmergencyContact {
    /// Display name.
    pub name: Name<120>,
    /// Phone number.
    pub phone: Phone,
    /// Relationship to the client.
    pub relationship: Option<Text<60>>,
}

/// The channels through which the client agreed to hear from the company.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields, default)]
pub struct OptIns {
    /// Whether the client agreed to e-mail.
    pub email: bool,
    /// Whether the client agreed to text messages.
    pub sms: bool,
    /// Whether the client agreed to push messages.
    pub push: bool,
}

record! {
    /// A client of the company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Client {
        /// The client's id.
        pub client_id: ClientId,
        /// The integrator's own id for the client; unique in the company.
        pub(super) external_id: Option<String>,
        pub(super) first_name: String,
        pub(super) last_name: Option<String>,
        /// Email address in lower case, unique among clients that are not archived.
        pub(super) email: Option<String>,
        pub(super) phone: Option<String>,
        pub(super) date_of_birth: Option<Date>,
        pub(super) gender: Option<Gender>,
        /// Language as an ISO 639-1 code, such as `nl`.
        pub(super) language: Option<String>,
        /// IANA time zone, such as `Europe/Amsterdam`.
        pub(super) time_zone: Option<String>,
        pub(super) address: Option<Json<Address>>,
        pub(super) emergency_contact: Option<Json<EmergencyContact>>,
        pub(super) opt_ins: Json<OptIns>,
        /// How the client found the company.
        pub(super) source: Option<String>,
        pub(super) home_location_id: Option<LocationId>,
        pub(super) assigned_coach_id: Option<CoachId>,
        pub(super) relationship_status: RelationshipStatus,
        pub(super) member_status: MemberStatus,
        pub(super) portal_access_status: PortalAccessStatus,
        /// Sorted, each once.
        pub(super) tags: Json<BTreeSet<String>>,
        pub(super) archived_at: Option<Timestamp>,
        pub(super) archive_reason: Option<String>,
        #[serde(skip)]
        pub(super) erased_at: Option<Timestamp>,
        /// Whether it stands for all walk-in customers.
        #[serde(skip)]
        pub(super) is_walk_in: bool,
        /// What the list by name is in the order of.
        #[serde(skip)]
        pub(super) sort_name: String,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
    }
}

/// The statuses of a client, returned by operations that change them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ClientLifecycle")]
pub struct Lifecycle {
    client_id: ClientId,
    relationship_status: RelationshipStatus,
    member_status: MemberStatus,
    portal_access_status: PortalAccessStatus,
    archived_at: Option<Timestamp>,
    archive_reason: Option<String>,
}

/// The payload of every client event: ids, statuses and names of changed fields, without personal
/// data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientEvent {
    client_id: ClientId,
    relationship_status: RelationshipStatus,
    member_status: MemberStatus,
    portal_access_status: PortalAccessStatus,
    /// In `client.updated` alone: the fields that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for ClientEvent {
    const EVENTS: &'static [Event] = &[
        Event::ClientCreated,
        Event::ClientUpdated,
        Event::ClientArchived,
        Event::ClientInvited,
        Event::ClientPortalAccessChanged,
        Event::ClientRelationshipApproved,
        Event::ClientRelationshipRejected,
    ];
}

impl Client {
    /// The client with this id; another company's, and one who is erased, is not found like one that never was.
    pub fn find(cx: &mut Read, id: ClientId) -> Result<Self> {
        Self::find_optional(cx, id)?.ok_or_else(|| Key::ClientNotFound.into())
    }

    /// The same where the record may be gone.
    pub fn find_optional(cx: &mut Read, id: ClientId) -> Result<Option<Self>> {
        cx.one_kept(FIND, params![id])
    }

    /// Asks ahead for a client.
    pub fn ask_ahead(cx: &mut Read, id: ClientId) -> Result<()> {
        cx.ask_ahead(FIND, params![id])
    }

    /// The client who has an address, if there is one who is not archived.
    pub fn by_email(cx: &mut Read, email: &str) -> Result<Option<Self>> {
        let nobody = ClientId(spotter_kernel::Id::first_at(Timestamp::from_millis(0)));
        let found: Option<(ClientId,)> = cx.one(BY_EMAIL, params![email, nobody])?;
        found.map_or(Ok(None), |(id,)| Self::find_optional(cx, id))
    }

    /// The client's statuses.
    pub fn lifecycle(&self) -> Lifecycle {
        Lifecycle {
            client_id: self.client_id,
            relationship_status: self.relationship_status,
            member_status: self.member_status,
            portal_access_status: self.portal_access_status,
            archived_at: self.archived_at,
            archive_reason: self.archive_reason.clone(),
        }
    }

    /// The payload of the client's events.
    pub fn event(&self) -> ClientEvent {
        ClientEvent {
            client_id: self.client_id,
            relationship_status: self.relationship_status,
            member_status: self.member_status,
            portal_access_status: self.portal_access_status,
            changed_fields: Vec::new(),
        }
    }

    /// The payload of an update event.
    pub(super) fn update_event(&self, changed_fields: Vec<String>) -> ClientEvent {
        ClientEvent { changed_fields, ..self.event() }
    }

    /// The zone of the client's dates: their own, or else the company's.
    pub fn zone(&self, cx: &mut Read) -> Result<TimeZone> {
        match self.time_zone.as_deref().and_then(TimeZone::parse) {
            Some(zone) => Ok(zone),
            None => cx.zone(),
        }
    }

    /// Which date it is where the client is.
    pub fn today(&self, cx: &mut Read) -> Result<Date> {
        Ok(self.zone(cx)?.date_at(cx.now()))
    }

    /// Whether the client may use the portal.
    pub fn may_sign_in(&self) -> bool {
        self.portal_access_status == PortalAccessStatus::Active && self.archived_at.is_none()
    }

    /// Whether the relationship is active.
    pub fn is_active(&self) -> bool {
        self.relationship_status == RelationshipStatus::Active
    }

    /// When the client's record was made.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When the client was last changed.
    pub fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// The client's whole name.
    pub fn name(&self) -> String {
        [self.first_name.as_str(), self.last_name.as_deref().unwrap_or_default()]
            .join(" ")
            .trim()
            .to_owned()
    }

    /// What the client is called.
    pub fn first_name(&self) -> &str {
        &self.first_name
    }

    /// Where the client signs in.
    pub fn email(&self) -> Option<&str> {
        self.email.as_deref()
    }

    /// Whether the client agreed to hear from the company by e-mail.
    pub fn agreed_to_email(&self) -> bool {
        self.opt_ins.0.email
    }

    /// The language in which the client is written to, where it is known (ISO 639-1).
    pub fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// Postal address.
    pub fn address(&self) -> Option<&Address> {
        self.address.as_ref().map(|address| &address.0)
    }

    /// The coach who looks after them.
    pub fn assigned_coach_id(&self) -> Option<CoachId> {
        self.assigned_coach_id
    }

    /// Where the client mostly is.
    pub fn home_location_id(&self) -> Option<LocationId> {
        self.home_location_id
    }

    /// Whether a portal invitation makes sense.
    pub fn may_be_invited(&self) -> bool {
        self.email.is_some()
            && self.relationship_status == RelationshipStatus::Active
            && self.portal_access_status != PortalAccessStatus::Active
    }

    /// Whether a portal invitation is open.
    pub fn is_invited(&self) -> bool {
        self.portal_access_status == PortalAccessStatus::Invited
    }

    /// Whether they are a member, who may be taking a break.
    pub fn is_member(&self) -> bool {
        matches!(self.member_status, MemberStatus::Active | MemberStatus::Paused)
    }

    /// Whether the relationship is archived.
    pub fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// What the client is called, and sorted by.
    fn naming(&self) -> (&str, Option<&str>, &str) {
        (&self.first_name, self.last_name.as_deref(), &self.sort_name)
    }

    /// The subjects of the totals that count this client; none once they are erased.
    fn tallies(&self) -> BTreeSet<String> {
        if self.erased_at.is_some() {
            return BTreeSet::new();
        }
        let of = |name: &str, value: &dyn Bind| subject(TALLY, name, &value.bind());
        let mut subjects = BTreeSet::from([
            TALLY.to_owned(),
            of("relationshipStatus", &self.relationship_status),
            of("memberStatus", &self.member_status),
            of("archived", &self.is_archived()),
        ]);
        subjects.extend(self.assigned_coach_id.map(|id| of("coachId", &id)));
        subjects.extend(self.tags.0.iter().map(|tag| of("tag", tag)));
        subjects
    }

    fn count(&self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        cx.recount(&before.map(Self::tallies).unwrap_or_default(), &self.tallies())
    }

    /// Writes a new client, with its first step.
    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        self.check_unique(cx, None)?;
        cx.set_audit_target("client", self.client_id, ["client"]);
        cx.defer(INSERT, &self.params())?;
        search_terms::index(cx, self, None)?;
        self.tag(cx, None)?;
        self.count(cx, None)?;
        membership_periods::follow(cx, None, self)?;
        NewStep::new(StepType::Created).record(cx, self.client_id)
    }

    /// Writes a change and everything that follows from it; returns the fields that changed.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<Vec<String>> {
        let changed = self.changed(before);
        cx.set_audit_target("client", self.client_id, changed.clone());
        if changed.is_empty() {
            return Ok(changed);
        }
        self.check_unique(cx, Some(before))?;
        self.updated_at = cx.now();
        self.sort_name = search_terms::sort_name(&self.first_name, self.last_name.as_deref());
        // Columns with an index of their own are written only where they change.
        match self.naming() == before.naming() {
            true => cx.defer(SAVE_PROFILE, &self.profile())?,
            false => cx.defer(SAVE_NAMED, &self.named())?,
        }
        let is_filed_anew = self.indexed() != before.indexed();
        if is_filed_anew {
            cx.defer(SAVE_INDEXED, &self.indexed())?;
        }
        if is_filed_anew || self.tags != before.tags {
            self.count(cx, Some(before))?;
        }
        search_terms::index(cx, self, Some(before))?;
        self.tag(cx, Some(before))?;
        membership_periods::follow(cx, Some(before), self)?;
        Ok(changed)
    }

    /// Writes a change and announces it as an update, if it is one.
    pub(super) fn update(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        self.check_named()?;
        let changed_fields = self.save(cx, before)?;
        if !changed_fields.is_empty() {
            cx.emit(Event::ClientUpdated, &self.update_event(changed_fields))?;
        }
        Ok(())
    }

    /// No two clients share an external id, and no two that are not archived an address.
    fn check_unique(&self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        let was =
            |field: fn(&Self) -> &Option<String>| before.and_then(|client| field(client).clone());
        let returns = before.is_some_and(|client| client.is_archived() && !self.is_archived());
        if let Some(email) = &self.email {
            let new = was(|client| &client.email).as_ref() != Some(email) || returns;
            if new && !self.is_archived() {
                let other: Option<(ClientId,)> =
                    cx.one(BY_EMAIL, params![email, self.client_id])?;
                if other.is_some() {
                    return Err(Problem::conflict("email", PeopleRule::OtherClients));
                }
            }
        }
        if let Some(external) = &self.external_id
            && was(|client| &client.external_id).as_ref() != Some(external)
        {
            let other: Option<(ClientId,)> =
                cx.one(BY_EXTERNAL_ID, params![external, self.client_id])?;
            if other.is_some() {
                return Err(Problem::conflict("externalId", PeopleRule::OtherClients));
            }
        }
        Ok(())
    }

    fn tag(&self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        let none = BTreeSet::new();
        let was = before.map_or(&none, |client| &client.tags.0);
        for gone in was.difference(&self.tags.0) {
            cx.defer(UNTAG, params![gone, self.client_id])?;
        }
        for new in self.tags.0.difference(was) {
            cx.defer(TAG, params![new, self.client_id])?;
        }
        Ok(())
    }
}

/// The subject of the total of all clients.
pub(super) const TALLY: &str = "clients";

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<ClientEvent>().stays(STAYS)
}

parts! {
    Client by client_id without created_at;
    PROFILE profile: phone, date_of_birth, gender, language, time_zone, address,
        emergency_contact, opt_ins, source, home_location_id, tags, updated_at
        and NAMED named: first_name, last_name, sort_name;
    INDEXED indexed: external_id, email, assigned_coach_id, relationship_status, member_status,
        portal_access_status, archived_at, archive_reason, erased_at, is_walk_in;
}

/// Clients of an archived coach or location.
const STAYS: &[Remainder] = &[
    Remainder::new(
        ArchivedKind::Coach,
        RemainderKind::Client,
        |cx, coach, most| cx.all(LEFT_BY_COACH, params![coach, most]),
        |total| PeopleEffect::ClientsStayWithCoach { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::Location,
        RemainderKind::Client,
        |cx, location, most| cx.all(LEFT_AT_HOME, params![location, most]),
        |total| PeopleEffect::ClientsStayAtLocation { total }.into(),
    ),
];

/// Records that erasure keeps, and why.
const LEFT: &str =
    " FROM client WHERE company_id = ?1 AND archived_at IS NULL AND erased_at IS NULL AND ";

statements! {
    LEFT_BY_COACH = "SELECT client_id, (SELECT COUNT(*)", LEFT, "assigned_coach_id = ?2)", LEFT,
        "assigned_coach_id = ?2 ORDER BY client_id LIMIT ?3";
    LEFT_AT_HOME = "SELECT client_id, (SELECT COUNT(*)", LEFT, "home_location_id = ?2)", LEFT,
        "home_location_id = ?2 ORDER BY client_id LIMIT ?3";
    FIND = "SELECT ", Client::COLUMNS, " FROM client WHERE company_id = ?1 AND client_id = ?2 AND erased_at IS NULL";
    BY_EMAIL = "SELECT client_id FROM client WHERE company_id = ?1 AND email = ?2 \
        AND client_id <> ?3 AND archived_at IS NULL LIMIT 1";
    BY_EXTERNAL_ID = "SELECT client_id FROM client WHERE company_id = ?1 AND external_id = ?2 \
        AND client_id <> ?3 LIMIT 1";
    INSERT = "INSERT INTO client ", values!(Client);
    SAVE_PROFILE = "UPDATE client SET ", Client::PROFILE,
        " WHERE company_id = ?1 AND client_id = ?2";
    SAVE_INDEXED = "UPDATE client SET ", Client::INDEXED,
        " WHERE company_id = ?1 AND client_id = ?2";
    SAVE_NAMED = "UPDATE client SET ", Client::NAMED,
        " WHERE company_id = ?1 AND client_id = ?2";
    TAG = "INSERT INTO client_tag (company_id, tag, client_id) VALUES (?1, ?2, ?3)";
    UNTAG = "DELETE FROM client_tag WHERE company_id = ?1 AND tag = ?2 AND client_id = ?3";
}
