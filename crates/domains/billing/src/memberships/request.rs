//! A request to pause or cancel a membership: the record.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, Key, Problem, Result, Timestamp, id::ClientId};
use spotter_store::{params, record, set, statements, values, words};

use crate::{
    ids::{SubscriptionId, SubscriptionRequestId},
    rules::BillingRule,
};

words! {
    /// What is requested.
    pub enum RequestKind { Pause = "pause", Cancellation = "cancellation" }
}

words! {
    /// Status of a membership request.
    pub enum SubscriptionRequestStatus { Pending = "pending", Applied = "applied", Rejected = "rejected" }
}

words! {
    /// Who made the request.
    pub enum RequestedBy { Client = "client", Company = "company" }
}

record! {
    /// A client's request to pause or cancel a membership.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct SubscriptionRequest {
        /// The membership.
        pub subscription_id: SubscriptionId,
        /// Id of the request.
        pub request_id: SubscriptionRequestId,
        /// Client who makes the request.
        pub client_id: ClientId,
        /// Requested change: a pause or a cancellation.
        pub kind: RequestKind,
        /// Current status.
        pub status: SubscriptionRequestStatus,
        /// The first day of a pause.
        pub pause_from: Option<Date>,
        /// The first day after a pause.
        pub pause_until: Option<Date>,
        /// The first day after the end, for a cancellation that was applied.
        pub end_date: Option<Date>,
        /// Why, in the requester's words.
        pub reason: Option<String>,
        /// Side that requested it.
        pub requested_by: RequestedBy,
        /// When it was applied or rejected.
        pub answered_at: Option<Timestamp>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

impl SubscriptionRequest {
    /// The pending request of a membership.
    pub fn pending(
        cx: &mut Read,
        subscription: SubscriptionId,
        id: SubscriptionRequestId,
    ) -> Result<Self> {
        let found: Self = cx.one(FIND, params![subscription, id])?.ok_or(Key::NotFound)?;
        match found.status {
            SubscriptionRequestStatus::Pending => Ok(found),
            _ => Err(Problem::conflict("status", BillingRule::NotPending)),
        }
    }

    /// Writes a new one down; of a kind no two of a membership wait for an answer.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        if self.status == SubscriptionRequestStatus::Pending {
            let waiting: Option<(SubscriptionRequestId,)> =
                cx.one(WAITING, params![self.subscription_id, self.kind])?;
            if waiting.is_some() {
                return Err(Problem::conflict("status", BillingRule::RequestWaits));
            }
        }
        cx.set_audit_target("subscription", self.subscription_id, ["request"]);
        cx.defer(INSERT, &self.params())
    }

    /// Writes an answer down.
    pub fn answer(mut self, cx: &mut Write, status: SubscriptionRequestStatus) -> Result<Self> {
        self.status = status;
        self.answered_at = Some(cx.now());
        self.updated_at = cx.now();
        cx.set_audit_target("subscription", self.subscription_id, ["request"]);
        cx.defer(SAVE, &self.params())?;
        Ok(self)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    FIND = "SELECT ", SubscriptionRequest::COLUMNS, " FROM subscription_request \
        WHERE company_id = ?1 AND subscription_id = ?2 AND request_id = ?3";
    WAITING = "SELECT request_id FROM subscription_request WHERE company_id = ?1 \
        AND subscription_id = ?2 AND kind = ?3 AND status = 'pending' LIMIT 1";
    INSERT = "INSERT INTO subscription_request ", values!(SubscriptionRequest);
    SAVE = "UPDATE subscription_request SET ", set!(SubscriptionRequest),
        " WHERE company_id = ?1 AND subscription_id = ?2 AND request_id = ?3";
}
