//! A membership: what is kept of it and what is told of it. How it goes on stands in [`crate::memberships::billing_schedule`].

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, LeftKind, Offboarding, Payload, Read, Remainder, SetAside, Write};
use spotter_kernel::{
    Date, Event, Key, Result, Timestamp,
    id::{ClientId, LocationId},
    money::{Currency, Percentage},
};
use spotter_store::{Json, params, record, set, statements, values, words};

use crate::{
    billing::invoice::Collection,
    catalogue::{product::ProductId, vocabulary::Period},
    effects::BillingEffect,
    ids::{ClientProductId, PaymentMethodId, SubscriptionId},
    settings::PauseBilling,
};

words! {
    /// Where it stands: *scheduled* before its first day, *past due* while a bill of it is not paid in
    /// time, *cancelled* after an end that somebody wanted, *expired* after the end of a term.
    pub enum SubscriptionStatus {
        Scheduled = "scheduled",
        Active = "active",
        PastDue = "past_due",
        Paused = "paused",
        Cancelled = "cancelled",
        Expired = "expired",
    }
}

/// Days on which a membership rests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Pause {
    /// The first day of the pause.
    pub from: Date,
    /// The first day after it.
    pub until: Date,
    /// What it does to bills.
    pub billing: PauseBilling,
    /// Whether it has begun, or is over.
    pub begun: bool,
    /// Of its days, those that bills were made less by.
    pub deducted_days: i64,
    /// From when periods were counted before it began, and are again where it is taken back whole; null until it
    /// begins.
    #[serde(default)]
    pub anchor_before: Option<Date>,
}

record! {
    /// A membership of a client.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Subscription {
        /// Id of the record.
        pub subscription_id: SubscriptionId,
        /// The client.
        pub client_id: ClientId,
        /// The sale.
        pub client_product_id: ClientProductId,
        /// The product that was sold.
        pub product_id: ProductId,
        /// What the client calls it.
        pub name: String,
        /// Current status.
        pub status: SubscriptionStatus,
        /// Of each period, in minor units of the currency, VAT included.
        pub price: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// The share of VAT in percent.
        pub vat_percentage: Percentage,
        /// What is paid for at once.
        pub period: Period,
        /// Whether it goes on until it is cancelled.
        pub auto_renew: bool,
        /// How long before its end it has to be cancelled.
        pub notice_period: Period,
        /// How its bills are paid.
        pub collection: Collection,
        /// The payment method to charge.
        pub payment_method_id: Option<PaymentMethodId>,
        /// First day.
        pub start_date: Date,
        /// The date from which its periods are counted.
        pub anchor_date: Date,
        /// The first day that no bill has covered yet.
        pub paid_until: Date,
        /// When the next bill is made; null where none is to come. A pause moves it when it begins.
        pub next_billing_date: Option<Date>,
        /// Before this date it does not end.
        pub minimum_end_date: Option<Date>,
        /// The first day after its end; null while none is known.
        pub end_date: Option<Date>,
        /// Its pauses, the first to begin first.
        pub pauses: Json<Vec<Pause>>,
        /// Periods that nobody was billed for, because they were over before it could be done.
        pub skipped_periods: i64,
        /// The client's home location on the day on which it was sold.
        #[serde(skip)]
        pub home_location_id: Option<LocationId>,
        /// When it was sold.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// What is told of a membership.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionEvent {
    subscription_id: SubscriptionId,
    client_id: ClientId,
    client_product_id: ClientProductId,
    product_id: ProductId,
    status: SubscriptionStatus,
    start_date: Date,
    paid_until: Date,
    next_billing_date: Option<Date>,
    end_date: Option<Date>,
    /// Names of the changed fields; absent on creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for SubscriptionEvent {
    const EVENTS: &'static [Event] = &[Event::SubscriptionChanged, Event::SubscriptionCancelled];
}

/// The subject of the total of all memberships.
pub const TALLY: &str = "subscriptions";

