//! The audit log: who did what to which record, and which fields changed; never their values.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, ErasureRule, ListQuery, Path, Read, answer, listed, operation, path};
use spotter_kernel::{Id, Key, Result, Timestamp, id_type, text::Text};
use spotter_store::{Json, List, filters, lists, params, record, statements, stored_ids};

id_type!(
    /// An entry of the audit log.
    AuditLogId,
    InvalidAuditLogId,
    AuditLogNotFound
);
stored_ids!(AuditLogId);

record! {
    /// An entry of the audit log.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AuditLog {
        audit_log_id: AuditLogId,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
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
        /// The request's id, as in its answer's `meta.requestId`.
        request_id: String,
        /// The grant or key of the MCP server through which an assistant acted for the actor.
        through_id: Option<Id>,
    }
}

/// An entry of the audit log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditLogEntry")]
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

filters! {
    struct Filters {
        /// Entries at or after this instant.
        from: Timestamp => "audit_log_id >= ?" as |at| Id::first_at(*at);
        /// Entries before this instant.
        to: Timestamp => "audit_log_id < ?" as |at| Id::first_at(*at);
        /// Entries of this actor.
        actor: Id => "actor_id = ?";
        /// Entries of this operation.
        operation: Text<80> => "operation = ?";
    }
}

fn list_audit_logs(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<AuditLogs> {
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(AuditLogPath { audit_log_id: AuditLogId });

answer!(AuditLogAnswer { audit_log: AuditLogView });

fn get_audit_log(cx: &mut Read, Path(at): Path<AuditLogPath>) -> Result<AuditLogAnswer> {
    let found: Option<AuditLog> = cx.one(FIND, params![at.audit_log_id])?;
    Ok(AuditLogAnswer { audit_log: found.ok_or(Key::AuditLogNotFound)?.into() })
}

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::stays(
    "audit_log",
    "Who did what, and when: ids and names of fields, no values.",
)];

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .erases(TRACES)
        .operations([
            operation!(GET "/audit-logs", AuditLogsRead, list_audit_logs)
                .summary("List audit log entries")
                .describe(
                    "Returns who did what to which record, newest first. Entries name the changed \
                 fields, never their values.",
                )
                .fails(&[Key::AuditStoreUnavailable]),
            operation!(GET "/audit-logs/{auditLogId}", AuditLogsRead, get_audit_log)
                .summary("Get an audit log entry")
                .describe(
                    "Returns one entry: the actor, the operation, its outcome, the record and the \
                 names of the changed fields.",
                )
                .fails(&[Key::AuditStoreUnavailable]),
        ])
        .tagged("Audit logs")
}

lists! {
    /// Every entry, newest first.
    LIST: List<AuditLog, Filters> =
        List::new("audit_log WHERE company_id = ?1", "audit_log_id DESC").tallied("auditLogs");
}

statements! {
    FIND = "SELECT ", AuditLog::COLUMNS, " FROM audit_log WHERE company_id = ?1 AND audit_log_id = ?2";
}
