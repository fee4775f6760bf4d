//! Processes on one PostgreSQL with simultaneous requests: seats, an appointment, an approval, the limit of an API client,
//! deliveries of webhooks, and live updates.

use std::{collections::BTreeMap, time::Duration};

use futures_util::{StreamExt, future::join_all};
use serde_json::json;
use spotter_harness::{random_text, receiver::receiver};

use super::*;

/// Nodes of one installation, and calls to one after the other.
struct Nodes {
    addresses: Vec<String>,
    token: String,
    http: reqwest::Client,
    _processes: Vec<Running>,
    folders: Vec<tempfile::TempDir>,
    flags: Vec<String>,
}

/// Requests of a minute, of which twice as many are made.
const LIMIT: usize = 150;

impl Nodes {
    /// So many, with settings, and what the demo tells of itself.
    fn start(count: usize, settings: &[(&str, &str)]) -> (Self, Value) {
        let folders: Vec<_> = (0..count).map(|_| tempfile::tempdir().unwrap()).collect();
        let flags = demo_in(folders[0].path(), Engine::Postgres);
        let mut nodes = Self {
            addresses: folders.iter().map(|_| free_address()).collect(),
            token: String::new(),
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            _processes: Vec::new(),
            folders,
            flags,
        };
        let first = nodes.folders[0].path();
        for (address, folder) in nodes.addresses.iter().zip(&nodes.folders) {
            if folder.path() != first {
                let key = "secret.key";
                std::fs::copy(first.join(key), folder.path().join(key)).unwrap();
            }
            let mut command = Command::new(binary());
            command
                .args(["serve", "--listen", address, "--data"])
                .arg(folder.path())
                .args(&nodes.flags);
            command.envs(settings.iter().copied()).stderr(Stdio::null());
            nodes._processes.push(Running(command.spawn().unwrap()));
            wait_ready(address);
        }
        let mut demo = read_demo(first);
        demo["baseUrl"] = nodes.url(0, "").into();
        nodes.token = token(&demo);
        (nodes, demo)
    }

    fn url(&self, number: usize, path: &str) -> String {
        format!("http://{}{path}", self.addresses[number % self.addresses.len()])
    }

    async fn sign_in(&self, person: &Value) -> String {
        let body = json!({"email": person["email"], "password": person["password"]});
        let login = self.http.post(self.url(1, "/app/v1/auth/login")).json(&body);
        let signed: Value = login.send().await.unwrap().json().await.unwrap();
        signed["data"]["session"]["accessToken"].as_str().unwrap().to_owned()
    }

