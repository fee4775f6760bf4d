//! Coaches: the people who work for a company, their roles, and how they are invited.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::site::{Site, SitePath};
use spotter_contract::{
    Actor, ArchivedKind, Area, Body, ListQuery, Offboarding, Path, Read, Remainders, Role, Success,
    Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Problem, Result, Timestamp,
    id::CoachId,
    text::{Email, Name},
};
use spotter_store::{
    Bind, List, Prefetch, filters, lists, params, record, set, statements, values, words,
};

use crate::{
    identity::accounts::{Invitation, Subject, invite, request_address},
    rules::PeopleRule,
};
use spotter_mail::{Letter, Recipient};

words! {
    /// Whether a coach can sign in: invited until the invitation is accepted.
    pub enum CoachStatus { Invited = "invited", Active = "active", Deactivated = "deactivated" }
}

record! {
    /// A coach of the company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Coach {
        /// The coach's id.
        pub coach_id: CoachId,
        first_name: String,
        last_name: String,
        email: String,
        /// A Coach works with clients, a Manager runs the company, an Admin also appoints managers and admins.
        pub role: Role,
        /// Whether the coach can sign in.
        pub status: CoachStatus,
        /// Whether they sign in with a second step.
        #[serde(skip)]
        pub second_step: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl Coach {
    /// The coach with this id.
    pub fn find(cx: &mut Read, id: CoachId) -> Result<Self> {
        cx.one_kept(FIND, params![id])?.ok_or_else(|| Key::CoachNotFound.into())
    }

    /// Asks ahead for a coach.
    pub fn ask_ahead(cx: &mut Read, id: CoachId) -> Result<()> {
        cx.ask_ahead(FIND, params![id])
    }

    /// Asks ahead for a coach's name.
    pub fn ask_ahead_name(cx: &mut Read, id: CoachId) -> Result<()> {
        cx.ask_ahead(NAME, params![id])
    }

    /// The coach with this id, if clients can be given to them.
    pub fn find_assignable(cx: &mut Read, id: CoachId) -> Result<Self> {
        let coach = Self::find(cx, id)?;
        if coach.status == CoachStatus::Deactivated {
            return Err(Key::CoachNotFound.into());
        }
        Ok(coach)
    }

    /// The company's longest-standing admin, if it has one.
    pub fn first_admin(cx: &mut Read) -> Result<Option<CoachId>> {
        let row: Option<(CoachId,)> = cx.one(FIRST_ADMIN, params![])?;
        Ok(row.map(|row| row.0))
    }

    /// Those of some coaches who work for the company, in the order of their ids.
    pub fn working_of(cx: &mut Read, ids: &[CoachId]) -> Result<Vec<CoachId>> {
        let params = ids.iter().map(|id| vec![id.bind().into_owned()]);
        let found: Vec<Option<(CoachId,)>> = cx.one_each(IS_WORKING, params)?;
        let mut working: Vec<_> = found.into_iter().flatten().map(|(id,)| id).collect();
        working.sort_unstable();
        Ok(working)
    }

    /// Those who work for the company, whether or not they have signed in yet.
    pub fn working(cx: &mut Read) -> Result<Vec<CoachId>> {
        let rows: Vec<(CoachId,)> = cx.all(WORKING, params![])?;
        Ok(rows.into_iter().map(|(id,)| id).collect())
    }

    /// Requests the departed coaches before they are needed.
    pub fn prefetch_departed(cx: &mut Read) -> Result<Prefetch<(spotter_kernel::Id,)>> {
        cx.prefetch(DEPARTED, params![])
    }

    /// The names of coaches, in the order of their ids; nothing for those that are not there.
    pub fn names(cx: &mut Read, ids: &[CoachId]) -> Result<Vec<Option<String>>> {
        let called = Self::dated_names(cx, ids)?;
        Ok(called.into_iter().map(|called| called.map(|(name, _)| name)).collect())
    }

    /// The same, and when each was last changed.
    pub fn dated_names(cx: &mut Read, ids: &[CoachId]) -> Result<Vec<Option<(String, Timestamp)>>> {
        let params = ids.iter().map(|id| vec![id.bind().into_owned()]);
        let found: Vec<Option<(String, String, Timestamp)>> = cx.one_each(NAME, params)?;
        let whole =
            |(first, last, at): (String, String, Timestamp)| (format!("{first} {last}"), at);
        Ok(found.into_iter().map(|name| name.map(whole)).collect())
    }

    /// Where the coach signs in.
    pub fn email(&self) -> &str {
        &self.email
    }

    /// What the coach is called.
    pub fn first_name(&self) -> &str {
        &self.first_name
    }

    /// The coach as a recipient of mail.
    pub fn recipient(&self) -> Recipient<'_> {
        Recipient {
            email: &self.email,
            name: &self.first_name,
            language: None,
            client: None,
            signs_in: false,
        }
    }

