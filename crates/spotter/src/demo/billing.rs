//! What the demo's members were sold, billed and paid, day by day: the timers that bill and chase run on the
//! day on which they were due.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use spotter_billing::ids::PaymentId;
use spotter_contract::{Env, Table, timers};
use spotter_kernel::{Clock, Id, Result, Timestamp};
use spotter_payments::sandbox::played;
use spotter_store::Tx;

use super::history::{DAYS, DemoBuilder, MembershipSpan, wrong};

/// One of this many active clients is a member who pays here.
const MEMBERS_OF: usize = 3;
/// Timers that make up the course of sales.
const KINDS: &str = ",turn_sale,chase_invoice,expire_credits,expire_payment_request,collect_invoice,\
    ask_about_payment,look_at_card,";

/// Members with a course of their own, by their place among those who pay.
const PAUSES: usize = 5;
const PAYS_LATE: usize = 6;
const OWES: usize = 7;
const COMPLAINS: usize = 8;
const LEAVES: usize = 9;
/// Members who have bought a pack of sessions too.
const PACKS: std::ops::Range<usize> = 10..16;
/// The bills of these are collected from a card.
const COLLECTED: std::ops::Range<usize> = 1..5;
/// Of these, one lacks funds once, and one disputes a payment.
const SHORT_OF_MONEY: usize = 3;
const DISPUTES: usize = 4;
/// Who is no member, has a pack, and books more than is left of it, by their place among active clients: a member's credits of the
/// next month would pay.
const BOOKS_ON_DEBT: usize = 1;

