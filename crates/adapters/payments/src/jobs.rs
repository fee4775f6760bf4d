//! The jobs of collecting: charging, refunding, and following providers' notices. A provider is called between two
//! transactions, never within one.

use std::sync::Arc;

use spotter_billing::{
    COLLECTS,
    collecting::{
        chargeback,
        charging::{self, ProviderPayment},
        connection,
        notice::{self, FOLLOW_NOTICE},
        provider::{
            ChargeOutcome, NoticeAbout, PaymentResult, ProviderAccount, RefundResult, SetUp,
        },
        setup,
    },
    ids::{PaymentId, PaymentSetupId, RefundId},
    payments::refunds::{self, RefundStatus, SEND_REFUND},
};
use spotter_contract::{
    Job,
    jobs::{self, ClaimedJob},
};
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_kernel::{Id, Problem, id::CompanyId};

use crate::Providers;

/// Requests to providers at once, of each kind.
const AT_ONCE: usize = 8;

/// What does the jobs of collecting.
pub fn workers(providers: &Providers) -> [Arc<dyn Worker>; 3] {
    let of = |task| Arc::new(Collector { providers: providers.clone(), task });
    [of(Task::Charge), of(Task::Refund), of(Task::Follow)]
}

#[derive(Clone, Copy)]
enum Task {
    Charge,
    Refund,
    Follow,
}

#[derive(Clone)]
struct Collector {
    providers: Providers,
    task: Task,
}

impl Worker for Collector {
    fn job(&self) -> &'static Job {
        match self.task {
            Task::Charge => &charging::CHARGE,
            Task::Refund => &SEND_REFUND,
            Task::Follow => &FOLLOW_NOTICE,
        }
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        let (own, company, subject) = (self.clone(), held.company, held.subject);
        Box::pin(async move {
            let done = match own.task {
                Task::Charge => own.providers.run_charge(company, PaymentId(subject)).await,
                Task::Refund => own.providers.run_refund(company, RefundId(subject)).await,
                Task::Follow => own.providers.follow(company, subject).await,
            };
            match done {
                Ok(()) => jobs::JobOutcome::Done,
                Err(outcome) => outcome,
            }
        })
    }
}

/// Done, or what else came of an attempt.
type JobResult = Result<(), jobs::JobOutcome>;

/// What could not be read or written here is tried again.
fn failed(problem: Problem) -> jobs::JobOutcome {
    jobs::JobOutcome::Failed(problem.to_string())
}

impl Providers {
    async fn apply_result(
        &self,
        company: CompanyId,
        payment: PaymentId,
        result: PaymentResult,
    ) -> JobResult {
        let notice = result.clone();
        let written = self
            .write(company, "conclude_payment", COLLECTS, move |cx| {
                charging::apply_result(cx, payment, &result)
            })
            .await;
        if let Ok(false) = written {
            tracing::error!(%payment, ?notice, "a provider reports another amount than requested");
        }
        // The state is queried again: nothing is lost where it cannot be written now.
        written.map(drop).map_err(|problem| jobs::JobOutcome::Unknown(problem.to_string()))
    }

    async fn run_charge(&self, company: CompanyId, payment: PaymentId) -> JobResult {
        let next = self
            .write(company, "send_payment", COLLECTS, move |cx| charging::next(cx, payment))
            .await;
        let result = match next.map_err(failed)? {
            charging::ChargeStep::Nothing => return Ok(()),
            charging::ChargeStep::Wait(why) => {
                return Err(jobs::JobOutcome::Failed(why.to_owned()));
            }
            charging::ChargeStep::Send(account, order, charged) => {
                let result = self.charge(&account, &order, &charged).await;
                if let ChargeOutcome::NotTaken(why) = result.outcome {
                    let noted = self.write(company, "send_payment", COLLECTS, move |cx| {
                        charging::refused_by_provider(cx, payment)
                    });
                    noted.await.map_err(failed)?;
                    return Err(jobs::JobOutcome::Failed(why));
                }
                result
            }
            charging::ChargeStep::Ask(account, order, charged) => {
                let found = self.find(&account, payment, order.reference.as_deref()).await;
                match (found, charged) {
                    (Ok(Some(result)), _) => result,
                    (Ok(None), Some(charged)) => self.charge(&account, &order, &charged).await,
                    (Ok(None), None) => {
                        let done = self.write(company, "send_payment", COLLECTS, move |cx| {
                            charging::unknown_to_provider(cx, payment)
                        });
                        done.await.map_err(failed)?;
                        let why = "the provider does not know it, and it may be on its way";
                        return Err(jobs::JobOutcome::Unknown(why.to_owned()));
                    }
                    (Err(why), _) => return Err(jobs::JobOutcome::Unknown(why)),
                }
            }
        };
        match result.outcome {
            ChargeOutcome::Unknown(why) | ChargeOutcome::NotTaken(why) => {
                Err(jobs::JobOutcome::Unknown(why))
            }
            _ => self.apply_result(company, payment, result).await,
        }
    }

