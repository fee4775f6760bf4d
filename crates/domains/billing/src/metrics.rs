//! Reports' metrics of invoices, payments and memberships, by the company's dates and the client's home location of
//! that day: amounts billed, paid and refunded on a day, and the day's change of outstanding balance and monthly
//! recurring revenue.

use spotter_company::metrics::{Balance, Revenue};
use spotter_contract::{
    Area, MetricSheet, Read, Recount, Write,
    metrics::{self, Days, Difference, scopes},
};
use spotter_kernel::{
    Date, DateRange, Id, Result,
    id::{ClientId, LocationId},
    money::Currency,
};
use spotter_people::clients::Client;
use spotter_store::{params, record, statements};

use crate::{
    billing::invoice::{Invoice, InvoiceKind, InvoiceStatus},
    catalogue::vocabulary::Period,
    collecting::{chargeback::Chargeback, provider::ChargebackStatus},
    memberships::subscription::{Subscription, SubscriptionStatus},
    payments::{
        payment::{Payment, PaymentStatus},
        refunds::{Refund, RefundStatus},
    },
};

const NONE: Revenue = Revenue {
    invoiced_net: 0,
    invoiced_vat: 0,
    invoiced_gross: 0,
    credited_net: 0,
    credited_vat: 0,
    credited_gross: 0,
    collected: 0,
    refunded: 0,
    disputes_opened: 0,
    disputes_lost: 0,
};

/// Metrics of a day, should there be one, of a currency, where the client mostly is.
fn sheet_of(
    home: Option<LocationId>,
    on: Option<Date>,
    currency: Currency,
    revenue: Revenue,
) -> MetricSheet<Revenue> {
    let mut sheet = MetricSheet::default();
    if let Some(day) = on {
        sheet.add(&scopes(home, None), day, currency.code(), revenue, 1);
    }
    sheet
}

record! {
    /// Of a bill or a credit note, what counts.
    struct BilledAmounts {
        kind: InvoiceKind,
        home_location_id: Option<LocationId>,
        currency: Currency,
        issue_date: Date,
        net_total: i64,
        tax_total: i64,
        gross_total: i64,
    }
}

impl BilledAmounts {
    fn sheet(&self) -> MetricSheet<Revenue> {
        let (net, vat, gross) = (self.net_total, self.tax_total, self.gross_total);
        let metrics = match self.kind {
            InvoiceKind::Invoice => {
                Revenue { invoiced_net: net, invoiced_vat: vat, invoiced_gross: gross, ..NONE }
            }
            InvoiceKind::CreditNote => {
                Revenue { credited_net: net, credited_vat: vat, credited_gross: gross, ..NONE }
            }
        };
        sheet_of(self.home_location_id, Some(self.issue_date), self.currency, metrics)
    }
}

record! {
    /// Money that came or went on a day.
    struct MoneyMovement {
        home_location_id: Option<LocationId>,
        settled_on: Option<Date>,
        currency: Currency,
        amount: i64,
    }
}

impl MoneyMovement {
    fn collected(&self) -> MetricSheet<Revenue> {
        let metrics = Revenue { collected: self.amount, ..NONE };
        sheet_of(self.home_location_id, self.settled_on, self.currency, metrics)
    }

    fn refunded(&self) -> MetricSheet<Revenue> {
        let metrics = Revenue { refunded: self.amount, ..NONE };
        sheet_of(self.home_location_id, self.settled_on, self.currency, metrics)
    }
}

record! {
    /// The parts of a chargeback that count.
    struct DisputedAmounts {
        home_location_id: Option<LocationId>,
        opened_on: Option<Date>,
        closed_on: Option<Date>,
        currency: Currency,
        amount: i64,
        taken: i64,
        status: ChargebackStatus,
    }
}

impl DisputedAmounts {
    fn sheet(&self) -> MetricSheet<Revenue> {
        let opened = Revenue { disputes_opened: self.amount, ..NONE };
        let mut sheet = sheet_of(self.home_location_id, self.opened_on, self.currency, opened);
        if self.status == ChargebackStatus::Lost {
            let lost = Revenue { disputes_lost: self.taken, ..NONE };
            sheet.join(&sheet_of(self.home_location_id, self.closed_on, self.currency, lost), 1);
        }
        sheet
    }
}

