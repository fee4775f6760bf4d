//! Random actions over days: metrics equal the records.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spotter_company::metrics;
use spotter_harness::{
    App, Engine, assert_metrics,
    billing::new_product,
    calendar::{always_at_work, new_type},
    dice::Dice,
    people, rebuild_metrics, scenario, text,
    travel::{Travel, travelling},
};
use spotter_store::{Sql, params};

/// The records to act on.
#[derive(Default)]
struct World {
    coaches: Vec<String>,
    clients: Vec<String>,
    places: Vec<String>,
    training: String,
    spin: String,
    products: Vec<String>,
    bookings: Vec<String>,
    classes: Vec<String>,
    courses: Vec<String>,
    invoices: Vec<String>,
    payments: Vec<String>,
}

impl World {
    async fn new(app: &App) -> Self {
        let mut world = Self::default();
        // Two locations with different dates, so that moving between them changes the day.
        for zone in ["Pacific/Auckland", "America/Los_Angeles"] {
            let place = json!({"name": zone, "timeZone": zone});
            let made = app.post("/locations", place).await.ok();
            world.places.push(text(made.data(), "/location/locationId"));
        }
        for _ in 0..3 {
            let (coach, _) = people::coach(app, "Coach").await;
            always_at_work(app, &coach).await;
            world.coaches.push(coach);
        }
        for number in 0..8 {
            let home = world.places.get(number % 3);
            let new = json!({"firstName": "Ann", "homeLocationId": home});
            world.clients.push(app.new_client(new).await);
        }
        let own = json!({"coachIds": world.coaches, "locationIds": world.places,
            "cancellationWindowMinutes": 1440});
        world.training = new_type(app, own).await;
        let class = json!({"kind": "class", "capacity": 3, "waitlist": {"mode": "auto"},
            "name": "Spin", "cancellationWindowMinutes": 1440});
        world.spin = new_type(app, class).await;
        for (price, period) in [(4_900, "Month"), (999, "Week"), (50_000, "Year")] {
            let sold = json!({"productType": "Membership", "price": price, "period": period,
                "autoRenew": true, "vatPercentage": 21});
            world.products.push(new_product(app, sold).await);
        }
        world
    }

    /// Records the ids of an answer.
    fn note(&mut self, data: &Value) {
        for (place, all) in [
            ("/booking/bookingId", &mut self.bookings),
            ("/calendarEvent/calendarEventId", &mut self.classes),
            ("/subscription/subscriptionId", &mut self.courses),
            ("/invoice/invoiceId", &mut self.invoices),
            ("/payment/paymentId", &mut self.payments),
        ] {
            let id = data.pointer(place).and_then(Value::as_str).map(str::to_owned);
            all.extend(id.filter(|id| !all.contains(id)));
        }
    }

    /// An action: its name, and its request.
    fn act(&self, dice: &mut Dice, travel: &Travel) -> Option<Act> {
        let client = dice.pick(&self.clients)?.clone();
        let coach = dice.pick(&self.coaches)?.clone();
        let place = dice.pick(&self.places)?.clone();
        let start = travel.now().plus_seconds(900 * dice.below(300) as i64);
        let start = spotter_kernel::Timestamp::from_millis(start.millis() / 900_000 * 900_000);
        let start = start.plus_seconds(900).to_string();
        let amount = 1 + dice.below(3_000);
        Some(match dice.below(24) {
            0..4 => (
                "book",
                "POST",
                "/bookings".into(),
                json!({"clientId": client, "eventTypeId": self.training,
                "coachId": coach, "startsAt": start, "locationId": place, "ignorePolicy": true, "allowOverlap": true}),
            ),
            4 | 5 => (
                "class",
                "POST",
                "/calendar/events".into(),
                json!({"eventTypeId": self.spin, "coachId": coach,
                "startsAt": start, "locationId": place}),
            ),
            6..9 => (
                "join",
                "POST",
                "/bookings".into(),
                json!({"clientId": client, "allowOverlap": true,
                "calendarEventId": dice.pick(&self.classes)?, "capacityAction": "waitlist"}),
            ),
            9..13 => {
                let status =
                    ["attended", "attended", "no_show", "excused", "expected"][dice.below(5)];
                let path = format!("/bookings/{}/attendance", dice.pick(&self.bookings)?);
                (status, "POST", path, json!({"attendanceStatus": status}))
            }
            13 => {
                let by = ["client", "client", "coach"][dice.below(3)];
                let path = format!("/bookings/{}/cancel", dice.pick(&self.bookings)?);
                ("cancel", "POST", path, json!({"cancelledBy": by}))
            }
            14 => {
                let path = format!("/bookings/{}/reschedule", dice.pick(&self.bookings)?);
                (
                    "move",
                    "POST",
                    path,
                    json!({"startsAt": start, "coachId": coach, "locationId": place}),
                )
            }
            15 => {
                let path = format!("/calendar/events/{}", dice.pick(&self.classes)?);
                let change = [
                    json!({"capacity": 1 + dice.below(5)}),
                    json!({"startsAt": start}),
                    json!({"coachId": coach}),
                    json!({"locationId": place}),
                ];
                ("change", "PATCH", path, change[dice.below(4)].clone())
            }
            16 => {
                let path = format!("/calendar/events/{}/cancel", dice.pick(&self.classes)?);
                ("call off", "POST", path, Value::Null)
            }
            17 => {
                let status = ["lead", "active", "paused", "former"][dice.below(4)];
                let path = format!("/clients/{client}");
                let moved = json!({"memberStatus": status, "homeLocationId": place});
                ("status", "PATCH", path, moved)
            }
            18 if self.courses.len() < 30 => {
                let path = format!("/finance/clients/{client}/memberships");
                ("sell", "POST", path, json!({"productId": dice.pick(&self.products)?}))
            }
            19 => {
                let path = format!("/finance/invoices/{}/credit-notes", dice.pick(&self.invoices)?);
                ("credit", "POST", path, json!({"amount": amount}))
            }
            20 => {
                let new = json!({"clientId": client, "amount": amount, "kind": "cash"});
                ("pay", "POST", "/finance/payments".into(), new)
            }
            21 => {
                let path = format!("/finance/payments/{}/refunds", dice.pick(&self.payments)?);
                ("refund", "POST", path, json!({"amount": amount}))
            }
            22 => {
                let path = format!("/finance/invoices/{}/write-off", dice.pick(&self.invoices)?);
                ("write off", "POST", path, Value::Null)
            }
            _ => {
                let path = format!(
                    "/finance/subscriptions/{}/cancellation-requests",
                    dice.pick(&self.courses)?
                );
                ("end", "POST", path, json!({"immediately": true}))
            }
        })
    }
}