impl Subscription {
    /// The membership with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: SubscriptionId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        cx.own(found, |one| one.client_id)
    }

    /// A client's memberships that have not ended, the first sold first.
    pub fn running_of(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        cx.all(RUNNING, params![client])
    }

    /// Memberships that have begun and have not ended, of all clients; at most 100,000.
    pub fn all_running(cx: &mut Read) -> Result<Vec<Self>> {
        cx.all(ALL_RUNNING, params![])
    }

    /// Rejects what was wished of it and waits for an answer: there is nothing left to decide.
    pub fn end_requests(&self, cx: &mut Write) -> Result<()> {
        let now = cx.now();
        cx.defer(END_REQUESTS, params![self.subscription_id, now])
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        matches!(self.status, SubscriptionStatus::Cancelled | SubscriptionStatus::Expired)
    }

    fn subjects(&self) -> BTreeSet<String> {
        crate::subjects(TALLY, self.status.word(), self.client_id)
    }

    /// Inserts a new record.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.defer(INSERT, &self.params())?;
        self.update_metrics(cx, None)?;
        cx.recount(&BTreeSet::new(), &self.subjects())
    }

    /// Writes down what has changed; the names of the fields.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<Vec<String>> {
        let changed = self.changed(before);
        let id = self.subscription_id;
        if let Some(now) = cx.audit_fields("subscription", id, changed.clone()) {
            self.updated_at = now;
            cx.defer(SAVE, &self.params())?;
            self.update_metrics(cx, Some(before))?;
            cx.recount(&before.subjects(), &self.subjects())?;
            if self.status == SubscriptionStatus::Active && before.status != self.status {
                cx.end(Offboarding::ObstacleEnded, self.client_id)?;
            }
        }
        Ok(changed)
    }

    /// The same, and tells of it.
    pub fn save_and_tell(&mut self, cx: &mut Write, before: &Self, event: Event) -> Result<()> {
        let changed_fields = self.save(cx, before)?;
        if changed_fields.is_empty() {
            return Ok(());
        }
        let payload = SubscriptionEvent {
            subscription_id: self.subscription_id,
            client_id: self.client_id,
            client_product_id: self.client_product_id,
            product_id: self.product_id,
            status: self.status,
            start_date: self.start_date,
            paid_until: self.paid_until,
            next_billing_date: self.next_billing_date,
            end_date: self.end_date,
            changed_fields,
        };
        cx.emit(event, &payload).map(drop)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<SubscriptionEvent>().stays(STAYS)
}

/// The memberships that go on of a product that is set aside.
const STAYS: &[Remainder] = &[Remainder::new(
    SetAside::Product,
    LeftKind::Membership,
    |cx, product, most| cx.all(LEFT_OF_PRODUCT, params![product, most]),
    |total| BillingEffect::MembershipsStay { total }.into(),
)];

/// Records that erasure keeps, and why.
const LEFT: &str =
    " FROM subscription WHERE company_id = ?1 AND status NOT IN ('cancelled', 'expired') AND ";

statements! {
    LEFT_OF_PRODUCT = "SELECT subscription_id, (SELECT COUNT(*)", LEFT, "product_id = ?2)", LEFT,
        "product_id = ?2 ORDER BY subscription_id LIMIT ?3";
    FIND = "SELECT ", Subscription::COLUMNS, " FROM subscription \
        WHERE company_id = ?1 AND subscription_id = ?2";
    RUNNING = "SELECT ", Subscription::COLUMNS, " FROM subscription WHERE company_id = ?1 \
        AND client_id = ?2 AND status IN ('scheduled', 'active', 'past_due', 'paused') \
        ORDER BY subscription_id LIMIT 100";
    ALL_RUNNING = "SELECT ", Subscription::COLUMNS, " FROM subscription WHERE company_id = ?1 \
        AND status IN ('active', 'past_due', 'paused') LIMIT 100000";
    END_REQUESTS = "UPDATE subscription_request SET status = 'rejected', answered_at = ?3, updated_at = ?3 \
        WHERE company_id = ?1 AND subscription_id = ?2 AND status = 'pending'";
    INSERT = "INSERT INTO subscription ", values!(Subscription);
    SAVE = "UPDATE subscription SET ", set!(Subscription),
        " WHERE company_id = ?1 AND subscription_id = ?2";
}