impl Payment {
    fn collected(&self) -> MetricSheet<Revenue> {
        let moved = MoneyMovement {
            home_location_id: self.home_location_id,
            settled_on: self.settled_on.filter(|_| self.status == PaymentStatus::Succeeded),
            currency: self.currency,
            amount: self.amount,
        };
        moved.collected()
    }

    /// Notes on which date it became final, and where its client mostly was then; the metrics follow.
    pub(crate) fn update_metrics(&mut self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        if self.settled_at.is_some() && self.settled_on.is_none() {
            self.settled_on = Some(cx.today()?);
            self.home_location_id = home_of(cx, self.client_id)?;
        }
        cx.update_metrics(&before.map(Self::collected).unwrap_or_default(), &self.collected());
        Ok(())
    }
}

fn home_of(cx: &mut Read, client: ClientId) -> Result<Option<LocationId>> {
    Ok(Client::find_optional(cx, client)?.and_then(|client| client.home_location_id()))
}

impl Refund {
    /// Notes on which date it went back; the metrics follow.
    pub(crate) fn update_metrics(&mut self, cx: &mut Write, payment: &Payment) -> Result<()> {
        if self.status == RefundStatus::Succeeded {
            self.settled_on = Some(cx.today()?);
            self.home_location_id = payment.home_location_id;
            let (home_location_id, settled_on) = (self.home_location_id, self.settled_on);
            let (currency, amount) = (self.currency, self.amount);
            let moved = MoneyMovement { home_location_id, settled_on, currency, amount };
            cx.update_metrics(&MetricSheet::default(), &moved.refunded());
        }
        Ok(())
    }
}

impl Chargeback {
    fn disputed(&self) -> MetricSheet<Revenue> {
        let disputed = DisputedAmounts {
            home_location_id: self.home_location_id,
            opened_on: self.opened_on,
            closed_on: self.closed_on,
            currency: self.currency,
            amount: self.amount,
            taken: self.taken,
            status: self.status,
        };
        disputed.sheet()
    }

    /// Notes on which dates it began and was decided; the metrics follow.
    pub(crate) fn update_metrics(&mut self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        let today = cx.today()?;
        self.opened_on.get_or_insert(today);
        if self.closed_at.is_some() {
            self.closed_on.get_or_insert(today);
        }
        cx.update_metrics(&before.map(Self::disputed).unwrap_or_default(), &self.disputed());
        Ok(())
    }
}

const LEVEL: Balance = Balance { outstanding: 0, mrr: 0, paused_mrr: 0 };

fn level(
    home: Option<LocationId>,
    day: Date,
    currency: Currency,
    balance: Balance,
) -> MetricSheet<Balance> {
    let mut sheet = MetricSheet::default();
    sheet.add(&scopes(home, None), day, currency.code(), balance, 1);
    sheet
}

impl Invoice {
    /// What is left to pay of it, unless it was written off.
    fn outstanding(&self) -> i64 {
        match self.status {
            InvoiceStatus::Open | InvoiceStatus::Overdue => self.balance,
            _ => 0,
        }
    }

    /// The metrics follow a bill that was issued, or is owed less or more.
    pub(crate) fn update_metrics(&self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        if before.is_none() {
            let billed = BilledAmounts {
                kind: self.kind,
                home_location_id: self.home_location_id,
                currency: self.currency,
                issue_date: self.issue_date,
                net_total: self.net_total,
                tax_total: self.tax_total,
                gross_total: self.gross_total,
            };
            cx.update_metrics(&MetricSheet::default(), &billed.sheet());
        }
        let more = self.outstanding() - before.map_or(0, Self::outstanding);
        if more != 0 {
            // A date of issue never goes back, even where the clock does.
            let today = cx.today()?.max(self.issue_date);
            let more = Balance { outstanding: more, ..LEVEL };
            cx.add_metrics(&level(self.home_location_id, today, self.currency, more));
        }
        Ok(())
    }
}

impl Period {
    /// How often it is in a year.
    const fn a_year(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Day => 365,
            Self::Week => 52,
            Self::FourWeeks => 13,
            Self::Month => 12,
            Self::Quarter => 4,
            Self::HalfYear => 2,
            Self::Year => 1,
        }
    }
}

