//! Wishes to pause or to cancel a membership: what they would mean, and what becomes of them. They apply
//! at once, or once a manager approves, where the company wants that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, OptionalBody, Paged, Path, Read, Write, answer, listed, operation, path,
};
use spotter_kernel::{Date, Event, Key, Problem, Result, text::Text};
use spotter_store::{Bind, List, NoFilters, lists};

use super::{
    letters,
    request::{RequestKind, RequestStatus, RequestedBy, SubscriptionRequest},
};
use crate::{
    credits::granting,
    ids::{SubscriptionId, SubscriptionRequestId},
    memberships::{
        course::{EndRule, PeriodBill},
        subscription::{Pause, Subscription, SubscriptionStatus},
    },
    sales::{client_product::ClientProduct, ending, turning},
    settings::FinanceSettings,
    standing, zone,
};

/// A pause that is wished.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPause {
    /// The first day of the pause; not before today.
    from: Date,
    /// The first day after it.
    until: Date,
    /// Why.
    reason: Option<Text<500>>,
}

/// A cancellation that is wished.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct NewCancellation {
    /// The first day after the end that is wished; the earliest by the terms when absent.
    end_date: Option<Date>,
    /// Ends it today, whatever the terms say.
    immediately: bool,
    /// Why.
    reason: Option<Text<500>>,
}

/// What a wish would mean.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequestPreview {
    /// Whether a manager has to approve it.
    needs_approval: bool,
    /// The first day after the end, where pauses that are planned before it move it; null while it goes on.
    end_date: Option<Date>,
    /// The rule that decides the end of a cancellation.
    end_rule: Option<EndRule>,
    next_billing_date: Option<Date>,
    /// Up to twelve bills to come.
    bills_to_come: Vec<PeriodBill>,
}

path!(
    /// Where a membership stands in a path.
    pub SubscriptionPath {
        /// The membership's id.
        subscription_id: SubscriptionId,
    }
);
path!(RequestPath { subscription_id: SubscriptionId, request_id: SubscriptionRequestId });
answer!(RequestAnswer { request: SubscriptionRequest, subscription: Subscription });
answer!(PreviewAnswer { preview: RequestPreview });
answer!(
    /// A membership.
    pub SubscriptionAnswer {
        /// As it stands.
        subscription: Subscription,
    }
);
listed!(Requests { requests: SubscriptionRequest });

/// A membership that can be paused or cancelled.
fn running(cx: &mut Read, id: SubscriptionId) -> Result<Subscription> {
    let found = Subscription::find(cx, id)?;
    match found.has_ended() {
        true => Err(Problem::conflict("status", "must not have ended")),
        false => Ok(found),
    }
}

fn by(cx: &Read) -> RequestedBy {
    match cx.caller().actor {
        // Integrations act for their users.
        Actor::Client { .. } | Actor::ApiClient { .. } => RequestedBy::Client,
        _ => RequestedBy::Company,
    }
}

/// Whether a manager has to approve what is wished: where the company wants that, and its own staff does not
/// wish it.
fn needs_approval(cx: &mut Read, kind: RequestKind) -> Result<bool> {
    let settings = FinanceSettings::find(cx)?;
    let wanted = match kind {
        RequestKind::Pause => settings.pause_needs_approval,
        RequestKind::Cancellation => settings.cancellation_needs_approval,
    };
    Ok(wanted && by(cx) == RequestedBy::Client)
}

/// Most days of a pause.
const PAUSE_DAYS_MAX: i64 = 366;
/// How far ahead an end or a pause can be, in days.
const END_DAYS_MAX: i64 = 3_660;

/// What a membership is with a pause.
fn with_pause(cx: &mut Read, before: &Subscription, new: &NewPause) -> Result<Subscription> {
    let settings = FinanceSettings::find(cx)?;
    let today = zone(cx)?.date_at(cx.now());
    if new.until <= new.from {
        return Err(Problem::field(Key::DateRangeOrderInvalid, "until", "must be after from"));
    }
    if new.from < today {
        return Err(Problem::invalid("from", "must not be before today"));
    }
    if new.from.days_until(new.until) > PAUSE_DAYS_MAX || today.days_until(new.from) > END_DAYS_MAX
    {
        let rule = "must be at most a year after from, and that at most ten years from today";
        return Err(Problem::invalid("until", rule));
    }
    if new.from < before.start_date {
        return Err(Problem::invalid("from", "must not be before the membership's first day"));
    }
    if before.status == SubscriptionStatus::PastDue {
        return Err(Problem::conflict("status", "must not be past due"));
    }
    let mut course = before.clone();
    let pause = Pause {
        from: new.from,
        until: new.until,
        billing: settings.pause_billing,
        begun: false,
        deducted_days: 0,
        anchor_before: None,
    };
    course.plan_pause(pause, settings.pause_days_a_year)?;
    Ok(course)
}