    /// Invites the coach to sign in.
    pub fn invite(&self, cx: &mut Write) -> Result<Invitation> {
        invite(cx, Subject::Coach, self.coach_id.0, self.recipient())
    }

    /// Managers and admins who have accepted their invitations, those who are longest there first.
    pub fn managers(cx: &mut Read) -> Result<Vec<Self>> {
        cx.all(MANAGERS, params![])
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("coach", self.coach_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }

    /// Marks an invited coach as active, once the invitation is accepted.
    pub fn activate(cx: &mut Write, id: CoachId) -> Result<()> {
        let before = Self::find(cx, id)?;
        let mut coach = before.clone();
        coach.status = CoachStatus::Active;
        coach.save(cx, &before)
    }
}

/// The coach to invite.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewCoach {
    /// Given name.
    pub first_name: Name<80>,
    /// Family name.
    pub last_name: Name<80>,
    /// Email address for signing in, unique among the company's coaches.
    pub email: Email,
    /// A Coach works with clients, a Manager runs the company, an Admin also appoints managers and admins.
    pub role: Role,
}

/// Creates a coach who can't sign in yet.
pub fn create(cx: &mut Write, new: NewCoach) -> Result<Coach> {
    let email = new.email.to_lowercase();
    let taken: Option<(CoachId,)> = cx.one(BY_EMAIL, params![email])?;
    if taken.is_some() {
        return Err(Problem::conflict("email", PeopleRule::OtherCoachs));
    }
    let coach = Coach {
        coach_id: CoachId(cx.new_id()),
        first_name: new.first_name.into(),
        last_name: new.last_name.into(),
        email,
        role: new.role,
        status: CoachStatus::Invited,
        second_step: false,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("coach", coach.coach_id, ["coach"]);
    cx.defer(INSERT, &coach.params())?;
    Ok(coach)
}

listed!(Coaches { coaches: Coach });

filters! {
    struct Filters {
        /// Coaches in this status.
        status: CoachStatus => "status = ?";
        /// Coaches with this role.
        role: Role => "role = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_coaches(cx: &mut Read, ListQuery(mut wanted, page): ListQuery<Filters>) -> Result<Coaches> {
    if !cx.by_staff() {
        let updated_from = wanted.updated_from;
        wanted = Filters { status: Some(CoachStatus::Active), role: None, updated_from };
    }
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(CoachPath { coach_id: CoachId });

answer!(CoachAnswer { coach: Coach });

answer!(
    /// The changed coach, and the records left behind by a deactivation.
    ChangedAnswer {
        coach: Coach,
        /// After a deactivation: records that still refer to the coach, by kind; they are
        /// unchanged.
        leaves_behind: Vec<Remainders>,
    }
);

fn get_coach(cx: &mut Read, Path(at): Path<CoachPath>) -> Result<CoachAnswer> {
    let coach = Coach::find(cx, at.coach_id)?;
    if !cx.by_staff() && coach.status != CoachStatus::Active {
        return Err(Key::CoachNotFound.into());
    }
    Ok(CoachAnswer { coach })
}

answer!(
    /// The invited coach, and the invitation.
    InvitedAnswer {
        coach: Coach,
        invitation: Invitation,
    }
);

fn invite_coach(cx: &mut Write, Body(new): Body<NewCoach>) -> Result<InvitedAnswer> {
    may_grant(cx, new.role)?;
    let coach = create(cx, new)?;
    let invitation = coach.invite(cx)?;
    Ok(InvitedAnswer { coach, invitation })
}

fn reinvite_coach(cx: &mut Write, Path(at): Path<CoachPath>) -> Result<InvitedAnswer> {
    let coach = Coach::find(cx, at.coach_id)?;
    may_grant(cx, coach.role)?;
    cx.set_audit_target("coach", coach.coach_id, ["invitation"]);
    if coach.status != CoachStatus::Invited {
        return Err(Problem::conflict("status", PeopleRule::NotInvited));
    }
    let invitation = coach.invite(cx)?;
    Ok(InvitedAnswer { coach, invitation })
}

/// Managers make coaches; admins make anyone.
pub(crate) fn may_grant(cx: &Write, role: Role) -> Result<()> {
    let allowed = match cx.caller().actor {
        Actor::Coach { role: own, .. } => own == Role::Admin || role == Role::Coach,
        Actor::System => true,
        _ => false,
    };
    if allowed { Ok(()) } else { Err(Problem::because(Key::Forbidden, PeopleRule::AdminOnly)) }
}

/// The fields of a coach to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct CoachChanges {
    first_name: Change<Name<80>>,
    last_name: Change<Name<80>>,
    email: Change<Email>,
    role: Change<Role>,
    /// `deactivated` signs the coach out; `active` lets them in again.
    status: Change<SettableStatus>,
}

words! {
    /// What a coach's status can be set to.
    enum SettableStatus { Active = "active", Deactivated = "deactivated" }
}

fn update_coach(
    cx: &mut Write,
    Path(at): Path<CoachPath>,
    Body(change): Body<CoachChanges>,
) -> Result<ChangedAnswer> {
    let before = Coach::find(cx, at.coach_id)?;
    may_grant(cx, before.role)?;
    let mut coach = before.clone();
    change.first_name.apply(&mut coach.first_name);
    change.last_name.apply(&mut coach.last_name);
    if let Some(email) = change.email.value() {
        change_email(cx, &mut coach, &email.to_lowercase())?;
    }
    if let Some(role) = change.role.value() {
        may_grant(cx, role)?;
        coach.role = role;
    }
    let status = change.status.value();
    match status {
        Some(SettableStatus::Deactivated) => {
            coach.status = CoachStatus::Deactivated;
            cx.end(Offboarding::CoachDeactivated, coach.coach_id)?;
        }
        Some(SettableStatus::Active) if coach.status == CoachStatus::Deactivated => {
            // The password is gone with the account: the coach is invited again.
            coach.status = CoachStatus::Invited;
            cx.end(Offboarding::CoachReturned, coach.coach_id)?;
        }
        _ => {}
    }
    let admin_leaves = before.role == Role::Admin
        && before.status != CoachStatus::Deactivated
        && (coach.role != Role::Admin || coach.status == CoachStatus::Deactivated);
    coach.save(cx, &before)?;
    if before.role >= Role::Manager && coach.role < Role::Manager {
        cx.end(Offboarding::RoleLowered, coach.coach_id)?;
    }
    if admin_leaves && Coach::first_admin(cx)?.is_none() {
        return Err(Problem::conflict("role", PeopleRule::LastAdmin));
    }
    let leaves_behind = match status {
        Some(SettableStatus::Deactivated) => cx.left_behind(ArchivedKind::Coach, coach.coach_id)?,
        _ => Vec::new(),
    };
    Ok(ChangedAnswer { coach, leaves_behind })
}

fn change_email(cx: &mut Write, coach: &mut Coach, email: &str) -> Result<()> {
    if coach.email == email {
        return Ok(());
    }
    let taken: Option<(CoachId,)> = cx.one(BY_EMAIL, params![email])?;
    if taken.is_some() {
        return Err(Problem::conflict("email", PeopleRule::OtherCoachs));
    }
    let before = coach.clone();
    coach.email = email.to_owned();
    request_address(cx, Subject::Coach, coach.coach_id.0, coach.recipient())?;
    // Closing an account emits an event, too: a coach who is reactivated is invited at the new address.
    match before.status {
        CoachStatus::Deactivated => {
            let letter = Letter::AddressChanged { address: email };
            spotter_mail::send(cx, before.recipient(), before.coach_id.0, &letter)
        }
        CoachStatus::Active | CoachStatus::Invited => Ok(()),
    }
}

/// Fields of a coach that clients do not see.
const STAFFS: &[&str] = &["email", "role", "status", "createdAt", "updatedAt"];

/// A coach as strangers see them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteCoach {
    coach_id: CoachId,
    name: String,
}

answer!(SiteCoaches {
    /// Active coaches by name; none where the site does not show them.
    coaches: Vec<SiteCoach>
});

fn list_site_coaches(cx: &mut Read, Path(_): Path<SitePath>) -> Result<SiteCoaches> {
    let found: Vec<Coach> = match Site::of(cx)?.shows_coaches {
        true => cx.all(ACTIVE, params![])?,
        false => Vec::new(),
    };
    let name = |own: &Coach| format!("{} {}", own.first_name, own.last_name).trim().to_owned();
    let coaches = found.iter().map(|own| SiteCoach { coach_id: own.coach_id, name: name(own) });
    Ok(SiteCoaches { coaches: coaches.collect() })
}

/// The operations and statements of this module.
pub fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .operations([
            operation!(GET "/coaches", CoachesRead, list_coaches)
                .summary("List coaches")
            .describe("Returns the company's coaches.")
                .for_every_client(STAFFS),
            operation!(GET "/coaches/{coachId}", CoachesRead, get_coach)
                .summary("Get a coach")
            .describe("Returns one coach.")
                .for_every_client(STAFFS),
            operation!(visitor GET "/site/{slug}/coaches", list_site_coaches)
                .summary("List public coaches")
                .describe("Returns the names of active coaches, where the site shows them."),
            operation!(app POST "/coaches", Manager, invite_coach)
                .success(Success::Invited)
                .summary("Invite a coach")
            .describe("Creates a coach and mails an invitation.")
                .created()
                .secret(&["invitation.token"])
                .fails(&[Key::InvalidCoachId, Key::CoachNotFound, Key::ApiError]),
            operation!(app PATCH "/coaches/{coachId}", Manager, update_coach)
                .reauthentication()
                .summary("Update a coach")
                .describe(
                "Changes the fields that are sent. A coach with an account keeps signing in with \
                 the previous address until they confirm the new `email` by a mailed link; the \
                 previous address is notified.",
            )
                .fails(&[Key::ApiError]),
            operation!(app POST "/coaches/{coachId}/invite", Manager, reinvite_coach)
                .success(Success::Invited)
                .summary("Invite a coach again")
            .describe("Mails a new invitation, which replaces the open one.")
                .secret(&["invitation.token"])
                .fails(&[Key::InvalidEnum, Key::FieldTooLong, Key::ApiError]),
        ])
        .tagged("Coaches")
}

