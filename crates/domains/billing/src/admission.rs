//! Whether a client may enter, as far as purchases go: the one question of doors and the front desk. A running
//! membership grants access, and a pass on its days; credits pay for bookings and grant no access by themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Path, Query, Read, Write,
    admission::{AdmissionRefusal, Admissions, AdmittingProduct},
    answer, operation,
};
use spotter_kernel::{Date, Id, Key, Problem, Result, Timestamp, Verdict, id::ClientId};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{params, statements};

use crate::{
    access_rules::AccessRule,
    catalogue::vocabulary::ProductType,
    credits::booking_credits,
    ids::ClientProductId,
    memberships::subscription::{Subscription, SubscriptionStatus},
    rules::BillingRule,
    sales::client_product::ClientProduct,
};

/// A purchase that may grant access on a day.
#[derive(Debug, Clone)]
struct SoldProduct {
    product: ClientProduct,
    subscription: Option<Subscription>,
    /// Days of a pass that are used or booked, up to the requested date.
    days: Vec<Date>,
}

/// How a purchase grants access on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AdmissionTerms {
    /// The first day without access; `None` while no end is known.
    until: Option<Date>,
    /// Whether a bill of it is unpaid.
    owes: bool,
}

impl SoldProduct {
    /// How it grants access on a day, or why not.
    fn opens(&self, day: Date) -> std::result::Result<AdmissionTerms, AdmissionRefusal> {
        match &self.subscription {
            Some(membership) => Self::by_membership(membership, day),
            None => self.by_pass(day),
        }
    }

    fn by_membership(
        subscription: &Subscription,
        day: Date,
    ) -> std::result::Result<AdmissionTerms, AdmissionRefusal> {
        if subscription.has_ended() || subscription.end_date.is_some_and(|end| end <= day) {
            return Err(AdmissionRefusal::Ended);
        }
        if day < subscription.start_date {
            return Err(AdmissionRefusal::NotYet);
        }
        if subscription.pause_on(day).is_some() {
            return Err(AdmissionRefusal::Paused);
        }
        let rests = subscription.pauses.0.iter().map(|pause| pause.from).filter(|from| *from > day);
        let until = rests.chain(subscription.end_date).min();
        Ok(AdmissionTerms { until, owes: subscription.status == SubscriptionStatus::PastDue })
    }

    fn by_pass(&self, day: Date) -> std::result::Result<AdmissionTerms, AdmissionRefusal> {
        if self.product.has_ended() || self.product.valid_until.is_some_and(|until| until <= day) {
            return Err(AdmissionRefusal::Ended);
        }
        if day < self.product.valid_from {
            return Err(AdmissionRefusal::NotYet);
        }
        let usable = self.product.terms.0.days_usable;
        let left = self.days.contains(&day) || (self.days.len() as i64) < usable;
        match left {
            true => Ok(AdmissionTerms { until: self.product.valid_until, owes: false }),
            false => Err(AdmissionRefusal::Used),
        }
    }
}

/// Whether a client may enter now, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionDecision {
    /// Whether the client may enter.
    pub allowed: bool,
    /// Reason for the denial; null if admitted.
    pub reason: Option<AdmissionRefusal>,
    /// The sold product that grants access.
    pub client_product_id: Option<ClientProductId>,
    /// The first day without access; null while no end is known.
    pub until: Option<Date>,
    /// The requested date, in the company's time zone.
    pub date: Date,
}

/// Whether one day is later than another, where none is later than all.
fn is_later(one: Option<Date>, other: Option<Date>) -> bool {
    other.is_some_and(|other| one.is_none_or(|one| one > other))
}

/// The client's purchases that may grant access.
fn sold(cx: &mut Read, client: ClientId, day: Date) -> Result<Vec<SoldProduct>> {
    let products = ClientProduct::open_first(cx, client)?;
    for product in &products {
        if let Some(id) = product.subscription_id {
            Subscription::ask_ahead(cx, id)?;
        }
    }
    let mut found = Vec::new();
    for product in products {
        let is_pass = matches!(product.product_type, ProductType::DayPass | ProductType::WeekPass);
        let membership = match product.subscription_id {
            Some(id) => Some(Subscription::find(cx, id)?),
            None if is_pass => None,
            None => continue,
        };
        let days = match is_pass {
            true => cx.all::<(Date,)>(DAYS, params![product.client_product_id, day])?,
            false => Vec::new(),
        };
        found.push(SoldProduct {
            product,
            subscription: membership,
            days: days.into_iter().map(|(day,)| day).collect(),
        });
    }
    Ok(found)
}

