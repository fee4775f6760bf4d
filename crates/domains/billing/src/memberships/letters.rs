//! What clients are written of a membership that rests or ends.

use spotter_contract::Write;
use spotter_kernel::Result;
use spotter_mail::Letter;

use super::subscription::Subscription;
use crate::billing::{letters::LetterReader, texts};

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
