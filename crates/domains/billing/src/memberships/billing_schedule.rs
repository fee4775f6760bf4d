//! The billing schedule of a membership: invoices, pauses and end, computed from dates alone. Billing, previews and
//! forecasts use the same functions. Dates are the company's; an end is the first day after. Needs no database.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_kernel::{Date, Problem, Result};
use spotter_store::words;

use crate::{
    billing::tax::for_days,
    memberships::{
        period::first_of_month,
        subscription::{Pause, Subscription},
    },
    rules::BillingRule,
    sales::terms::SaleTerms,
    settings::{BillingAnchor, CancellationEnd, FirstPeriod, PauseBilling},
};

words! {
    /// Why an invoice has its amount: a whole period, partial days at the start or end, or a deduction for days of a
    /// pause.
    pub enum BillReason {
        Period = "period",
        FirstDays = "first_days",
        FirstFree = "first_free",
        LastDays = "last_days",
        Paused = "paused",
    }
}

/// Upcoming invoices by period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct PeriodBill {
    /// The first day that is billed.
    pub period_start: Date,
    /// The first day after the billed period.
    pub period_end: Date,
    /// Amount in minor units of the membership's currency, including VAT.
    pub amount: i64,
    /// Reasons for the amount.
    pub reasons: Vec<BillReason>,
}

/// From when a membership's periods are counted, and its first bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingStart {
    /// The date from which periods are counted.
    pub anchor: Date,
    /// What is billed next.
    pub bill: PeriodBill,
}

/// The first invoices of a membership that starts on a date. Days before the first of a month cost their share of the
/// period that would have ended with them, and a term shorter than its first period costs its days.
pub fn billing_start(
    terms: &SaleTerms,
    start: Date,
    anchor: BillingAnchor,
    first: FirstPeriod,
) -> Result<BillingStart> {
    let first_of = first_of_month(start);
    let term_end = terms.term_end(start);
    if anchor == BillingAnchor::Start || first_of == start {
        let whole = PeriodBill {
            period_start: start,
            period_end: terms.period.start(start, 1),
            amount: terms.price,
            reasons: vec![BillReason::Period],
        };
        let bill = match term_end {
            Some(end) => whole.cut(end, terms.price, whole.days()),
            None => whole,
        };
        return Ok(BillingStart { anchor: start, bill });
    }
    if !terms.period.is_months() {
        return Err(Problem::invalid("billingAnchor", BillingRule::AnchoredPartialMonths));
    }
    let whole = terms.period.start(first_of, -1).days_until(first_of);
    let (amount, reason) = match first {
        FirstPeriod::Prorate => {
            (for_days(terms.price, start.days_until(first_of), whole), BillReason::FirstDays)
        }
        FirstPeriod::Full => (terms.price, BillReason::Period),
        FirstPeriod::Free => (0, BillReason::FirstFree),
    };
    let bill =
        PeriodBill { period_start: start, period_end: first_of, amount, reasons: vec![reason] };
    let bill = match term_end.filter(|_| amount > 0) {
        Some(end) => bill.cut(end, terms.price, whole),
        None => bill,
    };
    Ok(BillingStart { anchor: first_of, bill })
}

/// Continues a membership that began in another system: its periods and term are counted from that date, and the
/// first one that is billed here starts on another.
pub fn imported_start(terms: &SaleTerms, began: Date, start: Date) -> Result<BillingStart> {
    if began > start {
        return Err(Problem::invalid("anchorDate", BillingRule::AfterStartsOn));
    }
    let (_, own, next) = terms.period.around(began, start);
    if own != start {
        return Err(Problem::invalid("startsOn", BillingRule::NotPeriodStart { next }));
    }
    let whole = PeriodBill {
        period_start: start,
        period_end: next,
        amount: terms.price,
        reasons: vec![BillReason::Period],
    };
    let bill = match terms.term_end(began) {
        Some(end) if end <= start => {
            return Err(Problem::invalid("startsOn", BillingRule::AfterTerm { end }));
        }
        Some(end) => whole.cut(end, terms.price, whole.days()),
        None => whole,
    };
    Ok(BillingStart { anchor: began, bill })
}

impl PeriodBill {
    /// Days that it bills.
    fn days(&self) -> i64 {
        self.period_start.days_until(self.period_end)
    }

    /// The same with an end on a date: the days until then, of a period of `whole` days.
    fn cut(&self, end: Date, price: i64, whole: i64) -> Self {
        if end >= self.period_end {
            return self.clone();
        }
        let amount = for_days(price, self.period_start.days_until(end), whole);
        Self {
            period_start: self.period_start,
            period_end: end,
            amount,
            reasons: vec![BillReason::LastDays],
        }
    }
}

/// The number of a pause's days from a start to before an end.
fn days_within(pause: &Pause, start: Date, end: Date) -> i64 {
    pause.from.max(start).days_until(pause.until.min(end)).max(0)
}

