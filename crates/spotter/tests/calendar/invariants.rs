//! Invariants under random actions: nobody is at two places, seats match bookings, and the days of a coach match the
//! events.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use spotter_calendar::{busy::Busy, hours::Span};
use spotter_harness::{
    App,
    calendar::{coach_at_work, new_type},
    dates::at,
    dice::Dice,
    scenario, text,
};
use spotter_kernel::{Id, Timestamp};
use spotter_store::{Sql, Tx, params};

/// The records to act on.
#[derive(Default)]
struct World {
    coaches: Vec<String>,
    clients: Vec<String>,
    training: String,
    approved: String,
    spin: String,
    bookings: Vec<String>,
    requests: Vec<String>,
    classes: Vec<String>,
    tasks: Vec<String>,
    series: Vec<String>,
    class_series: Vec<String>,
}

/// A quarter of one of four days.
fn start(dice: &mut Dice) -> String {
    at(40 + dice.below(4) as i64, 480 + 15 * dice.below(40) as i64)
}

async fn act(app: &App, world: &mut World, dice: &mut Dice) -> Option<()> {
    let (coach, client) = (dice.pick(&world.coaches)?.clone(), dice.pick(&world.clients)?.clone());
    let recurrence = |dice: &mut Dice| {
        json!({"weekdays": [1, 2, 3, 4, 5, 6, 7], "startTime": format!("{:02}:30", 8 + dice.below(9)),
            "startDate": at(39, 0)[..10], "count": 3})
    };
    let time = format!("{:02}:15", 8 + dice.below(9));
    let scope = ["this", "following"][dice.below(2)];
    let day = at(39 + dice.below(3) as i64, 0)[..10].to_owned();
    let which = dice.below(20);
    let response = match which {
        0..4 => {
            let new = json!({"clientId": client, "eventTypeId": world.training, "coachId": coach,
                "startsAt": start(dice), "ignorePolicy": dice.below(4) == 0});
            app.post("/bookings", new).await
        }
        4 => {
            let new = json!({"clientId": client, "eventTypeId": world.approved, "coachId": coach,
                "startsAt": start(dice)});
            app.post("/bookings", new).await
        }
        5 => {
            let word = ["approve", "reject"][dice.below(2)];
            app.act(&format!("/booking-requests/{}/{word}", dice.pick(&world.requests)?)).await
        }
        6..8 => app.act(&format!("/bookings/{}/cancel", dice.pick(&world.bookings)?)).await,
        8 => {
            let to = json!({"startsAt": start(dice), "coachId": coach});
            app.post(&format!("/bookings/{}/reschedule", dice.pick(&world.bookings)?), to).await
        }
        9 => {
            let new = json!({"eventTypeId": world.spin, "coachId": coach, "startsAt": start(dice)});
            app.app("POST", "/calendar/events", Some(new)).await
        }
        10..13 => {
            let class = dice.pick(&world.classes)?;
            let action = ["waitlist", "waitlist", "overbook"][dice.below(3)];
            let new = json!({"clientId": client, "calendarEventId": class, "capacityAction": action,
                "allowOverlap": true});
            app.post("/bookings", new).await
        }
        13 => {
            let change = match dice.below(3) {
                0 => json!({"capacity": 1 + dice.below(4)}),
                1 => json!({"startsAt": start(dice)}),
                _ => json!({"coachId": coach}),
            };
            app.app(
                "PATCH",
                &format!("/calendar/events/{}", dice.pick(&world.classes)?),
                Some(change),
            )
            .await
        }
        14 => {
            let path = format!("/calendar/events/{}/cancel", dice.pick(&world.classes)?);
            app.app("POST", &path, Some(json!({}))).await
        }
        15 => {
            let from = start(dice);
            let new = json!({"coachId": coach, "title": "Call", "startsAt": from,
                "endsAt": spotter_harness::dates::later(&from, 30), "blocksSlots": dice.below(2) == 0});
            app.post("/calendar-tasks", new).await
        }
        16 => app.act(&format!("/calendar-tasks/{}/cancel", dice.pick(&world.tasks)?)).await,
        17 => {
            let new = json!({"clientId": client, "eventTypeId": world.training, "coachId": coach,
                "recurrence": recurrence(dice), "onConflict": "skip"});
            app.post("/recurring-bookings", new).await
        }
        18 => {
            let path = format!("/recurring-bookings/{}", dice.pick(&world.series)?);
            let change = json!({"scope": scope, "occurrenceDate": day,
                "recurrence": {"startTime": time}, "onConflict": "skip"});
            match dice.below(3) {
                0 => {
                    let cancel = json!({"scope": scope, "occurrenceDate": day});
                    app.post(&format!("{path}/cancel"), cancel).await
                }
                _ => app.patch(&path, change).await,
            }
        }
        _ => {
            let new = json!({"eventTypeId": world.spin, "coachId": coach,
                "recurrence": recurrence(dice), "onConflict": "skip"});
            match world.class_series.last() {
                Some(series) if dice.below(3) > 0 => {
                    let path = format!("/calendar/event-series/{series}");
                    let change = json!({"scope": "following", "occurrenceDate": day,
                        "recurrence": {"startTime": time}, "onConflict": "skip"});
                    app.app("PATCH", &path, Some(change)).await
                }
                _ => app.app("POST", "/calendar/event-series", Some(new)).await,
            }
        }
    };
    assert!(response.status < 500, "act {which}: {}", response.body);
    if response.status >= 300 {
        return None;
    }
    for (kind, id, known) in [
        ("booking", "bookingId", &mut world.bookings),
        ("bookingRequest", "bookingRequestId", &mut world.requests),
        ("calendarEvent", "calendarEventId", &mut world.classes),
        ("calendarTask", "calendarTaskId", &mut world.tasks),
        ("recurringBooking", "recurringBookingId", &mut world.series),
        ("eventSeries", "eventSeriesId", &mut world.class_series),
    ] {
        if response.data()[kind].is_object() {
            let id = text(response.data(), &format!("/{kind}/{id}"));
            if !known.contains(&id) {
                known.push(id);
            }
        }
    }
    Some(())
}

