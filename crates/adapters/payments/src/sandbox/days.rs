//! The bank's own activity: slow payments finish, disputes are opened and decided, pages close, and notices are sent
//! until they are accepted.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use spotter_billing::collecting::{
    connection,
    provider::{ChargebackStatus, ProviderName},
};
use spotter_kernel::{Result, Timestamp, id::CompanyId, panics::caught_async};
use spotter_store::{Checks, Tx, params, record, statements};
use tokio::sync::watch;

use super::{
    NoticePayload, SIGNATURE_HEADER,
    books::{self, BankState, NextStep},
};
use crate::{Providers, signature};

/// How often the bank checks its agenda, which asks the database nothing.
const LOOK: Duration = Duration::from_millis(500);
/// Number of those checks after which it looks at its books in any case.
const CHECKS_BETWEEN: u32 = 10;
/// How much it does in one go.
const STEP: i64 = 100;

record! {
    /// A notice to send.
    #[derive(Clone, Debug)]
    struct PendingNotice {
        company_id: CompanyId,
        notice: String,
        about: String,
        reference: String,
    }
}

impl Providers {
    /// Runs the sandbox until the stop.
    pub async fn run_sandbox(self, mut stop: watch::Receiver<bool>) {
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut checks, signals) = (Checks::new(books::QUEUE, CHECKS_BETWEEN), self.db.signals());
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stopped| *stopped) => return,
                _ = looks.tick() => {}
            }
            if !checks.is_due(signals.agenda(), self.env.clock.now()) {
                continue;
            }
            let worked = caught_async(self.work_a_day()).await;
            let why = match worked {
                Ok(Ok(())) => continue,
                Ok(Err(problem)) => problem.to_string(),
                Err(panic) => panic,
            };
            tracing::warn!(
                why,
                "the sandbox of payments could not do what was due; it tries again in a moment"
            );
        }
    }

    async fn work_a_day(&self) -> Result<()> {
        let now = self.env.clock.now();
        // Looking takes no place in the queue of those who write.
        let (due, to_tell) = self.db.read(move |tx| read_due_notices(tx, now)).await?;
        if due {
            self.db.write(move |tx| run_due(tx, now)).await?;
        }
        for submitted in to_tell {
            self.send_notice(submitted).await?;
        }
        Ok(())
    }

    /// Sends one notice as over the network: signed, and repeated until it is accepted.
    async fn send_notice(&self, output: PendingNotice) -> Result<()> {
        let PendingNotice { company_id: company, notice, about, reference } = output;
        let account = self.read(company, connection::account).await?;
        let (gone, now) = (notice.clone(), self.env.clock.now());
        // A company that is disconnected gets its notices once it is connected again.
        let account = account.filter(|own| own.provider == ProviderName::Sandbox);
        let Some(account) = account else { return Ok(()) };
        let payload = NoticePayload { notice, about, reference };
        let body = serde_json::to_string(&payload).map_err(spotter_kernel::Problem::internal)?;
        let mut headers = HeaderMap::new();
        let signed = signature::sign(&account.keys.notices, &body, now);
        if let Ok(signed) = HeaderValue::from_str(&signed) {
            headers.insert(SIGNATURE_HEADER, signed);
        }
        self.take_notice(ProviderName::Sandbox.word(), company, &headers, &body).await?;
        let forget =
            move |tx: &mut Tx<'_>| tx.execute(REMOVE_NOTICE, params![company, gone]).map(drop);
        self.db.write(forget).await
    }
}

fn read_due_notices(tx: &mut Tx<'_>, now: Timestamp) -> Result<(bool, Vec<PendingNotice>)> {
    // It is about all companies, and would wait for that server.
    if tx.is_server_away()? {
        return Ok((false, Vec::new()));
    }
    let due: Option<(i64,)> = tx.one(COUNT_DUE, params![now])?;
    Ok((due.is_some_and(|(count,)| count > 0), tx.all(TO_TELL, params![STEP])?))
}

/// When the bank has something to do next; in the past where it has a notice to send.
pub fn next_due(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    if !tx.all::<PendingNotice>(TO_TELL, params![1i64])?.is_empty() {
        return Ok(Some(Timestamp::from_millis(0)));
    }
    let (ever, one) = (Timestamp::from_millis(i64::MAX), 1i64);
    let mut next: Vec<(Timestamp,)> = tx.all(NEXT_PAYMENT, params![ever, one])?;
    next.extend(tx.all::<(Timestamp,)>(NEXT_DISPUTE, params![ever, one])?);
    Ok(next.into_iter().map(|(next_at,)| next_at).min())
}

/// Takes the pending notices of a company, with their names.
pub(super) fn take_pending_notices(
    tx: &mut Tx<'_>,
    company: CompanyId,
) -> Result<Vec<(String, String)>> {
    let all: Vec<PendingNotice> = tx.all(TO_TELL, params![STEP])?;
    let mut output = Vec::new();
    for one in all.into_iter().filter(|one| one.company_id == company) {
        tx.execute(REMOVE_NOTICE, params![company, one.notice])?;
        output.push((one.about, one.reference));
    }
    Ok(output)
}

/// Does what is due by now.
pub(super) fn run_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<()> {
    let payments: Vec<(CompanyId, String)> = tx.all(DUE_PAYMENTS, params![now, STEP])?;
    for (company, reference) in payments {
        let Some(mut payment) = books::payment(tx, company, &reference)? else { continue };
        let Some(step) = payment.next.take() else { continue };
        payment.next_at = None;
        match step {
            NextStep::Succeed => payment.state = BankState::Succeeded,
            NextStep::Fail => payment.state = BankState::Failed,
            NextStep::Close => payment.state = BankState::Cancelled,
            NextStep::Dispute | NextStep::DisputeInVain | NextStep::Return => {
                books::take_back(tx, company, &payment, step, now)?;
            }
        }
        payment.save(tx, company)?;
    }
    let disputes: Vec<(CompanyId, String)> = tx.all(DUE_DISPUTES, params![now, STEP])?;
    for (company, reference) in disputes {
        let Some(dispute) = books::dispute(tx, company, &reference)? else { continue };
        let state = match dispute.next {
            Some(NextStep::Succeed) => ChargebackStatus::Won,
            _ => ChargebackStatus::Lost,
        };
        books::decide(tx, company, dispute, state)?;
    }
    Ok(())
}

statements! {
    COUNT_DUE = "SELECT (SELECT COUNT(*) FROM sandbox_payment WHERE next_at <= ?1) \
        + (SELECT COUNT(*) FROM sandbox_dispute WHERE next_at <= ?1)";
    NEXT_PAYMENT = "SELECT next_at FROM sandbox_payment WHERE next_at <= ?1 ORDER BY next_at LIMIT ?2";
    NEXT_DISPUTE = "SELECT next_at FROM sandbox_dispute WHERE next_at <= ?1 ORDER BY next_at LIMIT ?2";
    TO_TELL = "SELECT n.company_id, n.notice, n.about, n.reference FROM sandbox_notice n \
        JOIN payment_provider p ON p.company_id = n.company_id AND p.provider = 'sandbox' \
        ORDER BY n.company_id, n.notice LIMIT ?1";
    DUE_PAYMENTS = "SELECT company_id, reference FROM sandbox_payment WHERE next_at <= ?1 \
        ORDER BY next_at LIMIT ?2";
    DUE_DISPUTES = "SELECT company_id, reference FROM sandbox_dispute WHERE next_at <= ?1 \
        ORDER BY next_at LIMIT ?2";
    REMOVE_NOTICE = "DELETE FROM sandbox_notice WHERE company_id = ?1 AND notice = ?2";
}
