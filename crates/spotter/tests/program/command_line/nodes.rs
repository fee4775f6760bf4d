//! Two processes on one PostgreSQL with simultaneous requests: seats, an appointment, an approval.

use futures_util::future::join_all;
use serde_json::json;
use spotter_harness::random_text;

use super::*;

/// Two nodes of one installation, and alternating calls.
struct Nodes {
    addresses: [String; 2],
    token: String,
    http: reqwest::Client,
    _processes: [Running; 2],
}

impl Nodes {
    /// `data` of an answer of one of them, or its status and error.
    async fn ask(&self, number: usize, method: &str, path: &str, body: Value) -> (u16, Value) {
        let address = &self.addresses[number % 2];
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let key = random_text();
        loop {
            let request = self.http.request(method.clone(), format!("http://{address}{path}"));
            let request = request.bearer_auth(&self.token).header("Idempotency-Key", &key);
            let request = if body.is_null() { request } else { request.json(&body) };
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            let response: Value = answer.json().await.unwrap();
            // A conflict that does not settle at once is retried, as callers are told to.
            if status != 503 {
                return (status, response);
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }

    async fn create(&self, path: &str, body: Value, pointer: &str) -> String {
        let (status, response) = self.ask(0, "POST", path, body).await;
        assert!(status < 300, "{response}");
        response["data"].pointer(pointer).unwrap().as_str().unwrap().to_owned()
    }
}

#[test]
fn two_processes_give_each_seat_once() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let (folder, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let flags = demo_in(folder.path(), Engine::Postgres);
    let addresses = [free_address(), free_address()];
    let first = demo(folder.path(), &addresses[0], &flags);
    wait_ready(&addresses[0]);
    std::fs::copy(folder.path().join("secret.key"), second.path().join("secret.key")).unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &addresses[1], "--data"]).arg(second.path()).args(&flags);
    command.env("SPOTTER_RATE_LIMIT", "1000000").stderr(Stdio::null());
    let other = Running(command.spawn().unwrap());
    wait_ready(&addresses[1]);
    let response = read_demo(folder.path());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let nodes = Nodes { addresses, token: token(&response), http, _processes: [first, other] };
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
    let login = nodes.http.post(format!("http://{}/app/v1/auth/login", nodes.addresses[1]));
    let body = json!({"email": demo["manager"]["email"], "password": demo["manager"]["password"]});
    let signed: Value = login.json(&body).send().await.unwrap().json().await.unwrap();
    let manager = signed["data"]["session"]["accessToken"].as_str().unwrap();
    let new = json!({"eventTypeId": class, "coachId": coach, "startsAt": at(600)});
    let made = nodes.http.post(format!("http://{}/app/v1/calendar/events", nodes.addresses[0]));
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
