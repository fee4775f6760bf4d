//! Groups of clients that train by one plan, each by a copy of their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, UpdatedFrom, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Key, Many, Patch, Problem, Result, Rule, Timestamp,
    id::ClientId,
    id_type,
    text::{Name, Text},
};
use spotter_people::clients::Client;
use spotter_store::{
    Bind, List, NoFilters, lists, params, record, set, statements, stored_ids, values,
};

use super::{
    client_plans::{AssignmentContext, PlanAssignment},
    plan::PlanId,
};
use crate::rules::TrainingRule;

id_type!(
    /// A group of clients.
    GroupId,
    RequestInvalid
);
stored_ids!(GroupId);

/// Most members of a group.
const MEMBERS_MAX: usize = 100;
/// Most groups of a company.
const GROUPS_MAX: i64 = 1_000;

record! {
    /// A group of clients who train together.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "WorkoutGroup")]
    pub(super) struct Group {
        group_id: GroupId,
        name: String,
        description: Option<String>,
        /// The template that members are given a copy of.
        template_id: Option<PlanId>,
        /// The date that those copies start on.
        start_date: Option<Date>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl Group {
    fn find(cx: &mut Read, id: GroupId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("workout_group", self.group_id, self.changed(before))
        else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }

    fn members(&self, cx: &mut Read) -> Result<Vec<Member>> {
        cx.all(MEMBERS, params![self.group_id])
    }
}

record! {
    /// A member of a group.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "WorkoutGroupMember")]
    pub(super) struct Member {
        client_id: ClientId,
        added_at: Timestamp,
    }
}

listed!(Groups { groups: Group });
listed!(Members { members: Member });

path!(GroupPath { group_id: GroupId });

answer!(GroupAnswer { group: Group });

fn list_workout_groups(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Groups> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

fn get_workout_group(cx: &mut Read, Path(at): Path<GroupPath>) -> Result<GroupAnswer> {
    Ok(GroupAnswer { group: Group::find(cx, at.group_id)? })
}

/// The group to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewWorkoutGroup")]
struct NewGroup {
    name: Name<120>,
    description: Option<Text<2000>>,
}

fn create_workout_group(cx: &mut Write, Body(new): Body<NewGroup>) -> Result<GroupAnswer> {
    let count: Option<(i64,)> = cx.one(COUNT, params![])?;
    if count.is_some_and(|(count,)| count >= GROUPS_MAX) {
        return Err(Problem::conflict("groups", Rule::TooManyOfCompany { max: GROUPS_MAX }));
    }
    let group = Group {
        group_id: GroupId(cx.new_id()),
        name: new.name.into(),
        description: new.description.map(Into::into),
        template_id: None,
        start_date: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("workout_group", group.group_id, ["group"]);
    cx.defer(INSERT, &group.params())?;
    Ok(GroupAnswer { group })
}

/// The fields of a group to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WorkoutGroupChanges")]
struct GroupChanges {
    #[serde(default)]
    name: Change<Name<120>>,
    #[serde(default)]
    description: Patch<Text<2000>>,
}

fn update_workout_group(
    cx: &mut Write,
    Path(at): Path<GroupPath>,
    Body(change): Body<GroupChanges>,
) -> Result<GroupAnswer> {
    let before = Group::find(cx, at.group_id)?;
    let mut group = before.clone();
    change.name.apply(&mut group.name);
    change.description.map(Into::into).apply(&mut group.description);
    group.save(cx, &before)?;
    Ok(GroupAnswer { group })
}

/// The group that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeletedWorkoutGroup")]
struct DeletedGroup {
    group_id: GroupId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedAnswer { group: DeletedGroup });

fn delete_workout_group(cx: &mut Write, Path(at): Path<GroupPath>) -> Result<DeletedAnswer> {
    let group_id = Group::find(cx, at.group_id)?.group_id;
    cx.set_audit_target("workout_group", group_id, ["group"]);
    cx.defer(DELETE_MEMBERS, params![group_id])?;
    cx.defer(DELETE, params![group_id])?;
    Ok(DeletedAnswer { group: DeletedGroup { group_id, deleted: true } })
}

fn list_workout_group_members(
    cx: &mut Read,
    Path(at): Path<GroupPath>,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Members> {
    Group::find(cx, at.group_id)?;
    Ok(cx.page_under(&LIST_OF_MEMBERS, &[at.group_id.bind()], &NoFilters {}, page)?.into())
}

/// The clients to add to a group.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewWorkoutGroupMembers")]
struct NewMembers {
    /// 1 to 100 clients; present members are unchanged.
    client_ids: Many<ClientId, 1, 100>,
}

/// The added members and the programmes assigned to them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddedMembers {
    group: Group,
    /// Ids of clients who were not members before.
    added_client_ids: Vec<ClientId>,
    /// Ids of the new members' copies of the group's programme, if it has one.
    plan_ids: Vec<PlanId>,
}

fn add_workout_group_members(
    cx: &mut Write,
    Path(at): Path<GroupPath>,
    Body(wanted): Body<NewMembers>,
) -> Result<AddedMembers> {
    let group = Group::find(cx, at.group_id)?;
    let mut known: Vec<_> = group.members(cx)?.into_iter().map(|member| member.client_id).collect();
    let mut added = Vec::new();
    for (number, id) in wanted.client_ids.into_iter().enumerate() {
        if known.contains(&id) {
            continue;
        }
        let field = format!("clientIds[{number}]");
        let client =
            Client::find(cx, id).map_err(|none| none.missing(&field, TrainingRule::NotClient))?;
        known.push(id);
        cx.defer(ADD_MEMBER, params![group.group_id, id, cx.now()])?;
        added.push(client);
    }
    if known.len() > MEMBERS_MAX {
        return Err(Problem::conflict(
            "clientIds",
            TrainingRule::GroupTooLarge { max: MEMBERS_MAX },
        ));
    }
    let changed = (!added.is_empty()).then_some("members");
    let mut plan_ids = Vec::new();
    if let Some(given) = group.template_id.filter(|_| !added.is_empty()) {
        plan_ids = give(cx, &group, given, group.start_date, &added)?.0;
    }
    cx.set_audit_target("workout_group", group.group_id, changed);
    let added_client_ids = added.into_iter().map(|client| client.client_id).collect();
    Ok(AddedMembers { group, added_client_ids, plan_ids })
}

/// Gives each of these clients a copy of a template; the plans, and the date that they start on.
fn give(
    cx: &mut Write,
    group: &Group,
    template_id: PlanId,
    start_date: Option<Date>,
    clients: &[Client],
) -> Result<(Vec<PlanId>, Option<Date>)> {
    let wanted = PlanAssignment { template_id, start_date, name: None, release_policy: None };
    let given = AssignmentContext::of(cx, wanted)?;
    let plans = clients
        .iter()
        .filter(|client| !client.is_archived())
        .map(|client| Ok(given.to(cx, client, Some(group.group_id))?.plan_id));
    let plans: Result<Vec<_>> = plans.collect();
    Ok((plans?, given.start()))
}

path!(MemberPath { group_id: GroupId, client_id: ClientId });

/// The client removed from a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RemovedWorkoutGroupMember")]
struct RemovedMember {
    group_id: GroupId,
    client_id: ClientId,
    /// Always true.
    removed: bool,
}

answer!(RemovedAnswer { member: RemovedMember });

fn remove_workout_group_member(
    cx: &mut Write,
    Path(at): Path<MemberPath>,
) -> Result<RemovedAnswer> {
    let MemberPath { group_id, client_id } = at;
    let members = Group::find(cx, group_id)?.members(cx)?;
    if !members.iter().any(|member| member.client_id == client_id) {
        Client::find(cx, client_id)?;
        return Err(Key::NotFound.into());
    }
    cx.set_audit_target("workout_group", group_id, ["members"]);
    cx.defer(REMOVE_MEMBER, params![group_id, client_id])?;
    Ok(RemovedAnswer { member: RemovedMember { group_id, client_id, removed: true } })
}

/// A workout template to assign to every member of a group.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewGroupPlan")]
struct GroupPlan {
    /// A published template's id.
    template_id: PlanId,
    /// First day; the rules of assigning a programme apply.
    start_date: Option<Date>,
}

/// The group's plan, and the members' copies of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AssignedGroup {
    group: Group,
    plan_ids: Vec<PlanId>,
}

fn assign_workout_group_plan(
    cx: &mut Write,
    Path(at): Path<GroupPath>,
    Body(wanted): Body<GroupPlan>,
) -> Result<AssignedGroup> {
    let before = Group::find(cx, at.group_id)?;
    let ids = before.members(cx)?;
    let mut clients = Vec::with_capacity(ids.len());
    for member in ids {
        clients.extend(Client::find_optional(cx, member.client_id)?);
    }
    let (plan_ids, start) = give(cx, &before, wanted.template_id, wanted.start_date, &clients)?;
    let mut group = before.clone();
    group.template_id = Some(wanted.template_id);
    group.start_date = start;
    group.save(cx, &before)?;
    Ok(AssignedGroup { group, plan_ids })
}

/// Groups whose template was deleted have none.
pub(super) fn forget_template(cx: &mut Write, template: PlanId) -> Result<()> {
    cx.defer(FORGET_TEMPLATE, params![template, cx.now()])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/groups", WorkoutGroupsRead, list_workout_groups)
            .summary("List groups")
            .describe("Returns groups of clients that share a plan, newest first."),
        operation!(GET "/workout/groups/{groupId}", WorkoutGroupsRead, get_workout_group)
            .summary("Get a group")
            .describe("Returns one group with its plan."),
        operation!(POST "/workout/groups", WorkoutGroupsWrite, create_workout_group)
            .success(Success::Added)
            .summary("Create a group")
            .describe("Creates an empty group.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(PATCH "/workout/groups/{groupId}", WorkoutGroupsWrite, update_workout_group)
            .summary("Update a group")
            .describe("Changes the group's name and description."),
        operation!(DELETE "/workout/groups/{groupId}", WorkoutGroupsWrite, delete_workout_group)
            .success(Success::Deleted)
            .summary("Delete a group")
            .describe("Deletes the group. Members keep their plans."),
        operation!(GET "/workout/groups/{groupId}/members", WorkoutGroupsRead, list_workout_group_members)
            .summary("List a group's members")
            .describe("Returns the clients in the group."),
        operation!(POST "/workout/groups/{groupId}/members", WorkoutGroupsWrite, add_workout_group_members)
            .summary("Add group members")
            .describe(
                "Adds clients, at most 100 per group. If the group has a plan, each new member \
                 gets a copy of it.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(DELETE "/workout/groups/{groupId}/members/{clientId}", WorkoutGroupsWrite, remove_workout_group_member)
            .summary("Remove a group member")
            .describe("Removes a client from the group. The client keeps the plan."),
        operation!(POST "/workout/groups/{groupId}/plans", WorkoutGroupsWrite, assign_workout_group_plan)
            .success(Success::Assigned)
            .summary("Assign a plan to a group")
            .describe(
                "Copies a template to every member who is not archived, and to members who join \
                 later. Copies of an earlier plan stay.",
            )
            .created()
            .fails(&[Key::ApiError, Key::ClientNotFound]),
    ])
}

lists! {
    /// Every group, newest first; at most 1000.
    LIST: List<Group, UpdatedFrom> = List::new("workout_group WHERE company_id = ?1", "group_id DESC");

    /// A group's members, by their ids; at most 100.
    LIST_OF_MEMBERS: List<Member> =
        List::new("workout_group_member WHERE company_id = ?1 AND group_id = ?2", "client_id DESC");
}

statements! {
    FIND = "SELECT ", Group::COLUMNS, " FROM workout_group \
        WHERE company_id = ?1 AND group_id = ?2";
    COUNT = "SELECT COUNT(*) FROM workout_group WHERE company_id = ?1";
    INSERT = "INSERT INTO workout_group ", values!(Group);
    SAVE = "UPDATE workout_group SET ", set!(Group), " WHERE company_id = ?1 AND group_id = ?2";
    DELETE = "DELETE FROM workout_group WHERE company_id = ?1 AND group_id = ?2";
    FORGET_TEMPLATE = "UPDATE workout_group SET template_id = NULL, start_date = NULL, \
        updated_at = ?3 WHERE company_id = ?1 AND template_id = ?2";
    MEMBERS = "SELECT ", Member::COLUMNS, " FROM workout_group_member \
        WHERE company_id = ?1 AND group_id = ?2 ORDER BY client_id LIMIT 200";
    ADD_MEMBER = "INSERT INTO workout_group_member (company_id, group_id, client_id, added_at) \
        VALUES (?1, ?2, ?3, ?4)";
    REMOVE_MEMBER = "DELETE FROM workout_group_member \
        WHERE company_id = ?1 AND group_id = ?2 AND client_id = ?3";
    DELETE_MEMBERS = "DELETE FROM workout_group_member WHERE company_id = ?1 AND group_id = ?2";
}