lists! {
    /// Every coach, newest first; a company has few.
    LIST: List<Coach, Filters> = List::new("coach WHERE company_id = ?1", "coach_id DESC");
}

statements! {
    NAME = "SELECT first_name, last_name, updated_at FROM coach WHERE company_id = ?1 AND coach_id = ?2";
    FIND = "SELECT ", Coach::COLUMNS, " FROM coach WHERE company_id = ?1 AND coach_id = ?2";
    BY_EMAIL = "SELECT coach_id FROM coach WHERE company_id = ?1 AND email = ?2";
    WORKING = "SELECT coach_id FROM coach WHERE company_id = ?1 AND status <> 'deactivated' \
        ORDER BY coach_id LIMIT 1000";
    IS_WORKING = "SELECT coach_id FROM coach WHERE company_id = ?1 AND coach_id = ?2 AND status <> 'deactivated'";
    DEPARTED = "SELECT coach_id FROM coach WHERE company_id = ?1 AND status = 'deactivated' \
        ORDER BY coach_id LIMIT 10000";
    FIRST_ADMIN = "SELECT coach_id FROM coach WHERE company_id = ?1 AND role = 'Admin' \
        AND status <> 'deactivated' ORDER BY coach_id LIMIT 1";
    ACTIVE = "SELECT ", Coach::COLUMNS, " FROM coach WHERE company_id = ?1 AND status = 'active' \
        ORDER BY first_name, last_name, coach_id LIMIT 200";
    MANAGERS = "SELECT ", Coach::COLUMNS, " FROM coach WHERE company_id = ?1 AND status = 'active' \
        AND role <> 'Coach' ORDER BY coach_id LIMIT 20";
    INSERT = "INSERT INTO coach ", values!(Coach);
    SAVE = "UPDATE coach SET ", set!(Coach), " WHERE company_id = ?1 AND coach_id = ?2";
}
