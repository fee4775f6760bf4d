//! What clients are written of a membership that rests or ends, or is about to.

use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Date, Id, Result};
use spotter_mail::Letter;
use spotter_people::clients::{
    letter_reader::LetterReader,
    notifications::{NotificationKind, NotificationTurn},
};

use super::subscription::Subscription;
use crate::{billing::texts, company_day, ids::SubscriptionId};

/// Tells a client of a new pause or end.
pub fn send(cx: &mut Write, before: &Subscription, subscription: &Subscription) -> Result<()> {
    let end = subscription.end_date.filter(|_| subscription.end_date != before.end_date);
    let pause = subscription.pauses.0.iter().find(|pause| {
        !before.pauses.0.iter().any(|known| (known.from, known.until) == (pause.from, pause.until))
    });
    if end.is_none() && pause.is_none() {
        return Ok(());
    }
    let Some(reader) = LetterReader::of(cx, subscription.client_id)? else { return Ok(()) };
    let (membership, submitted) = (&*subscription.name, |date| texts::date(date, &reader.language));
    if let Some(pause) = pause {
        let (from, until) = (submitted(pause.from), submitted(pause.until));
        let letter = Letter::MembershipPaused { membership, from: &from, until: &until };
        spotter_mail::send(cx, reader.recipient(), subscription.subscription_id, &letter)?;
    }
    if end.is_some_and(|end| end <= subscription.start_date) {
        let letter = Letter::MembershipNeverBegins { membership };
        return spotter_mail::send(cx, reader.recipient(), subscription.subscription_id, &letter);
    }
    if let Some(last_day) = end.and_then(|end| end.plus_days(-1)) {
        let letter = Letter::MembershipEnds { membership, until: &submitted(last_day) };
        spotter_mail::send(cx, reader.recipient(), subscription.subscription_id, &letter)?;
    }
    Ok(())
}

/// Days before the last day of a membership on which its client is told.
const DAYS_BEFORE_END: i64 = 14;

/// The date on which a client is told of an end.
fn told_on(end: Date) -> Option<Date> {
    end.plus_days(-1 - DAYS_BEFORE_END)
}

/// Has a client told before a membership ends, where it has an end.
pub fn tell_of_end(cx: &mut Write, subscription: &Subscription) -> Result<()> {
    let Some(told_on) = subscription.end_date.and_then(told_on) else { return Ok(()) };
    if !spotter_mail::is_on(cx) || told_on <= cx.today()? {
        return Ok(());
    }
    let due_at = company_day(cx, told_on)?;
    cx.set_timer(&TELL_OF_END, subscription.subscription_id, due_at)
}

fn tell_client_of_end(cx: &mut Write, id: Id) -> Result<()> {
    let subscription = Subscription::find(cx, SubscriptionId(id))?;
    let Some(end) = subscription.end_date else { return Ok(()) };
    let today = cx.today()?;
    if subscription.has_ended() || end <= today {
        return Ok(());
    }
    if told_on(end).is_some_and(|told_on| told_on > today) {
        // It was prolonged.
        return tell_of_end(cx, &subscription);
    }
    let kind = NotificationKind::Memberships;
    match NotificationTurn::of(cx, subscription.client_id, kind)? {
        NotificationTurn::Now(reader) => {
            let until = end.plus_days(-1).unwrap_or(end);
            let until = texts::date(until, &reader.language);
            let membership = &*subscription.name;
            let letter = Letter::MembershipEndsSoon { membership, until: &until };
            spotter_mail::send(cx, reader.recipient(), id, &letter)
        }
        NotificationTurn::Later(until) => cx.set_timer(&TELL_OF_END, id, until),
        NotificationTurn::Never => Ok(()),
    }
}

static TELL_OF_END: Timer =
    Timer::new("tell_of_end", "Write to a client before a membership ends", tell_client_of_end);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&TELL_OF_END])
}