/// What a membership is once it is cancelled, and the rule that decides when it ends.
fn with_end(
    cx: &mut Read,
    before: &Subscription,
    wanted: (Option<Date>, bool),
) -> Result<(Subscription, EndRule)> {
    let settings = FinanceSettings::find(cx)?;
    let today = zone(cx)?.date_at(cx.now());
    let mut course = before.clone();
    let (end_date, immediately) = wanted;
    let earliest = course.end_after(today, settings.cancellation_end);
    let (date, rule) = match (end_date, immediately) {
        (Some(_), true) => {
            return Err(Problem::invalid("endDate", "must be absent where it ends immediately"));
        }
        (None, true) => (today, EndRule::Immediately),
        (Some(wished), _) if wished < earliest.date => {
            let rule = format!("must be {} or later", earliest.date);
            return Err(Problem::conflict("endDate", &rule));
        }
        (Some(wished), _) if today.days_until(wished) > END_DAYS_MAX => {
            return Err(Problem::invalid("endDate", "must be at most ten years from today"));
        }
        (Some(wished), _) if wished > earliest.date => (wished, EndRule::Wished),
        (Some(wished), _) => (wished, earliest.rule),
        (None, _) => (earliest.date, earliest.rule),
    };
    if let Some(end) = before.end_date.filter(|end| before.auto_renew && *end <= date) {
        return Err(Problem::conflict(
            "status",
            &format!("must not be cancelled already: it ends on {end}"),
        ));
    }
    if let Some(end) = before.end_date.filter(|end| *end <= date) {
        return Err(Problem::conflict(
            "autoRenew",
            &format!("must be true: it ends by itself on {end}"),
        ));
    }
    course.end_on(date);
    Ok((course, rule))
}

fn foreseen(course: &Subscription, needs_approval: bool, rule: Option<EndRule>) -> PreviewAnswer {
    let bills_to_come = course.bills_to_come(12);
    PreviewAnswer {
        preview: RequestPreview {
            needs_approval,
            end_date: course.end_date,
            end_rule: rule,
            next_billing_date: bills_to_come.first().map(|bill| bill.period_start),
            bills_to_come,
        },
    }
}

fn preview_pause(
    cx: &mut Read,
    Path(at): Path<SubscriptionPath>,
    Body(new): Body<NewPause>,
) -> Result<PreviewAnswer> {
    let before = running(cx, at.subscription_id)?;
    let course = with_pause(cx, &before, &new)?;
    let needs = needs_approval(cx, RequestKind::Pause)?;
    Ok(foreseen(&course, needs, None))
}

fn preview_cancellation(
    cx: &mut Read,
    Path(at): Path<SubscriptionPath>,
    OptionalBody(new): OptionalBody<NewCancellation>,
) -> Result<PreviewAnswer> {
    let before = running(cx, at.subscription_id)?;
    let (course, rule) = with_end(cx, &before, (new.end_date, new.immediately))?;
    let needs = needs_approval(cx, RequestKind::Cancellation)?;
    Ok(foreseen(&course, needs, Some(rule)))
}

fn request_pause(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    Body(new): Body<NewPause>,
) -> Result<RequestAnswer> {
    let before = running(cx, at.subscription_id)?;
    cx.as_of(before.updated_at);
    let course = with_pause(cx, &before, &new)?;
    let needs = needs_approval(cx, RequestKind::Pause)?;
    let (from, until) = (new.from, new.until);
    cx.happens(|| match needs {
        true => format!("A manager is asked to pause the membership from {from} until {until}."),
        false => format!("The membership is paused from {from} until {until}."),
    });
    let reason = new.reason.map(Into::into);
    let request = written(cx, &before, RequestKind::Pause, reason, |request| {
        (request.pause_from, request.pause_until) = (Some(from), Some(until));
    });
    finish(cx, request, before, course, needs)
}

