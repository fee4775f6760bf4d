//! Whether a client may come in: the one question that doors and the front desk ask of what was sold. A membership
//! that runs lets in, and a pass on its days; credits pay for what is booked, and let nobody in by themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Path, Query, Read, answer, operation};
use spotter_core::clients::{Client, ClientPath};
use spotter_kernel::{Date, Key, Problem, Result, Timestamp, id::ClientId};
use spotter_store::{params, statements, words};

use crate::{
    catalogue::vocabulary::ProductType,
    ids::ClientProductId,
    memberships::subscription::{Subscription, SubscriptionStatus},
    sales::client_product::ClientProduct,
};

words! {
    /// Why nothing lets a client in: a bill of the membership is unpaid, it rests, it has not begun, the days of
    /// the pass are used, it has ended, or nothing was sold that lets in.
    pub enum Refusal {
        PastDue = "past_due",
        Paused = "paused",
        NotYet = "not_yet",
        Used = "used",
        Ended = "ended",
        NoProduct = "no_product",
    }
}

/// Something that was sold and may let in on a day.
#[derive(Debug, Clone)]
struct Way {
    product: ClientProduct,
    course: Option<Subscription>,
    /// Days of a pass that are used up or booked, up to the day that is asked about.
    days: Vec<Date>,
}

impl Way {
    /// Until when it lets in on a day, as a date that is not included any more; or why not.
    fn opens(&self, day: Date) -> std::result::Result<Option<Date>, Refusal> {
        match &self.course {
            Some(course) => Self::by_membership(course, day),
            None => self.by_pass(day),
        }
    }

    fn by_membership(
        course: &Subscription,
        day: Date,
    ) -> std::result::Result<Option<Date>, Refusal> {
        if course.has_ended() || course.end_date.is_some_and(|end| end <= day) {
            return Err(Refusal::Ended);
        }
        if day < course.start_date {
            return Err(Refusal::NotYet);
        }
        if course.status == SubscriptionStatus::PastDue {
            return Err(Refusal::PastDue);
        }
        if course.pause_on(day).is_some() {
            return Err(Refusal::Paused);
        }
        let rests = course.pauses.0.iter().map(|pause| pause.from).filter(|from| *from > day);
        Ok(rests.chain(course.end_date).min())
    }

    fn by_pass(&self, day: Date) -> std::result::Result<Option<Date>, Refusal> {
        if self.product.has_ended() || self.product.valid_until.is_some_and(|until| until <= day) {
            return Err(Refusal::Ended);
        }
        if day < self.product.valid_from {
            return Err(Refusal::NotYet);
        }
        let usable = self.product.terms.0.days_usable;
        let left = self.days.contains(&day) || (self.days.len() as i64) < usable;
        match left {
            true => Ok(self.product.valid_until),
            false => Err(Refusal::Used),
        }
    }
}

/// Whether a client may come in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entrance {
    /// Whether they may.
    pub allowed: bool,
    /// Why not; null where they may.
    pub reason: Option<Refusal>,
    /// What lets them in.
    pub client_product_id: Option<ClientProductId>,
    /// The first day on which that does not let them in any more; null while none is known.
    pub until: Option<Date>,
    /// The company's date that was asked about.
    pub date: Date,
}

/// Of several ways in, the one that is open for longest; where none is, the reason that is nearest to one.
fn answer(ways: &[Way], date: Date) -> Entrance {
    let (mut best, mut reason): (Option<(ClientProductId, Option<Date>)>, Refusal) =
        (None, Refusal::NoProduct);
    for way in ways {
        match way.opens(date) {
            Ok(until) => {
                let longer = |known: Option<Date>| {
                    known.is_some_and(|known| until.is_none_or(|until| until > known))
                };
                if best.is_none_or(|(_, known)| longer(known)) {
                    best = Some((way.product.client_product_id, until));
                }
            }
            Err(why) => reason = reason.min(why),
        }
    }
    let (client_product_id, until) = best.unzip();
    Entrance {
        allowed: client_product_id.is_some(),
        reason: client_product_id.is_none().then_some(reason),
        client_product_id,
        until: until.flatten(),
        date,
    }
}

/// Whether a client may come in at an instant, as far as what they were sold goes.
pub fn ask(cx: &mut Read, client: ClientId, at: Timestamp) -> Result<Entrance> {
    let day = cx.zone()?.date_at(at);
    let mut ways = Vec::new();
    for product in ClientProduct::latest_of(cx, client)? {
        let is_pass = matches!(product.product_type, ProductType::DayPass | ProductType::WeekPass);
        let course = match product.subscription_id {
            Some(id) => Some(Subscription::find(cx, id)?),
            None if is_pass => None,
            None => continue,
        };
        let days = match is_pass {
            true => cx.all::<(Date,)>(DAYS, params![product.client_product_id, day])?,
            false => Vec::new(),
        };
        ways.push(Way { product, course, days: days.into_iter().map(|(day,)| day).collect() });
    }
    Ok(answer(&ways, day))
}

/// When somebody wants to come in.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Asked {
    /// The instant; now when absent.
    at: Option<Timestamp>,
}

answer!(EntranceAnswer { entrance: Entrance });

fn get_entrance(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(asked): Query<Asked>,
) -> Result<EntranceAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let at = asked.at.unwrap_or_else(|| cx.now());
    let far = at.millis().abs_diff(cx.now().millis()) / 86_400_000;
    if far > 366 {
        return Err(Problem::invalid("at", "must be at most 366 days away"));
    }
    Ok(EntranceAnswer { entrance: ask(cx, client.client_id, at)? })
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/finance/clients/{clientId}/entrance", Coach, get_entrance)
            .summary("See whether a client may come in")
            .describe(
                "As far as what they were sold goes: by a membership that runs and is paid for, or by a pass with a day \
                 left.",
            )
            .for_client(&[])
            .fails(&[Key::CompanyNotFound]),
    ])
}

statements! {
    DAYS = "SELECT DISTINCT day FROM entitlement_hold WHERE company_id = ?1 AND client_product_id = ?2 \
        AND day <= ?3 AND state <> 'released' ORDER BY day LIMIT 400";
}
