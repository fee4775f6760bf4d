//! Forms of the demo: the intake and the weekly check-up.

use serde_json::{Value, json};
use spotter_contract::Actor;
use spotter_kernel::{Result, id::ClientId};
use spotter_store::Tx;

use super::{
    history::{DAYS, DemoBuilder, MembershipSpan},
    people,
};

/// Number of weeks with check-ups.
const WEEKS: i64 = 8;

/// A yes/no question whose yes is flagged for a coach.
fn risk(id: &str, label: &str) -> Value {
    json!({"questionId": id, "type": "single_choice", "label": label, "required": true, "options": [
        {"optionId": "no", "label": "No"}, {"optionId": "yes", "label": "Yes", "flag": true}]})
}

/// A readiness questionnaire.
fn readiness() -> Value {
    json!([
        {"questionId": "about", "type": "statement", "label": "Seven questions before your first training. If you answer one with \
            yes, your coach talks to you first."},
        risk("heart", "Has a doctor told you that something is the matter with your heart or your blood pressure?"),
        risk("chest", "Does your chest hurt when you exert yourself, or has it in the last month?"),
        risk("dizzy", "Do you get so dizzy that you have to sit down, or have you fainted this year?"),
        risk("joints", "Is there a joint, a bone or your back that training could make worse?"),
        {"questionId": "where", "type": "text", "label": "Which, and since when?", "required": true,
            "showWhen": {"all": [{"questionId": "joints", "op": "eq", "value": "yes"}]}},
        risk("medicine", "Do you take medicine for your heart, your blood pressure or your sugar?"),
        risk("pregnant", "Are you pregnant, or were you within the last six months?"),
        risk("other", "Is there anything else for which you should not train?"),
        {"questionId": "aims", "type": "multi_choice", "label": "What do you come for?", "options": [
            {"optionId": "strength", "label": "To get stronger"}, {"optionId": "weight", "label": "To lose weight"},
            {"optionId": "stamina", "label": "To keep going for longer"}, {"optionId": "rehab", "label": "To get well again"}]},
        {"questionId": "agreed", "type": "consent", "label": "My answers are true, and I say so when something changes.", "required": true},
    ])
}

/// How a week was.
fn week() -> Value {
    json!([
        {"questionId": "energy", "type": "scale", "label": "How much energy did you have?", "min": 1, "max": 5, "required": true},
        {"questionId": "sleep", "type": "number", "label": "How many hours did you sleep a night?", "min": 0, "max": 24},
        {"questionId": "pain", "type": "single_choice", "label": "Did anything hurt?", "required": true, "options": [
            {"optionId": "no", "label": "No"}, {"optionId": "some", "label": "A little"},
            {"optionId": "much", "label": "A lot", "flag": true}]},
        {"questionId": "what", "type": "text", "label": "What hurt, and when?", "required": true,
            "showWhen": {"all": [{"questionId": "pain", "op": "in", "value": ["some", "much"]}]}},
        {"questionId": "waist", "type": "measurement", "label": "Your waist", "measurementType": "waist"},
        {"questionId": "words", "type": "text", "label": "What went well, and what did not?"},
    ])
}

impl DemoBuilder {
    /// An intake of everybody who is followed, and weekly check-ups of some.
    pub(super) fn assign_forms(&self, tx: &mut Tx<'_>, stays: &[MembershipSpan]) -> Result<()> {
        let intake = self.publish(tx, "Ready to train?", "intake", readiness())?;
        let checkup = self.publish(tx, "Your week", "checkup", week())?;
        for (turn, client, joined) in self.followed(stays) {
            self.take_in(tx, client, joined, &intake)?;
            if turn.is_multiple_of(3) {
                self.check_up(tx, client, &checkup)?;
            }
        }
        Ok(())
    }

    fn publish(&self, tx: &mut Tx<'_>, name: &str, kind: &str, calls: Value) -> Result<Value> {
        let new = json!({"name": name, "kind": kind, "questions": calls});
        let made = self.request(tx, self.owner(), self.at(2, 600), "create_form", &[], new)?;
        let form = made["form"]["formId"].clone();
        let path = [("formId", form.clone())];
        self.request(tx, self.owner(), self.at(2, 630), "publish_form", &path, json!({}))?;
        Ok(form)
    }

    fn take_in(&self, tx: &mut Tx<'_>, client: ClientId, joined: i64, form: &Value) -> Result<()> {
        let given =
            json!({"formId": form, "message": "Please answer this before your first training."});
        let made = self.of_coach(tx, client, self.at(joined + 1, 600), "assign_form", given)?;
        let id = &made["formAssignment"]["assignmentId"];
        let mut answers = json!({"aims": ["strength", "stamina"], "agreed": true});
        for question in ["heart", "chest", "dizzy", "joints", "medicine", "pregnant", "other"] {
            answers[question] = json!("no");
        }
        let is_flagged = self.dice.chance(20);
        if is_flagged {
            answers["joints"] = json!("yes");
            answers["where"] = json!(self.dice.pick(people::ACHES));
        }
        self.hand_in(tx, client, id, joined + 1, 1_170, answers)?;
        let path = [("clientId", json!(client)), ("assignmentId", id.clone())];
        let review = match is_flagged {
            true => json!({"review": "Thank you. We begin gently, and look at it together."}),
            false => json!({}),
        };
        let at = self.at(joined + 2, 555);
        self.request(tx, self.coach(), at, "review_form_assignment", &path, review).map(drop)
    }

    fn check_up(&self, tx: &mut Tx<'_>, client: ClientId, form: &Value) -> Result<()> {
        let dice = &self.dice;
        let mut waist = 780 + dice.below(200);
        for week in (1..=WEEKS).rev() {
            let day = DAYS - 7 * week;
            let at = self.at(day, 480);
            let given = json!({"formId": form, "dueAt": at.plus_days(2)});
            let made = self.of_coach(tx, client, at, "assign_checkup", given)?;
            let id = &made["checkup"]["checkupId"];
            waist -= dice.below(8);
            let hurts = if dice.chance(15) { "much" } else { "no" };
            let mut answers = json!({"energy": 2 + dice.below(4), "sleep": (60 + dice.below(25)) as f64 / 10.0,
                "pain": hurts, "waist": {"value": waist as f64 / 10.0}, "words": dice.pick(people::WEEKS)});
            if hurts == "much" {
                answers["what"] = json!(dice.pick(people::ACHES));
            }
            self.hand_in(tx, client, id, day + 1, 1_200, answers)?;
            if dice.chance(75) {
                let review = json!({"review": dice.pick(people::REVIEWS)});
                let path = [("checkupId", id.clone())];
                self.request(
                    tx,
                    self.coach(),
                    self.at(day + 2, 560),
                    "review_checkup",
                    &path,
                    review,
                )?;
            }
        }
        // From now on it comes by itself.
        let weekly = json!({"formId": form, "recurrence": {"frequency": "weekly"}, "message": "How was your week?"});
        self.of_coach(tx, client, self.at(DAYS - 1, 480), "assign_checkup", weekly).map(drop)
    }

    fn hand_in(
        &self,
        tx: &mut Tx<'_>,
        client: ClientId,
        given: &Value,
        day: i64,
        minute: u64,
        answers: Value,
    ) -> Result<()> {
        let actor = Actor::Client { id: client, session: client.0 };
        let path = [("clientId", json!(client)), ("assignmentId", given.clone())];
        let handed = json!({"answers": answers});
        self.request(tx, actor, self.at(day, minute), "submit_form", &path, handed).map(drop)
    }
}