    async fn run_refund(&self, company: CompanyId, refund: RefundId) -> JobResult {
        let found = self.read(company, move |cx| refunds::to_send(cx, refund)).await;
        let (account, order) = match found.map_err(failed)? {
            refunds::RefundStep::Nothing => return Ok(()),
            refunds::RefundStep::Send(account, order) => (account, order),
            refunds::RefundStep::Wait => {
                let why = "the company's payment provider is not connected";
                return Err(jobs::JobOutcome::Failed(why.to_owned()));
            }
        };
        let status = match self.refund(&account, &order).await {
            RefundResult::Done => RefundStatus::Succeeded,
            RefundResult::Refused(why) => {
                tracing::warn!(%refund, why, "a refund was refused");
                RefundStatus::Failed
            }
            RefundResult::Unknown(why) => return Err(jobs::JobOutcome::Unknown(why)),
        };
        let written = self.write(company, "conclude_refund", &[], move |cx| {
            refunds::conclude(cx, refund, status)
        });
        written.await.map_err(|problem| jobs::JobOutcome::Unknown(problem.to_string()))
    }

    async fn follow(&self, company: CompanyId, notice: Id) -> JobResult {
        let request = move |cx: &mut spotter_contract::Read| {
            Ok((notice::find(cx, notice)?, connection::account(cx)?))
        };
        let (kept, account) = self.read(company, request).await.map_err(failed)?;
        let Some(kept) = kept else { return Ok(()) };
        let Some(account) = account.filter(|own| own.provider == kept.provider) else {
            let why = "the provider that told it is not connected";
            return Err(jobs::JobOutcome::Failed(why.to_owned()));
        };
        let named = Id::parse(&kept.reference);
        match (kept.about, named) {
            (NoticeAbout::Payment, Some(id)) => self.follow_payment(&account, PaymentId(id)).await,
            (NoticeAbout::Page, Some(id)) => self.close_page(&account, PaymentId(id)).await,
            (NoticeAbout::Setup, Some(id)) => self.follow_setup(&account, PaymentSetupId(id)).await,
            (NoticeAbout::Dispute, _) => self.follow_dispute(&account, &kept.reference).await,
            (NoticeAbout::Payment | NoticeAbout::Page | NoticeAbout::Setup, None) => Ok(()),
        }
    }

    async fn follow_payment(&self, account: &ProviderAccount, payment: PaymentId) -> JobResult {
        let Some(kept) = self.with_provider(account, payment).await? else { return Ok(()) };
        match self.find(account, payment, kept.reference.as_deref()).await {
            Ok(Some(PaymentResult {
                outcome: ChargeOutcome::Unknown(why) | ChargeOutcome::NotTaken(why),
                ..
            })) => Err(jobs::JobOutcome::Unknown(why)),
            Ok(Some(result)) => self.apply_result(account.company, payment, result).await,
            Ok(None) => {
                let done = self.write(account.company, "conclude_payment", COLLECTS, move |cx| {
                    charging::unknown_to_provider(cx, payment)
                });
                done.await.map_err(failed)
            }
            Err(why) => Err(jobs::JobOutcome::Unknown(why)),
        }
    }

    /// The provider's part of a payment.
    async fn with_provider(
        &self,
        account: &ProviderAccount,
        payment: PaymentId,
    ) -> Result<Option<ProviderPayment>, jobs::JobOutcome> {
        let known = move |cx: &mut spotter_contract::Read| ProviderPayment::find(cx, payment);
        self.read(account.company, known).await.map_err(failed)
    }

    /// Closes the page of a payment that is not wanted any more; a payment made on it before counts.
    async fn close_page(&self, account: &ProviderAccount, payment: PaymentId) -> JobResult {
        let Some(kept) = self.with_provider(account, payment).await? else { return Ok(()) };
        match self.cancel(account, payment, kept.reference.as_deref()).await {
            Ok(Some(result)) => self.apply_result(account.company, payment, result).await,
            Ok(None) => {
                self.apply_result(account.company, payment, ChargeOutcome::Cancelled.into()).await
            }
            Err(why) => Err(jobs::JobOutcome::Failed(why)),
        }
    }

    async fn follow_setup(&self, account: &ProviderAccount, id: PaymentSetupId) -> JobResult {
        let waits = self.read(account.company, move |cx| setup::waiting(cx, id)).await;
        let Some(setup) = waits.map_err(failed)? else { return Ok(()) };
        match self.find_setup(account, id, setup.reference.as_deref()).await {
            Ok(SetUp::Done(facts)) => {
                let kept = self.write(account.company, "conclude_payment_setup", &[], move |cx| {
                    setup::conclude(cx, id, &facts)
                });
                kept.await.map_err(failed)
            }
            Ok(SetUp::Waiting) => Ok(()),
            Err(why) => Err(jobs::JobOutcome::Failed(why)),
        }
    }

    async fn follow_dispute(&self, account: &ProviderAccount, reference: &str) -> JobResult {
        let dispute = match self.dispute(account, reference).await {
            Ok(Some(dispute)) => dispute,
            Ok(None) => return Ok(()),
            Err(why) => return Err(jobs::JobOutcome::Failed(why)),
        };
        // Notices come in any order: a payment is recorded before its chargeback.
        self.follow_payment(account, dispute.payment).await?;
        let written = self.write(account.company, "follow_dispute", COLLECTS, move |cx| {
            chargeback::follow(cx, &dispute)
        });
        written.await.map_err(failed)
    }
}
