//! Orders: what clients buy by themselves. What is free, or is paid by transfer or at the desk, is sold at once, with an
//! invoice to pay; what is paid on the provider's page is sold when the money has come, at the price of the order. An
//! order may be for a class: its seat is held for some minutes, and it is booked with what was bought.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::site::{PaymentChoice, Site};
use spotter_contract::{
    Area, Body, Effect, ErasureRule, ExportSection, ListQuery, Offboarding, Path, Read, Success,
    Timer, Write, answer, entitlement::BookedSeat, listed, operation, path,
};
use spotter_kernel::{
    Date, Event, Id, Key, Page, Problem, Result, Timestamp, id::ClientId, id_type, money::Currency,
    text::quoted,
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{
    Bind, List, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use crate::{
    catalogue::product::{Product, ProductId},
    collecting::connection,
    effects::BillingEffect,
    ids::{ClientProductId, InvoiceId, PaymentRequestId},
    payments::request::{PaymentRequest, PaymentRequestStatus, RequestedPayment},
    rules::BillingRule,
    sales::{purchase, sell},
};

id_type!(
    /// What a client buys by themselves.
    ShopOrderId,
    RequestInvalid
);
stored_ids!(ShopOrderId);

/// How long an order waits for its payment, in days: a bank may take some.
const OPEN_DAYS: i64 = 14;
/// Most orders of a client that wait for their payment, online or on invoice.
const OPEN_MAX: i64 = 5;

words! {
    /// The status of an order: completed once it was sold; failed where it was paid and can no longer be sold.
    pub enum OrderStatus {
        AwaitingPayment = "awaiting_payment", Paid = "paid", Completed = "completed",
        Cancelled = "cancelled", Expired = "expired", Failed = "failed",
    }
}

words! {
    /// What becomes of the class that an order is for.
    pub enum OrderBooking {
        None = "none", Held = "held", NotHeld = "not_held",
        Booked = "booked", Requested = "requested", Refused = "refused",
    }
}

record! {
    /// What a client buys by themselves.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ShopOrder {
        /// The order's id.
        shop_order_id: ShopOrderId,
        client_id: ClientId,
        product_id: ProductId,
        /// Display name of the product, in the client's language.
        name: String,
        /// Price of the product at the time of the order, in minor units.
        price: i64,
        /// What is to be paid now, in minor units: of a membership, its first period.
        amount: i64,
        currency: Currency,
        /// First day of what is bought.
        starts_on: Date,
        payment_choice: PaymentChoice,
        status: OrderStatus,
        /// The class that is booked with it.
        calendar_event_id: Option<Id>,
        /// What becomes of that class.
        booking_status: OrderBooking,
        /// When the seat is given back that is kept for it.
        seat_held_until: Option<Timestamp>,
        payment_request_id: Option<PaymentRequestId>,
        client_product_id: Option<ClientProductId>,
        invoice_id: Option<InvoiceId>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// An order, and where it is paid.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ShopOrder")]
struct OrderView {
    #[serde(flatten)]
    order: ShopOrder,
    /// Address of the payment page while the order waits for its payment.
    pay_url: Option<String>,
}

answer!(OrderAnswer { shop_order: OrderView });

/// What a client buys.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewOrder {
    /// A product that clients may buy.
    product_id: ProductId,
    /// How it is paid: one of the site's `paymentChoices`; the first of them when absent.
    payment_choice: Option<PaymentChoice>,
    /// A class to book with it.
    calendar_event_id: Option<Id>,
}

/// The product, if this client may buy it by themselves.
fn find_for_sale(cx: &mut Read, client: ClientId, id: ProductId) -> Result<Product> {
    let product =
        Product::find(cx, id).map_err(|none| none.missing("productId", BillingRule::NotSold))?;
    if product.is_archived || !product.visibility.for_sale() {
        return Err(Problem::conflict("productId", BillingRule::NotSold));
    }
    if product.is_trial() {
        let (had,): (i64,) = cx.one(TRIALS, params![client, id])?.unwrap_or_default();
        if had > 0 {
            return Err(Problem::conflict("productId", BillingRule::TrialUsed));
        }
    }
    Ok(product)
}

fn create_shop_order(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewOrder>,
) -> Result<OrderAnswer> {
    let client = Client::find(cx, at.client_id)?;
    purchase::check_buyer(&client)?;
    if !client.is_active() {
        return Err(Problem::conflict("clientId", BillingRule::RelationshipNotActive));
    }
    let product = find_for_sale(cx, client.client_id, new.product_id)?;
    let site = Site::of(cx)?;
    let choices = &site.payment_choices.0;
    let choice = new.payment_choice.or(choices.first().copied());
    let choice = choice.filter(|choice| choices.contains(choice));
    let choice =
        choice.ok_or_else(|| Problem::conflict("paymentChoice", BillingRule::NotOffered))?;
    let seats = cx.seats()?;
    let open = |class| seats.check_open(cx, class, client.client_id);
    let class = new.calendar_event_id.map(open).transpose().map_err(|problem| match problem {
        gone if gone.status == 404 => gone.missing("calendarEventId", BillingRule::ClassGone),
        other => other,
    })?;
    let today = cx.today()?;
    let amount = sell::quote_order(cx, client.client_id, &product, today, class.as_ref())?;
    let is_online = choice == PaymentChoice::Online && amount > 0;
    if is_online && connection::provider(cx)?.is_none() {
        return Err(Problem::conflict("paymentChoice", BillingRule::NotOffered));
    }
    let (unpaid,): (i64,) = cx.one(UNPAID, params![client.client_id])?.unwrap_or_default();
    if amount > 0 && unpaid >= OPEN_MAX {
        return Err(Problem::conflict("shopOrder", BillingRule::TooManyOrders { max: OPEN_MAX }));
    }
    let name = product.called(client.language());
    let (shown, gross) = (quoted(&name), product.currency.format_amount(amount));
    let client_name = quoted(&client.name());
    cx.describe_effect(|| BillingEffect::Sold { name: shown, client: client_name, gross });
    let mut order = ShopOrder {
        shop_order_id: ShopOrderId(cx.new_id()),
        client_id: client.client_id,
        product_id: product.product_id,
        name,
        price: product.price,
        amount,
        currency: product.currency,
        starts_on: today,
        payment_choice: choice,
        status: OrderStatus::AwaitingPayment,
        calendar_event_id: new.calendar_event_id,
        booking_status: OrderBooking::None,
        seat_held_until: None,
        payment_request_id: None,
        client_product_id: None,
        invoice_id: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    match is_online {
        true => order.wait_for_payment(cx, site.hold_minutes)?,
        false => order.fulfil(cx)?,
    }
    cx.set_audit_target("shop_order", order.shop_order_id, ["shopOrder"]);
    cx.defer(INSERT, &order.params())?;
    Ok(OrderAnswer { shop_order: order.view(cx)? })
}

impl ShopOrder {
    fn find(cx: &mut Read, client: ClientId, id: ShopOrderId) -> Result<Self> {
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn view(mut self, cx: &mut Read) -> Result<OrderView> {
        if self.booking_status == OrderBooking::Held
            && self.seat_held_until.is_some_and(|until| until <= cx.now())
        {
            self.booking_status = OrderBooking::NotHeld;
        }
        let pay_url = match (self.status, self.payment_request_id) {
            (OrderStatus::AwaitingPayment, Some(id)) => {
                let request = PaymentRequest::find(cx, id)?;
                if request.is_open() { request.page(cx)? } else { None }
            }
            _ => None,
        };
        Ok(OrderView { order: self, pay_url })
    }

    /// What the client states with a transfer: the name, and the end of the order's id, which no other has.
    fn reference(&self) -> String {
        let id = self.shop_order_id.to_string().to_uppercase();
        let name: String = self.name.chars().take(180).collect();
        format!("{name} {}", &id[id.len() - 8..])
    }

    /// Opens a payment page for it, and holds the seat of its class.
    fn wait_for_payment(&mut self, cx: &mut Write, hold_minutes: i64) -> Result<()> {
        let expires_at = cx.now().plus_days(OPEN_DAYS);
        let requested = RequestedPayment {
            client_id: self.client_id,
            invoice_id: None,
            amount: self.amount,
            currency: self.currency,
            description: self.reference(),
            expires_at,
        };
        let request = PaymentRequest::create(cx, requested)?;
        self.payment_request_id = Some(request.payment_request_id);
        cx.set_timer(&EXPIRE_ORDER, self.shop_order_id, expires_at)?;
        let Some(class) = self.calendar_event_id else { return Ok(()) };
        let until = cx.now().plus_seconds(60 * hold_minutes);
        let is_held = cx.seats()?.hold(cx, class, self.client_id, until)?;
        self.seat_held_until = is_held.then_some(until);
        self.booking_status = if is_held { OrderBooking::Held } else { OrderBooking::NotHeld };
        Ok(())
    }

    /// Sells what was ordered, at the price of the order, and books its class. What cannot be sold any more leaves the money
    /// with the client.
    fn fulfil(&mut self, cx: &mut Write) -> Result<()> {
        let sold =
            sell::sell_ordered(cx, self.client_id, self.product_id, self.price, self.starts_on);
        match sold {
            Ok((product, invoice)) => {
                self.status = OrderStatus::Completed;
                self.client_product_id = Some(product);
                self.invoice_id = Some(invoice);
            }
            Err(problem) if self.payment_request_id.is_some() && problem.status < 500 => {
                self.status = OrderStatus::Failed;
                return Ok(());
            }
            Err(problem) => return Err(problem),
        }
        let Some(class) = self.calendar_event_id else { return Ok(()) };
        self.booking_status = match cx.seats()?.book(cx, class, self.client_id) {
            Ok(BookedSeat::Booked) => OrderBooking::Booked,
            Ok(BookedSeat::Requested) => OrderBooking::Requested,
            // What was paid is theirs; what was not is sold with its class or not at all.
            Err(problem) if self.payment_request_id.is_some() && problem.status < 500 => {
                cx.seats()?.release(cx, class, self.client_id)?;
                OrderBooking::Refused
            }
            Err(problem) => return Err(problem),
        };
        Ok(())
    }

    fn save(&mut self, cx: &mut Write) -> Result<()> {
        self.updated_at = cx.now();
        cx.set_audit_target("shop_order", self.shop_order_id, ["status"]);
        cx.defer(SAVE, &self.params())
    }
}

path!(OrderPath { client_id: ClientId, shop_order_id: ShopOrderId });

listed!(Orders { shop_orders: OrderView });

filters! {
    struct Filters {
        /// Orders in this status.
        status: OrderStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_shop_orders(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Orders> {
    Client::find(cx, at.client_id)?;
    let Page { items, request, total, next } =
        cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    let items: Result<_> = items.into_iter().map(|order| order.view(cx)).collect();
    Ok(Page { items: items?, request, total, next }.into())
}

fn get_shop_order(cx: &mut Read, Path(at): Path<OrderPath>) -> Result<OrderAnswer> {
    Client::find(cx, at.client_id)?;
    let order = ShopOrder::find(cx, at.client_id, at.shop_order_id)?;
    Ok(OrderAnswer { shop_order: order.view(cx)? })
}

fn cancel_shop_order(cx: &mut Write, Path(at): Path<OrderPath>) -> Result<OrderAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let mut order = ShopOrder::find(cx, client.client_id, at.shop_order_id)?;
    if order.status != OrderStatus::AwaitingPayment {
        return Err(Problem::conflict("status", BillingRule::NotOpen));
    }
    cx.describe_effect(|| BillingEffect::OrderCancelled);
    order.end(cx, OrderStatus::Cancelled)?;
    if let Some(class) = order.calendar_event_id {
        // Another order for the same class keeps its seat.
        let own = params![order.client_id, class, order.shop_order_id];
        let (others,): (i64,) = cx.one(OTHERS, own)?.unwrap_or_default();
        if others == 0 {
            cx.seats()?.release(cx, class, order.client_id)?;
        }
    }
    Ok(OrderAnswer { shop_order: order.view(cx)? })
}

impl ShopOrder {
    /// Ends it unpaid. Money that comes all the same completes it.
    fn end(&mut self, cx: &mut Write, status: OrderStatus) -> Result<()> {
        self.status = status;
        if self.booking_status == OrderBooking::Held {
            self.booking_status = OrderBooking::NotHeld;
        }
        if let Some(id) = self.payment_request_id {
            let request = PaymentRequest::find(cx, id)?;
            if request.is_open() {
                request.end(cx, PaymentRequestStatus::Cancelled)?;
            }
        }
        self.save(cx)
    }
}

/// The order that a payment request is for was paid: it is fulfilled in a transaction of its own.
fn paid(cx: &mut Write, request: Id) -> Result<u64> {
    let found: Option<ShopOrder> = cx.one(OF_REQUEST, params![PaymentRequestId(request)])?;
    let Some(mut order) = found else { return Ok(0) };
    if matches!(order.status, OrderStatus::Paid | OrderStatus::Completed | OrderStatus::Failed) {
        return Ok(0);
    }
    let now = cx.now();
    (order.status, order.updated_at) = (OrderStatus::Paid, now);
    cx.defer(SAVE, &order.params())?;
    cx.set_timer(&FULFIL_ORDER, order.shop_order_id, now)?;
    Ok(1)
}

fn fulfil_order(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<ShopOrder> = cx.one(BY_ID, params![ShopOrderId(id)])?;
    match found {
        Some(mut order) if order.status == OrderStatus::Paid => {
            order.fulfil(cx)?;
            order.save(cx)
        }
        _ => Ok(()),
    }
}

fn expire_order(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<ShopOrder> = cx.one(BY_ID, params![ShopOrderId(id)])?;
    match found {
        Some(mut order) if order.status == OrderStatus::AwaitingPayment => {
            order.end(cx, OrderStatus::Expired)
        }
        _ => Ok(()),
    }
}

/// What an order announces that is fulfilled: the sale, and the booking.
const FULFILS: &[Event] = &[
    Event::ClientProductAssigned,
    Event::MembershipAssigned,
    Event::InvoiceCreated,
    Event::InvoicePaid,
    Event::CreditAssigned,
    Event::CreditAdjusted,
    Event::CreditRevoked,
    Event::ClientUpdated,
    Event::PaymentRequestCreated,
    Event::BookingCreated,
    Event::BookingUpdated,
    Event::BookingCancelled,
    Event::BookingRequestCreated,
];

static FULFIL_ORDER: Timer =
    Timer::new("fulfil_order", "Sell what a client ordered and paid", fulfil_order).emits(FULFILS);

static EXPIRE_ORDER: Timer =
    Timer::new("expire_order", "Expire an order that was not paid", expire_order)
        .emits(&[Event::PaymentRequestCancelled]);

const ENDS: &[Effect] =
    &[Effect::new(Offboarding::RequestPaid, || BillingEffect::OrderFulfilled.into(), paid)];

const TRACES: &[ErasureRule] = &[ErasureRule::stays(
    "shop_order",
    "Orders, as part of the books: what was ordered, and for how much.",
)];

const EXPORTS: &[ExportSection] = &[ExportSection::of("shopOrders", "list_shop_orders")];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .timers(&[&FULFIL_ORDER, &EXPIRE_ORDER])
        .ends(ENDS)
        .erases(TRACES)
        .exports(EXPORTS)
        .operations([
            operation!(GET "/finance/clients/{clientId}/orders", FinanceProductsRead, list_shop_orders)
                .summary("List a client's orders")
                .describe("Returns what the client bought by themselves, newest first.")
                .payment_page()
                .for_client(&[]),
            operation!(GET "/finance/clients/{clientId}/orders/{shopOrderId}", FinanceProductsRead,
                get_shop_order)
            .summary("Get an order")
            .describe("Returns one order with its status, and its payment page while it is unpaid.")
            .payment_page()
            .for_client(&[]),
            operation!(POST "/finance/clients/{clientId}/orders", FinanceProductsWrite,
                create_shop_order)
            .success(Success::Sold)
            .success_where("shopOrder.status", "awaiting_payment", Success::Saved)
            .summary("Order a product")
            .describe(
                "Buys a product as the client would. What is free, or is paid by transfer or at \
                 the desk, is sold at once; what is paid online is sold when the money has come, \
                 and `payUrl` is where. A class is booked with it, and its seat held meanwhile.",
            )
            .created()
            .emits(FULFILS)
            .always(&[])
            .payment_page()
            .for_client(&[])
            .fails(&[Key::CompanyNotFound, Key::ApiError, Key::AvailabilitySlotNotBookable])
            .confirmation(),
            operation!(POST "/finance/clients/{clientId}/orders/{shopOrderId}/cancel",
                FinanceProductsWrite, cancel_shop_order)
            .success(Success::Cancelled)
            .summary("Cancel an order")
            .describe(
                "Closes the payment page of an unpaid order and gives the held seat back. Money \
                 that is on its way all the same completes the order.",
            )
            .emits(&[Event::PaymentRequestCancelled, Event::BookingUpdated, Event::BookingCancelled,
                Event::CreditAdjusted, Event::CreditRevoked])
            .always(&[Event::PaymentRequestCancelled])
            .for_client(&[])
            .fails(&[Key::ApiError])
            .confirmation(),
        ])
}

lists! {
    /// The orders of a client, the newest first.
    LIST: List<ShopOrder, Filters> = List::new("shop_order WHERE company_id = ?1 AND client_id = ?2", "shop_order_id DESC");
}

statements! {
    FIND = "SELECT ", ShopOrder::COLUMNS, " FROM shop_order \
        WHERE company_id = ?1 AND client_id = ?2 AND shop_order_id = ?3";
    BY_ID = "SELECT ", ShopOrder::COLUMNS, " FROM shop_order WHERE company_id = ?1 AND shop_order_id = ?2";
    OF_REQUEST = "SELECT ", ShopOrder::COLUMNS, " FROM shop_order WHERE company_id = ?1 AND payment_request_id = ?2";
    UNPAID = "SELECT (SELECT COUNT(*) FROM shop_order WHERE company_id = ?1 AND client_id = ?2 \
        AND status = 'awaiting_payment') + (SELECT COUNT(*) FROM shop_order JOIN invoice \
        ON invoice.company_id = ?1 AND invoice.invoice_id = shop_order.invoice_id \
        WHERE shop_order.company_id = ?1 AND shop_order.client_id = ?2 \
        AND shop_order.payment_choice <> 'online' AND invoice.balance > 0)";
    OTHERS = "SELECT COUNT(*) FROM shop_order WHERE company_id = ?1 AND client_id = ?2 \
        AND calendar_event_id = ?3 AND shop_order_id <> ?4 AND status = 'awaiting_payment'";
    TRIALS = "SELECT (SELECT COUNT(*) FROM client_product WHERE company_id = ?1 AND client_id = ?2 AND product_id = ?3) \
        + (SELECT COUNT(*) FROM shop_order WHERE company_id = ?1 AND client_id = ?2 AND product_id = ?3 \
        AND status IN ('awaiting_payment', 'paid'))";
    INSERT = "INSERT INTO shop_order ", values!(ShopOrder);
    SAVE = "UPDATE shop_order SET ", set!(ShopOrder), " WHERE company_id = ?1 AND shop_order_id = ?2";
}
