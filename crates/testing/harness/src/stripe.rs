//! Stripe, as far as this machine has one: PyPI's localstripe behind a proxy of ours, which adds what that lacks
//! (idempotency keys, pages, disputes, a search by metadata) and loses answers when told to.

use std::{
    collections::HashMap,
    net::TcpListener,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, Response, StatusCode, Uri},
};
use serde_json::{Value, json};
use spotter_kernel::Clock;
use spotter_testing::requirements;

use super::{SystemClock, free_address, runtime};

/// The secret of notices.
pub const SIGNING_SECRET: &str = "whsec_of_the_suite";
/// The API key.
pub const SECRET_KEY: &str = "sk_test_of_the_suite";

/// What the proxy does with the next payments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// The answer is lost.
    AnswerLost,
    /// The request is lost.
    RequestLost,
}

#[derive(Default)]
struct Books {
    /// The answer under an idempotency key, and the form that it answered.
    answers: HashMap<String, (String, u16, Value)>,

    /// The behaviour of cards and accounts.
    kinds: HashMap<String, Value>,
    pages: HashMap<String, Value>,
    disputes: HashMap<String, Value>,
    mishap: Option<Mishap>,
    /// Where notices go; nowhere while they are held back.
    target: Option<String>,
    count: u32,
}

/// A Stripe of one scenario.
pub struct Stripe {
    /// Where the door is.
    pub address: String,
    behind: String,
    http: reqwest::Client,
    books: Mutex<Books>,
}

type Answer = (u16, Value);

fn refusal(status: u16, error: Value) -> Answer {
    (status, json!({"error": error}))
}

fn pairs(form: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(form.as_bytes()).into_owned().collect()
}

