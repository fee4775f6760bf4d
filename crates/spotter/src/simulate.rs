//! `spotter devices simulate`: a door with a bad network, for developers of devices. It asks the server about each
//! card, loses some requests and some answers, decides by its allow-list in that case, and uploads its decisions
//! afterwards: twice and in any order, as a device does that is not sure what has arrived.

use std::{collections::BTreeMap, time::Duration};

use reqwest::{Client, Method};
use serde_json::{Value, json};
use spotter_access_control::credential::{AccessKind, normalized};
use spotter_contract::vault;
use spotter_kernel::{Clock, Timestamp};

use crate::system::SystemClock;

/// The options of a simulation.
pub(crate) struct Simulation {
    /// The service's address.
    pub(crate) url: String,
    /// The device's key.
    pub(crate) key: String,
    /// The cards that are shown, in turn.
    pub(crate) cards: Vec<String>,
    /// How often.
    pub(crate) scans: u64,
    /// How many of a hundred requests are lost, on the way there or back.
    pub(crate) lost: u64,
    /// Seed of the random numbers: the same again does the same again.
    pub(crate) seed: u64,
}

/// How long a door waits for an answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Scans per upload: few, so that there are several batches.
const BATCH: usize = 5;

/// Chance that is the same every time (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// The device's connection to the service.
struct Line {
    http: Client,
    url: String,
    key: String,
}

impl Line {
    async fn check_online(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, &Value)>,
    ) -> Result<Value, String> {
        let url = format!("{}/public/v1/access{path}", self.url.trim_end_matches('/'));
        let mut request = self.http.request(method, &url).header("x-device-key", &self.key);
        if let Some((key, body)) = body {
            request = request
                .header("idempotency-key", key)
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let output = async {
            let answer = request.send().await?;
            let status = answer.status();
            answer.bytes().await.map(|body| (status, body))
        };
        let (status, body) = output.await.map_err(|error| format!("{url}: {error}"))?;
        let output: Value =
            serde_json::from_slice(&body).map_err(|_| format!("{url}: {status}"))?;
        match status.is_success() {
            true => Ok(output["data"].clone()),
            false => Err(format!("{url}: {status}: {}", output["error"]["message"])),
        }
    }
}

/// The list that a door decides by.
struct List {
    version: String,
    entries: BTreeMap<String, Vec<Value>>,
    schedules: BTreeMap<String, Vec<(Timestamp, Timestamp)>>,
    expires_at: Timestamp,
}

fn instant(value: &Value) -> Option<Timestamp> {
    Timestamp::parse(value.as_str()?)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl List {
    fn read(answer: &Value) -> Result<Self, String> {
        let all = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
        let mut entries: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for entry in all("entries") {
            entries.entry(text(&entry["digest"])).or_default().push(entry);
        }
        let hours = |schedule: &Value| {
            let open = schedule["open"].as_array().cloned().unwrap_or_default();
            open.iter()
                .filter_map(|own| instant(&own["from"]).zip(instant(&own["until"])))
                .collect()
        };
        Ok(Self {
            version: text(&answer["listVersion"]),
            entries,
            schedules: all("schedules")
                .iter()
                .map(|own| (text(&own["schedule"]), hours(own)))
                .collect(),
            expires_at: instant(&answer["expiresAt"])
                .ok_or("the list does not say how long it is good")?,
        })
    }

    /// Whether it admits the holder of the credential with this digest.
    fn admits(&self, digest: &str, zone: Option<&str>, at: Timestamp) -> bool {
        self.entries.get(digest).into_iter().flatten().any(|entry| {
            let zones = entry["zones"].as_array().cloned().unwrap_or_default();
            let of_zone = zone.is_none_or(|zone| zones.iter().any(|own| own == zone));
            let from = instant(&entry["validFrom"]).is_none_or(|from| from <= at);
            let until = instant(&entry["validUntil"]).is_none_or(|until| at < until);
            let hours = self.schedules.get(&text(&entry["schedule"]));
            let open = hours.into_iter().flatten().any(|(from, until)| *from <= at && at < *until);
            of_zone && from && until && open
        })
    }
}

/// A door's own configuration.
struct SimulatedDoor {
    digest_key: [u8; 32],
    zone: Option<String>,
    goes_both_ways: bool,
    admits: bool,
    list: List,
}

impl SimulatedDoor {
    async fn start(line: &Line) -> Result<Self, String> {
        let own = line.check_online(Method::GET, "/device", None).await?;
        let key = text(&own["digestKey"]);
        let byte = |at: usize| u8::from_str_radix(key.get(at..at + 2)?, 16).ok();
        let digest_key: Option<Vec<u8>> = (0..key.len()).step_by(2).map(byte).collect();
        let digest_key = digest_key.and_then(|key| key.try_into().ok());
        let list = List::read(&line.check_online(Method::GET, "/allow-list", None).await?)?;
        say!(
            "{}: {} may come in without a network, until {}",
            text(&own["name"]),
            list.entries.len(),
            list.expires_at
        );
        Ok(Self {
            digest_key: digest_key.ok_or("the device's digestKey is not 64 hexadecimal digits")?,
            zone: own["zones"][0].as_str().map(str::to_owned),
            goes_both_ways: own["direction"] == "both",
            admits: own["offlinePolicy"] == "admit",
            list,
        })
    }

    fn decides(&self, card: &str, at: Timestamp) -> Result<&'static str, String> {
        if at >= self.list.expires_at {
            return Ok(if self.admits { "allow" } else { "deny" });
        }
        let number = normalized(AccessKind::Card, card).map_err(|rule| rule.to_string())?;
        let digest = vault::keyed(&self.digest_key, format!("card:{number}").as_bytes());
        let digest = digest.map_err(|problem| problem.to_string())?;
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let lets_in = self.list.admits(&digest, self.zone.as_deref(), at);
        Ok(if lets_in { "allow" } else { "deny" })
    }
}

