//! Test environments: a copy of a company beside it, in which nothing is real, and whose clock is advanced.

use std::time::{Duration, Instant};

use serde_json::json;
use spotter_harness::{scenario, text};

use super::*;

/// Calls to a server.
struct Caller {
    url: String,
    token: String,
}

impl Caller {
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.request(method.parse().unwrap(), format!("{}{path}", self.url));
        let request = request.bearer_auth(&self.token);
        let request = request.header("Idempotency-Key", spotter_harness::random_text());
        let request = body.iter().fold(request, |request, body| request.json(body));
        runtime().block_on(async {
            let response = request.send().await.unwrap();
            (response.status().as_u16(), response.json().await.unwrap_or_default())
        })
    }

    fn ok(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, answer) = self.send(method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer["data"].clone()
    }

    fn total(&self, path: &str) -> i64 {
        self.ok("GET", &format!("{path}?limit=1"), None)["total"].as_i64().unwrap()
    }

    /// Waits until an answer has a value.
    fn wait(&self, path: &str, place: &str, value: &Value) -> Value {
        let began = Instant::now();
        loop {
            let data = self.send("GET", path, None).1["data"].clone();
            if data.pointer(place).unwrap_or(&Value::Null) == value {
                return data;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "{path} has {data}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Signs a person of the demo in at an address.
fn signed_in(url: &str, person: &Value) -> Caller {
    let login = json!({"email": person["email"], "password": person["password"]});
    let nobody = Caller { url: url.to_owned(), token: String::new() };
    let session = nobody.ok("POST", "/app/v1/auth/login", Some(&login));
    Caller { token: text(&session, "/session/accessToken"), ..nobody }
}

/// A token for an API client, whose credentials are sent in the body.
fn token_for(url: &str, id: &str, secret: &str) -> String {
    let form = [("grant_type", "client_credentials"), ("client_id", id), ("client_secret", secret)];
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{url}/public/v1/oauth/token")).form(&form);
    let answer: Value =
        runtime().block_on(async { request.send().await.unwrap().json().await.unwrap() });
    text(&answer, "/access_token")
}

/// The text of a page.
fn page(url: &str) -> String {
    let request = reqwest::Client::builder().no_proxy().build().unwrap().get(url);
    runtime().block_on(async { request.send().await.unwrap().text().await.unwrap() })
}

/// What of the real company would show that something leaked into it.
fn totals(manager: &Caller, public: &Caller) -> Vec<i64> {
    let own =
        ["/app/v1/finance/invoices", "/app/v1/products", "/app/v1/integrations/public-api/clients"];
    let mut totals: Vec<i64> = own.iter().map(|path| manager.total(path)).collect();
    totals.push(public.total("/public/v1/clients"));
    totals
}

#[scenario(process)]
fn a_test_environment_is_apart_and_its_clock_is_advanced(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let (url, people) = (format!("http://{address}"), read_demo(folder.path()));
    let manager = signed_in(&url, &people["manager"]);
    let public = Caller { url: url.clone(), token: token(&people) };

    // Where there is none, its address leads nowhere.
    let company = text(&manager.ok("GET", "/app/v1/company/settings", None), "/company/companyId");
    let absent = format!("/test/{company}/app/v1/auth/login");
    let person =
        json!({"email": people["manager"]["email"], "password": people["manager"]["password"]});
    let (status, refused) = manager.send("POST", &absent, Some(&person));
    assert!(status == 404 && !text(&refused, "/meta/requestId").is_empty(), "{refused}");

    // It is created beside the company, from its setup alone.
    assert_eq!(manager.send("GET", "/app/v1/test-environment", None).0, 404);
    let (status, made) = manager.send("POST", "/app/v1/test-environment", None);
    assert_eq!((status, &made["data"]["testEnvironment"]["status"]), (201, &json!("creating")));
    let place = "/testEnvironment/status";
    let made = manager.wait("/app/v1/test-environment", place, &json!("ready"));
    assert_eq!(manager.send("POST", "/app/v1/test-environment", None).0, 409);
    let at_home = totals(&manager, &public);
    let test_url = text(&made, "/testEnvironment/address");
    assert!(test_url.starts_with(&format!("{url}/test/")), "{test_url}");

    // Who signs in there holds a token that leads there, whatever the address.
    let test = Caller { url: url.clone(), ..signed_in(&test_url, &people["manager"]) };
    assert!(test.token.starts_with("fsat_test_"), "{}", test.token);
    assert_eq!(test.total("/app/v1/products"), manager.total("/app/v1/products"));
    assert_eq!(test.send("POST", "/app/v1/test-environment", None).0, 404);
    let coach = manager.ok("GET", "/app/v1/coaches?limit=1", None);
    let scopes = ["clients:read", "clients:write", "platform:read"];
    let new = json!({"name": "Test", "scopes": scopes,
        "defaultAssignedCoachId": coach["coaches"][0]["coachId"]});
    let keys = test.ok("POST", "/app/v1/integrations/public-api/clients", Some(&new));
    let (id, secret) = (text(&keys, "/clientId"), text(&keys, "/clientSecret"));
    assert!(id.starts_with("fspc_test_") && secret.starts_with("fsps_test_"), "{keys}");
    let mut integrator = Caller { url: url.clone(), token: token_for(&url, &id, &secret) };
    assert!(integrator.token.starts_with("fspt_test_"), "{}", integrator.token);
    assert_eq!(integrator.total("/public/v1/clients"), 0, "nobody is copied");
    let client = json!({"firstName": "Ann", "email": "ann@example.com"});
    let client = integrator.ok("POST", "/public/v1/clients", Some(&client));
    let client = text(&client, "/client/clientId");
    assert_eq!(public.send("GET", &format!("/public/v1/clients/{client}"), None).0, 404);

    // No provider but the sandbox.
    let stripe = json!({"provider": "stripe", "secretKey": "sk_live_x"});
    assert_eq!(test.send("PUT", "/app/v1/company/payment-provider", Some(&stripe)).0, 400);
    let provider = test.ok("GET", "/app/v1/company/payment-provider", None);
    assert_eq!(provider["paymentProvider"]["provider"], "sandbox");
    let sales = format!("/app/v1/finance/clients/{client}");
    let card = json!({"sandboxToken": "sandbox_ok"});
    test.ok("POST", &format!("{sales}/payment-methods"), Some(&card));
    let gold = json!({"productType": "Membership", "name": {"en": "Gold"}, "price": 4900,
        "vatPercentage": 21, "period": "Month", "autoRenew": true});
    let gold = test.ok("POST", "/app/v1/products", Some(&gold));
    let sold = json!({"productId": gold["product"]["productId"]});
    let sold = test.ok("POST", &format!("{sales}/memberships"), Some(&sold));
    let membership =
        format!("/app/v1/finance/subscriptions/{}", text(&sold, "/subscription/subscriptionId"));
    test.ok("PATCH", &membership, Some(&json!({"collection": "automatic"})));
    let first = format!("/app/v1/finance/invoices/{}", text(&sold, "/invoice/invoiceId"));
    test.ok("POST", &format!("{first}/charge"), None);
    test.wait(&first, "/invoice/status", &json!("paid"));

    // Three months go by in seconds, each bill at its own time.
    let clock = "/public/v1/test-clock";
    let now = |caller: &Caller| {
        let clock = caller.ok("GET", clock, None);
        spotter_kernel::Timestamp::parse(&text(&clock, "/testClock/now")).unwrap()
    };
    let before = now(&integrator);
    for (to, refused) in [(before.plus_days(-1), 400), (before.plus_days(500), 400)] {
        let body = json!({"advanceTo": to});
        let advance = integrator.send("POST", &format!("{clock}/advance"), Some(&body));
        assert_eq!(advance.0, refused, "{}", advance.1);
    }
    let later = json!({"advanceTo": before.plus_days(95)});
    assert_eq!(public.send("POST", &format!("{clock}/advance"), Some(&later)).0, 409);
    let advancing = integrator.ok("POST", &format!("{clock}/advance"), Some(&later));
    assert_eq!(advancing["testClock"]["status"], "advancing");
    integrator.wait(clock, "/testClock/status", &json!("ready"));
    assert!(now(&integrator) >= before.plus_days(95));
    let bills =
        test.ok("GET", &format!("/app/v1/finance/invoices?clientId={client}&limit=100"), None);
    let bills: Vec<(String, String)> = bills["invoices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bill| (text(bill, "/issueDate"), text(bill, "/status")))
        .collect();
    assert!(bills.len() >= 4, "{bills:?}");
    let days: std::collections::BTreeSet<_> = bills.iter().map(|(day, _)| day).collect();
    assert_eq!(days.len(), bills.len(), "each bill has the day of its own renewal: {bills:?}");
    assert!(bills.iter().all(|(_, status)| status == "paid"), "{bills:?}");

    // Letters count as sent.
    let mail = test.ok("GET", "/app/v1/mail?limit=100", None);
    let statuses: Vec<_> =
        mail["mail"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert!(!statuses.is_empty() && statuses.iter().all(|status| *status == "sent"), "{mail}");

    // What is real has not moved, and no mail has left.
    assert_eq!(totals(&manager, &public), at_home);
    assert!(now(&public) < before.plus_days(1));
    assert!(!page(&format!("{url}/demo/mail")).contains("ann@example.com"));

    // The clock goes on where it was after a restart.
    stop(child);
    let _child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    assert!(now(&integrator) >= before.plus_days(95));

    // The passwords are the real ones, so guesses count together, and by the real time.
    let login = |url: &str, password: &str| {
        let body = json!({"email": people["coach"]["email"], "password": password});
        let nobody = Caller { url: url.to_owned(), token: String::new() };
        nobody.send("POST", "/app/v1/auth/login", Some(&body)).0
    };
    for guess in 0..10 {
        assert_eq!(login(&test_url, &format!("wrong password {guess}")), 401);
    }
    let later = json!({"advanceTo": now(&integrator).plus_days(1)});
    integrator.ok("POST", &format!("{clock}/advance"), Some(&later));
    integrator.wait(clock, "/testClock/status", &json!("ready"));
    let password = people["coach"]["password"].as_str().unwrap();
    assert_eq!((login(&test_url, password), login(&url, password)), (429, 429));

    // It is deleted with all that it issued.
    manager.ok("DELETE", "/app/v1/test-environment", None);
    let began = Instant::now();
    while manager.send("GET", "/app/v1/test-environment", None).0 != 404 {
        // On a cluster every server drops a database of hundreds of tables.
        assert!(began.elapsed() < Duration::from_secs(180), "it is not deleted");
        std::thread::sleep(Duration::from_millis(100));
    }
    let (status, refused) = integrator.send("GET", "/public/v1/clients", None);
    assert_eq!((status, &refused["error"]["key"]), (401, &json!("auth.invalid_token")));
    assert!(refused.to_string().contains("no such test environment"), "{refused}");
    assert_eq!(manager.send("POST", &absent, Some(&person)).0, 404);
    integrator.token = public.token.clone();
    assert_eq!(totals(&manager, &integrator), at_home);
}