fn request_cancellation(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    OptionalBody(new): OptionalBody<NewCancellation>,
) -> Result<RequestAnswer> {
    let before = running(cx, at.subscription_id)?;
    cx.as_of(before.updated_at);
    let (course, _) = with_end(cx, &before, (new.end_date, new.immediately))?;
    let needs = needs_approval(cx, RequestKind::Cancellation)?;
    let end = course.end_date;
    cx.happens(|| match (needs, end) {
        (true, _) => "A manager is asked to cancel the membership.".to_owned(),
        (false, end) => {
            format!("The membership ends: its last day is the one before {}.", told(end))
        }
    });
    let reason = new.reason.map(Into::into);
    let request = written(cx, &before, RequestKind::Cancellation, reason, |request| {
        request.end_date = end;
    });
    finish(cx, request, before, course, needs)
}

fn told(date: Option<Date>) -> String {
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
        status: RequestStatus::Pending,
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

/// Writes a new wish down, and applies it where nobody has to approve it.
fn finish(
    cx: &mut Write,
    mut request: SubscriptionRequest,
    before: Subscription,
    course: Subscription,
    needs_approval: bool,
) -> Result<RequestAnswer> {
    let subscription = match needs_approval {
        true => before,
        false => {
            request.status = RequestStatus::Applied;
            request.answered_at = Some(cx.now());
            apply(cx, &before, course)?
        }
    };
    request.insert(cx)?;
    Ok(RequestAnswer { request, subscription })
}

/// Puts what was worked out into effect: at once, where its day has come.
fn apply(cx: &mut Write, before: &Subscription, mut course: Subscription) -> Result<Subscription> {
    let today = zone(cx)?.date_at(cx.now());
    let product = ClientProduct::find(cx, course.client_product_id)?;
    letters::tell(cx, before, &course)?;
    if let Some(end) = course.end_date.filter(|end| *end <= today) {
        ending::end(cx, product, end, false, None)?;
        return Subscription::find(cx, course.subscription_id);
    }
    if let Some((at, from)) = course.next_pause()
        && from <= today
    {
        course.begin_pause(at);
        course.status = SubscriptionStatus::Paused;
    }
    course.save_and_tell(cx, before, Event::SubscriptionChanged)?;
    if course.status != before.status {
        standing::follow_members(cx, course.client_id)?;
        if course.status == SubscriptionStatus::Paused {
            turning::rest(cx, &course)?;
        }
    }
    turning::turn_later(cx, &product, Some(&course))?;
    Ok(course)
}

fn list_subscription_requests(
    cx: &mut Read,
    Path(at): Path<SubscriptionPath>,
    Paged(_, page): Paged<NoFilters>,
) -> Result<Requests> {
    Subscription::find(cx, at.subscription_id)?;
    let above = [at.subscription_id.bind().into_owned()];
    Ok(cx.page_under(&LIST, &above, &NoFilters {}, page)?.into())
}

fn approve_subscription_request(
    cx: &mut Write,
    Path(at): Path<RequestPath>,
) -> Result<RequestAnswer> {
    let mut request = SubscriptionRequest::pending(cx, at.subscription_id, at.request_id)?;
    let before = running(cx, at.subscription_id)?;
    let course = match (request.kind, request.pause_from, request.pause_until) {
        (RequestKind::Pause, Some(from), Some(until)) => {
            with_pause(cx, &before, &NewPause { from, until, reason: None })?
        }
        _ => {
            // The end that was told still holds, unless it has passed.
            let today = zone(cx)?.date_at(cx.now());
            let mut course = before.clone();
            let end = request.end_date.map_or(today, |end| end.max(today));
            course.end_on(end);
            request.end_date = Some(end);
            course
        }
    };
    let subscription = apply(cx, &before, course)?;
    let request = request.answer(cx, RequestStatus::Applied)?;
    Ok(RequestAnswer { request, subscription })
}

fn reject_subscription_request(
    cx: &mut Write,
    Path(at): Path<RequestPath>,
) -> Result<RequestAnswer> {
    let request = SubscriptionRequest::pending(cx, at.subscription_id, at.request_id)?;
    let request = request.answer(cx, RequestStatus::Rejected)?;
    Ok(RequestAnswer { request, subscription: Subscription::find(cx, at.subscription_id)? })
}

fn undo_cancellation(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
) -> Result<SubscriptionAnswer> {
    let before = running(cx, at.subscription_id)?;
    if before.end_date.is_none() || !before.auto_renew {
        return Err(Problem::conflict(
            "status",
            "must be cancelled, with an end that is still to come",
        ));
    }
    let mut course = before.clone();
    course.end_date = None;
    course.next_billing_date = course.next_billing_date.or(Some(course.paid_until));
    Ok(SubscriptionAnswer { subscription: apply(cx, &before, course)? })
}

/// A pause that ends earlier, or does not begin.
fn resume_subscription(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
) -> Result<SubscriptionAnswer> {
    let before = running(cx, at.subscription_id)?;
    let today = zone(cx)?.date_at(cx.now());
    let mut course = before.clone();
    let resting = course.pauses.0.iter().position(|pause| pause.begun && today < pause.until);
    match (resting, course.next_pause()) {
        (Some(pause), _) => {
            let planned = course.pauses.0[pause].until;
            course.resume(pause, today);
            course.status = standing::awake(cx, course.subscription_id)?;
            granting::shift(cx, course.client_product_id, today, planned.days_until(today))?;
        }
        (None, Some((planned, _))) => course.drop_pause(planned),
        (None, None) => return Err(Problem::conflict("pauses", "must have one that is not over")),
    }
    Ok(SubscriptionAnswer { subscription: apply(cx, &before, course)? })
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/subscriptions/{subscriptionId}/requests", FinanceSubscriptionsRead,
            list_subscription_requests)
        .summary("List what was wished of a membership")
        .for_own(&[]),
        operation!(POST "/finance/subscriptions/{subscriptionId}/pause-requests/preview",
            FinanceSubscriptionsRead, preview_pause)
        .summary("See what a pause would mean")
        .describe("Changes nothing.")
        .for_own(&[])
        .fails(&[Key::ApiError, Key::DateRangeOrderInvalid]),
        operation!(POST "/finance/subscriptions/{subscriptionId}/pause-requests",
            FinanceSubscriptionActionsWrite, request_pause)
        .summary("Ask to pause a membership")
        .describe("It applies at once, or once a manager approves, where the company wants that of clients.")
        .created()
        .for_own(&[])
        .emits(crate::TURNS)
        .always(&[])
        .fails(&[Key::ApiError, Key::DateRangeOrderInvalid])
        .asks(),
        operation!(POST "/finance/subscriptions/{subscriptionId}/cancellation-requests/preview",
            FinanceSubscriptionsRead, preview_cancellation)
        .summary("See what a cancellation would mean")
        .describe("When the membership would end, by which rule, and what is billed until then. Changes nothing.")
        .for_own(&[])
        .said_by_staff(SAID_BY_STAFF)
        .fails(&[Key::ApiError]),
        operation!(POST "/finance/subscriptions/{subscriptionId}/cancellation-requests",
            FinanceSubscriptionActionsWrite, request_cancellation)
        .summary("Ask to cancel a membership")
        .describe(
            "It ends after notice, not before its minimum term, and with the period that is running then, or \
             with the notice, as the company has set. It applies at once, or once a manager approves.",
        )
        .created()
        .for_own(&[])
        .said_by_staff(SAID_BY_STAFF)
        .emits(crate::TURNS)
        .always(&[])
        .fails(&[Key::ApiError])
        .asks(),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/requests/{requestId}/approve", Manager,
            approve_subscription_request)
        .summary("Approve what was wished of a membership")
        .emits(crate::TURNS)
        .always(&[Event::SubscriptionChanged])
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/requests/{requestId}/reject", Manager,
            reject_subscription_request)
        .summary("Reject what was wished of a membership")
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/cancellation/undo", Manager,
            undo_cancellation)
        .summary("Let a cancelled membership go on")
        .describe("Until its end has come.")
        .emits(crate::TURNS)
        .always(&[Event::SubscriptionChanged])
        .fails(&[Key::ApiError]),
        operation!(app POST "/finance/subscriptions/{subscriptionId}/resume", Manager, resume_subscription)
            .summary("End a pause today, or drop one that has not begun")
            .emits(crate::TURNS)
            .always(&[Event::SubscriptionChanged])
            .fails(&[Key::ApiError]),
    ])
}

/// What staff alone say of a cancellation.
const SAID_BY_STAFF: &[&str] = &["immediately"];

lists! {
    /// What was wished of a membership, the latest first.
    LIST: List<SubscriptionRequest, NoFilters> = List::new(
        "subscription_request WHERE company_id = ?1 AND subscription_id = ?2",
        "request_id DESC",
    );
}
