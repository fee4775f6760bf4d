//! Traffic of the areas beside clients. Every write is sent again with its key until it is answered, so that each must have happened
//! exactly once: afterwards, each area's list holds what was acknowledged and nothing else.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use spotter_kernel::Timestamp;

use crate::{
    Outcome, receiver,
    service::{Api, Sender},
};

/// Writers of each area, and how long each waits between two writes.
const WRITERS: usize = 2;
const PAUSE: Duration = Duration::from_millis(100);
/// How long a write is sent again before the run fails.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(90);

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;

/// One area's writes, and the list in which each of their records appears.
struct Area {
    name: &'static str,
    sender: Sender,
    path: String,
    body: Box<dyn Fn(u64) -> Value + Send + Sync>,
    /// Where an answer has the id of its record.
    id: &'static str,
    /// The list, who reads it, the field of its items, and that of an item's id.
    list: (Sender, String, &'static str, &'static str),
    before: BTreeSet<String>,
    acknowledged: Mutex<BTreeSet<String>>,
    /// Writes against a rule, such as a booking on a day on which all is closed.
    refused: AtomicUsize,
}

/// Traffic that was begun.
pub struct Traffic {
    areas: Vec<Arc<Area>>,
    stop: Arc<AtomicBool>,
    writers: Vec<tokio::task::JoinHandle<Outcome>>,
    /// Answers that did not come, or that asked to try again.
    again: Arc<AtomicUsize>,
}

impl Traffic {
    /// Makes what the areas need, and begins to write.
    pub async fn begin(api: &Api) -> Outcome<Self> {
        let mut begun = Vec::new();
        for mut area in areas(api).await? {
            area.before = listed(api, &area).await?.0;
            begun.push(Arc::new(area));
        }
        let (stop, again) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let writers = begun.iter().flat_map(|area| (0..WRITERS).map(move |number| (area, number)));
        let writers = writers
            .map(|(area, number)| {
                let (api, area, stop) = (api.clone(), area.clone(), stop.clone());
                tokio::spawn(write(api, area, number as u64, stop, again.clone()))
            })
            .collect();
        Ok(Self { areas: begun, stop, writers, again })
    }

    /// How many writes were acknowledged.
    pub fn count(&self) -> usize {
        self.areas.iter().map(|area| area.acknowledged().len()).sum()
    }

    /// Waits for what was sent, and compares each list with what was acknowledged; whether all is as it must be.
    pub async fn end(self, api: &Api) -> Outcome<bool> {
        self.stop.store(true, Ordering::Relaxed);
        for writer in self.writers {
            writer.await??;
        }
        let mut holds = true;
        for area in &self.areas {
            let (there, total) = listed(api, area).await?;
            let acknowledged = area.acknowledged().clone();
            let lost = acknowledged.difference(&there).count();
            let wanted: BTreeSet<_> = acknowledged.union(&area.before).cloned().collect();
            let twice = there.difference(&wanted).count();
            let refused = area.refused.load(Ordering::Relaxed);
            holds &= lost == 0 && twice == 0 && total == there.len() as u64;
            // Refusals are no test.
            holds &= acknowledged.len() > refused;
            println!(
                "  {}: {} acknowledged, {lost} lost, {twice} done twice, {refused} refused; total {total} of {}",
                area.name,
                acknowledged.len(),
                there.len()
            );
        }
        holds &= seats_hold(api).await?;
        println!("  {} requests were sent again", self.again.load(Ordering::Relaxed));
        Ok(holds)
    }
}