/// A clock that stands still.
struct FixedClock(Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A member's course so far.
struct Member {
    client: Value,
    joined: i64,
    course: Value,
}

impl DemoBuilder {
    /// Keeps the books of the whole story.
    pub(super) fn keep_books(&self, tx: &mut Tx<'_>, stays: &[MembershipSpan]) -> Result<()> {
        let table = Table::new(crate::areas::areas());
        let quiet = json!({"mailInvoices": false, "seller": {"name": "Riverside Coaching B.V.",
            "vatNumber": "NL123456789B01", "registrationNumber": "12345678",
            "iban": "NL91ABNA0417164300", "bic": "ABNANL2A", "email": "hello@riverside.example",
            "address": {"line1": "Havenkade 12", "postalCode": "3811 AB", "city": "Amersfoort",
                "country": "NL"}}});
        self.request(tx, self.owner(), self.at(1, 500), "update_finance_settings", &[], quiet)?;
        let sandbox = json!({"provider": "sandbox"});
        self.request(tx, self.owner(), self.at(1, 510), "connect_payment_provider", &[], sandbox)?;
        let products = self.products(tx)?;
        let stayed = || stays.iter().zip(&self.clients).filter(|(stay, _)| stay.left >= DAYS);
        let paying =
            stayed().step_by(MEMBERS_OF).filter_map(|(stay, id)| Some((stay.joined, (*id)?)));
        let mut members: Vec<Member> = paying
            .map(|(joined, client)| Member { client: json!(client), joined, course: Value::Null })
            .collect();
        let mut payments: BTreeMap<i64, Vec<(Value, Value)>> = BTreeMap::new();
        for day in 0..DAYS {
            self.let_time_pass(tx, &table, self.at(day, 480))?;
            for (number, member) in members.iter_mut().enumerate() {
                if member.joined + 1 == day {
                    member.course = self.sign_up(tx, day, number, member, &products)?;
                }
                self.change_memberships(tx, day, number, member)?;
            }
            self.collect(tx, day)?;
            for (client, invoice) in payments.remove(&day).unwrap_or_default() {
                let paid =
                    json!({"clientId": client, "invoiceId": invoice, "kind": "bank_transfer"});
                self.request(tx, self.owner(), self.at(day, 900), "record_payment", &[], paid)?;
            }
            for (client, invoice) in self.issued(tx, day)? {
                let number = members.iter().position(|member| member.client == client);
                if let Some(after) = self.pays_after(day, number) {
                    payments.entry(day + after).or_default().push((client, invoice));
                }
            }
        }
        let owing = stayed().nth(BOOKS_ON_DEBT).and_then(|(_, id)| *id).ok_or_else(wrong)?;
        self.book_on_debt(tx, &json!(owing), &products)?;
        let result = json!({"mailInvoices": true});
        self.request(tx, self.owner(), self.at(DAYS, 0), "update_finance_settings", &[], result)
            .map(drop)
    }

    /// Days from an invoice to its payment; nothing where it is not paid.
    fn pays_after(&self, day: i64, number: Option<usize>) -> Option<i64> {
        let soon = 1 + self.dice.below(9) as i64;
        match number {
            Some(number) if COLLECTED.contains(&number) => None,
            Some(PAYS_LATE) if (380..410).contains(&day) => Some(20),
            Some(OWES) if day > DAYS - 34 => None,
            _ => Some(soon),
        }
    }

    /// Runs everything that was due until an instant, each at its own time.
    fn let_time_pass(&self, tx: &mut Tx<'_>, table: &Table, until: Timestamp) -> Result<()> {
        loop {
            let due = timers::due(tx, KINDS, until, 256)?;
            if due.is_empty() {
                return Ok(());
            }
            for one in due {
                let timer = table.timer(&one.kind).ok_or_else(wrong)?;
                let clock = Arc::new(FixedClock(one.due_at));
                let env = Env { clock, entropy: self.dice.clone(), ..self.env.clone() };
                timers::run(tx, &env, timer, &one)?;
            }
        }
    }

    /// The products of the shop by their English names.
    fn products(&self, tx: &mut Tx<'_>) -> Result<BTreeMap<String, Value>> {
        let all = json!("limit=100");
        let output = self.request(tx, self.owner(), self.at(DAYS, 0), "list_products", &[], all)?;
        let products = output["products"].as_array().into_iter().flatten();
        let named = products.filter_map(|product| {
            Some((product["name"]["en"].as_str()?.to_owned(), product["productId"].clone()))
        });
        Ok(named.collect())
    }

    fn sign_up(
        &self,
        tx: &mut Tx<'_>,
        day: i64,
        number: usize,
        member: &Member,
        products: &BTreeMap<String, Value>,
    ) -> Result<Value> {
        let name = ["Once a week", "Unlimited", "Twice a week"][number % 3];
        let product = |name: &str| products.get(name).ok_or_else(wrong);
        let path = [("clientId", member.client.clone())];
        if PACKS.contains(&number) {
            let pack = json!({"productId": product("Five sessions")?});
            self.request(tx, self.owner(), self.at(day, 610), "assign_product", &path, pack)?;
        }
        let mut sale = json!({"productId": product(name)?});
        if COLLECTED.contains(&number) {
            self.leave_card(tx, self.at(day, 590), member, "sandbox_ok")?;
            sale["collection"] = json!("automatic");
        }
        let sold =
            self.request(tx, self.owner(), self.at(day, 600), "assign_membership", &path, sale)?;
        Ok(sold["subscription"]["subscriptionId"].clone())
    }

    /// What some members do with their memberships.
    fn change_memberships(
        &self,
        tx: &mut Tx<'_>,
        day: i64,
        number: usize,
        member: &Member,
    ) -> Result<()> {
        let path = [("subscriptionId", member.course.clone())];
        let at = self.at(day, 660);
        let days = |from: i64, until: i64| {
            let date = |day: i64| self.at(day, 720).to_string()[..10].to_owned();
            json!({"from": date(from), "until": date(until), "reason": "Knee operation"})
        };
        match (number, day) {
            (PAUSES, 300) => {
                let rest = days(310, 331);
                self.request(tx, self.owner(), at, "request_pause", &path, rest).map(drop)
            }
            (LEAVES, 450) => {
                let why = json!({"reason": "Moves to another town"});
                self.request(tx, self.owner(), at, "request_cancellation", &path, why).map(drop)
            }
            (SHORT_OF_MONEY, 380) => self.leave_card(tx, at, member, "sandbox_insufficient"),
            (SHORT_OF_MONEY, 402) => self.leave_card(tx, at, member, "sandbox_ok"),
            (DISPUTES, 470) => self.leave_card(tx, at, member, "sandbox_chargeback_won"),
            (DISPUTES, 502) => self.leave_card(tx, at, member, "sandbox_ok"),
            (COMPLAINS, 350) => {
                let requested =
                    format!("limit=1&clientId={}", member.client.as_str().unwrap_or_default());
                let output =
                    self.request(tx, self.owner(), at, "list_invoices", &[], json!(requested))?;
                let path = [("invoiceId", output["invoices"][0]["invoiceId"].clone())];
                let note = json!({"amount": 1_000, "reason": "The sauna was closed for a week"});
                self.request(tx, self.owner(), at, "credit_invoice", &path, note).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// A client has used a pack up, and books once more all the same, as its terms allow.
    fn book_on_debt(
        &self,
        tx: &mut Tx<'_>,
        client: &Value,
        products: &BTreeMap<String, Value>,
    ) -> Result<()> {
        let (at, path) = (self.at(DAYS - 3, 600), [("clientId", client.clone())]);
        let pack = json!({"productId": products.get("Five sessions").ok_or_else(wrong)?});
        self.request(tx, self.owner(), at, "assign_product", &path, pack)?;
        let output = self.request(tx, self.owner(), at, "get_credits", &path, json!(""))?;
        let used = -output["credits"][0]["available"].as_i64().ok_or_else(wrong)?;
        let used = json!({"amount": used, "reason": "Sessions that were taken at the desk"});
        self.request(tx, self.owner(), at, "adjust_credits", &path, used)?;
        let new = json!({"name": "Technique session", "durationMinutes": 30, "credits": 1,
            "coachIds": [self.coaches[6]], "bookingWindowDays": 30});
        let made = self.request(tx, self.owner(), at, "create_event_type", &[], new)?;
        let kind = &made["eventType"]["eventTypeId"];
        let requested = format!(
            "eventTypeId={}&from={}&to={}",
            kind.as_str().ok_or_else(wrong)?,
            self.at(DAYS + 3, 0),
            self.at(DAYS + 10, 0)
        );
        let slots = self.request(tx, self.owner(), at, "list_slots", &[], json!(requested))?;
        let new = json!({"clientId": client, "slotToken": slots["slots"][0]["slotToken"]});
        self.request(tx, self.owner(), at, "create_booking", &[], new).map(drop)
    }

    /// A card that does so is what a member's bills are collected from now on.
    fn leave_card(
        &self,
        tx: &mut Tx<'_>,
        at: Timestamp,
        member: &Member,
        does: &str,
    ) -> Result<()> {
        let path = [("clientId", member.client.clone())];
        let card = json!({"sandboxToken": does});
        let left = self.request(tx, self.owner(), at, "add_sandbox_method", &path, card)?;
        let path = [("paymentMethodId", left["paymentMethod"]["paymentMethodId"].clone())];
        self.request(tx, self.owner(), at, "make_payment_method_default", &path, json!({}))
            .map(drop)
    }

    /// Has the bank do a day's work.
    fn collect(&self, tx: &mut Tx<'_>, day: i64) -> Result<()> {
        let at = self.at(day, 840);
        let env =
            Env { clock: Arc::new(FixedClock(at)), entropy: self.dice.clone(), ..self.env.clone() };
        let requested = json!("limit=100&status=pending");
        let output = self.request(tx, self.owner(), at, "list_payments", &[], requested)?;
        for payment in output["payments"].as_array().into_iter().flatten() {
            let id = payment["paymentId"].as_str().and_then(Id::parse).ok_or_else(wrong)?;
            played::charge(tx, &env, self.company, PaymentId(id))?;
        }
        played::pass_time(tx, &env, self.company)
    }

    /// Invoices of a day that are still to be paid, with their clients.
    fn issued(&self, tx: &mut Tx<'_>, day: i64) -> Result<Vec<(Value, Value)>> {
        let date = |day: i64| self.at(day, 720).to_string()[..10].to_owned();
        let requested =
            format!("limit=100&status=open&issuedFrom={}&issuedTo={}", date(day), date(day + 1));
        let output = self.request(
            tx,
            self.owner(),
            self.at(day, 1_000),
            "list_invoices",
            &[],
            json!(requested),
        )?;
        let invoices = output["invoices"].as_array().into_iter().flatten();
        Ok(invoices.map(|one| (one["clientId"].clone(), one["invoiceId"].clone())).collect())
    }
}
