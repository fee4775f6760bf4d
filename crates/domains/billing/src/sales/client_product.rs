//! A purchase of a client: the record of a sale, with the terms of its day.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Offboarding, Payload, Read, Write};
use spotter_kernel::{Date, Event, Key, Problem, Result, Timestamp, id::ClientId};
use spotter_store::{Json, params, record, set, statements, values, words};

use crate::{
    catalogue::{product::ProductId, vocabulary::ProductType},
    ids::{ClientProductId, InvoiceId, SubscriptionId},
    rules::BillingRule,
    sales::terms::SaleTerms,
};

words! {
    /// Whether it can be used: *scheduled* before its first day, *used* when nothing is left, *expired* after its
    /// last day, *revoked* when it was revoked or cancelled.
    pub enum ClientProductStatus {
        Scheduled = "scheduled",
        Active = "active",
        Used = "used",
        Expired = "expired",
        Revoked = "revoked",
    }
}

record! {
    /// A product sold to a client.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ClientProduct {
        /// Id of the client product.
        pub client_product_id: ClientProductId,
        /// Client who bought it.
        pub client_id: ClientId,
        /// The product that was sold.
        pub product_id: ProductId,
        /// What is bought: a pass, a membership, a pack of credits or something else.
        pub product_type: ProductType,
        /// What was bought, in the languages of the company.
        pub name: String,
        /// Terms of the sale.
        pub terms: Json<SaleTerms>,
        /// Invoice of the sale.
        pub invoice_id: Option<InvoiceId>,
        /// The subscription of a membership; null for other products.
        pub subscription_id: Option<SubscriptionId>,
        /// Status of the sold product.
        pub status: ClientProductStatus,
        /// The first day on which it can be used.
        pub valid_from: Date,
        /// The first day on which it has expired; null without an end.
        pub valid_until: Option<Date>,
        /// Days of a pass that are used up.
        pub days_used: i64,
        /// Credits on dates up to this one have been granted.
        #[serde(skip)]
        pub granted_until: Date,
        /// The integrator's own id for the sale; unique in the company.
        pub external_id: Option<String>,
        /// When it was revoked.
        pub revoked_at: Option<Timestamp>,
        /// Reason for the revocation.
        pub revoke_reason: Option<String>,
        /// When it was sold.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The payload of every event of a sold product.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientProductEvent {
    client_product_id: ClientProductId,
    client_id: ClientId,
    product_id: ProductId,
    product_type: ProductType,
    invoice_id: Option<InvoiceId>,
    subscription_id: Option<SubscriptionId>,
    status: ClientProductStatus,
    valid_from: Date,
    valid_until: Option<Date>,
    revoked_at: Option<Timestamp>,
}

impl Payload for ClientProductEvent {
    const EVENTS: &'static [Event] =
        &[Event::ClientProductAssigned, Event::ClientProductRevoked, Event::MembershipAssigned];
}

impl ClientProduct {
    /// Asks ahead for a purchase.
    pub fn ask_ahead(cx: &mut Read, id: ClientProductId) -> Result<()> {
        cx.ask_ahead(FIND, params![id])
    }

    /// The purchase with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: ClientProductId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::ClientProductNotFound)?;
        match cx.calling_client() {
            Some(own) if own != found.client_id => Err(Key::ClientProductNotFound.into()),
            _ => Ok(found),
        }
    }

    /// A client's usable purchases, the first sold first.
    pub fn in_use(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        cx.all(IN_USE, params![client])
    }

    /// Asks ahead for a client's usable purchases.
    pub fn ask_ahead_open_first(cx: &mut Read, client: ClientId) -> Result<()> {
        cx.ask_ahead(OPEN_FIRST, params![client])
    }

    /// A client's purchases: open ones first, memberships before passes, then the latest.
    pub fn open_first(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        cx.all(OPEN_FIRST, params![client])
    }

    /// A client's purchases that an invoice has billed, the first sold first.
    pub fn on_invoice(
        cx: &mut Read,
        client: ClientId,
        invoice: InvoiceId,
    ) -> Result<Vec<ClientProductId>> {
        let found: Vec<(ClientProductId,)> = cx.all(ON_INVOICE, params![client, invoice])?;
        Ok(found.into_iter().map(|(id,)| id).collect())
    }

    /// Whether it can be used on a day, as far as its dates go.
    pub fn is_valid_on(&self, day: Date) -> bool {
        self.valid_from <= day && self.valid_until.is_none_or(|until| day < until)
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        matches!(self.status, ClientProductStatus::Expired | ClientProductStatus::Revoked)
    }

    /// Refuses the integrator's own id of another sale.
    pub fn check_external_id(cx: &mut Read, external: &str) -> Result<()> {
        let taken: Option<(ClientProductId,)> = cx.one(BY_EXTERNAL_ID, params![external])?;
        match taken {
            Some(_) => Err(Problem::conflict("externalId", BillingRule::OtherSales)),
            None => Ok(()),
        }
    }

    /// Inserts a new record.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("client_product", self.client_product_id, ["clientProduct"]);
        cx.defer(INSERT, &self.params())?;
        self.opens_waitlists(cx)
    }

    /// Whether it may now cover bookings that the client is on a waiting list for.
    fn opens_waitlists(&self, cx: &mut Write) -> Result<()> {
        match self.status {
            ClientProductStatus::Active => cx.end(Offboarding::ObstacleEnded, self.client_id),
            _ => Ok(()),
        }
    }

    /// Saves the changes.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let id = self.client_product_id;
        if let Some(now) = cx.audit_fields("client_product", id, self.changed(before)) {
            self.updated_at = now;
            cx.defer(SAVE, &self.params())?;
            if self.status != before.status {
                self.opens_waitlists(cx)?;
            }
        }
        Ok(())
    }

    /// Emits the event.
    pub fn publish(&self, cx: &mut Write, event: Event) -> Result<()> {
        let payload = ClientProductEvent {
            client_product_id: self.client_product_id,
            client_id: self.client_id,
            product_id: self.product_id,
            product_type: self.product_type,
            invoice_id: self.invoice_id,
            subscription_id: self.subscription_id,
            status: self.status,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            revoked_at: self.revoked_at,
        };
        cx.emit(event, &payload).map(drop)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<ClientProductEvent>()
}

statements! {
    FIND = "SELECT ", ClientProduct::COLUMNS, " FROM client_product \
        WHERE company_id = ?1 AND client_product_id = ?2";
    IN_USE = "SELECT ", ClientProduct::COLUMNS, " FROM client_product \
        WHERE company_id = ?1 AND client_id = ?2 AND status IN ('scheduled', 'active', 'used') \
        ORDER BY client_product_id LIMIT 500";
    OPEN_FIRST = "SELECT ", ClientProduct::COLUMNS, " FROM client_product \
        WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY CASE WHEN status IN ('expired', 'revoked') THEN 1 ELSE 0 END, \
        CASE WHEN subscription_id IS NULL THEN 1 ELSE 0 END, client_product_id DESC LIMIT 500";
    BY_EXTERNAL_ID = "SELECT client_product_id FROM client_product \
        WHERE company_id = ?1 AND external_id = ?2";
    ON_INVOICE = "SELECT client_product_id FROM client_product \
        WHERE company_id = ?1 AND client_id = ?2 AND invoice_id = ?3 ORDER BY client_product_id LIMIT 100";
    INSERT = "INSERT INTO client_product ", values!(ClientProduct);
    SAVE = "UPDATE client_product SET ", set!(ClientProduct),
        " WHERE company_id = ?1 AND client_product_id = ?2";
}
