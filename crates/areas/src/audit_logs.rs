//! The audit log: who did what to which record, and which fields changed; never their values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Operation, Paged, Path, Read, listed, operation};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, id_type, text::Text};
use spotter_store::{Bind, Filter, Json, List, params, record, statements, stored_ids};

id_type!(
    /// An entry of the audit log.
    AuditLogId,
    InvalidAuditLogId
);
stored_ids!(AuditLogId);

record! {
    /// An entry of the audit log.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AuditLog {
        audit_log_id: AuditLogId,
        /// api_client, coach, client or system.
        actor_type: String,
        /// The actor's record; null for the system.
        actor_id: Option<Id>,
        /// The operation's id.
        operation: String,
        /// succeeded, or refused for a security-relevant attempt that failed.
        outcome: String,
        target_type: Option<String>,
        target_id: Option<Id>,
        /// Names of the fields that changed.
        changed_fields: Json<Vec<String>>,
        /// The request, as its caller was told in meta.requestId.
        request_id: String,
        /// The grant or key of the MCP server through which an assistant acted for the actor.
        through_id: Option<Id>,
    }
}

/// An entry as it is shown: the record, and the time that its id tells.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AuditLogView {
    #[serde(flatten)]
    log: AuditLog,
    at: Timestamp,
}

impl From<AuditLog> for AuditLogView {
    fn from(log: AuditLog) -> Self {
        Self { at: log.audit_log_id.0.created_at(), log }
    }
}

listed!(AuditLogs { audit_logs: AuditLogView });

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Filters {
    /// Entries at or after this instant.
    from: Option<Timestamp>,
    /// Entries before this instant.
    to: Option<Timestamp>,
    /// Entries of this actor.
    actor: Option<Id>,
    /// Entries of this operation.
    operation: Option<Text<80>>,
}

fn list_audit_logs(cx: &mut Read, Paged(wanted, page): Paged<Filters>) -> Result<AuditLogs> {
    in_order(wanted.from, wanted.to, "to")?;
    let mut chosen = Vec::new();
    chosen.extend(wanted.from.map(|at| ("from", vec![first_id_at(at).bind().into_owned()])));
    chosen.extend(wanted.to.map(|at| ("to", vec![first_id_at(at).bind().into_owned()])));
    chosen.extend(wanted.actor.map(|id| ("actor", vec![id.bind().into_owned()])));
    chosen.extend(wanted.operation.map(|id| ("operation", vec![id.bind().into_owned()])));
    Ok(cx.page::<AuditLog>(&LIST, &chosen, page)?.map(Into::into).into())
}

/// Refuses a range whose end is before its start.
pub(crate) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>, field: &str) -> Result<()> {
    match (from, to) {
        (Some(from), Some(to)) if to < from => {
            Err(Problem::field(Key::DateRangeOrderInvalid, field, "must not be before the start"))
        }
        _ => Ok(()),
    }
}

/// The lowest id that a record made at this instant can have.
pub(crate) const fn first_id_at(at: Timestamp) -> Id {
    Id::new(at, [0; 6])
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AuditLogPath {
    audit_log_id: AuditLogId,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AuditLogAnswer {
    audit_log: AuditLogView,
}

fn get_audit_log(cx: &mut Read, Path(at): Path<AuditLogPath>) -> Result<AuditLogAnswer> {
    let found: Option<AuditLog> = cx.one(FIND, params![at.audit_log_id])?;
    Ok(AuditLogAnswer { audit_log: found.ok_or(Key::AuditLogNotFound)?.into() })
}

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    [
        operation!(GET "/audit-logs", AuditLogsRead, list_audit_logs)
            .summary("List audit logs")
            .fails(&[Key::DateRangeOrderInvalid, Key::InvalidDate, Key::FieldTooLong]),
        operation!(GET "/audit-logs/{auditLogId}", AuditLogsRead, get_audit_log)
            .summary("Get an audit log")
            .fails(&[Key::InvalidAuditLogId, Key::AuditLogNotFound]),
    ]
    .map(|operation| operation.under("Audit logs"))
    .into()
}

/// Every entry, newest first.
pub(crate) static LIST: List = List {
    columns: AuditLog::COLUMNS,
    from: "audit_log WHERE company_id = ?1",
    filters: &[
        Filter::new("from", "audit_log_id >= ?"),
        Filter::new("to", "audit_log_id < ?"),
        Filter::new("actor", "actor_id = ?"),
        Filter::new("operation", "operation = ?"),
    ],
    order: "audit_log_id DESC",
    tally: Some("auditLogs"),
};

statements! {
    FIND = "SELECT ", AuditLog::COLUMNS, " FROM audit_log WHERE company_id = ?1 AND audit_log_id = ?2";
}