    /// `data` of an answer of one of them, or its status and error.
    async fn ask(&self, number: usize, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let key = random_text();
        loop {
            let request = self.http.request(method.clone(), self.url(number, path));
            let request = request.bearer_auth(&self.token).header("Idempotency-Key", &key);
            let request = if body.is_null() { request } else { request.json(&body) };
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            let response: Value = answer.json().await.unwrap();
            // A conflict that does not settle at once is retried, as callers are told to.
            if status != 503 {
                return (status, response);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn create(&self, path: &str, body: Value, pointer: &str) -> String {
        let (status, response) = self.ask(0, "POST", path, body).await;
        assert!(status < 300, "{response}");
        response["data"].pointer(pointer).unwrap().as_str().unwrap().to_owned()
    }
}

/// Five nodes let through what the limit says, not five times as much; each delivery is made by one of them, and an update
/// reaches who listens to another.
#[test]
fn five_nodes_are_one_installation() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, receiver().authority_pem()).unwrap();
    let limit = LIMIT.to_string();
    let settings = [
        ("SPOTTER_RATE_LIMIT", limit.as_str()),
        ("SPOTTER_WEBHOOK_CERTIFICATE_AUTHORITY", authority.to_str().unwrap()),
        ("SPOTTER_WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8"),
    ];
    let (mut nodes, demo) = Nodes::start(5, &settings);
    runtime().block_on(async {
        share_deliveries(&nodes).await;
        share_updates(&nodes, &demo).await;
    });
    // A client that has not asked for anything yet.
    let data = nodes.folders[0].path().to_str().unwrap();
    let mut create = vec!["api-client", "create", "--name", "Limits", "--data", data];
    create.extend(nodes.flags.iter().map(String::as_str));
    let (fine, made) = spotter(&create);
    assert!(fine, "{made}");
    let mut other = demo;
    other["apiClient"] = serde_json::from_str(&made).unwrap();
    nodes.token = token(&other);
    runtime().block_on(share_a_limit(&nodes));
}

/// Each event of clients that are created on all nodes arrives once.
async fn share_deliveries(nodes: &Nodes) {
    let mark = random_text();
    let target = receiver().url_at("127.0.0.1", "good", &mark);
    let body = json!({"name": "Nodes", "url": target, "events": ["client.created"]});
    nodes.create("/public/v1/webhooks", body, "/subscription/id").await;
    let created = (0..40).map(|number| async move {
        let email = format!("{}@nodes.example", random_text());
        let body = json!({"firstName": "Node", "lastName": number.to_string(), "email": email});
        let (status, created) = nodes.ask(number, "POST", "/public/v1/clients", body).await;
        assert_eq!(status, 201, "{created}");
        created["data"]["client"]["clientId"].as_str().unwrap().to_owned()
    });
    let created = join_all(created).await;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..200 {
        seen.clear();
        for delivery in receiver().received(&mark) {
            let event: Value = serde_json::from_str(&delivery.body).unwrap();
            let client = event.pointer("/data/clientId").and_then(Value::as_str);
            *seen.entry(client.unwrap_or_default().to_owned()).or_default() += 1;
        }
        if seen.len() >= created.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // A second delivery would have come by now.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(receiver().received(&mark).len(), created.len(), "{seen:?}");
    assert!(created.iter().all(|client| seen.get(client) == Some(&1)), "{seen:?}");
}

/// What is said at one node is read at each.
async fn share_updates(nodes: &Nodes, demo: &Value) {
    let (client, manager) =
        (nodes.sign_in(&demo["client"]).await, nodes.sign_in(&demo["manager"]).await);
    let mut streams = Vec::new();
    for number in 0..nodes.addresses.len() {
        let stream = nodes.http.get(nodes.url(number, "/app/v1/events")).bearer_auth(&client);
        let stream = stream.send().await.unwrap();
        assert_eq!(stream.status(), 200);
        streams.push(stream.bytes_stream());
    }
    let say = async |number, path: &str, body: Value| {
        let request = nodes.http.post(nodes.url(number, path)).bearer_auth(&manager).json(&body);
        request.send().await.unwrap().json::<Value>().await.unwrap()
    };
    let pair = json!({"conversationType": "direct", "userIds": [demo["client"]["clientId"]]});
    let opened = say(1, "/app/v1/conversations", pair).await;
    let conversation = opened["data"]["conversation"]["conversationId"].as_str().unwrap();
    let path = format!("/app/v1/conversations/{conversation}/messages");
    for number in 0..nodes.addresses.len() {
        let sent = say(number, &path, json!({"text": "Hello"})).await;
        assert!(sent["data"]["message"].is_object(), "{sent}");
    }
    for stream in &mut streams {
        let mut text = String::new();
        while text.matches("event: conversation.message.created").count() < nodes.addresses.len() {
            let chunk = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
            text.push_str(std::str::from_utf8(&chunk.unwrap().unwrap().unwrap()).unwrap());
        }
    }
}

/// All nodes together let through as many requests of a minute as the limit says.
async fn share_a_limit(nodes: &Nodes) {
    let path = "/public/v1/platform/profile";
    let asked = (0..2 * LIMIT).map(|number| nodes.ask(number, "GET", path, Value::Null));
    let answers = join_all(asked).await;
    let served = answers.iter().filter(|(status, _)| *status == 200).count();
    let refused = answers.iter().filter(|(status, _)| *status == 429).count();
    assert_eq!((served, refused), (LIMIT, LIMIT));
}

#[test]
fn two_processes_give_each_seat_once() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let (nodes, response) = Nodes::start(2, &[("SPOTTER_RATE_LIMIT", "1000000")]);
    runtime().block_on(compete(&nodes, &response));
}

async fn compete(nodes: &Nodes, demo: &Value) {
    let mut clients = Vec::new();
    for page in 1..=2 {
        let path = format!("/public/v1/clients?limit=100&memberStatus=active&page={page}");
        let (_, response) = nodes.ask(0, "GET", &path, Value::Null).await;
        let found = response["data"]["clients"].as_array().unwrap().iter();
        clients.extend(found.map(|one| one["clientId"].as_str().unwrap().to_owned()));
    }
    assert_eq!(clients.len(), 200);
    let (_, response) = nodes.ask(0, "GET", "/public/v1/coaches?limit=1", Value::Null).await;
    let coach = response["data"]["coaches"][0]["coachId"].as_str().unwrap().to_owned();
    let day = |weekday| json!({"weekday": weekday, "startTime": "00:00", "endTime": "00:00"});
    let weekly: Value = (1..=7).map(day).collect();
    let hours = json!({"timeZone": "UTC", "weekly": weekly});
    let path = format!("/public/v1/coaches/{coach}/availability");
    let (status, response) = nodes.ask(0, "PUT", &path, hours).await;
    assert_eq!(status, 200, "{response}");
    let at = |minute| spotter_harness::dates::at(40, minute);
    let types = "/public/v1/event-types";
    let class = json!({"name": "Spin", "kind": "class", "durationMinutes": 30, "capacity": 15,
        "waitlist": {"mode": "auto"}});
    let class = nodes.create(types, class, "/eventType/eventTypeId").await;
    let talk = json!({"name": "Talk", "durationMinutes": 30, "coachIds": [coach],
        "requiresApproval": true, "bookingWindowDays": 60});
    let talk = nodes.create(types, talk, "/eventType/eventTypeId").await;
    let manager = nodes.sign_in(&demo["manager"]).await;
    let new = json!({"eventTypeId": class, "coachId": coach, "startsAt": at(600)});
    let made = nodes.http.post(nodes.url(0, "/app/v1/calendar/events"));
    let made = made.bearer_auth(manager).json(&new).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    let class = made["data"]["calendarEvent"]["calendarEventId"].as_str().unwrap();

    // 200 clients for 15 seats: each seat once, and one line.
    let draft = |client: &String| {
        json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist",
            "allowOverlap": true})
    };
    let requested = clients.iter().enumerate();
    let requested = requested
        .map(|(number, client)| nodes.ask(number, "POST", "/public/v1/bookings", draft(client)));
    let response = join_all(requested).await;
    assert!(response.iter().all(|(status, _)| *status == 201), "{response:?}");
    let booked = response
        .iter()
        .filter(|(_, response)| response["data"]["booking"]["status"] == "booked")
        .count();
    let mut positions: Vec<_> = response
        .iter()
        .filter_map(|(_, response)| response["data"]["booking"]["waitlistPosition"].as_i64())
        .collect();
    positions.sort_unstable();
    assert_eq!((booked, positions), (15, (1..=185).collect()));

    // 50 for one appointment: one has it, and it is held for them.
    let draft = |client: &String| json!({"clientId": client, "eventTypeId": talk, "startsAt": at(720), "allowOverlap": true});
    let requested = clients[..50].iter().enumerate();
    let requested = requested.map(|(number, client)| {
        nodes.ask(300 + number, "POST", "/public/v1/bookings", draft(client))
    });
    let response = join_all(requested).await;
    let mut won = response.iter().filter(|(status, _)| *status == 201);
    let (_, request) = won.next().unwrap();
    assert_eq!(won.count(), 0);
    let request = request["data"]["bookingRequest"]["bookingRequestId"].as_str().unwrap();

    // Many words on one request: one counts.
    let requested = (0..20).map(|number| {
        let word = if number % 4 < 2 { "approve" } else { "reject" };
        let path = format!("/public/v1/booking-requests/{request}/{word}");
        async move { nodes.ask(400 + number, "POST", &path, json!({})).await }
    });
    let response = join_all(requested).await;
    let (won, lost): (Vec<_>, Vec<_>) = response.iter().partition(|(status, _)| *status == 200);
    assert_eq!(won.len(), 1, "{response:?}");
    let gone = "PUBLIC_API_BOOKING_REQUEST_NOT_PENDING";
    assert!(lost.iter().all(|(_, response)| response["error"]["key"] == gone), "{lost:?}");
}
