//! A company with years of bookings: slots, lists and bookings a second, beside the same company when it
//! was young.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use spotter_kernel::{Id, Problem, Timestamp, id::CompanyId};
use spotter_store::{Sql, Tx, params};

use crate::{
    Outcome, company,
    crowd::Place,
    filling, receiver,
    service::{Api, Service, print_times, row},
};

/// Coaches of the company, and those whose slots are listed.
const COACHES: usize = 120;
const QUERIES: usize = 12;
/// Clients that have the bookings of the past.
const CLIENTS: usize = 150;
/// Bookings of a coach on a day of the past.
const A_DAY: u64 = 8;
/// Bookings of the company when it is young.
const YOUNG: u64 = 5_000;
/// Bookings that are written by one transaction.
const STEP: u64 = 5_000;
/// Number of requests for each list.
const TIMES: usize = 300;
/// Callers that book at once, and for how long.
const CALLERS: u64 = 32;
const SECONDS: u64 = 5;

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;

/// The company's records.
pub struct Studio {
    coaches: Vec<String>,
    clients: Vec<String>,
    asked_type: String,
    everybodys_type: String,
    class_type: String,
    /// A client with a few bookings, and one of them.
    own: String,
    booking: String,
}

impl Studio {
    /// One of its coaches.
    pub fn coach(&self) -> &str {
        &self.coaches[20]
    }
}

/// Measures a company with a number of bookings.
pub async fn run(mut service: Service, place: Place, bookings: u64) -> Outcome {
    let api = service.start().await?;
    let studio = found(&api).await?;
    service.kill()?;
    fill(&place, &studio, 0..YOUNG, |_| true).await?;
    let api = service.start().await?;
    let young = lists(&api, &studio, "5,000 bookings").await?;
    service.kill()?;
    fill(&place, &studio, YOUNG..bookings, |_| true).await?;
    let api = service.start().await?;
    let grown = lists(&api, &studio, &format!("{bookings} bookings")).await?;
    for ((name, young), (_, grown)) in young.iter().zip(&grown) {
        row(
            &format!("{name}, times the p50 at {YOUNG} bookings"),
            format_args!("{:.2}", grown / young),
        );
    }
    book(&api, &studio).await?;
    rush(&api, &studio).await?;
    row("memory in use", format_args!("{} MB", service.memory_mb()));
    service.kill()
}

/// Coaches with working hours, event types, and a client with a few bookings.
pub async fn found(api: &Api) -> Outcome<Studio> {
    let mut coaches = Vec::new();
    let day = |weekday| json!({"weekday": weekday, "startTime": "08:00", "endTime": "20:00"});
    let weekly: Value = (1..=7).map(day).collect();
    for number in 0..COACHES {
        let new = json!({"firstName": "Coach", "lastName": format!("{number}"), "role": "Coach",
            "email": format!("coach{number}@bench.example")});
        let made = api.ask_as_manager(Method::POST, "/coaches", Some(new)).await?;
        let coach = made["coach"]["coachId"].as_str().ok_or("no coach")?.to_owned();
        let path = format!("/coaches/{coach}/availability");
        let hours = json!({"weekly": weekly, "timeZone": "Europe/Amsterdam"});
        api.ask(Method::PUT, &path, Some(hours)).await?;
        coaches.push(coach);
    }
    let offer = async |own: Value| -> Outcome<String> {
        let mut new = json!({"durationMinutes": 60, "slotIntervalMinutes": 15,
            "bookingWindowDays": 366, "minNoticeMinutes": 0});
        for (name, value) in own.as_object().ok_or("no fields")? {
            new[name] = value.clone();
        }
        let made = api.ask(Method::POST, "/event-types", Some(new)).await?;
        Ok(made["eventType"]["eventTypeId"].as_str().ok_or("no type")?.to_owned())
    };
    let request = json!({"name": "Asked", "coachIds": coaches[..QUERIES]});
    let everybodys = json!({"name": "Everybody's", "coachIds": coaches[..100]});
    let class =
        json!({"name": "Spin", "kind": "class", "capacity": 15, "waitlist": {"mode": "auto"}});
    let (asked_type, class_type) = (offer(request).await?, offer(class).await?);
    let everybodys_type = offer(everybodys).await?;
    let mut clients = Vec::new();
    for page in 1..=4 {
        let path = format!("/clients?limit=100&memberStatus=active&page={page}");
        let output = api.ask(Method::GET, &path, None).await?;
        let found = output["clients"].as_array().ok_or("no clients")?.iter();
        clients.extend(found.filter_map(|one| one["clientId"].as_str().map(str::to_owned)));
    }
    let own = clients.pop().ok_or("no client")?;
    let mut booking = String::new();
    for week in 0..20 {
        let starts_at = midnight() + (7 * week + 2) * DAY + 10 * HOUR;
        let new = json!({"clientId": own, "eventTypeId": everybodys_type, "coachId": coaches[20],
            "startsAt": Timestamp::from_millis(starts_at).to_string()});
        let made = api.ask(Method::POST, "/bookings", Some(new)).await?;
        booking = made["booking"]["bookingId"].as_str().ok_or("no booking")?.to_owned();
    }
    Ok(Studio { coaches, clients, asked_type, everybodys_type, class_type, own, booking })
}