impl Stripe {
    /// Starts one; `None` without localstripe, unless the suite requires it.
    pub async fn start() -> Option<Arc<Self>> {
        if !requirements::STRIPE.is_available() || !requirements::OPENSSL.is_available() {
            return None;
        }
        let python = requirements::STRIPE.python();
        let behind = free_address();
        let port = behind.rsplit(':').next().unwrap();
        let script = format!(
            "\"$0\" -m localstripe --from-scratch --port {port} & own=$!; \
             while [ -d /proc/{} ]; do sleep 0.5; done; kill $own",
            std::process::id()
        );
        let mut child = Command::new("/bin/sh")
            .args(["-c", &script])
            .arg(&python)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::spawn(move || child.wait());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let behind = format!("http://{behind}");
        let own = Arc::new(Self { address, behind, http, books: Mutex::default() });
        let door = Router::new().fallback(take).with_state(own.clone());
        runtime().spawn(async move {
            axum_server::from_tcp(listener).unwrap().serve(door.into_make_service()).await.unwrap();
        });
        for _ in 0..200 {
            let response = own.http.post(format!("{}/_config/webhooks/door", own.behind)).json(
                &json!({"url": format!("{}/notices", own.address), "secret": SIGNING_SECRET}),
            );
            if response.send().await.is_ok_and(|answer| answer.status().is_success()) {
                return Some(own);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("localstripe never became ready")
    }

    /// Has notices sent there from now on.
    pub fn set_webhook_target(&self, target: Option<String>) {
        self.books.lock().unwrap().target = target;
    }

    /// Has something go wrong with the next payment.
    pub fn lose(&self, mishap: Mishap) {
        self.books.lock().unwrap().mishap = Some(mishap);
    }

    async fn forward(&self, method: &Method, path: &str, form: &[(String, String)]) -> Answer {
        let unknown = ["expand[]", "description", "cancellation_reason"];
        let form = form.iter().filter(|(name, _)| !unknown.contains(&name.as_str()));
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let url = format!("{}{path}", self.behind);
        let request = match *method == Method::GET {
            true => self.http.get(format!("{url}?{form}")),
            false => self
                .http
                .request(method.clone(), url)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(form),
        };
        let answer = request.basic_auth(SECRET_KEY, Some("")).send().await.unwrap();
        let (status, mut value) = (answer.status().as_u16(), answer.json().await.unwrap());
        if path.starts_with("/v1/payment_intents/") || *method == Method::POST {
            self.say_how(&mut value);
        }
        (status, value)
    }

    /// Sets how a payment was made.
    fn say_how(&self, intent: &mut Value) {
        let kind = intent["payment_method"]
            .as_str()
            .map(|id| self.books.lock().unwrap().kinds[id].clone());
        if let (Some(kind), true) = (kind, intent["latest_charge"].is_object()) {
            intent["latest_charge"]["payment_method_details"] = json!({"type": kind});
        }
    }

    /// The same with a form of one's own.
    pub async fn have(&self, method: Method, path: &str, form: &[(&str, &str)]) -> Value {
        let form: Vec<_> =
            form.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.forward(&method, path, &form).await.1
    }

    /// Payments that were made for one of ours.
    pub async fn made_for(&self, payment: &str) -> Vec<Value> {
        let all = self.have(Method::GET, "/v1/payment_intents", &[("limit", "100")]).await;
        let of = |one: &&Value| one["metadata"]["spotter_payment"] == payment;
        all["data"].as_array().unwrap().iter().filter(of).cloned().collect()
    }

    /// A card with a number, or an account.
    async fn method(&self, number: &str) -> Value {
        let path = "/v1/payment_methods";
        let card = [
            ("type", "card"),
            ("card[number]", number),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2040"),
            ("card[cvc]", "123"),
        ];
        let account = [("type", "sepa_debit"), ("sepa_debit[iban]", number)];
        let form = if number.starts_with("DE") { &account[..] } else { &card[..] };
        let made = self.have(Method::POST, path, form).await;
        let id = made["id"].as_str().unwrap().to_owned();
        self.books.lock().unwrap().kinds.insert(id, made["type"].clone());
        made
    }

    fn page(&self, url: &str) -> (String, Value) {
        let id = url.rsplit('/').next().unwrap().to_owned();
        let page = self.books.lock().unwrap().pages[&id].clone();
        (id, page)
    }

    /// A client leaves a card or an account on a page.
    pub async fn leave(&self, url: &str, number: &str) {
        let (id, page) = self.page(url);
        let method = self.method(number).await;
        let (name, customer) = (method["id"].as_str().unwrap(), page["customer"].as_str().unwrap());
        let attach = format!("/v1/payment_methods/{name}/attach");
        let method = self.have(Method::POST, &attach, &[("customer", customer)]).await;
        let left = json!({"id": "seti_1", "status": "succeeded", "payment_method": method});
        self.set_status(&id, "complete", json!({"setup_intent": left})).await;
    }

    /// A client pays on a page.
    pub async fn pay(&self, url: &str, number: &str) {
        let (id, page) = self.page(url);
        let text = |name: &str| page[name].as_str().unwrap();
        let method = self.method(number).await;
        let payment = text("client_reference_id");
        let form = [
            ("amount", text("line_items[0][price_data][unit_amount]")),
            ("currency", text("line_items[0][price_data][currency]")),
            ("payment_method", method["id"].as_str().unwrap()),
            ("payment_method_types[0]", method["type"].as_str().unwrap()),
            ("confirm", "true"),
            ("metadata[spotter_payment]", payment),
            ("metadata[spotter_page]", "yes"),
        ];
        let made = self.have(Method::POST, "/v1/payment_intents", &form).await;
        self.set_status(&id, "complete", json!({"payment_intent": made["id"]})).await;
    }

    /// Completes or expires a page.
    async fn set_status(&self, id: &str, status: &str, facts: Value) {
        let response = {
            let mut books = self.books.lock().unwrap();
            let page = books.pages.get_mut(id).unwrap();
            page["status"] = json!(status);
            page["url"] = Value::Null;
            page.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
            page.clone()
        };
        let event = if status == "complete" { "completed" } else { "expired" };
        self.announce(&format!("checkout.session.{event}"), &response).await;
    }

    /// The holder of a card disputes a payment, or a bank decides about that.
    pub async fn dispute(&self, payment: &str, status: &str) {
        let intent = self.made_for(payment).await.remove(0);
        let event = if status == "needs_response" { "created" } else { "closed" };
        let dispute = json!({"id": format!("dp_{payment}"), "amount": intent["amount"],
            "currency": intent["currency"], "reason": "fraudulent", "status": status,
            "payment_intent": intent, "charge": null, "evidence_details": {"due_by": 1_900_000_000}});
        let id = format!("dp_{payment}");
        self.books.lock().unwrap().disputes.insert(id, dispute.clone());
        self.announce(&format!("charge.dispute.{event}"), &dispute).await;
    }

    /// Sends a signed notice.
    pub async fn announce(&self, kind: &str, object: &Value) {
        let count = {
            let mut books = self.books.lock().unwrap();
            books.count += 1;
            books.count
        };
        let body = json!({"id": format!("evt_{count}"), "type": kind, "data": {"object": object}});
        let body = body.to_string();
        let now = SystemClock.now().millis() / 1_000;
        let signature = format!("t={now},v1={}", signed(SIGNING_SECRET, &format!("{now}.{body}")));
        self.pass_on(&signature, body).await;
    }

    /// Notices are delivered twice.
    async fn pass_on(&self, signature: &str, body: String) {
        let Some(target) = self.books.lock().unwrap().target.clone() else { return };
        for _ in 0..2 {
            let request = self.http.post(&target).header("stripe-signature", signature);
            let answer = request.body(body.clone()).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{body}");
        }
    }

    /// Requests that the proxy answers itself.
    async fn own(&self, method: &Method, path: &str, form: &[(String, String)]) -> Option<Answer> {
        let parts: Vec<_> = path.trim_start_matches("/v1/").split('/').collect();
        match (method.as_str(), parts.as_slice()) {
            ("POST", ["checkout", "sessions"]) => {
                let mut books = self.books.lock().unwrap();
                let id = format!("cs_{}", books.pages.len() + 1);
                let mut page: serde_json::Map<String, Value> =
                    form.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                page.extend([
                    ("id".to_owned(), json!(id)),
                    ("url".to_owned(), json!(format!("{}/page/{id}", self.address))),
                    ("status".to_owned(), json!("open")),
                ]);
                books.pages.insert(id, Value::Object(page.clone()));
                Some((200, Value::Object(page)))
            }
            ("POST", ["checkout", "sessions", id, "expire"]) => {
                let status = self.books.lock().unwrap().pages[*id]["status"].clone();
                if status != "open" {
                    return Some(refusal(400, json!({"type": "invalid_request_error"})));
                }
                self.set_status(id, "expired", json!({})).await;
                Some((200, self.books.lock().unwrap().pages[*id].clone()))
            }
            ("GET", ["checkout", "sessions", id]) => {
                let mut page = self.books.lock().unwrap().pages[*id].clone();
                if let Some(intent) = page["payment_intent"].as_str() {
                    let path = format!("/v1/payment_intents/{intent}");
                    page["payment_intent"] = self.have(Method::GET, &path, &[]).await;
                }
                Some((200, page))
            }
            ("GET", ["payment_intents", "search"]) => {
                let request = &form.iter().find(|(name, _)| name == "query").unwrap().1;
                let payment = request.split('"').nth(3).unwrap();
                Some((200, json!({"data": self.made_for(payment).await})))
            }
            ("GET", ["disputes", id]) => match self.books.lock().unwrap().disputes.get(*id) {
                Some(dispute) => Some((200, dispute.clone())),
                None => Some(refusal(404, json!({"code": "resource_missing"}))),
            },
            _ => None,
        }
    }
}

fn signed(secret: &str, text: &str) -> String {
    let mut child = Command::new("openssl")
        .args(["dgst", "-sha256", "-hmac", secret])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let response = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    response.trim().rsplit(' ').next().unwrap().to_owned()
}

fn http_response((status, value): Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// An answer that breaks off.
fn lost() -> Response<Body> {
    let broken =
        futures_util::stream::once(async { Err::<Bytes, _>(std::io::Error::other("lost")) });
    Response::new(Body::from_stream(broken))
}

async fn take(
    State(own): State<Arc<Stripe>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response<Body> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    if uri.path() == "/notices" {
        let signature = header("stripe-signature").to_owned();
        runtime().spawn(async move { own.pass_on(&signature, body).await });
        return Response::new(Body::empty());
    }
    if header("authorization") != format!("Bearer {SECRET_KEY}") {
        return http_response(refusal(
            401,
            json!({"type": "invalid_request_error", "message": "No such key"}),
        ));
    }
    assert_eq!(header("stripe-version"), "2024-06-20");
    let form = if method == Method::GET { uri.query().unwrap_or_default() } else { &body };
    let key = header("idempotency-key").to_owned();
    assert_eq!(key.is_empty(), method == Method::GET, "what is done is done under a key");
    let pays = method == Method::POST && uri.path() == "/v1/payment_intents";
    let mishap = pays.then(|| own.books.lock().unwrap().mishap.take()).flatten();
    if mishap == Some(Mishap::RequestLost) {
        return lost();
    }
    let known = own.books.lock().unwrap().answers.get(&key).cloned();
    let answer = match known {
        Some((before, status, value)) if before == form => (status, value),
        Some(_) => refusal(400, json!({"type": "idempotency_error", "message": "Another form"})),
        None => {
            let form_pairs = pairs(form);
            let answer = match own.own(&method, uri.path(), &form_pairs).await {
                Some(answer) => answer,
                None => own.forward(&method, uri.path(), &form_pairs).await,
            };
            if !key.is_empty() {
                let kept = (form.to_owned(), answer.0, answer.1.clone());
                own.books.lock().unwrap().answers.insert(key, kept);
            }
            answer
        }
    };
    if mishap == Some(Mishap::AnswerLost) { lost() } else { http_response(answer) }
}
