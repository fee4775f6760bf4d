//! What the demo's clients measure of themselves, the habits that they keep and the goals that they have.

use serde_json::{Value, json};
use spotter_contract::Actor;
use spotter_kernel::{Result, TimeZone, Timestamp, id::ClientId};
use spotter_store::Tx;

use super::history::{DAYS, DemoBuilder, MembershipSpan};

/// One of this many clients is weighed once a week.
const WEIGHED: usize = 6;
/// Number of weeks.
const WEEKS: i64 = 26;
/// Number of days with habit entries.
const HABIT_DAYS: i64 = 45;

impl DemoBuilder {
    /// Weeks of measurements, goals that follow them, and habits.
    pub(super) fn keep_measure(&self, tx: &mut Tx<'_>, stays: &[MembershipSpan]) -> Result<()> {
        let first = DAYS - 7 * WEEKS;
        for (turn, client, _) in self.followed(stays) {
            self.weigh(tx, client, first)?;
            // One in three of them keeps habits, too; the one who can sign in among them.
            if turn.is_multiple_of(3) {
                self.keep_habits(tx, client)?;
            }
        }
        Ok(())
    }

    /// The clients whom coaches follow closely, with their index and their first day; the one who can sign in is the
    /// first.
    pub(super) fn followed(
        &self,
        stays: &[MembershipSpan],
    ) -> impl Iterator<Item = (usize, ClientId, i64)> + use<> {
        let first = DAYS - 7 * WEEKS;
        let mut all = Vec::new();
        for (turn, (number, stay)) in stays.iter().enumerate().step_by(WEIGHED).enumerate() {
            let stays_on = stay.joined < first && stay.left >= DAYS;
            all.extend(self.clients[number].filter(|_| stays_on).map(|id| (turn, id, stay.joined)));
        }
        all.into_iter()
    }

    fn weigh(&self, tx: &mut Tx<'_>, client: ClientId, first: i64) -> Result<()> {
        let dice = &self.dice;
        let mut grams = 62_000 + dice.below(36_000) as i64;
        let (loss, mut waist) = (40 + dice.below(160) as i64, 760 + dice.below(300) as i64);
        let target = (grams - loss * WEEKS * 11 / 10) as f64 / 1_000.0;
        let goal = json!({"title": format!("{target:.1} kg"), "kind": "measurement", "measurementType": "weight",
            "direction": "decrease", "targetValue": target,
            "dueDate": self.date(DAYS + 60, &TimeZone::UTC)});
        for week in 0..WEEKS {
            let day = first + 7 * week;
            let at = self.at(day, 390 + dice.below(120));
            grams += dice.below(500) as i64 - 250 - loss;
            let weight = json!({"type": "weight", "value": grams as f64 / 1_000.0, "source": "device",
                "externalId": format!("scale-{week}")});
            self.of(tx, client, at, "record_measurement", &[], weight)?;
            if week == 1 {
                self.of_coach(tx, client, at, "create_goal", goal.clone())?;
            }
            if week % 4 == 0 {
                waist -= dice.below(12) as i64;
                let around = json!({"type": "waist", "value": waist as f64 / 10.0});
                self.of_coach(tx, client, at, "record_measurement", around)?;
            }
        }
        let often = json!({"title": "Train 40 times", "kind": "sessions", "targetValue": 40,
            "startDate": self.date(DAYS - 90, &TimeZone::UTC)});
        self.of_coach(tx, client, self.at(DAYS - 1, 600), "create_goal", often).map(drop)
    }

    fn keep_habits(&self, tx: &mut Tx<'_>, client: ClientId) -> Result<()> {
        let dice = &self.dice;
        let begin = DAYS - HABIT_DAYS;
        let habits = [
            json!({"name": "Two litres of water", "kind": "amount", "target": 2, "unit": "l"}),
            json!({"name": "Stretch", "schedule": {"kind": "weekdays", "weekdays": [1, 3, 5]}}),
            json!({"name": "Walk", "schedule": {"kind": "times_per_week", "times": 3}}),
        ];
        for habit in habits {
            let is_amount = habit["kind"] == "amount";
            let at = self.at(begin, 540);
            let made = self.of(tx, client, at, "create_habit", &[], habit)?;
            let id = made["habit"]["habitId"].clone();
            for day in begin..DAYS {
                if !dice.chance(80) {
                    continue;
                }
                let (date, at) =
                    (self.date(day, &TimeZone::UTC), self.at(day, 1_140 + dice.below(120)));
                let body = match is_amount {
                    true => json!({"amount": (14 + dice.below(12)) as f64 / 10.0}),
                    false => json!({}),
                };
                let path = [("habitId", id.clone()), ("date", json!(date))];
                self.of(tx, client, at, "put_habit_entry", &path, body)?;
            }
        }
        Ok(())
    }

    /// A client's own request about themselves.
    pub(super) fn of(
        &self,
        tx: &mut Tx<'_>,
        client: ClientId,
        at: Timestamp,
        operation: &str,
        more: &[(&str, Value)],
        body: Value,
    ) -> Result<Value> {
        let actor = Actor::Client { id: client, session: client.0 };
        let path = [&[("clientId", json!(client))], more].concat();
        self.request(tx, actor, at, operation, &path, body)
    }

    /// A coach's request about a client.
    pub(super) fn of_coach(
        &self,
        tx: &mut Tx<'_>,
        client: ClientId,
        at: Timestamp,
        operation: &str,
        body: Value,
    ) -> Result<Value> {
        let path = [("clientId", json!(client))];
        self.request(tx, self.coach(), at, operation, &path, body)
    }
}