impl Subscription {
    /// The next invoice, whenever it is due; `None` where there is none.
    pub fn next_bill(&self) -> Option<PeriodBill> {
        let period_start = self.next_billing_date?;
        if self.end_date.is_some_and(|end| end <= period_start) {
            return None;
        }
        let (_, _, whole_end) = self.period.around(self.anchor_date, period_start);
        let whole = period_start.days_until(whole_end);
        let bill = PeriodBill {
            period_start,
            period_end: whole_end,
            amount: self.price,
            reasons: vec![BillReason::Period],
        };
        let PeriodBill { period_end, mut amount, mut reasons, .. } = match self.end_date {
            Some(end) => bill.cut(end, self.price, whole),
            None => bill,
        };
        let paused: i64 = self.deductions(period_end).map(|(_, days)| days).sum();
        if paused > 0 {
            reasons.push(BillReason::Paused);
            amount -= for_days(self.price, paused, whole).min(amount);
        }
        Some(PeriodBill { period_start, period_end, amount, reasons })
    }

    /// Pauses that leave invoice dates as they are; for each, the days before a date that no invoice has been reduced
    /// by: at most as many as a period has, the rest with the next invoice.
    fn deductions(&self, before: Date) -> impl Iterator<Item = (usize, i64)> {
        let start = self.next_billing_date.unwrap_or(before);
        let mut room = start.days_until(before);
        self.pauses.0.iter().enumerate().filter_map(move |(at, pause)| {
            let days = pause.from.days_until(pause.until.min(before)).max(0) - pause.deducted_days;
            let days = days.min(room);
            room -= days.max(0);
            (pause.billing == PauseBilling::Fixed && days > 0).then_some((at, days))
        })
    }

    /// Advances after an invoice: its period is paid for, and the next one is due where it ends.
    pub fn billed(&mut self, bill: &PeriodBill) {
        let deductions: Vec<_> = self.deductions(bill.period_end).collect();
        for (at, days) in deductions {
            self.pauses.0[at].deducted_days += days;
        }
        self.paid_until = bill.period_end;
        let ends = self.end_date.is_some_and(|end| end <= bill.period_end);
        self.next_billing_date = (!ends).then_some(bill.period_end);
    }

    /// Skips periods that were over before they could be billed, up to the one that contains a date; returns their
    /// number.
    pub fn skip_to(&mut self, today: Date) -> i64 {
        let mut skipped = 0;
        while let Some(bill) = self.next_bill().filter(|bill| bill.period_end <= today) {
            self.billed(&bill);
            skipped += 1;
        }
        self.skipped_periods += skipped;
        skipped
    }

    /// Begins a pause. Where invoices move with it, the paid days that are left come after it, and the next invoice
    /// after those; otherwise invoices keep their dates.
    pub fn begin_pause(&mut self, at: usize) {
        let Some(pause) = self.pauses.0.get_mut(at) else { return };
        pause.begun = true;
        pause.anchor_before = Some(self.anchor_date);
        let (from, until, billing) = (pause.from, pause.until, pause.billing);
        self.move_by(billing, from, from.days_until(until));
    }

    /// Ends a running pause earlier than planned.
    pub fn resume(&mut self, at: usize, on: Date) {
        let Some(pause) = self.pauses.0.get_mut(at) else { return };
        let (fewer, billing, from) = (on.days_until(pause.until), pause.billing, pause.from);
        let before = pause.anchor_before.filter(|_| on <= pause.from);
        pause.until = on;
        self.move_by(billing, from, -fewer);
        self.move_term(billing, -fewer);
        self.anchor_date = before.unwrap_or(self.anchor_date);
        // An end that was requested during the pause leaves days that nobody has billed.
        if self.end_date.is_some_and(|end| self.paid_until < end) {
            self.next_billing_date = self.next_billing_date.or(Some(self.paid_until));
        }
    }

    /// Cancels a pause that has not begun.
    pub fn drop_pause(&mut self, at: usize) {
        let pause = self.pauses.0.remove(at);
        self.move_term(pause.billing, -pause.from.days_until(pause.until));
    }

    /// A term ends later by the planned length of the pause. A requested end stays.
    fn move_term(&mut self, billing: PauseBilling, days: i64) {
        if billing == PauseBilling::Flexible && !self.auto_renew {
            self.end_date = self.end_date.map(|end| end.plus_days(days).unwrap_or(end));
        }
    }

    /// Moves the dates after the beginning of a pause. A minimum term that was over before does not start again.
    fn move_by(&mut self, billing: PauseBilling, from: Date, days: i64) {
        let moved = |date: Date| date.plus_days(days).unwrap_or(date);
        let bound = |end: Date| if end > from { moved(end) } else { end };
        self.minimum_end_date = self.minimum_end_date.map(bound);
        if billing == PauseBilling::Flexible {
            self.paid_until = moved(self.paid_until);
            self.anchor_date = match self.next_billing_date {
                // Periods are counted from the day on which the next one begins.
                Some(next) => moved(next),
                None => moved(self.anchor_date),
            };
            self.next_billing_date = self.next_billing_date.map(moved);
        }
    }

    /// The pause in which a date lies.
    pub fn pause_on(&self, date: Date) -> Option<usize> {
        self.pauses.0.iter().position(|pause| pause.from <= date && date < pause.until)
    }