#[scenario]
async fn five_hundred_acts_leave_everything_in_order(app: App) {
    let mut world = World::default();
    for _ in 0..3 {
        world.coaches.push(coach_at_work(&app).await);
    }
    for _ in 0..8 {
        world.clients.push(app.new_client(json!({"firstName": "Ann"})).await);
    }
    let own =
        json!({"bufferAfterMinutes": 10, "slotIntervalMinutes": 15, "coachIds": world.coaches});
    world.training = new_type(&app, own.clone()).await;
    let approved =
        spotter_harness::with(&own, json!({"requiresApproval": true, "name": "Consult"}));
    world.approved = new_type(&app, approved).await;
    let spin =
        json!({"kind": "class", "capacity": 3, "waitlist": {"mode": "auto"}, "name": "Spin"});
    world.spin = new_type(&app, spin).await;
    let (mut dice, mut done) = (Dice(0x5eed_cafe_f00d_0001), 0);
    for _ in 0..500 {
        done += usize::from(act(&app, &mut world, &mut dice).await.is_some());
    }
    assert!(done > 200, "{done} acts were taken");
    let company = app.company;
    let look = move |tx: &mut Tx<'_>| -> Result<(), spotter_kernel::Problem> {
        let events: Vec<Event> = tx.all(EVENTS, params![company])?;
        check_days(tx, company, &events)?;
        check_seats(tx, company)
    };
    app.server.db.read(look).await.unwrap();
}

type Event = (Id, Id, Timestamp, Timestamp, i64, i64);

const EVENTS: Sql = Sql("SELECT calendar_event_id, coach_id, starts_at, ends_at, before_minutes, \
    after_minutes FROM calendar_event WHERE company_id = ?1 AND status = 'scheduled'");

