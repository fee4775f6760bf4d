//! What clients are written of credits that are about to lapse.

use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Date, Id, Result};
use spotter_mail::Letter;
use spotter_people::clients::notifications::{NotificationKind, NotificationTurn};

use super::lot::CreditLot;
use crate::{billing::texts, company_day};

/// Days before the last day of credits on which their client is told.
const DAYS_BEFORE_END: i64 = 7;

/// Has a client told before credits lapse, where they do.
pub fn tell_of_end(cx: &mut Write, lot: &CreditLot) -> Result<()> {
    let Some(told_on) = lot.valid_until.and_then(told_on) else { return Ok(()) };
    if !spotter_mail::is_on(cx) || told_on <= cx.today()? {
        return Ok(());
    }
    let due_at = company_day(cx, told_on)?;
    cx.set_timer(&TELL_OF_CREDITS, lot.credit_lot_id, due_at)
}

/// The date on which a client is told of an end.
fn told_on(end: Date) -> Option<Date> {
    end.plus_days(-1 - DAYS_BEFORE_END)
}

fn tell_client_of_credits(cx: &mut Write, id: Id) -> Result<()> {
    let Some(lot) = CreditLot::some(cx, &[id])?.pop() else { return Ok(()) };
    let Some(end) = lot.valid_until else { return Ok(()) };
    let today = cx.today()?;
    if lot.available() <= 0 || end <= today {
        return Ok(());
    }
    if told_on(end).is_some_and(|told_on| told_on > today) {
        // A pause has moved it.
        return tell_of_end(cx, &lot);
    }
    match NotificationTurn::of(cx, lot.client_id, NotificationKind::Memberships)? {
        NotificationTurn::Now(reader) => {
            let until = texts::date(end.plus_days(-1).unwrap_or(end), &reader.language);
            let count = lot.available().to_string();
            let letter = Letter::CreditsLapse { count: &count, until: &until };
            spotter_mail::send(cx, reader.recipient(), id, &letter)
        }
        NotificationTurn::Later(until) => cx.set_timer(&TELL_OF_CREDITS, id, until),
        NotificationTurn::Never => Ok(()),
    }
}

static TELL_OF_CREDITS: Timer =
    Timer::new("tell_of_credits", "Write to a client before credits lapse", tell_client_of_credits);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&TELL_OF_CREDITS])
}
