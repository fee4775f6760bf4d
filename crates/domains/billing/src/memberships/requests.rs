//! Requests to pause or cancel a membership. They apply at once, or once a manager approves, where the company
//! requires that.

use spotter_contract::{
    Area, Body, ListQuery, OptionalBody, Path, Read, Success, UpdatedFrom, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{Date, Event, Key, Problem, Result, Rule};
use spotter_people::clients::Client;
use spotter_store::{Bind, List, lists};

use super::{
    apply_changes::apply,
    change_preview::{
        NewCancellation, NewPause, STAFF_FIELDS, SubscriptionPath, by, needs_approval, running,
        with_end, with_pause,
    },
    request::{RequestKind, SubscriptionRequest, SubscriptionRequestStatus},
};
use crate::{
    account_status,
    credits::grant,
    effects::BillingEffect,
    ids::{SubscriptionId, SubscriptionRequestId},
    memberships::subscription::Subscription,
    rules::BillingRule,
};

path!(RequestPath { subscription_id: SubscriptionId, request_id: SubscriptionRequestId });
answer!(RequestAnswer { request: SubscriptionRequest, subscription: Subscription });
answer!(
    /// A membership.
    pub SubscriptionAnswer {
        /// The membership after the operation.
        subscription: Subscription,
    }
);
listed!(Requests { requests: SubscriptionRequest });

fn request_pause(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    Body(new): Body<NewPause>,
) -> Result<RequestAnswer> {
    let before = running(cx, at.subscription_id)?;
    cx.as_of(before.updated_at);
    let subscription = with_pause(cx, &before, &new)?;
    let needs = needs_approval(cx, RequestKind::Pause)?;
    let (from, until) = (new.from, new.until);
    cx.describe_effect(|| match needs {
        true => BillingEffect::PauseAsked { from: from.to_string(), until: until.to_string() },
        false => BillingEffect::Paused { from: from.to_string(), until: until.to_string() },
    });
    let reason = new.reason.map(Into::into);
    let request = written(cx, &before, RequestKind::Pause, reason, |request| {
        (request.pause_from, request.pause_until) = (Some(from), Some(until));
    });
    finish(cx, request, before, subscription, needs)
}

fn request_cancellation(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    OptionalBody(new): OptionalBody<NewCancellation>,
) -> Result<RequestAnswer> {
    let before = running(cx, at.subscription_id)?;
    cx.as_of(before.updated_at);
    let (subscription, _) = with_end(cx, &before, new.end_date, new.immediately)?;
    let needs = needs_approval(cx, RequestKind::Cancellation)?;
    let end = subscription.end_date;
    cx.describe_effect(|| match (needs, end) {
        (true, _) => BillingEffect::CancellationAsked,
        (false, end) => BillingEffect::MembershipEndsBefore { date: decision_sentence(end) },
    });
    let reason = new.reason.map(Into::into);
    let request = written(cx, &before, RequestKind::Cancellation, reason, |request| {
        request.end_date = end;
    });
    finish(cx, request, before, subscription, needs)
}

fn decision_sentence(date: Option<Date>) -> String {
    date.map(|date| date.to_string()).unwrap_or_default()
}

fn written(
    cx: &mut Write,
    of: &Subscription,
    kind: RequestKind,
    reason: Option<String>,
    facts: impl FnOnce(&mut SubscriptionRequest),
) -> SubscriptionRequest {
    let mut request = SubscriptionRequest {
        subscription_id: of.subscription_id,
        request_id: SubscriptionRequestId(cx.new_id()),
        client_id: of.client_id,
        kind,
        status: SubscriptionRequestStatus::Pending,
        pause_from: None,
        pause_until: None,
        end_date: None,
        reason,
        requested_by: by(cx),
        answered_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    facts(&mut request);
    request
}

/// Stores a new request, and applies it where no approval is needed.
fn finish(
    cx: &mut Write,
    mut request: SubscriptionRequest,
    before: Subscription,
    membership: Subscription,
    needs_approval: bool,
) -> Result<RequestAnswer> {
    let subscription = match needs_approval {
        true => before,
        false => {
            request.status = SubscriptionRequestStatus::Applied;
            request.answered_at = Some(cx.now());
            apply(cx, &before, membership)?
        }
    };
    request.insert(cx)?;
    Ok(RequestAnswer { request, subscription })
}

fn list_subscription_requests(
    cx: &mut Read,
    Path(at): Path<SubscriptionPath>,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Requests> {
    Subscription::find(cx, at.subscription_id)?;
    let above = [at.subscription_id.bind().into_owned()];
    Ok(cx.page_under(&LIST, &above, &wanted, page)?.into())
}

fn approve_subscription_request(
    cx: &mut Write,
    Path(at): Path<RequestPath>,
) -> Result<RequestAnswer> {
    let mut request = SubscriptionRequest::pending(cx, at.subscription_id, at.request_id)?;
    let before = running(cx, at.subscription_id)?;
    let membership = match (request.kind, request.pause_from, request.pause_until) {
        (RequestKind::Pause, Some(from), Some(until)) => {
            with_pause(cx, &before, &NewPause { from, until, reason: None })?
        }
        _ => {
            // The end that the client was given still holds, unless it has passed.
            let today = cx.today()?;
            let mut membership = before.clone();
            let end = request.end_date.map_or(today, |end| end.max(today));
            if let Some(known) = before.end_date.filter(|known| *known < end) {
                return Err(Problem::conflict("endDate", BillingRule::EndsAlready { end: known }));
            }
            membership.end_on(end);
            request.end_date = Some(end);
            membership
        }
    };
    let subscription = apply(cx, &before, membership)?;
    let request = request.answer(cx, SubscriptionRequestStatus::Applied)?;
    Ok(RequestAnswer { request, subscription })
}

fn reject_subscription_request(
    cx: &mut Write,
    Path(at): Path<RequestPath>,
) -> Result<RequestAnswer> {
    let request = SubscriptionRequest::pending(cx, at.subscription_id, at.request_id)?;
    let request = request.answer(cx, SubscriptionRequestStatus::Rejected)?;
    Ok(RequestAnswer { request, subscription: Subscription::find(cx, at.subscription_id)? })
}

fn undo_cancellation(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
) -> Result<SubscriptionAnswer> {
    let before = running(cx, at.subscription_id)?;
    if Client::find(cx, before.client_id)?.is_archived() {
        return Err(Problem::conflict("clientId", Rule::Archived));
    }
    if before.end_date.is_none() || !before.auto_renew {
        return Err(Problem::conflict("status", BillingRule::NotCancelled));
    }
    let mut membership = before.clone();
    membership.end_date = None;
    membership.next_billing_date = membership.next_billing_date.or(Some(membership.paid_until));
    Ok(SubscriptionAnswer { subscription: apply(cx, &before, membership)? })
}

/// A pause that ends earlier, or does not begin.
fn resume_subscription(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
) -> Result<SubscriptionAnswer> {
    let before = running(cx, at.subscription_id)?;
    let today = cx.today()?;
    let mut membership = before.clone();
    let resting = membership.pauses.0.iter().position(|pause| pause.begun && today < pause.until);
    match (resting, membership.next_pause()) {
        (Some(pause), _) => {
            let planned = membership.pauses.0[pause].until;
            membership.resume(pause, today);
            membership.status = account_status::awake(cx, membership.subscription_id)?;
            grant::shift(cx, membership.client_product_id, today, planned.days_until(today))?;
        }
        (None, Some((planned, _))) => membership.drop_pause(planned),
        (None, None) => return Err(Problem::conflict("pauses", BillingRule::NoMembership)),
    }
    Ok(SubscriptionAnswer { subscription: apply(cx, &before, membership)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/subscriptions/{subscriptionId}/requests", FinanceSubscriptionsRead,
            list_subscription_requests)
        .summary("List membership requests")
            .describe("Returns requests to pause or cancel a membership, newest first.")
        .for_own(&[]),
        operation!(POST "/finance/subscriptions/{subscriptionId}/pause-requests",
            FinanceSubscriptionActionsWrite, request_pause)
        .summary("Request a pause")
        .describe(
                "Pauses a membership. Takes effect at once, or after a manager's approval where \
                 the company requires it of clients.",
            )
        .created()
        .for_own(&[])
        .emits(crate::TURNS)
        .always(&[])
        .fails(&[Key::ApiError, Key::DateRangeOrderInvalid])
        .confirmation(),
        operation!(POST "/finance/subscriptions/{subscriptionId}/cancellation-requests",
            FinanceSubscriptionActionsWrite, request_cancellation)
        .summary("Request a cancellation")
        .describe(
                "Cancels a membership after its notice period, not before its minimum term, at \
                 the date that the company's settings determine. Takes effect at once, or after a \
                 manager's approval.",
            )
        .created()
        .for_own(&[])
        .staff_only_input(STAFF_FIELDS)
        .emits(crate::TURNS)
        .always(&[])
        .fails(&[Key::ApiError])
        .confirmation(),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/requests/{requestId}/approve", Manager,
            approve_subscription_request)
        .success(Success::Approved)
        .summary("Approve a membership request")
            .describe("Applies a requested pause or cancellation.")
        .emits(crate::TURNS)
        .always(&[Event::SubscriptionChanged])
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/requests/{requestId}/reject", Manager,
            reject_subscription_request)
        .success(Success::Rejected)
        .summary("Reject a membership request")
            .describe("Declines a requested pause or cancellation.")
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/cancellation/undo", Manager,
            undo_cancellation)
        .summary("Undo a cancellation")
        .describe("Lets a cancelled membership continue, until its end date.")
        .emits(crate::TURNS)
        .always(&[Event::SubscriptionChanged])
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/resume", Manager, resume_subscription)
            .summary("Resume a membership")
            .describe("Ends a running pause today, or removes one that has not begun.")
            .emits(crate::TURNS)
            .always(&[Event::SubscriptionChanged])
            .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// The requests of a membership, the latest first.
    LIST: List<SubscriptionRequest, UpdatedFrom> = List::new(
        "subscription_request WHERE company_id = ?1 AND subscription_id = ?2",
        "request_id DESC",
    );
}
