//! Tags, a coach or the archive for many clients at once.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Read, Success, Write, answer, bulk, operation};
use spotter_kernel::{
    Id, Many, Problem, Result, Rule,
    id::{ClientId, CoachId},
    text::Text,
};

use super::{lifecycle, profile::folded_tags, record::Client};
use crate::{coaches::Coach, rules::PeopleRule};

/// The most tags of a client.
const TAGS_MAX: usize = 50;

/// What is done to many clients.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ClientBulk {
    /// The clients, at most 100.
    client_ids: Many<ClientId, 1, { bulk::RECORDS_MAX }>,
    /// Tags to add; kept in lower case.
    #[serde(default)]
    add_tags: Many<Text<60>, 0, TAGS_MAX>,
    /// Tags to take away.
    #[serde(default)]
    remove_tags: Many<Text<60>, 0, TAGS_MAX>,
    /// Coach to assign.
    coach_id: Option<CoachId>,
    /// Whether to archive them; the records stay.
    #[serde(default)]
    archive: bool,
    /// Why they are archived.
    archive_reason: Option<Text<500>>,
    /// Memberships of archived clients end by their terms, and are billed until then; without it they end now.
    #[serde(default)]
    end_of_term: bool,
}

/// A request that was checked as far as it concerns all of them.
struct ClientAct {
    add: BTreeSet<String>,
    remove: BTreeSet<String>,
    coach: Option<CoachId>,
    archive: bool,
    reason: Option<String>,
    end_of_term: bool,
}

/// A client as they are and as they will be, and whether they are archived besides.
struct ClientPlan {
    before: Client,
    after: Client,
    archive: bool,
}

impl ClientAct {
    fn of(cx: &mut Read, wanted: ClientBulk) -> Result<(Vec<Id>, Self)> {
        let ids = wanted.client_ids.iter().map(|id| id.0).collect();
        let act = Self {
            add: folded_tags(wanted.add_tags).0,
            remove: folded_tags(wanted.remove_tags).0,
            coach: wanted.coach_id,
            archive: wanted.archive,
            reason: wanted.archive_reason.map(Into::into),
            end_of_term: wanted.end_of_term,
        };
        if act.add.is_empty() && act.remove.is_empty() && act.coach.is_none() && !act.archive {
            return Err(Problem::invalid("body", PeopleRule::NothingToDo));
        }
        if !act.add.is_disjoint(&act.remove) {
            return Err(Problem::invalid("removeTags", PeopleRule::TagsToAdd));
        }
        if let Some(coach) = act.coach {
            let found = Coach::find_assignable(cx, coach);
            found.map_err(|none| none.missing("coachId", PeopleRule::UnknownCoach))?;
        }
        Ok((ids, act))
    }

    fn plan(&self, cx: &mut Read, id: Id) -> Result<Option<ClientPlan>> {
        let before = Client::find(cx, ClientId(id))?;
        before.check_named()?;
        let mut after = before.clone();
        let tags = &mut after.tags.0;
        tags.retain(|tag| !self.remove.contains(tag));
        tags.extend(self.add.iter().cloned());
        if tags.len() > TAGS_MAX {
            return Err(Problem::invalid("addTags", Rule::TooManyEntries { max: TAGS_MAX }));
        }
        if let Some(coach) = self.coach {
            after.assigned_coach_id = Some(coach);
        }
        let archive = self.archive && !before.is_archived();
        let changes = archive || after != before;
        Ok(changes.then_some(ClientPlan { before, after, archive }))
    }

    fn act(&self, cx: &mut Write, planned: ClientPlan) -> Result<()> {
        let ClientPlan { before, mut after, archive } = planned;
        let id = before.client_id;
        lifecycle::save_assignments(cx, &before, &mut after)?;
        if archive {
            lifecycle::archive(cx, id, self.reason.clone(), self.end_of_term)?;
        }
        Ok(())
    }
}

answer!(BulkAnswer { report: bulk::BulkReport });

fn preview_client_bulk(cx: &mut Read, Body(wanted): Body<ClientBulk>) -> Result<BulkAnswer> {
    let (ids, act) = ClientAct::of(cx, wanted)?;
    Ok(BulkAnswer { report: bulk::preview(cx, ids, |cx, id| act.plan(cx, id))? })
}

fn change_clients(cx: &mut Write, Body(wanted): Body<ClientBulk>) -> Result<BulkAnswer> {
    let (ids, act) = ClientAct::of(cx, wanted)?;
    let report = bulk::act(
        cx,
        "client",
        ids,
        |cx, id| act.plan(cx, id),
        |cx, planned| act.act(cx, planned),
    )?;
    Ok(BulkAnswer { report })
}

/// The operations of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/clients/bulk/preview", ClientsRead, preview_client_bulk)
            .summary("Preview a change of many clients")
            .describe("Returns what would become of each client. Changes nothing."),
        operation!(POST "/clients/bulk", ClientsWrite, change_clients)
            .success(Success::Saved)
            .summary("Change many clients")
            .describe(
                "Adds or takes away tags, assigns a coach, or archives, for at most 100 clients. \
                 Each is changed, was so already, or is refused by itself, with its own row in the \
                 audit log.",
            )
            .emits(lifecycle::ARCHIVES)
            .always(&[])
            .confirmation(),
    ])
}
