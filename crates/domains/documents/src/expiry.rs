//! Expiring documents: the client's coach is notified two weeks before, and on the last day.

use spotter_company::company::Company;
use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Date, Id, Result, TimeZone, Timestamp, text::WallTime};
use spotter_mail::Letter;
use spotter_people::{
    clients::Client,
    coaches::{Coach, CoachStatus},
};
use spotter_store::params;

use crate::document::{Document, FIND};

/// Days before the last one of the first notice.
const AHEAD_DAYS: i64 = 14;
/// At what time of the day, by the company's clock.
const HOUR: &str = "09:00";

/// The next notice of a document: at nine, two weeks before its last day or on it.
fn next_notice(last_day: Date, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let nine = WallTime::parse(HOUR)?;
    let days = [last_day.plus_days(-AHEAD_DAYS), Some(last_day)];
    days.into_iter().flatten().map(|day| day.at(&nine, zone)).find(|at| *at > now)
}

/// Schedules the notices of a document, where its expiry changed.
pub fn plan(cx: &mut Write, before: Option<&Document>, document: &Document) -> Result<()> {
    let holds = |one: &Document| one.expires_on.filter(|_| one.is_active());
    match before.and_then(holds) == holds(document) {
        true => Ok(()),
        false => schedule(cx, document),
    }
}

/// Cancels the notices of a deleted document.
pub fn forget(cx: &mut Write, document: &Document) -> Result<()> {
    cx.clear_timer(&EXPIRES, document.document_id)
}

fn schedule(cx: &mut Write, document: &Document) -> Result<()> {
    let next = match document.expires_on.filter(|_| document.is_active()) {
        Some(last_day) => {
            let zone = cx.zone()?;
            next_notice(last_day, &zone, cx.now())
        }
        None => None,
    };
    match next {
        Some(at) => cx.set_timer(&EXPIRES, document.document_id, at),
        None => cx.clear_timer(&EXPIRES, document.document_id),
    }
}

/// The recipients of a document's notices: the client's coach, or else the managers.
fn readers(cx: &mut Write, document: &Document) -> Result<(Vec<Coach>, String)> {
    let Some(client) = document.client_id else {
        return Ok((Coach::managers(cx)?, Company::find(cx)?.name));
    };
    let client = Client::find(cx, client)?;
    let coach = client.assigned_coach_id().map(|id| Coach::find(cx, id)).transpose()?;
    match coach.filter(|coach| coach.status == CoachStatus::Active) {
        Some(coach) => Ok((vec![coach], client.name())),
        None => Ok((Coach::managers(cx)?, client.name())),
    }
}

fn notify(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Document> = cx.one(FIND, params![id])?;
    let Some(document) = found.filter(Document::is_active) else { return Ok(()) };
    let Some(last_day) = document.expires_on else { return Ok(()) };
    let until = last_day.to_string();
    let (readers, client) = readers(cx, &document)?;
    for coach in readers {
        let letter =
            Letter::DocumentExpires { document: &document.name, client: &client, until: &until };
        spotter_mail::send(cx, coach.recipient(), id, &letter)?;
    }
    schedule(cx, &document)
}

static EXPIRES: Timer =
    Timer::new("document_expires", "Mail a coach about an expiring document", notify);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&EXPIRES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_is_announced_two_weeks_before_and_on_the_last_day() {
        let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
        let day = |text| Date::parse(text).unwrap();
        let nine = |text| day(text).at(&WallTime::parse(HOUR).unwrap(), &zone);
        let last = day("2027-04-05");
        let after = |now| next_notice(last, &zone, now);
        assert_eq!(after(nine("2027-01-01")), Some(nine("2027-03-22")));
        assert_eq!(after(nine("2027-03-22")), Some(nine("2027-04-05")), "the clocks have changed");
        assert_eq!(after(nine("2027-04-01")), Some(nine("2027-04-05")));
        assert_eq!(after(nine("2027-04-05")), None);
    }
}