/// Today's midnight (UTC), in milliseconds.
fn midnight() -> i64 {
    receiver::now().div_euclid(DAY) * DAY
}

/// Bookings of the past, by their numbers: copies of one that was booked.
pub async fn fill(
    place: &Place,
    studio: &Studio,
    numbers: std::ops::Range<u64>,
    is_wanted: impl Fn(u64) -> bool + Copy + Send + Sync + 'static,
) -> Outcome {
    let began = Instant::now();
    let db = filling::open(place.location.clone()).await?;
    let own = company(&place.data)?;
    let ids = |all: &[String]| -> Vec<Id> { all.iter().filter_map(|id| Id::parse(id)).collect() };
    let (coaches, clients) = (ids(&studio.coaches), ids(&studio.clients[..CLIENTS]));
    let template = Id::parse(&studio.booking).ok_or("no booking")?;
    let (coaches, clients) = (Arc::new(coaches), Arc::new(clients));
    let mut from = numbers.start;
    while from < numbers.end {
        let part = from..numbers.end.min(from + STEP);
        from = part.end;
        let (coaches, clients) = (coaches.clone(), clients.clone());
        let write = move |tx: &mut Tx<'_>| {
            let template: Option<Template> = tx.one(TEMPLATE, params![own, template])?;
            let template = template.ok_or_else(|| Problem::internal("no booking"))?;
            let wanted = part.clone().filter(|number| is_wanted(*number));
            wanted
                .clone()
                .try_for_each(|number| past(tx, own, &template, number, &coaches, &clients))?;
            let count = wanted.count() as i64;
            tx.tally(own, "bookings", count)?;
            tx.tally(own, "bookings?status=booked", count)?;
            tx.tally(own, "calendarEvents", count)
        };
        db.write(write).await?;
    }
    db.close().await?;
    eprintln!(
        "  of {} bookings those that were missing filled in {} s",
        numbers.end,
        began.elapsed().as_secs()
    );
    Ok(())
}

/// Fields that past bookings copy from a created one: type, zone, name, policy and entitlement.
type Template = (Id, String, String, String, String);

fn past(
    tx: &mut Tx<'_>,
    own: CompanyId,
    template: &Template,
    number: u64,
    coaches: &[Id],
    clients: &[Id],
) -> Result<(), Problem> {
    let coach = coaches[number as usize % coaches.len()];
    let client = clients[number as usize % clients.len()];
    let slot = number / coaches.len() as u64;
    let (back, hour) = ((slot / A_DAY + 1) as i64, (slot % A_DAY) as i64);
    let starts_at = Timestamp::from_millis(midnight() - back * DAY + (8 + hour) * HOUR);
    let ends_at = starts_at.plus_millis(HOUR);
    let [_, _, random @ ..] = number.to_be_bytes();
    let (event, booking) = (Id::new(starts_at, random), Id::new(ends_at, random));
    let (event_type, zone, name, policy, entitlement) = template;
    tx.defer(EVENT, params![own, event, event_type, name, coach, starts_at, ends_at, zone])?;
    let row = params![
        own,
        booking,
        client,
        event,
        event_type,
        coach,
        starts_at,
        ends_at,
        zone,
        name,
        policy,
        entitlement
    ];
    tx.defer(BOOKING, row)?;
    if hour == 0 {
        let day = starts_at.millis().div_euclid(DAY);
        let busy = vec![7_u8; 28 * A_DAY as usize];
        tx.defer(DAY_ROW, params![own, coach, day, busy])?;
    }
    Ok(())
}

const TEMPLATE: Sql =
    Sql("SELECT event_type_id, time_zone, name, policy, entitlement FROM booking \
    WHERE company_id = ?1 AND booking_id = ?2");
