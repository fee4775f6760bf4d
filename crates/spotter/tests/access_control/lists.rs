//! Property: the server admits every client on the allow-list, under any rules.

use std::collections::BTreeMap;

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use spotter_harness::{App, SystemClock, billing::new_product, forms, people, scenario, text};
use spotter_kernel::{Clock, Entropy, Timestamp};

use super::{Door, holder};

/// A client with random properties.
#[derive(Debug, Clone)]
struct Case {
    /// Which membership, and whether it has ended.
    membership: Option<(usize, bool)>,
    blocked: bool,
    archived: bool,
    answered: bool,
    card: CardIs,
}

#[derive(Debug, Clone, Copy)]
enum CardIs {
    Good,
    Suspended,
    Over,
    NotYet,
}

fn cases() -> impl Strategy<Value = Vec<Case>> {
    let card = prop_oneof![
        6 => Just(CardIs::Good),
        1 => Just(CardIs::Suspended),
        1 => Just(CardIs::Over),
        1 => Just(CardIs::NotYet),
    ];
    let membership = prop::option::weighted(0.9, (0usize..6, prop::bool::weighted(0.1)));
    let rarely = || prop::bool::weighted(0.1);
    let one = (membership, rarely(), rarely(), any::<bool>(), card);
    let case = one.prop_map(|(membership, blocked, archived, answered, card)| Case {
        membership,
        blocked,
        archived,
        answered,
        card,
    });
    prop::collection::vec(case, 40)
}

/// Memberships with access rules for places and times.
async fn products(app: &App, elsewhere: &str) -> Vec<String> {
    let today =
        text(app.app("GET", "/company/settings", None).await.ok().data(), "/company/timeZone");
    let zone = spotter_kernel::TimeZone::parse(&today).unwrap();
    let weekday = zone.date_at(SystemClock.now()).weekday();
    let hours = |weekday: i64, from: &str, until: &str| json!([{"weekday": weekday, "from": from, "until": until}]);
    let rules = [
        Value::Null,
        json!({"zones": ["gym"]}),
        json!({"zones": ["sauna"]}),
        json!({"hours": hours(weekday, "00:00", "00:00")}),
        json!({"hours": hours((weekday + 3) % 7 + 1, "06:00", "22:00")}),
        json!({"locationIds": [elsewhere]}),
    ];
    let mut made = Vec::new();
    for rule in rules {
        let facts = json!({"productType": "Membership", "name": {"en": "Gold"}, "price": 4900,
            "vatPercentage": 21, "period": "Month", "autoRenew": true});
        let product = new_product(app, facts).await;
        if !rule.is_null() {
            app.app("PUT", &format!("/access-rules/{product}"), Some(rule)).await.ok();
        }
        made.push(product);
    }
    made
}

/// Makes the clients: their cards.
async fn make(app: &App, cases: &[Case], products: &[String], form: &str) -> Vec<String> {
    let mut cards = Vec::new();
    for case in cases {
        // A client who has answered a form needs an account.
        let (client, card) = match case.answered {
            true => {
                let (client, token) = people::client(app).await;
                let card = spotter_harness::random_text().replace('-', "").to_uppercase();
                super::give(app, &client, json!({"kind": "card", "number": card})).await;
                let given = forms::give(app, &client, form).await;
                let path = format!("/clients/{client}/form-assignments/{given}/submit");
                let answers = json!({"answers": {"mood": 3, "pain": "none"}});
                app.app_as(&token, "POST", &path, Some(answers)).await.ok();
                (client, card)
            }
            false => holder(app).await,
        };
        if let Some((which, is_over)) = case.membership {
            let path = format!("/finance/clients/{client}/memberships");
            let made = app.post(&path, json!({"productId": products[which]})).await.ok();
            if is_over {
                let id = text(made.data(), "/subscription/subscriptionId");
                let path = format!("/finance/subscriptions/{id}/cancellation-requests");
                app.app("POST", &path, Some(json!({"immediately": true}))).await.ok();
            }
        }
        let path = format!("/clients/{client}/access-credentials");
        let response = app.app("GET", &path, None).await.ok();
        let id = text(response.data(), "/accessCredentials/0/credentialId");
        let at = |days: i64| SystemClock.now().plus_days(days).to_string();
        let change = match case.card {
            CardIs::Good => None,
            CardIs::Suspended => Some(json!({"status": "suspended"})),
            CardIs::Over => Some(json!({"validUntil": at(-1)})),
            CardIs::NotYet => Some(json!({"validFrom": at(1)})),
        };
        if let Some(change) = change {
            app.app("PATCH", &format!("{path}/{id}"), Some(change)).await.ok();
        }
        if case.blocked {
            app.app("PUT", &format!("/clients/{client}/access-block"), Some(json!({}))).await.ok();
        }
        if case.archived {
            app.act(&format!("/clients/{client}/archive")).await.ok();
        }
        cards.push(card);
    }
    cards
}

/// Whether a list admits the holder of a digest at an instant.
fn lets_in(list: &Value, digest: &str, at: Timestamp) -> bool {
    let instant = |value: &Value| value.as_str().and_then(Timestamp::parse);
    let open: BTreeMap<String, Vec<Value>> = list["schedules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| (text(own, "/schedule"), own["open"].as_array().unwrap().clone()))
        .collect();
    list["entries"].as_array().unwrap().iter().any(|entry| {
        let hours = open.get(&text(entry, "/schedule")).unwrap();
        let is_open = hours
            .iter()
            .any(|own| instant(&own["from"]) <= Some(at) && Some(at) < instant(&own["until"]));
        entry["digest"] == digest
            && entry["zones"].as_array().unwrap().iter().any(|zone| zone == "gym")
            && instant(&entry["validFrom"]).is_none_or(|from| from <= at)
            && instant(&entry["validUntil"]).is_none_or(|until| at < until)
            && is_open
    })
}

#[scenario]
async fn the_server_admits_everybody_on_the_allow_list(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let elsewhere = app.post("/locations", json!({"name": "Elsewhere"})).await.ok();
    let products = products(&app, &text(elsewhere.data(), "/location/locationId")).await;
    let form = forms::published(&app, "general", forms::questions()).await;
    // Different cases in every run; the seed is printed on failure.
    let mut seed = [0; 32];
    spotter::system::SystemEntropy.fill(&mut seed);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let cases = cases().new_tree(&mut runner).unwrap().current();
    let cards = make(&app, &cases, &products, &form).await;
    let digest = door.digests(&app).await;
    let path = format!("/locations/{}/access-zones", door.location);
    let mut let_in = 0;
    for calls in [
        json!({"zone": "gym"}),
        json!({"zone": "gym", "formId": form}),
        json!({"zone": "gym", "needsBooking": true}),
        json!({"zone": "gym", "capacity": 3}),
    ] {
        app.app("PUT", &path, Some(calls.clone())).await.ok();
        let list = door.ask(&app, "GET", "/allow-list", None).await.ok();
        for (case, card) in cases.iter().zip(&cards) {
            let by_list = lets_in(list.data(), &digest(card), SystemClock.now());
            let (by_server, why) = door.card(&app, card).await;
            assert!(!by_list || by_server == "allow", "{calls}: the server says {why} of {case:?}");
            let_in += usize::from(by_list);
        }
    }
    // Few cases are admitted; a handful shows that some were.
    assert!(let_in > 0, "{let_in} were let in by lists: {cases:?}");
    app.events().await;
}