record! {
    /// Of a membership, what counts.
    struct CountedSubscription {
        home_location_id: Option<LocationId>,
        start_date: Date,
        currency: Currency,
        price: i64,
        period: Period,
        status: SubscriptionStatus,
    }
}

impl CountedSubscription {
    /// Its monthly recurring revenue in twelfths: the price of a year.
    fn recurring(&self) -> Balance {
        let year = self.price.saturating_mul(self.period.a_year());
        match self.status {
            SubscriptionStatus::Active | SubscriptionStatus::PastDue => {
                Balance { mrr: year, ..LEVEL }
            }
            SubscriptionStatus::Paused => Balance { paused_mrr: year, ..LEVEL },
            _ => LEVEL,
        }
    }
}

impl Subscription {
    fn counted_subscription(&self) -> CountedSubscription {
        CountedSubscription {
            home_location_id: self.home_location_id,
            start_date: self.start_date,
            currency: self.currency,
            price: self.price,
            period: self.period,
            status: self.status,
        }
    }

    /// Updates the metrics of a membership that began, paused, resumed or ended.
    pub(crate) fn update_metrics(&self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        let mut more = self.counted_subscription().recurring();
        if let Some(before) = before {
            spotter_store::DailyMetrics::add(
                &mut more,
                &before.counted_subscription().recurring(),
                -1,
            );
        }
        if more != LEVEL {
            let today = cx.today()?;
            cx.add_metrics(&level(self.home_location_id, today, self.currency, more));
        }
        Ok(())
    }
}

fn span(cx: &mut Read) -> Result<Days> {
    metrics::days_with::<Revenue>(cx, &[BILLED_SPAN, PAID_SPAN])
}

/// Most records that are given their dates in one step.
const STEP: i64 = 500;

/// Gives payments, refunds and chargebacks of before the dates that they lack.
fn prepare(cx: &mut Write) -> Result<bool> {
    let zone = cx.zone()?;
    let payments: Vec<(Id, ClientId, spotter_kernel::Timestamp)> =
        cx.all(UNDATED_PAYMENTS, params![STEP])?;
    for (id, client, at) in &payments {
        let home = home_of(cx, *client)?;
        cx.defer(DATE_PAYMENT, params![*id, zone.date_at(*at), home])?;
    }
    if !payments.is_empty() {
        return Ok(true);
    }
    let refunds: Vec<(Id, spotter_kernel::Timestamp, Option<LocationId>)> =
        cx.all(UNDATED_REFUNDS, params![STEP])?;
    for (id, at, home) in &refunds {
        cx.defer(DATE_REFUND, params![*id, zone.date_at(*at), *home])?;
    }
    let chargebacks: Vec<UndatedChargeback> = cx.all(UNDATED_CHARGEBACKS, params![STEP])?;
    for one in &chargebacks {
        let closed = one.closed_at.map(|at| zone.date_at(at));
        let dates = (zone.date_at(one.created_at), closed);
        cx.defer(
            DATE_CHARGEBACK,
            params![one.chargeback_id, dates.0, dates.1, one.home_location_id],
        )?;
    }
    Ok(!refunds.is_empty() || !chargebacks.is_empty())
}

record! {
    struct UndatedChargeback {
        chargeback_id: Id,
        created_at: spotter_kernel::Timestamp,
        closed_at: Option<spotter_kernel::Timestamp>,
        home_location_id: Option<LocationId>,
    }
}

/// Recounts a month.
fn month(cx: &mut Write, from: Date, to: Date, mend: bool) -> Result<Vec<Difference>> {
    let mut sheet = MetricSheet::default();
    let billed: Vec<BilledAmounts> = cx.all(BILLED, params![from, to])?;
    billed.iter().for_each(|one| sheet.join(&one.sheet(), 1));
    let paid: Vec<MoneyMovement> = cx.all(PAID, params![from, to])?;
    paid.iter().for_each(|one| sheet.join(&one.collected(), 1));
    let refunded: Vec<MoneyMovement> = cx.all(REFUNDED, params![from, to])?;
    refunded.iter().for_each(|one| sheet.join(&one.refunded(), 1));
    let disputed: Vec<DisputedAmounts> = cx.all(DISPUTED, params![from, to])?;
    disputed.iter().for_each(|one| sheet.join(&one.sheet(), 1));
    metrics::compare(cx, &sheet.between(from, to), DateRange { from, to }, mend)
}

