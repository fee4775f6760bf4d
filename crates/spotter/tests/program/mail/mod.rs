//! Mail: written with its cause, sent after it, in the company's language.

pub mod server;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde_json::json;
use spotter_harness::{
    App, Engine, PASSWORD, Server, SystemClock, people, random_text, receiver::receiver, runtime,
    scenario, send, start_as,
};
use spotter_kernel::Clock;
use spotter_outbound::smtp::MailMessage;
use spotter_store::{Sql, params};

const LINKS: &str = "https://gym.example";

/// A server that sends mail into a mailbox.
fn server(engine: Engine) -> Arc<Server> {
    static SQLITE: OnceLock<Arc<Server>> = OnceLock::new();
    static POSTGRES: OnceLock<Arc<Server>> = OnceLock::new();
    let cell = match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    };
    cell.get_or_init(|| start_as(engine, |env| env.mail_links = Some(LINKS.into())).into()).clone()
}

fn scenario<F: Future<Output = ()>>(engine: Engine, scenario: impl FnOnce(App) -> F) {
    let server = server(engine);
    runtime().block_on(async { scenario(App::new(server).await).await });
}

/// Waits for a number of messages to an address, oldest first.
async fn mail_to(app: &App, email: &str, count: usize) -> Vec<MailMessage> {
    for _ in 0..1_000 {
        let mut found = app.server.mailbox.messages();
        found.retain(|message| message.recipient == email);
        found.reverse();
        if found.len() >= count {
            assert_eq!(found.len(), count, "{found:?}");
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{count} messages to {email} do not come: {:?}", app.server.mailbox.messages());
}

/// The token of the link in a message.
fn token(message: &MailMessage) -> String {
    let (_, rest) = message.text.split_once("?token=").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

async fn auth(app: &App, what: &str, body: serde_json::Value) -> spotter_harness::Reply {
    send(app.server.request("POST", &format!("/app/v1/auth/{what}")).json(&body)).await
}

async fn sign_in(app: &App, email: &str, password: &str) -> spotter_harness::Reply {
    auth(app, "login", json!({"email": email, "password": password})).await
}

#[scenario(process)]
fn invitations_are_mailed(engine: Engine) {
    scenario(engine, async |app| {
        let email = format!("{}@example.com", random_text());
        let new = json!({"firstName": "Bo", "lastName": "Vos", "email": email, "role": "Coach"});
        let invited = app.app("POST", "/coaches", Some(new)).await.ok();
        let invitation = &invited.data()["invitation"];
        assert!(
            invitation["token"].is_null() && invitation["expiresAt"].is_string(),
            "{invitation}"
        );
        let mail = mail_to(&app, &email, 1).await;
        assert_eq!(mail[0].subject, "Test Gym invites you");
        assert!(
            mail[0].text.contains("Hello Bo,") && mail[0].html.contains(LINKS),
            "{:?}",
            mail[0]
        );
        let accept = json!({"token": token(&mail[0]), "password": PASSWORD});
        auth(&app, "invitations/accept", accept.clone()).await.ok();
        auth(&app, "invitations/accept", accept).await.refused(400, "request.invalid");
        sign_in(&app, &email, PASSWORD).await.ok();

        let email = format!("{}@example.com", random_text());
        let client = app.new_client(json!({"firstName": "Ann", "email": email})).await;
        let path = format!("/clients/{client}/invite");
        let invited = app.act(&path).await.ok();
        assert!(invited.data()["invitation"]["token"].is_null(), "{}", invited.body);
        let first = token(&mail_to(&app, &email, 1).await[0]);
        app.act(&path).await.ok();
        let second = token(&mail_to(&app, &email, 2).await[1]);
        let accept = |token: String| {
            auth(&app, "invitations/accept", json!({"token": token, "password": PASSWORD}))
        };
        accept(first).await.refused(400, "request.invalid");
        accept(second).await.ok();

        let listed = app.app("GET", "/mail?status=sent", None).await.ok();
        let mails = listed.data()["mail"].as_array().unwrap().clone();
        let kinds: Vec<_> = mails.iter().map(|mail| mail["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["client_invitation", "client_invitation", "coach_invitation"]);
        assert!(mails[0]["sentAt"].is_string() && mails[0]["content"].is_null(), "{}", mails[0]);
        const KEPT: Sql =
            Sql("SELECT COUNT(*) FROM mail WHERE company_id = ?1 AND content IS NOT NULL");
        let company = app.company;
        let kept = app.server.db.read(move |tx| tx.one::<(i64,)>(KEPT, params![company])).await;
        assert_eq!(kept.unwrap().unwrap().0, 0, "what was said is forgotten once it is sent");
        let (_, coach) = people_coach(&app).await;
        app.app_as(&coach, "GET", "/mail", None).await.refused(403, "auth.forbidden");
    });
}

/// A coach who accepted a mailed invitation: their address and an access token.
async fn people_coach(app: &App) -> (String, String) {
    let email = format!("{}@example.com", random_text());
    let new = json!({"firstName": "Bo", "lastName": "Vos", "email": email, "role": "Coach"});
    app.app("POST", "/coaches", Some(new)).await.ok();
    let token = token(&mail_to(app, &email, 1).await[0]);
    let accepted = auth(app, "invitations/accept", json!({"token": token, "password": PASSWORD}));
    let access = accepted.await.ok().data()["session"]["accessToken"].as_str().unwrap().to_owned();
    (email, access)
}

#[scenario(process)]
fn forgotten_passwords_are_reset(engine: Engine) {
    scenario(engine, async |app| {
        let (email, access) = people_coach(&app).await;
        let nobody = format!("{}@example.com", random_text());
        for address in [&email, &nobody] {
            let request = auth(&app, "password/forgot", json!({"email": address})).await.ok();
            assert_eq!(request.data(), &json!({"accepted": true}));
        }
        let mail = mail_to(&app, &email, 2).await;
        assert_eq!(mail[1].subject, "A new password for Test Gym");
        let first = token(&mail[1]);
        // Another one takes its place; the address is known in any case of its letters.
        auth(&app, "password/forgot", json!({"email": email.to_uppercase()})).await.ok();
        let second = token(&mail_to(&app, &email, 3).await[2]);
        let reset = |token: &str, password: &str| {
            auth(&app, "password/reset", json!({"token": token, "password": password}))
        };
        reset(&first, "another long one").await.refused(400, "request.invalid").about("token");
        reset(&second, "short").await.refused(400, "request.invalid").about("password");
        reset("fspr_nonsense", "another long one").await.refused(400, "request.invalid");
        // An invitation's token is none for this, nor the other way round.
        auth(&app, "invitations/accept", json!({"token": second, "password": PASSWORD}))
            .await
            .refused(400, "request.invalid");
        let done = reset(&second, "another long one").await.ok();
        assert_eq!(done.data(), &json!({"passwordChanged": true}));
        reset(&second, "a third long one").await.refused(400, "request.invalid");
        sign_in(&app, &email, PASSWORD).await.refused(401, "auth.invalid_credentials");
        sign_in(&app, &email, "another long one").await.ok();
        app.app_as(&access, "GET", "/coaches", None).await.refused(401, "auth.invalid_token");
        // Four within a quarter of an hour are refused, for a known and for an unknown address.
        auth(&app, "password/forgot", json!({"email": email})).await.ok();
        for (address, request) in [(&email, 3), (&nobody, 1)] {
            for _ in request..3 {
                auth(&app, "password/forgot", json!({"email": address})).await.ok();
            }
            let refused = auth(&app, "password/forgot", json!({"email": address})).await;
            refused.refused(429, "rate_limit.exceeded");
        }
        // An expired one is invalid.
        const PAST: Sql = Sql("UPDATE invitation SET expires_at = ?2 WHERE company_id = ?1");
        let third = token(&mail_to(&app, &email, 4).await[3]);
        let (company, now) = (app.company, SystemClock.now());
        app.server.db.write(move |tx| tx.execute(PAST, params![company, now])).await.unwrap();
        reset(&third, "a third long one").await.refused(400, "request.invalid").about("token");
        // A person who has left gets nothing.
        let id =
            app.app("GET", "/coaches?role=Coach", None).await.ok().data()["coaches"][0]["coachId"]
                .clone();
        let path = format!("/coaches/{}", id.as_str().unwrap());
        app.app("PATCH", &path, Some(json!({"status": "deactivated"}))).await.ok();
        let logs = app.get("/audit-logs?operation=reset_password").await.ok();
        assert_eq!(
            logs.data()["auditLogs"][0]["changedFields"],
            json!(["password"]),
            "{}",
            logs.body
        );
    });
}

#[scenario(process)]
fn letters_are_in_the_companys_language(engine: Engine) {
    scenario(engine, async |app| {
        for (language, subject, hello) in [
            ("nl", "Test Gym nodigt je uit voor het portaal", "Hallo Ann,"),
            ("de", "Test Gym lädt Sie in sein Portal ein", "Hallo Ann,"),
            ("fr", "Test Gym invites you to its portal", "Hello Ann,"),
        ] {
            app.app("PATCH", "/company/settings", Some(json!({"language": language}))).await.ok();
            let email = format!("{}@example.com", random_text());
            let id = app.new_client(json!({"firstName": "Ann", "email": email})).await;
            app.act(&format!("/clients/{id}/invite")).await.ok();
            let mail = mail_to(&app, &email, 1).await;
            assert_eq!(mail[0].subject, subject);
            assert!(mail[0].text.starts_with(hello), "{}", mail[0].text);
        }
    });
}

/// Makes waiting work due now.
async fn hurry(app: &App) {
    const DELIVERIES: Sql = Sql("UPDATE webhook_delivery SET due_at = ?2 \
        WHERE company_id = ?1 AND due_at IS NOT NULL AND lease IS NULL");
    const TIMERS: Sql = Sql("UPDATE timer SET due_at = ?2 WHERE company_id = ?1");
    let (company, now) = (app.company, SystemClock.now());
    for sql in [DELIVERIES, TIMERS] {
        app.server.db.write(move |tx| tx.execute(sql, params![company, now])).await.unwrap();
    }
}

#[scenario(process)]
fn managers_hear_of_failing_webhooks_once_a_day(engine: Engine) {
    scenario(engine, async |app| {
        let body = json!({"name": "Books", "url": receiver().url("fails", &random_text()), "events": ["client.created"]});
        let made = app.post("/webhooks", body).await.ok();
        let hook = made.data()["subscription"]["id"].as_str().unwrap().to_owned();
        let fail = async || {
            app.new_client(json!({"firstName": "Ann"})).await;
            for _ in 0..1_000 {
                let path = format!("/webhooks/deliveries?subscriptionId={hook}&status=failed");
                let failed = app.get(&path).await.ok().data()["total"].as_i64().unwrap();
                let all =
                    app.get(&format!("/webhooks/deliveries?subscriptionId={hook}")).await.ok();
                if failed == all.data()["total"].as_i64().unwrap() {
                    return;
                }
                hurry(&app).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            panic!("deliveries do not fail");
        };
        fail().await;
        hurry(&app).await;
        let mail = mail_to(&app, &app.admin_email, 1).await;
        assert_eq!(mail[0].subject, "Webhook \u{201c}Books\u{201d} is failing");
        assert!(mail[0].text.contains("HTTP 5"), "{}", mail[0].text);
        fail().await;
        hurry(&app).await;
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        mail_to(&app, &app.admin_email, 1).await;
        const YESTERDAY: Sql =
            Sql("UPDATE webhook_subscription SET alerted_at = ?2 WHERE company_id = ?1");
        let (company, then) = (app.company, SystemClock.now().plus_days(-1));
        app.server.db.write(move |tx| tx.execute(YESTERDAY, params![company, then])).await.unwrap();
        fail().await;
        hurry(&app).await;
        mail_to(&app, &app.admin_email, 2).await;
        app.announced(&[]).await;
    });
}

/// The pages that links lead to, as a browser uses them.
#[scenario(process)]
fn pages_set_passwords(engine: Engine) {
    scenario(engine, async |app| {
        let email = format!("{}@example.com", random_text());
        let new = json!({"firstName": "Bo", "lastName": "Vos", "email": email, "role": "Coach"});
        app.app("POST", "/coaches", Some(new)).await.ok();
        let invitation = token(&mail_to(&app, &email, 1).await[0]);
        let page = async |path: &str| send(app.server.request("GET", path)).await;
        let form = async |path: &str, fields: &[(&str, &str)]| {
            send(app.server.request("POST", path).form(fields)).await
        };
        let view = page(&format!("/set-password?token={invitation}")).await.ok();
        assert!(view.body.as_str().unwrap().contains("new-password"), "{}", view.body);
        assert_eq!(view.headers["referrer-policy"], "no-referrer");
        assert!(
            view.headers["content-security-policy"]
                .to_str()
                .unwrap()
                .contains("default-src 'none'")
        );
        assert_eq!(page("/set-password?token=nonsense").await.status, 404);
        assert_eq!(page("/set-password").await.status, 404);
        let short = form("/set-password", &[("token", &invitation), ("password", "short")]).await;
        assert_eq!(short.status, 400);
        assert!(short.body.as_str().unwrap().contains("10 to 200"), "{}", short.body);
        let fields = [("token", invitation.as_str()), ("password", PASSWORD)];
        let foreign =
            app.server.request("POST", "/set-password").header("sec-fetch-site", "cross-site");
        assert_eq!(send(foreign.form(&fields)).await.status, 403);
        form("/set-password", &fields).await.ok();
        assert_eq!(form("/set-password", &fields).await.status, 404);
        assert_eq!(page(&format!("/set-password?token={invitation}")).await.status, 404);
        sign_in(&app, &email, PASSWORD).await.ok();

        page("/forgot-password").await.ok();
        let requested = form("/forgot-password", &[("email", &email)]).await.ok();
        assert!(
            requested.body.as_str().unwrap().contains("we have sent a link"),
            "{}",
            requested.body
        );
        assert_eq!(form("/forgot-password", &[("email", "<script>")]).await.status, 400);
        let reset = token(&mail_to(&app, &email, 2).await[1]);
        form("/set-password", &[("token", &reset), ("password", "another long one")]).await.ok();
        sign_in(&app, &email, "another long one").await.ok();
        let css = page("/page.css").await.ok();
        assert_eq!(css.headers["content-type"], "text/css; charset=utf-8");
    });
}

#[scenario(process)]
fn rolled_back_changes_send_no_mail(engine: Engine) {
    scenario(engine, async |app| {
        let email = format!("{}@example.com", random_text());
        let id = app.new_client(json!({"firstName": "Ann", "email": email})).await;
        let path = format!("/clients/{id}/invite");
        app.act(&format!("/clients/{id}/archive")).await.ok();
        app.events().await;
        let before = app.state().await;
        app.act(&path).await.refused(409, "PUBLIC_API_ERROR");
        assert_eq!(app.state().await, before);
        app.act(&format!("/clients/{id}/restore")).await.ok();
        // The same request twice is one invitation, and one message.
        let key = random_text();
        for _ in 0..2 {
            send(app.raw("POST", &path).header("Idempotency-Key", &key)).await.ok();
        }
        mail_to(&app, &email, 1).await;
        tokio::time::sleep(Duration::from_millis(800)).await;
        mail_to(&app, &email, 1).await;
    });
}

/// While no mail is sent, an invitation is replaced and its client archived: nothing is left to send.
#[scenario(process)]
fn obsolete_letters_are_not_sent(engine: Engine) {
    static SQLITE: OnceLock<Arc<Server>> = OnceLock::new();
    static POSTGRES: OnceLock<Arc<Server>> = OnceLock::new();
    let cell = if engine == Engine::Sqlite { &SQLITE } else { &POSTGRES };
    // The links are set after the server has started: nothing is sent.
    let server = cell.get_or_init(|| spotter_harness::start_without_post(engine, LINKS).into());
    runtime().block_on(async {
        let app = App::new(server.clone()).await;
        let email = format!("{}@example.com", random_text());
        let id = app.new_client(json!({"firstName": "Ann", "email": email})).await;
        let statuses = async || {
            let listed = app.app("GET", "/mail", None).await.ok();
            let mails = listed.data()["mail"].as_array().unwrap().clone();
            let each = mails.iter().map(|mail| mail["status"].as_str().unwrap().to_owned());
            each.collect::<Vec<_>>()
        };
        for _ in 0..2 {
            app.act(&format!("/clients/{id}/invite")).await.ok();
        }
        assert_eq!(statuses().await, ["waiting", "cancelled"]);
        app.act(&format!("/clients/{id}/archive")).await.ok();
        assert_eq!(statuses().await, ["cancelled", "cancelled"]);
        const LEFT: Sql = Sql("SELECT COUNT(*) FROM job WHERE company_id = ?1");
        let company = app.company;
        let left = app.server.db.read(move |tx| tx.one::<(i64,)>(LEFT, params![company])).await;
        assert_eq!(left.unwrap().unwrap().0, 0);
    });
}

/// Writing an address into another person's record gains nothing: the new one must be confirmed with the account's
/// password, the old one is told, and signs in until then.
#[scenario(process)]
fn an_address_that_signs_in_is_confirmed(engine: Engine) {
    scenario(engine, async |app| {
        let address = || format!("{}@example.com", random_text());
        let (old, new) = (address(), address());
        let id = app.new_client(json!({"firstName": "Ann", "email": old})).await;
        let path = format!("/clients/{id}");
        app.act(&format!("{path}/invite")).await.ok();
        let invitation = token(&mail_to(&app, &old, 1).await[0]);
        let body = json!({"token": invitation, "password": PASSWORD});
        auth(&app, "invitations/accept", body).await.ok();
        app.patch(&path, json!({"email": new})).await.ok();
        let response = &mail_to(&app, &old, 2).await[1];
        assert!(
            response.text.contains(&new) && !response.text.contains("token="),
            "{}",
            response.text
        );
        let request = mail_to(&app, &new, 1).await;
        assert!(request[0].text.contains("/confirm-address?token=fsac_"), "{}", request[0].text);
        let link = token(&request[0]);
        // The way of a thief: a link for a new password, to the address that was written.
        auth(&app, "password/forgot", json!({"email": new})).await.ok();
        let confirm = |token: &str, password: &str| {
            auth(&app, "address/confirm", json!({"token": token, "password": password}))
        };
        confirm(&link, "a wrong password").await.refused(400, "request.invalid").about("password");
        let login =
            |email: String| auth(&app, "login", json!({"email": email, "password": PASSWORD}));
        login(new.clone()).await.refused(401, "auth.invalid_credentials");
        login(old.clone()).await.ok();
        confirm(&link, PASSWORD).await.ok();
        confirm(&link, PASSWORD).await.refused(400, "request.invalid").about("token");
        login(old.clone()).await.refused(401, "auth.invalid_credentials");
        login(new.clone()).await.ok();
        assert_eq!(mail_to(&app, &new, 1).await.len(), 1);
        let steps = app.get(&format!("{path}/timeline")).await.ok();
        let steps = steps.data()["steps"].to_string();
        assert!(steps.contains("sign_in_address_requested"), "{steps}");
        assert!(steps.contains("sign_in_address_confirmed"), "{steps}");
        // A link to an address that is not recorded any more confirms nothing.
        let third = address();
        app.patch(&path, json!({"email": third})).await.ok();
        let link = token(&mail_to(&app, &third, 1).await[0]);
        app.patch(&path, json!({"email": new})).await.ok();
        confirm(&link, PASSWORD).await.refused(400, "request.invalid").about("token");
        // Managers do not become coaches that way, either.
        let (before, moved) = (address(), address());
        let new = json!({"firstName": "Bo", "lastName": "Vos", "email": before, "role": "Coach"});
        let invited = app.app("POST", "/coaches", Some(new)).await.ok();
        let path = format!("/coaches/{}", invited.data()["coach"]["coachId"].as_str().unwrap());
        let invitation = token(&mail_to(&app, &before, 1).await[0]);
        let body = json!({"token": invitation, "password": PASSWORD});
        auth(&app, "invitations/accept", body).await.ok();
        app.app("PATCH", &path, Some(json!({"email": moved}))).await.ok();
        login(moved.clone()).await.refused(401, "auth.invalid_credentials");
        login(before.clone()).await.ok();
        confirm(&token(&mail_to(&app, &moved, 1).await[0]), PASSWORD).await.ok();
        login(moved).await.ok();
    });
}

/// A mailed link is invalid once the person has another address, or has set a password.
#[scenario(process)]
fn links_end_with_the_address_and_the_password(engine: Engine) {
    scenario(engine, async |app| {
        let address = || format!("{}@example.com", random_text());
        let (wrong, right) = (address(), address());
        let id = app.new_client(json!({"firstName": "Ann", "email": wrong})).await;
        let path = format!("/clients/{id}");
        app.act(&format!("{path}/invite")).await.ok();
        let invitation = token(&mail_to(&app, &wrong, 1).await[0]);
        app.patch(&path, json!({"email": right})).await.ok();
        let accept = |token: String| {
            auth(&app, "invitations/accept", json!({"token": token, "password": PASSWORD}))
        };
        accept(invitation).await.refused(400, "request.invalid");
        app.act(&format!("{path}/invite")).await.ok();
        let session = accept(token(&mail_to(&app, &right, 1).await[0])).await.ok();
        let session = session.data()["session"]["accessToken"].as_str().unwrap().to_owned();
        let reset = |token: String| {
            auth(&app, "password/reset", json!({"token": token, "password": "another long one"}))
        };
        auth(&app, "password/forgot", json!({"email": right})).await.ok();
        let link = token(&mail_to(&app, &right, 2).await[1]);
        let change = json!({"currentPassword": PASSWORD, "newPassword": "a new long one"});
        let changed = app.server.request("POST", "/app/v1/auth/password").bearer_auth(&session);
        send(changed.json(&change)).await.ok();
        reset(link).await.refused(400, "request.invalid");
        auth(&app, "password/forgot", json!({"email": right})).await.ok();
        let link = token(&mail_to(&app, &right, 3).await[2]);
        app.patch(&path, json!({"email": address()})).await.ok();
        reset(link).await.refused(400, "request.invalid");
        // Three invitations within a quarter of an hour are the limit, and a person who may not sign in gets no link.
        let email = address();
        let id = app.new_client(json!({"firstName": "Bea", "email": email})).await;
        for count in 1..=3 {
            app.act(&format!("/clients/{id}/invite")).await.ok();
            mail_to(&app, &email, count).await;
        }
        app.act(&format!("/clients/{id}/invite")).await.refused(409, "PUBLIC_API_ERROR");
        let last = token(&mail_to(&app, &email, 3).await[2]);
        accept(last).await.ok();
        app.act(&format!("/clients/{id}/archive")).await.ok();
        auth(&app, "password/forgot", json!({"email": email})).await.ok();
        tokio::time::sleep(Duration::from_millis(1_000)).await;
        mail_to(&app, &email, 3).await;
    });
}

#[scenario]
async fn where_no_mail_is_sent_tokens_are_shown(app: App) {
    let (_, token) = people::coach(&app, "Coach").await;
    app.app_as(&token, "GET", "/coaches", None).await.ok();
    let requested = auth(&app, "password/forgot", json!({"email": "a@example.com"})).await;
    let message = requested.refused(409, "PUBLIC_API_ERROR").body["error"]["message"].to_string();
    assert!(message.contains("no mail is sent here"), "{message}");
    assert_eq!(app.app("GET", "/mail", None).await.ok().data()["total"], 0);
    assert_eq!(send(app.server.request("GET", "/demo/mail")).await.status, 404);
}