/// Events of a coach do not overlap, and the days hold exactly events, held requests and tasks.
fn check_days(
    tx: &mut Tx<'_>,
    company: spotter_kernel::id::CompanyId,
    events: &[Event],
) -> Result<(), spotter_kernel::Problem> {
    let mut there = BTreeMap::<Id, BTreeSet<(Id, Timestamp, Timestamp)>>::new();
    for (event, coach, start, end, before, after) in events {
        let own = Span::new(*start, *end).widened(*before, *after);
        let all = there.entry(*coach).or_default();
        for (other, start, end) in all.iter() {
            let other_span = Span::new(*start, *end);
            assert!(!own.overlaps(&other_span), "{event} and {other} of one coach overlap");
        }
        all.insert((*event, own.start, own.end));
    }
    const REQUESTS: Sql = Sql("SELECT booking_request_id, coach_id, starts_at, ends_at FROM \
        booking_request WHERE company_id = ?1 AND status = 'pending' AND calendar_event_id IS NULL");
    let requests: Vec<(Id, Id, Timestamp, Timestamp)> = tx.all(REQUESTS, params![company])?;
    for (request, coach, start, end) in requests {
        let held = Span::new(start, end).widened(0, 10);
        there.entry(coach).or_default().insert((request, held.start, held.end));
    }
    const TASKS: Sql =
        Sql("SELECT calendar_task_id, coach_id, starts_at, ends_at FROM calendar_task \
        WHERE company_id = ?1 AND status = 'scheduled' AND blocks_slots");
    let tasks: Vec<(Id, Id, Timestamp, Timestamp)> = tx.all(TASKS, params![company])?;
    for (task, coach, start, end) in tasks {
        there.entry(coach).or_default().insert((task, start, end));
    }
    const DAYS: Sql = Sql("SELECT owner_id, busy FROM calendar_day WHERE company_id = ?1");
    let days: Vec<(Id, Vec<u8>)> = tx.all(DAYS, params![company])?;
    let mut submitted = BTreeMap::<Id, BTreeSet<(Id, Timestamp, Timestamp)>>::new();
    for (owner, packed) in days {
        for taken in Busy::unpack(&packed).others(None) {
            let all = submitted.entry(owner).or_default();
            all.insert((taken.by, taken.span.start, taken.span.end));
        }
    }
    assert_eq!(submitted, there);
    assert!(events.len() > 20, "{} events are left", events.len());
    Ok(())
}

/// Seats equal live bookings and pending requests, and waiting lists their entries.
fn check_seats(
    tx: &mut Tx<'_>,
    company: spotter_kernel::id::CompanyId,
) -> Result<(), spotter_kernel::Problem> {
    const SEATS: Sql = Sql("SELECT e.calendar_event_id, e.status, e.seats_taken, e.waitlisted, \
        (SELECT COUNT(*) FROM booking b WHERE b.company_id = e.company_id \
            AND b.calendar_event_id = e.calendar_event_id AND b.status IN ('booked', 'offered')), \
        (SELECT COUNT(*) FROM booking b WHERE b.company_id = e.company_id \
            AND b.calendar_event_id = e.calendar_event_id AND b.status = 'waitlisted'), \
        (SELECT COUNT(*) FROM booking b WHERE b.company_id = e.company_id \
            AND b.calendar_event_id = e.calendar_event_id AND b.starts_at <> e.starts_at \
            AND b.status <> 'cancelled') \
        FROM calendar_event e WHERE e.company_id = ?1");
    let rows: Vec<(Id, String, i64, i64, i64, i64, i64)> = tx.all(SEATS, params![company])?;
    for (event, status, taken, waiting, booked, waitlisted, elsewhere) in rows {
        match status.as_str() {
            "scheduled" => assert_eq!((taken, waiting), (booked, waitlisted), "{event}"),
            _ => assert_eq!((booked, waitlisted), (0, 0), "{event} does not take place"),
        }
        assert_eq!(elsewhere, 0, "{event} has a booking at another time");
    }
    Ok(())
}