    /// The pause that is the next to begin.
    pub fn next_pause(&self) -> Option<(usize, Date)> {
        self.pauses.0.iter().position(|pause| !pause.begun).map(|at| (at, self.pauses.0[at].from))
    }

    /// Plans a pause where that is allowed.
    pub fn plan_pause(&mut self, pause: Pause, days_a_year: i64) -> Result<()> {
        if let Some(end) = self.end_date.filter(|end| pause.until >= *end) {
            return Err(Problem::conflict("until", BillingRule::AfterEnd { end }));
        }
        let overlaps = |one: &Pause| days_within(one, pause.from, pause.until) > 0;
        if self.pauses.0.iter().any(overlaps) {
            return Err(Problem::conflict("from", BillingRule::InPause));
        }
        for year in pause.from.0.year()..=pause.until.0.year() {
            let first = |year| Date(jiff::civil::date(year, 1, 1));
            let (start, end) = (first(year), first(year.saturating_add(1)));
            let days = |one: &Pause| days_within(one, start, end);
            let all = self.pauses.0.iter().map(days).sum::<i64>() + days(&pause);
            if days(&pause) > 0 && all > days_a_year {
                return Err(Problem::conflict(
                    "until",
                    BillingRule::PausedTooLong { days_a_year, year, all },
                ));
            }
        }
        let (billing, days) = (pause.billing, pause.from.days_until(pause.until));
        if let Some(end) = self.end_date.filter(|_| self.auto_renew)
            && billing == PauseBilling::Flexible
            && self.paid_until.plus_days(days).is_none_or(|paid| paid > end)
        {
            return Err(Problem::conflict("until", BillingRule::PauseBeyondEnd { end }));
        }
        let at = self.pauses.0.partition_point(|one| one.from < pause.from);
        self.pauses.0.insert(at, pause);
        self.move_term(billing, days);
        Ok(())
    }

    /// When it ends if it is cancelled on a date, and the rule that decides; pauses that are planned before then
    /// count.
    pub fn end_after(&self, today: Date, until: CancellationEnd) -> SubscriptionEnd {
        let mut subscription = self.clone();
        loop {
            let end = subscription.end_as_it_runs(today, until);
            let Some((at, from)) = subscription.next_pause().filter(|(_, from)| *from < end.date)
            else {
                return end;
            };
            while let Some(bill) = subscription.next_bill().filter(|bill| bill.period_start < from)
            {
                subscription.billed(&bill);
            }
            subscription.begin_pause(at);
        }
    }

    fn end_as_it_runs(&self, today: Date, until: CancellationEnd) -> SubscriptionEnd {
        let notice = self.notice_period.after(today);
        let bound = self.minimum_end_date.filter(|end| *end > notice);
        let earliest = bound.unwrap_or(notice);
        let rule = match bound {
            Some(_) => EndRule::MinimumTerm,
            None => EndRule::Notice,
        };
        // A membership that has not begun can end before it begins, regardless of a minimum term.
        if today < self.start_date {
            return SubscriptionEnd { date: self.start_date, rule: EndRule::NotBegun };
        }
        if until == CancellationEnd::NoticeEnd {
            return SubscriptionEnd { date: earliest, rule };
        }
        // With the period that is running then; billed days are not shortened.
        let (_, start, next) = self.period.around(self.anchor_date, earliest);
        // A period that begins today is running, whether or not its timer has run.
        let is_over = start == earliest && earliest > today;
        let date = if is_over { start } else { next }.max(self.paid_until);
        let rule = if date == earliest || bound.is_some() { rule } else { EndRule::PeriodEnd };
        SubscriptionEnd { date, rule }
    }

    /// Ends it on a date: nothing is billed from then on.
    pub fn end_on(&mut self, date: Date) {
        self.end_date = Some(date);
        self.next_billing_date = self.next_billing_date.filter(|next| *next < date);
    }

    /// Up to `most` future invoices, if nothing is changed.
    pub fn bills_to_come(&self, most: usize) -> Vec<PeriodBill> {
        let mut subscription = self.clone();
        let mut bills = Vec::new();
        while bills.len() < most {
            let next = subscription.next_billing_date;
            if let Some((at, from)) = subscription.next_pause()
                && next.is_none_or(|next| from <= next)
            {
                subscription.begin_pause(at);
                continue;
            }
            let Some(bill) = subscription.next_bill() else { break };
            subscription.billed(&bill);
            if bill.amount > 0 || subscription.price == 0 {
                bills.push(bill);
            }
        }
        bills
    }
}

words! {
    /// The rule that decides when a cancelled membership ends.
    pub enum EndRule {
        NotBegun = "not_begun",
        Immediately = "immediately",
        Notice = "notice",
        MinimumTerm = "minimum_term",
        PeriodEnd = "period_end",
        Wished = "wished",
    }
}

/// When a cancelled membership ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscriptionEnd {
    /// The first day after.
    pub date: Date,
    /// The rule that decides.
    pub rule: EndRule,
}
