//! Dunning of unpaid invoices, and its letters.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    billing::{get_subscription, pay, sold},
    calendar::{always_at_work, new_type},
    scenario, text,
    travel::{Travel, travelling_as},
};

/// From an instant on, with mail.
pub fn with_mail<F: Future<Output = ()>>(engine: Engine, scenario: impl FnOnce(Travel) -> F) {
    let set = |env: &mut spotter_contract::Env| env.mail_links = Some("https://gym.example".into());
    travelling_as(engine, "2026-11-01T09:00:00Z", set, scenario);
}

async fn invoice(app: &App, id: &str) -> Value {
    let response = app.get(&format!("/finance/invoices/{id}")).await.ok();
    response.data()["invoice"].clone()
}

/// Subjects of sent mail, in order.
pub fn subjects(travel: &Travel) -> Vec<String> {
    let mut messages = travel.app.server.mailbox.messages();
    messages.sort_by_key(|message| (message.written_at, message.id));
    messages.into_iter().map(|message| message.subject).collect()
}

/// Several reminders at once are one, whoever sends them.
#[scenario(process, clock)]
fn an_invoice_is_reminded_of_once_a_day(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let new = json!({"firstName": "Ann", "email": "ann@example.com"});
        let client = travel.app.new_client(new).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        travel.to("2026-11-16T01:00:00Z").await;
        let remind = json!({"invoiceIds": [one.invoice], "message": "reminder"});
        let path = "/finance/invoices/messages";
        let outcome = |reply: &Value| text(reply, "/report/results/0/outcome");
        // The one that went out by itself counts.
        let reply = travel.app.post(path, remind.clone()).await.ok();
        assert_eq!(outcome(reply.data()), "unchanged");
        travel.to("2026-11-17T02:00:00Z").await;
        let before = subjects(&travel).len();
        let preview = travel.app.post(&format!("{path}/preview"), remind.clone()).await.ok();
        assert_eq!(outcome(preview.data()), "changed");
        let all = (0..8).map(|_| travel.app.post(path, remind.clone()));
        let replies = futures_util::future::join_all(all).await;
        let outcomes: Vec<_> =
            replies.into_iter().map(|reply| outcome(reply.ok().data())).collect();
        assert_eq!(outcomes.iter().filter(|one| *one == "changed").count(), 1, "{outcomes:?}");
        travel.wait(1).await;
        assert_eq!(subjects(&travel).len(), before + 1);
    });
}

#[scenario(process, clock)]
fn unpaid_invoices_are_reminded_and_paid(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let new = json!({"firstName": "Ann", "email": "ann@example.com", "language": "nl"});
        let client = travel.app.new_client(new).await;
        let gold = json!({"assignCredits": true, "credits": 4, "creditValidity": {"value": 1, "unit": "Year"}});
        let one = sold(&travel.app, &client, gold, json!({})).await;
        travel.to("2026-11-01T10:00:00Z").await;
        let response = spotter_harness::travel::sent_letters(&travel.app).await;
        assert!(response.contains(&"invoice.sent".to_owned()), "{response:?}");
        let sent = invoice(&travel.app, &one.invoice).await;
        assert_eq!(
            (&sent["dueDate"], &sent["sentAt"]),
            (&json!("2026-11-15"), &json!("2026-11-01T09:00:00.000Z"))
        );
        let letter = travel.app.server.mailbox.messages().remove(0);
        assert_eq!(letter.subject, "Factuur INV-2026-000001 van Test Gym");
        assert!(letter.text.contains("EUR 49,00, uiterlijk op 15-11-2026"), "{}", letter.text);
        // The due date itself is in time.
        travel.to("2026-11-15T23:59:00Z").await;
        assert_eq!(spotter_harness::travel::sent_letters(&travel.app).await, [""; 0]);
        travel.to("2026-11-16T01:00:00Z").await;
        assert_eq!(
            spotter_harness::travel::sent_letters(&travel.app).await,
            ["credit.revoked", "invoice.overdue", "subscription.changed"]
        );
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "past_due");
        let late = invoice(&travel.app, &one.invoice).await;
        assert_eq!((&late["status"], &late["reminderCount"]), (&json!("overdue"), &json!(1)));
        // An unpaid membership books nothing.
        let coach = travel.app.admin.to_string();
        always_at_work(&travel.app, &coach).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let new = json!({"clientId": client, "eventTypeId": training, "startsAt": "2026-11-25T10:00:00Z"});
        travel
            .app
            .post("/bookings", new.clone())
            .await
            .refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        let request = json!({"from": "2026-11-20", "until": "2026-11-25"});
        let path = format!("/finance/subscriptions/{}/pause-requests", one.course);
        travel.app.post(&path, request).await.refused(409, "PUBLIC_API_ERROR").about("status");
        travel.app.events().await;
        travel.app.act(&format!("/finance/invoices/{}/reminders", one.invoice)).await.ok();
        travel.to("2026-11-16T02:00:00Z").await;
        travel.app.announced(&["invoice.overdue"]).await;
        travel.to("2026-11-22T01:00:00Z").await;
        travel.app.announced(&["invoice.overdue"]).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        assert_eq!(
            spotter_harness::travel::sent_letters(&travel.app).await,
            ["credit.assigned", "invoice.paid", "payment.succeeded", "subscription.changed"]
        );
        travel.app.post("/bookings", new).await.ok();
        travel.to("2026-11-30T01:00:00Z").await;
        let mut about_invoices = subjects(&travel);
        about_invoices.retain(|subject| subject.contains("INV-"));
        assert_eq!(about_invoices.len(), 4, "{about_invoices:?}");
        assert!(about_invoices[3].starts_with("Herinnering"));
    });
}

