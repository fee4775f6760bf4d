//! The effects of a request to pause or cancel a membership. The preview and the change use the same functions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Actor, Area, Body, OptionalBody, Path, Read, answer, operation, path};
use spotter_kernel::{Date, Key, Problem, Result, Rule, text::Text};

use super::request::{RequestKind, RequestedBy};
use crate::{
    ids::SubscriptionId,
    memberships::{
        billing_schedule::{EndRule, PeriodBill},
        subscription::{Pause, Subscription, SubscriptionStatus},
    },
    rules::BillingRule,
    settings::FinanceSettings,
};

/// The requested pause of a membership.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SubscriptionPause")]
pub(super) struct NewPause {
    /// The first day of the pause; not before today.
    pub(super) from: Date,
    /// The first day after it.
    pub(super) until: Date,
    /// Why, in the requester's words.
    pub(super) reason: Option<Text<500>>,
}

/// The requested end of a membership.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "SubscriptionCancellation")]
pub(super) struct NewCancellation {
    /// The first day after the requested end; the earliest by the terms when absent.
    pub(super) end_date: Option<Date>,
    /// Ends it today, whatever the terms say.
    pub(super) immediately: bool,
    /// Why, in the requester's words.
    pub(super) reason: Option<Text<500>>,
}

/// The effects of a requested change of a membership.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionRequestPreview")]
struct RequestPreview {
    /// Whether a manager has to approve it.
    needs_approval: bool,
    /// The first day after the end, moved by pauses that are planned before it; null while it continues.
    end_date: Option<Date>,
    /// The rule that decides the end of a cancellation.
    end_rule: Option<EndRule>,
    next_billing_date: Option<Date>,
    /// Up to twelve upcoming invoices.
    bills_to_come: Vec<PeriodBill>,
}

path!(
    /// A membership in a path.
    pub SubscriptionPath {
        /// The membership's id.
        subscription_id: SubscriptionId,
    }
);
answer!(PreviewAnswer { preview: RequestPreview });

/// A membership that can be paused or cancelled.
pub(super) fn running(cx: &mut Read, id: SubscriptionId) -> Result<Subscription> {
    let found = Subscription::find(cx, id)?;
    match found.has_ended() {
        true => Err(Problem::conflict("status", BillingRule::Ended)),
        false => Ok(found),
    }
}

pub(super) fn by(cx: &Read) -> RequestedBy {
    match cx.caller().actor {
        // Integrations act for their users.
        Actor::Client { .. } | Actor::ApiClient { .. } => RequestedBy::Client,
        _ => RequestedBy::Company,
    }
}

/// Whether a manager has to approve the request: where the company requires that and the requester is not staff.
pub(super) fn needs_approval(cx: &mut Read, kind: RequestKind) -> Result<bool> {
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

/// The membership with a pause.
pub(super) fn with_pause(
    cx: &mut Read,
    before: &Subscription,
    new: &NewPause,
) -> Result<Subscription> {
    let settings = FinanceSettings::find(cx)?;
    let today = cx.today()?;
    if new.until <= new.from {
        return Err(Problem::field(Key::DateRangeOrderInvalid, "until", BillingRule::NotAfterFrom));
    }
    if new.from < today {
        return Err(Problem::invalid("from", Rule::BeforeToday));
    }
    if new.from.days_until(new.until) > PAUSE_DAYS_MAX || today.days_until(new.from) > END_DAYS_MAX
    {
        return Err(Problem::invalid("until", BillingRule::PauseTooLong));
    }
    if new.from < before.start_date {
        return Err(Problem::invalid("from", BillingRule::BeforeFirstDay));
    }
    if before.status == SubscriptionStatus::PastDue {
        return Err(Problem::conflict("status", BillingRule::PastDue));
    }
    let mut subscription = before.clone();
    let pause = Pause {
        from: new.from,
        until: new.until,
        billing: settings.pause_billing,
        begun: false,
        deducted_days: 0,
        anchor_before: None,
    };
    subscription.plan_pause(pause, settings.pause_days_a_year)?;
    Ok(subscription)
}

/// The membership with a cancellation, and the rule that determines its end.
pub(super) fn with_end(
    cx: &mut Read,
    before: &Subscription,
    end_date: Option<Date>,
    immediately: bool,
) -> Result<(Subscription, EndRule)> {
    let settings = FinanceSettings::find(cx)?;
    let today = cx.today()?;
    let mut subscription = before.clone();
    let earliest = subscription.end_after(today, settings.cancellation_end);
    let (date, rule) = match (end_date, immediately) {
        (Some(_), true) => {
            return Err(Problem::invalid("endDate", BillingRule::EndsImmediately));
        }
        (None, true) => (today, EndRule::Immediately),
        (Some(wished), _) if wished < earliest.date => {
            return Err(Problem::conflict(
                "endDate",
                BillingRule::TooEarly { earliest: earliest.date },
            ));
        }
        (Some(wished), _) if today.days_until(wished) > END_DAYS_MAX => {
            return Err(Problem::invalid("endDate", BillingRule::BeyondTenYears));
        }
        (Some(wished), _) if wished > earliest.date => (wished, EndRule::Wished),
        (Some(wished), _) => (wished, earliest.rule),
        (None, _) => (earliest.date, earliest.rule),
    };
    if let Some(end) = before.end_date.filter(|end| before.auto_renew && *end <= date) {
        return Err(Problem::conflict("status", BillingRule::EndsAlready { end }));
    }
    if let Some(end) = before.end_date.filter(|end| *end <= date) {
        return Err(Problem::conflict("autoRenew", BillingRule::EndsByItself { end }));
    }
    subscription.end_on(date);
    Ok((subscription, rule))
}

fn periods_to_come(
    subscription: &Subscription,
    needs_approval: bool,
    rule: Option<EndRule>,
) -> PreviewAnswer {
    let bills_to_come = subscription.bills_to_come(12);
    PreviewAnswer {
        preview: RequestPreview {
            needs_approval,
            end_date: subscription.end_date,
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
    let subscription = with_pause(cx, &before, &new)?;
    let needs = needs_approval(cx, RequestKind::Pause)?;
    Ok(periods_to_come(&subscription, needs, None))
}

fn preview_cancellation(
    cx: &mut Read,
    Path(at): Path<SubscriptionPath>,
    OptionalBody(new): OptionalBody<NewCancellation>,
) -> Result<PreviewAnswer> {
    let before = running(cx, at.subscription_id)?;
    let (subscription, rule) = with_end(cx, &before, new.end_date, new.immediately)?;
    let needs = needs_approval(cx, RequestKind::Cancellation)?;
    Ok(periods_to_come(&subscription, needs, Some(rule)))
}

/// Fields of a cancellation that only staff may set.
pub(super) const STAFF_FIELDS: &[&str] = &["immediately"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/finance/subscriptions/{subscriptionId}/pause-requests/preview",
            FinanceSubscriptionsRead, preview_pause)
        .summary("Preview a pause")
        .describe(
            "Returns how a pause would move the membership's periods and invoices. Changes \
                 nothing.",
        )
        .for_own(&[])
        .fails(&[Key::ApiError, Key::DateRangeOrderInvalid]),
        operation!(POST "/finance/subscriptions/{subscriptionId}/cancellation-requests/preview",
            FinanceSubscriptionsRead, preview_cancellation)
        .summary("Preview a cancellation")
        .describe(
            "Returns when the membership would end, by which rule, and what would be billed \
                 until then. Changes nothing.",
        )
        .for_own(&[])
        .staff_only_input(STAFF_FIELDS)
        .fails(&[Key::ApiError]),
    ])
}