/// Outstanding balance and monthly recurring revenue as of now: earlier values cannot be reconstructed.
fn now(cx: &mut Write, mend: bool) -> Result<Vec<Difference>> {
    let today = cx.today()?;
    let mut sheet = MetricSheet::default();
    let owed: Vec<(Option<LocationId>, Date, Currency, i64)> = cx.all(OWED, params![])?;
    for (home, day, currency, outstanding) in owed {
        sheet.join(&level(home, day, currency, Balance { outstanding, ..LEVEL }), 1);
    }
    let running: Vec<CountedSubscription> = cx.all(RUNNING, params![])?;
    for subscription in running {
        let day = subscription.start_date.min(today);
        let own = level(
            subscription.home_location_id,
            day,
            subscription.currency,
            subscription.recurring(),
        );
        sheet.join(&own, 1);
    }
    metrics::compare_totals(cx, &sheet, today, mend)
}

static RECOUNT: Recount = Recount { span, prepare, month, now };

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).recounts(&[&RECOUNT])
}

statements! {
    BILLED_SPAN = "SELECT MIN(issue_date), MAX(issue_date) FROM invoice WHERE company_id = ?1";
    PAID_SPAN = "SELECT MIN(settled_on), MAX(settled_on) FROM payment WHERE company_id = ?1";
    UNDATED_PAYMENTS = "SELECT payment_id, client_id, settled_at FROM payment WHERE company_id = ?1 \
        AND settled_on IS NULL AND settled_at IS NOT NULL ORDER BY payment_id LIMIT ?2";
    DATE_PAYMENT = "UPDATE payment SET (settled_on, home_location_id) = (?3, ?4) \
        WHERE company_id = ?1 AND payment_id = ?2";
    UNDATED_REFUNDS = "SELECT refund_id, refund.updated_at, payment.home_location_id FROM refund \
        JOIN payment ON payment.company_id = refund.company_id AND payment.payment_id = refund.payment_id \
        WHERE refund.company_id = ?1 AND refund.settled_on IS NULL AND refund.status = 'succeeded' \
        ORDER BY refund_id LIMIT ?2";
    DATE_REFUND = "UPDATE refund SET (settled_on, home_location_id) = (?3, ?4) \
        WHERE company_id = ?1 AND refund_id = ?2";
    UNDATED_CHARGEBACKS = "SELECT chargeback_id, chargeback.created_at, closed_at, payment.home_location_id \
        FROM chargeback JOIN payment ON payment.company_id = chargeback.company_id \
        AND payment.payment_id = chargeback.payment_id \
        WHERE chargeback.company_id = ?1 AND opened_on IS NULL ORDER BY chargeback_id LIMIT ?2";
    DATE_CHARGEBACK = "UPDATE chargeback SET (opened_on, closed_on, home_location_id) = (?3, ?4, ?5) \
        WHERE company_id = ?1 AND chargeback_id = ?2";
    BILLED = "SELECT ", BilledAmounts::COLUMNS, " FROM invoice WHERE company_id = ?1 \
        AND issue_date >= ?2 AND issue_date <= ?3";
    PAID = "SELECT ", MoneyMovement::COLUMNS, " FROM payment WHERE company_id = ?1 \
        AND settled_on >= ?2 AND settled_on <= ?3 AND status = 'succeeded'";
    REFUNDED = "SELECT ", MoneyMovement::COLUMNS, " FROM refund WHERE company_id = ?1 \
        AND settled_on >= ?2 AND settled_on <= ?3 AND status = 'succeeded'";
    DISPUTED = "SELECT ", DisputedAmounts::COLUMNS, " FROM chargeback WHERE company_id = ?1 \
        AND (opened_on >= ?2 AND opened_on <= ?3 OR closed_on >= ?2 AND closed_on <= ?3)";
    OWED = "SELECT home_location_id, issue_date, currency, balance FROM invoice WHERE company_id = ?1 \
        AND status IN ('open', 'overdue') AND balance > 0";
    RUNNING = "SELECT ", CountedSubscription::COLUMNS, " FROM subscription WHERE company_id = ?1 \
        AND status IN ('active', 'past_due', 'paused')";
}