#[scenario(process, clock)]
fn unpaid_memberships_end(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({"period": "Quarter"}), json!({})).await;
        travel.app.events().await;
        travel.to("2026-12-15T01:00:00Z").await;
        let response = spotter_harness::travel::sent_letters(&travel.app).await;
        assert_eq!(
            response,
            [
                "client.updated",
                "client_product.revoked",
                "subscription.cancelled",
                "subscription.changed"
            ]
        );
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "uncollectible");
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "cancelled");
        assert_eq!(subjects(&travel), [""; 0], "nobody has an address");
        // A late payment is accepted.
        pay(&travel.app, &client, &one.invoice, None).await;
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "paid");
    });
}

/// After a time in which nothing ran, a client is reminded once, and then has as long as if that had come in time.
#[scenario(process, clock)]
fn late_dunning_reminds_before_it_gives_up(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let new = json!({"firstName": "Ann", "email": "ann@example.com"});
        let client = travel.app.new_client(new).await;
        let one = sold(&travel.app, &client, json!({"period": "Year"}), json!({})).await;
        travel.to("2026-11-01T10:00:00Z").await;
        let before = subjects(&travel).len();
        travel.leap(spotter_kernel::Timestamp::parse("2027-01-20T09:00:00Z").unwrap()).await;
        let late = invoice(&travel.app, &one.invoice).await;
        assert_eq!((&late["status"], &late["reminderCount"]), (&json!("overdue"), &json!(1)));
        assert_eq!(subjects(&travel).len(), before + 1);
        // The last reminder comes 14 days after the due date, and the end 30 days.
        travel.to("2027-02-04T23:00:00Z").await;
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "overdue");
        travel.to("2027-02-05T01:00:00Z").await;
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "uncollectible");
        travel.app.events().await;
    });
}

#[scenario(process, clock)]
fn paid_invoices_have_no_request(engine: Engine) {
    with_mail(engine, |mut travel: Travel| async move {
        let new = json!({"firstName": "Ann", "email": "ann@example.com"});
        let client = travel.app.new_client(new).await;
        let off = json!({"mailInvoices": false});
        travel.app.app("PATCH", "/company/finance-settings", Some(off)).await.ok();
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        travel.app.events().await;
        let copies = format!("/finance/invoices/{}/copies", one.invoice);
        travel.app.act(&copies).await.ok();
        travel.to("2026-11-10T09:00:00Z").await;
        assert_eq!(
            spotter_harness::travel::sent_letters(&travel.app).await,
            ["invoice.sent", "payment.request.created"]
        );
        pay(&travel.app, &client, &one.invoice, None).await;
        travel.to("2026-11-30T09:00:00Z").await;
        assert_eq!(subjects(&travel), ["Invoice INV-2026-000001 of Test Gym"]);
        let again = travel.app.act(&format!("/finance/invoices/{}/reminders", one.invoice)).await;
        again.refused(409, "PUBLIC_API_ERROR").about("status");
        let note = format!("/finance/invoices/{}/credit-notes", one.invoice);
        let note = travel.app.app("POST", &note, None).await.ok();
        let copies =
            format!("/finance/invoices/{}/copies", text(note.data(), "/invoice/invoiceId"));
        travel.app.act(&copies).await.refused(409, "PUBLIC_API_ERROR").about("kind");
        let bo = travel.app.new_client(json!({"firstName": "Bo"})).await;
        let two = sold(&travel.app, &bo, json!({}), json!({})).await;
        let copies = format!("/finance/invoices/{}/copies", two.invoice);
        travel.app.act(&copies).await.refused(409, "PUBLIC_API_ERROR").about("email");
    });
}

#[scenario]
async fn unreachable_clients_are_reported(app: App) {
    let client = app.new_client(json!({"firstName": "Ann", "email": format!("{}@example.com", spotter_harness::random_text())})).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    app.events().await;
    let before = app.state().await;
    let path = format!("/finance/invoices/{}", one.invoice);
    app.act(&format!("{path}/copies")).await.refused(409, "PUBLIC_API_ERROR").about("mail");
    app.act(&format!("{path}/reminders")).await.refused(409, "PUBLIC_API_ERROR").about("status");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}
