//! How what was decided of a membership comes into effect: its pauses and its end.

use spotter_contract::{Area, Effect, Ending, Write};
use spotter_core::clients::{
    profile::set_member_status,
    record::{Client, MemberStatus},
};
use spotter_kernel::{Event, Id, Result, id::ClientId};

use super::letters;
use crate::{
    memberships::subscription::{Subscription, SubscriptionStatus},
    sales::{client_product::ClientProduct, ending, turning},
    settings::FinanceSettings,
    standing, zone,
};

/// Puts what was worked out into effect: at once, where its day has come.
pub(super) fn apply(
    cx: &mut Write,
    before: &Subscription,
    mut course: Subscription,
) -> Result<Subscription> {
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

/// The memberships of a client who leaves end by their terms, as if they were cancelled today. Who has none is no
/// member any more.
fn end_at_term(cx: &mut Write, client: Id) -> Result<u64> {
    let client = ClientId(client);
    let running = Subscription::running_of(cx, client)?;
    if running.is_empty() && Client::find(cx, client)?.is_member() {
        set_member_status(cx, client, MemberStatus::Former)?;
    }
    let until = FinanceSettings::find(cx)?.cancellation_end;
    let today = zone(cx)?.date_at(cx.now());
    let mut ended = 0;
    for before in running.into_iter().filter(|one| one.end_date.is_none()) {
        let mut course = before.clone();
        course.end_on(before.end_after(today, until).date);
        apply(cx, &before, course)?;
        ended += 1;
    }
    Ok(ended)
}

const EFFECTS: &[Effect] = &[Effect::new(
    Ending::ClientLeavesAtTerm,
    "Their memberships end by their terms, as if cancelled today, and are billed until then.",
    end_at_term,
)];

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().ends(EFFECTS)
}
