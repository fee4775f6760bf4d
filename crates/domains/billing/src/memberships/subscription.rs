//! A membership: the record and its API form. Its course is in [`crate::memberships::billing_schedule`].

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    ArchivedKind, Area, Offboarding, Payload, Read, Remainder, RemainderKind, Write,
};
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
    /// The status of a membership: *scheduled* before its first day, *past due* while an invoice is overdue,
    /// *cancelled* after a requested end, *expired* after the end of its term.
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
    /// How the pause affects invoices.
    pub billing: PauseBilling,
    /// Whether the pause has begun.
    pub begun: bool,
    /// Days by which invoices were reduced.
    pub deducted_days: i64,
    /// The billing anchor before the pause, which applies again if the pause is withdrawn entirely;
    /// null until the pause begins.
    #[serde(default)]
    pub anchor_before: Option<Date>,
}

record! {
    /// A client's membership.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Subscription {
        /// Id of the subscription.
        pub subscription_id: SubscriptionId,
        /// Client whose membership it is.
        pub client_id: ClientId,
        /// The sale.
        pub client_product_id: ClientProductId,
        /// The product that was sold.
        pub product_id: ProductId,
        /// What was bought, in the languages of the company.
        pub name: String,
        /// Current status.
        pub status: SubscriptionStatus,
        /// Price per period in minor units, including VAT.
        pub price: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// The share of VAT in percent.
        pub vat_percentage: Percentage,
        /// Billing period.
        pub period: Period,
        /// Whether it renews until it is cancelled.
        pub auto_renew: bool,
        /// Notice period for cancelling.
        pub notice_period: Period,
        /// How invoices are collected.
        pub collection: Collection,
        /// The payment method to charge.
        pub payment_method_id: Option<PaymentMethodId>,
        /// First day.
        pub start_date: Date,
        /// The date from which its periods are counted.
        pub anchor_date: Date,
        /// The first day that no bill has covered yet.
        pub paid_until: Date,
        /// Date of the next invoice; null if there is none. A pause moves it when it begins.
        pub next_billing_date: Option<Date>,
        /// Earliest end date.
        pub minimum_end_date: Option<Date>,
        /// The first day after its end; null while none is known.
        pub end_date: Option<Date>,
        /// Pauses by start.
        pub pauses: Json<Vec<Pause>>,
        /// Number of periods that were not billed because they were already over.
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

/// The payload of every membership event.
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
    /// Asks ahead for a membership.
    pub fn ask_ahead(cx: &mut Read, id: SubscriptionId) -> Result<()> {
        cx.ask_ahead(FIND, params![id])
    }

    /// The membership with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: SubscriptionId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        cx.own(found, |one| one.client_id)
    }

    /// A client's memberships that have not ended, the first sold first.
    pub fn running_of(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        cx.all(RUNNING, params![client])
    }

    /// All running memberships; at most 100,000.
    pub fn all_running(cx: &mut Read) -> Result<Vec<Self>> {
        cx.all(ALL_RUNNING, params![])
    }

    /// Rejects the pending requests: there is nothing left to decide.
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

    /// Saves the changes; returns the names of the fields.
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

    /// Saves it and emits events about the changes.
    pub fn save_and_emit(&mut self, cx: &mut Write, before: &Self, event: Event) -> Result<()> {
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
    ArchivedKind::Product,
    RemainderKind::Membership,
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