type Act = (&'static str, &'static str, String, Value);

/// All reports of the months in which things happened.
async fn reports(app: &App) -> Vec<Value> {
    let mut response = Vec::new();
    for kind in ["attendance", "revenue", "retention", "retention/cohorts"] {
        let group = if kind.ends_with("cohorts") { "" } else { "&groupBy=month" };
        let path = format!("/reports/{kind}?from=2026-01-01&to=2026-12-31{group}");
        response.push(app.get(&path).await.ok().data()["report"].clone());
    }
    response
}

/// Removes the metrics, as before there were any.
async fn forget(app: &App) {
    let company = app.company;
    const GONE: &[Sql] = &[
        Sql("DELETE FROM attendance_day WHERE company_id = ?1"),
        Sql("DELETE FROM revenue_day WHERE company_id = ?1"),
        Sql("DELETE FROM balance_day WHERE company_id = ?1"),
        Sql("DELETE FROM members_day WHERE company_id = ?1"),
        Sql("DELETE FROM cohort_month WHERE company_id = ?1"),
        Sql("UPDATE refund SET settled_on = NULL, home_location_id = NULL WHERE company_id = ?1"),
    ];
    let forgotten = app.server.db.write(move |tx| {
        GONE.iter().try_for_each(|sql| tx.execute(*sql, params![company]).map(drop))
    });
    forgotten.await.unwrap();
}

#[scenario(process)]
fn two_thousand_changes_leave_the_figures_right(engine: Engine) {
    travelling(engine, "2026-03-20T08:00:00.000Z", |mut travel| async move {
        let mut world = World::new(&travel.app).await;
        let (mut dice, mut done) = (Dice(0x5eed_f1ed_0000_0001), BTreeMap::<&str, usize>::new());
        // The clocks change within; so do months, weeks and a quarter.
        for number in 1..=2_000 {
            let Some((what, method, path, body)) = world.act(&mut dice, &travel) else { continue };
            let body = Some(body).filter(|body| !body.is_null());
            let reply = travel.app.app(method, &path, body).await;
            assert!(reply.status < 500, "{what} {path}: {}", reply.body);
            if reply.status < 300 {
                *done.entry(what).or_default() += 1;
                world.note(reply.data());
            } else if what == "book" && number < 200 {
                eprintln!("{}", reply.body);
            }
            if number % 20 == 0 {
                let on = travel.now().plus_seconds(3_600 * (1 + dice.below(30) as i64));
                travel.to(&on.to_string()).await;
            }
            if number % 250 == 0 {
                assert_metrics(&travel.app.server, travel.app.company).await;
            }
        }
        for what in [
            "book", "class", "join", "attended", "no_show", "expected", "cancel", "move", "change",
            "call off", "status", "sell", "credit", "pay", "refund", "end",
        ] {
            assert!(done.get(what).is_some_and(|count| *count > 0), "{what}: {done:?}");
        }
        assert!(done.values().sum::<usize>() > 800, "{done:?}");
        let app = &travel.app;
        let before = reports(app).await;
        app.server.db.fold_metrics(metrics::TABLES).await.unwrap();
        assert_eq!(reports(app).await, before, "what was added up says the same");
        forget(app).await;
        assert_ne!(reports(app).await, before);
        rebuild_metrics(app).await;
        let mut after = reports(app).await;
        // Earlier balances are unknown, only the current one is.
        let last = |response: &mut [Value]| {
            let buckets = response[1]["buckets"].as_array_mut().unwrap();
            let now = buckets.last().unwrap()["currencies"].clone();
            for bucket in buckets.iter_mut() {
                for block in bucket["currencies"].as_array_mut().unwrap() {
                    for level in ["outstanding", "mrr", "pausedMrr"] {
                        block[level].take();
                    }
                }
            }
            now
        };
        let mut before = before;
        assert_eq!(last(&mut after), last(&mut before));
        assert_eq!(after, before, "what was counted anew says the same");
    });
}