/// Runs it; what went wrong, if something did.
pub(crate) async fn run(simulation: Simulation) -> Result<(), String> {
    let Simulation { url, key, cards, scans, lost, seed } = simulation;
    // It installs the process's cryptography, which a client of https needs.
    rustls::crypto::ring::default_provider().install_default().ok();
    let http = Client::builder().timeout(TIMEOUT).build().map_err(|error| error.to_string())?;
    let line = Line { http, url, key };
    let door = SimulatedDoor::start(&line).await?;
    let mut chance = Chance(seed);
    // A scan's name is the device's own, and new for each run.
    let run = SystemClock.now().millis();
    let mut late = Vec::new();
    let mut online = 0;
    for number in 0..scans {
        let card = &cards[chance.below(cards.len() as u64) as usize];
        let id = format!("{run}-{number}");
        let roll = chance.below(100);
        let (is_sent, is_heard) = (roll >= lost / 2, roll >= lost);
        let mut scan = json!({"scanId": id, "credential": {"kind": "card", "number": card}});
        if let Some(zone) = &door.zone {
            scan["zone"] = json!(zone);
        }
        if door.goes_both_ways {
            scan["direction"] = json!("in");
        }
        let at = SystemClock.now();
        let answer = match is_sent {
            true => Some(line.check_online(Method::POST, "/scans", Some((&id, &scan))).await?),
            false => None,
        };
        let (by, decision, why) = match answer.filter(|_| is_heard) {
            Some(output) => {
                online += 1;
                ("the server", text(&output["decision"]), text(&output["reason"]))
            }
            None => {
                let decision = door.decides(card, at)?.to_owned();
                let what = if is_sent { "answer lost" } else { "request lost" };
                let fields = [
                    ("occurredAt", json!(at.to_string())),
                    ("decision", json!(decision)),
                    ("listVersion", json!(door.list.version)),
                ];
                for (name, value) in fields {
                    scan[name] = value;
                }
                late.push(scan);
                ("the list", decision, what.to_owned())
            }
        };
        say!("{:>4}  {card}  {decision}  by {by}  {why}", number + 1);
    }
    let mut batches: Vec<Vec<Value>> = Vec::new();
    chance.shuffle(&mut late);
    for batch in late.chunks(BATCH) {
        batches.extend([batch.to_vec(), batch.to_vec()]);
    }
    chance.shuffle(&mut batches);
    let (mut output, mut wrong) = (BTreeMap::<String, u64>::new(), Vec::new());
    for (number, batch) in batches.iter().enumerate() {
        let body = json!({"sentAt": SystemClock.now().to_string(), "scans": batch});
        let key = format!("{run}-late-{number}");
        let answer = line.check_online(Method::POST, "/scans/late", Some((&key, &body))).await?;
        for (scan, result) in batch.iter().zip(answer["results"].as_array().into_iter().flatten()) {
            let word = text(&result["result"]);
            if scan["decision"] == "allow" && result["wouldHaveBeen"] == "deny" {
                wrong.push(format!("{}: {}", text(&result["scanId"]), text(&result["reason"])));
            }
            *output.entry(word).or_default() += 1;
        }
    }
    let beat = json!({"deviceTime": SystemClock.now().to_string(), "queueDepth": 0,
        "firmware": "simulated"});
    line.check_online(Method::POST, "/heartbeats", Some((&format!("{run}-beat"), &beat))).await?;
    say!("{scans} scans: {online} decided by the server, {} by the list", late.len());
    for (word, count) in &output {
        say!("uploaded afterwards, {word}: {count}");
    }
    wrong.sort();
    wrong.dedup();
    match wrong.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("The list let in whom the server would have refused: {}", wrong.join(", ")))
        }
    }
}