/// Which of them grants access on a day: paid before unpaid, then the one that lasts longest; where none does, the
/// reason that is closest to access.
fn admitting(
    sold: &[SoldProduct],
    day: Date,
) -> std::result::Result<Vec<(&SoldProduct, AdmissionTerms)>, AdmissionRefusal> {
    let (mut open, mut reason) = (Vec::new(), AdmissionRefusal::NoProduct);
    for one in sold {
        match one.opens(day) {
            Ok(opens) => open.push((one, opens)),
            Err(why) => reason = reason.min(why),
        }
    }
    open.sort_by(|(_, a), (_, b)| {
        let longest = is_later(b.until, a.until).cmp(&is_later(a.until, b.until));
        a.owes.cmp(&b.owes).then(longest)
    });
    if open.is_empty() { Err(reason) } else { Ok(open) }
}

/// Whether a client may enter at an instant, as far as their purchases go.
pub fn decide(cx: &mut Read, client: ClientId, at: Timestamp) -> Result<AdmissionDecision> {
    let date = cx.zone()?.date_at(at);
    let sold = sold(cx, client, date)?;
    let best = admitting(&sold, date).map(|open| open.into_iter().find(|(_, opens)| !opens.owes));
    let (best, reason) = match best {
        Ok(Some(best)) => (Some(best), None),
        Ok(None) => (None, Some(AdmissionRefusal::PastDue)),
        Err(why) => (None, Some(why)),
    };
    Ok(AdmissionDecision {
        allowed: best.is_some(),
        reason,
        client_product_id: best.map(|(sold, _)| sold.product.client_product_id),
        until: best.and_then(|(_, opens)| opens.until),
        date,
    })
}

/// What doors ask of finance.
pub struct Sales;

impl Admissions for Sales {
    fn ask_ahead(&self, cx: &mut Read, client: ClientId) -> Result<()> {
        cx.ask_ahead_zone()?;
        ClientProduct::ask_ahead_open_first(cx, client)
    }

    fn admitting_products(
        &self,
        cx: &mut Read,
        client: ClientId,
        at: Timestamp,
    ) -> Result<Verdict<Vec<AdmittingProduct>, AdmissionRefusal>> {
        let day = cx.zone()?.date_at(at);
        let sold = sold(cx, client, day)?;
        let open = match admitting(&sold, day) {
            Ok(open) => open,
            Err(why) => return Ok(Verdict::Refused(why)),
        };
        for (one, _) in &open {
            AccessRule::ask_ahead(cx, one.product.product_id)?;
        }
        let mut ways = Vec::with_capacity(open.len());
        for (one, opens) in open {
            ways.push(AdmittingProduct {
                client_product: one.product.client_product_id.0,
                is_pass: one.subscription.is_none(),
                owes: opens.owes,
                until: opens.until,
                limits: AccessRule::limits(cx, one.product.product_id)?,
            });
        }
        Ok(Verdict::Granted(ways))
    }

    fn memberships(&self, cx: &mut Read) -> Result<BTreeMap<ClientId, Vec<AdmittingProduct>>> {
        let day = cx.today()?;
        let rules = AccessRule::all(cx)?;
        let mut found: BTreeMap<ClientId, Vec<AdmittingProduct>> = BTreeMap::new();
        for subscription in Subscription::all_running(cx)? {
            let Ok(AdmissionTerms { until, owes }) = SoldProduct::by_membership(&subscription, day)
            else {
                continue;
            };
            found.entry(subscription.client_id).or_default().push(AdmittingProduct {
                client_product: subscription.client_product_id.0,
                is_pass: false,
                owes,
                until,
                limits: rules.get(&subscription.product_id).cloned().unwrap_or_default(),
            });
        }
        Ok(found)
    }

    fn use_day(
        &self,
        cx: &mut Write,
        client: ClientId,
        way: &AdmittingProduct,
        visit: Id,
    ) -> Result<()> {
        match way.is_pass {
            true => {
                booking_credits::use_day(cx, client, ClientProductId(way.client_product), visit)
            }
            false => Ok(()),
        }
    }
}

/// When the client wants to enter.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct AdmissionFilters {
    /// The instant; now when absent.
    at: Option<Timestamp>,
}

answer!(EntranceAnswer { entrance: AdmissionDecision });

fn get_entrance(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(request): Query<AdmissionFilters>,
) -> Result<EntranceAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let at = request.at.unwrap_or_else(|| cx.now());
    let far = at.millis().abs_diff(cx.now().millis()) / 86_400_000;
    if far > 366 {
        return Err(Problem::invalid("at", BillingRule::TooFarFromToday { days: 366 }));
    }
    Ok(EntranceAnswer { entrance: decide(cx, client.client_id, at)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/finance/clients/{clientId}/entrance", Coach, get_entrance)
            .summary("Check a client's admission")
            .describe(
                "Returns whether the client may come in by what was sold to them: a running, paid \
                 membership, or a pass with a day left.",
            )
            .for_client(&[])
            .fails(&[Key::CompanyNotFound]),
    ])
}

statements! {
    DAYS = "SELECT DISTINCT day FROM entitlement_hold WHERE company_id = ?1 AND client_product_id = ?2 \
        AND day <= ?3 AND state <> 'released' ORDER BY day LIMIT 400";
}