const EVENT: Sql = Sql(
    "INSERT INTO calendar_event (company_id, calendar_event_id, kind, event_type_id, name, coach_id, \
    starts_at, ends_at, time_zone, capacity, seats_taken, waitlisted, last_position, status, is_exception, \
    before_minutes, after_minutes, moves, created_at, updated_at) \
    VALUES (?1, ?2, 'appointment', ?3, ?4, ?5, ?6, ?7, ?8, 1, 1, 0, 0, 'scheduled', FALSE, 0, 0, 0, ?6, ?7)",
);
const BOOKING: Sql = Sql(
    "INSERT INTO booking (company_id, booking_id, client_id, calendar_event_id, event_type_id, coach_id, \
    starts_at, ends_at, time_zone, name, status, attendance_status, is_exception, policy, entitlement, \
    version, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'booked', \
    'attended', FALSE, ?11, ?12, 1, ?7, ?8)",
);
const DAY_ROW: Sql = Sql("INSERT INTO calendar_day (company_id, owner_id, day, busy) \
    VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING");

/// Lists, one request after the other: names, and each p50 in milliseconds.
async fn lists(api: &Api, studio: &Studio, company: &str) -> Outcome<Vec<(&'static str, f64)>> {
    let at = |days: i64| Timestamp::from_millis(midnight() + days * DAY).to_string();
    let (from, to, coach) = (at(1), at(32), &studio.coaches[20]);
    let slots =
        format!("/availability/slots?eventTypeId={}&from={from}&to={to}", studio.asked_type);
    let week = format!("/calendar/events?coachId={coach}&from={from}&to={}&limit=100", at(8));
    let own = format!("/bookings?clientId={}&limit=20", studio.own);
    let requests = [
        ("slots of 12 coaches in 31 days", slots.clone()),
        ("agenda of a coach's week", week),
        ("a client's bookings", own),
        ("all bookings, page 1", "/bookings?limit=20".to_owned()),
        ("all bookings, page 100", "/bookings?limit=20&page=100".to_owned()),
    ];
    let mut medians = Vec::new();
    for (name, path) in requests {
        let label = format!("{name}, {company}");
        medians.push((name, print_times(&label, api.fetch_often(&path, TIMES).await?)));
    }
    let output = api.ask(Method::GET, &slots, None).await?;
    let count = output["slots"].as_array().map_or(0, Vec::len);
    row(&format!("slots in that answer, {company}"), count);
    Ok(medians)
}

/// Bookings of appointments per second, by callers who never want the same slot.
async fn book(api: &Api, studio: &Studio) -> Outcome {
    let next = Arc::new(AtomicU64::new(0));
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (api, next) = (api.clone(), next.clone());
            let (coaches, event_type) =
                (studio.coaches[21..100].to_vec(), studio.everybodys_type.clone());
            let clients = studio.clients[CLIENTS..].to_vec();
            tokio::spawn(async move {
                let mut times = Vec::new();
                while Instant::now() < until {
                    let number = next.fetch_add(1, Ordering::Relaxed) as usize;
                    let slot = number / coaches.len();
                    let (day, hour) = (1 + slot as i64 / 10, 8 + slot as i64 % 10);
                    let starts_at = Timestamp::from_millis(midnight() + day * DAY + hour * HOUR);
                    let new = json!({"clientId": clients[number % clients.len()],
                        "eventTypeId": event_type, "coachId": coaches[number % coaches.len()],
                        "startsAt": starts_at.to_string(), "allowOverlap": true});
                    let began = Instant::now();
                    api.ask(Method::POST, "/bookings", Some(new)).await?;
                    times.push(began.elapsed());
                }
                Ok::<_, Box<dyn std::error::Error + Send + Sync>>(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for caller in callers {
        times.extend(caller.await??);
    }
    row(&format!("bookings a second by {CALLERS} callers"), times.len() as u64 / SECONDS);
    print_times("one of them", times);
    Ok(())
}

/// Two hundred clients for fifteen seats at once.
async fn rush(api: &Api, studio: &Studio) -> Outcome {
    let starts_at = Timestamp::from_millis(midnight() + 40 * DAY + 5 * HOUR).to_string();
    let class = json!({"eventTypeId": studio.class_type, "coachId": studio.coaches[101],
        "startsAt": starts_at});
    let made = api.ask_as_manager(Method::POST, "/calendar/events", Some(class)).await?;
    let class = made["calendarEvent"]["calendarEventId"].clone();
    let began = Instant::now();
    let callers: Vec<_> = studio.clients[..200]
        .iter()
        .map(|client| {
            let new = json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist",
                "allowOverlap": true});
            let api = api.clone();
            tokio::spawn(async move { api.ask(Method::POST, "/bookings", Some(new)).await })
        })
        .collect();
    let (mut booked, mut waiting) = (0, 0);
    for caller in callers {
        match caller.await??["booking"]["status"].as_str() {
            Some("booked") => booked += 1,
            Some("waitlisted") => waiting += 1,
            _ => {}
        }
    }
    let took = began.elapsed().as_millis();
    row(
        "200 clients for 15 seats: booked, waiting, time",
        format_args!("{booked}, {waiting}, {took} ms"),
    );
    Ok(())
}