impl Area {
    fn acknowledged(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes until stopped; a write that was not answered is sent again, as the same.
async fn write(
    api: Api,
    area: Arc<Area>,
    writer: u64,
    stop: Arc<AtomicBool>,
    again: Arc<AtomicUsize>,
) -> Outcome {
    let mut number = writer;
    'writes: while !stop.load(Ordering::Relaxed) {
        let (key, body) = (api.new_key(), (area.body)(number));
        let began = tokio::time::Instant::now();
        let answer = loop {
            match api.try_write(&area.sender, &area.path, &key, &body).await {
                Ok(Some(answer)) => break answer,
                Err(_) => {
                    area.refused.fetch_add(1, Ordering::Relaxed);
                    number += WRITERS as u64;
                    tokio::time::sleep(PAUSE).await;
                    continue 'writes;
                }
                Ok(None) if began.elapsed() > ANSWER_TIMEOUT => {
                    return Err(format!("{} is not answered", area.path).into());
                }
                Ok(None) => {
                    again.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        };
        let id = answer.pointer(area.id).and_then(Value::as_str);
        let id = id.ok_or_else(|| format!("{}: no {} in {answer}", area.path, area.id))?;
        area.acknowledged().insert(id.to_owned());
        number += WRITERS as u64;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// The ids of an area's list, and its total.
async fn listed(api: &Api, area: &Area) -> Outcome<(BTreeSet<String>, u64)> {
    let (reader, path, items, id) = &area.list;
    let (all, total) = whole(api, reader, path, items).await?;
    let ids = all.iter().filter_map(|one| one[id].as_str().map(str::to_owned));
    Ok((ids.collect(), total))
}

/// The items of a list, page by page, and its total.
async fn whole(api: &Api, reader: &Sender, path: &str, items: &str) -> Outcome<(Vec<Value>, u64)> {
    let sign = if path.contains('?') { '&' } else { '?' };
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = api.read(reader, &format!("{path}{sign}limit=100{cursor}")).await?;
        all.extend(page[items].as_array().ok_or("no list")?.iter().cloned());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok((all, page["total"].as_u64().unwrap_or_default())),
        }
    }
}

/// Whether each class counts as many seats as are booked, and no more than it has.
async fn seats_hold(api: &Api) -> Outcome<bool> {
    let (from, to) = (at(CLASSES_FROM, 0), at(CLASSES_FROM + 30, 0));
    let path = format!("/calendar/events?kind=class&from={from}&to={to}");
    let (classes, _) = whole(api, &Sender::Integration, &path, "calendarEvents").await?;
    let mut wrong = 0;
    for class in &classes {
        let id = class["calendarEventId"].as_str().unwrap_or_default();
        let path = format!("/bookings?calendarEventId={id}&status=booked&limit=1");
        let booked = api.ask(Method::GET, &path, None).await?["total"].as_u64();
        let seats = class["seatsTaken"].as_u64();
        wrong += usize::from(booked != seats || booked > class["capacity"].as_u64());
    }
    println!("  of {} classes {wrong} count other seats than are booked", classes.len());
    Ok(wrong == 0)
}

/// What the areas write, with what they need for it.
async fn areas(api: &Api) -> Outcome<Vec<Area>> {
    let text = |answer: &Value, place: &str| -> Outcome<String> {
        let found = answer.pointer(place).and_then(Value::as_str);
        Ok(found.ok_or_else(|| format!("no {place} in {answer}"))?.to_owned())
    };
    let create = async |path: &str, body: Value, id: &str| -> Outcome<String> {
        text(&api.ask(Method::POST, path, Some(body)).await?, id)
    };
    let create_as_manager = async |path: &str, body: Value, id: &str| -> Outcome<String> {
        text(&api.ask_as_manager(Method::POST, path, Some(body)).await?, id)
    };
    let own = create("/clients", json!({"firstName": "Traffic"}), "/client/clientId").await?;
    let found = api.ask(Method::GET, "/clients?limit=30&memberStatus=active", None).await?;
    let clients = found["clients"].as_array().ok_or("no clients")?.iter();
    let clients: Vec<Value> = clients.map(|one| one["clientId"].clone()).collect();

    // A coach with hours on every day, an appointment of theirs, and classes with fewer seats than clients who want them.
    let coach = json!({"firstName": "Traffic", "lastName": "Coach", "role": "Coach",
        "email": "traffic@bench.example"});
    let coach = create_as_manager("/coaches", coach, "/coach/coachId").await?;
    let day = |weekday| json!({"weekday": weekday, "startTime": "00:00", "endTime": "24:00"});
    let hours = json!({"weekly": (1..=7).map(day).collect::<Value>(), "timeZone": "Etc/UTC"});
    api.ask(Method::PUT, &format!("/coaches/{coach}/availability"), Some(hours)).await?;
    let event_type = json!({"name": "Traffic", "coachIds": [coach], "durationMinutes": 60,
        "slotIntervalMinutes": 60, "bookingWindowDays": 366, "minNoticeMinutes": 0});
    let event_type = create("/event-types", event_type, "/eventType/eventTypeId").await?;
    let class = json!({"name": "Traffic class", "kind": "class", "capacity": 15, "durationMinutes": 60,
        "bookingWindowDays": 366, "minNoticeMinutes": 0, "waitlist": {"mode": "auto"}});
    let class = create("/event-types", class, "/eventType/eventTypeId").await?;
    let mut classes = Vec::new();
    for number in 0..CLASSES {
        let event = json!({"eventTypeId": class, "coachId": coach,
            "startsAt": at(CLASSES_FROM + number / 24, number % 24)});
        let id = "/calendarEvent/calendarEventId";
        classes.push(create_as_manager("/calendar/events", event, id).await?);
    }

    let found = api.ask(Method::GET, "/finance/products?productType=Other&limit=1", None).await?;
    let product = text(&found, "/products/0/productId")?;
    let found = api.ask(Method::GET, "/finance/memberships?limit=1", None).await?;
    let membership = json!({"productId": found["products"][0]["productId"]});
    api.ask(Method::POST, &format!("/finance/clients/{own}/memberships"), Some(membership)).await?;
    let location = create("/locations", json!({"name": "Traffic"}), "/location/locationId").await?;
    let card = json!({"kind": "card", "number": "7AFF1C0001"});
    api.ask_as_manager(Method::POST, &format!("/clients/{own}/access-credentials"), Some(card))
        .await?;
    let door = json!({"name": "Traffic door", "locationId": location});
    let door = api.ask_as_manager(Method::POST, "/access-devices", Some(door)).await?;
    let key = text(&door, "/deviceKey")?;
    let door = text(&door, "/device/deviceId")?;
    let talk = json!({"conversationType": "direct", "userIds": [clients[0]]});
    let talk = create_as_manager("/conversations", talk, "/conversation/conversationId").await?;

    let of_own = |area: &str| format!("/clients/{own}/{area}");
    let integration =
        |name, path: String, id, list: (String, &'static str, &'static str), body| Area {
            name,
            sender: Sender::Integration,
            path,
            body,
            id,
            list: (Sender::Integration, list.0, list.1, list.2),
            before: BTreeSet::new(),
            acknowledged: Mutex::default(),
            refused: AtomicUsize::new(0),
        };
    let (same_coach, own_id) = (coach.clone(), own.clone());
    Ok(vec![
        integration(
            "measurements",
            of_own("measurements"),
            "/measurement/measurementId",
            (of_own("measurements"), "measurements", "measurementId"),
            Box::new(|number| json!({"type": "weight", "value": 60 + number % 40})),
        ),
        integration(
            "notes",
            of_own("notes"),
            "/note/noteId",
            (of_own("notes"), "notes", "noteId"),
            Box::new(|number| json!({"body": format!("Note {number}")})),
        ),
        integration(
            "appointments",
            "/bookings".to_owned(),
            "/booking/bookingId",
            (format!("/bookings?clientId={own}"), "bookings", "bookingId"),
            Box::new(move |number| {
                let starts_at = at(1 + number as i64 / 24, number as i64 % 24);
                json!({"clientId": own_id, "eventTypeId": event_type, "coachId": same_coach,
                    "startsAt": starts_at, "allowOverlap": true})
            }),
        ),
        integration(
            "seats in classes",
            "/bookings".to_owned(),
            "/booking/bookingId",
            (format!("/bookings?eventTypeId={class}"), "bookings", "bookingId"),
            Box::new(move |number| {
                let number = number as usize;
                let event = &classes[(number / clients.len()) % classes.len()];
                json!({"clientId": clients[number % clients.len()], "calendarEventId": event,
                    "capacityAction": "waitlist", "allowOverlap": true})
            }),
        ),
        integration(
            "sales",
            "/finance/desk-sales".to_owned(),
            "/invoice/invoiceId",
            (format!("/finance/invoices?clientId={own}"), "invoices", "invoiceId"),
            {
                let client = own.clone();
                Box::new(
                    move |_| json!({"clientId": client, "items": [{"productId": product}], "payment": {"kind": "cash"}}),
                )
            },
        ),
        integration(
            "documents",
            "/documents".to_owned(),
            "/document/documentId",
            (format!("/documents?clientId={own}"), "documents", "documentId"),
            {
                let client = own.clone();
                Box::new(move |number| {
                    json!({"type": "plan", "name": format!("Link {number}"), "clientId": client,
                        "url": format!("https://bench.example/{number}")})
                })
            },
        ),
        integration(
            "workouts",
            format!("/workout/clients/{own}/plans/sessions"),
            "/session/sessionId",
            (format!("/workout/clients/{own}/plans/sessions"), "sessions", "sessionId"),
            Box::new(|number| json!({"name": format!("Session {number}")})),
        ),
        Area {
            sender: Sender::Door(key),
            list: (
                Sender::Manager,
                format!("/access-scans?deviceId={door}"),
                "accessScans",
                "scanId",
            ),
            ..integration(
                "scans",
                "/access/scans".to_owned(),
                "/scanId",
                (String::new(), "", ""),
                Box::new(|number| {
                    json!({"scanId": format!("traffic-{number}"),
                        "credential": {"kind": "card", "number": "7AFF1C0001"}})
                }),
            )
        },
        Area {
            sender: Sender::Manager,
            list: (
                Sender::Manager,
                format!("/conversations/{talk}/messages"),
                "messages",
                "messageId",
            ),
            ..integration(
                "messages",
                format!("/conversations/{talk}/messages"),
                "/message/messageId",
                (String::new(), "", ""),
                Box::new(|number| json!({"text": format!("Message {number}")})),
            )
        },
    ])
}

/// The first day on which there are classes, and how many there are.
const CLASSES_FROM: i64 = 200;
const CLASSES: i64 = 300;

/// So many days from now, at an hour (UTC).
fn at(days: i64, hour: i64) -> String {
    let midnight = receiver::now().div_euclid(DAY) * DAY;
    Timestamp::from_millis(midnight + days * DAY + hour * HOUR).to_string()
}
