//! Access control over time: overdue invoices, silent devices, late scans, and retention of the log.

use serde_json::json;
use spotter_harness::{
    Engine,
    billing::{pay, sold},
    scenario, text,
    travel::{Travel, travelling, travelling_as},
};
use spotter_kernel::Timestamp;

use super::{Door, allowed, denied, holder, visits};

#[scenario(process, clock)]
fn debtors_are_denied_until_paid(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let door = Door::new(&travel.app, json!({"zones": ["gym"]})).await;
        let (ann, card) = holder(&travel.app).await;
        let one = sold(&travel.app, &ann, json!({}), json!({})).await;
        assert_eq!(door.card(&travel.app, &card).await, allowed());
        travel.to("2026-11-25T09:00:00Z").await;
        assert_eq!(door.card(&travel.app, &card).await, denied("payment_overdue"));
        // A place may be kinder.
        let path = format!("/locations/{}/access-zones", door.location);
        let kind = json!({"zone": "gym", "admitsOverdue": true});
        travel.app.app("PUT", &path, Some(kind)).await.ok();
        assert_eq!(door.card(&travel.app, &card).await, allowed());
        travel.app.app("PUT", &path, Some(json!({"zone": "gym"}))).await.ok();
        pay(&travel.app, &ann, &one.invoice, None).await;
        assert_eq!(door.card(&travel.app, &card).await, allowed());
        let rest = json!({"from": "2026-12-10", "until": "2026-12-13"});
        let pause = format!("/finance/subscriptions/{}/pause-requests", one.course);
        travel.app.post(&pause, rest).await.ok();
        travel.to("2026-12-11T09:00:00Z").await;
        assert_eq!(door.card(&travel.app, &card).await, denied("membership_paused"));
        travel.app.events().await;
    });
}

#[scenario(process, clock)]
fn managers_are_alerted_once_about_a_silent_device(engine: Engine) {
    let set = |env: &mut spotter_contract::Env| env.mail_links = Some("https://gym.example".into());
    travelling_as(engine, "2026-11-02T09:00:00Z", set, |mut travel: Travel| async move {
        let door = Door::new(&travel.app, json!({"name": "Back door"})).await;
        let beat = |at: Timestamp| json!({"deviceTime": at.to_string(), "queueDepth": 0});
        let subjects = |travel: &Travel| -> Vec<String> {
            let all = travel.app.server.mailbox.messages().into_iter();
            all.map(|message| message.subject)
                .filter(|subject| subject.contains("Back door"))
                .collect()
        };
        door.ask(&travel.app, "POST", "/heartbeats", Some(beat(travel.now()))).await.ok();
        travel.to("2026-11-02T09:10:00Z").await;
        assert!(subjects(&travel).is_empty(), "two are missed");
        travel.to("2026-11-02T09:30:00Z").await;
        assert_eq!(subjects(&travel).len(), 1, "{:?}", subjects(&travel));
        let path = format!("/access-devices/{}", door.id);
        let response = travel.app.app("GET", &path, None).await.ok();
        assert_eq!(text(response.data(), "/device/connection"), "silent");
        travel.to("2026-11-02T14:00:00Z").await;
        assert_eq!(subjects(&travel).len(), 1, "it is told once");
        // A device that returns and falls silent again is alerted about again.
        door.ask(&travel.app, "POST", "/heartbeats", Some(beat(travel.now()))).await.ok();
        let response = travel.app.app("GET", &path, None).await.ok();
        assert_eq!(text(response.data(), "/device/connection"), "online");
        travel.to("2026-11-02T15:00:00Z").await;
        assert_eq!(subjects(&travel).len(), 2);
    });
}

#[scenario(process, clock)]
fn stale_scans_change_nothing(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |travel: Travel| async move {
        let door = Door::new(&travel.app, json!({})).await;
        let (ann, card) = holder(&travel.app).await;
        let now = travel.now();
        let scan = |id: &str, at: Timestamp| {
            json!({"scanId": id, "credential": {"kind": "card", "number": card},
                "occurredAt": at.to_string(), "decision": "allow"})
        };
        let old = scan("old", now.plus_days(-8));
        let new = scan("new", now.plus_days(-1));
        let ahead = scan("ahead", now.plus_seconds(7_200));
        let sent = json!({"sentAt": now.to_string(), "scans": [old, new, ahead]});
        let response = door.ask(&travel.app, "POST", "/scans/late", Some(sent)).await.ok();
        let results: Vec<_> = response.data()["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| text(one, "/result"))
            .collect();
        assert_eq!(results, ["stale", "recorded", "recorded"], "{}", response.body);
        // A scan from the future counts as now; an admission is recorded whatever the decision would have been.
        let listed =
            travel.app.app("GET", &format!("/access-scans?clientId={ann}"), None).await.ok();
        let scans = listed.data()["accessScans"].as_array().unwrap().clone();
        assert!(
            scans.iter().all(|scan| text(scan, "/occurredAt") <= now.to_string()),
            "{}",
            listed.body
        );
        assert!(scans.iter().all(|scan| scan["wouldHaveBeen"] == "deny"), "{}", listed.body);
        assert_eq!(visits(&travel.app, &ann).await.as_array().unwrap().len(), 2);
    });
}

#[scenario(process, clock)]
fn the_log_is_forgotten_in_time(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let door = Door::new(&travel.app, json!({})).await;
        let (ann, card) = holder(&travel.app).await;
        let one = sold(&travel.app, &ann, json!({}), json!({})).await;
        pay(&travel.app, &ann, &one.invoice, None).await;
        assert_eq!(door.card(&travel.app, &card).await, allowed());
        travel.leap(Timestamp::parse("2026-12-02T09:00:00Z").unwrap()).await;
        door.card(&travel.app, &card).await;
        let (env, company) = (travel.app.server.env.clone(), travel.app.company);
        let before = Timestamp::parse("2026-11-20T00:00:00Z").unwrap();
        let forget = move |tx: &mut spotter_store::Tx<'_>| {
            let next = spotter_access_control::retention::next_company(tx, None, before)?;
            assert_eq!(next, Some(company));
            spotter_access_control::retention::prune(tx, &env, company, before)
        };
        assert_eq!(travel.app.server.db.write(forget).await.unwrap(), 1);
        let listed =
            travel.app.app("GET", &format!("/access-scans?clientId={ann}"), None).await.ok();
        assert_eq!(listed.data()["total"], 1, "{}", listed.body);
        assert_eq!(visits(&travel.app, &ann).await.as_array().unwrap().len(), 1);
        travel.app.events().await;
    });
}
