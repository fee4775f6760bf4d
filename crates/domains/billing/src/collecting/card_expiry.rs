//! Expiring cards: the client is asked for another before the last month ends, and an expired card is not charged.

use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Id, Result};
use spotter_mail::Letter;
use spotter_people::clients::letter_reader::LetterReader;

use super::{
    connection,
    method::{self, MethodStatus, PaymentMethod},
    setup,
};
use crate::{
    billing::{invoice::Collection, texts},
    company_day,
    ids::PaymentMethodId,
    memberships::subscription::Subscription,
};

/// Schedules a check of a card for the start and the end of its last month.
pub fn follow(cx: &mut Write, method: &PaymentMethod) -> Result<()> {
    let (Some(month), Some(over)) = (method.last_month(), method.over_on()) else { return Ok(()) };
    let today = cx.today()?;
    let next = if today < month { month } else { over };
    let at = company_day(cx, next)?;
    cx.set_timer(&LOOK_AT_CARD, method.payment_method_id, at)
}

fn look_at_card(cx: &mut Write, id: Id) -> Result<()> {
    let method = PaymentMethod::find(cx, PaymentMethodId(id))?;
    if method.status != MethodStatus::Active {
        return Ok(());
    }
    let today = cx.today()?;
    if method.is_over(today) {
        return method::end(cx, &method, MethodStatus::Expired).map(drop);
    }
    if is_used(cx, &method)? {
        request_new_method(cx, &method)?;
    }
    follow(cx, &method)
}

/// Whether a membership is collected from a card.
fn is_used(cx: &mut Write, method: &PaymentMethod) -> Result<bool> {
    if connection::provider(cx)? != Some(method.provider) {
        return Ok(false);
    }
    for subscription in Subscription::running_of(cx, method.client_id)? {
        if subscription.collection == Collection::Automatic {
            let own = PaymentMethod::of(cx, method.client_id, subscription.payment_method_id)?;
            if own.is_some_and(|own| own.payment_method_id == method.payment_method_id) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Days in which another card can be left on the page that a letter leads to.
const OPEN_DAYS: i64 = 31;

fn request_new_method(cx: &mut Write, method: &PaymentMethod) -> Result<()> {
    let last_day = method.over_on().and_then(|over| over.plus_days(-1));
    let Some(last_day) = last_day else { return Ok(()) };
    let Some(reader) = LetterReader::of(cx, method.client_id)? else { return Ok(()) };
    let (_, link) = setup::open(cx, method.client_id, method.provider, OPEN_DAYS)?;
    let until = texts::date(last_day, &reader.language);
    let letter = Letter::PaymentMethodExpires { method: &method.last4, until: &until, link: &link };
    spotter_mail::send(cx, reader.recipient(), method.payment_method_id, &letter)
}

static LOOK_AT_CARD: Timer =
    Timer::new("look_at_card", "Ask for a new card before one expires", look_at_card);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&LOOK_AT_CARD])
}
